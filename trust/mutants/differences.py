"""Where two terms differ that are alike in most. Untrusted.

They are equal if the parts are in which they differ: each as a whole integer, or else as deep as
the terms are alike, at every place of the ranges it stands in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import bound_by, free


@dataclass(frozen=True)
class Difference:
    """Two parts that stand at the same place of two terms, and the ranges they stand in."""

    over: tuple[Any, ...]
    before: Any
    after: Any

    def is_of(self, sizes: tuple[Any, ...]) -> bool:
        """Integers that depend on sizes, and on the places of the ranges, alone."""
        known = {*sizes, *(symbol for symbol, _, _ in self.over)}
        return all(is_integer(u) and free(u) <= known for u in (self.before, self.after))


def differences(a: Any, b: Any, over: tuple[Any, ...]) -> Iterator[Difference]:
    """The parts in which two terms differ that stand in the ranges `over`."""
    if a == b:
        return
    alike = type(a) is type(b) and len(a.args) == len(b.args) > 0
    shadowed = bound_by(a) & {symbol for symbol, _, _ in over}
    if not alike or shadowed or (is_integer(a) and is_integer(b)):
        yield Difference(over, a, b)
        return
    for position, (u, v) in enumerate(zip(a.args, b.args, strict=True)):
        yield from differences(u, v, (*over, *ranges_at(a, position)))


def is_integer(term: Any) -> bool:
    """An integer that no loop computes."""
    number = isinstance(term, t.Term | sympy.Integer) and t.sort_of(term) == t.INT
    return number and not any(isinstance(u, t.Fold) for u in t.walk(term))


def ranges_at(node: Any, position: int) -> tuple[Any, ...]:
    """Ranges that a part of a node stands in; of what is neither body nor range, none are told."""
    if not isinstance(node, t.Binder | t.Scatter):
        return ()
    first = len(node.args) - len(node.ranges)
    if position >= first:
        return tuple(node.ranges[: position - first])
    body = isinstance(node, t.Scatter) or (position == 0 and not isinstance(node, t.Fold))
    return tuple(node.ranges) if body else ()
