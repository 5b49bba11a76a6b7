"""An op without the integers that it computes: who reads them reads their equations. Trusted.

Integers have no derivative, so it is asked of these arrays alone that they have values within their
span. Every other theorem has their equations in their place, which say what the forward saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from gradproof.language import terms as t
from gradproof.language.ops import Op, read_of, replace_reads, target_of, value_at
from gradproof.language.substitution import Fresh
from gradproof.language.systems import needed_by
from gradproof.language.terms import Term
from gradproof.theorems.sequents import Sequent


def whole_of(op: Op) -> tuple[Term, ...]:
    """The equations that compute integers."""
    return tuple(e for e in op.system if target_of(e).array.span)


def without_integers(op: Op) -> Op:
    """The op of its reals; itself, if it computes no integers, or nothing else."""
    gone = whole_of(op)
    if not gone or len(gone) == len(op.system):
        return op

    def written(equations: Iterable[Term]) -> tuple[Term, ...]:
        kept = (e for e in equations if e not in gone)
        return tuple(t.rebuild(e, (spelt_out(op, part) for part in e.args)) for e in kept)

    forward, jvp, vjp, let = map(written, (op.forwards, op.jvps, op.vjp, op.let))
    let = needed_by((part for e in (*forward, *jvp, *vjp) for part in e.args), let)
    read = read_of((*let, *forward))
    constants = tuple(a for a in op.constants if a in read)
    return replace(
        op,
        forward=forward,
        jvp=jvp,
        vjp=vjp,
        let=let,
        constants=constants,
        windows=(),
        claims=(),
    )


def spelt_out(op: Op, term: Term) -> Term:
    """A term with what the equations say in place of integers that the op computes."""
    rules = {target_of(e).array: e for e in whole_of(op)}
    if t.arrays(term).isdisjoint(rules):
        return term
    fresh = Fresh(term, *op.equations.values())

    def find(read: t.Read) -> Callable[..., Term] | None:
        rule = rules.get(read.array)
        return None if rule is None else lambda *index: put(value_at(rule, index, fresh))

    def put(part: Term) -> Term:
        return replace_reads(part, find, fresh)

    return put(term)


def of_reals(op: Op, sequent: Sequent) -> Sequent:
    return sequent.mapped(lambda term: spelt_out(op, term))
