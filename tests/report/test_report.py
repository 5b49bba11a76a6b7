"""The reports: what they say comes from the run, is escaped, and is the same on every machine."""

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from html import unescape
from html.parser import HTMLParser
from itertools import product as each
from pathlib import Path
from xml.dom import minidom

import numpy as np
import pytest
import sympy
import z3
from commands import GOOD, forked
from escapes import EVIL, SLY, evil
from markdown_it import MarkdownIt
from quick import TWINS, quick

from gradproof import forward, specs, vjp
from gradproof.cli import reporting
from gradproof.cli.main import main
from gradproof.cli.settling import op_of_suite
from gradproof.language import (
    Eq,
    If,
    Ne,
    Op,
    Sum,
    array,
    axes,
    bracket,
    cotangent,
    derivative,
    exp,
    floor_div,
    fold,
    implies,
    inside,
    integers,
    log,
    maximum,
    mod,
    nat_sub,
    on_axis,
    product,
    reals,
    scatter,
    sqrt,
    tangent,
    trunc_div,
    trunc_mod,
    winner,
    zero_padded,
)
from gradproof.language.latex import latex, primed
from gradproof.language.ranks import at_rank
from gradproof.language.terms import Sym
from gradproof.prove.rules.normal import Product
from gradproof.report import records
from gradproof.report.content import file_name, page
from gradproof.report.definitions import definition_hash, definition_text
from gradproof.report.drawing import as_svg, as_text
from gradproof.report.files import differences, files, files_of
from gradproof.report.graph import edges, layers
from gradproof.report.kinds import KINDS
from gradproof.report.limits import trusted_modules
from gradproof.report.lines import wrapped
from gradproof.report.markdown import markdown
from gradproof.report.mathml import mathml
from gradproof.report.pictures import pictures_of
from gradproof.report.recorded import report_in
from gradproof.report.records import MissingSolver, json_text, record, smt_text
from gradproof.report.samples import (
    jacobian,
    per_axis,
    sample_at,
    sample_of,
    sample_values,
    windows,
)
from gradproof.report.site import index_html, op_html
from gradproof.report.table import index, table
from gradproof.report.writing import Unwritten, alone_in, write_all
from gradproof.settle.suite import run, tasks, verify
from gradproof.settle.verdicts import Query, Report, Step
from gradproof.show.derivations import formula, with_steps
from gradproof.theorems.obligations import obligations

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
NAMES = tuple(specs.HOMES)
n, i, j, c, k = integers("n i j c k")
a, b = reals("a b")
x, y = array("x", n), array("y", n)


def shown(op):
    """As the command settles it, with derivations that can be read."""
    return Report(op.name, tuple(with_steps(task[0], run(op, task)) for task in tasks(op)))


@pytest.fixture(scope="module")
def unpad():
    return specs.unpad, shown(specs.unpad)


@pytest.fixture(scope="module")
def avg_pool():
    return specs.avg_pool, recorded("avg_pool")


def recorded(name):
    return report_in(json.loads((PROOFS / f"{name}.json").read_text("utf-8")))


# Printing.


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (i - 2 * j, r"i - 2 \cdot j"),
        (-(i + j), r"-\left(i + j\right)"),
        (2 * (i + j), r"2 \cdot \left(i + j\right)"),
        (i - (j - n), r"i - \left(j - n\right)"),
        (inside((i,), (n,)), r"0 \le i < n"),
        ((n <= i) & (j < n), r"n \le i \land j < n"),
        (implies(i < n, j < n), r"i < n \implies j < n"),
        (Sum(x[i], (i, 0, n - 1)) / n, r"\frac{1}{n} \sum_{i=0}^{n - 1} x_{i}"),
        (Sum(x[i], (i, 0, n - 1)) * a, r"\left(\sum_{i=0}^{n - 1} x_{i}\right) \cdot a"),
        (a / sqrt(b + 1), r"\frac{a}{\sqrt{b + 1}}"),
        (exp(log(a) / 3), r"\exp\left(\frac{\log\left(a\right)}{3}\right)"),
        (a * x[i] ** (n - 1), r"a \cdot {x_{i}}^{n - 1}"),
        ((a + b) ** (2 * n), r"{\left(a + b\right)}^{2 \cdot n}"),
        ((-a) ** n, r"{\left(-a\right)}^{n}"),
        ((a**n) ** k / 2, r"\frac{{\left({a}^{n}\right)}^{k}}{2}"),
        (cotangent(x, "scatter")[i], r"\bar{x}^{\text{scatter}}_{i}"),
        (reals("beta") * a, r"\beta \cdot a"),
        (integers("p_lo") + on_axis(axes("p_hi"), 2), r"p_{\text{lo}} + p_{\text{hi}, 2}"),
        (array("s")[()], "s"),
        (array("w_in", n)[i], r"w^{\text{in}}_{i}"),
        (integers("kH") + 1, r"\mathit{kH} + 1"),
        (integers("n_") + integers("n__b"), r"\mathit{n\_} + \mathit{n\_\_b}"),
        (array("x_", n)[i], r"\mathit{x\_}_{i}"),
        (n + nat_sub(0, k), r"n + \left(0 \mathbin{\dot{-}} k\right)"),
        (n + k % 2 - 1, r"n + \left(k \bmod 2\right) - 1"),
        (trunc_div(n, 2) * 2, r"\operatorname{trunc}\left(\frac{n}{2}\right) \cdot 2"),
        (x[i] * 1 * 5, r"x_{i} \cdot 1 \cdot 5"),
        (a * 3 * Fraction(1, 2), r"a \cdot 3 \cdot \frac{1}{2}"),
        (mod(i, j * k), r"i \bmod \left(j \cdot k\right)"),
        (
            at_rank(mod(i, product(axes("m") * 2)), 1),
            r"i \bmod \left(m_{1} \cdot 2\right)",
        ),
        (trunc_mod(i, j), r"i \mathbin{\text{rem}} j"),
        (product(axes("m")) * n, r"\left(\prod m\right) \cdot n"),
        (n * product(axes("m")), r"n \cdot \prod m"),
        (x[i] - reals("x_0"), r"x_{i} - \mathit{x\_0}"),
        (array("x_2", n)[i], r"\mathit{x\_2}_{i}"),
        (array("x_T", n)[i], r"\mathit{x\_T}_{i}"),
        (
            If(i < n, a, b),
            r"\begin{cases} a & \text{if } i < n \\ b & \text{otherwise} \end{cases}",
        ),
    ],
)
def test_terms_are_printed_as_mathematics(term, shown):
    assert latex(term) == shown
    assert mathml(shown)


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (product(axes("m")) * n, "(∏m)·n"),
        (n * product(axes("m")), "n·∏m"),
        (x[i] / product(axes("m")), "x[i]/∏m"),
        (product(axes("m")) / n, "(∏m)/n"),
        (a / derivative(x[i], x[j]), "a/(∂(x[i])/∂x[j])"),
    ],
)
def test_terms_in_one_line_are_not_torn_apart(term, shown):
    assert str(term) == shown


