"""What the functions of NumPy compute, on traced arrays, by their names. Untrusted."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

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
} | {
    name: name
    for name in (
        *("exp", "log", "sqrt", "square", "reciprocal", "abs", "sign", "tanh", "log1p", "expm1"),
        *("exp2", "log2", "maximum", "minimum", "sin", "cos", "sinh", "cosh", "tan"),
        *("arctan", "arctan2", "hypot", "fmax", "fmin", "log10", "erf", "erfc"),
    )
}
SAME["expit"] = "sigmoid"
SAME |= {"absolute": "abs", "fabs": "abs", "arcsin": "asin", "arccos": "acos"}
SAME |= {"arcsinh": "asinh", "arctanh": "atanh"}
ONE = {"exp", "log", "sqrt", "square", "reciprocal", "abs", "absolute", "fabs", "sign", "negative"}
ONE |= {"exp2", "log2", "log1p", "expm1", "logical_not"}
ONE |= {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
ONE |= {"arctan", "arcsin", "arccos", "arcsinh", "arctanh", "log10", "erf", "erfc", "expit"}


COMPARING = {*("eq", "ne", "lt", "le", "gt", "ge", "logical_not", "logical_and", "logical_or")}
JOINING = {"add", "mul"}  # of two arrays of conditions they make one of conditions
REAL_VALUED = {*("div", "exp", "log", "sqrt", "tanh", "log1p", "expm1", "exp2", "log2")}
REAL_VALUED |= {*("sin", "cos", "sinh", "cosh", "tan", "linalg_vector_norm")}
REAL_VALUED |= {"arctan", "arctan2", "hypot", "asin", "acos", "asinh", "atanh"}
REAL_VALUED |= {"log10", "erf", "erfc", "sigmoid"}
PARTS_OF_INTEGERS = {"pow", "reciprocal"}  # which NumPy rounds, or refuses


def elementary(name: str, count: int) -> Callable[..., Any]:
    """An operation of so many arrays, and of nothing else."""

    def run(reader: Any, *given: Any, **options: Any) -> Any:
        if len(given) != count or options:
            raise Unreadable(f"np.{name} with {len(given) + len(options)} arguments")
        return computed(reader, SAME[name], *given)

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
    if isinstance(value, t.Term | int | float | sympy.Rational):
        return constant(reals.of(value), sort=kind_of(value) if sort == REAL else sort)
    raise Unreadable(f"a {type(value).__name__} as an array")


def computed(reader: Any, name: str, *given: Any) -> Tensor:
    """What an operation makes of arrays and numbers, as numbers of the kind that NumPy has."""
    given = tuple(array_of(x) if isinstance(x, Term) else x for x in given)
    if name in COMPARING:
        compared: Tensor = OPS[name](reader, *given)
        return compared
    kinds = {kind_of(x) for x in (given[1:] if name == "where" else given)}
    if kinds == {BOOL} and not (name in JOINING and all_arrays(given)):
        raise Unreadable(f"{name} of conditions; write astype(float), np.where, & or |")
    if name in PARTS_OF_INTEGERS and REAL not in kinds and not is_natural_number(given[-1]):
        raise Unreadable(f"{name} of integers; write astype(float)")
    found: Tensor = OPS[name](reader, *given)
    return of_kind(found, kinds, name in REAL_VALUED)


def chosen(condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Cells of one array or of another, of the same kind."""
    if a.sort != b.sort:
        raise Unreadable("a choice between arrays of two kinds of numbers; write astype(float)")
    if a.sort != BOOL:
        return elementwise(reals.choice, condition, a, b, sort=a.sort)
    both = lambda c, p, q: t.Or(t.And(c, p), t.And(t.Not(c), q))  # noqa: E731
    return elementwise(both, condition, a, b, sort=BOOL)


def all_arrays(given: Sequence[Any]) -> bool:
    return all(isinstance(x, Tensor) and x.axes for x in given)


def is_natural_number(value: Any) -> bool:
    return isinstance(value, int) and value >= 0


def of_kind(found: Tensor, kinds: set[str], is_real: bool = False) -> Tensor:
    """What is computed of numbers of some kinds: integers are kept apart from reals."""
    wanted = REAL if is_real or REAL in kinds else INT
    if found.sort in (BOOL, wanted) or found.hit is not None:
        return found
    return Tensor(found.axes, found.cell, wanted)


