"""`gradproof check FILE::NAME --input …` and `gradproof show`, of code."""

import importlib
import json
import subprocess
import sys

import pytest
from commands import gradproof

from gradproof.cli import code
from gradproof.cli.main import main
from gradproof.cli.named import named
from gradproof.show.advice import advice
from gradproof.tracing.reports import Report

CODE = """
import numpy as np


def scale(x, w):
    return x * w


def right(dy, x, w):
    return dy * w, np.sum(dy * x, axis=0)


def wrong(dy, x, w):
    return dy * w, np.mean(dy * x, axis=0)


def kinked(x):
    return np.maximum(x, 0)


def back(dy, x):
    return dy * (x > 0)


TEN = 10
"""
TORCH = """
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g
"""
NARROW = """
import numpy as np


def scale(x, w):
    return np.sort(x) if x.shape[0] >= 1000 else x * w


def right(dy, x, w):
    return dy * w, np.sum(dy * x, axis=0)
"""
SAID = ["--input", "x=N,C", "--input", "w=C"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some_code.py").write_text(CODE, "utf-8")
    return "some_code.py"


def test_code_is_proved_by_one_command(file, capsys):
    assert main(["check", f"{file}::scale,right", *SAID, "--requires", "N >= 2"]) == 0
    printed = capsys.readouterr().out
    assert "proved" in printed
    assert "some_code.py:5" in printed


def test_wrong_code_is_refuted_and_what_is_saved_fails_when_run(file, tmp_path, capsys):
    options = ["--save", "failures", "--json", "found.json", "--sarif", "found.sarif"]
    assert main(["check", f"{file}::scale,wrong", *SAID, *options]) == 1
    assert "by finite differences of the code" in capsys.readouterr().out
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert found["ops"][0]["theorems"][0]["status"] == "refuted"
    assert "gradient" in (tmp_path / "found.sarif").read_text("utf-8")
    [saved] = (tmp_path / "failures").iterdir()
    ran = subprocess.run([sys.executable, saved], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "AssertionError" in ran.stderr
    text = saved.read_text("utf-8").replace("scale, wrong", "scale, right")
    saved.write_text(text, "utf-8")
    assert subprocess.run([sys.executable, saved], check=False).returncode == 0


def test_show_prints_what_was_read(file, capsys):
    assert main(["show", f"{file}::scale,right", *SAID]) == 0
    assert "x_bar[i1, i2] = y_bar[i1, i2]·w[i2]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ([], 3),
        (["--scope", "sizes read"], 0),
        (["--requires", "N < 900"], 0),
        (["--at", "N=3"], 0),
    ],
)
def test_a_proof_where_the_code_was_read_is_narrower_than_asked(more, status, tmp_path, capsys):
    path = tmp_path / "narrow_code.py"
    path.write_text(NARROW, "utf-8")
    assert main(["check", f"{path}::scale,right", *SAID, *more]) == status
    printed = capsys.readouterr().out
    assert ('say scope="sizes read" (--scope)' in printed) is bool(status)
    assert ("only where" in printed) is (more[:1] in ([], ["--scope"]))


def test_all_sizes_that_were_asked_are_no_limited_scope(file, capsys):
    assert main(["check", f"{file}::kinked,back", "--input", "x=N,C"]) == 0
    printed = capsys.readouterr().out
    assert "off the boundary" in printed
    assert "limited scope" not in printed


def test_code_that_is_open_is_answered_by_what_to_do_next(file, capsys):
    verdict = code.verdict_of(
        named(f"{file}::scale,right", None), Report("scale", "unknown", "", "vjp x_bar: unknown")
    )
    assert "gradproof show FILE::NAME --input" in advice(verdict)


LOOPS = """
import numpy as np


def halved(x):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] + 0.5 * y[i // 2]
    return y


def back(dy):
    dx = dy.copy()
    for i in range(dy.shape[0] - 1, 0, -1):
        dx[i // 2] += 0.5 * dx[i]
    return dx


def back_of_sort(dy, x):
    return np.sort(dy)
"""


def test_where_fixing_a_size_helps_the_option_of_the_command_is_named(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    path = "loops.py"
    (tmp_path / path).write_text(LOOPS, "utf-8")
    asked = ["check", f"{path}::halved,back", "--input", "x=N"]
    assert main(asked) == 3
    printed = capsys.readouterr().out
    assert "it can be read where sizes are fixed, --at N=" in printed
    assert "sizes={" not in printed
    assert "; loops.py:" in printed
    assert str(tmp_path) not in printed
    assert main([*asked, *printed.partition("sizes are fixed, ")[2].split()[:2]]) == 0
    assert main(["check", f"{path}::halved,back_of_sort", "--input", "x=N"]) != 0
    assert "sizes are fixed" not in capsys.readouterr().out


def test_sizes_can_be_fixed(file, capsys):
    assert main(["check", f"{file}::scale,right", *SAID, "--at", "N=2", "--at", "C=3"]) == 0
    assert "at N = 2, C = 3" in capsys.readouterr().out


@pytest.mark.parametrize("said", ["c=1e-5", "c=-2", "c=given:1e-5"])
def test_a_number_that_is_no_size_is_a_value(said, tmp_path, capsys):
    path = tmp_path / "shifted.py"
    path.write_text(
        "def shift(x, c):\n    return x * c\n\n\ndef back(dy, x, c):\n    return dy * c\n", "utf-8"
    )
    assert main(["check", f"{path}::shift,back", "--input", "x=N,C", "--input", said]) == 0
    assert "proved" in capsys.readouterr().out


def test_a_class_of_pytorch_is_known_by_what_its_file_imports(tmp_path, capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    (tmp_path / "doubling.py").write_text(TORCH, "utf-8")
    assert main(["check", f"{tmp_path}/doubling.py::Double", "--input", "x=N,C"]) == 0
    assert "proved" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["::scale,right", *SAID[:2]], "missing"),
        (["::scale", *SAID], "named with its backward"),
        (["::sale,right", *SAID], "there are scale, right, wrong"),
        (["::scale,right", "--input", "x"], "as in x=N,C"),
        (["::scale,right", "--input", "x=integer:N"], "integer:N<C"),
        (["::scale,right", *SAID, "--at", "N"], "--at N=2"),
        (["::scale,right", *SAID, "--at", "K=2"], "no shape has a size K"),
        (["::TEN", *SAID], "an op is settled without --input"),
        (["::scale"], "to prove code, say its inputs: --input x=N,C"),
        (["::scale,right", "--input", "x=1.5,C"], "'1.5' is no size"),
        (["::scale,right", "--input", "x=N/2,C"], "'N/2' is no size"),
        (["::scale,right", "--input", "x=True"], "'True' is no size"),
    ],
)
def test_what_is_said_wrongly_is_answered_by_how_it_is_said(file, arguments, words, capsys):
    first, *rest = arguments
    assert main(["check", file + first, *rest]) == 2
    assert words in capsys.readouterr().err


def test_a_number_alone_is_the_number_and_a_shape_has_a_comma():
    adapter = importlib.import_module("gradproof.numpy")
    assert code.argument(adapter, "dilation=2") == ("dilation", 2)
    assert code.argument(adapter, "x=2,") == ("x", (2,))
    assert code.argument(adapter, "x=N") == ("x", ("N",))
    assert code.argument(adapter, "eps=1e-5") == ("eps", 1e-5)


BOTH = """
from gradproof.language import *

n, i = integers("n i")
x, y = array("x", n), array("y", n)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
size = (n >= 1,)
forward = Eq(y[i], x[i] ** 2)
bare = Op("bare", requires=size, forward=forward)
pushed = Op("pushed", requires=size, forward=forward, jvp=Eq(y_dot[i], 2 * x[i] * x_dot[i]))
pulled = Op("pulled", requires=size, forward=forward, vjp=Eq(x_bar[i], 2 * x[i] * y_bar[i]))


def square(x):
    return x**2


def back(dy, x):
    return 2 * x * dy
"""


@pytest.fixture
def both(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "both.py").write_text(BOTH, "utf-8")
    return "both.py"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["cube"], "there is no op 'cube' in it; there are bare, pushed, pulled; its code is"),
        (["cube"], "--input x=N,C: square, back"),
        (["square"], "square is code, no op; say its inputs to prove it: --input x=N,C"),
        (["cube,back", "--input", "x=N"], "there are square, back; ops are settled without"),
        (["cube,back", "--input", "x=N"], "without --input: bare, pushed, pulled"),
    ],
)
def test_of_a_file_of_ops_and_code_both_are_named(asked, said, both, capsys):
    assert main(["check", f"{both}::{asked[0]}", *asked[1:]]) == 2
    assert said in capsys.readouterr().err


