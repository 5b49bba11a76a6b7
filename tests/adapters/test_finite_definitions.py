"""What float32 makes of definitions: as they are written, their rules and JVPs included."""

import json
import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import gradproof

from gradproof.language import (
    Eq,
    Op,
    Sum,
    array,
    cotangent,
    exp,
    integers,
    log,
    maximum,
    sigmoid,
    softplus,
    sqrt,
    tangent,
    tanh,
)
from gradproof.testing import assert_proved
from gradproof.tracing.rounding import told

N, C, n, i, j = integers("N C n i j")
x, y = array("x", N, C), array("y", N, C)
x_bar, y_bar, x_dot, y_dot = cotangent(x), cotangent(y), tangent(x), tangent(y)
at = x[n, i]
row = (j, 0, C - 1)
through = y[n, i] * (y_bar[n, i] - Sum(y[n, j] * y_bar[n, j], row))
naive = Op(
    "naive",
    requires=(N >= 1, C >= 1),
    forward=Eq(y[n, i], exp(at) / Sum(exp(x[n, j]), row)),
    vjp=Eq(x_bar[n, i], through),
)
largest = maximum(x[n, j], row)
lowered = exp(at - largest) / Sum(exp(x[n, j] - largest), row)


def cellwise(formula):
    return Op("cellwise", requires=(N >= 1, C >= 1), forward=Eq(y[n, i], formula))


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (log(1 + exp(at) + exp(2 * at)), "beyond the largest float32"),
        (exp(at) - 1, "exp(x) - 1 is expm1(x)"),
        (sqrt(1 + at * at) - 1, "sqrt(a) - b is (a - b*b)/(sqrt(a) + b)"),
        (Sum(x[n, j] * x[n, j], row) / C - (Sum(x[n, j], row) / C) ** 2, "subtract what they have"),
    ],
)
def test_what_a_formula_loses_is_told(formula, said):
    assert said in told(cellwise(formula), ())


@pytest.mark.parametrize(
    "formula", [softplus(at), tanh(at), sqrt(1 + at * at), lowered, at * at + 1, at - x[n, 0]]
)
def test_what_keeps_its_digits_is_not(formula):
    assert told(cellwise(formula), ()) == ""


def test_a_rule_and_a_jvp_are_asked_by_themselves():
    slope = exp(at) / (1 + exp(at))
    vjp, jvp = Eq(x_bar[n, i], y_bar[n, i] * slope), Eq(y_dot[n, i], x_dot[n, i] * slope)
    form = Eq(y[n, i], softplus(at))
    op = Op("smooth", requires=(N >= 1, C >= 1), forward=form, vjp=vjp, jvp=jvp)
    assert told(op, ()) == ""
    assert "x_bar[0, 0] is nan" in told(op, ("x_bar",))
    assert "y_dot[0, 0] is nan" in told(op, ("y_dot",))
    good = replace(op, vjp=Eq(x_bar[n, i], y_bar[n, i] * sigmoid(at)), jvp=())
    assert told(good, ("x_bar",)) == ""


def test_a_rule_that_is_not_proved_is_not_asked():
    wrong = replace(naive, vjp=Eq(x_bar[n, i], 3 * y_bar[n, i]))
    assert "gradient" not in told(wrong, ())


def test_what_is_meant_may_be_said():
    assert told(naive, ("x_bar",), "float32", ("x < 20", "x > -20")) == ""
    assert "in float16" in told(naive, ("x_bar",), "float16", ("x < 20", "x > -20"))


def test_assert_proved_fails_where_that_is_asked():
    assert_proved(naive)
    assert_proved(naive, float32=True, within=("x < 20", "x > -20"))
    with pytest.raises(AssertionError, match="naive: in float32 the output"):
        assert_proved(naive, float32=True)


FILE = """\
from gradproof.language import Eq, Op, Sum, array, exp, integers

N, i, j = integers("N i j")
x, y = array("x", N), array("y", N)
naive = Op(
    "naive",
    requires=(N >= 1,),
    forward=Eq(y[i], exp(x[i]) / Sum(exp(x[j]), (j, 0, N - 1))),
)
"""


def test_the_command_tells_fails_and_writes_of_it(tmp_path, monkeypatch):
    monkeypatch.delenv("GRADPROOF_FLOAT32")
    file = tmp_path / "mine.py"
    file.write_text(FILE, "utf-8")
    outputs = [f"--{kind}={tmp_path / kind}" for kind in ("json", "junit", "sarif")]
    done = gradproof("check", "mine.py", *outputs, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "- in float32 the output[0] is nan at x = [200, 200, 200]" in done.stdout
    data = json.loads((tmp_path / "json").read_text("utf-8"))
    (op,) = data["ops"]
    assert "exp(200)" in op["float32"]["text"]
    assert not op["float32"]["failed"]
    (case,) = ElementTree.parse(tmp_path / "junit").findall(".//testcase[@name='float32']")
    assert case.find("failure") is None
    (result,) = results(tmp_path / "sarif")
    assert result["level"] == "note"
    failed = gradproof("check", "mine.py", "--float32", *outputs, cwd=tmp_path)
    assert failed.returncode == 1
    assert "1 not as expected" in failed.stdout
    (case,) = ElementTree.parse(tmp_path / "junit").findall(".//testcase[@name='float32']")
    assert case.find("failure") is not None
    (result,) = results(tmp_path / "sarif")
    assert result["level"] == "error"
    bounded = gradproof("check", "mine.py", "--float32", "--within", "abs(x) < 20", cwd=tmp_path)
    assert bounded.returncode == 0, bounded.stdout
    silent = gradproof("check", "mine.py", "--no-float32", *outputs, cwd=tmp_path)
    assert "float32" not in silent.stdout
    assert json.loads((tmp_path / "json").read_text("utf-8"))["ops"][0]["float32"] is None


def results(path: Path):
    found = json.loads(path.read_text("utf-8"))["runs"][0]["results"]
    return [r for r in found if r["ruleId"] == "float32"]


def test_what_was_found_is_kept(tmp_path, monkeypatch):
    monkeypatch.delenv("GRADPROOF_FLOAT32")
    monkeypatch.setitem(os.environ, "GRADPROOF_CACHE", str(tmp_path / "kept"))
    file = tmp_path / "mine.py"
    file.write_text(FILE, "utf-8")
    first, again = (gradproof("check", "mine.py", cwd=tmp_path) for _ in range(2))
    assert "in float32" in first.stdout
    assert "in float32" in again.stdout
    assert "from the cache" in again.stdout
    assert gradproof("check", "mine.py", "--cache-only", cwd=tmp_path).returncode == 0
