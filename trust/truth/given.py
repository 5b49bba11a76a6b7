"""Whether a rule fails at a given point, entry by entry. Untrusted.

Points drawn at random are on no edge. The one of a counterexample may be: an op that turns there by
one cell has a derivative by another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from trust.truth.judge import Names, Sizes, moved, zeros_of
from trust.truth.loops import OutOfBounds, Tensor, Undefined, cells, written
from verify.language import Op, cotangent, tangent

Point = Mapping[str, Tensor]
STEP = Fraction(1, 10**9)


def failing(op: Op, part: str, sizes: Sizes, point: Point) -> frozenset[str]:
    """The theorems on a rule that are false there, but for linearity; cells not given are 0."""
    names: Names = {f"_{name}": size for name, size in sizes.items()}
    for x in op.operands:
        some = point.get(x.name, {})
        names[f"_{x.name}"] = {c: Fraction(some.get(c, 0)) for c in cells(x, names)}
    try:
        return frozenset(name for name, made, right in entries(op, part, names) if made != right)
    except Undefined:
        return frozenset({f"{part}: divisors and logarithms"})
    except OutOfBounds:
        return frozenset({f"{part}: reads and writes"})


def entries(op: Op, part: str, names: Names) -> Iterator[tuple[str, Any, Any]]:
    """What a rule makes of a unit, beside each derivative that there is."""
    rule, zeros = op.equations[part], zeros_of(op, part, names)

    def made(array: Any, unit: tuple[int, ...]) -> Tensor:
        name = f"_{array.name}"
        return written(rule, names | zeros | {name: zeros[name] | {unit: 1}})

    if part == "jvp":
        for x in op.inputs:
            for cell in cells(x, names):
                column = made(tangent(x), cell)
                slopes = slopes_by(op, names, f"_{x.name}", cell)
                yield from ((f"jvp by {x}", column[o], v) for o, v in slopes.items())
        return
    rows = {o: made(cotangent(op.output), o) for o in cells(op.output, names)}
    primal = f"_{rule.args[0].array.of}"
    for cell in names[primal]:
        slopes = slopes_by(op, names, primal, cell)
        yield from ((part, rows[o][cell], v) for o, v in slopes.items())


def slopes_by(op: Op, names: Names, x: str, cell: tuple[int, ...]) -> Tensor:
    """The derivatives by a cell, of outputs that are one polynomial up to degree 2 around it."""
    try:
        here, one, two, minus_one, minus_two = (
            moved(op, names, x, {cell: n * STEP}) for n in (0, 1, 2, -1, -2)
        )
    except (Undefined, OutOfBounds):
        return {}

    def taylor(o: tuple[int, ...], near: Tensor, far: Tensor, by: Fraction) -> tuple[Any, Any]:
        slope = (4 * near[o] - far[o] - 3 * here[o]) / (2 * by)
        return slope, far[o] - 2 * near[o] + here[o]

    ahead = {o: taylor(o, one, two, STEP) for o in here}
    behind = {o: taylor(o, minus_one, minus_two, -STEP) for o in here}
    return {o: ahead[o][0] for o in here if ahead[o] == behind[o]}
