"""What is to be settled, as data. Trusted.

A theorem is a list of sequents under common hypotheses: for all sizes that satisfy `given`, all
`over` in their ranges and all tensors, `then` holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import sympy

from gradproof.language import terms as t
from gradproof.language.ranks import at_rank, spread_range
from gradproof.language.substitution import mentioned, union
from gradproof.language.terms import Term, Triple
from gradproof.theorems.statuses import Status


@dataclass(frozen=True)
class Limits:
    """What a rule says along a move of cells, to lie between the limits of a value's derivative."""

    value: Term
    moves: tuple[tuple[Term, Term], ...]  # cells, and how far each moves
    said: Term

    def mapped(self, put: Callable[[Term], Term]) -> Limits:
        moves = tuple((put(cell), put(speed)) for cell, speed in self.moves)
        return Limits(put(self.value), moves, put(self.said))


@dataclass(frozen=True)
class Sequent:
    """For all places of `over` at which `when` holds, `then` holds.

    One that stands `aside` asks that a statement has a value: by itself it says nothing of it.
    A `limit` says that the others go all the way: where it is false nothing is refuted, but open.
    Arrays that the equations of `where` define stand for what these say, also to derivatives; in a
    local sequent they are independent to these, and only their values are what the equations say.
    Of one with `limits` nothing is a failure but where these are all on one side of what is said.
    """

    over: tuple[Triple, ...]
    when: tuple[Term, ...]
    then: Term
    aside: bool = False
    where: tuple[Term, ...] = ()
    limit: bool = False
    limits: Limits | None = None

    @cached_property
    def _hash(self) -> int:
        return hash((self.over, self.when, self.then, self.aside, self.where, self.limit))

    def __hash__(self) -> int:
        return self._hash

    def at_rank(self, rank: int) -> Sequent:
        return replace(
            self,
            over=tuple(r for triple in self.over for r in spread_range(triple, rank)),
            when=tuple(at_rank(c, rank) for c in self.when),
            then=at_rank(self.then, rank),
            where=tuple(at_rank(e, rank) for e in self.where),
            limits=self.limits and self.limits.mapped(lambda term: at_rank(term, rank)),
        )

    def mapped(self, put: Callable[[Term], Term]) -> Sequent:
        """The sequent with every term of it replaced."""
        over = tuple(sympy.Tuple(symbol, put(a), put(b)) for symbol, a, b in self.over)
        when, where = tuple(map(put, self.when)), tuple(map(put, self.where))
        limits = self.limits and self.limits.mapped(put)
        return replace(self, over=over, when=when, then=put(self.then), where=where, limits=limits)

    @cached_property
    def hypotheses(self) -> tuple[Term, ...]:
        return (*t.domain(self.over), *self.when)

    @cached_property
    def definitions(self) -> tuple[Term, ...]:
        """That the equations of `where` hold at every cell."""
        return tuple(t.ForAll(e, *t.cells(e.target)) for e in self.where)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All that it says, its ranges aside."""
        return (*self.when, self.then, *self.where)


@dataclass(frozen=True)
class Theorem:
    """A named statement of one of the eleven kinds, about one equation of its op.

    It only says something of the op if the theorems of the same op that it `rests_on` hold.
    Sequents of `local`, if there are any, are enough to show it (see `composition`): they speak of
    each equation alone, with all arrays independent.
    """

    name: str
    kind: str
    statement: str
    given: tuple[Term, ...]
    sequents: tuple[Sequent, ...]
    refuted: Mapping[t.Sym, object] | None = None
    twin: str = ""
    equation: str = ""
    rests_on: tuple[str, ...] = ()
    waived: bool = False
    local: tuple[Sequent, ...] = ()

    @property
    def expected(self) -> str:
        """What is waived is settled, what a clause is needed for is told, whatever comes of it."""
        if self.kind == "needed":
            return "told"
        if self.waived:
            return "settled"
        return Status.PROVED if self.refuted is None else Status.REFUTED

    @cached_property
    def symbols(self) -> frozenset[t.Sym]:
        """What it mentions."""
        said = (c for s in self.sequents for c in (*s.hypotheses, s.then, *s.where))
        return union(map(mentioned, (*self.given, *said)))

    @property
    def is_rank_generic(self) -> bool:
        return any(symbol.is_bundle for symbol in self.symbols)

    def at_rank(self, rank: int) -> Theorem:
        return replace(
            self,
            given=tuple(at_rank(c, rank) for c in self.given),
            sequents=tuple(s.at_rank(rank) for s in self.sequents),
            local=tuple(s.at_rank(rank) for s in self.local),
        )
