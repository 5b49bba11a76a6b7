"""Loops whose turns read the turn before are recurrences, proved for every number of turns."""

import os
from dataclasses import replace

import pytest

if os.environ.get("GRADPROOF_REQUIRE_JAX") == "1":
    import jax
else:
    jax = pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")

import jax.numpy as jnp
import jax_recurrences as functions
from jax import lax
from quick import quick

from gradproof import jax as gp
from gradproof.jax import loops
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.systems import made_by, read_by
from gradproof.tracing import definition, slopes
from gradproof.tracing import integers as n
from gradproof.tracing.tensors import Tensor, constant

SECONDS = 30  # of the processor, where without names for gates it is minutes
SOON = {
    "gated",
    "gate_without_slope",
    "gate_of_state_after",
    "linear",
    "average",
    "decaying",
    "network",
    "decaying_unshifted",
    "not_transposed",
}


def name_of(case):
    return case[0].__name__


@pytest.mark.parametrize("case", quick(functions.RIGHT, SOON, name_of))
def test_a_right_gradient_is_proved_for_every_number_of_turns(case):
    function, said = case
    report = gp.check(function, **said)
    assert report.status == "proved", report.text
    assert report.seconds < SECONDS
    assert "turns" not in report.scope


@pytest.mark.parametrize("case", quick(functions.WRONG, SOON, name_of))
def test_a_wrong_gradient_is_refuted_by_the_code_itself(case):
    function, said = case
    assert gp.check(function, **said).status == "refuted"


def test_what_was_read_is_a_recurrence_and_the_loop_of_the_rule_its_cotangent():
    shown = gp.show(functions.average, x=("T", "N"), keep=gp.constant())
    assert "state[" in shown
    assert "state_bar[" in shown


def test_what_turns_compute_has_a_row_for_each_turn_and_a_cotangent():
    shown = gp.show(functions.gated, **functions.GATED)
    assert "h2[t1, i1] = z[t1, i1] + u[i1]·state[t1, i1]" in shown
    assert "z_bar[i1, i2] = h2_bar[i1, i2]" in shown


@pytest.mark.slow
def test_a_cotangent_that_is_taken_for_that_of_another_array_proves_nothing_wrong(monkeypatch):
    """Which array a cotangent belongs to is a guess: the worst guess is no proof."""

    def first(slopes, array, others):
        return next(iter(others), None)

    monkeypatch.setattr(slopes.Slopes, "is_of", first)
    assert gp.check(functions.gate_without_slope, **functions.GATED).status != "proved"


# What is read wrong is told.


def test_a_turn_that_is_forgotten_is_an_error(monkeypatch):
    right = loops.Opaque.recurs

    def shorter(self, turns, index):
        right(self, turns, index)
        last = n.minus(turns.length, 1)
        self.end = Tensor(self.start.axes, lambda place: self.states[(last, *place)])

    monkeypatch.setattr(loops.Opaque, "recurs", shorter)
    assert gp.check(functions.last_of_linear, **functions.PAIR).status == "error"


def test_a_loop_that_starts_with_something_else_is_an_error(monkeypatch):
    right = loops.Opaque.state

    def empty(self, turns, index, inside):
        found = right(self, turns, index, inside)
        return replace(found, first=constant(1, found.first.shape))

    monkeypatch.setattr(loops.Opaque, "state", empty)
    assert gp.check(functions.network, **functions.NETWORK).status == "error"


def test_a_loop_that_is_read_the_other_way_round_is_an_error(monkeypatch):
    right = loops.Turns.__init__

    def turned(self, *given):
        right(self, *given[:-1], not given[-1])

    monkeypatch.setattr(loops.Turns, "__init__", turned)
    assert gp.check(functions.average, x=("T", "N"), keep=gp.constant()).status == "error"


def test_a_gate_that_is_of_another_turn_is_an_error(monkeypatch):
    right = definition.equations

    def turned(*given):
        found = tuple(right(*given))
        gates = {made_by(e) for e in found}
        for e in found:
            now, last = e.target.index[0], n.minus(made_by(e).dims[0], 1)
            other = substitute(e.right, {now: n.minus(last, now)}, Fresh(e.right))
            of_gates = any(a.name == "state" or a in gates for a in read_by(e))
            yield e if of_gates else t.Eq(e.target, other)

    monkeypatch.setattr(definition, "equations", turned)
    assert gp.check(functions.gated, **functions.GATED).status == "error"


# What is not read.


@jax.custom_vjp
def without_a_loop(x):
    return functions.backwards(x, 0.5)


without_a_loop.defvjp(lambda x: (without_a_loop(x), None), lambda _, g: (2 * g,))


def within_another(x):
    def outer(h, row):
        inner, _ = lax.scan(lambda c, v: (jnp.tanh(c + v), None), h[0], row)
        return h * inner, h

    return lax.scan(outer, jnp.ones(x.shape[1]), x)[1]


def counts(x):
    return lax.scan(lambda c, v: ((c[0] * 3, c[1] * v + c[0]), None), (1, 1.0), x)[0][1]


REFUSED = [
    (within_another, ("T", "N"), "a loop within a loop"),
    (counts, "T", "integers that are carried"),
]


def test_a_recurrence_whose_rule_has_no_loop_is_refuted_by_the_code():
    report = gp.check(without_a_loop, x=("T", "N"))
    assert report.status == "refuted"
    assert report.counterexample is not None


@pytest.mark.parametrize(("function", "shape", "words"), REFUSED, ids=lambda v: str(v)[:20])
def test_what_is_not_read_is_answered_by_what_to_write(function, shape, words):
    report = gp.check(function, x=shape)
    assert report.status == "unreadable"
    assert words in report.note
