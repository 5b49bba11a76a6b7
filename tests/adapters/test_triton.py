"""Triton kernels as they stand: right ones are proved, slips refuted, what is not read refused."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
pytest.importorskip("triton", reason="Triton is not installed: pip install 'gradproof[triton]'")

import triton_kernels as written
import triton_pairs as pairs
from triton_false import FALSE
from triton_slips import OPEN, SLIPS

from gradproof import torch as gp
from gradproof.triton import operations

PAIRS = Path(pairs.__file__).read_text("utf-8")
SOURCE = Path(written.__file__).read_text("utf-8")
ROOT = Path(__file__).parents[2]
QUICK = {("Softmax", 2), ("Softmax", 4), ("RMSNorm", 1), ("CrossEntropy", 4), ("Bias", 0)}


def some(rows, quick):
    return [row if row in quick else pytest.param(*row, marks=pytest.mark.slow) for row in rows]


def loaded(text, folder, name):
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name",
    [
        "Softmax",
        "CrossEntropy",
        *(
            pytest.param(n, marks=pytest.mark.slow)
            for n in written.SAID
            if n not in ("Softmax", "CrossEntropy")
        ),
    ],
)
def test_a_right_pair_is_proved(name):
    report = gp.check(getattr(written, name), **written.SAID[name])
    assert report.status == "proved", report
    claims = [v.name for v in report.readings[0].verdicts if v.kind == "claim"]
    assert any("no two programs meet" in claim for claim in claims)


@pytest.mark.parametrize(
    ("name", "number"),
    some([(n, k) for n, slips in SLIPS.items() for k in range(len(slips))], QUICK),
)
def test_a_slip_is_refuted(name, number, tmp_path):
    old, new = SLIPS[name][number]
    assert old in SOURCE
    module = loaded(SOURCE.replace(old, new), tmp_path, f"slip_{name}_{number}")
    report = gp.check(getattr(module, name), timeout=10, **written.SAID[name])
    if (name, number) in OPEN:
        assert not report, report
    else:
        assert report.status == "refuted", report


def test_a_fault_of_memory_names_the_line_the_sizes_the_program_and_the_lane(tmp_path):
    old, new = SLIPS["Softmax"][1]
    module = loaded(SOURCE.replace(old, new), tmp_path, "slip_told")
    said = str(gp.check(module.Softmax, x=("R", "C")))
    assert "in bounds, x" in said
    assert "at R = 1, C = 3, BLOCK = 4\n" in said
    assert "program 0, lane 3\n" in said
    assert "reads memory outside of all tensors" in said


def test_a_reading_that_is_wrong_is_not_believed(monkeypatch):
    right = operations.KNOWN["sum"]
    monkeypatch.setitem(
        operations.KNOWN, "sum", lambda *a, **k: operations.shared("mul", 2, right(*a, **k))
    )
    report = gp.check(written.Softmax, x=("R", "C"))
    assert report.status == "error"
    assert "disagree" in str(report)


REFUSED = {
    "tl.cumsum is not read": (
        "v * (g - tl.sum(v * g, axis=0))",
        "v * (g - tl.sum(v * g, axis=0) + 0 * tl.cumsum(v, axis=0))",
    ),
    "this statement is not read": (
        "    mask = cols < C\n    v =",
        "    k = 0\n    while k < 0:\n        k += 1\n    mask = cols < C\n    v =",
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_not_read_is_refused_with_the_line(words, tmp_path):
    old, new = REFUSED[words]
    assert old in SOURCE
    module = loaded(SOURCE.replace(old, new), tmp_path, f"refused_{len(words)}")
    said = str(gp.check(module.Softmax, x=("R", "C")))
    assert "unreadable" in said or "it was not read" in said
    assert words in said
    assert re.search(r"refused_\d+\.py:\d+: `", said)


def test_the_page_on_kernels_says_what_is_printed(tmp_path, capsys):
    page = (ROOT / "docs/kernels.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    *_, told = code.partition("# Softmax")
    loaded(code, tmp_path, "example")
    printed = capsys.readouterr().out
    assert printed.split() == ("Softmax" + told.replace("\n# ", "\n")).split()
    right = code.replace("other=0.0)\n    e", 'other=-float("inf"))\n    e')
    loaded(right, tmp_path, "example_mended")
    assert capsys.readouterr().out.strip() in page
    unmasked = right.replace("e / tl.sum(e, axis=0), mask=inside", "e / tl.sum(e, axis=0)")
    loaded(unmasked, tmp_path, "example_unmasked")
    last = capsys.readouterr().out.replace(f"{tmp_path}/example_unmasked", "example")
    for line in last.strip().splitlines():
        assert re.sub(r":\d+:", ":15:", line.strip()) in page


@pytest.mark.parametrize(
    "name",
    [n if n == "Rope" else pytest.param(n, marks=pytest.mark.slow) for n in pairs.SAID],
)
def test_right_pairs_of_more_kinds_are_proved(name):
    report = gp.check(getattr(pairs, name), **pairs.SAID[name])
    assert report.status == ("unknown" if name == "Norm" else "proved"), report


FALSE_QUICK = {("Square", 9), ("Shifted", 1), ("Shifted", 2)}


@pytest.mark.parametrize(
    ("name", "number"),
    some([(n, k) for n, rows in FALSE.items() for k in range(len(rows))], FALSE_QUICK),
)
def test_a_false_kernel_is_not_green(name, number, tmp_path):
    old, new, *right = FALSE[name][number]
    assert old in PAIRS
    module = loaded(PAIRS.replace(old, new, 1), tmp_path, f"false_{name}_{number}")
    report = gp.check(getattr(module, name), timeout=10, **pairs.SAID[name])
    if right:
        assert report.status != "refuted", report
    else:
        assert not report, report
