"""Sequents at given values of the cells, where they are no identities. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import inf

from gradproof.evaluate.admitting import admitted
from gradproof.evaluate.compiled import Evaluator, Tensor, as_real, compiled, doubling, grid
from gradproof.evaluate.floats import FLOATS
from gradproof.evaluate.judge import SIGNS, Whole, is_transcendental, numbers_for
from gradproof.evaluate.numbers import INTERVALS, Numbers, Undecided, Undefined
from gradproof.evaluate.points import fixed, halves, small, tied
from gradproof.evaluate.replay import Cell, Cells, Env, Failure, Point, Unmet, arrays_of
from gradproof.evaluate.writing import Run
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.systems import sizes_in
from gradproof.language.terms import INT, Sym
from gradproof.theorems.sequents import Sequent

THOROUGH, LESSENED = 300, 2000  # points with small whole numbers
FEW_CELLS = 20
MOST_TRIALS = 120  # of all points at the places of one shape, where it is not to be thorough


@dataclass(frozen=True)
class Survey:
    """What a list of shapes gave: how many trials counted, the first failure, all trials made.

    `seen` are the shapes that have a place to try. `silent` is the first place of which nothing was
    learned: not that hypotheses fail there, nor what follows from them.
    """

    tried: int
    failure: Failure | None
    trials: int = 0
    silent: Env | None = None
    seen: int = 0


def at_points(
    sequent: Sequent, places: list[Env], cells: Collection[Cell], thorough: bool = False
) -> Survey:
    """If `thorough`, small whole numbers first; a failure at a fixed point is made less."""
    tried = Survey(0, None)
    if thorough:
        tried = first_failure(sequent, places, islice(small(cells), most_of(sequent, THOROUGH)))
    if tried.failure is not None:
        return tried
    points = chain([halves(cells)] * thorough, fixed(cells), tied(sequent, cells))
    found = first_failure(sequent, places, points, inf if thorough else MOST_TRIALS)
    failure = None if found.failure is None else lessened(found.failure, cells)
    return replace(
        found,
        tried=tried.tried + found.tried,
        failure=failure,
        trials=tried.trials + found.trials,
    )


def most_of(sequent: Sequent, points: int) -> int:
    return points // 5 if any(map(is_transcendental, (sequent.then, *sequent.where))) else points


def lessened(failure: Failure, cells: Collection[Cell]) -> Failure:
    """At the same place, with few cells that are not 0; of few cells at all, the least values."""

    def at(candidates: Iterable[Cells]) -> Failure | None:
        return first_failure(failure.sequent, [failure.env], candidates).failure

    kept = list(failure.cells.items())
    size = len(kept)
    while size:
        for start in reversed(range(0, len(kept), size)):
            fewer = kept[:start] + kept[start + size :]
            again = at([dict(fewer)])
            if again is not None:
                failure, kept = again, fewer
        size //= 2
    some: Collection[Cell] = cells if len(cells) <= FEW_CELLS else [cell for cell, _ in kept]
    return at(islice(small(some), most_of(failure.sequent, LESSENED))) or failure


class Trial:
    """A sequent at given values of the cells, all others 0."""

    def __init__(self, sequent: Sequent, cells: Cells, numbers: Numbers) -> None:
        def tensor(of: t.Array) -> Tensor:
            name = of.name
            if of.span:
                return Whole(lambda index: cells.get((name, index), 0))
            known = {index: numbers.lift(v) for (array, index), v in cells.items() if array == name}
            return lambda index: known.get(index, numbers.zero)

        tensors = {a.name: tensor(a) for a in arrays_of(sequent)}
        self.evaluator = Evaluator(numbers, tensors, sequent.where)
        self.plan = plan_of(sequent)

    def holds(self, place: Env) -> bool:
        """Whether what follows from the hypotheses holds; it does where it cannot be decided."""
        plan, ev = self.plan, self.evaluator
        env = place | {s: ev.lift(place[s]) for s in plan.reals} if plan.reals else place
        ev.sizes = env
        for condition in plan.tried:
            if not condition(ev, env):
                raise Unmet("the hypotheses do not hold there")
        if plan.relation is None:
            return bool(plan.sides[0](ev, env))
        left, right = (side(ev, env) for side in plan.sides)
        try:
            return plan.relation(ev.compare(left, right))
        except Undecided:
            return True


@dataclass(frozen=True)
class Plan:
    """How a sequent is tried: its hypotheses, and its conclusion or the sides that it compares."""

    reals: tuple[Sym, ...]
    tried: tuple[Run, ...]
    sides: tuple[Run, ...]
    symbols: tuple[Sym, ...]
    grid: Callable[[Evaluator, Env], list[range]] | None
    relation: Callable[[int], bool] | None = None


@t.remembered
def plan_of(sequent: Sequent) -> Plan:
    then = sequent.then
    said = t.ForAll(t.And(*sequent.when, then), *sequent.over)
    symbols = free(said).union(*map(sizes_in, sequent.where))
    reals = tuple(s for s in symbols if s.sort != INT)
    tried = tuple(map(compiled, sequent.when))
    places = tuple(symbol for symbol, _, _ in sequent.over), grid(sequent.over)
    if isinstance(then, t.Linear):
        return Plan(reals, tried, (doubling(*then.args),), *places)
    if not isinstance(then, t.Relation):
        return Plan(reals, tried, (compiled(then),), *places)
    return Plan(reals, tried, tuple(map(as_real, then.args)), *places, SIGNS[type(then)])


def first_failure(
    sequent: Sequent, places: list[Env], candidates: Iterable[Cells], most: float = inf
) -> Survey:
    """The failure at the first point that has one, of about so many trials."""
    silent: dict[int, Env] = {}
    valued = set[int]()
    tried = trials = 0
    numbers = numbers_for(*sequent.terms)
    points = admitted(sequent, places[0], candidates) if places else iter(())
    for cells, chosen in dealt(points, len(places), most, lambda: silent.keys() - valued):
        point = Trial(sequent, cells, numbers)
        rough = Trial(sequent, cells, FLOATS) if numbers is INTERVALS else None
        trials += len(chosen)
        for number in chosen:
            place = places[number]
            failure = None
            if rough is None or not tried or not holds_roughly(rough, place):
                try:
                    if not point.holds(place):
                        failure = Point(sequent, cells).fails(place)
                except Unmet:
                    continue
                except (Undefined, Undecided):
                    silent[number] = place
                    continue
            tried += 1
            valued.add(number)
            if failure is not None:
                return Survey(tried, failure, trials)
    left = (place for number, place in silent.items() if number not in valued)
    return Survey(tried, None, trials, next(left, None))


def dealt(
    points: Iterator[Cells], places: int, most: float, left: Callable[[], Set[int]]
) -> Iterator[tuple[Cells, Sequence[int]]]:
    """Each point with the places at which it is tried: its share, if all were too many.

    Places of which nothing was learned so are tried at every point.
    """
    if most == inf:
        yield from ((cells, range(places)) for cells in points)
        return
    known = list(points)
    shares = max(1, round(places * len(known) / most))
    for turn, cells in enumerate(known):
        yield cells, range(turn % shares, places, shares)
    for cells in known if shares > 1 else ():
        if again := sorted(left()):
            yield cells, again


def holds_roughly(rough: Trial, place: Env) -> bool:
    """Whether floats see no failure; intervals, had the first trial of the shape."""
    try:
        return rough.holds(place)
    except (Undefined, Undecided, OverflowError, ValueError):
        return False
