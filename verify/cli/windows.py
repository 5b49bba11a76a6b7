"""Which cells an entry is made of, and a drawing of them over the input. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import sympy
from sympy.core.symbol import Str

from verify import terms as t
from verify.cli.replay import Replay
from verify.evaluate import Evaluator
from verify.language import target_of, value_at
from verify.numbers import RATIONALS, Undecided, Undefined
from verify.replay import Env
from verify.substitution import Fresh
from verify.terms import Array

MOST_OUTPUTS, WIDEST, TALLEST = 300, 16, 12
Cell = tuple[int, ...]


def touched(term: Any, name: str, env: Env) -> set[Cell]:
    """The cells of an array that a term reads, those outside of it too; brackets are heeded."""
    return set(reads(Evaluator(RATIONALS, {}), term, name, env))


def reads(ev: Evaluator, term: Any, name: str, env: Env) -> Iterator[Cell]:
    if isinstance(term, t.Sym | Str | sympy.Rational | Array):
        return
    if isinstance(term, t.Read) and term.array.name == name:
        yield tuple(ev.value(e, env) for e in term.index)
    if not all(holds(ev, guard, env) for guard in t.guards_of(term)):
        return
    if isinstance(term, t.Binder):
        heads = term.args[: term.parts]
        for place in map(dict, ev.places(term.ranges, env)):
            for head in heads:
                yield from reads(ev, head, name, place)
    elif isinstance(term, t.If):
        for condition, branch in ((term.args[0], 1), (t.Not(term.args[0]), 2)):
            if holds(ev, condition, env):
                yield from reads(ev, term.args[branch], name, env)
    else:
        for arg in term.args:
            yield from reads(ev, arg, name, env)


def holds(ev: Evaluator, condition: Any, env: Env) -> bool:
    """Whether a condition may hold; one that reads tensors may."""
    if t.arrays(condition):
        return True
    try:
        return bool(ev.value(condition, env))
    except (Undefined, Undecided, KeyError):
        return True


def at(found: Replay, equation: Any, index: Cell, name: str) -> set[Cell]:
    """The cells of an array that an equation reads for one entry of what it defines."""
    value = value_at(equation, tuple(map(sympy.Integer, index)), Fresh(equation))
    return touched(value, name, found.sizes)


def outputs(found: Replay) -> list[Cell]:
    shape = found.shape(found.op.output)
    return list(islice(product(*map(range, shape)), MOST_OUTPUTS))


def drawing(found: Replay, x: Array, output: Cell, cell: Cell | None) -> list[str]:
    """The window of an output cell over the input, along one or two axes; one cell is marked."""
    axes = drawn_axes(found, x)
    window = at(found, found.op.forward, output, x.name)
    slice_of = cell or min(window, default=())
    reached = set().union(*(at(found, found.op.forward, o, x.name) for o in outputs(found)))
    shape = found.shape(x)
    if not axes or not slice_of:
        return []
    spans = [span({c[a] for c in reached}, shape[a]) for a in axes]
    if len(spans[-1]) > WIDEST or len(spans[0]) > (TALLEST if len(spans) > 1 else WIDEST):
        return []
    rows = spans[0] if len(axes) == 2 else [None]
    table = [["", *map(str, spans[-1])]]
    for row in rows:
        line = ["" if row is None else str(row)]
        for column in spans[-1]:
            here = list(slice_of)
            here[axes[-1]] = column
            if row is not None:
                here[axes[0]] = row
            line.append(mark(found, x, tuple(here), window, cell, shape))
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
    window: set[Cell],
    cell: Cell | None,
    shape: tuple[int, ...],
) -> str:
    inside = all(0 <= e < n for e, n in zip(here, shape, strict=True))
    text = str(found.cell(x.name, here)) if inside else "·"
    text += "*" if here == cell else ""
    return f"[{text}]" if here in window else f" {text} "


def aligned(table: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return [
        "  ".join(text.center(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
