"""Every op of the library agrees with PyTorch: forward, JVP and each VJP, in double precision."""

from dataclasses import replace

import numpy as np
import pytest
from ops import OPS
from references import ROWS, torch

from gradproof.evaluate import numeric

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
TOLERANCE = 1e-10


def results(name, row):
    """What the definition gives and what PyTorch gives, by name."""
    op, draw = OPS[name], np.random.default_rng(7)
    xs = {a: draw.normal(size=shape) for a, shape in row.shapes.items()}
    slopes = {a.name for a in op.inputs}
    dots = {a: draw.normal(size=x.shape) for a, x in xs.items() if a in slopes}
    mine = {"y": numeric.forward(op, xs, row.sizes)}
    y_bar = draw.normal(size=np.shape(mine["y"]))
    mine["y_dot"] = numeric.jvp(op, xs, {f"{a}_dot": dot for a, dot in dots.items()}, row.sizes)
    mine |= numeric.vjp(op, xs, y_bar, row.sizes)
    tensors = {a: torch.tensor(x) for a, x in xs.items()}

    def reference(*moving):
        given = tensors | dict(zip(dots, moving, strict=True))
        return row.reference(*given.values())

    moving = tuple(tensors[a] for a in dots)
    y, y_dot = torch.func.jvp(reference, moving, tuple(map(torch.tensor, dots.values())))
    leaves = [x.clone().requires_grad_() for x in moving]
    bars = torch.autograd.grad(reference(*leaves), leaves, torch.tensor(y_bar))
    theirs = {"y": y, "y_dot": y_dot}
    theirs |= {f"{a}_bar": bar for a, bar in zip(dots, bars, strict=True)}
    return mine, {a: value.detach().numpy() for a, value in theirs.items()}


def differ(name, row):
    mine, theirs = results(name, row)
    assert mine.keys() == theirs.keys()
    return [a for a in mine if not np.allclose(mine[a], theirs[a], TOLERANCE, TOLERANCE)]


def test_each_op_has_a_row():
    assert sorted(ROWS) == sorted(OPS)


@pytest.mark.parametrize("name", ROWS)
def test_an_op_agrees_with_pytorch(name):
    assert differ(name, ROWS[name]) == []


@pytest.mark.parametrize("name", ["softmax", "conv_dilated", "reflect_pad"])
def test_a_reference_that_is_off_is_noticed(name):
    row = ROWS[name]
    assert differ(name, replace(row, reference=lambda *xs: 1.0005 * row.reference(*xs)))
