"""Where a counterexample is: the statements of its theorem that it may be of, the values there.

Untrusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from gradproof.evaluate.replay import Env
from gradproof.evaluate.shapes import symbols_of
from gradproof.language import text as words
from gradproof.language.terms import Sym
from gradproof.settle.counterexamples import Counterexample, grouped
from gradproof.theorems.sequents import Sequent, Theorem


def at_rank_of(theorem: Theorem, found: Counterexample) -> Theorem:
    return theorem if found.rank is None else theorem.at_rank(found.rank)


def sequents_of(instance: Theorem, found: Counterexample) -> Iterator[Sequent]:
    """The sequents with the statement and the indices of a counterexample."""
    shown = (found.statement, *found.index)
    return (s for s in instance.sequents if words.primed(*texts(s)) == shown)


def texts(sequent: Sequent) -> tuple[str, ...]:
    """The statement and the names of the indices, as they were made."""
    return (str(sequent.then), *grouped({symbol: 0 for symbol, _, _ in sequent.over}))


def sizes_in(instance: Theorem, found: Counterexample) -> Env:
    return {s: value_of(s, found.sizes) for s in symbols_of(instance)}


def place_in(sequent: Sequent, found: Counterexample) -> Env:
    """The values of the indices of a sequent that a counterexample is of."""
    _, *names = texts(sequent)
    values = dict(zip(names, found.index.values(), strict=True))
    return {symbol: value_of(symbol, values) for symbol, _, _ in sequent.over}


def value_of(symbol: Sym, values: Mapping[str, Any]) -> Any:
    """The number that a counterexample has for a symbol: of `n.2`, the second of those of n."""
    base, _, axis = symbol.name.partition(".")
    value = values[base][int(axis) - 1] if axis else values[base]
    return value if isinstance(value, int) else Fraction(value)
