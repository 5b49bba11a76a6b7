"""A graph's theorem: proved from its nodes', never better than they are, tried end to end."""

import re
from dataclasses import replace
from functools import reduce
from pathlib import Path
from runpy import run_path
from time import process_time
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from quick import quick

from gradproof.graphs import Graph, GraphError, composing
from gradproof.graphs.accumulating import Accumulation
from gradproof.graphs.nodes import Wiring, check_order, op_at, unfit
from gradproof.graphs.ops import op_named
from gradproof.language import Eq, Op, array, bracket, cotangent, exp, function, integers, tangent
from gradproof.settle import conclusions
from gradproof.settle.conclusions import Finding
from gradproof.testing import assert_proved

H, W, N, n, i = integers("H W N n i")
EXAMPLES = Path(__file__).parents[2] / "examples" / "graphs"
BOUNDARY = "all sizes, where the winner is unique, off the boundary"
ALL = "all sizes"
GRAPHS = {
    "lstm": ("recurrent", ALL, "T ≥ 1 and N ≥ 1 and D ≥ 1"),
    "gru": ("recurrent", ALL, "T ≥ 1 and N ≥ 1 and D ≥ 1"),
    "selective": ("selective", ALL, "T ≥ 1 and D ≥ 1 and N ≥ 1"),
    "language_model": (
        "language_model",
        ALL,
        "T ≥ 1 and V ≥ 1 and heads ≥ 1 and D ≥ 1 and L ≥ 1 and F ≥ 1",
    ),
    "lenet": ("lenet", BOUNDARY, "H ≥ 16 and W ≥ 16"),
    "resnet": ("resnet", BOUNDARY, "C ≥ 1 and H ≥ 1 and W ≥ 1"),
    "unet": ("unet", BOUNDARY, "C ≥ 1 and H ≥ 2 and 2 | H and W ≥ 2 and 2 | W"),
    "encoder": (
        "transformer",
        "all sizes, off the boundary",
        "T ≥ 1 and heads ≥ 1 and D ≥ 1 and F ≥ 1",
    ),
    "decoder": (
        "transformer",
        "all sizes, off the boundary",
        "T ≥ 1 and heads ≥ 1 and D ≥ 1 and F ≥ 1",
    ),
}


@pytest.mark.xdist_group("graphs")
@pytest.mark.parametrize("name", quick(GRAPHS, ("lenet", "lstm", "selective")))
def test_an_example_is_proved_for_all_sizes(name):
    file, scope, sizes = GRAPHS[name]
    graph = run_path(str(EXAMPLES / f"{file}.py"))[name]
    report = graph.verify()
    assert {v.name: v.note for v in report.verdicts if v.status != "proved"} == {}
    assert {v.scope for v in report.verdicts if v.kind in ("jvp", "vjp")} == {scope}
    accepted, wanted = str(graph.accepts()), sorted(sizes.split(" and "))
    assert sorted(accepted.removesuffix(" (necessary and sufficient)").split(" and ")) == wanted


u, v = array("u", n), array("v", n)


def op(name, value, slope, back=None):
    """An op of one array whose rules multiply by a slope."""
    return Op(
        name,
        forward=Eq(v[i], value),
        jvp=Eq(tangent(v)[i], slope * tangent(u)[i]),
        vjp=Eq(cotangent(u)[i], (slope if back is None else back) * cotangent(v)[i]),
    )


def of(*ops):
    g = Graph("chain")
    g.output(reduce(lambda x, each: g.apply(each, u=x), ops, g.input("x", N)))
    return g.verify()


def status(report):
    return {v.kind: v.status for v in report.verdicts if v.kind in ("jvp", "vjp")}


cube = op("cube", u[i] ** 3, 3 * u[i] ** 2)


def test_rules_that_are_proved_compose():
    assert status(of(cube, cube)) == {"jvp": "proved", "vjp": "proved"}


@pytest.mark.parametrize(
    "wrong",
    [
        op("wrong", u[i] ** 3, 2 * u[i] ** 2),
        op("wrong_back", u[i] ** 3, 3 * u[i] ** 2, u[i] ** 2),
        op("wrong_far", u[i] ** 3, 3 * u[i] ** 2 + bracket(n >= 50)),
        replace(cube, name="wrong_place", vjp=Eq(cotangent(u)[i], 3 * u[0] ** 2 * cotangent(v)[i])),
    ],
    ids=lambda op: op.name,
)
def test_a_graph_with_a_node_that_is_wrong_is_not_proved(wrong):
    """That the node is wrong somewhere does not refute the graph: it is unknown."""
    report = of(cube, wrong)
    assert status(report) == {"jvp": "unknown", "vjp": "unknown"}
    rules = next(v for v in report.verdicts if v.name == f"rules of {wrong.name}")
    assert rules.status == "refuted"
    assert report.status == "refuted"


