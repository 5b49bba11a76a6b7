"""What the parts of a term need where they are reached: a value, or a derivative. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import sympy
from sympy.core.symbol import Str

from verify import terms as t
from verify.substitution import Fresh, bound_by, free, substitute, union
from verify.terms import Array, reads

Need = tuple[str, tuple[Any, ...], tuple[Any, ...], Any]
Own = Callable[[Any], Iterator[tuple[str, Any]]]  # what a node needs, its parts aside


def needs(term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own) -> Iterator[Need]:
    """What the nodes of a term need, each with the places where it is reached."""
    if isinstance(term, t.Sym | Str | sympy.Rational | Array):
        return
    if isinstance(term, t.Mul | t.Div | t.Bracket):
        yield from needs_of_product(term, over, when, own)
    elif isinstance(term, t.And | t.Or):
        for arg in term.args:
            yield from where_it_counts(needs(arg, over, when, own), arg, term)
            when = (*when, *(t.conjuncts(arg) if isinstance(term, t.And) else (t.Not(arg),)))
    elif isinstance(term, t.If):
        condition, then, otherwise = term.args
        yield from needs(condition, over, when, own)
        yield from needs(then, over, (*when, *t.conjuncts(condition)), own)
        yield from needs(otherwise, over, (*when, t.Not(condition)), own)
    else:
        if isinstance(term, t.Binder):
            yield from needs_of_binder(term, over, when, own)
        else:
            for arg in term.args:
                yield from where_it_counts(needs(arg, over, when, own), arg, term)
        yield from ((kind, over, when, then) for kind, then in own(term))


def needs_of_ranges(ranges: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own) -> Any:
    for symbol, first, last in ranges:
        yield from needs(first, over, when, own)
        yield from needs(last, over, when, own)
        over = (*over, sympy.Tuple(symbol, first, last))
    return over


def needs_of_product(
    term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own
) -> Iterator[Need]:
    """Brackets are strong zeros: what they multiply is only asked where they hold."""
    guards = t.And(*t.guards_of(term))
    yield from needs(guards, over, when, own)
    yield from needs_of_factors(term, over, (*when, *t.conjuncts(guards)), own)


def needs_of_factors(
    term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own
) -> Iterator[Need]:
    if isinstance(term, t.Mul | t.Div):
        for arg in term.args:
            is_divisor = isinstance(term, t.Div) and arg is term.args[1]
            visit = needs if is_divisor else needs_of_factors
            yield from visit(arg, over, when, own)
        yield from ((kind, over, when, then) for kind, then in own(term))
    elif not isinstance(term, t.Bracket):
        yield from needs(term, over, when, own)


def needs_of_binder(
    term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own
) -> Iterator[Need]:
    inner = yield from needs_of_ranges(term.ranges, over, when, own)
    if isinstance(term, t.Maximum | t.Winner | t.Unique):
        body, where = term.args[:2]
        yield from needs(where, inner, when, own)
        found = needs(body, inner, (*when, *t.conjuncts(where)), own)
        yield from where_it_counts(found, body, term)
        for part in term.args[2 : term.parts]:
            yield from needs(part, over, when, own)
    elif isinstance(term, t.Fold):
        steps = {state: (start, step) for state, start, step in term.args[1]}
        used = {s for state in free(term.body) if state in steps for s in reaching(state, steps)}
        now = before_turn(term)
        for state, (start, step) in steps.items():
            yield from (n for n in needs(start, over, when, own) if n[0] != "edge" or state in used)
            for kind, places, held, then in needs(step, inner, when, own):
                if kind == "edge" and state not in used:
                    continue
                if now is None and kind != "edge":  # more is asked, which only a proof may do
                    held = tuple(c for c in held if not free(c) & steps.keys())
                yield with_states((kind, places, held, then), now or {})
        if term.body in steps:
            return
        final = {s: t.Fold(s, term.args[1], *term.ranges) for s in steps}
        yield from needs(substitute(term.body, final, Fresh(term)), over, when, own)
    else:
        yield from where_it_counts(needs(term.body, inner, when, own), term.body, term)


def with_states(need: Need, values: dict[Any, Any]) -> Need:
    kind, places, held, then = need
    fresh = Fresh(*(end for place in places for end in place), *held, then, *values.values())

    def put(term: Any) -> Any:
        return substitute(term, values, fresh)

    over = tuple(sympy.Tuple(symbol, *map(put, ends)) for symbol, *ends in places)
    return kind, over, tuple(map(put, held)), put(then)


def before_turn(loop: Any) -> dict[Any, Any] | None:
    """What the states are when the loop comes to a place: what the turns before it made of them.

    The turns of loops over axes have no order that can be said for every rank.
    """
    if any(symbol.is_bundle for symbol, _, _ in loop.ranges):
        return None
    other = substitute(loop, {}, Fresh(loop))
    turn = before(other, loop)
    steps = {state: (start, guarded(turn, step, state)) for state, start, step in other.args[1]}
    found = {}
    for now, own in zip(loop.args[1], other.args[1], strict=True):
        triples = (sympy.Tuple(s, *steps[s]) for s in steps if s in reaching(own[0], steps))
        found[now[0]] = t.Fold(own[0], sympy.Tuple(*triples), *other.ranges)
    return found


def before(other: Any, binder: Any) -> Any:
    """That a place of the one comes before a place of the other, in the order of loops."""
    pairs = [(own[0], now[0]) for own, now in zip(other.ranges, binder.ranges, strict=True)]
    sooner = [
        t.And(*(t.Eq(*p) for p in pairs[:n]), t.relation(t.Lt, *pairs[n]))
        for n in range(len(pairs))
    ]
    return sooner[0] if len(sooner) == 1 else t.Or(*sooner)


def reaching(state: Any, steps: dict[Any, Any]) -> set[Any]:
    """The states that a state is computed from, itself included."""
    found, new = {state}, {state}
    while new:
        new = {s for n in new for s in free(steps[n][1]) if s in steps} - found
        found |= new
    return found


def guarded(condition: Any, step: Any, state: Any) -> Any:
    """The step where the condition holds; else the state stays as it is."""
    if isinstance(step, t.If) and step.args[2] is state:
        return t.If(t.And(condition, step.args[0]), *step.args[1:])
    return t.If(condition, step, state)


def where_it_counts(found: Iterator[Need], part: Any, whole: Any) -> Iterator[Need]:
    """What a part needs: a value always, a derivative only where the whole may turn on it.

    Which place wins turns where two are equal, and nowhere else, if no value jumps.
    """
    for kind, over, when, then in found:
        if kind != "edge" or jumps(part):
            yield kind, over, when, then
        else:
            yield kind, over, (*when, *counts(part, whole)), then


@t.remembered
def jumps(term: Any) -> bool:
    """Whether the value may jump as a cell moves, that of a loop by its states."""
    if t.sort_of(term) == t.BOOL:
        return False
    branches = [u.args[0] for u in t.walk(term) if isinstance(u, t.If | t.Bracket)]
    windows = [u.args[1] for u in t.walk(term) if isinstance(u, t.Maximum | t.Winner)]
    in_loop = bool(branches or windows) and t.mentions(term, t.Fold)
    return in_loop or any(map(t.arrays, (*branches, *windows)))


def counts(part: Any, whole: Any) -> Iterator[Any]:
    """Where the edges of a part may be those of the whole."""
    if isinstance(whole, t.Maximum) or is_extremum(whole):
        yield (t.Le if isinstance(whole, t.Min) else t.Ge)(part, whole)
    elif isinstance(whole, t.Winner | t.Unique):
        body, where = whole.args[:2]
        yield t.Not(t.Unique(body, where, *whole.ranges))
        yield t.Ge(part, t.Maximum(body, where, 0, *whole.ranges))
    elif isinstance(whole, t.Relation) and t.REAL in map(t.sort_of, whole.args):
        yield t.Eq(*whole.args)
    elif isinstance(whole, t.And | t.Or):
        for other in whole.args:
            if other != part:
                yield nearly(other, isinstance(whole, t.And))
    elif isinstance(whole, t.Exists | t.ForAll):
        other = substitute(whole, {}, Fresh(whole))
        pairs = zip(other.ranges, whole.ranges, strict=True)
        here = t.And(*(t.Eq(u[0], v[0]) for u, v in pairs))
        open_yet = nearly(other.body, isinstance(whole, t.ForAll))
        yield t.ForAll(t.Or(here, open_yet), *other.ranges)


@t.remembered
def is_partial(term: Any) -> bool:
    """Whether it may have no value at some cells."""
    return any(t.arrays(u.args[-1]) for u in t.walk(term) if isinstance(u, t.Div | t.Log))


OPPOSITE = {t.Lt: t.Ge, t.Ge: t.Lt, t.Gt: t.Le, t.Le: t.Gt, t.Eq: t.Ne, t.Ne: t.Eq}
WITH_EDGE = {t.Lt: t.Le, t.Gt: t.Ge}


def nearly(condition: Any, holds: bool) -> Any:
    """Where a condition holds, or does not, however little the cells are moved; or more."""
    if isinstance(condition, t.Not):
        return nearly(condition.args[0], not holds)
    if isinstance(condition, t.And | t.Or):
        joined = t.And if isinstance(condition, t.And) == holds else t.Or
        return joined(*(nearly(part, holds) for part in condition.args))
    if isinstance(condition, t.Relation) and t.REAL in map(t.sort_of, condition.args):
        if any(jumps(side) or is_partial(side) for side in condition.args):
            return t.And()
        kind = type(condition) if holds else OPPOSITE[type(condition)]
        return t.And() if kind is t.Ne else WITH_EDGE.get(kind, kind)(*condition.args)
    if t.arrays(condition):
        return t.And()
    return condition if holds else t.Not(condition)


# To have a value.


def defined(term: Any) -> Iterator[tuple[str, Any]]:
    """What a node needs to have a value."""
    if isinstance(term, t.FloorDiv | t.CeilDiv | t.Mod):
        yield "defined", t.relation(t.Ge, term.args[1], 1)
    elif isinstance(term, t.TruncDiv | t.TruncMod):
        yield "defined", t.Ne(term.args[1], 0)
    elif isinstance(term, t.Divides):
        yield "defined", t.Ne(term.args[0], 0)
    elif isinstance(term, t.Div):
        yield from (("defined", then) for then in nonzero(term.args[1]))
    elif isinstance(term, t.Log):
        yield "defined", t.relation(t.Gt, term.args[0], 0)
    elif isinstance(term, t.Read) and not isinstance(term, t.PaddedRead):
        yield "in bounds", t.inside(term.index, term.array.dims)


def nonzero(divisor: Any) -> Iterator[Any]:
    """A product is not zero if no factor is."""
    if isinstance(divisor, t.Mul):
        for factor in divisor.args:
            yield from nonzero(factor)
    else:
        yield t.Ne(divisor.args[0] if isinstance(divisor, t.AxisProduct) else divisor, 0)


# To have a derivative.


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
        yield "edge", t.Or(unique, as_one(unique, cell.array)) if smooth else unique
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
    body, where = unique.args[:2]
    here = substitute(unique, {}, fresh)
    cell = array[tuple(fresh(t.Sym("i", t.INT, t.is_bundle(d))) for d in array.dims)]
    places = sympy.Tuple(*(symbol for symbol, _, _ in here.ranges))
    wins = t.Winner(body, where, Str("any"), places, *unique.ranges)
    largest = t.Maximum(body, where, 0, *unique.ranges)
    alike = t.Eq(t.Slope(here.body, cell), t.Slope(largest, cell))
    return t.ForAll(t.Or(t.Not(wins), alike), *here.ranges, *t.cells(cell))


def is_extremum(term: Any) -> bool:
    return isinstance(term, t.Min | t.Max) and t.sort_of(term) == t.REAL
