"""Settles a condition for all sizes: which rules are tried, in which order. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from gradproof.language import terms as t
from gradproof.language.terms import REAL, Term, Terms, sort_of
from gradproof.prove.rules.connectives import all_of, one_of
from gradproof.prove.rules.goals import (
    REWRITINGS,
    Goal,
    added_up,
    at_known_values,
    by_arithmetic,
    by_both,
    by_bounds,
    by_degrees,
    by_signs,
    goal_of,
    has_binders,
    in_cases,
    over_a_common_denominator,
    paired,
    rewritten,
    sides_of,
    unfolded,
)
from gradproof.prove.rules.proofs import Holds, Proved
from gradproof.prove.tactics.asking import Answer, answer, seeker
from gradproof.theorems.statuses import Status

MOST_CASES = 2  # one in the other
Kind = TypeVar("Kind", Holds, Proved)


@dataclass(frozen=True)
class Attempt(Generic[Kind]):
    """What came of looking for a proof: one, or a model yet to be replayed, or why neither."""

    proof: Kind | None = None
    answer: Answer | None = None
    note: str = ""
    unsupported: str = ""

    @property
    def status(self) -> Status:
        if self.proof is not None:
            return Status.PROVED
        if self.unsupported:
            return Status.UNSUPPORTED
        is_refuted = self.answer is not None and self.answer.status == Status.REFUTED
        return Status.REFUTED if is_refuted else Status.UNKNOWN

    @property
    def model(self) -> dict[str, int | Fraction]:
        return dict(self.answer.model) if self.answer is not None else {}


def settle(
    given: Terms, wanted: Term, generic: bool, rlimit: int, extra: Terms = ()
) -> Attempt[Holds]:
    """Proves or refutes a condition; first with sizes replaced by what is known of them."""
    for part in alternatives(wanted):
        if proof := by_parts(given, part, generic, rlimit, extra):
            return Attempt(one_of(wanted, proof))
    whole = goal_of(given, wanted, generic, seeker(rlimit), extra)
    there = at_known_values(whole)
    if there is not None:
        found = settle_as_it_is(there, rlimit)
        if found.proof is not None:
            return found
    return settle_as_it_is(whole, rlimit)


def alternatives(wanted: Term) -> Iterator[Term]:
    """Equations of derivatives any of which is enough, where the solver knows nothing of sums."""
    if isinstance(wanted, t.Or) and t.mentions(wanted, t.Slope) and t.mentions(wanted, t.Sum):
        for part in wanted.args:
            if all(isinstance(each, t.Eq) for each in t.conjuncts(part)):
                yield part


def by_parts(given: Terms, wanted: Term, generic: bool, rlimit: int, extra: Terms) -> Holds | None:
    """A conjunction part by part, up to the first that is not proved."""
    if not isinstance(wanted, t.And):
        return settle(given, wanted, generic, rlimit, extra).proof
    proofs = []
    for part in wanted.args:
        proof = settle(given, part, generic, rlimit, extra).proof
        if proof is None:
            return None
        proofs.append(proof)
    return all_of(wanted, proofs)


def settle_as_it_is(goal: Goal, rlimit: int) -> Attempt[Holds]:
    if isinstance(goal.goal, t.Linear):
        found = by_degrees(goal)
        return Attempt(note=found) if isinstance(found, str) else Attempt(found)
    goal = unfolded(goal)
    if isinstance(goal.goal, t.Eq) and REAL in map(sort_of, goal.goal.args):
        return equal(goal, rlimit)
    if proof := by_signs(goal):
        return Attempt(proof)
    asked = answer(goal.context, goal.goal, goal.extra, rlimit)
    if asked.status == Status.PROVED:
        return Attempt(by_arithmetic(goal))
    return Attempt(by_bounds(goal), asked, "arithmetic")


def equal(goal: Goal, rlimit: int, depth: int = MOST_CASES) -> Attempt[Holds]:
    """Whether two real terms are equal for all values of their symbols and tensors, or by cases."""
    parts = in_cases(goal) if depth else None
    proofs = [equal(part, rlimit, depth - 1).proof for part in parts or ()]
    if len(proofs) == 2 and proofs[0] and proofs[1]:
        return Attempt(by_both(goal, (proofs[0], proofs[1])))
    return equal_as_it_is(goal, rlimit)


def equal_as_it_is(goal: Goal, rlimit: int) -> Attempt[Holds]:
    sides = sides_of(goal)
    for rule in REWRITINGS:
        sides = rewritten(sides, rule)
        if proof := paired(sides, rule):
            return Attempt(proof)
    if proof := over_a_common_denominator(sides):
        return Attempt(proof)
    if goal.context.generic or has_binders(sides):
        return Attempt()
    asked = answer(goal.context, sides.equation, goal.extra, rlimit)
    return Attempt(added_up(sides), asked, "arithmetic of the guarded entries")
