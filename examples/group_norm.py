"""Group norm, with its mean, deviation and normed values as intermediates."""

from gradproof.language import *

N, n, G, g, K, k, j = integers("N n G g K k j")
eps = reals("eps")
x, y = array("x", N, G, K), array("y", N, G, K)
gain, bias = array("gain", G, K), array("bias", G, K)
mean, var, z, r = array("mean", N, G), array("var", N, G), array("z", N, G, K), array("r", N, G)
cells = (j, 0, K - 1)
y_bar = cotangent(y)
z_bar = cotangent(z)

group_norm = Op(
    "group_norm",
    requires=(K >= 1, eps > 0),
    let=(
        Eq(mean[n, g], Sum(x[n, g, j], cells) / K),
        Eq(var[n, g], Sum((x[n, g, j] - mean[n, g]) ** 2, cells) / K),
        Eq(r[n, g], 1 / sqrt(var[n, g] + eps)),
        Eq(z[n, g, k], (x[n, g, k] - mean[n, g]) * r[n, g]),
    ),
    forward=Eq(y[n, g, k], gain[g, k] * z[n, g, k] + bias[g, k]),
    vjp=(
        Eq(z_bar[n, g, k], y_bar[n, g, k] * gain[g, k]),
        Eq(
            cotangent(x)[n, g, k],
            r[n, g]
            * (
                z_bar[n, g, k]
                - Sum(z_bar[n, g, j], cells) / K
                - z[n, g, k] * Sum(z_bar[n, g, j] * z[n, g, j], cells) / K
            ),
        ),
        Eq(cotangent(gain)[g, k], Sum(y_bar[n, g, k] * z[n, g, k], (n, 0, N - 1))),
        Eq(cotangent(bias)[g, k], Sum(y_bar[n, g, k], (n, 0, N - 1))),
    ),
)
