"""What is known of sizes, programs, lanes and turns while code is read. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import Sym, Term, Triple
from gradproof.prove.rules.smt import NotLowered
from gradproof.prove.tactics.asking import ask
from gradproof.theorems.memory import spans_read
from gradproof.tracing import integers as n
from gradproof.tracing.sums import Names


@dataclass(eq=False)
class Facts:
    """Conditions that hold, and symbols with the ranges in which they are."""

    names: Names
    given: list[Term] = field(default_factory=list)
    ranges: dict[Sym, tuple[Term, Term]] = field(default_factory=dict)

    def symbol(self, like: str, last: object, first: object = 0) -> Sym:
        """One that is at least the first, and at most the last."""
        found = self.names(like)
        self.ranges[found] = (n.simple(first), n.simple(last))
        return found

    def triple(self, symbol: Sym) -> Triple:
        made: Any = sympy.Tuple(symbol, *self.ranges[symbol])
        return made

    def holds(self, goal: Term, *when: Term) -> bool:
        """Whether a condition follows from what is known, and from what is said."""
        given = (*self.given, *when)
        try:
            ranges = tuple(self.of_symbols((goal, *given)))
            known = (*given, *ranges, *spans_read((goal, *given, *ranges)))
            return str(ask(known, goal).status) == "proved"
        except NotLowered:
            return False

    def truth(self, condition: Term, *when: Term) -> bool | None:
        """True or False of what is always one of them."""
        if self.holds(condition, *when):
            return True
        return False if self.holds(t.Not(condition), *when) else None

    def of_symbols(self, terms: Iterable[Term]) -> Iterator[Term]:
        """That symbols of these terms, and of their ranges, are in their ranges."""
        waiting = [s for term in terms for s in free(term)]
        seen: set[Sym] = set()
        while waiting:
            symbol = waiting.pop()
            if symbol in seen or symbol not in self.ranges:
                continue
            seen.add(symbol)
            first, last = self.ranges[symbol]
            yield t.relation(t.Ge, symbol, first)
            yield t.relation(t.Le, symbol, last)
            waiting += [*free(first), *free(last)]
