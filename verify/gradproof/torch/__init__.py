"""Proofs about code written for PyTorch: `check(F, x=("N", "C"))`. Untrusted."""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ImportError as missing:
    raise ModuleNotFoundError(
        "gradproof.torch needs PyTorch: pip install 'gradproof[torch]'", name="torch"
    ) from missing

from gradproof.torch.calling import names_of
from gradproof.torch.contract import promised
from gradproof.torch.running import TorchCode, attempt
from gradproof.tracing.declared import boolean, constant, given, integer, real, size
from gradproof.tracing.front import Front
from gradproof.tracing.reports import Report

__all__ = [
    "Report",
    "assert_proved",
    "boolean",
    "check",
    "constant",
    "given",
    "integer",
    "proved",
    "real",
    "replay",
    "show",
    "size",
]
front = Front(TorchCode, names_of, attempt, promised)
check, assert_proved = front.check, front.assert_proved
show, replay, proved = front.show, front.replay, front.proved
