"""Integer terms as polynomials: like monomials together, and a term solved for a symbol. Trusted.

A polynomial is {monomial: coefficient}, a monomial a sorted tuple of atoms.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import product

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import INT, Sym, Term, Terms, sort_of


@t.remembered
def polynomial(term: Term) -> dict[Terms, int]:
    """An integer term as a polynomial in its symbols and whatever is no sum or product."""
    if isinstance(term, sympy.Integer):
        return {(): int(term)} if term else {}
    if isinstance(term, t.Add):
        return collected(item for arg in term.args for item in polynomial(arg).items())
    if isinstance(term, t.Mul):
        total: dict[Terms, int] = {(): 1}
        for arg in term.args:
            pairs = product(polynomial(arg).items(), total.items())
            total = collected((tuple(sorted(m + n, key=str)), c * d) for (m, c), (n, d) in pairs)
        return total
    return {(term,): 1}


def collected(terms: Iterable[tuple[Terms, int]]) -> dict[Terms, int]:
    """Like monomials added up."""
    total: dict[Terms, int] = {}
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, 0) + coefficient
    return {m: c for m, c in total.items() if c}


def from_polynomial(poly: dict[Terms, int]) -> Term:
    def monomial(atoms: Terms, coefficient: int) -> Term:
        number = [sympy.Integer(coefficient)] if coefficient != 1 or not atoms else []
        parts = [*number, *atoms]
        return parts[0] if len(parts) == 1 else t.Mul(*parts)

    ordered = sorted(poly.items(), key=lambda item: (not item[0], item[1] < 0, str(item[0])))
    parts = [monomial(atoms, coefficient) for atoms, coefficient in ordered]
    return sympy.Integer(0) if not parts else parts[0] if len(parts) == 1 else t.Add(*parts)


def tidy(term: Term) -> Term:
    """An integer term with like monomials collected; only used after its obligations were made."""
    return from_polynomial(polynomial(term)) if sort_of(term) == INT else term


def turns_of(ends: Iterable[Term]) -> Term:
    """How many places a range has."""
    _, first, last = ends
    return tidy(t.plus(last, t.minus(first), 1))


def tidy_reads(term: Term) -> Term:
    """The term with the indices of its reads tidied."""
    if isinstance(term, t.Read):
        return term.func(term.array, *map(tidy, term.index))
    return t.over_parts(term, tidy_reads)


def tidy_relation(condition: Term) -> Term:
    """A comparison of integers with both sides tidied."""
    inner = condition.args[0] if isinstance(condition, t.AllAxes) else condition
    if not isinstance(inner, t.Relation) or any(sort_of(a) != INT for a in inner.args):
        return condition
    return t.relation(type(inner), *map(tidy, inner.args))


@lru_cache(maxsize=20_000)
def linear(term: Term, symbol: Sym) -> tuple[Term, Term] | None:
    """`(a, r)` with `term = a·symbol + r` and neither mentioning the symbol, if there are such."""
    slope: dict[Terms, int] = {}
    rest: dict[Terms, int] = {}
    for monomial, coefficient in polynomial(term).items():
        others = tuple(a for a in monomial if a != symbol)
        if any(symbol in free(a) for a in others) or len(monomial) - len(others) > 1:
            return None
        (slope if len(others) < len(monomial) else rest)[others] = coefficient
    return (from_polynomial(slope), from_polynomial(rest)) if slope else None
