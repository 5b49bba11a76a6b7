"""Layers and losses of NumPy as courses and their students write them, right and with a mistake.

`RIGHT` and `WRONG` are (forward, backward, arguments).
"""

import numpy as np

from gradproof import numpy as gp

# Pointwise.


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def sigmoid_backward(dout, y):
    return dout * y * (1 - y)


def sigmoid_backward_of_input(dout, x):
    return dout * x * (1 - x)


def tanh_layer(x):
    y = np.tanh(x)
    return y, y


def tanh_layer_backward(dout, y):
    return dout * (1 - y**2)


def tanh_layer_backward_not_squared(dout, y):
    return dout * (1 - y)


def leaky_relu(x, alpha=0.01):
    return np.where(x > 0, x, alpha * x)


def leaky_relu_backward(dout, x, alpha=0.01):
    dx = np.ones_like(x)
    dx[x <= 0] = alpha
    return dx * dout


def leaky_relu_backward_swapped(dout, x, alpha=0.01):
    dx = np.ones_like(x)
    dx[x > 0] = alpha
    return dx * dout


def elu(x, a):
    y = np.where(x > 0, x, a * (np.exp(x) - 1))
    return y


def elu_backward(dout, x, y, a):
    return dout * np.where(x > 0, 1.0, y + a)


def elu_backward_without_a(dout, x, y, a):
    return dout * np.where(x > 0, 1.0, y + 1)


def gelu(x):
    c = np.sqrt(2 / np.pi)
    return 0.5 * x * (1 + np.tanh(c * (x + 0.044715 * x**3)))


def gelu_backward(dout, x):
    c = np.sqrt(2 / np.pi)
    u = c * (x + 0.044715 * x**3)
    t = np.tanh(u)
    du = c * (1 + 3 * 0.044715 * x**2)
    return dout * (0.5 * (1 + t) + 0.5 * x * (1 - t**2) * du)


def gelu_backward_without_inner(dout, x):
    c = np.sqrt(2 / np.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    return dout * (0.5 * (1 + t) + 0.5 * x * (1 - t**2) * c)


def dropout(x, mask, p):
    return x * mask / (1 - p)


def dropout_backward(dout, mask, p):
    return dout * mask / (1 - p)


def dropout_backward_unscaled(dout, mask, p):
    return dout * mask


# Losses.


def softmax_loss(x, y):
    shifted = x - np.max(x, axis=1, keepdims=True)
    z = np.sum(np.exp(shifted), axis=1, keepdims=True)
    log_probs = shifted - np.log(z)
    probs = np.exp(log_probs)
    n = x.shape[0]
    loss = -np.sum(log_probs[np.arange(n), y]) / n
    return loss, (probs, y)


def softmax_loss_backward(dout, cache):
    probs, y = cache
    n = probs.shape[0]
    dx = probs.copy()
    dx[np.arange(n), y] -= 1
    dx /= n
    return dout * dx


def softmax_loss_backward_summed(dout, cache):
    probs, y = cache
    dx = probs.copy()
    dx[np.arange(probs.shape[0]), y] -= 1
    return dout * dx


def svm_loss(x, y):
    n = x.shape[0]
    correct = x[np.arange(n), y]
    margins = np.maximum(0, x - correct[:, np.newaxis] + 1.0)
    margins[np.arange(n), y] = 0
    return np.sum(margins) / n, (margins, y)


def svm_loss_backward(dout, cache):
    margins, y = cache
    n = margins.shape[0]
    positive = np.sum(margins > 0, axis=1)
    dx = np.zeros_like(margins)
    dx[margins > 0] = 1
    dx[np.arange(n), y] -= positive
    return dout * dx / n


def svm_loss_backward_one(dout, cache):
    margins, y = cache
    n = margins.shape[0]
    dx = np.zeros_like(margins)
    dx[margins > 0] = 1
    dx[np.arange(n), y] -= 1
    return dout * dx / n


def bce_with_logits(x, target):
    return np.mean(np.maximum(x, 0) - x * target + np.log(1 + np.exp(-np.abs(x))))


def bce_with_logits_backward(dout, x, target):
    return dout * (1 / (1 + np.exp(-x)) - target) / x.size


def bce_with_logits_backward_rows(dout, x, target):
    return dout * (1 / (1 + np.exp(-x)) - target) / len(x)


def bce(p, target):
    return -np.mean(target * np.log(p) + (1 - target) * np.log(1 - p))


def bce_backward(dout, p, target):
    return dout * (p - target) / (p * (1 - p)) / p.size


def bce_backward_of_logits(dout, p, target):
    return dout * (p - target) / p.size


def log_softmax(x):
    x = x - x.max(axis=-1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def log_softmax_backward(dout, y):
    return dout - np.exp(y) * dout.sum(axis=-1, keepdims=True)


def log_softmax_backward_of_probabilities(dout, y):
    return dout - y * dout.sum(axis=-1, keepdims=True)


def logsumexp(x):
    m = x.max(axis=1)
    return m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))


