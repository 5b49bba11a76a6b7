"""Convolution of images with bias: `kH` by `kW` taps, one stride and one padding.

TorchLean's `conv2d`, with one stride and one padding for both axes. In PyTorch `conv2d`.
"""

from gradproof.language import (
    Eq,
    Op,
    Sum,
    array,
    cotangent,
    integers,
    tangent,
    zero_padded,
)
from gradproof.specs.conv import conv
from gradproof.specs.plane import Plane, at_rank_2, inputs, kH, kW, p, places, s
from gradproof.specs.relations import bilinear, same_layer

inC, outC, ci, co, inH, inW = integers("inC outC ci co inH inW")
plane = Plane(p, inH, inW)
iH, iW = inputs
jH, jW = places
oH, oW = plane.outputs
x, y = array("x", inC, inH, inW), array("y", outC, *plane.size)
W, b = array("W", outC, inC, kH, kW), array("b", outC)
x_dot, W_dot, b_dot, y_dot = tangent(x), tangent(W), tangent(b), tangent(y)
x_bar, W_bar, b_bar, y_bar = cotangent(x), cotangent(W), cotangent(b), cotangent(y)
in_channels, out_channels = (ci, 0, inC - 1), (co, 0, outC - 1)
here = (ci, s * oH + jH - p, s * oW + jW - p)
tap = (co, ci, jH, jW)
taps = (in_channels, *plane.window)

definition = Op(
    "conv2d",
    requires=(*plane.requires, inC >= 1),
    windows=plane.windows,
    forward=Eq(y[co, oH, oW], b[co] + Sum(W[tap] * zero_padded(x)[here], *taps)),
    jvp=Eq(
        y_dot[co, oH, oW],
        b_dot[co]
        + Sum(W[tap] * zero_padded(x_dot)[here] + W_dot[tap] * zero_padded(x)[here], *taps),
    ),
    vjp=(
        Eq(
            x_bar[ci, iH, iW],
            Sum(
                W[co, ci, iH + p - s * oH, iW + p - s * oW] * y_bar[co, oH, oW],
                *(out_channels, *plane.covering),
            ),
        ),
        Eq(W_bar[tap], Sum(y_bar[co, oH, oW] * zero_padded(x)[here], *plane.outputs_over)),
        Eq(b_bar[co], Sum(y_bar[co, oH, oW], *plane.outputs_over)),
    ),
    doc=__doc__,
)

conv2d = definition.claiming(
    *plane.claims,
    bilinear("the derivative is bilinear: conv(W, 0, dx) + conv(dW, db, x)", definition),
    *same_layer("N-D at rank 2", definition, conv.at_rank(2), at_rank_2(p, inH, inW)),
)