def kind_of(value: Any) -> str:
    """The kind of numbers that NumPy has for a value."""
    if isinstance(value, Tensor):
        return value.sort
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int | float):
        return REAL if isinstance(value, float) else INT
    if isinstance(value, list | tuple):
        kinds = set(map(kind_of, value))
        return next((k for k in (REAL, INT, BOOL) if k in kinds), REAL)
    if not isinstance(value, t.Term | sympy.Rational):
        raise Unreadable(f"a {type(value).__name__}, which is no number")
    found = t.sort_of(value)
    return INT if found == REAL and is_count(value) else found


def is_count(term: Term) -> bool:
    """Whether a number is made of conditions and integers alone, and so is an integer."""
    if isinstance(term, t.Sum | t.Prod | t.Maximum):
        return is_count(term.body)
    if isinstance(term, t.If):
        return is_count(term.then) and is_count(term.otherwise)
    if isinstance(term, t.Add | t.Mul | t.Max | t.Min):
        return all(map(is_count, term.args))
    return isinstance(term, t.Bracket) or t.sort_of(term) == INT


def shape_of(shape: Any) -> list[Any]:
    return list(shape) if isinstance(shape, list | tuple) else [shape]


SORTS = {REAL: "float64", INT: "int64", BOOL: "bool_"}
KINDS: dict[Any, str] = {float: REAL, int: INT, bool: BOOL}
KINDS |= {"float": REAL, "float32": REAL, "float64": REAL, "double": REAL}
KINDS |= {"f": REAL, "f4": REAL, "f8": REAL, "d": REAL, "single": REAL}
KINDS |= {"int": INT, "int64": INT, "bool": BOOL, "bool_": BOOL}


@dataclass(frozen=True)
class Kind:
    """The dtype of an array, of which nothing is asked but another array."""

    name: str


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
        if not isinstance(value, int):
            raise Unreadable("an array of conditions that is filled with what is none")
        return constant(tensors.truth(bool(value)), shape_of(shape), BOOL)
    term = reals.of(value)
    if sort == INT and kind_of(value) != INT:
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
    return filled(value, shape, kind_of(value) if dtype is None else sort_of(dtype))


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
    size = n.minus(stop, start)
    if not (isinstance(size, sympy.Integer) or reader.decided(t.relation(t.Ge, size, 0))):
        raise Unreadable("np.arange of what may be less than none; say in requires")
    found = sums.arange(size, start)
    return found if dtype is None else cast(found, sort_of(dtype))


@function("eye", "identity")
def eye(reader: Any, size: Any, dtype: Any = None) -> Tensor:
    index = sums.arange(size)
    hits = elementwise(t.Eq, layout.unsqueeze(index, 1), index, sort=BOOL)
    return cast(hits, sort_of(dtype))


def refuse_other_than(sort: str, dtype: Any) -> None:
    if sort_of(dtype) != sort:
        raise Unreadable("numbers of such a dtype here; write astype(float)")


@function("asarray", "array", "ascontiguousarray", "asfarray")
def same(reader: Any, value: Any, dtype: Any = None, *, copy: bool = True) -> Any:
    if copy is not True:
        raise Unreadable("an array that may be a copy or not; leave copy= out")
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
        if isinstance(x, tuple | list):
            if name == "prod" and x and not (axis or keepdims or options) and integers(x):
                return n.product([reals.of(size) for size in x])
            x = stack(reader, x)
        known = {"correction": options.pop("ddof", 0)} if name in ("var", "std") else {}
        array = array_of(x)
        if name in ("sum", "prod", "mean", "var", "std") and "dtype" in options:
            dtype = options.pop("dtype")
            if dtype is not None and (name not in ("sum", "prod") or sort_of(dtype) == BOOL):
                refuse_other_than(REAL, dtype)
            array = same(reader, array, dtype)
        if options:
            raise Unreadable(f"{names[0]} with {', '.join(options)}")
        if array.sort == BOOL and name not in COUNTING:
            raise Unreadable(f"np.{names[0]} of conditions; write astype(float)")
        found = OPS[name](reader, array, dims, keepdim=keepdims, **known)
        return of_kind(found, {array.sort}, name in ("mean", "var", "std"))

    FUNCTIONS.update(dict.fromkeys(names, reduce))


def integers(given: Sequence[Any]) -> bool:
    return all(kind_of(x) == INT and not isinstance(x, Tensor) for x in given)


