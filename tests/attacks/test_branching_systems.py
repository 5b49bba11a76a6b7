"""Systems that branch are proved equation by equation, on boundaries too: right, and near by.

What two arrays that are the input compare is equal at every point, and nothing is a boundary. A
rule that is wrong at such ties alone, or from a size on at which no search begins, is not proved.
"""

from dataclasses import replace

import pytest

from gradproof.evaluate.bounded import Limit, survey
from gradproof.evaluate.shapes import ascending
from gradproof.language import (
    And,
    Eq,
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
    exp,
    integers,
    log,
    maximum,
    tangent,
    terms,
    zero_padded,
)
from gradproof.language.substitution import Fresh
from gradproof.prove.rules.derive import differentiate
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.proving import prove, prove_written_out
from gradproof.settle.check import settled
from gradproof.theorems.composition import Elimination, expanded
from gradproof.theorems.equations import inlined
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Sequent, Theorem

T, D, t, i, j = integers("T D t i j")
u, v, x, y, w = (array(name, T) for name in "uvxyw")
x_bar, y_bar, u_bar, v_bar, w_bar = map(cotangent, (x, y, u, v, w))
far_on = bracket(t >= 50)


def theorem(op, name):
    return next(th for th in obligations(op) if th.name == name)


def status(op, name="vjp x_bar"):
    return settled(theorem(op, name), RLIMIT).status


def has_proof(op, name="vjp x_bar"):
    """Equation by equation or written out, whatever a search may find."""
    wanted = theorem(op, name)
    return any(p(wanted, False, RLIMIT).proof is not None for p in (prove, prove_written_out))


def of(value, *rules, let):
    return Op("chosen", requires=(T >= 1,), let=let, forward=Eq(y[t], value), vjp=rules)


def through(let, value, u_slope, x_slope):
    """One array on the way: what is said of it, and what of the input."""
    rules = Eq(u_bar[t], u_slope * y_bar[t]), Eq(x_bar[t], x_slope * u_bar[t])
    return of(value, *rules, let=(Eq(u[t], let),))


def both(value, u_slope, v_slope):
    """u and v are the input, so that they tie at every point, as x does with itself."""
    rules = Eq(u_bar[t], u_slope * y_bar[t]), Eq(v_bar[t], v_slope * y_bar[t])
    together = Eq(x_bar[t], u_bar[t] + v_bar[t])
    return of(value, *rules, together, let=(Eq(u[t], x[t]), Eq(v[t], x[t])))


square = x[t] ** 2 - 4
SLOPES = {
    "relu": (square, Max(u[t], 0), bracket(u[t] > 0), bracket(x[t] > 0)),
    "relu without its mask": (square, Max(u[t], 0), bracket(u[t] > 0), 1),
    "relu reversed": (square, Max(u[t], 0), bracket(u[t] > 0), bracket(u[t] < 0)),
    "relu of another cell": (
        square,
        Max(u[t], 0),
        bracket(u[t] > 0),
        bracket(u[T - 1 - t] > 0),
    ),
    "magnitude": (square, abs(u[t]), If(u[t] > 0, 1, -1), If(x[t] > 0, 1, -1)),
    "clip": (
        square,
        Min(Max(u[t], -1), 1),
        bracket(And(u[t] > -1, u[t] < 1)),
        bracket(And(x[t] > -1, x[t] < 1)),
    ),
    "clip below alone": (
        square,
        Min(Max(u[t], -1), 1),
        bracket(And(u[t] > -1, u[t] < 1)),
        bracket(u[t] > -1),
    ),
    "either side": (
        square,
        If(Or(u[t] > 1, u[t] < -1), u[t], 3 * u[t]),
        If(Or(u[t] > 1, u[t] < -1), 1, 3),
        If(u[t] > 1, 1, 3),
    ),
    "neither side": (
        square,
        If(Not(Or(u[t] > 1, u[t] < -1)), u[t], 3 * u[t]),
        If(Or(u[t] > 1, u[t] < -1), 3, 1),
        If(Or(u[t] > 1, u[t] < -1), 1, 3),
    ),
    "guarded logarithm": (
        square,
        If(u[t] > 1, log(u[t]), 0),
        If(u[t] > 1, 1 / u[t], 0),
        If(u[t] > 1, u[t], 0),
    ),
    "gated": (
        square,
        bracket(u[t] > 1) * u[t] ** 2,
        2 * u[t] * bracket(u[t] > 1),
        2 * u[t],
    ),
}


