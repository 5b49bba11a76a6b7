"""Average pooling: the mean over each window; padding adds zeros and is counted.

TorchLean's `avgPool`. In PyTorch `avg_pool1d` to `avg_pool3d` with `count_include_pad=True`, their
default; these also ask for `p ≤ k/2`.
"""

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    Op,
    Sum,
    array,
    cotangent,
    integers,
    product,
    scatter,
    tangent,
    zero_padded,
)
from gradproof.specs import spatial
from gradproof.specs.relations import linear_map, per_channel, same_op
from gradproof.specs.single import avg_channel
from gradproof.specs.spatial import (
    cell,
    covering,
    i,
    inputs_over,
    is_real,
    k,
    m,
    n,
    o,
    outputs_over,
    p,
    s,
    window,
)

C, c = integers("C c")
x, y = array("x", C, n), array("y", C, m)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
x_bar_scatter = cotangent(x, "scatter")
channels = (c, 0, C - 1)

definition = Op(
    "avg_pool",
    requires=spatial.requires,
    windows=spatial.windows,
    forward=Eq(y[c, o], Sum(zero_padded(x)[c, cell], window) / product(k)),
    jvp=Eq(y_dot[c, o], Sum(zero_padded(x_dot)[c, cell], window) / product(k)),
    vjp=(
        Eq(x_bar[c, i], Sum(y_bar[c, o], covering) / product(k)),
        scatter(
            x_bar_scatter[c, cell],
            y_bar[c, o] / product(k),
            *(channels, outputs_over, window),
            where=is_real,
        ),
    ),
    doc=__doc__,
)

mass = ForAll(Eq(Sum(x_bar[c, i], inputs_over), Sum(y_bar[c, o], outputs_over)), channels)

avg_pool = definition.claiming(
    *spatial.claims,
    *same_op("each channel alone", definition, avg_channel, {}, (c, i), **per_channel(c)),
    linear_map(definition),
    Claim(
        "the two VJPs agree",
        ForAll(Eq(x_bar[c, i], x_bar_scatter[c, i]), channels, inputs_over),
    ),
    Claim("unpadded: gradient mass is kept", mass, given=(Eq(p, 0),)),
    Claim(
        "padded: gradient mass is kept",
        mass,
        refuted={C: 1, n: 1, k: 1, s: 1, p: 1},
        why="A mean passes its whole gradient on, one thinks; what falls on padding is lost.",
        twin="unpadded: gradient mass is kept",
    ),
    Claim(
        spatial.NO_AXIS.format("the identity"),
        ForAll(Eq(y[c, o], x[c, o]), channels, outputs_over),
        given=spatial.no_axis,
    ),
    Claim(
        "n = 0: every mean is 0",
        ForAll(Eq(y[c, o], 0), channels, outputs_over),
        **spatial.no_cell,
    ),
)
