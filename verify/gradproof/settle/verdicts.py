"""What was found, as data that prints and serialises; whether it counts. Trusted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any

from gradproof.settle.counterexamples import Counterexample
from gradproof.theorems.scopes import narrower
from gradproof.theorems.statuses import Status, worst

BY_DEFINITION = "by definition"
NEEDED, CONVENTION, UNDECIDED = OF_CLAUSES = ("needed", "convention", "undecided")
WAIVED = (Status.REFUTED, Status.UNSUPPORTED)  # where the definition does not ask


@dataclass(frozen=True)
class Step:
    """One line of a derivation: a formula in LaTeX, and what gave it."""

    reason: str
    formula: str


@dataclass(frozen=True)
class Query:
    """A question in SMT-LIB 2, what Z3 answered, and what the second solver answered if asked."""

    text: str
    answer: str
    second: str = ""


@dataclass(frozen=True)
class Verdict:
    """One theorem, settled. `equation` is what it is about; without `rests_on` it says nothing.

    `accepts` names the narrower scopes that are enough for its definition, `left` is the goal that
    resisted where it is open, `seconds` are of processor time.
    """

    op: str
    name: str
    kind: str
    statement: str
    given: tuple[str, ...]
    expected: str
    status: Status
    scope: str
    method: str
    counterexample: Counterexample | None = None
    note: str = ""
    as_pinned: bool = True
    equation: str = ""
    rests_on: tuple[str, ...] = ()
    accepts: str = ""
    left: str = ""
    steps: tuple[Step, ...] = ()
    queries: tuple[Query, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    derivation: tuple[tuple[str, Any], ...] = field(default=(), compare=False, repr=False)
    proofs: tuple[tuple[Any, Any], ...] = field(default=(), compare=False, repr=False)

    @property
    def as_expected(self) -> bool:
        if self.expected == "told":
            return True
        asked = self.expected != "settled"
        settled = (self.expected,) if asked else (Status.PROVED, *WAIVED)
        return self.status in settled and self.as_pinned and not self.narrow

    @property
    def narrow(self) -> tuple[str, ...]:
        """How a proof is narrower than what is asked: what `scope` would say of it."""
        if self.status != Status.PROVED or self.expected != Status.PROVED:
            return ()
        return narrower(self.scope, self.accepts)

    @property
    def weight(self) -> Status:
        """As what it counts for its op: a proof that is too narrow leaves open what is asked."""
        if self.as_expected:
            return Status.PROVED
        if self.narrow:
            return Status.UNKNOWN
        return Status.REFUTED if self.status == Status.PROVED else self.status

    @property
    def outcome(self) -> str:
        """The word by which it is counted; of a clause, what it is to the theorems; a claim may
        hold by definition."""
        if self.kind == "claim" and self.status == Status.PROVED:
            return BY_DEFINITION if self.note.startswith(BY_DEFINITION) else self.status
        if self.kind != "needed":
            return self.status
        if self.status != Status.PROVED:
            return UNDECIDED
        return NEEDED if self.note.startswith(NEEDED) else CONVENTION

    @property
    def is_waived(self) -> bool:
        """Whether it is false, or cannot be said, and the definition does not ask for it."""
        return self.expected == "settled" and self.status in WAIVED

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: what `steps` show of the derivation, and not its terms."""
        found = asdict(replace(self, derivation=(), proofs=()))
        del found["derivation"], found["proofs"]
        return found

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        """The verdict that `as_dict` gave, also after a passage through JSON."""
        found = data["counterexample"]
        return cls(
            **data
            | {
                "status": Status(data["status"]),
                "given": tuple(data["given"]),
                "rests_on": tuple(data["rests_on"]),
                "steps": tuple(Step(**s) for s in data["steps"]),
                "queries": tuple(Query(**q) for q in data["queries"]),
                "counterexample": None if found is None else Counterexample(**found),
            }
        )


@dataclass(frozen=True)
class Report:
    """An op's verdicts; its status is the worst among those that are not as expected."""

    op: str
    verdicts: tuple[Verdict, ...]

    def __bool__(self) -> bool:
        return self.as_expected

    @property
    def as_expected(self) -> bool:
        return bool(self.verdicts) and all(v.as_expected for v in self.verdicts)

    @property
    def status(self) -> Status:
        if self.as_expected:
            return Status.PROVED
        return worst(v.weight for v in self.verdicts)

    def __str__(self) -> str:
        """The status, and what is not as expected."""
        wrong = [v for v in self.verdicts if not v.as_expected]
        settled = f"{self.op}: {self.status}, {len(self.verdicts)} theorems"
        lines = (f"  {v.name}: {v.status}, expected {v.expected}" for v in wrong)
        return "\n".join([settled, *lines])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
