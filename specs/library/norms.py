"""Normalisations: what is subtracted and divided by, and with which gain and bias."""

from typing import Any

from gradproof.language import (
    Eq,
    Op,
    Sum,
    array,
    cotangent,
    integers,
    reals,
    sqrt,
    tangent,
)

eps = reals("eps")

# Of rows.

R, N, r, i, j, w = integers("R N r i j w")
x, y, gain, bias = array("x", R, N), array("y", R, N), array("gain", N), array("bias", N)
x_dot, y_dot, gain_dot, bias_dot = tangent(x), tangent(y), tangent(gain), tangent(bias)
x_bar, y_bar, gain_bar, bias_bar = cotangent(x), cotangent(y), cotangent(gain), cotangent(bias)
row, rows = (j, 0, N - 1), (r, 0, R - 1)
requires = (R >= 1, N >= 1, eps > 0)


def mean(term: Any) -> Any:
    return Sum(term(j), row) / N


middle = mean(lambda j: x[r, j])
deviation = sqrt(Sum((x[r, w] - middle) ** 2, (w, 0, N - 1)) / N + eps)


def normed(i: Any) -> Any:
    return (x[r, i] - middle) / deviation


def through_layer_norm(v: Any) -> Any:
    along = normed(i) * mean(lambda j: v(j) * normed(j))
    return (v(i) - mean(v) - along) / deviation


layer_norm = Op(
    "layer_norm",
    requires=requires,
    forward=Eq(y[r, i], gain[i] * normed(i) + bias[i]),
    jvp=Eq(
        y_dot[r, i],
        gain[i] * through_layer_norm(lambda i: x_dot[r, i]) + gain_dot[i] * normed(i) + bias_dot[i],
    ),
    vjp=(
        Eq(x_bar[r, i], through_layer_norm(lambda i: gain[i] * y_bar[r, i])),
        Eq(gain_bar[i], Sum(y_bar[r, i] * normed(i), rows)),
        Eq(bias_bar[i], Sum(y_bar[r, i], rows)),
    ),
    doc="Layer norm of each row, with gain and bias. PyTorch: `nn.functional.layer_norm`.",
)

size = sqrt(Sum(x[r, w] ** 2, (w, 0, N - 1)) / N + eps)


def through_rms_norm(v: Any) -> Any:
    return (v(i) - x[r, i] / size * mean(lambda j: v(j) * x[r, j] / size)) / size


rms_norm = Op(
    "rms_norm",
    requires=requires,
    forward=Eq(y[r, i], gain[i] * x[r, i] / size),
    jvp=Eq(
        y_dot[r, i],
        gain[i] * through_rms_norm(lambda i: x_dot[r, i]) + gain_dot[i] * x[r, i] / size,
    ),
    vjp=(
        Eq(x_bar[r, i], through_rms_norm(lambda i: gain[i] * y_bar[r, i])),
        Eq(gain_bar[i], Sum(y_bar[r, i] * x[r, i] / size, rows)),
    ),
    doc="Root mean square norm of each row, with gain. PyTorch: `nn.functional.rms_norm`.",
)

length = sqrt(Sum(x[r, w] ** 2, (w, 0, N - 1)) + eps)


def through_l2_norm(v: Any) -> Any:
    return (v[r, i] - y[r, i] * Sum(v[r, j] * y[r, j], row)) / length


l2_normalize = Op(
    "l2_normalize",
    requires=requires,
    forward=Eq(y[r, i], x[r, i] / length),
    jvp=Eq(y_dot[r, i], through_l2_norm(x_dot)),
    vjp=Eq(x_bar[r, i], through_l2_norm(y_bar)),
    doc="Each row at length 1, ε below the root. "
    "PyTorch: `nn.functional.normalize`, whose ε bounds the length instead.",
)

# Without ε, of rows that are not all 0.

squares = Sum(x[r, w] ** 2, (w, 0, N - 1))
size_of_row, length_of_row = array("y", R), sqrt(squares)

vector_norm = Op(
    "vector_norm",
    requires=(R >= 1, N >= 1, squares > 0),
    forward=Eq(size_of_row[r], length_of_row),
    jvp=Eq(tangent(size_of_row)[r], Sum(x[r, j] * x_dot[r, j], row) / length_of_row),
    vjp=Eq(x_bar[r, i], x[r, i] * cotangent(size_of_row)[r] / length_of_row),
    doc="The length of each row, which is not 0. PyTorch: `torch.linalg.vector_norm(x, dim=-1)`.",
)


def through_normalize(v: Any) -> Any:
    return (v[r, i] - y[r, i] * Sum(v[r, j] * y[r, j], row)) / length_of_row


