"""Records of verdicts: JSON and SMT-LIB 2 for each op, the same bytes on every machine. Untrusted.

A query that several theorems asked stands once in the op's .smt2 file, under its number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from gradproof import __version__, specs
from gradproof.graphs.nodes import Wiring
from gradproof.language.latex import primed
from gradproof.language.ops import Op
from gradproof.report.definitions import definition_hash
from gradproof.report.recorded import SCHEMA, Stale, read, stamp
from gradproof.settle.verdicts import Query, Report, Verdict

SOLVERS = {"z3": "z3-solver", "cvc5": "cvc5"}


class MissingSolver(Exception):
    """Reports need both solvers: a query without a second answer would differ elsewhere."""


@dataclass(frozen=True)
class Asked:
    """A query with its number and the theorems that asked it."""

    number: int
    query: Query
    theorems: tuple[str, ...]


def versions() -> dict[str, str]:
    found = {"gradproof": __version__}
    for name, package in SOLVERS.items():
        try:
            found[name] = metadata.version(package)
        except metadata.PackageNotFoundError:
            raise MissingSolver(
                f"reports need both solvers, and {name} is not installed; pip install {package}"
            ) from None
    return found


def asked(report: Report) -> tuple[Asked, ...]:
    """The queries of an op in the order in which they were asked first, each once."""
    theorems: dict[Query, list[str]] = {}
    for verdict in report.verdicts:
        for query in verdict.queries:
            names = theorems.setdefault(query, [])
            names += [verdict.name] if verdict.name not in names else []
    return tuple(Asked(n, q, tuple(theorems[q])) for n, q in enumerate(theorems, 1))


def numbers_of(verdict: Verdict, queries: Iterable[Asked]) -> list[int]:
    own = set(verdict.queries)
    return [a.number for a in queries if a.query in own]


def origin(op: Op | Wiring) -> dict[str, str]:
    """What the record is of; for an op of the suite, with what tells that its files still are."""
    definition = definition_hash(op)
    is_of_suite = isinstance(op, Op) and op.name in specs.HOMES and getattr(specs, op.name) is op
    return {"sha256": definition} | ({"stamp": stamp(op.name, definition)} if is_of_suite else {})


def record(op: Op | Wiring, report: Report) -> dict[str, Any]:
    """A report as plain data, without what varies from run to run."""
    queries = asked(report)
    theorems = []
    for verdict in report.verdicts:
        data = verdict.as_dict()
        del data["seconds"], data["op"]
        formulas = primed(*(step.formula for step in verdict.steps))
        steps = [
            {"reason": step.reason, "formula": formula}
            for step, formula in zip(verdict.steps, formulas, strict=True)
        ]
        theorems.append(data | {"steps": steps, "queries": numbers_of(verdict, queries)})
    return {
        "schema": SCHEMA,
        "name": report.op,
        "doc": op.doc.strip() if isinstance(op, Op) else "",
        "definition": origin(op),
        "versions": versions(),
        "theorems": theorems,
        "queries": [
            {"number": a.number, "z3": a.query.answer, "cvc5": a.query.second} for a in queries
        ],
    }


def record_of(op: Op, path: Path) -> dict[str, Any]:
    """The record that a file holds of an op, which must be the op as it is defined."""
    data, _ = read(path)
    if data["definition"]["sha256"] != definition_hash(op):
        raise Stale(f"{path} is of another definition of {op.name}")
    return data


def json_text(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def smt_text(report: Report) -> str:
    """All queries in one script that a solver can run."""
    parts = [
        f"; The queries of {one_line(report.op)}, in SMT-LIB 2. Each is answered on its own.\n"
    ]
    for a in asked(report):
        names = "".join(f"; {one_line(name)}\n" for name in a.theorems)
        second = f", cvc5: {a.query.second}" if a.query.second else ""
        head = f"; query {a.number}, z3: {a.query.answer}{second}\n"
        parts.append(f"{head}{names}(reset)\n{a.query.text.strip()}\n(check-sat)\n")
    return "\n".join(parts)


def one_line(words: str) -> str:
    """A comment ends with its line."""
    return " ".join(words.split())
