"""The audits of other people's code: their tables, and how code from a wheel is loaded and run."""

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

import pytest

from trust.audits import page, run
from trust.audits.tables import Row, formulas, packages

MODULE = """
import nowhere_installed as absent
from nowhere_installed.inner import something, decorated
from torch.autograd import Function
from strange import helper


class Base(absent.Base):
    pass


@decorated
def double(x):
    return helper(x)


class Right(Function):
    @staticmethod
    def forward(ctx, x):
        return double(x)

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class Wrong(Right):
    @staticmethod
    def backward(ctx, g):
        return g


def connects(x):
    import socket
    socket.create_connection(("127.0.0.1", 9))


def dies(x):
    import os
    os._exit(1)
"""


def row(call, **changed):
    return replace(Row(call, call, ("x=N",), (), False, "strange", "1", "strange.code"), **changed)


def test_rows_say_what_is_required_and_what_is_wrong_on_purpose():
    rows = packages()
    assert len(rows) >= 150
    assert len({r.package for r in rows}) >= 60
    assert any(r.on_purpose for r in rows)
    assert all(re.fullmatch(r"[\w.]+", r.version) for r in rows)
    assert not any("|" in part for r in rows for part in r.requires)
    asked = [(r.name, r.column) for r in formulas()]
    assert len(set(asked)) == len(asked) >= 4 * 400


def test_each_formula_is_an_entry_of_the_wheel():
    pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    home = Path(importlib.util.find_spec("torchgen").origin).parent
    text = (home / "packaged/autograd/derivatives.yaml").read_text("utf-8")
    known = set(re.findall(r"^- name: *([\w.]+)\(", text, re.MULTILINE))
    assert [r.name for r in formulas() if r.name not in known] == []


@pytest.fixture
def strange(tmp_path, monkeypatch):
    """A package as a wheel is unpacked, with an import at its beginning that cannot be had."""
    (tmp_path / "strange").mkdir()
    begin = "import nowhere_installed\ndef helper(x):\n    return 2 * x\n"
    (tmp_path / "strange" / "__init__.py").write_text(begin, "utf-8")
    (tmp_path / "strange" / "code.py").write_text(MODULE, "utf-8")
    monkeypatch.setattr(run, "unpacked", lambda home: tmp_path)


@pytest.mark.slow
def test_code_of_a_package_is_proved_or_refuted_and_can_neither_connect_nor_hang(strange):
    pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    calls = ["m.Right.apply(x)", "m.Wrong.apply(x)", "m.connects(x)", "m.dies(x)", "m.none(x)"]
    found = [one for _, one in run.audited([row(call) for call in calls])]
    assert [one["status"] for one in found[:2]] == ["proved", "refuted"]
    assert "is not for code that is audited" in found[2]["note"]
    assert "no answer" in found[3]["note"]
    assert found[4]["status"] == "unreadable"


def test_the_page_has_a_row_for_each_function_and_says_what_stopped_it():
    proved = {"status": "proved", "scope": "for all sizes with N ≥ 1; x[i] > 0", "note": ""}
    stopped = {
        "status": "unreadable",
        "scope": "",
        "note": "a.py:1: `x | y`: aten.sort is not read",
    }
    rows = [(row("f(x)"), proved | {"seconds": 1.25}), (row("g(x)"), stopped | {"seconds": 0.0})]
    text = page.written([], rows, "2", "1/8")
    assert "| strange 1 | `strange.code.f(x)` | proved | all sizes with x[i] > 0 | 1.2 |" in text
    assert "2 functions of 1 packages: 1 proved, 1 unreadable." in text
    assert "| `g(x)` | a.py:1: `x \\| y`: aten.sort is not read |" in text


def test_what_was_found_is_counted_by_framework():
    def found(status, seconds):
        return {"status": status, "seconds": seconds}

    meant, purposely = row("f(x)"), row("s(x)", on_purpose=True)
    jax = row("h(x)", framework="jax", package="other")
    pairs = [
        *((meant, found(s, 1.0)) for s in ("proved", "proved", "unknown", "refuted")),
        (purposely, found("refuted", 2.0)),
        (purposely, found("unknown", 4.0)),
        (jax, found("proved", 0.5)),
    ]
    assert [*page.summary(pairs)] == [
        ["torch", "1", "2 of 3 (66 %)", "1 unknown", "1 of 2", "1", "1.0 / 4.0"],
        ["jax", "1", "1 of 1 (100 %)", "", "0 of 0", "0", "0.5 / 0.5"],
    ]


def test_in_numpy_a_row_names_a_function_and_its_backward(tmp_path, monkeypatch):
    from trust.audits import worker

    monkeypatch.setattr(worker, "names", lambda row: {"m": run})
    call = {"framework": "numpy", "call": "m.audited, m.failed", "inputs": ["x=N"]}
    assert worker.functions(call, ["x"]) == (run.audited, run.failed)
    assert worker.functions({**call, "call": "m.Worker"}, ["x"]) == (run.Worker,)
    (called,) = worker.functions({**call, "framework": "torch", "call": "m.failed(x)"}, ["x"])
    assert called("why")["note"] == "why"


def test_an_entry_of_the_yaml_is_a_row_with_a_column_for_each_of_what_is_asked():
    vjp, forward, *_ = [replace(r, call="torch.f(x)", name="f") for r in formulas()[:4]]
    stopped = {"scope": "", "note": "it is not read", "seconds": 0.5, "counterexample": None}
    narrow = {"status": "proved", "scope": "for all sizes, only where N = 2", "note": ""}
    found = [(vjp, stopped | narrow), (forward, stopped | {"status": "unreadable"})]
    text = page.written(found, [], "2", "1/8")
    assert "| `f` | `torch.f(x)` | proved* | unreadable |  |  | all sizes, only where N = 2" in text
    assert "- VJP: 1 of 1 settled: 1 proved." in text
    assert "- forward mode: 0 of 1 settled: 1 unreadable." in text
    assert "| `f`: forward mode | it is not read |" in text


@pytest.mark.slow
def test_forward_mode_of_forward_mode_is_proved_and_where_it_is_0_refuted():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    from gradproof.torch.derived import Derived
    from gradproof.torch.running import TorchCode
    from gradproof.tracing.declared import Declared
    from gradproof.tracing.judging import judged
    from trust.audits.twice import pushed_twice

    class Cube(torch.autograd.Function):
        forward = staticmethod(lambda x: x**3)
        setup_context = staticmethod(lambda ctx, inputs, output: ctx.save_for_forward(*inputs))
        backward = staticmethod(lambda ctx, g: 3 * ctx.saved_tensors[0] ** 2 * g)
        jvp = staticmethod(lambda ctx, t: 3 * ctx.saved_tensors[0] ** 2 * t)

    def asked(function):
        return judged(Derived(TorchCode(function, Declared({"x": "N"})), pushed_twice)).status

    assert asked(torch.sin) == "proved"
    assert asked(Cube) != "proved"  # of which PyTorch gives 0
