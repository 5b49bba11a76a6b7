"""Definitions drawn at random: the tool agrees with plain loops, and the harness can disagree."""

from dataclasses import replace

import pytest

from gradproof.language import (
    Claim,
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    Windows,
    among,
    array,
    bracket,
    ceil_div,
    cos,
    cotangent,
    floor_div,
    fold,
    function,
    integers,
    log,
    maximum,
    reals,
    sin,
    tangent,
    winner,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.settle.conclusions import SEAL, Finding
from gradproof.settle.counterexamples import Counterexample
from trust.journal import Journal
from trust.truth import edges, figures, given
from trust.truth.compare import THE_TOOL, Prover, compared
from trust.truth.draw import WHOLE, Draw
from trust.truth.folded import folded, has_sums
from trust.truth.functions import MISSTATED, NORMAL
from trust.truth.judge import at_shape, first_failure
from trust.truth.run import STEADY, answered, drawn, results_in, run, small_chunk

N, K, a, b, c, w = integers("N K a b c w")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
BOX = (("N", range(1, 6)), ("K", range(1, 4)))
window = (w, 0, K - 1)

RIGHT = Op(
    "drawn",
    requires=(N >= 1, K >= 1),
    forward=Eq(y[a], Sum(zero_padded(x)[a + w], window) / K),
    jvp=Eq(y_dot[a], Sum(zero_padded(x_dot)[a + w], window) / K),
    vjp=Eq(x_bar[b], Sum(zero_padded(y_bar)[b - w], window) / K),
)


def draw(part="vjp x_bar", made="edited", beyond="", **parts):
    return Draw("window", replace(RIGHT, **parts), part, made, "", BOX, beyond)


def vjp(body):
    return {"vjp": Eq(x_bar[b], body)}


def jvp(body):
    return {"part": "jvp", "jvp": Eq(y_dot[a], body)}


FAMILIES = {
    *("window", "filter", "square", "sum", "plane", "loop"),
    *("means", "largest", "branches", "gathered", "integers", "sizes"),
    *("functions", "required", "outputs", "intermediates", "recurrences", "labels"),
}


def test_no_verdict_on_drawn_definitions_is_wrong():
    """`make sample` draws others."""
    results = list(results_in(range(3_000_000, 3_000_002), jobs=1))
    assert [result for result in results if result.wrong] == []
    assert sum(result.truth != "unknown" for result in results) >= 12


def test_every_family_is_drawn():
    found = set()
    for number in range(40):
        found |= {draw.family for draw in drawn(number, STEADY)}
        if found >= FAMILIES:
            break
    assert found == FAMILIES


@pytest.mark.slow
def test_no_verdict_on_many_drawn_definitions_is_wrong():
    found = figures.figures(run(200, number=3, jobs=1), 3)
    assert figures.shortcomings(found) == []
    assert set(found["families"]) == FAMILIES


def test_a_seed_draws_the_same_definitions():
    """Up to ten at a time: then Hypothesis varies what it drew, by what lies where in memory."""
    once, again, other = ([str(d) for d in drawn(seed, 10)] for seed in (7, 7, 8))
    assert once == again != other


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("trust.truth.run.chunk", small_chunk)
    journal = Journal(tmp_path / "truth.part.jsonl")
    whole = list(run(5, number=7, jobs=1, journal=journal))
    again = Journal(journal.path)
    assert "7000000" in again.known
    for found in again.known["7000000"]:
        found["change"] = "taken from the journal"
    assert [r.change for r in run(5, number=7, jobs=1, journal=again)] == [
        "taken from the journal"
    ] * len(whole)


def test_a_tool_that_does_not_come_to_an_end_leaves_the_question_open(monkeypatch):
    draw = next(d for d in drawn(7, 10) if d.made == "right")
    monkeypatch.setattr("trust.truth.run.apart", lambda work, seconds: None)
    found = answered(draw)
    assert (found.truth, found.answer, found.wrong) == ("right", "undecided", ())
    assert all(text.endswith(": unknown, given up") for text in found.undecided)


def test_a_journal_is_of_the_code_that_is_there_and_survives_a_cut(tmp_path):
    journal = Journal(tmp_path / "part.jsonl")
    journal.add("one", [1])
    with journal.path.open("a") as file:
        file.write('\n["other code", "two", [2]]\n["cut o')
    journal.add("three", ["\u2028"])
    journal.sources, kept = "edited", journal.sources
    journal.add("four", [4])
    assert kept == Journal(journal.path).sources
    assert Journal(journal.path).known == {"one": [1], "three": ["\u2028"]}
    journal.drop()
    assert Journal(journal.path).known == {}


# The judge.


def failing(drawn):
    found = first_failure(drawn.op, drawn.part, dict(drawn.box))
    return (found[0], set(found[1].failing)) if found else None


@pytest.mark.parametrize("part", ["jvp", "vjp x_bar"])
@pytest.mark.parametrize("written", [lambda drawn: drawn, folded], ids=("sums", "loops"))
def test_the_judge_finds_nothing_against_a_right_rule(part, written):
    assert failing(written(draw(part))) is None


@pytest.mark.parametrize(
    ("rule", "sizes", "theorem"),
    [
        (vjp(Sum(zero_padded(y_bar)[b - w], window)), (1, 2), "vjp x_bar"),
        (vjp(Sum(zero_padded(y_bar)[b + w], window) / K), (2, 2), "vjp x_bar"),
        (vjp(Sum(y_bar[b - w], window) / K), (1, 2), "vjp x_bar: reads and writes"),
        (
            vjp(Sum(zero_padded(y_bar)[b - w], window) / (K - 1)),
            (1, 1),
            "vjp x_bar: divisors and logarithms",
        ),
        (jvp(Sum(zero_padded(x_dot)[a + w] + 1, window) / K), (1, 1), "jvp is linear"),
        (jvp(x_dot[a] * x_dot[a]), (1, 1), "jvp is linear"),
        (jvp(Sum(zero_padded(x_dot)[a + w] * w, window) / K), (1, 1), "jvp by x"),
    ],
)
def test_the_judge_finds_what_is_wrong_with_a_rule(rule, sizes, theorem):
    for drawn_rule in (draw(**rule), folded(draw(**rule))):
        assert failing(drawn_rule) == (dict(zip("NK", sizes, strict=True)), {theorem})


def test_the_judge_looks_at_nothing_behind_a_bracket():
    inside = bracket((b - w >= 0) & (b - w < N))
    guarded = draw(**vjp(Sum(inside * y_bar[b - w], window) / K))
    assert failing(guarded) is failing(folded(guarded)) is None


def test_sums_are_written_as_loops_with_their_guards_as_branches():
    inside = bracket((b - w >= 0) & (b - w < N))
    loops = folded(draw(**vjp(Sum(inside * y_bar[b - w], window) / K)))
    terms = [u for rule in (loops.op.forward, loops.op.jvp, *loops.op.vjp) for u in t.walk(rule)]
    assert not has_sums(loops)
    assert sum(isinstance(u, t.Fold) for u in terms) == 3
    assert sum(isinstance(u, t.If) for u in terms) == 1


def maxima(value, found, **parts):
    """An op that takes the largest of a window, and a rule that says where it found it."""
    whole = Eq(y[a], maximum(value(w), window))
    moved = Sum(bracket(found) * zero_padded(x_dot)[a + w], window)
    return draw("jvp", forward=whole, jvp=Eq(y_dot[a], moved), **parts)


def cell(at):
    return zero_padded(x)[a + at]


def wins(value, tie="first"):
    return winner(w, value(c), (c, 0, K - 1), tie=tie)


@pytest.mark.parametrize("tie", ["first", "last", "any"])
def test_the_judge_finds_nothing_against_the_winner(tie):
    """Zeros that win together do not move, as one that wins alone."""
    assert failing(maxima(cell, wins(cell, tie))) is None


def test_the_judge_looks_where_zeros_tie():
    right = maxima(cell, wins(cell)).op
    more = bracket(Eq(N, 1)) * bracket(Eq(K, 3)) * bracket(x[a] < 0) * x_dot[a]
    wrong = {"forward": right.forward, "jvp": Eq(y_dot[a], right.jvp.args[1] + more)}
    assert failing(draw("jvp", **wrong)) == ({"N": 1, "K": 3}, {"jvp by x"})


def test_the_judge_sees_another_winner():
    wrong = maxima(cell, wins(lambda at: -cell(at)))
    assert failing(wrong) == ({"N": 1, "K": 2}, {"jvp by x"})


def test_the_judge_sees_winners_that_are_one_cell_counted_twice():
    twice = {"forward": Eq(y[a], maximum(x[0 * c + a], (c, 0, K - 1)))}
    for tie, fails in (("first", False), ("last", False), ("any", True)):
        found = winner(w, x[0 * c + a], (c, 0, K - 1), tie=tie)
        rule = Eq(y_dot[a], Sum(bracket(found) * x_dot[a], window))
        assert bool(failing(draw("jvp", jvp=rule, **twice))) == fails


def test_the_judge_runs_loops_of_several_states():
    best, at, has = reals("best"), *integers("at has")
    take = Eq(has, 0) | (cell(w) > best)
    states = {
        "has": (has, 0, 1),
        "best": (best, 0, If(take, cell(w), best)),
        "at": (at, 0, If(take, w, at)),
    }
    whole = {"forward": Eq(y[a], maximum(cell(w), window))}
    for found, fails in ((at, False), (K - 1, True)):
        rule = Eq(y_dot[a], fold(zero_padded(x_dot)[a + found], window, **states))
        assert bool(failing(draw("jvp", jvp=rule, **whole))) == fails


POSITIVE = bracket(x[a] > 0) * x[a]


def gated(rule, forward=POSITIVE):
    return draw("jvp", forward=Eq(y[a], forward), jvp=Eq(y_dot[a], rule * x_dot[a]))


def test_the_judge_takes_every_branch():
    assert failing(gated(bracket(x[a] > 0))) is failing(gated(bracket(x[a] >= 0))) is None
    for wrong in (1, bracket(x[a] < 0), bracket((x[a] > 0) & (x[0] > 0))):
        assert failing(gated(wrong))[1] == {"jvp by x"}


def test_the_judge_looks_at_a_given_point_entry_by_entry():
    """y[1] = [x[0] = 0]·x[1] turns by x[0] at 0, and not by x[1]."""
    here = Eq(x[0], 0)
    right, wrong = bracket(here | Eq(a, 0)), bracket(Eq(a, 0))
    forward = If(Eq(a, 0), x[a], bracket(here) * x[a])
    at_zero, at_one = {"x": {(1,): 5}}, {"x": {(0,): 1, (1,): 5}}
    sizes = {"N": 2, "K": 1}
    assert failing(gated(wrong, forward)) is None
    assert given.failing(gated(right, forward).op, "jvp", sizes, at_zero) == set()
    assert given.failing(gated(wrong, forward).op, "jvp", sizes, at_zero) == {"jvp by x"}
    assert given.failing(gated(wrong, forward).op, "jvp", sizes, at_one) == set()
    assert given.failing(draw(**HALF).op, "vjp x_bar", {"N": 1, "K": 2}, {}) == {"vjp x_bar"}
    assert given.failing(draw().op, "vjp x_bar", {"N": 3, "K": 2}, {}) == set()


def test_the_judge_says_nothing_where_an_op_turns_though_it_has_a_derivative():
    joined = gated(2 * POSITIVE + bracket(Eq(x[a], 0)), POSITIVE * x[a]).op
    assert given.failing(joined, "jvp", {"N": 1, "K": 1}, {}) == set()


def test_the_judge_blames_no_rule_for_what_the_op_does():
    undefined = gated(1, If(Eq(x[a], 0), 1 / x[a], x[a])).op
    assert given.failing(undefined, "jvp", {"N": 1, "K": 1}, {}) == set()


def test_the_judge_sees_what_has_no_value_at_a_given_point():
    for rule, what in (
        (If(Eq(x[0], 0), x[a - 1], 1), "jvp: reads and writes"),
        (If(Eq(x[0], 0), 1 / x[0], 1), "jvp: divisors and logarithms"),
    ):
        op = gated(rule, x[a]).op
        assert given.failing(op, "jvp", {"N": 1, "K": 1}, {}) == {what}
        assert given.failing(op, "jvp", {"N": 1, "K": 1}, {"x": {(0,): 1}}) == set()


def where_branches_meet(rule, forward):
    asked = gated(rule, forward)
    assert failing(asked) is None
    found = edges.first_failure(asked.op, asked.part, dict(asked.box))
    return found and (found[0]["N"], set(found[1].failing))


def test_the_judge_looks_where_sides_meet_and_nothing_turns():
    """max(x[1]², x[0]²) > x[1]² does not turn by x[1] where both are 0; x[1] > 0 does."""
    own, first = x[a] * x[a], x[0] * x[0]
    wrong = 1 + bracket((a >= 1) & Eq(x[a], 0) & Eq(x[0], 0))
    assert where_branches_meet(wrong, If(Max(own, first) > own, x[a], x[a])) == (2, {"jvp by x"})
    assert where_branches_meet(1, If(Max(own, first) > own, x[a], x[a])) is None
    assert where_branches_meet(wrong, If(x[a] > 0, x[a], x[a])) is None
    assert where_branches_meet(wrong, If(x[0] > 0, x[a], x[a])) == (2, {"jvp by x"})


def test_the_judge_looks_where_parts_of_an_extremum_meet_and_stay_together():
    wrong = bracket(Eq(x[a], 0))
    assert where_branches_meet(2 * x[a] + wrong, Max(x[a] * x[a], 0)) == (1, {"jvp by x"})
    assert where_branches_meet(2 * x[a], Max(x[a] * x[a], 0)) is None
    assert where_branches_meet(1 + wrong, Min(x[a], 0) + Max(x[a], 0)) is None


def test_of_windows_and_claims_the_judge_does_not_say_where_they_meet():
    op = maxima(cell, wins(cell)).op
    assert edges.first_failure(op, "jvp", dict(BOX)) is None
    assert edges.first_failure(RIGHT, "sizes", dict(BOX)) is None


def test_a_rule_that_is_wrong_where_branches_meet_must_not_be_proved():
    wrong = gated(1 + bracket(Eq(x[0], 0) & (a >= 1)), If(x[0] > 0, x[a], x[a]))
    assert answer(wrong) == ("beyond", "refuted", ())
    assert answer(wrong, says("proved"))[2] == ("jvp by x: proved, yet false",)


def test_a_counterexample_may_fail_at_its_own_point_alone():
    here = Eq(x[0], 0)
    wrong = gated(bracket(Eq(a, 0)), If(Eq(a, 0), x[a], bracket(here) * x[a]))
    assert answer(wrong) == ("beyond", "refuted", ())


def test_the_judge_counts_windows():
    size = floor_div(N + K, 2) + 1
    z = array("z", size)
    op = replace(
        RIGHT,
        forward=Eq(z[a], zero_padded(x)[a]),
        jvp=Eq(tangent(z)[a], zero_padded(x_dot)[a]),
        vjp=Eq(x_bar[b], zero_padded(cotangent(z))[b]),
        windows=Windows(size, N + K, 2, 2),
    )
    assert at_shape(op, "sizes", {"N": 2, "K": 2}).failing == {"the last window fits"}
    fewer = replace(op, windows=Windows(size, N + K + 9, 2, 2))
    assert at_shape(fewer, "sizes", {"N": 2, "K": 2}).failing == {"one more window does not fit"}


def test_the_judge_rejects_a_claim():
    claim = Claim("drawn", Eq(floor_div(N, 2), ceil_div(N, 2)))
    found = draw("claim drawn", claims=(claim,))
    assert failing(found) == ({"N": 1, "K": 1}, {"drawn"})


# Several equations.

h, u, q = array("h", N), array("u", N), array("q", N)
h_bar, h_all = cotangent(h), cotangent(h, "all")
before, after = zero_padded(h)[a - 1], zero_padded(h_all)[a + 1]
SCAN = Op(
    "drawn",
    requires=(N >= 1,),
    forward=Eq(h[a], x[a] * before + x[a]),
    jvp=Eq(tangent(h)[a], x_dot[a] * (before + 1) + x[a] * zero_padded(tangent(h))[a - 1]),
    vjp=(
        Eq(h_all[a], h_bar[a] + zero_padded(x)[a + 1] * after),
        Eq(x_bar[a], h_all[a] * (before + 1)),
    ),
)
SAVED = Op(
    "drawn",
    requires=(N >= 1, x[a] > 0),
    let=(Eq(u[a], log(x[a])),),
    forward=(Eq(y[a], u[a] * sin(x[a])), Eq(q[a], u[a] ** 2)),
    jvp=(
        Eq(y_dot[a], (sin(x[a]) / x[a] + u[a] * cos(x[a])) * x_dot[a]),
        Eq(tangent(q)[a], 2 * u[a] * x_dot[a] / x[a]),
    ),
    vjp=(
        Eq(cotangent(u)[a], sin(x[a]) * y_bar[a] + 2 * u[a] * cotangent(q)[a]),
        Eq(x_bar[a], cotangent(u)[a] / x[a] + u[a] * cos(x[a]) * y_bar[a]),
    ),
)


def of_all(op):
    return {name for n in (1, 2) for name in at_shape(op, WHOLE, {"N": n}, 3).failing}


def with_rule(op, number, value):
    """With another right side of one of its cotangents."""
    rules = [*op.vjp]
    rules[number] = Eq(rules[number].target, value)
    return replace(op, vjp=tuple(rules))


def test_the_judge_finds_nothing_against_right_systems():
    assert of_all(SCAN) == of_all(SAVED) == set()


@pytest.mark.parametrize(
    ("op", "false"),
    [
        (replace(SCAN, jvp=Eq(tangent(h)[a], x_dot[a] * (before + 1))), {"jvp by x"}),
        (with_rule(SCAN, 0, h_bar[a] + x[a] * after), {"vjp x_bar"}),
        (with_rule(SCAN, 0, h_bar[a] + h_all[a]), {"vjp h_bar_all: order", "vjp x_bar: order"}),
        (with_rule(SCAN, 1, h_all[a + 1]), {"vjp x_bar: reads and writes"}),
        (replace(SCAN, forward=Eq(h[a], x[a] * h[a])), {"forward: order"}),
        (with_rule(SAVED, 0, sin(x[a]) * y_bar[a]), {"vjp x_bar"}),
        (with_rule(SAVED, 0, SAVED.vjp[0].right + 1), {"vjp x_bar is linear"}),
        (
            replace(SAVED, requires=(N >= 1, x[a] >= 0)),
            {
                "let u: divisors and logarithms",
                "jvp y_dot: divisors and logarithms",
                "jvp q_dot: divisors and logarithms",
                "vjp x_bar: divisors and logarithms",
            },
        ),
    ],
)
def test_the_judge_finds_what_is_wrong_with_a_system(op, false):
    found = of_all(op)
    assert found
    assert found <= false


def test_the_judge_looks_where_values_are_allowed_alone():
    """At 0 and 1 the cube has the slope 3x; at a kink there is none."""
    cube = {"forward": Eq(y[a], x[a] ** 3), "jvp": Eq(y_dot[a], 3 * x[a] * x_dot[a]), "vjp": ()}
    bits, more = (replace(RIGHT, **cube, requires=(N >= 1, among(x[a], *v))) for v in BITS)
    assert (of_all(bits), of_all(more)) == (set(), {"jvp by x"})
    size = {"forward": Eq(y[a], abs(x[a])), "jvp": Eq(y_dot[a], x_dot[a]), "vjp": ()}
    assert of_all(replace(RIGHT, **size, requires=(N >= 1, x[a] >= 0))) == set()
    assert of_all(replace(RIGHT, **size, requires=(N >= 1,))) == {"jvp by x"}


BITS = (0, 1), (0, 1, 2)


def test_the_judge_looks_at_the_point_of_a_counterexample():
    wrong = with_rule(SAVED, 0, SAVED.vjp[0].right * If(Eq(x[a], 7), 2, 1))
    asked = (wrong, WHOLE, {"N": 1})
    assert given.failing(*asked, {"x": {(0,): 7}}) == {"vjp x_bar"}
    assert given.failing(*asked, {"x": {(0,): 6}}) == set()
    assert given.failing(*asked, {"x": {(0,): -7}}) == set()  # not allowed


@pytest.mark.parametrize("wrong", [{}, *MISSTATED])
def test_the_judge_knows_functions_by_name(wrong):
    f = function("normal", **(NORMAL | wrong))
    op = Op("drawn", Eq(y[a], f(x[a])))
    assert of_all(op) == ({"normal: as declared"} if wrong else set())


# The harness.

HALF = vjp(Sum(zero_padded(y_bar)[b - w], window))
LATE = vjp(Sum(zero_padded(y_bar)[b - w], window) / K + bracket(N >= 50) * y_bar[0])


def says(status, **sizes):
    shown = Counterexample(None, sizes, {}, {}, "", "", "", True) if sizes else None
    found = Finding(status, counterexample=shown, seal=SEAL)
    return Prover(lambda _: found, lambda _: "unknown")


def refuting(**sizes):
    """Refutes the derivative, and proves the rest."""
    no, yes = says("refuted", **sizes), says("proved")
    return replace(yes, settled=lambda th: (no if th.kind == "vjp" else yes).settled(th))


def answer(drawn, prover=THE_TOOL):
    found = compared(drawn, prover)
    return found.truth, found.answer, found.wrong


def test_the_tool_is_right_about_the_example():
    assert answer(draw(made="right")) == ("right", "proved", ())
    assert answer(draw(**HALF)) == ("broken", "refuted", ())
    assert answer(draw(made="beyond", beyond="vjp x_bar", **LATE)) == ("beyond", "refuted", ())


@pytest.mark.parametrize("made", [{**HALF}, {**LATE, "made": "beyond", "beyond": "vjp x_bar"}])
def test_a_prover_that_proves_everything_is_wrong(made):
    assert answer(draw(**made), says("proved"))[2] == ("vjp x_bar: proved, yet false",)


def test_the_second_route_does_not_cover_for_the_symbolic_one():
    wrong = answer(draw(**HALF), replace(THE_TOOL, alone=lambda _: "proved"))[2]
    assert wrong == ("vjp x_bar: proved, yet false",)


def test_a_prover_that_refutes_what_is_right_is_wrong():
    truth, said, wrong = answer(draw(made="right"), refuting(N=1, K=1))
    assert (truth, said) == ("right", "refuted")
    assert len(wrong) == 2


def test_a_counterexample_must_fail_before_the_judge():
    assert answer(draw(**HALF), refuting(N=1, K=1))[2] == (
        "vjp x_bar: refuted, yet true at {'N': 1, 'K': 1}",
    )


def test_a_smallest_counterexample_is_smallest():
    (wrong,) = answer(draw(**HALF), refuting(N=2, K=2))[2]
    assert wrong.startswith("vjp x_bar: said to be smallest at")
    assert not answer(draw(**HALF), refuting(N=1, K=2))[2]


def test_an_error_is_wrong():
    assert all("error" in w for w in answer(draw(made="right"), says("error"))[2])


def test_what_is_left_open_is_neither_right_nor_wrong():
    assert answer(draw(made="right"), says("unknown")) == ("right", "undecided", ())
    assert answer(draw(**HALF), says("unknown")) == ("broken", "undecided", ())


def test_an_edit_that_breaks_nothing_small_is_unknown_until_the_judge_sees_it_fail():
    assert answer(draw(**LATE), says("unknown"))[0] == "unknown"
    assert answer(draw(**LATE), refuting(N=50, K=1)) == ("beyond", "refuted", ())


def test_a_construction_that_is_wrong_is_told():
    wrong = answer(draw(made="right", **HALF), says("proved"))[2]
    assert "made right, yet vjp x_bar fails at {'N': 1, 'K': 2}" in wrong


def test_figures_tell_what_is_short():
    right, half = compared(draw(made="right")), compared(draw(**HALF))
    assert figures.shortcomings(figures.figures([right, half], 0)) == []
    assert figures.shortcomings(figures.figures([right], 0)) == ["less than a third are broken"]
    wrong = compared(draw(**HALF), says("proved"))
    open_ = compared(draw(made="right"), says("unknown"))
    data = figures.figures([wrong, half, open_], 0)
    assert figures.shortcomings(data) == ["1 wrong answers", "more than 5 % are undecided"]
    assert data["families"] == {
        "window": {"broken": {"proved": 1, "refuted": 1}, "right": {"undecided": 1}}
    }
    assert figures.table(data).splitlines()[-1].split() == [
        "all",
        *["0", "0", "1", "1", "1", "0", "0", "0", "0", "0"],
    ]
