"""Wrong ops, as data: which theorems catch each, and the smallest shape at which it is wrong.

Each is one small edit of a right definition. Right ones that `specs/` does not have are here too.
"""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from specs.spatial import (
    cell,
    covering,
    i,
    is_real,
    j,
    k,
    m,
    n,
    o,
    outputs_over,
    p,
    requires,
    s,
    window,
)
from verify.language import (
    And,
    Divides,
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    Windows,
    array,
    axes,
    bracket,
    ceil_div,
    cotangent,
    floor_div,
    inside,
    integers,
    mod,
    product,
    scatter,
    tangent,
    trunc_div,
    zero_padded,
)

positive_stride = requires[2]

# `specs` gives these names to the ops, not to their modules.
avg, cv = import_module("specs.avg_pool"), import_module("specs.conv")


@dataclass(frozen=True)
class Caught:
    """A theorem that is refuted, its kind, and the sizes of its smallest counterexample."""

    kind: str
    theorem: str
    sizes: dict[str, Any]


@dataclass(frozen=True)
class Mutant:
    """A wrong op, and every theorem that is false of it."""

    op: Op
    caught: tuple[Caught, ...]


def mutant(op, *caught):
    return Mutant(op, caught)


def defined(equation, **sizes):
    return Caught("defined", f"{equation}: divisors and logarithms", sizes)


def in_bounds(equation, **sizes):
    return Caught("in bounds", f"{equation}: reads and writes", sizes)


def size(theorem, **sizes):
    return Caught("size", theorem, sizes)


def jvp(x, **sizes):
    return Caught("jvp", f"jvp by {x}", sizes)


def vjp(target, **sizes):
    return Caught("vjp", f"vjp {target}", sizes)


def linear(rule, **sizes):
    return Caught("linear", f"{rule} is linear", sizes)


UNIT = {"k": 1, "n": 1, "p": 0, "s": 1}
PADDED = {"k": 1, "n": 1, "p": 1, "s": 1}
STRIDED = {"k": 1, "n": 1, "p": 1, "s": 2}
WIDE = {"k": 2, "n": 1, "p": 1, "s": 1}
OVERLAP = {"k": 2, "n": 2, "p": 0, "s": 1}


# Average pooling.

C, c, x, y = avg.C, avg.c, avg.x, avg.y
x_dot, y_dot, x_bar, y_bar = avg.x_dot, avg.y_dot, avg.x_bar, avg.y_bar
x_bar_scatter = avg.x_bar_scatter
gathered, scattered = avg.definition.vjp
first, last = ceil_div(i + p - k + 1, s), floor_div(i + p, s)
volume, clipped_first, clipped_last = product(k), Max(0, first), Min(m - 1, last)
share = y_bar[c, o] / volume


def mean(of, place=cell, over=window, divisor=volume):
    return Sum(zero_padded(of)[c, place], over) / divisor


def avg_pool(name, **changes):
    return replace(avg.definition, name=name, **changes)


def forward(name, place=cell, divisor=volume, **changes):
    return avg_pool(name, forward=Eq(y[c, o], mean(x, place, divisor=divisor)), **changes)


def push(name, *mean_of):
    return avg_pool(name, jvp=Eq(y_dot[c, o], mean(x_dot, *mean_of)))


def pulled(low=clipped_first, high=clipped_last, value=y_bar[c, o], divisor=volume):
    return Sum(value, (o, low, high)) / divisor


def pull(name, value):
    return avg_pool(name, vjp=(Eq(x_bar[c, i], value), scattered))


def spread(place=cell, over=(outputs_over, window), where=is_real, value=share):
    return scatter(x_bar_scatter[c, place], value, avg.channels, *over, where=where)


def spreading(name, **changes):
    return avg_pool(name, vjp=(gathered, spread(**changes)))


