"""Padding and moving: where each cell of the output comes from, along one axis of each row."""

from typing import Any

from gradproof.language import (
    Eq,
    Max,
    Min,
    Op,
    Sum,
    Windows,
    array,
    bracket,
    cotangent,
    floor_div,
    inside,
    integers,
    mod,
    scatter,
    tangent,
    zero_padded,
)

C, N, M, p, q, s, r, c, i, o, d = integers("C N M p q s r c i o d")
k, f = integers("k f")


def moved(
    name: Any, size: Any, source: Any, target: Any, doc: Any, requires: Any = (), claims: Any = ()
) -> Any:
    """`y[c, o] = x[c, source(o)]`; the VJP adds each cotangent up where its value was read."""
    x, y = array("x", C, N), array("y", C, size)
    x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
    if target is None:
        vjp = scatter(x_bar[c, source(o)], y_bar[c, o], (c, 0, C - 1), (o, 0, size - 1))
    else:
        vjp = Eq(x_bar[c, i], y_bar[c, target(i)])
    return Op(
        name,
        requires=(C >= 1, N >= 1, *requires),
        forward=Eq(y[c, o], x[c, source(o)]),
        jvp=Eq(y_dot[c, o], x_dot[c, source(o)]),
        vjp=vjp,
        claims=claims,
        doc=doc,
    )


x, y = array("x", C, N), array("y", C, N + p + q)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)

zero_pad = Op(
    "zero_pad",
    requires=(C >= 1, N >= 1, p >= 0, q >= 0),
    forward=Eq(y[c, o], zero_padded(x)[c, o - p]),
    jvp=Eq(y_dot[c, o], zero_padded(x_dot)[c, o - p]),
    vjp=Eq(x_bar[c, i], y_bar[c, i + p]),
    doc="Zeros on either side, p and q of them. PyTorch: `nn.functional.pad`.",
)

replicate_pad = moved(
    "replicate_pad",
    N + p + q,
    lambda o: Max(0, Min(N - 1, o - p)),
    None,
    'The first and last cells repeated. PyTorch: `nn.functional.pad(mode="replicate")`.',
    requires=(p >= 0, q >= 0),
)

reflect_pad = moved(
    "reflect_pad",
    N + p + q,
    lambda o: Min(Max(o - p, p - o), 2 * (N - 1) - (o - p)),
    None,
    'The border mirrored, without the edge itself. PyTorch: `nn.functional.pad(mode="reflect")`.',
    requires=(p >= 0, q >= 0, p < N, q < N),
)

circular_pad = moved(
    "circular_pad",
    N + p + q,
    lambda o: mod(o - p, N),
    None,
    'The other end wrapped around. PyTorch: `nn.functional.pad(mode="circular")`.',
    requires=(p >= 0, q >= 0),
)

roll = moved(
    "roll",
    N,
    lambda o: mod(o - s, N),
    lambda i: mod(i + s, N),
    "Cells shifted by s, around the end. PyTorch: `torch.roll`.",
    requires=(s >= 0,),
)

flip = moved(
    "flip",
    N,
    lambda o: N - 1 - o,
    lambda i: N - 1 - i,
    "The other way round. PyTorch: `torch.flip`.",
)

tile = moved(
    "tile",
    N * r,
    lambda o: mod(o, N),
    None,
    "The row r times over. PyTorch: `torch.Tensor.repeat`.",
    requires=(r >= 1,),
)

repeat_interleave = moved(
    "repeat_interleave",
    N * r,
    lambda o: floor_div(o, r),
    None,
    "Each cell r times over. PyTorch: `torch.repeat_interleave`.",
    requires=(r >= 1,),
)

narrow = moved(
    "narrow",
    M,
    lambda o: o + p,
    None,
    "M cells from place p on. PyTorch: `torch.narrow`.",
    requires=(M >= 1, p >= 0, p + M <= N),
)

strided_slice = moved(
    "strided_slice",
    floor_div(N - p - 1, s) + 1,
    lambda o: p + s * o,
    None,
    "Every s-th cell from place p on. PyTorch: `x[:, p::s]`.",
    requires=(s >= 1, p >= 0, p < N),
)

# Channels and pixels.

H, W, h, w, j = integers("H W h w j")
deep, wide = array("x", C * r * r, H, W), array("y", C, H * r, W * r)


def shuffled(x: Any) -> Any:
    """What pixel (h, w) of channel c is taken from."""
    return x[(c * r + mod(h, r)) * r + mod(w, r), floor_div(h, r), floor_div(w, r)]


def unshuffled(y: Any) -> Any:
    """What pixel (i, j) of channel d is taken from."""
    row, column = mod(floor_div(d, r), r), mod(d, r)
    return y[floor_div(floor_div(d, r), r), i * r + row, j * r + column]


pixel_shuffle = Op(
    "pixel_shuffle",
    requires=(C >= 1, H >= 1, W >= 1, r >= 1),
    forward=Eq(wide[c, h, w], shuffled(deep)),
    jvp=Eq(tangent(wide)[c, h, w], shuffled(tangent(deep))),
    vjp=Eq(cotangent(deep)[d, i, j], unshuffled(cotangent(wide))),
    doc="r·r channels as the r·r pixels of one. PyTorch: `nn.functional.pixel_shuffle`.",
)