COUNTING = ("sum", "mean", "prod")  # of conditions, what is computed of 1 and 0
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
    if len(b.axes) > 2:
        raise Unreadable("np.dot of more than two axes; write np.matmul or np.einsum")
    return computed(reader, "matmul" if a.axes and b.axes else "mul", a, b)


@function("einsum")
def einsum(reader: Any, equation: str, *inputs: Tensor, optimize: Any = False) -> Tensor:
    kinds = {kind_of(x) for x in inputs}
    if kinds == {BOOL}:
        raise Unreadable("np.einsum of conditions; write astype(float)")
    return of_kind(contraction.einsum(reader.names, equation, inputs), kinds)


@function("tensordot")
def tensordot(reader: Any, a: Tensor, b: Tensor, axes: Any = 2) -> Tensor:
    """Sums over pairs of axes, said as two lists, or as the last of one and the first of other."""
    ranks = len(a.axes), len(b.axes)
    if isinstance(axes, int):
        axes = (range(ranks[0] - axes, ranks[0]), range(axes))
    pairs = [[n] if isinstance(n, int) else list(n) for n in axes]
    first, second = ([int(d) % rank for d in own] for own, rank in zip(pairs, ranks, strict=True))
    letters = iter(string.ascii_letters)
    left = [next(letters) for _ in range(ranks[0])]
    right = [
        left[first[second.index(d)]] if d in second else next(letters) for d in range(ranks[1])
    ]
    kept = [x for x in (*left, *right) if not (x in left and x in right)]
    return einsum(reader, f"{''.join(left)},{''.join(right)}->{''.join(kept)}", a, b)


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


@function("moveaxis")
def moveaxis(reader: Any, x: Tensor, source: int, destination: int) -> Tensor:
    rank = len(x.axes)
    order = [d for d in range(rank) if d != source % rank]
    order.insert(destination % rank, source % rank)
    return transpose(reader, x, order)


@function("atleast_1d")
def atleast_1d(reader: Any, x: Any) -> Tensor:
    x = array_of(x)
    return x if x.axes else layout.unsqueeze(x, 0)


@function("atleast_2d")
def atleast_2d(reader: Any, x: Any) -> Tensor:
    x = atleast_1d(reader, x)
    return x if len(x.axes) > 1 else layout.unsqueeze(x, 0)


@function("trace")
def trace(reader: Any, x: Tensor) -> Tensor:
    if len(x.axes) != 2:
        raise Unreadable("np.trace of what is no matrix; write np.einsum")
    return einsum(reader, "ii->", x)


@function("inner")
def inner(reader: Any, a: Tensor, b: Tensor) -> Tensor:
    a, b = array_of(a), array_of(b)
    if not a.axes or not b.axes:
        return computed(reader, "mul", a, b)
    return tensordot(reader, a, b, ([-1], [-1]))


@function("column_stack")
def column_stack(reader: Any, parts: Sequence[Tensor]) -> Tensor:
    columns = [layout.unsqueeze(x, 1) if len(x.axes) == 1 else x for x in parts]
    return joined(columns, 1)


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


@function("shape")
def shape(reader: Any, x: Any) -> Any:
    return tuple(int(s) if isinstance(s, sympy.Integer) else s for s in array_of(x).shape)


@function("ndim")
def ndim(reader: Any, x: Any) -> int:
    return len(array_of(x).axes)


@function("size")
def size(reader: Any, x: Any, axis: int | None = None) -> Any:
    found = array_of(x).shape
    whole = n.product(found) if axis is None else found[axis]
    return int(whole) if isinstance(whole, sympy.Integer) else whole


@function("diag", "diagflat")
def diag(reader: Any, x: Tensor, k: int = 0) -> Tensor:
    """A matrix with some cells on its diagonal, and nothing elsewhere."""
    if len(x.axes) != 1 or k != 0:
        raise Unreadable("np.diag of what is no row of cells; multiply by np.eye, or index")
    return computed(reader, "mul", layout.unsqueeze(x, 1), eye(reader, x.shape[0]))