normalize = Op(
    "normalize",
    requires=(R >= 1, N >= 1, squares > 0),
    forward=Eq(y[r, i], x[r, i] / length_of_row),
    jvp=Eq(y_dot[r, i], through_normalize(x_dot)),
    vjp=Eq(x_bar[r, i], through_normalize(y_bar)),
    doc="Each row, which is not 0, at length 1. PyTorch: `nn.functional.normalize`.",
)

# The weight of a layer: g·v/|v|, per output.

v, g = array("v", R, N), array("g", R)
v_dot, g_dot, v_bar, g_bar = tangent(v), tangent(g), cotangent(v), cotangent(g)
reach = sqrt(Sum(v[r, w] ** 2, (w, 0, N - 1)) + eps)
unit = v[r, i] / reach


def through_weight_norm(u: Any) -> Any:
    return g[r] * (u[r, i] - unit * Sum(u[r, j] * v[r, j], row) / reach) / reach


weight_norm = Op(
    "weight_norm",
    requires=requires,
    forward=Eq(y[r, i], g[r] * unit),
    jvp=Eq(y_dot[r, i], through_weight_norm(v_dot) + g_dot[r] * unit),
    vjp=(
        Eq(v_bar[r, i], through_weight_norm(y_bar)),
        Eq(g_bar[r], Sum(y_bar[r, j] * v[r, j], row) / reach),
    ),
    doc="A weight as its length times its direction, ε below the root. "
    "PyTorch: `nn.utils.parametrizations.weight_norm`.",
)

weight_squares = Sum(v[r, w] ** 2, (w, 0, N - 1))
exact_unit, exact_reach = v[r, i] / sqrt(weight_squares), sqrt(weight_squares)


def through_exact_weight_norm(u: Any) -> Any:
    return g[r] * (u[r, i] - v[r, i] * Sum(u[r, j] * v[r, j], row) / weight_squares) / exact_reach


weight_norm_exact = Op(
    "weight_norm_exact",
    requires=(R >= 1, N >= 1, weight_squares > 0),
    forward=Eq(y[r, i], g[r] * exact_unit),
    jvp=Eq(y_dot[r, i], through_exact_weight_norm(v_dot) + g_dot[r] * exact_unit),
    vjp=(
        Eq(v_bar[r, i], through_exact_weight_norm(y_bar)),
        Eq(g_bar[r], Sum(y_bar[r, j] * v[r, j], row) / exact_reach),
    ),
    doc="A weight as its length times its direction, of rows that are not 0. "
    "PyTorch: `nn.utils.parametrizations.weight_norm`.",
)

# Of channels, over n sites: all spatial axes as one.

B, C, b, c, q, u = integers("B C b c q u")
n, at, here, there = integers("n at here there")
X, Y = array("x", B, C, n), array("y", B, C, n)
scale, shift = array("gain", C), array("bias", C)
X_dot, Y_dot, X_bar, Y_bar = tangent(X), tangent(Y), cotangent(X), cotangent(Y)
scale_dot, shift_dot = tangent(scale), tangent(shift)
scale_bar, shift_bar = cotangent(scale), cotangent(shift)
sites, batch = (here, 0, n - 1), (q, 0, B - 1)
count = B * n
sized = (B >= 1, C >= 1, n >= 1, eps > 0)


def batch_mean(term: Any) -> Any:
    return Sum(term(q, here), batch, sites) / count


center = batch_mean(lambda q, at: X[q, c, at])
spread = sqrt(Sum((X[u, c, there] - center) ** 2, (u, 0, B - 1), (there, 0, n - 1)) / count + eps)


def whitened(b: Any, at: Any) -> Any:
    return (X[b, c, at] - center) / spread


def through_batch_norm(v: Any) -> Any:
    along = whitened(b, at) * batch_mean(lambda q, at: v[q, c, at] * whitened(q, at))
    return (v[b, c, at] - batch_mean(lambda q, at: v[q, c, at]) - along) / spread


batch_norm_training = Op(
    "batch_norm_training",
    requires=sized,
    forward=Eq(Y[b, c, at], scale[c] * whitened(b, at) + shift[c]),
    jvp=Eq(
        Y_dot[b, c, at],
        scale[c] * through_batch_norm(X_dot) + scale_dot[c] * whitened(b, at) + shift_dot[c],
    ),
    vjp=(
        Eq(X_bar[b, c, at], scale[c] * through_batch_norm(Y_bar)),
        Eq(scale_bar[c], Sum(Y_bar[q, c, here] * whitened(q, here), batch, sites)),
        Eq(shift_bar[c], Sum(Y_bar[q, c, here], batch, sites)),
    ),
    doc="Batch norm by the batch's own mean and variance. "
    "PyTorch: `nn.functional.batch_norm(training=True)`.",
)


mean_kept, var_kept = array("mean", C), array("var", C)
root = sqrt(var_kept[c] + eps)

