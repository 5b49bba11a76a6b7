"""Lists that a loop of NumPy fills are arrays with a row for each turn, of any number of turns."""

import numpy as np
import numpy_lists as functions
import pytest

from gradproof import numpy as gp
from gradproof.numpy import lists
from gradproof.tracing import integers as n


def name_of(case):
    return case[1].__name__


@pytest.mark.parametrize("case", functions.RIGHT, ids=name_of)
def test_a_right_backward_is_proved_for_every_number_of_turns(case):
    forward, backward, said = case
    report = gp.check(forward, backward, **said)
    assert report.status == "proved", report.text
    assert "turns" not in report.scope


@pytest.mark.parametrize("case", functions.WRONG, ids=name_of)
def test_a_wrong_backward_is_refuted_by_the_code_itself(case):
    forward, backward, said = case
    report = gp.check(forward, backward, **said)
    assert report.status == "refuted", report.text


def test_rows_that_are_taken_for_those_of_the_next_turn_are_an_error(monkeypatch):
    right = lists.Filled.enter

    def wrong(self, reader, turns):
        right(self, reader, turns)
        last = n.minus(turns.count, 1)
        row = n.simple(n.minus(last, turns.number))
        for array in self.arrays:
            array.filling = lists.replace(array.filling, row=row)

    monkeypatch.setattr(lists.Filled, "enter", wrong)
    report = gp.check(functions.rows, functions.rows_backward, **functions.ROWS)
    assert report.status == "error"


# What is not read, and how to write it.


def positive(x):
    ys = []
    for t in range(len(x)):
        if x[t] > 0:
            y = 2 * x[t]
            ys.append(y)
    return sum(ys)


def positive_backward(dy, x):
    return 2 * dy * (x > 0)


def twice(x):
    ys = []
    for t in range(len(x)):
        ys.append(x[t])
        ys.append(2 * x[t])
    return np.array(ys)


def twice_backward(dy):
    return dy[::2] + 2 * dy[1::2]


def from_a_number(x):
    hs = [0.0]
    for t in range(x.shape[0]):
        hs.append(0.5 * hs[-1] + x[t])
    return np.array(hs[1:])


def from_zeros(x):
    hs = [np.zeros(x.shape[1])]
    for t in range(x.shape[0]):
        hs.append(0.5 * hs[-1] + x[t])
    return np.array(hs[1:])


def one_state(x):
    hs, h = [], np.zeros(x.shape[1])
    for t in range(x.shape[0]):
        h *= 0.5
        h += x[t]
        hs.append(h)
    return hs[-1] + 0 * np.array(hs)


def a_copy_of_each(x):
    hs, h = [], np.zeros(x.shape[1])
    for t in range(x.shape[0]):
        h *= 0.5
        h += x[t]
        hs.append(h.copy())
    return np.array(hs)


def one_state_backward(dy):
    dx, g = np.zeros_like(dy), dy.sum(0)
    for t in reversed(range(len(dy))):
        dx[t] = g
        g = 0.5 * g
    return dx


def backward_in_a_list(dy):
    dxs, g = [], 0.0
    for t in reversed(range(len(dy))):
        g = 0.5 * g + dy[t]
        dxs.append(g)
    return np.array(dxs[::-1])


def row_by_row(x):
    ys = []
    for i in range(x.shape[0]):
        row = []
        for j in range(x.shape[1]):
            row.append(2 * x[i, j])  # noqa: PERF401 - as users write it
        ys.append(np.array(row))
    return np.stack(ys)


def cell_by_cell(x):
    ys = []
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            ys.append(2 * x[i, j])  # noqa: PERF401 - as users write it
    return np.array(ys)


SCALES = [2.0, 2.0, 3.0]
SEEN = []


def of_a_list(x):
    ys = []
    for i in range(len(x)):
        before = ys[i - 1] if i > 0 else 0.0
        ys.append(SCALES[i] * x[i] + 0 * before)
    return np.array(ys)


def that_tells(x):
    SEEN.append(x)
    return 2 * x


def doubled_backward(dy, x):
    return 2 * dy.reshape(x.shape)


REFUSED = [
    (positive, positive_backward, "T", "start with an array of zeros and write its cells"),
    (twice, twice_backward, "T", "start with an array of zeros and write its cells"),
    (from_a_number, backward_in_a_list, ("T", "N"), "start with zeros of the shape"),
    (one_state, one_state_backward, ("T", "N"), "append a copy"),
    (cell_by_cell, doubled_backward, ("T", "N"), "start with an array of zeros"),
    (of_a_list, doubled_backward, {"x": "T", "requires": "T <= 2"}, "which does not fill it"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0].__name__)
def test_what_is_not_read_is_answered_by_the_line_and_what_to_write(case):
    forward, backward, shape, words = case
    report = gp.check(forward, backward, **(shape if isinstance(shape, dict) else {"x": shape}))
    assert report.status == "unreadable", report.text
    assert words in report.note
    assert "test_numpy_lists.py" in report.note


@pytest.mark.parametrize("forward", [from_zeros, a_copy_of_each])
def test_what_is_written_so_is_proved(forward):
    report = gp.check(forward, backward_in_a_list, x=("T", "N"))
    assert report.status == "proved", report.text


def test_a_list_within_a_turn_is_one_of_that_turn():
    report = gp.check(row_by_row, doubled_backward, x=("T", "N"))
    assert report.status == "proved", report.text


def test_reading_the_code_changes_no_list_of_the_user():
    assert gp.check(that_tells, doubled_backward, x="T").status == "proved"
    assert all(isinstance(x, np.ndarray) for x in SEEN)
