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


# The file, what PyTorch computes, and the sizes.
GRAPHS = {
    "lenet": ("lenet", lenet, {"H": 32, "W": 32}),
    "resnet": ("resnet", resnet, {"C": 3, "H": 13, "W": 10}),
    "unet": ("unet", unet, {"C": 2, "H": 6, "W": 8}),
    "encoder": ("transformer", block(False), {"T": 4, "D": 3, "F": 5, "heads": 2}),
    "decoder": ("transformer", block(True), {"T": 4, "D": 3, "F": 5, "heads": 2}),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_computes_what_pytorch_does(name):
    file, computed, sizes = GRAPHS[name]
    graph = run_path(str(EXAMPLES / f"{file}.py"))[name]
    drawn = np.random.default_rng(0)
    wiring = graph.wiring()
    values = {x.name: drawn.normal(size=shape_at(x, sizes)) for x in wiring.inputs}
    dots = {x.name: drawn.normal(size=shape_at(x, sizes)) for x in wiring.moving}
    (data, *_), tensors = dots, {k: torch.from_numpy(v) for k, v in values.items()}

    def run(moving):
        return computed((tensors | moving)[data], tensors | moving)

    moving = {name: tensors[name] for name in dots}
    expected, y_dot = torch.func.jvp(
        run, (moving,), ({k: torch.from_numpy(v) for k, v in dots.items()},)
    )
    (output,) = graph.forward(values, sizes)
    y_bar = drawn.normal(size=expected.shape)
    (back,) = torch.func.vjp(run, moving)[1](torch.from_numpy(y_bar))
    assert np.allclose(graph.forward(values, sizes)[output], expected)
    assert np.allclose(graph.jvp(values, dots, sizes)[output], y_dot)
    found = graph.vjp(values, {output: y_bar}, sizes)
    assert found.keys() == back.keys()
    for each, x_bar in back.items():
        assert np.allclose(found[each], x_bar), each


def shape_at(var, sizes):
    env = {s: sizes[s.name] for s in var.graph.wiring().symbols}
    return tuple(Evaluator(RATIONALS, {}).value(d, env) for d in var.shape)
