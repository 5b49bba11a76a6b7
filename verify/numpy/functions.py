"""What the functions of NumPy compute, on traced arrays, by their names. Untrusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL
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
} | {
    name: name
    for name in (
        *("exp", "log", "sqrt", "square", "reciprocal", "abs", "sign", "tanh", "log1p", "expm1"),
        *("exp2", "log2", "maximum", "minimum", "sin", "cos", "sinh", "cosh", "tan"),
    )
}
SAME |= {"absolute": "abs", "fabs": "abs"}
ONE = {"exp", "log", "sqrt", "square", "reciprocal", "abs", "absolute", "fabs", "sign", "negative"}
ONE |= {"exp2", "log2", "log1p", "expm1", "logical_not"}
ONE |= {"sin", "cos", "tan", "sinh", "cosh", "tanh"}


def elementary(name: str, count: int) -> Callable[..., Any]:
    """An operation of so many arrays, and of nothing else."""

    def run(reader: Any, *given: Any, **options: Any) -> Any:
        if len(given) != count or options:
            raise Unreadable(f"np.{name} with {len(given) + len(options)} arguments")
        return OPS[SAME[name]](reader, *given)

    return run


for name_ in SAME:
    FUNCTIONS[name_] = elementary(name_, 1 if name_ in ONE else 3 if name_ == "where" else 2)


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


SORTS = {REAL: "float64", INT: "int64", BOOL: "bool_"}
KINDS: dict[Any, str] = {float: REAL, int: INT, bool: BOOL}
KINDS |= {"float": REAL, "float32": REAL, "float64": REAL, "double": REAL}
KINDS |= {"int": INT, "int32": INT, "int64": INT, "bool": BOOL, "bool_": BOOL}


def sort_of(dtype: Any) -> str:
    """The kind of numbers that a dtype says; reals unless it says otherwise."""
    name = getattr(dtype, "name", dtype)
    if name is None or not isinstance(name, str | type) or name not in KINDS:
        if name is None:
            return REAL
        raise Unreadable(f"numbers of dtype {name}; use float64, int64 or bool")
    return KINDS[name]


def filled(value: Any, shape: Any, sort: str) -> Tensor:
    """A new array of one number."""
    if sort == BOOL:
        return constant(tensors.truth(bool(value)), shape_of(shape), BOOL)
    term = reals.of(value)
    if sort == INT and t.sort_of(term) != INT:
        raise Unreadable("an array of integers that is filled with a real")
    return constant(term, shape_of(shape), sort)


def like_other(value: Any, other: Any, dtype: Any) -> Tensor:
    found = array_of(other)
    sort = found.sort if dtype is None else sort_of(dtype)
    return with_axes(filled(value, found.shape, sort), found.axes)


@function("empty")
def empty(reader: Any, shape: Any, dtype: Any = None) -> Tensor:
    return unwritten(shape_of(shape), sort_of(dtype))


@function("empty_like")
def empty_like(reader: Any, like: Any, dtype: Any = None) -> Tensor:
    found = array_of(like)
    sort = found.sort if dtype is None else sort_of(dtype)
    return with_axes(unwritten(list(found.shape), sort), found.axes)


def unwritten(shape: list[Any], sort: str) -> Tensor:
    if sort != REAL:
        raise Unreadable("integers or conditions in np.empty; use np.zeros")
    return constant(UNWRITTEN, shape)


@function("zeros")
def zeros(reader: Any, shape: Any, dtype: Any = None) -> Tensor:
    return filled(0, shape, sort_of(dtype))


@function("zeros_like")
def zeros_like(reader: Any, like: Any, dtype: Any = None) -> Tensor:
    return like_other(0, like, dtype)


@function("ones")
def ones(reader: Any, shape: Any, dtype: Any = None) -> Tensor:
    return filled(1, shape, sort_of(dtype))


@function("ones_like")
def ones_like(reader: Any, like: Any, dtype: Any = None) -> Tensor:
    return like_other(1, like, dtype)


@function("full")
def full(reader: Any, shape: Any, value: Any, dtype: Any = None) -> Tensor:
    term = reals.of(value)
    sort = t.sort_of(term) if dtype is None and not isinstance(value, float) else sort_of(dtype)
    return filled(value, shape, sort)


@function("full_like")
def full_like(reader: Any, like: Any, value: Any, dtype: Any = None) -> Tensor:
    return like_other(value, like, dtype)


@function("arange")
def arange(reader: Any, *given: Any, dtype: Any = None) -> Tensor:
    start, stop = (0, given[0]) if len(given) == 1 else given[:2]
    if len(given) > 2:
        raise Unreadable("np.arange with a step; multiply an arange by it")
    if any(t.sort_of(reals.of(e)) != INT or isinstance(e, float) for e in (start, stop)):
        raise Unreadable("np.arange of reals")
    found = sums.arange(n.minus(stop, start), start)
    return found if dtype is None else cast(found, sort_of(dtype))


@function("eye", "identity")
def eye(reader: Any, size: Any, dtype: Any = None) -> Tensor:
    index = sums.arange(size)
    hits = elementwise(t.Eq, layout.unsqueeze(index, 1), index, sort=BOOL)
    return cast(hits, sort_of(dtype))


@function("asarray", "array", "ascontiguousarray", "asfarray")
def same(reader: Any, value: Any, dtype: Any = None) -> Any:
    found = stack(reader, value) if isinstance(value, list) and value else array_of(value)
    if dtype is None:
        return Tensor(found.axes, found.cell, found.sort, found.hit)
    sort = sort_of(dtype)
    if sort == INT and found.sort == REAL:
        raise Unreadable("a cast of reals to integers")
    return cast(found, sort)


@function("copy")
def copy(reader: Any, value: Any) -> Tensor:
    return same(reader, value)


def reduction(name: str, *names: str) -> None:
    def reduce(
        reader: Any, x: Any, axis: Any = None, *, keepdims: bool = False, **options: Any
    ) -> Any:
        dims = list(axis) if isinstance(axis, tuple) else axis
        known = {"correction": options.pop("ddof", 0)} if name in ("var", "std") else {}
        if "dtype" in options:
            sort_of(options.pop("dtype"))
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
def einsum(reader: Any, equation: str, *inputs: Tensor, optimize: Any = False) -> Tensor:
    return contraction.einsum(reader.names, equation, inputs)


@function("tril")
def tril(reader: Any, x: Tensor, k: Any = 0) -> Any:
    return OPS["tril"](reader, x, k)


@function("triu")
def triu(reader: Any, x: Tensor, k: Any = 0) -> Any:
    return OPS["triu"](reader, x, k)


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
def ravel(reader: Any, x: Tensor) -> Tensor:
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
def concatenate(reader: Any, parts: Any, axis: int = 0) -> Tensor:
    if isinstance(parts, Tensor):
        if len(parts.axes) < 2:
            raise Unreadable("np.concatenate of numbers; write np.stack")
        d = axis % (len(parts.axes) - 1)
        x = stack(reader, parts, d)
        sizes = [*x.shape[:d], n.mul(x.shape[d], x.shape[d + 1]), *x.shape[d + 2 :]]
        return layout.reshape(x, sizes)
    return layout.concatenated(list(parts), axis)


@function("stack")
def stack(reader: Any, parts: Any, axis: int = 0) -> Tensor:
    """Rows as one array; those of an array are its own."""
    if isinstance(parts, Tensor):
        order = list(range(1, len(parts.axes)))
        order.insert(axis % len(parts.axes), 0)
        return layout.permute(parts, order)
    found = [layout.unsqueeze(array_of(x), axis) for x in parts]
    if len({x.sort for x in found}) > 1:
        found = list(map(tensors.as_real, found))
    return layout.concatenated(found, axis)


@function("hstack")
def hstack(reader: Any, parts: Sequence[Tensor]) -> Tensor:
    return layout.concatenated(list(parts), min(1, len(parts[0].axes) - 1))


@function("vstack")
def vstack(reader: Any, parts: Sequence[Tensor]) -> Tensor:
    rows = [layout.unsqueeze(x, 0) if len(x.axes) == 1 else x for x in parts]
    return layout.concatenated(rows, 0)


@function("repeat")
def repeat(reader: Any, x: Any, count: Any, axis: Any = None) -> Tensor:
    """Each row so many times, one after the other."""
    x = array_of(x) if axis is not None else layout.reshape(array_of(x), [n.product(x.shape)])
    d = (axis or 0) % len(x.axes)
    wide = layout.unsqueeze(x, d + 1)
    sizes = [*x.shape[: d + 1], reals.of(count), *x.shape[d + 1 :]]
    whole = [*x.shape[:d], n.mul(x.shape[d], count), *x.shape[d + 1 :]]
    return layout.reshape(layout.expand(wide, sizes), whole)


@function("tile")
def tile(reader: Any, x: Any, counts: Any) -> Tensor:
    x, by = array_of(x), shape_of(counts)
    found: Tensor = OPS["repeat"](reader, x, [*[1] * (len(x.axes) - len(by)), *by])
    return found


@function("roll")
def roll(reader: Any, x: Tensor, shift: Any, axis: Any = None) -> Tensor:
    if axis is None and len(x.axes) > 1:
        raise Unreadable("a roll of the flattened array; name the axis")
    axes = list(axis) if isinstance(axis, tuple) else [axis or 0]
    shifts = list(shift) if isinstance(shift, tuple) else [shift] * len(axes)
    found: Tensor = OPS["roll"](reader, x, shifts, axes)
    return found


@function("linalg.norm")
def norm(reader: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (axis is None and ord == 2 and len(array_of(x).axes) != 1):
        raise Unreadable(f"a norm of order {ord}; write it as a sum")
    dims = list(axis) if isinstance(axis, tuple) else axis
    return OPS["linalg_vector_norm"](reader, array_of(x), 2, dims, keepdims)


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
        pairs = [tuple(pairs)]
    if len(pairs) == 1:
        pairs = [tuple(pairs[0])] * len(x.axes)
    for axis, (before, after) in enumerate(pairs):
        if before != 0 or after != 0:
            x = layout.padded(x, axis, reals.of(before), reals.of(after))
    return x


CONSTANTS: dict[str, Any] = {"pi": math.pi, "e": math.e, "inf": math.inf, "newaxis": None}


def scalar(value: Any) -> Any:
    """An array without axes as the term of its cell."""
    if isinstance(value, Tensor) and not value.axes:
        return value.cell(())
    return value
