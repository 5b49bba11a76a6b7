"""Values and sizes at which the comparisons of a reading turn, found by search. Untrusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice
from time import process_time
from typing import Any

import numpy as np
import sympy

from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import INT, REAL, Sym, Term, sort_of
from gradproof.tracing.declared import Declared
from gradproof.tracing.points import (
    Env,
    Point,
    Reals,
    about,
    allowed,
    asks_values,
    is_allowed,
    shape_at,
    spread,
    whole,
    zeros,
)
from gradproof.tracing.turning import Turning
from gradproof.tracing.watching import Seen, Watching

FAR = (50.0, 1000.0)
FEW = 64  # cells of an input at which is sought
USUAL = 7  # sizes up to this one are among those that are always compared
LARGEST_SIZE = 300
SECONDS = 5.0  # of the processor, after which nothing more is sought
NUMBERS = 6  # of which values are taken
CELLS = 4  # that are moved one by one
TRIES = 24  # points at which one comparison is looked at
IN_ALL = 200
ONE_WAY = "as it was read went one way wherever it was compared with the running code"
NO_TIME = f"not all such sizes were compared with the running code within {SECONDS:g} s"
OTHERS: tuple[Reals, ...] = (whole, zeros, spread())
NO_VALUE = (ValueError, IndexError, ZeroDivisionError)


def beside(op: Op, least: Env, numbers: Iterable[Any]) -> Iterator[Env]:
    """Sizes of which one is about a number, the others as small as they may be."""
    near = {int(k) + more for k in numbers for more in (-1, 0, 1, 2)}
    return at(op, least, {k for k in near if USUAL <= k <= LARGEST_SIZE})


def at(op: Op, least: Env, numbers: Set[int]) -> Iterator[Env]:
    """Sizes of which one is a number, where that is allowed."""
    clauses = tuple(c for c in op.requires if not t.arrays(c))
    for number in sorted(numbers):
        for symbol in [s for s in least if isinstance(s, Sym) and s.sort == INT]:
            if satisfies(clauses, {**least, symbol: number}):
                yield {**least, symbol: number}


def cells(declared: Declared, sizes: Env) -> int:
    arrays = (a for a in declared.arguments if a.is_array)
    return max((math.prod(shape_at(a, sizes)) for a in arrays), default=0)


def is_real(comparison: Term) -> bool:
    part = comparison.body if isinstance(comparison, t.Binder) else comparison.args[0]
    return any(sort_of(u) == REAL for u in (part, *comparison.args) if isinstance(u, Term))


def numbers_in(terms: Iterable[Term]) -> list[Any]:
    found = (u for term in terms for u in t.walk(term) if isinstance(u, sympy.Rational))
    return list(dict.fromkeys(found))


def thresholds(seen: Seen) -> Iterator[float]:
    """The numbers of comparisons of values, those that are not usual."""
    given = numbers_in(term for term in seen.sides if is_real(term))
    yield from dict.fromkeys(abs(float(k)) for k in given if abs(k) not in (0, 1, 2))


class Search:
    """Points worth comparing at: those where a comparison of a reading goes as nowhere before.

    `seen` grows as the points are compared. The code may speak of numbers of which the reading
    does not: they are among the values and sizes.
    """

    def __init__(
        self,
        op: Op,
        declared: Declared,
        seen: Seen,
        shapes: Sequence[Env],
        generator: np.random.Generator,
    ) -> None:
        self.op, self.declared, self.seen = op, declared, seen
        self.turning = Turning(op, seen)
        self.shapes, self.generator = shapes, generator
        small = [s for s in shapes if cells(declared, s) <= FEW] or shapes[:1]
        self.small = sorted(small, key=lambda s: cells(declared, s))
        self.until = process_time() + SECONDS
        self.tried = 0
        self.left_out: dict[int, None] = {}  # sizes at which there was no time to compare

    def points(self, numbers: Sequence[float]) -> Iterator[Point]:
        rich = self.small[-2:]
        for sizes in rich:
            for _ in range(2):
                yield self.at(sizes, whole)
            yield self.at(sizes, zeros)
        for scale in FAR:
            yield self.at(rich[-1], spread(scale))
        known = map(abs, (*thresholds(self.seen), *numbers))
        for number in islice(dict.fromkeys(known), NUMBERS):
            yield self.at(rich[-1], about(number))
        yield from self.values(self.at(rich[-1], whole))
        yield from self.sizes(numbers)
        for sizes in self.small if self.turning.left else ():
            for reals in OTHERS:
                if not self.is_over and self.is_new(point := self.at(sizes, reals)):
                    yield point

    def at(self, sizes: Env, reals: Reals | None = None) -> Point:
        return allowed(self.op, self.declared, sizes, self.generator, reals)

    @property
    def is_over(self) -> bool:
        return process_time() > self.until

    def run(self, point: Point, followed: Term | None = None) -> Watching | None:
        """The reading at a point, if it has a value there."""
        self.tried += 1
        if asks_values(self.declared) and not is_allowed(self.op, self.declared, point):
            return None
        try:
            ev = Watching(self.op, self.declared, point, followed=followed)
            ev.compute(self.op.system)
            ev.tensors |= {
                f"{y.name}_bar": np.ones_like(ev.tensors[y.name]) for y in self.op.outputs
            }
            ev.compute(self.op.vjp)
        except NO_VALUE:
            return None
        return ev

    def is_new(self, point: Point) -> bool:
        """Whether a comparison goes at a point as it did nowhere before."""
        ev = self.run(point)
        return ev is not None and not ev.seen.within(self.seen)

    def sizes(self, numbers: Sequence[float]) -> Iterator[Point]:
        """Sizes beside those at which a comparison may turn, and those of which the code speaks."""
        spoken = [int(k) for k in numbers if k == int(k)]
        turns = numbers_in(u for u in self.seen.open if not is_real(u))
        for sizes in beside(self.op, self.shapes[0], spoken):
            if self.is_over:
                self.left_out |= dict.fromkeys(spoken)
                return
            yield self.at(sizes)
        for sizes in beside(self.op, self.shapes[0], (k for k in turns if k.is_Integer)):
            if not self.is_over and self.is_new(point := self.at(sizes)):
                yield point

    def values(self, base: Point) -> Iterator[Point]:
        """For each comparison of values that is open, points towards which it turns."""
        for term in [term for term in self.seen.open if is_real(term)]:
            if self.tried < IN_ALL and not self.turning.is_settled(term):
                yield from self.towards(base, term)

    def towards(self, base: Point, term: Term) -> Iterator[Point]:
        last = self.tried + TRIES
        for along in directions(self.declared, base):
            for place in turning(lambda p: self.offsets(p, term), along):
                if self.tried >= last or self.is_over or term not in self.seen.open:
                    return
                if self.is_new(point := along(place)):
                    yield point

    def offsets(self, point: Point, term: Term) -> list[Any]:
        ev = self.run(point, term)
        return [] if ev is None else ev.offsets

    @property
    def untold(self) -> dict[str, None]:
        """What was not compared, in words."""
        sizes = ", ".join(map(str, self.left_out))
        of_sizes = [f"the code speaks of {sizes}: {NO_TIME}"] if sizes else []
        return dict.fromkeys((*of_sizes, *(f"`{u}` {ONE_WAY}" for u in self.turning.left)))


Along = Callable[[float], Point]


def directions(declared: Declared, base: Point) -> Iterator[Along]:
    """Ways to move the values of a point: a whole argument, or one cell of it."""
    for a in declared.arguments:
        if a.kind in ("real", "constant"):
            whole_ = np.asarray(base.values[a.name])
            yield lambda by, a=a, v=whole_: moved(base, a.name, v + by)  # type: ignore[misc]
            for place in spaced(whole_):
                yield lambda by, a=a, v=whole_, at=place: moved(  # type: ignore[misc]
                    base, a.name, nudged(v, at, by)
                )


def spaced(values: Any) -> list[Any]:
    places = list(np.ndindex(values.shape))
    return places[:: max(1, len(places) // CELLS)][:CELLS] if len(places) > 1 else []


def nudged(values: Any, place: Any, by: float) -> Any:
    found = values.copy()
    found[place] += by
    return found


def moved(point: Point, name: str, value: Any) -> Point:
    return replace(point, values={**point.values, name: value})


def turning(offsets: Callable[[Point], list[Any]], along: Along) -> Iterator[float]:
    """How far to go: to where a difference is 0 if it is affine, beside it, and far out."""
    at_0, at_1 = offsets(along(0.0)), offsets(along(1.0))
    zeros = {
        round(float(z), 6)
        for a, b in zip(at_0, at_1, strict=False)
        if np.shape(a) == np.shape(b)
        for z in np.ravel(zero(a, b))
        if np.isfinite(z)
    }
    for place in sorted(zeros, key=abs)[:2]:
        step = max(1 / 8, abs(place) / 8)
        yield from (place, place + step, place - step)
    if not zeros:
        yield from (FAR[-1], -FAR[-1])


@np.errstate(all="ignore")
def zero(at_0: Any, at_1: Any) -> Any:
    return at_0 / (at_0 - at_1)
