"""Audits rows in processes of their own, one for each package. Untrusted."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from typing import Any

from gradproof.prove.rules.smt import RLIMIT
from trust.audits.tables import Row
from trust.audits.wheels import Missing, unpacked
from trust.source import ROOT

PATIENCE = 200  # seconds for one row
BEGINNING = 300  # seconds until the framework is imported
SHARE = 8  # the part of the usual limit that a row has
Found = dict[str, Any]


def audited(rows: Iterable[Row]) -> Iterator[tuple[Row, Found]]:
    """Each row with what is found of it."""
    for home, same in groupby(rows, key=lambda row: (row.home, row.framework)):
        yield from of_home(home[1], list(same))


def of_home(framework: str, rows: list[Row]) -> Iterator[tuple[Row, Found]]:
    try:
        folder = str(unpacked(rows[0].home)) if rows[0].package else ""
    except Missing as why:
        yield from ((row, failed(str(why))) for row in rows)
        return
    worker = None
    try:
        for row in rows:
            worker = worker or Worker(framework, bool(folder))
            found = worker.ask({**asdict(row), "folder": folder, "limit": RLIMIT // SHARE})
            if found is None:
                worker.close()
                worker = None
            yield row, found or failed(f"no answer within {PATIENCE} s and the limits of memory")
    finally:
        if worker is not None:
            worker.close()


def failed(why: str) -> Found:
    return {
        "status": "unknown",
        "scope": "",
        "note": why,
        "seconds": 0.0,
        "counterexample": None,
    }


class Worker:
    """A process that audits, in an empty folder, with nothing of this one's environment."""

    def __init__(self, framework: str, of_package: bool) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="audit")
        kept = {k: os.environ[k] for k in ("PATH", "LANG") if k in os.environ}
        own = {"PYTHONPATH": str(ROOT), "HOME": self.folder.name}
        own |= {"PYTORCH_JIT": "0"} if of_package else {}  # scripts of theirs are read as Python
        self.process = subprocess.Popen(
            ["nice", sys.executable, "-m", "trust.audits.worker", framework],
            cwd=self.folder.name,
            env=kept | own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

        self.line(BEGINNING)

    def ask(self, request: dict[str, Any]) -> Found | None:
        """The answer; nothing if the process dies, or takes too long."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        line = self.line(PATIENCE)
        found: Found | None = json.loads(line) if line else None
        return found

    def line(self, seconds: int) -> str:
        assert self.process.stdout
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return self.process.stdout.readline() if ready else ""

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()
