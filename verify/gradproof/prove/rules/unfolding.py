"""The terms of a goal: derivatives derived, loops resolved, what always holds left out. Trusted."""

from __future__ import annotations

from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import free, substitute
from gradproof.language.terms import REAL, Term, Terms, sort_of
from gradproof.prove.rules.binders import eliminate, without_quantifier
from gradproof.prove.rules.derive import Unsupported, branches_of, differentiate
from gradproof.prove.rules.monomials import polynomial
from gradproof.prove.rules.normal import Product, whole
from gradproof.prove.rules.selection import without_folds
from gradproof.prove.rules.signs import is_positive
from gradproof.prove.rules.smt import canonical
from gradproof.prove.rules.sums import Sums, sum_of
from gradproof.prove.rules.winners import as_equality
from gradproof.theorems.differentiability import as_one


def resolved(term: Term, context: Sums) -> Term:
    """The term with every derivative derived, every fold and every tie settled."""
    if not t.mentions(term, t.Slope, t.Fold, t.Winner, t.Maximum, t.Exists):
        return term
    if isinstance(term, t.Slope):
        body, cell = term.args
        body = resolved(body, context) if isinstance(body, t.Slope) else body
        if cell.array.role != "primal":
            body = chosen_by(body, cell.array, context)
        if cell.array.role != "primal" and branches_of(body, cell.array):
            raise Unsupported(f"a branch of the rule reads {cell.array}, in which it is linear")
        return resolved(differentiate(body, cell.array, cell.index, context.fresh), context)
    if isinstance(term, t.Bracket | t.Read | t.Fold) and t.sort_of(term) == t.REAL:
        unfolded = without_folds(term, context.fresh, context.seek)
        if unfolded is None:
            raise Unsupported(f"a fold whose invariant is not known: {term}")
        if unfolded is not term:
            return resolved(unfolded, context)
    term = t.over_parts(term, lambda u: resolved(u, context))
    if isinstance(term, t.Winner) and str(term.args[2]) == "any":
        return as_equality(term, context.fresh)
    if isinstance(term, t.Maximum) and is_one_place(term):
        body = term.body
        for symbol, first, _ in reversed(term.ranges):
            body = substitute(body, {symbol: first}, context.fresh)
        return body
    return at_its_point(term, context) if isinstance(term, t.Exists) else term


def chosen_by(term: Term, array: Any, context: Sums) -> Term:
    """With loops whose states keep cells of the array as sums over the place that they select."""
    if not t.mentions(term, t.Fold):
        return term
    if isinstance(term, t.Fold) and t.reads(term.args[1], array):
        found = without_folds(term, context.fresh, context.seek)
        return term if found is None else found
    return t.over_parts(term, lambda u: chosen_by(u, array, context))


def is_one_place(term: Term) -> bool:
    """A window without a condition, all of whose ranges end where they begin."""
    ends = ((first, last) for _, first, last in term.ranges)
    return term.args[1] == t.And() and not any(polynomial(b - a) for a, b in ends)


def at_its_point(some: Term, context: Sums) -> Term:
    """∃ without the binders that an equation determines, as in a sum of 1 over its places."""
    some = substitute(some, {}, context.fresh)
    guards = (*t.conjuncts(some.body), *t.domain(some.ranges))
    places = Product(tuple(symbol for symbol, _, _ in some.ranges), guards)
    found = eliminate(places, context.entailed(()), context.fresh, True)
    return without_quantifier(some) if found.binders else t.And(*found.guards)


def without_brackets(
    term: Term, context: Sums, extra: Terms, opaque: bool = False, raised: bool = False
) -> Term:
    """With brackets and padding left out where they always or never hold, in what is opaque.

    Logarithms are parted but in exponents, which are those of powers.
    """
    if not opaque and not t.mentions(term, t.Exp, t.Log, t.Apply, t.Maximum, t.Sum, t.Prod):
        return term
    opaque = opaque or isinstance(term, t.Exp | t.Log | t.Apply | t.Maximum)
    raised = raised or isinstance(term, t.Exp)

    def plain(part: Term, known: Terms = extra) -> Term:
        return without_brackets(part, context, known, opaque, raised)

    if opaque and isinstance(term, t.Bracket):
        if context.entails(term.args[0], extra):
            return sympy.Integer(1)
        is_asked = extra or isinstance(term.args[0], t.Not)
        never = is_asked and context.entails(t.Not(term.args[0]), extra)
        return sympy.Integer(0) if never else term
    if opaque and isinstance(term, t.PaddedRead):
        bounds = t.inside(term.index, term.array.dims)
        return t.Read(*term.args) if context.entails(bounds, extra) else term
    if isinstance(term, t.Sum | t.Prod | t.Maximum):
        term = substitute(term, {}, context.fresh)
        inner = (*extra, *t.domain(term.ranges))
        if not isinstance(term, t.Maximum):
            return t.rebuild(term, [plain(term.body, inner), *term.ranges])
        body, where, empty = term.args[:3]
        where = t.And() if context.entails(where, inner) else where
        body = plain(body, (*inner, *t.conjuncts(where)))
        return t.rebuild(term, [body, where, plain(empty), *term.ranges])
    if isinstance(term, t.Binder):
        return term
    term = t.over_parts(term, plain)
    parted = isinstance(term, t.Log) and not raised
    return sum_of_logarithms(term, context, extra) if parted else term


