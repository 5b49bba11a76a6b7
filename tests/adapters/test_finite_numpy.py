"""What float32 makes of code of NumPy: told where it is undone, and nothing where it is not."""

import numpy as np
import pytest
from finite_fresh import NUMPY
from finite_numpy import HELD, PAIRS
from finite_pairs import found, sampled

from gradproof import numpy as gp
from gradproof.numpy.running import NumpyCode


@pytest.mark.parametrize("pair", sampled(PAIRS + HELD + NUMPY))
def test_the_naive_function_is_told_and_the_stable_one_is_not(pair):
    assert "in float32" in found(NumpyCode, pair, pair.naive)
    assert found(NumpyCode, pair, pair.stable) == ""


def forward(x):
    e = np.exp(x)
    return np.log(e.sum())


def backward(g, x):
    e = np.exp(x)
    return g * e / e.sum()


def test_the_line_is_told():
    report = gp.check(forward, backward, x="N", float32=True)
    assert "`e = np.exp(x)`: exp gives inf here" in report.unstable
