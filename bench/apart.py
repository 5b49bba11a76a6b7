"""Measures in a process of its own, forked from one that has imported and settled nothing."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

FORK = multiprocessing.get_context("fork")


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """What the work returns; whatever it caches goes with its process."""
    ours, theirs = FORK.Pipe(duplex=False)

    def send() -> None:
        theirs.send(work(*arguments))

    process = FORK.Process(target=send)
    process.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        process.join()
