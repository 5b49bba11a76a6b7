"""Traced tensors that are written in place, and views through which they are. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.axes import axis_of
from gradproof.tracing.layout import reshape
from gradproof.tracing.tensors import Tensor, over, with_axes

View = Callable[[Tensor], Tensor]
Write = Callable[[Tensor, Tensor], Tensor]  # what a tensor becomes when its view is written


@dataclass(eq=False)
class Buffer:
    """What a name in the code refers to: a value of its own."""

    value: Tensor

    def read(self) -> Tensor:
        return self.value

    def write(self, value: Tensor) -> None:
        self.value = value


@dataclass(eq=False)
class Window:
    """Part of another buffer, or all of it in another shape."""

    parent: Buffer | Window
    view: View
    back: Write

    def read(self) -> Tensor:
        return self.view(self.parent.read())

    def write(self, value: Tensor) -> None:
        self.parent.write(self.back(self.parent.read(), value))


Reference = Buffer | Window


def as_before(whole: Tensor, part: Tensor) -> Tensor:
    """The inverse of a view of all cells in their order."""
    return with_axes(reshape(part, whole.shape), whole.axes)


def at_slice(
    whole: Tensor, part: Tensor, dim: int, start: Term, size: Term, step: object = 1
) -> Tensor:
    """A tensor some cells of which, along an axis, are those of another."""
    dim %= len(whole.axes)
    if start == 0 and step == 1 and n.equal(size, whole.shape[dim]):
        return with_axes(part, whole.axes)
    own = axis_of(whole.shape[dim])
    axes = (*whole.axes[:dim], own, *whole.axes[dim + 1 :])
    old = with_axes(whole, axes)
    inner = axis_of(size)
    new = with_axes(part, (*axes[:dim], inner, *axes[dim + 1 :]))
    before = sum(len(a) for a in axes[:dim])

    def cell(place: Place) -> Term:
        index = place[before] if own else n.ZERO
        at = n.floor_div(n.minus(index, start), step)
        taken = (at,) if inner else ()
        mine = new.cell((*place[:before], *taken, *place[before + len(own) :]))
        return pick(written(index, start, size, step), mine, old.cell(place), whole.sort)

    return Tensor(axes, cell, whole.sort)


Place = tuple[Term, ...]


def written(index: Term, start: Term, size: Term, step: object) -> Term:
    after = n.minus(index, start)
    parts = [t.relation(t.Ge, index, start)] if start != 0 else []
    parts.append(t.relation(t.Lt, after, n.mul(size, step)))
    if step != 1:
        parts.append(t.Eq(n.mod(after, step), 0))
    return t.And(*parts)


def pick(condition: Term, then: Term, otherwise: Term, sort: str) -> Term:
    if sort == BOOL:
        return t.Or(t.And(condition, then), t.And(t.Not(condition), otherwise))
    if otherwise == 0:
        return reals.times(t.Bracket(condition), then)
    return reals.choice(condition, then, otherwise)


def at_select(whole: Tensor, part: Tensor, dim: int, index: Term) -> Tensor:
    """A tensor of which one row, along an axis, is another."""
    dim %= len(whole.axes)
    axes = (*part.axes[:dim], (), *part.axes[dim:])
    return at_slice(whole, over(part, axes, lambda place: place), dim, index, n.ONE)
