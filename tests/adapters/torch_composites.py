"""Layers that people fuse: a custom gradient of several, and each again with a mistake."""

import math

import torch
from torch.autograd import Function

from gradproof import torch as gp


class SiluOfLayerNorm(Function):
    @staticmethod
    def forward(ctx, x, w, b, eps):
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) ** 2).mean(-1, keepdim=True)
        rstd = torch.rsqrt(var + eps)
        xhat = (x - mean) * rstd
        z = xhat * w + b
        ctx.save_for_backward(xhat, rstd, w, z)
        return z * torch.sigmoid(z)

    @staticmethod
    def backward(ctx, g):
        xhat, rstd, w, z = ctx.saved_tensors
        s = torch.sigmoid(z)
        gz = g * (s * (1 + z * (1 - s)))
        dw = (gz * xhat).sum(0)
        db = gz.sum(0)
        gx = gz * w
        dx = rstd * (gx - gx.mean(-1, keepdim=True) - xhat * (gx * xhat).mean(-1, keepdim=True))
        return dx, dw, db, None


class GeluOfLinear(Function):
    @staticmethod
    def forward(ctx, x, w, b):
        z = x @ w.t() + b
        ctx.save_for_backward(x, w, z)
        return 0.5 * z * (1 + torch.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)))

    @staticmethod
    def backward(ctx, g):
        x, w, z = ctx.saved_tensors
        c = math.sqrt(2 / math.pi)
        t = torch.tanh(c * (z + 0.044715 * z**3))
        dz = g * (0.5 * (1 + t) + 0.5 * z * (1 - t * t) * c * (1 + 3 * 0.044715 * z**2))
        return dz @ w, dz.t() @ x, dz.sum(0)


class ReluOfBatchNorm(Function):
    @staticmethod
    def forward(ctx, x, w, b, eps):
        mean = x.mean(0)
        xc = x - mean
        var = (xc * xc).mean(0)
        std = torch.sqrt(var + eps)
        xhat = xc / std
        z = xhat * w + b
        ctx.save_for_backward(xhat, std, w, z)
        return torch.relu(z)

    @staticmethod
    def backward(ctx, g):
        xhat, std, w, z = ctx.saved_tensors
        gz = g * (z > 0)
        dw = (gz * xhat).sum(0)
        db = gz.sum(0)
        n = g.shape[0]
        gx = gz * w
        dx = (n * gx - gx.sum(0) - xhat * (gx * xhat).sum(0)) / (n * std)
        return dx, dw, db, None


class CrossEntropyOfLinear(Function):
    @staticmethod
    def forward(ctx, x, w, b, y):
        z = x @ w + b
        p = torch.softmax(z, -1)
        n = x.shape[0]
        ctx.save_for_backward(x, w, p, y)
        return -torch.log(p[torch.arange(n), y]).sum() / n

    @staticmethod
    def backward(ctx, g):
        x, w, p, y = ctx.saved_tensors
        n = x.shape[0]
        hot = torch.arange(p.shape[1]) == y[:, None]
        d = (p - hot.to(p.dtype)) / n * g
        return d @ w.t(), x.t() @ d, d.sum(0), None


