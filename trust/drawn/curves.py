"""Functions of one real with kinks, drawn as recipes: plain tuples that can be cut down. Untrusted.

A recipe is a kind, a number (where it turns, or a factor) and the recipes of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from hashlib import sha256
from random import Random
from typing import Any

from gradproof.language import (
    Eq,
    If,
    Max,
    Min,
    Ne,
    Not,
    Prod,
    Sum,
    bracket,
    cos,
    count,
    exp,
    fold,
    function,
    integers,
    log,
    maximum,
    reals,
    sigmoid,
    sin,
)

At = Callable[[Any], Any]
Recipe = tuple[Any, ...]
k, m = integers("k m")
once, twice = (k, 0, 0), (k, 0, 1)
acc = reals("acc")
FAR = (1000, 10**6)
TURNS = (0, 0, 0, 0, 1, -2, Fraction(1, 2), *FAR)


@dataclass(frozen=True)
class Curve:
    """A function of one real, and its slope as it is read off the formula."""

    at: At
    slope: At


def line(u: Any, c: Any) -> Any:
    """u - c, with nothing added where that is u."""
    return u if c == 0 else u - c


def sized(u: Any) -> Any:
    return If(u >= 0, 1, -1)


def simple(at: Callable[[Any], Any], slope: Callable[[Any], Any]) -> Callable[[Any], Curve]:
    """Of what is left of a turn, and right of it."""
    return lambda c: Curve(lambda u: at(line(u, c)), lambda u: slope(line(u, c)))


def stable(u: Any) -> Any:
    return Max(u, 0) + log(1 + exp(-abs(u)))


def stable_slope(u: Any) -> Any:
    away = exp(-abs(u))
    return bracket(u > 0) - sized(u) * away / (1 + away)


def over(condition: At, of: Any) -> At:
    return lambda u: Sum(of(condition(u)), once)


def knots(u: Any, at: Any, weights: tuple[int, ...]) -> Any:
    return reduce(lambda a, b: a + b, [w * at(u - i) for i, w in enumerate(weights)])


WEIGHTS = (1, -2, 3, -1, 2)
# What turns at 0: its formula and its slope, as it is read off that.
TURNING: dict[str, Callable[[Any], Curve]] = {
    "ramp": simple(lambda u: Max(u, 0), lambda u: bracket(u > 0)),
    "gated": simple(lambda u: u * bracket(u > 0), lambda u: bracket(u > 0)),
    "chosen": simple(lambda u: If(u > 0, u, 0), lambda u: If(u >= 0, 1, 0)),
    "size": simple(abs, sized),
    "size of size": simple(
        lambda u: abs(abs(u) - 1), lambda u: If(abs(u) >= 1, sized(u), -1 * sized(u))
    ),
    "size twice": simple(lambda u: abs(abs(u)), sized),
    "leaky": simple(lambda u: If(u > 0, u, u / 10), lambda u: If(u > 0, 1, Fraction(1, 10))),
    "clamp": simple(lambda u: Min(Max(u, 0), 2), lambda u: bracket((u > 0) & (u < 2))),
    "hard sigmoid": simple(
        lambda u: Max(Min(u / 6 + Fraction(1, 2), 1), 0),
        lambda u: If((u > -3) & (u < 3), Fraction(1, 6), 0),
    ),
    "halves": simple(lambda u: Max(u, 0) - Max(-u, 0), lambda u: bracket(u > 0) + bracket(u < 0)),
    "two sides": simple(
        lambda u: u * bracket(u > 0) + u * bracket(u < 0),
        lambda u: bracket(u > 0) + bracket(u < 0),
    ),
    "same": simple(lambda u: If(u > 0, u, u), lambda u: 1),
    "but one": simple(lambda u: If(Eq(u, 0), 0, u), lambda u: If(Eq(u, 0), 0, 1)),
    "not one": simple(lambda u: u * bracket(Ne(u, 0)), lambda u: bracket(Ne(u, 0))),
    "touched": simple(lambda u: If(u * u > 0, u, 0), lambda u: bracket(u * u > 0)),
    "square": simple(lambda u: u * u * bracket(u > 0), lambda u: 2 * u * bracket(u > 0)),
    "square of ramp": simple(lambda u: Max(u, 0) ** 2, lambda u: 2 * Max(u, 0)),
    "power of ramp": simple(lambda u: Max(u, 0) ** Max(3, 2), lambda u: 3 * Max(u, 0) ** 2),
    "signed square": simple(lambda u: u * abs(u), lambda u: 2 * abs(u)),
    "softplus": simple(stable, stable_slope),
    "entropy": simple(
        lambda u: Max(u, 0) - u / 3 + log(1 + exp(-abs(u))),
        lambda u: stable_slope(u) - Fraction(1, 3),
    ),
    "elu": simple(lambda u: If(u > 0, u, exp(u) - 1), lambda u: If(u > 0, 1, exp(u))),
    "elu of parts": simple(
        lambda u: Max(u, 0) + Min(exp(u) - 1, 0),
        lambda u: bracket(u > 0) + bracket(u < 0) * exp(u),
    ),
    "selu": simple(
        lambda u: 2 * If(u > 0, u, 3 * (exp(u) - 1)), lambda u: If(u > 0, 2, 6 * exp(u))
    ),
    "soft sign": simple(lambda u: u / (1 + abs(u)), lambda u: 1 / ((1 + abs(u)) * (1 + abs(u)))),
    "four knots": simple(
        lambda u: knots(u, lambda v: Max(v, 0), WEIGHTS[:4]),
        lambda u: knots(u, lambda v: bracket(v > 0), WEIGHTS[:4]),
    ),
    "five knots": simple(lambda u: knots(u, abs, WEIGHTS), lambda u: knots(u, sized, WEIGHTS)),
    "nested": simple(
        lambda u: If(u > 0, If(u > 1, If(u > 2, If(u > 3, 4 * u - 6, 3 * u - 3), 2 * u - 1), u), 0),
        lambda u: If(u > 0, If(u > 1, If(u > 2, If(u > 3, 4, 3), 2), 1), 0),
    ),
    "huber": simple(
        lambda u: If(abs(u) <= 1, u * u / 2, abs(u) - Fraction(1, 2)),
        lambda u: If(abs(u) <= 1, u, sized(u)),
    ),
    "soft shrink": simple(
        lambda u: If(u > 1, u - 1, If(u < -1, u + 1, 0)), lambda u: bracket((u > 1) | (u < -1))
    ),
    "counted": simple(
        lambda u: u * count(u > 0, once) + u * count(u < 0, once),
        lambda u: bracket(u > 0) + bracket(u < 0),
    ),
    "counted ramp": simple(lambda u: u * count(u > 0, once), lambda u: bracket(u > 0)),
    "summed sides": simple(
        lambda u: u * over(lambda v: v > 0, bracket)(u) + u * over(lambda v: v < 0, bracket)(u),
        lambda u: bracket(u > 0) + bracket(u < 0),
    ),
    "summed ramp": simple(lambda u: Sum(Max(u, 0), once), lambda u: bracket(u > 0)),
    "summed choice": simple(
        lambda u: Sum(If(u > 0, u, 0) - If(u < 0, -u, 0), once),
        lambda u: bracket(u > 0) + bracket(u < 0),
    ),
    "product": simple(
        lambda u: Prod(Max(u, 0) + 1, twice), lambda u: 2 * (Max(u, 0) + 1) * bracket(u > 0)
    ),
    "product of size": simple(lambda u: Prod(abs(u), twice), lambda u: 2 * abs(u) * sized(u)),
    "loop": simple(
        lambda u: fold(acc, once, acc=(acc, 0, acc + Max(u, 0))), lambda u: bracket(u > 0)
    ),
    "loop of halves": simple(
        lambda u: fold(acc, once, acc=(acc, 0, acc + Max(u, 0) - Max(-u, 0))),
        lambda u: bracket(u > 0) + bracket(u < 0),
    ),
    "largest": simple(lambda u: maximum(k * u, (k, 0, 1)), lambda u: bracket(u > 0)),
    "guarded size": simple(lambda u: If(Not(u >= 0), -1 * u, u), lambda u: If(Not(u > 0), -1, 1)),
}
# What is done to others: by the values of the parts, and by their slopes too.
AFTER: dict[str, tuple[At, At]] = {
    "sin of": (sin, cos),
    "exp of": (exp, exp),
    "sigmoid of": (sigmoid, lambda v: sigmoid(v) * (1 - sigmoid(v))),
    "log of": (lambda v: log(1 + v * v), lambda v: 2 * v / (1 + v * v)),
    "square of": (lambda v: v * v, lambda v: 2 * v),
    "quotient of": (lambda v: v / (1 + v * v), lambda v: (1 - v * v) / ((1 + v * v) ** 2)),
}


def named(recipe: Recipe) -> str:
    return f"f{sha256(repr(recipe).encode()).hexdigest()[:6]}"


def curve(recipe: Recipe) -> Curve:
    kind, number, *parts = recipe
    if kind == "x":
        return Curve(lambda u: u, lambda u: 1)
    if kind in TURNING:
        return TURNING[kind](number)
    f, *others = map(curve, parts)
    if kind in AFTER:
        outer, slope = AFTER[kind]
        return Curve(lambda u: outer(f.at(u)), lambda u: slope(f.at(u)) * f.slope(u))
    if kind == "odd":
        return Curve(lambda u: f.at(u) - f.at(-u), lambda u: f.slope(u) + f.slope(-u))
    if kind == "even":
        return Curve(lambda u: f.at(u) + f.at(-u), lambda u: f.slope(u) - f.slope(-u))
    if kind == "scaled":
        return Curve(lambda u: number * f.at(u), lambda u: number * f.slope(u))
    if kind == "declared":
        known = function(named(recipe), derivative=f.slope, value=f.at)
        return Curve(known, f.slope)
    (g,) = others
    if kind == "sum":
        return Curve(lambda u: f.at(u) + g.at(u), lambda u: f.slope(u) + g.slope(u))
    if kind == "difference":
        return Curve(lambda u: f.at(u) - g.at(u), lambda u: f.slope(u) - g.slope(u))
    if kind == "times":
        return Curve(
            lambda u: f.at(u) * g.at(u), lambda u: f.slope(u) * g.at(u) + f.at(u) * g.slope(u)
        )
    return Curve(lambda u: f.at(g.at(u)), lambda u: f.slope(g.at(u)) * g.slope(u))


UNARY = (*AFTER, "odd", "odd", "even", "scaled", "declared", "declared")
BINARY = ("sum", "difference", "difference", "times", "of", "of")


def recipes(drawn: Random, depth: int = 2) -> Recipe:
    """One that turns somewhere; its parts mostly turn at one place, so that kinks meet."""
    turn = drawn.choice(TURNS)
    if depth == 0 or drawn.random() < 0.35:
        return (drawn.choice(sorted(TURNING)), turn)
    if drawn.random() < 0.5:
        return (drawn.choice(UNARY), drawn.choice((2, -1, 3)), recipes(drawn, depth - 1))
    one, two = recipes(drawn, depth - 1), recipes(drawn, depth - 1)
    if drawn.random() < 0.6:
        two = (drawn.choice(sorted(TURNING)), turn if turn in turns(one) else turns(one)[0])
    return (drawn.choice(BINARY), 0, one, two)


def turns(recipe: Recipe) -> list[Any]:
    """Where its parts turn, in their own terms."""
    kind, number, *parts = recipe
    own = [number] if kind in TURNING else []
    return [*own, *(c for part in parts for c in turns(part))]


def smaller(recipe: Recipe) -> Iterator[Recipe]:
    """Recipes with something less."""
    kind, number, *parts = recipe
    yield from parts
    if kind in TURNING and number != 0:
        yield (kind, 0)
    for simplest in ("ramp", "size", "halves") if kind in TURNING else ():
        if kind not in ("ramp", "size", "halves"):
            yield (simplest, number)
    if kind != "x":
        yield ("x", 0)
    for n, part in enumerate(parts):
        for less in smaller(part):
            yield (kind, number, *parts[:n], less, *parts[n + 1 :])


def with_turn_at_0(recipe: Recipe, turn: Any) -> Recipe:
    """The recipe with what turns there turning at 0."""
    kind, number, *parts = recipe
    moved = 0 if kind in TURNING and number == turn else number
    return (kind, moved, *(with_turn_at_0(part, turn) for part in parts))
