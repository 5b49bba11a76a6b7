"""docs/audits.md: what was found of other people's code. Untrusted."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gradproof.theorems.scopes import ONLY
from trust.audits.tables import COLUMNS, Row
from trust.source import ROOT

PAGE = ROOT / "docs" / "audits.md"
SETTLED = ("proved", "refuted")
OURS = re.compile(r"trust/audits/\w+\.py:\d+: `.*?`: ")  # the line that calls a row
Pairs = list[tuple[Row, dict[str, Any]]]

HEAD = """\
# Audits

Custom gradients that other people have published, and PyTorch's own, as they are in the wheels:
read, compared with the code on numbers, proved or refuted by [the adapters](adapters.md). This page
is written by `make audits` from the tables in `trust/audits/`. Nothing of a package is copied here,
or installed: its wheel is downloaded and unpacked into `build/`, the one module that holds the
function is loaded from there in a process with limits, and what that imports and is not installed
is a stub. Seconds are those of reading, comparing and proving, on a machine that does other things;
a row has {limit} of the solver's usual limit.

A refutation is always by the code itself: in float64, the finite differences of the forward
contradict the backward. *On purpose* is what says of itself that its gradient is none:
straight-through estimators, reversed or scaled gradients, surrogates; there it is expected.
"""
PACKAGES = """\
## Functions of packages

{count}
"""
SUMMARY = (
    *("framework", "packages", "proved, of those meant as gradients", "the others"),
    *("refuted, on purpose", "refuted otherwise", "s, median / worst"),
)
FINDINGS = """\
## What was refuted, and is not so on purpose
"""
FORMULAS = """\
## PyTorch's own formulas

Entries of `derivatives.yaml` in the wheel of PyTorch {version}. The call is traced below the
autograd engine, which evaluates the formula: forward and backward are read as the operations that
run. Four things are asked of each: its VJP; forward mode, whose tangents are to be the transpose of
what the backward gives, at ties, too; the second order, which is what the engine makes of the
backward; and the second order with forward mode: forward over reverse, reverse over forward and
forward over forward. *Settled* is what is proved or refuted; what has a star was read, and is
proved, at some sizes only.

{counts}
"""
UNREAD = """\
## What was not read or not settled

