"""What the functions of NumPy compute, on traced arrays, by their names. Untrusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.tracing import contraction, layout, reals, sums, tensors
from gradproof.tracing import integers as n
from gradproof.tracing.operations import OPS, cast
from gradproof.tracing.tensors import (
    UNWRITTEN,
    Tensor,
    Unreadable,
    constant,
    elementwise,
    with_axes,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {}
SAME = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "power": "pow",
    "negative": "neg",
    "matmul": "matmul",
    "outer": "outer",
    "where": "where",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "logical_not": "logical_not",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "floor_divide": "floor_divide",
    "mod": "remainder",
    "tril": "tril",
    "triu": "triu",
} | {
    name: name
    for name in (
        *("exp", "log", "sqrt", "square", "reciprocal", "abs", "sign", "tanh", "log1p", "expm1"),
        *("exp2", "log2", "maximum", "minimum", "sin", "cos", "sinh", "cosh", "tan"),
    )
}
SAME |= {"absolute": "abs", "fabs": "abs"}
for mine, theirs in SAME.items():
    if theirs in OPS:
        FUNCTIONS[mine] = OPS[theirs]


def function(*names: str) -> Callable[[Any], Any]:
    def register(made: Any) -> Any:
        FUNCTIONS.update(dict.fromkeys(names, made))
        return made

    return register


def array_of(value: Any, sort: str = REAL) -> Tensor:
    """A number as an array without axes."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, list | tuple):
        raise Unreadable("a list as an array; make the array an argument, or write cell by cell")
    if isinstance(value, t.Term) and t.sort_of(value) == BOOL:
        return constant(value, sort=BOOL)
    if isinstance(value, bool):
        return constant(tensors.truth(value), sort=BOOL)
    term = reals.of(value)
    return constant(term, sort=t.sort_of(term) if sort == REAL else sort)


def shape_of(shape: Any) -> list[Any]:
    return list(shape) if isinstance(shape, list | tuple) else [shape]


@function("empty")
def empty(reader: Any, shape: Any, dtype: Any = None, **_: Any) -> Tensor:
    return constant(UNWRITTEN, shape_of(shape))


@function("empty_like")
def empty_like(reader: Any, like: Any, dtype: Any = None, **_: Any) -> Tensor:
    return with_axes(constant(UNWRITTEN, array_of(like).shape), array_of(like).axes)


@function("zeros")
def zeros(reader: Any, shape: Any, dtype: Any = None, **_: Any) -> Tensor:
    return constant(0, shape_of(shape))


@function("zeros_like")
def zeros_like(reader: Any, like: Any, dtype: Any = None, **_: Any) -> Tensor:
    return with_axes(constant(0, array_of(like).shape), array_of(like).axes)


@function("ones")
def ones(reader: Any, shape: Any, dtype: Any = None, **_: Any) -> Tensor:
    return constant(1, shape_of(shape))


@function("ones_like")
def ones_like(reader: Any, like: Tensor, dtype: Any = None, **_: Any) -> Tensor:
    return with_axes(constant(1, like.shape), like.axes)


@function("full")
def full(reader: Any, shape: Any, value: Any, dtype: Any = None, **_: Any) -> Tensor:
    return constant(reals.of(value), shape_of(shape))


@function("full_like")
def full_like(reader: Any, like: Tensor, value: Any, dtype: Any = None, **_: Any) -> Tensor:
    return with_axes(constant(reals.of(value), like.shape), like.axes)


@function("arange")
def arange(reader: Any, *given: Any, **_: Any) -> Tensor:
    start, stop = (0, given[0]) if len(given) == 1 else given[:2]
    if len(given) > 2:
        raise Unreadable("np.arange with a step; multiply an arange by it")
    return sums.arange(n.minus(stop, start), start)


@function("eye", "identity")
def eye(reader: Any, size: Any, *_: Any, **__: Any) -> Tensor:
    index = sums.arange(size)
    return elementwise(lambda a, b: t.Bracket(t.Eq(a, b)), layout.unsqueeze(index, 1), index)


@function("asarray", "array", "ascontiguousarray", "copy", "float64", "asfarray", "float")
def same(reader: Any, value: Any, *_: Any, **__: Any) -> Any:
    return value


def reduction(name: str, *names: str) -> None:
    def reduce(
        reader: Any, x: Any, axis: Any = None, keepdims: bool = False, **options: Any
    ) -> Any:
        dims = list(axis) if isinstance(axis, tuple) else axis
        known = {"correction": options.pop("ddof", 0)} if name in ("var", "std") else {}
        options.pop("dtype", None)
        if options:
            raise Unreadable(f"{names[0]} with {', '.join(options)}")
        return OPS[name](reader, array_of(x), dims, keepdim=keepdims, **known)

    FUNCTIONS.update(dict.fromkeys(names, reduce))


