"""What a run of code has at hand: arrays, the loops and branches it is in, what is known of sizes.
Untrusted.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import Term
from gradproof.numpy.arrays import FILLED, Array
from gradproof.numpy.carrying import FAR, UNREAD, Recurs, some_place
from gradproof.numpy.functions import array_of, scalar
from gradproof.numpy.objects import Instance, Unsaid, is_users
from gradproof.numpy.ranges import Range, Rows
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import sums
from gradproof.tracing.axes import Axis
from gradproof.tracing.recurrences import Loop
from gradproof.tracing.tensors import UNWRITTEN, Tensor, Unreadable

Scope = dict[str, Any]
CHANGED = "a view of an array that was written since; take a copy"
FEW, MANY = 4, 16  # turns of a loop that are written out: always, and where it is read no other way
FIRST = "first argument"  # under which a scope has that of its function, for super()
UNKNOWN = object()  # what a name is after a loop or branch that may have assigned it


@dataclass(frozen=True)
class Entering:
    """What a name is in a turn that has yet to assign it: what the turn before has left."""

    name: str


@dataclass(frozen=True, eq=False)
class Once:
    """An iterator, which is run through where it stands."""

    over: Any


@dataclass(frozen=True, eq=False)
class Inner:
    """A function that is defined within another, with the names that it reads of it."""

    node: Any
    scope: Scope
    signature: Any


class Text:
    """Text that is made of values, or something else of which nothing is asked."""


def items(value: Any) -> Sequence[Any]:
    """What Python iterates over or unpacks."""
    value = value.over if isinstance(value, Once) else value
    if isinstance(value, tuple | list):
        return value
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, Range):
        value = Rows(value)
    if isinstance(value, Rows) and value.over.turns is not None:
        return [value.at(index) for index in value.over.turns]
    raise Unreadable("something that is iterated or unpacked, and whose length is a size")


def named(name: str, scope: Scope) -> Any:
    """What a name of the code is."""
    if name not in scope:
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise Unreadable(f"{name}, which is not defined")
    if isinstance(scope[name], Entering):
        raise Recurs(scope[name].name)
    if scope[name] is UNKNOWN:
        raise Unreadable(
            f"{name}, which a loop or branch may have left unassigned, or which is a recurrence: "
            "each turn begins with what the one before left"
        )
    return scope[name]


def is_changeable(value: Any) -> bool:
    return isinstance(value, list | dict | tuple) or is_users(type(value))


def copy(value: Any, inner: Callable[[Any], Any], known: Callable[[Any], None]) -> None:
    """A list, tuple, dictionary or object with what `inner` makes of what is in it, which may be
    that itself."""
    if type(value) is dict:
        known({k: inner(v) for k, v in value.items()})
    elif isinstance(value, tuple):
        known(tuple(map(inner, value)))
    elif type(value) is list:
        known(list(map(inner, value)))
    elif isinstance(value, list | dict) or not hasattr(value, "__dict__"):
        known(Text())
    else:
        known(made := Instance(type(value)))
        own = {k: v for k, v in vars(value).items() if isinstance(v, np.ndarray)}
        arrays = {k: Unsaid(k, v.shape) for k, v in own.items()}
        made.attributes.update({k: inner(v) for k, v in vars(value).items()} | arrays)


class State:
    """What is known where a line runs."""

    def __init__(
        self,
        requires: Sequence[Term],
        hints: Mapping[Any, Any],
        turns: int = FEW,
        recurrences: bool = True,
    ) -> None:
        self.names = sums.Names()
        self.requires = tuple(requires)
        self.hints = hints
        self.turns = turns  # a loop of so many, or fewer, is written out
        self.guards: list[Term] = []
        self.path: list[Term] = []  # conditions on cells and indices under which a line runs
        self.known: list[Term] = []  # the ranges of the loops that are open
        self.arrays: list[Array] = []
        self.depth = 0
        self.called = self.inside  # where the function that is read was called
        self.recurrences = recurrences  # or folds, of loops that make a number
        self.recurs = False  # whether the outermost loop that is open may be one
        self.loops: list[Loop] = []  # that are
        self.own_lists: list[list[Any]] = []  # that were made in the turn of the open loop
        self.filled: list[tuple[list[Any], Any]] = []  # lists with the arrays that they are now
        self.tree: Any = None  # of the function that is read
        self.breaks: tuple[int, int] | None = None  # where a loop stands that may be left
        self.awaited = False  # whether a row was read of one that is yet to be filled
        self.views: dict[int, tuple[Tensor, tuple[Array, ...], tuple[int, ...]]] = {}
        self.outer: dict[int, tuple[Any, Any, Any]] = {}  # with copies, and what each is within
        self.reads = Counter[int]()  # of what is from outside of the functions
        self.changed: set[int] = set()

    @property
    def inside(self) -> tuple[int, int]:
        """In how many loops, and in how many branches of the innermost, a line runs."""
        return self.depth, len(self.path)

    # Lists and dictionaries that are there before the code runs, and that a call may change.

    def own(self, value: Any, root: Any = None) -> Any:
        """Its own copy, one for all functions."""
        if not is_changeable(value):
            return value
        if id(value) not in self.outer:
            root = value if root is None else root

            def known(made: Any) -> None:
                self.outer[id(value)] = self.outer[id(made)] = value, made, root

            copy(value, lambda v: self.own(v, root), known)
        return self.outer[id(value)][1]

    def argument(self, value: Any, known: dict[int, Any] | None = None) -> Any:
        """A copy, for one call alone."""
        if not is_changeable(value):
            return value
        seen: dict[int, Any] = {} if known is None else known
        if id(value) not in seen:
            copy(value, lambda v: self.argument(v, seen), partial(seen.__setitem__, id(value)))
        return seen[id(value)]

    def reads_outer(self, value: Any, count: int = 1) -> None:
        """Something that is read by its name, if it is from outside."""
        if id(value) in self.outer:
            self.reads[id(self.outer[id(value)][2])] += count

    def changes(self, value: Any) -> None:
        """A list or dictionary is changed, which was read by its name for that alone."""
        self.reads_outer(value, -1)
        if id(value) in self.outer:
            self.changed.add(id(self.outer[id(value)][2]))

    def refuse_lasting(self) -> None:
        """What one call leaves is not read as what another finds."""
        if any(self.reads[one] for one in self.changed):
            raise Unreadable(
                "a list, dictionary or object from outside of the function, changed and read: "
                "what one call leaves, the next one finds; make it an argument"
            )

    # Lists, which are arrays from where a loop fills them.

    def new_list(self, values: list[Any]) -> list[Any]:
        self.own_lists.append(values)
        return values

    def current(self, value: Any) -> Any:
        """What a list is now."""
        if not isinstance(value, list):
            return value
        return next((array for rows, array in self.filled if rows is value), value)

    def is_outside(self, rows: list[Any]) -> bool:
        """Whether a list was there before the open loop."""
        return bool(self.depth) and not any(rows is one for one in self.own_lists)

    # Arrays, and the memory that they share.

    def kept(self, value: Any) -> Any:
        """A value that a name is given: an array of its own, or one that shares another's cells."""
        if isinstance(value, Once):
            raise Unreadable("an iterator that is given a name; write list(…)")
        if not isinstance(value, Tensor) or not value.axes:
            return scalar(value)
        return self.new_array(value, self.bases(value))

    def new_array(self, value: Tensor, bases: tuple[Array, ...] = ()) -> Array:
        bases_ = tuple((b, b.version) for b in bases)
        made = Array(value, bases=bases_, exact=self.depth)
        self.arrays.append(made)
        return made

    def bases(self, value: Any) -> tuple[Array, ...]:
        """The arrays whose cells a value shares."""
        if isinstance(value, Array):
            return (value, *(b for b, _ in value.bases))
        self.check_fresh(value)
        return self.views[id(value)][1] if id(value) in self.views else ()

    def view(self, found: Any, source: Any) -> Any:
        """A result that shares the cells of an array."""
        bases = self.bases(source)
        if isinstance(found, Tensor) and bases:
            self.views[id(found)] = found, bases, tuple(b.version for b in bases)
        return found

    def tensor(self, value: Any) -> Tensor:
        """An array as it is now; a number as one without axes."""
        if not isinstance(value, Array):
            self.check_fresh(value)
            return array_of(value)
        self.refuse_loose(value)
        self.check_view(value)
        if value.filling is not None:
            raise Unreadable(FILLED)
        if self.is_pending(value):
            if value.writes or value.held:
                raise self.again(value, 1, "a loop that reads what it writes as a whole")
            value.read_at.append(())
        return self.checked(value.now())

    def refuse_loose(self, value: Any) -> None:
        if isinstance(value, Array) and value.is_loose:
            raise Unreadable("an array or a number, by a condition; make it an array in both cases")

    def fitted(self, value: Any) -> Tensor:
        """What takes the shape of what it is used with: an array, or one that may be a number."""
        is_loose = isinstance(value, Array) and value.is_loose
        return self.tensor(replace(value, is_loose=False) if is_loose else value)

    def awaited_row(self, rows: list[Any]) -> Any:
        """In place of a row of a list that the turn is yet to fill: then it is read again."""
        self.awaited = True
        return rows[0] if rows else UNWRITTEN

    def checked(self, found: Tensor) -> Tensor:
        """What a turn reads of an array, if it is of no turn but the last."""
        if self.recurs and found.hit is None and UNREAD in free(found.cell(some_place(found))):
            raise Unreadable(FAR)
        return found

    def is_pending(self, array: Array) -> bool:
        """Whether turns of open loops may have written what is not in it."""
        return bool(self.depth) and self.depth != array.exact

    def again(
        self, what: str | Array, depth: int, otherwise: str, axes: tuple[Axis, ...] = ()
    ) -> Unreadable:
        """What is raised at a depth of loops where a turn has something of the one before."""
        if self.recurs and self.depth == depth:
            return Recurs(what, axes)
        return Unreadable(otherwise)

    def check_fresh(self, value: Any) -> None:
        """A part of an array that has no name is used before that is written."""
        _, bases, versions = self.views.get(id(value), (None, (), ()))
        if any(b.version != v for b, v in zip(bases, versions, strict=True)):
            raise Unreadable(CHANGED)

    def check_view(self, array: Array) -> None:
        """A view is read as it was made; so what it is of must not have been written since."""
        for base, version in array.bases:
            if base.version != version:
                raise Unreadable(CHANGED)
            if self.depth > array.exact:
                base.read_at.append(())

    # What decides.

    def entails(self, condition: Term) -> bool:
        """Whether a condition holds where the line runs, whatever the sizes and cells."""
        if condition == t.And():
            return True
        path = (c for c in self.path if not t.arrays(c))
        given = (*self.requires, *self.known, *path)
        return bool(ask(given, condition).status == "proved")

    def decided(self, condition: Term) -> bool | None:
        """Which way a condition goes, if no cell and no index of a loop decides."""
        if condition in (t.And(), t.Or()):
            return condition is t.And()
        given = (*self.requires, *self.known)
        if t.arrays(condition):
            return None
        if ask(given, condition).status == "proved":
            return True
        if ask(given, t.Not(condition)).status == "proved":
            return False
        if not free(condition) <= set(self.hints):
            return None
        taken = satisfies((condition,), dict(self.hints))
        self.guards.append(condition if taken else t.Not(condition))
        return taken
