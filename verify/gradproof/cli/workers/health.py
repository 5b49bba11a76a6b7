"""Whether a worker's answers are the tool's own, and may be kept. Deciding.

A definition's file runs as Python in the worker: one that changed the kernel, or may have, spoils
all answers that follow, of other files too.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from types import ModuleType

import mpmath
import sympy
import z3

from gradproof.cli.workers import keys
from gradproof.cli.workers.origins import Origin

SOLVERS = {"sympy": sympy, "mpmath": mpmath, "z3-solver": z3}


class Health:
    def __init__(self) -> None:
        self.found = ""
        self.megabytes = 0
        self.is_spoilt = False

    def begin(self, megabytes: int) -> None:
        """Once all that settles is imported: the sources are then those of its hash."""
        self.megabytes = megabytes
        is_genuine = all(is_installed_as(name, module) for name, module in SOLVERS.items())
        self.found = keys.tool() if is_genuine else ""

    @property
    def tool(self) -> str:
        """The hash of what answers; nothing where something else may have had a hand in it."""
        return "" if self.is_spoilt or not self.has_room else self.found

    @property
    def has_room(self) -> bool:
        """Whether Z3, which has half of the memory, cannot have met its limit so far."""
        most = most_megabytes()
        return most is not None and most < self.megabytes // 2

    @contextmanager
    def watching(self, origin: Origin) -> Iterator[None]:
        """While a file is loaded, whether or not it can be."""
        try:
            yield
        finally:
            self.is_spoilt = self.is_spoilt or not origin.is_harmless


def most_megabytes() -> float | None:
    """The most memory that this process has had, where that is told."""
    with suppress(OSError):  # Linux: `ru_maxrss` has what the process that started this one had
        status = Path("/proc/self/status").read_text("ascii", "replace")
        if found := re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE):
            return int(found[1]) / 1024
    try:
        import resource
    except ImportError:
        return None
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def is_installed_as(package: str, module: ModuleType) -> bool:
    """Whether the module is the one whose version is known, and no other of its name."""
    try:
        own = metadata.distribution(package).locate_file(f"{module.__name__}/__init__.py")
    except metadata.PackageNotFoundError:
        return False
    return os.path.realpath(str(own)) == os.path.realpath(Path(module.__file__ or ""))
