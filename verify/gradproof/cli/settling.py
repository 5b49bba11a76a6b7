"""The commands that settle theorems: verify, check, explain. Deciding."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from gradproof import specs
from gradproof.cli import formats
from gradproof.cli.arguments import SECONDS_OF_NEEDS, UsageError
from gradproof.cli.cache import Cache, KeptFirst
from gradproof.cli.display import Plain, display_for
from gradproof.cli.listing import check_in_suite
from gradproof.cli.recording import record_in
from gradproof.cli.run import Asks, Options, Outcome, Run
from gradproof.cli.store import ADVICE, VARIABLE, Store, folder
from gradproof.cli.workers.cluster import Cluster
from gradproof.cli.workers.supervisor import Pool
from gradproof.cli.workers.wire import Problem, Target
from gradproof.discovery import builds, speaks
from gradproof.report.writing import ESCAPED, Unwritten, write_all
from gradproof.settings import floats_asked
from gradproof.specs.names import SOURCE

FORMATS = {"json": formats.as_json, "junit": formats.as_junit, "sarif": formats.as_sarif}


def verify(known: Namespace) -> int:
    return settle(known, [op_of_suite(name) for name in known.targets or specs.HOMES])


def check(known: Namespace) -> int:
    return settle(known, [target for text in known.targets for target in targets_of(text)])


def op_of_suite(name: str) -> Target:
    check_in_suite(name)
    return Target("", name)


def targets_of(text: str) -> list[Target]:
    """A file, one op of it, or every file of definitions below a folder."""
    if not os.path.isdir(text):
        return [file_target(text)]
    found = [Target(str(path)) for path in sorted(Path(text).rglob("*.py")) if defines(path, text)]
    if not found:
        raise UsageError(
            f"{text!r} is a folder; no file below it imports the language and names Op"
        )
    return found


def defines(path: Path, folder: str) -> bool:
    """Whether a file builds ops in plain sight, and is no test, nor part of an environment."""
    parts = path.relative_to(folder).parts
    is_apart = any(part.startswith(".") or part == "site-packages" for part in parts)
    is_test = path.name.startswith(("test_", "conftest")) or path.stem.endswith("_test")
    return not (is_apart or is_test) and speaks(path) and builds(path, 0)


def file_target(text: str) -> Target:
    path, _, name = text.rpartition("::") if "::" in text else (text, "", "")
    if not path:
        raise UsageError(f"{text!r} names no file; ops of the suite: gradproof verify")
    if "::" in text and not name:
        raise UsageError(f"{text!r} names no op after '::'")
    return Target(path, name)


def distinct(targets: Iterable[Target]) -> list[Target]:
    """Each once, however the folder of its file is named."""
    found: dict[tuple[str, str], Target] = {}
    for target in targets:
        folder, file = os.path.split(target.path)
        with contextlib.suppress(OSError):  # of a folder that is gone
            folder = os.path.realpath(folder)
        found.setdefault((os.path.join(folder, file), target.name), target)
    return list(found.values())


def options_of(known: Namespace, **more: Any) -> Options:
    ranks = tuple(sorted(set(known.rank or ())))
    return Options(ranks=ranks, limit=known.limit, timeout=known.timeout, **more)


def floats_of(known: Namespace) -> dict[str, Any]:
    """What is asked of floating point; of the suite nothing, unless it is asked there."""
    float32, dtype = floats_asked(known.float32, known.dtype)
    is_told = known.command != "verify" or known.float32
    asked = dtype if is_told and float32 is not False else ""
    return {"float32": bool(float32), "dtype": asked, "within": tuple(known.within or ())}


def settle(known: Namespace, targets: Iterable[Target]) -> int:
    outputs = {name: getattr(known, name) for name in FORMATS if getattr(known, name)}
    check_outputs(outputs, known.save)
    stream = sys.stderr if "-" in outputs.values() else sys.stdout
    display = display_for(stream, known.quiet, known.no_color)
    display.goes_on = bool(outputs or known.save)
    needs = min(SECONDS_OF_NEEDS, known.timeout) if known.needed else 0
    only = tuple(known.only or ())
    floats = floats_of(known)
    options = options_of(known, only=only, fail_fast=known.fail_fast, needs=needs, **floats)
    outcome = run(known, distinct(targets), options, display, keeps=True)
    if known.debug:
        show_traces(outcome.problems)
    display.summary(outcome)
    saved = formats.reproductions(outcome, Path(known.save)) if known.save else {}
    write({path: FORMATS[name](outcome) + "\n" for name, path in outputs.items()}, saved)
    for path in saved:
        display.write(f"Saved {path}")
    if display.failure and stream is sys.stdout:
        raise display.failure
    return 130 if outcome.interrupted else outcome.status


def run(
    known: Namespace,
    targets: list[Target],
    options: Options,
    display: Plain,
    keeps: bool = False,
) -> Outcome:
    """The pool is gone before anything else is done, whatever happens.

    With `keeps`, no interrupt after the last verdict prevents what was settled from being written.
    """
    with asking(known) as pool:
        try:
            return Run(targets, options, pool, display)()
        finally:
            for number in (signal.SIGINT, signal.SIGTERM) if keeps else ():
                signal.signal(number, signal.SIG_IGN)
            display.close()


@contextlib.contextmanager
def asking(known: Namespace) -> Iterator[Asks]:
    """Workers; before them, unless it is not wanted, what earlier runs have kept."""
    home = None if getattr(known, "no_cache", True) else folder()
    if home is None:
        if getattr(known, "cache_only", False):
            raise UsageError(f"--cache-only: there is no cache where {VARIABLE} is empty")
        with pool_for(known) as workers:
            yield workers
        return
    store = Store(home, writes=not known.cache_only)
    make = partial(pool_for, known)
    with KeptFirst(Cache(store), make, known.cache_only) as pool:
        yield pool
    if store.trouble:
        with contextlib.suppress(OSError):  # where nobody can be told
            print(f"gradproof: verdicts are not kept: {store.trouble}; {ADVICE}", file=sys.stderr)


def pool_for(known: Namespace) -> Pool | Cluster:
    if known.executor is None:
        return Pool(known.jobs, known.memory)
    return Cluster(known.executor, known.jobs, known.memory)


def show_traces(problems: Iterable[Problem]) -> None:
    for problem in problems:
        print(problem.trace, file=sys.stderr, end="")


def check_outputs(outputs: dict[str, str], save: str | None) -> None:
    """What cannot be written is said before anything is settled."""
    is_closed = sys.__stdout__ is None and getattr(sys.stdout, "name", "") == os.devnull
    if "-" in outputs.values() and is_closed:
        raise UsageError("standard output is closed; name a file instead of -")
    if list(outputs.values()).count("-") > 1:
        raise UsageError("only one of --json, --junit and --sarif can go to standard output")
    places: dict[Path, str] = {}
    for name, path in outputs.items():
        place = Path(path) if is_device(path) else Path(path).parent
        if path != "-" and (Path(path).is_dir() or not os.access(place, os.W_OK)):
            raise UsageError(f"--{name} {path}: there is no file that can be written there")
        other = places.setdefault(Path(path).resolve(), name)
        if other != name and not is_device(path):
            raise UsageError(f"--{other} and --{name} name the same file, {path}")
    if save and Path(save).exists() and not Path(save).is_dir():
        raise UsageError(f"--save {save}: it is not a folder")
    if save and not os.access(nearest(Path(save)), os.W_OK):
        raise UsageError(f"--save {save}: nothing can be written there")


def nearest(folder: Path) -> Path:
    """The folder, or the first above it that is there."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


