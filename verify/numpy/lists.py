"""Lists that a loop over a symbolic range fills, as arrays with a row for each turn. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import REAL
from gradproof.numpy import functions, places
from gradproof.numpy.arrays import Array, Filling, Part
from gradproof.numpy.ranges import Turns
from gradproof.tracing import integers as n
from gradproof.tracing import layout
from gradproof.tracing.tensors import Tensor, Unreadable, as_real

ONCE = (
    "a list that a loop fills other than by one append, or insert(0, …), in each of its turns; "
    "start with an array of zeros and write its cells"
)
SHAPE = "a list of rows of several shapes; start with zeros of the shape that the others have"
NO_ROWS = "a list of what are no arrays or numbers; append each to a list of its own"
ALIAS = "a list with an array that is changed in place beside it; append a copy"


class Grows(Unreadable):
    """A list to which a turn of a loop appends: the loop is to be read again, with an array."""

    def __init__(self, rows: list[Any], row: Tensor, front: bool) -> None:
        super().__init__(ONCE)
        self.rows, self.row, self.front = rows, row, front

    def filled(self, reader: Any, scope: dict[str, Any], turns: Turns) -> Filled:
        """The array that the list is from here on, by all of its names."""
        known = set(reader.hints).union(*map(free, reader.known))
        shape = self.row.shape
        if not set().union(*(free(t.as_term(size)) for size in shape)) <= known:
            raise Unreadable(SHAPE)
        if reader.path or not reader.decided(t.relation(t.Ge, turns.count, 0)):
            raise Unreadable(ONCE)
        before = [reader.tensor(row) for row in self.rows]
        kinds = {row.sort for row in (self.row, *before)}
        whole = unwritten([turns.count, *shape], REAL if len(kinds) > 1 else self.row.sort)
        if before:
            first = functions.stack(reader, before)
            refuse_other(first.shape[1:], shape)
            first = as_real(first) if whole.sort == REAL else first
            whole = layout.concatenated([whole, first] if self.front else [first, whole], 0)
        array = reader.new_array(whole)
        array.is_list = True
        array.rows = tuple((row, row.version) for row in self.rows if isinstance(row, Array))
        scope.update({name: array for name, value in scope.items() if value is self.rows})
        return Filled(array, len(self.rows), self.front)


def unwritten(shape: list[Any], sort: str) -> Tensor:
    return functions.unwritten(shape, sort) if sort == REAL else functions.filled(0, shape, sort)


def refuse_other(shape: Sequence[Any], wanted: Sequence[Any]) -> None:
    if len(shape) != len(wanted) or not all(map(n.equal, shape, wanted)):
        raise Unreadable(SHAPE)


class Filled:
    """An array of which each turn of a loop writes a row, behind those before it or in front."""

    def __init__(self, array: Array, before: int, front: bool) -> None:
        self.array, self.before, self.front = array, before, front

    def enter(self, reader: Any, turns: Turns) -> None:
        length = n.simple(n.add(turns.number, self.before))
        last = n.minus(turns.count, 1)
        row = n.simple(n.minus(last, turns.number)) if self.front else length
        self.array.filling = Filling(length, row, self.front, reader.depth)

    def leave(self, began: dict[Array, int]) -> None:
        """A turn has written one row, of an array that no turn changes in place."""
        filling, self.array.filling = self.array.filling, None
        if filling is None or filling.row is not None:
            raise Unreadable(ONCE)
        for row, version in self.array.rows:
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
    else:
        places.replace(rows, layout.flipped(reader.tensor(rows), [0]))


METHODS: dict[str, Any] = {"append": append, "insert": insert, "reverse": reverse}


def add(reader: Any, rows: Any, value: Any, front: bool) -> None:
    """A row at the end of a list, or at its front."""
    if reader.path:
        raise Unreadable(ONCE)
    value = reader.kept(value)
    if isinstance(rows, Array):
        write(reader, rows, value, front)
    elif any(rows is other for other in reader.outside):
        if isinstance(value, tuple | list | dict | str | None):
            raise Unreadable(NO_ROWS)
        raise Grows(rows, reader.tensor(value), front)
    else:
        rows.insert(0 if front else len(rows), value)


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
