"""Processes for long runs: those that share the work, and one that can be given up. Untrusted."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from resource import RLIMIT_CPU, setrlimit
from typing import TypeVar

Found = TypeVar("Found")


@contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end without a word, and at once, where nobody waits for them any more."""
    quiet = (signal.SIGINT, signal.SIG_DFL)
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), signal.signal, quiet)
    try:
        yield pool
    finally:
        for process in active_children():
            process.terminate()
        pool.shutdown(cancel_futures=True)


def apart(work: Callable[[], Found], seconds: int) -> Found | None:
    """What is found in a process of its own; nothing if that dies, or its processor time is over.

    Only so can a solver be stopped that looks neither at its limits nor at signals.
    """
    forking = get_context("fork")
    reader, writer = forking.Pipe(duplex=False)
    process = forking.Process(target=send, args=(work, writer, seconds), daemon=True)
    process.start()
    writer.close()
    try:
        found: Found = reader.recv()
        return found
    except EOFError:
        return None
    finally:
        reader.close()
        process.join()


def send(work: Callable[[], Found], writer: Connection, seconds: int) -> None:
    setrlimit(RLIMIT_CPU, (seconds, seconds))
    found = work()
    with suppress(BrokenPipeError):  # nobody waits for it
        writer.send(found)
