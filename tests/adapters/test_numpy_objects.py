"""Classes, functions with their gradients, several outputs and loops over rows, read from NumPy."""

import numpy as np
import numpy_objects as objects
import pytest
from numpy_objects import Affine, Dense
from quick import quick

from gradproof import numpy as gp
from gradproof.tracing import judging
from gradproof.tracing.expressions import Undeclared

SOON = {"Affine", "AffineMean", "DenseTwice", "cell_backward_of_h", "centred_backward"}
SOON |= {"counted_backward", "powers_backward_short", "product_backward_squared", "Rectified"}
SOON |= {"squares_backward", "squares_backward_whole_chunks", "chosen"}


def name_of(case):
    last = case[0][-1]
    return getattr(last, "__name__", type(last).__name__)


@pytest.mark.parametrize("case", quick(objects.RIGHT, SOON, name_of))
def test_what_is_right_is_proved(case):
    functions, said = case
    report = gp.check(*functions, **said)
    assert report.status == "proved", report.text
    assert "turns" not in report.scope


@pytest.mark.parametrize("case", quick(objects.WRONG, SOON, name_of))
def test_what_is_wrong_is_refuted(case):
    functions, said = case
    report = gp.check(*functions, **said)
    assert report.status == "refuted", report.text


def test_the_methods_of_an_object_are_a_forward_and_a_backward():
    layer = Dense(3, 2)
    before = layer.weight.copy()
    assert gp.check(layer.forward, layer.backward, **objects.DENSE).status == "proved"
    assert layer.input is None
    assert np.array_equal(layer.weight, before)


@pytest.mark.parametrize(("layer", "status"), [(Affine, "proved"), (objects.AffineMean, "refuted")])
def test_what_is_returned_for_a_constant_is_no_gradient_of_a_parameter(layer, status):
    said = {**objects.AFFINE, "x": gp.constant("N", "D")}
    assert gp.check(layer, **said).status == status


def test_an_array_of_an_object_needs_a_shape():
    report = gp.check(Dense(3, 2), input=("N", 3))
    assert "weight is an array of the object; say its shape" in report.note


def test_what_a_constructor_needs_is_asked_for():
    with pytest.raises(TypeError, match=r"say what W of Affine\(…\) is, or give an object"):
        gp.check(Affine, x=("N", "D"))


def test_what_is_neither_an_argument_nor_an_attribute_is_said():
    with pytest.raises(TypeError, match="v is no argument and no attribute of Affine"):
        gp.check(Affine, **objects.AFFINE, v="N")


def test_a_function_alone_has_to_return_its_gradient():
    with pytest.raises(TypeError, match="give the backward too"):
        gp.check(objects.powers, x="N")


def squares(x):
    return x**2, 2 * x


def test_of_an_array_no_gradient_is_returned_beside_it():
    with pytest.raises(TypeError, match="is that of a number, not of an array"):
        gp.check(squares, x="N")


# What is not to be misread.


def late(x):
    scale = 2.0
    times = lambda v: scale * v  # noqa: E731 - what is read
    scale = 3.0
    return times(x)


def three_times(dy, x):
    return 3 * dy


def in_branch(x):
    class_of = Kept()
    for i in range(len(x)):
        class_of.last = x[i]
    return class_of.last * x


class Kept:
    last = 0.0


def in_branch_backward(dy, x):
    return dy


def left_early(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] > 1:
            break
        y[i] = x[i]
    return y


def shorter(x, y):
    out = np.zeros_like(x)
    for i, (a, b) in enumerate(zip(x, y)):  # noqa: B905 - what is read
        out[i] = a * b
    return out


def shorter_backward(dout, x, y):
    return dout * y, dout * x


def first_of_rows(x):
    rows = []
    for row in x:
        rows.append((row, "a" if len(rows) else "b"))
    return x if rows[-1][1] == "a" else 2 * x


LAYER = Kept()


def remembers(x):
    y = LAYER.last * x
    LAYER.last = 1.0
    return y


def overlapping(x):
    y = np.zeros_like(x)
    for c in range(len(x) // 2):
        y[2 * c : 2 * c + 3] = c * x[2 * c : 2 * c + 3]
    return y


def overlapping_backward(dy, x):
    dx = np.zeros_like(x)
    for c in range(len(x) // 2):
        dx[2 * c : 2 * c + 3] = c * dy[2 * c : 2 * c + 3]
    return dx


def until(x):
    total = 0.0
    while total < x[0]:
        total += 1.0
    return total * x


@pytest.mark.parametrize(
    ("forward", "backward", "said", "why"),
    [
        (late, three_times, {"x": "N"}, "scale, which a function within this one reads"),
        (in_branch, in_branch_backward, {"x": "N"}, "an attribute last that is set in a loop"),
        (left_early, three_times, {"x": "N"}, "a break that values"),
        (shorter, shorter_backward, {"x": "N", "y": "M"}, ""),
        (first_of_rows, three_times, {"x": ("N", "D")}, ""),
        (remembers, three_times, {"x": "N"}, "from outside of the function, changed and read"),
        (overlapping, overlapping_backward, {"x": "N"}, "writes a cell several times"),
        (until, three_times, {"x": "N"}, "a loop that values end"),
    ],
)
def test_what_cannot_be_told_is_not_proved(forward, backward, said, why, monkeypatch):
    assert gp.check(forward, backward, **said).status in ("refuted", "unreadable", "error")
    monkeypatch.setattr(judging, "first", lambda code: None)  # of what is wrong, too, it is told
    report = gp.check(forward, backward, **said)
    assert report.status in ("refuted", "unreadable", "error"), report.text
    assert why in report.text


def test_a_size_with_the_name_of_an_argument_is_told():
    with pytest.raises(Undeclared, match="W is an argument and a size"):
        gp.check(Affine, x=("N", "W"), W=("W", "M"), b="M")
