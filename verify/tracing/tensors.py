"""A traced tensor: a shape, and what its cell at an index is, as a term. Untrusted.

An axis is a tuple of factors, the sizes whose product is its size: axes that a view merges keep
those they were made of, an axis of size 1 has none. A cell is asked for by one index per factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals

Axis = tuple[Term, ...]  # the factors of its size
Place = tuple[Term, ...]  # indices, one per factor or one per axis


class Unreadable(Exception):
    """What cannot be read, and what could be written instead."""


@dataclass(eq=False)
class Tensor:
    """Axes, the cell at an index (one per factor of each axis), and the sort of the cells.

    `hit`, of places of maxima, is the condition that a cell's value is a given index.
    """

    axes: tuple[Axis, ...]
    function: Callable[[Place], Term]
    sort: str = REAL
    hit: Callable[[Place, Term], Term] | None = None
    known: dict[Place, Term] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[Term, ...]:
        return tuple(n.product(axis) for axis in self.axes)

    @property
    def factors(self) -> tuple[Term, ...]:
        return tuple(f for axis in self.axes for f in axis)

    def cell(self, place: Place) -> Term:
        """The cell, by one index per factor."""
        if place not in self.known:
            self.known[place] = t.as_term(self.function(place))
        return self.known[place]

    def at(self, index: Sequence[Term]) -> Term:
        """The cell, by one index per axis."""
        return self.cell(self.place(index))

    def place(self, index: Sequence[Term]) -> Place:
        pairs = zip(self.axes, index, strict=True)
        return tuple(p for axis, e in pairs for p in unflat(e, axis))

    def groups(self, place: Place) -> tuple[Place, ...]:
        """The indices of a place, axis by axis."""
        rest = iter(place)
        return tuple(tuple(next(rest) for _ in axis) for axis in self.axes)


def flat(place: Sequence[Term], axis: Axis) -> Term:
    """The index on an axis, by those on its factors."""
    index: Term = n.ZERO
    for e, size in zip(place, axis, strict=True):
        index = n.add(n.mul(index, size), e)
    return index


def unflat(index: object, axis: Axis) -> Place:
    """The indices on the factors of an axis."""
    found: list[Term] = []
    rest = n.simple(index)
    for size in reversed(axis[1:]):
        found.append(n.mod(rest, size))
        rest = n.floor_div(rest, size)
    return (rest, *reversed(found)) if axis else ()


def axis_of(size: object) -> Axis:
    """An axis of a size that is not known to be a product."""
    whole = n.simple(size)
    return () if whole == n.ONE else (whole,)


def plain(shape: Iterable[object]) -> tuple[Axis, ...]:
    return tuple(axis_of(size) for size in shape)


def constant(value: object, shape: Iterable[object] = (), sort: str = REAL) -> Tensor:
    term = value if isinstance(value, t.Term) else reals.of(value)
    return Tensor(plain(shape), lambda place: term, sort)


def of_array(array: t.Array, axes: tuple[Axis, ...], sort: str = REAL) -> Tensor:
    return Tensor(axes, lambda place: array[place], sort)


def common(a: Axis, b: Axis) -> Axis:
    """The factors that two axes of one size are given, or of which one has size 1."""
    if not a or a == b:
        return b
    if not b:
        return a
    if refines(a, b):
        return a
    if refines(b, a):
        return b
    if not n.equal(n.product(a), n.product(b)):
        return longer(a, b)
    return (n.product(a),)


def longer(a: Axis, b: Axis) -> Axis:
    """Of two sizes that the code took for the same, one."""
    return a if len(a) >= len(b) else b


def refines(fine: Axis, coarse: Axis) -> bool:
    """Whether each factor of one axis is a product of successive factors of the other."""
    return groups_of(fine, coarse) is not None


def groups_of(fine: Axis, coarse: Axis) -> list[Axis] | None:
    """The runs of fine factors of which the coarse ones are products."""
    found, rest = [], list(fine)
    for size in coarse:
        run: list[Term] = []
        while rest and not (run and n.equal(n.product(run), size)):
            run.append(rest.pop(0))
        if not n.equal(n.product(run), size):
            return None
        found.append(tuple(run))
    return None if rest else found


def moved(place: Place, given: Axis, wanted: Axis) -> Place:
    """The indices on the factors of one axis, by those on the factors of another of its size."""
    if given == wanted or not wanted:
        return place if wanted else ()
    if not given:
        return tuple(n.ZERO for _ in wanted)
    groups = groups_of(given, wanted)
    if groups is not None:
        rest = iter(place)
        return tuple(flat([next(rest) for _ in run], run) for run in groups)
    groups = groups_of(wanted, given)
    if groups is not None:
        return tuple(e for part, run in zip(place, groups, strict=True) for e in unflat(part, run))
    return unflat(flat(place, given), wanted)


def with_axes(tensor: Tensor, axes: tuple[Axis, ...]) -> Tensor:
    """The tensor over other factors of its axes; one of size 1 is repeated."""
    if tensor.axes == axes:
        return tensor

    def convert(place: Place) -> Place:
        rest = iter(place)
        parts = [tuple(next(rest) for _ in axis) for axis in axes]
        triples = zip(parts, axes, tensor.axes, strict=True)
        return tuple(e for part, own, inner in triples for e in moved(part, own, inner))

    return over(tensor, axes, convert)


def over(tensor: Tensor, axes: tuple[Axis, ...], convert: Callable[[Place], Place]) -> Tensor:
    """The tensor, read at other places."""
    hit = tensor.hit
    other = None if hit is None else lambda place, value: hit(convert(place), value)
    return Tensor(axes, lambda place: tensor.cell(convert(place)), tensor.sort, other)


def aligned(*tensors: Tensor) -> list[Tensor]:
    """The tensors broadcast to the axes that they have in common."""
    rank = max(len(tensor.axes) for tensor in tensors)
    padded = [(*[()] * (rank - len(x.axes)), *x.axes) for x in tensors]
    axes: list[Axis] = [()] * rank
    for shape in padded:
        axes = [common(a, b) for a, b in zip(axes, shape, strict=True)]
    return [broadcast(x, tuple(axes)) for x in tensors]


def broadcast(tensor: Tensor, axes: tuple[Axis, ...]) -> Tensor:
    more = len(axes) - len(tensor.axes)
    wider = over(tensor, (*[()] * more, *tensor.axes), lambda place: place)
    return with_axes(wider, axes)


def elementwise(function: Callable[..., object], *given: object, sort: str = REAL) -> Tensor:
    """A function of the cells, broadcast; numbers are tensors without axes."""
    tensors = aligned(*(x if isinstance(x, Tensor) else constant(x) for x in given))

    def cell(place: Place) -> Any:
        return function(*(x.cell(place) for x in tensors))

    return Tensor(tensors[0].axes, cell, sort)


def as_real(tensor: Tensor) -> Tensor:
    """A condition as 1 or 0."""
    if tensor.sort == REAL:
        return tensor
    if tensor.sort == INT:
        return Tensor(tensor.axes, tensor.cell, REAL, tensor.hit)
    return Tensor(tensor.axes, lambda place: bracket(tensor.cell(place)), REAL)


def bracket(condition: Term) -> Term:
    if isinstance(condition, t.And) and not condition.args:
        return reals.ONE
    if isinstance(condition, t.Or) and not condition.args:
        return reals.ZERO
    return t.Bracket(condition)


def as_condition(tensor: Tensor) -> Tensor:
    """Where a tensor is not 0."""
    if tensor.sort == BOOL:
        return tensor
    return elementwise(lambda a: is_nonzero(a), tensor, sort=BOOL)


def is_nonzero(a: Term) -> Term:
    if isinstance(a, t.Bracket):
        return a.condition
    return truth(bool(a != 0)) if not isinstance(a, t.Term) else t.Ne(a, 0)


def truth(value: bool) -> Term:
    return t.And() if value else t.Or()


# Views.


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


def concatenated(tensors: Sequence[Tensor], dim: int) -> Tensor:
    """One after the other along an axis."""
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
            value = reals.choice(t.relation(t.Lt, own, end), x.cell(place), value)
        return value

    return Tensor(moved_[0].axes, cell, tensors[0].sort)


def subtracted(start: Term, index: Term) -> Term:
    return n.minus(index, start)


def aligned_but(tensor: Tensor, axes: tuple[Axis, ...], dim: int) -> Tensor:
    """The tensor over the factors of other axes, but for one that stays."""
    own = tensor.axes[dim]
    return with_axes(tensor, (*axes[:dim], own, *axes[dim + 1 :]))
