"""Whether a changed part says what it said before: a theorem like any other. Untrusted."""

from __future__ import annotations

from typing import Any

from gradproof.language import Op
from gradproof.language import terms as t
from gradproof.language.ops import target_of, value_at
from gradproof.language.substitution import Fresh
from gradproof.language.terms import Sym
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.equations import inlined
from gradproof.theorems.sequents import Sequent, Theorem
from trust.mutants.changed import Mutant
from trust.mutants.differences import differences


def is_equal(mutant: Mutant, op: Op) -> bool:
    """The changed part is proved equal to what it was, under the preconditions."""
    if mutant.part == "requires":
        return is_stronger(mutant, op) and is_weaker(mutant, op)
    if mutant.part == "sizes":
        return holds(op.requires, Sequent((), (), t.Eq(mutant.before, mutant.after)))
    same = same_parts(op, mutant.before, mutant.after)
    if same and holds(op.requires, *same):
        return True
    return holds(op.requires, same_value(mutant.original, mutant.before, mutant.after))


def same_parts(op: Op, before: Any, after: Any) -> list[Sequent]:
    """Wherever two equations differ, they have the same integer; nothing if it is no integer."""
    over = t.cells(target_of(before)) if isinstance(before, t.Eq) else ()
    found = list(differences(before, after, over))
    if not all(d.is_of(op.sizes) for d in found):
        return []
    return [Sequent(d.over, (), t.relation(t.Eq, d.before, d.after)) for d in found]


def same_value(op: Op, before: Any, after: Any) -> Sequent:
    """At each cell, both equations give the same value."""
    fresh = Fresh(op.forward, before, after)
    made = target_of(before).array
    place = tuple(fresh(Sym("i", t.INT, t.is_bundle(d))) for d in made.dims)
    left, right = (
        inlined(op, value_at(e, place, fresh), (op.output,), fresh) for e in (before, after)
    )
    return Sequent(t.cells(made[place]), (), t.Eq(left, right))


def is_stronger(mutant: Mutant, op: Op) -> bool:
    """The changed preconditions imply those of the op."""
    return holds(op.requires, Sequent((), (), mutant.before))


def is_weaker(mutant: Mutant, op: Op) -> bool:
    """The op's preconditions imply the changed ones."""
    if mutant.after is None:
        return True
    return holds(mutant.original.requires, Sequent((), (), mutant.after))


def holds(given: tuple[Any, ...], *sequents: Sequent) -> bool:
    statement = "; ".join(str(s.then) for s in sequents)
    theorem = Theorem("the same", "claim", statement, given, sequents)
    return settled(theorem, RLIMIT).status == "proved"
