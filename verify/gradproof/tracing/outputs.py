"""Code with several outputs as code with one. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from gradproof.language import terms as t
from gradproof.tracing.axes import plain
from gradproof.tracing.declared import Argument, Declared


def combined(
    call: Callable[..., Any],
    declared: Declared,
    shapes: Sequence[tuple[t.Term, ...]],
    differentiated: Callable[[Any], Sequence[Any]],
) -> tuple[Callable[..., Any], Declared]:
    """The sum of all outputs that are differentiated, each cell times a constant of its own.

    Its gradient is what the rule gives of these constants: a proof is one for every cotangent.
    """
    taken = {a.name for a in declared.arguments} | set(declared.symbols)
    names = [f"cotangent{number + 1}" for number in range(len(shapes))]
    if clash := taken.intersection(names):
        raise TypeError(f"an argument is named {clash.pop()}, as a cotangent is; call it otherwise")
    own = [a.name for a in declared.arguments]
    more = copy(declared)
    pairs = zip(names, shapes, strict=True)
    more.arguments += tuple(Argument(k, "constant", plain(shape)) for k, shape in pairs)

    def run(given: dict[str, Any]) -> Any:
        found = differentiated(call({k: given[k] for k in own}))
        return sum((y * given[k]).sum() for k, y in zip(names, found, strict=True))

    return run, more
