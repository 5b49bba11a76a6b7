"""Decorated code in a module of tests: an item for each gradient."""

from importlib.util import find_spec

import pytest

import gradproof.numpy  # noqa: F401  (NumPy cannot be loaded anew, as a run within this one would)

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
    ran = pytester.runpytest_inprocess("-v", "-p", "no:cacheprovider")
    ran.stdout.fnmatch_lines([f"*scale*gradient by w*{status}*"])
    if how == "mean":
        ran.stdout.fnmatch_lines(["*by finite differences of the code*"])
        assert ran.parseoutcomes()["failed"] == 2
    else:
        ran.assert_outcomes(passed=2)


def test_a_gradient_after_a_refuted_one_does_not_pass(pytester):
    """Nothing was settled of it: it may be as wrong."""
    wrong = NUMPY.format(how="sum", framework="numpy").replace("return dy * w, ", "return dy, 2 * ")
    pytester.makepyfile(wrong)
    ran = pytester.runpytest_inprocess("-v", "-p", "no:cacheprovider")
    ran.stdout.fnmatch_lines(["*scale*gradient by x*FAILED*"])
    assert "passed" not in ran.parseoutcomes()


def test_without_the_framework_the_module_is_skipped(pytester):
    pytester.makepyfile(NUMPY.format(how="sum", framework="tensorflow"))
    ran = pytester.runpytest_inprocess("-rs", "-p", "no:cacheprovider")
    ran.assert_outcomes(skipped=1)
    ran.stdout.fnmatch_lines(["*could not import 'gradproof.tensorflow'*"])


SCALE = """
import os, sys
import numpy as np
import gradproof.numpy as gp

SAID = dict(x=("N", "C"), w="C", requires="N >= 2")


def scale_back(dy, x, w):
    return dy * w, np.{how}(dy * x, axis=0)


def right_back(dy, x, w):
    return dy * w, np.sum(dy * x, axis=0)


def bare(function):
    return lambda *given: function(*given)
"""
HIDDEN = """
@gp.proved(right_back, **SAID)
@gp.proved(scale_back, **SAID)
def stacked(x, w):
    return x * w


class TestScale:
    @staticmethod
    @gp.proved(scale_back, **SAID)
    def in_class(x, w):
        return x * w


class Scale:
    class Inner:
        @gp.proved(scale_back, **SAID)
        def apart(x, w):
            return x * w


@bare
@gp.proved(scale_back, **SAID)
def below(x, w):
    return x * w


def make():
    @gp.proved(scale_back, **SAID)
    def made(x, w):
        return x * w

make()


gp.proved(scale_back, **SAID)(lambda x, w: x * w)
"""


def run_items(pytester, text, *arguments, apart=False):
    pytester.makepyfile(text)
    run = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
    return run("-v", "-p", "no:cacheprovider", *arguments)


@pytest.mark.parametrize(("how", "failed"), [("sum", 0), ("mean", 12)])
def test_each_mark_is_an_item_wherever_it_is(pytester, how, failed):
    """SOUNDNESS: a wrong gradient was not looked at there, and the run ended with status 0.

    Of two that are stacked the outer one was; that is right here.
    """
    ran = run_items(pytester, SCALE.format(how=how) + HIDDEN, apart=True)
    found = ran.parseoutcomes()
    assert (found.get("failed", 0), found.get("passed", 0)) == (failed, 14 - failed)
    assert ran.ret == (how == "mean")
    status = "FAILED" if failed else "PASSED"
    places = ("TestScale.in_class", "Scale.Inner.apart", "below", "make.<locals>.made", "<lambda>")
    for place in places:
        ran.stdout.fnmatch_lines([f"*{place}*gradient by w*{status}*"])
    ran.stdout.fnmatch_lines(["*stacked*gradient by w (2)*PASSED*"])


