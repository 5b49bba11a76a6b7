"""Values of the cells, changed until they are what a sequent requires of values. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import floor
from typing import Any

from gradproof.evaluate.judge import Evaluator, Whole, numbers_for
from gradproof.evaluate.numbers import Undecided, Undefined
from gradproof.evaluate.replay import Cell, Cells, Env, arrays_of
from gradproof.evaluate.shapes import cells_at
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.systems import made_by
from gradproof.language.terms import Sym, Term
from gradproof.theorems.sequents import Sequent

ROUNDS = 3
MOST_FAILED = 12  # candidates one after another that cannot be mended
WHOLE = tuple(map(Fraction, (1, 0, 2)))
OTHERS = tuple(Fraction(v) for v in (Fraction(1, 2), 3, -1, 4, -2))


def admitted(sequent: Sequent, env: Env, candidates: Iterable[Cells]) -> Iterator[Cells]:
    """The candidates, each made to meet what is asked of values whatever the place."""
    bound = {symbol for symbol, _, _ in sequent.over}
    computed = {made_by(e) for e in sequent.where}
    closed = [c for c in sequent.when if is_plain(c) and not free(c) & bound]
    asked = tuple(c for c in closed if t.arrays(c) and t.arrays(c).isdisjoint(computed))
    whole = [a for a in arrays_of(sequent) if a.span]
    if not (asked or whole) or cells_at(sequent, env) is None:
        yield from candidates
        return
    named = {a for c in asked for a in t.arrays(c)}.union(whole)
    arrays = tuple(a for a in arrays_of(sequent) if a in named)
    names = {a.name for a in arrays}
    sizes = tuple((symbol, v) for symbol, v in env.items() if symbol not in bound)
    failed = 0
    for candidate in candidates:
        own = tuple((cell, v) for cell, v in candidate.items() if cell[0] in names)
        changed = mended(asked, arrays, sizes, own)
        failed = failed + 1 if changed is None else 0
        if failed == MOST_FAILED:
            return
        if changed is not None:
            yield {cell: v for cell, v in {**candidate, **changed}.items() if v}


@lru_cache(maxsize=1_000)
def mended(
    asked: tuple[Term, ...],
    arrays: tuple[t.Array, ...],
    sizes: tuple[tuple[Sym, Any], ...],
    cells: tuple[tuple[Cell, Fraction], ...],
) -> Cells | None:
    """Values that meet what is asked of them, if such are found; theorems of an op ask the same."""
    env, found = dict(sizes), dict(cells)
    for array in arrays:
        if array.span:
            first, last = ends_of(array, env)
            for index in product(*map(range, evaluator({}, ()).shape(array, env))):
                cell = array.name, index
                found[cell] = brought(found.get(cell, Fraction(0)), first, last)
    for _ in range(ROUNDS):
        before = dict(found)
        for condition in together(asked):
            mend(condition, arrays, env, found)
        if found == before:
            break
    return found if meets(asked, arrays, env, found) else None


def together(asked: Iterable[Term]) -> Iterator[Term]:
    """What is said of the same cells as one condition, for values that meet all of it."""
    said: dict[tuple[Term, ...], list[Term]] = {}
    for condition in asked:
        over = condition.ranges if isinstance(condition, t.ForAll) else ()
        said.setdefault(over, []).append(condition)
    for over, conditions in said.items():
        bodies = (c.body if over else c for c in conditions)
        yield t.ForAll(t.And(*bodies), *over) if over else t.And(*bodies)


def meets(asked: Iterable[Term], arrays: Iterable[t.Array], env: Env, cells: Cells) -> bool:
    ev = evaluator(cells, arrays, *asked)
    lifted = {s: v if s.sort == t.INT else ev.numbers.lift(v) for s, v in env.items()}
    try:
        return all(ev.value(condition, lifted) for condition in asked)
    except (Undefined, Undecided, KeyError):
        return False


def is_plain(condition: Term) -> bool:
    return not t.mentions(condition, t.Slope, t.Unique, t.Winner)


def ends_of(array: t.Array, env: Env) -> tuple[int, int]:
    first, last = (evaluator({}, ()).value(e, env) for e in array.span)
    return first, last


def brought(value: Fraction, first: int, last: int) -> Fraction:
    """A whole number of the range, that of the value if it is one."""
    return Fraction(first + (floor(value) - first) % max(1, last - first + 1))


def evaluator(cells: Cells, arrays: Iterable[t.Array], *said: Term) -> Evaluator:
    numbers = numbers_for(*said)

    def tensor(array: t.Array) -> object:
        if array.span:
            return Whole(lambda index: cells.get((array.name, index), 0))
        return lambda index: numbers.lift(cells.get((array.name, index), 0))

    return Evaluator(numbers, {a.name: tensor(a) for a in arrays})  # type: ignore[misc]  # both are


def mend(condition: Term, arrays: Iterable[t.Array], env: Env, found: Cells) -> None:
    """Changes cells, one at each place where the condition does not hold, until it does."""
    body, places = condition, [dict(env)]
    try:
        if isinstance(condition, t.ForAll):
            body = condition.body
            places = list(evaluator(found, arrays).places(condition.ranges, env))
        for place in places:
            mend_at(body, arrays, place, found)
    except (Undefined, Undecided, KeyError):
        return


def mend_at(body: Term, arrays: Iterable[t.Array], place: Env, found: Cells) -> None:
    def holds() -> bool:
        ev = evaluator(found, arrays, body)
        lifted = {s: v if s.sort == t.INT else ev.numbers.lift(v) for s, v in place.items()}
        try:
            return bool(ev.value(body, lifted))
        except (Undefined, Undecided):
            return False

    if holds():
        return
    for cell in dict.fromkeys(cells_in(body, arrays, place, found)):
        old = found.get(cell, Fraction(0))
        for value in (abs(old), *WHOLE, 1 / (2 + abs(old)), *OTHERS):
            found[cell] = value
            if holds():
                return
        found[cell] = old


def cells_in(body: Term, arrays: Iterable[t.Array], place: Env, found: Cells) -> Iterator[Cell]:
    """The cells of reals that a condition reads at a place."""
    ev = evaluator(found, arrays)
    for read in t.walk(body):
        if isinstance(read, t.Read) and not read.array.span and free(read) <= place.keys():
            yield read.array.name, tuple(ev.value(e, place) for e in read.index)
