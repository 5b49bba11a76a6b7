"""Processor time, medians, and a fixed loop as its unit."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from statistics import median
from time import process_time

RUNS, ENOUGH = 3, 2.0  # of one measurement: at most so many, and none after so many seconds
TURNS = 2_000_000
PACKAGES = ("z3-solver", "sympy", "numpy", "torch")


def unit() -> float:
    """Seconds of a loop of plain Python: runs of different days and machines compare by it."""
    start, total = process_time(), 0
    for turn in range(TURNS):
        total += turn % 7
    return process_time() - start


def repeated(measure: Callable[[], float]) -> tuple[float, int]:
    """The median, and of how many runs."""
    found: list[float] = []
    while len(found) < RUNS and sum(found) < ENOUGH:
        found.append(measure())
    return median(found), len(found)


def units() -> float:
    return median(unit() for _ in range(RUNS))


def system() -> str:
    found = (f"{platform.system()} {platform.machine()}", f"{os.cpu_count()} cores")
    return ", ".join((*found, f"Python {platform.python_version()}"))


def machine() -> str:
    """What the figures depend on, without a name."""
    found = [system()]
    for name in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found.append(f"{name} {metadata.version(name)}")
    return ", ".join(found)
