"""Factors as powers of a base: `v`, `1/v`, and roots, which are written `e^(a·log v)`. Trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules.normal import Product, inverse, is_composite, is_inverse, numerators
from gradproof.prove.rules.smt import canonical


def as_power(factor: Term) -> tuple[Term, sympy.Rational]:
    """`v` and `a` for a factor `v^a`, with `e^(a·log v)` for a root and `e^u` for some v."""
    if is_inverse(factor):
        base, exponent = as_power(factor.args[1])
        return base, -exponent
    if not isinstance(factor, t.Exp):
        return factor, sympy.Integer(1)
    inner, number = multiple(factor.args[0])
    return (inner.args[0] if isinstance(inner, t.Log) else t.Exp(inner)), number


def parted(product: Product, base: Term) -> tuple[Product, sympy.Rational]:
    """A product without the powers of a base, and the exponent of what was left out."""
    key = canonical(base)
    alike = [f for f in product.factors if canonical(as_power(f)[0]) == key]
    rest = tuple(f for f in product.factors if f not in alike)
    return replace(product, factors=rest), sum((as_power(f)[1] for f in alike), sympy.Integer(0))


def lowest(exponents: Iterable[sympy.Rational]) -> list[sympy.Rational]:
    """The least of those that differ by whole numbers."""
    found: dict[Any, Term] = {}
    for e in exponents:
        found[e % 1] = min(e, found.get(e % 1, e))
    return list(found.values())


def is_exponential(factor: Term) -> bool:
    """`e^u` or its inverse."""
    return isinstance(factor.args[1] if is_inverse(factor) else factor, t.Exp)


def multiple(term: Term) -> tuple[Term, sympy.Rational]:
    """`u` and `a` for a term `a·u` with a number `a`."""
    if isinstance(term, t.Div) and isinstance(term.args[1], sympy.Rational) and term.args[1]:
        inner, number = multiple(term.args[0])
        return inner, number / term.args[1]
    factors = numerators(term)
    numbers = [a for a in factors if isinstance(a, sympy.Rational)]
    others = [a for a in factors if not isinstance(a, sympy.Rational)]
    if not isinstance(term, t.Mul) or not others:
        return term, sympy.Integer(1)
    inner, number = multiple(others[0]) if len(others) == 1 else (t.Mul(*others), sympy.Integer(1))
    return inner, number * sympy.prod(numbers)


def root(number: int, exponent: sympy.Rational) -> Terms:
    """A power of a number: a whole power of it, and one whose exponent is from 0 to 1."""
    whole = exponent // 1
    part = t.Exp(t.Mul(exponent - whole, t.Log(number)))
    return (sympy.Integer(number) ** whole, *([part] if exponent != whole else []))


def power(base: Term, exponent: sympy.Rational) -> Terms:
    """The factors that make up a power."""
    if exponent == 0:
        return ()
    if isinstance(base, sympy.Rational) and base > 0:
        primes = sympy.factorrat(base).items()
        return tuple(f for prime, times in primes for f in root(prime, times * exponent))
    if isinstance(base, t.Exp):
        return (base if exponent == 1 else t.Exp(t.Mul(exponent, base.args[0])),)
    if exponent == -1:
        return (inverse(base),)
    if exponent == 1 and not is_composite(base):
        return (base,)
    return (t.Exp(t.Mul(exponent, t.Log(base))),)
