"""Where all that is chosen by values is chosen so nearby, however cells move. Trusted.

At a point where no two reals that are compared are equal, and each maximum has one winner, every
comparison comes out beside it as it does there. So near it no branch turns, also where many cells
move at once, as those of a system of equations do: what a term computes is smooth there.

Polynomials that are the same are equal all around a point: comparing them leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import INT, Array, Term, Terms, sort_of
from gradproof.theorems.differentiability import SMOOTH, in_two

UNSAID = t.Not(t.And())  # of a boundary that cannot be written down: no proof may use it
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
    elif isinstance(term, t.Sum | t.Prod | t.Exists | t.ForAll) and not moves(term.ranges, moved):
        yield from parts([term.body], term.ranges)
    elif isinstance(term, t.Maximum) and not moves(term.ranges, moved):
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


def parting(left: Term, right: Term, moved: Set[Array]) -> Term:
    """Where the two differ as polynomials in cells that move."""
    try:
        found = cancelled((*monomials(left, 1), *monomials(right, -1)))
    except NoPolynomial:
        return UNSAID
    alone = []
    for m in (m for m in found if any(cell.array in moved for cell in m.cells)):
        others = (other for other in found if other is not m)
        again = (t.And(*other.when, same) for other in others for same in coinciding(m, other))
        alone.append(t.And(*m.when, *map(t.Not, again)))
    return t.And() if t.And() in alone else t.Or(*alone)


def cases_in(choice: Term) -> tuple[tuple[Term, Term], ...]:
    """What a choice is, and where."""
    if isinstance(choice, t.If):
        return (choice.condition, choice.then), (t.Not(choice.condition), choice.otherwise)
    first, second = in_two(choice)
    wins = t.relation(t.Ge if isinstance(choice, t.Max) else t.Le, first, second)
    return (wins, first), (t.Not(wins), second)


class NoPolynomial(Exception):
    """A term that is no sum of products of cells."""


@dataclass(frozen=True)
class Monomial:
    """A product of cells, where it is not left out, a number times."""

    when: Terms
    cells: tuple[t.Read, ...]
    number: Any


def cancelled(parts: Iterable[Monomial]) -> list[Monomial]:
    """Those of the same cells at the same places added up, without those that cancel."""
    found: dict[tuple[Terms, tuple[t.Read, ...]], Any] = {}
    for m in parts:
        found[m.when, m.cells] = found.get((m.when, m.cells), 0) + m.number
    return [Monomial(*key, number) for key, number in found.items() if number != 0]


def coinciding(one: Monomial, other: Monomial) -> Iterator[Term]:
    """That two are products of the same cells, one way or another."""
    for cells in permutations(other.cells):
        pairs = [*zip(one.cells, cells, strict=False)]
        if len(one.cells) == len(cells) and all(a.array == b.array for a, b in pairs):
            yield t.And(*(t.Eq(*e) for a, b in pairs for e in zip(a.index, b.index, strict=True)))


def monomials(term: Term, number: Any, when: Terms = ()) -> Iterator[Monomial]:
    """The products of cells of which a term is the sum, each where it is chosen."""
    if isinstance(term, t.Add):
        for part in term.args:
            yield from monomials(part, number, when)
        return
    factors = factors_of(term)
    for n, factor in enumerate(factors):
        if isinstance(factor, t.Add) and t.arrays(factor):
            for part in factor.args:
                yield from monomials(t.Mul(*factors[:n], part, *factors[n + 1 :]), number, when)
            return
        if isinstance(factor, t.If | t.Max | t.Min) and t.arrays(factor):
            for chosen, part in cases_in(factor):
                others = t.Mul(*factors[:n], part, *factors[n + 1 :])
                yield from monomials(others, number, (*when, *t.conjuncts(chosen)))
            return
    cells: list[t.Read] = []
    for factor in factors:
        if factor.is_number:
            number *= factor
        elif isinstance(factor, t.Read) and not any(map(t.arrays, factor.index)):
            padded = isinstance(factor, t.PaddedRead)
            bounds = t.inside(factor.index, factor.array.dims) if padded else t.And()
            when = (*when, *t.conjuncts(bounds))
            cells.append(t.Read(factor.array, *factor.index))
        elif t.arrays(factor):
            raise NoPolynomial
        elif isinstance(factor, t.Bracket):
            when = (*when, *t.conjuncts(factor.condition))
        else:
            when = (*when, t.Ne(factor, 0))
    yield Monomial(when, tuple(sorted(cells, key=str)), number)


def factors_of(term: Term) -> list[Term]:
    if not isinstance(term, t.Mul):
        return [term]
    return [factor for part in term.args for factor in factors_of(part)]


def moves(ranges: Terms, moved: Set[Array]) -> bool:
    return any(not t.arrays(end).isdisjoint(moved) for _, *ends in ranges for end in ends)
