"""Cells of traced tensors at indices that another tensor holds. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Sym, Term
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import reals
from gradproof.tracing.axes import (
    Place,
    axis_of,
    flat,
    unflat,
)
from gradproof.tracing.sums import Names, ranges_of
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
    bracket,
    with_axes,
)


def is_at(index: Tensor, place: Place, value: Term) -> Term:
    """The condition that a cell of an array of indices is a value."""
    if index.hit is not None:
        return index.hit(place, value)
    return t.Eq(index.cell(place), value)


def require_apart(
    names: Names, indices: Sequence[Term | None], symbols: Sequence[Sym], sizes: Sequence[Term]
) -> None:
    """That each place is written once: else the last value stays, or any. None is of data."""
    others = [names() for _ in symbols]
    swap: dict[Term, Term] = dict(zip(symbols, others, strict=True))
    terms = [e for e in indices if e is not None and not t.arrays(e)]
    same = [t.Eq(e, substitute(e, swap, Fresh(e, *others))) for e in terms]
    ranges = [*ranges_of(symbols, sizes), *ranges_of(others, sizes)]
    given = (*t.domain([sympy.Tuple(*r) for r in ranges]), *same)
    one = t.And(*(t.Eq(a, b) for a, b in zip(symbols, others, strict=True)))
    if ask(given, one).status != "proved":
        raise Unreadable(
            "a write at places that may be one, of which it is not said what stays; add instead"
        )


def gathered(names: Names, tensor: Tensor, dim: int, index: Tensor) -> Tensor:
    """`tensor[..., index[p], ...]`, where the rest of the place is that of the index."""
    dim %= len(tensor.axes)
    own = axis_of(tensor.shape[dim])
    wanted = (*index.axes[:dim], own, *index.axes[dim + 1 :])
    ready = with_axes(
        tensor, tuple(w if d == dim else tensor.axes[d] for d, w in enumerate(wanted))
    )

    def source(place: Place, value: Term) -> Term:
        groups = index.groups(place)
        inner: list[Term] = []
        for d, axis in enumerate(ready.axes):
            if d == dim:
                inner += (value,) if own else ()
            else:
                inner += unflat(flat(groups[d], index.axes[d]), axis)
        return ready.cell(tuple(inner))

    def cell(place: Place) -> Term:
        if index.hit is None:
            return source(place, index.cell(place))
        symbol = names()
        body = reals.times(bracket(index.hit(place, symbol)), source(place, symbol))
        return t.Sum(body, *ranges_of([symbol], own)) if own else body

    return Tensor(index.axes, cell, tensor.sort)


def scattered(
    names: Names, base: Tensor, dim: int, index: Tensor, source: Tensor, adds: bool = True
) -> Tensor:
    """`base[..., index[p], ...] += source[p]` for every place p of the index."""
    dim %= len(base.axes)
    values = with_axes(source, index.axes)
    symbols = [names() for _ in index.axes[dim]]

    def cell(place: Place) -> Term:
        groups = base.groups(place)
        at: list[Term] = []
        for d, axis in enumerate(index.axes):
            if d == dim:
                at += symbols
            else:
                at += unflat(flat(groups[d], base.axes[d]), axis)
        own = flat(groups[dim], base.axes[dim])
        found = is_at(index, tuple(at), own)
        ranges = ranges_of(symbols, index.axes[dim])
        added = reals.times(bracket(found), values.cell(tuple(at)))
        if adds:
            return reals.plus(base.cell(place), t.Sum(added, *ranges) if ranges else added)
        if ranges and free(values.cell(tuple(at))).isdisjoint(symbols):
            return reals.choice(t.Exists(found, *ranges), values.cell(tuple(at)), base.cell(place))
        if ranges:
            known = index.cell(tuple(at)) if index.hit is None else None
            require_apart(names, [known], symbols, index.axes[dim])
            kept = t.Bracket(t.Not(t.Exists(found, *ranges)))
            return reals.plus(t.Sum(added, *ranges), reals.times(kept, base.cell(place)))
        return reals.choice(found, values.cell(tuple(at)), base.cell(place))

    return Tensor(base.axes, cell)
