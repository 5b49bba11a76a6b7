"""Logarithms of products as sums, where what they are of is above 0. Untrusted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.tracing import reals


def apart(term: Term, above: Collection[str]) -> Term:
    """With `log(p/q)` as `log(p) - log(q)`; the cells of the arrays `above` are above 0."""
    if not t.mentions(term, t.Log):
        return term
    term = t.over_parts(term, lambda u: apart(u, above))
    if not isinstance(term, t.Log) or not isinstance(term.inner, t.Mul | t.Div):
        return term
    parts = list(factors(term.inner))
    if not all(is_above(part, above) for part, _ in parts):
        return term
    return reals.plus(*(reals.times(sign, reals.log(part)) for part, sign in parts))


def factors(term: Term) -> Iterator[tuple[Term, int]]:
    """What is multiplied, with 1, and what is divided by, with -1."""
    if isinstance(term, t.Mul):
        for part in term.args:
            yield from factors(part)
    elif isinstance(term, t.Div):
        yield from factors(term.above)
        yield from ((part, -sign) for part, sign in factors(term.below))
    else:
        yield term, 1


def is_above(term: Term, above: Collection[str]) -> bool:
    return reals.is_above_zero(term) or (isinstance(term, t.Read) and term.array.name in above)


def required_above(clauses: Iterable[Term]) -> frozenset[str]:
    """The arrays of which it is required that every cell is above 0."""
    return frozenset(
        c.left.array.name
        for c in clauses
        if isinstance(c, t.Gt) and isinstance(c.left, t.Read) and at_least_zero(c.right)
    )


def at_least_zero(term: Term) -> bool:
    return isinstance(term, sympy.Rational) and bool(term >= 0)
