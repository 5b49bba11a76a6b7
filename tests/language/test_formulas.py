"""Sizes alone, and windows that must not start behind the input."""

import pytest

from gradproof import verify
from gradproof.language import (
    Claim,
    DefinitionError,
    Eq,
    Formula,
    Max,
    Min,
    Or,
    Windows,
    axes,
    ceil_div,
    floor_div,
    integers,
)

n, k, s, p, q, d = integers("n k s p q d")
N, K, S, P = axes("n k s p")
AT_LEAST = (n >= 1, k >= 1, s >= 1, p >= 0)
FITS, COVERS = (*AT_LEAST, n + 2 * p >= k), (*AT_LEAST, n + 2 * p >= k, 2 * p <= k)


def over(count, size, extent=k, stride=s, **more):
    return Windows(count=count, size=size, extent=extent, stride=stride, **more)


def of(count, windows, *requires, claims=()):
    return Formula("size", count, requires=requires, windows=windows, claims=claims)


def plain(count):
    return of(count, over(count, n + 2 * p), *FITS)


def dilated(extent):
    count = floor_div(n + 2 * p - extent, s) + 1
    real = d * (k - 1) + 1
    return of(count, over(count, n + 2 * p, real), *AT_LEAST, d >= 1, n + 2 * p >= d * k)


def in_ceil_mode(count):
    ceil = {"rounding": "ceil", "within": n + p}
    return of(count, over(count, n + 2 * p, **ceil), *COVERS)


def unequally_padded(count):
    return of(count, over(count, n + p + q), *AT_LEAST, q >= 0, n + p + q >= k)


def same(padding):
    count = ceil_div(n, s)
    exact = Claim("is the least", Or(Eq(padding, 0), Eq((count - 1) * s + k, n + padding)))
    return of(
        count, (), *AT_LEAST, claims=(exact, Claim("fits", (count - 1) * s + k <= n + padding))
    )


def for_every_axis(less):
    count = floor_div(N + 2 * P - K, S) + 1 - less
    requires = (N >= 1, K >= 1, S >= 1, P >= 0, K + less * S <= N + 2 * P)
    return of(count, over(count, N + 2 * P, K, S), *requires)


COVERING = ceil_div(n + 2 * p - k, s)
PAIRS = {
    "plain": (plain(floor_div(n + 2 * p - k, s) + 1), plain(floor_div(n + 2 * p - k + 1, s) + 1)),
    "dilated": (dilated(d * (k - 1) + 1), dilated(d * k)),
    "ceil mode": (
        in_ceil_mode(Min(COVERING, floor_div(n + p - 1, s)) + 1),
        in_ceil_mode(COVERING + 1),
    ),
    "ceil mode, the end of the padding": (
        in_ceil_mode(Min(COVERING, floor_div(n + p - 1, s)) + 1),
        in_ceil_mode(Min(COVERING, floor_div(n + 2 * p - 1, s)) + 1),
    ),
    "ceil mode, rounded down": (
        in_ceil_mode(Min(COVERING, floor_div(n + p - 1, s)) + 1),
        in_ceil_mode(floor_div(n + 2 * p - k, s) + 1),
    ),
    "padding that differs": (
        unequally_padded(floor_div(n + p + q - k, s) + 1),
        unequally_padded(floor_div(n + 2 * p - k, s) + 1),
    ),
    "same": (same(Max((ceil_div(n, s) - 1) * s + k - n, 0)), same(Max(k - s, 0))),
    "every axis": (for_every_axis(0), for_every_axis(1)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_size_is_settled_with_no_op_around_it(name):
    right, wrong = (verify(op) for op in PAIRS[name])
    assert right.status == "proved"
    kinds = {v.kind for v in wrong.verdicts if v.status == "refuted"}
    assert kinds
    assert kinds <= {"size", "claim"}


def test_only_windows_that_cover_may_be_too_many():
    with pytest.raises(DefinitionError, match='within is for windows of rounding="ceil"'):
        of(n, over(n, n, within=n))
