"""A graph as a picture: SVG, and Mermaid for a page in Markdown. Untrusted.

Inputs that one node takes beside what is computed, such as weights, stand in its box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from gradproof.graphs.nodes import Node, Var, Wiring, shown
from gradproof.theorems.statuses import worst

LEAST, LETTER, LINE, GAP, MARGIN = 120, 6.2, 16, 28, 12
COLOURS = {"proved": "#2e7d32", "refuted": "#c62828", "error": "#c62828", "": "#555555"}
UNSURE = "#b26a00"


def statuses(report: Any) -> dict[str, str]:
    """By what verdicts are about, `sizes of conv2d_1` or `rules of conv2d`."""
    return {} if report is None else {v.name: str(v.status) for v in report.verdicts}


def status_of(node: Node, known: dict[str, str]) -> str:
    said = [known[n] for n in (f"sizes of {node.name}", f"rules of {node.op.name}") if n in known]
    return str(worst(said)) if said else ""


def drawn_inside(wiring: Wiring) -> set[Var]:
    """The inputs without a box of their own."""
    first, found = wiring.inputs[0], set()
    computed = {first, *(v for n in wiring.nodes for v in n.results.values())}
    for x in wiring.inputs[1:]:
        users = [n for n in wiring.nodes if x in n.operands.values()]
        if len(users) == 1 and computed & set(users[0].operands.values()):
            found.add(x)
    return found


def label(node: Node, inside: set[Var]) -> Iterator[str]:
    yield f"{node.name}  {', '.join(shown(v.shape) for v in node.results.values())}"
    for name, var in node.operands.items():
        if var in inside:
            yield f"{var.name} {shown(var.shape)}" if name == var.name else f"{name}: {var}"


def edges(wiring: Wiring, inside: set[Var]) -> Iterator[tuple[str, str]]:
    source = source_names(wiring)
    for node in wiring.nodes:
        for name in dict.fromkeys(source[v] for v in node.operands.values() if v not in inside):
            yield name, node.name


def source_names(wiring: Wiring) -> dict[Var, str]:
    """The box from which each variable comes."""
    own = {x: x.name for x in wiring.inputs}
    return own | {v: n.name for n in wiring.nodes for v in n.results.values()}


def mermaid(wiring: Wiring, report: Any = None) -> str:
    known, inside = statuses(report), drawn_inside(wiring)
    lines = ["flowchart TD"]
    own = (x for x in wiring.inputs if x not in inside)
    lines += [f'    {x.name}(["{quoted(str(x))}"])' for x in own]
    for node in wiring.nodes:
        said = [*label(node, inside), *filter(None, [status_of(node, known)])]
        lines.append(f'    {node.name}["{"<br/>".join(map(quoted, said))}"]')
    lines += [f"    {a} --> {b}" for a, b in edges(wiring, inside)]
    for number, var in enumerate(wiring.outputs, 1):
        lines.append(f'    {source_names(wiring)[var]} --> out{number}(["output"])')
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    return escape(text).replace("&amp;", "#amp;").replace("&quot;", "#quot;")


def svg(wiring: Wiring, report: Any = None) -> str:
    known, inside = statuses(report), drawn_inside(wiring)
    boxes: dict[str, list[str]] = {x.name: [str(x)] for x in wiring.inputs if x not in inside}
    status = {n.name: status_of(n, known) for n in wiring.nodes}
    for node in wiring.nodes:
        boxes[node.name] = [*label(node, inside), *filter(None, [status[node.name]])]
    arrows = list(edges(wiring, inside))
    places = layout(boxes, arrows)
    paths = list(routed(places, arrows))
    width = max(*(x + w for x, _, w, _ in places.values()), *(p.right for p in paths)) + MARGIN
    height = max(y + h for _, y, _, h in places.values()) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
        f"<title>{escape(wiring.name)}</title>",
        *(str(path) for path in paths),
        *(box(lines, places[name], status.get(name)) for name, lines in boxes.items()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


Place = tuple[int, int, int, int]  # left, top, width, height


def layout(boxes: dict[str, list[str]], arrows: Iterable[tuple[str, str]]) -> dict[str, Place]:
    """Each box below all that it takes; those of one depth side by side."""
    depth = dict.fromkeys(boxes, 0)
    for a, b in arrows:  # in the order of nodes, so that what a node takes is placed before it
        depth[b] = max(depth[b], depth[a] + 1)
    rows: dict[int, list[str]] = {}
    for name, level in depth.items():
        rows.setdefault(level, []).append(name)
    whole = max(row_width(boxes, row) for row in rows.values())
    places, top = {}, MARGIN
    for level in sorted(rows):
        left, below = MARGIN + (whole - row_width(boxes, rows[level])) // 2, top
        for name in rows[level]:
            width, height = box_width(boxes[name]), LINE * len(boxes[name]) + 10
            places[name] = (left, top, width, height)
            left, below = left + width + GAP, max(below, top + height)
        top = below + GAP
    return places


def box_width(lines: list[str]) -> int:
    return max(LEAST, int(LETTER * max(map(len, lines))) + 16)


def row_width(boxes: dict[str, list[str]], row: list[str]) -> int:
    return sum(box_width(boxes[name]) for name in row) + GAP * (len(row) - 1)


def box(lines: list[str], place: Place, status: str | None) -> str:
    left, top, width, height = place
    colour = COLOURS.get(status or "", UNSURE)
    radius = 12 if status is None else 3
    texts = "".join(
        f'<text x="{left + 8}" y="{top + LINE * (n + 1)}">{escape(line)}</text>'
        for n, line in enumerate(lines)
    )
    return (
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="{radius}" '
        f'fill="#ffffff" stroke="{colour}"/>{texts}'
    )


@dataclass(frozen=True)
class Path:
    """An arrow, and how far to the right it goes."""

    line: str
    head: str
    right: int

    def __str__(self) -> str:
        lines = f"M{self.line}", f"M{self.head}"
        return "".join(f'<path d="{d}" fill="none" stroke="#888888"/>' for d in lines)


def routed(places: dict[str, Place], arrows: Iterable[tuple[str, str]]) -> Iterator[Path]:
    """From each box down to the next row, or around what lies between."""
    tops = sorted({top for _, top, _, _ in places.values()})
    turns = 0
    for a, b in arrows:
        first, last = tops.index(places[a][1]), tops.index(places[b][1])
        if last - first == 1:
            yield down(places[a], places[b])
            continue
        turns += 1
        between = (p for p in places.values() if p[1] in tops[first : last + 1])
        yield around(places[a], places[b], max(x + w for x, _, w, _ in between) + 20 + 8 * turns)


def down(start: Place, end: Place) -> Path:
    x1, y1 = start[0] + start[2] // 2, start[1] + start[3]
    x2, y2 = end[0] + end[2] // 2, end[1]
    line = f"{x1},{y1} C{x1},{y1 + GAP} {x2},{y2 - GAP} {x2},{y2}"
    return Path(line, f"{x2 - 4},{y2 - 7} L{x2},{y2} L{x2 + 4},{y2 - 7}", x2)


def around(start: Place, end: Place, right: int) -> Path:
    x1, y1 = start[0] + start[2], start[1] + start[3] // 2
    x2, y2 = end[0] + end[2], end[1] + end[3] // 2
    line = f"{x1},{y1} C{right},{y1} {right},{y1} {right},{y1 + GAP} L{right},{y2 - GAP} "
    line += f"C{right},{y2} {right},{y2} {x2},{y2}"
    return Path(line, f"{x2 + 7},{y2 - 4} L{x2},{y2} L{x2 + 7},{y2 + 4}", right)
