"""Kernels of Triton with their host code, in forms that are common: forwards and backwards."""

import torch
import triton
import triton.language as tl

from gradproof import torch as gp


@triton.jit
def softmax_fwd(x, y, stride, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    v = tl.load(x + row * stride + cols, mask=mask, other=-float("inf"))
    v = v - tl.max(v, axis=0)
    e = tl.exp(v)
    tl.store(y + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def softmax_bwd(dy, y, dx, stride, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    g = tl.load(dy + row * stride + cols, mask=mask, other=0.0)
    v = tl.load(y + row * stride + cols, mask=mask, other=0.0)
    tl.store(dx + row * stride + cols, v * (g - tl.sum(v * g, axis=0)), mask=mask)


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        R, C = x.shape
        y = torch.empty_like(x)
        BLOCK = triton.next_power_of_2(C)
        softmax_fwd[(R,)](x, y, x.stride(0), C, BLOCK=BLOCK, num_warps=4)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        dx = torch.empty_like(y)
        R, C = y.shape
        softmax_bwd[(R,)](dy, y, dx, y.stride(0), C, BLOCK=triton.next_power_of_2(C))
        return dx


@triton.jit
def rms_fwd(x, w, y, rstd, C, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    v = tl.load(x + row * C + cols, mask=mask, other=0.0)
    g = tl.load(w + cols, mask=mask, other=0.0)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / C + eps)
    tl.store(rstd + row, r)
    tl.store(y + row * C + cols, v * r * g, mask=mask)


@triton.jit
def rms_bwd(dy, x, w, rstd, dx, dw, R, C, rows_each, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    g = tl.load(w + cols, mask=mask, other=0.0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    first = p * rows_each
    last = min(first + rows_each, R)
    for row in range(first, last):
        v = tl.load(x + row * C + cols, mask=mask, other=0.0)
        d = tl.load(dy + row * C + cols, mask=mask, other=0.0)
        r = tl.load(rstd + row)
        m = d * g
        tl.store(dx + row * C + cols, r * m - r * r * r / C * tl.sum(m * v, axis=0) * v, mask=mask)
        acc += d * v * r
    tl.store(dw + p * C + cols, acc, mask=mask)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, eps):
        R, C = x.shape
        y = torch.empty_like(x)
        rstd = torch.empty(R, dtype=x.dtype)
        rms_fwd[(R,)](x, w, y, rstd, C, eps, BLOCK=triton.next_power_of_2(C))
        ctx.save_for_backward(x, w, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, rstd = ctx.saved_tensors
        R, C = x.shape
        G = 3
        dx = torch.empty_like(x)
        dw = torch.empty((G, C), dtype=x.dtype)
        rms_bwd[(G,)](
            dy, x, w, rstd, dx, dw, R, C, triton.cdiv(R, G), BLOCK=triton.next_power_of_2(C)
        )
        return dx, dw.sum(0), None


@triton.jit
def mm(
    a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    ap = a + rows[:, None] * am + inner[None, :] * ak
    bp = b + inner[:, None] * bk + cols[None, :] * bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        x = tl.load(ap, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        y = tl.load(bp, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
        ap += BK * ak
        bp += BK * bk
    tl.store(
        c + rows[:, None] * cm + cols[None, :] * cn,
        acc,
        mask=(rows[:, None] < M) & (cols[None, :] < N),
    )


def matmul(a, b):
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype)
    mm[lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))](
        a,
        b,
        c,
        M,
        N,
        K,
        a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1),
        c.stride(0),
        c.stride(1),
        BM=2,
        BN=4,
        BK=2,
    )
    return c


class Matmul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return matmul(a, b)

    @staticmethod
    def backward(ctx, dy):
        a, b = ctx.saved_tensors
        return matmul(dy, b.t()), matmul(a.t(), dy)


@triton.jit
def bias_fwd(x, b, y, R, C, BR: tl.constexpr, BC: tl.constexpr):
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    cols = tl.program_id(1) * BC + tl.arange(0, BC)
    at = rows[:, None] * C + cols[None, :]
    mask = (rows[:, None] < R) & (cols[None, :] < C)
    tl.store(
        y + at, tl.load(x + at, mask=mask) + tl.load(b + cols, mask=cols < C)[None, :], mask=mask
    )


@triton.jit
def bias_bwd(dy, db, R, C, BR: tl.constexpr, BC: tl.constexpr):
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    cols = tl.program_id(1) * BC + tl.arange(0, BC)
    g = tl.load(
        dy + rows[:, None] * C + cols[None, :],
        mask=(rows[:, None] < R) & (cols[None, :] < C),
        other=0.0,
    )
    tl.atomic_add(db + cols, tl.sum(g, axis=0), mask=cols < C)


class Bias(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, b):
        R, C = x.shape
        y = torch.empty_like(x)
        bias_fwd[(triton.cdiv(R, 4), triton.cdiv(C, 4))](x, b, y, R, C, BR=4, BC=4)
        return y

    @staticmethod
    def backward(ctx, dy):
        R, C = dy.shape
        db = torch.zeros(C, dtype=dy.dtype)
        bias_bwd[(triton.cdiv(R, 4), triton.cdiv(C, 4))](dy, db, R, C, BR=4, BC=4)
        return dy, db


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def swiglu_fwd(a, b, c, stride, C, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    a += row * stride
    b += row * stride
    c += row * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    x = tl.load(a + cols, mask=mask, other=0).to(tl.float32)
    y = tl.load(b + cols, mask=mask, other=0)
    tl.store(c + cols, silu(x).cast(y.dtype) * y, mask=mask)


@triton.jit
def swiglu_bwd(dc, a, b, stride, C, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    dc += row * stride
    a += row * stride
    b += row * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    g = tl.load(dc + cols, mask=mask, other=0)
    x = tl.load(a + cols, mask=mask, other=0).to(tl.float32)
    y = tl.load(b + cols, mask=mask, other=0)
    s = tl.sigmoid(x)
    u = x * s
    db = g * u
    da = g * (u * (1 - s) + s) * y
    tl.store(a + cols, da, mask=mask)
    tl.store(b + cols, db, mask=mask)


class SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        R, C = a.shape
        c = torch.empty_like(a)
        swiglu_fwd[(R,)](a, b, c, c.stride(-2), C, BLOCK=triton.next_power_of_2(C), num_warps=4)
        ctx.save_for_backward(a.clone(), b.clone())
        return c

    @staticmethod
    def backward(ctx, dc):
        a, b = ctx.saved_tensors
        R, C = dc.shape
        swiglu_bwd[(R,)](dc, a, b, dc.stride(-2), C, BLOCK=triton.next_power_of_2(C), num_warps=4)
        return a, b


@triton.jit
def ln_fwd(x, w, b, y, mean, rstd, stride, C, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    v = tl.load(x + cols, mask=mask, other=0.0)
    mu = tl.sum(v, axis=0) / C
    d = tl.where(mask, v - mu, 0.0)
    var = tl.sum(d * d, axis=0) / C
    r = 1 / tl.sqrt(var + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    g = tl.load(w + cols, mask=mask)
    h = tl.load(b + cols, mask=mask)
    tl.store(y + cols, d * r * g + h, mask=mask)


@triton.jit
def ln_bwd(dy, x, w, mean, rstd, dx, dw, db, R, C, rows_each, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    g = tl.load(w + cols, mask=mask, other=0.0)
    aw = tl.zeros((BLOCK,), dtype=tl.float32)
    ab = tl.zeros((BLOCK,), dtype=tl.float32)
    first = p * rows_each
    last = min(first + rows_each, R)
    x += first * C
    dy += first * C
    dx += first * C
    mean += first
    rstd += first
    for _ in range(first, last):
        v = tl.load(x + cols, mask=mask, other=0.0)
        d = tl.load(dy + cols, mask=mask, other=0.0)
        m = tl.load(mean)
        r = tl.load(rstd)
        xh = (v - m) * r
        wdy = g * d
        c1 = tl.sum(xh * wdy, axis=0) / C
        c2 = tl.sum(wdy, axis=0) / C
        tl.store(dx + cols, (wdy - (xh * c1 + c2)) * r, mask=mask)
        aw += d * xh
        ab += d
        x += C
        dy += C
        dx += C
        mean += 1
        rstd += 1
    tl.store(dw + p * C + cols, aw, mask=mask)
    tl.store(db + p * C + cols, ab, mask=mask)


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, eps):
        R, C = x.shape
        y = torch.empty_like(x)
        mean = torch.empty(R, dtype=x.dtype)
        rstd = torch.empty(R, dtype=x.dtype)
        ln_fwd[(R,)](x, w, b, y, mean, rstd, x.stride(0), C, eps, BLOCK=triton.next_power_of_2(C))
        ctx.save_for_backward(x, w, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, mean, rstd = ctx.saved_tensors
        R, C = x.shape
        G = 4
        dx = torch.empty_like(x)
        dw = torch.empty((G, C), dtype=x.dtype)
        db = torch.empty((G, C), dtype=x.dtype)
        ln_bwd[(G,)](
            dy,
            x,
            w,
            mean,
            rstd,
            dx,
            dw,
            db,
            R,
            C,
            triton.cdiv(R, G),
            BLOCK=triton.next_power_of_2(C),
        )
        return dx, dw.sum(0), db.sum(0), None


@triton.jit
def ce(x, label, loss, stride, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y = tl.load(label + row)
    m = float("-inf")
    d = 0.0
    xy = tl.load(x + y)
    for i in range(0, C, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < C, other=float("-inf"))
        top = tl.max(v)
        new = tl.maximum(m, top)
        d = d * tl.exp(m - new) + tl.sum(tl.exp(v - new))
        m = new
    lse = m + tl.log(d)
    for i in range(0, C, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < C, other=float("-inf"))
        g = tl.exp(v - m) / d
        g = tl.where(cols == y, g - 1.0, g)
        tl.store(x + cols, g, mask=cols < C)
    tl.store(loss + row, lse - xy)


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, label):
        R, C = x.shape
        x = x.clone()
        loss = torch.empty(R, dtype=x.dtype)
        ce[(R,)](x, label, loss, x.stride(0), C, BLOCK=4)
        ctx.save_for_backward(x)
        return loss.sum()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return x * g, None


ROWS = ("R", "C")
NORM = {"x": ROWS, "w": ("C",), "eps": gp.real(), "requires": "eps > 0"}
SAID = {
    "Softmax": {"x": ROWS},
    "RMSNorm": NORM,
    "SwiGLU": {"a": ROWS, "b": ROWS},
    "LayerNorm": {**NORM, "b": ("C",)},
    "CrossEntropy": {"x": ROWS, "label": gp.integer("R", below="C")},
    "Matmul": {"a": ("M", "K"), "b": ("K", "N")},
    "Bias": {"x": ROWS, "b": ("C",)},
}
