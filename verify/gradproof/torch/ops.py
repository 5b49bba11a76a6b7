"""PyTorch's operations that make tensors or change their type; the others are shared. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.tracing import layout, sums, tensors
from gradproof.tracing.operations import OPS, WRITING, cast, op
from gradproof.tracing.tensors import (
    UNWRITTEN,
    Tensor,
    Unreadable,
    constant,
    elementwise,
    with_axes,
)

__all__ = ["MADE", "NARROW", "OPS", "WRITING", "cast", "sort_of"]

MADE: dict[str, Callable[..., Tensor]] = {}  # of no tensor's values; they are given the result


NARROW = {torch.int8, torch.uint8, torch.int16}


def sort_of(dtype: torch.dtype) -> str:
    if dtype == torch.bool:
        return BOOL
    return REAL if dtype.is_floating_point else INT


def made(*names: str) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        MADE.update(dict.fromkeys(names, function))
        return function

    return register


def shape_of(tracer: Any, result: Any) -> list[Term]:
    return [tracer.sizes.term(s) for s in result.shape]


def filled(tracer: Any, result: Any, value: Any, like: Any = None) -> Tensor:
    sort = sort_of(result.dtype)
    if isinstance(value, bool) or (sort == BOOL and value in (0, 1)):
        value = tensors.truth(bool(value)) if sort == BOOL else int(value)
    found = constant(value, shape_of(tracer, result), sort)
    return with_axes(found, like.axes) if isinstance(like, Tensor) else found


@made("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
def unwritten(tracer: Any, result: Any, *_: Any, **__: Any) -> Tensor:
    if sort_of(result.dtype) != REAL:
        raise Unreadable("memory of no reals that nothing was written to; use torch.zeros")
    return filled(tracer, result, UNWRITTEN)


@made("zeros", "new_zeros", "_efficientzerotensor")
def zeros(tracer: Any, result: Any, *_: Any, **__: Any) -> Tensor:
    return filled(tracer, result, 0)


@made("zeros_like")
def zeros_like(tracer: Any, result: Any, like: Any, *_: Any, **__: Any) -> Tensor:
    return filled(tracer, result, 0, like)


@made("ones", "new_ones")
def ones(tracer: Any, result: Any, *_: Any, **__: Any) -> Tensor:
    return filled(tracer, result, 1)


@made("ones_like")
def ones_like(tracer: Any, result: Any, like: Any, *_: Any, **__: Any) -> Tensor:
    return filled(tracer, result, 1, like)


@made("full", "new_full")
def full(tracer: Any, result: Any, *given: Any, **__: Any) -> Tensor:
    return filled(tracer, result, given[-1])


@made("full_like")
def full_like(tracer: Any, result: Any, like: Any, value: Any, **__: Any) -> Tensor:
    return filled(tracer, result, value, like)


@made("scalar_tensor")
def scalar_tensor(tracer: Any, result: Any, value: Any, **__: Any) -> Tensor:
    return filled(tracer, result, value)


@made("arange")
def arange(tracer: Any, result: Any, *given: Any, **named: Any) -> Tensor:
    start = given[0] if len(given) > 1 else 0
    step = named.get("step", given[2] if len(given) > 2 else 1)
    found = sums.arange(shape_of(tracer, result)[0], start, step)
    return Tensor(found.axes, found.function, sort_of(result.dtype))


@made("eye")
def eye(tracer: Any, result: Any, *_: Any, **__: Any) -> Tensor:
    rows, columns = (sums.arange(size) for size in shape_of(tracer, result))
    return elementwise(lambda a, b: t.Bracket(t.Eq(a, b)), layout.unsqueeze(rows, 1), columns)


@op("_to_copy", "clone", "contiguous", "lift_fresh_copy", "alias_copy")
def copied(tracer: Any, x: Tensor, dtype: Any = None, **_: Any) -> Tensor:
    return x if dtype is None else cast(x, sort_of(dtype))
