"""Equations between whole numbers, and output sizes, drawn at random. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from gradproof.language import (
    Claim,
    Divides,
    Eq,
    If,
    Max,
    Min,
    Op,
    Windows,
    array,
    ceil_div,
    cotangent,
    floor_div,
    integers,
    mod,
    nat_sub,
    tangent,
    trunc_div,
    zero_padded,
)
from gradproof.language.terms import plus
from trust.mutants.changed import resized
from trust.truth.draw import Draw, accepted, mistakes
from trust.truth.windows import times

n, k, s, p, i, o = integers("n k s p i o")
x = array("x", n)
LOWS = {n: 1, k: 1, s: 1, p: 0}
HIGHS = {n: 7, k: 4, s: 4, p: 2}
BOX = tuple((symbol.name, range(LOWS[symbol], HIGHS[symbol] + 1)) for symbol in LOWS)
NAME = "drawn"
MADE = ("right",) * 8 + ("edited",) * 10 + ("beyond",) * 2

Identity = Callable[[Any, Any, Any], Any]
IDENTITIES: dict[str, Identity] = {
    "ceiling by floor": lambda a, b, d: Eq(ceil_div(a, d), floor_div(a + d - 1, d)),
    "floor by ceiling": lambda a, b, d: Eq(floor_div(a, d), ceil_div(a - d + 1, d)),
    "floor of the opposite": lambda a, b, d: Eq(-1 * floor_div(-1 * a, d), ceil_div(a, d)),
    "one more": lambda a, b, d: Eq(floor_div(a, d) + 1, ceil_div(a + 1, d)),
    "a multiple comes out": lambda a, b, d: Eq(floor_div(a + times(d, b), d), floor_div(a, d) + b),
    "a multiple comes out of a ceiling": lambda a, b, d: Eq(
        ceil_div(a - times(d, b), d), ceil_div(a, d) - b
    ),
    "quotient and remainder": lambda a, b, d: Eq(a, times(d, floor_div(a, d)) + mod(a, d)),
    "remainder of a sum": lambda a, b, d: Eq(mod(a + times(d, b), d), mod(a, d)),
    "twice": lambda a, b, d: Eq(floor_div(floor_div(a, d), 2), floor_div(a, times(2, d))),
    "towards zero": lambda a, b, d: Eq(
        trunc_div(a, d), If(a >= 0, floor_div(a, d), ceil_div(a, d))
    ),
    "of naturals": lambda a, b, d: Eq(nat_sub(a, b), Max(a - b, 0)),
    "least and largest": lambda a, b, d: Eq(Min(a, b) + Max(a, b), a + b),
    "floor of the least": lambda a, b, d: Eq(
        floor_div(Min(a, b), d), Min(floor_div(a, d), floor_div(b, d))
    ),
    "floor is below": lambda a, b, d: times(d, floor_div(a, d)) <= a,
    "ceiling is above": lambda a, b, d: times(d, ceil_div(a, d)) >= a,
    "floor is the largest": lambda a, b, d: times(d, floor_div(a, d)) > a - d,
    "remainders": lambda a, b, d: (mod(a, d) >= 0) & (mod(a, d) < d),
    "whole or not": lambda a, b, d: Eq(ceil_div(a, d) - floor_div(a, d), If(Divides(d, a), 0, 1)),
}


@st.composite
def affine(draw: Any) -> Any:
    """A sum of sizes with small factors."""
    factors = draw(st.tuples(*[st.integers(-2, 2)] * 3).filter(any))
    terms = (times(c, size) for c, size in zip(factors, (n, k, p), strict=True))
    return plus(*terms, draw(st.integers(-3, 3)))


def carrier(**more: Any) -> Op:
    """An op that has these sizes: the identity."""
    y = array("y", n)
    return Op(
        NAME,
        requires=tuple(symbol >= low for symbol, low in LOWS.items()),
        forward=Eq(y[i], x[i]),
        jvp=Eq(tangent(y)[i], tangent(x)[i]),
        vjp=Eq(cotangent(x)[i], cotangent(y)[i]),
        **more,
    )


@st.composite
def far(draw: Any, symbol: Any) -> tuple[Any, str]:
    """A number that is 0 up to some size, and not 0 beyond."""
    limit = draw(st.sampled_from([12, 16, 25, 40, 100, 1000, 12345]))
    found = draw(
        st.sampled_from(
            [
                If(symbol >= limit, 1, 0),
                If(Eq(symbol, limit), 1, 0),
                floor_div(symbol, limit),
                Max(symbol - limit, 0),
                nat_sub(symbol, limit),
            ]
        )
    )
    return found, str(found)


@st.composite
def claims(draw: Any) -> Draw:
    """Something that holds of all whole numbers."""
    made = draw(st.sampled_from(MADE))
    name = draw(st.sampled_from(sorted(IDENTITIES)))
    divisor = draw(st.sampled_from([s, s, 2, 3, 4]))
    statement = IDENTITIES[name](draw(affine()), draw(affine()), divisor)
    change, beyond = "", ""
    if made == "edited":
        statement, change = draw(mistakes(carrier(), statement))
    if made == "beyond":
        assume(isinstance(statement, Eq))
        more, change = draw(far(draw(st.sampled_from([n, k, p]))))
        statement, beyond = Eq(statement.args[0], statement.args[1] + more), NAME
    op = accepted(lambda: carrier(claims=(Claim(NAME, statement),)))
    return Draw("integers", op, f"claim {NAME}", made, change, BOX, beyond)


@st.composite
def counts(draw: Any) -> Draw:
    """An output size, for windows that it should count."""

    def pick(*options: Any) -> Any:
        return draw(st.sampled_from(options))

    made = pick(*MADE)
    stride, dilation, rounding = pick(s, s, 1, 2, 3), pick(1, 1, 2, 3), pick("floor", "ceil")
    low, high = pick((0, 0), (p, p), (p, 0), (1, 1), (1, 2), (p, p + 1))
    size, extent = plus(n, low, high), plus(times(dilation, k), 1 - dilation)
    meant = pick(*COUNTS[rounding](size - extent, stride))
    count, change = meant, ""
    if made == "edited":
        count, change = draw(mistakes(carrier(), meant))
    if made == "beyond":
        more, change = draw(far(n))
        count = meant + more
    windows = Windows(meant, size, extent, stride, rounding)
    op = accepted(lambda: resized(windowed(windows), meant, count))
    false = {"floor": "the last window fits", "ceil": "one window fewer does not cover"}[rounding]
    return Draw("sizes", op, "sizes", made, change, BOX, false if made == "beyond" else "")


COUNTS: dict[str, Callable[[Any, Any], tuple[Any, ...]]] = {
    "floor": lambda rest, d: (
        floor_div(rest, d) + 1,
        1 + floor_div(rest, d),
        floor_div(rest + d, d),
        ceil_div(rest + 1, d),
        ceil_div(rest - d + 1, d) + 1,
    ),
    "ceil": lambda rest, d: (
        ceil_div(rest, d) + 1,
        ceil_div(rest + d, d),
        floor_div(rest + d - 1, d) + 1,
        floor_div(rest - 1, d) + 2,
    ),
}


def windowed(windows: Windows) -> Op:
    """An op with so many outputs."""
    y = array("y", windows.count)
    return Op(
        NAME,
        requires=(*(symbol >= low for symbol, low in LOWS.items()), windows.size >= windows.extent),
        windows=windows,
        forward=Eq(y[o], zero_padded(x)[o]),
        jvp=Eq(tangent(y)[o], zero_padded(tangent(x))[o]),
        vjp=Eq(cotangent(x)[i], zero_padded(cotangent(y))[i]),
    )
