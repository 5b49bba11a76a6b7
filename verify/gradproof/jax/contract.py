"""What is owed of a function of JAX beside its gradient. Deciding.

The JVP of a `custom_jvp` is asked where there is one; second derivatives, which JAX makes of each
backward, are tried where a rule is hand-written, and proved if asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from gradproof.jax.calling import one
from gradproof.jax.running import JaxCode
from gradproof.tracing.axes import Axis
from gradproof.tracing.contract import ORDERS, Promise
from gradproof.tracing.declared import Declared
from gradproof.tracing.derived import PUSHED, SECOND, UNPUSHED, extended, split, tangents_of
from gradproof.tracing.pieces import sizes_in
from gradproof.tracing.reports import Words

Given = Mapping[str, Any]
Made = tuple[Declared, Callable[[Given], Any], Words]


class Derived(JaxCode):
    """A function that is made of the user's, whose gradient is what JAX gives of it."""

    def __init__(self, base: JaxCode, make: Callable[[JaxCode], Made]) -> None:
        vars(self).update(vars(base))
        self.base, self.make = base, make
        self.declared, self.call, self.words = make(base)
        self.said = self.declared
        self.differentiable = self.declared.differentiable
        self.compiled, self.shapes = {}, {}

    def at(self, sizes: Mapping[str, int]) -> JaxCode:
        return Derived(self.base.at(sizes), self.make)


def promised(code: JaxCode, shape: tuple[Axis, ...], order: int) -> Iterator[Promise]:
    rules = rules_in(code)
    pushes = "custom_jvp_call" in rules
    if pushes:  # of which JAX makes the backward, all but what it adds to each tangent
        yield Promise("JVP", lambda: iter([Derived(code, unpushed)]))
    if rules and order == 1:
        yield Promise(ORDERS[2], partial(gradients_of, code, shape, 2), decides=False, tried=True)
    for number in range(2, order + 1):
        name = ORDERS.get(number, f"order {number}")
        yield Promise(name, partial(gradients_of, code, shape, number), demanded=True)
        if pushes and number == 2:
            yield Promise(f"{name}, forward mode", partial(forward_modes, code, shape))


def rules_in(code: JaxCode) -> set[str]:
    """The kinds of hand-written rules that the code has."""
    found: set[str] = set()
    with suppress(Exception), jax.enable_x64(True):
        given = code.numbers(sizes_in(code.declared, ()) or {})
        forward, _, _ = code.jaxprs(given)
        waiting: list[Any] = [forward.jaxpr]
        while waiting:
            for equation in waiting.pop().eqns:
                if equation.primitive.name.startswith("custom_"):
                    found.add(equation.primitive.name)
                waiting += jax.core.jaxprs_in_params(equation.params)
    return found


def gradients_of(code: JaxCode, shape: Sequence[Axis], order: int) -> Iterator[JaxCode]:
    """The gradients by each input that are to be differentiated once more."""
    for a in code.declared.arguments:
        if a.kind == "real":
            found = Derived(code, partial(gradient_of, a.name, shape))
            yield from [found] if order == 2 else gradients_of(found, a.axes, order - 1)


def forward_modes(code: JaxCode, shape: Sequence[Axis]) -> Iterator[JaxCode]:
    """Backwards that are differentiated in forward mode, and JVPs in both modes."""
    for found in gradients_of(code, shape, 2):
        yield Derived(found, pushed)
    tangent = Derived(code, pushing)
    yield tangent
    yield Derived(tangent, pushed)


def gradient_of(name: str, shape: Sequence[Axis], base: JaxCode) -> Made:
    """The gradient by an input, as a function of all inputs and of the cotangent."""
    declared, (seed,) = extended(base.declared, [("grad_output", "real", shape)])

    def value(given: Given) -> Any:
        inner = {k: v for k, v in given.items() if k != seed}
        _, pull = jax.vjp(base.of_differentiable(inner), *base.inputs(inner))
        return dict(base.by_name(pull(given[seed])))[name]

    return declared, value, SECOND


def pushed(base: JaxCode) -> Made:
    """The JVP as a function of tangents, whose gradient is to be what the backward gives."""
    declared, dots = tangents_of(base.declared.by(()), base.declared)

    def value(given: Given) -> Any:
        inner, tangents = split(given, dots)

        @jax.custom_vjp  # type: ignore[untyped-decorator]  # as JAX leaves it
        def push(some: Any, along_: Any) -> Any:
            return along(base, {**inner, **some}, along_)

        def back(some: Any, seed: Any) -> Any:
            whole = {**inner, **some}
            _, pull = jax.vjp(base.of_differentiable(whole), *base.inputs(whole))
            return {k: jnp.zeros_like(v) for k, v in some.items()}, dict(base.by_name(pull(seed)))

        push.defvjp(lambda some, dots_: (push(some, dots_), some), back)
        return push({k: inner[k] for k in tangents}, tangents)

    return declared, value, PUSHED


def unpushed(base: JaxCode) -> Made:
    """The JVP of no tangent, times a number by which it is not to change: it is 0."""
    declared, (factor,) = extended(base.declared.by(()), [("factor", "real", ())])

    def value(given: Given) -> Any:
        inner, _ = split(given, {factor: ""})

        @jax.custom_vjp  # type: ignore[untyped-decorator]  # as JAX leaves it
        def push(some: Any, share: Any) -> Any:
            none = {k: jnp.zeros_like(v) for k, v in some.items()}
            return share * along(base, {**inner, **some}, none)

        push.defvjp(
            lambda some, share: (push(some, share), some),
            lambda some, seed: ({k: jnp.zeros_like(v) for k, v in some.items()}, jnp.zeros(())),
        )
        return push({k: inner[k] for k in base.differentiable}, given[factor])

    return declared, value, UNPUSHED


def pushing(base: JaxCode) -> Made:
    """The JVP, a function of inputs and tangents that is differentiated."""
    declared, dots = tangents_of(base.declared, base.declared)
    return declared, lambda given: along(base, *split(given, dots)), SECOND


def along(base: JaxCode, given: Given, tangents: Given) -> Any:
    names = base.differentiable
    _, found = jax.jvp(
        lambda *some: one(base.call({**given, **dict(base.by_name(some))})),
        [given[name] for name in names],
        [tangents[name] for name in names],
    )
    return found
