"""At how many places a condition holds, as the loop that counts them. Trusted.

It is no node of its own: a loop is known as one where building it again gives the same loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import BOOL, DefinitionError, Sym, Term, Terms, as_term

NUMBER = "number_"  # of the places that were counted before


@dataclass(frozen=True)
class Counted:
    """The places of the ranges at which `where` holds."""

    where: Term
    ranges: Terms

    @property
    def total(self) -> Term:
        """The same number, as a real."""
        return t.Sum(t.Bracket(self.where), *self.ranges)

    def loop(self, number: Sym) -> Term:
        step = t.If(self.where, t.plus(number, 1), number)
        state = sympy.Tuple(number, sympy.Integer(0), step)
        return t.Fold(number, sympy.Tuple(state), *self.ranges)


def count(where: object, *ranges: object) -> Term:
    """At how many places of the ranges a condition holds, an integer."""
    condition = as_term(where)
    if t.sort_of(condition) != BOOL:
        raise DefinitionError(f"count: {where} is not a condition")
    if not ranges:
        raise DefinitionError("count over no range: say over what, (j, first, last)")
    return Counted(condition, tuple(t.as_range(count, r) for r in ranges)).loop(Sym(NUMBER))


@t.remembered
def as_count(term: Term) -> Counted | None:
    """A loop that counts, as what it counts; what holds of a place depends on no place before."""
    if not isinstance(term, t.Fold) or len(term.states) != 1:
        return None
    ((number, _, step),) = term.states
    if not isinstance(step, t.If) or number in free(step.condition):
        return None
    found = Counted(step.condition, term.ranges)
    return found if found.loop(Sym(number.name)) is term else None


def counts_integers(term: Term) -> bool:
    """Whether no cell that moves has a say in what a loop counts: it is a number like any other."""
    return as_count(term) is not None and all(array.span for array in t.arrays(term))
