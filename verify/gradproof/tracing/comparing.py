"""The definition read from code beside the code itself, on numbers. Deciding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from gradproof.evaluate import numeric
from gradproof.language.ops import Op
from gradproof.tracing.arising import Done
from gradproof.tracing.declared import Declared
from gradproof.tracing.definition import Traced
from gradproof.tracing.hooking import unhooked
from gradproof.tracing.points import (
    SHAPES,
    Env,
    Point,
    Values,
    allowed,
    asks_values,
    inputs_of,
    is_allowed,
    named_sizes,
    shapes,
    shown,
    spread,
)
from gradproof.tracing.seeking import Search
from gradproof.tracing.stepping import Steps
from gradproof.tracing.watching import Seen, evaluated

LARGE = 20  # values that are this far out
LARGEST = 400  # cells of an input at which the code is run
SCALES = (1, 6, 0.3)  # of random values, so that what happens far out and near 0 is compared too
AGAIN = "the code gives another result, or fails, when it is run again"
ROUNDINGS = 1000  # how much more than rounding a difference is that counts


class Code(Protocol):
    """The user's code, run on numbers."""

    name: str
    declared: Declared
    functions: tuple[Any, ...]  # of the user's

    def run(self, values: Values) -> Any:
        """The output."""

    def gradients(self, values: Values, cotangent: Any) -> dict[str, Any]:
        """What the user's rule gives, by the names of the inputs."""

    def trace(self, hints: Env) -> Traced:
        """What it is, read; branches that depend on sizes go as they do at these."""

    def at(self, sizes: Mapping[str, int]) -> Code:
        """The same code, where these sizes are numbers."""

    def backwards(self) -> Iterable[tuple[Any, ...]]:
        """Functions that return gradients, each with the inputs that these may be of, in order."""

    def others(self) -> Iterable[tuple[str, Code]]:
        """The code as it may run otherwise, though its arguments are of the same shapes."""

    def precise(self, dtype: str) -> Code:
        """The same code, run on numbers of this type."""

    def done(self, values: Values, cotangent: Any) -> list[Done]:
        """What each operation of it and of its gradient gives, in order."""


@dataclass
class Comparison:
    """A reading beside the code: where they were run, and what the reading compared there."""

    op: Op
    code: Code
    tolerance: float
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    seen: Seen = field(default_factory=Seen)
    steps: Steps = field(default_factory=Steps)
    compared: int = 0

    def at(self, point: Point, ordinary: bool) -> Iterator[str]:
        """Where they disagree at a point; at one that is not ordinary, by more than rounding."""
        if is_large(point) or not self.takes(point):
            return
        try:
            with self.steps.noted(), np.errstate(all="ignore"):
                y = np.asarray(self.code.run(point.values), dtype=float)
                cotangent = self.generator.normal(size=y.shape)
                gradients = self.code.gradients(point.values, cotangent)
        except Exception as failure:
            if ordinary:
                said = f"the code itself fails: {type(failure).__name__}: {failure}"
                yield f"at {shown(point.sizes)} {said}"
            return
        self.compared += 1
        if self.compared == 1 and not self.is_again(point, cotangent, y, gradients):
            yield f"at {shown(point.sizes)} {AGAIN}"
        try:
            read, rules, seen = evaluated(self.op, self.code.declared, point, cotangent)
        except (IndexError, ValueError) as failure:
            yield f"at {shown(point.sizes)} what was read has no value: {failure}"
            return
        self.seen.add(seen)
        found = [("the forward", y, read)] if not agree(y, read, self.tolerance) else []
        for name, value in gradients.items() if not found else ():
            if not agree(value, rules[name], self.tolerance):
                found.append((f"the gradient of {name}", value, rules[name]))
        if found and not ordinary and self.is_rounding(point, cotangent, found):
            return
        for what, own, other in found:
            yield f"{what} at {shown(point.sizes)}: {far(own, other)}"

    def is_again(self, point: Point, cotangent: Any, y: Any, gradients: Mapping[str, Any]) -> bool:
        """Whether the code says the same again, and where nothing watches it."""
        try:
            with unhooked(), np.errstate(all="ignore"):
                other = self.code.run(point.values)
                found = self.code.gradients(point.values, cotangent)
        except Exception:
            return False
        pairs = ((y, other), *((v, found[k]) for k, v in gradients.items()))
        return all(agree(a, b, self.tolerance) for a, b in pairs)

    def takes(self, point: Point) -> bool:
        declared = self.code.declared
        return not asks_values(declared) or is_allowed(self.op, declared, point)

    def is_rounding(self, point: Point, cotangent: Any, found: Any) -> bool:
        """Whether what was read, with more digits, is as far from itself as from the code."""
        declared = self.code.declared
        y, rules, _ = evaluated(self.op, declared, point, cotangent)
        more, precise, _ = evaluated(self.op, declared, point, cotangent, np.longdouble)
        noise = max(map(distance, [y, *rules.values()], [more, *precise.values()]))
        off = (distance(own, other, is_far(point)) for _, own, other in found)
        return noise * ROUNDINGS >= min(off)


