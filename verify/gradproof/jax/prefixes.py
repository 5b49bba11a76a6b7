"""JAX's loops over sizes that are symbols, which JAX itself takes at numbers alone. Untrusted.

At sizes that are numbers JAX runs a `fori_loop` as a `scan`, and an `associative_scan` as a tree of
which the result is that of a loop, since its function is associative. While code is read both are
loops, at all sizes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from inspect import unwrap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gradproof.jax.precision import enable_x64
from gradproof.jax.reader import Reader, rule
from gradproof.jax.sizes import is_symbolic, is_users
from gradproof.tracing.tensors import Tensor, Unreadable

LOOPS = "jax._src.lax.control_flow.loops"


KNOWN = (jnp.add, jnp.multiply, jnp.maximum, jnp.minimum, lax.add, lax.mul, lax.max, lax.min)
POLYNOMIAL = {
    *("add", "sub", "mul", "neg", "dot_general", "convert_element_type", "jit", "pjit"),
    *("broadcast_in_dim", "reshape", "squeeze", "transpose", "slice", "concatenate", "copy"),
}
TRIALS = 5


def scanned(function: Callable[[Any, Any], Any], elems: Any, **options: Any) -> Any:
    """An `associative_scan`, of what is associative."""
    rows = jax.tree.map(lambda x: jnp.moveaxis(x, options.get("axis", 0), 0)[0], elems)
    is_known = function in KNOWN and (is_own(function) or isinstance(function, jnp.ufunc))
    if not is_known and not is_associative(function, rows):
        said = "an associative_scan of a function that is not shown to be associative"
        raise Unreadable(f"{said}: a polynomial is, if it is; else write it with lax.scan")
    return prefixes(function, elems, **options)


def is_own(function: Any) -> bool:
    """Whether a function is JAX's, and nothing that the user put in its place."""
    code = getattr(unwrap(function), "__code__", None)
    file = "" if code is None else code.co_filename
    return bool(file) and file != __file__ and not is_users(file)


def is_associative(function: Callable[[Any, Any], Any], rows: Any) -> bool:
    """Of polynomials, which are the same if they are at points that are drawn."""

    def like(x: Any, generator: Any) -> Any:
        return generator.normal(size=[d if isinstance(d, int) else 3 for d in x.shape])

    try:
        with jax.ensure_compile_time_eval(), enable_x64(True):
            generator = np.random.default_rng(7)
            for _ in range(TRIALS):
                a, b, c = (jax.tree.map(lambda x: like(x, generator), rows) for _ in range(3))
                if not {*primitives(jax.make_jaxpr(function)(a, b).jaxpr)} <= POLYNOMIAL:
                    return False
                ways = function(function(a, b), c), function(a, function(b, c))
                if not all(jax.tree.leaves(jax.tree.map(np.allclose, *ways))):
                    return False
    except Exception:
        return False
    return True


def primitives(jaxpr: Any) -> Iterator[str]:
    """The names of all operations, those within others included."""
    for equation in jaxpr.eqns:
        yield equation.primitive.name
        for inner in equation.params.values():
            if hasattr(inner, "jaxpr"):
                yield from primitives(inner.jaxpr)


def prefixes(
    function: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """What an `associative_scan` gives, by a loop from the first on, or from the last back."""
    rows = jax.tree.map(lambda x: jnp.moveaxis(x, axis, 0), elems)
    if reverse:
        rows = jax.tree.map(lambda x: x[::-1], rows)

    def step(before: Any, now: Any) -> tuple[Any, Any]:
        found = function(before, now)
        return found, found

    first = jax.tree.map(lambda x: x[0], rows)
    _, others = lax.scan(step, first, jax.tree.map(lambda x: x[1:], rows))
    whole = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, others)
    if reverse:
        whole = jax.tree.map(lambda x: x[::-1], whole)
    return jax.tree.map(lambda x: jnp.moveaxis(x, 0, axis), whole)


def counted(usual: Any, lower: Any, upper: Any, body: Any, start: Any, **options: Any) -> Any:
    """A `fori_loop` over a size."""
    if not (is_symbolic(lower) or is_symbolic(upper)) or isinstance(lower, jax.Array):
        return usual(lower, upper, body, start, **options)

    def step(value: Any, index: Any) -> tuple[Any, None]:
        return body(index, value), None

    return lax.scan(step, start, lower + jnp.arange(upper - lower))[0]


@contextmanager
def at_all_sizes() -> Iterator[None]:
    """Code that is read calls these."""
    inner = sys.modules[LOOPS]
    usual = lax.fori_loop, lax.associative_scan
    try:
        if is_own(usual[0]):
            lax.fori_loop = partial(counted, usual[0])
        if is_own(usual[1]):
            inner.associative_scan = lax.associative_scan = scanned  # type: ignore[attr-defined]
        yield
    finally:
        lax.fori_loop = usual[0]
        inner.associative_scan = lax.associative_scan = usual[1]  # type: ignore[attr-defined]


def cumulative(name: str, function: Callable[[Any, Any], Any]) -> None:
    def run(reader: Reader, equation: Any, x: Tensor) -> Any:
        options = {k: equation.params[k] for k in ("reverse", "axis")}
        (given,) = equation.invars
        like = jax.ShapeDtypeStruct(given.aval.shape, given.aval.dtype)
        with enable_x64(True):
            loop = jax.make_jaxpr(partial(prefixes, function, **options))(like)
        return reader.run(loop.jaxpr, loop.consts, [x])

    rule(name)(run)


cumulative("cumprod", lax.mul)
cumulative("cummax", lax.max)
cumulative("cummin", lax.min)
cumulative("cumlogsumexp", jnp.logaddexp)
