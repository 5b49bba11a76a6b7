"""How long the checks of this repository take: `make smoke`, `make test`, and all of CI."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from bench import clock
from bench.commands import ROOT

PASSED = re.compile(r"(\d+) passed.* in [\d.]+s")  # pytest's last line
PATIENCE = 30  # seconds that an interrupted command has to end
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")  # of the `make` that runs this one


class Failed(Exception):
    """The command failed, so that its time says nothing."""


@dataclass(frozen=True)
class Part:
    """A command and the seconds on the clock that it should take at most."""

    command: tuple[str, ...]
    goal: int
    in_clone: bool = False  # of what is committed, which has no environment yet


PARTS = {
    "smoke": Part(("make", "smoke"), 60),
    "test": Part(("make", "test"), 240),
    "ci": Part((".ci/run",), 480, in_clone=True),
}


@contextmanager
def folder(part: Part) -> Iterator[Path]:
    if not part.in_clone:
        yield ROOT
        return
    with TemporaryDirectory() as name:
        done = subprocess.run(
            ["git", "clone", "--quiet", ROOT, name], capture_output=True, text=True
        )
        if done.returncode:
            raise Failed(done.stderr.strip())
        yield Path(name)


def measured(name: str) -> dict[str, Any]:
    """What the command cost; whatever it says is passed on."""
    part = PARTS[name]
    unit = clock.units()
    with folder(part) as where:
        start = perf_counter()
        process = subprocess.Popen(
            part.command,
            cwd=where,
            env={k: v for k, v in os.environ.items() if k not in OF_MAKE},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # so that all of its processes can be ended
        )
        try:
            passed = None
            assert process.stdout is not None
            with process.stdout as lines:
                for line in lines:
                    print(line, end="", file=sys.stderr, flush=True)
                    if found := PASSED.search(line):
                        passed = int(found[1])
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            end(process)
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = perf_counter() - start
    if process.returncode:
        raise Failed(f"exit status {process.returncode}")
    if passed is None:
        raise Failed("no line tells how many tests passed")
    return {
        "wall": wall,
        "cpu": used.ru_utime + used.ru_stime,
        "passed": passed,
        "unit": unit,
        "machine": clock.system(),
    }


def end(process: subprocess.Popen[str]) -> None:
    """As Ctrl-C would; what does not heed it is killed."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
