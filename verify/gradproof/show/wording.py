"""Numbers in words, alike wherever they are shown. Untrusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gradproof.settle.verdicts import BY_DEFINITION, OF_CLAUSES, Verdict
from gradproof.theorems.statuses import Status

OUTCOMES = (Status.PROVED, BY_DEFINITION, *(s for s in reversed(Status) if s != Status.PROVED))
OUTCOMES += OF_CLAUSES


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def unexpected(verdict: Verdict) -> str:
    """What was found, and what was expected."""
    if verdict.narrow:
        return f"proved only {verdict.scope}"
    return f"{verdict.status}, expected {verdict.expected}"


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many there are of each status, the best first, then what clauses are.

    What holds by definition is none of the proofs.
    """
    found = Counter(v.outcome for v in verdicts)
    return {word: found[word] for word in OUTCOMES if found[word]}


def tally(verdicts: Iterable[Verdict]) -> str:
    """`18 proved, 1 refuted`."""
    return ", ".join(f"{number} {status}" for status, number in counts(verdicts).items())
