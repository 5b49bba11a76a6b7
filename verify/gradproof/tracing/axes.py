"""Axes as the factors of their sizes, and indices on them. Untrusted.

An axis is a tuple of factors, the sizes whose product is its size: axes that a view merges keep
those they were made of, an axis of size 1 has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradproof.language.terms import Term
from gradproof.tracing import integers as n

Axis = tuple[Term, ...]  # the factors of its size
Place = tuple[Term, ...]  # indices, one per factor or one per axis


def flat(place: Sequence[Term], axis: Axis) -> Term:
    """The index on an axis, by those on its factors."""
    index: Term = n.ZERO
    for e, size in zip(place, axis, strict=True):
        index = n.add(n.mul(index, size), e)
    return index


def unflat(index: object, axis: Axis) -> Place:
    """The indices on the factors of an axis."""
    found: list[Term] = []
    rest = n.simple(index)
    for size in reversed(axis[1:]):
        found.append(n.mod(rest, size))
        rest = n.floor_div(rest, size)
    return (rest, *reversed(found)) if axis else ()


def axis_of(size: object) -> Axis:
    """An axis of a size that is not known to be a product."""
    whole = n.simple(size)
    return () if whole == n.ONE else (whole,)


def plain(shape: Iterable[object]) -> tuple[Axis, ...]:
    return tuple(axis_of(size) for size in shape)


def common(a: Axis, b: Axis) -> Axis:
    """The factors that two axes of one size are given, or of which one has size 1."""
    if not a or a == b:
        return b
    if not b:
        return a
    if refines(a, b):
        return a
    if refines(b, a):
        return b
    if not n.equal(n.product(a), n.product(b)):
        return longer(a, b)
    return (n.product(a),)


def longer(a: Axis, b: Axis) -> Axis:
    """Of two sizes that the code took for the same, one."""
    return a if len(a) >= len(b) else b


def refines(fine: Axis, coarse: Axis) -> bool:
    """Whether each factor of one axis is a product of successive factors of the other."""
    return groups_of(fine, coarse) is not None


def groups_of(fine: Axis, coarse: Axis) -> list[Axis] | None:
    """The runs of fine factors of which the coarse ones are products."""
    found, rest = [], list(fine)
    for size in coarse:
        run: list[Term] = []
        while rest and not (run and n.equal(n.product(run), size)):
            run.append(rest.pop(0))
        if not n.equal(n.product(run), size):
            return None
        found.append(tuple(run))
    return None if rest else found


def moved(place: Place, given: Axis, wanted: Axis) -> Place:
    """The indices on the factors of one axis, by those on the factors of another of its size."""
    if given == wanted or not wanted:
        return place if wanted else ()
    if not given:
        return tuple(n.ZERO for _ in wanted)
    groups = groups_of(given, wanted)
    if groups is not None:
        rest = iter(place)
        return tuple(flat([next(rest) for _ in run], run) for run in groups)
    groups = groups_of(wanted, given)
    if groups is not None:
        return tuple(e for part, run in zip(place, groups, strict=True) for e in unflat(part, run))
    return unflat(flat(place, given), wanted)
