"""Layer norm of each row, with gain and bias."""

from gradproof.language import *

R, N, r, i, j, w = integers("R N r i j w")
eps = reals("eps")
x, gain, bias = array("x", R, N), array("gain", N), array("bias", N)
y = array("y", R, N)
x_dot, gain_dot, bias_dot, y_dot = map(tangent, (x, gain, bias, y))
x_bar, gain_bar, bias_bar, y_bar = map(cotangent, (x, gain, bias, y))


def mean(term):
    return Sum(term(j), (j, 0, N - 1)) / N


middle = mean(lambda j: x[r, j])
deviation = sqrt(Sum((x[r, w] - middle) ** 2, (w, 0, N - 1)) / N + eps)


def normed(i):
    return (x[r, i] - middle) / deviation


def rule(v):
    along = normed(i) * mean(lambda j: v(j) * normed(j))
    return (v(i) - mean(v) - along) / deviation


layer_norm = Op(
    "layer_norm",
    requires=(R >= 1, N >= 1, eps > 0),
    forward=Eq(y[r, i], gain[i] * normed(i) + bias[i]),
    jvp=Eq(
        y_dot[r, i],
        gain[i] * rule(lambda i: x_dot[r, i]) + gain_dot[i] * normed(i) + bias_dot[i],
    ),
    vjp=(
        Eq(x_bar[r, i], rule(lambda i: gain[i] * y_bar[r, i])),
        Eq(gain_bar[i], Sum(y_bar[r, i] * normed(i), (r, 0, R - 1))),
        Eq(bias_bar[i], Sum(y_bar[r, i], (r, 0, R - 1))),
    ),
)
