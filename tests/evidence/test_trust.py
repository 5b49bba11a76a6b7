"""The mutation harness: every mutation is made, and every outcome can be reached."""

import contextlib
from dataclasses import asdict, replace
from types import SimpleNamespace

import pytest

from gradproof.language import Eq, Sum, array, integers
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.specs import OPS
from gradproof.theorems.obligations import obligations
from trust import __main__ as trust_main
from trust import sample
from trust.journal import Journal
from trust.mutants import figures, verdict
from trust.mutants.changed import DROPPED, Mutant, candidates, mutants
from trust.mutants.differences import differences
from trust.mutants.equivalence import holds, same_parts
from trust.mutants.gaps import shuts_out
from trust.mutants.judge import Kill, judge
from trust.mutants.run import BY_HAND, NAMES, Options, Result, batches, judged, key_of, run

BY_NAME = {op.name: op for op in OPS}
POOL, CONV, UNPAD = (BY_NAME[name] for name in ("avg_pool", "conv2d", "unpad"))
LARGEST = BY_NAME["global_max_pool2d_flat"]
BARE = replace(POOL, claims=())
C, n, i, j = integers("C n i j")
x = array("x", n)
SCATTERED = (
    "x_bar_scatter[c, s·o + j - p] += y_bar[0, o]/∏k for c = 0..C - 1, "
    "o = 0..⌊(n + 2·p - k)/s⌋, j = 0..k - 1 where 0 ≤ s·o + j - p ∧ s·o + j - p < n"
)


def changes(op, mutation, part):
    return [str(m.after) for m in mutants(op, mutation) if m.part == part]


def change(op, mutation, part, text):
    return next(m for m in mutants(op, mutation) if m.part == part and str(m.after) == text)


def test_every_mutation_is_made_somewhere():
    made = {m.mutation for op in (POOL, CONV, LARGEST) for m in candidates(op)}
    assert made == set(NAMES) - {BY_HAND}


def test_no_change_is_made_twice_or_not_at_all():
    seen = [(m.part, m.before, m.after) for m in candidates(CONV)]
    assert len(seen) == len(set(seen))
    assert not any(before == after for _, before, after in seen)


@pytest.mark.parametrize(
    ("mutation", "part", "text"),
    [
        ("shift an index", "jvp", "y_dot[c, o] = (Σ_{j = 0..k - 1} x_dot̂[c, s·o + j - p + 1])/∏k"),
        ("shift a bound", "jvp", "y_dot[c, o] = (Σ_{j = 0..k} x_dot̂[c, s·o + j - p])/∏k"),
        ("flip a sign", "jvp", "y_dot[c, o] = (Σ_{j = 0..k - 1} x_dot̂[c, s·o + j + p])/∏k"),
        ("drop a term", "jvp", "y_dot[c, o] = (Σ_{j = 0..k - 1} x_dot̂[c, s·o + j])/∏k"),
        ("drop a factor", "jvp", "y_dot[c, o] = Σ_{j = 0..k - 1} x_dot̂[c, s·o + j - p]"),
        ("swap two sizes", "jvp", "y_dot[c, o] = (Σ_{j = 0..s - 1} x_dot̂[c, k·o + j - p])/∏s"),
        ("drop a clip", "jvp", "y_dot[c, o] = (Σ_{j = 0..k - 1} x_dot[c, s·o + j - p])/∏k"),
        (
            "another channel's index",
            "jvp",
            "y_dot[c, o] = (Σ_{j = 0..k - 1} x_dot̂[0, s·o + j - p])/∏k",
        ),
        ("floor to ceil", "sizes", "⌈(n + 2·p - k)/s⌉ + 1"),
        ("< to ≤", "requires", "n + 2·p > k"),
        (DROPPED, "requires", "None"),
    ],
)
def test_a_change(mutation, part, text):
    assert text in changes(POOL, mutation, part)


def test_a_loop_is_changed_in_all_its_results():
    (changed,) = changes(LARGEST, "change the tie policy", "jvp")
    assert changed.count("≥ best") == 3
    assert ">" not in changed


# The judge.


def judgement(mutant):
    return judge(mutant, obligations(mutant.original))


def kinds(mutant):
    found = judgement(mutant)
    assert found.outcome == "killed"
    return [kill.kind for kill in found.kills]


def test_a_wrong_rule_is_killed():
    assert kinds(change(UNPAD, "shift an index", "jvp", "y_dot[c, i] = x_dot[c, i + p - 1]")) == [
        "in bounds"
    ]
    assert kinds(change(UNPAD, "add a constant", "jvp", "y_dot[c, i] = x_dot[c, i + p] + 1")) == [
        "linear"
    ]


def test_what_the_language_refuses_is_no_mutant():
    assert judgement(Mutant(UNPAD, "jvp", "", UNPAD.jvp, Eq(C, 1))).outcome == "refused"


