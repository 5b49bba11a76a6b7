"""Loops whose turns read the turn before, as users of NumPy write them, right and wrong."""

import numpy as np

from gradproof import numpy as gp

# The state in an array: what a turn leaves stands in the next cell.


def linear(a, x):
    h = np.zeros(x.shape[0] + 1)
    for t in range(x.shape[0]):
        h[t + 1] = a[t] * h[t] + x[t]
    return h[1:], h


def linear_backward(dy, cache, a):
    h = cache
    da, dx = np.zeros_like(a), np.zeros_like(a)
    later = 0.0
    for t in reversed(range(a.shape[0])):
        total = dy[t] + later
        da[t] = total * h[t]
        dx[t] = total
        later = total * a[t]
    return da, dx


def linear_backward_forgets(dy, cache, a):
    da, dx = np.zeros_like(a), np.zeros_like(a)
    for t in reversed(range(a.shape[0])):
        da[t] = dy[t] * cache[t]
        dx[t] = dy[t]
    return da, dx


def linear_backward_of_state_after(dy, cache, a):
    h = cache
    da, dx = np.zeros_like(a), np.zeros_like(a)
    later = 0.0
    for t in range(a.shape[0] - 1, -1, -1):
        total = dy[t] + later
        da[t] = total * h[t + 1]
        dx[t] = total
        later = total * a[t]
    return da, dx


def linear_backward_of_other_turn(dy, cache, a):
    h = cache
    da, dx = np.zeros_like(a), np.zeros_like(a)
    later = 0.0
    for t in range(a.shape[0] - 1, -1, -1):
        later = dy[t] + later * a[t]
        da[t] = later * h[t]
        dx[t] = later
    return da, dx


# An average by name, and its backward in an array.


def average(x, keep):
    y = np.zeros_like(x)
    h = 0.0
    for t in range(len(x)):
        h = keep * h + (1 - keep) * x[t]
        y[t] = h
    return y


def average_backward(dy, keep):
    dh = dy.copy()
    for t in range(len(dy) - 2, -1, -1):
        dh[t] += keep * dh[t + 1]
    return (1 - keep) * dh


def average_backward_forwards(dy, keep):
    dh = dy.copy()
    for t in range(1, len(dy)):
        dh[t] += keep * dh[t - 1]
    return (1 - keep) * dh


def average_backward_unscaled(dy, keep):
    dh = dy.copy()
    for t in range(len(dy) - 2, -1, -1):
        dh[t] += (1 - keep) * dh[t + 1]
    return (1 - keep) * dh


def average_from_first(x, keep):
    """From the first value on."""
    y = np.empty_like(x)
    y[0] = x[0]
    for t in range(1, x.shape[0]):
        y[t] = keep * y[t - 1] + (1 - keep) * x[t]
    return y


def average_from_first_backward(dy, keep):
    dx = np.zeros_like(dy)
    dh = dy.copy()
    for t in range(dy.shape[0] - 1, 0, -1):
        dx[t] = (1 - keep) * dh[t]
        dh[t - 1] += keep * dh[t]
    dx[0] = dh[0]
    return dx


def average_from_first_backward_scaled(dy, keep):
    dx = np.zeros_like(dy)
    dh = dy.copy()
    for t in range(dy.shape[0] - 1, 0, -1):
        dx[t] = (1 - keep) * dh[t]
        dh[t - 1] += keep * dh[t]
    dx[0] = (1 - keep) * dh[0]
    return dx


# A cell of tanh, of numbers and of vectors.


def tanh_cell(x, a):
    y = np.zeros_like(x)
    h = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(a * h + x[t])
        y[t] = h
    return y


def tanh_cell_backward(dy, x, a, y):
    dx = np.zeros_like(x)
    dh = 0.0
    for t in reversed(range(x.shape[0])):
        dz = (dy[t] + dh) * (1 - y[t] ** 2)
        dx[t] = dz
        dh = a * dz
    return dx


def tanh_cell_backward_without_slope(dy, x, a, y):
    dx = np.zeros_like(x)
    dh = 0.0
    for t in reversed(range(x.shape[0])):
        dx[t] = dy[t] + dh
        dh = a * dx[t]
    return dx


def network(x, u, first):
    steps, size = x.shape
    h = np.zeros((steps, size))
    before = first
    for t in range(steps):
        before = np.tanh(before @ u + x[t])
        h[t] = before
    return h


