"""Recurrences that read their own values, or branch on them: each attack has a right neighbour."""

from dataclasses import replace

import pytest

from gradproof.graphs import Graph
from gradproof.language import (
    And,
    Eq,
    If,
    Max,
    Min,
    Ne,
    Op,
    Or,
    Sum,
    array,
    bracket,
    cotangent,
    function,
    integers,
    maximum,
    reals,
    tangent,
    tanh,
    zero_padded,
)
from gradproof.prove.records import recorded, replayed
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.asking import seeker
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

T, N, t, n, m = integers("T N t n m")
a, x, y = (array(name, T) for name in ("a", "x", "y"))
x_bar, a_bar, y_bar, y_all = (*map(cotangent, (x, a, y)), cotangent(y, "all"))
before, after = zero_padded(y)[t - 1], zero_padded(y_all)[t + 1]
AT_STEPS = "all sizes, where no step compares equals"


def found(op):
    return {th.name: settled(th, RLIMIT) for th in obligations(op)}


def statuses(op):
    return {name: finding.status for name, finding in found(op).items()}


def all_proved(op):
    return set(statuses(op).values()) == {"proved"}


def with_rule(op, number, rule):
    return replace(op, vjp=(*op.vjp[:number], rule, *op.vjp[number + 1 :]))


# Own values.

squashed = Op(
    "squashed",
    requires=(T >= 1,),
    forward=Eq(y[t], tanh(a[t] * before + x[t])),
    jvp=Eq(
        tangent(y)[t],
        (1 - y[t] ** 2)
        * (tangent(a)[t] * before + a[t] * zero_padded(tangent(y))[t - 1] + tangent(x)[t]),
    ),
    vjp=(
        Eq(
            y_all[t],
            y_bar[t] + zero_padded(a)[t + 1] * after * (1 - zero_padded(y)[t + 1] ** 2),
        ),
        Eq(x_bar[t], y_all[t] * (1 - y[t] ** 2)),
        Eq(a_bar[t], y_all[t] * (1 - y[t] ** 2) * before),
    ),
)


def test_a_rule_reads_what_its_recurrence_computed():
    assert all_proved(squashed)


@pytest.mark.parametrize(
    ("number", "wrong"),
    [
        (0, Eq(y_all[t], y_bar[t] + zero_padded(a)[t + 1] * after * (1 - y[t] ** 2))),
        (1, Eq(x_bar[t], y_all[t] * (1 - before**2))),
        (2, Eq(a_bar[t], y_all[t] * (1 - y[t] ** 2) * y[t])),
    ],
)
def test_the_value_of_another_step_is_refuted(number, wrong):
    assert "refuted" in statuses(with_rule(squashed, number, wrong)).values()


L, b, z = array("L", N, N), array("b", N), array("z", N)
z_all = cotangent(z, "all")
solve = Op(
    "solve",
    requires=(N >= 1, ~Eq(L[n, n], 0)),
    forward=Eq(z[n], (b[n] - Sum(L[n, m] * z[m], (m, 0, n - 1))) / L[n, n]),
    vjp=(
        Eq(z_all[n], cotangent(z)[n] - Sum(L[m, n] * z_all[m] / L[m, m], (m, n + 1, N - 1))),
        Eq(cotangent(b)[n], z_all[n] / L[n, n]),
        Eq(cotangent(L)[n, m], -z_all[n] / L[n, n] * z[m] * bracket(m <= n)),
    ),
)


def test_a_triangular_solve_has_both_gradients_from_its_solution():
    """On the diagonal the solution stands for what it is computed from, elsewhere for itself."""
    assert all_proved(solve)
    for value in (z[n], z[m] * bracket(m < n)):
        wrong = Eq(cotangent(L)[n, m], -z_all[n] / L[n, n] * value * bracket(m <= n))
        assert statuses(with_rule(solve, 2, wrong))["vjp L_bar"] == "refuted"


def proofs(op):
    """What the first route alone has proofs of."""
    wanted = (th for th in obligations(op) if th.kind in ("jvp", "vjp"))
    return {th.name for th in wanted if prove(th, False, RLIMIT).proof is not None}


