"""The judge: what it must not let pass."""

from dataclasses import replace

import pytest

from verify import check
from verify.language import Eq, Op, Sum, array, cotangent, integers, tangent
from verify.obligations import obligations
from verify.smt import RLIMIT
from verify.suite import tasks, verdicts
from verify.symbolic import Outcome
from verify.verdicts import STATUSES, Report, worst

N, a, b = integers("N a b")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)

right = Op(
    "double",
    requires=(N >= 1,),
    forward=Eq(y[a], 2 * x[a]),
    jvp=Eq(y_dot[a], 2 * x_dot[a]),
    vjp=Eq(x_bar[a], 2 * y_bar[a]),
)
wrong = replace(right, jvp=Eq(y_dot[a], 3 * x_dot[a]))


def theorem(op, kind):
    return next(th for th in obligations(op) if th.kind == kind)


def test_right_and_wrong():
    assert check.settled(theorem(right, "jvp"), RLIMIT).status == "proved"
    found = check.settled(theorem(wrong, "jvp"), RLIMIT)
    assert found.status == "refuted"
    assert (found.counterexample.left, found.counterexample.right) == ("2", "3")
    assert found.counterexample.sizes == {"N": 1}


def test_routes_that_disagree_are_an_error(monkeypatch):
    monkeypatch.setattr(check, "prove", lambda *_: Outcome("proved", "wishful thinking"))
    found = check.settled(theorem(wrong, "jvp"), RLIMIT)
    assert found.status == "error"
    assert "false at" in found.note


def test_what_was_tried_nowhere_is_not_proved(monkeypatch):
    monkeypatch.setattr(check, "box", lambda *_: iter(()))
    monkeypatch.setattr(check, "inhabited", lambda *_: (False, []))
    assert check.settled(theorem(right, "jvp"), RLIMIT).status == "unknown"


def test_a_model_that_does_not_replay_is_unknown(monkeypatch):
    monkeypatch.setattr(check, "ascending", lambda *_: iter(()))
    monkeypatch.setattr(check, "replay", lambda *_: None)
    assert check.settled(theorem(wrong, "jvp"), RLIMIT).status == "unknown"


def test_a_failure_of_the_tool_is_an_error_and_nothing_else_is_lost(monkeypatch):
    def crash(*_):
        raise MemoryError("no more")

    before = len(tasks(right))
    monkeypatch.setattr("verify.suite.settled", crash)
    found = list(verdicts(right))
    assert len(found) == before
    assert {v.status for v in found if v.kind == "jvp"} == {"error"}
    assert all("no more" in v.note for v in found if v.status == "error")


def test_no_sequents_are_no_proof():
    nothing = replace(theorem(right, "jvp"), sequents=())
    assert check.settled(nothing, RLIMIT).status == "unknown"


def test_contradicting_hypotheses_are_vacuous():
    empty = replace(right, requires=(N >= 1, N <= 0))
    assert {v.status for v in verdicts(empty) if v.kind != "needed"} == {"vacuous"}


def test_an_expected_refutation_must_be_the_pinned_one():
    claimed = replace(theorem(wrong, "jvp"), refuted={N: 2})
    found = check.settled(claimed, RLIMIT)
    assert check.labelled("double", claimed, found).as_expected is False
    pinned = replace(claimed, refuted={N: 1})
    assert check.labelled("double", pinned, check.settled(pinned, RLIMIT)).as_expected is True


@pytest.mark.parametrize("first", STATUSES)
def test_the_worst_counts(first):
    later = list(STATUSES)[list(STATUSES).index(first) :]
    assert worst(reversed(later)) == first


def test_a_report_without_verdicts_is_no_success():
    assert not Report("nothing", ()).as_expected
    assert Report("nothing", ()).status != "proved"


def test_one_mistake_in_both_rules_is_caught_by_both():
    both = replace(wrong, vjp=Eq(x_bar[a], 3 * y_bar[a]))
    found = {v.kind: v.status for v in verdicts(both) if v.kind in ("jvp", "vjp")}
    assert found == {"jvp": "refuted", "vjp": "refuted"}


def test_a_transpose_is_not_the_map():
    last = replace(
        right, forward=Eq(y[a], Sum(x[b], (b, 0, a))), jvp=Eq(y_dot[a], Sum(x_dot[b], (b, 0, a)))
    )
    as_it_is = replace(last, vjp=Eq(x_bar[a], Sum(y_bar[b], (b, 0, a))))
    transposed = replace(last, vjp=Eq(x_bar[a], Sum(y_bar[b], (b, a, N - 1))))
    assert check.settled(theorem(as_it_is, "vjp"), RLIMIT).status == "refuted"
    assert check.settled(theorem(transposed, "vjp"), RLIMIT).status == "proved"
