"""What values at hand say of arguments: axes that are free, and those that belong together."""

import numpy as np
import pytest

from gradproof import numpy as gp
from gradproof.tracing.expressions import Undeclared
from gradproof.tracing.likeness import like


def found(forward, **values):
    """Of a forward alone, that is run as it is."""
    return like(lambda said, at, backward: forward(**at), values).text


def ones(*shape):
    return np.ones(shape)


def test_axes_that_must_be_equal_have_one_name():
    assert found(lambda x, w: x * w, x=ones(3, 4), w=ones(4)) == 'x=("N", "C"), w=("C",)'


def test_axes_that_are_equal_by_accident_have_two():
    said = found(lambda x, w, b: x @ w.T + b, x=ones(5, 5), w=ones(5, 5), b=ones(5))
    assert said == 'x=("N", "C"), w=("H", "C"), b=("H",)'


def test_ones_that_are_broadcast_do_not_part():
    said = found(lambda x, y: x + y, x=ones(1, 4), y=ones(1, 4))
    assert said == 'x=("N", "C"), y=("N", "C")'


def test_an_axis_of_1_that_is_broadcast_stays():
    assert found(lambda x, y: x + y, x=ones(3, 4), y=ones(3, 1)) == 'x=("N", "C"), y=("N", 1)'


def test_an_axis_that_the_code_halves_is_even():
    def halves(x):
        a, b = x.reshape(len(x), 2, -1).swapaxes(0, 1)
        return a * b

    assert found(halves, x=ones(3, 6)) == 'x=("N", "2*C")'


def test_an_axis_that_is_a_multiple_of_another():
    def gates(h, w):
        first, *_ = np.split(w @ h, 4)
        return first * h

    assert found(gates, h=ones(3), w=ones(12, 3)) == 'h=("N",), w=("4*N", "N")'


def windows(x, w, p=0):
    if x.shape[1] + 2 * p < len(w):
        raise ValueError("the kernel does not fit")
    return x.sum() * w.sum()


@pytest.mark.parametrize(("pad", "clause"), [(0, "C >= H"), (1, "C >= H - 2")])
def test_a_kernel_fits(pad, clause):
    said = found(lambda x, w: windows(x, w, pad), x=ones(2, 5), w=ones(3))
    assert said == f'x=("N", "C"), w=("H",), requires="{clause}"'


def test_what_a_dilated_kernel_covers_fits():
    def dilated(x, w):
        return windows(x, np.ones(2 * len(w) - 1))

    said = found(dilated, x=ones(2, 6), w=ones(3))
    assert said == 'x=("N", "C"), w=("H",), requires="C >= 2*H - 1"'


def test_a_size_below_which_it_does_not_run():
    def pairs(x):
        if len(x) < 2:
            raise ValueError("too few")
        return x

    assert found(pairs, x=ones(4)) == 'x=("N",), requires="N >= 2"'


def test_one_of_two_sizes_is_more_than_1():
    def varies(x):
        if x.size < 2:
            raise ValueError("one value has no variance")
        return x

    assert found(varies, x=ones(3, 4)) == 'x=("N", "C"), requires="C >= 2"'


def test_integers_are_below_the_axis_of_which_they_are_places():
    said = found(lambda x, t: x[np.arange(len(x)), t], x=ones(3, 5), t=np.array([1, 2, 0]))
    assert said == 'x=("N", "C"), t=gp.integer("N", below="C")'


def test_of_axes_of_one_size_the_one_is_found():
    said = found(lambda x, i: np.take(x, i, 1), x=ones(5, 5), i=np.array([4, 0, 1]))
    assert said == 'x=("N", "C"), i=gp.integer("H", below="C")'


def test_what_is_no_array_is_given_as_it_is():
    said = found(lambda x, k, mode: x[k:], x=ones(5), k=2, mode="mean")
    assert said.endswith('k=2, mode=gp.given("mean")')


def test_code_that_does_not_run_is_told():
    with pytest.raises(Undeclared, match="the code fails at the values given: operands"):
        found(lambda x, w: x * w, x=ones(3, 4), w=ones(5))


def scale(x, w):
    return x * w


def right(dy, x, w):
    return dy * w, (dy * x).sum(axis=0)


def wrong(dy, x, w):
    return dy * w, (dy * x).mean(axis=0)


def misshapen(dy, x, w):
    return dy * w, dy * x


@pytest.mark.parametrize(
    ("backward", "status"), [(right, "proved"), (wrong, "refuted"), (misshapen, "refuted")]
)
def test_what_is_found_is_proved_or_refuted_and_told(backward, status):
    report = gp.check(scale, backward, like=(ones(3, 4), ones(4)))
    assert report.status == status
    assert report.declared == 'x=("N", "C"), w=("C",)'
    assert report.declared in report.text
    assert report.as_dict()["declared"] == report.declared


def test_the_line_can_be_kept():
    found = gp.check(scale, right, like={"x": ones(3, 4), "w": ones(4)})
    assert eval(f"gp.check(scale, right, {found.declared})").scope == found.scope


def test_shapes_are_not_said_beside_values():
    with pytest.raises(Undeclared, match="like= gives values"):
        gp.check(scale, right, like=(ones(3, 4),), w="C")


def test_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    gp = pytest.importorskip(
        "gradproof.torch", reason="PyTorch is not installed; make extras installs it"
    )

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w, twice):
            ctx.save_for_backward(x, w)
            return x * w

        @staticmethod
        def backward(ctx, grad):
            x, w = ctx.saved_tensors
            return grad * w, (grad * x).sum(0), None

    given = (torch.ones(3, 4), torch.ones(4), True)
    report = gp.check(Scale.apply, like=given)
    assert report.status == "proved"
    assert report.declared == 'x=("N", "C"), w=("C",), twice=True'
    constant = gp.check(Scale, like=(given[0], given[1].requires_grad_(), True))
    assert constant.declared == 'x=gp.constant("N", "C"), w=("C",), twice=True'


def test_jax_with_a_dictionary():
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed; make extras installs it")
    gp = pytest.importorskip(
        "gradproof.jax", reason="JAX is not installed; make extras installs it"
    )

    def layer(params, x):
        return jnp.tanh(x @ params["w"] + params["b"])

    given = ({"w": jnp.ones((3, 4)), "b": jnp.ones(4)}, jnp.ones((2, 3)))
    report = gp.check(layer, like=given)
    assert report.status == "proved"
    assert report.declared == 'params={"w": ("N", "C"), "b": ("C",)}, x=("H", "N")'
