"""What float32 makes of code of NumPy: told where it is undone, and nothing where it is not."""

import pytest
from finite_fresh import NUMPY
from finite_numpy import HELD, PAIRS
from finite_pairs import found, sampled

from gradproof.numpy.running import NumpyCode


@pytest.mark.parametrize("pair", sampled(PAIRS + HELD + NUMPY))
def test_the_naive_function_is_told_and_the_stable_one_is_not(pair):
    assert "in float32" in found(NumpyCode, pair, pair.naive)
    assert found(NumpyCode, pair, pair.stable) == ""
