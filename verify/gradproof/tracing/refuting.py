"""What the code itself says where no proof was found. Deciding."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice, starmap
from typing import Any

import numpy as np

from gradproof.evaluate.replay import satisfies
from gradproof.language.ops import Op
from gradproof.language.terms import INT
from gradproof.settle.verdicts import Verdict
from gradproof.tracing import comparing, points, reals
from gradproof.tracing.comparing import Code
from gradproof.tracing.definition import Traced, definition
from gradproof.tracing.diagnosing import diagnosed
from gradproof.tracing.pieces import candidates
from gradproof.tracing.quotients import (
    CLEAR,
    Clock,
    Point,
    Search,
    Shapeless,
    Wrong,
    at,
    drawn,
    gradients_at,
    is_off_along,
    rounded,
)
from gradproof.tracing.reports import GRADIENT, Confirmed, Reading, Report
from gradproof.tracing.shrinking import shrunk
from gradproof.tracing.slices import Slices, slices_of
from gradproof.tracing.tensors import Tensor, constant

SECONDS, SECONDS_AFTER = 0.5, 5.0  # of processor time, before a proof is tried and after
CANDIDATES = 200  # sizes
GENERIC = 2  # points of unlike sizes at which it is asked what is wrong
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
    if last.status == "refuted" and 0 < (largest := max(largest, off_in(last))) <= CLEAR:
        said = f"the gradient is off by {largest:.1e} of it, which is rounding of a constant"
        return Report(code.name, "rounding", "", said, readings)
    if last.status == "refuted":
        return Report(code.name, "unknown", "", inexact(code, last), readings)
    said = f"{last.name}: {last.status}" + (f", {in_code(last.note)}" if last.note else "")
    return Report(code.name, "unknown", "", said, readings)


def inexact(code: Code, verdict: Verdict) -> str:
    """Where a gradient is off by what the code's own numbers are too coarse to show."""
    name = verdict.name.removeprefix("vjp ").removesuffix("_bar")
    where, seen = place_of(code, verdict), verdict.counterexample
    by = f": {short(seen.left)} is due, {short(seen.right)} is given" if seen is not None else ""
    return (
        f"the gradient of {name} is off, exactly computed{where}{by}\n"
        "finite differences of the code are not exact enough to confirm it; "
        "if the code is not meant there, say so in requires"
    )


def short(side: str) -> str:
    """A number with few digits."""
    try:
        return f"{about(side):.6g}"
    except (ValueError, OverflowError):
        return side


def about(side: str) -> float:
    """A number, also one that is known to lie between two: `1/3` or `[1.41421, 1.41422]`."""
    return float(Fraction(side.strip("[]").split(",")[0]))


def place_of(code: Code, verdict: Verdict) -> str:
    """Sizes and values of a counterexample, in a line."""
    if (seen := verdict.counterexample) is None:
        return ""
    cells = {f"{name}{at}": v for name, of in seen.values.items() for at, v in of.items()}
    given = ", ".join(f"{name} = {v}" for name, v in {**seen.sizes, **cells}.items())
    return f", at {given}" if given else ""


def off_in(verdict: Verdict) -> float:
    """By how much both sides differ in a counterexample, of the one."""
    if (seen := verdict.counterexample) is None:
        return 0.0
    try:
        left, right = about(seen.left), about(seen.right)
    except (ValueError, OverflowError):
        return 0.0
    return abs(left - right) / (1 + abs(left))


def in_code(note: str) -> str:
    """What is said of a definition in the words of code: a fold is one of its loops."""
    known = (said for said in IN_CODE if note.startswith(said))
    return next((note.replace(said, IN_CODE[said], 1) for said in known), note)


def unread(code: Code, reason: str) -> Report:
    """What is said of code that cannot be read, and that was not refuted by itself."""
    return Report(code.name, "unreadable", "", reason)


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
        said = f" ({where.statement} must hold){place_of(code, verdict)}"
        named = [name for name in re.findall(r"\w+", where.statement) if name in named] or named
    return (
        f"the code has no value everywhere: {verdict.name}{said}\n"
        f"say in requires where it is meant, as in '{named[-1]} > 0'"
    )