def logsumexp_backward(dout, x, y):
    return dout[:, None] * np.exp(x - y[:, None])


def logsumexp_backward_not_normalised(dout, x, y):
    return dout[:, None] * np.exp(x - x.max(axis=1)[:, None])


def ridge(w, reg):
    return 0.5 * reg * np.sum(w * w)


def ridge_backward(dout, w, reg):
    return dout * reg * w


def ridge_backward_twice(dout, w, reg):
    return dout * 2 * reg * w


def hinge(x, target):
    return np.mean(np.maximum(0, 1 - target * x))


def hinge_backward(dout, x, target):
    inside = (target * x < 1).astype(float)
    return dout * -target * inside / x.size


def hinge_backward_sign(dout, x, target):
    inside = (target * x < 1).astype(float)
    return dout * target * inside / x.size


def smooth_l1(x, target):
    d = x - target
    small = np.abs(d) < 1
    return np.sum(np.where(small, 0.5 * d * d, np.abs(d) - 0.5))


def smooth_l1_backward(dout, x, target):
    d = x - target
    return dout * np.where(np.abs(d) < 1, d, np.sign(d))


def smooth_l1_backward_of_small(dout, x, target):
    return dout * (x - target)


# Normalisation.


def batchnorm(x, gamma, beta, eps):
    n = x.shape[0]
    mu = 1.0 / n * np.sum(x, axis=0)
    xmu = x - mu
    var = 1.0 / n * np.sum(xmu**2, axis=0)
    sqrtvar = np.sqrt(var + eps)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar
    return gamma * xhat + beta, (xhat, gamma, xmu, ivar, sqrtvar)


def batchnorm_backward(dout, cache):
    """Step by step through the graph."""
    xhat, gamma, xmu, ivar, sqrtvar = cache
    n, d = dout.shape
    dbeta = np.sum(dout, axis=0)
    dgamma = np.sum(dout * xhat, axis=0)
    dxhat = dout * gamma
    divar = np.sum(dxhat * xmu, axis=0)
    dxmu1 = dxhat * ivar
    dsqrtvar = -1.0 / (sqrtvar**2) * divar
    dvar = 0.5 * 1.0 / sqrtvar * dsqrtvar
    dsq = 1.0 / n * np.ones((n, d)) * dvar
    dxmu2 = 2 * xmu * dsq
    dx1 = dxmu1 + dxmu2
    dmu = -1 * np.sum(dxmu1 + dxmu2, axis=0)
    dx2 = 1.0 / n * np.ones((n, d)) * dmu
    return dx1 + dx2, dgamma, dbeta


def batchnorm_backward_inference(dout, cache):
    """As if mean and variance were constants."""
    xhat, gamma, _xmu, ivar, _sqrtvar = cache
    return dout * gamma * ivar, np.sum(dout * xhat, axis=0), np.sum(dout, axis=0)


def rmsnorm(x, g, eps):
    r = np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + eps)
    return x / r * g, (x, g, r)


def rmsnorm_backward(dout, cache):
    x, g, r = cache
    d = x.shape[-1]
    dg = np.sum(dout * x / r, axis=0)
    h = dout * g
    dx = h / r - x * np.sum(h * x, axis=-1, keepdims=True) / (d * r**3)
    return dx, dg


def rmsnorm_backward_square(dout, cache):
    x, g, r = cache
    d = x.shape[-1]
    dg = np.sum(dout * x / r, axis=0)
    h = dout * g
    dx = h / r - x * np.sum(h * x, axis=-1, keepdims=True) / (d * r**2)
    return dx, dg


def unit_rows(x):
    n = np.linalg.norm(x, axis=1, keepdims=True)
    return x / n, (x / n, n)


def unit_rows_backward(dout, cache):
    y, n = cache
    return (dout - y * np.sum(y * dout, axis=1, keepdims=True)) / n


def unit_rows_backward_scaled(dout, cache):
    _y, n = cache
    return dout / n


# Layers.


def affine_flat(x, w, b):
    out = x.reshape(x.shape[0], -1).dot(w) + b
    return out, (x, w, b)


