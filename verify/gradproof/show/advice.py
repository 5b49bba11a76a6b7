"""What is left of a theorem that is open, and what to do about it. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gradproof.settle.verdicts import Verdict
from gradproof.show.readable import readable
from gradproof.theorems.scopes import ACCEPTED, OF_CODE, READ, UP_TO_3
from gradproof.theorems.statuses import Status

WAYS = dict.fromkeys(ACCEPTED, "write the loop as a Sum, a maximum or a recurrence")
WAYS[UP_TO_3] = "write it so that no axis has to do with another, or ask for one rank, --rank 2"
WAYS[READ] = (
    "say with --requires or --at where it is meant, or write it so that no size decides how it runs"
)
MORE = "give it more with --timeout and --limit"
NEARER = "write the rule nearer to the forward equation: the same sum, range and divisor"
CLAUSE = "add a clause to requires if the op is never called where it is in doubt"
PLAINER = "write it as a Sum, a maximum, a fold that adds up or a recurrence"
OF_CODE_READ = (
    "gradproof show FILE::NAME --input … prints what was read; "
    "say with --requires where it is meant, fix sizes with --at, or give it a larger --limit"
)
LONGEST = 80  # characters of a side


def advice(verdict: Verdict, known: Mapping[str, Verdict | None] | None = None) -> str:
    """A sentence for whoever wrote the definition; nothing where nothing is open.

    Where others of its op are known, what it rests on comes first if that is refuted.
    """
    if verdict.narrow:
        return widened(verdict)
    if verdict.as_expected:
        return ""
    if verdict.method == "code":
        return OF_CODE_READ if verdict.status == Status.UNKNOWN else ""
    if verdict.status == Status.UNSUPPORTED:
        return PLAINER
    if verdict.status != Status.UNKNOWN:
        return ""
    for name in verdict.rests_on:
        ground = (known or {}).get(name)
        if ground is not None and ground.status == Status.REFUTED:
            return f"mend '{name}' first, which this rests on"
    nearer = NEARER if verdict.kind in ("jvp", "vjp", "linear", "ties") else CLAUSE
    return f"{MORE}; or {nearer}"


def widened(verdict: Verdict) -> str:
    accepted = verdict.accepts.split(", ")
    scope = ", ".join(word for word in OF_CODE if word in (*accepted, *verdict.narrow))
    where = "--scope" if verdict.method == "code" else "in the definition"
    ways = "; ".join(WAYS[word] for word in verdict.narrow)
    return f'if that is enough, say scope="{scope}" ({where}); if not, {ways}'


def account(verdict: Verdict) -> Iterator[str]:
    """What an open theorem took, and the goal that resisted, short."""
    if verdict.status == Status.UNKNOWN and verdict.kind != "needed":
        if verdict.seconds:
            yield f"{verdict.seconds:.1f} s of processor time"
        if verdict.left:
            yield f"left to show: {short_of(verdict)}"


def short_of(verdict: Verdict) -> str:
    """The goal that resisted, each side cut."""
    return " = ".join(map(shortened, left_of(verdict).split(" = ", 1)))


def left_of(verdict: Verdict) -> str:
    """The goal that resisted, without the 0 that sums of products begin with."""
    return re.sub(r"(^|= |\()0 \+ ", r"\1", readable(verdict.left)[0])


def shortened(text: str) -> str:
    """At most so long, cut between words."""
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"
