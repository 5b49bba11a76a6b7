"""Lists that a loop over a symbolic range fills, as arrays with a row for each turn. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import INT, REAL
from gradproof.numpy import functions, places
from gradproof.numpy.arrays import Array, Filling, Part, Table, arrays_in
from gradproof.numpy.operators import is_said
from gradproof.numpy.ranges import Turns
from gradproof.tracing import integers as n
from gradproof.tracing import layout
from gradproof.tracing.tensors import Tensor, Unreadable, as_real, constant

ONCE = (
    "a list that a loop fills other than by one append, or insert(0, …), in each of its turns; "
    "start with an array of zeros and write its cells"
)
SHAPE = "a list of rows of several shapes; start with zeros of the shape that the others have"
NO_ROWS = "a list of what are no arrays or numbers; append each to a list of its own"
ALIAS = "a list with an array that is changed in place beside it; append a copy"


class Grows(Unreadable):
    """A list to which a turn of a loop appends: the loop is to be read again, with an array."""

    def __init__(self, rows: list[Any], row: Any, front: bool) -> None:
        super().__init__(ONCE)
        self.rows, self.row, self.front = rows, row, front

    def filled(self, reader: Any, turns: Turns) -> Filled:
        """The array that the list is from here on, or the table."""
        if reader.path or not reader.decided(t.relation(t.Ge, turns.count, 0)):
            raise Unreadable(ONCE)
        whole = self.made(reader, turns, self.row, self.rows)
        reader.filled.append((self.rows, whole))
        return Filled(tuple(arrays_in(whole)), len(self.rows), self.front)

    def made(self, reader: Any, turns: Turns, row: Any, before: Sequence[Any]) -> Any:
        """An array of all rows, or a table of what is in them."""
        if is_said(row):
            if any(not is_same(one, row) for one in before):
                raise Unreadable(NO_ROWS)
            return row
        if isinstance(row, tuple | dict):
            if any(not is_alike(one, row) for one in before):
                raise Unreadable(NO_ROWS)
            parts = [
                self.made(reader, turns, row[k], [one[k] for one in before]) for k in keys_of(row)
            ]
            count = self.array(reader, turns, constant(0, sort=INT), [0] * len(before))
            named = dict(zip(row, parts, strict=True)) if isinstance(row, dict) else tuple(parts)
            return Table(count, named)
        return self.array(reader, turns, reader.tensor(row), before)

    def array(self, reader: Any, turns: Turns, row: Tensor, rows: Sequence[Any]) -> Array:
        known = set(reader.hints).union(*map(free, reader.known))
        shape = row.shape
        if not set().union(*(free(t.as_term(size)) for size in shape)) <= known:
            raise Unreadable(SHAPE)
        before = [reader.tensor(one) for one in rows]
        kinds = {one.sort for one in (row, *before)}
        whole = unwritten([turns.count, *shape], REAL if len(kinds) > 1 else row.sort)
        if before:
            first = functions.stack(reader, before)
            refuse_other(first.shape[1:], shape)
            first = as_real(first) if whole.sort == REAL else first
            whole = layout.concatenated([whole, first] if self.front else [first, whole], 0)
        array: Array = reader.new_array(whole)
        array.is_list = True
        array.rows = tuple((one, one.version) for one in rows if isinstance(one, Array))
        return array


def keys_of(row: Any) -> Sequence[Any]:
    return list(row) if isinstance(row, dict) else range(len(row))


def is_alike(one: Any, row: Any) -> bool:
    """Whether two rows have the same parts."""
    return type(one) is type(row) and list(keys_of(one)) == list(keys_of(row))


def is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def unwritten(shape: list[Any], sort: str) -> Tensor:
    return functions.unwritten(shape, sort) if sort == REAL else functions.filled(0, shape, sort)


def refuse_other(shape: Sequence[Any], wanted: Sequence[Any]) -> None:
    if len(shape) != len(wanted) or not all(map(n.equal, shape, wanted)):
        raise Unreadable(SHAPE)


class Filled:
    """Arrays of which each turn of a loop writes a row, behind those before it or in front."""

    def __init__(self, arrays: tuple[Array, ...], before: int, front: bool) -> None:
        self.arrays, self.before, self.front = arrays, before, front

    def enter(self, reader: Any, turns: Turns) -> None:
        length = n.simple(n.add(turns.number, self.before))
        last = n.minus(turns.count, 1)
        row = n.simple(n.minus(last, turns.number)) if self.front else length
        for array in self.arrays:
            array.filling = Filling(length, row, self.front, reader.depth)

    def leave(self, began: dict[Array, int]) -> None:
        """A turn has written one row, of an array that no turn changes in place."""
        for array in self.arrays:
            filling, array.filling = array.filling, None
            if filling is None or filling.row is not None:
                raise Unreadable(ONCE)
            for row, version in array.rows:
                if not version == row.version == began.get(row, version):
                    raise Unreadable(ALIAS)


# Methods of lists.


def append(reader: Any, rows: Any, value: Any) -> None:
    add(reader, rows, value, False)


def insert(reader: Any, rows: Any, at: Any, value: Any) -> None:
    if at != 0:
        raise Unreadable(ONCE)
    add(reader, rows, value, True)


def reverse(reader: Any, rows: Any) -> None:
    if reader.depth or reader.path:
        raise Unreadable("a list that is reversed in a loop or a branch by values")
    if isinstance(rows, list):
        rows.reverse()
    elif isinstance(rows, Table):
        for array in rows.arrays:
            places.replace(array, layout.flipped(reader.tensor(array), [0]))
    else:
        places.replace(rows, layout.flipped(reader.tensor(rows), [0]))


METHODS: dict[str, Any] = {"append": append, "insert": insert, "reverse": reverse}


def add(reader: Any, rows: Any, value: Any, front: bool) -> None:
    """A row at the end of a list, or at its front."""
    if reader.path:
        raise Unreadable(ONCE)
    value = reader.kept(value)
    if isinstance(rows, Array | Table):
        fill(reader, rows, value, front)
    elif reader.is_outside(rows):
        if isinstance(value, list | str | None):
            raise Unreadable(NO_ROWS)
        raise Grows(rows, value, front)
    else:
        rows.insert(0 if front else len(rows), value)


def fill(reader: Any, rows: Any, value: Any, front: bool) -> None:
    """A row of an array, or of each part of a table."""
    if isinstance(rows, Array):
        write(reader, rows, value, front)
        return
    if not isinstance(rows, Table):
        if not (is_said(value) and is_same(rows, value)):
            raise Unreadable(NO_ROWS)
        return
    if not is_alike(value, rows.parts):
        raise Unreadable(NO_ROWS)
    write(reader, rows.count, 0, front)
    for k in keys_of(value):
        fill(reader, rows.parts[k], value[k], front)


def write(reader: Any, array: Array, value: Any, front: bool) -> None:
    filling = array.filling
    if filling is None or filling.row is None or (front, reader.depth) != filling.at:
        raise Unreadable(ONCE)
    shape = array.value.shape[1:]
    refuse_other(reader.tensor(value).shape, shape)
    parts = (Part(filling.row), *(Part(n.ZERO, size) for size in shape))
    places.put(reader, array, parts, value, False)
    array.rows += ((value, value.version),) if isinstance(value, Array) else ()
    array.filling = replace(filling, length=n.simple(n.add(filling.length, 1)), row=None)
