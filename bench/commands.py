"""Runs commands and tells what they and the processes they wait for cost."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import gradproof

GRADPROOF = str(Path(sys.executable).with_name("gradproof"))
ROOT = Path(__file__).parents[1]

UNCOMPILED = "PYTHONDONTWRITEBYTECODE"  # with it, what was edited is compiled at every start


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and of processors, and megabytes of the largest process."""

    wall: float
    cpu: float
    megabytes: float
    status: int


def cost(*command: object, cwd: Path = ROOT, **changed: str) -> Cost:
    start = perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        env={k: v for k, v in os.environ.items() if k != UNCOMPILED} | changed,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = perf_counter() - start
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode)


WRITTEN = ("bench/results.json", "bench/results.md", "bench/plot.svg", "README.md")


def version() -> str:
    """Of what is measured: its number, and its commit, with a + if something differs from it.

    What measuring itself writes is not looked at.
    """
    others = (f":(exclude){path}" for path in WRITTEN)
    commit = said_by_git("rev-parse", "--short", "HEAD")
    changed = said_by_git("status", "--porcelain", "--untracked-files=no", "--", ".", *others)
    own = f"{commit}{'+' * bool(changed)}"
    return f"{gradproof.__version__} at {own}" if commit else gradproof.__version__


def said_by_git(*arguments: str) -> str:
    command = ("git", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.stdout.strip()


def output(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout
