"""Pooling of images without padding: maximum, mean and log-sum-exp over `kH` by `kW` windows."""

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    If,
    Ne,
    Op,
    Sum,
    array,
    call,
    cotangent,
    exp,
    fold,
    integers,
    log,
    maximum,
    reals,
    scatter,
    tangent,
    winner,
)
from gradproof.specs.avg_pool import avg_pool
from gradproof.specs.max_pool import max_pool
from gradproof.specs.plane import C, H, W, at_rank_2, c, channels, kH, kW, places, s, unpadded
from gradproof.specs.plane import inputs as cells
from gradproof.specs.relations import linear_map, per_channel, same_op
from gradproof.specs.single import avg_image, max_image, smooth_image
from gradproof.specs.smooth_max_pool import smooth_max_pool
from gradproof.specs.ties import first_winner_claims

atH, atW, wH, wW = integers("atH atW wH wW")
best, beta, a, eps = reals("best beta a eps")
oH, oW = unpadded.outputs
iH, iW = cells
jH, jW = places
window, windows_over = unpadded.window, unpadded.outputs_over
everywhere = (channels, *windows_over)

x, y = array("x", C, H, W), array("y", C, *unpadded.size)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
here = (c, s * oH + jH, s * oW + jW)
mass = ForAll(
    Eq(Sum(x_bar[c, iH, iW], *unpadded.inputs_over), Sum(y_bar[c, oH, oW], *windows_over)), channels
)

# best starts from the window's first cell; a later cell must be larger to replace it
loop = {
    "best": (best, x[c, s * oH, s * oW], If(x[here] > best, x[here], best)),
    "atH": (atH, 0, If(x[here] > best, jH, atH)),
    "atW": (atW, 0, If(x[here] > best, jW, atW)),
}
rowH, rowW = fold(atH, *window, **loop), fold(atW, *window, **loop)

max_definition = Op(
    "max_pool2d",
    requires=unpadded.requires,
    windows=unpadded.windows,
    forward=Eq(y[c, oH, oW], maximum(x[here], *window)),
    jvp=Eq(y_dot[c, oH, oW], fold(x_dot[c, s * oH + atH, s * oW + atW], *window, **loop)),
    vjp=scatter(x_bar[c, s * oH + rowH, s * oW + rowW], y_bar[c, oH, oW], *everywhere),
    doc=(
        "The maximum over each `kH` by `kW` window of an image, without padding.\n\n"
        "TorchLean's `maxPool2d`. In PyTorch `max_pool2d(x, (kH, kW), s)`."
    ),
)

max_pool2d = max_definition.claiming(
    *unpadded.claims,
    *same_op("each channel alone", max_definition, max_image, {}, (c, iH, iW), **per_channel(c)),
    *same_op("N-D at rank 2", max_definition, max_pool.at_rank(2), at_rank_2(0), (c, iH, iW)),
    Claim(
        "the loop computes the maximum",
        ForAll(Eq(y[c, oH, oW], fold(best, *window, **loop)), *everywhere),
    ),
    Claim(
        "the loop picks the first winner",
        ForAll(winner((rowH, rowW), x[here], *window), *everywhere),
    ),
    Claim("gradient mass is kept", mass),
    *first_winner_claims(max_definition, (c, iH, iW), here, {C: 1, H: 1, W: 2, kH: 1, kW: 2, s: 1}),
)

avg_definition = Op(
    "avg_pool2d",
    requires=unpadded.requires,
    windows=unpadded.windows,
    forward=Eq(y[c, oH, oW], Sum(x[here], *window) / (kH * kW)),
    jvp=Eq(y_dot[c, oH, oW], Sum(x_dot[here], *window) / (kH * kW)),
    vjp=scatter(x_bar[here], y_bar[c, oH, oW] / (kH * kW), *everywhere, *window),
    doc=(
        "The mean over each `kH` by `kW` window of an image, without padding.\n\n"
        "TorchLean's `avgPool2d`. In PyTorch `avg_pool2d(x, (kH, kW), s)`."
    ),
)

