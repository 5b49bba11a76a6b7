"""What the code itself says where no proof was found. Deciding."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from gradproof.language.ops import Op
from gradproof.settle.verdicts import Verdict
from gradproof.tracing import comparing, points, reals
from gradproof.tracing.comparing import Code
from gradproof.tracing.definition import Traced, definition
from gradproof.tracing.reports import GRADIENT, Confirmed, Reading, Report
from gradproof.tracing.tensors import Tensor, constant

CLEAR = 1e-4  # one that is above is a refutation
WIDE = 1e-3  # a second step of finite differences
IN_CODE = {
    "a fold whose invariant is not known": "a loop of which no formula after each turn is known; "
    "write it as a sum, a product or a maximum",
    "a recurrence, of which a step is not shown": "a loop whose turns read the turn before, "
    "of which a turn is not shown",
}


def against(code: Code, readings: tuple[Reading, ...]) -> Report:
    """What the code itself says where no proof was found."""
    reading = readings[-1]
    last = reading.verdicts[-1]
    if last.kind == "defined" and last.status == "refuted":
        return Report(code.name, "unknown", "", undefined(code, last), readings)
    found, largest = confirmation(code, reading, last)
    if found is not None:
        return Report(code.name, "refuted", "", "", readings, found)
    if last.status == "refuted" and largest > 0:
        said = f"the gradient is off by {largest:.1e} of it, which is rounding of a constant"
        return Report(code.name, "rounding", "", said, readings)
    said = f"{last.name}: {last.status}" + (f", {in_code(last.note)}" if last.note else "")
    return Report(code.name, "unknown", "", said, readings)


def in_code(note: str) -> str:
    """What is said of a definition in the words of code: a fold is one of its loops."""
    known = (said for said in IN_CODE if note.startswith(said))
    return next((note.replace(said, IN_CODE[said], 1) for said in known), note)


def unread(code: Code, reason: str) -> Report:
    """What the code itself says where it cannot be read: a refutation, or nothing."""
    found, _ = confirmation(code, Reading(unstated(code)), None)
    if found is None:
        return Report(code.name, "unreadable", "", reason)
    return Report(code.name, "refuted", "", f"it was not read: {reason}", (), found)


def unstated(code: Code) -> Op:
    """An op of the code's arguments that says nothing of what it computes."""
    inputs = [a for a in code.declared.arguments if a.kind == "real"]
    nothing = {a.name: Tensor(a.axes, lambda _: reals.ZERO) for a in inputs}
    return definition(code.name, code.declared, Traced(constant(0), nothing))


def undefined(code: Code, verdict: Verdict) -> str:
    """Where the code divides by 0 or the like, and the kind of clause that would leave it out."""
    where = verdict.counterexample
    named, said = [a.name for a in code.declared.arguments], ""
    if where is not None:
        cells = {f"{name}{at}": v for name, of in where.values.items() for at, v in of.items()}
        given = ", ".join(f"{name} = {v}" for name, v in {**where.sizes, **cells}.items())
        said = f" ({where.statement} must hold)" + (f", at {given}" if given else "")
        named = [name for name in re.findall(r"\w+", where.statement) if name in named] or named
    return (
        f"the code has no value everywhere: {verdict.name}{said}\n"
        f"say in requires where it is meant, as in '{named[-1]} > 0'"
    )


def confirmation(
    code: Code, reading: Reading, verdict: Verdict | None, most: int | None = None
) -> tuple[Confirmed | None, float]:
    """The first place where the code's own finite differences contradict its gradient."""
    generator = np.random.default_rng(2)
    largest = 0.0
    for sizes, values in islice(tried(code, reading, verdict, generator), most):
        try:
            y = np.asarray(code.run(values), dtype=float)
            cotangent = np.round(generator.normal(size=y.shape) if y.shape else 1.5, 2)
            rows = list(comparing.confirmed(code, values, cotangent))
            if not np.array_equal(y, np.asarray(code.run(values), dtype=float), equal_nan=True):
                return None, largest  # it draws numbers
        except Exception:
            continue
        for name, place, expected, found in rows:
            if not np.isfinite(expected) or not np.isfinite(found):
                continue
            off = abs(expected - found) / (1 + abs(expected))
            if off > CLEAR and is_sure(code, values, cotangent, name, place, expected, found):
                seen = Confirmed(sizes, values, cotangent, name, place, expected, found)
                return replace(seen, words=getattr(code, "words", GRADIENT)), off
            largest = max(largest, off if off > 1e-9 else 0.0)
    return None, largest


def is_sure(
    code: Code, values: Any, cotangent: Any, name: str, place: Any, expected: float, found: float
) -> bool:
    """Whether the difference is no kink and no rounding: a wider step says the same."""
    wide = comparing.difference(code, values, cotangent, name, place, WIDE)
    same = abs(wide - expected) <= abs(expected - found) / 10
    return same and is_smooth(code, values, name, place, cotangent)


def is_smooth(code: Code, values: Any, name: str, place: Any, cotangent: Any) -> bool:
    """Whether differences on both sides agree, so that there is a derivative to speak of."""
    whole = np.array(values[name], dtype=float)

    def at(step: float) -> float:
        changed = whole.copy()
        changed[place] += step
        y = np.asarray(code.run({**values, name: changed}), dtype=float)
        return float(np.sum(y * cotangent))

    step = 1e-5
    middle = at(0.0)
    right, left = (at(step) - middle) / step, (middle - at(-step)) / step
    return abs(right - left) <= 1e-3 * (1 + abs(right))


def tried(
    code: Code, reading: Reading, verdict: Verdict | None, generator: Any
) -> Iterable[tuple[str, Any]]:
    """Sizes and values: those of the counterexample, then random ones there and elsewhere."""
    op = reading.op
    example = None if verdict is None else verdict.counterexample
    if example is not None:
        by_name = {s.name: s for s in op.sizes}
        sizes = {by_name[k]: number_of(v) for k, v in example.sizes.items() if k in by_name}
        sizes = dict(sizes) | {s: 1 for s in code.declared.symbols.values() if s not in sizes}
        drawn_ = points.allowed(op, code.declared, sizes, generator)
        yield points.shown(sizes), exact(code, drawn_, example.values)
        for _ in range(3):
            point = points.allowed(op, code.declared, sizes, generator)
            yield points.shown(sizes), rounded(point.values)
    for other in points.shapes(op):
        point = points.allowed(op, code.declared, other, generator)
        if all(np.size(v) <= 64 for v in point.values.values() if isinstance(v, np.ndarray)):
            yield points.shown(other), rounded(point.values)


def number_of(value: Any) -> Any:
    try:
        return value if isinstance(value, int) else Fraction(str(value))
    except ValueError:
        return value


def rounded(values: Any) -> Any:
    return {
        k: np.round(v, 2) if isinstance(v, np.ndarray) and v.dtype == float else v
        for k, v in values.items()
    }


def exact(code: Code, point: points.Point, cells: dict[str, dict[str, str]]) -> Any:
    """The values of a counterexample; cells that it does not name are 0."""
    values = dict(point.values)
    for a in code.declared.arguments:
        if a.kind not in ("real", "constant"):
            continue
        dims = [points.size_at(d, point.sizes) for d in a.array.dims]
        whole = np.zeros(dims)
        for place, value in cells.get(a.name, {}).items():
            try:
                whole[tuple(json.loads(place))] = float(number_of(value))
            except (ValueError, IndexError, TypeError):
                continue
        values[a.name] = whole.reshape(points.shape_at(a, point.sizes))
    return values
