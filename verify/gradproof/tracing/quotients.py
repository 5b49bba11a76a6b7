"""The gradient that code gives beside finite differences of the code itself. Deciding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from gradproof.language.ops import Op
from gradproof.tracing import comparing, points
from gradproof.tracing.comparing import Code
from gradproof.tracing.points import Env, Values

CLEAR = 1e-4  # one that is above is a refutation
WIDE = 1e-3  # a second step of finite differences
STEPS = (1e-5, 1e-4, 1e-3)  # to each side
SEEN = 1e-7  # what is off by more along a line is looked at cell by cell
NOISE = 1e-9  # of finite differences
MOST = 64  # cells of an input
SCALES = (1, 6, 0.3)


class Shapeless(Exception):
    """A gradient that has not the shape of its input."""

    def __init__(self, name: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
        super().__init__(f"the gradient of {name} has the shape {found}, {name} has {wanted}")
        self.name = name


@dataclass(frozen=True)
class Point:
    """Where code is run: sizes, values of its arguments, and a cotangent."""

    sizes: Env
    values: Values
    cotangent: Any


@dataclass(frozen=True)
class Wrong:
    """A cell of a gradient that is not what finite differences give."""

    at: Point
    name: str
    place: tuple[int, ...]
    expected: float
    found: float

    @property
    def off(self) -> float:
        return abs(self.expected - self.found) / (1 + abs(self.expected))


@dataclass
class Clock:
    """A number of seconds of processor time."""

    seconds: float

    def __post_init__(self) -> None:
        self.end = process_time() + self.seconds

    @property
    def is_over(self) -> bool:
        return process_time() > self.end


@dataclass
class Search:
    """Runs code at points until a cell is surely wrong; what was off by less is kept."""

    code: Code
    clock: Clock
    every: bool = False  # cell is looked at, and not only those of inputs that are off along a line
    largest: float = 0.0

    def first(self, found: Iterable[Point]) -> Wrong | None:
        for point in found:
            if self.clock.is_over:
                return None
            try:
                wrong = self.at(point)
                if wrong is not None and self.is_repeated(point):
                    return wrong
            except Shapeless:
                raise
            except Exception:
                continue
        return None

    def at(self, point: Point) -> Wrong | None:
        """The first cell there that is surely wrong."""
        gradients = gradients_at(self.code, point)
        for name, rule in gradients.items():
            if not self.every and not is_off_along(self.code, point, name, rule):
                continue
            for place in np.ndindex(np.shape(rule)):
                if self.clock.is_over:
                    return None
                wrong = self.cell(point, name, place, rule[place])
                if wrong is not None:
                    return wrong
        return None

    def cell(self, point: Point, name: str, place: tuple[int, ...], found: Any) -> Wrong | None:
        moved = along_cell(self.code, point, name, place)
        wrong = Wrong(point, name, place, float(comparing.slope(moved, 0.0)), float(found))
        if not np.isfinite(wrong.expected) or not np.isfinite(wrong.found):
            return None
        if wrong.off > CLEAR:
            return wrong if is_sure(moved, wrong) else None
        self.largest = max(self.largest, wrong.off if wrong.off > NOISE else 0.0)
        return None

    def is_repeated(self, point: Point) -> bool:
        """Whether the code gives the same again: it draws no numbers."""

        def everything() -> list[Any]:
            y = np.asarray(self.code.run(point.values), dtype=float)
            return [y, *gradients_at(self.code, point).values()]

        pairs = zip(everything(), everything(), strict=True)
        return all(np.array_equal(one, other, equal_nan=True) for one, other in pairs)


def gradients_at(code: Code, point: Point) -> dict[str, Any]:
    """What the code's rule gives, each in the shape of its input."""
    found = {}
    for name, rule in code.gradients(point.values, point.cotangent).items():
        wanted = np.shape(point.values[name])
        found[name] = np.asarray(rule, dtype=float)
        if leading(found[name].shape) != leading(wanted):
            raise Shapeless(name, found[name].shape, wanted)
        found[name] = found[name].reshape(wanted)
    return found


def leading(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Without the axes of 1 in front, which broadcasting adds."""
    return shape[next((k for k, n in enumerate(shape) if n != 1), len(shape)) :]


def along_cell(code: Code, point: Point, name: str, place: Any) -> Callable[[float], float]:
    """What the cotangent makes of the output, as one cell is moved."""
    way = np.zeros(np.shape(point.values[name]))
    way[place] = 1
    return along(code, point, name, way)


def along(code: Code, point: Point, name: str, way: Any) -> Callable[[float], float]:
    whole = np.asarray(point.values[name], dtype=float)

    def moved(by: float) -> float:
        y = np.asarray(code.run({**point.values, name: whole + by * way}), dtype=float)
        return float(np.sum(y * point.cotangent))

    return moved


def is_off_along(code: Code, point: Point, name: str, rule: Any) -> bool:
    """Whether all cells, moved at once, say that some may be wrong."""
    way = np.cos(1 + 2.7 * np.arange(np.size(rule))).reshape(np.shape(rule))
    expected = comparing.slope(along(code, point, name, way), 0.0)
    if not np.isfinite(expected) or not np.all(np.isfinite(rule)):
        return True
    return bool(abs(expected - np.sum(rule * way)) > SEEN * (1 + abs(expected)))


def is_sure(moved: Callable[[float], float], wrong: Wrong) -> bool:
    """Whether it is no kink, no step and no rounding: all slopes, to both sides, say the same."""
    gap = abs(wrong.expected - wrong.found)
    if not abs(comparing.slope(moved, 0.0, WIDE) - wrong.expected) <= gap / 10:
        return False
    here = moved(0.0)
    slopes = (
        (4 * moved(step) - 3 * here - moved(2 * step)) / (2 * step)
        for size in STEPS
        for step in (size, -size)
    )
    return all(abs(each - wrong.expected) <= gap / 5 for each in slopes)


def drawn(
    code: Code, op: Op, shapes: Sequence[Env], generator: np.random.Generator
) -> Iterator[Point]:
    """Random values at sizes, small ones first, with two decimals."""
    declared = code.declared
    arrays = [a for a in declared.arguments if a.is_array]

    def cells(sizes: Env) -> int:
        return max((int(np.prod(points.shape_at(a, sizes))) for a in arrays), default=0)

    for scale in SCALES:
        for sizes in sorted((s for s in shapes if cells(s) <= MOST), key=cells):
            point = points.allowed(op, declared, sizes, generator, points.spread(scale))
            found = at(code, op, sizes, rounded(point.values), generator)
            if found is not None:
                yield found


def at(
    code: Code, op: Op, sizes: Env, values: Values, generator: np.random.Generator
) -> Point | None:
    """These values with a random cotangent, if they are as required and the code takes them."""
    if not is_allowed(code, op, sizes, values):
        return None
    try:
        shape = np.shape(code.run(values))
    except Exception:
        return None
    return Point(sizes, values, np.round(generator.normal(size=shape) if shape else 1.5, 2))


def is_allowed(code: Code, op: Op, sizes: Env, values: Values) -> bool:
    point = points.Point(sizes, values)
    return not points.asks_values(code.declared) or points.is_allowed(op, code.declared, point)


def rounded(values: Values) -> Values:
    return {
        k: np.round(v, 2) if isinstance(v, np.ndarray) and v.dtype == float else v
        for k, v in values.items()
    }
