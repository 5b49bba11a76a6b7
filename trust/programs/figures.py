"""The figures of a run of drawn programs, as data. Untrusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from trust.programs.run import Result


def figures(results: Iterable[Result], seed: int) -> dict[str, Any]:
    """What is said of right and of wrong programs of each framework, and what is bad of it."""
    found = list(results)
    counted = Counter((r.framework, r.truth, r.answer) for r in found)
    frameworks: dict[str, dict[str, dict[str, int]]] = {}
    for (framework, truth, answer), number in sorted(counted.items()):
        frameworks.setdefault(framework, {}).setdefault(truth, {})[answer] = number
    bad = sorted((r for r in found if r.is_bad), key=lambda r: len(r.text))
    return {"seed": seed, "frameworks": frameworks, "bad": [str(r) for r in bad]}


def shortcomings(data: dict[str, Any]) -> list[str]:
    return [f"{len(data['bad'])} bad answers"] if data["bad"] else []


def table(data: dict[str, Any]) -> str:
    """A line for right programs and one for wrong ones, of each framework."""
    lines = []
    for framework, by_truth in data["frameworks"].items():
        for truth, answers in by_truth.items():
            said = ", ".join(f"{number} {answer}" for answer, number in answers.items())
            lines.append(f"{framework}, {sum(answers.values())} {truth}: {said}")
    return "\n".join(lines)
