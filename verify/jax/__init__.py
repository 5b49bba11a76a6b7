"""Proofs about code written for JAX: `check(f, x=("N", "C"))`. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

try:
    import jax as _jax  # noqa: F401
except ImportError as missing:
    raise ImportError("gradproof.jax needs JAX: pip install 'gradproof[jax]'") from missing

from gradproof.jax.running import JaxCode
from gradproof.prove.rules.smt import RLIMIT
from gradproof.tracing.declared import Declared, boolean, constant, given, integer, real, size
from gradproof.tracing.judging import judged, require
from gradproof.tracing.reports import Report

__all__ = [
    "Report",
    "assert_proved",
    "boolean",
    "check",
    "constant",
    "given",
    "integer",
    "real",
    "show",
    "size",
]


def check(
    function: Any,
    /,
    requires: str | Iterable[str] = (),
    on_purpose: bool = False,
    limit: int = RLIMIT,
    **inputs: Any,
) -> Report:
    """Whether the gradient that code gives is the derivative of what it computes, at all sizes.

    Arguments are named as the code names them: a shape of sizes, or what the functions of this
    module say.
    """
    code = JaxCode(function, Declared(inputs, requires))
    return judged(code, code.trace, on_purpose, limit)


def assert_proved(
    function: Any,
    /,
    requires: str | Iterable[str] = (),
    on_purpose: bool = False,
    limit: int = RLIMIT,
    **inputs: Any,
) -> Report:
    """In a test: fails with a counterexample that the code itself confirms."""
    __tracebackhide__ = True
    return require(check(function, requires, on_purpose, limit, **inputs))


def show(function: Any, /, requires: str | Iterable[str] = (), **inputs: Any) -> str:
    """The mathematics that was read from code."""
    code = JaxCode(function, Declared(inputs, requires))
    found = judged(code, code.trace, proving=False)
    return found.definition or str(found)
