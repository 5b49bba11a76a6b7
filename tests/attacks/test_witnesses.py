"""Attacks on witnesses: vacuous claims, true ones refuted, what is needed, what is smallest."""

from dataclasses import replace
from fractions import Fraction

import pytest
from attacks import (
    LIMIT,
    K,
    N,
    a,
    at,
    b,
    beta,
    claim,
    claiming,
    found,
    holds,
    kept,
    op,
    scaling,
    statuses,
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
    Or,
    Sum,
    bracket,
    derivative,
    floor_div,
    fold,
    implies,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.preconditions import needed, satisfiable, witnessed
from gradproof.settle.suite import verify as verify_op
from gradproof.theorems.obligations import obligations


def test_preconditions_that_contradict_each_other():
    assert witnessed(satisfiable(op(requires=(N >= 1, N < 1))), LIMIT).status == "vacuous"


@pytest.mark.parametrize(
    ("statement", "given"),
    [(Or(), (N < 0,)), (Eq(1, 2), (Eq(K * K, 2),)), (ForAll(Or(), (b, 1, 0)), ())],
    ids=str,
)
def test_a_vacuous_claim(statement, given):
    assert not holds(statement, given=given)


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

    claims = (
        Claim("right", N < K, given=(N < K,)),
        Claim("wrong", N < K, refuted={N: 9, K: 3}, twin="right"),
    )
    report = verify_op(op(claims=claims, requires=(N >= 1, K >= 1)), LIMIT)
    assert not report.as_expected


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


def test_the_smallest_shape_for_all_values_of_an_inequality():
    """At N = 1 it is false for x[0] = 17/2, which was not tried."""
    far = (x[0] - Fraction(17, 2)) * (x[0] - Fraction(17, 2)) - Fraction(1, 16)
    finding = claim(If(N < 2, far, x[0]) >= 0)
    assert finding.status == "refuted"
    assert finding.counterexample.sizes == {"N": 1} or not finding.counterexample.smallest


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


def test_nothing_said_is_not_contradicting():
    """A claim of nothing, without a clause: only that it has a value is asked."""
    nothing = op(requires=(N >= 1, K >= 1), claims=(Claim("c", And(), without=(K >= 1,)),))
    assert statuses(nothing, "claim") != ["vacuous"]


@pytest.mark.parametrize("statement", [K > 100, Ne(K, 0)], ids=str)
def test_the_smallest_is_looked_for_from_the_smallest_on(statement):
    """A size that may be negative made the search begin beyond N = 1, K = 0."""
    low = op(requires=(N >= 1, K >= -3), claims=(Claim("c", statement),))
    (verdict,) = (v for v in verify_op(low).verdicts if v.kind == "claim")
    assert verdict.counterexample.sizes == {"N": 1, "K": 0}


def test_a_convention_is_not_said_to_be_needed():
    *_, verdict = verify_op(op(requires=(N >= 1,)), needs=True).verdicts
    assert (verdict.kind, verdict.outcome) == ("needed", "convention")
    assert verdict.note.startswith("convention")
    assert verdict.statement == "N ≥ 1 is needed, or a convention"


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


def test_a_model_too_large_to_evaluate_is_left_alone():
    assert claim(Or(N < 10**8, Sum(1, (b, 0, N - 1)) < 5)).status == "unknown"
    assert claim(Or(N < 10**3, Sum(1, (b, 0, N - 1)) < 5)).status == "refuted"


def test_a_clause_is_there_once():
    """Of two, neither is needed: without it there is the other."""
    with pytest.raises(DefinitionError, match="N ≥ 1 is there twice"):
        replace(scaling(x[a], 1), requires=(N >= 1, N >= 1))


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