@pytest.mark.parametrize("what", SLOPES)
def test_a_branch_on_what_is_computed(what):
    let, value, slope, wrong = SLOPES[what]
    right = through(let, value, slope, 2 * x[t])
    assert status(right) == "proved"
    late = through(let, value, If(t >= 50, wrong, slope), 2 * x[t])
    assert not has_proof(late)


TIES = {
    "above": (If(u[t] > v[t], 5 * u[t], 3 * v[t]), 0, 3),
    "at least": (If(u[t] >= v[t], 5 * u[t], 3 * v[t]), 5, 0),
    "equal": (If(Eq(u[t], v[t]), 5 * u[t], 3 * v[t]), 5, 0),
    "unlike": (If(Ne(u[t], v[t]), 5 * u[t], 3 * v[t]), 0, 3),
    "larger": (Max(u[t], v[t]), bracket(u[t] >= v[t]), bracket(v[t] > u[t])),
    "smaller": (Min(u[t], v[t]), bracket(u[t] <= v[t]), bracket(v[t] < u[t])),
    "a product": (bracket(u[t] >= v[t]) * u[t] * v[t], v[t], u[t]),
    "apart": (abs(u[t] - v[t]) + u[t], 2, -1),
}
SLIPS = {
    "nothing at a tie": (bracket(u[t] > v[t]), bracket(v[t] > u[t])),
    "all at a tie": (bracket(u[t] >= v[t]), bracket(v[t] >= u[t])),
    "as apart": (If(u[t] > v[t], 5, 7), If(u[t] < v[t], 3, 7)),
}


@pytest.mark.parametrize("what", TIES)
def test_where_branches_meet_at_every_point_no_point_is_left_out(what):
    value, u_slope, v_slope = TIES[what]
    assert status(both(value, u_slope, v_slope)) == "proved"
    for u_slip, v_slip in SLIPS.values():
        late = [If(t >= 50, b, a) for a, b in ((u_slope, u_slip), (v_slope, v_slip))]
        if what == "a product":
            late = [If(t >= 50, b, a) for a, b in ((u_slope, 7), (v_slope, v_slip))]
        assert not has_proof(both(value, *late))


def test_a_rule_that_is_wrong_at_ties_alone_has_no_proof():
    """SOUNDNESS: an equation alone would have a boundary there, which leaves all points out."""
    value, v_slope = If(u[t] > v[t], 5 * u[t], 3 * v[t]), bracket(u[t] <= v[t]) * 3
    for at_ties in (77, 5):
        tied = bracket(Eq(u[t], v[t])) * far_on * at_ties
        assert not has_proof(both(value, If(u[t] > v[t], 5, tied), v_slope))
    assert status(both(value, If(u[t] > v[t], 5, 0), v_slope)) == "proved"


def test_a_gate_that_is_an_array_of_its_own_passes_nothing_on():
    """Its derivative is 0 though it counts in the product."""
    gate = Eq(v[t], If(u[t] > 0, 1, 0))

    def gated(leak):
        rules = (
            Eq(v_bar[t], u[t] * y_bar[t]),
            Eq(u_bar[t], v[t] * y_bar[t] + leak * v_bar[t]),
            Eq(x_bar[t], 2 * x[t] * u_bar[t]),
        )
        return of(u[t] * v[t], *rules, let=(Eq(u[t], square), gate))

    assert status(gated(0)) == "proved"
    assert not has_proof(gated(far_on))


def test_kinks_that_cancel_in_another_equation():
    """`max(u, 0) - max(-u, 0)` is u; the rule of one half is wrong from 50 on."""
    let = (Eq(u[t], Max(x[t], 0)), Eq(v[t], Max(-x[t], 0)))
    rules = (
        Eq(u_bar[t], y_bar[t]),
        Eq(v_bar[t], -y_bar[t]),
        Eq(x_bar[t], bracket(x[t] >= 0) * u_bar[t] - bracket(x[t] < 0) * v_bar[t]),
    )
    op = of(u[t] - v[t], *rules, let=let)
    assert status(op) == "proved"
    one = bracket(x[t] >= 0) * u_bar[t] - (1 - far_on) * bracket(x[t] < 0) * v_bar[t]
    assert not has_proof(replace(op, vjp=(*rules[:2], Eq(x_bar[t], one))))


