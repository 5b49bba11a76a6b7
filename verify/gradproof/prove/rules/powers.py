"""Factors as powers of a base: `v`, `1/v`, and roots, which are written `e^(a·log v)`. Trusted.

What joins powers, and what cancels, are rules in tables: the pattern, the premises that must be
shown, and the conclusion, whose product is that of the factors wherever the premises hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import INT, Term, Terms, sort_of
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


@dataclass(frozen=True)
class Step:
    """Wherever all premises hold, some factors are worth those of the conclusion."""

    premises: Terms
    conclusion: Terms = ()


Rule = Callable[..., Step | None]  # of factors; None where they are not of its pattern


def root_of_a_product(root: Term) -> Step | None:
    """`(v·w)^a` is `v^a · w^a` where v and w are above 0."""
    base, exponent = as_power(root)
    if not isinstance(base, t.Mul) or not is_exponential(root):
        return None
    parts = tuple(f for v in base.args for f in power(v, exponent))
    return Step(tuple(t.Gt(v, 0) for v in base.args), parts)


def powers_of_one_base(*factors: Term) -> Step | None:
    """`v^a · v^b` is `v^(a + b)` where v is above 0; likewise of one, or of more."""
    bases = [as_power(f)[0] for f in factors]
    whole = power(bases[-1], sum((as_power(f)[1] for f in factors), sympy.Integer(0)))
    alike = len({*map(canonical, bases)}) == 1 and any(map(is_exponential, factors))
    return Step((t.Gt(bases[-1], 0),), whole) if alike and whole != factors else None


def itself_inverted(a: Term, below: Term) -> Step | None:
    """`v · 1/v` is 1 where v is not 0."""
    return Step((t.Ne(below, 0),)) if a == below and not is_over_axes(a, below) else None


def an_equal_integer_inverted(a: Term, below: Term) -> Step | None:
    """`m · 1/n` is 1 where n is not 0 and m is equal to it."""
    whole = sort_of(a) == sort_of(below) == INT and not is_over_axes(a, below)
    return Step((t.Ne(below, 0), t.Eq(a, below))) if whole and a != below else None


def the_same_over_axes_inverted(a: Term, below: Term) -> Step | None:
    """`∏m · 1/∏n` is 1 where on every axis n is not 0 and m is equal to it."""
    if not is_over_axes(a, below):
        return None
    equal = () if a == below else (t.Eq(a.args[0], below.args[0]),)
    return Step((t.Ne(below.args[0], 0), *equal))


def is_over_axes(*factors: Term) -> bool:
    return all(isinstance(f, t.AxisProduct) for f in factors)


# By the pattern.
POWERS: dict[str, Rule] = {"(v·w)^a": root_of_a_product, "v^a · v^b": powers_of_one_base}
CANCELLING: dict[str, Rule] = {
    "v · 1/v": itself_inverted,
    "m · 1/n": an_equal_integer_inverted,
    "∏m · 1/∏n": the_same_over_axes_inverted,
}
