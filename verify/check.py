"""Settles a theorem: both routes, their agreement, the smallest counterexample. Trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from typing import Any

from verify import terms as t
from verify import text as words
from verify import unrolling
from verify.bounded import (
    REAL_VALUES,
    Env,
    Failure,
    Limit,
    ascending,
    at_places,
    box,
    cells_at,
    counterexample,
    is_polynomial,
    lowest,
    satisfies,
    survey,
    symbols_of,
)
from verify.conditions import settle
from verify.derive import Unsupported, branches_on
from verify.evaluate import Evaluator
from verify.numbers import RATIONALS
from verify.printing import formula, primed
from verify.selection import cases
from verify.symbolic import Outcome, Prover
from verify.terms import INT, Fresh
from verify.theorems import Sequent, Theorem
from verify.verdicts import Counterexample, Query, Step, Verdict

RANKS = (1, 2, 3)
ALL_SIZES, UP_TO_3, WRITTEN_OUT = "all sizes", "ranks 1 to 3", "loops written out"
BOX = {None: 20, 1: 40, 2: 8, 3: 1}  # shapes that the second route tries at each rank
BOX_OF_POINTS = {None: 6, 1: 12, 2: 3, 3: 1}  # likewise where it must go point by point
SEARCH = {None: 400, 1: 400, 2: 250, 3: 30}  # shapes searched for a counterexample
GLIMPSE = {None: 200, 1: 100, 2: 20, 3: 2}  # likewise point by point, with no model to go by

WIDE = 120  # shapes of each of two lists, with few values each, where nothing else was found
TRIALS = 30_000  # values of the tensors, at all places of all shapes


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
    symbols = [symbol for s in theorem.sequents for symbol, _, _ in s.over]
    formulas = primed(*(formula(shown) for _, shown in found.steps), first=symbols)
    steps = tuple(Step(reason, f) for (reason, _), f in zip(found.steps, formulas, strict=True))
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
        steps,
        queries,
        seconds=round(seconds, 4),
    )


def is_pinned(theorem: Theorem, found: Counterexample | None) -> bool:
    """Whether the counterexample that is found first, by size, is the one that the claim names."""
    if theorem.refuted is None or found is None:
        return True
    pinned = {s.name: [v] if s.is_bundle else v for s, v in theorem.refuted.items()}
    return all(found.sizes.get(n) in (v, str(v)) for n, v in pinned.items())


def settled(theorem: Theorem, rlimit: int, ranks: tuple[int, ...] = RANKS) -> Finding:
    """Both routes, rank by rank, up to the first at which the theorem is refuted.

    What is proved at ranks 1 to 3 is tried at every rank.
    """
    tried: tuple[int | None, ...] = ranks if theorem.is_rank_generic else (None,)
    instances = {r: theorem if r is None else theorem.at_rank(r) for r in tried}
    outcomes: dict[Any, Outcome] = {}
    excluded = True
    for rank, instance in instances.items():
        outcomes[rank] = outcome = prove_at(instance, rlimit)
        excluded = excluded and outcome.method != WRITTEN_OUT
        if outcome.status != "proved":
            failure, least = searched(instance, rank, outcome, rlimit)
            excluded = excluded and least
            if failure is not None and not is_loose(failure.sequent):
                found = counterexample(failure, rank, symbols_of(instance), excluded)
                return Finding("refuted", "", "exact evaluation", found)
    if all(o.status == "proved" for o in outcomes.values()):
        return proved(theorem, instances, outcomes, rlimit)
    statuses = {o.status: o.method for o in outcomes.values() if o.status != "proved"}
    if "unsupported" in statuses:
        return Finding("unsupported", note=statuses["unsupported"])
    return Finding("unknown", note=next(iter(statuses.values())))


def is_loose(sequent: Sequent) -> bool:
    """It asks more than is meant: that it hold whatever the states of a loop over axes are."""
    bound = {symbol for symbol, _, _ in sequent.over}
    names = {s for c in (*sequent.hypotheses, sequent.then) for s in t.free(c)} - bound
    return any(t.number_of(s) for s in names)


def prove_at(instance: Theorem, rlimit: int) -> Outcome:
    """For all sizes; where no invariant of a loop is known, for small windows written out."""
    found = prove(instance, False, rlimit)
    if found.status != "unsupported":
        return found
    small = unrolling.instances(instance, rlimit)
    if small is None or any(prove(th, False, rlimit).status != "proved" for th in small):
        return found
    inhabited = any(survey(th, box(th, BOX[None])).tried for th in small)
    return Outcome("proved", WRITTEN_OUT) if inhabited else found


def prove(theorem: Theorem, generic: bool, rlimit: int) -> Outcome:
    """The symbolic route: every sequent, for all sizes; the first that is not proved counts."""
    return joined(prove_part(theorem, whole, generic, rlimit) for whole in theorem.sequents)


def prove_part(theorem: Theorem, whole: Sequent, generic: bool, rlimit: int) -> Outcome:
    """A sequent, without those of its hypotheses that have loops if it can do without."""
    plain = replace(whole, when=tuple(c for c in whole.when if not has_loop(c)))
    found = prove_whole(theorem, plain, generic, rlimit)
    again = found.status != "proved" and plain != whole
    return prove_whole(theorem, whole, generic, rlimit) if again else found


def has_loop(condition: Any) -> bool:
    return any(isinstance(u, t.Fold) for u in t.walk(condition))


def joined(outcomes: Iterable[Outcome]) -> Outcome:
    """All proofs as one; or the first that is none, and what follows it is not tried."""
    proofs = []
    for outcome in outcomes:
        if outcome.status != "proved":
            return outcome
        proofs.append(outcome)
    if not proofs:
        return Outcome("unknown", "nothing to prove")
    methods = dict.fromkeys(m for o in proofs for m in o.method.split(", "))
    steps = dict.fromkeys(step for o in proofs for step in o.steps)
    return Outcome("proved", ", ".join(methods), steps=tuple(steps))


def prove_whole(theorem: Theorem, whole: Sequent, generic: bool, rlimit: int) -> Outcome:
    """A sequent, by cases of the places that its loops select."""
    parts = parts_of(theorem, whole)
    if parts is None:
        return Outcome("unsupported", "a fold whose invariant is not known")
    return joined(prove_sequent(theorem, part, generic, rlimit) for part in parts)


def parts_of(theorem: Theorem, whole: Sequent) -> tuple[Sequent, ...] | None:
    if not is_integral(whole):
        return (whole,)
    return cases(whole, Fresh(*theorem.given, *whole.hypotheses, whole.then))


def is_integral(sequent: Sequent) -> bool:
    """Not an equality of reals, nor linearity: those treat folds by themselves."""
    then = sequent.then
    reals = isinstance(then, t.Eq) and t.REAL in map(t.sort_of, then.args)
    return not reals and not isinstance(then, t.Linear)


def prove_sequent(
    theorem: Theorem, sequent: Sequent, generic: bool, rlimit: int, extra: tuple[Any, ...] = ()
) -> Outcome:
    given = (*theorem.given, *sequent.hypotheses)
    try:
        return settle(Prover(given, generic, (sequent.then,), rlimit), sequent.then, extra)
    except Unsupported as reason:
        return Outcome("unsupported", str(reason))


def proved(
    theorem: Theorem, instances: dict[Any, Theorem], outcomes: dict[Any, Outcome], rlimit: int
) -> Finding:
    """A proof counts if the second route tried it somewhere and found nothing against it."""
    objection = surveyed(instances, rlimit)
    if objection is not None:
        return objection
    shown, scope = next(iter(outcomes.values())), scope_of(theorem, tuple(instances))
    written_out = any(o.method == WRITTEN_OUT for o in outcomes.values())
    method = WRITTEN_OUT if written_out else shown.method
    if written_out:
        scope = unrolling.SCOPE if scope == ALL_SIZES else f"{scope}, {unrolling.SCOPE}"
    elif scope == UP_TO_3:
        general = prove(theorem, True, rlimit)
        shown, scope = (general, "every rank") if general.status == "proved" else (shown, scope)
    return Finding("proved", scope + boundary_of(theorem), method, steps=shown.steps)


def scope_of(theorem: Theorem, ranks: tuple[Any, ...]) -> str:
    if not theorem.is_rank_generic:
        return ALL_SIZES
    return UP_TO_3 if ranks == RANKS else f"rank {', '.join(map(str, ranks))}"


def surveyed(instances: dict[Any, Theorem], rlimit: int) -> Finding | None:
    """What the second route has against a proof, if anything; nothing tried is nothing proved."""
    for rank, instance in instances.items():
        most = (BOX if is_exact(instance) else BOX_OF_POINTS).get(rank, 1)
        found = survey(instance, box(instance, most))
        if not found.tried and found.failure is None:
            empty, shapes = inhabited(instance, rlimit)
            if empty:
                return Finding("vacuous", note="the hypotheses contradict each other")
            found = survey(instance, shapes)
        if found.failure is not None:
            where = {s.name: v for s, v in found.failure.env.items()}
            return Finding("error", note=f"proved for all sizes, yet false at {where}")
        if not found.tried:
            return Finding("unknown", note="no shape was found at which to try it")
    return None


def boundary_of(theorem: Theorem) -> str:
    """Where a derivative was taken through a branch, the points that the theorem leaves out."""
    slopes = [u for s in theorem.sequents for u in t.walk(s.then) if isinstance(u, t.Slope)]
    branches = [
        u for slope in slopes for u in t.walk(slope.args[0]) if branches_on(u, slope.args[1].array)
    ]
    windows = [u for u in branches if isinstance(u, t.Maximum)]
    unique = ", where the winner is unique" if windows else ""
    return unique + (", off the boundary" if len(windows) < len(branches) else "")


def inhabited(theorem: Theorem, rlimit: int) -> tuple[bool, list[Env]]:
    """Whether all hypotheses contradict each other, and shapes at which those of a sequent hold."""
    empty, shapes = True, []
    sizes = [s for s in symbols_of(theorem) if s.sort == INT]
    reals = [s for s in symbols_of(theorem) if s.sort != INT]
    for sequent in (s for s in theorem.sequents if not s.aside):
        found = Prover((*theorem.given, *sequent.hypotheses), False, (), rlimit).ask(t.Or())
        empty = empty and found.status == "proved"
        model = dict(found.model)
        chosen = {s: model.get(s.name, 1) for s in sizes}  # 1 is as good as any, and has a cell
        for values in product(REAL_VALUES, repeat=len(reals)):
            shape = chosen | dict(zip(reals, values, strict=True))
            if found.status == "refuted" and satisfies(theorem.given, shape):
                shapes.append(shape)
                break
    return empty, shapes


# Refutation.


def searched(
    instance: Theorem, rank: int | None, outcome: Outcome, rlimit: int
) -> tuple[Failure | None, bool]:
    """The smallest failure that is found, and whether everything smaller was excluded."""
    pointed = outcome.status == "refuted" or is_exact(instance)
    limit = Limit((SEARCH if pointed else GLIMPSE).get(rank, 1), TRIALS)
    failure = survey(instance, ascending(instance), True, limit).failure
    if failure is not None:
        return failure, is_least(instance, failure.env, rlimit)
    failure, least = from_model(instance, outcome, rlimit)
    if failure is not None:
        return failure, least
    shapes = chain(box(instance, WIDE), islice(ascending(instance), WIDE))
    return survey(instance, shapes, False, Limit(2 * WIDE, TRIALS)).failure, False


def is_least(theorem: Theorem, found: Env, rlimit: int) -> bool:
    """Whether the theorem holds at every smaller shape, for all values and not only those tried."""
    symbols = symbols_of(theorem)
    sizes = [s for s in symbols if s.sort == INT]
    if is_exact(theorem) and len(sizes) == len(symbols):
        return True
    for shape in ascending(theorem):
        if all(shape[s] == found[s] for s in sizes):
            return True
        instance = unrolling.at_sizes(theorem, {s: t.as_term(shape[s]) for s in sizes})
        if prove_at(instance, rlimit).status != "proved":
            return False
    return False


def is_exact(theorem: Theorem) -> bool:
    """The second route decides it at each shape, without going point by point."""
    return all(map(is_polynomial, theorem.sequents))


def from_model(theorem: Theorem, outcome: Outcome, rlimit: int) -> tuple[Failure | None, bool]:
    """A solver's model, made as small as the solver can show, and replayed."""
    if outcome.status != "refuted":
        return None, False
    models = []
    least = True
    for whole in theorem.sequents:
        parts = parts_of(theorem, whole)
        least = least and parts is not None
        for part in parts or ():
            found = prove_sequent(theorem, part, False, rlimit)
            least = least and found.status in ("proved", "refuted")
            if found.status == "refuted":
                model, sure = smallest_model(theorem, part, dict(found.model), rlimit)
                models.append((whole, model))
                least = least and sure
    for whole, model in sorted(models, key=lambda found: size_of(theorem, found[1])):
        failure = replay(theorem, whole, model)
        if failure is not None:
            return failure, least
        least = False
    return None, False


