"""What a turn of a loop has of the turn before, by a name or in an array. Untrusted.

In a turn it is a row of an array of all states, and what it leaves a row of another: a recurrence.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import REAL, Sym, Term
from gradproof.numpy.arrays import Array, Part, Write, plain_axes, written
from gradproof.numpy.ranges import Turns
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import integers as n
from gradproof.tracing import layout, reals, tensors
from gradproof.tracing.axes import Axis, Place
from gradproof.tracing.carrying import reaching, without
from gradproof.tracing.recurrences import State
from gradproof.tracing.tensors import UNWRITTEN, Tensor, Unreadable, as_real, with_axes

Scope = dict[str, Any]

FAR = "a loop that reads what turns before the last one wrote; carry that by a name of its own"
UNREAD = Sym("unread", REAL)  # what turns before the last one wrote
ELSEWHERE = (
    "a recurrence over cells that are not those of the index; write one cell or row in each turn, "
    "at the index plus a number, and read that of the turn before"
)
SHAPE = "a state whose shape changes from turn to turn; start with zeros of the shape it has"
ALONE = "make that loop the outermost one, on whole rows such as x[:, t]"
WITHIN = f"a recurrence that depends on the index of another loop; {ALONE}"


class Recurs(Unreadable):
    """Something that a turn has of the one before, with which the loop is to be read again."""

    def __init__(self, what: str | Array, axes: tuple[Axis, ...] = ()) -> None:
        super().__init__(ELSEWHERE)
        self.what, self.axes = what, axes
        self.writes = [] if isinstance(what, str) else [*what.writes]

    def carried(self, reader: Any, scope: Scope, seen: Turns, turns: Turns) -> ByName | InPlace:
        """What is carried from turn to turn, by the turns in which it was seen."""
        if isinstance(self.what, str):
            return ByName(reader, turns, self.what, scope[self.what], self.axes)
        if self.what.value.sort != REAL:
            raise Unreadable("integers or conditions that are carried from turn to turn")
        return InPlace(reader, turns, self.what, *row_of(self.writes, seen))


class Carried:
    """What enters and leaves the turns of a loop."""

    def __init__(self, reader: Any, turns: Turns, first: Tensor) -> None:
        self.turns, self.first, self.made = turns, as_real(first), first
        name, dims, count = str(reader.names("carry")), first.factors, n.add(turns.last, 1)
        self.states = t.Array(f"{name}s", (n.add(count, 1), *dims))
        self.leaving = t.Array(f"{name}next", (count, *dims))
        self.place = tuple(reader.names("c") for _ in dims)
        down = turns.downwards
        self.entered = self.row(self.states, n.add(turns.symbol, 1) if down else turns.symbol)
        self.left = self.row(self.leaving, turns.symbol)
        self.end = self.row(self.states, n.ZERO if down else count)
        self.rest: Term | None = None  # what turns add to it, if it is a sum

    def adds_up(self, reader: Any, rest: Term) -> None:
        """It is what it was at first, and all that turns have added."""
        turns, earlier = self.turns, reader.names("q")
        self.rest = rest

        def after(first: Term, last: Term) -> Tensor:
            def cell(place: Place) -> Term:
                values = {turns.symbol: earlier, **dict(zip(self.place, place, strict=True))}
                each = substitute(rest, values, Fresh(rest, *values.values()))
                total = reals.total(each, [(earlier, first, last)], frozenset((earlier,)))
                return reals.plus(self.first.cell(place), total)

            return Tensor(self.first.axes, cell)

        first, last = turns.earlier
        self.entered, self.end = after(first, last), after(turns.first, turns.last)
        self.left = after(*((turns.symbol, last) if turns.downwards else (first, turns.symbol)))

    def row(self, array: t.Array, at: Term) -> Tensor:
        return Tensor(self.first.axes, lambda place: array[(at, *place)])

    def state(self, reader: Any) -> State:
        turns = self.turns
        arrays = self.states, self.leaving, turns.symbol, self.place
        found = State(*arrays, self.first, self.made, turns.downwards)
        mentioned = free(found.start) | free(found.after)
        if UNREAD in mentioned:
            raise Unreadable(FAR)
        if mentioned - {turns.symbol, *self.place, *reader.hints, UNWRITTEN}:
            raise Unreadable(WITHIN)
        return found


class ByName(Carried):
    """A name to which a turn assigns, after it has read it."""

    def __init__(
        self, reader: Any, turns: Turns, name: str, start: Any, axes: tuple[Axis, ...]
    ) -> None:
        first = reader.tensor(start)
        super().__init__(reader, turns, tensors.broadcast(first, axes) if axes else first)
        self.name = name

    def is_changed(self, node: ast.AST, scope: Scope) -> bool:
        return stored(node) == self.name

    def enter(self, reader: Any, scope: Scope) -> None:
        scope[self.name] = reader.kept(self.entered)

    def leave(self, reader: Any, scope: Scope) -> None:
        """What the turn has made of it, which from here on is read by its name."""
        found = as_real(reader.tensor(scope[self.name]))
        wanted = self.first.shape
        if len(found.shape) != len(wanted) or not all(map(n.equal, found.shape, wanted)):
            raise Unreadable(SHAPE)
        self.made = with_axes(found, self.first.axes)
        scope[self.name] = reader.kept(self.left)

    def close(self, reader: Any, scope: Scope) -> None:
        scope[self.name] = reader.kept(self.end)


class InPlace(Carried):
    """An array that a turn reads as the one before has left it: a row of it, or the whole."""

    def __init__(
        self, reader: Any, turns: Turns, array: Array, axis: int | None, shift: Term
    ) -> None:
        self.array, self.old = array, plain_axes(array.value)
        self.axis, self.shift = axis, shift
        self.at = n.add(turns.index, shift)  # where a turn writes
        self.before = n.minus(self.at, turns.step)  # and where the one before did
        first = self.old
        if self.axis is not None:
            first = layout.selected(
                first, self.axis, n.add(n.minus(turns.start, turns.step), shift)
            )
        super().__init__(reader, turns, first)
        self.parts = tuple(
            Part(self.at) if d == self.axis else Part(n.ZERO, size)
            for d, size in enumerate(array.value.shape)
        )

    def is_changed(self, node: ast.AST, scope: Scope) -> bool:
        return scope.get(stored(node)) is self.array

    def enter(self, reader: Any, scope: Scope) -> None:
        known = (*reader.requires, *reader.known)
        self.array.value = Tensor(self.old.axes, self.cell(known))
        self.array.exact, self.array.wrote = reader.depth, []

    def cell(self, known: Sequence[Term]) -> Callable[[Place], Term]:
        """What is in the array as a turn begins."""
        if self.axis is None:
            return self.entered.cell
        number = sum(map(len, self.old.axes[: self.axis]))

        def cell(place: Place) -> Term:
            at, rest = place[number], (*place[:number], *place[number + 1 :])
            if n.equal(at, self.before):
                return self.entered.cell(rest)
            return self.old.cell(place) if self.is_untouched(at, known) else UNREAD

        return cell

    def is_untouched(self, at: Term, known: Sequence[Term]) -> bool:
        """Whether no turn before this one writes there."""
        ahead = n.minus(at, self.at)
        if isinstance(ahead, sympy.Integer):
            return bool(ahead * self.turns.step >= 0)
        begin = n.add(self.turns.start, self.shift)
        sides = (t.Lt, t.Ge) if self.turns.step > 0 else (t.Gt, t.Le)
        apart = ((at, begin), (at, self.at))
        asked = (t.relation(k, *pair) for k, pair in zip(sides, apart, strict=True))
        return any(ask(known, condition).status == "proved" for condition in asked)

    def leave(self, reader: Any, scope: Scope) -> None:
        """What the turn has made of it, which from here on is read by its name."""
        array = self.array
        wrote = [*array.wrote, *array.writes]
        if wrote and row_of(wrote, self.turns) != (self.axis, self.shift):
            raise Unreadable(ELSEWHERE)
        found = array.now()
        self.made = found if self.axis is None else layout.selected(found, self.axis, self.at)
        self.made = with_axes(as_real(self.made), self.first.axes)
        array.value, array.writes = written(found, self.write), []

    @property
    def write(self) -> Write:
        return Write(self.parts, self.left, False)

    def close(self, reader: Any, scope: Scope) -> None:
        array = self.array
        if array.writes:
            raise Unreadable(ELSEWHERE)
        array.exact, array.read_at = 0, []
        if self.axis is None:
            array.value = self.end
            return
        array.value = written(self.old, replace(self.write, ranges=(self.turns.over,)))


def some_place(x: Tensor) -> tuple[Sym, ...]:
    return tuple(Sym(f"place{d}") for d in range(len(x.factors)))


def sum_among(carried: Sequence[Carried]) -> tuple[Carried, Term] | None:
    """Something carried to which turns add what is not made of it; and what they add."""
    found = {c.states: c for c in carried if c.rest is None}
    own = {c.leaving: c.states for c in found.values()}
    sums, direct = dict[t.Array, Term](), dict[t.Array, set[t.Array]]()
    for a, c in found.items():
        made = c.made.cell(c.place)
        rest = without(made, c.entered.cell(c.place))
        sums |= {} if rest is None else {a: rest}
        direct[a] = {own.get(u, u) for u in t.arrays(made if rest is None else rest)}
    reached = reaching(direct)
    plain = (a for a in sums if a not in reached[a] and reached[a].isdisjoint(sums))
    return next(((found[a], sums[a]) for a in plain), None)


def row_of(writes: Sequence[Write], turns: Turns) -> tuple[int | None, Term]:
    """The axis along which turns write, and how far from the index; none where it is the whole."""
    parts = [w.parts for w in writes]
    for axis, part in enumerate(parts[0]):
        shift = n.minus(part.start, turns.index)
        same = all(p[axis].size is None and p[axis].start == part.start for p in parts)
        if same and turns.symbol not in free(shift):
            return axis, shift
    if any(turns.symbol in free(e) for p in parts for part in p for e in ends_of(part)):
        raise Unreadable(ELSEWHERE)
    return None, n.ZERO


def ends_of(part: Part) -> Iterator[Term]:
    yield part.start
    if part.size is not None:
        yield t.as_term(part.size)


def stored(node: ast.AST) -> str:
    """The name to which a node of code assigns, or in whose cells it writes."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return name
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "insert")):
            return name
    return ""


def last_change(carried: ByName | InPlace, body: Sequence[ast.stmt], scope: Scope) -> int:
    """The last statement of a turn that changes something; the last of all if none does."""
    changing = (
        k
        for k, statement in enumerate(body)
        if any(carried.is_changed(node, scope) for node in ast.walk(statement))
    )
    return max(changing, default=len(body) - 1)
