"""What stands for a function without a value in the trials of the second route. Untrusted.

At each argument some number, the same whenever it is asked for, with which all that is stated of
the function holds; its derivative is the declared one. No refutation rests on it, since the judge
knows no such value; a statement that nothing can stand for is tried nowhere, and not proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from zlib import crc32

from gradproof.evaluate.floats import FLOATS
from gradproof.evaluate.moving import Moving
from gradproof.evaluate.numbers import INTERVALS, RATIONALS, Interval, Jet, Numbers, Undecided
from gradproof.language import terms as t
from gradproof.language.functions import ARGUMENT, derivative_of, domain_of, facts_of

MOST_KNOWN = 10_000
MODELS: dict[tuple[Any, str], dict[str, Fraction]] = {}


def standing(ev: Any, function: t.Function, at: Any) -> Any:
    """The number at an argument, with its derivative as that of the argument has it."""
    if isinstance(at, Moving):
        slope = declared_slope(ev, function, at.value)
        by = {cell: slope * d for cell, d in at.by.items()}
        return Moving(standing(ev, function, at.value), by)
    if isinstance(at, Jet):
        found = standing(ev, function, at.value)
        if not at.rest:
            return Jet(found)
        return Jet(found, (declared_slope(ev, function, at.value) * at.rest[0],), False)
    return numbers_of(at).lift(drawn(ev, function, at))


def numbers_of(at: Any) -> Numbers:
    if isinstance(at, float):
        return FLOATS
    return INTERVALS if isinstance(at, Interval) else RATIONALS


def declared_slope(ev: Any, function: t.Function, at: Any) -> Any:
    if isinstance(at, Moving | Jet):
        raise Undecided("a second derivative of what has no value")
    return plain(ev, at).real(derivative_of(function(ARGUMENT)), {ARGUMENT: at})


def drawn(ev: Any, function: t.Function, at: Any) -> Fraction:
    """The first candidate with which the facts hold, as far as they speak of what is known."""
    key = shown(at)
    known = MODELS.setdefault((function, type(at).__name__), {})
    if key in known:
        return known[key]
    if len(known) > MOST_KNOWN:
        known.clear()
    applied = function(ARGUMENT)
    if not plain(ev, at).value(domain_of(applied), {ARGUMENT: at}):
        raise Undecided(f"{function} outside of its domain")
    for candidate in candidates(key, known):
        known[key] = candidate
        if all(holds(plain(ev, at), fact, at, known) for fact in facts_of(applied)):
            return candidate
    del known[key]
    raise Undecided(f"nothing found to stand for {function}({key})")


def plain(ev: Any, at: Any) -> Any:
    """An evaluator that remembers nothing."""
    return type(ev)(numbers_of(at), {})


def holds(ev: Any, fact: t.Term, at: Any, known: dict[str, Fraction]) -> bool:
    """Whether a fact holds at an argument, or speaks of arguments that nobody asked about."""
    others = (u for u in t.walk(fact) if isinstance(u, t.Apply) and not u.function.built_in)
    for u in others:
        if any(shown(ev.real(a, {ARGUMENT: at})) not in known for a in u.arguments):
            return True
    return bool(ev.value(fact, {ARGUMENT: at}))


def shown(at: Any) -> str:
    return str(at.ends if isinstance(at, Interval) else at)


def candidates(key: str, known: dict[str, Fraction]) -> Iterator[Fraction]:
    """Numbers of all sizes and signs, then what is symmetric to numbers known already."""
    number = Fraction(crc32(key.encode()) % 61 + 1, 64)
    for whole in (0, 1, -1, 3, -4):
        yield number + whole
    yield from (Fraction(v, 2) for v in (0, 1, 2, -2))
    for value in list(known.values())[:-1]:
        yield from (sign * value + shift for sign in (-1, 1) for shift in (0, 1, -1))
