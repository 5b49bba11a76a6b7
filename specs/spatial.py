"""The windows of the rank-generic ops: one bundle per quantity, for any number of axes."""

from typing import Any

from gradproof.language import And, Claim, Eq, axes
from gradproof.specs.geometry import Axis, padding_claims, size_claims

n, k, s, p = axes("n k s p")  # input size, window, stride, padding: one per spatial axis
i, j, o = axes("i j o")  # position in the input, in the window, in the output

axis = Axis(n, k, s, p, i, j, o, axes("larger"))
requires, windows = axis.requires, axis.windows
m, cell, is_real = axis.m, axis.cell, axis.is_real
window, outputs_over, inputs_over = axis.window, axis.outputs_over, axis.inputs_over
covering = axis.covering

# The bounds of what `requires` admits: no spatial axis at all, and an axis without a cell.
NO_AXIS = "n = k = s = 1, p = 0, as without axes: {}"
no_axis = (Eq(n, 1), Eq(k, 1), Eq(s, 1), Eq(p, 0))
no_cell: dict[str, Any] = {"given": (Eq(n, 0),), "without": (n >= 1,)}

claims = (
    *size_claims(
        (axis,),
        phantom={n: 1, k: 2, s: 1, p: 0},
        no_stride={n: 1, k: 1, s: 0, p: 0},
    ),
    *padding_claims((axis,), empty={n: 1, k: 1, s: 1, p: 1}),
    Claim(
        "n = 0: as many windows as fit",
        And((m - 1) * s + k <= n + 2 * p, m * s + k > n + 2 * p),
        **no_cell,
    ),
)
