"""A theorem at one rank: for all sizes, or with loops written out for small windows. Untrusted."""

from __future__ import annotations

from gradproof.evaluate.bounded import survey
from gradproof.evaluate.shapes import box
from gradproof.prove.rules.proofs import Proved
from gradproof.prove.rules.unrolling import by_instances, written_out
from gradproof.prove.tactics.asking import seeker
from gradproof.prove.tactics.attempts import Attempt
from gradproof.prove.tactics.proving import prove
from gradproof.theorems.sequents import Theorem

TRIED = 20  # shapes at which loops written out are tried


def prove_at(instance: Theorem, rlimit: int) -> Attempt[Proved]:
    """For all sizes; where that is not shown of a loop, for small windows written out."""
    found = prove(instance, False, rlimit)
    if found.proof is not None:
        return found
    written = written_out(instance, seeker(rlimit))
    if written is None:
        return found
    proofs = []
    for small in written.instances:
        proof = prove(small, False, rlimit).proof
        if proof is None:
            return found
        proofs.append(proof)
    inhabited = any(survey(th, box(th, TRIED)).tried for th in written.instances)
    return Attempt(by_instances(written, proofs)) if inhabited else found
