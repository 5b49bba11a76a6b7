"""The second route: theorems at concrete shapes, by expansion and exact arithmetic. Untrusted.

It objects to proofs and proposes refutations, which are replayed. At one shape an equality of
tensors is an identity of polynomials in their cells, differentiated plainly; where it is none
(branches, `exp`), it is tried at fixed points with jets. Nothing here knows of brackets or
of their elimination.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, count, islice, product
from typing import Any

import sympy

from gradproof.evaluate.compiled import Env as Values
from gradproof.evaluate.compiled import (
    Evaluator,
    as_kept,
    as_real,
    compiled,
    doubling,
    grid,
    loops,
)
from gradproof.evaluate.judge import SIGNS, is_transcendental, numbers_for
from gradproof.evaluate.numbers import (
    INTERVALS,
    RATIONALS,
    Numbers,
    Undecided,
    Undefined,
    divide,
    sign,
)
from gradproof.evaluate.points import at_thresholds, fixed, halves, of_total, small
from gradproof.evaluate.polynomials import POLYNOMIALS, Polynomial, difference, terms_of
from gradproof.evaluate.polynomials import Cells as PolynomialCells
from gradproof.evaluate.replay import Cell, Cells, Env, Failure, Point, Unmet, arrays_of
from gradproof.evaluate.writing import Run
from gradproof.language import terms as t
from gradproof.language.substitution import base_of, free
from gradproof.language.terms import INT, Sym, Term
from gradproof.theorems.sequents import Sequent, Theorem

REAL_VALUES = tuple(Fraction(v) for v in (1, -1, 2, Fraction(1, 2), 0))
MOST_CANDIDATES = 20_000
CANDIDATES = 40  # for each shape of a box
THOROUGH, LESSENED = 300, 2000  # points with small whole numbers
THRESHOLDS = 1000  # points near those at which branches meet
FEW_CELLS = 20
MOST_PLACES, TOO_MANY_PLACES = 150, 1_000_000
ROUGHLY = 1e-9  # a difference that floats may make of nothing
MOST_CELLS, MOST_GENERATORS = 20_000, 150


@dataclass(frozen=True)
class Survey:
    """What a list of shapes gave: how many trials counted, the first failure, all trials made.

    `silent` is the first place of which nothing was learned: not that hypotheses fail there, nor
    what follows from them.
    """

    tried: int
    failure: Failure | None
    trials: int = 0
    silent: Env | None = None


@dataclass(frozen=True)
class Limit:
    """How far a search goes: shapes that have a place to try, and trials at all of them."""

    shapes: int
    trials: int


# Shapes.


def symbols_of(theorem: Theorem) -> tuple[Sym, ...]:
    """The sizes and parameters of a theorem without bundles."""
    terms: list[Term] = list(theorem.given)
    for s in theorem.sequents:
        terms.append(t.ForAll(t.And(*s.when, s.then), *s.over))
        terms += [d for a in arrays_of(s) for d in a.dims]
    found = frozenset().union(*map(free, terms))
    named = [u for g in theorem.given for u in t.walk(g) if isinstance(u, Sym)]
    first = {base: order for order, base in reversed([*enumerate(map(base_of, named))])}

    def order(symbol: Sym) -> tuple[object, ...]:
        """By axis, then as the hypotheses name them first, then by name."""
        axis = symbol.name.split(".")[1] if "." in symbol.name else "0"
        return int(axis), first.get(base_of(symbol), len(named)), symbol.name

    return tuple(sorted(found, key=order))


def lowest(symbol: Sym, given: Iterable[Term]) -> int | None:
    """The least value that a clause `symbol ≥ number` allows."""
    for clause in (part for g in given for part in t.conjuncts(g)):
        is_bound = isinstance(clause, t.Ge) and clause.left == symbol
        if is_bound and isinstance(clause.right, sympy.Integer):
            return int(clause.right)
    return None


def box(theorem: Theorem, most: int) -> Iterator[Env]:
    """Up to `most` shapes with three values per size from its least one, each size soon in all.

    Large ones only where there is no small one.
    """
    symbols = symbols_of(theorem)
    integers = [s for s in symbols if s.sort == INT]
    reals = [s for s in symbols if s.sort != INT]
    choices = [values_from(lowest(s, theorem.given)) for s in integers]
    total = 3 ** len(integers)
    found, large, is_admitted = 0, [], admits(theorem.given)
    for number in range(min(total, CANDIDATES * most)):
        code = number * stride(total) % total
        values = [choice[code // 3**i % 3] for i, choice in enumerate(choices)]
        env: Env = dict(zip(integers, values, strict=True))
        env |= dict.fromkeys(reals, REAL_VALUES[number % 4])
        if not is_admitted(env):
            continue
        if not is_small(theorem, env):
            large.append(env)
            continue
        yield env
        found += 1
        if found == most:
            return
    yield from large[: 0 if found else most]


def is_small(theorem: Theorem, env: Env) -> bool:
    """Few cells, so that equalities are identities of polynomials in them."""
    shapes = [shapes_at(s, env) for s in theorem.sequents]
    counts = (None if s is None else sum(map(math.prod, s.values())) for s in shapes)
    return all(c is not None and c <= MOST_GENERATORS for c in counts)


def stride(total: int) -> int:
    """A step by which all numbers below a power of 3 are met, and any few of them far apart."""
    near = round(total * 0.618)
    return near + (near % 3 == 0)


def values_from(low: int | None) -> tuple[int, ...]:
    """Beginning with one that leaves an array of that size a cell, if it may."""
    return (low, low + 1, low + 2) if low else (1, 2, 0)


def ascending(theorem: Theorem) -> Iterator[Env]:
    """Shapes by the total of their sizes, then in the order of the sizes."""
    symbols = symbols_of(theorem)
    integers = [s for s in symbols if s.sort == INT]
    reals = [s for s in symbols if s.sort != INT]
    lows = [lowest(s, theorem.given) for s in integers]

    def levels() -> Iterator[Env]:
        for total in range(sum(max(low or 0, 0) for low in lows), 64):
            for values in of_total(lows, total):
                for chosen in product(REAL_VALUES, repeat=len(reals)):
                    yield dict(zip(integers, values, strict=True)) | dict(
                        zip(reals, chosen, strict=True)
                    )

    candidates = islice(levels(), MOST_CANDIDATES)
    yield from filter(admits(theorem.given), candidates)


def admits(given: tuple[Term, ...]) -> Callable[[Env], bool]:
    """Whether sizes and parameters satisfy hypotheses."""
    conditions = [compiled(g) for g in given]
    numbers = numbers_for(*given)
    ev = Evaluator(numbers, {})

    def holds(env: Env) -> bool:
        lifted = {s: v if s.sort == INT else numbers.lift(v) for s, v in env.items()}
        try:
            return all(condition(ev, lifted) for condition in conditions)
        except (Undefined, Undecided, KeyError):
            return False

    return holds


# One shape.


def survey(
    theorem: Theorem, shapes: Iterable[Env], thorough: bool = False, limit: Limit | None = None
) -> Survey:
    """Tries a theorem without bundles at each shape, up to the first failure or the limit.

    Where it must go point by point, `thorough` tries small whole numbers in all combinations.
    """
    seen = tried = trials = 0
    silent = None
    for env in shapes:
        here = 0
        for sequent in theorem.sequents:
            found = at_shape(sequent, env, thorough)
            tried += 0 if sequent.aside else found.tried
            here += found.trials
            silent = found.silent if silent is None else silent
            if found.failure is not None:
                return Survey(tried, found.failure, trials + here, silent)
        seen, trials = seen + bool(here), trials + here
        if limit is not None and (seen >= limit.shapes or trials >= limit.trials):
            break
    return Survey(tried, None, trials, silent)


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
    """The places of a sequent, evenly thinned to about `most`; of too many, the first ones."""
    ev, plan = Evaluator(RATIONALS, {}), plan_of(sequent)
    if plan.grid is None:
        places = [dict(p) for p in islice(loops(sequent.over)(ev, env), TOO_MANY_PLACES)]
        return places[:: max(1, len(places) // most) if most else 1]
    values = plan.grid(ev, env)
    total = min(math.prod(map(len, values)), TOO_MANY_PLACES)
    numbers = range(0, total, max(1, total // most) if most else 1)
    return [env | dict(zip(plan.symbols, place_of(n, values), strict=True)) for n in numbers]


def place_of(number: int, values: list[range]) -> list[int]:
    """The place with this number in the order of loops."""
    found = []
    for choices in reversed(values):
        number, position = divmod(number, len(choices))
        found.append(choices[position])
    return found[::-1]


@t.remembered
def is_polynomial(sequent: Sequent) -> bool:
    """An identity, if of tensors at all; nothing in it branches on them or divides by them."""
    kinds = (t.Exp, t.Log, t.Maximum, t.Winner, t.Unique, t.Fold)
    asked = sequent.then.args if isinstance(sequent.then, t.Eq) else (sequent.then,)
    terms = [u for c in (*sequent.when, *asked) for u in t.walk(c)]
    branches = [u for u in terms if isinstance(u, t.Relation | t.Min | t.Max)]
    divisors = [u.below for u in terms if isinstance(u, t.Div)]
    return not any(isinstance(u, kinds) for u in terms) and not any(
        map(t.arrays, (*branches, *divisors))
    )


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


@dataclass(frozen=True)
class CellsOf:
    """The cells of arrays of these shapes, listed when they are asked for."""

    shapes: dict[str, tuple[int, ...]]

    def __len__(self) -> int:
        return sum(map(math.prod, self.shapes.values()))

    def __iter__(self) -> Iterator[Cell]:
        for name, shape in self.shapes.items():
            yield from ((name, i) for i in product(*map(range, shape)))

    def __contains__(self, cell: object) -> bool:
        return any(cell == each for each in self)


NO_CELLS = CellsOf({})


def cells_at(sequent: Sequent, env: Env) -> CellsOf | None:
    """The cells of all arrays, or None if there are too many or an array has no shape."""
    shapes = shapes_at(sequent, env)
    if shapes is None or any(math.prod(shape) > MOST_CELLS for shape in shapes.values()):
        return None
    return CellsOf(shapes)


SIZES = Evaluator(RATIONALS, {})  # of sizes, which read no array


def shapes_at(sequent: Sequent, env: Env) -> dict[str, tuple[int, ...]] | None:
    try:
        shapes = {a.name: SIZES.shape(a, env) for a in arrays_of(sequent)}
    except (Undefined, Undecided):
        return None
    return None if any(n < 0 for shape in shapes.values() for n in shape) else shapes


class PolynomialEvaluator(Evaluator):
    """Evaluates to polynomials in the cells, which hold for all values of the tensors at once."""

    def slope(self, body: Term, env: Values, name: str, point: tuple[int, ...]) -> Any:
        found = as_kept(body)(self, env)
        return found.slope((name, point)) if type(found) is Polynomial else 0


class Polynomials:
    """A sequent as an identity of polynomials in the cells."""

    def __init__(self, sequent: Sequent) -> None:
        self.sequent, self.plan = sequent, plan_of(sequent)
        tensors = {a.name: PolynomialCells(a.name).__getitem__ for a in arrays_of(sequent)}
        self.evaluator = PolynomialEvaluator(POLYNOMIALS, tensors)

    def fails(self, place: Env) -> Failure | None:
        ev, plan, then = self.evaluator, self.plan, self.sequent.then
        if not all(condition(ev, place) for condition in plan.tried):
            raise Undefined("the hypotheses do not hold there")
        if isinstance(then, t.Linear):
            return self.not_linear(then, place)
        if not (isinstance(then, t.Eq) and t.REAL in map(t.sort_of, then.args)):
            holds = ev.value(then, place)
            return None if holds else Point(self.sequent, {}).fails(place)
        left, right = (side(ev, place) for side in plan.sides)
        if terms_of(left) == terms_of(right):
            return None
        return Point(self.sequent, least_values(difference(left, right))).fails(place)

    def not_linear(self, then: Term, place: Env) -> Failure | None:
        """Monomials whose degree in the arrays is not 1, at the least values that show it.

        That is where `2·f(t) - f(2·t)` is not 0: a monomial of degree d counts `2 - 2^d` times.
        """
        names = {a.name for a in then.by}
        value = terms_of(self.evaluator.real(then.body, place))
        degrees = {m: sum(name in names for name, _ in m) for m in value}
        wrong = {m: value[m] * (2 - 2**d) for m, d in degrees.items() if d != 1}
        if not wrong:
            return None
        return Point(self.sequent, least_values(Polynomial(wrong))).fails(place)


def least_values(apart: Polynomial) -> Cells:
    """The least whole numbers at which a polynomial that is not 0 is not 0; there always are."""
    used = sorted({cell for monomial in apart.terms for cell in monomial})
    by_total = chain.from_iterable(of_total([None] * len(used), total) for total in count())
    points = (dict(zip(used, values, strict=True)) for values in by_total)
    found = next(point for point in points if apart.at(point) != 0)
    return {cell: Fraction(v) for cell, v in found.items() if v}


# Points, where there are no polynomials.


def at_points(
    sequent: Sequent, places: list[Env], cells: Collection[Cell], thorough: bool = False
) -> Survey:
    """If `thorough`, small whole numbers first; a failure at a fixed point is made less."""
    tried = Survey(0, None)
    if thorough:
        tried = first_failure(sequent, places, islice(small(cells), most_of(sequent, THOROUGH)))
    if tried.failure is not None:
        return tried
    found = first_failure(sequent, places, chain([halves(cells)] * thorough, fixed(cells)))
    failure = None if found.failure is None else lessened(found.failure, cells)
    return replace(
        found,
        tried=tried.tried + found.tried,
        failure=failure,
        trials=tried.trials + found.trials,
    )


def most_of(sequent: Sequent, points: int) -> int:
    return points // 5 if is_transcendental(sequent.then) else points


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
        def tensor(name: str) -> Any:
            known = {index: numbers.lift(v) for (array, index), v in cells.items() if array == name}
            return lambda index: known.get(index, numbers.zero)

        self.evaluator = Evaluator(numbers, {a.name: tensor(a.name) for a in arrays_of(sequent)})
        self.plan = plan_of(sequent)

    def holds(self, place: Env) -> bool:
        """Whether what follows from the hypotheses holds; it does where it cannot be decided."""
        plan, ev = self.plan, self.evaluator
        env = place | {s: ev.lift(place[s]) for s in plan.reals} if plan.reals else place
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
    reals = tuple(s for s in free(said) if s.sort != INT)
    tried = tuple(map(compiled, sequent.when))
    places = tuple(symbol for symbol, _, _ in sequent.over), grid(sequent.over)
    if isinstance(then, t.Linear):
        return Plan(reals, tried, (doubling(*then.args),), *places)
    if not isinstance(then, t.Relation):
        return Plan(reals, tried, (compiled(then),), *places)
    return Plan(reals, tried, tuple(map(as_real, then.args)), *places, SIGNS[type(then)])


def first_failure(sequent: Sequent, places: list[Env], candidates: Iterable[Cells]) -> Survey:
    """The failure at the first point that has one."""
    silent: dict[int, Env] = {}
    valued = set()
    tried = trials = 0
    numbers = numbers_for(*sequent.when, sequent.then)
    for cells in candidates if places else ():
        point = Trial(sequent, cells, numbers)
        rough = Trial(sequent, cells, FLOATS) if numbers is INTERVALS else None
        trials += len(places)
        for number, place in enumerate(places):
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


def float_sign(a: float) -> int:
    if not math.isfinite(a):
        raise OverflowError
    if 0 < abs(a) < ROUGHLY:
        raise Undecided("too close to zero")
    return sign(a)


FLOATS = Numbers(float, 0.0, 1.0, divide, float_sign, math.exp, math.log)


def holds_roughly(rough: Trial, place: Env) -> bool:
    """Whether floats see no failure; intervals, had the first trial of the shape."""
    try:
        return rough.holds(place)
    except (Undefined, Undecided, OverflowError, ValueError):
        return False
