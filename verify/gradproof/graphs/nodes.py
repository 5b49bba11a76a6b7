"""What a graph is made of, and what a node asks of the sizes that reach it. Trusted.

A node is an op with terms of the graph in place of its sizes, and variables in place of its arrays.
That these fit is a theorem about the sizes of the graph: every shape is the one that the op has
there, every integer in the op's range, and its `requires` hold. What it requires of values is in
`requiring`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.language import terms as t
from gradproof.language.ops import Op, tangent, target_of
from gradproof.language.requirements import about_values
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Array, DefinitionError, Sym, Term, Terms
from gradproof.theorems.sequents import Sequent, Theorem


class GraphError(DefinitionError):
    """A graph that cannot be; the message names the node, the line that asked, and what to do."""


@dataclass(frozen=True, eq=False)
class Var:
    """A variable of a graph: an input, or what a node computes. It `moves` if it has a tangent.

    One of integers has a `span`, the first and the last that its entries may be.
    """

    name: str
    shape: Terms
    moves: bool
    graph: Any = field(repr=False)
    span: Terms = ()

    def __str__(self) -> str:
        return f"{self.name} {shown(self.shape)}"

    __iter__ = None

    @property
    def array(self) -> Array:
        """What equations and conditions call it."""
        return Array(self.name, self.shape, span=self.span)

    def __getitem__(self, index: Any) -> t.Read:
        return self.array[index if isinstance(index, tuple) else (index,)]


def shown(shape: Terms) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


@dataclass(frozen=True, eq=False)
class Node:
    """An op applied to variables, at a rank; `where` is the line that asked for it.

    Of its sizes some are `said`, the others are those of the variables. If the op is a graph, turn
    after turn, `turns` has it.
    """

    name: str
    op: Op
    rank: int
    sizes: Mapping[Sym, Term]
    said: Mapping[Sym, Term]
    operands: Mapping[str, Var]
    results: Mapping[str, Var]
    where: str
    turns: Any = field(default=None, repr=False)

    @property
    def at(self) -> Op:
        """The op without bundles."""
        return op_at(self.op, self.rank)

    @property
    def moves(self) -> bool:
        return any(var.moves for var in self.operands.values())

    def __str__(self) -> str:
        return f"{self.where}: {self.name}"


@lru_cache(maxsize=1_000)
def op_at(op: Op, rank: int) -> Op:
    return op.at_rank(rank) if op.is_rank_generic else op


def rules_of(op: Op) -> dict[Array, Term]:
    """The rule that a graph follows for each input: the first that the definition has."""
    found: dict[Array, Term] = {}
    primal = {a.name: a for a in op.inputs}
    for rule in op.vjp:
        of = target_of(rule).array.of
        if of in primal:
            found.setdefault(primal[of], rule)
    return found


def followed(op: Op) -> Terms:
    """All equations by which a graph pulls back: those rules, and of what the op computes."""
    computed = {a.name for a in op.computed}
    own = tuple(rules_of(op).values())
    return tuple(r for r in op.vjp if r in own or target_of(r).array.of in computed)


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
        for size in var.shape:
            if not isinstance(size, Sym):
                yield Demand(t.relation(t.Ge, size, 0), f"no size is below 0, and {has}")
        for own, size in zip(wanted, var.shape, strict=True):
            if own != size:
                yield Demand(t.Eq(size, own), fits)
        if a.span:
            (first, last), (low, high) = (put(e, sizes) for e in a.span), var.span
            ranges = (
                f"{a} of {op.name} goes from {first} to {last}, {var.name} from {low} to {high}"
            )
            yield Demand(t.relation(t.Ge, low, first), ranges)
            yield Demand(t.relation(t.Le, high, last), ranges)
    for clause in (c for c in op.requires if not about_values(c)):
        for part in t.conjuncts(put(clause, sizes)):
            yield Demand(part, f"{op.name} requires {clause}")
    for y in op.outputs:
        for d, size in zip(y.dims, node.results[y.name].shape, strict=True):
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
    """What is assumed of the shape of an input: its sizes that are symbols, which names them."""
    return tuple(t.relation(t.Ge, size, 0) for size in shape if isinstance(size, Sym))


@dataclass(frozen=True)
class Wiring:
    """A whole graph: nodes in an order in which each takes what is there before it."""

    name: str
    inputs: tuple[Var, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Var, ...]
    given: Terms  # of sizes
    values: Terms = ()  # of the entries of inputs

    @property
    def moving(self) -> tuple[Var, ...]:
        """The inputs that it is differentiated by."""
        return tuple(x for x in self.inputs if x.moves)

    @property
    def symbols(self) -> tuple[Sym, ...]:
        """Sizes and parameters, as inputs and then assumptions name them first."""
        shapes = [d for x in self.inputs for d in (*x.shape, *x.span)]
        nodes = [s for n in self.nodes for s in n.sizes.values()]
        said = (u for term in (*shapes, *self.given, *nodes) for u in t.walk(term))
        return tuple(dict.fromkeys(u for u in said if isinstance(u, Sym)))


def unfit(op: Op) -> str:
    """Why an op cannot be a node: a graph pushes to each output, and pulls to each input."""
    if whole := [y for y in op.outputs if y.span]:
        return f"computes integers, {whole[0]}, which no graph carries on"
    pushed = {target_of(rule).array for rule in op.jvps}
    if missing := [y for y in op.outputs if tangent(y) not in pushed]:
        return "has no JVP" if not pushed else f"has no JVP of {missing[0]}"
    if missing := [x for x in op.inputs if x not in rules_of(op)]:
        return f"has no VJP by {missing[0]}"
    return ""


def check_order(wiring: Wiring) -> None:
    """Nothing is read before it is there, and nothing that moves is taken for a constant."""
    there = dict.fromkeys(wiring.inputs)
    for node in wiring.nodes:
        if fault := unfit(node.op):
            raise GraphError(f"{node}: {node.op.name} {fault}")
        if node.turns is not None and node.op != node.turns.op:
            raise GraphError(f"{node}: {node.op.name} is not what {node.turns.name} says")
        spans = {a.name: a.span for a in node.op.operands}
        for name, var in node.operands.items():
            if var not in there:
                raise GraphError(f"{node}: {var.name} is not there before it")
            constants = {a.name for a in node.op.constants}
            if bool(spans[name]) != bool(var.span):
                kinds = ("reals", "integers") if spans[name] else ("integers", "reals")
                raise GraphError(
                    f"{node}: {name} of {node.op.name} is of {kinds[1]}, {var.name} of {kinds[0]}"
                )
            if var.moves and name in constants:
                raise GraphError(
                    f"{node}: {node.op.name} has no derivative by {name}, and {var.name} depends "
                    "on inputs that have one; declare them by constant(…) instead of input(…)"
                )
        for var in node.results.values():
            if var in there or var.moves != node.moves or var.span:
                raise GraphError(f"{node}: {var.name} is there before it")
            there[var] = None
    if missing := [v.name for v in wiring.outputs if v not in there]:
        raise GraphError(f"{wiring.name}: {', '.join(missing)} is computed by no node")
