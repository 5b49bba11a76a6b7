"""Where a comparison turns as a cell moves, against moving the cell."""

from fractions import Fraction
from itertools import product as tuples

import pytest
from gradproof.evaluate.judge import Evaluator, numbers_for
from gradproof.evaluate.numbers import Undecided, Undefined
from gradproof.language import (
    And,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Min,
    Ne,
    Not,
    Or,
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
    unique,
    winner,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, substitute
from gradproof.prove.rules.derive import Unsupported, differentiate
from gradproof.theorems.boundaries import MOST_DERIVATIVES, degree, is_joint, off_boundary
from hypothesis import assume, given, settings
from hypothesis import strategies as st

N, a, b, j = integers("N a b j")
z = reals("z")
x, w = array("x", N), array("w", N)
cell = x[a]
EDGE = Fraction(1, 10**6)
ASIDE = Fraction(161_803, 10**5)  # a direction in which nothing simple is equal


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
    """Whether derivatives by x[a] are compared there, of what branches by the condition.

    As evaluation reads it, or as the prover does, who knows no points without a derivative.
    """
    said = And(*(said for _, said in off_boundary(If(condition, 1, 0), cell)))
    return any(is_true(reading, cells, place) for reading in (said, derived(said, Fresh(said))))


def is_true(condition, cells, place):
    try:
        return holds(condition, cells, place)
    except Undecided:  # a derivative that it speaks of does not exist
        return False
    except Undefined:  # a solver may choose what it is
        return True


def derived(term, fresh):
    """With every derivative that can be derived."""
    if isinstance(term, t.Slope):
        body, by = term.args
        try:
            return differentiate(derived(body, fresh), by.array, by.index, fresh)
        except Unsupported:
            return term
    return t.over_parts(term, lambda u: derived(u, fresh))


def moved(cells, place, by):
    return tuple(v + by if i == place else v for i, v in enumerate(cells))


def turns(condition, cells, place):
    nearby = (moved(cells, place, by) for by in (-EDGE, 0, EDGE))
    return len({holds(condition, at, place) for at in nearby}) > 1


numbers = st.sampled_from([*map(t.as_term, (-1, 0, 1))])
leaves = st.one_of(st.sampled_from([cell, x[0], x[1], x[j], zero_padded(x)[a - 1], w[a]]), numbers)
kinds = st.sampled_from([t.Gt, t.Ge, t.Eq, t.Ne])
ties = st.sampled_from(["first", "last", "any"])


def comparisons(terms):
    return st.tuples(kinds, terms, terms).map(lambda p: p[0](*p[1:])).filter(is_of_reals)


def is_of_reals(relation):
    return t.REAL in map(t.sort_of, relation.args)


def larger(terms):
    two = st.tuples(terms, terms)
    return st.one_of(
        two.map(lambda p: t.Add(*p)),
        two.map(lambda p: t.Mul(*p)),
        two.map(lambda p: t.Div(p[0], t.Add(1, t.Mul(p[1], p[1])))),
        two.map(lambda p: Max(*p)),
        two.map(lambda p: Min(*p)),
        st.tuples(branches, two).map(lambda p: If(p[0], *p[1])),
        st.tuples(branches, terms).map(lambda p: bracket(p[0]) * p[1]),
        terms.map(lambda u: Sum(u * x[j], (j, 0, 1))),
        terms.map(lambda u: Prod(u, (j, 0, 1))),
        terms.map(lambda u: maximum(u, (j, 0, 1))),
        st.tuples(branches, terms).map(lambda p: maximum(p[1], (j, 0, 1), where=p[0])),
    )


squares = st.one_of(leaves, st.tuples(leaves, leaves).map(lambda p: t.Mul(*p)))


def joined(conditions):
    two = st.tuples(conditions, conditions)
    return st.one_of(
        two.map(lambda p: And(*p)),
        two.map(lambda p: Or(*p)),
        conditions.map(Not),
        conditions.map(lambda c: Exists(c, (j, 0, 1))),
        conditions.map(lambda c: ForAll(c, (j, 0, 1))),
    )


branches = st.recursive(comparisons(leaves), joined, max_leaves=2)
terms = st.recursive(leaves, larger, max_leaves=4)
windows = st.one_of(
    st.tuples(terms, ties, st.sampled_from([0, 1])).map(
        lambda p: winner(p[2], p[0], (j, 0, 1), tie=p[1])
    ),
    terms.map(lambda u: unique(u, (j, 0, 1))),
)
conditions = st.recursive(st.one_of(comparisons(terms), windows), joined, max_leaves=2)
points = list(tuples((-1, 0, 1), repeat=2))


def at_one_place(condition):
    """With a place for j where nothing binds it."""
    return substitute(condition, {j: t.as_term(1)}, Fresh(condition))


@settings(max_examples=150, deadline=None)
@given(conditions.map(at_one_place), st.sampled_from([0, 1]))
def test_a_condition_that_turns_is_left_out(condition, place):
    for cells in points:
        if turns(condition, cells, place):
            assert not left_in(condition, cells, place)


@settings(max_examples=100, deadline=None)
@given(comparisons(terms).map(at_one_place), st.sampled_from([0, 1]))
def test_nothing_is_left_out_all_around_a_point(relation, place):
    """Of comparisons of what is a polynomial between its branches."""
    assume(max(degree(side, x) for side in relation.args) <= MOST_DERIVATIVES)
    for (first, second), by in tuples(points, (-EDGE, EDGE)):
        assert left_in(relation, (first + by, second + ASIDE * by), place)


@settings(max_examples=150, deadline=None)
@given(st.recursive(comparisons(squares), joined, max_leaves=4), st.sampled_from([0, 1]))
def test_what_is_surely_left_out_turns(condition, place):
    """Of comparisons that are joined: what decides them is asked of them all."""
    condition = at_one_place(condition)
    surely = [said for kind, said in off_boundary(If(condition, 1, 0), cell) if kind == "edge"]
    assume(is_joint(condition))
    for cells in points:
        out = not is_true(derived(And(*surely), Fresh(*surely)), cells, place)
        assert out == turns(condition, cells, place)


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
        fold(z, (j, 0, 1), z=(z, 0, z + cell)) > 0,
        winner(1, If(Eq(j, 0), cell * cell, 0), (j, 0, 1), tie="last"),
        unique(If(Eq(j, 0), cell, 0), (j, 0, 1)),
        winner(1, If(Eq(j, 0), Max(0, cell) + Max(0, -cell), 0), (j, 0, 1), tie="last"),
        And(Ne(cell, 0), 1 / (cell * cell) > 0),
        And(cell > 0, log(cell) < 0),
        And(cell > 0, exp(cell) > 1),
    ],
    ids=str,
)
def test_where_equal_sides_part_without_a_slope_the_point_is_left_out(touching):
    """SOUNDNESS: at x = 0 both sides have the slope 0; of y = x, dy/dx = 5 was proved there."""
    if t.mentions(touching, t.Fold):
        assert not list(off_boundary(If(touching, 1, 0), cell))  # it is left to the words
        return
    assert not left_in(touching, (0,))
    assert left_in(touching, (3,))


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
        (Max(cell * cell, cell * cell) > cell * cell, (0,)),
        (Eq(Max(cell * cell, 1), cell * cell), (2,)),
        (Eq(cell * cell, maximum(x[j] * x[j], (j, 0, N - 1))), (3, 2)),
        (cell / maximum(x[j], (j, 0, N - 1)) >= 1, (3, 2)),
        (cell / Sum(x[j], (j, 0, N - 1)) >= 1, (2,)),
        (maximum(x[j] * x[j], (j, 1, 0)) >= 0, (2,)),
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


