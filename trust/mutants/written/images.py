"""Wrong pooling of images. Untrusted."""

from importlib import import_module

from gradproof.language import Ne, Sum, exp, log
from trust.mutants.written.making import (
    ALL,
    AT_RANK_2,
    FIRST,
    JVP,
    LARGEST,
    MASS,
    RULES,
    VJP,
    divisors,
    edits_of,
    reads,
)

# `specs` gives the name to the op, not to its module.
plane = import_module("gradproof.specs.pool2d")

x, c, H, W, kH, kW, s2 = plane.x, plane.c, plane.H, plane.W, plane.kH, plane.kW, plane.s
oH, oW, jH, jW, best = plane.oH, plane.oW, plane.jH, plane.jW, plane.best
x_dot, x_bar = plane.x_dot, plane.x_bar
here = plane.here
transposed = (c, s2 * oH + jW, s2 * oW + jH)
strideless = (c, s2 * oH + jH, oW + jW)
taller = {kH: kW, kW: kH}

edit = edits_of(plane.max_pool2d)
winner_at = (c, s2 * oH + plane.atH, s2 * oW + plane.atW)
target = (c, s2 * oH + plane.rowH, s2 * oW + plane.rowW)

MAX_POOL2D = (
    edit("ties_to_last", f"{RULES} claim", {x[here] > best: x[here] >= best}, claim=FIRST),
    edit(
        "axes_exchanged",
        "y_dot",
        {x_dot[winner_at]: x_dot[c, s2 * oH + plane.atW, s2 * oW + plane.atH]},
        reads("jvp"),
    ),
    edit("kernel_exchanged", "y_dot", taller, reads("jvp")),
    edit("kernel_exchanged_everywhere", ALL, taller, reads("forward")),
    edit("square_kernel", ALL, {kW: kH}, reads("forward"), claim=AT_RANK_2),
    edit("stride_once_everywhere", ALL, {s2 * oW: oW}, claim=AT_RANK_2),
    edit(
        "target_ignores_row",
        "x_bar",
        {x_bar[target]: x_bar[c, s2 * oH, s2 * oW + plane.rowW]},
        VJP,
    ),
    edit(
        "target_one_on",
        "x_bar",
        {x_bar[target]: x_bar[c, s2 * oH + plane.rowH + 1, s2 * oW + plane.rowW]},
        reads(VJP),
        VJP,
    ),
    edit("starts_at_zero", "y_dot claim", {x[c, s2 * oH, s2 * oW]: 0}, claim=LARGEST),
    edit(
        "mean_forward",
        "y",
        {plane.max_pool2d.forward.args[1]: Sum(x[here], *plane.window) / (kH * kW)},
        claim=LARGEST,
    ),
)

edit = edits_of(plane.avg_pool2d)

AVG_POOL2D = (
    edit("divisor_squared", "x_bar", {kH * kW: kH * kH}, VJP),
    edit("divisor_squared_everywhere", ALL, {kH * kW: kH * kH}, claim=AT_RANK_2),
    edit("divisor_added", "y_dot", {kH * kW: kH + kW}, JVP),
    edit("axes_exchanged", "y_dot", {x_dot[here]: x_dot[transposed]}, reads("jvp"), JVP),
    edit("kernel_exchanged", "x_bar", taller, reads(VJP), VJP),
    edit("stride_once", "y_dot", {x_dot[here]: x_dot[strideless]}, JVP),
    edit("stride_once_everywhere", ALL, {s2 * oW: oW}, claim=AT_RANK_2),
    edit("vjp_of_one_cell", "x_bar", {x_bar[here]: x_bar[c, s2 * oH, s2 * oW]}, VJP),
    edit("vjp_not_divided", "x_bar", {kH * kW: 1}, claim=MASS),
)

edit = edits_of(plane.smooth_max_pool2d)
beta, total, wH, wW = plane.beta, plane.total, plane.wH, plane.wW
at_place = beta * x[here]
summed = Sum(exp(at_place), *plane.window)


def denominator2d(place=(c, s2 * oH + wH, s2 * oW + wW), high=kH, wide=kW):
    return Sum(exp(plane.beta * plane.x[place]), (wH, 0, high - 1), (wW, 0, wide - 1))


SMOOTH_MAX_POOL2D = (
    edit("jvp_without_beta", "y_dot", {beta: 1}, JVP),
    edit("jvp_times_beta", "y_dot", {x_dot[here]: beta * x_dot[here]}, JVP),
    edit(
        "denominator_of_one_row",
        "x_bar",
        {total: denominator2d(high=1)},
        VJP,
    ),
    edit("denominator_exchanged", "x_bar", {total: denominator2d(high=kW, wide=kH)}, reads(VJP)),
    edit(
        "denominator_without_stride",
        "x_bar",
        {total: denominator2d((c, oH + wH, oW + wW))},
        claim=MASS,
    ),
    edit(
        "weight_of_first_cell",
        "x_bar",
        {exp(at_place): exp(beta * x[c, s2 * oH, s2 * oW])},
        claim=MASS,
    ),
    edit("weights_not_normalised", "x_bar", {total: 1}, VJP),
    edit("exponent_without_beta", "y", {exp(at_place): exp(x[here])}, JVP, VJP),
    edit("log_not_divided", "y", {log(summed) / beta: log(summed)}, JVP, VJP),
    edit("mean_of_exponentials", "y", {summed: summed / (kH * kW)}, claim="β > 0: max ≤ smooth"),
    edit("beta_may_be_0", "requires", {Ne(beta, 0): beta >= 0}, divisors("forward")),
)
