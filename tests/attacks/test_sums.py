"""Attacks by sums and products: limits, counts, factors that may be 0."""

import pytest
import sympy
from attacks import (
    BAD,
    K,
    N,
    a,
    all_proved,
    b,
    beta,
    c,
    claim,
    found,
    holds,
    op,
    proofs,
    statuses,
    u,
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
    Divides,
    Eq,
    ForAll,
    If,
    Max,
    Min,
    Ne,
    Or,
    Prod,
    Sum,
    bracket,
    exp,
    floor_div,
    implies,
    log,
    maximum,
    nat_sub,
    zero_padded,
)


def test_sums_over_different_limits_differ():
    left, right = Sum(exp(x[b]), (b, 0, N - 1)), Sum(exp(x[b]), (b, 0, Min(N - 1, 50)))
    assert not holds(Eq(left, right))
    assert not holds(Eq(1 / left, 1 / right))


def test_an_opaque_sum_depends_on_its_free_symbols():
    left = 1 / Sum(exp(x[b] * K), (b, 0, N - 1))
    right = 1 / Sum(exp(x[b] * If(K > 50, 50, K)), (b, 0, N - 1))
    assert not holds(Eq(left, right), requires=(N >= 1, K >= 0))


@pytest.mark.parametrize(
    ("requires", "status"), [((K >= 0,), "refuted"), ((K >= 1,), BAD), ((K <= -1,), "refuted")]
)
def test_a_coefficient_that_may_be_zero(requires, status):
    """For K < 0 the statement is true, but a floor wants a divisor of at least 1."""
    quotient = floor_div(u, K)
    hit = And(Ne(K, 0), Divides(K, u), quotient >= 0, quotient < N)
    total = Sum(bracket(Eq(K * b, u)) * x[b], (b, 0, N - 1))
    statement = ForAll(Eq(total, bracket(hit) * x[quotient]), (u, -5, 5))
    assert claim(statement, requires=(N >= 1, *requires)).status == status


def test_exp_and_log_do_not_contradict_each_other():
    assert not holds(Eq(N, N + 1), given=(exp(log(beta)) > 0, beta <= 0))
    assert not holds(Eq(exp(log(beta)), beta), requires=(N >= 1, beta >= -1))


def test_a_bracket_is_a_strong_zero():
    right = op(forward=Eq(y[a], x[a] + bracket(Ne(N, 3)) * (1 / (N - 3)) * 0))
    assert all_proved(right, "defined", "jvp")
    wrong = op(forward=Eq(y[a], x[a] + bracket(Ne(N, 3)) * 0 + 0 * (1 / (N - 3))))
    assert statuses(wrong, "defined") == ["refuted"]


@pytest.mark.parametrize(
    "statement",
    [
        Sum(exp(x[b]), (b, 0, N - 2)) > 0,
        Sum(x[b] * exp(x[b]), (b, 0, N - 1)) >= 0,
        Sum(exp(x[b]) / x[b], (b, 0, N - 1)) > 0,
        Ne(Sum(bracket(b > N) * exp(x[b]), (b, 0, N - 1)), 0),
        Sum(exp(x[b]), (b, 0, N - 1), (c, b + 1, 0)) > 0,
        Eq(Sum(1, (b, 0, K)), K + 1),
        Eq(Sum(1, (b, 0, K), (c, b, K)), (K + 1) * (K + 1)),
        Eq(Sum(bracket(b <= K), (b, 0, N - 1)), K + 1),
        Eq(Prod(2, (b, 0, N - 1)), Prod(2, (b, 0, Min(N - 1, 50)))),
        Eq(Sum(x[b], (b, 0, N - 1)) / Sum(x[b], (b, 0, N - 1)), 1),
        Eq(Sum(exp(x[b]) / Sum(exp(x[c]), (c, 0, N - 1)), (b, 0, Min(N - 1, 50))), 1),
        log(Sum(exp(x[b]), (b, 0, N - 1))) <= maximum(x[b], (b, 0, N - 1)),
        log(Sum(exp(K * x[b]), (b, 0, N - 1))) <= log(N) + K * maximum(x[b], (b, 0, N - 1)),
    ],
    ids=str,
)
def test_a_false_claim_about_sums(statement):
    assert not holds(statement, requires=(N >= 1, K >= -3))


def test_a_count_of_an_interval_that_may_be_empty():
    assert holds(Eq(Sum(1, (b, 0, K)), Max(0, K + 1)), requires=(N >= 1, K >= -9))
    assert holds(Eq(Sum(1, (b, 0, K)), K + 1), requires=(N >= 1, K >= -1))


@pytest.mark.parametrize("below", [N - 3, K, x[0], Sum(x[b], (b, 0, N - 1))], ids=str)
def test_a_factor_that_may_be_zero_does_not_cancel(below):
    assert not holds(Eq(below * (1 / below), 1), requires=(N >= 1, K >= 0))


