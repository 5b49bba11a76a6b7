"""More Triton kernels with their host code, each of a kind of its own: forwards and backwards."""

import torch
import triton
import triton.language as tl

from gradproof import torch as gp


@triton.jit
def square_fwd(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + at, mask=inside)
    tl.store(y + at, v * v, mask=inside)


@triton.jit
def square_bwd(dy, x, dx, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    g = tl.load(dy + at, mask=inside)
    v = tl.load(x + at, mask=inside)
    tl.store(dx + at, 2 * v * g, mask=inside)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        n = x.numel()
        square_fwd[(triton.cdiv(n, 8),)](x, y, n, BLOCK=8)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty_like(x)
        square_bwd[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](
            dy, x, dx, x.numel(), BLOCK=8
        )
        return dx


@triton.jit
def rowsum_fwd(x, y, R, C, BR: tl.constexpr, BC: tl.constexpr):
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    total = tl.zeros((BR,), dtype=tl.float32)
    for start in range(0, C, BC):
        cols = start + tl.arange(0, BC)
        v = tl.load(
            x + rows[:, None] * C + cols[None, :],
            mask=(rows[:, None] < R) & (cols[None, :] < C),
            other=0.0,
        )
        total += tl.sum(v * v, axis=1)
    tl.store(y + rows, total, mask=rows < R)


@triton.jit
def rowsum_bwd(dy, x, dx, R, C, BR: tl.constexpr, BC: tl.constexpr):
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    cols = tl.program_id(1) * BC + tl.arange(0, BC)
    inside = (rows[:, None] < R) & (cols[None, :] < C)
    at = rows[:, None] * C + cols[None, :]
    g = tl.load(dy + rows, mask=rows < R, other=0.0)
    v = tl.load(x + at, mask=inside, other=0.0)
    tl.store(dx + at, 2 * v * g[:, None], mask=inside)


class RowSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        R, C = x.shape
        y = torch.empty(R, dtype=x.dtype)
        rowsum_fwd[(triton.cdiv(R, 2),)](x, y, R, C, BR=2, BC=4)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        R, C = x.shape
        dx = torch.empty_like(x)
        rowsum_bwd[(triton.cdiv(R, 2), triton.cdiv(C, 4))](dy, x, dx, R, C, BR=2, BC=4)
        return dx


@triton.jit
def transpose(x, y, M, N, xm, xn, ym, yn, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    v = tl.load(x + rows[:, None] * xm + cols[None, :] * xn, mask=mask)
    tl.store(y + cols[:, None] * ym + rows[None, :] * yn, tl.trans(v), mask=tl.trans(mask))


def transposed(x):
    M, N = x.shape
    y = torch.empty((N, M), dtype=x.dtype)
    grid = (triton.cdiv(M, 2), triton.cdiv(N, 4))
    transpose[grid](x, y, M, N, x.stride(0), x.stride(1), y.stride(0), y.stride(1), BM=2, BN=4)
    return y


class Transpose(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return transposed(x)

    @staticmethod
    def backward(ctx, dy):
        return transposed(dy)


@triton.jit
def gather(x, label, y, K, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.load(label + row)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + at * C + cols, mask=cols < C, other=0.0)
    tl.store(y + row * C + cols, v, mask=cols < C)


@triton.jit
def scatter(dy, label, dx, K, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.load(label + row)
    cols = tl.arange(0, BLOCK)
    g = tl.load(dy + row * C + cols, mask=cols < C, other=0.0)
    tl.atomic_add(dx + at * C + cols, g, mask=cols < C)


class Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, label):
        (R,), (K, C) = label.shape, x.shape
        y = torch.empty((R, C), dtype=x.dtype)
        gather[(R,)](x, label, y, K, C, BLOCK=triton.next_power_of_2(C))
        ctx.save_for_backward(label)
        ctx.count = K
        return y

    @staticmethod
    def backward(ctx, dy):
        (label,) = ctx.saved_tensors
        R, C = dy.shape
        dx = torch.zeros((ctx.count, C), dtype=dy.dtype)
        scatter[(R,)](dy, label, dx, ctx.count, C, BLOCK=triton.next_power_of_2(C))
        return dx, None


@triton.jit
def partial(x, part, n, each, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    first = p * each
    last = min(first + each, n)
    acc = 0.0
    for start in range(first, last, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + at, mask=at < last, other=0.0)
        acc += tl.sum(v * v, axis=0)
    tl.store(part + p, acc)


@triton.jit
def together(part, y, G: tl.constexpr):
    at = tl.arange(0, G)
    tl.store(y, tl.sum(tl.load(part + at), axis=0))


@triton.jit
def norm_bwd(dy, x, dx, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(dy)
    tl.store(dx + at, 2 * g * tl.load(x + at, mask=at < n, other=0.0), mask=at < n)


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        (n,) = x.shape
        part = torch.empty(4, dtype=x.dtype)
        y = torch.empty((), dtype=x.dtype)
        partial[(4,)](x, part, n, triton.cdiv(n, 4), BLOCK=4)
        together[(1,)](part, y, G=4)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        (n,) = x.shape
        dx = torch.empty_like(x)
        norm_bwd[(triton.cdiv(n, 8),)](dy, x, dx, n, BLOCK=8)
        return dx


@triton.jit
def rope_kernel(x, cos, sin, y, C, sign: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    a = tl.load(x + row * 2 * C + cols, mask=mask, other=0.0)
    b = tl.load(x + row * 2 * C + C + cols, mask=mask, other=0.0)
    c = tl.load(cos + row * C + cols, mask=mask, other=0.0)
    s = sign * tl.load(sin + row * C + cols, mask=mask, other=0.0)
    tl.store(y + row * 2 * C + cols, a * c - b * s, mask=mask)
    tl.store(y + row * 2 * C + C + cols, b * c + a * s, mask=mask)


def turned(x, cos, sin, sign):
    R, C = cos.shape
    y = torch.empty_like(x)
    rope_kernel[(R,)](x, cos, sin, y, C, sign, BLOCK=triton.next_power_of_2(C))
    return y


class Rope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin):
        ctx.save_for_backward(cos, sin)
        return turned(x, cos, sin, 1)

    @staticmethod
    def backward(ctx, dy):
        return turned(dy, *ctx.saved_tensors, -1), None, None


@triton.jit
def relu_fwd(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(y + at, tl.where(v > 0, v, 0.1 * v), mask=at < n)


@triton.jit
def relu_bwd(dy, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(dy + at, mask=at < n, other=0.0)
    v = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(x + at, tl.where(v > 0, g, 0.1 * g), mask=at < n)


class LeakyRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        n = x.numel()
        relu_fwd[(triton.cdiv(n, 4),)](x, y, n, BLOCK=4)
        ctx.save_for_backward(x.clone())
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        n = x.numel()
        relu_bwd[(triton.cdiv(n, 4),)](dy, x, n, BLOCK=4)
        return x


@triton.jit
def logsumexp_fwd(x, y, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * C
    m = -float("inf")
    d = 0.0
    for start in range(0, C, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < C, other=-float("inf"))
        new = tl.maximum(m, tl.max(v, axis=0))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(v - new), axis=0)
        m = new
    tl.store(y + row, m + tl.log(d))


@triton.jit
def logsumexp_bwd(dy, x, y, dx, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    g = tl.load(dy + row)
    total = tl.load(y + row)
    for start in range(0, C, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * C + cols, mask=cols < C, other=0.0)
        tl.store(dx + row * C + cols, g * tl.exp(v - total), mask=cols < C)


class LogSumExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        R, C = x.shape
        y = torch.empty(R, dtype=x.dtype)
        logsumexp_fwd[(R,)](x, y, C, BLOCK=4)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, y = ctx.saved_tensors
        R, C = x.shape
        dx = torch.empty_like(x)
        logsumexp_bwd[(R,)](dy, x, y, dx, C, BLOCK=4)
        return dx


@triton.jit
def outer_kernel(a, b, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    wide = tl.cdiv(N, BN)
    rows = (pid // wide) * BM + tl.arange(0, BM)
    cols = (pid % wide) * BN + tl.arange(0, BN)
    u = tl.load(a + rows, mask=rows < M, other=0.0)
    v = tl.load(b + cols, mask=cols < N, other=0.0)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(y + rows[:, None] * N + cols[None, :], u[:, None] * v[None, :], mask=mask)


@triton.jit
def outer_bwd(dy, a, b, da, db, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    g = tl.load(dy + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    u = tl.load(a + rows, mask=rows < M, other=0.0)
    v = tl.load(b + cols, mask=cols < N, other=0.0)
    tl.atomic_add(da + rows, tl.sum(g * v[None, :], axis=1), mask=rows < M)
    tl.atomic_add(db + cols, tl.sum(g * u[:, None], axis=0), mask=cols < N)


class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        (M,), (N,) = a.shape, b.shape
        y = torch.empty((M, N), dtype=a.dtype)
        outer_kernel[(triton.cdiv(M, 2) * triton.cdiv(N, 4),)](a, b, y, M, N, BM=2, BN=4)
        ctx.save_for_backward(a, b)
        return y

    @staticmethod
    def backward(ctx, dy):
        a, b = ctx.saved_tensors
        (M,), (N,) = a.shape, b.shape
        da, db = torch.zeros_like(a), torch.zeros_like(b)
        outer_bwd[(triton.cdiv(M, 2), triton.cdiv(N, 4))](dy, a, b, da, db, M, N, BM=2, BN=4)
        return da, db


@triton.jit
def square_copy(x, y, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(y + row * C + cols, tl.load(x + row * C + cols, mask=cols < C), mask=cols < C)


@triton.jit
def shift(x, y, n, by: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at + 1, mask=at + 1 < n, other=0.0)
    tl.store(y + at, v, mask=at < n)


@triton.jit
def back(dy, dx, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(dy + at - 1, mask=(at >= 1) & (at < n), other=0.0)
    tl.store(dx + at, g, mask=at < n)


class Shifted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        (n,) = x.shape
        y = torch.empty_like(x)
        shift[(triton.cdiv(n, 8),)](x, y, n, 1, BLOCK=8)
        return y

    @staticmethod
    def backward(ctx, dy):
        (n,) = dy.shape
        dx = torch.empty_like(dy)
        back[(triton.cdiv(n, 8),)](dy, dx, n, BLOCK=8)
        return dx


ROWS = ("R", "C")
SAID = {
    "Shifted": {"x": ("n",)},
    "Square": {"x": ROWS},
    "RowSum": {"x": ROWS},
    "Transpose": {"x": ("M", "N")},
    "Embedding": {"x": ("K", "C"), "label": gp.integer("R", below="K")},
    "Norm": {"x": ("n",)},
    "Rope": {"x": ("R", "2*C"), "cos": gp.constant("R", "C"), "sin": gp.constant("R", "C")},
    "LeakyRelu": {"x": ROWS},
    "LogSumExp": {"x": ROWS},
    "Outer": {"a": ("M",), "b": ("N",)},
}
