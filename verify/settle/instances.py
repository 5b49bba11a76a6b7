"""A theorem at one rank: for all sizes, or with loops written out for small windows. Trusted."""

from __future__ import annotations

from gradproof.evaluate.bounded import box, survey
from gradproof.prove.tactics import unrolling
from gradproof.prove.tactics.proving import prove
from gradproof.prove.tactics.symbolic import Outcome
from gradproof.theorems.sequents import Theorem

WRITTEN_OUT = "loops written out"
TRIED = 20  # shapes at which loops written out are tried


def prove_at(instance: Theorem, rlimit: int) -> Outcome:
    """For all sizes; where no invariant of a loop is known, for small windows written out."""
    found = prove(instance, False, rlimit)
    if found.status != "unsupported":
        return found
    small = unrolling.instances(instance, rlimit)
    if small is None or any(prove(th, False, rlimit).status != "proved" for th in small):
        return found
    inhabited = any(survey(th, box(th, TRIED)).tried for th in small)
    return Outcome("proved", WRITTEN_OUT) if inhabited else found
