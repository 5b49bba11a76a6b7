"""Every op of the library agrees with PyTorch: forward, JVP and each VJP, in double precision."""

from dataclasses import replace

import numpy as np
import pytest
from ops import OPS
from quick import quick, spread
from references import ROWS, Values, torch

from gradproof.evaluate import numeric

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
TOLERANCE = 1e-10


def drawn(shape, draw):
    return shape.draw(draw) if isinstance(shape, Values) else draw.normal(size=shape)


def results(name, row):
    """What the definition gives and what PyTorch gives, by name."""
    op, draw = OPS[name], np.random.default_rng(7)
    xs = {a: drawn(shape, draw) for a, shape in row.shapes.items()}
    slopes = {a.name for a in op.inputs}
    dots = {a: draw.normal(size=x.shape) for a, x in xs.items() if a in slopes}
    mine = by_name(op, numeric.forward(op, xs, row.sizes))
    ys, reals = [[y.name for y in of] for of in (op.outputs, op.real_outputs)]
    bars = {f"{y}_bar": draw.normal(size=np.shape(mine[y])) for y in reals}
    if op.jvps:
        moved = numeric.jvp(op, xs, {f"{a}_dot": dot for a, dot in dots.items()}, row.sizes)
        mine |= {f"{y}_dot": value for y, value in by_name(op, moved, "_dot").items()}
    if op.vjp:
        pulled = numeric.vjp(
            op, xs, bars if len(bars) > 1 else next(iter(bars.values())), row.sizes
        )
        mine |= {f"{a}_bar": pulled[f"{a}_bar"] for a in dots}
    tensors = {a: torch.tensor(x) for a, x in xs.items()}

    def reference(*moving):
        given = tensors | dict(zip(dots, moving, strict=True))
        found = row.reference(*given.values())
        return found if isinstance(found, tuple) else (found,)

    def of_reals(*moving):
        return tuple(y for y in reference(*moving) if y.is_floating_point())

    moving = tuple(tensors[a] for a in dots)
    theirs = dict(zip(ys, reference(*moving), strict=True))
    if op.vjp:
        leaves = [x.clone().requires_grad_() for x in moving]
        x_bar = torch.autograd.grad(of_reals(*leaves), leaves, [*map(torch.tensor, bars.values())])
        theirs |= {f"{a}_bar": bar for a, bar in zip(dots, x_bar, strict=True)}
    if op.jvps:
        _, y_dot = torch.func.jvp(of_reals, moving, tuple(map(torch.tensor, dots.values())))
        theirs |= {f"{name}_dot": dot for name, dot in zip(reals, y_dot, strict=True)}
    return mine, {a: value.detach().numpy() for a, value in theirs.items()}


def by_name(op, found, end=""):
    """What each output is, also where there is one."""
    alone = {f"{op.outputs[0].name}{end}": found}
    several = found if isinstance(found, dict) else alone
    return {name.removesuffix(end): value for name, value in several.items()}


def differ(name, row):
    mine, theirs = results(name, row)
    assert mine.keys() == theirs.keys()
    return [a for a in mine if not np.allclose(mine[a], theirs[a], TOLERANCE, TOLERANCE)]


def test_each_op_has_a_row():
    assert sorted(ROWS) == sorted(OPS)


@pytest.mark.parametrize("name", quick(ROWS, spread(ROWS, 50)))
def test_an_op_agrees_with_pytorch(name):
    assert differ(name, ROWS[name]) == []


@pytest.mark.parametrize("name", ["softmax", "conv_dilated", "reflect_pad"])
def test_a_reference_that_is_off_is_noticed(name):
    row = ROWS[name]
    assert differ(name, replace(row, reference=lambda *xs: 1.0005 * row.reference(*xs)))
