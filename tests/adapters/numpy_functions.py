"""Forward and backward functions as users of NumPy write them, and each again with a mistake.

`RIGHT` and `WRONG` are (forward, backward, arguments).
"""

import numpy as np

from gradproof import numpy as gp


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def softmax_backward(dy, y):
    return y * (dy - np.sum(dy * y, axis=1, keepdims=True))


def softmax_backward_diagonal(dy, y):
    return dy * y * (1 - y)


def affine(x, w, b):
    return x.dot(w) + b, (x, w)


def affine_backward(dout, cache):
    x, w = cache
    return dout.dot(w.T), x.T.dot(dout), np.sum(dout, axis=0)


def affine_backward_untransposed(dout, cache):
    x, w = cache
    return dout.dot(w.T), x.T.dot(dout), np.mean(dout, axis=0)


def relu(x):
    return np.maximum(0, x), x


def relu_backward(dout, x):
    dx = dout.copy()
    dx[x <= 0] = 0
    return dx


def relu_backward_of_gradient(dout, x):
    dx = dout.copy()
    dx[dout <= 0] = 0
    return dx


def layernorm(x, gamma, beta, eps):
    d = x.shape[1]
    mu = x.mean(axis=1, keepdims=True)
    var = np.sum((x - mu) ** 2, axis=1, keepdims=True) / d
    inv = 1.0 / np.sqrt(var + eps)
    x_hat = (x - mu) * inv
    return gamma * x_hat + beta, (x_hat, inv, gamma)


def layernorm_backward(dout, cache):
    x_hat, inv, gamma = cache
    d = dout.shape[1]
    dgamma = np.sum(dout * x_hat, axis=0)
    dbeta = np.sum(dout, axis=0)
    g = dout * gamma
    dx = inv / d * (d * g - g.sum(1, keepdims=True) - x_hat * (g * x_hat).sum(1, keepdims=True))
    return dx, dgamma, dbeta


def layernorm_backward_rows(dout, cache):
    """Divided by the rows."""
    x_hat, inv, gamma = cache
    d = dout.shape[0]
    g = dout * gamma
    dx = inv / d * (d * g - g.sum(1, keepdims=True) - x_hat * (g * x_hat).sum(1, keepdims=True))
    return dx, np.sum(dout * x_hat, axis=0), np.sum(dout, axis=0)


def mse(x, target):
    return np.mean((x - target) ** 2)


def mse_backward(dy, x, target):
    return dy * 2 * (x - target) / x.size


def mse_backward_rows(dy, x, target):
    return dy * 2 * (x - target) / x.shape[0]


def huber(x, delta):
    a = np.abs(x)
    return np.where(a <= delta, 0.5 * x**2, delta * (a - 0.5 * delta))


def huber_backward(dy, x, delta):
    return dy * np.clip(x, -delta, delta)


def huber_backward_unclipped(dy, x, delta):
    return dy * np.where(np.abs(x) <= delta, x, np.sign(x))


def shift(x):
    out = np.zeros_like(x)
    out[:, 1:] = x[:, :-1]
    return out


def shift_backward(dy):
    dx = np.zeros_like(dy)
    dx[:, :-1] = dy[:, 1:]
    return dx


def shift_backward_same(dy):
    dx = np.zeros_like(dy)
    dx[:, 1:] = dy[:, :-1]
    return dx


def matmul_loops(a, b):
    n, k = a.shape
    columns = b.shape[1]
    c = np.zeros((n, columns))
    for i in range(n):
        for j in range(columns):
            total = 0.0
            for m in range(k):
                total += a[i, m] * b[m, j]
            c[i, j] = total
    return c


def matmul_loops_backward(dc, a, b):
    da = np.zeros_like(a)
    db = np.zeros_like(b)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for m in range(a.shape[1]):
                da[i, m] += dc[i, j] * b[m, j]
                db[m, j] += dc[i, j] * a[i, m]
    return da, db


def matmul_loops_backward_overwrites(dc, a, b):
    """`=` where `+=` is meant."""
    da = np.zeros_like(a)
    db = np.zeros_like(b)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for m in range(a.shape[1]):
                da[i, m] += dc[i, j] * b[m, j]
                db[m, j] = dc[i, j] * a[i, m]
    return da, db


def avg_pool(x, k, s):
    n, length = x.shape
    out = (length - k) // s + 1
    y = np.zeros((n, out))
    for b in range(n):
        for o in range(out):
            y[b, o] = np.mean(x[b, o * s : o * s + k])
    return y


def avg_pool_backward(dy, x, k, s):
    dx = np.zeros_like(x)
    for b in range(dy.shape[0]):
        for o in range(dy.shape[1]):
            for j in range(k):
                dx[b, o * s + j] += dy[b, o] / k
    return dx


def avg_pool_backward_overwrites(dy, x, k, s):
    dx = np.zeros_like(x)
    for b in range(dy.shape[0]):
        for o in range(dy.shape[1]):
            dx[b, o * s : o * s + k] += dy[b, o]
    return dx


