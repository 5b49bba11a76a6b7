"""Programs drawn at random: what is bad is seen, and the machine judges by running code."""

import ast
from dataclasses import replace
from importlib.util import find_spec
from random import Random

import pytest

from trust import __main__ as trust_main
from trust import sample
from trust.programs import figures
from trust.programs.conditions import Test as Condition
from trust.programs.draw import FRAMEWORKS, Program, drawn
from trust.programs.judge import Fails, loaded, points, wrong_at
from trust.programs.run import Answer, answer_of, claims, results_of, the_tool
from trust.programs.twins import changes, shorter

HERE = [name for name in FRAMEWORKS if find_spec(name)]
FAR = Condition("value", "above", 1000)


def says(status):
    return lambda code: Answer(status, "for all sizes with N ≥ 1")


def module(forward, backward, *tests):
    lines = ["import numpy as np", "def forward(x):", "    n = x.shape[0]", f"    return {forward}"]
    lines += ["def backward(g, x):", "    n = x.shape[0]", f"    return {backward}", ""]
    return Program("numpy", "\n".join(lines), tests)


TWICE_BUT_FAR_OUT = module("2.0 * x", "np.where(x > 1000, 3.0 * g, 2.0 * g)", FAR)


def bad_of(checker, numbers=range(4)):
    return [r for k in numbers for r in results_of("numpy", k, checker=checker) if r.is_bad]


# What is bad is told.


def test_a_tool_that_always_says_proved_is_told():
    found = bad_of(says("proved"))
    assert {r.truth for r in found} == {"wrong"}
    data = figures.figures(found, 0)
    assert figures.shortcomings(data) == [f"{len(found)} bad answers"]
    assert data["bad"][0] == str(min(found, key=lambda r: len(r.text)))


def test_a_tool_that_always_says_refuted_is_told():
    assert {r.truth for r in bad_of(says("refuted"))} == {"right"}


def test_the_sample_fails_on_a_bad_answer(monkeypatch, capsys):
    (bad, *_) = bad_of(says("refuted"))
    for name in ("results_of", "results_in"):
        monkeypatch.setattr(trust_main, name, lambda *_: [])
    monkeypatch.setattr(trust_main.of_kinks, "run", lambda *_: [])
    for found, status in (([], 0), ([bad], 1)):
        monkeypatch.setattr(trust_main, "programs_of", lambda *_, found=found: found)
        assert trust_main.sample(1) == status
    assert "numpy, 1 right: 1 refuted" in capsys.readouterr().out


def test_the_sample_is_told_what_is_not_installed(monkeypatch, capsys):
    monkeypatch.setattr(sample, "find_spec", lambda name: None if name == "jax" else name)
    monkeypatch.delenv("GRADPROOF_REQUIRE_JAX", raising=False)
    assert sample.frameworks() == ("torch", "numpy")
    assert "no programs of jax" in capsys.readouterr().err
    monkeypatch.setenv("GRADPROOF_REQUIRE_JAX", "1")
    with pytest.raises(SystemExit, match="jax is not installed"):
        sample.frameworks()


def test_what_is_neither_is_not_bad():
    assert bad_of(says("unreadable")) == []


def test_what_is_told_is_made_small():
    found = bad_of(says("proved"), range(2))
    assert found
    assert all(len(r.text.splitlines()) < 20 for r in found)


class NeverTrue(ast.NodeTransformer):
    """Comparisons with numbers far out, as if they never held."""

    def visit_Compare(self, node):
        numbers = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
        if not any(isinstance(n, int) and abs(n) > 40 for n in numbers):
            return node
        return ast.Compare(node.left, [ast.NotEq()], [node.left])


def test_conditions_that_are_read_as_never_true_are_told(tmp_path):
    """What is planted: the tool reads another text than the one that runs."""

    def misread(code):
        tree = NeverTrue().visit(ast.parse(code.program.text))
        other = replace(code.program, text=ast.unparse(ast.fix_missing_locations(tree)))
        return the_tool(loaded(other, tmp_path))

    found = {r.truth for r in bad_of(misread, range(8))}
    assert "wrong" in found, found


# Programs, and what they are in truth.


@pytest.mark.parametrize("framework", HERE)
def test_right_programs_are_right_and_the_same_again(framework, tmp_path):
    for number in range(12 if framework != "jax" else 2):
        right, forgetful = drawn(framework, number, 5)
        assert (right, forgetful) == drawn(framework, number, 5)
        try:
            code = loaded(right, tmp_path)
            seen = list(points(right, Random(0)))
            assert [wrong_at(code, near, seen, 0) for near in (True, False)] == [None, None]
        except Fails:  # it does not run, and is not asked about
            continue


def test_a_backward_that_is_wrong_far_out_is_seen_there_and_nowhere_else(tmp_path):
    code = loaded(TWICE_BUT_FAR_OUT, tmp_path)
    seen = list(points(TWICE_BUT_FAR_OUT, Random(0)))
    assert wrong_at(code, True, seen, 0) is None
    assert max(wrong_at(code, False, seen, 0).x) > 1000


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("x * (1.0 + (np.arange(n) >= 50))", "g * (1.0 + (np.arange(n) > 50))"),
        ("x * (2.0 if n == 51 else 1.0)", "1.0 * g"),
        ("np.where(np.arange(n) >= 50, np.floor(x), x)", "1.0 * g"),
    ],
)
def test_so_is_one_that_is_wrong_at_a_place_or_at_a_size(forward, backward, tmp_path):
    program = module(forward, backward, Condition("place", "from", 50))
    seen = list(points(program, Random(0)))
    code = loaded(program, tmp_path)
    assert wrong_at(code, True, seen, 0) is None
    assert len(wrong_at(code, False, seen, 0).x) > 50


def test_kinks_and_jumps_are_no_mistakes(tmp_path):
    program = module("np.where(x > 1000, x, 2.0 * x)", "np.where(x > 1000, g, 2.0 * g)", FAR)
    code = loaded(program, tmp_path)
    for k in range(20):
        assert wrong_at(code, False, list(points(program, Random(k))), k) is None


def test_changes_and_parts_left_out_have_a_text():
    program = drawn("numpy", 1, 0)[0]
    found = [other.text for other, _ in changes(program, Random(0))]
    assert len(set(found)) > 10
    for text in (*found, *(other.text for other in shorter(program))):
        compile(text, "program", "exec")


# Scopes.


@pytest.mark.parametrize(
    ("scope", "n", "claimed"),
    [
        ("for all sizes with N ≥ 1, only where N ≠ 64", 64, False),
        ("for all sizes with N ≥ 1, only where N ≠ 64", 63, True),
        (
            "for all sizes with N ≥ 1, only where N = 2 or N ≥ 60; N ≤ 64, off the boundary",
            64,
            True,
        ),
        ("for all sizes with N ≥ 1, only where N = 2 or N ≥ 60; N ≤ 64", 65, False),
        ("for all sizes with N ≥ 1, only where ⌊N/2⌋ = 1", 65, False),
    ],
)
def test_a_narrow_proof_claims_what_its_scope_says(scope, n, claimed):
    assert claims(scope, n) == claimed


def test_a_narrow_proof_that_claims_a_size_at_which_it_is_wrong_is_bad(tmp_path):
    seen = list(points(TWICE_BUT_FAR_OUT, Random(0)))
    where = wrong_at(loaded(TWICE_BUT_FAR_OUT, tmp_path), False, seen, 0)
    said = [f"for all sizes, only where N {sign} {len(where.x)}" for sign in ("=", "≠")]
    assert [answer_of(Answer("proved", s, True), where) for s in said] == ["proved", "narrow"]
