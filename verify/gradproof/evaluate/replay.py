"""A failure put to the test: one sequent, one place, given cells, exact evaluation. Trusted.

Whatever says that a theorem is false, it is `refuted` only by what is said here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from gradproof.evaluate.judge import (
    SIGNS,
    Circular,
    Evaluator,
    Tensor,
    Value,
    Whole,
    compare,
    numbers_for,
)
from gradproof.evaluate.limits import Ray, limits
from gradproof.evaluate.numbers import Numbers, Undecided, Undefined
from gradproof.language import terms as t
from gradproof.language.substitution import free, number_of
from gradproof.language.systems import made_by
from gradproof.language.terms import INT, Array, Sym, Term
from gradproof.theorems.sequents import Sequent, Theorem

Env = dict[Sym, Value]
Cell = tuple[str, tuple[int, ...]]
Cells = dict[Cell, Fraction]


class Unmet(Undecided):
    """A place of which a sequent does not speak."""


@dataclass(frozen=True)
class Failure:
    """A sequent that is false at a place, for the given cells; all other cells are 0."""

    sequent: Sequent
    env: Env
    cells: Cells
    left: str
    right: str


def replayed(theorem: Theorem, found: Failure) -> Failure | None:
    """A failure of a theorem without bundles as evaluation shows it; None if it shows none."""
    sequent, place = found.sequent, found.env
    within = (t.in_range(*r) for r in sequent.over)
    if sequent not in theorem.sequents or is_loose(sequent):
        return None
    if not satisfies((*theorem.given, *within), place):
        return None
    point = Point(sequent, found.cells)
    try:
        lifted = point.lifted(place)
        arrays = (*arrays_of(sequent), *map(made_by, sequent.where))
        shapes = [point.evaluator.shape(a, lifted) for a in arrays]
        if any(n < 0 for shape in shapes for n in shape):
            return None
        if theorem.kind == "order" and not point.has_circle(place):
            return None  # another order may do
        return point.fails(place)
    except (Undefined, Undecided):
        return None


def is_loose(sequent: Sequent) -> bool:
    """It asks more than is meant: that it hold whatever the states of a loop over axes are."""
    bound = {symbol for symbol, _, _ in sequent.over}
    names = {s for c in (*sequent.hypotheses, sequent.then) for s in free(c)} - bound
    return any(number_of(s) for s in names)


def satisfies(given: Iterable[Term], env: Env) -> bool:
    given = tuple(given)
    numbers = numbers_for(*given)
    ev = Evaluator(numbers, {})
    env = {s: v if s.sort == INT else numbers.lift(v) for s, v in env.items()}
    try:
        return all(ev.value(g, env) for g in given)
    except (Undefined, Undecided, KeyError):
        return False


def met(sequent: Sequent, place: Env, cells: Cells) -> bool:
    """Whether what a sequent assumes of values holds of the cells, of which there are some."""
    point = Point(sequent, cells)
    try:
        env = point.lifted(place)
        shapes = [point.evaluator.shape(a, env) for a in arrays_of(sequent)]
        has_cells = all(n > 0 for shape in shapes for n in shape)
        return has_cells and all(point.evaluator.value(c, env) for c in sequent.when)
    except (Undefined, Undecided, KeyError):
        return False


@t.remembered
def arrays_of(sequent: Sequent) -> tuple[Array, ...]:
    """The arrays whose cells may have any values."""
    found = {a for c in sequent.terms for a in t.arrays(c)}
    found |= {a for u in t.walk(sequent.then) if isinstance(u, t.Linear) for a in u.by}
    found -= {made_by(e) for e in sequent.where}
    return tuple(sorted(found, key=lambda a: a.name))


class Point:
    """A sequent at given values of the cells, all others 0: plain evaluation, place by place."""

    def __init__(self, sequent: Sequent, cells: Cells) -> None:
        self.sequent, self.cells = sequent, cells
        numbers = numbers_for(*sequent.terms)

        def tensor(array: Array) -> Tensor:
            if array.span:
                return Whole(lambda index: cells.get((array.name, index), 0))
            return lambda index: numbers.lift(cells.get((array.name, index), 0))

        tensors = {a.name: tensor(a) for a in arrays_of(sequent)}
        self.evaluator = Evaluator(numbers, tensors, sequent.where)

    def lifted(self, place: Env) -> Env:
        lift = self.evaluator.numbers.lift
        return {s: v if s.sort == INT else lift(v) for s, v in place.items()}

    def has_circle(self, place: Env) -> bool:
        """Whether a cell of what the equations define is computed from itself."""
        ev, env = self.evaluator, self.lifted(place)
        for array in map(made_by, self.sequent.where):
            for index in product(*map(range, ev.shape(array, env))):
                try:
                    ev.cell(array.name, index, env)
                except Circular:
                    return True
                except (Undefined, Undecided):
                    continue
        return False

    def fails(self, place: Env) -> Failure | None:
        """The failure, if evaluation shows one."""
        ev, sequent, then = self.evaluator, self.sequent, self.sequent.then
        env = self.lifted(place)
        if not all(ev.value(c, env) for c in sequent.when):
            raise Unmet("the hypotheses do not hold there")
        if isinstance(then, t.Linear):
            return replayed_linear(sequent, place, self.cells, ev, env)
        if not isinstance(then, t.Relation):
            holds = ev.value(then, env) or (sequent.limits and not self.is_outside(env))
            return None if holds else Failure(sequent, place, self.cells, "false", "true")
        left, right = (ev.real(side, env) for side in then.args)
        try:
            holds = SIGNS[type(then)](compare(ev, left, right))
        except Undecided:
            return None
        return None if holds else Failure(sequent, place, self.cells, str(left), str(right))

    def is_outside(self, env: Mapping[Sym, Value]) -> bool:
        """Whether all limits of a derivative are on one side of what a rule says it is."""
        ev, asked = self.evaluator, self.sequent.limits
        assert asked is not None
        moving = {cell.array.name for cell, _ in asked.moves}

        def seeded(name: str, cells: Tensor) -> Tensor:
            one = ev.numbers.one
            return lambda index: Ray(cells(index), {(name, index): one} if name in moving else {})

        tensors = {n: c if isinstance(c, Whole) else seeded(n, c) for n, c in ev.tensors.items()}
        place = {s: v if s.sort == INT else Ray(v) for s, v in env.items()}

        def computed(numbers: Numbers) -> Ray:
            found: Ray = Evaluator(numbers, tensors, self.sequent.where).real(asked.value, place)
            return found

        moves = [
            ((cell.array.name, tuple(ev.value(e, env) for e in cell.index)), ev.real(speed, env))
            for cell, speed in asked.moves
        ]
        said, sides = ev.real(asked.said, env), set()
        for ray in limits(ev.numbers, computed):
            along = ev.numbers.zero
            for cell, speed in moves:
                along = along + ray.by.get(cell, ev.numbers.zero) * speed
            sides.add(compare(ev, said, along))
        return sides in ({1}, {-1})


def replayed_linear(
    sequent: Sequent, place: Env, cells: Cells, ev: Evaluator, env: Env
) -> Failure | None:
    """f(t) against f(2t)/2: equal for a linear f."""
    term, names = sequent.then.body, {a.name for a in sequent.then.by}
    two = ev.numbers.lift(Fraction(2))

    def doubled(name: str) -> Tensor:
        cells_of = ev.tensors[name]
        return (lambda index: two * cells_of(index)) if name in names else cells_of

    twice = Evaluator(ev.numbers, {name: doubled(name) for name in ev.tensors}, sequent.where)
    once, double = two * ev.real(term, env), twice.real(term, env)
    try:
        if ev.numbers.sign(once + ev.numbers.lift(Fraction(-1)) * double) == 0:
            return None
    except Undecided:
        return None
    return Failure(sequent, place, cells, f"{once!s} = 2·f(t)", f"{double!s} = f(2·t)")
