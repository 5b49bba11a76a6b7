"""Drawn definitions with kinks: what is owed at a point, and a machine that sees a planted hole."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradproof.language import (
    Eq,
    If,
    Max,
    Op,
    array,
    atan,
    bracket,
    cotangent,
    exp,
    function,
    integers,
    log,
    sigmoid,
    sin,
    tangent,
)
from trust.drawn import germs
from trust.drawn.curves import AFTER, TURNING, curve, recipes, smaller, turns
from trust.drawn.families import FAMILIES, Edit, Spec, built, points
from trust.drawn.owed import alone, failures
from trust.drawn.run import (
    SHARES,
    Answer,
    answered,
    draw,
    first_failure,
    is_definition,
    judged,
    smallest,
    table,
    the_tool,
)

N, a = integers("N a")
x, y = array("x", N), array("y", N)


def cells(value, push, pull=None, requires=()):
    x_bar, y_bar = cotangent(x), cotangent(y)
    return Op(
        "cells",
        requires=(N >= 1, *requires),
        forward=Eq(y[a], value(x[a])),
        jvp=Eq(tangent(y)[a], push(x[a]) * tangent(x)[a]),
        vjp=Eq(x_bar[a], (pull or push)(x[a]) * y_bar[a]),
    )


def wrong_at(op, value):
    found = failures(alone(op), {"N": 1}, {"x": {(0,): Fraction(value)}})
    return [(f.rule, f.how) for f in found]


DERIVATIVE = [("jvp", "is not the derivative"), ("vjp", "is not the derivative")]
HULL = [(rule, "is outside of the limits' hull") for rule in ("jvp", "vjp")]
sides = lambda u: bracket(u > 0) + bracket(u < 0)  # noqa: E731  # as the formulas beside it
stable = lambda u: Max(u, 0) + log(1 + exp(-abs(u)))  # noqa: E731  # likewise
step = function("step", derivative=sides, value=lambda u: Max(u, 0) - Max(-u, 0))


# What is owed.


@pytest.mark.parametrize(
    ("value", "right", "wrong", "at", "told"),
    [
        (lambda u: Max(u, 0) - Max(-u, 0), lambda u: 1, sides, 0, DERIVATIVE),
        (lambda u: u * bracket(u > 0) + u * bracket(u < 0), lambda u: 1, sides, 0, DERIVATIVE),
        (stable, sigmoid, lambda u: If(Eq(u, 0), -1, sigmoid(u)), 0, DERIVATIVE),
        (step, lambda u: 1, sides, 0, DERIVATIVE),
        (abs, lambda u: If(u > 0, 1, -1), lambda u: If(u > 0, 1, -2), -1, DERIVATIVE),
        (lambda u: Max(u, 0), lambda u: bracket(u >= 0), lambda u: 7 * bracket(u >= 0), 0, HULL),
        (abs, lambda u: If(u > 0, 1, If(u < 0, -1, 0)), lambda u: If(u > 0, 1, -1) * 2, 0, HULL),
        (
            lambda u: sin(Max(u - 1000, 0)),
            lambda u: If(u > 1000, AFTER["sin of"][1](u - 1000), 0),
            lambda u: If(u > 1000, AFTER["sin of"][1](u - 1000), 2 * bracket(Eq(u, 1000))),
            1000,
            HULL,
        ),
        (
            lambda u: u * abs(u),
            lambda u: 2 * abs(u),
            lambda u: 2 * abs(u) + bracket(Eq(u, 0)),
            0,
            DERIVATIVE,
        ),
    ],
)
def test_a_rule_owes_the_one_limit_or_a_point_between_them(value, right, wrong, at, told):
    assert wrong_at(cells(value, right), at) == []
    assert wrong_at(cells(value, wrong), at) == told


def test_at_a_kink_both_rules_owe_the_same():
    op = cells(lambda u: Max(u, 0), lambda u: bracket(u > 0), lambda u: bracket(u >= 0))
    assert wrong_at(op, 0) == [("vjp", "differs from the jvp")]
    assert wrong_at(op, 1) == []


def test_where_an_op_jumps_nothing_is_owed():
    op = cells(lambda u: bracket(u > 0), lambda u: 7 * bracket(Eq(u, 0)))
    assert wrong_at(op, 0) == []
    assert wrong_at(cells(lambda u: bracket(u > 0), lambda u: 7), 1) == DERIVATIVE


def test_only_points_that_are_allowed_count():
    clipped = cells(lambda u: Max(u, 0), lambda u: 1, requires=(x[a] >= 0,))
    assert wrong_at(clipped, 0) == wrong_at(clipped, -1) == []
    assert wrong_at(cells(lambda u: Max(u, 0), lambda u: 1), -1) == DERIVATIVE


def test_a_rule_without_a_value_is_wrong():
    assert wrong_at(cells(lambda u: u, lambda u: u / u), 0) == [("jvp", "has no value")]
    assert wrong_at(cells(lambda u: If(Eq(u, 0), 0, u * u / u), lambda u: 1), 0) == []


@pytest.mark.parametrize(
    "rule", ["bare, all", "scaled, all", "exp, all", "curve, all", "plus, all", "let, all"]
)
def test_winners_that_tie_share_one_weight(rule):
    for each in ("all", "first", "shared"):
        variant = rule.replace("all", each)
        found = built(spec := Spec("largest", variant, (("size", 0), ("ramp", 0))))
        failure = first_failure(found, points(spec, found))
        assert bool(failure) == (each == "all")


@pytest.mark.parametrize("variant", FAMILIES["bounded"][1])
def test_a_clamp_goes_one_way_at_its_bounds(variant):
    found = built(spec := Spec("bounded", variant, (("ramp", 0),)))
    failure = first_failure(found, points(spec, found))
    told = {"right": None, "apart": "differs from the jvp"}
    assert (failure and failure.how) == told.get(variant, "is outside of the limits' hull")


# Numbers along a curve.


@given(st.fractions(-3, 3, max_denominator=9), st.fractions(1, 3, max_denominator=9))
def test_functions_have_the_slopes_that_differences_show(value, speed):
    step = Fraction(1, 10**9)

    def along(at, *rest):
        u = germs.Germ((at, *rest), (1,) * bool(rest))
        two = u * u + 1
        parts = (germs.exponential(u), germs.logarithm(two), germs.FUNCTIONS["sin"](u))
        cosine, quotient = germs.FUNCTIONS["cos"](u), germs.quotient(u - 1, two)
        return sum((*parts, cosine, quotient, germs.power(two, 3), germs.power(two, -2)))

    ahead, behind, there = along(value + step), along(value - step), along(value, speed, 0)
    slope = float((ahead - behind).series[0] / (2 * step))
    assert abs(float(there.gradient[0]) - slope) < 1e-4 * (1 + abs(slope))
    assert abs(float(there.series[1]) - slope * speed) < 1e-4 * (1 + abs(slope * speed))


def test_numbers_are_compared_as_they_are_a_little_further_on():
    u = germs.Germ((Fraction(0), Fraction(1), 0))
    assert u > 0
    assert u * u > 0
    assert -u * u < 0
    assert u == u + 0
    assert germs.Germ((Fraction(0),)) == 0
    assert germs.exponential(u) != 1
    assert germs.exponential(germs.Germ((Fraction(0),))) == 1


# What is drawn.


def test_a_seed_draws_the_same_definitions():
    once, again = ([draw(n) for n in range(4)] for _ in range(2))
    assert once == again
    assert len(set(once)) > 2


def test_every_family_and_every_kind_of_kink_is_drawn():
    assert set(SHARES) == set(FAMILIES)
    drawn = [draw(n) for n in range(24)]
    kinds = {edit.how for spec in drawn for edit in spec.edits}
    assert kinds == {"instead", "more", "beyond"}
    wide = [recipes(Random(n)) for n in range(300)]
    assert all(turns(recipe) for recipe in wide)
    assert {1000, 10**6} <= {c for recipe in wide for c in turns(recipe)}


@pytest.mark.parametrize("kind", sorted(TURNING))
def test_a_slope_is_that_of_its_formula_away_from_kinks(kind):
    found = built(Spec("cell", "", ((kind, 1), ("ramp", 0))))
    for at in (Fraction(-17, 3), Fraction(1, 7), Fraction(8, 7), Fraction(16, 7), Fraction(99)):
        point = {"x": {(0,): at}}
        assert list(failures(found.program, {"N": 1}, point)) == []


def test_a_recipe_is_cut_down_to_one_that_is_less():
    for less in smaller(("sum", 0, ("size", 5), ("scaled", 2, ("ramp", 0)))):
        assert len(str(less)) <= len(str(("sum", 0, ("halves", 5), ("scaled", 2, ("ramp", 0)))))
    assert curve(("x", 0)).at(x[a]) == x[a]


# The machine.

POINT, BEYOND = Edit("more", 0, 7), Edit("beyond", 10**6, 1)
SEVEN = Spec("cell", "", (("sum", 0, ("ramp", 0), ("ramp", 1)), ("ramp", 0)), (POINT,))
says = {status: lambda asked, status=status: Answer(status) for status in ("green", "open")}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_checker_that_proves_everything_is_caught(family):
    """In a graph, where a node alone is at a kink, beyond it."""
    edit = {"graph": BEYOND, "sizes": Edit("instead", 50, -1)}.get(family, POINT)
    chosen = {"largest": "curve, first", "graph": "chain", "sizes": "valid"}
    variant = chosen.get(family, FAMILIES[family][1][-1])
    spec = Spec(family, variant, (("ramp", 0), ("size", 0)), (edit,))
    found = judged(spec, says["green"])
    assert found.wrong == "green, and wrong"
    assert not judged(spec, says["open"]).wrong


def test_a_checker_that_refutes_everything_is_caught():
    right = Spec("cell", "", (("ramp", 0), ("ramp", 0)))
    assert judged(right, lambda _: Answer("refuted")).wrong == "refuted, and right"
    assert not judged(right, says["green"]).wrong


def test_among_drawn_definitions_a_hole_is_found():
    """A checker that says proved of everything is caught by what is drawn, and not only by hand."""
    found = [judged(draw(n), says["green"]) for n in range(12)]
    wrong = [r for r in found if r.wrong]
    assert 3 < len(wrong) < 11
    assert "is not the derivative" in {r.failure.how for r in wrong}
    assert "wrong green" in table(found)


def test_what_is_found_is_cut_down():
    found = smallest(judged(SEVEN, says["green"]), says["green"])
    assert found.spec.parts[0][0] in ("ramp", "x")
    assert found.spec.edits in ((POINT,), ())


def test_what_does_not_come_to_an_end_is_open(monkeypatch):
    monkeypatch.setattr("trust.drawn.run.apart", lambda work, seconds: None)
    assert answered(SEVEN).answer == Answer("open", "given up")


def test_the_tool_is_asked():
    assert answered(SEVEN).answer.status == "refuted"
    right = Spec("cell", "", (("ramp", 0), ("ramp", 0)))
    assert (answered(right).answer.status, answered(right).wrong) == ("green", "")
    assert the_tool(built(Spec("graph", "chain", right.parts)).asked).status == "green"


def test_what_the_language_refuses_is_no_definition():
    declared = ("declared", 0, ("summed ramp", 0))
    assert not is_definition(Spec("cell", "", (declared,)))
    assert is_definition(Spec("cell", "", (("declared", 0, ("ramp", 0)),)))


def test_atan_is_none_of_the_functions_that_are_known():
    with pytest.raises(KeyError):
        germs.FUNCTIONS[atan(x[a]).function.name]


# What was green once.

CLOSED = {
    "four knots": Spec("cell", "", (("four knots", 1000),), (Edit("more", 1001, 7),)),
    "counts": Spec("cell", "", (("counted", 0),)),
    "under a sum": Spec("cell", "", (("summed sides", 0),)),
    "sides combined freely": Spec("cell", "", (("softplus", 0),)),
    "in a function": Spec("cell", "", (("sin of", 0, ("ramp", 0)),), (POINT,)),
    "declared": Spec("cell", "", (("odd", 0, ("declared", 0, ("leaky", 0))),)),
    "a maximum in an expression": Spec("largest", "scaled, all", (("ramp", 0),)),
    "a maximum in a let": Spec("largest", "let, all", (("ramp", 0),)),
    "a recurrence": Spec("recurrence", "added", (("ramp", 0),), (POINT,)),
    "over cells": Spec("sum", "", (("halves", 0),)),
}
RIGHT = {
    "a ramp": Spec("cell", "", (("ramp", 1000),)),
    "mended halves": Spec("cell", "", (("halves", 0),), (Edit("instead", 0, 1),)),
    "elu": Spec("cell", "", (("elu", 0),)),
    "a maximum": Spec("largest", "bare, first", (("ramp", 0),)),
}


@pytest.mark.parametrize("name", CLOSED)
def test_what_was_green_and_wrong_is_not_green(name):
    """SOUNDNESS: proved, with a rule that is wrong at a kink."""
    found = answered(CLOSED[name])
    assert found.failure
    assert found.answer.status in ("refuted", "open")


@pytest.mark.parametrize("name", RIGHT)
def test_its_right_neighbour_is_proved(name):
    found = answered(RIGHT[name])
    assert (found.failure, found.answer.status) == (None, "green")
