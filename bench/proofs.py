"""What the theorems of an op cost, each time in a process that has settled nothing before."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any

from bench.apart import apart
from bench.clock import ENOUGH, RUNS
from gradproof import specs
from gradproof.language import Op
from gradproof.settle.suite import run, tasks

DERIVATIVES = ("jvp", "vjp")


@dataclass(frozen=True)
class Proofs:
    """Seconds of all, from stating the theorems on; the slowest of them; of how many runs."""

    seconds: float
    theorems: int
    slowest: str
    slowest_seconds: float
    as_expected: bool
    runs: int


def settled(op: Op, kinds: tuple[str, ...], names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Settles theorems of an op: those of some kinds, or of some names, or all."""
    start = process_time()
    each: dict[str, float] = {}
    statuses: dict[str, str] = {}
    right = True
    for theorem, settle in tasks(op, kinds=kinds or None):
        if names and theorem.name not in names:
            continue
        before = process_time()
        verdict = run(op, (theorem, settle))
        each[theorem.name] = process_time() - before
        statuses[theorem.name] = verdict.status
        right = right and verdict.as_expected
    return {
        "seconds": process_time() - start,
        "each": each,
        "statuses": statuses,
        "as_expected": right,
    }


def measured(op: Op, kinds: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> Proofs:
    found: list[dict[str, Any]] = []
    while len(found) < RUNS and sum(one["seconds"] for one in found) < ENOUGH:
        found.append(apart(settled, op, kinds, names))
    each = {name: median(one["each"][name] for one in found) for name in found[0]["each"]}
    slowest = max(each, key=lambda name: each[name])
    return Proofs(
        median(one["seconds"] for one in found),
        len(each),
        slowest,
        each[slowest],
        all(one["as_expected"] for one in found),
        len(found),
    )


def suite_seconds() -> float:
    """All theorems of all ops, one after the other in one process."""
    return float(apart(lambda: sum(settled(op, ())["seconds"] for op in specs.OPS)))
