"""What a real number may be in an evaluation. Trusted.

Rationals, certified intervals where `exp` or `log` occur, or Taylor polynomials over one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache, reduce
from operator import add
from typing import Any

import mpmath
from mpmath.libmp import (
    from_int,
    from_man_exp,
    libmpi,
    mpf_erf,
    mpf_sign,
    round_ceiling,
    round_floor,
)

BITS = 53  # of the ends of intervals
FURTHER = 30  # bits of an exp or log before it is widened by the last 20 of them
LARGEST = 40  # bits of an exponent: e to the power of more is not written down


class Undefined(Exception):
    """A division by zero, a logarithm of nothing, a read or a write out of bounds."""


class Undecided(Exception):
    """A comparison that these numbers cannot decide."""


Number = Any  # a rational, an interval or a jet: what computes with one knows which
Ends = tuple[tuple[int, int, int, int], ...]  # mpmath's: sign, mantissa, exponent, bits


@dataclass(frozen=True)
class Numbers:
    """What reals are: how an exact number enters, and what else than + - * they can do."""

    lift: Callable[[Fraction | int], Number]
    zero: Number
    one: Number
    divide: Callable[[Number, Number], Number]
    sign: Callable[[Number], int]
    exp: Callable[[Number], Number]
    log: Callable[[Number], Number]
    apply: Callable[..., Number]  # the function of this name, to what follows


def divide(a: Number, b: Number) -> Number:
    if b == 0:
        raise Undefined("division by zero")
    return a / b


def sign(a: Number) -> int:
    return (a > 0) - (a < 0)


def cannot(_: Number) -> Number:
    raise Undecided("these numbers have no order, exp or log")


def rational(a: Fraction | int) -> Fraction | int:
    """An int where it is whole: Python computes with these many times faster."""
    return a.numerator if a.denominator == 1 else a


def quotient(a: Fraction | int, b: Fraction | int) -> Fraction | int:
    return rational(divide(Fraction(a), b))


def exact_exp(a: Fraction | int) -> int:
    return 1 if a == 0 else int(cannot(a))


def exact_log(a: Fraction | int) -> int:
    if a <= 0:
        raise Undefined("logarithm of a number that is not positive")
    return 0 if a == 1 else int(cannot(a))


AT_0 = {"sin": 0, "cos": 1, "atan": 0, "erf": 0}


def exact_apply(name: str, *at: Fraction | int) -> int:
    return AT_0[name] if at == (0,) else int(cannot(name))


RATIONALS = Numbers(rational, 0, 1, quotient, sign, exact_exp, exact_log, exact_apply)


class Interval:
    """A real number between two binary fractions, by mpmath's outward rounding."""

    __slots__ = ("ends",)

    def __init__(self, ends: Ends) -> None:
        self.ends = ends

    def __add__(self, other: object) -> Interval:
        if type(other) is not Interval:
            return NotImplemented
        return Interval(libmpi.mpi_add(self.ends, other.ends, BITS))

    def __mul__(self, other: object) -> Interval:
        if type(other) is not Interval:
            return NotImplemented
        return Interval(libmpi.mpi_mul(self.ends, other.ends, BITS))

    def __str__(self) -> str:
        return str(mpmath.iv.make_mpf(self.ends))


@lru_cache(maxsize=10_000)
def interval(value: Fraction | int) -> Interval:
    over, under = (
        tuple(from_int(n, BITS, side) for side in (round_floor, round_ceiling))
        for n in (value.numerator, value.denominator)
    )
    return Interval(libmpi.mpi_div(over, under, BITS))


def interval_sign(a: Interval) -> int:
    if a.ends == libmpi.mpi_zero:
        return 0
    low, high = map(mpf_sign, a.ends)  # 0 also of what is no number
    if low == high != 0:
        return int(low)
    raise Undecided("an interval around zero")


def interval_divide(a: Interval, b: Interval) -> Interval:
    if interval_sign(b) == 0:
        raise Undefined("division by zero")
    return Interval(libmpi.mpi_div(a.ends, b.ends, BITS))


def interval_exp(a: Interval) -> Interval:
    if any(exponent + bits > LARGEST for _, _, exponent, bits in a.ends):
        raise Undecided("an exponential too large to write down")
    return (
        widened(libmpi.mpi_exp(a.ends, BITS + FURTHER))
        if a.ends != libmpi.mpi_zero
        else interval(1)
    )


def interval_log(a: Interval) -> Interval:
    if interval_sign(a) <= 0:
        raise Undefined("logarithm of a number that is not positive")
    return (
        widened(libmpi.mpi_log(a.ends, BITS + FURTHER))
        if a.ends != interval(1).ends
        else interval(0)
    )


@cache
def near_one(bits: int) -> Ends:
    return tuple(from_man_exp((1 << bits + 10) + e, -bits - 10) for e in (-1, 1))


@contextmanager
def precisely(bits: int) -> Iterator[None]:
    """With ends of so many bits: as true as any, and narrower."""
    global BITS
    before, BITS = BITS, bits
    interval.cache_clear()
    try:
        yield
    finally:
        BITS = before
        interval.cache_clear()


