"""Loops that fill lists, as users of NumPy write them, right and wrong."""

import numpy as np

from gradproof import numpy as gp

# The states in a list, which the backward reads.


def network(x, a):
    hs, h = [], np.zeros(x.shape[1])
    for t in range(x.shape[0]):
        h = np.tanh(a * h + x[t])
        hs.append(h)
    return np.stack(hs), hs


def network_backward(dy, hs, x, a):
    dxs, da, later = [], np.zeros_like(a), np.zeros_like(a)
    for t in reversed(range(len(hs))):
        dz = (dy[t] + later) * (1 - hs[t] ** 2)
        dxs.append(dz)
        if t > 0:
            da += dz * hs[t - 1]
        later = a * dz
    return np.stack(dxs[::-1]), da


def network_backward_not_reversed(dy, hs, x, a):
    dxs, da, later = [], np.zeros_like(a), np.zeros_like(a)
    for t in reversed(range(len(hs))):
        dz = (dy[t] + later) * (1 - hs[t] ** 2)
        dxs.append(dz)
        if t > 0:
            da += dz * hs[t - 1]
        later = a * dz
    return np.stack(dxs), da


def network_backward_of_state_after(dy, hs, x, a):
    dxs, da, later = [], np.zeros_like(a), np.zeros_like(a)
    for t in reversed(range(len(hs))):
        dz = (dy[t] + later) * (1 - hs[t] ** 2)
        dxs.append(dz)
        da += dz * hs[t]
        later = a * dz
    return np.stack(dxs[::-1]), da


# With the first state before the others, read from the end.


def cell(x, a, first):
    hs = [first]
    for t in range(len(x)):
        hs.append(np.tanh(a * hs[-1] + x[t]))
    return np.array(hs[1:]), hs


def cell_backward(dy, hs, x, a):
    dxs, later = [], np.zeros(x.shape[1])
    for t in range(len(x) - 1, -1, -1):
        dz = (dy[t] + later) * (1 - hs[t + 1] ** 2)
        dxs.insert(0, dz)
        later = a * dz
    return np.array(dxs), later


def cell_backward_appended(dy, hs, x, a):
    dxs, later = [], np.zeros(x.shape[1])
    for t in range(len(x) - 1, -1, -1):
        dz = (dy[t] + later) * (1 - hs[t + 1] ** 2)
        dxs.append(dz)
        later = a * dz
    return np.array(dxs), later


def cell_backward_of_state_before(dy, hs, x, a):
    dxs, later = [], np.zeros(x.shape[1])
    for t in range(len(x) - 1, -1, -1):
        dz = (dy[t] + later) * (1 - hs[t] ** 2)
        dxs.insert(0, dz)
        later = a * dz
    return np.array(dxs), later


# The last state alone, of a matrix of weights.


def last(x, u):
    hs = [np.zeros(x.shape[1])]
    for t in range(x.shape[0]):
        hs.append(np.tanh(hs[t] @ u + x[t]))
    return hs[-1], hs


def last_backward(dh, hs, x, u):
    dxs, du = [], np.zeros_like(u)
    for t in reversed(range(x.shape[0])):
        dz = dh * (1 - hs[t + 1] ** 2)
        dxs.append(dz)
        du += np.outer(hs[t], dz)
        dh = u @ dz
    dxs.reverse()
    return np.stack(dxs), du


def last_backward_carries_nothing(dh, hs, x, u):
    dxs, du = [], np.zeros_like(u)
    for t in reversed(range(x.shape[0])):
        dz = dh * (1 - hs[t + 1] ** 2)
        dxs.append(dz)
        du += np.outer(hs[t], dz)
    dxs.reverse()
    return np.stack(dxs), du


# Turns that read nothing of each other.


def rows(x, w):
    ys, masks = [], []
    for i in range(x.shape[0]):
        z = w * x[i]
        masks.append(z > 0)
        ys.append(np.maximum(z, 0))
    return np.stack(ys, axis=1), (ys, masks)


def rows_backward(dy, cache, x, w):
    ys, masks = cache
    dxs, dw = [], np.zeros_like(w)
    for i in range(len(ys)):
        dz = dy[:, i] * masks[i]
        dxs.append(dz * w)
        dw += dz * x[i]
    return np.stack(dxs), dw


def rows_backward_of_another(dy, cache, x, w):
    ys, masks = cache
    dxs, dw = [], np.zeros_like(w)
    for i in range(len(ys)):
        dz = dy[:, i] * masks[i]
        dxs.append(dz * w)
        dw += dz * x[0]
    return np.stack(dxs), dw


NETWORK = {"x": ("T", "N"), "a": "N"}
CELL = {"x": ("T", "N"), "a": gp.constant(), "first": "N"}
LAST = {"x": ("T", "N"), "u": ("N", "N")}
ROWS = {"x": ("T", "N"), "w": "N"}
RIGHT = [
    (network, network_backward, NETWORK),
    (cell, cell_backward, CELL),
    (last, last_backward, LAST),
    (rows, rows_backward, ROWS),
]
WRONG = [
    (network, network_backward_not_reversed, NETWORK),
    (network, network_backward_of_state_after, NETWORK),
    (cell, cell_backward_appended, CELL),
    (cell, cell_backward_of_state_before, CELL),
    (last, last_backward_carries_nothing, LAST),
    (rows, rows_backward_of_another, ROWS),
]
