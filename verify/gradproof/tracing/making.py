"""Operations that make, copy, write, join and turn tensors. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, Term
from gradproof.tracing import integers as n
from gradproof.tracing import layout, reals, sums, tensors
from gradproof.tracing.registry import op
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
    constant,
    elementwise,
)
from gradproof.tracing.windows import indexed, shaped, total


@op("copy_", "copy")
def copy(tracer: Any, target: Tensor, source: Tensor, *_: Any) -> Tensor:
    return tensors.broadcast(source, target.axes)


@op("fill_", "fill")
def fill(tracer: Any, target: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return tensors.broadcast(value, target.axes)
    whole = tensors.truth(bool(value)) if target.sort == BOOL else value
    return tensors.broadcast(constant(whole, sort=target.sort), target.axes)


@op("zero_", "zero")
def zero(tracer: Any, target: Tensor) -> Tensor:
    return fill(tracer, target, 0)


@op("cat", "concatenate")
def cat(tracer: Any, parts: Sequence[Tensor], dim: int = 0) -> Tensor:
    return layout.concatenated(parts, dim)


@op("stack")
def stack(tracer: Any, parts: Sequence[Tensor], dim: int = 0) -> Tensor:
    return layout.concatenated([layout.unsqueeze(x, dim) for x in parts], dim)


@op("flip")
def flip(tracer: Any, x: Tensor, dims: Sequence[int]) -> Tensor:
    return layout.flipped(x, dims)


@op("roll")
def roll(tracer: Any, x: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    if not dims:
        raise Unreadable("a roll of the flattened tensor; name the axes")
    pairs = zip(shifts, dims, strict=True) if isinstance(shifts, list) else [(shifts, dims)]
    for shift, dim in pairs:
        d = dim[0] if isinstance(dim, list) else dim
        size = x.shape[d]
        x = layout.along(x, d, size, partial(turned, shift, size))
    return x


def turned(shift: Any, size: Term, index: Term) -> Term:
    return t.Mod(n.minus(index, shift), size)


@op("constant_pad_nd")
def pad(tracer: Any, x: Tensor, pads: Sequence[Any], value: Any = 0) -> Tensor:
    for axis in range(len(pads) // 2):
        before, after = pads[2 * axis : 2 * axis + 2]
        x = layout.padded(x, -1 - axis, before, after, reals.of(value))
    return x


@op("slice_backward")
def slice_backward(
    tracer: Any, g: Tensor, sizes: Any, dim: int, start: Any, end: Any, step: Any
) -> Tensor:
    from gradproof.tracing.buffers import at_slice

    whole = constant(0, sizes)
    return at_slice(whole, g, dim, from_front(start, sizes[dim]), g.shape[dim], step)


def from_front(index: Any, size: Any) -> Term:
    """An index that may be said from the end."""
    at = reals.of(index)
    is_back = isinstance(at, sympy.Integer) and at < 0
    return n.add(reals.of(size), at) if is_back else at


@op("select_backward")
def select_backward(tracer: Any, g: Tensor, sizes: Any, dim: int, index: Any) -> Tensor:
    from gradproof.tracing.buffers import at_select

    return at_select(constant(0, sizes), g, dim, from_front(index, sizes[dim]))


@op("diagonal_scatter")
def diagonal_scatter(
    tracer: Any, x: Tensor, part: Tensor, offset: int = 0, a: int = 0, b: int = 1
) -> Tensor:
    return layout.with_diagonal(x, part, offset, a, b)


@op("repeat")
def repeat(tracer: Any, x: Tensor, times: Sequence[Any]) -> Tensor:
    while len(x.axes) < len(times):
        x = layout.unsqueeze(x, 0)
    for d, count in enumerate(times):
        x = layout.unsqueeze(x, 2 * d)
        sizes = [*x.shape]
        sizes[2 * d] = reals.of(count)
        x = layout.expand(x, sizes)
    return layout.reshape(x, [n.mul(*x.shape[2 * d : 2 * d + 2]) for d in range(len(times))])


@op("tril")
def lower_triangle(tracer: Any, x: Tensor, diagonal: Any = 0) -> Tensor:
    return triangle(x, lambda a, b: t.relation(t.Le, b, n.add(a, diagonal)))


@op("triu")
def upper_triangle(tracer: Any, x: Tensor, diagonal: Any = 0) -> Tensor:
    return triangle(x, lambda a, b: t.relation(t.Ge, b, n.add(a, diagonal)))


def triangle(x: Tensor, keeps: Callable[[Term, Term], Term]) -> Tensor:
    rows, columns = sums.arange(x.shape[-2]), sums.arange(x.shape[-1])
    kept = elementwise(keeps, layout.unsqueeze(rows, 1), columns, sort=BOOL)
    if x.sort == BOOL:
        return elementwise(lambda c, a: t.And(c, a), kept, x, sort=BOOL)
    return elementwise(lambda c, a: reals.choice(c, a, 0), kept, x, sort=x.sort)


@op("unfold_backward")
def unfold_backward(tracer: Any, g: Tensor, sizes: Any, dim: int, width: Any, step: Any) -> Tensor:
    """Each cell of an axis has what the windows over it have there."""
    dim %= len(sizes)

    def cell(index: list[Term]) -> Term:
        def body(u: list[Term]) -> Term:
            hit = t.Eq(n.add(n.mul(step, u[0]), u[1]), index[dim])
            read = indexed(g, [*index[:dim], u[0], *index[dim + 1 :], u[1]])
            return reals.times(t.Bracket(hit), read)

        return total(tracer.names, [g.shape[dim], width], body)

    return shaped(sizes, cell)