def is_large(point: Point) -> bool:
    return any(np.size(v) > LARGEST for v in point.values.values() if isinstance(v, np.ndarray))


def is_far(point: Point) -> bool:
    """Whether values are so large that exponentials of them may be too large for a float."""
    arrays = (v for v in point.values.values() if isinstance(v, np.ndarray) and v.dtype == float)
    return any(np.max(np.abs(v), initial=0) > LARGE for v in arrays)


def distance(a: Any, b: Any, overflows: bool = False) -> float:
    """The largest difference; that from what is no number is infinite, unless that may be."""
    a, b = np.asarray(a), np.asarray(b)
    if a.size != b.size:
        return math.inf
    a, b = a.reshape(b.shape), b
    with np.errstate(all="ignore"):
        off = np.abs(a - b)
    a_number, b_number = np.isfinite(a), np.isfinite(b)
    same = ~(a_number & b_number) if overflows else ~a_number & ~b_number
    return float(np.max(np.where(same, 0, np.nan_to_num(off, nan=math.inf)), initial=0))


def differences(op: Op, code: Code, tolerance: float, steps: Steps) -> Iterator[str]:
    """Where the definition and the code disagree, on values on all sides of what it compares."""
    comparison = Comparison(op, code, tolerance, steps=steps)
    found = shapes(op)
    for number, sizes in enumerate(found * -(-SHAPES // max(1, len(found)))):
        point = allowed(
            op, code.declared, sizes, comparison.generator, spread(SCALES[number % len(SCALES)])
        )
        if overflows(op, code.declared, point):
            point = allowed(op, code.declared, sizes, comparison.generator)
        yield from comparison.at(point, True)
    if not comparison.compared:
        yield "no sizes were found at which to run the code"
        return
    search = Search(op, code.declared, comparison.seen, found, comparison.generator)
    for point in search.points(steps.numbers):
        yield from comparison.at(point, False)
    steps.beyond |= search.untold


def overflows(op: Op, declared: Declared, point: Point) -> bool:
    """Whether what was read is no number there, as where an exponential is too large for one."""
    try:
        y = numeric.forward(op, inputs_of(op, declared, point), named_sizes(op, point.sizes))
    except (IndexError, ValueError):
        return False
    return not np.all(np.isfinite(y))


def agree(a: Any, b: Any, tolerance: float) -> bool:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.size != b.size:
        return False
    b = b.reshape(a.shape)
    both = np.isfinite(a) & np.isfinite(b)
    undefined = ~np.isfinite(a) & ~np.isfinite(b)
    scale = 1 + np.max(np.abs(a[both]), initial=0)
    off = np.abs(a[both] - b[both])
    return bool(np.all(both | undefined) and np.all(off <= tolerance * scale))


def far(code: Any, read: Any) -> str:
    a, b = np.asarray(code, dtype=float), np.asarray(read, dtype=float)
    if a.size != b.size:
        return f"the code gives shape {a.shape}, what was read {b.shape}"
    b = b.reshape(a.shape)
    at = np.unravel_index(np.argmax(np.nan_to_num(np.abs(a - b), nan=np.inf)), a.shape)
    place = f"[{', '.join(str(int(i)) for i in at)}]"
    return f"the code gives {float(a[at]):.6g} at {place}, what was read {float(b[at]):.6g}"


def slope(run: Callable[[Any], Any], at: Any, step: float = 1e-4) -> Any:
    """The derivative of a function of one number, by differences of fourth order."""
    near, wide = (run(at + step) - run(at - step)), (run(at + 2 * step) - run(at - 2 * step))
    return (8 * near - wide) / (12 * step)


def difference(
    code: Code, values: Values, cotangent: Any, name: str, place: Any, step: float = 1e-4
) -> float:
    """What the code's output, by a cotangent, changes by as a cell does."""
    whole = np.array(values[name], dtype=float)

    def moved(value: Any) -> float:
        changed = whole.copy()
        changed[place] = value
        y = np.asarray(code.run({**values, name: changed}), dtype=float)
        return float(np.sum(y * cotangent))

    return float(slope(moved, whole[place], step))


def compared(
    code: Code, values: Values, cotangent: Any, name: str, place: Any
) -> tuple[float, float]:
    """One cell: the finite difference, and what the code's rule gives."""
    rule = code.gradients(values, cotangent)[name]
    return difference(code, values, cotangent, name, place), float(np.asarray(rule)[place])
