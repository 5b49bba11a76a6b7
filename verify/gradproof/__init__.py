"""Gradproof: proves the shape formulas, JVPs and VJPs of tensor ops, for every size and rank.

>>> from gradproof.specs import avg_pool
>>> from gradproof import verify
>>> report = verify(avg_pool)
>>> report.status
'proved'
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

# Loaded on first use: SymPy and Z3 take half a second to import.
HOMES = {
    "verify": "gradproof.settle.suite",
    "verify_all": "gradproof.settle.suite",
    "verdicts": "gradproof.settle.suite",
    "forward": "gradproof.evaluate.numeric",
    "jvp": "gradproof.evaluate.numeric",
    "vjp": "gradproof.evaluate.numeric",
}

__all__ = ["__version__", *HOMES]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'gradproof' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
