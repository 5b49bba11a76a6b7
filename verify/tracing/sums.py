"""Reductions of traced tensors: sums, means, maxima and their places, products. Untrusted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.terms import INT, Sym, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.tensors import (
    Axis,
    Place,
    Tensor,
    as_real,
    axis_of,
    bracket,
    common,
    elementwise,
    flat,
    unflat,
    with_axes,
)


class Names:
    """Names for what is bound, each used once in a trace."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)

    def __call__(self, like: str = "j") -> Sym:
        return Sym(f"{like}{next(self.numbers)}")


def ranges_of(symbols: Sequence[Sym], sizes: Sequence[Term]) -> list[tuple[Sym, int, Term]]:
    return [(s, 0, n.minus(size, 1)) for s, size in zip(symbols, sizes, strict=True)]


def dims_of(tensor: Tensor, dims: Any) -> list[int]:
    rank = len(tensor.axes)
    if dims is None or (isinstance(dims, Sequence) and not dims):
        return list(range(rank))
    given = dims if isinstance(dims, Sequence) else [dims]
    return sorted(int(d) % rank for d in given) if rank else []


class Reduction:
    """Which places of a tensor are taken together: names for the indices of some axes."""

    def __init__(self, names: Names, tensor: Tensor, dims: object, keep: bool) -> None:
        self.gone = dims_of(tensor, dims)
        self.tensor = tensor
        axes = enumerate(tensor.axes)
        self.symbols = {d: tuple(names() for _ in a) for d, a in axes if d in self.gone}
        self.bound = [s for group in self.symbols.values() for s in group]
        sizes = [f for d in self.symbols for f in tensor.axes[d]]
        self.ranges = ranges_of(self.bound, sizes)
        self.axes = tuple(
            () if d in self.gone else a
            for d, a in enumerate(tensor.axes)
            if keep or d not in self.gone
        )

    @property
    def count(self) -> Term:
        return n.product(self.tensor.shape[d] for d in self.gone)

    def place(self, kept: Place) -> Place:
        """A place of the tensor, by one of the result."""
        rest, found = iter(kept), list[Term]()
        for d, axis in enumerate(self.tensor.axes):
            found += self.symbols[d] if d in self.symbols else [next(rest) for _ in axis]
        return tuple(found)


def total(names: Names, tensor: Tensor, dims: object = None, keep: bool = False) -> Tensor:
    over = Reduction(names, as_real(tensor), dims, keep)
    bound = frozenset(over.bound)

    def cell(place: Place) -> Term:
        return reals.total(over.tensor.cell(over.place(place)), over.ranges, bound)

    return Tensor(over.axes, cell)


def mean(names: Names, tensor: Tensor, dims: object = None, keep: bool = False) -> Tensor:
    count = Reduction(names, tensor, dims, keep).count
    return elementwise(lambda a: reals.over(a, count), total(names, tensor, dims, keep))


def variance(
    names: Names, tensor: Tensor, dims: object, keep: bool, correction: object = 0
) -> Tensor:
    middle = mean(names, tensor, dims, True)
    squares = elementwise(lambda a, b: square(reals.minus(a, b)), tensor, middle)
    count = n.minus(Reduction(names, tensor, dims, keep).count, correction)
    return elementwise(lambda a: reals.over(a, count), total(names, squares, dims, keep))


def square(a: Term) -> Term:
    return reals.times(a, a)


def product(names: Names, tensor: Tensor, dims: object = None, keep: bool = False) -> Tensor:
    over = Reduction(names, as_real(tensor), dims, keep)

    def cell(place: Place) -> Term:
        body = over.tensor.cell(over.place(place))
        return t.Prod(body, *over.ranges) if over.ranges else body

    return Tensor(over.axes, cell)


def largest(
    names: Names, tensor: Tensor, dims: object = None, keep: bool = False, sign: int = 1
) -> Tensor:
    """The maximum; with sign -1 the minimum."""
    over = Reduction(names, tensor, dims, keep)

    def cell(place: Place) -> Term:
        body = over.tensor.cell(over.place(place))
        if not over.ranges:
            return body
        signed = body if sign > 0 else reals.negative(body)
        found = t.Maximum(signed, t.And(), 0, *over.ranges)
        return found if sign > 0 else reals.negative(found)

    return Tensor(over.axes, cell)


