"""Rules that are wrong at a point alone, where a statement once was not made."""

from fractions import Fraction

import pytest

from gradproof.language import (
    Eq,
    If,
    Max,
    Op,
    Sum,
    array,
    bracket,
    cos,
    cotangent,
    count,
    exp,
    fold,
    function,
    integers,
    log,
    maximum,
    reals,
    sin,
    tangent,
    unique,
    winner,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

N, i, j, k = integers("N i j k")
x, y = array("x", N), array("y", N)
x_dot, y_dot = map(tangent, (x, y))
x_bar, y_bar = map(cotangent, (x, y))
X = x[i]
ZERO = Eq(X, 0)
ABOVE, BELOW = bracket(X > 0), bracket(X < 0)


def one(forward, slope):
    jvp, vjp = Eq(y_dot[i], slope * x_dot[i]), Eq(x_bar[i], slope * y_bar[i])
    return Op("one", Eq(y[i], forward), jvp, vjp, requires=(N >= 1,))


def statuses(op):
    """Of all that is asked of the op; what is waived is not."""
    return {str(settled(th, RLIMIT).status) for th in obligations(op) if not th.waived}


def at_zero(value, elsewhere):
    return If(ZERO, value, elsewhere)


ramp = function("ramp", lambda a: If(a > 0, 1, 0), value=lambda a: If(a > 0, a, 0))
soft = log(1 + exp(-abs(X))) + Max(X, 0)
logistic = exp(X) / (1 + exp(X))
knots = sum((-1) ** n * Max(X - n, 0) for n in range(5))
steps = sum((-1) ** n * bracket(n < X) for n in range(5))
one_place = (k, 0, 0)
state = reals("state")
added = fold(state, one_place, state=(state, 0, state + Max(X, 0) - Max(-X, 0)))
counted = X * count(X > 0, one_place) + X * count(X < 0, one_place)
summed = X * Sum(ABOVE, one_place) + X * Sum(BELOW, one_place)

# The value, the slope that is owed, and what was proved in its place at 0.
AT_ZERO = {
    "stable softplus": (soft, logistic, Fraction(-1, 2)),
    "cross entropy of logits": (soft - X / 3, logistic - Fraction(1, 3), Fraction(-5, 6)),
    "five knots": (knots, steps, 100),
    "a sine of a kink": (sin(Max(X, 0)), If(X > 0, cos(X), 0), 7),
    "a square of a kink": (Max(X, 0) ** 2, 2 * Max(X, 0), 7),
    "a product of kinks": (Max(X, 0) * Max(2 * X, 0), 4 * Max(X, 0), 7),
    "counts": (counted, 1, 0),
    "sums of brackets": (summed, 1, 0),
    "a loop that adds kinks": (added, 1, 0),
    "a function that branches": (ramp(X) - ramp(-X), 1, 0),
    "touched and not crossed": (If(X * X > 0, X, 0), 1, 0),
}


@pytest.mark.parametrize("name", AT_ZERO)
def test_a_slope_that_is_wrong_at_a_kink_alone_is_not_proved(name):
    """SOUNDNESS: each was proved with another slope at 0, since no theorem spoke of that point."""
    value, slope, wrong = AT_ZERO[name]
    assert statuses(one(value, slope)) == {"proved"}
    assert statuses(one(value, at_zero(wrong, slope))) - {"proved"} == {"refuted"}


def test_far_out_it_is_the_same():
    """SOUNDNESS: four knots, one of them at a million."""
    far = 10**6
    value = Max(X, 0) + Max(X - 1, 0) + Max(X - 2, 0) + Max(X - far, 0)
    slope = ABOVE + bracket(X > 1) + bracket(X > 2) + bracket(far < X)
    assert statuses(one(value, slope)) == {"proved"}
    assert "refuted" in statuses(one(value, slope + 7 * bracket(Eq(X, far))))


def largest_of(made, by_largest, weight):
    """An op of the largest cell, with rules that give a cell its weight of the derivative by it."""
    z, over = array("z"), (j, 0, N - 1)
    largest = maximum(x[j], over)
    slope = by_largest(largest)
    jvp = Eq(tangent(z)[()], Sum(slope * weight(j) * x_dot[j], over))
    vjp = Eq(x_bar[i], slope * weight(i) * cotangent(z)[()])
    return Op("largest", Eq(z[()], made(largest)), jvp, vjp, requires=(N >= 1,))


MADE = {
    "itself": (lambda m: m, lambda m: 1),
    "twice": (lambda m: 2 * m, lambda m: 2),
    "its exponential": (exp, exp),
    "its square": (lambda m: m**2, lambda m: 2 * m),
}


@pytest.mark.parametrize("name", MADE)
def test_all_winners_do_not_get_the_whole_weight(name):
    """SOUNDNESS: each winner with the whole weight was proved of what is made of a maximum."""
    over = (k, 0, N - 1)
    first = largest_of(*MADE[name], lambda at: bracket(winner(at, x[k], over)))
    every = largest_of(*MADE[name], lambda at: bracket(Eq(x[at], maximum(x[k], over))))
    assert statuses(first) == {"proved"}
    assert "refuted" in statuses(every)


def stable_logsumexp(at_ties):
    """log Σ exp with the maximum taken out; `at_ties` is added to the slope by the first cell."""
    z, over, again = array("z"), (j, 0, N - 1), (k, 0, N - 1)
    most, tied = maximum(x[j], over), ~unique(x[k], again)

    def slope(at):
        largest = maximum(x[k], again)
        part = exp(x[at] - largest) / Sum(exp(x[k] - largest), again)
        return part + at_ties * bracket(tied) * bracket(Eq(at, 0))

    forward = Eq(z[()], most + log(Sum(exp(x[j] - most), over)))
    jvp = Eq(tangent(z)[()], Sum(slope(j) * x_dot[j], over))
    vjp = Eq(x_bar[i], slope(i) * cotangent(z)[()])
    return Op("logsumexp", forward, jvp, vjp, requires=(N >= 1,))


def test_where_the_maximum_cancels_ties_make_no_difference():
    assert statuses(stable_logsumexp(0)) == {"proved"}
    assert "refuted" in statuses(stable_logsumexp(1))


def test_jvp_and_vjp_take_the_same():
    """SOUNDNESS: of |x| the JVP took 1 at 0, the VJP -1; both may, but not together."""
    up, down = If(X >= 0, 1, -1), If(X > 0, 1, -1)
    right = one(abs(X), up)
    mixed = Op(
        "mixed", Eq(y[i], abs(X)), Eq(y_dot[i], up * x_dot[i]), Eq(x_bar[i], down * y_bar[i])
    )
    assert statuses(right) == {"proved"}
    assert statuses(mixed) == {"proved", "refuted"}


def test_a_recurrence_owes_it_at_each_step():
    """SOUNDNESS: at a step that compares equals nothing was asked: 7 there was proved."""

    def ramps(slope):
        earlier = If(i > 0, y_dot[i - 1], 0)
        forward = Eq(y[i], Max(If(i > 0, y[i - 1], 0) + X, 0))
        return Op(
            "ramps", forward, Eq(y_dot[i], slope * (earlier + x_dot[i])), (), requires=(N >= 1,)
        )

    assert statuses(ramps(If(y[i] > 0, 1, 0))) == {"proved"}
    assert statuses(ramps(If(y[i] > 0, 1, 7))) != {"proved"}


def test_what_cannot_be_said_is_not_green():
    """SOUNDNESS: of a loop that keeps a state no theorem spoke at a kink."""
    kept = fold(state, (k, 0, 1), state=(state, 1, If(state < X, X, state)))
    assert "unsupported" in statuses(one(kept, bracket(X > 1)))
