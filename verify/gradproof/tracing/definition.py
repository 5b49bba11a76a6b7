"""From traced tensors to an op: what was computed, and the gradient as its VJP. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import Any

from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, target_of
from gradproof.language.substitution import free
from gradproof.language.terms import BOOL, INT, REAL, Array, Eq, Sym, Term
from gradproof.tracing.declared import Argument, Declared
from gradproof.tracing.logarithms import apart, required_above
from gradproof.tracing.masked import shortened
from gradproof.tracing.reals import BELOW, INFINITE
from gradproof.tracing.recurrences import NO_LOOPS, Loop, System, in_order, systems
from gradproof.tracing.shared import NOTHING_SHARED, Shared
from gradproof.tracing.tensors import Name, Tensor, Unreadable, as_real, naming, with_axes

NO_NAMES: Mapping[Tensor, Name] = MappingProxyType({})


@dataclass(frozen=True)
class Traced:
    """What one run of the code was read as, and the conditions under which it runs like that."""

    output: Tensor
    gradients: Mapping[str, Tensor]
    guards: tuple[Term, ...] = ()
    single: bool = False  # whether it computes in less than float64
    loops: tuple[Loop, ...] = ()  # whose turns read the turn before, in the forward
    back: tuple[Loop, ...] = ()  # and in the gradients
    lines: Mapping[Term, str] = field(default_factory=dict)  # of the code that asked for a guard
    shared: Shared = NOTHING_SHARED  # memory


def input_tensor(argument: Argument) -> Tensor:
    """An argument as a traced tensor."""
    array = argument.array
    if argument.kind == "boolean":
        return Tensor(argument.axes, lambda p: t.relation(t.Gt, array[p], 0), BOOL)
    if argument.kind == "integer":
        return Tensor(argument.axes, lambda p: array[p], INT)
    return Tensor(argument.axes, lambda p: array[p], REAL)


def output_array(name: str, output: Tensor) -> Array:
    return Array(name, output.factors)


def named_apart(wanted: str, taken: set[str]) -> str:
    while wanted in taken or any(name.startswith(f"{wanted}_") for name in taken):
        wanted += "_out" if wanted == "y" else "y"
    return wanted


def output_name(declared: Declared) -> str:
    taken = {a.name for a in declared.arguments} | set(declared.symbols)
    return next(name for name in ("y", "out", "result", "value") if name not in taken)


def systems_of(declared: Declared, traced: Traced) -> Iterator[System]:
    """The ways in which what was traced may be written as recurrences."""
    if not (traced.loops or traced.back):
        yield NO_LOOPS
        return
    taken = {a.name for a in declared.arguments} | set(declared.symbols)
    names = (named_apart(f"state{k}" if k else "state", taken) for k in count())
    output = as_real(traced.output)
    cell = output.cell(indices("o", len(output.factors)))
    yield from systems(traced.loops, traced.back, names, cell)


def definition(
    name: str,
    declared: Declared,
    traced: Traced,
    requires: Sequence[Term] = (),
    system: System = NO_LOOPS,
    names: Mapping[Tensor, Name] = NO_NAMES,
) -> Op:
    """The op, of a system of recurrences; tensors with names are intermediates, or cotangents."""
    with naming(names):
        return defined(name, declared, traced, requires, system, names)


def defined(
    name: str,
    declared: Declared,
    traced: Traced,
    requires: Sequence[Term],
    system: System,
    names: Mapping[Tensor, Name],
) -> Op:
    clauses = [*declared.requires, *requires]
    above = required_above(clauses)
    made = output_array(output_name(declared), traced.output)
    index = indices("o", len(made.dims))
    output = as_real(traced.output)
    whole = output.value(index) if names.get(output) == Name(made) else output.cell(index)
    forward = shortened(system.forward.put(apart(whole, above)), index, made.dims)
    known = tuple(equations(names, made, system, above))
    let = in_order(*system.let, *(e for e in known if target_of(e).array.role == "primal"))
    own = in_order(*system.rules, *(e for e in known if target_of(e).array.role == "cotangent"))
    rules, constants = [*own], []
    unread: list[Argument] = []
    values: dict[str, Term] = {}
    for argument in declared.arguments:
        if argument.kind == "real":
            place = indices("i", len(argument.array.dims))
            gradient = with_axes(as_real(traced.gradients[argument.name]), argument.axes)
            value = system.backward.put(apart(gradient.cell(place), above))
            values[argument.name] = shortened(value, place, argument.array.dims)
            rules.append(Eq(cotangent(argument.array)[place], values[argument.name]))
    stated = (*(e.value for e in let), forward)
    said_by_rules = (*(e.value for e in own), *values.values())
    read = {a.name for e in stated for a in t.arrays(e)}
    spoken = read | {a.name for e in (*said_by_rules, *clauses) for a in t.arrays(e)}
    for argument in declared.arguments:
        is_said = argument.kind == "real" or argument.name in spoken
        if argument.is_array and argument.name not in read and is_said:
            unread.append(argument)
        if argument.kind in ("constant", "boolean"):
            constants.append(argument.array)
    forward = t.plus(forward, *(nothing_of(a, number) for number, a in enumerate(unread)))
    used = {a for e in (*stated, forward) for a in t.arrays(e)}
    mentioned = {s for e in (*stated, forward, *said_by_rules) for s in free(e)}
    if mentioned & {INFINITE, BELOW}:
        raise Unreadable("an infinite value; multiply by the mask after the exponential instead")
    if mentioned & {*traced.shared.blocks}:
        clauses += [*traced.shared.given, *traced.shared.exactly]
    said = {s for c in clauses for s in free(c)}
    clauses += [t.Eq(s, s) for s in sorted(mentioned, key=str) if s.sort == REAL and s not in said]
    return Op(
        re.sub(r"\W", "_", name),
        requires=tuple(dict.fromkeys(clauses)),
        let=let,
        forward=Eq(made[index], forward),
        vjp=tuple(rules),
        constants=tuple(c for c in constants if c in used),
    )


def equations(
    names: Mapping[Tensor, Name], output: Array, system: System, above: Any
) -> Iterator[Term]:
    """What says of each array that is named what it is, once, the output aside."""
    seen = {output}
    for tensor, name in names.items():
        if name.array not in seen:
            seen.add(name.array)
            place = indices("i", len(tensor.factors))
            cell = name[place]
            value = system.backward.put(apart(tensor.value(place), above))
            yield Eq(cell, shortened(value, cell.index, name.array.dims))


def indices(letter: str, count: int) -> tuple[Sym, ...]:
    return tuple(Sym(f"{letter}{number + 1}") for number in range(count))


def nothing_of(argument: Argument, number: int) -> Term:
    """An input that the code does not use, as a part of what it computes."""
    array = argument.array
    symbols = tuple(Sym(f"unused{number}_{d}") for d in range(len(array.dims)))
    read = array[symbols]
    ranges = [(s, 0, t.Add(d, -1)) for s, d in zip(symbols, array.dims, strict=True)]
    return t.Mul(0, t.Sum(read, *ranges) if ranges else read)
