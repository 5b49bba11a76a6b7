"""What code computes step by step, forward and backward, each as an array. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.systems import made_by, read_by
from gradproof.language.terms import REAL, Array, Eq, Sym, Term
from gradproof.prove.rules.smt import canonical
from gradproof.tracing.definition import indices
from gradproof.tracing.reals import INFINITE
from gradproof.tracing.recurrences import NO_LOOPS, System
from gradproof.tracing.tensors import UNWRITTEN, Name, Tensor, naming

TURN = Sym("e0")


@dataclass(frozen=True)
class Step:
    """Tensors of the code that are the same array, and the equation of what it is.

    Of what is of a turn of a loop, the array has a row for each turn.
    """

    turns: dict[Tensor, tuple[Sym, ...]]  # within which each of them is made
    equation: Term

    @property
    def array(self) -> Array:
        return made_by(self.equation)


def steps_of(
    made: Sequence[Tensor],
    sizes: Iterable[Sym],
    given: Iterable[Array],
    system: System = NO_LOOPS,
) -> tuple[Step, ...]:
    """Each thing that is computed once of what is given, though code may compute it anew."""
    known, turns = frozenset(sizes), system.turns
    arrays = {*given, *system.arrays}
    names: dict[Tensor, Name] = {}
    found: dict[Term, Step] = {}
    with naming(names):
        for tensor in made:
            if tensor.sort != REAL or tensor.hit is not None:
                continue
            place = indices("e", len(tensor.factors))
            if isinstance(value := tensor.value(place), t.Read):
                continue
            value = system.backward.put(value)
            if isinstance(value, t.Read) or not t.arrays(value) or stays_within(value):
                continue
            turn = tuple(s for s in turns if s in free(value))
            inside = free(value) <= known.union(place, turn)
            if len(turn) > 1 or not inside or not t.arrays(value) <= arrays:
                continue
            dims = (*(turns[s] for s in turn), *tensor.factors)
            value = substitute(value, dict.fromkeys(turn, TURN), Fresh(value, TURN))
            cell = (*(TURN for _ in turn), *place)
            key = canonical(Eq(Array("step", dims)[cell], value))
            if key not in found:
                array = Array(f"step{len(found)}", dims)
                arrays.add(array)
                found[key] = Step({}, Eq(array[cell], value))
            found[key].turns[tensor] = turn
            names[tensor] = Name(found[key].array, turn)
    return tuple(found.values())


def stays_within(value: Term) -> bool:
    """Whether it has no name, since what it is part of is simpler: a maximum that will cancel."""
    return t.mentions(value, t.Maximum) or not UNNAMED.isdisjoint(free(value))


UNNAMED = frozenset((INFINITE, UNWRITTEN))


def leading_to(wanted: Iterable[Array], equations: Iterable[Term]) -> set[Array]:
    """The arrays that others are computed from, these included."""
    rules = {made_by(e): e for e in equations}
    found: set[Array] = set()
    pending = set(wanted)
    while pending:
        found |= pending
        pending = {b for a in pending if a in rules for b in read_by(rules[a])} - found
    return found


def depending_on(array: Array, equations: Iterable[Term]) -> set[Array]:
    """The arrays that are computed from one, it included."""
    rules = tuple(equations)
    found, before = {array}, 0
    while len(found) > before:
        before = len(found)
        found |= {made_by(e) for e in rules if not found.isdisjoint(read_by(e))}
    return found
