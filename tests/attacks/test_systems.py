"""Intermediates, several outputs, recurrences: each attack has a right neighbour."""

from dataclasses import replace

import pytest
from quick import quick

from gradproof.language import (
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    argmax,
    array,
    bracket,
    cotangent,
    exp,
    fold,
    integers,
    log,
    maximum,
    reals,
    tangent,
    zero_padded,
)
from gradproof.language.terms import DefinitionError
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

T, t, i = integers("T t i")
s = reals("s")
a, b, x, h, u, y = (array(name, T) for name in ("a", "b", "x", "h", "u", "y"))
x_bar, y_bar, u_bar, h_bar = map(cotangent, (x, y, u, h))
h_all, y_all = cotangent(h, "all"), cotangent(y, "all")
before, after = zero_padded(h)[t - 1], zero_padded(h_all)[t + 1]


def found(op):
    return {th.name: settled(th, RLIMIT).status for th in obligations(op)}


def all_proved(op):
    return {name: status for name, status in found(op).items() if status != "proved"} == {}


# Recurrences.

scan = Op(
    "scan",
    forward=Eq(h[t], a[t] * before + x[t]),
    jvp=Eq(
        tangent(h)[t],
        tangent(a)[t] * before + a[t] * zero_padded(tangent(h))[t - 1] + tangent(x)[t],
    ),
    vjp=(
        Eq(h_all[t], h_bar[t] + zero_padded(a)[t + 1] * after),
        Eq(x_bar[t], h_all[t]),
        Eq(cotangent(a)[t], h_all[t] * before),
    ),
)


def test_a_linear_scan_is_proved_for_every_length():
    assert all_proved(scan)
    assert all_proved(replace(scan, vjp=()))
    assert all_proved(replace(scan, jvp=()))


@pytest.mark.parametrize(
    ("number", "wrong"),
    [
        (0, Eq(h_all[t], h_bar[t] + a[t] * after)),  # the coefficient of another step
        (0, Eq(h_all[t], h_bar[t])),  # no step back
        (0, Eq(h_all[t], zero_padded(a)[t + 1] * after)),  # what is given forgotten
        (1, Eq(x_bar[t], h_bar[t])),  # of what is given alone
        (2, Eq(cotangent(a)[t], h_all[t] * h[t])),  # the state after the step
    ],
)
def test_a_scan_with_a_slip_is_refuted(number, wrong):
    rules = (*scan.vjp[:number], wrong, *scan.vjp[number + 1 :])
    assert "refuted" in found(replace(scan, vjp=rules)).values()


def test_a_tangent_that_forgets_the_step_before_is_refuted():
    """No rule reads h_dot, and h cannot be written out instead: that has no end."""
    forgotten = tangent(a)[t] * before + tangent(x)[t]
    assert found(replace(scan, jvp=Eq(tangent(h)[t], forgotten)))["jvp by x"] == "refuted"


def test_what_adds_to_a_cotangent_that_is_named_is_not_overlooked():
    """x_bar reads h_bar beside h_all: each alone is an entry, the sum is not."""
    twice = Eq(x_bar[t], h_all[t] + h_bar[t])
    assert found(replace(scan, vjp=(scan.vjp[0], twice, scan.vjp[2])))["vjp x_bar"] == "refuted"


def test_a_cotangent_that_is_named_in_a_single_equation_counts():
    """y_all is five times y_bar; an entry by y_bar alone would not see it."""
    plain = Op("plain", forward=Eq(y[t], x[t]), vjp=Eq(x_bar[t], y_bar[t]))
    assert all_proved(plain)
    hidden = (Eq(y_all[t], 5 * y_bar[t]), Eq(x_bar[t], y_bar[t] + y_all[t]))
    assert "vjp x_bar" in [
        n for n, s in found(replace(plain, vjp=hidden)).items() if s == "refuted"
    ]


# Order.


@pytest.mark.parametrize("place", [h[t], zero_padded(h)[t], zero_padded(h)[T - 1 - t]])
def test_a_cell_that_is_computed_from_itself_is_refuted(place):
    op = Op("circle", forward=Eq(h[t], place / 2 + x[t]))
    assert found(op)["forward: order"] == "refuted"


def test_two_arrays_that_read_each_other_at_one_place_are_refuted():
    op = Op("pair", let=(Eq(u[t], y[t] + x[t]),), forward=Eq(y[t], u[t] / 2))
    assert "refuted" in [s for n, s in found(op).items() if n.endswith("order")]


def test_a_circle_at_large_sizes_alone_is_not_proved():
    late = bracket(T >= 50)
    itself = Op("itself", forward=Eq(h[t], late * h[t] / 2 + x[t]))
    each = Op(
        "each",
        forward=(Eq(h[t], late * u[t] / 2 + before), Eq(u[t], h[t] + x[t])),
    )
    for op in (itself, each):
        assert [s for n, s in found(op).items() if n.endswith("order")] != ["proved"]


