"""The judge: what it must not let pass."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import pytest

from gradproof import specs
from gradproof.evaluate import bounded
from gradproof.evaluate.bounded import survey
from gradproof.evaluate.shapes import box
from gradproof.language import (
    And,
    Claim,
    Eq,
    ForAll,
    If,
    Max,
    Not,
    Op,
    Prod,
    Sum,
    Windows,
    array,
    axes,
    bracket,
    ceil_div,
    cotangent,
    exp,
    floor_div,
    integers,
    log,
    reals,
    tangent,
    zero_padded,
)
from gradproof.language import (
    product as over_axes,
)
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh
from gradproof.prove.rules.goals import Goal, goal_of
from gradproof.prove.rules.proofs import SEAL, Forged, Holds, Proved, all_sequents
from gradproof.prove.rules.sides import sides_of
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.rules.sums import Sums
from gradproof.prove.tactics import proving
from gradproof.prove.tactics.asking import context, seeker
from gradproof.prove.tactics.attempts import Attempt, settle
from gradproof.settle import check, instances, search
from gradproof.settle.conclusions import Finding, dispensable, proved, redundant
from gradproof.settle.preconditions import needed, satisfiable, witnessed
from gradproof.settle.suite import run, tasks, verdicts, verify
from gradproof.settle.verdicts import Report
from gradproof.show import derivations
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.statuses import Status, worst
from trust.source import ROOT

N, K, a, b, c, d = integers("N K a b c d")
beta = reals("beta")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)

right = Op(
    "double",
    requires=(N >= 1,),
    forward=Eq(y[a], 2 * x[a]),
    jvp=Eq(y_dot[a], 2 * x_dot[a]),
    vjp=Eq(x_bar[a], 2 * y_bar[a]),
)
wrong = replace(right, jvp=Eq(y_dot[a], 3 * x_dot[a]))


def theorem(op, kind):
    return next(th for th in obligations(op) if th.kind == kind)


def test_right_and_wrong():
    assert check.settled(theorem(right, "jvp"), RLIMIT).status == "proved"
    found = check.settled(theorem(wrong, "jvp"), RLIMIT)
    assert found.status == "refuted"
    assert (found.counterexample.left, found.counterexample.right) == ("2", "3")
    assert found.counterexample.sizes == {"N": 1}


def wishful(theorem, generic, rlimit):
    """What a bug in a rule would give."""
    return Attempt(Proved(SEAL, theorem, generic, ()))


def test_theorems_of_some_kinds_are_those_of_all():
    op = specs.unpad
    for kinds in ({"jvp", "vjp"}, {"claim"}, {"size", "needed"}):
        found = [theorem for theorem, _ in tasks(op, kinds=kinds)]
        assert found == [theorem for theorem, _ in tasks(op) if theorem.kind in kinds]
        assert found


def test_routes_that_disagree_are_an_error(monkeypatch):
    monkeypatch.setattr(instances, "prove", wishful)
    found = check.settled(theorem(wrong, "jvp"), RLIMIT)
    assert found.status == "error"
    assert "false at" in found.note


def test_what_was_tried_nowhere_is_not_proved(monkeypatch):
    monkeypatch.setattr(check, "box", lambda *_: iter(()))
    monkeypatch.setattr(check, "inhabited", lambda *_: (False, []))
    assert check.settled(theorem(right, "jvp"), RLIMIT).status == "unknown"


def test_a_size_that_no_clause_mentions_has_a_cell_in_what_is_tried(monkeypatch):
    """What is linear at row a is so whatever K is, and the solver's model says nothing of K."""
    rows = array("x", N, K)
    columns = (b, 0, K - 1)
    totals = Op(
        "totals",
        forward=Eq(y[a], Sum(rows[a, b], columns)),
        jvp=Eq(y_dot[a], Sum(tangent(rows)[a, b], columns)),
        vjp=Eq(cotangent(rows)[a, b], y_bar[a]),
    )
    monkeypatch.setattr(check, "box", lambda *_: iter(()))
    assert check.settled(theorem(totals, "linear"), RLIMIT).status == "proved"


