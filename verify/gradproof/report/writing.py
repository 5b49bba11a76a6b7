"""Files written all or none and each whole, whatever else writes there. Untrusted."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Unwritten(Exception):
    """What could not be written, why, and what to do."""

    def __init__(self, what: object, bad: OSError) -> None:
        advice = "make room there" if bad.errno in FULL else "choose another place"
        super().__init__(f"{what} could not be written: {bad.strerror}; {advice} and run it again")


ESCAPED = "backslashreplace"  # of file names that are no text; in JSON that is what they are


def write_all(found: Mapping[Path, str]) -> None:
    """Each file is written beside its place; once all are, they move there.

    A draft has a name of its own, so that two runs at the same time do not share one.
    """
    drafts: dict[Path, Path] = {}
    path = Path()
    try:
        for path, text in found.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            drafts[path] = path.with_name(f".{os.urandom(8).hex()}.part")
            with drafts[path].open("x", encoding="utf-8", errors=ESCAPED, newline="\n") as draft:
                draft.write(text)
        for path, ready in drafts.items():
            ready.replace(path)
    except OSError as bad:
        raise Unwritten(path, bad) from bad
    finally:
        for left in drafts.values():
            left.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Other runs wait, so that what this one reads in the folder still holds when it writes."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as bad:
        raise Unwritten(folder, bad) from bad
    try:
        with suppress(OSError):  # some network disks know no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