def test_rules_have_an_order_of_their_own():
    """That h_all is computed from itself is seen in no entry: its factor is 0."""
    circle = Eq(h_all[t], scan.vjp[0].args[1] + 0 * h_all[t])
    op = replace(scan, vjp=(circle, *scan.vjp[1:]))
    assert found(op).get("vjp h_bar_all: order") == "refuted"
    pushed = Eq(tangent(h)[t], scan.jvp.args[1] + 0 * tangent(h)[t])
    assert found(replace(scan, jvp=pushed)).get("jvp: order") == "refuted"


def test_states_that_step_at_once_are_in_order():
    p, q = array("p", T), array("q", T)
    last = [zero_padded(each)[t - 1] for each in (p, q)]
    op = Op("pair", forward=(Eq(p[t], last[0] - last[1] + x[t]), Eq(q[t], last[0] + last[1])))
    assert all_proved(op)
    one_after_the_other = (op.forward[0], Eq(q[t], p[t] + last[1]))
    assert all_proved(replace(op, forward=one_after_the_other))


def test_another_order_than_the_first_that_is_tried_is_not_refuted():
    """Along no single axis is every read earlier; as a whole there is an order."""
    s = integers("s")
    z, g = array("z", T, T), array("g", T, T)
    left = bracket(t < T - 1) * zero_padded(g)[t + 1, s - 1]
    op = Op("plane", forward=Eq(g[t, s], zero_padded(g)[t - 1, s] + z[t, s]))
    assert all_proved(op)
    slanted = replace(op, forward=Eq(g[t, s], left + zero_padded(g)[t - 1, s] + z[t, s]))
    assert found(slanted)["forward: order"] != "refuted"


# Intermediates.

square = Op(
    "square",
    let=(Eq(u[t], x[t] ** 2 + 1),),
    forward=Eq(y[t], log(u[t]) + u[t]),
    vjp=(Eq(u_bar[t], y_bar[t] / u[t] + y_bar[t]), Eq(x_bar[t], 2 * x[t] * u_bar[t])),
)


def test_values_of_intermediates_are_what_their_equations_say():
    """log(u) has a value, as u = x² + 1; of any u it has not."""
    assert all_proved(square)
    lower = replace(square, let=(Eq(u[t], x[t] ** 2 - 1),))
    assert found(lower)["forward: divisors and logarithms"] == "refuted"


def test_a_fused_rule_is_compared_with_all_that_it_leaves_out():
    fused = Eq(x_bar[t], 2 * x[t] * (y_bar[t] / u[t] + y_bar[t]))
    assert all_proved(replace(square, vjp=fused))
    unfolded = Eq(x_bar[t], 2 * x[t] * (y_bar[t] / (x[t] ** 2 + 1) + y_bar[t]))
    assert all_proved(replace(square, vjp=unfolded))
    wrong = Eq(x_bar[t], 2 * x[t] * (y_bar[t] / (x[t] ** 2) + y_bar[t]))
    assert "refuted" in found(replace(square, vjp=wrong)).values()


def test_one_of_two_uses_forgotten_is_refuted():
    for rule in (y_bar[t] / u[t], y_bar[t]):
        forgotten = replace(square, vjp=(Eq(u_bar[t], rule), square.vjp[1]))
        assert found(forgotten)["vjp x_bar"] == "refuted"


def test_a_rule_that_reads_the_wrong_saved_array_is_refuted():
    saved = Eq(x_bar[t], 2 * u[t] * u_bar[t])
    assert found(replace(square, vjp=(square.vjp[0], saved)))["vjp x_bar"] == "refuted"


def test_a_branch_between_intermediates_is_decided_by_what_they_are():
    """h[0] and h[1] are equal everywhere: nothing may be left out as a boundary."""
    two, one = array("two", 2), array("one", 1)
    i, c = integers("i c")
    total = If(two[0] > two[1], 5 * one[c], one[c])
    op = Op(
        "empty",
        let=(Eq(two[i], one[0]),),
        forward=Eq(array("z", 1)[c], total),
        vjp=Eq(cotangent(one)[c], cotangent(array("z", 1))[c]),
    )
    statuses = found(op)
    assert statuses["vjp one_bar"] == "proved"
    wrong = replace(op, vjp=Eq(cotangent(one)[c], 7 * cotangent(array("z", 1))[c]))
    assert found(wrong)["vjp one_bar"] == "refuted"


def test_ties_are_asked_through_intermediates():
    i = integers("i")
    most = array("most")
    op = Op(
        "most",
        requires=(T >= 1,),
        let=(Eq(u[t], x[t]),),
        forward=Eq(most[()], maximum(u[i], (i, 0, T - 1))),
        vjp=Eq(x_bar[t], cotangent(most)[()] * bracket(Eq(x[t], most[()]))),
    )
    statuses = found(op)
    assert "refuted" in [s for n, s in statuses.items() if "ties" in n]