AVERAGES = (
    mutant(
        forward("forward_reads_one_on", cell + 1),
        jvp("x", C=1, **UNIT),
        vjp("x_bar", C=1, **UNIT),
        vjp("x_bar_scatter", C=1, **UNIT),
    ),
    mutant(
        forward("forward_adds_padding", s * o + j + p),
        jvp("x", C=1, **PADDED),
        vjp("x_bar", C=1, **PADDED),
        vjp("x_bar_scatter", C=1, **PADDED),
    ),
    mutant(push("jvp_reads_one_on", cell + 1), jvp("x", C=1, **UNIT)),
    mutant(push("jvp_adds_padding", s * o + j + p), jvp("x", C=1, **PADDED)),
    mutant(push("jvp_swaps_k_and_s", k * o + j - p, (j, 0, s - 1)), jvp("x", C=1, **STRIDED)),
    mutant(push("jvp_squares_stride", s * s * o + j - p), jvp("x", C=1, k=1, n=1, p=2, s=2)),
    mutant(
        avg_pool("jvp_forgets_dot", jvp=Eq(y_dot[c, o], mean(x))),
        jvp("x", C=1, **UNIT),
        linear("jvp", C=1, **UNIT),
    ),
    mutant(
        forward(
            "divisor_in_jvp_only",
            divisor=1,
            vjp=(Eq(x_bar[c, i], pulled(divisor=1)), spread(value=y_bar[c, o])),
        ),
        jvp("x", C=1, **WIDE),
    ),
    mutant(
        avg_pool(
            "both_rules_doubled",
            jvp=Eq(y_dot[c, o], 2 * mean(x_dot)),
            vjp=(Eq(x_bar[c, i], 2 * pulled()), spread(value=2 * y_bar[c, o] / product(k))),
        ),
        jvp("x", C=1, **UNIT),
        vjp("x_bar", C=1, **UNIT),
        vjp("x_bar_scatter", C=1, **UNIT),
    ),
    mutant(pull("first_too_late", pulled(Max(0, first + 1))), vjp("x_bar", C=1, **UNIT)),
    mutant(
        pull("first_too_early", pulled(Max(0, ceil_div(i + p - k, s)))),
        vjp("x_bar", C=1, **PADDED),
    ),
    mutant(
        pull("first_rounded_down", pulled(Max(0, floor_div(i + p - k + 1, s)))),
        vjp("x_bar", C=1, **STRIDED),
    ),
    mutant(pull("last_too_early", pulled(high=Min(m - 1, last - 1))), vjp("x_bar", C=1, **UNIT)),
    mutant(
        pull("last_too_late", pulled(high=Min(m - 1, floor_div(i + p + 1, s)))),
        vjp("x_bar", C=1, **PADDED),
    ),
    mutant(
        pull("last_rounded_up", pulled(high=Min(m - 1, ceil_div(i + p, s)))),
        vjp("x_bar", C=1, **STRIDED),
    ),
    mutant(pull("not_clipped_below", pulled(first)), in_bounds("vjp x_bar", C=1, **OVERLAP)),
    mutant(pull("not_clipped_above", pulled(high=last)), in_bounds("vjp x_bar", C=1, **OVERLAP)),
    mutant(
        pull("clipped_at_input_size", pulled(high=Min(n - 1, last))),
        in_bounds("vjp x_bar", C=1, **OVERLAP),
        vjp("x_bar", C=1, **PADDED),
    ),
    mutant(
        pull(
            "gather_subtracts_padding",
            pulled(Max(0, ceil_div(i - p - k + 1, s)), Min(m - 1, floor_div(i - p, s))),
        ),
        vjp("x_bar", C=1, **PADDED),
    ),
    mutant(
        pull(
            "gather_swaps_k_and_s",
            pulled(Max(0, ceil_div(i + p - s + 1, k)), Min(m - 1, floor_div(i + p, k))),
        ),
        vjp("x_bar", C=1, **STRIDED),
    ),
    mutant(
        pull("stride_ignored", pulled(Max(0, i + p - k + 1), Min(m - 1, i + p))),
        vjp("x_bar", C=1, **STRIDED),
    ),
    mutant(pull("divided_by_k_plus_1", pulled(divisor=product(k + 1))), vjp("x_bar", C=1, **UNIT)),
    mutant(
        pull("divided_by_stride", pulled(divisor=product(s))),
        vjp("x_bar", C=1, k=1, n=1, p=0, s=2),
    ),
    mutant(pull("not_divided", pulled(divisor=1)), vjp("x_bar", C=1, **WIDE)),
    mutant(
        pull("inverse_for_transpose", pulled(divisor=1) * product(k)), vjp("x_bar", C=1, **WIDE)
    ),
    mutant(pull("affine", pulled() + 1), linear("vjp x_bar", C=1, **UNIT)),
    mutant(
        pull("quadratic", pulled(value=y_bar[c, o] * y_bar[c, o])),
        vjp("x_bar", C=1, **UNIT),
        linear("vjp x_bar", C=1, **UNIT),
    ),
    mutant(
        pull("right_at_rank_1_only", bracket((k >= 2) | (k <= 1)) * pulled()),
        vjp("x_bar", C=1, k=[1, 2], n=[1, 1], p=[0, 1], s=[1, 1]),
    ),
    mutant(
        pull(
            "missing_divisibility",
            Sum(zero_padded(y_bar)[c, floor_div(i + p - j, s)], window) / product(k),
        ),
        vjp("x_bar", C=1, **STRIDED),
    ),
    mutant(
        spreading("scatter_one_on", place=cell + 1),
        in_bounds("vjp x_bar_scatter", C=1, **UNIT),
        vjp("x_bar_scatter", C=1, **UNIT),
    ),
    mutant(
        spreading("scatter_one_on_clipped", place=cell + 1, where=inside((cell + 1,), (n,))),
        vjp("x_bar_scatter", C=1, **UNIT),
    ),
    mutant(
        spreading("scatter_not_clipped", where=And()), in_bounds("vjp x_bar_scatter", C=1, **PADDED)
    ),
    mutant(
        spreading("scatter_not_clipped_above", where=cell >= 0),
        in_bounds("vjp x_bar_scatter", C=1, **PADDED),
    ),
    mutant(
        spreading("scatter_not_clipped_below", where=cell < n),
        in_bounds("vjp x_bar_scatter", C=1, **PADDED),
    ),
    mutant(
        spreading("scatter_overlaps", over=(outputs_over, (j, 0, k))),
        vjp("x_bar_scatter", C=1, **PADDED),
    ),
    mutant(
        spreading("scatter_skips_last_window", over=((o, 0, m - 2), window)),
        vjp("x_bar_scatter", C=1, **UNIT),
    ),
    mutant(
        avg_pool(
            "cotangent_of_padded_input",
            vjp=Eq(cotangent(x, shape=(C, n + 2 * p))[c, i], pulled()),
        ),
        size("x_bar has the shape of x", C=0, **PADDED),
    ),
)