def test_an_equal_rule_is_equivalent_and_its_equality_is_proved(monkeypatch):
    toward_zero = next(
        m
        for m in mutants(BARE, "floor to ceil")
        if m.part == "sizes" and str(m.after).startswith("trunc")
    )
    assert judgement(toward_zero).outcome == "equivalent"
    monkeypatch.setattr("trust.mutants.judge.is_equal", lambda *_: False)
    assert judgement(toward_zero).outcome == "survived"


def test_a_part_that_is_equal_makes_equal_loops():
    """No theorem about the whole loop is proved of these; the part of it that differs is."""
    adaptive = BY_NAME["adaptive_max_pool2d"]
    found = {
        str(same[0].then.args[1]): holds(adaptive.requires, *same)
        for m in mutants(adaptive, "floor to ceil")
        if m.part == "vjp x_bar" and (same := same_parts(adaptive, m.before, m.after))
    }
    assert found["trunc(oW·W/mW)"]
    assert not found["⌈oW·W/mW⌉"]


def test_a_difference_is_told_with_the_ranges_it_stands_in():
    def told(before, after):
        ((over, *parts),) = ((d.over, d.before, d.after) for d in differences(before, after, ()))
        return [str(symbol) for symbol, _, _ in over], parts

    def nested(symbol, last):
        return Sum(Sum(x[symbol], (symbol, 0, last)), (i, 0, n - 1))

    assert told(nested(j, i), nested(j, 2 * i)) == (["i"], [i, 2 * i])
    outer, inner = nested(i, n), nested(i, n + 1)  # there are two i, and no difference is in both
    assert told(outer, inner) == (["i"], [outer.body, inner.body])
    assert not next(differences(x[i], x[j] + 1, ())).is_of((n, i, j))
    assert next(differences(x[i], x[j], ())).is_of((n, i, j))
    assert not next(differences(x[i], x[j], ())).is_of((n, i))


def test_what_no_theorem_sees_survives():
    """Where the winner is unique all ties are alike, and the claims that tell them are gone."""
    blind = replace(LARGEST, claims=())
    (mutant,) = mutants(blind, "change the tie policy")[:1]
    assert mutant.part == "jvp"
    assert judgement(mutant).outcome == "survived"


def test_a_clause_that_shuts_out_shapes_is_killed_if_the_report_names_them():
    more = change(BARE, "< to ≤", "requires", "n + 2·p > k")
    assert judgement(more).kills == (Kill("needed", "requires n + 2·p > k", "gap"),)


def test_a_gap_is_a_shape_with_cells():
    """Without channels all would hold of any height."""
    bare = replace(BY_NAME["global_avg_pool2d"], claims=())
    mutant = change(bare, "< to ≤", "requires", "H > 1")
    assert judgement(mutant).kills == (Kill("needed", "requires H > 1", "gap"),)


def test_a_shape_that_was_shut_out_before_is_no_gap():
    mutant = change(BARE, "< to ≤", "requires", "s > 1")
    old = "needed: 'size' fails; yet all would hold with C = 1, k = 1, n = 1, p = 0, s = 0"
    new = old.replace("s = 0", "s = 1")
    assert not shuts_out(mutant, mutant.op(), old)
    assert shuts_out(mutant, mutant.op(), new)
    assert not shuts_out(mutant, mutant.op(), "needed: with s = 0, 'size' fails")


def test_a_dropped_clause_is_killed_or_a_convention():
    dropped = {str(m.before): judgement(m).outcome for m in mutants(BARE, DROPPED)}
    assert dropped == {
        "n ≥ 1": "convention",
        "k ≥ 1": "killed",
        "s ≥ 1": "killed",
        "p ≥ 0": "convention",
        "n + 2·p ≥ k": "killed",
    }


# The figures.


def result(kinds, outcome="killed", op="unpad"):
    kills = tuple(Kill(kind, f"a {kind}", "refuted") for kind in kinds)
    return Result(op, "jvp", "flip a sign", "a", "b", outcome, kills, 1.0)


def test_figures_count_outcomes_killers_and_those_that_are_alone():
    results = [result(["jvp"]), result(["jvp", "vjp"]), result([], "survived")]
    results.append(result(["size", "claim"]))
    data = figures.figures(results, Options(thorough=True))
    assert data["unpad"]["outcomes"] == {"flip a sign": {"killed": 3, "survived": 1}}
    assert data["unpad"]["kills"] == {"flip a sign": {"claim": 1, "jvp": 2, "size": 1, "vjp": 1}}
    assert figures.alone(data) == {"jvp": 1}
    assert figures.alone(data, "alone but for claims") == {"jvp": 1, "size": 1}
    assert [r["outcome"] for r in data["unpad"]["listed"]] == ["survived"]
    assert {"vjp", "claim"} <= set(figures.never_alone(data))
    assert not {"jvp", "size"} & set(figures.never_alone(data))
    assert "seconds" not in str(data)


