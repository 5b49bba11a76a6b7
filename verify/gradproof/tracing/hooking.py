"""Python's hook for the lines that run, which code that is followed cannot take away. Deciding."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gradproof.tracing.tensors import Unreadable

set_trace = sys.settrace
TAKEN = "code that calls sys.settrace: which of its lines run is watched so"


@contextmanager
def hooked(call: Callable[..., Any]) -> Iterator[None]:
    """Tells `call` of what runs within, in threads that start there too."""
    before, settrace, of_threads = sys.gettrace(), sys.settrace, threading.gettrace()

    def only(function: Any) -> None:  # a thread that starts asks for what was said
        if function is not call:
            raise Unreadable(TAKEN)
        set_trace(call)

    sys._getframe().f_trace_opcodes = True  # without which Python 3.12 tells of none
    sys.settrace = only
    threading.settrace(call)
    set_trace(call)
    try:
        yield
        if sys.gettrace() is not call:
            raise Unreadable(TAKEN)
    finally:
        set_trace(before)
        sys.settrace = settrace
        threading.settrace(of_threads)


@contextmanager
def unhooked() -> Iterator[None]:
    """Where nothing is told."""
    before = sys.gettrace()
    set_trace(None)
    try:
        yield
    finally:
        set_trace(before)


def file_of(frame: FrameType) -> str:
    """The file of a function; what has none, as what `eval` runs, is of the file that calls it."""
    caller: FrameType | None = frame
    while caller is not None and caller.f_code.co_filename.startswith("<"):
        caller = caller.f_back
    return (caller or frame).f_code.co_filename
