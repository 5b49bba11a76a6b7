"""The static site: an index of reports, and a page per op. Untrusted."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gradproof.report import prose
from gradproof.report.content import Page, file_name, slug, unique
from gradproof.report.drawing import as_svg
from gradproof.report.graph import graph_svg
from gradproof.report.kinds import MEANINGS
from gradproof.report.limits import not_proved
from gradproof.report.lines import PHONE, wrapped
from gradproof.report.pictures import Picture
from gradproof.report.records import versions
from gradproof.report.statements import Code, Math, Words, with_math
from gradproof.report.table import kinds_in, of_kind, scopes
from gradproof.settle.verdicts import Report
from gradproof.show.wording import counts
from gradproof.theorems.statuses import Status

TEMPLATES = Path(__file__).parent / "templates"
ASSETS = ("style.css", "script.js")


def html(words: Words) -> Markup:
    """Words escaped, formulas as MathML that wraps."""
    return Markup("".join(map(word, words)))


def word(shown: str | Math | Code) -> str:
    if isinstance(shown, str):
        return escape(shown)
    return formula(shown) if isinstance(shown, Math) else f"<code>{escape(shown.text)}</code>"


def formula(math: Math) -> str:
    shown = wrapped(math.latex)
    return f'<div class="formula">{shown}</div>' if math.display else shown


def step(math: Math) -> Markup:
    """A line of a proof, as a phone shows it: they are many and long."""
    return Markup(f'<div class="formula">{wrapped(math.latex, (PHONE,))}</div>')


def svg(picture: Picture) -> Markup:
    return Markup(as_svg(picture))


@lru_cache
def environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    found.globals |= {
        "html": html,
        "svg": svg,
        "caveat": prose.caveat,
        "notation": prose.NOTATION,
        "conclusion": prose.conclusion,
        "expectation": prose.expectation,
        "left": prose.left,
        "to_do": prose.to_do,
        "failure": prose.failure,
        "kinds_mean": MEANINGS,
        "is_long": prose.is_long,
        "tally": prose.tally_of,
        "label": prose.label,
        "math": lambda text: html(with_math(text)),
        "opinions": prose.opinions,
        "slug": slug,
        "step": step,
        "not_proved": not_proved(),
        "versions": versions(),
    }
    return found


def assets() -> dict[str, str]:
    return {name: (TEMPLATES / name).read_text("utf-8") for name in ASSETS}


def op_html(page: Page) -> str:
    statuses = {e.verdict.status for e in page.entries}
    kinds = {e.verdict.kind for e in page.entries}
    return (
        environment()
        .get_template("op.html")
        .render(
            page=page,
            summary=prose.summary([e.verdict for e in page.entries]),
            how=prose.how(e.verdict for e in page.entries),
            graph=Markup(graph_svg(page)),
            drawing=Markup(page.drawing),
            choices={
                "status": [s for s in Status if s in statuses],
                "kind": [k for k in MEANINGS if k in kinds],
            },
        )
    )


def index_html(reports: list[Report]) -> str:
    verdicts = [v for report in reports for v in report.verdicts]
    statuses = {v.status for v in verdicts}
    return (
        environment()
        .get_template("index.html")
        .render(
            ops=[overview(report) for report in reports],
            how=prose.how(verdicts),
            kinds=kinds_in(reports),
            theorems=[row for report in reports for row in rows(report)],
            summary=prose.summary(verdicts),
            choices={
                "status": [s for s in Status if s in statuses],
                "kind": kinds_in(reports),
                "op": [report.op for report in reports],
            },
        )
    )


def overview(report: Report) -> dict[str, Any]:
    """A row of the table."""
    cells = {}
    for kind in MEANINGS:
        found = of_kind(report, kind)
        cells[kind] = {
            "counts": counts(found),
            "title": "; ".join(scopes(found)),
            "as_expected": all(v.as_expected for v in found),
        }
    return {"name": report.op, "file": file_name(report.op), "cells": cells}


def rows(report: Report) -> list[dict[str, Any]]:
    anchors = unique(slug(v.name) for v in report.verdicts)
    file = file_name(report.op)
    return [
        {"file": file, "anchor": anchor, "verdict": v}
        for v, anchor in zip(report.verdicts, anchors, strict=True)
    ]
