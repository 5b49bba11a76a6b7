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
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from gradproof.jax.reader import Reader, rule
from gradproof.jax.sizes import is_symbolic
from gradproof.tracing.tensors import Tensor

LOOPS = "jax._src.lax.control_flow.loops"


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
        lax.fori_loop = partial(counted, usual[0])
        inner.associative_scan = lax.associative_scan = prefixes  # type: ignore[attr-defined]
        yield
    finally:
        lax.fori_loop = usual[0]
        inner.associative_scan = lax.associative_scan = usual[1]  # type: ignore[attr-defined]


def cumulative(name: str, function: Callable[[Any, Any], Any]) -> None:
    def run(reader: Reader, equation: Any, x: Tensor) -> Any:
        options = {k: equation.params[k] for k in ("reverse", "axis")}
        (given,) = equation.invars
        like = jax.ShapeDtypeStruct(given.aval.shape, given.aval.dtype)
        with jax.enable_x64(True):
            loop = jax.make_jaxpr(partial(prefixes, function, **options))(like)
        return reader.run(loop.jaxpr, loop.consts, [x])

    rule(name)(run)


cumulative("cumprod", lax.mul)
cumulative("cummax", lax.max)
cumulative("cummin", lax.min)
cumulative("cumlogsumexp", jnp.logaddexp)
