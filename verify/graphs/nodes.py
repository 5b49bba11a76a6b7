"""What a graph is made of, and what a node asks of the sizes that reach it. Trusted.

A node is an op with terms of the graph in place of its sizes, and variables in place of its arrays.
That these fit is a theorem about the sizes of the graph: every shape is the one that the op has
there, and its `requires` hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.language import terms as t
from gradproof.language.ops import Op, target_of
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Array, DefinitionError, Sym, Term, Terms
from gradproof.theorems.sequents import Sequent, Theorem


class GraphError(DefinitionError):
    """A graph that cannot be; the message names the node, the line that asked, and what to do."""


@dataclass(frozen=True, eq=False)
class Var:
    """A variable of a graph: an input, or what a node computes. It `moves` if it has a tangent."""

    name: str
    shape: Terms
    moves: bool
    graph: Any = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name} {shown(self.shape)}"

    __iter__ = None


def shown(shape: Terms) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


@dataclass(frozen=True, eq=False)
class Node:
    """An op applied to variables, at a rank; `where` is the line that asked for it.

    Of its sizes some are `said`, the others are those of the variables.
    """

    name: str
    op: Op
    rank: int
    sizes: Mapping[Sym, Term]
    said: Mapping[Sym, Term]
    operands: Mapping[str, Var]
    result: Var
    where: str

    @property
    def at(self) -> Op:
        """The op without bundles."""
        return op_at(self.op, self.rank)

    def __str__(self) -> str:
        return f"{self.where}: {self.name}"


@lru_cache(maxsize=1_000)
def op_at(op: Op, rank: int) -> Op:
    return op.at_rank(rank) if op.is_rank_generic else op


def rules_of(op: Op) -> dict[Array, Term]:
    """The rule that a graph follows for each input: the first that the definition has."""
    found: dict[Array, Term] = {}
    for rule in op.vjp:
        of = target_of(rule).array.of
        primal = next(a for a in op.inputs if a.name == of)
        found.setdefault(primal, rule)
    return found


def put(term: Term, sizes: Mapping[Sym, Term]) -> Term:
    """A term of an op with the node's sizes in place of its own."""
    return substitute(term, sizes, Fresh(term, *sizes.values()))


@dataclass(frozen=True)
class Demand:
    """One thing that a node asks of sizes, and why."""

    condition: Term
    reason: str


def demands(node: Node) -> Iterator[Demand]:
    """Shapes as the op has them, what it requires, and that no size is below 0."""
    op, sizes = node.at, node.sizes
    for a in op.operands:
        var = node.operands[a.name]
        wanted = tuple(put(d, sizes) for d in a.dims)
        has = f"{var.name} has {shown(var.shape)}"
        fits = f"{a} of {op.name} must have shape {shown(wanted)}, and {has}"
        for own, size in zip(wanted, var.shape, strict=True):
            if own != size:
                yield Demand(t.Eq(size, own), fits)
    for clause in op.requires:
        for part in t.conjuncts(put(clause, sizes)):
            yield Demand(part, f"{op.name} requires {clause}")
    for d, size in zip(op.output.dims, node.result.shape, strict=True):
        if (own := put(d, sizes)) != size:
            yield Demand(t.Eq(own, size), "a size in its short form")
        yield Demand(t.relation(t.Ge, size, 0), "no size is below 0")


def is_plainly_true(condition: Term) -> bool:
    """A condition on numbers alone that holds."""
    if free(condition) or t.arrays(condition):
        return False
    return bool(Evaluator(RATIONALS, {}).value(condition, {}))


def demand(name: str, given: Terms, conditions: tuple[Term, ...]) -> Theorem:
    """The theorem that conditions on sizes hold; what is plainly true is left out."""
    kept = dict.fromkeys(c for c in conditions if not is_plainly_true(c) and c not in given)
    sequents = tuple(Sequent((), (), c) for c in kept)
    stated = "; ".join(map(str, kept)) or "every size is a number, and fits"
    return Theorem(name, "size", stated, given, sequents or (Sequent((), (), t.And()),))


def sizes_of(node: Node, given: Terms) -> Theorem:
    """That a node's op is defined at the shapes that reach it."""
    return demand(f"sizes of {node.name}", given, tuple(d.condition for d in demands(node)))


def nonnegative(shape: Terms) -> Terms:
    """What is assumed of the shape of an input."""
    return tuple(t.relation(t.Ge, size, 0) for size in shape if free(size))


@dataclass(frozen=True)
class Wiring:
    """A whole graph: nodes in an order in which each takes what is there before it."""

    name: str
    inputs: tuple[Var, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Var, ...]
    given: Terms

    @property
    def moving(self) -> tuple[Var, ...]:
        """The inputs that it is differentiated by."""
        return tuple(x for x in self.inputs if x.moves)

    @property
    def symbols(self) -> tuple[Sym, ...]:
        """Sizes and parameters, as inputs and then assumptions name them first."""
        shapes = [d for x in self.inputs for d in x.shape]
        nodes = [s for n in self.nodes for s in n.sizes.values()]
        said = (u for term in (*shapes, *self.given, *nodes) for u in t.walk(term))
        return tuple(dict.fromkeys(u for u in said if isinstance(u, Sym)))


def unfit(op: Op) -> str:
    """Why an op cannot be a node: a graph follows one equation, and a rule by each input."""
    if getattr(op, "is_system", False):
        return "is a system of equations, and a node has one"
    if clauses := [c for c in op.requires if t.arrays(c)]:
        return f"requires {clauses[0]} of values, and a graph knows sizes"
    if whole := [a for a in op.operands if a not in (*op.inputs, *op.constants)]:
        return f"reads the integers of {whole[0]}, and variables are of reals"
    if "jvp" not in op.equations:
        return "has no JVP"
    if missing := [x for x in op.inputs if x not in rules_of(op)]:
        return f"has no VJP by {missing[0]}"
    return ""


def check_order(wiring: Wiring) -> None:
    """Nothing is read before it is there, and nothing that moves is taken for a constant."""
    there = dict.fromkeys(wiring.inputs)
    for node in wiring.nodes:
        if fault := unfit(node.op):
            raise GraphError(f"{node}: {node.op.name} {fault}")
        for name, var in node.operands.items():
            if var not in there:
                raise GraphError(f"{node}: {var.name} is not there before it")
            constants = {a.name for a in node.op.constants}
            if var.moves and name in constants:
                raise GraphError(
                    f"{node}: {node.op.name} has no derivative by {name}, and {var.name} depends "
                    "on inputs that have one; declare them by constant(…) instead of input(…)"
                )
        moves = any(var.moves for var in node.operands.values())
        if node.result in there or node.result.moves != moves:
            raise GraphError(f"{node}: {node.result.name} is there before it")
        there[node.result] = None
    if missing := [v.name for v in wiring.outputs if v not in there]:
        raise GraphError(f"{wiring.name}: {', '.join(missing)} is computed by no node")
