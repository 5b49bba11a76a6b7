"""What refutations teach: drawings, what would mend them, reproductions, lines of equations."""

import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import pytest

from gradproof import specs
from gradproof.cli.workers.load import load
from gradproof.evaluate import numeric
from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.evaluate.shapes import ascending
from gradproof.language import (
    Claim,
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    Windows,
    array,
    bracket,
    ceil_div,
    cotangent,
    floor_div,
    integers,
    product,
    tangent,
    zero_padded,
)
from gradproof.language.ops import target_of
from gradproof.language.terms import arrays
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.settle.mending import compared, is_wrong_with, mending
from gradproof.settle.suite import run, tasks
from gradproof.show.lessons import lesson, written
from gradproof.show.python import HELPERS, Python
from gradproof.show.readable import readable
from gradproof.show.reproduction import fails
from gradproof.specs.spatial import covering, i, j, k, m, n, o, p, s, window
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Theorem
from trust.mutants.written import WRITTEN

x, y = array("x", n), array("y", m)
requires = (n >= 1, k >= 1, s >= 1, p >= 0, n + 2 * p >= k)

PINNED = (*WRITTEN["avg_pool"], *WRITTEN["conv"])


def mean(**changes):
    right = Op(
        "mean",
        requires=requires,
        forward=Eq(y[o], Sum(zero_padded(x)[s * o + j - p], window) / product(k)),
        jvp=Eq(tangent(y)[o], Sum(zero_padded(tangent(x))[s * o + j - p], window) / product(k)),
        vjp=Eq(cotangent(x)[i], Sum(cotangent(y)[o], covering) / product(k)),
    )
    return replace(right, **changes)


def taught(op, theorem):
    """The verdict on one theorem of an op, and its lesson."""
    task = next(task for task in tasks(op) if task[0].name == theorem)
    verdict = run(op, task)
    assert verdict.status == "refuted"
    clause = mending(op, task[0], verdict.counterexample)
    return verdict, lesson(op, task[0], verdict).mended(*clause)


# Text and drawings.


def test_a_rule_that_forgets_the_padding_is_drawn():
    forgets = (o, Max(0, ceil_div(i - k + 1, s)), Min(m - 1, floor_div(i, s)))
    rule = Eq(cotangent(x)[i], Sum(cotangent(y)[o], forgets) / product(k))
    verdict, found = taught(mean(vjp=rule), "vjp x_bar")
    assert found.text[1:] == (
        "smallest sizes     n = 1, k = 1, s = 1, p = 1",
        "the entry          y[0] by x[0]",
        "the values         x = [0]",
        "the derivative     ∂y[0]/∂x[0] = 0",
        "the rule gives     ∂x_bar[0]/∂y_bar[0] = 1",
        "that is            with y_bar = [1, 0, 0] it makes x_bar[0] = 1, it should be 0",
        "the mistake        a term too many, or a wrong index: y_bar[0] does not belong here",
        "",
        "The window of y[0] over x:  [ ] in the window, · padding, * the entry",
        "     -1   0     1",
        "    [·]   0*    ·",
        "",
        "x[0] is read by y[1]; the rule takes y_bar[0].",
    )
    assert verdict.counterexample.smallest
    assert found.mend == ""


def test_only_what_is_drawn_is_explained_and_one_cell_is_not_drawn():
    N, a, b = integers("N a b")
    u, v = array("u", N), array("v")
    cells = (a, 0, N - 1)
    halved = Op(
        "mean",
        requires=(N >= 1,),
        forward=Eq(v[()], Sum(u[a], cells) / N),
        jvp=Eq(tangent(v)[()], Sum(tangent(u)[a], cells) / N),
        vjp=Eq(cotangent(u)[b], cotangent(v)[()] / 2),
    )
    _, found = taught(halved, "vjp u_bar")
    assert "sizes     N = 1" in "".join(found.text)
    assert not any("The window of" in line for line in found.text)
    more = replace(halved, requires=(N >= 3,))
    _, found = taught(more, "vjp u_bar")
    assert "The window of v[] over u:  [ ] in the window, * the entry" in found.text


