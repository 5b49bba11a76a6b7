"""A plot of the figures as SVG: what a proof and a gradcheck cost at each shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, inf, log10
from statistics import median
from typing import Any

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 196, 34, 44
STYLE = """\
.ground { fill: #ffffff } .grid { stroke: #d8dee4 } text { fill: #1f2328 }
.quiet { fill: #59636e } .line { fill: none; stroke-width: 1; opacity: .35 }
.middle { fill: none; stroke-width: 3 } .dot { stroke: none }
.gradcheck { stroke: #bc4c00 } .dot.gradcheck, .said.gradcheck { fill: #bc4c00 }
.proof { stroke: #0969da } .dot.proof, .said.proof { fill: #0969da }
.fast { stroke: #6e7781 } .dot.fast, .said.fast { fill: #6e7781 } .said { stroke: none }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } .grid { stroke: #30363d } text { fill: #e6edf3 }
.quiet { fill: #9198a1 }
.gradcheck { stroke: #f0883e } .dot.gradcheck, .said.gradcheck { fill: #f0883e }
.proof { stroke: #58a6ff } .dot.proof, .said.proof { fill: #58a6ff }
.fast { stroke: #9198a1 } .dot.fast, .said.fast { fill: #9198a1 } .said { stroke: none } }
"""
Points = list[tuple[int, float]]  # of a shape by its place, and seconds


def lines(data: dict[str, Any], shapes: Sequence[str]) -> dict[str, list[Points]]:
    """For each of the three kinds, one line per op."""
    found: dict[str, list[Points]] = {"gradcheck": [], "proof": [], "fast": []}
    for one in data["ops"].values():
        at = [(n, one["gradcheck"][shape]) for n, shape in enumerate(shapes)]
        measured = [(n, figures) for n, figures in at if "seconds" in figures]
        found["gradcheck"].append([(n, figures["seconds"]) for n, figures in measured])
        found["fast"].append([(n, figures["fast"]) for n, figures in measured])
        proof = one["derivatives"]["seconds"]
        found["proof"].append([(n, proof) for n in range(len(shapes))])
    return found


def middle(ops: list[Points], shapes: int) -> Points:
    """The median at each shape; ops that were skipped at it, since they take long, are above."""
    at_shape = [dict(points).get for points in ops]
    found = [median(seconds(at, inf) for seconds in at_shape) for at in range(shapes)]
    return [(at, seconds) for at, seconds in enumerate(found) if seconds < inf]


class Axes:
    """Places on the page; seconds are on a logarithmic axis, and so are the shapes' cells."""

    def __init__(self, shapes: int, seconds: Iterable[float]) -> None:
        found = list(seconds)
        self.low, self.high = floor(log10(min(found))), ceil(log10(max(found)))
        self.shapes = shapes

    def x(self, at: int) -> float:
        return LEFT + 24 + at * (WIDTH - LEFT - RIGHT - 48) / (self.shapes - 1)

    def y(self, seconds: float) -> float:
        part = (log10(seconds) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)


def plot(data: dict[str, Any], shapes: Sequence[str]) -> str:
    found = lines(data, shapes)
    every = [seconds for ops in found.values() for points in ops for _, seconds in points]
    axes = Axes(len(shapes), every)
    said = {
        "gradcheck": ("gradcheck", "one shape, floats"),
        "proof": ("JVP + VJP proved", "every shape and rank"),
        "fast": ("gradcheck, fast_mode", "one random projection"),
    }
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13" role="img">',
        "<title>CPU seconds of a proof and of gradcheck, by shape</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text x="{LEFT}" y="20">CPU seconds; one thin line per op, the median thick</text>',
        *grid(axes, shapes),
    ]
    for kind, ops in found.items():
        parts += [drawn(axes, points, f"line {kind}") for points in ops if len(points) > 1]
    thick = {kind: middle(ops, len(shapes)) for kind, ops in found.items()}
    for kind, points in thick.items():
        parts.append(drawn(axes, points, f"middle {kind}"))
        parts += [
            f'<circle class="dot {kind}" cx="{axes.x(at):.1f}" cy="{axes.y(s):.1f}" r="4"/>'
            for at, s in points
        ]
    for kind, y in places({kind: axes.y(points[-1][1]) for kind, points in thick.items()}).items():
        first, second = said[kind]
        x = WIDTH - RIGHT + 12
        parts.append(
            f'<text class="said {kind}" x="{x}" y="{y:.1f}" font-weight="600">{first}</text>'
        )
        parts.append(f'<text class="quiet" x="{x}" y="{y + 16:.1f}" font-size="12">{second}</text>')
    return "\n".join([*parts, "</svg>", ""])


def places(wanted: dict[str, float], apart: float = 38) -> dict[str, float]:
    """As wanted, but that no label covers another."""
    found: dict[str, float] = {}
    for kind, y in sorted(wanted.items(), key=lambda item: item[1]):
        found[kind] = max(y, *(other + apart for other in found.values())) if found else y
    return found


def grid(axes: Axes, shapes: Sequence[str]) -> list[str]:
    parts = []
    for power in range(axes.low, axes.high + 1):
        y = axes.y(10.0**power)
        number = f"{10**power}" if power >= 0 else f"{10.0**power:.{-power}f}"
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(
            f'<text class="quiet" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{number}</text>'
        )
    for at, shape in enumerate(shapes):
        x, y = axes.x(at), HEIGHT - BOTTOM + 24
        parts.append(f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{shape}</text>')
    return parts


def drawn(axes: Axes, points: Points, kind: str) -> str:
    path = " ".join(f"{axes.x(at):.1f},{axes.y(seconds):.1f}" for at, seconds in points)
    return f'<polyline class="{kind}" points="{path}"/>'
