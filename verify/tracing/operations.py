"""What the operations of array code compute, on traced tensors, by PyTorch's names. Untrusted.

Each is a function of the tracer, of which it takes new names, and of the arguments, tensors as
`Tensor`s and numbers of the trace as terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sympy

from gradproof.language import functions
from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals, sums, tensors
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
    as_condition,
    as_real,
    constant,
    elementwise,
)

OPS: dict[str, Callable[..., Any]] = {}
WRITING = {"copy_", "fill_", "zero_", "masked_fill_"}  # in place, and known by that name alone


def op(*names: str) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        OPS.update(dict.fromkeys(names, function))
        return function

    return register


def cast(value: Tensor, sort: str, like: Tensor | None = None) -> Tensor:
    """The tensor with cells of another sort, over the axes of what it is written to."""
    if like is not None and value.axes != like.axes:
        value = tensors.broadcast(value, like.axes)
    if value.sort == sort:
        return value
    if sort == BOOL:
        return as_condition(value)
    if sort == REAL:
        return as_real(value)
    if value.sort == BOOL:
        return elementwise(lambda c: t.If(c, 1, 0), value, sort=INT)
    raise Unreadable("a real that is made an integer; keep it real, or compare it")


def sort_among(*given: Any) -> str:
    """The sort of what is computed from tensors and numbers."""
    sorts = [x.sort if isinstance(x, Tensor) else number_sort(x) for x in given]
    return REAL if REAL in sorts else INT if INT in sorts else BOOL


def number_sort(value: Any) -> str:
    if isinstance(value, bool):
        return BOOL
    return INT if isinstance(value, int) else t.sort_of(reals.of(value))


def numeric(value: Any) -> Any:
    """A tensor or number for arithmetic: a condition is 1 or 0."""
    if isinstance(value, Tensor):
        return as_real(value) if value.sort == BOOL else value
    return int(value) if isinstance(value, bool) else value


def arithmetic(integral: Any, real: Any, *given: Any) -> Tensor:
    whole = sort_among(*given) == INT
    ready = map(numeric, given)
    return elementwise(integral if whole else real, *ready, sort=INT if whole else REAL)


@op("add")
def add(tracer: Any, a: Any, b: Any, alpha: Any = 1) -> Tensor:
    if sort_among(a, b) == BOOL:
        return elementwise(lambda p, q: t.Or(p, q), a, b, sort=BOOL)
    if alpha != 1:
        b = multiply(tracer, b, alpha)
    return arithmetic(n.add, reals.plus, a, b)


@op("sub", "subtract")
def subtract(tracer: Any, a: Any, b: Any, alpha: Any = 1) -> Tensor:
    return arithmetic(n.minus, reals.minus, a, b if alpha == 1 else multiply(tracer, b, alpha))


@op("rsub")
def subtract_from(tracer: Any, a: Any, b: Any, alpha: Any = 1) -> Tensor:
    return subtract(tracer, b, a, alpha)


@op("mul", "multiply")
def multiply(tracer: Any, a: Any, b: Any) -> Tensor:
    if sort_among(a, b) == BOOL:
        return elementwise(lambda p, q: t.And(p, q), a, b, sort=BOOL)
    return arithmetic(n.mul, reals.times, a, b)


@op("div", "true_divide", "divide")
def divide(tracer: Any, a: Any, b: Any, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode is None:
        return elementwise(reals.over, numeric(a), numeric(b))
    if sort_among(a, b) != INT or rounding_mode != "floor":
        raise Unreadable(f"a division of reals that rounds ({rounding_mode})")
    return elementwise(n.floor_div, a, b, sort=INT)


@op("floor_divide")
def floor_divide(tracer: Any, a: Any, b: Any) -> Tensor:
    return divide(tracer, a, b, "floor")


@op("remainder")
def remainder(tracer: Any, a: Any, b: Any) -> Tensor:
    if sort_among(a, b) != INT:
        raise Unreadable("a remainder of reals")
    return elementwise(n.mod, a, b, sort=INT)


def unary(function: Callable[[Term], object], *names: str) -> None:
    op(*names)(lambda tracer, x: elementwise(function, numeric(x)))


def sigmoid(a: Term) -> Term:
    return reals.over(1, reals.plus(1, reals.exp(reals.negative(a))))


def tanh(a: Term) -> Term:
    power = reals.exp(reals.times(2, a))
    return reals.over(reals.minus(power, 1), reals.plus(power, 1))


def sign(a: Term) -> Term:
    return t.If(t.relation(t.Gt, a, 0), 1, t.If(t.relation(t.Lt, a, 0), -1, 0))


unary(reals.negative, "neg", "negative")
unary(reals.exp, "exp")
unary(reals.log, "log")
unary(reals.root, "sqrt")
unary(lambda a: reals.over(1, reals.root(a)), "rsqrt")
unary(lambda a: reals.over(1, a), "reciprocal")
unary(lambda a: reals.times(a, a), "square")
unary(lambda a: t.If(t.relation(t.Ge, a, 0), a, reals.negative(a)), "abs")
unary(lambda a: t.If(t.relation(t.Gt, a, 0), a, 0), "relu")
unary(sign, "sign", "sgn")
unary(sigmoid, "sigmoid")
unary(tanh, "tanh")
unary(functions.sin, "sin")
unary(functions.cos, "cos")
unary(functions.tan, "tan")
unary(functions.atan, "atan", "arctan")
unary(functions.erf, "erf")
unary(functions.sinh, "sinh")
unary(functions.cosh, "cosh")
unary(lambda a: reals.times(a, sigmoid(a)), "silu")
unary(lambda a: reals.log(reals.plus(1, a)), "log1p")
unary(lambda a: reals.minus(reals.exp(a), 1), "expm1")
unary(lambda a: reals.over(reals.log(a), reals.log(2)), "log2")
unary(lambda a: reals.exp(reals.times(a, reals.log(2))), "exp2")


@op("softplus")
def softplus(tracer: Any, x: Tensor, beta: Any = 1, threshold: Any = 20) -> Tensor:
    """Over the reals; that floating point turns linear far out is rounding."""
    return elementwise(
        lambda a: reals.over(reals.log(reals.plus(1, reals.exp(reals.times(a, beta)))), beta), x
    )


@op("leaky_relu")
def leaky_relu(tracer: Any, x: Tensor, slope: Any = 0.01) -> Tensor:
    return elementwise(lambda a: t.If(t.relation(t.Gt, a, 0), a, reals.times(slope, a)), x)


@op("pow")
def power(tracer: Any, a: Any, b: Any) -> Tensor:
    if isinstance(b, float) and b.is_integer():
        b = int(b)
    return elementwise(reals.power, numeric(a), numeric(b))


@op("threshold_backward")
def threshold_backward(tracer: Any, g: Tensor, x: Tensor, threshold: Any) -> Tensor:
    return elementwise(lambda a, b: reals.choice(t.relation(t.Le, b, threshold), 0, a), g, x)


@op("sigmoid_backward")
def sigmoid_backward(tracer: Any, g: Tensor, y: Tensor) -> Tensor:
    return elementwise(lambda a, b: reals.times(a, b, reals.minus(1, b)), g, y)


@op("tanh_backward")
def tanh_backward(tracer: Any, g: Tensor, y: Tensor) -> Tensor:
    return elementwise(lambda a, b: reals.times(a, reals.minus(1, reals.times(b, b))), g, y)


# Comparisons, conditions and choices.


def comparison(kind: Any, *names: str) -> None:
    def compare(tracer: Any, a: Any, b: Any) -> Tensor:
        for index, other in ((a, b), (b, a)):
            is_place = isinstance(index, Tensor) and index.hit is not None
            if is_place and kind in (t.Eq, t.Ne) and is_index(other):
                return at_places(index, other, kind is t.Ne)
        return elementwise(lambda p, q: compared(kind, p, q), numeric(a), numeric(b), sort=BOOL)

    op(*names)(compare)


def is_index(value: Any) -> bool:
    """Whether it is a number of an axis, and no other place."""
    other = isinstance(value, Tensor) and value.hit is not None
    return not other and sort_among(value) == INT


def at_places(index: Tensor, other: Any, negated: bool) -> Tensor:
    """Where a place of a maximum is a given index."""
    whole = other if isinstance(other, Tensor) else constant(other, sort=INT)
    ready, values = tensors.aligned(index, whole)
    hit = ready.hit

    def cell(place: Any) -> Term:
        assert hit is not None
        found = hit(place, values.cell(place))
        return t.Not(found) if negated else found

    return Tensor(ready.axes, cell, BOOL)


def compared(kind: Any, a: Term, b: Term) -> Term:
    if isinstance(a, sympy.Rational) and isinstance(b, sympy.Rational):
        return tensors.truth(bool(NUMBERS[kind](a, b)))
    if isinstance(a, t.Bracket) and b in (0, 1) and kind in (t.Eq, t.Ne):
        return a.condition if (b == 1) == (kind is t.Eq) else t.Not(a.condition)
    return t.relation(kind, a, b)


NUMBERS: dict[Any, Any] = {
    t.Eq: lambda a, b: a == b,
    t.Ne: lambda a, b: a != b,
    t.Lt: lambda a, b: a < b,
    t.Le: lambda a, b: a <= b,
    t.Gt: lambda a, b: a > b,
    t.Ge: lambda a, b: a >= b,
}
for kind_, names_ in (
    (t.Eq, ("eq",)),
    (t.Ne, ("ne", "not_equal")),
    (t.Lt, ("lt", "less")),
    (t.Le, ("le", "less_equal")),
    (t.Gt, ("gt", "greater")),
    (t.Ge, ("ge", "greater_equal")),
):
    comparison(kind_, *names_)


@op("logical_not", "bitwise_not")
def negation(tracer: Any, a: Tensor) -> Tensor:
    return elementwise(lambda c: t.Not(c), as_condition(a), sort=BOOL)


@op("logical_and", "bitwise_and", "__and__")
def conjunction(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(lambda c, d: t.And(c, d), as_condition(a), as_condition(b), sort=BOOL)


@op("logical_or", "bitwise_or", "__or__")
def disjunction(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(lambda c, d: t.Or(c, d), as_condition(a), as_condition(b), sort=BOOL)


@op("where")
def where(tracer: Any, condition: Tensor, a: Any, b: Any) -> Tensor:
    if any(isinstance(x, Tensor) and x.hit is not None for x in (a, b)):
        return chosen_place(as_condition(condition), a, b)
    sort = sort_among(a, b)
    return elementwise(reals.choice, as_condition(condition), numeric(a), numeric(b), sort=sort)


def chosen_place(condition: Tensor, a: Any, b: Any) -> Tensor:
    """One of two indices, known by comparison."""
    given = (x if isinstance(x, Tensor) else constant(x, sort=INT) for x in (a, b))
    where, first, second = tensors.aligned(condition, *given)

    def hit(place: Any, value: Term) -> Term:
        then, otherwise = (sums.is_at(x, place, value) for x in (first, second))
        return t.Or(t.And(where.cell(place), then), t.And(t.Not(where.cell(place)), otherwise))

    def cell(place: Any) -> Term:
        return reals.choice(where.cell(place), first.cell(place), second.cell(place))

    return Tensor(where.axes, cell, REAL, hit)


@op("masked_fill", "masked_fill_")
def masked_fill(tracer: Any, x: Tensor, mask: Tensor, value: Any) -> Tensor:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise Unreadable("an infinite value; multiply by the mask after the exponential instead")
    return where(tracer, mask, value, x)


@op("clamp", "clip")
def clamp(tracer: Any, x: Tensor, low: Any = None, high: Any = None, **named: Any) -> Tensor:
    low, high = named.get("min", low), named.get("max", high)
    if low is not None:
        x = elementwise(reals.larger, x, low)
    return x if high is None else elementwise(reals.smaller, x, high)


@op("clamp_min")
def clamp_min(tracer: Any, x: Tensor, low: Any) -> Tensor:
    return clamp(tracer, x, low)


@op("clamp_max")
def clamp_max(tracer: Any, x: Tensor, high: Any) -> Tensor:
    return clamp(tracer, x, None, high)


@op("maximum")
def maximum(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(reals.larger, numeric(a), numeric(b))


@op("minimum")
def minimum(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(reals.smaller, numeric(a), numeric(b))


# Tensors that are made, copied or written.


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
    return tensors.concatenated(parts, dim)


@op("stack")
def stack(tracer: Any, parts: Sequence[Tensor], dim: int = 0) -> Tensor:
    return tensors.concatenated([tensors.unsqueeze(x, dim) for x in parts], dim)


@op("flip")
def flip(tracer: Any, x: Tensor, dims: Sequence[int]) -> Tensor:
    return tensors.flipped(x, dims)


@op("roll")
def roll(tracer: Any, x: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    if not dims:
        raise Unreadable("a roll of the flattened tensor; name the axes")
    pairs = zip(shifts, dims, strict=True) if isinstance(shifts, list) else [(shifts, dims)]
    for shift, dim in pairs:
        d = dim[0] if isinstance(dim, list) else dim
        size = x.shape[d]
        x = tensors.along(x, d, size, partial(turned, shift, size))
    return x


def turned(shift: Any, size: Term, index: Term) -> Term:
    return t.Mod(n.minus(index, shift), size)


@op("constant_pad_nd")
def pad(tracer: Any, x: Tensor, pads: Sequence[Any], value: Any = 0) -> Tensor:
    for axis in range(len(pads) // 2):
        before, after = pads[2 * axis : 2 * axis + 2]
        x = tensors.padded(x, -1 - axis, before, after, reals.of(value))
    return x


@op("slice_backward")
def slice_backward(
    tracer: Any, g: Tensor, sizes: Any, dim: int, start: Any, end: Any, step: Any
) -> Tensor:
    from gradproof.tracing.buffers import at_slice

    whole = constant(0, sizes)
    return at_slice(whole, g, dim, reals.of(start), g.shape[dim], step)


@op("select_backward")
def select_backward(tracer: Any, g: Tensor, sizes: Any, dim: int, index: Any) -> Tensor:
    from gradproof.tracing.buffers import at_select

    at = reals.of(index)
    if isinstance(at, sympy.Integer) and at < 0:
        at = n.add(reals.of(sizes[dim]), at)
    return at_select(constant(0, sizes), g, dim, at)


@op("repeat")
def repeat(tracer: Any, x: Tensor, times: Sequence[Any]) -> Tensor:
    while len(x.axes) < len(times):
        x = tensors.unsqueeze(x, 0)
    for d, count in enumerate(times):
        x = tensors.unsqueeze(x, 2 * d)
        sizes = [*x.shape]
        sizes[2 * d] = reals.of(count)
        x = tensors.expand(x, sizes)
    return tensors.reshape(x, [n.mul(*x.shape[2 * d : 2 * d + 2]) for d in range(len(times))])


@op("tril")
def lower_triangle(tracer: Any, x: Tensor, diagonal: Any = 0) -> Tensor:
    return triangle(x, lambda a, b: t.relation(t.Le, b, n.add(a, diagonal)))


@op("triu")
def upper_triangle(tracer: Any, x: Tensor, diagonal: Any = 0) -> Tensor:
    return triangle(x, lambda a, b: t.relation(t.Ge, b, n.add(a, diagonal)))


def triangle(x: Tensor, keeps: Callable[[Term, Term], Term]) -> Tensor:
    rows, columns = sums.arange(x.shape[-2]), sums.arange(x.shape[-1])
    kept = elementwise(keeps, tensors.unsqueeze(rows, 1), columns, sort=BOOL)
    if x.sort == BOOL:
        return elementwise(lambda c, a: t.And(c, a), kept, x, sort=BOOL)
    return elementwise(lambda c, a: reals.choice(c, a, 0), kept, x, sort=x.sort)


# Reductions and products.


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
    return sums.matmul(tracer.names, a, b)


@op("addmm", "addmv", "addbmm", "baddbmm")
def affine(tracer: Any, c: Tensor, a: Tensor, b: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    product = multiply(tracer, matmul(tracer, a, b), alpha)
    return add(tracer, multiply(tracer, c, beta), product)


@op("outer", "ger")
def outer(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return sums.contraction(tracer.names, [a, b], ["a", "b"], "ab")


@op("einsum")
def einsum(tracer: Any, equation: str, inputs: Sequence[Tensor], **_: Any) -> Tensor:
    return sums.einsum(tracer.names, equation, inputs)


# Indices.


@op("gather")
def gather(tracer: Any, x: Tensor, dim: int, index: Tensor, **_: Any) -> Tensor:
    return sums.gathered(tracer.names, x, dim, index)


@op("index_select")
def index_select(tracer: Any, x: Tensor, dim: int, index: Tensor) -> Tensor:
    return rows_at(tracer, x, dim, index)


@op("embedding")
def embedding(tracer: Any, weight: Tensor, index: Tensor, *_: Any) -> Tensor:
    return rows_at(tracer, weight, 0, index)


def rows_at(tracer: Any, x: Tensor, dim: int, index: Tensor) -> Tensor:
    """One axis replaced by those of an index into it."""
    dim %= len(x.axes)
    axes = (*x.axes[:dim], *index.axes, *x.axes[dim + 1 :])
    lead = sum(len(a) for a in x.axes[:dim])
    width = sum(len(a) for a in index.axes)

    def cell(place: Any) -> Term:
        return taken_at(
            tracer,
            x,
            [(dim, index)],
            place[lead : lead + width],
            place[:lead],
            place[lead + width :],
        )

    return Tensor(axes, cell, x.sort)


def taken_at(
    tracer: Any, x: Tensor, given: Sequence[tuple[int, Tensor]], own: Any, before: Any, after: Any
) -> Term:
    """A cell at places that other tensors say: one known by comparison is summed over."""
    inner: list[Term] = []
    hits, symbols, sizes = list[Term](), [], list[Term]()
    for d, index in given:
        value: Term
        if index.hit is None:
            value = index.cell(own)
        elif not tensors.axis_of(x.shape[d]):
            value = n.ZERO
            hits.append(index.hit(own, value))
        else:
            value = tracer.names()
            hits.append(index.hit(own, value))
            symbols.append(value)
            sizes.append(x.shape[d])
        inner += tensors.unflat(value, x.axes[d])
    found = x.cell((*before, *inner, *after))
    if not hits:
        return found
    part = reals.times(tensors.bracket(hits[0] if len(hits) == 1 else t.And(*hits)), found)
    return t.Sum(part, *sums.ranges_of(symbols, sizes)) if symbols else part


@op("one_hot")
def one_hot(tracer: Any, x: Tensor, classes: Any) -> Tensor:
    wide = tensors.unsqueeze(x, len(x.axes))
    return tensors.as_real(OPS["eq"](tracer, wide, sums.arange(classes)))


@op("index")
def index(tracer: Any, x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    if any(i.sort == BOOL for _, i in given):
        raise Unreadable("indexing by a mask, whose size is data; use torch.where")
    if len(given) == 1:
        return rows_at(tracer, x, given[0][0], given[0][1])
    dims = [d for d, _ in given]
    if dims != list(range(dims[0], dims[0] + len(dims))):
        raise Unreadable("index tensors with slices between them; use gather")
    places = tensors.aligned(*(i for _, i in given))
    lead = sum(len(a) for a in x.axes[: dims[0]])
    width = sum(len(a) for a in places[0].axes)

    def cell(place: Any) -> Term:
        own = place[lead : lead + width]
        pairs = list(zip(dims, places, strict=True))
        return taken_at(tracer, x, pairs, own, place[:lead], place[lead + width :])

    axes = (*x.axes[: dims[0]], *places[0].axes, *x.axes[dims[-1] + 1 :])
    return Tensor(axes, cell, x.sort)


@op("index_add", "index_put", "_unsafe_index_put")
def index_put(tracer: Any, x: Tensor, *given: Any, **named: Any) -> Tensor:
    if isinstance(given[0], int):
        dim, index, source = given[:3]
        adds, scale = True, named.get("alpha", 1)
        source = source if scale == 1 else multiply(tracer, source, scale)
    else:
        indices, source = given[:2]
        adds = named.get("accumulate", given[2] if len(given) > 2 else False)
        found = [(d, i) for d, i in enumerate(indices) if i is not None]
        if len(found) == 1 and found[0][1].sort == BOOL and len(source.axes) == 0:
            mask = found[0][1]
            value = source if not adds else add(tracer, x, source)
            return where(tracer, mask, value, x)
        if any(i.sort == BOOL for _, i in found):
            raise Unreadable("writing by a mask, whose size is data; use torch.where")
        if len(found) > 1:
            return put_at(tracer, x, found, source, adds)
        dim, index = found[0]
    return rows_put(tracer, x, dim, index, source, adds)


def rows_put(tracer: Any, x: Tensor, dim: int, index: Tensor, source: Tensor, adds: bool) -> Tensor:
    """`x[..., index[p], ...] += source[..., p, ...]`."""
    return put_at(tracer, x, [(dim % len(x.axes), index)], source, adds)


def put_at(
    tracer: Any, x: Tensor, found: Sequence[tuple[int, Tensor]], source: Tensor, adds: bool
) -> Tensor:
    dims = [d for d, _ in found]
    places = tensors.aligned(*(i for _, i in found))
    first = dims[0]
    axes = (*x.axes[:first], *places[0].axes, *x.axes[dims[-1] + 1 :])
    values = tensors.broadcast(as_real(source), axes)
    symbols = tuple(tracer.names() for a in places[0].axes for _ in a)
    ranges = sums.ranges_of(symbols, [f for a in places[0].axes for f in a])
    lead = sum(len(a) for a in x.axes[:first])
    width = sum(len(x.axes[d]) for d in dims)

    def cell(place: Any) -> Term:
        groups = x.groups(place)
        pairs = zip(dims, places, strict=True)
        hits = [sums.is_at(i, symbols, tensors.flat(groups[d], x.axes[d])) for d, i in pairs]
        hit = hits[0] if len(hits) == 1 else t.And(*hits)
        value = values.cell((*place[:lead], *symbols, *place[lead + width :]))
        added = reals.times(t.Bracket(hit), value)
        whole = t.Sum(added, *ranges) if ranges else added
        if adds:
            return reals.plus(x.cell(place), whole)
        kept = t.Not(t.Exists(hit, *ranges) if ranges else hit)
        return reals.plus(whole, reals.times(t.Bracket(kept), x.cell(place)))

    return Tensor(x.axes, cell)


def scattering(adds: bool) -> Callable[..., Tensor]:
    def run(tracer: Any, x: Tensor, dim: int, index: Tensor, source: Any, **named: Any) -> Tensor:
        values = source if isinstance(source, Tensor) else constant(source)
        also = adds or named.get("reduce") in ("add", "sum")
        return sums.scattered(tracer.names, x, dim, index, spread(values, index), also)

    return run


def spread(values: Tensor, index: Tensor) -> Tensor:
    return tensors.broadcast(values, index.axes) if not values.axes else values


OPS["scatter_add"], OPS["scatter"] = scattering(True), scattering(False)


@op("embedding_dense_backward")
def embedding_backward(
    tracer: Any, g: Tensor, index: Tensor, count: Any, padding: Any, by_frequency: bool
) -> Tensor:
    width = g.shape[-1]
    return rows_put(tracer, constant(0, [count, width]), 0, index, g, True)


@op("value_selecting_reduction_backward")
def selecting_backward(
    tracer: Any, g: Tensor, dim: int, index: Tensor, sizes: Any, keep: bool
) -> Tensor:
    if not keep and sizes:
        g, index = tensors.unsqueeze(g, dim), tensors.unsqueeze(index, dim)
    return sums.scattered(tracer.names, constant(0, sizes), dim, index, g, True)
