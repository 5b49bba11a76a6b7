"""Ops that branch on values: rules may say the branch in their own way, off the boundary."""

from fractions import Fraction

import pytest

from verify.check import settled
from verify.language import (
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
from verify.obligations import obligations
from verify.smt import RLIMIT

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
