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
from gradproof.numpy.arrays import Array
from gradproof.numpy.functions import array_of, scalar
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import sums
from gradproof.tracing.tensors import Tensor, Unreadable

Scope = dict[str, Any]
FEW, MANY = 4, 16  # turns of a loop that are written out: always, and where it is read no other way
UNKNOWN = object()  # what a name is after a loop or branch that may have assigned it


@dataclass(frozen=True)
class Range:
    """`range(…)`, whose ends may be sizes."""

    first: Any
    second: Any = None
    step: Any = 1

    @property
    def ends(self) -> tuple[Any, Any]:
        return (0, self.first) if self.second is None else (self.first, self.second)

    @property
    def turns(self) -> range | None:
        """Of numbers, what Python runs through."""
        ends = (*self.ends, self.step)
        return range(*ends) if all(isinstance(e, int) for e in ends) else None


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
    if scope[name] is UNKNOWN:
        raise Unreadable(
            f"{name}, which a loop or branch may have left unassigned, or which is a recurrence: "
            "each turn begins with what the one before left"
        )
    return scope[name]


class State:
    """What is known where a line runs."""

    def __init__(
        self, requires: Sequence[Term], hints: Mapping[Any, Any], turns: int = FEW
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
        self.views: dict[int, tuple[Tensor, tuple[Array, ...]]] = {}

    # Arrays, and the memory that they share.

    def kept(self, value: Any) -> Any:
        """A value that a name is given: an array of its own, or one that shares another's cells."""
        if not isinstance(value, Tensor) or not value.axes:
            return scalar(value)
        return self.new_array(value, self.bases(value))

    def new_array(self, value: Tensor, bases: tuple[Array, ...] = ()) -> Array:
        made = Array(value, bases=tuple((b, b.version) for b in bases))
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
        if value.writes:
            if self.depth:
                raise Unreadable("a loop that reads what it writes as a whole")
            return value.settled()
        if self.depth:
            value.read_at.append(())
        return value.value

    def check_view(self, array: Array) -> None:
        """A view is read as it was made; so what it is of must not have been written since."""
        for base, version in array.bases:
            if base.version != version:
                raise Unreadable("a view of an array that was written since; take a copy")
            if self.depth:
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
