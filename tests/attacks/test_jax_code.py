"""Code of JAX that once was proved, or might be, though it is wrong somewhere."""

import dataclasses
import os
from typing import NamedTuple

import numpy as np
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


def factored(backward, forward=lambda x: 1.0):
    """Each cell times a factor of no gradient; the rule has one of its own."""

    @jax.custom_vjp
    def f(x):
        return x * forward(x)

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * backward(x),))
    return f


@dataclasses.dataclass(frozen=True)
class Sizes:
    rows: object


class Rows(NamedTuple):
    count: object


def by_failing(x):
    try:
        return 2.0 if int(x.shape[0]) == 50 else 1.0
    except Exception:
        return 1.0


def by_any_failure(x):
    try:
        return 2.0 if range(x.shape[0])[-1] == 49 else 1.0
    except BaseException:
        return 1.0


def by_values(x):
    try:
        return 2.0 if float(x.sum()) > 1e6 else 1.0
    except Exception:
        return 1.0


def by_numpy(x):
    try:
        return 2.0 if np.asarray(x).sum() > 1e6 else 1.0
    except jax.errors.TracerArrayConversionError:
        return 1.0


OBSERVED = [
    lambda x: 2.0 if str(x.shape[0]) == "50" else 1.0,
    lambda x: 2.0 if f"{x.shape[0]}" == "50" else 1.0,
    lambda x: 2.0 if f"{x.shape[0]:d}" == "50" else 1.0,
    lambda x: 2.0 if "".join(map(str, x.shape)) == "50" else 1.0,
    lambda x: 2.0 if repr(x.shape) == "(50,)" else 1.0,
    lambda x: {50: 2.0}.get(x.shape[0], 1.0),
    lambda x: 2.0 if x.shape[0] in {50, 51} else 1.0,
    lambda x: 2.0 if x.shape[0] in frozenset((50,)) else 1.0,
    lambda x: 2.0 if hash(x.shape[0]) == 50 else 1.0,
    lambda x: 2.0 if x.shape[0] > 50.5 else 1.0,
    lambda x: 2.0 if isinstance(x.shape[0], int) and x.shape[0] == 50 else 1.0,
    lambda x: 2.0 if type(x.shape[0]) is int and x.shape[0] == 50 else 1.0,
    lambda x: 1.0 if isinstance(x, jax.core.Tracer) else 2.0,
    lambda x: 1.0 if "Tracer" in type(x).__name__ else 2.0,
    by_failing,
    by_any_failure,
    by_values,
    by_numpy,
]


@pytest.mark.parametrize("factor", OBSERVED)
def test_what_code_can_see_of_being_traced_ends_the_reading(factor):
    """SOUNDNESS: texts, keys, types and failures were answered as of what stands for a size."""
    report = gp.check(factored(factor), x="N")
    assert report.status in ("unreadable", "error", "refuted"), report.text


COMPARED = [
    lambda x: 2.0 if x.shape[0] == 50.0 else 1.0,
    lambda x: 2.0 if x.shape[0] >= np.float32(50) else 1.0,
    lambda x: 2.0 if np.int64(50) <= x.shape[0] else 1.0,
    lambda x: 2.0 if Sizes(x.shape[0]) == Sizes(50) else 1.0,
    lambda x: 2.0 if Rows(x.shape[0]) == Rows(50) else 1.0,
    lambda x: 2.0 if [x.shape[0]].count(50) else 1.0,
]


@pytest.mark.parametrize("factor", COMPARED)
def test_sizes_beside_numbers_of_other_kinds_are_conditions(factor):
    """SOUNDNESS: such a comparison was no condition, and failed at all sizes."""
    report = gp.check(factored(factor), x="N")
    assert report.status == "proved"
    assert ", only where " in report.scope


def asked(x):
    if x.ndim != 1 or x.shape[0] < 1 or not jnp.issubdtype(x.dtype, jnp.floating):
        raise ValueError(f"{x.shape} is none")
    return 1.0


def guarded(x):
    try:
        return jnp.ones(x.shape)
    except TypeError:
        return 2.0


@pytest.mark.parametrize("factor", [asked, guarded, lambda x: 1.0 if x.shape[0] > 0.0 else 2.0])
def test_code_that_asks_what_is_so_is_proved(factor):
    assert gp.check(factored(factor), x="N").status == "proved"


def held(x):
    return x > 0


def counted(x):
    return jnp.sum(jnp.where(x > 0, 1.0, 0.0))


# What is computed, and what it was read as.
KINDS = [
    (lambda x: (held(x) @ held(x)).astype(float), counted),
    (lambda x: jnp.dot(held(x), held(x)).astype(float), counted),
    (lambda x: jnp.einsum("i,i->", held(x), held(x)).astype(float), counted),
    (lambda x: (held(x) + held(x)).astype(float), lambda x: 2.0 * held(x)),
    (lambda x: jnp.sum(held(x), dtype=bool).astype(float), counted),
    (lambda x: 1.0 * (held(x) < (x > 1000)), lambda x: 1.0 * (held(x) != (x > 1000))),
    (lambda x: 1.0 * jnp.maximum(held(x), x < -1000), lambda x: 1.0 * held(x)),
    (lambda x: jnp.cumsum(held(x), dtype=bool).astype(float), lambda x: jnp.cumsum(1.0 * held(x))),
]


