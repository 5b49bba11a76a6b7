"""Settles a theorem: both routes, their agreement, a counterexample that is replayed. Deciding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from gradproof.evaluate.admitting import admitted
from gradproof.evaluate.bounded import MOST_PLACES, Limit, is_exact, places_at, survey
from gradproof.evaluate.points import at_large
from gradproof.evaluate.replay import Env, Failure, arrays_of, met, replayed, satisfies
from gradproof.evaluate.shapes import ascending, box, symbols_of
from gradproof.language import terms as t
from gradproof.language import text as words
from gradproof.language.functions import functions_in, is_opaque
from gradproof.language.substitution import substituted
from gradproof.prove.rules.proofs import Proved
from gradproof.prove.tactics.attempts import Attempt
from gradproof.prove.tactics.proving import prove, prove_part, prove_written_out
from gradproof.settle import stepwise
from gradproof.settle.beyond import beyond
from gradproof.settle.conclusions import (
    RANKS,
    Finding,
    Rank,
    boundary_of,
    proved,
    ranks_named,
    refuted,
)
from gradproof.settle.counterexamples import Counterexample
from gradproof.settle.instances import prove_at
from gradproof.settle.search import at_named_sizes, searched
from gradproof.settle.thin import leaves_out_more
from gradproof.settle.verdicts import Query, Verdict
from gradproof.theorems.composition import leaves_out_steps
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status
from gradproof.theorems.values import declarations

BOX = {None: 20, 1: 40, 2: 8, 3: 1}  # shapes that the second route tries at each rank
BOX_OF_POINTS = {None: 6, 1: 12, 2: 3, 3: 1}  # likewise where it must go point by point
LONGEST_LEFT = 2_000  # characters of a goal that resisted
IN_PLAIN_SIGHT = 12, 400  # the smallest shapes, and values of the tensors at all of them


def labelled(
    op: str,
    theorem: Theorem,
    found: Finding,
    queries: tuple[Query, ...] = (),
    seconds: float = 0.0,
    accepts: str = "",
) -> Verdict:
    texts = (theorem.statement, found.left, *map(str, theorem.given))
    statement, left, *given = words.primed(*texts)
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
        accepts,
        left,
        queries=queries,
        seconds=round(seconds, 4),
        derivation=found.steps,
        proofs=found.proofs,
    )


def is_pinned(theorem: Theorem, found: Counterexample | None) -> bool:
    """Whether the counterexample that is found first, by size, is the one that the claim names."""
    if theorem.refuted is None or found is None:
        return True
    pinned = {s.name: [v] if s.is_bundle else v for s, v in theorem.refuted.items()}
    return all(found.sizes.get(n) in (v, str(v)) for n, v in pinned.items())


def settled(theorem: Theorem, rlimit: int, ranks: tuple[int, ...] = RANKS) -> Finding:
    """Both routes: the first at every rank, or else rank by rank, up to one that refutes it.

    Of several equations, what fails in plain sight is not tried to be proved; nor is a claim that
    fails at the sizes that it names.
    """
    tried: tuple[Rank, ...] = ranks if theorem.is_rank_generic else (None,)
    instances = {r: theorem if r is None else theorem.at_rank(r) for r in tried}
    witness = at_named_sizes(instances[tried[0]])
    plain = witness is not None or (bool(theorem.local) and is_plainly_false(instances[tried[0]]))
    if tried == RANKS and not plain:
        general = proof_at_all_ranks(theorem, rlimit)
        if general is not None:
            return surely(theorem, instances, {None: general}, rlimit)
    proofs: dict[Rank, Proved] = {}
    others: dict[str, Attempt[Proved]] = {}
    excluded = True
    for rank, instance in instances.items():
        outcome = Attempt[Proved]() if plain else proof_at(instance, rlimit)
        if outcome.proof is not None:
            proofs[rank] = outcome.proof
            excluded = excluded and not outcome.proof.within
            continue
        others[outcome.status] = outcome
        found, least = searched(instance, rank, outcome, rlimit, witness)
        if found is not None and found.sequent.limit and any(s.limits for s in instance.sequents):
            surely_false, least = searched(said_of(instance), rank, outcome, rlimit)
            found = found if surely_false is None else surely_false
        excluded = excluded and least
        if found is not None and instance.local and found.sequent.limit:
            continue  # that may not be said of all equations at once, but of each
        if found is not None and is_beyond(instance, found):
            return Finding(Status.UNSUPPORTED, note=f"nothing can be said at {named(found.env)}")
        if found is not None:
            against = refuted(instance, rank, found, symbols_of(instance), excluded)
            if against is not None:
                return against
    if not others:
        return surely(theorem, instances, proofs, rlimit)
    if any(is_opaque(u) for s in theorem.sequents for u in s.terms):
        said = "a function has no value, by which this could be refuted: function(..., value=...)"
        return Finding(Status.UNKNOWN, note=said)
    status = Status.UNSUPPORTED if Status.UNSUPPORTED in others else Status.UNKNOWN
    return left_open(status, others.get(status) or next(iter(others.values())))


def is_beyond(instance: Theorem, found: Failure) -> bool:
    """Whether the statement has nothing to say there: one of its limits is false.

    What exact evaluation finds outside of all limits of a derivative is false, whatever is said.
    """
    if found.sequent.limits is not None:
        return False
    limits = tuple(s for s in instance.sequents if s.limit)
    tried = (replace(found, sequent=s) for s in limits)
    return found.sequent in limits or any(replayed(instance, each) is not None for each in tried)


def left_open(status: Status, outcome: Attempt[Proved]) -> Finding:
    """With the goal that resisted, as far as it can be read."""
    left = "" if outcome.left is None else str(outcome.left)[:LONGEST_LEFT]
    return Finding(status, note=outcome.unsupported or outcome.note, left=left)


def is_plainly_false(instance: Theorem) -> bool:
    """Whether a failure is seen at once, at the smallest shapes."""
    limit = Limit(*IN_PLAIN_SIGHT)
    return survey(said_of(instance), ascending(instance), False, limit).failure is not None


def said_of(theorem: Theorem) -> Theorem:
    """What it says of the op, without how far that goes."""
    return replace(theorem, sequents=tuple(s for s in theorem.sequents if not s.limit))


def proof_at(instance: Theorem, rlimit: int) -> Attempt[Proved]:
    """Equation by equation, or else of all that they say at once."""
    found = prove_at(instance, rlimit)
    if found.proof is not None or not instance.local:
        return found
    whole = prove_written_out(instance, False, rlimit)
    return found if whole.unsupported else whole


def proof_at_all_ranks(theorem: Theorem, rlimit: int) -> Proved | None:
    found = prove(theorem, True, rlimit).proof
    if found is not None or not theorem.local:
        return found
    return prove_written_out(theorem, True, rlimit).proof


def surely(
    theorem: Theorem, instances: dict[Rank, Theorem], proofs: dict[Rank, Proved], rlimit: int
) -> Finding:
    """A proof counts if the second route tried it somewhere and found nothing against it."""
    objection = surveyed(instances, rlimit)
    if objection is None:
        return beyond(theorem, instances, proofs) or proved(theorem, proofs)
    if objection.status == Status.VACUOUS and theorem.is_rank_generic:
        return replace(objection, note=f"{objection.note}, at {ranks_named(tuple(instances))}")
    return objection


def surveyed(instances: dict[Any, Theorem], rlimit: int) -> Finding | None:
    """What the second route has against a proof, if anything: not that one rank has no shapes."""
    most = {r: (BOX if is_exact(th) else BOX_OF_POINTS).get(r, 1) for r, th in instances.items()}
    for ranks in zip(*map(said_apart, instances.values()), strict=True):
        pairs = zip(ranks, most.values(), strict=True)
        found = [objection(part, shapes, rlimit) for part, shapes in pairs]
        against = [f for f in found if f is not None and f.status != Status.VACUOUS]
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
    if not said_of(theorem).sequents:
        return objection_to_steps(theorem, most)
    found = survey(said_of(theorem), box(theorem, most))
    if not found.tried and found.failure is None:
        empty, shapes = inhabited(theorem, rlimit)
        if empty:
            return Finding(Status.VACUOUS, note="the hypotheses contradict each other")
        found = survey(theorem, shapes)
    if found.failure is not None:
        if false := falsely_declared(theorem, rlimit):
            return Finding(Status.UNKNOWN, note=f"it takes as true what is not: '{false.name}'")
        return Finding(Status.ERROR, note=f"proved, yet false at {named(found.failure.env)}")
    if not found.tried:
        return Finding(Status.UNKNOWN, note="no shape and values were found at which to try it")
    silent = found.silent
    if silent is not None and (leaves_out_ties(theorem) or boundary_of(theorem)):
        return Finding(Status.UNKNOWN, note=f"no point off the boundary found at {named(silent)}")
    if not leaves_out_steps(theorem):
        return None
    large = on_boundary_at_large(theorem, most)
    if large is not None:
        said = f"a step compares equals at values that lie anyhow, at {named(large)}"
        return Finding(Status.UNKNOWN, note=said)
    if leaves_out_more(theorem, rlimit):
        return Finding(Status.UNKNOWN, note="a step may compare equals at more than single points")
    return None


def objection_to_steps(theorem: Theorem, most: int) -> Finding | None:
    """Likewise of what is shown of each equation alone."""
    alone = replace(theorem, sequents=theorem.local, local=())
    found = stepwise.tried(theorem, box(alone, most))
    if found.failure is not None:
        return Finding(Status.ERROR, note=f"proved, yet false at {named(found.failure.env)}")
    said = "no shape and values were found at which to try it"
    return None if found.places else Finding(Status.UNKNOWN, note=said)


def falsely_declared(theorem: Theorem, rlimit: int) -> Theorem | None:
    """What is declared of a function that a theorem applies, and is refuted: a fault of its own."""
    said = [u for s in theorem.sequents for u in s.terms]
    wanted = [th for f in functions_in(said) for th in declarations(f)]
    if theorem in wanted:
        return None
    return next((th for th in wanted if settled(th, rlimit).status == Status.REFUTED), None)


def on_boundary_at_large(theorem: Theorem, most: int) -> Env | None:
    """A shape at which a step of a recurrence is on a boundary for values that lie anyhow.

    Of the few points on one nothing is said; were there many, more than a boundary were left out.
    """
    for shape in box(theorem, most):
        for sequent in theorem.sequents:
            places, cells = places_at(sequent, shape, MOST_PLACES)
            if places and {a.name for a in arrays_of(sequent)} <= {name for name, _ in cells}:
                values = tuple(admitted(sequent, shape, at_large(cells)))
                if not all(met(sequent, place, v) for v in values for place in places):
                    return shape
    return None


def named(env: Env) -> str:
    return words.primed(", ".join(f"{s.name} = {v}" for s, v in env.items()))[0]


def leaves_out_ties(theorem: Theorem) -> bool:
    return any(t.mentions(c, t.Unique) for s in theorem.sequents for c in s.when)


def inhabited(theorem: Theorem, rlimit: int) -> tuple[bool, list[Env]]:
    """Whether all hypotheses contradict each other, and shapes at which those of a sequent hold."""
    own = [s for s in theorem.sequents if not s.aside]
    empty, shapes = bool(own), []
    for sequent in own:
        nothing = replace(sequent, when=(*sequent.when, *firsts(sequent.when)), then=t.Or())
        found = prove_part(theorem, nothing, False, rlimit)
        empty = empty and found.status == Status.PROVED
        model = found.model
        shape = {s: model.get(s.name, 1) for s in symbols_of(theorem)}  # 1 has a cell
        if found.status == Status.REFUTED and satisfies(theorem.given, shape):
            shapes.append(shape)
    return empty, shapes


def firsts(conditions: Iterable[t.Term]) -> Iterator[t.Term]:
    """What conditions on all places say of the first one: of values, for want of a better place."""
    for condition in conditions:
        if isinstance(condition, t.ForAll):
            first = {symbol: start for symbol, start, _ in condition.ranges}
            said = t.Or(t.Not(t.And(*t.domain(condition.ranges))), condition.body)
            yield substituted(said, first)
