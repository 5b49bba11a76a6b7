"""Signs of sums, and what a sum has to do with the maximum over the same window. Trusted.

A short list of rules: exp is positive; a square is not negative; a sum of positive terms over a
non-empty range is positive; a sum of nonnegative terms is at least each of them, and at most their
number times a bound; log is monotone, with log(e^u) = u.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import sympy
from gradproof.language import terms as t
from gradproof.language.substitution import free, replaced, substitute
from gradproof.language.terms import REAL, Term, sort_of
from gradproof.prove.rules.entailment import Context
from gradproof.prove.rules.normal import has_window, turns_of, without_quantifier
from gradproof.prove.rules.proofs import Terms
from gradproof.prove.rules.smt import canonical


def is_positive(context: Context, term: Term, extra: Terms = ()) -> bool:
    """The term is above 0 wherever the hypotheses hold."""
    if isinstance(term, t.Exp):
        return True
    if isinstance(term, t.AxisProduct):
        return bool(context.entails(t.relation(t.Gt, term.args[0], 0), extra))
    if isinstance(term, t.Mul | t.Div):
        return all(is_positive(context, a, extra) for a in term.args)
    if isinstance(term, t.Add):
        signs = [is_positive(context, a, extra) for a in term.args]
        return any(signs) and all(
            sign or is_nonnegative(context, a, extra)
            for sign, a in zip(signs, term.args, strict=True)
        )
    if isinstance(term, t.Sum):
        if counts_winners(context, term, extra):
            return True
        inhabited = is_inhabited(context, term, extra)
        return bool(inhabited) and sum_is(context, term, extra, is_positive)
    if isinstance(term, t.If):
        return both(context, term, extra, is_positive)
    return not has_window(term) and context.entails(t.relation(t.Gt, term, 0), extra)


def is_nonnegative(context: Context, term: Term, extra: Terms = ()) -> bool:
    """The term is at least 0 wherever the hypotheses hold."""
    if isinstance(term, t.Bracket | t.Exp):
        return True
    if isinstance(term, t.Mul | t.Div):
        below = term.args[1:] if isinstance(term, t.Div) else ()
        rest = term.args[:1] if isinstance(term, t.Div) else unpaired(term.args)
        guards = (*extra, *t.guards_of(term))
        return all(is_nonnegative(context, a, guards) for a in rest) and all(
            is_positive(context, a, guards) for a in below
        )
    if isinstance(term, t.Add):
        return all(is_nonnegative(context, a, extra) for a in term.args)
    if isinstance(term, t.Sum):
        return sum_is(context, term, extra, is_nonnegative)
    if isinstance(term, t.If):
        return both(context, term, extra, is_nonnegative)
    return not has_window(term) and context.entails(t.relation(t.Ge, term, 0), extra)


def unpaired(factors: Terms) -> Terms:
    """What is left of a product without its squares."""
    times = Counter(map(canonical, factors))
    return tuple({canonical(f): f for f in factors if times[canonical(f)] % 2}.values())


def both(context: Context, term: Term, extra: Terms, sign: Any) -> bool:
    condition, then, otherwise = term.args
    return bool(sign(context, then, (*extra, condition))) and bool(
        sign(context, otherwise, (*extra, t.Not(condition)))
    )


def counts_winners(context: Context, term: Term, extra: Terms) -> bool:
    """`Σ [where, body = max of body]` over a window with a valid place: the maximum is attained."""
    if not isinstance(term.body, t.Bracket):
        return False
    *valid, last = t.conjuncts(term.body.args[0]) or (term.body.args[0],)
    if not isinstance(last, t.Eq) or not isinstance(last.args[1], t.Maximum):
        return False
    body, m = last.args
    window = t.Maximum(body, t.And(*valid), m.args[2], *term.ranges)
    return is_inhabited(context, term, extra, *valid) and bool(context.agree(window, m, extra))


def sum_is(context: Context, term: Term, extra: Terms, sign: Any) -> bool:
    term = substitute(term, {}, context.fresh)
    return bool(sign(context, term.body, (*extra, *t.domain(term.ranges))))


def is_inhabited(context: Context, term: Term, extra: Terms, *where: Any) -> bool:
    """Whether the ranges of a term have a place at which the conditions hold."""
    return bool(context.entails(without_quantifier(t.Exists(t.And(*where), *term.ranges)), extra))


def facts(context: Context, goal: Term, extra: Terms) -> Iterator[Any]:
    """What is true of the sums in a goal, for the solver to use."""
    sums = [u for u in t.walk(goal) if isinstance(u, t.Sum)]
    largest = [u for u in t.walk(goal) if isinstance(u, t.Maximum)]
    for total in dict.fromkeys(sums):
        if is_positive(context, total, extra):
            yield t.relation(t.Gt, total, 0)
        for m in dict.fromkeys(largest):
            yield from facts_of(context, total, m, extra)


def facts_of(context: Context, total: Term, m: Term, extra: Terms) -> Iterator[Any]:
    """The sum of `e^u` over a window lies between `e^u` at the maximum and as many times that."""
    value = value_in(total, m, context)
    if value is None or m.args[1] != t.And() or not isinstance(total.body, t.Exp):
        return
    window = t.Maximum(value, t.And(), m.args[2], *total.ranges)
    if not is_inhabited(context, total, extra) or not context.agree(window, m, extra):
        return
    exponent = replaced(total.body.args[0], value, m)
    yield t.relation(t.Ge, t.Log(total), exponent)
    number = t.Mul(*(count_of(r) for r in total.ranges))
    if free(number) & {symbol for symbol, _, _ in total.ranges}:
        return
    some = t.Sym("some value", REAL)
    largest = t.Sym("largest value", REAL)
    at = [replaced(total.body.args[0], value, u) for u in (some, largest)]
    if context.entails(t.relation(t.Le, *at), (*extra, t.relation(t.Le, some, largest))):
        yield t.relation(t.Le, t.Log(total), t.Add(t.Log(number), exponent))


def count_of(triple: Any) -> Any:
    return t.AxisProduct(turns_of(triple)) if triple[0].is_bundle else turns_of(triple)


def value_in(total: Term, m: Term, context: Context) -> Any | None:
    """The value whose maximum is taken, if the sum's body depends on its place through it alone."""
    if len(total.ranges) != len(m.ranges):
        return None
    names = {theirs[0]: own[0] for own, theirs in zip(total.ranges, m.ranges, strict=True)}
    value = substitute(m.body, names, context.fresh)
    bound = {symbol for symbol, _, _ in total.ranges}
    rest = replaced(total.body, value, sympy.Integer(0))
    return None if free(rest) & bound else value


def is_sign_question(condition: Term) -> bool:
    """A comparison with 0 of a real that contains a sum, or of a product over axes."""
    if not isinstance(condition, t.Gt | t.Ge | t.Ne) or condition.args[1] != 0:
        return False
    term = condition.args[0]
    return isinstance(term, t.AxisProduct) or (sort_of(term) == REAL and has_window(term))


def has_sign(context: Context, condition: Term, extra: Terms) -> bool:
    term = condition.args[0]
    if isinstance(condition, t.Ge):
        return is_nonnegative(context, term, extra)
    return is_positive(context, term, extra)
