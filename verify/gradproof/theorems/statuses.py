"""What may become of a theorem. Trusted."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Status(StrEnum):
    """The worst first."""

    ERROR = "error"
    REFUTED = "refuted"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    PROVED = "proved"

    def __repr__(self) -> str:
        return repr(self.value)

    @property
    def meaning(self) -> str:
        return MEANINGS[self]


MEANINGS = {
    Status.ERROR: "the two routes contradict each other, or the tool failed",
    Status.REFUTED: "a counterexample was replayed by exact evaluation",
    Status.VACUOUS: "the hypotheses contradict each other, so nothing was shown",
    Status.UNKNOWN: "neither proved nor refuted within the resources",
    Status.UNSUPPORTED: "outside what the provers treat",
    Status.PROVED: "holds within its scope",
}


def worst(statuses: Iterable[str]) -> Status:
    """The status that counts."""
    found = set(statuses)
    return next((status for status in Status if status in found), Status.UNSUPPORTED)