@pytest.mark.parametrize("op", specs.OPS, ids=lambda op: op.name)
def test_most_of_the_shapes_that_the_second_route_tries_have_something_to_try(op):
    """The first twenty had no channel at all, of every op of which no clause asks for one."""
    for rule in (th for th in obligations(op) if th.kind in ("jvp", "vjp")):
        instance = rule.at_rank(1) if rule.is_rank_generic else rule
        shapes = list(box(instance, 9))
        tried = [shape for shape in shapes if survey(instance, [shape]).tried]
        assert 2 * len(tried) > len(shapes)
        free = [s for s in shapes[0] if f"{s} ≥ " in " ".join(map(str, instance.given))]
        assert all(len({shape[s] for shape in shapes}) > 1 for s in free)


@pytest.mark.parametrize("sizes", range(6))
def test_a_box_has_each_of_its_shapes_once(sizes):
    names = [a, b, c, d, N, K][:sizes]
    whole = Theorem("", "claim", "", tuple(n >= 1 for n in names), (Sequent((), (), Eq(0, 0)),))
    shapes = {tuple(shape[n] for n in names) for shape in box(whole, 1000)}
    assert shapes == set(product((1, 2, 3), repeat=sizes))


def test_a_box_of_large_shapes_is_no_empty_box():
    wide = replace(right, requires=(N >= 200,))
    assert [shape[N] for shape in box(theorem(wide, "jvp"), 9)] == [200, 202, 201]


def test_a_model_that_does_not_replay_is_unknown(monkeypatch):
    """Nothing else is there to refute it: no shape is searched."""
    monkeypatch.setattr(search, "ascending", lambda *_: iter(()))
    monkeypatch.setattr(search, "box", lambda *_: iter(()))
    monkeypatch.setattr(search, "at_model", lambda *_: None)
    assert check.settled(theorem(wrong, "jvp"), RLIMIT).status == "unknown"


def test_the_model_of_the_part_that_fails_is_replayed(monkeypatch):
    """Nothing but the model is there to refute it."""
    monkeypatch.setattr(search, "ascending", lambda *_: iter(()))
    monkeypatch.setattr(search, "box", lambda *_: iter(()))
    parts = (Sequent((), (), N >= 0), Sequent((), (), N >= 5))
    found = check.settled(Theorem("both", "claim", "", (N >= 1,), parts), RLIMIT)
    assert found.status == "refuted"
    assert found.counterexample.sizes == {"N": 1}
    assert found.counterexample.smallest


def test_a_failure_of_the_tool_is_an_error_and_nothing_else_is_lost(monkeypatch):
    def crash(*_):
        raise MemoryError("no more")

    before = len(tasks(right, needs=False))
    monkeypatch.setattr("gradproof.settle.suite.settled", crash)
    found = list(verdicts(right))
    assert len(found) == before
    assert {v.status for v in found if v.kind == "jvp"} == {"error"}
    assert all("no more" in v.note for v in found if v.status == "error")


def test_a_proof_that_cannot_be_shown_is_an_error(monkeypatch):
    def crash(*_):
        raise KeyError("no sign for it")

    monkeypatch.setattr(derivations, "formula", crash)
    settled = [derivations.with_steps(task[0], run(right, task)) for task in tasks(right)]
    found = {v.name: v for v in settled}
    assert found["jvp by x"].status == "error"
    assert "no sign for it" in found["jvp by x"].note
    assert found["requires can be met"].status == "proved"


def test_no_proof_is_made_but_by_a_rule():
    proof = proving.prove(theorem(right, "jvp"), False, RLIMIT).proof
    (premise,) = proof.premises
    forged = (
        lambda: Proved(None, theorem(wrong, "jvp"), False, proof.premises),
        lambda: replace(proof, theorem=theorem(wrong, "jvp")),
        lambda: Holds(object(), (), Eq(0, 1), "wishful thinking"),
        lambda: replace(premise, goal=Eq(0, 1)),
        lambda: Goal(None, (), Eq(0, 1), context((), False), And()),
        lambda: Finding("proved", "all sizes"),
        lambda: Finding("refuted"),
        lambda: proved(theorem(wrong, "jvp"), {None: proof}),
    )
    for forge in forged:
        with pytest.raises((TypeError, ValueError)):
            forge()
    assert all_sequents(theorem(wrong, "jvp"), proof.premises) is None
    assert all_sequents(theorem(right, "jvp"), ()) is None


