"""What every operation of a function gives, and in which line it stands. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from warnings import catch_warnings, simplefilter

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun
from jax.extend.source_info_util import summarize

from gradproof.jax.sizes import is_users
from gradproof.tracing.arising import Done

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "dot_general": "matmul"}
SIGNS |= {"reduce_sum": "sum", "reduce_max": "max", "add_any": "+", "integer_pow": "**"}


def done(run: Callable[..., Any], options: Any, *given: Any) -> list[Done]:
    """All that is computed, in its order; what is jitted within is taken apart."""
    with jax.disable_jit():
        closed = jax.make_jaxpr(run)(*given)
    made = [(v, equation) for equation in closed.jaxpr.eqns for v in reals(equation)]
    with catch_warnings():
        simplefilter("ignore", DeprecationWarning)  # it wants names of the results
        kept = closed.jaxpr.replace(outvars=[v for v, _ in made], debug_info=None)
    whole = closed.replace(jaxpr=kept)
    flat = jax.tree.leaves(given)
    values = jax.jit(jaxpr_as_fun(whole), compiler_options=options)(*flat)
    places = (place(equation) for _, equation in made)
    return [Done(*p, np.asarray(v, float)) for p, v in zip(places, values, strict=True)]


def reals(equation: Any) -> Iterator[Any]:
    """What is kept of what an equation gives."""
    for variable in equation.outvars:
        is_kept = type(variable).__name__ != "DropVar"
        if is_kept and jnp.issubdtype(variable.aval.dtype, jnp.floating):
            yield variable


def place(equation: Any) -> tuple[str, str, int]:
    name = equation.params.get("name", equation.primitive.name)
    found = re.match(r"(.+?):(\d+)", summarize(equation.source_info))
    file, line = (found[1], int(found[2])) if found and is_users(found[1]) else ("", 0)
    return SIGNS.get(name, str(name)), file, line
