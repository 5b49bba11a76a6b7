"""Arrays of code that is read: what is in them, and what loops have yet to write. Untrusted.

A write within a loop is kept with the indices of the loop. Where the loop ends, its index gets its
range; where the array is read, each cell is what was there with all that was written to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Sym, Term
from gradproof.numpy.ranges import Turns
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.axes import Place, axis_of, plain
from gradproof.tracing.tensors import Tensor, Unreadable, with_axes

Range = tuple[Sym, Term, Term]
FILLED = "a list that is read as a whole in the loop that fills it; read its rows, hs[t - 1]"


@dataclass(frozen=True)
class Part:
    """What an index says of one axis: one place, or cells from `start`, `step` apart."""

    start: Term
    size: Term | None = None  # of a slice
    step: Term = n.ONE


@dataclass(frozen=True)
class Write:
    """`a[parts] = value`, or `+=`, wherever the conditions hold and for all of the ranges."""

    parts: tuple[Part, ...]
    value: Tensor  # over the axes that are sliced
    adds: bool
    when: tuple[Term, ...] = ()
    ranges: tuple[Range, ...] = ()


@dataclass(frozen=True)
class Filling:
    """How far a list is filled, by a loop of which each turn adds a row."""

    length: Term
    row: Term | None  # where the turn writes, until it has
    front: bool
    depth: int

    @property
    def at(self) -> tuple[bool, int]:
        return self.front, self.depth

    def place(self, index: Any) -> Any:
        """An index of the list as it is in the turn."""
        if self.front or not isinstance(index, int | Term):
            raise Unreadable(FILLED)
        return n.add(self.length, index) if isinstance(index, int) and index < 0 else index


@dataclass(eq=False)
class Array:
    """An array that can be written to."""

    value: Tensor
    writes: list[Write] = field(default_factory=list)
    read_at: list[tuple[Part, ...]] = field(default_factory=list)  # in the loops that are open
    bases: tuple[tuple[Array, int], ...] = ()  # whose cells it shares, and as of which version
    version: int = 0
    exact: int = 0  # in how many loops `value` is what a turn begins with
    wrote: list[Write] = field(default_factory=list)  # what was settled
    held: list[Write] = field(default_factory=list)  # of the loops around
    filling: Filling | None = None  # of a list, in the loop that fills it
    is_list: bool = False
    is_loose: bool = False  # a number under a condition
    rows: tuple[tuple[Array, int], ...] = ()  # of a list, as of which version

    def now(self) -> Tensor:
        """What is in it, where it is exact."""
        value = self.value
        for write in self.writes:
            value = written(value, write)
        return value

    def settled(self) -> Tensor:
        """What is in it, with all that was written."""
        self.value, self.wrote, self.writes = self.now(), [*self.wrote, *self.writes], []
        return self.value

    def opened(self, depth: int) -> Array:
        """Before the turns of a loop; and what it was."""
        if depth and depth == self.exact:
            self.settled()
        before = replace(self)
        self.held, self.writes, self.read_at = [*self.held, *self.writes], [], []
        return before


def plain_axes(value: Tensor) -> Tensor:
    """The tensor with one index for each axis that has more than one cell."""
    return with_axes(value, plain(value.shape))


def written(old: Tensor, write: Write) -> Tensor:
    """A tensor after a write: at each place, what is put or added there."""
    base, wanted = plain_axes(old), plain(old.shape)
    shape = [part.size for part in write.parts if part.size is not None]
    value = with_axes(write.value, plain(shape))

    def cell(place: Place) -> Term:
        rest = iter(place)
        index = [next(rest) if axis else n.ZERO for axis in wanted]
        conditions, at, equations, blocks = list(write.when), [], [], []
        for e, part, length in zip(index, write.parts, old.shape, strict=True):
            if part.size is None:
                equations.append((e, part.start, length))
                continue
            after = n.minus(e, part.start)
            inner = n.floor_div(after, part.step)
            if axis_of(part.size):
                at.append(inner)
            conditions += within(part, e, after, old.shape)
            blocks.append((e, part))
        found = value.cell(tuple(at))
        return put(base.cell(place), found, conditions, equations, blocks, write)

    return Tensor(wanted, cell, old.sort)


def within(part: Part, index: Term, after: Term, shape: Sequence[Term]) -> list[Term]:
    """That an index is in a slice; nothing is asked of one that is the whole axis."""
    if part.start == 0 and part.step == 1 and any(n.equal(part.size, s) for s in shape):
        return []
    inside = [t.relation(t.Ge, after, 0), t.relation(t.Lt, after, n.mul(part.size, part.step))]
    return inside + ([t.Eq(n.mod(after, part.step), 0)] if part.step != 1 else [])


Equation = tuple[Term, Term, Term]  # an index, what it must be, the size of its axis


Block = tuple[Term, Part]  # an index, and the slice in which it is


def put(
    old: Term,
    value: Term,
    when: list[Term],
    equations: list[Equation],
    blocks: list[Block],
    write: Write,
) -> Term:
    """A cell after a write: indices of loops that the place determines are solved for."""
    ranges, conditions, left = list(write.ranges), list(when), list(equations)
    for number, (symbol, first, last) in reversed(list(enumerate(ranges))):
        ends = [end for r in ranges[number + 1 :] for end in r[1:]]
        if any(symbol in free(t.as_term(end)) for end in ends):
            continue
        solved = next((q for q in left if turn_of(q[1], symbol, q[0]) is not None), None)
        at = turn_in(blocks, symbol) if solved is None else turn_of(solved[1], symbol, solved[0])
        if at is None:
            continue
        if solved is not None:
            left.remove(solved)
        fresh = Fresh(value, *conditions, *(u for q in left for u in q), at)
        values = {symbol: at}
        conditions = [tidy(substitute(c, values, fresh)) for c in conditions]
        left = [(a, tidy(substitute(b, values, fresh)), c) for a, b, c in left]
        blocks = [(a, moved(part, values, fresh)) for a, part in blocks]
        value = substitute(value, values, fresh)
        is_whole = solved is not None and n.equal(n.add(last, 1), solved[2])
        if not (is_whole and solved and at == solved[0] and first == 0):
            conditions += [t.relation(t.Le, first, at), t.relation(t.Le, at, last)]
        del ranges[number]
    if any(are_apart(a, b) for a, b, _ in left):
        return old
    conditions += [t.Eq(a, b) for a, b, _ in left if not n.equal(a, b)]
    if not write.adds:
        value, conditions, ranges = last_written(value, conditions, ranges)
    return combined(old, value, conditions, ranges, write.adds)


def last_written(
    value: Term, conditions: list[Term], ranges: list[Range]
) -> tuple[Term, list[Term], list[Range]]:
    """Of turns that write one cell, the last one."""
    for symbol, first, last in reversed(ranges):
        if any(symbol in free(c) for c in conditions):
            raise Unreadable("a loop that writes a cell several times; write += or a condition")
        fresh = Fresh(value, t.as_term(last))
        value = substitute(value, {symbol: t.as_term(last)}, fresh)
        conditions = [*conditions, t.relation(t.Le, first, last)]
    return value, conditions, []


def are_apart(a: Term, b: Term) -> bool:
    """Whether two places differ by a number."""
    between = n.minus(a, b)
    return isinstance(between, sympy.Integer) and between != 0


def tidy(term: Term) -> Term:
    return n.simple(term) if t.sort_of(term) == t.INT else term


def turn_of(term: Term, symbol: Sym, place: Term) -> Term | None:
    """The turn at which a term is a place, if it goes up or down by one from turn to turn."""
    if symbol not in free(term):
        return None
    if symbol not in free(n.minus(term, symbol)):
        return n.minus(place, n.minus(term, symbol))
    if symbol not in free(n.add(term, symbol)):
        return n.minus(n.add(term, symbol), place)
    return None


def turn_in(blocks: Sequence[Block], symbol: Sym) -> Term | None:
    """The only turn whose slice may have a place in it: slices begin a stride apart, and are no
    longer than that."""
    for e, part in blocks:
        fresh = Fresh(part.start)
        rest, after = (substitute(part.start, {symbol: t.as_term(k)}, fresh) for k in (0, 1))
        stride = n.minus(after, rest)
        is_linear_ = n.equal(part.start, n.add(rest, n.mul(stride, symbol)))
        if part.step == 1 and is_linear_ and is_positive(stride) and at_most(part.size, stride):
            return n.floor_div(n.minus(e, rest), stride)
    return None


def is_positive(stride: Term) -> bool:
    """Whether it is a number above 0, or a size, as which it is one of the ends of a slice."""
    return bool(stride > 0) if isinstance(stride, sympy.Integer) else isinstance(stride, Sym)


def at_most(size: Term | None, stride: Term) -> bool:
    """Whether the length of a slice is no more than a stride, by its form."""
    if size is None:
        return False
    if isinstance(size, t.Max):
        return all(part == 0 or at_most(part, stride) for part in size.args)
    smallest = next((u for u in t.walk(size) if isinstance(u, t.Min)), None)
    if smallest is None:
        return n.equal(size, stride)
    rest = n.minus(size, smallest)
    return any(n.equal(n.add(rest, part), stride) for part in smallest.args)


def moved(part: Part, values: dict[Sym, Term], fresh: Fresh) -> Part:
    size = None if part.size is None else substitute(part.size, values, fresh)
    return Part(substitute(part.start, values, fresh), size, part.step)


def combined(
    old: Term, value: Term, conditions: list[Term], ranges: list[Range], adds: bool
) -> Term:
    guard = t.And(*conditions)
    if not ranges and not conditions:
        return reals.plus(old, value) if adds else value
    if not adds:
        if t.sort_of(value) == t.BOOL:
            return t.Or(t.And(guard, value), t.And(t.Not(guard), old))
        return reals.choice(guard, value, old)
    part = reals.times(t.Bracket(guard), value) if conditions else value
    whole = t.Sum(part, *ranges) if ranges else part
    return reals.plus(old, whole)


def closed(writes: Sequence[Write], over: Range) -> list[Write]:
    """The writes of a loop's body as those of the loop."""
    return [replace(w, ranges=(over, *w.ranges)) for w in writes]