def test_no_rule_takes_one_thing_for_another():
    """SOUNDNESS: `x[0] > x[0]` had sides that pair off, and what looked like a proof passed."""
    seek = seeker(RLIMIT)
    for said in (t.Gt(x[0], x[0]), t.Ne(x[0], x[0]), N < N, And(N > 5, K > 5)):
        with pytest.raises(Forged, match="no equation of reals"):
            sides_of(goal_of((N >= 1,), said, False, seek))
    anything = SimpleNamespace(shows=lambda *_: True, theorem=theorem(wrong, "jvp"), within="")
    assert all_sequents(theorem(wrong, "jvp"), (anything,)) is None
    assert not Sums((), False, lambda *_: anything, Fresh()).entails(N >= 5)
    for forge in (
        lambda: proved(theorem(wrong, "jvp"), {None: anything}),
        lambda: redundant("all sizes", "", theorem(wrong, "jvp"), anything),
        lambda: dispensable("all sizes", "", (theorem(wrong, "jvp"),), (anything,), set()),
        lambda: dispensable("all sizes", "", (), (), set()),
    ):
        with pytest.raises(Forged):
            forge()


def test_what_is_assumed_besides_names_no_binder():
    """SOUNDNESS: a made-up name in it was given to the binder of a sum."""
    left = Sum(bracket(a <= 2) * x[a], (a, 0, N - 1))
    wanted = Eq(left, Sum(x[a], (a, 0, N - 1)))
    for number in range(9):
        extra = (t.relation(t.Le, t.Sym(f"a'{number}"), 2),)
        assert settle((N >= 1,), wanted, False, RLIMIT, extra).proof is None


def test_only_rules_know_the_seal():
    texts = {path: path.read_text("utf-8") for path in (ROOT / "verify/gradproof").rglob("*.py")}
    homes = {path.parent.name for path, text in texts.items() if "rules.proofs import SEAL" in text}
    assert homes == {"rules"}


def test_no_sequents_are_no_proof():
    nothing = replace(theorem(right, "jvp"), sequents=())
    found = check.settled(nothing, RLIMIT)
    assert (found.status, found.note) == ("unknown", "nothing to prove")


def test_what_only_asks_for_a_value_is_no_proof():
    """Every part of such a claim stands aside, and none was left to object to."""
    asks = Sequent((), (), Eq(0, 0), aside=True)
    claimed = Theorem("", "claim", "", (N >= 1,), (asks,))
    found = check.settled(claimed, RLIMIT)
    note = "no shape and values were found at which to try it"
    assert (found.status, found.note) == ("unknown", note)


def test_contradicting_hypotheses_are_vacuous():
    empty = replace(right, requires=(N >= 1, N <= 0))
    assert {v.status for v in verdicts(empty)} == {"vacuous"}


def test_an_expected_refutation_must_be_the_pinned_one():
    claimed = replace(theorem(wrong, "jvp"), refuted={N: 2})
    found = check.settled(claimed, RLIMIT)
    assert check.labelled("double", claimed, found).as_expected is False
    pinned = replace(claimed, refuted={N: 1})
    assert check.labelled("double", pinned, check.settled(pinned, RLIMIT)).as_expected is True


@pytest.mark.parametrize("first", Status)
def test_the_worst_counts(first):
    later = list(Status)[list(Status).index(first) :]
    assert worst(reversed(later)) == first


def test_a_report_without_verdicts_is_no_success():
    assert not Report("nothing", ()).as_expected
    assert Report("nothing", ()).status != "proved"


def test_a_report_is_true_if_all_is_as_expected():
    """`assert verify(op)` was true of every op."""
    assert verify(right)
    assert not verify(wrong)


def test_one_mistake_in_both_rules_is_caught_by_both():
    both = replace(wrong, vjp=Eq(x_bar[a], 3 * y_bar[a]))
    found = {v.kind: v.status for v in verdicts(both) if v.kind in ("jvp", "vjp")}
    assert found == {"jvp": "refuted", "vjp": "refuted"}


