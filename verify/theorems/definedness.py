"""What the parts of a term need where they are reached: a value, or a derivative. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import sympy
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Array
from sympy.core.symbol import Str

Need = tuple[str, tuple[Any, ...], tuple[Any, ...], Any]
Own = Callable[[Any], Iterator[tuple[str, Any]]]  # what a node needs, its parts aside
EDGES = ("edge", "doubtful")  # of what needs a derivative; all other kinds need a value


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
        yield from needs_of_condition(condition, over, when, own)
        yield from needs(then, over, (*when, *t.conjuncts(condition)), own)
        yield from needs(otherwise, over, (*when, t.Not(condition)), own)
    else:
        if isinstance(term, t.Binder):
            yield from needs_of_binder(term, over, when, own)
        else:
            for arg in term.args:
                yield from where_it_counts(needs(arg, over, when, own), arg, term)
        yield from ((kind, over, when, then) for kind, then in own(term))


def needs_of_condition(
    condition: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own
) -> Iterator[Need]:
    """What a condition that decides needs: its parts, and that it does not turn."""
    yield from needs(condition, over, when, own)
    yield from ((kind, over, when, then) for kind, then in own(t.Bracket(condition)))


def needs_of_ranges(ranges: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own) -> Any:
    for symbol, first, last in ranges:
        for end in (first, last):
            yield from doubted(needs(end, over, when, own))
        over = (*over, sympy.Tuple(symbol, first, last))
    return over


def doubted(found: Iterator[Need]) -> Iterator[Need]:
    """With edges of which it is not known whether the whole turns there."""
    for kind, over, when, then in found:
        yield "doubtful" if kind in EDGES else kind, over, when, then


def needs_of_product(
    term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own
) -> Iterator[Need]:
    """Brackets are strong zeros: what they multiply is only asked where they hold."""
    guards = t.And(*t.guards_of(term))
    yield from needs_of_condition(guards, over, when, own)
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
        yield from doubted(needs_of_condition(where, inner, when, own))
        found = needs(body, inner, (*when, *t.conjuncts(where)), own)
        yield from where_it_counts(found, body, term)
        if isinstance(term, t.Maximum):
            is_empty = t.Not(t.Exists(where, *term.ranges))
            yield from needs(term.args[2], over, (*when, is_empty), own)
        for place in term.args[3] if isinstance(term, t.Winner) else ():
            yield from doubted(needs(place, over, when, own))
    elif isinstance(term, t.Fold):
        steps = {state: (start, step) for state, start, step in term.args[1]}
        used = reaching(term.body, steps) if term.body in steps else ()
        now = before_turn(term)
        for state, (start, step) in steps.items():
            reach = state in used, state is term.body and carries(step, state)
            yield from of_state(needs(start, over, when, own), *reach)
            for kind, places, held, then in of_state(needs(step, inner, when, own), *reach):
                if now is None and kind not in EDGES:  # more is asked, which only a proof may do
                    held = tuple(c for c in held if not free(c) & steps.keys())
                yield with_states((kind, places, held, then), now or {})
        if term.body in steps:
            return
        final = {s: t.Fold(s, term.args[1], *term.ranges) for s in steps}
        yield from needs(substitute(term.body, final, Fresh(term)), over, when, own)
    else:
        yield from where_it_counts(needs(term.body, inner, when, own), term.body, term)


def of_state(found: Iterator[Need], is_used: bool, is_carried: bool) -> Iterator[Need]:
    """What a state needs: a derivative if the result may have one by it, surely if it has."""
    for need in found if is_carried else doubted(found):
        if is_used or need[0] not in EDGES:
            yield need


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


def carries(term: Any, state: Any) -> bool:
    """Whether the value of a state is part of a term, whatever is decided in it."""
    if isinstance(term, t.If):
        return all(carries(branch, state) for branch in term.args[1:])
    if isinstance(term, t.Add | t.Mul | t.Div | t.Exp | t.Log) and not t.guards_of(term):
        return any(carries(part, state) for part in term.args)
    return term is state


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
        if kind in EDGES:
            kind = kind if surely_counts(part, whole) else "doubtful"
            when = when if jumps(part) else (*when, *counts(part, whole))
        yield kind, over, when, then


def surely_counts(part: Any, whole: Any) -> bool:
    """Whether the edges of a part are those of the whole where they count.

    What is joined, or over a range, is asked as a whole by whom it decides.
    """
    if isinstance(whole, t.And | t.Or):
        return not any(t.arrays(other) for other in whole.args if other != part)
    if isinstance(whole, t.Exists | t.ForAll):
        return False
    selects = t.sort_of(whole) == t.BOOL or isinstance(whole, t.Maximum) or is_extremum(whole)
    return not (selects and jumps(part))


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


def is_extremum(term: Any) -> bool:
    return isinstance(term, t.Min | t.Max) and t.sort_of(term) == t.REAL


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
    if not t.arrays(condition):
        return condition if holds else t.Not(condition)
    if isinstance(condition, t.Relation) and t.REAL in map(t.sort_of, condition.args):
        if any(jumps(side) or is_partial(side) for side in condition.args):
            return t.And()
        kind = type(condition) if holds else OPPOSITE[type(condition)]
        return t.And() if kind is t.Ne else WITH_EDGE.get(kind, kind)(*condition.args)
    return t.And()


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
