"""Exact evaluation and the solver mean the same."""

from fractions import Fraction

import mpmath
import pytest
from attacks import (
    BAD,
    FAR,
    K,
    M,
    N,
    a,
    b,
    beta,
    c,
    claim,
    holds,
    op,
    proofs,
    u,
    x,
    x_bar,
    x_dot,
    y,
    y_bar,
    y_dot,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from quick import drawing

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import INTERVALS, RATIONALS, Undefined
from gradproof.language import (
    And,
    Divides,
    Eq,
    ForAll,
    Max,
    Ne,
    Or,
    Prod,
    bracket,
    ceil_div,
    exp,
    floor_div,
    implies,
    log,
    mod,
    nat_div,
    nat_sub,
    trunc_div,
)
from gradproof.language import terms as t
from gradproof.prove.rules.smt import RLIMIT, Script, solve
from gradproof.prove.tactics.asking import ask

NAMES = (a, b, c)
BINARY = (
    *(t.FloorDiv, t.CeilDiv, t.Mod, t.TruncDiv, t.TruncMod, t.NatSub, t.NatDiv),
    *(t.Add, t.Mul, t.Min, t.Max),
)
RELATIONS = (t.Le, t.Lt, t.Ge, t.Gt, t.Eq, t.Ne, t.Divides)


def terms_from(leaves):
    def grown(inner):
        condition = st.builds(
            lambda kind, left, right: kind(left, right), st.sampled_from(RELATIONS), inner, inner
        )
        conditions = st.one_of(
            condition,
            st.builds(t.And, condition, condition),
            st.builds(t.Or, condition, condition),
            st.builds(t.Not, condition),
        )
        return st.one_of(
            st.builds(lambda kind, u, v: kind(u, v), st.sampled_from(BINARY), inner, inner),
            st.builds(t.If, conditions, inner, inner),
        )

    return st.recursive(leaves, grown, max_leaves=6)


small = st.integers(-7, 7)
integer_terms = terms_from(st.one_of(st.sampled_from(NAMES), small.map(t.as_term)))


def defined_value(term, values):
    try:
        return Evaluator(RATIONALS, {}).value(term, values)
    except Undefined:
        return None


@drawing(250)
@given(integer_terms, st.tuples(small, small, small))
def test_the_solver_computes_what_evaluation_computes(term, numbers):
    values = dict(zip(NAMES, numbers, strict=True))
    value = defined_value(term, values)
    assume(value is not None)
    fixed = [Eq(symbol, number) for symbol, number in values.items()]
    assert ask(fixed, Eq(term, value)).status == BAD
    assert ask(fixed, Ne(term, value)).status == "refuted"


@drawing(150)
@given(integer_terms, st.tuples(small, small, small))
def test_the_solver_computes_the_same_under_a_quantifier(term, numbers):
    """There, quotients are Z3's own and not ours."""
    values = dict(zip(NAMES, numbers, strict=True))
    value = defined_value(term, values)
    assume(value is not None)
    ranges = [(symbol, number, number) for symbol, number in values.items()]
    question = Script().text((), ForAll(Eq(term, value), *ranges))
    assert solve(question, RLIMIT) == BAD


@drawing(150)
@given(integer_terms, st.tuples(small, small, small))
def test_what_is_said_of_multiples_is_so(term, numbers):
    """It contradicts no value: from a contradiction anything follows."""
    values = dict(zip(NAMES, numbers, strict=True))
    value = defined_value(term, values)
    assume(value is not None)
    fixed = [Eq(symbol, number) for symbol, number in values.items()]
    assert solve(Script(True).text(fixed, Ne(term, value)), RLIMIT) == "refuted"


@pytest.mark.parametrize("divisor", [-2, -1, 1, 2])
def test_multiples_differ_by_their_divisor(divisor):
    """Of a divisor below 0 nothing is said."""
    quotients = [Eq(floor_div(symbol, K), value) for symbol, value in ((a, 3), (b, -5), (c, 0))]
    products = [Eq(K * u, 7 * K), Eq(u, 7)]
    script = Script(True)
    question = script.text([Eq(K, divisor), *quotients, *products], Or())
    assert any(script.order())
    assert solve(question, RLIMIT) == "refuted"


IN_ITS_GROUP = [a >= 0, a < N * M, b >= 0, b < M, M >= 1]
ROLLED = [a >= 0, a < N, b >= 0, b < N, N >= 1]


@pytest.mark.parametrize(
    ("hypotheses", "goal", "expected"),
    [
        (IN_ITS_GROUP, floor_div(a, M) * M + b < N * M, "proved"),
        (IN_ITS_GROUP, floor_div(a, M) * M + b < N * M - 1, "refuted"),
        (IN_ITS_GROUP[:2], floor_div(a, M) * M + b < N * M, "refuted"),
        ([*ROLLED, Eq(mod(a + K, N), b)], Eq(mod(b - K, N), a), "proved"),
        ([*ROLLED, Eq(mod(a + K, N), b)], Eq(mod(b + K, N), a), "refuted"),
    ],
)
def test_arithmetic_with_an_unknown_divisor(hypotheses, goal, expected):
    assert ask(hypotheses, goal).status == expected


@drawing(100)
@given(st.sampled_from((t.FloorDiv, t.CeilDiv, t.TruncDiv)), small, small)
def test_a_quotient_by_zero_is_undefined_or_said(kind, above, below):
    """Where evaluation is undefined the solver knows nothing, so it proves nothing either."""
    term = kind(a, b)
    fixed = [Eq(a, above), Eq(b, below)]
    if defined_value(term, {a: above, b: below}) is None:
        assert all(ask(fixed, Ne(term, guess)).status != BAD for guess in (0, above))
    else:
        assert isinstance(defined_value(term, {a: above, b: below}), int)


def test_hypotheses_that_share_no_name_still_count():
    assert ask((Eq(N, 1), Or()), Eq(K, 3)).status == BAD
    assert ask((K > 2, K < 2), Eq(N, 3)).status == BAD


@pytest.mark.parametrize(
    ("statement", "true"),
    [
        (Eq(nat_sub(N, K) + K, Max(N, K)), True),
        (Eq(nat_sub(N, K) + K, N), False),
        (Eq(trunc_div(nat_sub(N, K), 2), floor_div(Max(N - K, 0), 2)), True),
        (Or(N < 50, Eq(trunc_div(N - K, 2), floor_div(N - K, 2))), False),
        (Eq(nat_div(nat_sub(N, 1), K) + 1, ceil_div(N, Max(K, 1))), False),
        (Or(K < 1, Eq(nat_div(nat_sub(N, 1), K) + 1, ceil_div(N, Max(K, 1)))), True),
    ],
    ids=str,
)
def test_arithmetic_of_several_languages(statement, true):
    assert holds(statement, requires=(N >= 1, K >= 0)) == true


def test_a_number_too_large_to_write_down():
    assert holds(exp(exp(exp(exp(x[0])))) > 0)
    assert claim(exp(exp(exp(exp(x[0])))) > 1, requires=(N >= 1,)).status != "error"


def test_a_quotient_that_equals_a_real_is_a_whole_number():
    """False at N = 51, beta = 51/2: 2 does not divide N."""
    quotient = And(Divides(2, N), Eq(floor_div(N, 2), beta))
    exactly = Eq(N, 2 * beta)
    sizes = {"requires": (N >= 1, beta >= 0)}
    assert not holds(Eq(bracket(quotient), bracket(exactly)), **sizes)
    wrong = op(
        forward=Eq(y[a], FAR * bracket(quotient) * x[a]),
        jvp=Eq(y_dot[a], FAR * bracket(exactly) * x_dot[a]),
        vjp=Eq(x_bar[a], FAR * bracket(exactly) * y_bar[a]),
        **sizes,
    )
    assert True not in proofs(wrong, "jvp", "vjp")


def test_floats_are_no_witness_and_no_judge():
    """They take e to the -1000 for 0, e to the 1400 for no number, and e to the -30 for little."""
    assert claim(implies(Eq(exp(1000 * x[0]), 0), x[0] < 0)).status == "vacuous"
    huge = exp(700 + 0 * x[0]) * exp(700)
    assert claim(Eq(huge, 2 * huge)).status == "refuted"
    assert claim(Eq(exp(-30 + 0 * x[0]), 0)).status == "refuted"


SMALL = x[0] / 2**40


@pytest.mark.parametrize(
    "statement",
    [
        implies(x[0] > 0, exp(x[0] / 2**24) > 1 + x[0] / 2**24 + x[0] * x[0] / 2**49),
        Eq(2**100 * log(Prod(exp(SMALL), (b, 0, 0))), 2**100 * SMALL),
        Eq(2**100 * log(exp(SMALL)), 2**100 * SMALL),
    ],
    ids=["series", "product", "inverse"],
)
def test_an_interval_holds_its_number(statement):
    """mpmath rounds an approximation: both ends of e^(2^-40) were below it."""
    assert claim(statement).status in (BAD, "unknown")


@given(st.integers(-60, 20), st.integers(1, 2**30))
def test_exp_and_log_are_within_their_intervals(exponent, digits):
    with mpmath.workprec(400):
        for function, exact in ((INTERVALS.exp, mpmath.exp), (INTERVALS.log, mpmath.log)):
            value = Fraction(digits) * Fraction(2) ** (exponent - 40)
            low, high = map(mpmath.mpf, function(INTERVALS.lift(value)).ends)
            assert low <= exact(mpmath.mpf(value.numerator) / value.denominator) <= high
    assert INTERVALS.sign(INTERVALS.log(INTERVALS.exp(INTERVALS.zero))) == 0