def test_a_transpose_is_not_the_map():
    last = replace(
        right, forward=Eq(y[a], Sum(x[b], (b, 0, a))), jvp=Eq(y_dot[a], Sum(x_dot[b], (b, 0, a)))
    )
    as_it_is = replace(last, vjp=Eq(x_bar[a], Sum(y_bar[b], (b, 0, a))))
    transposed = replace(last, vjp=Eq(x_bar[a], Sum(y_bar[b], (b, a, N - 1))))
    assert check.settled(theorem(as_it_is, "vjp"), RLIMIT).status == "refuted"
    assert check.settled(theorem(transposed, "vjp"), RLIMIT).status == "proved"


# Counterexamples.


def claimed(statement, requires=(N >= 1,)):
    """A claim about an op whose symbols are those of its requires."""
    op = replace(right, requires=requires, claims=(Claim("said", statement),))
    return theorem(op, "claim")


def test_what_fails_beyond_the_search_is_found_by_the_solver_and_made_small():
    far = claimed((N < 70) | (N > 2000))
    found = check.settled(far, RLIMIT)
    assert (found.status, found.counterexample.sizes) == ("refuted", {"N": 70})
    assert found.counterexample.smallest
    assert search.smallest_model(far, far.sequents[0], {"N": 1000}, RLIMIT) == ({"N": 70}, True)


def test_a_parameter_that_is_not_whole_is_replayed():
    far = claimed((N < 70) | (3 * beta > 2) | (3 * beta < 1), (N >= 1, beta >= 0))
    found = check.settled(far, RLIMIT)
    assert (found.status, found.counterexample.sizes["N"]) == ("refuted", 70)
    assert 1 <= 3 * Fraction(found.counterexample.sizes["beta"]) <= 2


@pytest.mark.parametrize(
    "given", [(beta > 100,), (3 * beta > 1, 2 * beta < 1), (beta >= 0, beta < 1), (beta < -100,)]
)
def test_a_rule_with_a_bounded_parameter_is_tried_within_its_bounds(given):
    """`unknown`, for want of a shape, were right rules; `unknown` wrong ones."""

    def scaled(weight):
        return replace(
            right,
            requires=(N >= 1, *given),
            forward=Eq(y[a], If(x[a] > 0, x[a], beta * x[a])),
            jvp=Eq(tangent(y)[a], If(x[a] > 0, 1, weight) * tangent(x)[a]),
            vjp=Eq(cotangent(x)[a], If(x[a] > 0, 1, weight) * cotangent(y)[a]),
            windows=(),
            claims=(),
        )

    assert check.settled(theorem(scaled(beta), "jvp"), RLIMIT).status == "proved"
    assert check.settled(theorem(scaled(2 * beta), "jvp"), RLIMIT).status == "refuted"


def test_a_shape_is_the_least_only_if_the_search_comes_to_it(monkeypatch):
    largest = claimed(ForAll(exp(x[a]) > 0, (a, 0, N - 1)))
    assert not bounded.is_exact(largest)
    monkeypatch.setattr(search, "ascending", lambda _: iter([{N: 1}, {N: 2}]))
    assert search.is_least(largest, {N: 2}, RLIMIT)
    assert not search.is_least(largest, {N: 3}, RLIMIT)


def test_a_sign_is_tried_point_by_point():
    squares = claimed(ForAll(x[a] * x[a] >= 0, (a, 0, N - 1)))
    assert check.settled(squares, RLIMIT).status == "proved"
    found = check.settled(claimed(ForAll(x[a] * x[a] >= x[a], (a, 0, N - 1))), RLIMIT)
    assert found.status == "refuted"
    assert found.counterexample.values == {"x": {"[0]": "1/2"}}


def test_a_quotient_of_cells_is_tried_point_by_point():
    upside_down = claimed(ForAll(Eq(x[a] / (x[a] * x[a] + 1), x[a]), (a, 0, N - 1)))
    found = check.settled(upside_down, RLIMIT)
    assert (found.status, found.counterexample.sizes) == ("refuted", {"N": 1})
    assert (found.counterexample.left, found.counterexample.right) == ("1/2", "1")


