"""The bench compares like with like, and its page is written from its figures alone."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy
from quick import TWINS, quick

import bench.__main__ as command
from bench import cases, clock, expansions, figures, gradchecks, page, plot, times
from gradproof import specs
from gradproof.evaluate import numeric
from gradproof.language import Op
from trust.mutants.written import WRITTEN

OPS = {op.name: op for op in specs.OPS}
SIDE = 8
each_op = pytest.mark.parametrize("name", list(OPS))


@pytest.fixture
def torch():
    from oracles import torch  # skips without it, or says that it is required

    return torch


def inputs_of(case):
    return {
        name: cases.values(shape, seed) for seed, (name, shape) in enumerate(case.inputs.items())
    }


@each_op
def test_gradcheck_is_of_the_op_that_is_proved(name, torch):
    case = cases.case(name, SIDE)
    xs = inputs_of(case)
    assert next(iter(xs.values())).shape == (cases.CHANNELS, SIDE, SIDE)
    theirs = case.function(*map(torch.tensor, xs.values())).numpy()
    np.testing.assert_allclose(numeric.forward(OPS[name], xs, case.sizes), theirs, atol=1e-12)


@pytest.mark.parametrize("name", quick(OPS, lambda name: name not in TWINS))
def test_what_is_expanded_is_the_op_that_is_proved(name, torch):
    """At a smaller shape, some of its cells."""
    side = 2 if name.startswith("global") else 4
    case = cases.case(name, side)
    xs = inputs_of(case)
    cells, outputs = expansions.expanded(name, cases.shape_of(name, side))
    numbers = np.concatenate([x.ravel() for x in xs.values()])
    at = dict(zip(cells, map(float, numbers), strict=True))
    theirs = numeric.forward(OPS[name], xs, case.sizes).ravel()
    assert len(outputs) == len(theirs)
    for number in (0, len(outputs) // 2, len(outputs) - 1):
        read = sorted(outputs[number].free_symbols, key=str)
        found = sympy.lambdify(read, outputs[number], "numpy")(*(at[cell] for cell in read))
        np.testing.assert_allclose(float(found), theirs[number], atol=1e-12)


def test_gradcheck_catches_a_wrong_gradient(torch):
    """It is asked of both directions, else it would be no comparison."""

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return 2 * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, y_bar):
            return 3 * y_bar

        @staticmethod
        def jvp(ctx, x_dot):
            return 2 * x_dot

    wrong = cases.Case("wrong", SIDE, {}, Wrong.apply, {"x": (2,)})
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradchecks.checking(wrong, fast=False)()


def test_no_two_values_are_near_a_tie():
    found = np.sort(cases.values((4, 32, 32), 0).ravel())
    assert np.diff(found).min() > 1e-5


def test_wrong_rules_are_of_every_family():
    rules = list(cases.wrong_rules())
    assert len(rules) == 2 * len(WRITTEN)
    assert all(isinstance(op, Op) and name.startswith(("jvp", "vjp")) for op, name in rules)


def test_runs_end_once_they_took_enough():
    assert clock.repeated(lambda: clock.ENOUGH) == (clock.ENOUGH, 1)
    assert clock.repeated(iter((1e-3, 3e-3, 2e-3)).__next__) == (2e-3, 3)


# The page.

FIGURES = {"seconds": 0.5, "theorems": 2, "slowest": "vjp x_bar", "slowest_seconds": 0.25}
CHECKS = {
    "4×8×8": {"seconds": 0.25, "fast": 0.002, "runs": 3},
    "4×16×16": {"seconds": 1.0, "fast": 0.003, "runs": 2},
    "4×32×32": {"predicted": 40.0, "bytes": 10},
}
FIGURE = {"what": "a figure", "value": 12.3, "unit": "CPU s", "goal": 15, "note": "told"}
ORIGIN = {"version": "0.0 at abc", "loop": 0.125}
DATA = {
    "machine": "a machine",
    "shapes": list(CHECKS),
    "limits": {"gradcheck": 6.0, "sympy": 2.0},
    "ops": {
        name: ORIGIN
        | {
            "derivatives": FIGURES,
            "all": FIGURES | {"seconds": 2.0},
            "gradcheck": CHECKS,
            "sympy": {"4×8×8": {"seconds": 0.125}, "4×16×16": {"cut_off": 2.0}},
        }
        for name in OPS
    },
    "figures": [ORIGIN | FIGURE],
}


def test_the_page_tells_every_figure():
    text = page.page(DATA)
    for name in OPS:
        row = "| 0.50 | 2.0 | 0.25 | 1.0 | skipped, about 40 | 0.003 | 0.12 | > 2 | – |"
        assert f"| `{name}` {row} 0.0 at abc | 0.125 |" in text
        assert f"| `{name}` | 2.00 | 0.50 |  |" in text
    assert "| a figure | 12 CPU s | 15 | told | 0.0 at abc | 0.125 |" in text
    assert "| JVP and VJP of any op, the dearest | 0.50 CPU s | 0.3 |" in text
    assert "`make scale` does" in text


def test_one_op_is_measured_anew_and_the_others_keep_their_version(elsewhere, monkeypatch):
    first, *others = OPS
    row = {**DATA["ops"][first], "all": FIGURES | {"seconds": 4.0}}
    del row["version"], row["loop"]
    monkeypatch.setattr(command, "measured", lambda op: row)
    monkeypatch.setattr(command, "version", lambda: "0.1 at def")
    monkeypatch.setattr(command, "ROOT", command.PAGE.parent)
    monkeypatch.setattr(sys, "argv", ["bench", first])
    assert command.main() == 0
    found = command.read()["ops"]
    assert found[first] == row | {"version": "0.1 at def", "loop": 0.1}
    assert {found[name]["version"] for name in others} == {"0.0 at abc"}
    assert "op, 0.1 at def and 0.0 at abc" in command.README.read_text("utf-8")
    monkeypatch.setattr(sys, "argv", ["bench", "max_pol"])
    assert command.main() == 2


def test_what_fails_keeps_its_rows_and_the_others_are_written(elsewhere, monkeypatch, capsys):
    """Each as soon as it is there, so that a run that is cut off has lost nothing."""
    first, second, *_ = OPS
    row = {key: v for key, v in DATA["ops"][first].items() if key not in ORIGIN}
    written = []

    def measured(op):
        written.append(command.read()["ops"][first]["version"])
        if op.name == first:
            return row
        raise RuntimeError("it ran out of memory")

    def none():
        raise OSError("no process")

    parts = {"one": lambda: [figures.Figure("another", 1.0, "s")], "two": none}
    monkeypatch.setattr(figures, "PARTS", parts)
    monkeypatch.setattr(command, "measured", measured)
    monkeypatch.setattr(command, "version", lambda: "0.1 at def")
    monkeypatch.setattr(command, "ROOT", command.PAGE.parent)
    monkeypatch.setattr(sys, "argv", ["bench", first, second, "figures"])
    assert command.main() == 1
    assert written == ["0.0 at abc", "0.1 at def"]
    found = command.read()
    assert [found["ops"][name]["version"] for name in (first, second)] == [
        "0.1 at def",
        "0.0 at abc",
    ]
    assert [one["what"] for one in found["figures"]] == ["a figure", "another"]
    said = capsys.readouterr().err
    assert f"{second}: FAILED, its rows stay as they were: RuntimeError: it ran out" in said
    assert "two: FAILED" in said


def test_the_version_measured_is_told_with_its_commit():
    from bench.commands import version
    from gradproof import __version__

    assert version().startswith(__version__)


def test_the_page_tells_of_scale():
    run = {"definitions": 2000, "theorems": 17600, "wall": 100.0, "cpu": 190.0}
    run |= {"worker_megabytes": 130.0, "command_megabytes": 90.0}
    found = {"jobs": 2, "machine": "a machine", "unit": 0.1, "runs": [run], "version": "0.0"}
    text = page.page(DATA | {"scale": found})
    assert "| 2,000 | 17,600 | 100 | 190 | 95 | 130 | 90 |" in text


def test_the_page_tells_how_long_the_checks_take():
    one = {"wall": 45.2, "cpu": 81.0, "passed": 1234, "unit": 0.1, "machine": "a machine"}
    one["version"] = "0.0 at abc"
    text = page.page(DATA | {"tests": {"smoke": one}})
    assert "| `make smoke` | 45 | 60 | 81 | 1,234 | 0.100 | a machine | 0.0 at abc |" in text
    for missing in ("| `make test` | not measured | 240 |", "| `.ci/run` | not measured | 480 |"):
        assert missing in text
        assert missing in page.page(DATA)


def test_the_proof_is_a_flat_line_and_gradcheck_is_none():
    root = ElementTree.fromstring(plot.plot(DATA, DATA["shapes"]))
    heights = {}
    for line in root.iter("{http://www.w3.org/2000/svg}polyline"):
        points = [point.split(",") for point in line.get("points").split()]
        heights.setdefault(line.get("class"), []).append([float(y) for _, y in points])
    assert {len(set(ys)) for ys in heights["line proof"]} == {1}
    assert all(len(ys) == 3 for ys in heights["line proof"])
    assert all(ys == sorted(ys, reverse=True) and len(ys) == 2 for ys in heights["line gradcheck"])


def test_labels_do_not_cover_each_other():
    assert plot.places({"a": 10, "b": 12, "c": 200}, apart=30) == {"a": 10, "b": 40, "c": 200}


def test_the_readme_has_its_place_for_the_table():
    text = page.with_summary(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n", DATA)
    assert text.startswith(f"before\n{page.BEGIN}\n| op, 0.0 at abc |")
    assert text.endswith(f"\n{page.END}\nafter\n")
    assert "old" not in text
    with pytest.raises(ValueError, match="no lines"):
        page.with_summary("no place", DATA)


def test_what_is_committed_is_what_was_measured():
    data = command.read()
    assert page.page(data) == command.PAGE.read_text("utf-8")
    assert plot.plot(data, data["shapes"]) == command.PLOT.read_text("utf-8")
    readme = command.README.read_text("utf-8")
    assert page.with_summary(readme, data) == readme
    assert list(data["ops"]) == list(OPS)


def test_no_machine_is_named():
    import socket

    text = Path(command.DATA).read_text("utf-8")
    assert socket.gethostname() not in text
    assert "/home" not in json.dumps(json.loads(text))


# The checks of this repository, with other commands in their places.


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """What is written is written here, and a run of these commands is begun by calling it."""
    monkeypatch.setattr(clock, "units", lambda: 0.1)
    for name in ("DATA", "PAGE", "PLOT", "README"):
        monkeypatch.setattr(command, name, tmp_path / name)
    command.README.write_text(f"{page.BEGIN}\n{page.END}\n", "utf-8")
    command.DATA.write_text(json.dumps(DATA), "utf-8")

    def run(*names, **programs):
        for name, program in programs.items():
            part = times.Part((sys.executable, "-c", program), 60, in_clone=name == "ci")
            monkeypatch.setitem(times.PARTS, name, part)
        monkeypatch.setattr(sys, "argv", ["bench", "tests", *names])
        return command.main()

    return run


PASSES = "print('9 passed in 1.00s, they say'); print('= 12 passed, 3 skipped in 0.50s =')"
FAILS = "print('= 1 failed, 12 passed in 0.50s ='); raise SystemExit(2)"


def test_a_check_that_fails_is_told_and_not_written(elsewhere, capsys):
    assert elsewhere("smoke", "test", smoke=FAILS, test=PASSES) == 1
    found = command.read()["tests"]
    assert list(found) == ["test"]
    assert found["test"]["passed"] == 12
    assert found["test"]["wall"] > 0
    assert found["test"]["cpu"] > 0
    said = capsys.readouterr().err
    assert "FAILED, not written: exit status 2" in said
    assert "= 1 failed, 12 passed in 0.50s =" in said
    assert page.page(command.read()) == command.PAGE.read_text("utf-8")
    assert elsewhere("smoke", smoke="print('all is well')") == 1
    assert "no line tells how many tests passed" in capsys.readouterr().err
    assert command.read()["tests"] == found


def test_an_interrupt_keeps_what_was_measured_and_ends_what_runs(elsewhere, monkeypatch, tmp_path):
    """The command is at its first line, and would go on for an hour."""
    monkeypatch.setattr(times, "PATIENCE", 300)

    def interrupted(line, **_):
        if line == "begun\n":
            raise KeyboardInterrupt

    monkeypatch.setattr(times, "print", interrupted, raising=False)
    goes_on = f"""
