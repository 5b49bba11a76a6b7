"""Attacks by ranks: what holds at ranks 1 to 3, one number for one per axis."""

import pytest
from attacks import (
    BAD,
    LIMIT,
    C,
    K,
    N,
    a,
    b,
    bundled,
    c,
    claim,
    i,
    is_proved,
    j,
    k,
    n,
    op,
    proofs,
    refused,
    scope_of,
    theorems,
    u,
    x,
    x_dot,
    y,
    y_dot,
)

from gradproof.language import (
    And,
    Claim,
    DefinitionError,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Ne,
    Not,
    Op,
    Or,
    Sum,
    array,
    axes,
    bracket,
    call,
    cotangent,
    exp,
    fold,
    implies,
    maximum,
    on_axis,
    product,
    tangent,
    unique,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.language.latex import latex
from gradproof.language.ranks import at_rank
from gradproof.prove.rules.smt import RLIMIT, NotLowered, Script
from gradproof.settle.check import settled
from gradproof.settle.preconditions import needed
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Sequent, Theorem


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


BEYOND_RANK_THREE = bracket(product(2 + 0 * n) > 8)


def test_a_sum_over_axes_is_not_one_over_a_number():
    """SOUNDNESS: a binder per axis was paired with a single one, so C⁴ was C at rank 4."""
    one, each = Sum(1, (c, 0, C - 1)), Sum(1, (j, 0, C - 1))
    statement = Eq(BEYOND_RANK_THREE * one, BEYOND_RANK_THREE * each)
    assert scope_of(statement, requires=(n >= 1, C >= 1)) == (BAD, "ranks 1 to 3")


def test_no_rank_is_no_proof():
    from gradproof.testing import assert_proved

    for ranks in ((), (0,)):
        with pytest.raises(ValueError, match="at least 1"):
            assert_proved(bundled(), ranks=ranks)


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


def test_a_symbol_of_one_axis_has_no_place_beside_all_of_them():
    one = on_axis(i, 1)
    some = Exists(Exists(Eq(i, one + K - 5), (i, 0, n - 1)), (one, 0, C))
    assert refused(lambda: bundled(claims=(Claim("c", Eq(K, 5), given=(some,)),)))


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


def test_a_call_at_one_place_per_axis():
    """Not a hole, but an error: the place of a vector was one number per axis."""
    upto = op(forward=Eq(y[a], maximum(x[b], (b, 0, N - 1), where=b <= a)))

    def build():
        said = Eq(call(upto, {}, {x: lambda place: place})[k], N - 1)
        return bundled(claims=(Claim("c", said, given=(k >= N, N >= 1)),))

    assert refused(build)


def test_what_joins_axes_is_not_lowered():
    for joined in (product(n) > 0, n >= 1):
        with pytest.raises(NotLowered):
            Script().lower(joined)


def test_a_bundle_is_written_out_and_not_left():
    with pytest.raises(DefinitionError, match="one value per axis"):
        at_rank(t.Add(n, 1), 2)


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


def test_a_rank_that_only_a_shape_has_is_a_rank():
    n = axes("n")
    z = array("z", n)
    said = Theorem("c", "claim", "", (), (Sequent((), (), zero_padded(z)[0] >= 0),))
    assert said.is_rank_generic
