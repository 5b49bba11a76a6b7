"""Formulas that wrap, and what a page leaves out, puts first and says in words."""

import re
from dataclasses import replace
from xml.etree.ElementTree import fromstring

import pytest
from quick import quick

from gradproof import specs
from gradproof.language import And, Eq, Exists, bracket, integers
from gradproof.language.latex import latex
from gradproof.report.content import Line, page, says_nothing, told
from gradproof.report.kinds import KINDS, SECTIONS
from gradproof.report.lines import DESK, PHONE, html, pieces, wrapped
from gradproof.report.markdown import markdown
from gradproof.report.mathml import mathml
from gradproof.report.prose import is_long
from gradproof.report.site import op_html
from gradproof.report.statements import Math, with_math
from gradproof.report.widths import width
from gradproof.settle.suite import run, tasks
from gradproof.settle.verdicts import Report
from gradproof.theorems.obligations import obligations

OPS = ("max_pool2d_pad", "conv2d", "smooth_max_pool", "adaptive_avg_pool2d")


def letters(text):
    """What can be read, without parentheses, which come with what is opened."""
    return re.sub(r"[\s()\[\]{}/√]", "", re.sub(r"<[^>]*>", "", text))


def formulas(name):
    op = getattr(specs, name)
    yield from map(latex, op.equations.values())
    yield from (latex(s.then) for theorem in obligations(op) for s in theorem.sequents)


@pytest.mark.parametrize("name", quick(OPS, lambda name: name != "max_pool2d_pad"))
def test_no_sign_is_lost_where_a_line_ends(name):
    for formula in formulas(name):
        whole = letters(mathml(formula))
        for room in (DESK, PHONE):
            assert letters(html(pieces(list(fromstring(mathml(formula))), room))) == whole


@pytest.mark.parametrize("name", quick(OPS, lambda name: name != "max_pool2d_pad"))
def test_no_piece_is_wider_than_a_phone(name):
    for formula in formulas(name):
        found = wrapped(formula, (PHONE,))
        for piece in re.findall(r"<math>.*?</math>", found):
            assert sum(map(width, fromstring(piece))) < PHONE + 4, (
                piece
            )  # a sign and a fence stick to it


def test_a_wide_formula_ends_lines_before_operators():
    shown = wrapped(" + ".join(f"x_{{{n}}}" for n in range(40)))
    pieces_of_it = re.findall(r"<math>(.*?)</math>", shown)
    assert len(pieces_of_it) > 3
    assert all(p.startswith('<mo form="infix">+</mo>') for p in pieces_of_it[1:])
    assert "phone" not in shown


def test_a_wide_fraction_is_opened_on_a_phone_alone():
    above = " + ".join("abcdefghijkl")
    shown = wrapped(rf"\frac{{{above}}}{{b}}")
    desk, phone = shown.split('<span class="phone">')
    assert "<mfrac>" in desk
    assert "<mfrac>" not in phone
    assert "/" in phone


def test_cases_that_are_wide_are_lines():
    long = " + ".join(f"x_{{{n}}}" for n in range(30))
    shown = wrapped(
        rf"\begin{{cases}} {long} & \text{{if }} a \\ b & \text{{otherwise}} \end{{cases}}"
    )
    assert shown.count('<span class="line">') == 2
    assert "<mtable" not in shown


def test_what_goes_without_saying_is_not_said():
    n, i, j = integers("n i j")
    assert latex(bracket(And()) * bracket(i < n)) == r"\left[i < n\right]"
    assert latex(And(Eq(1, 1), i < n)) == "i < n"
    assert latex(And(Eq(1, 1))) == "1 = 1"
    assert latex(Exists(And(), (j, 0, n))) == r"\exists\, 0 \le j \le n"


def test_lines_that_say_nothing_are_left_out():
    one, other = Math("a = b", True), Math("b = c", True)
    lines = (
        Line(("By",), one),
        Line(("By",), other),
        Line(("By",), other),
        Line((), Math("0 = 0")),
    )
    assert list(told(lines, ((one, "."),))) == [Line(("By",), other)]
    assert says_nothing("1 = 1")
    assert not says_nothing("0 = 1")
    assert not says_nothing("0")


def test_axes_have_the_names_of_the_definition():
    for name in ("max_pool2d", "max_pool2d_pad", "conv2d"):
        op = getattr(specs, name)
        theorem = next(th for th in obligations(op) if th.name == "vjp x_bar")
        places = [re.sub("'.*", "", str(symbol)) for symbol, _, _ in theorem.sequents[0].over]
        assert places[-2:] == ["iH", "iW"]
        assert "i" not in places


def test_numbers_in_words_are_formulas():
    found = with_math("With n = (1, 2), iH′ = -3 and half = 1/2 it fails.")
    assert [w.latex for w in found if isinstance(w, Math)] == [
        "n = (1, 2)",
        r"\mathit{iH'} = -3",
        r"\mathit{half} = 1/2",
    ]
    assert with_math("no numbers") == ("no numbers",)


@pytest.fixture(scope="module")
def unpad_and_claim():
    """An op that is settled at once, with a claim that is kept though it is false."""
    op = specs.unpad
    wrong = replace(op.claims[0], why="One might `think` so.")
    op = replace(op, claims=(wrong, *op.claims[1:]))
    return op, Report(op.name, tuple(run(op, task) for task in tasks(op)))


def test_a_page_says_why_and_where_from_and_begins_with_the_rules(unpad_and_claim):
    op, report = unpad_and_claim
    shown = page(op, report)
    kinds = [entry.verdict.kind for entry in shown.entries]
    assert kinds == sorted(kinds, key=list(KINDS).index)
    assert kinds[0] == "jvp"
    assert [e.number for e in shown.entries] == list(range(1, len(kinds) + 1))
    assert list(shown.sections) == [s for s, of in SECTIONS.items() if {*of} & {*kinds}]
    for text in (markdown(shown), op_html(shown)):
        assert "One might" in text
        assert "In PyTorch" in text
        assert text.index("The rules") < text.index("What is needed")


def test_what_is_long_is_folded_but_for_the_rules():
    assert not is_long("The rules", range(50))
    assert is_long("Claims", range(6))
    assert not is_long("Claims", range(5))


@pytest.mark.parametrize("name", sorted(specs.HOMES))
def test_every_op_says_what_it_is_and_why_it_keeps_what_is_false(name):
    op = getattr(specs, name)
    docs = {getattr(specs, other).doc for other in specs.HOMES if other != name}
    assert op.doc not in docs
    assert "PyTorch" in op.doc
    assert [c.name for c in op.claims if c.refuted is not None and not c.why] == []
