"""Numbers in words, alike wherever they are shown. Untrusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gradproof.settle.verdicts import OF_CLAUSES, Verdict
from gradproof.theorems.statuses import Status


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def unexpected(verdict: Verdict) -> str:
    """What was found, and what was expected."""
    if verdict.narrow:
        return f"proved only {verdict.scope}"
    return f"{verdict.status}, expected {verdict.expected}"


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many there are of each status, the best first, then what clauses are."""
    found = Counter(v.outcome for v in verdicts)
    return {word: found[word] for word in (*reversed(Status), *OF_CLAUSES) if found[word]}


def tally(verdicts: Iterable[Verdict]) -> str:
    """`18 proved, 1 refuted`."""
    return ", ".join(f"{number} {status}" for status, number in counts(verdicts).items())
