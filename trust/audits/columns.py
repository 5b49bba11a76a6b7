"""What is asked of PyTorch's own rules: VJPs, forward mode, second derivatives. Untrusted.

The call is of no hand-written Function, so that forward mode is asked here, as for one that has a
`jvp`. The second order is reverse over reverse; what is mixed is forward over reverse, reverse over
forward and forward over forward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from gradproof.settle.timing import SECONDS, OutOfTime, given_up_after
from gradproof.torch.contract import forward_modes, gradients_of
from gradproof.torch.derived import Derived, pushed, unpushed
from gradproof.torch.running import TorchCode
from gradproof.tracing.contract import Promise, line_of
from gradproof.tracing.declared import Declared
from gradproof.tracing.front import worst
from gradproof.tracing.judging import judged
from gradproof.tracing.pieces import read
from gradproof.tracing.reports import Report
from trust.audits.tables import COLUMNS
from trust.audits.twice import pushed_twice

VJP, FORWARD, SECOND, _ = COLUMNS
LIMIT = 10.0  # seconds of processor time, for each


def found_of(
    column: str, function: Callable[..., Any], said: Mapping[str, Any], requires: Any, limit: int
) -> Report:
    code = TorchCode(function, Declared(said, requires))
    try:
        with given_up_after(LIMIT):
            return asked(code, column, limit)
    except OutOfTime:
        return Report(column, "unknown", "", f"no answer within {LIMIT:g} s of processor time")


def asked(code: TorchCode, column: str, limit: int) -> Report:
    if column == VJP:
        found = judged(code, False, limit)
        return worst(found, (judged(other, False, limit) for _, other in code.others()), "")
    line = line_of(Promise(column, lambda: codes(code, column)), limit, SECONDS, "")
    return line.report if line is not None else Report(column, "none", "", "nothing is asked")


def codes(code: TorchCode, column: str) -> Iterator[TorchCode]:
    if column == FORWARD:
        return (Derived(code, make) for make in (pushed, unpushed))
    shape = read(code)[0].run.traced.output.axes
    if column == SECOND:
        return gradients_of(code, shape, 2)
    return chain(forward_modes(code, shape), [Derived(code, pushed_twice)])
