"""Convolutions of traced tensors, with any number of spatial axes. Untrusted.

A window joins an image and what is made of it: its place `k` at `o` is at `s·o + d·k - p`. A
convolution goes from there to `o`, its transpose back; the gradients of both are these two again,
and the sum by which a weight is found. Channels are in groups, of which each has its own weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.tracing import integers as n
from gradproof.tracing import layout, reals
from gradproof.tracing.registry import op
from gradproof.tracing.tensors import Tensor, Unreadable
from gradproof.tracing.windows import each, indexed, padded_cell, places, shaped, total


@dataclass(frozen=True)
class Windows:
    """How a window moves, along each spatial axis; images are of (batch, group, channel, …)."""

    names: Any
    strides: Sequence[Any]
    pads: Sequence[Any]
    dilations: Sequence[Any]
    groups: Any

    def at(self, o: Sequence[Term], k: Sequence[Term]) -> list[Term]:
        return places(o, k, self.strides, self.dilations, self.pads)

    def grouped(self, x: Tensor, dim: int) -> Tensor:
        shape = list(x.shape)
        shape[dim : dim + 1] = [self.groups, n.floor_div(shape[dim], self.groups)]
        return layout.reshape(x, shape)

    def image(self, x: Tensor, sizes: Sequence[Term]) -> Tensor:
        """Without groups: what was made of one, of these spatial sizes."""
        return layout.reshape(x, [x.shape[0], n.mul(x.shape[1], x.shape[2]), *sizes])

    def gathered(self, x: Tensor, w: Tensor, sizes: Sequence[Term]) -> Tensor:
        """What windows over an image, each times a weight, sum up to."""
        image, weight = self.grouped(x, 1), self.grouped(w, 0)

        def cell(index: list[Term]) -> Term:
            batch, group, made, o = index[0], index[1], index[2], index[3:]

            def body(u: list[Term]) -> Term:
                read = padded_cell(image, [batch, group, u[0]], self.at(o, u[1:]), self.pads)
                return reals.times(read, indexed(weight, [group, made, *u]))

            return total(self.names, weight.shape[2:], body)

        return self.image(shaped([*image.shape[:2], weight.shape[1], *sizes], cell), sizes)

    def scattered(self, y: Tensor, w: Tensor, sizes: Sequence[Term]) -> Tensor:
        """The image to which each cell gives its window of weights."""
        made, weight = self.grouped(y, 1), self.grouped(w, 0)
        rank = len(sizes)

        def cell(index: list[Term]) -> Term:
            batch, group, channel, inner = index[0], index[1], index[2], index[3:]

            def body(u: list[Term]) -> Term:
                c, k, o = u[0], u[1 : 1 + rank], u[1 + rank :]
                hit = [t.Eq(e, i) for e, i in zip(self.at(o, k), inner, strict=True)]
                product = reals.times(
                    indexed(made, [batch, group, c, *o]), indexed(weight, [group, c, channel, *k])
                )
                return reals.times(t.Bracket(t.And(*hit)), product)

            ranges = [weight.shape[1], *weight.shape[3:], *made.shape[3:]]
            return total(self.names, ranges, body)

        return self.image(shaped([*made.shape[:2], weight.shape[2], *sizes], cell), sizes)

    def weights(self, x: Tensor, y: Tensor, w: Tensor) -> Tensor:
        """For each weight, what it joins: cells of an image, times what was made of them."""
        image, made = self.grouped(x, 1), self.grouped(y, 1)

        def cell(index: list[Term]) -> Term:
            group, f, c, k = index[0], index[1], index[2], index[3:]

            def body(u: list[Term]) -> Term:
                read = padded_cell(image, [u[0], group, c], self.at(u[1:], k), self.pads)
                return reals.times(indexed(made, [u[0], group, f, *u[1:]]), read)

            return total(self.names, [made.shape[0], *made.shape[3:]], body)

        found = shaped([made.shape[1], made.shape[2], *w.shape[1:]], cell)
        return layout.reshape(found, w.shape)


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
    if len(x.axes) != len(w.axes):
        raise Unreadable("a convolution of one image; give it a batch of one")
    rank = len(w.axes) - 2
    s, p, d, extra = (each(v, rank) for v in (stride, padding, dilation, output_padding))
    windows = Windows(tracer.names, s, p, d, groups)
    numbers = list(zip(x.shape[2:], w.shape[2:], s, p, d, extra, strict=True))
    if transposed:
        made = windows.scattered(x, w, [widened(*given) for given in numbers])
    else:
        made = windows.gathered(x, w, [narrowed(*given) for given in numbers])
    return made if bias is None else with_bias(made, bias)


def narrowed(size: Term, k: Term, s: Any, p: Any, d: Any, _: Any) -> Term:
    reach = n.add(size, n.mul(2, p), n.mul(-1, d, n.minus(k, 1)), -1)
    return n.add(n.floor_div(reach, s), 1)


def widened(size: Term, k: Term, s: Any, p: Any, d: Any, extra: Any) -> Term:
    return n.add(n.mul(n.minus(size, 1), s), n.mul(-2, p), n.mul(d, n.minus(k, 1)), extra, 1)


def with_bias(made: Tensor, bias: Tensor) -> Tensor:
    def cell(index: list[Term]) -> Term:
        return reals.plus(indexed(made, index), indexed(bias, [index[1]]))

    return shaped(made.shape, cell)


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
    rank = len(w.axes) - 2
    s, p, d = (each(v, rank) for v in (stride, padding, dilation))
    windows = Windows(tracer.names, s, p, d, groups)
    image, made = (g, x) if transposed else (x, g)
    back = windows.gathered if transposed else windows.scattered

    def by_bias(index: list[Term]) -> Term:
        sizes = [g.shape[0], *g.shape[2:]]
        return total(tracer.names, sizes, lambda u: indexed(g, [u[0], index[0], *u[1:]]))

    found = (
        back(g, w, x.shape[2:]),
        windows.weights(image, made, w),
        shaped([g.shape[1]], by_bias),
    )
    return tuple(m if wanted else None for m, wanted in zip(found, mask, strict=True))
