"""docs/audits.md: what was found of other people's code. Untrusted."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from trust.audits.tables import Row
from trust.source import ROOT

PAGE = ROOT / "docs" / "audits.md"
OURS = re.compile(r"trust/audits/worker\.py:\d+: `.*?`: ")  # the line that calls a row
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
run. {count}
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
    parts.append(FORMULAS.format(version=version, count=counted(formulas)))
    parts.append(table(("entry", "call", "verdict", "scope", "s"), map(of_formula, formulas)))
    parts.append(UNREAD)
    rows = [(row, found) for row, found in [*packages, *formulas] if said_of(found)]
    parts.append(table(("function", "what stopped it"), map(unread, rows)))
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
    found = Counter(verdict(row, one) for row, one in pairs)
    homes = {row.package for row, _ in pairs if row.package}
    said = ", ".join(f"{count} {name}" for name, count in found.most_common())
    of = f" of {len(homes)} packages" if homes else ""
    return f"{len(pairs)} functions{of}: {said}."


def verdict(row: Row, found: dict[str, Any]) -> str:
    said = str(found["status"])
    return f"{said}, on purpose" if row.on_purpose and said == "refuted" else said


def of_package(pair: tuple[Row, dict[str, Any]]) -> list[str]:
    row, found = pair
    package = f"{row.package} {row.version}"
    return [package, f"`{row.module}.{row.name}`", verdict(row, found), *measured(found)]


def of_formula(pair: tuple[Row, dict[str, Any]]) -> list[str]:
    row, found = pair
    return [f"`{row.name}`", f"`{row.call}`", verdict(row, found), *measured(found)]


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


def unread(pair: tuple[Row, dict[str, Any]]) -> list[str]:
    row, found = pair
    lines = str(found["note"]).splitlines() or [""]
    said = lines[0].replace(str(ROOT) + "/", "").replace("build/audits/", "")
    return [f"`{row.name}`", textwrap.shorten(OURS.sub("", said), 260)]


def findings() -> list[dict[str, Any]]:
    path = Path(__file__).parent / "findings.toml"
    found: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))["finding"]
    return found


def finding(said: dict[str, Any], pairs: Pairs, version: str) -> str:
    """What maintainers need: the line, the smallest case, what would mend it."""
    row, found = next((r, f) for r, f in pairs if r.name == said["name"])
    home = f"{row.package} {row.version}" if row.package else f"PyTorch {version}"
    title = f"### {home}: `{row.name}`\n"
    shown = "\n".join(found["counterexample"] or ["(no counterexample was found in this run)"])
    return "\n".join([title, said["text"].strip() + "\n", f"```text\n{shown}\n```\n"])
