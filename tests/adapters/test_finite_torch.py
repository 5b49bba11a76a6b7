"""What float32 makes of code of PyTorch: told where it is undone, and nothing where it is not."""

import pytest

pytest.importorskip("torch")

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
    assert told.as_dict()["float32"] in str(told)
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
