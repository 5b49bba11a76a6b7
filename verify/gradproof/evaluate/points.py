"""Values of the cells, at which the second route tries what is no identity. Untrusted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from itertools import islice, pairwise
from random import Random
from typing import Any

import sympy

from gradproof.evaluate.replay import Cell, Cells
from gradproof.language import terms as t
from gradproof.theorems.sequents import Sequent

MOST_RISEN = 12
MOST_NUMBERS = 6  # of a sequent, whose quotients are thresholds


def of_total(lows: list[int | None], total: int) -> Iterator[tuple[int, ...]]:
    """Numbers, none below its own low, whose absolute values add up to a total."""
    if sum(low for low in lows if low is not None and low > 0) > total:
        return
    raised = next((i for i, low in enumerate(lows) if low is not None and low > 0), len(lows))
    if total == 0 and raised == len(lows):
        yield (0,) * len(lows)
    for first in reversed(range(min(raised + 1, len(lows)))):
        low, rest = lows[first], lows[first + 1 :]
        for value in (v for size in range(1, total + 1) for v in (size, -size)):
            if low is None or value >= low:
                for others in of_total(rest, total - abs(value)):
                    yield (*(0,) * first, value, *others)


def with_values(cells: Collection[Cell], values: Iterable[Fraction | int]) -> Cells:
    return {c: Fraction(v) for c, v in zip(cells, values, strict=True) if v}


def fixed(cells: Collection[Cell]) -> Iterator[Cells]:
    """Zeros, scattered values, their opposites and parities, rising and falling ones, fractions.

    All are small, since exponentials of products of large ones are no floats.
    """
    yield {}
    count = len(cells)
    step = -(-count // MOST_RISEN)
    scattered = [(7 * i * i + 3 * i + 1) % 11 - 5 for i in range(count)]
    rising = [Fraction(i + 1, step) for i in range(count)]
    falling = [Fraction(-i, step) for i in range(count)]
    opposite, parities = [-v for v in scattered], [v % 2 for v in scattered]
    for values in (scattered, opposite, parities, rising, falling):
        yield with_values(cells, values)
    yield next(at_large(cells))


def at_large(cells: Collection[Cell]) -> Iterator[Cells]:
    """Scattered fractions, and their opposites.

    No two are a whole number apart, or add up to one: hardly anything meets there.
    """
    count = len(cells)
    values = [
        (7 * i * i + 3 * i + 1) % 11 - 5 + Fraction(i + 1, 2 * count + 3) for i in range(count)
    ]
    yield with_values(cells, values)
    yield with_values(cells, (-v for v in values))


def tied(sequent: Sequent, cells: Collection[Cell]) -> Iterator[Cells]:
    """Zeros where a maximum is taken that a hypothesis speaks of, so that all tie; else rising."""
    windows = (u for c in sequent.when for u in t.walk(c) if isinstance(u, t.Maximum))
    level = {a.name for u in windows for a in t.arrays(u.body)}
    if level:
        yield {cell: Fraction(i + 1) for i, cell in enumerate(cells) if cell[0] not in level}


def halves(cells: Collection[Cell]) -> Cells:
    return {c: Fraction((1 - 2 * (i % 2)) * (2 * i + 1), 2) for i, c in enumerate(cells)}


def small(cells: Collection[Cell]) -> Iterator[Cells]:
    """Small whole numbers in all combinations, by their total."""
    for total in range(8):
        yield from (with_values(cells, v) for v in of_total([None] * len(cells), total))


def at_thresholds(sequent: Sequent, cells: Collection[Cell]) -> Iterator[Cells]:
    """Thresholds and what lies between them, drawn for each cell, without end."""
    values, drawn = sorted(around(thresholds(sequent))), Random(0)
    while True:
        yield with_values(cells, (values[int(drawn.random() * len(values))] for _ in cells))


def thresholds(sequent: Sequent) -> set[Fraction]:
    """Numbers with which a cell, or a multiple of it, may be compared: of either sign."""
    said = (u for c in sequent.terms for u in t.walk(c))
    met: dict[Any, None] = dict.fromkeys(u for u in said if isinstance(u, sympy.Rational) and u)
    numbers = [Fraction(1), *(abs(Fraction(int(u.p), int(u.q))) for u in islice(met, MOST_NUMBERS))]
    return {Fraction(0)} | {sign * a / b for a in numbers for b in numbers for sign in (1, -1)}


def around(found: set[Fraction]) -> set[Fraction]:
    """With what is between two of them, and beyond all."""
    ordered = sorted(found)
    beyond = {ordered[0] - 1, ordered[-1] + 1}
    return found | {(low + high) / 2 for low, high in pairwise(ordered)} | beyond
