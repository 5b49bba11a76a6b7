"""Folds that add up: a state to which every turn adds what no state decides is a sum. Trusted."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, bound_by, free, substitute
from gradproof.language.terms import REAL, Sym, Term


def summed(term: Term, fresh: Fresh) -> Term:
    """The term with every loop that only adds up as the sums that it computes."""
    if not t.mentions(term, t.Fold):
        return term
    term = t.over_parts(term, lambda u: summed(u, fresh))
    if not isinstance(term, t.Fold):
        return term
    sums = dict(totals(term))
    known = free(term.body) & bound_by(term) <= sums.keys()
    return substitute(term.body, sums, fresh) if known else term


def totals(fold: t.Fold) -> Iterator[tuple[Sym, Term]]:
    """The states that are sums, and which: of any number of turns, in whatever order."""
    states = frozenset(state for state, _, _ in fold.states)
    for state, start, step in fold.states:
        part = added(step, state, states)
        if state.sort == REAL and part is not None:
            yield state, t.plus(start, t.Sum(part, *fold.ranges))


def added(step: Term, state: Sym, states: frozenset[Sym]) -> Term | None:
    """What a step adds to its state, if no state has a say in it."""
    if step is state:
        return sympy.Integer(0)
    if isinstance(step, t.If) and not free(step.condition) & states:
        parts = [added(branch, state, states) for branch in (step.then, step.otherwise)]
        return None if None in parts else t.If(step.condition, *parts)
    if not isinstance(step, t.Add) or step.args.count(state) != 1:
        return None
    part = t.plus(*(a for a in step.args if a is not state))
    return None if free(part) & states else part
