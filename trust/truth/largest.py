"""Ops that take the largest cell of each window, drawn at random, with their rules. Untrusted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from gradproof.language import (
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    bracket,
    cotangent,
    fold,
    inside,
    integers,
    maximum,
    reals,
    scatter,
    tangent,
    winner,
    zero_padded,
)
from gradproof.language.terms import And, Array
from trust.truth.draw import MADE, Draw, finished
from trust.truth.maps import Map
from trust.truth.rules import LINE, MOST_SYMBOLS, axes, lowest, symbols_of
from trust.truth.windows import Axis, parts, times

v, at, has = integers("v at has")
best = reals("best")


@dataclass(frozen=True)
class Largest:
    """y[a] = the largest weight·x over window a; beyond the edges there is nothing, or zeros, or
    the cell at the edge again."""

    axis: Axis
    edge: str
    tie: str

    @property
    def x(self) -> Array:
        return Map((self.axis,)).x

    @property
    def y(self) -> Array:
        return Map((self.axis,)).y

    @property
    def is_right(self) -> bool:
        """All winners are counted only where no cell is read twice."""
        return self.tie != "any" or (self.axis.step != 0 and self.edge != "clamped")

    def place(self, w: Any) -> Any:
        cell = self.axis.cell(w)
        return Max(Min(cell, self.axis.size - 1), 0) if self.edge == "clamped" else cell

    def real(self, w: Any) -> tuple[Any, ...]:
        """Where the window has a cell that takes part."""
        is_clipped = self.edge == "ignored" and not self.axis.fits
        return parts(inside((self.axis.cell(w),), (self.axis.size,))) if is_clipped else ()

    def value(self, source: Array, w: Any) -> Any:
        cells: Any = zero_padded(source) if self.edge == "zeros" else source
        return times(self.axis.weight(w), cells[self.place(w)])

    def forward(self) -> Any:
        w = self.axis.w
        whole = maximum(self.value(self.x, w), self.axis.window, where=And(*self.real(w)))
        return Eq(self.y[self.axis.a], whole)

    def wins(self, w: Any) -> Any:
        window, where = (v, 0, self.axis.width - 1), And(*self.real(v))
        return bracket(winner(w, self.value(self.x, v), window, where=where, tie=self.tie))

    def found(self, w: Any) -> Any:
        """That cell w of the window is real, and wins."""
        return reduce(times, (*map(bracket, self.real(w)), self.wins(w)))

    def looped(self, result: Any) -> Any:
        """A loop that keeps the largest cell and its place, the first of several or the last."""
        w = self.axis.w
        value, real = self.value(self.x, w), And(*self.real(w))
        more = value >= best if self.tie == "last" else value > best
        take = And(real, Eq(has, 0) | more)
        states = {
            "has": (has, 0, If(real, 1, has)),
            "best": (best, 0, If(take, value, best)),
            "at": (at, 0, If(take, w, at)),
        }
        return fold(result, self.axis.window, **states)

    def jvp(self, style: str) -> Any:
        place = tangent(self.y)[self.axis.a]
        if style == "loop":
            moved = If(Eq(has, 1), self.value(tangent(self.x), at), 0)
            return Eq(place, self.looped(moved))
        w = self.axis.w
        return Eq(place, Sum(self.found(w) * self.value(tangent(self.x), w), self.axis.window))

    def vjp(self, style: str) -> Any:
        axis, w = self.axis, self.axis.w
        moved = times(axis.weight(w), cotangent(self.y)[axis.a])
        ranges = (axis.outputs, axis.window)
        if style == "scatter":
            within = inside((self.place(w),), (axis.size,))
            where = And(*self.real(w), *(parts(within) if self.edge == "zeros" else ()))
            target = cotangent(self.x)[self.place(w)]
            return scatter(target, self.wins(w) * moved, *ranges, where=where)
        hit = bracket(Eq(self.place(w), axis.b))
        return Eq(cotangent(self.x)[axis.b], Sum(hit * self.found(w) * moved, *ranges))


@st.composite
def largest(draw: Any) -> Draw:
    """An op with both rules, one of which is asked about."""

    def choose(*options: Any) -> Any:
        return draw(st.sampled_from(options))

    made, axis = choose(*MADE), draw(axes(""))
    edge = choose("ignored", "ignored", "zeros", "clamped")
    meant = Largest(axis, edge, choose("first", *(("last",) if edge != "clamped" else ()), "any"))
    used = symbols_of((Map((axis,)),))
    assume(len(used) <= MOST_SYMBOLS)
    assume(meant.is_right or made == "edited")
    part = choose("jvp", "vjp x_bar")
    jvp = meant.jvp(choose("sum", *(("loop",) if meant.tie != "any" else ())))
    vjp = meant.vjp(choose("sum", "scatter"))
    asked, by = (jvp, tangent(meant.x)) if part == "jvp" else (vjp, cotangent(meant.y))

    def build(asked: Any) -> Op:
        rules = (asked, vjp) if part == "jvp" else (jvp, asked)
        given = (*(s >= lowest(s) for s in used), *axis.requires)
        return Op("drawn", meant.forward(), *rules, given)

    change = "" if meant.is_right else "winners twice"
    op, change, false = draw(finished(made, part, asked, build, (axis.size, by[0]), change))
    box = tuple((s.name, range(lowest(s), LINE[s.name[0]] + 1)) for s in used)
    return Draw("largest", op, part, made, change, box, false)