@pytest.mark.parametrize(("forward", "read_as"), KINDS)
def test_sums_and_products_of_conditions_are_conditions(forward, read_as):
    """SOUNDNESS: they were counts."""
    assert gp.check(factored(read_as, forward), x="N").status != "proved"
    assert gp.check(factored(forward, forward), x="N").status == "proved"


WHOLE = [
    (lambda x: jnp.sum(x, dtype=int).astype(float), jnp.sum),
    (lambda x: jnp.prod(x, dtype=int).astype(float), jnp.prod),
    (lambda x: x.astype(int).astype(float), lambda x: x),
    (lambda x: jnp.full(x.shape[0], 2.5, dtype=int).astype(float), lambda x: 2.5),
    (lambda x: (~places(x.shape[0])).astype(float), lambda x: 1.0 * (places(x.shape[0]) < 1)),
    (lambda x: (places(x.shape[0]) & 1).astype(float), lambda x: 1.0 * (places(x.shape[0]) > 0)),
]


@pytest.mark.parametrize(("forward", "read_as"), WHOLE)
def test_reals_as_integers_are_not_read_as_reals(forward, read_as):
    assert gp.check(factored(read_as, forward), x="N").status != "proved"


def fifty(x):
    """Writes at places that are said to be several, and from the fifty-first on are not."""
    at = jnp.arange(x.shape[0]) % 50
    return jnp.zeros_like(x).at[at].set(x, unique_indices=True)


def turned_round(x):
    at = x.shape[0] - 1 - jnp.arange(x.shape[0])
    return jnp.zeros_like(x).at[at].set(x, unique_indices=True)


def test_writes_at_places_that_are_said_to_differ_do():
    """SOUNDNESS: that they do was the user's word."""
    assert gp.check(fifty, x="N").status != "proved"
    assert gp.check(turned_round, x="N").status == "proved"


def summed(x):
    return lax.fori_loop(0, x.shape[0], lambda i, total: total + x[i], 0.0)


def added(x):
    return lax.associative_scan(jnp.add, x)


def test_a_loop_that_is_another_now_is_not_read_as_it_was(monkeypatch):
    """SOUNDNESS: lax.fori_loop was read as JAX's, whatever stood in its place."""
    assert gp.check(summed, x="N").status == gp.check(added, x="N").status == "proved"
    loop, tree = lax.fori_loop, lax.associative_scan

    def late(first, last, body, start):
        return loop(first, last - (last > 20), body, start)

    monkeypatch.setattr(lax, "fori_loop", late)
    monkeypatch.setattr(lax, "associative_scan", lambda f, x: (1 + (x > 1000)) * tree(f, x))
    assert gp.check(summed, x="N").status != "proved"
    assert gp.check(added, x="N").status != "proved"


def moved_into(x):
    rows = jnp.arange(x.shape[0])
    return jnp.zeros_like(x).at[jnp.where(rows >= 50, x.shape[0], rows)].add(x, mode="clip")


@pytest.mark.parametrize("code", [moved_into, lambda x: x.at[0].apply(jnp.sin)])
def test_writes_that_are_told_to_do_otherwise_are_not_read(code):
    """SOUNDNESS: what an operation was told and no rule asked for was left out."""
    assert gp.check(code, x="N").status == "unreadable"


@pytest.mark.parametrize("code", [lambda x: x.at[0].set(2 * x[0]), lambda x: x.at[0].add(x[0])])
def test_writes_that_are_told_nothing_are_read(code):
    assert gp.check(code, x="N").status == "proved"


@jax.jit
def within(x):
    if x.shape[0] == 1:
        return x * 2.0 - x
    return x


@jax.custom_vjp
def through(x):
    return jnp.sin(within(x))


through.defvjp(lambda x: (through(x), x), lambda x, g: (g * jnp.cos(x),))


@pytest.mark.parametrize("function", [through, jax.jit(through)])
def test_lines_of_what_was_compiled_before_are_seen(function):
    """They ran unseen, which was told, or taken for steps that only the reading has."""
    for _ in range(2):
        assert gp.check(function, x="N")


def test_what_was_compiled_before_is_still_compared():
    @jax.custom_vjp
    def f(x):
        return x * factor(x)

    @jax.jit
    def factor(x):
        return 1.0 + (isinstance(x.shape[0], int) and x.shape[0] // 3 == 17)

    f.defvjp(lambda x: (f(x), None), lambda _, g: (g,))
    for _ in range(2):
        assert gp.check(f, x="N").status in ("unreadable", "error")
