"""A forward and a backward of NumPy: run on numbers, and read. Untrusted."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from gradproof.language import terms as t
from gradproof.numpy.arrays import Array
from gradproof.numpy.functions import array_of
from gradproof.numpy.operators import plain_size
from gradproof.numpy.reading import Reader
from gradproof.numpy.state import FEW, MANY
from gradproof.tracing.comparing import Code
from gradproof.tracing.declared import Declared
from gradproof.tracing.definition import Traced, input_tensor, output_name
from gradproof.tracing.tensors import Tensor, Unreadable, constant

OUTPUTS = ("y", "out", "output", "result", "z")


class NumpyCode:
    """A pair of functions, with what is said of the arguments of the first."""

    def __init__(self, forward: Any, backward: Any, declared: Declared) -> None:
        self.forward = forward
        self.backward = backward
        self.functions = (forward, backward)
        self.declared = declared
        self.name = getattr(forward, "__name__", "forward")
        self.differentiable = declared.differentiable

    def others(self) -> Iterable[tuple[str, Code]]:
        """Nothing but the arguments decides how it runs."""
        return ()

    def at(self, sizes: Mapping[str, int]) -> NumpyCode:
        return NumpyCode(self.forward, self.backward, self.declared.at(sizes))

    def run(self, values: Mapping[str, Any]) -> Any:
        return np.asarray(first(self.forward(**fresh(values))), dtype=float)

    def gradients(self, values: Mapping[str, Any], cotangent: Any) -> dict[str, Any]:
        given = fresh(values)
        made = self.forward(**given)
        seed = np.array(cotangent, dtype=float)
        found = self.backward(*self.arguments(seed, made, fresh(values)))
        pairs = zip(self.differentiable, self.results(found), strict=True)
        return {k: np.zeros(np.shape(values[k])) if v is None else v for k, v in pairs}

    def backwards(self) -> Iterator[tuple[Any, ...]]:
        yield self.backward, self.differentiable, [a.name for a in self.declared.arguments]

    def trace(self, hints: Mapping[Any, Any]) -> Traced:
        """With recurrences, where the forward and the backward have some; else as folds."""
        try:
            found = self.read(hints, True)
        except Unreadable as reason:
            with suppress(Unreadable):
                return self.read(hints, False)
            raise reason
        if bool(found.loops) != bool(found.back):
            with suppress(Unreadable):
                return self.read(hints, False)
        return found

    def read(self, hints: Mapping[Any, Any], recurrences: bool) -> Traced:
        requires = self.declared.requires
        try:
            return self.traced(Reader(requires, hints, FEW, recurrences))
        except Unreadable:
            if any(symbol.sort == t.INT for symbol in hints):
                raise
            return self.traced(Reader(requires, hints, MANY, recurrences))

    def traced(self, reader: Reader) -> Traced:
        given = {a.name: self.placeholder(a, reader) for a in self.declared.arguments}
        made = reader.call(self.forward, (), given)
        output = reader.tensor(first(made))
        name = output_name(self.declared)
        array = t.Array(f"{name}_bar", output.factors, "cotangent", name)
        seed = Tensor(output.axes, lambda place: array[place])
        loops, reader.loops = tuple(reader.loops), []
        again = {a.name: self.placeholder(a, reader) for a in self.declared.arguments}
        kept = Array(seed) if seed.axes else seed.cell(())
        reader.arrays += [kept] if isinstance(kept, Array) else []
        found = self.results(reader.call(self.backward, self.arguments(kept, made, again), {}))
        gradients = {
            k: constant(0, a.shape) if v is None else reader.tensor(v)
            for (k, v), a in zip(
                zip(self.differentiable, found, strict=True),
                [a for a in self.declared.arguments if a.kind == "real"],
                strict=True,
            )
        }
        reader.refuse_lasting()
        guards = tuple(reader.guards)
        return Traced(output, gradients, guards, loops=loops, back=tuple(reader.loops))

    def placeholder(self, a: Any, reader: Reader) -> Any:
        if a.kind == "given":
            return reader.own(a.value)
        if not a.is_array:
            return plain_size(a.term)
        value = input_tensor(a)
        if not value.axes:
            return value.cell(())
        made = Array(value)
        reader.arrays.append(made)
        return made

    def arguments(self, seed: Any, made: Any, given: Mapping[str, Any]) -> list[Any]:
        """What the backward is given: the cotangent, then what the forward kept, or its inputs."""
        own = list(inspect.signature(self.backward).parameters.values())[1:]
        names = [p.name for p in own if p.default is p.empty or p.name in given]
        if isinstance(made, tuple):
            kept = made[1] if len(made) == 2 else made[1:]
            if len(names) == 1 and names[0] not in given:
                return [seed, kept]
            rest = dict(zip([k for k in names if k not in given], made[1:], strict=False))
            return [seed, *(given[k] if k in given else rest[k] for k in names)]
        if unknown := [k for k in names if k not in given and k not in OUTPUTS]:
            said = f"backward takes {unknown[0]}, which is no input of forward"
            raise TypeError(f"{said}; return it from forward as (y, cache)")
        return [seed, *(given.get(k, made) for k in names)]

    def results(self, found: Any) -> list[Any]:
        """The gradients of the differentiable inputs, in their order."""
        wanted = self.differentiable
        if isinstance(found, Mapping):
            return [found.get(k, found.get(f"d{k}")) for k in wanted]
        listed = list(found) if isinstance(found, tuple | list) else [found]
        if len(listed) == len(self.declared.arguments) != len(wanted):
            pairs = zip(self.declared.arguments, listed, strict=True)
            listed = [v for a, v in pairs if a.kind == "real"]
        if len(listed) != len(wanted):
            said = f"backward gives {len(listed)} gradients for {', '.join(wanted)}"
            raise Unreadable(f"{said}; mark the others gp.constant(...)")
        return listed


def fresh(values: Mapping[str, Any]) -> dict[str, Any]:
    """Copies, so that code which writes to its arguments changes nothing else."""
    return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in values.items()}


def first(made: Any) -> Any:
    return made[0] if isinstance(made, tuple) else made


__all__ = ["NumpyCode", "array_of"]
