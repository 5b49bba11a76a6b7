"""What is said of a line of the user's code. Untrusted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

WIDEST = 10**6  # columns of a line
Place = tuple[str, tuple[int, int], tuple[int, int]]  # a file; line and column, first and last
CALLS = 8  # between a line of the user's and what answers for a size there


@dataclass
class Answered:
    """Where in some files a reading decided by sizes how code goes on."""

    files: frozenset[str]
    places: set[Place] = field(default_factory=set)


ANSWERED: ContextVar[Answered | None] = ContextVar("answered", default=None)


@contextmanager
def answering(files: frozenset[str]) -> Iterator[Answered]:
    """Keeps the places at which is decided by sizes."""
    found = Answered(files)
    token = ANSWERED.set(found)
    try:
        yield found
    finally:
        ANSWERED.reset(token)


def answered_at(place: Place) -> None:
    """A condition on sizes stands there, and the reading knows under which it went on."""
    if (found := ANSWERED.get()) is not None:
        found.places.add(place)


def answered() -> None:
    """The same of the line of the user's that runs."""
    if (found := ANSWERED.get()) is None:
        return
    frame = sys._getframe(1)
    for _ in range(CALLS):
        if frame.f_code.co_filename in found.files:
            places = frame.f_code.co_positions()
            first, last, start, end = next(islice(places, frame.f_lasti // 2, None))
            ends = (first or 0, start or 0), (last or first or 0, WIDEST if end is None else end)
            found.places.add((frame.f_code.co_filename, *ends))
            return
        if frame.f_back is None:
            return
        frame = frame.f_back


def at(file: str, line: int, text: str | None, said: str) -> str:
    """What is said, with the line, whose file is named from where the user works."""
    return f"{near(file)}:{line}: `{(text or '').strip()}`: {said}"


def near(file: str) -> str:
    """A file below the working directory from there, another as it is."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
