"""The same wiring at small sizes: its numbers become symbols, and those small numbers. Untrusted.

What composes the rules of nodes does not look at sizes, so that a small twin tries the very wiring.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import sympy

from gradproof.evaluate.shapes import admits
from gradproof.graphs.arithmetic import short, valued
from gradproof.graphs.matching import matched, result_shapes
from gradproof.graphs.nodes import Node, Var, Wiring, demands, is_plainly_true
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import INT, Sym, Term, Terms
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.proving import prove_part
from gradproof.theorems.sequents import Sequent, Theorem

Sizes = dict[Sym, Any]
MOST = 1_000  # of a size that was computed


@dataclass(frozen=True)
class Twin:
    """A wiring of symbols, what they must satisfy, and the most that each may be."""

    wiring: Wiring
    conditions: Terms
    most: dict[Sym, int]


class Loosening:
    """What has a number above 1 becomes a symbol; what equations determine is put in."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring, self.numbers = wiring, count(1)
        self.most: dict[Sym, int] = {}
        self.known: dict[Term, Term] = {}
        self.conditions: list[Term] = []

    def loose(self, term: Term) -> Term:
        numbers = (u for u in t.walk(term) if isinstance(u, sympy.Integer))
        if not any(abs(u) > 1 for u in numbers):
            return term
        symbol = Sym(f"size_{next(self.numbers)}")
        self.most[symbol] = int(term) if isinstance(term, sympy.Integer) else MOST
        return symbol

    def put(self, terms: Terms) -> Terms:
        found = terms
        while (again := tuple(short(valued(u, self.known)) for u in found)) != found:
            found = again
        return found

    def __call__(self) -> Twin:
        vars: dict[Var, Var] = {}
        for x in self.wiring.inputs:
            shape, span = (tuple(map(self.loose, part)) for part in (x.shape, x.span))
            vars[x] = replace(x, shape=shape, span=span)
        nodes = []
        for node in self.wiring.nodes:
            shaped = {d for a in node.at.operands for d in a.dims}
            own = {s: v for s, v in node.sizes.items() if s in node.said or s not in shaped}
            said = {s: self.loose(v) if s.sort == INT else v for s, v in own.items()}
            twin = self.fitted(node, vars, said)
            vars |= {v: twin.results[y] for y, v in node.results.items()}
            nodes.append((node, said))
        return self.finished(vars, nodes)

    def fitted(self, node: Node, vars: dict[Var, Var], said: Sizes) -> Node:
        """The node where sizes that it makes equal are one."""
        while True:
            made = self.made(node, vars, said)
            equal = next(filter(None, (self.determined(d.condition) for d in demands(made))), None)
            if equal is None:
                self.conditions += [d.condition for d in demands(made)]
                return made
            self.known[equal[0]] = equal[1]

    def made(self, node: Node, vars: dict[Var, Var], said: Sizes) -> Node:
        operands = {
            name: replace(vars[v], shape=self.put(vars[v].shape), span=self.put(vars[v].span))
            for name, v in node.operands.items()
        }
        chosen = {s: self.put((v,))[0] if s.sort == INT else v for s, v in said.items()}
        sizes = matched(node.op, node.rank, operands, chosen)
        shapes = result_shapes(node.op, node.rank, sizes)
        results = {y: replace(v, shape=shapes[y]) for y, v in node.results.items()}
        return replace(node, sizes=sizes, operands=operands, results=results)

    def determined(self, condition: Term) -> tuple[Sym, Term] | None:
        """The symbol that an equation determines, and by what."""
        if not isinstance(condition, t.Eq):
            return None
        left, right = map(short, condition.args)
        for symbol, other in ((left, right), (right, left)):
            if symbol in self.most and symbol not in free(other):
                return symbol, other
        return None

    def finished(self, vars: dict[Var, Var], made: list[tuple[Node, Sizes]]) -> Twin:
        """Once more from the start, with all that was determined put in."""
        there = {
            x: replace(vars[x], shape=self.put(vars[x].shape), span=self.put(vars[x].span))
            for x in self.wiring.inputs
        }
        nodes = []
        for node, said in made:
            twin = self.made(node, vars, said)
            operands = {name: there[v] for name, v in node.operands.items()}
            there |= {v: twin.results[y] for y, v in node.results.items()}
            nodes.append(replace(twin, operands=operands))
        wiring = replace(
            self.wiring,
            inputs=tuple(there[x] for x in self.wiring.inputs),
            nodes=tuple(nodes),
            outputs=tuple(there[v] for v in self.wiring.outputs),
        )
        put = dict.fromkeys(c for c in map(self.condition, self.conditions))
        kept = tuple(c for c in put if not is_plainly_true(c))
        most = {s: n for s, n in self.most.items() if s not in self.known}
        return Twin(wiring, kept, most)

    def condition(self, term: Term) -> Term:
        found = term
        while (again := valued(found, self.known)) != found:
            found = again
        return found


def small_sizes(wiring: Wiring) -> Iterator[tuple[Wiring, Sizes]]:
    """Twins with few cells, first with no size below 2 that need not be; then any."""
    twin = Loosening(wiring)()
    symbols = sorted(twin.wiring.symbols, key=str)
    whole = [s for s in symbols if s.sort == INT]
    bounds = [c for s in whole for c in (t.Ge(s, 1), *upper(s, twin.most))]
    mixed = [g for g in wiring.given if any(s.sort != INT for s in free(g))]
    known = (*twin.conditions, *mixed, *bounds)
    larger = tuple(t.Ge(s, 2) for s in whole)
    for wish in (larger, ()):
        found = model(known + wish)
        if found is not None:
            yield twin.wiring, {s: found.get(s, 1) for s in symbols}


def upper(symbol: Sym, most: dict[Sym, int]) -> Terms:
    return (t.Le(symbol, most[symbol]),) if symbol in most else ()


def model(given: Terms) -> Sizes | None:
    """Numbers that satisfy conditions, each made as small as the others let it."""
    nothing = Sequent((), (), t.Or())
    theorem = Theorem("small sizes", "size", "", tuple(dict.fromkeys(given)), (nothing,))
    attempt = prove_part(theorem, nothing, False, RLIMIT)
    symbols = sorted({s for g in given for s in free(g)}, key=str)
    values: Sizes = {s: attempt.model.get(s.name, 1) for s in symbols}
    is_admitted = admits(theorem.given)
    if attempt.status != "refuted" or not is_admitted(values):
        return None
    before: Sizes = {}
    while values != before:
        before = values
        for symbol in (s for s in symbols if s.sort == INT):
            lower = ({**values, symbol: n} for n in range(1, values[symbol]))
            values = next(filter(is_admitted, lower), values)
    return values
