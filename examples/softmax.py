"""Softmax of each row, with rules that use the result."""

from gradproof.language import *

R, N, r, i, j, k = integers("R N r i j k")
x, y = array("x", R, N), array("y", R, N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
row = (j, 0, N - 1)


def rule(v):
    return y[r, i] * (v[r, i] - Sum(y[r, j] * v[r, j], row))


lowered = [exp(x[r, at] - maximum(x[r, k], (k, 0, N - 1))) for at in (i, j)]
kept = ForAll(Eq(y[r, i], lowered[0] / Sum(lowered[1], row)), (r, 0, R - 1), (i, 0, N - 1))

softmax = Op(
    "softmax",
    requires=(R >= 1, N >= 1),
    forward=Eq(y[r, i], exp(x[r, i]) / Sum(exp(x[r, j]), row)),
    jvp=Eq(y_dot[r, i], rule(x_dot)),
    vjp=Eq(x_bar[r, i], rule(y_bar)),
    claims=(Claim("subtracting the maximum changes nothing", kept),),
)
