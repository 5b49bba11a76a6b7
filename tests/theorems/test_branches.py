"""Ops that branch on values: rules may say the branch in their own way, off the boundary."""

from fractions import Fraction

import pytest

from gradproof.language import (
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    integers,
    reals,
    tangent,
)
from gradproof.language.terms import arrays
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

N, i, j = integers("N i j")
a = reals("a")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
positive = x[i] > 0


def found(forward, jvp, vjp, requires=(N >= 1,)):
    op = Op("branch", Eq(y[i], forward), Eq(y_dot[i], jvp), Eq(x_bar[i], vjp), requires=requires)
    return [settled(th, RLIMIT) for th in obligations(op) if th.kind in ("jvp", "vjp")]


def on(condition, value):
    return If(condition, value, 0)


RIGHT = {
    "relu": (Max(x[i], 0), on(positive, x_dot[i]), on(positive, y_bar[i])),
    "relu, the boundary on the other side": (
        on(positive, x[i]),
        on(x[i] >= 0, x_dot[i]),
        bracket(x[i] >= 0) * y_bar[i],
    ),
    "absolute value": (
        abs(x[i]),
        If(positive, x_dot[i], -x_dot[i]),
        If(x[i] < 0, -y_bar[i], y_bar[i]),
    ),
    "clipped": (
        Min(Max(x[i], 0), 6),
        on(positive & (x[i] < 6), x_dot[i]),
        bracket(positive & (x[i] <= 6)) * y_bar[i],
    ),
}
WRONG = {
    "the other side": (Max(x[i], 0), on(x[i] < 0, x_dot[i]), on(x[i] < 0, y_bar[i])),
    "no branch": (Max(x[i], 0), x_dot[i], y_bar[i]),
    "a bound that is never whole": (Max(x[i], 1), on(positive, x_dot[i]), on(positive, y_bar[i])),
    "twice": (Max(x[i], 0), 2 * on(positive, x_dot[i]), 2 * on(positive, y_bar[i])),
    "clipped below only": (Min(Max(x[i], 0), 6), on(positive, x_dot[i]), on(positive, y_bar[i])),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_rule_is_proved_off_the_boundary(name):
    for finding in found(*RIGHT[name]):
        assert (finding.status, finding.scope) == ("proved", "all sizes, off the boundary")


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_refuted_off_the_boundary(name):
    for finding in found(*WRONG[name]):
        assert finding.status == "refuted"
        assert all(Fraction(v) for v in finding.counterexample.values.get("x", {}).values())


def test_a_cell_that_is_its_own_mirror_image_is_no_boundary():
    """At N = 1 the squares of both are one: a rule is tried there, and a wrong one is seen."""
    smaller = x[i] * x[i] <= x[N - 1 - i] * x[N - 1 - i]
    gated = bracket(smaller) * x[i]
    right = found(gated, bracket(smaller) * x_dot[i], bracket(smaller) * y_bar[i])
    assert [f.status for f in right] == ["proved"] * 2
    wrong = found(gated, bracket(N >= 2) * bracket(smaller) * x_dot[i], 0 * y_bar[i])
    assert [(f.status, f.counterexample.sizes) for f in wrong] == [("refuted", {"N": 1})] * 2


def test_a_slope_that_is_a_parameter():
    leaky = If(positive, x[i], a * x[i])
    right = If(positive, x_dot[i], a * x_dot[i]), If(x[i] < 0, a * y_bar[i], y_bar[i])
    assert [f.status for f in found(leaky, *right, (N >= 1, a > 0))] == ["proved"] * 2
    wrong = If(positive, x_dot[i], -a * x_dot[i]), If(x[i] < 0, y_bar[i], a * y_bar[i])
    assert [f.status for f in found(leaky, *wrong, (N >= 1, a > 0))] == ["refuted"] * 2


def test_a_branch_on_a_constant_has_no_boundary():
    mask = array("mask", N)
    kept = mask[i] > 0

    def masked(jvp, vjp):
        forward = Eq(y[i], on(kept, x[i]))
        rules = Eq(y_dot[i], on(jvp, x_dot[i])), Eq(x_bar[i], on(vjp, y_bar[i]))
        op = Op("masked", forward, *rules, requires=(N >= 1,), constants=(mask,))
        return [settled(th, RLIMIT) for th in obligations(op) if th.kind in ("jvp", "vjp")]

    right = masked(kept, kept)
    assert [(f.status, f.scope) for f in right] == [("proved", "all sizes")] * 2
    at_zero = mask[i] >= 0
    assert [f.status for f in masked(at_zero, at_zero)] == ["refuted"] * 2


def test_a_branch_within_a_sum_is_not_taken_for_granted():
    """A rule that is right only where some other cell is positive is refuted."""
    total = Sum(Max(x[j], 0), (j, 0, N - 1))
    one = array("t", 1)
    op = Op(
        "total",
        Eq(one[i], total),
        Eq(tangent(one)[i], Sum(If(x[j] > 0, x_dot[j], 0), (j, 0, N - 1))),
        Eq(x_bar[j], If(x[0] > 0, cotangent(one)[0], 0)),
        requires=(N >= 1,),
    )
    by_kind = {th.kind: settled(th, RLIMIT) for th in obligations(op) if th.kind in ("jvp", "vjp")}
    assert by_kind["jvp"].status == "proved"
    assert by_kind["vjp"].status == "refuted"


# Values between the thresholds of an op and those of its rule.

target = array("t", N)
apart, agreed = x[i] - target[i], target[i] * x[i]


def elementwise(forward, slope, requires=(N >= 1,)):
    """With a second operand, if it is read, that has no rules."""
    rules = Eq(y_dot[i], slope * x_dot[i]), Eq(x_bar[i], slope * y_bar[i])
    constants = (target,) if target in arrays(forward) else ()
    op = Op("elementwise", Eq(y[i], forward), *rules, requires, constants=constants)
    return [settled(th, RLIMIT) for th in obligations(op) if th.kind in ("jvp", "vjp")]


@pytest.mark.parametrize(
    ("forward", "slope", "value"),
    [
        (Max(0, 1 - x[i]), If(2 * x[i] > 1, 0, -1), "3/4"),
        (Max(0, 1 - agreed), If(agreed > 0, 0, -target[i]), "1/2"),
        (If(x[i] > 100, x[i], 2 * x[i]), If(x[i] > 101, 1, 2), "101"),
        (Min(x[i], 20), bracket(x[i] < 19), "39/2"),
    ],
    ids=["half the margin", "no margin", "far out", "between"],
)
def test_a_rule_that_turns_elsewhere_is_refuted_between(forward, slope, value):
    for finding in elementwise(forward, slope):
        assert (finding.status, finding.counterexample.sizes) == ("refuted", {"N": 1})
        assert finding.counterexample.values["x"] == {"[0]": value}


def test_a_branch_at_one_fraction_is_found():
    turning = Eq(3 * target[i], 7)
    for finding in elementwise(If(turning, 2 * x[i], x[i]), 1):
        assert finding.counterexample.values["t"] == {"[0]": "7/3"}


def test_a_difference_that_whole_numbers_put_on_the_boundary_is_tried_off_it():
    """Huber's loss: where cells are few whole numbers, many are as far apart as the threshold."""
    huber = If(abs(apart) <= a, apart**2 / 2, a * (abs(apart) - a / 2))
    clipped = Max(-a, Min(a, apart))
    for finding in elementwise(huber, clipped, (N >= 1, a > 0)):
        assert (finding.status, finding.scope) == ("proved", "all sizes, off the boundary")
    for finding in elementwise(huber, If(abs(apart) <= a, apart, 1), (N >= 1, a > 0)):
        assert finding.status == "refuted"


# Branches on sums.

one, weights = array("t", 1), array("w", N)
total, along = Sum(weights[j] * x[j], (j, 0, N - 1)), Sum(weights[j] * x_dot[j], (j, 0, N - 1))


def of_total(forward, jvp, vjp):
    """One output of all cells, and the rules that take it to x."""
    rules = Eq(tangent(one)[i], jvp), Eq(x_bar[j], vjp)
    op = Op("of_total", Eq(one[i], forward), *rules, requires=(N >= 1,), constants=(weights,))
    return [settled(th, RLIMIT) for th in obligations(op) if th.kind in ("jvp", "vjp")]


@pytest.mark.parametrize("passes", [total > 0, total >= 0, one[0] > 0], ids=str)
@pytest.mark.parametrize(
    "forward", [Max(total, 0), Max(0, total), on(total > 0, total), on(total >= 0, total)], ids=str
)
def test_a_branch_on_a_sum_is_left_out_where_it_turns(forward, passes):
    back = weights[j] * cotangent(one)[0]
    for finding in of_total(forward, on(passes, along), on(passes, back)):
        assert (finding.status, finding.scope) == ("proved", "all sizes, off the boundary")
    for finding in of_total(forward, on(passes, 2 * along), on(total < 0, back)):
        assert finding.status == "refuted"


def test_a_cell_outside_of_a_sum_has_no_boundary():
    """By the last cell there is a derivative also where the sum of the others is 0."""
    others, along = (Sum(weights[j] * v[j], (j, 0, N - 2)) for v in (x, x_dot))
    forward, jvp = Max(others, 0), on(others > 0, along)
    back = weights[j] * cotangent(one)[0]
    right = on((others > 0) & (j < N - 1), back)
    assert [f.status for f in of_total(forward, jvp, right)] == ["proved", "proved"]
    wrong = right + bracket(Eq(others, 0) & Eq(j, N - 1)) * back
    assert of_total(forward, jvp, wrong)[1].status == "refuted"


def test_a_sum_that_is_always_0_has_no_boundary():
    """Though no term of it is 0."""

    def nothing(v):
        return Sum((2 * j - 1) * v[i], (j, 0, 1))

    def rule(v):
        return If(Eq(nothing(x), 0), v[i], on(nothing(x) > 0, nothing(v)))

    for finding in found(Max(nothing(x), 0), rule(x_dot), rule(y_bar)):
        assert finding.status == "refuted"