def test_a_plane_is_drawn_in_rows():
    H, W, h, w, a, b = integers("H W h w a b")
    image, total = array("image", H, W), array("total", H, W)
    steps = ((a, 0, 1), (b, 0, 1))
    op = Op(
        "corner",
        requires=(H >= 1, W >= 2),
        forward=Eq(total[h, w], Sum(zero_padded(image)[h + a, w + b], *steps)),
        jvp=Eq(tangent(total)[h, w], Sum(zero_padded(tangent(image))[h + a, w + b], *steps)),
        vjp=Eq(cotangent(image)[h, w], Sum(zero_padded(cotangent(total))[h - a, w + b], *steps)),
    )
    _, found = taught(op, "vjp image_bar")
    drawn = found.text[found.text.index("") + 1 :]
    assert drawn[0].startswith("The window of total[0, 0] over image:")
    assert [line.split() for line in drawn[1:4]] == [
        ["0", "1", "2"],
        ["0", "[0]", "[0*]", "·"],
        ["1", "[·]", "[·]", "·"],
    ]


def test_a_weight_that_is_wrong_is_told_from_a_window_that_is():
    rule = Eq(cotangent(x)[i], Sum(cotangent(y)[o], covering))
    _, found = taught(mean(vjp=rule), "vjp x_bar")
    assert "the rule takes the right cells of y_bar, with a wrong weight" in found.text[-1]


def test_an_access_outside_is_named():
    unclipped = (o, Max(0, ceil_div(i + p - k + 1, s)), floor_div(i + p, s))
    rule = Eq(cotangent(x)[i], Sum(cotangent(y)[o], unclipped) / product(k))
    _, found = taught(mean(vjp=rule), "vjp x_bar: reads and writes")
    assert "the access         y_bar[1], of shape (1,)" in found.text
    assert any(line.startswith("but there          1 < 1 is false") for line in found.text)


def test_where_two_accesses_look_alike_both_are_named():
    """Only the first was, which has a bracket."""
    a, N = integers("a N")
    u, v, z = array("u", N), array("v", N), array("z", N)
    op = Op(
        "next",
        requires=(N >= 1,),
        forward=Eq(z[a], bracket(a + 1 < N) * u[a + 1] + v[a + 1]),
        jvp=Eq(tangent(z)[a], bracket(a + 1 < N) * tangent(u)[a + 1] + tangent(v)[a + 1]),
        vjp=(
            Eq(cotangent(u)[a], bracket(a > 0) * cotangent(z)[a - 1]),
            Eq(cotangent(v)[a], bracket(a > 0) * cotangent(z)[a - 1]),
        ),
    )
    _, found = taught(op, "forward: reads and writes")
    assert "the access         u[1], of shape (1,) or v[1], of shape (1,)" in found.text


def test_of_many_outputs_nothing_is_said_that_was_not_looked_at():
    """The cell was said to be read by none, as the last outputs were left out."""
    a, N = integers("a N")
    u, z = array("u", N), array("z", N)
    op = Op(
        "back",
        requires=(N >= 301,),
        forward=Eq(z[a], u[N - 1 - a]),
        jvp=Eq(tangent(z)[a], tangent(u)[N - 1 - a]),
        vjp=Eq(cotangent(u)[a], 2 * cotangent(z)[N - 1 - a]),
    )
    _, found = taught(op, "vjp u_bar")
    assert not any("is read by" in line for line in found.text)


@pytest.mark.parametrize(
    ("filled", "text"),
    [
        ({}, "z = 0 everywhere"),
        ({(3, 1): "1/2"}, "z[3, 1] = 1/2 and z = 0 elsewhere"),
        (
            {(e, 0): "1" for e in range(10)},
            f"{', '.join(f'z[{e}, 0] = 1' for e in range(8))}, 2 more and z = 0 elsewhere",
        ),
    ],
)
def test_a_large_tensor_is_told_by_its_cells(filled, text):
    assert written("z", (20, 20), filled) == text
    assert written("z", (1, 2), {(0, 1): "1/2"}) == "z = [[0, 1/2]]"


