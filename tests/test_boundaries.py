"""Where a comparison turns as a cell moves, against moving the cell."""

from fractions import Fraction
from itertools import product as tuples

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verify import terms as t
from verify.evaluate import Evaluator, numbers_for
from verify.language import (
    And,
    Eq,
    If,
    Max,
    Min,
    Prod,
    Sum,
    array,
    bracket,
    exp,
    fold,
    integers,
    log,
    maximum,
    reals,
    winner,
    zero_padded,
)
from verify.needs import MOST_DERIVATIVES, degree, off_boundary
from verify.numbers import Undecided

N, a, b, j = integers("N a b j")
z = reals("z")
x, w = array("x", N), array("w", N)
cell = x[a]
EDGE = Fraction(1, 10**6)


def holds(condition, cells, place=0):
    """A condition at given cells of x and of w, whose last one is 1."""
    numbers = numbers_for(condition)
    rest = (Fraction(0),) * (len(cells) - 1) + (Fraction(1),)
    tensors = {
        name: lambda i, v=values: numbers.lift(Fraction(v[i[0]]))
        for name, values in (("x", cells), ("w", rest))
    }
    return Evaluator(numbers, tensors).value(condition, {N: len(cells), a: place})


def left_in(condition, cells, place=0):
    """Whether derivatives by x[a] are compared there, of what branches by the condition."""
    try:
        return holds(And(*off_boundary(If(condition, 1, 0), cell)), cells, place)
    except Undecided:  # a derivative that it speaks of does not exist
        return False


def moved(cells, place, by):
    return tuple(v + by if i == place else v for i, v in enumerate(cells))


def turns(condition, cells, place):
    nearby = (moved(cells, place, by) for by in (-EDGE, 0, EDGE))
    return len({holds(condition, at, place) for at in nearby}) > 1


leaves = st.sampled_from(
    [cell, x[0], x[1], zero_padded(x)[a - 1], w[a], *map(t.as_term, (-1, 0, 1))]
)
pairs = st.tuples(leaves, leaves)


def larger(terms):
    two = st.tuples(terms, terms)
    return st.one_of(
        two.map(lambda p: t.Add(*p)),
        two.map(lambda p: t.Mul(*p)),
        two.map(lambda p: Max(*p)),
        two.map(lambda p: Min(*p)),
        st.tuples(pairs, two).map(lambda p: If(t.Gt(*p[0]), *p[1])),
        st.tuples(pairs, terms).map(lambda p: bracket(t.Ge(*p[0])) * p[1]),
        terms.map(lambda u: Sum(u * x[j], (j, 0, 1))),
        terms.map(lambda u: t.Div(u, 2)),
        st.just(maximum(x[j], (j, 0, N - 1))),
        pairs.map(lambda p: maximum(x[j], (j, 0, 1), where=t.Gt(*p))),
    )


terms = st.recursive(leaves, larger, max_leaves=5)
points = list(tuples((-1, 0, 1), repeat=2))


@settings(max_examples=100, deadline=None)
@given(terms, terms, st.sampled_from([t.Gt, t.Ge, t.Eq, t.Ne]), st.sampled_from([0, 1]))
def test_a_comparison_that_turns_is_left_out(left, right, kind, place):
    """And nothing is left out all around a point, of what is a polynomial between its branches."""
    condition = kind(left, right)
    assume(t.REAL in map(t.sort_of, (left, right)))
    known = max(degree(left, x), degree(right, x)) <= MOST_DERIVATIVES
    for cells in points:
        if left_in(condition, cells, place):
            assert not turns(condition, cells, place)
        elif known:
            assert all(left_in(condition, moved(cells, place, e), place) for e in (-EDGE, EDGE))


@pytest.mark.parametrize(
    "touching",
    [
        cell * cell > 0,
        Eq(cell * cell, 0),
        cell * cell * cell > 0,
        exp(cell) - cell > 1,
        Max(0, cell * cell * cell) > 0,
        cell * cell / (1 + cell * cell) > 0,
        Prod(cell, (j, 0, 1)) > 0,
        Max(cell * cell, cell * cell) > cell * cell,
        fold(z, (j, 0, 1), z=(z, 0, z + cell)) > 0,
        winner(1, If(Eq(j, 0), cell * cell, 0), (j, 0, 1), tie="last"),
    ],
    ids=str,
)
def test_where_equal_sides_part_without_a_slope_the_point_is_left_out(touching):
    """SOUNDNESS: at x = 0 both sides have the slope 0; of y = x, dy/dx = 5 was proved there."""
    conditions = list(off_boundary(If(touching, 1, 0), cell))
    if t.mentions(touching, t.Fold):
        assert not conditions  # what a loop decides is left to the words
        return
    assert not holds(And(*conditions), (0,))
    if not isinstance(touching, t.Winner) and not t.mentions(touching, t.Max):
        assert holds(And(*conditions), (1,))


