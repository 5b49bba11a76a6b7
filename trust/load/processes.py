"""The real command in a process of its own, watched, disturbed and waited for. Untrusted."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from trust.load.comparing import Found, shown_verdicts

ROOT = Path(__file__).parents[2]
PATIENCE = 3600  # seconds after which a run counts as hung
PROC = Path("/proc")
NOTHING_KEPT = {"GRADPROOF_CACHE": ""}  # all is to be settled, under every disturbance


@dataclass(frozen=True)
class Ended:
    """How a run ended, and what it said."""

    status: int
    shown: str
    said: str
    seconds: float

    def expecting(self, status: int, *told: str) -> Found:
        """What is wrong with its end: another status, no word of `told`, or a traceback."""
        wrong = [] if self.status == status else [f"ended with {self.status}, not {status}"]
        wrong += [f"does not say {text!r}" for text in told if text not in self.shown + self.said]
        wrong += [f"says {t!r}" for t in ("Traceback", "internal error") if t in self.said]
        return Found(failures=tuple(f"{text}: {self.said[-500:]}" for text in wrong))


class Running:
    """`gradproof` in a folder; what it shows goes to files elsewhere, so no pipe can fill."""

    def __init__(
        self,
        folder: Path,
        *arguments: object,
        path: Path | None = None,
        most_bytes: int | None = None,
        shown: Path | None = None,
    ) -> None:
        """`path` comes first on Python's; no file may grow beyond `most_bytes`."""
        self.start = monotonic()
        self.keeps_shown = shown is None
        self.logs = (log() if shown is None else shown.open("wb"), log())
        paths = os.pathsep.join(map(str, filter(None, (path, ROOT))))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gradproof", *map(str, arguments)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **NOTHING_KEPT},
            stdin=subprocess.DEVNULL,
            stdout=self.logs[0],
            stderr=self.logs[1],
            preexec_fn=None if most_bytes is None else lambda: limit(most_bytes),
        )

    @property
    def lives(self) -> bool:
        return self.process.poll() is None

    @property
    def progress(self) -> int:
        """How many verdicts it has shown; reading at a place leaves the place of writing alone."""
        shown = self.logs[0].fileno()
        text = os.pread(shown, os.fstat(shown).st_size, 0).decode("utf-8", "replace")
        return len(shown_verdicts(text))

    def reaches(self, verdicts: int) -> bool:
        """Waits until it has workers and has shown so many verdicts, unless it ends before."""
        while self.lives and not (self.workers() and self.progress >= verdicts):
            sleep(0.05)
        return self.lives

    def workers(self) -> list[int]:
        return children_of(self.process.pid)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def ended(self) -> Ended:
        """Waits for the end; a run that hangs is ended, which its status tells."""
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        seconds = monotonic() - self.start
        shown, said = self.logs
        texts = [read(shown) if self.keeps_shown else "", read(said)]
        for stream in self.logs:
            stream.close()
        return Ended(self.process.returncode, texts[0], texts[1], seconds)


def log() -> IO[bytes]:
    return tempfile.TemporaryFile()


def read(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


def limit(most_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


def children_of(parent: int) -> list[int]:
    found = []
    for stat in PROC.glob("[0-9]*/stat"):
        try:
            state, ppid, *_ = stat.read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(ppid) == parent and state != "Z":
            found.append(int(stat.parent.name))
    return sorted(found)


def gone(pids: list[int], seconds: float = 300) -> Found:
    """Whether processes are gone, or go soon."""
    until = monotonic() + seconds
    left = pids
    while (left := [pid for pid in left if (PROC / str(pid)).exists()]) and monotonic() < until:
        sleep(0.1)
    return Found(failures=tuple(f"process {pid} is left" for pid in left))
