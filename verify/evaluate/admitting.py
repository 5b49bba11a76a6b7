"""Values of the cells, changed until they are what a sequent requires of values. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import floor

from gradproof.evaluate.judge import Evaluator, Whole, numbers_for
from gradproof.evaluate.numbers import Undecided, Undefined
from gradproof.evaluate.replay import Cell, Cells, Env, arrays_of
from gradproof.evaluate.shapes import cells_at
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.systems import made_by
from gradproof.language.terms import Term
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
    asked = [c for c in closed if t.arrays(c) and t.arrays(c).isdisjoint(computed)]
    whole = [a for a in arrays_of(sequent) if a.span]
    cells = cells_at(sequent, env) if asked or whole else None
    if cells is None:
        yield from candidates
        return
    spans = {a.name: ends_of(a, env) for a in whole}
    failed = 0
    for candidate in candidates:
        found = dict(candidate)
        for cell in cells if whole else ():
            if cell[0] in spans:
                found[cell] = brought(found.get(cell, Fraction(0)), *spans[cell[0]])
        for _ in range(ROUNDS):
            before = dict(found)
            for condition in together(asked):
                mend(condition, sequent, env, found)
            if found == before:
                break
        failed = 0 if meets(asked, sequent, env, found) else failed + 1
        if failed == MOST_FAILED:
            return
        if not failed:
            yield {cell: v for cell, v in found.items() if v}


def together(asked: Iterable[Term]) -> Iterator[Term]:
    """What is said of the same cells as one condition, for values that meet all of it."""
    said: dict[tuple[Term, ...], list[Term]] = {}
    for condition in asked:
        over = condition.ranges if isinstance(condition, t.ForAll) else ()
        said.setdefault(over, []).append(condition)
    for over, conditions in said.items():
        bodies = (c.body if over else c for c in conditions)
        yield t.ForAll(t.And(*bodies), *over) if over else t.And(*bodies)


def meets(asked: Iterable[Term], sequent: Sequent, env: Env, cells: Cells) -> bool:
    ev = evaluator(cells, arrays_of(sequent), *asked)
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


def mend(condition: Term, sequent: Sequent, env: Env, found: Cells) -> None:
    """Changes cells, one at each place where the condition does not hold, until it does."""
    arrays, places = arrays_of(sequent), [dict(env)]
    body = condition
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