def test_a_product_after_a_bracket_is_not_taken_away():
    """`[P] -f` reads as a difference."""
    guarded = Product((), (i < n,), (sympy.Integer(-1), exp(a)))
    assert formula(((guarded,), ())) == r"-\left[i < n\right] \cdot \exp\left(a\right) = 0"
    summed = Product((j,), (j < n,), (sympy.Integer(-2), a + b))
    shown = r"-2 \cdot \sum_{j \in \mathbb{Z}} \left[j < n\right] \cdot \left(a + b\right)"
    assert formula(((guarded, summed), ())).endswith(f"{shown[1:]} = 0")
    alone = Product((j,), (), (a + b,))
    assert formula(((alone,), ())) == r"\sum_{j \in \mathbb{Z}} \left(a + b\right) = 0"


def test_a_loop_in_a_step_is_not_the_loop_in_the_result():
    """The second takes what the first leaves, which has a star."""
    u, v = reals("u v")
    inner = fold(v, (j, 0, k), v=(v, 0, v + u))
    outer = fold(u + inner, (i, 0, n), u=(u, 0, inner))
    shown = latex(outer)
    assert shown.startswith(r"\begin{aligned} & {u}^{*} + {v}^{***} \\")
    assert r"v \gets v + u \\" in shown
    assert r"v \gets v + {u}^{*} \end" in shown


def test_a_sum_that_takes_the_name_of_a_state_has_it_for_itself():
    s = integers("s")
    loop = fold(Sum(x[s], (s, 0, s)) + s, (i, 0, n), s=(s, 0, s + 1))
    (shown,) = primed(latex(loop))
    total = r"\sum_{s'=0}^{{s}^{*}} x_{s'}"
    assert shown.startswith(rf"\begin{{aligned}} & {total} + {{s}}^{{*}} \\")


def test_a_loop_in_a_sum_of_a_step_is_shown():
    v = reals("v")
    looped = Product((j,), (j < n,), (fold(v, (i, 0, j), v=(v, 0, v + 1)),))
    assert r"\text{ are what this loop leaves: from }" in formula(((looped,), ()))


def test_a_loop_stands_below_the_formula_once():
    best = reals("best")
    loop = {"best": (best, 0, If(x[i] > best, x[i], best))}
    once = fold(best, (i, 0, n - 1), **loop)
    shown = latex(once + once)
    assert shown.count(r"\gets") == 1
    assert r"{\mathit{best}}^{*} + {\mathit{best}}^{*}" in shown
    other = fold(best, (i, 1, n - 1), **loop)
    assert latex(once + other).count(r"\gets") == 2
    assert "^{**}" in latex(once + other)


def test_made_up_names_get_primes_alike_in_all_formulas():
    assert primed("x_{c'7} + c'9", "c'9", "o'1") == ("x_{c} + c'", "c'", "o")
    assert primed("c'7 + c", "c'9") == ("c' + c", "c''")
    assert primed("c'9 + c'7", first=(Sym("c'7"),)) == ("c' + c",)
    assert primed(r"j_{\text{w}} + j'3_{\text{w}}") == (r"j_{\text{w}} + j'_{\text{w}}",)
    assert primed(r"\mathit{at'3} \text{ at }") == (r"\mathit{at} \text{ at }",)


