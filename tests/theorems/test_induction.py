"""What a recurrence comes to, by induction; each form has a false neighbour."""

from dataclasses import replace

import pytest

from gradproof.language import (
    And,
    Claim,
    Eq,
    ForAll,
    If,
    Max,
    Op,
    Prod,
    Sum,
    array,
    bracket,
    exp,
    implies,
    integers,
    maximum,
    reals,
    zero_padded,
)
from gradproof.prove.records import recorded, replayed
from gradproof.prove.rules.goals import goal_of, with_end_apart
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.asking import seeker
from gradproof.prove.tactics.proving import prove
from gradproof.settle.check import settled
from gradproof.theorems import values
from gradproof.theorems.obligations import obligations

T, D, t, i, j, d = integers("T D t i j d")
c = reals("c")
x, y, m, mass = (array(name, T) for name in ("x", "y", "m", "mass"))
steps = (t, 0, T - 1)
before, so_far = zero_padded(y)[t - 1], (i, 0, t)


def op_of(step, closed, places=steps, let=()):
    claim = Claim("closed", ForAll(Eq(y[t], closed), places))
    return Op("op", let=let, requires=(T >= 1, c > 0), forward=Eq(y[t], step), claims=(claim,))


def claim_of(op):
    return next(th for th in obligations(op) if th.kind == "claim")


def status(op):
    return settled(claim_of(op), RLIMIT).status


FORMS = {
    "sum": (before + x[t], Sum(x[i], so_far)),
    "product": (x[t] * If(t > 0, before, 1), Prod(x[i], so_far)),
    "mean": (before + (x[t] - before) / (t + 1), Sum(x[i], so_far) / (t + 1)),
    "polynomial": (before * c + x[t], Sum(x[i] * c ** (t - i), so_far)),
    "average": (c * before + (1 - c) * x[t], Sum((1 - c) * c ** (t - i) * x[i], so_far)),
    "largest": (If(t > 0, Max(before, x[t]), x[t]), maximum(x[i], so_far)),
    "backwards": (zero_padded(y)[t + 1] + x[t], Sum(x[i], (i, t, T - 1))),
    "constant": (If(t > 0, before, x[0]), x[0]),
}
WRONG = {
    "sum": Sum(x[i], (i, 0, t - 1)),
    "product": Prod(x[i], (i, 1, t)),
    "mean": Sum(x[i], so_far) / (t + 2),
    "polynomial": Sum(x[i] * c**i, so_far),
    "average": Sum(c ** (t - i) * x[i], so_far),
    "largest": maximum(x[i], (i, 0, T - 1)),
    "backwards": Sum(x[i], so_far),
    "constant": 7 * x[0],  # each step keeps it, and the first does not make it
}


@pytest.mark.parametrize("name", FORMS)
def test_a_recurrence_is_its_closed_form(name):
    step, closed = FORMS[name]
    assert status(op_of(step, closed)) == "proved"


@pytest.mark.parametrize("name", FORMS)
def test_another_form_is_refuted_and_has_no_proof(name):
    op = op_of(FORMS[name][0], WRONG[name])
    assert prove(claim_of(op), False, RLIMIT).proof is None
    assert status(op) == "refuted"


def test_a_form_that_is_said_of_some_places_is_not_put_in_place_of_others():
    """y[t] = 0 for t ≥ 1 alone would follow from itself: nothing is said of y[0]."""
    for places in ((t, 1, T - 1), (t, 0, T - 2)):
        assert claim_of(op_of(before + x[t], Sum(x[i], so_far), places)).local == ()
    carried = op_of(If(t > 0, before, x[0]), 0 * x[0], (t, 1, T - 1))
    assert status(carried) == "refuted"
    under = Claim("under", ForAll(implies(t >= 1, Eq(y[t], 0 * x[0])), steps))
    assert claim_of(replace(carried, claims=(under,))).local == ()


def test_a_form_that_is_said_of_a_part_of_a_plane_is_not_put_in_place_of_all():
    """SOUNDNESS: a diagonal, a column, or each cell only where another range is not empty."""
    z, u = array("z", T, T), array("u", T)
    plane = Op("plane", forward=Eq(z[t, i], zero_padded(z)[t - 1, i] + x[t] * bracket(i - t >= 50)))
    line = Op("line", forward=Eq(u[t], zero_padded(u)[t - 1] + x[t] * bracket(t >= 50)))
    for op, said in (
        (plane, ForAll(Eq(z[t, t], 0), steps)),
        (plane, ForAll(Eq(z[t, 0], 0), steps)),
        (plane, Eq(z[0, 0], 0)),
        (line, ForAll(Eq(u[t], 0), steps, (i, 0, 49 - T))),
    ):
        claiming = replace(op, claims=(Claim("part", said),))
        assert claim_of(claiming).local == ()
        assert status(claiming) != "proved"


