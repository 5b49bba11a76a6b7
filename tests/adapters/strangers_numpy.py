"""Functions of NumPy and SciPy as courses use them, right and wrong. Run by test_strangers.py."""

import numpy as np
import scipy.special
from scipy.special import erf, expit


def gelu(x):
    return x * 0.5 * (1 + erf(x / np.sqrt(2)))


def gelu_backward(dy, x):
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return dy * (0.5 * (1 + scipy.special.erf(x / np.sqrt(2))) + x * density)


def gelu_wrong(dy, x):
    return dy * (0.5 * (1 + erf(x / np.sqrt(2))) + x * np.exp(-(x**2) / 2) / np.sqrt(np.pi))


def swish(x):
    return np.moveaxis(x * expit(x), 0, -1)


def swish_backward(dy, x):
    s = expit(x)
    return np.moveaxis(dy, -1, 0) * (s + x * s * (1 - s))


def swish_wrong(dy, x):
    s = expit(x)
    return np.moveaxis(dy, -1, 0) * (s + s * (1 - s))


def padded(x):
    return np.pad(x, pad_width=((0,), (1,)), mode="constant", constant_values=0)


def padded_backward(dy, x):
    return dy[:, 1 : 1 + x.shape[1]]


def padded_wrong(dy, x):
    return dy[:, : x.shape[1]]


def traced(x, y):
    return np.trace(np.tensordot(x, y, axes=([1], [0])))


def traced_backward(dy, x, y):
    return dy * y.T, dy * x.T


def traced_wrong(dy, x, y):
    return dy * y.T, 2 * dy * x.T


def columns(x, y):
    return np.column_stack((x, y))


def columns_backward(dy, x, y):
    return dy[:, 0], dy[:, 1]


def columns_wrong(dy, x, y):
    return dy[:, 1], dy[:, 0]


def inner(x, w):
    return np.inner(x, w)


def inner_backward(dy, x, w):
    return dy @ w, dy.T @ x


def inner_wrong(dy, x, w):
    return dy @ w, dy.T @ x / 2


def norm(x):
    return np.sqrt(np.sum(x * x, axis=1))


def norm_backward(dy, x):
    size = np.sqrt(np.sum(x * x, axis=1))
    return np.where(size > 0, dy / np.where(size > 0, size, 1), 0)[:, None] * x


def norm_wrong(dy, x):
    size = np.sqrt(np.sum(x * x, axis=1))
    return np.where(size > 0, dy / np.where(size > 0, size, 1), 0)[:, None] * np.sign(x)


def unguarded_backward(dy, x):
    size = np.sqrt(np.sum(x * x, axis=1))
    return (dy / np.where(size > 0, size, 1))[:, None] * x


def logarithm(x):
    return np.log(x)


def clamped(dy, x):
    return dy / np.maximum(x, 1e-12)


class Scaled:
    """What it was made with is neither an input nor changed."""

    def __init__(self, channels):
        self.weight = np.ones((channels,))
        self.shift = np.linspace(1, 2, channels)
        self.dLdweight = np.zeros((channels,))

    def forward(self, x):
        self.x = x - self.shift
        return self.x * self.weight

    def backward(self, dy):
        self.dLdweight += np.sum(dy * self.x, axis=0)
        return dy * self.weight

    def backward_wrong(self, dy):
        self.dLdweight += np.sum(dy * (self.x + self.shift), axis=0)
        return dy * self.weight


class Squares:
    """A loss as a matrix of one cell, as products of matrices give it."""

    def forward(self, x, y):
        self.e = x - y
        return np.ones((1, self.e.shape[0])) @ (self.e * self.e)

    def backward(self):
        return 2 * self.e

    def backward_wrong(self):
        return self.e


class Huber:
    def __init__(self, delta):
        self.delta = delta

    def loss(self, x):
        small = np.abs(x) < self.delta
        return np.sum(np.where(small, 0.5 * x**2, self.delta * (np.abs(x) - 0.5 * self.delta)))

    def grad(self, x):
        return np.where(np.abs(x) < self.delta, x, self.delta * np.sign(x))

    def wrong(self, x):
        return np.where(np.abs(x) < self.delta, x, np.sign(x))


def single(x, options):
    options = {"scale": 2.0, **options}
    out = np.empty(x.shape, dtype="f")
    for n in range(x.shape[0]):
        out[n] = options["scale"] * np.tanh(x[n])
    return out


def single_backward(dy, x, options):
    return dy * {"scale": 2.0, **options}["scale"] * (1 - np.tanh(x) ** 2)


def single_wrong(dy, x, options):
    return dy * (1 - np.tanh(x) ** 2)


def few_digits(dy, x):
    density = np.exp(-0.5 * x * x) / 2.5066282746
    return dy * (0.5 * (1 + erf(x / 1.4142135623730951)) + x * density)
