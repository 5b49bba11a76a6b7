"""Verifies ops: every theorem of each, in a fixed order. Deciding."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from time import process_time

from gradproof.language.digits import of_any_length
from gradproof.language.ops import TOO_DEEP, Op
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.asking import recording, tried_last, trying
from gradproof.settle.check import LONGEST_LEFT, labelled, settled
from gradproof.settle.conclusions import RANKS, Finding
from gradproof.settle.preconditions import ASKED, clauses, needed, satisfiable, witnessed
from gradproof.settle.restated import by_definition
from gradproof.settle.second import opinion, seconded
from gradproof.settle.timing import SECONDS, OutOfTime, given_up, given_up_after
from gradproof.settle.verdicts import BY_DEFINITION, Query, Report, Verdict
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status

Task = tuple[Theorem, Callable[[], Finding]]


@of_any_length()
def tasks(
    op: Op,
    rlimit: int = RLIMIT,
    ranks: tuple[int, ...] = RANKS,
    needs: bool = True,
    kinds: Collection[str] | None = None,
) -> tuple[Task, ...]:
    """The theorems of an op, each with what settles it; fewer ranks narrow the scope.

    What is asked comes first, then, with `needs`, what each clause is needed for. Theorems of other
    `kinds` than those named are not even stated.
    """
    if not ranks or min(ranks) < 1:
        raise ValueError(f"ranks {ranks}: name some, each at least 1")
    needs = needs and (kinds is None or "needed" in kinds)
    theorems = obligations(op, kinds and {*kinds, *(ASKED if needs else ())})
    met = satisfiable(op)
    found: list[Task] = [(met, lambda: witnessed(met, rlimit))]
    found += [(theorem, lambda th=theorem: settled(th, rlimit, ranks)) for theorem in theorems]  # type: ignore[misc]  # a default binds the loop's value
    for theorem, clause in zip(clauses(op), op.requires, strict=True) if needs else ():
        found.append((theorem, lambda c=clause: needed(op, c, theorems, rlimit)))  # type: ignore[misc]  # likewise
    return tuple(task for task in found if kinds is None or task[0].kind in kinds)


@of_any_length()
def run(op: Op, task: Task, second: bool = False, timeout: float | None = None) -> Verdict:
    """One theorem, settled; whatever goes wrong is an `error` and never a verdict.

    With `second`, the other solver is asked as well; what takes more than `timeout` seconds of
    processor time is open.
    """
    theorem, settle = task
    start = process_time()
    trying(None)
    with recording() as asked:
        try:
            with given_up_after(timeout):
                finding = settle()
        except OutOfTime:
            last = tried_last()
            left = "" if last is None else str(last)[:LONGEST_LEFT]
            finding = Finding(Status.UNKNOWN, note=given_up(timeout or 0), left=left)
        except Exception as failure:
            finding = broken(failure)
    queries = tuple(Query(text, ANSWERS[status]) for text, status in asked.items())
    seconds = process_time() - start
    try:
        verdict = labelled(op.name, theorem, finding, queries, seconds, op.scope)
        verdict = defined(verdict) if by_definition(theorem) else verdict
    except Exception as failure:
        verdict = labelled(op.name, theorem, broken(failure), queries, seconds, op.scope)
    return beside_second(verdict) if second else verdict


def beside_second(verdict: Verdict) -> Verdict:
    """A verdict with the other solver's answers beside its queries, which must not contradict."""
    found = replace(verdict, queries=seconded(verdict.queries))
    if opinion(found.queries) != "contradicts":
        return found
    return replace(
        found,
        status=Status.ERROR,
        scope="",
        method="",
        counterexample=None,
        note="the two solvers contradict each other",
        left="",
        derivation=(),
        steps=(),
        proofs=(),
    )


def defined(verdict: Verdict) -> Verdict:
    """Told from what is proved: that an expression is itself."""
    note = f"{BY_DEFINITION}: both sides are one expression once the definitions are put in"
    return replace(verdict, note=note) if verdict.status == Status.PROVED else verdict


def broken(failure: Exception) -> Finding:
    if isinstance(failure, RecursionError):
        return Finding(Status.UNSUPPORTED, note=TOO_DEEP)
    return Finding(Status.ERROR, note=f"{type(failure).__name__}: {failure}")


ANSWERS = {Status.PROVED: "unsat", Status.REFUTED: "sat", Status.UNKNOWN: Status.UNKNOWN}


def verdicts(
    op: Op,
    rlimit: int = RLIMIT,
    second: bool = False,
    needs: bool = False,
    timeout: float | None = SECONDS,
) -> Iterator[Verdict]:
    """The verdicts one by one, as they are reached."""
    for task in tasks(op, rlimit, needs=needs):
        yield run(op, task, second, timeout)


def verify(
    op: Op,
    rlimit: int = RLIMIT,
    second: bool = False,
    needs: bool = False,
    timeout: float | None = SECONDS,
) -> Report:
    """Every theorem of an op, settled; with `needs`, also what its clauses are needed for.

    A theorem that takes more than `timeout` seconds of processor time is open; None is no limit.
    """
    return Report(op.name, tuple(verdicts(op, rlimit, second, needs, timeout)))


def verify_all(ops: Iterable[Op], rlimit: int = RLIMIT) -> tuple[Report, ...]:
    return tuple(verify(op, rlimit) for op in ops)
