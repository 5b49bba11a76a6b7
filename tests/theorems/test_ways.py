"""Which ways there are out of a point; a rule is right if it takes a mean of what they take."""

from fractions import Fraction
from itertools import product

import pytest

from gradproof.evaluate.limits import limits
from gradproof.evaluate.numbers import RATIONALS, Undecided
from gradproof.language import (
    And,
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
    tangent,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.cones import as_row, in_parts, way_along
from gradproof.theorems.obligations import obligations

N, i, j = integers("N i j")
x, y, z, w, u = (array(name, N) for name in "xyzwu")
X, Y, Z, W = x[i], y[i], z[i], w[i]


def form(**speeds):
    return as_row({cell: Fraction(speed) for cell, speed in speeds.items()})


@pytest.mark.parametrize(
    ("forms", "parts"),
    [
        ([form(x=1)], 2),
        ([form(x=1), form(x=-3)], 2),
        ([form(x=1, y=-1), form(z=1, w=-1)], 4),
        ([form(x=1, y=-1), form(y=1, z=-1), form(x=1, z=-1)], 6),
        ([form(x=1, y=-1), form(x=1, y=-2), form(x=2, y=-3)], 6),
    ],
)
def test_forms_cut_the_ways_into_parts(forms, parts):
    found = [*in_parts(forms)]
    signs = {tuple(sum(v * way[c] for c, v in row) > 0 for row in forms) for way in found}
    assert len(found) == len(signs) == parts


def test_where_there_is_no_way():
    round_about = [form(x=1, y=-1), form(y=1, z=-1), form(z=1, x=-1)]
    assert way_along(round_about) is None
    assert way_along(round_about[:2]) is not None


def test_limits_are_those_of_every_order():
    """Of the largest of three, by what nearby points decide in each order."""

    def largest(numbers):
        best = numbers.zero
        cells = [type(best)(0, {("x", (n,)): 1}) for n in range(3)]
        for other in cells[1:]:
            cells[0] = other if numbers.sign(other + numbers.lift(-1) * cells[0]) > 0 else cells[0]
        return cells[0]

    found = {tuple(c for c, v in ray.by.items() if v) for ray in limits(RATIONALS, largest)}
    assert found == {((("x", (n,)),)) for n in range(3)}


def test_numbers_that_part_at_the_second_derivative_are_not_told_apart():
    def touched(numbers):
        cell = type(numbers.zero)(0, {("x", ()): 1})
        return cell if numbers.sign(cell * cell) > 0 else numbers.zero

    with pytest.raises(Undecided):
        next(limits(RATIONALS, touched))


def made_of(name, value, inputs, slopes):
    pairs = [*zip(slopes, inputs, strict=True)]
    return Op(
        name,
        Eq(u[i], value),
        Eq(tangent(u)[i], sum(s * tangent(a)[i] for s, a in pairs)),
        tuple(Eq(cotangent(a)[i], s * cotangent(u)[i]) for s, a in pairs),
        requires=(N >= 1,),
    )


def at_ties(op):
    found = [settled(th, RLIMIT) for th in obligations(op, ("ties",))]
    return {str(f.status) for f in found}


def half(a, b):
    return If(Eq(a, b), Fraction(1, 2), bracket(a > b))


def first(a, b):
    return bracket(a >= b)


def last(a, b):
    return bracket(a > b)


def saddle(large, small, inputs=(x, z, y, w)):
    """The larger of two less the larger of two others."""
    a, b, c, d = (cell[i] for cell in inputs)
    other = {half: half, first: last, last: first}
    slopes = large(a, b), other[large](b, a), -small(c, d), -other[small](d, c)
    return made_of("saddle", Max(a, b) - Max(c, d), inputs, slopes)


def test_each_side_of_each_kink_of_a_saddle_may_be_taken():
    """A right rule was refuted: few ways were tried, and none parted the cells as it does."""
    assert at_ties(saddle(last, last)) == {"proved"}


@pytest.mark.slow
@pytest.mark.parametrize("inputs", [(x, z, y, w), (w, y, x, z)])
@pytest.mark.parametrize(("large", "small"), [*product((first, last, half), repeat=2)])
def test_so_it_is_of_every_saddle(large, small, inputs):
    assert at_ties(saddle(large, small, inputs)) == {"proved"}


def test_beyond_the_sides_of_a_saddle_it_is_refuted():
    slopes = first(X, Z), first(Z, X), -half(Y, W), -half(W, Y)
    assert "refuted" in at_ties(made_of("beyond", Max(X, Z) - Max(Y, W), (x, z, y, w), slopes))


def test_kinks_that_cancel_leave_one_derivative():
    value = Max(X, Z) + Min(X, Z)
    assert at_ties(made_of("right", value, (x, z), (1, 1))) == {"proved"}
    wrong = made_of("wrong", value, (x, z), (If(Eq(X, Z), Fraction(1, 2), 1), 1))
    assert "refuted" in at_ties(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("inputs", [(x, z, y, w), (z, w, x, y)])
def test_a_right_rule_is_not_refuted_where_curves_are_compared(inputs):
    a, b, c, d = (cell[i] for cell in inputs)
    value = Max(a * a, b) - Max(c * c, d)
    slopes = 2 * a * first(a * a, b), last(b, a * a), -2 * c * last(c * c, d), -first(d, c * c)
    assert "refuted" not in at_ties(made_of("curves", value, inputs, slopes))


def rises(weight):
    """Σ |x[j + 1] - x[j]|, with the rule's weight of x[0] where all cells are equal."""
    total, step = array("total"), x[j + 1] - x[j]
    over, cells = (j, 0, N - 2), (j, 0, N - 1)

    def side(k):
        inside = And(k >= 0, k <= N - 2)
        return If(inside, If(x[k + 1] >= x[k], 1, -1), 0)

    flat = bracket(Sum(abs(step), over) <= 0)
    slope = side(j - 1) - side(j) + weight * flat * bracket(Eq(j, 0))
    jvp = Eq(tangent(total)[()], Sum(slope * tangent(x)[j], cells))
    return Op("rises", Eq(total[()], Sum(abs(step), over)), jvp, requires=(N >= 2,))


@pytest.mark.slow
def test_what_is_wrong_as_many_cells_move_at_once_is_not_proved():
    """Any three cells may move so, all five may not: what is asked of three is not enough."""
    assert "proved" not in at_ties(rises(1))
