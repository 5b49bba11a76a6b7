"""Code of a project is read in a process of its own, and what is found is kept. Deciding.

A verdict is kept by the bytes of the file and of all that it imports of the project, by what is
installed, and by what was asked. It is kept only of files that import frameworks and modules of
Python that always do the same, and that reach for nothing else. What ends badly, or is open, is
settled again.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import Any

from gradproof.cli.arguments import UsageError, parser
from gradproof.cli.marks import Marked
from gradproof.cli.run import Floats, Settled
from gradproof.cli.store import Store
from gradproof.cli.workers import keys
from gradproof.cli.workers.clocks import patience
from gradproof.cli.workers.wire import Listing, Problem, Target
from gradproof.settings import Settings, settings
from gradproof.settle.timing import SECONDS
from gradproof.settle.verdicts import Verdict
from gradproof.show.lesson import Lesson


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FRAMEWORKS = ("torch", "jax", "jaxlib", "triton", "numpy", "jaxtyping")
ADAPTERS = ("torch", "jax", "numpy")
OURS = ("gradproof.torch", "gradproof.jax", "gradproof.numpy")
REACHING = words(
    "__import__ __builtins__ __loader__ __spec__ breakpoint compile eval exec globals input open "
    "load loadtxt genfromtxt fromfile from_file memmap hub environ getenv fopen"
)
VARIABLES = ("GRADPROOF_FLOAT", "TORCH", "PYTORCH", "JAX", "XLA", "TRITON", "CUDA", "OMP", "MKL")
KEPT = ("proved", "refuted")
CHANGED = "the code changed what judges it, or what that rests on, so nothing is settled"


def settled(
    asked: Sequence[Marked], known: Namespace, store: Store | None
) -> Iterator[Settled | Problem]:
    """What is found of code, in its order; what earlier runs have kept needs no process."""
    tool = keys.tool() if store is not None else ""
    project = settings()
    named = {m: key_of(tool, m, known, project) for m in asked} if tool else {}
    found = {m: kept(store, key) for m, key in named.items() if store is not None}
    rest = [m for m in asked if found.get(m) is None]
    answers = answered({m: command_of(m, known, project) for m in rest}, known.cpu)
    for m in asked:
        data = found.get(m)
        if data is None:
            data = next(answers)
            if store is not None and m in named and data.get("origin"):
                store.put(named[m], {k: data[k] for k in ("settled", "origin")})
        yield told(m, data, found.get(m) is not None)


def told(m: Marked, data: dict[str, Any], is_kept: bool) -> Settled | Problem:
    if "problem" in data:
        return Problem(m.path, m.line, data["problem"])
    own = data["settled"]
    verdicts = {n: Verdict.from_dict(v) for n, v in enumerate(own["verdicts"])}
    theorems = tuple(verdicts.values())
    name = m.names[0]
    lines = (own["line"],) * len(theorems)
    listing = Listing(Target(m.path, name), name, m.path, own["line"], theorems, lines)
    found = Settled(listing, tuple(verdicts), verdicts)
    found.lessons = {int(n): Lesson.from_dict(lesson) for n, lesson in own["lessons"].items()}
    floats = own["floats"]
    found.floats = floats and Floats(**floats | {"text": tuple(floats["text"])})
    found.kept = set(verdicts) if is_kept else set()
    return found


# What is kept.


def key_of(tool: str, m: Marked, known: Namespace, project: Settings) -> str:
    versions = [keys.version(name) for name in FRAMEWORKS]
    variables = sorted(pair for pair in os.environ.items() if pair[0].startswith(VARIABLES))
    where, command = os.path.realpath(m.path), command_of(m, known, project)
    return keys.digest("code", tool, versions, variables, repr(project), where, *command)


def kept(store: Store | None, key: str) -> dict[str, Any] | None:
    found = store.get(key) if store is not None else None
    if not found:
        return None
    origin = found["origin"]
    is_same = keys.is_unchanged(origin["files"], origin["absent"], origin["times"])
    return found if is_same else None


def origin_of(origin: Any, statuses: Sequence[str]) -> dict[str, Any] | None:
    """What the verdict depends on, if that can be told and it is of the kind that is kept."""
    names = {name for name in origin.imported if not is_ordinary(name)}
    foreign = {name.partition(".")[0] for name in names} - origin.modules - {""}
    is_told = not foreign and not any(map(reaches, origin.files)) and origin.is_harmless
    if not is_told or not {*statuses} <= {*KEPT}:
        return None
    times: dict[str, int] = {}
    from gradproof.cli.workers.origins import is_installed

    with suppress(OSError):
        homes = [p for p in origin.path if is_installed(os.path.join(p, "")) and os.path.isdir(p)]
        times = {p: os.stat(p).st_mtime_ns for p in homes}
    found = {"files": origin.files, "absent": list(origin.absent), "times": times}
    return found if keys.is_unchanged(*found.values()) else None


def is_ordinary(name: str) -> bool:
    from gradproof.cli.workers.origins import is_steady

    return is_steady(name) or name.partition(".")[0] in FRAMEWORKS or name.startswith(OURS)


def reaches(path: str) -> bool:
    """Whether a text names what reaches beyond it."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return True
    for node in ast.walk(tree):
        name = getattr(node, "id", None) or getattr(node, "attr", None)
        if isinstance(name, str) and name in REACHING:
            return True
        if isinstance(node, ast.alias) and node.name in REACHING:
            return True
    return False


