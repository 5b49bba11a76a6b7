"""A graph of a file as workers tell of it: its theorems, settled one by one. Deciding."""

from __future__ import annotations

from typing import Any

from gradproof.cli.workers.contents import content
from gradproof.cli.workers.load import Defined, Unreadable
from gradproof.cli.workers.wire import Request
from gradproof.graphs.nodes import Wiring
from gradproof.graphs.verifying import Verification
from gradproof.report.definitions import definition_hash
from gradproof.settle.verdicts import Verdict
from gradproof.show.lesson import Lesson

VERIFICATIONS: dict[str, Verification] = {}
MOST = 4  # that are kept


def verification(wiring: Wiring) -> Verification:
    key = definition_hash(wiring)
    if key not in VERIFICATIONS:
        while len(VERIFICATIONS) >= MOST:
            del VERIFICATIONS[next(iter(VERIFICATIONS))]
        VERIFICATIONS[key] = Verification(wiring)
    return VERIFICATIONS[key]


def listing(found: Defined) -> dict[str, Any]:
    """A graph with its theorems, none of them settled, and the lines of its nodes."""
    wiring = found.op
    whole = definition_hash(wiring)
    labels = verification(wiring).labels
    lines = {f"sizes of {n.name}": line_of(n.where) for n in wiring.nodes}
    first = min(lines.values(), default=1)
    return {
        "name": wiring.name,
        "file": found.source.path,
        "line": first,
        "definition": whole,
        "theorems": [label.as_dict() for label in labels],
        "lines": [lines.get(label.name, first) for label in labels],
        "contents": [content(whole, number) for number in range(len(labels))],
        "content": whole,
    }


def line_of(where: str) -> int:
    number = where.rpartition(":")[2]
    return int(number) if number.isdigit() else 1


def settle(wiring: Wiring, request: Request) -> Verdict:
    if definition_hash(wiring) != request.definition:
        raise Unreadable(1, "it defines something else each time it is loaded")
    return verification(wiring).settle(request.number)


def contents_of(wiring: Wiring, number: int) -> dict[str, str]:
    """Of the theorem and its graph, by which an answer is kept."""
    whole = definition_hash(wiring)
    return {"content": content(whole, number), "op_content": whole}


def told(verdict: Verdict) -> Lesson:
    """What a verdict of a graph says, and what it rests on."""
    lines = [f"    {verdict.statement}"]
    lines += [f"    given              {clause}" for clause in verdict.given]
    lines += [f"    rests on           {name}" for name in verdict.rests_on]
    lines.append(f"    settled            {verdict.status}, {verdict.scope or verdict.note}")
    return Lesson(tuple(lines))
