"""Sums of guarded products: what a real term is expanded into. Trusted.

A product is `Σ over binders [guards] factors`; its binders run over all integers, since their
ranges are among its guards. So a range that depends on another binder, or is empty, needs no care.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.core import as_factors, long_form
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import INT, REAL, Sym, Term, Terms, conjuncts, sort_of

Entails = Callable[[Any, Iterable[Term]], bool]


@dataclass(frozen=True)
class Product:
    """`Σ over binders, all integers, [guards] · factors`."""

    binders: tuple[Sym, ...] = ()
    guards: Terms = ()
    factors: Terms = ()

    def times(self, other: Product) -> Product:
        return Product(
            self.binders + other.binders, self.guards + other.guards, self.factors + other.factors
        )


def expand(term: Term, fresh: Fresh) -> tuple[Product, ...]:
    """A real term as a sum of products. Factors are reads, numbers, integers, and opaque terms."""
    if term == 0:
        return ()
    if isinstance(term, t.Add):
        return tuple(p for arg in term.args for p in expand(arg, fresh))
    if isinstance(term, t.Mul):
        total: tuple[Product, ...] = (Product(),)
        for arg in term.args:
            parts = expand(arg, fresh)
            total = tuple(a.times(b) for a in total for b in parts)
        return beside_powers(term, total)
    if isinstance(term, t.Div):
        factors = (g for f in numerators(term.args[1]) for g in inverses(f, fresh))
        below = Product(factors=tuple(factors))
        return beside_powers(term, (p.times(below) for p in expand(term.args[0], fresh)))
    if isinstance(term, t.Bracket):
        guards = (c for g in conjuncts(term.args[0]) for c in with_facts(g, fresh))
        return (Product(guards=tuple(guards)),)
    if isinstance(term, t.If):
        condition, then, otherwise = term.args
        yes = Product(guards=tuple(f for g in conjuncts(condition) for f in with_facts(g, fresh)))
        no = Product(guards=(t.Not(condition),))
        return tuple(yes.times(p) for p in expand(then, fresh)) + tuple(
            no.times(p) for p in expand(otherwise, fresh)
        )
    if sort_of(term) == REAL and (plain := long_form(term)) is not None:
        return expand(plain, fresh)
    if isinstance(term, t.Exp):
        return exponential(term, fresh)
    if isinstance(term, t.Log):
        exponents, rest = pulled(term.args[0], fresh)
        if exponents:
            logarithm = () if rest is None else expand(t.Log(rest), fresh)
            return tuple(p for u in exponents for p in expand(u, fresh)) + logarithm
    if isinstance(term, t.Sum):
        term = substitute(term, {}, fresh)
        bound = Product(tuple(symbol for symbol, _, _ in term.ranges), t.domain(term.ranges))
        return tuple(bound.times(p) for p in expand(term.body, fresh))
    return (Product(factors=(term,)),)


def beside_powers(term: Term, parts: Iterable[Product]) -> tuple[Product, ...]:
    """The parts of a term: powers where whole numbers that multiply it are not 0; else it is."""
    if not t.mentions(term, t.Power):
        return tuple(parts)
    numbers = numerators(term.above if isinstance(term, t.Div) else term)
    guards = nowhere_zero(u for u in numbers if sort_of(u) == INT and not u.is_number)
    return tuple(replace(p, guards=(*p.guards, *guards)) if has_power(p) else p for p in parts)


def nowhere_zero(numbers: Iterable[Term]) -> Terms:
    return tuple(t.Ne(u, 0) for u in numbers)


def has_power(product: Product) -> bool:
    return any(isinstance(f.below if is_inverse(f) else f, t.Prod) for f in product.factors)


def is_atom(term: Term) -> bool:
    """A factor that expansion leaves whole."""
    return isinstance(
        term, t.Sym | t.Exp | t.Log | t.Apply | t.AxisProduct | sympy.Rational
    ) or is_inverse(term)


def is_composite(term: Term) -> bool:
    """A real term that expansion takes apart."""
    kinds = t.Add | t.Mul | t.Bracket | t.PaddedRead | t.If | t.Sum
    return isinstance(term, kinds) or (isinstance(term, t.Div) and not is_inverse(term))


@t.remembered
def has_window(condition: Term) -> bool:
    """Speaks of a maximum, a winner or a sum: compared part by part, not by the solver."""
    return t.mentions(condition, t.Binder)


def is_inverse(term: Term) -> bool:
    return isinstance(term, t.Div) and term.args[0] == 1


def scaled(product: Product, by: int = 1) -> tuple[Term, Product]:
    """The number that multiplies a product, times another, and the product without it."""
    numbers = [f for f in product.factors if isinstance(f, sympy.Rational)]
    rest = tuple(f for f in product.factors if not isinstance(f, sympy.Rational))
    return sympy.prod([by, *numbers]), replace(product, factors=rest)


def exponential(term: Term, fresh: Fresh) -> tuple[Product, ...]:
    """e^(u + v) as e^u · e^v."""
    exponents = [u for v in addends(term.args[0]) for u in summands(v, fresh)]
    return (Product(factors=tuple(map(t.Exp, exponents)) if len(exponents) > 1 else (term,)),)


def addends(term: Term) -> Terms:
    """The terms of which a term is the sum, by distribution alone."""
    if isinstance(term, t.Add):
        return tuple(u for a in term.args for u in addends(a))
    if isinstance(term, t.Div):
        return tuple(t.Div(u, term.args[1]) for u in addends(term.args[0]))
    if isinstance(term, t.Mul):
        for number, factor in enumerate(term.args):
            before, after = term.args[:number], term.args[number + 1 :]
            parts = addends(factor)
            if len(parts) > 1:
                return tuple(u for p in parts for u in addends(t.Mul(*before, p, *after)))
    return (term,)


def summands(term: Term, fresh: Fresh) -> Terms:
    """The terms of which a term is the sum, where no binder holds them together."""
    parts = expand(term, fresh)
    return (term,) if any(p.binders for p in parts) else tuple(map(whole, parts))


def whole(product: Product) -> Term:
    """A product without binders as a term."""
    guards = (t.Bracket(t.And(*product.guards)),) if product.guards else ()
    parts = (*guards, *product.factors)
    return parts[0] if len(parts) == 1 else t.Mul(*parts)


def pulled(term: Term, fresh: Fresh) -> tuple[list[Term], Term | None]:
    """The exponents of the factors e^u that can leave a logarithm's argument, and what stays.

    log(e^u · r) = u + log r wherever the left side is defined.
    """
    body = term.body if isinstance(term, t.Sum) else term
    bound = {symbol for symbol, _, _ in term.ranges} if isinstance(term, t.Sum) else set()
    parts = expand(body, fresh)
    if len(parts) != 1 or parts[0].binders or (parts[0].guards and not bound):
        return [], term
    loose = [f for f in parts[0].factors if isinstance(f, t.Exp) and not free(f) & bound]
    kept = tuple(f for f in parts[0].factors if f not in loose)
    if not loose:
        return [], term
    rest = whole(replace(parts[0], factors=kept))
    if isinstance(term, t.Sum):
        rest = t.Sum(rest, *term.ranges)
    elif not kept:
        return [f.args[0] for f in loose], None
    return [f.args[0] for f in loose], rest


def with_facts(guard: Term, fresh: Fresh) -> Terms:
    """A winner is a place of its window at which the window's condition holds."""
    if not isinstance(guard, t.Winner):
        return (guard,)
    names = {r[0]: place for r, place in zip(guard.ranges, guard.args[3], strict=True)}
    facts = [t.in_range(*(substitute(u, names, fresh) for u in r)) for r in guard.ranges]
    facts.append(substitute(guard.args[1], names, fresh))
    return (guard, *(c for f in facts for c in conjuncts(f)))


def numerators(term: Term) -> Terms:
    return (
        tuple(f for a in term.args for f in numerators(a)) if isinstance(term, t.Mul) else (term,)
    )


def inverse(factor: Term) -> Term:
    if isinstance(factor, sympy.Rational) and factor:
        return 1 / factor
    return t.Div(1, factor)


def inverses(divisor: Term, fresh: Fresh) -> Terms:
    """1/d as factors; `1/Σ_j e^u·f(j)` is `e^(-u)/Σ_j f(j)` where u is the same for all j.

    Of a power the two products change places.
    """
    if isinstance(divisor, t.Power):
        above, below = as_factors(*divisor.args).args
        return below, inverse(above)
    if not isinstance(divisor, t.Sum):
        return (inverse(divisor),)
    exponents, rest = pulled(divisor, fresh)
    below = () if rest is None else (inverse(rest),)
    return (*(t.Exp(t.Mul(-1, u)) for u in exponents), *below)


def replace_symbols(product: Product, values: dict[Sym, Term], fresh: Fresh) -> Product:
    return Product(
        tuple(b for b in product.binders if b not in values),
        tuple(substitute(g, values, fresh) for g in product.guards),
        tuple(substitute(f, values, fresh) for f in product.factors),
    )
