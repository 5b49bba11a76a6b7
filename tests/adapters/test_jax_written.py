"""Functions as users of JAX write them: the right ones are proved, the wrong ones refuted."""

import os

import pytest

if os.environ.get("GRADPROOF_REQUIRE_JAX") == "1":
    import jax  # noqa: F401
else:
    pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")

from jax_functions import RIGHT, WRONG

from gradproof import jax as gp

SOON = {"leaky", "cube", "softmax", "leaky_forgot_slope", "centred_as_constant", "halves_straight"}


def case(function, said):
    """One that `make test` settles too, or one for `make full`."""
    name = function.__name__
    return pytest.param(function, said, id=name, marks=[] if name in SOON else [pytest.mark.slow])


@pytest.mark.parametrize(("function", "said"), [case(*c) for c in RIGHT])
def test_a_right_gradient_is_proved(function, said):
    report = gp.check(function, **said)
    assert report.status == "proved", report.text
    assert report.scope.startswith("for all sizes with")


@pytest.mark.parametrize(("function", "said"), [case(*c) for c in WRONG])
def test_a_wrong_gradient_is_refuted_by_the_code_itself(function, said):
    report = gp.check(function, **said)
    assert report.status == "refuted", report.text
    found = report.counterexample
    assert abs(found.expected - found.found) > 1e-4
