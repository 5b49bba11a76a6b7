"""Where derivatives are compared, against moving the cell."""

from fractions import Fraction
from itertools import product as tuples

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from quick import drawing

from gradproof.evaluate.judge import Evaluator, numbers_for
from gradproof.evaluate.numbers import Undecided
from gradproof.language import (
    And,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Min,
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
from gradproof.prove.rules.derive import differentiate
from gradproof.theorems.boundary import MOST_DERIVATIVES, degree_in
from gradproof.theorems.differentiability import differentiable

N, a, b, j = integers("N a b j")
z = reals("z")
x, w = array("x", N), array("w", N)
cell = x[a]
NEAR = Fraction(1, 10**6)
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


def said_of(condition):
    """What is left in, of what branches by the condition."""
    return tuple(differentiable(If(condition, 1, 0), cell))


def comparing(term):
    """Whether it is compared at some cells, as the prover reads it, who knows no kinks."""
    said = And(*differentiable(term, cell))
    said = derived(said, Fresh(said))
    return lambda cells, place=0: holds(said, cells, place)


def is_compared(term, cells, place=0):
    return comparing(term)(cells, place)


def derived(term, fresh):
    if isinstance(term, t.Slope):
        body, by = term.args
        return differentiate(derived(body, fresh), by.array, by.index, fresh)
    return t.over_parts(term, lambda u: derived(u, fresh))


def moved(cells, place, by):
    return tuple(v + by if i == place else v for i, v in enumerate(cells))


def turns(condition, cells, place=0):
    nearby = (moved(cells, place, by) for by in (-NEAR, 0, NEAR))
    return len({holds(condition, at, place) for at in nearby}) > 1


numbers = st.sampled_from([*map(t.as_term, (-1, 0, 1))])
leaves = st.one_of(st.sampled_from([cell, x[0], x[1], x[j], zero_padded(x)[a - 1], w[a]]), numbers)
kinds = st.sampled_from([t.Gt, t.Ge, t.Lt, t.Le, t.Eq, t.Ne])


def comparisons(terms):
    return st.tuples(kinds, terms, terms).map(lambda p: p[0](*p[1:])).filter(is_of_reals)


def is_of_reals(relation):
    return t.REAL in map(t.sort_of, relation.args)


def branching(terms):
    two = st.tuples(terms, terms)
    return st.one_of(
        two.map(lambda p: Max(*p)),
        two.map(lambda p: Min(*p)),
        st.tuples(branches, two).map(lambda p: If(p[0], *p[1])),
    )


def larger(terms):
    two = st.tuples(terms, terms)
    return st.one_of(
        branching(terms),
        two.map(lambda p: t.Add(*p)),
        two.map(lambda p: t.Mul(*p)),
        two.map(lambda p: t.Div(p[0], t.Add(1, t.Mul(p[1], p[1])))),
        st.tuples(branches, terms).map(lambda p: bracket(p[0]) * p[1]),
        terms.map(lambda u: Sum(u * x[j], (j, 0, 1))),
        terms.map(lambda u: maximum(u, (j, 0, 1))),
    )


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
squares = st.one_of(leaves, st.tuples(leaves, leaves).map(lambda p: t.Mul(*p)))
polynomials = st.recursive(squares, branching, max_leaves=3)
scaled = st.one_of(
    polynomials,
    st.tuples(branches.filter(lambda c: not t.mentions(c, t.Binder)), polynomials).map(
        lambda p: bracket(p[0]) * p[1]
    ),
)
points = list(tuples((-1, 0, 1), repeat=2))


def at_one_place(condition):
    """With a place for j where nothing binds it."""
    return substitute(condition, {j: t.as_term(1)}, Fresh(condition))


@drawing(150)
@given(st.recursive(comparisons(scaled), joined, max_leaves=4), st.sampled_from([0, 1]))
def test_what_compares_polynomials_is_left_out_where_it_turns_and_nowhere_else(condition, place):
    condition = at_one_place(condition)
    assert bool(said_of(condition)) == t.reads(condition, x)
    compared = comparing(If(condition, 1, 0))
    for cells in points:
        assert compared(cells, place) != turns(condition, cells, place)


@drawing(150)
@given(st.recursive(comparisons(terms), joined, max_leaves=2), st.sampled_from([0, 1]))
def test_any_condition_is_left_out_where_it_turns_or_nowhere(condition, place):
    condition = at_one_place(condition)
    said, compared = said_of(condition), comparing(If(condition, 1, 0))
    for cells in points:
        assert compared(cells, place) != bool(said and turns(condition, cells, place))


@drawing(150)
@given(terms.map(at_one_place), st.sampled_from([0, 1]))
def test_nothing_is_left_out_all_around_a_point(term, place):
    compared = comparing(term)
    for (first, second), by in tuples(points, (-NEAR, NEAR)):
        assert compared((first + by, second + ASIDE * by), place)


def slope(term, cells, place, by):
    here, there = (holds(term, at, place) for at in (cells, moved(cells, place, by)))
    return (there - here) / by


@drawing(150)
@given(polynomials.map(at_one_place), st.sampled_from([0, 1]))
def test_what_is_compared_has_the_derivative_of_its_branch(term, place):
    """Of what does not jump in a maximum."""
    extrema = [u for u in t.walk(term) if isinstance(u, t.Max | t.Min)]
    assume(not any(t.mentions(u, t.If) for u in extrema))
    taken, compared = differentiate(term, x, (a,), Fresh(term)), comparing(term)
    for cells in points:
        if compared(cells, place):
            for by in (-NEAR, NEAR):
                assert abs(slope(term, cells, place, by) - holds(taken, cells, place)) < 100 * NEAR


@pytest.mark.parametrize(
    "touching",
    [
        cell * cell > 0,
        Eq(cell * cell, 0),
        cell * cell * cell > 0,
        Max(0, cell * cell * cell) > 0,
        Max(-cell, cell) <= 0,
        2 * Max(cell, 0) > 0,
        bracket(cell > 0) * cell > 0,
        bracket(cell >= 0) > 0,
        And(cell > 0, 2 * cell > 0),
        And(cell >= 0, 2 * cell >= 0),
    ],
    ids=str,
)
def test_where_equal_sides_part_without_a_slope_the_point_is_left_out(touching):
    """SOUNDNESS: at x = 0 both sides have the slope 0; of y = x, dy/dx = 5 was proved there."""
    assert not is_compared(If(touching, 1, 0), (0,))
    assert is_compared(If(touching, 1, 0), (3,))


@pytest.mark.parametrize(
    ("still", "cells"),
    [
        (cell * cell >= 0, (0,)),
        (cell * cell < 0, (0,)),
        (cell * cell * cell * cell >= 0, (0,)),
        (Max(cell, 0) >= 0, (0,)),
        (Max(cell, 0) > 0, (-1,)),
        (Or(cell > 0, cell <= 0), (0,)),
        (If(cell > 0, 1, 2) > 0, (0,)),
        (cell * cell > x[0] * x[0], (2, 1)),
        ((cell - x[0]) * (cell - x[0]) > 0, (2, 1)),
        (Max(cell * cell, cell * cell) > cell * cell, (0,)),
        (Eq(Max(cell * cell, 1), cell * cell), (2,)),
    ],
    ids=str,
)
def test_a_condition_that_is_the_same_all_around_is_compared(still, cells):
    """SOUNDNESS: sides that touch were left out, though nothing turns."""
    assert said_of(still)
    assert is_compared(If(still, 1, 0), cells)


@pytest.mark.parametrize(
    "condition",
    [
        exp(cell) > 1,
        log(1 + cell * cell) > 0,
        1 / (1 + cell * cell) < 1,
        Prod(cell, (j, 0, 1)) > 0,
        cell**7 > 0,
        maximum(x[j], (j, 0, 1)) > 0,
        Sum(cell, (j, 0, If(cell > 0, 0, 1))) > 0,
        x[If(cell > 0, 0, 0)] > 0,
        fold(z, (j, 0, 1), z=(z, 0, z + cell)) > 0,
        winner(1, x[j], (j, 0, 1)),
        unique(x[j], (j, 0, 1)),
        And(cell > 0, exp(cell) > 1),
        Exists(cell > 0, (j, 0, If(cell > 0, 1, 0))),
    ],
    ids=str,
)
def test_where_it_is_not_decided_nothing_is_left_out(condition):
    """SOUNDNESS: it may be the same all around, and a rule that is wrong there was proved."""
    assert said_of(condition) == ()


@pytest.mark.parametrize("inner", [If(cell > 0, 5, 0), bracket(cell > 0) * 5], ids=str)
def test_what_jumps_in_a_maximum_is_left_out_nowhere(inner):
    """SOUNDNESS: it may count where it is less, or where it turns may not."""
    for whole in (Max(inner, 3), Max(3, 4, inner), maximum(inner + abs(x[j]), (j, 0, 1))):
        assert len(list(differentiable(whole, cell))) == 1  # that its parts are alike


def test_of_three_parts_those_that_attain_the_maximum_count():
    three = Max(cell, 0, cell - 1)
    assert [is_compared(three, (v,)) for v in (-1, 0, 1)] == [True, False, True]
    assert [is_compared(Max(0, 1, 2 * cell), (v,)) for v in (0, Fraction(1, 2))] == [True, False]
    assert [is_compared(Min(2, cell, abs(cell)), (v,)) for v in (0, 2, -2)] == [False, False, True]


def test_places_that_read_one_cell_are_no_boundary():
    """They are equal at every point, by squares as by the cell itself."""
    for value in (x[0], x[0] * x[0]):
        assert is_compared(maximum(value, (j, 0, 1)), (2, 1))
    assert is_compared(maximum(x[j] * x[j], (j, 0, 1)), (2, 1))
    assert not is_compared(maximum(x[j] * x[j], (j, 0, 1)), (1, -1))


def test_the_degree_is_that_of_a_polynomial():
    assert degree_in(cell * x[0] / 2 + Sum(x[j], (j, 0, 1)), {"x"}) == 2
    assert degree_in(If(a > 0, cell, cell * cell), {"x"}) == 2
    assert degree_in(exp(w[a]) * cell, {"x"}) == 1
    assert degree_in(Max(0, cell) * bracket(cell > 0), {"x"}) == 1
    for other in (cell / cell, 1 / cell, exp(cell), Max(1 / cell, 0)):
        assert degree_in(other, {"x"}) > MOST_DERIVATIVES


def test_a_rate_of_which_nothing_is_known_is_not_decided():
    with pytest.raises(Undecided):
        holds(Eq(t.Slope(If(cell * cell > 0, cell, 0), cell), 1), (0,))