def network_backward(dy, x, u, first, y):
    dx, du = np.zeros_like(x), np.zeros_like(u)
    later = np.zeros_like(first)
    for t in reversed(range(x.shape[0])):
        before = y[t - 1] if t > 0 else first
        dz = (dy[t] + later) * (1 - y[t] ** 2)
        dx[t] = dz
        du += np.outer(before, dz)
        later = dz @ u.T
    return dx, du, later


def network_backward_not_transposed(dy, x, u, first, y):
    dx, du = np.zeros_like(x), np.zeros_like(u)
    later = np.zeros_like(first)
    for t in reversed(range(x.shape[0])):
        before = y[t - 1] if t > 0 else first
        dz = (dy[t] + later) * (1 - y[t] ** 2)
        dx[t] = dz
        du += np.outer(before, dz)
        later = dz @ u
    return dx, du, later


def network_in_an_array(x, u):
    h = np.zeros((x.shape[0] + 1, x.shape[1]))
    for t in range(x.shape[0]):
        h[t + 1] = np.tanh(h[t] @ u + x[t])
    return h[1:], h


def network_in_an_array_backward(dy, h, x, u):
    dx, du = np.zeros_like(x), np.zeros_like(u)
    dh = np.zeros_like(h)
    dh[1:] = dy
    for t in reversed(range(x.shape[0])):
        dz = dh[t + 1] * (1 - h[t + 1] ** 2)
        dx[t] = dz
        du += np.outer(h[t], dz)
        dh[t] += u @ dz
    return dx, du


def network_in_an_array_backward_of_state_after(dy, h, x, u):
    dx, du = np.zeros_like(x), np.zeros_like(u)
    dh = np.zeros_like(h)
    dh[1:] = dy
    for t in reversed(range(x.shape[0])):
        dz = dh[t + 1] * (1 - h[t + 1] ** 2)
        dx[t] = dz
        du += np.outer(h[t + 1], dz)
        dh[t] += u @ dz
    return dx, du


# A product by name.


def products(x):
    y = np.zeros_like(x)
    p = 1.0
    for i in range(x.shape[0]):
        p = p * x[i]
        y[i] = p
    return y


def products_backward(dy, x, y):
    dx = np.zeros_like(x)
    later = 0.0
    for i in reversed(range(x.shape[0])):
        total = dy[i] + later
        dx[i] = total * (y[i - 1] if i > 0 else 1.0)
        later = total * x[i]
    return dx


def products_backward_of_product_after(dy, x, y):
    dx = np.zeros_like(x)
    later = 0.0
    for i in reversed(range(x.shape[0])):
        total = dy[i] + later
        dx[i] = total * y[i]
        later = total * x[i]
    return dx


# The last state alone.


def last(x, a):
    h = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(a * h + x[t])
    return h


def last_backward(dh, x, a):
    hs = np.zeros(x.shape[0] + 1)
    for t in range(x.shape[0]):
        hs[t + 1] = np.tanh(a * hs[t] + x[t])
    dx = np.zeros_like(x)
    for t in reversed(range(x.shape[0])):
        dx[t] = dh * (1 - hs[t + 1] ** 2)
        dh = a * dx[t]
    return dx


def last_backward_of_state_before(dh, x, a):
    hs = np.zeros(x.shape[0] + 1)
    for t in range(x.shape[0]):
        hs[t + 1] = np.tanh(a * hs[t] + x[t])
    dx = np.zeros_like(x)
    for t in reversed(range(x.shape[0])):
        dx[t] = dh * (1 - hs[t] ** 2)
        dh = a * dx[t]
    return dx


# Two states, and a sum beside them.


def momentum(g, rate, keep):
    w = np.zeros_like(g)
    v, at = 0.0, 0.0
    for t in range(g.shape[0]):
        v = keep * v + g[t]
        at = at - rate * v - 0.1 * at
        w[t] = at
    return w


def momentum_backward(dw, rate, keep):
    dg = np.zeros_like(dw)
    dv, dat = 0.0, 0.0
    for t in reversed(range(dw.shape[0])):
        dat = dat + dw[t]
        dv = dv - rate * dat
        dg[t] = dv
        dv = keep * dv
        dat = 0.9 * dat
    return dg


def momentum_backward_keeps_nothing(dw, rate, keep):
    dg = np.zeros_like(dw)
    dat = 0.0
    for t in reversed(range(dw.shape[0])):
        dat = dat + dw[t]
        dg[t] = -rate * dat
        dat = 0.9 * dat
    return dg


# Loops within a turn, and a function that it calls; a batch; a state that is changed in place.


