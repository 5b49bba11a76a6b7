"""The softmax family, on the rows of a matrix; rules use the result where people keep it."""

from typing import Any

from gradproof.language import (
    And,
    Claim,
    Eq,
    ForAll,
    If,
    Max,
    Op,
    Sum,
    array,
    cotangent,
    exp,
    integers,
    log,
    maximum,
    reals,
    tangent,
    zero_padded,
)

R, N, r, i, j, k = integers("R N r i j k")
T = reals("T")
x, y = array("x", R, N), array("y", R, N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
row = (j, 0, N - 1)
cells = ((r, 0, R - 1), (i, 0, N - 1))
requires = (R >= 1, N >= 1)
largest = maximum(x[r, k], (k, 0, N - 1))
total = Sum(exp(x[r, j]), row)


def through_softmax(v: Any) -> Any:
    return y[r, i] * (v[r, i] - Sum(y[r, j] * v[r, j], row))


lowered = Sum(exp(x[r, j] - largest), row)

softmax = Op(
    "softmax",
    requires=requires,
    forward=Eq(y[r, i], exp(x[r, i]) / total),
    jvp=Eq(y_dot[r, i], through_softmax(x_dot)),
    vjp=Eq(x_bar[r, i], through_softmax(y_bar)),
    claims=(
        Claim(
            "subtracting the maximum changes nothing",
            ForAll(Eq(y[r, i], exp(x[r, i] - largest) / lowered), *cells),
        ),
        Claim("each row sums to 1", ForAll(Eq(Sum(y[r, i], cells[1]), 1), cells[0])),
    ),
    doc="Exponentials of a row, divided by their sum. PyTorch: `nn.functional.softmax`.",
)

softmin = Op(
    "softmin",
    requires=requires,
    forward=Eq(y[r, i], exp(-x[r, i]) / Sum(exp(-x[r, j]), row)),
    jvp=Eq(y_dot[r, i], -through_softmax(x_dot)),
    vjp=Eq(x_bar[r, i], -through_softmax(y_bar)),
    doc="Softmax of -x. PyTorch: `nn.functional.softmin`.",
)

softmax_with_temperature = Op(
    "softmax_with_temperature",
    requires=(*requires, T > 0),
    forward=Eq(y[r, i], exp(x[r, i] / T) / Sum(exp(x[r, j] / T), row)),
    jvp=Eq(y_dot[r, i], through_softmax(x_dot) / T),
    vjp=Eq(x_bar[r, i], through_softmax(y_bar) / T),
    doc="Softmax of x/T. PyTorch: `nn.functional.softmax(x / T)`.",
)

log_softmax = Op(
    "log_softmax",
    requires=requires,
    forward=Eq(y[r, i], x[r, i] - log(total)),
    jvp=Eq(y_dot[r, i], x_dot[r, i] - Sum(exp(y[r, j]) * x_dot[r, j], row)),
    vjp=Eq(x_bar[r, i], y_bar[r, i] - exp(y[r, i]) * Sum(y_bar[r, j], row)),
    claims=(
        Claim(
            "subtracting the maximum changes nothing",
            ForAll(Eq(y[r, i], x[r, i] - largest - log(lowered)), *cells),
        ),
    ),
    doc="The logarithm of softmax. PyTorch: `nn.functional.log_softmax`.",
)

whole = array("y", R)
chance = exp(x[r, i]) / total

logsumexp = Op(
    "logsumexp",
    requires=requires,
    forward=Eq(whole[r], log(total)),
    jvp=Eq(tangent(whole)[r], Sum(chance * x_dot[r, i], cells[1])),
    vjp=Eq(x_bar[r, i], chance * cotangent(whole)[r]),
    claims=(
        Claim(
            "subtracting the maximum and adding it back changes nothing",
            ForAll(Eq(whole[r], largest + log(lowered)), cells[0]),
        ),
    ),
    doc="The logarithm of a sum of exponentials. PyTorch: `torch.logsumexp`.",
)

# Online: what a loop keeps of the cells before, and how a block is taken in, as in flash attention.

A, B, a, b, w, v = integers("A B a b w v")
early, late, mass = array("early", R, A), array("late", R, B), array("y", R)
first, second = (a, 0, A - 1), (b, 0, B - 1)
m1 = maximum(early[r, w], (w, 0, A - 1))
m2 = maximum(late[r, v], (v, 0, B - 1))
highest = Max(m1, m2)
kept = Sum(exp(early[r, a] - m1), first) * exp(m1 - highest)
taken = Sum(exp(late[r, b] - m2), second) * exp(m2 - highest)
both = Sum(exp(early[r, a]), first) + Sum(exp(late[r, b]), second)

online_logsumexp = Op(
    "online_logsumexp",
    requires=(R >= 1, A >= 1, B >= 1),
    forward=Eq(mass[r], log(both)),
    jvp=Eq(
        tangent(mass)[r],
        Sum(exp(early[r, a] - mass[r]) * tangent(early)[r, a], first)
        + Sum(exp(late[r, b] - mass[r]) * tangent(late)[r, b], second),
    ),
    vjp=(
        Eq(cotangent(early)[r, a], exp(early[r, a] - mass[r]) * cotangent(mass)[r]),
        Eq(cotangent(late)[r, b], exp(late[r, b] - mass[r]) * cotangent(mass)[r]),
    ),
    claims=(
        Claim(
            "a block is taken in by scaling what was kept",
            ForAll(Eq(both, exp(highest) * (kept + taken)), (r, 0, R - 1)),
        ),
    ),
    doc="The normaliser of a row in two blocks, as flash attention goes through them. "
    "PyTorch: `torch.logsumexp(torch.cat((early, late), -1), -1)`.",
)

# One pass, cell by cell: the largest so far, and the mass so far, scaled to it.

o = integers("o")
most, so_far = array("most", R, N), array("mass", R, N)
most_bar, so_far_bar = cotangent(most), cotangent(so_far)
before, after = zero_padded(most)[r, o - 1], zero_padded(most)[r, o + 1]
after_x = zero_padded(x)[r, o + 1]
scaled = zero_padded(so_far_bar)[r, o + 1] * exp(most[r, o] - after)
pulled = Sum(y_bar[r, i] * y[r, i], cells[1])

online_softmax = Op(
    "online_softmax",
    requires=requires,
    let=(
        Eq(most[r, o], If(o > 0, Max(before, x[r, o]), x[r, o])),
        Eq(
            so_far[r, o],
            zero_padded(so_far)[r, o - 1] * exp(before - most[r, o]) + exp(x[r, o] - most[r, o]),
        ),
    ),
    forward=Eq(y[r, i], exp(x[r, i] - most[r, N - 1]) / so_far[r, N - 1]),
    vjp=(
        Eq(so_far_bar[r, o], If(Eq(o, N - 1), -pulled / so_far[r, o], scaled)),
        Eq(
            most_bar[r, o],
            If(
                Eq(o, N - 1),
                -pulled,
                scaled * so_far[r, o]
                + If(most[r, o] > after_x, zero_padded(most_bar)[r, o + 1], 0),
            )
            - so_far_bar[r, o] * so_far[r, o],
        ),
        Eq(
            x_bar[r, o],
            y_bar[r, o] * y[r, o]
            + so_far_bar[r, o] * exp(x[r, o] - most[r, o])
            + If((o > 0) & (before > x[r, o]), 0, most_bar[r, o]),
        ),
    ),
    claims=(
        Claim(
            "it is softmax",
            And(
                ForAll(
                    Eq(so_far[r, o], Sum(exp(x[r, j] - most[r, o]), (j, 0, o))),
                    (r, 0, R - 1),
                    (o, 0, N - 1),
                ),
                ForAll(Eq(y[r, i], exp(x[r, i]) / total), *cells),
            ),
        ),
        Claim(
            "the largest so far",
            ForAll(Eq(most[r, o], maximum(x[r, j], (j, 0, o))), (r, 0, R - 1), (o, 0, N - 1)),
        ),
    ),
    doc="Softmax in one pass: the largest so far, and a sum that is scaled whenever it changes. "
    "PyTorch: `nn.functional.softmax`.",
)
