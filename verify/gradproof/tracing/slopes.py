"""How the output of code moves with what it computes on the way, on random numbers. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradproof.evaluate import numeric
from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, target_of
from gradproof.language.systems import made_by, read_by, recurrences
from gradproof.language.terms import Array, Eq, Term
from gradproof.tracing import comparing, points
from gradproof.tracing.declared import Declared
from gradproof.tracing.steps import depending_on

MOVED = 1e-4  # by finite differences
CLOSE = 1e-6
NO_VALUE = (ValueError, IndexError, ZeroDivisionError)


@dataclass(frozen=True)
class Slopes:
    """The arrays of code on random values, and the equations that lead to the output."""

    op: Op
    forward: tuple[Term, ...]
    equation: Term  # of the output
    evaluator: numeric.Evaluator
    values: Mapping[str, Any]
    generator: np.random.Generator

    @classmethod
    def of(
        cls,
        op: Op,
        forward: tuple[Term, ...],
        backward: tuple[Term, ...],
        equation: Term,
        declared: Declared,
        sizes: points.Env,
    ) -> Slopes | None:
        generator = np.random.default_rng(3)
        sizes = {**dict.fromkeys(op.sizes, 1), **sizes}
        point = points.allowed(op, declared, sizes, generator)
        given = points.inputs_of(op, declared, point)
        arrays = {a: np.asarray(given[a.name]) for a in op.operands}
        try:
            found = numeric.Evaluator(op, arrays, points.named_sizes(op, sizes))
            seed = cotangent(op.output).name
            found.tensors[seed] = generator.normal(size=found.shape(op.output))
            compute(found, forward)
            compute(found, backward)
        except NO_VALUE:
            return None
        return cls(op, forward, equation, found, dict(found.tensors), generator)

    def is_of(self, array: Array, others: Sequence[Array]) -> Array | None:
        """Which of others, of its shape, has the value that its cotangent has."""
        if not others:
            return None
        way = self.generator.normal(size=self.values[array.name].shape)
        try:
            expected = self.slope(array, way)
        except NO_VALUE:
            return None
        found = ((a, float(np.sum(self.values[a.name] * way))) for a in others)
        close = (a for a, value in found if abs(value - expected) <= CLOSE * (1 + abs(expected)))
        return next(close, None)

    def slope(self, array: Array, way: Any) -> float:
        """How the output, by its cotangent, moves with an array."""
        moved = depending_on(array, self.forward)
        nudge = Array("nudge", array.dims)
        after = [
            nudged(e, nudge) if made_by(e) == array else e
            for e in self.forward
            if made_by(e) in moved
        ]
        seed = self.values[cotangent(self.op.output).name]

        def at(size: float) -> Any:
            self.evaluator.tensors.update(self.values)
            self.evaluator.tensors[nudge.name] = size * way
            compute(self.evaluator, after)
            return float(np.sum(self.evaluator.equation(self.equation) * seed))

        return float(comparing.slope(at, 0.0, MOVED))


def compute(evaluator: numeric.Evaluator, equations: Iterable[Term]) -> None:
    """All arrays, each after those that it is made of where none reads itself."""
    waiting = list(equations)
    if recurrences(waiting):
        evaluator.repeat(tuple(waiting))
        return
    while waiting:
        ready = next(e for e in waiting if read_by(e).isdisjoint(map(made_by, waiting)))
        evaluator.once((ready,))
        waiting.remove(ready)


def nudged(equation: Term, nudge: Array) -> Term:
    target = target_of(equation)
    return Eq(target, t.plus(equation.right, nudge[target.index]))
