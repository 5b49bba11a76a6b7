"""Equations that define arrays from inputs and from one another. Trusted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from gradproof.language.substitution import free
from gradproof.language.terms import Array, Eq, Sym, Term, arrays

Equations = tuple[Term, ...]


def made_by(equation: Term) -> Array:
    """The array that an equation or a scatter defines."""
    made: Array = equation.target.array
    return made


def read_by(equation: Term) -> frozenset[Array]:
    """The arrays that an equation or a scatter reads."""
    return frozenset().union(*map(arrays, (*equation.target.index, *equation.args[1:])))


def sizes_in(equation: Term) -> frozenset[Sym]:
    """The sizes and parameters that it mentions, those of the array it defines included."""
    own = equation.target.index if isinstance(equation, Eq) else ()
    shape = (s for d in made_by(equation).dims for s in free(d))
    return (free(equation) - frozenset(own)).union(shape)


def needed_by(terms: Iterable[Term], equations: Iterable[Term]) -> Equations:
    """The equations that say what the arrays stand for that are read."""
    by_array = {made_by(e): e for e in equations}
    found: dict[Term, None] = {}
    pending = {a for term in terms for a in arrays(term)}
    while pending:
        new = [by_array[a] for a in by_array if a in pending and by_array[a] not in found]
        found |= dict.fromkeys(new)
        pending = {a for e in new for a in read_by(e)}
    return tuple(e for e in by_array.values() if e in found)


def reaching(equations: Iterable[Term]) -> dict[Array, set[Array]]:
    """What each of the arrays is computed from, of these arrays; itself, if it is recurrent."""
    direct = {made_by(e): read_by(e) for e in equations}
    found = {a: set(read & direct.keys()) for a, read in direct.items()}
    for _ in found:
        for read in found.values():
            read.update(*(found[a] for a in tuple(read)))
    return found


def recurrences(equations: Iterable[Term]) -> tuple[Equations, ...]:
    """The equations that read themselves or one another, each group in the order as written."""
    equations = tuple(equations)
    reached = reaching(equations)
    groups: dict[frozenset[Array], list[Term]] = {}
    for equation in equations:
        made = made_by(equation)
        if made in reached[made]:
            group = frozenset(a for a in reached[made] if made in reached[a])
            groups.setdefault(group, []).append(equation)
    return tuple(map(tuple, groups.values()))


@lru_cache(maxsize=1_000)
def ending(equations: Equations) -> Equations:
    """As many, in their order, as lead back to none of themselves: of a recurrence all but one."""
    kept: Equations = ()
    for equation in equations:
        if not recurrences((*kept, equation)):
            kept = (*kept, equation)
    return kept
