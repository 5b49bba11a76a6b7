"""Each theorem of a project's op definitions as a test item: `pytest --gradproof`. Untrusted.

Files that build an `Op` are collected, but for test modules: those that use `verify.language`, or
a module beside them that does. `pytest -m gradproof` runs the theorems alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from verify.cli.wire import NO_OP, Lesson, Target
from verify.verdicts import Verdict

BUILDS = re.compile(r"\bOp(\s*\(| as )|\.claiming\(|dataclasses\.replace\(|(?<![\w.])replace\(")
LANGUAGE = re.compile(r"verify(\.| import )language")
IMPORTS = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)
SECONDS_TO_LOAD, SECONDS_TO_SETTLE, SECONDS_TO_MEND, MEMORY = 10, 120, 20, 4096


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gradproof")
    group.addoption(
        "--gradproof", action="store_true", help="settle the theorems of op definitions"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gradproof: a theorem of an op definition")


def is_asked(config: pytest.Config) -> bool:
    marked = re.findall(r"\w+", config.getoption("markexpr", default="") or "")
    return bool(config.getoption("gradproof")) or "gradproof" in marked


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".py" or not is_asked(parent.config):
        return None
    is_test = any(file_path.match(p) for p in parent.config.getini("python_files"))
    if is_test or not defines(file_path):
        return None
    return Definitions.from_parent(parent, path=file_path)


def defines(path: Path) -> bool:
    return BUILDS.search(read(path)) is not None and speaks(path, {path})


def speaks(path: Path, seen: set[Path]) -> bool:
    """Whether a file uses the language, itself or through modules beside it."""
    text = read(path)
    beside = {path.with_name(f"{name}.py") for name in IMPORTS.findall(text)} - seen
    seen |= beside
    return LANGUAGE.search(text) is not None or any(speaks(p, seen) for p in sorted(beside))


def read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


class Definitions(pytest.File):
    """The op definitions of a file, loaded and settled in a process of their own."""

    worker: Any = None

    def ask(self, do: str, op: str, number: int, seconds: float, **more: Any) -> dict[str, Any]:
        from verify.cli.supervisor import Lost, Worker

        if self.worker is None:
            self.worker = Worker(MEMORY)
            self.config.add_cleanup(self.worker.kill)
        target = asdict(Target(os.path.relpath(self.path)))
        request = {"do": do, "target": target, "op": op, "number": number}
        try:
            found: dict[str, Any] = self.worker.ask(
                request | {"limit": None, "ranks": [], "load_seconds": SECONDS_TO_LOAD} | more,
                seconds,
            )
        except Lost as lost:
            self.worker = None
            return {"failed": lost.reason, "trace": "", "timed_out": lost.timed_out}
        return found

    def collect(self) -> Iterable[Theorem]:
        found = self.ask("describe", "", -1, SECONDS_TO_SETTLE)
        if "ops" not in found:
            problem = found.get("problem") or {"line": 1, "message": found["failed"]}
            said = f"{os.path.relpath(self.path)}:{problem['line']}: {problem['message']}"
            if problem["message"] != NO_OP:
                raise self.CollectError(said)
            self.warn(pytest.PytestCollectionWarning(said))
            return
        for op in found["ops"]:
            for number, theorem in enumerate(op["theorems"]):
                name = f"{op['name']}::{theorem['name']}"
                item = Theorem.from_parent(self, name=name)
                item.op, item.number, item.line = op["name"], number, op["lines"][number]
                item.definition = op["definition"]
                item.add_marker("gradproof")
                yield item


class Wrong(Exception):
    """A theorem that is not settled as expected; the message is what pytest shows."""


class Theorem(pytest.Item):
    """One theorem."""

    op: str
    number: int
    line: int
    definition: str
    parent: Definitions

    def runtest(self) -> None:
        found = self.ask("settle", SECONDS_TO_SETTLE)
        if "verdict" not in found:
            problem = found.get("problem", {}).get("message", "it was not settled")
            raise Wrong(found.get("failed", problem))
        verdict = Verdict.from_dict(found["verdict"])
        if verdict.as_expected:
            return
        lines = [f"{verdict.status}, expected {verdict.expected}. {verdict.note}".strip()]
        if verdict.counterexample is not None:
            lines += self.lesson(verdict).text
        raise Wrong("\n".join(lines))

    def ask(self, do: str, seconds: float, **more: Any) -> dict[str, Any]:
        definition = self.definition
        return self.parent.ask(do, self.op, self.number, seconds, definition=definition, **more)

    def lesson(self, verdict: Verdict) -> Lesson:
        found = verdict.as_dict()
        taught = self.ask("teach", SECONDS_TO_SETTLE, verdict=found).get("lesson")
        lesson = Lesson.from_dict(taught) if taught else Lesson(())
        return lesson.mended(self.ask("mend", SECONDS_TO_MEND, verdict=found).get("mend", ""))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Wrong):
            return f"{os.path.relpath(self.path)}:{self.line}: {self.name}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, self.name
