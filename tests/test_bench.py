"""The bench compares like with like, and its page is written from its figures alone."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy
from gradproof import specs
from gradproof.evaluate import numeric
from gradproof.language import Op

import bench.__main__ as command
from bench import cases, clock, expansions, gradchecks, page, plot
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


@each_op
def test_what_is_expanded_is_the_op_that_is_proved(name, torch):
    """At a smaller shape, some of its cells."""
    side = 4
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
DATA = {
    "machine": "a machine",
    "version": "0.0",
    "unit": 0.1,
    "shapes": list(CHECKS),
    "limits": {"gradcheck": 6.0, "sympy": 2.0},
    "ops": {
        name: {
            "derivatives": FIGURES,
            "all": FIGURES | {"seconds": 2.0},
            "gradcheck": CHECKS,
            "sympy": {"4×8×8": {"seconds": 0.125}, "4×16×16": {"cut_off": 2.0}},
        }
        for name in OPS
    },
    "figures": [{"what": "a figure", "value": 12.3, "unit": "CPU s", "goal": 15, "note": "told"}],
}


def test_the_page_tells_every_figure():
    text = page.page(DATA)
    for name in OPS:
        row = "| 0.50 | 2.0 | 0.25 | 1.0 | skipped, about 40 | 0.003 | 0.12 | > 2 | – |"
        assert f"| `{name}` {row}" in text
        assert f"| `{name}` | 2.00 | 0.50 |  |" in text
    assert "| a figure | 12 CPU s | 15 | told |" in text
    assert "| JVP and VJP of any op, the dearest | 0.50 CPU s | 0.3 |" in text
    assert "`make scale` does" in text


def test_the_page_tells_of_scale():
    run = {"definitions": 2000, "theorems": 17600, "wall": 100.0, "cpu": 190.0}
    run |= {"worker_megabytes": 130.0, "command_megabytes": 90.0}
    found = {"jobs": 2, "machine": "a machine", "unit": 0.1, "runs": [run]}
    text = page.page(DATA | {"scale": found})
    assert "| 2,000 | 17,600 | 100 | 190 | 95 | 130 | 90 |" in text


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
    assert text.startswith(f"before\n{page.BEGIN}\n| op |")
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
