"""What a refutation teaches, as data. Untrusted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

WIDTH = 17
LONGEST = 200  # characters of an equation
Row = tuple[str, str]


def row(pair: Row) -> str:
    return f"{pair[0]:<{WIDTH}}  {pair[1]}"


@dataclass(frozen=True)
class Lesson:
    """What a refutation teaches: lines of text, the clause that would mend it, a reproduction."""

    text: tuple[str, ...]
    mend: str = ""
    reproduction: str = ""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Lesson:
        return cls(tuple(data["text"]), data["mend"], data["reproduction"])

    def beside(self, written: str) -> Lesson:
        """With the equation as its file has it, beside the one that has helpers written out."""
        if not written or not self.text:
            return self
        shown = written if len(written) <= LONGEST else f"{written[:LONGEST]} …"
        first, *rest = self.text
        return replace(self, text=(first, row(("as written", shown)), *rest))

    def mended(self, clause: str, scope: str) -> Lesson:
        """With the clause of `requires` that would mend the theorem, if there is one."""
        if not clause:
            return self
        said = f"With {clause} in requires it is proved for {scope}: add the clause if such"
        text = (*self.text, "", said, "sizes are not meant, else mend the equation.")
        return replace(self, text=text, mend=clause)
