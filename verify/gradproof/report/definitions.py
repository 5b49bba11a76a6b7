"""A definition as one canonical text, and its hash. Untrusted.

The text says everything that a definition says, and nothing of the run that built it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache

import sympy
from sympy.core.symbol import Str

from gradproof.graphs.nodes import Wiring
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Term


def canonical(term: Term) -> str:
    """The tree of a term, with every part of every node."""
    if isinstance(term, t.Sym):
        return f"{term.name}:{term.sort}{':axes' if term.is_bundle else ''}"
    if isinstance(term, Str):
        return f"'{term.name}'"
    if isinstance(term, sympy.Rational):
        return str(term.p) if term.is_Integer else f"{term.p}/{term.q}"
    return f"({type(term).__name__} {' '.join(map(canonical, term.args))})"


def parts(op: Op) -> Iterator[str]:
    yield f"op {op.name}"
    yield from (f"requires {canonical(r)}" for r in op.requires)
    for w in op.windows:
        terms = " ".join(canonical(t.as_term(e)) for e in (w.count, w.size, w.extent, w.stride))
        within = "" if w.within is None else f" within {canonical(t.as_term(w.within))}"
        yield f"windows {w.rounding} {terms}{within}"
    yield from (f"constant {canonical(a)}" for a in op.constants)
    yield from (f"let {canonical(e)}" for e in op.let)
    yield from (f"equation {canonical(e)}" for e in (*op.forwards, *op.jvps, *op.vjp))
    if op.ties != "subgradient":
        yield f"ties {op.ties!r}"
    if op.scope:
        yield f"scope {op.scope!r}"
    for claim in op.claims:
        yield f"claim {claim.name!r} {canonical(claim.statement)}"
        yield from (f"  given {canonical(g)}" for g in claim.given)
        yield from (f"  without {canonical(g)}" for g in claim.without)
        yield from (f"  symbol {canonical(s)}" for s in claim.symbols)
        if claim.refuted is not None:
            pinned = sorted(f"{canonical(s)} = {v}" for s, v in claim.refuted.items())
            yield f"  refuted {', '.join(pinned)}, twin {claim.twin!r}"


def parts_of_graph(wiring: Wiring) -> Iterator[str]:
    """The same of a graph: ops by their hashes, variables by their names."""
    yield f"graph {wiring.name}"
    for x in wiring.inputs:
        role = "integers" if x.span else "input" if x.moves else "constant"
        yield f"{role} {x.name} {' '.join(map(canonical, (*x.shape, *x.span)))}"
    yield from (f"assumed {canonical(c)}" for c in (*wiring.given, *wiring.values))
    hashes = {op: digest(op) for op in dict.fromkeys(node.op for node in wiring.nodes)}
    for node in wiring.nodes:
        yield f"node {node.name} {node.rank} {hashes[node.op]}"
        yield from (f"  size {canonical(s)} = {canonical(v)}" for s, v in node.sizes.items())
        yield from (f"  size {canonical(s)} is said" for s in node.said)
        yield from (f"  takes {name} = {var.name}" for name, var in node.operands.items())
        for name, var in node.results.items():
            yield f"  makes {var.name} = {name} {' '.join(map(canonical, var.shape))}"
        if node.turns is not None:
            stack, shared = node.turns, sorted(x.name for x in node.turns.shared)
            yield f"  {stack.name}, turns {canonical(stack.turns)}, each {stack.each}, all {shared}"
            yield from (f"  turn {part}" for part in parts_of_graph(stack.wiring))
            yield from (f"  hands {y.name} to {x.name}" for x, y in stack.carried.items())
    yield from (f"output {v.name}" for v in wiring.outputs)


def definition_text(op: Op | Wiring) -> str:
    """All parts, one per line; names that a run made up are numbered from 1."""
    numbers: dict[str, int] = {}

    def renumbered(found: re.Match[str]) -> str:
        return f"'{numbers.setdefault(found[1], len(numbers) + 1)}"

    found = parts(op) if isinstance(op, Op) else parts_of_graph(op)
    return "\n".join(re.sub(r"(?<=\w)'(\d+)", renumbered, part) for part in found) + "\n"


def definition_hash(op: Op | Wiring) -> str:
    return digest(op) if isinstance(op, Op) else digest_of_graph(op)


def digest(op: Op | Wiring) -> str:
    return hashlib.sha256(definition_text(op).encode()).hexdigest()


digest_of_graph = lru_cache(maxsize=100)(digest)  # it is asked for with every theorem
