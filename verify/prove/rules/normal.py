"""Sums of guarded products, and the rules that make sums disappear. Trusted.

A product is `Σ over binders [guards] factors`; its binders run over all integers, since their
ranges are among its guards. So a range that depends on another binder, or is empty, needs no care.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.core import at_winner, guarded
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import INT, Sym, Term, Terms, conjuncts, is_bundle, sort_of

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
        return total
    if isinstance(term, t.Div):
        factors = (g for f in numerators(term.args[1]) for g in inverses(f, fresh))
        below = Product(factors=tuple(factors))
        return tuple(p.times(below) for p in expand(term.args[0], fresh))
    if isinstance(term, t.Bracket):
        guards = (c for g in conjuncts(term.args[0]) for c in with_facts(g, fresh))
        return (Product(guards=tuple(guards)),)
    if isinstance(term, t.PaddedRead):
        return expand(guarded(term), fresh)
    if isinstance(term, t.If):
        condition, then, otherwise = term.args
        yes = Product(guards=tuple(f for g in conjuncts(condition) for f in with_facts(g, fresh)))
        no = Product(guards=(t.Not(condition),))
        return tuple(yes.times(p) for p in expand(then, fresh)) + tuple(
            no.times(p) for p in expand(otherwise, fresh)
        )
    if isinstance(term, t.Maximum):
        return expand(at_winner(term), fresh)
    if isinstance(term, t.Exp):
        return exponential(term, fresh)
    if isinstance(term, t.Log):
        exponents, rest = pulled(term.args[0], fresh)
        if exponents:
            logarithm = () if rest is None else expand(t.Log(rest), fresh)
            return tuple(p for u in exponents for p in expand(u, fresh)) + logarithm
    if isinstance(term, t.Sum):
        term = substitute(term, {}, fresh)
        bound = Product(
            tuple(symbol for symbol, _, _ in term.ranges),
            t.domain(term.ranges),
        )
        return tuple(bound.times(p) for p in expand(term.body, fresh))
    return (Product(factors=(term,)),)


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
    """1/d as factors; `1/Σ_j e^u·f(j)` is `e^(-u)/Σ_j f(j)` where u is the same for all j."""
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


# Integer polynomials: a term as {monomial: coefficient}, a monomial being a sorted tuple of atoms.


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


def divide_out(term: Term, entails: Entails) -> Term:
    """`⌊(d·u + r)/d⌋` as `u + ⌊r/d⌋`, where d is a symbol that is not 0; likewise for ⌈ ⌉."""
    term = t.over_parts(term, lambda u: divide_out(u, entails))
    if not isinstance(term, t.FloorDiv | t.CeilDiv) or not isinstance(term.args[1], Sym):
        return term
    above, d = term.args
    whole: dict[Terms, int] = {}
    rest: dict[Terms, int] = {}
    for atoms, coefficient in polynomial(above).items():
        if d in atoms:
            index = atoms.index(d)
            others = atoms[:index] + atoms[index + 1 :]
            whole[others] = whole.get(others, 0) + coefficient
        else:
            rest[atoms] = coefficient
    if not whole or not entails(t.Ne(d, 0), ()):
        return term
    left = term.func(from_polynomial(rest), d) if rest else sympy.Integer(0)
    return t.plus(from_polynomial(whole), left)


def align_window(node: Term, fresh: Fresh) -> Term:
    """A window counted by the cells it reads: places `j` of `x[s·o + j]` as cells `i` of `x[i]`.

    Only shifts are made, so the order of the places stays.
    """
    node = substitute(node, {}, fresh)
    for position in range(len(node.ranges)):
        symbol, first, last = node.ranges[position]
        reads = [u for u in t.walk(node.body) if isinstance(u, t.Read)]
        index = [e for r in reads for e in r.index if symbol in free(e)]
        found = linear(index[0], symbol) if index and symbol not in index else None
        if found is None or found[0] != 1 or not free(found[1]) <= free(node):
            continue
        if is_bundle(index[0]) != symbol.is_bundle:
            continue
        shift, name = found[1], fresh(symbol)
        values = {symbol: tidy(name - shift)}
        head = [substitute(h, values, fresh) for h in node.args[: node.parts]]
        head[0] = tidy_reads(head[0])
        if node.parts > 1:
            head[1] = t.And(*map(tidy_relation, conjuncts(head[1])))
        if isinstance(node, t.Winner):
            places = list(node.args[3])
            places[position] = tidy(places[position] + shift)
            head[3] = sympy.Tuple(*places)
        ends = (sympy.Tuple(name, tidy(first + shift), tidy(last + shift)),)
        later = (
            sympy.Tuple(s, *(substitute(e, values, fresh) for e in (low, high)))
            for s, low, high in node.ranges[position + 1 :]
        )
        node = t.rebuild(node, [*head, *node.ranges[:position], *ends, *later])
    return node


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


# The one-point rule, the count of an interval, and guards without rounding.


def eliminate(product: Product, entails: Entails, fresh: Fresh, symbolic: bool = False) -> Product:
    """Removes every binder that a guard determines; with `symbolic`, also `a·w = r` for `a ≠ 0`."""
    for guard in product.guards:
        for binder in product.binders:
            solved = solve(guard, binder, entails, symbolic)
            if solved is not None:
                value, conditions = solved
                rest = tuple(g for g in product.guards if g is not guard) + conditions
                reduced = replace_symbols(replace(product, guards=rest), {binder: value}, fresh)
                return eliminate(reduced, entails, fresh, symbolic)
    for binder in product.binders:
        only = pinned(product, binder)
        if only is not None:
            reduced = replace_symbols(product, {binder: only}, fresh)
            return eliminate(reduced, entails, fresh, symbolic)
    return product


def pinned(product: Product, binder: Sym) -> Term | None:
    """The binder's value where its range has one place."""
    ends = [b for g in product.guards if (b := bound(g, binder)) is not None]
    lower = [e for e, is_lower in ends if is_lower]
    upper = [e for e, is_lower in ends if not is_lower]
    return next((a for a in lower for b in upper if not polynomial(a - b)), None)