def affine_flat_backward(dout, cache):
    x, w, _b = cache
    n = x.shape[0]
    dx = dout.dot(w.T).reshape(x.shape)
    dw = x.reshape(n, -1).T.dot(dout)
    return dx, dw, np.sum(dout, axis=0)


def affine_flat_backward_bias(dout, cache):
    x, w, _b = cache
    dx = dout.dot(w.T).reshape(x.shape)
    dw = x.reshape(x.shape[0], -1).T.dot(dout)
    return dx, dw, np.mean(dout, axis=0)


def two_layers(x, w1, b1, w2, b2):
    h = np.maximum(0, x.dot(w1) + b1)
    return h.dot(w2) + b2, (x, w1, h, w2)


def two_layers_backward(dout, cache):
    x, w1, h, w2 = cache
    dw2 = h.T.dot(dout)
    db2 = dout.sum(axis=0)
    dh = dout.dot(w2.T)
    dh[h <= 0] = 0
    return dh.dot(w1.T), x.T.dot(dh), dh.sum(axis=0), dw2, db2


def two_layers_backward_linear(dout, cache):
    x, w1, h, w2 = cache
    dh = dout.dot(w2.T)
    return dh.dot(w1.T), x.T.dot(dh), dh.sum(axis=0), h.T.dot(dout), dout.sum(axis=0)


def rnn_step(x, prev_h, wx, wh, b):
    next_h = np.tanh(x.dot(wx) + prev_h.dot(wh) + b)
    return next_h, (x, prev_h, wx, wh, next_h)


def rnn_step_backward(dnext, cache):
    x, prev_h, wx, wh, next_h = cache
    da = dnext * (1 - next_h**2)
    return da.dot(wx.T), da.dot(wh.T), x.T.dot(da), prev_h.T.dot(da), da.sum(axis=0)


def rnn_step_backward_linear(dnext, cache):
    x, prev_h, wx, wh, _ = cache
    da = dnext
    return da.dot(wx.T), da.dot(wh.T), x.T.dot(da), prev_h.T.dot(da), da.sum(axis=0)


def gated(x):
    a, b = x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 :]
    s = 1 / (1 + np.exp(-b))
    return a * s, (a, s)


def gated_backward(dout, cache):
    a, s = cache
    return np.concatenate([dout * s, dout * a * s * (1 - s)], axis=1)


def gated_backward_order(dout, cache):
    a, s = cache
    return np.hstack((dout * a * s * (1 - s), dout * s))


def embedding(ids, w):
    return w[ids, :]


def embedding_backward(dout, ids, w):
    dw = np.zeros_like(w)
    np.add.at(dw, ids, dout)
    return dw


def embedding_backward_once(dout, ids, w):
    """Ids that stand twice count once."""
    dw = np.zeros_like(w)
    dw[ids] += dout
    return dw


def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return p @ v, (q, k, v, p)


def attention_backward(dout, cache):
    q, k, v, p = cache
    dp = dout @ v.T
    ds = p * (dp - np.sum(dp * p, axis=1, keepdims=True)) / np.sqrt(q.shape[1])
    return ds @ k, ds.T @ q, p.T @ dout


def attention_backward_unscaled(dout, cache):
    q, k, v, p = cache
    dp = dout @ v.T
    ds = p * (dp - np.sum(dp * p, axis=1, keepdims=True))
    return ds @ k, ds.T @ q, p.T @ dout


def distances(x, c):
    return np.sum((x[:, None, :] - c[None, :, :]) ** 2, axis=-1)


def distances_backward(dout, x, c):
    dx = 2 * (dout.sum(axis=1)[:, None] * x - dout @ c)
    dc = 2 * (dout.sum(axis=0)[:, None] * c - dout.T @ x)
    return dx, dc


def distances_backward_sign(dout, x, c):
    dx = 2 * (dout.sum(axis=1)[:, None] * x - dout @ c)
    dc = 2 * (dout.T @ x - dout.sum(axis=0)[:, None] * c)
    return dx, dc


def row_max(x):
    return x.max(axis=1), x.argmax(axis=1)


def row_max_backward(dout, x):
    dx = np.zeros_like(x)
    dx[np.arange(x.shape[0]), np.argmax(x, axis=1)] = dout
    return dx


def row_max_backward_mean(dout, x):
    return np.repeat(dout[:, None], x.shape[1], axis=1) / x.shape[1]


def upsample(x):
    return x.repeat(2, axis=1)


