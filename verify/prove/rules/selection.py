"""Folds that keep a maximum: recognised, and proved to by induction over the loop. Trusted.

A window is an ordered set of places, each valid or not, each with a value; so neither its size nor
its rank matters. After the places seen so far the state says: nothing valid was seen, or `at` is
valid, holds `best`, no valid place is above `best`, and none before `at` (for ties to the first) or
after it (for ties to the last) equals it. Z3 proves that one more turn of the loop keeps this so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, replace
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.accumulators import summed
from gradproof.language.substitution import Fresh, bound_by, free, replaced, substitute
from gradproof.language.terms import INT, REAL, Eq, Sym, Term, Terms
from gradproof.prove.rules.binders import without_quantifier
from gradproof.prove.rules.monomials import tidy_reads
from gradproof.prove.rules.proofs import SEAL, Holds, Made, Seek, rule
from gradproof.prove.rules.smt import canonical
from gradproof.theorems.sequents import Sequent


@dataclass(frozen=True)
class Selection:
    """What a fold selects: the first or last place where `where` holds and `body` is largest."""

    body: Term
    where: Any
    tie: str
    ranges: Terms
    chosen: tuple[tuple[Sym, Term], ...]  # each state once a place is chosen, in the loop's symbols
    start: tuple[tuple[Sym, Term], ...]  # each state if there is none

    def at_a_place(self, fresh: Fresh) -> tuple[list[Term], Any, Any, dict[Sym, Term]]:
        """Ranges for a place, that it wins, that it is valid, and the states if it does."""
        names = {symbol: fresh(symbol) for symbol, _, _ in self.ranges}
        chosen = {s: substitute(v, names, fresh) for s, v in self.chosen}
        over = [
            sympy.Tuple(names[s], substitute(a, names, fresh), substitute(b, names, fresh))
            for s, a, b in self.ranges
        ]
        wins = t.Winner(
            self.body, self.where, Str(self.tie), sympy.Tuple(*names.values()), *self.ranges
        )
        return over, wins, substitute(self.where, names, fresh), chosen


def states_of(fold: Term) -> dict[Sym, tuple[Term, Term]]:
    return {state: (start, step) for state, start, step in fold.args[1]}


def selection_of(loop: Term, seek: Seek) -> Selection | None:
    """The selection that the loop computes, if induction proves one."""
    parts = roles(loop)
    if parts is None:
        return None
    for tie in ("first", "last"):
        if keeps_invariant(parts, tie, seek):
            return parts.selection(tie, loop)
    return None


@dataclass(frozen=True)
class Roles:
    """The states of a loop by what they do."""

    take: Term
    valid: Term
    value: Term
    best: Sym
    places: tuple[tuple[Sym, Sym], ...]
    has: Sym | None
    has_step: Any

    def selection(self, tie: str, loop: Term) -> Selection:
        chosen: list[tuple[Sym, Term]] = [(self.best, self.value), *self.places]
        if self.has is not None:
            chosen.append((self.has, t.as_term(1)))
        start = tuple((state, begin) for state, (begin, _) in states_of(loop).items())
        return Selection(self.value, self.valid, tie, tuple(loop.ranges), tuple(chosen), start)


def roles(loop: Term) -> Roles | None:
    """Finds who is who: `at := If(take, j, at)`, `best := If(take, value, best)`, `has`."""
    steps = states_of(loop)
    symbols = [symbol for symbol, _, _ in loop.ranges]
    if not all(isinstance(step, t.If) and step.args[2] is s for s, (_, step) in steps.items()):
        return None
    places = {s: step.args[1] for s, (_, step) in steps.items() if step.args[1] in symbols}
    reals = [s for s in steps if s.sort == REAL]
    rest = [s for s in steps if s not in places and s not in reals]
    if len(reals) != 1 or len(rest) > 1:
        return None
    best = reals[0]
    take, value = steps[best][1].args[:2]
    if any(steps[s][1].args[0] != take for s in places) or free(value) & set(steps):
        return None
    valid = t.And(*(c for c in t.conjuncts(take) if not free(c) & set(steps)))
    found = Roles(take, valid, value, best, tuple(places.items()), None, None)
    if not rest:
        return found if is_seeded(loop, found) else None
    has = rest[0]
    start, step = steps[has]
    if start != 0 or step.args[1] != 1:
        return None
    return Roles(take, valid, value, best, tuple(places.items()), has, step.args[0])


def is_seeded(loop: Term, found: Roles) -> bool:
    """Without a flag, the loop must start from its first place, and every place must be valid.

    Where a range depends on another loop's index, the first place may be none.
    """
    steps = states_of(loop)
    firsts = {symbol: first for symbol, first, _ in loop.ranges}
    if any(free(end) & firsts.keys() for _, *ends in loop.ranges for end in ends):
        return False
    if found.valid != t.And() or any(steps[s][0] != firsts[j] for s, j in found.places):
        return False
    seed = substitute(found.value, firsts, Fresh(found.value, *firsts.values()))
    sides = (tidy_reads(u) for u in (seed, steps[found.best][0]))
    first, begin = (canonical(u) for u in sides)
    return first is begin


# The induction.

HAS, VALID, BEFORE, VALID_J = (
    Sym(f"{name} of a loop", INT) for name in ("has", "valid", "beaten", "new")
)
BEST, VALUE, VALUE_J = (Sym(f"{n} value of a loop", REAL) for n in ("best", "some", "new"))


def keeps_invariant(parts: Roles, tie: str, seek: Seek) -> bool:
    """One turn of the loop keeps the invariant, for a place seen before and for the new one."""
    turn = abstracted(parts)
    if turn is None:
        return False
    take, has = turn
    best = t.If(take, VALUE_J, BEST)
    # A strict comparison is due to places on the losing side of a tie: before `at`, or after it.
    seen = t.If(take, 1, BEFORE) if tie == "first" else t.If(take, 0, BEFORE)
    new = t.as_term(0) if tie == "first" else t.If(take, 0, 1)
    bits = [t.Or(Eq(b, 0), Eq(b, 1)) for b in (HAS, VALID, BEFORE, VALID_J)]
    known = [*bits, *invariant(HAS, BEST, VALID, VALUE, BEFORE)]
    old_place = invariant(has, best, VALID, VALUE, seen)
    new_place = invariant(has, best, VALID_J, VALUE_J, new)
    right = [
        t.Or(Eq(has, 0), Eq(has, 1)),
        t.Or(t.Not(take), t.And(Eq(VALID_J, 1), Eq(has, 1))),
        t.Or(take, Eq(has, HAS)),
    ]
    if parts.has is None:
        known.append(Eq(HAS, 1))
    if parts.valid == t.And():
        known.append(Eq(VALID_J, 1))  # not VALID: before the first turn no place was seen
    goals = (*old_place, *new_place, *right)
    proofs = ((goal, seek(tuple(known), goal)) for goal in goals)
    return all(type(proof) is Holds and proof.shows(known, goal) for goal, proof in proofs)


def invariant(has: Term, best: Term, valid: Term, value: Term, beaten: Term) -> list[Term]:
    """What the state says of one place."""
    counts = t.And(Eq(has, 1), Eq(valid, 1))
    return [
        t.Or(Eq(has, 1), Eq(valid, 0)),
        t.Or(t.Not(counts), t.relation(t.Le, value, best)),
        t.Or(t.Not(counts), Eq(beaten, 0), t.relation(t.Lt, value, best)),
    ]


def abstracted(parts: Roles) -> tuple[Term, Term] | None:
    """`take` and the new `has` in terms of the new place's value and validity alone."""
    names = {parts.best: BEST}
    if parts.has is not None:
        names[parts.has] = HAS
    guards = set(t.conjuncts(parts.valid))

    def plain(condition: Term) -> Term | None:
        own = [c for c in t.conjuncts(condition) if c not in guards]
        if guards and guards <= set(t.conjuncts(condition)):
            own = [Eq(VALID_J, 1), *own]
        elif len(own) < len(t.conjuncts(condition)):
            return None
        swapped = [replaced(c, parts.value, VALUE_J) for c in own]
        return substitute(t.And(*swapped), names, Fresh(*swapped))

    take = plain(parts.take)
    flag = plain(parts.has_step) if parts.has is not None else None
    known = {HAS, BEST, VALID_J, VALUE_J}
    if take is None or (parts.has is not None and flag is None):
        return None
    if free(take) - known or t.arrays(take) or (flag is not None and free(flag) - known):
        return None
    return take, HAS if flag is None else t.If(flag, 1, HAS)


