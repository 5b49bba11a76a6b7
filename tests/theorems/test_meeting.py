"""What rules do where branches meet: what one branch gives or something between, and no more."""

import re
from fractions import Fraction

import pytest

from gradproof.language import (
    And,
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    exp,
    fold,
    integers,
    log,
    maximum,
    reals,
    sin,
    tangent,
)
from gradproof.prove.rules.connectives import all_of, one_of
from gradproof.prove.rules.smt import RLIMIT, solved
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import labelled, settled
from gradproof.show.lessons import lesson
from gradproof.show.reproduction import fails
from gradproof.theorems.obligations import obligations

N, M, i, j, m = integers("N M i j m")
a = reals("a")
x, w, y, loss = array("x", N), array("w", N), array("y", N), array("loss")
x_dot, w_dot, y_dot, loss_dot = map(tangent, (x, w, y, loss))
x_bar, w_bar, y_bar, loss_bar = map(cotangent, (x, w, y, loss))
ZERO = Eq(x[i], 0)
SIGN = If(x[i] > 0, 1, If(x[i] < 0, -1, 0))


def one(forward, slope, **parts):
    """An op of one input, cell by cell, with rules that scale by a slope."""
    forward, jvp, vjp = Eq(y[i], forward), Eq(y_dot[i], slope * x_dot[i]), slope * y_bar[i]
    return Op("one", forward, jvp, Eq(x_bar[i], vjp), requires=(N >= 1, a < 1), **parts)


def two(forward, by_x, by_w, **parts):
    jvp = Eq(y_dot[i], by_x * x_dot[i] + by_w * w_dot[i])
    vjp = (Eq(x_bar[i], by_x * y_bar[i]), Eq(w_bar[i], by_w * y_bar[i]))
    return Op("two", Eq(y[i], forward), jvp, vjp, requires=(N >= 1,), **parts)


def mean(error, sign):
    """A loss: the mean over all cells, of one array."""
    cells = (i, 0, N - 1)
    forward = Eq(loss[()], Sum(error, cells) / N)
    jvp = Eq(loss_dot[()], Sum(sign * x_dot[i], cells) / N)
    return Op("mean", forward, jvp, Eq(x_bar[i], sign * loss_bar[()] / N), requires=(N >= 1,))


X = array("x", 2 * N)


def pairs(first, second):
    """The larger of each two cells of one array."""
    left, right = X[2 * i], X[2 * i + 1]
    gathered = bracket(Eq(j, 2 * i)) * first(left, right)
    gathered += bracket(Eq(j, 2 * i + 1)) * second(left, right)
    jvp = first(left, right) * tangent(X)[2 * i] + second(left, right) * tangent(X)[2 * i + 1]
    vjp = Eq(cotangent(X)[j], Sum(y_bar[i] * gathered, (i, 0, N - 1)))
    return Op("pairs", Eq(y[i], Max(left, right)), Eq(y_dot[i], jvp), vjp, requires=(N >= 1,))


W, made = array("w", M, N), array("y", M)


def layer(mask):
    """max(0, W x), with rules that are masked by what was computed."""

    def product(weights, cells):
        return Sum(weights[m, i] * cells[i], (i, 0, N - 1))

    passed = mask(made[m])
    jvp = passed * (product(tangent(W), x) + product(W, x_dot))
    vjp = (
        Eq(x_bar[i], Sum(passed * W[m, i] * cotangent(made)[m], (m, 0, M - 1))),
        Eq(cotangent(W)[m, i], passed * x[i] * cotangent(made)[m]),
    )
    forward = Eq(made[m], Max(product(W, x), 0))
    return Op("layer", forward, Eq(tangent(made)[m], jvp), vjp, requires=(N >= 1, M >= 1))


def theorems(op):
    return [th for th in obligations(op) if th.name.endswith("where branches meet")]


