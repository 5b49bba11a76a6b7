"""Ranges of loops, and their turns by a name for one. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Sym, Term
from gradproof.tracing import integers as n
from gradproof.tracing.tensors import Unreadable


@dataclass(frozen=True)
class Range:
    """`range(…)`, whose ends may be sizes."""

    first: Any
    second: Any = None
    step: Any = 1

    @property
    def ends(self) -> tuple[Any, Any]:
        return (0, self.first) if self.second is None else (self.first, self.second)

    @property
    def turns(self) -> range | None:
        """Of numbers, what Python runs through."""
        ends = (*self.ends, self.step)
        return range(*ends) if all(isinstance(e, int) for e in ends) else None


def same(index: Any) -> Any:
    return index


@dataclass(frozen=True, eq=False)
class Rows:
    """What a loop runs through: a range, and what stands at each of its indices."""

    over: Range
    at: Callable[[Any], Any] = same

    @property
    def is_plain(self) -> bool:
        """Whether it is the range itself."""
        return self.at is same

    @property
    def count(self) -> Any:
        """How many there are, where the range goes up or down by one, or has numbers for ends."""
        if self.over.turns is not None:
            return len(self.over.turns)
        first, last = self.over.ends
        if self.over.step not in (1, -1):
            raise Unreadable("the length of a range with a step; say what it is")
        between = n.minus(last, first) if self.over.step == 1 else n.minus(first, last)
        return int(between) if between.is_Integer else between

    def row(self, number: Any) -> Any:
        """The one with a number, from 0."""
        first, step = self.over.ends[0], self.over.step
        if isinstance(number, int) and isinstance(first, int) and isinstance(step, int):
            return self.at(first + step * number)
        return self.at(n.add(first, n.mul(step, number)))

    def reversed(self) -> Rows:
        if self.over.turns is not None:
            whole = self.over.turns[::-1]
            return Rows(Range(whole.start, whole.stop, whole.step), self.at)
        if self.over.step != 1:
            raise Unreadable("reversed(…) of a range with a step; write the range downwards")
        first, last = (n.minus(e, 1) for e in self.over.ends)
        start, stop = (int(e) if e.is_Integer else e for e in (last, first))
        return Rows(Range(start, stop, -1), self.at)


@dataclass(frozen=True)
class Turns:
    """A loop over a range: a name for the turn, its first and last, and the index in it."""

    symbol: Sym
    first: Term
    last: Term
    index: Term
    start: Term  # the index in the turn that is run first
    step: Any = 1
    downwards: bool = False  # whether it begins with the last

    @property
    def over(self) -> tuple[Sym, Term, Term]:
        return self.symbol, self.first, self.last

    @property
    def known(self) -> tuple[Term, Term]:
        within = (self.first, self.symbol), (self.symbol, self.last)
        first, last = (t.relation(t.Le, a, b) for a, b in within)
        return first, last

    @property
    def count(self) -> Term:
        return n.add(n.minus(self.last, self.first), 1)

    @property
    def number(self) -> Term:
        """How many turns were run before this one."""
        return (
            n.minus(self.last, self.symbol) if self.downwards else n.minus(self.symbol, self.first)
        )

    @property
    def earlier(self) -> tuple[Term, Term]:
        """The turns that were run before this one."""
        if self.downwards:
            return n.add(self.symbol, 1), self.last
        return self.first, n.minus(self.symbol, 1)


def in_order(over: Range, symbol: Sym) -> Turns:
    """The turns of a range in their order, those from one number to the next by their index."""
    (start, stop), step = over.ends, over.step
    if step == 1:
        return Turns(symbol, n.simple(start), n.minus(stop, 1), symbol, n.simple(start))
    backward = isinstance(step, int) and step < 0
    length = n.minus(start, stop) if backward else n.minus(stop, start)
    size = -step if backward else step
    count = length if size == 1 else n.floor_div(n.add(length, size, -1), size)
    index = n.add(start, n.mul(step, symbol))
    return Turns(symbol, n.ZERO, n.minus(count, 1), index, n.simple(start), step)


def recurrent(reader: Any, over: Range, symbol: Sym) -> Turns:
    """The turns of a range as rows of an array, upwards."""
    (start, stop), step = over.ends, over.step
    if step not in (1, -1):
        raise Unreadable("a recurrence over a range with a step; write one from turn to turn")
    down = step == -1
    least, count = (n.add(stop, 1), n.minus(start, stop)) if down else (start, n.minus(stop, start))
    if not reader.decided(t.relation(t.Ge, count, 0)):
        raise Unreadable("a recurrence of what may be less than no turns; say in requires")
    index = n.add(symbol, least)
    return Turns(symbol, n.ZERO, n.minus(count, 1), index, n.simple(start), step, down)
