"""Real terms with the identities that users' code relies on: a maximum that is taken out of an
exponential cancels again. Untrusted."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import sympy

from gradproof.language import functions
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import Term

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
PI = functions.pi
DIGITS = 9  # a number that is written with so many digits, or fewer, is that number


INFINITE = t.Sym("infinite", t.REAL)  # what is no real number; it may stand in no definition
BELOW = t.Sym(
    "below_all", t.REAL
)  # what is below all reals, nor may it: a cell that does not count
SMALLEST = (-sys.float_info.max, -3.4028234663852886e38)  # by which people mean that


def number(value: float | int) -> Term:
    """The number that a float stands for: a decimal, a fraction, or a root of one."""
    if value == -math.inf or value in SMALLEST:
        return BELOW
    if not math.isfinite(value):
        return INFINITE
    if isinstance(value, int) or float(value).is_integer():
        return sympy.Integer(int(value))
    text = repr(float(value))
    digits = text.split("e")[0].lstrip("-0.").replace(".", "")
    if len(digits) <= DIGITS:
        return sympy.Rational(text)
    known = recognised(value)
    return known if known is not None else sympy.Rational(text)


def recognised(value: float) -> Term | None:
    sign = -1 if value < 0 else 1
    size = abs(value)
    if (fraction := near_but_whole(size)) is not None:
        return sympy.Rational(sign * fraction)
    if (fraction := near(size * size)) is not None and fraction != 1:
        return times(sign, root(sympy.Rational(fraction)))
    for inner, join, base in KNOWN:
        if (fraction := near(join(size, inner))) is not None:
            return BACK[join](sympy.Rational(sign * fraction), base())
    return None


def divided(a: float, b: float) -> float:
    return a / b


def multiplied(a: float, b: float) -> float:
    return a * b


# Constants of which code has a multiple, or a part.
CONSTANTS: tuple[tuple[float, Callable[[], Term]], ...] = (
    (math.pi, lambda: PI),
    (math.sqrt(math.pi), lambda: root(PI)),
    (math.sqrt(2 * math.pi), lambda: root(times(2, PI))),
    *((math.log(base), partial(t.Log, sympy.Integer(base))) for base in (2, 3, 5, 10)),
)
KNOWN = tuple((c, join, base) for c, base in CONSTANTS for join in (divided, multiplied))
BACK: dict[Any, Callable[[object, object], Term]] = {
    divided: lambda a, b: times(a, b),
    multiplied: lambda a, b: over(a, b),
}


def near(value: float) -> Fraction | None:
    """A fraction of small numbers that is nothing but this float, rounded."""
    found = Fraction(value).limit_denominator(1000)
    close = found and abs(float(found) / value - 1) < 4e-16 * 2
    return found if close else None


def near_but_whole(value: float) -> Fraction | None:
    """Likewise of a number of the code, where one beside a whole number is meant as it stands."""
    found = near(value)
    return None if found is not None and found.denominator == 1 and found != value else found


def of(value: object) -> Term:
    return number(value) if isinstance(value, float) else t.as_term(value)


AT_ZERO: ContextVar[bool] = ContextVar("at_zero", default=False)


@contextmanager
def roots_at_zero() -> Iterator[None]:
    """Reads the root of 0 as 0, where it has a value and no derivative, as a norm does at 0."""
    kept = AT_ZERO.set(True)
    try:
        yield
    finally:
        AT_ZERO.reset(kept)


def root(a: object) -> Term:
    a = of(a)
    if isinstance(a, sympy.Rational) and a >= 0:
        found = sympy.sqrt(a)
        if isinstance(found, sympy.Rational):
            return found
    found = t.Exp(t.Div(t.Log(a), 2))
    if not AT_ZERO.get():
        return found
    if is_nowhere_negative(a):
        return choice(t.relation(t.Gt, a, ZERO), found, ZERO)
    return choice(t.relation(t.Eq, a, ZERO), ZERO, found)


def is_nowhere_negative(u: Term) -> bool:
    """Whether a term is at least 0 by its form alone, as squares and their sums are."""
    if isinstance(u, sympy.Rational):
        return bool(u >= 0)
    if isinstance(u, t.Exp | t.Bracket):
        return True
    if isinstance(u, t.Sum):
        return is_nowhere_negative(u.body)
    if isinstance(u, t.Mul):
        counts = Counter(u.args)
        return all(n % 2 == 0 or is_nowhere_negative(f) for f, n in counts.items())
    if isinstance(u, t.Add | t.Div):
        return all(map(is_nowhere_negative, u.args))
    if isinstance(u, t.If):
        return is_nowhere_negative(u.then) and is_nowhere_negative(u.otherwise)
    return isinstance(u, t.Sym) and u.sort == t.INT


def is_root(term: Term) -> bool:
    """Whether a term is a root as it is read where it is of what is above 0."""
    inner = term.args[0] if isinstance(term, t.Exp) else None
    return isinstance(inner, t.Div) and inner.args[1] == 2 and isinstance(inner.args[0], t.Log)


def is_masked(term: Term) -> bool:
    """Whether a term is below all reals, or is where some condition holds."""
    if isinstance(term, t.If):
        return is_masked(term.then) or is_masked(term.otherwise)
    return term == BELOW


def counted(function: Callable[[Term], Term], term: Term, below: Term) -> Term:
    """A function of what a mask leaves, and what it is of what it does not."""
    if isinstance(term, t.If) and is_masked(term):
        parts = (counted(function, part, below) for part in (term.then, term.otherwise))
        return choice(term.condition, *parts)
    return below if term == BELOW else function(term)


def window(term: Term) -> tuple[Term, Term]:
    """A term where a mask leaves it, and where that is."""
    if isinstance(term, t.If) and is_masked(term):
        if term.otherwise == BELOW:
            inner, where = window(term.then)
            return inner, t.And(term.condition, *t.conjuncts(where))
        if term.then == BELOW:
            inner, where = window(term.otherwise)
            return inner, t.And(opposite(term.condition), *t.conjuncts(where))
    return term, t.And()


def opposite(condition: Term) -> Term:
    return condition.args[0] if isinstance(condition, t.Not) else t.Not(condition)


def is_shift(term: Term) -> bool:
    """Whether a term is a maximum, which people subtract before they take exponentials."""
    return isinstance(term, t.Maximum)


def plus(*given: object) -> Term:
    """A sum, with maxima and their opposites gone."""
    parts = [p for u in map(of, given) for p in (u.args if isinstance(u, t.Add) else (u,))]
    if (masked := next(filter(is_masked, parts), None)) is not None:
        rest = list(parts)
        rest.remove(masked)
        return counted(lambda u: plus(u, *rest), masked, BELOW)
    kept: list[Term] = []
    for part in parts:
        opposite = t.minus(part) if is_shift(part) else positive_shift(part)
        if opposite is not None and opposite in kept:
            kept.remove(opposite)
        elif part != 0:
            kept.append(part)
    return t.plus(*kept) if kept else ZERO


def positive_shift(part: Term) -> Term | None:
    is_opposite = isinstance(part, t.Mul) and len(part.args) == 2 and part.args[0] == -1
    return part.args[1] if is_opposite and is_shift(part.args[1]) else None


def minus(a: object, b: object) -> Term:
    return plus(a, *map(negative, parts_of_sum(of(b))))


def parts_of_sum(a: Term) -> tuple[Term, ...]:
    return tuple(a.args) if isinstance(a, t.Add) else (a,)


def negative(a: object) -> Term:
    a = of(a)
    if isinstance(a, t.Mul) and isinstance(a.args[0], sympy.Rational):
        return times(-a.args[0], *a.args[1:])
    return t.minus(a)


def factors(a: Term) -> tuple[Term, ...]:
    return tuple(a.args) if isinstance(a, t.Mul) else (a,)


def times(*given: object) -> Term:
    parts = [p for u in given for p in factors(of(u))]
    number = sympy.Integer(1)
    for part in parts:
        if isinstance(part, sympy.Rational):
            number *= part
    others = [p for p in parts if not isinstance(p, sympy.Rational)]
    if number == 0:
        return ZERO
    if (masked := next(filter(is_masked, others), None)) is not None:
        rest = list(others)
        rest.remove(masked)
        return scaled_mask(masked, number, rest)
    kept = [number, *others] if number != 1 or not others else others
    return kept[0] if len(kept) == 1 else t.Mul(*kept)


def scaled_mask(masked: Term, number: Any, others: list[Term]) -> Term:
    """A masked term times what is above 0, or 1 and 0; of other products nothing is known."""
    if masked == BELOW and number == 1 and len(others) == 1:
        (part,) = others
        if isinstance(part, t.Bracket):
            return choice(part.condition, BELOW, ZERO)
        if (condition := of_opposite(part)) is not None:
            return choice(condition, ZERO, BELOW)
    if number > 0 and all(map(is_above_zero, others)):
        return counted(lambda u: times(number, *others, u), masked, BELOW)
    return t.Mul(number, *others, masked)


def of_opposite(whole: Term) -> Term | None:
    """Of 1 less a bracket the condition."""
    parts = [p for p in parts_of_sum(whole) if p != 1]
    if len(parts) != 1 or len(parts_of_sum(whole)) != 2:
        return None
    sign, *rest = factors(parts[0])
    is_bracket = sign == -1 and len(rest) == 1 and isinstance(rest[0], t.Bracket)
    return rest[0].condition if is_bracket else None


def over(a: object, b: object) -> Term:
    """A quotient; exponentials of maxima that both sides have are gone."""
    above, below = of(a), of(b)
    if is_masked(above) and is_above_zero(below):
        return counted(lambda u: over(u, below), above, BELOW)
    if isinstance(above, sympy.Rational) and isinstance(below, sympy.Rational) and below != 0:
        return above / below
    if isinstance(below, sympy.Rational) and below != 0 and t.sort_of(above) == t.REAL:
        return t.Div(above, below) if below != 1 else above
    over_parts, under = list(factors(above)), list(factors(below))
    for part in [p for p in under if is_scale(p) and p in over_parts]:
        over_parts.remove(part)
        under.remove(part)
    lifted = [p for p in under if is_scale(p)]
    kept = [p for p in under if not is_scale(p)]
    top = times(*over_parts, *(t.Exp(negative(p.inner)) for p in lifted)) if lifted else None
    top = times(*over_parts) if top is None else top
    return t.Div(top, times(*kept)) if kept else top


def is_scale(term: Term) -> bool:
    """Whether it is the exponential of a maximum, or of its opposite."""
    return isinstance(term, t.Exp) and (
        is_shift(term.inner) or positive_shift(term.inner) is not None
    )


def is_above_zero(u: Term) -> bool:
    """Whether a term is above 0 by its form alone."""
    if isinstance(u, t.Add | t.Mul | t.Div):
        return all(map(is_above_zero, u.args))
    return isinstance(u, t.Exp) or (isinstance(u, sympy.Rational) and bool(u > 0))


def distributed(a: Term) -> Term:
    """A number times a sum, as a sum."""
    if isinstance(a, t.Mul) and len(a.args) == 2 and isinstance(a.args[1], t.Add):
        count, whole = a.args
        if isinstance(count, sympy.Rational):
            return plus(*(times(count, p) for p in whole.args))
    return a


def times_of_log(part: Term) -> tuple[int, Term] | None:
    """How often the logarithm of what is above 0 is taken, and of what: of `2·log(u)`, 2 and u."""
    is_product = isinstance(part, t.Mul) and len(part.args) == 2
    count, whole_log = part.args if is_product else (ONE, part)
    inner = whole_log.inner if isinstance(whole_log, t.Log) else None
    whole = isinstance(count, sympy.Integer)
    return (int(count), inner) if whole and inner is not None and is_above_zero(inner) else None


def exp(a: object) -> Term:
    """The exponential; of logarithms, what they are of; of what is below all reals, 0."""
    if is_masked(of(a)):
        inner, where = window(of(a))
        if not is_masked(inner):
            return times(t.Bracket(where), exp(inner))
        return counted(exp, of(a), ZERO)
    parts = parts_of_sum(distributed(of(a)))
    logs = [found for p in parts if (found := times_of_log(p)) is not None]
    if logs:
        others = exp(plus(*(p for p in parts if times_of_log(p) is None)))
        above = times(others, *(power(u, sympy.Integer(k)) for k, u in logs if k > 0))
        below = times(*(power(u, sympy.Integer(-k)) for k, u in logs if k < 0))
        return over(above, below)
    parts = parts_of_sum(of(a))
    shifts = [p for p in parts if is_shift(p) or positive_shift(p) is not None]
    rest = [p for p in parts if p not in shifts]
    if not rest or not shifts:
        return ONE if of(a) == 0 else t.Exp(of(a))
    return times(t.Exp(t.plus(*rest)), *(t.Exp(p) for p in shifts))


def log(a: object) -> Term:
    """The logarithm; of one of several values, which an index says, that of the value."""
    if (inner := picked(of(a))) is not None:
        hit, value, over_ = inner
        return t.Sum(t.Mul(hit, log(value)), over_)
    parts = factors(of(a))
    scales = [p for p in parts if is_scale(p)]
    rest = [p for p in parts if p not in scales]
    if of(a) == 1:
        return ZERO
    if not scales:
        return t.Log(of(a))
    return plus(t.Log(times(*rest)), *(p.inner for p in scales))


def picked(a: Term) -> tuple[Term, Term, Any] | None:
    """The parts of `Σ_j [index = j]·value`, the value at an index that is an input."""
    if not isinstance(a, t.Sum) or len(a.ranges) != 1 or not isinstance(a.body, t.Mul):
        return None
    first, *rest = a.body.args
    condition: Any = first.condition if isinstance(first, t.Bracket) else None
    if not isinstance(condition, t.Eq) or not isinstance(condition.left, t.Read):
        return None
    if condition.right is not a.ranges[0][0]:
        return None
    return first, times(*rest), a.ranges[0]


def total(body: object, ranges: Any, bound: frozenset[Term]) -> Term:
    """A sum over ranges; what is the same in each of its terms is taken out if it is a scale."""
    term = of(body)
    if term == 0:
        return ZERO
    if not ranges:
        return term
    parts = factors(term)
    out = [p for p in parts if is_scale(p) and free(p).isdisjoint(bound)]
    kept = [p for p in parts if p not in out]
    return times(*out, t.Sum(times(*kept) if kept else ONE, *ranges))


def power(a: object, exponent: object) -> Term:
    base, by = of(a), of(exponent)
    if isinstance(base, sympy.Rational) and isinstance(by, sympy.Integer) and (base or by >= 0):
        return base**by
    if isinstance(by, sympy.Integer):
        whole = times(*[base] * abs(int(by))) if by else ONE
        return whole if by >= 0 else over(1, whole)
    if by == sympy.Rational(1, 2):
        return root(base)
    if by == sympy.Rational(-1, 2):
        return over(1, root(base))
    if isinstance(by, sympy.Rational) and by.q == 2:
        found = power(root(base), sympy.Integer(abs(by.p)))
        return found if by > 0 else over(1, found)
    return t.raised(base, by)


def choice(condition: Term, then: object, otherwise: object) -> Term:
    if isinstance(condition, t.Not):
        return choice(condition.args[0], otherwise, then)
    a, b = of(then), of(otherwise)
    if isinstance(condition, t.And) and not condition.args:
        return a
    if isinstance(condition, t.Or) and not condition.args:
        return b
    a, b = known(a, condition, True), known(b, condition, False)
    return a if a == b else t.If(condition, a, b)


OPEN = (t.Add, t.Mul, t.Div, t.Exp, t.Log, t.If)  # through which a condition means the same


@lru_cache(maxsize=10_000)
def known(term: Term, condition: Term, holds: bool) -> Term:
    """A term where a condition is known: choices by it are made, as in a where within a where."""
    if not isinstance(term, OPEN) or not t.mentions(term, t.If):
        return term
    if isinstance(term, t.If) and term.condition == condition:
        return known(term.then if holds else term.otherwise, condition, holds)
    parts = [known(a, condition, holds) for a in term.args]
    changed = any(a is not b for a, b in zip(parts, term.args, strict=True))
    return term.func(*parts) if changed else term


def larger(a: object, b: object) -> Term:
    first, second = of(a), of(b)
    if BELOW in (first, second):
        return second if first == BELOW else first
    return t.If(t.relation(t.Ge, first, second), first, second)


def smaller(a: object, b: object) -> Term:
    first, second = of(a), of(b)
    return t.If(t.relation(t.Le, first, second), first, second)
