"""`gradproof check --watch`: settles again whenever a file that is watched changes. Untrusted."""

from __future__ import annotations

import os
import signal
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep, strftime

from gradproof import discovery
from gradproof.cli import marks
from gradproof.cli.arguments import UsageError
from gradproof.settings import Misconfigured, file_of

BETWEEN = 0.1  # seconds
Stamps = dict[str, tuple[int, int]]


def watch(known: Namespace, check: Callable[[], int], spare: Callable[[], object]) -> int:
    """Until it is interrupted; `spare` starts the workers that the next round will have."""
    while True:
        seen = dict(stamps(known.targets))
        try:
            check()
        except (UsageError, Misconfigured) as wrong:
            print(f"gradproof: {wrong}", flush=True)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        known.spare = spare()
        print(f"Waiting for a change; Ctrl-C ends it. {strftime('%H:%M:%S')}", flush=True)
        while (now := dict(stamps(known.targets))) == seen:
            sleep(BETWEEN)
        changed = sorted(p for p in {*seen, *now} if seen.get(p) != now.get(p))
        print(f"\n{', '.join(map(os.path.relpath, changed[:3]))} changed", flush=True)
        for kept in (marks.by_lines, marks.tree_of, discovery.tree_of, discovery.used):
            kept.cache_clear()


def stamps(targets: Sequence[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The files beside and below what is checked, each with its age and length."""
    project = file_of()
    named = [Path(text.rpartition("::")[0] or text) for text in targets]
    homes = {p if p.is_dir() else p.parent for p in named} or {
        (project and project.parent) or Path()
    }
    files = [path for home in homes for path in home.rglob("*.py")]
    for path in [*files, *filter(None, [project])]:
        with suppress(OSError):
            found = path.stat()
            yield str(path), (found.st_mtime_ns, found.st_size)