def upsample_backward(dout):
    n, l2 = dout.shape
    return dout.reshape(n, l2 // 2, 2).sum(axis=2)


def upsample_backward_one(dout):
    return dout[:, ::2]


def roll(x):
    return x * np.roll(x, 1, axis=1)


def roll_backward(dout, x):
    return dout * np.roll(x, 1, axis=1) + np.roll(dout * x, -1, axis=1)


def roll_backward_forwards(dout, x):
    return dout * np.roll(x, 1, axis=1) + np.roll(dout * x, 1, axis=1)


ROWS = {"x": ("N", "C")}
LABELS = {**ROWS, "y": gp.integer("N", below="C")}
TARGET = {**ROWS, "target": gp.constant("N", "C")}
NORM = {**ROWS, "gamma": "C", "beta": "C", "eps": gp.real(), "requires": "eps > 0"}
RMS = {**ROWS, "g": "C", "eps": gp.real(), "requires": "eps > 0"}
CHANCE = {"p": ("N", "C"), "target": gp.constant("N", "C"), "requires": ["p > 0", "p < 1"]}
DROP = {**ROWS, "mask": gp.constant("N", "C"), "p": gp.real(), "requires": ["0 <= p", "p < 1"]}
ELU = {**ROWS, "a": gp.real()}
FLAT = {"x": ("N", "H", "W"), "w": ("H*W", "M"), "b": "M"}
NET = {"x": ("N", "D"), "w1": ("D", "H"), "b1": "H", "w2": ("H", "C"), "b2": "C"}
RNN = {"x": ("N", "D"), "prev_h": ("N", "H"), "wx": ("D", "H"), "wh": ("H", "H"), "b": "H"}
IDS = {"ids": gp.integer("N", below="V"), "w": ("V", "D")}
HEAD = {"q": ("L", "D"), "k": ("S", "D"), "v": ("S", "E")}
PAIR = {"x": ("N", "D"), "c": ("K", "D")}

CASES = [
    (sigmoid, sigmoid_backward, sigmoid_backward_of_input, ROWS),
    (tanh_layer, tanh_layer_backward, tanh_layer_backward_not_squared, ROWS),
    (leaky_relu, leaky_relu_backward, leaky_relu_backward_swapped, ROWS),
    (elu, elu_backward, elu_backward_without_a, ELU),
    (gelu, gelu_backward, gelu_backward_without_inner, ROWS),
    (dropout, dropout_backward, dropout_backward_unscaled, DROP),
    (softmax_loss, softmax_loss_backward, softmax_loss_backward_summed, LABELS),
    (svm_loss, svm_loss_backward, svm_loss_backward_one, LABELS),
    (bce_with_logits, bce_with_logits_backward, bce_with_logits_backward_rows, TARGET),
    (bce, bce_backward, bce_backward_of_logits, CHANCE),
    (log_softmax, log_softmax_backward, log_softmax_backward_of_probabilities, ROWS),
    (logsumexp, logsumexp_backward, logsumexp_backward_not_normalised, ROWS),
    (ridge, ridge_backward, ridge_backward_twice, {"w": ("D", "C"), "reg": gp.real()}),
    (hinge, hinge_backward, hinge_backward_sign, TARGET),
    (smooth_l1, smooth_l1_backward, smooth_l1_backward_of_small, TARGET),
    (batchnorm, batchnorm_backward, batchnorm_backward_inference, NORM),
    (rmsnorm, rmsnorm_backward, rmsnorm_backward_square, RMS),
    (unit_rows, unit_rows_backward, unit_rows_backward_scaled, {**ROWS, "requires": "x > 0"}),
    (affine_flat, affine_flat_backward, affine_flat_backward_bias, FLAT),
    (two_layers, two_layers_backward, two_layers_backward_linear, NET),
    (rnn_step, rnn_step_backward, rnn_step_backward_linear, RNN),
    (gated, gated_backward, gated_backward_order, {"x": ("N", "2*C")}),
    (embedding, embedding_backward, embedding_backward_once, IDS),
    (attention, attention_backward, attention_backward_unscaled, HEAD),
    (distances, distances_backward, distances_backward_sign, PAIR),
    (row_max, row_max_backward, row_max_backward_mean, ROWS),
    (upsample, upsample_backward, upsample_backward_one, ROWS),
    (roll, roll_backward, roll_backward_forwards, {**ROWS, "requires": "C >= 2"}),
]
RIGHT = [(forward, right, said) for forward, right, _, said in CASES]
WRONG = [(forward, wrong, said) for forward, _, wrong, said in CASES]
