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

    def mended(self, clause: str) -> Lesson:
        """With the clause of `requires` that would mend the theorem, if there is one."""
        if not clause:
            return self
        said = f"With {clause} in requires it is proved: add the clause if such sizes"
        text = (*self.text, "", said, "are not meant, else mend the equation.")
        return replace(self, text=text, mend=clause)
