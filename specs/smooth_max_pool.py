"""Smooth max pooling: log-sum-exp over each window; padding enters as exp(0).

TorchLean's `smoothMaxPool`. PyTorch has no such op: it is `logsumexp` over windows, of β times the
values, divided by β.
"""

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    Ne,
    Op,
    Sum,
    array,
    axes,
    call,
    cotangent,
    exp,
    integers,
    log,
    maximum,
    product,
    reals,
    tangent,
    zero_padded,
)
from gradproof.specs import spatial
from gradproof.specs.relations import per_channel, same_op
from gradproof.specs.single import smooth_channel
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
w = axes("w")  # place in the window, in the denominator
beta, a, eps = reals("beta a eps")
x, y = array("x", C, n), array("y", C, m)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
channels = (c, 0, C - 1)
everywhere = (channels, outputs_over)

total = Sum(exp(beta * zero_padded(x)[c, s * o + w - p]), (w, 0, k - 1))
weight = exp(beta * zero_padded(x)[c, cell]) / total

definition = Op(
    "smooth_max_pool",
    requires=(*spatial.requires, Ne(beta, 0)),
    windows=spatial.windows,
    forward=Eq(y[c, o], log(Sum(exp(beta * zero_padded(x)[c, cell]), window)) / beta),
    jvp=Eq(y_dot[c, o], Sum(weight * zero_padded(x_dot)[c, cell], window)),
    vjp=Eq(x_bar[c, i], Sum(y_bar[c, o] * exp(beta * x[c, i]) / total, covering)),
    doc=__doc__,
)

unpadded, positive, close = Eq(p, 0), beta > 0, beta * eps >= log(product(k))
largest = maximum(x[c, cell], window, where=is_real)
below = ForAll(largest <= y[c, o], *everywhere)
above = ForAll(y[c, o] <= largest + log(product(k)) / beta, *everywhere)
within_eps = ForAll((largest <= y[c, o] + eps) & (y[c, o] <= largest + eps), *everywhere)
# The largest cell with padding as zeros, which is what enters into the sum.
entering = maximum(zero_padded(x)[c, s * o + w - p], (w, 0, k - 1))
zeros_are_padding = ForAll(Eq(entering, largest), *everywhere)
lowered = Sum(exp(beta * (zero_padded(x)[c, cell] - entering)), window)
shift = ForAll(Eq(call(definition, {}, {x: lambda *at: x[at] + a})[c, o], y[c, o] + a), *everywhere)

smooth_max_pool = definition.claiming(
    *spatial.claims,
    *same_op("each channel alone", definition, smooth_channel, {}, (c, i), **per_channel(c)),
    Claim("weights are positive", ForAll(weight > 0, *everywhere, window)),
    Claim("weights sum to 1", ForAll(Eq(Sum(weight, window), 1), *everywhere)),
    Claim("unpadded, β > 0: max ≤ smooth", below, given=(unpadded, positive)),
    Claim("unpadded, β > 0: smooth ≤ max + log(K)/β", above, given=(unpadded, positive)),
    Claim(
        "unpadded: the limit for β → ∞ is max pooling, by squeezing",
        within_eps,
        given=(unpadded, positive, eps > 0, close),
    ),
    Claim(
        "padded: within ε of max pooling from β = log(K)/ε on",
        within_eps,
        given=(positive, eps > 0, close),
        refuted={C: 1, n: 1, k: 2, s: 1, p: 1},
        why=(
            "The limit is that of max pooling without padding; padded zeros take part in the "
            "sum and may win."
        ),
        twin="unpadded: the limit for β → ∞ is max pooling, by squeezing",
    ),
    Claim(
        "β > 0: the limit for β → ∞ is the largest cell, padding as zeros, by squeezing",
        ForAll((entering <= y[c, o]) & (y[c, o] <= entering + log(product(k)) / beta), *everywhere),
        given=(positive,),
    ),
    Claim("unpadded: that limit is max pooling", zeros_are_padding, given=(unpadded,)),
    Claim(
        "padded: that limit is max pooling",
        zeros_are_padding,
        refuted={C: 1, n: 1, k: 2, s: 1, p: 1, beta: 1},
        why=(
            "The limit is that of max pooling without padding; padded zeros take part in the "
            "sum and may win."
        ),
        twin="unpadded: that limit is max pooling",
    ),
    Claim(
        "stable: subtracting the largest cell and adding it back changes nothing",
        ForAll(Eq(y[c, o], entering + log(lowered) / beta), *everywhere),
    ),
    Claim(
        "unpadded: max ≤ smooth",
        below,
        given=(unpadded,),
        refuted={C: 1, n: 2, k: 2, s: 1, p: 0, beta: -1},
        why=(
            "Log-sum-exp is known as an upper bound of the maximum; for β below 0 it bounds the "
            "minimum."
        ),
        twin="unpadded, β > 0: max ≤ smooth",
    ),
    Claim("unpadded: smooth(x + a) = smooth(x) + a", shift, given=(unpadded,), symbols=(a,)),
    Claim(
        "padded: smooth(x + a) = smooth(x) + a",
        shift,
        symbols=(a,),
        refuted={C: 1, n: 1, k: 1, s: 1, p: 1},
        why="It is how log-sum-exp is made stable; padded zeros are not shifted with the rest.",
        twin="unpadded: smooth(x + a) = smooth(x) + a",
    ),
    Claim(
        "unpadded: gradient mass is kept",
        ForAll(Eq(Sum(x_bar[c, i], inputs_over), Sum(y_bar[c, o], outputs_over)), channels),
        given=(unpadded,),
    ),
)
