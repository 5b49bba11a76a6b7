"""What is owed beside a gradient of PyTorch: JVPs, batching, second derivatives."""

import json

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

import torch_contracts as written

from gradproof import torch as gp
from gradproof.cli.main import main

ROW, ROWS = {"x": "N"}, {"x": ("N", "C")}
PAIR = {"x": "N", "w": "N"}
SCALED, MATRICES = {"x": ("N", "C"), "w": "C"}, {"x": ("N", "K"), "w": ("K", "C")}
SHAPES = {
    "Product": PAIR,
    "Scale": {"x": ("N", "C"), "w": "C"},
    "MatMul": {"x": ("N", "K"), "w": ("K", "C")},
    "ProductKept": PAIR,
    "MatMulDetached": {"x": ("N", "K"), "w": ("K", "C")},
    "SumOfSquares": ROWS,
    "SoftmaxHidden": ROWS,
    "VarianceHidden": ROWS,
    "PushedSum": ROWS,
    "PushedMean": ROWS,
    "BatchedTotal": ROWS,
    "BatchedTotalUnmoved": ROWS,
    **dict.fromkeys(("BatchedFirst", "BatchedFlipped", "BatchedEnds"), ROWS),
    **dict.fromkeys(("PushedTwo", "PushedOneOfTwo", "PushedSwapped"), PAIR),
    "OfNeeds": PAIR,
    "BatchedTwoMixed": {"x": ("N", "C"), "w": ("N", "C")},
    **dict.fromkeys(("BatchedTwo", "BatchedTwoAlike", "BatchedTwoSummed"), PAIR),
    **dict.fromkeys(
        ("Quotient", "BatchedGeneratedTwo", "NeededSaved", "NeededSavedOtherwise"), PAIR
    ),
    **dict.fromkeys(("LogSumExp", "PushedSoftmax", "BatchedRows"), ROWS),
    **dict.fromkeys(("Moments", "MomentsUnscaled", "MomentsOfOne"), ROWS),
    **dict.fromkeys(("RowAndTotal", "RowAndTotalOnce"), ROWS),
    **dict.fromkeys(("SumAndProduct", "SumAndProductCrossed", "SumAndProductOnce"), PAIR),
    "Halves": {"x": ("N", "2*C")},
    "HalvesSwapped": {"x": ("N", "2*C")},
    **dict.fromkeys(
        ("PushedMatMul", "Needed", "NeededTwisted", "NeededAlone", "NeededEarly"), MATRICES
    ),
    **dict.fromkeys(("NeededScale", "NeededScaleUnsummed", "NeededAny"), SCALED),
    **dict.fromkeys(("NeededNone", "NeededNoneSwapped"), SCALED),
    "NeededThree": {**MATRICES, "b": "C"},
    "NeededThreeMean": {**MATRICES, "b": "C"},
    **dict.fromkeys(("NeededByTensor", "NeededByOther", "NeededFirst", "NeededBoth"), PAIR),
}
QUICK = (
    "Bare",
    "BareAlone",
    "OfAnother",
    "NeededAlone",
    "Square",
    "ExpHidden",
    "CubeSlip",
    "PushedTwo",
    "PushedMore",
    "Batched",
    "BatchedDoubled",
)


def rows(names):
    marks = {name: () if name in QUICK else pytest.mark.slow for name in names.split()}
    return [pytest.param(name, marks=mark) for name, mark in marks.items()]


def checked(name, **said):
    return gp.check(getattr(written, name), **SHAPES.get(name, ROW), **said)


def line(report, name):
    return next((each.report for each in report.contract if each.report.name == name), None)


TWICE = """Square ExpSaved Sigmoid Tanh Product Scale MatMul Relu Recomputed Doubled SumOfSquares
CubeTwice SavedInput Linear LogSumExp Quotient"""
NOT_TWICE = """ExpHidden ExpHiddenSaved SquareNoGrad SquareAllNoGrad SquareDetached SquareData
SquareDetachedGrad ProductKept CubeSlip CubeForget TanhHidden SoftmaxHidden SigmoidPartly
MatMulDetached VarianceHidden InPlace"""


@pytest.mark.parametrize("name", rows(TWICE))
def test_a_right_second_derivative_is_proved(name):
    report = checked(name, order=2)
    assert line(report, "second order").status == "proved"
    assert report.status == "proved"


@pytest.mark.parametrize("name", rows(NOT_TWICE))
def test_a_wrong_second_derivative_is_refuted_if_asked_and_told_if_not(name):
    """SOUNDNESS: all that was asked was the gradient, which is right."""
    report = checked(name, order=2)
    assert report.status == "refuted"
    assert "differentiating the backward gives" in report.text
    told = checked(name)
    assert told.status == "proved"
    assert line(told, "second order").status == "refuted"


def test_what_is_once_differentiable_has_no_second_derivative():
    told = checked("Once")
    assert told.as_expected, told
    assert line(told, "second order").status == "none"
    assert "once_differentiable" in told.text
    assert checked("Once", order=2).status == "unknown"


@pytest.mark.slow
def test_a_third_derivative_is_proved():
    report = checked("Square", order=3)
    assert [each.report.name for each in report.contract] == ["second order", "third order"]
    assert report.status == "proved"


PUSHED = """Pushed PushedDetached PushedTwo PushedMax PushedSum PushedOutput PushedSoftmax
PushedMatMul"""
NOT_PUSHED = """PushedBy PushedMore PushedSquared PushedNothing PushedOneOfTwo PushedSwapped
PushedOtherwiseAtTies PushedMean"""


