"""From a definition to its theorems, in a fixed order. Trusted.

Everything is generated from the unevaluated tree. A theorem comes after those that it rests on.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gradproof.language import terms as t
from gradproof.language.ops import Op, target_of
from gradproof.language.systems import needed_by
from gradproof.language.terms import DefinitionError
from gradproof.theorems.claims import claimed
from gradproof.theorems.derivatives import derivatives_of
from gradproof.theorems.hypotheses import shapes_of, with_shapes
from gradproof.theorems.integers import without_integers
from gradproof.theorems.linearity import linearity_of
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.sizes import sizes_of
from gradproof.theorems.ties import at_meetings
from gradproof.theorems.values import definedness_of, orders_of


def obligations(op: Op, kinds: Collection[str] | None = None) -> tuple[Theorem, ...]:
    """The theorems of an op, in a fixed order; those of some kinds alone, if these are named."""
    real = without_integers(op)
    defined, orders, linear = (
        (*shapes_of(op), *definedness_of(op)),
        tuple(orders_of(real)),
        tuple(linearity_of(real)),
    )
    basis = (*defined, *orders, *linear)

    def asked(*of: str) -> bool:
        return kinds is None or not set(of).isdisjoint(kinds)

    derivatives = derivatives_of(real) if asked("jvp", "vjp") else ()
    meetings = at_meetings(real) if asked("ties") else ()
    theorems = (*orders, *sizes_of(op), *linear, *derivatives, *meetings)
    claims = tuple(claimed(op, claim) for claim in op.claims) if asked("claim") else ()
    resting_on = (resting(op, th, basis) for th in (*theorems, *claims) if asked(th.kind))
    found = (*(th for th in defined if asked(th.kind)), *resting_on)
    found = tuple(with_shapes(op, theorem) for theorem in found)
    for name in (claim.name for claim in op.claims if claims):
        if sum(th.name == name for th in found) > 1 or name.startswith("requires "):
            raise DefinitionError(f"op {op.name}: claim {name!r} has the name of another theorem")
    return found


def resting(op: Op, theorem: Theorem, basis: tuple[Theorem, ...]) -> Theorem:
    """The theorem with what it rests on: that its equations have values, and entries say all."""
    parts = {"sizes", *involved(op, theorem)}
    kinds = ["defined", "in bounds", "order"]
    kinds += ["linear"] if theorem.kind in ("jvp", "vjp") else []
    found = (th.name for th in basis if th.kind in kinds and th.equation in parts)
    return replace(theorem, rests_on=tuple(found))


def involved(op: Op, theorem: Theorem) -> set[str]:
    """The equations that a theorem speaks of; what reads the output speaks of the forward too."""
    found = {theorem.equation}
    if theorem.kind == "ties" and theorem.equation != "jvp":
        return {name for name in op.equations if name != "jvp"}
    if theorem.kind == "claim":
        said = next(c.statement for c in op.claims if c.name == theorem.name)
        names = {a.name for a in t.arrays(said)}
        found = {name for name, e in op.equations.items() if target_of(e).array.name in names}
    if theorem.kind == "order":
        return set()
    parts = [e for name, e in op.equations.items() if name in found or is_of(name, theorem)]
    read = needed_by(parts, op.equations.values())
    beside = {name for name, e in op.equations.items() if e in read or e in parts}
    derived = theorem.kind in ("jvp", "vjp", "ties")
    return found | beside | (set(op.formulas) if derived or beside & set(op.formulas) else set())


def is_of(equation: str, theorem: Theorem) -> bool:
    """Whether an equation is one of several JVPs that a theorem is about."""
    return theorem.equation == "jvp" and equation.startswith("jvp ")