def test_where_values_decide_what_is_read_nothing_is_said_of_it():
    a, N = integers("a N")
    u, w, z = array("u", N), array("w", N), array("z", N)
    op = Op(
        "kept",
        requires=(N >= 1,),
        constants=(w,),
        forward=Eq(z[a], If(w[a] > 0, u[a], 0)),
        jvp=Eq(tangent(z)[a], If(w[a] > 0, tangent(u)[a], 0)),
        vjp=Eq(cotangent(u)[a], cotangent(z)[a]),
    )
    _, found = taught(op, "vjp u_bar")
    assert not any("right cells" in line for line in found.text)


def test_a_step_there_and_back_is_left_out_and_no_other_number():
    """`h + 1 - 1/2` was shown as `h/2`."""
    assert readable("x[n + 1 - 1]", "(m + 1 - 1)·2", "n + 1 - 1 = k") == ("x[n]", "(m)·2", "n = k")
    untouched = ("h + 1 - 1/2", "n + 1 - 10", "n + 1 - 1·k", "n + 1 - 1.5")
    assert readable(*untouched) == untouched


# What would mend it.

real_cells = product(Min(s * o - p + k, n) - Max(s * o - p, 0))


def counting(*clauses):
    """Divides by the number of real cells."""
    return mean(
        requires=(*requires, *clauses),
        forward=Eq(y[o], Sum(zero_padded(x)[s * o + j - p], window) / real_cells),
    )


@pytest.mark.parametrize(
    ("op", "theorem", "clause"),
    [
        (counting(), "forward: divisors and logarithms", "p < k"),
        (mean(requires=requires[:4]), "output size at least 1", "n + 2·p - k ≥ 0"),
        (
            mean(requires=(n >= 1, k >= 1, p >= 0, n + 2 * p >= k)),
            "sizes: divisors and logarithms",
            "s ≥ 1",
        ),
        (
            mean(
                claims=(Claim("nothing is left over", Eq((m - 1) * s + k, n + 2 * p)),),
            ),
            "nothing is left over",
            "s | (n + 2·p - k)",
        ),
    ],
)
def test_a_clause_that_mends_it_is_found(op, theorem, clause):
    _, found = taught(op, theorem)
    assert found.mend == clause
    assert any(f"With {clause} in requires it is proved for " in line for line in found.text)


def test_sizes_that_only_a_product_joins_are_not_compared():
    """`kW ≤ kH` was found first, where `p < kW` was required and `p < kH` missing."""
    a, b, N, M, K, L = integers("a b N M K L")
    u, z = array("u", N, M), array("z", N, M)
    weight = (N - K) * (M - L)
    op = Op(
        "plane",
        requires=(N >= 1, M >= 1, K >= 0, L >= 0, L < M),
        forward=Eq(z[a, b], u[a, b] / weight),
        jvp=Eq(tangent(z)[a, b], tangent(u)[a, b] / weight),
        vjp=Eq(cotangent(u)[a, b], cotangent(z)[a, b] / weight),
    )
    assert set(compared(op)) == {(N, K), (K, N), (M, L), (L, M)}
    assert taught(op, "forward: divisors and logarithms")[1].mend == "K < N"


def test_no_order_of_sizes_mends_a_formula():
    """n < s would: windows that do not fit are then none."""
    count = floor_div(n - k + 1, s) + 1
    wrong = Windows(count=count, size=n, extent=k, stride=s)
    made = array("y", count)
    op = mean(
        requires=(n >= 1, k >= 1, s >= 1, n >= k),
        windows=wrong,
        forward=Eq(made[o], Sum(zero_padded(x)[s * o + j], window) / product(k)),
        jvp=Eq(tangent(made)[o], Sum(zero_padded(tangent(x))[s * o + j], window) / product(k)),
        vjp=Eq(cotangent(x)[i], 0),
    )
    _, found = taught(op, "the last window fits")
    assert not any("in requires it is proved" in line for line in found.text)


