"""In which direction recurrences compute cells, and which stay positive: guesses. Untrusted.

That each cell reads earlier ones in this direction is a theorem, and is proved; as is the sign.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from gradproof.language import terms as t
from gradproof.language.ops import target_of
from gradproof.language.systems import Equations, made_by
from gradproof.language.terms import Array, Term


def direction(group: Equations) -> tuple[int, bool]:
    """The axis along which what is read comes earlier, and whether that is downwards; a guess."""
    arrays = {made_by(e) for e in group}
    for axis in range(min(len(target_of(e).index) for e in group)):
        ways = {way for e in group for way in ways_of(e, arrays, axis)} - {0}
        if len(ways) == 1:
            return axis, ways == {1}
    return 0, False


def ways_of(equation: Term, arrays: set[Array], axis: int) -> Iterator[int]:
    """On which sides of the cell that is defined some arrays are read, where that is plain."""
    now = target_of(equation).index[axis]
    parts = [u for part in equation.args[1:] for u in t.walk(part)]
    ranges = (r for u in (equation, *parts) for r in getattr(u, "ranges", ()))
    ends = {symbol: both for symbol, *both in ranges}
    for read in (u for u in parts if isinstance(u, t.Read) and u.array in arrays):
        for at in ends.get(read.index[axis], (read.index[axis],)):
            apart = difference(at, now)
            if apart is not None:
                yield (apart > 0) - (apart < 0)


def difference(left: Term, right: Term) -> int | None:
    """Of two sums, if they differ in a number alone."""

    def parts(term: Term) -> list[Term]:
        return list(t.plus(term, 0).args) if isinstance(term, t.Add) else [term]

    first, second = parts(left), parts(right)
    for part in [*first]:
        if part in second:
            first.remove(part)
            second.remove(part)
    rest = (*first, *map(t.minus, second))
    whole = all(isinstance(part, sympy.Integer) for part in rest)
    return int(sum(rest, sympy.Integer(0))) if whole else None


POSITIVE, NONNEGATIVE, ANY = 2, 1, 0


def sign_of(term: Term, array: Array) -> int:
    """The sign of what is computed from positive cells of an array, where that is plain."""
    if isinstance(term, t.Exp):
        return POSITIVE
    if isinstance(term, sympy.Rational):
        return POSITIVE if term > 0 else NONNEGATIVE if term == 0 else ANY
    if isinstance(term, t.Read):
        own = NONNEGATIVE if isinstance(term, t.PaddedRead) else POSITIVE
        return own if term.array == array else ANY
    if isinstance(term, t.Bracket):
        return NONNEGATIVE
    if isinstance(term, t.If | t.Add | t.Mul | t.Max | t.Sum):
        values = {t.If: term.args[1:], t.Sum: term.args[:1]}.get(type(term), term.args)
        signs = [sign_of(u, array) for u in values]
        if isinstance(term, t.Add) and min(signs) > ANY:
            return max(signs)
        return max(signs) if isinstance(term, t.Max) else min(signs)
    return ANY
