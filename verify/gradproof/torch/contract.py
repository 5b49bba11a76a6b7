"""What is owed of a function of PyTorch beside its gradient. Deciding.

The `jvp` and the `vmap` of a hand-written `autograd.Function` are asked where there is one; second
derivatives, which the engine makes of each backward, are tried, and proved if asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.autograd import Function

from gradproof.torch import custom, fakes
from gradproof.torch.calling import one
from gradproof.torch.derived import (
    Derived,
    batched,
    gradient_of,
    graphed,
    nodes,
    pushed,
    pushing,
    unpushed,
)
from gradproof.torch.running import TorchCode
from gradproof.tracing import points
from gradproof.tracing.axes import Axis
from gradproof.tracing.contract import ORDERS, Promise
from gradproof.tracing.refuting import unstated


def promised(code: TorchCode, shape: tuple[Axis, ...], order: int) -> Iterator[Promise]:
    found, operators = functions_in(code), fakes.operators_in(code)
    if operators:
        yield from fakes.promised(code)
    pushes = any(f.jvp is not Function.jvp for f in found)
    if pushes:
        yield Promise("JVP", lambda: (Derived(code, make) for make in (pushed, unpushed)))
    batches_of = (f.generate_vmap_rule or f.vmap is not Function.vmap for f in found)
    if any(batches_of) or any(map(custom.has_batches, operators)):
        yield Promise("vmap", partial(batches, code, shape))
    if found and order == 1:
        yield Promise(ORDERS[2], partial(gradients_of, code, shape, 2), decides=False, tried=True)
    for number in range(2, order + 1):
        name = ORDERS.get(number, f"order {number}")
        yield Promise(name, partial(gradients_of, code, shape, number), demanded=True)
        if pushes and number == 2:
            yield Promise(f"{name}, forward mode", partial(forward_modes, code, shape))


def functions_in(code: TorchCode) -> list[Any]:
    """The hand-written Functions by which the engine differentiates the code."""
    op = unstated(code)
    generator = np.random.default_rng(3)
    found: dict[Any, None] = {}
    for sizes in points.shapes(op):
        values = points.allowed(op, code.declared, sizes, generator).values
        with suppress(Exception), torch.enable_grad():
            for node in nodes(one(code.call(code.tensors(values)))):
                if hand_written := getattr(type(node), "_forward_cls", None):
                    found[hand_written] = None
    return list(found)


def batches(code: TorchCode, shape: tuple[Axis, ...]) -> Iterator[TorchCode]:
    """Over the first, the last and the second axis of all, over several, and of each alone."""
    arrays = [a for a in code.declared.arguments if a.is_array]
    first, *others = [a.name for a in arrays]
    ways: list[dict[str, int]] = [dict.fromkeys((first, *others), place) for place in (0, -1)]
    ways.append({a.name: min(1, len(a.shape)) for a in arrays})
    if others:
        ways += [{first: 0, **dict.fromkeys(others, -1)}, *({a.name: 0} for a in arrays)]
    for places in ways:
        yield Derived(code, batched(places, shape))


def gradients_of(code: TorchCode, shape: tuple[Axis, ...], order: int) -> Iterator[TorchCode]:
    """The gradients by each input that are to be differentiated once more; first, with a graph."""
    if order == 2:
        yield Derived(code, graphed)
    for base in (code, *(other for _, other in code.others())):
        for a in base.declared.arguments:
            if a.kind == "real":
                found = Derived(base, gradient_of(a.name, shape))
                yield from [found] if order == 2 else gradients_of(found, a.axes, order - 1)


def forward_modes(code: TorchCode, shape: tuple[Axis, ...]) -> Iterator[TorchCode]:
    """Backwards that are differentiated in forward mode, and the JVP by a backward."""
    for a in code.declared.arguments:
        if a.kind == "real":
            yield Derived(Derived(code, gradient_of(a.name, shape)), pushed)
    yield Derived(code, pushing)
