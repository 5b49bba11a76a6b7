"""Pairs that float32 undoes, each beside one that it does not, as courses write them."""

import numpy as np
from finite_pairs import Pair


def sm_f(x):
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


def sm_b(g, x):
    e = np.exp(x)
    p = e / e.sum(-1, keepdims=True)
    return p * (g - (g * p).sum(-1, keepdims=True))


def sms_f(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sms_b(g, x):
    e = np.exp(x - x.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    return p * (g - (g * p).sum(-1, keepdims=True))


def sg_f(x):
    return np.exp(x) / (1 + np.exp(x))


def sg_b(g, x):
    s = np.exp(x) / (1 + np.exp(x))
    return g * s * (1 - s)


def sgs_f(x):
    return 0.5 * (1 + np.tanh(x / 2))


def sgs_b(g, x):
    s = 0.5 * (1 + np.tanh(x / 2))
    return g * s * 0.5 * (1 - np.tanh(x / 2))


def sp_f(x):
    return np.log(1 + np.exp(x))


def sp_b(g, x):
    return g * np.exp(x) / (1 + np.exp(x))


def sps_f(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def sps_b(g, x):
    return g / (1 + np.exp(-x))


def ln_f(x):
    m = x.mean(-1, keepdims=True)
    v = (x * x).mean(-1, keepdims=True) - m * m
    return (x - m) / np.sqrt(v + 1e-05)


def ln_b(g, x):
    m = x.mean(-1, keepdims=True)
    v = (x * x).mean(-1, keepdims=True) - m * m
    r = 1 / np.sqrt(v + 1e-05)
    h = (x - m) * r
    return r * (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True))


def lns_f(x):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-05)


def lns_b(g, x):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    r = 1 / np.sqrt(v + 1e-05)
    h = (x - m) * r
    return r * (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True))


def lg_f(x):
    return np.log(1 + x)


def lg_b(g, x):
    return g / (1 + x)


def lgs_f(x):
    return np.log1p(x)


def nl_f(x, t):
    e = np.exp(x)
    return -(t * np.log(e / e.sum(-1, keepdims=True))).sum()


def nl_b(g, x, t):
    e = np.exp(x)
    p = e / e.sum(-1, keepdims=True)
    return g * (p * t.sum(-1, keepdims=True) - t)


def nls_f(x, t):
    z = x - x.max(-1, keepdims=True)
    return -(t * (z - np.log(np.exp(z).sum(-1, keepdims=True)))).sum()


def nls_b(g, x, t):
    z = x - x.max(-1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(-1, keepdims=True)
    return g * (p * t.sum(-1, keepdims=True) - t)


def hy_f(x, z):
    return np.sqrt(x * x + z * z)


def hy_b(g, x, z):
    r = np.sqrt(x * x + z * z)
    return (g * x / r, g * z / r)


def hys_f(x, z):
    return np.sqrt(x * x + z * z + 1e-06)


def hys_b(g, x, z):
    r = np.sqrt(x * x + z * z + 1e-06)
    return (g * x / r, g * z / r)


def mv_f(x):
    return (x * x).mean(-1) - x.mean(-1) ** 2


def mv_b(g, x):
    return g[..., None] * 2 * (x - x.mean(-1, keepdims=True)) / x.shape[-1]


def mvs_f(x):
    return ((x - x.mean(-1, keepdims=True)) ** 2).mean(-1)


def th_f(x):
    return (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))


def th_b(g, x):
    y = (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))
    return g * (1 - y * y)


def ths_f(x):
    return np.tanh(x)


def ths_b(g, x):
    return g * (1 - np.tanh(x) ** 2)


def ls_f(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def ls_b(g, x):
    e = np.exp(x)
    return g - g.sum(-1, keepdims=True) * e / e.sum(-1, keepdims=True)


def lss_f(x):
    z = x - x.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def lss_b(g, x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return g - g.sum(-1, keepdims=True) * e / e.sum(-1, keepdims=True)


def bc_f(x, t):
    p = 1 / (1 + np.exp(-x))
    return -(t * np.log(p) + (1 - t) * np.log(1 - p)).mean()


def bc_b(g, x, t):
    return g * (1 / (1 + np.exp(-x)) - t) / x.size


def bcs_f(x, t):
    return (np.maximum(x, 0) - x * t + np.log1p(np.exp(-np.abs(x)))).mean()


PAIRS = (
    Pair("softmax", (sm_f, sm_b), (sms_f, sms_b), {"x": "N C"}, ()),
    Pair("sigmoid", (sg_f, sg_b), (sgs_f, sgs_b), {"x": "N"}, ()),
    Pair("softplus", (sp_f, sp_b), (sps_f, sps_b), {"x": "N"}, ()),
    Pair("layernorm", (ln_f, ln_b), (lns_f, lns_b), {"x": "N C"}, ()),
    Pair("log1p", (lg_f, lg_b), (lgs_f, lg_b), {"x": "N"}, ("x > 0",)),
    Pair("nll", (nl_f, nl_b), (nls_f, nls_b), {"x": "N C", "t": "const N C"}, ()),
    Pair("hypot", (hy_f, hy_b), (hys_f, hys_b), {"x": "N", "z": "N"}, ()),
)

# Written when the thresholds were fixed.
HELD = (
    Pair("h_var", (mv_f, mv_b), (mvs_f, mv_b), {"x": "N C"}, ()),
    Pair("h_tanh", (th_f, th_b), (ths_f, ths_b), {"x": "N"}, ()),
    Pair("h_logsoftmax", (ls_f, ls_b), (lss_f, lss_b), {"x": "N C"}, ()),
    Pair("h_bce", (bc_f, bc_b), (bcs_f, bc_b), {"x": "N", "t": "const N"}, ()),
)
