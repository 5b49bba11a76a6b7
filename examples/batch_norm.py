"""Batch norm in training, over the batch and any number of spatial axes."""

from gradproof.language import *

B, C, b, c = integers("B C b c")
n, i = axes("n i")
q, u = integers("q u")
j, w = axes("j w")
eps = reals("eps")
x, gain, bias = array("x", B, C, n), array("gain", C), array("bias", C)
y = array("y", B, C, n)
x_dot, gain_dot, bias_dot, y_dot = map(tangent, (x, gain, bias, y))
x_bar, gain_bar, bias_bar, y_bar = map(cotangent, (x, gain, bias, y))
count = B * product(n)


def mean(term):
    return Sum(term(q, j), (q, 0, B - 1), (j, 0, n - 1)) / count


middle = mean(lambda q, j: x[q, c, j])
squares = Sum((x[u, c, w] - middle) ** 2, (u, 0, B - 1), (w, 0, n - 1))
deviation = sqrt(squares / count + eps)


def normed(b, i):
    return (x[b, c, i] - middle) / deviation


def rule(v):
    along = normed(b, i) * mean(lambda q, j: v[q, c, j] * normed(q, j))
    return (v[b, c, i] - mean(lambda q, j: v[q, c, j]) - along) / deviation


batch_norm = Op(
    "batch_norm",
    requires=(B >= 1, C >= 1, n >= 1, eps > 0),
    forward=Eq(y[b, c, i], gain[c] * normed(b, i) + bias[c]),
    jvp=Eq(y_dot[b, c, i], gain[c] * rule(x_dot) + gain_dot[c] * normed(b, i) + bias_dot[c]),
    vjp=(
        Eq(x_bar[b, c, i], gain[c] * rule(y_bar)),
        Eq(gain_bar[c], Sum(y_bar[q, c, j] * normed(q, j), (q, 0, B - 1), (j, 0, n - 1))),
        Eq(bias_bar[c], Sum(y_bar[q, c, j], (q, 0, B - 1), (j, 0, n - 1))),
    ),
)
