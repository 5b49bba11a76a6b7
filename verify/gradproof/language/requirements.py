"""What `requires` asks of the values in arrays, for all of their cells. Trusted.

A clause that reads arrays holds at every index: a name that stands alone as an index of one of its
reads, and is no size, goes over that dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, base_of, free, substitute
from gradproof.language.terms import INT, Array, Sym, Term, Triple


def about_values(clause: Term) -> bool:
    return isinstance(clause, Term) and bool(t.arrays(clause))


def ranges_in(clause: Term, known: Iterable[Sym]) -> Iterator[Triple]:
    """The indices of a clause that are no sizes, each over the dimensions at which it stands."""
    loose = free(clause) - set(known)
    for read in t.walk(clause):
        if isinstance(read, t.Read):
            yield from (r for r in t.cells(read) if r[0] in loose and isinstance(r[0], Sym))


def over_cells(clause: Term, known: Iterable[Sym]) -> Term:
    """A clause at all indices."""
    ends = {symbol: both for symbol, *both in ranges_in(clause, known)}
    names = {s: Sym(f"{s.name}{EVERY}", INT, s.is_bundle) for s in ends}
    if not ends:
        return clause
    body = substitute(clause, names, Fresh(clause))
    return t.ForAll(body, *((names[s], *both) for s, both in ends.items()))


EVERY = "\u2090"  # what ends the names of indices that go over all cells, and no other names


def is_over_cells(condition: Term) -> bool:
    """Whether it was made of a clause: that it holds at every index."""
    return isinstance(condition, t.ForAll) and all(
        base_of(symbol).endswith(EVERY) for symbol, _, _ in condition.ranges
    )


def within_span(array: Array) -> Term:
    """That the entries of an array of integers are in its range."""
    names = [Sym(f"i{n}{EVERY}", INT, t.is_bundle(d)) for n, d in enumerate(array.dims)]
    cell = array[tuple(names)]
    bounds = t.in_range(cell, *array.span)
    return t.ForAll(bounds, *t.cells(cell)) if names else bounds


def known_in(dims: Iterable[Term], requires: Iterable[Term]) -> frozenset[Sym]:
    """The sizes and parameters that clauses about sizes, and the shapes of arrays, speak of."""
    said = [c for c in requires if isinstance(c, Term) and not about_values(c)]
    return frozenset().union(*map(free, (*dims, *said)))


def spans_of(arrays: Iterable[Array]) -> tuple[Term, ...]:
    return tuple(within_span(a) for a in arrays if a.span)
