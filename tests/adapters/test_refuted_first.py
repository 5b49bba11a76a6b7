"""Code is refuted by itself before it is read: what is said, where, and what is left alone."""

import inspect

import numpy as np
import pytest

from gradproof import numpy as gn
from gradproof.numpy.running import NumpyCode
from gradproof.tracing import judging, refuting
from gradproof.tracing.comparing import slope
from gradproof.tracing.declared import Declared
from gradproof.tracing.quotients import Clock, Search, is_sure
from gradproof.tracing.slices import slices_of

ROWS = {"p": ("N", "C"), "t": gn.constant("N", "C")}


def mse(p, t):
    return np.mean((p - t) ** 2)


def as_a_sum(g, p, t):
    d = p - t
    dp = 2 * g * d
    return dp


def opposite(g, p, t):
    return 2 * g * (t - p) / p.size


def halved(g, p, t):
    return g * (p - t) / p.size


def whatever_comes(g, p, t):
    return 2 * (p - t) / p.size


def reversed_rows(g, p, t):
    return (2 * g * (p - t) / p.size)[::-1]


def right(g, p, t):
    return 2 * g * (p - t) / p.size


SAID = {
    as_a_sum: "the gradient of p has a factor (N * C) too many",
    opposite: "the sign of the gradient of p is wrong",
    halved: "the gradient of p is half of what it should be",
    whatever_comes: "the gradient of p is the same whatever the output's gradient is",
    reversed_rows: "the gradient of p is reversed along its axis 0",
}


@pytest.mark.parametrize("backward", SAID, ids=lambda f: f.__name__)
def test_what_is_wrong_is_said_with_the_line(backward, monkeypatch):
    monkeypatch.setattr(judging, "settle", None)  # nothing is read
    report = gn.check(mse, backward, **ROWS)
    assert report.status == "refuted"
    assert SAID[backward] in report.text
    lines, first = inspect.getsourcelines(backward)
    made = next(line for line in lines if "g * " in line or "return 2 * (p" in line)
    assert f"test_refuted_first.py:{first + lines.index(made)}: `{made.strip()}`" in report.text
    assert report.seconds < 3


def test_what_is_right_goes_on_to_a_proof():
    assert gn.check(mse, right, **ROWS).status == "proved"


def test_the_counterexample_is_small():
    seen = gn.check(mse, as_a_sum, **ROWS).counterexample
    assert sorted(seen.values["p"].shape) == [1, 2]
    assert {*np.ravel(seen.values["p"]), *np.ravel(seen.values["t"])} <= {0.0, 1.0, -1.0}
    assert float(seen.cotangent) == 1.0


def test_that_an_input_is_meant_as_a_constant_is_said_where_nothing_comes_back_for_it():
    def summed(x):
        return np.cumsum(x)

    some = gn.check(summed, lambda g, x: np.cumsum(g), x=("N",))
    none = gn.check(summed, lambda g, x: 0 * g, x=("N",))
    assert some.status == none.status == "refuted"
    assert ["it is a constant" in r.text for r in (some, none)] == [False, True]


def rows_summed(x, w):
    return (x * w).sum(axis=1)


def a_cell_for_a_row(g, x, w):
    return g[:, None] * w, (g[:, None] * x).sum(axis=0)[:1]


def test_a_gradient_of_another_shape_is_refuted():
    report = gn.check(rows_summed, a_cell_for_a_row, x=("N", "C"), w=("C",), requires="C > 1")
    assert report.status == "refuted"
    assert "the gradient of w has the shape (1,), w has (2,)" in report.text


def biased(x, b):
    return x + b


def test_axes_of_1_in_front_are_no_other_shape():
    said = {"x": ("N", "C"), "b": (1, "C")}
    assert gn.check(biased, lambda g, x, b: (g, g.sum(axis=0)), **said).status == "proved"
    wrong = gn.check(biased, lambda g, x, b: (g, 2 * g.sum(axis=0)), **said)
    assert "the gradient of b is twice what it should be" in wrong.text
    wrong = gn.check(biased, lambda g, x, b: (g, g.sum(axis=0)[:, None]), **said)
    assert "the gradient of b has the shape" in wrong.text


# Kinks, ties, steps and rounding refute nothing.


def kinked(x):
    return np.maximum(x, 0.0) + np.abs(x - 1.0) + np.round(x)


def of_kinked(g, x):
    return g * ((x > 0) + np.sign(x - 1.0))


def first_of(reports):
    code = NumpyCode(*reports, Declared({"x": ("N",)}))
    return refuting.first(code)


def test_at_kinks_and_steps_nothing_is_refuted():
    assert first_of((kinked, of_kinked)) is None
    assert first_of((kinked, lambda g, x: g * ((x > 0) - np.sign(x - 1.0)))) is not None


@pytest.mark.parametrize("kink", [0.0, 1e-6, 1e-5, 3e-5, 1e-4, 1.5e-4, 3e-4, 1e-3, 1.9e-3])
@pytest.mark.parametrize("side", [1, -1])
def test_a_kink_however_near_is_no_refutation(kink, side):
    class Cell:
        expected, found = 0.0, 0.0

    def relu(by):
        return max(0.0, side * by - kink)

    Cell.expected, Cell.found = slope(relu, 0.0), 1.0 * (kink < 0)
    assert not is_sure(relu, Cell) or abs(Cell.expected - Cell.found) < 1e-4
    Cell.expected, Cell.found = 2.0, 1.0
    assert is_sure(lambda by: 2 * by + by * by, Cell)


def drawing(x):
    return x * np.random.default_rng().normal(size=x.shape)


def test_code_that_draws_numbers_is_not_refuted():
    assert first_of((drawing, lambda g, x: g * x)) is None


def single(x):
    return (np.float32(1000) + x.astype(np.float32) ** 2).astype(float)


def test_single_precision_is_not_refuted_but_by_a_plain_error():
    assert first_of((single, lambda g, x: g * 2 * x)) is None


def logarithm(x):
    return np.log(x)


def test_what_is_required_of_values_holds_where_it_is_tried():
    """Wrong below 0 alone, of which nothing is asked."""

    def square(x):
        return x * np.abs(x)

    code = NumpyCode(square, lambda g, x: 2 * g * x, Declared({"x": ("N",)}, "x > 0"))
    assert refuting.first(code) is None
    code = NumpyCode(square, lambda g, x: 2 * g * x, Declared({"x": ("N",)}))
    assert refuting.first(code) is not None


def test_time_that_is_over_ends_the_search():
    search = Search(NumpyCode(mse, as_a_sum, Declared(ROWS)), Clock(-1.0))
    assert search.first(iter([None])) is None


# Lines.


def layered(g, x, w, b):
    z = x * w
    dz = g * z
    dx = dz * w
    dw = np.sum(dz * x, axis=0)
    db = np.zeros_like(b)
    for n in range(x.shape[0]):
        db += g[n]
    return dx, dw, db


def test_what_all_wrong_ones_depend_on_and_no_right_one():
    found = slices_of(layered, ["x", "w", "b"])
    lines, first = inspect.getsourcelines(layered)

    def text(line):
        return lines[line - first].strip()

    assert text(found.suspected(["x", "w"], ["b"])) == "dz = g * z"
    assert text(found.suspected(["x"], ["w", "b"])) == "dx = dz * w"
    assert text(found.suspected(["b"], ["x", "w"])) == "db += g[n]"


def test_of_a_backward_with_two_returns_no_line_is_said():
    def several(g, x):
        if x.ndim > 1:
            return g
        return 2 * g

    assert slices_of(several, ["x"]) is None
