"""Integers that an op computes, and rules that read them: each attack has a right neighbour."""

from dataclasses import replace

import pytest

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    If,
    Max,
    Min,
    Op,
    Sum,
    argmax,
    argmin,
    array,
    bracket,
    cotangent,
    count,
    derivative,
    exp,
    floor_div,
    fold,
    integer_array,
    integers,
    maximum,
    mod,
    scatter,
    tangent,
    unique,
    zero_padded,
)
from gradproof.language.terms import DefinitionError
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

R, M, r, m, i = integers("R M r m i")
x, y, w = array("x", R, M), array("y", R), array("w", M)
x_dot, y_dot, x_bar, y_bar, w_bar = *map(tangent, (x, y)), *map(cotangent, (x, y, w))
at = integer_array("at", R, below=M)
row, rows = (m, 0, M - 1), (r, 0, R - 1)
place = argmax(x[r, m], row)

largest = Op(
    "largest",
    requires=(M >= 1,),
    forward=(Eq(y[r], maximum(x[r, m], row)), Eq(at[r], place)),
    jvp=Eq(y_dot[r], x_dot[r, at[r]]),
    vjp=scatter(x_bar[r, at[r]], y_bar[r], rows),
)
forward = (Eq(y[r], x[r, at[r]]), Eq(at[r], place))
gathered = replace(largest, name="gathered", forward=forward, ties="any")


def found(op, *names):
    asked = (th for th in obligations(op) if not names or th.name in names)
    return {th.name: settled(th, RLIMIT).status for th in asked}


def obligation(op, name):
    return next(th for th in obligations(op) if th.name == name)


def status(op, name):
    return settled(obligation(op, name), RLIMIT).status


def failing(op):
    """What is not proved; where cells tie the choice jumps, which is waived."""
    waived = {th.name for th in obligations(op) if th.waived}
    return {name for name, status in found(op).items() if status != "proved"} - waived


def with_place(op, wrong):
    return replace(op, forward=(op.forwards[0], Eq(at[r], wrong)))


@pytest.mark.parametrize("op", [largest, gathered])
def test_a_rule_reads_the_place_that_the_forward_saved(op):
    assert failing(op) == set()
    assert failing(with_place(op, argmax(x[r, m], row, tie="last"))) == set()


@pytest.mark.parametrize(
    "wrong",
    [
        argmin(x[r, m], row),
        argmax(x[0, m], row),  # of another row
        argmax(x[r, m], (m, 1, M - 1)),  # the first cell forgotten
        argmax(x[r, m], (m, 0, M - 2)),  # the last one
        argmax(x[r, m], row, at=M - 1 - m),  # counted from the end
        argmax(abs(x[r, m]), row),
        argmax(x[r, m], row, where=m < 50),  # seen in long rows alone
    ],
)
def test_another_place_is_saved(wrong):
    statuses = found(with_place(largest, wrong), "jvp by x", "vjp x_bar")
    assert len(statuses) == 2
    assert "proved" not in statuses.values()


@pytest.mark.parametrize(
    ("wrong", "failed"),
    [
        (scatter(x_bar[r, 0], y_bar[r], rows), {"vjp x_bar"}),
        (scatter(x_bar[0, at[r]], y_bar[r], rows), {"vjp x_bar"}),
        (scatter(x_bar[r, at[0]], y_bar[r], rows), {"vjp x_bar"}),
        (
            scatter(x_bar[r, at[r] + 1], y_bar[r], rows),
            {"vjp x_bar", "vjp x_bar: reads and writes"},
        ),
    ],
)
def test_a_rule_writes_elsewhere(wrong, failed):
    statuses = found(replace(largest, vjp=wrong), *failed)
    assert failed <= {name for name, status in statuses.items() if status == "refuted"}


def test_a_place_is_within_its_span():
    said = "forward at: reads and writes"
    assert status(with_place(largest, argmax(x[r, m], row, at=m + 1)), said) == "refuted"
    assert status(with_place(largest, argmax(x[r, m], row, empty=-1)), said) == "proved"
    assert status(replace(largest, requires=()), said) == "refuted"  # an empty row has no place
    lower = integer_array("at", R, first=1, below=M)
    assert (
        status(
            Op("one", requires=(M >= 1,), forward=Eq(lower[r], place)), "forward: reads and writes"
        )
        == "refuted"
    )


def test_a_read_of_the_place_is_in_bounds_itself():
    """What stands for the place has a value at every row, the array of places has not."""
    far = replace(largest, vjp=scatter(x_bar[r, at[r + 1]], y_bar[r], rows))
    assert status(far, "vjp x_bar: reads and writes") == "refuted"
    claim = Claim("of the row after", ForAll(Eq(at[r + 1], at[r + 1]), rows))
    op = Op("places", requires=(M >= 1,), forward=Eq(at[r], place), claims=(claim,))
    assert status(op, "of the row after") == "refuted"