@pytest.mark.parametrize("name", ["max_pool", "smooth_max_pool", "conv_transpose2d"])
def test_every_formula_of_an_op_is_mathml(name):
    op = getattr(specs, name)
    terms = list(op.equations.values())
    terms += [s.then for th in obligations(op) for s in th.sequents]
    for shown in primed(*map(latex, terms)):
        minidom.parseString(f"<div>{wrapped(shown).replace('<wbr>', '')}</div>")


def test_mathml_knows_what_it_does_not_know():
    with pytest.raises(ValueError, match="no MathML"):
        mathml(r"\unheard{x}")
    assert "&lt;" in mathml("a < b")
    assert mathml(r"\sqrt{a}") == "<math><msqrt><mi>a</mi></msqrt></math>"
    assert mathml(r"\text{a < b}") == "<math><mtext>a &lt; b</mtext></math>"


# Definitions and records.


def test_the_hash_covers_every_part_of_a_definition():
    op = specs.avg_pool
    claim = op.claims[0]
    changed = (
        replace(op, forward=Eq(op.forward.args[0], op.forward.args[1] * 2)),
        replace(op, claims=()),
        replace(op, requires=op.requires[:-1], claims=()),
        replace(op, vjp=op.vjp[:1], claims=()),
        replace(op, windows=()),
        replace(op, windows=replace(op.windows[0], rounding="ceil")),
        replace(op, claims=op.claims[1:]),
        replace(op, claims=(replace(claim, symbols=(n,)), *op.claims[1:])),
        replace(op, claims=(replace(claim, name="other"), *op.claims[1:])),
        replace(op, claims=(replace(claim, given=(*claim.given, op.requires[0])), *op.claims[1:])),
    )
    hashes = [definition_hash(op), *map(definition_hash, changed)]
    assert len(set(hashes)) == len(hashes)
    assert definition_hash(replace(op, doc="other words")) == hashes[0]


def test_the_text_of_a_definition_does_not_depend_on_what_was_built_before():
    code = (
        "import sys\n"
        "from gradproof import specs\n"
        "for name in sys.argv[1:]: getattr(specs, name)\n"
        "from gradproof.report.definitions import definition_text\n"
        "print(definition_text(specs.avg_pool), end='')"
    )
    for before in ([], ["conv", "global_max_pool2d"]):
        command = [sys.executable, "-c", code, *before]
        found = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
        assert found.stdout == definition_text(specs.avg_pool)


@pytest.mark.parametrize("name", NAMES)
def test_records_are_of_the_definitions_as_they_are(name):
    data = json.loads((PROOFS / f"{name}.json").read_text("utf-8"))
    assert data["definition"]["sha256"] == definition_hash(getattr(specs, name)), "run make proofs"
    assert data["versions"] == records.versions()


def with_queries(report, name="two\n(exit)"):
    """The report as if its theorems had asked these queries."""
    first = Query("(declare-const p Bool)\n(assert (and p (not p)))", "unsat", "unsat")
    other = Query("(declare-const p Int)\n(assert (< p 0))", "sat")
    steps = (Step("by hand <b>", "x_{c} = c'"), Step("then", "c'13 < 1"))
    one, two, *rest = (replace(v, queries=(), steps=()) for v in report.verdicts)
    one = replace(one, queries=(first,), steps=steps)
    two = replace(two, queries=(other, first), name=name)
    return Report(report.op, (one, two, *rest))


def test_queries_are_numbered_once_and_run_in_a_solver(unpad):
    op, report = unpad
    report = with_queries(report)
    data = record(op, report)
    assert [th["queries"] for th in data["theorems"][:3]] == [[1], [1, 2], []]
    assert data["queries"][0] == {"number": 1, "z3": "unsat", "cvc5": "unsat"}
    script = smt_text(report)
    answers = z3.Z3_eval_smtlib2_string(z3.main_ctx().ref(), script).split()
    assert answers == [query["z3"] for query in data["queries"]]
    assert script.count("; two (exit)\n") == 2


def test_steps_and_opinions_are_on_the_pages(unpad):
    op, report = unpad
    report = with_queries(report, report.verdicts[1].name)
    shown = page(op, report)
    text, site = markdown(shown), op_html(shown)
    assert "By hand \\<b\\>:" in text
    assert "By hand &lt;b&gt;:" in site
    assert "```math\nx_{c} = c'\n```" in text
    assert wrapped("x_{c} = c'") in site
    for words in (
        "Z3 finds 1 query unsatisfiable, cvc5 all of them (1 in unpad.smt2).",
        "1 other was answered otherwise; nothing rests on that (2).",
    ):
        assert words in text
        assert words in site
    assert record(op, report)["theorems"][0]["steps"][1] == {"reason": "then", "formula": "c' < 1"}


def test_a_record_holds_nothing_that_varies(unpad):
    op, report = unpad
    slower = Report(op.name, tuple(replace(v, seconds=9.0) for v in report.verdicts))
    assert files_of(op, report) == files_of(op, slower)
    assert "seconds" not in json_text(record(op, report))


