"""Files of verdicts for other programs, written all or none. Deciding."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from gradproof.cli import formats
from gradproof.cli.arguments import UsageError
from gradproof.report.writing import ESCAPED, Unwritten, write_all

FORMATS = {"json": formats.as_json, "junit": formats.as_junit, "sarif": formats.as_sarif}


def check_outputs(outputs: dict[str, str], save: str | None) -> None:
    """What cannot be written is said before anything is settled."""
    is_closed = sys.__stdout__ is None and getattr(sys.stdout, "name", "") == os.devnull
    if "-" in outputs.values() and is_closed:
        raise UsageError("standard output is closed; name a file instead of -")
    if list(outputs.values()).count("-") > 1:
        raise UsageError("only one of --json, --junit and --sarif can go to standard output")
    places: dict[Path, str] = {}
    for name, path in outputs.items():
        place = Path(path) if is_device(path) else Path(path).parent
        if path != "-" and (Path(path).is_dir() or not os.access(place, os.W_OK)):
            raise UsageError(f"--{name} {path}: there is no file that can be written there")
        other = places.setdefault(Path(path).resolve(), name)
        if other != name and not is_device(path):
            raise UsageError(f"--{other} and --{name} name the same file, {path}")
    if save and Path(save).exists() and not Path(save).is_dir():
        raise UsageError(f"--save {save}: it is not a folder")
    if save and not os.access(nearest(Path(save)), os.W_OK):
        raise UsageError(f"--save {save}: nothing can be written there")


def nearest(folder: Path) -> Path:
    """The folder, or the first above it that is there."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


def write(outputs: dict[str, str], saved: dict[Path, str]) -> None:
    """All files or none; a device or a pipe has no place beside it for a draft."""
    files = {
        Path(p).resolve(): text for p, text in outputs.items() if p != "-" and not is_device(p)
    }
    write_all(files | saved)
    for path, text in outputs.items():
        if path == "-":
            with contextlib.suppress(AttributeError):  # of what stands in for it
                sys.stdout.reconfigure(encoding="utf-8", errors=ESCAPED)  # type: ignore[union-attr]
            print(text, end="", flush=True)
        elif is_device(path):
            try:
                Path(path).write_text(text, "utf-8", ESCAPED)
            except OSError as bad:
                raise Unwritten(path, bad) from bad


def is_device(path: str) -> bool:
    return Path(path).exists() and not Path(path).is_file()
