"""Indices of code that is read: cells, slices, masks and arrays of places. Untrusted."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.numpy.arrays import Array, Part, Table, Write, is_elsewhere, merged
from gradproof.numpy.carrying import some_place
from gradproof.numpy.functions import FUNCTIONS, chosen, scalar
from gradproof.numpy.operators import is_plain, operate, plain_size, signed
from gradproof.numpy.ranges import Range, Rows
from gradproof.numpy.state import Once, items
from gradproof.tracing import buffers, gathering, layout, reals, tensors
from gradproof.tracing import integers as n
from gradproof.tracing.axes import Place, flat, unflat
from gradproof.tracing.operations import OPS
from gradproof.tracing.tensors import Tensor, Unreadable, constant

THROUGH_A_VIEW = "a write through a view, which changes another array; write to that, or to a copy"

# What loops run through.


def rows_of(reader: Any, value: Any) -> Any:
    """What a loop runs through: values, or the rows of something whose length is a size."""
    value = value.over if isinstance(value, Once) else value
    if isinstance(value, Range):
        return Rows(value)
    if isinstance(value, Array | Tensor | Table):
        count = plain_size(length(reader, value))
        return Rows(Range(count), lambda index: item(reader, value, index))
    return value if isinstance(value, Rows) else items(value)


def length(reader: Any, value: Any) -> Any:
    if isinstance(value, Table):
        value = value.count
    if isinstance(value, Array) and value.filling is not None:
        return value.filling.length
    shape = reader.tensor(value).shape
    if not shape:
        raise Unreadable("the length of a number")
    return shape[0]


def is_counted(value: Any) -> bool:
    """Whether it has so many rows as a number of Python's says."""
    return not isinstance(value, Rows) or value.over.turns is not None


def zipped(reader: Any, *args: Any, strict: bool = False) -> Any:
    """`zip(…)`."""
    given = [rows_of(reader, a) for a in args]
    if all(map(is_counted, given)):
        return Once(list(zip(*map(items, given), strict=strict)))
    rows = [g if isinstance(g, Rows) else Rows(Range(len(g)), g.__getitem__) for g in given]
    counts = [t.as_term(one.count) for one in rows]
    if not all(reader.decided(t.relation(t.Eq, counts[0], c)) for c in counts[1:]):
        raise Unreadable("zip of what may be of different lengths; say in requires that it is not")
    return Once(Rows(Range(rows[0].count), lambda k: tuple(one.row(k) for one in rows)))


def counted(reader: Any, value: Any, start: Any = 0) -> Any:
    """`enumerate(…)`."""
    rows = rows_of(reader, value)
    if is_counted(rows):
        return Once(list(enumerate(items(rows), start)))
    numbered = lambda k: (plain_size(n.add(k, start)), rows.row(k))  # noqa: E731 - both rest on rows
    return Once(Rows(Range(rows.count), numbered))


def row_of(reader: Any, rows: Rows, index: Any) -> Any:
    """`rows[index]`, of one that is not known to be below 0."""
    if isinstance(index, int) and index < 0:
        index = n.add(rows.count, index)
    elif not isinstance(index, int):
        at_least_zero(reader, t.as_term(index))
    return rows.row(index)


REVERSED = slice(None, None, -1)

# Reads.


def as_places(reader: Any, index: Any) -> Any:
    """An index, of which a range is an array of places."""
    if is_tuple(index):
        return tuple(as_places(reader, e) for e in index)
    if isinstance(index, Range) and index.step == 1:
        return reader.kept(FUNCTIONS["arange"](reader, *index.ends))
    return index


