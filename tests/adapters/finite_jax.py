"""Functions that float32 undoes, each beside one that it does not, as users write them."""

import jax
import jax.numpy as jnp
from finite_pairs import Pair

PAIRS = (
    Pair(
        "softmax",
        lambda x: jnp.exp(x) / jnp.exp(x).sum(-1, keepdims=True),
        lambda x: jax.nn.softmax(x, -1),
        {"x": "N C"},
        (),
    ),
    Pair(
        "lse",
        lambda x: jnp.log(jnp.sum(jnp.exp(x), -1)),
        lambda x: jax.nn.logsumexp(x, -1),
        {"x": "N C"},
        (),
    ),
    Pair(
        "softplus", lambda x: jnp.log(1 + jnp.exp(x)), lambda x: jax.nn.softplus(x), {"x": "N"}, ()
    ),
    Pair(
        "bce",
        lambda x, t: -(t * jnp.log(jax.nn.sigmoid(x)) + (1 - t) * jnp.log(1 - jax.nn.sigmoid(x))),
        lambda x, t: jnp.maximum(x, 0) - x * t + jnp.log1p(jnp.exp(-jnp.abs(x))),
        {"x": "N", "t": "const N"},
        (),
    ),
    Pair(
        "safe_sqrt",
        lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0),
        lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0),
        {"x": "N"},
        (),
    ),
    Pair(
        "norm",
        lambda x: jnp.sqrt(jnp.sum(x * x, -1)),
        lambda x: jnp.sqrt(jnp.sum(x * x, -1) + 1e-06),
        {"x": "N C"},
        (),
    ),
    Pair(
        "tanh",
        lambda x: (jnp.exp(2 * x) - 1) / (jnp.exp(2 * x) + 1),
        lambda x: jnp.tanh(x),
        {"x": "N"},
        (),
    ),
    Pair(
        "logistic_logpdf",
        lambda x: jnp.log(jnp.exp(-x) / (1 + jnp.exp(-x)) ** 2),
        lambda x: -x - 2 * jax.nn.softplus(-x),
        {"x": "N"},
        (),
    ),
    Pair(
        "var",
        lambda x: jnp.mean(x**2, -1) - jnp.mean(x, -1) ** 2,
        lambda x: jnp.var(x, -1),
        {"x": "N C"},
        (),
    ),
    Pair("swish", lambda x: x / (1 + jnp.exp(-x)), lambda x: jax.nn.silu(x), {"x": "N"}, ()),
)

# Written when the thresholds were fixed.
HELD = (
    Pair(
        "h_sigmoid_bwd",
        lambda x: jnp.exp(x) / (jnp.exp(x) + 1),
        lambda x: jax.nn.sigmoid(x),
        {"x": "N"},
        (),
    ),
    Pair(
        "h_logit_kl",
        lambda x: jnp.log(jax.nn.softmax(x, -1)),
        lambda x: jax.nn.log_softmax(x, -1),
        {"x": "N C"},
        (),
    ),
    Pair(
        "h_xlogx",
        lambda x: jnp.where(x > 0, x * jnp.log(x), 0.0),
        lambda x: jnp.where(x > 0, x * jnp.log(jnp.where(x > 0, x, 1.0)), 0.0),
        {"x": "N"},
        (),
    ),
    Pair(
        "h_elu",
        lambda x: jnp.where(x > 0, x, jnp.exp(x) - 1),
        lambda x: jnp.where(x > 0, x, jnp.expm1(jnp.where(x > 0, 0.0, x))),
        {"x": "N"},
        (),
    ),
    Pair(
        "h_lnmean",
        lambda x: jnp.log(jnp.mean(jnp.exp(x))),
        lambda x: jax.nn.logsumexp(x) - jnp.log(1.0 * x.shape[0]),
        {"x": "N"},
        (),
    ),
    Pair(
        "h_cosh",
        lambda x: jnp.log(jnp.exp(x) + jnp.exp(-x)),
        lambda x: jnp.logaddexp(x, -x),
        {"x": "N"},
        (),
    ),
)
