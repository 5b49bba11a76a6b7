"""Code that says of itself how it is checked, for pytest to find. Deciding."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gradproof.tracing.reports import Report

MARK = "__gradproof__"


@dataclass(frozen=True)
class Marked:
    """A check, run once if at all, and the inputs by which it asks for gradients.

    `site` is the file and line that asked for it.
    """

    code: Any
    inputs: tuple[str, ...]
    check: Callable[[], Report]
    site: tuple[str, int]

    @property
    def name(self) -> str:
        """As its file has it: `TestScale.f` in a class, `made.<locals>.f` in a function."""
        return str(getattr(self.code, "__qualname__", type(self.code).__name__))

    @cached_property
    def report(self) -> Report:
        return self.check()

    def is_of(self, path: Path) -> bool:
        """Whether a file asks for it, or has its code."""
        inner = getattr(self.code, "__wrapped__", self.code)
        module = sys.modules.get(getattr(inner, "__module__", None) or "")
        homes = (self.site[0], getattr(module, "__file__", None) or "")
        return any(Path(home).resolve() == path.resolve() for home in homes if home)

    def wrong(self, name: str) -> str:
        """Why the gradient of an input is not settled as expected; nothing if it is."""
        report = self.report
        if report.as_expected:
            return ""
        example = report.counterexample
        is_of_gradient = report.status == "refuted" and not report.is_of_contract
        if is_of_gradient and example is not None and example.name != name:
            return f"not settled: the gradient of {example.name} is refuted before"
        return report.failure


MARKS: list[Marked] = []  # all that were made, in their order


def marked(
    code: Any, inputs: tuple[str, ...], check: Callable[[], Report], site: tuple[str, int]
) -> Any:
    """The code itself, with one more mark."""
    mark = Marked(code, inputs, check, site)
    setattr(code, MARK, (*marks_of(code), mark))
    MARKS.append(mark)
    return code


def marks_of(code: Any) -> tuple[Marked, ...]:
    """The marks of code that are its own and no base's, the first that was made first."""
    found = getattr(code, "__dict__", {}).get(MARK)
    return found if isinstance(found, tuple) else ()
