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
from gradproof.tracing.axes import (
    Axis,
    Place,
    axis_of,
    unflat,
)
from gradproof.tracing.tensors import (
    Tensor,
    as_real,
    elementwise,
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
        signed, where = reals.window(body if sign > 0 else reals.negative(body))
        found = t.Maximum(signed, where, 0, *over.ranges)
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
        signed, where = reals.window(body if sign > 0 else reals.negative(body))
        at = sympy.Tuple(*unflat(value, whole))
        return t.Winner(signed, where, Str("first"), at, *over.ranges)

    def cell(place: Place) -> Term:
        if not over.ranges:
            return n.ZERO
        symbol = names("a")
        size = n.product(whole)
        body = t.Bracket(hit(place, symbol))
        return t.Sum(t.Mul(symbol, body), *ranges_of([symbol], [size]))

    return Tensor(over.axes, cell, INT, hit)


def cumulative(names: Names, tensor: Tensor, dim: int, backwards: bool = False) -> Tensor:
    """Sums of the cells up to each, or from each on, along an axis."""
    dim %= len(tensor.axes)
    size = axis_of(tensor.shape[dim])
    ready = with_axes(as_real(tensor), (*tensor.axes[:dim], size, *tensor.axes[dim + 1 :]))
    if not size:
        return ready
    before = sum(len(a) for a in ready.axes[:dim])
    symbol = names()

    def cell(place: Place) -> Term:
        inner = (*place[:before], symbol, *place[before + 1 :])
        own, last = place[before], n.minus(size[0], 1)
        return t.Sum(ready.cell(inner), (symbol, own, last) if backwards else (symbol, 0, own))

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
