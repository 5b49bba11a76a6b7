"""What to do about a verdict that leaves open what was asked. Untrusted."""

from __future__ import annotations

from gradproof.settle.verdicts import Verdict
from gradproof.theorems.scopes import ACCEPTED, UP_TO_3

WAYS = dict.fromkeys(ACCEPTED, "write the loop as a Sum, a maximum or a recurrence")
WAYS[UP_TO_3] = "write it so that no axis has to do with another, or ask for one rank, --rank 2"


def advice(verdict: Verdict) -> str:
    """A sentence for whoever wrote the definition; nothing where nothing is open."""
    return widened(verdict) if verdict.narrow else ""


def widened(verdict: Verdict) -> str:
    accepted = verdict.accepts.split(", ")
    scope = ", ".join(word for word in ACCEPTED if word in (*accepted, *verdict.narrow))
    ways = "; ".join(WAYS[word] for word in verdict.narrow)
    where = "--scope" if verdict.method == "code" else "in the definition"
    return f'if that is enough, say scope="{scope}" ({where}); if not, {ways}'
