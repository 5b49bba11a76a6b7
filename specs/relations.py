"""Claims that two definitions are the same op: forward, JVP and VJP."""

from collections.abc import Callable, Mapping
from typing import Any

from gradproof.language import (
    Array,
    Claim,
    Eq,
    ForAll,
    Op,
    Sum,
    call,
    cotangent,
    derivative,
    tangent,
)

Index = tuple[Any, ...]


def cells(array: Array, index: Index) -> tuple[Any, ...]:
    return tuple((i, 0, n - 1) for i, n in zip(index, array.dims, strict=True))


def plain(index: Index) -> Index:
    return index


def per_channel(c: Any) -> dict[str, Any]:
    """How the indices of an op relate to those of the same op on channel c alone."""
    return {
        "output": lambda o: o[1:],
        "cell": lambda i: i[1:],
        "back": lambda o: (c, *o),
        "source": lambda i: (c, *i),
        "vjp": "u_bar",
    }


def same_op(
    name: str,
    own: Op,
    other: Op,
    sizes: Mapping[Any, Any],
    at: Index,
    given: tuple[Any, ...] = (),
    output: Callable[[Index], Index] = plain,
    back: Callable[[Index], Index] = plain,
    cell: Callable[[Index], Index] = plain,
    source: Callable[[Index], Index] = plain,
    vjp: str = "x_bar",
    parts: tuple[str, ...] = ("forward", "JVP", "VJP"),
) -> tuple[Claim, ...]:
    """`own` is `other` at these sizes.

    `output` and `cell` take an index of own's output and input to the other's, `back` and `source`
    the other way round; `at` names a cell of own's input.
    """
    (x,), (u,), y, v = own.inputs, other.inputs, own.output, other.output
    x_dot, y_bar = tangent(x), cotangent(y)
    o = own.forward.args[0].index
    inputs: dict[Array, Callable[..., Any]] = {u: lambda *i: x[source(i)]}
    tangents = {**inputs, tangent(u): lambda *i: x_dot[source(i)]}
    cotangents = {**inputs, cotangent(v): lambda *i: y_bar[back(i)]}
    everywhere = (
        ("forward", Eq(y[o], call(other, sizes, inputs)[output(o)]), cells(y, o)),
        (
            "JVP",
            Eq(tangent(y)[o], call(other, sizes, tangents, tangent(v).name)[output(o)]),
            cells(y, o),
        ),
        (
            "VJP",
            Eq(cotangent(x)[at], call(other, sizes, cotangents, vjp)[cell(at)]),
            cells(x, at),
        ),
    )
    return tuple(
        Claim(f"{name}: {part}", ForAll(statement, *over), given=given)
        for part, statement, over in everywhere
        if part in parts
    )


def same_layer(name: str, own: Op, other: Op, sizes: Mapping[Any, Any]) -> tuple[Claim, ...]:
    """`own` is `other` at these sizes, both of a weight, a bias and an input, in this order."""
    pairs = tuple(zip(other.operands, own.operands, strict=True))
    inputs = {u: reading(x) for u, x in pairs}
    tangents = {tangent(u): reading(tangent(x)) for u, x in pairs}
    cotangents = {cotangent(other.output): reading(cotangent(own.output))}
    y, o = own.output, own.forward.args[0].index
    same = {
        "forward": (y[o], call(other, sizes, inputs), o),
        "JVP": (tangent(y)[o], call(other, sizes, inputs | tangents, "y_dot"), o),
    }
    for rule in own.vjp:
        bar, at = rule.args[0].array, rule.args[0].index
        same[f"VJP {bar}"] = (bar[at], call(other, sizes, inputs | cotangents, bar.name), at)
    return tuple(
        Claim(f"{name}: {part}", ForAll(Eq(left, right[at]), *cells(left.array, at)))
        for part, (left, right, at) in same.items()
    )


def bilinear(name: str, op: Op) -> Claim:
    """The JVP is the op at (W, 0, dx) plus the op at (dW, db, x)."""
    W, b, x = op.operands
    by_input = call(op, {}, {b: lambda *_: 0, x: reading(tangent(x))})
    by_weight = call(op, {}, {W: reading(tangent(W)), b: reading(tangent(b))})
    y_dot, o = tangent(op.output), op.forward.args[0].index
    return Claim(name, ForAll(Eq(y_dot[o], by_input[o] + by_weight[o]), *cells(op.output, o)))


def linear_map(op: Op) -> Claim:
    """The JVP is the op itself, of the tangent."""
    (x,), y = op.inputs, op.output
    o = op.forward.args[0].index
    of_tangent = call(op, {}, {x: reading(tangent(x))})
    same = ForAll(Eq(tangent(y)[o], of_tangent[o]), *cells(y, o))
    return Claim("the JVP is the forward map", same)


def affine(name: str, op: Op, at: Index) -> Claim:
    """The output is the bias plus the derivative by x, applied to x; `at` names a cell of x."""
    _, b, x = op.operands
    y, o = op.output, op.forward.args[0].index
    applied = Sum(derivative(y[o], x[at]) * x[at], *cells(x, at))
    return Claim(name, ForAll(Eq(y[o], b[o[0]] + applied), *cells(y, o)))


def reading(array: Array) -> Callable[..., Any]:
    return lambda *at: array[at]
