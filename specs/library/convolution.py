"""Convolution with what the suite's ops leave out: dilation, groups, unequal padding, and such."""

from typing import Any

from gradproof.language import (
    Eq,
    Op,
    Sum,
    Windows,
    array,
    axes,
    bracket,
    cotangent,
    floor_div,
    integers,
    tangent,
    zero_padded,
)

inC, outC, ci, co = integers("inC outC ci co")
n, k, s, p, q, d, i, j, o = axes("n k s p q d i j o")
in_channels, out_channels = (ci, 0, inC - 1), (co, 0, outC - 1)
window = (j, 0, k - 1)
sized = (n >= 1, k >= 1, s >= 1, inC >= 1, outC >= 1)
b = array("b", outC)
b_dot, b_bar = tangent(b), cotangent(b)


def convolution(name: Any, padding: Any, after: Any, dilation: Any, clauses: Any, doc: Any) -> Any:
    """Taps `dilation` apart over `padding` zeros before the input and `after` zeros behind it."""
    extent = dilation * (k - 1) + 1
    whole = n + padding + after
    m = floor_div(whole - extent, s) + 1
    x, y, W = array("x", inC, n), array("y", outC, m), array("W", outC, inC, k)
    x_dot, y_dot, W_dot = tangent(x), tangent(y), tangent(W)
    x_bar, y_bar, W_bar = cotangent(x), cotangent(y), cotangent(W)
    tap = s * o + dilation * j - padding
    outputs = (o, 0, m - 1)
    by_x = W[co, ci, j] * zero_padded(x_dot)[ci, tap]
    by_weight = W_dot[co, ci, j] * zero_padded(x)[ci, tap]
    return Op(
        name,
        requires=(*sized, *clauses, whole >= extent),
        windows=Windows(count=m, size=whole, extent=extent, stride=s),
        forward=Eq(
            y[co, o], b[co] + Sum(W[co, ci, j] * zero_padded(x)[ci, tap], in_channels, window)
        ),
        jvp=Eq(y_dot[co, o], b_dot[co] + Sum(by_x + by_weight, in_channels, window)),
        vjp=(
            Eq(
                x_bar[ci, i],
                Sum(
                    bracket(Eq(tap, i)) * W[co, ci, j] * y_bar[co, o],
                    *(out_channels, outputs, window),
                ),
            ),
            Eq(W_bar[co, ci, j], Sum(y_bar[co, o] * zero_padded(x)[ci, tap], outputs)),
            Eq(b_bar[co], Sum(y_bar[co, o], outputs)),
        ),
        doc=doc,
    )


conv_dilated = convolution(
    "conv_dilated",
    *(p, p, d),
    (p >= 0, d >= 1),
    "Taps d cells apart. PyTorch: `nn.functional.conv2d(dilation=d)`.",
)

conv_asymmetric = convolution(
    "conv_asymmetric",
    *(p, q, 1),
    (p >= 0, q >= 0),
    "p zeros before the input, q behind it, as with SAME. "
    "JAX: `lax.conv_general_dilated(padding=[(p, q)])`.",
)

conv_causal = convolution(
    "conv_causal",
    *(d * (k - 1), 0, d),
    (d >= 1,),
    "No output reads what comes after it. "
    "PyTorch: `nn.functional.conv1d` of `nn.functional.pad(x, (d * (k - 1), 0))`.",
)

# Groups: channel g·D + e is the e-th of group g.

G, D, E, g, e, f = integers("G D E g e f")  # groups, channels in and out of each
m = floor_div(n + 2 * p - k, s) + 1
x, y = array("x", G, D, n), array("y", G, E, m)
W, bias = array("W", G, E, D, k), array("b", G, E)
x_dot, y_dot, W_dot, bias_dot = tangent(x), tangent(y), tangent(W), tangent(bias)
x_bar, y_bar, W_bar, bias_bar = cotangent(x), cotangent(y), cotangent(W), cotangent(bias)
members, made, outputs = (e, 0, D - 1), (f, 0, E - 1), (o, 0, m - 1)
tap = s * o + j - p