batch_norm_inference = Op(
    "batch_norm_inference",
    requires=(B >= 1, C >= 1, n >= 1, eps > 0, var_kept[c] >= 0),
    constants=(mean_kept, var_kept),
    forward=Eq(Y[b, c, at], scale[c] * (X[b, c, at] - mean_kept[c]) / root + shift[c]),
    jvp=Eq(
        Y_dot[b, c, at],
        scale[c] * X_dot[b, c, at] / root
        + scale_dot[c] * (X[b, c, at] - mean_kept[c]) / root
        + shift_dot[c],
    ),
    vjp=(
        Eq(X_bar[b, c, at], scale[c] * Y_bar[b, c, at] / root),
        Eq(
            scale_bar[c],
            Sum(Y_bar[q, c, here] * (X[q, c, here] - mean_kept[c]) / root, batch, sites),
        ),
        Eq(shift_bar[c], Sum(Y_bar[q, c, here], batch, sites)),
    ),
    doc="Batch norm by means and variances that were kept. "
    "PyTorch: `nn.functional.batch_norm(training=False)`.",
)


def site_mean(term: Any) -> Any:
    return Sum(term(here), sites) / n


own_center = site_mean(lambda at: X[b, c, at])
own_spread = sqrt(Sum((X[b, c, there] - own_center) ** 2, (there, 0, n - 1)) / n + eps)


def own_whitened(at: Any) -> Any:
    return (X[b, c, at] - own_center) / own_spread


def through_instance_norm(v: Any) -> Any:
    along = own_whitened(at) * site_mean(lambda at: v[b, c, at] * own_whitened(at))
    return (v[b, c, at] - site_mean(lambda at: v[b, c, at]) - along) / own_spread


images = (b, 0, B - 1)

instance_norm = Op(
    "instance_norm",
    requires=sized,
    forward=Eq(Y[b, c, at], scale[c] * own_whitened(at) + shift[c]),
    jvp=Eq(
        Y_dot[b, c, at],
        scale[c] * through_instance_norm(X_dot) + scale_dot[c] * own_whitened(at) + shift_dot[c],
    ),
    vjp=(
        Eq(X_bar[b, c, at], scale[c] * through_instance_norm(Y_bar)),
        Eq(scale_bar[c], Sum(Y_bar[b, c, here] * own_whitened(here), images, sites)),
        Eq(shift_bar[c], Sum(Y_bar[b, c, here], images, sites)),
    ),
    doc="Each image's own channel, whitened. PyTorch: `nn.functional.instance_norm`.",
)

# Groups of channels: channel c·D + d is the d-th of group c.

D, d, e, f = integers("D d e f")
Z, T = array("x", B, C, D, n), array("y", B, C, D, n)
Z_dot, T_dot, Z_bar, T_bar = tangent(Z), tangent(T), cotangent(Z), cotangent(T)
wide, tall = array("gain", C, D), array("bias", C, D)
wide_dot, tall_dot, wide_bar, tall_bar = (
    tangent(wide),
    tangent(tall),
    cotangent(wide),
    cotangent(tall),
)
members = (e, 0, D - 1)


def group_mean(term: Any) -> Any:
    return Sum(term(e, here), members, sites) / (D * n)


group_center = group_mean(lambda e, at: Z[b, c, e, at])
group_spread = sqrt(
    Sum((Z[b, c, f, there] - group_center) ** 2, (f, 0, D - 1), (there, 0, n - 1)) / (D * n) + eps
)


def in_group(d: Any, at: Any) -> Any:
    return (Z[b, c, d, at] - group_center) / group_spread


def through_group_norm(v: Any) -> Any:
    along = in_group(d, at) * group_mean(lambda e, at: v(e, at) * in_group(e, at))
    return (v(d, at) - group_mean(v) - along) / group_spread


group_norm = Op(
    "group_norm",
    requires=(*sized, D >= 1),
    forward=Eq(T[b, c, d, at], wide[c, d] * in_group(d, at) + tall[c, d]),
    jvp=Eq(
        T_dot[b, c, d, at],
        wide[c, d] * through_group_norm(lambda e, at: Z_dot[b, c, e, at])
        + wide_dot[c, d] * in_group(d, at)
        + tall_dot[c, d],
    ),
    vjp=(
        Eq(
            Z_bar[b, c, d, at],
            through_group_norm(lambda e, at: wide[c, e] * T_bar[b, c, e, at]),
        ),
        Eq(wide_bar[c, d], Sum(T_bar[b, c, d, here] * in_group(d, here), images, sites)),
        Eq(tall_bar[c, d], Sum(T_bar[b, c, d, here], images, sites)),
    ),
    doc="Groups of D channels whitened together, C groups. PyTorch: `nn.functional.group_norm`.",
)
