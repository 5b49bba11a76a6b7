"""Decorated code in a module of tests: an item for each gradient."""

import pytest

pytest_plugins = ["pytester"]

NUMPY = """
import numpy as np
import pytest

gp = pytest.importorskip("gradproof.{framework}")


def scale_back(dy, x, w):
    return dy * w, np.{how}(dy * x, axis=0)


@gp.proved(scale_back, x=("N", "C"), w="C", requires="N >= 2")
def scale(x, w):
    return x * w
"""


@pytest.mark.parametrize(("how", "status"), [("sum", "PASSED"), ("mean", "FAILED")])
def test_each_gradient_is_an_item(pytester, how, status):
    pytester.makepyfile(NUMPY.format(how=how, framework="numpy"))
    ran = pytester.runpytest_subprocess("-v", "-p", "no:cacheprovider")
    ran.stdout.fnmatch_lines([f"*scale*gradient by w*{status}*"])
    if how == "mean":
        ran.stdout.fnmatch_lines(["*by finite differences of the code*"])
        assert ran.parseoutcomes()["failed"] == 1
    else:
        ran.assert_outcomes(passed=2)


def test_a_gradient_after_a_refuted_one_does_not_pass(pytester):
    """Nothing was settled of it: it may be as wrong."""
    wrong = NUMPY.format(how="sum", framework="numpy").replace("return dy * w, ", "return dy, 2 * ")
    pytester.makepyfile(wrong)
    ran = pytester.runpytest_subprocess("-v", "-p", "no:cacheprovider")
    ran.stdout.fnmatch_lines(["*scale*gradient by x*FAILED*"])
    assert "passed" not in ran.parseoutcomes()


def test_without_the_framework_the_module_is_skipped(pytester):
    pytester.makepyfile(NUMPY.format(how="sum", framework="tensorflow"))
    ran = pytester.runpytest_subprocess("-rs", "-p", "no:cacheprovider")
    ran.assert_outcomes(skipped=1)
    ran.stdout.fnmatch_lines(["*could not import 'gradproof.tensorflow'*"])
