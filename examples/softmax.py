"""Softmax of each row, with rules that use the result."""

from verify.language import *

R, N, r, i, j = integers("R N r i j")
x, y = array("x", R, N), array("y", R, N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
row = (j, 0, N - 1)


def rule(v):
    return y[r, i] * (v[r, i] - Sum(y[r, j] * v[r, j], row))


softmax = Op(
    "softmax",
    requires=(R >= 1, N >= 1),
    forward=Eq(y[r, i], exp(x[r, i]) / Sum(exp(x[r, j]), row)),
    jvp=Eq(y_dot[r, i], rule(x_dot)),
    vjp=Eq(x_bar[r, i], rule(y_bar)),
)
