"""Attacks by what has no value: divisors, logarithms, reads and writes out of bounds."""

from fractions import Fraction

import pytest
import sympy
from attacks import (
    BAD,
    K,
    M,
    N,
    a,
    all_proved,
    b,
    best,
    beta,
    claim,
    holds,
    op,
    refused,
    statuses,
    total,
    x,
    x_bar,
    x_dot,
    y,
    y_bar,
    y_dot,
)

from gradproof.language import (
    And,
    Claim,
    DefinitionError,
    Eq,
    ForAll,
    If,
    Max,
    Ne,
    Op,
    Or,
    Scatter,
    Sum,
    Windows,
    array,
    bracket,
    cotangent,
    derivative,
    exp,
    floor_div,
    fold,
    implies,
    log,
    maximum,
    mod,
    scatter,
    tangent,
    zero_padded,
)


def test_an_unclipped_scatter():
    shifted = scatter(x_bar[a - 1], y_bar[a] * bracket(N < 0), (a, 0, N - 1))
    assert not all_proved(op(vjp=shifted), "in bounds")


def test_a_scatter_clipped_by_what_it_reads():
    picky = scatter(x_bar[a], y_bar[a], (a, 0, N - 1), where=y_bar[a] > -1)
    assert not all_proved(op(vjp=picky), "vjp", "linear")


def test_a_missing_precondition_is_not_simplified_away():
    wrong = op(forward=Eq(y[a], beta * x[a] / beta), requires=(N >= 1, beta >= 0))
    assert statuses(wrong, "defined") == ["refuted"]
    strided = floor_div(K * a, K)
    forward = Eq(y[a], zero_padded(x)[strided])
    assert statuses(op(forward=forward, requires=(N >= 1, K >= 0)), "defined") == ["refuted"]


@pytest.mark.parametrize(
    "part",
    [
        0 * (1 / (N - 3)),
        0 * log(N - 3),
        If(N > 2, 0, 1 / (N - 2)),
        Sum(0 * (1 / (b - 1)), (b, 0, N - 1)),
        Sum(0, (b, 0, floor_div(5, N - 3))),
        bracket(Or(Eq(mod(5, N - 3), 0), N >= 0)) * 0,
        0 * maximum(1 / (b - 1), (b, 0, N - 1)),
        0 * zero_padded(x)[floor_div(a, N - 3)],
        0 * x[a + 1],
        0 * fold(best, (b, 0, N - 1), best=(best, 0, 1 / (b - 1))),
    ],
    ids=str,
)
def test_what_is_undefined_somewhere(part):
    wrong = op(forward=Eq(y[a], x[a] + part))
    assert not all_proved(wrong, "defined", "in bounds")


def test_what_is_undefined_in_a_rule():
    rule = x_dot[a] + 0 * (1 / (N - 3)) * x_dot[a]
    assert not all_proved(op(jvp=Eq(y_dot[a], rule)), "defined")
    wide = scatter(x_bar[a], y_bar[a] + 0 * y_bar[a + 1], (a, 0, N - 1))
    assert not all_proved(op(vjp=wide), "in bounds")


@pytest.mark.parametrize(
    "statement",
    [
        Eq(0 * (1 / (N - 3)), 0),
        Eq(floor_div(N, N - 3), floor_div(N, N - 3)),
        Or(Ne(K, 0), Eq(mod(N, K), N)),
        Eq(log(exp(K) * K), K + log(K)),
        Or(N < 3, Eq(y[N + 5], x[N + 5]), N > 50),
    ],
    ids=str,
)
def test_what_is_undefined_in_a_claim(statement):
    """SOUNDNESS: claims get no obligation to be defined, and somewhere these are not."""
    stated = op(claims=(Claim("c", statement),), requires=(N >= 1, K >= 0))
    assert not all_proved(stated, "claim", "defined")


SLOPE = derivative(y[0], x[0])  # which is 1