def sum_of_logarithms(term: Term, context: Sums, extra: Terms) -> Term:
    """`log(v·w)` as `log v + log w`, `log(v/w)` as `log v - log w`, where v and w are above 0."""
    inner = term.inner
    if not isinstance(inner, t.Mul | t.Div) or len(inner.args) < 2 or sort_of(inner) != REAL:
        return term
    if not all(is_positive(context, v, extra) for v in inner.args):
        return term
    first, *rest = (sum_of_logarithms(t.Log(v), context, extra) for v in inner.args)
    return t.plus(first, *(map(t.minus, rest) if isinstance(inner, t.Div) else rest))


def derived(hypothesis: Term, context: Sums) -> Terms:
    """A hypothesis with its derivatives derived; left out where they cannot be."""
    if not t.mentions(hypothesis, t.Slope):
        return (hypothesis,)
    when, then = t.implication(hypothesis)
    try:
        if isinstance(then, t.Or) and isinstance(next(iter(then.args), None), t.Unique):
            unique, *others = then.args
            alone = is_told_apart(unique, others, context, when)
            return (t.Or(t.Not(t.And(*when)), unique) if when else unique,) if alone else ()
        return t.conjuncts(by_one_point(resolved(hypothesis, context), context))
    except Unsupported:
        return ()


def by_one_point(term: Term, context: Sums) -> Term:
    """With sums of brackets by the one-point rule: arithmetic takes a sum as it is for unknown."""
    if isinstance(term, t.Sum) and t.mentions(term, t.Bracket) and sort_of(term) == t.REAL:
        products = context.reduced(term, ())
        return term if any(p.binders for p in products) else sum_of(products)
    return t.over_parts(term, lambda u: by_one_point(u, context))


def counted(term: Term, context: Sums) -> Term:
    """With sums of brackets that count whole numbers in an interval as their number.

    A product over axes is not 0 if it is 0 on none.
    """
    if not t.mentions(term, t.Sum) or not t.mentions(term, t.Bracket):
        return term
    if isinstance(term, t.Sum) and isinstance(term.body, t.Bracket) and not t.arrays(term):
        products = [context.counted(p, ()) for p in context.reduced(term, ())]
        return term if any(p.binders for p in products) else t.plus(*map(whole, products))
    if isinstance(term, t.Binder):
        return term
    plain = t.over_parts(term, lambda u: counted(u, context))
    if isinstance(plain, t.Ne) and plain.right == 0 and isinstance(plain.left, t.AxisProduct):
        return t.close(t.Ne(plain.left.inner, 0))
    return plain


def is_told_apart(unique: Term, others: list[Term], context: Sums, extra: Terms) -> bool:
    """Whether places that move as one are one: a cell that a place reads tells it from others."""
    here, there = (substitute(unique, {}, context.fresh) for _ in range(2))
    pairs = list(zip(here.ranges, there.ranges, strict=True))
    same = t.And(*(t.Eq(a[0], b[0]) for a, b in pairs))
    domain = (c for u in (here, there) for c in (*t.domain(u.ranges), *t.conjuncts(u.args[1])))
    known = (*extra, *domain)
    array = moved_by(unique, [canonical(other) for other in others])
    for read in dict.fromkeys(u for u in t.walk(here.body) if isinstance(u, t.Read)):
        if read.array != array or not free(read) <= free(here) | {a[0] for a, _ in pairs}:
            continue
        is_cell = t.inside(read.index, array.dims)
        is_sure = context.entails(is_cell, known)
        slopes = (t.Slope(u.body, array[read.index]) for u in (here, there))
        left, right = (resolved(u, context) for u in slopes)
        equal = equation(left, right, context, known)
        equal = equal if is_sure else (t.Or(t.Not(is_cell), t.And(*equal)),)
        if context.entails(same, (*known, *equal)):
            return True
    return False


def moved_by(unique: Term, said: list[Term]) -> Any:
    """The array by whose cells it is said that all places which win move as one."""
    of = (array for array in t.arrays(unique) if said == [canonical(as_one(unique, array))])
    return next(of, None)


def equation(left: Term, right: Term, context: Sums, known: Terms) -> Terms:
    """That two derivatives are equal; of a bracket, if the other is 1, that its condition holds."""
    brackets = isinstance(left, t.Bracket) and isinstance(right, t.Bracket)
    if brackets and context.entails(left.args[0], known):
        return t.conjuncts(right.args[0])
    return (t.Eq(left, right),)
