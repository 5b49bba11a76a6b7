"""Products of traced tensors, summed over axes that they share. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradproof.language.terms import Term
from gradproof.tracing import reals
from gradproof.tracing.axes import (
    Axis,
    Place,
    common,
)
from gradproof.tracing.sums import Names, ranges_of
from gradproof.tracing.tensors import (
    Tensor,
    as_real,
    with_axes,
)


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


def linear(names: Names, x: Tensor, w: Tensor) -> Tensor:
    """The product of a last axis with the rows of a matrix, or with a vector."""
    lead = list(range(len(x.axes) - 1))
    rows = ["n"] if len(w.axes) > 1 else []
    return contraction(names, [x, w], [[*lead, "k"], [*rows, "k"]], [*lead, *rows])


def einsum(names: Names, equation: str, inputs: Sequence[Tensor]) -> Tensor:
    """Axes by letters; those that an ellipsis stands for are numbered from the last on."""
    given, _, out = equation.replace(" ", "").partition("->")
    letters = [
        lettered(part, len(x.axes)) for part, x in zip(given.split(","), inputs, strict=True)
    ]
    width = max(sum(isinstance(k, int) for k in own) for own in letters)
    if "->" not in equation:
        every = "".join(given.replace("...", "").split(","))
        once = sorted(c for c in set(every) if every.count(c) == 1)
        return contraction(names, inputs, letters, [*range(-width, 0), *once])
    return contraction(names, inputs, letters, lettered(out, width + len(out.replace("...", ""))))


def lettered(part: str, rank: int) -> list[Any]:
    before, dots, after = part.partition("...")
    width = rank - len(before) - len(after)
    return [*before, *(range(-width, 0) if dots else ()), *after]
