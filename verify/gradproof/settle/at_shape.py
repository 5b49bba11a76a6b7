"""Whether a theorem holds at one shape for all values, asked of the solver at once. Untrusted.

At a shape, every loop and window has so many places: written out they are sums, choices and
conditions of cells, about which a single question says more than a proof for all sizes would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import sympy

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS, Undecided, Undefined
from gradproof.language import terms as t
from gradproof.language.core import guarded
from gradproof.language.substitution import BINDERS
from gradproof.language.terms import REAL, Sym, Term, sort_of
from gradproof.prove.rules.smt import NotLowered
from gradproof.prove.tactics.asking import answer, context
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.statuses import Status

Values = Mapping[Sym, Term]  # of sizes, places and states
TRUE, FALSE = t.And(), t.Or()
MOST_TURNS = 6  # of one window or loop; what is written out doubles with each
MOST_PLACES = 50  # of one sequent


def is_shown_at(theorem: Theorem, sizes: Values, rlimit: int) -> bool:
    """Whether the solver says so of each place; not if something cannot be written out."""
    try:
        return all(is_shown(theorem, s, sizes, rlimit) for s in theorem.sequents)
    except NotLowered:
        return False


def is_shown(theorem: Theorem, sequent: Sequent, sizes: Values, rlimit: int) -> bool:
    if sequent.where:
        raise NotLowered("equations that are not in their place")
    for place in places(sequent.over, sizes, MOST_PLACES):
        when = both(written(c, place) for c in (*theorem.given, *sequent.when))
        then = TRUE if when is FALSE else written(sequent.then, place)
        known = context((when,), False, (then,), rlimit)
        if then is not TRUE and answer(known, then, (), rlimit).status != Status.PROVED:
            return False
    return True


def places(ranges: Iterable[Any], values: Values, most: int = MOST_TURNS) -> list[Values]:
    """The values at each place, loops in their order."""
    found = [*islice(turns(tuple(ranges), values), most + 1)]
    if len(found) > most:
        raise NotLowered(f"more than {most} places")
    return found


def turns(ranges: tuple[Any, ...], values: Values) -> Iterator[Values]:
    if not ranges:
        yield values
        return
    (symbol, first, last), *rest = ranges
    for turn in range(whole(first, values), whole(last, values) + 1):
        yield from turns(tuple(rest), {**values, symbol: sympy.Integer(turn)})


def whole(term: Term, values: Values) -> int:
    found = written(term, values)
    if not isinstance(found, sympy.Integer):
        raise NotLowered(f"{term} is not known by the sizes alone")
    return int(found)


def written(term: Term, values: Values) -> Term:
    """The term with values in place of symbols; what these decide is decided."""
    if isinstance(term, Sym):
        return values.get(term, term)
    if isinstance(term, t.LEAVES):
        return term
    if isinstance(term, BINDERS):
        return OUT.get(type(term), refused)(term, values)
    if isinstance(term, t.PaddedRead):
        return written(guarded(term), values)
    if isinstance(term, t.And | t.Or):
        parts = (written(a, values) for a in term.args)
        return both(parts) if isinstance(term, t.And) else either(parts)
    if isinstance(term, t.If):
        condition, then, otherwise = term.args
        decided = written(condition, values)
        if decided in (TRUE, FALSE):
            return written(then if decided is TRUE else otherwise, values)
    return decided_in(t.rebuild(term, [written(a, values) for a in term.args]))


def decided_in(term: Term) -> Term:
    """A number or a truth value for what has no symbol and no cell."""
    closed = isinstance(term, Term) and all(
        isinstance(a, sympy.Rational) or a in (TRUE, FALSE) for a in term.args
    )
    if not closed or sort_of(term) == REAL:
        return term
    try:
        found = Evaluator(RATIONALS, {}).value(term, {})
    except (Undefined, Undecided):
        return term
    return (TRUE if found else FALSE) if sort_of(term) == t.BOOL else sympy.Integer(found)


def both(parts: Iterable[Term]) -> Term:
    """A conjunction, up to the first part that does not hold."""
    kept = []
    for part in parts:
        if part is FALSE:
            return FALSE
        kept.append(part)
    return t.And(*kept)


def either(parts: Iterable[Term]) -> Term:
    kept = []
    for part in parts:
        if part is TRUE:
            return TRUE
        kept += [] if part is FALSE else [part]
    return kept[0] if len(kept) == 1 else t.Or(*kept)


def choice(condition: Term, then: Term, otherwise: Term) -> Term:
    return then if condition is TRUE else t.If(condition, then, otherwise)


def bodies(term: Term, values: Values) -> Iterator[Term]:
    return (written(term.body, place) for place in places(term.ranges, values))


def maximum(term: Term, values: Values) -> Term:
    """By the loop that computes it: the first place that counts, then each that is larger."""
    best, some = written(term.empty, values), FALSE
    for place in places(term.ranges, values):
        counts = written(term.where, place)
        if counts is not FALSE:
            value = written(term.body, place)
            larger = either((decided_in(t.Not(some)), t.relation(t.Lt, best, value)))
            best = choice(both((counts, larger)), value, best)
            some = either((some, counts))
    return best


def loop(term: Term, values: Values) -> Term:
    states = {state: written(start, values) for state, start, _ in term.states}
    for place in places(term.ranges, values):
        now = {**place, **states}
        states = {state: written(step, now) for state, _, step in term.states}
    return written(term.body, {**values, **states})


def product(term: Term, values: Values) -> Term:
    factors = [*bodies(term, values)]
    return factors[0] if len(factors) == 1 else t.Mul(1, *factors)


def refused(term: Term, values: Values) -> Term:
    raise NotLowered(f"{term} is not written out")


OUT: dict[type, Callable[[Term, Values], Term]] = {
    t.Sum: lambda term, values: t.plus(0, *bodies(term, values)),
    t.Prod: product,
    t.Maximum: maximum,
    t.Fold: loop,
    t.Exists: lambda term, values: either(bodies(term, values)),
    t.ForAll: lambda term, values: both(bodies(term, values)),
}
