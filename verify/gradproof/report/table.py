"""The table of ops and kinds of theorems, as a page in Markdown. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable

from gradproof.report.content import file_name
from gradproof.report.kinds import KINDS, MEANINGS
from gradproof.report.markdown import GENERATED, code, escaped
from gradproof.settle.verdicts import Report, Verdict
from gradproof.show.wording import tally
from gradproof.theorems.statuses import Status

ABOUT = (
    "Every op and what was settled of it; each leads to its page. *Refuted* are claims that are "
    "known to be false and kept as such, or what a rule is found to be at ties where the "
    'definition says `ties="any"`.'
)


def of_kind(report: Report, kind: str) -> list[Verdict]:
    return [v for v in report.verdicts if v.kind == kind]


def scopes(verdicts: Iterable[Verdict]) -> list[str]:
    """The scopes of what is proved, the shortest first."""
    found = {v.scope for v in verdicts if v.status == Status.PROVED}
    return sorted(found, key=lambda scope: (len(scope), scope))


def cell(verdicts: list[Verdict]) -> str:
    """How many were proved and refuted, and within which scopes."""
    shown = tally(verdicts)
    within = "; ".join(scopes(verdicts))
    wrong = sum(not v.as_expected for v in verdicts)
    surprise = f", {wrong} not as expected" if wrong else ""
    return escaped(f"{shown}{surprise} ({within})" if within else f"{shown}{surprise}")


def kinds_in(reports: Iterable[Report]) -> list[str]:
    """All kinds; those of recurrences and of graphs alone, where there are some."""
    found = {v.kind for report in reports for v in report.verdicts}
    always = set(KINDS) - {"order"}
    return [kind for kind in MEANINGS if kind in always | found]


def table(reports: Iterable[Report]) -> str:
    """In Markdown; ops lead to their pages."""
    reports = tuple(reports)
    kinds = kinds_in(reports)
    lines = [f"| op | {' | '.join(kinds)} |", "|---" * (len(kinds) + 1) + "|"]
    for report in reports:
        cells = (cell(of_kind(report, kind)) for kind in kinds)
        name = f"[{code(report.op)}]({file_name(report.op)}.md)"
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def index(reports: Iterable[Report]) -> str:
    """The page that leads to all others."""
    return f"{GENERATED}\n\n# What was settled\n\n{ABOUT}\n\n{table(reports)}"
