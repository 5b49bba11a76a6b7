"""Pooling with what the suite's ops leave out: dilation, ceil mode, other divisors, the L2 norm."""

from typing import Any

from gradproof.language import (
    Claim,
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    Windows,
    array,
    axes,
    bracket,
    ceil_div,
    cotangent,
    floor_div,
    fold,
    inside,
    integers,
    maximum,
    product,
    reals,
    scatter,
    sqrt,
    tangent,
    winner,
    zero_padded,
)

C, c, divisor = integers("C c divisor")
n, k, s, p, d = axes("n k s p d")
i, j, o, w = axes("i j o w")
eps = reals("eps")
m = floor_div(n + 2 * p - k, s) + 1
x, y = array("x", C, n), array("y", C, m)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
window = (j, 0, k - 1)
covering = (o, Max(0, ceil_div(i + p - k + 1, s)), Min(m - 1, floor_div(i + p, s)))
requires = (n >= 1, k >= 1, s >= 1, p >= 0, n + 2 * p >= k)
windows = Windows(count=m, size=n + 2 * p, extent=k, stride=s)


def averaging(name: Any, weight: Any, doc: Any, clauses: Any = ()) -> Any:
    """The sum over a window, divided by `weight`, which may depend on the window o."""
    return Op(
        name,
        requires=(*requires, *clauses),
        windows=windows,
        forward=Eq(y[c, o], Sum(zero_padded(x)[c, s * o + j - p], window) / weight),
        jvp=Eq(y_dot[c, o], Sum(zero_padded(x_dot)[c, s * o + j - p], window) / weight),
        vjp=Eq(x_bar[c, i], Sum(y_bar[c, o] / weight, covering)),
        doc=doc,
    )


sum_pool = averaging(
    "sum_pool",
    1,
    "The sum over each window. PyTorch: `nn.functional.avg_pool2d(divisor_override=1)`.",
)

avg_pool_excluding_padding = averaging(
    "avg_pool_excluding_padding",
    product(Min(s * o - p + k, n) - Max(s * o - p, 0)),
    "The mean over a window's real cells. "
    "PyTorch: `nn.functional.avg_pool2d(count_include_pad=False)`.",
    (p < k,),
)

avg_pool_with_divisor = averaging(
    "avg_pool_with_divisor",
    divisor,
    "The sum over each window, divided by a given number. "
    "PyTorch: `nn.functional.avg_pool2d(divisor_override=divisor)`.",
    (divisor >= 1,),
)

# Unequal padding: p cells before the input and q behind it, as with SAME.

q = axes("q")
uneven = floor_div(n + p + q - k, s) + 1
g = array("y", C, uneven)
over = (o, Max(0, ceil_div(i + p - k + 1, s)), Min(uneven - 1, floor_div(i + p, s)))

avg_pool_asymmetric = Op(
    "avg_pool_asymmetric",
    requires=(n >= 1, k >= 1, s >= 1, p >= 0, q >= 0, n + p + q >= k),
    windows=Windows(count=uneven, size=n + p + q, extent=k, stride=s),
    forward=Eq(g[c, o], Sum(zero_padded(x)[c, s * o + j - p], window) / product(k)),
    jvp=Eq(tangent(g)[c, o], Sum(zero_padded(x_dot)[c, s * o + j - p], window) / product(k)),
    vjp=Eq(x_bar[c, i], Sum(cotangent(g)[c, o], over) / product(k)),
    doc="The mean over windows of an input with unequal padding. "
    "PyTorch: `nn.functional.avg_pool2d(nn.functional.pad(x, (p, q)))`.",
)

reached = inside((s * o + j - p,), (n,))
wins = winner(i + p - s * o, x[c, s * o + j - p], window, where=reached)

max_pool_asymmetric = Op(
    "max_pool_asymmetric",
    requires=(n >= 1, k >= 1, s >= 1, p >= 0, q >= 0, p < k, q < k, n + p + q >= k),
    windows=Windows(count=uneven, size=n + p + q, extent=k, stride=s),
    forward=Eq(g[c, o], maximum(x[c, s * o + j - p], window, where=reached)),
    jvp=Eq(tangent(g)[c, o], Sum(bracket(wins) * x_dot[c, i], (i, 0, n - 1))),
    vjp=Eq(x_bar[c, i], Sum(bracket(wins) * cotangent(g)[c, o], (o, 0, uneven - 1))),
    doc="The largest of each window of an input with unequal padding. "
    "PyTorch: `nn.functional.max_pool2d(nn.functional.pad(x, (p, q), value=-inf))`.",
)

# L2 pooling: the root of a window's sum of squares.


def length(j: Any) -> Any:
    return sqrt(Sum(x[c, s * o + j] ** 2, (j, 0, k - 1)) + eps)


valid = floor_div(n - k, s) + 1
z = array("y", C, valid)
z_dot, z_bar = tangent(z), cotangent(z)
covering_valid = (o, Max(0, ceil_div(i - k + 1, s)), Min(valid - 1, floor_div(i, s)))

