"""Sliding windows: the arithmetic that pooling and convolution share, and what is true of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gradproof.language import (
    And,
    Claim,
    Eq,
    Exists,
    ForAll,
    Max,
    Min,
    Term,
    Windows,
    ceil_div,
    floor_div,
    implies,
    inside,
    nat_div,
    nat_sub,
)


@dataclass(frozen=True)
class Axis:
    """Windows of `k` cells, `s` apart, over `n` cells with `p` more at either end."""

    n: Any
    k: Any
    s: Any
    p: Any
    i: Any  # position in the input
    j: Any  # position in the window
    o: Any  # position in the output
    larger: Any  # a second input size, for claims

    @property
    def requires(self) -> tuple[Any, ...]:
        padding = (self.p >= 0,) if isinstance(self.p, Term) else ()
        return (self.n >= 1, self.k >= 1, self.s >= 1, *padding, self.fits)

    @property
    def fits(self) -> Any:
        return self.n + 2 * self.p >= self.k

    def outputs(self, size: Any) -> Any:
        """How many windows there are."""
        return floor_div(size + 2 * self.p - self.k, self.s) + 1

    @property
    def m(self) -> Any:
        return self.outputs(self.n)

    @property
    def naturals(self) -> Any:
        """The same formula in natural numbers."""
        return nat_div(nat_sub(self.n + 2 * self.p, self.k), self.s) + 1

    @property
    def cell(self) -> Any:
        """The input cell at place j of window o."""
        return self.s * self.o + self.j - self.p

    @property
    def is_real(self) -> Any:
        return inside((self.cell,), (self.n,))

    @property
    def window(self) -> Any:
        return (self.j, 0, self.k - 1)

    @property
    def outputs_over(self) -> Any:
        return (self.o, 0, self.m - 1)

    @property
    def inputs_over(self) -> Any:
        return (self.i, 0, self.n - 1)

    @property
    def covering(self) -> Any:
        """The windows over cell i."""
        first = Max(0, ceil_div(self.i + self.p - self.k + 1, self.s))
        return (self.o, first, Min(self.m - 1, floor_div(self.i + self.p, self.s)))

    @property
    def windows(self) -> Windows:
        return Windows(count=self.m, size=self.n + 2 * self.p, extent=self.k, stride=self.s)


def requires(*axes: Axis) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(clause for axis in axes for clause in axis.requires))


def size_claims(
    axes: tuple[Axis, ...], phantom: Mapping[Any, Any], no_stride: Mapping[Any, Any]
) -> tuple[Claim, ...]:
    """What holds of the number of windows; the mappings are the smallest counterexamples."""
    stride = axes[0].s >= 1
    keeps = And(*(Eq(a.m, a.n) for a in axes))
    last_fits = And(*((a.naturals - 1) * a.s + a.k <= a.n + 2 * a.p for a in axes))
    one_more = And(*(a.naturals * a.s + a.k > a.n + 2 * a.p for a in axes))
    fit, no_more = "the last window fits", "one more window does not fit"
    return (
        Claim(
            "output size grows with the input",
            And(*(a.outputs(a.larger) >= a.m for a in axes)),
            given=tuple(a.larger >= a.n for a in axes),
        ),
        Claim(
            "k = s = 1, p = 0 keeps the size",
            keeps,
            given=(*(Eq(a.k, 1) for a in axes), Eq(axes[0].s, 1), *unpadded(axes)),
        ),
        Claim(
            "k = n, p = 0 gives one window",
            And(*(Eq(a.m, 1) for a in axes)),
            given=(*(Eq(a.k, a.n) for a in axes), *unpadded(axes)),
        ),
        Claim(
            "natural-number size is the integer size",
            And(*(Eq(a.naturals, a.m) for a in axes)),
        ),
        Claim(f"natural-number size: {fit}", last_fits),
        Claim(
            f"natural-number size without n + 2p ≥ k: {fit}",
            last_fits,
            without=(axes[-1].fits,),
            refuted=phantom,
            why="Code that asks for no n + 2p ≥ k computes it: one window where none fits.",
            twin=f"natural-number size: {fit}",
        ),
        Claim(f"natural-number size: {no_more}", one_more, given=(axes[0].s >= 0,)),
        Claim(
            f"natural-number size with s = 0: {no_more}",
            one_more,
            given=(axes[0].s >= 0,),
            without=(stride,),
            refuted=no_stride,
            why="Where a / 0 is 0 the formula still gives a number, and nothing complains.",
            twin=f"natural-number size: {no_more}",
        ),
    )


def padding_claims(axes: tuple[Axis, ...], empty: Mapping[Any, Any]) -> tuple[Claim, ...]:
    """Which windows have a real cell."""
    real = And(*(ForAll(Exists(a.is_real, a.window), a.outputs_over) for a in axes))
    first = And(*(inside((a.j - a.p,), (a.n,)) for a in axes))  # of window 0, at place j
    a_cell = "every window has a real cell"
    p = axes[0].p
    return (
        Claim(
            "s = 1, k = 2p + 1 keeps the size",
            And(*(Eq(a.m, a.n) for a in axes)),
            given=(Eq(axes[0].s, 1), *(Eq(a.k, 2 * p + 1) for a in axes)),
        ),
        Claim(f"p < k: {a_cell}", real, given=(And(*(p < a.k for a in axes)),)),
        Claim(f"2p ≤ k: {a_cell}", real, given=(And(*(2 * p <= a.k for a in axes)),)),
        Claim(
            "the first window has a real cell: p < k on every axis",
            ForAll(implies(first, And(*(p < a.k for a in axes))), *(a.window for a in axes)),
        ),
        Claim(
            f"k, s ≠ 0: {a_cell}",
            real,
            refuted=empty,
            twin=f"p < k: {a_cell}",
            why="It is all that the source asks for; a window may lie in the padding altogether.",
        ),
    )


def unpadded(axes: tuple[Axis, ...]) -> tuple[Any, ...]:
    return (Eq(axes[0].p, 0),) if isinstance(axes[0].p, Term) else ()
