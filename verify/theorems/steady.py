"""Where all that is chosen by values is chosen so nearby, however cells move. Trusted.

At a point where no two reals that are compared are equal, and each maximum has one winner, every
comparison comes out beside it as it does there. So near it no branch turns, also where many cells
move at once, as those of a system of equations do: what a term computes is smooth there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from gradproof.language import terms as t
from gradproof.language.terms import INT, Array, Term, Terms, sort_of
from gradproof.theorems.differentiability import in_two

SMOOTH = (t.Add, t.Exp, t.Log, t.Apply, t.Bracket, t.Not, t.Read)


def steady(term: Term, moved: Set[Array], over: Terms = (), when: Terms = ()) -> Iterator[Term]:
    """That no comparison is on its boundary, of those that are reached; if it cannot be said, no.

    What a branch does not take, a zero leaves out or an earlier condition decides is not reached.
    """
    if not isinstance(term, t.Term) or t.arrays(term).isdisjoint(moved):
        return

    def said(then: Term) -> Term:
        whole = t.Or(t.Not(t.And(*when)), then) if when else then
        return t.ForAll(whole, *over) if over else whole

    def parts(of: Iterable[Term], inner: Terms = (), held: Terms = ()) -> Iterator[Term]:
        for part in of:
            yield from steady(part, moved, (*over, *inner), (*when, *held))

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
    elif isinstance(term, t.Sum | t.Prod | t.Exists | t.ForAll) and not moves(term.ranges, moved):
        yield from parts([term.body], term.ranges)
    elif isinstance(term, t.Maximum) and not moves(term.ranges, moved):
        yield said(t.Unique(term.body, term.where, *term.ranges))
        yield from parts([term.where], term.ranges)
        yield from parts([term.body], term.ranges, t.conjuncts(term.where))
        yield from parts([term.empty], (), (t.Not(t.Exists(term.where, *term.ranges)),))
    elif isinstance(term, t.Max | t.Min) and sort_of(term) != INT:
        yield said(t.Ne(*in_two(term)))
        yield from parts(in_two(term))
    elif isinstance(term, t.Relation):
        if any(sort_of(side) != INT for side in term.args):
            yield said(t.Ne(*term.args))
        yield from parts(term.args)
    elif isinstance(term, SMOOTH) or (sort_of(term) == INT and not isinstance(term, t.Binder)):
        yield from parts(term.args)
    else:
        yield t.Or()


def moves(ranges: Terms, moved: Set[Array]) -> bool:
    return any(not t.arrays(end).isdisjoint(moved) for _, *ends in ranges for end in ends)
