"""The user's function as one of arguments by name, with one output. Untrusted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from gradproof.jax.precision import enable_x64
from gradproof.tracing.declared import Declared
from gradproof.tracing.likeness import numbered
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


def names_of(functions: Sequence[Any], count: int) -> list[str]:
    """Of the arguments, in their order."""
    try:
        return numbered(inspect.signature(functions[0]).parameters.values(), count)
    except (TypeError, ValueError):
        return [f"x{k + 1}" for k in range(count)]


def attempt(
    functions: Sequence[Any], declared: Declared, values: Mapping[str, Any], backward: bool
) -> None:
    """Code and its gradient, by shapes alone; raises where these do not fit."""
    call = callable_of(functions[0], [a.name for a in declared.arguments])
    with enable_x64(True):
        arrays = {a.name: jnp.asarray(values[a.name]) for a in declared.arguments if a.is_array}
        given = {a.name: arrays.get(a.name, values[a.name]) for a in declared.arguments}

        def gradient(reals: dict[str, Any], rest: dict[str, Any]) -> Any:
            def run(own: dict[str, Any]) -> Any:
                return floating(call({**given, **rest, **own}))

            made, pull = jax.vjp(run, reals) if backward else (run(reals), list)
            return pull(jax.tree.map(jnp.ones_like, made))

        reals = {name: arrays.pop(name) for name in declared.differentiable}
        jax.eval_shape(gradient, reals, arrays)