def item(reader: Any, value: Any, index: Any) -> Any:
    index = as_places(reader, index)
    if isinstance(value, list):
        if (isinstance(index, Term) or not value) and reader.is_outside(value):
            return reader.awaited_row(value)
        return reader.new_list(value[index]) if isinstance(index, slice) else value[index]
    if isinstance(value, tuple | dict):
        return value[index]
    if isinstance(value, Rows):
        return row_of(reader, value, index)
    if isinstance(value, Table):
        return value.row(lambda part: item(reader, part, index))
    reader.refuse_loose(value)
    if is_mask(index):
        raise Unreadable("indexing by a mask, whose size is data; use np.where")
    if isinstance(index, slice) and index == REVERSED:
        return reader.view(layout.flipped(reader.tensor(value), [0]), value)
    if not isinstance(value, Array):
        return reader.view(scalar(indexed(reader, reader.tensor(value), index)), value)
    reader.check_view(value)
    if value.filling is not None:
        index = value.filling.place(index)
    parts = None if has_places(index) else located(reader, value.value, index)
    if reader.is_pending(value):
        last = value.writes[-1] if value.writes else None
        if last is not None and last.parts == parts and is_last(last):
            own = Tensor(last.value.axes, last.value.cell, last.value.sort, last.value.hit)
            return reader.view(scalar(own), value)
        known = [*value.held, *value.writes]
        if known and (parts is None or not all(is_elsewhere(parts, w.parts) for w in known)):
            raise reader.again(value, 1, "a loop that reads what it wrote elsewhere")
        value.read_at.append(() if parts is None else parts)
        return seen(reader, value, value.value, index, parts)
    return seen(reader, value, value.now(), index, parts)


def seen(reader: Any, array: Array, whole: Tensor, index: Any, parts: Any) -> Any:
    """A part of an array, or what is at places in it."""
    found = scalar(reader.checked(indexed(reader, whole, index)))
    if not isinstance(found, Tensor) and is_tuple(index) and Ellipsis in index:
        raise Unreadable("one cell as an array, by `...`; leave that out")
    return found if parts is None else reader.view(found, array)


def is_last(write: Write) -> bool:
    """Whether a cell is what was written to it, whatever came before."""
    return not (write.adds or write.ranges or write.when)


@dataclass(frozen=True, eq=False)
class Where:
    """The places at which a condition holds, an array for each axis: as an index, a mask."""

    mask: Tensor


def is_mask(index: Any) -> bool:
    if isinstance(index, Where):
        return True
    value = index.value if isinstance(index, Array) else index
    return isinstance(value, Tensor) and value.sort == BOOL


def has_places(index: Any) -> bool:
    """Whether an index has arrays of places in it."""
    return any(isinstance(e, Array | Tensor) for e in (index if is_tuple(index) else [index]))


def is_tuple(index: Any) -> bool:
    return isinstance(index, tuple)


def indexed(reader: Any, x: Tensor, index: Any) -> Tensor:
    """`x[index]`, by numbers, slices, None and arrays of places."""
    axis = 0
    given: list[tuple[int, Tensor]] = []
    for e, size in paired(index, x.shape):
        if e is None:
            x = layout.unsqueeze(x, axis)
            axis += 1
        elif isinstance(e, Array | Tensor):
            given.append((axis, places_in(reader, e)))
            axis += 1
        elif isinstance(e, slice):
            part = part_of(reader, e, size)
            assert part.size is not None
            x = layout.sliced(x, axis, part.start, part.size, part.step)
            axis += 1
        elif given:
            raise Unreadable("an index of numbers and arrays of places; write one after the other")
        else:
            x = layout.selected(x, axis, part_of(reader, e, size).start)
    if not given:
        return x
    found: Tensor = OPS["index"](reader, x, [dict(given).get(d) for d in range(len(x.axes))])
    return found


def places_in(reader: Any, index: Any) -> Tensor:
    """An array of places, none of them from the end."""
    found: Tensor = reader.tensor(index)
    if found.sort != INT:
        raise Unreadable("an array of places that are no integers")
    if found.hit is None:
        at_least_zero(reader, found.cell(some_place(found)))
    return found


# Parts of an index.


def located(reader: Any, tensor: Tensor, index: Any) -> tuple[Part, ...]:
    """An index, axis by axis."""
    pairs = paired(index, tensor.shape)
    return tuple(part_of(reader, e, size) for e, size in pairs if e is not None)


def paired(index: Any, shape: Sequence[Term]) -> list[tuple[Any, Any]]:
    """Each part of an index with the size of its axis; None makes an axis."""
    given = list(index) if is_tuple(index) else [index]
    used = sum(1 for e in given if e is not None and e is not Ellipsis)
    if used > len(shape):
        raise Unreadable("more indices than axes")
    missing = [slice(None)] * (len(shape) - used)
    if Ellipsis in [e for e in given if not isinstance(e, Array | Tensor)]:
        at = next(k for k, e in enumerate(given) if e is Ellipsis)
        given[at : at + 1] = missing
    else:
        given += missing
    sizes = iter(shape)
    return [(e, None if e is None else next(sizes)) for e in given]


def part_of(reader: Any, e: Any, size: Term) -> Part:
    if isinstance(e, slice):
        return part_of_slice(reader, e, size)
    if isinstance(e, Array | Tensor):
        raise Unreadable("a write at an array of places and at others")
    if isinstance(e, str | list | bool):
        raise Unreadable(f"an index that is {e!r}")
    at = n.simple(reals.of(e))
    if isinstance(at, sympy.Integer):
        return Part(n.add(size, at) if at < 0 else at)
    if t.sort_of(at) != INT:
        raise Unreadable("an index that is no integer")
    at_least_zero(reader, at)
    return Part(at)


def at_least_zero(reader: Any, at: Term) -> None:
    """An index below 0 is one from the end; so it must be known that it is none."""
    if is_natural(reader, at) or reader.entails(t.relation(t.Ge, at, 0)):
        return
    raise Unreadable(
        f"an index {at} that may be below 0, which Python counts from the end; "
        "write the condition under which it is read, or say it in requires"
    )


def is_natural(reader: Any, e: Term) -> bool:
    """Whether an integer is at least 0 by its form."""
    if isinstance(e, sympy.Integer):
        return bool(e >= 0)
    if isinstance(e, t.Read):
        return bool(e.array.span) and is_natural(reader, e.array.span[0])
    if isinstance(e, t.Add | t.Mul | t.FloorDiv | t.Mod):
        return all(is_natural(reader, a) for a in e.args)
    if not isinstance(e, t.Sym):
        return False
    if e.name.startswith("place"):
        return True
    known = (*reader.requires, *reader.known)
    lower = (c.right for c in known if isinstance(c, t.Ge) and c.left is e)
    begins = (c.left for c in known if isinstance(c, t.Le) and c.right is e)
    return any(is_natural(reader, b) for b in (*lower, *begins) if b is not e)


def part_of_slice(reader: Any, e: slice, size: Term) -> Part:
    step = 1 if e.step is None else e.step
    if is_plain(step) and step < 0:
        raise Unreadable("a slice with a negative step other than [::-1]; write np.flip")
    first, last = (end_of(reader, end, size) for end in (e.start, e.stop))
    first = n.ZERO if first is None else first
    last = size if last is None else least(reader, last, size)
    length = n.minus(last, first)
    if not (isinstance(length, sympy.Integer) and length >= 0) and not is_natural(reader, length):
        fits = reader.decided(t.relation(t.Le, first, last))
        length = length if fits else n.ZERO if fits is False else t.Max(0, length)
    if step != 1:
        length = n.floor_div(n.add(length, step, -1), step)
    return Part(first, length, reals.of(step))


def end_of(reader: Any, end: Any, size: Term) -> Term | None:
    if end is None:
        return None
    term = n.simple(reals.of(end))
    if isinstance(term, sympy.Integer):
        below: bool | None = bool(term < 0)
    elif is_natural(reader, term):
        below = False
    else:
        below = reader.decided(t.relation(t.Lt, term, 0))
    if below is None:
        raise Unreadable("a slice that may begin or end below 0")
    if not below:
        return term
    from_end = n.add(size, term)
    fits = reader.decided(t.relation(t.Ge, from_end, 0))
    return from_end if fits else n.ZERO if fits is False else t.Max(0, from_end)


def least(reader: Any, last: Term, size: Term) -> Term:
    """The end of a slice, which NumPy cuts at the end of the axis."""
    if n.equal(last, size):
        return size
    fits = reader.decided(t.relation(t.Le, last, size))
    return last if fits else size if fits is False else t.Min(last, size)


# Writes.


