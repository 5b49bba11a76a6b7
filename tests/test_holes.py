"""Attacks: definitions that are wrong, which must never be proved, and true ones never refuted.

Where the second route would see the mistake at small sizes, the attack hides it behind `N < 50` or
a window of `max(0, N - 50) + 1` cells, so that only the proof for all sizes can be at fault.
"""

from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verify import terms as t
from verify.boundaries import off_boundary
from verify.check import RANKS, settled
from verify.evaluate import Evaluator
from verify.language import (
    And,
    Claim,
    DefinitionError,
    Divides,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Min,
    Ne,
    Not,
    Op,
    Or,
    Prod,
    Scatter,
    Sum,
    Windows,
    array,
    axes,
    bracket,
    call,
    ceil_div,
    cotangent,
    derivative,
    exp,
    floor_div,
    fold,
    implies,
    inside,
    integers,
    log,
    maximum,
    mod,
    nat_div,
    nat_sub,
    on_axis,
    product,
    reals,
    scatter,
    tangent,
    trunc_div,
    trunc_mod,
    unique,
    winner,
    zero_padded,
)
from verify.numbers import INTERVALS, RATIONALS, Undecided, Undefined
from verify.obligations import obligations
from verify.preconditions import needed, satisfiable, witnessed
from verify.printing import latex
from verify.proving import prove
from verify.ranks import at_rank
from verify.replay import Point
from verify.smt import RLIMIT, NotLowered, Script, ask, solve
from verify.substitution import free
from verify.suite import verify as verify_op
from verify.terms import Sym
from verify.theorems import Sequent, Theorem
from verify.unrolling import instances

# Open when written; each docstring that begins with SOUNDNESS says what goes wrong:
#   test_a_call_inside_a_call, test_an_input_named_like_a_tangent,
#   test_nested_quantifiers_keep_their_variables_apart,
#   test_a_parameter_named_like_the_inductions_own, test_a_parameter_named_like_the_sum_rules_own,
#   test_a_seeded_loop_over_an_empty_range, test_a_window_that_moves_with_its_winner,
#   test_a_sum_that_binds_a_size, test_a_scatter_that_binds_a_size,
#   test_the_place_of_a_winner_is_defined, test_what_is_undefined_in_a_claim,
#   test_the_declared_windows_are_those_of_the_output, test_a_rounding_that_does_not_exist,
#   test_a_true_claim_is_not_refuted; and as crashes test_a_vacuous_claim (IndexError on Or()),
#   test_a_parameter_as_a_divisor (AttributeError).

N, M, K, C, a, b, c, u, v, w = integers("N M K C a b c u v w")
n, k, s, p, i, j, o = axes("n k s p i j o")
beta, best = reals("beta best")
at, has = integers("at has")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
BAD = "proved"
LIMIT = RLIMIT // 4


def op(**changes):
    """The identity, with some of its parts changed."""
    parts = {
        "name": "attack",
        "requires": (N >= 1,),
        "forward": Eq(y[a], x[a]),
        "jvp": Eq(y_dot[a], x_dot[a]),
        "vjp": Eq(x_bar[a], y_bar[a]),
    }
    parts |= changes
    return Op(parts.pop("name"), **parts)


def theorems(definition, *kinds):
    wanted = [th for th in obligations(definition) if not kinds or th.kind in kinds]
    assert wanted
    return wanted


def found(definition, *kinds):
    """The findings of all theorems, or of those of some kinds."""
    return [settled(th, LIMIT) for th in theorems(definition, *kinds)]


def statuses(definition, *kinds):
    return [f.status for f in found(definition, *kinds)]


def is_proved(theorem):
    """Whether the verdict is `proved`, without a search for counterexamples if it is not."""
    ranks = RANKS if theorem.is_rank_generic else (None,)
    instances = (theorem if r is None else theorem.at_rank(r) for r in ranks)
    if any(prove(instance, False, LIMIT).status != BAD for instance in instances):
        return False
    return settled(theorem, LIMIT).status == BAD


def proofs(definition, *kinds):
    return [is_proved(th) for th in theorems(definition, *kinds)]


def all_proved(definition, *kinds):
    return all(proofs(definition, *kinds))


def claiming(statement, given, changes):
    return op(claims=(Claim("c", statement, given=given),), **changes)


def claim(statement, given=(), **changes):
    """The finding for one claim about the identity."""
    (finding,) = found(claiming(statement, given, changes), "claim")
    return finding


def holds(statement, given=(), **changes):
    """Whether a claim about the identity is proved."""
    return all_proved(claiming(statement, given, changes), "claim")


def refused(build):
    """Whether a definition is refused; what is refused is never proved."""
    try:
        build()
    except DefinitionError:
        return True
    return False


# The holes of the prototype, one by one.

inC, outC, ci, co = integers("inC outC ci co")


def convolution(**changes):
    X, W = array("x", inC, N), array("W", outC, inC, K)
    taps = ((ci, 0, inC - 1), (v, 0, K - 1))
    wide = array("y", outC, N + K - 1)
    parts = {
        "requires": (N >= 1, K >= 1, inC >= 1, outC >= 1),
        "forward": Eq(wide[co, u], Sum(W[co, ci, v] * zero_padded(X)[ci, u - v], *taps)),
        "jvp": Eq(
            tangent(wide)[co, u],
            Sum(
                W[co, ci, v] * zero_padded(tangent(X))[ci, u - v]
                + tangent(W)[co, ci, v] * zero_padded(X)[ci, u - v],
                *taps,
            ),
        ),
        "vjp": (
            Eq(cotangent(X)[ci, a], conv_rule(W, wide)),
            Eq(
                cotangent(W)[co, ci, v],
                Sum(cotangent(wide)[co, u] * zero_padded(X)[ci, u - v], (u, 0, N + K - 2)),
            ),
        ),
    }
    return Op("convolution", **(parts | changes))


def conv_rule(W, wide, extra=0):
    value = Sum(W[co, ci, v] * cotangent(wide)[co, a + v], (co, 0, outC - 1), (v, 0, K - 1))
    return value if extra == 0 else value + extra


def test_the_convolution_of_these_attacks_is_right():
    assert all_proved(convolution(), "jvp", "vjp", "linear", "in bounds")


def test_a_term_without_the_weight_is_not_lost():
    right = convolution()
    rule, other = right.vjp
    lost = 7 * Sum(cotangent(right.output)[co, u], (co, 0, outC - 1), (u, 0, N + K - 2))
    wrong = convolution(vjp=(Eq(rule.args[0], rule.args[1] + lost), other))
    assert not proofs(wrong, "vjp")[0]


def test_a_bracket_that_reads_the_input_leaves_the_boundary_out():
    jvp, vjp = found(op(forward=Eq(y[a], x[a] + bracket(x[a] > 0))), "jvp", "vjp")
    assert jvp.status == vjp.status == BAD
    assert "off the boundary" in jvp.scope
    assert "off the boundary" in vjp.scope


@pytest.mark.parametrize(
    "rule",
    [
        x_dot[a] + bracket(x_dot[a] > 0),
        x_dot[a] + bracket(N > 50),
        x_dot[a] * x_dot[a] / x_dot[a],
        x_dot[a] * x_dot[a],
        Max(x_dot[a], 2 * x_dot[a]),
        If(x_dot[a] > 0, x_dot[a], 2 * x_dot[a]),
        x_dot[If(x_dot[a] > 50, 0, a)],
        Sum(x_dot[a], (b, 0, If(x_dot[a] > 50, 1, 0))),
        x_dot[a] + exp(x_dot[a]) - exp(x_dot[a]) + bracket(Exists(x_dot[b] > 0, (b, 0, N - 1))),
        fold(best, (b, 0, N - 1), best=(best, x_dot[a], If(x_dot[a] > best, 0, best))),
        maximum(x_dot[a], (b, 0, 0), empty=0) + bracket(x_dot[a] > 7),
        x_dot[a] + bracket(winner(0, x_dot[b], (b, 0, N - 1))) * bracket(N > 50),
    ],
    ids=str,
)
def test_a_rule_that_is_not_linear(rule):
    assert not all_proved(op(jvp=Eq(y_dot[a], rule)), "jvp", "linear", "defined")


def test_a_cotangent_in_a_branch():
    wrong = op(vjp=Eq(x_bar[a], y_bar[a] + bracket(y_bar[a] > 0)))
    assert not all_proved(wrong, "vjp", "linear")


def test_an_unclipped_scatter():
    shifted = scatter(x_bar[a - 1], y_bar[a] * bracket(N < 0), (a, 0, N - 1))
    assert not all_proved(op(vjp=shifted), "in bounds")


def test_a_scatter_clipped_by_what_it_reads():
    picky = scatter(x_bar[a], y_bar[a], (a, 0, N - 1), where=y_bar[a] > -1)
    assert not all_proved(op(vjp=picky), "vjp", "linear")


def test_a_left_index_bound_on_the_right():
    """Σ over `a` of y_bar[a] is not y_bar[a]."""
    assert not all_proved(op(vjp=Eq(x_bar[a], Sum(y_bar[a], (a, 0, N - 1)))), "vjp")
    assert not all_proved(op(jvp=Eq(y_dot[a], Sum(x_dot[a], (a, 0, N - 1)))), "jvp")


def test_an_eliminated_binder_in_an_inner_range():
    triangle = Sum(x[b] * bracket(Eq(c, b)), (c, 0, N - 1), (b, 0, c))
    short = Sum(x[b], (b, 0, N - 51))
    assert holds(Eq(triangle, Sum(x[b], (b, 0, N - 1))))
    assert claim(Eq(triangle, Sum(x[b], (b, 0, N - 1)) + short - short)).status != "refuted"
    assert not holds(Eq(triangle, Sum(x[b], (b, 0, Min(N - 1, 50)))))


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


def test_a_window_without_a_real_cell_has_no_winner():
    where = And(b >= N, b < N)
    places = Sum(bracket(winner(c, x[b], (b, 0, N - 1), where=where)), (c, 0, N - 1))
    assert claim(Eq(places, 1)).status == "refuted"


def test_a_missing_precondition_is_not_simplified_away():
    wrong = op(forward=Eq(y[a], beta * x[a] / beta), requires=(N >= 1, beta >= 0))
    assert statuses(wrong, "defined") == ["refuted"]
    strided = floor_div(K * a, K)
    forward = Eq(y[a], zero_padded(x)[strided])
    assert statuses(op(forward=forward, requires=(N >= 1, K >= 0)), "defined") == ["refuted"]


def test_a_bracket_is_a_strong_zero():
    right = op(forward=Eq(y[a], x[a] + bracket(Ne(N, 3)) * (1 / (N - 3)) * 0))
    assert all_proved(right, "defined", "jvp")
    wrong = op(forward=Eq(y[a], x[a] + bracket(Ne(N, 3)) * 0 + 0 * (1 / (N - 3))))
    assert statuses(wrong, "defined") == ["refuted"]


def test_a_failed_induction_refutes_nothing():
    """`>=` from the front keeps the last maximum: true, if the tie policy is "last"."""
    take = x[b] >= best
    seeded = fold(
        at, (b, 0, N - 1), best=(best, x[0], If(take, x[b], best)), at=(at, 0, If(take, b, at))
    )
    assert claim(And(seeded >= 0, seeded < N)).status != "refuted"


def test_a_jvp_and_a_vjp_that_share_a_mistake():
    both = op(jvp=Eq(y_dot[a], 2 * x_dot[a]), vjp=Eq(x_bar[a], 2 * y_bar[a]))
    assert statuses(both, "jvp", "vjp") == ["refuted", "refuted"]


# Names and binders.


def bound_size(**changes):
    Y = array("y", M)
    parts = {
        "requires": (N >= 1, M >= 1),
        "forward": Eq(Y[a], Sum(x[N - 1], (N, 1, 100))),
        "jvp": Eq(tangent(Y)[a], Sum(x_dot[N - 1], (N, 1, 100))),
        "vjp": Eq(x_bar[b], Sum(bracket(b < 100) * cotangent(Y)[a], (a, 0, M - 1))),
    }
    return Op("bound_size", **(parts | changes))


def test_a_sum_that_binds_a_size():
    """SOUNDNESS: inside, `x` has the size that is bound, so x[99] of one cell is in bounds."""
    assert refused(bound_size) or not all_proved(bound_size(), "in bounds")


def test_a_scatter_that_binds_a_size():
    rule = scatter(x_bar[N - 1], y_bar[0], (N, 1, 100))
    assert refused(lambda: op(vjp=rule)) or not all_proved(op(vjp=rule), "in bounds")


def test_a_call_inside_a_call():
    """SOUNDNESS: the inner call's binder captures the index that the outer call passes in."""
    Y = array("y", M)
    total = Op(
        "total",
        requires=(N >= 1,),
        forward=Eq(Y[a], Sum(x[b], (b, 0, N - 1))),
        jvp=Eq(tangent(Y)[a], Sum(x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], Sum(cotangent(Y)[a], (a, 0, M - 1))),
    )
    inner = lambda place: call(total, {}, {x: lambda other: other * x[place]})[0]  # noqa: E731 - a shorthand of this test alone
    twice = call(total, {}, {x: inner})[0]
    captured = N * Sum(b * x[b], (b, 0, N - 1))
    meant = Sum(x[b], (b, 0, N - 1)) * Sum(b, (b, 0, N - 1))
    assert not all_proved(total.claiming(Claim("c", Eq(twice, captured))), "claim")
    assert all_proved(total.claiming(Claim("c", Eq(twice, meant))), "claim")


def test_one_binder_name_twice():
    nested = Sum(Sum(x[b], (b, 0, N - 1)), (b, 0, N - 1))
    assert holds(Eq(nested, N * Sum(x[b], (b, 0, N - 1))))
    assert not holds(Eq(nested, N * Sum(x[b], (b, 0, Min(N - 1, 50)))))


def test_nested_quantifiers_keep_their_variables_apart():
    """SOUNDNESS: ∃b ∀a: a = b became ∃b ∀a: a = a."""
    constant = Exists(ForAll(Eq(a, b), (a, 0, N)), (b, 0, N))
    assert claim(constant).status == "refuted"
    assert not holds(Or(N < 50, constant))
    assert not holds(Or(N < 50, Not(ForAll(Exists(Ne(a, b), (a, 0, N)), (b, 0, N)))))


@pytest.mark.parametrize("name", ["x_dot", "y_bar"])
def test_an_input_named_like_a_tangent(name):
    """SOUNDNESS: the constant is taken for the tangent, since arrays are known by their names."""
    clash = array(name, N)
    rules = {"jvp": Eq(y_dot[a], clash[a])} if name == "x_dot" else {"vjp": Eq(x_bar[a], clash[a])}

    def build():
        return op(forward=Eq(y[a], x[a] + clash[a]), constants=(clash,), **rules)

    assert refused(build) or not all_proved(build(), "jvp", "vjp", "linear")


def flagged(rows, body, take, result):
    """A loop as it is written, with a flag: the first or the last maximum, if it is that."""
    take = Or(Eq(has, 0), take)
    return fold(
        result,
        rows,
        best=(best, 0, If(take, body, best)),
        at=(at, 0, If(take, rows[0], at)),
        has=(has, 0, If(take, 1, has)),
    )


LAST = Max(0, N - 50)


def test_the_loop_of_these_attacks_keeps_the_first_maximum():
    largest = flagged((b, 0, N - 1), x[b], x[b] > best, best)
    first = Sum(bracket(winner(c, x[b], (b, 0, N - 1))) * x[c], (c, 0, N - 1))
    assert holds(Eq(largest, first))


@pytest.mark.parametrize("name", ["value_j", "best"])
def test_a_parameter_named_like_the_inductions_own(name):
    """SOUNDNESS: the induction over a fold takes the user's `value_j` for its own."""
    kept, known = reals("kept"), reals(name)
    take = Or(Eq(has, 0), (known > kept) if name == "value_j" else (x[b] > known))
    loop = fold(
        kept,
        (b, 0, LAST),
        kept=(kept, 0, If(take, x[b], kept)),
        has=(has, 0, If(take, 1, has)),
    )
    first = Sum(bracket(winner(c, x[b], (b, 0, LAST))) * x[c], (c, 0, LAST))
    assert not holds(Eq(loop, first), requires=(N >= 1, known >= 0))


def test_a_parameter_named_like_the_sum_rules_own():
    """SOUNDNESS: the bound of a sum of exponentials takes the user's `largest` for its own."""
    largest = reals("largest")
    score = lambda value: -1 * ((value - largest) * (value - largest))  # noqa: E731 - a shorthand of this test alone
    total = Sum(exp(score(x[b])), (b, 0, LAST))
    bound = log(LAST + 1) + score(maximum(x[b], (b, 0, LAST)))
    assert not holds(log(total) <= bound, requires=(N >= 1, Ne(largest, 0)))


# Selections.


def test_a_seeded_loop_over_an_empty_range():
    """SOUNDNESS: without a flag, an empty loop returns its seed; the proof forgets that case."""
    take = x[b] > best
    states = {"best": (best, x[0], If(take, x[b], best)), "at": (at, 0, If(take, b, at))}
    requires = (N >= 60, K >= 0)
    rows = (b, 0, 50 - K)
    assert not holds(Or(K <= 50, fold(at, rows, **states) < 0), requires=requires)
    first = Sum(bracket(winner(c, x[b], rows)) * x[c], (c, 0, 50 - K))
    assert not holds(Eq(fold(best, rows, **states), first), requires=requires)


def test_a_fold_stays_within_its_quantifier():
    place = flagged((b, 0, K - 1), x[a + b], x[a + b] > best, at)
    same = Or(*(ForAll(kind(place, 0), (a, 0, N - K)) for kind in (Eq, Ne)))
    assert not holds(Or(N < 50, same), requires=(N >= K, K >= 1))


def max_op(forward, jvp):
    Y = array("y", M)
    return Op(
        "max_op",
        requires=(N >= K, K >= 1, M >= 1),
        forward=Eq(Y[a], forward),
        jvp=Eq(tangent(Y)[a], jvp),
        vjp=Eq(x_bar[b], Sum(cotangent(Y)[a], (a, 0, M - 1))),
    )


def wins(place, tie="first", value=lambda cell: x[cell], last=K - 1):
    return bracket(winner(place, value(c), (c, 0, last), tie=tie))