# What counts at large sizes alone, where no search for a counterexample begins.

late = bracket(T >= 50)
y_once = 2 * x[t] * y_bar[t]


def unlike(**parts):
    """An op of x and y in which something is forgotten from T = 50 on."""
    return Op("late", **({"forward": Eq(y[t], x[t])} | parts))


LATE = {
    "the way through what has no name": unlike(
        let=(Eq(u[t], x[t] ** 2),),
        forward=Eq(y[t], late * u[t] + x[t]),
        jvp=Eq(tangent(y)[t], tangent(x)[t]),
        vjp=Eq(x_bar[t], y_bar[t]),
    ),
    "one of two uses": unlike(
        let=(Eq(u[t], x[t] ** 2),),
        forward=Eq(y[t], late * u[t] + u[t] * x[t]),
        jvp=(
            Eq(tangent(u)[t], 2 * x[t] * tangent(x)[t]),
            Eq(tangent(y)[t], tangent(u)[t] * x[t] + u[t] * tangent(x)[t]),
        ),
        vjp=(
            Eq(u_bar[t], x[t] * y_bar[t]),
            Eq(x_bar[t], 2 * x[t] * u_bar[t] + u[t] * y_bar[t]),
        ),
    ),
    "one of two outputs": unlike(
        forward=(Eq(y[t], x[t] ** 2), Eq(h[t], late * x[t])),
        jvp=(Eq(tangent(y)[t], 2 * x[t] * tangent(x)[t]), Eq(tangent(h)[t], 0 * tangent(x)[t])),
        vjp=Eq(x_bar[t], y_once),
    ),
    "what is given of an output that is read": unlike(
        forward=(Eq(h[t], x[t]), Eq(y[t], h[t] ** 2)),
        vjp=(
            Eq(h_all[t], (1 - late) * h_bar[t] + 2 * h[t] * y_bar[t]),
            Eq(x_bar[t], h_all[t]),
        ),
    ),
    "the step before": unlike(
        forward=Eq(h[t], late * zero_padded(h)[t - 1] + x[t]),
        jvp=Eq(tangent(h)[t], tangent(x)[t]),
        vjp=(Eq(h_all[t], h_bar[t]), Eq(x_bar[t], h_all[t])),
    ),
    "that a rule on the way is no line": unlike(
        let=(Eq(u[t], x[t] ** 2),),
        forward=Eq(y[t], u[t]),
        vjp=(Eq(u_bar[t], y_bar[t] + late), Eq(x_bar[t], 2 * x[t] * u_bar[t])),
    ),
}


@pytest.mark.parametrize("what", LATE)
def test_what_is_forgotten_at_large_sizes_alone_is_not_proved(what):
    op = LATE[what]
    statuses = found(op)
    assert "error" not in statuses.values()
    for kind in {name.split()[0] for name in statuses} & {"jvp", "vjp"}:
        assert {s for name, s in statuses.items() if name.startswith(kind)} != {"proved"}


far_on = bracket(t >= 50)
near = bracket(t < 50)
SAME = {
    "nothing but 0": near * x[t] >= 0,
    "a cell and itself": x[t] <= far_on * x[t] + near * (x[t] + 1),
    "what cancels": near * before + x[t] - x[t] >= 0,
}


@pytest.mark.parametrize("what", quick(SAME, ["a cell and itself"]))
def test_what_compares_one_value_is_no_boundary(what):
    """SOUNDNESS: from 50 on all points were left out, and any rule was proved of them."""
    chosen, slope = If(SAME[what], x[t], 2 * x[t]), If(SAME[what], 1, 2)
    op = Op(
        "late",
        forward=Eq(h[t], before + chosen),
        vjp=(Eq(h_all[t], h_bar[t] + after), Eq(x_bar[t], slope * h_all[t])),
    )
    assert all_proved(op)
    wrong = Eq(x_bar[t], (slope + 5 * far_on) * h_all[t])
    assert found(replace(op, vjp=(op.vjp[0], wrong)))["vjp x_bar"] not in ("proved", "error")


UNSAID = {
    "no polynomial": near * exp(x[t]) >= 0,
    "no polynomial, chosen": Max(near * exp(x[t]), near * x[t]) >= 0,
}


@pytest.mark.parametrize("what", UNSAID)
def test_of_what_cannot_be_said_to_part_nothing_is_proved(what):
    """SOUNDNESS: from 50 on it compares 0 with 0, though it is no polynomial."""
    chosen, slope = If(UNSAID[what], x[t], 2 * x[t]), If(UNSAID[what], 1, 2)
    op = Op(
        "late",
        forward=Eq(h[t], before + chosen),
        vjp=(
            Eq(h_all[t], h_bar[t] + after),
            Eq(x_bar[t], (slope + 5 * far_on) * h_all[t]),
        ),
    )
    assert found(op)["vjp x_bar"] not in ("proved", "error")


