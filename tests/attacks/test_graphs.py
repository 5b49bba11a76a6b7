"""Graphs of systems, of integers, of values that are required, fused and stacked: what is false of
them is not proved; each attack has a right neighbour."""

from dataclasses import replace
from operator import ge, gt

import numpy as np
import pytest

from gradproof.graphs import Graph, GraphError
from gradproof.graphs.accumulating import Accumulation
from gradproof.graphs.nodes import check_order
from gradproof.graphs.stacking import Stack
from gradproof.graphs.verifying import verify
from gradproof.language import (
    Eq,
    Max,
    Op,
    Sum,
    array,
    axes,
    bracket,
    cotangent,
    exp,
    integer_array,
    integers,
    log,
    scatter,
    tangent,
    zero_padded,
)
from gradproof.language.terms import DefinitionError
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

N, T, V, D, L, i, t, d, k = integers("N T V D L i t d k")
n, j = axes("n j")


def status(report):
    return {v.kind: v.status for v in report.verdicts if v.kind in ("jvp", "vjp")}


PROVED, UNKNOWN = ({"jvp": s, "vjp": s} for s in ("proved", "unknown"))

# Several outputs, intermediates, recurrences.

a, x, h = array("a", T), array("x", T), array("h", T)
total = cotangent(h, "all")
back = (
    Eq(total[t], cotangent(h)[t] + zero_padded(a)[t + 1] * zero_padded(total)[t + 1]),
    Eq(cotangent(x)[t], total[t]),
    Eq(cotangent(a)[t], total[t] * zero_padded(h)[t - 1]),
)
scan = Op(
    "scan",
    forward=Eq(h[t], a[t] * zero_padded(h)[t - 1] + x[t]),
    jvp=Eq(
        tangent(h)[t],
        tangent(a)[t] * zero_padded(h)[t - 1]
        + a[t] * zero_padded(tangent(h))[t - 1]
        + tangent(x)[t],
    ),
    vjp=back,
)
u, inner, s, w = (array(name, N) for name in ("u", "inner", "s", "w"))
pair = Op(
    "pair",
    let=(Eq(inner[i], exp(u[i])),),
    forward=(Eq(s[i], inner[i] ** 2), Eq(w[i], inner[i] * u[i])),
    jvp=(
        Eq(tangent(s)[i], 2 * inner[i] ** 2 * tangent(u)[i]),
        Eq(tangent(w)[i], inner[i] * (1 + u[i]) * tangent(u)[i]),
    ),
    vjp=Eq(
        cotangent(u)[i],
        2 * inner[i] ** 2 * cotangent(s)[i] + inner[i] * (1 + u[i]) * cotangent(w)[i],
    ),
)


def scanned(op):
    g = Graph("scanned")
    g.output(g.tanh(g.apply(op, a=g.sigmoid(g.input("a", T)), x=g.input("x", T))))
    return g


def paired(op, both=True):
    g = Graph("paired")
    first, second = g.apply(op, u=g.tanh(g.input("x", N)))
    g.output(g.multiply(first, second) if both else second)
    return g


def test_systems_are_nodes():
    assert status(scanned(scan).verify()) == PROVED
    assert status(paired(pair).verify()) == PROVED
    assert status(paired(pair, both=False).verify()) == PROVED


@pytest.mark.parametrize(
    "wrong",
    [
        replace(scan, vjp=(Eq(total[t], cotangent(h)[t]), *back[1:])),  # no step back
        replace(scan, vjp=(*back[:2], Eq(cotangent(a)[t], total[t] * h[t]))),
    ],
)
def test_a_node_whose_recurrence_is_pulled_back_wrongly_is_not_proved(wrong):
    assert status(scanned(wrong).verify()) == UNKNOWN


def test_a_node_that_forgets_one_of_two_outputs_is_not_proved():
    """Also where the graph makes no use of the output whose cotangent is forgotten."""
    forgets = Eq(cotangent(u)[i], inner[i] * (1 + u[i]) * cotangent(w)[i])
    for both in (True, False):
        assert status(paired(replace(pair, vjp=forgets), both).verify()) == UNKNOWN


def test_an_output_without_a_tangent_is_no_node():
    """The language asks for all tangents; a graph takes no op without one."""
    with pytest.raises((GraphError, DefinitionError)):
        paired(replace(pair, jvp=pair.jvps[:1]))