def test_a_winner_of_another_window_is_not_unique():
    """One maximum in the forward, and ties everywhere else were settled as if unique."""
    last = Max(0, K - 50)

    def tied(tie, cells):
        zero = wins(b, tie, lambda _: 0, last)
        return Sum(zero * cells[b], (b, 0, last))

    largest = maximum(x[b], (b, 0, K - 1))
    by_winner = Sum(wins(b) * x_dot[b], (b, 0, K - 1))
    wrong = max_op(largest + tied("first", x), by_winner + tied("any", x_dot))
    assert not all_proved(wrong, "jvp")


def test_a_window_that_reads_a_cell_twice_has_no_unique_winner():
    """SOUNDNESS: rules that differ by the factor K > 50 were both proved "where it is unique"."""

    def rule(tie):
        place = lambda e: If(K > 50, 0, e)  # noqa: E731 - a shorthand of this test alone
        value = lambda e: x[place(e)]  # noqa: E731 - a shorthand of this test alone
        chosen = Sum(wins(b, tie, value) * x_dot[place(b)], (b, 0, K - 1))
        return max_op(maximum(value(b), (b, 0, K - 1)), chosen)

    proved = {tie: is_proved(*theorems(rule(tie), "jvp")) for tie in ("any", "first")}
    assert proved == {"any": False, "first": True}


def test_a_window_that_moves_with_its_winner():
    """SOUNDNESS: Σ_b [b wins the window of b] is not 1; the one-winner rule did not look."""
    moving = bracket(winner(b, zero_padded(x)[c + b], (c, 0, LAST)))
    assert not holds(Eq(Sum(moving, (b, 0, LAST)), 1))


@pytest.mark.parametrize(
    "total",
    [
        Sum(wins(b, "any", last=N - 1), (b, 0, N - 1)),
        Sum(wins(2 * b, last=N - 1), (b, 0, N - 1)),
        Sum(wins(b, last=N - 1) * bracket(Or(N < 50, b > 0)), (b, 0, N - 1)),
        Sum(wins(b, last=N - 1), (b, 0, Min(N - 1, 50))),
        Sum(wins(Max(b, 0), last=N - 1), (b, If(N > 50, -1, 0), N - 1)),
    ],
    ids=str,
)
def test_a_count_of_winners_that_is_not_one(total):
    assert not holds(Eq(total, 1))


# Sums.


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


# Sizes beyond the grid.


@pytest.mark.parametrize("wrong", [If(N > 50, 2, 1), If(Divides(97, N), 2, 1), If(a > 60, 0, 1)])
def test_a_mistake_at_a_large_size(wrong):
    assert True not in proofs(op(jvp=Eq(y_dot[a], wrong * x_dot[a])), "jvp")
    assert True not in proofs(op(vjp=Eq(x_bar[a], wrong * y_bar[a])), "vjp")


def test_a_mistake_at_one_value_of_a_parameter():
    parts = {"requires": (N >= 1, beta >= -9), "forward": Eq(y[a], beta * x[a])}
    at_seven = If(Eq(beta, Fraction(-7, 3)), 0, beta)
    wrong = op(jvp=Eq(y_dot[a], at_seven * x_dot[a]), vjp=Eq(x_bar[a], beta * y_bar[a]), **parts)
    assert True not in proofs(wrong, "jvp")


def test_a_size_formula_that_is_wrong_at_a_large_size():
    claims = [Eq(floor_div(N + K - 1, K), ceil_div(N, K)), Eq(nat_sub(N, 50), N - 50)]
    assert holds(claims[0], requires=(N >= 1, K >= 1))
    assert not holds(Or(N < 49, claims[1]))
    assert not holds(Or(N < 50, Eq(trunc_div(-N, 7), floor_div(-N, 7))))
    assert not holds(Or(N < 50, Eq(trunc_mod(-N, 7), mod(-N, 7))))
    assert not holds(Or(N < 50, Eq(nat_div(N, K), floor_div(N, Max(1, K)))), given=(K >= 0,))


# Definedness.


def test_the_place_of_a_winner_is_defined():
    """SOUNDNESS: `needs` skips the places a winner is asked about."""
    place = bracket(winner(mod(a, K), x[b], (b, 0, N - 1)))
    wrong = op(forward=Eq(y[a], x[a] + place), requires=(N >= 1, K >= 0))
    assert not all_proved(wrong)


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


def test_the_declared_windows_are_those_of_the_output():
    """SOUNDNESS: the size theorems speak of `count`, which need not be the output's size."""
    few = floor_div(n - k, s)
    X, Y = array("x", n), array("y", few)
    cell = s * o + j

    def build():
        return Op(
            "few",
            requires=(n >= 1, k >= 1, s >= 1, n >= k + s),
            windows=Windows(count=few + 1, size=n, extent=k, stride=s),
            forward=Eq(Y[o], Sum(zero_padded(X)[cell], (j, 0, k - 1))),
            jvp=Eq(tangent(Y)[o], Sum(zero_padded(tangent(X))[cell], (j, 0, k - 1))),
            vjp=scatter(
                cotangent(X)[cell],
                cotangent(Y)[o],
                *((o, 0, few - 1), (j, 0, k - 1)),
                where=inside((cell,), (n,)),
            ),
        )

    assert refused(build) or not all_proved(build(), "size")


def test_a_rounding_that_does_not_exist():
    parts = {"count": N, "size": N, "extent": 1, "stride": 1, "rounding": "flor"}
    assert refused(lambda: op(windows=Windows(**parts)))


# Vacuous and refuted.


def test_preconditions_that_contradict_each_other():
    assert witnessed(satisfiable(op(requires=(N >= 1, N < 1))), LIMIT).status == "vacuous"


@pytest.mark.parametrize(
    ("statement", "given"),
    [(Or(), (N < 0,)), (Eq(1, 2), (Eq(K * K, 2),)), (ForAll(Or(), (b, 1, 0)), ())],
    ids=str,
)
def test_a_vacuous_claim(statement, given):
    assert not holds(statement, given=given)


@pytest.mark.parametrize(("tie", "status"), [("first", "unknown"), ("any", "proved")])
def test_a_winner_in_the_body_of_a_window_that_has_one_winner(tie, status):
    """It was asked of each whether it is the winner of the other, without end."""
    body = x[c] + bracket(winner((c,), x[a], (a, 0, N - 1), tie=tie))
    window = (c, 0, N - 1)
    more = maximum(body + 0 * x[c], window)
    said = implies(unique(body, window), Eq(maximum(body, window), more))
    assert statuses(claiming(said, (N >= 1,), {}), "claim") == [status]


@pytest.mark.parametrize("also", [(), (x[0] > 3,)], ids=str)
def test_a_claim_whose_own_hypotheses_contradict_each_other(also):
    """That it has a value was tried, and taken for a trial of what it says."""
    nowhere = And(x[0] > 1, x[0] < 0, *also)
    claim = claiming(implies(nowhere, Eq(x[0], 7)), (N >= 1,), {})
    assert statuses(claim, "claim") == ["vacuous"]


@pytest.mark.parametrize(
    ("statement", "given"),
    [
        (Sum(x[b], (b, 0, 0)) > 0, (x[0] > 0,)),
        (Ne(K, 0), (floor_div(N, K) >= 1,)),
        (N >= 5, (fold(at, (b, 0, 4), at=(at, 0, at + 1)) <= N,)),
    ],
    ids=str,
)
def test_a_true_claim_is_not_refuted(statement, given):
    """SOUNDNESS: a solver's model was replayed without asking whether the hypotheses hold there."""
    assert claim(statement, given=given).status != "refuted"


def test_a_pinned_witness_is_compared():
    """A counterexample other than the one pinned is not what was expected."""
    from verify.suite import verify

    claims = (
        Claim("right", N < K, given=(N < K,)),
        Claim("wrong", N < K, refuted={N: 9, K: 3}, twin="right"),
    )
    report = verify(op(claims=claims, requires=(N >= 1, K >= 1)), LIMIT)
    assert not report.as_expected


# Every rank.


def bundled(**changes):
    X, Y = array("x", n), array("y", n)
    parts = {
        "requires": (n >= 1,),
        "forward": Eq(Y[i], X[i]),
        "jvp": Eq(tangent(Y)[i], tangent(X)[i]),
        "vjp": Eq(cotangent(X)[i], cotangent(Y)[i]),
    }
    return Op("bundled", **(parts | changes))


def scope_of(statement, given=(), **changes):
    definition = bundled(claims=(Claim("c", statement, given=given),), **changes)
    (theorem,) = theorems(definition, "claim")
    if not is_proved(theorem):
        return "not proved", ""
    finding = settled(theorem, LIMIT)
    return finding.status, finding.scope


@pytest.mark.parametrize(
    "statement",
    [
        product(2 + 0 * n) <= 8,
        Or(product(2 + 0 * n) <= 8, Eq(n, 0)),
        Ne(product(2 + 0 * n), 16),
        Eq(If(product(2 + 0 * n) > 8, 1, 0), 0),
        Exists(Eq(product(2 + 0 * n), u), (u, 2, 8)),
        ForAll(product(3 + 0 * n) < 81, (u, 0, 0)),
        Eq(bracket(product(2 + 0 * n) > 8), 0),
        Eq(Sum(1, (j, 0, 1)) * bracket(product(2 + 0 * n) > 8), 0),
        fold(u, (j, 0, 1), u=(u, 0, u + 1)) <= 8,
    ],
    ids=str,
)
def test_what_is_false_at_rank_four(statement):
    assert scope_of(statement) != (BAD, "every rank")


@pytest.mark.parametrize(
    "at_four", [If(product(2 + 0 * n) > 8, 2, 1), 1 + bracket(product(2 + 0 * n) > 8)]
)
def test_a_rule_that_is_wrong_at_rank_four(at_four):
    X, Y = array("x", n), array("y", n)
    jvp = bundled(jvp=Eq(tangent(Y)[i], at_four * tangent(X)[i]))
    vjp = bundled(vjp=Eq(cotangent(X)[i], at_four * cotangent(Y)[i]))
    for theorem in (*theorems(jvp, "jvp"), *theorems(vjp, "vjp")):
        assert not is_proved(theorem) or settled(theorem, LIMIT).scope != "every rank"


@pytest.mark.parametrize(
    ("statement", "given"),
    [
        (Or(n >= 2, n < 2), ()),
        (Or(n > 1, Eq(n, 1)), ()),
        (Eq(product(n), product(k)), (n >= k,)),
        (product(n) >= product(k), (n >= k, k <= 0)),
        (Eq(C, product(n)), (Eq(n, C),)),
        (Exists(Eq(n, u), (u, 1, 1000)), (n <= 1000,)),
        (Eq(bracket(n > 1) + bracket(n <= 1), 1), ()),
        (
            Eq(Sum(1, (j, 0, n - 1)), product(n) * product(1 + 0 * n) * product(Max(1, k))),
            (k >= -5,),
        ),
    ],
    ids=str,
)
def test_a_condition_on_every_axis_is_not_one_on_some(statement, given):
    """Each is true at rank 1 or for some sizes only."""
    assert refused(lambda: bundled(claims=(Claim("c", statement, given=given),))) or (
        scope_of(statement, given)[0] != BAD
    )


def test_a_negated_condition_on_every_axis_is_reasoned_with_rightly():
    """k fails on some axis, so n < 2 on all: n ≥ 2 fails on some, at any rank."""
    status, scope = scope_of(Not(n >= 2), (Not(k >= 1), Or(k >= 1, n < 2)))
    assert status == BAD
    assert scope in ("every rank", "ranks 1 to 3")


def test_a_hypothesis_for_all_places_may_be_empty_on_another_axis():
    given = (ForAll(n >= 5, (j, 0, k - 1)), k >= 0)
    assert scope_of(n >= 5, given)[1] != "every rank"
    assert scope_of(n >= 5, given)[0] != BAD


def test_axes_are_not_exchanged():
    X, Y = array("x", n), array("y", n)
    wrong = Sum(tangent(X)[j] * bracket(Eq(product(j + 1), product(i + 1))), (j, 0, n - 1))
    assert True not in proofs(bundled(jvp=Eq(tangent(Y)[i], wrong)), "jvp")


# Real parameters.


def test_a_parameter_as_a_divisor():
    """Not a hole, but an error: the second route takes no real parameter below a line."""
    right = op(
        requires=(N >= 1, Ne(beta, 0)),
        forward=Eq(y[a], x[a] / beta),
        jvp=Eq(y_dot[a], x_dot[a] / beta),
        vjp=Eq(x_bar[a], y_bar[a] / beta),
    )
    assert all_proved(right)


# Branches.


def test_a_branch_recovered_from_the_output():
    relu = {"forward": Eq(y[a], Max(x[a], 0)), "jvp": Eq(y_dot[a], bracket(x[a] >= 0) * x_dot[a])}
    assert True not in proofs(op(**relu, vjp=Eq(x_bar[a], bracket(y[a] >= 0) * y_bar[a])), "vjp")
    wrong = Eq(x_bar[a], bracket(And(x[a] >= 0, x[a] < 50)) * y_bar[a])
    assert True not in proofs(op(**relu, vjp=wrong), "vjp")


@pytest.mark.parametrize(
    ("forward", "slope"),
    [
        (Max(x[a], 0), 1),
        (Min(x[a], 0), bracket(x[a] >= 0)),
        (Max(x[a], -1 * x[a]), If(x[a] < -50, 1, If(x[a] >= 0, 1, -1))),
        (x[a] * x[a], x[a]),
        (exp(2 * x[a]), exp(2 * x[a])),
        (log(exp(x[a]) + 1), 1),
        (1 / (1 + exp(x[a])), 1 / (1 + exp(x[a]))),
        (If(x[a] > 50, 2 * x[a], x[a]), 1),
    ],
    ids=str,
)
def test_a_wrong_slope(forward, slope):
    wrong = op(forward=Eq(y[a], forward), jvp=Eq(y_dot[a], slope * x_dot[a]))
    assert True not in proofs(wrong, "jvp")


def test_a_rule_may_read_the_output():
    forward = Eq(y[a], exp(x[a]))
    right = op(
        forward=forward, jvp=Eq(y_dot[a], y[a] * x_dot[a]), vjp=Eq(x_bar[a], y[a] * y_bar[a])
    )
    assert all_proved(right, "jvp", "vjp", "linear")
    wrong = op(
        forward=forward, jvp=Eq(y_dot[a], y[0] * x_dot[a]), vjp=Eq(x_bar[a], x[a] * y_bar[a])
    )
    assert True not in proofs(wrong, "jvp", "vjp")


def test_a_claim_about_a_derivative():
    right = ForAll(Eq(derivative(y[a], x[b]), bracket(Eq(a, b))), (a, 0, N - 1), (b, 0, N - 1))
    wrong = ForAll(Eq(derivative(y[a], x[b]), 1), (a, 0, N - 1), (b, 50, N - 1))
    assert holds(right)
    assert not holds(wrong)


def test_a_fixed_rank_transpose_is_not_the_identity():
    X, Y = array("x", N, N), array("y", N, N)
    wrong = Op(
        "transpose",
        requires=(N >= 1,),
        forward=Eq(Y[a, b], X[b, a]),
        jvp=Eq(tangent(Y)[a, b], tangent(X)[a, b]),
        vjp=Eq(cotangent(X)[a, b], cotangent(Y)[a, b]),
    )
    assert statuses(wrong, "jvp", "vjp") == ["refuted", "refuted"]


# Exact evaluation and the solver mean the same.

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


@settings(max_examples=250)
@given(integer_terms, st.tuples(small, small, small))
def test_the_solver_computes_what_evaluation_computes(term, numbers):
    values = dict(zip(NAMES, numbers, strict=True))
    value = defined_value(term, values)
    assume(value is not None)
    fixed = [Eq(symbol, number) for symbol, number in values.items()]
    assert ask(fixed, Eq(term, value)).status == BAD
    assert ask(fixed, Ne(term, value)).status == "refuted"


@settings(max_examples=150)
@given(integer_terms, st.tuples(small, small, small))
def test_the_solver_computes_the_same_under_a_quantifier(term, numbers):
    """There, quotients are Z3's own and not ours."""
    values = dict(zip(NAMES, numbers, strict=True))
    value = defined_value(term, values)
    assume(value is not None)
    ranges = [(symbol, number, number) for symbol, number in values.items()]
    question = Script().text((), ForAll(Eq(term, value), *ranges))
    assert solve(question, RLIMIT).status == BAD


@settings(max_examples=100)
@given(st.sampled_from((t.FloorDiv, t.CeilDiv, t.TruncDiv)), small, small)
def test_a_quotient_by_zero_is_undefined_or_said(kind, above, below):
    """Where evaluation is undefined the solver knows nothing, so it proves nothing either."""
    term = kind(a, b)
    fixed = [Eq(a, above), Eq(b, below)]
    if defined_value(term, {a: above, b: below}) is None:
        assert all(ask(fixed, Ne(term, guess)).status != BAD for guess in (0, above))
    else:
        assert isinstance(defined_value(term, {a: above, b: below}), int)


def test_the_same_text_with_another_meaning():
    """Questions are renamed and remembered: integers and reals of one order stay apart."""
    whole, real = Sym("q", t.INT), Sym("q", t.REAL)
    assert ask((whole > 0,), whole >= 1).status == BAD
    assert ask((real > 0,), real >= 1).status == "refuted"


def test_hypotheses_that_share_no_name_still_count():
    assert ask((Eq(N, 1), Or()), Eq(K, 3)).status == BAD
    assert ask((K > 2, K < 2), Eq(N, 3)).status == BAD


# What a second attack found.


def test_a_winner_in_a_branch_is_of_its_window():
    wrong = op(jvp=Eq(y_dot[a], If(winner(LAST, x[b], (b, 0, 0)), 1, 0) * x_dot[a]))
    assert not all_proved(wrong, "jvp")
    assert not holds(Eq(If(winner(LAST, x[b], (b, 0, 0)), 1, 0) * x[0], x[0]))
    assert not holds(Eq(If(winner(0, x[b], (b, 0, 0), where=N < 50), 1, 0) * x[0], x[0]))


