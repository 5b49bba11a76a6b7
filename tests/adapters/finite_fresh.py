"""Functions written before any of them was asked about, to measure what is found of others.

Three of the forms that were taken for stable are none, and stand with those that lose: a guarded
`sinc` whose gradient cancels near 0, `log_cosh` by softplus likewise, and a likelihood that
multiplies 0 by infinity where a variance is e^-100. Each has another twin now.
"""

import importlib.util

import numpy as np
from finite_pairs import Pair

TORCH: tuple[Pair, ...] = ()
JAX: tuple[Pair, ...] = ()

if importlib.util.find_spec("torch"):
    import torch
    import torch.nn.functional as F

    def nce_loss(s):
        e = torch.exp(s / 0.07)
        return -torch.log(e[:, 0] / e.sum(-1)).mean()

    def nce_loss_stable(s):
        return (torch.logsumexp(s / 0.07, -1) - s[:, 0] / 0.07).mean()

    def sinc(x):
        return torch.where(x == 0, torch.ones_like(x), torch.sin(x) / x)

    def sinc_guarded(x):
        is_0 = x == 0
        safe = torch.where(is_0, torch.ones_like(x), x)
        return torch.where(is_0, torch.ones_like(x), torch.sin(safe) / safe)

    def sinc_stable(x):
        is_small = torch.abs(x) < 0.25
        safe = torch.where(is_small, torch.ones_like(x), x)
        s = torch.where(is_small, x, torch.zeros_like(x)) ** 2
        return torch.where(is_small, 1 - s / 6 + s * s / 120, torch.sin(safe) / safe)

    def unit(x):
        return x / (torch.sqrt((x * x).sum(-1, keepdim=True)) + 1e-8)

    def unit_stable(x):
        return x / torch.sqrt((x * x).sum(-1, keepdim=True) + 1e-6)

    def soft_distances(x, c):
        d = ((x[:, None, :] - c[None, :, :]) ** 2).sum(-1)
        w = torch.exp(-d)
        return w / w.sum(-1, keepdim=True)

    def soft_distances_stable(x, c):
        return torch.softmax(-((x[:, None, :] - c[None, :, :]) ** 2).sum(-1), -1)

    def binary_entropy(x):
        p = torch.sigmoid(x)
        return -(p * torch.log(p) + (1 - p) * torch.log(1 - p))

    def binary_entropy_stable(x):
        return F.softplus(x) - x * torch.sigmoid(x)

    def skewness(x):
        m = x.mean(-1)
        return (x**3).mean(-1) - 3 * m * (x**2).mean(-1) + 2 * m**3

    def skewness_stable(x):
        return ((x - x.mean(-1, keepdim=True)) ** 3).mean(-1)

    TORCH = (
        Pair("nce", nce_loss, nce_loss_stable, {"s": "N C"}),
        Pair("sinc", sinc, sinc_stable, {"x": "N"}),
        Pair("sinc_guarded", sinc_guarded, sinc_stable, {"x": "N"}),
        Pair("unit", unit, unit_stable, {"x": "N D"}),
        Pair("soft_distances", soft_distances, soft_distances_stable, {"x": "N D", "c": "K D"}),
        Pair("binary_entropy", binary_entropy, binary_entropy_stable, {"x": "N"}),
        Pair("skewness", skewness, skewness_stable, {"x": "N D"}),
        Pair(
            "pseudo_huber",
            lambda x: torch.sqrt(1 + x * x) - 1,
            lambda x: x * x / (torch.sqrt(1 + x * x) + 1),
            {"x": "N"},
        ),
        Pair(
            "inverse_softplus",
            lambda x: torch.log(torch.exp(x) - 1),
            lambda x: x + torch.log(-torch.expm1(-x)),
            {"x": "N"},
            ("x > 0",),
        ),
    )

