"""What float32 makes of code of JAX: told where it is undone, and nothing where it is not."""

import pytest

pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")

import jax.numpy as jnp
from finite_fresh import JAX
from finite_jax import HELD, PAIRS
from finite_pairs import found, sampled

from gradproof import jax as gp
from gradproof.jax.running import JaxCode


@pytest.mark.parametrize("pair", sampled(PAIRS + HELD + JAX))
def test_the_naive_function_is_told_and_the_stable_one_is_not(pair):
    assert "in float32" in found(JaxCode, pair, pair.naive)
    assert found(JaxCode, pair, pair.stable) == ""


def test_the_line_is_told():
    def loss(x):
        e = jnp.exp(x)
        return jnp.log(e.sum())

    report = gp.check(loss, x=("N",), float32=True)
    assert "`e = jnp.exp(x)`: exp gives inf here" in report.unstable
