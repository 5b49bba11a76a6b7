"""Pixel shuffle: r·r channels become the r·r pixels of one, and back."""

from gradproof.language import *

C, r, c, d = integers("C r c d")  # channels of the output; d: channel of the input
H, W, h, w, i, j = integers("H W h w i j")
x, y = array("x", C * r * r, H, W), array("y", C, H * r, W * r)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)


def shuffled(x):
    """What pixel (h, w) of channel c is taken from."""
    return x[(c * r + mod(h, r)) * r + mod(w, r), floor_div(h, r), floor_div(w, r)]


row, column = mod(floor_div(d, r), r), mod(d, r)  # of input channel d in its r × r pixels

pixel_shuffle = Op(
    "pixel_shuffle",
    requires=(C >= 1, H >= 1, W >= 1, r >= 1),
    forward=Eq(y[c, h, w], shuffled(x)),
    jvp=Eq(y_dot[c, h, w], shuffled(x_dot)),
    vjp=Eq(x_bar[d, i, j], y_bar[floor_div(floor_div(d, r), r), i * r + row, j * r + column]),
)
