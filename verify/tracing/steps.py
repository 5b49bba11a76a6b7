"""What code computes step by step, forward and backward, each as an array. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.systems import read_by
from gradproof.language.terms import REAL, Array, Eq, Sym, Term
from gradproof.prove.rules.smt import canonical
from gradproof.tracing.definition import indices
from gradproof.tracing.reals import INFINITE
from gradproof.tracing.tensors import UNWRITTEN, Tensor, naming


@dataclass(frozen=True)
class Step:
    """Tensors of the code that are the same array, and the equation of what it is."""

    tensors: tuple[Tensor, ...]
    equation: Term

    @property
    def array(self) -> Array:
        made: Array = self.equation.target.array
        return made


def steps_of(made: Sequence[Tensor], sizes: Iterable[Sym]) -> tuple[Step, ...]:
    """Each thing that is computed once, though the code may compute it anew in its backward.

    What is of one turn of a loop is no array of its own: it mentions more than places and sizes.
    """
    known = frozenset(sizes)
    arrays: dict[Tensor, Array] = {}
    found: dict[Term, list[Tensor]] = {}
    equations: dict[Term, Term] = {}
    with naming(arrays):
        for tensor in made:
            if tensor.sort != REAL or tensor.hit is not None:
                continue
            place = indices("e", len(tensor.factors))
            value = tensor.value(place)
            if isinstance(value, t.Read) or not t.arrays(value) or stays_within(value):
                continue
            if not free(value) <= known.union(place):
                continue
            key = canonical(Eq(Array("step", tensor.factors)[place], value))
            if key not in found:
                array = Array(f"step{len(found)}", tensor.factors)
                equations[key] = Eq(array[place], value)
            arrays[tensor] = equations[key].target.array
            found.setdefault(key, []).append(tensor)
    return tuple(Step(tuple(found[key]), equations[key]) for key in found)


def stays_within(value: Term) -> bool:
    """Whether it has no name, since what it is part of is simpler: a maximum that will cancel."""
    return t.mentions(value, t.Maximum) or not UNNAMED.isdisjoint(free(value))


UNNAMED = frozenset((INFINITE, UNWRITTEN))


def leading_to(wanted: Iterable[Array], steps: Sequence[Step]) -> set[Array]:
    """The arrays that others are computed from, these included."""
    by_array = {step.array: step for step in steps}
    found: set[Array] = set()
    pending = set(wanted)
    while pending:
        found |= pending
        known = (by_array[a] for a in pending if a in by_array)
        pending = {a for step in known for a in read_by(step.equation)} - found
    return found


def depending_on(array: Array, steps: Sequence[Step]) -> set[Array]:
    """The arrays that are computed from one, in the order of the steps."""
    found = {array}
    for step in steps:
        if not found.isdisjoint(read_by(step.equation)):
            found.add(step.array)
    return found
