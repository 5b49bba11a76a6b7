"""What follows from hypotheses, at one rank or on every axis. Trusted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from gradproof.language import terms as t
from gradproof.language.requirements import is_over_cells
from gradproof.language.substitution import Fresh, bound_by, free, substitute
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules.axes import mentions_bundles, one_axis, opaque
from gradproof.prove.rules.binders import without_quantifier
from gradproof.prove.rules.proofs import Holds, Seek


class Context(ABC):
    """Hypotheses, with bundles left in place if it is `generic`; `seek` looks for proofs."""

    def __init__(self, given: Iterable[Term], generic: bool, seek: Seek, fresh: Fresh) -> None:
        flat = (c for h in given for c in t.conjuncts(h))
        known = (without_quantifier(h) if isinstance(h, t.Exists) else h for h in flat)
        self.hypotheses = tuple(c for h in known for c in t.conjuncts(h))
        self.of_cells = any(map(is_over_cells, self.hypotheses))
        self.generic = generic
        self.seek = seek
        self.fresh = fresh
        self.completed: dict[tuple[Terms, Terms], Terms | None] = {}  # by parts and guards

    @abstractmethod
    def agree(self, a: Term, b: Term, extra: Terms) -> bool:
        """Whether two terms are equal because their parts are."""

    @abstractmethod
    def same(self, a: Term, b: Term, extra: Terms) -> bool:
        """Whether two real terms are equal once their sums are counted and totals cancelled."""

    def entails(self, goal: Term, extra: Iterable[Term] = ()) -> bool:
        """Whether there is a proof of every part of a conjunction."""
        known = tuple(extra)
        return all(self.shows(part, known) for part in t.conjuncts(goal))

    def shows(self, goal: Term, extra: Terms) -> bool:
        if self.follows(*self.on_one_axis(goal, extra)):
            return True
        return self.generic and self.of_cells and self.entails_opaquely(goal, extra)

    def on_one_axis(self, goal: Term, extra: Terms) -> tuple[Terms, Any]:
        """A goal as strong, and hypotheses not stronger; if generic, on one axis."""
        assumed = (*self.hypotheses, *(c for e in extra for c in t.conjuncts(e)))
        if self.of_cells:
            assumed = instantiated(assumed, goal, self.fresh)
        if not self.generic:
            return assumed, goal
        known = (one_axis(h, False) for h in assumed)
        return tuple(c for c in known if c is not None), one_axis(goal, True)

    def follows(self, given: Terms, goal: Any) -> bool:
        proof = None if goal is None else self.seek(given, goal)
        return type(proof) is Holds and proof.shows(given, goal)

    def unguarded(self, known: Term) -> Term:
        """What is said of a cell, without that it is one where that is sure."""
        when, then = t.implication(known)
        plain = [c for c in self.hypotheses if not is_over_cells(c)]
        parts = [one_axis(c, False) for c in plain]
        given = tuple(p for p in parts if p is not None)
        sure = when and all(self.follows(given, one_axis(c, True)) for c in when)
        return then if sure else known

    def entails_opaquely(self, goal: Term, extra: Terms) -> bool:
        """Whether the goal follows with all that joins axes taken as so many unknown numbers."""
        if not self.generic:
            return self.entails(goal, extra)
        table: dict[Any, Any] = {}
        known = tuple(c for e in (*self.hypotheses, *extra) for c in t.conjuncts(e))
        if self.of_cells:
            known = tuple(map(self.unguarded, instantiated(known, goal, self.fresh)))
        assumed = [opaque(c, table) for c in known]
        wanted = opaque(goal, table)
        if mentions_bundles(wanted):
            return False
        return self.follows(tuple(h for h in assumed if not mentions_bundles(h)), wanted)


TIMES = 2  # what is said of a cell may read others, of which something is said, too


def instantiated(known: Terms, goal: Term, fresh: Fresh) -> Terms:
    """What is said of all cells, said of those that are read; and the rest as it is."""
    of_cells = [c for c in known if is_over_cells(c)]
    rest = tuple(c for c in known if c not in of_cells)
    found: dict[Term, None] = {}
    for _ in range(TIMES):
        reads = {r: None for c in (goal, *rest, *found) for r in reads_within(c)}
        found |= {i: None for c in of_cells for r in reads for i in instances(c, *r, fresh)}
    return (*rest, *found)


def reads_within(
    term: Term, bound: frozenset[Term] = frozenset()
) -> Iterator[tuple[Term, frozenset[Term]]]:
    """The reads in a term, each with what is bound where it stands."""
    if isinstance(term, t.Read):
        yield term, free(term) & bound
    if isinstance(term, t.LEAVES):
        return
    inner = bound | bound_by(term)
    for part in term.args:
        yield from reads_within(part, inner)


def instances(condition: Term, read: Term, bound: frozenset[Term], fresh: Fresh) -> Iterator[Term]:
    """A condition on all cells where one of its reads is at the place of a read."""
    symbols = [symbol for symbol, _, _ in condition.ranges]
    for own in t.walk(condition.body):
        if not isinstance(own, t.Read) or own.array.name != read.array.name:
            continue
        places = dict(zip(own.index, read.index, strict=True))
        values = {s: places[s] for s in symbols if s in places and not free(places[s]) & bound}
        if all(s in values and t.is_bundle(values[s]) == s.is_bundle for s in symbols):
            domain = [substitute(c, values, fresh) for c in t.domain(condition.ranges)]
            yield t.Or(t.Not(t.And(*domain)), substitute(condition.body, values, fresh))
