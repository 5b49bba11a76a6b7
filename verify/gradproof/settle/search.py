"""The search for the smallest counterexample. Untrusted: what it finds is replayed."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, islice, product, takewhile
from typing import Any

from gradproof.evaluate.bounded import (
    Limit,
    at_places,
    has_no_place,
    is_decided_at,
    is_exact,
    near_thresholds,
    survey,
)
from gradproof.evaluate.judge import Evaluator, is_transcendental
from gradproof.evaluate.numbers import RATIONALS, sign
from gradproof.evaluate.replay import Env, Failure, satisfies
from gradproof.evaluate.shapes import (
    REAL_VALUES,
    admits,
    ascending,
    box,
    cells_at,
    lowest,
    symbols_of,
)
from gradproof.language import terms as t
from gradproof.language.functions import is_opaque
from gradproof.language.substitution import base_of, free
from gradproof.language.terms import INT
from gradproof.prove.rules import unrolling
from gradproof.prove.rules.proofs import Proved
from gradproof.prove.rules.selection import cases_of
from gradproof.prove.tactics.asking import seeker
from gradproof.prove.tactics.attempts import Attempt
from gradproof.prove.tactics.proving import prove_part
from gradproof.settle.at_shape import is_shown_at
from gradproof.settle.instances import prove_at
from gradproof.theorems.composition import expanded, without_names
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.statuses import Status

SEARCH = {None: 400, 1: 400, 2: 250, 3: 30}  # shapes searched at each rank
GLIMPSE = {None: 200, 1: 100, 2: 20, 3: 2}  # likewise point by point, with no model to go by
WIDE = 120  # shapes of each of two lists, with few values each, where nothing else was found
CLOSE = 8  # shapes at which values near thresholds are tried
Model = dict[str, Any]  # numbers by the names of symbols
LARGEST = 20_000  # the total of the sizes of a model that is evaluated
TRIALS = 30_000  # values of the tensors, at all places of all shapes
NEAR = 16  # the total of the sizes up to which all small values are tried, point by point
FIRST = 3_000  # likewise before the solver's model, which may be far from the smallest shapes


def at_named_sizes(theorem: Theorem) -> Failure | None:
    """Where a claim that is expected to be false names sizes: its failure there."""
    if not theorem.refuted:
        return None
    values: dict[str, Any] = {base_of(s): v for s, v in theorem.refuted.items()}
    symbols = symbols_of(theorem)
    sizes = {s: values.get(base_of(s)) for s in symbols if s.sort == INT}
    if None in sizes.values():
        return None
    reals = [s for s in symbols if s.sort != INT]
    choices = (
        [Fraction(values[base_of(s)])] if base_of(s) in values else REAL_VALUES for s in reals
    )
    shapes = (sizes | dict(zip(reals, chosen, strict=True)) for chosen in product(*choices))
    return survey(theorem, filter(admits(theorem.given), shapes), True).failure


def searched(
    instance: Theorem,
    rank: int | None,
    outcome: Attempt[Proved],
    rlimit: int,
    known: Failure | None = None,
) -> tuple[Failure | None, bool]:
    """The smallest failure that is found, and whether everything smaller was excluded."""
    said = (u for s in instance.sequents for u in (*s.when, s.then))
    if any(map(is_opaque, said)):
        return None, False
    pointed = outcome.status == Status.REFUTED or is_exact(instance)
    most, shapes = (SEARCH if pointed else GLIMPSE).get(rank, 1), ascending(instance)
    first = survey(instance, shapes, True, Limit(most, FIRST))
    if first.failure is not None:
        return first.failure, is_least(instance, first.failure.env, rlimit)
    modelled, least = from_model(instance, outcome, rlimit)
    if modelled is not None and least:
        return modelled, True
    near = near_thresholds(instance, islice(ascending(instance), CLOSE))
    if near is not None:
        return near, is_least(instance, near.env, rlimit)
    if first.trials >= FIRST:
        more = shapes if is_exact(instance) else takewhile(is_near, shapes)
        failure = survey(instance, more, True, Limit(most, TRIALS).after(first)).failure
        if failure is not None:
            return failure, is_least(instance, failure.env, rlimit)
    if modelled is not None:
        return modelled, False
    wide = chain(box(instance, WIDE), islice(ascending(instance), WIDE))
    failure = known or survey(instance, wide, False, Limit(2 * WIDE, TRIALS)).failure
    return None if failure is None else lessened(instance, failure), False


def is_near(shape: Env) -> bool:
    return sum(abs(v) for s, v in shape.items() if s.sort == INT) <= NEAR


def lessened(theorem: Theorem, failure: Failure) -> Failure:
    """With sizes made less, one by one, for as long as it fails."""
    shape = {s: failure.env[s] for s in symbols_of(theorem)}
    smaller = ({**shape, s: v - sign(v)} for s, v in shape.items() if s.sort == INT and v)
    allowed = (env for env in smaller if satisfies(theorem.given, env))
    found = next(filter(None, (survey(theorem, [env], True).failure for env in allowed)), None)
    return failure if found is None else lessened(theorem, found)


def is_least(theorem: Theorem, found: Env, rlimit: int) -> bool:
    """Whether the theorem holds at every smaller shape, for all values and not only those tried."""
    sizes = [s for s in symbols_of(theorem) if s.sort == INT]
    if any(map(couples, theorem.given)):
        return False
    for shape in ascending(theorem):
        if all(shape[s] == found[s] for s in sizes):
            return True
        if not is_sure_at(theorem, shape, rlimit):
            return False
    return False


def couples(clause: Any) -> bool:
    """Whether sizes that satisfy it may be passed over, for want of a real that goes with them."""
    sorts = {s.sort for s in free(clause)}
    return len(sorts) > 1 or (is_transcendental(clause) and INT in sorts)


def is_sure_at(theorem: Theorem, shape: Env, rlimit: int) -> bool:
    """Whether the theorem, of which no failure was seen at a shape, holds there for all values.

    Of several equations nothing is proved for that: it may take long, and tells little.
    """
    if is_decided_at(theorem, shape) or has_no_place(theorem, shape):
        return True
    plain = None if theorem.local else without_names(theorem)
    sizes = {s: t.as_term(value) for s, value in shape.items() if s.sort == INT}
    return plain is not None and (
        is_shown_at(plain, sizes, rlimit)
        or prove_at(unrolling.at_sizes(plain, sizes), rlimit).status == Status.PROVED
    )


def from_model(
    theorem: Theorem, outcome: Attempt[Proved], rlimit: int
) -> tuple[Failure | None, bool]:
    """A solver's model, made as small as the solver can show, and replayed."""
    if outcome.status != Status.REFUTED:
        return None, False
    models = []
    least = True
    for whole in theorem.sequents:
        plain = expanded(whole)
        cases = None if plain is None else cases_of(theorem.given, plain, seeker(rlimit))
        least = least and cases is not None
        for part in cases.parts if cases is not None else ():
            found = prove_part(theorem, part, False, rlimit)
            least = least and found.status in (Status.PROVED, Status.REFUTED)
            if found.status == Status.REFUTED:
                model, sure = smallest_model(theorem, part, found.model, rlimit)
                models.append((whole, model))
                least = least and sure
    for whole, model in sorted(models, key=lambda found: size_of(theorem, found[1])):
        failure = at_model(theorem, whole, model)
        if failure is not None:
            return failure, least
        least = False
    return None, False


