"""A definition in floating point: each operation of its equations rounded. Untrusted.

It is asked about as code is, its rules for gradients and its JVP included. What the language has a
name for is one operation: `tanh(x)` is that, and not the exponentials that it is short for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from gradproof.evaluate import numeric
from gradproof.evaluate.given import named
from gradproof.evaluate.numbers import INTERVALS, Interval, Jet, jets
from gradproof.language import functions
from gradproof.language import ops as language
from gradproof.language import terms as t
from gradproof.language.ops import Op, sqrt, target_of
from gradproof.language.substitution import free
from gradproof.language.systems import made_by, needed_by
from gradproof.language.terms import Array, Term
from gradproof.tracing import points
from gradproof.tracing.arising import Done
from gradproof.tracing.comparing import Code
from gradproof.tracing.declared import Argument, Declared
from gradproof.tracing.definition import Traced
from gradproof.tracing.finite import Lost, Search, lost
from gradproof.tracing.floats import TYPES, Exact, Looked, Type, placed
from gradproof.tracing.floats import lifted as number
from gradproof.tracing.points import Point

SECONDS = 1.0  # of processor time, for each output


def told(op: Op, rules: Iterable[str], dtype: str = "float32", within: Iterable[str] = ()) -> str:
    """As `unstable`, in words."""
    found = unstable(op, rules, dtype, within)
    return "" if found is None else found.text


def unstable(
    op: Op, rules: Iterable[str], dtype: str = "float32", within: Iterable[str] = ()
) -> Lost | None:
    """An input at which a definition loses digits, in an output or by the rules that are named.

    Of a rule that is not proved nothing is said: it may give something else.
    """
    flat = sized(op.at_rank(1) if op.is_rank_generic else op)
    kept = {*rules}
    for output in flat.real_outputs:
        code = Written(flat, output, kept)
        if code.declared.differentiable:
            bounds = tuple(map(code.declared.condition, within))
            found = lost(code, flat, dtype, bounds, seconds=SECONDS, search=OfDefinition)
            if found is not None:
                return found
    return None


def sized(op: Op) -> Op:
    """With a clause for each size, so that there is something to try."""
    said = {s for clause in op.requires for s in free(clause)}
    more = (t.relation(t.Ge, s, 1) for s in op.sizes if s.sort == t.INT and s not in said)
    return replace(op, requires=(*op.requires, *more), claims=())


class OfOp(Declared):
    """The operands and parameters of an op, as arguments of code are."""

    def __init__(self, op: Op) -> None:
        self.requires, self.fixed, self.met = op.requires, {}, set()
        self.symbols = {s.name: s for s in op.sizes}
        reals = [s for s in op.sizes if s.sort == t.REAL]
        numbers = tuple(Argument(s.name, "number", term=s) for s in reals)
        self.arguments = (*(self.operand(op, a) for a in op.operands), *numbers)

    def operand(self, op: Op, array: Array) -> Argument:
        axes = tuple((d,) for d in array.dims)
        if array.span:
            first, last = array.span
            return Argument(array.name, "integer", axes, below=t.plus(last, 1), least=first)
        return Argument(array.name, "real" if array in op.inputs else "constant", axes)


class Rounded(numeric.Evaluator):
    """Evaluates in numbers of a type."""

    def __init__(self, kind: Type, op: Op, given: Any, sizes: Any) -> None:
        self.kind = kind
        super().__init__(op, given, sizes)

    def value(self, term: Term, env: Any, mask: Any) -> Any:
        known = known_as(term)
        if known is not None:
            name, inner = known
            return self.kind.rounded(NAMED[name][1](self.value(inner, env, mask)))
        found = super().value(term, env, mask)
        return self.kind.rounded(found) if t.sort_of(term) == t.REAL else found


NAMED: Mapping[str, tuple[Callable[[Any], Term], Callable[[Any], Any]]] = {
    "tanh": (functions.tanh, np.tanh),
    "sinh": (functions.sinh, np.sinh),
    "softplus": (functions.softplus, lambda v: np.logaddexp(0, v)),
    "sigmoid": (functions.sigmoid, lambda v: np.exp(-np.logaddexp(0, -v))),
    "sqrt": (sqrt, np.sqrt),
}


@t.remembered
def known_as(term: Term) -> tuple[str, Term] | None:
    """By which name of the language a term is known, and of what it is."""
    if not isinstance(term, t.Exp | t.Log | t.Div | t.Add | t.Mul):
        return None
    for u in dict.fromkeys(inner(term, 4)):
        for name, (made, _) in NAMED.items():
            if made(u) == term:
                return name, u
    return None


def inner(term: Term, depth: int) -> Iterator[Term]:
    """What a function that is near the top of a term may be of."""
    if isinstance(term, t.Exp | t.Log):
        yield term.inner
        yield t.minus(term.inner)
        if isinstance(term.inner, t.Mul) and term.inner.args[0] == 2:
            yield math.prod(term.inner.args[2:], start=term.inner.args[1])
    if depth and isinstance(term, t.Exp | t.Log | t.Div | t.Add | t.Mul):
        for part in term.args:
            yield from inner(part, depth - 1)


class Written:
    """An output of a definition, and the rules that are proved of it, run on numbers."""

    def __init__(self, op: Op, output: Array, rules: set[str]) -> None:
        self.op, self.output = op, output
        self.name = op.name
        self.functions: tuple[Any, ...] = ()
        self.declared: Declared = OfOp(op)
        self.kind = TYPES["float64"]
        self.pulled = tuple(e for e in op.vjp if target_of(e).array.name in rules)
        self.pushed = tuple(e for e in op.jvps if target_of(e).array.name in rules)

    def precise(self, dtype: str) -> Code:
        other = copy(self)
        other.kind = TYPES[dtype]
        return other

    def computed(self, values: points.Values, more: Mapping[Array, Any], rules: Any) -> Any:
        given = {a.name: values[a.name] for a in self.op.operands}
        arrays = {**named(self.op, "input", self.op.operands, given), **more}
        numbers = {a.name: values[a.name] for a in self.declared.arguments if not a.is_array}
        unasked = replace(self.op, requires=(), claims=())
        known = {s.name for s in unasked.sizes}
        sizes = {k: float(v) for k, v in numbers.items() if k in known}
        ev = Rounded(self.kind, unasked, arrays, {**self.plain, **sizes})
        ev.compute((*needed_by(rules, self.op.system), *rules) if rules else self.op.system)
        return ev.tensors

    plain: Mapping[str, int] = {}  # sizes that no shape tells

    def run(self, values: points.Values) -> Any:
        return self.computed(values, {}, ())[self.output.name]

    def gradients(self, values: points.Values, cotangent: Any) -> dict[str, Any]:
        """What the rules give of the cotangent, and of tangents, by the names of their targets."""
        found: dict[str, Any] = {}
        if self.pulled:
            seeds = dict(self.seeds(values, cotangent))
            tensors = self.computed(values, seeds, self.pulled)
            found |= {k: tensors[k] for k in (made_by(e).name for e in self.pulled)}
        if self.pushed:
            tensors = self.computed(values, dict(self.tangents(values)), self.pushed)
            name = language.tangent(self.output).name
            found |= {name: tensors[name]} if name in tensors else {}
        return found

    def seeds(self, values: points.Values, cotangent: Any) -> Iterator[tuple[Array, Any]]:
        """Of the other outputs it is 0."""
        others = [y for y in self.op.real_outputs if y != self.output]
        tensors = self.computed(values, {}, ()) if others else {}
        for y in others:
            yield language.cotangent(y), np.zeros(np.shape(tensors[y.name]))
        yield language.cotangent(self.output), np.asarray(cotangent, float)

    def tangents(self, values: points.Values) -> Iterator[tuple[Array, Any]]:
        for x in self.op.inputs:
            yield language.tangent(x), along(np.shape(values[x.name]))

    # What a definition has no need of.

    def trace(self, hints: points.Env) -> Traced:
        raise NotImplementedError

    def at(self, sizes: Mapping[str, int]) -> Code:
        return self

    def backwards(self) -> Iterable[tuple[Any, ...]]:
        return ()

    def others(self) -> Iterable[tuple[str, Code]]:
        return ()

    def done(self, values: points.Values, cotangent: Any) -> list[Done]:
        return []


def along(shape: tuple[int, ...]) -> Any:
    """A direction, in numbers that every type has."""
    return np.reshape(1 + np.arange(math.prod(shape)) % 4 / 4, shape)


class OfDefinition(Search):
    """Its gradients go by the names of what rules define."""

    def exact(self, point: Point, seed: Any) -> Exact:
        assert isinstance(self.wide, Written)
        return ExactRules(self.wide, point, seed)


class ExactRules(Exact):
    """What the rules give is what the forward says that they give."""

    def __init__(self, code: Written, point: Point, seed: Any) -> None:
        super().__init__(code.op, code.declared, point, seed, code.output)
        self.rules = {target_of(e).array.name: e for e in (*code.pulled, *code.pushed)}
        self.given = {x.name: along(self.cells[x.name].shape) for x in code.op.inputs}

    def slope(self, name: str, flat: int) -> Interval:
        target = target_of(self.rules[name]).array
        if target.name != language.tangent(self.output).name:
            return super().slope(target.of, flat)
        numbers = jets(INTERVALS)

        def moved(of: str, at: tuple[int, ...], value: Interval) -> Jet:
            return Jet(value, (number(self.given[of][at]),) if of in self.given else ())

        found = self.evaluated(numbers, moved, placed(flat, self.seed.shape))
        return found.rest[0] if found.rest else INTERVALS.zero

    def looked_at(self, name: str, flat: int) -> Iterator[Looked]:
        """The rule itself, with what it is given."""
        if not name:
            yield from super().looked_at(name, flat)
            return
        rule = self.rules[name]
        given: dict[str, Any] = {language.cotangent(self.output).name: self.seed}
        given |= {f"{k}_dot": v for k, v in self.given.items()}
        given |= {f"{y.name}_bar": None for y in self.op.real_outputs if y != self.output}
        shape = tuple(points.size_at(d, self.sizes) for d in target_of(rule).array.dims)
        yield Looked(rule, placed(flat, shape), {k: cells(v) for k, v in given.items()})


def cells(values: Any) -> Callable[[tuple[int, ...]], Interval]:
    return lambda at: INTERVALS.zero if values is None else number(values[at])
