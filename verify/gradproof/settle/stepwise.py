"""Steps of a recurrence tried alone, at values that its equations give. Deciding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from gradproof.evaluate.admitting import admitted
from gradproof.evaluate.bounded import MOST_PLACES, places_at
from gradproof.evaluate.numbers import Undecided, Undefined
from gradproof.evaluate.points import fixed
from gradproof.evaluate.replay import Cells, Env, Failure, Point
from gradproof.language.systems import made_by
from gradproof.theorems.sequents import Sequent, Theorem


@dataclass(frozen=True)
class Tried:
    """At how many places, and where a step fails, if one does."""

    places: int
    failure: Failure | None = None


def tried(theorem: Theorem, shapes: Iterable[Env]) -> Tried:
    seen = 0
    for shape in shapes:
        for sequent in theorem.local:
            alone = replace(sequent, where=())
            places, cells = places_at(sequent, shape, MOST_PLACES)
            for values in admitted(sequent, shape, fixed(cells)):
                made = computed(sequent, shape, values)
                known = {c: v for c, v in made.items() if isinstance(v, int | Fraction)}
                point = Point(alone, values | known)
                for place in places:
                    try:
                        failure = point.fails(place)
                    except (Undecided, Undefined, KeyError):
                        continue
                    seen += 1
                    if failure is not None and len(known) == len(made):
                        return Tried(seen, failure)
    return Tried(seen)


def computed(sequent: Sequent, shape: Env, values: Cells) -> Cells:
    """The cells of the arrays that equations define, where these have values."""
    point, found = Point(sequent, values), {}
    ev, env = point.evaluator, point.lifted(shape)
    for array in map(made_by, sequent.where):
        for index in product(*map(range, ev.shape(array, env))):
            try:
                found[array.name, index] = ev.cell(array.name, index, env)
            except (Undecided, Undefined):
                continue
    return found
