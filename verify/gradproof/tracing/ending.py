"""Code that ends the program while it is checked: then nothing is settled of it. Deciding."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

WAYS_OUT = ("_exit", "execv", "execve")  # which no exception tells; other calls of exec are these


class Ended(BaseException):
    """What code meets that would end this process, by the name of what it called."""


@contextmanager
def no_way_out() -> Iterator[None]:
    """Within, this process does not end; one that is forked from it may."""
    process = os.getpid()

    def refusing(name: str, really: Callable[..., Any]) -> Callable[..., Any]:
        def refused(*arguments: Any) -> Any:
            if os.getpid() != process:
                return really(*arguments)
            raise Ended(f"os.{name}")

        return refused

    before = {name: getattr(os, name) for name in WAYS_OUT}
    for name, really in before.items():
        setattr(os, name, refusing(name, really))
    try:
        yield
    finally:
        for name, really in before.items():
            setattr(os, name, really)


def how(end: BaseException) -> str:
    """In the words of code."""
    if isinstance(end, SystemExit):
        return f"sys.exit({end.code!r})"
    return str(end) if isinstance(end, Ended) else f"{type(end).__name__}: {end}".rstrip(": ")
