"""A function that float32 undoes beside one that it does not, and how each is asked about."""

from dataclasses import dataclass
from typing import Any

import pytest

from gradproof.tracing.declared import Declared, constant
from gradproof.tracing.finite import lost
from gradproof.tracing.pieces import read

SAMPLE = 6  # of which one is in `make test`


@dataclass(frozen=True)
class Pair:
    """Inputs are shapes, `N C`, or `const N C`; of NumPy both are a forward and a backward."""

    name: str
    naive: Any
    stable: Any
    inputs: dict[str, str]
    requires: tuple[str, ...] = ()


def found(code: Any, pair: Pair, function: Any) -> str:
    """What is told of a function of a pair."""
    shapes = {name: said.split() for name, said in pair.inputs.items()}
    inputs = {k: constant(*s[1:]) if s[0] == "const" else tuple(s) for k, s in shapes.items()}
    functions = function if isinstance(function, tuple) else (function,)
    asked = code(*functions, Declared(inputs, pair.requires))
    seen = lost(asked, next(read(asked)[0].ops), seconds=3)
    return "" if seen is None else seen.text


def sampled(pairs: tuple[Pair, ...]) -> list[Any]:
    """The pairs as parameters, most of them slow."""
    return [
        pytest.param(pair, id=pair.name, marks=() if k % SAMPLE == 0 else pytest.mark.slow)
        for k, pair in enumerate(pairs)
    ]
