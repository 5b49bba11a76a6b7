"""The content of a theorem and of an op, as one hash each that tells any two apart. Deciding.

Every field of every part goes in, by its type. Only the numbers in names that a run made up are
replaced, by those of their first appearance: they differ from run to run.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.settle.verdicts import Verdict
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status

MADE_UP = re.compile(r"'(\d+)")


LABEL = ("op", "name", "kind", "statement", "given", "expected", "equation", "rests_on", "accepts")
OURS = ("gradproof.", "sympy.")  # whose types mean what they say


class Unclear(Exception):
    """A value of a type that may mean anything."""


class Writer:
    """Writes each distinct node once, and then its number."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.nodes: dict[Any, int] = {}
        self.numbers: dict[str, int] = {}

    def __call__(self, value: Any) -> str:
        """Text that stands for the value; a node's is its number, under which it is written."""
        if isinstance(value, sympy.Basic):
            key = type(value), value
            if key not in self.nodes:
                line = self.node(value)
                self.nodes[key] = len(self.lines)
                self.lines.append(line)
            return f"#{self.nodes[key]}"
        if type(value) in (bool, int, str, Status, type(None)):
            return json.dumps(value)
        if type(value) is Fraction:
            return f"{value.numerator}/{value.denominator}"
        if type(value) in (tuple, list):
            return f"{name_of(value)}[{' '.join(map(self, value))}]"
        if type(value) is dict:
            return f"{{{' '.join(f'{self(key)}: {self(item)}' for key, item in value.items())}}}"
        if is_dataclass(value) and type(value).__module__.startswith(OURS):
            parts = (f"{f.name}={self(getattr(value, f.name))}" for f in fields(value))
            return f"{name_of(value)}({' '.join(parts)})"
        raise Unclear(name_of(value))

    def node(self, term: Any) -> str:
        if not type(term).__module__.startswith(OURS):
            raise Unclear(name_of(term))
        if isinstance(term, Str):
            return json.dumps(term.name)
        if isinstance(term, sympy.Rational):
            return f"{term.p}/{term.q}"
        if isinstance(term, t.Sym):
            name = MADE_UP.sub(self.renumbered, term.name)
            return f"Sym {json.dumps([name, term.sort])} {self(term.args[2])}"
        return " ".join((name_of(term), *map(self, term.args)))

    def renumbered(self, found: re.Match[str]) -> str:
        return f"'{self.numbers.setdefault(found[1], len(self.numbers))}"


def name_of(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def content(*values: Any) -> str:
    """The hash of values; nothing for what cannot be told apart from something else."""
    write = Writer()
    try:
        last = write(values)
    except Exception:  # what is asked is settled all the same
        return ""
    return hashlib.sha256("\n".join((*write.lines, last)).encode()).hexdigest()


def content_of(number: int, theorem: Theorem, label: Verdict, op: str, whole: str) -> str:
    """Of a theorem of an op and its label; whether a clause is needed depends on the whole op.

    The statement is told by the label, in which the names that a run made up are the same always.
    """
    parts = {f.name: getattr(theorem, f.name) for f in fields(theorem) if f.name != "statement"}
    said = {name: getattr(label, name) for name in LABEL}
    if theorem.kind != "needed":
        return content(op, parts, said)
    return whole and content(op, parts, said, whole, number)