def test_a_form_that_reads_what_it_is_said_of_shows_nothing():
    assert claim_of(op_of(before + x[t], y[t])).local == ()
    u = array("u", T)
    two = And(ForAll(Eq(y[t], u[t]), steps), ForAll(Eq(u[t], y[t]), steps))
    op = Op(
        "two",
        let=(Eq(u[t], zero_padded(u)[t - 1] + x[t]),),
        forward=Eq(y[t], u[t]),
        claims=(Claim("two", two),),
    )
    assert claim_of(op).local == ()


def test_a_form_rests_on_the_order_of_the_steps():
    """y[t] = y[t] has every solution."""
    op = op_of(zero_padded(y)[t] + 0 * x[t], x[t])
    assert "forward: order" in claim_of(op).rests_on
    order = next(th for th in obligations(op) if th.kind == "order")
    assert settled(order, RLIMIT).status == "refuted"


def test_softmax_in_one_pass_is_softmax():
    """The running maximum stays opaque; the mass and the average are rescaled to it."""
    last = zero_padded(m)[t - 1]
    v, gathered, found = array("v", T, D), array("gathered", T, D), array("found", D)
    scale = exp(last - m[t])
    let = (
        Eq(m[t], If(t > 0, Max(last, x[t]), x[t])),
        Eq(mass[t], zero_padded(mass)[t - 1] * scale + exp(x[t] - m[t])),
        Eq(gathered[t, d], zero_padded(gathered)[t - 1, d] * scale + exp(x[t] - m[t]) * v[t, d]),
    )
    softmax = Sum(exp(x[i]) * v[i, d], (i, 0, T - 1)) / Sum(exp(x[j]), (j, 0, T - 1))
    said = And(
        ForAll(Eq(mass[t], Sum(exp(x[i] - m[t]), so_far)), steps),
        ForAll(Eq(gathered[t, d], Sum(exp(x[i] - m[t]) * v[i, d], so_far)), steps, (d, 0, D - 1)),
        ForAll(Eq(found[d], softmax), (d, 0, D - 1)),
    )
    op = Op(
        "attention",
        requires=(T >= 1, D >= 1),
        let=let,
        forward=Eq(found[d], gathered[T - 1, d] / mass[T - 1]),
        claims=(Claim("softmax", said),),
    )
    assert status(op) == "proved"
    kept = Eq(gathered[t, d], zero_padded(gathered)[t - 1, d] + exp(x[t] - m[t]) * v[t, d])
    assert status(replace(op, let=(*let[:2], kept))) == "refuted"
    other_way = Eq(mass[t], zero_padded(mass)[t - 1] * exp(m[t] - last) + exp(x[t] - m[t]))
    assert status(replace(op, let=(let[0], other_way, let[2]))) == "refuted"


def test_an_end_is_apart_of_a_range_that_is_not_empty():
    n = integers("n")
    cell = array("x", n)
    for kind in (Sum, Prod, maximum):
        said = Eq(cell[0], kind(cell[i], (i, 0, n - 1)))
        for last in (True, False):
            some = goal_of((n >= 1,), said, False, seeker(RLIMIT))
            assert with_end_apart(some, last) is not None
            none = goal_of((n >= 0,), said, False, seeker(RLIMIT))
            assert with_end_apart(none, last) is None


# What stays positive.


def divided(step):
    """A sum so far that something is divided by."""
    u = array("u", T)
    rest = Eq(y[t], x[t] / u[t])
    return Op("divided", requires=(T >= 1,), let=(Eq(u[t], step(zero_padded(u))),), forward=rest)


def has_values(op):
    theorems = [th for th in obligations(op) if th.kind == "defined"]
    return {settled(th, RLIMIT).status for th in theorems}


def test_what_starts_and_stays_positive_is_divided_by():
    assert has_values(divided(lambda u: u[t - 1] * exp(x[t]) + exp(-x[t]))) == {"proved"}
    assert has_values(divided(lambda u: u[t + 1] + 1)) == {"proved"}


@pytest.mark.parametrize(
    "step",
    [
        lambda u: u[t - 1] * exp(x[t]),  # it starts at 0
        lambda u: u[t - 1] + x[t],
        lambda u: exp(x[t]) - u[t - 1],
        lambda u: u[t - 1] * x[t] + exp(x[t]),
    ],
)
def test_what_may_become_0_is_not_divided_by(step):
    assert has_values(divided(step)) - {"proved"}


def test_what_looks_positive_is_shown_to_be(monkeypatch):
    """SOUNDNESS: which recurrences stay positive is guessed, and each step of them proved."""
    monkeypatch.setattr(values, "sign_of", lambda *_: values.POSITIVE)
    for step in (lambda u: u[t - 1] + x[t], lambda u: u[t - 1] * exp(x[t])):
        op = divided(step)
        wanted = (th for th in obligations(op) if th.kind == "defined")
        assert not all(prove(th, False, RLIMIT).proof for th in wanted)


def test_a_proof_by_induction_can_be_made_again_from_its_record():
    for name in ("mean", "largest"):
        wanted = claim_of(op_of(*FORMS[name]))
        proof = prove(wanted, False, RLIMIT).proof
        again = replayed(wanted, recorded(wanted, proof, seeker(RLIMIT)))
        assert (again.theorem, again.rule) == (wanted, proof.rule)
