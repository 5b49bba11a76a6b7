"""Graphs on arrays: against differences, exactly, with variables used twice and several outputs."""

from fractions import Fraction

import numpy as np
import pytest

from gradproof.graphs import Graph, GraphError
from gradproof.language import integers

H, W, N = integers("H W N")


def network():
    """A weight that two layers share, a variable used twice, two outputs."""
    g = Graph("network")
    g.assume(H >= 4, W >= 4)
    x, w, b = g.input("x", 2, H, W), g.input("w", 2, 2, 3, 3), g.input("b", 2)
    y = g.relu(g.conv2d(x, w, b, padding=1))
    z = g.conv2d(y, w, b, padding=1)
    g.output(g.max_pool2d(g.add(y, z), 2), g.multiply(z, z))
    return g


def arrays(g, drawn, **sizes):
    symbols = {s.name: s for s in g.wiring().symbols}
    known = {symbols[name]: value for name, value in sizes.items()}
    shapes = {v.name: [int(known.get(d, d)) for d in v.shape] for v in g.inputs}
    return {name: drawn.normal(size=shape) for name, shape in shapes.items()}


def test_jvp_and_vjp_are_as_differences_say():
    g, drawn = network(), np.random.default_rng(0)
    values, dots = arrays(g, drawn, H=5, W=6), arrays(g, drawn, H=5, W=6)
    step = 1e-6
    ahead, behind = (
        g.forward({k: v + way * step * dots[k] for k, v in values.items()}) for way in (1, -1)
    )
    found = g.jvp(values, dots)
    bars = {k: drawn.normal(size=v.shape) for k, v in found.items()}
    back = g.vjp(values, bars)
    for name, y_dot in found.items():
        assert np.allclose((ahead[name] - behind[name]) / (2 * step), y_dot, atol=1e-6)
    left = sum((bars[k] * found[k]).sum() for k in bars)
    assert np.isclose(left, sum((back[k] * dots[k]).sum() for k in back))


def test_fractions_are_computed_with_exactly():
    g = Graph("exact")
    x = g.input("x", N)
    y = g.scale(g.multiply(x, x), Fraction(1, 3))
    g.output(y)
    values = {"x": np.array([Fraction(1, 7), Fraction(2)], dtype=object)}
    assert list(g.forward(values)["scale_1"]) == [Fraction(1, 147), Fraction(4, 3)]
    ones = {"scale_1": np.array([1, 1], dtype=object)}
    assert list(g.vjp(values, ones)["x"]) == [Fraction(2, 21), Fraction(4, 3)]


def test_names_may_say_what_they_are_of():
    g = Graph("named")
    g.output(g.scale(g.input("x", N), 2, name="y"))
    x = np.ones(3)
    assert np.allclose(g.jvp({"x": x}, {"x_dot": x})["y"], 2)
    assert np.allclose(g.vjp({"x": x}, {"y_bar": x})["x"], 2)
    assert np.allclose(g.vjp({"x": x}, {})["x"], 0)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda g, v: g.forward({}), "missing input b"),
        (lambda g, v: g.forward(v | {"u": 1}), "unknown input u"),
        (lambda g, v: g.forward(v | {"x": np.ones((2, 3, 3))}), "H ≥ 4 is assumed, and H = 3"),
        (lambda g, v: g.forward(v | {"b": np.ones(3)}), r"b has shape \(3,\), and must have"),
        (lambda g, v: g.forward(v | {"x": np.ones(3)}), "x has shape"),
        (lambda g, v: g.jvp(v, {"q": 1}), "there is no tangent of q"),
        (lambda g, v: g.vjp(v, {"relu_1": 1}), "there is no cotangent of relu_1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(run, message):
    g = network()
    with pytest.raises(GraphError, match=message):
        run(g, arrays(g, np.random.default_rng(0), H=4, W=4))
