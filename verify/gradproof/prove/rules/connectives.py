"""A conjunction from proofs of all its parts, a disjunction from a proof of one. Trusted."""

from __future__ import annotations

from collections.abc import Sequence

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.prove.rules.proofs import SEAL, Holds, rule


@rule
def one_of(wanted: Term, proof: Holds) -> Holds | None:
    """A disjunction holds where one of its parts does."""
    if not isinstance(wanted, t.Or) or type(proof) is not Holds or proof.goal not in wanted.args:
        return None
    premises = (proof,)
    return Holds(SEAL, proof.given, wanted, proof.rule, proof.generic, proof.steps, premises)


@rule
def all_of(wanted: Term, proofs: Sequence[Holds]) -> Holds | None:
    """A conjunction holds where all of its parts do."""
    if not isinstance(wanted, t.And) or any(type(proof) is not Holds for proof in proofs):
        return None
    if not proofs or tuple(proof.goal for proof in proofs) != wanted.args:
        return None
    given = tuple(dict.fromkeys(g for proof in proofs for g in proof.given))
    rules = ", ".join(dict.fromkeys(proof.rule for proof in proofs))
    steps = tuple(dict.fromkeys(step for proof in proofs for step in proof.steps))
    generic = all(proof.generic for proof in proofs)
    return Holds(SEAL, given, wanted, rules, generic, steps, tuple(proofs))
