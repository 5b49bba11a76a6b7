"""Convolutions of traced tensors, with any number of spatial axes. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.registry import op
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
)
from gradproof.tracing.windows import each, indexed, padded_cell, places, shaped, total


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
