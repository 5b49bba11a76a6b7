"""Loops whose turns read the turn before, as users of JAX write them, right and wrong."""

import jax
import jax.numpy as jnp
from jax import lax
from jax_functions import again

from gradproof import jax as gp

# What JAX derives itself.


def linear(a, x):
    def step(h, now):
        a_t, x_t = now
        h = a_t * h + x_t
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1:]), (a, x))[1]


def last_of_linear(a, x):
    def step(h, now):
        a_t, x_t = now
        return a_t * h + x_t, None

    return lax.scan(step, jnp.zeros(x.shape[1:]), (a, x))[0]


def backwards(x, keep):
    def step(h, x_t):
        h = keep * h + x_t
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1:]), x, reverse=True)[1]


def two_before(x):
    def step(state, x_t):
        a, b = state
        return (b, 0.3 * a + 0.5 * b + x_t), b

    return lax.scan(step, (jnp.zeros(x.shape[1:]), jnp.zeros(x.shape[1:])), x)[1]


def euler(y, k, n):
    return lax.fori_loop(0, 40, lambda _, y: y + 0.01 * jnp.sin(k * y), y)


def over_a_size(x):
    """JAX itself makes a scan of it where the size is a number."""
    return lax.fori_loop(0, x.shape[0], lambda i, c: 0.5 * c + x[i], jnp.zeros(x.shape[1:]))


def associative(a, x):
    def both(left, right):
        return left[0] * right[0], right[0] * left[1] + right[1]

    return lax.associative_scan(both, (a, x))[1]


def products(x):
    return jnp.cumprod(x, axis=1)


# With rules: a cotangent of what each turn leaves, or of what it takes.


@jax.custom_vjp
def average(x, keep):
    def step(h, x_t):
        h = keep * h + (1 - keep) * x_t
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1:]), x)[1]


def average_fwd(x, keep):
    return average(x, keep), keep


def average_bwd(keep, g):
    def step(later, g_t):
        total = g_t + keep * later
        return total, (1 - keep) * total

    return lax.scan(step, jnp.zeros(g.shape[1:]), g, reverse=True)[1], None


def average_forwards_bwd(keep, g):
    def step(later, g_t):
        total = g_t + keep * later
        return total, (1 - keep) * total

    return lax.scan(step, jnp.zeros(g.shape[1:]), g)[1], None


average.defvjp(average_fwd, average_bwd)
average_forwards = again(average, "average_forwards", average_forwards_bwd)


@jax.custom_vjp
def decaying(a, x):
    return linear(a, x)


def decaying_fwd(a, x):
    h = decaying(a, x)
    return h, (a, h)


def shifted(h):
    return jnp.concatenate([jnp.zeros((1, h.shape[1])), h[:-1]])


def decaying_bwd(saved, g):
    a, h = saved
    next_a = jnp.concatenate([a[1:], jnp.zeros((1, a.shape[1]))])

    def step(later, now):
        g_t, a_next = now
        total = g_t + a_next * later
        return total, total

    _, total = lax.scan(step, jnp.zeros(a.shape[1:]), (g, next_a), reverse=True)
    return total * shifted(h), total


def decaying_unshifted_bwd(saved, g):
    a, h = saved

    def step(later, now):
        g_t, a_t = now
        total = g_t + a_t * later
        return total, total

    _, total = lax.scan(step, jnp.zeros(a.shape[1:]), (g, a), reverse=True)
    return total * shifted(h), total


def decaying_turned_bwd(saved, g):
    """Over arrays that are turned round, in place of a loop that goes backwards."""
    a, h = saved

    def step(later, now):
        g_t, a_t = now
        total = g_t + later
        return a_t * total, total

    _, total = lax.scan(step, jnp.zeros(a.shape[1:]), (g[::-1], a[::-1]))
    return total[::-1] * shifted(h), total[::-1]


decaying.defvjp(decaying_fwd, decaying_bwd)
decaying_turned = again(decaying, "decaying_turned", decaying_turned_bwd)
decaying_unshifted = again(decaying, "decaying_unshifted", decaying_unshifted_bwd)


