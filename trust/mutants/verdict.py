"""The verdict on one theorem of a mutant, without the search for the smallest witness. Untrusted.

A theorem that fails at some shape is not `proved` by `check.settled`: there it is `refuted`, or an
`error` if the proof for all sizes goes through. Which of the two is found out here; all other
theorems are settled as in the suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from signal import ITIMER_PROF, SIGPROF, setitimer, signal
from typing import Any, TypeVar

from gradproof.evaluate.bounded import Limit, survey
from gradproof.evaluate.judge import is_transcendental
from gradproof.evaluate.shapes import ascending, box
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import settled
from gradproof.settle.conclusions import Finding
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status

TRIED = 120  # shapes of each of two lists, a quarter of that with intervals
LIMIT = Limit(2 * TRIED, 20_000)
Found = TypeVar("Found")
PATIENCE = 60  # seconds of the processor for one theorem, which is then left open


def fails(theorem: Theorem) -> bool:
    """Exact evaluation shows a failure at a small shape."""
    instance = on_one_axis(theorem)
    slow = any(is_transcendental(s.then) for s in instance.sequents)
    most = TRIED // 4 if slow else TRIED
    shapes = chain(box(instance, most), islice(ascending(instance), most))
    return survey(instance, shapes, False, LIMIT).failure is not None


def on_one_axis(theorem: Theorem) -> Theorem:
    return theorem.at_rank(1) if theorem.is_rank_generic else theorem


def of_failing(theorem: Theorem) -> str:
    """The status of a theorem that is seen to fail: an error where it is proved for all sizes."""
    found = attempt(lambda: prove(on_one_axis(theorem), False, RLIMIT))
    return "error" if found.status in ("proved", "error") else "refuted"


def of_any(theorem: Theorem) -> Finding:
    """Settled; what is not settled on one axis is not asked on more."""
    if theorem.is_rank_generic:
        found = attempt(lambda: settled(theorem, RLIMIT, (1,)))
        if found.status in ("refuted", "unknown"):
            return found
    return attempt(lambda: settled(theorem, RLIMIT))


def attempt(settle: Callable[[], Found]) -> Found | Finding:
    """What it finds; whatever goes wrong is an `error`, as in the suite."""
    try:
        with patience():
            return settle()
    except TimeoutError:
        return Finding(Status.UNKNOWN, note=f"given up after {PATIENCE} s")
    except Exception as failure:
        return Finding(Status.ERROR, note=f"{type(failure).__name__}: {failure}")


@contextmanager
def patience() -> Iterator[None]:
    def give_up(*_: Any) -> None:
        raise TimeoutError

    signal(SIGPROF, give_up)
    setitimer(ITIMER_PROF, PATIENCE, 1)  # again, where it is raised in what ignores it
    try:
        yield
    finally:
        setitimer(ITIMER_PROF, 0)
