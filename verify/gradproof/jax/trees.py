"""Arguments that are dictionaries or lists of arrays, as arguments of one array each. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

from gradproof.jax.calling import names_of
from gradproof.tracing.front import OPTIONS, Front
from gradproof.tracing.likeness import named

Result = TypeVar("Result")
MORE = (*OPTIONS, "values", "cotangent", "of", "place")


def taking_trees(offered: Callable[..., Result]) -> Callable[..., Result]:
    """What an adapter offers, of functions whose arguments may be trees."""

    @wraps(offered)
    def call(function: Any, /, **said: Any) -> Result:
        __tracebackhide__ = True
        inputs = {k: v for k, v in said.items() if k not in MORE}
        options = {k: v for k, v in said.items() if k in MORE and k != "like"}
        if not inputs and isinstance(like := said.get("like"), Mapping | tuple | list):
            trees = named(names_of([function], len(like)), like)
            function, leaves = flat(function, trees)
            front: Front = offered.__self__  # type: ignore[attr-defined]  # a method of one
            found = front.found([function], leaves, {})
            shown = {name: built(name, tree, found.inputs) for name, tree in trees.items()}
            return offered(function, **options, like=replace(found, shown=shown))
        function, leaves = flat(function, inputs)
        return offered(function, **options, **leaves)

    return call


def flat(
    function: Callable[..., Any], inputs: Mapping[str, Any]
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function of the leaves: of params={"w": …, "b": …}, those of params_w and params_b."""
    if not any(isinstance(v, dict | list) for v in inputs.values()):
        return function, dict(inputs)
    leaves = dict(pair for name, value in inputs.items() for pair in parts(name, value))

    def run(*values: Any) -> Any:
        known = dict(zip(leaves, values, strict=True))
        return function(**{k: built(k, v, known) for k, v in inputs.items()})

    run.__name__ = getattr(function, "__name__", type(function).__name__)
    return run, leaves


def parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict | list):
        yield name, value
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from parts(f"{name}_{key}", inner)


def built(name: str, value: Any, known: Mapping[str, Any]) -> Any:
    """The argument, of the values of its leaves."""
    if isinstance(value, dict):
        return {key: built(f"{name}_{key}", inner, known) for key, inner in value.items()}
    if isinstance(value, list):
        return [built(f"{name}_{key}", inner, known) for key, inner in enumerate(value)]
    return known[name]
