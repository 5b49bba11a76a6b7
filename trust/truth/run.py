"""Draws definitions and compares, in several processes. Untrusted.

The definitions are the same for a seed, whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import count, islice
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from trust.journal import Journal
from trust.processes import apart, workers
from trust.truth.branches import branches
from trust.truth.compare import NO_ANSWER, Result, compared
from trust.truth.draw import Draw
from trust.truth.folded import folded, has_sums
from trust.truth.gathered import gathered
from trust.truth.largest import largest
from trust.truth.means import means
from trust.truth.rules import FAMILIES, rules
from trust.truth.sizes import claims, counts
from trust.truth.systems import KINDS, systems

CHUNK = 25
STEADY = 10  # of more, Hypothesis varies what it drew, by what lies where in memory
PATIENCE = 300  # seconds of the processor for one definition
SHARES = {
    "window": 14,
    "filter": 2,
    "square": 2,
    "sum": 2,
    "plane": 1,
    "means": 3,
    "largest": 2,
    "branches": 3,
    "gathered": 2,
    "integers": 14,
    "sizes": 7,
    **dict.fromkeys(KINDS, 2),
}


def definitions() -> Any:
    families = {name: rules(name) for name in FAMILIES}
    families |= {
        "means": means(),
        "largest": largest(),
        "branches": branches(),
        "gathered": gathered(),
        "integers": claims(),
        "sizes": counts(),
    }
    families |= {name: systems(name) for name in KINDS}
    shares = [name for name, share in SHARES.items() for _ in range(share)]
    return st.sampled_from(shares).flatmap(families.__getitem__).flatmap(written)


def written(draw: Draw) -> Any:
    """As it is; or, one time in four, with its sums as loops."""
    loops = (folded(draw),) if draw.family in FAMILIES and has_sums(draw) else ()
    return st.sampled_from((draw, draw, draw, *loops))


def drawn(number: int, size: int = CHUNK) -> list[Draw]:
    """The distinct definitions among so many that are drawn by a seed."""
    found: dict[str, Draw] = {}

    @seed(number)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(definitions())
    def collect(draw: Draw) -> None:
        found.setdefault(str(draw), draw)

    collect()
    return list(found.values())


def chunk(number: int) -> list[Result]:
    return [answered(draw) for draw in drawn(number)]


def small_chunk(number: int) -> list[Result]:
    return [answered(draw) for draw in drawn(number, STEADY)]


def answered(draw: Draw) -> Result:
    """Compared; where the tool does not come to an end, its answer is none."""
    return apart(lambda: compared(draw), PATIENCE) or compared(draw, NO_ANSWER)


def results_in(numbers: Iterable[int], jobs: int) -> Iterator[Result]:
    """The results of these small chunks, the same in every run, each definition once."""
    seen: set[str] = set()
    with workers(jobs) as pool:
        for results in pool.map(small_chunk, numbers):
            for result in results:
                if result.definition not in seen:
                    seen.add(result.definition)
                    yield result


def chunks(first: int, jobs: int, journal: Journal | None) -> Iterator[list[Result]]:
    """The results of chunk after chunk, in order, without end."""
    numbers = count(first)
    known = {} if journal is None else dict(journal.known)
    with workers(jobs) as pool:

        def asked(number: int) -> Callable[[], list[Result]]:
            if str(number) in known:
                return lambda: [Result.read(found) for found in known[str(number)]]
            later = pool.submit(chunk, number)

            def answer() -> list[Result]:
                found = later.result()
                if journal is not None:
                    journal.add(str(number), [asdict(result) for result in found])
                return found

            return answer

        waiting = [asked(number) for number in islice(numbers, 8 * jobs)]
        while True:
            yield waiting.pop(0)()
            waiting.append(asked(next(numbers)))


def run(
    draws: int, number: int = 0, jobs: int = 2, journal: Journal | None = None
) -> Iterator[Result]:
    """Results on distinct definitions, up to so many whose truth is known."""
    seen: set[str] = set()
    known = 0
    for results in chunks(number * 1_000_000, jobs, journal):
        for result in results:
            if known < draws and result.definition not in seen:
                seen.add(result.definition)
                known += result.truth != "unknown"
                yield result
        if known == draws:
            return
