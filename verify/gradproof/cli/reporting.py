"""`gradproof report`: writes the reports, or compares them with those that are there. Deciding."""

from __future__ import annotations

import contextlib
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gradproof import specs
from gradproof.cli.arguments import UsageError
from gradproof.cli.display import display_for
from gradproof.cli.run import Options, Outcome, Settled
from gradproof.cli.settling import distinct, file_target, op_of_suite, run
from gradproof.cli.workers.load import Unreadable, load
from gradproof.cli.workers.wire import Target
from gradproof.graphs.nodes import Wiring
from gradproof.language.ops import Op
from gradproof.report.definitions import definition_hash
from gradproof.report.files import differences, files
from gradproof.report.recorded import Stale
from gradproof.report.records import MissingSolver, record_of, versions
from gradproof.report.writing import alone_in, write_all
from gradproof.settle.verdicts import UNDECIDED, Report

FOLDER, OWN_FOLDER = "proofs", "reports"  # of the suite, and of files
SECONDS, MEMORY = 600, 4096  # far more than a theorem of the suite takes


def report(known: Namespace) -> int:
    """Reports on the targets, or on the whole suite; the exit status of the command."""
    try:
        versions()
    except MissingSolver as missing:
        raise UsageError(str(missing)) from None
    targets = [target_of(text) for text in known.targets or specs.HOMES]
    of_suite = any(not target.path for target in targets)
    folder = Path(known.out or (FOLDER if of_suite else OWN_FOLDER))
    outcome = settled(distinct(targets), known.jobs, known.check)
    if outcome.interrupted:
        print("gradproof: interrupted, nothing was written", file=sys.stderr)
        return 130
    reports = list(reports_of(outcome))
    if not reports:
        return outcome.status
    whole = not known.targets
    names = [] if whole else [one.op for _, one in reports]
    if known.check:
        found = files(reports, folder, specs.HOMES, whole)
        return compared(list(differences(found, folder, whole)), folder, names) or demanded(outcome)
    with alone_in(folder):
        if of_suite and not whole:
            check_others(folder, names)
        found = files(reports, folder, specs.HOMES, whole)
        write_all(found)
    print(f"Wrote {len(found)} files: open {folder / 'index.html'}")
    return demanded(outcome)


def demanded(outcome: Outcome) -> int:
    """The exit status; a report must say of each clause whether it is needed."""
    undecided = [v for v in outcome.verdicts if v.outcome == UNDECIDED]
    for v in undecided:
        print(f"gradproof: {v.op}: whether {v.name} is needed is undecided", file=sys.stderr)
    return outcome.status or (3 if undecided else 0)


def check_others(folder: Path, names: list[str]) -> None:
    """The index tells of all records of the suite that are there; so they must be of its ops."""
    for name in specs.HOMES:
        path = folder / f"{name}.json"
        if name not in names and path.exists():
            try:
                record_of(getattr(specs, name), path)
            except Stale as stale:
                raise UsageError(f"{stale}; write all anew: gradproof report") from None


def target_of(text: str) -> Target:
    is_file = "::" in text or text.endswith(".py")
    return file_target(text) if is_file else op_of_suite(text)


def settled(targets: list[Target], jobs: int, keeps: bool = False) -> Outcome:
    """With `keeps`, of verdicts that are kept only the other solver's answers are asked."""
    limits = Namespace(
        jobs=jobs, memory=MEMORY, executor=None, no_cache=not keeps, cache_only=False
    )
    display = display_for(sys.stdout, quiet=True, no_color=False)
    outcome = run(limits, targets, Options(timeout=SECONDS, needs=SECONDS, second=True), display)
    display.summary(outcome)
    return outcome


def reports_of(outcome: Outcome) -> Iterator[tuple[Op | Wiring, Report]]:
    seen: dict[str, str] = {}
    for found in outcome.ops:
        name, home = found.listing.name, found.listing.target.shown
        if seen.setdefault(name, home) != home:
            raise UsageError(f"{seen[name]} and {home} both define {name}; report on one of them")
        yield op_of(found), Report(name, tuple(found.verdicts[n] for n in found.chosen))


def op_of(found: Settled) -> Op | Wiring:
    """The op or graph that was settled, and no other; a worker has loaded its file."""
    target, name = found.listing.target, found.listing.name
    op: Op | Wiring = (
        loaded(Path(target.path), name) if target.path else getattr(specs, target.name)
    )
    if definition_hash(op) != found.listing.definition:
        raise UsageError(
            f"{target.shown}: {name} is defined otherwise than when it was settled: was a file "
            "edited meanwhile, or is there another module of a name that it imports?"
        )
    return op


def loaded(path: Path, name: str) -> Any:
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return load(path, name)[0].op
    except Unreadable as bad:
        raise UsageError(f"{path}:{bad.line}: {bad.message}, when it is loaded again") from None


def compared(wrong: list[str], folder: Path, names: list[str]) -> int:
    """Of one op or a few, what else is in the folder was not looked at."""
    for difference in wrong:
        print(difference)
    if not wrong:
        what = f"what {folder} says of {', '.join(names)}" if names else folder
        print(f"{what} is what the definitions give")
        return 0
    message = f"{folder} is not what the definitions give; without --check it is written anew"
    print(f"gradproof: {message}", file=sys.stderr)
    return 1
