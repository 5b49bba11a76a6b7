"""Reads a jaxpr: each of its variables as a traced tensor, by a rule per primitive. Untrusted."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
from jax import dtypes
from jax.extend.core import Literal
from jax.extend.source_info_util import summarize

from gradproof.jax.sizes import Sizes, is_users
from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Sym, Term
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import layout, reals, sums
from gradproof.tracing.lines import at
from gradproof.tracing.operations import cast
from gradproof.tracing.recurrences import Loop
from gradproof.tracing.tensors import Tensor, Unreadable, constant, truth

RULES: dict[str, Callable[..., Any]] = {}
FEW = 16
NARROW = {"int4", "uint4", "int8", "uint8", "int16", "uint16", "uint32", "uint64"}
# What is about speed, where it is computed, or what results are, which is seen of these.
NEUTRAL = {"accuracy", "precision", "preferred_element_type", "weak_type", "dtype", "index_dtype"}
NEUTRAL |= {"sharding", "out_sharding", "indices_are_sorted", "unique_indices", "name", "shape"}
NEUTRAL |= {"in_shardings", "out_shardings", "in_layouts", "out_layouts", "ctx_mesh", "inline"}
NEUTRAL |= {"donated_invars", "keep_unused", "compiler_options_kvs", "unroll", "linear"}
NEUTRAL |= {"prevent_cse", "differentiated", "policy", "new_dtype", "new_sizes", "slice_sizes"}
NEUTRAL |= {"limit_indices", "num_consts", "out_trees", "jvp_jaxpr_fun", "jvp_jaxpr_thunk", "bwd"}
NEUTRAL |= {
    "fwd_jaxpr_thunk",
    "memory_space",
    "mode",
    "fill_value",
}  # of a read; that it is in bounds is asked
ALTERNATIVE = "write it in sums, products, comparisons, jnp.where, exp and log"


def rule(*names: str) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


def sort_of(dtype: Any) -> str:
    kind = np.dtype(dtype).kind if not str(dtype).startswith("bfloat") else "f"
    if kind == "c":
        raise Unreadable("complex numbers; write their parts")
    return {"b": BOOL, "i": INT, "u": INT}.get(kind, REAL)


class Told(dict[str, Any]):
    """What an equation is told, and what of it was read."""

    def __init__(self, params: dict[str, Any]) -> None:
        super().__init__(params)
        self.rest = {*params} - NEUTRAL

    def within(self, equation: Any) -> Any:
        """The equation, told so."""
        known = {k: getattr(equation, k) for k in ("primitive", "invars", "outvars")}
        return SimpleNamespace(params=self, **known)

    def __getitem__(self, name: str) -> Any:
        self.rest.discard(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.rest.discard(name)
        return super().get(name, default)

    def require_read(self) -> None:
        """That all that is said was read, but what says nothing."""
        for name in sorted(self.rest):
            if self[name] not in (None, False, ()):
                raise Unreadable(f"its argument {name}={self[name]} is not read")


class Reader:
    """What every equation of a jaxpr gives, as terms."""

    def __init__(self, sizes: Sizes, given: Sequence[Term], names: sums.Names) -> None:
        self.sizes = sizes
        self.given = tuple(given)
        self.names = names
        self.single = False  # whether anything was computed in less than float64
        self.loops: list[Loop] = []  # whose turns read the turn before
        self.asks = False  # whether a rule may ask what is differentiated

    def run(
        self,
        jaxpr: Any,
        consts: Sequence[Any],
        inputs: Sequence[Tensor],
        named: dict[Any, Tensor] | None = None,
    ) -> list[Tensor]:
        """What a jaxpr gives. What it computes of variables that are `named` is put there instead,
        and read by the name that was there."""
        known: dict[Any, Tensor] = {}
        known.update(zip(jaxpr.constvars, map(self.captured, consts), strict=True))
        known.update(zip(jaxpr.invars, inputs, strict=True))

        def value(atom: Any) -> Tensor:
            return literal(atom.val) if isinstance(atom, Literal) else known[atom]

        for equation in jaxpr.eqns:
            found = self.apply(equation, [value(a) for a in equation.invars])
            known.update(zip(equation.outvars, found, strict=True))
            for v in {*equation.outvars}.intersection(named or ()):
                assert named is not None
                known[v], named[v] = named[v], known[v]
        return [value(a) for a in jaxpr.outvars]

    def apply(self, equation: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
        name = equation.primitive.name
        for out in equation.outvars:
            dtype = getattr(out.aval, "dtype", None)
            self.single |= str(dtype) in ("float32", "float16", "bfloat16")
            if str(dtype) in NARROW:
                said = f"integers of dtype {dtype}, which overflow; use int32 or int64"
                raise located(equation, said)
        if name not in RULES:
            raise located(equation, f"lax.{name} is not read; {ALTERNATIVE}")
        told = Told(equation.params)
        try:
            found = RULES[name](self, told.within(equation), *inputs)
            told.require_read()
        except Unreadable as reason:
            if reason.told:
                raise
            raise located(equation, f"lax.{name}: {reason}") from reason
        made = list(found) if isinstance(found, list | tuple) else [found]
        return [of_dtype(x, out) for x, out in zip(made, equation.outvars, strict=True)]

    def captured(self, value: Any) -> Tensor:
        """An array of numbers that the code made; of few, unless they are all one."""
        if isinstance(value, Tensor):
            return value
        array = np.asarray(value)
        if array.size and np.all(array == array.flat[0]):
            return literal(array.flat[0], array.shape)
        if 0 < array.size <= FEW:
            return written_out(array)
        raise Unreadable(
            f"the code uses an array of shape {array.shape} that is no argument; "
            "pass it as one, gp.constant(...)"
        )

    @property
    def known(self) -> set[Sym]:
        """The sizes and parameters."""
        return set(self.sizes.hints)

    def shape(self, out: Any) -> list[Term]:
        return [self.sizes.term(d) for d in out.aval.shape]

    @contextmanager
    def where(self, *conditions: Term) -> Iterator[None]:
        """Reading under conditions, as the turns of a loop are read."""
        outside = self.given
        self.given = (*outside, *conditions)
        try:
            yield
        finally:
            self.given = outside

    def decided(self, condition: Term) -> bool | None:
        """Whether a condition of sizes holds at all of them, or at none, if it is known."""
        if t.arrays(condition):
            return None
        if ask(self.given, condition).status == "proved":
            return True
        return False if ask(self.given, t.Not(condition)).status == "proved" else None


def of_dtype(x: Tensor, out: Any) -> Tensor:
    """What an equation gives as numbers of the kind that it says: of conditions, a sum is whether
    any holds."""
    dtype = getattr(out.aval, "dtype", None)
    if dtype is None or x.hit is not None or dtypes.issubdtype(dtype, dtypes.extended):
        return x
    return cast(x, sort_of(dtype))


def written_out(array: Any) -> Tensor:
    """An array of a few numbers, cell by cell."""
    cells = [literal(v) for v in array.flat]
    rows = [layout.unsqueeze(cell, 0) for cell in cells]
    return layout.reshape(layout.concatenated(rows, 0), array.shape)


def literal(value: Any, shape: Sequence[int] = ()) -> Tensor:
    """A number; what is no number, or not finite, is a quotient by 0, which has no value."""
    kind = np.asarray(value).dtype
    if kind == dtypes.float0:  # the gradient by integers
        return constant(0, shape, INT)
    if sort_of(kind) == BOOL:
        return constant(truth(bool(value)), shape, BOOL)
    if sort_of(kind) == INT:
        return constant(int(value), shape, INT)
    number = float(value)
    if not np.isfinite(number):
        return constant(endless(number), shape)
    return constant(reals.of(number), shape)


def endless(number: float) -> Term:
    return t.Div(0 if np.isnan(number) else 1 if number > 0 else -1, 0)


def located(equation: Any, said: str) -> Unreadable:
    """What is said, with the line of the user's code."""
    place = summarize(equation.source_info)
    found = re.match(r"(.+?):(\d+)", place)
    if found is None or not is_users(found.group(1)):
        return Unreadable(said)
    name, number = found.group(1), int(found.group(2))
    refused = Unreadable(at(name, number, linecache.getline(name, number), said))
    refused.told = True
    return refused
