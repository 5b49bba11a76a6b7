"""Moments of rows, several at once, and parts of a row."""

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    If,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    integers,
    maximum,
    reals,
    sqrt,
    tangent,
    winner,
)

R, N, r, i, j = integers("R N r i j")
eps, ddof = reals("eps"), integers("ddof")
x, mean, var, deviation = array("x", R, N), array("mean", R), array("var", R), array("std", R)
x_dot, x_bar, mean_bar, var_bar = tangent(x), cotangent(x), cotangent(mean), cotangent(var)
row, rows = (j, 0, N - 1), (r, 0, R - 1)

moments = Op(
    "moments",
    requires=(R >= 1, N >= 1),
    forward=(
        Eq(mean[r], Sum(x[r, j], row) / N),
        Eq(var[r], Sum((x[r, j] - mean[r]) ** 2, row) / N),
    ),
    jvp=(
        Eq(tangent(mean)[r], Sum(x_dot[r, j], row) / N),
        Eq(tangent(var)[r], 2 * Sum((x[r, j] - mean[r]) * x_dot[r, j], row) / N),
    ),
    vjp=Eq(x_bar[r, i], mean_bar[r] / N + 2 * (x[r, i] - mean[r]) * var_bar[r] / N),
    doc="Mean and variance of each row. JAX: `(x.mean(-1), x.var(-1))`.",
)

var_unbiased = Op(
    "var_unbiased",
    requires=(R >= 1, ddof >= 0, ddof < N),
    let=(Eq(mean[r], Sum(x[r, j], row) / N),),
    forward=Eq(var[r], Sum((x[r, j] - mean[r]) ** 2, row) / (N - ddof)),
    jvp=Eq(tangent(var)[r], 2 * Sum((x[r, j] - mean[r]) * x_dot[r, j], row) / (N - ddof)),
    vjp=Eq(x_bar[r, i], 2 * (x[r, i] - mean[r]) * var_bar[r] / (N - ddof)),
    claims=(Claim("what is left of a row is 0", ForAll(Eq(Sum(x[r, j] - mean[r], row), 0), rows)),),
    doc="The variance of each row, by N - ddof. PyTorch: `torch.var(x, -1, correction=ddof)`.",
)

std = Op(
    "std",
    requires=(R >= 1, N >= 1, eps > 0),
    let=(
        Eq(mean[r], Sum(x[r, j], row) / N),
        Eq(deviation[r], sqrt(Sum((x[r, j] - mean[r]) ** 2, row) / N + eps)),
    ),
    forward=Eq(var[r], deviation[r]),
    jvp=Eq(tangent(var)[r], Sum((x[r, j] - mean[r]) * x_dot[r, j], row) / (N * deviation[r])),
    vjp=Eq(x_bar[r, i], (x[r, i] - mean[r]) * var_bar[r] / (N * deviation[r])),
    doc="The standard deviation of each row, ε below the root. JAX: `sqrt(x.var(-1) + eps)`.",
)

# A row in two.

A, B, a, b = integers("A B a b")
whole, first, second = array("x", R, A + B), array("first", R, A), array("second", R, B)

split = Op(
    "split",
    requires=(R >= 1, A >= 1, B >= 1),
    forward=(Eq(first[r, a], whole[r, a]), Eq(second[r, b], whole[r, A + b])),
    jvp=(
        Eq(tangent(first)[r, a], tangent(whole)[r, a]),
        Eq(tangent(second)[r, b], tangent(whole)[r, A + b]),
    ),
    vjp=Eq(
        cotangent(whole)[r, i],
        If(i < A, cotangent(first)[r, i], cotangent(second)[r, i - A]),
    ),
    doc="The two parts of each row. PyTorch: `torch.split(x, (A, B), -1)`.",
)

# The largest of a row: its VJP goes to the first that is as large.

largest = array("y", R)
wins = winner(i, x[r, i], (i, 0, N - 1))

amax = Op(
    "amax",
    requires=(R >= 1, N >= 1),
    forward=Eq(largest[r], maximum(x[r, i], (i, 0, N - 1))),
    jvp=Eq(tangent(largest)[r], Sum(bracket(wins) * x_dot[r, i], (i, 0, N - 1))),
    vjp=Eq(x_bar[r, i], bracket(wins) * cotangent(largest)[r]),
    doc="The largest cell of each row, the first of them. PyTorch: `torch.max(x, -1).values`.",
)

most = maximum(x[r, j], row)
ties = Sum(bracket(Eq(x[r, j], most)), row)

amax_shared = Op(
    "amax_shared",
    requires=(R >= 1, N >= 1),
    forward=Eq(largest[r], maximum(x[r, i], (i, 0, N - 1))),
    vjp=Eq(x_bar[r, i], bracket(Eq(x[r, i], most)) * cotangent(largest)[r] / ties),
    doc="The largest cell of each row; those that are as large share its cotangent. "
    "PyTorch: `torch.amax`.",
)
