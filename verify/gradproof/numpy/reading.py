"""Reads a function of Python and NumPy from its source: what it returns, as arrays. Untrusted.

It runs the code with terms in place of numbers: `statements` and `expressions` are its syntax,
`operators` and `calling` its arithmetic and functions, `places` its indices. A loop over a range
whose ends are sizes runs once, with a name for its index; `loops` says what all its turns do.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import Term
from gradproof.numpy import expressions, statements
from gradproof.numpy.carrying import Recurs
from gradproof.numpy.functions import FUNCTIONS
from gradproof.numpy.objects import Instance
from gradproof.numpy.operators import operate
from gradproof.numpy.sources import names_in, parsed, plain_function, stored_in
from gradproof.numpy.state import FIRST, UNKNOWN, Inner, Scope, State
from gradproof.tracing import reals
from gradproof.tracing.lines import WIDEST, answered_at, at
from gradproof.tracing.tensors import Unreadable


class Reader(State):
    """One run of the code, at sizes with the given requirements; `hints` decide its branches."""

    home = ""  # the file of the function that is read

    def value(self, node: ast.expr, scope: Scope) -> Any:
        return expressions.value(self, node, scope)

    def condition(self, value: Any) -> Term:
        return expressions.condition(self, value)

    def tested(self, test: ast.expr, scope: Scope) -> Term:
        """The condition of a branch; one on sizes alone is decided, or part of what is claimed."""
        found = self.condition(self.value(test, scope))
        if not t.arrays(found) and free(found) <= set(self.hints):
            last = test.end_lineno or test.lineno, test.end_col_offset or WIDEST
            answered_at((self.home, (test.lineno, test.col_offset), last))
        return found

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        statements.assign(self, target, value, scope)

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        statements.block(self, body, scope)

    # What code is run with that has a backward, too (`pairs`).

    def new(self, owner: Any) -> Any:
        """An object of a class, or one as the user has made it, by its attributes."""
        return Instance(owner) if isinstance(owner, type) else self.argument(owner)

    def zeros_like(self, value: Any) -> Any:
        return self.kept(FUNCTIONS["zeros_like"](self, self.tensor(value)))

    def times(self, seed: Any, value: Any) -> Any:
        return operate(self, ast.Mult(), seed, value)

    def axes(self, value: Any) -> int:
        return len(self.tensor(value).axes)

    def number(self, value: Any) -> Any:
        """The only cell of an array whose sizes are all 1."""
        whole = self.tensor(value)
        alone = all(factor == 1 for factor in whole.factors)
        return whole.cell((reals.ZERO,) * len(whole.factors)) if alone else None

    def call(self, function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What a function of the user returns."""
        if isinstance(function, Inner):
            return self.call_inner(function, args, named)
        inner = plain_function(function)
        tree, lines = parsed(inner)
        ready = {k: self.kept(v) for k, v in named.items()}
        bound = inspect.signature(inner).bind(*map(self.kept, args), **ready)
        given = dict(bound.arguments)
        bound.apply_defaults()
        found = {**surroundings(inner), **bound.arguments}
        scope: Scope = {k: self.own(v) for k, v in found.items() if k not in given} | given
        scope[FIRST] = tuple(given.values())[:1]
        home, self.home = self.home, inner.__code__.co_filename
        try:
            return self.body(tree, scope)
        except Recurs:
            raise
        except Unreadable as reason:
            raise located(reason, inner, lines) from reason
        finally:
            self.home = home

    def body(self, tree: Any, scope: Scope) -> Any:
        """What the body of a function returns."""
        caller = self.called, self.tree, self.breaks
        self.called, self.tree, self.breaks = self.inside, tree, None
        try:
            if isinstance(tree, ast.Lambda):
                return self.value(tree.body, scope)
            self.block(tree.body, scope)
        except statements.Returned as found:
            return found.value
        finally:
            self.called, self.tree, self.breaks = caller
        return None

    def call_inner(self, function: Inner, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What a function returns that is defined within another."""
        ready = {k: self.kept(v) for k, v in named.items()}
        bound = function.signature.bind(*map(self.kept, args), **ready)
        bound.apply_defaults()
        local = dict.fromkeys(stored_in(function.node), UNKNOWN)
        return self.body(function.node, {**function.scope, **local, **bound.arguments})


def surroundings(function: Any) -> dict[str, Any]:
    """What the names of a function are that it does not assign, and of its variables that nothing
    was assigned to those."""
    code = function.__code__
    own = {*code.co_varnames, *code.co_cellvars}
    free = zip(code.co_freevars, function.__closure__ or (), strict=True)
    others = (names_in(code) - own) & function.__globals__.keys()
    return (
        {k: UNKNOWN for k in own if hasattr(builtins, k)}
        | {k: function.__globals__[k] for k in others}
        | {k: cell.cell_contents for k, cell in free}
    )


def located(reason: Unreadable, function: Any, lines: Sequence[str]) -> Unreadable:
    """What is said, with the line of the user's code, unless it has one."""
    line = getattr(reason, "line", None)
    if line is None or reason.told:
        return reason
    path = inspect.getsourcefile(function) or "?"
    found = Unreadable(at(path, line, lines[line - 1].strip(), str(reason)))
    found.line, found.told = line, True  # type: ignore[attr-defined]
    return found
