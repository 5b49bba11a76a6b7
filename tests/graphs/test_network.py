"""The ops of networks that builders name: each proved as part of a graph."""

from fractions import Fraction

import pytest

from gradproof.graphs import Graph
from gradproof.language import integers

N, R, C, B = integers("N R C B")
eps = Fraction(1, 1000)


def activations(g):
    x = g.input("x", R, N)
    return g.scale(g.multiply(g.sigmoid(x), g.tanh(x)), Fraction(-1, 2))


def softmax(g):
    return g.softmax(g.input("x", R, N))


def batch_norm(g):
    return g.batch_norm(g.input("x", B, C, N), g.input("gain", C), g.input("bias", C), eps)


@pytest.mark.xdist_group("graphs")
@pytest.mark.parametrize(
    ("build", "scope"),
    [
        (activations, "all sizes"),
        (softmax, "all sizes"),
        pytest.param(batch_norm, "all sizes", marks=pytest.mark.slow),
    ],
)
def test_it_is_proved(build, scope):
    g = Graph(build.__name__)
    g.assume(*(size >= 1 for size in (N, R, C, B)))
    g.output(build(g))
    found = {v.name: (v.status, v.scope) for v in g.verify().verdicts}
    assert found["jvp"] == found["vjp"] == ("proved", scope)
