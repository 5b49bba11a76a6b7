"""What ops, reports and graphs look like where they are printed, and in a notebook."""

from dataclasses import replace

from gradproof import verify
from gradproof.graphs import Graph
from gradproof.language import Eq, integers
from gradproof.specs import unpad


def test_an_op_is_its_equations():
    size = next(s for s in unpad.sizes if not s.is_bundle)
    strict = replace(unpad, requires=(*unpad.requires, size > 0))
    assert str(unpad).startswith("unpad, where n ≥ 1; p ≥ 0\n  y[c, i] = x[c, i + p]\n")
    assert " &gt; 0" in strict._repr_html_()


def test_a_report_is_its_verdict_and_what_is_wrong():
    report = verify(unpad)
    assert str(report) == f"unpad: proved, {len(report.verdicts)} theorems"
    assert report._repr_html_() == f"<pre>{report}</pre>"
    rule = unpad.vjp[0]
    twice = verify(replace(unpad, vjp=Eq(rule.left, 2 * rule.right), claims=()))
    assert "\n  vjp x_bar: refuted, expected proved" in str(twice)


def test_a_graph_is_its_variables():
    graph = Graph("net")
    x = graph.input("x", *integers("N C"))
    graph.relu(x)
    assert str(graph).startswith("net\n  x")
    assert " = relu" in str(graph)
    assert graph._repr_html_() == f"<pre>{graph}</pre>"