def test_cotangents_of_several_outputs_that_are_mixed_up_are_an_error(monkeypatch):
    """What accumulates is tried against the forward of the whole."""
    right = Accumulation.read
    monkeypatch.setattr(
        Accumulation,
        "read",
        lambda self, node: {name: 2 * v for name, v in right(self, node).items()},
    )
    assert paired(pair).verify().status == "error"


# Integers.

token = integer_array("token", T, below=V)
table, rows = array("table", V, D), array("rows", T, D)
embedding = Op(
    "embedding",
    requires=(T >= 1, V >= 1, D >= 1),
    forward=Eq(rows[t, d], table[token[t], d]),
    jvp=Eq(tangent(rows)[t, d], tangent(table)[token[t], d]),
    vjp=scatter(cotangent(table)[token[t], d], cotangent(rows)[t, d], (t, 0, T - 1), (d, 0, D - 1)),
)


def embedded(below, op=embedding, words=V):
    g = Graph("embedded")
    g.assume(T >= 1, V >= 1, D >= 1)
    tokens = g.integers("tokens", T, below=below)
    g.output(g.tanh(g.apply(op, token=tokens, table=g.input("table", words, D))))
    return g


def test_integers_in_range_are_taken_and_no_others():
    assert status(embedded(V).verify()) == PROVED
    assert embedded(5, words=7).verify().status == "proved"
    with pytest.raises(GraphError, match="tokens from 0 to V"):
        embedded(V + 1)
    with pytest.raises(GraphError, match="tokens from 0 to 7"):
        embedded(8, words=7)
    g = Graph("low")
    g.assume(T >= 1, V >= 1, D >= 1)
    low, words = g.integers("tokens", T, below=V, first=-1), g.input("table", V, D)
    with pytest.raises(GraphError, match="from -1 to"):
        g.apply(embedding, token=low, table=words)


def test_an_embedding_that_writes_once_per_word_is_not_proved():
    """Tokens that occur twice add up; this rule keeps but the first."""
    once = Eq(
        cotangent(table)[k, d],
        Sum(
            bracket(Eq(token[t], k))
            * bracket(Eq(Sum(bracket(Eq(token[i], k)), (i, 0, t - 1)), 0))
            * cotangent(rows)[t, d],
            (t, 0, T - 1),
        ),
    )
    assert status(embedded(V, replace(embedding, vjp=once)).verify()) == UNKNOWN


def test_integers_and_reals_are_not_taken_for_one_another():
    g = Graph("mixed")
    g.assume(T >= 1, V >= 1, D >= 1)
    tokens, reals = g.integers("tokens", T, below=V), g.input("reals", T)
    with pytest.raises(GraphError, match="token of embedding is of integers, reals of reals"):
        g.apply(embedding, token=reals, table=g.input("table", V, D))
    with pytest.raises(GraphError, match="x of relu is of reals, tokens of integers"):
        g.relu(tokens)


def test_integers_out_of_range_are_not_computed_with():
    values = {"table": np.ones((2, 3)), "tokens": [0, 1, 1]}
    assert embedded(V).forward(values)["tanh_1"].shape == (3, 3)
    for tokens in ([0, 2, 1], [0, -1, 1], [0, 0.5, 1]):
        with pytest.raises(GraphError):
            embedded(V).forward(values | {"tokens": tokens})


# Values that are required.

p, q = array("p", n), array("q", n)
logs = Op(
    "logs",
    requires=(p[j] > 0,),
    forward=Eq(q[j], log(p[j])),
    jvp=Eq(tangent(q)[j], tangent(p)[j] / p[j]),
    vjp=Eq(cotangent(p)[j], cotangent(q)[j] / p[j]),
)


def logged(make, *assumed):
    g = Graph("logged")
    x = g.input("x", T, D)
    g.assume(T >= 1, D >= 1, *(condition(x) for condition in assumed))
    g.output(g.apply(logs, p=make(g, x)))
    return g


def positive(x):
    return x[i, k] > 0


def test_values_are_required_of_what_is_computed_or_assumed():
    assert status(logged(lambda g, x: g.softmax(x)).verify()) == PROVED
    assert status(logged(lambda g, x: x, positive).verify()) == PROVED
    assert status(logged(lambda g, x: g.multiply(x, x), positive).verify()) == PROVED


