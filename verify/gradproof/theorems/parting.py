"""Where two polynomials in cells are the same one, so that they are equal all around. Trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from gradproof.language import terms as t
from gradproof.language.core import in_two
from gradproof.language.terms import Array, Term, Terms

UNSAID = t.Not(t.And())  # of a boundary that cannot be written down: no proof may use it


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
