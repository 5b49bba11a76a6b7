"""What is short for other terms: each kind of shorthand, written out in one place. Trusted.

Whoever treats a term's value, its derivative or its branches by what it is short for says nothing
of its own about it.
"""

from __future__ import annotations

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.terms import Term


def as_choice(extremum: Term) -> Term:
    """A maximum or minimum of parts as a choice; where several attain it, of the first."""
    wins = t.Ge if isinstance(extremum, t.Max) else t.Le
    chosen, *rest = extremum.args
    for other in rest:
        chosen = t.If(wins(chosen, other), chosen, other)
    return chosen


def at_winner(maximum: t.Maximum) -> Term:
    """A maximum over a window: the body at the first place that has it, or what stands for none."""
    body, where, empty = maximum.args[:3]
    at = sympy.Tuple(*(symbol for symbol, _, _ in maximum.ranges))
    wins = t.Winner(body, where, Str("first"), at, *maximum.ranges)
    value = t.Sum(t.Mul(t.Bracket(where), t.Bracket(wins), body), *maximum.ranges)
    return t.Add(value, t.Mul(t.Bracket(t.Not(t.Exists(where, *maximum.ranges))), empty))


def guarded(read: t.PaddedRead) -> Term:
    """A read that is 0 outside of its array."""
    bounds = t.inside(read.index, read.array.dims)
    return t.Mul(t.Bracket(bounds), t.Read(read.array, *read.index))
