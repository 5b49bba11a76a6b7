"""Functions of NumPy and loops as users write them: right ones proved, wrong ones refuted."""

import numpy as np
import numpy_course as course
import numpy_functions as functions_
import numpy_kernels as kernels
import pytest
from numpy_functions import RIGHT, affine, affine_backward
from quick import quick

from gradproof import numpy as gp
from gradproof.numpy import arrays, functions, loops
from gradproof.prove.tactics import proving
from gradproof.tracing import operations
from gradproof.tracing.refuting import IN_CODE, in_code

SOON = {
    *("affine_backward", "relu_backward", "shift_backward", "avg_pool_backward"),
    *("softmax_backward_diagonal", "matmul_loops_backward_overwrites", "row_sums_backward_first"),
    *("leaky_relu_backward", "softmax_loss_backward", "embedding_backward", "hinge_backward_sign"),
    *("nearest_backward", "lower_product_backward", "clipped_backward_outside"),
}
ALL_RIGHT = [*functions_.RIGHT, *course.RIGHT, *kernels.RIGHT]
ALL_WRONG = [*functions_.WRONG, *course.WRONG, *kernels.WRONG]


def name_of(case):
    return case[1].__name__


def cases(of):
    return quick(of, SOON, name_of)


@pytest.mark.parametrize("case", cases(ALL_RIGHT))
def test_a_right_backward_is_proved(case):
    forward, backward, said = case
    report = gp.check(forward, backward, **said)
    assert report.status == "proved", report.text


@pytest.mark.parametrize("case", cases(ALL_WRONG))
def test_a_wrong_backward_is_refuted_by_the_code_itself(case):
    forward, backward, said = case
    report = gp.check(forward, backward, **said)
    assert report.status == "refuted", report.text
    assert abs(report.counterexample.expected - report.counterexample.found) > 1e-4


def test_there_are_enough_of_them():
    assert len(ALL_RIGHT) + len(ALL_WRONG) >= 60
    assert len(ALL_WRONG) >= len(ALL_RIGHT) - 1


def doubled(x):
    return 2 * x


def doubled_backward(dy):
    return 2 * dy


def decayed(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = 0.5 * y[i - 1] + x[i]
    return y


def decayed_backward(dy):
    dx = dy.copy()
    for i in range(dy.shape[0] - 2, -1, -1):
        dx[i] = dy[i] + 0.5 * dx[i + 1]
    return dx


def halved(x):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] + 0.5 * y[i // 2]
    return y


def halved_backward(dy):
    dx = dy.copy()
    for i in range(dy.shape[0] - 1, 0, -1):
        dx[i // 2] += 0.5 * dx[i]
    return dx


def test_what_is_not_read_is_said_with_the_sizes_to_fix():
    report = gp.check(halved, halved_backward, x="N")
    assert report.status == "unreadable"
    assert f"where sizes are fixed, sizes={report.readable_at}" in report.text
    assert list(report.readable_at) == ["N"]


def test_a_recurrence_is_proved_at_a_fixed_size():
    report = gp.check(decayed, decayed_backward, x="N", sizes={"N": 8})
    assert report.status == "proved"
    assert report.scope == "at N = 8"


def sorts(x):
    return np.sort(x)


def sorts_backward(dy, x):
    dx = np.zeros_like(x)
    dx[np.argsort(x)] = dy
    return dx


def test_a_function_that_is_not_read_is_named_with_its_line():
    report = gp.check(sorts, sorts_backward, x="N")
    assert report.status == "unreadable"
    assert "`return np.sort(x)`: numpy.sort is not read" in report.note
    assert "where sizes are fixed" not in report.text


def seven(x):
    if x.shape[0] == 7:
        return 3 * x
    return 2 * x


def test_a_size_at_which_the_code_runs_differently_is_read_too():
    report = gp.check(seven, doubled_backward, x="N")
    assert report.status == "refuted"
    assert "N = 7" in report.text
    assert gp.check(seven, doubled_backward, x="N", requires="N < 7").status == "proved"


def test_show_prints_the_mathematics_that_was_read():
    assert "x_bar[i1] = 2·y_bar[i1]" in gp.show(doubled, doubled_backward, x="N")


def test_a_backward_that_asks_for_what_nobody_keeps_is_told():
    with pytest.raises(TypeError, match="which is no input of forward"):
        gp.check(doubled, lambda dy, mask: dy, x="N")


# Mistakes planted in what reads code are caught by the code.


def test_a_product_read_the_wrong_way_round_is_an_error(monkeypatch):
    right = functions.FUNCTIONS["dot"]
    wrong = {"x": ("N", "N"), "w": ("N", "N"), "b": ("N",)}
    monkeypatch.setitem(functions.FUNCTIONS, "dot", lambda reader, a, b: right(reader, b, a))
    assert gp.check(affine, affine_backward, **wrong).status == "error"


def test_a_sum_read_as_a_mean_is_an_error(monkeypatch):
    monkeypatch.setitem(functions.FUNCTIONS, "sum", functions.FUNCTIONS["mean"])
    assert gp.check(affine, affine_backward, **RIGHT[1][2]).status == "error"


def test_an_operator_read_as_another_is_an_error(monkeypatch):
    monkeypatch.setitem(operations.OPS, "mul", operations.OPS["add"])
    assert gp.check(doubled, doubled_backward, x="N").status == "error"


def case(name):
    return next(c for c in RIGHT if c[1].__name__ == name)


@pytest.mark.parametrize("name", ["matmul_loops_backward", "conv1d_backward"])
def test_a_loop_that_loses_its_range_is_an_error(name, monkeypatch):
    shorter = lambda writes, over: right(writes, (over[0], 1, over[2]))  # noqa: E731
    right = arrays.closed
    monkeypatch.setattr(loops, "closed", shorter)
    forward, backward, said = case(name)
    assert gp.check(forward, backward, **said).status == "error"


def test_a_condition_of_a_loop_that_is_forgotten_is_an_error(monkeypatch):
    right = arrays.combined
    monkeypatch.setattr(arrays, "combined", lambda old, v, c, r, a: right(old, v, [], r, a))
    forward, backward, said = case("avg_pool_backward")
    assert gp.check(forward, backward, **said).status == "error"


def test_what_is_unsupported_in_code_is_said_of_its_loops():
    notes = [proving.NO_INVARIANT.unsupported, "a recurrence, of which a step is not shown"]
    assert notes == list(IN_CODE)
    assert all("a loop" in in_code(note) for note in notes)
    assert in_code(f"{notes[0]}: f(x)").endswith("a maximum: f(x)")
    assert in_code("out of time") == "out of time"
