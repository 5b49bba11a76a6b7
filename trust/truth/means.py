"""Ops of cells, totals, means and deviations, drawn at random, with a rule. Untrusted.

Their right rules are written in ways that are equal only because the deviations sum to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from gradproof.language import Eq, Op, Sum, array, cotangent, integers, tangent
from trust.truth.draw import MADE, Draw, finished

N, a, b, w, j, u = integers("N a b w j u")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
BOX = (("N", range(1, 6)),)
Cells = Callable[[Any], Any]


def over(symbol: Any) -> Any:
    return (symbol, 0, N - 1)


@dataclass(frozen=True)
class Part:
    """What is taken of an array at a place, linearly: `at` it, and `back` from it."""

    name: str
    at: Callable[[Cells, Any], Any]
    back: Callable[[Cells, Any], Any]


def total(v: Cells) -> Any:
    return Sum(v(j), over(j))


PARTS = (
    Part("cell", lambda v, i: v(i), lambda g, i: g(i)),
    Part("mirrored", lambda v, i: v(N - 1 - i), lambda g, i: g(N - 1 - i)),
    Part("total", lambda v, i: total(v), lambda g, i: Sum(g(u), over(u))),
    Part("mean", lambda v, i: total(v) / N, lambda g, i: Sum(g(u) / N, over(u))),
    Part("deviation", lambda v, i: v(i) - total(v) / N, lambda g, i: g(i) - Sum(g(u), over(u)) / N),
    Part(
        "deviation",
        lambda v, i: (N * v(i) - total(v)) / N,
        lambda g, i: (N * g(i) - Sum(g(u), over(u))) / N,
    ),
)


@dataclass(frozen=True)
class Piece:
    """A number times a part, times the product of two, or times the sum of such products."""

    number: int
    kind: str
    first: Part
    second: Part

    def value(self) -> Any:
        def product(i: Any) -> Any:
            return self.first.at(cells(x), i) * self.second.at(cells(x), i)

        return (
            self.number
            * {
                "part": lambda: self.first.at(cells(x), a),
                "product": lambda: product(a),
                "sum": lambda: Sum(product(w), over(w)),
            }[self.kind]()
        )

    @property
    def is_variance(self) -> bool:
        """A sum of deviations times deviations or cells; both are the same."""
        names = {self.first.name, self.second.name}
        return self.kind == "sum" and "deviation" in names <= {"deviation", "cell"}

    def pushed(self, short: bool) -> Any:
        """The derivative along x_dot; `short` leaves out what sums to nothing."""

        def product(i: Any) -> Any:
            one, two = (p.at(cells(x), i) for p in (self.first, self.second))
            moved_one, moved_two = (p.at(cells(x_dot), i) for p in (self.first, self.second))
            return moved_one * two + one * moved_two

        if self.kind == "part":
            return self.number * self.first.at(cells(x_dot), a)
        if self.kind == "product":
            return self.number * product(a)
        if short and self.is_variance:
            return 2 * self.number * Sum(deviation(w) * x_dot[w], over(w))
        return self.number * Sum(product(w), over(w))

    def pulled(self, short: bool) -> Any:
        """The transpose applied to y_bar."""

        def product(g: Cells) -> Any:
            one = self.first.back(lambda i: self.second.at(cells(x), i) * g(i), b)
            return one + self.second.back(lambda i: self.first.at(cells(x), i) * g(i), b)

        if self.kind == "part":
            return self.number * self.first.back(cells(y_bar), b)
        if self.kind == "product":
            return self.number * product(cells(y_bar))
        weight = Sum(y_bar[a], over(a))
        if short and self.is_variance:
            return 2 * self.number * deviation(b) * weight
        return self.number * weight * product(lambda i: 1)


def cells(v: Any) -> Cells:
    return lambda i: v[i]


def deviation(i: Any) -> Any:
    return x[i] - total(cells(x)) / N


pieces = st.builds(
    Piece,
    number=st.sampled_from([1, 1, 2, -1, 3]),
    kind=st.sampled_from(["part", "product", "sum", "sum"]),
    first=st.sampled_from(PARTS),
    second=st.sampled_from(PARTS),
)


def added(terms: list[Any]) -> Any:
    whole, *rest = terms
    for term in rest:
        whole = whole + term
    return whole


@st.composite
def means(draw: Any) -> Draw:
    """An op of one or two pieces with both rules, one of which is asked about."""
    made, part = draw(st.sampled_from(MADE)), draw(st.sampled_from(("jvp", "vjp x_bar")))
    chosen = draw(st.lists(pieces, min_size=1, max_size=2))
    short, reverse = draw(st.booleans()), draw(st.booleans())
    ordered = chosen[::-1] if reverse else chosen
    jvp = Eq(y_dot[a], added([p.pushed(short) for p in ordered]))
    vjp = Eq(x_bar[b], added([p.pulled(short) for p in ordered]))
    asked, cell = (jvp, x_dot[0]) if part == "jvp" else (vjp, y_bar[0])

    def build(asked: Any) -> Op:
        rules = (asked, vjp) if part == "jvp" else (jvp, asked)
        return Op("drawn", Eq(y[a], added([p.value() for p in chosen])), *rules, (N >= 1,))

    op, change, false = draw(finished(made, part, asked, build, (N, cell), ""))
    return Draw("means", op, part, made, change, BOX, false)
