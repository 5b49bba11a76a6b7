"""Convolutions and pooling of traced tensors, with any number of spatial axes. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.terms import INT, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.operations import op
from gradproof.tracing.sums import ranges_of
from gradproof.tracing.tensors import (
    Place,
    Tensor,
    Unreadable,
    axis_of,
    plain,
    with_axes,
    within,
)

Numbers = Sequence[Any]


def each(value: Any, rank: int) -> list[Any]:
    """An option, axis by axis."""
    given = list(value) if isinstance(value, list | tuple) else [value]
    return given * rank if len(given) == 1 else given


def indexed(tensor: Tensor, index: Sequence[Term]) -> Term:
    """A cell by one index per axis."""
    ready = with_axes(tensor, plain(tensor.shape))
    pairs = list(zip(index, ready.axes, strict=True))
    return ready.cell(tuple(e for e, axis in pairs if axis))


def shaped(shape: Sequence[Any], cell: Any) -> Tensor:
    """A tensor by what its cell at one index per axis is."""
    axes = plain(shape)

    def at(place: Place) -> Term:
        rest = iter(place)
        return t.as_term(cell([next(rest) if axis else n.ZERO for axis in axes]))

    return Tensor(axes, at)


def padded_cell(x: Tensor, lead: Sequence[Term], inner: Sequence[Term], pads: Numbers) -> Term:
    """A cell with spatial places that may be in the padding."""
    ready = with_axes(x, plain(x.shape))
    index = [*lead, *inner]
    found = ready.cell(tuple(e for e, axis in zip(index, ready.axes, strict=True) if axis))
    sizes = x.shape[len(lead) :]
    triples = zip(inner, sizes, pads, strict=True)
    asked = [c for e, size, p in triples for c in within(e, size).args if p != 0]
    return reals.times(t.Bracket(t.And(*asked)), found) if asked else found


def total(names: Any, sizes: Sequence[Any], body: Any) -> Term:
    """The sum over indices below the sizes."""
    symbols = [names() if axis_of(size) else n.ZERO for size in sizes]
    pairs = [(s, n.simple(size)) for s, size in zip(symbols, sizes, strict=True) if s != 0]
    ranges = ranges_of([s for s, _ in pairs], [size for _, size in pairs])
    return reals.total(body(symbols), ranges, frozenset(s for s, _ in pairs))


def places(
    o: Sequence[Term], k: Sequence[Term], strides: Numbers, dilations: Numbers, pads: Numbers
) -> list[Term]:
    """Where a cell of a window is in the input."""
    parts = zip(o, k, strides, dilations, pads, strict=True)
    return [n.add(n.mul(s, a), n.mul(d, b), n.mul(-1, p)) for a, b, s, d, p in parts]


@op("convolution")
def convolution(
    tracer: Any,
    x: Tensor,
    w: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: Any,
) -> Tensor:
    if len(x.axes) != len(w.axes) or groups != 1:
        raise Unreadable("a convolution with groups, or of one image; write an einsum of views")
    rank = len(w.axes) - 2
    strides, pads, dilations = (each(v, rank) for v in (stride, padding, dilation))
    extras, kernel, names = each(output_padding, rank), w.shape[2:], tracer.names
    numbers = zip(x.shape[2:], kernel, strides, pads, dilations, extras, strict=True)
    if transposed:
        sizes = [
            n.add(n.mul(n.minus(size, 1), s), n.mul(-2, p), n.mul(d, n.minus(k, 1)), e, 1)
            for size, k, s, p, d, e in numbers
        ]

        def scattered(index: list[Term]) -> Term:
            batch, filter_, inner = index[0], index[1], index[2:]

            def body(u: list[Term]) -> Term:
                c, k, o = u[0], u[1 : 1 + rank], u[1 + rank :]
                hit = [
                    t.Eq(e, i)
                    for e, i in zip(places(o, k, strides, dilations, pads), inner, strict=True)
                ]
                product = reals.times(indexed(x, [batch, c, *o]), indexed(w, [c, filter_, *k]))
                return reals.times(t.Bracket(t.And(*hit)), product)

            found = total(names, [w.shape[0], *kernel, *x.shape[2:]], body)
            return found if bias is None else reals.plus(found, indexed(bias, [filter_]))

        return shaped([x.shape[0], w.shape[1], *sizes], scattered)
    sizes = [
        n.add(n.floor_div(n.add(size, n.mul(2, p), n.mul(-1, d, n.minus(k, 1)), -1), s), 1)
        for size, k, s, p, d, _ in numbers
    ]

    def cell(index: list[Term]) -> Term:
        batch, filter_, o = index[0], index[1], index[2:]

        def body(u: list[Term]) -> Term:
            inner = places(o, u[1:], strides, dilations, pads)
            return reals.times(
                padded_cell(x, [batch, u[0]], inner, pads), indexed(w, [filter_, *u])
            )

        found = total(names, [w.shape[1], *kernel], body)
        return found if bias is None else reals.plus(found, indexed(bias, [filter_]))

    return shaped([x.shape[0], w.shape[0], *sizes], cell)


@op("convolution_backward")
def convolution_backward(
    tracer: Any,
    g: Tensor,
    x: Tensor,
    w: Tensor,
    biases: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: Any,
    mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    if transposed or groups != 1:
        raise Unreadable("the derivative of a transposed convolution, or of one with groups")
    rank = len(w.axes) - 2
    strides, pads, dilations = (each(v, rank) for v in (stride, padding, dilation))
    names, kernel = tracer.names, w.shape[2:]

    def by_input(index: list[Term]) -> Term:
        batch, c, inner = index[0], index[1], index[2:]

        def body(u: list[Term]) -> Term:
            f, k, o = u[0], u[1 : 1 + rank], u[1 + rank :]
            hit = [
                t.Eq(e, i)
                for e, i in zip(places(o, k, strides, dilations, pads), inner, strict=True)
            ]
            product = reals.times(indexed(g, [batch, f, *o]), indexed(w, [f, c, *k]))
            return reals.times(t.Bracket(t.And(*hit)), product)

        return total(names, [w.shape[0], *kernel, *g.shape[2:]], body)

    def by_weight(index: list[Term]) -> Term:
        f, c, k = index[0], index[1], index[2:]

        def body(u: list[Term]) -> Term:
            inner = places(u[1:], k, strides, dilations, pads)
            return reals.times(
                indexed(g, [u[0], f, *u[1:]]), padded_cell(x, [u[0], c], inner, pads)
            )

        return total(names, [x.shape[0], *g.shape[2:]], body)

    def by_bias(index: list[Term]) -> Term:
        sizes = [g.shape[0], *g.shape[2:]]
        return total(names, sizes, lambda u: indexed(g, [u[0], index[0], *u[1:]]))

    made = (
        shaped(x.shape, by_input),
        shaped(w.shape, by_weight),
        shaped([w.shape[0]], by_bias),
    )
    return tuple(m if wanted else None for m, wanted in zip(made, mask, strict=True))


def pooled_sizes(sizes: Numbers, kernel: Numbers, strides: Numbers, pads: Numbers) -> list[Term]:
    parts = zip(sizes, kernel, strides, pads, strict=True)
    return [
        n.add(n.floor_div(n.add(size, n.mul(2, p), n.mul(-1, k)), s), 1) for size, k, s, p in parts
    ]


def options(rank: int, kernel: Any, stride: Any, padding: Any) -> tuple[list[Any], ...]:
    sizes = each(kernel, rank)
    return sizes, each(stride, rank) if stride else sizes, each(padding, rank)


def average_pool(rank: int) -> Any:
    def pool(
        tracer: Any,
        x: Tensor,
        kernel: Any,
        stride: Any = (),
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor: Any = None,
    ) -> Tensor:
        k, s, p = options(rank, kernel, stride, padding)
        if ceil_mode or not count_include_pad:
            raise Unreadable("average pooling in ceil mode, or that does not count its padding")
        lead = len(x.axes) - rank
        by = n.product(k) if divisor is None else reals.of(divisor)

        def cell(index: list[Term]) -> Term:
            def body(u: list[Term]) -> Term:
                inner = places(index[lead:], u, s, [1] * rank, p)
                return padded_cell(x, index[:lead], inner, p)

            return reals.over(total(tracer.names, k, body), by)

        return shaped([*x.shape[:lead], *pooled_sizes(x.shape[lead:], k, s, p)], cell)

    return pool


def average_pool_backward(rank: int) -> Any:
    def pool(
        tracer: Any, g: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, *rest: Any
    ) -> Tensor:
        k, s, p = options(rank, kernel, stride, padding)
        lead = len(x.axes) - rank
        divisor = rest[2] if len(rest) > 2 else None
        by = n.product(k) if divisor is None else reals.of(divisor)

        def cell(index: list[Term]) -> Term:
            def body(u: list[Term]) -> Term:
                found = places(u[:rank], u[rank:], s, [1] * rank, p)
                hit = [t.Eq(e, i) for e, i in zip(found, index[lead:], strict=True)]
                return reals.times(t.Bracket(t.And(*hit)), indexed(g, [*index[:lead], *u[:rank]]))

            return reals.over(total(tracer.names, [*g.shape[lead:], *k], body), by)

        return shaped(x.shape, cell)

    return pool


def max_pool(rank: int) -> Any:
    def pool(
        tracer: Any,
        x: Tensor,
        kernel: Any,
        stride: Any = (),
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> tuple[Tensor, Tensor]:
        k, s, p = options(rank, kernel, stride, padding)
        d = each(dilation, rank)
        if ceil_mode:
            raise Unreadable("max pooling in ceil mode")
        lead = len(x.axes) - rank
        symbols = [tracer.names() if axis_of(size) else n.ZERO for size in k]
        bound = [(u, n.simple(size)) for u, size in zip(symbols, k, strict=True) if u != 0]
        ranges = ranges_of([u for u, _ in bound], [size for _, size in bound])
        ready = with_axes(x, plain(x.shape))

        def window(index: list[Term]) -> tuple[list[Term], Term, Term]:
            inner = places(index[lead:], symbols, s, d, p)
            pairs = zip([*index[:lead], *inner], ready.axes, strict=True)
            triples = zip(inner, x.shape[lead:], p, strict=True)
            where = [c for e, size, pad in triples for c in within(e, size).args if pad != 0]
            return inner, ready.cell(tuple(e for e, axis in pairs if axis)), t.And(*where)

        def cell(index: list[Term]) -> Term:
            _, body, where = window(index)
            return t.Maximum(body, where, 0, *ranges) if ranges else body

        sizes = [
            *x.shape[:lead],
            *pooled_sizes(
                x.shape[lead:],
                [n.add(n.mul(e, n.minus(q, 1)), 1) for e, q in zip(d, k, strict=True)],
                s,
                p,
            ),
        ]
        values = shaped(sizes, cell)

        def hit(place: Place, value: Term) -> Term:
            """Whether the cell of the image with this flat index is the winner."""
            rest = iter(place)
            index = [next(rest) if axis else n.ZERO for axis in values.axes]
            inner, body, where = window(index)
            at: list[Term] = []
            left = value
            for size in reversed(x.shape[lead + 1 :]):
                at.insert(0, n.mod(left, size))
                left = n.floor_div(left, size)
            at.insert(0, left)
            free = [t.Sym(f"{u.name}w") for u, _ in bound]
            chosen = [e for e, u in zip(inner, symbols, strict=True)]
            swap = dict(zip([u for u, _ in bound], free, strict=True))
            moved = [substitute(t.as_term(e), swap, Fresh(t.as_term(e))) for e in chosen]
            won = t.Winner(body, where, Str("first"), sympy.Tuple(*free), *ranges)
            same = [t.Eq(a, b) for a, b in zip(moved, at, strict=True)]
            ends = ranges_of(free, [size for _, size in bound])
            return t.Exists(t.And(*same, won), *ends) if ranges else t.And(*same)

        places_ = Tensor(values.axes, lambda place: n.ZERO, INT, hit)
        return values, places_

    return pool


for rank_ in (1, 2, 3):
    op(f"avg_pool{rank_}d")(average_pool(rank_))
    op(f"avg_pool{rank_}d_backward")(average_pool_backward(rank_))
    op(f"max_pool{rank_}d_with_indices")(max_pool(rank_))
