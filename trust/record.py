"""Recorded runs, a file for each version: evidence about that version and no other. Untrusted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packaging.version import Version

from trust.source import ROOT, fingerprint

FOLDER = ROOT / "trust" / "records"
KERNEL = fingerprint()  # of what is loaded, whatever is edited while it runs


class OfAnother(Exception):
    """A record of other trusted modules than those that are there now."""


def versions() -> list[str]:
    """Those with a record, the newest last."""
    return sorted((path.stem for path in FOLDER.glob("*.json")), key=Version)


def newest() -> dict[str, Any]:
    """What is recorded of the newest version; nothing if there is no record."""
    found = versions()
    return read(found[-1]) if found else {}


def read(version: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path_of(version).read_text("utf-8"))
    return data


def path_of(version: str) -> Path:
    return FOLDER / f"{version}.json"


def begun(version: str) -> dict[str, Any]:
    """The record of a version as far as there is one; never one of another kernel."""
    if not path_of(version).exists():
        return {"schema": 2, "version": version, "commit": commit(), "kernel": KERNEL}
    data = read(version)
    if data["kernel"] != KERNEL:
        raise OfAnother(
            f"{path_of(version).relative_to(ROOT)} is of another kernel ({data['kernel']}, this is "
            f"{KERNEL}) and stays as it is; name another version: --record {version}.post1"
        )
    return data


def commit() -> str:
    """As git calls what is there, or nothing where there is no git."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        found = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()


def write(
    version: str, part: str, found: dict[str, Any], known: Iterable[str] | None = None
) -> None:
    """Adds to one part of a record, or replaces it; what is not among the known is dropped."""
    data = begun(version)
    merged = data.get(part, {}) | found
    data[part] = merged if known is None else {n: merged[n] for n in known if n in merged}
    path = path_of(version)
    path.parent.mkdir(exist_ok=True)
    draft = path.with_suffix(".json.part")
    draft.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    draft.replace(path)