def first(code: Code) -> Report | None:
    """A refutation by the code alone, at small sizes, before it is read."""
    op = unstated(code)
    shapes = tuple(points.shapes(op))
    for point in islice(drawn(code, op, shapes[:1], np.random.default_rng(2)), 1):
        with suppress(Exception):
            gradients_at(code, point)  # which compiles it, once, and is not of the search
    search = Search(code, Clock(SECONDS))
    try:
        wrong = search.first(drawn(code, op, shapes, np.random.default_rng(2)))
    except Shapeless as fault:
        return Report(code.name, "refuted", "", shapeless(code, op, fault))
    if wrong is None:
        return None
    return Report(code.name, "refuted", "", "", (), told(code, op, wrong))


def shapeless(code: Code, op: Op, fault: Shapeless) -> str:
    made = slices(code)
    line = None if made is None else made.suspected([fault.name], [])
    return f"{fault}" + ("" if made is None or line is None else f", by {made.said(line)}")


def told(code: Code, op: Op, wrong: Wrong) -> Confirmed:
    """The counterexample made small, with what is wrong and where."""
    small = shrunk(Search(code, Clock(SECONDS)), op, wrong)
    words = getattr(code, "words", GRADIENT)
    return Confirmed(
        points.shown(small.at.sizes),
        small.at.values,
        small.at.cotangent,
        small.name,
        small.place,
        small.expected,
        small.found,
        words=words,
        said=explained(code, op, wrong) if words is GRADIENT else (),
        nothing=not np.any(gradients_at(code, wrong.at)[wrong.name]),
    )


def explained(code: Code, op: Op, wrong: Wrong) -> tuple[str, ...]:
    generic = [*islice(unlike(code, op), GENERIC)] or [wrong.at]
    found = diagnosed(code, wrong.name, generic), blamed(code, generic, wrong)
    return tuple(filter(None, found))


def unlike(code: Code, op: Op) -> Iterator[Point]:
    """Points at which no two sizes are equal, nor 1, if that may be."""
    generator, declared = np.random.default_rng(5), code.declared
    for sizes in islice(candidates([*declared.symbols.values()]), CANDIDATES):
        whole = [v for s, v in sizes.items() if s.sort == INT]
        apart = len({*whole}) == len(whole) and 1 not in whole and 0 not in whole
        if apart and satisfies(declared.of_sizes, sizes):
            values = rounded(points.allowed(op, declared, sizes, generator).values)
            if all(np.size(v) <= comparing.LARGEST for v in values.values()):
                yield from filter(None, [at(code, op, sizes, values, generator)])


def blamed(code: Code, at: Sequence[Point], wrong: Wrong) -> str:
    """The line of the backward that made the wrong cell."""
    made = slices(code)
    if made is None:
        return ""
    names, off = code.declared.differentiable, {wrong.name}
    for point in at:
        with suppress(Exception):
            rules = gradients_at(code, point)
            off |= {k for k, v in rules.items() if is_off_along(code, point, k, v)}
    line = made.suspected([wrong.name, *off - {wrong.name}], [k for k in names if k not in off])
    return "" if line is None else f"it is made at {made.said(line)}"


def slices(code: Code) -> Slices | None:
    found = [s for s in starmap(slices_of, code.backwards()) if s is not None]
    return found[0] if len(found) == 1 else None


def confirmation(
    code: Code, reading: Reading, verdict: Verdict | None, most: int | None = None
) -> tuple[Confirmed | None, float]:
    """The first place where the code's own finite differences contradict its gradient."""
    search = Search(code, Clock(SECONDS_AFTER), every=True)
    points_ = tried(code, reading, verdict, np.random.default_rng(2))
    try:
        wrong = search.first(islice(points_, most))
    except Shapeless:
        return None, search.largest
    return None if wrong is None else told(code, reading.op, wrong), search.largest


def tried(code: Code, reading: Reading, verdict: Verdict | None, generator: Any) -> Iterator[Point]:
    """Sizes and values: those of the counterexample, then random ones there and elsewhere."""
    op = reading.op
    example = None if verdict is None else verdict.counterexample
    if example is not None:
        by_name = {s.name: s for s in op.sizes}
        sizes = {by_name[k]: number_of(v) for k, v in example.sizes.items() if k in by_name}
        sizes = dict(sizes) | {s: 1 for s in code.declared.symbols.values() if s not in sizes}
        for turn in range(4):
            point = points.allowed(op, code.declared, sizes, generator)
            values = rounded(point.values) if turn else exact(code, point, example.values)
            yield from filter(None, [at(code, op, sizes, values, generator)])
    yield from drawn(code, op, points.shapes(op), generator)


def number_of(value: Any) -> Any:
    try:
        return value if isinstance(value, int) else Fraction(str(value))
    except ValueError:
        return value


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
