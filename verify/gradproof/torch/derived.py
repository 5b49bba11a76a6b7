"""Functions that are derived of a user's: its JVP, an example of a batch, its gradient. Deciding.

Each is code whose gradient is to be the derivative of its value, as the user's own is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

import torch
from torch.autograd import forward_ad

from gradproof.language import terms as t
from gradproof.language.terms import Sym
from gradproof.torch.calling import one
from gradproof.torch.needs import NAME
from gradproof.torch.running import TorchCode
from gradproof.tracing.axes import Axis
from gradproof.tracing.declared import Argument, Declared
from gradproof.tracing.derived import (
    PUSHED,
    SECOND,
    UNPUSHED,
    extended,
    split,
    tangents_of,
    unused,
)
from gradproof.tracing.reports import GRADIENT, Words
from gradproof.tracing.tensors import Unreadable

Given = Mapping[str, Any]
Value = Callable[[Given], Any]
Rule = Callable[[Given, Any, Any], dict[str, Any]]

ASKS = "a JVP of code that asks what needs a gradient, needs_input_grad or requires_grad"
FORBIDDEN = "torch::autograd::Error"
ONCE = "a backward is once_differentiable, so there is none; at another input it may count as 0"

BATCHED = Words(
    "by {at}, one example of the batch by itself gives {value}",
    "vmap gives {value}",
)


@dataclass(frozen=True)
class Made:
    """A derived function: its arguments, its value, and its gradient where that is by a rule."""

    declared: Declared
    value: Value
    words: Words
    rule: Rule | None = None


class Derived(TorchCode):
    """A function that is made of the user's; its gradient is autograd's, or by a rule."""

    def __init__(self, base: TorchCode, make: Callable[[TorchCode], Made]) -> None:
        vars(self).update(vars(base))
        self.base, self.make = base, make
        self.made = make(base)
        self.declared = self.made.declared
        self.call = self.made.value
        self.words = self.made.words
        self.differentiable = self.declared.differentiable
        self.asked = []

    def others(self) -> Iterator[tuple[str, TorchCode]]:
        if NAME in self.asked and self.make in (pushed, unpushed):
            raise Unreadable(ASKS)
        return iter(())

    def at(self, sizes: Mapping[str, int]) -> TorchCode:
        return Derived(self.base.at(sizes), self.make)

    def back(self, given: Given, y: Any, seed: Any) -> Sequence[Any]:
        with torch.enable_grad():
            if self.made.rule is not None:
                found = self.made.rule(given, y, seed)
                return [found.get(name) for name in self.differentiable]
            if not y.requires_grad:
                return [None for _ in self.differentiable]
            require_twice(y)
            return super().back(given, y, seed)


def gradient_of(name: str, shape: Sequence[Axis]) -> Callable[[TorchCode], Made]:
    """The gradient by an input, as a function of all inputs and of the cotangent."""

    def make(base: TorchCode) -> Made:
        declared, (seed,) = extended(base.declared, [("grad_output", "real", shape)])

        def value(given: Given) -> Any:
            with torch.enable_grad():
                inner = {k: live(v) if k in base.differentiable else v for k, v in given.items()}
                g, x = inner.pop(seed), inner[name]
                (found,) = torch.autograd.grad(
                    one(base.call(inner)), x, g, create_graph=True, allow_unused=True
                )
                return torch.zeros_like(x) if found is None else found

        return Made(declared, value, SECOND)

    return make


def graphed(base: TorchCode) -> Made:
    """The gradient as it is where it is to be differentiated again, of which code can ask."""

    def rule(given: Given, y: Any, seed: Any) -> dict[str, Any]:
        inputs = [given[name] for name in base.differentiable]
        found = torch.autograd.grad(y, inputs, seed, create_graph=True, allow_unused=True)
        return dict(zip(base.differentiable, found, strict=True))

    def value(given: Given) -> Any:
        with torch.enable_grad():
            return one(base.call(dict(given)))

    return Made(base.declared, value, GRADIENT, rule)


def pushed(base: TorchCode) -> Made:
    """The JVP as a function of tangents, whose gradient is to be what the backward gives.

    Inputs are constants of it, so that both are compared at ties, too.
    """
    declared, dots = tangents_of(base.declared.by(()), base.declared)

    def value(given: Given) -> Any:
        return along(base, *split(given, dots))

    def rule(given: Given, y: Any, seed: Any) -> dict[str, Any]:
        inner, tangents = split(given, dots)
        inner |= {name: live(inner[name]) for name in tangents}
        found = base.back(inner, one(base.call(inner)), seed)
        return dict(zip(dots, found, strict=True))

    return Made(declared, value, PUSHED, rule)


def unpushed(base: TorchCode) -> Made:
    """The JVP of no tangent, times a number by which it is not to change: it is 0."""
    declared, (factor,) = extended(base.declared.by(()), [("factor", "real", ())])

    def value(given: Given) -> Any:
        inner, _ = split(given, {factor: ""})
        none = {name: torch.zeros_like(inner[name]) for name in base.differentiable}
        return given[factor] * along(base, inner, none)

    return Made(declared, value, UNPUSHED, lambda given, y, seed: {})


def pushing(base: TorchCode) -> Made:
    """The JVP, a function of inputs and tangents that is differentiated."""
    declared, dots = tangents_of(base.declared, base.declared)
    return Made(declared, lambda given: along(base, *split(given, dots)), SECOND)


def along(base: TorchCode, given: Given, tangents: Given) -> Any:
    """What forward mode gives."""
    load_forward_mode()
    with torch.enable_grad(), forward_ad.dual_level():
        duals = {
            k: forward_ad.make_dual(live(v), tangents[k]) if k in tangents else v
            for k, v in given.items()
        }
        y = one(base.call(duals))
        found = forward_ad.unpack_dual(y).tangent
        return torch.zeros_like(y) if found is None or found._is_zerotensor() else found


@cache
def load_forward_mode() -> None:
    """What PyTorch loads at its first use, with warnings that are its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_module("torch._decomp.decompositions_for_jvp")