# Where the place turns.


def test_a_place_that_ties_and_stays_is_no_boundary():
    """Of a row below 0 all places tie, and the first of them wins whatever moves."""
    clamped = with_place(gathered, argmax(Max(x[r, m], 0), row))
    assert "refuted" not in found(clamped, "jvp by x", "vjp x_bar").values()
    above = bracket(maximum(x[r, m], row) > 0)
    wrong = replace(clamped, vjp=scatter(x_bar[r, at[r]], above * y_bar[r], rows))
    assert status(wrong, "vjp x_bar") == "refuted"


def test_places_that_mean_the_same_integer_are_no_boundary():
    first = with_place(gathered, argmax(x[r, m], row, at=0 * m))
    alone = bracket(unique(x[r, m], row))
    assert status(replace(first, vjp=scatter(x_bar[r, 0], y_bar[r], rows)), "vjp x_bar") == "proved"
    wrong = replace(first, vjp=scatter(x_bar[r, 0], alone * y_bar[r], rows))
    assert status(wrong, "vjp x_bar") != "proved"
    own = replace(gathered, vjp=scatter(x_bar[r, at[r]], alone * y_bar[r], rows))
    assert status(own, "vjp x_bar") == "proved"


def test_squares_that_tie_at_0_are_a_boundary():
    """There all first derivatives are alike, yet any move decides for another place."""
    square = x[r, m] * x[r, m]
    loudest = with_place(gathered, argmax(square, row))
    last = argmax(square, row, tie="last")
    assert (
        status(replace(loudest, vjp=scatter(x_bar[r, last], y_bar[r], rows)), "vjp x_bar")
        != "refuted"
    )
    quiet = argmin(square, row)
    assert (
        status(replace(loudest, vjp=scatter(x_bar[r, quiet], y_bar[r], rows)), "vjp x_bar")
        == "refuted"
    )


# Routing: who chooses has no derivative, who is chosen has.

routed = Op(
    "routed",
    ties="any",
    requires=(M >= 1,),
    forward=(Eq(at[r], place), Eq(y[r], w[at[r]])),
    vjp=(Eq(x_bar[r, m], 0), scatter(w_bar[at[r]], y_bar[r], rows)),
)


def test_routing():
    assert failing(routed) == set()
    straight = replace(routed, vjp=(Eq(x_bar[r, m], w[m] * y_bar[r]), routed.vjp[1]))
    assert status(straight, "vjp x_bar") == "refuted"
    with pytest.raises(DefinitionError, match="no VJP for input x"):
        replace(routed, vjp=routed.vjp[1:])
    assert failing(replace(routed, constants=(x,), vjp=routed.vjp[1:])) == set()


def test_one_hot():
    hot = array("hot", R, M)
    chosen = If(Eq(at[r], m), x[r, m], 0)
    op = Op(
        "one_hot",
        requires=(M >= 1,),
        ties="any",
        forward=(Eq(at[r], place), Eq(hot[r, m], chosen)),
        vjp=Eq(x_bar[r, m], If(Eq(at[r], m), cotangent(hot)[r, m], 0)),
    )
    assert failing(op) == set()
    wrong = replace(op, vjp=Eq(x_bar[r, m], cotangent(hot)[r, m]))
    assert status(wrong, "vjp x_bar") == "refuted"


def test_a_rule_that_chooses_by_what_it_is_linear_in():
    bad = replace(largest, jvp=Eq(y_dot[r], x_dot[r, argmax(x_dot[r, m], row)]))
    assert status(bad, "jvp is linear") != "proved"
    assert status(bad, "jvp by x") == "refuted"


def test_a_choice_among_outputs():
    """Where a later output reads what was saved of an earlier one."""
    u, i2 = array("u", R, M), integer_array("at", R, below=M)
    op = Op(
        "chain",
        requires=(M >= 1,),
        ties="any",
        let=Eq(u[r, m], 2 * x[r, m]),
        forward=(Eq(i2[r], argmax(u[r, m], row)), Eq(y[r], u[r, i2[r]])),
        vjp=scatter(x_bar[r, i2[r]], 2 * y_bar[r], rows),
    )
    assert failing(op) == set()
    assert (
        status(replace(op, vjp=scatter(x_bar[r, i2[r]], y_bar[r], rows)), "vjp x_bar") == "refuted"
    )


# How many there are, as a place or as a number.