@pytest.mark.parametrize(
    ("make", "assumed"),
    [
        (lambda g, x: x, ()),
        (lambda g, x: g.tanh(x), ()),
        (lambda g, x: g.multiply(x, x), ()),  # 0 at 0
        (lambda g, x: g.relu(x), ()),
        (lambda g, x: g.scale(x, -1), (positive,)),
        (lambda g, x: x, (lambda x: x[0, 0] > 0,)),  # of one cell, not of all
        (lambda g, x: x, (lambda x: x[i, k] >= 0,)),
    ],
)
def test_values_that_are_not_known_to_be_as_required_are_refused(make, assumed):
    with pytest.raises(GraphError, match="logs requires"):
        logged(make, *assumed)


def test_assumptions_of_values_that_contradict_each_other_prove_nothing():
    g = Graph("nowhere")
    x = g.input("x", 2)
    g.assume(x[i] > 0, x[i] < 0)
    g.output(g.tanh(x))
    assert "proved" not in status(g.verify()).values()


def test_what_is_assumed_of_values_is_checked_where_they_are_given():
    g = logged(lambda g, x: x, positive)
    assert g.forward({"x": np.ones((1, 2))})["logs_1"].tolist() == [[0, 0]]
    with pytest.raises(GraphError, match="is assumed, and does not hold"):
        g.forward({"x": np.array([[1.0, -1.0]])})


def test_of_values_inputs_alone_can_be_assumed():
    g = Graph("computed")
    y = g.tanh(g.input("x", N))
    with pytest.raises(GraphError, match="speaks of tanh_1"):
        g.assume(y[i] > 0)


# A rule for the whole.


def silu():
    g = Graph("silu")
    x = g.input("x", N)
    s = g.sigmoid(x)
    y = g.multiply(x, s)
    g.output(y)
    return g, x, s, y


def of_the_whole(report):
    return {v.name: v.status for v in report.verdicts if v.name.startswith("vjp x_bar")}


def test_a_rule_for_the_whole_graph_is_compared_with_what_it_composes():
    g, x, s, y = silu()
    x_bar, y_bar = cotangent(x.array), cotangent(y.array)
    right = Eq(x_bar[i], y_bar[i] * s[i] * (1 + x[i] * (1 - s[i])))
    report = g.verify(vjp=right)
    assert report.status == "proved"
    assert of_the_whole(report)["vjp x_bar"] == "proved"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda s, x: s * (1 + x * (1 + s)),
        lambda s, x: s * x * (1 - s),  # one of two uses of x
        lambda s, x: s,
        lambda s, x: s * (1 + x * (1 - s)) + bracket(N >= 40),  # from a size on
    ],
)
def test_a_wrong_rule_for_the_whole_graph_is_refuted(wrong):
    g, x, s, y = silu()
    x_bar, y_bar = cotangent(x.array), cotangent(y.array)
    report = g.verify(vjp=Eq(x_bar[i], y_bar[i] * wrong(s[i], x[i])))
    assert of_the_whole(report)["vjp x_bar"] == "refuted"
    assert status(g.verify()) == PROVED


def test_a_rule_for_the_whole_is_of_every_input():
    g = Graph("product")
    x, y = g.input("x", N), g.input("y", N)
    z = g.multiply(x, y)
    g.output(z)
    with pytest.raises(DefinitionError, match="no VJP for input y"):
        g.verify(vjp=Eq(cotangent(x.array)[i], y[i] * cotangent(z.array)[i]))


def test_arrays_of_nodes_are_not_confused_with_those_of_the_graph():
    """The graph's x is not the x of relu's definition; indices have names of no size."""
    g = Graph("crossed")
    b, x = g.input("a", N), g.input("b", N)
    z = g.multiply(x, g.tanh(b))
    g.output(z)
    op = g.op(
        vjp=(
            Eq(
                cotangent(b.array)[i],
                cotangent(z.array)[i] * x[i] * (1 - g.nodes[0].results["y"][i] ** 2),
            ),
            Eq(cotangent(x.array)[i], cotangent(z.array)[i] * g.nodes[0].results["y"][i]),
        )
    )
    assert {settled(th, RLIMIT).status for th in obligations(op)} == {"proved"}


# Layer after layer.


def residual(**rules):
    g = Graph("layer")
    g.assume(N >= 1)
    x = g.input("x", N)
    op = replace(scaled, **rules)
    g.output(g.add(x, g.apply(op, u=x, v=g.input("w", N))))
    return g.stack("stack", L, x).op


v, y = array("v", N), array("y", N)
scaled = Op(
    "scaled",
    forward=Eq(y[i], u[i] ** 2 * v[i]),
    jvp=Eq(tangent(y)[i], 2 * u[i] * tangent(u)[i] * v[i] + u[i] ** 2 * tangent(v)[i]),
    vjp=(
        Eq(cotangent(u)[i], 2 * u[i] * v[i] * cotangent(y)[i]),
        Eq(cotangent(v)[i], u[i] ** 2 * cotangent(y)[i]),
    ),
)


