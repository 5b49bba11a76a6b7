"""The second opinion: it answers, it can contradict, and a contradiction is an error."""

import subprocess
import sys

import pytest

from gradproof.homes import TOOL
from gradproof.settle import second
from gradproof.settle.suite import beside_second, run, tasks
from gradproof.settle.verdicts import Query, Verdict
from gradproof.specs import unpad

TRUE = "(declare-fun |0| () Int)\n(assert (> |0| 0))"
FALSE = TRUE + "\n(assert (< |0| 0))"


def test_it_answers():
    assert second.answer(TRUE) == "sat"
    assert second.answer(FALSE) == "unsat"


def test_only_what_was_proved_is_asked():
    found = second.seconded([Query(FALSE, "unsat"), Query(TRUE, "sat"), Query(TRUE, "unknown")])
    assert [q.second for q in found] == ["unsat", "", ""]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["unsat", "unsat"], "agrees"),
        (["unsat", "unknown"], "undecided"),
        (["unknown", "sat"], "contradicts"),
        (["", ""], ""),
        ([], ""),
    ],
)
def test_the_worst_answer_counts(answers, said):
    assert second.opinion([Query("", "unsat", a) for a in answers]) == said


def task():
    return next(task for task in tasks(unpad) if task[0].kind == "vjp")


def test_agreement_is_recorded():
    verdict = run(unpad, task(), second=True)
    assert verdict.status == "proved"
    assert second.opinion(verdict.queries) == "agrees"


def test_a_contradiction_is_an_error(monkeypatch):
    monkeypatch.setattr(second, "answer", lambda text: "sat")
    verdict = run(unpad, task(), second=True)
    assert verdict.status == "error"
    assert "contradict" in verdict.note


def test_a_verdict_that_is_kept_has_the_same_opinion(monkeypatch):
    kept = Verdict.from_dict(run(unpad, task()).as_dict())
    assert second.opinion(kept.queries) == ""
    assert beside_second(kept).as_dict() == (
        run(unpad, task(), second=True).as_dict() | {"seconds": kept.seconds}
    )
    monkeypatch.setattr(second, "answer", lambda text: "sat")
    found = beside_second(kept)
    assert (found.status, found.scope, found.method) == ("error", "", "")
    assert "contradict" in found.note


def test_a_solver_that_does_not_run_is_told(monkeypatch):
    partner = second.Partner()
    monkeypatch.setattr(second.sys, "executable", "sleep")
    with pytest.raises(RuntimeError, match="cvc5"):
        partner.ask(TRUE, {}, 5.0)  # `sleep -P` fails at once: told, not taken for an answer


def test_the_package_that_asks_answers(tmp_path, monkeypatch):
    """Wherever the command runs: what is installed may be another, or nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    shown = second.PROGRAM.replace("second.serve()", "second\nprint(gradproof.__file__)")
    done = subprocess.run(
        [sys.executable, "-P", "-S", "-c", shown],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout.strip() == str(TOOL / "__init__.py")


def test_a_solver_that_is_killed_answers_nothing():
    partner = second.Partner()
    assert partner.ask(TRUE, {}, 0.0) == "unknown"
    assert partner.ask(TRUE, {}, 60.0) == "sat"
    assert partner.stop() == 0