def test_what_branches_on_the_way_and_has_no_name_is_followed():
    let = (Eq(w[t], Max(x[t], 0)), Eq(u[t], w[t] ** 2 + x[t]))
    rules = Eq(u_bar[t], y_bar[t] * exp(u[t])), Eq(x_bar[t], u_bar[t] * (2 * w[t] + 1))
    op = of(exp(u[t]), *rules, let=let)
    assert status(op) == "proved"
    forgotten = Eq(x_bar[t], u_bar[t] * (2 * w[t] * (1 - far_on) + 1))
    assert not has_proof(replace(op, vjp=(rules[0], forgotten)))


def test_a_step_aside_is_masked_where_it_is_read():
    before, after = zero_padded(u)[t - 1], zero_padded(y_bar)[t + 1]
    right = Eq(u_bar[t], bracket(u[t] > 0) * after)
    rules = right, Eq(x_bar[t], 2 * x[t] * u_bar[t])
    op = of(Max(before, 0), *rules, let=(Eq(u[t], square),))
    assert status(op) == "proved"
    for mask in (zero_padded(u)[t + 1] > 0, zero_padded(u)[t - 1] > 0):
        slip = Eq(u_bar[t], If(t >= 50, bracket(mask), bracket(u[t] > 0)) * after)
        assert not has_proof(replace(op, vjp=(slip, rules[1])))


x_2, w_1, h, a = array("x", D), array("w", D, T), array("h", T), array("a", T)
h_bar, a_bar = cotangent(h), cotangent(a)
net = Op(
    "net",
    let=(Eq(h[t], Sum(x_2[i] * w_1[i, t], (i, 0, D - 1))), Eq(a[t], Max(h[t], 0))),
    forward=Eq(y[t], Sum(a[j], (j, 0, t))),
    jvp=(
        Eq(
            tangent(h)[t],
            Sum(tangent(x_2)[i] * w_1[i, t] + x_2[i] * tangent(w_1)[i, t], (i, 0, D - 1)),
        ),
        Eq(tangent(a)[t], bracket(h[t] >= 0) * tangent(h)[t]),
        Eq(tangent(y)[t], Sum(tangent(a)[j], (j, 0, t))),
    ),
    vjp=(
        Eq(a_bar[t], Sum(y_bar[j], (j, t, T - 1))),
        Eq(h_bar[t], bracket(h[t] >= 0) * a_bar[t]),
        Eq(cotangent(x_2)[i], Sum(w_1[i, t] * h_bar[t], (t, 0, T - 1))),
        Eq(cotangent(w_1)[i, t], x_2[i] * h_bar[t]),
    ),
)


def test_a_layer_and_relu_are_proved_and_masks_of_another_value_are_not():
    for name in ("vjp x_bar", "vjp w_bar", "jvp by x"):
        assert status(net, name) == "proved"
    for mask in (a[t] >= 0, h[t] < 0, a[T - 1 - t] > 0, y[t] > 0):
        seen = If(t >= 50, bracket(mask), bracket(h[t] >= 0))
        late = replace(net, vjp=(net.vjp[0], Eq(h_bar[t], seen * a_bar[t]), *net.vjp[2:]))
        assert prove(theorem(late, "vjp x_bar"), False, RLIMIT).proof is None
        ahead = replace(net, jvp=(net.jvp[0], Eq(tangent(a)[t], seen * tangent(h)[t]), net.jvp[2]))
        assert prove(theorem(ahead, "jvp by x"), False, RLIMIT).proof is None


def test_no_equation_alone_proves_what_is_wrong_on_a_boundary():
    """Where all is written out the boundary is left out; of one equation nothing is."""
    on, off = (through(square, Max(u[t], 0), bracket(c), 2 * x[t]) for c in (u[t] >= 0, u[t] > 0))
    assert prove(theorem(on, "vjp x_bar"), False, RLIMIT).proof is not None
    assert prove(theorem(off, "vjp x_bar"), False, RLIMIT).proof is None
    assert status(off) == "proved"


def test_a_maximum_over_cells_is_asked_of_all_equations_at_once():
    most = array("most")
    op = Op(
        "most",
        requires=(T >= 1,),
        let=(Eq(u[t], 2 * x[t]),),
        forward=Eq(most[()], maximum(u[j], (j, 0, T - 1))),
        vjp=(
            Eq(u_bar[t], cotangent(most)[()] * bracket(Eq(u[t], most[()]))),
            Eq(x_bar[t], 2 * u_bar[t]),
        ),
    )
    assert not theorem(op, "vjp x_bar").local
    assert status(op) == "proved"


