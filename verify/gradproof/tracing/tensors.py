"""A traced tensor: a shape, and what its cell at an index is, as a term. Untrusted.

A cell is asked for by one index per factor of each axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.axes import (
    Axis,
    Place,
    common,
    moved,
    plain,
    unflat,
)

UNWRITTEN = t.Sym("unwritten", REAL)  # what is in memory that nothing was written to: any number


MOST_PARTS = 20_000  # of the formula of one cell, with all that it is made of written out


class Unreadable(BaseException):
    """What cannot be read, and what could be written instead.

    Once there is one, the reading that is under way has failed, whoever catches it.
    """

    told = False  # of which line

    def __init__(self, said: str = "") -> None:
        super().__init__(said)
        if READINGS:
            READINGS[-1].append(self)


READINGS: list[list[Unreadable]] = []  # what was refused in each reading that is under way


@contextmanager
def reading() -> Iterator[None]:
    """One reading of code. What is refused within it is raised, though the code caught it."""
    refused: list[Unreadable] = []
    READINGS.append(refused)
    try:
        yield
    except (Exception, SystemExit, GeneratorExit):
        if not refused:
            raise
    finally:
        READINGS.pop()
    if refused:
        raise told_best(refused)


def told_best(refused: Sequence[Unreadable]) -> Unreadable:
    """The first refusal, as who had it in hand last put it."""
    found = refused[0]
    for other in refused:
        found = other if other.__cause__ is found else found
    return found


@dataclass(frozen=True)
class Name:
    """An array that stands for a tensor, or for one of each turn of a loop, which comes first."""

    array: t.Array
    turn: Place = ()

    def __getitem__(self, place: Place) -> Term:
        return self.array[(*self.turn, *place)]


class TooLong(Unreadable):
    """What takes too long a formula if nothing on the way has a name."""


@dataclass(eq=False)
class Naming:
    """Arrays that stand for what some tensors are, and the cells of the others by these names."""

    arrays: Mapping[Tensor, Name]
    known: dict[Tensor, dict[Place, Term]] = field(default_factory=dict)


NAMING: ContextVar[Naming | None] = ContextVar("NAMING", default=None)
MADE: ContextVar[list[Tensor] | None] = ContextVar("MADE", default=None)


@contextmanager
def naming(arrays: Mapping[Tensor, Name]) -> Iterator[None]:
    """Within it a tensor that has a name is read by it."""
    before = NAMING.set(Naming(arrays))
    try:
        yield
    finally:
        NAMING.reset(before)


@contextmanager
def recording() -> Iterator[list[Tensor]]:
    """All tensors that are made within it, each after those of which it is made."""
    made: list[Tensor] = []
    before = MADE.set(made)
    try:
        yield made
    finally:
        MADE.reset(before)


@dataclass(eq=False)
class Tensor:
    """Axes, the cell at an index (one per factor of each axis), and the sort of the cells.

    `hit`, of places of maxima, is the condition that a cell's value is a given index.
    """

    axes: tuple[Axis, ...]
    function: Callable[[Place], Term]
    sort: str = REAL
    hit: Callable[[Place, Term], Term] | None = None
    known: dict[Place, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (made := MADE.get()) is not None:
            made.append(self)

    @property
    def shape(self) -> tuple[Term, ...]:
        return tuple(n.product(axis) for axis in self.axes)

    @property
    def factors(self) -> tuple[Term, ...]:
        return tuple(f for axis in self.axes for f in axis)

    def cell(self, place: Place) -> Term:
        """The cell, by one index per factor."""
        names = NAMING.get()
        if names is not None and self in names.arrays:
            return names.arrays[self][place]
        return self.value(place)

    def value(self, place: Place) -> Term:
        """What the cell is, whether the tensor has a name or not."""
        names = NAMING.get()
        known = self.known if names is None else names.known.setdefault(self, {})
        if place not in known:
            found = of_sort(t.as_term(self.function(place)), self.sort)
            if parts_of(found) > MOST_PARTS:
                said = f"one number of what is computed takes a formula of over {MOST_PARTS} parts"
                raise TooLong(f"{said}; fewer turns of a loop, or smaller sizes, make it shorter")
            known[place] = found
        return known[place]

    def at(self, index: Sequence[Term]) -> Term:
        """The cell, by one index per axis."""
        return self.cell(self.place(index))

    def place(self, index: Sequence[Term]) -> Place:
        pairs = zip(self.axes, index, strict=True)
        return tuple(p for axis, e in pairs for p in unflat(e, axis))

    def groups(self, place: Place) -> tuple[Place, ...]:
        """The indices of a place, axis by axis."""
        rest = iter(place)
        return tuple(tuple(next(rest) for _ in axis) for axis in self.axes)


def of_sort(cell: Term, sort: str) -> Term:
    """A cell of a tensor, which is no real where the tensor is one of integers or conditions."""
    if sort == INT and not is_whole(cell):
        raise Unreadable("a real that is made an integer; keep it real, or compare it")
    if sort == BOOL and t.sort_of(cell) != BOOL:
        raise Unreadable("a number among conditions; compare it")
    return cell


@t.remembered
def is_whole(a: Term) -> bool:
    """Whether a term is an integer by how it is made."""
    if isinstance(a, t.If):
        return is_whole(a.then) and is_whole(a.otherwise)
    if isinstance(a, t.Add | t.Mul):
        return all(map(is_whole, a.args))
    if isinstance(a, t.Sum | t.Prod | t.Maximum):
        return is_whole(a.body)
    return isinstance(a, sympy.Integer | t.Bracket) or t.sort_of(a) == INT


@t.remembered
def parts_of(term: Term) -> int:
    """How long a formula is; what is in it twice counts twice."""
    return 1 if isinstance(term, t.LEAVES) else 1 + sum(map(parts_of, term.args))


def constant(value: object, shape: Iterable[object] = (), sort: str = REAL) -> Tensor:
    term = value if isinstance(value, t.Term) else reals.of(value)
    return Tensor(plain(shape), lambda place: term, sort)


def with_axes(tensor: Tensor, axes: tuple[Axis, ...]) -> Tensor:
    """The tensor over other factors of its axes; one of size 1 is repeated, or missing."""
    if tensor.axes == axes:
        return tensor
    common = min(len(tensor.axes), len(axes))
    own = tensor.axes[len(tensor.axes) - common :]
    if any(tensor.axes[: len(tensor.axes) - common]) or any(axes[: len(axes) - common]):
        raise Unreadable(f"a gradient of {len(tensor.axes)} axes for an input of {len(axes)}")

    def convert(place: Place) -> Place:
        rest = iter(place)
        parts = [tuple(next(rest) for _ in axis) for axis in axes]
        triples = zip(parts[len(axes) - common :], axes[len(axes) - common :], own, strict=True)
        return tuple(e for part, outer, inner in triples for e in moved(part, outer, inner))

    return over(tensor, axes, convert)


def over(tensor: Tensor, axes: tuple[Axis, ...], convert: Callable[[Place], Place]) -> Tensor:
    """The tensor, read at other places."""
    hit = tensor.hit
    other = None if hit is None else lambda place, value: hit(convert(place), value)
    return Tensor(axes, lambda place: tensor.cell(convert(place)), tensor.sort, other)


def aligned(*tensors: Tensor) -> list[Tensor]:
    """The tensors broadcast to the axes that they have in common."""
    rank = max(len(tensor.axes) for tensor in tensors)
    padded = [(*[()] * (rank - len(x.axes)), *x.axes) for x in tensors]
    axes: list[Axis] = [()] * rank
    for shape in padded:
        axes = [common(a, b) for a, b in zip(axes, shape, strict=True)]
    return [broadcast(x, tuple(axes)) for x in tensors]


def broadcast(tensor: Tensor, axes: tuple[Axis, ...]) -> Tensor:
    more = len(axes) - len(tensor.axes)
    wider = over(tensor, (*[()] * more, *tensor.axes), lambda place: place)
    return with_axes(wider, axes)


def elementwise(function: Callable[..., object], *given: object, sort: str = REAL) -> Tensor:
    """A function of the cells, broadcast; numbers are tensors without axes."""
    tensors = aligned(*(x if isinstance(x, Tensor) else constant(x) for x in given))

    def cell(place: Place) -> Any:
        return function(*(x.cell(place) for x in tensors))

    return Tensor(tensors[0].axes, cell, sort)


def as_real(tensor: Tensor) -> Tensor:
    """A condition as 1 or 0."""
    if tensor.sort == REAL:
        return tensor
    if tensor.sort == INT:
        return Tensor(tensor.axes, tensor.cell, REAL, tensor.hit)
    return Tensor(tensor.axes, lambda place: bracket(tensor.cell(place)), REAL)


def bracket(condition: Term) -> Term:
    if isinstance(condition, t.And) and not condition.args:
        return reals.ONE
    if isinstance(condition, t.Or) and not condition.args:
        return reals.ZERO
    return t.Bracket(condition)


def as_condition(tensor: Tensor) -> Tensor:
    """Where a tensor is not 0."""
    if tensor.sort == BOOL:
        return tensor
    return elementwise(lambda a: is_nonzero(a), tensor, sort=BOOL)


def is_nonzero(a: Term) -> Term:
    if isinstance(a, t.Bracket):
        return a.condition
    return truth(bool(a != 0)) if not isinstance(a, t.Term) else t.Ne(a, 0)


def truth(value: bool) -> Term:
    return t.And() if value else t.Or()
