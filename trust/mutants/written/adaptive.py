"""Wrong adaptive pooling. Untrusted."""

from importlib import import_module

from gradproof.language import ceil_div, floor_div
from trust.mutants.written.images import H, W
from trust.mutants.written.making import (
    ALL,
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
bins = import_module("gradproof.specs.adaptive")

x, c, mH, mW, tH, tW = bins.x, bins.c, bins.mH, bins.mW, bins.tH, bins.tW
oH, oW, y_bar, x_dot, x_bar = bins.oH, bins.oW, bins.y_bar, bins.x_dot, bins.x_bar
rounded_down = {bins.end(oH, H, mH): floor_div((oH + 1) * H, mH)}
too_wide = {bins.start(oH, H, mH): floor_div(oH * H, mH) - 1}
wrong_axis = {
    bins.start(oW, W, mW): bins.start(oW, H, mH),
    bins.end(oW, W, mW): bins.end(oW, H, mH),
}
strided = {
    bins.start(oW, W, mW): oW * floor_div(W, mW),
    bins.end(oW, W, mW): (oW + 1) * floor_div(W, mW),
}
IDENTITY = "m = n is the identity"
edit = edits_of(bins.adaptive_avg_pool2d)

ADAPTIVE_AVG_POOL2D = (
    edit("end_rounded_down", ALL, rounded_down, divisors("forward")),
    edit("jvp_end_rounded_down", "y_dot", rounded_down, JVP),
    edit("vjp_end_rounded_down", "x_bar", rounded_down, VJP),
    edit("starts_too_early", ALL, too_wide, reads("forward"), reads(VJP)),
    edit("bins_of_wrong_axis", "y_dot", wrong_axis, reads("jvp"), JVP),
    edit("vjp_in_plain_windows", "x_bar", strided, VJP),
    edit("divisor_of_plain_windows", "x_bar", {bins.area: ceil_div(H, mH) * ceil_div(W, mW)}, VJP),
    edit(
        "divisor_of_next_bin",
        "y_dot",
        {bins.area: bins.length(oH + 1, H, mH) * bins.length(oW, W, mW)},
        JVP,
    ),
    edit("divisor_of_one_axis", "x_bar", {bins.area: bins.length(oH, H, mH)}, VJP, claim=MASS),
    edit("sums_for_means", ALL, {bins.area: 1}, claim="m | n is plain pooling: forward"),
    edit("divisor_is_bin_count", ALL, {bins.area: mH * mW}, claim=IDENTITY),
)

best, atH, atW = bins.best, bins.atH, bins.atW
cell2 = x[c, tH, tW]
edit = edits_of(bins.adaptive_max_pool2d)
bin_start = x[c, bins.start(oH, H, mH), bins.start(oW, W, mW)]
target = x_bar[c, bins.rowH, bins.rowW]

ADAPTIVE_MAX_POOL2D = (
    edit("ties_to_last", f"{RULES} claim", {cell2 > best: cell2 >= best}, claim=FIRST),
    edit("picks_least", "y_dot claim", {cell2 > best: cell2 < best}, JVP, claim=LARGEST),
    edit("seeded_by_zero", "y_dot claim", {bin_start: 0}, claim=LARGEST),
    edit("seeded_by_first_cell", "y_dot claim", {bin_start: x[c, 0, 0]}, claim=LARGEST),
    edit("axes_exchanged", "x_bar", {target: x_bar[c, bins.rowW, bins.rowH]}, reads(VJP)),
    edit("bins_of_wrong_axis", "y", wrong_axis, reads("forward")),
    edit("vjp_in_plain_windows", "x_bar", strided, VJP),
    edit("target_at_bin_start", "x_bar", {bins.rowW: bins.start(oW, W, mW)}, VJP),
    edit("target_one_on", "x_bar", {target: x_bar[c, bins.rowH, bins.rowW + 1]}, reads(VJP), VJP),
    edit("end_rounded_down", "y", rounded_down, JVP, claim=LARGEST),
)