def test_no_step_of_a_wrong_rule_has_a_proof():
    """Also where no counterexample is looked for."""
    for value in (before, y[0]):
        other = Eq(x_bar[t], y_all[t] * (1 - value**2))
        assert "vjp x_bar" not in proofs(with_rule(squashed, 1, other))
    of_another = Eq(cotangent(L)[n, m], -z_all[n] / L[n, n] * z[n] * bracket(m <= n))
    assert "vjp L_bar" not in proofs(with_rule(solve, 2, of_another))


def test_what_is_given_of_a_recurrence_is_an_entry():
    lost = Eq(y_all[t], 2 * y_bar[t] + zero_padded(a)[t + 1] * after)
    rule = Eq(a_bar[t], y_all[t] * before)
    plain = Op(
        "plain",
        forward=Eq(y[t], a[t] * before + x[t]),
        vjp=(lost, Eq(x_bar[t], y_all[t]), rule),
    )
    right = Eq(y_all[t], y_bar[t] + zero_padded(a)[t + 1] * after)
    assert proofs(plain) == set()
    assert proofs(with_rule(plain, 0, right)) == {"vjp x_bar", "vjp a_bar"}


def test_what_goes_through_an_array_that_no_rule_names_is_an_entry():
    u = array("u", T)
    op = Op(
        "through",
        let=(Eq(u[t], x[t] ** 2),),
        forward=Eq(y[t], before + u[t] * x[t]),
        vjp=(Eq(y_all[t], y_bar[t] + after), Eq(x_bar[t], 3 * u[t] * y_all[t])),
    )
    assert proofs(op) == {"vjp x_bar"}
    assert proofs(with_rule(op, 1, Eq(x_bar[t], u[t] * y_all[t]))) == set()


# Branches.

largest = Op(
    "largest",
    requires=(T >= 1,),
    forward=Eq(y[t], If(t > 0, Max(before, x[t]), x[t])),
    jvp=Eq(
        tangent(y)[t],
        If((t > 0) & (before >= x[t]), zero_padded(tangent(y))[t - 1], tangent(x)[t]),
    ),
    vjp=(
        Eq(y_all[t], y_bar[t] + If((t + 1 < T) & (y[t] >= zero_padded(x)[t + 1]), after, 0)),
        Eq(x_bar[t], If(Eq(t, 0) | (x[t] > before), y_all[t], 0)),
    ),
)
by_value = replace(
    largest,
    jvp=(),
    vjp=(
        Eq(y_all[t], y_bar[t] + If(Eq(y[t], zero_padded(y)[t + 1]), after, 0)),
        Eq(x_bar[t], If(Eq(x[t], y[t]), y_all[t], 0)),
    ),
)
kept = If(before > 1, 0, before)
resets = Op(
    "resets",
    requires=(T >= 1,),
    forward=Eq(y[t], kept + x[t]),
    jvp=Eq(tangent(y)[t], If(before > 1, 0, zero_padded(tangent(y))[t - 1]) + tangent(x)[t]),
    vjp=(Eq(y_all[t], y_bar[t] + If(y[t] > 1, 0, after)), Eq(x_bar[t], y_all[t])),
)
low, high = reals("low high")
inner = (low < y[t]) & (y[t] < high)
later = zero_padded(y)[t + 1]
inner_later = (low < later) & (later < high)
clamped = Op(
    "clamped",
    requires=(T >= 1, low < high),
    forward=Eq(y[t], Min(Max(a[t] * before + x[t], low), high)),
    vjp=(
        Eq(y_all[t], y_bar[t] + If(inner_later, zero_padded(a)[t + 1] * after, 0)),
        Eq(x_bar[t], If(inner, y_all[t], 0)),
        Eq(a_bar[t], If(inner, y_all[t] * before, 0)),
    ),
)


@pytest.mark.parametrize("op", [largest, by_value, resets, clamped], ids=lambda op: op.name)
def test_a_recurrence_that_branches_is_proved_where_no_step_compares_equals(op):
    findings = found(op)
    at_ties = [name for name in findings if name.endswith("where branches meet")]
    open_ones = {name for name, f in findings.items() if f.status != "proved"}
    assert open_ones == set(at_ties if op is by_value else ())  # it counts a tie twice
    compared = findings.keys() - set(at_ties)
    derived = [findings[name].scope for name in compared if name.startswith(("vjp", "jvp by"))]
    assert [s for s in derived if s not in (AT_STEPS, "all sizes")] == []
    assert AT_STEPS in derived


