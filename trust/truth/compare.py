"""What the tool says of a drawn definition, beside what the judge sees. Untrusted."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import settled
from gradproof.settle.conclusions import Finding
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status
from trust.mutants.verdict import attempt
from trust.truth import edges, given
from trust.truth.draw import WHOLE, Draw
from trust.truth.judge import Found, Sizes, at_shape, first_failure, is_allowed, total

MANY = 200  # points at which a refuted rule is tried


@dataclass(frozen=True)
class Prover:
    """Both routes together, and the symbolic route alone."""

    settled: Callable[[Theorem], Finding]
    alone: Callable[[Theorem], str]


THE_TOOL = Prover(
    lambda theorem: attempt(lambda: settled(theorem, RLIMIT)),
    lambda theorem: attempt(lambda: prove(theorem, False, RLIMIT)).status,
)
NO_ANSWER = Prover(lambda _: Finding(Status.UNKNOWN, note="given up"), lambda _: "unknown")


@dataclass(frozen=True)
class Answer:
    """What the tool says of a theorem; of a false one, the symbolic route is asked alone too."""

    finding: Finding
    alone: str = ""


@dataclass(frozen=True)
class Result:
    """A drawn definition, what it is in truth, and what the tool says.

    `truth` is right, broken, beyond (broken, but seen at no small shape) or unknown; `answer` is
    proved, refuted or undecided.
    """

    family: str
    definition: str
    made: str
    change: str
    truth: str
    answer: str
    wrong: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()

    @staticmethod
    def read(data: dict[str, Any]) -> Result:
        return Result(**data | {name: tuple(data[name]) for name in ("wrong", "undecided")})

    def __str__(self) -> str:
        how = f"{self.made}, {self.change}" if self.change else self.made
        said = "; ".join(self.wrong or self.undecided)
        return f"{self.family} ({how}), {self.truth}, {self.answer}: {said}\n  {self.definition}"


def compared(draw: Draw, prover: Prover = THE_TOOL) -> Result:
    """All theorems about the part of a definition that is asked about."""
    asked = (draw.op, draw.part, dict(draw.box))
    seen = first_failure(*asked)
    found = seen or edges.first_failure(*asked)
    false = found[1].failing if found else frozenset({draw.beyond} - {""})
    answers = dict(answered(draw, prover, false))
    wrong = [w for name, a in answers.items() for w in objections(draw, name, a, false, found)]
    if found and draw.made != "edited":
        wrong.append(f"made {draw.made}, yet {', '.join(found[1].failing)} fails at {found[0]}")
    refuted = [name for name, a in answers.items() if is_confirmed(draw, name, a.finding)]
    truth = truth_of(draw, bool(seen), bool(found or refuted))
    answer = answer_of(truth, {a.finding.status for a in answers.values()}, bool(refuted))
    left = [f"{name}: {a.finding.status}, {a.finding.note}" for name, a in open_of(answers, false)]
    undecided = (left or ["no theorem is refuted"]) if answer == "undecided" else []
    made = (draw.family, str(draw), draw.made, draw.change)
    return Result(*made, truth, answer, tuple(wrong), tuple(undecided))


def answered(draw: Draw, prover: Prover, false: frozenset[str]) -> Iterator[tuple[str, Answer]]:
    """Theorems that rest on a refuted one say nothing, and are not asked.

    Of ties the judge knows nothing.
    """
    refuted: set[str] = set()
    for theorem in obligations(draw.op):
        asked = draw.part in (theorem.equation, WHOLE) and theorem.kind != "ties"
        if asked and not refuted & set(theorem.rests_on):
            finding = prover.settled(theorem)
            refuted |= {theorem.name} if finding.status == "refuted" else set()
            yield (
                theorem.name,
                Answer(finding, prover.alone(theorem) if theorem.name in false else ""),
            )


def open_of(answers: dict[str, Answer], false: frozenset[str]) -> Iterator[tuple[str, Answer]]:
    for name, answer in answers.items():
        if answer.finding.status not in ("proved", "refuted") and (name in false or not false):
            yield name, answer


def objections(
    draw: Draw, name: str, answer: Answer, false: frozenset[str], found: tuple[Sizes, Found] | None
) -> Iterator[str]:
    """What is wrong with an answer."""
    finding = answer.finding
    if finding.status == "error":
        yield f"{name}: error: {finding.note}"
    if name in false and "proved" in (finding.status, answer.alone):
        yield f"{name}: proved, yet false"
    if finding.status != "refuted":
        return
    if draw.made == "right":
        yield f"{name}: refuted, yet right by construction"
    if witness(draw, name, finding) == "holds":
        yield f"{name}: refuted, yet true at {sizes_of(finding)}"
    shown = finding.counterexample
    least = total(shown.sizes) if shown and shown.smallest else 0
    if found and name in found[1].failing and total(found[0]) < least:
        yield f"{name}: said to be smallest at {sizes_of(finding)}, yet false at {found[0]}"


def is_confirmed(draw: Draw, name: str, finding: Finding) -> bool:
    return finding.status == "refuted" and witness(draw, name, finding) == "fails"


def witness(draw: Draw, name: str, finding: Finding) -> str:
    """What a theorem does at the shape that the tool gives, at points drawn at random or its own.

    It is "unseen" where nothing has a value.
    """
    sizes = {symbol: values.start for symbol, values in draw.box} | sizes_of(finding)
    if not is_allowed(draw.op, draw.part, sizes):
        return "holds"
    is_rule = draw.part in (*draw.op.equations, WHOLE)
    if is_rule and name in given.failing(draw.op, draw.part, sizes, point_of(finding)):
        return "fails"
    found = at_shape(draw.op, draw.part, sizes, MANY)
    if name in found.failing:
        return "fails"
    return "holds" if found.whole else "unseen"


def point_of(finding: Finding) -> given.Point:
    """The cells of a counterexample, by array and place."""
    values = finding.counterexample.values if finding.counterexample else {}
    return {
        name: {tuple(literal_eval(place)): Fraction(v) for place, v in cells.items()}
        for name, cells in values.items()
    }


def sizes_of(finding: Finding) -> dict[str, Any]:
    return finding.counterexample.sizes if finding.counterexample else {}


def truth_of(draw: Draw, fails: bool, fails_elsewhere: bool) -> str:
    """An edit that breaks nothing in the box, at points drawn at random, may break something."""
    if draw.made == "right":
        return "right"
    if fails:
        return "broken"
    return "beyond" if draw.beyond or fails_elsewhere else "unknown"


def answer_of(truth: str, statuses: set[str], refuted: bool) -> str:
    if refuted or (truth == "right" and "refuted" in statuses):
        return "refuted"
    return "proved" if statuses == {"proved"} else "undecided"
