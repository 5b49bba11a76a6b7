"""The definition with names for what the code computes on the way. Untrusted.

What the backward reads of the forward, or computes anew, is an array of its own; so is what the
backward computes if it is the cotangent of one, which numbers show: which it is, is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, target_of
from gradproof.language.systems import made_by, read_by
from gradproof.language.terms import Array, Eq, Term
from gradproof.tracing import points
from gradproof.tracing.declared import Declared
from gradproof.tracing.definition import (
    Traced,
    definition,
    indices,
    named_apart,
    output_array,
    output_name,
)
from gradproof.tracing.recurrences import System
from gradproof.tracing.slopes import Slopes
from gradproof.tracing.steps import Step, depending_on, leading_to, steps_of
from gradproof.tracing.tensors import Name, Tensor, TooLong, as_real, constant, naming


@dataclass(frozen=True)
class Way:
    """A way to write what code was read as: its recurrences, and the steps that lead to them."""

    name: str
    declared: Declared
    traced: Traced
    made: Sequence[Tensor]
    sizes: points.Env
    requires: Sequence[Term]
    system: System

    def written(self, names: Mapping[Tensor, Name]) -> Op:
        return definition(self.name, self.declared, self.traced, self.requires, self.system, names)

    @cached_property
    def plain(self) -> Op | None:
        """The op without names for steps, unless that is too long."""
        try:
            return self.written({})
        except TooLong:
            return None

    @cached_property
    def op(self) -> Op:
        return self.plain or self.named or self.written({})  # which says what is too long

    @cached_property
    def outlined(self) -> Op:
        """What code computes, with a name for every step, and nothing of its gradients."""
        still = {a: constant(0, x.shape) for a, x in self.traced.gradients.items()}
        names = {made_by(e): made_by(e) for e in self.run.forward}
        forward = replace(self, traced=replace(self.traced, gradients=still))
        return forward.written(tensors_of(self.run, names))

    @cached_property
    def run(self) -> Run:
        result = output_array(output_name(self.declared), as_real(self.traced.output))
        given = (*(a.array for a in self.declared.arguments if a.is_array), cotangent(result))
        steps = steps_of(self.made, self.sizes, given, self.system)
        return run_of(result, self.traced, steps, self.system)

    @cached_property
    def slopes(self) -> Slopes | None:
        run = self.run
        equations = (run.forward, run.backward, run.equation)
        return Slopes.of(self.plain or self.outlined, *equations, self.declared, self.sizes)

    @property
    def fits(self) -> bool:
        """Whether loops of the backward carry cotangents of the states, by numbers."""
        slopes = self.slopes
        return slopes is None or all(slopes.is_of(a, [b]) for a, b in self.system.pairs)

    @cached_property
    def named(self) -> Op | None:
        """The op as a system of its steps; none where there is nothing to name."""
        names = chosen(self.run, pairs(self.run, self.slopes), self.declared)
        while names:
            found = self.written(tensors_of(self.run, names))
            unread = [a for a in names if is_unread(names[a], found)]
            if not unread:
                return found
            names = {a: name for a, name in names.items() if a not in unread}
        return None


@dataclass(frozen=True)
class Run:
    """The steps of code, the equations that lead to the output, and those of the gradients."""

    result: Array
    steps: tuple[Step, ...]
    output: Array | None
    forward: tuple[Term, ...]
    backward: tuple[Term, ...]
    equation: Term  # of the output
    shared: frozenset[Array]  # of the forward, and read in the backward


def run_of(result: Array, traced: Traced, steps: tuple[Step, ...], system: System) -> Run:
    names = {x: Name(s.array, turn) for s in steps for x, turn in s.turns.items()}
    gradients = [as_real(g) for g in traced.gradients.values()]
    output = as_real(traced.output)
    place = indices("i", len(output.factors))
    with naming(names):
        y = system.forward.put(output.cell(place))
        cells = (system.backward.put(g.cell(indices("i", len(g.factors)))) for g in gradients)
        read = {a for cell in cells for a in t.arrays(cell)}
        known = (*system.let, *system.rules, *(s.equation for s in steps))
    first = leading_to(t.arrays(y), known)
    forward = tuple(e for e in known if made_by(e) in first)
    second = leading_to(read, known) - first
    backward = tuple(e for e in known if made_by(e) in second)
    shared = read.union(*map(read_by, backward)) & first
    whole = Eq(result[place], y)
    made = names.get(output)
    own = None if made is None else made.array
    return Run(result, steps, own, forward, backward, whole, frozenset(shared))


def pairs(run: Run, slopes: Slopes | None) -> Iterator[tuple[Array, Array]]:
    """What the forward computes with what the backward computes as its cotangent, it seems."""
    if slopes is None:
        return
    later = depending_on(cotangent(run.result), run.backward)
    steps = {s.array for s in run.steps}
    left = [a for a in map(made_by, run.backward) if a in later & steps]
    for array in reversed([a for a in map(made_by, run.forward) if a in steps]):
        alike = [a for a in left if a.dims == array.dims]
        found = None if array == run.output else slopes.is_of(array, alike)
        if found is not None:
            left.remove(found)
            yield array, found


def chosen(
    run: Run, found: Iterator[tuple[Array, Array]], declared: Declared
) -> dict[Array, Array]:
    """The names of the steps that have one."""
    adjoint = dict(found)
    taken = {a.name for a in declared.arguments} | set(declared.symbols)
    letter = named_apart("h", taken)
    names: dict[Array, Array] = {}
    for step in run.steps:
        a = step.array
        if a == run.output and a in run.shared:
            names[a] = run.result
        elif a != run.output and (a in run.shared or a in adjoint):
            names[a] = Array(f"{letter}{len(names) + 1}", a.dims)
    return names | {bar: cotangent(names[a]) for a, bar in adjoint.items()}


def tensors_of(run: Run, names: Mapping[Array, Array]) -> dict[Tensor, Name]:
    """The tensors of the steps that have names, in the order in which they are computed."""
    taken = (s for s in run.steps if s.array in names)
    return {x: Name(names[s.array], turn) for s in taken for x, turn in s.turns.items()}


def is_unread(name: Array, op: Op) -> bool:
    """Whether an intermediate, or a cotangent of one, is there for nothing."""
    others = (e for e in (*op.system, *op.vjp) if target_of(e).array != name)
    return name != op.output and not any(name in read_by(e) for e in others)
