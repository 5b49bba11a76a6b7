"""Operators that are registered with torch.library: kernel, gradient, fake, schema, batches."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

import torch_operators as written

from gradproof import torch as gp

ROWS = {"x": ("N", "C")}
PAIR = {"x": ("N", "K"), "w": ("K", "C")}
SAID = {
    "blocks": {"x": ("N", "L"), "k": gp.size("K"), "requires": "L >= K"},
    "weighted": {"x": "N", "w": "N", "scale": 3.0},
    "product": PAIR,
    "needed": PAIR,
}
QUICK = ("blocks", "in_rows", "sine", "needed", "row", "into")


def rows(table):
    marks = {name: () if name in QUICK else pytest.mark.slow for name in table}
    return [pytest.param(name, op, marks=marks[name], id=name) for name, op in table.items()]


def checked(name, op, **more):
    return gp.check(op, **SAID.get(name, ROWS), **more)


def line(report, name):
    return next((each.report for each in report.contract if each.report.name == name), None)


@pytest.mark.parametrize(("name", "op"), rows(written.RIGHT_FAKES))
def test_a_right_fake_is_proved(name, op):
    report = checked(name, op)
    assert report.status == "proved", report
    assert line(report, "fake").status == "proved"
    assert line(report, "schema").status == "proved"


@pytest.mark.parametrize(("name", "op"), rows(written.WRONG_FAKES))
def test_a_wrong_fake_is_refuted(name, op):
    """SOUNDNESS: only the gradient was asked, which is right."""
    report = checked(name, op)
    assert report.status == "refuted", report
    assert line(report, "fake").status == "refuted"


def test_a_fake_that_is_wrong_far_out_is_refuted_at_the_smallest_sizes():
    report = checked("far", written.WRONG_FAKES["far"])
    assert "at N = 50, C = 1" in report.text


def test_an_operator_without_a_fake_is_told():
    report = gp.check(
        written.operator(written.square, None, written.square_backward, written.keep), x="N"
    )
    assert report.status == "proved"
    assert "no fake is registered of written::square" in report.text


@pytest.mark.parametrize(("name", "op"), rows(written.RIGHT_GRADIENTS))
def test_a_right_gradient_of_an_operator_is_proved(name, op):
    assert checked(name, op).status == "proved"


@pytest.mark.parametrize(("name", "op"), rows(written.WRONG_GRADIENTS))
def test_a_wrong_gradient_of_an_operator_is_refuted(name, op):
    report = checked(name, op)
    assert report.status == "refuted"
    assert report.counterexample is not None


@pytest.mark.parametrize(("name", "op"), rows(written.RIGHT_SCHEMAS))
def test_a_right_schema_is_proved(name, op):
    report = checked(name, op)
    assert report.status == "proved", report
    assert line(report, "schema").status == "proved"


@pytest.mark.parametrize(("name", "op"), rows(written.WRONG_SCHEMAS))
def test_what_is_written_and_not_said_is_refuted(name, op):
    """SOUNDNESS: what an operator writes to beside its result was not asked."""
    report = checked(name, op)
    assert report.status == "refuted", report
    assert line(report, "schema").status == "refuted"


@pytest.mark.slow
def test_an_operator_is_batched_as_it_is_registered():
    assert line(gp.check(written.RIGHT_BATCH, x=("N", "C")), "vmap").status == "proved"
    assert line(gp.check(written.WRONG_BATCH, x=("N", "C")), "vmap").status == "refuted"


@pytest.mark.slow
def test_the_second_order_of_an_operator_is_asked():
    op = written.RIGHT_GRADIENTS["exponential"]
    assert gp.check(op, x="N", order=2).status == "proved"
