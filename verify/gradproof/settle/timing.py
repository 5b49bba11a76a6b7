"""How long a theorem may take, in seconds of processor time. Deciding."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECONDS = 15
SOON = 0.001


class OutOfTime(BaseException):
    """A theorem that took more than it may."""


@contextmanager
def given_up_after(seconds: float | None) -> Iterator[None]:
    """Raises `OutOfTime` once this process has worked so much more, as soon as Python runs again.

    In the main thread, which alone is told of timers, and not where less is left by another limit.
    """
    most, is_main = seconds or 0, threading.current_thread() is threading.main_thread()
    left, _ = signal.getitimer(signal.ITIMER_VIRTUAL) if is_main else (0.0, 0.0)
    if not is_main or not most or 0 < left < most:
        yield
        return
    ended = False

    def end(*_: Any) -> None:
        if not ended:
            raise OutOfTime

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        ended = True
        spent = most - signal.setitimer(signal.ITIMER_VIRTUAL, 0)[0]
        signal.signal(signal.SIGVTALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_VIRTUAL, max(left - spent, SOON))


def given_up(seconds: float) -> str:
    return f"given up after {seconds:g} s of processor time; see timeout"
