"""The user's function as one of arguments by name, with one output. Untrusted."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from gradproof.tracing.tensors import Unreadable


def one(result: Any) -> Any:
    """The output, of code that has one."""
    found = floating(result)
    if len(found) != 1:
        raise Unreadable(f"code with {len(found)} outputs that are real numbers")
    return found[0]


def floating(result: Any) -> list[Any]:
    return [r for r in jax.tree.leaves(result) if jnp.issubdtype(jnp.result_type(r), jnp.floating)]


def callable_of(function: Any, names: list[str]) -> Callable[[dict[str, Any]], Any]:
    """The code as a function of arguments by name, in the order of its signature."""
    try:
        own = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return lambda given: function(*given.values())
    known = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not set(names) <= set(known):
        return lambda given: function(*given.values())
    missing = [p.name for p in own if p.default is p.empty and p.name not in names]
    if missing:
        said = f"say what {missing[0]} is: a shape, as in {missing[0]}=('N', 'C'), or a value"
        raise TypeError(said)
    defaults = {p.name: p.default for p in own}
    return lambda given: function(*(given.get(k, defaults[k]) for k in known))
