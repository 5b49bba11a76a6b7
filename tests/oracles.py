"""PyTorch's versions of the ops, one row per op, and the shapes on which to compare with them.

A shape is a dict: channels `C`, or `inC` and `outC`; for each of `n`, `k`, `s`, `p` and `m` that an
op has, a tuple with one value per spatial axis.
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st

if os.environ.get("GRADPROOF_REQUIRE_TORCH") == "1":
    import torch
else:
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")

F = torch.nn.functional
IMAGE = (-2, -1)


def per_axis(z, *names):
    return zip(*(z[name] for name in names), strict=True)


# Shapes to draw, by rank.

LARGEST = {1: (6, 4), 2: (5, 3), 3: (3, 3)}  # input size, kernel
channels = st.integers(1, 3)


def least_padding(n, k):
    return max(0, -(-(k - n) // 2))


def paddings(k):
    """None; as much as PyTorch takes; more than that; windows with no real cell."""
    return 0, k // 2, k // 2 + 1, k


@st.composite
def inputs_and_kernels(draw, rank):
    largest, kernel = LARGEST[rank]
    kinds = ("covers the kernel", "covers the kernel", "any", "one cell", "below the kernel")
    kind = draw(st.sampled_from(kinds))
    k = tuple(draw(st.integers(1 + (kind == "below the kernel"), kernel)) for _ in range(rank))
    ends = {
        "covers the kernel": [(max(2, e), largest) for e in k],
        "any": [(1, largest) for _ in k],
        "one cell": [(1, 1) for _ in k],
        "below the kernel": [(1, e - 1) for e in k],
    }
    return tuple(draw(st.integers(*e)) for e in ends[kind]), k


@st.composite
def strides(draw, k):
    return tuple(draw(st.just(e + 1) | st.integers(1, e)) for e in k)


@st.composite
def padded(draw, rank):
    """Sliding windows."""
    n, k = draw(inputs_and_kernels(rank))
    same = draw(st.none() | st.integers(0, 3))
    choices = [draw(st.integers(0, 3)) if same is None else same for _ in k]
    wanted = [paddings(e)[choice] for e, choice in zip(k, choices, strict=True)]
    p = tuple(map(max, wanted, map(least_padding, n, k)))
    return {"C": draw(channels), "n": n, "k": k, "s": draw(strides(k)), "p": p}


@st.composite
def padded_alike(draw, rank):
    """Sliding windows with one stride and one padding for all axes."""
    z = draw(padded(rank))
    p = draw(st.sampled_from((*paddings(min(z["k"])), *paddings(max(z["k"])))))
    p = max(p, *map(least_padding, z["n"], z["k"]))
    return z | {"s": (max(z["s"]),) * rank, "p": (p,) * rank}


@st.composite
def unpadded(draw, rank):
    """Sliding windows with one stride for all axes and no padding."""
    n, k = draw(inputs_and_kernels(rank))
    k = tuple(map(min, n, k))
    s = draw(st.integers(1, max(k) + 1))
    return {"C": draw(channels), "n": n, "k": k, "s": (s,) * rank, "p": (0,) * rank}


@st.composite
def transposed(draw, rank):
    """Transposed windows: padding up to an output of one cell or two."""
    n, k = draw(inputs_and_kernels(rank))
    z = {"n": n, "k": k, "s": draw(strides(k))}
    most = [((n - 1) * s + k - 1) // 2 for n, s, k in per_axis(z, "n", "s", "k")]
    return z | {"p": tuple(draw(st.sampled_from((0, p // 2, p))) for p in most)}


@st.composite
def transposed_alike(draw, rank):
    z = draw(transposed(rank))
    return z | {"s": (max(z["s"]),) * rank, "p": (min(z["p"]),) * rank}


@st.composite
def bordered(draw, rank):
    n, p = (tuple(draw(st.integers(low, low + 2)) for _ in range(rank)) for low in (1, 0))
    return {"C": draw(channels), "n": n, "p": p}


pairs = st.sampled_from([(1, 1)] * 6 + [(a, b) for a in range(1, 7) for b in range(1, 7)])


def images(_):
    return st.fixed_dictionaries({"C": channels, "n": pairs})


def binned(_):
    return st.fixed_dictionaries({"C": channels, "n": pairs, "m": pairs})


def connected(shapes):
    more = st.fixed_dictionaries({"inC": channels, "outC": channels})
    return lambda rank: st.builds(dict.__or__, shapes(rank), more)


def softened(shapes):
    betas = st.builds(math.copysign, st.floats(0.25, 3), st.sampled_from((1, -1)))
    more = st.fixed_dictionaries({"beta": betas})
    return lambda rank: st.builds(dict.__or__, shapes(rank), more)


# PyTorch's versions: functions of a shape and of the inputs.

MAX_POOL = (F.max_pool1d, F.max_pool2d, F.max_pool3d)
AVG_POOL = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)
CONV = (F.conv1d, F.conv2d, F.conv3d)
CONV_TRANSPOSE = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)


def at_rank(functions, z):
    return functions[len(z["n"]) - 1]


def with_border(value, x, p):
    """Negative p cuts the border off."""
    return F.pad(x, [width for axis in reversed(p) for width in (axis, axis)], value=value)


def refused(z):
    """PyTorch does not pad by more than half the kernel, nor average over 3-D inputs that are
    smaller than the kernel: there the border is put around the input beforehand."""
    return any(2 * p > k or n < k for n, k, p in per_axis(z, "n", "k", "p"))


def max_pool(z, x):
    if not refused(z):
        return at_rank(MAX_POOL, z)(x, z["k"], z["s"], z["p"])
    y = at_rank(MAX_POOL, z)(with_border(-math.inf, x, z["p"]), z["k"], z["s"])
    return torch.where(y == -math.inf, 0.0, y)


def avg_pool(z, x):
    if not refused(z):
        return at_rank(AVG_POOL, z)(x, z["k"], z["s"], z["p"])
    return at_rank(AVG_POOL, z)(with_border(0.0, x, z["p"]), z["k"], z["s"])


def windows(z, x, border):
    """All cells of a window along the last axis."""
    x = with_border(border, x, z["p"])
    for axis, (k, s) in enumerate(per_axis(z, "k", "s"), start=1):
        x = x.unfold(axis, k, s)
    return x.flatten(1 + len(z["k"]))


def smooth_max_pool(z, x):
    return torch.logsumexp(z["beta"] * windows(z, x, 0.0), -1) / z["beta"]


def conv(z, x, W, b):
    return at_rank(CONV, z)(x, W, b, stride=z["s"], padding=z["p"])


def conv_transpose(z, x, W, b):
    return at_rank(CONV_TRANSPOSE, z)(x, W, b, stride=z["s"], padding=z["p"])


def unpad(z, x):
    return with_border(0.0, x, [-p for p in z["p"]])


def adaptive_avg(z, x):
    return F.adaptive_avg_pool2d(x, z["m"])


def adaptive_max(z, x):
    return F.adaptive_max_pool2d(x, z["m"])


def mean(_, x):
    return F.adaptive_avg_pool2d(x, 1)


def mean_flat(_, x):
    return x.mean(IMAGE)


def first_max(_, x):
    return F.adaptive_max_pool2d(x, 1)


def first_max_flat(_, x):
    return x.flatten(1).max(1).values


def to_every_tie(_, x, y_bar):
    return torch.where(x == x.amax(IMAGE, keepdim=True), y_bar.reshape(-1, 1, 1), 0.0)


def split_at_ties(_, x, y_bar):
    return torch.autograd.grad(x.amax(IMAGE), x, y_bar.flatten())[0]


# Versions that are wrong.


def zeros_as_padding(z, x):
    return windows(z, x, 0.0).max(-1).values


def ties_split(z, x):
    return windows(z, x, -math.inf).amax(-1)


def real_cells_counted(z, x):
    return avg_pool(z, x) / avg_pool(z, torch.ones_like(x)).clamp(min=1e-9)


def summed(z, x):
    return windows(z, x, 0.0).sum(-1)


def flipped(convolution):
    return lambda z, x, W, b: convolution(z, x, W.flip(*range(2, W.ndim)), b)


def last_bin_max(z, x):
    """Bins are the same from either end, their first winners are not."""
    return adaptive_max(z, x.flip(IMAGE)).flip(IMAGE)


def last_max(z, x):
    return first_max(z, x.flip(IMAGE))


def last_max_flat(z, x):
    return first_max_flat(z, x.flip(IMAGE))


def shifted(z, x):
    return unpad(z, x.roll(1, -1))


# A number such that averages of its multiples are whole.


def window_cells(z):
    return math.prod(z["k"])


def image_cells(z):
    return math.prod(z["n"])


def bin_cells(z):
    return math.prod(math.lcm(*range(1, n + 1)) for n in z["n"])


# Sizes and inputs, as evaluation takes them.


def sizes(*names):
    return lambda z: {name: z[name] for name in names}


def sizes_2d(*names):
    """`kH` and `kW` are those of the two axes; `s` and `p` are for both."""
    axis = {"H": 0, "W": 1}
    return lambda z: {name: z[name[0]][axis.get(name[-1], 0)] for name in names}


def smooth_2d(z):
    return sizes_2d("kH", "kW", "s")(z) | {"beta": z["beta"]}


def image(z):
    return {"x": (z["C"], *z["n"])}


def framed(z):
    return {"x": (z["C"], *(n + 2 * p for n, p in per_axis(z, "n", "p")))}


def layer(z):
    return {"x": (z["inC"], *z["n"]), "W": (z["outC"], z["inC"], *z["k"]), "b": (z["outC"],)}


def layer_transposed(z):
    return {"x": (z["inC"], *z["n"]), "W": (z["inC"], z["outC"], *z["k"]), "b": (z["outC"],)}


# What to draw on purpose: kinds of shapes, and of first inputs on a shape.

KINDS_OF_SHAPE = {
    "one cell": lambda z: set(z["n"]) == {1},
    "three channels": lambda z: z.get("outC", z.get("C")) == 3,
    "stride above kernel": lambda z: any(s > k for s, k in per_axis(z, "s", "k")),
    "input below kernel": lambda z: all(n < k for n, k in per_axis(z, "n", "k")),
    "least padding": lambda z: any(p and n + 2 * p < k + 2 for n, k, p in per_axis(z, *"nkp")),
    "padding of PyTorch": lambda z: any(z["p"]) and not refused(z),
    "padding above half": lambda z: any(2 * p > k for p, k in per_axis(z, "p", "k")),
    "no real cell": lambda z: any(p >= k for p, k in per_axis(z, "p", "k")),
    "most padding": lambda z: any(
        p and (n - 1) * s + k - 2 * p <= 2 for n, k, s, p in per_axis(z, *"nksp")
    ),
    "overlapping bins": lambda z: any(m < n and n % m for n, m in per_axis(z, "n", "m")),
    "more bins than cells": lambda z: any(m > n for n, m in per_axis(z, "n", "m")),
}
KINDS_OF_INPUT = {
    "negative": lambda z, x: bool((x < 0).all()),
    "tied": lambda z, x: tied(x.flatten(1)),
    "tied windows": lambda z, x: tied(windows(z, x, -math.inf)),
}
ALWAYS = ("anything", "negative", "one cell", "three channels")
SLIDING = (*ALWAYS, "stride above kernel")
TRANSPOSED = (*SLIDING, "most padding")
PADDED = (*SLIDING, "input below kernel", "least padding", "padding of PyTorch")
PADDED = (*PADDED, "padding above half", "no real cell")
BINNED = (*ALWAYS, "overlapping bins", "more bins than cells")


def tied(cells):
    best = cells.amax(-1, keepdim=True)
    return bool(((cells == best) & (best > -math.inf)).sum(-1).max() > 1)


# The table.


@dataclass(frozen=True)
class Row:
    """An op: what to draw for it, PyTorch's version, and a wrong one that is to be noticed.

    `rules` are for VJPs, by target, that are not PyTorch's gradient of `reference`. Arithmetic is
    exact on binary fractions if they are multiplied by `unit`; None if it never is.
    """

    name: str
    shapes: Callable[[int], Any]
    sizes: Callable[[Any], dict[str, Any]]
    inputs: Callable[[Any], dict[str, tuple[int, ...]]]
    reference: Callable[..., Any]
    wrong: Callable[..., Any]
    kinds: tuple[str, ...] = ALWAYS
    ranks: tuple[int, ...] = (2,)
    unit: Callable[[Any], int] | None = lambda _: 1
    rules: dict[str, Callable[..., Any]] = field(default_factory=dict)


ANY = (1, 2, 3)
ksp, beta_ksp = sizes("k", "s", "p"), sizes("k", "s", "p", "beta")
ks_2d, ksp_2d = sizes_2d("kH", "kW", "s"), sizes_2d("kH", "kW", "s", "p")
sp, sp_2d, m_2d = sizes("s", "p"), sizes_2d("s", "p"), sizes_2d("mH", "mW")
every_tie = {"x_bar": to_every_tie}
both_ways = {"x_bar": to_every_tie, "x_bar_distributed": split_at_ties}
layers, layers_alike = connected(padded), connected(padded_alike)
transposed_layers, transposed_layers_alike = connected(transposed), connected(transposed_alike)
tied_windows, tied_padded_windows = (*SLIDING, "tied windows"), (*PADDED, "tied windows")

# fmt: off
ROWS = (
    Row("max_pool", padded, ksp, image, max_pool, zeros_as_padding, tied_padded_windows, ANY),
    Row("avg_pool", padded, ksp, image, avg_pool, real_cells_counted, PADDED, ANY, window_cells),
    Row("smooth_max_pool", softened(padded), beta_ksp, image, smooth_max_pool, zeros_as_padding,
        PADDED, ANY, unit=None),
    Row("max_pool2d", unpadded, ks_2d, image, max_pool, ties_split, tied_windows),
    Row("avg_pool2d", unpadded, ks_2d, image, avg_pool, summed, SLIDING, unit=window_cells),
    Row("smooth_max_pool2d", softened(unpadded), smooth_2d, image, smooth_max_pool, ties_split,
        SLIDING, unit=None),
    Row("max_pool2d_pad", padded_alike, ksp_2d, image, max_pool, zeros_as_padding,
        tied_padded_windows),
    Row("avg_pool2d_pad", padded_alike, ksp_2d, image, avg_pool, real_cells_counted, PADDED,
        unit=window_cells),
    Row("adaptive_avg_pool2d", binned, m_2d, image, adaptive_avg, adaptive_max, BINNED,
        unit=bin_cells),
    Row("adaptive_max_pool2d", binned, m_2d, image, adaptive_max, last_bin_max, (*BINNED, "tied")),
    Row("global_avg_pool2d", images, sizes(), image, mean, first_max, unit=image_cells),
    Row("global_avg_pool2d_flat", images, sizes(), image, mean_flat, first_max_flat,
        unit=image_cells),
    Row("global_max_pool2d", images, sizes(), image, first_max, last_max, (*ALWAYS, "tied"),
        rules=both_ways),
    Row("global_max_pool2d_flat", images, sizes(), image, first_max_flat, last_max_flat,
        (*ALWAYS, "tied"), rules=every_tie),
    Row("conv", layers, sp, layer, conv, flipped(conv), PADDED, ANY),
    Row("conv2d", layers_alike, sp_2d, layer, conv, flipped(conv), PADDED),
    Row("conv_transpose", transposed_layers, sp, layer_transposed, conv_transpose,
        flipped(conv_transpose), TRANSPOSED, ANY),
    Row("conv_transpose2d", transposed_layers_alike, sp_2d, layer_transposed, conv_transpose,
        flipped(conv_transpose), TRANSPOSED),
    Row("unpad", bordered, sizes("n", "p"), framed, unpad, shifted, ranks=ANY),
)
# fmt: on
