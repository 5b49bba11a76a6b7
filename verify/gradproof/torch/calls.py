"""PyTorch's functions that are read as what they mean, before PyTorch takes them apart. Untrusted.

What a call is read as goes by the functions of `tracing`. What it makes has the shape that PyTorch
gives it, whose conditions on sizes stay; where gradients of the call are asked for, PyTorch's own
steps are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from inspect import signature
from typing import Any

import torch
from torch._C._functorch import peek_interpreter_stack
from torch.autograd import forward_ad
from torch.autograd.function import BackwardCFunction
from torch.backends import opt_einsum
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from gradproof.torch.meanings import MEANINGS
from gradproof.torch.needs import replaced
from gradproof.torch.tracer import Tracer
from gradproof.tracing import contraction
from gradproof.tracing.cellwise import add
from gradproof.tracing.tensors import Tensor

READERS: dict[str, Callable[..., Tensor]] = {}


def call(*names: str) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        READERS.update(dict.fromkeys(names, function))
        return function

    return register


class Calls(TorchFunctionMode):
    """Reads calls of functions that have a reader."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self.tracer = tracer

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = kwargs or {}
        if not self.tracer.is_unread and (meaning := MEANINGS.get(func)) is not None:
            with self:
                found = meaning(*args, **named)
            if found is not NotImplemented:
                return found
        reader = None if self.tracer.is_unread else READERS.get(getattr(func, "__name__", ""))
        if reader is None or not takes(reader, args, named) or is_differentiated(args, named):
            return func(*args, **named)
        with self.tracer.unread():
            result = func(*args, **named)
        given = [self.tracer.lowered(value) for value in args]
        terms = {name: self.tracer.lowered(value) for name, value in named.items()}
        self.tracer.keep(result, reader(self.tracer, *given, **terms))
        return result


@contextmanager
def calls(tracer: Tracer) -> Iterator[None]:
    """Reads the calls of code, and those of the backward, which the engine runs on its own."""
    own = BackwardCFunction.apply
    tracer.calls = partial(Calls, tracer)

    def apply(context: Any, *given: Any) -> Any:
        with Calls(tracer):
            return own(context, *given)

    with (
        opt_einsum.flags(enabled=False),  # which chooses an order by the sizes
        replaced(BackwardCFunction, "apply", apply),
        Calls(tracer),
    ):
        yield


def takes(reader: Callable[..., Tensor], args: Any, named: Any) -> bool:
    """Whether who reads a call knows all that it is told, of which reals are computed."""
    try:
        signature(reader).bind(None, *args, **named)
    except TypeError:
        return False
    return all(x.dtype.is_floating_point for x in tensors_in(args, named))


def is_differentiated(args: Any, named: Any) -> bool:
    """Whether PyTorch keeps more of a call than its value, in a graph, a batch or a tangent."""
    if peek_interpreter_stack() is not None or forward_ad._current_level >= 0:
        return True
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors_in(args, named))


def tensors_in(args: Any, named: Any) -> Iterator[torch.Tensor]:
    return (x for x in tree_leaves((args, named)) if isinstance(x, torch.Tensor))


@call("matmul", "__matmul__", "mm", "bmm", "mv", "dot")
def matmul(tracer: Tracer, a: Tensor, b: Tensor) -> Tensor:
    return contraction.matmul(tracer.names, a, b)


@call("__rmatmul__")
def matmul_of_other(tracer: Tracer, b: Tensor, a: Tensor) -> Tensor:
    return contraction.matmul(tracer.names, a, b)


@call("linear")
def linear(tracer: Tracer, input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    found = contraction.linear(tracer.names, input, weight)
    return found if bias is None else add(tracer, found, bias)


@call("einsum")
def einsum(tracer: Tracer, equation: str, *operands: Any) -> Tensor:
    inputs = operands[0] if isinstance(operands[0], list) else operands
    return contraction.einsum(tracer.names, equation, inputs)
