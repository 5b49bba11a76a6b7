"""What derived functions take beside the user's arguments, and words for them. Untrusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from gradproof.language.substitution import substituted
from gradproof.language.terms import Sym, Term, as_term
from gradproof.tracing.axes import Axis
from gradproof.tracing.declared import Argument, Declared
from gradproof.tracing.integers import simple
from gradproof.tracing.reports import Words

SECOND = Words(
    "the backward's derivative by {at} is {value}, by finite differences of the backward",
    "differentiating the backward gives {value}",
    "what is detached (detach, no_grad, .data, stop_gradient), or kept on ctx and is no input "
    "and no output, is a constant where the backward is differentiated",
    seed="grad_of_this",
)
PUSHED = Words(
    "the JVP changes by {value} as {at} does, by its finite differences",
    "as the backward's transpose it would by {value}",
)
UNPUSHED = Words("the JVP of no tangent is {value}", "it is to be 0: a JVP is linear")


def tangents_of(declared: Declared, of: Declared) -> tuple[Declared, dict[str, str]]:
    """With a tangent for each input, and the input of each by the name of the tangent."""
    inputs = [a for a in of.arguments if a.kind == "real"]
    found, names = extended(declared, [(f"tangent_{a.name}", "real", a.axes) for a in inputs])
    return found, {dot: a.name for dot, a in zip(names, inputs, strict=True)}


def split(
    given: Mapping[str, Any], dots: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments that are not among some, and these by the names of their inputs."""
    inner = {k: v for k, v in given.items() if k not in dots}
    return inner, {name: given[dot] for dot, name in dots.items()}


def extended(
    declared: Declared, more: Sequence[tuple[str, str, Sequence[Axis]]]
) -> tuple[Declared, list[str]]:
    """With more arguments, by names that are not taken, at the sizes that are fixed."""
    found, names = copy(declared), list[str]()
    for wanted, kind, axes in more:
        names.append(unused(found, wanted))
        found.arguments += (Argument(names[-1], kind, at_fixed(declared, axes)),)
    return found, names


def at_fixed(declared: Declared, axes: Sequence[Axis]) -> tuple[Axis, ...]:
    known: dict[Term, Term] = {Sym(name): as_term(n) for name, n in declared.fixed.items()}
    factors = ([simple(substituted(f, known)) for f in axis] for axis in axes)
    return tuple(tuple(f for f in axis if f != 1) for axis in factors)


def unused(declared: Declared, wanted: str) -> str:
    taken = {a.name for a in declared.arguments} | set(declared.symbols)
    while wanted in taken:
        wanted += "_"
    return wanted