def settled_of(op, *kinds):
    return {settled(th, RLIMIT).status for th in obligations(op) if th.kind in kinds}


def test_a_stack_of_any_depth_is_proved():
    assert settled_of(residual(), "order", "linear", "jvp", "vjp") == {"proved"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"vjp": (Eq(cotangent(u)[i], u[i] * v[i] * cotangent(y)[i]), scaled.vjp[1])},
        {"vjp": (scaled.vjp[0], Eq(cotangent(v)[i], u[i] * cotangent(y)[i]))},
        {"jvp": Eq(tangent(y)[i], 2 * u[i] * tangent(u)[i] * v[i])},
    ],
)
def test_a_stack_of_layers_with_a_wrong_rule_is_refuted(wrong):
    kind = next(iter(wrong))
    assert "refuted" in settled_of(residual(**wrong), kind)


def repeated(depth=L, each=False, **rules):
    """The layer, so many times, as a node of a graph."""
    g = Graph("layer")
    g.assume(N >= 1)
    x, w = g.input("x", N), g.input("w", N)
    made = g.output(g.add(x, g.apply(replace(scaled, **rules), u=x, v=w)))
    turns = g.scan("stack", depth, {x: made}, each=each)
    whole = Graph("whole")
    whole.assume(L >= 1, N >= 1)
    first, weights = whole.input("first", N), whole.input("weights", depth, N)
    whole.output(whole.tanh(whole.apply(turns, x_first=first, w=weights)))
    return whole


def test_a_graph_with_a_stack_is_proved_from_one_layer():
    assert status(repeated().verify()) == PROVED
    assert status(repeated(each=True).verify()) == PROVED
    assert status(repeated(depth=3).verify()) == PROVED


@pytest.mark.parametrize(
    "wrong",
    [
        {"vjp": (Eq(cotangent(u)[i], u[i] * v[i] * cotangent(y)[i]), scaled.vjp[1])},
        {"vjp": (scaled.vjp[0], Eq(cotangent(v)[i], u[i] * cotangent(y)[i]))},
        {"jvp": Eq(tangent(y)[i], 2 * u[i] * tangent(u)[i] * v[i])},
        {
            "vjp": (
                scaled.vjp[0],
                Eq(cotangent(v)[i], (u[i] ** 2 + bracket(N >= 50)) * cotangent(y)[i]),
            )
        },
    ],
)
def test_a_graph_with_a_stack_of_wrong_layers_is_not_proved(wrong):
    assert status(repeated(**wrong).verify()) == UNKNOWN


def test_rules_of_a_stack_that_are_not_those_of_its_layers_are_refused():
    """SOUNDNESS: that a layer is proved says nothing of another op under the name of its stack."""
    wiring = repeated().wiring()
    node = wiring.nodes[0]
    other = replace(node.op, vjp=tuple(Eq(e.args[0], 2 * e.args[1]) for e in node.op.vjp))
    with pytest.raises(GraphError, match="stack is not what stack says"):
        check_order(replace(wiring, nodes=(replace(node, op=other), *wiring.nodes[1:])))


@pytest.mark.parametrize("part", ["uses", "from_above"])
def test_cotangents_that_a_stack_counts_twice_are_an_error(monkeypatch, part):
    """SOUNDNESS: what repeats a graph is trusted, and tried all the same."""
    right = getattr(Stack, part)
    monkeypatch.setattr(Stack, part, lambda self, *at: [*right(self, *at)] * 2)
    assert repeated(each=True).verify().status == "error"


