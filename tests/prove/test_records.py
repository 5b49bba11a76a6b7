"""Proofs as records: made again by rules alone, and by nothing else than the rules they name."""

import copy
import json
from dataclasses import replace
from functools import cache

import pytest
from commands import GOOD, gradproof, write

from gradproof import specs
from gradproof.language import Eq, If, Op, array, cotangent, fold, integers, reals
from gradproof.prove import records
from gradproof.prove.records import RULES, NotReplayed, recorded, replayed, rules_of
from gradproof.prove.rules import connectives, goals, proofs, selection, sides, smt, unrolling
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics import asking
from gradproof.prove.tactics.asking import seeker
from gradproof.prove.tactics.proving import prove
from gradproof.settle.instances import prove_at
from gradproof.settle.suite import tasks
from gradproof.theorems.obligations import obligations
from gradproof.theorems.scopes import FEW_TURNS

NAME = "vjp x_bar"


@cache
def theorem(name=NAME, op=specs.avg_pool):
    return next(th for th in obligations(op) if th.name == name)


@cache
def proof(name=NAME):
    return prove(theorem(name), True, RLIMIT).proof


@cache
def written(name=NAME):
    return json.dumps(recorded(theorem(name), proof(name), seeker(RLIMIT)))


def record(name=NAME):
    return json.loads(written(name))


@pytest.mark.parametrize("name", [NAME, "jvp is linear", "n = 0: as many windows as fit"])
def test_a_proof_is_made_again(name):
    again = replayed(theorem(name), record(name))
    assert (again.theorem, again.rule, again.generic) == (theorem(name), proof(name).rule, True)
    assert [p.goal for p in again.premises] == [p.goal for p in proof(name).premises]


def test_nothing_is_searched_for(monkeypatch):
    found = record()
    monkeypatch.setattr(asking, "ask", None)
    monkeypatch.setattr(asking, "ask_once", None)
    assert replayed(theorem(), found).rule == "one-point rule"


def test_a_record_reads_the_same_in_every_run():
    again = prove(replace(theorem()), True, RLIMIT).proof
    assert recorded(theorem(), again, seeker(RLIMIT)) == record()


def loops():
    """A product of all cells: its loops are written out."""
    N, a, b, i = integers("N a b i")
    acc, d = reals("acc d")
    x, y = array("x", N), array("y", 1)
    run = {"acc": (acc, 1, acc * x[b])}
    slope = d * x[b] + acc * If(Eq(b, i), 1, 0)
    back = fold(d, (b, 0, N - 1), d=(d, 0, slope), **run)
    return Op(
        "whole",
        requires=(N >= 1,),
        forward=Eq(y[a], fold(acc, (b, 0, N - 1), **run)),
        vjp=Eq(cotangent(x)[i], cotangent(y)[0] * back),
    )


def test_the_record_of_loops_written_out_has_all_instances():
    vjp = theorem(NAME, loops())
    found = prove_at(vjp, RLIMIT).proof
    rules = rules_of(found)
    assert rules["written_out"] == 1
    assert rules["all_sequents"] == 4
    again = replayed(vjp, recorded(vjp, found, seeker(RLIMIT)))
    assert again.within == found.within == FEW_TURNS


# What must not pass.


def of(rule, found):
    return next(step for step in found["steps"] if step["rule"] == rule)


def another_rewriting(found):
    of("rewritten", found)["given"][1] = "one-point rule and count of an interval"
    found["lemmas"] = []


def no_such_rewriting(found):
    of("rewritten", found)["given"][1] = "because I say so"


def no_rewriting(found):
    sides = of("rewritten", found)["given"][0]
    of("paired", found)["given"][0] = sides


def no_such_rule(found):
    of("paired", found)["rule"] = "trusted"


def a_lemma_left_out(found):
    del found["lemmas"][0]


def a_lemma_from_nothing(found):
    next(lemma for lemma in found["lemmas"] if lemma["from"])["from"] = []


def a_lemma_from_too_little(found):
    found["lemmas"][-1]["from"].pop()


def a_lemma_of_something_else(found):
    found["lemmas"][2]["goal"] = found["lemmas"][1]["goal"]


def a_lemma_too_many(found):
    found["lemmas"].append(found["lemmas"][0] | {"goal": "1 = 2", "from": []})


def no_premise(found):
    of("all_sequents", found)["given"][1] = []


def another_premise(found):
    of("all_sequents", found)["given"][1] = [{"step": 1}]


def another_goal(found):
    """A hypothesis instead of the conclusion."""
    of("goal_of", found)["given"][1] = {"term": 1}


def fewer_hypotheses(found):
    of("goal_of", found)["given"][0] = []


def no_steps(found):
    found["steps"] = []


def a_step_too_few(found):
    found["steps"].pop()


