"""A rank-generic definition at one rank: every bundle becomes that many symbols. Trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import sympy
from sympy.core.symbol import Str

from gradproof.language.terms import (
    AllAxes,
    And,
    Array,
    AxisProduct,
    Binder,
    DefinitionError,
    Fold,
    Function,
    Mul,
    Read,
    Scatter,
    Sym,
    Term,
    Triple,
    Winner,
    conjuncts,
    is_bundle,
    node,
)


def copy_of(term: Term, axis: int) -> Term:
    """What a bundle is on one axis; what has one value for all axes stays for `at_rank`."""
    if isinstance(term, Sym):
        return Sym(f"{term.name}.{axis}", term.sort) if term.is_bundle else term
    if isinstance(term, Fold):
        return Fold(copy_of(term.body, axis), *term.args[1:])
    if not is_bundle(term):
        return term
    return node(term.func, *(copy_of(a, axis) for a in term.args))


def spread(term: Term, rank: int) -> Iterator[Term]:
    """A bundle as one value per axis, anything else as itself."""
    if is_bundle(term):
        for axis in range(1, rank + 1):
            yield at_rank(copy_of(term, axis), rank)
    else:
        yield at_rank(term, rank)


def broadcast(values: Iterable[Term], places: Iterable[Term], rank: int) -> Iterator[Term]:
    """One value per axis for each place that is a bundle, also of one value for all axes."""
    for value, place in zip(values, places, strict=True):
        for _ in range(rank if is_bundle(place) and not is_bundle(value) else 1):
            yield from spread(value, rank)


@lru_cache(maxsize=50_000)
def at_rank(term: Term, rank: int) -> Term:
    """The term with every bundle written out for `rank` axes."""
    if isinstance(term, Sym) and term.is_bundle:
        raise DefinitionError(f"{term} has one value per axis where one number is meant")
    if isinstance(term, Sym | Str | Function | sympy.Rational):
        return term
    if isinstance(term, Array):
        dims = [d for dim in term.dims for d in spread(dim, rank)]
        return term.with_shape(dims, [at_rank(e, rank) for e in term.span])
    if isinstance(term, AllAxes):
        return And(*(at_rank(copy_of(term.condition, a), rank) for a in range(1, rank + 1)))
    if isinstance(term, And):
        return And(*(c for a in term.args for c in conjuncts(at_rank(a, rank))))
    if isinstance(term, AxisProduct):
        if not is_bundle(term.inner):
            return at_rank(Mul(*[term.inner] * rank), rank)
        return Mul(*spread(term.inner, rank))
    if isinstance(term, Read):
        array = at_rank(term.array, rank)
        return term.func(array, *broadcast(term.index, term.array.dims, rank))
    if isinstance(term, Binder | Scatter):
        ranges = [r for triple in term.ranges for r in spread_range(triple, rank)]
        head = term.args[: len(term.args) - len(term.ranges)]
        if isinstance(term, Fold):
            states = [r for triple in term.states for r in spread_range(triple, rank)]
            return Fold(at_rank(term.body, rank), sympy.Tuple(*states), *ranges)
        if isinstance(term, Winner):
            *head, at = head
            places = broadcast(at, (symbol for symbol, _, _ in term.ranges), rank)
            return Winner(*(at_rank(h, rank) for h in head), sympy.Tuple(*places), *ranges)
        return node(term.func, *(at_rank(h, rank) for h in head), *ranges)
    if isinstance(term, sympy.Tuple):
        return sympy.Tuple(*(part for arg in term for part in spread(arg, rank)))
    return node(term.func, *(at_rank(a, rank) for a in term.args))


def spread_range(triple: Triple, rank: int) -> Iterator[Triple]:
    """A range (or a state) over bundles is one per axis."""
    if not triple[0].is_bundle:
        yield sympy.Tuple(*(at_rank(t, rank) for t in triple))
        return
    for axis in range(1, rank + 1):
        yield sympy.Tuple(*(at_rank(copy_of(t, axis), rank) for t in triple))