l2_pool = Op(
    "l2_pool",
    requires=(n >= 1, k >= 1, s >= 1, n >= k, eps > 0),
    windows=Windows(count=valid, size=n, extent=k, stride=s),
    forward=Eq(z[c, o], length(j)),
    jvp=Eq(z_dot[c, o], Sum(x[c, s * o + j] * x_dot[c, s * o + j], window) / length(w)),
    vjp=Eq(x_bar[c, i], Sum(x[c, i] * z_bar[c, o] / length(w), covering_valid)),
    doc="The root of each window's sum of squares, ε below it. "
    "PyTorch: `nn.functional.lp_pool2d(norm_type=2)`, without ε.",
)

# Dilated windows: taps d cells apart.

extent = d * (k - 1) + 1
spread = floor_div(n + 2 * p - extent, s) + 1
u = array("y", C, spread)
u_dot, u_bar = tangent(u), cotangent(u)
tap = s * o + d * j - p
is_real = inside((tap,), (n,))
best, has, at = reals("best"), integers("has"), axes("at")
take = is_real & (Eq(has, 0) | (x[c, tap] > best))
loop = {
    "has": (has, 0, If(is_real, 1, has)),
    "best": (best, 0, If(take, x[c, tap], best)),
    "at": (at, 0, If(take, j, at)),
}
found, place = fold(has, window, **loop), fold(at, window, **loop)

max_pool_dilated = Op(
    "max_pool_dilated",
    requires=(n >= 1, k >= 1, s >= 1, d >= 1, p >= 0, n + 2 * p >= extent),
    windows=Windows(count=spread, size=n + 2 * p, extent=extent, stride=s),
    forward=Eq(u[c, o], maximum(x[c, tap], window, where=is_real)),
    jvp=Eq(u_dot[c, o], fold(If(Eq(has, 1), x_dot[c, s * o + d * at - p], 0), window, **loop)),
    vjp=scatter(
        x_bar[c, s * o + d * place - p],
        u_bar[c, o],
        *((c, 0, C - 1), (o, 0, spread - 1)),
        where=Eq(found, 1),
    ),
    scope="ranks 1 to 3",
    doc="The largest of each window's real cells, d cells apart. "
    "PyTorch: `nn.functional.max_pool2d(dilation=d)`.",
)

# Ceil mode: as many windows as cover, but none that would start in the padding on the right.

N, K, S, P, a, e, b = integers("N K S P a e b")
starts = Min(ceil_div(N + 2 * P - K, S), floor_div(N + P - 1, S)) + 1
v, t = array("x", C, N), array("y", C, starts)
row = (e, 0, K - 1)
cells = Min(S * b - P + K, N + P) - (S * b - P)  # padding counts, what hangs over it does not
over_cell = (b, Max(0, ceil_div(a + P - K + 1, S)), Min(starts - 1, floor_div(a + P, S)))

avg_pool_ceil = Op(
    "avg_pool_ceil",
    requires=(N >= 1, K >= 1, S >= 1, P >= 0, N + 2 * P >= K, 2 * P <= K),
    forward=Eq(t[c, b], Sum(zero_padded(v)[c, S * b + e - P], row) / cells),
    jvp=Eq(tangent(t)[c, b], Sum(zero_padded(tangent(v))[c, S * b + e - P], row) / cells),
    vjp=Eq(cotangent(v)[c, a], Sum(cotangent(t)[c, b] / cells, over_cell)),
    claims=(
        Claim("the last window starts inside the input or left padding", (starts - 1) * S < N + P),
        Claim(
            "one more window would start outside or is not needed",
            (starts * S >= N + P) | ((starts - 1) * S + K >= N + 2 * P),
        ),
    ),
    doc="The mean over windows of which the last may hang over. "
    "PyTorch: `nn.functional.avg_pool1d(ceil_mode=True)`.",
)

reaches = inside((S * b + e - P,), (N,))

max_pool_ceil = Op(
    "max_pool_ceil",
    requires=(N >= 1, K >= 1, S >= 1, P >= 0, N + 2 * P >= K, 2 * P <= K),
    forward=Eq(t[c, b], maximum(v[c, S * b + e - P], row, where=reaches)),
    jvp=Eq(
        tangent(t)[c, b],
        Sum(
            bracket(winner(a + P - S * b, v[c, S * b + e - P], row, where=reaches))
            * tangent(v)[c, a],
            (a, 0, N - 1),
        ),
    ),
    vjp=Eq(
        cotangent(v)[c, a],
        Sum(
            bracket(winner(a + P - S * b, v[c, S * b + e - P], row, where=reaches))
            * cotangent(t)[c, b],
            (b, 0, starts - 1),
        ),
    ),
    doc="The maximum over windows of which the last may hang over. "
    "PyTorch: `nn.functional.max_pool1d(ceil_mode=True)`.",
)
