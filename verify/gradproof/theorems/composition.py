"""The derivative of a system of equations, from the derivatives of each alone. Trusted.

A system defines every cell of its arrays once, `v[e] = F(x, v)`, from cells that come before it in
some order. Moved a little, `v̇ = A·ẋ + L·v̇`, where `A` and `L` have the derivatives of each
equation by what it reads, all arrays taken as independent, and `L` leads from earlier cells only.

*Tangents.* Equations `v̇ = A′·ẋ + L′·v̇` whose entries are those of `A` and `L` have the same
solution, cell by cell in that order: the derivative of `v` along `ẋ`.

*Cotangents.* With outputs `y = P·v` the derivative is `P·(I - L)⁻¹·A`, so its transpose takes `ȳ`
to `Aᵀ·λ` with `λ = Pᵀ·ȳ + Lᵀ·λ`. Read backwards that determines every `λ`, and equations whose
entries are those of `Aᵀ`, `Lᵀ` and `Pᵀ` compute it.

*Arrays for which a rule names no tangent or cotangent* are eliminated before: what reads them reads
what they are computed from, and the chain rule gives the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import sympy

from gradproof.language import terms as t
from gradproof.language.functions import turning
from gradproof.language.ops import Op, cotangent, replace_reads, tangent, target_of, value_at
from gradproof.language.substitution import Fresh
from gradproof.language.systems import Equations, made_by, reaching, read_by, recurrences
from gradproof.language.terms import Array, Sym, Term
from gradproof.language.wellformed import is_branch
from gradproof.theorems.directions import direction
from gradproof.theorems.parting import UNSAID
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.steady import Off, off_boundary, steady

Index = tuple[Sym, ...]


def expanded(sequent: Sequent) -> Sequent | None:
    """The sequent with what its equations say in place of the arrays they define.

    None if that has no end.
    """
    if not sequent.where:
        return sequent
    if recurrences(sequent.where):
        return None
    fresh = Fresh(*sequent.where, *sequent.hypotheses, sequent.then)
    rules = {made_by(e): e for e in sequent.where}

    def find(read: t.Read) -> Callable[..., Term] | None:
        rule = rules.get(read.array)
        return None if rule is None else lambda *index: put(value_at(rule, index, fresh))

    def put(term: Term) -> Term:
        return replace_reads(term, find, fresh)

    return replace(replace(sequent, where=()).mapped(put), where=())


def without_names(theorem: Theorem) -> Theorem | None:
    """The theorem with what equations say in place of arrays, if that has an end."""
    plain = tuple(s for s in map(expanded, theorem.sequents) if s is not None)
    has_end = len(plain) == len(theorem.sequents)
    return replace(theorem, sequents=plain, local=()) if has_end else None


def branches(op: Op) -> bool:
    """Whether what an op computes turns anywhere with the values of its inputs."""
    said = (u for e in op.system for u in t.walk(e.right))
    return any(is_branch(u) or (isinstance(u, t.Apply) and turning(u)) for u in said)


# Boundaries of recurrences, of which no equation can be written out.


@dataclass(frozen=True)
class Boundaries:
    """Where what a system with recurrences computes from an input is on none."""

    system: Equations
    x: Array
    off: Off = off_boundary

    @cached_property
    def moving(self) -> frozenset[Array]:
        """The input, and what is computed from it; nothing where all can be written out."""
        read = reaching(self.system)
        direct = {made_by(e) for e in self.system if self.x in read_by(e)}
        found = frozenset({self.x, *direct, *(a for a in read if read[a] & direct)})
        return found if recurrences(self.system) else frozenset()

    def avoided_by(self, equation: Term, index: Index, fresh: Fresh) -> Iterator[Term]:
        """By one cell."""
        yield from steady(value_at(equation, index, fresh), self.moving, self.off)

    def avoided_by_all(self, equation: Term, fresh: Fresh) -> Iterator[Term]:
        """By all cells of an array."""
        place = made_by(equation)[place_of(made_by(equation), names_of(equation), fresh)]
        for said in self.avoided_by(equation, place.index, fresh):
            yield t.ForAll(said, *t.cells(place)) if place.index else said

    def avoided(self, fresh: Fresh) -> Iterator[Term]:
        """By all cells of all arrays."""
        for equation in self.system:
            yield from self.avoided_by_all(equation, fresh)


def is_said(sequent: Sequent) -> bool:
    """Whether its hypotheses can be met: none stands for a boundary that cannot be written down."""
    return all(part != UNSAID for said in sequent.when for part in t.walk(said))


def leaves_out_steps(theorem: Theorem) -> bool:
    """Whether it says nothing of points at which a step of a recurrence is on a boundary."""
    for sequent in theorem.sequents:
        system = tuple(e for e in sequent.where if made_by(e).role == "primal")
        if not recurrences(system):
            continue
        for x in {u.cell.array for u in t.walk(sequent.then) if isinstance(u, t.Slope)}:
            if any(True for _ in Boundaries(system, x).avoided(Fresh(*system))):
                return True
    return False


# Entries.


@dataclass(frozen=True)
class Elimination:
    """A system in which only some of the computed arrays are kept."""

    system: Equations
    kept: frozenset[Array]
    fresh: Fresh

    def entry(self, made: Array, place: Index, by: Array, cell: Index) -> Term:
        """How a cell of an array moves with one of an input or a kept array, all others still.

        Through an array that is not kept, by the chain rule.
        """
        rules = {made_by(e): e for e in self.system}
        value = value_at(rules[made], place, self.fresh)
        found = [t.Slope(value, by[cell])] if by in t.arrays(value) else []
        for array in (a for a in rules if a in t.arrays(value) and a not in self.kept):
            between = tuple(self.fresh(Sym("e", t.INT, t.is_bundle(d))) for d in array.dims)
            moved = self.entry(array, between, by, cell)
            if moved != 0:
                chain = t.Mul(t.Slope(value, array[between]), moved)
                found.append(t.Sum(chain, *t.cells(array[between])))
        return t.plus(*found)


def place_of(array: Array, names: tuple[str, ...], fresh: Fresh) -> Index:
    """Fresh indices of an array, like those of the names that there are."""
    found = (*names, *["i"] * len(array.dims))
    return tuple(
        fresh(Sym(n, t.INT, t.is_bundle(d))) for n, d in zip(found, array.dims, strict=False)
    )


def names_of(equation: Term) -> tuple[str, ...]:
    return tuple(e.name if isinstance(e, Sym) else "i" for e in target_of(equation).index)


@dataclass(frozen=True)
class Local:
    """What is enough for a rule to be the derivative by an input, or its transpose: all entries."""

    op: Op
    by: Array

    def names(self, array: Array) -> tuple[str, ...]:
        """As the equations call the indices of an array."""
        op = self.op
        rules = [e for e in op.system if made_by(e) == array]
        rules += [r for r in op.vjp if made_by(r).of == array.name]
        return names_of(rules[0]) if rules else ()

    def tangents(self) -> Iterator[Sequent]:
        """Of every tangent that is defined, by an input and by every tangent that is read."""
        op = self.op
        read = frozenset().union(*map(read_by, op.jvps))
        endless = {made_by(e) for group in recurrences(op.system) for e in group}
        kept = frozenset(a for a in op.computed if tangent(a) in read or a in endless)
        for rule in op.jvps:
            made = next(a for a in op.computed if tangent(a) == made_by(rule))
            for source in (self.by, *(a for a in op.computed if a in kept)):
                fresh = Fresh(*op.system, *op.jvps)
                place = place_of(made, self.names(made), fresh)
                cell = place_of(source, self.names(source), fresh)
                derived = Elimination(op.system, kept, fresh).entry(made, place, source, cell)
                value = value_at(rule, place, fresh)
                written = t.Slope(value, tangent(source)[cell])
                when = self.off_boundaries(made, place, kept, fresh)
                yield from self.compared(derived, written, made[place], source[cell], when)

    def cotangents(self, label: Array) -> Iterator[Sequent]:
        """Of an input's cotangent and of every one that is defined of what is computed."""
        op = self.op
        named = {a: made_by(r) for r in op.vjp for a in op.computed if made_by(r).of == a.name}
        kept = frozenset(named)
        moved = {a: named.get(a, cotangent(a)) for a in op.computed if a in {*kept, *op.outputs}}
        rules = [(self.by, next(r for r in op.vjp if made_by(r) == label))]
        rules += [(a, next(r for r in op.vjp if made_by(r) == named[a])) for a in named]
        for target, rule in rules:
            for made, adjoint in moved.items():
                yield from self.transposed(target, rule, made, adjoint, kept)
            for made in (a for a in op.outputs if a in kept):
                yield from self.started(target, rule, made)

    def transposed(
        self, target: Array, rule: Term, made: Array, adjoint: Array, kept: frozenset[Array]
    ) -> Iterator[Sequent]:
        fresh = Fresh(*self.op.system, *self.op.vjp)
        place = place_of(made, self.names(made), fresh)
        cell = place_of(target, self.names(target), fresh)
        derived = Elimination(self.op.system, kept, fresh).entry(made, place, target, cell)
        written = t.Slope(value_at(rule, cell, fresh), adjoint[place])
        when = self.off_boundaries(made, place, kept, fresh)
        yield from self.compared(derived, written, made[place], target[cell], when)

    def started(self, target: Array, rule: Term, made: Array) -> Iterator[Sequent]:
        """What an output's given cotangent adds to the one that is computed: itself."""
        fresh = Fresh(*self.op.system, *self.op.vjp)
        place = place_of(made, self.names(made), fresh)
        cell = place_of(target, self.names(target), fresh)
        written = t.Slope(value_at(rule, cell, fresh), cotangent(made)[place])
        same = t.Bracket(t.And(*(t.Eq(a, b) for a, b in zip(place, cell, strict=False))))
        itself = same if target == made else sympy.Integer(0)
        yield from self.compared(itself, written, made[place], target[cell])

    def off_boundaries(
        self, made: Array, place: Index, kept: frozenset[Array], fresh: Fresh
    ) -> tuple[Term, ...]:
        """Of recurrences: that a cell is on no boundary, nor any of what is eliminated."""
        boundaries = Boundaries(self.op.system, self.by)
        found: list[Term] = []
        for equation in self.op.system:
            if made_by(equation) == made:
                found += boundaries.avoided_by(equation, place, fresh)
            elif made_by(equation) not in kept:
                found += boundaries.avoided_by_all(equation, fresh)
        return tuple(dict.fromkeys(found))

    def compared(
        self,
        derived: Term,
        written: Term,
        place: t.Read,
        cell: t.Read,
        when: tuple[Term, ...] = (),
    ) -> Iterator[Sequent]:
        nothing = derived == 0 and written.cell.array not in t.arrays(written.body)
        if not nothing:
            over = (*t.cells(place), *t.cells(cell))
            yield Sequent(over, when, t.Eq(derived, written))