# Average pooling with another output size.


def sized(name, count):
    y = array("y", C, count)
    return avg_pool(
        name,
        windows=Windows(count, n + 2 * p, k, s),
        forward=Eq(y[c, o], mean(x)),
        jvp=Eq(tangent(y)[c, o], mean(x_dot)),
        vjp=Eq(x_bar[c, i], pulled(high=Min(count - 1, last), value=cotangent(y)[c, o])),
    )


SIZES = (
    mutant(
        sized("size_plus_2", floor_div(n + 2 * p - k, s) + 2),
        size("the last window fits", **UNIT),
    ),
    mutant(
        sized("size_plus_0", floor_div(n + 2 * p - k, s)),
        size("output size at least 1", **UNIT),
        size("one more window does not fit", **UNIT),
    ),
    mutant(
        sized("size_rounded_up", ceil_div(n + 2 * p - k, s) + 1),
        size("the last window fits", k=1, n=2, p=0, s=2),
    ),
    mutant(
        sized("size_pads_once", floor_div(n + p - k, s) + 1),
        size("output size at least 1", k=3, n=1, p=1, s=1),
        size("one more window does not fit", **PADDED),
    ),
)


# Average pooling that does not count padding: the divisor depends on the output position.

real_cells = Min(k, n + p - s * o) - Max(0, p - s * o)


