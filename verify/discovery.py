"""Which files of a project may define ops, by what they import and name. Untrusted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

LANGUAGE = re.compile(r"gradproof(\.| import )(language|graphs)")
SPEAKING = ("gradproof.language", "gradproof.graphs")
CHANGES = ("claiming", "replace", "dataclasses.replace", "copy.replace")


def steps_to_language(path: Path, root: Path) -> int | None:
    """How many modules of the project lie between a file and the language; None without it."""
    seen, level, steps = {path}, [path], 0
    while level:
        if any(map(speaks, level)):
            return steps
        level = [p for p in dict.fromkeys(q for p in level for q in used(p, root)) if p not in seen]
        seen.update(level)
        steps += 1
    return None


@cache
def tree_of(path: Path) -> ast.AST | None:
    try:
        return ast.parse(read(path))
    except (SyntaxError, ValueError):
        return None


def speaks(path: Path) -> bool:
    """Whether a file itself imports the language, or graphs."""
    tree = tree_of(path)
    if tree is None:
        return LANGUAGE.search(read(path)) is not None
    return any(name.startswith(SPEAKING) for name in imported(tree))


@cache
def used(path: Path, root: Path) -> tuple[Path, ...]:
    """The modules of the project that a file imports."""
    tree = tree_of(path)
    names = () if tree is None else imported(tree)
    found = dict.fromkeys(p for name in names for p in places(path, root, name))
    return tuple(p for p in found if p.is_file())


def builds(path: Path, steps: int) -> bool:
    """Whether a file names `Op` or `Graph`; one that imports the language may change an op as well.

    Of graphs of other libraries nothing is said: `Graph` is that of a file that imports ours.
    """
    tree = tree_of(path)
    if tree is None:
        return True
    named = {name for node in ast.walk(tree) for name in names_in(node)}
    if "Graph" in named and any(name.startswith("gradproof.graphs") for name in imported(tree)):
        return True
    return "Op" in named or (steps == 0 and not named.isdisjoint(CHANGES))


def names_in(node: ast.AST) -> tuple[str, ...]:
    """What a node names; `replace` of anything is of a text, as a rule."""
    match node:
        case ast.Name(id=name) | ast.alias(name=name):
            return (name,)
        case ast.Attribute(value=ast.Name(id=owner), attr="replace"):
            return (f"{owner}.replace",)
        case ast.Attribute(attr=name) if name != "replace":
            return (name,)
    return ()


def imported(tree: ast.AST) -> Iterable[str]:
    """The modules that a file imports, and what may be one: `from a import b` is a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (f"{node.module}." if node.module else "")
            yield from (f"{start}{alias.name}" for alias in node.names)


def places(path: Path, root: Path, module: str) -> Iterable[Path]:
    """Where a module that a file imports would be in its project, or the packages it is in."""
    names = module.lstrip(".")
    up = len(module) - len(names)
    above = [p for p in path.parents if p.is_relative_to(root)] or [path.parent]
    for folder in path.parents[up - 1 : up] if up else above:
        for name in names.split("."):
            yield folder / f"{name}.py"
            folder = folder / name
            yield folder / "__init__.py"


def read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""
