"""What follows from hypotheses, at one rank or on every axis. Trusted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules.axes import mentions_bundles, one_axis, opaque
from gradproof.prove.rules.normal import without_quantifier
from gradproof.prove.rules.proofs import Holds, Seek


class Context(ABC):
    """Hypotheses, with bundles left in place if it is `generic`; `seek` looks for proofs."""

    def __init__(self, given: Iterable[Term], generic: bool, seek: Seek, fresh: Fresh) -> None:
        flat = (c for h in given for c in t.conjuncts(h))
        known = (without_quantifier(h) if isinstance(h, t.Exists) else h for h in flat)
        self.hypotheses = tuple(c for h in known for c in t.conjuncts(h))
        self.generic = generic
        self.seek = seek
        self.fresh = fresh

    @abstractmethod
    def agree(self, a: Term, b: Term, extra: Terms) -> bool:
        """Whether two terms are equal because their parts are."""

    def entails(self, goal: Term, extra: Iterable[Term] = ()) -> bool:
        """Whether there is a proof of every part of a conjunction."""
        return all(self.follows(*self.on_one_axis(c, tuple(extra))) for c in t.conjuncts(goal))

    def on_one_axis(self, goal: Term, extra: Terms) -> tuple[Terms, Any]:
        """A goal as strong, and hypotheses not stronger; if generic, on one axis."""
        assumed = (*self.hypotheses, *(c for e in extra for c in t.conjuncts(e)))
        if not self.generic:
            return assumed, goal
        known = (one_axis(h, False) for h in assumed)
        return tuple(c for c in known if c is not None), one_axis(goal, True)

    def follows(self, given: Terms, goal: Any) -> bool:
        proof = None if goal is None else self.seek(given, goal)
        return type(proof) is Holds and proof.shows(given, goal)

    def entails_opaquely(self, goal: Term, extra: Terms) -> bool:
        """Whether the goal follows with all that joins axes taken as so many unknown numbers."""
        if not self.generic:
            return self.entails(goal, extra)
        table: dict[Any, Any] = {}
        assumed = [opaque(c, table) for e in (*self.hypotheses, *extra) for c in t.conjuncts(e)]
        wanted = opaque(goal, table)
        if mentions_bundles(wanted):
            return False
        return self.follows(tuple(h for h in assumed if not mentions_bundles(h)), wanted)
