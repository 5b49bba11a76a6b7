"""Convolution (cross-correlation, as in neural networks) with bias and zero padding.

TorchLean's `conv`. In PyTorch `conv1d` to `conv3d` without dilation and groups: the kernel is not
mirrored.
"""

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    Op,
    Sum,
    array,
    bracket,
    call,
    cotangent,
    integers,
    product,
    tangent,
    zero_padded,
)
from gradproof.specs import spatial
from gradproof.specs.avg_pool import C as avg_channels
from gradproof.specs.avg_pool import avg_pool
from gradproof.specs.relations import affine, bilinear
from gradproof.specs.spatial import cell, covering, i, j, k, m, n, o, outputs_over, p, s, window

inC, outC, ci, co = integers("inC outC ci co")
x, y = array("x", inC, n), array("y", outC, m)
W, b = array("W", outC, inC, k), array("b", outC)
x_dot, W_dot, b_dot, y_dot = tangent(x), tangent(W), tangent(b), tangent(y)
x_bar, W_bar, b_bar, y_bar = cotangent(x), cotangent(W), cotangent(b), cotangent(y)
in_channels, out_channels = (ci, 0, inC - 1), (co, 0, outC - 1)
taps = (in_channels, window)

definition = Op(
    "conv",
    requires=(*spatial.requires, inC >= 1),
    windows=spatial.windows,
    forward=Eq(y[co, o], b[co] + Sum(W[co, ci, j] * zero_padded(x)[ci, cell], *taps)),
    jvp=Eq(
        y_dot[co, o],
        b_dot[co]
        + Sum(
            W[co, ci, j] * zero_padded(x_dot)[ci, cell]
            + W_dot[co, ci, j] * zero_padded(x)[ci, cell],
            *taps,
        ),
    ),
    vjp=(
        Eq(x_bar[ci, i], Sum(W[co, ci, i + p - s * o] * y_bar[co, o], out_channels, covering)),
        Eq(W_bar[co, ci, j], Sum(y_bar[co, o] * zero_padded(x)[ci, cell], outputs_over)),
        Eq(b_bar[co], Sum(y_bar[co, o], outputs_over)),
    ),
    doc=__doc__,
)

averaging = call(
    definition,
    {outC: inC},
    {W: lambda co, ci, _: bracket(Eq(co, ci)) / product(k), b: lambda _: 0},
)

conv = definition.claiming(
    *spatial.claims,
    bilinear("the derivative is bilinear: conv(W, 0, dx) + conv(dW, db, x)", definition),
    affine("affine in x: the bias, and the derivative applied to x", definition, (ci, i)),
    Claim(
        "average pooling is convolution with W[co, ci, j] = [co = ci]/∏k and bias 0",
        ForAll(
            Eq(call(avg_pool, {avg_channels: inC}, {})[ci, o], averaging[ci, o]),
            *(in_channels, outputs_over),
        ),
    ),
    Claim(
        spatial.NO_AXIS.format("the bias, and W applied to x"),
        ForAll(
            Eq(y[co, o], b[co] + Sum(W[co, ci, o] * x[ci, o], in_channels)),
            *(out_channels, outputs_over),
        ),
        given=spatial.no_axis,
    ),
    Claim(
        "n = 0: the bias alone",
        ForAll(Eq(y[co, o], b[co]), out_channels, outputs_over),
        **spatial.no_cell,
    ),
)
