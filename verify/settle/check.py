"""Settles a theorem: both routes, their agreement, a counterexample that is replayed. Trusted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gradproof.evaluate.bounded import box, is_exact, survey, symbols_of
from gradproof.evaluate.replay import Env, replayed, satisfies
from gradproof.language import terms as t
from gradproof.language import text as words
from gradproof.prove.rules.derive import branches_of
from gradproof.prove.tactics import unrolling
from gradproof.prove.tactics.proving import prove, prove_sequent
from gradproof.prove.tactics.symbolic import Outcome
from gradproof.settle.instances import WRITTEN_OUT, prove_at
from gradproof.settle.search import searched
from gradproof.settle.verdicts import Counterexample, Query, Verdict, counterexample
from gradproof.theorems.sequents import Theorem

RANKS = (1, 2, 3)
ALL_SIZES, UP_TO_3 = "all sizes", "ranks 1 to 3"
BOX = {None: 20, 1: 40, 2: 8, 3: 1}  # shapes that the second route tries at each rank
BOX_OF_POINTS = {None: 6, 1: 12, 2: 3, 3: 1}  # likewise where it must go point by point


@dataclass(frozen=True)
class Finding:
    """A verdict without the theorem's name on it."""

    status: str
    scope: str = ""
    method: str = ""
    counterexample: Counterexample | None = None
    note: str = ""
    steps: tuple[tuple[str, Any], ...] = ()


def labelled(
    op: str,
    theorem: Theorem,
    found: Finding,
    queries: tuple[Query, ...] = (),
    seconds: float = 0.0,
) -> Verdict:
    statement, *given = words.primed(theorem.statement, *map(str, theorem.given))
    return Verdict(
        op,
        theorem.name,
        theorem.kind,
        statement,
        tuple(given),
        theorem.expected,
        found.status,
        found.scope,
        found.method,
        found.counterexample,
        found.note,
        is_pinned(theorem, found.counterexample),
        theorem.equation,
        theorem.rests_on,
        queries=queries,
        seconds=round(seconds, 4),
        derivation=found.steps,
    )


def is_pinned(theorem: Theorem, found: Counterexample | None) -> bool:
    """Whether the counterexample that is found first, by size, is the one that the claim names."""
    if theorem.refuted is None or found is None:
        return True
    pinned = {s.name: [v] if s.is_bundle else v for s, v in theorem.refuted.items()}
    return all(found.sizes.get(n) in (v, str(v)) for n, v in pinned.items())


def settled(theorem: Theorem, rlimit: int, ranks: tuple[int, ...] = RANKS) -> Finding:
    """Both routes: the first at every rank, or else rank by rank, up to one that refutes it."""
    tried: tuple[int | None, ...] = ranks if theorem.is_rank_generic else (None,)
    instances = {r: theorem if r is None else theorem.at_rank(r) for r in tried}
    outcomes: dict[Any, Outcome] = {}
    excluded = True
    if tried == RANKS:
        general = prove(theorem, True, rlimit)
        if general.status == "proved":
            return proved(theorem, instances, general, "every rank", rlimit)
    for rank, instance in instances.items():
        outcomes[rank] = outcome = prove_at(instance, rlimit)
        excluded = excluded and outcome.method != WRITTEN_OUT
        if outcome.status != "proved":
            found, least = searched(instance, rank, outcome, rlimit)
            excluded = excluded and least
            failure = None if found is None else replayed(instance, found)
            if failure is not None:
                example = counterexample(failure, rank, symbols_of(instance), excluded)
                return Finding("refuted", "", "exact evaluation", example)
    if all(o.status == "proved" for o in outcomes.values()):
        shown = next((o for o in outcomes.values() if o.method == WRITTEN_OUT), outcomes[tried[0]])
        return proved(theorem, instances, shown, scope_of(theorem, tried), rlimit)
    statuses = {o.status: o.method for o in outcomes.values() if o.status != "proved"}
    if "unsupported" in statuses:
        return Finding("unsupported", note=statuses["unsupported"])
    return Finding("unknown", note=next(iter(statuses.values())))