def solve(guard: Term, binder: Sym, entails: Entails, symbolic: bool) -> tuple[Term, Terms] | None:
    """The one value of the binder at which the guard can hold, and when that is a whole number."""
    inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
    if not isinstance(inner, t.Eq) or any(sort_of(a) != INT for a in inner.args):
        return None
    if binder not in free(inner) or is_bundle(inner) != binder.is_bundle:
        return None
    found = linear(inner.args[0] - inner.args[1], binder)
    if found is None:
        return None
    a, rest = found
    if a in (1, -1):
        return tidy(t.Mul(-int(a), rest)), ()
    if symbolic and entails(t.Ne(a, 0), ()):
        above = tidy(t.Mul(-1, rest))
        return t.FloorDiv(above, a), (t.Divides(a, above),)
    return None


def aligned(product: Product, fresh: Fresh) -> Product:
    """Each binder counts cells of an array where it can: `Σ_w x[s·o + w]` as `Σ_i x[i]`."""
    for binder in product.binders:
        reads = [u for f in product.factors for u in t.walk(f) if isinstance(u, t.Read)]
        reads.sort(key=lambda r: r.array.name)
        index = [e for r in reads for e in r.index if binder in free(e)]
        if not index or index[0] is binder:
            continue
        name = fresh(binder)
        solved = solve(t.Eq(index[0], name), binder, lambda *_: False, False)
        known = {name}.union(*map(free, (*product.guards, *product.factors)))
        if solved is not None and free(solved[0]) <= known:
            moved = replace_symbols(product, {binder: solved[0]}, fresh)
            guards = tuple(tidy_relation(g) for g in moved.guards)
            factors = tuple(tidy_reads(f) for f in moved.factors)
            product = Product((*moved.binders, name), guards, factors)
    return product


def signature(product: Product, binder: Sym) -> tuple[bool, tuple[tuple[str, int], ...]]:
    """Where the binder alone is an index: two sums that are equal use theirs alike."""
    reads = (u for f in product.factors for u in t.walk(f) if isinstance(u, t.Read))
    places = {
        (r.array.name, position) for r in reads for position, e in enumerate(r.index) if e is binder
    }
    return (binder.is_bundle, tuple(sorted(places)))


def merged(product: Product, fresh: Fresh) -> Product:
    """With one name where a guard says that two symbols are equal."""
    for guard in product.guards:
        inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
        if not isinstance(inner, t.Eq) or not all(isinstance(a, Sym) for a in inner.args):
            continue
        kept, gone = sorted(inner.args, key=str)
        others = [u for u in (*product.guards, *product.factors) if u is not guard]
        alike = kept.sort == gone.sort and kept.is_bundle == gone.is_bundle
        if alike and kept is not gone and any(gone in free(u) for u in others):
            renamed = replace_symbols(product, {gone: kept}, fresh)
            index = product.guards.index(guard)
            guards = (*renamed.guards[:index], guard, *renamed.guards[index + 1 :])
            return merged(Product(product.binders, guards, renamed.factors), fresh)
    return product


