"""The equation that failed is shown as its file has it, beside the one with helpers written out."""

import pytest
from commands import gradproof, run_pytest, write

from gradproof.cli.workers.load import load
from gradproof.show.lesson import Lesson

POOL = """\
from gradproof.language import *

C, c = integers("C c")
n, k, s, p = axes("n k s p")
i, j, o = axes("i j o")
m = floor_div(n + 2*p - k, s) + 1
x, y = array("x", C, n), array("y", C, m)
x_bar, y_bar = cotangent(x), cotangent(y)
window = (j, 0, k - 1)
covering = (o, Max(0, ceil_div(i + p - k + 1, s)), Min(m - 1, floor_div(i, s)))


def mean(total):
    return total / product(k)


rule = Eq(x_bar[c, i], mean(Sum(y_bar[c, o], covering)))
pool = Op(
    "pool",
    requires=(n >= 1, k >= 1, s >= 1, p >= 0, n + 2*p >= k),
    forward=Eq(
        y[c, o],
        mean(Sum(zero_padded(x)[c, s*o + j - p], window)),
    ),
    vjp=(rule,),
)
"""
WRITTEN = "as written         Eq(x_bar[c, i], mean(Sum(y_bar[c, o], covering)))"


def test_it_is_shown_beside_the_one_with_helpers_written_out(tmp_path):
    write(tmp_path, pool=POOL)
    only = ("--only", "vjp x_bar", "--sarif", "out.sarif")
    done = gradproof("check", "pool.py", *only, cwd=tmp_path)
    lines = [line.strip() for line in done.stdout.splitlines()]
    number = lines.index(WRITTEN)
    assert lines[number - 1].startswith("the equation       x_bar[c, i] = (Σ_{o = max(0, ⌈")
    assert "mean(Sum(y_bar" in (tmp_path / "out.sarif").read_text("utf-8")
    assert WRITTEN in run_pytest(tmp_path, "--gradproof").stdout
    assert WRITTEN in gradproof("explain", "pool.py", "vjp x_bar", cwd=tmp_path).stdout


def test_what_is_kept_of_another_text_is_not_shown(tmp_path):
    """A lesson is kept by what the op says; how its file says that is read anew."""
    for text in (POOL, POOL.replace("covering", "covers")):
        write(tmp_path, pool=text)
        done = gradproof("check", "pool.py", "--only", "vjp x_bar", cwd=tmp_path)
        assert ("covers)" in done.stdout) is (text != POOL)


@pytest.mark.parametrize(
    ("equation", "written"),
    [
        ("forward", "Eq( y[c, o], mean(Sum(zero_padded(x)[c, s*o + j - p], window)), )"),
        ("vjp x_bar", "Eq(x_bar[c, i], mean(Sum(y_bar[c, o], covering)))"),
        ("sizes", ""),
        ("claim unknown", ""),
        ("", ""),
    ],
)
def test_each_equation_has_its_own_text(equation, written, tmp_path):
    write(tmp_path, pool=POOL)
    (found,) = load(tmp_path / "pool.py")
    assert found.source.written(found.op, equation) == written


def test_a_long_equation_is_cut():
    told = Lesson(("the equation       y = x",)).beside("x + " * 200)
    assert len(told.text[1]) < 230
    assert told.text[1].endswith(" …")
    assert Lesson(("a",)).beside("") == Lesson(("a",))
