"""What a long run has found so far: if interrupted, it goes on where it stopped. Untrusted.

What was found with other sources than those that are there now does not count.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from trust.source import ROOT

PACKAGES = ("verify", "specs", "trust")


def sources() -> str:
    """The same for the same code, of whatever a run may depend on."""
    paths = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]


class Journal:
    """Findings by key: a line each, begun anew so that one which was cut off spoils no other."""

    def __init__(self, path: Path) -> None:
        self.path, self.sources = path, sources()
        self.known: dict[str, Any] = {}
        lines = path.read_text("utf-8", "replace").split("\n") if path.exists() else []
        for line in lines:
            self.read(line)

    def read(self, line: str) -> None:
        try:
            of, key, found = json.loads(line)
        except ValueError:
            return
        if of == self.sources:
            self.known[key] = found

    def add(self, key: str, found: Any) -> None:
        """Nothing is kept of what was edited meanwhile: new processes load it as it is then."""
        if sources() != self.sources:
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps([self.sources, key, found], ensure_ascii=False))

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)
