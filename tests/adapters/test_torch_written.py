"""Functions as users of PyTorch write them: the right ones are proved, the wrong ones refuted."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

from torch_functions import RIGHT, WRONG

from gradproof import torch as gp


def name_of(case):
    return getattr(case[0], "__name__", type(case[0]).__name__)


@pytest.mark.parametrize(("function", "said"), RIGHT, ids=map(name_of, RIGHT))
def test_a_right_gradient_is_proved(function, said):
    report = gp.check(function, **said)
    assert report.status == "proved", report.text
    assert report.scope.startswith("for all sizes with")


@pytest.mark.parametrize(("function", "said"), WRONG, ids=map(name_of, WRONG))
def test_a_wrong_gradient_is_refuted_by_the_code_itself(function, said):
    report = gp.check(function, **said)
    assert report.status == "refuted", report.text
    found = report.counterexample
    assert abs(found.expected - found.found) > 1e-4