def write(reader: Any, array: Array, index: Any, value: Any, adds: bool) -> None:
    index = as_places(reader, index)
    if is_mask(index):
        write_where(reader, array, index, value)
    elif has_places(index):
        write_at(reader, array, index, value, adds)
    else:
        put(reader, array, located(reader, array.value, index), value, adds)


def adds_up(array: Array, op: ast.operator) -> bool:
    """Whether `op=` adds numbers to what is there."""
    return isinstance(op, ast.Add | ast.Sub) and array.value.sort != BOOL


def update(reader: Any, array: Array, index: Any, op: ast.operator, value: Any) -> None:
    """`array[index] op= value`."""
    index = as_places(reader, index)
    adds = adds_up(array, op)
    if is_mask(index):
        changed = operate(reader, op, array, value)
        mask = masked(reader, array, index)
        replace(array, chosen(mask, fitting(array, reader.tensor(changed)), reader.tensor(array)))
    elif has_places(index) and not (adds and are_apart(reader, array, index)):
        write(reader, array, index, operate(reader, op, item(reader, array, index), value), False)
    elif adds:
        write(reader, array, index, signed(reader, op, value), True)
    else:
        write(reader, array, index, operate(reader, op, item(reader, array, index), value), False)


def replace(array: Array, value: Tensor) -> None:
    """What is in an array, all of it changed in place."""
    if array.bases:
        raise Unreadable(THROUGH_A_VIEW)
    array.value = fitting(array, value)
    array.version += 1


def fitting(array: Array, value: Tensor) -> Tensor:
    """A value in an array of its kind of numbers."""
    kind = array.value.sort
    if kind == REAL:
        return tensors.as_real(value)
    if value.sort != kind:
        raise Unreadable("an array of integers or conditions, to which other numbers are written")
    return value


def masked(reader: Any, array: Array, mask: Any) -> Tensor:
    """A mask over all axes of an array."""
    mask = mask.mask if isinstance(mask, Where) else mask
    if reader.path or reader.depth:
        raise Unreadable("a write by a mask in a loop or a branch by values; use np.where")
    found: Tensor = reader.tensor(mask)
    while len(found.axes) < len(array.value.axes):
        found = layout.unsqueeze(found, len(found.axes))
    return found


def write_where(reader: Any, array: Array, mask: Any, value: Any) -> None:
    found = reader.tensor(value)
    if found.axes:
        raise Unreadable("a write of an array by a mask; use np.where")
    where = masked(reader, array, mask)
    replace(array, chosen(where, fitting(array, found), reader.tensor(array)))


def put(reader: Any, array: Array, parts: tuple[Part, ...], value: Any, adds: bool) -> None:
    if array.bases:
        raise Unreadable(THROUGH_A_VIEW)
    shape = [part.size for part in parts if part.size is not None]
    found = fitting(array, reader.fitted(value))
    found = layout.expand(found, shape) if shape else found
    if not shape and found.axes:
        found = constant(layout.squeeze(found, range(len(found.axes))).cell(()), sort=found.sort)
    array.writes.append(Write(parts, found, adds, tuple(reader.path)))
    array.version += 1
    if array not in reader.arrays:
        reader.arrays.append(array)
    if reader.depth:
        array.writes = merged(array.writes)
    else:
        array.settled()


# Writes at arrays of places.


def add_at(reader: Any, array: Array, index: Any, value: Any) -> None:
    """`np.add.at`: what is added at a place that stands twice is added twice."""
    if not isinstance(array, Array) or array.value.sort == BOOL:
        raise Unreadable("np.add.at of what is no array of numbers with a name")
    write_at(reader, array, index if has_places(index) else (index,), value, True)


def found_in(reader: Any, array: Array, index: Any) -> list[tuple[int, Tensor]]:
    """Arrays of places by their axes, of an index that has nothing else but whole axes."""
    given = []
    for d, (e, _) in enumerate(paired(index, array.value.shape)):
        if isinstance(e, Array | Tensor):
            given.append((d, places_in(reader, e)))
        elif e != slice(None):
            raise Unreadable("a write at arrays of places and at others")
    return given