def test_a_record_reads_back(avg_pool):
    op, report = avg_pool
    again = report_in(json.loads(json_text(record(op, report))))
    plain = (replace(v, queries=(), steps=()) for v in report.verdicts)
    assert Report(op.name, tuple(replace(v, queries=(), steps=()) for v in again.verdicts)) == (
        Report(op.name, tuple(plain))
    )
    with pytest.raises(ValueError, match="schema"):
        report_in({"schema": 1})


def test_reports_need_both_solvers(monkeypatch):
    def version(package):
        if package == "cvc5":
            raise records.metadata.PackageNotFoundError(package)
        return "1"

    monkeypatch.setattr(records.metadata, "version", version)
    with pytest.raises(MissingSolver, match="cvc5 is not installed"):
        records.versions()


# Pages.


def test_every_theorem_is_on_both_pages(avg_pool):
    op, report = avg_pool
    shown = page(op, report)
    text, site = markdown(shown), op_html(shown)
    assert len(shown.entries) == len(report.verdicts)
    for entry in shown.entries:
        assert f'<a id="{entry.anchor}"></a>' in text
        assert f'<article id="{entry.anchor}"' in site
    assert text.count("**Theorem**") == sum(v.status == "proved" for v in report.verdicts)
    assert text.count("**Counterexample.**") == sum(v.status == "refuted" for v in report.verdicts)
    assert len({entry.anchor for entry in shown.entries}) == len(shown.entries)


def test_a_proof_says_how_far_it_goes_and_on_what_it_rests(avg_pool):
    op, report = avg_pool
    bounded, failing = "where no loop takes more than 4 turns", "sizes: divisors and logarithms"

    def changed(verdict):
        limited = verdict.kind == "claim" and verdict.status == "proved"
        verdict = replace(verdict, scope=bounded) if limited else verdict
        return replace(verdict, status="unknown") if verdict.name == failing else verdict

    shown = page(op, Report(op.name, tuple(map(changed, report.verdicts))))
    (number,) = (e.number for e in shown.entries if e.verdict.name == failing)
    resting = sum(number in e.rests_on for e in shown.entries if e.verdict.status == "proved")
    assert resting > 5
    for text in (markdown(shown), op_html(shown)):
        assert f"Theorem, {bounded}" in text
        assert "for all sizes that its scope names at once" in text
        assert unescape(text).count(f"It says nothing while '{failing}' is not proved.") == resting
    for text in (markdown(page(op, report)), op_html(page(op, report))):
        assert "It says nothing" not in text
        assert "settled for all sizes at once" in text


def test_a_proof_goes_no_further_than_what_it_rests_on(avg_pool):
    op, report = avg_pool
    bounded, ground = "where no loop takes more than 4 turns", "sizes: divisors and logarithms"
    changed = (
        replace(v, scope=bounded) if v.name in (ground, "vjp x_bar") else v for v in report.verdicts
    )
    shown = page(op, Report(op.name, tuple(changed)))
    (number,) = (e.number for e in shown.entries if e.verdict.name == ground)
    proofs = [e for e in shown.entries if e.verdict.status == "proved"]
    own = [e.verdict.name for e in proofs if number in e.rests_on]
    assert "vjp x_bar" in own
    for text in (markdown(shown), op_html(shown)):
        said = f"It rests on '{ground}', proved only {bounded}."
        assert unescape(text).count(said) == len(own) - 1


def test_a_table_marks_what_is_not_as_expected(avg_pool):
    op, report = avg_pool
    wrong = tuple(replace(v, status="refuted") if v.kind == "jvp" else v for v in report.verdicts)
    assert "| 1 refuted, 1 not as expected |" in table([Report(op.name, wrong)])
    assert "not as expected" not in table([report])


def test_the_derivation_shows_both_entries(avg_pool):
    op, report = avg_pool
    entry = next(e for e in page(op, report).entries if e.verdict.name == "vjp x_bar")
    if not entry.verdict.steps:
        derived, written = (line.formula.latex for line in entry.proof)
        assert r"s \cdot o + j - p = i" in derived
        assert r"\left\lceil" in written


def test_every_kind_has_its_meaning():
    """A theorem of another kind would be in no column of the table."""
    h = array("h", n)
    recurrent = Op("sums", forward=Eq(h[i], zero_padded(h)[i - 1] + x[i]))
    kinds = {theorem.kind for op in (*specs.OPS, recurrent) for theorem, _ in tasks(op)}
    assert kinds == set(KINDS)


# What pages said, and was not so.


def identity(name, value, *requires):
    """An op by what it makes of `x`, linear in it."""
    o = integers("o")
    dots, bars = tangent(x), cotangent(x)
    return Op(
        name,
        requires=(n >= 1, *requires),
        forward=Eq(y[o], value(x, o)),
        jvp=Eq(tangent(y)[o], value(dots, o)),
        vjp=scatter(bars[o], cotangent(y)[o], (o, 0, n - 1)),
    )


def entry_of(op, name):
    report = verify(op)
    return next(e for e in page(op, report).entries if e.verdict.name == name)