def proved(
    theorem: Theorem, instances: dict[Any, Theorem], found: Outcome, scope: str, rlimit: int
) -> Finding:
    """A proof counts if the second route tried it somewhere and found nothing against it."""
    objection = surveyed(instances, rlimit)
    if objection is not None and objection.status == "vacuous" and theorem.is_rank_generic:
        where = scope_of(theorem, tuple(instances))
        return replace(objection, note=f"{objection.note}, at {where}")
    if objection is not None:
        return objection
    if found.method == WRITTEN_OUT:
        scope = unrolling.SCOPE if scope == ALL_SIZES else f"{scope}, {unrolling.SCOPE}"
    return Finding("proved", scope + boundary_of(theorem), found.method, steps=found.steps)


def scope_of(theorem: Theorem, ranks: tuple[Any, ...]) -> str:
    if not theorem.is_rank_generic:
        return ALL_SIZES
    return UP_TO_3 if ranks == RANKS else f"rank {', '.join(map(str, ranks))}"


def surveyed(instances: dict[Any, Theorem], rlimit: int) -> Finding | None:
    """What the second route has against a proof, if anything: not that one rank has no shapes."""
    most = {r: (BOX if is_exact(th) else BOX_OF_POINTS).get(r, 1) for r, th in instances.items()}
    for ranks in zip(*map(said_apart, instances.values()), strict=True):
        pairs = zip(ranks, most.values(), strict=True)
        found = [objection(part, shapes, rlimit) for part, shapes in pairs]
        against = [f for f in found if f is not None and f.status != "vacuous"]
        if against or all(found):
            return (against or found)[0]
    return None


def said_apart(theorem: Theorem) -> tuple[Theorem, ...]:
    """A claim, part by part, each with what asks that it has a value."""
    own, aside = ([s for s in theorem.sequents if s.aside == other] for other in (False, True))
    if theorem.kind != "claim" or not own:
        return (theorem,)
    return tuple(replace(theorem, sequents=(s, *aside)) for s in own)


def objection(theorem: Theorem, most: int, rlimit: int) -> Finding | None:
    """A failure, or that there is nothing to try: what is tried nowhere is not proved."""
    found = survey(theorem, box(theorem, most))
    if not found.tried and found.failure is None:
        empty, shapes = inhabited(theorem, rlimit)
        if empty:
            return Finding("vacuous", note="the hypotheses contradict each other")
        found = survey(theorem, shapes)
    if found.failure is not None:
        return Finding("error", note=f"proved, yet false at {named(found.failure.env)}")
    if not found.tried:
        return Finding("unknown", note="no shape and values were found at which to try it")
    if found.silent is not None and (leaves_out_ties(theorem) or boundary_of(theorem)):
        return Finding("unknown", note=f"no point off the boundary found at {named(found.silent)}")
    return None


def named(env: Env) -> str:
    return words.primed(", ".join(f"{s.name} = {v}" for s, v in env.items()))[0]


def leaves_out_ties(theorem: Theorem) -> bool:
    return any(t.mentions(c, t.Unique) for s in theorem.sequents for c in s.tried)


def boundary_of(*theorems: Theorem) -> str:
    """Where a derivative was taken through a branch, the points that the theorems leave out."""
    said = (c for th in theorems for s in th.sequents for c in (*s.tried, s.then))
    slopes = [u for c in said for u in t.walk(c) if isinstance(u, t.Slope)]
    branches = [u for slope in slopes for u in branches_of(slope.args[0], slope.args[1].array)]
    windows = [u for u in branches if isinstance(u, t.Maximum)]
    unique = ", where the winner is unique" if windows else ""
    return unique + (", off the boundary" if len(windows) < len(branches) else "")


def inhabited(theorem: Theorem, rlimit: int) -> tuple[bool, list[Env]]:
    """Whether all hypotheses contradict each other, and shapes at which those of a sequent hold."""
    own = [s for s in theorem.sequents if not s.aside]
    empty, shapes = bool(own), []
    for sequent in own:
        found = prove_sequent(theorem, replace(sequent, then=t.Or()), False, rlimit)
        empty = empty and found.status == "proved"
        model = found.model
        shape = {s: model.get(s.name, 1) for s in symbols_of(theorem)}  # 1 has a cell
        if found.status == "refuted" and satisfies(theorem.given, shape):
            shapes.append(shape)
    return empty, shapes
