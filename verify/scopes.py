"""How far a proof goes, and whether that is short of what "proved" sounds like. Untrusted."""

from __future__ import annotations

from verify.verdicts import Verdict

WHOLE = ("all sizes", "every rank")
POINTS_LEFT_OUT = (", where the winner is unique", ", off the boundary")


def limit_of(verdict: Verdict) -> str:
    """The scope of a proof that is not one for all sizes and every rank."""
    if verdict.status != "proved" or verdict.kind in ("satisfiable", "needed"):
        return ""
    scope = verdict.scope
    for points in POINTS_LEFT_OUT:
        scope = scope.replace(points, "")
    return "" if scope in WHOLE else scope