C, K, N, c, j, k, n = integers("C K N c j k n")
label = integer_array("label", N, below=C)
v, v_bar = array("v", N), cotangent(array("v", N))
sorted_in, per_label, total = array("y", C, N), array("y", C), array("y")
everything = (j, 0, N - 1)


def earlier(last):
    return count(Eq(label[j], label[n]), (j, 0, last))


def counted(condition):
    return count(condition, everything)


def placed(at):
    """Each cell behind those before it that have its label; what it is given is read at a place."""
    chosen = bracket(Eq(label[n], c) & Eq(earlier(n - 1), k))
    return Op(
        "placed",
        requires=(C >= 1,),
        forward=Eq(sorted_in[c, k], Sum(chosen * v[n], (n, 0, N - 1))),
        vjp=Eq(v_bar[n], zero_padded(cotangent(sorted_in))[label[n], at]),
    )


def test_a_count_is_a_place():
    assert set(found(placed(earlier(n - 1))).values()) == {"proved"}


@pytest.mark.parametrize("wrong", [earlier(n), earlier(n - 2), counted(Eq(label[j], label[n])), 0])
def test_another_count_is_another_place(wrong):
    assert status(placed(wrong), "vjp v_bar") == "refuted"


def test_as_many_as_there_are_places_are_out_of_bounds():
    def read(last):
        rule = Eq(v_bar[n], cotangent(sorted_in)[label[n], earlier(last)])
        return status(replace(placed(0), vjp=rule), "vjp v_bar: reads and writes")

    assert (read(n - 1), read(n)) == ("proved", "refuted")


def mean_of_label(number):
    below = Max(1, counted(Eq(label[j], c)))
    return Op(
        "mean_of_label",
        requires=(C >= 1,),
        forward=Eq(per_label[c], Sum(bracket(Eq(label[n], c)) * v[n], (n, 0, N - 1)) / below),
        vjp=Eq(v_bar[n], cotangent(per_label)[label[n]] / number),
    )


def test_a_count_is_a_number():
    own = counted(Eq(label[j], label[n]))
    assert set(found(mean_of_label(Max(1, own))).values()) == {"proved"}
    assert status(mean_of_label(own), "vjp v_bar: divisors and logarithms") == "proved"
    for wrong in (Max(1, own - 1), Max(1, earlier(n)), Max(2, own)):
        assert status(mean_of_label(wrong), "vjp v_bar") == "refuted"


def test_two_arrays_at_one_count_are_two():
    first, second = array("first", N), array("second", N)
    y_n, here = array("y", N), earlier(n - 1)
    op = Op(
        "two_arrays",
        forward=Eq(y_n[n], exp(first[here]) * second[here]),
        jvp=Eq(
            tangent(y_n)[n],
            exp(first[here]) * (tangent(second)[here] + tangent(first)[here] * second[here]),
        ),
    )
    assert set(found(op).values()) == {"proved"}
    swapped = exp(second[here]) * (tangent(second)[here] + tangent(first)[here] * second[here])
    wrong = replace(op, jvp=Eq(tangent(y_n)[n], swapped))
    assert {status(wrong, f"jvp by {a}") for a in ("first", "second")} == {"refuted"}


def test_nobody_may_be_counted():
    none = counted(Eq(label[j], 0))
    assert status(mean_of_label(none), "vjp v_bar: divisors and logarithms") == "refuted"


def test_a_count_of_reals_turns_where_they_do():
    positive = Max(1, counted(v[j] > 0))
    mean = Op(
        "mean_of_positive",
        forward=Eq(total[()], Sum(Max(v[n], 0), (n, 0, N - 1)) / positive),
        vjp=Eq(v_bar[n], bracket(v[n] > 0) * cotangent(total)[()] / positive),
    )
    at_all = Eq(v_bar[n], cotangent(total)[()] / positive)
    assert settled(obligation(mean, "vjp v_bar"), RLIMIT).scope == "all sizes, off the boundary"
    assert status(replace(mean, vjp=at_all), "vjp v_bar") == "refuted"


def test_a_count_within_a_count():
    lonely = counted(Eq(count(Eq(label[k], label[j]), (k, 0, N - 1)), 1))
    op = Op(
        "lonely",
        forward=Eq(total[()], lonely * Sum(v[n], (n, 0, N - 1))),
        vjp=Eq(v_bar[n], lonely * cotangent(total)[()]),
    )
    assert set(found(op).values()) == {"proved"}
    with pytest.raises(DefinitionError, match="count: a range is"):
        count(Eq(label[j], 0), 3)


