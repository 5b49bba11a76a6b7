"""Custom gradients as users of JAX write them, and each again with a typical mistake.

`RIGHT` and `WRONG` are (function, arguments): what is said of them is what a user would say.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from gradproof import jax as gp


def again(function, name, bwd, fwd=None):
    """A function of `custom_vjp` with another rule."""
    made = jax.custom_vjp(function.fun, nondiff_argnums=function.nondiff_argnums)
    made.defvjp(fwd or function.fwd, bwd)
    made.__name__ = name
    return made


# Pointwise.


@jax.custom_vjp
def log1pexp(x):
    return jnp.log(1.0 + jnp.exp(x))


def log1pexp_fwd(x):
    return log1pexp(x), x


log1pexp.defvjp(log1pexp_fwd, lambda x, g: (g * jnp.exp(x) / (1.0 + jnp.exp(x)),))
log1pexp_inverted = again(log1pexp, "log1pexp_inverted", lambda x, g: (g / (1.0 + jnp.exp(x)),))


@jax.custom_vjp
def swish(x):
    return x * jax.nn.sigmoid(x)


def swish_fwd(x):
    return swish(x), x


def swish_bwd(x, g):
    s = jax.nn.sigmoid(x)
    return (g * (s + x * s * (1 - s)),)


swish.defvjp(swish_fwd, swish_bwd)
swish_lost_term = again(
    swish, "swish_lost_term", lambda x, g: (g * x * jax.nn.sigmoid(x) * (1 - jax.nn.sigmoid(x)),)
)


@jax.custom_vjp
def leaky(x):
    return jnp.where(x > 0, x, 0.1 * x)


leaky.defvjp(lambda x: (leaky(x), x > 0), lambda mask, g: (jnp.where(mask, g, 0.1 * g),))
leaky_forgot_slope = again(leaky, "leaky_forgot_slope", lambda mask, g: (jnp.where(mask, g, 0.0),))


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def scaled(x, by):
    return x**2 * by


scaled.defvjp(lambda x, by: (scaled(x, by), x), lambda by, x, g: (2 * g * x * by,))
scaled_twice = again(scaled, "scaled_twice", lambda by, x, g: (2 * g * x * by * by,))


@jax.custom_jvp
def cube(x):
    return x**3


@cube.defjvp
def cube_jvp(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return cube(x), 3 * x**2 * x_dot


@jax.custom_jvp
def cube_without_factor(x):
    return x**3


@cube_without_factor.defjvp
def cube_without_factor_jvp(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return cube_without_factor(x), x**2 * x_dot


@jax.custom_jvp
def safe_sqrt(x):
    return jnp.sqrt(x)


safe_sqrt.defjvps(lambda x_dot, y, x: x_dot / (2 * y))


# Products, and what is broadcast.


@jax.custom_vjp
def linear(x, w, b):
    return x @ w + b


def linear_fwd(x, w, b):
    return linear(x, w, b), (x, w)


def linear_bwd(saved, g):
    x, w = saved
    return g @ w.T, x.T @ g, g.sum(0)


linear.defvjp(linear_fwd, linear_bwd)


def linear_mean_bwd(saved, g):
    x, w = saved
    return g @ w.T, x.T @ g, g.mean(0)


linear_mean = again(linear, "linear_mean", linear_mean_bwd)


@jax.custom_vjp
def bilinear(x, a):
    return jnp.einsum("ni,ij,nj->n", x, a, x)


def bilinear_bwd(saved, g):
    x, a = saved
    return g[:, None] * (x @ a.T + x @ a), jnp.einsum("n,ni,nj->ij", g, x, x)


bilinear.defvjp(lambda x, a: (bilinear(x, a), (x, a)), bilinear_bwd)


def bilinear_symmetric_bwd(saved, g):
    x, a = saved
    return 2 * g[:, None] * (x @ a), jnp.einsum("n,ni,nj->ij", g, x, x)


bilinear_symmetric = again(bilinear, "bilinear_symmetric", bilinear_symmetric_bwd)


@jax.custom_vjp
def gated(x, gate):
    return x * jax.nn.sigmoid(gate)


def gated_bwd(saved, g):
    x, s = saved
    return g * s, jnp.sum(g * x * s * (1 - s), axis=0)


gated.defvjp(
    lambda x, gate: (gated(x, gate), (x, jax.nn.sigmoid(gate))),
    gated_bwd,
)


def gated_unscaled_bwd(saved, g):
    x, s = saved
    return g * s, jnp.sum(g * x * s, axis=0)


gated_unscaled = again(gated, "gated_unscaled", gated_unscaled_bwd)


# Along an axis.


@jax.custom_vjp
def softmax(x):
    e = jnp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_fwd(x):
    y = softmax(x)
    return y, y


def softmax_bwd(y, g):
    return (y * (g - (g * y).sum(-1, keepdims=True)),)


softmax.defvjp(softmax_fwd, softmax_bwd)
softmax_diagonal = again(softmax, "softmax_diagonal", lambda y, g: (g * y * (1 - y),))


@jax.custom_vjp
def centred(x):
    return x - jnp.mean(x, axis=-1, keepdims=True)


centred.defvjp(
    lambda x: (centred(x), None),
    lambda _, g: (g - jnp.mean(g, axis=-1, keepdims=True),),
)
centred_as_constant = again(centred, "centred_as_constant", lambda _, g: (g,))


@jax.custom_vjp
def norms(x):
    return jnp.sqrt(jnp.sum(x * x, axis=1) + 1e-6)


norms.defvjp(
    lambda x: (norms(x), (x, norms(x))),
    lambda saved, g: ((g / saved[1])[:, None] * saved[0],),
)
norms_not_divided = again(norms, "norms_not_divided", lambda saved, g: (g[:, None] * saved[0],))


@jax.custom_vjp
def running_total(x):
    return jnp.cumsum(x, axis=1)


running_total.defvjp(
    lambda x: (running_total(x), None),
    lambda _, g: (jnp.cumsum(g[:, ::-1], axis=1)[:, ::-1],),
)
running_total_forwards = again(
    running_total, "running_total_forwards", lambda _, g: (jnp.cumsum(g, axis=1),)
)


@jax.custom_vjp
def differences(x):
    return x[:, 1:] - x[:, :-1]


def differences_bwd(_, g):
    return (jnp.pad(g, ((0, 0), (1, 0))) - jnp.pad(g, ((0, 0), (0, 1))),)


differences.defvjp(lambda x: (differences(x), None), differences_bwd)
differences_swapped = again(
    differences,
    "differences_swapped",
    lambda _, g: (jnp.pad(g, ((0, 0), (0, 1))) - jnp.pad(g, ((0, 0), (1, 0))),),
)


@jax.custom_vjp
def halves(x):
    a, b = jnp.split(x, 2, axis=1)
    return a * b


def halves_bwd(x, g):
    a, b = jnp.split(x, 2, axis=1)
    return (jnp.concatenate([g * b, g * a], axis=1),)


halves.defvjp(lambda x: (halves(x), x), halves_bwd)


def halves_straight_bwd(x, g):
    a, b = jnp.split(x, 2, axis=1)
    return (jnp.concatenate([g * a, g * b], axis=1),)


halves_straight = again(halves, "halves_straight", halves_straight_bwd)


# Indices.


@jax.custom_vjp
def lookup(table, ids):
    return table[ids]


def lookup_bwd(saved, g):
    table, ids = saved
    return jnp.zeros_like(table).at[ids].add(g), None


lookup.defvjp(lambda table, ids: (lookup(table, ids), (table, ids)), lookup_bwd)


def lookup_averaged_bwd(saved, g):
    table, ids = saved
    return jnp.zeros_like(table).at[ids].add(g / ids.shape[0]), None


lookup_averaged = again(lookup, "lookup_averaged", lookup_averaged_bwd)


@jax.custom_vjp
def cross_entropy(logits, labels):
    picked = jnp.take_along_axis(logits, labels[:, None], axis=1)[:, 0]
    return jnp.mean(jax.nn.logsumexp(logits, axis=1) - picked)


def cross_entropy_bwd(saved, g):
    logits, labels = saved
    hot = jax.nn.one_hot(labels, logits.shape[1], dtype=logits.dtype)
    return g * (jax.nn.softmax(logits, axis=1) - hot) / logits.shape[0], None


cross_entropy.defvjp(
    lambda logits, labels: (cross_entropy(logits, labels), (logits, labels)),
    cross_entropy_bwd,
)


def cross_entropy_summed_bwd(saved, g):
    logits, labels = saved
    hot = jax.nn.one_hot(labels, logits.shape[1], dtype=logits.dtype)
    return g * (jax.nn.softmax(logits, axis=1) - hot), None


cross_entropy_summed = again(cross_entropy, "cross_entropy_summed", cross_entropy_summed_bwd)


@jax.custom_vjp
def masked(x, mask):
    return jnp.where(mask, jnp.exp(x), 0.0)


masked.defvjp(
    lambda x, mask: (masked(x, mask), (masked(x, mask), mask)),
    lambda saved, g: (g * saved[0], None),
)
masked_everywhere = again(
    masked,
    "masked_everywhere",
    lambda saved, g: (g * saved[0], None),
    lambda x, mask: (masked(x, mask), (jnp.exp(x), mask)),
)


# Windows.


@jax.custom_vjp
def average_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 2), (1, 2), "VALID") / 2


def average_pool_bwd(_, g):
    return (jnp.repeat(g, 2, axis=1) / 2,)


average_pool.defvjp(lambda x: (average_pool(x), None), average_pool_bwd)
average_pool_summed = again(
    average_pool, "average_pool_summed", lambda _, g: (jnp.repeat(g, 2, axis=1),)
)


@jax.custom_vjp
def correlate(x, w):
    return lax.conv_general_dilated(x, w, (1,), [(1, 1)])


def correlate_bwd(saved, g):
    x, w = saved
    back = jnp.flip(w, 2).transpose(1, 0, 2)
    x_bar = lax.conv_general_dilated(g, back, (1,), [(1, 1)])
    w_bar = lax.conv_general_dilated(
        x.transpose(1, 0, 2), g.transpose(1, 0, 2), (1,), [(1, 1)]
    ).transpose(1, 0, 2)
    return x_bar, w_bar


correlate.defvjp(lambda x, w: (correlate(x, w), (x, w)), correlate_bwd)


def correlate_not_flipped_bwd(saved, g):
    back = saved[1].transpose(1, 0, 2)
    return lax.conv_general_dilated(g, back, (1,), [(1, 1)]), correlate_bwd(saved, g)[1]


correlate_not_flipped = again(correlate, "correlate_not_flipped", correlate_not_flipped_bwd)


# Loops and choices.


def horner(x, coefficients):
    """What JAX derives itself, through a loop of four turns."""

    def step(carry, c):
        return carry * x + c, None

    return lax.scan(step, jnp.zeros_like(x), coefficients)[0]


def energies(x):
    """A loop of any number of turns that adds up."""
    return lax.scan(lambda total, row: (total + row * row, total), jnp.zeros(x.shape[1]), x)[1]


def attention(q, k, v):
    """What JAX derives itself."""
    return jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[1])) @ v


@jax.custom_vjp
def clipped(x):
    return lax.select(x > 1, jnp.ones_like(x), x)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (jnp.where(x > 1, 0.0, g),))
clipped_both_sides = again(
    clipped, "clipped_both_sides", lambda x, g: (jnp.where(jnp.abs(x) > 1, 0.0, g),)
)

POINTS, ROWS = {"x": ("N",)}, {"x": ("N", "C")}
LINEAR = {"x": ("N", "D"), "w": ("D", "K"), "b": ("K",)}
LABELS = {"logits": ("N", "C"), "labels": gp.integer("N", below="C")}
TABLE = {"table": ("V", "D"), "ids": gp.integer("N", below="V")}
MASK = {"x": ("N", "C"), "mask": gp.boolean("N", "C")}
IMAGE = {"x": ("N", "C", "L"), "w": ("F", "C", 3)}

RIGHT = [
    (log1pexp, POINTS),
    (swish, POINTS),
    (leaky, POINTS),
    (scaled, {"x": ("N",), "by": gp.size("K")}),
    (cube, POINTS),
    (safe_sqrt, {"x": ("N",), "requires": "x > 0"}),
    (linear, LINEAR),
    (bilinear, {"x": ("N", "D"), "a": ("D", "D")}),
    (gated, {"x": ("N", "C"), "gate": ("C",)}),
    (softmax, ROWS),
    (centred, ROWS),
    (norms, ROWS),
    (running_total, ROWS),
    (differences, {"x": ("N", "C"), "requires": "C >= 2"}),
    (halves, {"x": ("N", "2*C")}),
    (lookup, TABLE),
    (cross_entropy, LABELS),
    (masked, MASK),
    (average_pool, {"x": ("N", "2*L")}),
    (correlate, IMAGE),
    (horner, {"x": ("N",), "coefficients": (4,)}),
    (energies, ROWS),
    (attention, {"q": ("L", "D"), "k": ("S", "D"), "v": ("S", "E")}),
    (clipped, POINTS),
]
WRONG = [
    (log1pexp_inverted, POINTS),
    (swish_lost_term, POINTS),
    (leaky_forgot_slope, POINTS),
    (scaled_twice, {"x": ("N",), "by": gp.size("K")}),
    (cube_without_factor, POINTS),
    (linear_mean, LINEAR),
    (bilinear_symmetric, {"x": ("N", "D"), "a": ("D", "D")}),
    (gated_unscaled, {"x": ("N", "C"), "gate": ("C",)}),
    (softmax_diagonal, ROWS),
    (centred_as_constant, ROWS),
    (norms_not_divided, ROWS),
    (running_total_forwards, ROWS),
    (differences_swapped, {"x": ("N", "C"), "requires": "C >= 2"}),
    (halves_straight, {"x": ("N", "2*C")}),
    (lookup_averaged, TABLE),
    (cross_entropy_summed, LABELS),
    (masked_everywhere, MASK),
    (average_pool_summed, {"x": ("N", "2*L")}),
    (correlate_not_flipped, IMAGE),
    (clipped_both_sides, POINTS),
]