The operation that stopped it. Where the code's own finite differences contradict its gradient, that
is a refutation all the same.
"""


def written(formulas: Pairs, packages: Pairs, version: str, limit: str) -> str:
    parts = [HEAD.format(limit=limit)]
    parts.append(PACKAGES.format(count=counted(packages)))
    parts.append(table(SUMMARY, summary(packages)))
    parts.append(table(("package", "function", "verdict", "scope", "s"), map(of_package, packages)))
    names = {row.name for row, _ in [*packages, *formulas]}
    found = [f for f in findings() if f["name"] in names]
    if found:
        parts.append(FINDINGS)
        parts += [finding(f, [*packages, *formulas], version) for f in found]
    entries = by_entry(formulas)
    parts.append(FORMULAS.format(version=version, counts=of_columns(formulas)))
    heads = ("entry", "call", *COLUMNS, "scope of the VJP", "s")
    parts.append(table(heads, (of_formula(same) for same in entries.values())))
    parts.append(UNREAD)
    parts.append(table(("function", "what stopped it"), unread([*packages, *formulas])))
    return "\n".join(parts)


def summary(packages: Pairs) -> Iterator[list[str]]:
    """What was found at the first call, by framework: of gradients that say that they are none a
    refutation is right, and what is refuted otherwise is told below."""
    for framework in dict.fromkeys(row.framework for row, _ in packages):
        own = [(row, found) for row, found in packages if row.framework == framework]
        meant = [found for row, found in own if not row.on_purpose]
        wrong = sum(found["status"] == "refuted" for found in meant)
        right = len(meant) - wrong
        proved = sum(found["status"] == "proved" for found in meant)
        told = [found for row, found in own if row.on_purpose]
        refuted = sum(found["status"] == "refuted" for found in told)
        seconds = sorted(found["seconds"] for _, found in own)
        rest = Counter(f["status"] for f in meant if f["status"] not in ("proved", "refuted"))
        others = ", ".join(f"{count} {status}" for status, count in rest.most_common())
        yield [
            framework,
            f"{len({row.package for row, _ in own})}",
            f"{proved} of {right}" + (f" ({100 * proved // right} %)" if right else ""),
            others,
            f"{refuted} of {len(told)}",
            str(wrong),
            f"{seconds[len(seconds) // 2]:.1f} / {seconds[-1]:.1f}",
        ]


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(escaped, line))} |" for line in lines) + "\n"


def escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def counted(pairs: Pairs) -> str:
    """How many of each verdict."""
    homes = {row.package for row, _ in pairs if row.package}
    of = f" of {len(homes)} packages" if homes else ""
    return f"{len(pairs)} functions{of}: {verdicts(pairs)}."


def verdicts(pairs: Pairs) -> str:
    found = Counter(verdict(row, one) for row, one in pairs)
    return ", ".join(f"{count} {name}" for name, count in found.most_common())


def verdict(row: Row, found: dict[str, Any]) -> str:
    said = str(found["status"])
    return f"{said}, on purpose" if row.on_purpose and said == "refuted" else said


def of_package(pair: tuple[Row, dict[str, Any]]) -> list[str]:
    row, found = pair
    package = f"{row.package} {row.version}"
    return [package, f"`{row.module}.{row.name}`", verdict(row, found), *measured(found)]


def by_entry(pairs: Pairs) -> dict[str, Pairs]:
    found: dict[str, Pairs] = {}
    for row, one in pairs:
        found.setdefault(row.name, []).append((row, one))
    return found


def of_columns(pairs: Pairs) -> str:
    """How many are settled of each of what is asked."""
    lines = []
    for column in COLUMNS:
        own = [(row, one) for row, one in pairs if row.column == column]
        settled = sum(one["status"] in SETTLED for _, one in own)
        lines.append(f"- {column}: {settled} of {len(own)} settled: {verdicts(own)}.")
    return "\n".join(lines)


def of_formula(same: Pairs) -> list[str]:
    """An entry, and what became of each of what is asked."""
    row, _ = same[0]
    own = {one.column: found for one, found in same}
    said = [shortly(own[column]) if column in own else "" for column in COLUMNS]
    seconds = sum(found["seconds"] for found in own.values())
    vjp = own.get(COLUMNS[0], {"scope": ""})
    return [f"`{row.name}`", f"`{row.call}`", *said, scope(vjp["scope"]), f"{seconds:.1f}"]


def shortly(found: dict[str, Any]) -> str:
    return f"{found['status']}*" if ONLY in found["scope"] else str(found["status"])


def measured(found: dict[str, Any]) -> list[str]:
    return [scope(found["scope"]), f"{found['seconds']:.1f}"]


def scope(text: str) -> str:
    """Without what all of them have: that sizes are at least 1."""
    said, *rest = text.split(", ")
    clauses = said.removeprefix("for all sizes with ").split("; ")
    kept = [c for c in clauses if c and not c.endswith(" ≥ 1") and c != "for all sizes"]
    return ", ".join([f"all sizes with {'; '.join(kept)}" if kept else "all sizes", *rest]) * bool(
        text
    )


def said_of(found: dict[str, Any]) -> bool:
    return found["status"] not in ("proved", "refuted") or "not read" in found["note"]


def unread(pairs: Pairs) -> Iterator[list[str]]:
    """What stopped a function, once for all that it stopped."""
    for (name, said), same in groups(pairs).items():
        columns = [row.column for row in same if row.column]
        yield [f"`{name}`" + (f": {', '.join(columns)}" if columns else ""), said]


def groups(pairs: Pairs) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row, one in pairs:
        if said_of(one):
            found.setdefault((row.name, stopped(one)), []).append(row)
    return found


def stopped(found: dict[str, Any]) -> str:
    lines = str(found["note"]).splitlines() or [""]
    said = lines[0].replace(str(ROOT) + "/", "").replace("build/audits/", "")
    return textwrap.shorten(OURS.sub("", said), 260)


def findings() -> list[dict[str, Any]]:
    path = Path(__file__).parent / "findings.toml"
    found: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))["finding"]
    return found


def finding(said: dict[str, Any], pairs: Pairs, version: str) -> str:
    """What maintainers need: the line, the smallest case, what would mend it."""
    own = [(r, f) for r, f in pairs if r.name == said["name"]]
    row, found = next((pair for pair in own if pair[1]["counterexample"]), own[0])
    home = f"{row.package} {row.version}" if row.package else f"PyTorch {version}"
    title = f"### {home}: `{row.name}`\n"
    shown = "\n".join(found["counterexample"] or ["(no counterexample was found in this run)"])
    return "\n".join([title, said["text"].strip() + "\n", f"```text\n{shown}\n```\n"])
