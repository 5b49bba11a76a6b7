"""Each theorem of a project's op definitions as a test item: `pytest --gradproof`. Deciding.

Files that build an `Op` are collected, but for test modules: those that import the language, or a
module of the project that does. Other files that do so are named, and loaded where the command
names them. `pytest -m gradproof` runs the theorems alone.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gradproof.cli.arguments import MEMORY, SECONDS_TO_MEND
from gradproof.cli.workers.wire import NO_OP, Request, Target
from gradproof.discovery import asking, builds, steps_to_language
from gradproof.language.digits import of_any_length
from gradproof.settle.timing import SECONDS
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import account, advice
from gradproof.show.lesson import Lesson
from gradproof.show.scopes import reservations
from gradproof.show.wording import counted, unexpected

UNPARSED = {"::": ":", "[": "(", "]": ")"}  # what pytest reads in the name of an item
PARSED = re.compile("|".join(map(re.escape, UNPARSED)))
LEFT_OUT = pytest.StashKey[list[str]]()  # in words, what nothing of this run settles
WORKERS = pytest.StashKey[dict[Path, Any]]()  # the one that was asked last comes last
CACHE = pytest.StashKey[Any]()
MOST_WORKERS = 4
MARK = "__gradproof__"  # what decorated code has, as gradproof.tracing.marked says
UNMADE = (
    "it asks for a proof, and nothing was decorated while the module was loaded, so nothing is "
    "settled; decorate at the top level, or call what decorates"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gradproof")
    group.addoption(
        "--gradproof", action="store_true", help="settle the theorems of op definitions"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gradproof: a theorem of an op definition")
    config.pluginmanager.register(Distributed())


def is_asked(config: pytest.Config) -> bool:
    """By the option, unless a marker expression says whether theorems are meant."""
    marked = config.getoption("markexpr", default="") or ""
    if re.search(r"\bgradproof\b", marked):
        return any(holds(marked, other) for other in (False, True))
    return bool(config.getoption("gradproof"))


def holds(marked: str, other: bool) -> bool:
    """Whether a marker expression holds of a theorem that has all other markers, or none."""

    def value(word: re.Match[str]) -> str:
        joins = word[0] in ("and", "or", "not")
        return word[0] if joins else str(word[0] == "gradproof" or other)

    try:
        return bool(eval(re.sub(r"\w+", value, marked), {}))
    except Exception:
        return True  # pytest says what is wrong with it


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    config = parent.config
    if file_path.suffix != ".py" or not is_asked(config) or is_test(file_path, config):
        return None
    steps = steps_to_language(file_path, config.rootpath)
    if steps is None:
        return None
    if builds(file_path, steps) or parent.session.isinitpath(file_path):
        return DefinitionFile.from_parent(parent, path=file_path)
    if steps <= 1:
        config.stash.setdefault(LEFT_OUT, []).append(left_out(file_path))
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Collector, name: str, obj: object
) -> pytest.Collector | None:
    """Code with a mark, in a module of tests, whatever its name is."""
    if MARK not in getattr(obj, "__dict__", {}) or not isinstance(collector, pytest.Module):
        return None
    from gradproof.tracing.marked import marks_of

    found: Code = Code.from_parent(collector, name=name)
    found.marks = marks_of(obj)
    return found


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Beside what a module of tests names: marks in classes and below decorators, and none."""
    outcome: Any = yield
    report = outcome.get_result()
    if not report.passed or not isinstance(collector, pytest.Module):
        return
    if isinstance(collector.obj, ModuleType):  # of doctests it is none
        report.result += beside(collector, report.result)


def beside(module: pytest.Module, there: Sequence[object]) -> Iterable[Code | Unread]:
    """Without an adapter that is loaded there are no marks."""
    known = {id(mark) for code in there if isinstance(code, Code) for mark in code.marks}
    made = getattr(sys.modules.get("gradproof.tracing.marked"), "MARKS", ())
    own = [mark for mark in made if mark.is_of(module.path)]
    for mark in own:
        if id(mark) not in known:
            found: Code = Code.from_parent(module, name=mark.name)
            found.marks = (mark,)
            yield found
    front = getattr(sys.modules.get("gradproof.tracing.front"), "Front", None)
    proved = getattr(front, "proved", None)
    for first, last in asking(module.path, vars(module.obj), proved):
        if not any(first <= mark.site[1] <= last for mark in own):
            yield Unread.from_parent(module, name=f"line {first}", line=first, said=UNMADE)


