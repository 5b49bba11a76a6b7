"""Wrong unpadding. Untrusted."""

from importlib import import_module

from gradproof.language import zero_padded
from trust.mutants.written.making import (
    JVP,
    VJP,
    edits_of,
    reads,
)

# `specs` gives the name to the op, not to its module.
cut = import_module("gradproof.specs.unpad")

x, c, t, i1, p1, n1 = cut.x, cut.c, cut.t, cut.i, cut.p, cut.n
x_dot, y_bar = cut.x_dot, cut.y_bar
pulled = zero_padded(y_bar)[c, t - p1]
BACK = "unpad after zero-pad is the identity"
edit = edits_of(cut.unpad)

UNPADDING = (
    edit("padding_doubled", "y", {x[c, i1 + p1]: x[c, i1 + 2 * p1]}, JVP, VJP),
    edit("not_shifted", "y", {x[c, i1 + p1]: x[c, i1]}, JVP, VJP),
    edit(
        "not_shifted_everywhere",
        "y y_dot x_bar",
        {i1 + p1: i1, t - p1: t},
        claim="unpad and zero-pad are adjoint",
    ),
    edit("jvp_not_shifted", "y_dot", {i1 + p1: i1}, JVP),
    edit("jvp_beyond", "y_dot", {i1 + p1: i1 + 2 * p1 + 1}, reads("jvp")),
    edit("vjp_not_padded", "x_bar", {pulled: y_bar[c, t - p1]}, reads(VJP)),
    edit("vjp_adds_padding", "x_bar", {t - p1: t + p1}, VJP),
    edit("vjp_reflects", "x_bar", {t - p1: n1 - 1 - t + p1}, VJP),
    edit("padding_may_be_negative", "requires", {p1 >= 0: n1 + 2 * p1 >= 1}, reads("forward")),
)
