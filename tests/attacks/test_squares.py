"""Attacks by variances that are written by moments: what is no sum of squares may be below 0."""

import pytest
from attacks import LATE, K, N, all_proved, b, beta, c, holds, op, x, x_bar, x_dot, y, y_dot

from gradproof.language import Eq, If, Ne, Sum, array, cotangent, sqrt

w, s = array("w", N), array("s")
ALL = (b, 0, N - 1)
TOTAL, SQUARES = Sum(x[b], ALL), Sum(x[b] ** 2, ALL)
WEIGHT = Sum(w[b], ALL)
WEIGHTED, OF_SQUARES = Sum(w[b] * x[b], ALL), Sum(w[b] * x[b] ** 2, ALL)
MIXED = Sum(w[b] * x[b] ** 2, ALL) / N - (Sum(w[b] * x[b], ALL) / N) ** 2


@pytest.mark.parametrize(
    ("variance", "is_one"),
    [
        (SQUARES / N - (TOTAL / N) ** 2, True),
        (SQUARES / N - (TOTAL / N) * (TOTAL / N), True),
        ((SQUARES - TOTAL * TOTAL / N) / (N - K), True),
        ((SQUARES - N * (TOTAL / N) ** 2) / (N - K), True),
        (N * SQUARES - TOTAL**2, True),
        (SQUARES / N - (TOTAL / (N - LATE)) ** 2, False),
        (SQUARES / N - (Sum(x[b], (b, 0, N - 1 - LATE)) / N) ** 2 - LATE * x[0] ** 2, False),
        (SQUARES / N - (1 + LATE) * (TOTAL / N) ** 2, False),
        (Sum(x[b] ** 2, (b, LATE, N - 1)) / N - (TOTAL / N) ** 2, False),
        (SQUARES / N - TOTAL / N, False),
        (SQUARES / N - x[0] ** 2, False),
        (-SQUARES / N + (TOTAL / N) ** 2, False),
    ],
)
def test_a_variance_by_moments_is_not_negative(variance, is_one):
    given = (N >= 2, K >= 0, K < N, beta > 0)
    assert holds(variance >= 0, requires=given) == is_one
    assert holds(variance + beta > 0, requires=given) == is_one


def test_where_all_cells_are_equal_a_variance_is_zero():
    variance = SQUARES / N - (TOTAL / N) ** 2
    for nothing in (0, beta):
        statement = variance + nothing > 0
        assert not holds(statement, requires=(N >= 2, beta >= 0))
    assert not holds(Ne(variance, 0), requires=(N >= 2,))


def weighted(statement, *given):
    """A claim about cells that have weights."""
    forward = Eq(y[c], w[c] * x[c])
    parts = {"forward": forward, "jvp": Eq(y_dot[c], w[c] * x_dot[c]), "vjp": (), "constants": (w,)}
    return holds(statement, requires=(N >= 1, *given), **parts)


def test_weights_add_up_to_what_divides_and_none_is_negative():
    variance = OF_SQUARES / WEIGHT - (WEIGHTED / WEIGHT) ** 2
    assert weighted(variance >= 0, w[b] > 0)
    assert not weighted(variance >= 0)
    assert not weighted(variance >= 0, Ne(w[b], 0))
    assert not weighted(MIXED >= 0, w[b] > 0)


def test_means_that_do_not_share_a_place_are_taken_apart():
    """What a guard joins is no product of two sums."""
    apart = Sum(w[b] * x[c], ALL, (c, 0, N - 1)) / WEIGHT
    joined = Sum(w[b] * x[c], ALL, (c, 0, If(N < 50, N - 1, b))) / WEIGHT
    assert weighted(Eq(apart, TOTAL), w[b] > 0)
    assert not weighted(Eq(joined, TOTAL), w[b] > 0)
    assert not weighted(Eq(apart, Sum(x[b], (b, 0, N - 1 - LATE))), w[b] > 0)
    assert not weighted(Eq(apart, TOTAL))


@pytest.mark.parametrize(
    ("divisor", "requires", "is_right"),
    [(N - 1, (N >= 2,), True), (N - K, (K >= 0, K < N), True), (N, (N >= 2,), False)],
)
def test_the_derivative_of_a_standard_deviation_by_moments(divisor, requires, is_right):
    below = N - 1 if divisor is N else divisor
    variance = (SQUARES - TOTAL**2 / N) / below + beta
    definition = op(
        requires=(N >= 1, beta > 0, *requires),
        forward=Eq(s[()], sqrt(variance)),
        jvp=(),
        vjp=Eq(x_bar[c], (x[c] - TOTAL / N) / (divisor * s[()]) * cotangent(s)[()]),
    )
    assert all_proved(definition, "vjp") == is_right
