"""Forward mode of forward mode, which is nested only as torch.func has it. Untrusted.

It is asked of PyTorch's own rules alone: of a hand-written `jvp` PyTorch gives 0 there.
"""

from __future__ import annotations

from typing import Any

import torch

from gradproof.torch.calling import one
from gradproof.torch.derived import Given, Made, live, load_forward_mode
from gradproof.torch.running import TorchCode
from gradproof.tracing.derived import PUSHED, extended, split, tangents_of


def pushed_twice(base: TorchCode) -> Made:
    """Forward mode of forward mode, as a function of the second tangents.

    Its gradient is to be what the backward gives, along the first tangents, differentiated again.
    """
    inputs = [a for a in base.declared.arguments if a.kind == "real"]
    said = [(f"first_{a.name}", "constant", a.axes) for a in inputs]
    declared, names = extended(base.declared.by(()), said)
    declared, dots = tangents_of(declared, base.declared)
    firsts = {first: a.name for first, a in zip(names, inputs, strict=True)}

    def value(given: Given) -> Any:
        inner, second = split(given, dots)
        inner, first = split(inner, firsts)
        some = list(second)

        def function(*values: Any) -> Any:
            return one(base.call({**inner, **dict(zip(some, values, strict=True))}))

        def along_first(*values: Any) -> Any:
            return push(function, values, tuple(first[name] for name in some))

        values, ways = (tuple(of[name] for name in some) for of in (inner, second))
        return push(along_first, values, ways)

    def rule(given: Given, y: Any, seed: Any) -> dict[str, Any]:
        inner, _ = split(given, dots)
        inner, first = split(inner, firsts)
        inner |= {name: live(inner[name]) for name in first}
        values = [inner[name] for name in base.differentiable]
        pulled = gradients(one(base.call(inner)), values, seed)
        ways = [first[name] for name in base.differentiable]
        whole = sum((g * way).sum() for g, way in zip(pulled, ways, strict=True))
        found = gradients(whole, values, torch.ones_like(whole))
        return dict(zip(dots, found, strict=True))

    return Made(declared, value, PUSHED, rule)


def push(function: Any, values: Any, ways: Any) -> Any:
    load_forward_mode()
    return torch.func.jvp(function, values, ways)[1]


def gradients(y: Any, inputs: Any, seed: Any) -> Any:
    """With a graph; 0 where nothing comes back."""
    return (
        torch.autograd.grad(
            y, inputs, seed, create_graph=True, allow_unused=True, materialize_grads=True
        )
        if y.requires_grad
        else [torch.zeros_like(x) for x in inputs]
    )
