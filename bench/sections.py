"""The last sections of the page: many definitions, and the checks of this repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bench.tables import seconds, table
from bench.times import PARTS


def scale(found: dict[str, Any] | None) -> list[str]:
    if not found:
        return ["## Scale", "", "Not measured; `make scale` does.", ""]
    rows = (
        (
            f"{one['definitions']:,}",
            f"{one['theorems']:,}",
            seconds(one["wall"]),
            seconds(one["cpu"]),
            f"{1000 * one['cpu'] / one['definitions']:.0f}",
            f"{one['worker_megabytes']:.0f}",
            f"{one['command_megabytes']:.0f}",
        )
        for one in found["runs"]
    )
    head = ["definitions", "theorems", "on the clock, s", "CPU s", "CPU ms each"]
    head += ["largest worker, MB", "the command, MB"]
    return [
        "## Scale",
        "",
        "Small definitions, a third of them wrong, each with what is taught on its refutation;",
        f"`gradproof check --jobs {found['jobs']}`. Machine: {found['machine']}; unit",
        f"{found['unit']:.3f} s; of {found['version']}.",
        "",
        *table(head, rows),
        "",
    ]


def times(found: dict[str, Any]) -> list[str]:
    def rows() -> Iterator[Sequence[str]]:
        for name, part in PARTS.items():
            what, goal = f"`{' '.join(part.command)}`", f"{part.goal}"
            if name not in found:
                yield (what, "not measured", goal, *5 * ("",))
                continue
            one = found[name]
            clocks = (seconds(one["wall"]), goal, seconds(one["cpu"]))
            rest = (f"{one['unit']:.3f}", one["machine"], one["version"])
            yield (what, *clocks, f"{one['passed']:,}", *rest)

    head = ["command", "on the clock, s", "goal, at most", "CPU s", "tests passed", "unit, s"]
    return [
        "## The checks of this repository",
        "",
        "Written by `make times`. `.ci/run` is run in a fresh clone, and makes its environment and",
        "installs what the tests need first. What a command shares the processors with slows it on",
        "the clock.",
        "",
        *table([*head, "machine", "of"], rows()),
        "",
    ]