import time
try:
    print("begun", flush=True)
    time.sleep(3600)
except KeyboardInterrupt:
    open({str(tmp_path / "ended")!r}, "w").close()
"""
    with pytest.raises(KeyboardInterrupt):
        elsewhere("smoke", "test", smoke=PASSES, test=goes_on)
    assert list(command.read()["tests"]) == ["smoke"]
    assert (tmp_path / "ended").exists()


def test_ci_runs_in_a_fresh_clone(elsewhere, tmp_path, monkeypatch):
    here = tmp_path / "here"
    git = ("git", "-C", here, "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=0")
    here.mkdir()
    (here / "known").touch()
    for arguments in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "m")):
        subprocess.run([*git, *arguments], check=True)
    (here / ".venv").mkdir()
    monkeypatch.setattr(times, "ROOT", here)
    assert elsewhere("ci", ci=f"import os; assert 'known' in os.listdir(); {PASSES}") == 0
    assert elsewhere("ci", ci=f"import os; assert '.venv' in os.listdir(); {PASSES}") == 1
    monkeypatch.setattr(times, "ROOT", tmp_path / "nowhere")
    assert elsewhere("ci", ci=PASSES) == 1


def test_a_part_that_is_none(elsewhere, capsys):
    assert elsewhere("smoke", "tset") == 2
    assert "no such part: tset; there are smoke, test, ci" in capsys.readouterr().err