class SwishOfGroupNorm(Function):
    @staticmethod
    def forward(ctx, x, w, b, G, eps):
        N, C, L = x.shape
        xg = x.reshape(N, G, C // G, L)
        mean = xg.mean((2, 3), keepdim=True)
        var = ((xg - mean) ** 2).mean((2, 3), keepdim=True)
        rstd = 1 / torch.sqrt(var + eps)
        xhat = ((xg - mean) * rstd).reshape(N, C, L)
        z = xhat * w[None, :, None] + b[None, :, None]
        ctx.save_for_backward(xhat, rstd, w, z)
        ctx.G = G
        return z * torch.sigmoid(z)

    @staticmethod
    def backward(ctx, g):
        xhat, rstd, w, z = ctx.saved_tensors
        N, C, L = g.shape
        G = ctx.G
        s = torch.sigmoid(z)
        gz = g * s * (1 + z * (1 - s))
        dw = (gz * xhat).sum((0, 2))
        db = gz.sum((0, 2))
        gx = (gz * w[None, :, None]).reshape(N, G, C // G, L)
        xh = xhat.reshape(N, G, C // G, L)
        dx = rstd * (gx - gx.mean((2, 3), keepdim=True) - xh * (gx * xh).mean((2, 3), keepdim=True))
        return dx.reshape(N, C, L), dw, db, None, None


class MLP(Function):
    @staticmethod
    def forward(ctx, x, w1, b1, w2, b2):
        h = x @ w1 + b1
        a = h * torch.sigmoid(h)
        y = a @ w2 + b2
        ctx.save_for_backward(x, w1, w2, h)
        return y + x

    @staticmethod
    def backward(ctx, g):
        x, w1, w2, h = ctx.saved_tensors
        s = torch.sigmoid(h)
        a = h * s
        dw2 = a.t() @ g
        db2 = g.sum(0)
        da = g @ w2.t()
        dh = da * (s + h * s * (1 - s))
        return g + dh @ w1.t(), x.t() @ dh, dh.sum(0), dw2, db2


class ProjectedAttention(Function):
    @staticmethod
    def forward(ctx, x, wq, wk, wv):
        q, k, v = x @ wq, x @ wk, x @ wv
        s = q @ k.t() / math.sqrt(q.shape[-1])
        p = torch.softmax(s, -1)
        ctx.save_for_backward(x, wq, wk, wv, q, k, v, p)
        return p @ v

    @staticmethod
    def backward(ctx, g):
        x, wq, wk, wv, q, k, v, p = ctx.saved_tensors
        dv = p.t() @ g
        dp = g @ v.t()
        ds = p * (dp - (dp * p).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
        dq = ds @ k
        dk = ds.t() @ q
        dx = dq @ wq.t() + dk @ wk.t() + dv @ wv.t()
        return dx, x.t() @ dq, x.t() @ dk, x.t() @ dv


class Block(Function):
    """Layer norm, linear, GELU, linear, residual."""

    @staticmethod
    def forward(ctx, x, gamma, beta, w1, b1, w2, b2, eps):
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) ** 2).mean(-1, keepdim=True)
        rstd = torch.rsqrt(var + eps)
        xhat = (x - mean) * rstd
        u = xhat * gamma + beta
        h = u @ w1 + b1
        s = torch.sigmoid(1.702 * h)
        a = h * s
        y = a @ w2 + b2
        ctx.save_for_backward(xhat, rstd, gamma, u, w1, h, w2)
        return x + y

    @staticmethod
    def backward(ctx, g):
        xhat, rstd, gamma, u, w1, h, w2 = ctx.saved_tensors
        s = torch.sigmoid(1.702 * h)
        a = h * s
        dw2 = a.t() @ g
        db2 = g.sum(0)
        da = g @ w2.t()
        dh = da * (s + 1.702 * h * s * (1 - s))
        dw1 = u.t() @ dh
        db1 = dh.sum(0)
        du = dh @ w1.t()
        dgamma = (du * xhat).sum(0)
        dbeta = du.sum(0)
        dxh = du * gamma
        dx = rstd * (dxh - dxh.mean(-1, keepdim=True) - xhat * (dxh * xhat).mean(-1, keepdim=True))
        return g + dx, dgamma, dbeta, dw1, db1, dw2, db2, None


class ReluBlock(Function):
    """Attention, residual, ReLU MLP, residual."""

    @staticmethod
    def forward(ctx, x, wq, wk, wv, w1, b1, w2, b2):
        q, k, v = x @ wq, x @ wk, x @ wv
        s = q @ k.t() / math.sqrt(q.shape[-1])
        p = torch.softmax(s, -1)
        r = x + p @ v
        h = r @ w1 + b1
        a = torch.relu(h)
        y = a @ w2 + b2
        ctx.save_for_backward(x, wq, wk, wv, q, k, v, p, r, w1, h, a, w2)
        return r + y

    @staticmethod
    def backward(ctx, g):
        x, wq, wk, wv, q, k, v, p, r, w1, h, a, w2 = ctx.saved_tensors
        dw2 = a.t() @ g
        db2 = g.sum(0)
        dh = (g @ w2.t()) * (h > 0)
        dw1 = r.t() @ dh
        db1 = dh.sum(0)
        dr = g + dh @ w1.t()
        dv = p.t() @ dr
        dp = dr @ v.t()
        ds = p * (dp - (dp * p).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
        dq = ds @ k
        dk = ds.t() @ q
        dx = dr + dq @ wq.t() + dk @ wk.t() + dv @ wv.t()
        return dx, x.t() @ dq, x.t() @ dk, x.t() @ dv, dw1, db1, dw2, db2


class Gates(Function):
    """Gated eight times over: written out, what it computes reads x some thousand times."""

    @staticmethod
    def forward(ctx, x):
        y = [x]
        for _ in range(8):
            y.append(y[-1] * torch.tanh(y[-1]))
        ctx.save_for_backward(*y[:-1])
        return y[-1]

    @staticmethod
    def backward(ctx, g):
        for y in reversed(ctx.saved_tensors):
            s = torch.tanh(y)
            g = g * s + g * y * (1 - s * s)
        return g


EPS = {"eps": gp.real(), "requires": "eps > 0"}
NORM = {"x": ("N", "C"), "w": "C", "b": "C", **EPS}
GROUPED = {"x": ("N", "G*D", "L"), "w": ("G*D",), "b": ("G*D",), "G": gp.size("G"), **EPS}
LABELLED = {"x": ("N", "D"), "w": ("D", "C"), "b": "C", "y": gp.integer("N", below="C")}
LINEAR = {"x": ("N", "D"), "w": ("K", "D"), "b": "K"}
LAYERS = {"w1": ("D", "H"), "b1": "H", "w2": ("H", "D"), "b2": "D"}
HEADS = {"x": ("N", "D"), "wq": ("D", "K"), "wk": ("D", "K"), "wv": ("D", "K")}
WHOLE = {"x": ("N", "D"), "gamma": "D", "beta": "D", **LAYERS, **EPS}

# What the code is, what is said of it, a line of its backward, and what a mistake makes of that.
COMPOSITES = [
    (SiluOfLayerNorm, NORM, "gx - gx.mean(-1, keepdim=True) - ", "gx - "),
    (GeluOfLinear, LINEAR, "1 + 3 * 0.044715", "1 + 0.044715"),
    (ReluOfBatchNorm, NORM, "n * gx - gx.sum(0)", "gx - gx.sum(0)"),
    (CrossEntropyOfLinear, LABELLED, "/ n * g", "* g"),
    (SwishOfGroupNorm, GROUPED, "gx.mean((2, 3), keepdim=True)", "gx.mean(3, keepdim=True)"),
    (MLP, {"x": ("N", "D"), **LAYERS}, "da * (s + h * s * (1 - s))", "da * s"),
    (ProjectedAttention, HEADS, " / math.sqrt(q.shape[-1])\n        dq", "\n        dq"),
    (Block, WHOLE, "return g + dx", "return dx"),
    (Gates, {"x": "N"}, "g * y * (1 - s * s)", "g * (1 - s * s)"),
    (ReluBlock, {**HEADS, "wv": ("D", "D"), **LAYERS}, "* (h > 0)", "* (r @ w1 > 0)"),
]