@pytest.mark.parametrize(
    ("op", "number", "wrong"),
    [
        (largest, 0, Eq(y_all[t], y_bar[t] + after)),
        (largest, 0, Eq(y_all[t], y_bar[t])),
        (largest, 0, Eq(y_all[t], y_bar[t] + If(x[t] >= zero_padded(x)[t + 1], after, 0))),
        (largest, 1, Eq(x_bar[t], If(x[t] > 0, y_all[t], 0))),
        (by_value, 1, Eq(x_bar[t], If(Eq(x[t], y[0]), y_all[t], 0))),
        (resets, 0, Eq(y_all[t], y_bar[t] + If(x[t] >= 1, 0, after))),
        (resets, 0, Eq(y_all[t], y_bar[t] + after)),
        (clamped, 1, Eq(x_bar[t], y_all[t])),
        (clamped, 0, Eq(y_all[t], y_bar[t] + If(inner, zero_padded(a)[t + 1] * after, 0))),
    ],
)
def test_a_branch_taken_by_the_wrong_value_is_refuted(op, number, wrong):
    assert "refuted" in statuses(with_rule(op, number, wrong)).values()


def test_steps_that_tie_wherever_they_are_tried_are_not_proved():
    """The first two steps are equal for every x: what a rule does there would be ticked off."""
    other = If(Eq(t, 1), x[0], x[t])
    second = zero_padded(y_all)[1]
    op = Op(
        "tied",
        requires=(T >= 1,),
        forward=Eq(y[t], If(t > 0, Max(before, other), x[t])),
        vjp=(
            Eq(
                y_all[t],
                y_bar[t]
                + If((t + 1 < T) & (y[t] >= If(Eq(t, 0), x[0], zero_padded(x)[t + 1])), after, 0),
            ),
            Eq(
                x_bar[n],
                If(
                    Eq(n, 0),
                    y_all[0] + If(y[0] < x[0], second, 5 * second * bracket(Eq(y[0], x[0]))),
                    If((n > 1) & (x[n] > zero_padded(y)[n - 1]), y_all[n], 0),
                ),
            ),
        ),
    )
    assert statuses(op)["vjp x_bar"] not in ("proved", "error")


def test_what_turns_only_as_cells_move_together_is_left_out():
    """At x = 0 neither u nor v alone turns u·v > 0, and both together may."""
    u, v = array("u", T), array("v", T)
    op = Op(
        "together",
        requires=(T >= 1,),
        let=(Eq(u[t], x[t]), Eq(v[t], -x[t])),
        forward=Eq(y[t], If(u[t] * v[t] > 0, x[t], 2 * x[t]) + before),
        vjp=(Eq(y_all[t], y_bar[t] + after), Eq(x_bar[t], 2 * y_all[t])),
    )
    assert found(op)["vjp x_bar"].scope == AT_STEPS
    assert statuses(with_rule(op, 1, Eq(x_bar[t], y_all[t])))["vjp x_bar"] == "refuted"


def test_what_branches_by_another_input_has_no_boundary():
    """Where a > 0 turns says nothing of the derivative by x."""
    op = Op(
        "gated",
        requires=(T >= 1,),
        constants=(a,),
        forward=Eq(y[t], If(a[t] > 0, before, 0) + x[t]),
        vjp=(
            Eq(y_all[t], y_bar[t] + If(zero_padded(a)[t + 1] > 0, after, 0)),
            Eq(x_bar[t], y_all[t]),
        ),
    )
    assert found(op)["vjp x_bar"].scope == "all sizes"
    turned = Eq(y_all[t], y_bar[t] + If(zero_padded(a)[t + 1] >= 0, after, 0))
    assert statuses(with_rule(op, 0, turned))["vjp x_bar"] == "refuted"


def test_a_maximum_within_a_step_has_one_winner():
    W, e, g = array("W", N, N), array("e", T, N), array("g", T, N)
    reached = W[n, m] + zero_padded(g)[t - 1, m]
    op = Op(
        "best",
        requires=(T >= 1, N >= 1),
        constants=(W,),
        forward=Eq(g[t, n], e[t, n] + maximum(reached, (m, 0, N - 1))),
    )
    assert all_proved(op)


