"""JAX's primitives that move cells, or reduce axes. Untrusted."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy

from gradproof.jax.reader import Reader, rule, sort_of
from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, Term
from gradproof.tracing import contraction, layout, reals, sums
from gradproof.tracing import integers as n
from gradproof.tracing.axes import Place, axis_of, plain
from gradproof.tracing.operations import OPS
from gradproof.tracing.tensors import (
    UNWRITTEN,
    Tensor,
    Unreadable,
    constant,
    elementwise,
    with_axes,
)


@rule("broadcast_in_dim")
def broadcast_in_dim(reader: Reader, equation: Any, x: Tensor, *sizes: Tensor) -> Tensor:
    kept = [int(d) for d in equation.params["broadcast_dimensions"]]
    shape = reader.shape(equation.outvars[0])
    for d in range(len(shape)):
        if d not in kept:
            x = layout.unsqueeze(x, d)
    return layout.expand(x, shape)


@rule("reshape")
def reshape(reader: Reader, equation: Any, x: Tensor, *sizes: Tensor) -> Tensor:
    if equation.params["dimensions"] is not None:
        x = layout.permute(x, [int(d) for d in equation.params["dimensions"]])
    return layout.reshape(x, reader.shape(equation.outvars[0]))


@rule("squeeze")
def squeeze(reader: Reader, equation: Any, x: Tensor) -> Tensor:
    for d in sorted(equation.params["dimensions"], reverse=True):
        x = layout.selected(x, d, 0)
    return x


@rule("transpose")
def transpose(reader: Reader, equation: Any, x: Tensor) -> Tensor:
    return layout.permute(x, [int(d) for d in equation.params["permutation"]])


@rule("rev")
def reverse(reader: Reader, equation: Any, x: Tensor) -> Tensor:
    return layout.flipped(x, [int(d) for d in equation.params["dimensions"]])


@rule("concatenate")
def concatenate(reader: Reader, equation: Any, *parts: Tensor) -> Tensor:
    return layout.concatenated(parts, int(equation.params["dimension"]))


@rule("stack")
def stack(reader: Reader, equation: Any, *parts: Tensor) -> Tensor:
    axis = int(equation.params["axis"])
    return layout.concatenated([layout.unsqueeze(x, axis) for x in parts], axis)


@rule("unstack")
def unstack(reader: Reader, equation: Any, x: Tensor) -> list[Tensor]:
    axis = int(equation.params["axis"])
    rows = range(len(equation.outvars))
    return [layout.selected(x, axis, sympy.Integer(row)) for row in rows]


@rule("split")
def split(reader: Reader, equation: Any, x: Tensor) -> list[Tensor]:
    found, start = [], n.ZERO
    for given in equation.params["sizes"]:
        size = reader.sizes.term(given)
        found.append(layout.sliced(x, equation.params["axis"], start, size))
        start = n.add(start, size)
    return found


@rule("slice")
def sliced(reader: Reader, equation: Any, x: Tensor) -> Tensor:
    starts = equation.params["start_indices"]
    strides = equation.params["strides"] or [1] * len(starts)
    shape = reader.shape(equation.outvars[0])
    for d, (start, step) in enumerate(zip(starts, strides, strict=True)):
        x = layout.sliced(x, d, reader.sizes.term(start), shape[d], reader.sizes.term(step))
    return x


@rule("pad")
def pad(reader: Reader, equation: Any, x: Tensor, value: Tensor) -> Tensor:
    around = value.cell(())
    for d, config in enumerate(equation.params["padding_config"]):
        before, after, between = (reader.sizes.term(c) for c in config)
        if between != 0:
            x = spread(reader, x, d, n.add(between, 1), around)
        x = padded(x, d, before, after, around)
    return x


def padded(x: Tensor, d: int, before: Term, after: Term, value: Term) -> Tensor:
    """Cells around; those that a number below 0 takes away need no condition."""
    numbers = (before, after)
    if all(isinstance(e, sympy.Integer) and e <= 0 for e in numbers):
        return layout.sliced(x, d, n.mul(-1, before), n.add(x.shape[d], before, after))
    return layout.padded(x, d, before, after, value)


def spread(reader: Reader, x: Tensor, d: int, step: Term, around: Term) -> Tensor:
    """The cells of an axis apart, with zeros between them."""
    if around != 0:
        raise Unreadable("padding between cells by a value that is not 0")
    size = x.shape[d]
    whole = n.add(n.mul(n.minus(size, 1), step), 1)
    axes = (*x.axes[:d], axis_of(size), *x.axes[d + 1 :])
    ready = with_axes(x, axes)
    wide = (*axes[:d], axis_of(whole), *axes[d + 1 :])
    first = sum(len(a) for a in axes[:d])
    if not axes[d]:
        return x
    symbol = reader.names()

    def cell(place: Place) -> Term:
        inner = ready.cell((*place[:first], symbol, *place[first + 1 :]))
        hit = t.Bracket(t.Eq(n.mul(symbol, step), place[first]))
        return t.Sum(reals.times(hit, inner), *sums.ranges_of([symbol], [size]))

    return Tensor(wide, cell)


@rule("tile")
def tile(reader: Reader, equation: Any, x: Tensor) -> Any:
    return OPS["repeat"](reader, x, [reader.sizes.term(e) for e in equation.params["reps"]])


@rule("iota")
def iota(reader: Reader, equation: Any) -> Tensor:
    shape = reader.shape(equation.outvars[0])
    d = equation.params["dimension"]
    axes = plain(shape)
    first = sum(len(a) for a in axes[:d])
    return Tensor(
        axes,
        lambda place: place[first] if axes[d] else n.ZERO,
        sort_of(equation.params["dtype"]),
    )


# Reductions and products.


def reduction(name: str, other: str) -> None:
    def run(reader: Reader, equation: Any, x: Tensor) -> Any:
        axes = [int(d) for d in equation.params["axes"]]
        return OPS[other](reader, x, axes) if axes else x

    rule(name)(run)


reduction("reduce_sum", "sum")
reduction("reduce_prod", "prod")
reduction("reduce_max", "amax")
reduction("reduce_min", "amin")


def place_of_extreme(name: str) -> None:
    def run(reader: Reader, equation: Any, x: Tensor) -> Any:
        (axis,) = equation.params["axes"]
        if x.sort == BOOL:
            return first_of(x, int(axis), name == "argmax")
        return OPS[name](reader, x, int(axis))

    rule(name)(run)


def first_of(x: Tensor, axis: int, wanted: bool) -> Tensor:
    """The place of the first condition that holds, or fails; 0 if none does."""
    count = x.shape[axis]
    if not isinstance(count, sympy.Integer):
        raise Unreadable("the place of a condition along an axis of any size; use a sum of them")
    found = constant(0, sort=INT)
    for k in reversed(range(int(count))):
        row = layout.selected(x, axis, sympy.Integer(k))
        here = row if wanted else elementwise(t.Not, row, sort=BOOL)
        found = elementwise(partial(conditional, k), here, found, sort=INT)
    return found


def conditional(k: int, condition: Term, otherwise: Term) -> Term:
    return reals.choice(condition, k, otherwise)


@rule("empty2")
def empty(reader: Reader, equation: Any) -> Tensor:
    """Memory that a branch which is not taken leaves as it is."""
    return constant(UNWRITTEN, reader.shape(equation.outvars[0]))


place_of_extreme("argmax")
place_of_extreme("argmin")


def quantified(name: str, kind: Any) -> None:
    def run(reader: Reader, equation: Any, x: Tensor) -> Tensor:
        axes = [int(d) for d in equation.params["axes"]]
        over = sums.Reduction(reader.names, x, axes, False)

        def cell(place: Place) -> Term:
            inner = over.tensor.cell(over.place(place))
            return kind(inner, *over.ranges) if over.ranges else inner

        return Tensor(over.axes, cell, BOOL)

    rule(name)(run)


quantified("reduce_and", t.ForAll)
quantified("reduce_or", t.Exists)


@rule("dot_general")
def dot_general(reader: Reader, equation: Any, a: Tensor, b: Tensor) -> Tensor:
    (left, right), (batch_a, batch_b) = equation.params["dimension_numbers"]
    letters_a: list[Any] = [("a", d) for d in range(len(a.axes))]
    letters_b: list[Any] = [("b", d) for d in range(len(b.axes))]
    for d, e in zip((*left, *batch_a), (*right, *batch_b), strict=True):
        letters_b[e] = letters_a[d]
    shared = [letters_a[d] for d in batch_a]
    own_a = [letters_a[d] for d in range(len(a.axes)) if d not in (*left, *batch_a)]
    own_b = [letters_b[d] for d in range(len(b.axes)) if d not in (*right, *batch_b)]
    out = [*shared, *own_a, *own_b]
    return contraction.contraction(reader.names, [a, b], [letters_a, letters_b], out)
