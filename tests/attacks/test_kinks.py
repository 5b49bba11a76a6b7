"""Attacks where branches meet: points that are left out though there is a derivative."""

from dataclasses import replace
from fractions import Fraction

import pytest
from attacks import (
    BAD,
    LATE,
    LIMIT,
    K,
    M,
    N,
    a,
    all_proved,
    b,
    best,
    c,
    claim,
    found,
    i,
    is_proved,
    j,
    kept,
    n,
    op,
    proofs,
    scaling,
    scopes,
    statuses,
    theorems,
    total,
    v,
    w,
    x,
    x_bar,
    x_dot,
    y,
    y_bar,
    y_dot,
)

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS, Undecided
from gradproof.evaluate.replay import Point
from gradproof.language import (
    And,
    Claim,
    Divides,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Min,
    Ne,
    Not,
    Op,
    Or,
    Sum,
    array,
    bracket,
    cotangent,
    derivative,
    exp,
    fold,
    implies,
    log,
    maximum,
    reals,
    tangent,
    unique,
    winner,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.prove.tactics.proving import prove
from gradproof.theorems.differentiability import differentiable


def test_a_branch_recovered_from_the_output():
    relu = {"forward": Eq(y[a], Max(x[a], 0)), "jvp": Eq(y_dot[a], bracket(x[a] >= 0) * x_dot[a])}
    assert True not in proofs(op(**relu, vjp=Eq(x_bar[a], bracket(y[a] >= 0) * y_bar[a])), "vjp")
    wrong = Eq(x_bar[a], bracket(And(x[a] >= 0, x[a] < 50)) * y_bar[a])
    assert True not in proofs(op(**relu, vjp=wrong), "vjp")


@pytest.mark.parametrize(
    ("forward", "slope"),
    [
        (Max(x[a], 0), 1),
        (Min(x[a], 0), bracket(x[a] >= 0)),
        (Max(x[a], -1 * x[a]), If(x[a] < -50, 1, If(x[a] >= 0, 1, -1))),
        (x[a] * x[a], x[a]),
        (exp(2 * x[a]), exp(2 * x[a])),
        (log(exp(x[a]) + 1), 1),
        (1 / (1 + exp(x[a])), 1 / (1 + exp(x[a]))),
        (If(x[a] > 50, 2 * x[a], x[a]), 1),
    ],
    ids=str,
)
def test_a_wrong_slope(forward, slope):
    wrong = op(forward=Eq(y[a], forward), jvp=Eq(y_dot[a], slope * x_dot[a]))
    assert True not in proofs(wrong, "jvp")


def test_a_maximum_in_a_branch_has_two_boundaries():
    """SOUNDNESS: the scope named where the winner is unique, and not that max = 0 is left out."""
    largest = maximum(x[b], (b, 0, N - 1))
    chosen = Sum(bracket(winner(c, x[b], (b, 0, N - 1))) * x_dot[c], (c, 0, N - 1))
    rule = op(forward=Eq(y[a], Max(largest, 0)), jvp=Eq(y_dot[a], bracket(largest >= 0) * chosen))
    (jvp,) = found(rule, "jvp")
    assert jvp.status == BAD
    assert "unique" in jvp.scope
    assert "off the boundary" in jvp.scope


def padded_relu(inner, rule):
    """max(0, ·) of something that reads padding, with its JVP."""
    Y = array("y", N + 2 * K)
    return Op(
        "padded_relu",
        requires=(N >= 1, K >= 1),
        forward=Eq(Y[a], Max(inner(x), 0)),
        jvp=Eq(tangent(Y)[a], rule(bracket(inner(x) > 0) * inner(x_dot))),
        vjp=Eq(x_bar[b], Sum(bracket(x[b] > 0) * cotangent(Y)[a], (a, 0, N + 2 * K - 1))),
    )


@pytest.mark.parametrize(
    "inner",
    [
        lambda cells: zero_padded(cells)[a - K],
        lambda cells: Sum(zero_padded(cells)[a - K + b], (b, 0, 0)),
    ],
    ids=["a cell", "a window"],
)
def test_in_the_padding_there_is_no_boundary(inner):
    """SOUNDNESS: 0 = 0 was taken for an edge, so in the padding any rule was proved."""
    in_padding = Or(a < K, a >= N + K)
    garbage = padded_relu(inner, lambda right: If(in_padding, 7 * x_dot[0], right))
    assert True not in proofs(garbage, "jvp")
    assert statuses(garbage, "jvp") == ["refuted"]


def test_a_padded_relu_is_proved():
    right = padded_relu(lambda cells: zero_padded(cells)[a - K], lambda rule: rule)
    assert all_proved(right, "jvp")


def test_a_cell_is_not_on_the_boundary_to_itself():
    """SOUNDNESS: max(x[a], x[0]) is x[0] at a = 0, and any rule was proved there."""
    pair = Max(2 * x[a], 2 * x[0])
    slope = 2 * If(x[a] > x[0], x_dot[a], x_dot[0])
    assert all_proved(op(forward=Eq(y[a], pair), jvp=Eq(y_dot[a], slope)), "jvp")
    garbage = op(forward=Eq(y[a], pair), jvp=Eq(y_dot[a], If(Eq(a, 0), 7 * x_dot[a], slope)))
    assert statuses(garbage, "jvp") == ["refuted"]


def test_a_boundary_within_a_quantifier():
    """Every cell that the condition compares is off the boundary, not only some."""
    some = Exists(x[b] > 0, (b, 0, N - 1))
    rule = op(forward=Eq(y[a], x[a] * bracket(some)), jvp=Eq(y_dot[a], x_dot[a] * bracket(some)))
    (jvp,) = theorems(rule, "jvp")
    assert is_proved(jvp)
    assert all(not free(h) - {N, *(r[0] for r in s.over)} for s in jvp.sequents for h in s.when)


def test_a_boundary_that_is_touched_and_not_crossed():
    """y = x, and y_dot = x_dot: refuted at x = 0, where x·x and 0 have equal slopes."""
    forward = Eq(y[a], If(x[a] * x[a] > 0, x[a], 0))
    assert statuses(op(forward=forward), "jvp") == ["proved"]
    garbage = If(Eq(a, 0), 7 * x_dot[a], x_dot[a])
    squares = Eq(y[a], If(x[a] * x[a] > x[0] * x[0], x[a], x[a]))
    assert "proved" not in statuses(op(forward=squares, jvp=Eq(y_dot[a], garbage)), "jvp")


SPLIT = Max(x[0], 0) + Min(x[0], 0)  # that is x[0], with the derivative 1 everywhere


@pytest.mark.parametrize(
    "same", [SPLIT, If(x[0] * x[0] > 0, x[0], 0)], ids=["two halves", "a square"]
)
def test_a_derivative_in_a_hypothesis_has_a_boundary(same):
    """SOUNDNESS: x[0] ≠ 0 followed from ∂x[0]/∂x[0] = 1, with no word of the boundary."""
    finding = claim(implies(Eq(derivative(same, x[0]), 1), Ne(x[0], 0)))
    assert finding.status != BAD or "off the boundary" in finding.scope


def adding(result, step=None):
    """A loop that adds up x, and what it makes of that."""
    return fold(result, (b, 0, N - 1), total=(total, 0, total + x[b] if step is None else step))


@pytest.mark.parametrize("step", [None, 1 * total + x[b]], ids=["a sum", "written out"])
@pytest.mark.parametrize("result", [If(Eq(total, 0), 0, total), If(total > 0, 1, 0)], ids=str)
def test_a_branch_on_what_a_loop_adds_up_has_a_boundary(result, step):
    """SOUNDNESS: y = Σx has the derivative 1 at 0, too, and a step has none there."""
    made, whole = array("y", M), Sum(x[c], (c, 0, N - 1))
    weight = bracket(Ne(whole, 0)) if result.args[2] is total else 0
    definition = Op(
        "branching",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], adding(result, step)),
        jvp=Eq(tangent(made)[a], weight * Sum(x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert all("off the boundary" in scope for scope in scopes(definition, "jvp", "vjp"))


def in_two_loops(result):
    """The sum of x, from which a second loop starts."""
    inner = fold(result, (c, 0, 0), best=(best, total, best))
    return fold(inner, (b, 0, N - 1), total=(total, 0, total + x[b]))


@pytest.mark.parametrize(
    ("result", "weight", "words"),
    [
        (
            maximum(best, (v, 0, LATE)),
            Sum(bracket(winner(w, best, (v, 0, LATE), tie="any")), (w, 0, LATE)),
            "where the winner is unique",
        ),
        (If(Eq(best, 0), 0, best), If(Eq(best, 0), 0, 1), "off the boundary"),
    ],
    ids=["a maximum", "a branch"],
)
def test_a_state_of_a_state_has_a_boundary(result, weight, words):
    """SOUNDNESS: y = Σx has the derivative 1, also at 0, and with N = 50 the rule says 2."""
    made = array("y", M)
    definition = Op(
        "two_loops",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], in_two_loops(result)),
        jvp=Eq(tangent(made)[a], in_two_loops(weight) * Sum(x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], in_two_loops(weight) * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert all(words in scope for scope in scopes(definition, "jvp", "vjp"))


def test_the_body_of_a_maximum_has_edges_where_it_counts():
    largest = maximum(abs(x[b]), (b, 0, N - 1), where=b > 0)
    one_place, edge = differentiable(largest, x[a])
    assert isinstance(one_place.args[0], t.Unique)
    assert isinstance(edge, ForAll)
    assert edge.body.args[0] == Not(And(b > 0, abs(x[b]) >= largest))


TWO = (b, 0, Min(N - 1, 1))
REST = bracket(a < K)


@pytest.mark.parametrize(
    ("forward", "right", "wrong", "requires"),
    [
        (
            x[a] + If(N < 1, maximum(0 * x[0], TWO), 0),
            1,
            bracket(Not(unique(0 * x[0], TWO))),
            (N >= 1,),
        ),
        (
            x[a] + bracket(N < 1) * maximum(0 * x[0], TWO),
            1,
            bracket(Not(unique(0 * x[0], TWO))),
            (N >= 1,),
        ),
        (
            bracket(a >= K) * Max(x[a], 0) + REST * x[a],
            bracket(a >= K) * bracket(x[a] > 0) + REST,
            bracket(And(a < K, Eq(x[a], 0))),
            (N >= 1, K >= 0),
        ),
        (Max(x[a], 0, x[a] - 1), bracket(x[a] > 0), bracket(Eq(x[a], 1)), (N >= 1,)),
        (Min(x[a], 0, x[a] + 1), bracket(x[a] < 0), bracket(Eq(x[a], -1)), (N >= 1,)),
    ],
    ids=["not reached", "not reached in a product", "bracket", "losers of max", "losers of min"],
)
def test_what_is_not_reached_has_no_boundary(forward, right, wrong, requires):
    """SOUNDNESS: points were left out that are on no boundary, and there the rule is wrong."""
    true, false = (scaling(forward, right + z * wrong, requires) for z in (0, 7))
    assert statuses(true, "jvp", "vjp") == [BAD, BAD]
    assert statuses(false, "jvp", "vjp") == ["refuted", "refuted"]


@pytest.mark.parametrize("extra", [0, 7])
def test_what_loses_has_no_boundary(extra):
    """SOUNDNESS: at 0 the larger of |x| and 1 is 1, all around."""
    sign = If(x[a] > 0, 1, -1)
    weight = If(abs(x[a]) > 1, sign, 0) + extra * bracket(Eq(x[a], 0))
    assert proofs(scaling(Max(abs(x[a]), 1), weight), "jvp", "vjp") == 2 * [extra == 0]


def test_the_places_that_lose_have_no_boundary():
    """SOUNDNESS: with x = (0, 5) the larger of |x| does not move with the first."""
    made, won = array("y", M), winner(c, abs(x[b]), (b, 0, N - 1))
    weight = bracket(won) * If(x[c] > 0, 1, -1) + 7 * bracket(Eq(x[c], 0)) * bracket(Not(won))
    definition = Op(
        "largest",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], maximum(abs(x[b]), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(weight * x_dot[c], (c, 0, N - 1))),
        vjp=Eq(x_bar[c], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert proofs(definition, "vjp") == [False]


LARGEST_SIZE = maximum(abs(x[b]), (b, 0, N - 1))
SOME, EVERY = (kind(x[b] > 0, (b, 0, N - 1)) for kind in (Exists, ForAll))


@pytest.mark.parametrize(
    ("condition", "nowhere"),
    [
        (abs(x[a]) < 5, Eq(x[a], 0)),
        (Sum(abs(x[b]), (b, 0, N - 1)) < 5, Eq(x[a], 0)),
        (maximum(x[b], (b, 0, N - 1)) > 5, Not(unique(x[b], (b, 0, N - 1)))),
        (LARGEST_SIZE < 5, Not(unique(abs(x[b]), (b, 0, N - 1)))),
        (SOME, And(a > 0, x[0] > 0, Eq(x[a], 0))),
        (EVERY, And(a > 0, x[0] < 0, Eq(x[a], 0))),
    ],
)
@pytest.mark.parametrize("extra", [0, 7])
def test_a_condition_turns_where_it_compares(condition, nowhere, extra):
    """SOUNDNESS: |x| < 5 holds around 0, and a rule that is wrong there was proved."""
    weight = If(condition, 1, 0) + extra * bracket(nowhere)
    assert proofs(scaling(If(condition, x[a], 0), weight), "jvp", "vjp") == 2 * [extra == 0]


def test_the_first_place_of_a_quantifier_counts_for_all_that_turn_with_it():
    """Both places turn at x = 0, where neither decides alone; the rule may say what it likes."""
    every = ForAll(x[a] > 0 * b, (b, 0, 1))
    assert proofs(scaling(If(every, x[a], 0), If(x[a] >= 0, 1, 0)), "jvp", "vjp") == [True, True]


@pytest.mark.parametrize("kind", [Exists, ForAll])
@pytest.mark.parametrize("extra", [0, 7])
def test_a_quantifier_over_axes_turns_where_no_other_place_decides(kind, extra):
    X, Y = array("x", n), array("y", n)
    asked = kind(X[j] > 0, (j, 0, n - 1))
    elsewhere = kind(Or(Eq(X[j], 0), X[j] > 0), (j, 0, n - 1))
    weight = If(asked, 1, 0) + extra * bracket(And(Eq(X[i], 0), asked, elsewhere))
    definition = Op(
        "axes",
        requires=(n >= 1,),
        forward=Eq(Y[i], If(asked, X[i], 0)),
        jvp=Eq(tangent(Y)[i], weight * tangent(X)[i]),
        vjp=Eq(cotangent(X)[i], weight * cotangent(Y)[i]),
    )
    assert proofs(definition, "vjp") == [extra == 0 or kind is ForAll]


@pytest.mark.parametrize("extra", [0, 7])
def test_which_place_wins_turns_where_two_are_equal(extra):
    """SOUNDNESS: with x = (0, 5) the second is picked, all around."""
    made, won = array("y", M), winner(c, abs(x[b]), (b, 0, N - 1))
    weight = bracket(won) + extra * bracket(Eq(x[c], 0)) * bracket(Not(won))
    definition = Op(
        "pick",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], Sum(bracket(won) * x[c], (c, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(weight * x_dot[c], (c, 0, N - 1))),
        vjp=Eq(x_bar[c], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert proofs(definition, "vjp") == [extra == 0]


def test_in_a_loop_nothing_is_left_out():
    """SOUNDNESS: the sum of |x| beside the loop's own left out x = 0."""
    size = reals("size")
    steps = {"total": (total, 0, 2 * total + x[b]), "size": (size, Max(x[0], 0), abs(x[b]))}

    for result in (total, size, abs(size)):
        assert not list(differentiable(fold(result, (b, 0, N - 1), **steps), x[c]))
    assert list(differentiable(fold(total + abs(x[0]), (b, 0, N - 1), **steps), x[c]))


@pytest.mark.parametrize(
    ("condition", "wrongly"),
    [
        (And(x[a] > 0, a < K), And(a >= K, Eq(x[a], 0))),
        (Or(x[a] > 0, a < K), And(a < K, Eq(x[a], 0))),
        (And(x[a] > 0, x[a] < -1), Eq(x[a], 0)),
        (Not(Or(x[a] <= 0, Not(And(x[a] <= -1, Ne(x[a], -2))))), Eq(x[a], 0)),
        (Exists(x[b] > 0, (b, 0, N - 1)), And(N >= 2, Eq(x[0], 0), x[N - 1] > 0)),
        (ForAll(x[b] > 0, (b, 0, N - 1)), And(N >= 2, Eq(x[0], 0), x[N - 1] < 0)),
    ],
    ids=str,
)
def test_what_another_part_decides_has_no_boundary(condition, wrongly):
    """SOUNDNESS: parts that come later were not asked, and left out where nothing turns."""

    def branched(weight):
        weight = If(condition, 5, 1) + weight
        return op(
            requires=(N >= 1, K >= 0),
            forward=Eq(y[a], If(condition, 5 * x[a], x[a])),
            jvp=Eq(y_dot[a], weight * x_dot[a]),
            vjp=Eq(x_bar[a], weight * y_bar[a]),
        )

    assert not any(proofs(branched(7 * bracket(wrongly)), "jvp", "vjp"))
    assert all_proved(branched(0), "jvp", "vjp")


BEFORE, STEP, CELLS = x[Max(a - 1, 0)], If(x[a] > 0, 1, 0), (b, 0, N - 1)


@pytest.mark.parametrize(
    ("condition", "point"),
    [
        ((x[a] >= 5) | (zero_padded(x)[a + 1] >= 0), And(Eq(x[a], 5), Eq(a, N - 1))),
        (Exists(Eq(x[a], x[b]), (b, 0, N - 1)), Exists(Eq(x[a], x[b]) & Ne(a, b), (b, 0, N - 1))),
        ((x[a] >= 5) | (1 / (x[a] ** 2 + 1) > 0), Eq(x[a], 5)),
        ((x[a] > 0) | (x[a] <= 0), Eq(x[a], 0)),
        ((x[a] >= 0) | (abs(x[a]) > 0), Eq(x[a], 0)),
        (1 + bracket(x[a] > 0) > 0, Eq(x[a], 0)),
        (bracket(x[a] > 0) >= 0, Eq(x[a], 0)),
        (Max(-bracket(x[a] > 0), 0) <= 0, Eq(x[a], 0)),
        (1 + STEP > 0, Eq(x[a], 0)),
        (Ne(STEP, 3), Eq(x[a], 0)),
        (Divides(1, STEP), Eq(x[a], 0)),
        (ForAll(b <= 5, (b, 0, STEP)), Eq(x[a], 0)),
        ((x[a] >= 5) | (x[a] >= BEFORE), And(Eq(x[a], 5), Eq(a, 0))),
        ((x[a] >= 5) & (x[a] > BEFORE), And(Eq(x[a], 5), Eq(a, 0))),
        ((x[a] >= 5) & Ne(x[a], BEFORE), And(Eq(x[a], 5), Eq(a, 0))),
        ((x[a] >= 5) | unique(x[b], (b, 0, 0)), Eq(x[a], 5)),
        ((x[a] >= 5) | ForAll(x[a] >= x[b], (b, a, a)), Eq(x[a], 5)),
        (x[a] - bracket(x[a] > 0) > 0, Eq(x[a], 0)),
        (If(x[a] > 0, x[a] - 1, x[a]) > 0, Eq(x[a], 0)),
        (winner(N - 1, x[b], CELLS, where=x[b] > 0), And(a < N - 1, Eq(x[a], 0), x[N - 1] > 0)),
        (unique(x[b], CELLS, where=x[b] > 0), And(Eq(N, 2), Eq(x[a], 0), x[1 - a] > 0)),
        (winner(STEP, x[w], (w, 2, 1)), Eq(x[a], 0)),
    ],
    ids=str,
)
def test_what_may_be_decided_elsewhere_is_compared(condition, point):
    """SOUNDNESS: at a point where nothing turns, a slope of 7 was proved."""
    wrong, right = If(point, 7, bracket(condition)), bracket(condition)
    assert proofs(scaling(bracket(condition) * x[a], wrong), "jvp", "vjp") == [False, False]
    assert proofs(scaling(bracket(condition) * x[a], right), "jvp", "vjp") == [True, True]


low, high = reals("low high")
WITHIN = (x[a] >= low) & (x[a] <= high)


@pytest.mark.parametrize(
    ("forward", "weight", "requires"),
    [
        (
            If(WITHIN, x[a], If(x[a] < low, low, high)),
            bracket((low < x[a]) & (x[a] < high)),
            low <= high,
        ),
        (
            If((x[a] > low) | (x[a] < -low), x[a], 0),
            bracket((x[a] >= low) | (x[a] <= -low)),
            low >= 0,
        ),
        (If(Eq(x[a], 0) | (x[a] > 0), x[a], 0), bracket(x[a] > 0), N >= 2),
        (If((x[a] > 0) & Ne(x[a], 0), x[a], 0), bracket(x[a] >= 0), N >= 2),
    ],
    ids=["clip", "hard shrink", "or", "and"],
)
def test_where_a_condition_turns_the_rule_may_say_what_it_likes(forward, weight, requires):
    """Also where two of its comparisons do so at once."""
    definition = scaling(forward, weight, requires=(N >= 1, requires))
    assert proofs(definition, "jvp", "vjp") == [True, True]


def test_parts_that_turn_together_turn():
    """A true rule: at x = 0 both parts are on their edge, and there is no derivative."""
    condition = And(x[a] > 0, 2 * x[a] > 0)
    turned = list(differentiable(If(condition, x[a] + 1, 0), x[a]))
    held = [
        Evaluator(RATIONALS, {"x": lambda _, v=v: Fraction(v)}).value(And(*turned), {N: 1, a: 0})
        for v in (-1, 0, 1)
    ]
    assert held == [True, False, True]


def test_brackets_that_are_0_elsewhere_have_no_boundary():
    """SOUNDNESS: `[x > 0]·[a < K]` left out x = 0, also where a ≥ K."""
    weight = bracket(x[a] > 0) * bracket(a < K)
    wrong = weight + 7 * bracket(And(a >= K, Eq(x[a], 0)))
    for rule, right in ((weight, True), (wrong, False)):
        cut = op(
            requires=(N >= 1, K >= 0),
            forward=Eq(y[a], weight * x[a]),
            jvp=Eq(y_dot[a], rule * x_dot[a]),
            vjp=Eq(x_bar[a], rule * y_bar[a]),
        )
        assert proofs(cut, "jvp") == [right]


@pytest.mark.parametrize(("at_edge", "status"), [(x[0] > 0, BAD), (x[0] >= 0, "refuted")], ids=str)
def test_a_comparison_that_another_cell_turns_is_compared(at_edge, status):
    """By x[1] the gate has a derivative also where x[0] is 0: the partial one, which is 0."""
    gate = Op(
        "gate",
        requires=(N >= 1,),
        forward=Eq(y[a], If(x[0] > 0, x[a], 0)),
        jvp=Eq(y_dot[a], If(at_edge, x_dot[a], 0)),
        vjp=Eq(x_bar[a], If(at_edge, y_bar[a], 0)),
    )
    assert statuses(gate, "jvp", "vjp") == [status, status]


@pytest.mark.parametrize("weight", [5, bracket(Ne(x[a], 0)), 1 + bracket(Eq(x[a], 0))], ids=str)
def test_a_rule_that_is_wrong_where_two_sides_touch_is_not_of_that_point(weight):
    """SOUNDNESS: y = x was proved, and beside it that its derivative is 0 at x = 0."""
    touching = op(
        forward=Eq(y[a], If(x[a] * x[a] > 0, x[a], 5 * x[a])), jvp=Eq(y_dot[a], weight * x_dot[a])
    )
    for theorem in theorems(touching, "jvp"):
        (sequent,) = theorem.sequents
        places = dict.fromkeys((symbol for symbol, _, _ in sequent.over), 0)
        with pytest.raises(Undecided, match="hypotheses"):
            Point(sequent, {}).fails({N: 1} | places)


NEIGHBOUR = x[Max(0, Min(N - 1, a + w - 1))]
TWICE = {
    "replicated edges": (1, NEIGHBOUR * NEIGHBOUR, (w, 0, 2)),
    "one cell": (1, x[a] * x[a], (w, 0, 1)),
    "one place in row 0 alone": (0, x[0] * x[0], (w, 0, Min(a, 1))),
}


@pytest.mark.parametrize("name", TWICE)
def test_a_cell_that_is_read_twice_wins_as_one_whatever_is_compared(name):
    """SOUNDNESS: its places are equal at every point, of which none was compared."""
    first, *others = (bracket(winner(*TWICE[name], tie=tie)) for tie in ("first", "last", "any"))
    for other in others:
        assert not any(map(is_proved, theorems(kept(first, other), "jvp", "vjp")))


def test_what_is_equal_at_every_point_is_not_left_out():
    """SOUNDNESS: of shapes of which no point was compared, a rule was proved for N = 1 alone."""
    total = Sum(exp(x[b]), (b, 0, N - 1))
    one = Sum(exp(x[w]) / total, (w, 0, N - 1))
    first, last = (bracket((N < 2) | condition) for condition in (one >= 1, one > 1))
    rules = replace(kept(first, last), requires=(N >= 1,))
    assert proofs(rules, "jvp", "vjp") == [False, False]


def by_winners(at, body, last):
    """Right only where no two places win."""
    return tuple(bracket(winner(at, body, (w, 0, last), tie=tie)) for tie in ("first", "last"))


def by_condition(condition):
    """Right only where the condition is not asked."""
    return bracket((N < 12) | condition), bracket((N < 12) | ~condition)


def touching(condition, elsewhere):
    """Right only elsewhere than the parts of a maximum meet."""
    return bracket(condition), bracket(condition & elsewhere)


LESS = x[a] - (x[a] - 1) ** 2
SHARES = Sum(exp(x[w]) / Sum(exp(x[b]), (b, 0, N - 1)), (w, 0, N - 1))
EQUAL_LATER = {
    "masked squares": by_winners(a, x[w] * x[w] * bracket(N < 12), N - 1),
    "one square": by_winners(a, If(N < 12, x[w] * x[w], x[0] * x[0]), N - 1),
    "a product of both": by_winners(1, If(Eq(N, 9), x[w] * x[1 - w], x[w] * x[w]), 1),
    "exponentials": by_condition(exp(x[a]) > exp(x[a] * bracket(N >= 12))),
    "a high power": by_condition(x[a] ** 7 > x[a] ** 7 * bracket(N >= 12)),
    "a part touches its maximum": touching(Max(x[a], LESS) <= x[a], Ne(x[a], 1)),
    "a part touches its minimum": touching(x[a] <= Min(x[a], 2 * x[a] - LESS), Ne(x[a], 1)),
    "a part touches in a branch": touching(
        If(Eq(a, 0), x[a], Max(x[a], LESS)) <= x[a], Eq(a, 0) | Ne(x[a], 1)
    ),
    "squares of two cells": touching(
        Max(x[a] ** 2, x[0] ** 2) <= x[a] ** 2, Eq(a, 0) | Ne(x[a], 0)
    ),
    "shares": (bracket((N < 12) | (SHARES >= 1)), bracket((N < 12) | (SHARES > 1))),
}


@pytest.mark.parametrize("name", EQUAL_LATER)
def test_what_is_equal_all_around_a_point_is_left_out_of_no_proof(name):
    """SOUNDNESS: it is so beyond the shapes that are tried, and what is wrong there was proved."""
    for theorem in theorems(kept(*EQUAL_LATER[name]), "jvp", "vjp"):
        assert prove(theorem, False, LIMIT).status != "proved"


@pytest.mark.parametrize("name", EQUAL_LATER)
def test_a_rule_that_branches_as_the_forward_does_leaves_nothing_out(name):
    forward, _ = EQUAL_LATER[name]
    for theorem in theorems(kept(forward, forward), "jvp", "vjp"):
        assert prove(theorem, False, LIMIT).status == "proved"


def test_winners_that_a_constant_makes_equal_stay_so():
    """SOUNDNESS: the squares of one cell, weighted alike, were left out."""
    weights = array("v", N)
    wrong = kept(*by_winners(1, x[0] * x[0] * weights[w], 1), constants=(weights,))
    assert statuses(wrong, "jvp", "vjp") == ["refuted"] * 2


def test_places_of_which_a_claim_does_not_speak_are_not_missed():
    """They were called points on the boundary."""
    slope = Eq(derivative(y[a], x[a]), 1)
    said = {
        "of three cells": implies(N >= 3, ForAll(implies(x[a] > 0, slope), (a, 0, N - 1))),
        "of two cells": ForAll(
            implies(And(x[a] > x[b], x[b] > 0), slope), (a, 0, N - 1), (b, 0, N - 1)
        ),
        "of the boundary": ForAll(implies(Eq(x[a], 0), slope), (a, 0, N - 1)),
    }
    relu = op(
        forward=Eq(y[a], Max(0, x[a])),
        jvp=Eq(y_dot[a], bracket(x[a] > 0) * x_dot[a]),
        vjp=Eq(x_bar[a], bracket(x[a] > 0) * y_bar[a]),
        claims=tuple(Claim(name, statement) for name, statement in said.items()),
    )
    assert statuses(relu, "claim") == ["proved", "proved", "unknown"]


def test_a_row_whose_fixed_points_are_all_on_the_boundary_is_proved():
    """Third differences of what is quadratic in the number of a cell are 0."""
    made, factors = array("y", N - 3), (1, -3, 3, -1)
    difference, pushed = (sum(f * u[a + e] for e, f in enumerate(factors)) for u in (x, x_dot))
    definition = op(
        requires=(N >= 4,),
        forward=Eq(made[a], Max(0, difference)),
        jvp=Eq(tangent(made)[a], bracket(difference > 0) * pushed),
        vjp=Eq(x_bar[a], Sum(zero_padded(cotangent(made))[a - b], (b, 0, 0))),
    )
    assert statuses(definition, "jvp") == ["proved"]
