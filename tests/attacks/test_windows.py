"""Attacks by windows: who wins, ties, and places that move as one."""

from fractions import Fraction

import pytest
from attacks import (
    BAD,
    LAST,
    LATE,
    LIMIT,
    K,
    M,
    N,
    a,
    all_proved,
    b,
    bundled,
    c,
    claim,
    claiming,
    holds,
    i,
    is_proved,
    j,
    n,
    op,
    proofs,
    scaling,
    statuses,
    theorems,
    u,
    v,
    w,
    x,
    x_bar,
    x_dot,
    y,
    y_bar,
    y_dot,
)

from gradproof.evaluate.numbers import Undecided
from gradproof.evaluate.replay import Point
from gradproof.language import (
    And,
    Claim,
    Eq,
    If,
    Max,
    Min,
    Not,
    Op,
    Or,
    Sum,
    array,
    bracket,
    cotangent,
    derivative,
    exp,
    floor_div,
    implies,
    log,
    maximum,
    mod,
    nat_sub,
    reals,
    scatter,
    tangent,
    unique,
    winner,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import settled
from gradproof.settle.preconditions import needed
from gradproof.theorems.obligations import obligations


def test_a_window_without_a_real_cell_has_no_winner():
    where = And(b >= N, b < N)
    places = Sum(bracket(winner(c, x[b], (b, 0, N - 1), where=where)), (c, 0, N - 1))
    assert claim(Eq(places, 1)).status == "refuted"


def max_op(forward, jvp):
    Y = array("y", M)
    return Op(
        "max_op",
        requires=(N >= K, K >= 1, M >= 1),
        forward=Eq(Y[a], forward),
        jvp=Eq(tangent(Y)[a], jvp),
        vjp=Eq(x_bar[b], Sum(cotangent(Y)[a], (a, 0, M - 1))),
    )


def wins(place, tie="first", value=lambda cell: x[cell], last=K - 1):
    return bracket(winner(place, value(c), (c, 0, last), tie=tie))


def test_a_winner_of_another_window_is_not_unique():
    """One maximum in the forward, and ties everywhere else were settled as if unique."""
    last = Max(0, K - 50)

    def tied(tie, cells):
        zero = wins(b, tie, lambda _: 0, last)
        return Sum(zero * cells[b], (b, 0, last))

    largest = maximum(x[b], (b, 0, K - 1))
    by_winner = Sum(wins(b) * x_dot[b], (b, 0, K - 1))
    wrong = max_op(largest + tied("first", x), by_winner + tied("any", x_dot))
    assert not all_proved(wrong, "jvp")


def test_a_window_that_reads_a_cell_twice_has_no_unique_winner():
    """SOUNDNESS: rules that differ by the factor K > 50 were both proved "where it is unique"."""

    def rule(tie):
        place = lambda e: If(K > 50, 0, e)  # noqa: E731 - a shorthand of this test alone
        value = lambda e: x[place(e)]  # noqa: E731 - a shorthand of this test alone
        chosen = Sum(wins(b, tie, value) * x_dot[place(b)], (b, 0, K - 1))
        return max_op(maximum(value(b), (b, 0, K - 1)), chosen)

    proved = {tie: is_proved(*theorems(rule(tie), "jvp")) for tie in ("any", "first")}
    assert proved == {"any": False, "first": True}


def test_a_window_that_moves_with_its_winner():
    """SOUNDNESS: Σ_b [b wins the window of b] is not 1; the one-winner rule did not look."""
    moving = bracket(winner(b, zero_padded(x)[c + b], (c, 0, LAST)))
    assert not holds(Eq(Sum(moving, (b, 0, LAST)), 1))


@pytest.mark.parametrize(
    "total",
    [
        Sum(wins(b, "any", last=N - 1), (b, 0, N - 1)),
        Sum(wins(2 * b, last=N - 1), (b, 0, N - 1)),
        Sum(wins(b, last=N - 1) * bracket(Or(N < 50, b > 0)), (b, 0, N - 1)),
        Sum(wins(b, last=N - 1), (b, 0, Min(N - 1, 50))),
        Sum(wins(Max(b, 0), last=N - 1), (b, If(N > 50, -1, 0), N - 1)),
    ],
    ids=str,
)
def test_a_count_of_winners_that_is_not_one(total):
    assert not holds(Eq(total, 1))


def test_the_place_of_a_winner_is_defined():
    """SOUNDNESS: `needs` skips the places a winner is asked about."""
    place = bracket(winner(mod(a, K), x[b], (b, 0, N - 1)))
    wrong = op(forward=Eq(y[a], x[a] + place), requires=(N >= 1, K >= 0))
    assert not all_proved(wrong)


@pytest.mark.parametrize("tie", ["first", "any"])
def test_a_winner_in_the_body_of_a_window_that_has_one_winner(tie):
    """It was asked of each whether it is the winner of the other, without end."""
    body = x[c] + bracket(winner((c,), x[a], (a, 0, N - 1), tie=tie))
    window = (c, 0, N - 1)
    more = maximum(body + 0 * x[c], window)
    said = implies(unique(body, window), Eq(maximum(body, window), more))
    assert statuses(claiming(said, (N >= 1,), {}), "claim") == ["proved"]


def test_a_winner_in_a_branch_is_of_its_window():
    wrong = op(jvp=Eq(y_dot[a], If(winner(LAST, x[b], (b, 0, 0)), 1, 0) * x_dot[a]))
    assert not all_proved(wrong, "jvp")
    assert not holds(Eq(If(winner(LAST, x[b], (b, 0, 0)), 1, 0) * x[0], x[0]))
    assert not holds(Eq(If(winner(0, x[b], (b, 0, 0), where=N < 50), 1, 0) * x[0], x[0]))


def test_the_parts_of_a_maximum_have_their_own_scopes():
    whole = maximum(x[b], (b, 0, N - 1))
    late = maximum(x[b], (b, 0, N - 1), where=bracket(Or(N < 50, b >= 5)) >= 1)
    assert not holds(Eq(late, whole))
    some = maximum(x[b], (b, 0, K - 1), empty=bracket(Or(K >= 1, N < 50)))
    one = maximum(x[b], (b, 0, K - 1), empty=1)
    assert not holds(Eq(some, one), requires=(N >= K, K >= 0, N >= 1))


def test_a_winner_does_not_vouch_for_itself():
    """That the window has one winner followed only where the place had won already."""
    last = If(N < 50, K - 1, N - 1)
    wins = winner(2, x[b], (b, 0, last))
    largest = And(last >= 2, Eq(x[2], maximum(x[b], (b, 0, last))))
    given = (unique(x[b], (b, 0, K - 1)), Or(Not(wins), N < 50))
    sizes = {"requires": (N >= 3, K >= 2, N >= K)}
    assert not holds(implies(And(*given), Eq(bracket(wins), bracket(largest))), **sizes)
    alone = unique(x[b], (b, 0, last))
    assert holds(implies(alone, Eq(bracket(wins), bracket(largest))), **sizes)


def test_a_maximum_in_the_body_of_its_sum_is_not_that_of_another_place():
    x2, y2 = array("x", N, M), array("y", N, M)
    same = Op(
        "same",
        requires=(N >= 1, M >= 1),
        forward=Eq(y2[a, b], x2[a, b]),
        jvp=Eq(tangent(y2)[a, b], tangent(x2)[a, b]),
        vjp=Eq(cotangent(x2)[a, b], cotangent(y2)[a, b]),
    )
    largest = maximum(x2[u, c], (u, 0, N - 1))
    total = Sum(exp(Sum(x2[b, c] - largest, (c, 0, M - 1))), (b, 0, N - 1))
    bound = Or(N < 50, log(total) >= Sum(largest - largest, (c, 0, M - 1)))
    assert not all_proved(same.claiming(Claim("c", bound)), "claim")


def two_last(weight):
    """The larger of the last two cells; `weight(b)` is what both rules give x[b]."""
    made = array("y", M)
    return Op(
        "two_last",
        requires=(N >= 3, M >= 1),
        forward=Eq(made[a], maximum(x[u], (u, N - 2, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(weight(b) * x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], weight(b) * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )


def elsewhere(place):
    """The winner, if there is one; else x[0], if that has the value, though of no window."""
    window = (u, N - 2, N - 1)
    first, last = (bracket(winner(c, x[u], window, tie=tie)) for tie in ("first", "last"))
    here, alike = bracket(Eq(place, c)), bracket(Eq(x[0], maximum(x[u], window)))
    moved = alike * bracket(Eq(place, 0)) + (1 - alike) * (1 - alike) * here
    return Sum(first * (last * here + (1 - last) * (1 - last) * moved), (c, N - 2, N - 1))


def test_a_cell_of_no_window_is_no_winner():
    """SOUNDNESS: N = 3, x = (1, 1, 1): y is the larger of x[1] and x[2], x_bar is (1, 0, 0)."""
    named = "x_bar at ties: weights on winners only"
    winners = next(th for th in theorems(two_last(elsewhere), "ties") if th.name == named)
    assert settled(winners, LIMIT).status == "refuted"


@pytest.mark.parametrize("body", [x[b] + 1, 2 * x[b]], ids=str)
def test_a_winner_whose_value_is_not_its_cell(body):
    """Refuted at N = 1, where x[0] is the only cell there is."""
    made = array("y", M)
    slope = 2 if isinstance(body, t.Mul) else 1
    first = slope * bracket(winner(c, x[u], (u, 0, N - 1)))
    shifted = Op(
        "shifted",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], maximum(body, (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(first * x_dot[c], (c, 0, N - 1))),
        vjp=Eq(x_bar[c], first * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    ties = [th for th in obligations(shifted) if th.kind == "ties"]
    assert "refuted" not in [settled(th, LIMIT).status for th in ties]


def test_a_place_on_the_diagonal_is_one_of_the_window():
    """y[0] is whether cell (0, …, 0) wins; where n = 1 it does: refuted at rank 2, by y[0] = 0."""
    X, Y = array("x", n), array("y", n)
    wins = bundled(
        forward=Eq(Y[i], bracket(winner(i, X[j], (j, 0, n - 1)))),
        jvp=Eq(tangent(Y)[i], 0 * tangent(X)[i]),
        vjp=Eq(cotangent(X)[i], 0 * cotangent(Y)[i]),
    )
    for said in (Y[0] > 0, Eq(Y[0], 1)):
        (status,) = statuses(wins.claiming(Claim("c", said, given=(n <= 1,))), "claim")
        assert status in (BAD, "unknown")
    assert statuses(wins.claiming(Claim("c", Y[0] > 0)), "claim") == ["refuted"]


def test_a_maximum_of_maxima_has_one_winner_in_each():
    """SOUNDNESS: with the outer winner alone unique, it said 1 = 2 for x = 0 … 49.

    There each row has two winners that read one cell, so there is a derivative, and it is 1.
    """
    made = array("y", M)
    row = maximum(x[b], (c, 0, LATE))
    often = Sum(bracket(winner(w, x[b], (c, 0, LATE), tie="any")), (w, 0, LATE))
    weight = bracket(winner(b, row, (b, 0, N - 1), tie="any")) * often
    definition = Op(
        "nested",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], maximum(row, (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(weight * x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    theorem = next(th for th in obligations(definition) if th.kind == "jvp")
    (sequent,) = theorem.sequents
    places = dict(zip((symbol for symbol, _, _ in sequent.over), (0, 49), strict=True))
    cells = {("x", (e,)): Fraction(e) for e in range(50)}
    assert Point(sequent, cells).fails({N: 50, M: 1} | places)
    assert not is_proved(theorem)


@pytest.mark.parametrize(("extra", "status"), [(0, BAD), (7, "refuted")])
def test_a_tie_in_the_other_branch_is_none(extra, status):
    window = (b, 0, N - 1)
    largest = Sum(bracket(winner(c, x[b], window)) * x_dot[c], (c, 0, N - 1))
    tied = bracket(And(a < K, Not(unique(x[b], window))))
    rule = If(a >= K, largest, x_dot[a] + extra * tied * x_dot[a])
    forward = If(a >= K, maximum(x[b], window), x[a])
    assert statuses(scaling(forward, 1, (N >= 1, K >= 0), rule), "jvp") == [status]


def test_uniqueness_that_may_be_due_to_something_else_is_none():
    """¬r ∨ s ∨ unique: where r holds, it may still be s that does."""
    window = (b, 0, N - 1)
    first, last = (
        Sum(bracket(winner(c, x[b], window, tie=tie)) * x[c] * c, (c, 0, N - 1))
        for tie in ("first", "last")
    )
    alone = unique(x[b], window)
    assert claim(implies(implies(N >= 1, alone), Eq(first, last))).status == BAD
    assert claim(implies(Or(Not(N >= 1), N >= 50, alone), Eq(first, last))).status != BAD


def test_uniqueness_holds_where_its_condition_does():
    window = (b, 0, N - 1)
    first, last = (
        Sum(bracket(winner(c, x[b], window, tie=tie)) * x[c] * c, (c, 0, N - 1))
        for tie in ("first", "last")
    )
    for least, status in ((1, BAD), (50, "unknown")):
        alone = implies(least <= N, unique(x[b], window))
        (theorem,) = theorems(claiming(implies(alone, Eq(first, last)), (), {}), "claim")
        assert prove(theorem, False, RLIMIT).status == status


def test_maxima_of_maxima_end():
    """The body of a maximum becomes a winner, of which the same is asked again."""
    X, W, made = array("x", N, N), array("w", N), array("y", M)
    row = maximum(X[b, c], (c, 0, N - 1))
    of_rows = bracket(winner(u, W[b] + row, (b, 0, N - 1)))
    rule = of_rows * bracket(winner(v, X[u, c], (c, 0, N - 1)))
    definition = Op(
        "max_plus",
        requires=(N >= 1, M >= 1),
        constants=(W,),
        forward=Eq(made[a], maximum(row + W[b], (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(rule * tangent(X)[u, v], (u, 0, N - 1), (v, 0, N - 1))),
        vjp=Eq(cotangent(X)[u, v], rule * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    theorem = next(th for th in obligations(definition) if th.kind == "vjp")
    assert prove(theorem, False, RLIMIT).status == BAD


def largest_of_three(tie, place):
    """The largest of three cells, some of which may be one and the same."""
    wins = bracket(winner(b, x[place(a, c)], (c, 0, 2), tie=tie))
    return op(
        forward=Eq(y[a], 2 * maximum(x[place(a, b)], (b, 0, 2))),
        jvp=Eq(y_dot[a], 2 * Sum(wins * x_dot[place(a, b)], (b, 0, 2))),
        vjp=scatter(x_bar[place(a, b)], 2 * wins * y_bar[a], (a, 0, N - 1), (b, 0, 2)),
    )


@pytest.mark.parametrize(
    ("tie", "place", "status"),
    [
        ("any", lambda e, d: Max(0, e - d), "refuted"),
        ("first", lambda e, d: Max(0, e - d), BAD),
        ("any", lambda e, d: mod(e + d, N), "refuted"),
        ("first", lambda e, d: mod(e + d, N), BAD),
        ("any", lambda e, d: floor_div(d, 2), "refuted"),
    ],
)
def test_winners_that_are_one_cell_move_as_one(tie, place, status):
    """SOUNDNESS: 6 for 2, as in a window that is cut at the edge no winner is a single place."""
    assert set(statuses(largest_of_three(tie, place), "jvp", "vjp")) == {status}


def test_the_mask_is_right_where_no_cell_is_read_twice():
    places = op(
        requires=(N >= 3,),
        forward=Eq(y[a], maximum(x[b], (b, 0, N - 1))),
        jvp=Eq(y_dot[a], Sum(wins(b, "any", last=N - 1) * x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], wins(b, "any", last=N - 1) * Sum(y_bar[a], (a, 0, N - 1))),
    )
    assert all_proved(places, "jvp", "vjp")


def diameter(of, slope, tie="first", requires=()):
    """The largest f((x[b] - x[c])²) of all pairs: (b, c) and (c, b) always tie, and move as one."""
    made, pairs = array("y", M), ((b, 0, N - 1), (c, 0, N - 1))

    def square(e, d):
        return (x[e] - x[d]) * (x[e] - x[d])

    ranges = ((u, 0, N - 1), (v, 0, N - 1))
    chosen = bracket(winner((b, c), of(square(u, v)), *ranges, tie=tie))
    moved = 2 * (x[b] - x[c]) * (x_dot[b] - x_dot[c])
    return Op(
        "diameter",
        requires=(N >= 1, M >= 1, *requires),
        forward=Eq(made[a], maximum(of(square(b, c)), *pairs)),
        jvp=Eq(tangent(made)[a], Sum(chosen * slope(square(b, c)) * moved, *pairs)),
        vjp=Eq(x_bar[w], 0),
    )


SQUARED = (lambda d: d), (lambda d: 1)
EXPONENTIAL = exp, exp


@pytest.mark.parametrize("tie", ["any", "first"])
def test_where_all_points_have_ties_nothing_is_proved(tie):
    """SOUNDNESS: (b, c) and (c, b) tie, so for N ≥ 2 nothing was said, and all was proved.

    Of exponentials it is not seen that they stay equal; of squares it is.
    """
    (theorem,) = theorems(diameter(*EXPONENTIAL, tie), "jvp")
    if tie == "first":
        assert prove(theorem, False, RLIMIT).status == BAD
    assert not is_proved(theorem)


def test_ties_that_move_as_one_are_tried():
    assert statuses(diameter(*SQUARED, "first"), "jvp") == ["proved"]
    assert statuses(diameter(*SQUARED, "any"), "jvp") == ["refuted"]


@pytest.mark.parametrize("tie", ["first", "last", "any"])
def test_a_cell_that_all_places_read_is_no_tie(tie):
    """What a hinge loss compares all others with: no two places are the same for that."""
    made = array("y", M)

    def value(e):
        return x[e] - x[K]

    chosen = bracket(winner(b, value(c), (c, 0, N - 1), tie=tie))
    hinge = Op(
        "hinge",
        requires=(K >= 0, K < N, M >= 1),
        forward=Eq(made[a], maximum(value(b), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(chosen * (x_dot[b] - x_dot[K]), (b, 0, N - 1))),
        vjp=Eq(x_bar[w], 0),
    )
    assert all_proved(hinge, "jvp")


@pytest.mark.parametrize(("tie", "right"), [("any", False), ("first", True)])
def test_sums_over_one_cell_move_as_one(tie, right):
    """The places of a window are told apart by all that they read, under sums too."""
    made, late = array("y", M), lambda e: If(N > 50, 0, e)

    def value(e):
        return Sum(x[late(e)] * zero_padded(x)[w], (w, 0, late(e)))

    chosen = bracket(winner(b, value(c), (c, 0, N - 1), tie=tie))
    definition = Op(
        "sums",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], 3 * x[0] + 0 * maximum(value(b), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], 3 * x_dot[0] * Sum(chosen, (b, 0, N - 1))),
        vjp=Eq(x_bar[w], 0),
    )
    assert proofs(definition, "jvp") == [right]


def test_a_slope_in_a_claim_counts_a_cell_once():
    """SOUNDNESS: with K > 50 all K places are x[0], and the slope was proved to be K."""
    made, place = array("y", M), lambda e: If(K > 50, 0, e)
    chosen = bracket(winner(b, x[place(c)], (c, 0, K - 1)))
    masked = bracket(winner(b, x[place(c)], (c, 0, K - 1), tie="any"))
    total = Sum(masked * bracket(Eq(place(b), 0)), (b, 0, K - 1))
    back = Sum(chosen * bracket(Eq(place(b), c)), (b, 0, K - 1))
    definition = Op(
        "largest",
        requires=(K >= 1, N >= K, M >= 1),
        forward=Eq(made[a], maximum(x[place(b)], (b, 0, K - 1))),
        jvp=Eq(tangent(made)[a], Sum(chosen * x_dot[place(b)], (b, 0, K - 1))),
        vjp=Eq(x_bar[c], back * Sum(cotangent(made)[a], (a, 0, M - 1))),
        claims=(Claim("slope", Eq(derivative(made[0], x[0]), total)),),
    )
    assert not all_proved(definition, "claim")


def test_a_real_tie_of_a_window_with_a_doubled_cell_is_left_out():
    """At x = (0, 0) the first and the last winner differ, and there is no derivative."""
    definition = largest_of_three("last", lambda e, d: Max(0, e - d))
    (theorem,) = theorems(definition, "jvp")
    (sequent,) = theorem.sequents
    places = dict(zip((symbol for symbol, _, _ in sequent.over), (1, 0), strict=True))
    tied = {("x", (e,)): Fraction(0) for e in range(2)}
    with pytest.raises(Undecided, match="on the boundary"):
        Point(sequent, tied).fails({N: 2} | places)
    assert not Point(sequent, tied | {("x", (0,)): Fraction(1)}).fails({N: 2} | places)


def largest_of(value, tie, requires=(N >= 1, M >= 1), constants=()):
    """The largest of all places, and the derivative at the places that win."""
    made, over = array("y", M), (b, 0, N - 1)
    chosen = bracket(winner(b, value(c, x), (c, 0, N - 1), tie=tie))
    return Op(
        "largest",
        requires=requires,
        constants=constants,
        forward=Eq(made[a], maximum(value(b, x), over)),
        jvp=Eq(tangent(made)[a], Sum(chosen * value(b, x_dot), over)),
        vjp=Eq(x_bar[w], 0),
    )


AS_ONE = [
    lambda e, cells: If(e < 2, cells[e], cells[0]),
    lambda e, cells: If(N > 50, cells[0], cells[e]),
    lambda e, cells: cells[0] + bracket(N <= 50) * cells[e],
    lambda e, cells: cells[0] + Sum(cells[e], (w, 0, 50 - N)),
    lambda e, cells: cells[0] + Sum(cells[e], (w, 1, floor_div(60, N))),
    lambda e, cells: cells[0] + zero_padded(cells)[e + nat_sub(N, 50) * N],
    lambda e, cells: cells[0] + nat_sub(50, N) * cells[e],
]


@pytest.mark.parametrize("value", AS_ONE, ids=lambda value: str(value(b, x)))
def test_places_that_move_as_one_are_no_tie(value):
    """SOUNDNESS: their integers differ, so they counted as a tie that is left out: N for 1."""
    (wrong,) = theorems(largest_of(value, "any"), "jvp")
    assert not is_proved(wrong)
    (right,) = theorems(largest_of(value, "first"), "jvp")
    assert prove(right, False, RLIMIT).status == BAD


@pytest.mark.parametrize("tie", ["any", "first"])
def test_a_factor_that_may_be_nothing_does_not_tell_places_apart(tie):
    beta = reals("beta")

    def value(e, cells):
        return cells[0] + beta * cells[e]

    for low, proves in ((beta > 0, True), (beta >= 0, tie == "first")):
        definition = largest_of(value, tie, (N >= 1, M >= 1, low))
        (theorem,) = theorems(definition, "jvp")
        assert is_proved(theorem) == proves


@pytest.mark.parametrize("tie", ["any", "first"])
def test_cells_found_by_an_array_may_be_one(tie):
    """SOUNDNESS: a bag of embeddings may hold one of them twice."""
    chosen = array("chosen", N)

    def value(e, cells):
        return Sum(bracket(Eq(w, chosen[e])) * cells[w], (w, 0, N - 1))

    (theorem,) = theorems(largest_of(value, tie, constants=(chosen,)), "jvp")
    assert is_proved(theorem) == (tie == "first")


@pytest.mark.parametrize(("tie", "status"), [("any", "refuted"), ("first", BAD)])
def test_overlapping_windows_that_have_one_maximum_move_as_one(tie, status):
    """SOUNDNESS: 2 for 1 where both windows have the same largest cell."""
    made, X = array("y", M), array("x", N + K - 1)

    def inner(e):
        return maximum(X[e + w], (w, 0, K - 1))

    chosen = bracket(winner(b, inner(u), (u, 0, N - 1), tie=tie))
    chosen = chosen * bracket(winner(c, X[b + w], (w, 0, K - 1)))
    places = ((b, 0, N - 1), (c, 0, K - 1))
    definition = Op(
        "overlapping",
        requires=(N >= 1, M >= 1, K >= 1),
        forward=Eq(made[a], maximum(inner(b), (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(chosen * tangent(X)[b + c], *places)),
        vjp=scatter(cotangent(X)[b + c], chosen * cotangent(made)[a], (a, 0, M - 1), *places),
    )
    assert statuses(definition, "jvp", "vjp") == [status, status]


def test_a_pair_and_its_mirror_image_move_as_one():
    """SOUNDNESS: `x[b]·x[c]` is `x[c]·x[b]`: 4 for 2."""
    made, pairs = array("y", M), ((b, 0, N - 1), (c, 0, N - 1))
    chosen = bracket(winner((b, c), -(x[u] * x[v]), (u, 0, N - 1), (v, 0, N - 1), tie="any"))
    moved = chosen * -(x_dot[b] * x[c] + x[b] * x_dot[c])
    gram = Op(
        "gram",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], maximum(-(x[b] * x[c]), *pairs)),
        jvp=Eq(tangent(made)[a], Sum(moved, *pairs)),
        vjp=Eq(x_bar[w], 0),
    )
    assert statuses(gram, "jvp") == ["refuted"]


def test_what_only_ties_leave_out_is_no_convention():
    """SOUNDNESS: beyond N = 1 every point has a tie, and `N ≤ 1` was said to be a convention."""
    known = diameter(*EXPONENTIAL, requires=(N <= 1,))
    jvp = tuple(theorems(known, "jvp"))
    assert needed(known, N <= 1, jvp, RLIMIT).status == "unknown"


def test_a_convention_says_what_it_leaves_out():
    definition = largest_of(lambda e, cells: cells[e], "any", (N >= 1, M >= 1, N <= 9))
    jvp = tuple(theorems(definition, "jvp"))
    finding = needed(definition, N <= 9, jvp, RLIMIT)
    assert (finding.status, finding.scope) == (BAD, "all sizes, where the winner is unique")


def test_a_convention_says_all_that_its_theorems_leave_out():
    """Of two rules one has ties, the other a boundary: the longer of the two words was said."""
    made, k = array("y", M), array("k", N)
    chosen = bracket(winner(b, x[u], (u, 0, N - 1), tie="any"))
    moved = Sum(chosen * x_dot[b], (b, 0, N - 1)) + bracket(k[0] > 0) * tangent(k)[0]
    definition = Op(
        "both",
        requires=(N >= 1, M >= 1, N <= 9),
        forward=Eq(made[a], maximum(x[b], (b, 0, N - 1)) + Max(k[0], 0)),
        jvp=Eq(tangent(made)[a], moved),
        vjp=(Eq(x_bar[w], 0), Eq(cotangent(k)[w], 0)),
    )
    jvp = tuple(theorems(definition, "jvp"))
    finding = needed(definition, N <= 9, jvp, RLIMIT)
    left_out = "where the winner is unique, off the boundary"
    assert (finding.status, finding.scope) == (BAD, f"all sizes, {left_out}")


def test_a_window_of_one_place_is_that_place():
    """Such a mask was `unknown` after half a minute, so that no report named the sizes it is of."""
    assert holds(Eq(x[K], maximum(x[c], (c, K, K))), requires=(N >= 1, K >= 0, K < N))
    assert not holds(Eq(x[0], maximum(x[c], (c, 0, Max(0, N - 50)))))
    assert not holds(Eq(x[0], maximum(x[c], (c, 0, 0), where=N < 50)))


def test_a_cell_that_does_not_count_is_no_winner_though_it_is_as_large():
    """One cell below 50 is the largest of these; from N = 51 on, another may be as large."""
    cells, counts = (u, 0, N - 1), u < 50
    largest = maximum(x[u], cells, where=counts)
    alone = unique(x[u], cells, where=counts)

    def chosen(valid):
        wins = lambda cell: And(valid(cell), Eq(x[cell], largest))  # noqa: E731 - a shorthand
        pushed = Sum(bracket(wins(b)) * x_dot[b], (b, 0, N - 1))
        return implies(alone, Eq(pushed, maximum(x_dot[c], (c, 0, N - 1), where=wins(c))))

    assert holds(chosen(lambda cell: cell < 50))
    assert not holds(chosen(lambda cell: cell <= 50))
    assert not holds(chosen(lambda cell: And()))
