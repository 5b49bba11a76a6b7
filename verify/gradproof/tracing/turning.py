"""Which comparisons of a reading went one way wherever it was compared, though they may go another.
Deciding.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from time import process_time

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.ops import Op, target_of
from gradproof.language.terms import Term, Terms, Triple
from gradproof.prove.rules.derive import Unsupported
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.attempts import settle
from gradproof.tracing.watching import CONTESTS, RELATIONS, Seen

SECONDS = 5.0  # of the processor, for all that is asked of one reading
Places = list[tuple[tuple[Triple, ...], Terms]]  # within which ranges it is reached, and when


class Turning:
    """The comparisons of a reading, and of which it is shown that they always go one way."""

    def __init__(self, op: Op, seen: Seen) -> None:
        self.op, self.seen = op, seen
        self.left_over = SECONDS
        self.known: dict[Term, bool] = {}
        self.met: dict[Term, Places] = {}
        for equation in (*op.system, *op.vjp):
            for term, over, when in reached(equation):
                self.met.setdefault(term, []).append((over, when))

    @property
    def left(self) -> list[Term]:
        """Those that went one way, though they may go another."""
        return [u for u in self.met if not self.seen.turned(u) and not self.is_settled(u)]

    def is_settled(self, comparison: Term) -> bool:
        """Whether it holds wherever it is made, or nowhere."""
        if comparison not in self.known:
            start = process_time()
            is_asked = self.left_over > 0 and isinstance(comparison, RELATIONS)
            self.known[comparison] = is_asked and self.goes_one_way(comparison)
            self.left_over -= process_time() - start
        return self.known[comparison]

    def goes_one_way(self, comparison: Term) -> bool:
        return any(
            all(
                follows((*self.op.requires, *t.domain(over), *when), condition)
                for over, when in self.met.get(comparison, ())
            )
            for condition in (comparison, t.Not(comparison))
        )


def follows(given: Terms, condition: Term) -> bool:
    try:
        return settle(given, condition, False, RLIMIT).proof is not None
    except Unsupported:
        return False


Reached = Iterator[tuple[Term, tuple[Triple, ...], Terms]]


def reached(equation: Term) -> Reached:
    """All comparisons of an equation, and where they are made."""
    if isinstance(equation, t.Scatter):
        over, when = tuple(equation.ranges), t.conjuncts(equation.where)
        yield from within(equation.where, over, ())
        for part in (*equation.target.index, equation.value):
            yield from within(part, over, when)
    else:
        yield from within(equation.right, t.cells(target_of(equation)), ())


def within(term: Term, over: tuple[Triple, ...], when: Terms) -> Reached:
    if isinstance(term, t.Sym | Str | sympy.Rational | t.Array | t.Function):
        return
    if isinstance(term, RELATIONS + CONTESTS):
        yield term, over, when
    if isinstance(term, t.Max | t.Min):
        for a, b in combinations(term.args, 2):
            yield t.relation(t.Ge, a, b), over, when
    if isinstance(term, t.If):
        yield from within(term.condition, over, when)
        yield from within(term.then, over, (*when, *t.conjuncts(term.condition)))
        yield from within(term.otherwise, over, (*when, t.Not(term.condition)))
    elif isinstance(term, t.And | t.Or):
        for arg in term.args:
            yield from within(arg, over, when)
            when = (*when, *(t.conjuncts(arg) if isinstance(term, t.And) else (t.Not(arg),)))
    elif isinstance(term, t.Mul | t.Div):
        for guard in t.guards_of(term):
            yield from within(guard, over, when)
            when = (*when, guard)
        for arg in term.args:
            if not isinstance(arg, t.Bracket):
                yield from within(arg, over, when)
    elif isinstance(term, t.Binder):
        outer = over
        for symbol, first, last in term.ranges:
            yield from within(first, over, when)
            yield from within(last, over, when)
            over = (*over, sympy.Tuple(symbol, first, last))
        if isinstance(term, t.Maximum | t.Winner | t.Unique):
            yield from within(term.where, over, when)
            yield from within(term.body, over, (*when, *t.conjuncts(term.where)))
            for part in outside(term):
                yield from within(part, outer, when)
        else:
            for arg in term.args[: -len(term.ranges)]:
                yield from within(arg, over, when)
    else:
        for arg in term.args:
            yield from within(arg, over, when)


def outside(term: Term) -> Terms:
    """What of a maximum or a winner stands outside of its window."""
    if isinstance(term, t.Maximum):
        return (term.empty,)
    return tuple(term.at) if isinstance(term, t.Winner) else ()
