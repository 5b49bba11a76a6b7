"""Which files define ops or ask for proofs, by what they import and name. Untrusted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGE = re.compile(r"gradproof(\.| import )(language|graphs)")
SPEAKING = ("gradproof.language", "gradproof.graphs")
ADAPTER = re.compile(r"gradproof\.(torch|jax|numpy)")
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


def asking(path: Path, names: Mapping[str, Any], proved: Any) -> Iterator[tuple[int, int]]:
    """The lines at which a loaded file asks for proofs: calls of `proved`, of whatever adapter."""
    text = read(path)
    tree = tree_of(path) if "gradproof" in text else None
    if tree is None:
        return
    inside = {name for node in ast.walk(tree) for name in adapters_in(node)} - names.keys()
    for call in ast.walk(tree):
        match call:
            case ast.Call(func=ast.Name(id=name)):
                found = name in inside or is_of(names.get(name), proved)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="proved")):
                found = name in inside or is_of(getattr(names.get(name), "proved", None), proved)
            case _:
                continue
        if found:
            yield call.lineno, call.end_lineno or call.lineno


def is_of(value: Any, proved: Any) -> bool:
    return proved is not None and getattr(value, "__func__", None) is proved


def adapters_in(node: ast.AST) -> Iterator[str]:
    """The names that a node gives to adapters, and to what they call `proved`."""
    match node:
        case ast.Import(names=modules):
            yield from (m.asname for m in modules if m.asname and ADAPTER.fullmatch(m.name))
        case ast.ImportFrom(module=home, names=parts):
            for part in parts:
                if ADAPTER.fullmatch(f"{home}.{part.name}".removesuffix(".proved")):
                    yield part.asname or part.name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Constant(value)])):
            if isinstance(value, str) and ADAPTER.fullmatch(value):
                yield name


def read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""
