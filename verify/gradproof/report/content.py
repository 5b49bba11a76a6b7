"""What the page of an op says, as data that Markdown and HTML are made from. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gradproof.language import latex as printing
from gradproof.language.latex import primed
from gradproof.language.ops import Op
from gradproof.language.substitution import free
from gradproof.report import statements
from gradproof.report.failures import made_up, pictures_at, with_names
from gradproof.report.kinds import MEANINGS, OF_GRAPHS, SECTIONS
from gradproof.report.pictures import Picture, pictures_of
from gradproof.report.records import Asked, asked, numbers_of
from gradproof.report.statements import Math, Words, displayed, listed, with_code
from gradproof.settle.suite import tasks
from gradproof.settle.verdicts import Report, Step, Verdict
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status

TITLES = {"forward": "Forward", "jvp": "JVP"}
ENTRIES = {
    "left side": "the entry, derived from the forward equation",
    "right side": "the entry, read off the rule",
}


@dataclass(frozen=True)
class Line:
    """A line of a proof: words, and the formula that they lead to."""

    words: Words
    formula: Math | None = None


@dataclass(frozen=True)
class Entry:
    """One theorem on the page."""

    number: int
    anchor: str
    title: Words
    verdict: Verdict
    statement: tuple[Words, ...]
    hypotheses: Words
    proof: tuple[Line, ...]
    pictures: tuple[Picture, ...]
    rests_on: tuple[int, ...]
    twin: int | None
    why: Words
    queries: tuple[Asked, ...]


@dataclass(frozen=True)
class Page:
    """The page of an op."""

    name: str
    file: str
    doc: tuple[Words, ...]
    arrays: tuple[Words, ...]
    bundles: Words
    equations: tuple[tuple[str, Math], ...]
    requires: Words
    pictures: tuple[Picture, ...]
    entries: tuple[Entry, ...]
    drawing: str = ""  # of a graph, as SVG
    diagram: str = ""  # the same for Mermaid

    @property
    def sections(self) -> dict[str, tuple[Entry, ...]]:
        """The entries by the section of their kind; sections without any are left out."""
        found = {
            title: tuple(e for e in self.entries if e.verdict.kind in kinds)
            for title, kinds in (SECTIONS | OF_GRAPHS).items()
        }
        return {title: entries for title, entries in found.items() if entries}


def page(op: Op, report: Report) -> Page:
    """The page of an op, its theorems in the order of their kinds."""
    theorems = {theorem.name: theorem for theorem, _ in tasks(op)}
    anchors = unique(slug(v.name) for v in report.verdicts)
    rows = zip(report.verdicts, anchors, strict=True)
    ranked = in_order(rows)
    numbers = {verdict.name: n for n, (verdict, _) in enumerate(ranked, 1)}
    queries = asked(report)
    entries = tuple(
        entry(op, theorems[verdict.name], verdict, anchor, numbers, queries)
        for verdict, anchor in ranked
    )
    return Page(
        op.name,
        file_name(op.name),
        tuple(map(with_code, paragraphs(op.doc))),
        tuple(statements.arrays_of(op)),
        statements.bundles_of(op),
        tuple((title_of(n), displayed(e)) for n, e in op.equations.items()),
        listed(op.requires),
        pictures_of(op),
        entries,
    )


def in_order(rows: Iterable[tuple[Verdict, str]]) -> list[tuple[Verdict, str]]:
    """Verdicts in the order of their kinds."""
    order = list(MEANINGS)
    return sorted(rows, key=lambda row: order.index(row[0].kind))


def paragraphs(text: str) -> list[str]:
    return [part for part in re.split(r"\n\s*\n", text.strip()) if part]


def title_of(equation: str) -> str:
    return TITLES.get(equation, equation.replace("vjp", "VJP"))


def slug(name: str) -> str:
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-") or "theorem"


def unique(names: Iterable[str]) -> list[str]:
    """Names with a number behind those that were there before."""
    found: dict[str, None] = {}
    for name in names:
        number = 2
        fresh = name
        while fresh in found:
            fresh, number = f"{name}-{number}", number + 1
        found[fresh] = None
    return list(found)


def file_name(name: str) -> str:
    """The name of an op as that of its files: letters, digits, `_` and `-` stay."""
    return re.sub(r"[^\w-]", lambda m: f"-{ord(m[0]):x}-", name, flags=re.ASCII)


def entry(
    op: Op,
    theorem: Theorem,
    verdict: Verdict,
    anchor: str,
    numbers: dict[str, int],
    queries: tuple[Asked, ...],
) -> Entry:
    own = set(numbers_of(verdict, queries))
    found = Entry(
        numbers[verdict.name],
        anchor,
        statements.title(op, theorem),
        verdict,
        statements.statement(op, theorem),
        statements.hypotheses(op, theorem),
        tuple(proof_lines(theorem, verdict)),
        pictures_at(op, theorem, failure) if (failure := verdict.counterexample) else (),
        tuple(sorted(numbers[name] for name in verdict.rests_on if name in numbers)),
        numbers.get(theorem.twin),
        with_code(statements.why(op, theorem)),
        tuple(a for a in queries if a.number in own),
    )
    found = with_primes(found, theorem)
    return replace(found, proof=tuple(told(found.proof, found.statement)))


def told(proof: Iterable[Line], statement: tuple[Words, ...]) -> Iterable[Line]:
    """The lines that say something: not the statement again, no line twice, nothing like 0 = 0."""
    seen = {said for said in maths_in(statement) if said.display}
    reason: Words = ()
    for line in proof:
        if line.formula in seen or (line.formula and says_nothing(line.formula.latex)):
            continue
        yield line if line.words != reason else Line((), line.formula)
        seen |= {line.formula} if line.formula else set()
        reason = line.words


def says_nothing(formula: str) -> bool:
    left, _, right = formula.partition(" = ")
    return left == right


def proof_lines(theorem: Theorem, verdict: Verdict) -> Iterable[Line]:
    """The steps of the run, or what the definition itself gives."""
    if verdict.status != Status.PROVED:
        return
    if verdict.steps:
        yield from (Line((titled(s, verdict.kind),), Math(s.formula, True)) for s in verdict.steps)
        return
    yield from (Line(words, formula) for words, formula in statements.derivation(theorem))


def titled(step: Step, kind: str) -> str:
    reason = ENTRIES.get(step.reason, step.reason) if kind in ("jvp", "vjp") else step.reason
    return f"{reason[:1].upper()}{reason[1:]}:"


def with_primes(found: Entry, theorem: Theorem) -> Entry:
    """Made-up names as c, c′, c″, alike in the whole entry and in the steps of the run."""
    parts = (found.statement, found.hypotheses, found.proof)
    formulas = [m.latex for m in maths_in(parts)]
    own = formulas if not found.verdict.steps else [m.latex for m in maths_in(parts[:2])]
    failure = found.verdict.counterexample
    made = [] if failure is None else made_up(theorem, failure)
    sizes = {symbol for condition in theorem.given for symbol in free(condition)}
    symbols = [*sorted(sizes, key=str), *(r[0] for s in theorem.sequents for r in s.over)]
    shown = primed(*own, *map(printing.name, made), first=symbols)
    latex = dict(zip(own, shown, strict=False))
    statement, hypotheses, proof = (renamed(part, latex) for part in parts)
    found = replace(found, statement=statement, hypotheses=hypotheses, proof=proof)
    if failure is None:
        return found
    primes = ("′" * s.count("'") for s in shown[len(own) :])
    names = {m: m.partition("'")[0] + p for m, p in zip(made, primes, strict=True)}
    failure = with_names(theorem, failure, names)
    return replace(found, verdict=replace(found.verdict, counterexample=failure))


def maths_in(part: Any) -> Iterable[Math]:
    if isinstance(part, Math):
        yield part
    elif isinstance(part, Line):
        yield from maths_in((part.words, part.formula))
    elif isinstance(part, tuple):
        for inner in part:
            yield from maths_in(inner)


def renamed(part: Any, names: dict[str, str]) -> Any:
    if isinstance(part, Math):
        return replace(part, latex=names.get(part.latex, part.latex))
    if isinstance(part, Line):
        return Line(renamed(part.words, names), renamed(part.formula, names))
    return tuple(renamed(p, names) for p in part) if isinstance(part, tuple) else part