def test_a_node_that_is_proved_for_few_turns_alone_makes_a_graph_unknown():
    """SOUNDNESS: a proof for loops of few turns says nothing of the loops that a graph has."""
    fine = Finding("proved", "all sizes", seal=conclusions.SEAL)
    for scope in ("all sizes, loops of up to 4 turns", "rank 1", "a witness"):
        narrow = Finding("proved", scope, seal=conclusions.SEAL)
        first, *others = composing.theorems_of(cube)
        found = dict.fromkeys(others, fine)
        assert composing.rules_settled(cube, 1, {first: fine, **found}).status == "proved"
        assert composing.rules_settled(cube, 1, {first: narrow, **found}).status == "unknown"
    assert not composing.is_wide("ranks 1 to 3", 4)
    assert composing.is_wide("ranks 1 to 3, off the boundary", 3)


def test_a_graph_rests_on_what_is_stated_of_its_functions():
    """SOUNDNESS: of a function without a value, facts that contradict each other prove anything."""
    n, i = integers("N i")
    u, v = array("u", n), array("v", n)
    stated = function("f", lambda w: exp(-w * w), facts=lambda w: function("f")(w) > 0)
    slope = exp(-u[i] * u[i])
    rules = {
        "jvp": Eq(tangent(v)[i], slope * tangent(u)[i]),
        "vjp": Eq(cotangent(u)[i], slope * cotangent(v)[i]),
    }
    node = Op("node", requires=(n >= 1,), forward=Eq(v[i], stated(u[i])), **rules)
    g = Graph("resting")
    g.assume(n >= 1)
    g.output(g.apply(node, u=g.apply(node, u=g.input("x", n))))
    found = g.verify()
    assert found.status == "proved"
    assert found.verdicts[-1].scope == "all sizes, if what is stated of f holds"


def test_a_branch_that_turns_everywhere_is_left_to_nobody():
    """SOUNDNESS: x - x is 0 everywhere, where relu has no derivative: nothing would be left."""
    g = Graph("nowhere")
    x = g.input("x", N)
    g.output(g.relu(g.add(x, g.scale(x, -1))))
    report = g.verify()
    assert status(report) == {"jvp": "unknown", "vjp": "unknown"}
    assert "no point found at which no branch of relu_1 turns" in report.verdicts[-1].note


def test_a_node_without_a_proof_is_missed():
    g = Graph("one")
    g.output(g.relu(g.input("x", N)))
    fine = composing.Premise("fine", "proved", "all sizes")
    assert composing.concluded(g.wiring(), fine, {}, {}).status == "unknown"
    (node,) = g.wiring().nodes
    rules, sizes = {node.op: fine}, composing.Premise("sizes of relu_1", "proved", "all sizes")
    assert composing.concluded(g.wiring(), fine, rules, {node: (sizes,)}).status == "proved"
    assert composing.concluded(g.wiring(), fine, rules, {node: (fine,)}).status == "unknown"
    rules = composing.rules_settled(node.op, 1, {})
    assert rules.status == "unknown"


@pytest.mark.parametrize("direction", ["pushed", "pulled"])
def test_accumulation_that_is_wrong_is_an_error(monkeypatch, direction):
    """What composes the rules is tried against the forward of the whole graph."""
    g = Graph("twice")
    x = g.input("x", N)
    g.output(g.multiply(g.tanh(x), x))
    right = getattr(Accumulation, direction)

    def forgetful(self, given):
        return {var: a + a for var, a in right(self, given).items()}

    assert g.verify().status == "proved"
    monkeypatch.setattr(Accumulation, direction, forgetful)
    report = g.verify()
    assert report.status == "error"
    assert "differs from plain differentiation" in report.verdicts[-1].note


def test_what_is_read_before_it_is_there_is_refused():
    """A cycle cannot be built; data that has one is refused all the same."""
    g = Graph("cycle")
    x = g.input("x", N)
    y = g.relu(g.relu(x))
    g.output(y)
    first, second = g.nodes
    looped = replace(first, operands={"x": y})
    with pytest.raises(GraphError, match="relu_2 is not there before it"):
        check_order(Wiring("cycle", (x,), (looped, second), (y,), ()))


