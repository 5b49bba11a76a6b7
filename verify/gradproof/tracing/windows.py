"""Windows over spatial axes: their places, and sums over them. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.axes import (
    Place,
    axis_of,
    plain,
)
from gradproof.tracing.layout import within
from gradproof.tracing.sums import ranges_of
from gradproof.tracing.tensors import (
    Tensor,
    with_axes,
)

Numbers = Sequence[Any]


def each(value: Any, rank: int) -> list[Any]:
    """An option, axis by axis."""
    given = list(value) if isinstance(value, list | tuple) else [value]
    return given * rank if len(given) == 1 else given


def indexed(tensor: Tensor, index: Sequence[Term]) -> Term:
    """A cell by one index per axis."""
    ready = with_axes(tensor, plain(tensor.shape))
    pairs = list(zip(index, ready.axes, strict=True))
    return ready.cell(tuple(e for e, axis in pairs if axis))


def shaped(shape: Sequence[Any], cell: Any) -> Tensor:
    """A tensor by what its cell at one index per axis is."""
    axes = plain(shape)

    def at(place: Place) -> Term:
        rest = iter(place)
        return t.as_term(cell([next(rest) if axis else n.ZERO for axis in axes]))

    return Tensor(axes, at)


def padded_cell(x: Tensor, lead: Sequence[Term], inner: Sequence[Term], pads: Numbers) -> Term:
    """A cell with spatial places that may be in the padding."""
    ready = with_axes(x, plain(x.shape))
    index = [*lead, *inner]
    found = ready.cell(tuple(e for e, axis in zip(index, ready.axes, strict=True) if axis))
    sizes = x.shape[len(lead) :]
    triples = zip(inner, sizes, pads, strict=True)
    asked = [c for e, size, p in triples for c in within(e, size).args if p != 0]
    return reals.times(t.Bracket(t.And(*asked)), found) if asked else found


def total(names: Any, sizes: Sequence[Any], body: Any) -> Term:
    """The sum over indices below the sizes."""
    symbols = [names() if axis_of(size) else n.ZERO for size in sizes]
    pairs = [(s, n.simple(size)) for s, size in zip(symbols, sizes, strict=True) if s != 0]
    ranges = ranges_of([s for s, _ in pairs], [size for _, size in pairs])
    return reals.total(body(symbols), ranges, frozenset(s for s, _ in pairs))


def places(
    o: Sequence[Term], k: Sequence[Term], strides: Numbers, dilations: Numbers, pads: Numbers
) -> list[Term]:
    """Where a cell of a window is in the input."""
    parts = zip(o, k, strides, dilations, pads, strict=True)
    return [n.add(n.mul(s, a), n.mul(d, b), n.mul(-1, p)) for a, b, s, d, p in parts]