# The order of cells.


def ordered(group: Equations) -> tuple[Term, ...]:
    """The equations of a recurrence, where what is not computed yet is out of bounds.

    Along one axis cells come in order, upwards or downwards; at one place of it the arrays do, as
    they are written. That all reads are in bounds then says that each is of an earlier cell.
    """
    axis, downwards = direction(group)
    return tuple(cut(e, group, axis, downwards) for e in group)


def cut(equation: Term, group: Equations, axis: int, downwards: bool) -> Term:
    fresh = Fresh(*group)
    now, rank = target_of(equation).index[axis], group.index(equation)

    def find(read: t.Read) -> Callable[..., Term] | None:
        earlier = next((n for n, e in enumerate(group) if made_by(e) == read.array), None)
        if earlier is None:
            return None
        dims = list(read.array.dims)
        last = t.plus(dims[axis], -1)
        reached = t.plus(last, t.minus(now)) if downwards else now
        dims[axis] = t.plus(reached, 1) if earlier < rank else reached
        seen = Array(read.array.name, dims, *read.array.args[2:])

        def value(*index: Term) -> Term:
            at = list(index)
            at[axis] = t.plus(last, t.minus(at[axis])) if downwards else at[axis]
            return seen[tuple(at)]

        return value

    parts = (replace_reads(u, find, fresh) for u in equation.args[1:])
    return t.rebuild(equation, (equation.target, *parts))
