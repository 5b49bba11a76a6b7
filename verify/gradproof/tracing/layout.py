"""Views of traced tensors: the same cells at other places, padded and joined. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.axes import (
    Axis,
    Place,
    axis_of,
    flat,
    moved,
    unflat,
)
from gradproof.tracing.tensors import (
    Tensor,
    as_real,
    broadcast,
    over,
    with_axes,
)


def reshape(tensor: Tensor, sizes: Sequence[object]) -> Tensor:
    """The cells in their order, under another shape."""
    runs = list(matched(list(tensor.factors), [n.simple(s) for s in sizes]))
    axes = tuple(axis for _, new in runs for axis in new)

    def convert(place: Place) -> Place:
        rest, found = iter(place), list[Term]()
        for old, new in runs:
            own = tuple(f for axis in new for f in axis)
            found += moved(tuple(next(rest) for _ in own), own, old)
        return tuple(found)

    return over(tensor, axes, convert)


def matched(old: list[Term], sizes: list[Term]) -> Iterator[tuple[Axis, tuple[Axis, ...]]]:
    """Runs of old factors with the new axes that they become."""
    while sizes:
        size = sizes[0]
        if size == n.ONE:
            yield (), ((),)
            del sizes[0]
            continue
        run = run_of(old, size)
        if run:
            yield run, (run,)
            del old[: len(run)], sizes[0]
            continue
        whole, count = smallest_run(old, sizes)
        yield whole, tuple(axis_of(s) for s in sizes[:count])
        del old[: len(whole)], sizes[:count]
    if old:
        yield tuple(old), ()


def run_of(old: Sequence[Term], size: Term) -> Axis:
    """The leading factors whose product is a size."""
    for count in range(1, len(old) + 1):
        if n.equal(n.product(old[:count]), size):
            return tuple(old[:count])
    return ()


def smallest_run(old: Sequence[Term], sizes: Sequence[Term]) -> tuple[Axis, int]:
    """The leading factors and sizes that have one product, or all of both."""
    for count in range(1, len(sizes) + 1):
        run = run_of(old, n.product(sizes[:count]))
        if run:
            return run, count
    return tuple(old), len(sizes)


def permute(tensor: Tensor, order: Sequence[int]) -> Tensor:
    order = [d % len(tensor.axes) for d in order]

    def convert(place: Place) -> Place:
        rest = iter(place)
        parts = {d: tuple(next(rest) for _ in tensor.axes[d]) for d in order}
        return tuple(e for d in range(len(order)) for e in parts[d])

    return over(tensor, tuple(tensor.axes[d] for d in order), convert)


def transpose(tensor: Tensor, a: int, b: int) -> Tensor:
    order = list(range(len(tensor.axes)))
    order[a], order[b] = order[b], order[a]
    return permute(tensor, order)


def unsqueeze(tensor: Tensor, dim: int) -> Tensor:
    dim %= len(tensor.axes) + 1
    axes = (*tensor.axes[:dim], (), *tensor.axes[dim:])
    return over(tensor, axes, lambda place: place)


def squeeze(tensor: Tensor, dims: Iterable[int]) -> Tensor:
    """Without the axes among these that have size 1."""
    gone = {d % len(tensor.axes) for d in dims} if tensor.axes else set()
    axes = tuple(a for d, a in enumerate(tensor.axes) if a or d not in gone)
    return over(tensor, axes, lambda place: place)


def dropped(tensor: Tensor, dims: Iterable[int]) -> Tensor:
    """Without axes that have size 1, whether that is known or not."""
    for d in sorted((d % len(tensor.axes) for d in dims), reverse=True):
        tensor = selected(tensor, d, n.ZERO)
    return tensor


def diagonal(tensor: Tensor, offset: int, a: int, b: int, size: Term) -> Tensor:
    """The cells where the index of one axis is that of another and an offset, along a last axis."""
    rank = len(tensor.axes)
    a, b = a % rank, b % rank
    rest = [d for d in range(rank) if d not in (a, b)]
    inner = permute(tensor, [*rest, a, b])
    axes = (*inner.axes[:-2], axis_of(size))
    width = sum(len(axis) for axis in inner.axes[:-2])

    def convert(place: Place) -> Place:
        at = place[width] if axes[-1] else n.ZERO
        row, column = n.add(at, max(0, -offset)), n.add(at, max(0, offset))
        ends = (*unflat(row, inner.axes[-2]), *unflat(column, inner.axes[-1]))
        return (*place[:width], *ends)

    return over(inner, axes, convert)


def with_diagonal(tensor: Tensor, part: Tensor, offset: int, a: int, b: int) -> Tensor:
    """A tensor of which the diagonal is another."""
    rank = len(tensor.axes)
    a, b = a % rank, b % rank
    order = [*(d for d in range(rank) if d not in (a, b)), a, b]
    inner = permute(tensor, order)
    new = with_axes(part, (*inner.axes[:-2], part.axes[-1]))
    width = sum(len(axis) for axis in inner.axes[:-2])

    def cell(place: Place) -> Term:
        groups = inner.groups(place)
        row, column = flat(groups[-2], inner.axes[-2]), flat(groups[-1], inner.axes[-1])
        at = n.minus(row, max(0, -offset))
        mine = new.cell((*place[:width], *unflat(at, part.axes[-1])))
        on = t.And(t.Eq(n.minus(column, row), offset), t.relation(t.Ge, at, 0))
        return choose(on, lambda: mine, inner.cell(place))

    changed = Tensor(inner.axes, cell, tensor.sort)
    return permute(changed, [order.index(d) for d in range(rank)])


def expand(tensor: Tensor, sizes: Sequence[object]) -> Tensor:
    more = len(sizes) - len(tensor.axes)
    own = [(), *[()] * more, *tensor.axes][1:] if more else list(tensor.axes)
    axes = tuple(a if a else axis_of(s) for a, s in zip(own, sizes, strict=True))
    return broadcast(tensor, axes)


def along(
    tensor: Tensor, dim: int, size: object, index: Callable[[Term], object], sort: str = ""
) -> Tensor:
    """One axis replaced: at each index of the new one, the index on the old one."""
    dim %= len(tensor.axes)
    new = axis_of(size)
    axes = (*tensor.axes[:dim], new, *tensor.axes[dim + 1 :])
    before = sum(len(a) for a in tensor.axes[:dim])

    def convert(place: Place) -> Place:
        own = place[before : before + len(new)]
        inner = unflat(index(own[0] if new else n.ZERO), tensor.axes[dim])
        return (*place[:before], *inner, *place[before + len(new) :])

    return over(tensor, axes, convert)


def sliced(tensor: Tensor, dim: int, start: object, size: object, step: object = 1) -> Tensor:
    if t.as_term(start) == n.ZERO and step == 1 and n.equal(size, tensor.shape[dim]):
        return tensor
    return along(tensor, dim, size, lambda e: n.add(start, n.mul(step, e)))


def selected(tensor: Tensor, dim: int, index: object) -> Tensor:
    dim %= len(tensor.axes)
    if not tensor.axes[dim]:
        return squeeze(tensor, [dim])
    one = along(tensor, dim, 1, lambda e: index)
    return squeeze(one, [dim])


def windows(tensor: Tensor, dim: int, count: object, width: object, step: object) -> Tensor:
    """The windows over an axis, along it, and the cells of each along a last one."""
    dim %= len(tensor.axes)
    outer, inner = axis_of(count), axis_of(width)
    before = sum(len(a) for a in tensor.axes[:dim])
    axes = (*tensor.axes[:dim], outer, *tensor.axes[dim + 1 :], inner)

    def convert(place: Place) -> Place:
        rest = list(place)
        at = rest.pop() if inner else n.ZERO
        first = rest.pop(before) if outer else n.ZERO
        rest[before:before] = unflat(n.add(n.mul(step, first), at), tensor.axes[dim])
        return tuple(rest)

    return over(tensor, axes, convert)


def flipped(tensor: Tensor, dims: Iterable[int]) -> Tensor:
    for dim in dims:
        size = tensor.shape[dim]
        tensor = along(tensor, dim, size, partial(n.minus, n.minus(size, 1)))
    return tensor


def padded(tensor: Tensor, dim: int, before: object, after: object, value: object = 0) -> Tensor:
    """More cells on both sides of an axis; fewer where that is below 0."""
    dim %= len(tensor.axes)
    size = tensor.shape[dim]
    whole = n.add(size, before, after)
    inner = along(tensor, dim, whole, lambda e: n.minus(e, before))
    skipped = sum(len(a) for a in tensor.axes[:dim])
    length = len(axis_of(whole))

    def cell(place: Place) -> Term:
        own = place[skipped] if length else n.ZERO
        at = n.minus(own, before)
        return choose(within(at, size), lambda: inner.cell(place), value)

    return Tensor(inner.axes, cell, tensor.sort)


def within(index: Term, size: Term) -> Term:
    return t.And(t.relation(t.Le, 0, index), t.relation(t.Lt, index, size))


def choose(condition: Term, inner: Callable[[], Term], otherwise: object) -> Term:
    """A cell that is only there where a condition holds."""
    if otherwise == 0:
        return reals.times(t.Bracket(condition), inner())
    return reals.choice(condition, inner(), otherwise)


def either(condition: Term, then: Term, otherwise: Term, sort: str) -> Term:
    """One of two cells of a sort."""
    if sort == BOOL:
        return t.Or(t.And(condition, then), t.And(t.Not(condition), otherwise))
    return reals.choice(condition, then, otherwise)


def concatenated(tensors: Sequence[Tensor], dim: int) -> Tensor:
    """One after the other along an axis."""
    if len({x.sort for x in tensors}) > 1:
        tensors = [as_real(x) for x in tensors]
    rank = len(tensors[0].axes)
    dim %= rank
    starts: list[Term] = [n.ZERO]
    for x in tensors:
        starts.append(n.add(starts[-1], x.shape[dim]))
    first = tensors[0].axes
    others = [aligned_but(x, first, dim) for x in tensors]
    whole = starts[-1]
    moved_ = [
        along(x, dim, whole, partial(subtracted, start))
        for x, start in zip(others, starts, strict=False)
    ]
    skipped = sum(len(a) for a in first[:dim])

    def cell(place: Place) -> Term:
        own = place[skipped] if axis_of(whole) else n.ZERO
        value = moved_[-1].cell(place)
        for x, end in reversed(list(zip(moved_[:-1], starts[1:-1], strict=True))):
            before = t.relation(t.Lt, own, end)
            value = either(before, x.cell(place), value, tensors[0].sort)
        return value

    return Tensor(moved_[0].axes, cell, tensors[0].sort)


def subtracted(start: Term, index: Term) -> Term:
    return n.minus(index, start)


def aligned_but(tensor: Tensor, axes: tuple[Axis, ...], dim: int) -> Tensor:
    """The tensor over the factors of other axes, but for one that stays."""
    own = tensor.axes[dim]
    return with_axes(tensor, (*axes[:dim], own, *axes[dim + 1 :]))