@pytest.mark.parametrize(
    "jumping",
    [
        cell > If(cell > x[0], cell, 1) / 2,
        Max(cell, bracket(cell > x[0])) > Fraction(1, 2),
        winner(1, If(Eq(j, 0), bracket(cell > x[0]), Fraction(1, 2)), (j, 0, 1)),
        maximum(bracket(cell > x[0]) * j, (j, 0, 1), where=j > 0) > Fraction(1, 2),
        maximum(1, (j, 0, 0), where=cell > x[0]) > Fraction(1, 2),
        And(cell > -1, If(cell > x[0], cell, 1) < Fraction(1, 2)),
        And(If(cell > x[0], cell, 1) < Fraction(1, 2), cell >= x[0]),
    ],
    ids=str,
)
def test_what_jumps_turns_a_comparison_of_unequal_sides(jumping):
    assert turns(jumping, (0, 0), 1)
    assert not left_in(jumping, (0, 0), 1)
    assert left_in(jumping, (0, 2), 1)


@pytest.mark.parametrize(
    ("still", "cells"),
    [
        (Max(cell, 0) > 0, (-1,)),
        (exp(Max(cell, 0)) > 1, (-1,)),
        (Min(exp(cell), 5) < 5, (3,)),
        (bracket(cell > 0) * exp(cell) > 0, (-1,)),
        (Eq(bracket(cell > 0), 1), (1,)),
        (If(cell > 0, exp(cell), 1) > 1, (-1,)),
        (If(cell > 0, 1, exp(cell)) < 1, (1,)),
        (Eq(exp(cell - maximum(x[j], (j, 0, N - 1))), 1), (2, 1)),
        (exp(zero_padded(x)[a - 1]) > 1, (2, 1)),
        (log(1 + cell * 0) > 0, (2,)),
        (Sum(exp(zero_padded(x)[a - j]), (j, 1, 2)) > 2, (2, 1)),
        (cell * cell > x[0] * x[0], (2, 1)),
        ((cell - x[0]) * (cell - x[0]) > 0, (2, 1)),
        (cell / (1 + cell * cell) > x[0] / (1 + x[0] * x[0]), (2, 1)),
        (Prod(x[a], (j, 0, 1)) > Prod(x[0], (j, 0, 1)), (2, 1)),
        (winner(0, x[0], (j, 0, 1)), (2, 1)),
    ],
    ids=str,
)
def test_sides_that_stay_equal_are_no_boundary(still, cells):
    assert left_in(still, cells)


@pytest.mark.parametrize(
    "equal",
    [
        Prod(x[a], (j, 0, 1)) > Prod(x[j], (j, 0, 0)) * cell,
        Prod(x[j + a], (j, 0, 1)) > Prod(x[j], (j, 0, 1)),
        exp(cell) > exp(cell + 0 * cell),
        Max(exp(cell), exp(cell)) > Max(exp(cell), exp(cell), exp(cell)),
        exp(x[If(x[0] > 0, 0, 0)]) > exp(x[If(x[0] > 1, 0, 0)]),
        Sum(exp(cell), (j, 0, If(cell > 0, 0, 0))) > exp(cell),
    ],
    ids=str,
)
def test_sides_that_are_not_seen_to_stay_equal_are_left_out(equal):
    assert not left_in(equal, (2, 1))


def test_only_lines_that_meet_stay_together():
    """Max(0, x³) has all derivatives of 0 at 0, and is not 0 beyond it."""
    assert degree(Max(0, cell), x) == 1
    assert degree(Max(0, cell * cell * cell), x) > MOST_DERIVATIVES


def test_a_rate_of_which_nothing_is_known_is_not_decided():
    with pytest.raises(Undecided):
        holds(Eq(t.Slope(If(cell * cell > 0, cell, 0), cell), 1), (0,))
