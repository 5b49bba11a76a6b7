"""Sizes in a short form, and equations of sizes solved for a symbol. Untrusted: what is said in
short is a theorem of the node that says it.

>>> from gradproof.language import floor_div, integers
>>> H = integers("H")
>>> short(floor_div(floor_div(H - 2, 2) + 1 - 2, 2) + 1)
⌊H/4⌋
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import Sym, Term

Monomial = tuple[Term, ...]  # atoms, in the order of their text
Polynomial = dict[Monomial, int]


@t.remembered
def short(term: Term) -> Term:
    """An integer without bundles, collected; a rounded quotient without what divides evenly."""
    return written(polynomial(term))


def polynomial(term: Term) -> Polynomial:
    if isinstance(term, sympy.Integer):
        return {(): int(term)} if term != 0 else {}
    if isinstance(term, t.Add):
        return reduce(plus, map(polynomial, term.args), {})
    if isinstance(term, t.Mul):
        return reduce(times, map(polynomial, term.args), {(): 1})
    if isinstance(term, t.FloorDiv):
        return floored(*map(polynomial, term.args))
    if isinstance(term, t.CeilDiv):
        above, below = map(polynomial, term.args)
        opposite = floored(scaled(above, -1), below)
        is_whole = not any(isinstance(a, t.FloorDiv) for m in opposite for a in m)
        return scaled(opposite, -1) if is_whole else atom(t.CeilDiv(written(above), written(below)))
    return extremum(term) if isinstance(term, t.Min | t.Max) else atom(term)


def atom(term: Term) -> Polynomial:
    return {(term,): 1}


def plus(a: Polynomial, b: Polynomial) -> Polynomial:
    found = {m: a.get(m, 0) + b.get(m, 0) for m in (*a, *b)}
    return {m: c for m, c in found.items() if c}


def scaled(a: Polynomial, factor: int) -> Polynomial:
    return {m: c * factor for m, c in a.items() if factor}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """A number goes into a sum; sums stay factors."""
    if constant(a) is not None or constant(b) is not None:
        number, other = (a, b) if constant(a) is not None else (b, a)
        return scaled(other, constant(number) or 0)
    (m, c), (n, d) = (whole(p) for p in (a, b))
    return {tuple(sorted((*m, *n), key=str)): c * d}


def whole(a: Polynomial) -> tuple[Monomial, int]:
    """As one product."""
    return next(iter(a.items())) if len(a) == 1 else ((written(a),), 1)


def constant(a: Polynomial) -> int | None:
    return a.get((), 0) if a.keys() <= {()} else None


def floored(above: Polynomial, below: Polynomial) -> Polynomial:
    """⌊a/c⌋ for a number c > 0: multiples of c go outside, and a quotient inside becomes one."""
    c = constant(below)
    if c is None or c <= 0:
        return atom(t.FloorDiv(written(above), written(below)))
    whole = {m: k // c for m, k in above.items() if k % c == 0 or m == ()}
    rest = {m: k - whole.get(m, 0) * c for m, k in above.items()}
    rest = {m: k for m, k in rest.items() if k}
    whole = {m: k for m, k in whole.items() if k}
    if constant(rest) is not None:
        return whole
    (inner, *others), number = (m for m in rest if m), rest.get((), 0)
    if not others and rest[inner] == 1 and len(inner) == 1 and isinstance(inner[0], t.FloorDiv):
        d = constant(polynomial(inner[0].below))
        if d is not None and d > 0:
            joined = plus(polynomial(inner[0].above), {(): number * d} if number else {})
            return plus(whole, floored(joined, {(): c * d}))
    return plus(whole, atom(t.FloorDiv(written(rest), written(below))))


def extremum(term: Term) -> Polynomial:
    parts = list(map(polynomial, term.args))
    values = [constant(p) for p in parts]
    if None not in values:
        found = (min if isinstance(term, t.Min) else max)(v for v in values if v is not None)
        return {(): found} if found else {}
    return atom(term.func(*map(written, parts)))


def written(a: Polynomial) -> Term:
    """Products with symbols first, then the number."""
    order = sorted((m for m in a if m), key=lambda m: (a[m] < 0, -len(m), str(m)))
    parts = [factored(a[m], m) for m in order]
    return t.plus(*parts, a.get((), 0))


def factored(number: int, monomial: Monomial) -> Term:
    factors: list[Term] = [*([] if number == 1 else [sympy.Integer(number)]), *monomial]
    return factors[0] if len(factors) == 1 else t.Mul(*factors)


def solved(dimension: Term, size: Term, known: Mapping[Sym, Term]) -> tuple[Sym, Term] | None:
    """The one unknown of a dimension, by its size: from `n + 2p` with p known, n; from `k·n`, n."""
    unknown = [s for s in free(dimension) if s not in known]
    if len(unknown) != 1:
        return None
    (symbol,) = unknown
    parts = polynomial(valued(dimension, known))
    having = [m for m in parts if any(symbol in free(a) for a in m)]
    if len(having) != 1 or having[0].count(symbol) != 1:
        return None
    number = parts.pop(having[0])
    others = tuple(a for a in having[0] if a is not symbol)
    if any(symbol in free(a) for a in others):
        return None
    found = divided(plus(polynomial(size), scaled(parts, -1)), others, number)
    return None if found is None else (symbol, written(found))


def divided(a: Polynomial, factors: Monomial, number: int) -> Polynomial | None:
    """A polynomial by a product, if that divides each part of it."""
    found: Polynomial = {}
    for monomial, c in a.items():
        rest = list(monomial)
        for factor in factors:
            if factor not in rest:
                return None
            rest.remove(factor)
        if c % number:
            return None
        found[tuple(rest)] = c // number
    return found


def valued(term: Term, known: Mapping[Sym, Term]) -> Term:
    """With what is known in place of its symbols; the term binds nothing."""
    if isinstance(term, Sym):
        return known.get(term, term)
    return t.over_parts(term, lambda u: valued(u, known))
