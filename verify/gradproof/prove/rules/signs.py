"""Signs of sums, and what a sum has to do with the maximum over the same window. Trusted.

A short list of rules: exp is positive; a square is not negative; a sum of positive terms over a
non-empty range is positive; a product of positive terms is, and one of terms other than 0 is not 0;
a sum of nonnegative terms is at least each of them, and at most their number times a bound; log is
monotone, with log(e^u) = u.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import sympy

from gradproof.language import terms as t
from gradproof.language.accumulators import as_real
from gradproof.language.core import as_factors
from gradproof.language.substitution import free, replaced, substitute
from gradproof.language.terms import INT, REAL, Term, Terms, sort_of
from gradproof.prove.rules.binders import without_quantifier
from gradproof.prove.rules.entailment import Context
from gradproof.prove.rules.monomials import turns_of
from gradproof.prove.rules.normal import has_window
from gradproof.prove.rules.smt import canonical
from gradproof.prove.rules.squares import completed

Sign = Callable[[Context, Term, Terms], bool]


def is_positive(context: Context, term: Term, extra: Terms = ()) -> bool:
    """The term is above 0 wherever the hypotheses hold."""
    if type(term) not in POSITIVE or (isinstance(term, t.Add) and sort_of(term) == INT):
        return not has_window(term) and context.entails(t.relation(t.Gt, term, 0), extra)
    if is_stated(context, term, extra) or POSITIVE[type(term)](context, term, extra):
        return True
    return is_required(context, term, extra)


def is_stated(context: Context, term: Term, extra: Terms) -> bool:
    """That a sum is above 0 is among the hypotheses, as it stands."""
    said = {canonical(h) for h in (*context.hypotheses, *extra) if has_window(h)}
    return bool(said) and canonical(t.relation(t.Gt, term, 0)) in said


def is_required(context: Context, term: Term, extra: Terms) -> bool:
    """That the term is above 0 is asked of the values in arrays."""
    return context.of_cells and context.entails_opaquely(t.relation(t.Gt, term, 0), extra)


def is_nonnegative(context: Context, term: Term, extra: Terms = ()) -> bool:
    """The term is at least 0 wherever the hypotheses hold."""
    if type(term) in NONNEGATIVE:
        return NONNEGATIVE[type(term)](context, term, extra)
    return not has_window(term) and context.entails(t.relation(t.Ge, term, 0), extra)


def is_nonzero(context: Context, term: Term, extra: Terms = ()) -> bool:
    """The term is not 0 wherever the hypotheses hold."""
    if isinstance(term, t.Prod):
        return at_every_place(is_nonzero)(context, term, extra)
    if isinstance(term, t.Power):
        return is_nonzero(context, term.base, extra)
    if isinstance(term, t.If) and has_window(term):
        return in_either_branch(is_nonzero)(context, term, extra)
    if not has_window(term) and context.entails(t.relation(t.Ne, term, 0), extra):
        return True
    return is_positive(context, term, extra)


def always(context: Context, term: Term, extra: Terms) -> bool:
    return True


def on_every_axis(context: Context, term: Term, extra: Terms) -> bool:
    return context.entails(t.relation(t.Gt, term.inner, 0), extra)


def in_every_part(context: Context, term: Term, extra: Terms) -> bool:
    return all(is_positive(context, a, extra) for a in term.args)


def in_one_part_and_nowhere_negative(context: Context, term: Term, extra: Terms) -> bool:
    signs = {a: is_positive(context, a, extra) for a in term.args}
    return any(signs.values()) and nowhere_negative(context, term, extra)


def at_every_place_of_some(context: Context, term: Term, extra: Terms) -> bool:
    if counts_winners(context, term, extra):
        return True
    some = substitute(term, {}, context.fresh)
    guards = t.guards_of(some.body)
    there = (*extra, *t.domain(some.ranges), *guards)
    found = is_inhabited(context, some, extra, *guards)
    return found and is_positive(context, without_guards(some.body), there)


def without_guards(term: Term) -> Term:
    """What a product is where its brackets are 1."""
    if isinstance(term, t.Bracket):
        return sympy.Integer(1)
    if isinstance(term, t.Mul):
        return t.Mul(*map(without_guards, term.args))
    return t.Div(without_guards(term.above), term.below) if isinstance(term, t.Div) else term


def but_for_squares(context: Context, term: Term, extra: Terms) -> bool:
    guards = (*extra, *t.guards_of(term))
    return all(is_nonnegative(context, a, guards) for a in unpaired(term.args))


def above_and_below(context: Context, term: Term, extra: Terms) -> bool:
    guards = (*extra, *t.guards_of(term))
    above = is_nonnegative(context, term.above, guards)
    return above and is_positive(context, term.below, guards)


def nowhere_negative(context: Context, term: Term, extra: Terms) -> bool:
    """Each part, or each where what is taken away from a sum of squares is a part of squares."""
    below = tuple(a for a in term.args if not is_nonnegative(context, a, extra))
    parts = completed(context, term.args, below, extra) if below else ()
    return parts is not None and all(is_nonnegative(context, a, extra) for a in parts)


def in_either_branch(sign: Sign) -> Sign:
    """Each where it is taken."""

    def rule(context: Context, term: Term, extra: Terms) -> bool:
        then = sign(context, term.then, (*extra, term.condition))
        return then and sign(context, term.otherwise, (*extra, t.Not(term.condition)))

    return rule


def at_every_place(sign: Sign) -> Sign:
    def rule(context: Context, term: Term, extra: Terms) -> bool:
        term = substitute(term, {}, context.fresh)
        return sign(context, term.body, (*extra, *t.domain(term.ranges)))

    return rule


def as_its_factors(sign: Sign) -> Sign:
    return lambda context, term, extra: sign(context, as_factors(*term.args), extra)


# A term has a sign if its parts have theirs: what must be shown of them, by the kind of the term.

POSITIVE: dict[type[Term], Sign] = {
    t.Exp: always,
    t.AxisProduct: on_every_axis,
    t.Mul: in_every_part,
    t.Div: in_every_part,
    t.Add: in_one_part_and_nowhere_negative,
    t.Sum: at_every_place_of_some,
    t.Prod: at_every_place(is_positive),
    t.Power: as_its_factors(is_positive),
    t.If: in_either_branch(is_positive),
}
NONNEGATIVE: dict[type[Term], Sign] = {
    t.Bracket: always,
    t.Exp: always,
    t.Mul: but_for_squares,
    t.Div: above_and_below,
    t.Add: nowhere_negative,
    t.Sum: at_every_place(is_nonnegative),
    t.Prod: at_every_place(is_nonnegative),
    t.Power: as_its_factors(is_nonnegative),
    t.If: in_either_branch(is_nonnegative),
}


def unpaired(factors: Terms) -> Terms:
    """What is left of a product without its squares."""
    times = Counter(map(canonical, factors))
    return tuple({canonical(f): f for f in factors if times[canonical(f)] % 2}.values())


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


def is_inhabited(context: Context, term: Term, extra: Terms, *where: Term) -> bool:
    """Whether the ranges of a term have a place at which the conditions hold."""
    return context.entails(without_quantifier(t.Exists(t.And(*where), *term.ranges)), extra)


def facts(context: Context, goal: Term, extra: Terms) -> Iterator[Term]:
    """What is true of the sums in a goal, for the solver to use."""
    sums = [u for u in t.walk(goal) if isinstance(u, t.Sum)]
    largest = [u for u in t.walk(goal) if isinstance(u, t.Maximum)]
    for total in dict.fromkeys(sums):
        if is_positive(context, total, extra):
            yield t.relation(t.Gt, total, 0)
        for m in dict.fromkeys(largest):
            yield from bounds_of(context, total, m, extra)


def bounds_of(context: Context, total: Term, m: Term, extra: Terms) -> Iterator[Term]:
    """A sum over a window is at most what stands at the maximum, as many times as there are places.

    One of `e^u` is at least that; of these, it is said of the logarithms.
    """
    value = value_in(total, m, context)
    if value is None or m.args[1] != t.And():
        return
    window = t.Maximum(value, t.And(), m.args[2], *total.ranges)
    if not is_inhabited(context, total, extra) or not context.agree(window, m, extra):
        return
    is_exp = isinstance(total.body, t.Exp)
    body = total.body.inner if is_exp else total.body
    largest = replaced(body, value, m)
    if is_exp:
        yield t.relation(t.Ge, t.Log(total), largest)
    number = t.Mul(*(count_of(r) for r in total.ranges))
    if free(number) & {symbol for symbol, _, _ in total.ranges}:
        return
    low, high = t.Sym("some value", REAL), t.Sym("largest value", REAL)
    rises = t.relation(t.Le, *(replaced(body, value, u) for u in (low, high)))
    if context.entails(rises, (*extra, t.relation(t.Le, low, high))):
        most = t.Add(t.Log(number), largest) if is_exp else t.Mul(number, largest)
        yield t.relation(t.Le, t.Log(total) if is_exp else total, most)


def count_of(triple: Term) -> Term:
    return t.AxisProduct(turns_of(triple)) if triple[0].is_bundle else turns_of(triple)


def value_in(total: Term, m: Term, context: Context) -> Term | None:
    """The value whose maximum is taken, if the sum's body depends on its place through it alone."""
    if len(total.ranges) != len(m.ranges):
        return None
    names = {theirs[0]: own[0] for own, theirs in zip(total.ranges, m.ranges, strict=True)}
    value = substitute(m.body, names, context.fresh)
    bound = {symbol for symbol, _, _ in total.ranges}
    rest = replaced(total.body, value, sympy.Integer(0))
    return None if free(rest) & bound else value


def is_sign_question(condition: Term) -> bool:
    """A comparison with 0 of a real with a sum or an exponential, or of a product over axes."""
    if not isinstance(condition, t.Gt | t.Ge | t.Ne) or condition.args[1] != 0:
        return False
    term = as_real(condition.args[0])
    return isinstance(term, t.AxisProduct) or (
        sort_of(term) == REAL and (has_window(term) or t.mentions(term, t.Exp, t.Power))
    )


def has_sign(context: Context, condition: Term, extra: Terms) -> bool:
    term = as_real(condition.args[0])
    if isinstance(condition, t.Ge):
        return is_nonnegative(context, term, extra)
    sign = is_nonzero if isinstance(condition, t.Ne) else is_positive
    return sign(context, term, extra)