def test_a_zero_is_not_the_rule_because_the_rule_is_zero():
    """`0 ≤ j` was shown as `x̄ ≤ j`."""
    w = array("w", c, n)
    z = array("z", c)
    r = integers("r")
    largest = Op(
        "largest",
        requires=(n >= 1, c >= 1),
        forward=Eq(z[r], maximum(w[r, j], (j, 0, n - 1))),
        jvp=Eq(
            tangent(z)[r],
            Sum(bracket(winner(j, w[r, i], (i, 0, n - 1))) * tangent(w)[r, j], (j, 0, n - 1)),
        ),
        vjp=Eq(cotangent(w)[r, i], 0),
    )
    entry = entry_of(largest, "w_bar at ties: weights on winners only")
    least, losing, read = (words[0].latex for words in entry.statement)
    slope = r"\frac{\partial \bar{w}_{r', i}}{\partial \bar{z}_{r}}"
    assert least == rf"{slope} \ge 0"
    assert losing == rf"\left[w_{{r', i}} \ne z_{{r}}\right] \cdot {slope} = 0"
    assert r"\exists\, 0 \le j < n" in read


def test_the_index_of_a_theorem_is_no_size():
    """One entry had `i` for a size and for a cell."""
    o = integers("o")
    shifted = Op(
        "shifted",
        requires=(n >= 1, i >= 0),
        forward=Eq(y[o], zero_padded(x)[o - i]),
        jvp=Eq(tangent(y)[o], zero_padded(tangent(x))[o - i]),
        vjp=scatter(
            cotangent(x)[o - i], cotangent(y)[o], (o, 0, n - 1), where=inside((o - i,), (n,))
        ),
    )
    entry = entry_of(shifted, "jvp by x")
    assert r"\partial x_{i'}" in entry.statement[0][0].latex
    assert r"o - i = i'" in entry.proof[-1].formula.latex


def test_the_place_of_a_counterexample_has_the_names_of_the_page():
    """It was said to be at i′ = 0, which is another index on the page; so was the picture."""
    back = Op(
        "back",
        requires=(n >= 2,),
        forward=Eq(y[i], x[n - 1 - i]),
        jvp=Eq(tangent(y)[i], tangent(x)[n - 1 - i]),
        vjp=Eq(cotangent(x)[i], 2 * cotangent(y)[n - 1 - i]),
    )
    entry = entry_of(back, "vjp x_bar")
    assert r"\frac{\partial y_{i}}{\partial x_{i'}}" in entry.statement[0][0].latex
    found = entry.verdict.counterexample
    assert found.index == {"i": 0, "i′": 1}
    assert found.statement.startswith("∂(x[n - i - 1])/∂x[i′] = ")
    (grid,) = entry.pictures[0].grids
    assert grid.beside == ("y[0]",)


def test_the_place_of_a_counterexample_is_named_where_an_index_has_a_label():
    out = integers("i_out")
    op = Op(
        "first",
        requires=(n >= 1,),
        forward=Eq(y[out], x[0]),
        jvp=Eq(tangent(y)[out], tangent(x)[0]),
        vjp=Eq(cotangent(x)[out], cotangent(y)[out]),
    )
    entry = entry_of(op, "vjp x_bar")
    shown = entry.statement[0][0].latex
    assert shown.startswith(r"\frac{\partial y_{i_{\text{out}}}}{\partial x_{i'_{\text{out}}}} = ")
    found = entry.verdict.counterexample
    assert found.index == {"i_out": 0, "i_out′": 1} or found.index == {"i_out": 1, "i_out′": 0}
    assert found.statement.startswith("∂(x[0])/∂x[i_out′] = ")


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (
            lambda a, o: If(a[n - 1 - o] > 0, a[o], 0),
            [{(0,), (2,)}, {(1,)}, {(2,), (0,)}],
        ),
        (lambda a, o: If(Ne(o, o), a[floor_div(n, o - o)], a[o]), [{(0,)}, {(1,)}, {(2,)}]),
        (
            lambda a, o: maximum(a[j], (j, 0, n - 1), where=j >= 5, empty=a[o]),
            [{(0,)}, {(1,)}, {(2,)}],
        ),
        (lambda a, o: If(o >= 2, a[o], a[0]), [{(0,)}, {(0,)}, {(2,)}]),
        (
            lambda a, o: Sum(bracket(j <= 0) * zero_padded(a)[o + j], (j, 0, 3)),
            [{(0,)}, {(1,)}, {(2,)}],
        ),
        (
            lambda a, o: Sum(zero_padded(a)[o + j], (j, 0, 1)),
            [{(0,), (1,)}, {(1,), (2,)}, {(2,), (3,)}],
        ),
        (
            lambda a, o: maximum(a[j], (j, 0, n - 1), where=j >= o),
            [{(0,), (1,), (2,)}, {(1,), (2,)}, {(2,)}],
        ),
    ],
)
def test_windows_are_what_is_read_and_its_padding(value, read):
    sample = sample_at(identity("id", value), None, {"n": 3})
    assert list(windows(sample, x).values()) == read


