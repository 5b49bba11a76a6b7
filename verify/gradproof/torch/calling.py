"""The user's code as a function of arguments by name, with one output. Untrusted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd import Function

from gradproof.torch import custom
from gradproof.tracing.likeness import numbered
from gradproof.tracing.tensors import Unreadable


class Unsaid(TypeError):
    """An argument of the code that is not said, or that it does not have."""


def one(result: Any) -> torch.Tensor:
    """The output, of code that has one."""
    if isinstance(result, torch.Tensor):
        return result
    differentiable = [
        r for r in result if isinstance(r, torch.Tensor) and r.dtype.is_floating_point
    ]
    if len(differentiable) != 1:
        said = f"code with {len(differentiable)} outputs; check them one by one"
        raise Unreadable(f"{said}, as in lambda x: f(x)[0]")
    return differentiable[0]


def callable_of(function: Any, names: list[str]) -> Callable[[dict[str, Any]], Any]:
    """The code as a function of arguments by name."""
    if custom.overload_of(function) is not None:
        return lambda given: function(**given)
    is_class = isinstance(function, type) and issubclass(function, Function)
    if not is_class:
        if by_name(function, names):
            return lambda given: function(**given)
        return lambda given: function(*given.values())
    order = parameters_of(function)
    return lambda given: function.apply(*positional(order, given))


def parameters_of(function: type[Function]) -> list[inspect.Parameter]:
    """Of the forward, its context aside."""
    own = list(inspect.signature(function.forward).parameters.values())
    return own if function.setup_context is not Function.setup_context else own[1:]


def names_of(functions: Sequence[Any], count: int) -> list[str]:
    """Of the arguments, in their order; `F.apply` has those of F."""
    function = functions[0]
    if (op := custom.overload_of(function)) is not None:
        return custom.parameters_of(op)[:count]
    owner = getattr(function, "__self__", None)
    if getattr(function, "__name__", "") == "apply" and isinstance(owner, type):
        function = owner
    if isinstance(function, type) and issubclass(function, Function):
        return numbered(parameters_of(function), count)
    if isinstance(function, torch.nn.Module):
        function = function.forward
    try:
        return numbered(inspect.signature(function).parameters.values(), count)
    except (TypeError, ValueError):
        return [f"x{k + 1}" for k in range(count)]


def positional(order: list[inspect.Parameter], given: dict[str, Any]) -> list[Any]:
    """The arguments in the order of a signature; those left out have their defaults."""
    if any(p.kind is p.VAR_POSITIONAL for p in order):
        return list(given.values())
    known = {p.name for p in order}
    if unknown := [name for name in given if name not in known]:
        raise Unsaid(f"forward has no argument {unknown[0]}; it has {', '.join(known)}")
    found = []
    for p in order:
        if p.name not in given and p.default is p.empty:
            raise Unsaid(f"say what {p.name} is: a shape, as in {p.name}=('N', 'C'), or a value")
        found.append(given.get(p.name, p.default))
    return found


def by_name(function: Any, names: list[str]) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    known = signature.parameters
    return all(
        name in known and known[name].kind is not inspect.Parameter.POSITIONAL_ONLY
        for name in names
    )
