"""What code asks of its tensors and sizes beside their values. Untrusted."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from logging import getLogger
from types import BuiltinFunctionType
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.autograd.function import BackwardCFunction, FunctionCtx

from gradproof.torch.tracer import located
from gradproof.tracing.tensors import Unreadable

NAME = "needs_input_grad"
BARE = "set_materialize_grads"  # after which what is no output's cotangent is None
FAKE = "torch._subclasses.fake_tensor"  # whose log is of what code does wrong, which is told


@contextmanager
def watched(seen: list[str], is_own: Callable[[str], bool]) -> Iterator[None]:
    """Notes in a list what code asks, of what needs a gradient; sizes that it writes out are fixed.

    `is_own` says of a file whether its code is not the user's.
    """
    asked = getattr(BackwardCFunction, NAME)
    materialized = FunctionCtx.set_materialize_grads
    needed: Any = torch.Tensor.requires_grad
    data: Any = torch.Tensor.data

    def read(context: Any) -> Any:
        if not is_own(sys._getframe(1).f_code.co_filename):
            seen.append(NAME)
        return asked.__get__(context)

    def needs(tensor: Any) -> Any:
        if not is_own(sys._getframe(1).f_code.co_filename):
            seen.append(NAME)
        return needed.__get__(tensor)

    def bare(context: Any, value: bool) -> None:
        if not value:
            seen.append(BARE)
        materialized(context, value)

    def text(size: Any) -> str:
        is_users = not is_own(sys._getframe(1).f_code.co_filename)
        return str(int(size)) if is_users else str(size.node)

    with ExitStack() as stack:
        stack.enter_context(replaced(BackwardCFunction, NAME, property(read, asked.__set__)))
        stack.enter_context(replaced(FunctionCtx, BARE, bare))
        stack.enter_context(replaced(FakeTensor, "requires_grad", property(needs, needed.__set__)))
        stack.enter_context(replaced(FakeTensor, "data", property(data.__get__, swapped)))
        stack.enter_context(replaced(getLogger(FAKE), "disabled", True))
        if isinstance(theirs := math.sqrt, BuiltinFunctionType):  # not the user's
            stack.enter_context(replaced(math, "sqrt", partial(root, theirs)))
        for name in ("__str__", "__repr__"):
            stack.enter_context(replaced(torch.SymInt, name, text))
        yield


def swapped(tensor: Any, value: Any) -> None:
    raise Unreadable(located("x.data = …, by which a tensor is another one; make a new one"))


def root(own: Callable[[Any], float], number: Any) -> Any:
    """Of a size it is no float yet."""
    is_size = isinstance(number, torch.SymInt | torch.SymFloat)
    return torch.sym_sqrt(number) if is_size else own(number)


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    own = owner.__dict__.get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)
