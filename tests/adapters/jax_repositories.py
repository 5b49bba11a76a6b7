"""More custom gradients, as tutorials and repositories of JAX have them, right and with a mistake.

`RIGHT` and `WRONG` are (function, arguments): what is said of them is what a user would say.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax_functions import again

from gradproof import jax as gp


def made(function, fwd, bwd, wrong_bwd, name, **options):
    """A function of `custom_vjp`, and with another rule."""
    right = jax.custom_vjp(function, **options)
    right.defvjp(fwd, bwd)
    right.__name__ = function.__name__
    return right, again(right, name, wrong_bwd)


# Norms, and roots that are safe at 0.


def safe_norm(x):
    s = jnp.sum(x * x, axis=-1)
    inside = s > 0
    return jnp.where(inside, jnp.sqrt(jnp.where(inside, s, 1.0)), 0.0)


safe_norm_plain = safe_norm


def safe_norm_fwd(x):
    y = safe_norm_plain(x)
    return y, (x, y)


def safe_norm_bwd(saved, g):
    x, y = saved
    return (jnp.where(y > 0, g / jnp.where(y > 0, y, 1.0), 0.0)[..., None] * x,)


def safe_norm_squared_bwd(saved, g):
    x, y = saved
    return (jnp.where(y > 0, g / jnp.where(y > 0, y * y, 1.0), 0.0)[..., None] * x,)


safe_norm, safe_norm_squared = made(
    safe_norm, safe_norm_fwd, safe_norm_bwd, safe_norm_squared_bwd, "safe_norm_squared"
)


def unit_fwd(x, eps):
    n = jnp.sqrt(jnp.sum(x * x, -1, keepdims=True) + eps)
    return x / n, (x / n, n)


def unit_bwd(saved, g):
    y, n = saved
    return (g - y * jnp.sum(g * y, -1, keepdims=True)) / n, None


def unit_not_projected_bwd(saved, g):
    return g / saved[1], None


def unit(x, eps):
    return x / jnp.sqrt(jnp.sum(x * x, -1, keepdims=True) + eps)


unit, unit_not_projected = made(
    unit,
    unit_fwd,
    unit_bwd,
    unit_not_projected_bwd,
    "unit_not_projected",
)


@jax.custom_jvp
def xlogy(x, y):
    return jnp.where(x == 0, 0.0, x * jnp.log(y))


@xlogy.defjvp
def xlogy_jvp(primals, tangents):
    (x, y), (x_dot, y_dot) = primals, tangents
    return xlogy(x, y), jnp.log(y) * x_dot + x / y * y_dot


@jax.custom_jvp
def xlogy_inverted(x, y):
    return jnp.where(x == 0, 0.0, x * jnp.log(y))


@xlogy_inverted.defjvp
def xlogy_inverted_jvp(primals, tangents):
    (x, y), (x_dot, y_dot) = primals, tangents
    return xlogy_inverted(x, y), jnp.log(y) * x_dot + y / x * y_dot


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def scaled_exp(x, by):
    return jnp.exp(by * x)


@scaled_exp.defjvp
def scaled_exp_jvp(by, primals, tangents):
    (x,), (x_dot,) = primals, tangents
    y = scaled_exp(x, by)
    return y, by * y * x_dot


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def scaled_exp_lost(x, by):
    return jnp.exp(by * x)


@scaled_exp_lost.defjvp
def scaled_exp_lost_jvp(by, primals, tangents):
    (x,), (x_dot,) = primals, tangents
    y = scaled_exp_lost(x, by)
    return y, y * x_dot


# Activations.


def squareplus(x):
    return (x + jnp.sqrt(x * x + 4)) / 2


squareplus, squareplus_halved = made(
    squareplus,
    lambda x: ((x + jnp.sqrt(x * x + 4)) / 2, x),
    lambda x, g: (g * (1 + x / jnp.sqrt(x * x + 4)) / 2,),
    lambda x, g: (g * (1 + x / jnp.sqrt(x * x + 4)),),
    "squareplus_halved",
)


def gelu_fast(x):
    return x * jax.nn.sigmoid(1.702 * x)


def gelu_fast_bwd(x, g):
    s = jax.nn.sigmoid(1.702 * x)
    return (g * (s + 1.702 * x * s * (1 - s)),)


def gelu_fast_unscaled_bwd(x, g):
    s = jax.nn.sigmoid(1.702 * x)
    return (g * (s + x * s * (1 - s)),)


gelu_fast, gelu_fast_unscaled = made(
    gelu_fast,
    lambda x: (x * jax.nn.sigmoid(1.702 * x), x),
    gelu_fast_bwd,
    gelu_fast_unscaled_bwd,
    "gelu_fast_unscaled",
)


def hard_tanh(x):
    return jnp.clip(x, -1.0, 1.0)


hard_tanh, hard_tanh_one_side = made(
    hard_tanh,
    lambda x: (jnp.clip(x, -1.0, 1.0), jnp.abs(x) < 1),
    lambda inside, g: (g * inside,),
    lambda inside, g: (g * (2.0 - inside),),
    "hard_tanh_one_side",
)


def swiglu(x, w, v):
    return jax.nn.silu(x @ w) * (x @ v)


def swiglu_fwd(x, w, v):
    return swiglu_plain(x, w, v), (x, w, v)


swiglu_plain = swiglu


def swiglu_bwd(saved, g):
    x, w, v = saved
    a, b = x @ w, x @ v
    s = jax.nn.sigmoid(a)
    da = g * b * (s + a * s * (1 - s))
    db = g * a * s
    return da @ w.T + db @ v.T, x.T @ da, x.T @ db


def swiglu_gate_bwd(saved, g):
    x, w, v = saved
    a, b = x @ w, x @ v
    s = jax.nn.sigmoid(a)
    return (g * b * s) @ w.T + (g * a * s) @ v.T, x.T @ (g * b * s), x.T @ (g * a * s)


swiglu, swiglu_gate = made(swiglu, swiglu_fwd, swiglu_bwd, swiglu_gate_bwd, "swiglu_gate")


# Along an axis.


def logsumexp(x):
    m = lax.stop_gradient(x.max(-1, keepdims=True))
    return jnp.squeeze(m, -1) + jnp.log(jnp.sum(jnp.exp(x - m), -1))


def logsumexp_fwd(x):
    y = logsumexp_plain(x)
    return y, (x, y)


logsumexp_plain = logsumexp
logsumexp, logsumexp_linear = made(
    logsumexp,
    logsumexp_fwd,
    lambda saved, g: (g[..., None] * jnp.exp(saved[0] - saved[1][..., None]),),
    lambda saved, g: (g[..., None] * (saved[0] - saved[1][..., None]),),
    "logsumexp_linear",
)


def layer_norm(x, w, b):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * w + b


layer_norm_plain = layer_norm


def layer_norm_fwd(x, w, b):
    mean = x.mean(-1, keepdims=True)
    rstd = lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)
    return layer_norm_plain(x, w, b), ((x - mean) * rstd, rstd, w)


def layer_norm_bwd(saved, g):
    x_hat, rstd, w = saved
    h = g * w
    inner = h.mean(-1, keepdims=True) + x_hat * (h * x_hat).mean(-1, keepdims=True)
    return rstd * (h - inner), (g * x_hat).sum(0), g.sum(0)


def layer_norm_unweighted_bwd(saved, g):
    x_hat, rstd, _ = saved
    inner = g.mean(-1, keepdims=True) + x_hat * (g * x_hat).mean(-1, keepdims=True)
    return rstd * (g - inner), (g * x_hat).sum(0), g.sum(0)


layer_norm, layer_norm_unweighted = made(
    layer_norm, layer_norm_fwd, layer_norm_bwd, layer_norm_unweighted_bwd, "layer_norm_unweighted"
)


def rotary(x, cos, sin):
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


rotary_plain = rotary


def rotary_bwd(saved, g):
    cos, sin = saved
    a, b = jnp.split(g, 2, axis=-1)
    return jnp.concatenate([a * cos + b * sin, b * cos - a * sin], axis=-1), None, None


def rotary_forwards_bwd(saved, g):
    return rotary_plain(g, *saved), None, None


rotary, rotary_forwards = made(
    rotary,
    lambda x, cos, sin: (rotary_plain(x, cos, sin), (cos, sin)),
    rotary_bwd,
    rotary_forwards_bwd,
    "rotary_forwards",
)


def segment_mean(x, ids, counts):
    total = jnp.zeros((counts.shape[0], x.shape[1])).at[ids].add(x)
    return total / counts[:, None]


segment_mean_plain = segment_mean


def segment_mean_bwd(saved, g):
    ids, counts = saved
    return (g / counts[:, None])[ids], None, None


def segment_mean_summed_bwd(saved, g):
    return g[saved[0]], None, None


segment_mean, segment_mean_summed = made(
    segment_mean,
    lambda x, ids, counts: (segment_mean_plain(x, ids, counts), (ids, counts)),
    segment_mean_bwd,
    segment_mean_summed_bwd,
    "segment_mean_summed",
)


def gumbel_softmax(logits, noise, tau):
    return jax.nn.softmax((logits + noise) / tau, axis=-1)


gumbel_plain = gumbel_softmax


def gumbel_fwd(logits, noise, tau):
    y = gumbel_plain(logits, noise, tau)
    return y, (y, tau)


def gumbel_bwd(saved, g):
    y, tau = saved
    return y * (g - (g * y).sum(-1, keepdims=True)) / tau, None, None


def gumbel_unscaled_bwd(saved, g):
    y, _ = saved
    return y * (g - (g * y).sum(-1, keepdims=True)), None, None


gumbel_softmax, gumbel_unscaled = made(
    gumbel_softmax, gumbel_fwd, gumbel_bwd, gumbel_unscaled_bwd, "gumbel_unscaled"
)


def top_one(x):
    return x.max(-1)


def top_one_bwd(x, g):
    return (jax.nn.one_hot(x.argmax(-1), x.shape[-1], dtype=x.dtype) * g[:, None],)


top_one, top_one_everywhere = made(
    top_one,
    lambda x: (x.max(-1), x),
    top_one_bwd,
    lambda x, g: (jnp.broadcast_to(g[:, None], x.shape),),
    "top_one_everywhere",
)


# Losses.


def mse(x, target):
    return jnp.mean((x - target) ** 2)


mse, mse_of_rows = made(
    mse,
    lambda x, target: (jnp.mean((x - target) ** 2), x - target),
    lambda d, g: (2 * g * d / d.size, -2 * g * d / d.size),
    lambda d, g: (2 * g * d / d.shape[0], -2 * g * d / d.shape[0]),
    "mse_of_rows",
)


def huber(x, delta):
    a = jnp.abs(x)
    return jnp.where(a <= delta, 0.5 * x * x, delta * (a - 0.5 * delta))


huber_plain = huber
huber, huber_sign = made(
    huber,
    lambda x, delta: (huber_plain(x, delta), (x, delta)),
    lambda saved, g: (g * jnp.clip(saved[0], -saved[1], saved[1]), None),
    lambda saved, g: (g * jnp.where(jnp.abs(saved[0]) <= saved[1], saved[0], 1.0), None),
    "huber_sign",
)


def kl(p, q):
    return jnp.sum(p * (jnp.log(p) - jnp.log(q)))


kl_plain = kl
kl, kl_lost_one = made(
    kl,
    lambda p, q: (kl_plain(p, q), (p, q)),
    lambda saved, g: (g * (jnp.log(saved[0] / saved[1]) + 1), -g * saved[0] / saved[1]),
    lambda saved, g: (g * jnp.log(saved[0] / saved[1]), -g * saved[0] / saved[1]),
    "kl_lost_one",
)


# Windows and layouts.


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID")


def max_pool_fwd(x):
    y = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID")
    return y, (x, y)


def max_pool_bwd(saved, g):
    x, y = saved
    return (jnp.where(x == jnp.repeat(y, 2, axis=1), jnp.repeat(g, 2, axis=1), 0.0),)


max_pool, max_pool_average = made(
    max_pool,
    max_pool_fwd,
    max_pool_bwd,
    lambda saved, g: (jnp.repeat(g, 2, axis=1) / 2,),
    "max_pool_average",
)


def strided(x, w):
    return lax.conv_general_dilated(x, w, (2,), "VALID")


def strided_bwd(saved, g):
    x, w = saved
    _, pull = jax.vjp(strided_plain, x, w)
    return pull(g)


def strided_dense_bwd(saved, g):
    _x, _w = saved
    x_bar, w_bar = strided_bwd(saved, g)
    return x_bar, w_bar * 2


strided_plain = strided
strided, strided_dense = made(
    strided,
    lambda x, w: (strided_plain(x, w), (x, w)),
    strided_bwd,
    strided_dense_bwd,
    "strided_dense",
)


def blocks(x):
    n = x.shape[0]
    return x.reshape(n, -1, 2).mean(-1)


blocks_plain = blocks
blocks, blocks_summed = made(
    blocks,
    lambda x: (blocks_plain(x), None),
    lambda _, g: (jnp.repeat(g, 2, axis=1) / 2,),
    lambda _, g: (jnp.repeat(g, 2, axis=1),),
    "blocks_summed",
)


def window_at(x, i):
    return lax.dynamic_slice_in_dim(x, i, 2, axis=0) ** 2


window_plain = window_at


def window_bwd(saved, g):
    x, i = saved
    part = lax.dynamic_slice_in_dim(x, i, 2, axis=0)
    return lax.dynamic_update_slice_in_dim(jnp.zeros_like(x), 2 * part * g, i, axis=0), None


def window_unsquared_bwd(saved, g):
    x, i = saved
    return lax.dynamic_update_slice_in_dim(jnp.zeros_like(x), 2 * g, i, axis=0), None


window_at, window_unsquared = made(
    window_at,
    lambda x, i: (window_plain(x, i), (x, i)),
    window_bwd,
    window_unsquared_bwd,
    "window_unsquared",
)


def softsign(x):
    return x / (1 + jnp.abs(x))


softsign_plain = softsign
softsign, softsign_not_squared = made(
    softsign,
    lambda x: (softsign_plain(x), x),
    lambda x, g: (g / (1 + jnp.abs(x)) ** 2,),
    lambda x, g: (g / (1 + jnp.abs(x)),),
    "softsign_not_squared",
)


def glu(x):
    a, b = jnp.split(x, 2, axis=-1)
    return a * jax.nn.sigmoid(b)


glu_plain = glu


def glu_bwd(x, g):
    a, b = jnp.split(x, 2, axis=-1)
    s = jax.nn.sigmoid(b)
    return (jnp.concatenate([g * s, g * a * s * (1 - s)], axis=-1),)


def glu_swapped_bwd(x, g):
    a, b = jnp.split(x, 2, axis=-1)
    s = jax.nn.sigmoid(b)
    return (jnp.concatenate([g * a * s * (1 - s), g * s], axis=-1),)


glu, glu_swapped = made(glu, lambda x: (glu_plain(x), x), glu_bwd, glu_swapped_bwd, "glu_swapped")


def dropped(x, keep, rate):
    return jnp.where(keep, x / (1.0 - rate), 0.0)


dropped_plain = dropped
dropped, dropped_unscaled = made(
    dropped,
    lambda x, keep, rate: (dropped_plain(x, keep, rate), (keep, rate)),
    lambda saved, g: (jnp.where(saved[0], g / (1.0 - saved[1]), 0.0), None, None),
    lambda saved, g: (jnp.where(saved[0], g, 0.0), None, None),
    "dropped_unscaled",
)


def bag(table, ids):
    return table[ids].sum(axis=1)


bag_plain = bag


def bag_bwd(saved, g):
    table, ids = saved
    return jnp.zeros_like(table).at[ids].add(g[:, None, :]), None


def bag_mean_bwd(saved, g):
    table, ids = saved
    return jnp.zeros_like(table).at[ids].add(g[:, None, :] / ids.shape[1]), None


bag, bag_mean = made(
    bag, lambda table, ids: (bag_plain(table, ids), (table, ids)), bag_bwd, bag_mean_bwd, "bag_mean"
)


def heads(q, k):
    return jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(q.shape[-1])


heads_plain = heads


def heads_bwd(saved, g):
    q, k = saved
    scale = 1 / jnp.sqrt(q.shape[-1])
    return (
        jnp.einsum("bhqk,bhkd->bhqd", g, k) * scale,
        jnp.einsum("bhqk,bhqd->bhkd", g, q) * scale,
    )


def heads_unscaled_bwd(saved, g):
    q, k = saved
    return jnp.einsum("bhqk,bhkd->bhqd", g, k), jnp.einsum("bhqk,bhqd->bhkd", g, q)


heads, heads_unscaled = made(
    heads,
    lambda q, k: (heads_plain(q, k), (q, k)),
    heads_bwd,
    heads_unscaled_bwd,
    "heads_unscaled",
)


def squared_distances(x, c):
    return jnp.sum((x[:, None] - c[None]) ** 2, axis=-1)


distances_plain = squared_distances


def distances_bwd(saved, g):
    x, c = saved
    d = x[:, None] - c[None]
    return 2 * jnp.einsum("nk,nkd->nd", g, d), -2 * jnp.einsum("nk,nkd->kd", g, d)


def distances_sign_bwd(saved, g):
    x, c = saved
    d = x[:, None] - c[None]
    return 2 * jnp.einsum("nk,nkd->nd", g, d), 2 * jnp.einsum("nk,nkd->kd", g, d)


squared_distances, distances_sign = made(
    squared_distances,
    lambda x, c: (distances_plain(x, c), (x, c)),
    distances_bwd,
    distances_sign_bwd,
    "distances_sign",
)


def elu(x):
    return jnp.where(x > 0, x, jnp.expm1(jnp.where(x > 0, 0.0, x)))


elu_plain = elu
elu, elu_flat = made(
    elu,
    lambda x: (elu_plain(x), x),
    lambda x, g: (g * jnp.where(x > 0, 1.0, jnp.exp(x)),),
    lambda x, g: (g * jnp.where(x > 0, 1.0, jnp.expm1(x)),),
    "elu_flat",
)


# What JAX derives itself, through its transformations.


def per_row(x):
    return jax.vmap(lambda row: jnp.tanh(row) * row.sum())(x)


@jax.jit
def compiled(x):
    return jax.checkpoint(lambda u: jnp.sin(u) * jax.jit(jnp.exp)(u))(x)


def masked_attention(q, k, v, mask):
    scores = jnp.where(mask, q @ k.T, -1e9)
    return jax.nn.softmax(scores, -1) @ v


def rows_of_own(x):
    """A function with a rule of its own for each row."""
    return jax.vmap(unit_row)(x)


@jax.custom_vjp
def unit_row(x):
    return x / jnp.sqrt(jnp.sum(x * x) + 1.0)


def unit_row_bwd(x, g):
    n = jnp.sqrt(jnp.sum(x * x) + 1.0)
    return (g / n - x * jnp.sum(g * x) / n**3,)


unit_row.defvjp(lambda x: (unit_row(x), x), unit_row_bwd)
unit_row_cubed = again(
    unit_row, "unit_row_cubed", lambda x, g: (g / jnp.sqrt(jnp.sum(x * x) + 1.0),)
)


def rows_of_wrong(x):
    return jax.vmap(unit_row_cubed)(x)


def mish(x):
    return x * jnp.tanh(jax.nn.softplus(x))


def causal(q, k, v):
    length = q.shape[0]
    seen = jnp.arange(length)[:, None] >= jnp.arange(length)[None, :]
    e = jnp.where(seen, jnp.exp(q @ k.T), 0.0)
    return (e / e.sum(-1, keepdims=True)) @ v


def group_norm(x):
    mean = x.mean((1, 2), keepdims=True)
    var = ((x - mean) ** 2).mean((1, 2), keepdims=True)
    return (x - mean) / jnp.sqrt(var + 1e-5)


def straight_through(x):
    """Refuted on purpose: its gradient is that of another function."""
    return x + lax.stop_gradient(jnp.where(x > 0, 1.0, 0.0) - x)


def counted(x):
    """A loop of a number of turns that is known."""
    return lax.fori_loop(0, 3, lambda k, s: s * x + 1.0, jnp.ones_like(x))


ROWS, POINTS = {"x": ("N", "C")}, {"x": ("N",)}
TARGET = {"x": ("N", "C"), "target": ("N", "C")}
LOGITS = {"logits": ("N", "C"), "noise": gp.constant("N", "C"), "tau": gp.real()}
LOGITS |= {"requires": "tau > 0"}
SEGMENTS = {"x": ("N", "D"), "ids": gp.integer("N", below="M"), "counts": gp.constant("M")}
SEGMENTS |= {"requires": "counts > 0"}
ANGLES = {"x": ("L", "2*D"), "cos": gp.constant("L", "D"), "sin": gp.constant("L", "D")}
HUBER = {"x": ("N",), "delta": gp.real(), "requires": "delta > 0"}
CHANCES = {"p": ("N",), "q": ("N",), "requires": ["p > 0", "q > 0"]}
PAIR = {"x": ("N",), "y": ("N",), "requires": ["y > 0", "x > 0"]}
GATED = {"x": ("N", "D"), "w": ("D", "H"), "v": ("D", "H")}
NORM = {"x": ("N", "C"), "w": ("C",), "b": ("C",)}
UNIT = {"x": ("N", "C"), "eps": gp.real(), "requires": "eps > 0"}
IMAGE = {"x": ("N", "C", "2*L + 1"), "w": ("F", "C", 3)}
DROPPED = {"x": ("N", "C"), "keep": gp.boolean("N", "C"), "rate": gp.real()}
DROPPED |= {"requires": "rate < 1"}
HEADS = {"q": ("L", "D"), "k": ("L", "D"), "v": ("L", "E")}
HEAD = {"q": ("L", "D"), "k": ("S", "D"), "v": ("S", "E"), "mask": gp.boolean("L", "S")}

CASES = [
    (safe_norm, safe_norm_squared, ROWS),
    (unit, unit_not_projected, UNIT),
    (xlogy, xlogy_inverted, PAIR),
    (scaled_exp, scaled_exp_lost, {"x": ("N",), "by": gp.given(3)}),
    (squareplus, squareplus_halved, POINTS),
    (gelu_fast, gelu_fast_unscaled, POINTS),
    (hard_tanh, hard_tanh_one_side, POINTS),
    (swiglu, swiglu_gate, GATED),
    (logsumexp, logsumexp_linear, ROWS),
    (layer_norm, layer_norm_unweighted, NORM),
    (rotary, rotary_forwards, ANGLES),
    (segment_mean, segment_mean_summed, SEGMENTS),
    (gumbel_softmax, gumbel_unscaled, LOGITS),
    (top_one, top_one_everywhere, ROWS),
    (mse, mse_of_rows, TARGET),
    (huber, huber_sign, HUBER),
    (kl, kl_lost_one, CHANCES),
    (max_pool, max_pool_average, {"x": ("N", "2*L")}),
    (strided, strided_dense, IMAGE),
    (blocks, blocks_summed, {"x": ("N", "2*L")}),
    (
        window_at,
        window_unsquared,
        {"x": ("N",), "i": gp.integer(below="N - 1"), "requires": "N >= 3"},
    ),
    (softsign, softsign_not_squared, POINTS),
    (glu, glu_swapped, {"x": ("N", "2*C")}),
    (dropped, dropped_unscaled, DROPPED),
    (bag, bag_mean, {"table": ("V", "D"), "ids": gp.integer("N", "L", below="V")}),
    (heads, heads_unscaled, {"q": ("B", "H", "Q", "D"), "k": ("B", "H", "K", "D")}),
    (squared_distances, distances_sign, {"x": ("N", "D"), "c": ("K", "D")}),
    (elu, elu_flat, POINTS),
    (rows_of_own, rows_of_wrong, ROWS),
]
DERIVED = [
    (per_row, ROWS),
    (compiled, POINTS),
    (masked_attention, HEAD),
    (counted, POINTS),
    (mish, POINTS),
    (causal, HEADS),
    (group_norm, {"x": ("N", "G*D", "L")}),
]
RIGHT = [*((right, said) for right, _, said in CASES), *DERIVED]
WRONG = [*((wrong, said) for _, wrong, said in CASES), (straight_through, POINTS)]