RIGHT = {
    "relu, 0 at 0": one(Max(x[i], 0), bracket(x[i] > 0)),
    "relu, 1 at 0": one(Max(x[i], 0), bracket(x[i] >= 0)),
    "relu, a half at 0": one(Max(x[i], 0), bracket(x[i] > 0) + bracket(ZERO) / 2),
    "absolute, 0 at 0": one(abs(x[i]), SIGN),
    "absolute, 1 at 0": one(abs(x[i]), If(x[i] < 0, -1, 1)),
    "clipped": one(Min(Max(x[i], 0), 6), bracket(And(x[i] > 0, x[i] < 6))),
    "leaky": one(If(x[i] > 0, x[i], a * x[i]), If(x[i] >= 0, 1, a)),
    "smooth, of two branches": one(
        Max(x[i], 0) + log(1 + exp(-abs(x[i]))), exp(x[i]) / (1 + exp(x[i]))
    ),
    "smooth where they meet": one(If(x[i] > 0, x[i], exp(x[i]) - 1), If(x[i] > 0, 1, exp(x[i]))),
    "a jump": one(If(x[i] > 0, 1, 0), 0),
    "larger, to the first": two(Max(x[i], w[i]), bracket(x[i] >= w[i]), bracket(x[i] < w[i])),
    "larger, halves": two(
        Max(x[i], w[i]),
        bracket(x[i] > w[i]) + bracket(Eq(x[i], w[i])) / 2,
        bracket(x[i] < w[i]) + bracket(Eq(x[i], w[i])) / 2,
    ),
    "mean of absolutes, 0 at 0": mean(abs(x[i]), SIGN),
    "mean of absolutes, 1 at 0": mean(abs(x[i]), If(x[i] < 0, -1, 1)),
    "of one array": pairs(lambda p, q: bracket(p >= q), lambda p, q: bracket(p < q)),
    "of a sum": layer(lambda made: bracket(made > 0)),
}
WRONG = {
    "relu, 7 at 0": one(Max(x[i], 0), If(ZERO, 7, bracket(x[i] > 0))),
    "relu, -1 at 0": one(Max(x[i], 0), bracket(x[i] > 0) - bracket(ZERO)),
    "absolute, 3 at 0": one(abs(x[i]), SIGN + 3 * bracket(ZERO)),
    "clipped, -1 at 6": one(
        Min(Max(x[i], 0), 6), If(Eq(x[i], 6), -1, bracket(And(x[i] > 0, x[i] < 6)))
    ),
    "leaky, both at 0": one(If(x[i] > 0, x[i], a * x[i]), If(x[i] > 0, 1, a) + bracket(ZERO)),
    "larger, to both": two(Max(x[i], w[i]), bracket(x[i] >= w[i]), bracket(x[i] <= w[i])),
    "larger, to neither": two(Max(x[i], w[i]), bracket(x[i] > w[i]), bracket(x[i] < w[i])),
    "mean of absolutes, 2 at 0": mean(abs(x[i]), If(ZERO, 2, SIGN)),
    "of one array, to both": pairs(lambda p, q: bracket(p >= q), lambda p, q: bracket(p <= q)),
    "of a sum, 7 at 0": layer(lambda made: bracket(made > 0) + 7 * bracket(Eq(made, 0))),
}


@pytest.mark.parametrize("name", RIGHT)
def test_any_convention_between_the_branches_is_proved(name):
    found = [settled(th, RLIMIT) for th in theorems(RIGHT[name])]
    assert [f.status for f in found] == ["proved", "proved"]


@pytest.mark.parametrize("name", WRONG)
def test_what_no_branch_gives_is_refuted(name):
    for theorem in theorems(WRONG[name]):
        assert settled(theorem, RLIMIT).status == "refuted"


def test_where_values_are_not_decided_nothing_is_proved():
    slope = If(ZERO, 7, exp(x[i]) / (1 + exp(x[i])))
    wrong = one(Max(x[i], 0) + log(1 + exp(-abs(x[i]))), slope)
    assert all(prove(theorem, False, RLIMIT).proof is None for theorem in theorems(wrong))


@pytest.mark.parametrize("forward", [x[i] ** 2, If(N > 3, x[i], 2 * x[i])], ids=str)
def test_where_no_branch_reads_the_input_nothing_is_asked(forward):
    assert not theorems(one(forward, 1))


def test_what_cannot_be_said_is_unsupported_and_never_green():
    largest = maximum(x[j], (j, 0, N - 1))
    state = reals("state")
    kept = fold(state, (j, 0, N - 1), state=(state, 0, If(x[j] > state, x[j], state)))
    for forward in (exp(largest) * kept, Max(x[i], 1) * maximum(abs(x[j]), (j, 0, N - 1))):
        found = [settled(th, RLIMIT).status for th in theorems(one(forward, 1))]
        assert set(found) == {"unsupported"}


def test_a_waiver_is_of_this_too():
    waived = two(Max(x[i], w[i]), bracket(x[i] >= w[i]), bracket(x[i] <= w[i]), ties="any")
    assert [th.expected for th in theorems(waived)] == ["settled", "settled"]


