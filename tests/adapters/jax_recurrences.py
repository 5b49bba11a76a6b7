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


# Gates: their slopes are of what is computed within a turn.


@jax.custom_vjp
def gated(x, z, u):
    """A cell with one gate, which also says how much of the state is forgotten."""

    def step(h, now):
        x_t, z_t = now
        keep = jax.nn.sigmoid(z_t + u * h)
        h = keep * h + (1 - keep) * jnp.tanh(x_t)
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1:]), (x, z))[1]


def gated_fwd(x, z, u):
    h = gated(x, z, u)
    return h, (x, z, u, h)


def gated_with(slope, before):
    """The gate is computed anew, from the states that are saved."""

    def bwd(saved, g):
        x, z, u, h = saved

        def step(later, now):
            x_t, z_t, h_t, g_t = now
            keep, new = jax.nn.sigmoid(z_t + u * h_t), jnp.tanh(x_t)
            total = later + g_t
            z_bar = total * (h_t - new) * slope(keep)
            return total * keep + z_bar * u, (total * (1 - keep) * (1 - new**2), z_bar)

        entering = before(h)
        given = (x, z, entering, g)
        _, (x_bar, z_bar) = lax.scan(step, jnp.zeros(g.shape[1:]), given, reverse=True)
        return x_bar, z_bar, (z_bar * entering).sum(0)

    return bwd


def gate_slope(a):
    return a * (1 - a)


gated.defvjp(gated_fwd, gated_with(gate_slope, shifted))
gate_without_slope = again(gated, "gate_without_slope", gated_with(lambda _: 1, shifted))
gate_of_state_after = again(gated, "gate_of_state_after", gated_with(gate_slope, lambda h: h))


@jax.custom_vjp
def gru(x_r, x_z, x_n, u_r, u_z, u_n):
    return gru_steps(x_r, x_z, x_n, u_r, u_z, u_n)[0]


def gru_steps(x_r, x_z, x_n, u_r, u_z, u_n):
    def step(h, now):
        to_r, to_z, to_n = now
        r, z = jax.nn.sigmoid(to_r + u_r * h), jax.nn.sigmoid(to_z + u_z * h)
        n = jnp.tanh(to_n + r * (u_n * h))
        after = (1 - z) * n + z * h
        return after, (after, h, r, z, n)

    return lax.scan(step, jnp.zeros(x_r.shape[1:]), (x_r, x_z, x_n))[1]


def gru_fwd(x_r, x_z, x_n, u_r, u_z, u_n):
    h, *rest = gru_steps(x_r, x_z, x_n, u_r, u_z, u_n)
    return h, (u_r, u_z, u_n, *rest)


def gru_with(slope):
    def bwd(saved, g):
        u_r, u_z, u_n, before, *gates = saved

        def step(later, now):
            h, r, z, n, g_t = now
            total = later + g_t
            n_bar = total * (1 - z) * slope(n)
            z_bar = total * (h - n) * z * (1 - z)
            r_bar = n_bar * u_n * h * r * (1 - r)
            earlier = total * z + n_bar * r * u_n + z_bar * u_z + r_bar * u_r
            return earlier, (r_bar, z_bar, n_bar, n_bar * r)

        given = (before, *gates, g)
        found = lax.scan(step, jnp.zeros(g.shape[1:]), given, reverse=True)[1]
        r_bar, z_bar, n_bar, reset = found
        weights = ((bar * before).sum(0) for bar in (r_bar, z_bar, reset))
        return r_bar, z_bar, n_bar, *weights

    return bwd


gru.defvjp(gru_fwd, gru_with(SLOPE))
gru_without_slope = again(gru, "gru_without_slope", gru_with(lambda n: 1))


@jax.custom_vjp
def lstm(x_i, x_f, x_g, x_o, u):
    return lstm_steps(x_i, x_f, x_g, x_o, u)[0]


def lstm_steps(x_i, x_f, x_g, x_o, u):
    def step(carry, now):
        h, c = carry
        to_i, to_f, to_g, to_o = now
        i, f = jax.nn.sigmoid(to_i + u[0] * h), jax.nn.sigmoid(to_f + u[1] * h)
        g, o = jnp.tanh(to_g + u[2] * h), jax.nn.sigmoid(to_o + u[3] * h)
        after = f * c + i * g
        given = o * jnp.tanh(after)
        return (given, after), (given, h, c, after, i, f, g, o)

    zeros = jnp.zeros(x_i.shape[1:])
    return lax.scan(step, (zeros, zeros), (x_i, x_f, x_g, x_o))[1]


def lstm_fwd(x_i, x_f, x_g, x_o, u):
    h, *rest = lstm_steps(x_i, x_f, x_g, x_o, u)
    return h, (u, *rest)


