"""Ops that divide by what they sum: softmax and the norms."""

from dataclasses import replace
from fractions import Fraction

import pytest

from gradproof.language import (
    Claim,
    DefinitionError,
    Eq,
    Op,
    Sum,
    array,
    cotangent,
    exp,
    integers,
    log,
    maximum,
    reals,
    sqrt,
    tangent,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.settle.preconditions import needed
from gradproof.theorems.obligations import obligations

N, i, j, k, w = integers("N i j k w")
eps = reals("eps")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)


def over(symbol):
    return symbol, 0, N - 1


def softmax(sign=-1):
    def rule(v):
        return y[i] * (v[i] + sign * Sum(y[w] * v[w], over(w)))

    forward = Eq(y[i], exp(x[i]) / Sum(exp(x[j]), over(j)))
    return Op("softmax", forward, Eq(y_dot[i], rule(x_dot)), Eq(x_bar[i], rule(y_bar)), (N >= 1,))


def shifted_softmax(above=1):
    """The rules compute the weights anew, with exponents that are not above 0."""
    largest = maximum(x[k], over(k))
    total = Sum(exp(x[j] - largest), over(j))

    def rule(v):
        inner = Sum(exp(x[w] - above * largest) * v[w], over(w)) / total
        return exp(x[i] - largest) / total * (v[i] - inner)

    rules = Eq(y_dot[i], rule(x_dot)), Eq(x_bar[i], rule(y_bar))
    return replace(softmax(), name="shifted_softmax", jvp=rules[0], vjp=rules[1])


def rms_norm(count=N):
    mean = Sum(x[j] ** 2, over(j)) / N + eps
    root = sqrt(mean)

    def rule(v):
        return v[i] / root - x[i] * Sum(x[w] * v[w], over(w)) / (count * mean * root)

    forward = Eq(y[i], x[i] / root)
    rules = Eq(y_dot[i], rule(x_dot)), Eq(x_bar[i], rule(y_bar))
    return Op("rms_norm", forward, *rules, (N >= 1, eps > 0))


def scaled(power=2, factor=2):
    """Divided by the sum of squares, with rules as the quotient rule gives them."""
    total = Sum(x[j] ** 2, over(j)) + eps

    def rule(v):
        return (v[i] * total - factor * x[i] * Sum(x[w] * v[w], over(w))) / total**power

    rules = Eq(y[i], x[i] / total), Eq(y_dot[i], rule(x_dot)), Eq(x_bar[i], rule(y_bar))
    return Op("scaled", *rules, (N >= 1, eps > 0))


def statuses(op, *kinds):
    return {th.name: settled(th, RLIMIT).status for th in obligations(op) if th.kind in kinds}


RIGHT = [softmax(), shifted_softmax(), rms_norm(), scaled()]
WRONG = [
    *(softmax(sign=1), shifted_softmax(above=2), rms_norm(count=N + 1)),
    *(scaled(power=1), scaled(factor=1)),
]


@pytest.mark.parametrize("op", RIGHT, ids=lambda op: op.name)
def test_right_rules_are_proved(op):
    assert set(statuses(op, "defined", "jvp", "vjp", "linear").values()) == {"proved"}


@pytest.mark.parametrize("op", WRONG, ids=lambda op: op.name)
def test_wrong_rules_are_refuted(op):
    assert set(statuses(op, "jvp", "vjp").values()) == {"refuted"}


def test_a_logarithm_of_what_is_the_same_for_all_inputs():
    """With one cell the variance is 0, whatever the cell; the clause is needed there."""
    mean = Sum(x[j], over(j)) / N
    variance = Sum((x[w] - mean) ** 2, over(w)) / N + eps
    rules = Eq(y[i], log(variance)), Eq(y_dot[i], x_dot[i]), Eq(x_bar[i], y_bar[i])
    op = Op("variance", *rules, (N >= 1, eps > 0))
    theorems = tuple(th for th in obligations(op) if th.kind == "defined")
    found = needed(op, op.requires[1], theorems, RLIMIT)
    assert found.note.startswith("needed: with N = 1, eps = -1")


def claimed(statement, least):
    rules = Eq(y[i], eps * x[i]), Eq(y_dot[i], eps * x_dot[i]), Eq(x_bar[i], eps * y_bar[i])
    op = Op("scaled", *rules, (N >= 1, eps > least), claims=(Claim("roots", statement),))
    return statuses(op, "claim")["roots"]


@pytest.mark.parametrize(
    "statement",
    [
        Eq(sqrt(eps) * sqrt(eps), eps),
        Eq(sqrt(eps) / eps, 1 / sqrt(eps)),
        Eq(1 / sqrt(eps), exp(-log(eps) / 2)),
        Eq(1 / (sqrt(eps) * sqrt(eps)), 1 / eps),
        Eq(eps * sqrt(eps) / exp(3 * log(eps) / 2), 1),
    ],
    ids=str,
)
def test_powers_of_one_base_are_multiplied_where_it_is_positive(statement):
    assert claimed(statement, 0) == "proved"
    assert claimed(statement, -2) == "refuted"


