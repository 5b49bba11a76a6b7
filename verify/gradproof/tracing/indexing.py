"""Operations that read and write at places that other tensors say. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import BOOL, Term
from gradproof.tracing import gathering, layout, reals, sums, tensors
from gradproof.tracing import integers as n
from gradproof.tracing.axes import axis_of, flat, unflat
from gradproof.tracing.cellwise import add, multiply
from gradproof.tracing.choices import where
from gradproof.tracing.registry import OPS, op
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
    as_real,
    constant,
    elementwise,
)


@op("gather")
def gather(tracer: Any, x: Tensor, dim: int, index: Tensor, **_: Any) -> Tensor:
    return gathering.gathered(tracer.names, x, dim, index)


@op("index_select")
def index_select(tracer: Any, x: Tensor, dim: int, index: Tensor) -> Tensor:
    return rows_at(tracer, x, dim, index)


@op("embedding")
def embedding(
    tracer: Any,
    weight: Tensor,
    index: Tensor,
    padding_idx: Any = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """What it is told beside the index is about its gradient."""
    return rows_at(tracer, weight, 0, index)


def rows_at(tracer: Any, x: Tensor, dim: int, index: Tensor) -> Tensor:
    """One axis replaced by those of an index into it."""
    dim %= len(x.axes)
    axes = (*x.axes[:dim], *index.axes, *x.axes[dim + 1 :])
    lead = sum(len(a) for a in x.axes[:dim])
    width = sum(len(a) for a in index.axes)

    def cell(place: Any) -> Term:
        return taken_at(
            tracer,
            x,
            [(dim, index)],
            place[lead : lead + width],
            place[:lead],
            place[lead + width :],
        )

    return Tensor(axes, cell, x.sort)


def taken_at(
    tracer: Any, x: Tensor, given: Sequence[tuple[int, Tensor]], own: Any, before: Any, after: Any
) -> Term:
    """A cell at places that other tensors say: one known by comparison is summed over."""
    inner: list[Term] = []
    hits, symbols, sizes = list[Term](), [], list[Term]()
    for d, index in given:
        value: Term
        if index.hit is None:
            value = index.cell(own)
        elif not axis_of(x.shape[d]):
            value = n.ZERO
            hits.append(index.hit(own, value))
        else:
            value = tracer.names()
            hits.append(index.hit(own, value))
            symbols.append(value)
            sizes.append(x.shape[d])
        is_own = index.axes == (x.axes[d],) and n.equal(value, flat(own, x.axes[d]))
        inner += own if is_own else unflat(value, x.axes[d])
    found = x.cell((*before, *inner, *after))
    if not hits:
        return found
    part = reals.times(tensors.bracket(hits[0] if len(hits) == 1 else t.And(*hits)), found)
    return t.Sum(part, *sums.ranges_of(symbols, sizes)) if symbols else part


@op("one_hot")
def one_hot(tracer: Any, x: Tensor, classes: Any) -> Tensor:
    wide = layout.unsqueeze(x, len(x.axes))
    return tensors.as_real(OPS["eq"](tracer, wide, sums.arange(classes)))


@op("index")
def index(tracer: Any, x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    if any(i.sort == BOOL for _, i in given):
        raise Unreadable("indexing by a mask, whose size is data; use torch.where")
    if len(given) == 1:
        return rows_at(tracer, x, given[0][0], given[0][1])
    dims = [d for d, _ in given]
    if dims != list(range(dims[0], dims[0] + len(dims))):
        raise Unreadable("index tensors with slices between them; use gather")
    places = tensors.aligned(*(i for _, i in given))
    lead = sum(len(a) for a in x.axes[: dims[0]])
    width = sum(len(a) for a in places[0].axes)

    def cell(place: Any) -> Term:
        own = place[lead : lead + width]
        pairs = list(zip(dims, places, strict=True))
        return taken_at(tracer, x, pairs, own, place[:lead], place[lead + width :])

    axes = (*x.axes[: dims[0]], *places[0].axes, *x.axes[dims[-1] + 1 :])
    return Tensor(axes, cell, x.sort)


@op("index_add", "index_put", "_unsafe_index_put")
def index_put(tracer: Any, x: Tensor, *given: Any, **named: Any) -> Tensor:
    if isinstance(given[0], int):
        dim, index, source = given[:3]
        adds, scale = True, named.get("alpha", 1)
        source = source if scale == 1 else multiply(tracer, source, scale)
    else:
        indices, source = given[:2]
        adds = named.get("accumulate", given[2] if len(given) > 2 else False)
        found = [(d, i) for d, i in enumerate(indices) if i is not None]
        if len(found) == 1 and found[0][1].sort == BOOL and len(source.axes) == 0:
            mask = found[0][1]
            value = source if not adds else add(tracer, x, source)
            return where(tracer, mask, value, x)
        if any(i.sort == BOOL for _, i in found):
            raise Unreadable("writing by a mask, whose size is data; use torch.where")
        if len(found) > 1:
            return put_at(tracer, x, found, source, adds)
        dim, index = found[0]
    return rows_put(tracer, x, dim, index, source, adds)


def rows_put(tracer: Any, x: Tensor, dim: int, index: Tensor, source: Tensor, adds: bool) -> Tensor:
    """`x[..., index[p], ...] += source[..., p, ...]`."""
    return put_at(tracer, x, [(dim % len(x.axes), index)], source, adds)


def put_at(
    tracer: Any, x: Tensor, found: Sequence[tuple[int, Tensor]], source: Tensor, adds: bool
) -> Tensor:
    dims = [d for d, _ in found]
    places = tensors.aligned(*(i for _, i in found))
    first = dims[0]
    axes = (*x.axes[:first], *places[0].axes, *x.axes[dims[-1] + 1 :])
    values = tensors.broadcast(as_real(source), axes)
    symbols = tuple(tracer.names() for a in places[0].axes for _ in a)
    sizes = dict(zip(symbols, (f for a in places[0].axes for f in a), strict=True))
    lead = sum(len(a) for a in x.axes[:first])
    width = sum(len(x.axes[d]) for d in dims)

    def cell(place: Any) -> Term:
        groups = x.groups(place)
        at = [flat(groups[d], x.axes[d]) for d in dims]
        known: dict[Any, Term] = {}  # names that an index is, as in an arange over all of an axis
        hits = []
        for d, index, here in zip(dims, places, at, strict=True):
            own = index.cell(symbols) if index.hit is None else None
            if own in sizes and own not in known and n.equal(sizes[own], x.shape[d]):
                known[own] = here
            else:
                hits.append((index, here))
        inner = tuple(known.get(s, s) for s in symbols)
        open_ = [s for s in symbols if s not in known]
        ranges = sums.ranges_of(open_, [sizes[s] for s in open_])
        conditions = [gathering.is_at(index, inner, here) for index, here in hits]
        hit = conditions[0] if len(conditions) == 1 else t.And(*conditions)
        value = values.cell((*place[:lead], *inner, *place[lead + width :]))
        for index, here in hits:
            if index.hit is None and t.arrays(index.cell(inner)):
                value = put(value, index.cell(inner), here)  # which it is where it is written
        added = reals.times(tensors.bracket(hit), value)
        whole = t.Sum(added, *ranges) if ranges else added
        if adds:
            return reals.plus(x.cell(place), whole)
        is_hit = t.Exists(hit, *ranges) if ranges else hit
        if free(value).isdisjoint(open_):
            return rewritten(is_hit, value, x.cell(place))
        written = [i.cell(inner) if i.hit is None else None for i, _ in hits]
        gathering.require_apart(tracer.names, written, open_, [sizes[s] for s in open_])
        return reals.plus(whole, reals.times(t.Bracket(t.Not(is_hit)), x.cell(place)))

    return Tensor(x.axes, cell)


def rewritten(condition: Term, value: Term, before: Term) -> Term:
    """A cell that is written where a condition holds; where that adds to it, what is added."""
    parts = list(reals.parts_of_sum(value))
    if before not in parts or before == 0:
        return reals.choice(condition, value, before)
    parts.remove(before)
    return reals.plus(before, reals.times(tensors.bracket(condition), reals.plus(*parts)))


def put(term: Term, old: Term, new: Term) -> Term:
    """The term with one part replaced by what is equal to it."""
    return new if term == old else t.over_parts(term, lambda u: put(u, old, new))


def scattering(adds: bool) -> Callable[..., Tensor]:
    def run(tracer: Any, x: Tensor, dim: int, index: Tensor, source: Any, **named: Any) -> Tensor:
        values = source if isinstance(source, Tensor) else constant(source)
        if (how := named.get("reduce", "add" if adds else None)) not in (None, "add", "sum"):
            raise Unreadable(f"a scatter that reduces by {how}; use scatter_add")
        also = how is not None
        return gathering.scattered(tracer.names, x, dim, index, spread(values, index), also)

    return run


def spread(values: Tensor, index: Tensor) -> Tensor:
    return tensors.broadcast(values, index.axes) if not values.axes else values


OPS["scatter_add"], OPS["scatter"] = scattering(True), scattering(False)


@op("embedding_dense_backward")
def embedding_backward(
    tracer: Any, g: Tensor, index: Tensor, count: Any, padding: Any, by_frequency: bool
) -> Tensor:
    if by_frequency:
        raise Unreadable("an embedding whose gradient is scaled by frequency; divide by the counts")
    if not isinstance(padding, int) or padding >= 0:
        kept = elementwise(lambda i: t.Bracket(t.Ne(i, padding)), index)
        g = elementwise(reals.times, layout.unsqueeze(kept, -1), g)
    return rows_put(tracer, constant(0, [count, g.shape[-1]]), 0, index, g, True)


@op("value_selecting_reduction_backward")
def selecting_backward(
    tracer: Any, g: Tensor, dim: int, index: Tensor, sizes: Any, keep: bool
) -> Tensor:
    if not keep and sizes:
        g, index = layout.unsqueeze(g, dim), layout.unsqueeze(index, dim)
    return gathering.scattered(tracer.names, constant(0, sizes), dim, index, g, True)
