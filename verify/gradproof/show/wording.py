"""Numbers in words, alike wherever they are shown. Untrusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from gradproof.settle.verdicts import BY_DEFINITION, OF_CLAUSES, Verdict
from gradproof.theorems.statuses import Status

OUTCOMES = (Status.PROVED, BY_DEFINITION, *(s for s in reversed(Status) if s != Status.PROVED))
OUTCOMES += OF_CLAUSES


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def unexpected(verdict: Verdict) -> str:
    """What was found, and what was expected; of a refutation the smallest case, in a line."""
    if verdict.narrow:
        return f"proved only {verdict.scope}"
    case = smallest_case(verdict)
    if case and verdict.expected == Status.PROVED:
        return case
    return f"{verdict.status}, expected {verdict.expected}"


def smallest_case(verdict: Verdict) -> str:
    """`refuted at n=3, k=2: gives 1, should be 0`, of a verdict with a counterexample."""
    found = verdict.counterexample
    if found is None:
        return ""
    at = ", ".join(f"{name}={sized(value)}" for name, value in found.sizes.items())
    said = f"refuted at {at}" if at else "refuted"
    if verdict.kind not in ("jvp", "vjp"):
        return said
    return f"{said}: gives {found.right}, should be {found.left}"


def sized(value: Any) -> str:
    """A size; one for each axis as `2×3`."""
    return "×".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


VOID, WAIVED, NARROW, KNOWN, HOLDS = "void", "waived", "narrow", "known-false", "not false"
PLURAL = {"convention": "conventions", KNOWN: "known-false refuted"}
BEST_FIRST = (*OUTCOMES[:2], KNOWN, WAIVED, VOID, *OUTCOMES[2:], NARROW, HOLDS)


def word_of(verdict: Verdict, void: bool = False) -> str:
    """The word that stands beside a verdict's mark, which says what the mark does."""
    if verdict.is_waived:
        return WAIVED
    if verdict.narrow:
        return NARROW
    if void:
        return VOID
    if verdict.expected == Status.REFUTED:
        found = {Status.REFUTED: KNOWN if verdict.as_pinned else Status.REFUTED}
        return {**found, Status.PROVED: HOLDS}.get(verdict.status, verdict.outcome)
    return verdict.outcome


def told(words: Iterable[str], between: str = ", ") -> str:
    """`34 proved · 5 known-false refuted · 2 conventions`, of the words of verdicts."""
    found = Counter(words)
    return between.join(
        f"{number} {PLURAL.get(word, word) if number > 1 or word == KNOWN else word}"
        for word in BEST_FIRST
        if (number := found[word])
    )


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many there are of each status, the best first, then what clauses are.

    What holds by definition is none of the proofs.
    """
    found = Counter(v.outcome for v in verdicts)
    return {word: found[word] for word in OUTCOMES if found[word]}


def tally(verdicts: Iterable[Verdict]) -> str:
    """`18 proved, 1 refuted`."""
    return ", ".join(f"{number} {status}" for status, number in counts(verdicts).items())
