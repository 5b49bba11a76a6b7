"""Layers as classes, functions with their own gradients, several outputs, and loops over rows.

`RIGHT` and `WRONG` are (what is checked, arguments).
"""

import numpy as np

from gradproof import numpy as gp

# Classes: caches in attributes, parameters of the constructor, gradients left in the object.


class Affine:
    def __init__(self, W, b):
        self.W = W
        self.b = b
        self.x = None
        self.dW = None

    def forward(self, x):
        self.x = x
        return np.dot(x, self.W) + self.b

    def backward(self, dout):
        self.dW = np.dot(self.x.T, dout)
        self.db = np.sum(dout, axis=0)
        return np.dot(dout, self.W.T)


class AffineMean(Affine):
    def backward(self, dout):
        dx = super().backward(dout)
        self.db = np.mean(dout, axis=0)
        return dx


AFFINE = {"x": ("N", "D"), "W": ("D", "M"), "b": "M"}


class Dense:
    """With sizes for its constructor, and gradients that are added to."""

    def __init__(self, inputs, outputs):
        self.weight = np.random.randn(outputs, inputs) * 0.01
        self.grad_weight = np.zeros_like(self.weight)
        self.input = None

    def forward(self, input):
        self.input = input
        return input @ self.weight.T

    def backward(self, grad_output):
        self.grad_weight += grad_output.T @ self.input
        return grad_output @ self.weight


class DenseTwice(Dense):
    def backward(self, grad_output):
        self.grad_weight += 2 * grad_output.T @ self.input
        return grad_output @ self.weight


DENSE = {"input": ("N", "D"), "weight": ("M", "D")}


class InLists:
    """Parameters and gradients in lists."""

    def __init__(self, W):
        self.params = [W]
        self.grads = [np.zeros_like(W)]
        self.x = None

    def forward(self, x):
        (W,) = self.params
        self.x = x
        return x @ W

    def backward(self, dout):
        (W,) = self.params
        self.grads[0][...] = self.x.T @ dout
        return dout @ W.T


class InListsNegative(InLists):
    def backward(self, dout):
        dx = super().backward(dout)
        self.grads[0][...] = -(self.x.T @ dout)
        return dx


class Rectified:
    def forward(self, x):
        self.mask = x <= 0
        out = x.copy()
        out[self.mask] = 0
        return out

    def backward(self, dout):
        dout[self.mask] = 0
        return dout


class RectifiedToOne(Rectified):
    def backward(self, dout):
        dout[self.mask] = 1
        return dout


class SquaredError:
    """Whose backward takes no gradient, being that of a number."""

    def forward(self, x, target):
        self.diff = x - target
        return np.sum(self.diff**2)

    def backward(self):
        return 2 * self.diff


class SquaredErrorHalf(SquaredError):
    def backward(self):
        return self.diff


ERROR = {"x": "N", "target": gp.constant("N")}


# Functions that return a number with its gradient.


def hinge(x, y):
    n = x.shape[0]
    margins = np.maximum(0, x - x[np.arange(n), y][:, np.newaxis] + 1.0)
    margins[np.arange(n), y] = 0
    dx = np.zeros_like(x)
    dx[np.where(margins > 0)] = 1
    dx[np.arange(n), y] -= np.sum(margins > 0, axis=1)
    return np.sum(margins) / n, dx / n


def hinge_summed(x, y):
    loss, dx = hinge(x, y)
    return loss, dx * x.shape[0]


HINGE = {"x": ("N", "C"), "y": gp.integer("N", below="C")}


# Several outputs, whose gradients have their names.


def cell(x, h, c):
    gate = 1 / (1 + np.exp(-x))
    next_c = gate * c
    next_h = np.tanh(next_c) * h
    return next_h, next_c, (gate, h, c, next_c)


def cell_backward(dnext_h, dnext_c, cache):
    gate, h, c, next_c = cache
    t = np.tanh(next_c)
    dc = dnext_c + dnext_h * h * (1 - t**2)
    return dc * c * gate * (1 - gate), dnext_h * t, dc * gate


def cell_backward_of_h(dnext_h, dnext_c, cache):
    gate, h, c, next_c = cache
    t = np.tanh(next_c)
    dc = dnext_h * h * (1 - t**2)
    return dc * c * gate * (1 - gate), dnext_h * t, dc * gate


CELL = {"x": "N", "h": "N", "c": "N"}


# Lists of tuples, rows, functions within functions, dictionaries.


def step(x, h, a):
    after = np.tanh(a * h + x)
    return after, (h, a, after)


def step_backward(dafter, cache):
    h, a, after = cache
    dsum = dafter * (1 - after**2)
    return dsum, a * dsum, h * dsum


def unrolled(x, h0, a):
    hs, caches, h = np.zeros_like(x), [], h0
    for t in range(x.shape[0]):
        h, cache = step(x[t], h, a)
        hs[t] = h
        caches.append(cache)
    return hs, caches


def unrolled_backward(dhs, caches):
    dx = np.zeros_like(dhs)
    dh, da = np.zeros(dhs.shape[1]), np.zeros(dhs.shape[1])
    for t in reversed(range(dhs.shape[0])):
        dx[t], dh, part = step_backward(dhs[t] + dh, caches[t])
        da += part
    return dx, dh, da


def unrolled_backward_last(dhs, caches):
    dx = np.zeros_like(dhs)
    dh, da = np.zeros(dhs.shape[1]), np.zeros(dhs.shape[1])
    for t in reversed(range(dhs.shape[0])):
        dx[t], dh, part = step_backward(dhs[t] + dh, caches[t])
        da = part
    return dx, dh, da