if importlib.util.find_spec("jax"):
    import jax
    import jax.numpy as jnp

    def temperature(x):
        e = jnp.exp(x / 0.1)
        return e / e.sum(axis=-1, keepdims=True)

    def safe_norm(x):
        n2 = jnp.sum(x**2, axis=-1)
        return jnp.where(n2 == 0, 0.0, jnp.sqrt(n2))

    def safe_norm_stable(x):
        n2 = jnp.sum(x**2, axis=-1)
        is_0 = n2 == 0
        return jnp.where(is_0, 0.0, jnp.sqrt(jnp.where(is_0, 1.0, n2)))

    def mixture(x, w):
        return jnp.log(jnp.sum(w * jnp.exp(-0.5 * x * x), axis=-1))

    def mixture_stable(x, w):
        return jax.nn.logsumexp(jnp.log(w) - 0.5 * x * x, axis=-1)

    def attention(q, k, v):
        s = jnp.exp(q @ k.T / 8.0)
        return (s / s.sum(-1, keepdims=True)) @ v

    def attention_stable(q, k, v):
        return jax.nn.softmax(q @ k.T / 8.0, axis=-1) @ v

    def squash(x):
        n2 = jnp.sum(x * x, axis=-1, keepdims=True)
        return n2 / (1 + n2) * x / jnp.sqrt(n2)

    def squash_stable(x):
        n2 = jnp.sum(x * x, axis=-1, keepdims=True)
        return jnp.sqrt(n2 + 1e-6) / (1 + n2) * x

    def log_cosh_stable(x):
        is_small = jnp.abs(x) < 1
        near = jnp.where(is_small, x, 0.0)
        far = jnp.where(is_small, 1.0, jnp.abs(x))
        small = jnp.log1p(2 * jnp.sinh(near / 2) ** 2)
        return jnp.where(is_small, small, far + jnp.log1p(jnp.exp(-2 * far)) - jnp.log(2.0))

    JAX = (
        Pair("temperature", temperature, lambda x: jax.nn.softmax(x / 0.1, -1), {"x": "N C"}),
        Pair("safe_norm", safe_norm, safe_norm_stable, {"x": "N D"}),
        Pair(
            "mixture", mixture, mixture_stable, {"x": "N K", "w": "const N K"}, ("w > 0", "w < 1")
        ),
        Pair("attention", attention, attention_stable, {"q": "N D", "k": "M D", "v": "M E"}),
        Pair(
            "student_t",
            lambda x: -2.5 * jnp.log(1 + x * x / 4),
            lambda x: -2.5 * jnp.log1p(x * x / 4),
            {"x": "N"},
        ),
        Pair("log_cosh", lambda x: jnp.log(jnp.cosh(x)), log_cosh_stable, {"x": "N"}),
        Pair(
            "log_cosh_softplus",
            lambda x: jnp.abs(x) + jnp.log1p(jnp.exp(-2 * jnp.abs(x))) - jnp.log(2.0),
            log_cosh_stable,
            {"x": "N"},
        ),
        Pair(
            "gaussian_nll",
            lambda x, s: 0.5 * (x * x / jnp.exp(s) + s),
            lambda x, s: 0.5 * (x * x * jnp.exp(-jnp.maximum(s, -80)) + s),
            {"x": "N", "s": "N"},
        ),
        Pair(
            "gaussian_nll_times",
            lambda x, s: 0.5 * (x * x * jnp.exp(-s) + s),
            lambda x, s: 0.5 * (x * x * jnp.exp(-jnp.maximum(s, -80)) + s),
            {"x": "N", "s": "N"},
        ),
        Pair(
            "root",
            lambda b, c: (-b + jnp.sqrt(b * b + 4 * c)) / 2,
            lambda b, c: 2 * c / (b + jnp.sqrt(b * b + 4 * c)),
            {"b": "N", "c": "N"},
            ("b > 0", "c > 0"),
        ),
    )


def policy_f(x, a):
    p = np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)
    return -np.sum(a * np.log(p))


def policy_b(g, x, a):
    p = np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)
    return g * (p * a.sum(axis=1, keepdims=True) - a)


def policy_stable_f(x, a):
    z = x - x.max(axis=1, keepdims=True)
    return -np.sum(a * (z - np.log(np.exp(z).sum(axis=1, keepdims=True))))


def policy_stable_b(g, x, a):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return g * (p * a.sum(axis=1, keepdims=True) - a)


def batch_norm_f(x, gamma, beta):
    mean = x.mean(axis=0)
    var = (x**2).mean(axis=0) - mean**2
    return gamma * (x - mean) / np.sqrt(var + 1e-5) + beta


def batch_norm_b(dout, x, gamma, beta):
    mean = x.mean(axis=0)
    var = (x**2).mean(axis=0) - mean**2
    inv = 1 / np.sqrt(var + 1e-5)
    xhat = (x - mean) * inv
    dx = gamma * inv * (dout - dout.mean(axis=0) - xhat * (dout * xhat).mean(axis=0))
    return dx, (dout * xhat).sum(axis=0), dout.sum(axis=0)


def batch_norm_stable_f(x, gamma, beta):
    mean = x.mean(axis=0)
    var = ((x - mean) ** 2).mean(axis=0)
    return gamma * (x - mean) / np.sqrt(var + 1e-5) + beta


