"""A theorem beyond the edge of a limited proof: more turns of a loop, more axes. Deciding.

What fails there is false, whatever was proved of fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradproof.evaluate.bounded import Limit, survey
from gradproof.evaluate.replay import Env
from gradproof.evaluate.shapes import REAL_VALUES, admits, ascending, is_small, lowest, symbols_of
from gradproof.language.terms import INT
from gradproof.prove.rules.proofs import Proved
from gradproof.settle.conclusions import RANKS, Finding, Rank, refuted
from gradproof.theorems.sequents import Theorem

TURNS = range(5, 10)
NEXT_RANK = Limit(1, 100)
FURTHER = Limit(40, 2_000)


def beyond(
    theorem: Theorem, instances: Mapping[Rank, Theorem], proofs: Mapping[Rank, Proved]
) -> Finding | None:
    """A refutation beyond what the proofs are of, if one is found."""
    for rank, proof in proofs.items():
        if proof.within:
            found = failing(instances[rank], rank, longer(instances[rank]), FURTHER)
            if found is not None:
                return found
    if theorem.is_rank_generic and tuple(proofs) == RANKS:
        more = RANKS[-1] + 1
        instance = theorem.at_rank(more)
        return failing(instance, more, ascending(instance), NEXT_RANK)
    return None


def failing(instance: Theorem, rank: Rank, shapes: Iterator[Env], most: Limit) -> Finding | None:
    failure = survey(instance, shapes, False, most).failure
    if failure is None:
        return None
    return refuted(instance, rank, failure, symbols_of(instance), False)


def longer(instance: Theorem) -> Iterator[Env]:
    """Shapes with one size, or all of them, at which a loop may take more turns."""
    symbols = symbols_of(instance)
    integers = [s for s in symbols if s.sort == INT]
    least: Env = {s: max(lowest(s, instance.given) or 1, 1) for s in integers}
    reals = {s: REAL_VALUES[0] for s in symbols if s.sort != INT}
    is_admitted = admits(instance.given)
    for turns in TURNS:
        for longest in (*([s] for s in integers), integers):
            env = least | dict.fromkeys(longest, turns) | reals
            if is_admitted(env) and is_small(instance, env):
                yield env
