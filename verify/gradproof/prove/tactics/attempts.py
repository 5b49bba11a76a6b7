"""Settles a condition for all sizes: which rules are tried, in which order. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, TypeVar

from gradproof.language import terms as t
from gradproof.language.systems import Equations, ending, made_by, reaching, recurrences
from gradproof.language.terms import REAL, Array, Term, Terms, sort_of
from gradproof.prove.rules.connectives import all_of, one_of
from gradproof.prove.rules.goals import (
    Goal,
    at_known_values,
    by_arithmetic,
    by_both,
    by_bounds,
    by_degrees,
    by_maxima,
    by_signs,
    by_value_at,
    by_values,
    goal_of,
    in_cases,
    unfolded,
    with_end_apart,
)
from gradproof.prove.rules.proofs import Holds, Proved
from gradproof.prove.rules.sides import (
    REWRITINGS,
    added_up,
    at_its_points,
    has_binders,
    over_a_common_denominator,
    paired,
    rewritten,
    sides_of,
)
from gradproof.prove.tactics.asking import Answer, answer, seeker, trying
from gradproof.theorems.statuses import Status

MOST_CASES = 2  # one in the other
FEWER = 20  # by which the solver's limit is divided where more arrays have values afterwards

Kind = TypeVar("Kind", Holds, Proved)


@dataclass(frozen=True)
class Attempt(Generic[Kind]):
    """What came of looking for a proof: one, or a model yet to be replayed, or why neither.

    `left` is the goal that resisted.
    """

    proof: Kind | None = None
    answer: Answer | None = None
    note: str = ""
    unsupported: str = ""
    left: Term | None = None

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
    given: Terms,
    wanted: Term,
    generic: bool,
    rlimit: int,
    extra: Terms = (),
    values: Equations = (),
) -> Attempt[Holds]:
    """Proves or refutes a condition; first with sizes replaced by what is known of them.

    Arrays have the values that equations of `values` say.
    """
    for part in alternatives(wanted):
        if proof := by_parts(given, part, generic, rlimit, extra):
            return Attempt(one_of(wanted, proof))
    whole = goal_of(given, wanted, generic, seeker(rlimit), extra)
    there = at_known_values(whole)
    if there is not None:
        found = settle_as_it_is(there, rlimit, values)
        if found.proof is not None:
            return found
    return settle_as_it_is(whole, rlimit, values)


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


def settle_as_it_is(goal: Goal, rlimit: int, values: Equations = ()) -> Attempt[Holds]:
    if isinstance(goal.goal, t.Linear):
        degrees = by_degrees(goal)
        return Attempt(note=degrees) if isinstance(degrees, str) else Attempt(degrees)
    plain = unfolded(goal)
    last = plain
    for more in with_values(plain, values):
        found = settle_unfolded(last, rlimit // FEWER)
        if found.proof is not None:
            return found
        last = more
    there = [*at_the_place(plain, values), *by_a_step(plain, values)]
    for simpler in (*([plain] if last is plain and there else ()), *there):
        found = settle_unfolded(simpler, rlimit // FEWER)
        if found.proof is not None:
            return found
    return settle_unfolded(last, rlimit)


def with_values(goal: Goal, values: Equations) -> Iterator[Goal]:
    """With the values of more and more arrays in their place, the last ones first.

    What one side of an equation alone reads comes before.
    """
    values = ending(values)
    rules, direct = {made_by(e): e for e in values}, reaching(values)
    found, chosen = goal, Equations()
    while read := t.arrays(found.goal) & rules.keys():
        last = read.difference(*(direct[a] for a in read))
        apart = read & read_apart(found.goal)
        chosen = tuple(e for e in values if e in chosen or made_by(e) in (apart or last))
        found = unfolded(by_values(goal, chosen))
        yield found


def at_the_place(goal: Goal, values: Equations) -> Iterator[Goal]:
    """With the value of the cell of a recurrence at which a derivative is taken, if it is read."""
    for equation in (e for group in recurrences(values) for e in group):
        yield from map(unfolded, by_value_at(goal, equation))


def by_a_step(goal: Goal, values: Equations) -> Iterator[Goal]:
    """With the place of a step apart in what is said of all steps so far."""
    if recurrences(values) and not t.mentions(goal.wanted, t.Slope):
        for last in (True, False):
            found = with_end_apart(goal, last)
            if found is not None:
                yield unfolded(found)


def read_apart(said: Term) -> frozenset[Array]:
    """The arrays that one side of an equation reads, and the other does not."""
    left, right = map(t.arrays, said.args) if isinstance(said, t.Eq) else (frozenset(),) * 2
    return left ^ right


def settle_unfolded(goal: Goal, rlimit: int) -> Attempt[Holds]:
    trying(goal.goal)
    if isinstance(goal.goal, t.Eq) and REAL in map(sort_of, goal.goal.args):
        found = equal(goal, rlimit)
        if found.proof is None and chooses_in_sums(goal):
            found = equal(at_its_points(goal), rlimit)
        if found.proof is None and t.mentions(goal.goal, t.Maximum):
            return replace(found, proof=by_maxima(goal))
        return found
    if proof := by_signs(goal):
        return Attempt(proof)
    if isinstance(goal.goal, t.Or) and t.mentions(goal.goal, t.Sum) and not goal.context.generic:
        goal = at_its_points(goal)
    asked = answer(goal.context, goal.goal, goal.extra, rlimit)
    if asked.status == Status.PROVED:
        return Attempt(by_arithmetic(goal))
    proof = by_bounds(goal) or by_maxima(goal)
    return Attempt(proof, asked, "not shown by arithmetic", left=goal.goal)


def chooses_in_sums(goal: Goal) -> bool:
    """Whether there may be cases that sums hide."""
    said = goal.goal
    return (
        not goal.context.generic
        and t.mentions(said, t.Sum)
        and t.mentions(said, t.Max, t.Min, t.If)
    )


def equal(goal: Goal, rlimit: int, depth: int = MOST_CASES) -> Attempt[Holds]:
    """Whether two real terms are equal for all values of their symbols and tensors, or by cases."""
    parts = in_cases(goal) if depth else None
    proofs = [equal(unfolded(part), rlimit, depth - 1).proof for part in parts or ()]
    if len(proofs) == 2 and proofs[0] and proofs[1]:
        return Attempt(by_both(goal, (proofs[0], proofs[1])))
    return equal_as_it_is(goal, rlimit)


def equal_as_it_is(goal: Goal, rlimit: int) -> Attempt[Holds]:
    sides = sides_of(goal)
    for rule in REWRITINGS:
        sides = rewritten(sides, rule)
        if proof := paired(sides):
            return Attempt(proof)
    if proof := over_a_common_denominator(sides):
        return Attempt(proof)
    if goal.context.generic or has_binders(sides):
        return Attempt(left=sides.equation)
    asked = answer(goal.context, sides.equation, goal.extra, rlimit)
    said = "not shown by arithmetic of the guarded entries"
    return Attempt(added_up(sides), asked, said, left=sides.equation)
