"""The operations of array code that are read, by PyTorch's names. Untrusted.

Each is a function of the tracer, of which it takes new names, and of the arguments, tensors as
`Tensor`s and numbers of the trace as terms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OPS: dict[str, Callable[..., Any]] = {}
WRITING = {"copy_", "fill_", "zero_", "masked_fill_"}  # in place, and known by that name alone


def op(*names: str) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        OPS.update(dict.fromkeys(names, function))
        return function

    return register
