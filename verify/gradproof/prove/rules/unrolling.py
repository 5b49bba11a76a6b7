"""Loops written out, for windows of a few cells: what is left where no invariant is known. Trusted.

The sizes that decide how often a loop turns are given every value that makes it turn a few times;
all others stay symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import InitVar, dataclass, replace
from itertools import product

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Sym, Term, Terms
from gradproof.prove.rules.monomials import tidy, turns_of
from gradproof.prove.rules.proofs import SEAL, Made, Proved, Seek, rule
from gradproof.prove.rules.sums import Sums
from gradproof.theorems.scopes import CELLS, FEW_TURNS
from gradproof.theorems.sequents import Sequent, Theorem


@dataclass(frozen=True)
class WrittenOut(Made):
    """A theorem follows, within FEW_TURNS, from all of its instances, which have no loops."""

    seal: InitVar[object]
    theorem: Theorem
    instances: tuple[Theorem, ...]


@rule
def by_instances(written: WrittenOut, premises: Sequence[Proved]) -> Proved | None:
    if any(type(p) is not Proved for p in premises):
        return None
    if [p.theorem for p in premises] != [*written.instances]:
        return None
    return Proved(SEAL, written.theorem, False, (), FEW_TURNS)


@rule
def written_out(theorem: Theorem, seek: Seek) -> WrittenOut | None:
    """The theorem at every size of its loops up to CELLS turns, without loops.

    None where that is not all there is to windows so small: a loop that may turn never, or whose
    turns are no matter of sizes alone.
    """
    loops = tuple(dict.fromkeys(u for s in theorem.sequents for u in folds(terms_of(s))))
    turns = [turns_of(r) for loop in loops for r in loop.ranges]
    sizes = sorted({s for extent in turns for s in free(extent)}, key=str)
    known = Sums(theorem.given, False, seek, Fresh(*theorem.given))
    bound = {r[0] for s in theorem.sequents for r in s.over}
    named = any(s.where for s in theorem.sequents)
    if not loops or named or any(s.is_bundle or s in bound for s in sizes):
        return None
    if not known.entails(t.And(*(t.relation(t.Ge, u, 1) for u in (*turns, *sizes)))):
        return None
    found = []
    for values in product(range(1, CELLS + 1), repeat=len(sizes)):
        given = dict(zip(sizes, map(sympy.Integer, values), strict=True))
        if not all(is_number(substitute(u, given, Fresh(u))) for u in turns):
            return None
        instance = at_sizes(theorem, given)
        if all(is_small(s) for s in instance.sequents):
            found.append(replace(instance, sequents=tuple(map(unrolled_in, instance.sequents))))
        elif any(total_turns(u) <= CELLS for s in instance.sequents for u in outermost(s)):
            return None  # beside a longer loop, a short one would not be looked at
    grows = all(known.entails(t.relation(t.Ge, u, s)) for u in turns for s in free(u))
    return WrittenOut(SEAL, theorem, tuple(found)) if found and grows else None


def terms_of(sequent: Sequent) -> Terms:
    return (*sequent.when, sequent.then)


def folds(terms: Iterable[Term]) -> Iterator[Term]:
    return (u for term in terms for u in t.walk(term) if isinstance(u, t.Fold))


def outermost(sequent: Sequent) -> Iterator[Term]:
    """The loops that no other repeats."""
    pending = list(terms_of(sequent))
    while pending:
        term = pending.pop()
        if isinstance(term, t.Fold):
            yield term
            pending.extend(once(term))
        elif not isinstance(term, Sym | t.Array):
            pending.extend(term.args)


def once(loop: Term) -> Terms:
    """What a loop computes before it and after it: its ranges, starts and result."""
    return (loop.body, *loop.ranges, *(start for _, start, _ in loop.args[1]))


def is_number(turns: Term) -> bool:
    return isinstance(tidy(turns), sympy.Integer)


def at_sizes(theorem: Theorem, values: dict[Sym, Term]) -> Theorem:
    fresh = Fresh(
        *theorem.given, *(c for s in theorem.sequents for c in (*t.domain(s.over), *terms_of(s)))
    )

    def put(term: Term) -> Term:
        return substitute(term, values, fresh)

    sequents = tuple(s.mapped(put) for s in theorem.sequents)
    return replace(theorem, given=tuple(map(put, theorem.given)), sequents=sequents)


def is_small(sequent: Sequent) -> bool:
    return all(total_turns(term) <= CELLS for term in terms_of(sequent))


def total_turns(term: Term) -> int:
    """The most turns of a loop in the term, times those of the loops that it repeats."""
    if isinstance(term, Sym | t.Array) or not term.args:
        return 1
    if not isinstance(term, t.Fold):
        return max(map(total_turns, term.args))
    repeated = max(total_turns(step) for _, _, step in term.args[1])
    for ends in term.ranges:
        turns = turns_of(ends)
        repeated *= int(turns) if isinstance(turns, sympy.Integer) else CELLS + 1
    return max(repeated, *map(total_turns, once(term)))


def unrolled_in(sequent: Sequent) -> Sequent:
    fresh = Fresh(*t.domain(sequent.over), *terms_of(sequent))
    return sequent.mapped(lambda term: unrolled(term, fresh))


def unrolled(term: Term, fresh: Fresh) -> Term:
    """The term with every loop written out, inner ones first."""
    term = t.over_parts(term, lambda u: unrolled(u, fresh))
    if not isinstance(term, t.Fold):
        return term
    states = {state: start for state, start, _ in term.args[1]}
    for place in places(term.ranges, {}, fresh):
        values = place | states
        states = {s: substitute(step, values, fresh) for s, _, step in term.args[1]}
    return substitute(term.body, states, fresh)


def places(ranges: Terms, place: dict[Sym, Term], fresh: Fresh) -> Iterator[dict[Sym, Term]]:
    if not ranges:
        yield place
        return
    (symbol, first, last), *rest = ranges
    begin = substitute(first, place, fresh)
    for turn in range(int(turns_of((symbol, first, last)))):
        yield from places(tuple(rest), {**place, symbol: t.plus(begin, turn)}, fresh)
