"""A forward and a backward of NumPy: run on numbers, and read. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy, deepcopy
from functools import partial, reduce
from types import MethodType
from typing import Any

import numpy as np

from gradproof.language import terms as t
from gradproof.numpy import objects
from gradproof.numpy.arrays import Array
from gradproof.numpy.functions import array_of
from gradproof.numpy.noting import Noted, keeping
from gradproof.numpy.objects import Undescribed, Unsaid
from gradproof.numpy.operators import plain_size
from gradproof.numpy.pairs import Made, gradient_slot, pair_of
from gradproof.numpy.reading import Reader
from gradproof.numpy.state import FEW, MANY
from gradproof.tracing.arising import Done
from gradproof.tracing.axes import plain
from gradproof.tracing.comparing import Code
from gradproof.tracing.declared import Argument, Declared
from gradproof.tracing.declared import constant as describe
from gradproof.tracing.definition import Traced, input_tensor, output_name
from gradproof.tracing.operations import OPS
from gradproof.tracing.pieces import sizes_in
from gradproof.tracing.tensors import Tensor, Unreadable, constant


class NumpyCode:
    """A forward and its backward, with what is said of the arguments of the first."""

    dtype = "float64"  # of real numbers, where it is run
    noted = False  # whether what is made of them is kept

    def __init__(self, *given: Any) -> None:
        *functions, declared = given
        if "self" in declared.said[0]:
            functions, declared = of_object(functions, declared)
        self.given = functions
        self.pair = pair_of(functions)
        self.functions = self.pair.functions
        self.said = self.declared = declared
        self.describe()
        self.name = self.pair.name
        self.differentiable = declared.differentiable
        self.cotangents: tuple[Argument, ...] = self.several()
        if self.cotangents:
            self.declared = copy(declared)
            self.declared.arguments += self.cotangents

    def others(self) -> Iterable[tuple[str, Code]]:
        """Nothing but the arguments decides how it runs."""
        return ()

    def at(self, sizes: Mapping[str, int]) -> NumpyCode:
        return NumpyCode(*self.given, self.said.at(sizes))

    def precise(self, dtype: str) -> NumpyCode:
        other = copy(self)
        other.dtype = dtype
        return other

    def describe(self) -> None:
        """Takes the arrays of an object that are read, of which nothing is said, and that have no
        gradient, for constants of the shape that they have."""
        owner, hints = self.pair.owner, sizes_in(self.said, ())
        while owner is not None and not isinstance(owner, type) and hints is not None:
            reader = Reader(self.said.requires, hints)
            try:
                made = self.pair.run_forward(reader, self.placeholders(reader))
                seeds = [own_array(reader, reader.tensor(y)) for y in made.outputs]
                again = self.placeholders(reader)
                self.pair.run_backward(reader, seeds, made, again, self.said)
                return
            except Unreadable as reason:
                if (missing := undescribed(reason)) is None:
                    return
                name, shape = missing.name, missing.shape
                held = [a[name] for a in objects.nested(owner) if name in a]
                if len(held) != 1 or np.asarray(held[0]).dtype.kind != "f":
                    return
                if gradient_slot(owner, name, held[0]) is not None:
                    return  # what has a gradient is to be said
                inputs, requires = self.said.said
                more = {**inputs, name: describe(*shape)}
                self.said = self.declared = Declared(more, requires, self.said.fixed)
            except Exception:
                return

    # Of several outputs that are differentiated, the sum of all cells, each times a constant: its
    # gradient is what the backward gives of these constants.

    def several(self) -> tuple[Argument, ...]:
        """The constants, if there is more than one output; of code that is not read, none."""
        hints = sizes_in(self.said, ())
        if self.pair.backward is None or hints is None:
            return ()
        try:
            reader = Reader(self.said.requires, hints)
            made = self.pair.run_forward(reader, self.placeholders(reader))
            shapes = [reader.tensor(y).shape for y in made.outputs]
        except (Exception, Unreadable):
            return ()
        if len(shapes) == 1:
            return ()
        names = [f"cotangent{number + 1}" for number in range(len(shapes))]
        pairs = zip(names, shapes, strict=True)
        return tuple(Argument(name, "constant", plain(shape)) for name, shape in pairs)

    def own(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What the code itself is given, as copies, so that it changes nothing else."""
        names = {a.name for a in self.said.arguments}
        return {k: self.copied(v) for k, v in values.items() if k in names}

    def copied(self, value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype != float:
            return deepcopy(value)
        own = value.astype(self.dtype)
        return own.view(Noted) if self.noted else own

    def run(self, values: Mapping[str, Any]) -> Any:
        made = self.pair.run_forward(Running(), self.own(values))
        return self.single(made, values)

    def single(self, made: Made, values: Mapping[str, Any]) -> Any:
        outputs = [np.asarray(y, dtype=float) for y in made.outputs]
        if not self.cotangents:
            return outputs[0]
        pairs = zip(outputs, self.cotangents, strict=True)
        return np.asarray(sum(np.sum(y * values[c.name]) for y, c in pairs))

    def gradients(self, values: Mapping[str, Any], cotangent: Any) -> dict[str, Any]:
        run = Running()
        made = self.pair.run_forward(run, self.own(values))
        seed = np.array(cotangent, dtype=self.dtype)
        seeds = [np.array(seed * values[c.name], self.dtype) for c in self.cotangents] or [seed]
        again = self.own(values)
        found = self.pair.run_backward(run, seeds, made, again, self.said)
        return {k: np.zeros(np.shape(values[k])) if v is None else v for k, v in found.items()}

    def done(self, values: Mapping[str, Any], cotangent: Any) -> list[Done]:
        """What each operation of the forward and the backward gives."""
        other = copy(self)
        other.noted = True
        with keeping() as found:
            other.gradients(values, cotangent)
        return found

    def backwards(self) -> Iterator[tuple[Any, ...]]:
        """The backward, of a pair of functions."""
        if self.pair.backward is not None and self.pair.owner is None:
            names = [a.name for a in self.said.arguments]
            yield self.pair.backward, self.differentiable, names

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
        made = self.pair.run_forward(reader, self.placeholders(reader))
        outputs = [reader.tensor(y) for y in made.outputs]
        output = outputs[0]
        weights = [input_tensor(c) for c in self.cotangents]
        if weights:
            pairs = zip(outputs, weights, strict=True)
            parts = [array_of(OPS["sum"](reader, OPS["mul"](reader, y, w), None)) for y, w in pairs]
            output = reduce(partial(OPS["add"], reader), parts)
        name = output_name(self.declared)
        array = t.Array(f"{name}_bar", output.factors, "cotangent", name)
        seed = Tensor(output.axes, lambda place: array[place])
        seeds = [OPS["mul"](reader, w, seed) for w in weights] or [seed]
        loops, reader.loops = tuple(reader.loops), []
        again = self.placeholders(reader)
        kept = [own_array(reader, s) for s in seeds]
        found = self.pair.run_backward(reader, kept, made, again, self.said)
        reals_ = [a for a in self.said.arguments if a.kind == "real"]
        gradients = {
            a.name: constant(0, a.shape) if found[a.name] is None else reader.tensor(found[a.name])
            for a in reals_
        }
        reader.refuse_lasting()
        guards = tuple(reader.guards)
        return Traced(output, gradients, guards, loops=loops, back=tuple(reader.loops))

    def placeholders(self, reader: Reader) -> dict[str, Any]:
        return {a.name: self.placeholder(a, reader) for a in self.said.arguments}

    def placeholder(self, a: Any, reader: Reader) -> Any:
        if a.kind == "given":
            return reader.argument(a.value)
        if not a.is_array:
            return plain_size(a.term)
        return own_array(reader, input_tensor(a))


def undescribed(reason: BaseException | None) -> Unsaid | None:
    """The array of an object at which a reading has ended, if it has at one."""
    while reason is not None:
        if isinstance(reason, Undescribed):
            return reason.of
        reason = reason.__cause__
    return None


def of_object(functions: Sequence[Any], declared: Declared) -> tuple[list[Any], Declared]:
    """Functions of a class as methods of the object that is given as `self`."""
    inputs, requires = declared.said
    rest = {k: v for k, v in inputs.items() if k != "self"}
    owner = inputs["self"]
    return [MethodType(f, owner) for f in functions], Declared(rest, requires, declared.fixed)


class Running:
    """Code that is run on numbers."""

    def call(self, function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        return function(*args, **named)

    def new(self, owner: Any) -> Any:
        return object.__new__(owner) if isinstance(owner, type) else deepcopy(owner)

    def zeros_like(self, value: Any) -> Any:
        return np.zeros_like(value)

    def times(self, seed: Any, value: Any) -> Any:
        return seed * value

    def axes(self, value: Any) -> int:
        return int(np.ndim(value))

    def number(self, value: Any) -> Any:
        return np.reshape(value, ()) if np.size(value) == 1 else None


def attempt(
    functions: Sequence[Any], declared: Declared, values: Mapping[str, Any], backward: bool
) -> None:
    """Runs code and its gradient on values; raises where that fails."""
    run, pair = Running(), pair_of(functions)
    made = pair.run_forward(run, deepcopy(dict(values)))
    seeds = [np.ones_like(np.asarray(y, dtype=float)) for y in made.outputs]
    again = deepcopy(dict(values))
    found = pair.run_backward(run, seeds, made, again, declared) if backward else {}
    for name, gradient in found.items():
        if gradient is not None and np.shape(gradient) != np.shape(values[name]):
            raise ValueError(f"the gradient of {name} has shape {np.shape(gradient)}")


def own_array(reader: Reader, value: Tensor) -> Any:
    """An array that the code is given; one without axes as a number."""
    if not value.axes:
        return value.cell(())
    made = Array(value)
    reader.arrays.append(made)
    return made
