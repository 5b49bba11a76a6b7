"""What the comparison of derivatives leaves out, the theorem about boundaries covers."""

from fractions import Fraction
from itertools import product

import pytest

from gradproof.evaluate.replay import Point
from gradproof.language import (
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    count,
    function,
    integers,
    sin,
    tangent,
)
from gradproof.language import terms as t
from gradproof.theorems.obligations import obligations

N, i, k = integers("N i k")
x, w, y = (array(name, N) for name in "xwy")
X, W = x[i], w[i]
BRANCHING = function("branching", lambda u: If(u > 1, 1, 0), value=lambda u: Max(u, 1))

VALUES = {
    "one kink": Max(X, 0),
    "kinks that cancel": Max(X, 0) - Max(-X, 0),
    "far apart": Min(Max(X, -1), 1) + Max(X, 2),
    "touched": If(X * X > 0, X, 0),
    "crossed at a cube": If(X**3 > 1, X, 1),
    "nested": If(X > 0, If(X > 1, 2 * X, X + 1), 1),
    "an equality": If(Eq(X, 1), 5, X),
    "two inputs": Max(X, W) + Max(X - W, 0),
    "a bracket": X * bracket(X > 0) * bracket(W > 1),
    "in a function": sin(Max(X, 0)) + BRANCHING(X + W),
    "under a sum": Sum(Max(x[k], 0) * W, (k, 0, N - 1)),
    "counts": X * count(x[k] > X, (k, 0, N - 1)),
    "a square of a kink": Max(X - 1, 0) ** 2,
}


def op_of(value):
    rules = (Eq(cotangent(a)[i], cotangent(y)[i]) for a in (x, w))
    jvp = Eq(tangent(y)[i], tangent(x)[i] + tangent(w)[i])
    return Op("drawn", Eq(y[i], value + 0 * W), jvp, tuple(rules), requires=(N >= 1,))


@pytest.mark.parametrize("name", VALUES)
def test_what_is_left_out_is_covered(name):
    theorems = obligations(op_of(VALUES[name]))
    compared = [s for th in theorems if th.kind == "jvp" for s in th.sequents]
    covering = next(th for th in theorems if th.name == "jvp where branches meet").sequents[0]
    left_out = 0
    places = [(a, n) for a in "xw" for n in range(2)]
    for values in product((-1, 0, 1, 2), repeat=4):
        cells = dict(zip(((a, (n,)) for a, n in places), map(Fraction, values), strict=True))
        for at in range(2):
            covered = is_covered(covering, cells, at)
            for sequent in compared:
                here = [holds(sequent, cells, at, by) for by in range(2)]
                left_out += here.count(False)
                assert covered or all(here)
    assert left_out or name == "counts"


def holds(sequent, cells, at, by):
    """Whether the derivative is compared at a cell of the output and one of the input."""
    symbols = [symbol for symbol, _, _ in sequent.over]
    env = dict(zip(symbols, (at, by), strict=True)) | {N: 2}
    return Point(sequent, cells).evaluator.value(t.And(*sequent.when), env)


def is_covered(sequent, cells, at):
    """Whether some comparison is an equality at a cell of the output, so that more is said."""
    env = {symbol: 0 for symbol, _, _ in sequent.over} | {N: 2, sequent.over[0][0]: at}
    return not Point(sequent, cells).evaluator.value(sequent.then.args[0], env)