def of_one_rank(found):
    """A goal without bundles' own rules is none of every rank."""
    of("goal_of", found)["given"][2] = False


TAMPERED = [
    another_rewriting,
    no_such_rewriting,
    no_rewriting,
    no_such_rule,
    a_lemma_left_out,
    a_lemma_from_nothing,
    a_lemma_from_too_little,
    a_lemma_of_something_else,
    a_lemma_too_many,
    no_premise,
    another_premise,
    another_goal,
    fewer_hypotheses,
    no_steps,
    a_step_too_few,
    of_one_rank,
]


@pytest.mark.parametrize("change", TAMPERED)
def test_a_tampered_record_proves_nothing(change):
    found = record()
    change(found)
    assert found != record()
    with pytest.raises(NotReplayed):
        replayed(theorem(), found)


def test_a_record_of_another_theorem_proves_nothing():
    with pytest.raises(NotReplayed, match="of another theorem"):
        replayed(theorem("jvp by x"), record())


@pytest.mark.parametrize(
    "change",
    [
        {"requires": specs.avg_pool.requires[:-1]},
        {"forward": Eq(specs.avg_pool.forward.left, 2 * specs.avg_pool.forward.right)},
    ],
    ids=list,
)
def test_a_record_of_another_version_of_the_op_proves_nothing(change):
    changed = replace(specs.avg_pool, claims=(), **change)
    with pytest.raises(NotReplayed, match="another version"):
        replayed(theorem(NAME, changed), record())


def test_a_false_theorem_has_no_record_though_its_twin_has():
    """The record of a right rule with the theorem's text changed to that of a wrong one."""
    wrong = replace(
        specs.avg_pool,
        claims=(),
        vjp=Eq(specs.avg_pool.vjp[0].left, 2 * specs.avg_pool.vjp[0].right),
    )
    false, found = theorem(NAME, wrong), record()
    offered = records.Offered()
    offered.add(false)
    sequent = false.sequents[0]
    mapped = dict(zip(record()["terms"], record()["terms"], strict=True))
    for old in mapped:
        if old.startswith("Theorem("):
            mapped[old] = offered.text(false)
        elif old.startswith("Sequent("):
            mapped[old] = offered.text(sequent)
        elif old == records_text(theorem().sequents[0].then):
            mapped[old] = offered.text(sequent.then)
    found["of"] = records.digest(false)
    found["terms"] = [mapped[old] for old in found["terms"]]
    with pytest.raises(NotReplayed, match="it does not apply"):
        replayed(false, found)


def records_text(term):
    offered = records.Offered()
    offered.add(theorem())
    return offered.text(term)


def test_a_proof_that_no_rule_made_has_no_record():
    found = copy.copy(proof())
    object.__setattr__(found, "made", None)
    with pytest.raises(NotReplayed, match="says of no rule"):
        recorded(theorem(), found, seeker(RLIMIT))


def test_every_rule_can_be_replayed():
    modules = (connectives, goals, proofs, selection, sides, smt, unrolling)
    rules = {n for m in modules for n, f in vars(m).items() if is_rule(f, m)}
    assert rules == {*RULES, "solved"}  # which is a lemma


def is_rule(found, module):
    code = getattr(found, "__code__", None)
    return code is goals.goal_of.__code__ and found.__module__ == module.__name__


@pytest.mark.slow
@pytest.mark.parametrize("name", specs.HOMES)
def test_every_proof_of_the_suite_has_a_record(name):
    op = getattr(specs, name)
    for of_op, settle in tasks(op, needs=False):
        found = settle().proofs
        assert (
            records.proofs_of(of_op, records.records_of(of_op, found, seeker(RLIMIT))) or not found
        )


# The command.


def test_a_record_is_written_and_replayed(tmp_path):
    write(tmp_path, good=GOOD)
    done = gradproof("explain", "good.py", "vjp x_bar", "--record", "proof.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = gradproof("replay", "proof.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "double: vjp x_bar\n  proved for every rank, by one-point rule: " in done.stdout
    write(tmp_path, good=GOOD.replace("2 *", "3 *"))
    done = gradproof("replay", "proof.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "not replayed: " in done.stdout
    assert "another version" in done.stdout


def test_what_has_no_proof_has_no_record(tmp_path):
    write(tmp_path, wrong=GOOD.replace("2 * cotangent(y)[i]", "3 * cotangent(y)[i]"))
    done = gradproof("explain", "wrong.py", "vjp x_bar", "--record", "p.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "of 'vjp x_bar', refuted, there is no proof" in done.stderr
    assert not (tmp_path / "p.json").exists()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"schema": "gradproof proof 1"}'])
def test_what_is_no_record_is_refused(text, tmp_path):
    (tmp_path / "p.json").write_text(text, "utf-8")
    done = gradproof("replay", "p.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "p.json: no record of a proof; gradproof explain --record writes one" in done.stderr
