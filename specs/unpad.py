"""Unpadding: the inside of an array, `p` cells from either end.

The inverse of padding in TorchLean's padded average pooling. In PyTorch a slice, `x[..., p:-p]`, or
`pad` by `-p`.
"""

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    Op,
    Sum,
    array,
    axes,
    call,
    cotangent,
    integers,
    tangent,
    zero_padded,
)
from gradproof.specs.relations import linear_map, per_channel, same_op

C, c = integers("C c")
n, p, i, t = axes("n p i t")  # size inside, padding, position inside, position outside
x, y = array("x", C, n + 2 * p), array("y", C, n)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
channels, inside_over, outside_over = (c, 0, C - 1), (i, 0, n - 1), (t, 0, n + 2 * p - 1)

definition = Op(
    "unpad",
    requires=(n >= 1, p >= 0),
    forward=Eq(y[c, i], x[c, i + p]),
    jvp=Eq(y_dot[c, i], x_dot[c, i + p]),
    vjp=Eq(x_bar[c, t], zero_padded(y_bar)[c, t - p]),
    doc=__doc__,
)

u, v = array("u", n + 2 * p), array("v", n)
one_channel = Op(
    "unpad_channel",
    requires=(n >= 1, p >= 0),
    forward=Eq(v[i], u[i + p]),
    jvp=Eq(tangent(v)[i], tangent(u)[i + p]),
    vjp=Eq(cotangent(u)[t], zero_padded(cotangent(v))[t - p]),
)

of_padded = call(definition, {}, {x: lambda c, t: zero_padded(y_bar)[c, t - p]})

unpad = definition.claiming(
    Claim(
        "unpad after zero-pad is the identity",
        ForAll(Eq(of_padded[c, i], y_bar[c, i]), channels, inside_over),
    ),
    Claim(
        "unpad and zero-pad are adjoint",
        Eq(
            Sum(y[c, i] * y_bar[c, i], channels, inside_over),
            Sum(x[c, t] * zero_padded(y_bar)[c, t - p], channels, outside_over),
        ),
    ),
    linear_map(definition),
    *same_op("each channel alone", definition, one_channel, {}, (c, t), **per_channel(c)),
)
