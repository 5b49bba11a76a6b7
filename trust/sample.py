"""The fixed sample of mutants, random truth and programs for every change. Untrusted."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from random import Random

from gradproof.specs import OPS
from trust.mutants.changed import DROPPED
from trust.mutants.run import Batch, Options, Result, batches
from trust.programs.draw import FRAMEWORKS
from trust.programs.run import Result as Judged
from trust.programs.run import run

SEED = 0
BATCHES = 30  # a mutant of each
# Proofs that a loop is the same, or that a clause is a convention, take a minute each.
LONG = {
    ("max_pool2d", "floor to ceil"),
    ("max_pool2d_pad", "floor to ceil"),
    ("avg_pool2d_pad", DROPPED),
}
CHUNKS = range(6)  # seeds of ten definitions each
KINKS = (0, 10)  # a seed, and so many definitions
PROGRAMS = {"numpy": range(26, 38), "torch": range(6), "jax": range(2)}


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


def frameworks() -> tuple[str, ...]:
    """Those that are installed; which is not is told, or is an error where it must be."""
    missing = [name for name in FRAMEWORKS if find_spec(name) is None]
    if needed := [n for n in missing if os.environ.get(f"GRADPROOF_REQUIRE_{n.upper()}") == "1"]:
        sys.exit(f"{needed[0]} is not installed; make extras installs it")
    for name in missing:
        print(f"no programs of {name}, which is not installed", file=sys.stderr)
    return tuple(name for name in FRAMEWORKS if name not in missing)


def programs_of(names: Iterable[str], jobs: int) -> Iterator[Judged]:
    """Right programs and wrong ones, the same in every run."""
    for name in names:
        yield from run(name, PROGRAMS[name], SEED, jobs)
