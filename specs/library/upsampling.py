"""Upsampling: nearest cells and linear interpolation, along one axis and two."""

from typing import Any

from gradproof.language import (
    Eq,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    floor_div,
    integers,
    mod,
    scatter,
    tangent,
)

C, N, M, r, c, i, o = integers("C N M r c i o")
channels, outputs = (c, 0, C - 1), (o, 0, M - 1)
x, y = array("x", C, N), array("y", C, M)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
requires = (C >= 1, N >= 1, M >= 1)

nearest_cell = floor_div(o * N, M)

upsample_nearest = Op(
    "upsample_nearest",
    requires=requires,
    forward=Eq(y[c, o], x[c, nearest_cell]),
    jvp=Eq(y_dot[c, o], x_dot[c, nearest_cell]),
    vjp=scatter(x_bar[c, nearest_cell], y_bar[c, o], channels, outputs),
    doc='The nearest cell, to any size. PyTorch: `nn.functional.interpolate(mode="nearest")`.',
)

j = integers("j")
large = array("y", C, N * r)
large_dot, large_bar = tangent(large), cotangent(large)

upsample_nearest_scale = Op(
    "upsample_nearest_scale",
    requires=(C >= 1, N >= 1, r >= 1),
    forward=Eq(large[c, o], x[c, floor_div(o, r)]),
    jvp=Eq(large_dot[c, o], x_dot[c, floor_div(o, r)]),
    vjp=Eq(x_bar[c, i], Sum(large_bar[c, i * r + j], (j, 0, r - 1))),
    doc="Each cell r times. PyTorch: `nn.functional.interpolate(scale_factor=r)`.",
)


def interpolated(name: Any, above: Any, below: Any, doc: Any, requires: Any) -> Any:
    """Between cells `l = ⌊above/below⌋` and `l + 1`, by what is left of the quotient."""
    left = floor_div(above, below)
    right = Min(left + 1, N - 1)
    part = mod(above, below)

    def between(x: Any) -> Any:
        return ((below - part) * x[c, left] + part * x[c, right]) / below

    weight = (below - part) * bracket(Eq(left, i)) + part * bracket(Eq(right, i))
    return Op(
        name,
        requires=requires,
        forward=Eq(y[c, o], between(x)),
        jvp=Eq(y_dot[c, o], between(x_dot)),
        vjp=Eq(x_bar[c, i], Sum(weight * y_bar[c, o] / below, outputs)),
        doc=doc,
    )


upsample_linear_aligned = interpolated(
    "upsample_linear_aligned",
    o * (N - 1),
    M - 1,
    "Linear between cells, ends on ends. "
    'PyTorch: `nn.functional.interpolate(mode="linear", align_corners=True)`.',
    (C >= 1, N >= 1, M >= 2),
)

# The middle of output cell o lies at (o + 1/2)·N/M - 1/2, and not before the first cell.
upsample_linear = interpolated(
    "upsample_linear",
    Max(0, (2 * o + 1) * N - M),
    2 * M,
    "Linear between the middles of cells. "
    'PyTorch: `nn.functional.interpolate(mode="linear", align_corners=False)`.',
    requires,
)

# Images.

H, W, P, Q, h, w, a, b = integers("H W P Q h w a b")
image, larger = array("x", C, H, W), array("y", C, P, Q)
pixels = ((a, 0, P - 1), (b, 0, Q - 1))


def bilinear(name: Any, above: Any, below: Any, doc: Any, requires: Any) -> Any:
    """Linear along both axes; `above(o, n, m)` and `below(m)` give the place of cell o."""

    def ends(o: Any, n: Any, m: Any) -> Any:
        left = floor_div(above(o, n, m), below(m))
        part = mod(above(o, n, m), below(m))
        return ((left, below(m) - part), (Min(left + 1, n - 1), part))

    rows, columns = ends(a, H, P), ends(b, W, Q)
    whole = below(P) * below(Q)

    def between(x: Any) -> Any:
        corners = (u * v * x[c, top, left] for top, u in rows for left, v in columns)
        return sum(corners) / whole

    by_row = sum(u * bracket(Eq(top, h)) for top, u in rows)
    by_column = sum(v * bracket(Eq(left, w)) for left, v in columns)
    return Op(
        name,
        requires=requires,
        forward=Eq(larger[c, a, b], between(image)),
        jvp=Eq(tangent(larger)[c, a, b], between(tangent(image))),
        vjp=Eq(
            cotangent(image)[c, h, w],
            Sum(by_row * by_column * cotangent(larger)[c, a, b] / whole, *pixels),
        ),
        doc=doc,
    )


sized = (C >= 1, H >= 1, W >= 1)

upsample_bilinear_aligned = bilinear(
    "upsample_bilinear_aligned",
    lambda o, n, m: o * (n - 1),
    lambda m: m - 1,
    "Linear between pixels along both axes, corners on corners. "
    'PyTorch: `nn.functional.interpolate(mode="bilinear", align_corners=True)`.',
    (*sized, P >= 2, Q >= 2),
)

upsample_bilinear = bilinear(
    "upsample_bilinear",
    lambda o, n, m: Max(0, (2 * o + 1) * n - m),
    lambda m: 2 * m,
    "Linear between the middles of pixels. "
    'PyTorch: `nn.functional.interpolate(mode="bilinear", align_corners=False)`.',
    (*sized, P >= 1, Q >= 1),
)
