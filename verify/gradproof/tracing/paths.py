"""Which steps of the user's own code run: as many while it is read as on numbers. Untrusted.

What code can ask of a tensor or a size without a value (its type, its text, what it can do) may be
answered otherwise than when it runs. Then it runs another way at the very sizes at which it is
read, or it does not matter there.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import zip_longest
from types import CodeType, FrameType
from typing import Any

from gradproof.tracing.hooking import file_of, hooked
from gradproof.tracing.lines import at
from gradproof.tracing.tensors import Unreadable

Steps = Mapping[CodeType, list[list[int]]]  # of each call of a function, in their order
NOT_CALLED: list[int] = []
PATHS = sysconfig.get_paths()
INSTALLED = tuple(os.path.join(PATHS[k], "") for k in ("purelib", "platlib"))
LIBRARY = tuple(os.path.join(PATHS[k], "") for k in ("stdlib", "platstdlib"))
OTHERWISE = "this runs otherwise while code is read than on numbers: it asks for a type, or a text"


def home_of(function: Any) -> str:
    """The folder of the code of a function, or of a class of some."""
    members = vars(function).values() if isinstance(function, type) else ()
    for found in (function, *members):
        inner = getattr(found, "__func__", found)
        code = getattr(inner, "__code__", getattr(type(inner).__call__, "__code__", None))
        if isinstance(code, CodeType):
            return os.path.join(os.path.dirname(code.co_filename), "")
    return ""


def of_user(function: Any, is_framework: Callable[[str], bool]) -> Callable[[str], bool]:
    """Whether a file is the user's: beside what is checked, or installed nowhere."""
    home = home_of(function)
    is_installed = bool(home and home.startswith((*INSTALLED, *LIBRARY)))

    def is_users(file: str) -> bool:
        if file.startswith("<") or is_framework(file):
            return False
        is_others = file.startswith((*INSTALLED, *LIBRARY))
        return not is_others or (is_installed and file.startswith(str(home)))

    return is_users


@contextmanager
def followed(
    is_users: Callable[[str], bool], met: Callable[[BaseException], None] = lambda _: None
) -> Iterator[Steps]:
    """The steps that the user's code runs within it; `met` is told what is raised there."""
    steps: dict[CodeType, list[list[int]]] = {}
    mine: dict[str, bool] = {}

    def call(frame: FrameType, event: str, _: Any) -> Any:
        code, file = frame.f_code, file_of(frame)
        known = mine.get(file)
        if known is None:
            known = mine[file] = is_users(file)
        if not known:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        own: list[int] = []
        steps.setdefault(code, []).append(own)

        def step(frame: FrameType, event: str, given: Any) -> Any:
            if event == "opcode":
                own.append(frame.f_lasti)
            elif event == "exception":
                met(given[1].with_traceback(given[2]))
            return step

        return step

    with hooked(call):
        yield steps


def ways_of(code: CodeType, steps: Steps) -> set[tuple[int, ...]]:
    """The ways in which a function was run, however often and in whatever order."""
    return set(map(tuple, steps.get(code, ())))


def require_same_ways(read: Steps, *runs: Steps) -> None:
    """That whatever ran both times ran the same ways, each of which some run has; of what is
    compiled already a run may have none."""
    for code in read.keys() & {code for run in runs for code in run}:
        own = ways_of(code, read)
        others = {way for run in runs for way in ways_of(code, run)}
        for found, known in ((own, others), (others, own)):
            if strange := sorted(found - known):
                require_alike({code: [[*strange[0]]]}, {code: [[*min(known)]]})


def require_alike(read: Steps, run: Steps) -> None:
    """That whatever ran both times ran the same steps, call by call."""
    for code in read.keys() & run.keys():
        for one, other in zip_longest(read[code], run[code], fillvalue=NOT_CALLED):
            if one != other:
                apart = (a for a, b in zip_longest(one, other) if a != b)
                raise Unreadable(told(code, next(apart) or 0))


def told(code: CodeType, step: int) -> str:
    """What is said of a step, with its line."""
    import linecache

    lines = (line for first, last, line in code.co_lines() if first <= step < last and line)
    line = next(lines, code.co_firstlineno)
    return at(code.co_filename, line, linecache.getline(code.co_filename, line), OTHERWISE)
