"""The user's function as one of arguments by name, with one output. Untrusted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import jax
import jax.numpy as jnp

from gradproof.language import terms as t
from gradproof.tracing.axes import plain
from gradproof.tracing.declared import Argument, Declared
from gradproof.tracing.tensors import Unreadable


def one(result: Any) -> Any:
    """The output, of code that has one."""
    found = floating(result)
    if len(found) != 1:
        raise Unreadable(f"code with {len(found)} outputs that are real numbers")
    return found[0]


def floating(result: Any) -> list[Any]:
    return [r for r in jax.tree.leaves(result) if jnp.issubdtype(jnp.result_type(r), jnp.floating)]


def combined(
    call: Callable[..., Any], declared: Declared, shapes_: Sequence[tuple[t.Term, ...]]
) -> tuple[Callable[..., Any], Declared]:
    """Code with several outputs as the sum of them all, each cell times a constant of its own.

    Its gradient is what the rule gives of these constants: a proof is one for every cotangent.
    """
    taken = {a.name for a in declared.arguments} | set(declared.symbols)
    names = [f"cotangent{number + 1}" for number in range(len(shapes_))]
    if clash := taken.intersection(names):
        raise TypeError(f"an argument is named {clash.pop()}, as a cotangent is; call it otherwise")
    own = [a.name for a in declared.arguments]
    more = copy(declared)
    pairs = zip(names, shapes_, strict=True)
    more.arguments += tuple(Argument(k, "constant", plain(shape)) for k, shape in pairs)

    def run(given: dict[str, Any]) -> Any:
        found = floating(call({k: given[k] for k in own}))
        return sum(jnp.sum(y * given[k]) for k, y in zip(names, found, strict=True))

    return run, more


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
