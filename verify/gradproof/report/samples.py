"""An op at one small shape: its windows and its Jacobian, by exact evaluation. Untrusted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from gradproof.evaluate.judge import Evaluator, numbers_for
from gradproof.evaluate.numbers import RATIONALS, Undecided, Undefined
from gradproof.evaluate.replay import satisfies
from gradproof.evaluate.shapes import lowest
from gradproof.language import terms as t
from gradproof.language.ops import Op, target_of
from gradproof.language.ranks import spread
from gradproof.settle.places import value_of
from gradproof.show.reading import Cell, window

Env = dict[Any, Any]
MOST_CELLS = 40  # of an array that is drawn
PRIME = 101  # of the sample values: multiples of 37 modulo a prime are all different


@dataclass(frozen=True)
class Sample:
    """An op without bundles, and values of all its sizes and parameters."""

    op: Op
    rank: int | None
    env: Env

    @property
    def sizes(self) -> dict[str, Any]:
        return {s.name.replace(".1", ""): self.env[s] for s in self.op.sizes}

    def shape(self, array: t.Array) -> Cell:
        return Evaluator(RATIONALS, {}).shape(array, self.env)

    def cells(self, array: t.Array) -> list[Cell]:
        return list(product(*map(range, self.shape(array))))

    @property
    def is_small(self) -> bool:
        """Every array has a shape, and few cells."""
        try:
            shapes = [self.shape(a) for a in (*self.op.operands, self.op.output)]
        except (Undefined, KeyError):
            return False
        return all(min(s, default=1) >= 0 and math.prod(s) <= MOST_CELLS for s in shapes)

    @property
    def main(self) -> t.Array:
        """The input with most cells, of equal ones the last by name."""
        return max(self.op.inputs or self.op.operands, key=lambda a: (len(self.cells(a)), a.name))


def written_out(op: Op, rank: int | None) -> Op:
    return op if rank is None else op.at_rank(rank)


def sample_of(op: Op) -> Sample | None:
    """A shape that shows what the op does: windows of 3 cells, 2 apart, over an input of 5."""
    rank = 1 if op.is_rank_generic else None
    flat = written_out(op, rank)
    windows = [p for w in op.windows for p in per_axis(rank, w.count, w.extent, w.stride)]
    fitting = (s for s in candidates(flat, rank) if satisfies(flat.requires, s.env) and s.is_small)
    return min(fitting, key=lambda s: cost(s, windows), default=None)


def candidates(op: Op, rank: int | None) -> Iterator[Sample]:
    leading = {a.dims[0] for a in (*op.operands, op.output) if len(a.dims) > 1}  # channels first
    symbols = [s for s in op.sizes if s.sort == t.INT]
    varied = [s for s in symbols if s not in leading]
    fixed: Env = {s: max(1, lowest(s, op.requires) or 0) for s in symbols if s in leading}
    fixed |= {s: Fraction(1) for s in op.sizes if s.sort != t.INT}
    steps = (0, 1, 2, 4) if len(varied) <= 4 else (1, 2, 4)
    choices = [[(lowest(s, op.requires) or 0) + d for d in steps] for s in varied]
    for values in product(*choices):
        yield Sample(op, rank, fixed | dict(zip(varied, values, strict=True)))


def cost(sample: Sample, windows: list[tuple[Any, ...]]) -> tuple[int, ...]:
    """How far a shape is from the one that shows most; sizes at their least show little."""
    ev = Evaluator(RATIONALS, {})
    wanted = [(spatial(sample.op.output), 3)]
    wanted += [(spatial(a), 5 if a is sample.main else 3) for a in sample.op.inputs]
    far = sum(abs(ev.value(d, sample.env) - n) for dims, n in wanted for d in dims)
    for count, extent, stride in windows:
        for term, n in ((count, 3), (extent, 3), (stride, 2)):
            far += abs(ev.value(term, sample.env) - n)
    least = sum(v == (lowest(s, sample.op.requires) or 0) for s, v in sample.env.items())
    return far + 3 * least + sum(int(v) for v in sample.env.values()), far


def spatial(array: t.Array) -> tuple[Any, ...]:
    """The dimensions behind the channels, or the only one."""
    return array.dims[1:] or array.dims


def windows(sample: Sample, array: t.Array) -> dict[Cell, set[Cell]]:
    """For each output, the places of the input that it reads; those outside are padding."""
    forward = sample.op.rule(sample.op.output.name)
    index = target_of(forward).index
    return {
        cell: window(forward.right, array, sample.env | dict(zip(index, cell, strict=True)))
        for cell in sample.cells(sample.op.output)
    }


def windows_or_nothing(sample: Sample, array: t.Array) -> dict[Cell, set[Cell]]:
    """Where an index or a range depends on the values of tensors, there is nothing to draw."""
    try:
        return windows(sample, array)
    except (Undefined, Undecided, KeyError):
        return {}


# The Jacobian.


def sample_values(sample: Sample) -> dict[str, dict[Cell, Fraction]]:
    """Whole numbers, all different within an array, so that every maximum has one place."""
    return {
        a.name: {c: Fraction((37 * (i + 1)) % PRIME) for i, c in enumerate(sample.cells(a))}
        for a in sample.op.operands
    }


def jacobian(sample: Sample, array: t.Array) -> dict[tuple[Cell, Cell], bool] | None:
    """Whether ∂y[o]/∂x[i] is not 0, for every o and i; None if that cannot be told."""
    forward = sample.op.rule(sample.op.output.name)
    numbers = numbers_for(forward)
    ev = Evaluator(numbers, lifted(sample_values(sample), numbers))
    env = {s: v if s.sort == t.INT else numbers.lift(v) for s, v in sample.env.items()}
    found = {}
    try:
        for o in sample.cells(sample.op.output):
            places = dict(zip(target_of(forward).index, o, strict=True))
            for i in sample.cells(array):
                slope = ev.slope(forward.right, env | places, array.name, i)
                found[o, i] = numbers.sign(slope) != 0
    except (Undefined, Undecided):
        return None
    return found


def lifted(values: Mapping[str, Mapping[Cell, Fraction]], numbers: Any) -> dict[str, Any]:
    def tensor(cells: Mapping[Cell, Fraction]) -> Any:
        return lambda index: numbers.lift(cells[index])

    return {name: tensor(cells) for name, cells in values.items()}


# Counterexamples.


def sample_at(op: Op, rank: int | None, sizes: Mapping[str, Any]) -> Sample:
    """The op at the sizes of a counterexample; a size that it does not name is 1."""
    flat = written_out(op, rank)
    env: Env = {s: 1 if s.sort == t.INT else Fraction(1) for s in flat.sizes}
    named = {s: value_of(s, sizes) for s in flat.sizes if s.name.partition(".")[0] in sizes}
    return Sample(flat, rank, env | named)


def declared_windows(op: Op, sample: Sample) -> Iterator[tuple[int, int, int]]:
    """Size, extent and stride of the declared windows on each axis, whatever their count is."""
    ev = Evaluator(RATIONALS, {})
    for w in op.windows:
        for parts in per_axis(sample.rank, w.size, w.extent, w.stride):
            size, extent, stride = (ev.value(e, sample.env) for e in parts)
            yield size, extent, stride


def per_axis(rank: int | None, *terms: Any) -> Iterator[tuple[Any, ...]]:
    """The terms on each axis; a number is the same on all of them."""
    axes = rank or 1
    spreads = (tuple(spread(t.as_term(e), axes)) for e in terms)
    return zip(*(s if len(s) == axes else s * axes for s in spreads), strict=True)
