"""Inputs at which code that is right over the reals gives nan, infinity or few digits. Untrusted.

The code runs in its own precision beside double precision, on inputs of moderate size; where they
part, the exact value says which of them is wrong. Nothing is told that the code, run there, does
not show, nor what rounding its inputs would explain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from math import inf, isfinite, prod
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from gradproof.evaluate.numbers import precisely
from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Sym
from gradproof.tracing import points
from gradproof.tracing.causes import FORMS, cause_of
from gradproof.tracing.comparing import Code
from gradproof.tracing.declared import Declared
from gradproof.tracing.floats import TYPES, Exact, Type, placed
from gradproof.tracing.points import Point, Reals

BITS = 300  # of what is called exact
DRAWN, CHANGED, CONFIRMED = 160, 80, 24  # inputs drawn, changed, and looked at exactly
SIMPLER = 40  # inputs tried in the place of one that was found
MOST_CELLS = 64  # of all inputs
ELSEWHERE = 3  # places at which it is seen how large a gradient is
SECONDS = 1.0  # of processor time
LOW, HIGH = -6, 4  # moderate: powers of ten of what inputs are, or 0


@dataclass(frozen=True)
class Lost:
    """An input at which a cell of the output, or of a gradient, is not what it is exactly."""

    kind: Type
    point: Point
    name: str  # of the input whose gradient it is; empty of the output
    place: tuple[int, ...]
    found: float
    exact: float | None  # none at the edge of where there is a derivative
    cause: str = ""

    @property
    def text(self) -> str:
        at = f"[{', '.join(map(str, self.place))}]" if self.place else ""
        what = f"the gradient of {self.name}{at}" if self.name else f"the output{at}"
        exact = "where it has none" if self.exact is None else f"exactly {self.exact:.6g}"
        said = f"in {self.kind.name} {what} is {self.found:.6g} at {given(self.point)}, {exact}"
        return f"{said}: {self.cause}" if self.cause else said


def given(point: Point) -> str:
    def listed(value: Any) -> str:
        if not isinstance(value, np.ndarray):
            return str(value)
        numbers = (f"{v:.6g}" if value.dtype == float else str(v) for v in value.ravel())
        shown = np.array(list(numbers), dtype=object).reshape(value.shape).tolist()
        return str(shown).replace("'", "")

    return ", ".join(f"{k} = {listed(v)}" for k, v in point.values.items() if v is not None)


def lost(code: Code, op: Op, dtype: str = "float32", seconds: float = SECONDS) -> Lost | None:
    """The first input found at which the code loses its digits, made simple, or none."""
    end = process_time() + seconds
    search = Search(op, code, code.precise(dtype), TYPES[dtype], end, np.random.default_rng(5))
    with np.errstate(all="ignore"), precisely(BITS):
        found = search.found()
        return found and search.simplest(found)


@dataclass
class Search:
    """For inputs at which the code gives less than half of the digits."""

    op: Op
    wide: Code  # in double precision
    code: Code  # in the type that is asked about
    kind: Type
    end: float  # in seconds of processor time
    generator: np.random.Generator
    confirmed: int = 0

    def found(self) -> Lost | None:
        """One that is no number, if there is one, else one that has few digits."""
        first = None
        for found in self.all_found():
            if not isfinite(found.found):
                return found
            first = first or found
        return first

    def all_found(self) -> Iterator[Lost]:
        best: list[tuple[float, Point]] = []
        for sizes in sizes_of(self.op, self.wide.declared):
            for point in self.drawn(sizes):
                off, found = self.at(point)
                best = sorted([*best, (off, point)], key=lambda b: -b[0])[:4]
                yield from found
        for turn in range(CHANGED if best else 0):
            before, point = best[turn % len(best)]
            for changed in self.allowed(self.changed(point)):
                off, found = self.at(changed)
                if off > before:
                    best[turn % len(best)] = off, changed
                yield from found

    def at(self, point: Point) -> tuple[float, list[Lost]]:
        """How far the two precisions part, and what is lost, if what is exact confirms it."""
        if self.confirmed >= CONFIRMED or process_time() > self.end:
            return 0.0, []
        try:
            y = np.asarray(self.code.run(point.values), dtype=float)
            seed = self.kind.rounded(np.linspace(0.5, 1.5, max(1, y.size))).reshape(y.shape)
            got = {"": y, **self.code.gradients(point.values, seed)}
            wide = {"": self.wide.run(point.values), **self.wide.gradients(point.values, seed)}
        except Exception:  # of which the comparison tells
            return 0.0, []
        apart = [(o, k, n) for k in got for n, o in enumerate(parted(got[k], wide[k]))]
        far = sorted((a for a in apart if a[0] > self.kind.lost / 2), key=lambda a: -a[0])
        self.confirmed += bool(far)
        for _, name, flat in far[:4]:
            if found := self.confirmation(point, seed, name, flat, got):
                return inf, [found]
        return max((off for off, _, _ in apart if off < inf), default=0.0), []

    def confirmation(
        self, point: Point, seed: Any, name: str, flat: int, got: Mapping[str, Any]
    ) -> Lost | None:
        """What is lost in one cell, by its exact value."""
        exact = Exact(self.op, self.wide.declared, point, seed)
        value = exact.cell(name, flat)
        cell = float(np.ravel(got[name])[flat])
        place = placed(flat, np.shape(got[name]))
        seen = Lost(self.kind, point, name, place, cell, value)
        if name and not np.isfinite(got[""]).all():
            return None  # of which the output tells, if it is of moderate size
        if value is None:
            is_told = bool(name) and not isfinite(cell)
        elif not isfinite(cell):
            is_told = self.kind.is_moderate(value)
        else:
            is_told = self.is_lost(seen, seed, flat)
        if not is_told:
            return None
        cause = cause_of(exact, self.kind, name, flat)
        is_form = not name and cause.endswith(FORMS)
        if isfinite(cell) and not is_form and off_by(seen) <= self.least(point, seed, name, got):
            return None
        return replace(seen, cause=cause)

    def is_lost(self, seen: Lost, seed: Any, flat: int) -> bool:
        """Whether half of the digits are lost, and more than rounded inputs explain."""
        value = seen.exact or 0.0
        most = self.kind.lost * abs(value)
        if not self.kind.is_moderate(value) or off_by(seen) <= most:
            return False
        near = (Exact(self.op, self.wide.declared, self.near(seen.point), seed) for _ in range(4))
        moved = (exact.cell(seen.name, flat) for exact in near)
        room = max((abs(v - value) for v in moved if v is not None), default=inf)
        return off_by(seen) > most + 16 * room

    def least(self, point: Point, seed: Any, name: str, got: Any) -> float:
        """An error that is nothing beside other cells, and beside what they are elsewhere."""

        def usual(change: Callable[[Any], Any]) -> float:
            moved = (self.each(point, change).values for _ in range(ELSEWHERE))
            return median(size_of(self.cells(name, values, seed)) for values in moved)

        draw, g = points.spread(2), self.generator
        shuffled = usual(lambda v: g.permutation(v.ravel()).reshape(v.shape))
        size = max(size_of(got[name]), shuffled, usual(lambda v: draw(g, v.shape)))
        return size * (self.kind.lost if name else 64 * self.kind.epsilon)

    def cells(self, name: str, values: dict[str, Any], seed: Any) -> Any:
        """The output or a gradient, in double precision."""
        return self.wide.gradients(values, seed)[name] if name else self.wide.run(values)

    # Points.

    def near(self, point: Point) -> Point:
        """Each input two roundings off."""
        step, g = 2 * self.kind.epsilon, self.generator
        return self.each(point, lambda v: v * (1 + step * g.choice([-1, 1], v.shape)))

    def each(self, point: Point, change: Callable[[Any], Any]) -> Point:
        """With every real input changed."""
        reals = ("real", "number", "constant")
        names = [a.name for a in self.wide.declared.arguments if a.kind in reals]
        changed = {k: change(np.asarray(point.values[k], dtype=float)) for k in names}
        return Point(point.sizes, {**point.values, **changed})

    def drawn(self, sizes: points.Env) -> Iterator[Point]:
        """Points of every kind that is known to make trouble."""
        near = [points.about(0.0), *thresholds(self.op)]
        for turn in range(DRAWN):
            makers = [*makers_of(self.kind, self.generator), *near]
            make = makers[turn % len(makers)]
            declared = self.wide.declared
            yield from self.allowed(points.allowed(self.op, declared, sizes, self.generator, make))

    def allowed(self, point: Point) -> Iterator[Point]:
        """The point in numbers of the type, if what is required of values holds there."""
        found = self.each(point, self.kind.rounded)
        declared = self.wide.declared
        if not points.asks_values(declared) or points.is_allowed(self.op, declared, found):
            yield found

    def changed(self, point: Point) -> Point:
        """A neighbour: one cell, or all of an input, larger, smaller, shifted, or alike."""
        g = self.generator
        names = [a.name for a in self.wide.declared.arguments if a.kind == "real"]
        name = names[g.integers(len(names))]
        value = np.array(point.values[name], dtype=float)
        if not value.size:
            return point
        at = g.integers(value.size)
        match g.integers(5):
            case 0:
                value.flat[at] *= 2.0 ** g.integers(-6, 7)
            case 1:
                value *= 2.0 ** g.integers(-6, 7)
            case 2:
                value.flat[at] = 0.0
            case 3:
                value += 10 ** g.uniform(-2, HIGH)
            case _:
                value.flat[at] = value.flat[0]
        is_moderate = (value == 0) | ((np.abs(value) <= 10**HIGH) & (np.abs(value) >= 10.0**LOW))
        return Point(point.sizes, {**point.values, name: value}) if is_moderate.all() else point

    def simplest(self, found: Lost) -> Lost:
        """The same loss with fewer digits, and more cells that are 0 or alike."""
        self.confirmed = -SIMPLER
        for name, change in ((n, c) for n in found.point.values for c in CHANGES):
            value = found.point.values[name]
            if not isinstance(value, np.ndarray) or value.dtype != float or not value.size:
                continue
            for other in change(value):
                values = {**found.point.values, name: other}
                for point in self.allowed(Point(found.point.sizes, values)):
                    _, seen = self.at(point)
                    found = next((other for other in seen if is_alike(found, other)), found)
        return found


def off_by(seen: Lost) -> float:
    return abs(seen.found - (seen.exact or 0.0))


def is_alike(one: Lost, other: Lost) -> bool:
    return (one.name, isfinite(one.found)) == (other.name, isfinite(other.found))


def digits(count: int) -> Callable[[Any], Iterator[Any]]:
    """All cells, with so many digits."""

    def change(value: Any) -> Iterator[Any]:
        yield np.array([float(f"{v:.{count}g}") for v in value.ravel()]).reshape(value.shape)

    return change


def alike(value: Any) -> Iterator[Any]:
    largest = value.ravel()[np.argmax(np.abs(value))]
    yield np.zeros(value.shape)
    yield np.full(value.shape, float(f"{largest:.1g}"))


def smaller(value: Any) -> Iterator[Any]:
    yield from (value / 2**n for n in range(1, 8))


CHANGES = (alike, smaller, digits(4), digits(2), digits(1))


def parted(got: Any, wide: Any) -> list[float]:
    """How far each cell is from that in double precision; infinitely, if either is no number."""
    got, wide = np.ravel(np.asarray(got, float)), np.ravel(np.asarray(wide, float))
    off = np.abs(got - wide) / np.maximum(np.abs(wide), 1e-25)
    return [float(v) for v in np.where(np.isfinite(got) & np.isfinite(wide), off, inf)]


def size_of(array: Any) -> float:
    return float(np.max(np.abs(np.nan_to_num(array)), initial=0.0))


def sizes_of(op: Op, declared: Declared) -> Iterator[points.Env]:
    """Sizes of three and more, at which little cancels by itself, else those that there are."""
    known = points.shapes(op)
    clauses = tuple(c for c in op.requires if not t.arrays(c))
    whole = [s for s in known[0] if isinstance(s, Sym) and s.sort == t.INT] if known else []
    steps = ((k, step, s) for k, step in ((3, 1), (2, 1), (2, 0)) for s in known)
    larger = ({**s, **{n: k + i % 2 * e for i, n in enumerate(whole)}} for k, e, s in steps)
    allowed = (sizes for sizes in larger if satisfies(clauses, sizes))
    few = (s for s in (*allowed, *reversed(known)) if cells_of(declared, s) <= MOST_CELLS)
    yield from islice(few, 1)


def cells_of(declared: Declared, sizes: points.Env) -> int:
    shapes = (points.shape_at(a, sizes) for a in declared.arguments if a.is_array)
    return sum(prod(shape) for shape in shapes)


def makers_of(kind: Type, generator: np.random.Generator) -> tuple[Reals, ...]:
    """Equal values, large ones, tiny ones, close ones, zeros among them; alike for all inputs."""
    high = min(HIGH, np.log10(kind.largest) / 2)
    one = 10 ** generator.uniform(LOW, high)
    large = 10 ** generator.uniform(0, high)
    level = 10 ** generator.uniform(-3, high)

    def size(g: Any, shape: Any) -> Any:
        return 10 ** g.uniform(LOW, high, shape)

    def sign(g: Any, shape: Any) -> Any:
        return g.choice([-1.0, 1.0], shape)

    return (
        lambda g, s: np.full(s, g.choice([0.0, 1.0, -1.0])),
        lambda g, s: np.full(s, one) * g.choice([-1, 1]),
        lambda g, s: size(g, s) * sign(g, s),
        lambda g, s: large + g.normal(size=s),
        lambda g, s: np.where(g.random(s) < 0.5, 0.0, size(g, s) * sign(g, s)),
        lambda g, s: 3 * g.normal(size=s),
        lambda g, s: level * sign(g, s),
        lambda g, s: 1 + size(g, s) / 10**high * sign(g, s),
    )


def thresholds(op: Op) -> Iterator[Reals]:
    """Values about the numbers with which the code compares."""
    parts = (part for equation in op.system for part in t.walk(equation))
    compared = (s for part in parts if isinstance(part, t.Relation) for s in part.args)
    numbers = dict.fromkeys(float(s) for s in compared if getattr(s, "is_Rational", False))
    yield from map(points.about, list(numbers)[:4])
