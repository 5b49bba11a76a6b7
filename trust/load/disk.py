"""A disk that is full after so many bytes. Untrusted."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MOUNT = ("mount", "-t", "tmpfs")


@dataclass(frozen=True)
class Disk:
    """A folder on it; without the right to mount one, a limit on each file takes its place."""

    folder: Path
    most_bytes: int | None

    @property
    def kind(self) -> str:
        return "a disk of its own" if self.most_bytes is None else "a limit on each file"


@contextmanager
def small_disk(folder: Path, disk_bytes: int, file_bytes: int) -> Iterator[Disk]:
    """Holds `disk_bytes` in all, or else `file_bytes` in each file."""
    folder.mkdir()
    mount = [*MOUNT, "-o", f"size={disk_bytes}", "gradproof", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    try:
        yield Disk(folder, None if mounted else file_bytes)
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