def test_what_is_doubtful_is_left_out_only_where_it_counts():
    """Also where another part had decided: nothing was tried there."""
    power = cell**7 > cell * cell**6
    assert not left_in(power, (0,))
    assert left_in(And(power, cell > 100), (0,))
    assert not left_in(And(power, cell > -1), (0,))


def test_only_lines_that_meet_stay_together():
    """Max(0, x³) has all derivatives of 0 at 0, and is not 0 beyond it."""
    assert degree(Max(0, cell), x) == 1
    assert degree(Max(0, cell * cell * cell), x) > MOST_DERIVATIVES


def test_a_rate_of_which_nothing_is_known_is_not_decided():
    with pytest.raises(Undecided):
        holds(Eq(t.Slope(If(cell * cell > 0, cell, 0), cell), 1), (0,))


@pytest.mark.parametrize("cells", [(2, 1), (0, 0), (1, -1)])
def test_places_that_read_one_cell_are_no_boundary(cells):
    """They are equal at every point, by squares as by the cell itself."""
    for value in (x[0], x[0] * x[0]):
        assert left_in(winner(1, value, (j, 0, 1)), cells)
    assert left_in(winner(1, x[j] * x[j], (j, 0, 1)), (2, 1))
    assert not left_in(winner(1, x[j] * x[j], (j, 0, 1)), (1, -1))
