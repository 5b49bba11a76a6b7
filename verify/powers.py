"""Factors as powers of a base: `v`, `1/v`, and roots, which are written `e^(a·log v)`. Trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import sympy

from verify import terms as t
from verify.normal import Product, inverse, is_composite, is_inverse
from verify.smt import canonical


def as_power(factor: Any) -> tuple[Any, Any]:
    """`v` and `a` for a factor `v^a`; a root is written `e^(a·log v)`."""
    if is_inverse(factor):
        base, exponent = as_power(factor.args[1])
        return base, -exponent
    found = multiple_of_log(factor.args[0]) if isinstance(factor, t.Exp) else None
    return found or (factor, sympy.Integer(1))


def parted(product: Product, base: Any) -> tuple[Product, Any]:
    """A product without the powers of a base, and the exponent of what was left out."""
    key = canonical(base)
    alike = [f for f in product.factors if canonical(as_power(f)[0]) == key]
    rest = tuple(f for f in product.factors if f not in alike)
    return replace(product, factors=rest), sum((as_power(f)[1] for f in alike), sympy.Integer(0))


def lowest(exponents: Iterable[Any]) -> list[Any]:
    """The least of those that differ by whole numbers."""
    found: dict[Any, Any] = {}
    for e in exponents:
        found[e % 1] = min(e, found.get(e % 1, e))
    return list(found.values())


def is_root(factor: Any) -> bool:
    """`e^(a·log v)` or its inverse."""
    inner = factor.args[1] if is_inverse(factor) else factor
    return isinstance(inner, t.Exp) and multiple_of_log(inner.args[0]) is not None


def multiple_of_log(term: Any) -> tuple[Any, Any] | None:
    """`v` and `a` for a term `a·log v` with a number `a`."""
    if isinstance(term, t.Log):
        return term.args[0], sympy.Integer(1)
    if not isinstance(term, t.Mul | t.Div):
        return None
    parts = term.args if isinstance(term, t.Mul) else (term.args[0], inverse(term.args[1]))
    numbers = [a for a in parts if isinstance(a, sympy.Rational)]
    others = [a for a in parts if not isinstance(a, sympy.Rational)]
    found = multiple_of_log(others[0]) if len(others) == 1 else None
    return None if found is None else (found[0], found[1] * sympy.prod(numbers))


def power(base: Any, exponent: Any) -> tuple[Any, ...]:
    """The factors that make up a power."""
    if exponent == 0:
        return ()
    if exponent == -1:
        return (inverse(base),)
    if exponent == 1 and not is_composite(base):
        return (base,)
    return (t.Exp(t.Mul(exponent, t.Log(base))),)
