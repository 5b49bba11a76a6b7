"""The graphs of examples/ compute what PyTorch does: forward, JVP and VJP."""

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
F = torch.nn.functional
# The first tangent that PyTorch pushes through a function loads a module that it has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")

EXAMPLES = Path(__file__).parents[2] / "examples" / "graphs"


def lenet(x, v):
    for n in "12":
        x = F.max_pool2d(F.relu(F.conv2d(x, v["kernel" + n], v["shift" + n])), 2)
    x = x.flatten()
    for n in "12":
        x = F.relu(F.linear(x, v["weight" + n], v["bias" + n]))
    return F.linear(x, v["weight3"], v["bias3"])


def resnet(x, v):
    x = F.relu(F.conv2d(x, v["stem_kernel"], v["stem_bias"], stride=2, padding=3))
    x = F.max_pool2d(x, 3, 2, 1)
    y = F.relu(F.conv2d(x, v["first_kernel"], v["first_bias"], padding=1))
    return F.relu(x + F.conv2d(y, v["second_kernel"], v["second_bias"], padding=1))


def unet(x, v):
    def conv(x, name):
        return F.relu(F.conv2d(x, v[f"{name}_kernel"], v[f"{name}_bias"], padding=1))

    here = conv(x, "here")
    down = conv(F.max_pool2d(here, 2), "down")
    up = F.conv_transpose2d(down, v["up_kernel"], v["up_bias"], stride=2)
    return conv(torch.cat((here, up)), "joined")


