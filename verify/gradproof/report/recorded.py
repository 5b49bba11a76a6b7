"""Records as they are read back, without what it takes to write them. Deciding.

Nothing heavy is imported here: the records of the suite are shown at once.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from gradproof import specs
from gradproof.homes import SUITE
from gradproof.settle.verdicts import Report, Verdict

SCHEMA = 2


class Stale(Exception):
    """A file that is no record of the op as it is defined."""


def read(path: Path) -> tuple[dict[str, Any], Report]:
    """The record that a file holds, of whatever definition, and the report in it."""
    try:
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))
        data["definition"]["sha256"]
        return data, report_in(data)
    except (IsADirectoryError, PermissionError, ValueError, KeyError, TypeError):
        raise Stale(f"{path} is no record") from None


def report_in(data: dict[str, Any]) -> Report:
    """The report of a record, without its queries."""
    if data.get("schema") != SCHEMA:
        raise ValueError(f"a record of schema {data.get('schema')}, expected {SCHEMA}")
    own: dict[str, Any] = {"op": data["name"], "queries": []}
    return Report(data["name"], tuple(Verdict.from_dict(th | own) for th in data["theorems"]))


def stamp(name: str, definition: str) -> str:
    """Of an op of the suite: its files and the hash of its definition, which they give.

    While it is the same, so is the definition, and nobody has to build it.
    """
    found = hashlib.sha256(f"{name} {definition}".encode())
    for module in sorted(reached(specs.HOMES[name])):
        found.update(f"\n{module} ".encode() + digest(module))
    return found.hexdigest()


def reached(module: str) -> set[str]:
    """A module of the suite and all that it imports of the suite."""
    found, left = set[str](), ["__init__", module]
    while left:
        if (one := left.pop()) not in found:
            found.add(one)
            left += imported(one)
    return found


IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b(?:[^\n(]|\([^)]*\))*", re.M)


@cache
def imported(module: str) -> frozenset[str]:
    """Whatever may be a module of the suite, as in `from gradproof.specs.a import b`."""
    words = re.findall(r"\w+", b" ".join(IMPORT.findall(source(module))).decode())
    return modules().intersection(specs.HOMES.get(word, word) for word in words)


@cache
def modules() -> frozenset[str]:
    """Those of the suite, by name."""
    return frozenset(path.stem for path in SUITE.glob("*.py"))


@cache
def digest(module: str) -> bytes:
    return hashlib.sha256(source(module)).digest()


@cache
def source(module: str) -> bytes:
    return (SUITE / f"{module}.py").read_bytes()