def test_a_fold_is_not_pulled_out_of_a_quantifier():
    place = flagged((b, 0, K - 1), x[a + b], x[a + b] > best, at)
    same = Or(N < 50, Exists(ForAll(Eq(place, u), (a, 0, N - K)), (u, 0, K - 1)))
    assert not holds(same, requires=(N >= K, K >= 1))
    assert not holds(Eq(bracket(same), 1), requires=(N >= K, K >= 1))


def test_the_parts_of_a_maximum_have_their_own_scopes():
    whole = maximum(x[b], (b, 0, N - 1))
    late = maximum(x[b], (b, 0, N - 1), where=bracket(Or(N < 50, b >= 5)) >= 1)
    assert not holds(Eq(late, whole))
    some = maximum(x[b], (b, 0, K - 1), empty=bracket(Or(K >= 1, N < 50)))
    one = maximum(x[b], (b, 0, K - 1), empty=1)
    assert not holds(Eq(some, one), requires=(N >= K, K >= 0, N >= 1))


def test_products_over_shifted_ranges_are_compared_without_a_crash():
    assert holds(Eq(Prod(x[b], (b, 0, N - 1)), Prod(x[b], (b, 0, N - 1))))
    assert claim(Eq(Prod(x[b], (b, 0, N - 1)), Prod(x[b] + 1, (b, 0, N - 1)))).status != BAD


# What a third attack found.

BEYOND_RANK_THREE = bracket(product(2 + 0 * n) > 8)
total, count = reals("total"), integers("count")


def test_a_sum_over_axes_is_not_one_over_a_number():
    """SOUNDNESS: a binder per axis was paired with a single one, so C⁴ was C at rank 4."""
    one, each = Sum(1, (c, 0, C - 1)), Sum(1, (j, 0, C - 1))
    statement = Eq(BEYOND_RANK_THREE * one, BEYOND_RANK_THREE * each)
    assert scope_of(statement, requires=(n >= 1, C >= 1)) == (BAD, "ranks 1 to 3")


def test_a_seed_outside_of_the_loops():
    """SOUNDNESS: where the range of `b` depends on `a`, the place that seeds a loop may be none."""
    X = array("x", N, N)
    last = lambda row: If(N > 50, row - 1, N - 1)  # noqa: E731 - a shorthand of this test alone
    loops = ((a, 0, N - 1), (b, 0, last(a)))
    largest = fold(best, *loops, best=(best, X[0, 0], If(X[a, b] > best, X[a, b], best)))
    place = bracket(winner((u, v), X[a, b], *loops))
    first = Sum(place * X[u, v], (u, 0, N - 1), (v, 0, last(u)))
    square = Op(
        "square",
        requires=(N >= 2,),
        forward=Eq(array("y", N, N)[a, b], X[a, b]),
        jvp=Eq(tangent(array("y", N, N))[a, b], tangent(X)[a, b]),
        vjp=Eq(cotangent(X)[a, b], cotangent(array("y", N, N))[a, b]),
        claims=(Claim("c", Eq(largest, first)),),
    )
    (theorem,) = theorems(square, "claim")
    assert prove(theorem, False, LIMIT).status != BAD


def summed(value, last):
    """Not taken for the sum that it is, so that it is written out."""
    return fold(total, (b, 0, last), total=(total, 0, 1 * total + value))


@pytest.mark.parametrize(
    ("last", "least"),
    [
        (N - 1 + (N - 1) * Max(N - 2, 0), 1),
        (N - 1 + (N - 1) * If(x[0] > 0, 1, 0), 1),
        (N - 1, 5),
        (2 * N - 2, 3),
    ],
    ids=str,
)
def test_windows_of_up_to_four_cells_are_all_of_them(last, least):
    """SOUNDNESS: windows whose length was no plain number were left out, and there may be none.

    Where N is at least 5, no window of N cells has up to 4, and nothing was shown.
    """
    at_large = If(And(K > 50, N >= 2), 0, 1)
    loop = summed(K, last)
    assert claim(Eq(loop, at_large * loop), requires=(least <= N, K >= 1)).status != BAD


def test_windows_of_up_to_four_cells_are_proved():
    finding = claim(Eq(summed(K, N - 1), K * N), requires=(N >= 1, K >= 1))
    assert (finding.status, finding.scope) == (
        BAD,
        "where no loop takes more than 4 turns, inner loops counted",
    )


@pytest.mark.parametrize(
    "loop",
    [
        fold(x[99], (b, 0, 0), N=(N, 100, N)),
        fold(total, (b, 0, 9), one=(total, 0, total + 1), two=(total, 0, total + 2)),
        fold(b, (b, 0, 9), b=(b, 0, b + 1)),
        Sum(1, (b, 0, 2), (c, 0, a), (a, 0, 1)),
        fold(at, (b, 0, at), at=(at, 0, at + 1)),
    ],
    ids=str,
)
def test_a_name_with_two_meanings(loop):
    """SOUNDNESS: a state named like a size made x[99] of one cell in bounds.

    Evaluation took an end that mentions a name for the name that a later range binds.
    """
    assert refused(lambda: op(forward=Eq(y[a], x[a] + 0 * loop)))


def test_a_quantifier_in_requires_binds_no_name_twice():
    inner = Exists(Eq(a, b), (a, 0, 2), (c, 0, b), (b, 0, 1))
    assert refused(lambda: op(requires=(N >= 1, Exists(inner, (b, 0, N - 1)))))


def test_a_maximum_in_a_branch_has_two_boundaries():
    """SOUNDNESS: the scope named where the winner is unique, and not that max = 0 is left out."""
    largest = maximum(x[b], (b, 0, N - 1))
    chosen = Sum(bracket(winner(c, x[b], (b, 0, N - 1))) * x_dot[c], (c, 0, N - 1))
    rule = op(forward=Eq(y[a], Max(largest, 0)), jvp=Eq(y_dot[a], bracket(largest >= 0) * chosen))
    (jvp,) = found(rule, "jvp")
    assert jvp.status == BAD
    assert "unique" in jvp.scope
    assert "off the boundary" in jvp.scope


def test_the_smallest_of_several_parts():
    """A model of the first part that is false is not yet the smallest counterexample."""
    finding = claim(And(N < 5000, N < 1000))
    assert finding.status == "refuted"
    assert finding.counterexample.sizes == {"N": 1000}
    assert finding.counterexample.smallest


def test_the_smallest_shape_for_all_values():
    """It is false at N = 1 too, but only for values that were not tried."""
    wrong = If(Or(N >= 2, x[0] > 50), 2, 1)
    jvp = found(op(jvp=Eq(y_dot[a], wrong * x_dot[a])), "jvp")[0]
    assert jvp.status == "refuted"
    assert jvp.counterexample.sizes == {"N": 1} or not jvp.counterexample.smallest


def test_the_smallest_shape_for_all_parameters():
    parts = {"requires": (N >= 1, beta >= -9), "forward": Eq(y[a], beta * x[a])}
    wrong = If(Or(N >= 2, Eq(beta, 7)), 0, beta)
    rule = op(jvp=Eq(y_dot[a], wrong * x_dot[a]), vjp=Eq(x_bar[a], beta * y_bar[a]), **parts)
    jvp = found(rule, "jvp")[0]
    assert jvp.status == "refuted"
    assert jvp.counterexample.sizes["N"] == 1 or not jvp.counterexample.smallest


MEETS = [
    (fold(total, (b, 0, N - 1), total=(total, 0, total / (count + 1)), n=(count, 0, count + 1)), 0),
    (fold(total, (b, 0, N - 1), total=(total, 0, total / (count - 3)), n=(count, 0, count + 1)), 4),
    (fold(at, (b, 1, N - 1), at=(at, 0, If(x[b] > x[at], b, at))), 0),
    (fold(at, (b, 0, N - 1), at=(at, 0, If(x[b] > x[at], b, at))), 0),
    (fold(at, (b, 0, N - 1), at=(at, 1, If(x[b] > x[at], b, at))), 1),
    (
        fold(
            total,
            *((b, 0, N - 1), (c, 0, N - 1)),
            total=(total, 0, total + 1 / (count - 2)),
            n=(count, 0, count + 1),
        ),
        2,
    ),
    (
        fold(
            total,
            (b, 0, N - 1),
            total=(total, 0, If(count < 2, total / (b - 3), total)),
            n=(count, 0, count + 1),
        ),
        0,
    ),
]


@pytest.mark.parametrize(("loop", "smallest"), MEETS, ids=str)
def test_a_loop_is_defined_for_the_states_it_meets(loop, smallest):
    """SOUNDNESS: a running mean was refuted at a count of -1, an argmax at a place of -1."""
    wrong = [f for f in found(op(forward=Eq(y[a], x[a] + 0 * loop))) if f.status == "refuted"]
    assert len(wrong) == (smallest > 0)
    assert all(f.counterexample.sizes == {"N": smallest} for f in wrong)


def test_ends_that_read_tensors_are_no_crash():
    reads = Sum(x[a], (b, 0, If(x[a] > 50, 1, 0)))
    assert "error" not in statuses(op(forward=Eq(y[a], reads)), "in bounds")


def padded_relu(inner, rule):
    """max(0, ·) of something that reads padding, with its JVP."""
    Y = array("y", N + 2 * K)
    return Op(
        "padded_relu",
        requires=(N >= 1, K >= 1),
        forward=Eq(Y[a], Max(inner(x), 0)),
        jvp=Eq(tangent(Y)[a], rule(bracket(inner(x) > 0) * inner(x_dot))),
        vjp=Eq(x_bar[b], Sum(bracket(x[b] > 0) * cotangent(Y)[a], (a, 0, N + 2 * K - 1))),
    )


@pytest.mark.parametrize(
    "inner",
    [
        lambda cells: zero_padded(cells)[a - K],
        lambda cells: Sum(zero_padded(cells)[a - K + b], (b, 0, 0)),
    ],
    ids=["a cell", "a window"],
)
def test_in_the_padding_there_is_no_boundary(inner):
    """SOUNDNESS: 0 = 0 was taken for an edge, so in the padding any rule was proved."""
    in_padding = Or(a < K, a >= N + K)
    garbage = padded_relu(inner, lambda right: If(in_padding, 7 * x_dot[0], right))
    assert True not in proofs(garbage, "jvp")
    assert statuses(garbage, "jvp") == ["refuted"]


def test_a_padded_relu_is_proved():
    right = padded_relu(lambda cells: zero_padded(cells)[a - K], lambda rule: rule)
    assert all_proved(right, "jvp")


def test_a_cell_is_not_on_the_boundary_to_itself():
    """SOUNDNESS: max(x[a], x[0]) is x[0] at a = 0, and any rule was proved there."""
    pair = Max(2 * x[a], 2 * x[0])
    slope = 2 * If(x[a] > x[0], x_dot[a], x_dot[0])
    assert all_proved(op(forward=Eq(y[a], pair), jvp=Eq(y_dot[a], slope)), "jvp")
    garbage = op(forward=Eq(y[a], pair), jvp=Eq(y_dot[a], If(Eq(a, 0), 7 * x_dot[a], slope)))
    assert statuses(garbage, "jvp") == ["refuted"]


def test_a_boundary_within_a_quantifier():
    """Every cell that the condition compares is off the boundary, not only some."""
    some = Exists(x[b] > 0, (b, 0, N - 1))
    rule = op(forward=Eq(y[a], x[a] * bracket(some)), jvp=Eq(y_dot[a], x_dot[a] * bracket(some)))
    (jvp,) = theorems(rule, "jvp")
    assert is_proved(jvp)
    assert all(not free(h) - {N, *(r[0] for r in s.over)} for s in jvp.sequents for h in s.when)


# What it found to hold.


def window_sum(dilation, scattered_to, last):
    """Σ_b x[a + d·b], with its scatter."""
    Y = array("y", N)
    cell = a + dilation * b
    return Op(
        "window_sum",
        requires=(N >= 1, K >= 1, M >= 1),
        forward=Eq(Y[a], Sum(zero_padded(x)[cell], (b, 0, M - 1))),
        jvp=Eq(tangent(Y)[a], Sum(zero_padded(x_dot)[cell], (b, 0, M - 1))),
        vjp=scatter(
            x_bar[scattered_to],
            cotangent(Y)[a],
            *((a, 0, N - 1), (b, 0, last)),
            where=inside((scattered_to,), (N,)),
        ),
    )


def test_overlapping_scatters_with_dilation():
    cell = a + K * b
    assert all_proved(window_sum(K, cell, M - 1), "jvp", "vjp", "in bounds")
    assert True not in proofs(window_sum(K, a + If(K > 50, 1, K) * b, M - 1), "vjp")
    assert True not in proofs(window_sum(K, cell, If(M > 50, M, M - 1)), "vjp")


def strided_back(parity):
    """Every other cell, from the last one on."""
    Y = array("y", ceil_div(N, 2))
    hit = Divides(2, parity)
    return Op(
        "strided_back",
        requires=(N >= 1,),
        forward=Eq(Y[a], x[N - 1 - 2 * a]),
        jvp=Eq(tangent(Y)[a], x_dot[N - 1 - 2 * a]),
        vjp=Eq(x_bar[b], bracket(hit) * cotangent(Y)[floor_div(N - 1 - b, 2)]),
    )


def test_a_negative_stride():
    assert all_proved(strided_back(N - 1 - b), "jvp", "vjp", "in bounds")
    assert True not in proofs(strided_back(If(N > 60, b, N - 1 - b)), "vjp")


def grouped(group):
    """Each of K groups of M channels is scaled by a weight of its own."""
    X, W, Y = array("x", K * M), array("w", K), array("y", K * M)
    return Op(
        "grouped",
        requires=(K >= 1, M >= 1),
        forward=Eq(Y[a], W[floor_div(a, M)] * X[a]),
        jvp=Eq(
            tangent(Y)[a],
            W[floor_div(a, M)] * tangent(X)[a] + tangent(W)[floor_div(a, M)] * X[a],
        ),
        vjp=(
            Eq(cotangent(X)[a], W[floor_div(a, M)] * cotangent(Y)[a]),
            scatter(cotangent(W)[group], X[a] * cotangent(Y)[a], (a, 0, K * M - 1)),
        ),
    )


def test_groups_of_channels():
    assert all_proved(grouped(floor_div(a, M)), "jvp", "vjp", "linear")
    assert not all_proved(grouped(If(M > 50, mod(a, K), floor_div(a, M))), "vjp")


def test_a_divisor_that_depends_on_the_place():
    """A window of K cells that ends at the border, divided by the cells it has."""
    cells = Min(a + K, N) - a
    rule = {"forward": Eq(y[a], Sum(zero_padded(x)[a + b], (b, 0, K - 1)) / cells)}
    rule["jvp"] = Eq(y_dot[a], Sum(zero_padded(x_dot)[a + b], (b, 0, K - 1)) / cells)
    rule["requires"] = (N >= 1, K >= 1)

    def gather(divided):
        inner = (b, Max(0, a - K + 1), a)
        return op(vjp=Eq(x_bar[a], Sum(y_bar[b] / divided, inner)), **rule)

    assert all_proved(gather(Min(b + K, N) - b), "jvp", "vjp", "defined")
    assert True not in proofs(gather(Min(a + K, N) - a), "vjp")
    assert True not in proofs(gather(If(N > 50, K, Min(b + K, N) - b)), "vjp")


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


@pytest.mark.parametrize(
    "statement",
    [
        Eq(Sum(x[c], (b, 0, N - 1), (c, b, N - 1)), Sum(c * x[c], (c, 0, N - 1))),
        Eq(Sum(x[b], (b, 0, N - 1), (c, 0, b)), Sum(x[b], (c, 0, N - 1), (b, 0, c))),
        Eq(Sum(If(x[b] > 0, x[b], 0), (b, 0, N - 1)), Sum(Max(x[b], 0), (b, 0, LAST))),
        Eq(
            maximum(maximum(zero_padded(x)[b + c], (c, 0, 1)), (b, 0, LAST)),
            maximum(x[b], (b, 0, LAST)),
        ),
        Eq(Sum(1, (b, 0, K), (c, 0, -b)), Max(0, K + 1)),
        Eq(Sum(Sum(x[c], (c, 0, -b)), (b, 0, N - 1)), Sum(x[c], (c, 0, If(N < 50, 0, 1)))),
    ],
    ids=str,
)
def test_ranges_that_depend_on_each_other(statement):
    assert not holds(statement, requires=(N >= 2, K >= -3))


def test_names_of_any_alphabet():
    slope, X = reals("β"), array("ξ", N)
    parts = {"requires": (N >= 1, slope >= -9), "forward": Eq(y[a], slope * X[a])}
    parts["vjp"] = Eq(cotangent(X)[a], slope * y_bar[a])
    assert all_proved(op(jvp=Eq(y_dot[a], slope * tangent(X)[a]), **parts), "jvp", "vjp")
    at_seven = If(Eq(slope, 7), 0, slope)
    assert True not in proofs(op(jvp=Eq(y_dot[a], at_seven * tangent(X)[a]), **parts), "jvp")


def test_no_rank_is_no_proof():
    from verify.testing import assert_proved

    for ranks in ((), (0,)):
        with pytest.raises(ValueError, match="at least 1"):
            assert_proved(bundled(), ranks=ranks)


# What a fifth attack found: names that meet, circular reasoning, one number for one per axis.


def test_a_quantifier_in_the_end_of_a_range_takes_no_name():
    """`∃ d: d = c` was asked as `∃ '3: '3 = '3`."""
    end = If(Exists(Eq(u, N), (u, 0, 3)), 1, 0)
    inner = ForAll(Exists(Eq(v, c), (v, 0, 0)), (b, 0, end), (c, 0, N))
    assert not holds(Or(N < 50, inner))
    assert ask((N >= 50,), inner).status != BAD
    assert holds(ForAll(Exists(Eq(v, c), (v, 0, c)), (b, 0, end), (c, 0, N)))


def test_the_place_of_a_loop_is_none_of_the_claims_own():
    """False if the largest of 50 cells is the tenth; the place was taken to be in 0..3."""
    place = flagged((b, 0, N - 1), x[b], x[b] > best, at)
    assert not holds(Or(Not(place >= 4), ForAll(N < 50, (b, 0, 3))), requires=(N >= 5,))


