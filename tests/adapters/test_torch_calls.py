"""What PyTorch asks of sizes to compute an operation decides nothing of what it is."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

from torch.autograd import Function

from gradproof import torch as gp

HEADS = {
    "q": ("B", "H", "N", "D"),
    "k": ("B", "H", "M", "D"),
    "v": ("B", "H", "M", "D"),
}


class Attention(Function):
    """As in a textbook."""

    @staticmethod
    def forward(ctx, q, k, v):
        scale = 1 / math.sqrt(q.shape[-1])
        p = torch.softmax(q @ k.transpose(-1, -2) * scale, -1)
        ctx.save_for_backward(q, k, v, p)
        ctx.scale = scale
        return p @ v

    @staticmethod
    def backward(ctx, g):
        q, k, v, p = ctx.saved_tensors
        dp = g @ v.transpose(-1, -2)
        ds = p * (dp - (dp * p).sum(-1, keepdim=True)) * ctx.scale
        return ds @ k, ds.transpose(-1, -2) @ q, p.transpose(-1, -2) @ g


class AttentionOfWrongScale(Attention):
    @staticmethod
    def backward(ctx, g):
        dq, dk, dv = Attention.backward(ctx, g)
        return dq, dk * ctx.scale, dv


def test_attention_is_proved_for_all_sizes():
    report = gp.check(Attention, **HEADS)
    assert report.status == "proved"
    assert report.scope == "for all sizes with B ≥ 1; H ≥ 1; N ≥ 1; D ≥ 1; M ≥ 1"


def test_attention_with_a_slip_is_refuted():
    rows = {"q": ("N", "D"), "k": ("M", "D"), "v": ("M", "D")}
    assert gp.check(AttentionOfWrongScale, **rows).status == "refuted"


class Tucker(Function):
    """A product of several factors, of which PyTorch would choose an order by their sizes."""

    @staticmethod
    def forward(ctx, up, mid, down):
        ctx.save_for_backward(up, mid, down)
        return torch.einsum("op,pq...,qi->oi...", up, mid, down)

    @staticmethod
    def backward(ctx, g):
        up, mid, down = ctx.saved_tensors
        by_up = torch.einsum("o i ..., p q ..., q i -> o p", g, mid, down)
        by_mid = torch.einsum("o p, o i ..., q i -> p q ...", up, g, down)
        return by_up, by_mid, torch.einsum("o p, p q ..., o i ... -> q i", up, mid, g)


class TuckerOfOther(Tucker):
    @staticmethod
    def backward(ctx, g):
        by_up, by_mid, by_down = Tucker.backward(ctx, g)
        return by_up, by_mid, by_down / g.shape[2]


CORES = {"up": ("O", "P"), "mid": ("P", "Q", "K"), "down": ("Q", "I")}


def test_a_product_of_several_factors_is_one_sum():
    report = gp.check(Tucker, **CORES)
    assert (report.status, report.scope.count("≥")) == ("proved", 5)
    assert "y[o1, o2, o3] = Σ_{j1 = 0..P - 1, j2 = 0..Q - 1} up[o1, j1]" in gp.show(Tucker, **CORES)
    assert gp.check(TuckerOfOther, **CORES).status == "refuted"


class Linear(Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return torch.nn.functional.linear(x, w, b)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w, torch.tensordot(g, x, ([0, 1], [0, 1])), g.sum((0, 1))


def linear_of_product(x, w, b):
    """Where gradients are asked of the call itself, too."""
    return Linear.apply(x @ w, w, b) @ w.mT @ torch.ones_like(x[0, 0])


@pytest.mark.parametrize("function", [Linear, linear_of_product])
def test_calls_within_and_outside_of_a_custom_function_are_read(function):
    report = gp.check(function, x=("B", "N", "D"), w=("D", "D"), b=("D",))
    assert (report.status, report.scope) == ("proved", "for all sizes with B ≥ 1; N ≥ 1; D ≥ 1")


def otherwise_at_one(x):
    return x.sum(1) if x.shape[1] != 1 else 2 * x[:, 0]


def by_rank(x):
    """At C = 1 the row is a number."""
    row = x.sum(0, keepdim=True).squeeze(1)
    return (row * row.ndim).sum(-1)


@pytest.mark.parametrize("function", [otherwise_at_one, by_rank])
def test_what_the_code_itself_decides_by_a_size_is_read_for_each(function):
    report = gp.check(function, x=("N", "C"))
    assert (report.status, report.scope) == ("proved", "for all sizes with N ≥ 1; C ≥ 1")
    assert len(report.readings) == 2
