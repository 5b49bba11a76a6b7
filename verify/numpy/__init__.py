"""Proofs about code of NumPy, or of plain loops: `check(forward, backward, …)`. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradproof.numpy.running import NumpyCode
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
    forward: Any,
    backward: Any,
    /,
    requires: str | Iterable[str] = (),
    on_purpose: bool = False,
    limit: int = RLIMIT,
    **inputs: Any,
) -> Report:
    """Whether a backward gives the derivative of what a forward computes, at all sizes.

    Arguments are those of the forward, by name. The backward takes the gradient of the result, then
    what the forward kept (`return y, cache`) or the forward's inputs and its result (`y`) by name.
    It returns the gradients of the inputs, in their order.
    """
    code = NumpyCode(forward, backward, Declared(inputs, requires))
    return judged(code, code.trace, on_purpose, limit)


def assert_proved(
    forward: Any,
    backward: Any,
    /,
    requires: str | Iterable[str] = (),
    on_purpose: bool = False,
    limit: int = RLIMIT,
    **inputs: Any,
) -> Report:
    """In a test: fails with a counterexample that the code itself confirms."""
    __tracebackhide__ = True
    return require(check(forward, backward, requires, on_purpose, limit, **inputs))


def show(forward: Any, backward: Any, /, requires: str | Iterable[str] = (), **inputs: Any) -> str:
    """The mathematics that was read from code."""
    code = NumpyCode(forward, backward, Declared(inputs, requires))
    found = judged(code, code.trace, proving=False)
    return found.definition or str(found)