UNMADE = """
def not_called():
    @gp.proved(scale_back, **SAID)
    def scale(x, w):
        return x * w


def with_an_import_of_its_own():
    from gradproof.numpy import proved as holds

    @holds(scale_back, **SAID)
    def scale(x, w):
        return x * w


later = gp.proved(scale_back, **SAID)  # which decorates nothing
"""


def test_a_mark_that_is_not_made_is_said(pytester):
    """SOUNDNESS: nothing was settled, and the status was 0."""
    ran = run_items(pytester, SCALE.format(how="mean") + UNMADE)
    ran.stdout.fnmatch_lines(["*nothing was decorated while the module was loaded*"])
    ran.assert_outcomes(failed=3)
    assert ran.ret == 1


def test_what_others_call_proved_is_not_ours(pytester):
    text = SCALE.format(how="sum") + "\n\ndef test_it():\n    Proof = type('P', (), {})\n"
    text += "    Proof.proved = staticmethod(lambda **_: None)\n    Proof.proved(x=1)\n"
    run_items(pytester, text).assert_outcomes(passed=1)


def test_a_mark_without_a_gradient_is_refused(pytester):
    """SOUNDNESS: it had no items, and the status was 0 where other tests passed."""
    text = SCALE.format(how="sum")
    text += '\n\n@gp.proved(scale_back, x=gp.constant("N"))\ndef scale(x):\n    return x\n'
    ran = run_items(pytester, text)
    assert ran.parseoutcomes()["errors"] == 1
    ran.stdout.fnmatch_lines(["*no argument is one that is differentiated by*"])


def test_a_gradient_that_is_asked_for_alone_is_settled_or_fails(pytester):
    """SOUNDNESS: it was skipped, with status 0, where the gradient of another input is wrong."""
    wrong = SCALE.format(how="sum").replace("return dy * w, ", "return dy, 2 * ")
    wrong += "\n\n@gp.proved(scale_back, **SAID)\ndef scale(x, w):\n    return x * w\n"
    ran = run_items(pytester, wrong, "-k", "by and w")
    ran.stdout.fnmatch_lines(["*not settled: the gradient of x is refuted before*"])
    assert ran.ret == 1


ENDS = (
    "import sys; sys.exit(0)",
    "raise SystemExit",
    "import os; os._exit(0)",
    "import os; os.execvp('true', ['true'])",
    "import pytest; pytest.skip('later')",
)
TORCH = """

@gp.proved(x=("N", "C"))
class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {forward}
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        {backward}
        return 2 * g
"""


def test_code_that_ends_the_program_is_not_proved(pytester):
    """SOUNDNESS: the run of pytest ended there, with status 0, or the item was skipped."""
    if find_spec("torch") is None:
        pytest.skip("needs PyTorch")
    text = "import torch\nimport gradproof.torch as gp\n"
    for number, end in enumerate(ENDS):
        for where in ("forward", "backward"):
            parts = {"forward": "pass", "backward": "pass", where: end}
            text += TORCH.format(name=f"Double{number}{where}", **parts)
    text += TORCH.format(name="Right", forward="pass", backward="pass")
    ran = run_items(pytester, text, apart=True)
    ran.assert_outcomes(passed=1, failed=2 * len(ENDS))
    # pytest's summary repeats the reasons, whole ones where `CI` is set.
    (failures, _) = ran.stdout.str().split("short test summary info")
    assert failures.count("the code ended the program") == 2 * len(ENDS)
    assert ran.ret == 1


@pytest.mark.parametrize(("how", "is_told"), [("import ops", True), ("from ops import *", False)])
def test_a_mark_in_no_module_of_tests_is_told(pytester, how, is_told):
    """SOUNDNESS: nothing looked at it, and nothing said so."""
    pytester.makepyfile(
        ops=NUMPY.format(how="mean", framework="numpy"),
        test_it=f"{how}\n\n\ndef test_it():\n    pass\n",
    )
    ran = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    told = "gradproof: ops.py:11: scale is not settled in this run; import it by its name"
    assert (told in ran.stdout.str()) == is_told
    assert ran.parseoutcomes().get("failed", 0) == (0 if is_told else 2)
