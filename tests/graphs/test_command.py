"""`gradproof check` on files that define graphs."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

from commands import gradproof, run_pytest

from gradproof.cli.cache import Cache
from gradproof.cli.main import main
from gradproof.graphs import Graph
from gradproof.language import integers
from gradproof.language.terms import as_term
from gradproof.report.definitions import definition_hash

N, M, i = integers("N M i")
SVG = "{http://www.w3.org/2000/svg}"
GRAPH = """\
from gradproof.graphs import Graph
from gradproof.language import *

N, n, i = integers("N n i")
u, v = array("u", n), array("v", n)
twice = Op(
    "twice",
    forward=Eq(v[i], 2 * u[i]),
    jvp=Eq(tangent(v)[i], 2 * tangent(u)[i]),
    vjp=Eq(cotangent(u)[i], 2 * cotangent(v)[i]),
)
chain = Graph("chain")
x = chain.input("x", N)
chain.output(chain.apply(twice, u=chain.apply(twice, u=x)))
"""
WRONG = GRAPH.replace("2 * cotangent(v)[i]", "3 * cotangent(v)[i]")
ALONE = """\
from gradproof.graphs import Graph

alone = Graph("alone")
alone.output(alone.tanh(alone.input("x", 3)))
"""
OPEN = GRAPH.replace("chain.output(chain", "(chain")


def check(folder, text, *arguments):
    (folder / "file.py").write_text(text)
    return gradproof("check", "file.py", *arguments, cwd=folder)


def test_a_graph_is_settled_beside_the_ops_of_its_file(tmp_path):
    done = check(tmp_path, GRAPH, "-v", "--json", "found.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "chain   file.py:14" in done.stdout
    assert "✓ proved      rules       rules of twice" in done.stdout
    found = json.loads((tmp_path / "found.json").read_text())
    (graph,) = (op for op in found["ops"] if op["name"] == "chain")
    assert [v["status"] for v in graph["theorems"] if v["kind"] in ("jvp", "vjp")] == ["proved"] * 2


def test_a_graph_of_an_op_that_is_wrong_is_not_proved(tmp_path):
    done = check(tmp_path, WRONG, "--only", "chain::*")
    assert done.returncode == 1
    assert "✗ refuted     rules       rules of twice" in done.stdout
    assert re.search(r"unknown +vjp +vjp", done.stdout)


def test_a_graph_that_is_not_whole_is_told_with_its_line(tmp_path):
    done = check(tmp_path, OPEN)
    assert done.returncode == 2
    assert "file.py:12: chain: it has no output; name what it computes" in done.stderr


def test_one_theorem_of_a_graph_is_explained(tmp_path):
    (tmp_path / "file.py").write_text(GRAPH)
    done = gradproof("explain", "file.py::chain", "vjp", cwd=tmp_path)
    assert (
        "reverse accumulation is the transpose of the derivative of (twice_2) by (x)" in done.stdout
    )
    assert "rests on           rules of twice" in done.stdout


def test_a_graph_has_a_page_with_its_picture(tmp_path):
    (tmp_path / "file.py").write_text(GRAPH)
    done = gradproof("report", "file.py", "--out", "out", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    page, site = (tmp_path / "out" / f"chain.{kind}" for kind in ("md", "html"))
    assert "twice_1 --> twice_2" in page.read_text("utf-8").split("```mermaid")[1]
    assert "`twice_2 = twice(twice_1)`, of shape `(N,)`" in page.read_text("utf-8")
    shown = site.read_text("utf-8")
    picture = shown[shown.index("<svg xmlns") : shown.index("</svg>") + 6]
    assert len(list(ElementTree.fromstring(picture).iter(SVG + "rect"))) == 3
    assert "rules of twice" in shown
    assert "chain.md" in (tmp_path / "out" / "index.md").read_text("utf-8")
    again = gradproof("report", "file.py", "--out", "out", "--check", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    (tmp_path / "file.py").write_text(WRONG)
    assert gradproof("report", "file.py", "--out", "out", "--check", cwd=tmp_path).returncode == 1


def test_the_theorems_of_a_graph_are_items_of_pytest(tmp_path):
    (tmp_path / "file.py").write_text(GRAPH)
    listed = run_pytest(tmp_path, "--gradproof", "--collect-only", "-q").stdout
    assert "file.py::chain::sizes of twice_1\n" in listed
    assert "file.py::chain::vjp\n" in listed
    assert run_pytest(tmp_path, "--gradproof", "-k", "chain").returncode == 0
    (tmp_path / "file.py").write_text(WRONG)
    done = run_pytest(tmp_path, "--gradproof", "-k", "chain")
    assert done.returncode == 1
    assert "file.py:14: chain::rules of twice" in done.stdout
    assert "rules of twice: vjp u_bar" in done.stdout
    assert "unknown, expected proved\nfile.py:14: chain::" in done.stdout


def test_a_file_of_graphs_alone_is_collected(tmp_path):
    (tmp_path / "file.py").write_text(ALONE)
    assert (
        "file.py::alone::vjp\n"
        in run_pytest(tmp_path, "--gradproof", "--collect-only", "-q").stdout
    )
    (tmp_path / "file.py").write_text("class Graph:\n    pass\n\n\ng = Graph()\n")
    assert "no tests" in run_pytest(tmp_path, "--gradproof", "--collect-only").stdout


def test_graphs_are_for_machines_too(tmp_path):
    outputs = [f"--{kind}={kind}" for kind in ("json", "junit", "sarif")]
    assert check(tmp_path, WRONG, "--only", "chain::*", *outputs).returncode == 1
    text = {kind: (tmp_path / kind).read_text("utf-8") for kind in ("json", "junit", "sarif")}
    (suite,) = ElementTree.fromstring(text["junit"]).iter("testsuite")
    names = {case.get("name"): case for case in suite.iter("testcase")}
    assert names["rules of twice"].find("failure") is not None
    assert names["vjp"].find("error") is not None
    (run,) = json.loads(text["sarif"])["runs"]
    found = {r["message"]["text"].split(":")[0] for r in run["results"]}
    assert found, run["results"]
    lines = {r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in run["results"]}
    assert lines == {14}
    (graph,) = json.loads(text["json"])["ops"]
    assert {v["status"] for v in graph["theorems"]} == {"proved", "refuted", "unknown"}


def test_what_was_found_of_a_graph_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADPROOF_CACHE", str(tmp_path / "kept"))
    file, asked = tmp_path / "file.py", []
    file.write_text(GRAPH)
    assert main(["check", str(file), "--quiet", "--jobs", "1"]) == 0
    monkeypatch.setattr(Cache, "keep", lambda self, request, answer: asked.append(request.do))
    other = GRAPH.replace("N)", "N * N)")
    for text, wanted in ((GRAPH, set()), (other, {"describe", "settle"})):
        file.write_text(text)
        assert main(["check", str(file), "--quiet", "--jobs", "1"]) == 0
        assert set(asked) == wanted


def wired():
    g = Graph("wired")
    x, y = g.input("x", N), g.input("y", N)
    g.output(g.multiply(g.tanh(x), g.scale(y, 2)))
    return g.wiring()


def changed(wiring, place, **parts):
    nodes = list(wiring.nodes)
    nodes[place] = replace(nodes[place], **parts)
    return replace(wiring, nodes=tuple(nodes))


def test_what_tells_two_graphs_apart():
    """What is kept of one must not be taken for the other."""
    wiring = wired()
    tanh, scale, product = wiring.nodes
    x, y = wiring.inputs
    a, b = product.operands["a"], product.operands["b"]
    factor = next(iter(scale.said))
    others = (
        replace(wiring, name="other"),
        replace(wiring, given=(*wiring.given, N >= 3)),
        replace(wiring, values=(x[i] > 0,)),
        replace(wiring, outputs=(a,)),
        replace(wiring, inputs=(replace(x, moves=False), y)),
        replace(wiring, inputs=(replace(x, shape=(M,)), y)),
        changed(wiring, 0, op=replace(tanh.op, name="other")),
        changed(wiring, 0, operands={"x": y}),
        changed(wiring, 1, sizes={**scale.sizes, factor: as_term(3)}),
        changed(wiring, 1, said={}),
        changed(wiring, 2, operands={"a": b, "b": a}),
        changed(wiring, 2, rank=2),
    )
    assert definition_hash(wired()) == definition_hash(wiring)
    assert len({definition_hash(w) for w in (wiring, *others)}) == 1 + len(others)


def test_what_tells_two_stacks_apart():
    turn = Graph("turn")
    x, w = turn.input("x", N), turn.input("w", N)
    y = turn.multiply(turn.tanh(x), w)
    turn.output(y)
    whole = Graph("whole")
    whole.assume(N >= 1, M >= 1)
    scanned = turn.scan("turns", M, {x: y}, shared=(w,))
    operands = {"x_first": whole.input("x", N), "w": whole.input("w", N)}
    whole.output(whole.apply(scanned, sizes={M: M}, **operands))
    wiring = whole.wiring()
    (node,) = wiring.nodes
    stack = node.turns
    others = [
        changed(wiring, 0, turns=made)
        for made in (
            None,
            replace(stack, name="other"),
            replace(stack, wiring=replace(stack.wiring, given=(N >= 3,))),
            replace(stack, turns=as_term(3)),
            replace(stack, carried={w: y}, shared=frozenset((x,))),
            replace(stack, shared=frozenset()),
            replace(stack, each=False),
        )
    ]
    assert len({definition_hash(w) for w in (wiring, *others)}) == 1 + len(others)