reduction("sum", "sum")
reduction("mean", "mean", "average")
reduction("var", "var")
reduction("std", "std")
reduction("prod", "prod", "product")
reduction("amax", "max", "amax")
reduction("amin", "min", "amin")
reduction("argmax", "argmax")
reduction("argmin", "argmin")


@function("dot")
def dot(reader: Any, a: Any, b: Any) -> Tensor:
    a, b = array_of(a), array_of(b)
    if not a.axes or not b.axes:
        found: Tensor = OPS["mul"](reader, a, b)
        return found
    if len(b.axes) > 2:
        raise Unreadable("np.dot of more than two axes; write np.matmul or np.einsum")
    return contraction.matmul(reader.names, a, b)


@function("einsum")
def einsum(reader: Any, equation: str, *inputs: Tensor, **_: Any) -> Tensor:
    return contraction.einsum(reader.names, equation, inputs)


@function("transpose")
def transpose(reader: Any, x: Tensor, axes: Any = None) -> Tensor:
    return layout.permute(x, list(axes) if axes else list(range(len(x.axes)))[::-1])


@function("swapaxes")
def swapaxes(reader: Any, x: Tensor, a: int, b: int) -> Tensor:
    return layout.transpose(x, a, b)


@function("reshape")
def reshape(reader: Any, x: Tensor, *shape: Any) -> Tensor:
    sizes = shape_of(shape[0]) if len(shape) == 1 else list(shape)
    known = [s for s in sizes if not (isinstance(s, int) and s == -1)]
    if len(known) < len(sizes):
        rest = n.floor_div(n.product(x.shape), n.product(known))
        sizes = [rest if isinstance(s, int) and s == -1 else s for s in sizes]
    return layout.reshape(x, sizes)


@function("ravel", "flatten")
def ravel(reader: Any, x: Tensor, *_: Any) -> Tensor:
    return layout.reshape(x, [n.product(x.shape)])


@function("expand_dims")
def expand_dims(reader: Any, x: Tensor, axis: int) -> Tensor:
    return layout.unsqueeze(x, axis)


@function("squeeze")
def squeeze(reader: Any, x: Tensor, axis: Any = None) -> Tensor:
    dims = range(len(x.axes)) if axis is None else [axis] if isinstance(axis, int) else axis
    return layout.squeeze(x, dims)


@function("broadcast_to")
def broadcast_to(reader: Any, x: Any, shape: Any) -> Tensor:
    return layout.expand(array_of(x), shape_of(shape))


@function("concatenate")
def concatenate(reader: Any, parts: Sequence[Tensor], axis: int = 0) -> Tensor:
    return layout.concatenated(list(parts), axis)


@function("stack")
def stack(reader: Any, parts: Sequence[Tensor], axis: int = 0) -> Tensor:
    return layout.concatenated([layout.unsqueeze(x, axis) for x in parts], axis)


@function("flip")
def flip(reader: Any, x: Tensor, axis: Any = None) -> Tensor:
    dims = range(len(x.axes)) if axis is None else [axis] if isinstance(axis, int) else axis
    return layout.flipped(x, dims)


@function("cumsum")
def cumsum(reader: Any, x: Tensor, axis: int | None = None) -> Tensor:
    if axis is None and len(x.axes) > 1:
        raise Unreadable("np.cumsum of the flattened array; name the axis")
    return sums.cumulative(reader.names, x, axis or 0)


@function("clip")
def clip(reader: Any, x: Any, low: Any = None, high: Any = None) -> Tensor:
    found: Tensor = OPS["clamp"](reader, array_of(x), low, high)
    return found


@function("pad")
def pad(reader: Any, x: Tensor, width: Any, mode: str = "constant", **options: Any) -> Tensor:
    if mode != "constant" or any(options.values()):
        raise Unreadable(f"np.pad with mode {mode!r} or a value that is not 0")
    pairs = width if isinstance(width, list | tuple) else [(width, width)] * len(x.axes)
    if not isinstance(pairs[0], list | tuple):
        pairs = [tuple(pairs)] * len(x.axes)
    for axis, (before, after) in enumerate(pairs):
        if before != 0 or after != 0:
            x = layout.padded(x, axis, reals.of(before), reals.of(after))
    return x


CONSTANTS: dict[str, Any] = {"pi": math.pi, "e": math.e, "inf": math.inf, "newaxis": None}


def as_sort(x: Any, sort: str) -> Any:
    """A cast of an array or of a condition."""
    return cast(array_of(x), sort)


def is_condition(value: Any) -> bool:
    return isinstance(value, t.Term) and t.sort_of(value) == BOOL


def scalar(value: Any) -> Any:
    """An array without axes as the term of its cell."""
    if isinstance(value, Tensor) and not value.axes:
        return value.cell(())
    return value


__all__ = ["BOOL", "CONSTANTS", "FUNCTIONS", "INT", "Term", "array_of", "as_sort", "scalar"]
