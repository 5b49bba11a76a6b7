"""Proofs about code written for JAX: `check(f, x=("N", "C"))`. Untrusted."""

from __future__ import annotations

try:
    import jax as _jax  # noqa: F401
except ImportError as missing:
    raise ModuleNotFoundError(
        "gradproof.jax needs JAX: pip install 'gradproof[jax]'", name="jax"
    ) from missing

from gradproof.jax.calling import attempt, names_of
from gradproof.jax.contract import promised
from gradproof.jax.running import JaxCode
from gradproof.jax.trees import taking_trees
from gradproof.tracing.declared import boolean, constant, given, integer, real, size
from gradproof.tracing.front import Front
from gradproof.tracing.reports import Report

__all__ = [
    "Report",
    "assert_proved",
    "boolean",
    "check",
    "constant",
    "given",
    "integer",
    "proved",
    "real",
    "replay",
    "show",
    "size",
]
front = Front(JaxCode, names_of, attempt, promised)
check, assert_proved = taking_trees(front.check), taking_trees(front.assert_proved)
show, replay = taking_trees(front.show), taking_trees(front.replay)
proved = front.proved
