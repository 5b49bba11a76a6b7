"""Functions of one real with their slopes, and what they need to be defined. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradproof.language import (
    Fraction,
    Max,
    Ne,
    among,
    atan,
    cos,
    erf,
    exp,
    function,
    log,
    pi,
    sigmoid,
    sin,
    softplus,
    sqrt,
    tanh,
)


def density(u: Any) -> Any:
    return exp(-u * u / 2) / sqrt(2 * pi)


def bare(name: str) -> Any:
    return function(name)


NORMAL: dict[str, Any] = {
    "derivative": density,
    "facts": lambda u: (bare("normal")(u) > 0, bare("normal")(u) < 1),
    "value": lambda u: (1 + erf(u / sqrt(2))) / 2,
}
MISSTATED: tuple[dict[str, Any], ...] = (
    {"derivative": lambda u: exp(-u * u / 2)},
    {"derivative": lambda u: density(u) * bare("normal")(u)},
    {"facts": lambda u: 2 * bare("normal")(u) < 1},
    {"facts": lambda u: (bare("normal")(u) > 0, 10 * bare("normal")(u) > 1)},
    {"value": lambda u: (1 + erf(u)) / 2, "derivative": density},
)
normal = function("normal", **NORMAL)
bell = function("bell", derivative=lambda u: exp(-u * u))


@dataclass(frozen=True)
class Function:
    """A function of one real; its slope in ways that are equal, and by the value that it has.

    `needs` is what it takes for a value, if it takes anything.
    """

    at: Callable[[Any], Any]
    slopes: tuple[Callable[[Any], Any], ...]
    by_value: Callable[[Any], Any] | None = None
    needs: tuple[Callable[[Any], Any], ...] = ()


FREE = {
    "exp": Function(exp, (exp,), lambda y: y),
    "sin": Function(sin, (cos,)),
    "cos": Function(cos, (lambda v: -1 * sin(v),)),
    "atan": Function(atan, (lambda v: 1 / (1 + v * v),)),
    "erf": Function(erf, (lambda v: 2 * exp(-v * v) / sqrt(pi),)),
    "tanh": Function(tanh, (lambda v: 1 - tanh(v) * tanh(v),), lambda y: 1 - y * y),
    "sigmoid": Function(sigmoid, (lambda v: sigmoid(v) * (1 - sigmoid(v)),), lambda y: y * (1 - y)),
    "softplus": Function(softplus, (sigmoid, lambda v: exp(v) / (1 + exp(v)))),
    "root": Function(lambda v: sqrt(1 + v * v), (lambda v: v / sqrt(1 + v * v),)),
    "logarithm": Function(lambda v: log(1 + v * v), (lambda v: 2 * v / (1 + v * v),)),
    "power": Function(
        lambda v: v ** Max(3, 2),
        (lambda v: 3 * v * v, lambda v: Max(3, 2) * v ** (Max(3, 2) - 1)),
    ),
    "quotient": Function(
        lambda v: v / (1 + v * v), (lambda v: (1 - v * v) / ((1 + v * v) * (1 + v * v)),)
    ),
    "normal": Function(normal, (density,)),
    "bell": Function(bell, (lambda v: exp(-v * v),)),
    "square": Function(lambda v: v * v, (lambda v: 2 * v,)),
    "cube": Function(lambda v: v * v * v, (lambda v: 3 * v * v,)),
}
NEEDING = {
    "log": Function(log, (lambda v: 1 / v,), None, (lambda v: v > 0,)),
    "sqrt": Function(
        sqrt, (lambda v: 1 / (2 * sqrt(v)),), lambda y: 1 / (2 * y), (lambda v: v > 0,)
    ),
    "power": Function(
        lambda v: v ** Fraction(3, 2),
        (lambda v: Fraction(3, 2) * sqrt(v), lambda v: 3 * sqrt(v) / 2),
        None,
        (lambda v: v > 0,),
    ),
    "inverse": Function(
        lambda v: 1 / v, (lambda v: -1 / (v * v),), lambda y: -1 * y * y, (lambda v: Ne(v, 0),)
    ),
    "shifted": Function(
        lambda v: 1 / (1 + v), (lambda v: -1 / ((1 + v) * (1 + v)),), None, (lambda v: v >= 0,)
    ),
    "logit": Function(
        lambda v: log(v / (1 - v)),
        (lambda v: 1 / (v * (1 - v)), lambda v: 1 / v + 1 / (1 - v)),
        None,
        (lambda v: v > 0, lambda v: v < 1),
    ),
    "size": Function(abs, (lambda v: 1,), None, (lambda v: v > 0,)),
    "bit": Function(
        lambda v: v * v * v,
        (lambda v: 3 * v * v, lambda v: 3 * v),
        None,
        (lambda v: among(v, 0, 1),),
    ),
}
LOOSER: tuple[Callable[[Any], Any], ...] = (
    lambda v: v >= 0,
    lambda v: v > -1,
    lambda v: v < 1,
    lambda v: Ne(v, 1),
    lambda v: among(v, 0, 1, 2),
    lambda v: v * v > 0,
)
