"""Whether `requires` can be met, and which of its clauses the theorems need. Deciding.

A clause is *needed* if outside it (the others holding) some theorem fails, with a witness; it is a
*convention* if everything is proved without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, takewhile

from gradproof.evaluate.admitting import admitted
from gradproof.evaluate.bounded import Limit, is_exact, survey
from gradproof.evaluate.points import fixed
from gradproof.evaluate.replay import Cells, Env, Failure, replayed
from gradproof.evaluate.shapes import ascending, box, cells_at
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Term
from gradproof.prove.rules.proofs import Proved
from gradproof.prove.tactics.asking import recording
from gradproof.prove.tactics.proving import prove
from gradproof.settle import conclusions
from gradproof.settle.check import inhabited, leaves_out_ties
from gradproof.settle.conclusions import (
    RANKS,
    Finding,
    dispensable,
    redundant,
    satisfied,
    sizes_shown,
)
from gradproof.settle.instances import prove_at
from gradproof.settle.search import is_sure_at
from gradproof.theorems.hypotheses import valued, with_shapes
from gradproof.theorems.scopes import ALL_SIZES, UP_TO_3
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.statuses import Status

TRIED_OUTSIDE = 200  # shapes
LARGEST_OUTSIDE, EACH_OUTSIDE = 16, 4  # the total of their sizes: 4, and 4 for each, up to 16
FIRST_SHAPES, MOST_SHAPES = 5, 200  # at which values are looked for before and after the solver
OUTSIDE = Limit(200, 10_000)
BOX = 20  # shapes at which there must be a point without ties
ASKED = ("defined", "in bounds", "size", "jvp", "vjp", "linear")


def satisfiable(op: Op) -> Theorem:
    """The theorem that the preconditions can be met."""
    shown = f"some sizes satisfy {'; '.join(map(str, op.requires)) or 'nothing'}"
    given = (*op.requires, *(c for a in op.operands for d in a.dims for c in valued(d)))
    name, kind = "requires can be met", "satisfiable"
    return with_shapes(op, Theorem(name, kind, shown, given, (NOTHING,), equation="requires"))


NOTHING = Sequent((), (), t.And())


def witnessed(theorem: Theorem, rlimit: int) -> Finding:
    """The smallest sizes that satisfy the hypotheses, at the first rank at which some do."""
    empty = True
    for instance in instances_of(theorem):
        shapes = ascending(instance)
        found = first_witness(instance, islice(shapes, FIRST_SHAPES))
        none, models = (False, []) if found else inhabited(instance, rlimit)
        for more in () if found or none else (shapes, iter(models)):
            found = found or first_witness(instance, more)
        if found:
            return found
        empty = empty and none
    if empty:
        where = f", at {UP_TO_3}" if theorem.is_rank_generic else ""
        return Finding(Status.VACUOUS, note=f"the clauses contradict each other{where}")
    return Finding(Status.UNKNOWN, note="no sizes found that satisfy the clauses")


def first_witness(instance: Theorem, shapes: Iterable[Env]) -> Finding | None:
    """By the first shape that satisfies it, with values where such are required."""
    for env in islice(shapes, MOST_SHAPES) if any(s.when for s in instance.sequents) else shapes:
        for cells in values_at(instance, env):
            found = satisfied(instance, env, cells)
            if found is not None:
                return found
    return None


def values_at(instance: Theorem, env: Env) -> Iterator[Cells]:
    (sequent,) = instance.sequents
    cells = cells_at(sequent, env) if sequent.when else None
    if cells is None:
        yield {}
        return
    for found in admitted(sequent, env, fixed(cells)):
        yield {cell: found.get(cell, Fraction(0)) for cell in cells}


def instances_of(theorem: Theorem) -> list[Theorem]:
    return [theorem.at_rank(r) for r in RANKS] if theorem.is_rank_generic else [theorem]


def first_rank(op: Op) -> int:
    """The first rank at which some sizes satisfy the clauses."""
    instances = zip(RANKS, instances_of(satisfiable(op)), strict=False)
    return next((r for r, th in instances if any(True for _ in ascending(th))), RANKS[0])


def clauses(op: Op) -> tuple[Theorem, ...]:
    """One theorem per clause of `requires`: that it is needed, or a convention."""
    return tuple(
        Theorem(
            f"requires {clause}",
            "needed",
            f"{clause} is needed, or a convention",
            op.requires,
            (NOTHING,),
            equation=f"requires {clause}",
        )
        for clause in op.requires
    )


def needed(op: Op, clause: Term, theorems: tuple[Theorem, ...], rlimit: int) -> Finding:
    """Looks outside the clause for a theorem that fails; failing that, proves them all there."""
    rank = first_rank(op)
    within = {th.name: th.at_rank(rank) for th in theorems if th.kind in ASKED}
    outside = [instance(op, clause, th, rank) for th in theorems if th.kind in ASKED]
    held: list[Proved] = []
    open_ones, false = set[str](), set[str]()
    note = "convention: the equations and their rules hold where it does not"
    for theorem in outside:
        if (proof := proof_outside(theorem, rlimit)) is not None:
            held.append(proof)
            continue
        failure = failure_of(theorem)
        inner = prove_at(within[theorem.name], rlimit).proof if failure is not None else None
        if failure is not None and inner is not None:
            with recording():  # what only a remark rests on is no part of the proof
                remark = gap(outside, rlimit)
            found = conclusions.needed(theorem, failure, inner, remark)
            if found is not None:
                return found
        (open_ones if failure_of(within[theorem.name]) is None else false).add(theorem.name)
        note = "convention: what holds with it holds without it"
    if open_ones:
        return Finding(
            Status.UNKNOWN, note=f"neither needed nor dispensable: {', '.join(sorted(open_ones))}"
        )
    scope = f"rank {rank}" if op.is_rank_generic else ALL_SIZES
    where = f", at {scope}" if op.is_rank_generic else ""
    implied = implied_by_others(op, clause, rank)
    follows = prove(implied, False, rlimit).proof
    if follows is not None:
        return redundant(scope, f"redundant: the others imply it{where}", implied, follows)
    return dispensable(scope, note + where, outside, held, false)


def proof_outside(theorem: Theorem, rlimit: int) -> Proved | None:
    """A proof, if it does not hold because ties leave no point to speak of."""
    proof = prove(theorem, False, rlimit).proof
    if proof is None or not leaves_out_ties(theorem):
        return proof
    found = survey(theorem, box(theorem, BOX))
    return proof if found.silent is None and found.failure is None else None


def failure_of(theorem: Theorem) -> Failure | None:
    """A failure at a small shape, if evaluation shows one."""
    failing = survey(theorem, ascending(theorem), False, OUTSIDE).failure
    return None if failing is None else replayed(theorem, failing)


def implied_by_others(op: Op, clause: Term, rank: int) -> Theorem:
    others = tuple(r for r in op.requires if r != clause)
    said = Theorem("", "", "", others, (Sequent((), (), op.closed(clause)),))
    return with_shapes(op, said).at_rank(rank)


def instance(op: Op, clause: Term, theorem: Theorem, rank: int) -> Theorem:
    """The theorem at a rank with the clause negated; arrays still have a size of at least 0."""
    others = tuple(r for r in op.requires if r != clause)
    closed = op.closed(clause)
    sequents = tuple(
        replace(s, when=tuple(c for c in s.when if c != closed)) for s in theorem.sequents
    )
    outside = replace(theorem, given=(*others, t.Not(closed)), sequents=sequents)
    return with_shapes(op, outside).at_rank(rank)


def gap(theorems: list[Theorem], rlimit: int) -> str:
    """Sizes outside the clause at which everything would hold, if the smallest have such."""
    suspects = list(theorems)  # what failed last is asked first
    small = takewhile(is_small, shapes_of(theorems))
    for env in islice(small, TRIED_OUTSIDE):
        failing = next((n for n, th in enumerate(suspects) if not holds_at(th, env, rlimit)), None)
        if failing is None:
            return f"; yet all would hold with {sizes_shown(env)}"
        suspects.insert(0, suspects.pop(failing))
    return ""


def is_small(env: Env) -> bool:
    sizes = [abs(value) for symbol, value in env.items() if symbol.sort == t.INT]
    return sum(sizes) <= min(LARGEST_OUTSIDE, EACH_OUTSIDE * (len(sizes) + 1))


def holds_at(theorem: Theorem, env: Env, rlimit: int) -> bool:
    """It holds there, for all values; a derivative without entries does not count."""
    found = survey(theorem, [env], is_exact(theorem))
    has_entries = found.tried > 0 or theorem.kind not in ("jvp", "vjp")
    return has_entries and found.failure is None and is_sure_at(theorem, env, rlimit)


def shapes_of(theorems: list[Theorem]) -> Iterator[Env]:
    whole = Theorem("", "", "", theorems[0].given, tuple(s for th in theorems for s in th.sequents))
    return ascending(whole)