def block(causal):
    def computed(x, v):
        places, width = x.shape

        def linear(x, name):
            return F.linear(x, v[f"{name}_weight"], v[f"{name}_bias"])

        def norm(x, name):
            return F.layer_norm(x, (width,), v[f"{name}_gain"], v[f"{name}_bias"], 1e-5)

        normed = norm(x, "norm1")
        query, key, value = (
            linear(normed, part).reshape(places, 2, width // 2).transpose(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(1, 2) / (width // 2) ** 0.5
        if causal:
            later = torch.ones(places, places, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -torch.inf)
        attended = (scores.softmax(-1) @ value).transpose(0, 1).reshape(places, width)
        x = x + linear(attended, "out") * v["attended_mask"] / 0.9
        between = F.relu(linear(norm(x, "norm2"), "up"))
        return x + linear(between, "down") * v["fed_mask"] / 0.9

    return computed


def lstm(x, v):
    h, c = v["h_first"], v["c_first"]
    shown = []
    for row in x:

        def gate(name, row=row, h=h):
            of_state = F.linear(h, v[f"{name}_state_weight"], v[f"{name}_state_bias"])
            return F.linear(row, v[f"{name}_weight"], v[f"{name}_bias"]) + of_state

        c = gate("forget").sigmoid() * c + gate("enter").sigmoid() * gate("new").tanh()
        h = gate("show").sigmoid() * c.tanh()
        shown.append(h)
    return torch.stack(shown)


def library(module, cells, gates):
    """PyTorch's own layer, with the weights of the gates in the order in which it has them."""

    def computed(x, v):
        def packed(suffix):
            return torch.cat([v[f"{gate}_{suffix}"] for gate in gates])

        weights = {
            "weight_ih_l0": packed("weight"),
            "weight_hh_l0": packed("state_weight"),
            "bias_ih_l0": packed("bias"),
            "bias_hh_l0": packed("state_bias"),
        }
        states = tuple(v[f"{cell}_first"][None] for cell in cells)
        layer = module(x.shape[1], states[0].shape[1]).double()
        given = (x, states if len(states) > 1 else states[0])
        return torch.func.functional_call(layer, weights, given)[0]

    return computed


def gru(x, v):
    h, shown = v["h_first"], []
    for row in x:

        def gate(name, row=row, h=h):
            of_row = F.linear(row, v[f"{name}_weight"], v[f"{name}_bias"])
            return of_row, F.linear(h, v[f"{name}_state_weight"], v[f"{name}_state_bias"])

        reset, keep = (sum(gate(name)).sigmoid() for name in ("reset", "keep"))
        of_row, of_state = gate("new")
        new = (of_row + reset * of_state).tanh()
        h = (1 - keep) * new + keep * h
        shown.append(h)
    return torch.stack(shown)


def selective(x, v):
    def projected(name):
        return F.linear(x, v[f"{name}_weight"], v[f"{name}_bias"])

    delta, enter, leave = F.softplus(projected("delta")), projected("enter"), projected("leave")
    h, shown = v["h_first"], []
    for row, step, b, c in zip(x, delta, enter, leave, strict=True):
        h = (step[:, None] * v["rate"]).exp() * h + (step * row)[:, None] * b
        shown.append(h @ c + v["skip"] * row)
    return torch.stack(shown)


def language_model(words, v):
    places, width = v["places"].shape
    x = words[v["tokens"]] + v["places"]

    def norm(x, gain, bias):
        return F.layer_norm(x, (width,), gain, bias, 1e-5)

    for n in range(len(v["up_bias"])):
        w = {name: v[name][n] for name in v if len(v[name]) == len(v["up_bias"])}

        def linear(x, name, w=w):
            return F.linear(x, w[f"{name}_weight"], w[f"{name}_bias"])

        normed = norm(x, w["norm1_gain"], w["norm1_bias"])
        query, key, value = (
            linear(normed, part).reshape(places, 2, width // 2).transpose(0, 1)
            for part in ("query", "key", "value")
        )
        attended = F.softmax(
            (query @ key.transpose(1, 2) / (width // 2) ** 0.5).masked_fill(
                torch.ones(places, places, dtype=torch.bool).triu(1), -torch.inf
            ),
            -1,
        )
        x = x + linear((attended @ value).transpose(0, 1).reshape(places, width), "out")
        x = x + linear(F.silu(linear(norm(x, w["norm2_gain"], w["norm2_bias"]), "up")), "down")
    x = norm(x, v["final_gain"], v["final_bias"])
    return F.cross_entropy(F.linear(x, v["scores_weight"], v["scores_bias"]), v["labels"])


SEQUENCE = {"T": 4, "N": 3, "D": 2}
# The file, what PyTorch computes, and the sizes.
GRAPHS = {
    "lenet": ("lenet", lenet, {"H": 32, "W": 32}),
    "resnet": ("resnet", resnet, {"C": 3, "H": 13, "W": 10}),
    "unet": ("unet", unet, {"C": 2, "H": 6, "W": 8}),
    "lstm": ("recurrent", lstm, SEQUENCE),
    "gru": ("recurrent", gru, SEQUENCE),
    "selective": ("selective", selective, SEQUENCE),
    "language_model": (
        "language_model",
        language_model,
        {"L": 3, "T": 4, "D": 3, "F": 5, "V": 7, "heads": 2},
    ),
    "encoder": ("transformer", block(False), {"T": 4, "D": 3, "F": 5, "heads": 2}),
    "decoder": ("transformer", block(True), {"T": 4, "D": 3, "F": 5, "heads": 2}),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_computes_what_pytorch_does(name):
    file, computed, sizes = GRAPHS[name]
    graph = run_path(str(EXAMPLES / f"{file}.py"))[name]
    drawn = np.random.default_rng(0)
    wiring = graph.wiring()
    values = {x.name: drawn_for(x, sizes, drawn) for x in wiring.inputs}
    dots = {x.name: drawn.normal(size=shape_at(x, sizes)) for x in wiring.moving}
    (data, *_), tensors = dots, {k: torch.from_numpy(v) for k, v in values.items()}

    def run(moving):
        return computed((tensors | moving)[data], tensors | moving)

    moving = {name: tensors[name] for name in dots}
    expected, y_dot = torch.func.jvp(
        run, (moving,), ({k: torch.from_numpy(v) for k, v in dots.items()},)
    )
    (output,) = graph.forward(values, sizes)
    y_bar = np.asarray(drawn.normal(size=expected.shape))
    (back,) = torch.func.vjp(run, moving)[1](torch.from_numpy(y_bar))
    assert np.allclose(graph.forward(values, sizes)[output], expected)
    assert np.allclose(graph.jvp(values, dots, sizes)[output], y_dot)
    found = graph.vjp(values, {output: y_bar}, sizes)
    assert found.keys() == back.keys()
    for each, x_bar in back.items():
        assert np.allclose(found[each], x_bar), each


def drawn_for(var, sizes, drawn):
    if not var.span:
        return drawn.normal(size=shape_at(var, sizes))
    first, last = at(var, var.span, sizes)
    return drawn.integers(first, last + 1, size=shape_at(var, sizes))


def shape_at(var, sizes):
    return at(var, var.shape, sizes)


def at(var, terms, sizes):
    env = {s: sizes[s.name] for s in var.graph.wiring().symbols}
    return tuple(Evaluator(RATIONALS, {}).value(d, env) for d in terms)


@pytest.mark.parametrize(
    ("name", "module", "cells", "gates"),
    [
        ("lstm", torch.nn.LSTM, "hc", ("enter", "forget", "new", "show")),
        ("gru", torch.nn.GRU, "h", ("reset", "keep", "new")),
    ],
)
def test_it_is_the_layer_that_pytorch_has(name, module, cells, gates):
    graph = run_path(str(EXAMPLES / "recurrent.py"))[name]
    drawn = np.random.default_rng(0)
    values = {x.name: drawn.normal(size=shape_at(x, SEQUENCE)) for x in graph.inputs}
    tensors = {k: torch.from_numpy(v) for k, v in values.items()}
    (found,) = graph.forward(values, SEQUENCE).values()
    expected = library(module, cells, gates)(tensors["x"], tensors)
    assert np.allclose(found, expected.detach())
