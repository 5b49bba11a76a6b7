"""Sizes that are wrong where one argument is large, or where two are far apart. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from gradproof.language import Eq, Formula, If, Max, Op, Windows, ceil_div, floor_div, integers
from trust.drawn.owed import Failure
from trust.truth.loops import Undefined, value

n, k, s, p = integers("n k s p")
AT_LEAST = (n >= 1, k >= 1, s >= 1, p >= 0)
FITS = n + 2 * p >= k
OFTEN = (0, 1, 2, 3, 5, 49, 50, 51, 999, 1000, 1001, 10**6)
FEW = {"n": OFTEN, "k": OFTEN[1:], "s": (1, 2, 3), "p": (0, 1, 2, 5, 50, 1000)}


def windows(count: Any, rounding: str = "floor") -> Windows:
    return Windows(count=count, size=n + 2 * p, extent=k, stride=s, rounding=rounding)


# A count, what it requires, and how its windows are rounded, if it has any.
COUNTS: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "floor": (floor_div(n + 2 * p - k, s) + 1, (*AT_LEAST, FITS), "floor"),
    "ceil": (ceil_div(n + 2 * p - k, s) + 1, (*AT_LEAST, FITS), "ceil"),
    "transposed": ((n - 1) * s + k - 2 * p, (*AT_LEAST, (n - 1) * s + k > 2 * p), ""),
    "transposed too small": ((n - 1) * s + k - 2 * p, AT_LEAST, ""),
    "of stride 2": (2 * (n - 1) - 2 * p + 3, AT_LEAST, ""),
    "valid": (n - k + 1, (*AT_LEAST, n >= k), ""),
    "valid, or one": (If(n >= k, n - k + 1, 1), AT_LEAST, ""),
    "valid, or less": (If(n >= k, n - k + 1, n - 1), AT_LEAST, ""),
    "at least one": (Max(n - k + 1, 1), AT_LEAST, ""),
    "at least none": (Max(n - k, 0), AT_LEAST, ""),
}


def formula(variant: str, edits: Iterable[Any]) -> Op:
    count, requires, rounding = COUNTS[variant]
    for edit in edits:
        where = Eq(n, edit.place) if edit.how == "instead" else n > edit.place
        count = If(where, count + edit.value, count)
    return Formula(
        "drawn",
        count,
        requires=requires,
        windows=windows(count, rounding) if rounding else (),
    )


def places() -> Iterator[dict[str, int]]:
    return (dict(zip(FEW, chosen, strict=True)) for chosen in product(*FEW.values()))


def failures(op: Op, at: Iterable[dict[str, int]]) -> Iterator[Failure]:
    """Arguments at which a size is none, or its windows are too many or too few."""
    (count,) = op.outputs[0].dims
    for sizes in at:
        names = {f"_{name}": number for name, number in sizes.items()}
        try:
            if not all(value(clause, names) for clause in op.requires):
                continue
            made = value(count, names)
            if wrong := told(op, made, names):
                yield Failure("size", wrong, tuple(sizes.items()), (), (), (made,), ())
        except Undefined:
            continue


def told(op: Op, made: int, names: dict[str, int]) -> str:
    if made < 1:
        return "is less than 1"
    for of in op.windows:
        length, extent, stride = (value(t, names) for t in (of.size, of.extent, of.stride))
        if of.rounding == "floor":
            if (made - 1) * stride + extent > length or made * stride + extent <= length:
                return "is not that of its windows"
        elif (made - 1) * stride + extent < length or (
            made > 1 and (made - 2) * stride + extent >= length
        ):
            return "is not that of its windows"
    return ""
