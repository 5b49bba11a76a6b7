"""Attacks by products: places left out or taken twice, empty ranges, factors that may be 0."""

import pytest
from attacks import (
    BAD,
    LATE,
    K,
    M,
    N,
    a,
    all_proved,
    b,
    beta,
    claim,
    holds,
    op,
    u,
    x,
    x_bar,
    y,
    y_bar,
)

from gradproof.language import Eq, ForAll, If, Ne, Prod, Sum, array, cotangent

z, s = array("z", N, M), array("s")
WITHIN = (N >= 1, K >= 0, K < N, beta**2 >= 0)
TWO = {"forward": Eq(y[a], Sum(z[a, b], (b, 0, M - 1))), "jvp": (), "vjp": ()}
PLANE = ((a, 0, N - 1), (b, 0, M - 1))
ALL, BUT_ONE = Prod(x[b], (b, 0, N - 1)), Prod(If(Eq(b, K), 1, x[b]), (b, 0, N - 1))


def cut(first, second):
    return Eq(ALL, Prod(x[b], (b, 0, first)) * Prod(x[b], (b, second, N - 1)))


@pytest.mark.parametrize(
    ("statement", "is_true"),
    [
        (cut(K - 1, K), True),
        (cut(K - 1 + LATE, K), False),
        (cut(K - 1, K + LATE), False),
        (cut(K, K + 1), True),
        (cut(K, K), False),
        (Eq(ALL, BUT_ONE * x[K]), True),
        (Eq(ALL, BUT_ONE * x[0]), False),
        (Eq(ALL, BUT_ONE), False),
        (Eq(Prod(x[b], (b, 0, K - 1)) * Prod(x[b], (b, K + 1, N - 1)), BUT_ONE), True),
        (Eq(Prod(x[b], (b, 0, K - 1)) * Prod(x[b], (b, K + 1 + LATE, N - 1)), BUT_ONE), False),
        (Eq(ALL, Prod(x[N - 1 - b], (b, 0, N - 1))), True),
        (Eq(ALL**2, Prod(x[b] ** 2, (b, 0, N - 1))), True),
        (Eq(ALL**2, Prod(x[b] * x[N - 1], (b, 0, N - 1))), False),
        (Eq(ALL, Prod(2, (b, 0, N - 1)) * Prod(x[b] / 2, (b, 0, N - 1))), True),
        (Eq(ALL, 2 * Prod(x[b] / 2, (b, 0, N - 1))), False),
    ],
)
def test_each_place_is_a_factor_equally_often(statement, is_true):
    assert holds(statement, requires=WITHIN) == is_true


def test_a_range_is_cut_where_it_has_places():
    """Behind its end, one part has more places than the whole."""
    assert claim(ForAll(cut(u - 1, u), (u, 0, N))).status == BAD
    assert not holds(cut(K - 1, K), requires=(N >= 1, K <= N))


@pytest.mark.parametrize("statement", [Eq(ALL / x[K], BUT_ONE), Eq(ALL / BUT_ONE, x[K])])
def test_what_divides_a_product_may_not_be_zero(statement):
    assert not holds(statement, requires=WITHIN, given=(Ne(x[0], 0),))
    assert holds(statement, requires=(*WITHIN, Ne(x[b], 0)))


def power(number):
    return Prod(beta, (b, 0, number - 1))


@pytest.mark.parametrize(
    ("statement", "least", "is_true"),
    [
        (Eq(power(K) * beta, power(K + 1)), 0, True),
        (Eq(power(K) * beta, power(K + 1)), -1, False),
        (Eq(power(K) * power(M), power(K + M)), 0, True),
        (Eq(power(K) * power(M), power(K + M + LATE)), 0, False),
        (Eq(power(K), 1), 0, False),
        (Eq(Prod(power(K), (u, 0, M - 1)), power(K * M)), 0, True),
        (Eq(Prod(power(K), (u, 0, M - 1)), power(K * M)), -1, False),
    ],
)
def test_equal_factors_are_counted(statement, least, is_true):
    given = (least <= K, least <= M)
    assert holds(statement, requires=(N >= 1, beta**2 >= 0, *given)) == is_true


@pytest.mark.parametrize(
    ("statement", "is_true"),
    [
        (Eq(Prod(z[a, b], *PLANE), Prod(Prod(z[a, b], PLANE[0]), PLANE[1])), True),
        (
            Eq(
                Prod(z[a, b], *PLANE),
                Prod(z[K, b], PLANE[1]) * Prod(If(Eq(a, K), 1, z[a, b]), *PLANE),
            ),
            True,
        ),
        (
            Eq(
                Prod(z[a, b], *PLANE),
                Prod(z[K, b], PLANE[1]) * Prod(If(Eq(b, K), 1, z[a, b]), *PLANE),
            ),
            False,
        ),
        (
            Eq(Prod(z[a, b], *PLANE), z[K, 0] * Prod(If(Eq(a, K) & Eq(b, 0), 1, z[a, b]), *PLANE)),
            True,
        ),
        (Eq(Prod(z[a, b], *PLANE), z[K, 0] * Prod(If(Eq(a, K), 1, z[a, b]), *PLANE)), False),
        (Eq(Prod(z[a, a], PLANE[0]), Prod(z[a, b], PLANE[0], (b, 0, N - 1))), False),
        (Eq(Prod(z[a, b], PLANE[0], (b, 0, a)), Prod(z[a, b], (b, 0, N - 1), (a, b, N - 1))), True),
        (Eq(Prod(z[a, b], PLANE[0], (b, 0, a)), Prod(z[a, b], (b, 0, N - 1), (a, 0, b))), False),
    ],
)
def test_places_of_a_plane(statement, is_true):
    assert holds(statement, requires=(*WITHIN, M >= N), **TWO) == is_true


@pytest.mark.parametrize(
    ("rule", "requires", "is_right"),
    [
        (Prod(If(Eq(b, a), 1, x[b]), (b, 0, N - 1)), (), True),
        (Prod(x[b], (b, 0, a - 1)) * Prod(x[b], (b, a + 1, N - 1)), (), True),
        (Prod(x[b], (b, 0, a - 1)) * Prod(x[b], (b, a + 1 + LATE, N - 1)), (), False),
        (ALL / x[a], (Ne(x[a], 0),), True),
        (ALL, (Ne(x[a], 0),), False),
    ],
)
def test_the_derivative_of_a_product_by_a_factor_that_may_be_zero(rule, requires, is_right):
    definition = op(
        requires=(N >= 1, *requires),
        forward=Eq(s[()], ALL),
        jvp=(),
        vjp=Eq(x_bar[a], rule * cotangent(s)[()]),
    )
    assert all_proved(definition, "vjp") == is_right


def test_the_derivative_of_a_power():
    """The last factor too many is no power of the derivative, and neither is the factor K - 1."""
    for number, exponent, is_right in [(K, K - 1, True), (K, K, False), (K - LATE, K - 1, False)]:
        definition = op(
            requires=(N >= 1, K >= 1),
            forward=Eq(y[a], Prod(x[a], (b, 0, K - 1))),
            jvp=(),
            vjp=Eq(x_bar[a], number * Prod(x[a], (b, 0, exponent - 1)) * y_bar[a]),
        )
        assert all_proved(definition, "vjp") == is_right