def test_no_clause_hides_a_wrong_derivative():
    """`n ≤ d` was offered for a forgotten dilation."""
    unpadded = Sum(zero_padded(tangent(x))[s * o + j], window) / product(k)
    wrong = mean(jvp=Eq(tangent(y)[o], unpadded))
    verdict, found = taught(wrong, "jvp by x")
    assert (verdict.status, found.mend) == ("refuted", "")
    jvp = next(th for th in obligations(wrong) if th.name == "jvp by x")
    assert is_wrong_with(jvp, s >= 2, 1)
    assert not is_wrong_with(jvp, Eq(p, 0), 1)


def test_a_mend_is_settled_at_the_ranks_that_were_asked_and_says_so():
    theorems = {th.name: th for th in obligations(counting())}
    theorem = theorems["forward: divisors and logarithms"]
    finding = settled(theorem, RLIMIT, (2,))
    mend = mending(counting(), theorem, finding.counterexample, ranks=(2,))
    assert mend == ("p < k", "rank 2")


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        (0, "the weight: it is 0 and should be 1"),
        (-1, "the sign"),
        (3, "the weight: it is 3 times what it should be"),
    ],
)
def test_the_kind_of_a_mistake_is_named(weight, said):
    kept = mean(vjp=Eq(cotangent(x)[i], weight * Sum(cotangent(y)[o], covering) / product(k)))
    assert f"the mistake        {said}" in taught(kept, "vjp x_bar")[1].text


N, a, b = integers("N a b")
line, out, total = array("x", N), array("y", N), array("t", 1)


def test_a_term_too_many_may_lack_one_that_cancels_it():
    """At N = 1 what is centred is 0, and the entry of a rule without its Σ is one too many."""
    centred = Op(
        "centred",
        requires=(N >= 1,),
        let=Eq(total[a], Sum(line[b], (b, 0, N - 1))),
        forward=Eq(out[a], line[a] - total[0] / N),
        vjp=Eq(cotangent(line)[a], cotangent(out)[a]),
    )
    told = taught(centred, "vjp x_bar")[1].text
    (said,) = (each for each in told if each.startswith("the mistake"))
    assert "a missing term that cancels it" in said
    assert "does not belong" not in said


def test_the_equations_of_the_cotangents_that_a_rule_reads_are_shown():
    h = array("h", N)
    squares = Op(
        "squares",
        requires=(N >= 1,),
        let=Eq(h[a], 3 * line[a]),
        forward=Eq(out[a], h[a] * h[a]),
        vjp=(
            Eq(cotangent(h)[a], 3 * h[a] * cotangent(out)[a]),
            Eq(cotangent(line)[a], 3 * cotangent(h)[a]),
        ),
    )
    told = taught(squares, "vjp x_bar")[1].text
    assert told[:2] == (
        "the equation       x_bar[a] = 3·h_bar[a]",
        "with               h_bar[a] = 3·h[a]·y_bar[a]",
    )


def test_no_clause_is_named_where_none_mends_it():
    wrong = mean(jvp=Eq(tangent(y)[o], 3 * Sum(zero_padded(tangent(x))[s * o - p + j], window)))
    _, found = taught(wrong, "jvp by x")
    assert found.mend == ""
    assert not any("in requires" in line for line in found.text)


# Reproductions.


@pytest.mark.parametrize("mutant", PINNED[::7], ids=lambda mutant: mutant.op.name)
def test_what_is_refuted_is_reproduced_with_numpy_alone(mutant):
    for caught in mutant.caught:
        _, found = taught(mutant.op, caught.theorem)
        assert found.reproduction
        done = subprocess.run(
            [sys.executable, "-I", "-c", found.reproduction], capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 1
        assert re.search(r"AssertionError|ZeroDivisionError", done.stderr)
        assert re.findall(r"^import (\w+)", found.reproduction, re.MULTILINE) == ["numpy"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def test_a():\n    assert False", True),
        ("def test_a():\n    pass", False),
        ("def test_a():\n    undeclared", False),
        ("not Python", False),
        ("import numpy as np\ndef test_a():\n    assert np.float64(0) / 0 == 1", True),
    ],
)
def test_a_reproduction_that_does_not_fail_is_none(text, expected):
    assert fails(text) is expected


