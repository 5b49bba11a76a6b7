"""What a Dask worker does: asks a process of its own, as the command would. Deciding.

The processes belong to a run of the command, and are reused until it closes them.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from gradproof.cli.workers.supervisor import Lost, Worker
from gradproof.homes import SUITE, TOOL

LOCK = Lock()
IDLE: dict[str, list[Worker]] = {}  # by run
BUSY: dict[str, list[Worker]] = {}
CLOSED: set[str] = set()
MISSING = "there is no such file"


@cache
def sources() -> str:
    """What the tool is here, whatever version it says it has."""
    found = sha256()
    for home in (TOOL, SUITE):
        for path in sorted(home.rglob("*.py")):
            found.update(path.relative_to(home).as_posix().encode() + path.read_bytes())
    return found.hexdigest()


def answered(
    request: dict[str, Any], seconds: float, memory: int, folder: str, run: str, seen: bool
) -> dict[str, Any]:
    """The answer, or why there is none; `seen` says that the command sees the file.

    A process that others end is raised, so that Dask tries again.
    """
    if not Path(folder).is_dir():
        return {"answer": unseen(request, f"there is no folder {folder}")}
    try:
        found = asked(request, seconds, memory, folder, run)
    except Lost as lost:
        if lost.from_outside:
            raise
        return {"lost": [lost.reason, lost.seconds, False, lost.left]}
    if seen and found.get("problem", {}).get("message") == MISSING:
        found = unseen(request, MISSING)
    return {"answer": found}


def unseen(request: dict[str, Any], what: str) -> dict[str, Any]:
    from distributed import get_worker

    said = f"{what} for the Dask worker at {get_worker().address}; files must have the same paths"
    file = request["target"]["path"] or request["target"]["name"]
    return {"problem": {"file": file, "line": 0, "message": said, "trace": ""}}


def asked(
    request: dict[str, Any], seconds: float, memory: int, folder: str, run: str
) -> dict[str, Any]:
    """By a process that waits, or a new one; those of a run have the same folder and memory."""
    with LOCK:
        if run in CLOSED:
            raise Lost("the run is over")
        idle = IDLE.setdefault(run, [])
        worker = idle.pop() if idle else Worker(memory, folder)
        BUSY.setdefault(run, []).append(worker)
    lives = False
    try:
        found = worker.ask(request, seconds)
        lives = not worker.has_grown
        return found
    finally:
        with LOCK:
            BUSY[run].remove(worker)
            if lives and run not in CLOSED:
                idle.append(worker)
            else:
                worker.close()


def close(run: str) -> None:
    """Ends the processes of a run; none is started for it any more."""
    with LOCK:
        CLOSED.add(run)
        for worker in IDLE.pop(run, []):
            worker.close()
        for worker in BUSY.get(run, []):
            worker.kill()  # the thread that asks it sees that
