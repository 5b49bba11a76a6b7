"""Loop kernels as people write them for Numba, or to explain one, right and with a mistake.

`RIGHT` and `WRONG` are (forward, backward, arguments).
"""

import numpy as np

from gradproof import numpy as gp

# Convolutions and pooling on images.


def conv2d(x, w, b, stride, pad):
    n, _, h, wd = x.shape
    f, _, hh, ww = w.shape
    xp = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), mode="constant")
    oh = 1 + (h + 2 * pad - hh) // stride
    ow = 1 + (wd + 2 * pad - ww) // stride
    out = np.zeros((n, f, oh, ow))
    for i in range(n):
        for k in range(f):
            for r in range(oh):
                for s in range(ow):
                    rows, columns = r * stride, s * stride
                    window = xp[i, :, rows : rows + hh, columns : columns + ww]
                    out[i, k, r, s] = np.sum(window * w[k]) + b[k]
    return out, (x, w, b, xp)


def conv2d_backward(dout, cache, stride, pad):
    x, w, b, xp = cache
    n, f, oh, ow = dout.shape
    _, _, hh, ww = w.shape
    _, _, h, wd = x.shape
    dxp = np.zeros_like(xp)
    dw = np.zeros_like(w)
    db = np.zeros_like(b)
    for i in range(n):
        for k in range(f):
            db[k] += np.sum(dout[i, k])
            for r in range(oh):
                for s in range(ow):
                    rows, columns = r * stride, s * stride
                    g = dout[i, k, r, s]
                    dw[k] += xp[i, :, rows : rows + hh, columns : columns + ww] * g
                    dxp[i, :, rows : rows + hh, columns : columns + ww] += w[k] * g
    return dxp[:, :, pad : pad + h, pad : pad + wd], dw, db


def conv2d_backward_uncut(dout, cache, stride, pad):
    """Cut from the wrong corner."""
    x, w, b, xp = cache
    n, f, oh, ow = dout.shape
    _, _, hh, ww = w.shape
    _, _, h, wd = x.shape
    dxp = np.zeros_like(xp)
    dw = np.zeros_like(w)
    db = np.zeros_like(b)
    for i in range(n):
        for k in range(f):
            db[k] += np.sum(dout[i, k])
            for r in range(oh):
                for s in range(ow):
                    rows, columns = r * stride, s * stride
                    g = dout[i, k, r, s]
                    dw[k] += xp[i, :, rows : rows + hh, columns : columns + ww] * g
                    dxp[i, :, rows : rows + hh, columns : columns + ww] += w[k] * g
    return dxp[:, :, :h, :wd], dw, db


def max_pool2d(x, size, stride):
    n, c, h, w = x.shape
    oh, ow = (h - size) // stride + 1, (w - size) // stride + 1
    out = np.zeros((n, c, oh, ow))
    for i in range(n):
        for k in range(c):
            for r in range(oh):
                for s in range(ow):
                    rows, columns = r * stride, s * stride
                    out[i, k, r, s] = np.max(x[i, k, rows : rows + size, columns : columns + size])
    return out


def max_pool2d_backward(dout, x, size, stride):
    dx = np.zeros_like(x)
    n, c, oh, ow = dout.shape
    for i in range(n):
        for k in range(c):
            for r in range(oh):
                for s in range(ow):
                    rows, columns = r * stride, s * stride
                    window = x[i, k, rows : rows + size, columns : columns + size]
                    mask = window == np.max(window)
                    dx[i, k, rows : rows + size, columns : columns + size] += (
                        mask * dout[i, k, r, s]
                    )
    return dx


def max_pool2d_backward_of_image(dout, x, size, stride):
    """Compares with the largest cell of the image instead of the window's."""
    dx = np.zeros_like(x)
    n, c, oh, ow = dout.shape
    for i in range(n):
        for k in range(c):
            for r in range(oh):
                for s in range(ow):
                    rows, columns = r * stride, s * stride
                    window = x[i, k, rows : rows + size, columns : columns + size]
                    mask = window == np.max(x[i, k])
                    dx[i, k, rows : rows + size, columns : columns + size] += (
                        mask * dout[i, k, r, s]
                    )
    return dx


