"""Which theorem rests on which, as a drawing whose boxes lead to the theorems. Untrusted."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from gradproof.report.content import Entry, Page

BOX, ROW, HEIGHT, BETWEEN = 250, 34, 26, 110
LETTERS = 38


@dataclass(frozen=True)
class Edge:
    """`above` rests on `below`; or, of twins, is the false one of the true `below`."""

    above: int
    below: int
    kind: str


def edges(page: Page) -> tuple[Edge, ...]:
    rests = [Edge(e.number, n, "rests") for e in page.entries for n in e.rests_on]
    twins = [Edge(e.number, e.twin, "twin") for e in page.entries if e.twin is not None]
    return (*rests, *twins)


def layers(page: Page, found: tuple[Edge, ...]) -> list[list[Entry]]:
    """Theorems in columns: each to the right of all that it rests on."""
    below: dict[int, list[int]] = {}
    for edge in found:
        if edge.kind == "rests":
            below.setdefault(edge.above, []).append(edge.below)

    def depth(number: int, seen: tuple[int, ...] = ()) -> int:
        deeper = (n for n in below.get(number, ()) if n not in seen)
        return 1 + max((depth(n, (*seen, number)) for n in deeper), default=-1)

    connected = {n for edge in found for n in (edge.above, edge.below)}
    columns: list[list[Entry]] = []
    for entry in page.entries:
        if entry.number in connected:
            column = depth(entry.number)
            columns += [[] for _ in range(column + 1 - len(columns))]
            columns[column].append(entry)
    return [column for column in columns if column]


def graph_svg(page: Page) -> str:
    found = edges(page)
    columns = layers(page, found)
    if not columns:
        return ""
    places = {
        entry.number: (column * (BOX + BETWEEN) + 2, row * ROW + 4)
        for column, entries in enumerate(columns)
        for row, entry in enumerate(entries)
    }
    width = len(columns) * (BOX + BETWEEN) - BETWEEN + 60
    height = max(map(len, columns)) * ROW + 8
    lines = "".join(edge_svg(edge, places) for edge in found)
    boxes = "".join(box_svg(entry, *places[entry.number]) for c in columns for entry in c)
    return (
        f'<svg class="graph" role="group" aria-label="Which theorem rests on which" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">{lines}{boxes}</svg>'
    )


def edge_svg(edge: Edge, places: dict[int, tuple[int, int]]) -> str:
    (x1, y1), (x2, y2) = places[edge.below], places[edge.above]
    middle = HEIGHT // 2
    if x1 == x2:  # side by side in one column: an arc on the right
        x, bend = x1 + BOX, x1 + BOX + 40
        path = f"M{x} {y1 + middle}C{bend} {y1 + middle} {bend} {y2 + middle} {x} {y2 + middle}"
    elif x1 < x2:
        half = (x2 - x1 - BOX) // 2
        path = (
            f"M{x1 + BOX} {y1 + middle}C{x1 + BOX + half} {y1 + middle} "
            f"{x2 - half} {y2 + middle} {x2} {y2 + middle}"
        )
    else:
        path = f"M{x1} {y1 + middle}L{x2 + BOX} {y2 + middle}"
    return f'<path class="{edge.kind}" data-ends="{edge.above} {edge.below}" d="{path}"/>'


def box_svg(entry: Entry, x: int, y: int) -> str:
    verdict = entry.verdict
    name = f"{entry.number}. {verdict.name}"
    short = name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
    status = escape(verdict.status) + ("" if verdict.as_expected else " wrong")
    return (
        f'<a href="#{escape(entry.anchor)}" data-number="{entry.number}" '
        f'class="{status}"><title>{escape(name)}: {escape(verdict.status)}</title>'
        f'<rect x="{x}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="6"/>'
        f'<text x="{x + 10}" y="{y + 17}">{escape(short)}</text></a>'
    )
