"""The definition with names for what the code computes on the way. Untrusted.

What the backward reads of the forward, or computes anew, is an array of its own; so is what the
backward computes if it is the cotangent of one, which numbers show: which it is, is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gradproof.evaluate import numeric
from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, target_of
from gradproof.language.systems import read_by
from gradproof.language.terms import Array, Eq, Term
from gradproof.tracing import comparing
from gradproof.tracing.declared import Declared
from gradproof.tracing.definition import (
    Traced,
    definition,
    indices,
    named_apart,
    output_array,
    output_name,
)
from gradproof.tracing.steps import Step, depending_on, leading_to, steps_of
from gradproof.tracing.tensors import Tensor, as_real, constant, naming

MOVED = 1e-4  # by finite differences
CLOSE = 1e-6


def with_names(
    op: Op,
    declared: Declared,
    traced: Traced,
    made: Sequence[Tensor],
    sizes: comparing.Env,
    requires: Sequence[Term],
) -> Op | None:
    """The op that code was read as, as a system; none where there is nothing to name."""
    if traced.loops or traced.back:
        return None
    run = run_of(op.output, traced, steps_of(made, sizes))
    numbers = Numbers.of(run, op, declared, sizes)
    names = chosen(run, pairs(run, numbers), declared)
    while names:
        found = definition(op.name, declared, traced, requires, names=tensors_of(run, names))
        unread = [a for a in names if is_unread(names[a], found)]
        if not unread:
            return found
        names = {a: name for a, name in names.items() if a not in unread}
    return None


def outlined(
    name: str,
    declared: Declared,
    traced: Traced,
    made: Sequence[Tensor],
    sizes: comparing.Env,
    requires: Sequence[Term],
) -> Op:
    """What code computes, with a name for every step, and nothing of its gradients."""
    still = {a: constant(0, x.shape) for a, x in traced.gradients.items()}
    forward = replace(traced, gradients=still)
    output = output_array(output_name(declared), as_real(traced.output))
    run = run_of(output, traced, steps_of(made, sizes))
    names = tensors_of(run, {a: a for a in run.forward})
    return definition(name, declared, forward, requires, names=names)


@dataclass(frozen=True)
class Run:
    """The steps of code, and which of them lead to the output and to the gradients."""

    result: Array
    steps: tuple[Step, ...]
    output: Array | None
    forward: set[Array]
    backward: set[Array]
    equation: Term  # of the output
    shared: set[Array] = field(default_factory=set)  # of the forward, and read in the backward


def run_of(result: Array, traced: Traced, steps: tuple[Step, ...]) -> Run:
    tensors = {x: s.array for s in steps for x in s.tensors}
    gradients = [as_real(g) for g in traced.gradients.values()]
    output = as_real(traced.output)
    place = indices("i", len(output.factors))
    with naming(tensors):
        y = output.cell(place)
        read = {a for g in gradients for a in t.arrays(g.cell(indices("i", len(g.factors))))}
    forward = leading_to(t.arrays(y), steps)
    backward = leading_to(read, steps) - forward
    shared = read.union(*(read_by(s.equation) for s in steps if s.array in backward)) & forward
    whole = Eq(result[place], y)
    return Run(result, steps, tensors.get(output), forward, backward, whole, shared)


def pairs(run: Run, numbers: Numbers | None) -> Iterator[tuple[Array, Array]]:
    """What the forward computes with what the backward computes as its cotangent, it seems."""
    seed = cotangent(run.result)
    later = depending_on(seed, run.steps) & run.backward
    left = [s.array for s in run.steps if s.array in later]
    if numbers is None:
        return
    for step in reversed(run.steps):
        if step.array not in run.forward or step.array == run.output:
            continue
        alike = [a for a in left if a.dims == step.array.dims]
        if not alike:
            continue
        way = numbers.way(step.array)
        expected = numbers.slope(step.array, way)
        for a in alike:
            found = float(np.sum(numbers.values[a.name] * way))
            if abs(found - expected) <= CLOSE * (1 + abs(expected)):
                left.remove(a)
                yield step.array, a
                break


@dataclass(frozen=True)
class Numbers:
    """The steps of code on random values."""

    run: Run
    evaluator: numeric.Evaluator
    values: Mapping[str, Any]
    generator: np.random.Generator

    @classmethod
    def of(cls, run: Run, op: Op, declared: Declared, sizes: comparing.Env) -> Numbers | None:
        generator = np.random.default_rng(3)
        point = comparing.allowed(op, declared, sizes, generator)
        given = comparing.inputs_of(op, declared, point)
        arrays = {a: np.asarray(given[a.name]) for a in op.operands}
        try:
            found = numeric.Evaluator(op, arrays, comparing.named_sizes(op, sizes))
            shape = found.shape(op.output)
            found.tensors[cotangent(op.output).name] = generator.normal(size=shape)
            for step in run.steps:
                found.tensors[step.array.name] = found.equation(step.equation)
        except (ValueError, IndexError, ZeroDivisionError):
            return None
        return cls(run, found, dict(found.tensors), generator)

    def way(self, array: Array) -> Any:
        return self.generator.normal(size=self.values[array.name].shape)

    def slope(self, array: Array, way: Any) -> float:
        """How the output, by its cotangent, moves with an array."""
        moved = depending_on(array, self.run.steps) & self.run.forward - {array}
        after = [s.equation for s in self.run.steps if s.array in moved]
        seed = self.values[cotangent(self.run.result).name]

        def at(size: float) -> Any:
            self.evaluator.tensors.update(self.values)
            self.evaluator.tensors[array.name] = self.values[array.name] + size * way
            for equation in after:
                made = target_of(equation).array
                self.evaluator.tensors[made.name] = self.evaluator.equation(equation)
            return float(np.sum(self.evaluator.equation(self.run.equation) * seed))

        return float(comparing.slope(at, 0.0, MOVED))


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


def tensors_of(run: Run, names: Mapping[Array, Array]) -> dict[Tensor, Array]:
    """The tensors of the steps that have names, in the order in which they are computed."""
    return {x: names[s.array] for s in run.steps if s.array in names for x in s.tensors}


def is_unread(name: Array, op: Op) -> bool:
    """Whether an intermediate, or a cotangent of one, is there for nothing."""
    others = (e for e in (*op.system, *op.vjp) if target_of(e).array != name)
    return name != op.output and not any(name in read_by(e) for e in others)
