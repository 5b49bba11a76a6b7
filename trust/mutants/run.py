"""Judges the mutants of ops in several processes. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass
from random import Random
from time import perf_counter
from typing import Any

from gradproof.specs import OPS
from gradproof.theorems.obligations import obligations
from trust.journal import Journal
from trust.mutants import told
from trust.mutants.changed import DROPPED, mutants
from trust.mutants.judge import Kill, judge
from trust.mutants.mutations import MUTATIONS
from trust.mutants.written import WRITTEN
from trust.mutants.written.making import Written
from trust.processes import workers

BY_HAND = "by hand"
NAMES = (*MUTATIONS, DROPPED, BY_HAND)
BATCH = 20


@dataclass(frozen=True)
class Options:
    """`most` of each mutation of each op, drawn by the seed; all if None."""

    most: int | None = None
    seed: int = 0
    thorough: bool = False
    jobs: int = 2


@dataclass(frozen=True)
class Result:
    """A judged mutant as plain data, so that it can pass between processes."""

    op: str
    part: str
    mutation: str
    before: str
    after: str
    outcome: str
    kills: tuple[Kill, ...]
    seconds: float

    @staticmethod
    def read(data: dict[str, Any]) -> Result:
        return Result(**data | {"kills": tuple(Kill(**kill) for kill in data["kills"])})

    def __str__(self) -> str:
        change = f"{self.before}  becomes  {self.after or 'nothing'}"
        why = "; ".join(f"{k.theorem}: {k.status}" for k in self.kills)
        return f"{self.outcome}: {self.op}, {self.part}, {self.mutation}: {change} ({why or '-'})"


Batch = tuple[str, str, int, int]


def batches(names: tuple[str, ...], options: Options) -> Iterator[Batch]:
    """Work for one process: an op, a mutation, and which of its mutants."""
    for op in (op for op in OPS if op.name in names):
        for mutation in NAMES:
            count = len(WRITTEN[op.name] if mutation == BY_HAND else mutants(op, mutation))
            size = BATCH if options.most is None else max(count, 1)
            yield from ((op.name, mutation, start, start + size) for start in range(0, count, size))


def judged(batch: Batch, options: Options) -> list[Result]:
    """The results of a batch; of a sample, as many as were asked for."""
    name, mutation, start, stop = batch
    if mutation == BY_HAND:
        return [result_by_hand(name, m) for m in by_hand(name, options)[start:stop]]
    op = next(op for op in OPS if op.name == name)
    seed = None if options.most is None else options.seed
    own = obligations(op)
    results: list[Result] = []
    for m in mutants(op, mutation, seed)[start:stop]:
        if options.most is not None and len(results) == options.most:
            break
        found = judge(m, own, options.thorough)
        if found.outcome != "refused":
            after = "" if m.after is None else str(m.after)
            texts = (m.part, mutation, str(m.before), after)
            results.append(Result(name, *texts, found.outcome, found.kills, found.seconds))
    return results


def by_hand(name: str, options: Options) -> tuple[Written, ...]:
    """All of an op, or those that the seed draws."""
    if options.most is None:
        return WRITTEN[name]
    drawn = Random(f"{options.seed} {name}").sample(WRITTEN[name], len(WRITTEN[name]))
    return tuple(drawn[: options.most])


def result_by_hand(name: str, mutant: Written) -> Result:
    start = perf_counter()
    against = told.objections(mutant)
    theorems = {th.name: th for th in obligations(mutant.op)}
    named = (theorems[caught.theorem] for caught in mutant.caught)
    kills = tuple(Kill(th.kind, th.name, told.settled(th).status) for th in named)
    texts = ("", BY_HAND, mutant.op.name, "; ".join(against))
    outcome = "survived" if against else "killed"
    return Result(name, *texts, outcome, kills, perf_counter() - start)


def run(
    names: tuple[str, ...], options: Options, journal: Journal | None = None
) -> Iterator[Result]:
    """All results, in no fixed order."""
    return results_of(batches(names, options), options, journal)


def results_of(
    asked: Iterable[Batch], options: Options, journal: Journal | None = None
) -> Iterator[Result]:
    """The results as they come; those that are known first."""
    known = {} if journal is None else dict(journal.known)
    keys = {key_of(batch, options): batch for batch in asked}
    for key in keys.keys() & known.keys():
        yield from map(Result.read, known[key])
    with workers(options.jobs) as pool:
        futures = {
            pool.submit(judged, batch, options): key
            for key, batch in keys.items()
            if key not in known
        }
        for future in as_completed(futures):
            found = future.result()
            if journal is not None:
                journal.add(futures[future], [asdict(result) for result in found])
            yield from found


def key_of(batch: Batch, options: Options) -> str:
    return f"{batch} {options.most} {options.seed} {options.thorough}"
