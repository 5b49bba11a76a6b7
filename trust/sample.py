"""The fixed sample of mutants and of random truth that every change is tried on. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from gradproof.specs import OPS
from trust.mutants.changed import DROPPED
from trust.mutants.run import Batch, Options, Result, batches

SEED = 0
BATCHES = 30  # a mutant of each
# Proofs that a loop is the same, or that a clause is a convention, take a minute each.
LONG = {
    ("max_pool2d", "floor to ceil"),
    ("max_pool2d_pad", "floor to ceil"),
    ("avg_pool2d_pad", DROPPED),
}
CHUNKS = range(6)  # seeds of ten definitions each


def chosen(jobs: int = 2) -> tuple[Options, list[Batch]]:
    """One mutant each of some mutations of some ops: every op and every mutation is among them."""
    options = Options(most=1, seed=SEED, jobs=jobs)
    every = [b for b in batches(tuple(op.name for op in OPS), options) if b[:2] not in LONG]
    Random(SEED).shuffle(every)
    return options, needed_first(every)[:BATCHES]


def needed_first(every: list[Batch]) -> list[Batch]:
    """Those with an op or a mutation that none before them has, then the others."""
    seen: set[str] = set()
    first = []
    for batch in every:
        if not {batch[0], batch[1]} <= seen:
            first.append(batch)
            seen |= {batch[0], batch[1]}
    return first + [batch for batch in every if batch not in first]


def rest_of(results: Iterable[Result]) -> list[Result]:
    """Those that nothing gives away, and those of which a proof and a failure are found at once."""
    return [
        result
        for result in results
        if result.outcome in ("open", "survived") or "error" in {k.status for k in result.kills}
    ]
