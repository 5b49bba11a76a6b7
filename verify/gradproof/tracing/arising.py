"""The first operation of running code whose result is no number, or has few digits. Untrusted."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradproof.homes import TOOL
from gradproof.tracing.floats import Type
from gradproof.tracing.lines import at

FRAMES = 60  # between a line of the user's and what it calls


@dataclass(frozen=True)
class Done:
    """What one operation gave, and the line of the user's code that asked for it."""

    operation: str
    file: str
    line: int
    value: Any

    def told(self, said: str) -> str:
        return at(self.file, self.line, linecache.getline(self.file, self.line), said)


def line_of_user(is_framework: Callable[[str], bool]) -> tuple[str, int]:
    """Of the code that runs; nothing where there is none of the user's."""
    frame = sys._getframe(1)
    for _ in range(FRAMES):
        file = frame.f_code.co_filename
        if not (file.startswith((str(TOOL) + os.sep, "<")) or is_framework(file)):
            return file, frame.f_lineno
        if frame.f_back is None:
            break
        frame = frame.f_back
    return "", 0


def first(
    done: Sequence[Done], wide: Sequence[Done], kind: Type, is_number: bool
) -> tuple[Done, str] | None:
    """Where a number first has few digits, or else where there first is none, and what it is."""
    pairs = [
        (own, np.ravel(own.value), np.ravel(other.value))
        for own, other in zip(done, wide, strict=False)
        if np.shape(own.value) == np.shape(other.value)
    ]
    tests = (few,) if is_number else (lone, nothing)
    for test in tests:
        for own, value, other in pairs:
            found = np.flatnonzero(test(value, other, kind))
            if found.size and own.line:
                return own, f"{own.operation} gives {value[found[0]]:.6g} here"
    return None


def few(value: Any, other: Any, kind: Type) -> Any:
    """Half of the digits that double precision has are not there."""
    with np.errstate(all="ignore"):
        return np.abs(value - other) > kind.lost * np.abs(other)


def lone(value: Any, other: Any, kind: Type) -> Any:
    """No number, where double precision has one."""
    return ~np.isfinite(value) & np.isfinite(other)


def nothing(value: Any, other: Any, kind: Type) -> Any:
    """No number in either."""
    return np.isnan(value) | (~np.isfinite(value) & ~np.isfinite(other))
