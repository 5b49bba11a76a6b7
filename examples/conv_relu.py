"""Convolution, bias and ReLU in one kernel; its gradients are masked by the output that is kept."""

from gradproof.language import *

C, D, c, d = integers("C D c d")  # channels in and out
n, k, s, p, at, tap, cell = axes("n k s p at tap cell")
m = floor_div(n + 2 * p - k, s) + 1
x, y = array("x", C, n), array("y", D, m)
weight, bias = array("weight", D, C, k), array("bias", D)
x_dot, weight_dot, bias_dot, y_dot = map(tangent, (x, weight, bias, y))
x_bar, weight_bar, bias_bar, y_bar = map(cotangent, (x, weight, bias, y))
outputs = (at, 0, m - 1)


def conv(weight, x):
    read = zero_padded(x)[c, s * at + tap - p]
    return Sum(weight[d, c, tap] * read, (c, 0, C - 1), (tap, 0, k - 1))


passed = bracket(y[d, at] > 0) * y_bar[d, at]
lands = bracket(Eq(s * at + tap - p, cell))

conv_relu = Op(
    "conv_relu",
    requires=(n >= 1, k >= 1, s >= 1, p >= 0, k <= n + 2 * p),
    windows=Windows(m, n + 2 * p, k, s),
    forward=Eq(y[d, at], Max(0, bias[d] + conv(weight, x))),
    jvp=Eq(
        y_dot[d, at],
        If(y[d, at] > 0, bias_dot[d] + conv(weight_dot, x) + conv(weight, x_dot), 0),
    ),
    vjp=(
        Eq(
            x_bar[c, cell],
            Sum(lands * weight[d, c, tap] * passed, (d, 0, D - 1), outputs, (tap, 0, k - 1)),
        ),
        Eq(weight_bar[d, c, tap], Sum(zero_padded(x)[c, s * at + tap - p] * passed, outputs)),
        Eq(bias_bar[d], Sum(passed, outputs)),
    ),
    scope="ranks 1 to 3",
)