@jax.custom_vjp
def states_and_last(a, x):
    def step(h, now):
        a_t, x_t = now
        h = a_t * h + x_t
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1:]), (a, x))


def states_and_last_fwd(a, x):
    last, h = states_and_last(a, x)
    return (last, h), (a, h)


def states_and_last_bwd(saved, g):
    a, h = saved
    g_last, g_h = g

    def step(later, now):
        g_t, a_t = now
        total = g_t + later
        return total * a_t, total

    _, total = lax.scan(step, g_last, (g_h, a), reverse=True)
    return total * shifted(h), total


def forgets_the_last_bwd(saved, g):
    return states_and_last_bwd(saved, (jnp.zeros_like(g[0]), g[1]))


states_and_last.defvjp(states_and_last_fwd, states_and_last_bwd)
forgets_the_last = again(states_and_last, "forgets_the_last", forgets_the_last_bwd)


# A network of tanh.


@jax.custom_vjp
def network(x, u, first):
    def step(h, x_t):
        h = jnp.tanh(h @ u + x_t)
        return h, h

    return lax.scan(step, first, x)[1]


def network_fwd(x, u, first):
    h = network(x, u, first)
    return h, (u, first, h)


def network_bwd(saved, g):
    u, first, h = saved
    before = jnp.concatenate([first[None], h[:-1]])

    def step(carry, now):
        h_bar, u_bar = carry
        g_t, h_t, before_t = now
        z_bar = (g_t + h_bar) * (1 - h_t**2)
        return (z_bar @ u.T, u_bar + jnp.outer(before_t, z_bar)), z_bar

    start = (jnp.zeros_like(first), jnp.zeros_like(u))
    (first_bar, u_bar), x_bar = lax.scan(step, start, (g, h, before), reverse=True)
    return x_bar, u_bar, first_bar


def network_with(turn_round, use, save):
    """The rule with one thing changed: a transpose, the slope, or the state that is used."""

    def bwd(saved, g):
        u, first, h = saved
        before = jnp.concatenate([first[None], h[:-1]])

        def step(h_bar, now):
            g_t, h_t = now
            z_bar = (g_t + h_bar) * use(h_t)
            return z_bar @ turn_round(u), z_bar

        first_bar, x_bar = lax.scan(step, jnp.zeros_like(first), (g, h), reverse=True)
        return x_bar, save(before, h).T @ x_bar, first_bar

    return bwd


SLOPE, TRANSPOSED, BEFORE = lambda h: 1 - h**2, lambda u: u.T, lambda before, h: before
network.defvjp(network_fwd, network_bwd)
by_product = again(network, "by_product", network_with(TRANSPOSED, SLOPE, BEFORE))
not_transposed = again(network, "not_transposed", network_with(lambda u: u, SLOPE, BEFORE))
slope_of_sigmoid = again(
    network, "slope_of_sigmoid", network_with(TRANSPOSED, lambda h: h * (1 - h), BEFORE)
)
state_after = again(network, "state_after", network_with(TRANSPOSED, SLOPE, lambda before, h: h))


def derived_network(x, u, first):
    return network.fun(x, u, first)


CELLS = ("T", "N")
NETWORK = {"x": CELLS, "u": ("N", "N"), "first": "N"}
PAIR = {"a": CELLS, "x": CELLS}
RIGHT = [
    (linear, PAIR),
    (last_of_linear, PAIR),
    (backwards, {"x": CELLS, "keep": "N"}),
    (two_before, {"x": CELLS}),
    (euler, {"y": "N", "k": "N", "n": gp.given(1)}),
    (over_a_size, {"x": CELLS}),
    (associative, PAIR),
    (products, {"x": CELLS}),
    (average, {"x": CELLS, "keep": gp.constant()}),
    (decaying, PAIR),
    (decaying_turned, PAIR),
    (states_and_last, PAIR),
    (network, NETWORK),
    (by_product, NETWORK),
    (derived_network, NETWORK),
]
WRONG = [
    (average_forwards, {"x": CELLS, "keep": gp.constant()}),
    (decaying_unshifted, PAIR),
    (forgets_the_last, PAIR),
    (not_transposed, NETWORK),
    (slope_of_sigmoid, NETWORK),
    (state_after, NETWORK),
]
