"""What a wrong gradient is of the right one: its opposite, twice it, without a factor. Untrusted.

Both are compared as whole arrays where sizes differ; what is said was so at two such points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from gradproof.language.terms import INT, Sym
from gradproof.tracing import comparing
from gradproof.tracing.comparing import Code
from gradproof.tracing.quotients import Point, along_cell, gradients_at

CLOSE = 1e-4
NUMBERS = {
    2.0: "twice what it should be",
    0.5: "half of what it should be",
    3.0: "three times what it should be",
    1 / 3: "a third of what it should be",
    4.0: "four times what it should be",
    0.25: "a quarter of what it should be",
}


def diagnosed(code: Code, name: str, at: list[Point]) -> str:
    """What is true of the whole gradient of an input at all of these points; empty if nothing."""
    every = (likenesses(code, name, point) for point in at)
    said = [dict.fromkeys(found) for found in every if found is not None]
    return next((k for k in said[0] if all(k in other for other in said)), "") if said else ""


def likenesses(code: Code, name: str, point: Point) -> list[str] | None:
    """All that is true of the gradient at a point, the plainest first; None where it is right."""
    try:
        rules = gradients_at(code, point)
        right = by_differences(code, point, name)
        twice = gradients_at(code, replace(point, cotangent=2 * point.cotangent))[name]
        if not np.all(np.isfinite(right)) or is_close(rules[name], right):
            return None
        if np.any(rules[name]) and is_close(twice, rules[name]):
            return [f"the gradient of {name} is the same whatever the output's gradient is"]
        return list(like(code, name, point, rules, right))
    except Exception:
        return None


def like(code: Code, name: str, point: Point, rules: dict[str, Any], right: Any) -> Iterator[str]:
    rule = rules[name]
    if not np.any(rule) or not np.any(right):
        return
    if is_close(rule, -right):
        yield f"the sign of the gradient of {name} is wrong"
    for number, said in NUMBERS.items():
        if is_close(rule, number * right):
            yield f"the gradient of {name} is {said}"
    for said, factor in factors(point):
        if is_close(rule, right * factor):
            yield f"the gradient of {name} has a factor {said} too many"
        if is_close(right, rule * factor):
            yield f"a factor {said} is missing in the gradient of {name}"
    yield from rearranged(name, rule, right)
    for other in rules:
        alike = other != name and np.shape(rules[other]) == rule.shape
        if alike and is_close(rule, by_differences(code, point, other)):
            yield f"what the backward gives for {name} is the gradient of {other}"
    yield from by_cells(code, point, name, rule, right)


def factors(point: Point) -> Iterator[tuple[str, float]]:
    """Sizes and parameters, their squares, roots and products, and one by each."""
    known = {s.name: float(v) for s, v in point.sizes.items() if isinstance(s, Sym)}
    known |= {k: v for k, v in point.values.items() if isinstance(v, float)}
    sizes = {s.name for s in point.sizes if isinstance(s, Sym) and s.sort == INT}
    single = {k: v for k, v in known.items() if v not in (0, 1, -1)}
    several = {
        f"({' * '.join(k)})": float(np.prod([single[s] for s in k]))
        for n in (2, 3)
        for k in combinations(single, n)
    }
    squares = {f"{k}**2": v * v for k, v in single.items()}
    roots = {f"sqrt({k})": v**0.5 for k, v in single.items() if k in sizes and v > 0}
    less = {f"({k} - 1)": v - 1 for k, v in single.items() if k in sizes and v > 2}
    for said, value in {**single, **roots, **several, **squares, **less}.items():
        yield said, value
        yield f"1/{said}", 1 / value


def rearranged(name: str, rule: Any, right: Any) -> Iterator[str]:
    for one, other in combinations(range(rule.ndim), 2):
        turned = np.swapaxes(right, one, other)
        if turned.shape == rule.shape and is_close(rule, turned):
            yield f"the gradient of {name} is transposed, in its axes {one} and {other}"
    for axis, length in enumerate(rule.shape):
        if length > 2 and is_close(rule, np.flip(right, axis)):
            yield f"the gradient of {name} is reversed along its axis {axis}"
        for by in (1, -1) if length > 2 else ():
            if is_close(rule, np.roll(right, by, axis)):
                yield f"the gradient of {name} is shifted by one along its axis {axis}"


def by_cells(code: Code, point: Point, name: str, rule: Any, right: Any) -> Iterator[str]:
    """A factor that differs from cell to cell, or what is the same along an axis."""
    arrays = {
        **{k: np.asarray(v) for k, v in point.values.items() if isinstance(v, np.ndarray)},
        "the output": np.asarray(code.run(point.values)),
    }
    for said, value in {**arrays, "the output's gradient": np.asarray(point.cotangent)}.items():
        if value.dtype == float and value.shape == rule.shape and np.all(value):
            if is_close(rule, right * value):
                yield f"the gradient of {name} has a factor too many: {said}"
            if is_close(right, rule * value):
                yield f"a factor is missing in the gradient of {name}: {said}"
    off = rule - right
    for axis, length in enumerate(rule.shape):
        along = np.expand_dims(np.take(off, 0, axis), axis)
        if length > 2 and rule.ndim > 1 and is_close(off, np.broadcast_to(along, off.shape)):
            yield (
                f"the gradient of {name} is off by the same all along its axis {axis}: "
                "a sum over it is missing, or one too many"
            )


def by_differences(code: Code, point: Point, name: str) -> Any:
    """The gradient of an input, by finite differences of the code."""
    found = np.zeros(np.shape(point.values[name]))
    for place in np.ndindex(found.shape):
        found[place] = comparing.slope(along_cell(code, point, name, place), 0.0)
    return found


def is_close(a: Any, b: Any) -> bool:
    return bool(np.all(np.abs(a - b) <= CLOSE * (1 + np.abs(b))) and np.any(np.abs(b) > 1e-2))
