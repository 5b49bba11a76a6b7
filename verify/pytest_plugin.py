"""Each theorem of a project's op definitions as a test item: `pytest --gradproof`. Untrusted.

Files that build an `Op` are collected, but for test modules: those that import `verify.language`,
or a module beside them that does. Other files that do so are named, and loaded where the command
names them. `pytest -m gradproof` runs the theorems alone.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from verify.cli.wire import NO_OP, Lesson, Target
from verify.scopes import limit_of
from verify.verdicts import Verdict

BUILDS = re.compile(r"\bOp\b|\.claiming\(|dataclasses\.replace\(|(?<![\w.])replace\(")
LANGUAGE = re.compile(r"verify(\.| import )language")
LEFT_OUT = pytest.StashKey[list[Path]]()
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
    config = parent.config
    if file_path.suffix != ".py" or not is_asked(config):
        return None
    if is_test(file_path, config) or not speaks(file_path, {file_path}):
        return None
    if BUILDS.search(read(file_path)) is None and not parent.session.isinitpath(file_path):
        config.stash.setdefault(LEFT_OUT, []).append(file_path)
        return None
    return Definitions.from_parent(parent, path=file_path)


def is_test(path: Path, config: pytest.Config) -> bool:
    """Whether pytest takes it for a module of tests; a pattern of all files does not tell."""
    telling = (p for p in config.getini("python_files") if not Path("definition.py").match(p))
    return any(path.match(pattern) for pattern in telling)


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    if not is_asked(config):
        return []
    files = {item.path for item in items if isinstance(item, Theorem)}
    theorems = sum(isinstance(item, Theorem) for item in items)
    said = [f"gradproof: {theorems} theorems in {len(files)} file{'s' * (len(files) != 1)}"]
    for path in config.stash.get(LEFT_OUT, []):
        name = os.path.relpath(path)
        said.append(f"gradproof: {name} builds no Op in plain sight; to load it, name it: {name}")
    return said


def speaks(path: Path, seen: set[Path]) -> bool:
    """Whether a file imports the language, itself or through modules beside it."""
    text = read(path)
    try:
        modules = list(imported(ast.parse(text)))
    except (SyntaxError, ValueError):
        return LANGUAGE.search(text) is not None
    if any(name.startswith("verify.language") for name in modules):
        return True
    beside = {p for name in modules for p in places(path.parent, name)} - seen
    seen |= beside
    return any(speaks(p, seen) for p in sorted(beside) if p.is_file())


def imported(tree: ast.AST) -> Iterable[str]:
    """The modules that a file imports, and what may be one: `from a import b` is a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{alias.name}".strip(".") for alias in node.names)


def places(folder: Path, module: str) -> Iterable[Path]:
    """Where a module beside a file would be, or the packages that it is in."""
    for name in module.split("."):
        yield folder / f"{name}.py"
        folder = folder / name
        yield folder / "__init__.py"


def read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
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
            if limit := limit_of(verdict):
                self.warn(pytest.PytestWarning(f"{self.name}: proved, but only {limit}"))
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
