"""Adaptive pooling of images: `mH` by `mW` bins that cover the image, whatever its size."""

from typing import Any

from gradproof.language import (
    And,
    Claim,
    Divides,
    Eq,
    ForAll,
    If,
    Op,
    Sum,
    array,
    ceil_div,
    cotangent,
    floor_div,
    fold,
    implies,
    integers,
    maximum,
    on_axis,
    reals,
    scatter,
    tangent,
    winner,
)
from gradproof.specs import spatial
from gradproof.specs.avg_pool import avg_pool
from gradproof.specs.max_pool import max_pool
from gradproof.specs.plane import C, H, W, c, channels
from gradproof.specs.plane import inputs as cells
from gradproof.specs.relations import linear_map, same_op
from gradproof.specs.ties import first_winner_claims

mH, mW, oH, oW, tH, tW, atH, atW = integers("mH mW oH oW tH tW atH atW")
best = reals("best")
iH, iW = cells


def start(o: Any, n: Any, m: Any) -> Any:
    return floor_div(o * n, m)


def end(o: Any, n: Any, m: Any) -> Any:
    """One past the last cell of bin o."""
    return ceil_div((o + 1) * n, m)


def length(o: Any, n: Any, m: Any) -> Any:
    return end(o, n, m) - start(o, n, m)


requires = (H >= 1, W >= 1, mH >= 1, mW >= 1)
axes = ((H, mH, oH, tH), (W, mW, oW, tW))
bins = tuple((o, 0, m - 1) for _, m, o, _ in axes)
window = tuple((t, start(o, n, m), end(o, n, m) - 1) for n, m, o, t in axes)
area = length(oH, H, mH) * length(oW, W, mW)
everywhere = (channels, *bins)
inputs_over = ((iH, 0, H - 1), (iW, 0, W - 1))

x, y = array("x", C, H, W), array("y", C, mH, mW)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)

neighbours = tuple((o, 0, m - 2) for _, m, o, _ in axes)


def on_bins(condition: Any) -> Any:
    """A condition on each bin of each axis."""
    return And(
        *(ForAll(condition(n, m, o), over) for (n, m, o, _), over in zip(axes, bins, strict=True))
    )


def on_neighbours(condition: Any) -> Any:
    return And(
        *(
            ForAll(condition(n, m, o), over)
            for (n, m, o, _), over in zip(axes, neighbours, strict=True)
        )
    )


disjoint = on_neighbours(lambda n, m, o: end(o, n, m) <= start(o + 1, n, m))
o2, qH, qW = integers("o2 qH qW")
no_more = (mH <= H, mW <= W)  # bins than cells
divides = And(Divides(mH, H), Divides(mW, W))

claims = (
    Claim(
        "bins are non-empty and in bounds",
        on_bins(
            lambda n, m, o: And(
                start(o, n, m) >= 0, start(o, n, m) < end(o, n, m), end(o, n, m) <= n
            )
        ),
    ),
    Claim(
        "the first bin starts at 0, the last ends at n",
        And(*(Eq(start(0, n, m), 0) & Eq(end(m - 1, n, m), n) for n, m, _, _ in axes)),
    ),
    Claim(
        "there is no gap between neighbours",
        on_neighbours(lambda n, m, o: start(o + 1, n, m) <= end(o, n, m)),
    ),
    Claim(
        "starts and ends are monotone",
        on_neighbours(
            lambda n, m, o: And(
                start(o, n, m) <= start(o + 1, n, m), end(o, n, m) <= end(o + 1, n, m)
            )
        ),
    ),
    Claim(
        "sizes differ by at most 1",
        And(
            *(
                ForAll(length(o, n, m) <= length(o2, n, m) + 1, (o, 0, m - 1), (o2, 0, m - 1))
                for n, m, o, _ in axes
            )
        ),
    ),
    Claim(
        "m | n: the windows are disjoint, k = s = n/m",
        on_bins(
            lambda n, m, o: And(
                Eq(start(o, n, m), o * floor_div(n, m)), Eq(length(o, n, m), floor_div(n, m))
            )
        ),
        given=(divides,),
    ),
    Claim("m | n: the bins partition the input", disjoint, given=(*no_more, divides)),
    Claim(
        "m ≤ n: the bins partition the input",
        disjoint,
        given=no_more,
        refuted={H: 1, W: 3, mH: 1, mW: 2},
        why=(
            "Bins are drawn as if they tiled the image; where m does not divide n, neighbours "
            "overlap."
        ),
        twin="m | n: the bins partition the input",
    ),
    Claim(
        "not m | n on one axis: the first two bins overlap there",
        And(*(implies(~Divides(m, n), end(0, n, m) > start(1, n, m)) for n, m, _, _ in axes)),
    ),
)

