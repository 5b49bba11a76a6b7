"""Windows along one axis, and the ways in which a sum over them can be written. Untrusted.

Every way that is offered is right: it says the same for all sizes that are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gradproof.language import (
    Divides,
    Eq,
    Max,
    Min,
    Term,
    ceil_div,
    floor_div,
    inside,
    integers,
    mod,
)
from gradproof.language.substitution import free
from gradproof.language.terms import And, Sym, plus


def times(factor: Any, term: Any) -> Any:
    """The product, without factors of 1 and 0."""
    if factor == 0 or term == 0:
        return 0
    if isinstance(factor, int) and isinstance(term, int):
        return factor * term
    return term if factor == 1 else factor if term == 1 else factor * term


def at_least_1(term: Any) -> bool:
    """A number, or a size, that is at least 1."""
    return term >= 1 if isinstance(term, int) else isinstance(term, Sym)


@dataclass(frozen=True)
class Axis:
    """Window `a` of `count` reads cell stride·a + step·w + shift of `size`, for each w < width.

    A read outside of the array is 0; if `fits`, there is none. The cell w of a window weighs
    scale + slope·w.
    """

    suffix: str
    stride: Any
    step: Any
    shift: Any
    width: Any
    count: Any
    scale: int = 1
    slope: int = 0
    fits: bool = False
    requires: tuple[Any, ...] = ()

    @cached_property
    def size(self) -> Any:
        return integers(f"N{self.suffix}")

    @cached_property
    def a(self) -> Any:
        return integers(f"a{self.suffix}")

    @cached_property
    def b(self) -> Any:
        return integers(f"b{self.suffix}")

    @cached_property
    def w(self) -> Any:
        return integers(f"w{self.suffix}")

    def cell(self, w: Any) -> Any:
        return plus(times(self.stride, self.a), times(self.step, w), self.shift)

    def weight(self, w: Any) -> Any:
        return self.scale if self.slope == 0 else times(self.slope, w) + self.scale

    @property
    def window(self) -> Any:
        return (self.w, 0, self.width - 1)

    @property
    def cells(self) -> Any:
        return (self.b, 0, self.size - 1)

    @property
    def outputs(self) -> Any:
        return (self.a, 0, self.count - 1)

    @property
    def is_even(self) -> bool:
        """All windows are equally wide."""
        return isinstance(self.width, int) or self.a not in free(self.width)


@dataclass(frozen=True)
class Piece:
    """A sum along one axis: over `ranges`, where `guards` hold, of what is at `place`.

    `w` is the cell of the window, `cell` that of the input, `a` the window.
    """

    ranges: tuple[Any, ...]
    guards: tuple[Any, ...]
    place: Any
    padded: bool
    w: Any
    cell: Any
    a: Any
    weight: Any


def pushed(axis: Axis) -> Iterator[Piece]:
    """From the input to window a."""

    def piece(ranges: Any, guards: Any, place: Any, padded: bool, w: Any) -> Piece:
        return Piece(ranges, guards, place, padded, w, place, axis.a, axis.weight(w))

    for w in (axis.w, axis.width - 1 - axis.w):
        cell = axis.cell(w)
        clip = () if axis.fits else parts(inside((cell,), (axis.size,)))
        yield piece((axis.window,), (), cell, not axis.fits, w)
        yield piece((axis.window,), clip, cell, False, w)
    hit = Eq(axis.cell(axis.w), axis.b)
    yield piece((axis.cells, axis.window), (hit,), axis.b, False, axis.w)
    if at_least_1(axis.step):
        guards, w = solved(axis)
        yield piece((axis.cells,), guards, axis.b, False, w)


def pulled(axis: Axis) -> Iterator[Piece]:
    """From the windows to cell b."""
    a, b, w = axis.a, axis.b, axis.w

    def piece(ranges: Any, guards: Any, w: Any, place: Any = a, padded: bool = False) -> Piece:
        return Piece(ranges, guards, place, padded, w, b, place, axis.weight(w))

    hit = Eq(axis.cell(w), b)
    yield piece((axis.outputs, axis.window), (hit,), w)
    if axis.is_even:
        yield piece((axis.window, axis.outputs), (hit,), w)
    if at_least_1(axis.step):
        guards, at = solved(axis)
        yield piece((axis.outputs,), guards, at)
    if axis.is_even and at_least_1(axis.stride):
        rest = b - times(axis.step, w) - axis.shift
        one = axis.stride == 1
        place = rest if one else floor_div(rest, axis.stride)
        tests = [()] if one else [(Divides(axis.stride, rest),), (Eq(mod(rest, axis.stride), 0),)]
        for guards in tests:
            yield piece((axis.window,), guards, w, place, True)
            within = parts(inside((place,), (axis.count,)))
            yield piece((axis.window,), (*guards, *within), w, place)
    if axis.is_even and axis.stride == -1:
        yield piece((axis.window,), (), w, times(axis.step, w) + axis.shift - b, True)
    if axis.is_even and axis.step == 1 and at_least_1(axis.stride):
        first = Max(0, ceil_div(b - axis.shift - axis.width + 1, axis.stride))
        last = Min(axis.count - 1, floor_div(b - axis.shift, axis.stride))
        yield piece(((a, first, last),), (), b - times(axis.stride, a) - axis.shift)


def scattered(axis: Axis) -> Iterator[Piece]:
    """From each window to the cells that it reads."""
    for w in (axis.w, axis.width - 1 - axis.w):
        cell = axis.cell(w)
        clip = () if axis.fits else parts(inside((cell,), (axis.size,)))
        ranges = (axis.outputs, axis.window)
        yield Piece(ranges, clip, axis.a, False, w, cell, axis.a, axis.weight(w))


def solved(axis: Axis) -> tuple[tuple[Any, ...], Any]:
    """The cell of window a that is cell b, and when there is one."""
    rest = axis.b - times(axis.stride, axis.a) - axis.shift
    one = axis.step == 1
    w = rest if one else floor_div(rest, axis.step)
    return (*(() if one else (Divides(axis.step, rest),)), *parts(inside((w,), (axis.width,)))), w


def parts(condition: Term) -> tuple[Any, ...]:
    return tuple(condition.args) if isinstance(condition, And) else (condition,)
