"""The windows of the rank-generic ops: one bundle per quantity, for any number of axes."""

from gradproof.language import axes
from gradproof.specs.geometry import Axis, padding_claims, size_claims

n, k, s, p = axes("n k s p")  # input size, window, stride, padding: one per spatial axis
i, j, o = axes("i j o")  # position in the input, in the window, in the output

axis = Axis(n, k, s, p, i, j, o, axes("larger"))
requires, windows = axis.requires, axis.windows
m, cell, is_real = axis.m, axis.cell, axis.is_real
window, outputs_over, inputs_over = axis.window, axis.outputs_over, axis.inputs_over
covering = axis.covering

claims = (
    *size_claims(
        (axis,),
        phantom={n: 1, k: 2, s: 1, p: 0},
        no_stride={n: 1, k: 1, s: 0, p: 0},
    ),
    *padding_claims((axis,), empty={n: 1, k: 1, s: 1, p: 1}),
)
