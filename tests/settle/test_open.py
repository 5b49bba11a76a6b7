"""What is open says what it took, what is left to show, and what to try; limits are of work."""

import ast
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from commands import GOOD, run_pytest, sabotaged, write
from commands import gradproof as command

import gradproof
from gradproof.cli.remarks import remarks
from gradproof.cli.run import Settled
from gradproof.cli.workers.wire import Listing, Target
from gradproof.settle.suite import verify
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import account, advice
from gradproof.testing import assert_proved
from gradproof.theorems.statuses import Status

SERIES = """\
from gradproof.language import *

N, o, j = integers("N o j")
x, y = array("x", N), array("y", N)

series = Op(
    "series",
    requires=(N >= 1,),
    forward=Eq(y[o], x[o] * Sum(j, (j, 0, o))),
    jvp=Eq(tangent(y)[o], tangent(x)[o] * o * (o + 1) / 2),
)
"""
# Busy in Python, after a goal was taken up.
BUSY = sabotaged("real(theorem, *rest)\n        while True: pass")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("open")
    write(found, series=SERIES, busy=BUSY)
    return found


def test_what_is_unknown_says_what_it_took_and_what_is_left(folder):
    done = command("check", "series.py", "--json", "out.json", cwd=folder)
    assert done.returncode == 3
    (line,) = (line for line in done.stdout.splitlines() if "✗ unknown     jvp" in line)
    assert re.search(r"\d+\.\d s of processor time; left to show: \[.*j ≤ [io]\]·j = \[o = i", line)
    assert "What to try: give it more with --timeout and --limit; or write the rule" in done.stdout
    (op,) = json.loads((folder / "out.json").read_text("utf-8"))["ops"]
    (jvp,) = (th for th in op["theorems"] if th["kind"] == "jvp")
    assert "·j′ = " in jvp["left"]
    assert "--timeout" in jvp["advice"]
    assert all(th["left"] == th["advice"] == "" for th in op["theorems"] if th["as_expected"])
    explained = command("explain", "series.py", "jvp by x", cwd=folder).stdout
    assert re.search(r"\n    left to show       .*·j = ", explained)
    assert "\n    to do              give it more with" in explained


FAR = """\
from gradproof.language import *

N, i = integers("N i")
x, y = array("x", N), array("y", N)
far = Op(
    "far",
    requires=(N >= 1,),
    forward=Eq(y[i], x[i + N]),
    vjp=Eq(cotangent(x)[i], 2 * cotangent(y)[i]),
)
"""


def test_what_rests_on_what_is_refuted_waits_for_it(tmp_path):
    write(tmp_path, far=FAR)
    said = command("check", "far.py", "--json", "out.json", cwd=tmp_path).stdout
    assert "What to try: mend 'forward: reads and writes' first, which this rests on" in said
    (op,) = json.loads((tmp_path / "out.json").read_text("utf-8"))["ops"]
    (vjp,) = (th for th in op["theorems"] if th["kind"] == "vjp")
    assert vjp["status"] == "unknown"
    assert vjp["advice"].startswith("mend 'forward: reads and writes' first")


def test_what_is_unsupported_says_what_to_write():
    listed = Verdict("op", "sum", "claim", "", (), "proved", Status.UNKNOWN, "", "")
    listing = Listing(Target("op.py", "op"), "op", "op.py", 1, (listed,), (1,))
    found = replace(listed, status=Status.UNSUPPORTED, note="a fold")
    said = remarks(Settled(listing, (0,), {0: found}), 0)
    assert said == "a fold; write it as a Sum, a maximum, a fold that adds up or a recurrence"


def test_pytest_and_assert_proved_say_it_too(folder):
    said = run_pytest(folder, "--gradproof", "series.py").stdout
    assert "left to show: [" in said
    assert "give it more with --timeout" in said
    built = {}
    exec(SERIES, built)
    op = built["series"]
    with pytest.raises(AssertionError, match="left to show: "):
        assert_proved(op)
    (open_yet,) = (v for v in verify(op).verdicts if v.status == "unknown")
    assert any(len(said) < 220 for said in account(open_yet) if said.startswith("left"))
    assert advice(open_yet)


def test_what_is_given_up_says_what_was_to_be_shown_then(folder):
    done = command("check", "busy.py", "--only", "jvp by x", "--timeout", 2, cwd=folder)
    (line,) = (line for line in done.stdout.splitlines() if "✗ unknown     jvp" in line)
    assert "given up after 2 s of processor time" in line
    assert "left to show: " in line


def test_what_is_settled_has_nothing_left(folder):
    write(folder, good=GOOD)
    done = command("check", "good.py", cwd=folder)
    assert "left" not in done.stdout
    assert "processor" not in done.stdout


def names_a_clock(tree: ast.AST) -> bool:
    """Whether something is limited, or measured, by the clock on the wall."""
    said = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    said |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    said |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.keyword) and n.arg}
    said |= {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    return not said.isdisjoint({"timeout", "perf_counter", "monotonic", "time", "ITIMER_REAL"})


# For a process to end; for numbers within a step of Z3 that grow without end.
WAITING = {"settle": ["second.py", "suite.py"], "prove": ["smt.py"]}


@pytest.mark.parametrize("room", ["theorems", "prove", "evaluate", "settle"])
def test_nothing_that_settles_looks_at_the_clock(room):
    home = Path(gradproof.__file__).parent / room
    found = [p.name for p in home.rglob("*.py") if names_a_clock(ast.parse(p.read_text("utf-8")))]
    assert sorted(found) == WAITING.get(room, [])


@pytest.mark.parametrize("text", ["solver.set('timeout', 5)", "f(timeout=5)", "perf_counter()"])
def test_a_clock_is_seen(text):
    assert names_a_clock(ast.parse(text))
