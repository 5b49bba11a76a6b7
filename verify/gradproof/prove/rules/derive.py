"""Differentiation of a term by one cell of an array, sizes and index symbolic. Trusted.

A read `x[e]` becomes the bracket `[e = i]`; sums keep their binder. Where a branch or a maximum
reads the array, the result is the derivative off the boundary between branches.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy

from gradproof.language import terms as t
from gradproof.language.core import long_form
from gradproof.language.functions import derivative_of, turning
from gradproof.language.substitution import Fresh, free, mentioned, substitute
from gradproof.language.terms import REAL, Array, Term, Terms, reads, sort_of

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
CHOICES = (t.If, t.Bracket, t.Maximum, t.Max, t.Min)


class Unsupported(Exception):
    """A definition outside what a stage can treat; never a proof, never a refutation."""


def add(*terms: Term) -> Term:
    kept = [u for u in terms if u != ZERO]
    return kept[0] if len(kept) == 1 else (t.Add(*kept) if kept else ZERO)


def mul(*terms: Term) -> Term:
    if ZERO in terms:
        return ZERO
    kept = [u for u in terms if u != ONE]
    return kept[0] if len(kept) == 1 else (t.Mul(*kept) if kept else ONE)


def differentiate(term: Term, array: Array, point: Terms, fresh: Fresh) -> Term:
    """The derivative of `term` by `array[point]`, off the boundary between branches."""
    return slope(substitute(term, {}, fresh), array, point, fresh)


def branches_of(term: Term, array: Array) -> list[Term]:
    """What chooses by cells of the array, or by states that a loop computes from them."""
    states = states_from(term, array)
    chosen = {u: u.args[0] if isinstance(u, t.If | t.Bracket) else u for u in t.walk(term)}
    return [
        u
        for u, by in chosen.items()
        if (isinstance(u, CHOICES) or (isinstance(u, t.Apply) and turning(u)))
        and (reads(by, array) or free(by) & states)
    ]


def states_from(term: Term, array: Array) -> set[Term]:
    """The states that loops compute from cells of the array, or from such states."""
    loops = [u for u in t.walk(term) if isinstance(u, t.Fold)]
    made = [(s, (begin, step, *loop.ranges)) for loop in loops for s, begin, step in loop.states]
    found: set[Term] = set()
    for _ in made:
        found |= {s for s, by in made for u in by if reads(u, array) or mentioned(u) & found}
    return found


def slope(term: Term, array: Array, point: Terms, fresh: Fresh) -> Term:
    if not isinstance(term, t.Term) or not reads(term, array):
        return ZERO

    def d(u: Term) -> Term:
        return slope(u, array, point, fresh)

    if type(term) is t.Read:
        return slope_of_read(term, array, point)
    if isinstance(term, t.Add):
        return add(*map(d, term.args))
    if isinstance(term, t.Mul):
        parts = [(term.args[:i], d(a), term.args[i + 1 :]) for i, a in enumerate(term.args)]
        return add(*(mul(*before, inner, *after) for before, inner, after in parts))
    if isinstance(term, t.Div):
        above, below = term.args
        direct = t.Div(d(above), below) if reads(above, array) else ZERO
        if not reads(below, array):
            return direct
        return add(direct, t.Div(mul(-ONE, above, d(below)), t.Mul(below, below)))
    if isinstance(term, t.Exp):
        return mul(term, d(term.args[0]))
    if isinstance(term, t.Log):
        return t.Div(d(term.args[0]), term.args[0])
    if isinstance(term, t.Power) and not reads(term.exponent, array):
        return mul(term.exponent, t.Power(term.base, t.plus(term.exponent, -1)), d(term.base))
    if isinstance(term, t.Apply):
        return add(*(mul(derivative_of(term), d(inner)) for inner in term.arguments))
    if isinstance(term, t.If):
        return t.If(term.args[0], d(term.args[1]), d(term.args[2]))
    if isinstance(term, t.Bracket):
        return ZERO
    if isinstance(term, t.Sum) and not any(reads(r, array) for r in term.ranges):
        return t.Sum(d(term.body), *term.ranges)
    if isinstance(term, t.Prod) and not any(reads(r, array) for r in term.ranges):
        return slope_of_product(term, d, fresh)
    if isinstance(term, t.Maximum):
        require_still(term, array)
    if isinstance(term, t.Fold) and not any(reads(u, array) for u in term.args[1:]):
        return t.Fold(d(term.body), *term.args[1:])
    if sort_of(term) == REAL and (plain := long_form(term)) is not None:
        return d(plain)
    raise Unsupported(f"the derivative of {term}")


def slope_of_read(term: Term, array: Array, point: Terms) -> Term:
    """Where its index does not turn, which only a loop may compute from the array."""
    is_rule = array.role != "primal"
    if any(reads(e, array) and (is_rule or reads_outside(e, array)) for e in term.index):
        raise Unsupported(f"the derivative of {term}, whose index reads {array}")
    if term.array.name != array.name:
        return ZERO
    return t.Bracket(t.And(*(t.Eq(e, i) for e, i in zip(term.index, point, strict=True))))


def reads_outside(term: Term, array: Array) -> bool:
    """Whether it reads the array outside of loops."""
    if isinstance(term, t.Fold) or not reads(term, array):
        return False
    is_own = isinstance(term, t.Read) and term.array.name == array.name
    return is_own or any(reads_outside(part, array) for part in term.args)


def slope_of_product(term: Term, d: Callable[[Term], Term], fresh: Fresh) -> Term:
    """Each factor's derivative in its place, without dividing: a factor may be 0.

    Of equal factors it is the first one's.
    """
    other = substitute(term, {}, fresh)
    (symbol, first, last), *more = other.ranges
    if not more and symbol not in free(other.body):
        rest = t.Prod(other.body, (symbol, t.plus(first, 1), last))
        return t.Sum(mul(d(term.body), rest), *term.ranges)
    here = t.And(*(t.Eq(a[0], b[0]) for a, b in zip(other.ranges, term.ranges, strict=True)))
    rest = t.Prod(t.If(here, ONE, other.body), *other.ranges)
    return t.Sum(mul(d(term.body), rest), *term.ranges)


def require_still(term: t.Maximum, array: Array) -> None:
    """A window that moves with the array has no derivative here."""
    if any(reads(part, array) for part in (term.where, term.empty, *term.ranges)):
        raise Unsupported(f"the derivative of {term}, whose window reads {array}")
