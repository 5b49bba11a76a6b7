"""Pooling of one channel, written out: what each op must be on every channel."""

from gradproof.language import (
    Eq,
    If,
    Ne,
    Op,
    Sum,
    array,
    axes,
    bracket,
    cotangent,
    exp,
    fold,
    integers,
    log,
    maximum,
    product,
    reals,
    scatter,
    tangent,
    winner,
    zero_padded,
)
from gradproof.specs import spatial
from gradproof.specs.plane import H, W, inputs, kH, kW, p, places, s
from gradproof.specs.plane import padded as with_padding
from gradproof.specs.plane import unpadded as without

has, atH, atW, wH, wW = integers("has atH atW wH wW")
best, beta = reals("best beta")
at, w = axes("at w")

# Any rank.

n, k, m, cell, window = spatial.n, spatial.k, spatial.m, spatial.cell, spatial.window
i, o, is_real = spatial.i, spatial.o, spatial.is_real
u, v = array("u", n), array("v", m)
u_dot, v_dot, u_bar, v_bar = tangent(u), tangent(v), cotangent(u), cotangent(v)
place = i + spatial.p - spatial.s * o  # of cell i in window o
wins = bracket(winner(place, u[cell], window, where=is_real))

max_channel = Op(
    "max_pool_channel",
    requires=spatial.requires,
    forward=Eq(v[o], maximum(u[cell], window, where=is_real)),
    jvp=Eq(v_dot[o], Sum(wins * u_dot[i], (i, 0, n - 1))),
    vjp=Eq(u_bar[i], Sum(wins * v_bar[o], spatial.covering)),
)

avg_channel = Op(
    "avg_pool_channel",
    requires=spatial.requires,
    forward=Eq(v[o], Sum(zero_padded(u)[cell], window) / product(k)),
    jvp=Eq(v_dot[o], Sum(zero_padded(u_dot)[cell], window) / product(k)),
    vjp=Eq(u_bar[i], Sum(v_bar[o], spatial.covering) / product(k)),
)

mass = Sum(exp(beta * zero_padded(u)[spatial.s * o + w - spatial.p]), (w, 0, k - 1))
smooth_channel = Op(
    "smooth_max_pool_channel",
    requires=(*spatial.requires, Ne(beta, 0)),
    forward=Eq(v[o], log(Sum(exp(beta * zero_padded(u)[cell]), window)) / beta),
    jvp=Eq(
        v_dot[o], Sum(exp(beta * zero_padded(u)[cell]) * zero_padded(u_dot)[cell] / mass, window)
    ),
    vjp=Eq(u_bar[i], Sum(exp(beta * u[i]) * v_bar[o] / mass, spatial.covering)),
)

# Images.

iH, iW = inputs
jH, jW = places
oH, oW = without.outputs
image, pooled = array("u", H, W), array("v", *without.size)
image_dot, pooled_dot = tangent(image), tangent(pooled)
image_bar, pooled_bar = cotangent(image), cotangent(pooled)
here = (s * oH + jH, s * oW + jW)
larger = image[here] > best
loop = {
    "best": (best, image[s * oH, s * oW], If(larger, image[here], best)),
    "atH": (atH, 0, If(larger, jH, atH)),
    "atW": (atW, 0, If(larger, jW, atW)),
}

max_image = Op(
    "max_pool2d_channel",
    requires=without.requires,
    forward=Eq(pooled[oH, oW], maximum(image[here], *without.window)),
    jvp=Eq(
        pooled_dot[oH, oW], fold(image_dot[s * oH + atH, s * oW + atW], *without.window, **loop)
    ),
    vjp=scatter(
        image_bar[
            s * oH + fold(atH, *without.window, **loop), s * oW + fold(atW, *without.window, **loop)
        ],
        pooled_bar[oH, oW],
        *without.outputs_over,
    ),
)

avg_image = Op(
    "avg_pool2d_channel",
    requires=without.requires,
    forward=Eq(pooled[oH, oW], Sum(image[here], *without.window) / (kH * kW)),
    jvp=Eq(pooled_dot[oH, oW], Sum(image_dot[here], *without.window) / (kH * kW)),
    vjp=Eq(image_bar[iH, iW], Sum(pooled_bar[oH, oW], *without.covering) / (kH * kW)),
)

total = Sum(exp(beta * image[s * oH + wH, s * oW + wW]), (wH, 0, kH - 1), (wW, 0, kW - 1))
smooth_image = Op(
    "smooth_max_pool2d_channel",
    requires=(*without.requires, Ne(beta, 0)),
    forward=Eq(pooled[oH, oW], log(Sum(exp(beta * image[here]), *without.window)) / beta),
    jvp=Eq(
        pooled_dot[oH, oW],
        Sum(exp(beta * image[here]) * image_dot[here] / total, *without.window),
    ),
    vjp=Eq(
        image_bar[iH, iW],
        Sum(exp(beta * image[iH, iW]) * pooled_bar[oH, oW] / total, *without.covering),
    ),
)

# Padded images.

padded = array("v", *with_padding.size)
padded_dot, padded_bar = tangent(padded), cotangent(padded)
there = (s * oH + jH - p, s * oW + jW - p)
real = with_padding.is_real
spot = (iH + p - s * oH, iW + p - s * oW)
chosen = bracket(winner(spot, image[there], *with_padding.window, where=real))

max_padded = Op(
    "max_pool2d_pad_channel",
    requires=with_padding.requires,
    forward=Eq(padded[oH, oW], maximum(image[there], *with_padding.window, where=real)),
    jvp=Eq(padded_dot[oH, oW], Sum(chosen * image_dot[iH, iW], *with_padding.inputs_over)),
    vjp=Eq(image_bar[iH, iW], Sum(chosen * padded_bar[oH, oW], *with_padding.covering)),
)

avg_padded = Op(
    "avg_pool2d_pad_channel",
    requires=with_padding.requires,
    forward=Eq(padded[oH, oW], Sum(zero_padded(image)[there], *with_padding.window) / (kH * kW)),
    jvp=Eq(
        padded_dot[oH, oW], Sum(zero_padded(image_dot)[there], *with_padding.window) / (kH * kW)
    ),
    vjp=Eq(image_bar[iH, iW], Sum(padded_bar[oH, oW], *with_padding.covering) / (kH * kW)),
)
