"""Arrays that keep what every operation on them gave, and in which line. Untrusted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from gradproof.tracing.arising import Done, line_of_user

HOME = os.path.dirname(np.__file__) + os.sep
KEPT: ContextVar[list[Done]] = ContextVar("kept")
SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "add.reduce": "sum"}
SIGNS |= {"maximum.reduce": "max", "minimum.reduce": "min", "multiply.reduce": "prod"}


class Noted(np.ndarray):
    """An array as any other, that keeps what is made of it."""

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **named: Any
    ) -> Any:
        if out is not None:
            named["out"] = tuple(map(plain, out))
        found = getattr(ufunc, method)(
            *map(plain, inputs), **{k: plain(v) for k, v in named.items()}
        )
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        keep(SIGNS.get(name, name), found)
        return out[0] if out is not None else noted(found)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        found = super().__array_function__(function, types, args, kwargs)
        keep(function.__name__, found)
        return noted(found)


def plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Noted) else value


def noted(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(noted, value))
    return np.asarray(value).view(Noted) if isinstance(value, np.ndarray | np.floating) else value


def keep(operation: str, found: Any) -> None:
    if isinstance(found, np.ndarray | np.floating) and np.asarray(found).dtype.kind == "f":
        file, line = line_of_user(lambda name: name.startswith(HOME))
        KEPT.get().append(Done(operation, file, line, np.array(found, dtype=float)))


@contextmanager
def keeping() -> Iterator[list[Done]]:
    found: list[Done] = []
    token = KEPT.set(found)
    try:
        yield found
    finally:
        KEPT.reset(token)
