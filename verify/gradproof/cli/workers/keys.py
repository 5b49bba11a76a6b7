"""What a verdict rests on besides its theorem, as hashes: tool, solvers, files. Deciding.

Nothing heavy is imported here: what is known already is found at once.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from gradproof.homes import SUITE, TOOL

SOLVERS = ("sympy", "mpmath", "z3-solver", "numpy")  # by the last small shapes of graphs are tried
SETTINGS = ("PYTHON", "SYMPY_", "MPMATH_")  # variables that change how Python and SymPy run


def digest(*parts: Any) -> str:
    """Of plain data."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sources(folder: Path) -> str:
    """Every module of a package, by name and content; nothing if there is no text to read."""
    try:
        found = {
            str(p.relative_to(folder)): digest_of(p.read_bytes()) for p in folder.rglob("*.py")
        }
    except OSError:
        return ""
    return digest(found) if "__init__.py" in found else ""


def tool() -> str:
    """What settles: the sources, Python and the solvers, and what changes how they run.

    Nothing where one of them cannot be told.
    """
    settings = sorted(pair for pair in os.environ.items() if pair[0].startswith(SETTINGS))
    python = (*sys.version_info[:2], sys.implementation.name, sys.platform, os.uname().machine)
    own, versions = sources(TOOL), [version(name) for name in SOLVERS]
    return digest(own, python, versions, settings) if own and all(versions) else ""


@cache
def version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def suite() -> str:
    """The definitions that files may import, and their place."""
    own = sources(SUITE)
    return own and digest(str(SUITE), own)


def is_unchanged(files: Mapping[str, str], absent: Iterable[str], times: Mapping[str, int]) -> bool:
    """Whether files have their content, others are still not there, and folders hold the same."""
    try:
        return (
            all(digest_of(Path(path).read_bytes()) == found for path, found in files.items())
            and not any(map(os.path.lexists, absent))
            and all(os.stat(path).st_mtime_ns == found for path, found in times.items())
        )
    except (OSError, ValueError):
        return False
