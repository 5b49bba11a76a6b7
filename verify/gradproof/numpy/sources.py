"""The source of a function that is read: of the code that runs, and of no other. Untrusted."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from gradproof.tracing.tensors import Unreadable

REWRITTEN = "@pytest_ar"  # a name in modules of which pytest has changed the assertions
SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def is_compiled(function: Any) -> bool:
    """Whether it is Numba's of a function of Python's."""
    return type(function).__module__.split(".")[0] == "numba" and hasattr(function, "py_func")


def plain_function(function: Any) -> Any:
    """The function whose source is read; one that others are wrapped around is not what runs."""
    inner = function.py_func if is_compiled(function) else function
    name = getattr(inner, "__name__", inner)
    if hasattr(inner, "__wrapped__") or hasattr(inner, "__signature__"):
        raise Unreadable(f"{name} is wrapped by a decorator; check the function within")
    if not isinstance(inner, FunctionType):
        raise Unreadable(f"{name}: no function of Python's; define it with def, in a file")
    return inner


def parsed(function: FunctionType) -> tuple[Any, list[str]]:
    """The syntax of a function, and the lines of its file."""
    name = function.__name__
    try:
        lines, _ = inspect.findsource(function)
        return definition(function.__code__, tuple(lines), REWRITTEN in function.__globals__)
    except (OSError, TypeError, SyntaxError, ValueError) as reason:
        raise Unreadable(f"{name}: no source; define it with def, in a file") from reason


@lru_cache(maxsize=256)
def definition(code: CodeType, lines: tuple[str, ...], rewritten: bool) -> tuple[Any, list[str]]:
    name, source = code.co_name, "".join(lines)
    tree = ast.parse(source)
    found = [u for u in ast.walk(tree) if begins_at(u) == (name, code.co_firstlineno)]
    if not any(same == code for same in compiled(source, code, rewritten)):
        raise Unreadable(f"{name}: its source is not what runs; it was changed since, start anew")
    if len(found) != 1:
        raise Unreadable(f"{name}: one of several lambdas of a line; define it with def")
    if code.co_flags & SUSPENDED:
        raise Unreadable(f"{name} yields or awaits; return what it computes")
    return found[0], list(lines)


def begins_at(node: ast.AST) -> tuple[str, int] | None:
    """The name and first line of a function, as its code has them."""
    if isinstance(node, ast.Lambda):
        return "<lambda>", node.lineno
    if not isinstance(node, ast.FunctionDef):
        return None
    return node.name, min([node.lineno, *(u.lineno for u in node.decorator_list)])


def compiled(source: str, code: CodeType, rewritten: bool) -> Iterator[CodeType]:
    """All functions of a file, compiled as a module of that file is."""
    tree = ast.parse(source)
    if rewritten:
        sys.modules["_pytest.assertion.rewrite"].rewrite_asserts(tree, source.encode())
    future = code.co_flags & annotations.compiler_flag
    pending = [compile(tree, code.co_filename, "exec", future, dont_inherit=True)]
    while pending:
        found = pending.pop()
        yield found
        pending += [c for c in found.co_consts if isinstance(c, CodeType)]


def names_in(code: CodeType) -> set[str]:
    """All names that are no variables of the function, in what it defines within itself, too."""
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return {*code.co_names}.union(*map(names_in, inner))


def stored_in(tree: ast.AST) -> dict[str, list[tuple[int, int]]]:
    """The names that the body of a function assigns, and where; not those of functions in it."""
    found: dict[str, list[tuple[int, int]]] = {}
    pending: list[ast.AST] = list(tree.body) if isinstance(tree, ast.FunctionDef) else [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, []).append((node.lineno, node.col_offset))
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append((node.lineno, node.col_offset))
            continue
        pending += ast.iter_child_nodes(node)
    return found