def test_a_polynomial_may_have_many_roots():
    """It is 0 at every whole number up to 63."""
    roots = claimed(ForAll(Eq(Prod(x[a] - b, (b, -63, 63)), 0), (a, 0, N - 1)))
    found = check.settled(roots, RLIMIT)
    assert found.status == "refuted"
    assert found.counterexample.values == {"x": {"[0]": "64"}}


def test_a_size_that_is_not_computed_exactly_is_tried_nowhere():
    is_above = exp(beta) > 2
    z = array("z", If(is_above, N, N + 1))
    loop = Sum(x[a], (a, 0, If(is_above, N - 1, 0)))
    for over, cell in (((), z[0]), (loop.ranges, x[0])):
        theorem = Theorem("", "claim", "", (N >= 1,), (Sequent(over, (), Eq(cell, cell)),))
        assert survey(theorem, [{N: 1, beta: Fraction(0)}]).tried > 0
        assert survey(theorem, [{N: 1, beta: Fraction(1)}]).tried == 0
        nowhere = replace(theorem, given=(N >= 1, beta >= 1))
        assert check.settled(nowhere, RLIMIT).status == "unknown"


def test_what_floats_cannot_tell_is_told_by_intervals():
    """A number beyond floats, and one of which they know no logarithm."""
    for left, right in (
        (exp(800 * x[a]), exp(801 * x[a])),
        (log(exp(-800 * x[a])) + exp(x[a]), exp(x[a])),
    ):
        found = check.settled(claimed(ForAll(Eq(left, right), (a, 0, N - 1))), RLIMIT)
        assert found.status == "refuted"
        assert found.counterexample.values == {"x": {"[0]": "1"}}


# Windows.


def windowed(count, *roundings, n=N, requires=(N >= 3,)):
    """As many windows as `count` says, of three cells, two apart."""
    whole, short, i = array("x", n), array("y", count), axes("i") if n.is_bundle else a
    op = Op(
        "windowed",
        requires=requires,
        forward=Eq(short[i], zero_padded(whole)[i]),
        jvp=Eq(tangent(short)[i], zero_padded(tangent(whole))[i]),
        vjp=Eq(cotangent(whole)[i], zero_padded(cotangent(short))[i]),
        windows=tuple(Windows(count, n, 3, 2, rounding) for rounding in roundings),
    )
    return {
        th.name: check.settled(th, RLIMIT).status for th in obligations(op) if th.kind == "size"
    }


FITS, NO_MORE = "the last window fits", "one more window does not fit"
COVERS, NO_FEWER = "the windows cover", "one window fewer does not cover"


@pytest.mark.parametrize(
    ("count", "rounding", "refuted"),
    [
        (floor_div(N - 3, 2) + 1, "floor", set()),
        (floor_div(N - 3, 2) + 2, "floor", {FITS}),
        (ceil_div(N - 3, 2) + 1, "floor", {FITS}),
        (ceil_div(N - 3, 2) + 1, "ceil", set()),
        (ceil_div(N - 3, 2) + 2, "ceil", {NO_FEWER}),
        (floor_div(N - 3, 2) + 1, "ceil", {COVERS}),
    ],
)
def test_windows_are_as_many_as_fit_or_as_few_as_cover(count, rounding, refuted):
    found = windowed(count, rounding)
    assert {name for name, status in found.items() if status == "refuted"} == refuted
    assert {name for name in found if "window" in name} == (
        {FITS, NO_MORE} if rounding == "floor" else {COVERS, NO_FEWER}
    )


@pytest.mark.parametrize("n", [N, axes("n")], ids=str)
def test_one_window_is_the_fewest_also_where_it_is_larger_than_what_it_covers(n):
    for least, status in ((1, "proved"), (2, "refuted")):
        found = windowed(Max(least, ceil_div(n - 3, 2) + 1), "ceil", n=n, requires=(n >= 1,))
        assert (found[COVERS], found[NO_FEWER]) == ("proved", status)


def test_each_window_is_rounded_as_it_says():
    found = windowed(floor_div(N - 3, 2) + 1, "floor", "ceil")
    assert (found[FITS], found[NO_MORE], found[COVERS]) == ("proved", "proved", "refuted")


# Preconditions.


def test_sizes_beyond_the_search_meet_a_precondition_too():
    found = witnessed(satisfiable(replace(right, requires=(N >= 100, N <= 100))), RLIMIT)
    assert (found.status, found.method) == ("proved", "witness N = 100")


