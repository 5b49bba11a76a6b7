"""`gradproof check` on files that define graphs."""

import json
import re

from commands import gradproof

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
OPEN = GRAPH.replace("chain.output(chain", "(chain")


def check(folder, text, *arguments):
    (folder / "file.py").write_text(text)
    return gradproof("check", "file.py", *arguments, cwd=folder)


def test_a_graph_is_settled_beside_the_ops_of_its_file(tmp_path):
    done = check(tmp_path, GRAPH, "--json", "found.json")
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


def test_reports_are_of_ops(tmp_path):
    (tmp_path / "file.py").write_text(GRAPH)
    done = gradproof("report", "file.py::chain", cwd=tmp_path)
    assert done.returncode == 2
    assert "chain is a graph, and reports are of ops" in done.stderr
