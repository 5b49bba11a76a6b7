"""Whether an equation of a drawn definition holds at one shape, by brute force. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from gradproof.language import Op, cotangent, tangent
from gradproof.language.terms import Array, Max, Maximum, Min, Relation, arrays, walk
from trust.truth import differences
from trust.truth.draw import WHOLE
from trust.truth.loops import (
    OutOfBounds,
    Tensor,
    Undefined,
    cells,
    value,
    written,
)

Sizes = Mapping[str, int]
Names = dict[str, Any]
MOST = 10**6
APART = 10**9
POINTS = 8
MOST_POINTS = 24


@dataclass(frozen=True)
class Found:
    """The theorems that fail at a shape; if not `whole`, others were not looked at."""

    failing: frozenset[str] = frozenset()
    whole: bool = True


def at_shape(op: Op, part: str, sizes: Sizes, points: int = POINTS) -> Found:
    """What is wrong with a part of an op: an equation, "sizes" or a claim.

    One point tells polynomials apart; which branch is taken differs from point to point.
    """
    names = {f"_{name}": size for name, size in sizes.items()}
    if part == WHOLE:
        return of_all(op, names, min(points, MOST_POINTS))
    if part == "sizes":
        return of_sizes(op, names)
    if part.startswith("claim "):
        return of_claim(op, part, names)
    points = points if branches(op) or any(x.span for x in op.operands) else 1
    try:
        failing = frozenset(f for n in range(points) for f in of_rule(op, part, names, n))
        return Found(failing, f"{part} is linear" not in failing)
    except Undefined:
        return Found(frozenset({f"{part}: divisors and logarithms"}), False)
    except OutOfBounds:
        return Found(frozenset({f"{part}: reads and writes"}), False)


def branches(op: Op) -> bool:
    kinds = (Maximum, Max, Min, Relation)
    return any(isinstance(u, kinds) and arrays(u) for u in walk(op.forward.args[1]))


def is_allowed(op: Op, part: str, sizes: Sizes) -> bool:
    names = {f"_{name}": size for name, size in sizes.items()}
    given = next((c.given for c in op.claims if part == f"claim {c.name}"), ())
    said = (clause for clause in (*op.requires, *given) if not arrays(clause))
    return all(value(clause, names) for clause in said)


# Rules.


def of_rule(op: Op, part: str, names: Names, number: int) -> Iterator[str]:
    """What fails at a point, one of several; its cells lie further apart than any that moves."""
    rule = op.equations[part]
    drawn = Random(f"{sorted(names.items())} {number}")
    names = names | {f"_{x.name}": values_of(x, drawn, names) for x in op.operands}
    zeros = zeros_of(op, part, names)
    ones, twos = ({k: some(drawn, v) for k, v in zeros.items()} for _ in range(2))
    at_zero, at_one, at_two, at_both = (
        written(rule, names | v) for v in (zeros, ones, twos, plus(ones, twos))
    )
    is_affine = all(at_both[c] + at_zero[c] == at_one[c] + at_two[c] for c in at_both)
    if any(at_zero.values()) or not is_affine:
        yield f"{part} is linear"
    if not is_affine:
        return
    turning = frozenset(ties(op, names))
    if part != "jvp" and turning:
        return
    for name, right, made in expected(op, rule, part, names, zeros, ones):
        right = {c: v for c, v in right.items() if c not in turning}
        if any(made[c] - at_zero[c] != right[c] for c in right):
            yield name


def ties(op: Op, names: Names) -> Iterator[tuple[int, ...]]:
    """The outputs that turn at a point.

    A maximum of multiples of cells is convex, so one cell after another tells.
    """
    if not isinstance(op.forward.args[1], Maximum):
        return
    here = written(op.forward, names)
    for x in op.inputs:
        for cell in cells(x, names):
            ahead, behind = (moved(op, names, f"_{x.name}", {cell: by}) for by in (1, -1))
            yield from (o for o in here if ahead[o] + behind[o] != 2 * here[o])


def zeros_of(op: Op, part: str, names: Names) -> dict[str, Tensor]:
    """What a rule is linear in, all 0."""
    by = [tangent(x) for x in op.inputs] if part == "jvp" else [cotangent(op.output)]
    return {f"_{a.name}": dict.fromkeys(cells(a, names), 0) for a in by}


def values_of(x: Array, drawn: Random, names: Names) -> Tensor:
    """Values that lie far apart, or whole ones of a span."""
    if not x.span:
        return some(drawn, cells(x, names), APART)
    first, last = (value(end, names) for end in x.span)
    return {cell: drawn.randint(first, last) for cell in cells(x, names)}


def some(drawn: Random, places: Any, apart: int = 1) -> Tensor:
    return {cell: apart * drawn.randint(-MOST, MOST) for cell in places}


def plus(ones: Mapping[str, Tensor], twos: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: {c: v + twos[name][c] for c, v in one.items()} for name, one in ones.items()}


def expected(
    op: Op, rule: Any, part: str, names: Names, zeros: Names, ones: Names
) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Each theorem of a rule, what the rule should make there, and what it makes."""
    if part == "jvp":
        for x in op.inputs:
            moved = f"_{tangent(x).name}"
            right = slope(op, names, f"_{x.name}", ones[moved])
            yield f"jvp by {x}", right, written(rule, names | zeros | {moved: ones[moved]})
        return
    primal = f"_{rule.args[0].array.of}"
    (weights,) = ones.values()
    right = {}
    for cell in names[primal]:
        column = slope(op, names, primal, {cell: 1})
        right[cell] = sum(weights[o] * column[o] for o in column)
    yield part, right, written(rule, names | ones)


