"""Attacks by loops: inductions, states and turns, loops that are written out."""

from dataclasses import replace

import pytest
from attacks import (
    BAD,
    FAR,
    LAST,
    LATE,
    LIMIT,
    C,
    K,
    M,
    N,
    a,
    all_proved,
    at,
    at_few_shapes,
    b,
    best,
    beta,
    c,
    claim,
    claiming,
    count,
    found,
    has,
    holds,
    i,
    j,
    n,
    op,
    refused,
    scaling,
    scope_of,
    statuses,
    theorems,
    total,
    u,
    v,
    w,
    x,
    x_bar,
    x_dot,
    y,
)

from gradproof.language import (
    And,
    Claim,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Ne,
    Not,
    Op,
    Or,
    Sum,
    array,
    bracket,
    cotangent,
    derivative,
    fold,
    maximum,
    product,
    reals,
    tangent,
    winner,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.rules.unrolling import written_out
from gradproof.prove.tactics.asking import seeker
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import settled
from gradproof.settle.preconditions import needed
from gradproof.theorems.obligations import obligations


def test_a_failed_induction_refutes_nothing():
    """`>=` from the front keeps the last maximum: true, if the tie policy is "last"."""
    take = x[b] >= best
    seeded = fold(
        at, (b, 0, N - 1), best=(best, x[0], If(take, x[b], best)), at=(at, 0, If(take, b, at))
    )
    assert claim(And(seeded >= 0, seeded < N)).status != "refuted"


def flagged(rows, body, take, result):
    """A loop as it is written, with a flag: the first or the last maximum, if it is that."""
    take = Or(Eq(has, 0), take)
    return fold(
        result,
        rows,
        best=(best, 0, If(take, body, best)),
        at=(at, 0, If(take, rows[0], at)),
        has=(has, 0, If(take, 1, has)),
    )


def test_the_loop_of_these_attacks_keeps_the_first_maximum():
    largest = flagged((b, 0, N - 1), x[b], x[b] > best, best)
    first = Sum(bracket(winner(c, x[b], (b, 0, N - 1))) * x[c], (c, 0, N - 1))
    assert holds(Eq(largest, first))


@pytest.mark.parametrize("name", ["value_j", "best"])
def test_a_parameter_named_like_the_inductions_own(name):
    """SOUNDNESS: the induction over a fold takes the user's `value_j` for its own."""
    kept, known = reals("kept"), reals(name)
    take = Or(Eq(has, 0), (known > kept) if name == "value_j" else (x[b] > known))
    loop = fold(
        kept,
        (b, 0, LAST),
        kept=(kept, 0, If(take, x[b], kept)),
        has=(has, 0, If(take, 1, has)),
    )
    first = Sum(bracket(winner(c, x[b], (b, 0, LAST))) * x[c], (c, 0, LAST))
    assert not holds(Eq(loop, first), requires=(N >= 1, known >= 0))


def test_a_seeded_loop_over_an_empty_range():
    """SOUNDNESS: without a flag, an empty loop returns its seed; the proof forgets that case."""
    take = x[b] > best
    states = {"best": (best, x[0], If(take, x[b], best)), "at": (at, 0, If(take, b, at))}
    requires = (N >= 60, K >= 0)
    rows = (b, 0, 50 - K)
    assert not holds(Or(K <= 50, fold(at, rows, **states) < 0), requires=requires)
    first = Sum(bracket(winner(c, x[b], rows)) * x[c], (c, 0, 50 - K))
    assert not holds(Eq(fold(best, rows, **states), first), requires=requires)


def test_a_fold_stays_within_its_quantifier():
    place = flagged((b, 0, K - 1), x[a + b], x[a + b] > best, at)
    same = Or(*(ForAll(kind(place, 0), (a, 0, N - K)) for kind in (Eq, Ne)))
    assert not holds(Or(N < 50, same), requires=(N >= K, K >= 1))


def test_a_fold_is_not_pulled_out_of_a_quantifier():
    place = flagged((b, 0, K - 1), x[a + b], x[a + b] > best, at)
    same = Or(N < 50, Exists(ForAll(Eq(place, u), (a, 0, N - K)), (u, 0, K - 1)))
    assert not holds(same, requires=(N >= K, K >= 1))
    assert not holds(Eq(bracket(same), 1), requires=(N >= K, K >= 1))


def test_a_seed_outside_of_the_loops():
    """SOUNDNESS: where the range of `b` depends on `a`, the place that seeds a loop may be none."""
    X = array("x", N, N)
    last = lambda row: If(N > 50, row - 1, N - 1)  # noqa: E731 - a shorthand of this test alone
    loops = ((a, 0, N - 1), (b, 0, last(a)))
    largest = fold(best, *loops, best=(best, X[0, 0], If(X[a, b] > best, X[a, b], best)))
    place = bracket(winner((u, v), X[a, b], *loops))
    first = Sum(place * X[u, v], (u, 0, N - 1), (v, 0, last(u)))
    square = Op(
        "square",
        requires=(N >= 2,),
        forward=Eq(array("y", N, N)[a, b], X[a, b]),
        jvp=Eq(tangent(array("y", N, N))[a, b], tangent(X)[a, b]),
        vjp=Eq(cotangent(X)[a, b], cotangent(array("y", N, N))[a, b]),
        claims=(Claim("c", Eq(largest, first)),),
    )
    (theorem,) = theorems(square, "claim")
    assert prove(theorem, False, LIMIT).status != BAD


def summed(value, last):
    """Not taken for the sum that it is, so that it is written out."""
    return fold(total, (b, 0, last), total=(total, 0, (total + total) / 2 + value))


@pytest.mark.parametrize(
    ("last", "least"),
    [
        (N - 1 + (N - 1) * Max(N - 2, 0), 1),
        (N - 1 + (N - 1) * If(x[0] > 0, 1, 0), 1),
        (N - 1, 5),
        (2 * N - 2, 3),
    ],
    ids=str,
)
def test_windows_of_up_to_four_cells_are_all_of_them(last, least):
    """SOUNDNESS: windows whose length was no plain number were left out, and there may be none.

    Where N is at least 5, no window of N cells has up to 4, and nothing was shown.
    """
    at_large = If(And(K > 50, N >= 2), 0, 1)
    loop = summed(K, last)
    assert claim(Eq(loop, at_large * loop), requires=(least <= N, K >= 1)).status != BAD


def test_windows_of_up_to_four_cells_are_proved():
    finding = claim(Eq(summed(K, N - 1), K * N), requires=(N >= 1, K >= 1))
    assert (finding.status, finding.scope) == (
        BAD,
        "where no loop takes more than 4 turns, inner loops counted",
    )


MEETS = [
    (fold(total, (b, 0, N - 1), total=(total, 0, total / (count + 1)), n=(count, 0, count + 1)), 0),
    (fold(total, (b, 0, N - 1), total=(total, 0, total / (count - 3)), n=(count, 0, count + 1)), 4),
    (fold(at, (b, 1, N - 1), at=(at, 0, If(x[b] > x[at], b, at))), 0),
    (fold(at, (b, 0, N - 1), at=(at, 0, If(x[b] > x[at], b, at))), 0),
    (fold(at, (b, 0, N - 1), at=(at, 1, If(x[b] > x[at], b, at))), 1),
    (
        fold(
            total,
            *((b, 0, N - 1), (c, 0, N - 1)),
            total=(total, 0, total + 1 / (count - 2)),
            n=(count, 0, count + 1),
        ),
        2,
    ),
    (
        fold(
            total,
            (b, 0, N - 1),
            total=(total, 0, If(count < 2, total / (b - 3), total)),
            n=(count, 0, count + 1),
        ),
        0,
    ),
]


@pytest.mark.parametrize(("loop", "smallest"), MEETS, ids=str)
def test_a_loop_is_defined_for_the_states_it_meets(loop, smallest):
    """SOUNDNESS: a running mean was refuted at a count of -1, an argmax at a place of -1."""
    with at_few_shapes():
        wrong = [f for f in found(op(forward=Eq(y[a], x[a] + 0 * loop))) if f.status == "refuted"]
    assert len(wrong) == (smallest > 0)
    assert all(f.counterexample.sizes == {"N": smallest} for f in wrong)


def test_the_place_of_a_loop_is_none_of_the_claims_own():
    """False if the largest of 50 cells is the tenth; the place was taken to be in 0..3."""
    place = flagged((b, 0, N - 1), x[b], x[b] > best, at)
    assert not holds(Or(Not(place >= 4), ForAll(N < 50, (b, 0, 3))), requires=(N >= 5,))


def test_a_flag_that_is_never_set():
    """The loop returns the last cell; its first turn was never looked at."""
    take = Or(Eq(has, 0), x[b] > best)
    stuck = fold(
        best,
        (b, 0, N - 1),
        best=(best, 0, If(take, x[b], best)),
        at=(at, 0, If(take, b, at)),
        has=(has, 0, If(Eq(has, 1), 1, has)),
    )
    largest = maximum(x[b], (b, 0, N - 1))
    statement = Claim("c", Eq(FAR * stuck, FAR * largest))
    (finding,) = found(op(claims=(statement,)), "claim")
    assert finding.scope == "where no loop takes more than 4 turns, inner loops counted"
    assert holds(Eq(flagged((b, 0, N - 1), x[b], x[b] > best, best), largest))


def walking(step):
    """A loop over axes that reads where its state is; its turns have no order."""
    wide, made = array("X", n, C), array("y", n, C)
    loop = fold(best, (i, 0, n - 1), at=(at, 0, step), s=(best, 0, best + x[at]))
    return Op(
        "walking",
        requires=(n >= 1, C >= 1, N >= 1),
        constants=(x,),
        forward=Eq(made[j, c], wide[j, c] + 0 * Sum(loop, (at, 0, N - 1))),
        jvp=Eq(tangent(made)[j, c], tangent(wide)[j, c]),
        vjp=Eq(cotangent(wide)[j, c], cotangent(made)[j, c]),
    )


def test_the_state_of_a_loop_over_axes_is_no_place():
    reads = [th for th in theorems(walking(at + 1), "in bounds") if th.equation == "forward"]
    assert {settled(th, LIMIT).status for th in reads} == {"unknown"}


def test_what_is_asked_of_every_state_is_not_refuted_by_one():
    """It reads x[0] only."""
    reads = [th for th in theorems(walking(at), "in bounds") if th.equation == "forward"]
    assert {settled(th, LIMIT).status for th in reads} == {"unknown"}


def test_a_short_loop_beside_a_longer_one_is_looked_at():
    """With three cells the first loop is in scope, and the second has nine."""
    other = reals("other")
    few = fold(best, (b, 0, K - 1), best=(best, 0, 1 * best + 1))
    pairs = fold(other, (c, 0, K - 1), (u, 0, K - 1), s=(other, 0, 1 * other + x[c] * x[u]))
    wrong = bracket(And(K >= 3, N >= 50))
    sizes = {"requires": (N >= 1, K >= 1, N >= K)}
    assert not holds(Eq(few + 0 * pairs, K + wrong), **sizes)


def test_a_condition_is_no_state():
    loop = fold(best, (b, 0, N - 1), best=(best, 0, If(x[b] > 0, x[b] > 1, best)))
    assert refused(lambda: op(forward=Eq(y[a], x[a] + 0 * loop)))


def test_a_clause_is_not_needed_for_a_state_that_is_never_reached():
    """It reads x[0] only, and K is nowhere: K ≥ 1 was shown to be needed."""
    walk = walking(at)
    walk = replace(walk, requires=(*walk.requires, K >= 1))
    finding = needed(walk, K >= 1, obligations(walk), LIMIT)
    assert not finding.note.startswith("needed")


LOOP = fold(derivative(best * x[N - 1], x[N - 1]), (b, 50, N - 1), best=(best, 0, best + x[b]))


def test_a_state_in_a_derivative_is_one_thing_for_all():
    """SOUNDNESS: the loop was made a sum of cells and then differentiated; evaluation takes the
    state for a constant. N = 51, x[50] = 1: the left side is 1, the right side is 2."""
    total = Sum(x[b], (b, 50, N - 1))
    statement = Eq(LOOP, total + bracket(N >= 51) * x[N - 1])
    assert refused(lambda: claiming(statement, (), {})) or not holds(statement)


def test_what_a_loop_leaves_on_each_axis_is_not_one_number():
    """SOUNDNESS: at rank 4, n = (1, 2, 1, 1), neither F ≥ 2 nor F < 2 holds on every axis."""
    left = fold(i, (c, 0, 0), i=(i, 0 * n, n))
    neither = And(product(2 + 0 * n) > 8, Not(left >= 2), Not(left < 2))
    statement = Eq(If(neither, 1, 0) * array("x", n)[0 * n], 0)
    assert scope_of(statement) == (BAD, "ranks 1 to 3")


def test_a_loop_of_which_no_solver_can_be_asked_selects_nothing():
    take = Or(Eq(has, 0), Exists(Sum(best, (w, 0, v)) < x[b], (v, 0, 0)))
    states = {"best": (best, 0, If(take, x[b], best)), "has": (has, 0, If(take, 1, has))}
    largest = fold(best, (b, 0, N - 1), **states)
    with at_few_shapes():
        assert claim(Eq(largest, maximum(x[b], (b, 0, N - 1)))).status == "unsupported"


@pytest.mark.parametrize(("extra", "status"), [(0, BAD), (7, "refuted")])
def test_a_branch_that_no_state_of_a_loop_over_axes_reaches(extra, status):
    """SOUNDNESS: `never` is 1 in every turn, so y = Σx, also where a cell is 0."""
    never, made = reals("never"), array("y", M)
    X = array("x", n)
    steps = {
        "never": (never, 1, never),
        "total": (total, 0, If(never < 0, total + Max(X[j], 0), total + X[j])),
    }
    weight = 1 + extra * bracket(Eq(X[i], 0))
    definition = Op(
        "axes",
        requires=(n >= 1, M >= 1),
        forward=Eq(made[a], fold(total, (j, 0, n - 1), **steps)),
        jvp=Eq(tangent(made)[a], Sum(weight * tangent(X)[i], (i, 0, n - 1))),
        vjp=Eq(cotangent(X)[i], weight * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert statuses(definition, "jvp") == [status]


def test_need_is_shown_by_what_is_written_out():
    slope, made = reals("slope"), array("y", M)
    adding_up = {"total": (total, 0, Max(total, 0) + x[b])}
    moving = adding_up | {"slope": (slope, 0, If(total >= 0, slope, 0) + x_dot[b])}
    definition = Op(
        "needing",
        requires=(N >= 1, M >= 1, K >= 1),
        forward=Eq(made[a], If(K >= 1, 1, 2) * fold(total, (b, 0, N - 1), **adding_up)),
        jvp=Eq(tangent(made)[a], fold(slope, (b, 0, N - 1), **moving)),
        vjp=Eq(x_bar[c], 0),
    )
    jvp = tuple(th for th in obligations(definition) if th.kind == "jvp")
    assert needed(definition, K >= 1, jvp, RLIMIT).note.startswith("needed: with K = 0")


@pytest.mark.parametrize("after", [False, True])
def test_loops_one_after_the_other_are_both_small(after):
    """SOUNDNESS: windows of 4 and 2 cells were taken for one of 8, and not looked at."""
    begun, moved, made = reals("begun"), reals("moved"), array("y", K)
    w = array("w", M)

    def both(begin, read, other):
        first = fold(begun, (c, 0, M - 1), begun=(begun, 0, 2 * begun + other[c]))
        start, result = (0, begin + first) if after else (first, begin)
        return fold(result, (b, 0, N - 1), **{begin.name: (begin, start, 2 * begin + read[b])})

    definition = Op(
        "twice",
        requires=(N >= 1, M >= 1, K >= 1),
        forward=Eq(made[a], both(total, x, w)),
        jvp=Eq(tangent(made)[a], both(moved, x_dot, tangent(w))),
        vjp=(Eq(x_bar[c], 0), Eq(cotangent(w)[c], 0)),
    )
    for theorem in theorems(definition, "jvp"):
        found = written_out(theorem, seeker(RLIMIT))
        assert found is not None
        assert len(found.instances) == 4 * 4
        assert settled(theorem, RLIMIT).status == BAD


KEPT, TWICE = bracket(N > 5) * total, (total, abs(x[0]), 2 * total)
FORGOTTEN = {
    "by a turn": (total, (total, abs(x[0]), If(b >= 0, 3, total))),
    "by the last turn": (total, (total, 0, If(b < N - 1, abs(x[0]), 3))),
    "by the result": (KEPT, TWICE),
    "by a branch": (If(N > 5, total, 0), TWICE),
    "never": (total, TWICE),
}


@pytest.mark.parametrize("name", FORGOTTEN)
def test_what_a_loop_forgets_has_no_boundary(name):
    """SOUNDNESS: where |x[0]| turns, and the result does not, any slope was proved."""
    result, state = FORGOTTEN[name]
    definition = scaling(fold(result, (b, 0, N - 1), total=state), 1)
    (sequent,) = theorems(definition, "jvp")[0].sequents
    assert sequent.when == ()


def test_what_a_loop_forgets_is_compared():
    """SOUNDNESS: a slope of 8 was proved for y = x + 3."""
    three = fold(total, (b, 0, N - 1), total=(total, abs(x[0]), If(b >= 0, 3, total)))
    slope = x_dot[a] + 7 * bracket(Eq(x[0], 0)) * x_dot[0]
    (theorem,) = theorems(scaling(x[a] + three, 1, jvp=slope), "jvp")
    written = written_out(theorem, seeker(LIMIT))
    assert BAD not in {prove(each, False, LIMIT).status for each in written.instances}


ROWS = (b, 0, N - 1)
SPELLED = {
    "the first": fold(at, ROWS, at=(at, 0, If(x[b] > x[at], b, at))),
    "the last": fold(at, ROWS, at=(at, 0, If(x[b] >= x[at], b, at))),
}


@pytest.mark.parametrize(("loop", "tie"), [("the first", "last"), ("the last", "first")])
def test_ties_are_not_told_apart_by_small_windows_alone(loop, tie):
    wins = winner(c, x[b], ROWS, tie=tie)
    place = Or(N < 50, Eq(Sum(bracket(wins & Eq(SPELLED[loop], c)), (c, 0, N - 1)), 1))
    assert not holds(place, requires=(N >= 1,))


def test_a_match_of_a_longer_windows_maximum_may_be_none():
    """SOUNDNESS: without a match the place is the one that the loop began with."""
    largest = maximum(x[c], (c, 0, N - 1))
    place = fold(at, (b, 0, N - 2), at=(at, 0, If(Eq(x[b], largest), b, at)))
    said = bracket(Eq(x[place], largest) & Exists(Eq(x[b], largest), (b, 0, N - 2)))
    assert not holds(Or(N < 50, Eq(said, 1)), requires=(N >= 2,))


def test_a_loop_that_begins_elsewhere_is_not_seeded():
    loop = fold(at, ROWS, at=(at, If(N > 50, 1, 0), If(x[b] > x[at], b, at)))
    wins = winner(c, x[b], ROWS)
    said = Sum(bracket(wins & Eq(loop, c)), (c, 0, N - 1))
    assert not holds(Eq(said, 1), requires=(N >= 2,))


@pytest.mark.parametrize(
    ("exponent", "first", "is_right"),
    [(N - 1 - a, 0, True), (N - LATE - a, 0, False), (N - 1 - a, 1 - LATE, False)],
    ids=("right", "a power too high", "a coefficient left out"),
)
def test_horners_scheme_is_a_sum(exponent, first, is_right):
    """Each coefficient is multiplied once in each turn that comes after its own."""
    point, weight, out = array("point"), array("weight", N), array("out")
    value = fold(total, (b, 0, N - 1), total=(total, 0, total * point[()] + weight[b]))
    slope = Sum((N - 1 - b) * weight[b] * point[()] ** (N - 2 - b), (b, first, N - 2))
    definition = op(
        requires=(N >= 1,),
        forward=Eq(out[()], value),
        jvp=(),
        vjp=(
            Eq(cotangent(weight)[a], point[()] ** exponent * cotangent(out)[()]),
            Eq(cotangent(point)[()], slope * cotangent(out)[()]),
        ),
    )
    assert all_proved(definition, "vjp") == is_right


@pytest.mark.parametrize(("start", "is_true"), [(beta**N, True), (FAR, False), (0, False)])
def test_what_a_loop_starts_with_is_multiplied_in_every_turn(start, is_true):
    value = fold(total, (b, 0, N - 1), total=(total, x[a], beta * total + 1))
    said = Eq(value, x[a] * start + Sum(beta ** (N - 1 - b), (b, 0, N - 1)))
    assert holds(ForAll(said, (a, 0, N - 1)), requires=(N >= 1, beta**2 >= 0)) == is_true
