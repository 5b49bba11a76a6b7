"""The windows of the 2-D ops: `kH` by `kW` over `H` by `W`, one stride and one padding for both."""

from typing import Any

from gradproof.language import integers, on_axis
from gradproof.specs import spatial
from gradproof.specs.geometry import Axis, padding_claims, requires, size_claims

C, c = integers("C c")
H, W, kH, kW, s, p = integers("H W kH kW s p")
iH, iW, jH, jW, oH, oW = integers("iH iW jH jW oH oW")
moreH, moreW = integers("moreH moreW")


class Plane:
    """Both axes of the windows, padded by `p` or not at all."""

    def __init__(self, padding: Any, height: Any = H, width: Any = W) -> None:
        high = Axis(height, kH, s, padding, iH, jH, oH, moreH)
        wide = Axis(width, kW, s, padding, iW, jW, oW, moreW)
        self.axes = (high, wide)
        self.outputs = (oH, oW)
        self.requires = requires(high, wide)
        self.windows = (high.windows, wide.windows)
        self.size = (high.m, wide.m)
        self.cell = (high.cell, wide.cell)
        self.is_real = high.is_real & wide.is_real
        self.window = (high.window, wide.window)
        self.outputs_over = (high.outputs_over, wide.outputs_over)
        self.inputs_over = (high.inputs_over, wide.inputs_over)
        self.covering = (high.covering, wide.covering)
        unit = {height: 1, width: 1, kH: 1, kW: 1, s: 1}
        none = {} if padding == 0 else {p: 0}
        self.claims = size_claims(
            self.axes,
            phantom={**unit, kW: 2, **none},
            no_stride={**unit, s: 0, **none},
        )
        if padding != 0:
            self.claims += padding_claims(self.axes, empty={**unit, p: 1})


def at_rank_2(padding: Any, height: Any = H, width: Any = W) -> dict[Any, Any]:
    """The sizes of a rank-generic op at rank 2, in those of a plane."""
    pairs = {spatial.n: (height, width), spatial.k: (kH, kW), spatial.s: (s, s)}
    pairs[spatial.p] = (padding, padding)
    return {on_axis(b, axis): pair[axis - 1] for b, pair in pairs.items() for axis in (1, 2)}


channels = (c, 0, C - 1)
inputs, places = (iH, iW), (jH, jW)
unpadded, padded = Plane(0), Plane(p)