def slope(op: Op, names: Names, x: str, direction: Tensor) -> Tensor:
    """The derivative in a direction: exact, since no drawn op is of higher degree than two.

    It is not near a branch that turns: what is compared lies far apart, or moves as one.
    """
    back = {c: -v for c, v in direction.items()}
    ahead, behind = (moved(op, names, x, by) for by in (direction, back))
    return {o: Fraction(ahead[o] - behind[o], 2) for o in ahead}


def moved(op: Op, names: Names, x: str, by: Tensor) -> Tensor:
    """The output where an array is moved."""
    cells = {c: v + by.get(c, 0) for c, v in names[x].items()}
    return written(op.forward, names | {x: cells})


def stepped(names: Names, x: str, cell: tuple[int, ...], step: Any) -> Names:
    """The names, one cell of an array moved."""
    return names | {x: names[x] | {cell: names[x][cell] + step}}


# Several equations.


def of_all(op: Op, names: Names, points: int) -> Found:
    """What fails at points that are allowed; where something has no value not all is looked at."""
    failing = frozenset(differences.misstated(op, Random(0)))
    for number in range(points):
        drawn = Random(f"{sorted(names.items())} {number}")
        point = differences.point(op, names, drawn)
        if point is not None:
            failing |= differences.failing(op, point, drawn)
    derivatives = {f"jvp by {x}" for x in op.inputs} | {*op.equations}
    return Found(failing, failing <= derivatives)


# Sizes and claims.


def of_sizes(op: Op, names: Names) -> Found:
    try:
        counts = [value(d, names) for d in op.output.dims]
    except Undefined:
        return Found(frozenset({"sizes: divisors and logarithms"}), False)
    failing = {"output size at least 1"} if min(counts) < 1 else set()
    for w in op.windows:
        count, size, extent, stride = (
            value(e, names) for e in (w.count, w.size, w.extent, w.stride)
        )
        last, more, fewer = ((count + n) * stride + extent for n in (-1, 0, -2))
        if w.rounding == "floor":
            failing |= {"the last window fits"} if last > size else set()
            failing |= {"one more window does not fit"} if more <= size else set()
        else:
            failing |= {"the windows cover"} if last < size else set()
            covers = count >= 2 and fewer >= size
            failing |= {"one window fewer does not cover"} if covers else set()
    return Found(frozenset(failing))


def of_claim(op: Op, part: str, names: Names) -> Found:
    claim = next(c for c in op.claims if part == f"claim {c.name}")
    try:
        holds = value(claim.statement, names)
    except Undefined:
        holds = False
    return Found(frozenset() if holds else frozenset({claim.name}))


# All shapes of a box.


def shapes(op: Op, part: str, box: Mapping[str, range]) -> list[Sizes]:
    """Those that the preconditions allow, by the total of their sizes."""
    every = (dict(zip(box, values, strict=True)) for values in product(*box.values()))
    return sorted((s for s in every if is_allowed(op, part, s)), key=total)


def total(sizes: Sizes) -> int:
    return sum(map(abs, sizes.values()))


def first_failure(op: Op, part: str, box: Mapping[str, range]) -> tuple[Sizes, Found] | None:
    """The smallest shape of a box at which something fails, and what."""
    for sizes in shapes(op, part, box):
        found = at_shape(op, part, sizes)
        if found.failing:
            return sizes, found
    return None
