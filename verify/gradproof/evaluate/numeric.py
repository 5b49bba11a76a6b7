"""Untrusted: fast evaluation of an op on NumPy float arrays, on which no verdict rests.

Sums are axes before those of the array that an equation defines. Division by 0.0 and logarithms of
numbers that are not positive give what IEEE 754 says.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import sympy

from gradproof.evaluate.given import Floats, Sizes, all_sizes, listed, named, rank_of, ranked, wrong
from gradproof.evaluate.vectorised import RULES, require_within
from gradproof.language import ops as language
from gradproof.language import terms as t
from gradproof.language.ops import Op, target_of
from gradproof.language.requirements import about_values, spans_of
from gradproof.language.substitution import free
from gradproof.language.systems import Equations, made_by, needed_by, read_by, recurrences
from gradproof.language.terms import Array, Term

Env = Mapping[Any, Any]

BATCH = 2**16  # ranges of a scatter become axes until there are this many places; the rest loop


def forward(op: Op, inputs: Mapping[str, Any], sizes: Sizes) -> Any:
    """The output of the op; of several, what each is, by name.

    A size that is a dimension of an input need not be given.
    """
    ev = Evaluator(op, named(op, "input", op.operands, inputs), sizes)
    ev.compute(op.system)
    return alone({a.name: ev.tensors[a.name] for a in op.outputs})


def jvp(op: Op, inputs: Mapping[str, Any], tangents: Mapping[str, Any], sizes: Sizes) -> Any:
    """The tangent of the output, or of each; `tangents` go by their own names: `x_dot` for `x`."""
    given = named(op, "input", op.operands, inputs)
    given |= named(op, "tangent", map(language.tangent, op.inputs), tangents)
    ev = follow(op, "jvp", op.jvps, given, sizes)
    return alone({a.name: ev.tensors[a.name] for a in map(language.tangent, op.real_outputs)})


def vjp(op: Op, inputs: Mapping[str, Any], cotangent: Any, sizes: Sizes) -> dict[str, Floats]:
    """What each rule gives, by the name of its target: `x_bar` for the input `x`.

    Of several outputs `cotangent` has those of each by name, `y_bar` for `y`.
    """
    given = named(op, "input", op.operands, inputs)
    wanted = [language.cotangent(y) for y in op.real_outputs]
    several = {wanted[0].name: cotangent} if len(wanted) == 1 else cotangent
    given |= named(op, "cotangent", wanted, several)
    ev = follow(op, "vjp", op.vjp, given, sizes)
    return {made_by(rule).name: ev.tensors[made_by(rule).name] for rule in op.vjp}


def alone(found: dict[str, Floats]) -> Any:
    return found if len(found) > 1 else next(iter(found.values()))


def follow(op: Op, kind: str, rules: Any, given: dict[Any, Floats], sizes: Sizes) -> Evaluator:
    """With what the rules give; they may read what the op computes."""
    if not rules:
        raise ValueError(f"{op.name}: no {kind} is written")
    ev = Evaluator(op, given, sizes)
    ev.compute((*needed_by(rules, op.system), *rules))
    return ev


class Evaluator:
    """Evaluates the equations of an op on the given arrays."""

    real: type = float  # of the numbers in arrays

    @np.errstate(all="ignore")
    def __init__(self, op: Op, given: Mapping[Array, Floats], sizes: Sizes) -> None:
        self.rank = rank_of(op, given, sizes)
        self.sizes = all_sizes(op, given, sizes, self.rank)
        self.tensors = {a.name: values for a, values in given.items()}
        for clause in (c for c in op.requires if not about_values(c)):
            written = ranked(clause, self.rank)
            if not self.value(written, self.sizes, True):
                symbols = sorted(free(written), key=str)
                found = listed(f"{s} = {self.sizes[s]}" for s in symbols)
                raise wrong(op, "requires", found, clause)
        for a, values in given.items():
            shape = self.shape(ranked(a, self.rank))
            if values.shape != shape:
                raise wrong(op, f"shape of {a}", values.shape, f"{shape}: {listed(a.dims)}")
        asked = (op.closed(c) for c in op.requires if about_values(c))
        for clause in (*spans_of(op.operands), *asked):
            if not self.value(ranked(clause, self.rank), self.sizes, True):
                raise wrong(op, "requires", "values for which it is false", clause)

    def shape(self, array: Array) -> tuple[int, ...]:
        return tuple(max(0, int(self.value(d, self.sizes, True))) for d in array.dims)

    def compute(self, equations: Iterable[Term]) -> None:
        """Every array, after those that it reads; those that read themselves step by step."""
        left = tuple(equations)
        groups = {e: group for group in recurrences(left) for e in group}
        while left:
            ready = next(g for g in (groups.get(e, (e,)) for e in left) if is_ready(g, left))
            self.repeat(ready) if ready[0] in groups else self.once(ready)
            left = tuple(e for e in left if e not in ready)

    def once(self, equations: Equations) -> None:
        for equation in equations:
            self.tensors[made_by(equation).name] = self.equation(equation)

    def repeat(self, group: Equations) -> None:
        """Each turn makes more cells known, until none becomes so: at first all are NaN."""
        arrays = [made_by(e) for e in group]
        for a in arrays:
            self.tensors[a.name] = np.full(self.shape(ranked(a, self.rank)), np.nan, self.real)
        before: list[Floats] = []
        while not (before and all(map(is_same, before, (self.tensors[a.name] for a in arrays)))):
            before = [self.tensors[a.name] for a in arrays]
            self.once(group)

    def value(self, term: Term, env: Env, mask: Any) -> Any:
        if isinstance(term, t.Sym):
            return env[term]
        if isinstance(term, sympy.Rational):
            return int(term) if term.is_Integer else int(term.p) / int(term.q)
        return RULES[type(term)](self, term, env, mask)

    def places(self, ranges: Any, env: Env, mask: Any) -> Iterator[tuple[Env, Any]]:
        """The environments that loops over the ranges visit, and where they do; each entry starts
        at its own first value, so there are as many turns as the longest range has values."""
        if not ranges:
            yield env, mask
            return
        (symbol, first, last), *rest = ranges
        low, high = self.value(first, env, mask), self.value(last, env, mask)
        length = np.where(mask, high - low + 1, 0)
        for turn in range(int(np.max(length))):
            visited = turn < length
            inner = mask if np.all(visited) else visited
            yield from self.places(rest, {**env, symbol: low + turn}, inner)

    def blocks(
        self, ranges: Any, env: Env, mask: Any, shape: tuple[int, ...]
    ) -> Iterator[tuple[Env, Any]]:
        """As `places`, many at once: each range is an axis before those of `shape`, in blocks."""
        if not ranges:
            yield env, mask
            return
        (symbol, first, last), *rest = ranges
        low, high = self.value(first, env, mask), self.value(last, env, mask)
        length = np.where(mask, high - low + 1, 0)
        most, step = int(np.max(length)), max(1, BATCH // max(1, math.prod(shape)))
        for start in range(0, most, step):
            turns = np.arange(start, min(most, start + step)).reshape(-1, *(1 for _ in shape))
            visited = turns < length
            inner = mask if np.all(visited) else visited
            values = {**env, symbol: low + turns}
            yield from self.blocks(rest, values, inner, (len(turns), *shape))

    @np.errstate(all="ignore")
    def equation(self, equation: Term) -> Floats:
        """The array that an equation or a scatter defines."""
        equation = ranked(equation, self.rank)
        target = target_of(equation)
        total: Floats = np.zeros(self.shape(target.array), int if target.array.span else self.real)
        if isinstance(equation, t.Scatter):
            self.scatter(equation, total)
        elif total.size:
            grids = dict(zip(target.index, np.ix_(*map(np.arange, total.shape)), strict=True))
            total[...] = self.value(equation.right, {**self.sizes, **grids}, True)
        return total

    def scatter(self, equation: Term, total: Floats) -> None:
        target = equation.target
        env, grid, ranges = self.grid(equation.ranges)
        for place, mask in self.places(ranges, env, True) if math.prod(grid) else ():
            live = mask & self.value(equation.where, place, mask)
            index = [self.value(e, place, live) for e in target.index]
            require_within(lambda: f"{target} writes {target.array}", index, total.shape, live)
            strides = [math.prod(total.shape[axis + 1 :]) for axis in range(total.ndim)]
            flat = sum(map(operator.mul, index, strides))
            value = self.value(equation.value, place, live)
            at, values, where = (np.broadcast_to(v, grid) for v in (flat, value, live))
            np.add.at(total.reshape(-1), at[where], values[where])

    def grid(self, ranges: Any) -> tuple[Env, tuple[int, ...], Any]:
        """Leading ranges as axes, the last one first; the ranges that are left to loop over."""
        env, grid = dict(self.sizes), tuple[int, ...]()
        for count, (symbol, first, last) in enumerate(ranges):
            ends = [self.value(e, env, True) for e in (first, last)]
            if any(map(np.ndim, ends)) or math.prod(grid) >= BATCH:
                return env, grid, ranges[count:]
            values = np.arange(ends[0], ends[1] + 1)
            env[symbol] = values.reshape(-1, *(1 for _ in grid))
            grid = (len(values), *grid)
            if not len(values):
                break
        return env, grid, ()


def is_ready(group: Equations, left: Equations) -> bool:
    """Whether it reads nothing that other equations have yet to make."""
    return {a for e in group for a in read_by(e)}.isdisjoint(
        made_by(e) for e in left if e not in group
    )


is_same = partial(np.array_equal, equal_nan=True)
