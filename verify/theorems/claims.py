"""Theorems of the kind claim: what an op itself says must hold. Trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradproof.language import terms as t
from gradproof.language.ops import Claim, Op, target_of
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.systems import needed_by
from gradproof.language.terms import Term, reads
from gradproof.theorems.definedness import Need, needs
from gradproof.theorems.equations import Triples, inlined, recurrent, without_computed
from gradproof.theorems.integers import of_reals, spelt_out, without_integers
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.values import needs_of_equation, needs_of_sizes


def claimed(op: Op, claim: Claim) -> Theorem:
    given = (*(r for r in op.requires if r not in claim.without), *claim.given)
    own = tuple(target_of(e).array for e in op.equations.values())
    fresh = Fresh(claim.statement, *given, *op.equations.values())
    said, real = substitute(claim.statement, {}, fresh), without_integers(op)
    statement = spelt_out(op, said)
    statement = statement if recurrent(op) else inlined(real, statement, own, fresh)
    sequents = tuple(sequents_of(statement, (), ()))
    if claim.refuted is None:
        # Its twin, of the same statement, answers for a claim that is expected to be false.
        wanted = list(needs(said, (), ()))
        wanted += needs_without(op, claim.statement, statement) if claim.without else ()
        meant = [of_reals(op, Sequent(*need[1:], aside=True)) for need in wanted]
        if not recurrent(op):
            meant = [without_computed(real, s, own) for s in meant]
        sequents = tuple(dict.fromkeys((*meant, *sequents)))
    if recurrent(op):
        sequents = tuple(
            replace(s, where=needed_by(s.terms, real.equations.values())) for s in sequents
        )
    return Theorem(
        claim.name,
        "claim",
        str(claim.statement),
        given,
        sequents,
        claim.refuted,
        claim.twin,
        f"claim {claim.name}",
    )


def needs_without(op: Op, said: Term, inlined: Term) -> Iterator[Need]:
    """What has a value under `requires`, but perhaps not without all of it.

    Shapes, what is inlined, and what a scatter writes elsewhere.
    """
    yield from needs_of_sizes(op)
    yield from needs(inlined, (), ())
    for equation in op.equations.values():
        if isinstance(equation, t.Scatter) and reads(said, equation.target.array):
            yield from needs_of_equation(equation)


def sequents_of(statement: Term, over: Triples, when: tuple[Term, ...]) -> Iterator[Sequent]:
    """A claim's parts, with what they range over and what they assume."""
    if isinstance(statement, t.And):
        for part in statement.args:
            yield from sequents_of(part, over, when)
    elif isinstance(statement, t.ForAll):
        yield from sequents_of(statement.body, (*over, *statement.ranges), when)
    elif isinstance(statement, t.Or) and isinstance(next(iter(statement.args), None), t.Not):
        negated, *rest = statement.args
        assumed = (*when, *t.conjuncts(negated.condition))
        yield from sequents_of(rest[0] if len(rest) == 1 else t.Or(*rest), over, assumed)
    else:
        yield Sequent(over, when, statement)