def test_a_boundary_that_cannot_be_written_down_is_no_hypothesis():
    """SOUNDNESS: of the place of a maximum nothing was said but that it is off its boundary."""
    e, far = integers("e"), array("far", Max(0, T - 50))
    top = argmax(x[i] * x[i], (i, 0, T - 1))
    op = Op(
        "late",
        requires=(T >= 1,),
        let=(Eq(far[e], x[top]),),
        forward=Eq(h[t], before + x[t] + zero_padded(far)[t]),
        vjp=(
            Eq(h_all[t], h_bar[t] + after),
            Eq(cotangent(far)[e], h_all[e]),
            Eq(x_bar[t], h_all[t] + 3 * Sum(cotangent(far)[e], (e, 0, T - 51))),
        ),
    )
    assert found(op)["vjp x_bar"] not in ("proved", "error")


def test_a_clamp_parts_by_what_it_chooses():
    def inside(at):
        return bracket(zero_padded(h)[at] > -1) * bracket(zero_padded(h)[at] < 1)

    op = Op(
        "clamped",
        forward=Eq(h[t], Min(Max(before + x[t], -1), 1)),
        vjp=(
            Eq(h_all[t], h_bar[t] + inside(t + 1) * after),
            Eq(x_bar[t], inside(t) * h_all[t]),
        ),
    )
    assert all_proved(op)
    wrong = Eq(x_bar[t], (inside(t) + far_on) * h_all[t])
    assert found(replace(op, vjp=(op.vjp[0], wrong)))["vjp x_bar"] not in ("proved", "error")


@pytest.mark.parametrize(
    ("step", "slope", "wrong"),
    [
        (Max(before, 0), bracket(h[t] > 0), bracket(h[t] < 0)),
        (abs(before), If(h[t] > 0, 1, -1), If(h[t] < 0, 1, -1)),
        (abs(before), If(h[t] >= 0, 1, -1), 1),
    ],
)
def test_what_is_read_before_the_first_step_is_no_boundary(step, slope, wrong):
    """max(0, 0) at the first step, which is on its boundary at every point, if that is one."""
    op = Op(
        "clipped",
        forward=Eq(h[t], step + x[t]),
        vjp=(Eq(h_all[t], h_bar[t] + slope * after), Eq(x_bar[t], h_all[t])),
    )
    assert all_proved(op)
    slip = Eq(h_all[t], h_bar[t] + wrong * after)
    assert found(replace(op, vjp=(slip, op.vjp[1])))["vjp x_bar"] == "refuted"


# Several outputs.


def test_every_output_counts():
    p, q = array("p", T), array("q", T)
    p_bar, q_bar = cotangent(p), cotangent(q)
    op = Op(
        "both",
        forward=(Eq(p[t], x[t] ** 2), Eq(q[t], p[t] * x[t])),
        jvp=(
            Eq(tangent(p)[t], 2 * x[t] * tangent(x)[t]),
            Eq(tangent(q)[t], tangent(p)[t] * x[t] + p[t] * tangent(x)[t]),
        ),
        vjp=Eq(x_bar[t], 2 * x[t] * p_bar[t] + 3 * p[t] * q_bar[t]),
    )
    assert all_proved(op)
    lost = replace(op, vjp=Eq(x_bar[t], 3 * p[t] * q_bar[t]))
    assert found(lost)["vjp x_bar"] == "refuted"
    direct = replace(op, jvp=(op.jvp[0], Eq(tangent(q)[t], p[t] * tangent(x)[t])))
    assert found(direct)["jvp by x"] == "refuted"


# What is refused.


REFUSED = {
    "two equations for u": lambda: replace(square, let=(*square.let, Eq(u[t], x[t]))),
    "h is read by nothing": lambda: replace(square, let=(*square.let, Eq(h[t], x[t]))),
    "h_bar": lambda: replace(square, vjp=Eq(x_bar[t], h_bar[t])),
    "is given": lambda: replace(square, vjp=(Eq(y_bar[t], x[t]), Eq(x_bar[t], y_bar[t]))),
    "reads itself": lambda: replace(scan, vjp=scan.vjp[1:]),
    "no rule for y_dot": lambda: replace(square, jvp=Eq(tangent(u)[t], 2 * tangent(x)[t])),
    "chooses in a recurrence": lambda: replace(
        scan, forward=Eq(h[t], before + fold(s, (i, 0, t), s=(s, 0, s + x[i] * a[i])))
    ),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_no_system_is_refused(said):
    with pytest.raises(DefinitionError, match=said):
        REFUSED[said]()
