"""Arrays and sizes that somebody gives to an op, held against its shapes. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.ranks import at_rank, spread
from gradproof.language.terms import Array

Floats = NDArray[np.float64]
Sizes = Mapping[str, int | float | Sequence[int]]

ranked = lru_cache(maxsize=None)(at_rank)


def wrong(op: Op, name: Any, found: Any, expected: Any) -> ValueError:
    return ValueError(f"{op.name}: {name}: found {found}, expected {expected}")


def listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names)) or "none"


def named(op: Op, kind: str, wanted: Iterable[Array], found: Mapping[str, Any]) -> dict[Any, Any]:
    arrays = {a.name: a for a in wanted}
    for name in sorted(found.keys() ^ arrays.keys()):
        fault = "missing" if name in arrays else "unknown"
        raise wrong(op, f"{fault} {kind} {name}", listed(found), listed(arrays))
    return {a: as_array(op, a, found[name]) for name, a in arrays.items()}


def as_array(op: Op, array: Array, values: Any) -> Any:
    """Floats, or integers for an array of these."""
    if not array.span:
        return np.asarray(values, dtype=float)
    found = np.asarray(values)
    if not np.issubdtype(found.dtype, np.integer) and np.any(found != np.floor(found)):
        raise wrong(op, f"values of {array}", found.dtype, "integers")
    return found.astype(int)


def rank_of(op: Op, given: Mapping[Array, Floats], sizes: Sizes) -> int:
    """The number of spatial axes; 1 if the op has no bundles."""
    for a, values in given.items():
        if bundles := sum(1 for d in a.dims if t.is_bundle(d)):
            rank, rest = divmod(values.ndim - len(a.dims) + bundles, bundles)
            if rank < 1 or rest:
                raise wrong(op, f"dimensions of {a}", values.shape, listed(a.dims))
            return rank
    lengths = {np.size(v) for v in sizes.values() if np.ndim(v) and np.size(v)}
    if op.is_rank_generic and len(lengths) != 1:
        raise wrong(op, "rank", f"sizes {dict(sizes)}", "a bundle size with one value per axis")
    return lengths.pop() if op.is_rank_generic else 1


def given_sizes(op: Op, sizes: Sizes, rank: int) -> Iterator[tuple[Any, Any, str]]:
    symbols: Any = {s.name: s for s in op.sizes}
    for name, value in sizes.items():
        if name not in symbols:
            raise wrong(op, f"unknown size {name}", value, listed(symbols))
        parts = list(spread(symbols[name], rank))
        per_axis = symbols[name].is_bundle and np.ndim(value) == 1
        values: list[Any] = list(np.asarray(value)) if per_axis else [value] * len(parts)
        sort = symbols[name].sort
        kind, cast = (Integral, int) if sort == t.INT else (Real, float)
        if len(values) != len(parts) or not all(isinstance(v, kind) for v in values):
            count = f" or {rank} of them, one per axis" if symbols[name].is_bundle else ""
            raise wrong(op, f"size {name}", value, f"one {sort} number{count}")
        yield from ((s, cast(v), "in sizes") for s, v in zip(parts, values, strict=True))


def shape_sizes(op: Op, given: Mapping[Array, Floats], rank: int) -> Iterator[tuple[Any, Any, str]]:
    for a, values in given.items():
        dims = ranked(a, rank).dims
        if len(dims) != values.ndim:
            raise wrong(op, f"dimensions of {a}", values.shape, listed(dims))
        sizes = zip(dims, values.shape, strict=True)
        yield from ((d, n, f"in the shape of {a}") for d, n in sizes if isinstance(d, t.Sym))


def all_sizes(op: Op, given: Mapping[Array, Floats], sizes: Sizes, rank: int) -> dict[Any, Any]:
    """Every size, as given and from the shapes; these must agree."""
    known: dict[Any, tuple[Any, str]] = {}
    for symbol, value, source in (*given_sizes(op, sizes, rank), *shape_sizes(op, given, rank)):
        expected, first = known.setdefault(symbol, (value, source))
        if value != expected:
            raise wrong(op, f"size {symbol}", f"{value} {source}", f"{expected} as {first}")
    for s in op.sizes:
        if not known.keys() >= set(spread(s, rank)):
            raise wrong(op, f"missing size {s}", listed(known), f"{s} in sizes, as no shape has it")
    return {symbol: value for symbol, (value, _) in known.items()}
