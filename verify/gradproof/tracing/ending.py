"""Code that ends the program while it is checked: then nothing is settled of it. Deciding."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("SIGALRM", "SIGPROF", "SIGVTALRM", "SIGUSR1", "SIGUSR2")
ALARMS = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
WAYS_OUT = ("_exit", "execv", "execve")  # which no exception tells; other calls of exec are these


class Ended(BaseException):
    """What code meets that would end this process, by the name of what it called."""


class Interrupted(BaseException):
    """What the program's own handler of a signal raised meanwhile, which no code is to catch."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def alarms() -> Iterator[None]:
    """What handlers of signals raise within is `Interrupted`, and no failure of the code."""
    is_main = threading.current_thread() is threading.main_thread()
    found = {n: signal.getsignal(n) for n in ALARMS} if is_main else {}
    own = {n: passing(h) for n, h in found.items() if callable(h)}
    for number, handler in own.items():
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, handler in own.items():
            if signal.getsignal(number) is handler:
                signal.signal(number, found[number])


def passing(handler: Callable[..., Any]) -> Callable[[int, Any], Any]:
    def passed(number: int, frame: Any) -> Any:
        try:
            return handler(number, frame)
        except BaseException as reason:
            raise Interrupted(reason) from None

    return passed


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