# Graphs.


def picked(turn_of, at_ties=(0, 1)):
    """A turn with an op whose rule has some weights on its boundary, applied to a state."""
    of_u, of_v = at_ties
    u, v, w = (array(name, N) for name in ("u", "v", "w"))
    by_u = If(u[n] > v[n], 5, If(Eq(u[n], v[n]), of_u, 0))
    by_v = If(u[n] > v[n], 0, If(Eq(u[n], v[n]), of_v, 1))
    pick = Op(
        "pick",
        requires=(N >= 1,),
        forward=Eq(w[n], If(u[n] > v[n], 5 * u[n], v[n])),
        vjp=(
            Eq(cotangent(u)[n], by_u * cotangent(w)[n]),
            Eq(cotangent(v)[n], by_v * cotangent(w)[n]),
        ),
        jvp=Eq(tangent(w)[n], by_u * tangent(u)[n] + by_v * tangent(v)[n]),
    )
    g = Graph("turn")
    g.assume(N >= 1)
    h, given = g.input("h", N), g.input("given", N)
    first, second = turn_of(g, h, given)
    along = g.scan("along", T, {h: g.output(g.add(g.apply(pick, u=first, v=second), given))})
    whole = Graph("whole")
    whole.assume(T >= 1, N >= 1)
    start, every = whole.input("start", N), whole.input("every", T, N)
    whole.output(whole.apply(along, h_first=start, given=every))
    return {v.name: v for v in whole.verify().verdicts}


def test_a_turn_may_branch_on_its_state_but_not_tie_everywhere():
    right = picked(lambda g, h, given: (h, given))
    assert (right["vjp"].status, right["vjp"].scope) == ("proved", "all sizes, off the boundary")
    tied = picked(lambda g, h, given: (h, h))
    assert tied["vjp"].status == tied["jvp"].status == "unknown"
    assert "no branch of along_1 turns" in tied["vjp"].note
    wrong = picked(lambda g, h, given: (h, given), at_ties=(77, 0))
    assert wrong["vjp"].status == wrong["jvp"].status == "unknown"
    assert "where branches meet: refuted" in wrong["vjp"].note


def test_a_proof_by_the_value_of_a_cell_can_be_made_again_from_its_record():
    for op, name in ((squashed, "vjp x_bar"), (squashed, "jvp by x"), (by_value, "vjp x_bar")):
        wanted = next(th for th in obligations(op) if th.name == name)
        proof = prove(wanted, False, RLIMIT).proof
        record = recorded(wanted, proof, seeker(RLIMIT))
        assert "by_value_at" in {step["rule"] for step in record["steps"]}
        assert replayed(wanted, record).rule == proof.rule


def test_equals_that_a_step_compares_at_most_points_are_not_left_out():
    """Where x is below the running maximum, the second equation compares it with itself."""
    m, m_dot, x_dot, y_dot = array("m", T), tangent(array("m", T)), tangent(x), tangent(y)
    last = zero_padded(m)[t - 1]
    op = Op(
        "compares_equals",
        requires=(T >= 1,),
        let=(Eq(m[t], Max(last, x[t])),),
        forward=Eq(y[t], If(m[t] > last, m[t], 3 * m[t])),
        jvp=(
            Eq(m_dot[t], If(x[t] > last, x_dot[t], zero_padded(m_dot)[t - 1])),
            Eq(y_dot[t], m_dot[t] * If(m[t] > last, 1, If(Eq(m[t], last), 4, 3))),
        ),
    )
    finding = found(op)["jvp by x"]
    assert finding.status == "unknown"
    assert "at values that lie anyhow" in finding.note


