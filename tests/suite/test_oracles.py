"""Every op of `specs/` agrees with PyTorch: forward, JVP and each VJP, in double precision.

Agreement is exact where float arithmetic is, and within TOLERANCE elsewhere: smooth maxima, and
averages that do not come out even.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from oracles import KINDS_OF_INPUT, KINDS_OF_SHAPE, ROWS, torch
from quick import fewer

from gradproof import specs
from gradproof.evaluate import numeric
from gradproof.language.ops import target_of

# The first tangent that PyTorch pushes through a function loads a module that it has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")

TOLERANCE = 1e-12  # absolute, and relative to PyTorch's value
EXAMPLES = {1: (10, 3), 2: (10, 3), 3: (8, 2)}  # by rank: of anything, of each kind
OPS = {op.name: op for op in specs.OPS}
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


@st.composite
def values(draw, shape, unit):
    """Small integers, so that there are ties; binary fractions; negative numbers only."""
    count = int(np.prod(shape))
    drawn = np.frombuffer(draw(st.binary(min_size=count, max_size=count)), np.int8).astype(float)
    kind = draw(st.sampled_from(("ties", "fractions", "negative")))
    found = {"ties": drawn % 3 - 1, "fractions": drawn / 8, "negative": -1 - drawn % 4}[kind]
    return unit * found.reshape(shape)


@st.composite
def cases(draw, row, rank, kind):
    """A shape; inputs, tangents and the output's cotangent; whether arithmetic on them is exact."""
    z = draw(row.shapes(rank).filter(KINDS_OF_SHAPE.get(kind, lambda _: True)))
    whole = row.unit(z) if row.unit else 0
    unit = draw(st.sampled_from((1, max(1, whole))))
    xs, dots = ({a: draw(values(d, unit)) for a, d in row.inputs(z).items()} for _ in range(2))
    tensors = [*map(torch.tensor, xs.values())]
    assume(kind not in KINDS_OF_INPUT or KINDS_OF_INPUT[kind](z, tensors[0]))
    shape = row.reference(z, *tensors).shape
    return z, xs, dots, draw(values(tuple(shape), unit)), unit == whole


def results(op):
    return ("y", "y_dot", *(target_of(rule).array.name for rule in op.vjp))


def found(op, row, z, xs, dots, y_bar):
    """What the definition gives, by name."""
    sizes = row.sizes(z)
    y = numeric.forward(op, xs, sizes)
    y_dot = numeric.jvp(op, xs, {f"{name}_dot": dot for name, dot in dots.items()}, sizes)
    return {"y": y, "y_dot": y_dot, **numeric.vjp(op, xs, y_bar, sizes)}


def expected(row, z, xs, dots, y_bar):
    """What PyTorch gives, by name."""
    inputs, tangents = (tuple(map(torch.tensor, tensors.values())) for tensors in (xs, dots))
    y, y_dot = torch.func.jvp(lambda *inputs: row.reference(z, *inputs), inputs, tangents)
    leaves = [x.clone().requires_grad_() for x in inputs]
    y_bar = torch.tensor(y_bar)
    bars = torch.autograd.grad(row.reference(z, *leaves), leaves, y_bar)
    given = {"y": y, "y_dot": y_dot}
    given |= {f"{name}_bar": bar for name, bar in zip(xs, bars, strict=True)}
    given |= {name: rule(z, *leaves, y_bar) for name, rule in row.rules.items()}
    return {name: value.detach().numpy() for name, value in given.items()}


def compare(op, row, z, xs, dots, y_bar, exact, off=None):
    """Every VJP with a label, but for those that the row has a rule for, is the one without it.

    Our result by the name of `off` is made wrong by 0.05 %."""
    ours, theirs = found(op, row, z, xs, dots, y_bar), expected(row, z, xs, dots, y_bar)
    assert ours.keys() >= theirs.keys()
    tolerance = 0 if exact else TOLERANCE
    for name, value in ours.items():
        like = theirs[name if name in theirs else name[: name.index("_bar") + 4]]
        assert value.shape == like.shape, name
        value = value * 1.0005 if name == off else value
        np.testing.assert_allclose(
            value, like, rtol=tolerance, atol=tolerance, equal_nan=False, err_msg=name
        )


def run(row, rank, kind="anything", count=100, off=None, phases=tuple(Phase)):
    @settings(
        max_examples=count,
        phases=phases,
        # Some kinds are one draw in twenty.
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(cases(row, rank, kind))
    def agree(case):
        compare(OPS[row.name], row, *case, off)

    agree()


def test_each_op_has_a_row():
    assert sorted(row.name for row in ROWS) == sorted(OPS)


@pytest.mark.parametrize(
    ("row", "rank", "kind"),
    [
        pytest.param(row, rank, kind, id=f"{row.name}-{rank}-{kind}")
        for row in ROWS
        for rank in row.ranks
        for kind in row.kinds
    ],
)
def test_an_op_agrees_with_pytorch(row, rank, kind):
    most, least = EXAMPLES[rank]
    run(row, rank, kind, fewer(most if kind == "anything" else least))


@each_row
def test_a_wrong_version_is_noticed(row):
    with pytest.raises(AssertionError, match="Mismatch"):
        run(replace(row, reference=row.wrong), row.ranks[0], phases=[Phase.generate])


@each_row
def test_a_result_that_is_off_is_noticed(row):
    for name in results(OPS[row.name]):
        with pytest.raises(AssertionError, match=f"(?s){name}\n.*Mismatch"):
            run(row, row.ranks[0], off=name, phases=[Phase.generate])