def lstm_with(shown):
    def bwd(saved, grad):
        u, before, *gates = saved

        def step(carry, now):
            h_bar, c_bar = carry
            c, after, i, f, g, o, grad_t = now
            squashed = jnp.tanh(shown(c, after))
            h_all = h_bar + grad_t
            o_bar = h_all * squashed * o * (1 - o)
            c_all = c_bar + h_all * o * (1 - squashed**2)
            i_bar, f_bar = c_all * g * i * (1 - i), c_all * c * f * (1 - f)
            g_bar = c_all * i * (1 - g**2)
            earlier = u[0] * i_bar + u[1] * f_bar + u[2] * g_bar + u[3] * o_bar
            return (earlier, c_all * f), (i_bar, f_bar, g_bar, o_bar)

        zeros = jnp.zeros(grad.shape[1:])
        found = lax.scan(step, (zeros, zeros), (*gates, grad), reverse=True)[1]
        return *found, jnp.stack([(bar * before).sum(0) for bar in found])

    return bwd


lstm.defvjp(lstm_fwd, lstm_with(lambda c, after: after))
lstm_of_state_before = again(lstm, "lstm_of_state_before", lstm_with(lambda c, after: c))


@jax.custom_vjp
def gru_network(x, w, u, first):
    return gru_network_steps(x, w, u, first)[0]


def gru_network_steps(x, w, u, first):
    def step(h, x_t):
        r = jax.nn.sigmoid(x_t @ w[0] + h @ u[0])
        z = jax.nn.sigmoid(x_t @ w[1] + h @ u[1])
        seen = h @ u[2]
        n = jnp.tanh(x_t @ w[2] + r * seen)
        after = (1 - z) * n + z * h
        return after, (after, h, r, z, n, seen)

    return lax.scan(step, first, x)[1]


def gru_network_fwd(x, w, u, first):
    h, *rest = gru_network_steps(x, w, u, first)
    return h, (x, w, u, *rest)


def gru_network_with(seen_of):
    def bwd(saved, g):
        x, w, u, before, *gates = saved

        def step(later, now):
            h, r, z, n, seen, g_t = now
            total = later + g_t
            n_bar = total * (1 - z) * (1 - n**2)
            z_bar = total * (h - n) * z * (1 - z)
            r_bar, seen_bar = n_bar * seen * r * (1 - r), seen_of(n_bar, r)
            earlier = total * z + seen_bar @ u[2].T + z_bar @ u[1].T + r_bar @ u[0].T
            return earlier, (r_bar, z_bar, n_bar, seen_bar)

        given = (before, *gates, g)
        first_bar, bars = lax.scan(step, jnp.zeros(g.shape[1:]), given, reverse=True)
        r_bar, z_bar, n_bar, seen_bar = bars
        x_bar = r_bar @ w[0].T + z_bar @ w[1].T + n_bar @ w[2].T
        w_bar = jnp.stack([x.T @ r_bar, x.T @ z_bar, x.T @ n_bar])
        return x_bar, w_bar, before_times(before, r_bar, z_bar, seen_bar), first_bar

    return bwd


def before_times(before, *bars):
    return jnp.stack([before.T @ bar for bar in bars])


gru_network.defvjp(gru_network_fwd, gru_network_with(lambda n_bar, r: n_bar * r))
gru_network_without_reset = again(
    gru_network, "gru_network_without_reset", gru_network_with(lambda n_bar, r: n_bar)
)

CELLS = ("T", "N")
GATED = {"x": CELLS, "z": CELLS, "u": "N"}
GRU = {"x_r": CELLS, "x_z": CELLS, "x_n": CELLS, "u_r": "N", "u_z": "N", "u_n": "N"}
LSTM = {"x_i": CELLS, "x_f": CELLS, "x_g": CELLS, "x_o": CELLS, "u": (4, "N")}
GRU_NETWORK = {"x": ("T", "M"), "w": (3, "M", "N"), "u": (3, "N", "N"), "first": "N"}
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
    (gated, GATED),
    (gru, GRU),
    (lstm, LSTM),
    (gru_network, GRU_NETWORK),
]
WRONG = [
    (average_forwards, {"x": CELLS, "keep": gp.constant()}),
    (decaying_unshifted, PAIR),
    (forgets_the_last, PAIR),
    (not_transposed, NETWORK),
    (slope_of_sigmoid, NETWORK),
    (state_after, NETWORK),
    (gate_without_slope, GATED),
    (gate_of_state_after, GATED),
    (gru_without_slope, GRU),
    (lstm_of_state_before, LSTM),
    (gru_network_without_reset, GRU_NETWORK),
]