def batched(places: Mapping[str, int], shape: Sequence[Axis]) -> Callable[[TorchCode], Made]:
    """An example of a batch: its value by itself, and the gradient that vmap gives of it.

    The batch is an axis of some arguments, the first or the last (-1). The value is multiplied by
    an array of its own, of which the gradient is the value that vmap gives.
    """

    def make(base: TorchCode) -> Made:
        said = base.declared
        batch, example = (Sym(unused(said, name)) for name in ("B", "b"))
        declared = copy(said)
        declared.arguments = tuple(
            replace(a, axes=widened(a.axes, (batch,), places[a.name])) if a.name in places else a
            for a in said.arguments
        )
        declared.symbols = {**said.symbols, batch.name: batch, example.name: example}
        declared.requires = (
            t.relation(t.Ge, batch, 1),
            *said.requires,
            t.relation(t.Ge, example, 0),
            t.relation(t.Lt, example, batch),
        )
        declared, (factor,) = extended(declared, [("factor", "real", shape)])
        declared.arguments += (Argument(example.name, "size", term=example),)
        own = [a.name for a in said.arguments]

        def value(given: Given) -> Any:
            k = given[example.name]
            inner = {n: chosen(given[n], places.get(n), k) for n in own}
            return given[factor] * one(base.call(inner))

        def rule(given: Given, y: Any, seed: Any) -> dict[str, Any]:
            inner = {n: live(given[n]) if n in base.differentiable else given[n] for n in own}
            arrays = [n for n in own if isinstance(inner[n], torch.Tensor)]

            def function(*some: Any) -> Any:
                return one(base.call({**inner, **dict(zip(arrays, some, strict=True))}))

            over = tuple(places.get(n) for n in arrays)
            whole = torch.vmap(function, in_dims=over)(*(inner[n] for n in arrays))
            z = whole.select(0, given[example.name])
            inputs = [inner[n] for n in base.differentiable]
            found = torch.autograd.grad(z, inputs, seed * given[factor], allow_unused=True)
            return {**dict(zip(base.differentiable, found, strict=True)), factor: seed * z}

        return Made(declared, value, BATCHED, rule)

    return make


def chosen(value: Any, axis: int | None, number: Any) -> Any:
    return value if axis is None else value.select(axis, number)


def widened(axes: tuple[Axis, ...], more: Axis, place: int) -> tuple[Axis, ...]:
    return (*axes[:place], more, *axes[place:]) if place >= 0 else (*axes, more)


def nodes(y: Any) -> Iterator[Any]:
    """The steps of a backward."""
    waiting, seen = [y.grad_fn], set[Any]()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [other for other, _ in node.next_functions]
            yield node


def require_twice(y: Any) -> None:
    """That nothing forbids to differentiate it: the engine tells only where it gets there."""
    if any(node.name() == FORBIDDEN for node in nodes(y)):
        raise NotImplementedError(ONCE)


def live(value: Any) -> Any:
    """A tensor of which a gradient can be asked."""
    return value if value.requires_grad else value.detach().requires_grad_()
