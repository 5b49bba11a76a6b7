"""The verdict about code: what was read is compared, proved, and refuted by the code. Untrusted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np

from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Term
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.asking import ask
from gradproof.settle.suite import run, tasks
from gradproof.settle.verdicts import Verdict
from gradproof.tracing import comparing
from gradproof.tracing.comparing import Code
from gradproof.tracing.declared import Declared
from gradproof.tracing.definition import Traced, definition
from gradproof.tracing.tensors import Unreadable

STATUSES = {
    "error": "the definition read from the code and the code itself disagree",
    "refuted": "the code's gradient is wrong, by finite differences of the code itself",
    "rounding": "the gradient differs from the derivative by rounding only",
    "unreadable": "an operation cannot be read",
    "unknown": "neither proved nor refuted",
    "proved": "the gradient is the derivative, at all sizes in the scope",
}
CLOSE = 1e-5  # a difference below this part of the whole is rounding
CLEAR = 1e-4  # one that is above is a refutation
PIECES = 12  # how many sets of sizes at which the code runs differently are traced


@dataclass(frozen=True)
class Confirmed:
    """A place at which the code's gradient is wrong, by the code's own finite differences."""

    sizes: str
    values: dict[str, Any]
    cotangent: Any
    name: str
    place: tuple[int, ...]
    expected: float
    found: float

    @property
    def text(self) -> tuple[str, ...]:
        at = f"{self.name}[{', '.join(map(str, self.place))}]"
        shown = [f"  {k} = {listed(v)}" for k, v in self.values.items() if v is not None]
        return (
            f"at {self.sizes}",
            *shown,
            f"  grad_output = {listed(self.cotangent)}",
            f"the gradient of {at} is {self.expected:.6g}, by finite differences of the code",
            f"the backward gives      {self.found:.6g}",
        )


def listed(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return str(np.round(value, 6).tolist())
    return str(value)


@dataclass(frozen=True)
class Reading:
    """What the code was read as, at the sizes of the hypotheses, and what was settled."""

    op: Op
    verdicts: tuple[Verdict, ...] = ()

    @property
    def worst(self) -> str:
        """The status that counts of what a proof needs."""
        found = {v.status for v in self.verdicts}
        order = ("error", "refuted", "vacuous", "unknown", "unsupported", "proved")
        return next((status for status in order if status in found), "unknown")


@dataclass(frozen=True)
class Report:
    """The verdict about a function's gradient."""

    name: str
    status: str
    scope: str = ""
    note: str = ""
    readings: tuple[Reading, ...] = ()
    counterexample: Confirmed | None = None
    on_purpose: bool = False
    seconds: float = field(default=0.0, compare=False)

    def __bool__(self) -> bool:
        return self.as_expected

    @property
    def as_expected(self) -> bool:
        return self.status == ("refuted" if self.on_purpose else "proved")

    @property
    def text(self) -> str:
        said = {"proved": f"proved, {self.scope}"}.get(self.status, self.status)
        said += ", on purpose" if self.on_purpose and self.status == "refuted" else ""
        lines = [f"{self.name}: {said}"]
        lines += [f"  {line}" for line in self.note.splitlines()]
        if self.counterexample is not None:
            lines += [f"  {line}" for line in self.counterexample.text]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text

    @property
    def definition(self) -> str:
        """The mathematics that was read."""
        return "\n\n".join(shown(reading.op) for reading in self.readings)

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status,
            "scope": self.scope,
            "note": self.note,
            "on_purpose": self.on_purpose,
            "seconds": round(self.seconds, 3),
            "counterexample": None if self.counterexample is None else self.counterexample.text,
            "verdicts": [v.as_dict() for r in self.readings for v in r.verdicts],
        }


def shown(op: Op) -> str:
    lines = [f"{op.name}, where {'; '.join(map(str, op.requires)) or 'anything'}"]
    return "\n".join([*lines, f"  {op.forward}", *(f"  {rule}" for rule in op.vjp)])


Trace = Callable[[comparing.Env], Traced]


def judged(
    code: Code, trace: Trace, on_purpose: bool = False, rlimit: int = RLIMIT, proving: bool = True
) -> Report:
    """The whole way from code to a verdict."""
    start = perf_counter()
    try:
        found = settle(code, trace, rlimit, proving)
    except Unreadable as reason:
        found = Report(code.name, "unreadable", note=str(reason))
    return Report(
        found.name,
        found.status,
        found.scope,
        found.note,
        found.readings,
        found.counterexample,
        on_purpose,
        perf_counter() - start,
    )