avg_pool2d = avg_definition.claiming(
    *unpadded.claims,
    *same_op("each channel alone", avg_definition, avg_image, {}, (c, iH, iW), **per_channel(c)),
    *same_op("N-D at rank 2", avg_definition, avg_pool.at_rank(2), at_rank_2(0), (c, iH, iW)),
    linear_map(avg_definition),
    Claim("gradient mass is kept", mass),
)

total = Sum(exp(beta * x[c, s * oH + wH, s * oW + wW]), (wH, 0, kH - 1), (wW, 0, kW - 1))
weight = exp(beta * x[here]) / total

smooth_definition = Op(
    "smooth_max_pool2d",
    requires=(*unpadded.requires, Ne(beta, 0)),
    windows=unpadded.windows,
    forward=Eq(y[c, oH, oW], log(Sum(exp(beta * x[here]), *window)) / beta),
    jvp=Eq(y_dot[c, oH, oW], Sum(weight * x_dot[here], *window)),
    vjp=scatter(x_bar[here], y_bar[c, oH, oW] * weight, *everywhere, *window),
    doc=(
        "Log-sum-exp over each `kH` by `kW` window of an image: a smooth maximum.\n\n"
        "TorchLean's `smoothMaxPool2d`. PyTorch has no such op: it is `logsumexp` over windows."
    ),
)

largest = maximum(x[here], *window)
top = maximum(x[c, s * oH + wH, s * oW + wW], (wH, 0, kH - 1), (wW, 0, kW - 1))
lowered = Sum(exp(beta * (x[here] - top)), *window)
below = ForAll(largest <= y[c, oH, oW], *everywhere)
shifted = call(smooth_definition, {}, {x: lambda *at: x[at] + a})

smooth_max_pool2d = smooth_definition.claiming(
    *unpadded.claims,
    *same_op(
        "each channel alone", smooth_definition, smooth_image, {}, (c, iH, iW), **per_channel(c)
    ),
    *same_op(
        "N-D at rank 2", smooth_definition, smooth_max_pool.at_rank(2), at_rank_2(0), (c, iH, iW)
    ),
    Claim("weights are positive", ForAll(weight > 0, *everywhere, *window)),
    Claim("weights sum to 1", ForAll(Eq(Sum(weight, *window), 1), *everywhere)),
    Claim("β > 0: max ≤ smooth", below, given=(beta > 0,)),
    Claim(
        "max ≤ smooth",
        below,
        refuted={C: 1, H: 1, W: 2, kH: 1, kW: 2, s: 1, beta: -1},
        why=(
            "Log-sum-exp is known as an upper bound of the maximum; for β below 0 it bounds the "
            "minimum."
        ),
        twin="β > 0: max ≤ smooth",
    ),
    Claim(
        "β > 0: smooth ≤ max + log(K)/β",
        ForAll(y[c, oH, oW] <= largest + log(kH * kW) / beta, *everywhere),
        given=(beta > 0,),
    ),
    Claim(
        "the limit for β → ∞ is max pooling, by squeezing",
        ForAll(
            (largest <= y[c, oH, oW] + eps) & (y[c, oH, oW] <= largest + eps),
            *everywhere,
        ),
        given=(beta > 0, eps > 0, beta * eps >= log(kH * kW)),
    ),
    Claim(
        "stable: subtracting the maximum and adding it back changes nothing",
        ForAll(Eq(y[c, oH, oW], top + log(lowered) / beta), *everywhere),
    ),
    Claim(
        "smooth(x + a) = smooth(x) + a",
        ForAll(Eq(shifted[c, oH, oW], y[c, oH, oW] + a), *everywhere),
        symbols=(a,),
    ),
    Claim("gradient mass is kept", mass),
)