def place_of_largest(
    names: Names, tensor: Tensor, dim: object, keep: bool = False, sign: int = 1
) -> Tensor:
    """The index of the first maximum along an axis, or over all: where it is, by `hit`."""
    over = Reduction(names, tensor, dim, keep)
    whole: Axis = tuple(f for d in over.gone for f in tensor.axes[d])

    def hit(place: Place, value: Term) -> Term:
        if not over.ranges:
            return t.And()
        body = over.tensor.cell(over.place(place))
        signed = body if sign > 0 else reals.negative(body)
        at = sympy.Tuple(*unflat(value, whole))
        return t.Winner(signed, t.And(), Str("first"), at, *over.ranges)

    def cell(place: Place) -> Term:
        if not over.ranges:
            return n.ZERO
        symbol = names("a")
        size = n.product(whole)
        body = t.Bracket(hit(place, symbol))
        return t.Sum(t.Mul(symbol, body), *ranges_of([symbol], [size]))

    return Tensor(over.axes, cell, INT, hit)


def is_at(index: Tensor, place: Place, value: Term) -> Term:
    """The condition that a cell of an array of indices is a value."""
    if index.hit is not None:
        return index.hit(place, value)
    return t.Eq(index.cell(place), value)


def contraction(
    names: Names, inputs: Sequence[Tensor], letters: Sequence[Sequence[Any]], out: Sequence[Any]
) -> Tensor:
    """A product of tensors, summed over each letter that the result does not have."""
    axes: dict[Any, Axis] = {}
    for x, own in zip(inputs, letters, strict=True):
        for axis, letter in zip(x.axes, own, strict=True):
            axes[letter] = common(axes.get(letter, ()), axis)
    ready = [
        with_axes(as_real(x), tuple(axes[letter] for letter in own))
        for x, own in zip(inputs, letters, strict=True)
    ]
    summed = {k: tuple(names() for _ in a) for k, a in axes.items() if k not in out}
    bound = [s for group in summed.values() for s in group]
    ranges = ranges_of(bound, [f for k in summed for f in axes[k]])

    def cell(place: Place) -> Term:
        rest = iter(place)
        at = {k: tuple(next(rest) for _ in axes[k]) for k in out} | summed
        parts = [
            x.cell(tuple(e for letter in own for e in at[letter]))
            for x, own in zip(ready, letters, strict=True)
        ]
        return reals.total(reals.times(*parts), ranges, frozenset(bound))

    return Tensor(tuple(axes[k] for k in out), cell)


def matmul(names: Names, a: Tensor, b: Tensor) -> Tensor:
    """The product of matrices, with leading axes broadcast; of vectors, too."""
    first, second = len(a.axes), len(b.axes)
    lead = max(first, second) - 2
    left = [*range(lead - (first - 2), lead), "m", "k"] if first > 1 else ["k"]
    right = [*range(lead - (second - 2), lead), "k", "n"] if second > 1 else ["k"]
    used = [k for k in range(max(lead, 0)) if k in left or k in right]
    out = [*used, *(["m"] if first > 1 else []), *(["n"] if second > 1 else [])]
    return contraction(names, [a, b], [left, right], out)


def einsum(names: Names, equation: str, inputs: Sequence[Tensor]) -> Tensor:
    given, _, out = equation.replace(" ", "").partition("->")
    letters = [list(part) for part in given.split(",")]
    if "->" not in equation:
        every = "".join(given.split(","))
        out = "".join(sorted(c for c in set(every) if every.count(c) == 1))
    return contraction(names, inputs, letters, list(out))


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
        if ranges:
            kept = t.Bracket(t.Not(t.Exists(found, *ranges)))
            return reals.plus(t.Sum(added, *ranges), reals.times(kept, base.cell(place)))
        return reals.choice(found, values.cell(tuple(at)), base.cell(place))

    return Tensor(base.axes, cell)


def cumulative(names: Names, tensor: Tensor, dim: int) -> Tensor:
    """Sums of the cells up to each, along an axis."""
    dim %= len(tensor.axes)
    size = axis_of(tensor.shape[dim])
    ready = with_axes(tensor, (*tensor.axes[:dim], size, *tensor.axes[dim + 1 :]))
    if not size:
        return ready
    before = sum(len(a) for a in ready.axes[:dim])
    symbol = names()

    def cell(place: Place) -> Term:
        inner = (*place[:before], symbol, *place[before + 1 :])
        return t.Sum(ready.cell(inner), (symbol, 0, place[before]))

    return Tensor(ready.axes, cell)


def softmax(names: Names, tensor: Tensor, dim: int) -> Tensor:
    powers = elementwise(reals.exp, tensor)
    return elementwise(reals.over, powers, total(names, powers, dim, True))


def log_softmax(names: Names, tensor: Tensor, dim: int) -> Tensor:
    sums = total(names, elementwise(reals.exp, tensor), dim, True)
    return elementwise(lambda a, s: reals.minus(a, reals.log(s)), tensor, sums)


def arange(size: object, start: object = 0, step: object = 1) -> Tensor:
    axes = (axis_of(size),)

    def cell(place: Place) -> Term:
        index = place[0] if place else n.ZERO
        return n.add(start, n.mul(step, index))

    return Tensor(axes, cell, INT)