@pytest.mark.parametrize("name", rows(PUSHED))
def test_a_right_jvp_is_proved(name):
    report = checked(name)
    assert report.status == "proved"
    assert line(report, "JVP").status == "proved"


@pytest.mark.parametrize("name", rows(NOT_PUSHED))
def test_a_wrong_jvp_is_refuted(name):
    """SOUNDNESS: it was not looked at."""
    report = checked(name)
    assert report.status == "refuted"
    assert line(report, "JVP").counterexample is report.counterexample


@pytest.mark.slow
def test_forward_mode_of_a_backward_is_asked_with_the_second_order():
    report = checked("Pushed", order=2)
    assert line(report, "second order, forward mode").status == "proved"


@pytest.mark.slow
def test_a_jvp_that_is_detached_is_right_and_not_to_be_differentiated():
    report = checked("PushedDetached", order=2)
    assert (report.status, line(report, "JVP").status) == ("refuted", "proved")
    assert line(report, "second order, forward mode").status == "refuted"


BATCHED = """Batched Generated BatchedTotal BatchedTwo BatchedGeneratedTwo BatchedLast
BatchedByHand BatchedRows"""
NOT_BATCHED = """BatchedDoubled BatchedFirst BatchedDetached BatchedFlipped BatchedTotalUnmoved
BatchedTwoAlike BatchedTwoSummed BatchedEnds BatchedTwoMixed"""


@pytest.mark.parametrize("name", rows(BATCHED))
def test_a_right_batch_is_proved(name):
    report = checked(name)
    assert report.status == "proved"
    assert line(report, "vmap").status == "proved"


@pytest.mark.parametrize("name", rows(NOT_BATCHED))
def test_a_wrong_batch_is_refuted(name):
    """SOUNDNESS: it was not looked at."""
    report = checked(name)
    assert report.status == "refuted"
    assert line(report, "vmap").status == "refuted"


SEVERAL = "Two Moments SumAndProduct OfAnother Three Halves RowAndTotal Bare BareNone"
NOT_SEVERAL = """TwoForgotten TwoSwapped MomentsUnscaled MomentsOfOne SumAndProductCrossed
SumAndProductOnce OfAnotherAll ThreeMinus HalvesSwapped RowAndTotalOnce BareEither"""
NEEDED = """Needed NeededScale NeededAny NeededSaved NeededNone NeededThree NeededByTensor
NeededFirst"""
NOT_NEEDED = """NeededTwisted NeededAlone NeededEarly NeededScaleUnsummed NeededSavedOtherwise
NeededNoneSwapped NeededThreeMean NeededByOther NeededBoth"""


@pytest.mark.parametrize("name", rows(f"{SEVERAL} {NEEDED}"))
def test_right_code_of_several_outputs_or_that_asks_what_is_needed_is_proved(name):
    assert checked(name).status == "proved"


@pytest.mark.parametrize("name", rows(f"{NOT_SEVERAL} {NOT_NEEDED}"))
def test_wrong_code_of_several_outputs_or_that_asks_what_is_needed_is_refuted(name):
    assert checked(name).status == "refuted"


@pytest.mark.parametrize("name", rows("BareAlone BareSecond"))
def test_what_is_wrong_where_one_output_is_used_is_refuted(name):
    """SOUNDNESS: both were asked at once, of which a backward is not given None."""
    report = checked(name)
    assert report.status == "refuted"
    assert "where only output" in report.note


def test_what_fails_where_one_output_is_used_is_told():
    assert checked("BareFails").status == "unreadable"


def test_the_command_has_a_line_for_each(tmp_path):
    out = tmp_path / "out.json"
    file = written.__file__
    main(["check", f"{file}::ExpHidden", "--input", "x=N", "--json", str(out), "--quiet"])
    (op,) = json.loads(out.read_text("utf-8"))["ops"]
    found = [(th["name"], th["status"], th["expected"]) for th in op["theorems"]]
    assert found == [("gradient", "proved", "proved"), ("second order", "refuted", "told")]


def test_a_report_has_its_lines_as_data():
    told = checked("ExpHidden").as_dict()["contract"]
    assert [(each["name"], each["status"], each["decides"]) for each in told] == [
        ("second order", "refuted", False)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["OfTheMode", "OfNeeds"])
def test_a_second_order_that_is_wrong_in_another_mode_is_refuted(name):
    """SOUNDNESS: the backward was asked neither with a graph nor where one input is a constant."""
    assert checked(name, order=2).status == "refuted"


@pytest.mark.slow
def test_a_jvp_that_asks_what_needs_a_gradient_is_not_read():
    assert checked("PushedByNeeds").status == "unreadable"


def test_a_batch_that_raises_is_told():
    report = checked("BatchedAtZero")
    assert report.as_expected
    assert line(report, "vmap").status == "none"
    assert "a batch is the first axis" in report.text


def test_the_counterexample_of_a_line_is_run_again(tmp_path):
    file, folder = written.__file__, tmp_path / "saved"
    given = ["check", f"{file}::ExpHidden", "--input", "x=N", "--save", str(folder), "--quiet"]
    main([*given, "--order", "2"])
    (saved,) = folder.glob("*.py")
    assert "line='second order'" in saved.read_text("utf-8")
    said = {"values": {"x": [0.5], "grad_output": [2.0]}, "cotangent": [1.0], "of": "x"}
    expected, found = gp.replay(written.ExpHidden, x="N", place=(0,), line="second order", **said)
    assert (round(expected, 4), found) == (3.2974, 0)
    expected, found = gp.replay(written.ExpSaved, x="N", place=(0,), line="second order", **said)
    assert round(expected, 4) == round(found, 4) == 3.2974
