"""Code of JAX that once was proved, or might be, though it is wrong somewhere."""

import os

import pytest

if os.environ.get("GRADPROOF_REQUIRE_JAX") == "1":
    import jax
else:
    jax = pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")

import jax.numpy as jnp
from jax import lax

from gradproof import jax as gp
from gradproof.jax.sizes import is_users


def weighted(forward, backward):
    """Each cell times a weight of its place; the rule has weights of its own."""

    @jax.custom_vjp
    def f(x):
        return x * forward(x.shape[0])

    f.defvjp(lambda x: (x * forward(x.shape[0]), x), lambda x, g: (g * backward(x.shape[0]),))
    return f


def remainder(n):
    return lax.rem(10 - jnp.arange(n), 3)


def modulus(n):
    return jnp.mod(10 - jnp.arange(n), 3)


def quotient(n):
    return lax.div(10 - jnp.arange(n), 3)


def floor(n):
    return (10 - jnp.arange(n)) // 3


def places(n):
    return jnp.arange(n)


def small_places(n):
    return jnp.arange(n).astype(jnp.int8)


def unsigned_places(n):
    return (jnp.arange(n).astype(jnp.uint32) - 1 + 1).astype(jnp.float64)


def powers(n):
    return jnp.arange(n) ** 20


def real_powers(n):
    return jnp.arange(n) ** 20.0


WRONG = [
    (remainder, modulus),
    (quotient, floor),
    (places, small_places),
    (places, unsigned_places),
    (real_powers, powers),
]


@pytest.mark.parametrize(("forward", "backward"), WRONG, ids=lambda f: f.__name__)
def test_integers_that_round_or_overflow_otherwise_are_not_proved(forward, backward):
    """They are the same up to ten cells, or up to more."""
    assert gp.check(weighted(forward, backward), x="N").status != "proved"


@pytest.mark.parametrize("weights", [remainder, modulus, quotient, floor])
def test_those_that_round_alike_are_proved(weights):
    assert gp.check(weighted(weights, weights), x="N").status == "proved"


def test_complex_numbers_are_refused():
    report = gp.check(lambda x: jnp.abs(x * 1j), x="N")
    assert report.status == "unreadable"
    assert "complex" in report.note


def averaging(x):
    """A function that is not associative: JAX's tree is no loop from the first on."""
    return lax.associative_scan(lambda a, b: (a + b) / 2, x)


def test_a_tree_that_is_no_loop_is_not_taken_for_one():
    report = gp.check(averaging, x="N")
    assert report.status == "unreadable"
    assert "not shown to be associative" in report.note


def turning_late(p, q):
    """Associative while fewer than 20 are added up."""
    return p[0] + q[0], jnp.where(q[0] > 20.0, p[1] + 2 * q[1], p[1] + q[1])


@jax.custom_vjp
def late_tree(x):
    return lax.associative_scan(turning_late, (jnp.ones(x.shape[0]), x))[1]


late_tree.defvjp(lambda x: (late_tree(x), None), lambda _, g: (lax.cumsum(g, reverse=True),))


def test_a_tree_that_is_no_loop_at_large_sizes_is_not_taken_for_one():
    """SOUNDNESS: code and loop agreed wherever they were compared."""
    assert gp.check(late_tree, x="N").status == "unreadable"


def test_code_that_is_typed_in_is_the_user_s():
    assert all(map(is_users, ("<stdin>", "<ipython-input-1>", "/site-packages/jaxopt/loss.py")))
    assert not any(map(is_users, (jax.__file__, "<string>", "<frozen importlib._bootstrap>")))


@jax.custom_vjp
def decays(x):
    return lax.scan(lambda h, v: (0.5 * h + v,) * 2, 0.0, x)[1]


def decays_bwd(_, g):
    """It takes the cotangent of the turn before last along only in the first 50 turns."""

    def step(carry, now):
        g_t, t = now
        total = g_t + jnp.where(t < 50, 0.5, 0.0) * carry
        return total, total

    places = jnp.arange(g.shape[0])
    return (lax.scan(step, 0.0, (g, places), reverse=True)[1],)


decays.defvjp(lambda x: (decays(x), None), decays_bwd)


def test_a_loop_that_is_wrong_after_many_turns_is_not_proved():
    assert gp.check(decays, x="N").status != "proved"
