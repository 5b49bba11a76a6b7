"""The composed rules against plain differentiation of the composed forward. Deciding.

At small sizes, along one direction of all inputs at once: the forward of the whole graph, evaluated
with numbers that carry their derivative, must give what JVP and VJP give. The arithmetic is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
from mpmath.libmp import libmpi, to_float

from gradproof.evaluate.judge import Evaluator, Whole, is_transcendental
from gradproof.evaluate.numbers import (
    INTERVALS,
    RATIONALS,
    Interval,
    Jet,
    Undecided,
    Undefined,
    jets,
    precisely,
)
from gradproof.graphs.accumulating import Accumulation
from gradproof.graphs.exactly import arrays_at
from gradproof.graphs.nodes import Node, Var, Wiring
from gradproof.graphs.requiring import assumed_of
from gradproof.graphs.small import Sizes, small_sizes
from gradproof.language.substitution import Fresh
from gradproof.theorems.composition import Boundaries
from gradproof.theorems.steady import different

MOST_CELLS = 3_000
BITS = 300  # of intervals, which widen from node to node
NARROW = 1e-6  # an interval wider than this says nothing
POINTS, LEAST = 6, 2  # at most, until one is off every boundary

Arrays = dict[Var, Any]


@dataclass(frozen=True)
class Tried:
    """What came of it: at how many points, at how many of them no branch turned; an objection."""

    points: int = 0
    regular: int = 0
    sizes: str = ""
    against: str = ""
    turning: str = ""  # a node on its boundary: where there is an objection, or else at the last


def tried(wiring: Wiring) -> Tried:
    """At the first small sizes at which some point is regular."""
    last = Tried()
    for twin, sizes in small_sizes(wiring):
        with precisely(BITS):
            last = at_sizes(twin, sizes)
        if last.against or last.regular:
            break
    return last


def at_sizes(wiring: Wiring, sizes: Sizes) -> Tried:
    shown = ", ".join(f"{s} = {v}" for s, v in sizes.items())
    trial = Trial(wiring, sizes)
    if trial.cells > MOST_CELLS:
        return Tried(sizes=shown)
    points = regular = 0
    turning = ""
    for number in range(POINTS):
        try:
            against, turns = trial.at(number)
        except (Undecided, Undefined):
            continue
        points += 1
        turning = turns or turning
        regular += not turns
        if against:
            return Tried(points, regular, shown, against, turns)
        if regular and points >= LEAST:
            break
    return Tried(points, regular, shown, "", turning)


class Trial:
    def __init__(self, wiring: Wiring, sizes: Sizes) -> None:
        self.wiring = wiring
        self.plain = Evaluator(RATIONALS, {})
        equations = [e for n in wiring.nodes for e in n.at.equations.values()]
        self.numbers = INTERVALS if any(map(is_transcendental, equations)) else RATIONALS
        self.env = {s: Fraction(v) if s.sort != "integer" else v for s, v in sizes.items()}
        self.sizes = {
            n: {s: self.lifted(s, self.size(v)) for s, v in n.sizes.items()} for n in wiring.nodes
        }
        computed = (v for n in wiring.nodes for v in n.results.values())
        everything = (*wiring.inputs, *computed)
        self.shapes = {v: tuple(map(self.size, v.shape)) for v in everything}
        self.cells = sum(int(np.prod(shape)) for shape in self.shapes.values())

    def size(self, term: Any) -> Any:
        return self.plain.value(term, self.env)

    def lifted(self, symbol: Any, value: Any) -> Any:
        return value if symbol.sort == "integer" else self.numbers.lift(value)

    def at(self, number: int) -> tuple[str, str]:
        """What JVP and VJP do wrong at a point, if anything; a node on whose boundary it is."""
        drawn = Random(number)
        lift = self.numbers.lift
        inputs = {x: self.filled(x, drawn, number % 2 == 0) for x in self.wiring.inputs}
        dots = {x: self.filled(x, drawn, False) for x in self.wiring.moving}
        bars = {v: self.filled(v, drawn, False) for v in self.wiring.outputs if v.moves}
        if not self.is_admitted(inputs):
            raise Undefined("values that are not assumed")
        values = self.forward(inputs)
        turns = next(
            (n.name for n in self.wiring.nodes if not self.is_regular(n, values, drawn)), ""
        )
        moved = self.moved(inputs, dots)
        composed = Accumulation(self.wiring, values, self.step, self.zeros)
        pushed = composed.pushed(dots)
        for v in bars:
            for index in product(*map(range, self.shapes[v])):
                if self.differ(moved[v][index], pushed[v][index]):
                    return f"the tangent of {v.name}{list(index)}", turns
        pulled = composed.pulled(bars)
        zero = lift(0)
        left = sum((a * b for v in bars for a, b in pairs(bars[v], moved[v])), zero)
        right = sum((a * b for x in dots for a, b in pairs(pulled[x], dots[x])), zero)
        return ("⟨y_bar, y_dot⟩ = ⟨x_bar, x_dot⟩" if self.differ(left, right) else ""), turns

    def is_admitted(self, inputs: Arrays) -> bool:
        cells = {x.name: a.__getitem__ for x, a in inputs.items()}
        whole = {x.name: Whole(cells[x.name]) for x in inputs if x.span}
        judge = Evaluator(self.numbers, {**cells, **whole})
        env = {s: self.lifted(s, v) for s, v in self.env.items()}
        return all(judge.value(clause, env) for clause in assumed_of(self.wiring))

    def filled(self, var: Var, drawn: Random, is_positive: bool) -> Any:
        """Fractions, no two alike; positive ones make few branches turn. Or integers in range."""
        found = np.empty(self.shapes[var], dtype=object)
        first, last = map(self.size, var.span) if var.span else (0, 0)
        if last < first:
            raise Undefined(f"{var.name} has no integer")
        for index in product(*map(range, found.shape)):
            if var.span:
                found[index] = drawn.randint(first, last)
                continue
            low = 1 if is_positive else -12
            value = Fraction(drawn.randint(low * 97, 12 * 97), 97 * 6)
            found[index] = self.numbers.lift(value)
        return found

    def differ(self, a: Any, b: Any) -> bool:
        """Whether two numbers are surely not equal; undecided where intervals are too wide."""
        difference = a + self.numbers.lift(-1) * b
        if not isinstance(difference, Interval):
            return bool(difference != 0)
        try:
            return self.numbers.sign(difference) != 0
        except Undecided:
            if to_float(libmpi.mpi_delta(difference.ends, 53)) > NARROW:
                raise
            return False

    def step(self, node: Node, of: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
        return arrays_at(node, of, arrays, self.sizes[node], self.numbers)

    def read(self, node: Node, values: Arrays) -> dict[str, Any]:
        return {name: values[v] for name, v in node.operands.items()}

    def forward(self, inputs: Arrays) -> Arrays:
        values = dict(inputs)
        for node in self.wiring.nodes:
            found = self.step(node, "forward", self.read(node, values))
            values |= {var: found[y] for y, var in node.results.items()}
        return values

    def with_jets(self, node: Node, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """The forward of a node at numbers that carry a derivative."""
        sizes = {s: v if s.sort == "integer" else Jet(v) for s, v in self.sizes[node].items()}
        return arrays_at(node, "forward", arrays, sizes, jets(self.numbers))

    def moved(self, inputs: Arrays, dots: Arrays) -> Arrays:
        """The derivatives of all outputs along the direction, by the forward alone."""
        values = {x: a if x.span else jetted(a, dots.get(x)) for x, a in inputs.items()}
        for node in self.wiring.nodes:
            found = self.with_jets(node, self.read(node, values))
            values |= {var: found[y] for y, var in node.results.items()}
        zero = self.numbers.zero
        slope = np.frompyfunc(lambda j: j.rest[0] if j.rest else zero, 1, 1)
        return {v: np.asarray(slope(values[v]), dtype=object) for v in self.wiring.outputs}

    def is_regular(self, node: Node, values: Arrays, drawn: Random) -> bool:
        """Whether no branch of a node turns, whatever direction its operands take."""
        if node.op.is_recurrent:
            return self.is_steady(node, values)
        arrays = {}
        for name, var in node.operands.items():
            dots = self.filled(var, drawn, False) if var.moves else None
            arrays[name] = values[var] if var.span else jetted(values[var], dots)
        try:
            self.with_jets(node, arrays)
        except Undecided:
            return False
        return True

    def is_steady(self, node: Node, values: Arrays) -> bool:
        """Whether no step of a recurrence is on a boundary of one of its ops, each by itself."""
        op, cells = node.at, self.read(node, values)
        whole = {a.name: Whole(cells[a.name].__getitem__) for a in op.operands if a.span}
        tensors = {name: array.__getitem__ for name, array in cells.items()} | whole
        judge = Evaluator(self.numbers, tensors, op.system)
        moved = (x for x in op.inputs if node.operands[x.name].moves)
        bounds = (Boundaries(op.system, x, different) for x in moved)
        said = (c for each in bounds for c in each.avoided(Fresh(*op.system)))
        return all(judge.value(condition, self.sizes[node]) for condition in dict.fromkeys(said))

    def zeros(self, var: Var) -> Any:
        found = np.empty(self.shapes[var], dtype=object)
        found.fill(self.numbers.zero)
        return found


def pairs(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    return zip(np.ravel(a), np.ravel(b), strict=True)


def jetted(values: Any, dots: Any) -> Any:
    found = np.empty(np.shape(values), dtype=object)
    for index in product(*map(range, found.shape)):
        found[index] = Jet(values[index], () if dots is None else (dots[index],))
    return found