@pytest.mark.parametrize(
    ("statement", "status"),
    [
        (implies(Eq(SLOPE, 1), Eq(log(x[0]), log(x[0]))), "refuted"),
        (implies(Eq(derivative(y_dot[0], x_dot[0]), 1), Eq(1 / x[0], 1 / x[0])), "refuted"),
        (Eq(bracket(Eq(SLOPE, 1)) * (1 / x[0]), bracket(Eq(SLOPE, 1)) * (1 / x[0])), "refuted"),
        (Eq(x[0] * SLOPE / SLOPE, x[0]), "proved"),
    ],
    ids=str,
)
def test_what_a_claim_needs_is_asked_of_what_the_op_computes(statement, status):
    """SOUNDNESS: of a free y the slope is 0, so nothing was asked where it is 1."""
    assert claim(statement).status == status


def test_what_the_op_computes_may_be_divided_by():
    """It was refuted at y = 0, which x² + 1 never is."""
    statement = ForAll(Eq(x[a] / y[a] * y[a], x[a]), (a, 0, N - 1))
    assert holds(statement, forward=Eq(y[a], x[a] ** 2 + 1))


def test_what_stands_for_an_empty_window_is_asked_where_one_is():
    """A window of N ≥ 1 cells is none."""

    def bounds(requires):
        largest = maximum(x[b], (b, 0, N - 1), empty=x[N])
        return statuses(op(requires=requires, forward=Eq(y[a], largest)), "in bounds")[0]

    assert bounds((N >= 1,)) == "proved"
    largest = Eq(array("y", K)[a], maximum(x[b], (b, 0, N - 1), empty=x[N]))
    anywhere = Op(
        "anywhere",
        requires=(N >= 0, K >= 1),
        forward=largest,
        jvp=Eq(tangent(array("y", K))[a], 0),
        vjp=Eq(x_bar[a], 0),
    )
    assert statuses(anywhere, "in bounds")[0] == "refuted"


def test_ends_that_read_tensors_are_no_crash():
    reads = Sum(x[a], (b, 0, If(x[a] > 50, 1, 0)))
    assert "error" not in statuses(op(forward=Eq(y[a], reads)), "in bounds")


@pytest.mark.parametrize(
    ("forward", "clauses", "given"),
    [
        (x[a] + 0 * (1 / K), (N >= 1, K >= 1), ()),
        (x[a] + 0 * x[a + K - 1], (N >= 1, K >= 1, K <= 1), (K >= 0,)),
    ],
    ids=str,
)
def test_without_a_clause_what_is_inlined_may_have_no_value(forward, clauses, given):
    kept = ForAll(Eq(y[a], x[a]), (a, 0, N - 1))
    said = Claim("c", kept, without=(K >= 1,), symbols=(K,), given=given)
    rules = {"requires": clauses, "forward": Eq(y[a], forward)}
    assert not all_proved(op(claims=(said,), **rules), "claim")
    assert all_proved(op(claims=(Claim("c", kept),), **rules), "claim")


def test_windows_are_defined():
    """At K = 0 the size that the windows are said to fit in has no value."""
    windows = Windows(count=N, size=N + 0 * floor_div(N, K), extent=1, stride=1)
    assert not all_proved(op(requires=(N >= 1, K >= 0), windows=windows), "size", "defined")


def test_without_a_clause_a_scatter_may_write_outside():
    """At K = 1 the rule writes x_bar[N]."""
    moved = ForAll(Eq(x_bar[b], zero_padded(y_bar)[b - K]), (b, 0, N - 1))
    shifted = op(
        requires=(N >= 1, K >= 0, K <= 0),
        vjp=scatter(x_bar[a + K], y_bar[a], (a, 0, N - 1)),
        claims=(Claim("c", moved, without=(K <= 0,), symbols=(K,)),),
    )
    assert not all_proved(shifted, "claim")