def test_a_refutation_says_what_the_branches_give_and_runs():
    op = WRONG["larger, to both"]
    theorem = theorems(op)[1]
    verdict = labelled(op.name, theorem, settled(theorem, RLIMIT))
    taught = lesson(op, theorem, verdict)
    text = re.sub(" +", " ", "\n".join(taught.text))
    assert "branches meet x[i] = w[i]" in text
    assert "the rule gives for y[0]: 1 by w[0], 1 by x[0]" in text
    assert "branches give for y[0]: 0 by w[0], 1 by x[0]\n for y[0]: 1 by w[0], 0 by x[0]" in text
    assert 'a mean of them; ties="any" waives this' in text
    assert fails(taught.reproduction)


def test_a_disjunction_needs_a_proof_of_a_part_and_a_conjunction_one_of_each():
    least, most, other = N >= 0, N <= 9, M >= 0
    first, second = solved((N >= 1,), least, RLIMIT), solved((N <= 5,), most, RLIMIT)
    assert one_of(least | other, first).shows((N >= 1,), least | other)
    assert one_of(most | other, first) is None
    assert one_of(least & other, first) is None
    both = all_of(least & most, (first, second))
    assert both.shows((N >= 1, N <= 5), least & most)
    assert not both.shows((N >= 1,), least & most)
    for proofs in ((), (first,), (second, first), (first, first), (least, most)):
        assert all_of(least & most, proofs) is None
    assert all_of(least | most, (first, second)) is None


def test_such_a_proof_is_of_the_whole_theorem():
    theorem = theorems(RIGHT["mean of absolutes, 0 at 0"])[1]
    proof = prove(theorem, False, RLIMIT).proof
    assert proof.theorem == theorem
    assert proof.rule == "arithmetic"


# Sides on which nothing lies beside the point.

SMOOTH = {
    "a hole that is filled": If(ZERO, 0, x[i]),
    "a hole where a square is 0": If(Eq(x[i] * x[i], 0), 0, x[i]),
    "touched, not crossed": If(x[i] * x[i] > 0, x[i], 0),
    "a knot that is none": If(x[i] ** 3 > 0, 2 * x[i], If(x[i] > 0, 5 * x[i], 2 * x[i])) - x[i],
    "a hole in another place": If(Eq(2 * x[i], 0), x[i], x[i]),
    "kinks that cancel": Max(x[i], 0) - Max(-x[i], 0),
    "kinks of other slopes": Max(x[i], 0) - Max(-3 * x[i], 0) / 3,
    "kinks of other arrows": Max(x[i], 0) + Min(x[i], 0),
}


@pytest.mark.parametrize("forward", SMOOTH.values(), ids=SMOOTH)
def test_where_an_op_is_smooth_its_derivative_is_asked_though_the_formula_branches(forward):
    assert verdict_at_meetings(one(forward, 1)) == {"proved"}
    for wrong in (0, 2, Fraction(1, 2)):
        assert verdict_at_meetings(one(forward, If(ZERO, wrong, 1))) == {"refuted"}


KINKED = {
    "both kinks on one side": (Max(x[i], 0) + Max(2 * x[i], 0), 0, 3),
    "a kink that is doubled": (Max(x[i], 0) + Max(-x[i], 0), -1, 1),
    "four kinks in one place": (sum(Max(k * x[i], 0) for k in (1, 2, 3, 4)), 0, 10),
    "in a function": (sin(Max(x[i], 0)), 0, 1),
}


@pytest.mark.parametrize(("forward", "low", "high"), KINKED.values(), ids=KINKED)
def test_where_an_op_has_a_kink_all_that_lies_between_is_right(forward, low, high):
    away = If(x[i] > 0, high, low)
    for right in (low, high, Fraction(low + high, 2)):
        assert verdict_at_meetings(one(forward, If(ZERO, right, away))) <= {"proved", "unknown"}
    for wrong in (low - 1, high + 1):
        assert verdict_at_meetings(one(forward, If(ZERO, wrong, away))) == {"refuted"}


def test_where_a_branch_has_no_value_beside_the_point_nothing_can_be_said():
    op = one(If(ZERO, 0, x[i] * x[i] / x[i]), 1)
    assert verdict_at_meetings(op) == {"unsupported"}


def verdict_at_meetings(op):
    met = [th for th in obligations(op) if th.name.endswith("where branches meet")]
    assert met
    return {settled(th, RLIMIT).status for th in met}
