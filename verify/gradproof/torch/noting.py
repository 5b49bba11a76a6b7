"""What every operation of running code gave, forward and backward, and in which line. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from gradproof.torch.tracer import is_framework
from gradproof.tracing.arising import Done, line_of_user


class Noting(TorchFunctionMode):
    """Keeps results as they are made, and gradients as they come to what the user wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[Done] = []
        self.hooked: dict[Any, None] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        name = named(func)
        if isinstance(found, torch.Tensor) and found.is_floating_point() and name:
            file, line = line_of_user(is_framework)
            self.keep(name, file, line, found)
            node = found.grad_fn
            if node is not None and node not in self.hooked:
                self.hooked[node] = None
                node.register_hook(self.hook(f"the derivative of {name}", file, line))
        return found

    def keep(self, name: str, file: str, line: int, value: Any) -> None:
        with torch.no_grad(), torch._C.DisableTorchFunction():
            self.done.append(Done(name, file, line, value.detach().double().numpy().copy()))

    def hook(self, name: str, file: str, line: int) -> Callable[..., None]:
        def kept(inputs: Any, outputs: Any) -> None:
            for value in inputs:
                if isinstance(value, torch.Tensor):
                    self.keep(name, file, line, value)

        return kept


SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "truediv": "/", "pow": "**", "matmul": "@"}


def named(func: Any) -> str:
    """As users write it; nothing of what computes nothing."""
    name = str(getattr(func, "__name__", "")).strip("_")
    plain = name[1:] if name.startswith("r") and name[1:] in SIGNS else name
    return "" if plain in ("get", "set", "backward", "requires_grad") else SIGNS.get(plain, plain)