def uncounted(name, requires=(*requires, p < k), jvp_by=real_cells, gather_by=real_cells):
    return avg_pool(
        name,
        requires=requires,
        forward=Eq(y[c, o], mean(x, divisor=product(real_cells))),
        jvp=Eq(y_dot[c, o], mean(x_dot, divisor=product(jvp_by))),
        vjp=Eq(x_bar[c, i], pulled(value=y_bar[c, o] / product(gather_by), divisor=1)),
    )


UNCOUNTED = (
    mutant(uncounted("padding_counted_in_vjp", gather_by=k), vjp("x_bar", C=1, **WIDE)),
    mutant(
        uncounted("counted_below_only", gather_by=Min(k, n + p - s * o)),
        vjp("x_bar", C=1, **WIDE),
    ),
    mutant(uncounted("counted_above_only", jvp_by=k - Max(0, p - s * o)), jvp("x", C=1, **WIDE)),
    mutant(
        uncounted("windows_without_real_cell", requires=requires),
        defined("forward", C=1, **PADDED),
        defined("jvp", C=1, **PADDED),
    ),
)


# Average pooling with padding that differs per side.

p_lo, p_hi = axes("p_lo p_hi")


def asymmetric(name, jvp_pad=p_lo, vjp_pad=p_lo, total=p_lo + p_hi):
    count = floor_div(n + total - k, s) + 1
    y = array("y", C, count)
    low = Max(0, ceil_div(i + vjp_pad - k + 1, s))
    high = Min(count - 1, floor_div(i + vjp_pad, s))
    return Op(
        name,
        requires=(n >= 1, k >= 1, s >= 1, p_lo >= 0, p_hi >= 0, n + p_lo + p_hi >= k),
        windows=Windows(count, n + p_lo + p_hi, k, s),
        forward=Eq(y[c, o], mean(x, s * o + j - p_lo)),
        jvp=Eq(tangent(y)[c, o], mean(x_dot, s * o + j - jvp_pad)),
        vjp=Eq(x_bar[c, i], pulled(low, high, cotangent(y)[c, o])),
    )


PADDED_BELOW = {"k": 1, "n": 1, "p_hi": 0, "p_lo": 1, "s": 1}
PADDED_ABOVE = {"k": 1, "n": 1, "p_hi": 1, "p_lo": 0, "s": 1}

ASYMMETRIC = (
    mutant(asymmetric("jvp_pads_by_other_side", jvp_pad=p_hi), jvp("x", C=1, **PADDED_ABOVE)),
    mutant(asymmetric("vjp_pads_by_other_side", vjp_pad=p_hi), vjp("x_bar", C=1, **PADDED_ABOVE)),
    mutant(
        asymmetric("size_pads_below_twice", total=2 * p_lo),
        size("output size at least 1", **PADDED_ABOVE | {"k": 2}),
        size("the last window fits", **PADDED_BELOW),
        size("one more window does not fit", **PADDED_ABOVE),
    ),
)


# Average pooling over two named axes.

H, W, kH, kW, sH, sW, pH, pW = integers("H W kH kW sH sW pH pW")
h, w, a, b, u, v = integers("h w a b u v")
mH, mW = floor_div(H + 2 * pH - kH, sH) + 1, floor_div(W + 2 * pW - kW, sW) + 1
image, pooled = array("image", C, H, W), array("pooled", C, mH, mW)


def covering_one(o, i, m, k, s, p):
    return o, Max(0, ceil_div(i + p - k + 1, s)), Min(m - 1, floor_div(i + p, s))


