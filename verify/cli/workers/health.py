"""Whether a worker's answers are the tool's own, and may be kept. Deciding.

A definition's file runs as Python in the worker: one that changed the kernel, or may have, spoils
all answers that follow, of other files too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
        try:
            import resource
        except ImportError:
            return False
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in KB; in bytes on macOS
        return (most >> 10 if sys.platform == "darwin" else most) < self.megabytes << 9

    @contextmanager
    def watching(self, origin: Origin) -> Iterator[None]:
        """While a file is loaded, whether or not it can be."""
        try:
            yield
        finally:
            self.is_spoilt = self.is_spoilt or not origin.is_harmless


def is_installed_as(package: str, module: ModuleType) -> bool:
    """Whether the module is the one whose version is known, and no other of its name."""
    try:
        own = metadata.distribution(package).locate_file(f"{module.__name__}/__init__.py")
    except metadata.PackageNotFoundError:
        return False
    return os.path.realpath(str(own)) == os.path.realpath(Path(module.__file__ or ""))
