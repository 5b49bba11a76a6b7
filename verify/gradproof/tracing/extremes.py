"""Inputs at which floating-point numbers are known to make trouble. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import log10, prod
from typing import Any

import numpy as np
import sympy

from gradproof.evaluate import numeric
from gradproof.evaluate.given import named
from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Sym, Term
from gradproof.tracing import points
from gradproof.tracing.declared import Declared
from gradproof.tracing.floats import Type
from gradproof.tracing.points import Point, Reals

DRAWN = 96  # inputs drawn by chance, beside those that are tried always
MOST_CELLS = 64  # of all inputs
LOW, HIGH = -6, 4  # moderate: powers of ten of what inputs are, or 0
STEPS = 2  # levels to a power of ten
NUMBERS = 4  # of which the formula speaks
SHRUNK = (1, 1e-1, 1e-2, 1e-3, 1e-4)


@dataclass(frozen=True)
class Inputs:
    """Inputs of an op, in numbers of a type, where it is required and within what is asked."""

    op: Op
    declared: Declared
    kind: Type
    generator: np.random.Generator
    sizes: points.Env
    within: tuple[Term, ...] = ()

    @cached_property
    def clauses(self) -> tuple[Term, ...]:
        """What is asked of values, of all cells."""
        asked = (*self.op.requires, *self.declared.requires, *self.within)
        own = dict.fromkeys(c for c in asked if t.arrays(c))
        return tuple(map(self.op.closed, own))

    @cached_property
    def evaluator(self) -> numeric.Evaluator:
        unasked = tuple(c for c in self.op.requires if not t.arrays(c))
        op = replace(self.op, requires=unasked, claims=())
        point = points.drawn(self.declared, self.sizes, self.generator)
        given = named(op, "input", op.operands, points.inputs_of(op, self.declared, point))
        return numeric.Evaluator(op, given, points.named_sizes(op, self.sizes))

    @cached_property
    def reals(self) -> list[str]:
        kinds = ("real", "number", "constant")
        return [a.name for a in self.declared.arguments if a.kind in kinds]

    @cached_property
    def bounded(self) -> set[str]:
        """The arrays of whose values something is asked."""
        return {a.name for clause in self.clauses for a in t.arrays(clause)}

    @cached_property
    def high(self) -> float:
        """The power of ten of what is moderate, or of what is spoken of."""
        numbers = (abs(float(u)) for c in self.within for u in t.walk(c) if is_number(u))
        high = max((log10(n) for n in numbers if n > 0), default=HIGH)
        return float(min(max(high, 0), log10(self.kind.largest) / (1 if self.within else 2)))

    def drawn(self) -> Iterator[Point]:
        """Equal values of all sizes, one input large, offsets; then what is drawn by chance."""
        levels = 10.0 ** np.arange(LOW, self.high + 0.01, 1 / STEPS)[::-1]
        for level in (0.0, *(s * v for v in levels for s in (1, -1))):
            yield from self.made(equal(level))
        whole = [v for v in levels if v >= 1]
        arrays = [a.name for a in self.declared.arguments if a.kind in ("real", "constant")]
        for name in arrays if len(arrays) > 1 else ():
            for level in (s * v for v in whole for s in (1, -1)):
                yield from self.made(points.spread(1), {name: level})
        for level in whole[::STEPS]:
            yield from self.made(offset(level))
        for turn in range(DRAWN):
            makers = (*self.makers, *map(points.about, (0.0, *numbers_of(self.op))))
            yield from self.made(makers[turn % len(makers)])

    def far(self) -> Iterator[Point]:
        """Values of any size that the type has, beyond what is moderate."""
        top = log10(self.kind.largest)
        for level in 10.0 ** np.arange(HIGH + 1, top, 2):
            for value in (level, -level, 1 / level):
                yield from self.made(equal(value))
            yield from self.made(points.spread(level))

    def made(self, make: Reals, levels: dict[str, float] | None = None) -> Iterator[Point]:
        """A point, made such that it is allowed if that can be had easily."""
        found = points.drawn(self.declared, self.sizes, self.generator, make)
        shapes = {k: np.shape(found.values[k]) for k in levels or ()}
        values = {k: np.full(shapes[k], v) for k, v in (levels or {}).items()}
        found = Point(self.sizes, {**found.values, **values})
        for turn in points.TURNS if self.bounded else (None,):
            for scale in SHRUNK if self.within else (1,):
                if point := next(self.allowed(self.turned(found, turn, scale)), None):
                    yield point
                    return

    def turned(self, point: Point, turn: Any, scale: float) -> Point:
        """With those inputs of which something is asked changed."""
        if turn is None:
            return point
        arrays = {k: np.asarray(v, float) for k, v in point.values.items() if k in self.bounded}
        kept = {k: np.asarray(turn(v * scale)) for k, v in arrays.items() if k in self.reals}
        return Point(point.sizes, {**point.values, **kept})

    def allowed(self, point: Point) -> Iterator[Point]:
        """The point in numbers of the type, if what is asked of values holds there."""
        found = self.each(point, self.kind.rounded)
        if not self.bounded or self.fits(found):
            yield found

    def fits(self, point: Point) -> bool:
        ev = self.evaluator
        ev.tensors |= points.inputs_of(self.op, self.declared, point)
        return all(np.all(ev.value(c, ev.sizes, True)) for c in self.clauses)

    def each(self, point: Point, change: Callable[[Any], Any]) -> Point:
        """With every real input changed."""
        changed = {k: change(np.asarray(point.values[k], dtype=float)) for k in self.reals}
        return Point(point.sizes, {**point.values, **changed})

    def near(self, point: Point) -> Point:
        """Each input two roundings off."""
        step, g = 2 * self.kind.epsilon, self.generator
        return self.each(point, lambda v: v * (1 + step * g.choice([-1, 1], v.shape)))

    def changed(self, point: Point) -> Point:
        """A neighbour: one cell, or all of an input, larger, smaller, shifted, or alike."""
        g = self.generator
        names = [a.name for a in self.declared.arguments if a.kind == "real"]
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
                value += 10 ** g.uniform(-2, self.high)
            case _:
                value.flat[at] = value.flat[0]
        size = np.abs(value)
        is_moderate = (value == 0) | ((size <= 10**self.high) & (size >= 10.0**LOW))
        return Point(point.sizes, {**point.values, name: value}) if is_moderate.all() else point

    @property
    def makers(self) -> tuple[Reals, ...]:
        """Equal values, large ones, tiny ones, close ones, zeros among them; alike for all."""
        one = 10 ** self.generator.uniform(LOW, self.high)
        large = 10 ** self.generator.uniform(0, self.high)
        level = 10 ** self.generator.uniform(-3, self.high)

        def size(g: Any, shape: Any) -> Any:
            return 10 ** g.uniform(LOW, self.high, shape)

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
            lambda g, s: 1 + size(g, s) / 10**self.high * sign(g, s),
        )


def equal(value: float) -> Reals:
    return lambda generator, shape: np.full(shape, value)


def offset(value: float) -> Reals:
    return lambda generator, shape: value + generator.normal(size=shape)


def is_number(term: Term) -> bool:
    return isinstance(term, sympy.Rational)


def numbers_of(op: Op) -> list[float]:
    """The numbers with which the formula compares, and then those that it adds."""
    parts = [part for equation in op.system for part in t.walk(equation)]
    compared = [part for part in parts if isinstance(part, t.Relation)]
    added = [part for part in parts if isinstance(part, t.Add)]
    found = (s for part in (*compared, *added) for s in part.args if is_number(s))
    return list(dict.fromkeys(abs(float(s)) for s in found if s != 0))[:NUMBERS]


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
