"""What is short for other terms: the long form of each kind of shorthand, in one place. Trusted.

Whoever treats a term's value, its derivative or its branches by what it is short for says nothing
of its own about it. Of bundles, a long form is said on one axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh
from gradproof.language.terms import Term


def as_choice(extremum: Term) -> Term:
    """A maximum or minimum of parts as a choice; where several attain it, of the first."""
    wins = t.Ge if isinstance(extremum, t.Max) else t.Le
    chosen, *rest = extremum.args
    for other in rest:
        chosen = t.If(wins(chosen, other), chosen, other)
    return chosen


def in_two(extremum: Term) -> tuple[Term, Term]:
    """The first part of a maximum or minimum, and that of all others."""
    first, *rest = extremum.args
    return first, extremum.func(*rest) if len(rest) > 1 else (rest or [first])[0]


def at_winner(maximum: t.Maximum) -> Term:
    """A maximum over a window: the body at the first place that has it, or what stands for none."""
    body, where, empty = maximum.args[:3]
    at = sympy.Tuple(*(symbol for symbol, _, _ in maximum.ranges))
    wins = t.Winner(body, where, Str("first"), at, *maximum.ranges)
    value = t.Sum(t.Mul(t.Bracket(where), t.Bracket(wins), body), *maximum.ranges)
    return t.Add(value, t.Mul(t.Bracket(t.Not(t.Exists(where, *maximum.ranges))), empty))


def guarded(read: t.PaddedRead) -> Term:
    """A read that is 0 outside of its array."""
    return t.If(t.inside(read.index, read.array.dims), t.Read(read.array, *read.index), 0)


def magnitude(a: Term) -> Term:
    return t.If(t.Ge(a, 0), a, -a)


def truncated(a: Term, b: Term) -> Term:
    alike = t.Or(t.And(t.Ge(a, 0), t.Ge(b, 0)), t.And(t.Lt(a, 0), t.Lt(b, 0)))
    whole = t.FloorDiv(magnitude(a), magnitude(b))
    return t.If(alike, whole, -whole)


def as_factors(base: Term, exponent: Term) -> Term:
    """A power as a quotient of products of its base, of which one has no factor."""
    place = Fresh(base, exponent)(t.Sym("k"))
    ends = (t.plus(number, -1) for number in (exponent, t.minus(exponent)))
    return t.Div(*(t.Prod(base, (place, 0, end)) for end in ends))


def equality(a: Term, b: Term) -> Term:
    return t.node(t.Eq, a, b)


# What each kind of shorthand is short for, which may be short for something in turn.
OF_ANY: dict[type, Callable[[Any], Term]] = {
    t.Max: as_choice,
    t.Min: as_choice,
    t.Maximum: at_winner,
    t.PaddedRead: guarded,
}
OF_TWO: dict[type, Callable[[Term, Term], Term]] = {
    t.Power: as_factors,
    t.CeilDiv: lambda a, b: -t.FloorDiv(-a, b),
    t.Mod: lambda a, b: a - b * t.FloorDiv(a, b),
    t.TruncDiv: truncated,
    t.TruncMod: lambda a, b: a - b * truncated(a, b),
    t.NatSub: lambda a, b: t.If(t.Ge(a, b), a - b, 0),
    t.NatDiv: lambda a, b: t.If(equality(b, sympy.Integer(0)), 0, t.FloorDiv(a, b)),
    t.Divides: lambda d, a: equality(a, d * t.FloorDiv(a, d)),
    t.Ne: lambda a, b: t.Not(equality(a, b)),
    t.Ge: lambda a, b: t.Le(b, a),
    t.Gt: lambda a, b: t.Lt(b, a),
}


def long_form(term: Term) -> Term | None:
    """What a term is short for, one step; None if it is not short for anything."""
    if type(term) in OF_TWO:
        return OF_TWO[type(term)](*term.args)
    return OF_ANY[type(term)](term) if type(term) in OF_ANY else None
