"""What a solver says where a goal fails: values for the symbols of a question. Untrusted."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import z3

from gradproof.prove.rules.smt import ANSWERS, alone, checked
from gradproof.theorems.statuses import Status

Model = tuple[tuple[str, int | Fraction], ...]


@lru_cache(maxsize=5_000)
def modelled(text: str, rlimit: int) -> tuple[Status, Model]:
    """What Z3 says in a context of its own, with the model; the same whatever was asked before."""
    solver = alone(text, rlimit)
    found = checked(solver)
    return ANSWERS[found.r], numbers_in(solver.model()) if found == z3.sat else ()


def numbers_in(model: z3.ModelRef) -> Model:
    values = {d.name(): model[d] for d in model.decls() if d.arity() == 0}
    numbers = {n: v.as_long() for n, v in values.items() if z3.is_int_value(v)}
    numbers |= {n: v.as_fraction() for n, v in values.items() if z3.is_rational_value(v)}
    return tuple(sorted(numbers.items()))
