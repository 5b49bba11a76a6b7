"""What a rule owes at a point, and whether it gives that. Untrusted.

Around a point the true derivative has limits, one for each way in which nearby points decide all
branches together. Where there is one, a rule owes it; where there are more, a point of their convex
hull, and the JVP and the VJP the same one. Where the op jumps nothing is owed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from gradproof.language import Op, cotangent, tangent
from trust.drawn.germs import GIVEN, ORDER, Germ, added, declared, times, total
from trust.truth.differences import Fails, meets, solved
from trust.truth.loops import REALS, OutOfBounds, Undefined, cells

Point = Mapping[str, Mapping[tuple[int, ...], Any]]
Row = tuple[Any, ...]
Place = tuple[str, tuple[int, ...]]
CLOSE = REALS.mpf(10) ** -20
MOST_SIGNS = 4


@dataclass(frozen=True)
class Node:
    """An op of a program, the array that each of its inputs is, and those that its outputs are."""

    op: Op
    reads: tuple[tuple[str, str], ...]
    makes: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """Ops one after the other, from input arrays to the last one's outputs."""

    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]


def alone(op: Op) -> Program:
    names = tuple(x.name for x in op.operands)
    reads = tuple((name, name) for name in names)
    return Program(
        (Node(op, reads, tuple(y.name for y in op.outputs)),), tuple(x.name for x in op.inputs)
    )


@dataclass(frozen=True)
class Failure:
    """A rule that does not give what it owes: its name, where, what it gives and the limits."""

    rule: str
    how: str
    sizes: tuple[tuple[str, int], ...]
    point: tuple[tuple[str, tuple[Any, ...]], ...]
    output: tuple[Any, ...]
    made: Row
    limits: tuple[Row, ...]

    def __str__(self) -> str:
        at = ", ".join(f"{name} = {shown(values)}" for name, values in self.point)
        owed = " or ".join(map(shown, self.limits))
        sizes = ", ".join(f"{name} = {size}" for name, size in self.sizes)
        return f"{self.rule} {self.how} at {at} ({sizes}): {shown(self.made)}, limits {owed}"


def shown(row: Row) -> str:
    return f"({', '.join(map(str, row))})"


def told(row: Row) -> Row:
    """Fractions as they are; long decimals as text, which goes to another process."""
    return tuple(REALS.nstr(v, 6) if isinstance(v, REALS.mpf) else v for v in row)


# The op.


def named(sizes: Mapping[str, int]) -> dict[str, Any]:
    return GIVEN | {f"_{name}": size for name, size in sizes.items()}