def size_of(theorem: Theorem, model: dict[str, int]) -> tuple[int, ...]:
    """By what models are ordered: the total of the sizes, then each."""
    sizes = [model.get(s.name, 0) for s in symbols_of(theorem) if s.sort == INT]
    return sum(map(abs, sizes)), *sizes


def replay(theorem: Theorem, sequent: Sequent, model: dict[str, int]) -> Failure | None:
    names = [*symbols_of(theorem), *(symbol for symbol, _, _ in sequent.over)]
    place: Env = {s: model.get(s.name, 0) for s in names if s.sort == INT}
    if len(place) < len(names):
        return None
    if not satisfies((*theorem.given, *(t.in_range(*r) for r in sequent.over)), place):
        return None
    cells = cells_at(sequent, place)
    return None if cells is None else at_places(sequent, [place], cells).failure


def smallest_model(
    theorem: Theorem, sequent: Sequent, model: dict[str, int], rlimit: int
) -> tuple[dict[str, int], bool]:
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
    model: dict[str, int],
    fixed: tuple[Any, ...],
    rlimit: int,
) -> tuple[dict[str, int], int, bool]:
    """The least value of a quantity among the models, by bisection."""

    def value_in(found: dict[str, int]) -> int:
        env = {s: found.get(s.name, 0) for s in t.free(quantity)}
        return int(Evaluator(RATIONALS, {}).value(quantity, env))

    high = value_in(model)
    low, sure = (0 if isinstance(quantity, t.Add) else -abs(high) - 1), True
    while low < high:
        middle = (low + high) // 2
        bound = t.relation(t.Le, quantity, middle)
        found = prove_sequent(theorem, sequent, False, rlimit, (*fixed, bound))
        if found.status == "refuted":
            model = dict(found.model)
            high = value_in(model)
        else:
            sure = sure and found.status == "proved"
            low = middle + 1
    return model, high, sure