def test_a_winner_does_not_vouch_for_itself():
    """That the window has one winner followed only where the place had won already."""
    last = If(N < 50, K - 1, N - 1)
    wins = winner(2, x[b], (b, 0, last))
    largest = And(last >= 2, Eq(x[2], maximum(x[b], (b, 0, last))))
    given = (unique(x[b], (b, 0, K - 1)), Or(Not(wins), N < 50))
    sizes = {"requires": (N >= 3, K >= 2, N >= K)}
    assert not holds(implies(And(*given), Eq(bracket(wins), bracket(largest))), **sizes)
    alone = unique(x[b], (b, 0, last))
    assert holds(implies(alone, Eq(bracket(wins), bracket(largest))), **sizes)


BEYOND = bracket(product(2 + 0 * n) > 8)  # 0 up to rank 3


def test_a_window_of_numbers_is_not_shifted_by_one_number_per_axis():
    X = array("x", n)
    moved = maximum(X[c + i], (c, 0, K - 1))
    inside_of = maximum(X[c], (c, 0, C - 1), where=And(i <= c, c <= i + K - 1))
    statement = ForAll(Eq(BEYOND * exp(moved), BEYOND * exp(inside_of)), (i, 0, n - K))
    clauses = (n >= 1, C >= 1, K >= 1, n >= K, n >= C, n <= C)
    assert scope_of(statement, requires=clauses) == ("proved", "ranks 1 to 3")


def test_the_diagonal_of_a_grid_is_not_the_grid():
    X = array("x", n)
    window = (c, 0, C - 1)
    winners = Sum(bracket(Eq(X[i], maximum(X[c], window))), (i, 0, C - 1))
    statement = implies(unique(X[c], window), Eq(BEYOND * winners, BEYOND))
    assert scope_of(statement, requires=(n >= 1, C >= 1, n >= C)) == ("proved", "ranks 1 to 3")


def some_cell_is_positive():
    return Op(
        "some",
        requires=(N >= 1,),
        forward=Eq(y[a], bracket(Exists(x[b] > 0, (b, 0, N - 1)))),
        jvp=Eq(y_dot[a], 0 * x_dot[0]),
        vjp=Eq(x_bar[b], 0 * Sum(y_bar[a], (a, 0, N - 1))),
    )


def test_what_is_bound_in_the_end_of_a_range_is_none_of_its_places():
    """A read beyond the end, where `some place is after b` was taken for `b is after b`."""
    later = call(some_cell_is_positive(), {}, {x: lambda other: other - b})[0]
    end = If(And(N >= 50, later > 0), 0, -1)
    definition = op(forward=Eq(y[b], x[b] + 0 * Sum(x[b + N], (c, 0, end))))
    reads = [th for th in theorems(definition, "in bounds") if th.equation == "forward"]
    assert not any(is_proved(th) for th in reads)


def test_calls_of_calls_with_many_binders_share_no_name():
    made = array("y", M)
    rules = {
        "requires": (N >= 1, M >= 1),
        "jvp": Eq(tangent(made)[a], Sum(x_dot[b], (b, 0, N - 1))),
        "vjp": Eq(x_bar[b], Sum(cotangent(made)[a], (a, 0, M - 1))),
    }
    total = Sum(x[b], (b, 0, N - 1))
    small = Op("small", forward=Eq(made[a], total), **rules)
    many = [Sum(0, (b, 0, 0))] * 500
    large = Op("large", forward=Eq(made[a], t.Add(*many, total)), **rules)
    inner = {x: lambda p: call(small, {}, {x: lambda q: q * x[p]})[0]}
    twice = call(large, {}, inner)[0]
    captured = Claim("c", Eq(twice, N * Sum(b * x[b], (b, 0, N - 1))))
    assert not all_proved(small.claiming(captured), "claim")


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


def test_what_reads_the_output_rests_on_the_forward():
    squared = op(
        forward=Eq(y[a], x[a] / 2),
        jvp=Eq(y_dot[a], x_dot[a] / 2),
        vjp=Eq(x_bar[a], y_bar[a] * y[a]),
    )
    (linear,) = (th for th in obligations(squared) if th.name == "vjp x_bar is linear")
    assert "forward: reads and writes" in linear.rests_on


def test_a_count_of_ranges_that_depend_on_each_other_is_no_bound():
    total = Sum(exp(x[b]), (a, 0, N - 1), (b, 0, a))
    largest = maximum(x[b], (a, 0, N - 1), (b, 0, a))
    few = Or(N < 50, log(total) <= log(Max(1, a + 1)) + largest)
    assert not holds(ForAll(few, (a, 0, 0)))


def test_a_sum_of_nothing_in_particular():
    assert holds(Sum(bracket(And()), (b, 0, N - 1)) > 0)
    assert not holds(Sum(bracket(And()), (b, 1, N - 1)) > 0)


# What a sixth attack found: an induction without its first turn, shapes that nobody checked.


FAR = bracket(N >= 50)


def test_a_flag_that_is_never_set():
    """The loop returns the last cell; its first turn was never looked at."""
    take = Or(Eq(has, 0), x[b] > best)
    stuck = fold(
        best,
        (b, 0, N - 1),
        best=(best, 0, If(take, x[b], best)),
        at=(at, 0, If(take, b, at)),
        has=(has, 0, If(Eq(has, 1), 1, has)),
    )
    largest = maximum(x[b], (b, 0, N - 1))
    statement = Claim("c", Eq(FAR * stuck, FAR * largest))
    (finding,) = found(op(claims=(statement,)), "claim")
    assert finding.scope == "where no loop takes more than 4 turns, inner loops counted"
    assert holds(Eq(flagged((b, 0, N - 1), x[b], x[b] > best, best), largest))


def test_a_maximum_in_the_body_of_its_sum_is_not_that_of_another_place():
    x2, y2 = array("x", N, M), array("y", N, M)
    same = Op(
        "same",
        requires=(N >= 1, M >= 1),
        forward=Eq(y2[a, b], x2[a, b]),
        jvp=Eq(tangent(y2)[a, b], tangent(x2)[a, b]),
        vjp=Eq(cotangent(x2)[a, b], cotangent(y2)[a, b]),
    )
    largest = maximum(x2[u, c], (u, 0, N - 1))
    total = Sum(exp(Sum(x2[b, c] - largest, (c, 0, M - 1))), (b, 0, N - 1))
    bound = Or(N < 50, log(total) >= Sum(largest - largest, (c, 0, M - 1)))
    assert not all_proved(same.claiming(Claim("c", bound)), "claim")


def walking(step):
    """A loop over axes that reads where its state is; its turns have no order."""
    wide, made = array("X", n, C), array("y", n, C)
    loop = fold(best, (i, 0, n - 1), at=(at, 0, step), s=(best, 0, best + x[at]))
    return Op(
        "walking",
        requires=(n >= 1, C >= 1, N >= 1),
        constants=(x,),
        forward=Eq(made[j, c], wide[j, c] + 0 * Sum(loop, (at, 0, N - 1))),
        jvp=Eq(tangent(made)[j, c], tangent(wide)[j, c]),
        vjp=Eq(cotangent(wide)[j, c], cotangent(made)[j, c]),
    )


def test_the_state_of_a_loop_over_axes_is_no_place():
    reads = [th for th in theorems(walking(at + 1), "in bounds") if th.equation == "forward"]
    assert {settled(th, LIMIT).status for th in reads} == {"unknown"}


def test_what_is_asked_of_every_state_is_not_refuted_by_one():
    """It reads x[0] only."""
    reads = [th for th in theorems(walking(at), "in bounds") if th.equation == "forward"]
    assert {settled(th, LIMIT).status for th in reads} == {"unknown"}


def test_the_sizes_of_a_call_are_not_those_of_its_index():
    def last(value):
        return Eq(call(op(), {N: 2 * N}, {x: lambda p: p})[N - 1], value)

    assert holds(last(N - 1))
    assert not holds(last(2 * N - 1))


def test_a_rule_that_reads_the_output_reads_that_of_its_own_call():
    rules = {"jvp": Eq(y_dot[a], y[a] * x_dot[a]), "vjp": Eq(x_bar[a], y[a] * y_bar[a])}
    grown = op(forward=Eq(y[a], exp(x[a])), **rules)
    doubled = call(grown, {}, {x: lambda p: 2 * x[p]}, of="x_bar")[0]
    assert all_proved(grown.claiming(Claim("c", Eq(doubled, exp(2 * x[0]) * y_bar[0]))), "claim")
    assert not all_proved(grown.claiming(Claim("c", Eq(doubled, exp(x[0]) * y_bar[0]))), "claim")


def test_a_symbol_of_one_axis_has_no_place_beside_all_of_them():
    one = on_axis(i, 1)
    some = Exists(Exists(Eq(i, one + K - 5), (i, 0, n - 1)), (one, 0, C))
    assert refused(lambda: bundled(claims=(Claim("c", Eq(K, 5), given=(some,)),)))


def test_shapes_are_read_like_all_else():
    per_axis = axes("N")
    twice = If(Exists(And(), (u, 0, 60), (u, N, N)), 0, 1)
    reading = If(array("z", N)[0] > 0, 1, 2)
    for dims in ((per_axis, N), (twice,), (reading,)):
        made = array("y", *dims)
        index = (i, a) if len(dims) > 1 else (a,)
        parts = {"forward": Eq(made[index], x[0]), "jvp": Eq(tangent(made)[index], x_dot[0])}
        vjp = Eq(x_bar[a], 0 * zero_padded(cotangent(made))[tuple(0 * e for e in index)])
        assert refused(lambda parts=parts, vjp=vjp: op(vjp=vjp, **parts))


def test_windows_bind_no_name_twice():
    twice = If(Exists(And(), (u, 0, 60), (u, N, N)), 0, 1)
    assert refused(lambda: op(windows=Windows(N, twice, 1, 1)))


def test_a_name_that_a_call_made_up_is_no_size():
    leaked = []
    total = op(forward=Eq(y[a], Sum(x[b], (b, 0, N - 1))), jvp=Eq(y_dot[a], x_dot[a]))
    call(total, {}, {x: lambda p: leaked.append(p) or p})[0]
    assert refused(lambda: op(requires=(N >= 1, leaked[0] >= 0)))


@pytest.mark.parametrize("cells", [(y_dot[0], y_dot[1]), (y_bar[0], x_bar[0])], ids=str)
def test_nothing_is_differentiated_by_what_the_op_computes(cells):
    assert refused(lambda: op(claims=(Claim("c", Eq(derivative(*cells), 1)),)))


def test_an_array_without_dimensions():
    z, made = array("z"), array("w")
    half = Op(
        "half",
        forward=Eq(made[()], z[()] / 2),
        jvp=Eq(tangent(made)[()], tangent(z)[()] / 2),
        vjp=Eq(cotangent(z)[()], cotangent(made)[()] / 2),
        claims=(Claim("c", Or(Not(z[()] > 0), made[()] > 0)),),
    )
    assert all_proved(half, "jvp", "vjp", "claim")
    assert not all_proved(replace(half, claims=(Claim("c", made[()] > 0),)), "claim")


def test_a_short_loop_beside_a_longer_one_is_looked_at():
    """With three cells the first loop is in scope, and the second has nine."""
    other = reals("other")
    few = fold(best, (b, 0, K - 1), best=(best, 0, 1 * best + 1))
    pairs = fold(other, (c, 0, K - 1), (u, 0, K - 1), s=(other, 0, 1 * other + x[c] * x[u]))
    wrong = bracket(And(K >= 3, N >= 50))
    sizes = {"requires": (N >= 1, K >= 1, N >= K)}
    assert not holds(Eq(few + 0 * pairs, K + wrong), **sizes)


def test_a_number_too_large_to_write_down():
    assert holds(exp(exp(exp(exp(x[0])))) > 0)
    assert claim(exp(exp(exp(exp(x[0])))) > 1, requires=(N >= 1,)).status != "error"


# What a seventh attack found.


def only_diagonal(**changes):
    """The sum of all cells; the rules speak of the diagonal only."""
    X, Y = array("x", n), array("y", M)
    parts = {
        "requires": (n >= 1, C >= 1, M >= 1, n >= C, n <= C),
        "forward": Eq(Y[a], Sum(X[i], (i, 0, n - 1))),
        "jvp": Eq(tangent(Y)[a], Sum(tangent(X)[c], (c, 0, C - 1))),
        "vjp": scatter(cotangent(X)[c], Sum(cotangent(Y)[a], (a, 0, M - 1)), (c, 0, C - 1)),
    }
    return Op("only_diagonal", **(parts | changes))


def test_derivatives_are_by_every_cell_and_not_by_the_diagonal():
    """n = (2, 2), C = 2: x[0, 1] adds to y, and both rules leave it out."""
    assert "proved" not in statuses(only_diagonal(), "jvp", "vjp")


def test_a_cotangent_has_as_many_dimensions_as_its_input():
    """At rank 2 x_bar has C cells and x has C times C."""
    X, Y = array("x", n), array("y", M)
    total = Sum(cotangent(Y)[a], (a, 0, M - 1))
    flat = Eq(cotangent(X, shape=(C,))[c], bracket(c <= C - 1) * total)

    def build():
        return only_diagonal(vjp=flat)

    assert refused(build) or "proved" not in statuses(build(), "size", "vjp")


def test_a_scatter_does_not_read_what_it_writes():
    """N = 2, y_bar = [1, 0]: the first write makes x_bar[0] positive, the second goes there too."""
    turned = If(x_bar[0] > 0, 1, 0)
    total = Sum(y_bar[c], (c, 0, N - 1))

    def build():
        return op(
            forward=Eq(y[a], Sum(x[b], (b, 0, N - 1))),
            jvp=Eq(y_dot[a], Sum(x_dot[b], (b, 0, N - 1))),
            vjp=scatter(x_bar[(1 - 2 * turned) * a + turned * (N - 1)], total, (a, 0, N - 1)),
        )

    assert refused(build) or not all_proved(build())


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


def test_a_boundary_that_is_touched_and_not_crossed():
    """y = x, and y_dot = x_dot: refuted at x = 0, where x·x and 0 have equal slopes."""
    forward = Eq(y[a], If(x[a] * x[a] > 0, x[a], 0))
    assert statuses(op(forward=forward), "jvp") == ["proved"]
    garbage = If(Eq(a, 0), 7 * x_dot[a], x_dot[a])
    squares = Eq(y[a], If(x[a] * x[a] > x[0] * x[0], x[a], x[a]))
    assert "proved" not in statuses(op(forward=squares, jvp=Eq(y_dot[a], garbage)), "jvp")


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


def either(value):
    """1, if every cell is at least 5 or below 5."""
    return op(
        forward=Eq(y[a], bracket(ForAll(Or(value >= 5, value < 5), (b, 0, N - 1)))),
        jvp=Eq(y_dot[a], 0 * x_dot[a]),
    )


@pytest.mark.parametrize(
    ("definition", "function", "index"),
    [(either(a + If(x[b] > 0, 0, 0)), lambda p: 1, i), (either(x[b]), lambda p: i, 0)],
    ids=["index", "value"],
)
def test_a_call_takes_one_number_where_its_op_does(definition, function, index):
    """n = (6, 6), i = (0, 5): neither `i ≥ 5` nor `i < 5` holds on every axis."""
    one = call(definition, {N: C}, {x: function})[index]
    statement = ForAll(Eq(one, 1), (i, 0, n - 1))
    assert refused(lambda: scope_of(statement, requires=(n >= 1, C >= 1))) or (
        scope_of(statement, requires=(n >= 1, C >= 1))[0] != BAD
    )


def test_what_a_function_binds_captures_no_index_of_its_call():
    """x[b] times the sum of x, and not the sum of squares."""
    scaled = call(op(), {}, {x: lambda p: Sum(x[p] * x[b], (b, 0, N - 1))})[b]
    meant = x[b] * Sum(x[c], (c, 0, N - 1))
    assert holds(ForAll(Eq(scaled, meant), (b, 0, N - 1)))
    assert not holds(ForAll(Eq(scaled, Sum(x[c] * x[c], (c, 0, N - 1))), (b, 0, N - 1)))


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


def test_no_array_is_named_like_one_with_padding():
    def build():
        return str(array("x\u0302", N)[a]) != str(zero_padded(x)[a])

    assert refused(build) or build()


# Crashes.


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


def test_a_condition_is_no_state():
    loop = fold(best, (b, 0, N - 1), best=(best, 0, If(x[b] > 0, x[b] > 1, best)))
    assert refused(lambda: op(forward=Eq(y[a], x[a] + 0 * loop)))


def test_hypotheses_are_conditions():
    assert refused(lambda: op(claims=(Claim("c", N >= 1, given=(True,)),)))
    assert refused(lambda: op(windows=(3,)))


def test_on_every_axis_of_none():
    """A call that gives all bundles a number, in an op without bundles."""
    X, Y = array("x", n), array("y", n)
    few = bundled(
        forward=Eq(Y[i], bracket(i <= 3) * X[i]),
        jvp=Eq(tangent(Y)[i], bracket(i <= 3) * tangent(X)[i]),
    )
    called = call(few, {n: N}, {X: lambda p: 1})[a]
    statement = ForAll(Eq(called, bracket(a <= 3)), (a, 0, N - 1))
    assert refused(lambda: claim(statement)) or claim(statement).status != "error"


SPLIT = Max(x[0], 0) + Min(x[0], 0)  # that is x[0], with the derivative 1 everywhere


@pytest.mark.parametrize(
    "same", [SPLIT, If(x[0] * x[0] > 0, x[0], 0)], ids=["two halves", "a square"]
)
def test_a_derivative_in_a_hypothesis_has_a_boundary(same):
    """SOUNDNESS: x[0] ≠ 0 followed from ∂x[0]/∂x[0] = 1, with no word of the boundary."""
    finding = claim(implies(Eq(derivative(same, x[0]), 1), Ne(x[0], 0)))
    assert finding.status != BAD or "off the boundary" in finding.scope


def diagonal(rule):
    z, made = array("z", C), array("w", C)
    return Op(
        "diagonal",
        requires=(C >= 1, n >= 1, Eq(n, C)),
        forward=Eq(made[a], z[a]),
        jvp=Eq(tangent(made)[a], tangent(z)[a]),
        vjp=rule(cotangent(z, shape=(n,)), cotangent(made)),
    )


