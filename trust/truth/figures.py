"""The figures of a run of drawn definitions, as data: the same for every run. Untrusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from trust.truth.compare import Result

TRUTHS, ANSWERS = ("right", "broken", "beyond"), ("proved", "refuted", "undecided")
SHOWN = 20


def figures(results: Iterable[Result], seed: int) -> dict[str, Any]:
    """Truths and answers of each family, the wrong answers, and some that are left open."""
    found = list(results)
    counted = Counter((r.family, r.truth, r.answer) for r in found)
    families: dict[str, dict[str, dict[str, int]]] = {}
    for (family, truth, answer), number in sorted(counted.items()):
        families.setdefault(family, {}).setdefault(truth, {})[answer] = number
    left = sorted({str(r) for r in found if r.undecided and r.truth != "unknown"}, key=len)
    return {
        "seed": seed,
        "known": sum(r.truth != "unknown" for r in found),
        "families": families,
        "wrong": sorted(str(r) for r in found if r.wrong),
        "undecided": left[:SHOWN],
    }


def counts(data: dict[str, Any]) -> Counter[tuple[str, str]]:
    """Truth and answer, of all families."""
    total: Counter[tuple[str, str]] = Counter()
    for by_truth in data["families"].values():
        for truth, by_answer in by_truth.items():
            total.update({(truth, answer): n for answer, n in by_answer.items()})
    return total


def share(data: dict[str, Any], truths: tuple[str, ...], answers: tuple[str, ...]) -> float:
    """Of the definitions whose truth is known, those of these truths and answers."""
    found = counts(data)
    return sum(found[t, a] for t in truths for a in answers) / max(1, data["known"])


def shortcomings(data: dict[str, Any]) -> list[str]:
    """What the run does not live up to."""
    found = [f"{len(data['wrong'])} wrong answers"] if data["wrong"] else []
    if share(data, TRUTHS, ("undecided",)) > 0.05:
        found.append("more than 5 % are undecided")
    if share(data, ("right",), ANSWERS) < 1 / 3:
        found.append("less than a third are right")
    if share(data, ("broken", "beyond"), ANSWERS) < 1 / 3:
        found.append("less than a third are broken")
    return found


def table(data: dict[str, Any]) -> str:
    """Families by truth and answer."""
    columns = [(t, a) for t in TRUTHS for a in ANSWERS]
    rows = [["", *(t if a == "proved" else "" for t, a in columns), "unknown"]]
    rows.append(["family", *(a for _, a in columns), ""])
    for family, by_truth in data["families"].items():
        cells = [by_truth.get(t, {}).get(a, 0) for t, a in columns]
        rows.append([family, *map(str, (*cells, sum(by_truth.get("unknown", {}).values())))])
    total = counts(data)
    unknown = sum(total["unknown", a] for a in ANSWERS)
    rows.append(["all", *map(str, (*(total[c] for c in columns), unknown))])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            c.rjust(w) if i else c.ljust(w)
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