def conv1d(x, w, b, p):
    """A convolution with padding, as in a course."""
    channels, length = x.shape
    filters, _, k = w.shape
    out = length + 2 * p - k + 1
    y = np.zeros((filters, out))
    for f in range(filters):
        for o in range(out):
            total = b[f]
            for c in range(channels):
                for j in range(k):
                    i = o + j - p
                    if 0 <= i < length:
                        total += x[c, i] * w[f, c, j]
            y[f, o] = total
    return y


def conv1d_backward(dy, x, w, p):
    channels, length = x.shape
    filters, _, k = w.shape
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    db = np.zeros(filters)
    for f in range(filters):
        for o in range(dy.shape[1]):
            db[f] += dy[f, o]
            for c in range(channels):
                for j in range(k):
                    i = o + j - p
                    if i < 0 or i >= length:
                        continue
                    dx[c, i] += dy[f, o] * w[f, c, j]
                    dw[f, c, j] += dy[f, o] * x[c, i]
    return dx, dw, db


def conv1d_backward_flipped(dy, x, w, p):
    """The kernel is turned round, as for a true convolution."""
    channels, length = x.shape
    filters, _, k = w.shape
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    db = np.zeros(filters)
    for f in range(filters):
        for o in range(dy.shape[1]):
            db[f] += dy[f, o]
            for c in range(channels):
                for j in range(k):
                    i = o + j - p
                    if i < 0 or i >= length:
                        continue
                    dx[c, i] += dy[f, o] * w[f, c, k - 1 - j]
                    dw[f, c, j] += dy[f, o] * x[c, i]
    return dx, dw, db


def max_pool(x, k, s):
    n, length = x.shape
    out = (length - k) // s + 1
    y = np.zeros((n, out))
    for b in range(n):
        for o in range(out):
            best = -np.inf
            for j in range(k):
                if x[b, o * s + j] > best:
                    best = x[b, o * s + j]
            y[b, o] = best
    return y


def max_pool_backward(dy, x, k, s):
    dx = np.zeros_like(x)
    for b in range(dy.shape[0]):
        for o in range(dy.shape[1]):
            window = x[b, o * s : o * s + k]
            m = np.max(window)
            for j in range(k):
                if x[b, o * s + j] == m:
                    dx[b, o * s + j] += dy[b, o]
    return dx


def max_pool_backward_spread(dy, x, k, s):
    dx = np.zeros_like(x)
    for b in range(dy.shape[0]):
        for o in range(dy.shape[1]):
            for j in range(k):
                dx[b, o * s + j] += dy[b, o]
    return dx


def row_sums(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i] += x[i, j] ** 2
    return y


def row_sums_backward(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            dx[i, j] = 2 * x[i, j] * dy[i]
    return dx


def row_sums_backward_first(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(1, x.shape[1]):
            dx[i, j] = 2 * x[i, j] * dy[i]
    return dx


ROWS = {"x": ("N", "C")}
AFFINE = {"x": ("N", "D"), "w": ("D", "C"), "b": ("C",)}
NORM = {**ROWS, "gamma": "C", "beta": "C", "eps": gp.real(), "requires": "eps > 0"}
TARGET = {**ROWS, "target": gp.constant("N", "C")}
DELTA = {**ROWS, "delta": gp.real(), "requires": "delta > 0"}
MATRICES = {"a": ("N", "K"), "b": ("K", "M")}
WINDOWS = {"x": ("N", "L"), "k": gp.size("K"), "s": gp.size("S"), "requires": "L >= K"}
CONV = {
    **{"x": ("C", "L"), "w": ("F", "C", "K"), "b": ("F",), "p": gp.size("P")},
    "requires": ["P >= 0", "L + 2*P >= K"],
}

RIGHT = [
    (softmax, softmax_backward, ROWS),
    (affine, affine_backward, AFFINE),
    (relu, relu_backward, ROWS),
    (layernorm, layernorm_backward, NORM),
    (mse, mse_backward, TARGET),
    (huber, huber_backward, DELTA),
    (shift, shift_backward, ROWS),
    (matmul_loops, matmul_loops_backward, MATRICES),
    (avg_pool, avg_pool_backward, WINDOWS),
    (conv1d, conv1d_backward, CONV),
    (max_pool, max_pool_backward, WINDOWS),
    (row_sums, row_sums_backward, ROWS),
]
WRONG = [
    (softmax, softmax_backward_diagonal, ROWS),
    (affine, affine_backward_untransposed, AFFINE),
    (relu, relu_backward_of_gradient, ROWS),
    (layernorm, layernorm_backward_rows, NORM),
    (mse, mse_backward_rows, TARGET),
    (huber, huber_backward_unclipped, DELTA),
    (shift, shift_backward_same, ROWS),
    (matmul_loops, matmul_loops_backward_overwrites, MATRICES),
    (avg_pool, avg_pool_backward_overwrites, WINDOWS),
    (conv1d, conv1d_backward_flipped, CONV),
    (max_pool, max_pool_backward_spread, WINDOWS),
    (row_sums, row_sums_backward_first, ROWS),
]