class Code(pytest.Collector):
    """A function or class whose gradients are to be proved, one by one."""

    marks: Sequence[Any]

    def collect(self) -> Iterable[Gradient]:
        made: Counter[str] = Counter()
        for mark in self.marks:
            for by in mark.inputs:
                made[by] += 1
                again = f" ({made[by]})" if made[by] > 1 else ""
                item: Gradient = Gradient.from_parent(self, name=f"gradient by {by}{again}")
                item.mark, item.by = mark, by
                item.add_marker("gradproof")
                yield item


class Gradient(pytest.Item):
    """The gradient of marked code by one of its inputs."""

    mark: Any
    by: str

    def runtest(self) -> None:
        if wrong := self.mark.wrong(self.by):
            raise Wrong(wrong)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        return (
            str(excinfo.value)
            if isinstance(excinfo.value, Wrong)
            else super().repr_failure(excinfo)
        )

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"{self.parent.name}: {self.name}" if self.parent else self.name


def is_test(path: Path, config: pytest.Config) -> bool:
    """Whether pytest takes it for a module of tests; a pattern of all files does not tell."""
    telling = (p for p in config.getini("python_files") if not Path("definition.py").match(p))
    return any(path.match(pattern) for pattern in telling)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks of a module that is none of tests are no items, and that is said."""
    found = {id(item.mark) for item in items if isinstance(item, Gradient)}
    for mark in getattr(sys.modules.get("gradproof.tracing.marked"), "MARKS", ()):
        home = Path(mark.site[0]).resolve()
        if id(mark) not in found and home.is_relative_to(config.rootpath.resolve()):
            config.stash.setdefault(LEFT_OUT, []).append(unasked(mark))


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    said = config.stash.get(LEFT_OUT, [])
    if not is_asked(config):
        return said
    files = {item.path for item in items if isinstance(item, Theorem)}
    theorems = sum(isinstance(item, Theorem) for item in items)
    return [f"gradproof: {counted(theorems, 'theorem')} in {counted(len(files), 'file')}", *said]


def unasked(mark: Any) -> str:
    file, line = mark.site
    return (
        f"gradproof: {os.path.relpath(file)}:{line}: {mark.name} is not settled in this run; "
        "import it by its name in a module of tests"
    )


def left_out(path: Path) -> str:
    name = os.path.relpath(path)
    return f"gradproof: {name} builds no Op in plain sight; to load it, name it: {name}"


def pytest_unconfigure(config: pytest.Config) -> None:
    for worker in config.stash.get(WORKERS, {}).values():
        worker.close()
    if cache := config.stash.get(CACHE, None):
        cache.store.close()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What a process of several has left out is for the one that shows it."""
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["gradproof"] = session.config.stash.get(LEFT_OUT, [])


class Distributed:
    """Shows what the processes of pytest-xdist have left out, which all collect the same."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.found |= dict.fromkeys(getattr(node, "workeroutput", {}).get("gradproof", []))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for said in self.found:
            terminalreporter.write_line(said)


def cache_of(config: pytest.Config) -> Any:
    """What earlier runs have kept; None where nothing is to be kept."""
    if CACHE not in config.stash:
        from gradproof.cli.cache import Cache
        from gradproof.cli.store import Store, folder

        home = folder()
        config.stash[CACHE] = None if home is None else Cache(Store(home))
    return config.stash[CACHE]


def shown(node: pytest.Collector | pytest.Item) -> str:
    """Its file as the command would name it, wherever a test has gone meanwhile."""
    return os.path.relpath(node.path, node.config.invocation_params.dir)


class DefinitionFile(pytest.File):
    """The op definitions of a file, loaded and settled in a process of their own."""

    known: dict[tuple[str, int], dict[str, Any]]

    @property
    def target(self) -> Target:
        return Target(str(self.path))

    @of_any_length()
    def ask(self, request: Request, seconds: float) -> dict[str, Any]:
        """What an earlier run has kept, or else a worker's answer."""
        cache = cache_of(self.config)
        kept: dict[str, Any] | None = cache and cache.find(request)
        if kept is not None:
            return kept
        found = self.answer(request, seconds)
        if cache:
            cache.keep(request, found)
        return found

    def answer(self, request: Request, seconds: float) -> dict[str, Any]:
        """A worker that gave no answer, for whatever reason, is asked no more."""
        from gradproof.cli.workers.supervisor import Lost, Worker

        workers = self.config.stash.setdefault(WORKERS, {})
        worker = workers.pop(self.path, None) or Worker(MEMORY)
        try:
            found: dict[str, Any] = worker.ask(asdict(request), seconds)
        except Lost as lost:
            left = f"\nleft to show: {lost.left}" if lost.left else ""
            return {"failed": lost.reason + left}
        else:
            workers[self.path] = worker
        finally:
            if workers.get(self.path) is not worker:
                worker.close()
        if len(workers) > MOST_WORKERS:  # files come in the same order again
            *_, newest, _ = workers
            workers.pop(newest).close()
        return found

    def collect(self) -> Iterable[Definition | Unread]:
        self.known = {}
        found = self.ask(Request("describe", self.target), SECONDS)
        if "ops" not in found:
            problem = found.get("problem") or {"line": 1, "message": found["failed"]}
            said = f"{shown(self)}:{problem['line']}: {problem['message']}"
            if problem["message"] != NO_OP:
                raise self.CollectError(said)
            self.warn(pytest.PytestCollectionWarning(said))
            return
        for op in found["ops"]:
            definition = Definition.from_parent(self, name=op["name"])
            definition.listing = op
            yield definition
        for problem in found.get("problems", ()):
            yield Unread.from_parent(
                self, name=f"line {problem['line']}", line=problem["line"], said=problem["message"]
            )


