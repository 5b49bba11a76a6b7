"""Norms whose variance is E[x²] - E[x]², as kernels compute it in one pass, are proved as such."""

import pytest

from gradproof.language import Eq, Op, Sum, array, cotangent, integers, reals, sqrt
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

B, C, G, H = integers("B C G H")
b, g, c, h, u, v = integers("b g c h u v")
eps = reals("eps")


def norm(name, dims, place, pooled):
    """What each cell is normalised over is given by ranges of u and v in place of its index."""
    x, y = array("x", *dims), array("y", *dims)
    ranges = [(pooled[i], 0, n - 1) for i, n in zip(place, dims, strict=True) if i in pooled]
    number = 1
    for _, _, last in ranges:
        number = (last + 1) * number

    def mean(cell):
        return Sum(cell(*(pooled.get(i, i) for i in place)), *ranges) / number

    middle = mean(lambda *at: x[at])
    below = sqrt(mean(lambda *at: x[at] ** 2) - middle**2 + eps)

    def normal(*at):
        return (x[at] - middle) / below

    y_bar = cotangent(y)
    rest = mean(lambda *at: y_bar[at]) + normal(*place) * mean(lambda *at: y_bar[at] * normal(*at))
    return Op(
        name,
        requires=(*(n >= 1 for n in dims), eps > 0),
        forward=Eq(y[place], normal(*place)),
        vjp=Eq(cotangent(x)[place], (y_bar[place] - rest) / below),
    )


NORMS = (
    norm("layer", (B, C), (b, c), {c: u}),
    norm("batch", (B, C, H), (b, c, h), {b: u, h: v}),
    norm("instance", (B, C, H), (b, c, h), {h: u}),
    norm("group", (B, G, C, H), (b, g, c, h), {c: u, h: v}),
)


@pytest.mark.parametrize("op", NORMS, ids=lambda op: op.name)
def test_a_norm_by_moments_is_proved(op):
    assert {settled(th, RLIMIT).status for th in obligations(op)} == {"proved"}
