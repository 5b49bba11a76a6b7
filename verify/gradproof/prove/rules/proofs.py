"""Proofs as values: what holds, and by which rule. Trusted.

Only rules make them. A tactic chooses among rules and combines what they give, so a mistake in one
loses proofs and makes none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import InitVar, dataclass
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from gradproof.language.terms import Term, Terms
from gradproof.theorems.composition import expanded
from gradproof.theorems.sequents import Sequent, Theorem

SEAL = object()  # known to the rules alone, as a test checks

Steps = tuple[tuple[str, Any], ...]  # what a reader sees: a reason, and a term or two sides


class Forged(TypeError):
    """A proof that no rule made."""


@dataclass(frozen=True)
class Application:
    """A rule, what it was given, and which part of what it gave is meant, if it gave several."""

    rule: str
    given: tuple[Any, ...]
    part: int | None = None


class Made:
    """What only rules make; `made` says by which and of what, so that it can be made again."""

    made: Application | None = None

    def __post_init__(self, seal: object) -> None:
        if seal is not SEAL:
            raise Forged(f"a proof, or a part of one, that no rule made: {type(self).__name__}")


P = ParamSpec("P")
R = TypeVar("R")


def rule(function: Callable[P, R]) -> Callable[P, R]:
    """A rule of which what it makes says that it did."""
    parameters = signature(function)

    @wraps(function)
    def applied(*args: P.args, **named: P.kwargs) -> R:
        found = function(*args, **named)
        given = parameters.bind(*args, **named).args
        parts = enumerate(found) if isinstance(found, tuple) else [(None, found)]
        for number, part in parts:
            if isinstance(part, Made):
                made = Application(function.__name__, given, number)
                object.__setattr__(part, "made", made)
        return found

    return applied


@dataclass(frozen=True)
class Holds(Made):
    """Wherever all of `given` hold, so does `goal`: for all sizes, indices and tensors.

    If it is `generic`, bundles stand in it, and it says so at every rank.
    """

    seal: InitVar[object]
    given: Terms
    goal: Term
    rule: str
    generic: bool = False
    steps: Steps = ()
    premises: tuple[Holds, ...] = ()

    def shows(self, given: Iterable[Term], goal: Term) -> bool:
        return bool(self.goal == goal) and set(self.given) <= set(given)


# What looks for a proof that a rule needs as its premise.
Seek = Callable[[Terms, Term], Holds | None]


@dataclass(frozen=True)
class Proved(Made):
    """A theorem, sequent by sequent; at every rank if `generic`.

    `within` says how far it goes where that is not all sizes.
    """

    seal: InitVar[object]
    theorem: Theorem
    generic: bool
    premises: tuple[Holds, ...]
    within: str = ""

    @property
    def rule(self) -> str:
        return ", ".join(dict.fromkeys(r for p in self.premises for r in p.rule.split(", ")))

    @property
    def steps(self) -> Steps:
        return tuple(dict.fromkeys(step for p in self.premises for step in p.steps))


@rule
def all_sequents(theorem: Theorem, premises: Iterable[Holds]) -> Proved | None:
    """A theorem is proved if it has sequents and each is; at every rank, if each is there."""
    return by_all(theorem, map(expanded, theorem.sequents), tuple(premises))


@rule
def step_by_step(theorem: Theorem, premises: Iterable[Holds]) -> Proved | None:
    """By its local sequents, where values may be what the equations say."""
    return by_all(theorem, theorem.local, tuple(premises)) if theorem.sequents else None


def by_all(
    theorem: Theorem, wanted: Iterable[Sequent | None], proofs: tuple[Holds, ...]
) -> Proved | None:
    sequents = tuple(wanted)
    if not sequents or len(proofs) != len(sequents):
        return None
    for sequent, proof in zip(sequents, proofs, strict=True):
        if sequent is None or type(proof) is not Holds:
            return None
        given = (*theorem.given, *sequent.hypotheses, *sequent.definitions)
        if not proof.shows(given, sequent.then):
            return None
    generic = all(proof.generic for proof in proofs)
    if theorem.is_rank_generic and not generic:
        return None
    return Proved(SEAL, theorem, generic, proofs)
