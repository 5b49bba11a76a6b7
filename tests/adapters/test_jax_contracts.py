"""What is owed beside a gradient of JAX: JVPs of no tangent, and second derivatives."""

import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")

import jax.numpy as jnp

from gradproof import jax as gp


def custom_vjp(forward, backward):
    @jax.custom_vjp
    def f(x):
        return forward(x)[0]

    f.defvjp(forward, backward)
    return f


def custom_jvp(function, rule):
    @jax.custom_jvp
    def f(x):
        return function(x)

    f.defjvp(lambda primals, tangents: (f(*primals), rule(*primals, *tangents)))
    return f


stop = jax.lax.stop_gradient
SLIP = custom_vjp(lambda x: (3 * x**2, x), lambda x, g: (3 * x * g,))
RIGHT = {
    "saved": custom_vjp(lambda x: (jnp.exp(x), jnp.exp(x)), lambda y, g: (g * y,)),
    "input": custom_vjp(lambda x: (x**2, x), lambda x, g: (2 * x * g,)),
    "tanh": custom_vjp(lambda x: (jnp.tanh(x), jnp.tanh(x)), lambda y, g: (g * (1 - y * y),)),
    "linear": custom_vjp(lambda x: (3 * x, None), lambda _, g: (3 * g,)),
}
WRONG = {
    "stopped": custom_vjp(lambda x: (jnp.exp(x), stop(jnp.exp(x))), lambda y, g: (g * y,)),
    "factor": custom_vjp(lambda x: (x**2, x), lambda x, g: (2 * stop(x) * g,)),
    "cotangent": custom_vjp(lambda x: (x**2, x), lambda x, g: (2 * x * stop(g),)),
    "slip": custom_vjp(lambda x: (x**3, x), lambda x, g: (SLIP(x) * g,)),
}
LINEAR = {
    "power": custom_jvp(lambda x: x**3, lambda x, t: 3 * x**2 * t),
    "sine": custom_jvp(jnp.sin, lambda x, t: jnp.cos(x) * t),
    "exp": custom_jvp(jnp.exp, lambda x, t: jnp.exp(x) * t),
    "tanh": custom_jvp(jnp.tanh, lambda x, t: (1 - jnp.tanh(x) ** 2) * t),
    "swish": custom_jvp(
        lambda x: x * jax.nn.sigmoid(x),
        lambda x, t: jax.nn.sigmoid(x) * (1 + x * (1 - jax.nn.sigmoid(x))) * t,
    ),
    "squares": custom_jvp(lambda x: (x * x).sum(), lambda x, t: 2 * (x * t).sum()),
    "mean": custom_jvp(lambda x: x - x.mean(), lambda x, t: t - t.mean()),
    "sum": custom_jvp(jnp.cumsum, lambda x, t: jnp.cumsum(t)),
}
AFFINE = {
    "more": custom_jvp(lambda x: x**3, lambda x, t: 3 * x**2 * t + 1),
    "value": custom_jvp(jnp.sin, lambda x, t: jnp.cos(x) * t + jnp.sin(x)),
}
NO_JVP = {
    "factor": custom_jvp(lambda x: x**3, lambda x, t: x**2 * t),
    "sign": custom_jvp(jnp.cos, lambda x, t: jnp.sin(x) * t),
    "unscaled": custom_jvp(lambda x: x - x.mean(), lambda x, t: t - t.sum()),
    "squares": custom_jvp(lambda x: (x * x).sum(), lambda x, t: (x * t).sum()),
    "sum": custom_jvp(jnp.cumsum, lambda x, t: jnp.cumsum(t[::-1])),
    "partly": custom_jvp(lambda x: x * jax.nn.sigmoid(x), lambda x, t: jax.nn.sigmoid(x) * t),
}
ONCE = {
    "stopped": custom_jvp(lambda x: x**3, lambda x, t: 3 * stop(x) ** 2 * t),
    "kept": custom_jvp(jnp.exp, lambda x, t: stop(jnp.exp(x)) * t),
}


def rows(table, quick=()):
    return [
        pytest.param(f, id=name, marks=() if name in quick else pytest.mark.slow)
        for name, f in table.items()
    ]


def status(report, name):
    return next(each.report.status for each in report.contract if each.report.name == name)


@pytest.mark.parametrize("f", rows(RIGHT, ["input"]))
def test_a_right_second_derivative_is_proved(f):
    assert gp.check(f, x="N", order=2).status == "proved"


@pytest.mark.parametrize("f", rows(WRONG, ["stopped"]))
def test_a_wrong_second_derivative_is_refuted_if_asked_and_told_if_not(f):
    assert gp.check(f, x="N", order=2).status == "refuted"
    told = gp.check(f, x="N")
    assert (told.status, status(told, "second order")) == ("proved", "refuted")


@pytest.mark.parametrize("f", rows(LINEAR))
def test_a_right_jvp_is_proved_in_all_modes(f):
    report = gp.check(f, x="N", order=2)
    assert report.status == "proved"
    assert status(report, "second order, forward mode") == "proved"


@pytest.mark.parametrize("f", rows(AFFINE, ["more"]))
def test_a_jvp_that_adds_something_is_refuted(f):
    """SOUNDNESS: the backward that JAX makes of it leaves out what is added."""
    report = gp.check(f, x="N")
    assert (report.status, status(report, "JVP")) == ("refuted", "refuted")


@pytest.mark.parametrize("f", rows(NO_JVP, ["factor"]))
def test_a_wrong_jvp_is_refuted(f):
    assert gp.check(f, x="N").status == "refuted"


@pytest.mark.parametrize("f", rows(ONCE))
def test_a_jvp_that_is_a_constant_where_it_is_differentiated_is_refuted_if_asked(f):
    assert gp.check(f, x="N").status == "proved"
    assert gp.check(f, x="N", order=2).status == "refuted"
