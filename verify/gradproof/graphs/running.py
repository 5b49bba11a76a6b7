"""A graph at arrays: forward, and its rules node by node. Untrusted: no verdict rests on it.

Arrays of fractions, `dtype=object`, are computed with exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from gradproof.evaluate import numeric
from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.graphs import exactly
from gradproof.graphs.accumulating import Accumulation
from gradproof.graphs.arithmetic import solved
from gradproof.graphs.exactly import wanted_by
from gradproof.graphs.nodes import GraphError, Node, Var, Wiring, shown
from gradproof.graphs.requiring import assumed_of
from gradproof.language.requirements import spans_of
from gradproof.language.substitution import free
from gradproof.language.systems import made_by
from gradproof.language.terms import Sym, Term, as_term

Values = dict[Var, Any]


def forward(wiring: Wiring, values: Mapping[str, Any], sizes: Mapping[Any, Any]) -> Any:
    run = Run(wiring, values, sizes)
    return named(wiring.outputs, run.values)


def jvp(
    wiring: Wiring,
    values: Mapping[str, Any],
    tangents: Mapping[str, Any],
    sizes: Mapping[Any, Any],
) -> Any:
    run = Run(wiring, values, sizes)
    dots = run.given(tangents, wiring.moving, "tangent", "_dot")
    found = run.accumulation.pushed(dots)
    return {v.name: found[v] if v.moves else run.zero(v) for v in wiring.outputs}


def vjp(
    wiring: Wiring,
    values: Mapping[str, Any],
    cotangents: Mapping[str, Any],
    sizes: Mapping[Any, Any],
) -> Any:
    run = Run(wiring, values, sizes)
    outputs = tuple(v for v in wiring.outputs if v.moves)
    bars = run.given(cotangents, outputs, "cotangent", "_bar")
    return named(wiring.moving, run.accumulation.pulled(bars))


def whole(values: Any) -> Any:
    """Integers; what is none is refused."""
    found = np.asarray(values)
    if np.any(found != np.floor(found.astype(float))):
        raise GraphError(f"{found} is not of integers")
    return found.astype(int)


def exact_cells(values: Any) -> Callable[[tuple[int, ...]], Any]:
    """The entries of an array as exact numbers."""
    is_whole = np.issubdtype(values.dtype, np.integer)
    return lambda index: int(values[index]) if is_whole else Fraction(values[index])


def named(variables: Iterable[Var], values: Values) -> dict[str, Any]:
    return {v.name: values[v] for v in variables}


def sizes_from(
    wiring: Wiring, shapes: Mapping[Var, tuple[int, ...]], sizes: Mapping[Any, Any]
) -> dict[Sym, Any]:
    """Every symbol: as said, or as the shape of an input has it."""
    symbols = {s.name: s for s in wiring.symbols}
    known: dict[Sym, Term] = {}
    for key, value in sizes.items():
        if getattr(key, "name", key) not in symbols:
            raise GraphError(f"{wiring.name}: it has no size {key}: {', '.join(symbols) or 'none'}")
        known[symbols[getattr(key, "name", key)]] = as_term(value)
    pairs = [(d, n) for x in wiring.inputs for d, n in zip(x.shape, shapes[x], strict=True)]
    while open_yet := [s for s in symbols.values() if s not in known]:
        found = (solved(d, as_term(n), known) for d, n in pairs if free(d))
        first = next(filter(None, found), None)
        if first is None:
            said = ", ".join(map(str, open_yet))
            raise GraphError(f"{wiring.name}: no shape says what {said} is; say so in sizes={{…}}")
        known[first[0]] = first[1]
    return {s: Evaluator(RATIONALS, {}).value(v, {}) for s, v in known.items()}


class Run:
    """A graph at values for all inputs, computed to the end."""

    def __init__(self, wiring: Wiring, values: Mapping[str, Any], sizes: Mapping[Any, Any]) -> None:
        self.wiring = wiring
        arrays = {name: np.asarray(v) for name, v in values.items()}
        self.exact = any(v.dtype == object for v in arrays.values())
        inputs = {x.name: x for x in wiring.inputs}
        for name in sorted(inputs.keys() ^ arrays.keys()):
            fault = "missing" if name in inputs else "unknown"
            raise GraphError(f"{wiring.name}: {fault} input {name}; it takes {', '.join(inputs)}")
        for x in wiring.inputs:
            if arrays[x.name].ndim != len(x.shape):
                found = arrays[x.name].shape
                raise GraphError(f"{wiring.name}: {x.name} has shape {shown(x.shape)}, not {found}")
        self.env = sizes_from(wiring, {x: arrays[x.name].shape for x in wiring.inputs}, sizes)
        self.check_assumed()
        self.values: Values = {}
        for x in wiring.inputs:
            self.values[x] = self.fitting(x, arrays[x.name], x.name)
        self.check_values()
        for node in wiring.nodes:
            made = self.step(node, "forward", self.read(node))
            self.values |= {var: made[y] for y, var in node.results.items()}

    @property
    def accumulation(self) -> Accumulation:
        return Accumulation(self.wiring, self.values, self.step, self.zero)

    def check_assumed(self) -> None:
        for clause in self.wiring.given:
            if not Evaluator(RATIONALS, {}).value(clause, self.env):
                found = ", ".join(f"{s} = {self.env[s]}" for s in sorted(free(clause), key=str))
                raise GraphError(f"{self.wiring.name}: {clause} is assumed, and {found}")

    def check_values(self) -> None:
        cells = {x.name: exact_cells(self.values[x]) for x in self.wiring.inputs}
        spans = spans_of(x.array for x in self.wiring.inputs)
        for clause in (*spans, *assumed_of(self.wiring)):
            if not Evaluator(RATIONALS, cells).value(clause, self.env):
                raise GraphError(f"{self.wiring.name}: {clause} is assumed, and does not hold")

    def size(self, term: Term) -> Any:
        return Evaluator(RATIONALS, {}).value(term, self.env)

    def shape(self, var: Var) -> tuple[int, ...]:
        return tuple(map(self.size, var.shape))

    def fitting(self, var: Var, values: Any, name: str) -> Any:
        found = whole(values) if var.span else np.asarray(values, object if self.exact else float)
        if found.shape != self.shape(var):
            raise GraphError(
                f"{self.wiring.name}: {name} has shape {found.shape}, and must have "
                f"{self.shape(var)}, {shown(var.shape)}"
            )
        return found

    def given(
        self, found: Mapping[str, Any], variables: Iterable[Var], kind: str, suffix: str
    ) -> Values:
        """By the name of the variable, or of its tangent or cotangent."""
        known = {v.name: v for v in variables}
        values = {v: self.zero(v) for v in known.values()}
        for name, array in found.items():
            var = known.get(name) or known.get(name.removesuffix(suffix))
            if var is None:
                raise GraphError(
                    f"{self.wiring.name}: there is no {kind} of {name}, but of {', '.join(known)}"
                )
            values[var] = self.fitting(var, array, f"the {kind} of {var.name}")
        return values

    def zero(self, var: Var) -> Any:
        return np.full(self.shape(var), Fraction(0) if self.exact else 0.0)

    def read(self, node: Node) -> dict[str, Any]:
        return {name: self.values[var] for name, var in node.operands.items()}

    def step(self, node: Node, of: str, arrays: dict[str, Any]) -> dict[str, Any]:
        """Equations of a node's op, at arrays by their names in it."""
        sizes = {s: self.size(value) for s, value in node.sizes.items()}
        if self.exact:
            return exactly.arrays_at(node, of, arrays, sizes)
        op = node.at
        given = {a: arrays[a.name] for a in exactly.arrays_of(op) if a.name in arrays}
        evaluator = numeric.Evaluator(op, given, {s.name: v for s, v in sizes.items()})
        evaluator.compute(exactly.equations_of(op, of, arrays))
        return {made_by(e).name: evaluator.tensors[made_by(e).name] for e in wanted_by(op, of)}
