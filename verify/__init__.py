"""Gradproof: proves the shape formulas, JVPs and VJPs of tensor ops, for every size and rank.

>>> from specs import avg_pool
>>> from verify import verify
>>> report = verify(avg_pool)
>>> report.status
'proved'
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Loaded on first use: SymPy and Z3 take half a second to import.
HOMES = {
    "verify": "verify.suite",
    "verify_all": "verify.suite",
    "verdicts": "verify.suite",
    "forward": "verify.numeric",
    "jvp": "verify.numeric",
    "vjp": "verify.numeric",
}

__all__ = ["__version__", *HOMES]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