def batch_norm_stable_b(dout, x, gamma, beta):
    mean = x.mean(axis=0)
    var = ((x - mean) ** 2).mean(axis=0)
    inv = 1 / np.sqrt(var + 1e-5)
    xhat = (x - mean) * inv
    dx = gamma * inv * (dout - dout.mean(axis=0) - xhat * (dout * xhat).mean(axis=0))
    return dx, (dout * xhat).sum(axis=0), dout.sum(axis=0)


def elu_f(x):
    return np.where(x > 0, x, np.exp(x) - 1)


def elu_b(g, x):
    return g * np.where(x > 0, 1.0, np.exp(np.minimum(x, 0)))


def elu_stable_f(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def logistic_f(x, y):
    return np.mean(np.log(1 + np.exp(-y * x)))


def logistic_b(g, x, y):
    return -g * y / (1 + np.exp(y * x)) / x.size


def logistic_stable_f(x, y):
    return np.mean(np.logaddexp(0, -y * x))


def mish_f(x):
    return x * np.tanh(np.log(1 + np.exp(x)))


def mish_b(g, x):
    t = np.tanh(np.log(1 + np.exp(x)))
    s = np.exp(x) / (1 + np.exp(x))
    return g * (t + x * (1 - t * t) * s)


def mish_stable_f(x):
    return x * np.tanh(np.logaddexp(0, x))


def mish_stable_b(g, x):
    t = np.tanh(np.logaddexp(0, x))
    s = 0.5 * (1 + np.tanh(0.5 * x))
    return g * (t + x * (1 - t * t) * s)


def pearson_f(x, z):
    return np.mean(x * z, axis=1) - np.mean(x, axis=1) * np.mean(z, axis=1)


def pearson_b(g, x, z):
    n = x.shape[1]
    dx = g[:, None] * (z - z.mean(axis=1, keepdims=True)) / n
    dz = g[:, None] * (x - x.mean(axis=1, keepdims=True)) / n
    return dx, dz


def pearson_stable_f(x, z):
    xc = x - x.mean(axis=1, keepdims=True)
    zc = z - z.mean(axis=1, keepdims=True)
    return np.mean(xc * zc, axis=1)


def euclid_f(x, z):
    return np.sqrt(np.sum((x - z) ** 2, axis=1))


def euclid_b(g, x, z):
    d = np.sqrt(np.sum((x - z) ** 2, axis=1))
    dx = (g / d)[:, None] * (x - z)
    return dx, -dx


def euclid_stable_f(x, z):
    return np.sqrt(np.sum((x - z) ** 2, axis=1) + 1e-6)


def euclid_stable_b(g, x, z):
    d = np.sqrt(np.sum((x - z) ** 2, axis=1) + 1e-6)
    dx = (g / d)[:, None] * (x - z)
    return dx, -dx


def lse_f(x):
    return np.log(np.sum(np.exp(x), axis=-1))


def lse_b(g, x):
    e = np.exp(x)
    return g[..., None] * e / e.sum(axis=-1, keepdims=True)


def lse_stable_f(x):
    m = x.max(axis=-1, keepdims=True)
    return m[..., 0] + np.log(np.sum(np.exp(x - m), axis=-1))


def lse_stable_b(g, x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return g[..., None] * e / e.sum(axis=-1, keepdims=True)


NUMPY = (
    Pair(
        "policy",
        (policy_f, policy_b),
        (policy_stable_f, policy_stable_b),
        {"x": "N C", "a": "const N C"},
    ),
    Pair(
        "batch_norm",
        (batch_norm_f, batch_norm_b),
        (batch_norm_stable_f, batch_norm_stable_b),
        {"x": "N D", "gamma": "D", "beta": "D"},
    ),
    Pair("elu", (elu_f, elu_b), (elu_stable_f, elu_b), {"x": "N"}),
    Pair(
        "logistic",
        (logistic_f, logistic_b),
        (logistic_stable_f, logistic_b),
        {"x": "N", "y": "const N"},
        ("y >= -1", "y <= 1"),
    ),
    Pair("mish", (mish_f, mish_b), (mish_stable_f, mish_stable_b), {"x": "N"}),
    Pair(
        "covariance",
        (pearson_f, pearson_b),
        (pearson_stable_f, pearson_b),
        {"x": "N D", "z": "N D"},
    ),
    Pair(
        "euclid",
        (euclid_f, euclid_b),
        (euclid_stable_f, euclid_stable_b),
        {"x": "N D", "z": "N D"},
    ),
    Pair("logsumexp", (lse_f, lse_b), (lse_stable_f, lse_stable_b), {"x": "N C"}),
)
