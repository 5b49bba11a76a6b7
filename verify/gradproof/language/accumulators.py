"""Folds that add up: a state that every turn multiplies and adds to is a sum. Trusted.

No state may decide by what, or what is added.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from gradproof.language import terms as t
from gradproof.language.counting import as_count
from gradproof.language.substitution import Fresh, bound_by, free, substitute
from gradproof.language.terms import INT, REAL, Sym, Term, Triple, sort_of

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
KINDS = (t.Add, t.Mul, t.Div)


def summed(term: Term, fresh: Fresh, only_added: bool = False) -> Term:
    """The term with loops as the sums that they compute; maybe those alone that only add up.

    A product may forget where a branch turns: where derivatives are compared, it is no sum.
    """
    if not t.mentions(term, t.Fold):
        return term
    term = t.over_parts(term, lambda u: summed(u, fresh, only_added))
    if not isinstance(term, t.Fold):
        return t.over_parts(term, as_real) if computes_reals(term) else term
    sums = {state: total for state, total, adds in totals(term, fresh) if adds or not only_added}
    known = free(term.body) & bound_by(term) <= sums.keys()
    return substitute(term.body, sums, fresh) if known else term


def computes_reals(term: Term) -> bool:
    """Whether an integer that is a part of it counts as a real number."""
    if isinstance(term, t.Relation):
        return REAL in map(sort_of, term.args)
    is_value = isinstance(term, t.Term) and not isinstance(term, t.Read | t.Power)
    return is_value and sort_of(term) == REAL


def as_real(term: Term) -> Term:
    """An integer that is computed from counts, with the sums that they are."""
    if not isinstance(term, t.Term) or sort_of(term) != INT:
        return term
    if (counted := as_count(term)) is not None:
        return counted.total
    is_linear = isinstance(term, t.Add | t.Mul | t.Max | t.Min | t.If)
    return t.over_parts(term, as_real) if is_linear and t.mentions(term, t.Fold) else term


def totals(fold: t.Fold, fresh: Fresh) -> Iterator[tuple[Sym, Term, bool]]:
    """The states that are sums, which, and whether they only add up.

    Where every turn makes `a·s + b` of a state s, each b is multiplied by all later a; over several
    ranges where a is 1.
    """
    states = frozenset(state for state, _, _ in fold.states)
    for state, start, step in fold.states:
        found = factored(step, state, states) if state.sort == REAL else None
        if found is None:
            continue
        factor, part = found
        if factor == ONE:
            yield state, t.plus(start, t.Sum(part, *fold.ranges)), True
        elif len(fold.ranges) == 1 and not fold.ranges[0][0].is_bundle:
            (over,) = fold.ranges
            whole = times(start, t.Prod(factor, over))
            rest = t.Sum(times(part, after(factor, over, fresh)), over)
            yield state, whole if part == ZERO else t.plus(whole, rest), False


def after(factor: Term, over: Triple, fresh: Fresh) -> Term:
    """The product of the factors of all turns that come after one of them."""
    turn, _, last = over
    if turn not in free(factor):
        return t.Power(factor, t.plus(last, t.minus(turn)))
    later = fresh(turn)
    return t.Prod(substitute(factor, {turn: later}, fresh), (later, t.plus(turn, 1), last))


def added(step: Term, state: Sym, states: frozenset[Sym]) -> Term | None:
    """What a step adds to its state, if no state has a say in it."""
    found = factored(step, state, states)
    return found[1] if found is not None and found[0] == ONE else None


def factored(step: Term, state: Sym, states: frozenset[Sym]) -> tuple[Term, Term] | None:
    """What a step multiplies its state by and what it adds, if no state has a say in these."""
    if step is state:
        return ONE, ZERO
    if isinstance(step, t.If) and not free(step.condition) & states:
        then, otherwise = (factored(u, state, states) for u in (step.then, step.otherwise))
        if then is None or otherwise is None:
            return None
        return either(step, then[0], otherwise[0]), either(step, then[1], otherwise[1])
    moving = [a for a in step.args if free(a) & states] if isinstance(step, KINDS) else []
    found = factored(moving[0], state, states) if len(moving) == 1 else None
    if found is None or (isinstance(step, t.Div) and step.above is not moving[0]):
        return None
    factor, part = found
    others = [a for a in step.args if a is not moving[0]]
    if isinstance(step, t.Add):
        return factor, t.plus(part, *others)
    if isinstance(step, t.Div):
        return t.Div(factor, *others), t.Div(part, *others)
    return times(factor, *others), times(part, *others)


def times(*factors: Term) -> Term:
    kept = [a for a in factors if a != ONE]
    if ZERO in kept:
        return ZERO
    return kept[0] if len(kept) == 1 else t.Mul(*kept) if kept else ONE


def either(by: t.If, then: Term, otherwise: Term) -> Term:
    return then if then == otherwise else t.If(by.condition, then, otherwise)
