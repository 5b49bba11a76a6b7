"""False kernels, by kind: of a pair what is written, and what instead. None may be proved.

Those marked "right" have a right derivative all the same, and none may be refuted. Two add what
padded lanes hold, a number by a block that is a number: the derivative does not tell.
"""

FALSE = {
    "Square": [
        ("square_fwd[(triton.cdiv(n, 8),)]", "square_fwd[(n // 8,)]"),
        ("square_fwd[(triton.cdiv(n, 8),)]", "square_fwd[(triton.cdiv(n, 8) - 1,)]"),
        ("square_fwd[(triton.cdiv(n, 8),)]", "square_fwd[(n // 8 + 1,)]", "right"),
        ("square_fwd[(triton.cdiv(n, 8),)]", "square_fwd[(min(triton.cdiv(n, 8), 65535),)]"),
        ("inside = at < n\n    v", "inside = at <= n\n    v"),
        ("inside = at < n\n    v", "inside = at < n + 7\n    v"),
        ("inside = at < n\n    v", "inside = (at < n) | (at % 8 == 7)\n    v"),
        ("inside = at < n\n    v", "inside = at < n - n % 8\n    v"),
        (
            "at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    inside = at < n\n    v",
            "at = tl.program_id(0) * (BLOCK - 1) + tl.arange(0, BLOCK)\n    inside = at < n\n    v",
        ),
        (
            "at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    inside = at < n\n    v",
            "at = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int8)\n"
            "    inside = at < n\n    v",
        ),
        (
            "at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    inside = at < n\n    v",
            "at = tl.program_id(0).to(tl.int16) * BLOCK + tl.arange(0, BLOCK)\n"
            "    inside = at < n\n    v",
        ),
        (
            "at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    inside = at < n\n    v",
            "at = tl.program_id(0).to(tl.uint8) * BLOCK + tl.arange(0, BLOCK)\n"
            "    inside = at < n\n    v",
        ),
        ("tl.store(y + at, v * v, mask=inside)", "tl.store(y + at, v * v)"),
        ("tl.store(y + at, v * v, mask=inside)", "tl.store(y + at, v * v, mask=at < n - 1)"),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "tl.store(y + at, v * v, mask=inside & (at != 1000000))",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "if tl.program_id(0) < 5000:\n        tl.store(y + at, v * v, mask=inside)",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "if n > 3000:\n        v = v + 1\n    tl.store(y + at, v * v, mask=inside)",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "tl.store(y + at, v * v, mask=inside)\n    tl.store(y + n, 0.0, mask=n > 100000)",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "tl.store(y + at, v * v, mask=inside)\n    tl.store(y, v * v, mask=inside)",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "if n > 70000:\n        return\n    tl.store(y + at, v * v, mask=inside)",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "tl.store(y + at, v * v, mask=inside)\n"
            "    tl.store(y + at + 1, v * v + 1, mask=at + 1 < n)",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "tl.store(y + at, v.to(tl.int32).to(tl.float32) * v, mask=inside)",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "tl.store(y + (at % 4096), v * v, mask=inside & (at % 4096 < n))",
        ),
        (
            "tl.store(y + at, v * v, mask=inside)",
            "tl.store(y + at, v * v * tl.num_programs(0) / tl.cdiv(n, 16), mask=inside)",
        ),
        ("2 * v * g", "v * g"),
        ("2 * v * g", "2 * v * g + tl.sum(v, axis=0) * 0"),
        ("2 * v * g", "tl.where(at < 4000, 2 * v * g, g)"),
        ("2 * v * g", "tl.where(tl.program_id(0) == 777, g, 2 * v * g)"),
        (
            "v = tl.load(x + at, mask=inside)\n    tl.store(dx",
            "v = tl.load(dx + at, mask=inside)\n    tl.store(dx",
        ),
        ("dx = torch.empty_like(x)", "dx = torch.empty_like(x[:1])"),
        (
            "        y = torch.empty_like(x)\n        n = x.numel()",
            "        y = x\n        n = x.numel()",
        ),
        (
            "ctx.save_for_backward(x)\n        return y\n\n    @staticmethod\n    def "
            "backward(ctx, dy):\n        (x,) = ctx.saved_tensors\n        dx = "
            "torch.empty_like(x)\n        square_bwd",
            "ctx.save_for_backward(y)\n        return y\n\n    @staticmethod\n    def "
            "backward(ctx, dy):\n        (x,) = ctx.saved_tensors\n        dx = "
            "torch.empty_like(x)\n        square_bwd",
        ),
    ],
    "Shifted": [
        (
            "tl.load(x + at + 1, mask=at + 1 < n, other=0.0)",
            "tl.load(y + at + 1, mask=at + 1 < n, other=0.0)",
        ),
        (
            "shift[(triton.cdiv(n, 8),)](x, y, n, 1, BLOCK=8)",
            "y = x.clone()\n        shift[(triton.cdiv(n, 8),)](y, y, n, 1, BLOCK=8)",
        ),
        (
            "shift[(triton.cdiv(n, 8),)](x, y, n, 1, BLOCK=8)",
            "y = x.clone()\n        shift[(1,)](y, y, n, 1, BLOCK=triton.next_power_of_2(n))",
        ),
        (
            "tl.arange(0, BLOCK)\n    v = tl.load(x + at + 1",
            "tl.arange(0, BLOCK)\n    v = tl.load(x + at + 2",
        ),
        ("mask=at + 1 < n, other=0.0)", "mask=at < n, other=0.0)"),
        ("mask=at + 1 < n, other=0.0)", "mask=at + 1 < n)"),
    ],
    "RowSum": [
        ("for start in range(0, C, BC):", "for start in range(0, C - C % BC, BC):"),
        ("for start in range(0, C, BC):", "for start in range(0, tl.cdiv(C, BC)):"),
        ("for start in range(0, C, BC):", "for start in range(BC, C, BC):"),
        ("for start in range(0, C, BC):", "for start in range(0, C, BC // 2):"),
        ("for start in range(0, C, BC):", "for start in range(0, min(C, 2048), BC):"),
        ("for start in range(0, C, BC):", "for start in range(0, C + BC, BC):", "right"),
        (
            "(rows[:, None] < R) & (cols[None, :] < C),\n            other",
            "(rows[:, None] < C) & (cols[None, :] < R),\n            other",
        ),
        (
            "(rows[:, None] < R) & (cols[None, :] < C),\n            other",
            "cols[None, :] < C,\n            other",
        ),
        (
            "(rows[:, None] < R) & (cols[None, :] < C),\n            other",
            "rows[:, None] < R,\n            other",
        ),
        ("other=0.0,\n        )\n        total", "other=1.0,\n        )\n        total", "right"),
        ("other=0.0,\n        )\n        total", ")\n        total"),
        ("total += tl.sum(v * v, axis=1)", "total = tl.sum(v * v, axis=1)"),
        ("total += tl.sum(v * v, axis=1)", "total += tl.sum(v * v, axis=0)"),
        ("total += tl.sum(v * v, axis=1)", "total += tl.sum(v * v + 1e-9, axis=1)", "right"),
        ("total += tl.sum(v * v, axis=1)", "total += tl.sum(tl.exp(v) - 1, axis=1)"),
        ("total += tl.sum(v * v, axis=1)", "total += tl.sum(tl.exp(v), axis=1)"),
        ("total = tl.zeros((BR,), dtype=tl.float32)", "total = tl.load(y + rows, mask=rows < R)"),
        (
            "total = tl.zeros((BR,), dtype=tl.float32)",
            "total = tl.full((BR,), 1e-12, dtype=tl.float32)",
            "right",
        ),
        ("tl.store(y + rows, total, mask=rows < R)", "tl.store(y + rows, total, mask=rows < C)"),
        (
            "tl.store(y + rows, total, mask=rows < R)",
            "tl.store(y + rows * 2, total, mask=rows < R)",
        ),
        (
            "tl.store(y + rows, total, mask=rows < R)",
            "tl.store(y + rows // 2, total, mask=rows < R)",
        ),
        (
            "        v = tl.load(\n            x + rows[:, None] * C + cols[None, :]",
            "        v = tl.load(\n            x + rows[:, None] * R + cols[None, :]",
        ),
        ("g[:, None]", "tl.sum(g, axis=0)"),
        (
            "at = rows[:, None] * C + cols[None, :]\n    g",
            "at = rows[:, None] * C + cols[None, :] + (C // 500) * 0 + (C > 500)\n    g",
        ),
        (
            "rowsum_bwd[(triton.cdiv(R, 2), triton.cdiv(C, 4))]",
            "rowsum_bwd[(triton.cdiv(C, 4), triton.cdiv(R, 2))]",
        ),
        (
            "rowsum_bwd[(triton.cdiv(R, 2), triton.cdiv(C, 4))]",
            "rowsum_bwd[(triton.cdiv(R, 2), triton.cdiv(C, 8))]",
        ),
        # What a loop carries.
        (
            "for start in range(0, C, BC):\n",
            "first = True\n    for start in range(0, C, BC):\n        if first:\n"
            "            total = total * 1.0\n        else:\n            total = total + 0.001\n"
            "        first = False\n",
        ),
        (
            "for start in range(0, C, BC):\n",
            "source = x\n    for start in range(0, C, BC):\n        w = tl.load(source + rows, "
            "mask=rows < R, other=0.0)\n"
            "        total += w * 0.0\n        source = y\n",
        ),
        (
            "    tl.store(y + rows, total, mask=rows < R)",
            "        if start > 4096:\n            total = total * 0\n"
            "    tl.store(y + rows, total, mask=rows < R)",
        ),
    ],
    "Transpose": [
        (
            "x, y, M, N, x.stride(0), x.stride(1), y.stride(0), y.stride(1), BM=2",
            "x, y, M, N, x.stride(0), x.stride(1), y.stride(1), y.stride(0), BM=2",
        ),
        ("x, y, M, N, x.stride(0), x.stride(1)", "x, y, M, N, M, 1"),
        ("mask=tl.trans(mask))", "mask=mask)"),
        ("mask=tl.trans(mask))", "mask=(cols[:, None] < M) & (rows[None, :] < N))"),
        (
            "tl.store(y + cols[:, None] * ym + rows[None, :] * yn, tl.trans(v)",
            "tl.store(y + cols[:, None] * ym + rows[None, :] * yn, v",
        ),
        (
            "grid = (triton.cdiv(M, 2), triton.cdiv(N, 4))",
            "grid = (triton.cdiv(N, 2), triton.cdiv(M, 4))",
        ),
        (
            "grid = (triton.cdiv(M, 2), triton.cdiv(N, 4))",
            "grid = (triton.cdiv(M, 2), triton.cdiv(N, 4), 2)",
            "right",
        ),
        (
            "y = torch.empty((N, M), dtype=x.dtype)",
            "y = torch.empty((M, N), dtype=x.dtype).t()",
            "right",
        ),
        ("return transposed(dy)", "return transposed(dy.t())"),
        ("return transposed(dy)", "return transposed(transposed(transposed(dy)))", "right"),
        # Strides of a tensor that is not contiguous taken for those of one that is.
        (
            "return transposed(x)",
            "x = x.t()\n        y = torch.empty_like(x)\n        M, N = x.shape\n        "
            "square_copy[(M,)](x, y, N, BLOCK=triton.next_power_of_2(N))\n        return y",
        ),
    ],
    "Embedding": [
        (
            "tl.atomic_add(dx + at * C + cols, g, mask=cols < C)",
            "tl.store(dx + at * C + cols, g, mask=cols < C)",
        ),
        (
            "tl.atomic_add(dx + at * C + cols, g, mask=cols < C)",
            "tl.atomic_add(dx + at * C + cols, g)",
        ),
        (
            "tl.atomic_add(dx + at * C + cols, g, mask=cols < C)",
            "old = tl.load(dx + at * C + cols, mask=cols < C)\n    tl.store(dx + at * C + cols, "
            "old + g, mask=cols < C)",
        ),
        (
            "tl.atomic_add(dx + at * C + cols, g, mask=cols < C)",
            "tl.atomic_add(dx + at * C + cols, g, mask=(cols < C) & (at < 300))",
        ),
        (
            "tl.atomic_add(dx + at * C + cols, g, mask=cols < C)",
            "if at > 0:\n        tl.atomic_add(dx + at * C + cols, g, mask=cols < C)",
        ),
        (
            "tl.atomic_add(dx + at * C + cols, g, mask=cols < C)",
            "tl.atomic_add(dx + row * C + cols, g, mask=cols < C)",
        ),
        (
            "dx = torch.zeros((ctx.count, C), dtype=dy.dtype)",
            "dx = torch.empty((ctx.count, C), dtype=dy.dtype)",
        ),
        (
            "dx = torch.zeros((ctx.count, C), dtype=dy.dtype)",
            "dx = torch.ones((ctx.count, C), dtype=dy.dtype)",
        ),
        (
            "    at = tl.load(label + row)\n    cols = tl.arange(0, BLOCK)\n    v",
            "    at = tl.load(label + row) + 1\n    cols = tl.arange(0, BLOCK)\n    v",
        ),
        (
            "    at = tl.load(label + row)\n    cols = tl.arange(0, BLOCK)\n    v",
            "    at = tl.load(label + row, mask=row < 1000)\n    cols = tl.arange(0, BLOCK)\n    v",
        ),
        (
            "    at = tl.load(label + row)\n    cols = tl.arange(0, BLOCK)\n    v",
            "    at = tl.load(label)\n    cols = tl.arange(0, BLOCK)\n    v",
        ),
    ],
    "Norm": [
        ("partial[(4,)]", "partial[(3,)]"),
        ("part = torch.empty(4, dtype=x.dtype)", "part = torch.empty(3, dtype=x.dtype)"),
        ("together[(1,)](part, y, G=4)", "together[(1,)](part, y, G=2)"),
        ("together[(1,)](part, y, G=4)", "together[(2,)](part, y, G=4)"),
        ("tl.store(part + p, acc)", "tl.store(part, acc)"),
        ("tl.store(part + p, acc)", "tl.atomic_add(part + p, acc)"),
        ("mask=at < last, other=0.0", "mask=at < n, other=0.0"),
        (
            "partial[(4,)](x, part, n, triton.cdiv(n, 4), BLOCK=4)",
            "partial[(4,)](x, part, n, n // 4, BLOCK=4)",
        ),
        (
            "partial[(4,)](x, part, n, triton.cdiv(n, 4), BLOCK=4)",
            "partial[(4,)](x, part, n, min(triton.cdiv(n, 4), 10000), BLOCK=4)",
        ),
        ("last = min(first + each, n)", "last = min(first + each, n - 1)"),
    ],
    "Rope": [
        ("b * c + a * s, mask=mask", "b * c - a * s, mask=mask"),
        (
            "tl.store(y + row * 2 * C + cols, a * c - b * s, mask=mask)",
            "tl.store(x + row * 2 * C + cols, a * c - b * s, mask=mask)",
        ),
        (
            "tl.store(y + row * 2 * C + C + cols, b * c + a * s, mask=mask)",
            "tl.store(y + row * 2 * C + C + cols, b * c + a * s)",
        ),
        (
            "b = tl.load(x + row * 2 * C + C + cols, mask=mask, other=0.0)",
            "b = tl.load(x + row * 2 * C + BLOCK + cols, mask=mask, other=0.0)",
        ),
        (
            "tl.store(y + row * 2 * C + C + cols, b * c + a * s, mask=mask)",
            "tl.store(y + row * 2 * C + BLOCK + cols, b * c + a * s, mask=mask)",
        ),
        ("*ctx.saved_tensors, -1)", "*ctx.saved_tensors, 1)"),
        ("rope_kernel[(R,)]", "rope_kernel[(R, 2)]", "right"),
        # In place, where the second half is read after the first is written: the same programs.
        (
            "    b = tl.load(x + row * 2 * C + C + cols, mask=mask, other=0.0)\n",
            "    tl.store(x + row * 2 * C + C + cols, a, mask=mask)\n    b = tl.load(x + row * "
            "2 * C + C + cols, mask=mask, other=0.0)\n",
        ),
        (
            "y = torch.empty_like(x)\n    rope_kernel[(R,)](x, cos",
            "y = x.clone()\n    rope_kernel[(R,)](y, cos",
            "right",
        ),
        (
            "y = torch.empty_like(x)\n    rope_kernel[(R,)](x, cos, sin, y, C",
            "y = x.clone()\n    rope_kernel[(R - 1 + 1,)](y, cos, sin, y, C - C // 900",
        ),
    ],
    "LeakyRelu": [
        ("tl.where(v > 0, g, 0.1 * g)", "tl.where(v > 0, g, 0.0)"),
        ("tl.where(v > 0, g, 0.1 * g)", "tl.where(g > 0, g, 0.1 * g)"),
        ("tl.where(v > 0, g, 0.1 * g)", "tl.where(v > 1, g, 0.1 * g)"),
        ("tl.where(v > 0, g, 0.1 * g)", "tl.where(v > -1e-6, g, 0.1 * g)"),
        (
            "ctx.save_for_backward(x.clone())",
            "ctx.save_for_backward(y)\n        relu_bwd[(triton.cdiv(n, 4),)](y, y, n, BLOCK=4)",
        ),
        (
            "relu_bwd[(triton.cdiv(n, 4),)](dy, x, n, BLOCK=4)",
            "relu_bwd[(triton.cdiv(n, 4),)](dy, x, n, BLOCK=4)\n        "
            "relu_bwd[(triton.cdiv(n, 4),)](dy, x, n, BLOCK=4)",
        ),
        (
            "relu_bwd[(triton.cdiv(n, 4),)](dy, x, n, BLOCK=4)",
            "relu_bwd[(triton.cdiv(n, 4),)](x, dy, n, BLOCK=4)",
        ),
        (
            "relu_bwd[(triton.cdiv(n, 4),)](dy, x, n, BLOCK=4)",
            "relu_bwd[(triton.cdiv(n, 4), 2)](dy, x, n, BLOCK=4)",
        ),
    ],
    "LogSumExp": [
        ("d = d * tl.exp(m - new) +", "d = d * tl.exp(new - m) +"),
        ("d = d * tl.exp(m - new) +", "d = d +"),
        ("        m = new\n", "        m = tl.max(v, axis=0)\n"),
        ("        m = new\n", ""),
        ('m = -float("inf")\n', "m = 0.0\n", "right"),
        ('m = -float("inf")\n', "m = -1e4\n"),
        ("d = 0.0\n", "d = 1.0\n"),
        ("d = 0.0\n", "d = 1e-9\n"),
        ('other=-float("inf"))', "other=-1e4)", "right"),
        ('other=-float("inf"))', "other=0.0)", "right"),
        ("m + tl.log(d)", "m * tl.log(d)"),
        ("m + tl.log(d)", "tl.log(d)"),
        ("m + tl.log(d)", "m + tl.log2(d)"),
        ("m + tl.log(d)", "new + tl.log(d)", "right"),
        ("m + tl.log(d)", "tl.max(v, axis=0) + tl.log(d)"),
        ("tl.exp(v - total), mask=cols < C)", "tl.exp(v - total))"),
        (
            "tl.store(dx + row * C + cols, g * tl.exp(v - total)",
            "tl.store(x + row * C + cols, g * tl.exp(v - total)",
        ),
        ("tl.max(v, axis=0))", 'tl.max(tl.where(cols < 1000, v, -float("inf")), axis=0))'),
        ("tl.exp(v - new), axis=0)", "tl.exp(v - m), axis=0)"),
        ("tl.exp(v - new), axis=0)", "tl.exp2((v - new) * 1.44), axis=0)"),
        ("tl.exp(v - new), axis=0)", "tl.exp2((v - new) * 1.442695), axis=0)"),
    ],
    "Outer": [
        (
            "rows = (pid // wide) * BM + tl.arange(0, BM)",
            "rows = (pid // M) * BM + tl.arange(0, BM)",
        ),
        (
            "cols = (pid % wide) * BN + tl.arange(0, BN)",
            "cols = (pid % BN) * BN + tl.arange(0, BN)",
        ),
        ("wide = tl.cdiv(N, BN)", "wide = N // BN"),
        ("wide = tl.cdiv(N, BN)", "wide = tl.cdiv(M, BM)"),
        (
            "outer_kernel[(triton.cdiv(M, 2) * triton.cdiv(N, 4),)]",
            "outer_kernel[(triton.cdiv(M * N, 8),)]",
        ),
        ("tl.atomic_add(da + rows", "tl.store(da + rows"),
        ("tl.sum(g * u[:, None], axis=0)", "tl.sum(g * u[:, None], axis=1)"),
        (
            "da, db = torch.zeros_like(a), torch.zeros_like(b)",
            "da, db = torch.empty_like(a), torch.zeros_like(b)",
        ),
        ("da, db = torch.zeros_like(a), torch.zeros_like(b)", "da = db = torch.zeros_like(a)"),
        (
            "tl.atomic_add(db + cols, tl.sum(g * u[:, None], axis=0), mask=cols < N)",
            "tl.atomic_add(db + cols, tl.sum(g * u[:, None], axis=0), mask=(cols < N) & "
            "(tl.program_id(0) == 0))",
        ),
        (
            "tl.atomic_add(db + cols, tl.sum(g * u[:, None], axis=0), mask=cols < N)",
            "if tl.program_id(0) < 400:\n        tl.atomic_add(db + cols, tl.sum(g * u[:, "
            "None], axis=0), mask=cols < N)",
        ),
    ],
}
