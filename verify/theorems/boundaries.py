"""Where a term has a derivative by a cell: what its branches leave out. Trusted."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import sympy
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, bound_by, free, substitute, union
from gradproof.language.terms import Array, reads
from gradproof.theorems.definedness import EDGES, is_extremum, jumps, needs
from sympy.core.symbol import Str


def off_boundary(term: Any, cell: t.Read) -> Iterator[tuple[str, Any]]:
    """Where a term has a derivative by a cell: maxima have one place, no branch is on its edge.

    What is doubtful may leave out more than a boundary: points all around which sides are equal,
    or which something else decides.
    What the states of a loop decide is left to the words: it would take the loop to say it.
    """
    known = union(map(free, (term, cell, *cell.array.dims)))
    for kind, over, when, then in needs(term, (), (), lambda node: edges(node, cell)):
        whole = everywhere(t.Or(t.Not(t.And(*when)), then) if when else then, over)
        if not t.mentions(whole, t.Fold) and free(whole) <= known:
            yield kind, whole


def everywhere(condition: Any, ranges: tuple[Any, ...]) -> Any:
    return t.ForAll(condition, *ranges) if ranges else condition


def edges(term: Any, cell: t.Read) -> Iterator[tuple[str, Any]]:
    """Where a maximum has one place, and a comparison does not turn as the cell moves.

    Several places may read the same cells: they win, and move, as one.
    """
    if isinstance(term, t.Maximum | t.Winner | t.Unique) and reads(term, cell.array):
        unique = t.Unique(term.body, term.args[1], *term.ranges)
        most = 1 if isinstance(term, t.Maximum) else degree(term.body, cell.array)
        moves = (as_one if most <= 1 else staying)(unique, cell.array)
        yield EDGES[most > MOST_DERIVATIVES], t.Or(unique, moves)
    elif isinstance(term, t.Relation) and t.REAL in map(t.sort_of, term.args):
        left, right = term.args
        if any(reads(side, cell.array) for side in (left, right)):
            stay = always_equal(left, right, cell)
            is_sure = is_exact(left, right, cell) and not any(map(jumps, term.args))
            yield EDGES[not is_sure], t.Or(t.Ne(left, right), stay)
    elif isinstance(term, t.Bracket) and is_joint(term.args[0]):
        here, left, right = (beside(term.args[0], cell, way) for way in (0, -1, 1))
        if left is not None and right is not None:
            nowhere = (t.Not(c) for c in (here, left, right))
            yield "edge", t.Or(t.And(here, left, right), t.And(*nowhere))
    elif is_extremum(term):
        beaten = t.Gt if isinstance(term, t.Max) else t.Lt
        for n in range(1, len(term.args)):
            *before, own = term.args[:n]
            rest = term.args[n] if n + 1 == len(term.args) else term.func(*term.args[n:])
            lost = (beaten(e, term.func(own, rest)) for e in before)
            if any(reads(side, cell.array) for side in (own, rest)):
                alike = t.Eq(t.Slope(own, cell), t.Slope(rest, cell))
                yield "edge", t.Or(*lost, t.Ne(own, rest), alike)


def is_joint(condition: Any) -> bool:
    """Whether several comparisons decide it, of which one may decide for another."""
    return any(
        isinstance(u, t.Exists | t.ForAll)
        or (isinstance(u, t.And | t.Or) and sum(bool(t.arrays(a)) for a in u.args) > 1)
        for u in t.walk(condition)
    )


def beside(condition: Any, cell: t.Read, way: int) -> Any | None:
    """That a condition holds just beside a point, as the cell moves that way, if it can be said."""
    if way == 0 or not reads(condition, cell.array):
        return condition
    if isinstance(condition, t.Not | t.And | t.Or):
        parts = [beside(part, cell, way) for part in condition.args]
        return None if None in parts else condition.func(*parts)
    if isinstance(condition, t.Exists | t.ForAll):
        body = beside(condition.body, cell, way)
        ends_move = any(reads(r, cell.array) for r in condition.ranges)
        return None if body is None or ends_move else condition.func(body, *condition.ranges)
    if not isinstance(condition, t.Relation) or any(map(has_branches, condition.args)):
        return None
    left, right = condition.args
    return compared(condition, cell, way) if is_polynomial(left, right, cell.array) else None


def has_branches(term: Any) -> bool:
    kinds = t.If | t.Bracket | t.Maximum | t.Fold
    return any(isinstance(u, kinds) or is_extremum(u) for u in t.walk(term))


def compared(relation: Any, cell: t.Read, way: int) -> Any:
    """A comparison of polynomials just beside a point: by the first derivatives that differ."""
    kind, sides = type(relation), relation.args
    strict = {t.Le: t.Lt, t.Ge: t.Gt}.get(kind, kind)
    orders = [sides]
    for _ in range(int(max(degree(side, cell.array) for side in sides))):
        orders.append([t.Slope(side, cell) for side in orders[-1]])
    said = None
    for order, (left, right) in reversed([*enumerate(orders)]):
        pair = (right, left) if way**order < 0 else (left, right)
        if said is None:
            said = kind(*pair)
        elif kind is t.Eq:
            said = t.And(t.Eq(left, right), said)
        else:
            said = t.Or(strict(*pair), t.And(t.Eq(left, right), said))
    return said


MOST_DERIVATIVES = 6


def always_equal(left: Any, right: Any, cell: t.Read) -> Any:
    """That two equal sides stay so as the cell moves, the edges of their own branches aside.

    Polynomials do whose derivatives are equal, and a maximum if all parts do that have it; other
    terms if neither moves, or both are one.
    """
    if is_polynomial(left, right, cell.array):
        most = max(degree(side, cell.array) for side in (left, right))
        return equal_derivatives(left, right, cell, int(most))
    ways = [t.And(unmoved(left, cell), unmoved(right, cell)), of_same_cells(left, right)]
    for _, cases in by_parts(left, right, cell):
        said = ((t.Or(*lost, always_equal(*sides, cell)), ranges) for ranges, lost, sides in cases)
        ways.append(t.And(*(everywhere(*each) for each in said)))
    return t.Or(*ways)


def is_exact(left: Any, right: Any, cell: t.Read) -> bool:
    """Whether sides that stay equal are always said to, so that they are left out nowhere.

    Not if a part of a maximum may touch it at a point, and be less all around.
    """
    ways = (
        all(is_exact(*sides, cell) for _, _, sides in cases)
        for whole, cases in by_parts(left, right, cell)
        if not isinstance(whole, t.Max | t.Min | t.Maximum)
    )
    return any(ways) or is_polynomial(left, right, cell.array)


def is_polynomial(left: Any, right: Any, array: Array) -> bool:
    return max(degree(side, array) for side in (left, right)) <= MOST_DERIVATIVES


Case = tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, Any]]


def by_parts(left: Any, right: Any, cell: t.Read) -> Iterator[tuple[Any, tuple[Case, ...]]]:
    """What must stay equal for two sides to: the parts of either, at all places of some ranges.

    A part need not where it is lost: where the side does not have its value.
    """
    for one, other in ((left, right), (right, left)):
        if degree(one, cell.array) > MOST_DERIVATIVES and (
            cases := tuple(cases_of(one, other, cell))
        ):
            yield one, cases


def cases_of(term: Any, other: Any, cell: t.Read) -> Iterator[Case]:
    if isinstance(term, t.If):
        condition, then, otherwise = term.args
        yield (), (t.Not(condition),), (then, other)
        yield (), (condition,), (otherwise, other)
    elif is_extremum(term):
        yield from (((), (t.Ne(part, term),), (part, other)) for part in term.args)
    elif isinstance(term, t.Maximum):
        largest = substitute(term, {}, Fresh(term, other, cell))
        body, where, empty = largest.args[:3]
        yield largest.ranges, (t.Not(where), t.Ne(body, term)), (body, other)
        yield (), (t.Exists(where, *largest.ranges),), (empty, other)
    elif isinstance(term, t.Exp | t.Log) and type(other) is type(term):
        yield (), (), (term.args[0], other.args[0])
    elif isinstance(term, t.Div) and not t.guards_of(term):
        above, below = term.args
        over = (other,) if not isinstance(other, t.Div) or t.guards_of(other) else other.args
        yield (), (), (t.Mul(above, *over[1:]), t.Mul(below, over[0]))


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
    here, cell = substitute(unique, {}, fresh), some_cell(array, fresh)
    largest = t.Maximum(*unique.args[:2], 0, *unique.ranges)
    as_largest = t.Eq(t.Slope(here.body, cell), t.Slope(largest, cell))
    return t.ForAll(t.Or(t.Not(wins(unique, here)), as_largest), *here.ranges, *t.cells(cell))


def staying(unique: Any, array: Array) -> Any:
    """That all places which win stay equal, whichever cell moves."""
    fresh = Fresh(unique)
    here, there = (substitute(unique, {}, fresh) for _ in range(2))
    cell = some_cell(array, fresh)
    said = t.ForAll(always_equal(here.body, there.body, cell), *t.cells(cell))
    for one in (there, here):
        said = t.ForAll(t.Or(t.Not(wins(unique, one)), said), *one.ranges)
    return said


def some_cell(array: Array, fresh: Fresh) -> t.Read:
    return array[tuple(fresh(t.Sym("i", t.INT, t.is_bundle(d))) for d in array.dims)]


def wins(unique: Any, here: Any) -> Any:
    """That the body is largest at the places that another copy of the window binds."""
    places = sympy.Tuple(*(symbol for symbol, _, _ in here.ranges))
    return t.Winner(*unique.args[:2], Str("any"), places, *unique.ranges)