def test_an_op_of_scalars_has_a_page():
    scalar, whole = array("s"), array("t")
    op = Op(
        "same",
        forward=Eq(whole[()], scalar[()]),
        jvp=Eq(tangent(whole)[()], tangent(scalar)[()]),
        vjp=Eq(cotangent(scalar)[()], cotangent(whole)[()]),
    )
    entry = entry_of(op, "jvp by s")
    slopes = r"\frac{\partial t}{\partial s} = \frac{\partial \dot{t}}{\partial \dot{s}}"
    assert entry.statement[0][0].latex == slopes
    assert "Windows" not in markdown(page(op, verify(op)))


def test_pages_say_what_is_not_proved(unpad):
    shown = page(*unpad)
    for text in (markdown(shown), op_html(shown), index_html([unpad[1]])):
        assert "Floating-point arithmetic" in text
        assert "gradproof.prove.rules.sums" in text
    assert "gradproof.language.terms" in trusted_modules()
    assert "gradproof.language.latex" not in trusted_modules()


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module", name="evil")
def evil_op():
    return evil()


def test_names_and_texts_are_escaped_in_html(evil):
    op, report = evil
    for text in (op_html(page(op, report)), index_html([report])):
        found = Tags(text)
        scripts = [attrs for tag, attrs in found.tags if tag == "script"]
        assert scripts == [{"src": "script.js", "defer": None}]
        assert not any(tag == "img" for tag, _ in found.tags)
        assert not any(key.startswith("on") for _, attrs in found.tags for key in attrs)
        for words in (EVIL, SLY):
            assert words in found.text