def size_of(theorem: Theorem, model: Model) -> tuple[int, ...]:
    """By what models are ordered: the total of the sizes, then each."""
    sizes = [model.get(s.name, 0) for s in symbols_of(theorem) if s.sort == INT]
    return sum(map(abs, sizes)), *sizes


def at_model(theorem: Theorem, sequent: Sequent, model: Model) -> Failure | None:
    names = [*symbols_of(theorem), *(symbol for symbol, _, _ in sequent.over)]
    place: Env = {s: model.get(s.name, 0) for s in names}
    if sum(abs(v) for s, v in place.items() if s.sort == INT) > LARGEST:
        return None
    if not satisfies((*theorem.given, *(t.in_range(*r) for r in sequent.over)), place):
        return None
    cells = cells_at(sequent, place)
    return None if cells is None else at_places(sequent, [place], cells).failure


def smallest_model(
    theorem: Theorem, sequent: Sequent, model: Model, rlimit: int
) -> tuple[Model, bool]:
    """Deepens on the total of the sizes, then on each size; False if a step was undecided."""
    sizes = [s for s in symbols_of(theorem) if s.sort == INT]
    total = t.Add(0, *(s if (lowest(s, theorem.given) or -1) >= 0 else t.Max(s, -s) for s in sizes))
    fixed: tuple[Any, ...] = ()
    least = True
    for quantity in (total, *sizes):
        model, value, sure = least_value(theorem, sequent, quantity, model, fixed, rlimit)
        fixed = (*fixed, t.Eq(quantity, value))
        least = least and sure
    return model, least


def least_value(
    theorem: Theorem,
    sequent: Sequent,
    quantity: Any,
    model: Model,
    fixed: tuple[Any, ...],
    rlimit: int,
) -> tuple[Model, int, bool]:
    """The least value of a quantity among the models, by bisection."""

    def value_in(found: Model) -> int:
        env = {s: found.get(s.name, 0) for s in free(quantity)}
        return int(Evaluator(RATIONALS, {}).value(quantity, env))

    high = value_in(model)
    low, sure = (0 if isinstance(quantity, t.Add) else -abs(high) - 1), True
    while low < high:
        middle = (low + high) // 2
        bound = t.relation(t.Le, quantity, middle)
        found = prove_part(theorem, sequent, False, rlimit, (*fixed, bound))
        if found.model:
            model = found.model
            high = value_in(model)
        else:
            sure = sure and found.status == Status.PROVED
            low = middle + 1
    return model, high, sure
