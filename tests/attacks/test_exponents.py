"""Attacks by powers whose exponent is an integer, 0 and below it, too, and of what may be 0."""

import pytest
from attacks import FAR, LATE, K, M, N, a, all_proved, beta, holds, op, scaling, x, x_bar, y, y_bar

from gradproof.language import Eq, If, Max, Ne, Sum, array, cotangent, integers

k = integers("k")
total, rate = array("s"), array("r")
REAL = beta**2 >= 0
SIZES = (N >= 1, K >= 0, M >= 0)
SOME = Ne(beta, 0)


@pytest.mark.parametrize(
    ("statement", "requires", "is_true"),
    [
        (Eq(beta**K * beta**M, beta ** (K + M)), (), True),
        (Eq(beta**K * beta**M, beta ** (K + M + LATE)), (SOME,), False),
        (Eq((beta**K) ** M, beta ** (K * M)), (), True),
        (Eq((beta**K) ** M, beta ** (K * M + LATE)), (SOME,), False),
        (Eq(beta**K, 1), (K <= LATE,), False),
        (Eq(beta**K, 1), (K <= 0,), True),
        (Eq(beta ** (K - 1) * beta, beta**K), (), False),
        (Eq(beta ** (K - 1) * beta, beta**K), (K >= 1,), True),
        (Eq(beta ** (K - 1) * beta, beta**K), (SOME,), True),
        (Eq(1 / beta**K, beta ** (-K)), (SOME,), True),
        (Eq(1 / beta**K, beta ** (FAR * K)), (SOME, N >= 50), False),
        (Eq(1 / beta**K, beta ** If(N < 50, -K, K)), (SOME,), False),
        (Eq(beta**K / beta**M, beta ** (K - M)), (), False),
        (Eq(beta**K / beta**M, beta ** (K - M)), (SOME,), True),
    ],
    ids=str,
)
def test_the_laws_of_powers(statement, requires, is_true):
    assert holds(statement, requires=(*SIZES, REAL, *requires)) == is_true


@pytest.mark.parametrize(
    ("statement", "requires", "is_true"),
    [
        (beta**K > 0, (beta > 0,), True),
        (beta**K > 0, (beta >= 0,), False),
        (beta**K >= 0, (beta >= 0,), True),
        (beta**K >= 0, (REAL,), False),
        (Ne(beta**K, 0), (SOME,), True),
        (Ne(beta**K, 0), (REAL, K >= LATE), False),
    ],
    ids=str,
)
def test_a_power_has_the_sign_of_what_it_is_of(statement, requires, is_true):
    assert holds(statement, requires=(*SIZES, *requires)) == is_true


ANY = (N >= 1, K + M >= 0)
CELL = x[a]


@pytest.mark.parametrize(
    ("value", "weight", "requires", "is_right"),
    [
        (CELL**K, K * CELL ** (K - 1), (K >= 1,), True),
        (CELL**K, K * CELL**K, (K >= 1,), False),
        (CELL**K, CELL ** (K - 1), (K >= 1,), False),
        (CELL**K, K * CELL ** (K - LATE), (K >= 1,), False),
        (CELL**K, (K - FAR) * CELL ** (K - 1), (K >= 1,), False),
        (CELL**K, K * CELL ** (K - 1), (Ne(CELL, 0),), True),
        (CELL**K, If(N < 50, K, Max(K, 0)) * CELL ** (K - 1), (Ne(CELL, 0),), False),
        (CELL**K, K * CELL ** Max(K - 1, 0), (K >= 0,), True),
        (CELL**K, K * CELL ** Max(K - 1, 0), (Ne(CELL, 0), K >= -1), False),
        (CELL**K, If(K >= 1, K * CELL ** (K - 1), 0), (K >= 0,), True),
        (CELL**K, If(K >= 2, K * CELL ** (K - 1), 0), (K >= 0,), False),
        (1 / CELL**K, -K / CELL ** (K + 1), (Ne(CELL, 0),), True),
        (1 / CELL**K, -K / CELL ** (K + LATE), (Ne(CELL, 0),), False),
        ((CELL**M) ** K, M * K * CELL ** (M * K - 1), (M >= 1, K >= 1), True),
        ((CELL**M) ** K, M * K * CELL ** (M * K - LATE), (M >= 1, K >= 1), False),
    ],
    ids=str,
)
def test_the_derivative_of_a_power(value, weight, requires, is_right):
    definition = scaling(value, weight, requires=(*ANY, *requires))
    assert all_proved(definition, "jvp", "vjp") == is_right


@pytest.mark.parametrize(
    ("requires", "has_values"),
    [((K >= 1,), True), ((K >= 0,), False), ((K >= 0, Ne(CELL, 0)), True)],
    ids=str,
)
def test_zero_to_the_minus_first_has_no_value(requires, has_values):
    """Where K is 0 the weight is 0 times that."""
    definition = scaling(CELL**K, K * CELL ** (K - 1), requires=(N >= 1, *requires))
    assert all_proved(definition, "defined") == has_values


def test_zero_to_the_power_of_what_is_negative_at_large_sizes_has_no_value():
    definition = scaling(CELL * CELL ** (1 - LATE - LATE), CELL)
    assert not all_proved(definition, "defined")


def test_the_base_may_be_a_sum_over_a_place_of_any_name():
    """Also over one that is called as the places of a power are when it is written out."""
    squares = Sum(x[k] ** 2, (k, 0, N - 1))
    for less, is_right in [(1, True), (LATE, False)]:
        definition = op(
            requires=(N >= 1, K >= 1),
            forward=Eq(total[()], squares**K),
            jvp=(),
            vjp=Eq(cotangent(x)[k], 2 * K * x[k] * squares ** (K - less) * cotangent(total)[()]),
        )
        assert all_proved(definition, "vjp") == is_right


def test_a_power_of_an_index_is_one_of_each_place():
    for less, is_right in [(1, True), (LATE, False)]:
        definition = op(
            requires=(N >= 1,),
            forward=Eq(y[a], rate[()] ** a * x[a]),
            jvp=(),
            vjp=(
                Eq(x_bar[a], rate[()] ** a * y_bar[a]),
                Eq(
                    cotangent(rate)[()],
                    Sum(a * rate[()] ** (a - less) * x[a] * y_bar[a], (a, 1, N - 1)),
                ),
            ),
        )
        assert all_proved(definition, "vjp") == is_right
