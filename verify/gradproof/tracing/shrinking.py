"""A counterexample made small: few cells, zeros and ones, for as long as it is one. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gradproof.evaluate.replay import satisfies
from gradproof.language.ops import Op
from gradproof.language.terms import INT
from gradproof.tracing import points
from gradproof.tracing.quotients import (
    Point,
    Search,
    Shapeless,
    Wrong,
    at,
    gradients_at,
    is_allowed,
    rounded,
)

DRAWS = 3


def shrunk(search: Search, op: Op, wrong: Wrong) -> Wrong:
    """With sizes made less, then values, while it is surely wrong and there is time."""
    generator = np.random.default_rng(4)
    while (smaller := with_less(search, op, wrong, generator)) is not None:
        wrong = smaller
    return simpler(search, op, wrong)


def with_less(search: Search, op: Op, wrong: Wrong, generator: np.random.Generator) -> Wrong | None:
    """One size less: the least at which it is wrong for some values."""
    declared = search.code.declared
    for symbol, size in wrong.at.sizes.items():
        for less in range(0, int(size)) if symbol.sort == INT else ():
            sizes = {**wrong.at.sizes, symbol: less}
            if not satisfies(declared.of_sizes, sizes):
                continue
            for _ in range(DRAWS):
                try:
                    drawn = points.allowed(op, declared, sizes, generator)
                    point = at(search.code, op, sizes, rounded(drawn.values), generator)
                    found = None if point is None else search.at(point)
                except Exception:
                    break
                if found is not None:
                    return found
    return None


def simpler(search: Search, op: Op, wrong: Wrong) -> Wrong:
    """With simpler values of arrays, whole ones first, then cell by cell."""
    names = [k for k, v in wrong.at.values.items() if is_real(v)]
    for name in (*names, None):
        for change in (*WHOLE, *cell_changes(value_of(wrong.at, name))):
            if search.clock.is_over:
                return wrong
            value = change(value_of(wrong.at, name))
            if not np.array_equal(value, value_of(wrong.at, name)):
                wrong = again(search, op, wrong, name, value) or wrong
    return wrong


def is_real(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == float


def value_of(point: Point, name: str | None) -> Any:
    return np.asarray(point.cotangent if name is None else point.values[name], dtype=float) + 0.0


WHOLE = (np.zeros_like, np.ones_like, lambda v: np.round(v) + 0.0)


def cell_changes(value: Any) -> Iterator[Any]:
    for place in np.ndindex(np.shape(value)) if np.ndim(value) else ():
        for number in (0.0, 1.0, None):
            yield lambda v, at=place, n=number: put(v, at, n)


def put(value: Any, place: tuple[int, ...], number: float | None) -> Any:
    """A cell changed, if that makes it simpler: 0, else 1, else a whole number."""
    found, old = value.copy(), value[place]
    if not (old == 0 or (old == 1 and number != 0)):
        found[place] = np.round(old) + 0.0 if number is None else number
    return found


def again(search: Search, op: Op, wrong: Wrong, name: str | None, value: Any) -> Wrong | None:
    """The same cell with other values, if it is surely wrong there too."""
    old = wrong.at
    if name is None:
        point = replace(old, cotangent=value)
    else:
        point = replace(old, values={**old.values, name: value})
    try:
        if not is_allowed(search.code, op, point.sizes, point.values):
            return None
        rule = gradients_at(search.code, point)[wrong.name]
        return search.cell(point, wrong.name, wrong.place, rule[wrong.place])
    except (Exception, Shapeless):
        return None