# Terms without such folds.


@dataclass(frozen=True)
class Cases(Made):
    """A sequent follows, where `given` holds, from all of the parts into which it comes apart."""

    seal: InitVar[object]
    given: Terms
    sequent: Sequent
    parts: tuple[Sequent, ...]


@rule
def cases_of(given: Terms, sequent: Sequent, seek: Seek) -> Cases | None:
    """By the places that loops select; those that add up are sums."""
    fresh = Fresh(*given, *sequent.hypotheses, sequent.then)
    when = tuple(summed(c, fresh) for c in sequent.when)
    whole = replace(sequent, when=when, then=summed(sequent.then, fresh))
    parts = cases(whole, fresh, seek) if is_integral(whole) else (whole,)
    return None if parts is None else Cases(SEAL, given, sequent, parts)


def is_integral(sequent: Sequent) -> bool:
    """Not an equality of reals, nor linearity: those treat folds by themselves."""
    then = sequent.then
    reals = isinstance(then, t.Eq) and t.REAL in map(t.sort_of, then.args)
    return not reals and not isinstance(then, t.Linear)


@rule
def by_cases(cases: Cases, premises: Sequence[Holds]) -> Holds | None:
    """The sequent, if each of its parts is proved."""
    pairs = list(zip(cases.parts, premises, strict=False))
    if len(pairs) != len(cases.parts) or len(premises) != len(pairs):
        return None
    for part, proof in pairs:
        if type(proof) is not Holds or not proof.shows((*cases.given, *part.hypotheses), part.then):
            return None
    steps = dict.fromkeys(step for proof in premises for step in proof.steps)
    return Holds(
        SEAL,
        (*cases.given, *cases.sequent.hypotheses),
        cases.sequent.then,
        ", ".join(dict.fromkeys(proof.rule for proof in premises)),
        all(proof.generic for proof in premises),
        tuple(steps),
        tuple(premises),
    )