mean = Sum(x[c, tH, tW], *window) / area
mass = ForAll(Eq(Sum(x_bar[c, iH, iW], *inputs_over), Sum(y_bar[c, oH, oW], *bins)), channels)
identity = ForAll(Eq(y[c, oH, oW], x[c, oH, oW]), *everywhere)
same_size = (Eq(mH, H), Eq(mW, W))
in_windows = {
    **{on_axis(b, 1): v for b, v in ((spatial.n, H), (spatial.k, qH), (spatial.s, qH))},
    **{on_axis(b, 2): v for b, v in ((spatial.n, W), (spatial.k, qW), (spatial.s, qW))},
    **{on_axis(spatial.p, axis): 0 for axis in (1, 2)},
}
multiples = (qH >= 1, qW >= 1, Eq(H, mH * qH), Eq(W, mW * qW))

avg_definition = Op(
    "adaptive_avg_pool2d",
    requires=requires,
    forward=Eq(y[c, oH, oW], mean),
    jvp=Eq(y_dot[c, oH, oW], Sum(x_dot[c, tH, tW], *window) / area),
    vjp=scatter(x_bar[c, tH, tW], y_bar[c, oH, oW] / area, *everywhere, *window),
    doc=(
        "The mean over each of `mH` by `mW` bins that cover an image, whatever its size.\n\n"
        "TorchLean has it without rules. In PyTorch `adaptive_avg_pool2d(x, (mH, mW))`."
    ),
)

adaptive_avg_pool2d = avg_definition.claiming(
    *claims,
    linear_map(avg_definition),
    Claim("m = n is the identity", identity, given=same_size),
    Claim("gradient mass is kept", mass),
    *same_op(
        "m | n is plain pooling",
        *(avg_definition, avg_pool.at_rank(2), in_windows, (c, iH, iW), multiples),
    ),
)

larger = x[c, tH, tW] > best
loop = {
    "best": (best, x[c, start(oH, H, mH), start(oW, W, mW)], If(larger, x[c, tH, tW], best)),
    "atH": (atH, start(oH, H, mH), If(larger, tH, atH)),
    "atW": (atW, start(oW, W, mW), If(larger, tW, atW)),
}
rowH, rowW = fold(atH, *window, **loop), fold(atW, *window, **loop)

max_definition = Op(
    "adaptive_max_pool2d",
    requires=requires,
    forward=Eq(y[c, oH, oW], maximum(x[c, tH, tW], *window)),
    jvp=Eq(y_dot[c, oH, oW], fold(x_dot[c, atH, atW], *window, **loop)),
    vjp=scatter(x_bar[c, rowH, rowW], y_bar[c, oH, oW], *everywhere),
    doc=(
        "The maximum over each of `mH` by `mW` bins that cover an image, whatever its size.\n\n"
        "TorchLean has it without rules. In PyTorch `adaptive_max_pool2d(x, (mH, mW))`."
    ),
)

adaptive_max_pool2d = max_definition.claiming(
    *claims,
    Claim(
        "the loop computes the maximum",
        ForAll(Eq(y[c, oH, oW], fold(best, *window, **loop)), *everywhere),
    ),
    Claim(
        "the loop picks the first winner",
        ForAll(winner((rowH, rowW), x[c, tH, tW], *window), *everywhere),
    ),
    *first_winner_claims(
        max_definition, (c, iH, iW), (c, tH, tW), {C: 1, H: 1, W: 2, mH: 1, mW: 1}
    ),
    Claim("m = n is the identity", identity, given=same_size),
    Claim("gradient mass is kept", mass),
    *same_op(
        "m | n is plain pooling",
        *(max_definition, max_pool.at_rank(2), in_windows, (c, iH, iW), multiples),
    ),
)
