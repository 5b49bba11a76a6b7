"""Loops that add up, as kernels are written."""

from dataclasses import replace
from fractions import Fraction

import pytest

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    If,
    Op,
    Sum,
    array,
    axes,
    cotangent,
    fold,
    integers,
    product,
    reals,
    scatter,
    tangent,
)
from gradproof.language import terms as t
from gradproof.language.accumulators import summed
from gradproof.language.substitution import Fresh
from gradproof.settle.suite import verify

N, K, o, i, j, m, count = integers("N K o i j m count")
acc, other = reals("acc other")
x, w = array("x", N), array("w", K)
y = array("y", N - K + 1)
(x_dot, w_dot, y_dot), (x_bar, w_bar, y_bar) = map(tangent, (x, w, y)), map(cotangent, (x, w, y))


def loop(part, *ranges, start=0, **more):
    return fold(acc, *(ranges or ((j, 0, K - 1),)), acc=(acc, start, acc + part), **more)


correlation = Op(
    "correlation",
    requires=(K >= 0, N >= K),
    forward=Eq(y[o], loop(x[o + j] * w[j])),
    jvp=Eq(y_dot[o], loop(x_dot[o + j] * w[j] + x[o + j] * w_dot[j])),
    vjp=(
        scatter(x_bar[o + j], y_bar[o] * w[j], (o, 0, N - K), (j, 0, K - 1)),
        Eq(w_bar[j], loop(y_bar[o] * x[o + j], (o, 0, N - K))),
    ),
)


def test_a_correlation_in_loops_is_proved_for_all_sizes():
    found = verify(correlation)
    assert found.as_expected
    assert {v.scope for v in found.verdicts if v.kind in ("jvp", "vjp", "linear")} == {"all sizes"}


@pytest.mark.parametrize(
    "wrong",
    [
        loop(x_dot[o + j] * w[j]),
        loop(x_dot[o + j] * w[j] + x[o + j] * w_dot[j], start=x_dot[o]),
        loop(x_dot[o + j] * w[j] + x[o + j] * w_dot[j], (j, 1, K - 1)),
    ],
    ids=("a term", "the start", "the range"),
)
def test_a_wrong_loop_is_refuted(wrong):
    found = verify(replace(correlation, jvp=Eq(y_dot[o], wrong)))
    assert found.status == "refuted"


def test_a_mean_over_every_number_of_axes():
    n, k, at, place = axes("n k at place")
    wide, means = array("x", n), array("y", n - k + 1)
    total = loop(wide[at + place], (place, 0, k - 1))
    mean = Op(
        "mean",
        requires=(k >= 1, n >= k),
        forward=Eq(means[at], total / product(k)),
        jvp=Eq(tangent(means)[at], loop(tangent(wide)[at + place] / product(k), (place, 0, k - 1))),
        vjp=scatter(
            cotangent(wide)[at + place],
            cotangent(means)[at] / product(k),
            *((at, 0, n - k), (place, 0, k - 1)),
        ),
    )
    found = verify(mean)
    assert found.as_expected
    assert {v.scope for v in found.verdicts if v.kind in ("jvp", "vjp")} == {"every rank"}


@pytest.mark.parametrize("is_positive", [lambda v: v > 0, lambda v: v >= 0], ids=(">", "≥"))
def test_a_sum_of_what_is_positive_off_the_boundary(is_positive):
    positive = Op(
        "positive",
        requires=(K >= 1, N >= K),
        forward=Eq(y[o], loop(If(x[o + j] > 0, x[o + j], 0))),
        jvp=Eq(y_dot[o], loop(If(is_positive(x[o + j]), x_dot[o + j], 0))),
        vjp=scatter(
            x_bar[o + j],
            If(is_positive(x[o + j]), y_bar[o], 0),
            *((o, 0, N - K), (j, 0, K - 1)),
        ),
    )
    found = [v for v in verify(positive).verdicts if v.kind in ("jvp", "vjp")]
    assert {(v.status, v.scope) for v in found} == {("proved", "all sizes, off the boundary")}


def test_a_loop_that_is_a_sum_may_be_claimed_to_be_one():
    inner = fold(other, (m, 0, j), other=(other, acc, other + x[m]))
    nested = fold(acc, (j, 0, K - 1), acc=(acc, 0, inner))
    said = ForAll(Eq(nested, Sum(x[m], (j, 0, K - 1), (m, 0, j))), (o, 0, N - K))
    found = verify(correlation.claiming(Claim("nested", said)))
    assert found.as_expected
    assert found.verdicts[-1].scope == "all sizes"


