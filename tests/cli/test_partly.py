"""Files of which a part cannot be read, names that are bound twice, numbers and terms too large."""

import json

import pytest
from commands import gradproof, run_pytest, write

from gradproof.language import DefinitionError, Eq, Op, array, cotangent, exp, integers

HEAD = """\
from gradproof.language import *
from dataclasses import replace

N, k, i = integers("N k i")
x, y = array("x", N), array("y", N)


def op(name, by, back=None, **more):
    pulled = Eq(cotangent(x)[i], (by if back is None else back) * cotangent(y)[i])
    return Op(name, forward=Eq(y[i], by * x[i]), vjp=pulled, **more)


"""
PARTLY = f"""{HEAD}good = op("good", 2)
bad = op("bad", 0.5)
derived = replace(bad, name="derived")
last = op("last", 3)
"""
REBOUND = f"""{HEAD}it = op("first", 2)
it = op("second", 2, 3)
refined = op("refined", 2)
refined = replace(refined, requires=(N >= 1,))
for n in (1, 2):
    turn = op(f"turn{{n}}", 2)
"""
TWICE = f"""{HEAD}it = op("same", 2)
it = op("same", 2, 3)
"""
LARGE = f"""{HEAD}constant = op("constant", 10**5000, 10**5000 + 1)
size = op("size", 2, requires=(N >= 2**63,))
value = op("value", k, k + 1, requires=(k >= 2**63,))
tiny = op("tiny", Fraction(1, 10**5000), Fraction(1, 10**4999))
"""
LARGE = LARGE.replace("from dataclasses", "from fractions import Fraction\nfrom dataclasses")


def test_a_definition_that_cannot_be_read_leaves_the_others(tmp_path):
    write(tmp_path, partly=PARTLY)
    done = gradproof("check", "partly.py", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "partly.py:9: 0.5 is a float" in done.stderr
    assert "(for line 14) (needed by line 15)" in done.stderr
    assert done.stderr.count("partly.py:") == 1
    assert "1 definition could not be read.\n" in done.stdout
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert [op["name"] for op in data["ops"]] == ["good", "last"]
    assert all(th["status"] == "proved" for op in data["ops"] for th in op["theorems"])
    assert [p["line"] for p in data["problems"]] == [9]
    again = gradproof("check", "partly.py", cwd=tmp_path)
    assert (again.returncode, "0.5 is a float" in again.stderr) == (2, True)
    assert gradproof("check", "partly.py::last", cwd=tmp_path).returncode == 0
    named = gradproof("check", "partly.py::bad", cwd=tmp_path)
    assert (named.returncode, "0.5 is a float" in named.stderr) == (2, True)


def test_pytest_fails_for_it_alone(tmp_path):
    write(tmp_path, partly=PARTLY)
    done = run_pytest(tmp_path, "--gradproof")
    assert "1 failed" in done.stdout
    assert "partly.py:9: 0.5 is a float" in done.stdout


def test_what_is_not_a_definition_ends_the_file(tmp_path):
    write(tmp_path, ends=f"{HEAD}good = op('good', 2)\nif good:\n    raise ValueError('no more')\n")
    done = gradproof("check", "ends.py", cwd=tmp_path)
    assert (done.returncode, "no more" in done.stderr) == (2, True)
    assert "No theorem was settled" in done.stdout


def test_an_op_whose_name_is_bound_again_is_settled(tmp_path):
    """It was skipped: `first` was never heard of."""
    write(tmp_path, rebound=REBOUND)
    done = gradproof("check", "rebound.py", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 1
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    found = {op["name"] for op in data["ops"]}
    assert found == {"first", "second", "refined", "turn1", "turn2"}


def test_two_ops_of_one_name_are_refused_though_one_is_bound_no_more(tmp_path):
    write(tmp_path, twice=TWICE)
    done = gradproof("check", "twice.py", cwd=tmp_path)
    assert (done.returncode, "two different ops are named 'same'" in done.stderr) == (2, True)


def test_numbers_beyond_machine_words_are_values(tmp_path):
    """They were an error: of Python's digits, of floats, of the length of a range."""
    write(tmp_path, large=LARGE)
    done = gradproof("check", "large.py", "--json", "out.json", "--save", "saved", cwd=tmp_path)
    assert done.returncode == 1
    assert "could not be shown" not in done.stdout
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    statuses = {
        op["name"]: {th["status"] for th in op["theorems"] if th["kind"] == "vjp"}
        for op in data["ops"]
    }
    refuted = {"refuted"}
    assert statuses == {
        "constant": refuted, "size": {"unknown"}, "value": refuted, "tiny": refuted,
    }  # fmt: skip
    assert data["summary"].get("error", 0) == 0
    assert "∂y[0]/∂x[0] = 10^5000" in done.stdout
    assert "k = 9223372036854775808" in done.stdout
    assert "∂y[0]/∂x[0] = 1/10^5000" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 300


N, i = integers("N i")
x, y = array("x", N), array("y", N)


def nested(depth):
    term = x[i]
    for _ in range(depth):
        term = 1 + exp(term)
    return term


@pytest.mark.parametrize("depth", [800, 3000])
def test_a_term_of_many_levels_gets_a_sentence(depth):
    with pytest.raises((DefinitionError, RecursionError)) as found:
        Op("deep", forward=Eq(y[i], nested(depth)), vjp=Eq(cotangent(x)[i], cotangent(y)[i]))
    if isinstance(found.value, DefinitionError):
        assert "a term is nested too deeply; write Sum, Prod or fold" in str(found.value)


def test_a_file_with_deep_terms_gets_a_sentence(tmp_path):
    deep = "t = x[i]\nfor _ in range({}):\n    t = 1 + exp(t)\ndeep = op('deep', t)\n"
    write(tmp_path, deep=f"{HEAD}good = op('good', 2)\n" + deep.format(3000))
    write(tmp_path, middle=HEAD + deep.format(150))
    for name, status in (("deep", 2), ("middle", 3)):
        done = gradproof("check", f"{name}.py", "--only", "vjp x_bar", cwd=tmp_path)
        said = done.stdout + done.stderr
        assert done.returncode == status
        assert "a term is nested too deeply; write Sum, Prod or fold" in said
        assert "RecursionError" not in said


@pytest.mark.parametrize(
    "lost",
    [
        'it = op("worse", 2, 3)\ndel it',
        'if True:\n    it = op("worse", 2, 3)\n    del it',
        '__it__ = op("worse", 2, 3)',
        'op("worse", 2, 3)',
    ],
)
def test_an_op_without_a_name_is_settled(tmp_path, lost):
    """SOUNDNESS: a wrong op was left out that had lost its name, or had none, with status 0."""
    write(tmp_path, file=f'{HEAD}good = op("good", 2)\n{lost}\n')
    done = gradproof("check", "file.py", cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "worse" in done.stdout
    write(tmp_path, file=f'{HEAD}good = op("good", 2)\n{lost.replace("2, 3", "2")}\ngood\n')
    assert gradproof("check", "file.py", cwd=tmp_path).returncode == 0
