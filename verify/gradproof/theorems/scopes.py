"""How far a proof goes, in words, and what a definition may accept of less. Trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable

CELLS = 4  # turns of a loop, those of loops within it included
ALL_SIZES, EVERY_RANK, UP_TO_3 = "all sizes", "every rank", "ranks 1 to 3"
AT_EACH_STEP = ", where no step compares equals"  # of recurrences that branch on values
BOUNDARIES = (", where the winner is unique", ", off the boundary", AT_EACH_STEP)
FEW_TURNS = f"where no loop takes more than {CELLS} turns, inner loops counted"

# What `scope` in a definition says, and the scope of a proof that is expected then.
ACCEPTED = {UP_TO_3: UP_TO_3, f"{CELLS} turns": FEW_TURNS}

# Of code also: sizes are left out at which it may run otherwise, and which were not read; lines
# at which what was read was not compared with the code as it runs.
READ, ONLY = "sizes read", "only where"
RUN, UNRUN = "lines run", "but for lines that were not compared"
OF_CODE = ACCEPTED | {READ: ONLY, RUN: UNRUN}


STATED = re.compile(r", if what is stated of [^,]+ holds")


def if_stated(names: Iterable[str]) -> str:
    """That a proof takes as true what is stated of functions that have no value."""
    said = " and ".join(sorted(set(names)))
    return f", if what is stated of {said} holds" if said else ""


def narrower(scope: str, accepts: str) -> tuple[str, ...]:
    """What a definition would have to accept for a proof of this scope to be what it asks."""
    said = accepts.split(", ")
    return tuple(word for word, part in OF_CODE.items() if part in scope and word not in said)
