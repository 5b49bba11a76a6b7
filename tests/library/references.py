"""Each op of the library in PyTorch: a function of its inputs, their shapes, and its sizes.

`sizes` are what the shapes do not tell. Inputs that are no differentiable ones are passed on.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

if os.environ.get("GRADPROOF_REQUIRE_TORCH") == "1":
    import torch
else:
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")

F = torch.nn.functional
EPS = 0.1


@dataclass(frozen=True)
class Row:
    reference: Callable[..., Any]
    shapes: dict[str, Any]  # or `Values`
    sizes: dict[str, Any] = field(default_factory=dict)


def row(reference, sizes=None, **shapes):
    return Row(reference, shapes, sizes or {})


def cell(reference, **sizes):
    return row(reference, sizes, x=(40,))


@dataclass(frozen=True)
class Values:
    """Of an input: how they are drawn, where not every number will do."""

    draw: Callable[[Any], Any]


def between(low, high, *shape):
    return Values(lambda draw: draw.uniform(low, high, shape))


def labels(below, *shape):
    return Values(lambda draw: draw.integers(below, size=shape))


def above(reference, **sizes):
    return row(reference, sizes, x=between(0.1, 3, 40))


def overwritten(x, source, index):
    rows = list(x)
    for n, v in enumerate(index):
        rows[int(v)] = source[n]
    return torch.stack(rows)


def dispatched(x, expert):
    chosen = F.one_hot(expert, 2)
    place = (chosen.cumsum(0) * chosen).sum(1) - 1
    y = torch.zeros(2, len(x), 3, dtype=x.dtype)
    return y.index_put((expert, place), x)[:, :2]


def switched(logits, answers):
    weight, expert = logits.softmax(-1).max(-1)
    return expert, weight * answers[torch.arange(len(expert)), expert]


def loss(reference, **sizes):
    return row(reference, sizes, x=(30,), target=(30,))


def root(squares):
    return (squares + EPS).sqrt()


def attend(query, key, value, **options):
    return F.scaled_dot_product_attention(query[None], key[None], value[None], **options)[0]


def band(query, key, value):
    queries, keys = torch.arange(query.shape[1])[:, None], torch.arange(key.shape[1])
    return attend(query, key, value, attn_mask=(keys <= queries) & (queries - keys < 2))


def rotated(x, cosine, sine):
    turned = torch.complex(x[..., 0], x[..., 1]) * torch.complex(cosine, sine)
    return torch.view_as_real(turned)


def resized(mode, **options):
    return lambda x: F.interpolate(x[None], mode=mode, **options)[0]


def distances(a, b):
    return ((a[:, None] - b) ** 2).sum(-1)


def windows(x):
    return x.unfold(1, 3, 2).unfold(2, 2, 1)


def unwindowed(x):
    y = torch.zeros(x.shape[0], 8, dtype=x.dtype)
    for o in range(x.shape[2]):
        for f in range(x.shape[1]):
            at = torch.tensor([2 * o + f])
            y = y.index_add(1, at, x[:, f, o : o + 1])
    return y


def grouped(x, W, b):
    y = F.conv2d(
        x.flatten(0, 1), W.flatten(0, 1), b.flatten(), stride=(2, 1), padding=(1, 0), groups=2
    )
    return y.unflatten(0, (2, -1))


def lstm_step(i, f, g, o, c):
    state = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return state, o.sigmoid() * state.tanh()


def gru_step(r, z, g, u, h):
    update = z.sigmoid()
    return (1 - update) * (g + r.sigmoid() * u).tanh() + update * h


def scanned(step, first=0.0):
    """`step(y, *cells)` along rows, from a first state."""

    def run(*inputs):
        y, found = torch.full_like(inputs[0][:, 0], first), []
        for cells in zip(*(x.unbind(1) for x in inputs), strict=True):
            y = step(y, *cells)
            found.append(y)
        return torch.stack(found, 1)

    return run


def inverted(*entries):
    return torch.linalg.inv(torch.stack(entries, -1).unflatten(-1, (2, 2))).flatten().unbind()


def rnn(x, U):
    y, found = torch.zeros_like(x[0]), []
    for step in x:
        y = torch.tanh(step + U @ y)
        found.append(y)
    return torch.stack(found)


def lstm(x, U):
    c = y = torch.zeros_like(x[0, 0])
    found = []
    for step in x:
        c, y = lstm_step(*(step + U @ y), c)
        found.append((c, y))
    cs, ys = zip(*found, strict=True)
    return torch.stack(cs), torch.stack(ys)


def gru(x, U):
    y, found = torch.zeros_like(x[0, 0]), []
    for step in x:
        seen = U @ y
        y = gru_step(*(step + seen)[:2], step[2], seen[2], y)
        found.append(y)
    return torch.stack(found)


def relu_rnn(x, U):
    network = torch.nn.RNN(x.shape[1], x.shape[1], bias=False, nonlinearity="relu").double()
    weights = {"weight_ih_l0": torch.eye(x.shape[1], dtype=x.dtype), "weight_hh_l0": U}
    return torch.func.functional_call(network, weights, (x,))[0]


def merged(first, second, first_mass, second_mass):
    weights = torch.softmax(torch.stack((first_mass, second_mass)), 0)[..., None]
    return (weights * torch.stack((first, second))).sum(0)


def solved(L, b):
    return torch.linalg.solve_triangular(L.tril(), b[:, None], upper=False)[:, 0]


QKV = {"query": (2, 4, 3), "key": (2, 5, 3), "value": (2, 5, 2)}
CONV = {"x": (2, 6, 5), "W": (3, 2, 3, 2), "b": (3,)}
NORM = {"x": (2, 3, 5), "gain": (3,), "bias": (3,)}
PAIR = {"a": (4, 3), "b": (5, 3)}
ROW = {"x": (3, 7)}
KSP = {"k": (3, 2), "s": (2, 1), "p": (1, 1)}
ENDS = {"p": 2, "q": 3}

ROWS = {
    # activations
    "relu": cell(F.relu),
    "relu6": cell(lambda x: F.relu6(x)),
    "squared_relu": cell(lambda x: F.relu(x) ** 2),
    "leaky_relu": cell(lambda x: F.leaky_relu(x, 0.25), alpha=0.25),
    "elu": cell(lambda x: F.elu(x, 1.5), alpha=1.5),
    "celu": cell(lambda x: F.celu(x, 1.5), alpha=1.5),
    "selu": cell(lambda x: 0.75 * F.elu(x, 1.5), alpha=1.5, scale=0.75),
    "hard_tanh": cell(lambda x: F.hardtanh(x, -0.5, 0.75), low=-0.5, high=0.75),
    "hard_sigmoid": cell(lambda x: F.relu6(x + 3) / 6),
    "hard_swish": cell(F.hardswish),
    "hard_shrink": cell(lambda x: F.hardshrink(x, 0.25), alpha=0.25),
    "soft_shrink": cell(lambda x: F.softshrink(x, 0.25), alpha=0.25),
    "threshold": cell(lambda x: F.threshold(x, 0.25, 0), low=0.25),
    "sigmoid": cell(torch.sigmoid),
    "log_sigmoid": cell(F.logsigmoid),
    "tanh": cell(torch.tanh),
    "tanh_shrink": cell(F.tanhshrink),
    "soft_sign": cell(F.softsign),
    "soft_plus": cell(lambda x: F.softplus(x, 1.5), beta=1.5),
    "silu": cell(F.silu),
    "mish": cell(F.mish),
    "gelu": cell(F.gelu),
    "gelu_tanh": cell(lambda x: F.gelu(x, approximate="tanh")),
    "prelu": row(lambda x, slope: F.prelu(x[None], slope)[0], x=(3, 5), slope=(3,)),
    "glu": row(lambda value, gate: F.glu(torch.cat((value, gate))), value=(6,), gate=(6,)),
    "swiglu": row(lambda value, gate: value * F.silu(gate), value=(6,), gate=(6,)),
    # elementwise
    "logarithm": above(torch.log),
    "log1p": above(torch.log1p),
    "exponential": cell(torch.exp),
    "expm1": cell(torch.expm1),
    "square_root": above(torch.sqrt),
    "reciprocal_root": above(torch.rsqrt),
    "reciprocal": cell(torch.reciprocal),
    "power": above(lambda x: x**1.5, p=1.5),
    "integer_power": cell(lambda x: x**3, n=3),
    "sine": cell(torch.sin),
    "cosine": cell(torch.cos),
    "tangens": cell(torch.tan),
    "arctangent": cell(torch.atan),
    "error_function": cell(torch.erf),
    "logit": row(torch.logit, x=between(0, 1, 40)),
    "snake": cell(lambda x: x + torch.sin(1.5 * x) ** 2 / 1.5, p=1.5),
    "divide": row(torch.div, a=(8,), b=(8,)),
    "hypotenuse": row(torch.hypot, a=(8,), b=(8,)),
    "logaddexp": row(torch.logaddexp, a=(8,), b=(8,)),
    # indexing
    "embedding": row(lambda x, index: F.embedding(index, x), x=(4, 3), index=labels(4, 6)),
    "index_select": row(
        lambda x, index: torch.index_select(x, 0, index), x=(4, 3), index=labels(4, 6)
    ),
    "embedding_with_padding": row(
        lambda x, index: F.embedding(index, x, padding_idx=1) * (index != 1)[:, None],
        {"skip": 1},
        x=(4, 3),
        index=labels(4, 6),
    ),
    "embedding_bag": row(
        lambda x, index, of: torch.zeros(2, 3, dtype=x.dtype).index_add(0, of, x[index]),
        {"bags": 2},
        x=(4, 3),
        index=labels(4, 6),
        bag_of=labels(2, 6),
    ),
    "embedding_bag_mean": row(
        lambda x, index, of: (
            torch.zeros(3, 3, dtype=x.dtype).index_add(0, of, x[index])
            / torch.bincount(of, minlength=3).clamp(min=1)[:, None]
        ),
        {"bags": 3},
        x=(4, 3),
        index=labels(4, 6),
        bag_of=labels(2, 6),
    ),
    "gather": row(lambda x, index: torch.gather(x, 1, index), x=(3, 4), index=labels(4, 3, 6)),
    "scatter_add": row(
        lambda x, source, index: torch.scatter_add(x, 1, index, source),
        x=(3, 4),
        source=(3, 6),
        index=labels(4, 3, 6),
    ),
    "segment_sum": row(
        lambda source, index: torch.zeros(4, 3, dtype=source.dtype).index_add(0, index, source),
        {"V": 4},
        source=(6, 3),
        index=labels(4, 6),
    ),
    "max_unpool": row(
        lambda x, index: F.max_unpool1d(x, index, 2, output_size=(8,)),
        {"M": 8},
        x=(2, 4),
        index=Values(lambda draw: np.array([[1, 2, 4, 7], [0, 3, 5, 6]])),
    ),
    "routing": row(
        lambda x, gate, W, expert: gate[:, None] * torch.einsum("nki,ni->nk", W[expert], x),
        x=(6, 3),
        gate=(6,),
        W=(2, 4, 3),
        expert=labels(2, 6),
    ),
    "dispatch": row(dispatched, {"E": 2, "room": 2}, x=(6, 3), expert=labels(2, 6)),
    "overwrite": row(
        overwritten,
        x=(5, 2),
        source=(4, 2),
        index=Values(lambda draw: np.array([4, 0, 4, 2])),
    ),
    "index_copy": row(
        lambda x, source, index: torch.index_copy(x, 0, index, source),
        x=(5, 2),
        source=(3, 2),
        index=Values(lambda draw: np.array([4, 0, 2])),
    ),
    "argmax": row(lambda x: torch.argmax(x, 1), x=(4, 6)),
    "max_with_index": row(lambda x: tuple(torch.max(x, 1)), x=(4, 6)),
    "max_pool_with_index": row(
        lambda x: F.max_pool1d(x, 3, 2, 1, return_indices=True),
        {"k": 3, "s": 2, "p": 1},
        x=(2, 8),
    ),
    "switch": row(switched, logits=(5, 3), answers=(5, 3)),
    "where": row(
        lambda a, b, mask: torch.where(mask == 1, a, b),
        a=(6,),
        b=(6,),
        mask=Values(lambda draw: draw.integers(2, size=6).astype(float)),
    ),
    # softmax
    "softmax": row(lambda x: F.softmax(x, -1), **ROW),
    "online_softmax": row(lambda x: F.softmax(x, -1), **ROW),
    "softmin": row(lambda x: F.softmin(x, -1), **ROW),
    "softmax_with_temperature": row(lambda x: F.softmax(x / 1.5, -1), {"T": 1.5}, **ROW),
    "log_softmax": row(lambda x: F.log_softmax(x, -1), **ROW),
    "logsumexp": row(lambda x: torch.logsumexp(x, -1), **ROW),
    "online_logsumexp": row(
        lambda *blocks: torch.logsumexp(torch.cat(blocks, -1), -1), early=(3, 4), late=(3, 2)
    ),
    # losses
    "mse_loss": loss(F.mse_loss),
    "l1_loss": loss(F.l1_loss),
    "huber_loss": loss(lambda x, t: F.huber_loss(x, t, delta=0.75), delta=0.75),
    "smooth_l1_loss": loss(lambda x, t: F.smooth_l1_loss(x, t, beta=0.75), delta=0.75),
    "bce_with_logits": loss(F.binary_cross_entropy_with_logits),
    "bce_with_logits_plain": loss(F.binary_cross_entropy_with_logits),
    "soft_margin_loss": loss(F.soft_margin_loss),
    "hinge_loss": loss(lambda x, t: (0.75 - t * x).clamp(min=0).mean(), margin=0.75),
    "poisson_nll": loss(F.poisson_nll_loss),
    "log_cosh_loss": loss(lambda x, t: torch.cosh(x - t).log().mean()),
    "kl_div": loss(lambda x, t: F.kl_div(x, t, reduction="batchmean", log_target=True)),
    "cross_entropy_soft": row(F.cross_entropy, x=(4, 3), target=(4, 3)),
    "cosine_similarity": row(
        lambda a, b: (a * b).sum(1) / (root((a**2).sum(1)) * root((b**2).sum(1))),
        {"eps": EPS},
        a=(4, 3),
        b=(4, 3),
    ),
    "cosine_of_rows": row(F.cosine_similarity, a=(4, 3), b=(4, 3)),
    "triplet_loss": row(
        lambda anchor, near, far: (
            (((anchor - near) ** 2).sum(1) - ((anchor - far) ** 2).sum(1) + 0.75)
            .clamp(min=0)
            .mean()
        ),
        {"margin": 0.75},
        anchor=(4, 3),
        near=(4, 3),
        far=(4, 3),
    ),
    "bce": row(F.binary_cross_entropy, x=between(0, 1, 30), target=between(0, 1, 30)),
    "nll_loss": row(F.nll_loss, x=(6, 3), label=labels(3, 6)),
    "cross_entropy": row(F.cross_entropy, x=(6, 3), label=labels(3, 6)),
    "label_smoothing": row(
        lambda x, label: F.cross_entropy(x, label, label_smoothing=0.1),
        {"smoothing": 0.1},
        x=(6, 3),
        label=labels(3, 6),
    ),
    "weighted_cross_entropy": row(
        lambda x, weight, label: F.cross_entropy(x, label, weight),
        x=(6, 3),
        weight=between(1, 2, 3),
        label=labels(3, 6),
    ),
    "multi_margin_loss": row(
        lambda x, label: F.multi_margin_loss(x, label, margin=0.75),
        {"margin": 0.75},
        x=(6, 3),
        label=labels(3, 6),
    ),
    # norms
    "vector_norm": row(lambda x: torch.linalg.vector_norm(x, dim=-1), **ROW),
    "normalize": row(F.normalize, **ROW),
    "batch_norm_inference": row(
        lambda x, gain, bias, mean, var: F.batch_norm(x, mean, var, gain, bias, eps=EPS),
        {"eps": EPS},
        **NORM,
        mean=(3,),
        var=between(0, 2, 3),
    ),
    "layer_norm": row(
        lambda x, gain, bias: F.layer_norm(x, (5,), gain, bias, EPS),
        {"eps": EPS},
        x=(3, 5),
        gain=(5,),
        bias=(5,),
    ),
    "rms_norm": row(
        lambda x, gain: F.rms_norm(x, (5,), gain, EPS), {"eps": EPS}, x=(3, 5), gain=(5,)
    ),
    "l2_normalize": row(lambda x: x / root((x**2).sum(1, keepdim=True)), {"eps": EPS}, **ROW),
    "weight_norm": row(
        lambda v, g: g[:, None] * v / root((v**2).sum(1, keepdim=True)),
        {"eps": EPS},
        v=(3, 4),
        g=(3,),
    ),
    "weight_norm_exact": row(lambda v, g: g[:, None] * F.normalize(v), v=(3, 4), g=(3,)),
    "batch_norm_training": row(
        lambda x, gain, bias: F.batch_norm(x, None, None, gain, bias, training=True, eps=EPS),
        {"eps": EPS},
        **NORM,
    ),
    "instance_norm": row(
        lambda x, gain, bias: F.instance_norm(x, weight=gain, bias=bias, eps=EPS),
        {"eps": EPS},
        **NORM,
    ),
    "group_norm": row(
        lambda x, gain, bias: F.group_norm(
            x.flatten(1, 2), 2, gain.flatten(), bias.flatten(), EPS
        ).reshape(x.shape),
        {"eps": EPS},
        x=(2, 2, 3, 4),
        gain=(2, 3),
        bias=(2, 3),
    ),
    # linear
    "linear": row(lambda x, W, bias: F.linear(x, W, bias), x=(4, 3), W=(2, 3), bias=(2,)),
    "bilinear": row(
        lambda x, z, W, bias: F.bilinear(x, z, W, bias), x=(4, 3), z=(4, 2), W=(5, 3, 2), bias=(5,)
    ),
    "batched_matmul": row(torch.bmm, left=(2, 3, 4), right=(2, 4, 5)),
    "outer": row(torch.outer, u=(3,), v=(4,)),
    "dot": row(torch.dot, s=(5,), t=(5,)),
    "trace": row(torch.trace, x=(4, 4)),
    "lora": row(
        lambda left, W, right: left @ W @ right / 1.5,
        {"rank": 1.5},
        left=(3, 4),
        W=(4, 2),
        right=(2, 5),
    ),
    "inverse_2x2": row(inverted, a=(), b=(), c=(), d=()),
    "determinant_2x2": row(torch.linalg.det, x=(3, 2, 2)),
    "triangular_solve": row(solved, L=(4, 4), b=(4,)),
    # attention
    "multi_head_attention": row(attend, **QKV),
    "causal_attention": row(lambda q, k, v: attend(q, k, v, is_causal=True), **QKV),
    "sliding_window_attention": row(band, {"window": 2}, **QKV),
    "linear_attention": row(lambda q, k, v: q @ k.mT @ v, **QKV),
    "rotary_embedding": row(rotated, x=(4, 3, 2), cosine=(4, 3), sine=(4, 3)),
    # padding and moving
    "zero_pad": row(lambda x: F.pad(x, (2, 3)), ENDS, **ROW),
    "replicate_pad": row(lambda x: F.pad(x, (2, 3), mode="replicate"), ENDS, **ROW),
    "reflect_pad": row(lambda x: F.pad(x, (2, 3), mode="reflect"), ENDS, **ROW),
    "circular_pad": row(lambda x: F.pad(x, (2, 3), mode="circular"), ENDS, **ROW),
    "roll": row(lambda x: torch.roll(x, 3, 1), {"s": 3}, **ROW),
    "flip": row(lambda x: x.flip(1), **ROW),
    "tile": row(lambda x: x.repeat(1, 3), {"r": 3}, **ROW),
    "repeat_interleave": row(lambda x: x.repeat_interleave(3, 1), {"r": 3}, **ROW),
    "narrow": row(lambda x: x.narrow(1, 2, 4), {"p": 2, "M": 4}, **ROW),
    "strided_slice": row(lambda x: x[:, 1::2], {"p": 1, "s": 2}, **ROW),
    "pixel_shuffle": row(lambda x: F.pixel_shuffle(x, 2), {"C": 2, "r": 2}, x=(8, 3, 2)),
    "pixel_unshuffle": row(
        lambda x: F.pixel_unshuffle(x, 2), {"H": 3, "W": 2, "r": 2}, x=(2, 6, 4)
    ),
    "channel_shuffle": row(
        lambda x: x.unflatten(0, (2, 3)).transpose(0, 1).flatten(0, 1),
        {"G": 2, "D": 3},
        x=(6, 4),
    ),
    "unfold": row(lambda x: x.unfold(1, 3, 2).transpose(1, 2), {"k": 3, "s": 2}, x=(2, 8)),
    "fold": row(unwindowed, {"N": 8, "k": 3, "s": 2}, x=(2, 3, 3)),
    "transpose": row(lambda x: x.T, x=(3, 4)),
    "concat": row(lambda first, second: torch.cat((first, second)), first=(3,), second=(4,)),
    # upsampling
    "upsample_nearest": row(resized("nearest", size=11), {"M": 11}, **ROW),
    "upsample_nearest_scale": row(resized("nearest", scale_factor=3), {"r": 3}, **ROW),
    "upsample_linear_aligned": row(
        resized("linear", size=11, align_corners=True), {"M": 11}, **ROW
    ),
    "upsample_linear": row(resized("linear", size=11, align_corners=False), {"M": 11}, **ROW),
    "upsample_bilinear_aligned": row(
        resized("bilinear", size=(7, 2), align_corners=True), {"P": 7, "Q": 2}, x=(2, 4, 3)
    ),
    "upsample_bilinear": row(
        resized("bilinear", size=(7, 2), align_corners=False), {"P": 7, "Q": 2}, x=(2, 4, 3)
    ),
    # scans
    "cumsum": row(lambda x: x.cumsum(1), **ROW),
    "exclusive_cumsum": row(lambda x: x.cumsum(1) - x, **ROW),
    "reverse_cumsum": row(lambda x: x.flip(1).cumsum(1).flip(1), **ROW),
    "logcumsumexp": row(lambda x: x.logcumsumexp(1), **ROW),
    "difference": row(lambda x: x.diff(dim=1), {"N": 6}, **ROW),
    "cumprod_by_others": row(lambda x: x.cumprod(1), **ROW),
    "cumprod": row(lambda x: x.cumprod(1), **ROW),
    "linear_scan": row(scanned(lambda y, a, x: a * y + x), a=(3, 7), x=(3, 7)),
    "running_max": row(lambda x: x.cummax(1).values, **ROW),
    "clamped_scan": row(
        scanned(lambda y, a, x: (a * y + x).clamp(-0.5, 0.75)),
        {"low": -0.5, "high": 0.75},
        a=(3, 7),
        x=(3, 7),
    ),
    "moving_average": row(scanned(lambda y, x: 0.75 * y + 0.25 * x), {"keep": 0.75}, x=(3, 7)),
    # distances
    "squared_distance": row(distances, **PAIR),
    "cdist": row(lambda a, b: root(distances(a, b)), {"eps": EPS}, **PAIR),
    "manhattan_distance": row(lambda a, b: (a[:, None] - b).abs().sum(-1), **PAIR),
    "rbf_kernel": row(lambda a, b: torch.exp(-0.5 * distances(a, b)), {"gamma": 0.5}, **PAIR),
    "dot_similarity": row(lambda a, b: a @ b.mT, **PAIR),
    "pairwise_distance": row(
        lambda a, b: root(((a - b) ** 2).sum(1)), {"eps": EPS}, a=(4, 3), b=(4, 3)
    ),
    # pooling
    "sum_pool": row(
        lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 1), divisor_override=1), KSP, x=(2, 6, 5)
    ),
    "avg_pool_excluding_padding": row(
        lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 1), count_include_pad=False),
        KSP,
        x=(2, 6, 5),
    ),
    "avg_pool_with_divisor": row(
        lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 1), divisor_override=5),
        {**KSP, "divisor": 5},
        x=(2, 6, 5),
    ),
    "avg_pool_asymmetric": row(
        lambda x: F.avg_pool2d(F.pad(x, (0, 1, 2, 1)), (3, 2), (2, 1)),
        {"k": (3, 2), "s": (2, 1), "p": (2, 0), "q": (1, 1)},
        x=(2, 6, 5),
    ),
    "max_pool_asymmetric": row(
        lambda x: F.max_pool2d(F.pad(x, (0, 1, 2, 1), value=-torch.inf), (3, 2), (2, 1)),
        {"k": (3, 2), "s": (2, 1), "p": (2, 0), "q": (1, 1)},
        x=(2, 6, 5),
    ),
    "l2_pool": row(
        lambda x: root((windows(x) ** 2).sum((-1, -2))),
        {"k": (3, 2), "s": (2, 1), "eps": EPS},
        x=(2, 6, 5),
    ),
    "max_pool_dilated": row(
        lambda x: F.max_pool2d(x, (3, 2), (2, 1), (1, 1), (2, 3)),
        {**KSP, "d": (2, 3)},
        x=(2, 7, 6),
    ),
    "avg_pool_ceil": row(
        lambda x: F.avg_pool1d(x, 3, 2, 1, ceil_mode=True), {"K": 3, "S": 2, "P": 1}, x=(2, 8)
    ),
    "max_pool_ceil": row(
        lambda x: F.max_pool1d(x, 3, 2, 1, ceil_mode=True), {"K": 3, "S": 2, "P": 1}, x=(2, 8)
    ),
    # convolution
    "conv_dilated": row(
        lambda x, W, b: F.conv2d(x, W, b, (2, 1), (1, 2), (2, 3)),
        {"s": (2, 1), "p": (1, 2), "d": (2, 3)},
        **CONV,
    ),
    "conv_asymmetric": row(
        lambda x, W, b: F.conv2d(F.pad(x, (0, 1, 2, 1)), W, b, (2, 1)),
        {"s": (2, 1), "p": (2, 0), "q": (1, 1)},
        **CONV,
    ),
    "conv_causal": row(
        lambda x, W, b: F.conv2d(F.pad(x, (3, 0, 4, 0)), W, b, (2, 1), 0, (2, 3)),
        {"s": (2, 1), "d": (2, 3)},
        **CONV,
    ),
    "conv_grouped": row(
        grouped, {"s": (2, 1), "p": (1, 0)}, x=(2, 2, 6, 5), W=(2, 3, 2, 3, 2), b=(2, 3)
    ),
    "conv_depthwise": row(
        lambda x, W: F.conv2d(x, W[:, None], None, (2, 1), (1, 0), groups=3),
        {"s": (2, 1), "p": (1, 0)},
        x=(3, 6, 5),
        W=(3, 3, 2),
    ),
    "conv_transpose_general": row(
        lambda x, W, b: F.conv_transpose2d(x, W, b, (2, 3), (1, 0), (1, 2), 1, (2, 3)),
        {"s": (2, 3), "p": (1, 0), "q": (1, 2), "d": (2, 3)},
        x=(2, 4, 3),
        W=(2, 3, 3, 2),
        b=(3,),
    ),
    # cells
    "lstm_cell": row(lstm_step, i=(5,), f=(5,), g=(5,), o=(5,), c=(5,)),
    "rnn": row(rnn, x=(4, 3), U=(3, 3)),
    "lstm": row(lstm, x=(4, 4, 3), U=(4, 3, 3)),
    "gru": row(gru, x=(4, 3, 3), U=(3, 3, 3)),
    "relu_rnn": row(relu_rnn, x=(4, 3), U=(3, 3)),
    "gru_cell": row(gru_step, r=(5,), z=(5,), g=(5,), u=(5,), h=(5,)),
    # statistics
    "moments": row(lambda x: (x.mean(-1), x.var(-1, correction=0)), **ROW),
    "var_unbiased": row(lambda x: x.var(-1, correction=1), {"ddof": 1}, **ROW),
    "std": row(lambda x: root(x.var(-1, correction=0)), {"eps": EPS}, **ROW),
    "split": row(lambda x: torch.split(x, (3, 4), -1), {"A": 3, "B": 4}, **ROW),
    "amax": row(lambda x: torch.max(x, -1).values, **ROW),
    "amax_shared": row(lambda x: torch.amax(x, -1), **ROW),
    "im2col": row(
        lambda x: F.unfold(x[None, :, None], (1, 3), (1, 2), (0, 1), (1, 2)).reshape(2, 3, -1),
        {"k": 3, "s": 2, "d": 2, "p": 1},
        x=(2, 8),
    ),
    "dropout": row(
        lambda x, mask: mask * x / 0.75,
        {"keep": 0.75},
        x=(6,),
        mask=Values(lambda draw: draw.integers(2, size=6).astype(float)),
    ),
    "online_attention": row(merged, first=(3, 2), second=(3, 2), first_mass=(3,), second_mass=(3,)),
}
