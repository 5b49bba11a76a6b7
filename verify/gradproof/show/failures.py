"""A counterexample put back into its theorem: the sequent, the place and the cells. Untrusted."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gradproof.evaluate.judge import Evaluator, numbers_for
from gradproof.evaluate.numbers import RATIONALS, Undecided, Undefined
from gradproof.evaluate.replay import Cells, Env, Point, arrays_of
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Array
from gradproof.settle.counterexamples import Counterexample
from gradproof.settle.places import at_rank_of, place_in, sequents_of, sizes_in
from gradproof.theorems.integers import without_integers
from gradproof.theorems.sequents import Sequent, Theorem


@dataclass(frozen=True)
class Replay:
    """A sequent without bundles that is false at a place, for these cells; other cells are 0."""

    op: Op
    sequent: Sequent
    sizes: Env
    place: Env
    cells: Cells

    @property
    def index(self) -> tuple[int, ...]:
        return tuple(self.place[symbol] for symbol, _, _ in self.sequent.over)

    def value(self, term: Any) -> Any:
        """The value of a term at the place."""
        numbers = numbers_for(*self.sequent.terms)

        def tensor(name: str) -> Any:
            return lambda index: numbers.lift(self.cell(name, index))

        env = {s: v if s.sort == t.INT else numbers.lift(v) for s, v in self.place.items()}
        tensors = {a.name: tensor(a.name) for a in self.arrays}
        return Evaluator(numbers, tensors, self.sequent.where).value(term, env)

    def shape(self, array: Array) -> tuple[int, ...]:
        return Evaluator(RATIONALS, {}).shape(array, self.sizes)

    @property
    def output(self) -> Array:
        """The output that an entry is of, or the first."""
        left = self.sequent.then.args[0] if isinstance(self.sequent.then, t.Eq) else None
        read = t.arrays(left.body) if isinstance(left, t.Slope) and self.sequent.where else ()
        return next((y for y in self.op.outputs if y in read), self.op.output)

    @property
    def arrays(self) -> tuple[Array, ...]:
        return arrays_of(self.sequent)

    def cell(self, name: str, index: tuple[int, ...]) -> Fraction:
        return self.cells.get((name, index), Fraction(0))


def replay(op: Op, theorem: Theorem, found: Counterexample) -> Replay | None:
    """The failure that a counterexample tells of, if evaluation shows it again."""
    instance = at_rank_of(theorem, found)
    real = without_integers(op)
    written_out = real if found.rank is None else real.at_rank(found.rank)
    sizes = sizes_in(instance, found)
    cells = {
        (name, tuple(json.loads(index))): Fraction(value)
        for name, values in found.values.items()
        for index, value in values.items()
    }
    for sequent in sequents_of(instance, found):
        place = sizes | place_in(sequent, found)
        try:
            if Point(sequent, cells).fails(place) is not None:
                return Replay(written_out, sequent, sizes, place, cells)
        except (Undefined, Undecided, KeyError):
            continue
    return None


def approximate(text: str) -> Any:
    """A number of a counterexample: exact, or the middle of an interval; nan if it is neither."""
    try:
        parts = [Fraction(part) for part in text.strip("[]").split(", ")]
    except ValueError:
        return math.nan
    return sum(parts, Fraction(0)) / len(parts)


def decimal(text: str) -> str:
    """A certified interval as a decimal number; anything else as it is."""
    return rounded(approximate(text)) if text.startswith("[") else text


def rounded(value: Fraction | float) -> str:
    """To six digits, however large it is."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"