def widened(ends: Ends) -> Interval:
    """With room for the error of mpmath's exp and log, which round an approximation outwards."""
    return Interval(libmpi.mpi_mul(ends, near_one(BITS), BITS))


def ends_of_erf(a: Ends, bits: int) -> Ends:
    """It rises, so the ends are those of the ends."""
    return mpf_erf(a[0], bits, round_floor), mpf_erf(a[1], bits, round_ceiling)


ENDS = {
    "sin": libmpi.mpi_sin,
    "cos": libmpi.mpi_cos,
    "atan": libmpi.mpi_atan,
    "erf": ends_of_erf,
    "pi": libmpi.mpi_pi,
}


def interval_apply(name: str, *at: Interval) -> Interval:
    if any(exponent + bits > LARGEST for a in at for _, _, exponent, bits in a.ends):
        raise Undecided("an argument too large to write down")
    if at and at[0].ends == libmpi.mpi_zero:
        return interval(AT_0[name])
    return widened(ENDS[name](*(a.ends for a in at), BITS + FURTHER))


INTERVALS = Numbers(
    interval,
    interval(0),
    interval(1),
    interval_divide,
    interval_sign,
    interval_exp,
    interval_log,
    interval_apply,
)


def slope_of(base: Numbers, name: str, at: Number) -> Number:
    """The derivative of a function of one real."""
    if name == "sin":
        return base.apply("cos", at)
    if name == "cos":
        return base.apply("sin", at) * base.lift(-1)
    square = at * at
    if name == "atan":
        return base.divide(base.one, base.one + square)
    assert name == "erf"
    half_log = base.log(base.apply("pi")) * base.lift(Fraction(1, 2))
    return base.exp(square * base.lift(-1)) * base.divide(base.lift(2), base.exp(half_log))


@dataclass(frozen=True)
class Jet:
    """A number as one cell moves: its value, and its Taylor coefficients after that.

    They are all of a polynomial that has few; of anything else they are its slope, and it is not
    `whole`.
    """

    value: Number
    rest: tuple[Number, ...] = ()
    whole: bool = True

    def __add__(self, other: Jet) -> Jet:
        short, long = sorted((self.rest, other.rest), key=len)
        rest = (*map(add, short, long), *long[len(short) :])
        return jet(self.value + other.value, rest, self.whole and other.whole)

    def __mul__(self, other: Jet) -> Jet:
        if not other.rest:
            rest = tuple(c * other.value for c in self.rest)
            return Jet(self.value * other.value, rest, self.whole)
        if not self.rest:
            return other * self
        ones, twos = (self.value, *self.rest), (other.value, *other.rest)
        found: list[Number] = []
        for n in range(len(self.rest) + len(twos)):
            pairs = range(max(0, n + 1 - len(twos)), min(n + 1, len(ones)))
            found.append(reduce(add, (ones[i] * twos[n - i] for i in pairs)))
        return jet(found[0], tuple(found[1:]), self.whole and other.whole)


MOST_COEFFICIENTS = 16  # a loop may square what it computes in every turn


def jet(value: Number, rest: tuple[Number, ...], whole: bool) -> Jet:
    whole = whole and len(rest) <= MOST_COEFFICIENTS
    return Jet(value, rest if whole else rest[:1], whole)


def jets(base: Numbers) -> Numbers:
    """Evaluating with them differentiates, sharing no code with `derive`.

    A comparison of equal numbers is on the boundary, and undecided, unless they are equal nearby.
    """
    minus = base.lift(-1)

    def div(a: Jet, b: Jet) -> Jet:
        q = base.divide(a.value, b.value)
        if not b.rest:
            return Jet(q, tuple(base.divide(c, b.value) for c in a.rest), a.whole)
        above = q * b.rest[0] * minus
        slope = base.divide(a.rest[0] + above if a.rest else above, b.value)
        return Jet(q, (slope,), False)

    def jet_sign(a: Jet) -> int:
        found = base.sign(a.value)
        if found == 0 and not (a.whole and all(base.sign(c) == 0 for c in a.rest)):
            raise Undecided("on the boundary between two branches")
        return found

    def exp(a: Jet) -> Jet:
        e = base.exp(a.value)
        return Jet(e, (e * a.rest[0],), False) if a.rest else Jet(e)

    def log(a: Jet) -> Jet:
        found = base.log(a.value)
        return Jet(found, (base.divide(a.rest[0], a.value),), False) if a.rest else Jet(found)

    def apply(name: str, *at: Jet) -> Jet:
        found = base.apply(name, *(a.value for a in at))
        moves = [slope_of(base, name, a.value) * a.rest[0] for a in at if a.rest]
        return Jet(found, tuple(moves), not moves)

    return Numbers(
        lambda q: Jet(base.lift(q)), Jet(base.zero), Jet(base.one), div, jet_sign, exp, log, apply
    )