UNROLLED = {"x": ("T", "N"), "h0": "N", "a": "N"}


def centred(x, options):
    scale = options.get("scale", 2.0)
    out, means = np.zeros_like(x), []
    for row in x:
        means.append((row.mean(), {"scale": scale}))  # noqa: PERF401 - what is read
    for i, (mean, _) in enumerate(means):
        out[i] = scale * (x[i] - mean)
    return out


def centred_backward(dout, x, options):
    def spread(row):
        return row - row.mean()

    scale = options.get("scale", 2.0)
    return np.array([scale * spread(row) for row in dout])


def centred_backward_kept(dout, x, options):
    spread = lambda row: row + row.mean()  # noqa: E731 - what is read
    scale = options.get("scale", 2.0)
    return np.array([scale * spread(row) for row in dout])


CENTRED = {"x": ("N", "D"), "options": gp.given({})}


def powers(x):
    total, power, k = np.zeros_like(x), np.ones_like(x), 0
    while k < 3:
        power = power * x
        total += power
        k += 1
    return total


def powers_backward(dout, x):
    dx, power, k = np.zeros_like(x), np.ones_like(x), 1
    while True:
        dx += k * power * dout
        power = power * x
        k += 1
        if k > 3:
            break
    return dx


def powers_backward_short(dout, x):
    dx, power, k = np.zeros_like(x), np.ones_like(x), 1
    while True:
        dx += k * power * dout
        power = power * x
        k += 1
        if k > 2:
            break
    return dx


def counted(x):
    y, i = np.zeros_like(x), 0
    while i < len(x):
        y[i] = i * x[i]
        i += 1
    return y * i


def counted_backward(dy, x):
    dx, i = np.zeros_like(x), len(x) - 1
    while i >= 0:
        dx[i] = len(x) * i * dy[i]
        i -= 1
    return dx


def counted_backward_less(dy, x):
    dx, i = np.zeros_like(x), len(x) - 1
    while i >= 0:
        dx[i] = (len(x) - 1) * i * dy[i]
        i -= 1
    return dx


def product(x, y):
    out = np.zeros(x.shape[0])
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        out[i] = a @ b
    return out


def product_backward(dout, x, y):
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    for i, d in enumerate(dout):
        dx[i] = d * y[i]
        dy[i] = d * x[i]
    return dx, dy


def product_backward_squared(dout, x, y):
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    for i, d in enumerate(dout):
        dx[i] = d * y[i]
        dy[i] = d * y[i]
    return dx, dy


PRODUCT = {"x": ("N", "D"), "y": ("N", "D")}

# A loop over chunks, of which the last is shorter; places over an axis that was made flat.


def squares(x, B):
    T = x.shape[0]
    y = np.zeros_like(x)
    for c in range((T + B - 1) // B):
        low, high = c * B, min((c + 1) * B, T)
        y[low:high] = x[low:high] ** 2
    return y


def squares_backward(dy, x, B):
    T = x.shape[0]
    dx = np.zeros_like(x)
    for c in range((T + B - 1) // B):
        low, high = c * B, min((c + 1) * B, T)
        dx[low:high] = 2 * x[low:high] * dy[low:high]
    return dx


def squares_backward_whole_chunks(dy, x, B):
    T = x.shape[0]
    dx = np.zeros_like(x)
    for c in range(T // B):
        dx[c * B : (c + 1) * B] = 2 * x[c * B : (c + 1) * B] * dy[c * B : (c + 1) * B]
    return dx


SQUARES = {"x": "T", "B": gp.size("B")}


def chosen(x, y):
    n, t, v = x.shape
    flat = x.reshape(n * t, v)
    places = np.arange(n * t), y.reshape(n * t)
    dx = np.zeros_like(flat)
    dx[places] -= 1
    return -np.sum(flat[places]), dx.reshape(x.shape)


def chosen_twice(x, y):
    loss, dx = chosen(x, y)
    return loss, 2 * dx


CHOSEN = {"x": ("N", "T", "V"), "y": gp.integer("N", "T", below="V")}

RIGHT = [
    ((squares, squares_backward), SQUARES),
    ((chosen,), CHOSEN),
    ((Affine,), AFFINE),
    ((Dense(3, 2),), DENSE),
    ((InLists,), {"x": ("N", "D"), "W": ("D", "M")}),
    ((Rectified,), {"x": ("N", "D")}),
    ((SquaredError,), ERROR),
    ((hinge,), HINGE),
    ((cell, cell_backward), CELL),
    ((unrolled, unrolled_backward), UNROLLED),
    ((centred, centred_backward), CENTRED),
    ((powers, powers_backward), {"x": "N"}),
    ((counted, counted_backward), {"x": "N"}),
    ((product, product_backward), PRODUCT),
]
WRONG = [
    ((squares, squares_backward_whole_chunks), SQUARES),
    ((chosen_twice,), CHOSEN),
    ((AffineMean,), AFFINE),
    ((DenseTwice(3, 2),), DENSE),
    ((InListsNegative,), {"x": ("N", "D"), "W": ("D", "M")}),
    ((RectifiedToOne,), {"x": ("N", "D")}),
    ((SquaredErrorHalf,), ERROR),
    ((hinge_summed,), HINGE),
    ((cell, cell_backward_of_h), CELL),
    ((unrolled, unrolled_backward_last), UNROLLED),
    ((centred, centred_backward_kept), CENTRED),
    ((powers, powers_backward_short), {"x": "N"}),
    ((counted, counted_backward_less), {"x": "N"}),
    ((product, product_backward_squared), PRODUCT),
]
