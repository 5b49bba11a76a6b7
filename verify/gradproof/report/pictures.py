"""Pictures as data: windows over the input, the Jacobian's pattern, counterexamples. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gradproof.evaluate.judge import within
from gradproof.language.ops import Op
from gradproof.language.terms import Array
from gradproof.report.samples import (
    MOST_CELLS,
    Sample,
    declared_windows,
    jacobian,
    sample_of,
    windows_or_nothing,
)
from gradproof.settle.counterexamples import Counterexample
from gradproof.show.reading import Cell

MOST_GRIDS = 9


@dataclass(frozen=True)
class Square:
    """`mark`: "on" what is meant, "off" the rest, "pad" padding, "" nothing at all."""

    mark: str
    label: str = ""
    title: str = ""


@dataclass(frozen=True)
class Grid:
    """Squares in rows, with what stands beside the rows and above the columns."""

    title: str
    rows: tuple[tuple[Square, ...], ...]
    beside: tuple[str, ...] = ()
    above: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    title: str
    caption: str
    grids: tuple[Grid, ...]


def place(array: Any, cell: Iterable[int]) -> str:
    return f"{array}[{', '.join(map(str, cell))}]"


def sizes_text(sizes: dict[str, Any]) -> str:
    def shown(value: Any) -> str:
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return ", ".join(
        f"{name} = {f'({shown(v)})' if isinstance(v, list) and len(v) > 1 else shown(v)}"
        for name, v in sizes.items()
    )


# Windows.


def windows_picture(sample: Sample, chosen: Cell | None = None) -> Picture | None:
    """Which cells of the main input each output reads; `chosen` shows one output alone."""
    array = sample.main
    found = windows_or_nothing(sample, array)
    if chosen in found:
        found = {chosen: found[chosen]}
    shape = sample.shape(array)
    everything = {*sample.cells(array), *(at for places in found.values() for at in places)}
    if not sample.shape(array) or not everything or not any(found.values()):
        return None
    spans = [(min(column), max(column)) for column in zip(*everything, strict=True)]
    axes = [a for a, (low, high) in enumerate(spans) if low < high] or [len(spans) - 1]
    draw = {1: in_one_grid, 2: in_grids}.get(len(axes))
    if draw is None:
        return None
    grids = draw(sample, found, spans, axes)[:MOST_GRIDS]
    padded = any(not within(at, shape) for places in found.values() for at in places)
    caption = f"The cells of {array} that each output reads, at {sizes_text(sample.sizes)}"
    caption += "; dotted cells are padding." if padded else "."
    return Picture(f"Windows over {array}", caption, tuple(grids))


def at_axes(spans: list[tuple[int, int]], axes: list[int], values: tuple[int, ...]) -> Cell:
    """A cell by its place on the drawn axes; the others have one value only."""
    cell = [low for low, _ in spans]
    for axis, value in zip(axes, values, strict=True):
        cell[axis] = value
    return tuple(cell)


def square(sample: Sample, at: Cell, places: set[Cell]) -> Square:
    name = place(sample.main, at)
    if not within(at, sample.shape(sample.main)):
        return Square("pad", title=f"{name}, padding") if at in places else Square("")
    return Square("on" if at in places else "off", title=name)


def in_one_grid(
    sample: Sample, found: dict[Cell, set[Cell]], spans: list[tuple[int, int]], axes: list[int]
) -> list[Grid]:
    low, high = spans[axes[0]]
    columns = range(low, high + 1)
    rows = tuple(
        tuple(square(sample, at_axes(spans, axes, (c,)), places) for c in columns)
        for places in found.values()
    )
    beside = tuple(place(sample.op.output, o) for o in found)
    return [Grid("", rows, beside, tuple(map(str, columns)))]


def in_grids(
    sample: Sample, found: dict[Cell, set[Cell]], spans: list[tuple[int, int]], axes: list[int]
) -> list[Grid]:
    (top, bottom), (left, right) = (spans[a] for a in axes)
    return [
        Grid(
            place(sample.op.output, o),
            tuple(
                tuple(
                    square(sample, at_axes(spans, axes, (r, c)), places)
                    for c in range(left, right + 1)
                )
                for r in range(top, bottom + 1)
            ),
        )
        for o, places in found.items()
    ]


# The Jacobian.


def jacobian_picture(sample: Sample) -> Picture | None:
    """Which entries of ∂y/∂x are not 0, for each input."""
    grids = []
    y = sample.op.output
    for array in sample.op.inputs:
        entries = jacobian(sample, array)
        if not entries:
            continue
        rows = tuple(
            tuple(
                Square(
                    "on" if entries[o, i] else "off",
                    title=f"∂{place(y, o)}/∂{place(array, i)} {'≠' if entries[o, i] else '='} 0",
                )
                for i in sample.cells(array)
            )
            for o in sample.cells(y)
        )
        grids.append(Grid(f"∂{y}/∂{array}", rows))
    if not grids:
        return None
    caption = (
        f"The entries that are not 0, at {sizes_text(sample.sizes)}: a row per output, "
        "a column per input."
    )
    return Picture("The Jacobian's pattern", caption, tuple(grids))


def pictures_of(op: Op) -> tuple[Picture, ...]:
    sample = None if op.is_system else sample_of(op)
    if sample is None:
        return ()
    found = (windows_picture(sample), jacobian_picture(sample))
    return tuple(p for p in found if p is not None)


# Counterexamples.


def counterexample_pictures(
    op: Op, sample: Sample, found: Counterexample, arrays: Iterable[Array], output: Cell | None
) -> tuple[Picture, ...]:
    """The windows at its sizes, and the tensors with its values; failing that, the sizes."""
    drawn = []
    if sample.is_small:
        drawn = [windows_picture(sample, output), values_picture(sample, found, arrays)]
    if not any(drawn):
        drawn = [declared_picture(op, sample), sizes_picture(found)]
    return tuple(p for p in drawn if p is not None)


def declared_picture(op: Op, sample: Sample) -> Picture | None:
    """The first windows as they are declared; where they overhang, they do not fit."""
    grids = []
    for size, extent, stride in declared_windows(op, sample):
        starts = [stride * number for number in range(3)]
        columns = range(max(size, *(start + extent for start in starts)))
        if len(columns) > MOST_CELLS:
            return None
        rows = tuple(tuple(declared(c, start, extent, size) for c in columns) for start in starts)
        beside = tuple(f"window {number}" for number in range(3))
        grids.append(Grid("", rows, beside, tuple(map(str, columns))))
    caption = "The first windows as declared, over the padded input; dotted cells lie outside."
    return Picture("Declared windows", caption, tuple(grids)) if grids else None


def declared(column: int, start: int, extent: int, size: int) -> Square:
    covered = start <= column < start + extent
    if column >= size:
        return Square("pad" if covered else "")
    return Square("on" if covered else "off")


def sizes_picture(found: Counterexample) -> Picture | None:
    """Each size as so many squares."""
    values = {
        f"{name}{f'.{axis}' if len(parts) > 1 else ''}": value
        for name, whole in found.sizes.items()
        for parts in (whole if isinstance(whole, list) else [whole],)
        for axis, value in enumerate(parts, 1)
    }
    lengths = {name: int(v) for name, v in values.items() if str(v).isdigit()}
    if not lengths or max(lengths.values()) > MOST_CELLS:
        return None
    rows = tuple((Square("on"),) * v + (Square(""),) * (not v) for v in lengths.values())
    return Picture("Sizes", "The sizes at which it fails.", (Grid("", rows, tuple(lengths)),))


def values_picture(
    sample: Sample, found: Counterexample, arrays: Iterable[Array]
) -> Picture | None:
    grids = []
    for array in sorted(arrays, key=lambda a: a.name):
        if not 0 < len(sample.cells(array)) <= MOST_CELLS:
            continue
        values = found.values.get(array.name, {})
        squares = [
            Square("on" if str(list(c)) in values else "off", label, place(array, c))
            for c in sample.cells(array)
            for label in (values.get(str(list(c)), "0"),)
        ]
        width = (sample.shape(array) or (1,))[-1]
        rows = tuple(tuple(squares[i : i + width]) for i in range(0, len(squares), width))
        grids.append(Grid(array.name, rows))
    return Picture("Values", "The tensors at which it fails.", tuple(grids)) if grids else None