# The chain rule of branch derivatives: what the argument rests on, at small whole numbers.


def derived(term, fresh):
    """With every derivative derived, before any equation is put in place."""
    if isinstance(term, terms.Slope):
        return differentiate(term.args[0], term.cell.array, term.cell.index, fresh)
    return terms.over_parts(term, lambda part: derived(part, fresh))


FEW = Limit(3, 600)
STEPS = (
    lambda a, b: Max(a, b),
    lambda a, b: Min(a, b - 1),
    lambda a, b: abs(a - b),
    lambda a, b: If(a > b, a * b, 3 * a),
    lambda a, b: If(Eq(a, b), 5 * a, b - a),
    lambda a, b: If(Or(a >= 1, b < a), a, a * b),
    lambda a, b: bracket(Ne(a, b)) * a + bracket(a > 0) * b,
)


@pytest.mark.parametrize("first", range(len(STEPS)))
@pytest.mark.parametrize("last", range(len(STEPS)))
def test_branch_derivatives_obey_the_chain_rule_at_every_point(first, last):
    """Ties are most of the points: u and v are near x, and all are small whole numbers."""
    let = Eq(u[t], STEPS[first](x[t], zero_padded(x)[t - 1])), Eq(v[t], Max(x[t], u[t]))
    value = STEPS[last](u[t], v[t]) + STEPS[last](zero_padded(v)[t - 1], x[t])
    op = Op("pair", requires=(T >= 1,), let=let, forward=Eq(y[t], value))
    fresh = Fresh(*op.system)
    chain = Elimination(op.system, frozenset(), fresh).entry(y, (t,), x, (i,))
    whole = inlined(op, y[t], op.computed, fresh)
    for other, is_same in ((0, True), (x[i], False)):
        then = Eq(derived(chain, fresh) + other, differentiate(whole, x, (i,), fresh))
        over = (*terms.cells(y[t]), *terms.cells(x[i]))
        said = expanded(Sequent(over, (), then, where=op.system))
        stated = Theorem("chain", "vjp", "", op.requires, (said,))
        found = survey(stated, ascending(stated), True, FEW)
        assert found.tried
        assert (found.failure is None) == is_same


def a_recurrence(value, push, pull=None, saved=False):
    """A recurrence of what a step makes of x and of the state; the JVP may name what it saves."""
    h, every = array("h", T), cotangent(array("h", T), "all")
    before, dot = zero_padded(h)[t - 1], zero_padded(tangent(h))[t - 1]
    slope, back = push(x[t], before), (pull or push)(x[t], before)
    later = (pull or push)(zero_padded(x)[t + 1], h[t])
    own = slope[0] * tangent(x)[t]
    return Op(
        "along",
        requires=(T >= 1,),
        let=(Eq(u[t], 2 * x[t]),) if saved else (),
        forward=Eq(h[t], value(u[t] / 2 if saved else x[t], before)),
        jvp=(
            *((Eq(tangent(u)[t], 2 * tangent(x)[t]),) if saved else ()),
            Eq(tangent(h)[t], slope[0] * tangent(u)[t] / 2 + slope[1] * dot)
            if saved
            else Eq(tangent(h)[t], own + slope[1] * dot),
        ),
        vjp=(
            Eq(every[t], cotangent(h)[t] + later[1] * zero_padded(every)[t + 1]),
            Eq(x_bar[t], back[0] * every[t]),
        ),
    )


KINKED_STEPS = {
    "a size": (
        lambda x, h: h + abs(x),
        lambda x, h: (If(x >= 0, 1, -1), 1),
        lambda x, h: (If(x > 0, 1, -1), 1),
    ),
    "a ramp of both": (
        lambda x, h: Max(h + x, 0),
        lambda x, h: (bracket(h + x > 0), bracket(h + x > 0)),
        lambda x, h: (bracket(h + x >= 0), bracket(h + x >= 0)),
    ),
}


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("name", KINKED_STEPS)
def test_rules_of_a_recurrence_take_the_same_at_a_kink(name, saved):
    """SOUNDNESS: each took one of several, and nothing said that it is the same."""
    value, slope, other = KINKED_STEPS[name]
    agreed = "vjp of h and jvp agree at boundaries"
    assert status(a_recurrence(value, slope, saved=saved), agreed) == "proved"
    assert status(a_recurrence(value, other, saved=saved), agreed) == "proved"
    assert status(a_recurrence(value, slope, other, saved=saved), agreed) != "proved"