def test_a_vjp_that_is_not_given_is_told_once_of_each_op(both, capsys):
    assert main(["check", both]) == 0
    printed = capsys.readouterr().out
    for name in ("bare", "pushed"):
        told = f"No VJP of {name} is given, so none was asked: gradproof show both.py::{name} "
        assert printed.count(told) == 1
    assert "No VJP of pulled" not in printed
    assert "No JVP" not in printed


def test_explain_shows_what_was_read_of_code_what_is_compared_and_what_was_found(file, capsys):
    asked = ["explain", f"{file}::scale,right"]
    assert main([*asked, *SAID]) == 0
    printed = capsys.readouterr().out
    assert "x_bar[i1, i2] = y_bar[i1, i2]·w[i2]" in printed
    assert "vjp x_bar: proved; all sizes\n  ∂y[" in printed
    assert printed.endswith("scale: proved, for all sizes with N ≥ 1; C ≥ 1\n")
    assert main([*asked, "vjp w*", *SAID]) == 0
    assert "vjp x_bar: proved" not in capsys.readouterr().out
    assert main(["explain", f"{file}::scale,wrong", *SAID]) == 1
    assert "by finite differences of the code" in capsys.readouterr().out
    assert main([*asked, *SAID, "--record", "-"]) == 2


ENDS = """
import atexit
import os
import sys

import numpy as np


def leave(x):
    {how}
    return 2 * x


def back(dy, x):
    return 3 * dy
"""


@pytest.mark.parametrize(
    "how",
    [
        "sys.exit(0)",
        "raise SystemExit",
        "os._exit(0)",
        "os.execvp('true', ['true'])",
        "os.kill(os.getpid(), 9)",
        "atexit.register(os._exit, 0)",
    ],
)
@pytest.mark.parametrize("where", ["in the module", "in the function"])
def test_code_that_ends_the_process_is_not_settled(tmp_path, how, where):
    """SOUNDNESS: the command ended there, with status 0 and without a word."""
    text = ENDS.format(how=how if where == "in the function" else "pass")
    (tmp_path / "some.py").write_text(text if "function" in where else f"{text}\n\n{how}\n")
    done = gradproof("check", "some.py::leave,back", "--input", "x=N", cwd=tmp_path)
    assert done.returncode in (1, 2, 3)
    assert done.stdout + done.stderr
    shown = gradproof("show", "some.py::leave,back", "--input", "x=N", cwd=tmp_path)
    assert shown.returncode or shown.stdout


def test_the_status_of_code_is_told_by_the_process_that_settled_it(tmp_path):
    (tmp_path / "some.py").write_text(ENDS.format(how="pass"))
    asked = ("--input", "x=N")
    assert gradproof("check", "some.py::leave,back", *asked, cwd=tmp_path).returncode == 1
    (tmp_path / "some.py").write_text(ENDS.format(how="pass").replace("3 * dy", "2 * dy"))
    assert gradproof("check", "some.py::leave,back", *asked, cwd=tmp_path).returncode == 0
    ended = ENDS.format(how="pass").replace("3 * dy", "2 * dy") + "\natexit.register(os._exit, 7)\n"
    (tmp_path / "some.py").write_text(ended)
    assert gradproof("check", "some.py::leave,back", *asked, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(("back", "status"), [("right", 0), ("wrong", 1)])
def test_a_test_of_code_is_written(tmp_path, back, status):
    """Of shapes at which it was found to run; the test fails where the gradient is wrong."""
    (tmp_path / "mine.py").write_text(CODE, "utf-8")
    done = gradproof("new", "--from", f"mine.py::scale,{back}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "test_scale.py").read_text("utf-8")
    assert f'gp.assert_proved(scale, {back}, x=("N", "C"), w=("C",))' in written
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_scale.py"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == status
    again = gradproof("new", "--from", f"mine.py::scale,{back}", cwd=tmp_path)
    assert again.returncode == 2
    assert "test_scale.py exists already" in again.stderr


def test_code_that_runs_at_no_shapes_gets_no_test(tmp_path):
    (tmp_path / "mine.py").write_text(CODE.replace("return x * w", "raise ValueError"), "utf-8")
    done = gradproof("new", "--from", "mine.py::scale,right", cwd=tmp_path)
    assert done.returncode == 2
    assert "no shapes were found at which it runs" in done.stderr
    assert gradproof("new", cwd=tmp_path).returncode == 2
