"""Which cells an entry is made of, and a drawing of them over the input. Untrusted."""

from __future__ import annotations

from itertools import islice, product

import sympy

from gradproof.evaluate.judge import within
from gradproof.language import terms as t
from gradproof.language.ops import target_of, value_at
from gradproof.language.substitution import Fresh
from gradproof.language.terms import Array, Term
from gradproof.show.failures import Replay
from gradproof.show.reading import Cell, window

MOST_OUTPUTS, WIDEST, TALLEST = 300, 16, 12


def at(found: Replay, equation: Term, index: Cell, array: Array) -> set[Cell]:
    """The cells of an array that an equation reads for one entry of what it defines."""
    value = value_at(equation, tuple(map(sympy.Integer, index)), Fresh(equation))
    return window(value, array, found.sizes)


def outputs(found: Replay) -> list[Cell]:
    shape = found.shape(found.op.output)
    return list(islice(product(*map(range, shape)), MOST_OUTPUTS))


def drawing(found: Replay, x: Array, output: Cell, cell: Cell | None) -> list[str]:
    """The window of an output cell over the input, along one or two axes; one cell is marked."""
    axes = drawn_axes(found, x)
    read = at(found, found.op.forward, output, x)
    slice_of = cell or min(read, default=())
    reached = set().union(*(at(found, found.op.forward, o, x) for o in outputs(found)))
    shape = found.shape(x)
    if not axes or not slice_of:
        return []
    spans = [span({c[a] for c in reached}, shape[a]) for a in axes]
    if len(spans[-1]) > WIDEST or len(spans[0]) > (TALLEST if len(spans) > 1 else WIDEST):
        return []
    if all(len(positions) == 1 for positions in spans):
        return []  # one cell is told by its name
    rows = spans[0] if len(axes) == 2 else [None]
    table = [["", *map(str, spans[-1])]]
    for row in rows:
        line = ["" if row is None else str(row)]
        for column in spans[-1]:
            here = list(slice_of)
            here[axes[-1]] = column
            if row is not None:
                here[axes[0]] = row
            line.append(mark(found, x, tuple(here), read, cell, shape))
        table.append(line)
    return aligned(table)


def drawn_axes(found: Replay, x: Array) -> tuple[int, ...]:
    """The axes along which the forward equation moves: not those of a plain output index."""
    left = set(target_of(found.op.forward).index)
    dims = [u.index for u in t.walk(found.op.forward) if isinstance(u, t.Read) and u.array == x]
    moving = [a for a in range(len(x.dims)) if any(index[a] not in left for index in dims)]
    spatial = [a for a in moving if "." in str(x.dims[a])]  # of a bundle, where there is one
    return tuple((spatial or moving)[-2:])


def span(positions: set[int], size: int) -> list[int]:
    return list(range(min(0, *positions, 0), max(size - 1, *positions, size - 1) + 1))


def mark(
    found: Replay,
    x: Array,
    here: Cell,
    read: set[Cell],
    cell: Cell | None,
    shape: tuple[int, ...],
) -> str:
    text = str(found.cell(x.name, here)) if within(here, shape) else "·"
    text += "*" if here == cell else ""
    return f"[{text}]" if here in read else f" {text} "


def aligned(table: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return [
        "  ".join(text.center(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
