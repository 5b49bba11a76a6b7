"""Folds that add up: a state to which every turn adds what no state decides is a sum. Trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, bound_by, free, substitute
from gradproof.language.terms import REAL, Sym


def summed(term: Any, fresh: Fresh) -> Any:
    """The term with every loop that only adds up as the sums that it computes."""
    if not t.mentions(term, t.Fold):
        return term
    term = t.over_parts(term, lambda u: summed(u, fresh))
    if not isinstance(term, t.Fold):
        return term
    sums = dict(totals(term))
    known = free(term.body) & bound_by(term) <= sums.keys()
    return substitute(term.body, sums, fresh) if known else term


def totals(fold: Any) -> Iterator[tuple[Sym, Any]]:
    """The states that are sums, and which: of any number of turns, in whatever order."""
    states = frozenset(state for state, _, _ in fold.args[1])
    for state, start, step in fold.args[1]:
        part = added(step, state, states)
        if state.sort == REAL and part is not None:
            yield state, t.plus(start, t.Sum(part, *fold.ranges))


def added(step: Any, state: Sym, states: frozenset[Sym]) -> Any | None:
    """What a step adds to its state, if no state has a say in it."""
    if step is state:
        return sympy.Integer(0)
    if isinstance(step, t.If) and not free(step.args[0]) & states:
        parts = [added(branch, state, states) for branch in step.args[1:]]
        return None if None in parts else t.If(step.args[0], *parts)
    if not isinstance(step, t.Add) or step.args.count(state) != 1:
        return None
    part = t.plus(*(a for a in step.args if a is not state))
    return None if free(part) & states else part
