"""Sums over a row of which a mask leaves what is up to a place, or from it on. Untrusted.

`Σ_{j = 0..N - 1} if(i ≥ j, u, 0)` is `Σ_{j = 0..i} u` where `i` is below `N`: of the second it is
plain that it has a term.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import Sym, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals

Bounds = Mapping[Term, Term]  # what each index is at most; all are at least 0
TURNED: dict[type, type] = {t.Le: t.Ge, t.Ge: t.Le, t.Lt: t.Gt, t.Gt: t.Lt}


def shortened(term: Term, index: Iterable[Sym], dims: Iterable[Term]) -> Term:
    """A cell at an index of an array."""
    bounds = {i: n.minus(d, 1) for i, d in zip(index, dims, strict=True)}
    return within(term, bounds) if t.mentions(term, t.Sum) else term


def within(term: Term, bounds: Bounds) -> Term:
    if not isinstance(term, t.Sum) or len(term.ranges) != 1:
        known = bounds
        if isinstance(term, t.Binder):
            known = {**bounds, **{symbol: last for symbol, _, last in term.ranges}}
        return t.over_parts(term, lambda u: within(u, known))
    symbol, first, last = term.ranges[0]
    body = within(term.body, {**bounds, symbol: last})
    parts = list(body.args) if isinstance(body, t.Mul) else [body]
    for number, part in enumerate(parts):
        condition, value = masked(part)
        ends = ends_of(condition, symbol, first, last, bounds)
        if ends is not None:
            parts[number] = value
            return within(t.Sum(reals.times(*parts), (symbol, *ends)), bounds)
    return t.Sum(body, term.ranges[0])


def masked(part: Term) -> tuple[Term | None, Term]:
    """A condition outside of which a factor is 0, and what it is inside."""
    if isinstance(part, t.Bracket):
        return part.condition, reals.ONE
    if isinstance(part, t.If) and part.otherwise == 0:
        return part.condition, part.then
    return None, part


def ends_of(
    condition: Term | None, symbol: Sym, first: Term, last: Term, bounds: Bounds
) -> tuple[Term, Term] | None:
    """The range that a comparison with an index of the same bound leaves."""
    if type(condition) not in TURNED or first != 0:
        return None
    assert condition is not None
    kind, (left, right) = type(condition), condition.args
    if right == symbol:
        kind, left, right = TURNED[kind], right, left
    if left != symbol or not isinstance(right, Sym) or right == symbol:
        return None
    if right not in bounds or not n.equal(bounds[right], last):
        return None
    step = sympy.Integer(kind in (t.Lt, t.Gt))
    if kind in (t.Le, t.Lt):
        return first, n.minus(right, step)
    return n.add(right, step), last
