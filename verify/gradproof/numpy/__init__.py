"""Proofs about code of NumPy, or of plain loops: `check(forward, backward, …)`. Untrusted.

Arguments are those of the forward, by name. The backward takes the gradient of the result, then
what the forward kept (`return y, cache`) or the forward's inputs and its result (`y`) by name. It
returns the gradients of the inputs, in their order. `check(loss, …)` is of a function that returns
`loss, gradient`, `check(Layer, …)` of a class or an object with `forward` and `backward`.
"""

from __future__ import annotations

from gradproof.numpy.pairs import names_of
from gradproof.numpy.running import NumpyCode, attempt
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
front = Front(NumpyCode, names_of, attempt)
check, assert_proved = front.check, front.assert_proved
show, replay, proved = front.show, front.replay, front.proved
