"""Terms, their derivatives by the cells that they read, and where these go back. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from gradproof.language import Array, Eq, Sum, bracket, integer_array, integers, zero_padded
from trust.truth.windows import times

N, V, a, b, j, u = integers("N V a b j u")
label = integer_array("label", N, below=V)
At = Callable[[Any], Any]  # what is computed at a place of the output


@dataclass(frozen=True)
class Cell:
    """What a place reads of an array, and what all places give back to a cell of it."""

    read: Callable[[Any, Any], Any]
    back: Callable[[At], Any]


def over_all(weight: At) -> Any:
    return Sum(weight(u), (u, 0, N - 1))


def mirrored(i: Any) -> Any:
    """The place opposite, which the place opposite to that is again."""
    return next((k for k in (a, b, u) if i == N - 1 - k), N - 1 - i)


CELLS = {
    "own": Cell(lambda v, i: v[i], lambda g: g(b)),
    "mirrored": Cell(lambda v, i: v[mirrored(i)], lambda g: g(mirrored(b))),
    "next": Cell(lambda v, i: zero_padded(v)[i + 1], lambda g: bracket(b >= 1) * g(b - 1)),
    "first": Cell(lambda v, i: v[0], lambda g: bracket(Eq(b, 0)) * over_all(g)),
    "total": Cell(lambda v, i: Sum(v[j], (j, 0, N - 1)), over_all),
    "before": Cell(lambda v, i: zero_padded(v)[i - 1], lambda g: bracket(b < N - 1) * g(b + 1)),
    "labelled": Cell(
        lambda v, i: v[label[i]], lambda g: over_all(lambda i: bracket(Eq(label[i], b)) * g(i))
    ),
}


@dataclass(frozen=True)
class Source:
    """An array, and which of its cells a place reads."""

    array: Array
    kind: str

    def read(self, array: Any, i: Any) -> Any:
        return CELLS[self.kind].read(array, i)

    def back(self, weight: At) -> Any:
        return CELLS[self.kind].back(weight)

    def times(self, number: int) -> Value:
        return Value(lambda i: times(number, self.read(self.array, i)), {self: lambda i: number})


@dataclass(frozen=True)
class Value:
    """What is computed at a place, and its derivative by each cell that the place reads."""

    at: At
    by: dict[Source, At]

    def mapped(self, change: Callable[[Any, Any], Any]) -> Value:
        """With a change of what stands at a place."""

        def changed(of: At) -> At:
            return lambda i: change(of(i), i)

        return Value(changed(self.at), {source: changed(s) for source, s in self.by.items()})

    def __add__(self, other: Value) -> Value:
        sources = {**self.by, **other.by}
        by = {s: sum_of(v.by[s] for v in (self, other) if s in v.by) for s in sources}
        return Value(sum_of((self.at, other.at)), by)

    def __mul__(self, other: Value) -> Value:
        one = self.mapped(lambda term, i: times(other.at(i), term))
        two = other.mapped(lambda term, i: times(self.at(i), term))
        return Value(one.at, (one + two).by)

    def composed(self, outer: Callable[[Any], Any], slope: Callable[[Any, Any], Any]) -> Value:
        """A function of it; the slope is one of the value, and of the place."""
        chained = self.mapped(lambda term, i: times(slope(self.at(i), i), term))
        return Value(lambda i: outer(self.at(i)), chained.by)


def sum_of(terms: Iterable[At]) -> At:
    every = tuple(terms)
    return lambda i: reduce(lambda one, two: one + two, (term(i) for term in every))
