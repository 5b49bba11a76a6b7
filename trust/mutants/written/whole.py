"""Wrong global pooling. Untrusted."""

from importlib import import_module

from gradproof.language import Eq, Sum, bracket, maximum
from trust.mutants.written.images import H, W
from trust.mutants.written.making import (
    ALL,
    FIRST,
    JVP,
    MASS,
    VJP,
    divisors,
    edits_of,
    reads,
)

# `specs` gives the name to the op, not to its module.
whole = import_module("gradproof.specs.global_pool")

x, c, y_bar, x_dot, x_bar = whole.x, whole.c, whole.y_bar, whole.x_dot, whole.x_bar
iH, iW, jH, jW = whole.iH, whole.iW, whole.jH, whole.jW
next_channel, first_channel = x_dot[c + 1, jH, jW], x_dot[0, jH, jW]


def means_of(op, upstream):
    edit = edits_of(op)
    return (
        edit("divisor_added", "y_dot", {H * W: H + W}, JVP),
        edit("divisor_of_one_axis", "x_bar", {H * W: H}, VJP, claim=MASS),
        edit("divisor_of_one_axis_everywhere", ALL, {H * W: W}, claim=MASS),
        edit("sum_forward", "y", {H * W: 1}, JVP, VJP),
        edit("reads_next_channel", "y_dot", {x_dot[c, jH, jW]: next_channel}, reads("jvp")),
        edit("reads_first_channel", "y_dot", {x_dot[c, jH, jW]: first_channel}, JVP),
        edit("axes_exchanged", "y y_dot", {H - 1: W - 1, W - 1: H - 1}, reads("forward")),
        edit("vjp_doubled", "x_bar", {upstream: 2 * upstream}, VJP, claim=MASS),
    )


GLOBAL_AVG_POOL2D = means_of(whole.global_avg_pool2d, y_bar[c, 0, 0])
GLOBAL_AVG_POOL2D_FLAT = means_of(whole.global_avg_pool2d_flat, whole.flat_bar[c])

best, largest, cell2 = whole.best, whole.largest, x[c, jH, jW]
transposed = {x_dot[c, whole.atH, whole.atW]: x_dot[c, whole.atW, whole.atH]}
first_row = maximum(x[c, 0, jW], whole.image[1])
is_first_channel = bracket(Eq(x[0, iH, iW], largest))


def maxima_of(op, upstream):
    edit = edits_of(op)
    return (
        edit("picks_least", "y_dot", {cell2 > best: cell2 < best}, JVP),
        edit("seeded_by_zero", "y_dot", {x[c, 0, 0]: 0}, JVP),
        edit("axes_exchanged", "y_dot", transposed, reads("jvp")),
        edit("compares_first_channel", "x_bar", {whole.is_largest: is_first_channel}, VJP),
        edit("compares_with_first_row", "x_bar", {largest: first_row}, VJP),
        edit("compares_below", "x_bar", {whole.is_largest: bracket(x[c, iH, iW] <= largest)}, VJP),
        edit("every_cell", "x_bar", {whole.is_largest: 1}, VJP),
        edit("vjp_doubled", "x_bar", {upstream: 2 * upstream}, VJP),
    )


DISTRIBUTED, ties = "x_bar_distributed", whole.ties
over_ties = tuple(ties.args[1:])
one_axis = Sum(bracket(Eq(x[c, 0, whole.wW], largest)), over_ties[1])
edit = edits_of(whole.global_max_pool2d)

GLOBAL_MAX_POOL2D = (
    *maxima_of(whole.global_max_pool2d, y_bar[c, 0, 0]),
    edit("ties_to_last", "y_dot claim", {cell2 > best: cell2 >= best}, claim=FIRST),
    edit("ties_not_counted", DISTRIBUTED, {ties: 1}, claim=f"distributed: {MASS}"),
    edit(
        "ties_of_one_row",
        DISTRIBUTED,
        {ties: one_axis},
        divisors(f"vjp {DISTRIBUTED}"),
        claim=f"distributed: {MASS}",
    ),
    edit(
        "ties_are_all_cells",
        DISTRIBUTED,
        {ties: H * W},
        f"vjp {DISTRIBUTED}",
        claim=f"distributed: {MASS}",
    ),
)
GLOBAL_MAX_POOL2D_FLAT = maxima_of(whole.global_max_pool2d_flat, whole.flat_bar[c])
