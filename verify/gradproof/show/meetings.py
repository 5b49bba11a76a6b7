"""A rule that is by no branch where branches meet, and by nothing between them. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.show.failures import Replay, decimal
from gradproof.show.readable import readable
from gradproof.theorems.sequents import Sequent

BETWEEN = 'give what one branch gives there, or a mean of them; ties="any" waives this'


@dataclass(frozen=True)
class Meeting:
    """The comparisons that are equalities there, the cells, and the entries of rule and sides.

    Of one cell there is no move: it goes at speed 1. Each side has conditions, without which it is
    none of those that a point beside this one is on.
    """

    met: tuple[Term, ...]
    cells: tuple[tuple[str, tuple[Term, ...]], ...]
    moves: tuple[Term, ...]
    said: tuple[Term, ...]
    sides: tuple[tuple[tuple[Term, ...], tuple[Term, ...]], ...]

    def beside(self, found: Replay) -> list[tuple[Term, ...]]:
        """The entries of the sides that there are."""
        return [each for real, each in self.sides if all(map(found.value, real))]


def meeting_of(sequent: Sequent) -> Meeting | None:
    """What a sequent says of branches that meet, if it is of that."""
    if not isinstance(sequent.then, t.Or) or not t.mentions(sequent.then, t.Slope):
        return None
    apart, *ways, _ = sequent.then.args
    sides = [parted(t.conjuncts(way)) for way in ways]
    if not isinstance(apart, t.Not) or not sides:
        return None
    said = tuple(each.left for each in sides[0][1])
    right = tuple((real, tuple(each.right for each in entries)) for real, entries in sides)
    bound = t.conjuncts(sequent.then.args[-1].args[0].args[0])[-1]
    moves = tuple(u.args[-1] for u in bound.left.args) if len(said) > 1 else ()
    cells = [(move.array.of, move.index) for move in moves] or [*islice(read_in(sequent.then), 1)]
    return Meeting(apart.condition.args, tuple(cells), moves, said, right)


def parted(parts: tuple[Term, ...]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Conditions, and the equations after them, an entry each."""
    last = len(parts)
    while last and isinstance(parts[last - 1], t.Eq):
        last -= 1
    return parts[:last], parts[last:]


def read_in(then: Term) -> Iterator[tuple[str, tuple[Term, ...]]]:
    """The cells of inputs that a statement reads."""
    reads = (u for u in t.walk(then) if isinstance(u, t.Read) and u.array.role == "primal")
    yield from ((cell.array.name, cell.index) for cell in reads)


def meeting_rows(found: Replay, meeting: Meeting) -> Iterator[tuple[str, str]]:
    output = list(found.index[: len(found.op.output.dims)])
    cells = [f"{name}{[found.value(e) for e in index]}" for name, index in meeting.cells]
    met = [u for u in meeting.met if found.value(u)]
    yield "branches meet", readable("; ".join(map(str, met)))[0]

    def entries(terms: tuple[Term, ...]) -> str:
        values = dict(zip(cells, map(found.value, terms), strict=False))
        return ", ".join(f"{decimal(str(value))} by {cell}" for cell, value in values.items())

    y = f"{found.op.output.name}{output}"
    yield "the rule gives", f"for {y}: {entries(meeting.said)}"
    for number, each in enumerate(dict.fromkeys(map(entries, meeting.beside(found)))):
        yield ("" if number else "branches give"), f"for {y}: {each}"
    yield "what to do", BETWEEN
