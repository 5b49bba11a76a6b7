"""What is written is what is there: definitions that are refused, and how terms print."""

from fractions import Fraction

import pytest
from attacks import (
    LIMIT,
    C,
    K,
    N,
    a,
    all_proved,
    b,
    n,
    op,
    refused,
    x,
    x_bar,
    x_dot,
    y,
)

from gradproof.language import (
    And,
    Claim,
    DefinitionError,
    Divides,
    Eq,
    If,
    Not,
    Op,
    Prod,
    Sum,
    Windows,
    array,
    bracket,
    cotangent,
    exp,
    floor_div,
    log,
    maximum,
    product,
    tangent,
    winner,
)
from gradproof.language import terms as t
from gradproof.language.latex import latex
from gradproof.settle.suite import verify as verify_op


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Sum(x[b], (b, 0, N - 1)) * x[b], Sum(x[b] * x[b], (b, 0, N - 1))),
        (maximum(x[b], (b, 0, N - 1)) * -1, maximum(x[b] * -1, (b, 0, N - 1))),
        (Prod(x[b], (b, 0, N - 1)) * 2, Prod(x[b] * 2, (b, 0, N - 1))),
        (maximum(x[b], (b, 0, N - 1), empty=5), maximum(x[b], (b, 0, N - 1))),
        (
            winner(0, x[b], (b, 0, N - 1), where=And(b > 0, N > 1)),
            And(winner(0, x[b], (b, 0, N - 1), where=b > 0), N > 1),
        ),
    ],
)
def test_what_differs_is_written_differently(one, other):
    assert str(one) != str(other)


def test_a_divisor_is_written_as_one():
    assert str(x[0] / (N * K)) != "x[0]/N·K"
    assert str(x[0] / t.as_term(Fraction(1, 2))) != "x[0]/1/2"
    assert str(floor_div(N, 2 * K)) != "⌊N/2·K⌋"


def test_windows_of_numbers_are_no_crash():
    three = array("x", 3), array("y", 3)
    definition = Op(
        "three",
        forward=Eq(three[1][a], three[0][a]),
        jvp=Eq(tangent(three[1])[a], tangent(three[0])[a]),
        vjp=Eq(cotangent(three[0])[a], cotangent(three[1])[a]),
        windows=Windows(3, 3, 1, 1),
    )
    assert all_proved(definition, "size")


def test_hypotheses_are_conditions():
    assert refused(lambda: op(claims=(Claim("c", N >= 1, given=(True,)),)))
    assert refused(lambda: op(windows=(3,)))


@pytest.mark.parametrize(
    ("one", "other"),
    [(product(n) * C, product(n * C)), (t.Mul(C, t.Mul(N + K)), C * N + K)],
)
def test_what_differs_is_set_differently(one, other):
    assert latex(one) != latex(other)


def test_a_quotient_is_not_shown_as_what_it_is_a_quotient_of():
    """With N = K·N', the step said 0 ≤ K·a + b < K·N and N ≥ 1, of N'."""
    Y = array("y", floor_div(N, K))
    pool = Op(
        "pool",
        requires=(N >= 1, K >= 1, Divides(K, N)),
        forward=Eq(Y[a], Sum(x[K * a + b], (b, 0, K - 1))),
        jvp=Eq(tangent(Y)[a], Sum(x_dot[K * a + b], (b, 0, K - 1))),
        vjp=Eq(x_bar[b], cotangent(Y)[floor_div(b, K)]),
    )
    (size,) = (v for v in verify_op(pool, LIMIT).verdicts if v.name == "output size at least 1")
    assert all("N \\ge 1" not in step.formula for step in size.steps)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: log(1 + x[a] * x[a], 2), r"it takes 1, not 2. .* log\(a\)/log\(b\)"),
        (lambda: exp(x[a], 2), "it takes 1, not 2"),
        (lambda: bracket(a >= 0, a < 1), "it takes 1, not 2"),
        (lambda: bracket(), "it takes 1, not 0"),
        (lambda: Not(a >= 0, a < 1), "it takes 1, not 2"),
        (lambda: If(a >= 0, x[a]), "it takes 3, not 2"),
        (lambda: floor_div(a, 2, 3), "it takes 2, not 3"),
    ],
)
def test_no_part_of_a_term_is_left_unread(build, said):
    """SOUNDNESS: the logarithm to the base 2 had the derivative of the natural one."""
    with pytest.raises(DefinitionError, match=said):
        build()


def test_an_array_is_no_number():
    for build in (lambda: x[a] + x, lambda: x[x], lambda: Sum(x[b], (b, 0, x))):
        with pytest.raises(DefinitionError, match=r"x is no number; of an array read a cell"):
            op(forward=Eq(y[a], build()))


def test_a_constant_is_an_operand():
    for other in ("x", y):
        with pytest.raises(DefinitionError, match=f"constants: {other} is no array that forward"):
            op(constants=(other,))
