"""Conditions and quotients without rounding, where something says the same exactly. Trusted."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import INT, Sym, Term, Terms, sort_of
from gradproof.prove.rules.monomials import from_polynomial, polynomial
from gradproof.prove.rules.normal import Entails


def divide_out(term: Term, entails: Entails) -> Term:
    """`⌊(d·u + r)/d⌋` as `u + ⌊r/d⌋`, where d is a symbol that is not 0; likewise for ⌈ ⌉."""
    term = t.over_parts(term, lambda u: divide_out(u, entails))
    if not isinstance(term, t.FloorDiv | t.CeilDiv) or not isinstance(term.args[1], Sym):
        return term
    whole, rest = multiple_and_rest(*term.args)
    if not whole or not entails(t.Ne(term.below, 0), ()):
        return term
    left = term.func(from_polynomial(rest), term.below) if rest else sympy.Integer(0)
    return t.plus(from_polynomial(whole), left)


def parted_by(term: Term, entails: Entails) -> Term:
    """`⌊(d·u + r)/d⌋` as `u` and `(d·u + r) mod d` as `r`, where `0 ≤ r < d`."""
    if not t.mentions(term, t.FloorDiv, t.Mod) or isinstance(term, t.Binder):
        return term
    term = t.over_parts(term, lambda u: parted_by(u, entails))
    if not isinstance(term, t.FloorDiv | t.Mod) or not isinstance(term.args[1], Sym):
        return term
    whole, rest = multiple_and_rest(*term.args)
    left = from_polynomial(rest)
    if not whole or not entails(t.inside((left,), (term.below,)), ()):
        return term
    return left if isinstance(term, t.Mod) else from_polynomial(whole)


def parted_guards(guards: Terms, entails: Entails) -> Terms:
    """Each guard by `parted_by` where the others hold; by itself it would vouch for itself."""
    for position, guard in enumerate(guards):
        before, after = guards[:position], guards[position + 1 :]
        guards = (*before, parted_by(guard, where((*before, *after), entails)), *after)
    return guards


def where(known: Terms, entails: Entails) -> Entails:
    return lambda goal, more: entails(goal, (*known, *more))


def multiple_and_rest(above: Term, d: Sym) -> tuple[dict[Terms, int], dict[Terms, int]]:
    """`u` and `r` with `above = d·u + r`, as polynomials."""
    whole: dict[Terms, int] = {}
    rest: dict[Terms, int] = {}
    for atoms, coefficient in polynomial(above).items():
        if d in atoms:
            index = atoms.index(d)
            others = atoms[:index] + atoms[index + 1 :]
            whole[others] = whole.get(others, 0) + coefficient
        else:
            rest[atoms] = coefficient
    return whole, rest


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
