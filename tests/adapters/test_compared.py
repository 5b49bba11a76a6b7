"""What was read counts as far as it was compared: mistakes far out, on edges, at some turn or size.

A mistake is planted in how an operation is read, in one region only; right neighbours stay proved.
"""

import importlib.util
import shutil
import textwrap
from fractions import Fraction

import pytest

from gradproof import numpy as gp
from gradproof.language import terms as t
from gradproof.tracing.operations import OPS
from gradproof.tracing.tensors import Tensor

VECTOR = {"x": ("N",)}
REGIONS = {
    "far out": lambda x, place: t.relation(t.Gt, x.cell(place), 1000),
    "far down": lambda x, place: t.relation(t.Lt, x.cell(place), Fraction(-12345, 10)),
    "on an edge": lambda x, place: t.Eq(x.cell(place), Fraction(3, 2)),
    "at a size": lambda x, place: t.Eq(x.shape[0], 50),
    "at a place": lambda x, place: t.Eq(place[0], 49),
    "at every 50th place": lambda x, place: t.Eq(t.Mod(place[0], 50), 49),
    "beyond a size": lambda x, place: t.relation(t.Gt, x.shape[0], 100),
}


def spoiled(own, region):
    """An operation on one tensor as it is read, but 7 in the region."""

    def made(tracer, x, *rest, **named):
        found = own(tracer, x, *rest, **named)
        return Tensor(found.axes, lambda place: t.If(region(x, place), 7, found.cell(place)))

    return made


@pytest.mark.parametrize("region", sorted(REGIONS))
def test_an_operation_of_numpy_that_is_misread_somewhere_is_caught(region, monkeypatch, tmp_path):
    module = written(tmp_path, ABSOLUTE)
    assert gp.check(module.f, module.f_backward, **VECTOR)
    monkeypatch.setitem(OPS, "abs", spoiled(OPS["abs"], REGIONS[region]))
    assert gp.check(module.f, module.f_backward, **VECTOR).status == "error"