def cell(x, h, u):
    made = np.zeros_like(h)
    for i in range(h.shape[0]):
        z = x[i]
        for j in range(h.shape[0]):
            z += u[i, j] * h[j]
        made[i] = np.tanh(z)
    return made


def cells(x, u):
    h = np.zeros((x.shape[0] + 1, x.shape[1]))
    for t in range(1, x.shape[0] + 1):
        h[t] = cell(x[t - 1], h[t - 1], u)
    return h[1:], h


def cells_backward(dy, h, x, u):
    dx, du, dh = np.zeros_like(x), np.zeros_like(u), np.zeros_like(h)
    dh[1:] = dy
    for t in range(x.shape[0], 0, -1):
        for i in range(x.shape[1]):
            dz = dh[t, i] * (1 - h[t, i] ** 2)
            dx[t - 1, i] += dz
            for j in range(x.shape[1]):
                du[i, j] += dz * h[t - 1, j]
                dh[t - 1, j] += dz * u[i, j]
    return dx, du


def cells_backward_transposed(dy, h, x, u):
    dx, du, dh = np.zeros_like(x), np.zeros_like(u), np.zeros_like(h)
    dh[1:] = dy
    for t in range(x.shape[0], 0, -1):
        for i in range(x.shape[1]):
            dz = dh[t, i] * (1 - h[t, i] ** 2)
            dx[t - 1, i] += dz
            for j in range(x.shape[1]):
                du[i, j] += dz * h[t - 1, j]
                dh[t - 1, j] += dz * u[j, i]
    return dx, du


def batch(x, u):
    h = np.zeros((x.shape[0], x.shape[1] + 1, x.shape[2]))
    for t in range(x.shape[1]):
        h[:, t + 1] = np.tanh(x[:, t] + h[:, t] @ u)
    return h[:, 1:], h


def batch_backward(dy, h, x, u):
    dx, du = np.zeros_like(x), np.zeros_like(u)
    later = 0.0
    for t in reversed(range(x.shape[1])):
        dz = (dy[:, t] + later) * (1 - h[:, t + 1] ** 2)
        dx[:, t] = dz
        du += h[:, t].T @ dz
        later = dz @ u.T
    return dx, du


def batch_backward_overwrites(dy, h, x, u):
    dx, du = np.zeros_like(x), np.zeros_like(u)
    later = 0.0
    for t in reversed(range(x.shape[1])):
        dz = (dy[:, t] + later) * (1 - h[:, t + 1] ** 2)
        dx[:, t] = dz
        du = h[:, t].T @ dz
        later = dz @ u.T
    return dx, du


def in_place(a, x):
    h, y = np.zeros(x.shape[1]), np.zeros_like(x)
    for t in range(x.shape[0]):
        h *= a[t]
        h += x[t]
        y[t] = h
    return y


def in_place_backward(dy, a, x, y):
    da, dx = np.zeros_like(a), np.zeros_like(x)
    later = 0
    for t in reversed(range(x.shape[0])):
        total = dy[t] + later
        dx[t] = total
        if t > 0:
            da[t] = total * y[t - 1]
        later = a[t] * total
    return da, dx


def in_place_backward_of_state_after(dy, a, x, y):
    da, dx = np.zeros_like(a), np.zeros_like(x)
    later = 0
    for t in reversed(range(x.shape[0])):
        total = dy[t] + later
        dx[t] = total
        da[t] = total * y[t]
        later = a[t] * total
    return da, dx


# A loss of all states, of which the backward computes the states anew.


def energy(x, a):
    h, loss = 0.0, 0.0
    for t in range(x.shape[0]):
        h = np.tanh(a * h + x[t])
        loss += h * h
    return loss


def energy_backward(dy, x, a):
    h = np.zeros(x.shape[0] + 1)
    for t in range(x.shape[0]):
        h[t + 1] = np.tanh(a * h[t] + x[t])
    dx, later = np.zeros_like(x), 0.0
    for t in reversed(range(x.shape[0])):
        later = (later + 2 * dy * h[t + 1]) * (1 - h[t + 1] ** 2)
        dx[t] = later
        later = a * later
    return dx


def energy_backward_twice(dy, x, a):
    h = np.zeros(x.shape[0] + 1)
    for t in range(x.shape[0]):
        h[t + 1] = np.tanh(a * h[t] + x[t])
    dx, later = np.zeros_like(x), 0.0
    for t in reversed(range(x.shape[0])):
        later = (later + 2 * dy * h[t + 1]) * (1 - h[t + 1] ** 2)
        dx[t] = later
        later = a * a * later
    return dx


