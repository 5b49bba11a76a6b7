"""Operations that reduce axes, and products of tensors. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradproof.language import terms as t
from gradproof.tracing import contraction, reals, sums
from gradproof.tracing.cellwise import add, multiply
from gradproof.tracing.choices import maximum, minimum
from gradproof.tracing.registry import op
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
    elementwise,
)


@op("sum")
def total(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False, **_: Any) -> Tensor:
    return sums.total(tracer.names, x, dim, keepdim)


@op("mean")
def mean(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False, **_: Any) -> Tensor:
    return sums.mean(tracer.names, x, dim, keepdim)


@op("var")
def variance(
    tracer: Any, x: Tensor, dim: Any = None, unbiased: Any = True, keepdim: bool = False, **o: Any
) -> Tensor:
    correction = o.get("correction", 1 if unbiased else 0)
    correction = 1 if correction is None else correction
    return sums.variance(tracer.names, x, dim, keepdim, correction)


@op("std")
def deviation(tracer: Any, x: Tensor, *args: Any, **named: Any) -> Tensor:
    return elementwise(reals.root, variance(tracer, x, *args, **named))


@op("var_mean")
def variance_and_mean(
    tracer: Any, x: Tensor, dim: Any = None, unbiased: Any = True, keepdim: bool = False, **o: Any
) -> tuple[Tensor, Tensor]:
    return variance(tracer, x, dim, unbiased, keepdim, **o), mean(tracer, x, dim, keepdim)


@op("prod")
def product(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False, **_: Any) -> Tensor:
    return sums.product(tracer.names, x, dim, keepdim)


@op("amax")
def amax(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return sums.largest(tracer.names, x, dim, keepdim)


@op("amin")
def amin(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return sums.largest(tracer.names, x, dim, keepdim, -1)


@op("argmax")
def argmax(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return sums.place_of_largest(tracer.names, x, dim, keepdim)


@op("argmin")
def argmin(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return sums.place_of_largest(tracer.names, x, dim, keepdim, -1)


@op("max")
def largest(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is None:
        return amax(tracer, x)
    if isinstance(dim, Tensor):
        return maximum(tracer, x, dim)
    return amax(tracer, x, dim, keepdim), argmax(tracer, x, dim, keepdim)


@op("min")
def smallest(tracer: Any, x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is None:
        return amin(tracer, x)
    if isinstance(dim, Tensor):
        return minimum(tracer, x, dim)
    return amin(tracer, x, dim, keepdim), argmin(tracer, x, dim, keepdim)


@op("cumsum")
def cumulative(tracer: Any, x: Tensor, dim: int, **_: Any) -> Tensor:
    return sums.cumulative(tracer.names, x, dim)


@op("_softmax")
def softmax(tracer: Any, x: Tensor, dim: int, *_: Any) -> Tensor:
    return sums.softmax(tracer.names, x, dim)


@op("_log_softmax")
def log_softmax(tracer: Any, x: Tensor, dim: int, *_: Any) -> Tensor:
    return sums.log_softmax(tracer.names, x, dim)


@op("logsumexp")
def logsumexp(tracer: Any, x: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    powers = elementwise(reals.exp, x)
    return elementwise(reals.log, sums.total(tracer.names, powers, dim, keepdim))


@op("linalg_vector_norm")
def norm(
    tracer: Any, x: Tensor, order: Any = 2, dim: Any = None, keepdim: bool = False, **_: Any
) -> Tensor:
    if order == 1:
        size = elementwise(lambda a: t.If(t.relation(t.Ge, a, 0), a, reals.negative(a)), x)
        return sums.total(tracer.names, size, dim, keepdim)
    if order != 2:
        raise Unreadable(f"a norm of order {order}; write it as a sum")
    squares = elementwise(lambda a: reals.times(a, a), x)
    return elementwise(reals.root, sums.total(tracer.names, squares, dim, keepdim))


@op("mm", "bmm", "matmul", "mv", "dot", "vdot")
def matmul(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return contraction.matmul(tracer.names, a, b)


@op("addmm", "addmv", "baddbmm")
def affine(tracer: Any, c: Tensor, a: Tensor, b: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    product = multiply(tracer, matmul(tracer, a, b), alpha)
    return add(tracer, multiply(tracer, c, beta), product)


@op("outer", "ger")
def outer(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return contraction.contraction(tracer.names, [a, b], ["a", "b"], "ab")


@op("einsum")
def einsum(tracer: Any, equation: str, inputs: Sequence[Tensor], **_: Any) -> Tensor:
    return contraction.einsum(tracer.names, equation, inputs)
