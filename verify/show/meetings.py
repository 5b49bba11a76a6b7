"""A rule that is by no branch where branches meet, and by nothing between them. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.show.failures import Replay, decimal
from gradproof.show.readable import readable
from gradproof.theorems.sequents import Sequent

BETWEEN = 'give what one branch gives there, or a mean of them; ties="any" waives this'


@dataclass(frozen=True)
class Meeting:
    """The comparisons that are equalities there, the moves, and the entries of rule and sides.

    Each side has conditions, without which no point beside this one lies on it.
    """

    met: tuple[Term, ...]
    moves: tuple[Any, ...]
    said: tuple[Term, ...]
    sides: tuple[tuple[tuple[Term, ...], tuple[Term, ...]], ...]

    def beside(self, found: Replay) -> list[tuple[Term, ...]]:
        """The entries of the sides that there are."""
        return [each for real, each in self.sides if all(map(found.value, real))]


def meeting_of(sequent: Sequent) -> Meeting | None:
    """What a sequent says of branches that meet, if it is of that."""
    if not isinstance(sequent.then, t.Or) or not t.mentions(sequent.then, t.Slope):
        return None
    apart, _, *ways, _, bounds = sequent.then.args
    along = t.conjuncts(bounds.args[0].args[0])[-1].left
    moves = tuple(u.args[-1] for u in (along.args if isinstance(along, t.Add) else (along,)))
    equations = [t.conjuncts(way) for way in ways]
    cells = len(moves)
    said = tuple(each.left for each in equations[0][-cells:])
    sides = tuple((way[:-cells], tuple(each.right for each in way[-cells:])) for way in equations)
    return Meeting(apart.condition.args, moves, said, sides)


def meeting_rows(found: Replay, meeting: Meeting) -> Iterator[tuple[str, str]]:
    output = list(found.index[: len(found.op.output.dims)])
    cells = [f"{move.array.of}{[found.value(e) for e in move.index]}" for move in meeting.moves]
    met = [u for u in meeting.met if found.value(u)]
    yield "branches meet", readable("; ".join(map(str, met)))[0]

    def entries(terms: tuple[Term, ...]) -> str:
        values = dict(zip(cells, map(found.value, terms), strict=True))
        return ", ".join(f"{decimal(str(value))} by {cell}" for cell, value in values.items())

    y = f"{found.op.output.name}{output}"
    yield "the rule gives", f"for {y}: {entries(meeting.said)}"
    for number, each in enumerate(dict.fromkeys(map(entries, meeting.beside(found)))):
        yield ("" if number else "branches give"), f"for {y}: {each}"
    yield "what to do", BETWEEN
