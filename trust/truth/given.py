"""Whether a rule fails at a given point, entry by entry. Untrusted.

Points drawn at random are on no edge. The one of a counterexample may be: an op that turns there by
one cell has a derivative by another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gradproof.language import Op, cotangent, tangent
from trust.truth import differences
from trust.truth.draw import WHOLE
from trust.truth.judge import Names, Sizes, stepped, zeros_of
from trust.truth.loops import OutOfBounds, Tensor, Undefined, cells, written

Point = Mapping[str, Tensor]
STEP = Fraction(1, 10**9)
STEPS = (STEP, 2 * STEP, -STEP, -2 * STEP)


@dataclass(frozen=True)
class Entry:
    """What a rule makes of a unit, beside the derivative of an output by a cell of an array."""

    theorem: str
    output: tuple[int, ...]
    by: tuple[str, tuple[int, ...]]
    made: Any
    right: Any


LeavesOut = Callable[[Names, Entry], bool]


def failing(
    op: Op, part: str, sizes: Sizes, point: Point, leaves_out: LeavesOut = lambda names, e: False
) -> frozenset[str]:
    """The theorems on a rule that are false there, but for linearity; cells not given are 0."""
    names: Names = {f"_{name}": size for name, size in sizes.items()}
    for x in op.operands:
        some = point.get(x.name, {})
        names[f"_{x.name}"] = {c: Fraction(some.get(c, 0)) for c in cells(x, names)}
    if part == WHOLE:
        return differences.failing_at(op, names)
    try:
        wrong = (e for e in entries(op, part, names) if e.made != e.right)
        return frozenset(e.theorem for e in wrong if not leaves_out(names, e))
    except Undefined:
        return frozenset({f"{part}: divisors and logarithms"})
    except OutOfBounds:
        return frozenset({f"{part}: reads and writes"})


def entries(op: Op, part: str, names: Names) -> Iterator[Entry]:
    """Of each derivative that there is."""
    rule, zeros = op.equations[part], zeros_of(op, part, names)

    def made(array: Any, unit: tuple[int, ...]) -> Tensor:
        name = f"_{array.name}"
        return written(rule, names | zeros | {name: zeros[name] | {unit: 1}})

    if part == "jvp":
        for x in op.inputs:
            for cell in cells(x, names):
                column, by = made(tangent(x), cell), (f"_{x.name}", cell)
                for o, right in derivatives(op, names, by).items():
                    yield Entry(f"jvp by {x}", o, by, column[o], right)
        return
    rows = {o: made(cotangent(op.output), o) for o in cells(op.output, names)}
    primal = f"_{rule.args[0].array.of}"
    for cell in names[primal]:
        for o, right in derivatives(op, names, (primal, cell)).items():
            yield Entry(part, o, (primal, cell), rows[o][cell], right)


def derivatives(op: Op, names: Names, by: tuple[str, tuple[int, ...]]) -> Tensor:
    """By a cell, of outputs that are one polynomial up to degree 2 around it."""
    try:
        here, *around = (written(op.forward, stepped(names, *by, step)) for step in (0, *STEPS))
    except (Undefined, OutOfBounds):
        return {}
    found = {o: slopes(here[o], *(values[o] for values in around)) for o in here}
    return {o: ahead[0] for o, (ahead, behind) in found.items() if ahead == behind}


def slopes(here: Any, one: Any, two: Any, minus_one: Any, minus_two: Any) -> tuple[Any, Any]:
    """First and second derivatives ahead and behind, of what is of degree 2 on each side."""

    def taylor(near: Any, far: Any, by: Fraction) -> tuple[Any, Any]:
        return (4 * near - far - 3 * here) / (2 * by), far - 2 * near + here

    return taylor(one, two, STEP), taylor(minus_one, minus_two, -STEP)