@pytest.mark.parametrize("name", specs.HOMES)
def test_python_computes_what_numpy_does(name):
    """Each equation of the suite, written out, against the evaluator on arrays."""
    op = getattr(specs, name)
    op = op.at_rank(2) if op.is_rank_generic else op
    sizes, equations = sizes_of(op), (op.forward, op.jvp, *op.vjp)
    write = Python(False)
    lines = ["import numpy as np", *HELPERS.values()]
    lines += (f"{write(symbol)} = {value}" for symbol, value in sizes.items())
    for rule in equations:
        lines += write.function(f"make_{target_of(rule).array}", rule, read_by(rule))
    space = {}
    exec(compile("\n".join(lines), "written", "exec"), space)
    rng = np.random.default_rng(7)
    values = {}
    for a in (*op.operands, op.output):
        shape = Evaluator(RATIONALS, {}).shape(a, sizes)
        for made in (a, tangent(a), cotangent(a)):
            values[made.name] = rng.integers(-3, 4, shape).astype(float)

    def made(rule):
        return space[f"make_{target_of(rule).array}"](*(values[a.name] for a in read_by(rule)))

    named = {symbol.name: value for symbol, value in sizes.items()}
    inputs = {a.name: values[a.name] for a in op.operands}
    tangents = {tangent(a).name: values[tangent(a).name] for a in op.inputs}
    values[op.output.name] = made(op.forward)
    pulled = numeric.vjp(op, inputs, values[cotangent(op.output).name], named)
    close = partial(np.testing.assert_allclose, atol=1e-12)
    close(values[op.output.name], numeric.forward(op, inputs, named))
    close(made(op.jvp), numeric.jvp(op, inputs, tangents, named))
    for rule in op.vjp:
        close(made(rule), pulled[target_of(rule).array.name])


def sizes_of(op):
    """Small sizes that the op allows."""
    known = list(islice(ascending(Theorem("", "", "", op.requires, ())), 60))[-1]
    return {symbol: known.get(symbol, 2) for symbol in op.sizes}


def read_by(rule):
    return sorted(arrays(rule) - {target_of(rule).array}, key=lambda a: a.name)


# Lines.

TEXT = """\
from dataclasses import replace
from gradproof.language import *

n, i = axes("n i")
x, y = array("x", n), array("y", n)
push = Eq(tangent(y)[i], x[i] * tangent(x)[i])
x_bar, other = cotangent(x), cotangent(x, "other")
first = Op(
    "first",
    Eq(y[i], x[i] * x[i]),
    push,
    requires=(
        n >= 1,
        n >= 0,
    ),
    vjp=(
        Eq(x_bar[i], cotangent(y)[i]),
        Eq(other[i], cotangent(y)[i]),
    ),
)
second = replace(
    first,
    name="second",
    jvp=Eq(tangent(y)[i], tangent(x)[i]),
)
third = replace(first, name="third").claiming(
    Claim("one", n >= 1),
    Claim(
        "two",
        n >= 2,
    ),
)
sized = replace(
    first,
    name="sized",
    windows=Windows(count=n, size=n, extent=1, stride=1),
)
many = [replace(first, name=f"op_{number}") for number in (4, 5)]
"""


@pytest.mark.parametrize(
    ("name", "equation", "line"),
    [
        ("first", "forward", 10),
        ("first", "sizes", 10),
        ("first", "jvp", 6),
        ("first", "vjp x_bar", 17),
        ("first", "vjp x_bar_other", 18),
        ("first", "requires n ≥ 0", 14),
        ("first", "", 8),
        ("second", "jvp", 24),
        ("second", "vjp x_bar_other", 18),
        ("third", "claim one", 27),
        ("third", "claim two", 28),
        ("third", "vjp x_bar", 17),
        ("sized", "sizes", 36),
        ("op_5", "jvp", 38),
    ],
)
def test_the_line_of_an_equation(name, equation, line, tmp_path):
    path = tmp_path / "ops.py"
    path.write_text(TEXT, "utf-8")
    found = {defined.op.name: defined for defined in load(path)}
    assert list(found) == ["first", "second", "third", "sized", "op_4", "op_5"]
    assert found[name].source.equation(found[name].op, equation) == line
