"""What tests at multiples of a block miss: of each pair what is written, and what instead."""

SLIPS = {
    "Softmax": [
        (
            "tl.store(y + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)",
            "tl.store(y + row * stride + cols, e / tl.sum(e, axis=0))",
        ),
        ("mask = cols < C", "mask = cols <= C"),
        ('other=-float("inf")', "other=0.0"),
        ("softmax_fwd[(R,)]", "softmax_fwd[(R - 1,)]"),
        ("tl.store(y + row * stride + cols", "tl.store(y + cols"),
        ("v * (g - tl.sum(v * g, axis=0))", "v * (g - tl.sum(g, axis=0))"),
        (
            "g = tl.load(dy + row * stride + cols, mask=mask, other=0.0)",
            "g = tl.load(dy + row * stride + cols, mask=mask)",
        ),
        (
            "softmax_bwd[(R,)](dy, y, dx, y.stride(0), C",
            "softmax_bwd[(R,)](dy, y, dx, y.stride(0), C - 1",
        ),
    ],
    "RMSNorm": [
        ("triton.cdiv(R, G), BLOCK", "R // G, BLOCK"),
        ("last = min(first + rows_each, R)", "last = first + rows_each"),
        (
            "dw = torch.empty((G, C), dtype=x.dtype)\n        rms_bwd[(G,)]",
            "dw = torch.empty((G, C), dtype=x.dtype)\n        rms_bwd[(G - 1,)]",
        ),
        ("tl.store(rstd + row, r)", "tl.store(rstd, r)"),
        ("tl.store(dw + p * C + cols, acc, mask=mask)", "tl.store(dw + cols, acc, mask=mask)"),
        ("acc += d * v * r", "acc = d * v * r"),
        ("acc += d * v * r", "acc += d * v"),
        ("r * r * r / C", "r * r / C"),
        ("return dx, dw.sum(0), None", "return dx, dw[0], None"),
    ],
    "SwiGLU": [
        ("tl.store(b + cols, db, mask=mask)", "tl.store(b + cols, db)"),
        (
            "y = tl.load(b + cols, mask=mask, other=0)\n    s = ",
            "tl.store(a + cols, g, mask=mask)\n    y = tl.load(b + cols, mask=mask, other=0)\n"
            "    x = tl.load(a + cols, mask=mask, other=0)\n    s = ",
        ),
        ("u * (1 - s) + s", "u * (1 - s)"),
        (
            "a += row * stride\n    b += row * stride\n    cols",
            "a += row * C + 1\n    b += row * stride\n    cols",
        ),
        (
            "da = g * (u * (1 - s) + s) * y\n    tl.store(a",
            "da = g * (u * (1 - s) + s) * y\n    tl.store(b",
        ),
    ],
    "LayerNorm": [
        ("d = tl.where(mask, v - mu, 0.0)", "d = v - mu"),
        ("mean += 1\n", "mean += 2\n"),
        ("dx += C\n", "dx += BLOCK\n"),
        ("ab += d\n", "ab += d * r\n"),
        ("(wdy - (xh * c1 + c2)) * r, mask=mask", "(wdy - (xh * c1 + c2)) * r, mask=cols < C - 1"),
        ("var = tl.sum(d * d, axis=0) / C", "var = tl.sum(d * d, axis=0) / BLOCK"),
    ],
    "CrossEntropy": [
        ('other=float("-inf"))\n        top', "other=0.0)\n        top"),
        ("d = d * tl.exp(m - new)", "d = d"),
        ("for i in range(0, C, BLOCK):", "for i in range(0, C - 1, BLOCK):"),
        ("g - 1.0", "g + 1.0"),
        ("tl.store(x + cols, g, mask=cols < C)", "tl.store(x + cols, g)"),
        ("tl.store(loss + row, lse - xy)", "tl.store(loss, lse - xy)"),
        ("xy = tl.load(x + y)", "xy = tl.load(x + y + 1)"),
    ],
    "Matmul": [
        ("left = K - k * BK", "left = K - k * BN"),
        ("ap += BK * ak", "ap += BM * ak"),
        ("(rows[:, None] < M) & (inner[None, :] < left)", "rows[:, None] < M"),
        ("for k in range(0, tl.cdiv(K, BK)):", "for k in range(0, K // BK):"),
        ("cols[None, :] * cn", "cols[None, :] * cm"),
        ("mask=(rows[:, None] < M) & (cols[None, :] < N))\n\n", "mask=rows[:, None] < M)\n\n"),
        ('triton.cdiv(N, meta["BN"])', 'N // meta["BN"]'),
        ("BM=2,", "BM=4,"),
    ],
    "Bias": [
        ("tl.atomic_add(db + cols", "tl.store(db + cols"),
        ("torch.zeros(C, dtype=dy.dtype)", "torch.empty(C, dtype=dy.dtype)"),
        ("bias_bwd[(triton.cdiv(R, 4)", "bias_bwd[(R // 4"),
        (
            "mask=(rows[:, None] < R) & (cols[None, :] < C), other=0.0",
            "mask=cols[None, :] < C, other=0.0",
        ),
        ("tl.sum(g, axis=0), mask=cols < C)", "tl.sum(g, axis=0), mask=cols < R)"),
    ],
}
OPEN = {("SwiGLU", 1)}  # not refuted, since what is read after it is written might be meant
