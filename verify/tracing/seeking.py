"""Values and sizes at which the comparisons of a reading turn, found by search. Untrusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice
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
    about,
    allowed,
    asks_values,
    is_allowed,
    shape_at,
    spread,
    whole,
    zeros,
)
from gradproof.tracing.watching import Seen, Watching

FAR = (50.0, 1000.0)
FEW = 64  # cells of an input at which is sought
USUAL = 7  # sizes up to this one are among those that are always compared
LARGEST_SIZE = 300
NUMBERS = 6  # of which values are taken
CELLS = 4  # that are moved one by one
TRIES = 24  # points at which one comparison is looked at
IN_ALL = 200
NO_VALUE = (ValueError, IndexError, ZeroDivisionError)


def sought(
    op: Op, declared: Declared, shapes: Sequence[Env], generator: np.random.Generator, seen: Seen
) -> Iterator[Point]:
    """Points worth comparing at; `seen` grows as they are."""
    small = [s for s in shapes if cells(declared, s) <= FEW] or shapes[:1]
    rich = sorted(small, key=lambda s: cells(declared, s))[-2:]
    for sizes in rich:
        for reals in (whole, whole, zeros):
            yield allowed(op, declared, sizes, generator, reals)
    base = allowed(op, declared, rich[-1], generator, whole)
    for scale in FAR:
        yield allowed(op, declared, rich[-1], generator, spread(scale))
    for number in islice(thresholds(seen), NUMBERS):
        yield allowed(op, declared, rich[-1], generator, about(number))
    search = Search(op, declared, seen)
    yield from search.values(base)
    turns = numbers_in(term for term in seen.open if not is_real(term))
    for sizes in beside(op, shapes[0], (k for k in turns if k.is_Integer)):
        point = allowed(op, declared, sizes, generator)
        if search.is_new(point):
            yield point


def spoken_of(
    op: Op,
    declared: Declared,
    shapes: Sequence[Env],
    generator: np.random.Generator,
    numbers: Sequence[float],
) -> Iterator[Point]:
    """Sizes and values that are numbers which the code speaks of, and beside them."""
    for sizes in beside(op, shapes[0], (k for k in numbers if k == int(k))):
        yield allowed(op, declared, sizes, generator)
    for number in numbers:
        yield allowed(op, declared, shapes[-1], generator, about(number))


def beyond(op: Op, least: Env, seen: Seen) -> list[Term]:
    """The comparisons of sizes that turn, if at all, at sizes too large to be compared at."""
    found = [u for u in seen.open if not is_real(u) and not seen.turned(u)]
    far = {u: [abs(int(k)) for k in numbers_in([u]) if abs(k) > LARGEST_SIZE] for u in found}
    return [u for u in found if far[u] and any(at(op, least, {LARGEST_SIZE + 1, *far[u]}))]


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
    """Points are tried on the reading; those that bring up a new side are worth comparing at."""

    def __init__(self, op: Op, declared: Declared, seen: Seen) -> None:
        self.op, self.declared, self.seen = op, declared, seen
        self.tried = 0

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

    def values(self, base: Point) -> Iterator[Point]:
        """For each comparison of values that is open, points towards which it turns."""
        for term in [term for term in self.seen.open if is_real(term)]:
            if self.tried < IN_ALL:
                yield from self.towards(base, term)

    def towards(self, base: Point, term: Term) -> Iterator[Point]:
        last = self.tried + TRIES
        for along in directions(self.declared, base):
            for place in turning(lambda p: self.offsets(p, term), along):
                if self.tried >= last or term not in self.seen.open:
                    return
                if self.is_new(point := along(place)):
                    yield point

    def offsets(self, point: Point, term: Term) -> list[Any]:
        ev = self.run(point, term)
        return [] if ev is None else ev.offsets


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