def test_names_and_texts_are_escaped_in_markdown(evil):
    op, report = evil
    for text in (markdown(page(op, report)), table([report])):
        found = Tags(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
        assert not {tag for tag, _ in found.tags} & {"script", "img"}
        links = [attrs["href"] for tag, attrs in found.tags if tag == "a" and "href" in attrs]
        assert not [link for link in links if link.startswith("javascript")]
        assert EVIL in found.text
        assert SLY in found.text or text.startswith("| op")


def test_names_of_files_stay_in_their_folder(evil):
    assert file_name("max_pool2d") == "max_pool2d"
    for name in (EVIL, "../up", "a/b", "", ".", "a b", "ü"):
        found = file_name(name)
        assert "/" not in found
        assert not found.startswith(".")
        assert found.isascii()
    assert len({file_name(name) for name in ("a/b", "a b", "a-b", "a.b")}) == 4
    assert all("/" not in name for name in files_of(*evil))


# Pictures.


@pytest.mark.parametrize("name", ["avg_pool", "max_pool2d_pad", "unpad", "adaptive_avg_pool2d"])
def test_the_jacobian_is_what_the_arrays_say(name):
    """Against NumPy: a VJP of each unit vector."""
    op = getattr(specs, name)
    sample = sample_of(op)
    array_x = sample.main
    entries = jacobian(sample, array_x)
    values = np.zeros(sample.shape(array_x))
    for cell, value in sample_values(sample)["x"].items():
        values[cell] = value
    for o in sample.cells(sample.op.output):
        unit = np.zeros(sample.shape(sample.op.output))
        unit[o] = 1.0
        found = vjp(op, {"x": values}, unit, sizes_of(op, sample))["x_bar"]
        for cell in sample.cells(array_x):
            assert entries[o, cell] == (found[cell] != 0)


def sizes_of(op, sample):
    return {name: v for name, v in sample.sizes.items() if name in {s.name for s in op.sizes}}


def test_the_windows_are_what_the_arrays_say():
    """Against NumPy: the outputs that change with a cell."""
    sample = sample_of(specs.avg_pool)
    found = windows(sample, sample.main)
    for cell in sample.cells(sample.main):
        unit = np.zeros(sample.shape(sample.main))
        unit[cell] = 1.0
        reached = forward(specs.avg_pool, {"x": unit}, sizes_of(specs.avg_pool, sample))
        assert {o for o, places in found.items() if cell in places} == set(
            map(tuple, np.argwhere(reached).tolist())
        )
    assert any(
        at not in set(sample.cells(sample.main)) for places in found.values() for at in places
    )


@pytest.mark.parametrize("name", quick(NAMES, lambda name: name not in TWINS))
def test_every_op_has_its_pictures(name):
    found = pictures_of(getattr(specs, name))
    assert [p.title for p in found] == ["Windows over x", "The Jacobian's pattern"]
    for picture in found:
        minidom.parseString(f"<g>{as_svg(picture)}</g>")
        assert "■" in as_text(picture)


@pytest.mark.parametrize("name", quick(NAMES, lambda name: name not in TWINS))
def test_every_counterexample_is_drawn(name):
    shown = page(getattr(specs, name), recorded(name))
    for entry in shown.entries:
        assert bool(entry.pictures) == (entry.verdict.counterexample is not None)


def test_text_drawings_line_up():
    picture = pictures_of(specs.avg_pool)[0]
    assert as_text(picture).splitlines()[:2] == [
        "        -1  0  1  2  3  4  5",
        "y[0, 0]  ·  ■  ■  □  □  □",
    ]


# The graph.


@pytest.mark.parametrize("name", ["max_pool", "conv", "global_max_pool2d"])
def test_the_graph_is_that_of_the_run(name):
    op, report = getattr(specs, name), recorded(name)
    shown = page(op, report)
    found = edges(shown)
    names = {e.number: e.verdict.name for e in shown.entries}
    rests = {(names[e.above], names[e.below]) for e in found if e.kind == "rests"}
    assert rests == {(v.name, other) for v in report.verdicts for other in v.rests_on}
    twins = {(names[e.above], names[e.below]) for e in found if e.kind == "twin"}
    assert twins == {(claim.name, claim.twin) for claim in op.claims if claim.twin}
    columns = layers(shown, found)
    place = {e.number: column for column, entries in enumerate(columns) for e in entries}
    assert all(place[e.below] < place[e.above] for e in found if e.kind == "rests")


# The table.


def test_the_table_does_not_depend_on_the_order_of_sets():
    first, second, *rest = recorded("unpad").verdicts
    scoped = [replace(v, kind="size", scope=s) for v, s in zip((first, second), "ba", strict=True)]
    shown = table([Report("unpad", (*scoped, *rest))])
    assert "2 proved (a; b)" in shown


def test_the_index_in_markdown_is_that_of_the_records():
    found = index([recorded(name) for name in NAMES])
    assert found == (PROOFS / "index.md").read_text("utf-8"), "run make proofs"


# Files.


def test_files_are_written_all_or_none(tmp_path):
    path = tmp_path / "a.json"
    write_all({path: "old"})
    with pytest.raises(Unwritten, match=r"inside could not be written: .*; choose another place"):
        write_all({path: "new", tmp_path / "b.json": "new", path / "inside": "new"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a.json": "old"}


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_all({path: "old"})
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(full))
    with pytest.raises(Unwritten, match=r"a\.json could not be written: No space .*; make room"):
        write_all({path: "new", tmp_path / "b.json": "new"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a.json": "old"}


def test_a_folder_is_one_run_s_at_a_time(tmp_path):
    free = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), 6)"  # not waiting
    another = [sys.executable, "-c", free, tmp_path]
    with alone_in(tmp_path):
        assert subprocess.run(another, capture_output=True).returncode == 1
    assert subprocess.run(another, capture_output=True).returncode == 0


def test_differences_are_told_file_by_file(tmp_path, unpad):
    found = files([unpad], tmp_path, NAMES)
    kept = [p for p in found if p.suffix in (".md", ".json")]
    assert kept
    assert list(differences(found, tmp_path, True)) == [f"{p} is missing" for p in kept]
    write_all(found)
    assert list(differences(found, tmp_path, True)) == []
    (tmp_path / "gone.md").write_text("of an op that is no more")
    assert list(differences(found, tmp_path, True)) == [f"{tmp_path / 'gone.md'} belongs to no op"]
    assert list(differences(found, tmp_path, False)) == []


def test_a_file_of_none_is_one_too_many(tmp_path, unpad):
    write_all(files([unpad], tmp_path, NAMES))
    (tmp_path / "README.md").write_text("not ours")
    found = files([unpad], tmp_path, NAMES)
    assert list(differences(found, tmp_path, True)) == [
        f"{tmp_path / 'README.md'} belongs to no op"
    ]


def test_a_change_of_a_definition_is_a_readable_difference(tmp_path, unpad):
    op, _ = unpad
    write_all(files([unpad], tmp_path, NAMES))
    doubled = replace(op, forward=Eq(op.forward.args[0], op.forward.args[1] * 2), claims=())
    settled = shown(doubled)
    told = "\n".join(differences(files([(doubled, settled)], tmp_path, NAMES), tmp_path, True))
    assert "-y_{c, i} = x_{c, i + p}" in told
    assert r"+y_{c, i} = x_{c, i + p} \cdot 2" in told
    assert "-*jvp* · **proved** (every rank)" in told
    assert "+*jvp* · **refuted**" in told
    assert "unpad.html is out of date" in told


def test_the_index_lists_the_other_records_of_the_folder(tmp_path, unpad, avg_pool):
    write_all(files([unpad], tmp_path, NAMES))
    (tmp_path / "other.json").write_text('{"no": "record"}')
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "folder.json").mkdir()
    found = files([avg_pool], tmp_path, NAMES)
    index = found[tmp_path / "index.html"]
    assert index.index('href="avg_pool.html"') < index.index('href="unpad.html"')
    assert tmp_path / "unpad.html" not in found
    alone = files([avg_pool], tmp_path, NAMES, True)[tmp_path / "index.html"]
    assert 'href="unpad.html"' not in alone


# The command.


def gradproof(*arguments, cwd):
    return forked("command", ["report", *arguments], cwd)


def anew(*arguments, cwd, seed="0"):
    """Started, with the hashes of a seed, where modules of the folder come first."""
    command = [sys.executable, "-m", "gradproof", "report", *arguments]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


@cache
def settled_once():
    return reporting.settled([op_of_suite("unpad")], 1)


@pytest.fixture
def report_on_unpad(tmp_path, monkeypatch, capsys):
    """The command in this process, which settles once for all tests: its status and its output."""
    known = settled_once()
    monkeypatch.setattr(reporting, "settled", lambda *_: known)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    return lambda *options: (main(["report", "unpad", *options]), capsys.readouterr())


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_command_writes_and_checks(report_on_unpad, tmp_path):
    first = anew("unpad", cwd=tmp_path, seed="1")
    assert first.returncode == 0, first.stderr
    second = anew("unpad", "--out", "again", "--jobs", "1", cwd=tmp_path, seed="2")
    assert second.returncode == 0, second.stderr
    assert contents(tmp_path / "proofs") == contents(tmp_path / "again")
    assert {"unpad.smt2", "unpad.html"} <= contents(tmp_path / "proofs").keys()
    for name in ("unpad.md", "unpad.json"):
        assert contents(tmp_path / "proofs")[name] == (PROOFS / name).read_bytes()
    status, same = report_on_unpad("--check")
    assert status == 0
    assert "what proofs says of unpad is what the definitions give" in same.out
    text = (tmp_path / "proofs" / "unpad.md").read_text("utf-8")
    (tmp_path / "proofs" / "unpad.md").write_text(text.replace("Definition", "Edited"), "utf-8")
    status, found = report_on_unpad("--check")
    assert status == 1
    assert "-## Edited\n+## Definition" in found.out
    assert "not what the definitions give" in found.err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:100], "is no record"),
        (lambda text: text.replace('"sha256": "', '"sha256": "0'), "is of another definition of"),
    ],
)
def test_an_index_tells_of_no_record_of_something_else(change, said, report_on_unpad, tmp_path):
    text = (PROOFS / "conv.json").read_text("utf-8")
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "conv.json").write_text(change(text), "utf-8")
    status, found = report_on_unpad()
    assert status == 2
    assert f"conv.json {said}" in found.err
    assert "write all anew: gradproof report" in found.err
    assert [path.name for path in (tmp_path / "proofs").iterdir()] == ["conv.json"]


