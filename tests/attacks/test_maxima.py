"""That a maximum is attained, and at least each value: each attack has a right neighbour."""

from dataclasses import replace

import pytest

from gradproof.language import (
    And,
    Claim,
    Eq,
    Exists,
    ForAll,
    Max,
    Ne,
    Op,
    Or,
    Sum,
    argmax,
    array,
    axes,
    fold,
    implies,
    integer_array,
    integers,
    maximum,
    reals,
    unique,
    winner,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.specs import pool2d_pad
from gradproof.specs.ties import first_winner_claims
from gradproof.theorems.obligations import obligations

N, M, K, a, b, i, j, d = integers("N M K a b i j d")
best = reals("best")
x, w, y = array("x", N, M), array("w", M), array("y", N)
row, rows, there = (j, 0, M - 1), (a, 0, N - 1), (i, 0, M - 1)
LARGE = maximum(x[a, j], row)
LARGEST = maximum(x[b, j], row)
BOTH = (Eq(y[a], LARGE), Eq(array("v", M)[j], w[j]))
LATE = (i, 0, M - 51)  # what is false of the rest is seen in rows of more than 50 cells alone


def status(statement, requires=(M >= 1,), forward=BOTH, over=(rows,)):
    said = ForAll(statement, *over)
    claim = Claim("said", said)
    op = Op("maxima", forward, requires=requires, claims=(claim,))
    (theorem,) = (th for th in obligations(op) if th.name == "said")
    return settled(theorem, RLIMIT).status


RIGHT = {
    "at least each": ForAll(x[a, i] <= y[a], there),
    "attained": Exists(Eq(x[a, i], y[a]), there),
    "below a bound of all": implies(ForAll(x[a, i] < w[0], there), y[a] < w[0]),
    "the place of the largest": ForAll(x[a, argmax(x[a, j], row)] >= x[a, i], there),
    "no smaller before the first": ForAll(implies(i < argmax(x[a, j], row), x[a, i] < y[a]), there),
    "a loop in a maximum": Eq(
        Max(w[0], fold(best, row, best=(best, x[a, 0], Max(best, x[a, j])))), Max(y[a], w[0])
    ),
    "of more": y[a] <= maximum(Max(x[a, j], w[j]), row),
    "of a sum": maximum(x[a, j] + w[j], row) <= y[a] + maximum(w[j], row),
    "of a part": implies(M >= 2, maximum(x[a, j], (j, 0, M - 2)) <= y[a]),
    "in two parts": implies(
        M >= 2,
        Eq(y[a], Max(maximum(x[a, j], (j, 0, 0)), maximum(x[a, j], (j, 1, M - 1)))),
    ),
    "two winners": implies(
        And(Eq(x[a, 0], y[a]), Exists(And(i > 0, Eq(x[a, i], y[a])), there)),
        ~unique(x[a, j], row),
    ),
    "one winner": implies(
        unique(x[a, j], row),
        ForAll(implies(And(winner(j, x[a, i], there), Ne(i, j)), x[a, i] < y[a]), row, there),
    ),
    "each window has a tap": ForAll(Exists(y[a] <= x[a, i], there), rows),
    "some row is above all taps": Exists(ForAll(x[a, i] <= y[b], there), (b, 0, N - 1)),
    "where nothing counts": Eq(maximum(x[a, j], row, where=j < 0, empty=7), 7),
}
WRONG = {
    "at most each": ForAll(x[a, i] >= y[a], LATE),
    "attained early": Or(M < 60, Exists(Eq(x[a, i], y[a]), LATE)),
    "above a bound of some": Or(M < 60, implies(ForAll(x[a, i] < w[0], LATE), y[a] < w[0])),
    "of a sum": Or(M < 60, Eq(maximum(x[a, j] + w[j], row), y[a] + maximum(w[j], row))),
    "of a part": Or(M < 60, Eq(maximum(x[a, j], (j, 0, M - 51)), y[a])),
    "two are one": Or(
        M < 60,
        implies(Eq(x[a, 0], y[a]) & Eq(x[a, 59], y[a]), unique(x[a, j], row)),
    ),
    "none is two": Or(M < 60, ~unique(x[a, j], row)),
    "what does not count": ForAll(x[a, i] <= maximum(x[a, j], row, where=j < M - 50), there),
    "where nothing counts": Eq(maximum(x[a, j], row, where=j > M + 50), y[a]),
    "before the last": ForAll(
        Or(M < 60, implies(winner(i, x[a, j], row, tie="last") & (i > 0), x[a, 0] < y[a])), there
    ),
    "a maximum of each row is one": Or(
        N < 60, implies(Exists(LARGEST <= 3, (b, 0, N - 1)), ~Exists(LARGEST > 3, (b, 0, N - 1)))
    ),
    "attained by all": implies(Exists(Eq(x[a, i], y[a]), LATE), ForAll(Eq(x[a, i], y[a]), LATE)),
}
TOTAL = Sum(x[a, j], row)
RIGHT |= {
    "as often as there are cells at least the sum": M * y[a] >= TOTAL,
    "at least the mean": y[a] >= TOTAL / M,
    "at least the sum of what rises with it": M * (3 * y[a] + w[0]) >= Sum(3 * x[a, j] + w[0], row),
}
WRONG |= {
    "less often at least the sum": Or(M < 60, (M - 1) * y[a] >= TOTAL),
    "at least twice the mean": Or(M < 60, y[a] >= 2 * TOTAL / M),
    "at least the sum of what falls": Or(M < 60, M * (w[0] - y[a]) >= Sum(w[0] - x[a, j], row)),
    "of another row": Or(N < 60, ForAll(M * LARGEST >= TOTAL, (b, 0, N - 1))),
    "of half of the row": Or(M < 60, M * maximum(x[a, j], (j, 0, M - 31)) >= TOTAL),
}
RIGHT |= {
    "after the last": ForAll(
        Or(M < 60, implies(winner(i, x[a, j], row, tie="last") & (i < 59), x[a, 59] < y[a])), there
    ),
    "before the first": ForAll(
        Or(M < 60, implies(winner(i, x[a, j], row) & (i > 0), x[a, 0] < y[a])), there
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_true_of_maxima(name):
    assert status(RIGHT[name]) == "proved"


@pytest.mark.parametrize("name", WRONG)
def test_what_is_false_of_maxima_in_long_rows(name):
    assert status(WRONG[name]) != "proved"


def test_an_empty_window_has_no_place():
    """Of a row without cells nothing is attained, and the maximum is what stands for none."""
    attained = RIGHT["attained"]
    assert status(attained, requires=(M >= 0,)) == "refuted"
    assert status(Or(attained, And(Eq(M, 0), Eq(y[a], 0))), requires=(M >= 0,)) == "proved"
    assert status(y[a] >= x[a, 0], requires=(M >= 0,)) != "proved"


# Ties of dilated windows, at every rank.

n, k, s, o, t1, t2 = axes("n k s o t1 t2")
C, c = integers("C c")
q, m = array("q", C, n), axes("m")
cells = s * o + 2 * t1
first, second = (t1, 0, k - 1), (t2, 0, k - 1)
z = array("z", C, n)
both = Eq(q[c, cells], z[c, o]) & Eq(q[c, s * o + 2 * t2], z[c, o])


def test_ties_of_a_dilated_window():
    direction = array("v", C, n)
    requires = (k >= 1, s >= 0, n >= 1)
    real = cells < n
    window = {"where": And(real, cells >= 0)}
    largest = maximum(q[c, cells], first, **window)

    def sideways(sign):
        tied = And(window["where"], Eq(q[c, cells], z[c, o]))
        return maximum(sign * direction[c, cells], first, where=tied)

    parts = direction[c, cells] > direction[c, s * o + 2 * t2]
    inside = And(window["where"], s * o + 2 * t2 < n, s * o + 2 * t2 >= 0)
    differ = sideways(1) > -sideways(-1)
    over = ((c, 0, C - 1), (o, 0, n - 1), first, second)
    forward = (Eq(z[c, o], largest), Eq(array("same", C, n)[c, o], direction[c, o]))
    right = implies(And(inside, both, parts), differ)
    wrong = implies(And(inside, Eq(q[c, cells], z[c, o]), parts), differ)
    assert status(right, requires, forward, over) == "proved"
    assert status(wrong, requires, forward, over) == "refuted"


def test_an_output_of_places():
    at = integer_array("at", N, below=M)
    forward = (Eq(y[a], LARGE), Eq(at[a], argmax(x[a, j], row)))
    assert status(Eq(x[a, at[a]], y[a]), forward=forward) == "proved"
    last = (forward[0], Eq(at[a], argmax(x[a, j], row, tie="last")))
    before = ForAll(implies(i < at[a], x[a, i] < y[a]), there)
    assert status(before, forward=forward) == "proved"
    assert status(before, forward=last) == "refuted"


def test_every_tie_of_a_padded_plane_parts_its_cells():
    """Proved as of the others, but by questions that depend on what was asked before: no record."""
    at = (pool2d_pad.c, pool2d_pad.iH, pool2d_pad.iW)
    claims = first_winner_claims(pool2d_pad.max_definition, at, pool2d_pad.here, {})
    (every,) = (claim for claim in claims if claim.name.startswith("every tie"))
    op = replace(pool2d_pad.max_definition, claims=(every,))
    assert [settled(th, RLIMIT).status for th in obligations(op, ("claim",))] == ["proved"]