def merged(writes: Sequence[Write]) -> list[Write]:
    """Writes with those to one place, one after the other, as one: what was put, and added."""
    found: list[Write] = []
    for write in writes:
        last = found[-1] if found else None
        same = (
            last is not None
            and last.parts == write.parts
            and last.when == write.when
            and not last.ranges
        )
        if not same or last is None:
            found.append(write)
            continue
        if not write.ranges and not write.adds:
            found[-1] = write
        elif write.adds:
            found[-1] = replace(last, value=added(last.value, write))
        else:
            found.append(write)
    return found


def added(first: Tensor, write: Write) -> Tensor:
    """What was put, with what a loop within adds to it."""
    axes = first.axes if first.axes == write.value.axes else plain(first.shape)
    a, b = with_axes(first, axes), with_axes(write.value, axes)
    bound = frozenset(symbol for symbol, _, _ in write.ranges)

    def cell(place: Place) -> Term:
        inner = b.cell(place)
        total = reals.total(inner, write.ranges, bound) if write.ranges else inner
        return reals.plus(a.cell(place), total)

    return Tensor(axes, cell, first.sort)


def is_elsewhere(parts: Sequence[Part], written: Sequence[Part], symbol: Sym | None = None) -> bool:
    """Whether no cell of some parts is one of others, in whichever turns of a loop."""
    return any(
        a.size is None is b.size
        and are_apart(a.start, b.start)
        and symbol not in free(a.start) | free(b.start)
        for a, b in zip(parts, written, strict=False)
    )


