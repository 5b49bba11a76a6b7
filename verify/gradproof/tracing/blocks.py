"""Blocks of numbers that one program holds: traced tensors whose axes are lanes. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import substituted
from gradproof.language.terms import BOOL, INT, REAL, Sym, Term, Terms
from gradproof.tracing import integers as n
from gradproof.tracing import lanes, layout, reals
from gradproof.tracing.axes import axis_of
from gradproof.tracing.facts import Facts
from gradproof.tracing.lanes import BELOW_ALL, tidy
from gradproof.tracing.memory import Array
from gradproof.tracing.tensors import (
    UNWRITTEN,
    Tensor,
    Unreadable,
    aligned,
    as_real,
    constant,
    elementwise,
)

CARRIED = "carried as "  # of arrays that stand for what a turn of a loop begins with
UNSET = {REAL: UNWRITTEN, INT: t.Sym("unwritten_index", INT)}


@dataclass(frozen=True, eq=False)
class Pointer:
    """An array, and how far from its first cell, lane by lane."""

    array: Array
    offset: Tensor


def lifted(value: Any) -> Tensor:
    """A number, or a block of them."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, bool):
        return constant(t.And() if value else t.Or(), (), BOOL)
    if isinstance(value, float) and value == float("-inf"):
        return constant(BELOW_ALL)
    if isinstance(value, int | float):
        return constant(value, (), INT if isinstance(value, int) else REAL)
    raise Unreadable(f"a {type(value).__name__} where a number is meant")


def require_alike(*blocks: Tensor) -> None:
    """That blocks have as many lanes as each other, or one, along every axis."""
    rank = max((len(b.axes) for b in blocks), default=0)
    for d in range(1, rank + 1):
        sizes = [b.shape[-d] for b in blocks if len(b.axes) >= d and b.axes[-d]]
        for size in sizes[1:]:
            if not n.equal(size, sizes[0]):
                raise Unreadable(f"blocks of {sizes[0]} and {size} lanes")


def joint(*values: Any) -> list[Tensor]:
    """Blocks broadcast to the axes that they have in common."""
    blocks = [lifted(v) for v in values]
    require_alike(*blocks)
    return aligned(*blocks)


def scalar(term: Term, sort: str = INT) -> Tensor:
    return constant(term, (), sort)


def arange(first: Any, last: Any) -> Tensor:
    start, end = (lifted(v).cell(()) for v in (first, last))
    axis = axis_of(n.minus(end, start))
    return Tensor((axis,), lambda place: n.add(start, *place), INT)


def choose(condition: Any, then: Any, otherwise: Any) -> Tensor:
    """Lane by lane one of two numbers."""
    c, a, b = joint(condition, then, otherwise)
    if BOOL in (a.sort, b.sort):
        if a.sort != b.sort:
            raise Unreadable("a choice between a condition and a number")
        return elementwise(lambda x, p, q: layout.either(x, p, q, BOOL), c, a, b, sort=BOOL)
    sort = REAL if REAL in (a.sort, b.sort) else INT
    return elementwise(lambda x, p, q: chosen(x, p, q), c, a, b, sort=sort)


def chosen(condition: Term, a: Term, b: Term) -> Term:
    return a if a == b else reals.choice(condition, a, b)


def extreme(larger: bool, a: Any, b: Any, facts: Facts) -> Tensor:
    """Lane by lane the larger, or the smaller, of two numbers."""
    first, second = joint(a, b)
    if first.sort == INT == second.sort:
        return elementwise(lambda p, q: whole(larger, p, q, facts), first, second, sort=INT)
    kind = reals.larger if larger else reals.smaller
    return elementwise(kind, as_real(first), as_real(second))


def whole(larger: bool, a: Term, b: Term, facts: Facts) -> Term:
    return lanes.greatest(facts, a, b) if larger else lanes.least(facts, a, b)


def reduced(
    kind: Callable[..., Term], block: Tensor, axis: int | None, keep: bool, facts: Facts
) -> Tensor:
    """A sum or a maximum over the lanes of an axis, or of all."""
    found = block
    if axis is not None and not -len(block.axes) <= axis < len(block.axes):
        raise Unreadable(f"axis {axis} of a block of {len(block.axes)}")
    for d in reversed(range(len(block.axes))) if axis is None else [axis % len(block.axes)]:
        found = along(kind, found, d, keep, facts)
    return found


def along(kind: Callable[..., Term], block: Tensor, axis: int, keep: bool, facts: Facts) -> Tensor:
    own = block.axes[axis]
    kept = [()] if keep else []
    axes = (*block.axes[:axis], *kept, *block.axes[axis + 1 :])
    before = sum(len(a) for a in block.axes[:axis])
    if not own:
        return Tensor(axes, block.cell, block.sort)
    last = n.minus(n.product(own), 1)
    lane = facts.symbol("j", last)

    def cell(place: Terms) -> Term:
        body = block.cell((*place[:before], lane, *place[before:]))
        return kind(body, (lane, n.ZERO, last), facts)

    return Tensor(axes, cell, block.sort)


def at_turn(value: Any, turn: Sym, place: Term) -> Any:
    """What a value is at another turn of a loop."""
    if isinstance(value, Pointer):
        return Pointer(value.array, at_turn(value.offset, turn, place))
    if not isinstance(value, Tensor):
        return value
    inner = value
    return Tensor(inner.axes, lambda p: tidy(substituted(inner.cell(p), {turn: place})), inner.sort)


def added_to(value: Any, more: Term) -> Any:
    """An index, or a pointer, further on by as much in each lane."""
    if isinstance(value, Pointer):
        return Pointer(value.array, added_to(value.offset, more))
    block = lifted(value)
    return Tensor(block.axes, lambda p: n.add(block.cell(p), more), INT)


def names_of(block: Tensor, facts: Facts, like: str) -> Sequence[Sym]:
    """A name for the lane along each axis that has several."""
    return [facts.symbol(like, n.minus(size, 1)) for size in block.factors]
