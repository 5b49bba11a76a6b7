"""Pooling of traced tensors, with any number of spatial axes. Untrusted."""

from __future__ import annotations

from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.terms import INT, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.axes import (
    Place,
    axis_of,
    plain,
)
from gradproof.tracing.layout import within
from gradproof.tracing.registry import op
from gradproof.tracing.sums import ranges_of
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
    with_axes,
)
from gradproof.tracing.windows import Numbers, each, indexed, padded_cell, places, shaped, total


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
        tracer: Any,
        g: Tensor,
        x: Tensor,
        kernel: Any,
        stride: Any,
        padding: Any,
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
