"""Folds that keep a maximum: what they select, proved by induction over the loop. Trusted.

The reference is a loop whose state is nothing but a place, or none yet: a place that is valid takes
over if there is none, or if its value is above that at the place kept (for ties to the last: not
below). That keeps the first, or last, valid place of largest value. Any other loop selects the same
if each of its states is a function of that place: if that is so before a turn, it is so after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import InitVar, dataclass, replace
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.accumulators import summed
from gradproof.language.counting import as_count, counts_integers
from gradproof.language.substitution import Fresh, bound_by, free, substitute
from gradproof.language.terms import BOOL, INT, REAL, Eq, Sym, Term, Terms, sort_of
from gradproof.prove.proposing import proposals
from gradproof.prove.rules.aligning import align_window
from gradproof.prove.rules.axes import mentions_bundles
from gradproof.prove.rules.binders import without_quantifier
from gradproof.prove.rules.monomials import tidy_reads
from gradproof.prove.rules.proofs import SEAL, Holds, Made, Seek, rule
from gradproof.prove.rules.smt import canonical
from gradproof.theorems.sequents import Sequent

TIES = {"first": t.Gt, "last": t.Ge}  # how a value compares with the kept one if it takes over


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


@dataclass(frozen=True)
class Proposal:
    """A loop keeps a place where `where` holds and `value` is largest; its states are `chosen`."""

    value: Term
    where: Term
    chosen: dict[Sym, Term]

    @property
    def terms(self) -> Terms:
        return (self.value, self.where, *self.chosen.values())

    def is_of(self, loop: Term) -> bool:
        """Whether it says what each state is, by a place and by nothing else of the loop."""
        known = free(loop).union(symbol for symbol, _, _ in loop.ranges) - states_of(loop).keys()
        closed = all(free(term) <= known for term in self.terms)
        return closed and self.chosen.keys() == states_of(loop).keys()


def states_of(fold: Term) -> dict[Sym, tuple[Term, Term]]:
    return {state: (start, step) for state, start, step in fold.args[1]}


def selection_of(loop: Term, seek: Seek) -> Selection | None:
    """The selection that the loop computes, if induction proves one."""
    loop = flattened(with_maxima(loop, seek))
    for proposal in (Proposal(*proposed) for proposed in proposals(loop)):
        if not proposal.is_of(loop):
            continue
        for ranges in (loop.ranges, *with_one_before(loop)):
            induction = Induction(loop, ranges, proposal, seek)
            tie = next((tie for tie in TIES if induction.proves(tie)), None)
            if tie is not None:
                start = tuple((state, begin) for state, (begin, _) in states_of(loop).items())
                chosen = tuple(proposal.chosen.items())
                found = Selection(proposal.value, proposal.where, tie, ranges, chosen, start)
                return of_largest(found)
    return None


def of_largest(found: Selection) -> Selection:
    """The first place that has the maximum of its window is its first winner."""
    conditions = t.conjuncts(found.where)
    for condition in conditions if found.body == 0 else ():
        if not isinstance(condition, Eq | t.Ge | t.Le):
            continue
        rest = t.And(*(c for c in conditions if c is not condition))
        sides = condition.args if isinstance(condition, t.Ge) else condition.args[::-1]
        for value, largest in (sides, *([sides[::-1]] if isinstance(condition, Eq) else [])):
            if isinstance(largest, t.Maximum):
                own = t.Maximum(value, rest, largest.empty, *found.ranges)
                if canonical(aligned_window(own)) is canonical(aligned_window(largest)):
                    return replace(found, body=value, where=rest)
    return found


def aligned_window(window: Term) -> Term:
    return align_window(window, Fresh(window))


def with_maxima(loop: Term, seek: Seek) -> Term:
    """With the loops within its steps that compute a maximum as that."""

    def put_in(term: Term) -> Term:
        if not t.mentions(term, t.Fold):
            return term
        found = as_maximum(term, seek) if isinstance(term, t.Fold) else None
        return t.over_parts(term, put_in) if found is None else found

    triples = (sympy.Tuple(s, begin, put_in(step)) for s, begin, step in loop.states)
    return t.rebuild(loop, [loop.body, sympy.Tuple(*triples), *loop.ranges])


def as_maximum(loop: Term, seek: Seek) -> Term | None:
    """A loop whose result is the largest value, as a maximum; nothing chosen is what it began."""
    if loop.body not in states_of(loop) or sort_of(loop) != REAL:
        return None
    found = selection_of(loop, seek)
    if found is None or dict(found.chosen)[loop.body] is not found.body:
        return None
    return t.Maximum(found.body, found.where, dict(found.start)[loop.body], *found.ranges)


def with_one_before(loop: Term) -> Iterator[Terms]:
    """The ranges with one place more, from which a loop may start that leaves out the first."""
    if len(loop.ranges) == 1:
        symbol, first, last = loop.ranges[0]
        if not symbol.is_bundle:
            yield (sympy.Tuple(symbol, t.plus(first, -1), last),)


def flattened(loop: Term) -> Term:
    """A loop whose turns are another loop, which goes on from its states, as one over both."""
    states = states_of(loop)
    turns = [step for _, step in states.values()]
    inner = turns[0]
    if not all(isinstance(u, t.Fold) and loop_of(u) is loop_of(inner) for u in turns):
        return loop
    outer = {own: begin for own, begin, _ in inner.args[1]}
    if any(free(end) & states.keys() for _, *ends in inner.ranges for end in ends):
        return loop
    if {*outer.values()} != {*states} or len(outer) != len(states):
        return loop
    fresh = Fresh(loop)
    whole = substitute(inner, {}, fresh)  # with names of its own
    if any(free(step) & states.keys() for _, _, step in whole.args[1]):
        return loop  # it reads what a state was before its first turn
    outer = {own: begin for own, begin, _ in whole.args[1]}
    steps = {begin: substitute(step, outer, fresh) for _, begin, step in whole.args[1]}
    for state, turn in zip(states, turns, strict=True):
        kept = {own: begin for own, begin, _ in turn.args[1]}
        if kept.get(turn.body) is not state:
            return loop
    triples = (sympy.Tuple(s, begin, steps[s]) for s, (begin, _) in states.items())
    return flattened(t.Fold(loop.body, sympy.Tuple(*triples), *loop.ranges, *whole.ranges))


@dataclass(frozen=True)
class Induction:
    """That the states of a loop are what is proposed, of the place that is kept of `ranges`.

    What joins axes is so many unknown numbers; the rest is said of one axis.
    """

    loop: Term
    ranges: Terms
    proposal: Proposal
    seek: Seek

    def proves(self, tie: str) -> bool:
        return self.begins() and self.goes_on(tie)

    def begins(self) -> bool:
        """A loop that kept no place keeps the first valid one; one before it starts with that."""
        firsts = {symbol: first for symbol, first, _ in self.ranges}
        start = {state: begin for state, (begin, _) in states_of(self.loop).items()}
        if self.ranges is not self.loop.ranges:
            is_valid = self.proposal.where == t.And()
            return is_valid and self.alike((), start, self.chosen(firsts))
        if self.proposal.where == t.And() and self.is_box():
            return self.alike((), self.after(firsts, start), self.chosen(firsts))
        fresh = Fresh(self.loop, *self.proposal.terms)
        new, within = self.a_place(self.loop.ranges, fresh)
        valid = substitute(self.proposal.where, new, fresh)
        turned = self.after(new, start)
        known = (*within, *self.none_before(new, firsts, fresh))
        return self.alike((*known, valid), turned, self.chosen(new)) and self.alike(
            (*known, t.Not(valid)), turned, start
        )

    def none_before(self, new: dict[Sym, Term], firsts: dict[Sym, Term], fresh: Fresh) -> Terms:
        """If no place was kept, the first one of all is this one or was not valid."""
        if not self.is_box() or any(symbol.is_bundle for symbol in new):
            return ()
        here = t.And(*(Eq(new[symbol], first) for symbol, first in firsts.items()))
        return (t.Or(here, t.Not(substitute(self.proposal.where, firsts, fresh))),)

    def goes_on(self, tie: str) -> bool:
        """A loop that kept a place keeps that, or the new one if it takes over."""
        fresh = Fresh(self.loop, *self.proposal.terms)
        old, before = self.a_place(self.ranges, fresh)
        new, within = self.a_place(self.loop.ranges, fresh)
        was, valid = (substitute(self.proposal.where, names, fresh) for names in (old, new))
        least, value = (substitute(self.proposal.value, names, fresh) for names in (old, new))
        wins = t.And(valid, t.relation(TIES[tie], value, least))
        known = (*before, *within, *self.in_order(old, new), was)
        kept = self.chosen(old)
        turned = self.after(new, kept)
        return self.alike((*known, wins), turned, self.chosen(new)) and self.alike(
            (*known, t.Not(wins)), turned, kept
        )

    def is_box(self) -> bool:
        """No range depends on another, so that the first place is first of each."""
        names = {symbol for symbol, _, _ in self.ranges}
        return not any(free(end) & names for _, *ends in self.ranges for end in ends)

    def a_place(self, ranges: Terms, fresh: Fresh) -> tuple[dict[Sym, Term], Terms]:
        names = {symbol: fresh(symbol) for symbol, _, _ in ranges}
        return names, tuple(substitute(c, names, fresh) for c in t.domain(ranges))

    def in_order(self, old: dict[Sym, Term], new: dict[Sym, Term]) -> Terms:
        """The kept place comes before the new one; of axes it is not said on which."""
        if any(symbol.is_bundle for symbol in old):
            return ()
        pairs = [(old[symbol], new[symbol]) for symbol, _, _ in self.ranges]
        same = [[Eq(a, b) for a, b in pairs[:n]] for n in range(len(pairs))]
        return (t.Or(*(t.And(*same[n], t.Lt(a, b)) for n, (a, b) in enumerate(pairs))),)

    def chosen(self, place: dict[Sym, Term]) -> dict[Sym, Term]:
        fresh = Fresh(self.loop, *self.proposal.terms, *place.values())
        return {s: substitute(u, place, fresh) for s, u in self.proposal.chosen.items()}

    def after(self, place: dict[Sym, Term], states: dict[Sym, Term]) -> dict[Sym, Term]:
        """The states after a turn at a place."""
        values = place | states
        fresh = Fresh(self.loop, *self.proposal.terms, *values.values())
        return {s: substitute(u, values, fresh) for s, (_, u) in states_of(self.loop).items()}

    def alike(self, given: Terms, found: dict[Sym, Term], wanted: dict[Sym, Term]) -> bool:
        """Whether all states are as they should be, where the conditions hold."""
        table: dict[Term, Term] = {}
        known = tuple(apart(tidy_reads(c), table) for g in given for c in t.conjuncts(g))
        for state, value in found.items():
            goal = Eq(apart(tidy_reads(value), table), apart(tidy_reads(wanted[state]), table))
            goal = goal.args[0] if isinstance(goal, t.AllAxes) else goal
            proof = self.seek(known, goal)
            if type(proof) is not Holds or not proof.shows(known, goal):
                return False
        return True


def apart(term: Term, table: dict[Term, Term]) -> Term:
    """The term with whatever joins axes as an unknown number, equal ones as the same."""
    joins = isinstance(term, t.AllAxes | t.AxisProduct | t.Binder | t.Read)
    if joins and mentions_bundles(term) and not t.is_bundle(term):
        sort = sort_of(term)
        number = Sym(f"joined {len(table) + 1}", INT if sort == BOOL else sort)
        symbol = table.setdefault(canonical(term), number)
        return Eq(symbol, 1) if sort == BOOL else symbol
    return t.over_parts(term, lambda u: apart(u, table))


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
    if all(map(counts_integers, (u for u in t.walk(term) if isinstance(u, t.Fold)))):
        return term
    fold = loose_fold(term, frozenset())
    if fold is None:
        return None
    largest = as_maximum(fold, seek) if term is fold else None
    if largest is not None:
        return largest
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
    """A fold in the term that depends on nothing bound between the two; a count is a number."""
    if not t.mentions(term, t.Fold) or as_count(term) is not None:
        return None
    if isinstance(term, t.Fold) and not free(term) & bound:
        return term
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