def test_weights_that_turns_share_add_up():
    """SOUNDNESS: the cotangent of what all turns share is a sum over them."""
    g = Graph("turn")
    g.assume(N >= 1)
    x, w = g.input("x", N), g.input("w", N)
    y = g.output(g.add(g.multiply(g.tanh(x), w), g.input("new", N)))
    turns = g.scan("turns", T, {x: y}, shared=(w,))
    whole = Graph("shared")
    whole.assume(T >= 1, N >= 1)
    operands = {"x_first": whole.input("x", N), "new": whole.input("new", T, N)}
    whole.output(whole.apply(turns, w=whole.input("w", N), **operands))
    assert status(whole.verify()) == PROVED
    assert settled_of(turns.op, "order", "linear", "jvp", "vjp") == {"proved"}
    twice = (Eq(e.args[0], 2 * e.args[1]) if "w_bar" in str(e.args[0]) else e for e in turns.op.vjp)
    assert "refuted" in settled_of(replace(turns.op, vjp=tuple(twice)), "vjp")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda g, x, y: {y: y}, "tanh_1 is no input that can be handed on"),
        (lambda g, x, y: {x: x}, "x, handed on as x, must be computed"),
        (lambda g, x, y: {}, "it hands nothing on"),
        (lambda g, x, y: {x: g.softmax(g.input("z", 2, N))}, "make these shapes one"),
        (lambda g, x, y: {x: g.concat_of(g)}, "make these shapes one"),
    ],
)
def test_what_cannot_be_handed_on_is_refused(make, message):
    g = Graph("turn")
    g.assume(N >= 1, D >= 1)
    x = g.input("x", N)
    y = g.output(g.tanh(x))
    g.concat_of = lambda g: g.linear(x, g.input("w", D, N), g.input("b", D))
    carried = make(g, x, y)
    g.output(*carried.values())
    with pytest.raises(GraphError, match=message):
        g.scan("turns", T, carried)


def test_what_is_assumed_of_values_in_one_turn_is_not_known_in_the_next():
    """SOUNDNESS: log(log(x)) where the first x alone is above 0."""
    g = Graph("turn")
    g.assume(N >= 1)
    x = g.input("x", N)
    g.assume(x[i] > 0)
    y = g.output(g.apply(logs, p=x))
    with pytest.raises(GraphError, match="which is not known of turns"):
        g.scan("turns", T, {x: y})


# Boundaries that are hit everywhere, in part of all values.

p, q, z = (array(name, N) for name in ("p", "q", "z"))


def larger(ties):
    """The larger of two, which are compared with `ties` where only one of them may win."""
    first, second = bracket(p[i] >= q[i]), bracket(ties(q[i], p[i]))
    return Op(
        "larger",
        forward=Eq(z[i], Max(p[i], q[i])),
        jvp=Eq(tangent(z)[i], first * tangent(p)[i] + second * tangent(q)[i]),
        vjp=(
            Eq(cotangent(p)[i], first * cotangent(z)[i]),
            Eq(cotangent(q)[i], second * cotangent(z)[i]),
        ),
    )


def far(second, first):
    """Far from where values are drawn."""
    return (second > first) | (Eq(first, second) & (first > 1000))


@pytest.mark.parametrize(("ties", "expected"), [(gt, PROVED), (ge, UNKNOWN), (far, UNKNOWN)])
def test_a_rule_that_counts_ties_twice_is_not_proved_behind_what_ties_often(ties, expected):
    """SOUNDNESS: where `x > 0` both are the same, and a rule that gives each a share gives twice.

    It was seen at random values alone.
    """
    g = Graph("tied")
    x = g.input("x", N)
    g.output(g.apply(larger(ties), p=g.relu(x), q=x))
    assert status(g.verify()) == expected


# What looks like a proof of something else.


def bars(*variables):
    return [cotangent(v.array) for v in variables]


def difference():
    """Of equal shapes, so that nothing but the rule tells a from b."""
    g = Graph("difference")
    a, b = g.input("a", N), g.input("b", N)
    z = g.add(g.tanh(a), g.scale(b, -1))
    g.output(z)
    return g, a, b, g.nodes[0].results["y"], z


def test_cotangents_of_inputs_of_equal_shape_are_not_exchanged():
    g, a, b, y, z = difference()
    a_bar, b_bar, z_bar = bars(a, b, z)
    right = (Eq(a_bar[i], (1 - y[i] ** 2) * z_bar[i]), Eq(b_bar[i], -z_bar[i]))
    swapped = (Eq(b_bar[i], (1 - y[i] ** 2) * z_bar[i]), Eq(a_bar[i], -z_bar[i]))
    found = {v.name: v.status for v in g.verify(vjp=right).verdicts}
    assert (found["vjp a_bar"], found["vjp b_bar"]) == ("proved", "proved")
    found = {v.name: v.status for v in g.verify(vjp=swapped).verdicts}
    assert (found["vjp a_bar"], found["vjp b_bar"]) == ("refuted", "refuted")


