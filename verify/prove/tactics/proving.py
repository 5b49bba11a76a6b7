"""The first route: a theorem for all sizes, sequent by sequent, case by case. Trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gradproof.language import terms as t
from gradproof.language.accumulators import summed
from gradproof.language.substitution import Fresh
from gradproof.prove.rules.derive import Unsupported
from gradproof.prove.rules.selection import cases
from gradproof.prove.rules.smt import Answer, record, recording
from gradproof.prove.tactics.conditions import settle
from gradproof.prove.tactics.symbolic import Outcome, Prover
from gradproof.theorems.sequents import Sequent, Theorem


def prove(theorem: Theorem, generic: bool, rlimit: int) -> Outcome:
    """The symbolic route: every sequent, for all sizes; the first that is not proved counts."""
    return joined(prove_part(theorem, whole, generic, rlimit) for whole in theorem.sequents)


def prove_part(theorem: Theorem, whole: Sequent, generic: bool, rlimit: int) -> Outcome:
    """A sequent, without those of its hypotheses that have loops if it can do without."""
    plain = replace(whole, when=tuple(c for c in whole.when if not t.mentions(c, t.Fold)))
    found = prove_whole(theorem, plain, generic, rlimit)
    again = found.status != "proved" and plain != whole
    return prove_whole(theorem, whole, generic, rlimit) if again else found


def joined(outcomes: Iterable[Outcome]) -> Outcome:
    """All proofs as one; or the first that is none, and what follows it is not tried."""
    proofs = []
    for outcome in outcomes:
        if outcome.status != "proved":
            return outcome
        proofs.append(outcome)
    if not proofs:
        return Outcome("unknown", "nothing to prove")
    methods = dict.fromkeys(m for o in proofs for m in o.method.split(", "))
    steps = dict.fromkeys(step for o in proofs for step in o.steps)
    return Outcome("proved", ", ".join(methods), steps=tuple(steps))


def prove_whole(theorem: Theorem, whole: Sequent, generic: bool, rlimit: int) -> Outcome:
    """A sequent, by cases of the places that its loops select."""
    parts = parts_of(theorem, whole)
    if parts is None:
        return Outcome("unsupported", "a fold whose invariant is not known")
    return joined(prove_sequent(theorem, part, generic, rlimit) for part in parts)


def parts_of(theorem: Theorem, whole: Sequent) -> tuple[Sequent, ...] | None:
    fresh = Fresh(*theorem.given, *whole.hypotheses, whole.then)
    when = tuple(summed(c, fresh) for c in whole.when)
    whole = replace(whole, when=when, then=summed(whole.then, fresh))
    return cases(whole, fresh) if is_integral(whole) else (whole,)


def is_integral(sequent: Sequent) -> bool:
    """Not an equality of reals, nor linearity: those treat folds by themselves."""
    then = sequent.then
    reals = isinstance(then, t.Eq) and t.REAL in map(t.sort_of, then.args)
    return not reals and not isinstance(then, t.Linear)


def prove_sequent(
    theorem: Theorem, sequent: Sequent, generic: bool, rlimit: int, extra: tuple[Any, ...] = ()
) -> Outcome:
    """A sequent under the hypotheses of its theorem; what is asked twice is settled once."""
    given = (*theorem.given, *sequent.hypotheses)
    found, asked = settled_once(given, sequent.then, generic, rlimit, extra)
    record(asked)
    return found


@lru_cache(maxsize=5_000)
def settled_once(
    given: tuple[Any, ...], then: Any, generic: bool, rlimit: int, extra: tuple[Any, ...]
) -> tuple[Outcome, dict[str, Answer]]:
    """What was found, and the questions that the solver was asked for it."""
    with recording() as asked:
        try:
            return settle(Prover(given, generic, (then,), rlimit), then, extra), asked
        except Unsupported as reason:
            return Outcome("unsupported", str(reason)), asked
