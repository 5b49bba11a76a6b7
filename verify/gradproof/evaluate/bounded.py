"""The second route: theorems at concrete shapes, by expansion and exact arithmetic. Untrusted.

It objects to proofs and proposes refutations, which are replayed. At one shape an equality of
tensors is an identity of polynomials in their cells, differentiated plainly; where it is none
(branches, `exp`), it is tried at fixed points with jets. Nothing here knows of brackets or
of their elimination.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product
from random import Random

from gradproof.evaluate.compiled import Evaluator, loops
from gradproof.evaluate.identities import Polynomials, is_polynomial
from gradproof.evaluate.numbers import RATIONALS, Undecided, Undefined
from gradproof.evaluate.points import at_thresholds
from gradproof.evaluate.replay import Cell, Env, Failure
from gradproof.evaluate.shapes import MOST_GENERATORS, NO_CELLS, cells_at, is_small
from gradproof.evaluate.trials import Survey, at_points, first_failure, lessened, most_of, plan_of
from gradproof.language import terms as t
from gradproof.language.terms import INT
from gradproof.theorems.sequents import Sequent, Theorem

THRESHOLDS = 1000  # points near those at which branches meet
MOST_PLACES, TOO_MANY_PLACES = 150, 1_000_000


@dataclass(frozen=True)
class Limit:
    """How far a search goes: shapes that have a place to try, and trials at all of them."""

    shapes: int
    trials: int

    def after(self, found: Survey) -> Limit:
        """What is left of it."""
        return Limit(self.shapes - found.seen, self.trials - found.trials)


def survey(
    theorem: Theorem, shapes: Iterable[Env], thorough: bool = False, limit: Limit | None = None
) -> Survey:
    """Tries a theorem without bundles at each shape, up to the first failure or the limit.

    Where it must go point by point, `thorough` tries small whole numbers in all combinations.
    """
    seen = tried = trials = 0
    silent = None
    for env in shapes if limit is None or min(limit.shapes, limit.trials) > 0 else ():
        here = 0
        for sequent in theorem.sequents:
            found = at_shape(sequent, env, thorough)
            tried += 0 if sequent.aside else found.tried
            here += found.trials
            silent = found.silent if silent is None else silent
            if found.failure is not None:
                return Survey(tried, found.failure, trials + here, silent, seen)
        seen, trials = seen + bool(here), trials + here
        if limit is not None and (seen >= limit.shapes or trials >= limit.trials):
            break
    return Survey(tried, None, trials, silent, seen)


def at_shape(sequent: Sequent, env: Env, thorough: bool = False) -> Survey:
    """All places of a sequent at one shape; of several failures, the one with the least values."""
    places, cells = places_at(sequent, env, None if thorough else MOST_PLACES)
    return at_places(sequent, places, cells, thorough)


def places_at(sequent: Sequent, env: Env, most: int | None) -> tuple[list[Env], Collection[Cell]]:
    """The places of a sequent at one shape and the cells of its arrays; none if it has no shape."""
    cells = cells_at(sequent, env)
    if cells is None:
        return [], NO_CELLS
    try:
        return spaced(sequent, env, most), cells
    except (Undefined, Undecided, KeyError):  # a range without ends, or whose ends read tensors
        return [], NO_CELLS


def near_thresholds(theorem: Theorem, shapes: Iterable[Env]) -> Failure | None:
    """A failure for values near those at which branches meet."""
    for env in shapes:
        for sequent in (s for s in theorem.sequents if not is_polynomial(s)):
            places, cells = places_at(sequent, env, MOST_PLACES)
            candidates = islice(at_thresholds(sequent, cells), most_of(sequent, THRESHOLDS))
            failure = first_failure(sequent, places, candidates).failure
            if failure is not None:
                return lessened(failure, cells)
    return None


def at_places(
    sequent: Sequent, places: list[Env], cells: Collection[Cell], thorough: bool = False
) -> Survey:
    """Tries the places as identities of polynomials; those that are none, point by point."""
    if not is_polynomial(sequent) or len(cells) > MOST_GENERATORS:
        return at_points(sequent, places, cells, thorough)
    trial = Polynomials(sequent)
    tried = 0
    failures, left = [], []
    for place in places:
        try:
            failure = trial.fails(place)
        except Undefined:
            continue
        except Undecided:
            left.append(place)
            continue
        tried += 1
        failures += [failure] if failure is not None else []
    if failures or not left:
        return Survey(tried, min(failures, key=weight, default=None), len(places))
    found = at_points(sequent, left, cells, thorough)
    return replace(found, tried=tried + found.tried, trials=len(places) + found.trials)


def spaced(sequent: Sequent, env: Env, most: int | None) -> list[Env]:
    """The places of a sequent; of more than `most`, so many that differ."""
    ev, plan = Evaluator(RATIONALS, {}), plan_of(sequent)
    if plan.grid is None:
        places = [dict(p) for p in islice(loops(sequent.over)(ev, env), TOO_MANY_PLACES)]
        return places[:: max(1, len(places) // most) if most else 1]
    values = plan.grid(ev, env)
    total = math.prod(map(length, values))
    most = most or TOO_MANY_PLACES
    chosen = product(*values) if total <= most else differing(sequent.over, values, most)
    return [{**env, **dict(zip(plan.symbols, place, strict=True))} for place in chosen]


def length(values: range) -> int:
    """Of ranges, too, that are longer than a machine word counts."""
    return max(0, values.stop - values.start)


def differing(
    over: tuple[t.Triple, ...], values: list[range], most: int
) -> Iterable[tuple[int, ...]]:
    """Places all over their ranges; symbols of one range are at times equal, as on a diagonal."""
    ranges = [ends for _, *ends in over]
    first = [ranges.index(ends) for ends in ranges]
    spans = [(v.start, length(v)) for v in values]
    kept: dict[tuple[int, ...], None] = {}
    for far, equal in drawn(len(over), most):
        own = (far[k] if same else x for x, k, same in zip(far, first, equal, strict=True))
        kept[tuple(start + int(n * x) for (start, n), x in zip(spans, own, strict=True))] = None
    return kept


@lru_cache
def drawn(count: int, rows: int) -> list[tuple[list[float], list[bool]]]:
    """How far in its range each symbol of a place is, and whether as far as another of it: all
    are in every third place, half of them in another."""
    source = Random(0)
    odds = (1, 1 / 2, 0)
    return [
        (
            [source.random() for _ in range(count)],
            [source.random() < odds[turn % 3] for _ in range(count)],
        )
        for turn in range(rows)
    ]


def is_exact(theorem: Theorem) -> bool:
    """The second route decides it at each shape with few cells, without going point by point."""
    return all(map(is_polynomial, theorem.sequents))


def is_decided_at(theorem: Theorem, shape: Env) -> bool:
    ends = (end for s in theorem.sequents for _, *both in s.over for end in both)
    plain = all(s.sort == INT for s in shape) and not any(map(t.arrays, ends))
    return plain and is_small(theorem, shape) and is_exact(theorem) and has_few(theorem, shape)


def has_few(theorem: Theorem, shape: Env) -> bool:
    """So few places that all are tried."""
    return all(count_of(s, shape) < TOO_MANY_PLACES for s in theorem.sequents)


def has_no_place(theorem: Theorem, shape: Env) -> bool:
    """Nothing is said at a shape."""
    ev = Evaluator(RATIONALS, {})
    try:
        return not any(True for s in theorem.sequents for _ in loops(s.over)(ev, shape))
    except (Undefined, Undecided, KeyError):
        return False


def count_of(sequent: Sequent, shape: Env) -> int:
    ev, lists = Evaluator(RATIONALS, {}), plan_of(sequent).grid
    try:
        if lists is not None:
            return math.prod(map(len, lists(ev, shape)))
        return sum(1 for _ in islice(loops(sequent.over)(ev, shape), TOO_MANY_PLACES))
    except (Undefined, Undecided, KeyError):
        return 0


def weight(failure: Failure) -> tuple[object, ...]:
    return sum(abs(v) for v in failure.cells.values()), len(failure.cells)
