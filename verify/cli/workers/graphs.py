"""A graph of a file as workers tell of it: its theorems, settled one by one. Untrusted."""

from __future__ import annotations

from typing import Any

from gradproof.cli.workers.contents import content
from gradproof.cli.workers.keys import digest
from gradproof.cli.workers.load import Defined, Unreadable
from gradproof.cli.workers.wire import Request
from gradproof.graphs.nodes import Wiring
from gradproof.graphs.verifying import Verification
from gradproof.settle.verdicts import Verdict
from gradproof.show.lesson import Lesson

VERIFICATIONS: dict[str, Verification] = {}
MOST = 4  # that are kept


def definition(wiring: Wiring) -> str:
    """By which a graph is known again."""
    inputs = [(str(x), x.moves, [str(e) for e in x.span]) for x in wiring.inputs]
    nodes = [
        (
            [str(v) for v in node.results.values()],
            content(node.op),
            [(name, var.name) for name, var in node.operands.items()],
            [(str(s), str(v)) for s, v in node.sizes.items()],
        )
        for node in wiring.nodes
    ]
    outputs = [v.name for v in wiring.outputs]
    given = [str(g) for g in (*wiring.given, *wiring.values)]
    return digest(wiring.name, inputs, nodes, outputs, given)


def verification(wiring: Wiring) -> Verification:
    key = definition(wiring)
    if key not in VERIFICATIONS:
        while len(VERIFICATIONS) >= MOST:
            del VERIFICATIONS[next(iter(VERIFICATIONS))]
        VERIFICATIONS[key] = Verification(wiring)
    return VERIFICATIONS[key]


def listing(found: Defined) -> dict[str, Any]:
    """A graph with its theorems, none of them settled, and the lines of its nodes."""
    wiring = found.op
    labels = verification(wiring).labels
    lines = {f"sizes of {n.name}": line_of(n.where) for n in wiring.nodes}
    first = min(lines.values(), default=1)
    return {
        "name": wiring.name,
        "file": found.source.path,
        "line": first,
        "definition": definition(wiring),
        "theorems": [label.as_dict() for label in labels],
        "lines": [lines.get(label.name, first) for label in labels],
        "contents": [""] * len(labels),
        "content": "",
    }


def line_of(where: str) -> int:
    number = where.rpartition(":")[2]
    return int(number) if number.isdigit() else 1


def settle(wiring: Wiring, request: Request) -> Verdict:
    if definition(wiring) != request.definition:
        raise Unreadable(1, "it defines something else each time it is loaded")
    return verification(wiring).settle(request.number)


def told(verdict: Verdict) -> Lesson:
    """What a verdict of a graph says, and what it rests on."""
    lines = [f"    {verdict.statement}"]
    lines += [f"    given              {clause}" for clause in verdict.given]
    lines += [f"    rests on           {name}" for name in verdict.rests_on]
    lines.append(f"    settled            {verdict.status}, {verdict.scope or verdict.note}")
    return Lesson(tuple(lines))
