"""Ops over windows, and their rules in each way that they can be written. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

from gradproof.language import (
    Array,
    Eq,
    If,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    scatter,
    tangent,
    zero_padded,
)
from gradproof.language.terms import And
from trust.truth.windows import Axis, Piece, pulled, pushed, scattered, times

Pieces = tuple[Piece, ...]


@dataclass(frozen=True)
class Map:
    """y[a] = Σ weight·t / divisor, over the windows of each axis, where t is, of the cell read,
    x ("linear"), x² ("square") or f[w]·x ("filter"); `local` also divides by a + 1."""

    axes: tuple[Axis, ...]
    mode: str = "linear"
    divisor: Any = 1
    local: bool = False

    @property
    def x(self) -> Array:
        return array("x", *(axis.size for axis in self.axes))

    @property
    def y(self) -> Array:
        return array("y", *(axis.count for axis in self.axes))

    @property
    def f(self) -> Array:
        return array("f", *(axis.width for axis in self.axes))

    def below(self, pieces: Pieces) -> Any:
        every = [self.divisor, *((p.a + 1 for p in pieces) if self.local else ())]
        return reduce(times, every)


@dataclass(frozen=True)
class Style:
    """How a sum is written: its guards, its divisor, its first range, its weight."""

    guards: str = "brackets"
    inside: bool = False
    split: int | None = None
    distributed: bool = False


def read(source: Array, pieces: Pieces) -> Any:
    index = tuple(p.place for p in pieces)
    return (zero_padded(source) if any(p.padded for p in pieces) else source)[index]


def total(m: Map, pieces: Pieces, factors: tuple[Any, ...], style: Style) -> Any:
    """Σ weight·factors / divisor, over the pieces of all axes."""
    below = m.below(pieces)
    inside = style.inside or m.local

    def term(weight: Any) -> Any:
        body = reduce(times, (weight, *factors))
        body = guarded(body / below if inside and below != 1 else body, pieces, style.guards)
        every = added(Sum(body, *r) for r in ranges(pieces, style.split))
        return every if inside or below == 1 else every / below

    (axis, *more) = m.axes
    if style.distributed and axis.slope and not more:
        return term(axis.scale) + term(times(axis.slope, pieces[0].w))
    return term(reduce(times, (p.weight for p in pieces)))


def guarded(body: Any, pieces: Pieces, style: str) -> Any:
    guards = [g for p in pieces for g in p.guards]
    if not guards:
        return body
    if style == "brackets":
        return reduce(times, (*map(bracket, guards), body))
    whole = guards[0] if len(guards) == 1 else And(*guards)
    return If(whole, body, 0) if style == "if" else times(body, bracket(whole))


def ranges(pieces: Pieces, split: int | None) -> Iterator[tuple[Any, ...]]:
    """The ranges of all axes; the first may be split in two."""
    (symbol, first, last), *rest = (r for p in pieces for r in p.ranges)
    if split is None:
        yield ((symbol, first, last), *rest)
        return
    yield ((symbol, first, Min(first + split, last)), *rest)
    yield ((symbol, first + split + 1, last), *rest)


# What is to be written: a choice picks one of several pieces, a style dresses a sum.

Choice = Callable[[list[Piece]], Piece]
Dress = Callable[[], Style]
Maps = tuple[Map, ...]


def first(pieces: list[Piece]) -> Piece:
    return pieces[0]


def definition(ms: Maps, requires: tuple[Any, ...], said: Any, rules: dict[str, Any]) -> Op:
    """The op that is the sum of these maps; rules that are not given are written plainly."""
    parts = ("jvp", "vjp x_bar", *(("vjp f_bar",) if ms[0].mode == "filter" else ()))
    jvp, *vjp = (rules[part] if part in rules else rule(ms, part) for part in parts)
    return Op("drawn", requires=requires, forward=said, jvp=jvp, vjp=tuple(vjp))


def forward(ms: Maps, choose: Choice = first, dress: Dress = Style) -> Any:
    place = ms[0].y[tuple(axis.a for axis in ms[0].axes)]
    return Eq(place, added(image(m, m.x, m.f, choose, dress) for m in ms))


def rule(
    ms: Maps, part: str, choose: Choice = first, dress: Dress = Style, scatters: bool = False
) -> Any:
    """The JVP, or the VJP to x or to f."""
    m = ms[0]
    if part == "jvp":
        place = tangent(m.y)[tuple(axis.a for axis in m.axes)]
        return Eq(place, added(tangents(m, choose, dress) for m in ms))
    if part == "vjp f_bar":
        return to_filter(m, scatters)
    if scatters:
        return scattering(m, choose)
    place = cotangent(m.x)[tuple(axis.b for axis in m.axes)]
    return Eq(place, added(gathered(m, choose, dress) for m in ms))


def added(terms: Iterable[Any]) -> Any:
    return reduce(lambda one, two: one + two, terms)


def chosen(m: Map, of: Callable[[Axis], Iterator[Piece]], choose: Choice) -> Pieces:
    """A way for each axis; windows that there are not cannot be divided by a + 1."""
    ways = [list(of(axis)) for axis in m.axes]
    if m.local and of is pulled:
        ways = [[p for p in found if not p.padded] for found in ways]
    return tuple(map(choose, ways))


def image(m: Map, source: Array, filters: Array, choose: Choice, dress: Dress) -> Any:
    """What the map makes of a source; for squares, of x·source."""
    pieces = chosen(m, pushed, choose)
    cells = read(source, pieces)
    factors = {
        "linear": lambda: (cells,),
        "square": lambda: (read(m.x, pieces), cells),
        "filter": lambda: (filters[tuple(p.w for p in pieces)], cells),
    }[m.mode]
    return total(m, pieces, factors(), dress())


def tangents(m: Map, choose: Choice, dress: Dress) -> Any:
    by_x = image(m, tangent(m.x), m.f, choose, dress)
    if m.mode == "square":
        return 2 * by_x
    if m.mode == "filter":
        return by_x + image(m, m.x, tangent(m.f), choose, dress)
    return by_x


def gathered(m: Map, choose: Choice, dress: Dress) -> Any:
    pieces = chosen(m, pulled, choose)
    return total(m, pieces, cotangents(m, pieces), dress())


def cotangents(m: Map, pieces: Pieces) -> tuple[Any, ...]:
    y_bar = read(cotangent(m.y), pieces)
    if m.mode == "square":
        return 2, m.x[tuple(p.cell for p in pieces)], y_bar
    return (m.f[tuple(p.w for p in pieces)], y_bar) if m.mode == "filter" else (y_bar,)


def scattering(m: Map, choose: Choice) -> Any:
    pieces = chosen(m, scattered, choose)
    target = cotangent(m.x)[tuple(p.cell for p in pieces)]
    value = reduce(times, (*(p.weight for p in pieces), *cotangents(m, pieces)))
    below = m.below(pieces)
    inside = And(*(g for p in pieces for g in p.guards))
    ranges = (r for p in pieces for r in p.ranges)
    return scatter(target, value / below if below != 1 else value, *ranges, where=inside)


def to_filter(m: Map, scatters: bool) -> Any:
    """f_bar[w], as an equation or as a scatter."""
    weights = (axis.weight(axis.w) for axis in m.axes)
    fits = all(axis.fits for axis in m.axes)
    x = (m.x if fits else zero_padded(m.x))[tuple(axis.cell(axis.w) for axis in m.axes)]
    value = reduce(times, (*weights, x, cotangent(m.y)[tuple(axis.a for axis in m.axes)]))
    value = value / m.divisor if m.divisor != 1 else value
    place = cotangent(m.f)[tuple(axis.w for axis in m.axes)]
    outputs = tuple(axis.outputs for axis in m.axes)
    if scatters:
        return scatter(place, value, *outputs, *(axis.window for axis in m.axes))
    return Eq(place, Sum(value, *outputs))
