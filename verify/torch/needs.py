"""Whether a backward asks which of its inputs need a gradient. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch.autograd.function import BackwardCFunction

NAME = "needs_input_grad"


@contextmanager
def watched(seen: list[str]) -> Iterator[None]:
    """Notes in a list that the context's `needs_input_grad` was read."""
    own = getattr(BackwardCFunction, NAME)

    def read(context: Any) -> Any:
        seen.append(NAME)
        return own.__get__(context)

    setattr(BackwardCFunction, NAME, property(read))
    try:
        yield
    finally:
        delattr(BackwardCFunction, NAME)
