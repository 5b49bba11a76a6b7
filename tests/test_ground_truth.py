"""Random definitions, right and wrong, with plain loops as the judge.

Only the symbolic route is asked, so that no other may cover for it.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product as tuples

from hypothesis import given, settings
from hypothesis import strategies as st

from verify.check import prove
from verify.language import (
    Eq,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    integers,
    scatter,
    tangent,
    zero_padded,
)
from verify.obligations import obligations
from verify.smt import RLIMIT

N, M, K, a, b, w = integers("N M K a b w")
x, y = array("x", N), array("y", M)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)


@dataclass(frozen=True)
class Map:
    """y[a] = Σ over w < width of (scale + slope·w) · x̂[stride·a + step·w + shift] / divisor."""

    stride: int
    step: int
    shift: int
    scale: int
    slope: int
    width: str
    divisor: str

    def index(self):
        return self.stride * a + self.step * w + self.shift

    def weight(self):
        return self.scale + self.slope * w

    def over(self):
        return (w, 0, {"K": K, "2": 2, "N": N}[self.width] - 1)

    def below(self):
        return {"1": 1, "K": K, "2": 2, "N": N}[self.divisor]

    def pushed(self, cells):
        total = Sum(self.weight() * zero_padded(cells)[self.index()], self.over())
        return total / self.below() if self.divisor != "1" else total

    def entry(self, row, column, sizes):
        """The Jacobian entry, by loops."""
        width = {"K": sizes["K"], "2": 2, "N": sizes["N"]}[self.width]
        below = {"1": 1, "K": sizes["K"], "2": 2, "N": sizes["N"]}[self.divisor]
        hits = (
            self.scale + self.slope * v
            for v in range(width)
            if self.stride * row + self.step * v + self.shift == column
        )
        return Fraction(sum(hits), below)


def pulled(m):
    hit = bracket(Eq(m.index(), b))
    total = Sum(hit * m.weight() * y_bar[a], (a, 0, M - 1), m.over())
    return Eq(x_bar[b], total / m.below() if m.divisor != "1" else total)


def scattered(m):
    inside = (m.index() >= 0) & (m.index() < N)
    value = m.weight() * y_bar[a] / m.below()
    return scatter(x_bar[m.index()], value, (a, 0, M - 1), m.over(), where=inside)


def same(one, other):
    """Whether two maps have the same entries at every small shape."""
    return all(
        one.entry(row, column, {"N": n, "K": k}) == other.entry(row, column, {"N": n, "K": k})
        for n, k in tuples(range(1, 7), range(1, 5))
        for row, column in tuples(range(5), range(n))
    )


maps = st.builds(
    Map,
    stride=st.sampled_from([1, 2, 3, -1]),
    step=st.sampled_from([1, 2, -1, 0]),
    shift=st.integers(-2, 2),
    scale=st.sampled_from([1, 2, -1]),
    slope=st.sampled_from([0, 0, 1]),
    width=st.sampled_from(["K", "2", "N"]),
    divisor=st.sampled_from(["1", "K", "2", "N"]),
)
changes = st.sampled_from(
    [
        {},
        {},
        {"stride": 2},
        {"step": 1},
        {"step": 2},
        {"shift": 0},
        {"scale": 2},
        {"slope": 1},
        {"width": "K"},
        {"divisor": "K"},
    ]
)


@given(maps, changes, changes, st.booleans())
@settings(max_examples=150)
def test_proved_is_true_and_right_is_not_refuted(true, of_jvp, of_vjp, as_scatter):
    written = replace(true, **of_jvp), replace(true, **of_vjp)
    op = Op(
        "drawn",
        requires=(N >= 1, M >= 1, K >= 1),
        forward=Eq(y[a], true.pushed(x)),
        jvp=Eq(y_dot[a], written[0].pushed(x_dot)),
        vjp=(scattered if as_scatter else pulled)(written[1]),
    )
    for kind, rule in zip(("jvp", "vjp"), written, strict=True):
        theorem = next(th for th in obligations(op) if th.kind == kind)
        status = prove(theorem, False, RLIMIT).status
        assert status != ("refuted" if same(true, rule) else "proved")
