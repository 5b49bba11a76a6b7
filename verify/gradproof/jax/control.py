"""JAX's primitives that run other jaxprs: calls, custom rules and choices. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradproof.jax.choosing import chosen
from gradproof.jax.reader import Reader, rule
from gradproof.jax.sizes import is_users
from gradproof.language.terms import Term
from gradproof.tracing import reals
from gradproof.tracing.tensors import Tensor, Unreadable, elementwise


@rule("jit", "pjit", "remat2", "checkpoint")
def call(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    return inner(reader, equation.params["jaxpr"], inputs)


@rule("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr")
def custom(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    if equation.params["symbolic_zeros"]:
        reader.asks = True
        if equation.primitive.name != "custom_jvp_call" and len(equation.outvars) > 1:
            raise Unreadable("symbolic_zeros=True of several outputs, which a rule may ask for")
    whole = "fun_jaxpr" if "fun_jaxpr" in equation.params else "call_jaxpr"  # of older versions
    if is_jax_s(equation.params[whole], "logaddexp"):
        return [elementwise(log_of_sum, *inputs)]
    return inner(reader, equation.params[whole], inputs)


def is_jax_s(jaxpr: Any, name: str) -> bool:
    """Whether a function is the one of JAX with a name."""
    said = jaxpr.jaxpr.debug_info
    own = getattr(said, "func_name", None) == name  # which older versions do not say
    return own and not is_users(said.func_filename or "")


def log_of_sum(a: Term, b: Term) -> Term:
    """JAX's own logaddexp, without the maximum that it takes out."""
    return reals.log(reals.plus(reals.exp(a), reals.exp(b)))


def inner(reader: Reader, jaxpr: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
    consts = getattr(jaxpr, "consts", ())
    return reader.run(getattr(jaxpr, "jaxpr", jaxpr), consts, inputs)


@rule("cond")
def cond(reader: Reader, equation: Any, which: Tensor, *inputs: Tensor) -> list[Tensor]:
    results = [inner(reader, branch, inputs) for branch in equation.params["branches"]]
    return [chosen(reader, which, cases) for cases in zip(*results, strict=True)]
