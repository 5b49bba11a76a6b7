"""JAX's code as its lines run: step by step, traced at numbers, and compiled soon. Deciding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

import jax
import numpy as np

from gradproof.jax.precision import enable_x64
from gradproof.tracing.paths import Steps, followed
from gradproof.tracing.points import drawn

FAST = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
FASTER = {**FAST, "xla_cpu_use_fusion_emitters": False}  # which not every version knows
IsUsers = Callable[[str], bool]


@cache
def quickly() -> Mapping[str, Any]:
    """How to compile what is run a few times."""
    try:
        jax.jit(lambda: 0, compiler_options=FASTER)()
    except Exception:
        return FAST
    return FASTER


def traced_at(code: Any, hints: Mapping[Any, Any], is_users: IsUsers) -> Steps:
    """The steps of code that is traced at sizes that are numbers, though it was before."""
    given = code.numbers(hints)
    for is_disabled in (True, False):  # without which some loops are not traced
        with suppress(Exception), enable_x64(True), jax.disable_jit(is_disabled):
            with followed(is_users) as found:
                code.jaxprs(given)
            return found
    return {}


def run_at(code: Any, hints: Mapping[Any, Any], is_users: IsUsers) -> Steps:
    """The steps of code that runs when nothing traces it, if it does; what came of it is kept."""
    values = drawn(code.declared, hints, np.random.default_rng(3)).values
    try:
        with followed(is_users) as found:
            stepped = code.step_by_step(values)
    except Exception:
        return {}
    code.stepped.append(stepped)
    return found


def lines_run(run: Callable[..., Any], *given: Any) -> None:
    """Runs the lines of all functions, also of those that are compiled already."""
    with suppress(Exception), jax.disable_jit():
        jax.eval_shape(run, *given)


def as_floats(found: Any) -> Any:
    return tuple(jax.tree.map(lambda v: np.asarray(v, dtype=float), found))