def is_recurrence(array: Array, symbol: Sym, fixed: Set[Sym]) -> bool:
    """Whether a loop reads other cells of an array than those that it writes in the same turn."""
    places = {w.parts for w in array.writes}
    for parts in array.read_at:
        same = len(places) == 1 and parts in places
        if not (same and tells_turn(parts, symbol, fixed)) and not all(
            is_elsewhere(parts, p, symbol) for p in places
        ):
            return True
    return False


def tells_turn(parts: Sequence[Part], symbol: Sym, fixed: Set[Sym]) -> bool:
    """Whether no two turns have the same parts, with what is fixed in all of them."""
    return any(p.size is None and is_linear(p.start, symbol, fixed) for p in parts)


def is_linear(term: Term, symbol: Sym, fixed: Set[Sym]) -> bool:
    """Whether it is a number times the index of a loop, and something that is fixed."""
    rest = {m: f for m, f in n.polynomial(term).items() if m != (symbol,)}
    return len(rest) < len(n.polynomial(term)) and all(
        free(e) <= fixed and not t.arrays(e) for m in rest for e in m
    )


def apart_if_later(first: Write, second: Write, turns: Turns, names: Any) -> tuple[Any, Term]:
    """That a write of a later turn touches no cell that a second one wrote before, by what.

    What is known of the turns and places, and that some index differs then.
    """
    symbols = [turns.symbol, *(r[0] for r in second.ranges)]
    values = {s: names("e") for s in symbols}
    fresh = Fresh(*values.values())

    def moved(term: Term) -> Term:
        return substitute(t.as_term(term), values, fresh)

    known = [*turns.known, *map(moved, turns.known), *map(moved, second.when), *first.when]
    known += [c for r in first.ranges for c in within_range(*r)]
    known += [moved(c) for r in second.ranges for c in within_range(*r)]
    earlier = (turns.symbol, moved(turns.symbol))
    known.append(t.relation(t.Lt, *(earlier if turns.downwards else earlier[::-1])))
    pairs = zip(first.parts, second.parts, strict=True)
    differs = [c for a, b in pairs for c in separate(a, b, moved)]
    return [c for c in known if not t.arrays(c)], t.Or(*differs)


