"""Many small definitions on two cores: time and memory by their number."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

from bench import clock
from bench.commands import GRADPROOF
from trust.load.crowd import crowd, write

COUNTS = (250, 500, 2000)
JOBS = 2
EVERY = 0.5  # seconds between two looks at the memory of the command


def children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(number) for thread in threads for number in thread.read_text().split()]


def megabytes(pid: int) -> float:
    """The most that a process has had so far."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)


def run(definitions: int) -> dict[str, Any]:
    """One run of the command on so many definitions; every other thing is as for a user."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = write(folder, crowd(definitions))
        found = folder / "found.json"
        command = [GRADPROOF, "check", *files, "--quiet", "--jobs", str(JOBS), "--json", found]
        start = perf_counter()
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=folder,
            env=dict(os.environ) | {"GRADPROOF_CACHE": str(folder / "cache")},
            stdout=subprocess.DEVNULL,
        )
        ours = workers = 0.0
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            try:
                ours = max(ours, megabytes(process.pid))
                workers = max(workers, *map(megabytes, children(process.pid)), 0.0)
            except OSError:
                pass  # one that ended just now
            sleep(EVERY)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        wall = perf_counter() - start
        ops = json.loads(found.read_text("utf-8"))["ops"]
    return {
        "definitions": len(ops),
        "theorems": sum(len(op["theorems"]) for op in ops),
        "wall": wall,
        "cpu": used.ru_utime + used.ru_stime,
        "worker_megabytes": workers,
        "command_megabytes": ours,
    }


def measured(counts: tuple[int, ...] = COUNTS) -> dict[str, Any]:
    unit = median(clock.unit() for _ in range(clock.RUNS))
    runs = [run(count) for count in counts]
    return {"jobs": JOBS, "machine": clock.machine(), "unit": unit, "runs": runs}
