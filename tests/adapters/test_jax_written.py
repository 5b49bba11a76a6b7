"""Functions as users of JAX write them: the right ones are proved, the wrong ones refuted."""

import os

import pytest

if os.environ.get("GRADPROOF_REQUIRE_JAX") == "1":
    import jax  # noqa: F401 - CI must have it; without it this fails
else:
    pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")

import jax_functions as functions
import jax_repositories as repositories
from quick import quick

from gradproof import jax as gp

SOON = {
    *("leaky", "cube", "softmax", "leaky_forgot_slope", "centred_as_constant", "halves_straight"),
    *("hard_tanh", "top_one", "window_at", "scaled_exp_lost", "straight_through", "huber_sign"),
}
ALL_RIGHT = [*functions.RIGHT, *repositories.RIGHT]
ALL_WRONG = [*functions.WRONG, *repositories.WRONG]
# Rows without any key, whose softmax without its maximum is 0/0 in floating point.
NOT_PROVED = {"masked_attention": "error"}


def name_of(case):
    return case[0].__name__


@pytest.mark.parametrize("case", quick(ALL_RIGHT, SOON, name_of))
def test_a_right_gradient_is_proved(case):
    function, said = case
    report = gp.check(function, **said)
    assert report.status == NOT_PROVED.get(name_of(case), "proved"), report.text
    if report.status == "proved":
        assert report.scope.startswith("for all sizes with")


@pytest.mark.parametrize("case", quick(ALL_WRONG, SOON, name_of))
def test_a_wrong_gradient_is_refuted_by_the_code_itself(case):
    function, said = case
    report = gp.check(function, **said)
    assert report.status == "refuted", report.text
    found = report.counterexample
    assert abs(found.expected - found.found) > 1e-4


def test_there_are_enough_of_them_and_of_the_right_ones_19_of_20_are_proved():
    assert len(ALL_RIGHT) + len(ALL_WRONG) >= 60
    assert len(ALL_WRONG) >= 0.8 * len(ALL_RIGHT)
    assert len(NOT_PROVED) <= len(ALL_RIGHT) / 20