def within_range(symbol: Sym, first: Term, last: Term) -> tuple[Term, Term]:
    return t.relation(t.Le, first, symbol), t.relation(t.Le, symbol, last)


def separate(a: Part, b: Part, moved: Callable[[Term], Term]) -> Iterator[Term]:
    """Each way in which two parts of an axis have no cell in common."""
    ends = [
        (
            f(p.start),
            f(p.start if p.size is None else n.add(p.start, n.mul(p.step, n.minus(p.size, 1)))),
        )
        for p, f in ((a, t.as_term), (b, moved))
    ]
    (first, last), (start, end) = ends
    yield t.relation(t.Lt, last, start)
    yield t.relation(t.Lt, end, first)


@dataclass(frozen=True, eq=False)
class Table:
    """A list of tuples or dictionaries, as a tuple or dictionary of lists of as many rows."""

    count: Array  # a list of nothing but zeros
    parts: Any  # of lists, tables, and what is the same in all rows

    @property
    def arrays(self) -> Iterator[Array]:
        yield self.count
        parts = self.parts.values() if isinstance(self.parts, dict) else self.parts
        for part in parts:
            yield from arrays_in(part)

    def row(self, of: Callable[[Any], Any]) -> Any:
        """What `of` makes of the lists, in a row."""

        def inner(part: Any) -> Any:
            return of(part) if isinstance(part, Array | Table) else part

        if isinstance(self.parts, dict):
            return {k: inner(part) for k, part in self.parts.items()}
        return tuple(map(inner, self.parts))


def arrays_in(part: Any) -> Iterator[Array]:
    if isinstance(part, Array):
        yield part
    if isinstance(part, Table):
        yield from part.arrays
