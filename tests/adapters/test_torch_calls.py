"""What PyTorch asks of sizes to compute an operation decides nothing; calls are read."""

import math
from functools import partial, wraps

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

import torch.nn.functional as F
from torch.autograd import Function

from gradproof import torch as gp
from gradproof.language import terms as t
from gradproof.torch import calls, meanings
from gradproof.torch.running import TorchCode
from gradproof.tracing.declared import Declared
from gradproof.tracing.judging import judged
from gradproof.tracing.tensors import elementwise

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


class CausalAttention(Attention):
    @staticmethod
    def forward(ctx, q, k, v):
        ctx.scale = 1 / math.sqrt(q.shape[-1])
        later = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).triu(1)
        p = torch.softmax((q @ k.mT * ctx.scale).masked_fill(later, -math.inf), -1)
        ctx.save_for_backward(q, k, v, p)
        return p @ v


class CausalAttentionOfMean(CausalAttention):
    @staticmethod
    def backward(ctx, g):
        q, k, v, p = ctx.saved_tensors
        dp = g @ v.mT
        ds = p * (dp - (dp * p).mean(-1, keepdim=True)) * ctx.scale
        return ds @ k, ds.mT @ q, p.mT @ g


class MaskedSoftmax(Function):
    """A row of which the mask leaves nothing has no value."""

    least = -math.inf

    @classmethod
    def forward(cls, ctx, x, m):
        y = torch.softmax(x.masked_fill(~m, cls.least), -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum(-1, keepdim=True)), None


class MaskedByTheLeastFloat(MaskedSoftmax):
    least = torch.finfo(torch.float64).min


class MaskedByASum(MaskedSoftmax):
    @classmethod
    def forward(cls, ctx, x, m):
        y = torch.softmax(x + (1.0 - m.to(x.dtype)) * torch.finfo(x.dtype).min, -1)
        ctx.save_for_backward(y)
        return y


class LogSumExpOfRow(Function):
    """Of the cells up to the diagonal."""

    @staticmethod
    def forward(ctx, x):
        row, column = torch.arange(x.shape[0])[:, None], torch.arange(x.shape[1])
        x = torch.where(column <= row, x, -math.inf)
        m = x.amax(-1, keepdim=True)
        y = m.squeeze(-1) + torch.log(torch.exp(x - m).sum(-1))
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g[:, None] * torch.exp(x - y[:, None])


class LogSumExpOfWholeRow(LogSumExpOfRow):
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g[:, None] * torch.exp(x.clamp(min=-9) - y[:, None])


SQUARE = {"q": ("N", "D"), "k": ("N", "D"), "v": ("N", "E")}
MASKED = {"x": ("N", "C"), "m": gp.boolean("N", "C")}


def test_a_cell_of_minus_infinity_does_not_count():
    report = gp.check(CausalAttention, **SQUARE)
    assert (report.status, report.scope) == ("proved", "for all sizes with N ≥ 1; D ≥ 1; E ≥ 1")
    assert gp.check(CausalAttentionOfMean, **SQUARE).status == "refuted"
    assert gp.check(LogSumExpOfRow, x=("N", "M")).status == "proved"
    assert gp.check(LogSumExpOfWholeRow, x=("N", "M")).status != "proved"


OTHERS = [pytest.param(f, marks=pytest.mark.slow) for f in (MaskedSoftmax, MaskedByTheLeastFloat)]


@pytest.mark.parametrize("function", [MaskedByASum, *OTHERS])
def test_of_a_row_that_is_masked_whole_nothing_is_claimed(function):
    assert gp.check(function, **MASKED).status != "proved"
    report = gp.check(function, requires="any(m)", **MASKED)
    assert report.status == "proved"
    assert "∃" in report.scope


def called(x, w):
    """Each call that is read, within a function whose gradient is its own."""
    made = torch.nn.functional.linear(x, w, w[0]) @ w
    return torch.matmul(made, w).mm(w).mv(w[0]) + torch.einsum("ij,jk,kl->i", x, w, w)


class Called(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return called(x, w) + torch.bmm(x[None], w[None])[0].sum(1) + w[0].dot(w[0])

    @staticmethod
    def backward(ctx, g):
        return 0 * ctx.saved_tensors[0], None


class CalledOnTheRight(Called):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x.__rmatmul__(w).sum(1)


NAMES = {reader: name for name, reader in calls.READERS.items()}.values()


CALLS = [
    pytest.param(name, marks=() if k < 2 else pytest.mark.slow) for k, name in enumerate(NAMES)
]


@pytest.mark.parametrize("name", CALLS)
def test_a_mistake_in_what_a_call_is_read_as_is_an_error(name, monkeypatch):
    own = calls.READERS[name]
    names = [other for other, reader in calls.READERS.items() if reader is own]
    for other in names:
        monkeypatch.setitem(calls.READERS, other, wraps(own)(partial(off, own)))
    function = CalledOnTheRight if name == "__rmatmul__" else Called
    declared = Declared({"x": ("N", "N"), "w": gp.constant("N", "N")}, ())
    assert judged(TorchCode(function, declared, "called"), proving=False).status == "error"


def off(reader, *given, **named):
    return elementwise(lambda a: t.Add(a, 1), reader(*given, **named))


ROWS = {"x": ("N", "C", "L"), "w": "C", "b": "C", "requires": ["N >= 2", "L >= 2"]}
PAIR = {"x": ("N", "D"), "z": ("N", "E"), "w": ("K", "D", "E"), "b": "K"}
MEANT = [
    (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), ROWS),
    (lambda x, w, b: F.instance_norm(x, weight=w, bias=b), ROWS),
    (lambda x, w, b: F.group_norm(x, x.shape[1], w, b), ROWS),
    (lambda x, z, w, b: F.bilinear(x, z, w, b), PAIR),
    (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), SQUARE),
    (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, q @ k.mT, scale=2.0), SQUARE),
]


def compared(function, said):
    requires = said.get("requires", ())
    inputs = {name: value for name, value in said.items() if name != "requires"}
    return judged(TorchCode(function, Declared(inputs, requires), "meant"), proving=False)


MARKS = [(), *[pytest.mark.slow] * (len(MEANT) - 1)]


@pytest.mark.parametrize("number", [pytest.param(k, marks=m) for k, m in enumerate(MARKS)])
def test_what_a_function_means_is_what_it_computes(number, monkeypatch):
    function, said = MEANT[number]
    assert compared(function, said).status == "unknown"
    for name, meaning in meanings.MEANINGS.items():
        monkeypatch.setitem(meanings.MEANINGS, name, lambda *a, m=meaning, **k: m(*a, **k) * 2)
    assert compared(function, said).status == "error"