def test_products_that_pair_off_but_for_one():
    left = Sum(x[b], (b, 0, N - 1)) + Sum(x[b], (b, 0, N - 1))
    assert not holds(Eq(left, Sum(x[b], (b, 0, N - 1))))
    assert claim(Eq(left, 2 * Sum(x[b], (b, 0, N - 1)))).status != "refuted"
    assert not holds(Eq(left, left + bracket(And(N > 50, Eq(N, 77)))))


def test_products_over_shifted_ranges_are_compared_without_a_crash():
    assert holds(Eq(Prod(x[b], (b, 0, N - 1)), Prod(x[b], (b, 0, N - 1))))
    assert claim(Eq(Prod(x[b], (b, 0, N - 1)), Prod(x[b] + 1, (b, 0, N - 1)))).status != BAD


def test_a_count_of_ranges_that_depend_on_each_other_is_no_bound():
    total = Sum(exp(x[b]), (a, 0, N - 1), (b, 0, a))
    largest = maximum(x[b], (a, 0, N - 1), (b, 0, a))
    few = Or(N < 50, log(total) <= log(Max(1, a + 1)) + largest)
    assert not holds(ForAll(few, (a, 0, 0)))


def test_a_sum_of_nothing_in_particular():
    assert holds(Sum(bracket(And()), (b, 0, N - 1)) > 0)
    assert not holds(Sum(bracket(And()), (b, 1, N - 1)) > 0)


def test_an_identity_is_no_hypothesis_of_itself():
    """At N = 1 it is false, too: at x = 8, where no point is tried."""
    read = zero_padded(x)[0]
    letter = sympy.Symbol("letter")
    fractions = (2 * letter - 1) * (5 * letter + 19)
    written = sympy.Poly(fractions * sympy.prod(letter - n for n in range(-7, 8)), letter)
    value = 0
    for number in written.all_coeffs():
        value = value * read + number
    same = Eq(If(N < 2, value, read), 0)
    claimed = op(claims=(Claim("claim", implies(Or(same, N >= 1), same)),))
    (finding,) = found(claimed, "claim")
    assert finding.status == "refuted"
    assert not finding.counterexample.smallest


@pytest.mark.parametrize("pointed", [False, True])
def test_a_quotient_is_not_above_itself(pointed):
    """SOUNDNESS: `⌊a/2⌋ ≤ ⌊a/2⌋` was read as `a ≤ 2·⌊a/2⌋`, so odd places had the derivative 0."""
    late = nat_sub(a, 50)
    e, even = floor_div(late, 2), Divides(2, late)

    def sum_of(cell):
        return Sum(bracket(Eq(b, e)) * cell(b), (b, 0, e)) if pointed else Sum(cell(a), (b, e, e))

    def rule(weight):
        jvp = Eq(y_dot[a], weight * x_dot[e if pointed else a])
        back = Sum(weight * y_bar[a] * bracket(Eq(e if pointed else a, b)), (a, 0, N - 1))
        return op(forward=Eq(y[a], sum_of(x.__getitem__)), jvp=jvp, vjp=Eq(x_bar[b], back))

    assert not any(proofs(rule(bracket(even)), "jvp", "vjp"))
    assert all_proved(rule(1), "jvp", "vjp")


ROWS = (b, 0, N - 1)
WHOLE, REST = Eq(floor_div(K * u + b, K), u), Eq((K * u + b) % K, b)


@pytest.mark.parametrize("guard", [WHOLE, REST, And(WHOLE, REST)])
def test_a_guard_does_not_vouch_for_itself(guard):
    """SOUNDNESS: `⌊(K·u + b)/K⌋ = u` says `0 ≤ b < K`, by which it was rewritten to `u = u`."""
    statement = Eq(Sum(bracket(guard) * x[b], ROWS), Sum(x[b], ROWS))
    assert holds(statement, requires=(K >= N, N >= 1, u >= 0))
    assert not holds(statement, requires=(K >= 1, Min(N, 50) <= K, N >= 1, u >= 0))


def test_a_rule_that_forgets_which_cells_lie_in_a_row():
    """SOUNDNESS: both rules were proved."""
    parts = {
        "forward": Eq(y[a], Sum(bracket(WHOLE) * x[b], ROWS)),
        "jvp": Eq(y_dot[a], Sum(x_dot[b], ROWS)),
        "vjp": Eq(x_bar[a], Sum(y_bar[b], ROWS)),
    }
    rows = (N >= 1, u >= 0, K >= 1)
    assert all_proved(op(**parts, requires=(*rows, K >= N)), "jvp", "vjp")
    assert not any(proofs(op(**parts, requires=(*rows, Min(N, 50) <= K)), "jvp", "vjp"))
