"""Tables of Markdown, and figures in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def seconds(value: float) -> str:
    """Two digits that count."""
    if value >= 10:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> list[str]:
    return [row(*head), row(*("---" for _ in head)), *(row(*cells) for cells in rows)]
