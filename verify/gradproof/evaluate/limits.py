"""The derivatives that a term has just beside a point, one for each part of the ways out. Trusted.

Numbers have a gradient, by which those that are equal at the point are compared as a way out of it
compares them. Each comparison cuts the ways in two, and each part in which there are any is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from gradproof.evaluate.numbers import Interval, Number, Numbers, Undecided, slope_of
from gradproof.theorems.cones import Row, TooMany, as_row, way_along

MOST_PARTS = 300
Cell = tuple[str, tuple[int, ...]]


Slopes = Mapping[Cell, Number]


@dataclass(frozen=True)
class Ray:
    """A number, and how fast it changes by each cell that it is made of."""

    value: Number
    by: Slopes = field(default_factory=dict)

    def __add__(self, other: Ray) -> Ray:
        return Ray(self.value + other.value, together(self.by, other.by))

    def __mul__(self, other: Ray) -> Ray:
        mine, theirs = times(self.by, other.value), times(other.by, self.value)
        return Ray(self.value * other.value, together(mine, theirs))


def together(one: Slopes, two: Slopes) -> Slopes:
    both = {c: one[c] + two[c] for c in one.keys() & two.keys()}
    return {**one, **two, **both}


def times(by: Slopes, factor: Number) -> Slopes:
    return {c: v * factor for c, v in by.items()}


class Part:
    """The ways along all rows, cut in two by what is compared."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self.rows = rows
        self.others: list[tuple[Row, ...]] = []

    def sign(self, by: Slopes) -> int:
        """Of what is 0 at the point, on the ways of this part."""
        row = as_row({c: exactly(v) for c, v in by.items()})
        if not row:
            if by:
                raise Undecided("it takes more than a first derivative to tell numbers apart")
            return 0
        try:
            above, below = ((*self.rows, r) for r in (row, as_row(dict(row), -1)))
            if way_along(above) is None:
                return -1
            self.others += [below] if way_along(below) is not None else []
        except TooMany:
            raise Undecided("too many comparisons at once") from None
        self.rows = above
        return 1


def exactly(number: Any) -> Fraction:
    if isinstance(number, Interval):
        low, high = number.ends
        if low != high:
            raise Undecided("an interval")
        sign, mantissa, exponent, _ = low
        return Fraction((-1) ** sign * mantissa) * Fraction(2) ** exponent
    return Fraction(number)


def rays(base: Numbers, part: Part) -> Numbers:
    minus = base.lift(-1)

    def divide(a: Ray, b: Ray) -> Ray:
        q = base.divide(a.value, b.value)
        above = together(a.by, times(b.by, q * minus))
        return Ray(q, {c: base.divide(v, b.value) for c, v in above.items()})

    def sign(a: Ray) -> int:
        return base.sign(a.value) or part.sign(a.by)

    def exp(a: Ray) -> Ray:
        found = base.exp(a.value)
        return Ray(found, times(a.by, found))

    def log(a: Ray) -> Ray:
        return Ray(base.log(a.value), {c: base.divide(v, a.value) for c, v in a.by.items()})

    def apply(name: str, *at: Ray) -> Ray:
        by: Slopes = {}
        for a in at:
            by = together(by, times(a.by, slope_of(base, name, a.value)) if a.by else {})
        return Ray(base.apply(name, *(a.value for a in at)), by)

    lift = base.lift
    return Numbers(
        lambda q: Ray(lift(q)), Ray(base.zero), Ray(base.one), divide, sign, exp, log, apply
    )


def limits(base: Numbers, value: Callable[[Numbers], Ray]) -> Iterator[Ray]:
    """What is computed in each part, all of them one after another."""
    waiting: list[tuple[Row, ...]] = [()]
    for _ in range(MOST_PARTS):
        if not waiting:
            return
        part = Part(waiting.pop())
        yield value(rays(base, part))
        waiting += part.others
    raise Undecided("too many ways out of a point")
