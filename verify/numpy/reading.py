"""Reads a function of Python and NumPy from its source: what it returns, as arrays. Untrusted.

It runs the code with terms in place of numbers: `statements` and `expressions` are its syntax,
`operators` and `calling` its arithmetic and functions, `places` its indices. A loop over a range
whose ends are sizes runs once, with a name for its index; `loops` says what all its turns do.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from gradproof.language.terms import Term
from gradproof.numpy import expressions, statements
from gradproof.numpy.carrying import Recurs
from gradproof.numpy.state import Scope, State
from gradproof.tracing.lines import at
from gradproof.tracing.tensors import Unreadable


class Reader(State):
    """One run of the code, at sizes with the given requirements; `hints` decide its branches."""

    def value(self, node: ast.expr, scope: Scope) -> Any:
        return expressions.value(self, node, scope)

    def condition(self, value: Any) -> Term:
        return expressions.condition(self, value)

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        statements.assign(self, target, value, scope)

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        statements.block(self, body, scope)

    def call(self, function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What a function of the user returns."""
        inner = plain_function(function)
        tree, first, source = parsed(inner)
        ready = {k: self.kept(v) for k, v in named.items()}
        bound = inspect.signature(inner).bind(*map(self.kept, args), **ready)
        given = dict(bound.arguments)
        bound.apply_defaults()
        outer = inspect.getclosurevars(inner)
        found = {**outer.globals, **outer.nonlocals, **bound.arguments}
        scope: Scope = {k: own(v) for k, v in found.items()} | given
        caller, self.called = self.called, self.inside
        try:
            if isinstance(tree, ast.Lambda):
                return self.value(tree.body, scope)
            self.block(tree.body, scope)
        except statements.Returned as found:
            return found.value
        except Recurs:
            raise
        except Unreadable as reason:
            raise located(reason, inner, first, source) from reason
        finally:
            self.called = caller
        return None


def own(value: Any) -> Any:
    """What is there before the code runs: a list or dictionary of which it changes a copy."""
    return copy(value) if isinstance(value, list | dict) else value


def plain_function(function: Any) -> Any:
    """The function whose source is read; one that others are wrapped around is not what runs."""
    is_compiled = type(function).__module__.startswith("numba")
    inner = function.py_func if is_compiled else function
    if hasattr(inner, "__wrapped__"):
        name = getattr(inner, "__name__", inner)
        raise Unreadable(f"{name} is wrapped by a decorator; check the function within")
    return inner


def parsed(function: Any) -> tuple[Any, int, str]:
    """The syntax of a function, its first line and its source."""
    name = getattr(function, "__name__", function)
    try:
        lines, first = inspect.getsourcelines(function)
        source = textwrap.dedent("".join(lines))
        found = [
            u for u in ast.walk(ast.parse(source)) if isinstance(u, ast.FunctionDef | ast.Lambda)
        ]
    except (OSError, TypeError, SyntaxError) as reason:
        raise Unreadable(f"{name}: no source; define it with def, in a file") from reason
    if not found or (isinstance(found[0], ast.Lambda) and len(found) > 1):
        raise Unreadable(f"{name}: one of several lambdas of a line; define it with def")
    return found[0], first, source


def located(reason: Unreadable, function: Any, first: int, source: str) -> Unreadable:
    """What is said, with the line of the user's code, unless it has one."""
    line = getattr(reason, "line", None)
    if line is None or reason.told:
        return reason
    text = source.splitlines()[line - 1].strip()
    path = inspect.getsourcefile(function) or "?"
    found = Unreadable(at(path, first + line - 1, text, str(reason)))
    found.line, found.told = line, True  # type: ignore[attr-defined]
    return found
