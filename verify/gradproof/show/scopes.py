"""How far a proof goes, and whether that is short of what "proved" sounds like. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gradproof.settle.verdicts import Verdict
from gradproof.show.wording import counted
from gradproof.theorems.scopes import BOUNDARIES
from gradproof.theorems.statuses import Status

WHOLE = ("all sizes", "every rank")


def limit_of(verdict: Verdict) -> str:
    """The scope of a proof that is not one for all sizes and every rank."""
    if verdict.status != Status.PROVED or verdict.kind in ("satisfiable", "needed"):
        return ""
    scope = verdict.scope
    for points in BOUNDARIES:
        scope = scope.replace(points, "")
    return "" if is_whole(scope) else scope


def is_whole(scope: str) -> bool:
    """Whether nothing is left out but what is required."""
    return scope in WHOLE or (scope.startswith("for all sizes") and ", " not in scope)


@dataclass(frozen=True)
class Caveat:
    """Why a proof says less than it sounds like: of one of three kinds, and in words."""

    kind: str
    text: str


def caveat_of(verdict: Verdict, asked: Mapping[str, Verdict | None]) -> Caveat | None:
    """What a proof rests on that is short of it; `None` in what was asked is not settled."""
    if verdict.status != Status.PROVED:
        return None
    for name in verdict.rests_on:
        ground = asked.get(name)
        if name in asked and (ground is None or ground.status != Status.PROVED):
            return Caveat("empty", f"says nothing while '{name}' is not proved")
    left = sum(name not in asked for name in verdict.rests_on)
    if left:
        return Caveat("open", f"rests on {counted(left, 'theorem')} not asked here")
    for name in verdict.rests_on:
        ground = asked[name]
        limit = limit_of(ground) if ground else ""
        if limit and limit != limit_of(verdict):
            return Caveat("limited", f"rests on '{name}', proved only {limit}")
    return None


def reservations(verdict: Verdict, asked: Mapping[str, Verdict | None]) -> Iterator[str]:
    """What to warn of where a proof is taken for a test that passes."""
    if limit := limit_of(verdict):
        yield f"{verdict.name}: proved, but only {limit}"
    if caveat := caveat_of(verdict, asked):
        yield f"{verdict.name}: proved, but {caveat.text}"
