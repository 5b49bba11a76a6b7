"""`torch.autograd.gradcheck` of the ops, forward and reverse, in double precision, on one thread.

Run as a module it prints its figures as JSON: PyTorch stays out of the process that proves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from math import prod
from time import process_time
from typing import Any

from bench.cases import SIDES, Case, case, values
from bench.clock import repeated

MOST_SECONDS = 6.0  # that a shape may be predicted to take
MOST_BYTES = 2 << 30  # that its Jacobians may be predicted to take
JACOBIANS = 3  # that gradcheck holds at a time: numerical, forward, reverse


def checking(found: Case, fast: bool) -> Callable[[], float]:
    import torch

    inputs = [
        torch.tensor(values(shape, seed), dtype=torch.float64, requires_grad=True)
        for seed, shape in enumerate(found.inputs.values())
    ]

    def once() -> float:
        start = process_time()
        torch.autograd.gradcheck(found.function, inputs, check_forward_ad=True, fast_mode=fast)
        return process_time() - start

    return once


def entries(found: Case) -> int:
    """Of the Jacobian."""
    import torch

    inputs = [torch.tensor(values(shape, 0)) for shape in found.inputs.values()]
    cells: int = sum(prod(shape) for shape in found.inputs.values())
    return cells * int(found.function(*inputs).numel())


def gradcheck(name: str) -> dict[str, dict[str, Any]]:
    """Seconds and runs by shape; a shape that would take too much is skipped, and says why."""
    found: dict[str, dict[str, Any]] = {}
    before: list[float] = []
    for side in SIDES:
        at = case(name, side)
        predicted = before[-1] * before[-1] / before[-2] if len(before) > 1 else 0.0
        predicted = max(predicted, 4 * before[-1] if before else 0.0)
        size = JACOBIANS * 8 * entries(at)
        if predicted > MOST_SECONDS or size > MOST_BYTES:
            found[at.shape] = {"predicted": predicted, "bytes": size}
            continue
        seconds, runs = repeated(checking(at, fast=False))
        fast, _ = repeated(checking(at, fast=True))
        found[at.shape] = {"seconds": seconds, "runs": runs, "fast": fast}
        before.append(seconds)
    return found


def main() -> None:
    import torch

    torch.set_num_threads(1)
    first = checking(case(sys.argv[1], SIDES[0]), fast=True)
    first()  # what PyTorch loads at its first use is no part of it
    print(json.dumps({name: gradcheck(name) for name in sys.argv[1:]}))


if __name__ == "__main__":
    main()
