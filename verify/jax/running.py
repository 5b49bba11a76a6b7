"""The user's code on numbers, and the trace of it. Untrusted."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gradproof.jax import cells, control, indexing, shapes, windows
from gradproof.jax.reader import Reader
from gradproof.jax.sizes import LIBRARY, Sizes, is_users
from gradproof.language import terms as t
from gradproof.tracing import sums
from gradproof.tracing.declared import Argument, Declared
from gradproof.tracing.definition import Traced, input_tensor, output_name
from gradproof.tracing.tensors import Tensor, Unreadable, constant

READ = (cells, shapes, indexing, windows, control)  # which fill the table of rules
DTYPES = {"boolean": "bool", "integer": "int64"}
CHOICE = "a choice of Python's by values of an array; write jnp.where, or lax.cond"
DIFFERS = "under differentiation the function gives another result, of its fwd or jvp"
FAST = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
SIZE = (
    "a size as a number of Python's; write jnp.sqrt(n) for math.sqrt(n), n // 2 for int(n / 2), "
    "and a sum or lax.scan for a loop over range(n)"
)
ANSWERS: dict[str, str] = {
    "TracerBoolConversionError": CHOICE,
    "ConcretizationTypeError": CHOICE,
    "TracerIntegerConversionError": "an index of Python's that is data; use an array's x[index]",
    "TracerArrayConversionError": "a function of NumPy's on an array of JAX; use jnp's",
    "NonConcreteBooleanIndexError": "indexing by a mask, whose size is data; use jnp.where",
    "InconclusiveDimensionOperation": SIZE,
}


class JaxCode:
    """A function of JAX, with what is said of its arguments."""

    def __init__(self, function: Any, declared: Declared, name: str = "") -> None:
        self.function = function
        self.declared = declared
        self.name = name or getattr(function, "__name__", type(function).__name__)
        self.call = callable_of(function, [a.name for a in declared.arguments])
        self.compiled: dict[str, Any] = {}
        self.differentiable = [a.name for a in declared.arguments if a.kind == "real"]

    def others(self) -> Iterator[tuple[str, JaxCode]]:
        return iter(())

    def arrays(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the code takes them."""
        return {
            a.name: jnp.asarray(values[a.name], DTYPES.get(a.kind, "float64"))
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
        return dict(self.by_name(found))

    def results(self, values: Mapping[str, Any], cotangent: Any = None) -> tuple[Any, Any, Any]:
        """What the function gives, by itself and under its rule, and the gradients."""
        with jax.enable_x64(True):
            given = self.arrays(values)
            fixed = {k: v for k, v in given.items() if not isinstance(v, jax.Array)}
            arrays = {k: v for k, v in given.items() if k not in fixed}
            run = self.compiled.setdefault(
                repr(fixed), jax.jit(self.whole(fixed), compiler_options=FAST)
            )
            shape = jax.eval_shape(lambda some: one(self.call({**given, **some})), arrays)
            seed = jnp.zeros(()) if cotangent is None else jnp.asarray(cotangent)
            full = jnp.broadcast_to(seed.astype(shape.dtype), shape.shape)
            y, again, found = run(arrays, np.asarray(full))
            return tuple(jax.tree.map(lambda v: np.asarray(v, dtype=float), (y, again, found)))

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
        while True:
            try:
                sizes = Sizes(hints, (*self.declared.of_sizes, *known))
            except Exception as reason:
                raise Unreadable(f"JAX does not take what is required: {reason}") from reason
            try:
                traced = self.traced(sizes, known)
            except Unreadable:
                if set(sizes.equal) <= set(known):
                    raise
                traced = None
            if traced is not None and set(sizes.equal) <= set(known):
                return traced
            known = tuple(dict.fromkeys((*known, *sizes.equal)))

    def traced(self, sizes: Sizes, known: tuple[t.Term, ...]) -> Traced:
        with jax.enable_x64(True), sizes.watching():
            try:
                given, arguments = self.placeholders(sizes)
                forward, backward, shape = self.jaxprs(given)
            except Unreadable:
                raise
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
        found = reader.run(backward.jaxpr, backward.consts, [*arguments, seed])
        guards = tuple(dict.fromkeys((*sizes.guards, *known)))
        return Traced(output, dict(self.by_name(found)), guards, single or reader.single)

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


def refusal(reason: Exception) -> str:
    """Why JAX could not trace the code, and the line of it."""
    said = next((v for k, v in ANSWERS.items() if k in names_of(type(reason))), None)
    words = str(reason).strip().splitlines()
    said = SIZE if said is None and "_DimExpr" in str(reason) else said
    own = f"{type(reason).__name__}: {words[0] if words else ''}"
    found = traceback.extract_tb(reason.__traceback__)
    frames = [f for f in found if is_users(f.filename) and not is_python_s(f.filename)]
    where = f"{frames[-1].filename}:{frames[-1].lineno}: `{frames[-1].line}`: " if frames else ""
    if "nondiff_argnums" in str(reason):
        said = (
            "a real number at nondiff_argnums, where the code takes one of Python's; pass a number"
        )
    if said is None:
        return f"the code itself fails: {where}{own}"
    return f"{where}{said} ({own})"


def is_python_s(filename: str) -> bool:
    return filename.startswith(LIBRARY) and "site-packages" not in filename


def names_of(kind: type) -> list[str]:
    return [k.__name__ for k in kind.__mro__]


def one(result: Any) -> Any:
    """The output, of code that has one."""
    found = [r for r in jax.tree.leaves(result) if jnp.issubdtype(jnp.result_type(r), jnp.floating)]
    if len(found) != 1:
        said = f"code with {len(found)} outputs; check them one by one"
        raise Unreadable(f"{said}, as in lambda x: f(x)[0]")
    return found[0]


def callable_of(function: Any, names: list[str]) -> Callable[[dict[str, Any]], Any]:
    """The code as a function of arguments by name, in the order of its signature."""
    try:
        own = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return lambda given: function(*given.values())
    known = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not set(names) <= set(known):
        return lambda given: function(*given.values())
    missing = [p.name for p in own if p.default is p.empty and p.name not in names]
    if missing:
        said = f"say what {missing[0]} is: a shape, as in {missing[0]}=('N', 'C'), or a value"
        raise TypeError(said)
    defaults = {p.name: p.default for p in own}
    return lambda given: function(*(given.get(k, defaults[k]) for k in known))
