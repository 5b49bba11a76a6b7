"""The place at which a body is largest, as the loop that keeps it. Trusted.

It is no node of its own: a loop is known as one where building it again gives the same loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import INT, REAL, DefinitionError, Sym, Term, Terms, as_term

TIES = {"first": t.Gt, "last": t.Ge}  # how a value compares with the kept one if it takes over
HAS, LARGEST, PLACE = "has_", "largest_", "place_"  # that there is one, its value, its place


@dataclass(frozen=True)
class Largest:
    """What stands at the place of the ranges at which `where` holds and `body` is largest."""

    at: Term
    body: Term
    where: Term
    empty: Term
    tie: str
    ranges: Terms

    @property
    def is_of_its_range(self) -> bool:
        """Whether the place is what its one range says."""
        return [self.at] == [symbol for symbol, _, _ in self.ranges]

    def loop(self, has: Sym, largest: Sym, place: Sym) -> Term:
        better = t.Or(t.Eq(has, 0), t.relation(TIES[self.tie], self.body, largest))
        take = t.And(*t.conjuncts(self.where), better)
        states = (
            (has, sympy.Integer(0), t.If(self.where, 1, has)),
            (largest, sympy.Integer(0), t.If(take, self.body, largest)),
            (place, self.empty, t.If(take, self.at, place)),
        )
        triples = sympy.Tuple(*(sympy.Tuple(*map(as_term, state)) for state in states))
        return t.Fold(place, triples, *self.ranges)


def argmax(
    body: object,
    *ranges: object,
    at: object = None,
    where: object = t.And(),
    tie: str = "first",
    empty: object = 0,
) -> Term:
    """The place where the body is largest, an integer; `empty` if `where` holds nowhere.

    Over several ranges `at` says which integer is meant: `at=w*i + j`. `tie`: "first" or "last".
    """
    if tie not in TIES:
        raise DefinitionError(f"argmax: tie {tie!r} is neither 'first' nor 'last'")
    found = tuple(t.as_range(argmax, r) for r in ranges)
    if at is None and len(found) != 1:
        said = "at=w*i + j" if found else "a range (j, first, last)"
        raise DefinitionError(f"argmax over {len(found)} ranges: say {said}")
    place = found[0][0] if at is None else as_term(at)
    chosen = Largest(place, as_term(body), as_term(where), as_term(empty), tie, found)
    states = Sym(HAS), Sym(LARGEST, REAL), Sym(PLACE, INT, t.is_bundle(place))
    return chosen.loop(*states)


def argmin(body: object, *ranges: object, **said: object) -> Term:
    """The place where the body is least; see `argmax`."""
    return argmax(t.Mul(-1, body), *ranges, **said)  # type: ignore[arg-type]  # as argmax says


@t.remembered
def as_largest(term: Term) -> Largest | None:
    """A loop that keeps the largest value and what stands at its place, as that."""
    if not isinstance(term, t.Fold) or len(term.states) != 3:
        return None
    (has, _, step), (largest, _, value), (place, empty, at) = term.states
    if not all(isinstance(u, t.If) for u in (step, value, at)) or t.sort_of(largest) != REAL:
        return None
    for tie in TIES:
        found = Largest(at.then, value.then, step.condition, empty, tie, term.ranges)
        if found.loop(has, largest, place) is term:
            return found
    return None