def test_a_kind_is_only_alone_where_all_kinds_were_tried():
    assert not figures.alone(figures.figures([result(["jvp"])], Options()))


def test_an_interrupted_run_judges_no_mutant_twice(tmp_path):
    options, journal = Options(most=1, jobs=1), Journal(tmp_path / "mutants.part.jsonl")
    one, *rest = batches(("unpad",), options)
    texts = ("unpad", "jvp", "flip a sign", "before", "after", "killed")
    known = Result(*texts, (Kill("jvp", "jvp by x", "refuted"),), 0.5)
    for batch in rest:
        journal.add(key_of(batch, options), [])
    journal.add(key_of(one, options), [asdict(known)])
    assert list(run(("unpad",), options, Journal(journal.path))) == [known]
    assert key_of(one, options) != key_of(one, replace(options, thorough=True))


def test_two_runs_of_a_sample_agree():
    options = Options(most=1, jobs=1)
    once, again = (
        [r for batch in batches(("unpad",), options) for r in judged(batch, options)]
        for _ in range(2)
    )
    assert figures.figures(once, options) == figures.figures(again, options)
    assert len({r.mutation for r in once}) == len(once) > 5


def test_what_few_shapes_do_not_show_is_searched_at_more():
    """A loop that starts from another channel's cell: its smallest witness is out of reach."""
    op = BY_NAME["max_pool2d"]
    wrong = next(m for m in mutants(op, "another channel's index", 1) if m.part == "jvp").op()
    theorem = next(th for th in obligations(wrong) if th.kind == "jvp")
    found = settled(theorem, RLIMIT)
    assert found.status == "refuted"
    assert not found.counterexample.smallest


def test_what_takes_too_long_is_given_up_also_where_that_is_ignored_once(monkeypatch):
    monkeypatch.setattr(verdict, "PATIENCE", 0.05)

    def forever():
        with contextlib.suppress(TimeoutError):
            while True:
                pass
        while True:
            pass

    assert verdict.attempt(forever).status == "unknown"


def test_where_a_loop_decides_what_is_read_the_solvers_model_is_replayed():
    """One window more, which has a cell: no list of small shapes has it."""
    op = BY_NAME["max_pool2d_pad"]
    wrong = next(
        m.op()
        for m in mutants(op, "floor to ceil")
        if m.part == "vjp x_bar" and "oW = 0..⌈(W + 2·p - kW)/s⌉ where" in str(m.after)
    )
    (reads,) = (th for th in obligations(wrong) if th.name == "vjp x_bar: reads and writes")
    found = settled(reads, RLIMIT)
    assert found.status == "refuted"
    sizes = {"C": 1, "H": 1, "W": 3, "kH": 1, "kW": 2, "s": 2, "p": 0}
    assert found.counterexample.sizes == sizes


# The sample.


def test_the_sample_has_every_op_and_every_mutation_and_is_always_the_same():
    _, batches = sample.chosen()
    assert len(batches) == sample.BATCHES
    assert {name for name, *_ in batches} == set(BY_NAME)
    assert {mutation for _, mutation, *_ in batches} == set(NAMES)
    assert batches == sample.chosen()[1]


def test_the_sample_fails_on_what_survives_and_on_routes_that_disagree():
    disagreeing = replace(result([]), kills=(Kill("jvp", "a jvp", "error"),))
    bad = [result([], "survived"), result([], "open"), disagreeing]
    assert sample.rest_of([result(["jvp"]), *bad, result([], "equivalent")]) == bad


def test_the_sample_fails_on_a_wrong_answer(monkeypatch, capsys):
    wrong = SimpleNamespace(wrong=True, truth="broken")
    right = SimpleNamespace(wrong=False, truth="right")
    monkeypatch.setattr(trust_main, "results_of", lambda *_: [result(["jvp"])])
    monkeypatch.setattr(trust_main, "programs_of", lambda *_: [])
    for drawn, kinks, status in (([right], [], 0), ([right, wrong], [], 1), ([], [wrong], 1)):
        monkeypatch.setattr(trust_main, "results_in", lambda *_, found=drawn: found)
        monkeypatch.setattr(trust_main.of_kinks, "run", lambda *_, found=kinks: found)
        assert trust_main.sample(1) == status
    assert "1 mutants, 2 definitions drawn at random, 0 with kinks" in capsys.readouterr().out


def test_what_is_wrong_by_hand_is_judged_by_the_same_runner(monkeypatch):
    options = Options(most=1, jobs=1)
    (one,) = judged(("unpad", BY_HAND, 0, 1), options)
    assert (one.op, one.mutation, one.outcome) == ("unpad", BY_HAND, "killed")
    assert one.kills
    monkeypatch.setattr("trust.mutants.told.objections", lambda _: ["it passes"])
    (one,) = judged(("unpad", BY_HAND, 0, 1), options)
    assert (one.outcome, one.after) == ("survived", "it passes")
