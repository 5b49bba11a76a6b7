"""Integer terms in one form: polynomials in sizes and indices, so equal ones are one. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import Term

Monomial = tuple[Term, ...]
Polynomial = dict[Monomial, int]

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


def polynomial(term: Term) -> Polynomial:
    if isinstance(term, sympy.Integer):
        return {(): int(term)} if term else {}
    if isinstance(term, t.Add):
        found: Polynomial = {}
        for part in term.args:
            for monomial, factor in polynomial(part).items():
                found[monomial] = found.get(monomial, 0) + factor
        return {m: f for m, f in found.items() if f}
    if isinstance(term, t.Mul):
        product: Polynomial = {(): 1}
        for part in term.args:
            product = times(product, polynomial(part))
        return product
    return {(term,): 1}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for one, first in a.items():
        for other, second in b.items():
            monomial = tuple(sorted((*one, *other), key=str))
            found[monomial] = found.get(monomial, 0) + first * second
    return {m: f for m, f in found.items() if f}


def term_of(parts: Polynomial) -> Term:
    def degree(entry: tuple[Monomial, int]) -> tuple[object, ...]:
        return -len(entry[0]), entry[1] < 0, str(entry[0])

    terms = []
    for monomial, factor in sorted(parts.items(), key=degree):
        number = [sympy.Integer(factor)] if factor != 1 or not monomial else []
        whole = [*number, *monomial]
        terms.append(whole[0] if len(whole) == 1 else t.Mul(*whole))
    return t.plus(*terms)


def simple(term: object) -> Term:
    """The term as one polynomial."""
    return term_of(polynomial(t.as_term(term)))


def add(*parts: object) -> Term:
    return simple(t.plus(*parts))


def mul(*parts: object) -> Term:
    return simple(t.Mul(*parts))


def minus(a: object, b: object) -> Term:
    return add(a, t.minus(b))


def product(parts: Iterable[object]) -> Term:
    factors = tuple(parts)
    return simple(t.Mul(*factors)) if factors else ONE


def divided(parts: Polynomial, divisor: Monomial, number: int) -> Iterator[tuple[Monomial, int]]:
    """The monomials of which the divisor is a factor, without it."""
    for monomial, factor in parts.items():
        rest = list(monomial)
        try:
            for one in divisor:
                rest.remove(one)
        except ValueError:
            continue
        if factor % number == 0:
            yield tuple(rest), factor // number


def split(above: object, below: object) -> tuple[Polynomial, Polynomial]:
    """`above = below · quotient + rest`, where the quotient has all that divides by inspection."""
    whole, by = polynomial(t.as_term(above)), polynomial(t.as_term(below))
    if len(by) != 1:
        return ({(): 1}, {}) if whole == by and by else ({}, whole)
    ((divisor, number),) = by.items()
    quotient = dict(divided(whole, divisor, number))
    taken = times(quotient, by)
    return quotient, {m: f for m, f in whole.items() if m not in taken}


def floor_div(above: object, below: object) -> Term:
    if t.as_term(below) == ONE:
        return simple(above)
    quotient, rest = split(above, below)
    if not rest:
        return term_of(quotient)
    left = floor_of(term_of(rest), simple(below))
    return add(term_of(quotient), left)


def floor_of(above: Term, below: Term) -> Term:
    if isinstance(above, sympy.Integer) and isinstance(below, sympy.Integer) and below > 0:
        return sympy.Integer(int(above) // int(below))
    return t.FloorDiv(above, below)


def mod(above: object, below: object) -> Term:
    if t.as_term(below) == ONE:
        return ZERO
    _, rest = split(above, below)
    left = term_of(rest)
    if isinstance(left, sympy.Integer) and isinstance(t.as_term(below), sympy.Integer):
        return sympy.Integer(int(left) % int(below))  # type: ignore[call-overload]
    return t.Mod(left, simple(below)) if rest else ZERO


def equal(a: object, b: object) -> bool:
    return simple(a) == simple(b)


def is_one(size: object) -> bool:
    return simple(size) == ONE