whole, parts = array("x", C, H * r, W * r), array("y", C * r * r, H, W)

pixel_unshuffle = Op(
    "pixel_unshuffle",
    requires=(C >= 1, H >= 1, W >= 1, r >= 1),
    forward=Eq(parts[d, i, j], unshuffled(whole)),
    jvp=Eq(tangent(parts)[d, i, j], unshuffled(tangent(whole))),
    vjp=Eq(cotangent(whole)[c, h, w], shuffled(cotangent(parts))),
    doc="The r·r pixels of a channel as channels. PyTorch: `nn.functional.pixel_unshuffle`.",
)

G, D = integers("G D")  # groups, channels in each
mixed, sorted_ = array("x", G * D, N), array("y", G * D, N)


def across(a: Any, groups: Any, each: Any) -> Any:
    """Channel c from the c-th place if all groups are read in turn."""
    return a[mod(c, groups) * each + floor_div(c, groups), i]


channel_shuffle = Op(
    "channel_shuffle",
    requires=(G >= 1, D >= 1, N >= 1),
    forward=Eq(sorted_[c, i], across(mixed, G, D)),
    jvp=Eq(tangent(sorted_)[c, i], across(tangent(mixed), G, D)),
    vjp=scatter(
        cotangent(mixed)[mod(c, G) * D + floor_div(c, G), i],
        cotangent(sorted_)[c, i],
        *((c, 0, G * D - 1), (i, 0, N - 1)),
    ),
    doc="Groups of channels dealt out in turn. PyTorch: `nn.functional.channel_shuffle`.",
)

# Windows as columns.

m = floor_div(N - k, s) + 1
columns = array("y", C, k, m)
starts, taps = (o, 0, m - 1), (f, 0, k - 1)

unfold = Op(
    "unfold",
    requires=(C >= 1, k <= N, k >= 1, s >= 1),
    forward=Eq(columns[c, f, o], x[c, s * o + f]),
    jvp=Eq(tangent(columns)[c, f, o], x_dot[c, s * o + f]),
    vjp=scatter(x_bar[c, s * o + f], cotangent(columns)[c, f, o], (c, 0, C - 1), taps, starts),
    doc="Each window as a column. PyTorch: `torch.Tensor.unfold`, `nn.functional.unfold`.",
)

folded, stack = array("y", C, N), array("x", C, k, m)

fold = Op(
    "fold",
    requires=(C >= 1, k <= N, k >= 1, s >= 1),
    forward=Eq(folded[c, i], Sum(bracket(Eq(s * o + f, i)) * stack[c, f, o], taps, starts)),
    jvp=Eq(
        tangent(folded)[c, i],
        Sum(bracket(Eq(s * o + f, i)) * tangent(stack)[c, f, o], taps, starts),
    ),
    vjp=Eq(cotangent(stack)[c, f, o], cotangent(folded)[c, s * o + f]),
    doc="Columns added up where their windows were. PyTorch: `nn.functional.fold`.",
)

# Axes.

table, turned = array("x", N, M), array("y", M, N)

transpose = Op(
    "transpose",
    requires=(N >= 1, M >= 1),
    forward=Eq(turned[o, i], table[i, o]),
    jvp=Eq(tangent(turned)[o, i], tangent(table)[i, o]),
    vjp=Eq(cotangent(table)[i, o], cotangent(turned)[o, i]),
    doc="Rows as columns. PyTorch: `torch.transpose`.",
)

first, second, joined = array("first", N), array("second", M), array("y", N + M)

concat = Op(
    "concat",
    requires=(N >= 1, M >= 1),
    forward=Eq(joined[o], zero_padded(first)[o] + zero_padded(second)[o - N]),
    jvp=Eq(
        tangent(joined)[o],
        zero_padded(tangent(first))[o] + zero_padded(tangent(second))[o - N],
    ),
    vjp=(
        Eq(cotangent(first)[i], cotangent(joined)[i]),
        Eq(cotangent(second)[i], cotangent(joined)[i + N]),
    ),
    doc="One after the other. PyTorch: `torch.cat`.",
)

# As convolutions see it: over padded cells, d apart.

dil, pad = integers("d p")
reach = dil * (k - 1) + 1
wide_starts = floor_div(N + 2 * pad - reach, s) + 1
spread_columns = array("y", C, k, wide_starts)
seen = s * o + dil * f - pad
all_starts = (o, 0, wide_starts - 1)

im2col = Op(
    "im2col",
    requires=(C >= 1, N >= 1, k >= 1, s >= 1, dil >= 1, pad >= 0, N + 2 * pad >= reach),
    windows=Windows(count=wide_starts, size=N + 2 * pad, extent=reach, stride=s),
    forward=Eq(spread_columns[c, f, o], zero_padded(x)[c, seen]),
    jvp=Eq(tangent(spread_columns)[c, f, o], zero_padded(x_dot)[c, seen]),
    vjp=scatter(
        x_bar[c, seen],
        cotangent(spread_columns)[c, f, o],
        *((c, 0, C - 1), taps, all_starts),
        where=inside((seen,), (N,)),
    ),
    doc="Each window as a column, over padding and with taps apart. "
    "PyTorch: `nn.functional.unfold(dilation=d, padding=p)`.",
)