def avg_pool2d(name, k=(kH, kW), s=(sH, sW), p=(pH, pW), jvp_s=(sH, sW), divisor=kH * kW):
    """Right as it stands; `k`, `s`, `p` and `divisor` are those of the VJP."""
    rows, columns = (covering_one(*e) for e in zip((u, v), (h, w), (mH, mW), k, s, p, strict=True))

    def read(of, s):
        place = zero_padded(of)[c, s[0] * u + a - pH, s[1] * v + b - pW]
        return Sum(place, (a, 0, kH - 1), (b, 0, kW - 1)) / (kH * kW)

    summed = Sum(cotangent(pooled)[c, u, v], rows, columns)
    return Op(
        name,
        requires=(
            *(H >= 1, W >= 1, kH >= 1, kW >= 1, sH >= 1, sW >= 1, pH >= 0, pW >= 0),
            *(H + 2 * pH >= kH, W + 2 * pW >= kW),
        ),
        forward=Eq(pooled[c, u, v], read(image, (sH, sW))),
        jvp=Eq(tangent(pooled)[c, u, v], read(tangent(image), jvp_s)),
        vjp=Eq(cotangent(image)[c, h, w], summed / divisor),
    )


def flat(kH=1, kW=1, pH=0, pW=0, sH=1, sW=1):
    """The sizes of a pooling of one cell."""
    named = {"kH": kH, "kW": kW, "pH": pH, "pW": pW, "sH": sH, "sW": sW}
    return {"C": 1, "H": 1, "W": 1, **named}


TWO_AXES = (
    mutant(avg_pool2d("kernel_axes_exchanged", k=(kW, kH)), vjp("image_bar", **flat(kW=2, pW=1))),
    mutant(avg_pool2d("stride_axes_exchanged", s=(sW, sH)), vjp("image_bar", **flat(sW=2, pW=1))),
    mutant(avg_pool2d("padding_axes_exchanged", p=(pW, pH)), vjp("image_bar", **flat(pW=1))),
    mutant(
        avg_pool2d("jvp_stride_axes_exchanged", jvp_s=(sW, sH)), jvp("image", **flat(sW=2, pW=1))
    ),
    mutant(
        avg_pool2d("divided_by_kernel_height_squared", divisor=kH * kH),
        vjp("image_bar", **flat(kW=2, pW=1)),
    ),
)


# Convolution.

ci, co, inC, outC, weight, bias = cv.ci, cv.co, cv.inC, cv.outC, cv.W, cv.b
weight_dot, bias_dot, out_bar, signal, signal_dot = cv.W_dot, cv.b_dot, cv.y_bar, cv.x, cv.x_dot
by_input, by_weight, by_bias = cv.definition.vjp
tap = i + p - s * o
right_weight, right_weight_dot = weight[co, ci, j], weight_dot[co, ci, j]
of_signal, of_signal_dot = zero_padded(signal)[ci, cell], zero_padded(signal_dot)[ci, cell]


def conv_jvp(name, of_bias=bias_dot[co], of_input=right_weight, of_weight=right_weight_dot):
    taps = Sum(of_input * of_signal_dot + of_weight * of_signal, *cv.taps)
    return replace(cv.definition, name=name, jvp=Eq(cv.y_dot[co, o], of_bias + taps))


def conv_input(name, of_tap, upstream=out_bar[co, o], over=cv.out_channels, extra=0):
    rule = Eq(cv.x_bar[ci, i], Sum(of_tap * upstream, over, covering) + extra)
    return replace(cv.definition, name=name, vjp=(rule, by_weight, by_bias))


def conv_weight(name, place=cell, channel=ci, over=outputs_over):
    rule = Sum(out_bar[co, o] * zero_padded(signal)[channel, place], over)
    rules = (by_input, Eq(cv.W_bar[co, ci, j], rule), by_bias)
    return replace(cv.definition, name=name, vjp=rules)


def conv_bias(name, value):
    return replace(cv.definition, name=name, vjp=(by_input, by_weight, Eq(cv.b_bar[co], value)))


