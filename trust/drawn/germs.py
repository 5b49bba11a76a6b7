"""Numbers along a curve: a value, how it goes on from there, and its gradient. Untrusted.

Two numbers are compared as a point close by on the curve compares them, so one curve takes one
branch everywhere. Numbers are fractions where they can be, long decimals elsewhere. Nothing that
evaluates, derives or proves in the kernel has a part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from operator import add, mul
from typing import Any

from gradproof.language import Op
from gradproof.language import terms as t
from gradproof.language.functions import ARGUMENT
from trust.truth.loops import REALS, Undefined, name_of, value
from trust.truth.loops import quotient as ratio

ORDER = 3  # so many derivatives tell numbers apart along a curve
SMALL = REALS.mpf(10) ** -40


def is_zero(number: Any) -> bool:
    return bool(abs(number) < SMALL if isinstance(number, REALS.mpf) else number == 0)


def added(a: Any, b: Any) -> Any:
    return a + b if type(a) is type(b) else both(a, b, add)


def times(a: Any, b: Any) -> Any:
    if type(a) is type(b):
        return a * b
    return both(a, b, mul) if a and b else 0


def both(a: Any, b: Any, made: Callable[[Any, Any], Any]) -> Any:
    if isinstance(a, REALS.mpf) or isinstance(b, REALS.mpf):
        return made(REALS.convert(a), REALS.convert(b))
    return made(a, b)


def total(numbers: Iterable[Any]) -> Any:
    found: Any = 0
    for number in numbers:
        found = added(found, number)
    return found


class Germ:
    """A number with its derivatives along the curve, over factorials, and its gradient."""

    __slots__ = ("gradient", "series")

    def __init__(self, series: tuple[Any, ...], gradient: tuple[Any, ...] = ()) -> None:
        self.series, self.gradient = series, gradient

    def __add__(self, other: Any) -> Germ:
        if not isinstance(other, Germ):
            return Germ((added(self.series[0], other), *self.series[1:]), self.gradient)
        return Germ(joined(self.series, other.series), joined(self.gradient, other.gradient))

    def __mul__(self, other: Any) -> Germ:
        if not isinstance(other, Germ):
            scaled = (tuple(times(c, other) for c in p) for p in (self.series, self.gradient))
            return Germ(*scaled)
        one, two = self.series, other.series
        most = max(len(one), len(two))
        series = tuple(total(convolved(one, two, k)) for k in range(most))
        left = (times(g, two[0]) for g in self.gradient)
        right = (times(g, one[0]) for g in other.gradient)
        return Germ(series, joined(left, right))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Germ:
        return self * -1

    def __sub__(self, other: Any) -> Germ:
        return self + -other

    def __rsub__(self, other: Any) -> Germ:
        return -self + other

    def sign(self, other: Any) -> int:
        """Of the difference, a little further on; 0 if there is none."""
        for c in (self - other).series:
            if not is_zero(c):
                return 1 if c > 0 else -1
        return 0

    def __lt__(self, other: Any) -> bool:
        return self.sign(other) < 0

    def __le__(self, other: Any) -> bool:
        return self.sign(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self.sign(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self.sign(other) >= 0

    def __eq__(self, other: object) -> bool:
        return self.sign(other) == 0

    def __ne__(self, other: object) -> bool:
        return self.sign(other) != 0

    __hash__ = None  # type: ignore[assignment]  # what is close is equal


def convolved(one: tuple[Any, ...], two: tuple[Any, ...], k: int) -> Iterator[Any]:
    for i in range(max(0, k - len(two) + 1), min(k + 1, len(one))):
        if one[i] and two[k - i]:
            yield times(one[i], two[k - i])


def joined(one: Iterable[Any], two: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(added(a, b) for a, b in zip_longest(one, two, fillvalue=0))


def quotient(a: Any, b: Any) -> Any:
    if not isinstance(b, Germ):
        return a * ratio(1, b) if isinstance(a, Germ) else ratio(a, b)
    first = b.series[0]
    if is_zero(first):
        raise Undefined
    inverse = [ratio(1, first)]
    for k in range(1, len(b.series)):
        below = total(times(b.series[j], inverse[k - j]) for j in range(1, k + 1))
        inverse.append(times(-inverse[0], below))
    slope = times(-inverse[0], inverse[0])
    return Germ(tuple(inverse), tuple(times(slope, g) for g in b.gradient)) * a


def power(a: Any, n: int) -> Any:
    whole: Any = 1
    for _ in range(abs(n)):
        whole = a * whole
    return whole if n >= 0 else quotient(1, whole)


def along(a: Germ, values: list[Any]) -> Germ:
    """A function of a number, by its value and its derivatives there."""
    rest = Germ((0, *a.series[1:]))
    found, nth, factor = Germ((values[0],)), Germ((1,)), Fraction(1)
    for k, each in enumerate(values[1 : len(a.series)], 1):
        nth, factor = nth * rest, factor / k
        found += nth * times(each, factor)
    padded = (*found.series, *(0,) * (len(a.series) - len(found.series)))
    slope = values[1] if a.gradient else 0
    return Germ(padded, tuple(times(slope, g) for g in a.gradient))


def lifted(a: Any) -> Germ:
    return a if isinstance(a, Germ) else Germ((a,))


def exponential(a: Any) -> Any:
    a = lifted(a)
    first = Fraction(1) if is_zero(a.series[0]) else REALS.exp(REALS.convert(a.series[0]))
    return along(a, [first] * (ORDER + 2))


def logarithm(a: Any) -> Any:
    a = lifted(a)
    first = a.series[0]
    if first <= 0 or is_zero(first):
        raise Undefined
    values = [Fraction(0) if is_zero(first - 1) else REALS.log(REALS.convert(first))]
    slope = ratio(1, first)
    for k in range(1, ORDER + 2):
        values.append(slope)
        slope = times(ratio(times(slope, -k), 1), ratio(1, first))
    return along(a, values)


def turning(first: int) -> Callable[[Any], Any]:
    """The sine, or what is so many derivatives after it."""

    def function(a: Any) -> Any:
        a = lifted(a)
        at = a.series[0]
        sin, cos = (0, 1) if is_zero(at) else (f(REALS.convert(at)) for f in (REALS.sin, REALS.cos))
        cycle = [sin, cos, -sin, -cos]
        return along(a, [cycle[(first + k) % 4] for k in range(ORDER + 2)])

    return function


FUNCTIONS = {"pi": lambda: +REALS.pi, "sin": turning(0), "cos": turning(1)}
GIVEN: dict[str, Any] = {f.__name__: f for f in (quotient, power, exponential, logarithm)}
GIVEN |= {f"function_{name}": f for name, f in FUNCTIONS.items()}


@lru_cache(maxsize=1000)
def declared(op: Op) -> dict[str, Any]:
    """Functions that are declared with their values, as these."""
    found: dict[str, Any] = {}
    pending = list(op.equations.values())
    while pending:
        for u in t.walk(pending.pop()):
            if isinstance(u, t.Apply) and not u.function.built_in and not u.function.is_bare:
                key = f"function_{u.function.name}"
                if key not in found:
                    found[key] = by_value(u.function, found)
                    pending += u.function.value
    return found


def by_value(function: t.Function, others: dict[str, Any]) -> Callable[[Any], Any]:
    (known,) = function.value
    return lambda u: value(known, {**GIVEN, **others, name_of(ARGUMENT): u})
