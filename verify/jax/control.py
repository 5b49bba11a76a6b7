"""JAX's primitives that run other jaxprs: calls, custom rules and choices. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradproof.jax.choosing import chosen
from gradproof.jax.reader import Reader, rule
from gradproof.tracing.tensors import Tensor, Unreadable


@rule("jit", "remat2")
def call(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    return inner(reader, equation.params["jaxpr"], inputs)


@rule("custom_jvp_call", "custom_vjp_call")
def custom(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    if equation.params["symbolic_zeros"]:
        raise Unreadable("symbolic_zeros=True, of a rule that may ask what is differentiated")
    return inner(reader, equation.params["call_jaxpr"], inputs)


def inner(reader: Reader, jaxpr: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
    consts = getattr(jaxpr, "consts", ())
    return reader.run(getattr(jaxpr, "jaxpr", jaxpr), consts, inputs)


@rule("cond")
def cond(reader: Reader, equation: Any, which: Tensor, *inputs: Tensor) -> list[Tensor]:
    results = [inner(reader, branch, inputs) for branch in equation.params["branches"]]
    return [chosen(reader, which, cases) for cases in zip(*results, strict=True)]