ONE_TO_ONE, ONE_TO_TWO = {"inC": 1, "outC": 1}, {"inC": 1, "outC": 2}
right_tap = weight[co, ci, tap]

CONVOLUTIONS = (
    mutant(
        conv_jvp("jvp_flips_kernel", of_input=weight[co, ci, k - 1 - j]),
        jvp("x", **ONE_TO_ONE, **WIDE),
    ),
    mutant(conv_jvp("jvp_drops_weight_dot", of_weight=0), jvp("W", **ONE_TO_ONE, **UNIT)),
    mutant(conv_jvp("jvp_drops_bias_dot", of_bias=0), jvp("b", **ONE_TO_ONE, **UNIT)),
    mutant(
        conv_jvp("jvp_adds_bias", of_bias=bias[co]),
        jvp("b", **ONE_TO_ONE, **UNIT),
        linear("jvp", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_jvp("jvp_is_quadratic", of_input=right_weight + right_weight_dot),
        jvp("W", **ONE_TO_ONE, **UNIT),
        jvp("x", **ONE_TO_ONE, **UNIT),
        linear("jvp", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_transposes_weight", weight[ci, co, tap]),
        in_bounds("vjp x_bar", **ONE_TO_TWO, **UNIT),
        vjp("x_bar", inC=2, outC=2, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_transposes_padded_weight", zero_padded(weight)[ci, co, tap]),
        vjp("x_bar", **ONE_TO_TWO, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_flips_kernel", weight[co, ci, k - 1 - tap]),
        vjp("x_bar", **ONE_TO_ONE, **WIDE),
    ),
    mutant(
        conv_input(
            "input_vjp_adds_term_without_weight",
            right_tap,
            extra=7 * Sum(out_bar[co, o], cv.out_channels, outputs_over),
        ),
        vjp("x_bar", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_reads_wrong_channel", right_tap, out_bar[ci, o]),
        in_bounds("vjp x_bar", inC=2, outC=1, **UNIT),
        vjp("x_bar", **ONE_TO_TWO, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_skips_last_channel", right_tap, over=(co, 0, outC - 2)),
        vjp("x_bar", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_squares_weight", right_tap * right_tap),
        vjp("x_bar", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_ignores_stride", zero_padded(weight)[co, ci, i + p - o]),
        vjp("x_bar", **ONE_TO_ONE, k=1, n=1, p=2, s=2),
    ),
    mutant(conv_weight("weight_vjp_one_on", cell + 1), vjp("W_bar", **ONE_TO_ONE, **UNIT)),
    mutant(
        conv_weight("weight_vjp_ignores_padding", s * o + j), vjp("W_bar", **ONE_TO_ONE, **PADDED)
    ),
    mutant(
        conv_weight("weight_vjp_strides_window", o + s * j - p),
        vjp("W_bar", **ONE_TO_ONE, **STRIDED),
    ),
    mutant(
        conv_weight("weight_vjp_flips_window", s * o + k - 1 - j - p),
        vjp("W_bar", **ONE_TO_ONE, **WIDE),
    ),
    mutant(
        conv_weight("weight_vjp_reads_wrong_channel", channel=co),
        vjp("W_bar", **ONE_TO_TWO, **UNIT),
    ),
    mutant(
        conv_weight("weight_vjp_overwrites", over=(o, m - 1, m - 1)),
        vjp("W_bar", **ONE_TO_ONE, **PADDED),
    ),
    mutant(
        conv_bias("bias_vjp_is_a_mean", Sum(out_bar[co, o], outputs_over) / product(m)),
        vjp("b_bar", **ONE_TO_ONE, **PADDED),
    ),
    mutant(
        conv_bias("bias_vjp_starts_at_1", Sum(out_bar[co, o], (o, 1, m - 1))),
        vjp("b_bar", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_bias(
            "bias_vjp_sums_channels",
            Sum(out_bar[cv.ci, o], (cv.ci, 0, cv.outC - 1), outputs_over),
        ),
        vjp("b_bar", **ONE_TO_TWO, **UNIT),
    ),
)


# Dilated convolution, without channels or bias.

d = axes("d")
line, filter_ = array("line", n), array("filter", k)
dilated_count = floor_div(n + 2 * p - d * (k - 1) - 1, s) + 1
filtered = array("filtered", dilated_count)
filtered_over = (o, 0, dilated_count - 1)
dilated_cell = s * o + d * j - p


def dilated(name, line_rule, weight_cell=dilated_cell):
    line_dot, filter_dot = tangent(line), tangent(filter_)
    pushed = filter_[j] * zero_padded(line_dot)[dilated_cell]
    pushed = pushed + filter_dot[j] * zero_padded(line)[dilated_cell]
    upstream = cotangent(filtered)[o]
    return Op(
        name,
        requires=(n >= 1, k >= 1, s >= 1, p >= 0, d >= 1, n + 2 * p >= d * (k - 1) + 1),
        windows=Windows(dilated_count, n + 2 * p, d * (k - 1) + 1, s),
        forward=Eq(filtered[o], Sum(filter_[j] * zero_padded(line)[dilated_cell], window)),
        jvp=Eq(tangent(filtered)[o], Sum(pushed, window)),
        vjp=(
            line_rule,
            Eq(
                cotangent(filter_)[j],
                Sum(upstream * zero_padded(line)[weight_cell], filtered_over),
            ),
        ),
    )


def dilated_scatter(place=dilated_cell):
    value = filter_[j] * cotangent(filtered)[o]
    where = inside((place,), (n,))
    return scatter(cotangent(line)[place], value, filtered_over, window, where=where)


def dilated_gather(step=d):
    rest = i + p - step * j
    upstream = zero_padded(cotangent(filtered))[floor_div(rest, s)]
    return Eq(cotangent(line)[i], Sum(bracket(Divides(s, rest)) * filter_[j] * upstream, window))


DILATED = (
    mutant(
        dilated("scatter_forgets_dilation", dilated_scatter(s * o + j - p)),
        vjp("line_bar", d=2, **WIDE),
    ),
    mutant(
        dilated("gather_forgets_dilation", dilated_gather(step=1)), vjp("line_bar", d=2, **WIDE)
    ),
    mutant(
        dilated("weight_vjp_forgets_dilation", dilated_scatter(), weight_cell=s * o + j - p),
        vjp("filter_bar", d=2, **WIDE),
    ),
    mutant(
        dilated("weight_vjp_dilates_by_stride", dilated_scatter(), s * o + s * j - p),
        vjp("filter_bar", d=2, **WIDE),
    ),
)

# Grouped products of channels, one cell each.

G, A, B, g, ai, bo = integers("G A B g ai bo")
inputs, outputs = array("inputs", G * A), array("outputs", G * B)
factors = array("factors", G * B, A)
group_of_output, group_of_input = floor_div(co, B), floor_div(ci, A)


def grouped(name, group=group_of_output, per_group=B, weight_group=group_of_output):
    inputs_dot, factors_dot = tangent(inputs), tangent(factors)
    upstream = cotangent(outputs)
    from_group, in_group = A * group_of_output + ai, (ai, 0, A - 1)
    out = B * group_of_input + bo
    return Op(
        name,
        requires=(G >= 1, A >= 1, B >= 1),
        forward=Eq(outputs[co], Sum(factors[co, ai] * inputs[from_group], in_group)),
        jvp=Eq(
            tangent(outputs)[co],
            Sum(factors[co, ai] * inputs_dot[A * group + ai], in_group)
            + Sum(factors_dot[co, ai] * inputs[from_group], in_group),
        ),
        vjp=(
            Eq(
                cotangent(inputs)[ci],
                Sum(factors[out, mod(ci, A)] * upstream[out], (bo, 0, per_group - 1)),
            ),
            Eq(cotangent(factors)[co, ai], upstream[co] * inputs[A * weight_group + ai]),
        ),
    )


GROUPED = (
    mutant(grouped("group_by_remainder", group=mod(co, G)), jvp("inputs", A=1, B=2, G=2)),
    mutant(
        grouped("group_sizes_exchanged", per_group=A),
        in_bounds("vjp inputs_bar", A=2, B=1, G=1),
        vjp("inputs_bar", A=1, B=2, G=1),
    ),
    mutant(grouped("weight_vjp_ignores_group", weight_group=0), vjp("factors_bar", A=1, B=1, G=2)),
)

MUTANTS = (
    *(*AVERAGES, *SIZES, *UNCOUNTED, *ASYMMETRIC, *TWO_AXES),
    *(*CONVOLUTIONS, *DILATED, *GROUPED),
)


# Right ops: what the mutants are edits of, and other ways to write the same rules.

in_window = (s * o - p <= i) & (i < s * o - p + k)

k1, n1, p1, s1 = integers("k1 n1 p1 s1")


def one_axis(name, vjp_value):
    """Average pooling of one line."""
    count = floor_div(n1 + 2 * p1 - k1, s1) + 1
    line, out = array("line", n1), array("out", count)
    place = zero_padded(line)[s1 * u + a - p1], zero_padded(tangent(line))[s1 * u + a - p1]
    over = (a, 0, k1 - 1)
    return Op(
        name,
        requires=(n1 >= 1, k1 >= 1, s1 >= 1, p1 >= 0, n1 + 2 * p1 >= k1),
        forward=Eq(out[u], Sum(place[0], over) / k1),
        jvp=Eq(tangent(out)[u], Sum(place[1], over) / k1),
        vjp=Eq(cotangent(line)[h], vjp_value(cotangent(out))),
    )


def one_axis_gather(guard):
    def value(out_bar):
        rest = h + p1 - a
        windows = zero_padded(out_bar)[floor_div(rest, s1)]
        return Sum(bracket(guard(rest)) * windows, (a, 0, k1 - 1)) / k1

    return value


RIGHT = (
    avg.definition,
    cv.definition,
    uncounted("padding_not_counted"),
    asymmetric("padding_differs_per_side"),
    avg_pool2d("two_axes"),
    dilated("dilated", dilated_scatter()),
    dilated("dilated_gather", dilated_gather()),
    grouped("in_groups"),
    one_axis("gather_if_divisible", one_axis_gather(lambda rest: Divides(s1, rest))),
    one_axis("gather_if_no_remainder", one_axis_gather(lambda rest: Eq(mod(rest, s1), 0))),
    pull("ceil_as_floor", pulled(Max(0, floor_div(i + p - k + s, s)))),
    pull("ceil_as_truncation", pulled(Max(0, trunc_div(i + p - k + s, s)))),
    pull("masked_outputs", Sum(bracket(in_window) * y_bar[c, o], outputs_over) / product(k)),
    pull(
        "all_pairs",
        Sum(bracket(Eq(cell, i)) * y_bar[c, o], outputs_over, window) / product(k),
    ),
    pull(
        "empty_range_unless_divisible",
        Sum(
            y_bar[c, o],
            window,
            (o, Max(0, ceil_div(i + p - j, s)), Min(m - 1, floor_div(i + p - j, s))),
        )
        / product(k),
    ),
)

CONTRADICTIONS = (n <= 0, n + 2 * p < k, Eq(2 * k, 2 * n + 1), Eq(k * k, 2), (s < n) & (n < s))

UNDEFINED_RANGE = avg_pool(
    "without_positive_stride",
    requires=tuple(r for r in requires if r != positive_stride),
    jvp=Eq(y_dot[c, o], mean(x_dot, s * s * o + j - p)),
)


def first_by_if():
    """PyTorch's first window, whose condition would speak of all axes at once."""
    return pull("first_by_if", pulled(If(i + p < k, 0, floor_div(i + p - k, s) + 1)))
