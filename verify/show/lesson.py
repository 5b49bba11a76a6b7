"""What a refutation teaches, as data. Untrusted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Lesson:
    """What a refutation teaches: lines of text, the clause that would mend it, a reproduction."""

    text: tuple[str, ...]
    mend: str = ""
    reproduction: str = ""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Lesson:
        return cls(tuple(data["text"]), data["mend"], data["reproduction"])

    def mended(self, clause: str, scope: str) -> Lesson:
        """With the clause of `requires` that would mend the theorem, if there is one."""
        if not clause:
            return self
        said = f"With {clause} in requires it is proved for {scope}: add the clause if such"
        text = (*self.text, "", said, "sizes are not meant, else mend the equation.")
        return replace(self, text=text, mend=clause)
