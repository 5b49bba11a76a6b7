"""The first route: a theorem for all sizes, sequent by sequent, case by case. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from gradproof.language import terms as t
from gradproof.language.systems import Equations
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules.derive import Unsupported
from gradproof.prove.rules.proofs import Holds, Proved, all_sequents, step_by_step
from gradproof.prove.rules.selection import by_cases, cases_of
from gradproof.prove.tactics.asking import record, recording, seeker
from gradproof.prove.tactics.attempts import Attempt, settle
from gradproof.theorems.composition import without_names
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.statuses import Status

NO_INVARIANT: Attempt[Holds] = Attempt(unsupported="a fold whose invariant is not known")


def prove(theorem: Theorem, generic: bool, rlimit: int) -> Attempt[Proved]:
    """Every sequent, for all sizes; what came of the first that is not proved, if there is one.

    Of several equations, each alone.
    """
    if not theorem.local:
        return prove_written_out(theorem, generic, rlimit)
    found = prove_all(theorem, theorem.local, generic, rlimit)
    return found if isinstance(found, Attempt) else Attempt(step_by_step(theorem, found))


def prove_written_out(theorem: Theorem, generic: bool, rlimit: int) -> Attempt[Proved]:
    """With what equations say in place of the arrays that they define."""
    plain = without_names(theorem)
    if plain is None:
        return Attempt(unsupported="a recurrence, of which a step is not shown")
    found = prove_all(theorem, plain.sequents, generic, rlimit)
    if isinstance(found, Attempt):
        return found
    proof = all_sequents(theorem, found)
    return Attempt(proof, note="" if proof else "nothing to prove")


def prove_all(
    theorem: Theorem, sequents: Iterable[Sequent], generic: bool, rlimit: int
) -> list[Holds] | Attempt[Proved]:
    """Proofs of all, or what came of the first that has none."""
    proofs = []
    for sequent in sequents:
        if sequent.where:
            found = prove_part(theorem, sequent, generic, rlimit, values=sequent.where)
        if not sequent.where or found.unsupported:
            found = prove_sequent(theorem, sequent, generic, rlimit)
        if found.proof is None:
            return Attempt(None, found.answer, found.note, found.unsupported, found.left)
        proofs.append(found.proof)
    return proofs


def prove_sequent(theorem: Theorem, sequent: Sequent, generic: bool, rlimit: int) -> Attempt[Holds]:
    """A sequent, without those of its hypotheses that have loops if it can do without."""
    plain = replace(sequent, when=tuple(c for c in sequent.when if not t.mentions(c, t.Fold)))
    found = prove_cases(theorem, plain, generic, rlimit)
    again = found.proof is None and plain != sequent
    return prove_cases(theorem, sequent, generic, rlimit) if again else found


def prove_cases(theorem: Theorem, sequent: Sequent, generic: bool, rlimit: int) -> Attempt[Holds]:
    """A sequent, by cases of the places that its loops select."""
    cases = cases_of(theorem.given, sequent, seeker(rlimit))
    if cases is None:
        return NO_INVARIANT
    proofs = []
    for part in cases.parts:
        found = prove_part(theorem, part, generic, rlimit)
        if found.proof is None:
            return found
        proofs.append(found.proof)
    return Attempt(by_cases(cases, proofs))


def prove_part(
    theorem: Theorem,
    sequent: Sequent,
    generic: bool,
    rlimit: int,
    extra: Terms = (),
    values: Equations = (),
) -> Attempt[Holds]:
    """A sequent under the hypotheses of its theorem; what is asked twice is settled once."""
    given = (*theorem.given, *sequent.hypotheses)
    found, asked = settled_once(given, sequent.then, generic, rlimit, extra, values)
    record(asked)
    return found


@lru_cache(maxsize=5_000)
def settled_once(
    given: Terms, then: Term, generic: bool, rlimit: int, extra: Terms, values: Equations
) -> tuple[Attempt[Holds], dict[str, Status]]:
    """What was found, and the questions that the solver was asked for it."""
    with recording() as asked:
        try:
            return settle(given, then, generic, rlimit, extra, values), asked
        except Unsupported as reason:
            return Attempt(unsupported=str(reason)), asked