# A loop downwards, states that start anew, and a sum in an array, which is none.


def downwards(x):
    y, h = np.zeros_like(x), 0.0
    for t in reversed(range(len(x))):
        h = np.tanh(h + x[t])
        y[t] = h
    return y


def downwards_backward(dy, x, y):
    dx, g = np.zeros_like(x), 0.0
    for t in range(len(x)):
        g = (g + dy[t]) * (1 - y[t] ** 2)
        dx[t] = g
    return dx


def downwards_backward_downwards(dy, x, y):
    dx, g = np.zeros_like(x), 0.0
    for t in reversed(range(len(x))):
        g = (g + dy[t]) * (1 - y[t] ** 2)
        dx[t] = g
    return dx


def reset(x):
    y, h = np.zeros_like(x), 0.0
    for t in range(len(x)):
        h = 0.5 * h + x[t] if x[t] > 0 else 0.0
        y[t] = h
    return y


def reset_backward(dy, x):
    dx, g = np.zeros_like(x), 0.0
    for t in reversed(range(len(x))):
        g = g + dy[t]
        if x[t] > 0:
            dx[t] = g
            g = 0.5 * g
        else:
            g = 0.0
    return dx


def reset_backward_never(dy, x):
    dx, g = np.zeros_like(x), 0.0
    for t in reversed(range(len(x))):
        g = g + dy[t]
        if x[t] > 0:
            dx[t] = g
        g = 0.5 * g
    return dx


def prefix(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] + x[i]
    return y


def prefix_backward(dy):
    return np.flip(np.cumsum(np.flip(dy)))


def prefix_backward_in_a_loop(dy):
    dx = dy.copy()
    for i in range(len(dy) - 2, -1, -1):
        dx[i] += dx[i + 1]
    return dx


def prefix_backward_forwards(dy):
    dx = dy.copy()
    for i in range(1, len(dy)):
        dx[i] += dx[i - 1]
    return dx


PAIR = {"a": "T", "x": "T"}
AVERAGE = {"x": "T", "keep": gp.constant()}
CELL = {"x": "T", "a": gp.constant()}
NETWORK = {"x": ("T", "N"), "u": ("N", "N"), "first": "N"}
ROWS = {"x": ("T", "N"), "u": ("N", "N")}
DESCENT = {"g": "T", "rate": gp.real(), "keep": gp.real()}
BATCH = {"x": ("B", "T", "N"), "u": ("N", "N")}
ONE = {"x": "T"}
RIGHT = [
    (linear, linear_backward, PAIR),
    (average, average_backward, AVERAGE),
    (average_from_first, average_from_first_backward, AVERAGE),
    (tanh_cell, tanh_cell_backward, CELL),
    (network, network_backward, NETWORK),
    (network_in_an_array, network_in_an_array_backward, ROWS),
    (products, products_backward, ONE),
    (last, last_backward, CELL),
    (momentum, momentum_backward, DESCENT),
    (cells, cells_backward, ROWS),
    (batch, batch_backward, BATCH),
    (in_place, in_place_backward, {"a": ("T", "N"), "x": ("T", "N")}),
    (energy, energy_backward, CELL),
    (downwards, downwards_backward, ONE),
    (reset, reset_backward, ONE),
    (prefix, prefix_backward, ONE),
    (prefix, prefix_backward_in_a_loop, ONE),
]
WRONG = [
    (linear, linear_backward_forgets, PAIR),
    (linear, linear_backward_of_state_after, PAIR),
    (linear, linear_backward_of_other_turn, PAIR),
    (average, average_backward_forwards, AVERAGE),
    (average, average_backward_unscaled, AVERAGE),
    (average_from_first, average_from_first_backward_scaled, AVERAGE),
    (tanh_cell, tanh_cell_backward_without_slope, CELL),
    (network, network_backward_not_transposed, NETWORK),
    (network_in_an_array, network_in_an_array_backward_of_state_after, ROWS),
    (products, products_backward_of_product_after, ONE),
    (last, last_backward_of_state_before, CELL),
    (momentum, momentum_backward_keeps_nothing, DESCENT),
    (cells, cells_backward_transposed, ROWS),
    (batch, batch_backward_overwrites, BATCH),
    (in_place, in_place_backward_of_state_after, {"a": ("T", "N"), "x": ("T", "N")}),
    (energy, energy_backward_twice, CELL),
    (downwards, downwards_backward_downwards, ONE),
    (reset, reset_backward_never, ONE),
    (prefix, prefix_backward_forwards, ONE),
]
