"""The user's code on numbers, and the trace of it. Untrusted."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gradproof.jax import (
    cells,
    choosing,
    control,
    indexing,
    loops,
    prefixes,
    shapes,
    stepping,
    windows,
)
from gradproof.jax import sizes as sizes_of
from gradproof.jax.calling import callable_of, floating, one
from gradproof.jax.noting import done
from gradproof.jax.precision import as_reals, enable_x64
from gradproof.jax.reader import Reader
from gradproof.jax.refusing import met, refusal, require_unasked
from gradproof.jax.sizes import Sizes
from gradproof.language import terms as t
from gradproof.tracing import sums
from gradproof.tracing.arising import Done
from gradproof.tracing.declared import Argument, Declared
from gradproof.tracing.definition import Traced, input_tensor, output_name
from gradproof.tracing.outputs import combined
from gradproof.tracing.paths import followed, of_user, require_same_ways
from gradproof.tracing.pieces import sizes_in
from gradproof.tracing.points import drawn, shape_at
from gradproof.tracing.tensors import Tensor, Unreadable, constant, reading

READ = (
    cells,
    choosing,
    shapes,
    indexing,
    windows,
    control,
    loops,
    prefixes,
)  # which fill the table of rules
DTYPES = {"boolean": "bool", "integer": "int64"}
DIFFERS = "under differentiation the function gives another result, of its fwd or jvp"
EAGERLY = "run step by step, not compiled, the function gives another result or gradient"
Values = Mapping[str, Any]
Results = tuple[Any, Any, Any]  # the output, it again where it is differentiated, the gradients
Stepped = tuple[Values, Any, Results]  # at which values, and by which cotangent


class JaxCode:
    """A function of JAX, with what is said of its arguments."""

    def __init__(self, function: Any, declared: Declared, name: str = "") -> None:
        self.function = function
        self.functions = (function,)
        self.declared = self.said = declared
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self.call = callable_of(function, [a.name for a in declared.arguments])
        self.compiled: dict[str, Any] = {}
        self.watched = set[str]()  # at which shapes its lines were run where they are watched
        self.asks = False  # whether a rule may ask what is differentiated
        self.stepped: list[Stepped] = []  # what is to be the same where it is compiled
        self.low = set[str]()  # types of less than float32 in which it computes
        self.shapes: dict[str, Any] = {}  # of the output
        self.dtype = "float64"  # of real numbers, where it is run
        self.differentiable = declared.differentiable
        if len(found := self.outputs()) > 1:
            self.call, self.declared = combined(self.call, declared, found, floating)

    def others(self) -> Iterator[tuple[str, JaxCode]]:
        """Where it is differentiated by fewer inputs, if a rule may ask by which it is."""
        names = self.differentiable if self.asks else []
        for count in range(len(names) - 1, 0, -1):
            for some in combinations(names, count):
                other = JaxCode(self.function, self.said.by(some), self.name)
                yield f"differentiated by {', '.join(some)} alone:", other

    def at(self, sizes: Mapping[str, int]) -> JaxCode:
        return JaxCode(self.function, self.said.at(sizes), self.name)

    def backwards(self) -> Iterator[tuple[Any, ...]]:
        rule, left_out = (getattr(self.function, k, None) for k in ("bwd", "nondiff_argnums"))
        with suppress(TypeError, ValueError):
            own = list(inspect.signature(self.function).parameters)
            if rule is not None:
                yield rule, [name for k, name in enumerate(own) if k not in (left_out or ())]

    def precise(self, dtype: str) -> JaxCode:
        other = copy(self)
        other.watched, other.stepped = set(), []
        if dtype != self.dtype:
            other.dtype, other.compiled, other.shapes = dtype, {}, {}
        return other

    def outputs(self) -> list[tuple[t.Term, ...]]:
        """The shapes of its outputs that are differentiated; none where it cannot be run."""
        try:
            hints = sizes_in(self.declared, ()) or {}
            sizes = Sizes(hints, self.declared.of_sizes)
            with enable_x64(True), sizes.watching(), prefixes.at_all_sizes():
                given, _ = self.placeholders(sizes)
                names = [k for k, v in given.items() if isinstance(v, jax.ShapeDtypeStruct)]
                shapes_ = {k: given.pop(k) for k in names}
                order = [a.name for a in self.declared.arguments]

                def run(arrays: Mapping[str, Any]) -> Any:
                    known = {**given, **arrays}
                    return floating(self.call({k: known[k] for k in order}))

                return [tuple(map(sizes.term, y.shape)) for y in jax.eval_shape(run, shapes_)]
        except (Exception, Unreadable):
            return []

    def arrays(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the code takes them."""
        return {
            a.name: jnp.asarray(values[a.name], DTYPES.get(a.kind, self.dtype))
            if a.is_array
            else values[a.name]
            for a in self.declared.arguments
        }

    def run(self, values: Mapping[str, Any]) -> Any:
        return self.results(values)[0]

    def gradients(self, values: Mapping[str, Any], cotangent: Any) -> dict[str, Any]:
        y, again, found = self.results(values, cotangent)
        if not np.allclose(y, again, equal_nan=True):
            raise ValueError(f"{DIFFERS}: {again.tolist()}, not {y.tolist()}")
        while self.stepped:
            self.require_as_stepped(*self.stepped.pop())
        return dict(self.by_name(found))

    def require_as_stepped(self, values: Values, cotangent: Any, stepped: Results) -> None:
        """That what was run step by step gives the same where it is compiled."""
        (y, _, found), (plain, _, own) = self.results(values, cotangent), stepped
        near = (0.1, 0.1) if self.low else (1e-4, 1e-6)
        pairs = zip((y, *found), (plain, *own), strict=True)
        if not all(np.allclose(a, b, *near, equal_nan=True) for a, b in pairs):
            raise ValueError(EAGERLY)

    def results(self, values: Mapping[str, Any], cotangent: Any = None) -> Results:
        """What the function gives, by itself and under its rule, and the gradients."""
        with enable_x64(self.dtype == "float64"):
            key, fixed, arrays, shape = self.prepared(values)
            seed = np.asarray(0.0 if cotangent is None else cotangent, dtype=self.dtype)
            run = self.whole(fixed)
            if sys.gettrace() is not None and key not in self.watched:
                self.watched.add(key)
                stepping.lines_run(run, arrays, jax.ShapeDtypeStruct(shape.shape, shape.dtype))
            compiled = jax.jit(
                as_reals(run, shape.dtype, self.low), compiler_options=stepping.quickly()
            )
            found = self.compiled.setdefault(repr(fixed), compiled)
            return stepping.as_floats(found(arrays, np.broadcast_to(seed, shape.shape)))

    def step_by_step(self, values: Mapping[str, Any]) -> Stepped:
        """The same, not compiled, by a cotangent that is drawn."""
        with enable_x64(self.dtype == "float64"):
            _, fixed, arrays, shape = self.prepared(values)
            seed = np.random.default_rng(4).normal(size=shape.shape)
            found = self.whole(fixed)(arrays, np.asarray(jnp.asarray(seed, shape.dtype)))
            return values, seed, stepping.as_floats(found)

    def prepared(self, values: Mapping[str, Any]) -> tuple[str, dict[str, Any], Any, Any]:
        """What is given beside arrays, these, and the shape of the output; with a key to all."""
        given = self.arrays(values)
        fixed = {k: v for k, v in given.items() if not isinstance(v, jax.Array)}
        arrays = {k: v for k, v in given.items() if k not in fixed}
        key = repr((fixed, {k: v.shape for k, v in arrays.items()}))
        if key not in self.shapes:
            self.shapes[key] = jax.eval_shape(
                lambda some: one(self.call({**given, **some})), arrays
            )
        return key, fixed, arrays, self.shapes[key]

    def done(self, values: Mapping[str, Any], cotangent: Any) -> list[Done]:
        """What each operation of the function and its gradient gives."""
        with enable_x64(self.dtype == "float64"):
            _, fixed, arrays, shape = self.prepared(values)
            seed = jnp.broadcast_to(jnp.asarray(cotangent, shape.dtype), shape.shape)

            def run(arrays: Mapping[str, Any], seed: Any) -> Any:
                return self.whole(fixed)(arrays, seed)[1:]

            return done(run, stepping.FAST, arrays, seed)

    def whole(self, fixed: Mapping[str, Any]) -> Callable[..., Any]:
        """All that is asked of the code, as one function of arrays."""

        def run(arrays: Mapping[str, Any], seed: Any) -> Any:
            given = {a.name: {**fixed, **arrays}[a.name] for a in self.declared.arguments}
            again, pull = jax.vjp(self.of_differentiable(given), *self.inputs(given))
            return one(self.call(given)), again, pull(seed)

        return run

    def by_name(self, found: Any) -> Iterator[tuple[str, Any]]:
        return zip(self.differentiable, found, strict=True)

    def inputs(self, given: Mapping[str, Any]) -> list[Any]:
        return [given[name] for name in self.differentiable]

    def of_differentiable(self, given: Mapping[str, Any]) -> Callable[..., Any]:
        """The code as a function of what it is differentiated by."""

        def function(*some: Any) -> Any:
            return one(self.call({**given, **dict(self.by_name(some))}))

        return function

    def trace(self, hints: Mapping[Any, Any]) -> Traced:
        """The code on arrays whose sizes are symbols; again if it asked whether some are equal."""
        known: tuple[t.Term, ...] = ()
        is_users = of_user(self.function, lambda file: not sizes_of.is_users(file))
        runs = stepping.traced_at(self, hints, is_users), stepping.run_at(self, hints, is_users)
        while True:
            try:
                sizes = Sizes(hints, (*self.declared.of_sizes, *known))
            except Exception as reason:
                raise Unreadable(f"JAX does not take what is required: {reason}") from reason
            try:
                with followed(is_users, met) as read:
                    traced = self.traced(sizes, known)
                require_same_ways(read, *runs)
                require_unasked(read)
            except Unreadable:
                if set(sizes.equal) <= set(known):
                    raise
                traced = None
            if traced is not None and set(sizes.equal) <= set(known):
                return traced
            known = tuple(dict.fromkeys((*known, *sizes.equal)))

    def traced(self, sizes: Sizes, known: tuple[t.Term, ...]) -> Traced:
        with enable_x64(True), sizes.watching(), prefixes.at_all_sizes():
            try:
                with reading():
                    given, arguments = self.placeholders(sizes)
                    forward, backward, shape = self.jaxprs(given)
            except Exception as reason:
                raise Unreadable(refusal(reason)) from reason
            single = shape.dtype != jnp.float64
        reader = Reader(sizes, (*self.declared.of_sizes, *known), sums.Names())
        (output,) = reader.run(forward.jaxpr, forward.consts, arguments)
        made = t.Array(
            f"{output_name(self.declared)}_bar",
            output.factors,
            "cotangent",
            output_name(self.declared),
        )
        seed = Tensor(output.axes, lambda place: made[place])
        forward_loops, reader.loops = tuple(reader.loops), []
        found = reader.run(backward.jaxpr, backward.consts, [*arguments, seed])
        guards = tuple(dict.fromkeys((*sizes.guards, *known)))
        single |= reader.single
        self.asks |= reader.asks
        gradients = dict(self.by_name(found))
        return Traced(output, gradients, guards, single, forward_loops, tuple(reader.loops))

    def numbers(self, hints: Mapping[Any, Any]) -> dict[str, Any]:
        """Arguments by name, of sizes that are numbers; those that are arrays as shapes."""
        found = drawn(self.declared, hints, np.random.default_rng(3)).values
        for a in self.declared.arguments:
            if a.kind not in ("given", "size"):
                kind = DTYPES.get(a.kind, "float64")
                found[a.name] = jax.ShapeDtypeStruct(shape_at(a, hints), kind)
        return found

    def placeholders(self, sizes: Sizes) -> tuple[dict[str, Any], list[Tensor]]:
        """Arguments by name, those that are arrays or real numbers as shapes; these as terms."""
        given: dict[str, Any] = {}
        terms: list[Tensor] = []
        for a in self.declared.arguments:
            if a.kind == "given":
                given[a.name] = a.value
            elif a.kind == "size":
                assert a.term is not None
                given[a.name] = sizes.number(a.term)
            else:
                shape = [sizes.number(d) for d in a.shape]
                given[a.name] = jax.ShapeDtypeStruct(shape, DTYPES.get(a.kind, "float64"))
                terms.append(input_of(a))
        return given, terms

    def jaxprs(self, given: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """The function itself, and what its rule gives, of the arrays and of a cotangent."""
        names = [k for k, v in given.items() if isinstance(v, jax.ShapeDtypeStruct)]
        shapes_ = [given[k] for k in names]

        def forward(*arrays: Any) -> Any:
            return one(self.call({**given, **dict(zip(names, arrays, strict=True))}))

        def backward(*arrays: Any) -> Any:
            *arrays_, seed = arrays
            known = {**given, **dict(zip(names, arrays_, strict=True))}
            _, pull = jax.vjp(self.of_differentiable(known), *self.inputs(known))
            return pull(seed)

        first, shape = jax.make_jaxpr(forward, return_shape=True)(*shapes_)
        seed = jax.ShapeDtypeStruct(shape.shape, shape.dtype)
        return first, jax.make_jaxpr(backward)(*shapes_, seed), shape


def input_of(a: Argument) -> Tensor:
    if a.kind == "number":
        assert a.term is not None
        return constant(a.term)
    return input_tensor(a)