def settle(code: Code, trace: Trace, rlimit: int, proving: bool) -> Report:
    found = read(code, trace)
    readings = tuple(Reading(piece.op) for piece in found)
    for piece in found:
        wrong = list(comparing.differences(piece.op, code, 1e-3 if piece.single else 1e-6))
        if wrong:
            said = "what was read and the code itself disagree, so nothing is said of it:"
            return Report(code.name, "error", "", "\n".join([said, *wrong[:4]]), readings)
    if not proving:
        return Report(code.name, "unknown", "", "", readings)
    settled: tuple[Reading, ...] = ()
    for piece in found:
        settled = (*settled, Reading(piece.op, tuple(verdicts(piece.op, rlimit))))
        if settled[-1].worst != "proved":
            return against(code, settled)
    return Report(code.name, "proved", scope_of(code.declared, found, settled), "", settled)


def verdicts(op: Op, rlimit: int) -> Iterable[Verdict]:
    """What is claimed of code: that its gradient is the derivative, and what that rests on."""
    for task in tasks(op, rlimit):
        theorem = task[0]
        is_ours = theorem.kind in ("satisfiable", "defined", "in bounds", "linear", "vjp")
        if is_ours and theorem.equation != "jvp":
            found = run(op, task)
            yield found
            if found.status not in ("proved",):
                return


# Sizes at which the code runs differently.


@dataclass(frozen=True)
class Piece:
    """What the code was read as where its conditions hold, beyond those that are required."""

    op: Op
    single: bool
    only: tuple[Term, ...] = ()
    covered: bool = True  # whether the pieces are all sizes


def read(code: Code, trace: Trace) -> tuple[Piece, ...]:
    """The code as it runs at all sizes: traced anew at those where it may run differently."""
    found: list[tuple[Traced, tuple[Term, ...]]] = []
    outside: tuple[Term, ...] = ()
    covered = False
    while len(found) < PIECES and not covered:
        hints = sizes_in(code.declared, outside)
        if hints is None:
            covered = not outside or ask((*code.declared.of_sizes, *outside), t.Or()).status == (
                "proved"
            )
            break
        traced = trace(hints)
        narrow = narrowing(code.declared, traced.guards)
        found.append((traced, narrow))
        covered = not narrow
        outside = (*outside, t.Not(t.And(*narrow)))
    if not found:
        raise Unreadable(f"no small sizes satisfy {'; '.join(map(str, code.declared.requires))}")
    alike = {piece.op: piece for piece in (piece_of(code, traced, (), True) for traced, _ in found)}
    if covered and len(alike) == 1:
        return tuple(alike.values())
    return tuple(piece_of(code, traced, narrow, covered) for traced, narrow in found)


def piece_of(code: Code, traced: Traced, only: tuple[Term, ...], covered: bool) -> Piece:
    try:
        op = definition(code.name, code.declared, traced, only)
    except t.DefinitionError as reason:
        raise Unreadable(str(reason)) from reason
    return Piece(op, traced.single, only, covered)


def narrowing(declared: Declared, guards: Sequence[Term]) -> tuple[Term, ...]:
    """The conditions of a trace that do not follow from what is required."""
    return tuple(dict.fromkeys(g for g in guards if ask(declared.of_sizes, g).status != "proved"))


def sizes_in(declared: Declared, outside: Sequence[Term]) -> comparing.Env | None:
    """Small sizes outside of those traced, each unlike the others if that may be, if any."""
    given = (*declared.of_sizes, *outside)
    found = candidates(list(declared.symbols.values()))
    return next((env for env in found if satisfies(given, env)), None)


