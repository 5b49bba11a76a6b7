"""Transposed convolution with bias: each input cell adds the kernel to the output, `s` apart.

TorchLean's `convTranspose`. In PyTorch `conv_transpose1d` to `conv_transpose3d` with
`output_padding=0`.
"""

from gradproof.language import (
    Claim,
    Divides,
    Eq,
    Op,
    Sum,
    array,
    bracket,
    call,
    cotangent,
    integers,
    nat_sub,
    tangent,
    zero_padded,
)
from gradproof.specs.conv import conv
from gradproof.specs.relations import affine, bilinear
from gradproof.specs.spatial import axis, i, j, k, n, o, p, s, window

inC, outC, ci, co = integers("inC outC ci co")
m = (n - 1) * s - 2 * p + k
x, y = array("x", inC, n), array("y", outC, m)
W, b = array("W", inC, outC, k), array("b", outC)
x_dot, W_dot, b_dot, y_dot = tangent(x), tangent(W), tangent(b), tangent(y)
x_bar, W_bar, b_bar, y_bar = cotangent(x), cotangent(W), cotangent(b), cotangent(y)
in_channels, out_channels = (ci, 0, inC - 1), (co, 0, outC - 1)
inputs_over, outputs_over = (i, 0, n - 1), (o, 0, m - 1)
lands = bracket(Eq(i * s + j - p, o))  # tap j of input cell i lands on output cell o
pairs = (in_channels, inputs_over, window)

definition = Op(
    "conv_transpose",
    requires=(n >= 1, k >= 1, s >= 1, p >= 0, inC >= 1, m >= 1),
    forward=Eq(y[co, o], b[co] + Sum(lands * W[ci, co, j] * x[ci, i], *pairs)),
    jvp=Eq(
        y_dot[co, o],
        b_dot[co]
        + Sum(lands * (W[ci, co, j] * x_dot[ci, i] + W_dot[ci, co, j] * x[ci, i]), *pairs),
    ),
    vjp=(
        Eq(
            x_bar[ci, i],
            Sum(W[ci, co, j] * zero_padded(y_bar)[co, i * s + j - p], out_channels, window),
        ),
        Eq(
            W_bar[ci, co, j],
            Sum(x[ci, i] * zero_padded(y_bar)[co, i * s + j - p], inputs_over),
        ),
        Eq(b_bar[co], Sum(y_bar[co, o], outputs_over)),
    ),
    doc=__doc__,
)

everywhere = (out_channels, outputs_over)

cW, cb, cx = conv.operands
swapped = dict(zip((*cx.dims, cb.dims[0]), (outC, m, inC), strict=True))
convolved = call(conv, swapped, {cW: lambda *at: W[at], cb: lambda _: 0, cx: lambda *at: y_bar[at]})
without_bias = call(definition, {}, {b: lambda _: 0})
naturals = nat_sub((n - 1) * s, 2 * p) + k
enough = (n - 1) * s >= 2 * p
there_and_back = (axis.outputs(n) - 1) * s - 2 * p + k
whole = Divides(s, n + 2 * p - k)

conv_transpose = definition.claiming(
    Claim("conv of the size gives back n", Eq(axis.outputs(m), n)),
    Claim(
        "s | n + 2p - k: transposing undoes the size of conv",
        Eq(there_and_back, n),
        given=(axis.fits, whole),
    ),
    Claim(
        "transposing undoes the size of conv: s | n + 2p - k",
        whole,
        given=(axis.fits, Eq(there_and_back, n)),
    ),
    Claim(
        "transposing undoes the size of conv",
        Eq(there_and_back, n),
        given=(axis.fits,),
        refuted={n: 2, k: 1, s: 2, p: 0, inC: 1},
        why="The name promises it; a stride rounds sizes down, and several sizes become one.",
        twin="s | n + 2p - k: transposing undoes the size of conv",
    ),
    Claim(
        "(n - 1)s ≥ 2p: natural-number size is the integer size", Eq(naturals, m), given=(enough,)
    ),
    Claim(
        "natural-number size is the integer size",
        Eq(naturals, m),
        refuted={n: 1, k: 3, s: 1, p: 1, inC: 1},
        why=(
            "Code in unsigned or natural numbers writes this formula; where 2p exceeds (n - 1)s "
            "it stops at 0."
        ),
        twin="(n - 1)s ≥ 2p: natural-number size is the integer size",
    ),
    Claim(
        "(n - 1)s < 2p: natural-number size is larger", naturals > m, given=((n - 1) * s < 2 * p,)
    ),
    Claim(
        "adjoint of conv: ⟨conv u, x⟩ = ⟨u, convT x⟩",
        Eq(
            Sum(convolved[ci, i] * x[ci, i], in_channels, inputs_over),
            Sum(y_bar[co, o] * without_bias[co, o], *everywhere),
        ),
    ),
    bilinear("the derivative is bilinear: convT(W, 0, dx) + convT(dW, db, x)", definition),
    affine("affine in x: the bias, and the derivative applied to x", definition, (ci, i)),
)