def test_without_a_clause_an_array_may_have_no_shape():
    """At K = 0 the size of x has no value."""
    X, Y = array("x", floor_div(N, K)), array("y", floor_div(N, K))
    twice = Eq(2 * zero_padded(X)[0], zero_padded(X)[0] + zero_padded(X)[0])
    definition = Op(
        "shapeless",
        requires=(N >= 1, K >= 1, N >= K),
        forward=Eq(Y[a], X[a]),
        jvp=Eq(tangent(Y)[a], tangent(X)[a]),
        vjp=Eq(cotangent(X)[a], cotangent(Y)[a]),
        claims=(Claim("c", twice, without=(K >= 1,), given=(K >= 0,)),),
    )
    assert not all_proved(definition, "claim")


def test_a_scatter_into_padding_is_none():
    """SOUNDNESS: it writes x_bar[-1], and nothing asked whether that is in bounds."""
    target = zero_padded(x_bar)[a - 1]

    def build():
        return op(
            forward=Eq(y[a], zero_padded(x)[a - 1]),
            jvp=Eq(y_dot[a], zero_padded(x_dot)[a - 1]),
            vjp=Scatter(target, y_bar[a], And(), sympy.Tuple(a, sympy.Integer(0), N - 1)),
        )

    assert refused(build) or not all_proved(build())


def differing(weight):
    """What is larger than its neighbour, added up."""
    part = If(b > 0, If(x[b] > x[b - 1], x[b], 0), 0)
    moved = If(b > 0, If(x[b] > x[b - 1], weight * x_dot[b], 0), 0)
    made = array("y", M)
    return Op(
        "differing",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], fold(total, (b, 0, N - 1), total=(total, 0, total + part))),
        jvp=Eq(tangent(made)[a], Sum(moved, (b, 0, N - 1))),
        vjp=Eq(
            x_bar[b],
            If(b > 0, If(x[b] > x[b - 1], weight, 0), 0) * Sum(cotangent(made)[a], (a, 0, M - 1)),
        ),
    )


def test_a_branch_that_is_not_reached_need_have_no_value():
    """x[b] > x[b - 1] is asked where b > 0 only: nothing could be tried, so nothing refuted."""
    assert statuses(differing(1), "jvp", "vjp") == [BAD, BAD]
    assert statuses(differing(2), "jvp", "vjp") == ["refuted", "refuted"]


@pytest.mark.parametrize(("weight", "status"), [(1, BAD), (2, "refuted")])
def test_a_product_that_is_not_reached_need_have_no_value(weight, status):
    made = array("y", M)
    moved = bracket(x[b] > x[b - 1]) * (x_dot[b] - x_dot[b - 1])
    definition = Op(
        "rising",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], Sum(bracket(b > 0) * Max(x[b] - x[b - 1], 0), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], weight * Sum(bracket(b > 0) * moved, (b, 0, N - 1))),
        vjp=Eq(x_bar[a], 0),
    )
    assert statuses(definition, "jvp") == [status]


def test_a_power_of_0_still_needs_a_value():
    """SOUNDNESS: it was 1 as soon as it was written, so `(1/x[0])**0 = 1` was proved."""
    assert not holds(Eq((1 / x[0]) ** 0, 1))
    assert not holds(Eq(x[N] ** 0, 1))
    assert holds(Eq(x[0] ** 0, 1))
    assert holds(Eq((x[0] * 3) ** sympy.Integer(2), 9 * x[0] ** 2))
    assert not holds(Eq(x[0] ** -1 * x[0], 1))
    assert not holds(Eq(x[0] ** Fraction(1, 2) * x[0] ** Fraction(1, 2), x[0]))
    for power in (True, 0.5):
        with pytest.raises(DefinitionError):
            x[0] ** power


def test_sympy_does_not_forget_where_a_root_is_defined():
    with pytest.raises(DefinitionError, match=r"use sqrt of gradproof\.language"):
        sympy.sqrt(x[a]) ** 2