def test_a_variable_that_is_taken_twice_counts_twice():
    g = Graph("square")
    x = g.input("x", N)
    z = g.multiply(x, x)
    g.output(z)
    x_bar, z_bar = bars(x, z)
    assert status(g.verify()) == PROVED
    assert of_the_whole(g.verify(vjp=Eq(x_bar[i], 2 * x[i] * z_bar[i])))["vjp x_bar"] == "proved"
    assert of_the_whole(g.verify(vjp=Eq(x_bar[i], x[i] * z_bar[i])))["vjp x_bar"] == "refuted"


def test_an_op_that_is_wrong_does_not_pass_for_one_of_its_name():
    """SOUNDNESS: what is known of an op is known of its equations, not of its name."""
    wrong = replace(scaled, jvp=Eq(tangent(y)[i], u[i] * tangent(u)[i] * v[i]))
    for order in ((scaled, wrong), (wrong, scaled)):
        g = Graph("named")
        x = g.input("x", N)
        for number, op in enumerate(order):
            x = g.apply(op, name=f"node{number}", u=x, v=g.input(f"w{number}", N))
        g.output(x)
        assert status(g.verify()) == UNKNOWN


def test_variables_that_are_exchanged_behind_a_proof_are_of_another_graph():
    """SOUNDNESS: sizes are settled of the nodes as they are wired when the graph is verified."""
    g = Graph("exchanged")
    g.assume(N >= 1, D >= 1)
    x, w, b, other = g.input("x", N), g.input("w", D, N), g.input("b", D), g.input("o", D)
    g.output(g.add(g.linear(x, w, b), other))
    wiring = g.wiring()
    node = replace(wiring.nodes[0], operands=dict(wiring.nodes[0].operands, x=other))
    exchanged = replace(wiring, nodes=(node, *wiring.nodes[1:]))
    assert status(verify(wiring)) == PROVED
    assert "proved" not in status(verify(exchanged)).values()


@pytest.mark.parametrize(
    "assumed", [(N >= 3, N <= 2), (N <= 0, N >= 1), (Eq(N, 2 * D), Eq(N, 2 * D + 1))]
)
def test_sizes_that_contradict_each_other_prove_nothing(assumed):
    before, after = Graph("before"), Graph("after")
    before.assume(*assumed)
    with pytest.raises(GraphError, match="contradict each other"):
        before.tanh(before.input("x", N, D))
    after.output(after.tanh(after.input("x", N, D)))
    after.assume(*assumed)
    assert "proved" not in status(after.verify()).values()


def test_of_no_cell_all_is_true_unless_an_op_asks_for_one():
    g = Graph("empty")
    g.assume(Eq(N, 0))
    g.output(g.tanh(g.input("x", N)))
    assert status(g.verify()) == PROVED
    assert g.vjp({"x": np.zeros(0)}, {"tanh_1": np.zeros(0)})["x"].shape == (0,)
    g = Graph("refused")
    g.assume(Eq(N, 0), D >= 1)
    with pytest.raises(GraphError, match="requires N ≥ 1"):
        g.softmax(g.input("x", D, N))


def test_what_a_turn_was_built_of_can_be_changed_by_nobody_later():
    g = Graph("turn")
    x = g.input("x", N)
    y = g.output(g.tanh(x))
    handed = {x: y}
    turns = g.scan("turns", T, handed)
    handed[x] = x
    assert dict(turns.carried) == {x: y}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda g, x, y: g.output(x), "the output x depends on no input that moves"),
        (
            lambda g, x, y: g.output(g.tanh(g.constant("k", N))),
            "the output tanh_2 depends on no input that moves",
        ),
        (lambda g, x, y: [g.output(y), y], "tanh_1 is shared, and no input"),
        (lambda g, x, y: [g.output(y), x], "x is no input that can be handed on"),
    ],
)
def test_a_turn_that_cannot_be_repeated_is_refused(make, message):
    g = Graph("turn")
    g.assume(N >= 1)
    x = g.input("x", N)
    y = g.output(g.tanh(x))
    made = make(g, x, y)
    shared = made[1:] if isinstance(made, list) else ()
    with pytest.raises(GraphError, match=message):
        g.scan("turns", T, {x: y}, shared)


def test_a_turn_of_systems_and_a_layer_of_two_outputs_are_refused():
    g = Graph("turn")
    x = g.input("x", N)
    first, second = g.apply(pair, u=x)
    g.output(first)
    with pytest.raises(GraphError, match="a system of equations is no part of a turn"):
        g.scan("turns", T, {x: first})
    g.output(second)
    with pytest.raises(GraphError, match="a layer computes one output from x"):
        g.stack("layers", L, x)
