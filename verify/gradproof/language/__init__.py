"""What a definition says; `from gradproof.language import *` gives all that one needs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradproof.language.calls import *  # noqa: F403
    from gradproof.language.counting import *  # noqa: F403
    from gradproof.language.functions import *  # noqa: F403
    from gradproof.language.largest import *  # noqa: F403
    from gradproof.language.ops import *  # noqa: F403
    from gradproof.language.terms import *  # noqa: F403

__all__ = [
    "And",
    "Array",
    "Claim",
    "DefinitionError",
    "Divides",
    "Eq",
    "Exists",
    "ForAll",
    "Formula",
    "Fraction",
    "If",
    "Max",
    "Min",
    "Ne",
    "Not",
    "Op",
    "Or",
    "Prod",
    "Scatter",
    "Sum",
    "Term",
    "Windows",
    "among",
    "argmax",
    "argmin",
    "array",
    "atan",
    "axes",
    "bracket",
    "call",
    "ceil_div",
    "cos",
    "cosh",
    "cotangent",
    "count",
    "derivative",
    "erf",
    "exp",
    "floor_div",
    "fold",
    "function",
    "implies",
    "inside",
    "integer_array",
    "integers",
    "log",
    "maximum",
    "mod",
    "nat_div",
    "nat_sub",
    "on_axis",
    "pi",
    "product",
    "reals",
    "scatter",
    "sigmoid",
    "sin",
    "sinh",
    "softplus",
    "sqrt",
    "tan",
    "tangent",
    "tanh",
    "trunc_div",
    "trunc_mod",
    "unique",
    "winner",
    "zero_padded",
]


def __getattr__(name: str) -> Any:
    """Of the language, on first use: SymPy takes half a second to import."""
    if name not in __all__:
        raise AttributeError(f"module 'gradproof.language' has no attribute {name!r}")
    homes = (import_module(f"gradproof.language.{home}") for home in HOMES)
    return getattr(next(home for home in homes if hasattr(home, name)), name)


HOMES = ("ops", "terms", "functions", "largest", "counting", "calls")
