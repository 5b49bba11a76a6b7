"""A proof that is narrower than all is what was expected only if the definition accepts it."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import FEW_TURNS, LOOP, gradproof, run_pytest, write

from gradproof import numpy as gp
from gradproof.language import (
    DefinitionError,
    Eq,
    If,
    Max,
    Op,
    array,
    axes,
    completeness,
    cotangent,
    tangent,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.suite import verify
from gradproof.settle.verdicts import Verdict
from gradproof.testing import assert_proved
from gradproof.theorems.scopes import ACCEPTED, UP_TO_3, narrower

UNDECLARED = LOOP.replace('    scope="4 turns",\n', "")
SAY = 'say scope="4 turns" (in the definition)'

i = axes("i")
n = axes("n")
x, y = array("x", n), array("y", n)
relu = Op(
    "relu",
    forward=Eq(y[i], Max(0, x[i])),
    jvp=Eq(tangent(y)[i], If(x[i] > 0, tangent(x)[i], 0)),
    vjp=Eq(cotangent(x)[i], If(x[i] > 0, cotangent(y)[i], 0)),
)


def test_the_language_accepts_the_scopes_that_there_are():
    assert set(completeness.SCOPES) == {*ACCEPTED}
    for scope in ("", *ACCEPTED, "4 turns, ranks 1 to 3"):
        assert replace(relu, scope=scope).scope == scope


@pytest.mark.parametrize("scope", ["5 turns", "rank 2", "any", "4 turns,", 4])
def test_other_scopes_are_refused(scope):
    with pytest.raises(DefinitionError, match="scope is 'ranks 1 to 3', '4 turns' or both"):
        replace(relu, scope=scope)


def test_what_is_accepted_is_no_longer_narrower():
    both = f"{UP_TO_3}, {FEW_TURNS}"
    assert narrower(both, "") == ("ranks 1 to 3", "4 turns")
    assert narrower(both, "4 turns") == ("ranks 1 to 3",)
    assert narrower(both, "4 turns, ranks 1 to 3") == ()
    assert narrower("every rank, off the boundary", "") == ()
    assert narrower("rank 2", "") == ()  # which was asked for


@pytest.mark.parametrize(("scope", "status"), [("", "unknown"), ("ranks 1 to 3", "proved")])
def test_ranks_1_to_3_are_not_every_rank(scope, status):
    report = verify(replace(relu, scope=scope))
    assert (report.status, report.as_expected) == (status, bool(scope))
    narrow = {v.name for v in report.verdicts if v.narrow}
    assert ("jvp by x" in narrow) is (not scope)
    assert all(Verdict.from_dict(json.loads(json.dumps(v.as_dict()))) == v for v in report.verdicts)


def test_a_rank_that_is_asked_for_is_enough():
    with pytest.warns(UserWarning, match="proved, but only rank 2"):
        assert_proved(relu, ranks=(2,))
    with pytest.raises(AssertionError, match='say scope="ranks 1 to 3"'):
        assert_proved(relu, RLIMIT)


def test_a_few_turns_end_with_status_3_and_what_to_do(tmp_path):
    """It was "all as expected", and exit status 0."""
    write(tmp_path, loop=UNDECLARED)
    outputs = ["--json", "out.json", "--junit", "out.xml", "--sarif", "out.sarif"]
    done = gradproof("check", "loop.py", *outputs, cwd=tmp_path)
    assert done.returncode == 3
    assert f"{FEW_TURNS}; narrower than asked" in done.stdout
    assert f"Narrower than asked: 4 proofs, {FEW_TURNS}; if that is enough, {SAY}" in done.stdout
    assert "; 4 not as expected" in done.stdout
    (op,) = json.loads((tmp_path / "out.json").read_text("utf-8"))["ops"]
    short = [th for th in op["theorems"] if not th["as_expected"]]
    assert [th["status"] for th in short] == ["proved"] * 4
    assert all(SAY in th["advice"] for th in short)
    assert not any(th["advice"] for th in op["theorems"] if th["as_expected"])
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("errors"), suite.get("failures")) == ("4", "0")
    assert all(SAY in (fault.text or "") for fault in suite.iter("error"))
    (run,) = json.loads((tmp_path / "out.sarif").read_text("utf-8"))["runs"]
    assert [r["level"] for r in run["results"]] == ["warning"] * 4
    assert all(SAY in r["message"]["text"] for r in run["results"])
    explained = gradproof("explain", "loop.py", "jvp by x", cwd=tmp_path)
    assert (explained.returncode, SAY in explained.stdout) == (3, True)


def test_a_definition_accepts_a_few_turns(tmp_path):
    write(tmp_path, loop=LOOP)
    done = gradproof("check", "loop.py", cwd=tmp_path)
    assert (done.returncode, "all as expected" in done.stdout) == (0, True)
    assert f"Of limited scope: 4 proofs, {FEW_TURNS}." in done.stdout


@pytest.mark.parametrize(("text", "outcome"), [(UNDECLARED, "4 failed"), (LOOP, "passed")])
def test_pytest_agrees(text, outcome, tmp_path):
    write(tmp_path, loop=text)
    done = run_pytest(tmp_path, "--gradproof")
    assert outcome in done.stdout
    assert (SAY in done.stdout) is (text == UNDECLARED)


def forward(x):
    y, one = np.zeros(1), 1.0
    for _ in range(x.shape[0]):
        one = one * one
    y[0] = x[0] * one
    return y


def backward(dy, x):
    dx = np.zeros(x.shape)
    dx[0] = dy[0]
    return dx


def test_code_with_a_loop_is_asked_whether_few_turns_are_enough():
    report = gp.check(forward, backward, x=("N",))
    assert (report.status, bool(report)) == ("proved", False)
    assert 'if that is enough, say scope="4 turns"' in report.text
    with pytest.raises(AssertionError, match="narrower than asked"):
        gp.assert_proved(forward, backward, x=("N",))
    assert gp.assert_proved(forward, backward, scope="4 turns", x=("N",))
