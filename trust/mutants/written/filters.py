"""Wrong convolutions of images, and transposed ones. Untrusted."""

from importlib import import_module

from gradproof.language import Eq, array, bracket, cotangent, tangent, zero_padded
from gradproof.specs.spatial import i, j, k, n, p, s
from trust.mutants.written.images import kH, kW, s2
from trust.mutants.written.making import AT_RANK_2, B_BAR, BY_W, JVP, VJP, W_BAR, edits_of, reads

# `specs` gives the name to the op, not to its module.
c2 = import_module("gradproof.specs.conv2d")
ct = import_module("gradproof.specs.conv_transpose")
ct2 = import_module("gradproof.specs.conv_transpose2d")

W2, x, x_dot, W_dot, y_bar = c2.W, c2.x, c2.x_dot, c2.W_dot, c2.y_bar
ci, co, iH, iW, jH, jW, oH, oW, p2 = c2.ci, c2.co, c2.iH, c2.iW, c2.jH, c2.jW, c2.oH, c2.oW, c2.p
here, tap = c2.here, c2.tap
flipped = (co, ci, kH - 1 - jH, kW - 1 - jW)
under = (iH + p2 - s2 * oH, iW + p2 - s2 * oW)
edit = edits_of(c2.conv2d)

CONV2D = (
    edit("kernel_flipped", "y_dot", {W2[tap]: W2[flipped]}, JVP),
    edit("kernel_axes_exchanged", "y_dot", {W2[tap]: W2[co, ci, jW, jH]}, reads("jvp")),
    edit("channels_exchanged", "y_dot", {W2[tap]: W2[ci, co, jH, jW]}, reads("jvp")),
    edit("sign_of_padding", "y_dot", {here[1]: s2 * oH + jH + p2}, JVP, BY_W),
    edit("weight_tangent_dropped", "y_dot", {W_dot[tap]: 0}, BY_W),
    edit(
        "input_vjp_flips_kernel",
        "x_bar",
        {W2[(co, ci, *under)]: W2[co, ci, kH - 1 - under[0], under[1]]},
        VJP,
    ),
    edit("weight_vjp_without_stride", "W_bar", {here[2]: oW + jW - p2}, W_BAR),
    edit("bias_vjp_of_one_row", "b_bar", {y_bar[co, oH, oW]: y_bar[co, 0, oW]}, B_BAR),
    edit("bias_doubled", "y", {c2.b[co]: 2 * c2.b[co]}, "jvp by b", B_BAR),
    edit("forward_flipped", "y y_dot", {W2[tap]: W2[flipped]}, VJP, claim=AT_RANK_2),
)

# Transposed convolution.

x, b, y, i_at = ct.x, ct.b, ct.y, ct.i * ct.s + ct.j - ct.p
ci, co, W1, y_bar, x_dot = ct.ci, ct.co, ct.W, ct.y_bar, ct.x_dot
landing, m1 = zero_padded(y_bar)[co, i_at], ct.m
edit = edits_of(ct.conv_transpose)
one_more = array("y", ct.outC, m1 + 1)
back = ct.axis.outputs(m1)
resized = {y: one_more, ct.y_dot: tangent(one_more), y_bar: cotangent(one_more)}

CONV_TRANSPOSE = (
    edit("weight_transposed", "x_bar", {W1[ci, co, j]: W1[co, ci, j]}, reads(VJP)),
    edit("weight_transposed_in_jvp", "y_dot", {W1[ci, co, j]: W1[co, ci, j]}, reads("jvp")),
    edit("kernel_flipped", "x_bar", {W1[ci, co, j]: W1[ci, co, k - 1 - j]}, VJP),
    edit("stride_missing", "x_bar", {i_at: i + j - p}, VJP),
    edit("stride_missing_forward", "y", {i_at: i + j - p}, JVP, VJP),
    edit("sign_of_padding", "W_bar", {i_at: i * s + j + p}, W_BAR),
    edit("padding_doubled", "y_dot", {i_at: i * s + j - 2 * p}, JVP, BY_W),
    edit("bias_vjp_over_inputs", "b_bar", {m1 - 1: n - 1}, reads(B_BAR), B_BAR),
    edit("bias_of_first_channel", "y", {b[co]: b[0]}, "jvp by b", B_BAR),
    edit(
        "size_too_large",
        "y y_dot x_bar W_bar b_bar claim",
        {**resized, m1 - 1: m1, back: ct.axis.outputs(m1 + 1)},
        claim="conv of the size gives back n",
    ),
    edit("landing_not_masked", "x_bar", {landing: y_bar[co, i_at]}, reads(VJP)),
)

x, W2, b, y_bar = ct2.x, ct2.W, ct2.b, ct2.y_bar
ci, co, iH, iW, oH, oW = ct2.ci, ct2.co, ct2.iH, ct2.iW, ct2.oH, ct2.oW
rowwise, columnwise = ct2.landing
tap, exchanged_tap = ct2.tap, (ci, co, jW, jH)
flipped = (ci, co, kH - 1 - jH, kW - 1 - jW)
edit = edits_of(ct2.conv_transpose2d)

CONV_TRANSPOSE2D = (
    edit("weight_transposed", "x_bar", {W2[tap]: W2[co, ci, jH, jW]}, reads(VJP)),
    edit("kernel_axes_exchanged", "x_bar", {W2[tap]: W2[exchanged_tap]}, reads(VJP)),
    edit("kernel_flipped", "x_bar", {W2[tap]: W2[flipped]}, VJP),
    edit("stride_once", "x_bar", {columnwise: iW + jW - p2}, VJP),
    edit("sign_of_padding", "W_bar", {rowwise: iH * s2 + jH + p2}, W_BAR),
    edit("padding_on_one_axis", "W_bar", {columnwise: iW * s2 + jW}, W_BAR),
    edit("bias_vjp_over_inputs", "b_bar", {ct2.mH - 1: ct2.inH - 1}, reads(B_BAR), B_BAR),
    edit("forward_flipped", "y y_dot x_bar", {W2[tap]: W2[flipped]}, claim=AT_RANK_2),
    edit(
        "lands_transposed", "y_dot", {ct2.lands: bracket(Eq(rowwise, oW) & Eq(columnwise, oH))}, JVP
    ),
)