# Each is evaluated as the loop that it is, and as what it is taken for.
SUMS = {
    "a start": loop(x[j], start=x[0] + 7),
    "two ranges": loop(x[j] * w[m], (j, 0, K - 1), (m, j, K - 1)),
    "a choice": fold(acc, (j, 0, K - 1), acc=(acc, 1, If(x[j] > 2, acc + x[j], acc))),
    "a choice of parts": fold(acc, (j, 0, K - 1), acc=(acc, 0, If(j > 1, acc - 1, acc + w[j]))),
    "no turns": loop(x[j], (j, 1, 0), start=5),
    "two states": fold(
        acc * other,
        (j, 0, K - 1),
        acc=(acc, 0, acc + x[j]),
        other=(other, 1, w[j] + other),
    ),
    "beside another loop": fold(
        acc, (j, 0, K - 1), acc=(acc, 0, acc + x[j]), other=(other, 1, other * 2)
    ),
    "a name that its ranges bind": loop(x[j], start=Sum(x[j], (j, 0, 1))),
    "a factor": fold(acc, (j, 0, K - 1), acc=(acc, 1, 2 * acc + x[j])),
    "a factor of each turn": fold(acc, (j, 0, K - 1), acc=(acc, 3, (acc + 1) * x[j] - w[j])),
    "a factor that is 0 once": fold(acc, (j, 0, K - 1), acc=(acc, 3, w[j] + (j - 1) * acc)),
    "a divisor": fold(acc, (j, 0, K - 1), acc=(acc, 1, (x[j] + acc / 2) / w[j])),
    "a factor alone": fold(acc, (j, 1, K - 1), acc=(acc, 2, x[j] * acc)),
    "a choice of factors": fold(acc, (j, 0, K - 1), acc=(acc, 0, If(j > 1, 2 * acc, acc + w[j]))),
    "a factor, no turns": fold(acc, (j, 3, 0), acc=(acc, 5, 2 * acc + x[j])),
    "a result of two": fold(
        acc + other, (j, 0, K - 1), acc=(acc, 0, acc + x[j]), other=(other, 1, other * 2)
    ),
}
OTHERS = {
    "a square": fold(acc, (j, 0, K - 1), acc=(acc, 1, acc * acc + x[j])),
    "a divisor of its own": fold(acc, (j, 0, K - 1), acc=(acc, 1, x[j] / acc)),
    "a factor, two ranges": fold(acc, (j, 0, 1), (m, 0, 1), acc=(acc, 1, 2 * acc + x[j])),
    "twice": fold(acc, (j, 0, K - 1), acc=(acc, 1, acc + acc)),
    "another state": fold(
        acc, (j, 0, K - 1), acc=(acc, 0, acc + other), other=(other, 1, other + x[j])
    ),
    "its own choice": fold(acc, (j, 0, K - 1), acc=(acc, 0, If(acc < 3, acc + x[j], acc))),
    "its own part": fold(acc, (j, 0, K - 1), acc=(acc, 1, acc + acc * x[j])),
    "one choice": fold(acc, (j, 0, K - 1), acc=(acc, 0, If(j > 0, acc + x[j], w[j]))),
    "an assignment": fold(acc, (j, 0, K - 1), acc=(acc, 0, x[j])),
    "an integer": fold(count, (j, 0, K - 1), count=(count, 0, count + 1)),
    "a result that needs more": fold(
        acc + other, (j, 0, K - 1), acc=(acc, 0, acc + x[j]), other=(other, 1, other * other)
    ),
}


def value(term):
    cells = {"x": (3, -1, 4, 1), "w": (2, 5, -3, 7)}
    tensors = {
        name: (lambda at, values=values: Fraction(values[at[0]])) for name, values in cells.items()
    }
    return Evaluator(RATIONALS, tensors).value(term, {N: 4, K: 4})


@pytest.mark.parametrize("term", SUMS.values(), ids=SUMS)
def test_a_sum_is_what_the_loop_computes(term):
    found = summed(term, Fresh(term))
    assert not any(isinstance(u, t.Fold) for u in t.walk(found))
    assert value(found) == value(term)


@pytest.mark.parametrize("term", OTHERS.values(), ids=OTHERS)
def test_another_loop_is_left_as_it_is(term):
    assert summed(term, Fresh(term)) is term