@pytest.mark.parametrize(
    "rule",
    [
        lambda z_bar, w_bar: scatter(z_bar[0 * n + a], w_bar[a], (a, 0, C - 1)),
        lambda z_bar, w_bar: Eq(z_bar[i], Sum(bracket(Eq(i, a)) * w_bar[a], (a, 0, C - 1))),
    ],
    ids=["a scatter", "an equation"],
)
def test_a_vector_has_not_the_shape_of_a_grid(rule):
    """SOUNDNESS: at rank 2 z has C cells and z_bar has C²; all was proved, at every rank."""
    assert refused(lambda: diagonal(rule)) or not all_proved(diagonal(rule), "size")


def test_a_number_per_axis_has_not_the_shape_of_a_number():
    X, Y = array("x", n), array("y", n)
    rule = Eq(cotangent(X, shape=(C,))[a], 0 * cotangent(Y)[a])
    requires = (C >= 1, n >= 1, Eq(n, C))
    assert refused(lambda: bundled(vjp=rule, requires=requires))


def test_a_clause_is_not_needed_for_a_state_that_is_never_reached():
    """It reads x[0] only, and K is nowhere: K ≥ 1 was shown to be needed."""
    walk = walking(at)
    walk = replace(walk, requires=(*walk.requires, K >= 1))
    finding = needed(walk, K >= 1, obligations(walk), LIMIT)
    assert not finding.note.startswith("needed")


def test_the_smallest_shape_for_all_values_of_an_inequality():
    """At N = 1 it is false for x[0] = 17/2, which was not tried."""
    far = (x[0] - Fraction(17, 2)) * (x[0] - Fraction(17, 2)) - Fraction(1, 16)
    finding = claim(If(N < 2, far, x[0]) >= 0)
    assert finding.status == "refuted"
    assert finding.counterexample.sizes == {"N": 1} or not finding.counterexample.smallest


@pytest.mark.parametrize("condition", [N > 3, x[0] > 3], ids=str)
def test_a_condition_has_no_derivative(condition):
    assert refused(lambda: op(claims=(Claim("c", Eq(derivative(condition, x[0]), 0)),)))


def test_a_call_at_one_place_per_axis():
    """Not a hole, but an error: the place of a vector was one number per axis."""
    upto = op(forward=Eq(y[a], maximum(x[b], (b, 0, N - 1), where=b <= a)))

    def build():
        said = Eq(call(upto, {}, {x: lambda place: place})[k], N - 1)
        return bundled(claims=(Claim("c", said, given=(k >= N, N >= 1)),))

    assert refused(build)


@pytest.mark.parametrize(
    "name", ["forward: reads and writes", "requires N ≥ 1", "requires can be met", "jvp by x"]
)
def test_a_claim_has_a_name_of_its_own(name):
    """What a theorem rests on is looked up by its name."""
    assert refused(lambda: obligations(op(claims=(Claim(name, N >= 1),))))


# What an eighth attack found.

LOOP = fold(derivative(best * x[N - 1], x[N - 1]), (b, 50, N - 1), best=(best, 0, best + x[b]))


def test_a_state_in_a_derivative_is_one_thing_for_all():
    """SOUNDNESS: the loop was made a sum of cells and then differentiated; evaluation takes the
    state for a constant. N = 51, x[50] = 1: the left side is 1, the right side is 2."""
    total = Sum(x[b], (b, 50, N - 1))
    statement = Eq(LOOP, total + bracket(N >= 51) * x[N - 1])
    assert refused(lambda: claiming(statement, (), {})) or not holds(statement)