# The process.


def command_of(m: Marked, known: Namespace, project: Settings) -> list[str]:
    """What `gradproof check` would be told of it alone."""
    said = list(m.arguments)
    for name in ("scope", "order", "timeout", "limit"):
        value = getattr(project, name)
        if value and f"--{name}" not in said:
            said += [f"--{name}", str(value)]
    if known.timeout != SECONDS:
        said += ["--timeout", str(known.timeout)]
    if known.limit:
        said += ["--limit", str(known.limit)]
    if known.float32 is not None:
        said += ["--float32" if known.float32 else "--no-float32"]
    said += ["--dtype", known.dtype] if known.dtype else []
    said += [part for clause in known.within or () for part in ("--within", clause)]
    return ["check", m.target, *said]


def answered(commands: Mapping[Marked, list[str]], cpu: int | None) -> Iterator[dict[str, Any]]:
    """By one process for all; where code ends it, by another one for those that are left.

    With a limit of processor time, by one process each, of which no verdict is taken if the code
    changed what judges it.
    """
    left = list(commands.items())
    while left:
        some = tuple(left[:1] if cpu else left)
        reader = Reader(partial(answer, some, bool(cpu)), cpu)
        told = 0
        with reader as lines:
            for line in lines:
                left.pop(0)
                told += 1
                yield line
        if told < len(some):
            left.pop(0)
            yield {"problem": reader.ended}


class Reader:
    """A process that tells what it finds, a line each; it may end before it has told all.

    Each line begins with a word that was drawn for this process, so that what code writes into
    its files is no answer.
    """

    def __init__(self, work: Callable[[Callable[[Any], None]], None], cpu: int | None) -> None:
        self.work, self.cpu = work, cpu
        self.word = os.urandom(16).hex()
        self.ended = ""

    def __enter__(self) -> Iterator[dict[str, Any]]:
        theirs, ours = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = os.fork()
        if self.process == 0:
            os.close(theirs)
            self.run(ours)
        os.close(ours)
        self.lines = os.fdopen(theirs, encoding="utf-8", errors="replace")
        return self.answers()

    def run(self, ours: int) -> None:
        """In the process; it ends there."""
        status, own = 1, os.getpid()
        try:
            if self.cpu:
                resource.setrlimit(resource.RLIMIT_CPU, (self.cpu, self.cpu + 1))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

            def tell(data: Any) -> None:
                if os.getpid() == own:
                    os.write(ours, f"{self.word}{json.dumps(data)}\n".encode())

            self.work(tell)
            status = 0
        finally:
            os._exit(status)

    def answers(self) -> Iterator[dict[str, Any]]:
        clock = Timer(patience(self.cpu or 0), self.kill)
        clock.daemon = True
        if self.cpu:
            clock.start()
        for line in self.lines:
            if line.endswith("\n") and line.startswith(self.word):
                yield json.loads(line.removeprefix(self.word))
        clock.cancel()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)

    def __exit__(self, *_: Any) -> None:
        self.lines.close()
        self.kill()
        how = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        said = f"with status {how}" if how >= 0 else f"by {signal.Signals(-how).name}"
        self.ended = f"the code ended the process {said}, so nothing is settled"
        if -how in (signal.SIGXCPU, signal.SIGKILL) and self.cpu:
            self.ended = f"it took more than {self.cpu} s, so nothing is settled; see --cpu"


def forget(installed: set[str]) -> None:
    """The modules of the project, so that each file is seen to import its own."""
    from gradproof.cli.workers.origins import is_installed

    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        is_new = name not in installed and not name.startswith("gradproof")
        if is_new and path is not None and not is_installed(path):
            del sys.modules[name]


def imported_for(m: Marked) -> set[str]:
    """The adapters of the frameworks that a file names, before it could change one."""
    text = Path(m.path).read_text("utf-8", errors="replace")
    named = {name for name in ADAPTERS if name in text or f"gradproof.{name}" in sys.modules}
    with suppress(ImportError):
        for name in named:
            import_module(f"gradproof.{name}")
    return named


def answer(
    asked: Sequence[tuple[Marked, list[str]]], strict: bool, tell: Callable[[Any], None]
) -> None:
    """In the process of its own: each is loaded and judged as the command does it."""
    from gradproof.cli import code
    from gradproof.cli.named import named
    from gradproof.cli.workers.origins import Origin

    installed = {*sys.modules}
    for m, command in asked:
        origin = Origin()
        forget(installed)
        ready = imported_for(m) if strict else set()
        try:
            args = parser().parse(command)
            with origin.watching():
                origin.note(Path(m.path), Path(m.path).read_bytes())
                found = named(m.target, args.framework)
                report = code.asked(found, args, "check")
            one = code.as_settled(found, report, args)
        except UsageError as wrong:
            data: dict[str, Any] = {"problem": str(wrong)}
        except Exception as failure:
            data = {"problem": f"{type(failure).__name__}: {failure}"}
        else:
            data = {
                "settled": {
                    "verdicts": [v.as_dict() for v in one.verdicts.values()],
                    "lessons": {n: asdict(lesson) for n, lesson in one.lessons.items()},
                    "floats": one.floats and asdict(one.floats),
                    "line": found.line,
                },
                "origin": origin_of(origin, [report.status]),
            }
            if strict and not (origin.is_harmless and found.framework in ready):
                data = {"problem": CHANGED}
        tell(data)