WEIGHTS, LOWERED = (Sum(exp(x[j] - shift), over(j)) for shift in (0, eps))


@pytest.mark.parametrize(
    "statement",
    [
        Eq(exp(eps) * exp(-eps), 1),
        Eq(exp(eps) * exp(eps) / exp(3 * eps), 1 / exp(eps)),
        Eq(exp(eps / 2) * exp(eps / 2), exp(eps)),
        Eq(exp(x[0] - eps) / LOWERED, exp(x[0]) / WEIGHTS),
        Eq(exp(x[0]) / LOWERED, exp(x[0] + eps) / WEIGHTS),
        Eq(exp(eps - maximum(x[j], over(j))), exp(eps) / exp(maximum(x[k], over(k)))),
    ],
    ids=str,
)
def test_powers_of_e_are_multiplied(statement):
    assert claimed(statement, 0) == "proved"


@pytest.mark.parametrize(
    "statement",
    [
        Eq(exp(eps) * exp(eps), exp(eps)),
        Eq(exp(eps) * exp(-2 * eps), 1),
        Eq(exp(eps / 2) * exp(-eps), exp(eps / 2)),
        Eq(exp(x[0]) / LOWERED, exp(x[0] - eps) / WEIGHTS),
        Eq(exp(x[0]) / LOWERED, exp(x[0]) / WEIGHTS),
        Eq(exp(x[0]) * exp(-x[N - 1]), 1),
    ],
    ids=str,
)
def test_powers_of_e_that_differ_are_told_apart(statement):
    assert claimed(statement, 0) == "refuted"


ROW = Sum(x[j] ** 2, over(j)) + eps


@pytest.mark.parametrize(
    "statement",
    [
        Eq(sqrt(eps + 1) * sqrt(eps + 1), eps + 1),
        Eq(ROW / sqrt(ROW), sqrt(ROW)),
        Eq(ROW / (ROW + 1), 1 - 1 / (ROW + 1)),
        Eq(1 / ROW - 1 / (ROW + 1), 1 / (ROW * (ROW + 1))),
        Eq(sqrt(ROW) + 1 / ROW, (ROW * sqrt(ROW) + 1) / ROW),
    ],
    ids=str,
)
def test_sums_that_divide_are_cleared(statement):
    assert claimed(statement, 0) == "proved"


@pytest.mark.parametrize(
    "statement",
    [
        Eq(sqrt(eps) * sqrt(eps), 1 / eps),
        Eq(sqrt(eps) * sqrt(eps + 1), eps),
        Eq(sqrt(eps) / eps, sqrt(eps)),
        Eq(sqrt(eps) * exp(log(eps) / 3), eps),
        Eq(sqrt(eps + 1), 1 / sqrt(eps + 1)),
        Eq(1 / (eps + 1) + sqrt(eps + 1), 1 / (eps + 1)),
        Eq((eps + 2) / (eps + 1), 1 + 2 / (eps + 1)),
    ],
    ids=str,
)
def test_powers_that_differ_are_told_apart(statement):
    assert claimed(statement, 0) == "refuted"


def test_a_square_root_is_shown_as_one():
    assert str(sqrt(eps + 1) / eps) == "√(eps + 1)/eps"
    assert str(exp(log(eps) / 3)) == "exp(log(eps)/3)"


def test_powers_may_be_fractions_and_negative_and_are_exact():
    assert str(eps ** Fraction(1, 2)) == "exp(1/2·log(eps))"
    assert str(eps**-1) == str(1 / eps)
    with pytest.raises(DefinitionError, match="write an exact number"):
        eps**0.5


# Rules that divide by the output.


def root(divisor=y[i]):
    root = sqrt(x[i] * x[i] + eps)
    rules = Eq(y_dot[i], x[i] * x_dot[i] / root), Eq(x_bar[i], x[i] * y_bar[i] / divisor)
    return Op("root", Eq(y[i], root), *rules, requires=(N >= 1, eps > 0))


def test_the_output_is_what_the_forward_equation_says_where_a_rule_divides_by_it():
    name = "vjp x_bar: divisors and logarithms"
    theorems = {th.name: th for th in obligations(root())}
    assert {settled(th, RLIMIT).status for th in theorems.values()} == {"proved"}
    assert theorems[name].rests_on == (
        "forward: divisors and logarithms",
        "forward: reads and writes",
    )
    wrong = {th.name: th for th in obligations(root(y[i] - 1))}
    found = settled(wrong[name], RLIMIT)
    assert found.status == "refuted"
    assert set(found.counterexample.values) <= {"x"}