def test_fifty_nodes_take_little_beyond_their_ops():
    g = Graph("deep")
    g.assume(H >= 1, W >= 1)
    x = g.input("x", 2, H, W)
    for number in range(16):
        kernel, bias = g.input(f"k{number}", 2, 2, 3, 3), g.input(f"b{number}", 2)
        x = g.add(x, g.relu(g.conv2d(x, kernel, bias, padding=1)))
    g.output(g.relu(g.global_avg_pool2d(x)))
    assert len(g.nodes) == 50
    for name in ("conv2d", "relu", "add", "global_avg_pool2d"):
        small = Graph(name)
        small.assume(H >= 1, W >= 1)
        x = small.input("x", 2, H, W)
        if name == "conv2d":
            y = small.conv2d(x, small.input("w", 2, 2, 3, 3), small.input("b", 2), padding=1)
        else:
            y = small.add(x, x) if name == "add" else getattr(small, name)(x)
        small.output(y)
        assert small.verify()
    start = process_time()
    assert g.verify().status == "proved"
    assert process_time() - start < 10


def test_a_graph_draws_itself():
    g = Graph("drawn")
    g.assume(N >= 1)
    x = g.input("x", N)
    g.output(g.linear(g.relu(x), g.input("w", 2, N), g.input("b", 2)))
    assert 'linear_1["linear_1  (2,)<br/>W: w (2, N)' in g.mermaid()
    assert "relu_1 --> linear_1" in g.mermaid()
    report = g.verify()
    assert "<br/>proved" in g.mermaid(report)
    root = ElementTree.fromstring(g.svg(report))
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"x (N,)", "relu_1  (N,)", "linear_1  (2,)", "proved"} <= set(texts)


def test_an_arrow_past_other_boxes_goes_around_them():
    g = Graph("skip")
    x = g.input("x", N)
    g.output(g.add(x, g.tanh(g.sigmoid(x))))
    root = ElementTree.fromstring(g.svg())
    boxes = [
        (int(b.get("x")), int(b.get("x")) + int(b.get("width")))
        for b in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    paths = [p.get("d") for p in root.iter("{http://www.w3.org/2000/svg}path")]
    (skip,) = (d for d in paths if " L" in d and " C" in d)
    beyond = max(int(at.partition(",")[0]) for at in re.findall(r"\d+,\d+", skip))
    assert max(right for _, right in boxes) < beyond < int(root.get("width"))
    middles = {left + right for left, right in boxes}
    assert max(middles) - min(middles) <= 2


def test_lenet_runs_within_a_fifth_of_a_second():
    lenet = run_path(str(EXAMPLES / "lenet.py"))["lenet"]
    drawn = np.random.default_rng(0)
    shapes = {"x": (1, 32, 32), "weight1": (120, 400)}
    values = {
        v.name: drawn.normal(size=shapes.get(v.name) or [int(d) for d in v.shape])
        for v in lenet.inputs
    }
    lenet.forward(values)
    taken = []
    for _ in range(3):
        start = process_time()
        y = lenet.forward(values)
        lenet.vjp(values, {name: np.ones(array.shape) for name, array in y.items()})
        taken.append(process_time() - start)
    assert min(taken) < 0.2


def test_ops_of_graphs_have_no_claims_and_are_made_once():
    assert op_named("conv2d") is op_named("conv2d")
    assert not op_named("conv2d").claims
    assert op_at(op_named("relu"), 2).inputs[0].dims == op_at(op_named("relu"), 2).output.dims


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ({"jvps": ()}, "has no JVP"),
        ({"outputs": (v, u)}, "has no JVP of u"),
        ({"vjp": ()}, "has no VJP by u"),
    ],
)
def test_an_op_that_says_too_little_is_no_node(parts, fault):
    """SOUNDNESS: what has no rule has no theorem that could fail."""
    known = ("inputs", "outputs", "jvps", "vjp")
    op = SimpleNamespace(**{name: getattr(cube, name) for name in known} | parts)
    assert unfit(cube) == ""
    assert unfit(op).startswith(fault)


def test_a_graph_is_asserted_to_be_proved():
    g = Graph("cubes")
    g.output(g.apply(cube, u=g.input("x", N)))
    assert_proved(g)
    g = Graph("wrong")
    slip = op("slip", u[i] ** 3, 3 * u[i] ** 2, u[i] ** 2)
    g.output(g.apply(slip, u=g.input("x", N)))
    with pytest.raises(AssertionError, match=r"rules of slip refuted(.|\n)*vjp unknown"):
        assert_proved(g)
