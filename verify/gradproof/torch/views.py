"""PyTorch's views: how each is read from its base, and how a write to it goes back. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradproof.language.terms import Term
from gradproof.tracing import buffers, layout
from gradproof.tracing import integers as n
from gradproof.tracing.buffers import View, Write
from gradproof.tracing.tensors import Tensor, Unreadable

Pair = tuple[View, Write]
LAST = 2**62  # what PyTorch says for "to the end"

VIEWS: dict[str, Callable[..., list[Pair]]] = {}


def view(*names: str) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        VIEWS.update(dict.fromkeys(names, function))
        return function

    return register


def shape_of(tracer: Any, result: Any) -> list[Term]:
    return [tracer.sizes.term(s) for s in result.shape]


@view("view", "_unsafe_view", "reshape", "_reshape_alias")
def reshaped(tracer: Any, base: Tensor, result: Any, *_: Any, **__: Any) -> list[Pair]:
    shape = shape_of(tracer, result)
    return [(lambda x: layout.reshape(x, shape), buffers.as_before)]


@view("unsqueeze")
def unsqueezed(tracer: Any, base: Tensor, result: Any, dim: int) -> list[Pair]:
    return [(lambda x: layout.unsqueeze(x, dim), buffers.as_before)]


@view("squeeze")
def squeezed(tracer: Any, base: Tensor, result: Any, dim: Any = None) -> list[Pair]:
    dims = range(len(base.axes)) if dim is None else [dim] if isinstance(dim, int) else dim
    ones = [d for d in dims if tracer.sizes.is_one(base.shape[d])]
    if len(base.axes) - len(ones) != result.ndim:
        ones = [d for d in dims if base.shape[d] == n.ONE]
    return [(lambda x: layout.dropped(x, ones), buffers.as_before)]


@view("permute")
def permuted(tracer: Any, base: Tensor, result: Any, dims: Any) -> list[Pair]:
    order = [d % len(dims) for d in dims]
    inverse = [order.index(d) for d in range(len(order))]
    return [(lambda x: layout.permute(x, order), lambda _, part: layout.permute(part, inverse))]


@view("t")
def turned(tracer: Any, base: Tensor, result: Any) -> list[Pair]:
    return swapped(tracer, base, result, 0, 1) if len(base.axes) > 1 else same(tracer, base, result)


@view("transpose", "swapaxes")
def swapped(tracer: Any, base: Tensor, result: Any, a: int, b: int) -> list[Pair]:
    return [
        (
            lambda x: layout.transpose(x, a, b),
            lambda _, part: layout.transpose(part, a, b),
        )
    ]


@view("alias", "detach", "view_as", "lift_fresh", "_conj", "positive")
def same(tracer: Any, base: Tensor, result: Any, *_: Any, **__: Any) -> list[Pair]:
    return [(lambda x: x, lambda _, part: part)]


@view("expand")
def expanded(tracer: Any, base: Tensor, result: Any, *_: Any, **__: Any) -> list[Pair]:
    shape = shape_of(tracer, result)

    def back(whole: Tensor, part: Tensor) -> Tensor:
        raise Unreadable("a write to an expanded tensor")

    return [(lambda x: layout.expand(x, shape), back)]


@view("slice")
def sliced(
    tracer: Any,
    base: Tensor,
    result: Any,
    dim: int = 0,
    start: Any = None,
    end: Any = None,
    step: Any = 1,
) -> list[Pair]:
    size = tracer.sizes.term(result.shape[dim])
    first = bound(tracer, start, base.shape[dim])
    by = tracer.sizes.term(step)
    return [
        (
            lambda x: layout.sliced(x, dim, first, size, by),
            lambda whole, part: buffers.at_slice(whole, part, dim, first, size, by),
        )
    ]


def bound(tracer: Any, start: Any, size: Term) -> Term:
    """Where a slice begins; from the end if that is below 0, by the guards of the trace."""
    if start is None:
        return n.ZERO
    term = tracer.sizes.term(start)
    return n.add(size, term) if bool(start < 0) else term


@view("select")
def selected(tracer: Any, base: Tensor, result: Any, dim: int, index: Any) -> list[Pair]:
    at = bound(tracer, index, base.shape[dim])
    return [
        (
            lambda x: layout.selected(x, dim, at),
            lambda whole, part: buffers.at_select(whole, part, dim, at),
        )
    ]


@view("unbind")
def unbound(tracer: Any, base: Tensor, result: Any, dim: int = 0) -> list[Pair]:
    return [selected(tracer, base, one, dim, index)[0] for index, one in enumerate(result)]


@view("split", "split_with_sizes", "chunk")
def pieces(tracer: Any, base: Tensor, result: Any, _: Any, dim: int = 0) -> list[Pair]:
    found, start = [], n.ZERO
    for one in result:
        size = tracer.sizes.term(one.shape[dim])
        found.append(piece(dim, start, size))
        start = n.add(start, size)
    return found


def piece(dim: int, start: Term, size: Term) -> Pair:
    return (
        lambda x: layout.sliced(x, dim, start, size),
        lambda whole, part: buffers.at_slice(whole, part, dim, start, size),
    )


@view("diagonal")
def diagonal(
    tracer: Any, base: Tensor, result: Any, offset: int = 0, a: int = 0, b: int = 1
) -> list[Pair]:
    size = tracer.sizes.term(result.shape[-1])
    return [
        (
            lambda x: layout.diagonal(x, offset, a, b, size),
            lambda whole, part: layout.with_diagonal(whole, part, offset, a, b),
        )
    ]


@view("unfold")
def windows(tracer: Any, base: Tensor, result: Any, dim: int, size: Any, step: Any) -> list[Pair]:
    shape = shape_of(tracer, result)

    def back(whole: Tensor, part: Tensor) -> Tensor:
        raise Unreadable("a write to windows, which overlap")

    count, width, by = shape[dim % len(base.axes)], shape[-1], tracer.sizes.term(step)
    return [(lambda x: layout.windows(x, dim, count, width, by), back)]
