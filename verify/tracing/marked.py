"""Code that says of itself how it is checked, for pytest to find. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gradproof.tracing.reports import Report

MARK = "__gradproof__"


@dataclass(frozen=True)
class Marked:
    """A check, run once if at all, and the inputs by which it asks for gradients."""

    inputs: tuple[str, ...]
    check: Callable[[], Report]

    @cached_property
    def report(self) -> Report:
        return self.check()

    def found(self, name: str) -> tuple[str, str]:
        """How the gradient of an input is settled: `passed`, `failed` or `open`; and why."""
        report = self.report
        if report.as_expected:
            return "passed", ""
        example = report.counterexample
        if report.status == "refuted" and example is not None and example.name != name:
            return "open", f"the gradient of {example.name} is refuted before"
        return "failed", report.text


def marked(code: Any, inputs: tuple[str, ...], check: Callable[[], Report]) -> Any:
    """The code itself, with its mark."""
    setattr(code, MARK, Marked(inputs, check))
    return code


def mark_of(code: Any) -> Marked | None:
    """The mark of code, if it is its own and no base's."""
    found = getattr(code, "__dict__", {}).get(MARK)
    return found if isinstance(found, Marked) else None