def cases(sequent: Sequent, fresh: Fresh, seek: Seek) -> tuple[Sequent, ...] | None:
    """A sequent about a fold as one about the place it selects, and one for an empty window."""
    terms = (*sequent.when, sequent.then)
    fold = next((f for c in terms if (f := loose_fold(c, frozenset())) is not None), None)
    if fold is None:
        return (sequent,)
    found = selection_of(fold, seek)
    if found is None:
        return None
    over, wins, valid, chosen = found.at_a_place(fresh)
    when = (*(at_states(c, fold, chosen, fresh) for c in sequent.when), *t.conjuncts(valid), wins)
    split = [Sequent((*sequent.over, *over), when, at_states(sequent.then, fold, chosen, fresh))]
    start = dict(found.start)
    none = t.Not(without_quantifier(t.Exists(found.where, *found.ranges)))
    empty = (*(at_states(c, fold, start, fresh) for c in sequent.when), none)
    split.append(Sequent(sequent.over, empty, at_states(sequent.then, fold, start, fresh)))
    inner = [cases(s, fresh, seek) for s in split]
    return None if None in inner else tuple(s for group in inner for s in group or ())


def without_folds(term: Term, fresh: Fresh, seek: Seek) -> Term | None:
    """A real term in which a fold occurs, as a sum over the place that the fold selects."""
    if not t.mentions(term, t.Fold):
        return term
    fold = loose_fold(term, frozenset())
    if fold is None:
        return None
    found = selection_of(fold, seek)
    if found is None:
        return None
    over, wins, _, chosen = found.at_a_place(fresh)
    total = t.Sum(t.Mul(t.Bracket(wins), at_states(term, fold, chosen, fresh)), *over)
    none = t.Bracket(t.Not(t.Exists(found.where, *found.ranges)))
    return t.Add(total, t.Mul(none, at_states(term, fold, dict(found.start), fresh)))


@t.remembered
def loop_of(fold: Term) -> Term:
    """The loop without its result, up to the names it binds."""
    return canonical(t.Fold(0, *fold.args[1:]))


def loose_fold(term: Term, bound: frozenset[Sym]) -> Term | None:
    """A fold in the term that depends on nothing bound between the two."""
    if isinstance(term, t.Fold) and not free(term) & bound:
        return term
    if not t.mentions(term, t.Fold):
        return None
    inner = bound | bound_by(term)
    return next((f for a in term.args if (f := loose_fold(a, inner)) is not None), None)


def at_states(term: Term, fold: Term, values: dict[Sym, Term], fresh: Fresh) -> Term:
    """The term with the results of this loop replaced by what they are for given states."""
    if isinstance(term, t.Fold) and loop_of(term) is loop_of(fold):
        pairs = zip(term.args[1], fold.args[1], strict=True)
        return substitute(term.body, {own[0]: values[other[0]] for own, other in pairs}, fresh)
    if not t.mentions(term, t.Fold) or bound_by(term) & free(fold):
        return term
    return t.over_parts(term, lambda u: at_states(u, fold, values, fresh))