def write_at(reader: Any, array: Array, index: Any, value: Any, adds: bool) -> None:
    if reader.depth or reader.path:
        raise Unreadable("a write at arrays of places in a loop or a branch; write cell by cell")
    found = found_in(reader, array, index)
    source = fitting(array, reader.tensor(value))
    whole: Tensor = reader.tensor(array)
    if are_apart(reader, array, index):
        replace(array, at_own_place(found, source, whole, adds))
        return
    source = source if adds else last_of(found, source, whole)
    replace(array, OPS["index_put"](reader, whole, indices(found, whole), source, adds))


def indices(found: Sequence[tuple[int, Tensor]], whole: Tensor) -> list[Tensor | None]:
    by = dict(found)
    return [by.get(d) for d in range(len(whole.axes))]


def are_apart(reader: Any, array: Array, index: Any) -> bool:
    """Whether no place stands twice: one of the indices says which it is, as np.arange does."""
    places = tensors.aligned(*(x for _, x in found_in(reader, array, index)))
    return len(places[0].axes) == 1 and any(map(is_own, places))


def is_own(x: Tensor) -> bool:
    """Whether each place is that which it has in the array of places."""
    symbols = some_place(x)
    return x.hit is None and n.equal(x.cell(symbols), flat(symbols, x.axes[0]))


def at_own_place(
    found: Sequence[tuple[int, Tensor]], source: Tensor, whole: Tensor, adds: bool
) -> Tensor:
    """`a[np.arange(n), index] = source`, where n is not more than the size of the axis."""
    dims = [d for d, _ in found]
    if dims != list(range(dims[0], dims[0] + len(dims))):
        raise Unreadable("arrays of places with slices between them")
    places = tensors.aligned(*(x for _, x in found))
    own = next(k for k, x in enumerate(places) if is_own(x))
    axes = (*whole.axes[: dims[0]], *places[0].axes, *whole.axes[dims[-1] + 1 :])
    values = tensors.broadcast(source, axes)
    (axis,), (size,) = places[0].axes, places[0].shape

    def cell(place: Place) -> Term:
        groups = whole.groups(place)
        at = flat(groups[dims[own]], whole.axes[dims[own]])
        row = groups[dims[own]] if whole.axes[dims[own]] == axis else unflat(at, axis)
        hits = [] if n.equal(size, whole.shape[dims[own]]) else [t.relation(t.Lt, at, size)]
        others = ((d, x) for k, (d, x) in enumerate(zip(dims, places, strict=True)) if k != own)
        hits += [gathering.is_at(x, row, flat(groups[d], whole.axes[d])) for d, x in others]
        hit = hits[0] if len(hits) == 1 else t.And(*hits)
        before, after = groups[: dims[0]], groups[dims[-1] + 1 :]
        new = values.cell(tuple(e for group in (*before, row, *after) for e in group))
        old = whole.cell(place)
        if adds:
            return reals.plus(old, reals.times(tensors.bracket(hit), new))
        return buffers.pick(hit, new, old, whole.sort)

    return Tensor(whole.axes, cell, whole.sort)


def last_of(found: Sequence[tuple[int, Tensor]], source: Tensor, whole: Tensor) -> Tensor:
    """What is written, where no later one is written to the same place."""
    places = tensors.aligned(*(x for _, x in found))
    if len(places[0].factors) != 1:
        raise Unreadable("a write at places of several axes that may be one; use np.add.at")
    first = found[0][0]
    axes = (*whole.axes[:first], *places[0].axes, *whole.axes[found[-1][0] + 1 :])
    values = tensors.broadcast(source, axes)
    lead = sum(len(a) for a in whole.axes[:first])
    (size,) = places[0].factors
    later = t.Sym("later")

    def cell(place: Any) -> Term:
        own = (place[lead],)
        same = t.And(*(gathering.is_at(x, (later,), x.cell(own)) for x in places))
        after = t.Exists(same, (later, n.add(own[0], 1), n.minus(size, 1)))
        return reals.times(t.Bracket(t.Not(after)), values.cell(place))

    return Tensor(axes, cell, source.sort)
