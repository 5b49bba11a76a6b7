"""Max pooling: the largest real cell of each window, padding ignored; 0 for an empty window.

TorchLean's `maxPool`. In PyTorch `max_pool1d` to `max_pool3d`, which ask for `p ≤ k/2`, so that no
window lies in the padding altogether.
"""

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    If,
    Op,
    Sum,
    array,
    axes,
    cotangent,
    fold,
    implies,
    integers,
    maximum,
    reals,
    scatter,
    tangent,
    winner,
    zero_padded,
)
from gradproof.specs import spatial
from gradproof.specs.relations import per_channel, same_op
from gradproof.specs.single import max_channel
from gradproof.specs.spatial import (
    cell,
    i,
    inputs_over,
    is_real,
    j,
    k,
    m,
    n,
    o,
    outputs_over,
    p,
    s,
    window,
)
from gradproof.specs.ties import empty_window_claims, first_winner_claims

C, c, has = integers("C c has")
best, at = reals("best"), axes("at")
x, y = array("x", C, n), array("y", C, m)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
channels = (c, 0, C - 1)

# for j in the window: if the cell is real and nothing or less was found so far, take it
take = is_real & (Eq(has, 0) | (x[c, cell] > best))
loop = {
    "has": (has, 0, If(is_real, 1, has)),
    "best": (best, 0, If(take, x[c, cell], best)),
    "at": (at, 0, If(take, j, at)),
}
found, place = fold(has, window, **loop), fold(at, window, **loop)

definition = Op(
    "max_pool",
    requires=spatial.requires,
    windows=spatial.windows,
    forward=Eq(y[c, o], maximum(x[c, cell], window, where=is_real)),
    jvp=Eq(y_dot[c, o], fold(If(Eq(has, 1), x_dot[c, s * o + at - p], 0), window, **loop)),
    vjp=scatter(
        x_bar[c, s * o + place - p],
        y_bar[c, o],
        *(channels, outputs_over),
        where=Eq(found, 1),
    ),
    doc=__doc__,
)

everywhere = (channels, outputs_over)
zeros = ForAll(Eq(y[c, o], maximum(zero_padded(x)[c, cell], window)), *everywhere)

max_pool = definition.claiming(
    *spatial.claims,
    *same_op("each channel alone", definition, max_channel, {}, (c, i), **per_channel(c)),
    *first_winner_claims(definition, (c, i), (c, cell), {C: 1, n: 2, k: 2, s: 1, p: 0}),
    *empty_window_claims(definition),
    Claim(
        "the loop computes the maximum",
        ForAll(Eq(y[c, o], fold(If(Eq(has, 1), best, 0), window, **loop)), *everywhere),
    ),
    Claim(
        "the loop picks the first winner",
        ForAll(
            implies(Eq(found, 1), winner(place, x[c, cell], window, where=is_real)), *everywhere
        ),
    ),
    Claim(
        "p < k: gradient mass is kept",
        ForAll(Eq(Sum(x_bar[c, i], inputs_over), Sum(y_bar[c, o], outputs_over)), channels),
        given=(p < k,),
    ),
    Claim("unpadded: padding is zeros", zeros, given=(Eq(p, 0),)),
    Claim(
        "padding is zeros",
        zeros,
        refuted={C: 1, n: 1, k: 2, s: 1, p: 1},
        why=(
            "A kernel that pads its input with zeros computes this; where all values are "
            "negative it is another op."
        ),
        twin="unpadded: padding is zeros",
    ),
    Claim(
        spatial.NO_AXIS.format("the identity"),
        ForAll(Eq(y[c, o], x[c, o]) & Eq(y_dot[c, o], x_dot[c, o]), *everywhere),
        given=spatial.no_axis,
    ),
    Claim("n = 0: every window is empty", ForAll(Eq(y[c, o], 0), *everywhere), **spatial.no_cell),
)