def avg_pool2d(x, k):
    n, c, h, w = x.shape
    out = np.zeros((n, c, h // k, w // k))
    for i in range(h // k):
        for j in range(w // k):
            out[:, :, i, j] = x[:, :, i * k : (i + 1) * k, j * k : (j + 1) * k].mean(axis=(2, 3))
    return out


def avg_pool2d_backward(dout, x, k):
    dx = np.zeros_like(x)
    for i in range(dout.shape[2]):
        for j in range(dout.shape[3]):
            g = dout[:, :, i, j][:, :, None, None]
            dx[:, :, i * k : (i + 1) * k, j * k : (j + 1) * k] += g / (k * k)
    return dx


def avg_pool2d_backward_one_side(dout, x, k):
    dx = np.zeros_like(x)
    for i in range(dout.shape[2]):
        for j in range(dout.shape[3]):
            g = dout[:, :, i, j][:, :, None, None]
            dx[:, :, i * k : (i + 1) * k, j * k : (j + 1) * k] += g / k
    return dx


# Along one axis.


def dilated(x, w, d):
    n = x.shape[0] - d * (w.shape[0] - 1)
    y = np.zeros(n)
    for i in range(n):
        for j in range(w.shape[0]):
            y[i] += x[i + d * j] * w[j]
    return y


def dilated_backward(dy, x, w, d):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(dy.shape[0]):
        for j in range(w.shape[0]):
            dx[i + d * j] += dy[i] * w[j]
            dw[j] += dy[i] * x[i + d * j]
    return dx, dw


def dilated_backward_dense(dy, x, w, d):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(dy.shape[0]):
        for j in range(w.shape[0]):
            dx[i + j] += dy[i] * w[j]
            dw[j] += dy[i] * x[i + d * j]
    return dx, dw


def transposed(x, w, s):
    """A transposed convolution, which scatters."""
    y = np.zeros((x.shape[0] - 1) * s + w.shape[0])
    for i in range(x.shape[0]):
        for j in range(w.shape[0]):
            y[i * s + j] += x[i] * w[j]
    return y


def transposed_backward(dy, x, w, s):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(x.shape[0]):
        for j in range(w.shape[0]):
            dx[i] += dy[i * s + j] * w[j]
            dw[j] += dy[i * s + j] * x[i]
    return dx, dw


def transposed_backward_flipped(dy, x, w, s):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(x.shape[0]):
        for j in range(w.shape[0]):
            dx[i] += dy[i * s + j] * w[w.shape[0] - 1 - j]
            dw[j] += dy[i * s + j] * x[i]
    return dx, dw


def depthwise(x, w):
    c, n = x.shape
    k = w.shape[1]
    y = np.empty((c, n - k + 1))
    for ch in range(c):
        for i in range(n - k + 1):
            acc = 0.0
            for j in range(k):
                acc += x[ch, i + j] * w[ch, j]
            y[ch, i] = acc
    return y


def depthwise_backward(dy, x, w):
    dx = np.zeros(x.shape)
    dw = np.zeros(w.shape)
    for ch in range(x.shape[0]):
        for i in range(dy.shape[1]):
            for j in range(w.shape[1]):
                dx[ch, i + j] += dy[ch, i] * w[ch, j]
                dw[ch, j] += dy[ch, i] * x[ch, i + j]
    return dx, dw


def depthwise_backward_gathers(dy, x, w):
    """Gathers, and stops at the end of the output instead of the input."""
    dx = np.zeros(x.shape)
    dw = np.zeros(w.shape)
    for ch in range(x.shape[0]):
        for i in range(dy.shape[1]):
            for j in range(w.shape[1]):
                if i - j >= 0:
                    dx[ch, i] += dy[ch, i - j] * w[ch, j]
                dw[ch, j] += dy[ch, i] * x[ch, i + j]
    return dx, dw


def laplacian(u):
    out = np.zeros_like(u)
    for i in range(1, u.shape[0] - 1):
        out[i] = u[i - 1] - 2 * u[i] + u[i + 1]
    return out


def laplacian_backward(dout, u):
    du = np.zeros_like(u)
    for i in range(1, u.shape[0] - 1):
        du[i - 1] += dout[i]
        du[i] -= 2 * dout[i]
        du[i + 1] += dout[i]
    return du


def laplacian_backward_itself(dout, u):
    """The stencil again, as if it were its own transpose at the ends."""
    du = np.zeros_like(u)
    for i in range(1, u.shape[0] - 1):
        du[i] = dout[i - 1] - 2 * dout[i] + dout[i + 1]
    return du


def nearest(x, s):
    y = np.empty(x.shape[0] * s)
    for i in range(x.shape[0] * s):
        y[i] = x[i // s]
    return y


def nearest_backward(dy, x, s):
    dx = np.zeros_like(x)
    for i in range(dy.shape[0]):
        dx[i // s] += dy[i]
    return dx


def nearest_backward_wraps(dy, x, s):
    dx = np.zeros_like(x)
    for i in range(dy.shape[0]):
        dx[i % x.shape[0]] += dy[i]
    return dx


# Rows.


def softmax_rows(x):
    n, c = x.shape
    y = np.zeros((n, c))
    for i in range(n):
        m = x[i, 0]
        for j in range(c):
            m = max(m, x[i, j])
        total = 0.0
        for j in range(c):
            total += np.exp(x[i, j] - m)
        for j in range(c):
            y[i, j] = np.exp(x[i, j] - m) / total
    return y


def softmax_rows_backward(dy, y):
    dx = np.zeros_like(y)
    for i in range(y.shape[0]):
        inner = 0.0
        for j in range(y.shape[1]):
            inner += dy[i, j] * y[i, j]
        for j in range(y.shape[1]):
            dx[i, j] = y[i, j] * (dy[i, j] - inner)
    return dx


def softmax_rows_backward_unweighted(dy, y):
    dx = np.zeros_like(y)
    for i in range(y.shape[0]):
        inner = 0.0
        for j in range(y.shape[1]):
            inner += dy[i, j]
        for j in range(y.shape[1]):
            dx[i, j] = y[i, j] * (dy[i, j] - inner)
    return dx


def layernorm_rows(x, w, b, eps):
    n, c = x.shape
    y = np.zeros_like(x)
    mean = np.zeros(n)
    rstd = np.zeros(n)
    for i in range(n):
        m = 0.0
        for j in range(c):
            m += x[i, j]
        m /= c
        v = 0.0
        for j in range(c):
            v += (x[i, j] - m) * (x[i, j] - m)
        v /= c
        s = 1.0 / np.sqrt(v + eps)
        for j in range(c):
            y[i, j] = (x[i, j] - m) * s * w[j] + b[j]
        mean[i], rstd[i] = m, s
    return y, (x, w, mean, rstd)


def layernorm_rows_backward(dy, cache):
    x, w, mean, rstd = cache
    n, c = x.shape
    dx, dw, db = np.zeros_like(x), np.zeros(c), np.zeros(c)
    for i in range(n):
        a = 0.0
        b = 0.0
        for j in range(c):
            xhat = (x[i, j] - mean[i]) * rstd[i]
            a += w[j] * dy[i, j]
            b += w[j] * dy[i, j] * xhat
        for j in range(c):
            xhat = (x[i, j] - mean[i]) * rstd[i]
            db[j] += dy[i, j]
            dw[j] += dy[i, j] * xhat
            dx[i, j] = (w[j] * dy[i, j] - a / c - xhat * b / c) * rstd[i]
    return dx, dw, db


def layernorm_rows_backward_unmeaned(dy, cache):
    x, w, mean, rstd = cache
    n, c = x.shape
    dx, dw, db = np.zeros_like(x), np.zeros(c), np.zeros(c)
    for i in range(n):
        b = 0.0
        for j in range(c):
            b += w[j] * dy[i, j] * (x[i, j] - mean[i]) * rstd[i]
        for j in range(c):
            xhat = (x[i, j] - mean[i]) * rstd[i]
            db[j] += dy[i, j]
            dw[j] += dy[i, j] * xhat
            dx[i, j] = (w[j] * dy[i, j] - xhat * b / c) * rstd[i]
    return dx, dw, db


def segment_sum(x, ids, m):
    y = np.zeros((m, x.shape[1]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[ids[i], j] += x[i, j]
    return y


def segment_sum_backward(dy, x, ids):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            dx[i, j] = dy[ids[i], j]
    return dx


def segment_sum_backward_by_row(dy, x, ids):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            dx[i, j] = dy[ids[j], j] if x.shape[1] == x.shape[0] else dy[ids[0], j]
    return dx


def clipped(x, low, high):
    y = np.empty_like(x)
    for i in range(x.shape[0]):
        y[i] = min(max(x[i], low), high)
    return y


def clipped_backward(dy, x, low, high):
    dx = np.empty_like(x)
    for i in range(x.shape[0]):
        dx[i] = dy[i] if low < x[i] < high else 0.0
    return dx


def clipped_backward_outside(dy, x, low, high):
    dx = np.empty_like(x)
    for i in range(x.shape[0]):
        dx[i] = dy[i] if x[i] < high else 0.0
    return dx


def rowwise_dot(a, b):
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s = s + a[i, j] * b[i, j]
        y[i] = s
    return y


def rowwise_dot_backward(dy, a, b):
    da = np.empty_like(a)
    db = np.empty_like(b)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            da[i, j] = dy[i] * b[i, j]
            db[i, j] = dy[i] * a[i, j]
    return da, db


def rowwise_dot_backward_swapped(dy, a, b):
    da = np.empty_like(a)
    db = np.empty_like(b)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            da[i, j] = dy[i] * a[i, j]
            db[i, j] = dy[i] * b[i, j]
    return da, db


def lower_product(a, x):
    """A product with a triangle of a matrix."""
    n = x.shape[0]
    y = np.zeros(n)
    for i in range(n):
        for j in range(i + 1):
            y[i] += a[i, j] * x[j]
    return y


def lower_product_backward(dy, a, x):
    n = x.shape[0]
    da, dx = np.zeros_like(a), np.zeros_like(x)
    for i in range(n):
        for j in range(i + 1):
            da[i, j] = dy[i] * x[j]
            dx[j] += dy[i] * a[i, j]
    return da, dx


def lower_product_backward_strict(dy, a, x):
    n = x.shape[0]
    da, dx = np.zeros_like(a), np.zeros_like(x)
    for i in range(n):
        for j in range(i):
            da[i, j] = dy[i] * x[j]
            dx[j] += dy[i] * a[i, j]
    return da, dx


def running_total(x):
    y = np.zeros_like(x)
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total
    return y


def running_total_backward(dy):
    dx = np.zeros_like(dy)
    total = 0.0
    for i in range(dy.shape[0] - 1, -1, -1):
        total += dy[i]
        dx[i] = total
    return dx


def running_total_backward_forwards(dy):
    dx = np.zeros_like(dy)
    total = 0.0
    for i in range(dy.shape[0]):
        total += dy[i]
        dx[i] = total
    return dx


IMAGE = {
    **{"x": ("N", "C", "H", "W"), "w": ("F", "C", "HH", "WW"), "b": "F"},
    **{"stride": gp.size("S"), "pad": gp.size("P")},
    "requires": ["P >= 0", "H + 2*P >= HH", "W + 2*P >= WW"],
}
POOL = {
    **{"x": ("N", "C", "H", "W"), "size": gp.size("K"), "stride": gp.size("S")},
    "requires": ["H >= K", "W >= K"],
}
BLOCKS = {"x": ("N", "C", "H", "W"), "k": gp.size("K"), "requires": ["H >= K", "W >= K"]}
DILATED = {"x": "N", "w": "K", "d": gp.size("D"), "requires": "N > D*(K - 1)"}
ROWS = {"x": ("N", "C")}
NORM = {**ROWS, "w": "C", "b": "C", "eps": gp.real(), "requires": "eps > 0"}
SEGMENTS = {**ROWS, "ids": gp.integer("N", below="M"), "m": gp.size("M")}
CLIP = {"x": "N", "low": gp.real(), "high": gp.real(), "requires": "low < high"}

CASES = [
    (running_total, running_total_backward, running_total_backward_forwards, {"x": "N"}),
    (conv2d, conv2d_backward, conv2d_backward_uncut, IMAGE),
    (max_pool2d, max_pool2d_backward, max_pool2d_backward_of_image, POOL),
    (avg_pool2d, avg_pool2d_backward, avg_pool2d_backward_one_side, BLOCKS),
    (dilated, dilated_backward, dilated_backward_dense, DILATED),
    (
        transposed,
        transposed_backward,
        transposed_backward_flipped,
        {"x": "N", "w": "K", "s": gp.size("S")},
    ),
    (
        depthwise,
        depthwise_backward,
        depthwise_backward_gathers,
        {"x": ("C", "N"), "w": ("C", "K"), "requires": "N >= K"},
    ),
    (laplacian, laplacian_backward, laplacian_backward_itself, {"u": "N", "requires": "N >= 3"}),
    (nearest, nearest_backward, nearest_backward_wraps, {"x": "N", "s": gp.size("S")}),
    (softmax_rows, softmax_rows_backward, softmax_rows_backward_unweighted, ROWS),
    (layernorm_rows, layernorm_rows_backward, layernorm_rows_backward_unmeaned, NORM),
    (segment_sum, segment_sum_backward, segment_sum_backward_by_row, SEGMENTS),
    (clipped, clipped_backward, clipped_backward_outside, CLIP),
    (
        rowwise_dot,
        rowwise_dot_backward,
        rowwise_dot_backward_swapped,
        {"a": ("N", "C"), "b": ("N", "C")},
    ),
    (
        lower_product,
        lower_product_backward,
        lower_product_backward_strict,
        {"a": ("N", "N"), "x": "N"},
    ),
]
RIGHT = [(forward, right, said) for forward, right, _, said in CASES]
WRONG = [(forward, wrong, said) for forward, _, wrong, said in CASES]
