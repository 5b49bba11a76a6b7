"""JAX's primitives that read and write at places which tensors say. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from jax import lax

from gradproof.jax.choosing import is_endless
from gradproof.jax.reader import Reader, rule
from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.tracing import buffers, gathering, layout, reals, sums
from gradproof.tracing import integers as n
from gradproof.tracing.axes import Axis, Place, axis_of, flat, unflat
from gradproof.tracing.tensors import Tensor, Unreadable, bracket


class Starts:
    """Where windows begin: a component of the indices for some axes of an operand."""

    def __init__(self, reader: Reader, indices: Tensor, dims: Sequence[int]) -> None:
        self.reader = reader
        self.by = {d: layout.selected(indices, -1, sympy.Integer(c)) for c, d in enumerate(dims)}
        self.axes = indices.axes[:-1]
        self.hits = [d for d, x in self.by.items() if x.hit is not None]

    def at(self, d: int, place: Place) -> Term:
        return self.by[d].cell(place) if d in self.by else n.ZERO


def groups(place: Place, axes: Sequence[Axis]) -> list[Place]:
    rest = iter(place)
    return [tuple(next(rest) for _ in axis) for axis in axes]


@rule("gather")
def gather(reader: Reader, equation: Any, x: Tensor, indices: Tensor) -> Tensor:
    numbers = equation.params["dimension_numbers"]
    starts = Starts(reader, indices, numbers.start_index_map)
    batch = dict(
        zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True)
    )
    gone = (*numbers.collapsed_slice_dims, *batch)
    slices = [reader.sizes.term(s) for s in equation.params["slice_sizes"]]
    windows = [d for d in range(len(x.axes)) if d not in gone]
    whole = {d for d in windows if d not in starts.by and n.equal(slices[d], x.shape[d])}
    rank = len(windows) + len(starts.axes)
    axes: list[Axis] = [()] * rank
    for d, out in zip(windows, numbers.offset_dims, strict=True):
        axes[out] = x.axes[d] if d in whole else axis_of(slices[d])
    out_of = dict(zip(windows, numbers.offset_dims, strict=True))
    outside = [o for o in range(rank) if o not in numbers.offset_dims]
    for axis, out in zip(starts.axes, outside, strict=True):
        axes[out] = axis

    def cell(place: Place) -> Term:
        own = groups(place, axes)
        at = tuple(e for o in outside for e in own[o])
        offsets = dict(zip(windows, (own[o] for o in numbers.offset_dims), strict=True))
        inner: list[Term] = []
        found: list[Term] = []
        symbols: dict[int, Any] = {}
        for d, axis in enumerate(x.axes):
            if d in whole:
                inner += offsets[d]
                continue
            if d in batch:
                index = flat(own[outside[batch[d]]], starts.axes[batch[d]])
            elif d in starts.hits:
                index = reader.names() if axis else n.ZERO
                hit = starts.by[d].hit
                assert hit is not None
                found.append(hit(at, index))
                symbols[d] = index
            else:
                index = starts.at(d, at)
            moved = flat(offsets[d], axes[out_of[d]]) if d in offsets else n.ZERO
            inner += unflat(n.add(index, moved), axis)
        value = x.cell(tuple(inner))
        if not found:
            return value
        bound = [d for d, s in symbols.items() if s != 0]
        ranges = sums.ranges_of([symbols[d] for d in bound], [x.shape[d] for d in bound])
        part = reals.times(bracket(found[0] if len(found) == 1 else t.And(*found)), value)
        return t.Sum(part, *ranges) if ranges else part

    return Tensor(tuple(axes), cell, x.sort)


def scattering(name: str, adds: bool) -> None:
    def run(reader: Reader, equation: Any, x: Tensor, indices: Tensor, source: Tensor) -> Tensor:
        return scattered(reader, equation, x, indices, source, adds)

    rule(name)(run)


def scattered(
    reader: Reader, equation: Any, x: Tensor, indices: Tensor, source: Tensor, adds: bool
) -> Tensor:
    numbers = equation.params["dimension_numbers"]
    if equation.params["mode"] == lax.GatherScatterMode.CLIP:
        raise Unreadable("a write at places that are moved into the axis; use the default mode")
    update = equation.params["update_jaxpr"]
    if not adds and update is not None and update.outvars != update.invars[1:]:
        raise Unreadable("a function of what was there before, x.at[i].apply; write x.at[i].set")
    starts = Starts(reader, indices, numbers.scatter_dims_to_operand_dims)
    batch = dict(
        zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims, strict=True)
    )
    gone = (*numbers.inserted_window_dims, *batch)
    windows = [d for d in range(len(x.axes)) if d not in gone]
    outside = [o for o in range(len(source.axes)) if o not in numbers.update_window_dims]
    offset = dict(zip(windows, numbers.update_window_dims, strict=True))
    whole = {
        d for d, o in offset.items() if d not in starts.by and n.equal(source.shape[o], x.shape[d])
    }
    symbols = {o: tuple(reader.names() for _ in source.axes[o]) for o in outside}
    at = tuple(s for o in outside for s in symbols[o])
    if at and not adds and not equation.params["unique_indices"]:
        raise Unreadable("a write at places that may be one, the last of which stays; add instead")
    if at and not adds:  # the user says that these are several, which JAX does not check
        placed = [flat(symbols[o], source.axes[o]) for o in (outside[b] for b in batch.values())]
        by = (starts.by[d] for d in starts.by if d not in starts.hits)
        sizes_ = [f for o in outside for f in source.axes[o]]
        gathering.require_apart(reader.names, [*placed, *(x.cell(at) for x in by)], at, sizes_)
    for d, o in offset.items():
        if d not in whole:
            in_bounds(reader, starts, d, x.shape[d], source.shape[o])

    def cell(place: Place) -> Term:
        own = groups(place, x.axes)
        inner: dict[int, Place] = dict(symbols)
        hits: list[Term] = []
        for d, axis in enumerate(x.axes):
            index = flat(own[d], axis)
            if d in whole:
                o = offset[d]
                inner[o] = (
                    tuple(own[d]) if source.axes[o] == axis else unflat(index, source.axes[o])
                )
            elif d in offset:
                o = offset[d]
                moved = n.minus(index, starts.at(d, at))
                inner[o] = unflat(moved, source.axes[o])
                hits += inside(moved, source.shape[o], starts.at(d, at))
            elif d in batch:
                o = outside[batch[d]]
                hits.append(t.Eq(flat(symbols[o], source.axes[o]), index))
            elif d in starts.by:
                hits.append(gathering.is_at(starts.by[d], at, index))
        value = source.cell(tuple(e for o in range(len(source.axes)) for e in inner[o]))
        hit = hits[0] if len(hits) == 1 else t.And(*hits)
        sizes = [f for o in outside for f in source.axes[o]]
        ranges = sums.ranges_of(list(at), sizes)
        added = reals.times(bracket(hit), value)
        total = t.Sum(added, *ranges) if ranges else added
        if adds:
            return reals.plus(x.cell(place), total)
        if not ranges:
            return buffers.pick(hit, value, x.cell(place), x.sort)
        kept = t.Bracket(t.Not(t.Exists(hit, *ranges)))
        return reals.plus(total, reals.times(kept, x.cell(place)))

    return Tensor(x.axes, cell, x.sort)


def inside(moved: Term, size: Term, start: Term) -> list[Term]:
    above = t.relation(t.Lt, moved, size)
    return [above] if start == 0 else [t.relation(t.Le, 0, moved), above]


def in_bounds(reader: Reader, starts: Starts, d: int, size: Term, width: Term) -> None:
    """A window that is written must lie in its axis, since JAX drops or moves one that does not."""
    start = starts.at(d, tuple(t.Sym("place") for axis in starts.axes for _ in axis))
    fits = t.And(t.relation(t.Ge, start, 0), t.relation(t.Le, n.add(start, width), size))
    if not reader.decided(fits):
        raise Unreadable("a write of a window at a place that is data; write cell by cell")


scattering("scatter-add", True)
scattering("scatter", False)


@rule("dynamic_slice")
def dynamic_slice(reader: Reader, equation: Any, x: Tensor, *starts: Tensor) -> Tensor:
    shape = reader.shape(equation.outvars[0])
    for d, start in enumerate(starts[: len(x.axes)]):
        x = layout.sliced(x, d, first(reader, start, x.shape[d], shape[d]), shape[d])
    return x


@rule("dynamic_update_slice")
def dynamic_update_slice(
    reader: Reader, equation: Any, x: Tensor, part: Tensor, *starts: Tensor
) -> Tensor:
    at = [
        first(reader, start, size, width)
        for start, size, width in zip(starts, x.shape, part.shape, strict=False)
    ]
    return written(x, part, at, 0)


def written(x: Tensor, part: Tensor, at: Sequence[Term], d: int) -> Tensor:
    """A tensor in which a block is another, axis by axis."""
    if d == len(at):
        return part
    if n.equal(part.shape[d], x.shape[d]):
        return written(x, part, at, d + 1)
    strip = layout.sliced(x, d, at[d], part.shape[d])
    return buffers.at_slice(x, written(strip, part, at, d + 1), d, at[d], part.shape[d])


def first(reader: Reader, start: Tensor, size: Term, width: Term) -> Term:
    """Where a slice begins: JAX moves one that would leave the axis, which must not be."""
    if n.equal(size, width):
        return n.ZERO
    term = start.cell(())
    if start.hit is not None or is_endless(term):
        raise Unreadable("a slice at a place that is data; use x[index]")
    fits = t.And(t.relation(t.Ge, term, 0), t.relation(t.Le, n.add(term, width), size))
    if t.arrays(term) or not reader.decided(fits):
        last = n.minus(size, width)
        return t.Max(0, t.Min(term, last))
    return term