def computed(program: Program, names: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Every array that a program makes."""
    found = dict(values)
    for node in program.nodes:
        given = {f"_{name}": found[of] for name, of in node.reads}
        known = declared(node.op)
        made = solved(node.op.formulas, names | known | given)
        for y, name in zip(node.op.outputs, node.makes, strict=True):
            found[name] = made[f"_{y.name}"].whole()
    return found


def ends(program: Program, values: dict[str, Any]) -> dict[Place, Any]:
    """What a program is there for, cell by cell."""
    return {(name, cell): v for name in program.nodes[-1].makes for cell, v in values[name].items()}


def ways(number: int, drawn: Random) -> Iterator[Row]:
    """Directions in general position, several in each orthant where there are few of them."""
    signs = list(product((1, -1), repeat=number))
    if number > MOST_SIGNS:
        signs = [tuple(drawn.choice((1, -1)) for _ in range(number)) for _ in range(40)]
    for each in signs:
        for _ in range({1: 1, 2: 4, 3: 3}.get(number, 2)):
            yield tuple(s * drawn.randint(101, 9973) for s in each)


def is_met(program: Program, names: dict[str, Any], values: dict[str, Any]) -> bool:
    first = program.nodes[0]
    return len(program.nodes) > 1 or meets(
        first.op, names | {f"_{name}": values[of] for name, of in first.reads}
    )


def limits(
    program: Program, names: dict[str, Any], point: Point, drawn: Random
) -> dict[Place, list[Row]] | None:
    """The gradients of each output cell near a point; nothing where one jumps, or has none."""
    places = [(name, cell) for name in program.inputs for cell in point[name]]
    fixed = {name: of for name, of in point.items() if name not in program.inputs}
    here = ends(program, computed(program, names, at(point, program)))
    found: dict[Place, list[Row]] = {cell: [] for cell in here}
    for way in ways(len(places), drawn):
        moving: dict[str, Any] = {name: {} for name in program.inputs}
        for n, ((name, cell), speed) in enumerate(zip(places, way, strict=True)):
            unit = tuple(int(n == m) for m in range(len(places)))
            series = (point[name][cell], speed, *(0,) * (ORDER - 1))
            moving[name][cell] = Germ(series, unit)
        if not is_met(program, names, fixed | moving):
            continue
        made = ends(program, computed(program, names, fixed | moving))
        for o, germ in made.items():
            if not isinstance(germ, Germ):
                germ = Germ((germ,), (0,) * len(places))
            if not is_close(first_of(here[o]), germ.series[0]):
                return None
            row = (*germ.gradient, *(0,) * (len(places) - len(germ.gradient)))
            if not any(same(row, other) for other in found[o]):
                found[o].append(row)
    return found


def at(point: Point, program: Program) -> dict[str, Any]:
    """Numbers that are compared as those along a curve are, though they stay."""
    return {
        name: {c: Germ((v,)) for c, v in of.items()} if name in program.inputs else dict(of)
        for name, of in point.items()
    }


def first_of(number: Any) -> Any:
    return number.series[0] if isinstance(number, Germ) else number


def is_close(a: Any, b: Any) -> bool:
    difference = added(a, times(-1, b))
    if not isinstance(difference, REALS.mpf):
        return bool(difference == 0)
    return bool(abs(difference) <= CLOSE * (1 + abs(REALS.convert(b))))


def is_above(a: Any, b: Any) -> bool:
    return not is_close(a, b) and bool(added(a, times(-1, b)) > 0)


def same(one: Row, two: Row) -> bool:
    return all(map(is_close, one, two))


# Its rules.


def pushed(program: Program, names: dict[str, Any], point: Point) -> dict[Place, Row]:
    """The entries of the JVP, by output cell."""
    values = computed(program, names, at(point, program))
    columns = []
    for name in program.inputs:
        for cell in point[name]:
            dots = {n: dict.fromkeys(point[n], Fraction(0)) for n in program.inputs}
            dots[name][cell] = Fraction(1)
            for node in program.nodes:
                reads = dict(node.reads)
                by = {f"_{tangent(x).name}": dots[reads[x.name]] for x in node.op.inputs}
                made = ruled(node, names, values, by)
                for y, makes in zip(node.op.outputs, node.makes, strict=True):
                    dots[makes] = made[f"_{tangent(y).name}"].whole()
            columns.append(ends(program, dots))
    return {o: tuple(first_of(c[o]) for c in columns) for o in ends(program, values)}


def ruled(node: Node, names: dict[str, Any], values: dict[str, Any], by: dict[str, Any]) -> Any:
    given = {f"_{name}": values[of] for name, of in node.reads}
    known = declared(node.op)
    return solved(node.op.equations, names | known | given | by)


def pulled(program: Program, names: dict[str, Any], point: Point) -> dict[Place, Row]:
    """The entries of the VJPs, by output cell."""
    values = computed(program, names, at(point, program))
    rows = {}
    for name, cell in ends(program, values):
        bars: dict[str, Any] = {n: dict.fromkeys(v, Fraction(0)) for n, v in values.items()}
        bars[name][cell] = Fraction(1)
        for node in reversed(program.nodes):
            outputs = zip(node.op.outputs, node.makes, strict=True)
            by = {f"_{cotangent(y).name}": bars[makes] for y, makes in outputs}
            made = ruled(node, names, values, by)
            for x in node.op.inputs:
                of = dict(node.reads)[x.name]
                back = made[f"_{cotangent(x).name}"].whole()
                bars[of] = {c: bars[of][c] + v for c, v in back.items()}
        rows[name, cell] = tuple(first_of(bars[n][c]) for n in program.inputs for c in point[n])
    return rows


# What is owed.


def failures(
    program: Program, sizes: Mapping[str, int], point: Point, smooth: bool = False
) -> Iterator[Failure]:
    """Rules that do not give what they owe at a point; with `smooth`, only where one limit is."""
    drawn = Random(f"{sorted(sizes.items())} {point}")
    names = named(sizes)
    try:
        if not is_met(program, names, at(point, program)):
            return
        found = limits(program, names, point, drawn)
    except (Fails, Undefined, OutOfBounds):
        return
    if found is None:
        return
    where = (
        tuple(sizes.items()),
        tuple((name, tuple(of.values())) for name, of in point.items()),
    )
    made: dict[str, dict[Place, Row]] = {}
    for rule, by in (("jvp", pushed), ("vjp", pulled)):
        try:
            made[rule] = by(program, names, point)
        except (Fails, Undefined, OutOfBounds):
            yield Failure(rule, "has no value", *where, (), (), ())
            return
    for o, near in found.items():
        if not near or (smooth and len(near) > 1):
            continue
        for rule, rows in made.items():
            if wrong := objection(rows[o], near, drawn):
                yield Failure(rule, wrong, *where, o, told(rows[o]), tuple(map(told, near)))
        if not same(made["jvp"][o], made["vjp"][o]):
            back, around = told(made["vjp"][o]), tuple(map(told, near))
            yield Failure("vjp", "differs from the jvp", *where, o, back, around)


def objection(row: Row, near: list[Row], drawn: Random) -> str:
    """What is wrong with a row: that it is not the only limit, or lies outside of their hull.

    It lies outside where it is further along some direction than each of them.
    """
    if len(near) == 1:
        return "" if same(row, near[0]) else "is not the derivative"
    directions = list(product((-1, 0, 1), repeat=len(row))) if len(row) <= MOST_SIGNS else []
    directions += [tuple(drawn.randint(-99, 99) for _ in row) for _ in range(40)]
    for way in directions:
        most = [total(map(times, way, each)) for each in near]
        mine = total(map(times, way, row))
        if all(is_above(mine, each) for each in most):
            return "is outside of the limits' hull"
    return ""


def shapes_of(op: Op, sizes: Mapping[str, int]) -> dict[str, list[tuple[int, ...]]]:
    return {x.name: cells(x, named(sizes)) for x in op.operands}