@pytest.mark.parametrize("region", sorted(REGIONS))
def test_an_operation_of_torch_that_is_misread_somewhere_is_caught(region, monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    from gradproof import torch as gp

    monkeypatch.setitem(OPS, "relu", spoiled(OPS["relu"], REGIONS[region]))
    assert gp.check(torch.relu, **VECTOR).status == "error"


@pytest.mark.parametrize("region", sorted(REGIONS))
def test_an_operation_of_jax_that_is_misread_somewhere_is_caught(region, monkeypatch):
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed; make extras installs it")
    from gradproof import jax as gp
    from gradproof.jax.reader import RULES

    own = RULES["sin"]

    def made(reader, equation, x):
        return spoiled(lambda _, x: own(reader, equation, x), REGIONS[region])(None, x)

    monkeypatch.setitem(RULES, "sin", made)
    assert gp.check(lambda x: jnp.sin(x), **VECTOR).status == "error"


def written(tmp_path, text):
    """A module of the user's with these functions."""
    path = tmp_path / "written.py"
    # What is as long and as old as what was there before would be taken for it.
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    path.write_text("import numpy as np\n\n\n" + textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checked(tmp_path, text, **said):
    module = written(tmp_path, text)
    return gp.check(module.f, module.f_backward, **(VECTOR | said))


ABSOLUTE = """
def f(x):
    return np.abs(x)


def f_backward(g, x):
    return g * np.sign(x)
"""
SKIPS = """
def f(x):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        if i >= 3:
            if i % 50 == 49:
                continue
        y[i] = 2.0 * x[i]
    return y


def f_backward(g, x):
    return 2.0 * g
"""
TURNS = """
def f(x):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        if i % 50 != 49:
            y[i] = 2.0 * x[i]
    return y


def f_backward(g, x):
    d = np.zeros_like(x)
    for i in range(x.shape[0]):
        if i % 50 != 49:
            d[i] = 2.0 * g[i]
    return d
"""
FAR = """
def f(x):
    return np.where(x > 1000, 3 * x, x)


def f_backward(g, x):
    return np.where(x > 1000, 3 * g, g)
"""
MODES = """
def scaled(x, mode):
    if mode == "double":
        return 2.0 * x
    return 3.0 * x


def f(x, mode="double", bias=None):
    assert x.ndim == 1
    if x.ndim != 1:
        raise ValueError("a vector")
    y = scaled(x, mode)
    if bias is not None:
        y = y + bias
    return y


def f_backward(g, x, mode="double", bias=None):
    return 2.0 * g if mode == "double" else 3.0 * g
"""
RIGHT = {
    "turns": TURNS,
    "a cell far out": FAR,
    "a sum far out": FAR.replace("x > 1000", "x.sum() > 1000"),
    "what is declared decides": MODES,
}


def test_a_line_of_the_fiftieth_turn_is_run(tmp_path):
    """SOUNDNESS: proved for all N; the nested continue was read as one that skips nothing."""
    assert checked(tmp_path, SKIPS).status in ("error", "refuted", "unreadable")


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_code_that_is_read_right_at_all_sides_of_its_conditions_stays_proved(name, tmp_path):
    report = checked(tmp_path, RIGHT[name])
    assert report, report.text


BOUNDED = """
def f(x):
    if x.shape[0] > 400:
        return x[::-1]
    return 2.0 * x


def f_backward(g, x):
    return 2.0 * g if x.shape[0] <= 400 else g
"""


def test_a_line_that_no_size_reaches_which_is_allowed_is_no_part_of_the_claim(tmp_path):
    assert not checked(tmp_path, BOUNDED)
    report = checked(tmp_path, BOUNDED, requires="N <= 400")
    assert report, report.text


ASKED = [lambda x: False]  # of what nothing is known


def rarely(x):
    if ASKED[0](x):
        return 3.0 * x
    return 2.0 * x


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_a_line_that_no_comparison_reached_is_told_and_the_verdict_is_narrower(framework):
    gp = pytest.importorskip(f"gradproof.{framework}")
    report = gp.check(rarely, **VECTOR)
    assert (report.status, report.narrow) == ("proved", ("lines run",))
    assert "`return 3.0 * x`: no comparison" in report.text
    assert gp.check(rarely, scope="lines run", **VECTOR)


DISTANT = """
def f(x):
    return np.where(np.arange(x.shape[0]) % 700 == 699, 0, 2.0) * x


def f_backward(g, x):
    return np.where(np.arange(x.shape[0]) % 700 == 699, 0, 2.0) * g
"""


def test_a_comparison_of_places_that_turns_beyond_all_sizes_compared_is_told(tmp_path):
    report = checked(tmp_path, DISTANT)
    assert (report.status, report.narrow) == ("proved", ("lines run",)), report.text
    assert "699" in report.text
    assert checked(tmp_path, DISTANT, sizes={"N": 5})
    assert checked(tmp_path, DISTANT.replace("700", "70").replace("699", "69"))


WAVES = """
def f(x):
    return np.where(np.sin(x) + np.sin(2 * x) > 1.9, 3.0, 2.0) * x


def f_backward(g, x):
    return np.where(np.sin(x) + np.sin(2 * x) > 1.9, 3.0, 2.0) * g
"""


def test_a_comparison_of_values_that_never_turned_is_told_unless_it_cannot(tmp_path):
    report = checked(tmp_path, WAVES)
    assert (report.status, report.narrow) == ("proved", ("lines run",)), report.text
    assert "as it was read went one way" in report.text
    assert checked(tmp_path, WAVES, scope="lines run")
    assert checked(tmp_path, WAVES.replace("> 1.9", "> 1.5"))
    assert checked(tmp_path, WAVES.replace(" + np.sin(2 * x) > 1.9", " > 2"))
