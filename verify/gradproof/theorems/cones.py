"""Ways out of a point along which linear forms are above 0, or that there are none. Trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

MOST_ROWS = 400
Row = tuple[tuple[Any, Fraction], ...]  # cells, and how fast a form rises with each
Way = dict[Any, Fraction]


class TooMany(Exception):
    """Of so many forms it is not decided."""


def as_row(form: Mapping[Any, Fraction], sign: int = 1) -> Row:
    """The largest part is 1 or -1, so that what says the same looks the same."""
    most = max(map(abs, form.values()), default=1)
    return tuple(sorted(((c, sign * v / most) for c, v in form.items() if v), key=str))


def way_along(rows: Iterable[Row]) -> Way | None:
    """A way on which all forms rise, if there is one: cell after cell is eliminated."""
    left = set(rows)
    if len(left) > MOST_ROWS:
        raise TooMany
    if not left or () in left:
        return None if left else {}
    cell = min(left, key=str)[0][0]
    above = [row for row in left if dict(row).get(cell, 0) > 0]
    below = [row for row in left if dict(row).get(cell, 0) < 0]
    joined = {sum_without(one, two, cell) for one, two in product(above, below)}
    way = way_along(left.difference(above, below) | joined)
    if way is None:
        return None
    least = max((end_of(row, cell, way) for row in above), default=None)
    most = min((end_of(row, cell, way) for row in below), default=None)
    return {cell: between(least, most), **way}


def sum_without(above: Row, below: Row, cell: Any) -> Row:
    """What two forms say together, however fast a cell moves."""
    one, two = dict(above), dict(below)
    cells = (one.keys() | two.keys()) - {cell}
    return as_row({c: two.get(c, 0) * one[cell] - one.get(c, 0) * two[cell] for c in cells})


def end_of(row: Row, cell: Any, way: Way) -> Fraction:
    others = sum((v * way.setdefault(c, Fraction(1)) for c, v in row if c != cell), Fraction())
    return -others / dict(row)[cell]


def between(least: Fraction | None, most: Fraction | None) -> Fraction:
    if least is None:
        return Fraction(1) if most is None else most - 1
    return least + 1 if most is None else (least + most) / 2


def in_parts(rows: Iterable[Row]) -> Iterator[Way]:
    """A way in each of the parts into which forms cut all ways."""
    found: list[tuple[Row, ...]] = [()]
    for row in dict.fromkeys(rows):
        sides = [(*part, side) for part in found for side in (row, as_row(dict(row), -1))]
        found = [part for part in sides if way_along(part) is not None]
        if len(found) > MOST_ROWS:
            raise TooMany
    for part in found:
        yield way_along(part) or {}
