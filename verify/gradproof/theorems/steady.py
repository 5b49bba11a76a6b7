"""Where all that is chosen by values is chosen so nearby, however cells move. Trusted.

At a point where no two reals that are compared are equal, and each maximum has one winner, every
comparison comes out beside it as it does there. So near it no branch turns, also where many cells
move at once, as those of a system of equations do: what a term computes is smooth there.

Polynomials that are the same are equal all around a point: comparing them leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from gradproof.language import terms as t
from gradproof.language.core import in_two
from gradproof.language.functions import turning, turns_by_itself
from gradproof.language.terms import INT, Array, Term, Terms, sort_of
from gradproof.theorems.differentiability import SMOOTH
from gradproof.theorems.parting import UNSAID, parting

Off = Callable[[Term, Term, Set[Array]], Term]
PLAIN = (*SMOOTH, t.Bracket, t.Not, t.Read)


def steady(
    term: Term, moved: Set[Array], off: Off, over: Terms = (), when: Terms = ()
) -> Iterator[Term]:
    """That no comparison is on its boundary, of those that are reached; if it cannot be said, no.

    What a branch does not take, a zero leaves out or an earlier condition decides is not reached.
    `off` says of two sides when comparing them is off the boundary.
    """
    if not isinstance(term, t.Term) or t.arrays(term).isdisjoint(moved):
        return

    def said(then: Term) -> Term:
        whole = t.Or(t.Not(t.And(*when)), then) if when else then
        return t.ForAll(whole, *over) if over else whole

    def parts(of: Iterable[Term], inner: Terms = (), held: Terms = ()) -> Iterator[Term]:
        for part in of:
            yield from steady(part, moved, off, (*over, *inner), (*when, *held))

    if isinstance(term, t.If):
        yield from parts([term.condition])
        yield from parts([term.then], (), t.conjuncts(term.condition))
        yield from parts([term.otherwise], (), (t.Not(term.condition),))
    elif isinstance(term, t.Mul | t.Div):
        guards = t.And(*t.guards_of(term))
        factors = [u for u in term.args if not isinstance(u, t.Bracket)]
        yield from parts([guards])
        yield from parts(factors, (), t.conjuncts(guards))
    elif isinstance(term, t.And | t.Or):
        decided: Terms = ()
        for part in term.args:
            yield from parts([part], (), decided)
            decided += t.conjuncts(part) if isinstance(term, t.And) else (t.Not(part),)
    elif isinstance(term, t.Sum | t.Prod | t.Exists | t.ForAll) and not ends_move(
        term.ranges, moved
    ):
        yield from parts([term.body], term.ranges)
    elif isinstance(term, t.Maximum) and not ends_move(term.ranges, moved):
        yield said(t.Unique(term.body, term.where, *term.ranges))
        yield from parts([term.where], term.ranges)
        yield from parts([term.body], term.ranges, t.conjuncts(term.where))
        yield from parts([term.empty], (), (t.Not(t.Exists(term.where, *term.ranges)),))
    elif isinstance(term, t.Max | t.Min) and sort_of(term) != INT:
        yield said(off(*in_two(term), moved))
        yield from parts(in_two(term))
    elif isinstance(term, t.Relation):
        if any(sort_of(side) != INT for side in term.args):
            left, right = term.args
            yield said(off(left, right, moved))
        yield from parts(term.args)
    elif isinstance(term, t.Apply) and turns_by_itself(term):
        yield UNSAID
    elif isinstance(term, t.Apply) and turning(term):
        yield from parts((*term.args[1:], *turning(term)))
    elif isinstance(term, PLAIN) or (sort_of(term) == INT and not isinstance(term, t.Binder)):
        yield from parts(term.args)
    else:
        yield UNSAID


def different(left: Term, right: Term, moved: Set[Array]) -> Term:
    """That two sides differ: what is needed where each is another op's operand, to vary alone."""
    return t.Ne(left, right)


def off_boundary(left: Term, right: Term, moved: Set[Array]) -> Term:
    """That two sides differ, or are equal wherever cells move."""
    may_part = parting(left, right, moved)
    if may_part == UNSAID:
        return UNSAID
    differ = t.Ne(left, right)
    return differ if may_part == t.And() else t.Or(differ, t.Not(may_part))


def ends_move(ranges: Terms, moved: Set[Array]) -> bool:
    return any(not t.arrays(end).isdisjoint(moved) for _, *ends in ranges for end in ends)
