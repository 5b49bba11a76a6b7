"""Where derivatives by a cell are compared: everywhere but where a branch turns. Trusted.

A condition turns at a point if it differs just beside it, as the cell moves; a maximum if parts
that attain it differ in a derivative. Where that is not decided nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.core import in_two
from gradproof.language.functions import turning, turns_by_itself
from gradproof.language.largest import Largest, as_largest
from gradproof.language.substitution import Fresh, free, substitute, union
from gradproof.language.terms import REAL, Array, Term, Terms, reads, sort_of
from gradproof.theorems.boundary import (
    MOST_DERIVATIVES,
    Beside,
    Unsaid,
    degree_in,
    meetings,
    moves,
    turns,
)

SMOOTH = (t.Add, t.Exp, t.Log, t.Power, t.Apply)  # these turn nowhere themselves


def differentiable(term: Term, cell: t.Read) -> Iterator[Term]:
    """Where no branch of a term turns as the cell moves; what the states of loops decide aside."""
    known = union(map(free, (term, cell, *cell.array.dims)))
    for node, over, when in reached(term, cell.array, (), ()):
        for then in unturned(node, cell):
            said = t.Or(t.Not(t.And(*when)), then) if when else then
            whole = t.ForAll(said, *over) if over else said
            if free(whole) <= known and not t.mentions(whole, t.Fold):
                yield whole


def reached(
    term: Term, array: Array, over: Terms, when: Terms
) -> Iterator[tuple[Term, Terms, Terms]]:
    """The parts that make up the value of a term, each with the places where it does."""
    if reads(term, array):
        yield term, over, when
        for part, ranges, held in parts(term, array):
            yield from reached(part, array, (*over, *ranges), (*when, *held))


def parts(term: Term, array: Array) -> Iterator[tuple[Term, Terms, Terms]]:
    kept = as_largest(term)
    if kept is not None:
        yield t.Bracket(kept.where), kept.ranges, ()
        if jumps(kept.body, array):
            yield kept.body, kept.ranges, t.conjuncts(kept.where)
    elif isinstance(term, t.Fold) and sort_of(term) == t.INT:
        return
    elif isinstance(term, t.If):
        yield from ((c, (), ()) for c in t.conjuncts(term.condition) if is_whole(c))
        yield term.then, (), t.conjuncts(term.condition)
        yield term.otherwise, (), (t.Not(term.condition),)
    elif isinstance(term, t.Mul | t.Div | t.Bracket):
        guards = t.conjuncts(t.And(*t.guards_of(term)))
        yield from ((c, (), ()) for c in guards if is_whole(c))
        factors = (factor for factor in term.args if not isinstance(factor, t.Bracket))
        yield from ((u, (), guards) for u in factors if not isinstance(term, t.Bracket))
    elif isinstance(term, t.Max | t.Min):
        attained = t.Ge if isinstance(term, t.Max) else t.Le
        pair = (part for part in in_two(term) if not jumps(part, array))
        yield from ((part, (), (attained(part, term),)) for part in pair)
    elif isinstance(term, t.Maximum):
        if not jumps(term.body, array):
            yield term.body, term.ranges, (*t.conjuncts(term.where), t.Ge(term.body, term))
    elif isinstance(term, t.Sum | t.Prod):
        yield term.body, term.ranges, ()
    elif isinstance(term, t.Read):
        yield from ((e, (), ()) for e in term.index)
    elif isinstance(term, (*SMOOTH, t.Fold)) or sort_of(term) != REAL:
        yield from ((part, (), ()) for part in term.args if isinstance(part, t.Term))


def jumps(term: Term, array: Array) -> bool:
    """Whether the value may jump as a cell moves."""
    decides = (
        u.where if isinstance(u, t.Maximum) else u.condition
        for u in t.walk(term)
        if isinstance(u, t.If | t.Bracket | t.Maximum)
    )
    places = (e for u in t.walk(term) if isinstance(u, t.Read) for e in u.index)
    return any(reads(part, array) for part in (*decides, *places))


def is_whole(condition: Term) -> bool:
    """Whether integers decide it that loops compute: it turns where one of these does."""
    return t.mentions(condition, t.Fold) and compares_integers(condition)


def compares_integers(condition: Term) -> bool:
    if isinstance(condition, t.And | t.Or | t.Not):
        return all(map(compares_integers, condition.args))
    is_comparison = isinstance(condition, t.Relation | t.Divides)
    return is_comparison and REAL not in map(sort_of, condition.args)


def unturned(term: Term, cell: t.Read) -> Iterator[Term]:
    """That a node does not turn, its parts aside, if it can be said."""
    if isinstance(term, t.If):
        yield from stays(t.conjuncts(term.condition), cell)
    elif isinstance(term, t.Mul | t.Div | t.Bracket):
        yield from stays(t.conjuncts(t.And(*t.guards_of(term))), cell)
    elif isinstance(term, t.Max | t.Min):
        yield alike(*in_two(term), cell)
    elif isinstance(term, t.Apply) and not turns_by_itself(term):
        met = (m for u in turning(term) for m in meetings(u, frozenset({cell.array.name}), ()))
        yield from map(t.Not, met)
    elif isinstance(term, t.Maximum):
        unique = t.Unique(term.body, term.where, *term.ranges)
        yield t.Or(unique, as_one(unique, cell.array))
    elif (kept := as_largest(term)) is not None:
        unique = t.Unique(kept.body, kept.where, *kept.ranges)
        yield t.Or(unique, as_one(unique, cell.array), *same_at(kept))


def alike(left: Term, right: Term, cell: t.Read) -> Term:
    """That two values differ, or have equal derivatives."""
    return t.Or(t.Ne(left, right), t.Eq(t.Slope(left, cell), t.Slope(right, cell)))


def stays(conditions: Terms, cell: t.Read) -> Iterator[Term]:
    """That conditions hold together beside a point as they do there; lines turn if they cross."""
    moving = tuple(c for c in conditions if reads(c, cell.array) and not is_whole(c))
    still = (t.Not(c) for c in conditions if c not in moving)
    if len(moving) == 1 and is_linear(moving[0], cell.array):
        left, right = moving[0].args
        yield t.Or(*still, alike(left, right, cell))
    elif moving:
        whole = t.And(*moving)
        near = [beside(whole, cell, -1), whole, beside(whole, cell, 1)]
        if None not in near:
            yield t.Or(*still, t.And(*near), t.And(*map(t.Not, near)))


def is_linear(condition: Term, array: Array) -> bool:
    names = frozenset({array.name})
    is_comparison = isinstance(condition, t.Relation) and not turns(condition)
    return is_comparison and all(degree_in(side, names) <= 1 for side in condition.args)


def beside(condition: Term, cell: t.Read, way: int) -> Term | None:
    """That a condition holds just beside a point, as the cell moves that way, if it can be said."""
    names = frozenset({cell.array.name})
    compared = (u for u in t.walk(condition) if isinstance(u, t.Relation))
    degrees = (degree_in(side, names) for u in compared for side in u.args)
    ranges = (r for u in t.walk(condition) if isinstance(u, t.Binder) for r in u.ranges)
    if max(degrees, default=0) > MOST_DERIVATIVES or any(moves(r, names) for r in ranges):
        return None
    try:
        return Beside(names, ((cell, sympy.Integer(way)),)).condition(condition)
    except Unsaid:
        return None


def index_name(size: Term) -> str:
    """`iH` for an axis of H cells."""
    is_letter = isinstance(size, t.Sym) and len(size.name) == 1 and size.name.isupper()
    return f"i{size}" if is_letter else "i"


def as_one(unique: Term, array: Array) -> Term:
    """That all places which win move as one: by every cell as the maximum does."""
    fresh = Fresh(unique)
    here = substitute(unique, {}, fresh)
    cell = array[tuple(fresh(t.Sym(index_name(d), t.INT, t.is_bundle(d))) for d in array.dims)]
    places = sympy.Tuple(*(symbol for symbol, _, _ in here.ranges))
    wins = t.Winner(*unique.args[:2], Str("any"), places, *unique.ranges)
    largest = t.Maximum(*unique.args[:2], 0, *unique.ranges)
    as_largest = t.Eq(t.Slope(here.body, cell), t.Slope(largest, cell))
    return t.ForAll(t.Or(t.Not(wins), as_largest), *here.ranges, *t.cells(cell))


def same_at(kept: Largest) -> Iterator[Term]:
    """That one integer stands at all places that win; no question where each has its own."""
    symbols = {symbol for symbol, _, _ in kept.ranges}
    parts = kept.at.args if isinstance(kept.at, t.Add) else (kept.at,)
    moving = [part for part in parts if free(part) & symbols]
    if len(symbols) == 1 and moving == [*symbols]:
        return
    fresh = Fresh(kept.at, kept.body, *kept.ranges)
    (here, wins, first), (there, ties, second) = (with_names(kept, fresh) for _ in range(2))
    said = t.Or(t.Not(wins), t.Not(ties), t.Eq(first, second))
    yield t.ForAll(said, *here, *there)


def with_names(kept: Largest, fresh: Fresh) -> tuple[Terms, Term, Term]:
    """Ranges for a place, that it wins, and what stands there."""
    names = {symbol: fresh(symbol) for symbol, _, _ in kept.ranges}
    over = (sympy.Tuple(*(substitute(u, names, fresh) for u in r)) for r in kept.ranges)
    places = sympy.Tuple(*names.values())
    wins = t.Winner(kept.body, kept.where, Str("any"), places, *kept.ranges)
    return tuple(over), wins, substitute(kept.at, names, fresh)