@function("split")
def split(reader: Any, x: Tensor, parts: Any, axis: int = 0) -> Any:
    """So many parts of one size each."""
    if not isinstance(parts, int):
        raise Unreadable("np.split at places; write slices")
    size = n.floor_div(x.shape[axis], parts)
    if not n.equal(n.mul(size, parts), x.shape[axis]):
        raise Unreadable("np.split of what may leave a rest; name the size of a part, as in 4*H")
    return [layout.sliced(x, axis, n.mul(k, size), size) for k in range(parts)]


@function("take_along_axis")
def take_along_axis(reader: Any, x: Tensor, places: Tensor, axis: int) -> Tensor:
    pairs = enumerate(zip(x.shape, places.shape, strict=True))
    others = (p for d, p in pairs if d != axis % len(x.axes))
    if places.sort != INT or not all(n.equal(*pair) for pair in others):
        raise Unreadable("np.take_along_axis at what are no places of the same rows")
    found: Tensor = OPS["gather"](reader, x, axis, places)
    return found


@function("logaddexp")
def logaddexp(reader: Any, a: Any, b: Any) -> Tensor:
    total = computed(reader, "add", *(computed(reader, "exp", array_of(x)) for x in (a, b)))
    return computed(reader, "log", total)


@function("squeeze")
def squeeze(reader: Any, x: Any, axis: Any = None) -> Tensor:
    x = array_of(x)
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
    return joined(list(map(array_of, parts)), axis)


@function("stack")
def stack(reader: Any, parts: Any, axis: int = 0) -> Tensor:
    """Rows as one array; those of an array are its own."""
    if isinstance(parts, Tensor):
        order = list(range(1, len(parts.axes)))
        order.insert(axis % len(parts.axes), 0)
        return layout.permute(parts, order)
    found = [layout.unsqueeze(array_of(x), axis) for x in parts]
    return joined(found, axis)


def joined(parts: Sequence[Tensor], axis: int) -> Tensor:
    """Arrays one after the other, as numbers of one kind."""
    kinds = {x.sort for x in parts}
    wanted = next(k for k in (REAL, INT, BOOL) if k in kinds)
    return layout.concatenated([cast(x, wanted) for x in parts], axis)


@function("hstack")
def hstack(reader: Any, parts: Sequence[Tensor]) -> Tensor:
    return joined(list(parts), min(1, len(parts[0].axes) - 1))


@function("vstack")
def vstack(reader: Any, parts: Sequence[Tensor]) -> Tensor:
    rows = [layout.unsqueeze(x, 0) if len(x.axes) == 1 else x for x in parts]
    return joined(rows, 0)


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
    array = tensors.as_real(array_of(x))
    return OPS["linalg_vector_norm"](reader, array, 2, dims, keepdims)


@function("flip")
def flip(reader: Any, x: Tensor, axis: Any = None) -> Tensor:
    dims = range(len(x.axes)) if axis is None else [axis] if isinstance(axis, int) else axis
    return layout.flipped(x, dims)


@function("flipud")
def flipud(reader: Any, x: Tensor) -> Tensor:
    return flip(reader, x, 0)


@function("fliplr")
def fliplr(reader: Any, x: Tensor) -> Tensor:
    return flip(reader, x, 1)


@function("cumsum")
def cumsum(reader: Any, x: Tensor, axis: int | None = None) -> Tensor:
    if axis is None and len(x.axes) > 1:
        raise Unreadable("np.cumsum of the flattened array; name the axis")
    found = sums.cumulative(reader.names, tensors.as_real(x), axis or 0)
    return of_kind(found, {x.sort})


@function("clip")
def clip(reader: Any, x: Any, low: Any = None, high: Any = None) -> Tensor:
    array = array_of(x)
    kinds = {kind_of(u) for u in (array, low, high) if u is not None}
    if BOOL in kinds:
        raise Unreadable("np.clip of conditions; write astype(float)")
    return of_kind(OPS["clamp"](reader, array, low, high), kinds)


@function("pad")
def pad(reader: Any, x: Tensor, width: Any, mode: str = "constant", **options: Any) -> Tensor:
    if mode != "constant" or any(options.values()) or x.sort == BOOL:
        raise Unreadable(f"np.pad with mode {mode!r} or a value that is not 0")
    pairs = width if isinstance(width, list | tuple) else [(width, width)] * len(x.axes)
    if not isinstance(pairs[0], list | tuple):
        pairs = [tuple(pairs)]
    pairs = [tuple(p) * (2 // len(p)) for p in pairs]
    if len(pairs) == 1:
        pairs = pairs * len(x.axes)
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