class Definition(pytest.Collector):
    """An op, with its theorems."""

    listing: dict[str, Any]
    parent: DefinitionFile

    @property
    def names(self) -> list[str]:
        return [theorem["name"] for theorem in self.listing["theorems"]]

    def collect(self) -> Iterable[Theorem]:
        kinds = (theorem["kind"] for theorem in self.listing["theorems"])
        for number, (name, kind) in enumerate(zip(self.names, kinds, strict=True)):
            if kind == "needed":
                continue
            item = Theorem.from_parent(self, name=PARSED.sub(lambda m: UNPARSED[m[0]], name))
            item.title = f"{self.name}::{name}"
            item.number, item.line = number, self.listing["lines"][number]
            item.add_marker("gradproof")
            yield item

    def ask(self, do: str, number: int, seconds: float, verdict: Any = None) -> dict[str, Any]:
        definition = self.listing["definition"]
        request = Request(do, self.parent.target, self.name, number, definition, verdict)
        return self.parent.ask(request, seconds)

    def settled(self, number: int) -> dict[str, Any]:
        """What is found of a theorem, which others may rest on; it is asked but once."""
        known, key = self.parent.known, (self.name, number)
        if key not in known:
            known[key] = {"failed": "it was cut off"}
            known[key] = self.ask("settle", number, SECONDS)
        return known[key]

    def grounds(self, verdict: Verdict) -> dict[str, Verdict | None]:
        """What a proof rests on, settled if no item has been yet."""
        answers = {name: self.settled(self.names.index(name)) for name in verdict.rests_on}
        return {
            name: Verdict.from_dict(found["verdict"]) if "verdict" in found else None
            for name, found in answers.items()
        }


class Wrong(Exception):
    """A theorem that is not settled as expected; the message is what pytest shows."""


class Unread(pytest.Item):
    """A definition that cannot be read, in a file of which others can."""

    def __init__(self, *, line: int, said: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.line, self.said = line, said
        self.add_marker("gradproof")

    def runtest(self) -> None:
        raise Wrong(self.said)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        return f"{shown(self)}:{self.line}: {self.said}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, self.name


class Theorem(pytest.Item):
    """One theorem."""

    title: str
    number: int
    line: int
    parent: Definition

    def runtest(self) -> None:
        found = self.parent.settled(self.number)
        if "verdict" not in found:
            problem = found.get("problem", {}).get("message", "it was not settled")
            raise Wrong(f"{found.get('failed', problem)}\n{self.place}")
        verdict = Verdict.from_dict(found["verdict"])
        if verdict.as_expected:
            for said in reservations(verdict, self.parent.grounds(verdict)):
                self.warn(pytest.PytestWarning(f"{self.parent.name}::{said}"))
            return
        first = f"{verdict.name} {unexpected(verdict)}"
        lines = [*filter(None, [first, self.place, verdict.note]), *account(verdict)]
        lines += filter(None, [advice(verdict)])
        if verdict.counterexample is not None:
            lines += self.lesson(verdict).text
        raise Wrong("\n".join(lines))

    def lesson(self, verdict: Verdict) -> Lesson:
        ask, found = self.parent.ask, verdict.as_dict()
        taught = ask("teach", self.number, SECONDS, found).get("lesson")
        lesson = Lesson.from_dict(taught) if taught else Lesson(())
        mend = ask("mend", self.number, SECONDS_TO_MEND, found).get("mend", ("", ""))
        written = self.parent.listing.get("written", ())
        return lesson.mended(*mend).beside(written[self.number] if written else "")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Wrong):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    @property
    def place(self) -> str:
        return f"{shown(self)}:{self.line}: {self.title}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, self.title
