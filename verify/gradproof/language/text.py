"""Terms in one line of plain mathematics. Untrusted.

Nodes are known by the names of their classes, and parts are printed by `str`, which remembers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

SIGNS = {"Le": "≤", "Lt": "<", "Ge": "≥", "Gt": ">", "Eq": "=", "Ne": "≠"}
CALLS = {
    "FloorDiv": "⌊{}/{}⌋",
    "CeilDiv": "⌈{}/{}⌉",
    "TruncDiv": "trunc({}/{})",
    "NatSub": "({} ∸ {})",
    "NatDiv": "nat({}/{})",
    "Mod": "({} mod {})",
    "TruncMod": "({} rem {})",
    "Div": "{}/{}",
    "Divides": "{} | {}",
    "AxisProduct": "∏{}",
}
WHOLE = {"Log": "log({})", "AllAxes": "{}", "Bracket": "[{}]", "Slope": "∂({})/∂{}"}


def kind(term: Any) -> str:
    return type(term).__name__


def text(term: Any) -> str:
    """The term in one line of plain mathematics."""
    name = kind(term)
    if name in RULES:
        return RULES[name](term)
    if name in SIGNS:
        return f"{term.left} {SIGNS[name]} {term.right}"
    if name in CALLS:
        *first, last = term.args
        ends = str(last) if kind(last) == "AxisProduct" else group(last, "Mul", "Slope")
        return CALLS[name].format(*map(group, first), ends)
    if name in WHOLE:
        return WHOLE[name].format(*term.args)
    return f"{name.lower()}({', '.join(map(str, term.args))})"


def product(term: Any) -> str:
    if len(term.args) > 1 and term.args[0] == -1:
        return "-" + str(term.func(*term.args[1:]))
    if not term.args:
        return "1"
    return "·".join((*map(group, term.args[:-1]), inner(term.args[-1])))


def read(term: Any) -> str:
    name = term.array.name + ("̂" if kind(term) == "PaddedRead" else "")
    return f"{name}[{', '.join(map(str, term.index))}]"


def exponential(term: Any) -> str:
    return f"exp({term.inner})" if radicand(term) is None else f"√({radicand(term)})"


def radicand(term: Any) -> Any | None:
    """What a term is the square root of, if it is written as one."""
    power = term.inner if kind(term) == "Exp" else term
    half = power is not term and kind(power) == "Div" and power.below == 2
    return power.above.inner if half and kind(power.above) == "Log" else None


def primed(*texts: str) -> tuple[str, ...]:
    """Texts with `c'12` and `c'31` as c′ and c″, alike in all of them."""
    marks: dict[str, list[str]] = {}

    def mark(found: re.Match[str]) -> str:
        base, number = found.groups()
        seen = marks.setdefault(base, [])
        if number not in seen:
            seen.append(number)
        return base + "′" * (seen.index(number) + 1)

    return tuple(NUMBERED.sub(mark, text) for text in texts)


# Not looked for from the middle of a word on: that takes the square of its length.
NUMBERED = re.compile(r"(?<![^\W\d])([^\W\d]\w*)'(\d+)")


LOOSE = ("And", "Or", "ForAll", "Exists", "Winner", "Unique", "Add", "Div")


def group(term: Any, *also: str) -> str:
    """In parentheses where a sign beside it would tear it apart."""
    is_fraction = bool(also) and "/" in str(term) and not hasattr(term, "sort")
    held = term.condition if kind(term) == "AllAxes" else term
    torn = is_fraction or kind(held) in (*LOOSE, *also) or swallows(term)
    return f"({term})" if torn else str(term)


def swallows(term: Any) -> bool:
    """Whether a factor behind it would be taken for a part of it."""
    if kind(term) == "Mul":
        return bool(term.args) and swallows(term.args[-1])
    return kind(term) in ("Sum", "Prod", "Maximum", "AxisProduct")


def inner(term: Any) -> str:
    """Where nothing follows."""
    return str(term) if swallows(term) else group(term)


def text_of_sum(term: Any) -> str:
    parts = ""
    for shown in map(str, term.args):
        if parts and shown.startswith("-"):
            parts += f" - {shown[1:]}"
        else:
            parts += f" + {shown}" if parts else shown
    return parts or "0"


def text_of_ranges(term: Any, where: Any = None) -> str:
    shown = ", ".join(f"{a} = {b}..{c}" for a, b, c in term.ranges)
    return shown if where is None or str(where) == "true" else f"{shown} where {where}"


def winner(term: Any) -> str:
    places = ", ".join(map(str, term.at))
    return f"({places}) is {term.tie} max of {term.body} over {text_of_ranges(term, term.where)}"


def fold(term: Any) -> str:
    place = module("largest").as_largest(term)
    if place is not None:
        return kept_place(place)
    counted = module("counting").as_count(term)
    if counted is not None:
        return f"#{{{text_of_ranges(counted, counted.where)}}}"
    states = "; ".join(f"{a} := {b}, then {c}" for a, b, c in term.states)
    return f"({term.body} after {states} over {text_of_ranges(term)})"


def module(name: str) -> Any:
    """What knows the loops that keep a place or count, a module above this one."""
    return import_module(f"gradproof.language.{name}")


def kept_place(found: Any) -> str:
    of = "" if found.is_of_its_range else f" of {group(found.at)}"
    tie = "" if found.tie == "first" else f" {found.tie}"
    empty = f" else {found.empty}" if found.empty != 0 else ""
    return f"(argmax{tie}{of}_{{{text_of_ranges(found, found.where)}{empty}}} {inner(found.body)})"


def power(term: Any) -> str:
    torn = ("Mul", "Power", "If", "Bracket")
    base = f"({term.base})" if str(term.base).startswith("-") else group(term.base, *torn)
    return f"{base}^{group(term.exponent, *torn)}"


def application(term: Any) -> str:
    name, *inner = map(str, term.args)
    name = {"pi": "π"}.get(name, name)
    return f"{name}({', '.join(inner)})" if inner else name


def said(condition: Any) -> str:
    """Where it makes a difference whether one axis or every axis is meant."""
    return f"{condition} on every axis" if kind(condition) == "AllAxes" else str(condition)


def disjunction(term: Any) -> str:
    parts = (f"({said(a)})" if kind(a) == "AllAxes" else group(a) for a in term.args)
    return " ∨ ".join(parts) or "false"


def large(sign: str) -> Callable[[Any], str]:
    return lambda term: f"{sign}_{{{text_of_ranges(term)}}} {inner(term.body)}"


def maximum(term: Any) -> str:
    empty = f" else {term.empty}" if term.empty != 0 else ""
    return f"max_{{{text_of_ranges(term, term.where)}{empty}}} {inner(term.body)}"


def linear(term: Any) -> str:
    return f"{term.body} is linear in {', '.join(a.name for a in term.by)}"


RULES: dict[str, Callable[[Any], str]] = {
    "Sym": lambda term: term.name,
    "Add": text_of_sum,
    "Mul": product,
    "Read": read,
    "PaddedRead": read,
    "Exp": exponential,
    "Power": power,
    "Apply": application,
    "And": lambda term: " ∧ ".join(map(group, term.args)) or "true",
    "Not": lambda term: f"¬({said(term.condition)})",
    "Or": disjunction,
    "Linear": linear,
    "Winner": winner,
    "Fold": fold,
    "Sum": large("Σ"),
    "Prod": large("Π"),
    "Maximum": maximum,
    "Exists": lambda term: f"∃ {text_of_ranges(term)}: {term.body}",
    "ForAll": lambda term: f"∀ {text_of_ranges(term)}: {term.body}",
    "Unique": lambda u: f"the max of {u.body} over {text_of_ranges(u, u.where)} is unique",
    "Scatter": lambda u: f"{u.target} += {u.value} for {text_of_ranges(u, u.where)}",
}
