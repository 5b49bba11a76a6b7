"""Code that once was proved, or might be, though it is wrong somewhere."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

from torch.autograd import Function

from gradproof import numpy as of_arrays
from gradproof import torch as gp
from gradproof.tracing.expressions import Undeclared


def made(forward, backward):
    """A custom function of a forward and a backward."""
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (Function,), members)


def product(ctx, x, w):
    ctx.save_for_backward(x, w)
    return x * w


PAIR = {"x": "N", "w": "N"}


def test_where_nothing_is_differentiated_nothing_is_proved():
    with pytest.raises(Undeclared, match="say the shape of one"):
        gp.check(lambda m: 2 * m, m=gp.constant("N"))
    with pytest.raises(Undeclared, match="say the shape of one"):
        of_arrays.check(lambda m: 2 * m, lambda dy: (), m=of_arrays.constant("N"))


def no_gradient(ctx, g):
    return g * ctx.saved_tensors[1], None


def one_is_enough(ctx, g):
    x, w = ctx.saved_tensors
    return g * w if ctx.needs_input_grad[1] else g, g * x


def from_eight_on(ctx, g):
    x, w = ctx.saved_tensors
    return (g * w if x.shape[0] < 8 else g), g * x


def far_out(ctx, g):
    x, w = ctx.saved_tensors
    return torch.where(x > 1000, g, g * w), g * x


@pytest.mark.parametrize("backward", [no_gradient, one_is_enough, from_eight_on, far_out])
def test_a_backward_that_is_wrong_somewhere_is_refuted(backward):
    assert gp.check(made(product, backward), **PAIR).status == "refuted"


def rest(ctx, x):
    return x[1:]


def rest_unwritten(ctx, g):
    whole = torch.empty(g.shape[0] + 1, dtype=g.dtype)
    whole[1:] = g
    return whole


def rest_written(ctx, g):
    whole = torch.empty(g.shape[0] + 1, dtype=g.dtype)
    whole[1:], whole[:1] = g, 0
    return whole


def test_memory_to_which_nothing_was_written_is_not_zero():
    report = gp.check(made(rest, rest_unwritten), x="N", requires="N >= 2")
    assert report.status == "error"
    assert "use zeros" in report.note
    assert gp.check(made(rest, rest_written), x="N", requires="N >= 2").status == "proved"


def of_array(x):
    return x[1:] * 2.0


def of_array_unwritten(dy, x):
    dx = np.empty_like(x)
    dx[1:] = 2.0 * dy
    return dx


def test_nor_is_that_of_numpy():
    report = of_arrays.check(of_array, of_array_unwritten, x="N", requires="N >= 2")
    assert report.status == "error"


def softplus(ctx, x):
    ctx.save_for_backward(x)
    return torch.nn.functional.softplus(x, threshold=6)


def smooth(ctx, g):
    return g * torch.sigmoid(ctx.saved_tensors[0])


def test_a_function_that_turns_linear_far_out_is_read_so():
    assert gp.check(made(softplus, smooth), x="N").status == "refuted"


def squeezed(ctx, x):
    ctx.save_for_backward(x)
    s = x.squeeze(1)
    return (s * s.sum(-1, keepdim=True)).reshape(x.shape)


def squeezed_back(ctx, g):
    (x,) = ctx.saved_tensors
    return g * x.sum(-1, keepdim=True) + (g * x).sum(-1, keepdim=True)


def test_what_a_size_of_1_changes_is_seen():
    assert gp.check(made(squeezed, squeezed_back), x="N C").status == "error"


def test_an_embedding_s_padding_has_no_gradient():
    def embed(i, w):
        return torch.nn.functional.embedding(i, w, padding_idx=0)

    said = {"i": gp.integer("N", below="V"), "w": ("V", "D")}
    assert gp.check(embed, **said).status == "refuted"
