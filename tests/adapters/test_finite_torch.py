"""What float32 makes of code of PyTorch: told where it is undone, and nothing where it is not."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

import torch
from finite_fresh import TORCH
from finite_pairs import found, sampled
from finite_torch import HELD, PAIRS

from gradproof import torch as gp
from gradproof.torch.running import TorchCode
from gradproof.tracing.expressions import Undeclared


@pytest.mark.parametrize("pair", sampled(PAIRS + HELD + TORCH))
def test_the_naive_function_is_told_and_the_stable_one_is_not(pair):
    assert "in float32" in found(TorchCode, pair, pair.naive)
    assert found(TorchCode, pair, pair.stable) == ""


class LogSumExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        powers = torch.exp(x)
        total = powers.sum(-1, keepdim=True)
        ctx.save_for_backward(powers, total)
        return torch.log(total)[..., 0]

    @staticmethod
    def backward(ctx, grad):
        powers, total = ctx.saved_tensors
        return grad[..., None] * powers / total


def test_a_proof_tells_of_float32_and_fails_if_that_is_asked(monkeypatch):
    monkeypatch.delenv("GRADPROOF_FLOAT32")
    told = gp.check(LogSumExp, x=("N", "C"))
    assert told.status == "proved"
    assert told
    assert "in float32 the output[0] is " in str(told)
    assert told.as_dict()["float32"] == told.unstable
    assert "`powers = torch.exp(x)`: exp gives inf here" in str(told)
    assert not gp.check(LogSumExp, x=("N", "C"), float32=True)
    assert "float" not in str(gp.check(LogSumExp, x=("N", "C"), float32=False))


def test_a_narrower_type_loses_sooner():
    report = gp.check(lambda x: torch.exp(x), x=("N",), float32=True, dtype="float16")
    assert not report.unstable  # 70,000 is beyond it, and so is the exact value
    report = gp.check(
        lambda x: torch.exp(x) / torch.exp(x), x=("N",), float32=True, dtype="float16"
    )
    assert "in float16" in report.unstable
    with pytest.raises(Undeclared, match="dtype is one of"):
        gp.check(LogSumExp, x=("N", "C"), dtype="int8")


def test_the_cause_and_what_is_written_instead_are_told():
    for function, cause in (
        (
            lambda x: torch.log(1 + torch.exp(x)),
            "is beyond the largest float32; subtract the largest",
        ),
        (lambda x: torch.where(x > 0, torch.sqrt(x), 0.0), "guard the operand too"),
        (lambda x: torch.exp(x) - 1, "exp(x) - 1 is expm1(x)"),
    ):
        assert cause in gp.check(function, x=("N",), float32=True).unstable


def test_what_rounded_inputs_explain_is_not_told():
    assert not gp.check(lambda x, z: (x - z).sum(), x=("N",), z=("N",), float32=True).unstable


def test_a_project_may_ask_for_it(monkeypatch, tmp_path):
    monkeypatch.delenv("GRADPROOF_FLOAT32")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.gradproof]\nfloat32 = true\n")
    assert not gp.check(LogSumExp, x=("N", "C"))
    assert gp.check(LogSumExp, x=("N", "C"), float32=False)
    with pytest.raises(AssertionError, match="in float32"):
        gp.assert_proved(LogSumExp, x=("N", "C"))


def test_a_line_of_what_is_differentiated_by_the_framework_is_told():
    def root(x):
        y = torch.sqrt(x * x)
        return y * 2

    report = gp.check(root, x=("N",), float32=True)
    assert "`y = torch.sqrt(x * x)`: the derivative of sqrt gives " in report.unstable


def test_what_is_meant_may_be_said_and_what_lies_beyond_is_a_limit():
    exp = gp.check(softmax_plain, x=("N", "C"), float32=True, within="abs(x) < 20")
    assert exp, exp.text
    assert "limit of range: in float32 the output" in exp.text
    assert exp.as_dict()["range"] == exp.range
    assert not gp.check(softmax_plain, x=("N", "C"), float32=True, within="abs(x) < 120")
    assert not gp.check(softmax_plain, x=("N", "C"), float32=True)
    with pytest.raises(Undeclared, match="is no condition"):
        gp.check(softmax_plain, x=("N", "C"), within="x + 1")


def softmax_plain(x):
    e = torch.exp(x)
    return e / e.sum(-1, keepdim=True)


def test_what_is_required_of_one_input_does_not_keep_another_small():
    def loss(x, w):
        return torch.log((w * torch.exp(x)).sum(-1))

    said = {"x": ("N", "C"), "w": gp.constant("N", "C"), "requires": ["w > 0", "w < 1"]}
    assert "beyond the largest float32" in gp.check(loss, float32=True, **said).unstable
