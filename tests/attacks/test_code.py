"""Code that once was proved, or might be, though it is wrong somewhere."""

import math

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


def by_its_text(ctx, g):
    x, w = ctx.saved_tensors
    return (g if str(x.shape[0]) == "70" else g * w), g * x


def by_its_shape_s_text(ctx, g):
    x, w = ctx.saved_tensors
    return (g if f"{tuple(x.shape)}" == "(70,)" else g * w), g * x


def by_a_table(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * {70: 2.0}.get(x.shape[0], 1.0), g * x


def by_a_loop(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if sum(1 for _ in range(x.shape[0])) == 70 else 1.0), g * x


def by_a_root(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if math.sqrt(x.shape[0]) > 8 else 1.0), g * x


def by_a_float(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if float(x.shape[0]) > 69.5 else 1.0), g * x


def by_membership(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if x.shape[0] in (70, 71) else 1.0), g * x


def by_count(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if x.numel() > 69 else 1.0), g * x


def by_length(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if len(x) > 69 else 1.0), g * x


def by_failure(ctx, g):
    x, w = ctx.saved_tensors
    try:
        return g * w * (2.0 if x.view(70, 1).shape[1] else 1.0), g * x
    except RuntimeError:
        return g * w, g * x


SEVENTY = [by_its_text, by_its_shape_s_text, by_a_table, by_a_loop, by_a_root, by_a_float]
SEVENTY += [by_membership, by_count, by_length, by_failure]


@pytest.mark.parametrize("backward", SEVENTY)
def test_a_backward_that_is_wrong_at_seventy_is_not_proved_there(backward):
    """SOUNDNESS: a size that was written out as text was no condition, and all was proved."""
    report = gp.check(made(product, backward), **PAIR)
    assert report.status != "proved" or ", only where " in report.scope, report.text
    assert "N = 70" not in report.scope


def asks_what_needs(ctx, x, w):
    ctx.save_for_backward(x, w)
    ctx.both = x.requires_grad and w.requires_grad
    return x * w


def wrong_for_one(ctx, g):
    x, w = ctx.saved_tensors
    return g * w if ctx.both else g, g * x


def right_for_one(ctx, g):
    x, w = ctx.saved_tensors
    return g * w, g * x if ctx.both or ctx.needs_input_grad[1] else None


def test_a_forward_that_asks_what_needs_a_gradient_is_read_for_each_choice():
    """SOUNDNESS: only that the backward asked was seen."""
    assert gp.check(made(asks_what_needs, wrong_for_one), **PAIR).status == "refuted"
    assert gp.check(made(asks_what_needs, right_for_one), **PAIR).status == "proved"


def half_detached(x):
    return x * x.detach()


def half_untracked(x):
    with torch.no_grad():
        scale = x.sum()
    return x * scale


def hidden(x):
    return x * x.data


CALLS = []


def later_otherwise(ctx, g):
    x, w = ctx.saved_tensors
    CALLS.append(1)
    return (g * w if len(CALLS) < 3 else g), g * x


def kept_and_changed(ctx, x, w):
    ctx.kept, ctx.w = x * 1.0, w
    y = ctx.kept * w
    ctx.kept.mul_(2)
    ctx.x = x
    return y


def from_what_changed(ctx, g):
    return g * ctx.w, g * ctx.kept


def from_what_did_not(ctx, g):
    return g * ctx.w, g * ctx.x


def overwrites_its_gradient(ctx, g):
    x, w = ctx.saved_tensors
    by_w = g.mul_(x)
    return g * w, by_w


@pytest.mark.parametrize("code", [half_detached, half_untracked, hidden])
def test_what_hides_from_the_engine_is_not_proved(code):
    assert gp.check(code, x="N").status != "proved"


def test_what_is_otherwise_when_it_is_called_again_is_not_proved():
    CALLS.clear()
    assert gp.check(made(product, later_otherwise), **PAIR).status in ("error", "refuted")


def test_what_was_changed_in_place_after_it_was_kept_is_read_as_changed():
    assert gp.check(made(kept_and_changed, from_what_changed), **PAIR).status == "refuted"
    assert gp.check(made(kept_and_changed, from_what_did_not), **PAIR).status == "proved"
    assert gp.check(made(product, overwrites_its_gradient), **PAIR).status == "refuted"


def test_an_index_from_the_end_is_where_it_is():
    """Once read as one before the beginning, and refused."""
    assert (
        gp.check(lambda x: x[:, -1:].sum(1) + x[:, -2], x="N C", requires="C >= 2").status
        == "proved"
    )
