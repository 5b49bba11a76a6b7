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

    def within(self, w: Any) -> tuple[Any, ...]:
        """Where zeros lie around the array, only its own cells are written."""
        is_cell = inside((self.place(w),), (self.axis.size,))
        return tuple(parts(is_cell)) if self.edge == "zeros" else ()

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

    def looped(self, spelling: str, result: Any) -> Any:
        """A loop that keeps the place of the largest cell, the first of several or the last.

        What comes of it is for `found` to say: whether there was a place.
        """
        w, last = self.axis.w, self.tie == "last"
        value, real = self.value(self.x, w), And(*self.real(w))

        def more(other: Any) -> Any:
            return value >= other if last else value > other

        if spelling == "flag":
            take = And(real, Eq(has, 0) | more(best))
            states = {
                "has": (has, 0, If(real, 1, has)),
                "best": (best, 0, If(take, value, best)),
                "at": (at, 0, If(take, w, at)),
            }
        elif spelling == "none yet":
            take = And(real, (at < 0) | more(best))
            states = {"best": (best, 0, If(take, value, best)), "at": (at, -1, If(take, w, at))}
        elif spelling == "match":
            most = maximum(self.value(self.x, v), self.window(v), where=And(*self.real(v)))
            take = And(real, Eq(value, most), *([] if last else [at < 0]))
            states = {"at": (at, -1, If(take, w, at))}
        else:
            states = {"at": (at, 0, If(more(self.value(self.x, at)), w, at))}
        return fold(result, self.axis.window, **states)

    def window(self, symbol: Any) -> Any:
        return symbol, 0, self.axis.width - 1

    def found_by(self, spelling: str) -> Any:
        """That a loop found a place, said of its states."""
        known = {"flag": Eq(has, 1), "none yet": at >= 0, "match": at >= 0}
        return known.get(spelling, And())

    @property
    def spellings(self) -> tuple[str, ...]:
        """By the place alone only where every place takes part."""
        if self.tie == "any":
            return ()
        alone = () if self.real(self.axis.w) else ("place alone",)
        return ("flag", "none yet", "match", *alone)

    def jvp(self, style: str) -> Any:
        place = tangent(self.y)[self.axis.a]
        if style in self.spellings:
            moved = If(self.found_by(style), self.value(tangent(self.x), at), 0)
            return Eq(place, self.looped(style, moved))
        w = self.axis.w
        return Eq(place, Sum(self.found(w) * self.value(tangent(self.x), w), self.axis.window))

    def vjp(self, style: str) -> Any:
        axis, w = self.axis, self.axis.w
        moved = times(axis.weight(w), cotangent(self.y)[axis.a])
        ranges = (axis.outputs, axis.window)
        if style in self.spellings:
            place = self.looped(style, at)
            is_found = Eq(self.looped(style, If(self.found_by(style), 1, 0)), 1)
            where = And(is_found, *self.within(place))
            given = times(axis.weight(place), cotangent(self.y)[axis.a])
            return scatter(cotangent(self.x)[self.place(place)], given, axis.outputs, where=where)
        if style == "scatter":
            where = And(*self.real(w), *self.within(w))
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
    jvp = meant.jvp(choose("sum", *meant.spellings))
    vjp = meant.vjp(choose("sum", "scatter", *meant.spellings))
    asked, by = (jvp, tangent(meant.x)) if part == "jvp" else (vjp, cotangent(meant.y))

    def build(asked: Any) -> Op:
        rules = (asked, vjp) if part == "jvp" else (jvp, asked)
        given = (*(s >= lowest(s) for s in used), *axis.requires)
        return Op("drawn", meant.forward(), *rules, given)

    change = "" if meant.is_right else "winners twice"
    op, change, false = draw(finished(made, part, asked, build, (axis.size, by[0]), change))
    box = tuple((s.name, range(lowest(s), LINE[s.name[0]] + 1)) for s in used)
    return Draw("largest", op, part, made, change, box, false)
