"""Scans: each cell of the output sums up or multiplies what came before it."""

from typing import Any

from gradproof.language import (
    Eq,
    If,
    Max,
    Min,
    Op,
    Prod,
    Sum,
    array,
    cotangent,
    exp,
    integers,
    log,
    reals,
    tangent,
    zero_padded,
)

R, N, r, i, o, j = integers("R N r i o j")
x, y = array("x", R, N), array("y", R, N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
requires = (R >= 1, N >= 1)
before, after = (i, 0, o), (o, i, N - 1)

cumsum = Op(
    "cumsum",
    requires=requires,
    forward=Eq(y[r, o], Sum(x[r, i], before)),
    jvp=Eq(y_dot[r, o], Sum(x_dot[r, i], before)),
    vjp=Eq(x_bar[r, i], Sum(y_bar[r, o], after)),
    doc="Running sums. PyTorch: `torch.cumsum`.",
)

exclusive_cumsum = Op(
    "exclusive_cumsum",
    requires=requires,
    forward=Eq(y[r, o], Sum(x[r, i], (i, 0, o - 1))),
    jvp=Eq(y_dot[r, o], Sum(x_dot[r, i], (i, 0, o - 1))),
    vjp=Eq(x_bar[r, i], Sum(y_bar[r, o], (o, i + 1, N - 1))),
    doc="Running sums without the cell itself. PyTorch: `torch.cumsum(x, -1) - x`.",
)

reverse_cumsum = Op(
    "reverse_cumsum",
    requires=requires,
    forward=Eq(y[r, o], Sum(x[r, i], (i, o, N - 1))),
    jvp=Eq(y_dot[r, o], Sum(x_dot[r, i], (i, o, N - 1))),
    vjp=Eq(x_bar[r, i], Sum(y_bar[r, o], (o, 0, i))),
    doc="Sums from each cell to the end. PyTorch: `x.flip(-1).cumsum(-1).flip(-1)`.",
)

logcumsumexp = Op(
    "logcumsumexp",
    requires=requires,
    forward=Eq(y[r, o], log(Sum(exp(x[r, i]), before))),
    jvp=Eq(
        y_dot[r, o],
        Sum(exp(x[r, i]) * x_dot[r, i], before) / Sum(exp(x[r, j]), (j, 0, o)),
    ),
    vjp=Eq(
        x_bar[r, i],
        Sum(y_bar[r, o] * exp(x[r, i]) / Sum(exp(x[r, j]), (j, 0, o)), after),
    ),
    doc="Logarithms of running sums of exponentials. PyTorch: `torch.logcumsumexp`.",
)

longer, steps = array("x", R, N + 1), array("y", R, N)

difference = Op(
    "difference",
    requires=requires,
    forward=Eq(steps[r, o], longer[r, o + 1] - longer[r, o]),
    jvp=Eq(tangent(steps)[r, o], tangent(longer)[r, o + 1] - tangent(longer)[r, o]),
    vjp=Eq(
        cotangent(longer)[r, i],
        zero_padded(cotangent(steps))[r, i - 1] - zero_padded(cotangent(steps))[r, i],
    ),
    doc="From each cell to the next. PyTorch: `torch.diff`.",
)

others = Prod(x[r, j], (j, 0, i - 1)) * Prod(x[r, j], (j, i + 1, o))

cumprod_by_others = Op(
    "cumprod_by_others",
    requires=requires,
    forward=Eq(y[r, o], Prod(x[r, i], before)),
    jvp=Eq(y_dot[r, o], Sum(others * x_dot[r, i], before)),
    vjp=Eq(x_bar[r, i], Sum(others * y_bar[r, o], after)),
    doc="Running products, by the product of the others. PyTorch: `torch.cumprod`.",
)

# Recurrences: each state from the one before it, and cotangents from the last one back.


def last(array: Any, first: Any = 0) -> Any:
    """The cell before this one; before the first there is `first`."""
    return If(o > 0, zero_padded(array)[r, o - 1], first)


all_bar = cotangent(y, "all")
later = zero_padded(all_bar)[r, o + 1]

cumprod = Op(
    "cumprod",
    requires=requires,
    forward=Eq(y[r, o], x[r, o] * last(y, 1)),
    jvp=Eq(y_dot[r, o], x_dot[r, o] * last(y, 1) + x[r, o] * last(y_dot)),
    vjp=(
        Eq(all_bar[r, o], y_bar[r, o] + zero_padded(x)[r, o + 1] * later),
        Eq(x_bar[r, o], last(y, 1) * all_bar[r, o]),
    ),
    doc="Running products, zeros among them or not. PyTorch: `torch.cumprod`.",
)

decay, decay_dot, decay_bar = (
    array("a", R, N),
    tangent(array("a", R, N)),
    cotangent(array("a", R, N)),
)

linear_scan = Op(
    "linear_scan",
    requires=requires,
    forward=Eq(y[r, o], decay[r, o] * last(y) + x[r, o]),
    jvp=Eq(y_dot[r, o], decay_dot[r, o] * last(y) + decay[r, o] * last(y_dot) + x_dot[r, o]),
    vjp=(
        Eq(all_bar[r, o], y_bar[r, o] + zero_padded(decay)[r, o + 1] * later),
        Eq(x_bar[r, o], all_bar[r, o]),
        Eq(decay_bar[r, o], all_bar[r, o] * last(y)),
    ),
    doc="A state that decays and takes in an input at each step. "
    "JAX: `lax.associative_scan` of `(a, x)`.",
)

keep = reals("keep")

moving_average = Op(
    "moving_average",
    requires=(*requires, keep >= 0, keep <= 1),
    forward=Eq(y[r, o], keep * last(y) + (1 - keep) * x[r, o]),
    jvp=Eq(y_dot[r, o], keep * last(y_dot) + (1 - keep) * x_dot[r, o]),
    vjp=(
        Eq(all_bar[r, o], y_bar[r, o] + keep * later),
        Eq(x_bar[r, o], (1 - keep) * all_bar[r, o]),
    ),
    doc="An exponential moving average that starts at 0. "
    "JAX: `lax.scan(lambda y, x: (keep * y + (1 - keep) * x,) * 2, 0, x)`.",
)

# Steps that choose: what they compare is told apart where no step compares equals.

running_max = Op(
    "running_max",
    requires=requires,
    forward=Eq(y[r, o], If(o > 0, Max(zero_padded(y)[r, o - 1], x[r, o]), x[r, o])),
    jvp=Eq(
        y_dot[r, o],
        If(
            (o > 0) & (zero_padded(y)[r, o - 1] > x[r, o]),
            zero_padded(y_dot)[r, o - 1],
            x_dot[r, o],
        ),
    ),
    vjp=(
        Eq(all_bar[r, o], y_bar[r, o] + If(y[r, o] > zero_padded(x)[r, o + 1], later, 0)),
        Eq(
            x_bar[r, o],
            If((o > 0) & (zero_padded(y)[r, o - 1] > x[r, o]), 0, all_bar[r, o]),
        ),
    ),
    doc="The largest so far. PyTorch: `torch.cummax(x, -1).values`.",
)

low, high = reals("low high")
inside = (low < y[r, o]) & (y[r, o] < high)
later_inside = (low < zero_padded(y)[r, o + 1]) & (zero_padded(y)[r, o + 1] < high)

clamped_scan = Op(
    "clamped_scan",
    requires=(*requires, low < high),
    forward=Eq(y[r, o], Min(Max(decay[r, o] * last(y) + x[r, o], low), high)),
    vjp=(
        Eq(
            all_bar[r, o],
            y_bar[r, o] + If(later_inside, zero_padded(decay)[r, o + 1] * later, 0),
        ),
        Eq(x_bar[r, o], If(inside, all_bar[r, o], 0)),
        Eq(decay_bar[r, o], If(inside, all_bar[r, o] * last(y), 0)),
    ),
    doc="A scan whose state stays within bounds, as of an integrator that saturates.",
)
