"""Wrong average pooling, with the smallest shapes at which it is. Untrusted."""

from dataclasses import replace
from importlib import import_module

from gradproof.language import (
    And,
    Eq,
    Max,
    Min,
    Sum,
    Windows,
    array,
    bracket,
    ceil_div,
    cotangent,
    floor_div,
    inside,
    product,
    scatter,
    tangent,
    zero_padded,
)
from gradproof.specs.spatial import cell, i, is_real, j, k, m, n, o, outputs_over, p, s, window
from trust.mutants.written.making import (
    OVERLAP,
    PADDED,
    STRIDED,
    UNIT,
    WIDE,
    in_bounds,
    jvp,
    linear,
    mutant,
    size,
    vjp,
)

# `specs` gives the name to the op, not to its module.
avg = import_module("gradproof.specs.avg_pool")

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


# With another output size.


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
