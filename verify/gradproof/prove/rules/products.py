"""Products over ranges, compared by how often they have each of their factors. Trusted.

`Π_j f(j)` over some ranges is the product of `f(j)^e(j)` over all whole numbers j, where `e(j)` is
how many of the ranges have j in them; a factor `f(i)` by itself is one over `j = i`. So a range cut
in two, prefix and suffix, or all places but one need no rule of their own, nor a factor that is 0.
Of `1/Π_j f(j)` the count is negative, and there `f(j)` must not be 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product as product_of

import sympy

from gradproof.language import terms as t
from gradproof.language.core import as_factors
from gradproof.language.substitution import Fresh, free, substitute, substituted
from gradproof.language.terms import Sym, Term, Terms
from gradproof.prove.rules.aligning import align_window
from gradproof.prove.rules.binders import with_counts
from gradproof.prove.rules.entailment import Context
from gradproof.prove.rules.normal import Product, has_window, is_inverse

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


@dataclass(frozen=True)
class Repeated:
    """`Π over binders, all integers, where guards hold, of body^sign`; the sign is 1 or -1."""

    binders: tuple[Sym, ...]
    guards: Terms
    body: Term
    sign: int = 1

    @property
    def turns(self) -> Term:
        """How often a place is a factor: 0 or 1, or -1 where it divides."""
        return t.If(t.And(*self.guards), sympy.Integer(self.sign), ZERO)


def has_product(factor: Term) -> bool:
    return isinstance(factor.args[1] if is_inverse(factor) else factor, t.Prod)


def powers_of(factor: Term, fresh: Fresh) -> Iterator[Repeated]:
    """A factor, taken apart where it is a product over ranges of integers."""
    if is_inverse(factor):
        yield from (replace(p, sign=-p.sign) for p in powers_of(factor.args[1], fresh))
    else:
        yield from taken_apart(Repeated((), (), factor), fresh)


def taken_apart(power: Repeated, fresh: Fresh) -> Iterator[Repeated]:
    """`Π f·g` is `Π f · Π g`; a choice is one range or the other."""
    body, parts = power.body, []
    if isinstance(body, t.Prod) and not any(symbol.is_bundle for symbol, _, _ in body.ranges):
        inner = align_window(body, fresh)
        binders = (*power.binders, *(symbol for symbol, _, _ in inner.ranges))
        guards = (*power.guards, *t.domain(inner.ranges))
        parts = [Repeated(binders, guards, inner.body, power.sign)]
    elif isinstance(body, t.Power):
        parts = [replace(power, body=as_factors(*body.args))]
    elif power.binders and isinstance(body, t.Mul):
        parts = [replace(power, body=a) for a in body.args]
    elif power.binders and isinstance(body, t.Div):
        below = replace(power, body=body.below, sign=-power.sign)
        parts = [replace(power, body=body.above), below]
    elif power.binders and isinstance(body, t.If) and not has_window(body.condition):
        yes = (*power.guards, *t.conjuncts(body.condition))
        no = (*power.guards, t.Not(body.condition))
        parts = [replace(power, body=body.then, guards=yes)]
        parts.append(replace(power, body=body.otherwise, guards=no))
    for part in parts:
        yield from taken_apart(part, fresh)
    if not parts and body != ONE:
        yield power


def same_product(context: Context, left: Terms, right: Terms, extra: Terms) -> bool:
    """Whether two products of factors have each factor equally often."""
    if not any(map(has_product, (*left, *right))):
        return False
    powers = [p for f in left for p in powers_of(f, context.fresh)]
    others = [replace(p, sign=-p.sign) for f in right for p in powers_of(f, context.fresh)]
    below = (*(p for p in powers if p.sign < 0), *(p for p in others if p.sign > 0))
    if not all(is_never_zero(context, p, extra) for p in below):
        return False
    rest = sorted((*powers, *others), key=lambda p: -len(p.binders))
    while rest:
        alike = [(p, as_one_of(context, rest[0], p, extra)) for p in rest]
        if not cancels(context, [p for _, p in alike if p is not None], extra):
            return False
        rest = [p for p, found in alike if found is None]
    return True


def is_never_zero(context: Context, power: Repeated, extra: Terms) -> bool:
    return context.entails(t.Ne(power.body, 0), (*extra, *power.guards))


def cancels(context: Context, powers: list[Repeated], extra: Terms) -> bool:
    """Whether each place is a factor 0 times in all."""
    if repeats_one(powers[0]):
        numbers = [times_of(p, context.fresh) for p in powers]
        known = [n for n in numbers if n is not None]
        return len(known) == len(numbers) and context.entails(none_of(known), extra)
    return context.entails(none_of([p.turns for p in powers]), extra)


def none_of(numbers: Iterable[Term]) -> Term:
    return t.Eq(t.Add(ZERO, *numbers), ZERO)


def repeats_one(power: Repeated) -> bool:
    """Whether all its factors are the same one."""
    return free(power.body).isdisjoint(power.binders)


def times_of(power: Repeated, fresh: Fresh) -> Term | None:
    """How many factors there are, with its sign."""
    found = with_counts(Product(power.binders, power.guards), fresh)
    number = t.Mul(sympy.Integer(power.sign), *found.factors)
    return None if found.binders else t.If(t.And(*found.guards), number, ZERO)


def as_one_of(context: Context, first: Repeated, other: Repeated, extra: Terms) -> Repeated | None:
    """Another power over the binders of the first and with its body, if it is one.

    Those of constants keep their own: only their number is of account.
    """
    if other is first:
        return first
    if repeats_one(first):
        same = repeats_one(other) and context.agree(first.body, other.body, extra)
        return other if same else None
    for names, at in renamings(first, other):
        guards = (*(substitute(g, names, context.fresh) for g in other.guards), *at)
        body = substitute(other.body, names, context.fresh)
        if context.agree(first.body, body, (*extra, *guards)):
            return Repeated(first.binders, guards, first.body, other.sign)
    return None


def renamings(first: Repeated, other: Repeated) -> Iterator[tuple[dict[Term, Term], Terms]]:
    """Each of the other's binders as one of the first's, and where then the rest of these are."""
    if len(first.binders) == len(other.binders):
        yield dict(zip(other.binders, first.binders, strict=True)), ()
    cells, reads = ([u for u in t.walk(p.body) if isinstance(u, t.Read)] for p in (first, other))
    for cell, read in product_of(cells, reads):
        at = dict(zip(cell.index, read.index, strict=False))
        if cell.array != read.array or not all(b in at for b in first.binders):
            continue
        names = {at[b]: b for b in first.binders if at[b] in other.binders}
        if len(names) == len(other.binders):
            left = [b for b in first.binders if b not in names.values()]
            yield names, tuple(t.Eq(b, substituted(at[b], names)) for b in left)
