"""Types of floating-point numbers, and what an op is exactly at a point. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import (
    INTERVALS,
    Interval,
    Jet,
    Numbers,
    Undecided,
    Undefined,
    jets,
)
from gradproof.language.ops import Op, target_of
from gradproof.language.terms import Array, Term
from gradproof.tracing import points
from gradproof.tracing.declared import Declared
from gradproof.tracing.points import Point


@dataclass(frozen=True)
class Type:
    """A type of floating-point numbers."""

    name: str
    epsilon: float
    largest: float

    @property
    def lost(self) -> float:
        """The relative error at which more than half of the digits are lost."""
        return float(self.epsilon**0.4)

    def is_moderate(self, value: float) -> bool:
        return abs(value) < self.largest**0.75

    def rounded(self, values: Any) -> Any:
        """The nearest numbers of this type."""
        values = np.asarray(values, dtype=float)
        if self.name != "bfloat16":
            return values.astype(self.name).astype(float)
        bits = values.astype(np.float32).view(np.uint32)
        return ((bits + 0x8000) & 0xFFFF0000).view(np.float32).astype(float)


TYPES: Mapping[str, Type] = {
    kind.name: kind
    for kind in (
        Type("float64", 2.0**-52, 1.8e308),
        Type("float32", 2.0**-23, 3.4e38),
        Type("float16", 2.0**-10, 65504.0),
        Type("bfloat16", 2.0**-7, 3.4e38),
    )
}


@dataclass(frozen=True)
class Looked:
    """A place of an equation, and arrays that it reads beside the inputs."""

    equation: Term
    place: tuple[int, ...]
    given: Mapping[str, Any] = field(default_factory=dict)


class Exact:
    """An op at one point, evaluated so that all digits of a float are right."""

    def __init__(
        self, op: Op, declared: Declared, point: Point, seed: Any, output: Array | None = None
    ) -> None:
        self.op, self.sizes = op, point.sizes
        self.output = output or op.real_outputs[0]
        self.rule = next(e for e in op.system if target_of(e).array == self.output)
        self.cells = {
            a.name: points.factored(a, point.values[a.name], point.sizes)
            for a in declared.arguments
            if a.is_array
        }
        self.moving: tuple[Any, Evaluator] | None = None
        self.integers = {a.name for a in declared.arguments if a.kind == "integer"}
        numbers = {a.term: point.values[a.name] for a in declared.arguments if a.kind == "number"}
        self.env = {s: lifted(numbers[s]) if s in numbers else point.sizes.get(s) for s in op.sizes}
        dims = self.output.dims
        self.seed = np.reshape(seed, tuple(points.size_at(d, self.sizes) for d in dims))

    def cell(self, name: str, flat: int) -> float | None:
        """A cell of the output, or of its gradient by an input; none where it has no value."""
        try:
            return float_of(self.slope(name, flat) if name else self.value(flat))
        except (Undefined, Undecided):
            return None

    def value(self, flat: int) -> Interval:
        evaluator = Evaluator(INTERVALS, self.tensors(lambda of, at, v: v), self.op.system)
        return evaluator.equation(self.rule, placed(flat, self.seed.shape), self.env)

    def tensors(self, number: Callable[[str, Any, Interval], Any]) -> dict[str, Any]:
        """The cells of the inputs, as numbers of some kind; integers as they are."""

        def cells(name: str) -> Any:
            if name in self.integers:
                return lambda at: int(self.cells[name][at])
            return lambda at: number(name, at, lifted(self.cells[name][at]))

        return {name: cells(name) for name in self.cells}

    def slope(self, name: str, flat: int) -> Interval:
        """By the cells of the output, one after another, as that cell of the input moves."""
        numbers: Numbers = jets(INTERVALS)
        here = placed(flat, self.cells[name].shape)

        def moved(of: str, at: tuple[int, ...], value: Interval) -> Jet:
            return Jet(value, (INTERVALS.one,) if (of, at) == (name, here) else ())

        total = INTERVALS.zero
        for place in np.ndindex(*self.seed.shape):
            found = self.evaluated(numbers, moved, place)
            if found.rest:
                total = total + lifted(self.seed[place]) * found.rest[0]
        return total

    def evaluated(self, numbers: Numbers, moved: Any, place: tuple[int, ...]) -> Jet:
        """A cell of the output, as cells of the inputs move."""
        if self.moving is None or self.moving[0] is not moved:
            evaluator = Evaluator(numbers, self.tensors(moved), self.op.system)
            self.moving = moved, evaluator
        env = {s: Jet(v) if isinstance(v, Interval) else v for s, v in self.env.items()}
        found: Jet = self.moving[1].equation(self.rule, place, env)
        return found

    def looked_at(self, name: str, flat: int) -> Iterator[Looked]:
        """What is computed for a cell of the output, or of a gradient."""
        shape = self.seed.shape
        for place in np.ndindex(*shape) if name else [placed(flat, shape)]:
            yield Looked(self.rule, place)


def placed(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int, np.unravel_index(flat, shape))) if shape else ()


def float_of(found: Interval) -> float | None:
    """The number, if its ends are one float."""
    low, high = (float(mpmath.mpf(end)) for end in found.ends)
    return low if abs(high - low) <= 1e-12 * abs(low) else None


def lifted(value: Any) -> Interval:
    above, below = float(value).as_integer_ratio()
    return INTERVALS.divide(INTERVALS.lift(above), INTERVALS.lift(below))
