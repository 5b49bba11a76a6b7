"""Variances written by moments, as sums of squares around a mean. Trusted.

`Σ c·f² / W - (Σ c·f / W)²` is `Σ c·(f - μ)² / W` with `μ = Σ c·f / Σ c`, which is nowhere negative
where no c is. That is only proposed here; that it is equal is shown, as of any two terms.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, replaced, substitute
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules.entailment import Context
from gradproof.prove.rules.monomials import turns_of
from gradproof.prove.rules.normal import numerators
from gradproof.prove.rules.smt import canonical


def centred(term: Term, fresh: Fresh) -> Iterator[Term]:
    """The term with the mean taken from what a sum in it sums up the squares of."""
    for total in t.walk(term):
        if not isinstance(total, t.Sum) or not free(total) <= free(term):
            continue
        factors = numerators(total.body)
        for f in dict.fromkeys(u for u in factors if factors.count(u) == 2):
            weights = tuple(u for u in factors if u is not f)
            mean = t.Div(t.Sum(t.Mul(*weights, f), *total.ranges), weight_of(weights, total))
            away = t.plus(f, t.minus(substitute(mean, {}, fresh)))
            yield replaced(term, total, t.Sum(t.Mul(*weights, away, away), *total.ranges))


def weight_of(weights: Terms, total: Term) -> Term:
    """The sum of the weights: how many places there are if each is 1."""
    bound = {symbol for symbol, _, _ in total.ranges}
    ends = [end for _, *ends in total.ranges for end in ends]
    if weights or any(free(end) & bound for end in ends):
        return t.Sum(t.Mul(*weights), *total.ranges)
    turns = map(turns_of, total.ranges)
    return t.Mul(*(t.AxisProduct(u) if t.is_bundle(u) else u for u in turns))


def completed(context: Context, parts: Terms, below: Terms, extra: Terms) -> Terms | None:
    """Parts of an equal sum, with sums of squares for those of which some of `below` are a part."""
    key = (tuple(map(canonical, parts)), extra)
    if key not in context.completed:
        context.completed[key] = in_squares(context, parts, below, extra)
    return context.completed[key]


def in_squares(context: Context, parts: Terms, below: Terms, extra: Terms) -> Terms | None:
    if not below:
        return parts
    for part in (p for p in parts if p not in below):
        for square in centred(part, context.fresh):
            for taken in dict.fromkeys((*((b,) for b in below), below)):
                if context.same(t.Add(part, *taken), square, extra):
                    rest = tuple(p for p in parts if p is not part and p not in taken)
                    left = tuple(b for b in below if b not in taken)
                    return in_squares(context, (square, *rest), left, extra)
    return None