per_axis, at = axes("n i")
X, Y = array("x", per_axis), array("y", per_axis)


def on_axes(*requires, claims=()):
    rules = (
        Eq(Y[at], X[at]),
        Eq(tangent(Y)[at], tangent(X)[at]),
        Eq(cotangent(X)[at], cotangent(Y)[at]),
    )
    return Op("identity", *rules, (per_axis >= 1, *requires), claims=claims)


@pytest.mark.parametrize(
    ("clause", "rank", "witness"),
    [
        (over_axes(per_axis) > per_axis, 2, "witness n = 2, 2"),
        (over_axes(per_axis) < per_axis + 1, 1, "witness n = 1"),
    ],
)
def test_what_is_vacuous_at_one_rank_is_not_at_another(clause, rank, witness):
    found = {v.name: v for v in verdicts(on_axes(clause), needs=True)}
    assert {v.status for v in found.values()} == {"proved"}
    assert found["requires can be met"].method == witness
    assert found[f"requires {clause}"].scope == f"rank {rank}"
    assert found["jvp by x"].scope == "every rank"


def test_a_hypothesis_of_several_axes_is_met_where_there_are_several():
    given = (Not(per_axis >= 2), Not(per_axis < 2))
    holds, fails = (Claim(str(n), over_axes(per_axis) >= n, given=given) for n in (2, 3))
    found = {v.name: v for v in verdicts(on_axes(claims=(holds, fails)))}
    assert (found["2"].status, found["3"].status) == ("proved", "refuted")
    assert found["3"].counterexample.sizes == {"n": [1, 2]}


def test_what_is_vacuous_at_every_rank_says_at_which_it_was_tried():
    found = {v.name: v for v in verdicts(on_axes(per_axis < 1))}
    for name in ("requires can be met", "jvp by x", "vjp x_bar is linear"):
        assert found[name].status == "vacuous"
        assert found[name].note.endswith("contradict each other, at ranks 1 to 3")


CUBES = b * b * b + c * c * c - d * d * d
POSITIVE = (N >= 1, b >= 1, c >= 1, d >= 1)


def test_preconditions_that_nothing_is_found_to_meet_are_unknown():
    hard = replace(right, requires=(*POSITIVE, Eq(CUBES, 0)))
    assert witnessed(satisfiable(hard), 10_000).status == "unknown"


def test_a_clause_is_a_convention_only_if_everything_is_proved_without_it():
    """Nobody here can show that no two cubes sum to a cube, with the clause or without."""
    hard = replace(
        right,
        requires=(*POSITIVE, K >= 1),
        forward=Eq(y[a], x[a] / CUBES),
        jvp=Eq(y_dot[a], x_dot[a] / CUBES),
        vjp=Eq(x_bar[a], y_bar[a] / CUBES),
    )
    found = needed(hard, K >= 1, obligations(hard), 10_000)
    assert found.status == "unknown"
    assert "forward: divisors and logarithms" in found.note
    easy = replace(right, requires=(N >= 1, K >= 1))
    assert needed(easy, K >= 1, obligations(easy), RLIMIT).note.startswith("convention")


def test_more_places_than_can_be_counted_are_not_counted():
    """They were all listed first, and thinned then."""
    many = 10**9
    u, v = array("u", many), array("v", many)
    op = Op(
        "many",
        requires=(),
        forward=Eq(v[a], u[a]),
        jvp=Eq(tangent(v)[a], tangent(u)[a]),
        vjp=Eq(cotangent(u)[a], cotangent(v)[a]),
    )
    found = {v.status for v in verdicts(op) if v.kind == "in bounds"}
    assert found == {"proved"}


def test_where_not_all_places_are_tried_nothing_is_sure(monkeypatch):
    """A failure at a later shape would be called the smallest."""
    (theorem,) = (th for th in obligations(right) if th.name == "forward: reads and writes")
    shape = {N: 6}
    assert bounded.is_decided_at(theorem, shape)
    monkeypatch.setattr(bounded, "TOO_MANY_PLACES", 6)
    assert not bounded.is_decided_at(theorem, shape)