def two_steps(state, moved, requires=()):
    """A state, and an output that compares it with the one before; its rule is wrong at a tie."""
    m, m_dot, x_dot, y_dot = array("m", T), tangent(array("m", T)), tangent(x), tangent(y)
    last, last_dot = zero_padded(m)[t - 1], zero_padded(m_dot)[t - 1]
    return Op(
        "two_steps",
        requires=(T >= 1, *requires),
        let=(Eq(m[t], state(last)),),
        forward=Eq(y[t], If(m[t] > last, m[t], 3 * m[t]) + x[t]),
        jvp=(
            Eq(m_dot[t], moved(last, last_dot, x_dot)),
            Eq(y_dot[t], m_dot[t] * If(m[t] > last, 1, 3) + If(Eq(m[t], last), 8, 1) * x_dot[t]),
        ),
    )


def through(where):
    """The state stays where a condition holds, and is added to elsewhere."""
    return (
        lambda last: last + If(where(last), 0, x[t]),
        lambda last, last_dot, x_dot: last_dot + If(where(last), 0, x_dot[t]),
    )


def in_order(_):
    return And(*(zero_padded(x)[t - k] > zero_padded(x)[t - k - 1] for k in range(5)))


@pytest.mark.parametrize(
    "where",
    [lambda _: x[t] > 20, lambda m: m < -1000, lambda _: t >= 50, lambda _: T >= 50, in_order],
    ids=["large", "far", "late", "long", "rare"],
)
def test_equals_that_a_step_compares_in_a_region_are_not_left_out(where):
    """SOUNDNESS: two points at a few shapes were tried, none of them there, and it was proved."""
    assert statuses(two_steps(*through(where)))["jvp by x"] == "unknown"


def test_equals_that_a_step_compares_at_single_points_are_left_out():
    finding = found(two_steps(*through(lambda _: Or())))["jvp by x"]
    assert (finding.status, finding.scope) == ("proved", AT_STEPS)


late = If(t < 50, 0, x[t])
at_0 = function("at_0", derivative=lambda u: 0 * u, value=lambda u: bracket(Eq(u, 0)))
squared = function("squared", derivative=lambda u: 2 * u, value=lambda u: u * u)
zeros = Sum(bracket(Eq(If(n < 50, 0, x[n]), 0)), (n, 0, T - 1))


@pytest.mark.parametrize(
    ("required", "status"),
    [
        (Eq(late, 0), "unknown"),
        (bracket(Eq(late, 0)) > 0, "unknown"),
        (If(Eq(late, 0), 0, 1) < 1, "unknown"),
        (zeros > T - 1, "unknown"),
        (at_0(late) > 0, "unknown"),
        (late < 1, "proved"),
        (squared(late) < 1, "proved"),
        (abs(late) < 1, "proved"),
    ],
    ids=str,
)
def test_steps_that_are_required_to_compare_equals_are_not_left_out(required, status):
    """SOUNDNESS: from the fiftieth step on x is 0, so that the state stays as it is.

    Where what is compared jumps, a strict comparison says this too.
    """
    op = two_steps(*through(lambda _: Or()), requires=(required,))
    assert statuses(op)["jvp by x"] == status


@pytest.mark.parametrize(("required", "status"), [(Eq(late, 0), "unknown"), (late < 1, "proved")])
def test_what_is_required_may_be_said_like_a_boundary(required, status):
    """SOUNDNESS: of what is required of values the last was taken for a boundary."""
    s, c, u, m = array("s"), array("c"), array("u"), array("m", T)
    m_dot, u_dot, last = tangent(m), tangent(u), zero_padded(m)[t - 1]
    moved = zero_padded(m_dot)[t - 1] + tangent(x)[t] * u[()] + x[t] * u_dot[()]
    op = Op(
        "like_a_boundary",
        requires=(T >= 1, Ne(s[()], c[()]), required),
        constants=(c,),
        let=(
            Eq(u[()], If(s[()] > c[()], s[()], 3 * s[()])),
            Eq(m[t], last + x[t] * u[()]),
        ),
        forward=Eq(y[t], If(m[t] > last, m[t], 3 * m[t]) + x[t]),
        jvp=(
            Eq(u_dot[()], If(s[()] > c[()], 1, 3) * tangent(s)[()]),
            Eq(m_dot[t], moved),
            Eq(
                tangent(y)[t],
                m_dot[t] * If(m[t] > last, 1, 3) + If(Eq(m[t], last), 8, 1) * tangent(x)[t],
            ),
        ),
    )
    assert statuses(op)["jvp by s"] == status
