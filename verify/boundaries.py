"""Where a term has a derivative by a cell: what its branches leave out. Trusted."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import sympy
from sympy.core.symbol import Str

from verify import terms as t
from verify.needs import is_extremum, needs
from verify.substitution import Fresh, bound_by, free, substitute, union
from verify.terms import Array, reads


def off_boundary(term: Any, cell: t.Read) -> Iterator[Any]:
    """Where a term has a derivative by a cell: maxima have one place, no branch is on its edge.

    What the states of a loop decide is left to the words: it would take the loop to say it.
    """
    known = union(map(free, (term, cell, *cell.array.dims)))
    for _, over, when, then in needs(term, (), (), lambda node: edges(node, cell)):
        said = t.Or(t.Not(t.And(*when)), then) if when else then
        whole = t.ForAll(said, *over) if over else said
        if not t.mentions(whole, t.Fold) and free(whole) <= known:
            yield whole


def edges(term: Any, cell: t.Read) -> Iterator[tuple[str, Any]]:
    """Where a maximum has one place, and a comparison does not turn as the cell moves.

    Several places may read the same cells: they win, and move, as one.
    """
    if isinstance(term, t.Maximum | t.Winner | t.Unique) and reads(term, cell.array):
        unique = t.Unique(term.body, term.args[1], *term.ranges)
        smooth = isinstance(term, t.Maximum) or degree(term.body, cell.array) <= 1
        yield "edge", t.Or(unique, as_one(unique, cell.array) if smooth else read_alike(unique))
    elif isinstance(term, t.Relation) and t.REAL in map(t.sort_of, term.args):
        left, right = term.args
        if any(reads(side, cell.array) for side in (left, right)):
            yield "edge", t.Or(t.Ne(left, right), always_equal(left, right, cell))
    elif is_extremum(term):
        beaten = t.Gt if isinstance(term, t.Max) else t.Lt
        for n in range(1, len(term.args)):
            *before, own = term.args[:n]
            rest = term.args[n] if n + 1 == len(term.args) else term.func(*term.args[n:])
            lost = (beaten(e, term.func(own, rest)) for e in before)
            if any(reads(side, cell.array) for side in (own, rest)):
                alike = t.Eq(t.Slope(own, cell), t.Slope(rest, cell))
                yield "edge", t.Or(*lost, t.Ne(own, rest), alike)


MOST_DERIVATIVES = 6


def always_equal(left: Any, right: Any, cell: t.Read) -> Any:
    """That two equal sides stay so as the cell moves, the edges of their own branches aside.

    Polynomials do whose derivatives are equal, and a maximum if all parts do that have it; other
    terms if neither moves, or both are one.
    """
    most = max(degree(side, cell.array) for side in (left, right))
    if most <= MOST_DERIVATIVES:
        return equal_derivatives(left, right, cell, int(most))
    ways = [t.And(unmoved(left, cell), unmoved(right, cell)), of_same_cells(left, right)]
    for one, other in ((left, right), (right, left)):
        if degree(one, cell.array) > MOST_DERIVATIVES:
            parts = list(parts_equal(one, other, cell))
            ways += [t.And(*parts)] if parts else []
    return t.Or(*ways)


def parts_equal(term: Any, other: Any, cell: t.Read) -> Iterator[Any]:
    """That the parts which have the value of a term stay equal to another term."""
    if isinstance(term, t.If):
        condition, then, otherwise = term.args
        yield t.Or(t.Not(condition), always_equal(then, other, cell))
        yield t.Or(condition, always_equal(otherwise, other, cell))
    elif is_extremum(term):
        for part in term.args:
            yield t.Or(t.Ne(part, term), always_equal(part, other, cell))
    elif isinstance(term, t.Maximum):
        largest = substitute(term, {}, Fresh(term, other, cell))
        body, where, empty = largest.args[:3]
        lost = t.Or(t.Not(where), t.Ne(body, term), always_equal(body, other, cell))
        yield t.ForAll(lost, *largest.ranges)
        yield t.Or(t.Exists(where, *largest.ranges), always_equal(empty, other, cell))
    elif isinstance(term, t.Div) and not t.guards_of(term):
        above, below = term.args
        over = (other,) if not isinstance(other, t.Div) or t.guards_of(other) else other.args
        yield always_equal(t.Mul(above, *over[1:]), t.Mul(below, over[0]), cell)


def equal_derivatives(left: Any, right: Any, cell: t.Read, most: int) -> Any:
    said = []
    for _ in range(most):
        left, right = t.Slope(left, cell), t.Slope(right, cell)
        said.append(t.Eq(left, right))
    return said[0] if len(said) == 1 else t.And(*said)


def unmoved(term: Any, cell: t.Read) -> Any:
    """That a term does not change as the cell moves, the edges of its branches aside."""
    most = degree(term, cell.array)
    if most <= MOST_DERIVATIVES:
        return equal_derivatives(term, sympy.Integer(0), cell, int(most))
    if isinstance(term, t.If):
        condition, then, otherwise = term.args
        taken = t.Or(t.Not(condition), unmoved(then, cell))
        return t.And(taken, t.Or(condition, unmoved(otherwise, cell)))
    if is_extremum(term):
        return t.And(*(t.Or(t.Ne(a, term), unmoved(a, cell)) for a in term.args))
    if isinstance(term, t.Sum | t.Prod):
        return t.ForAll(unmoved(term.body, cell), *term.ranges)
    if isinstance(term, t.Add | t.Mul | t.Div | t.Exp | t.Log):
        parts = t.And(*(unmoved(a, cell) for a in term.args))
        return t.Or(*(t.Not(guard) for guard in t.guards_of(term)), parts)
    return t.Or()


def of_same_cells(left: Any, right: Any) -> Any:
    """That two terms are one and the same but for integers, and that those are equal."""
    if left == right:
        return t.And()
    if all(isinstance(u, t.Term | sympy.Integer) and t.sort_of(u) == t.INT for u in (left, right)):
        return t.Or() if t.arrays(left) or t.arrays(right) else t.Eq(left, right)
    if type(left) is not type(right) or isinstance(left, t.LEAVES):
        return t.Or()
    if len(left.args) != len(right.args):
        return t.Or()
    said = t.And(*(of_same_cells(*pair) for pair in zip(left.args, right.args, strict=True)))
    return t.Or() if free(said) & bound_by(left) else said


def degree(term: Any, array: Array) -> float:
    """The degree in a cell of what a term is between the edges of its branches, or more.

    Where two parts of a maximum meet, only those of degree 1 are known to stay together.
    """
    if not isinstance(term, t.Term) or not reads(term, array) or isinstance(term, t.Bracket):
        return 0
    if isinstance(term, t.Read):
        return inf if any(reads(e, array) for e in term.index) else 1
    if isinstance(term, t.Mul):
        return sum(degree(a, array) for a in term.args)
    if isinstance(term, t.Div) and reads(term.args[1], array):
        return inf
    if isinstance(term, t.Binder) and any(reads(r, array) for r in term.ranges):
        return inf
    parts = PARTS.get(type(term))
    most = inf if parts is None else max(degree(a, array) for a in term.args[parts])
    return most if most <= 1 or not isinstance(term, t.Max | t.Min | t.Maximum) else inf


PARTS = {
    t.Add: slice(None),
    t.Div: slice(1),
    t.If: slice(1, 3),
    t.Max: slice(None),
    t.Min: slice(None),
    t.Sum: slice(1),
    t.Maximum: slice(0, 3, 2),
}  # those of which a term takes the values


def as_one(unique: Any, array: Array) -> Any:
    """That all places which win move as one: by every cell as the maximum does."""
    fresh = Fresh(unique)
    here = substitute(unique, {}, fresh)
    cell = array[tuple(fresh(t.Sym("i", t.INT, t.is_bundle(d))) for d in array.dims)]
    largest = t.Maximum(*unique.args[:2], 0, *unique.ranges)
    as_largest = t.Eq(t.Slope(here.body, cell), t.Slope(largest, cell))
    return t.ForAll(t.Or(t.Not(wins(unique, here)), as_largest), *here.ranges, *t.cells(cell))


def read_alike(unique: Any) -> Any:
    """That all places which win read the same cells in the same way, so that they stay equal."""
    fresh = Fresh(unique)
    here, there = (substitute(unique, {}, fresh) for _ in range(2))
    lost = (t.Not(wins(unique, u)) for u in (here, there))
    same = of_same_cells(here.body, there.body)
    return t.ForAll(t.Or(*lost, same), *here.ranges, *there.ranges)


def wins(unique: Any, here: Any) -> Any:
    """That the body is largest at the places that another copy of the window binds."""
    places = sympy.Tuple(*(symbol for symbol, _, _ in here.ranges))
    return t.Winner(*unique.args[:2], Str("any"), places, *unique.ranges)
