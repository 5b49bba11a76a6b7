"""Operators that users register with torch.library, and the kernels that they run. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch
from torch._C import DispatchKey, DispatchKeySet
from torch._library.custom_ops import CustomOpDef, _maybe_get_opdef
from torch._ops import OpOverload, OpOverloadPacket
from torch.utils._python_dispatch import TorchDispatchMode

OWN = ("aten", "prim", "prims")  # PyTorch's
PYTHONS = re.compile(r"^CPU: registered at .*\.py:\d+ \[", re.MULTILINE)


def overload_of(function: Any) -> OpOverload | None:
    """The operator that a function is, if it is one that is not PyTorch's."""
    found = function
    if isinstance(function, CustomOpDef):
        found = function._opoverload
    elif isinstance(function, OpOverloadPacket):
        found = getattr(function, function.overloads()[0])
    return found if isinstance(found, OpOverload) and found.namespace not in OWN else None


def parts_of(function: Any) -> tuple[Any, ...]:
    """The functions of which an operator consists, as users wrote them, the kernel first."""
    op = overload_of(function)
    known = None if op is None else _maybe_get_opdef(op)
    if known is None:
        return (function,)
    found = (known._init_fn, known._setup_context_fn, known._backward_fn)
    return tuple(part for part in found if part is not None)


def backward_of(function: Any) -> Callable[..., Any] | None:
    op = overload_of(function)
    known = None if op is None else _maybe_get_opdef(op)
    return None if known is None else known._backward_fn


def parameters_of(op: OpOverload) -> list[str]:
    return [a.name for a in op._schema.arguments]


def has_own_kernel(op: OpOverload) -> bool:
    """Whether what runs on a CPU is a user's function of Python."""
    return op.namespace not in OWN and bool(
        PYTHONS.search(torch._C._dispatch_dump_table(op.name()))
    )


def has_batches(name: str) -> bool:
    """Whether what an operator does to a batch is registered."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, "FuncTorchBatched")


class Kernels(TorchDispatchMode):
    """Within it kernels run, where tensors without values would be given to what is beside them."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not has_own_kernel(func):
            return func(*args, **(kwargs or {}))
        with self:
            return run(func, args, kwargs or {})


def kernel(tracer: Any, op: OpOverload, args: Any, given: Any) -> Any:
    return run(op, args, given)


def run(op: OpOverload, args: Any, given: Any) -> Any:
    """What the kernel gives, without what is registered beside it."""
    return op.redispatch(DispatchKeySet(DispatchKey.CPU), *args, **given)
