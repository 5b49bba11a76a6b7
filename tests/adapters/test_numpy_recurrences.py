"""Loops of NumPy whose turns read the turn before are recurrences, proved for all their turns."""

import numpy as np
import numpy_recurrences as functions
import pytest
from quick import quick

from gradproof import numpy as gp
from gradproof.numpy import carrying, loops
from gradproof.tracing import integers as n
from gradproof.tracing.tensors import constant

SECONDS = 60
SLOW = {"energy_backward", "energy_backward_twice"}


def name_of(case):
    return case[1].__name__


def is_soon(case):
    return name_of(case) not in SLOW


@pytest.mark.parametrize("case", quick(functions.RIGHT, is_soon, name_of))
def test_a_right_backward_is_proved_for_every_number_of_turns(case):
    forward, backward, said = case
    report = gp.check(forward, backward, **said)
    assert report.status == "proved", report.text
    assert report.seconds < SECONDS
    assert "turns" not in report.scope


@pytest.mark.parametrize("case", quick(functions.WRONG, is_soon, name_of))
def test_a_wrong_backward_is_refuted_by_the_code_itself(case):
    forward, backward, said = case
    report = gp.check(forward, backward, **said)
    assert report.status == "refuted", report.text


def test_what_was_read_is_a_recurrence_and_the_loop_of_the_backward_its_cotangent():
    shown = gp.show(functions.average, functions.average_backward, **functions.AVERAGE)
    assert "state[" in shown
    assert "x_bar[i1] = (-keep[] + 1)·state_bar[i1]" in shown


# Mistakes planted in what reads loops are caught by the code.


def status(forward, backward, said):
    return gp.check(forward, backward, **said).status


def test_a_turn_that_is_forgotten_is_an_error(monkeypatch):
    right = carrying.Carried.__init__

    def shorter(self, reader, turns, first):
        right(self, reader, turns, first)
        self.end = self.row(self.states, n.simple(turns.last))

    monkeypatch.setattr(carrying.Carried, "__init__", shorter)
    assert status(functions.last, functions.last_backward, functions.CELL) == "error"


def test_a_loop_that_starts_with_something_else_is_an_error(monkeypatch):
    right = carrying.Carried.__init__

    def other(self, reader, turns, first):
        right(self, reader, turns, constant(1, first.shape))

    monkeypatch.setattr(carrying.Carried, "__init__", other)
    assert status(functions.linear, functions.linear_backward, functions.PAIR) == "error"


def test_a_loop_that_is_read_the_other_way_round_is_an_error(monkeypatch):
    right = loops.recurrent

    def turned(reader, over, symbol):
        found = right(reader, over, symbol)
        return carrying.replace(found, downwards=not found.downwards)

    monkeypatch.setattr(loops, "recurrent", turned)
    assert status(functions.tanh_cell, functions.tanh_cell_backward, functions.CELL) == "error"


def test_a_sum_of_the_turns_after_this_one_is_an_error(monkeypatch):
    later = property(lambda turns: (n.add(turns.symbol, 1), turns.last))
    monkeypatch.setattr(carrying.Turns, "earlier", later)
    assert status(functions.prefix, functions.prefix_backward, functions.ONE) == "error"


def test_cells_of_turns_long_past_that_are_taken_for_untouched_are_an_error(monkeypatch):
    monkeypatch.setattr(carrying.InPlace, "is_untouched", lambda self, at, known: True)
    assert status(two_back, two_back_backward, functions.ONE) == "error"


# What is not read.


def two_back(x):
    y = np.zeros(len(x) + 2)
    for t in range(len(x)):
        y[t + 2] = 0.3 * y[t] + 0.5 * y[t + 1] + x[t]
    return y[2:]


def two_back_backward(dy):
    g = np.zeros(len(dy) + 2)
    for t in reversed(range(len(dy))):
        g[t] = dy[t] + 0.5 * g[t + 1] + 0.3 * g[t + 2]
    return g[:-2]


def with_a_row_too_many(x, u):
    h = np.zeros((x.shape[0] + 2, x.shape[1]))
    for t in range(x.shape[0]):
        h[t + 1] = np.tanh(h[t] @ u + x[t])
    return h[1:], h


def with_a_row_too_many_backward(dy, h, x, u):
    return functions.network_in_an_array_backward(dy[:-1], h[:-1], x, u)


def within_another(x):
    y = np.zeros_like(x)
    for b in range(x.shape[0]):
        h = 0.0
        for t in range(x.shape[1]):
            h = 0.5 * h + x[b, t]
            y[b, t] = h
    return y


def within_another_backward(dy):
    dx = np.zeros_like(dy)
    for b in range(dy.shape[0]):
        h = 0.0
        for t in reversed(range(dy.shape[1])):
            h = 0.5 * h + dy[b, t]
            dx[b, t] = h
    return dx


def every_other(x):
    y, h = np.zeros_like(x), 0.0
    for t in range(0, len(x), 2):
        h = 0.5 * h + x[t]
        y[t] = h
    return y


def every_other_backward(dy):
    dx, g = np.zeros_like(dy), 0.0
    for t in range((len(dy) - 1) // 2 * 2, -1, -2):
        g = 0.5 * g + dy[t]
        dx[t] = g
    return dx


def grows(x):
    h = x
    for _ in range(len(x)):
        h = np.concatenate([h, x])
    return h


def grows_backward(dy, x):
    return dy.reshape(len(x) + 1, len(x)).sum(0)


def from_the_front(x):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = 0.5 * y[x.shape[0] - 1 - i] + x[i]
    return y


def from_the_front_backward(dy):
    dx = np.zeros_like(dy)
    for i in range(dy.shape[0]):
        j = dy.shape[0] - 1 - i
        dx[i] = dy[i] + (0.5 * dy[j] if j > i else 0.0)
    return dx


REFUSED = [
    (two_back, two_back_backward, "T", "carry that by a name of its own"),
    (within_another, within_another_backward, ("B", "T"), "make that loop the outermost one"),
    (every_other, every_other_backward, "T", "a range with a step"),
    (grows, grows_backward, "T", "start with zeros of the shape it has"),
    (from_the_front, from_the_front_backward, "T", "carry that by a name of its own"),
]


@pytest.mark.parametrize("case", REFUSED, ids=name_of)
def test_what_is_not_read_is_answered_by_the_line_and_what_to_write(case):
    forward, backward, shape, words = case
    report = gp.check(forward, backward, x=shape)
    assert report.status == "unreadable"
    assert words in report.note
    assert "test_numpy_recurrences.py" in report.note


def test_a_recurrence_whose_backward_has_no_loop_is_refuted_by_the_code():
    report = gp.check(functions.tanh_cell, lambda dy, x, a: dy, **functions.CELL)
    assert report.status == "refuted"


@pytest.mark.slow
def test_a_row_that_no_turn_writes_is_read_as_it_was():
    report = gp.check(with_a_row_too_many, with_a_row_too_many_backward, **functions.ROWS)
    assert report.status in ("proved", "unknown")
