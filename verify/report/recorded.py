"""Records as they are read back, without what it takes to write them. Untrusted.

Nothing heavy is imported here: the records of the suite are shown at once.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from gradproof import specs
from gradproof.homes import SUITE
from gradproof.settle.verdicts import Report, Verdict

SCHEMA = 2


class Stale(Exception):
    """A file that is no record of the op as it is defined."""


def read(path: Path) -> dict[str, Any]:
    """The record that a file holds, of whatever definition."""
    try:
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))
        data["definition"]["sha256"]
        report_in(data)
    except (IsADirectoryError, PermissionError, ValueError, KeyError, TypeError):
        raise Stale(f"{path} is no record") from None
    return data


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
        found.update(f"\n{module} ".encode() + hashlib.sha256(source(module)).digest())
    return found.hexdigest()


def reached(module: str) -> set[str]:
    """A module of the suite and all that it imports of the suite."""
    found, left = set[str](), ["__init__", module]
    while left:
        if (one := left.pop()) not in found:
            found.add(one)
            left += imported(one)
    return found


@cache
def imported(module: str) -> tuple[str, ...]:
    return tuple(n for n in named(ast.parse(source(module))) if (SUITE / f"{n}.py").is_file())


def named(tree: ast.AST) -> Iterator[str]:
    """Whatever may be a module of the suite, as in `from gradproof.specs.a import b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (part for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
            yield from (specs.HOMES.get(alias.name, alias.name) for alias in node.names)


@cache
def source(module: str) -> bytes:
    return (SUITE / f"{module}.py").read_bytes()
