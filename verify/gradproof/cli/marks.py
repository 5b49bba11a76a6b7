"""Code that says how it is to be checked: by a line beside it, or in pyproject.toml. Deciding.

Nothing is loaded: a file is read as text. A line is `# gradproof: x=N,C k=size:K requires='N >= K'`
in the body of a function or class, in its docstring, or directly above it. Shapes that a jaxtyping
annotation gives, `x: Float[Tensor, "N C"]`, need not be said again.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gradproof.cli.arguments import UsageError
from gradproof.settings import Settings

LINE = re.compile(r"^\s*(?:#\s*)?gradproof:(?P<said>.*)$")
VALUES = ("requires", "at", "scope", "order", "dtype", "framework")  # options of the command
SWITCHES = ("float32", "on_purpose")
REALS = ("Float", "Float16", "Float32", "Float64", "BFloat16", "Real", "Inexact", "Num")
Function = ast.FunctionDef | ast.AsyncFunctionDef
Code = Function | ast.ClassDef


@dataclass(frozen=True)
class Marked:
    """Code of a file, and the arguments of the command by which it is checked."""

    path: str
    names: tuple[str, ...]
    line: int
    arguments: tuple[str, ...]

    @property
    def target(self) -> str:
        return f"{self.path}::{','.join(self.names)}"


def marked_in(path: Path, settings: Settings, home: Path) -> tuple[Marked, ...]:
    """The code of a file that says how it is to be checked, in its order."""
    found = {m.names[0]: m for m in by_lines(str(path))}
    for target, said in settings.functions.items():
        file, _, names = target.rpartition("::")
        if (home / file).resolve() == path.resolve():
            own = tuple(name.strip() for name in names.split(","))
            shapes = annotated(str(path), own[0])
            arguments = arguments_of(parts_of(said), shapes, target)
            found[own[0]] = Marked(str(path), own, line_of(str(path), own[0]), arguments)
    return tuple(sorted(found.values(), key=lambda m: m.line))


def parts_of(said: Any) -> list[str]:
    """What pyproject.toml says of a function, as a line beside it would."""
    if isinstance(said, str):
        return shlex.split(said)
    return [
        f"{name}={'true' if one is True else 'false' if one is False else one}"
        for name, value in said.items()
        for one in (value if isinstance(value, list) else [value])
    ]


@cache
def by_lines(path: str) -> tuple[Marked, ...]:
    text = read(path)
    if "gradproof:" not in text:
        return ()
    lines = text.splitlines()
    code = list(named_in(tree_of(path)))
    found: dict[str, Marked] = {}
    for number, line in enumerate(lines, 1):
        said = LINE.match(line)
        home = innermost(code, number) if said else None
        if said is None or home is None:
            continue
        where = f"{path}:{number}"
        parts = split(said["said"], where)
        backward = [p.partition("=")[2] for p in parts if p.startswith("backward=")]
        parts = [p for p in parts if not p.startswith("backward=")]
        name, node = home
        arguments = arguments_of(parts, shapes_in(node), where)
        found[name] = Marked(path, (name, *backward), node.lineno, arguments)
    return tuple(found.values())


def split(said: str, where: str) -> list[str]:
    try:
        return shlex.split(said.rstrip().removesuffix('"""'))
    except ValueError as wrong:
        raise UsageError(f"{where}: {wrong} in 'gradproof:{said}'") from None


def named_in(tree: ast.AST | None, prefix: str = "") -> Iterator[tuple[str, Code]]:
    """Functions and classes by name; of what is within functions nothing can be named."""
    for node in ast.iter_child_nodes(tree) if tree is not None else ():
        if isinstance(node, Code):
            yield f"{prefix}{node.name}", node
        if isinstance(node, ast.ClassDef) and not is_function(node):
            yield from named_in(node, f"{prefix}{node.name}.")


def is_function(node: ast.ClassDef) -> bool:
    """Whether a class is one function, of an autograd engine."""
    return any(ast.unparse(base).rpartition(".")[2] == "Function" for base in node.bases)


def innermost(code: Iterable[tuple[str, Code]], line: int) -> tuple[str, Code] | None:
    """What has a line in it, or directly below it."""
    inside = [(n, c) for n, c in code if first_line(c) - 1 <= line <= (c.end_lineno or c.lineno)]
    return max(inside, key=lambda pair: pair[1].lineno, default=None)


def first_line(node: Code) -> int:
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def arguments_of(parts: Iterable[str], shapes: Mapping[str, str], where: str) -> tuple[str, ...]:
    """As the command takes them."""
    found: list[str] = []
    said = set()
    for part in parts:
        name, equals, value = part.partition("=")
        if not (equals and name.isidentifier()):
            raise UsageError(f"{where}: {part!r} says nothing of an argument; write x=N,C")
        option = f"--{name.replace('_', '-')}"
        if name in VALUES:
            found += [option, value]
        elif name in SWITCHES:
            on = value.lower() in ("true", "1", "yes")
            found += [option] if on else [f"--no-{option[2:]}"] if name == "float32" else []
        else:
            said.add(name)
            found += ["--input", f"{name}={value}"]
    for name, dims in shapes.items():
        found += [] if name in said else ["--input", f"{name}={dims}"]
    return tuple(found)


def annotated(path: str, name: str) -> dict[str, str]:
    """The shapes that the annotations of a function of a file give."""
    return next((shapes_in(node) for n, node in named_in(tree_of(path)) if n == name), {})


def shapes_in(node: Code) -> dict[str, str]:
    if isinstance(node, ast.ClassDef):
        own = (n for n in node.body if isinstance(n, Function) and n.name == "forward")
        return next((shapes_in(n) for n in own), {})
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    pairs = ((a.arg, jaxtyped(a.annotation)) for a in arguments)
    return {name: shape for name, shape in pairs if shape}


def jaxtyped(annotation: ast.expr | None) -> str:
    """`N,C` of `Float[Tensor, "N C"]`; nothing of dimensions that have no name."""
    match annotation:
        case ast.Subscript(
            value=ast.Name(id=kind) | ast.Attribute(attr=kind),
            slice=ast.Tuple(elts=[_, ast.Constant(value=str(dims))]),
        ):
            sizes = dims.split()
            if not all(re.fullmatch(r"[\w*+/-]+", size) and size[0] not in "*_" for size in sizes):
                return ""
            shape = ",".join(sizes) + ("," if len(sizes) == 1 and sizes[0].isdecimal() else "")
            return shape if kind in REALS else f"boolean:{shape}" if kind == "Bool" else ""
    return ""


def line_of(path: str, name: str) -> int:
    return next((node.lineno for n, node in named_in(tree_of(path)) if n == name), 1)


@cache
def tree_of(path: str) -> ast.AST | None:
    try:
        return ast.parse(read(path))
    except (SyntaxError, ValueError):
        return None


def read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", errors="replace")
    except OSError:
        return ""
