"""The commands that settle theorems: verify, check, explain. Deciding."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gradproof import specs
from gradproof.cli import formats
from gradproof.cli.arguments import SECONDS_OF_NEEDS, UsageError
from gradproof.cli.cache import Cache, KeptFirst
from gradproof.cli.display import Plain, display_for, shown
from gradproof.cli.listing import check_in_suite
from gradproof.cli.marks import Marked, annotated, arguments_of, line_of, marked_in
from gradproof.cli.outputs import FORMATS, check_outputs, write
from gradproof.cli.recording import record_in
from gradproof.cli.run import Asks, Options, Outcome, Run
from gradproof.cli.store import ADVICE, VARIABLE, Store, folder
from gradproof.cli.watching import watch
from gradproof.cli.workers.cluster import Cluster
from gradproof.cli.workers.supervisor import Pool
from gradproof.cli.workers.wire import Problem, Target
from gradproof.discovery import builds, speaks
from gradproof.settings import Settings, file_of, floats_asked, settings
from gradproof.specs.names import SOURCE


def verify(known: Namespace) -> int:
    return settle(known, [op_of_suite(name) for name in known.targets or specs.HOMES])


def check(known: Namespace) -> int:
    """Definitions, and code that says how it is to be checked; without a target, the project's."""
    if known.watch:
        known.watch = False
        return watch(known, partial(check, known), partial(pool_for, known))
    home = (file_of() or Path("pyproject.toml").absolute()).parent
    texts = known.targets or [os.path.relpath(home / path) for path in settings().paths or ["."]]
    found = [asked_of(text, settings(), home) for text in texts]
    code = dict.fromkeys(m for _, marked in found for m in marked)
    return settle(known, [target for targets, _ in found for target in targets], list(code))


def asked_of(text: str, said: Settings, home: Path) -> tuple[list[Target], list[Marked]]:
    """A file, a definition or a function of it, or all that is below a folder."""
    if os.path.isdir(text):
        files = [path for path in sorted(Path(text).rglob("*.py")) if is_own(path, text)]
        code = [m for path in files for m in marked_in(path, said, home)]
        return targets_of(text, files, bool(code)), code
    path, _, name = text.rpartition("::") if "::" in text else (text, "", "")
    marked = [m for m in marked_in(Path(path), said, home) if name in ("", ",".join(m.names))]
    marked = marked or [m for m in marked_in(Path(path), said, home) if name and m.names[0] == name]
    if marked and (name or not (speaks(Path(path)) and builds(Path(path), 0))):
        return [], marked
    if name and not marked and (shapes := annotated(path, name)):
        return [], [Marked(path, (name,), line_of(path, name), arguments_of((), shapes, text))]
    return [file_target(text)], marked


def op_of_suite(name: str) -> Target:
    check_in_suite(name)
    return Target("", name)


def targets_of(text: str, files: Sequence[Path], is_enough: bool) -> list[Target]:
    """The files of definitions among those below a folder."""
    found = [Target(str(path)) for path in files if speaks(path) and builds(path, 0)]
    if not found and not is_enough:
        raise UsageError(
            f"{text!r} is a folder; no file below it imports the language and names Op, or says of "
            "code how to check it, # gradproof: x=N,C"
        )
    return found


def is_own(path: Path, folder: str) -> bool:
    """Whether a file is no test, nor part of an environment."""
    parts = path.relative_to(folder).parts
    is_apart = any(part.startswith(".") or part == "site-packages" for part in parts)
    is_test = path.name.startswith(("test_", "conftest")) or path.stem.endswith("_test")
    return not (is_apart or is_test)


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


def settle(known: Namespace, targets: Iterable[Target], code: Sequence[Marked] = ()) -> int:
    outputs = {name: getattr(known, name) for name in FORMATS if getattr(known, name)}
    check_outputs(outputs, known.save)
    stream = sys.stderr if "-" in outputs.values() else sys.stdout
    known.timeout = min(known.timeout, known.cpu or known.timeout)
    display = display_for(stream, known.quiet, known.no_color, known.verbose)
    display.goes_on = bool(outputs or known.save)
    needs = min(SECONDS_OF_NEEDS, known.timeout) if known.needed else 0
    only = tuple(known.only or ())
    floats = floats_of(known)
    options = options_of(known, only=only, fail_fast=known.fail_fast, needs=needs, **floats)
    wanted, code = shard_of(known.shard, distinct(targets), code)
    outcome = run(known, wanted, options, display, keeps=not code)
    if code and not outcome.interrupted:
        read(known, code, outcome, display)
    if known.debug:
        show_traces(outcome.problems)
    display.summary(outcome)
    saved = formats.reproductions(outcome, Path(known.save)) if known.save else {}
    write({path: FORMATS[name](outcome) + "\n" for name, path in outputs.items()}, saved)
    for path in saved:
        display.write(f"Saved {path}")
    if display.failure and stream is sys.stdout:
        raise display.failure
    is_empty_shard = known.shard and not (wanted or code)
    return 130 if outcome.interrupted else 0 if is_empty_shard else outcome.status


def shard_of(
    shard: tuple[int, int] | None, targets: list[Target], code: Sequence[Marked]
) -> tuple[list[Target], list[Marked]]:
    """One of so many parts of what is asked, each of which is in one; without a shard, all."""
    part, parts = shard or (1, 1)
    chosen = [one for n, one in enumerate([*targets, *code]) if n % parts == part - 1]
    return (
        [one for one in chosen if isinstance(one, Target)],
        [one for one in chosen if isinstance(one, Marked)],
    )


def read(known: Namespace, code: Sequence[Marked], outcome: Outcome, display: Plain) -> None:
    """Code, after the definitions."""
    from gradproof.cli.reading import settled

    home = None if known.no_cache else folder()
    store = None if home is None else Store(home, writes=not known.cache_only)
    try:
        for found in settled(code, known, store):
            if known.fail_fast and outcome.status == 1:
                break
            if isinstance(found, Problem):
                outcome.problems.append(found)
                display.problem(found)
                continue
            outcome.ops.append(found)
            shown(display, found)
    except KeyboardInterrupt:
        outcome.interrupted = True
    finally:
        if store is not None:
            store.close()


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
        spare: Pool | None = vars(known).pop("spare", None)
        return spare or Pool(known.jobs, known.memory)
    return Cluster(known.executor, known.jobs, known.memory)


def show_traces(problems: Iterable[Problem]) -> None:
    for problem in problems:
        print(problem.trace, file=sys.stderr, end="")


def explain(known: Namespace) -> int:
    known.target = SOURCE.get(known.target, known.target)
    in_suite = known.target in specs.HOMES
    target = Target("", known.target) if in_suite else file_target(known.target)
    if not in_suite and not Path(target.path).exists() and "::" not in known.target:
        op_of_suite(known.target)
    only = {"only": (known.theorem,)} if known.theorem else {"kinds": ("jvp", "vjp")}
    check_outputs({"record": known.record} if known.record else {}, None)
    options = options_of(known, explain=True, record=bool(known.record), **only)
    display = Explained(sys.stdout, verbose=True)
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

    def done(self, op: object) -> None:
        pass
