"""An LSTM cell: two outputs, of which one is computed from the other."""

from gradproof.language import *

N, n = integers("N n")


def vector(name):
    return array(name, N)


def sigmoid(v):
    return 1 / (1 + exp(-v))


def tanh(v):
    return (exp(v) - exp(-v)) / (exp(v) + exp(-v))


gi, gf, gg, go, c = map(vector, ("gi", "gf", "gg", "go", "c"))
i, f, g, o, c1, h1, th = map(vector, ("i", "f", "g", "o", "c1", "h1", "th"))
c1_bar, h1_bar = cotangent(c1), cotangent(h1)
inner = cotangent(c1, "all")

lstm_cell = Op(
    "lstm_cell",
    let=(
        Eq(i[n], sigmoid(gi[n])),
        Eq(f[n], sigmoid(gf[n])),
        Eq(g[n], tanh(gg[n])),
        Eq(o[n], sigmoid(go[n])),
        Eq(th[n], tanh(c1[n])),
    ),
    forward=(
        Eq(c1[n], f[n] * c[n] + i[n] * g[n]),
        Eq(h1[n], o[n] * th[n]),
    ),
    vjp=(
        Eq(inner[n], c1_bar[n] + h1_bar[n] * o[n] * (1 - th[n] ** 2)),
        Eq(cotangent(gi)[n], inner[n] * g[n] * i[n] * (1 - i[n])),
        Eq(cotangent(gf)[n], inner[n] * c[n] * f[n] * (1 - f[n])),
        Eq(cotangent(gg)[n], inner[n] * i[n] * (1 - g[n] ** 2)),
        Eq(cotangent(go)[n], h1_bar[n] * th[n] * o[n] * (1 - o[n])),
        Eq(cotangent(c)[n], inner[n] * f[n]),
    ),
)