def candidates(symbols: Sequence[Any]) -> Iterable[dict[Any, Any]]:
    """Sizes to try: unlike first, then all up to 6, and numbers for parameters."""
    generator = np.random.default_rng(1)
    integers = [s for s in symbols if s.sort == t.INT]
    reals_ = [s for s in symbols if s.sort != t.INT]
    usual = [Fraction(1, 2), Fraction(1, 10), 2, -1, 1, 0]
    for turn in range(4000):
        primes = [5, 3, 4, 2, 7, 6, 8, 9]
        if turn < 6:
            values = [primes[(k + turn) % 8] for k in range(len(integers))]
        else:
            values = [int(v) for v in generator.integers(0, 4 + turn // 200, len(integers))]
        env: dict[Any, Any] = dict(zip(integers, values, strict=True))
        env |= {s: usual[(turn + k) % 6] for k, s in enumerate(reals_)}
        yield env


def scope_of(declared: Declared, found: Sequence[Piece], settled: Sequence[Reading]) -> str:
    """The sizes of the claim, and what a proof leaves out."""
    clauses = "; ".join(map(str, declared.requires))
    said = f"for all sizes with {clauses}" if clauses else "for all sizes"
    narrow = ["; ".join(map(str, piece.only)) for piece in found if not piece.covered]
    if narrow:
        said += f", where {' or '.join(narrow)}"
    scopes = (v.scope for reading in settled for v in reading.verdicts if v.kind == "vjp")
    kept = dict.fromkeys(part for s in scopes for part in s.split(", ") if part != "all sizes")
    return ", ".join([said, *kept])


# Refutations.


def against(code: Code, readings: tuple[Reading, ...]) -> Report:
    """What the code itself says where no proof was found."""
    reading = readings[-1]
    last = reading.verdicts[-1]
    if last.kind == "defined" and last.status == "refuted":
        return Report(code.name, "unknown", "", undefined(last), readings)
    found, largest = confirmation(code, reading, last)
    if found is not None:
        return Report(code.name, "refuted", "", "", readings, found)
    if last.status == "refuted" and largest > 0:
        said = f"the gradient is off by {largest:.1e} of it, which is rounding of a constant"
        return Report(code.name, "rounding", "", said, readings)
    said = f"{last.name}: {last.status}" + (f", {last.note}" if last.note else "")
    return Report(code.name, "unknown", "", said, readings)


def undefined(verdict: Verdict) -> str:
    where = verdict.counterexample
    at = "" if where is None else f", at {where.sizes} {where.values}"
    clause = "" if where is None else f" ({where.statement} must hold)"
    return (
        f"the code has no value everywhere: {verdict.name}{clause}{at}\n"
        "say in requires where it is meant, as in requires=['eps > 0']"
    )


def confirmation(code: Code, reading: Reading, verdict: Verdict) -> tuple[Confirmed | None, float]:
    """The first place where the code's own finite differences contradict its gradient."""
    generator = np.random.default_rng(2)
    largest = 0.0
    for sizes, values in points(code, reading, verdict, generator):
        try:
            y = np.asarray(code.run(values), dtype=float)
            cotangent = np.round(generator.normal(size=y.shape) if y.shape else 1.5, 2)
            rows = list(comparing.confirmed(code, values, cotangent))
        except Exception:
            continue
        for name, place, expected, found in rows:
            if not np.isfinite(expected) or not np.isfinite(found):
                continue
            off = abs(expected - found) / (1 + abs(expected))
            if off > CLEAR and is_smooth(code, values, name, place, cotangent):
                seen = Confirmed(sizes, values, cotangent, name, place, expected, found)
                return seen, off
            largest = max(largest, off if off > 1e-9 else 0.0)
    return None, largest


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


def points(
    code: Code, reading: Reading, verdict: Verdict, generator: Any
) -> Iterable[tuple[str, Any]]:
    """Sizes and values: those of the counterexample, then random ones there and elsewhere."""
    op = reading.op
    example = verdict.counterexample
    if example is not None:
        by_name = {s.name: s for s in op.sizes}
        sizes = {by_name[k]: number_of(v) for k, v in example.sizes.items() if k in by_name}
        sizes = dict(sizes) | {s: 1 for s in code.declared.symbols.values() if s not in sizes}
        drawn_ = comparing.allowed(op, code.declared, sizes, generator)
        yield comparing.shown(sizes), exact(code, drawn_, example.values)
        for _ in range(3):
            point = comparing.allowed(op, code.declared, sizes, generator)
            yield comparing.shown(sizes), rounded(point.values)
    for other in comparing.shapes(op):
        point = comparing.allowed(op, code.declared, other, generator)
        if all(np.size(v) <= 64 for v in point.values.values() if isinstance(v, np.ndarray)):
            yield comparing.shown(other), rounded(point.values)


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


def exact(code: Code, point: comparing.Point, cells: dict[str, dict[str, str]]) -> Any:
    """The values of a counterexample; cells that it does not name are 0."""
    values = dict(point.values)
    for a in code.declared.arguments:
        if a.kind not in ("real", "constant"):
            continue
        dims = [comparing.size_at(d, point.sizes) for d in a.array.dims]
        whole = np.zeros(dims)
        for place, value in cells.get(a.name, {}).items():
            try:
                whole[tuple(json.loads(place))] = float(number_of(value))
            except (ValueError, IndexError, TypeError):
                continue
        values[a.name] = whole.reshape(comparing.shape_at(a, point.sizes))
    return values


def require(report: Report) -> Report:
    """Fails with the report where it is not as expected."""
    __tracebackhide__ = True
    if not report.as_expected:
        raise AssertionError(str(report))
    return report
