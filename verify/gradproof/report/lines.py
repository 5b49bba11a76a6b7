"""Formulas that wrap: MathML in pieces between which a line may end. Untrusted.

A piece begins at an operator, the loosest first. What is wider than the page is opened: a fraction
becomes a quotient of parentheses, cases become lines.

>>> wrapped(r"a + b")
'<math><mi>a</mi><mo>+</mo><mi>b</mi></math>'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from html import escape
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from gradproof.report.mathml import mathml
from gradproof.report.widths import SCRIPT, width

PHONE, DESK = 13.0, 44.0  # widths in em that fit
LIMITS = 0.7  # of that, for what stands below a sum or a maximum
RELATIONS = frozenset("=≠≤≥<>∈←\u2223") | {"+="}
LEVELS = (frozenset("⇒"), frozenset("∨"), frozenset("∧"), RELATIONS, frozenset("+\u2212∸"))
PRODUCTS = frozenset("⋅×/") | {"mod", "rem"}
OPERATORS = PRODUCTS.union(*LEVELS)
MARKS = frozenset(",;:")
FENCES = frozenset("([{⌊⌈|)]}⌋⌉")
FUNCTIONS = frozenset(("max", "min", "exp", "log", "trunc"))

Items = list[Element]
Piece = Items | str  # what is no mathematics is HTML


@lru_cache(maxsize=20_000)
def wrapped(latex: str, rooms: tuple[float, ...] = (DESK, PHONE)) -> str:
    """The formula in HTML; where a phone needs it opened further than a desk, both."""
    whole = mathml(latex)
    wide, *rest = (html(pieces(items(whole, room * LIMITS), room)) for room in rooms)
    if not rest or rest == [wide]:
        return wide
    return f'<span class="desk">{wide}</span><span class="phone">{rest[0]}</span>'


def items(whole: str, limits: float) -> Items:
    return [stacked(item, limits) for item in fromstring(whole)]


def html(found: list[Piece]) -> str:
    """Pieces, with places between them where the line may end."""
    return "<wbr>".join(p if isinstance(p, str) else marked(p) for p in found)


def marked(piece: Items) -> str:
    if len(piece) == 1 and piece[0].tag == "mtext":
        words = (piece[0].text or "").replace("\u00a0", " ")
        return f'<span class="words">{escape(words)}</span>'
    if all(item.tag == "mspace" for item in piece):
        return "\u2003"
    if is_operator(piece[0]) and len(piece) > 1:
        piece[0].set("form", "infix")
    return f"<math>{''.join(tostring(item, 'unicode') for item in piece)}</math>"


def pieces(items: Items, room: float) -> list[Piece]:
    """Pieces for a phone; one may be as wide as `room` if it would have to be opened."""
    while len(items) == 1 and items[0].tag == "mrow" and not is_fenced(items[0]):
        items = list(items[0])
    if len(items) == 1 and items[0].tag == "mtable":
        return [lines(items[0], "lines", room)]
    texts = len(items) > 1 and any(item.tag == "mtext" for item in items)
    if total(items) <= PHONE and not texts:
        return [items]
    for parts in cuts(items):
        if len(parts) > 1:
            return [piece for part in parts for piece in pieces(part, room)]
    return [items] if total(items) <= room else opened(items, room)


def total(items: Items) -> float:
    return sum(map(width, items))


# Where a line may end.


def cuts(items: Items) -> Iterator[list[Items]]:
    """Ways to cut, the best first: at text and marks, before operators, between what is left."""
    yield cut(items, lambda item, before: "mtext" in (item.tag, before.tag) or ends(item, before))
    for level in (*LEVELS, PRODUCTS):
        yield cut(items, lambda item, before: item.text in level and not is_operator(before))  # noqa: B023
    yield cut(items, lambda item, before: item.tag != "mspace" and not is_tied(before))


def cut(items: Items, begins: Callable[[Element, Element], bool]) -> list[Items]:
    """Parts, each of which begins where an item does after the one before it."""
    parts = [items[:1]]
    for before, item in pairwise(items):
        if begins(item, before):
            parts.append([])
        parts[-1].append(item)
    return parts


def ends(item: Element, before: Element) -> bool:
    """Whether a mark ends before an item, with the space behind it."""
    return item.tag != "mspace" and (before.tag == "mspace" or before.text in MARKS)


def is_operator(item: Element) -> bool:
    return item.tag == "mo" and item.text in OPERATORS


def is_tied(item: Element) -> bool:
    """Whether it is not to stand at the end of a line."""
    return item.tag == "mo" or (item.tag == "mi" and item.text in FUNCTIONS)


def is_fenced(row: Element) -> bool:
    return len(row) > 1 and row[0].tag == "mo" and row[0].text in FENCES


# What is opened.


def opened(items: Items, room: float) -> list[Piece]:
    """What is too wide and has no operator of its own, in pieces of its parts."""
    at = max(n for n, item in enumerate(items) if item.tag != "mspace")
    return around(items[:at], parts_of(items[at], room), items[at + 1 :])


def parts_of(item: Element, room: float) -> list[Piece]:
    kind = item.tag
    if kind == "mrow" and len(item) > 1 and item[1].tag == "mtable":
        return [lines(item[1], "cases", room)]
    if kind == "mrow":
        return around([upright(item[0])], pieces(list(item)[1:-1], room), [upright(item[-1])])
    if kind == "mfrac":
        above, below = (grouped(part, room) for part in item)
        return [*above, *around([sign("/")], below, [])]
    if kind == "msqrt":
        return around([sign("√"), sign("(")], pieces(list(item), room), [sign(")")])
    if kind == "msub":
        return around([item[0], sign("[")], pieces([item[1]], room), [sign("]")])
    if kind == "msup" and item[0].tag == "mrow":
        *most, last = parts_of(item[0], room)
        return [*most, raised(last, item[1])]
    return [[item]]


def grouped(side: Element, room: float) -> list[Piece]:
    """A side of a fraction, in parentheses if it is more than one thing."""
    found = pieces([side], room)
    alone = len(found) == 1 and len(found[0]) == 1
    return found if alone else around([sign("(")], found, [sign(")")])


def around(first: Items, found: list[Piece], last: Items) -> list[Piece]:
    """Pieces with what sticks to their first and to their last."""
    before = found[0]
    if isinstance(before, str) or total([*first, *before]) > PHONE:
        found = [first, *found] if first else found
    else:
        found = [[*first, *before], *found[1:]]
    after = found[-1]
    if isinstance(after, str):
        return [*found, last] if last else found
    return [*found[:-1], [*after, *last]]


def sign(letter: str) -> Element:
    made = Element("mo", stretchy="false")
    made.text = letter
    return made


def upright(fence: Element) -> Element:
    return sign(fence.text or "")


def raised(piece: Piece, power: Element) -> Piece:
    """With a power at the last sign."""
    if isinstance(piece, str):
        return piece
    made = Element("msup")
    made.extend([piece[-1], power])
    return [*piece[:-1], made]


def stacked(item: Element, room: float) -> Element:
    """With what stands below a sum or a maximum in lines, where it is wide."""
    made = Element(item.tag, item.attrib)
    made.text = item.text
    made.extend(stacked(part, room) for part in item)
    if made.tag in ("munder", "munderover"):
        parts = list(made[1]) if made[1].tag == "mrow" else [made[1]]
        rows = rows_of(parts, room / SCRIPT)
        if len(rows) > 1:
            made[1] = Element("mtable")
            for row in rows:
                SubElement(SubElement(made[1], "mtr"), "mtd").extend(row)
    return made


def rows_of(parts: Items, room: float) -> list[Items]:
    if total(parts) > room:
        for rows in cuts(parts):
            if len(rows) > 1:
                return [row for part in rows for row in rows_of(part, room)]
    return [parts]


def lines(table: Element, name: str, room: float) -> str:
    """The rows of a table, each a line that wraps."""
    shown = ""
    for row in table:
        cells = [list(cell) for cell in row]
        indented = bool(cells[0]) and cells[0][0].get("width") == "1em"
        style = "line indented" if indented else "line"
        cells[0] = cells[0][indented:]
        body = "\u2003".join(html(pieces(cell, room)) for cell in cells if cell)
        shown += f'<span class="{style}">{body}</span>'
    return f'<span class="{name}">{shown}</span>'
