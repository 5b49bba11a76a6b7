"""Looks for a clause of `requires` with which a refuted theorem is proved. Untrusted.

Only where a theorem is about sizes, bounds or values that are not defined: a derivative that is
wrong at some sizes is wrong, and what shuts them out hides it.
The candidates are simple conditions on the op's own sizes that the counterexample violates; that
one of them mends the theorem is the provers' word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, permutations
from typing import Any

from gradproof.evaluate.bounded import survey
from gradproof.evaluate.replay import satisfies
from gradproof.evaluate.shapes import box
from gradproof.language import terms as t
from gradproof.language.digits import of_any_length
from gradproof.language.ops import Op
from gradproof.language.ranks import at_rank
from gradproof.language.substitution import free
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import settled
from gradproof.settle.conclusions import RANKS
from gradproof.settle.counterexamples import Counterexample
from gradproof.settle.places import at_rank_of, sizes_in
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status

MOST_TRIED, TRIED = 32, 12  # clauses; shapes at which a rule is tried with one
DERIVED = ("jvp", "vjp")
NOTHING = ("", "")


@of_any_length()
def mending(
    op: Op,
    theorem: Theorem,
    found: Counterexample,
    limit: int = RLIMIT,
    ranks: tuple[int, ...] = RANKS,
) -> tuple[str, str]:
    """The first candidate with which the theorem is proved, and how far; or nothing."""
    if not is_about_sizes(theorem):
        return NOTHING
    rules = [th for th in obligations(op, DERIVED) if th.equation == theorem.equation]
    sizes = sizes_in(at_rank_of(theorem, found), found)
    offered = candidates(op, theorem, found.sizes)
    violated = (c for c in offered if not satisfies([written(c, found.rank)], sizes))
    for clause in islice(violated, MOST_TRIED):
        mended = replace(theorem, given=(*theorem.given, clause))
        if not is_promising(mended, limit) or any(
            is_wrong_with(th, clause, found.rank) for th in rules
        ):
            continue
        finding = settled(mended, limit, ranks)
        if finding.status == Status.PROVED:
            return str(clause), finding.scope
    return NOTHING


def is_about_sizes(theorem: Theorem) -> bool:
    """Of definedness, bounds or sizes; a claim, if it speaks of no array."""
    said = (s.then for s in theorem.sequents)
    is_plain = theorem.kind == "claim" and not any(map(t.arrays, said))
    return is_plain or theorem.kind in ("defined", "in bounds", "size")


def is_wrong_with(rule: Theorem, clause: Any, rank: int | None) -> bool:
    """Whether a rule is wrong with the clause, too: then it is the rule that must be mended."""
    stricter = replace(rule, given=(*rule.given, clause))
    instance = stricter if rank is None else stricter.at_rank(rank)
    return survey(instance, box(instance, TRIED)).failure is not None


def written(clause: Any, rank: int | None) -> Any:
    return clause if rank is None else at_rank(clause, rank)


def is_promising(theorem: Theorem, limit: int) -> bool:
    """Whether the symbolic route alone proves it, at rank 1: most candidates fail this at once."""
    instance = theorem.at_rank(1) if theorem.is_rank_generic else theorem
    return prove(instance, False, limit).status == Status.PROVED


def candidates(op: Op, theorem: Theorem, sizes: dict[str, Any]) -> Iterator[Any]:
    """Bounds on one size, sizes that fit, a division without a rest, an order, larger bounds.

    No order mends a formula for a size: it would shut out what the formula is for.
    """
    for s in op.sizes:
        yield t.relation(t.Ge, s, 0)
        yield t.relation(t.Ge, s, 1) if s.sort == t.INT else t.Ne(s, 0)
    dims = [d for a in (op.output, *op.operands) for d in a.dims if not isinstance(d, t.Sym)]
    quotients = [u for d in dims for u in t.walk(d) if isinstance(u, t.FloorDiv | t.CeilDiv)]
    for quotient in quotients:
        yield t.relation(t.Ge, quotient.args[0], 0)
    for d in dims:
        yield t.relation(t.Ge, d, 1)
    for quotient in quotients:
        yield t.Divides(quotient.args[1], quotient.args[0])
    for a, b in compared(op) if theorem.kind != "size" else ():
        yield t.relation(t.Le, a, b)
        yield t.relation(t.Lt, a, b)
    for s in (s for s in op.sizes if s.sort == t.INT and s.name in sizes):
        values = sizes[s.name]
        yield t.relation(t.Ge, s, 1 + (min(values) if isinstance(values, list) else values))


def compared(op: Op) -> Iterator[tuple[t.Sym, t.Sym]]:
    """Pairs of sizes that have to do with each other: a clause or integer is of both.

    A product is of factors that have not: of the sizes of a plane.
    """
    shapes = (d for a in (op.output, *op.operands) for d in a.dims)
    terms = (u for e in (*op.equations.values(), *shapes) for u in t.walk(e))
    integers = (u for u in terms if isinstance(u, t.Term) and t.sort_of(u) == t.INT)
    whole = {u for u in integers if not isinstance(u, t.Mul)}
    together = [free(u) for u in (*whole, *op.requires)]
    for a, b in permutations((s for s in op.sizes if s.sort == t.INT), 2):
        if a.is_bundle == b.is_bundle and any({a, b} <= symbols for symbols in together):
            yield a, b
