"""What the reports on preconditions say of a changed clause. Untrusted."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from gradproof.evaluate.replay import satisfies
from gradproof.language import Op
from gradproof.language import terms as t
from gradproof.language.ranks import at_rank
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.preconditions import needed
from gradproof.theorems.obligations import obligations
from trust.mutants.changed import Mutant
from trust.mutants.equivalence import is_weaker


def is_convention(op: Op, clause: Any) -> bool:
    """All theorems are proved without the clause."""
    return needed(op, clause, obligations(op), RLIMIT).note.startswith("convention")


def shuts_out(mutant: Mutant, op: Op, note: str) -> bool:
    """The report on the changed clause names shapes that it shuts out, and that were let in."""
    if note.startswith("convention"):
        return not is_weaker(mutant, op)
    sizes = gap_in(note, op)
    if not sizes:
        return False
    let_in = satisfies((at_rank(r, 1) for r in mutant.original.requires), sizes)
    return let_in and not satisfies((at_rank(mutant.after, 1),), sizes)


def gap_in(note: str, op: Op) -> dict[Any, Any]:
    """The sizes at which, the note says, all would hold."""
    _, found, shape = note.partition("yet all would hold with ")
    if not found:
        return {}
    values = dict(re.findall(r"(\w+) = ([-\d/]+)", shape))
    symbols = [t.Sym(f"{s.name}.1", s.sort) if s.is_bundle else s for s in op.sizes]
    named = {s: values[s.name.split(".")[0]] for s in symbols if s.name.split(".")[0] in values}
    return {s: int(v) if s.sort == t.INT else Fraction(v) for s, v in named.items()}
