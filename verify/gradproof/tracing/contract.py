"""What is owed beside the gradient: a line of the report for each, of derived functions. Deciding.

A derived function is a function: a JVP, a batch of examples, a gradient. What is claimed of it is
that some gradient is the derivative of some value, and is settled as that of the user's code is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np

from gradproof.theorems.scopes import narrower
from gradproof.tracing import points
from gradproof.tracing.comparing import Code
from gradproof.tracing.judging import judged
from gradproof.tracing.refuting import confirmation, unstated
from gradproof.tracing.reports import NONE, Line, Reading, Report
from gradproof.tracing.tensors import Unreadable

ORDERS = {2: "second order", 3: "third order"}
TRIALS = 3  # sizes at which what is not asked is tried on numbers
NOT_ASKED = "it was tried on numbers alone; order=2 asks for a proof"


@dataclass(frozen=True)
class Promise:
    """A line: a theorem for each of some functions, which counts if it `decides`.

    One that is only tried is run on numbers, and told where it is refuted or raises.
    """

    name: str
    codes: Callable[[], Iterable[Code]] = tuple
    decides: bool = True
    tried: bool = False
    demanded: bool = False  # so that it counts that there is none
    settled: Callable[[int, float | None], Iterable[Report]] | None = None  # of what is no code


def kept(
    report: Report, promises: Iterable[Promise], limit: int, timeout: float | None, accepts: str
) -> Report:
    """A report with what became of each promise; the first that is not kept and counts decides."""
    start = process_time()
    lines = tuple(filter(None, (line_of(p, limit, timeout, accepts) for p in promises)))
    found = replace(report, contract=lines, seconds=report.seconds + process_time() - start)
    for line in lines:
        if line.decides and line.report.status != "proved":
            status = "unknown" if line.report.status == NONE else line.report.status
            return replace(found, status=status, counterexample=line.report.counterexample)
    return found


def line_of(promise: Promise, limit: int, timeout: float | None, accepts: str) -> Line | None:
    found: Report | None = None
    for report in answers(promise, limit, timeout):
        if promise.tried and report.status == "unknown":
            continue
        narrow = report.status == "proved" and narrower(report.scope, accepts)
        if found is None or report.status != "proved" or narrow:
            found = replace(report, name=promise.name, accepts=accepts)
        if report.status not in ("proved", NONE):
            break
    if found is None:
        return None
    counts = promise.demanded or found.status != NONE
    return Line(found, promise.decides and counts)


def answers(promise: Promise, limit: int, timeout: float | None) -> Iterator[Report]:
    try:
        if promise.settled is not None:
            yield from promise.settled(limit, timeout)
        for code in promise.codes():
            if missing := why_none(code):
                yield Report(promise.name, NONE, "", missing)
            else:
                yield tried(code) if promise.tried else judged(code, rlimit=limit, timeout=timeout)
                for _, other in code.others():
                    yield judged(other, rlimit=limit, timeout=timeout)
    except Unreadable as reason:
        yield Report(promise.name, "unreadable", "", str(reason))


def why_none(code: Code) -> str:
    """Why a derived function cannot be run at all, as where a backward forbids another."""
    generator = np.random.default_rng(3)
    failure = ""
    op = unstated(code)
    for sizes in points.shapes(op)[:TRIALS]:
        values = points.allowed(op, code.declared, sizes, generator).values
        try:
            code.gradients(values, 1.0)
        except Exception as reason:
            words = str(reason).strip().splitlines() or [type(reason).__name__]
            failure = (
                failure or f"at {points.shown(sizes)} it raises {type(reason).__name__}: {words[0]}"
            )
        else:
            return ""
    return failure


def tried(code: Code) -> Report:
    """What the code's own finite differences say at a few small sizes."""
    found, _ = confirmation(code, Reading(unstated(code)), None, TRIALS)
    if found is None:
        return Report(code.name, "unknown")
    return Report(code.name, "refuted", "", NOT_ASKED, (), found)


def numbers_of(code: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    reals = {a.name for a in code.declared.arguments if a.kind in ("real", "constant")}
    return {k: np.asarray(v, dtype=float) if k in reals else v for k, v in values.items()}


def with_arguments(contract: Any, code: Any, line: str, values: Mapping[str, Any]) -> Iterator[Any]:
    """The derived functions of a line that have these arguments."""
    order = next((n for n, name in ORDERS.items() if line.startswith(name)), 1)
    for promise in contract(code, (), order):
        if promise.name == line:
            yield from (c for c in promise.codes() if {*values} == {*names_in(c)})


def names_in(code: Any) -> Iterator[str]:
    return (a.name for a in code.declared.arguments)
