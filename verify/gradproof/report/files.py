"""All files of a report, written whole or compared with those that are there. Untrusted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from itertools import islice
from pathlib import Path

from gradproof.graphs.nodes import Wiring
from gradproof.language.ops import Op
from gradproof.report.content import file_name, page
from gradproof.report.markdown import markdown
from gradproof.report.networks import graph_page
from gradproof.report.recorded import report_in
from gradproof.report.records import json_text, record, smt_text
from gradproof.report.site import assets, index_html, op_html
from gradproof.report.table import index
from gradproof.settle.verdicts import Report

Files = dict[Path, str]
KINDS = (".md", ".json", ".smt2", ".html")
BUILT = (".smt2", ".html", ".css", ".js")  # what need not be kept beside the pages and records
PACKAGE = "__init__.py"  # by which the records of the suite are installed with the tool
MOST_LINES, WIDEST = 80, 300


def files_of(op: Op | Wiring, report: Report) -> dict[str, str]:
    """The four files of an op, or of a graph, by name."""
    shown = page(op, report) if isinstance(op, Op) else graph_page(op, report)
    texts = (markdown(shown), json_text(record(op, report)), smt_text(report), op_html(shown))
    return {f"{shown.file}{kind}": text for kind, text in zip(KINDS, texts, strict=True)}


def files(
    settled: Iterable[tuple[Op | Wiring, Report]],
    folder: Path,
    order: Iterable[str],
    whole: bool = False,
) -> Files:
    """Every file of these reports; unless they are the whole, the indices also list the other
    records in the folder."""
    found: Files = {}
    reports = {} if whole else others_in(folder)
    for op, report in settled:
        found |= {folder / name: text for name, text in files_of(op, report).items()}
        reports[op.name] = report
    ranks = {name: rank for rank, name in enumerate(order)}
    listed = sorted(reports.values(), key=lambda r: (ranks.get(r.op, len(ranks)), r.op))
    found |= {folder / name: text for name, text in assets().items()}
    return found | {folder / "index.html": index_html(listed), folder / "index.md": index(listed)}


def others_in(folder: Path) -> dict[str, Report]:
    """The reports of the records that are there; what is no record of this form is left out."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            report = report_in(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if path.stem == file_name(report.op):
            found[report.op] = report
    return found


def differences(found: Files, folder: Path, whole: bool) -> Iterator[str]:
    """What is not as it should be, file by file, as a diff that a person can read.

    What is built anew each time may be missing.

    `whole`: these are all files there should be, so any other is one too many.
    """
    for path, text in found.items():
        if not path.is_file():
            yield from () if path.suffix in BUILT else [f"{path} is missing"]
            continue
        there = path.read_bytes().decode("utf-8", "replace")
        if there != text:
            readable = path.suffix in (".md", ".json")
            yield difference(path, there, text) if readable else f"{path} is out of date"
    if whole:
        held = sorted(folder.iterdir()) if folder.is_dir() else []
        spare = (path for path in held if path not in found and path.name != PACKAGE)
        yield from (f"{path} belongs to no op" for path in spare)


def difference(path: Path, there: str, text: str) -> str:
    names = (f"{path} as it is", f"{path} as it should be")
    lines = unified_diff(there.splitlines(), text.splitlines(), *names, lineterm="")
    shown = [line[:WIDEST] for line in islice(lines, MOST_LINES + 1)]
    more = ["[and more]"] if len(shown) > MOST_LINES else []
    return "\n".join([*shown[:MOST_LINES], *more])
