"""Operations that work cell by cell: arithmetic, and functions of one number. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradproof.language import functions
from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals, tensors
from gradproof.tracing.registry import op
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
    as_condition,
    as_real,
    elementwise,
)


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
    return Tensor(value.axes, value.cell, INT, value.hit)  # of which each cell is asked for it


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
    if alpha != 1:
        b = multiply(tracer, b, alpha)
    if sort_among(a, b) == BOOL:
        return elementwise(lambda p, q: t.Or(p, q), a, b, sort=BOOL)
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
    """Without a quotient of two numbers that grow, which is none far out."""
    power = reals.exp(reals.times(2, a))
    return reals.minus(1, reals.over(2, reals.plus(power, 1)))


def sign(a: Term) -> Term:
    return t.If(t.relation(t.Gt, a, 0), 1, t.If(t.relation(t.Lt, a, 0), -1, 0))


unary(reals.negative, "neg", "negative")
unary(reals.exp, "exp")
unary(reals.log, "log")
unary(reals.root, "sqrt")
unary(lambda a: reals.over(1, reals.root(a)), "rsqrt")
unary(lambda a: reals.over(1, a), "reciprocal")
unary(lambda a: square(a), "square")
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


def arcsine(a: Term) -> Term:
    return functions.atan(reals.over(a, reals.root(reals.minus(1, square(a)))))


def square(a: Term) -> Term:
    return reals.times(a, a)


def half(a: Term) -> Term:
    return reals.over(a, 2)


unary(lambda a: reals.over(reals.log(a), reals.log(10)), "log10")
unary(lambda a: reals.minus(1, functions.erf(a)), "erfc")
unary(arcsine, "asin")
unary(lambda a: reals.minus(half(reals.PI), arcsine(a)), "acos")
unary(lambda a: reals.log(reals.plus(a, reals.root(reals.plus(square(a), 1)))), "asinh")
unary(lambda a: reals.log(reals.plus(a, reals.root(reals.minus(square(a), 1)))), "acosh")
unary(lambda a: half(reals.log(reals.over(reals.plus(1, a), reals.minus(1, a)))), "atanh")


def angle(b: Term, a: Term) -> Term:
    """The angle of a point (a, b), which is not the origin."""
    right = functions.atan(reals.over(b, a))
    above = reals.minus(half(reals.PI), functions.atan(reals.over(a, b)))
    below = reals.minus(reals.negative(half(reals.PI)), functions.atan(reals.over(a, b)))
    found = t.If(t.relation(t.Lt, b, 0), below, reals.PI)
    return t.If(t.relation(t.Gt, a, 0), right, t.If(t.relation(t.Gt, b, 0), above, found))


@op("atan2", "arctan2")
def atan2(tracer: Any, b: Tensor, a: Tensor) -> Tensor:
    return elementwise(angle, numeric(b), numeric(a))


@op("hypot")
def hypotenuse(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(lambda u, v: reals.root(reals.plus(square(u), square(v))), a, b)


@op("isnan", "isinf")
def never(tracer: Any, x: Tensor) -> Tensor:
    """Of real numbers."""
    return elementwise(lambda a: t.Or(), x, sort=BOOL)


@op("isfinite")
def always(tracer: Any, x: Tensor) -> Tensor:
    return elementwise(lambda a: t.And(), x, sort=BOOL)


@op("signbit")
def is_negative(tracer: Any, x: Tensor) -> Tensor:
    """Of real numbers, among which 0 has no sign."""
    return elementwise(lambda a: t.relation(t.Lt, a, 0), numeric(x), sort=BOOL)


LINEAR = 20  # from where on PyTorch's softplus is its argument, unless it is told


@op("softplus")
def softplus(tracer: Any, x: Tensor, beta: Any = 1, threshold: Any = LINEAR) -> Tensor:
    """Over the reals; that it turns linear where the difference is rounding is left out."""

    def cell(a: Term) -> Term:
        inner = reals.times(a, beta)
        found = reals.over(reals.log(reals.plus(1, reals.exp(inner))), beta)
        is_far = isinstance(threshold, int | float) and threshold >= LINEAR
        return found if is_far else reals.choice(t.relation(t.Gt, inner, threshold), a, found)

    return elementwise(cell, x)


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
    limit = reals.of(threshold)
    return elementwise(lambda a, b: reals.choice(t.relation(t.Le, b, limit), 0, a), g, x)


@op("sigmoid_backward")
def sigmoid_backward(tracer: Any, g: Tensor, y: Tensor) -> Tensor:
    return elementwise(lambda a, b: reals.times(a, b, reals.minus(1, b)), g, y)


@op("tanh_backward")
def tanh_backward(tracer: Any, g: Tensor, y: Tensor) -> Tensor:
    return elementwise(lambda a, b: reals.times(a, reals.minus(1, reals.times(b, b))), g, y)
