"""What is said about code: a report with its readings and its counterexample. Deciding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from gradproof.language import terms as t
from gradproof.language.ops import Op, target_of
from gradproof.settle.verdicts import Verdict
from gradproof.theorems.scopes import READ, narrower
from gradproof.tracing.axes import Axis
from gradproof.tracing.finite import Lost

ELSEWHERE = (
    "say in requires or by sizes={...} where it is meant, "
    "or write it so that no size decides how it runs"
)
CONSTANT = "it is a constant (gp.constant, constant: on the command line)"
AT_FIXED = "it can be read where sizes are fixed"
LIKE = "asked with {}, which was found by running the code: keep this in place of like="
NONE = "none"
STATUSES = {
    "error": "the definition read from the code and the code itself disagree",
    "refuted": "the code's gradient is wrong, by finite differences of the code itself",
    "rounding": "the gradient differs from the derivative by rounding only",
    "unreadable": "an operation cannot be read",
    "unknown": "neither proved nor refuted",
    "proved": "the gradient is the derivative, at all sizes in the scope",
}


@dataclass(frozen=True)
class Words:
    """What is said of a cell: what finite differences give of it, what its rule gives, and why."""

    expected: str
    found: str
    advice: str = ""  # where the rule gives 0
    seed: str = "grad_output"


GRADIENT = Words(
    "the gradient of {at} is {value}, by finite differences of the code",
    "the backward gives      {value}",
    "if nothing is differentiated by {name}, say that {constant}",
)


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
    said: tuple[str, ...] = ()  # what is wrong, and in which line
    nothing: bool = True  # comes back for the input, where none does for this cell
    words: Words = GRADIENT

    @property
    def text(self) -> tuple[str, ...]:
        at = f"{self.name}[{', '.join(map(str, self.place))}]"
        shown = [f"  {k} = {listed(v)}" for k, v in self.values.items() if v is not None]
        return (
            f"at {self.sizes}",
            *shown,
            f"  {self.words.seed} = {listed(self.cotangent)}",
            self.words.expected.format(at=at, value=f"{self.expected:.6g}"),
            self.words.found.format(at=at, value=f"{self.found:.6g}"),
            *self.said,
            *self.advice,
        )

    @property
    def advice(self) -> tuple[str, ...]:
        """Of an input that nothing comes back for."""
        if self.found or not self.nothing or not self.words.advice:
            return ()
        return (self.words.advice.format(name=self.name, constant=CONSTANT),)


def listed(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return str((np.round(value, 6) if value.dtype == float else value).tolist())
    return str(value)


@dataclass(frozen=True)
class Reading:
    """What the code was read as, at the sizes of the hypotheses, and what was settled."""

    op: Op
    verdicts: tuple[Verdict, ...] = ()
    shape: tuple[Axis, ...] = ()  # of the output

    @property
    def worst(self) -> str:
        """The status that counts of what a proof needs."""
        rules = {v.equation for v in self.verdicts if v.kind == "vjp"}
        if self.verdicts and all(v.status == "proved" for v in self.verdicts):
            inputs = {x.name for x in self.op.inputs}
            targets = [target_of(rule).array for rule in self.op.vjp]
            asked = {f"vjp {a}" for a in targets if a.of in inputs}
            return "proved" if asked and asked <= rules else "unknown"
        found = {v.status for v in self.verdicts}
        order = ("error", "refuted", "vacuous", "unknown", "unsupported", "proved")
        return next((status for status in order if status in found), "unknown")


@dataclass(frozen=True)
class Line:
    """What is said beside the gradient, of what else is owed; it counts if it `decides`."""

    report: Report
    decides: bool = True

    @property
    def text(self) -> str:
        return self.report.text


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
    accepts: str = ""
    readable_at: Mapping[str, int] = field(default_factory=dict)  # of code that is not at all sizes
    lost: Lost | None = None  # at an input, what floating-point numbers make of what is exact
    far: Lost | None = None  # the same at inputs that are not moderate
    float32: bool = False  # whether the first is a failure
    decided: tuple[str, ...] = ()  # where sizes decide how code runs that is read at some
    declared: str = ""  # what was found of arguments by values at hand, as a call says it
    contract: tuple[Line, ...] = ()  # JVP, batching, second order: what is owed beside it

    def __bool__(self) -> bool:
        return self.as_expected

    @property
    def as_expected(self) -> bool:
        wanted = "refuted" if self.on_purpose else "proved"
        return self.status == wanted and not self.narrow and not (self.float32 and self.unstable)

    @property
    def unstable(self) -> str:
        """At which moderate input floating-point numbers lose what is exact."""
        return "" if self.lost is None else self.lost.text

    @property
    def range(self) -> str:
        """At which other input they do."""
        return "" if self.far is None else f"limit of range: {self.far.text}"

    @property
    def narrow(self) -> tuple[str, ...]:
        """How a proof is narrower than what is asked: what `scope` would say of it."""
        if self.status != "proved":
            return ()
        own = narrower(self.scope, self.accepts)
        more = (word for line in self.contract if line.decides for word in line.report.narrow)
        return tuple(dict.fromkeys((*own, *more)))

    @property
    def text(self) -> str:
        said = {"proved": f"proved, {self.scope}"}.get(self.status, self.status)
        said += ", on purpose" if self.on_purpose and self.status == "refuted" else ""
        lines = [f"{self.name}: {said}", *([f"  {enough(self)}"] if self.narrow else [])]
        lines += [f"  {LIKE.format(self.declared)}"] if self.declared else []
        lines += [f"  {line}" for line in (*self.decided, *self.note.splitlines())]
        lines += [f"  {said}" for said in f"{self.unstable}\n{self.range}".splitlines() if said]
        lines += [f"  {AT_FIXED}, sizes={dict(self.readable_at)}"] if self.readable_at else []
        for line in self.contract:
            lines += [f"  {said}" for said in line.text.splitlines()]
        if self.counterexample is not None and not self.is_of_contract:
            lines += [f"  {line}" for line in self.counterexample.text]
        return "\n".join(lines)

    @property
    def failure(self) -> str:
        """The text, with the smallest case in its first line, which is all that a summary shows."""
        found = self.counterexample
        if found is None or self.status != "refuted" or found.words != GRADIENT:
            return self.text
        at = found.sizes.replace(" = ", "=")
        said = f"gives {found.found:.6g}, should be {found.expected:.6g}"
        _, _, rest = self.text.partition("\n")
        return f"{self.name}: gradient of {found.name} refuted at {at}: {said}\n{rest}"

    @property
    def is_of_contract(self) -> bool:
        """Whether the gradient is proved, and what is refuted is something else that is owed."""
        return any(self.counterexample is line.report.counterexample for line in self.contract)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"

    @property
    def definition(self) -> str:
        """The mathematics that was read."""
        return "\n\n".join(shown(reading.op) for reading in self.readings)

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status,
            "scope": self.scope,
            "declared": self.declared,
            "note": self.note,
            "on_purpose": self.on_purpose,
            "seconds": round(self.seconds, 3),
            "readable_at": dict(self.readable_at),
            "float32": self.unstable,
            "range": self.range,
            "counterexample": None if self.counterexample is None else self.counterexample.text,
            "contract": [
                {**line.report.as_dict(), "decides": line.decides} for line in self.contract
            ],
            "verdicts": [v.as_dict() for r in self.readings for v in r.verdicts],
        }


def enough(report: Report) -> str:
    """What to do about a proof that is narrower than asked."""
    accepted = (*filter(None, report.accepts.split(", ")), *report.narrow)
    said = f'narrower than asked: if that is enough, say scope="{", ".join(accepted)}"'
    return f"{said}; if not, {ELSEWHERE}" if READ in report.narrow else said


def shown(op: Op) -> str:
    said = (c for c in op.requires if not (isinstance(c, t.Eq) and c.left == c.right))
    lines = [f"{op.name}, where {'; '.join(map(str, said)) or 'anything'}"]
    return "\n".join([*lines, *(f"  {e}" for e in (*op.let, *op.forwards, *op.vjp))])