def write(outputs: dict[str, str], saved: dict[Path, str]) -> None:
    """All files or none; a device or a pipe has no place beside it for a draft."""
    files = {
        Path(p).resolve(): text for p, text in outputs.items() if p != "-" and not is_device(p)
    }
    write_all(files | saved)
    for path, text in outputs.items():
        if path == "-":
            with contextlib.suppress(AttributeError):  # of what stands in for it
                sys.stdout.reconfigure(encoding="utf-8", errors=ESCAPED)  # type: ignore[union-attr]
            print(text, end="", flush=True)
        elif is_device(path):
            try:
                Path(path).write_text(text, "utf-8", ESCAPED)
            except OSError as bad:
                raise Unwritten(path, bad) from bad


def is_device(path: str) -> bool:
    return Path(path).exists() and not Path(path).is_file()


def explain(known: Namespace) -> int:
    known.target = SOURCE.get(known.target, known.target)
    in_suite = known.target in specs.HOMES
    target = Target("", known.target) if in_suite else file_target(known.target)
    if not in_suite and not Path(target.path).exists() and "::" not in known.target:
        op_of_suite(known.target)
    only = {"only": (known.theorem,)} if known.theorem else {"kinds": ("jvp", "vjp")}
    check_outputs({"record": known.record} if known.record else {}, None)
    options = options_of(known, explain=True, record=bool(known.record), **only)
    display = Explained(sys.stdout)
    outcome = run(known, [target], options, display)
    if known.debug:
        show_traces(outcome.problems)
    if known.record and not outcome.problems:
        write({known.record: record_in(outcome) + "\n"}, {})
    return 130 if outcome.interrupted else outcome.status


class Explained(Plain):
    """Only what explains."""

    def verdict(self, op: object, number: int) -> None:
        pass
