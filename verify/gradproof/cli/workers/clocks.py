"""Limits in seconds of processor time, kept by the system's own timers. Untrusted.

What a busy machine does to the clock is no part of them.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

ON_THE_CLOCK = 60  # seconds that a file may take to load, however little of the processor it uses
SOON = 0.001
TIMERS = ((signal.SIGVTALRM, signal.ITIMER_VIRTUAL), (signal.SIGALRM, signal.ITIMER_REAL))


class TooLong(BaseException):
    """A file that does not come to its end."""


def patience(seconds: float) -> float:
    """How long to wait on the clock for a process that ends itself after so much processor time."""
    return 10 * seconds + 60


@contextmanager
def process_ends_after(seconds: float) -> Iterator[None]:
    """SIGPROF ends this process once it has used so much more, also in the midst of a C call."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@contextmanager
def told_after(seconds: float, tell: Callable[[], None]) -> Iterator[None]:
    """Calls `tell` once this process has worked so much more, as soon as Python runs again."""
    signal.signal(signal.SIGVTALRM, lambda *_: tell())
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@contextmanager
def loading_ends_after(seconds: float, on_the_clock: float = ON_THE_CLOCK) -> Iterator[None]:
    """Interrupts what takes more, and what sleeps."""

    def interrupt(number: int, _: Any) -> None:
        busy = number == signal.SIGVTALRM
        said = f"{seconds:g} s of processor time" if busy else f"{on_the_clock:g} s"
        raise TooLong(f"it is still loading after {said}; a definition loads at once")

    before = [signal.signal(number, interrupt) for number, _ in TIMERS]
    limits = (seconds, on_the_clock)
    left = [
        signal.setitimer(timer, most)[0] for (_, timer), most in zip(TIMERS, limits, strict=True)
    ]
    try:
        yield
    finally:
        for (number, timer), handler, most, rest in zip(TIMERS, before, limits, left, strict=True):
            spent = most - signal.setitimer(timer, 0)[0]
            signal.signal(number, handler)
            signal.setitimer(timer, max(rest - spent, SOON) if rest else 0)
