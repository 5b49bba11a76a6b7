"""Whether the rules of several equations hold at one shape, by quotients of differences. Untrusted.

A cell is computed when it is read, whatever the order in which equations are written. Numbers are
so long that a quotient shows all digits of a derivative that are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

from gradproof.language import Array, Op, Scatter, cotangent, tangent
from gradproof.language import terms as t
from gradproof.language.functions import ARGUMENT
from gradproof.language.substitution import free
from trust.truth.loops import (
    FUNCTIONS,
    REALS,
    OutOfBounds,
    Tensor,
    Undefined,
    cells,
    name_of,
    value,
    written,
)

Names = dict[str, Any]
STEP = REALS.mpf(10) ** -30
CLOSE = REALS.mpf(10) ** -20
TRIES = 100
POINTS = 8  # at which a declaration is tried
POOLS: tuple[Callable[[Random], Any], ...] = (
    lambda drawn: REALS.mpf(drawn.randint(-40, 40)) / 16,
    lambda drawn: REALS.mpf(drawn.randint(1, 40)) / 16,
    lambda drawn: REALS.mpf(drawn.randint(1, 15)) / 16,
    lambda drawn: REALS.mpf(drawn.randint(0, 1)),
    lambda drawn: REALS.mpf(drawn.randint(-2, 2)),
)


class Fails(Exception):
    """That a theorem is false, by its name."""


class Computed(Tensor):
    """The cells of an array that an equation defines, each computed when it is read."""

    def __init__(self, name: str, equation: Any, names: dict[str, Any]) -> None:
        super().__init__(dict.fromkeys(cells(equation.target.array, names)))
        self.name, self.equation, self.names = name, equation, names
        self.pending: set[tuple[int, ...]] = set()

    def __getitem__(self, index: tuple[int, ...]) -> Any:
        found = super().__getitem__(index)
        if found is None:
            found = self[index] = self.computed(index)
        return found

    def get(self, index: tuple[int, ...], default: Any = None) -> Any:
        inside = index in self
        return self[index] if inside else default

    def computed(self, index: tuple[int, ...]) -> Any:
        if index in self.pending:
            kind = self.name.split()[0]
            kinds = (kind,) if kind in ("jvp", "vjp") else ("let", "forward")
            every = (c.name for c in self.names.values() if isinstance(c, Computed))
            raise Fails(*(f"{name}: order" for name in every if name.split()[0] in kinds))
        self.pending.add(index)
        try:
            if isinstance(self.equation, Scatter):
                return written(self.equation, self.names)[index]
            place = {
                f"_{i.name}": at for i, at in zip(self.equation.target.index, index, strict=True)
            }
            return value(self.equation.value, self.names | place)
        except Undefined:
            raise Fails(f"{self.name}: divisors and logarithms") from None
        except OutOfBounds:
            raise Fails(f"{self.name}: reads and writes") from None
        finally:
            self.pending.discard(index)

    def whole(self) -> Tensor:
        return {index: self[index] for index in self}


def solved(equations: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """The names, with all arrays that equations define."""
    found = dict(names)
    for name, equation in equations.items():
        found[f"_{equation.target.array.name}"] = Computed(name, equation, found)
    return found


def arrays_of(op: Op, names: Names) -> dict[str, Tensor]:
    """Every array that an op computes, in full."""
    found = solved(op.formulas, names)
    return {f"_{y.name}": found[f"_{y.name}"].whole() for y in op.computed}


def failing(op: Op, names: Names, drawn: Random) -> frozenset[str]:
    """The theorems that are false at a point; on derivatives where all has a value alone."""
    undefined = frozenset(without_value(op, names, drawn))
    if undefined:
        return undefined
    names = names | arrays_of(op, names)
    try:
        return frozenset((*of_tangents(op, names, drawn), *of_cotangents(op, names, drawn)))
    except Fails as fails:  # of a rule that divides by what it is given
        return frozenset(map(str, fails.args))


def failing_at(op: Op, names: Names) -> frozenset[str]:
    """Those that are false at a given point; of one that is not allowed, none."""
    whole = {x.name for x in op.operands if x.span}
    exact = {
        name: {c: int(v) if name[1:] in whole else REALS.convert(v) for c, v in of.items()}
        for name, of in ((f"_{x.name}", names[f"_{x.name}"]) for x in op.operands)
    }
    point = names | exact
    return failing(op, point, Random(0)) if meets(op, point) else frozenset()


def without_value(op: Op, names: Names, drawn: Random) -> Iterator[str]:
    """Which equations read, divide or go in circles as none may."""
    given = (*map(tangent, op.inputs), *map(cotangent, op.outputs))
    moved = {name: some(of, drawn) for name, of in zeros(given, names).items()}
    found = solved(op.equations, names | moved)
    for equation in op.equations.values():
        computed = found[f"_{equation.target.array.name}"]
        for index in computed:
            try:
                computed[index]
            except Fails as fails:
                yield from fails.args


def of_tangents(op: Op, names: Names, drawn: Random) -> Iterator[str]:
    rules = {name: e for name, e in op.equations.items() if name.split()[0] == "jvp"}
    if not rules:
        return
    outputs = [tangent(y) for y in op.outputs]

    def pushed(by: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return made(rules, outputs, {**names, **by})

    nothing = zeros(map(tangent, op.inputs), names)
    if not is_linear(pushed, nothing, drawn):
        yield "jvp is linear"
        return
    for x in op.inputs:
        along = some(nothing[f"_{x.name}_dot"], drawn)
        right = slopes(op, names, x, along)
        moved = pushed(nothing | {f"_{x.name}_dot": along})
        if any(not is_close(right[y.of], moved[f"_{y.name}"]) for y in outputs):
            yield f"jvp by {x}"


def of_cotangents(op: Op, names: Names, drawn: Random) -> Iterator[str]:
    rules = {name: e for name, e in op.equations.items() if name.split()[0] == "vjp"}
    nothing = zeros(map(cotangent, op.outputs), names)
    for x in op.inputs if rules else ():
        ends = [e.target.array for e in rules.values() if e.target.array.of == x.name]
        columns = {cell: slopes(op, names, x, {cell: 1}) for cell in cells(x, names)}
        for end in ends:

            def pulled(by: Mapping[str, Tensor], end: Array = end) -> dict[str, Tensor]:
                return made(rules, [end], {**names, **by})

            if not is_linear(pulled, nothing, drawn):
                yield f"vjp {end} is linear"
                continue
            given = {name: some(of, drawn) for name, of in nothing.items()}
            right = {cell: pulled_along(column, given) for cell, column in columns.items()}
            if not is_close(right, pulled(given)[f"_{end.name}"]):
                yield f"vjp {end}"


def pulled_along(column: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> Any:
    """The sum of what the derivatives of outputs by a cell give; None if one has no value."""
    pairs = [(v, given[f"_{name}_bar"][o]) for name, of in column.items() for o, v in of.items()]
    return None if any(v is None for v, _ in pairs) else sum(v * weight for v, weight in pairs)


def made(rules: Mapping[str, Any], ends: Iterable[Array], names: Names) -> dict[str, Tensor]:
    """What rules make of these arrays."""
    found = solved(rules, names)
    return {f"_{end.name}": found[f"_{end.name}"].whole() for end in ends}


def is_linear(
    made: Callable[[Mapping[str, Tensor]], dict[str, Tensor]],
    nothing: Mapping[str, Tensor],
    drawn: Random,
) -> bool:
    one, two = ({k: some(v, drawn) for k, v in nothing.items()} for _ in range(2))
    both = {name: {c: v + two[name][c] for c, v in of.items()} for name, of in one.items()}
    at_nothing, at_one, at_two, at_both = map(made, (nothing, one, two, both))
    return all(
        is_close({c: at_one[name][c] + at_two[name][c] for c in of}, of)
        and is_close(dict.fromkeys(of, 0), at_nothing[name])
        for name, of in at_both.items()
    )


def slopes(op: Op, names: Names, x: Array, along: Tensor) -> dict[str, Tensor]:
    """The derivative of each output in a direction of an input; None where it has two, or none."""

    def moved(step: Any) -> dict[str, Tensor]:
        near = {c: v + step * along.get(c, 0) for c, v in names[f"_{x.name}"].items()}
        try:
            return arrays_of(op, names | {f"_{x.name}": near})
        except Fails:
            return {f"_{y.name}": dict.fromkeys(cells(y, names)) for y in op.outputs}

    behind, here, ahead = map(moved, (-STEP, 0, STEP))
    return {
        y.name: {
            o: quotient(*(side[f"_{y.name}"][o] for side in (behind, here, ahead)))
            for o in cells(y, names)
        }
        for y in op.outputs
    }


def quotient(behind: Any, here: Any, ahead: Any) -> Any:
    if behind is None or ahead is None:
        return None
    sides = ((here - behind) / STEP, (ahead - here) / STEP)
    agree = abs(sides[0] - sides[1]) <= CLOSE * (1 + abs(sides[0]))
    return sum(sides) / 2 if agree else None


def is_close(one: Tensor, two: Tensor) -> bool:
    """Where both have a value."""
    pairs = ((REALS.convert(v), REALS.convert(two[c])) for c, v in one.items() if v is not None)
    return all(abs(v - w) <= CLOSE * (1 + abs(v) + abs(w)) for v, w in pairs)


def zeros(by: Iterable[Array], names: Names) -> dict[str, Tensor]:
    return {f"_{x.name}": dict.fromkeys(cells(x, names), 0) for x in by}


def some(places: Iterable[tuple[int, ...]], drawn: Random) -> Tensor:
    return {cell: REALS.mpf(drawn.randint(-64, 64)) / 16 for cell in places}


# Points.


def point(op: Op, names: Names, drawn: Random) -> dict[str, Any] | None:
    """Values that meet what is required, if some are found."""
    for _ in range(TRIES):
        found = dict(names)
        for x in op.operands:
            pool = drawn.choice(POOLS)
            if x.span:
                ends = [value(end, names) for end in x.span]
                if ends[0] > ends[1]:
                    return None
                pool = partial(among, *ends)
            found[f"_{x.name}"] = {cell: pool(drawn) for cell in cells(x, names)}
        if meets(op, found):
            return found
    return None


def among(first: int, last: int, drawn: Random) -> int:
    return drawn.randint(first, last)


def meets(op: Op, names: Names) -> bool:
    """Whether values are as required, at every index of what is read."""
    try:
        return all(holds(clause, names) for clause in op.requires)
    except (Undefined, OutOfBounds):
        return False


def holds(clause: Any, names: Names) -> bool:
    loose = [s for s in free(clause) if f"_{s.name}" not in names]
    if not loose:
        return bool(value(clause, names))
    reads = [(u, at) for u in t.walk(clause) if isinstance(u, t.Read) for at in range(len(u.index))]
    size = next(u.array.dims[at] for u, at in reads if u.index[at] == loose[0])
    return all(holds(clause, {**names, f"_{loose[0].name}": i}) for i in range(value(size, names)))


# What is stated of functions.


def misstated(op: Op, drawn: Random) -> Iterator[str]:
    """Functions of which something else is declared than what is known of them, where it shows."""
    said = (u for e in op.equations.values() for u in t.walk(e))
    for function in dict.fromkeys(u.function for u in said if isinstance(u, t.Apply)):
        known = FUNCTIONS[function.name]
        at = [POOLS[0](drawn) for _ in range(POINTS)]
        if not function.built_in and not all(is_as_declared(function, known, u) for u in at):
            yield f"{function}: as declared"


def is_as_declared(function: t.Function, known: Callable[[Any], Any], at: Any) -> bool:
    names = {name_of(ARGUMENT): at}
    slope = (known(at + STEP) - known(at - STEP)) / (2 * STEP)
    stated = all(value(fact, names) for fact in function.facts)
    said = [(known(at), known_as) for known_as in function.value]
    pairs = ((slope, function.derivative), *said)
    return stated and all(is_close({(): v}, {(): value(term, names)}) for v, term in pairs)
