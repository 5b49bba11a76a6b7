"""Transposed convolution of images with bias: one stride and one padding for both axes.

TorchLean's `convTranspose2d`, with one stride and one padding for both axes. In PyTorch
`conv_transpose2d` with `output_padding=0`.
"""

from gradproof.language import (
    And,
    Claim,
    Eq,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    integers,
    nat_sub,
    tangent,
    zero_padded,
)
from gradproof.specs.conv_transpose import conv_transpose
from gradproof.specs.plane import at_rank_2, inputs, kH, kW, p, places, s
from gradproof.specs.relations import bilinear, same_layer

inC, outC, ci, co, inH, inW, oH, oW = integers("inC outC ci co inH inW oH oW")
iH, iW = inputs
jH, jW = places
mH, mW = (inH - 1) * s - 2 * p + kH, (inW - 1) * s - 2 * p + kW
x, y = array("x", inC, inH, inW), array("y", outC, mH, mW)
W, b = array("W", inC, outC, kH, kW), array("b", outC)
x_dot, W_dot, b_dot, y_dot = tangent(x), tangent(W), tangent(b), tangent(y)
x_bar, W_bar, b_bar, y_bar = cotangent(x), cotangent(W), cotangent(b), cotangent(y)
in_channels, out_channels = (ci, 0, inC - 1), (co, 0, outC - 1)
inputs_over = ((iH, 0, inH - 1), (iW, 0, inW - 1))
outputs_over = ((oH, 0, mH - 1), (oW, 0, mW - 1))
window = ((jH, 0, kH - 1), (jW, 0, kW - 1))

landing = (iH * s + jH - p, iW * s + jW - p)  # where a tap of an input cell lands
lands = bracket(Eq(landing[0], oH) & Eq(landing[1], oW))
tap, cell = (ci, co, jH, jW), (ci, iH, iW)
pairs = (in_channels, *inputs_over, *window)

definition = Op(
    "conv_transpose2d",
    requires=(
        *(inH >= 1, inW >= 1, kH >= 1, kW >= 1, s >= 1, p >= 0),
        *(inC >= 1, mH >= 1, mW >= 1),
    ),
    forward=Eq(y[co, oH, oW], b[co] + Sum(lands * W[tap] * x[cell], *pairs)),
    jvp=Eq(
        y_dot[co, oH, oW],
        b_dot[co] + Sum(lands * (W[tap] * x_dot[cell] + W_dot[tap] * x[cell]), *pairs),
    ),
    vjp=(
        Eq(x_bar[cell], Sum(W[tap] * zero_padded(y_bar)[(co, *landing)], out_channels, *window)),
        Eq(W_bar[tap], Sum(x[cell] * zero_padded(y_bar)[(co, *landing)], *inputs_over)),
        Eq(b_bar[co], Sum(y_bar[co, oH, oW], *outputs_over)),
    ),
    doc=__doc__,
)

naturals = (nat_sub((inH - 1) * s, 2 * p) + kH, nat_sub((inW - 1) * s, 2 * p) + kW)
same_size = And(Eq(naturals[0], mH), Eq(naturals[1], mW))

conv_transpose2d = definition.claiming(
    Claim(
        "(n - 1)s ≥ 2p: natural-number size is the integer size",
        same_size,
        given=(And((inH - 1) * s >= 2 * p, (inW - 1) * s >= 2 * p),),
    ),
    Claim(
        "natural-number size is the integer size",
        same_size,
        refuted={inH: 1, inW: 1, kH: 3, kW: 3, s: 1, p: 1, inC: 1},
        why=(
            "Code in unsigned or natural numbers writes this formula; where 2p exceeds (n - 1)s "
            "it stops at 0."
        ),
        twin="(n - 1)s ≥ 2p: natural-number size is the integer size",
    ),
    bilinear("the derivative is bilinear: convT(W, 0, dx) + convT(dW, db, x)", definition),
    *same_layer("N-D at rank 2", definition, conv_transpose.at_rank(2), at_rank_2(p, inH, inW)),
)