conv_grouped = Op(
    "conv_grouped",
    requires=(n >= 1, k >= 1, s >= 1, p >= 0, n + 2 * p >= k, G >= 1, D >= 1, E >= 1),
    windows=Windows(count=m, size=n + 2 * p, extent=k, stride=s),
    forward=Eq(
        y[g, f, o], bias[g, f] + Sum(W[g, f, e, j] * zero_padded(x)[g, e, tap], members, window)
    ),
    jvp=Eq(
        y_dot[g, f, o],
        bias_dot[g, f]
        + Sum(
            W[g, f, e, j] * zero_padded(x_dot)[g, e, tap]
            + W_dot[g, f, e, j] * zero_padded(x)[g, e, tap],
            *(members, window),
        ),
    ),
    vjp=(
        Eq(
            x_bar[g, e, i],
            Sum(bracket(Eq(tap, i)) * W[g, f, e, j] * y_bar[g, f, o], *(made, outputs, window)),
        ),
        Eq(W_bar[g, f, e, j], Sum(y_bar[g, f, o] * zero_padded(x)[g, e, tap], outputs)),
        Eq(bias_bar[g, f], Sum(y_bar[g, f, o], outputs)),
    ),
    doc="G groups, each convolved alone. PyTorch: `nn.functional.conv2d(groups=G)`.",
)

C, c = integers("C c")
own, kernel, deep = array("x", C, n), array("W", C, k), array("y", C, m)

conv_depthwise = Op(
    "conv_depthwise",
    requires=(n >= 1, k >= 1, s >= 1, p >= 0, n + 2 * p >= k, C >= 1),
    windows=Windows(count=m, size=n + 2 * p, extent=k, stride=s),
    forward=Eq(deep[c, o], Sum(kernel[c, j] * zero_padded(own)[c, tap], window)),
    jvp=Eq(
        tangent(deep)[c, o],
        Sum(
            kernel[c, j] * zero_padded(tangent(own))[c, tap]
            + tangent(kernel)[c, j] * zero_padded(own)[c, tap],
            window,
        ),
    ),
    vjp=(
        Eq(
            cotangent(own)[c, i],
            Sum(bracket(Eq(tap, i)) * kernel[c, j] * cotangent(deep)[c, o], outputs, window),
        ),
        Eq(
            cotangent(kernel)[c, j],
            Sum(cotangent(deep)[c, o] * zero_padded(own)[c, tap], outputs),
        ),
    ),
    doc="A kernel of its own for each channel. PyTorch: `nn.functional.conv2d(groups=C)`.",
)

# Transposed, with cells added at the end and taps apart.

size = (n - 1) * s - 2 * p + d * (k - 1) + q + 1
small, large, V = array("x", inC, n), array("y", outC, size), array("W", inC, outC, k)
lands = i * s + d * j - p
hits, cells, places = bracket(Eq(lands, o)), (i, 0, n - 1), (o, 0, size - 1)

conv_transpose_general = Op(
    "conv_transpose_general",
    requires=(*sized, p >= 0, q >= 0, d >= 1, size >= 1),
    forward=Eq(
        large[co, o],
        b[co] + Sum(hits * V[ci, co, j] * small[ci, i], in_channels, cells, window),
    ),
    jvp=Eq(
        tangent(large)[co, o],
        b_dot[co]
        + Sum(
            hits * (V[ci, co, j] * tangent(small)[ci, i] + tangent(V)[ci, co, j] * small[ci, i]),
            *(in_channels, cells, window),
        ),
    ),
    vjp=(
        Eq(
            cotangent(small)[ci, i],
            Sum(V[ci, co, j] * zero_padded(cotangent(large))[co, lands], out_channels, window),
        ),
        Eq(
            cotangent(V)[ci, co, j],
            Sum(small[ci, i] * zero_padded(cotangent(large))[co, lands], cells),
        ),
        Eq(b_bar[co], Sum(cotangent(large)[co, o], places)),
    ),
    doc="Transposed, with output padding q and taps d apart. "
    "PyTorch: `nn.functional.conv_transpose2d(output_padding=q, dilation=d)`.",
)
