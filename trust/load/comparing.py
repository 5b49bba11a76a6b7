"""What a disturbed run left, compared with an undisturbed one. Untrusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

Key = tuple[str, str]  # an op and a theorem
Verdicts = dict[Key, dict[str, Any]]
Contents = dict[str, bytes]  # of a folder


@dataclass(frozen=True)
class Found:
    """What is not as it was undisturbed; `failures` are wrong ends, messages and processes left."""

    compared: int = 0
    files: int = 0
    excused: int = 0
    differing: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    half_written: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()

    def __add__(self, other: Found) -> Found:
        names = (f.name for f in fields(self))
        return Found(*(getattr(self, name) + getattr(other, name) for name in names))

    def __str__(self) -> str:
        told = f"{self.excused} told to be otherwise, " if self.excused else ""
        return (
            f"{self.compared} verdicts and {self.files} files compared, {told}"
            f"{len(self.differing)} differ, {len(self.lost)} lost, "
            f"{len(self.half_written)} half-written, {len(self.failures)} failures"
        )

    @property
    def faults(self) -> tuple[str, ...]:
        parts = {
            "differs": self.differing,
            "lost": self.lost,
            "half-written": self.half_written,
            "failure": self.failures,
        }
        return tuple(f"{part}: {one}" for part, found in parts.items() for one in found)


def verdicts_in(text: str) -> Verdicts:
    """The verdicts of `--json`, without the seconds they took."""
    return {
        (op["name"], theorem["name"]): {k: v for k, v in theorem.items() if k != "seconds"}
        for op in json.loads(text)["ops"]
        for theorem in op["theorems"]
    }


def told_unsettled(text: str, homes: dict[str, str]) -> Callable[[Key], bool]:
    """Whether `--json` tells of a theorem, or of the file of its op, that it is not settled."""
    unsettled = set(json.loads(text)["unsettled"])
    return lambda key: bool({"::".join(key), homes[key[0]]} & unsettled)


def homes_in(text: str) -> dict[str, str]:
    """The file of each op."""
    return {op["name"]: op["file"] for op in json.loads(text)["ops"]}


def recorded_in(contents: Contents) -> Verdicts:
    """The verdicts of the records in a folder, without the solvers' questions."""
    records = [json.loads(text) for name, text in contents.items() if name.endswith(".json")]
    return {
        (record["name"], theorem["name"]): {k: v for k, v in theorem.items() if k != "queries"}
        for record in records
        for theorem in record["theorems"]
    }


def compared(
    expected: Verdicts,
    found: Verdicts,
    excused: Callable[[Key, dict[str, Any]], bool] | None = None,
    told: Callable[[Key], bool] = lambda key: False,
) -> Found:
    """`excused` says of a verdict that it may differ, `told` of a missing one that it was told."""
    different = [k for k in found if found[k] != expected.get(k)]
    missing = [k for k in expected if k not in found and not told(k)]
    pardoned = {k for k in different if excused is not None and excused(k, found[k])}
    return Found(
        compared=len(expected.keys() & found.keys()),
        excused=len(pardoned),
        differing=tuple("::".join(k) for k in different if k not in pardoned),
        lost=tuple(map("::".join, missing)),
    )


def shown_verdicts(text: str) -> list[str]:
    """The lines of what is shown that tell of a verdict, without their marks."""
    return [line[4:] for line in text.splitlines() if line.startswith(("  ✓ ", "  ✗ ", "  - "))]


def shown_as(expected: Verdicts, text: str) -> Found:
    """Whether what is shown tells of every verdict, in order."""
    lines = shown_verdicts(text)
    wanted = {k: f"{v['outcome']:<11} {v['kind']:<11} {v['name']}" for k, v in expected.items()}
    pairs = list(zip(wanted.items(), lines, strict=False))
    return Found(
        compared=len(pairs),
        differing=tuple("::".join(k) for (k, told), line in pairs if not line.startswith(told)),
        lost=tuple(map("::".join, list(wanted)[len(lines) :])),
    )


def contents(folder: Path) -> Contents:
    """Every file under a folder, hidden ones too."""
    paths = [p for p in sorted(folder.rglob("*")) if p.is_file()]
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths}


def whole(found: Contents, *versions: Contents) -> Found:
    """Each file is there, as it is in one of the versions, and no other file is."""
    broken = [
        name
        for name, text in found.items()
        if not any(version.get(name) == text for version in versions)
    ]
    missing = {name for version in versions for name in version} - found.keys()
    return Found(files=len(found), half_written=tuple(broken), lost=tuple(sorted(missing)))