def count(product: Product, fresh: Fresh) -> Product:
    """Sums out every binder that no factor mentions and whose guards are an interval."""
    for binder in product.binders:
        used = [g for g in product.guards if binder in free(g)]
        bounds = [bound(g, binder) for g in used]
        if any(binder in free(f) for f in product.factors) or None in bounds:
            continue
        lower = [e for e, is_lower in bounds if is_lower]  # type: ignore[misc]  # no None left
        upper = [e for e, is_lower in bounds if not is_lower]  # type: ignore[misc]  # likewise
        if not lower or not upper:
            continue
        number = t.Max(0, t.Min(*upper) - t.Max(*lower) + 1)
        factor = t.AxisProduct(number) if binder.is_bundle else number
        kept = tuple(g for g in product.guards if g not in used)
        others = tuple(b for b in product.binders if b != binder)
        return count(Product(others, kept, (*product.factors, factor)), fresh)
    return product


@t.remembered
def without_quantifier(condition: Term) -> Term:
    """∃ over an interval says that no lower end is above an upper end."""
    parts = [*t.conjuncts(condition.body), *t.domain(condition.ranges)]
    for binder, _, _ in reversed(condition.ranges):
        ends = [bound(g, binder) for g in parts if binder in free(g)]
        if None in ends:
            return condition
        lower = [e for e, is_lower in ends if is_lower]  # type: ignore[misc]  # no None left
        upper = [e for e, is_lower in ends if not is_lower]  # type: ignore[misc]  # likewise
        parts = [g for g in parts if binder not in free(g)]
        parts += [t.relation(t.Le, a, b) for a in lower for b in upper]
    return t.And(*parts)


@lru_cache(maxsize=20_000)
def bound(guard: Term, binder: Sym) -> tuple[Term, bool] | None:
    """A guard as `e ≤ binder` (True) or `binder ≤ e` (False)."""
    if binder not in free(guard):
        return None
    inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
    if isinstance(inner, t.Ge | t.Gt):
        inner = (t.Le if isinstance(inner, t.Ge) else t.Lt)(inner.args[1], inner.args[0])
    if not isinstance(inner, t.Le | t.Lt) or is_bundle(inner) != binder.is_bundle:
        return None
    low, high = inner.args
    found = linear(low - high, binder) if sort_of(low) == sort_of(high) == INT else None
    if found is None or found[0] not in (1, -1):
        return None
    strict = 1 if isinstance(inner, t.Lt) else 0
    a, rest = found
    return (tidy(t.Mul(-1, rest) - strict), False) if a == 1 else (tidy(rest + strict), True)


def unrounded(guards: Iterable[Term], entails: Entails) -> Terms:
    """Guards without max, min, floor and ceil where a comparison says the same without them."""
    return tuple(u for g in guards for u in unround(g, entails))


def exact(guards: Terms, entails: Entails) -> Terms:
    """`d | a` with `⌊a/d⌋ = e` says `a = d·e`, if d is not 0; so does `a mod d = 0`."""
    guards = tuple(as_divides(g) for g in guards)
    for divides in guards:
        inner = divides.args[0] if isinstance(divides, t.AllAxes) else divides
        if not isinstance(inner, t.Divides) or not entails(t.Ne(inner.args[0], 0), ()):
            continue
        for guard in guards:
            value = quotient_in(guard, *inner.args)
            if value is not None:
                solved = t.Eq(inner.args[1], t.Mul(inner.args[0], value))
                rest = tuple(g for g in guards if g not in (guard, divides))
                return exact((*rest, solved), entails)
    return guards


def as_divides(guard: Term) -> Term:
    inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
    if isinstance(inner, t.Eq) and isinstance(inner.args[0], t.Mod) and inner.args[1] == 0:
        return t.Divides(inner.args[0].args[1], inner.args[0].args[0])
    return guard


def quotient_in(guard: Term, divisor: Term, above: Term) -> Term | None:
    """The value that a guard gives the quotient of `above` by `divisor`."""
    inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
    if not isinstance(inner, t.Eq) or any(sort_of(a) != INT for a in inner.args):
        return None
    for quotient, value in (inner.args, reversed(inner.args)):
        rounded = isinstance(quotient, t.FloorDiv | t.CeilDiv) and quotient.args[1] == divisor
        if rounded and not polynomial(quotient.args[0] - above):
            return value
    return None


def unround(guard: Term, entails: Entails) -> Terms:
    inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
    if not isinstance(inner, t.Le) or any(sort_of(a) != INT for a in inner.args):
        return (guard,)
    low, high = inner.args
    if isinstance(low, t.Max):
        return unrounded((t.relation(t.Le, a, high) for a in low.args), entails)
    if isinstance(high, t.Min):
        return unrounded((t.relation(t.Le, low, a) for a in high.args), entails)
    if isinstance(low, t.CeilDiv) and entails(t.relation(t.Ge, low.args[1], 1), ()):
        above, below = low.args
        return unround(t.relation(t.Le, above, t.Mul(below, high)), entails)
    if isinstance(high, t.FloorDiv) and entails(t.relation(t.Ge, high.args[1], 1), ()):
        above, below = high.args
        return unround(t.relation(t.Le, t.Mul(below, low), above), entails)
    return (guard,)