def test_a_file_that_does_not_load_again_is_told(tmp_path):
    edit = "from pathlib import Path\nPath(__file__).write_text('1 / 0')\n"
    (tmp_path / "op.py").write_text(edit + GOOD, "utf-8")
    found = gradproof("op.py", "--jobs", "1", cwd=tmp_path)
    assert found.returncode == 2
    assert "op.py:1: it raises ZeroDivisionError" in found.stderr
    assert "when it is loaded again" in found.stderr


@pytest.mark.parametrize("edited", [False, True])
def test_a_report_is_of_the_definition_that_was_settled(edited, tmp_path):
    """SOUNDNESS: where `python -m` runs, a module of the name comes first; or a file is edited."""
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops/op.py").write_text(
        "from helper import FACTOR\n" + GOOD.replace("2 * co", "FACTOR * co"), "utf-8"
    )
    edit = "from pathlib import Path\nPath(__file__).write_text('FACTOR = 3')\nFACTOR = 2\n"
    (tmp_path / "ops/helper.py").write_text(edit if edited else "FACTOR = 2\n")
    if not edited:
        (tmp_path / "helper.py").write_text("FACTOR = 3\n")
    found = anew("ops/op.py", "--jobs", "1", cwd=tmp_path)
    assert found.returncode == 2
    assert "double is defined otherwise than when it was settled" in found.stderr
    assert not (tmp_path / "reports").exists()


def test_the_command_reports_on_files_of_others(tmp_path):
    (tmp_path / "mine.py").write_text(
        "print('loading')\n"
        "from gradproof.language import *\n"
        "n, i = integers('n i')\n"
        "x, y = array('x', n), array('y', n)\n"
        "twice = Op('twice', forward=Eq(y[i], 2 * x[i]),\n"
        "           jvp=Eq(tangent(y)[i], 2 * tangent(x)[i]),\n"
        "           vjp=Eq(cotangent(x)[i], 3 * cotangent(y)[i]))\n"
    )
    found = gradproof("mine.py::twice", "--out", "site", cwd=tmp_path)
    assert found.returncode == 1, found.stderr
    assert "loading" not in found.stdout
    assert "**Counterexample.**" in (tmp_path / "site" / "twice.md").read_text("utf-8")
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "1 op, 8 theorems" in index
    assert "not as expected</p>" in index
    page = (tmp_path / "site" / "twice.html").read_text("utf-8")
    assert 'class="refuted wrong"><title>' in page


def test_files_of_others_are_not_put_among_the_proofs_of_the_suite(tmp_path):
    (tmp_path / "mine.py").write_text(GOOD, "utf-8")
    assert gradproof("mine.py", cwd=tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.py", "reports"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such_op"], "no op 'no_such_op'"),
        (["missing.py::op"], "no such file"),
        (["a.py::"], "names no op"),
    ],
)
def test_wrong_usage_is_said_in_one_line(tmp_path, arguments, message):
    found = gradproof(*arguments, cwd=tmp_path)
    assert found.returncode == 2
    assert message in found.stderr
    assert "Traceback" not in found.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rank", [1, 2])
def test_windows_may_be_declared_with_numbers(rank):
    n = axes("n")
    assert len(list(per_axis(rank, n, 3, 2))) == rank


def test_the_samples_are_all_different():
    values = sample_values(sample_of(specs.conv2d))
    for cells in values.values():
        assert len(set(cells.values())) == len(cells)
    assert all(c in values["x"] for c in each(range(1), range(5), range(5)))
