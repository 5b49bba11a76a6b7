"""Padded pooling of images: the maximum ignores padding, the mean counts it as zeros."""

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    If,
    Op,
    Sum,
    array,
    call,
    cotangent,
    fold,
    implies,
    inside,
    integers,
    maximum,
    on_axis,
    reals,
    scatter,
    tangent,
    winner,
    zero_padded,
)
from gradproof.specs import spatial
from gradproof.specs.avg_pool import avg_pool
from gradproof.specs.max_pool import max_pool
from gradproof.specs.plane import C, H, W, at_rank_2, c, channels, kH, kW, p, padded, places, s
from gradproof.specs.plane import inputs as cells
from gradproof.specs.pool2d import avg_pool2d, max_pool2d
from gradproof.specs.relations import linear_map, per_channel, same_op
from gradproof.specs.single import avg_padded, max_padded
from gradproof.specs.ties import empty_window_claims, first_winner_claims
from gradproof.specs.unpad import unpad

has, atH, atW = integers("has atH atW")
best = reals("best")
oH, oW = padded.outputs
iH, iW = cells
jH, jW = places
window, is_real = padded.window, padded.is_real
everywhere = (channels, *padded.outputs_over)

x, y = array("x", C, H, W), array("y", C, *padded.size)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
here = (c, s * oH + jH - p, s * oW + jW - p)
mass = ForAll(
    Eq(Sum(x_bar[c, iH, iW], *padded.inputs_over), Sum(y_bar[c, oH, oW], *padded.outputs_over)),
    channels,
)

take = is_real & (Eq(has, 0) | (x[here] > best))
loop = {
    "has": (has, 0, If(is_real, 1, has)),
    "best": (best, 0, If(take, x[here], best)),
    "atH": (atH, 0, If(take, jH, atH)),
    "atW": (atW, 0, If(take, jW, atW)),
}
found = fold(has, *window, **loop)
rowH, rowW = fold(atH, *window, **loop), fold(atW, *window, **loop)

max_definition = Op(
    "max_pool2d_pad",
    requires=padded.requires,
    windows=padded.windows,
    forward=Eq(y[c, oH, oW], maximum(x[here], *window, where=is_real)),
    jvp=Eq(
        y_dot[c, oH, oW],
        fold(If(Eq(has, 1), x_dot[c, s * oH + atH - p, s * oW + atW - p], 0), *window, **loop),
    ),
    vjp=scatter(
        x_bar[c, s * oH + rowH - p, s * oW + rowW - p],
        y_bar[c, oH, oW],
        *everywhere,
        where=Eq(found, 1),
    ),
    doc=(
        "The maximum over each `kH` by `kW` window of an image; padding is ignored.\n\n"
        "TorchLean's `maxPool2dPad`. In PyTorch `max_pool2d(x, (kH, kW), s, p)`, "
        "which asks for `p ≤ k/2`."
    ),
)
zeros = ForAll(Eq(y[c, oH, oW], maximum(zero_padded(x)[here], *window)), *everywhere)

max_pool2d_pad = max_definition.claiming(
    *padded.claims,
    *same_op("each channel alone", max_definition, max_padded, {}, (c, iH, iW), **per_channel(c)),
    *same_op("N-D at rank 2", max_definition, max_pool.at_rank(2), at_rank_2(p), (c, iH, iW)),
    *same_op("p = 0 is unpadded", max_definition, max_pool2d, {}, (c, iH, iW), given=(Eq(p, 0),)),
    Claim(
        "the loop computes the maximum",
        ForAll(Eq(y[c, oH, oW], fold(If(Eq(has, 1), best, 0), *window, **loop)), *everywhere),
    ),
    Claim(
        "the loop picks the first winner",
        ForAll(
            implies(Eq(found, 1), winner((rowH, rowW), x[here], *window, where=is_real)),
            *everywhere,
        ),
    ),
    *first_winner_claims(
        max_definition,
        (c, iH, iW),
        here,
        {C: 1, H: 1, W: 2, kH: 1, kW: 2, s: 1, p: 0},
        every=False,  # it is proved, by questions that differ from run to run: tests/attacks has it
    ),
    *empty_window_claims(max_definition),
    Claim("p < k: gradient mass is kept", mass, given=(p < kH, p < kW)),
    Claim("unpadded: padding is zeros", zeros, given=(Eq(p, 0),)),
    Claim(
        "padding is zeros",
        zeros,
        refuted={C: 1, H: 1, W: 1, kH: 1, kW: 2, s: 1, p: 1},
        why=(
            "A kernel that pads its input with zeros computes this; where all values are "
            "negative it is another op."
        ),
        twin="unpadded: padding is zeros",
    ),
)

# As in the source: the backward of the unpadded op on the padded image, then unpadded.
x_bar_unpad = cotangent(x, "unpad")
padded_image = call(
    avg_pool2d,
    {H: H + 2 * p, W: W + 2 * p},
    {cotangent(avg_pool2d.output): lambda *at: y_bar[at]},
    "x_bar",
)
image_unpad = unpad.at_rank(2)
one_padding = {on_axis(spatial.p, axis): p for axis in (1, 2)}
unpadded = call(
    image_unpad,
    {on_axis(spatial.n, 1): H, on_axis(spatial.n, 2): W, **one_padding},
    {image_unpad.inputs[0]: lambda *at: padded_image[at]},
)

avg_definition = Op(
    "avg_pool2d_pad",
    requires=padded.requires,
    windows=padded.windows,
    forward=Eq(y[c, oH, oW], Sum(zero_padded(x)[here], *window) / (kH * kW)),
    jvp=Eq(y_dot[c, oH, oW], Sum(zero_padded(x_dot)[here], *window) / (kH * kW)),
    vjp=(
        scatter(
            x_bar[here],
            y_bar[c, oH, oW] / (kH * kW),
            *everywhere,
            *window,
            where=inside(here[1:], (H, W)),
        ),
        Eq(x_bar_unpad[c, iH, iW], unpadded[c, iH, iW]),
    ),
    doc=(
        "The mean over each `kH` by `kW` window of an image; padding counts as zeros.\n\n"
        "TorchLean's `avgPool2dPad`. In PyTorch `avg_pool2d(x, (kH, kW), s, p)`."
    ),
)

avg_pool2d_pad = avg_definition.claiming(
    *padded.claims,
    *same_op("each channel alone", avg_definition, avg_padded, {}, (c, iH, iW), **per_channel(c)),
    *same_op("N-D at rank 2", avg_definition, avg_pool.at_rank(2), at_rank_2(p), (c, iH, iW)),
    *same_op("p = 0 is unpadded", avg_definition, avg_pool2d, {}, (c, iH, iW), given=(Eq(p, 0),)),
    linear_map(avg_definition),
    Claim(
        "unpad at rank 2 with one padding reads the image p cells further",
        ForAll(
            Eq(unpadded[c, iH, iW], padded_image[c, iH + p, iW + p]),
            *(channels, *padded.inputs_over),
        ),
    ),
    Claim(
        "the two VJPs agree",
        ForAll(Eq(x_bar[c, iH, iW], x_bar_unpad[c, iH, iW]), channels, *padded.inputs_over),
    ),
    Claim("unpadded: gradient mass is kept", mass, given=(Eq(p, 0),)),
    Claim(
        "padded: gradient mass is kept",
        mass,
        refuted={C: 1, H: 1, W: 1, kH: 1, kW: 1, s: 1, p: 1},
        why="A mean passes its whole gradient on, one thinks; what falls on padding is lost.",
        twin="unpadded: gradient mass is kept",
    ),
)
