"""Says of a mutant whether a verdict gives it away, and if none does, whether it is one. Untrusted.

A mutant is *killed* if some verdict is not as expected (at ties: not what it is of the op itself),
or if the report on a precondition names shapes that the mutant shuts out; *open* if no such verdict
is more than undecided. It is *equivalent* if it is not killed and the changed part is proved equal
to what it was, and a *convention* if it lets in shapes at which everything is proved, and the op's
own report says so. Anything else *survived*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import Any

from gradproof.language import Op
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import is_pinned
from gradproof.settle.preconditions import needed, satisfiable, witnessed
from gradproof.theorems.obligations import obligations
from gradproof.theorems.scopes import FEW_TURNS
from gradproof.theorems.sequents import Theorem
from trust.mutants.changed import Mutant
from trust.mutants.equivalence import is_equal, is_weaker
from trust.mutants.gaps import is_convention, shuts_out
from trust.mutants.verdict import fails, of_any, of_failing

QUICK = ("in bounds", "defined", "size", "jvp", "vjp", "linear", "ties", "claim")
LIKELY = ("jvp", "vjp", "size", "defined", "ties", "linear", "in bounds", "claim")
OPEN = ("unknown", "unsupported", "error", "narrow")


@dataclass(frozen=True)
class Kill:
    """A theorem whose verdict gives the mutant away; "narrow" is one that is no longer general."""

    kind: str
    theorem: str
    status: str


@dataclass(frozen=True)
class Judgement:
    """`outcome` is killed, open, equivalent, convention, survived, or refused by the language."""

    outcome: str
    kills: tuple[Kill, ...] = ()
    seconds: float = field(default=0.0, compare=False)


def judge(mutant: Mutant, own: tuple[Theorem, ...], thorough: bool = False) -> Judgement:
    """Stops at the first kill; if `thorough`, at the first of each kind that fails early.

    `own` are the theorems of the op as it is.
    """
    start = perf_counter()
    op = mutant.op()
    if op is None:
        return Judgement("refused")
    outcome, kills = judged(mutant, op, own, thorough)
    return Judgement(outcome, kills, perf_counter() - start)


def judged(
    mutant: Mutant, op: Op, own: tuple[Theorem, ...], thorough: bool
) -> tuple[str, tuple[Kill, ...]]:
    known = set(map(content, own))
    changed = [th for th in obligations(op) if content(th) not in known]
    done: set[str] = set()
    kills = enough(of_requires(mutant, op), done, thorough)
    if not done:
        kills += enough(failing(changed, own, done), done, thorough)
    equal = not kills and is_equal(mutant, op)
    if not done:
        # Of what is equal all else holds, if it has a value.
        rest = [th for th in changed if not equal or th.kind in ("defined", "in bounds")]
        kills += enough(unsettled(rest, own, done), done, thorough)
    return outcome_of(mutant, op, kills, equal), kills


def outcome_of(mutant: Mutant, op: Op, kills: tuple[Kill, ...], equal: bool) -> str:
    """What is equal is not killed by a theorem that is left open of it."""
    if kinds_of(kills):
        return "killed"
    if equal:
        return "equivalent"
    if kills:
        return "open"
    allowed = mutant.part == "requires" and is_weaker(mutant, op)
    if allowed and is_convention(mutant.original, mutant.before):
        return "convention"
    return "survived"


def kinds_of(kills: Iterable[Kill]) -> set[str]:
    """The kinds of theorems that killed with an answer."""
    return {kill.kind for kill in kills if kill.status not in OPEN}


def enough(found: Iterator[Kill], done: set[str], thorough: bool) -> tuple[Kill, ...]:
    """The kills up to the first answer, or to the first of each kind; `done` are the kinds."""
    kills = []
    for kill in found:
        kills.append(kill)
        done |= kinds_of([kill])
        if done and not thorough:
            break
    return tuple(kills)


def is_decided(theorem: Theorem, done: set[str]) -> bool:
    """Whether it can tell nothing new: with two kinds, none is alone whatever the claims say."""
    return theorem.kind in done or (theorem.kind == "claim" and len(done) > 1)


def of_requires(mutant: Mutant, op: Op) -> Iterator[Kill]:
    if mutant.part != "requires":
        return
    met = satisfiable(op)
    found = witnessed(met, RLIMIT)
    if found.status != "proved":
        yield Kill(met.kind, met.name, found.status)
    elif mutant.after is not None:
        found = needed(op, mutant.after, obligations(op), RLIMIT)
        if found.status != "proved":
            yield Kill("needed", f"requires {mutant.after}", found.status)
        elif shuts_out(mutant, op, found.note):
            yield Kill("needed", f"requires {mutant.after}", "gap")


def content(theorem: Theorem) -> Any:
    """What its verdict depends on: a theorem that the op itself has is settled already."""
    pinned = None if theorem.refuted is None else tuple(theorem.refuted.items())
    return theorem.kind, theorem.given, theorem.sequents, pinned


def failing(theorems: list[Theorem], own: tuple[Theorem, ...], done: set[str]) -> Iterator[Kill]:
    """Theorems that should be proved and are seen to fail."""
    for theorem in sorted(theorems, key=lambda th: QUICK.index(th.kind)):
        if is_decided(theorem, done) or expectation(theorem, own) != "proved":
            continue
        if fails(theorem):
            yield Kill(theorem.kind, theorem.name, of_failing(theorem))


def unsettled(theorems: list[Theorem], own: tuple[Theorem, ...], done: set[str]) -> Iterator[Kill]:
    """Theorems whose verdict is not the expected one."""
    for theorem in sorted(theorems, key=lambda th: LIKELY.index(th.kind)):
        if is_decided(theorem, done):
            continue
        found = of_any(theorem)
        expected = expectation(theorem, own)
        if found.status != expected or not is_pinned(theorem, found.counterexample):
            yield Kill(theorem.kind, theorem.name, found.status)
        elif FEW_TURNS in found.scope:
            yield Kill(theorem.kind, theorem.name, "narrow")


def expectation(theorem: Theorem, own: tuple[Theorem, ...]) -> str:
    """The status that is expected; at ties, that of the op itself."""
    if theorem.kind != "ties":
        return theorem.expected
    return status_at_ties(next(th for th in own if th.name == theorem.name))


@lru_cache(maxsize=100)
def status_at_ties(theorem: Theorem) -> str:
    return of_any(theorem).status
