"""What a run of code has at hand: arrays, the loops and branches it is in, what is known of sizes.
Untrusted.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import Term
from gradproof.numpy.arrays import FILLED, Array
from gradproof.numpy.carrying import FAR, UNREAD, Recurs, some_place
from gradproof.numpy.functions import array_of, scalar
from gradproof.numpy.ranges import Range
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import sums
from gradproof.tracing.axes import Axis
from gradproof.tracing.recurrences import Loop
from gradproof.tracing.tensors import UNWRITTEN, Tensor, Unreadable

Scope = dict[str, Any]
FEW, MANY = 4, 16  # turns of a loop that are written out: always, and where it is read no other way
UNKNOWN = object()  # what a name is after a loop or branch that may have assigned it


@dataclass(frozen=True)
class Entering:
    """What a name is in a turn that has yet to assign it: what the turn before has left."""

    name: str


def items(value: Any) -> Sequence[Any]:
    """What Python iterates over or unpacks."""
    if isinstance(value, tuple | list):
        return value
    if isinstance(value, Range) and value.turns is not None:
        return list(value.turns)
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
        self.outside: tuple[list[Any], ...] = ()  # lists that were there before the loops
        self.awaited = False  # whether a row was read of one that is yet to be filled
        self.views: dict[int, tuple[Tensor, tuple[Array, ...]]] = {}

    @property
    def inside(self) -> tuple[int, int]:
        """In how many loops, and in how many branches of the innermost, a line runs."""
        return self.depth, len(self.path)

    # Arrays, and the memory that they share.

    def kept(self, value: Any) -> Any:
        """A value that a name is given: an array of its own, or one that shares another's cells."""
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
        return self.views[id(value)][1] if id(value) in self.views else ()

    def view(self, found: Any, source: Any) -> Any:
        """A result that shares the cells of an array."""
        bases = self.bases(source)
        if isinstance(found, Tensor) and bases:
            self.views[id(found)] = found, bases
        return found

    def tensor(self, value: Any) -> Tensor:
        """An array as it is now; a number as one without axes."""
        if not isinstance(value, Array):
            return array_of(value)
        self.check_view(value)
        if value.filling is not None:
            raise Unreadable(FILLED)
        if self.is_pending(value):
            if value.writes or value.held:
                raise self.again(value, 1, "a loop that reads what it writes as a whole")
            value.read_at.append(())
        return self.checked(value.now())

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

    def check_view(self, array: Array) -> None:
        """A view is read as it was made; so what it is of must not have been written since."""
        for base, version in array.bases:
            if base.version != version:
                raise Unreadable("a view of an array that was written since; take a copy")
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
