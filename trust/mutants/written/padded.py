"""Wrong pooling of padded images. Untrusted."""

from importlib import import_module

from gradproof.language import Eq, Sum, bracket, inside, maximum, zero_padded
from trust.mutants.written.images import H, W, kH, kW, s2
from trust.mutants.written.making import (
    AGREE,
    ALWAYS,
    AT_RANK_2,
    JVP,
    LARGEST,
    RULES,
    VJP,
    divisors,
    edits_of,
    reads,
)

# `specs` gives the name to the op, not to its module.
pad = import_module("gradproof.specs.pool2d_pad")

x, c, p2, has, best = pad.x, pad.c, pad.p, pad.has, pad.best
oH, oW, jH, jW, atH, atW = pad.oH, pad.oW, pad.jH, pad.jW, pad.atH, pad.atW
here, y_bar, x_dot, x_bar = pad.here, pad.y_bar, pad.x_dot, pad.x_bar
winner_at = x_dot[c, s2 * oH + atH - p2, s2 * oW + atW - p2]
target = x_bar[c, s2 * oH + pad.rowH - p2, s2 * oW + pad.rowW - p2]
largest = maximum(x[here], *pad.window, where=pad.is_real)
zeros = maximum(zero_padded(x)[here], *pad.window)
edit = edits_of(pad.max_pool2d_pad)

MAX_POOL2D_PAD = (
    edit("ties_to_last", RULES, {x[here] > best: x[here] >= best}, claim="N-D at rank 2: JVP"),
    edit("never_found", RULES, {pad.loop["has"][2]: has}, JVP, VJP),
    edit(
        "sign_of_padding",
        "y_dot",
        {winner_at: x_dot[c, s2 * oH + atH + p2, s2 * oW + atW + p2]},
        reads("jvp"),
    ),
    edit(
        "padding_on_one_axis",
        "x_bar",
        {target: x_bar[c, s2 * oH + pad.rowH - p2, s2 * oW + pad.rowW]},
        reads(VJP),
        VJP,
    ),
    edit("padding_is_zeros", "y", {largest: zeros}, claim=LARGEST),
    edit("forward_reads_padding", "y", {largest: maximum(x[here], *pad.window)}, reads("forward")),
    edit("scatters_from_nowhere", "x_bar", {Eq(pad.found, 1): ALWAYS}, reads(VJP)),
    edit(
        "empty_gives_1",
        "y",
        {largest: maximum(x[here], *pad.window, where=pad.is_real, empty=1)},
        claim=AT_RANK_2,
    ),
)

edit = edits_of(pad.avg_pool2d_pad)
UNPAD = "x_bar_unpad"
iH, iW, area = pad.iH, pad.iW, kH * kW
on_row, on_column = iH + p2, iW + p2  # of a cell of the image, once padded
real_cells = Sum(bracket(pad.is_real), *pad.window)
read = zero_padded(x_dot)[here]

AVG_POOL2D_PAD = (
    edit(
        "sign_of_padding",
        "y_dot",
        {read: zero_padded(x_dot)[c, s2 * oH + jH + p2, s2 * oW + jW + p2]},
        JVP,
    ),
    edit(
        "padding_on_one_axis",
        "y_dot",
        {read: zero_padded(x_dot)[c, s2 * oH + jH, s2 * oW + jW - p2]},
        JVP,
    ),
    edit(
        "padding_on_one_axis_everywhere",
        f"y {RULES} {UNPAD}",
        {s2 * oH + jH - p2: s2 * oH + jH, on_row: iH},
        claim=AT_RANK_2,
    ),
    edit("unpad_not_shifted", UNPAD, {on_row: iH}, f"vjp {UNPAD}", claim=AGREE),
    edit(
        "unpad_shifted_twice",
        UNPAD,
        {on_column: iW + 2 * p2},
        f"vjp {UNPAD}",
        claim=AGREE,
    ),
    edit(
        "divided_by_real_cells",
        "y_dot",
        {Sum(read, *pad.window) / area: Sum(read, *pad.window) / real_cells},
        divisors("jvp"),
        JVP,
    ),
    edit("unpad_not_divided", UNPAD, {area: 1}, f"vjp {UNPAD}", claim=AGREE),
    edit("scatter_not_clipped", "x_bar", {inside(here[1:], (H, W)): ALWAYS}, reads(VJP)),
    edit(
        "scatter_clipped_at_padding",
        "x_bar",
        {inside(here[1:], (H, W)): inside(here[1:], (H - p2, W))},
        VJP,
        claim=AGREE,
    ),
)
