"""The page of a graph: its inputs and nodes, its picture, and its theorems. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator

from gradproof.graphs.drawing import mermaid, svg
from gradproof.graphs.nodes import Node, Var, Wiring, shown
from gradproof.report.content import Entry, Page, file_name, in_order, slug, unique
from gradproof.report.statements import Code, Words, listed
from gradproof.settle.verdicts import Report, Verdict


def graph_page(wiring: Wiring, report: Report) -> Page:
    """The page of a graph, its theorems in the order of their kinds."""
    anchors = unique(slug(v.name) for v in report.verdicts)
    ranked = in_order(zip(report.verdicts, anchors, strict=True))
    numbers = {verdict.name: n for n, (verdict, _) in enumerate(ranked, 1)}
    return Page(
        wiring.name,
        file_name(wiring.name),
        (("A graph of ops. Its theorem follows from theirs, as docs/graphs.md proves.",),),
        (*map(input_of, wiring.inputs), *map(node_of, wiring.nodes), *outputs_of(wiring)),
        (),
        (),
        listed((*wiring.given, *wiring.values)),
        (),
        tuple(entry(verdict, anchor, numbers) for verdict, anchor in ranked),
        svg(wiring, report),
        mermaid(wiring, report),
    )


def input_of(var: Var) -> Words:
    role = "input" if var.moves else "integers" if var.span else "constant"
    return (Code(var.name), f", the {role}, of shape ", Code(shown(var.shape)))


def node_of(node: Node) -> Words:
    taken = ", ".join(var.name for var in node.operands.values())
    said = ", ".join(f"{s} = {v}" for s, v in node.said.items())
    shapes = ", ".join(shown(var.shape) for var in node.results.values())
    words: Words = (Code(f"{node.name} = {node.op.name}({taken})"), ", of shape ", Code(shapes))
    return (*words, " with ", Code(said)) if said else words


def outputs_of(wiring: Wiring) -> Iterator[Words]:
    for var in wiring.outputs:
        yield ("the output ", Code(var.name))


def entry(verdict: Verdict, anchor: str, numbers: dict[str, int]) -> Entry:
    return Entry(
        numbers[verdict.name],
        anchor,
        (verdict.name,),
        verdict,
        ((f"{verdict.statement}.",),),
        (),
        (),
        (),
        tuple(sorted(numbers[name] for name in verdict.rests_on if name in numbers)),
        None,
        (),
        (),
    )
