"""Pictures as inline SVG and as plain text. Untrusted."""

from __future__ import annotations

from html import escape

from gradproof.report.pictures import Grid, Picture, Square

SIDE, GAP, LETTER = 20, 2, 7
SIGNS = {"on": "■", "off": "□", "pad": "·", "": " "}


def as_text(picture: Picture) -> str:
    """The grids one below the other, in characters of equal width."""
    return "\n\n".join(grid_text(grid) for grid in picture.grids)


def grid_text(grid: Grid) -> str:
    signs = [[sign(s) for s in row] for row in grid.rows]
    width = max((len(s) for row in (*signs, grid.above) for s in row), default=1)
    margin = max(map(len, grid.beside), default=0)
    lines = [f"{grid.title}"] if grid.title else []
    if grid.above:
        lines.append(" ".join([" " * margin, *(c.rjust(width) for c in grid.above)]))
    for number, row in enumerate(signs):
        label = [grid.beside[number].ljust(margin)] if grid.beside else []
        lines.append(" ".join([*label, *(s.rjust(width) for s in row)]))
    return "\n".join(line.rstrip() for line in lines)


def sign(square: Square) -> str:
    return square.label or SIGNS[square.mark]


def as_svg(picture: Picture) -> str:
    """One `<svg>` per grid, with a title for every square."""
    return "".join(grid_svg(grid, picture.title) for grid in picture.grids)


def grid_svg(grid: Grid, title: str) -> str:
    label = max((len(s.label) for row in grid.rows for s in row), default=0)
    side = max(SIDE, LETTER * label + 8)
    left = LETTER * max(map(len, grid.beside), default=0) + (8 if grid.beside else 0)
    top = (SIDE if grid.title else 0) + (SIDE if grid.above else 0)
    columns = max(map(len, grid.rows), default=0)
    width = max(left + columns * (side + GAP), LETTER * len(grid.title) + 4)
    height = top + len(grid.rows) * (SIDE + GAP)
    parts = [text(grid.title, 0, 14, "title")] if grid.title else []
    for column, words in enumerate(grid.above):
        parts.append(text(words, left + column * (side + GAP) + side / 2, top - 6, "above"))
    for row, squares in enumerate(grid.rows):
        y = top + row * (SIDE + GAP)
        if grid.beside:
            parts.append(text(grid.beside[row], left - 8, y + 14, "beside"))
        for column, square in enumerate(squares):
            parts.append(square_svg(square, left + column * (side + GAP), y, side))
    name = escape(f"{title}: {grid.title}" if grid.title else title)
    return (
        f'<svg class="grid" role="img" aria-label="{name}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )


def square_svg(square: Square, x: float, y: float, side: float) -> str:
    if not square.mark:
        return ""
    title = f"<title>{escape(square.title)}</title>" if square.title else ""
    wide = f' width="{side}"' if side != SIDE else ""  # the style sheet knows the usual size
    box = f'<rect x="{number(x)}" y="{y}"{wide}>{title}</rect>'
    label = text(square.label, x + side / 2, y + 14, "value") if square.label else ""
    return f'<g class="{square.mark}">{box}{label}</g>'


def text(words: str, x: float, y: float, kind: str) -> str:
    return f'<text class="{kind}" x="{number(x)}" y="{number(y)}">{escape(words)}</text>'


def number(value: float) -> str:
    return f"{value:g}"