@pytest.mark.parametrize("far", [0, 1000])
def test_a_loop_whose_condition_reads_what_it_counted_is_no_count(far):
    """At a number that stays, one place is its next one; as the number goes on, all that follow."""

    def at_most_one(number):
        claim = Claim("at most one", number + v[0] <= 1 + v[0])
        op = Op("read", requires=(N >= 1,), forward=Eq(total[()], v[0]), claims=(claim,))
        return settled(obligation(op, "at most one"), RLIMIT)

    own = fold(k, everything, k=(k, 0, If(Eq(j, k + far), k + 1, k)))
    found = at_most_one(own)
    assert found.status != "proved" or "no loop takes more than" in found.scope
    assert at_most_one(counted(Eq(j, far))).status == "proved"


# What is wrong in long rows alone: no second route sees it, the kernel must.

FAR = 1000


def is_proved(op, name):
    proof = prove(obligation(op, name), False, RLIMIT).proof
    return proof is not None and not proof.within


def test_another_count_in_long_rows_is_another_place():
    name, own = "vjp v_bar", earlier(n - 1)
    assert all(is_proved(placed(at), name) for at in (own, Max(0, own), floor_div(own, 1)))
    first = count(Eq(label[j], label[n]) & (j < FAR), (j, 0, n - 1))
    for wrong in (Min(FAR, own), mod(own, FAR), earlier(Min(n - 1, FAR)), first):
        assert not is_proved(placed(wrong), name)


def some(condition, body=1, range_=everything):
    return Sum(bracket(condition) * body, range_)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (some(j < FAR, exp(v[j])), some(j > FAR, exp(v[j]))),
        (some(j >= 1, j), some(j >= 1, j - 1)),
        (some(j < 1, exp(v[j])) + some(j >= 1), some(j < 1, exp(v[j])) * some(j >= 2)),
        (some(j >= 1, some(k < j, 1, (k, 0, N - 1))), some(j < 1, some(k < j, 1, (k, 0, N - 1)))),
        (some(Eq(j, n), exp(v[j])), some(Eq(j, n + 1), exp(v[j]))),
        (some(Eq(label[j], label[n])), some(Eq(label[j], label[n]), 1, (j, 0, Min(N - 1, FAR)))),
        (counted(Eq(label[j], label[n])), earlier(n - 1)),
        (Max(1, counted(v[j] > 0)), counted(v[j] > 0)),
    ],
)
def test_a_sum_is_above_0_where_some_place_has_its_guards(right, wrong):
    for divisor, is_right in ((right, True), (wrong, False)):
        forward = Eq(array("u", N)[n], v[n] / divisor)
        op = Op("divided", requires=(N >= 2, C >= 1), forward=forward)
        assert is_proved(op, "forward: divisors and logarithms") == is_right


# What is refused, with what to write.


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"forward": (largest.forwards[0], Eq(at[r], x[r, 0]))}, "at is of integers, and x"),
        ({"forward": (largest.forwards[0], scatter(at[r], 1, rows))}, "forward"),
        ({"jvp": (largest.jvp, Eq(tangent(at)[r], 0))}, "no tangent and no cotangent"),
        ({"vjp": (*largest.vjp, Eq(cotangent(at)[r], 0))}, "no tangent and no cotangent"),
        ({"vjp": scatter(x_bar[r, at[r]], cotangent(at)[r], rows)}, "may not be read here"),
        (
            {"forward": (largest.forwards[0], Eq(at[r], place + 0 * zero_padded(at)[r - 1]))},
            "from itself",
        ),
    ],
)
def test_what_is_no_integer_is_refused(parts, said):
    with pytest.raises(DefinitionError, match=said):
        replace(largest, **parts)


def test_the_sum_over_places_is_no_place():
    """A sum of brackets is a real; as an index it is refused, as a factor it is the place."""
    with pytest.raises(DefinitionError, match="not an integer"):
        replace(largest, vjp=scatter(x_bar[r, Sum(bracket(m > 0), row)], y_bar[r], rows))


def test_integers_are_evaluated_as_such():
    halves = integer_array("half", R, below=M + 1)
    op = Op(
        "halves", requires=(M >= 1,), forward=(Eq(at[r], place), Eq(halves[r], floor_div(at[r], 2)))
    )
    claim = Claim("no more", ForAll(2 * halves[r] <= at[r], rows))
    assert failing(op.claiming(claim)) == set()
    half = Claim("as it is", ForAll(2 * halves[r] >= at[r], rows))
    assert status(op.claiming(half), "as it is") == "refuted"


def test_a_slope_in_a_claim_sees_the_place():
    claim = Claim("one", ForAll(Eq(derivative(y[r], x[r, m]), bracket(Eq(at[r], m))), rows, row))
    assert status(largest.claiming(claim), "one") != "refuted"
