"""Code that computes in bfloat16 or float16, evaluated in float64, as the reals that it is read as.
Deciding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
from jax import dtypes
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

# Older versions have it elsewhere.
enable_x64: Callable[[bool], AbstractContextManager[None]] = (
    jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
)
CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr"}
CALLS |= {"custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}
CALLS |= {"custom_vjp_call_jaxpr": "fun_jaxpr"}
LOW = 3  # bytes of a number, from below which so few digits are kept that little can be compared


def as_reals(function: Callable[..., Any], dtype: Any, low: set[str]) -> Callable[..., Any]:
    """A function of arrays and of a cotangent of a type, which keeps float64 where it computes in
    less than float32; `low` is told these types."""

    def run(arrays: Mapping[str, Any], seed: Any) -> Any:
        told = jax.ShapeDtypeStruct(seed.shape, dtype)
        closed, shape = jax.make_jaxpr(function, return_shape=True)(arrays, told)
        leaves = [*jax.tree.leaves(arrays), seed]
        low.update(str(d) for d in types_in(closed.jaxpr) if is_low(d))
        if not low:
            leaves[-1] = seed.astype(dtype)
            found = jax.jit(jax.extend.core.jaxpr_as_fun(closed))(*leaves)
        else:
            found = evaluated(closed.jaxpr, closed.consts, leaves)
        return jax.tree.unflatten(jax.tree.structure(shape), found)

    return run


def is_low(dtype: Any) -> bool:
    return bool(jnp.issubdtype(dtype, jnp.floating)) and np.dtype(dtype).itemsize < LOW


def types_in(jaxpr: Jaxpr) -> Iterator[Any]:
    """The types of all numbers that are computed."""
    for equation in jaxpr.eqns:
        yield from (v.aval.dtype for v in equation.outvars if hasattr(v.aval, "dtype"))
        for value in equation.params.values():
            for one in value if isinstance(value, tuple | list) else (value,):
                if isinstance(one, Jaxpr | ClosedJaxpr):
                    yield from types_in(getattr(one, "jaxpr", one))


def evaluated(jaxpr: Jaxpr, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
    """What a jaxpr gives, in float64."""
    known = dict(zip(jaxpr.constvars, map(wide, consts), strict=True))
    known |= zip(jaxpr.invars, args, strict=True)

    def value(atom: Any) -> Any:
        return wide(atom.val) if isinstance(atom, Literal) else known[atom]

    for equation in jaxpr.eqns:
        given, inner = list(map(value, equation.invars)), CALLS.get(equation.primitive.name)
        if inner is None:
            params = {k: widened(v) for k, v in equation.params.items()}
            found = equation.primitive.bind(*given, **params)
        else:
            body = equation.params[inner]
            found = evaluated(getattr(body, "jaxpr", body), getattr(body, "consts", ()), given)
        several = equation.primitive.multiple_results or inner is not None
        known |= zip(equation.outvars, found if several else [found], strict=True)
    return list(map(value, jaxpr.outvars))


def wide(value: Any) -> Any:
    is_real = jnp.issubdtype(jnp.result_type(value), jnp.floating)
    return jnp.asarray(value, widest()) if is_real else value


def widest() -> Any:
    """float64, where it is configured."""
    return dtypes.canonicalize_dtype("float64")


def widened(param: Any) -> Any:
    """What an equation is told, with float64 for other types of real numbers."""
    if isinstance(param, tuple) and any(isinstance(p, ClosedJaxpr) for p in param):
        return tuple(map(widened, param))
    if isinstance(param, Jaxpr | ClosedJaxpr):
        inner, consts = getattr(param, "jaxpr", param), getattr(param, "consts", ())
        shapes = [jax.ShapeDtypeStruct(v.aval.shape, widened(v.aval.dtype)) for v in inner.invars]
        made = jax.make_jaxpr(lambda *args: evaluated(inner, consts, args))(*shapes)
        return made if isinstance(param, ClosedJaxpr) else made.jaxpr
    is_type = isinstance(param, np.dtype) or (isinstance(param, type) and is_number(param))
    return widest() if is_type and jnp.issubdtype(param, jnp.floating) else param


def is_number(kind: type) -> bool:
    return issubclass(kind, np.generic)