def two_last(weight):
    """The larger of the last two cells; `weight(b)` is what both rules give x[b]."""
    made = array("y", M)
    return Op(
        "two_last",
        requires=(N >= 3, M >= 1),
        forward=Eq(made[a], maximum(x[u], (u, N - 2, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(weight(b) * x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], weight(b) * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )


def elsewhere(place):
    """The winner, if there is one; else x[0], if that has the value, though of no window."""
    window = (u, N - 2, N - 1)
    first, last = (bracket(winner(c, x[u], window, tie=tie)) for tie in ("first", "last"))
    here, alike = bracket(Eq(place, c)), bracket(Eq(x[0], maximum(x[u], window)))
    moved = alike * bracket(Eq(place, 0)) + (1 - alike) * (1 - alike) * here
    return Sum(first * (last * here + (1 - last) * (1 - last) * moved), (c, N - 2, N - 1))


def test_a_cell_of_no_window_is_no_winner():
    """SOUNDNESS: N = 3, x = (1, 1, 1): y is the larger of x[1] and x[2], x_bar is (1, 0, 0)."""
    *_, winners = theorems(two_last(elsewhere), "ties")
    assert winners.name == "x_bar at ties: weights on winners only"
    assert settled(winners, LIMIT).status == "refuted"


@pytest.mark.parametrize("body", [x[b] + 1, 2 * x[b]], ids=str)
def test_a_winner_whose_value_is_not_its_cell(body):
    """Refuted at N = 1, where x[0] is the only cell there is."""
    made = array("y", M)
    slope = 2 if isinstance(body, t.Mul) else 1
    first = slope * bracket(winner(c, x[u], (u, 0, N - 1)))
    shifted = Op(
        "shifted",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], maximum(body, (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(first * x_dot[c], (c, 0, N - 1))),
        vjp=Eq(x_bar[c], first * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    ties = [th for th in obligations(shifted) if th.kind == "ties"]
    assert "refuted" not in [settled(th, LIMIT).status for th in ties]


def test_what_holds_at_the_points_tried_is_not_said_to_hold():
    """At K = 0 the rule is wrong where x[a] > 100."""
    wrong = bracket(K <= -1) + bracket(And(K <= 0, x[a] > 100))
    rule = Eq(y_dot[a], (1 + wrong) * x_dot[a])
    definition = op(requires=(N >= 1, K >= 1), jvp=rule)
    finding = needed(definition, K >= 1, obligations(definition), LIMIT)
    assert "all would hold" not in finding.note


def test_all_that_holds_without_a_clause_is_not_all():
    """The claim is nothing but the clause."""
    definition = op(requires=(N >= 1, K >= 1), claims=(Claim("c", K >= 1),))
    finding = needed(definition, K >= 1, obligations(definition), LIMIT)
    assert "all holds without it" not in finding.note


by_p = integers("p")


def test_the_place_of_a_read_is_not_what_its_equation_binds():
    """SOUNDNESS: y = x, written with a binder p; the place of y[b] was called p'9 and p became p'9.

    So y[b] was taken for the sum of x: N = 2, x = (1, 0) has y[1] = 0.
    """
    same = op(forward=Eq(y[a], Sum(bracket(Eq(by_p, a)) * x[by_p], (by_p, 0, N - 1))))
    total = op(forward=Eq(y[a], Sum(x[b], (b, 0, N - 1))), jvp=Eq(y_dot[a], x_dot[a]))
    for before in range(6):
        numbered = 0 * call(total, {}, {})[0] + t.Add(*[0 * y[b]] * before)
        wrong = Eq(numbered + y[b], Sum(x[c], (c, 0, N - 1)))
        right = Eq(numbered + y[b], x[b])
        for said, status in ((wrong, "refuted"), (right, "proved")):
            claims = same.claiming(Claim("c", ForAll(said, (b, 0, N - 1))))
            assert statuses(claims, "claim") == [status]


def test_what_a_loop_leaves_on_each_axis_is_not_one_number():
    """SOUNDNESS: at rank 4, n = (1, 2, 1, 1), neither F ≥ 2 nor F < 2 holds on every axis."""
    left = fold(i, (c, 0, 0), i=(i, 0 * n, n))
    neither = And(product(2 + 0 * n) > 8, Not(left >= 2), Not(left < 2))
    statement = Eq(If(neither, 1, 0) * array("x", n)[0 * n], 0)
    assert scope_of(statement) == (BAD, "ranks 1 to 3")


def test_a_place_on_the_diagonal_is_one_of_the_window():
    """y[0] is whether cell (0, …, 0) wins; where n = 1 it does: refuted at rank 2, by y[0] = 0."""
    X, Y = array("x", n), array("y", n)
    wins = bundled(
        forward=Eq(Y[i], bracket(winner(i, X[j], (j, 0, n - 1)))),
        jvp=Eq(tangent(Y)[i], 0 * tangent(X)[i]),
        vjp=Eq(cotangent(X)[i], 0 * cotangent(Y)[i]),
    )
    for said in (Y[0] > 0, Eq(Y[0], 1)):
        (status,) = statuses(wins.claiming(Claim("c", said, given=(n <= 1,))), "claim")
        assert status in (BAD, "unknown")
    assert statuses(wins.claiming(Claim("c", Y[0] > 0)), "claim") == ["refuted"]


def test_one_name_twice_in_a_size_is_two():
    """SOUNDNESS: at N = 50 the size of the windows asks for 5 mod 0; the outer u ≥ 1 vouched."""
    inner = Exists(Eq(mod(5, u), 7), (u, 0, If(N >= 50, 3, -1)))
    size = N + 0 * If(Exists(And(u >= 1, inner), (u, 0, 3)), 1, 0)
    windows = Windows(count=N, size=size, extent=1, stride=1)
    assert not all_proved(op(windows=windows), "defined")


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


def test_an_accent_is_one_however_it_is_typed():
    def build():
        return array("\N{LATIN SMALL LETTER C WITH CIRCUMFLEX}", N)  # zero_padded(c) reads alike

    assert refused(build)


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


def test_arrays_have_names_and_sizes():
    for made in (t.Array("x|", (N,)), t.Array("x", (N / K,))):
        rules = {
            "forward": Eq(y[a], made[a]),
            "jvp": Eq(y_dot[a], tangent(made)[a]),
            "vjp": Eq(t.Array("x_bar", (N,), "cotangent", made.name)[a], y_bar[a]),
        }
        assert refused(lambda rules=rules: op(requires=(N >= 1, K >= 1), **rules))


# What a review of these fixes found.


def adding(result, step=None):
    """A loop that adds up x, and what it makes of that."""
    return fold(result, (b, 0, N - 1), total=(total, 0, total + x[b] if step is None else step))


@pytest.mark.parametrize("step", [None, 1 * total + x[b]], ids=["a sum", "written out"])
@pytest.mark.parametrize("result", [If(Eq(total, 0), 0, total), If(total > 0, 1, 0)], ids=str)
def test_a_branch_on_what_a_loop_adds_up_has_a_boundary(result, step):
    """SOUNDNESS: y = Σx has the derivative 1 at 0, too, and a step has none there."""
    made, whole = array("y", M), Sum(x[c], (c, 0, N - 1))
    weight = bracket(Ne(whole, 0)) if result.args[2] is total else 0
    definition = Op(
        "branching",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], adding(result, step)),
        jvp=Eq(tangent(made)[a], weight * Sum(x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    findings = found(definition, "jvp", "vjp")
    assert all(f.status != BAD or "off the boundary" in f.scope for f in findings)


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


def test_floats_are_no_witness_and_no_judge():
    """They take e to the -1000 for 0, e to the 1400 for no number, and e to the -30 for little."""
    assert claim(implies(Eq(exp(1000 * x[0]), 0), x[0] < 0)).status == "vacuous"
    huge = exp(700 + 0 * x[0]) * exp(700)
    assert claim(Eq(huge, 2 * huge)).status == "refuted"
    assert claim(Eq(exp(-30 + 0 * x[0]), 0)).status == "refuted"


def test_a_range_that_reads_a_tensor_decides_no_shape():
    """At N = 1 it is false for x[0] = 1, which is not tried."""
    inside = ForAll(Eq(x[0], 0), (b, 0, If(x[0] > 0, 0, 0)))
    finding = claim(And(N <= 1, inside))
    assert finding.status != "refuted" or not finding.counterexample.smallest


def test_nothing_said_is_not_contradicting():
    """A claim of nothing, without a clause: only that it has a value is asked."""
    nothing = op(requires=(N >= 1, K >= 1), claims=(Claim("c", And(), without=(K >= 1,)),))
    assert statuses(nothing, "claim") != ["vacuous"]


def test_what_joins_axes_is_not_lowered():
    for joined in (product(n) > 0, n >= 1):
        with pytest.raises(NotLowered):
            Script().lower(joined)


def test_a_bundle_is_written_out_and_not_left():
    with pytest.raises(DefinitionError, match="one value per axis"):
        at_rank(t.Add(n, 1), 2)


# What a tenth attack found.


LATE = If(N < 50, 0, 1)


def in_two_loops(result):
    """The sum of x, from which a second loop starts."""
    inner = fold(result, (c, 0, 0), best=(best, total, best))
    return fold(inner, (b, 0, N - 1), total=(total, 0, total + x[b]))


@pytest.mark.parametrize(
    ("result", "weight", "words"),
    [
        (
            maximum(best, (v, 0, LATE)),
            Sum(bracket(winner(w, best, (v, 0, LATE), tie="any")), (w, 0, LATE)),
            "where the winner is unique",
        ),
        (If(Eq(best, 0), 0, best), If(Eq(best, 0), 0, 1), "off the boundary"),
    ],
    ids=["a maximum", "a branch"],
)
def test_a_state_of_a_state_has_a_boundary(result, weight, words):
    """SOUNDNESS: y = Σx has the derivative 1, also at 0, and with N = 50 the rule says 2."""
    made = array("y", M)
    definition = Op(
        "two_loops",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], in_two_loops(result)),
        jvp=Eq(tangent(made)[a], in_two_loops(weight) * Sum(x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], in_two_loops(weight) * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    findings = found(definition, "jvp", "vjp")
    assert all(f.status != BAD or words in f.scope for f in findings)


def test_a_maximum_of_maxima_has_one_winner_in_each():
    """SOUNDNESS: with the outer winner alone unique, it said 1 = 2 for x = 0 … 49.

    There each row has two winners that read one cell, so there is a derivative, and it is 1.
    """
    made = array("y", M)
    row = maximum(x[b], (c, 0, LATE))
    often = Sum(bracket(winner(w, x[b], (c, 0, LATE), tie="any")), (w, 0, LATE))
    weight = bracket(winner(b, row, (b, 0, N - 1), tie="any")) * often
    definition = Op(
        "nested",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], maximum(row, (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(weight * x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    theorem = next(th for th in obligations(definition) if th.kind == "jvp")
    (sequent,) = theorem.sequents
    places = dict(zip((symbol for symbol, _, _ in sequent.over), (0, 49), strict=True))
    cells = {("x", (e,)): Fraction(e) for e in range(50)}
    assert Point(sequent, cells).fails({N: 50, M: 1} | places)
    assert not is_proved(theorem)


def test_the_body_of_a_maximum_has_edges_where_it_counts():
    largest = maximum(abs(x[b]), (b, 0, N - 1), where=b > 0)
    (_, edge), (_, one_place) = off_boundary(largest, x[a])
    assert isinstance(one_place.args[0], t.Unique)
    assert isinstance(edge, ForAll)
    assert edge.body.args[0] == Not(And(b > 0, abs(x[b]) >= largest))


@pytest.mark.parametrize("statement", [K > 100, Ne(K, 0)], ids=str)
def test_the_smallest_is_looked_for_from_the_smallest_on(statement):
    """A size that may be negative made the search begin beyond N = 1, K = 0."""
    low = op(requires=(N >= 1, K >= -3), claims=(Claim("c", statement),))
    (verdict,) = (v for v in verify_op(low).verdicts if v.kind == "claim")
    assert verdict.counterexample.sizes == {"N": 1, "K": 0}


def test_a_convention_is_not_said_to_be_needed():
    (verdict,) = (v for v in verify_op(op(requires=(N >= 1,))).verdicts if v.kind == "needed")
    assert verdict.note.startswith("convention")
    assert verdict.statement == "N ≥ 1 is needed, or a convention"


def test_on_every_axis_is_said_where_it_makes_a_difference():
    either = t.close(t.Or(t.Le(n, 1), t.Lt(k, 1)))
    one_of_both = Or(n <= 1, k < 1)
    assert str(either) == "n ≤ 1 ∨ k < 1"
    assert str(one_of_both) == "(n ≤ 1 on every axis) ∨ (k < 1 on every axis)"
    assert str(Not(n <= 1)) == "¬(n ≤ 1 on every axis)"
    assert str(And(either, N >= 1)) == "(n ≤ 1 ∨ k < 1) ∧ N ≥ 1"
    assert latex(either) != latex(one_of_both)
    assert latex(Not(n <= 1)) == r"\lnot\left(n \le 1 \text{ on every axis}\right)"
    assert latex(And(either, N >= 1)).startswith(r"\left(")


def scaling(forward, weight, requires=(N >= 1,), jvp=None):
    """y[a] from cells of x, and rules that scale by a weight, or a JVP of its own."""
    return op(
        requires=requires,
        forward=Eq(y[a], forward),
        jvp=Eq(y_dot[a], weight * x_dot[a] if jvp is None else jvp),
        vjp=Eq(x_bar[a], weight * y_bar[a]),
    )


TWO = (b, 0, Min(N - 1, 1))
REST = bracket(a < K)


@pytest.mark.parametrize(
    ("forward", "right", "wrong", "requires"),
    [
        (
            x[a] + If(N < 1, maximum(0 * x[0], TWO), 0),
            1,
            bracket(Not(unique(0 * x[0], TWO))),
            (N >= 1,),
        ),
        (
            x[a] + bracket(N < 1) * maximum(0 * x[0], TWO),
            1,
            bracket(Not(unique(0 * x[0], TWO))),
            (N >= 1,),
        ),
        (
            bracket(a >= K) * Max(x[a], 0) + REST * x[a],
            bracket(a >= K) * bracket(x[a] > 0) + REST,
            bracket(And(a < K, Eq(x[a], 0))),
            (N >= 1, K >= 0),
        ),
        (Max(x[a], 0, x[a] - 1), bracket(x[a] > 0), bracket(Eq(x[a], 1)), (N >= 1,)),
        (Min(x[a], 0, x[a] + 1), bracket(x[a] < 0), bracket(Eq(x[a], -1)), (N >= 1,)),
    ],
    ids=["not reached", "not reached in a product", "bracket", "losers of max", "losers of min"],
)
def test_what_is_not_reached_has_no_boundary(forward, right, wrong, requires):
    """SOUNDNESS: points were left out that are on no boundary, and there the rule is wrong."""
    true, false = (scaling(forward, right + z * wrong, requires) for z in (0, 7))
    assert statuses(true, "jvp", "vjp") == [BAD, BAD]
    assert statuses(false, "jvp", "vjp") == ["refuted", "refuted"]


@pytest.mark.parametrize(("extra", "status"), [(0, BAD), (7, "refuted")])
def test_a_tie_in_the_other_branch_is_none(extra, status):
    window = (b, 0, N - 1)
    largest = Sum(bracket(winner(c, x[b], window)) * x_dot[c], (c, 0, N - 1))
    tied = bracket(And(a < K, Not(unique(x[b], window))))
    rule = If(a >= K, largest, x_dot[a] + extra * tied * x_dot[a])
    forward = If(a >= K, maximum(x[b], window), x[a])
    assert statuses(scaling(forward, 1, (N >= 1, K >= 0), rule), "jvp") == [status]


def test_uniqueness_that_may_be_due_to_something_else_is_none():
    """¬r ∨ s ∨ unique: where r holds, it may still be s that does."""
    window = (b, 0, N - 1)
    first, last = (
        Sum(bracket(winner(c, x[b], window, tie=tie)) * x[c] * c, (c, 0, N - 1))
        for tie in ("first", "last")
    )
    alone = unique(x[b], window)
    assert claim(implies(implies(N >= 1, alone), Eq(first, last))).status == BAD
    assert claim(implies(Or(Not(N >= 1), N >= 50, alone), Eq(first, last))).status != BAD


def test_uniqueness_holds_where_its_condition_does():
    window = (b, 0, N - 1)
    first, last = (
        Sum(bracket(winner(c, x[b], window, tie=tie)) * x[c] * c, (c, 0, N - 1))
        for tie in ("first", "last")
    )
    for least, status in ((1, BAD), (50, "unknown")):
        alone = implies(least <= N, unique(x[b], window))
        (theorem,) = theorems(claiming(implies(alone, Eq(first, last)), (), {}), "claim")
        assert prove(theorem, False, RLIMIT).status == status


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


def test_maxima_of_maxima_end():
    """The body of a maximum becomes a winner, of which the same is asked again."""
    X, W, made = array("x", N, N), array("w", N), array("y", M)
    row = maximum(X[b, c], (c, 0, N - 1))
    of_rows = bracket(winner(u, W[b] + row, (b, 0, N - 1)))
    rule = of_rows * bracket(winner(v, X[u, c], (c, 0, N - 1)))
    definition = Op(
        "max_plus",
        requires=(N >= 1, M >= 1),
        constants=(W,),
        forward=Eq(made[a], maximum(row + W[b], (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(rule * tangent(X)[u, v], (u, 0, N - 1), (v, 0, N - 1))),
        vjp=Eq(cotangent(X)[u, v], rule * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    theorem = next(th for th in obligations(definition) if th.kind == "vjp")
    assert prove(theorem, False, RLIMIT).status == BAD


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


def test_smallest_is_not_said_where_a_size_goes_with_another_real():
    """N = 1 goes with β = 3, which is not among the values that are tried."""
    finding = claim(N < 1, requires=(N >= 1, beta > 0, beta * N >= 3))
    assert finding.status == "refuted"
    assert not finding.counterexample.smallest


def test_a_rule_that_is_not_linear_is_seen_at_its_smallest_shape():
    """At t = 1 it is 2·f(t) = f(2·t), by chance."""
    moved = x_dot[a]
    cubic = op(jvp=Eq(y_dot[a], moved - 3 * moved * moved + moved * moved * moved))
    finding = found(cubic, "linear")[0]
    assert (finding.status, finding.counterexample.sizes) == ("refuted", {"N": 1})


def test_what_fails_anyway_shows_no_need():
    """K occurs nowhere; the VJP is wrong with and without its clause."""
    wrong = op(requires=(N >= 1, K >= 1), vjp=Eq(x_bar[a], 2 * y_bar[a]))
    found_here = needed(wrong, K >= 1, obligations(wrong), RLIMIT)
    assert found_here.note == "convention: what holds with it holds without it"


def test_a_shape_that_a_real_decides():
    size = If(beta > 0, N, N + 1)
    X, Y = array("x", size), array("y", size)
    definition = Op(
        "shape",
        requires=(N >= 1, beta >= -5),
        forward=Eq(Y[a], exp(X[a])),
        jvp=Eq(tangent(Y)[a], 2 * exp(X[a]) * tangent(X)[a]),
        vjp=Eq(cotangent(X)[a], exp(X[a]) * cotangent(Y)[a]),
    )
    assert statuses(definition, "jvp", "vjp") == ["refuted", BAD]


def test_a_loop_of_which_no_solver_can_be_asked_selects_nothing():
    take = Or(Eq(has, 0), Exists(Sum(best, (w, 0, v)) < x[b], (v, 0, 0)))
    states = {"best": (best, 0, If(take, x[b], best)), "has": (has, 0, If(take, 1, has))}
    largest = fold(best, (b, 0, N - 1), **states)
    assert claim(Eq(largest, maximum(x[b], (b, 0, N - 1)))).status == "unsupported"


def test_a_model_too_large_to_evaluate_is_left_alone():
    assert claim(Or(N < 10**8, Sum(1, (b, 0, N - 1)) < 5)).status == "unknown"
    assert claim(Or(N < 10**3, Sum(1, (b, 0, N - 1)) < 5)).status == "refuted"


# What a review of these fixes found.


@pytest.mark.parametrize(("extra", "status"), [(0, BAD), (7, "refuted")])
def test_a_branch_that_no_state_of_a_loop_over_axes_reaches(extra, status):
    """SOUNDNESS: `never` is 1 in every turn, so y = Σx, also where a cell is 0."""
    never, made = reals("never"), array("y", M)
    X = array("x", n)
    steps = {
        "never": (never, 1, never),
        "total": (total, 0, If(never < 0, total + Max(X[j], 0), total + X[j])),
    }
    weight = 1 + extra * bracket(Eq(X[i], 0))
    definition = Op(
        "axes",
        requires=(n >= 1, M >= 1),
        forward=Eq(made[a], fold(total, (j, 0, n - 1), **steps)),
        jvp=Eq(tangent(made)[a], Sum(weight * tangent(X)[i], (i, 0, n - 1))),
        vjp=Eq(cotangent(X)[i], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert statuses(definition, "jvp") == [status]


@pytest.mark.parametrize("extra", [0, 7])
def test_what_loses_has_no_boundary(extra):
    """SOUNDNESS: at 0 the larger of |x| and 1 is 1, all around."""
    sign = If(x[a] > 0, 1, -1)
    weight = If(abs(x[a]) > 1, sign, 0) + extra * bracket(Eq(x[a], 0))
    assert proofs(scaling(Max(abs(x[a]), 1), weight), "jvp", "vjp") == 2 * [extra == 0]


def test_the_places_that_lose_have_no_boundary():
    """SOUNDNESS: with x = (0, 5) the larger of |x| does not move with the first."""
    made, won = array("y", M), winner(c, abs(x[b]), (b, 0, N - 1))
    weight = bracket(won) * If(x[c] > 0, 1, -1) + 7 * bracket(Eq(x[c], 0)) * bracket(Not(won))
    definition = Op(
        "largest",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], maximum(abs(x[b]), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(weight * x_dot[c], (c, 0, N - 1))),
        vjp=Eq(x_bar[c], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert proofs(definition, "vjp") == [False]


def test_need_is_shown_by_what_is_written_out():
    slope, made = reals("slope"), array("y", M)
    adding_up = {"total": (total, 0, Max(total, 0) + x[b])}
    moving = adding_up | {"slope": (slope, 0, If(total >= 0, slope, 0) + x_dot[b])}
    definition = Op(
        "needing",
        requires=(N >= 1, M >= 1, K >= 1),
        forward=Eq(made[a], If(K >= 1, 1, 2) * fold(total, (b, 0, N - 1), **adding_up)),
        jvp=Eq(tangent(made)[a], fold(slope, (b, 0, N - 1), **moving)),
        vjp=Eq(x_bar[c], 0),
    )
    jvp = tuple(th for th in obligations(definition) if th.kind == "jvp")
    assert needed(definition, K >= 1, jvp, RLIMIT).note.startswith("needed: with K = 0")


# What an eleventh attack found, from the outside.


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


def test_a_power_of_0_still_needs_a_value():
    """SOUNDNESS: it was 1 as soon as it was written, so `(1/x[0])**0 = 1` was proved."""
    assert not holds(Eq((1 / x[0]) ** 0, 1))
    assert not holds(Eq(x[N] ** 0, 1))
    assert holds(Eq(x[0] ** 0, 1))
    assert holds(Eq((x[0] * 3) ** sympy.Integer(2), 9 * x[0] ** 2))
    for power in (True, -1, 0.5, sympy.Rational(1, 2), x[a]):
        with pytest.raises(DefinitionError, match="a power is a whole number, 0 or more"):
            x[0] ** power


def test_sympy_does_not_forget_where_a_root_is_defined():
    with pytest.raises(DefinitionError, match=r"use sqrt of verify\.language"):
        sympy.sqrt(x[a]) ** 2


@pytest.mark.parametrize(
    "name",
    [
        *("e\u0301", "\u212a", "\u00b5", "n\u034f", "n\ufe0e", "x\u207f", "\U0001d45b"),
        *("\u00e9", "\u65e5", "\u0430", "\u0391", "\u03bf", "a\u115f", "n\u02b9", "a\ua78fb"),
    ],
)
def test_no_two_names_look_alike(name):
    """SOUNDNESS: `é > é` was proved, of two names."""
    for declare in (integers, array, lambda name: cotangent(x, name)):
        with pytest.raises(DefinitionError, match="is not a name"):
            declare(name)


def test_greek_letters_are_letters():
    assert [str(s) for s in integers("\u03b2 \u0393_2")] == ["\u03b2", "\u0393_2"]


def test_an_array_that_bypasses_its_declaration_has_a_name_too():
    with pytest.raises(DefinitionError, match="is not a name"):
        scaling(t.Array("n\u034f", (N,))[a], 1)


def test_a_clause_is_there_once():
    """Of two, neither is needed: without it there is the other."""
    with pytest.raises(DefinitionError, match="N ≥ 1 is there twice"):
        replace(scaling(x[a], 1), requires=(N >= 1, N >= 1))


# What the eleventh attack found at boundaries, in written out loops, and in what is smallest.

LARGEST_SIZE = maximum(abs(x[b]), (b, 0, N - 1))
SOME, EVERY = (kind(x[b] > 0, (b, 0, N - 1)) for kind in (Exists, ForAll))


@pytest.mark.parametrize(
    ("condition", "nowhere"),
    [
        (abs(x[a]) < 5, Eq(x[a], 0)),
        (Sum(abs(x[b]), (b, 0, N - 1)) < 5, Eq(x[a], 0)),
        (maximum(x[b], (b, 0, N - 1)) > 5, Not(unique(x[b], (b, 0, N - 1)))),
        (LARGEST_SIZE < 5, Not(unique(abs(x[b]), (b, 0, N - 1)))),
        (SOME, And(a > 0, x[0] > 0, Eq(x[a], 0))),
        (EVERY, And(a > 0, x[0] < 0, Eq(x[a], 0))),
    ],
)
@pytest.mark.parametrize("extra", [0, 7])
def test_a_condition_turns_where_it_compares(condition, nowhere, extra):
    """SOUNDNESS: |x| < 5 holds around 0, and a rule that is wrong there was proved."""
    weight = If(condition, 1, 0) + extra * bracket(nowhere)
    assert proofs(scaling(If(condition, x[a], 0), weight), "jvp", "vjp") == 2 * [extra == 0]


def test_the_first_place_of_a_quantifier_counts_for_all_that_turn_with_it():
    """Both places turn at x = 0, where neither decides alone; the rule may say what it likes."""
    every = ForAll(x[a] > 0 * b, (b, 0, 1))
    assert proofs(scaling(If(every, x[a], 0), If(x[a] >= 0, 1, 0)), "jvp", "vjp") == [True, True]


@pytest.mark.parametrize("kind", [Exists, ForAll])
@pytest.mark.parametrize("extra", [0, 7])
def test_a_quantifier_over_axes_turns_where_no_other_place_decides(kind, extra):
    X, Y = array("x", n), array("y", n)
    asked = kind(X[j] > 0, (j, 0, n - 1))
    elsewhere = kind(Or(Eq(X[j], 0), X[j] > 0), (j, 0, n - 1))
    weight = If(asked, 1, 0) + extra * bracket(And(Eq(X[i], 0), asked, elsewhere))
    definition = Op(
        "axes",
        requires=(n >= 1,),
        forward=Eq(Y[i], If(asked, X[i], 0)),
        jvp=Eq(tangent(Y)[i], weight * tangent(X)[i]),
        vjp=Eq(cotangent(X)[i], weight * cotangent(Y)[i]),
    )
    assert proofs(definition, "vjp") == [extra == 0 or kind is ForAll]


@pytest.mark.parametrize("extra", [0, 7])
def test_which_place_wins_turns_where_two_are_equal(extra):
    """SOUNDNESS: with x = (0, 5) the second is picked, all around."""
    made, won = array("y", M), winner(c, abs(x[b]), (b, 0, N - 1))
    weight = bracket(won) + extra * bracket(Eq(x[c], 0)) * bracket(Not(won))
    definition = Op(
        "pick",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], Sum(bracket(won) * x[c], (c, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(weight * x_dot[c], (c, 0, N - 1))),
        vjp=Eq(x_bar[c], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert proofs(definition, "vjp") == [extra == 0]


def test_what_a_loop_does_not_use_has_no_boundary():
    """SOUNDNESS: the sum of |x| beside the loop's own left out x = 0."""
    size = reals("size")
    steps = {"total": (total, 0, 2 * total + x[b]), "size": (size, Max(x[0], 0), abs(x[b]))}

    def conditions(result):
        return list(off_boundary(fold(result, (b, 0, N - 1), **steps), x[c]))

    assert conditions(total) == []
    assert conditions(size)


@pytest.mark.parametrize("after", [False, True])
def test_loops_one_after_the_other_are_both_small(after):
    """SOUNDNESS: windows of 4 and 2 cells were taken for one of 8, and not looked at."""
    begun, moved, made = reals("begun"), reals("moved"), array("y", K)
    w = array("w", M)

    def both(begin, read, other):
        first = fold(begun, (c, 0, M - 1), begun=(begun, 0, 2 * begun + other[c]))
        start, result = (0, begin + first) if after else (first, begin)
        return fold(result, (b, 0, N - 1), **{begin.name: (begin, start, 2 * begin + read[b])})

    definition = Op(
        "twice",
        requires=(N >= 1, M >= 1, K >= 1),
        forward=Eq(made[a], both(total, x, w)),
        jvp=Eq(tangent(made)[a], both(moved, x_dot, tangent(w))),
        vjp=(Eq(x_bar[c], 0), Eq(cotangent(w)[c], 0)),
    )
    for theorem in theorems(definition, "jvp"):
        assert len(instances(theorem, RLIMIT) or ()) == 4 * 4
        assert settled(theorem, RLIMIT).status == BAD


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


# What a twelfth attack found: one node on both sides, and winners that are one cell.


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


def largest_of_three(tie, place):
    """The largest of three cells, some of which may be one and the same."""
    wins = bracket(winner(b, x[place(a, c)], (c, 0, 2), tie=tie))
    return op(
        forward=Eq(y[a], 2 * maximum(x[place(a, b)], (b, 0, 2))),
        jvp=Eq(y_dot[a], 2 * Sum(wins * x_dot[place(a, b)], (b, 0, 2))),
        vjp=scatter(x_bar[place(a, b)], 2 * wins * y_bar[a], (a, 0, N - 1), (b, 0, 2)),
    )


@pytest.mark.parametrize(
    ("tie", "place", "status"),
    [
        ("any", lambda e, d: Max(0, e - d), "refuted"),
        ("first", lambda e, d: Max(0, e - d), BAD),
        ("any", lambda e, d: mod(e + d, N), "refuted"),
        ("first", lambda e, d: mod(e + d, N), BAD),
        ("any", lambda e, d: floor_div(d, 2), "refuted"),
    ],
)
def test_winners_that_are_one_cell_move_as_one(tie, place, status):
    """SOUNDNESS: 6 for 2, as in a window that is cut at the edge no winner is a single place."""
    assert set(statuses(largest_of_three(tie, place), "jvp", "vjp")) == {status}


def test_the_mask_is_right_where_no_cell_is_read_twice():
    places = op(
        requires=(N >= 3,),
        forward=Eq(y[a], maximum(x[b], (b, 0, N - 1))),
        jvp=Eq(y_dot[a], Sum(wins(b, "any", last=N - 1) * x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], wins(b, "any", last=N - 1) * Sum(y_bar[a], (a, 0, N - 1))),
    )
    assert all_proved(places, "jvp", "vjp")


def diameter(of, slope, tie="first", requires=()):
    """The largest f((x[b] - x[c])²) of all pairs: (b, c) and (c, b) always tie, and move as one."""
    made, pairs = array("y", M), ((b, 0, N - 1), (c, 0, N - 1))

    def square(e, d):
        return (x[e] - x[d]) * (x[e] - x[d])

    ranges = ((u, 0, N - 1), (v, 0, N - 1))
    chosen = bracket(winner((b, c), of(square(u, v)), *ranges, tie=tie))
    moved = 2 * (x[b] - x[c]) * (x_dot[b] - x_dot[c])
    return Op(
        "diameter",
        requires=(N >= 1, M >= 1, *requires),
        forward=Eq(made[a], maximum(of(square(b, c)), *pairs)),
        jvp=Eq(tangent(made)[a], Sum(chosen * slope(square(b, c)) * moved, *pairs)),
        vjp=Eq(x_bar[w], 0),
    )


SQUARED = (lambda d: d), (lambda d: 1)
EXPONENTIAL = exp, exp


@pytest.mark.parametrize("tie", ["any", "first"])
def test_where_all_points_have_ties_nothing_is_proved(tie):
    """SOUNDNESS: (b, c) and (c, b) tie, so for N ≥ 2 nothing was said, and all was proved.

    Of exponentials it is not seen that they stay equal; of squares it is.
    """
    (theorem,) = theorems(diameter(*EXPONENTIAL, tie), "jvp")
    if tie == "first":
        assert prove(theorem, False, RLIMIT).status == BAD
    assert not is_proved(theorem)


def test_ties_that_move_as_one_are_tried():
    assert statuses(diameter(*SQUARED, "first"), "jvp") == ["proved"]
    assert statuses(diameter(*SQUARED, "any"), "jvp") == ["refuted"]


@pytest.mark.parametrize("tie", ["first", "last", "any"])
def test_a_cell_that_all_places_read_is_no_tie(tie):
    """What a hinge loss compares all others with: no two places are the same for that."""
    made = array("y", M)

    def value(e):
        return x[e] - x[K]

    chosen = bracket(winner(b, value(c), (c, 0, N - 1), tie=tie))
    hinge = Op(
        "hinge",
        requires=(K >= 0, K < N, M >= 1),
        forward=Eq(made[a], maximum(value(b), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(chosen * (x_dot[b] - x_dot[K]), (b, 0, N - 1))),
        vjp=Eq(x_bar[w], 0),
    )
    assert all_proved(hinge, "jvp")


@pytest.mark.parametrize(("tie", "right"), [("any", False), ("first", True)])
def test_sums_over_one_cell_move_as_one(tie, right):
    """The places of a window are told apart by all that they read, under sums too."""
    made, late = array("y", M), lambda e: If(N > 50, 0, e)

    def value(e):
        return Sum(x[late(e)] * zero_padded(x)[w], (w, 0, late(e)))

    chosen = bracket(winner(b, value(c), (c, 0, N - 1), tie=tie))
    definition = Op(
        "sums",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], 3 * x[0] + 0 * maximum(value(b), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], 3 * x_dot[0] * Sum(chosen, (b, 0, N - 1))),
        vjp=Eq(x_bar[w], 0),
    )
    assert proofs(definition, "jvp") == [right]


def test_a_slope_in_a_claim_counts_a_cell_once():
    """SOUNDNESS: with K > 50 all K places are x[0], and the slope was proved to be K."""
    made, place = array("y", M), lambda e: If(K > 50, 0, e)
    chosen = bracket(winner(b, x[place(c)], (c, 0, K - 1)))
    masked = bracket(winner(b, x[place(c)], (c, 0, K - 1), tie="any"))
    total = Sum(masked * bracket(Eq(place(b), 0)), (b, 0, K - 1))
    back = Sum(chosen * bracket(Eq(place(b), c)), (b, 0, K - 1))
    definition = Op(
        "largest",
        requires=(K >= 1, N >= K, M >= 1),
        forward=Eq(made[a], maximum(x[place(b)], (b, 0, K - 1))),
        jvp=Eq(tangent(made)[a], Sum(chosen * x_dot[place(b)], (b, 0, K - 1))),
        vjp=Eq(x_bar[c], back * Sum(cotangent(made)[a], (a, 0, M - 1))),
        claims=(Claim("slope", Eq(derivative(made[0], x[0]), total)),),
    )
    assert not all_proved(definition, "claim")


@pytest.mark.parametrize(
    ("condition", "wrongly"),
    [
        (And(x[a] > 0, a < K), And(a >= K, Eq(x[a], 0))),
        (Or(x[a] > 0, a < K), And(a < K, Eq(x[a], 0))),
        (And(x[a] > 0, x[a] < -1), Eq(x[a], 0)),
        (Not(Or(x[a] <= 0, Not(And(x[a] <= -1, Ne(x[a], -2))))), Eq(x[a], 0)),
        (Exists(x[b] > 0, (b, 0, N - 1)), And(N >= 2, Eq(x[0], 0), x[N - 1] > 0)),
        (ForAll(x[b] > 0, (b, 0, N - 1)), And(N >= 2, Eq(x[0], 0), x[N - 1] < 0)),
    ],
    ids=str,
)
def test_what_another_part_decides_has_no_boundary(condition, wrongly):
    """SOUNDNESS: parts that come later were not asked, and left out where nothing turns."""

    def branched(weight):
        weight = If(condition, 5, 1) + weight
        return op(
            requires=(N >= 1, K >= 0),
            forward=Eq(y[a], If(condition, 5 * x[a], x[a])),
            jvp=Eq(y_dot[a], weight * x_dot[a]),
            vjp=Eq(x_bar[a], weight * y_bar[a]),
        )

    assert not any(proofs(branched(7 * bracket(wrongly)), "jvp", "vjp"))
    assert all_proved(branched(0), "jvp", "vjp")


def test_parts_that_turn_together_turn():
    """A true rule: at x = 0 both parts are on their edge, and there is no derivative."""
    condition = And(x[a] > 0, 2 * x[a] > 0)
    turned = [said for _, said in off_boundary(If(condition, x[a] + 1, 0), x[a])]
    held = [
        Evaluator(RATIONALS, {"x": lambda _, v=v: Fraction(v)}).value(And(*turned), {N: 1, a: 0})
        for v in (-1, 0, 1)
    ]
    assert held == [True, False, True]


def test_a_real_tie_of_a_window_with_a_doubled_cell_is_left_out():
    """At x = (0, 0) the first and the last winner differ, and there is no derivative."""
    definition = largest_of_three("last", lambda e, d: Max(0, e - d))
    (theorem,) = theorems(definition, "jvp")
    (sequent,) = theorem.sequents
    places = dict(zip((symbol for symbol, _, _ in sequent.over), (1, 0), strict=True))
    tied = {("x", (e,)): Fraction(0) for e in range(2)}
    with pytest.raises(Undecided, match="on the boundary"):
        Point(sequent, tied).fails({N: 2} | places)
    assert not Point(sequent, tied | {("x", (0,)): Fraction(1)}).fails({N: 2} | places)


def test_brackets_that_are_0_elsewhere_have_no_boundary():
    """SOUNDNESS: `[x > 0]·[a < K]` left out x = 0, also where a ≥ K."""
    weight = bracket(x[a] > 0) * bracket(a < K)
    wrong = weight + 7 * bracket(And(a >= K, Eq(x[a], 0)))
    for rule, right in ((weight, True), (wrong, False)):
        cut = op(
            requires=(N >= 1, K >= 0),
            forward=Eq(y[a], weight * x[a]),
            jvp=Eq(y_dot[a], rule * x_dot[a]),
            vjp=Eq(x_bar[a], rule * y_bar[a]),
        )
        assert proofs(cut, "jvp") == [right]


def test_redundant_is_said_of_one_rank():
    """At rank 2 there is n = (1, 2), which the others allow, and this clause does not."""
    clause = Or(n < 2, n >= 2)
    made = array("y", n)
    weight = 1 + 7 * bracket(Not(clause))
    definition = Op(
        "clause",
        requires=(n >= 1, clause),
        forward=Eq(made[i], array("x", n)[i]),
        jvp=Eq(tangent(made)[i], weight * tangent(array("x", n))[i]),
        vjp=Eq(cotangent(array("x", n))[i], weight * cotangent(made)[i]),
    )
    finding = needed(definition, clause, obligations(definition), RLIMIT)
    assert finding.note == "redundant: the others imply it, at rank 1"


@pytest.mark.parametrize("last", [N - 1, N - 2])
def test_a_product_is_differentiated_factor_by_factor(last):
    """No factor is divided by: it may be 0."""
    made = array("y", M)
    others = Prod(If(Eq(c, b), 1, x[c]), (c, 0, N - 1))
    definition = Op(
        "product",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], Prod(x[b], (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(others * x_dot[b], (b, 0, last))),
        vjp=Eq(x_bar[b], others * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert statuses(definition, "jvp", "vjp") == [BAD if last == N - 1 else "refuted", BAD]


# What a thirteenth attack found: places that read different cells, and move as one.


def largest_of(value, tie, requires=(N >= 1, M >= 1), constants=()):
    """The largest of all places, and the derivative at the places that win."""
    made, over = array("y", M), (b, 0, N - 1)
    chosen = bracket(winner(b, value(c, x), (c, 0, N - 1), tie=tie))
    return Op(
        "largest",
        requires=requires,
        constants=constants,
        forward=Eq(made[a], maximum(value(b, x), over)),
        jvp=Eq(tangent(made)[a], Sum(chosen * value(b, x_dot), over)),
        vjp=Eq(x_bar[w], 0),
    )


AS_ONE = [
    lambda e, cells: If(e < 2, cells[e], cells[0]),
    lambda e, cells: If(N > 50, cells[0], cells[e]),
    lambda e, cells: cells[0] + bracket(N <= 50) * cells[e],
    lambda e, cells: cells[0] + Sum(cells[e], (w, 0, 50 - N)),
    lambda e, cells: cells[0] + Sum(cells[e], (w, 1, floor_div(60, N))),
    lambda e, cells: cells[0] + zero_padded(cells)[e + nat_sub(N, 50) * N],
    lambda e, cells: cells[0] + nat_sub(50, N) * cells[e],
]


@pytest.mark.parametrize("value", AS_ONE, ids=lambda value: str(value(b, x)))
def test_places_that_move_as_one_are_no_tie(value):
    """SOUNDNESS: their integers differ, so they counted as a tie that is left out: N for 1."""
    (wrong,) = theorems(largest_of(value, "any"), "jvp")
    assert not is_proved(wrong)
    (right,) = theorems(largest_of(value, "first"), "jvp")
    assert prove(right, False, RLIMIT).status == BAD


@pytest.mark.parametrize("tie", ["any", "first"])
def test_a_factor_that_may_be_nothing_does_not_tell_places_apart(tie):
    beta = reals("beta")

    def value(e, cells):
        return cells[0] + beta * cells[e]

    for low, proves in ((beta > 0, True), (beta >= 0, tie == "first")):
        definition = largest_of(value, tie, (N >= 1, M >= 1, low))
        (theorem,) = theorems(definition, "jvp")
        assert is_proved(theorem) == proves


@pytest.mark.parametrize("tie", ["any", "first"])
def test_cells_found_by_an_array_may_be_one(tie):
    """SOUNDNESS: a bag of embeddings may hold one of them twice."""
    chosen = array("chosen", N)

    def value(e, cells):
        return Sum(bracket(Eq(w, chosen[e])) * cells[w], (w, 0, N - 1))

    (theorem,) = theorems(largest_of(value, tie, constants=(chosen,)), "jvp")
    assert is_proved(theorem) == (tie == "first")


@pytest.mark.parametrize(("tie", "status"), [("any", "refuted"), ("first", BAD)])
def test_overlapping_windows_that_have_one_maximum_move_as_one(tie, status):
    """SOUNDNESS: 2 for 1 where both windows have the same largest cell."""
    made, X = array("y", M), array("x", N + K - 1)

    def inner(e):
        return maximum(X[e + w], (w, 0, K - 1))

    chosen = bracket(winner(b, inner(u), (u, 0, N - 1), tie=tie))
    chosen = chosen * bracket(winner(c, X[b + w], (w, 0, K - 1)))
    places = ((b, 0, N - 1), (c, 0, K - 1))
    definition = Op(
        "overlapping",
        requires=(N >= 1, M >= 1, K >= 1),
        forward=Eq(made[a], maximum(inner(b), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(chosen * tangent(X)[b + c], *places)),
        vjp=scatter(cotangent(X)[b + c], chosen * cotangent(made)[a], (a, 0, M - 1), *places),
    )
    assert statuses(definition, "jvp", "vjp") == [status, status]


def test_a_pair_and_its_mirror_image_move_as_one():
    """SOUNDNESS: `x[b]·x[c]` is `x[c]·x[b]`: 4 for 2."""
    made, pairs = array("y", M), ((b, 0, N - 1), (c, 0, N - 1))
    chosen = bracket(winner((b, c), -(x[u] * x[v]), (u, 0, N - 1), (v, 0, N - 1), tie="any"))
    moved = chosen * -(x_dot[b] * x[c] + x[b] * x_dot[c])
    gram = Op(
        "gram",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], maximum(-(x[b] * x[c]), *pairs)),
        jvp=Eq(tangent(made)[a], Sum(moved, *pairs)),
        vjp=Eq(x_bar[w], 0),
    )
    assert statuses(gram, "jvp") == ["refuted"]


def test_what_only_ties_leave_out_is_no_convention():
    """SOUNDNESS: beyond N = 1 every point has a tie, and `N ≤ 1` was said to be a convention."""
    known = diameter(*EXPONENTIAL, requires=(N <= 1,))
    jvp = tuple(theorems(known, "jvp"))
    assert needed(known, N <= 1, jvp, RLIMIT).status == "unknown"


def test_a_convention_says_what_it_leaves_out():
    definition = largest_of(lambda e, cells: cells[e], "any", (N >= 1, M >= 1, N <= 9))
    jvp = tuple(theorems(definition, "jvp"))
    finding = needed(definition, N <= 9, jvp, RLIMIT)
    assert (finding.status, finding.scope) == (BAD, "all sizes, where the winner is unique")


def test_a_convention_says_all_that_its_theorems_leave_out():
    """Of two rules one has ties, the other a boundary: the longer of the two words was said."""
    made, k = array("y", M), array("k", N)
    chosen = bracket(winner(b, x[u], (u, 0, N - 1), tie="any"))
    moved = Sum(chosen * x_dot[b], (b, 0, N - 1)) + bracket(k[0] > 0) * tangent(k)[0]
    definition = Op(
        "both",
        requires=(N >= 1, M >= 1, N <= 9),
        forward=Eq(made[a], maximum(x[b], (b, 0, N - 1)) + Max(k[0], 0)),
        jvp=Eq(tangent(made)[a], moved),
        vjp=(Eq(x_bar[w], 0), Eq(cotangent(k)[w], 0)),
    )
    jvp = tuple(theorems(definition, "jvp"))
    finding = needed(definition, N <= 9, jvp, RLIMIT)
    left_out = "where the winner is unique, off the boundary"
    assert (finding.status, finding.scope) == (BAD, f"all sizes, {left_out}")


@pytest.mark.parametrize(("at_edge", "status"), [(x[0] > 0, BAD), (x[0] >= 0, "refuted")], ids=str)
def test_a_comparison_that_another_cell_turns_is_compared(at_edge, status):
    """By x[1] the gate has a derivative also where x[0] is 0: the partial one, which is 0."""
    gate = Op(
        "gate",
        requires=(N >= 1,),
        forward=Eq(y[a], If(x[0] > 0, x[a], 0)),
        jvp=Eq(y_dot[a], If(at_edge, x_dot[a], 0)),
        vjp=Eq(x_bar[a], If(at_edge, y_bar[a], 0)),
    )
    assert statuses(gate, "jvp", "vjp") == [status, status]


# What a fourteenth attack found.


def test_no_size_binds_a_name():
    """SOUNDNESS: such an array was another one in each theorem: y = x had dy/dx = 0."""
    s = integers("s")
    for size in (
        If(Exists(Eq(w, 3), (w, 0, N - 1)), N, N),
        fold(s, (w, 0, N - 1), s=(s, 0, s + 1)),
    ):
        made = array("y", size)
        same = {
            "forward": Eq(made[a], zero_padded(x)[a]),
            "jvp": Eq(tangent(made)[a], zero_padded(x_dot)[a]),
            "vjp": Eq(x_bar[a], zero_padded(cotangent(made))[a]),
        }
        with pytest.raises(DefinitionError, match=r"op p, y: size .* binds names"):
            Op("p", requires=(N >= 1,), **same)
        shaped = cotangent(x, shape=(size,))
        with pytest.raises(DefinitionError, match=r"op p, x_bar: size .* binds names"):
            Op(
                "p",
                requires=(N >= 1,),
                forward=Eq(y[a], x[a]),
                jvp=Eq(y_dot[a], x_dot[a]),
                vjp=Eq(shaped[a], zero_padded(y_bar)[a]),
            )


def test_given_says_nothing_of_what_the_op_computes():
    """It was taken for another array of the same name."""
    for computed in (y, y_dot, x_bar):
        with pytest.raises(DefinitionError, match=f"given is about {computed}, which the op"):
            claim(x[0] > 0, given=(computed[0] > 0,))


def test_a_rank_that_only_a_shape_has_is_a_rank():
    n = axes("n")
    z = array("z", n)
    said = Theorem("c", "claim", "", (), (Sequent((), (), zero_padded(z)[0] >= 0),))
    assert said.is_rank_generic


def test_a_counterexample_may_have_thousands_of_cells():
    backwards = Op(
        "backwards",
        requires=(N >= 1100,),
        forward=Eq(y[a], x[a]),
        jvp=Eq(y_dot[a], x_dot[a]),
        vjp=Eq(x_bar[a], y_bar[N - 1 - a]),
    )
    assert statuses(backwards, "vjp") == ["refuted"]


# What a fifteenth attack found; of boundaries, see test_boundaries.


@pytest.mark.parametrize("weight", [5, bracket(Ne(x[a], 0)), 1 + bracket(Eq(x[a], 0))], ids=str)
def test_a_rule_that_is_wrong_where_two_sides_touch_is_not_of_that_point(weight):
    """SOUNDNESS: y = x was proved, and beside it that its derivative is 0 at x = 0."""
    touching = op(
        forward=Eq(y[a], If(x[a] * x[a] > 0, x[a], 5 * x[a])), jvp=Eq(y_dot[a], weight * x_dot[a])
    )
    for theorem in theorems(touching, "jvp"):
        (sequent,) = theorem.sequents
        places = dict.fromkeys((symbol for symbol, _, _ in sequent.over), 0)
        with pytest.raises(Undecided, match="hypotheses"):
            Point(sequent, {}).fails({N: 1} | places)


@pytest.mark.parametrize("made", [tangent(x), cotangent(x)], ids=str)
def test_an_output_is_no_tangent(made):
    """SOUNDNESS: x_dot was the output and the tangent, and `x_dot·z_dot` proved to be linear."""
    forward = Eq(made[a], 2 * x[a])
    rules = {"jvp": Eq(tangent(made)[a], 2 * x_dot[a]), "vjp": Eq(x_bar[a], 2 * cotangent(made)[a])}
    with pytest.raises(DefinitionError, match=f"forward: makes {made}, a (co)?tangent"):
        op(forward=forward, **rules)


def test_a_size_says_how_many_axes_there_are():
    """SOUNDNESS: N^rank·x has the derivative N at rank 1, which was said of all sizes."""
    j = axes("j")
    with pytest.raises(DefinitionError, match="op attack: j has one value per axis, and no size"):
        op(forward=Eq(y[a], Sum(x[a], (j, 0, N - 1))))


def test_an_array_is_no_number():
    for build in (lambda: x[a] + x, lambda: x[x], lambda: Sum(x[b], (b, 0, x))):
        with pytest.raises(DefinitionError, match=r"x is no number; of an array read a cell"):
            op(forward=Eq(y[a], build()))


def test_a_constant_is_an_operand():
    for other in ("x", y):
        with pytest.raises(DefinitionError, match=f"constants: {other} is no array that forward"):
            op(constants=(other,))


def test_a_window_of_one_place_is_that_place():
    """Such a mask was `unknown` after half a minute, so that no report named the sizes it is of."""
    assert holds(Eq(x[K], maximum(x[c], (c, K, K))), requires=(N >= 1, K >= 0, K < N))
    assert not holds(Eq(x[0], maximum(x[c], (c, 0, Max(0, N - 50)))))
    assert not holds(Eq(x[0], maximum(x[c], (c, 0, 0), where=N < 50)))


def test_a_place_may_depend_on_another():
    """SOUNDNESS: k was put where j was meant, which nothing bound any more: x[1] = x[0]."""
    begin = maximum(x[c], (b, a, a), (c, b, b))
    difference = Sum((bracket(Eq(a, 1)) - bracket(Eq(a, 0))) * begin, (a, 0, 1))
    (theorem,) = theorems(claiming(Eq(difference, 0), (N >= 2,), {}), "claim")
    assert prove(theorem, False, LIMIT).status != "proved"


# What a sixteenth attack found.


def scaled(sizes):
    """The op y = beta·x, and a call of it with 2·x for x."""
    definition = op(
        requires=(N >= 1, beta > 0),
        forward=Eq(y[a], beta * x[a]),
        jvp=Eq(y_dot[a], beta * x_dot[a]),
        vjp=Eq(x_bar[a], beta * y_bar[a]),
    )
    return definition, call(definition, sizes, {x: lambda p: 2 * x[p]})


def test_what_a_caller_passes_reads_the_callers_arrays():
    """SOUNDNESS: with beta := x[0] and x := 2x, beta was 2·x[0]; what is false was proved."""
    definition, called = scaled({beta: x[0]})
    for factor, status in ((x[0], BAD), (2 * x[0], "refuted")):
        said = Claim("c", ForAll(Eq(called[a], factor * 2 * x[a]), (a, 0, N - 1)))
        assert statuses(definition.claiming(said), "claim") == [status]


def test_where_a_caller_looks_depends_on_the_callers_arrays():
    """SOUNDNESS: `x[0] > 5` in an index was read as `2·x[0] > 5`."""
    definition, called = scaled({})

    def last_if(condition):
        return If(condition, N - 1, 0)

    for bound, status in ((x[0] > 5, BAD), (2 * x[0] > 5, "refuted")):
        said = Claim("c", Eq(called[last_if(x[0] > 5)], 2 * beta * x[last_if(bound)]))
        assert statuses(definition.claiming(said), "claim") == [status]


def test_an_output_that_a_caller_passes_is_the_callers():
    """A rule reads the output of the call; what the caller passes reads the caller's."""
    definition = op(
        requires=(N >= 1, beta > 0),
        forward=Eq(y[a], exp(beta * x[a])),
        jvp=Eq(y_dot[a], beta * y[a] * x_dot[a]),
        vjp=Eq(x_bar[a], beta * y[a] * y_bar[a]),
    )
    called = call(definition, {beta: y[0]}, {}, of="x_bar")
    said = Eq(called[a], y[0] * exp(y[0] * x[a]) * y_bar[a])
    assert all_proved(definition.claiming(Claim("c", ForAll(said, (a, 0, N - 1)))), "claim")


def first_cell(*requires, shape=N):
    """y[a] = x[0], of x with so many cells; y has M."""
    x, y = array("x", shape), array("y", M)
    return Op(
        "first",
        requires=requires,
        forward=Eq(y[a], x[0]),
        jvp=Eq(tangent(y)[a], tangent(x)[0]),
        vjp=Eq(cotangent(x)[b], bracket(Eq(b, 0)) * Sum(cotangent(y)[a], (a, 0, M - 1))),
        claims=(Claim("N cells", Eq(Sum(1, (b, 0, N - 1)) * x[0], N * x[0])),),
    )


def test_no_array_has_less_than_no_cells():
    """UNSOUND: reads were refuted at N = -1, and `N ≥ 0` said to be dispensable."""
    assert all_proved(first_cell(Ne(N, 0), M >= 1))
    assert all_proved(first_cell(N * N >= M * M, M >= 1), "in bounds")
    notes = [v.note for v in verify_op(first_cell(Ne(N, 0), N >= 0, M >= 1)).verdicts]
    assert any(note.startswith("needed: with M = 1, N = 0") for note in notes)


def two_sizes(*requires, shape, made):
    """Of x with such a shape, and z with M cells."""
    x, z, y = array("x", shape), array("z", M), array("y", made)
    padded = [zero_padded(array) for array in (x, z, tangent(x), tangent(z), cotangent(y))]
    return Op(
        "two",
        requires=requires,
        forward=Eq(y[a], padded[0][a] + padded[1][a]),
        jvp=Eq(tangent(y)[a], padded[2][a] + padded[3][a]),
        vjp=(Eq(cotangent(x)[b], padded[4][b]), Eq(cotangent(z)[b], padded[4][b])),
        claims=(Claim("N at least 0", N >= 0),),
    )


@pytest.mark.parametrize("shape", [N - M, floor_div(N, 2)], ids=str)
def test_sizes_that_are_computed_are_not_below_0(shape):
    """UNSOUND: that N ≥ 0 was refuted at N = -1, where x would have less than no cells."""
    assert all_proved(two_sizes(shape=shape, made=N + 1), "size", "claim")
    met, needed, *_ = verify_op(two_sizes(N >= 0, shape=shape, made=N + 1)).verdicts
    assert (met.status, needed.note) == ("proved", "redundant: the others imply it")
    met, *_ = verify_op(two_sizes(N <= -1, shape=shape, made=-N)).verdicts
    assert met.status == "vacuous"


def test_a_named_size_of_the_output_is_no_hypothesis():
    """From M = N - 2 it does not follow that N ≥ 2: the op may make nothing there."""
    y = array("y", M)
    definition = op(
        requires=(Eq(M, N - 2),),
        forward=Eq(y[a], x[a]),
        jvp=Eq(tangent(y)[a], x_dot[a]),
        vjp=Eq(x_bar[a], zero_padded(cotangent(y))[a]),
        claims=(Claim("c", N >= 2),),
    )
    assert statuses(definition, "claim") == ["refuted"]


def test_a_size_of_the_output_that_others_decide_is_no_hypothesis():
    """SOUNDNESS: of one cell with one to crop at either side, -1 are left, and M + 1 is 0."""
    padded, made = array("x", M + 2 * K), array("y", M)
    parts = {
        "forward": Eq(made[a], padded[a + K] / (M + 1)),
        "jvp": Eq(tangent(made)[a], tangent(padded)[a + K] / (M + 1)),
        "vjp": Eq(cotangent(padded)[b], zero_padded(cotangent(made))[b - K] / (M + 1)),
    }
    assert "refuted" in statuses(op(requires=(K >= 0,), **parts), "defined")
    named = verify_op(op(requires=(K >= 0, M >= 0), **parts)).verdicts
    (clause,) = (v for v in named if v.name == "requires M ≥ 0")
    assert clause.note.startswith("needed: with K = 1, M = -1")


def test_what_a_claim_is_given_decides_a_size_too():
    """SOUNDNESS: from M = N - 5 it does not follow that N ≥ 5."""
    made = array("y", M)
    definition = op(
        requires=(N >= 1,),
        forward=Eq(made[a], x[0]),
        jvp=Eq(tangent(made)[a], x_dot[0]),
        vjp=Eq(x_bar[b], bracket(Eq(b, 0)) * Sum(cotangent(made)[a], (a, 0, M - 1))),
        claims=(
            Claim("given", N >= 5, given=(Eq(M, N - 5),)),
            Claim("implied", Ne(M, N - 5) | (N >= 5)),
            Claim("cells", Eq(Sum(1, (a, 0, M - 1)), M)),
            Claim("cells there are", Eq(Sum(1, (a, 0, M - 1)), M), given=(M >= 0,)),
        ),
    )
    assert statuses(definition, "claim") == ["refuted", "refuted", "refuted", "proved"]


def test_a_witness_has_shapes():
    """Of ⌊N/K⌋ cells there are none below 0: K = 0 was the witness, where x has no size."""
    few, made = array("x", floor_div(N, K)), array("y", M)
    definition = op(
        requires=(N <= -1, M >= 1),
        forward=Eq(made[a], zero_padded(few)[a]),
        jvp=Eq(tangent(made)[a], zero_padded(tangent(few))[a]),
        vjp=Eq(cotangent(few)[b], zero_padded(cotangent(made))[b]),
    )
    met, *_ = verify_op(definition).verdicts
    assert met.status in ("vacuous", "unknown")


def test_an_array_may_have_no_cells():
    for requires in ((M >= 1,), (M >= 1, N >= 0), (M >= 1, N >= -5)):
        reading, *_ = found(first_cell(*requires), "in bounds")
        assert reading.status == "refuted"
        assert reading.counterexample.sizes["N"] == 0


def test_sizes_below_0_alone_are_no_sizes():
    met, *_ = verify_op(first_cell(N <= -1, M >= 1)).verdicts
    assert met.status == "vacuous"


def test_a_size_that_has_no_value_is_not_assumed_to_be_one():
    """What divides in a size is shown not to be 0, not inferred from there being an array."""
    (divisors,) = found(first_cell(M >= 1, K >= 0, N >= K, shape=floor_div(N, K)), "defined")
    assert divisors.status == "refuted"
    assert divisors.counterexample.sizes["K"] == 0


def test_the_size_of_the_output_is_shown():
    """A size that the op computes is a theorem, and no hypothesis."""
    shorter = array("y", N - 2)
    rules = {
        "forward": Eq(shorter[a], x[a + 2]),
        "jvp": Eq(tangent(shorter)[a], x_dot[a + 2]),
        "vjp": Eq(x_bar[a], bracket(a >= 2) * cotangent(shorter)[a - 2]),
    }
    (size,) = theorems(op(requires=(N >= 1,), **rules), "size")
    assert size.given == (N >= 1,)
    assert settled(size, LIMIT).counterexample.sizes == {"N": 1}


# What a seventeenth attack found: an edge may be more than a boundary.


def kept(forward, rule, **parts):
    """Both are factors; y = x where that of the forward is 1."""
    return op(
        **parts,
        requires=(N >= 2,),
        forward=Eq(y[a], forward * x[a]),
        jvp=Eq(y_dot[a], rule * x_dot[a]),
        vjp=Eq(x_bar[a], rule * y_bar[a]),
    )


NEIGHBOUR = x[Max(0, Min(N - 1, a + w - 1))]
TWICE = {
    "replicated edges": (1, NEIGHBOUR * NEIGHBOUR, (w, 0, 2)),
    "one cell": (1, x[a] * x[a], (w, 0, 1)),
    "one place in row 0 alone": (0, x[0] * x[0], (w, 0, Min(a, 1))),
}


@pytest.mark.parametrize("name", TWICE)
def test_a_cell_that_is_read_twice_wins_as_one_whatever_is_compared(name):
    """SOUNDNESS: its places are equal at every point, of which none was compared."""
    first, *others = (bracket(winner(*TWICE[name], tie=tie)) for tie in ("first", "last", "any"))
    for other in others:
        assert not any(map(is_proved, theorems(kept(first, other), "jvp", "vjp")))


def test_cells_that_differ_may_win_by_what_is_not_linear():
    """Where two of them are equal they part as one of them moves."""
    first, last = (bracket(winner(a, x[w] * x[w], (w, 0, N - 1), tie=t)) for t in ("first", "last"))
    assert statuses(kept(first, last), "jvp", "vjp") == ["proved"] * 2


def test_what_is_equal_at_every_point_is_not_left_out():
    """SOUNDNESS: of shapes of which no point was compared, a rule was proved for N = 1 alone."""
    total = Sum(exp(x[b]), (b, 0, N - 1))
    one = Sum(exp(x[w]) / total, (w, 0, N - 1))
    first, last = (bracket((N < 2) | condition) for condition in (one >= 1, one > 1))
    rules = replace(kept(first, last), requires=(N >= 1,))
    assert statuses(rules, "jvp", "vjp") == ["unknown"] * 2


def by_winners(at, body, last):
    """Right only where no two places win."""
    return tuple(bracket(winner(at, body, (w, 0, last), tie=tie)) for tie in ("first", "last"))


def by_condition(condition):
    """Right only where the condition is not asked."""
    return bracket((N < 12) | condition), bracket((N < 12) | ~condition)


def touching(condition, elsewhere):
    """Right only elsewhere than the parts of a maximum meet."""
    return bracket(condition), bracket(condition & elsewhere)


LESS = x[a] - (x[a] - 1) ** 2
SHARES = Sum(exp(x[w]) / Sum(exp(x[b]), (b, 0, N - 1)), (w, 0, N - 1))
EQUAL_LATER = {
    "masked squares": by_winners(a, x[w] * x[w] * bracket(N < 12), N - 1),
    "one square": by_winners(a, If(N < 12, x[w] * x[w], x[0] * x[0]), N - 1),
    "a product of both": by_winners(1, If(Eq(N, 9), x[w] * x[1 - w], x[w] * x[w]), 1),
    "exponentials": by_condition(exp(x[a]) > exp(x[a] * bracket(N >= 12))),
    "a high power": by_condition(x[a] ** 7 > x[a] ** 7 * bracket(N >= 12)),
    "a part touches its maximum": touching(Max(x[a], LESS) <= x[a], Ne(x[a], 1)),
    "a part touches its minimum": touching(x[a] <= Min(x[a], 2 * x[a] - LESS), Ne(x[a], 1)),
    "a part touches in a branch": touching(
        If(Eq(a, 0), x[a], Max(x[a], LESS)) <= x[a], Eq(a, 0) | Ne(x[a], 1)
    ),
    "squares of two cells": touching(
        Max(x[a] ** 2, x[0] ** 2) <= x[a] ** 2, Eq(a, 0) | Ne(x[a], 0)
    ),
    "shares": (bracket((N < 12) | (SHARES >= 1)), bracket((N < 12) | (SHARES > 1))),
}


@pytest.mark.parametrize("name", EQUAL_LATER)
def test_what_is_equal_all_around_a_point_is_left_out_of_no_proof(name):
    """SOUNDNESS: it is so beyond the shapes that are tried, and what is wrong there was proved."""
    for theorem in theorems(kept(*EQUAL_LATER[name]), "jvp", "vjp"):
        assert prove(theorem, False, LIMIT).status != "proved"


@pytest.mark.parametrize("name", EQUAL_LATER)
def test_a_rule_that_branches_as_the_forward_does_leaves_nothing_out(name):
    forward, _ = EQUAL_LATER[name]
    for theorem in theorems(kept(forward, forward), "jvp", "vjp"):
        assert prove(theorem, False, LIMIT).status == "proved"


def test_winners_that_a_constant_makes_equal_stay_so():
    """SOUNDNESS: the squares of one cell, weighted alike, were left out."""
    weights = array("v", N)
    wrong = kept(*by_winners(1, x[0] * x[0] * weights[w], 1), constants=(weights,))
    assert statuses(wrong, "jvp", "vjp") == ["refuted"] * 2


def test_places_of_which_a_claim_does_not_speak_are_not_missed():
    """They were called points on the boundary."""
    slope = Eq(derivative(y[a], x[a]), 1)
    said = {
        "of three cells": implies(N >= 3, ForAll(implies(x[a] > 0, slope), (a, 0, N - 1))),
        "of two cells": ForAll(
            implies(And(x[a] > x[b], x[b] > 0), slope), (a, 0, N - 1), (b, 0, N - 1)
        ),
        "of the boundary": ForAll(implies(Eq(x[a], 0), slope), (a, 0, N - 1)),
    }
    relu = op(
        forward=Eq(y[a], Max(0, x[a])),
        jvp=Eq(y_dot[a], bracket(x[a] > 0) * x_dot[a]),
        vjp=Eq(x_bar[a], bracket(x[a] > 0) * y_bar[a]),
        claims=tuple(Claim(name, statement) for name, statement in said.items()),
    )
    assert statuses(relu, "claim") == ["proved", "proved", "unknown"]


def test_a_row_whose_fixed_points_are_all_on_the_boundary_is_proved():
    """Third differences of what is quadratic in the number of a cell are 0."""
    made, factors = array("y", N - 3), (1, -3, 3, -1)
    difference, pushed = (sum(f * u[a + e] for e, f in enumerate(factors)) for u in (x, x_dot))
    definition = op(
        requires=(N >= 4,),
        forward=Eq(made[a], Max(0, difference)),
        jvp=Eq(tangent(made)[a], bracket(difference > 0) * pushed),
        vjp=Eq(x_bar[a], Sum(zero_padded(cotangent(made))[a - b], (b, 0, 0))),
    )
    assert statuses(definition, "jvp") == ["proved"]


def test_each_part_of_a_claim_is_tried():
    """SOUNDNESS: a part that says nothing hid behind one that does."""
    tie, one_more = Eq(x[0], x[1]), Eq(x[0], x[0])
    largest, other = (derivative(Max(x[i], x[1 - i]), x[0]) for i in (0, 1))
    said = {
        "one": implies(tie, Eq(largest, 1)),
        "nothing": implies(tie, Eq(other, 0)),
        "of no point": implies(And(x[0] > 1, x[0] < 0), Eq(x[0], 7)),
    }
    claims = tuple(Claim(name, And(part, one_more)) for name, part in said.items())
    definition = replace(kept(1, 1), claims=claims)
    assert statuses(definition, "claim") == ["unknown", "unknown", "vacuous"]
