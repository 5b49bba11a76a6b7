"""A graph, turn after turn, as one op: the layers of a stack, or the places of a sequence. Trusted.

For each number of turns it is a graph of that many copies, and its rules are forward and reverse
accumulation through them: what proves a graph of one turn proves it. What is shared by all turns is
given once. All other inputs have an axis more, for the turns, but for the states, which one turn
hands to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gradproof.graphs.fusing import Fusion
from gradproof.graphs.nodes import GraphError, Node, Var, Wiring, demand, rules_of
from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, replace_reads, tangent
from gradproof.language.terms import Array, Read, Sym, Term, Terms
from gradproof.theorems.sequents import Theorem


@dataclass(frozen=True, eq=False)
class Stack:
    """A graph, what it computes for the next turn's states, and what all turns share.

    Its outputs are those of the last turn, or with `each` those of every turn.
    """

    name: str
    wiring: Wiring
    turns: Term
    carried: Mapping[Var, Var]
    shared: frozenset[Var] = frozenset()
    each: bool = False

    def __post_init__(self) -> None:
        name, computed = self.wiring.name, {self.result(n) for n in self.wiring.nodes}
        for state, made in self.carried.items():
            if state not in self.wiring.moving or state in self.shared:
                raise GraphError(f"{name}: {state.name} is no input that can be handed on")
            if made not in computed or not made.moves:
                raise GraphError(
                    f"{name}: {made.name}, handed on as {state.name}, must be computed"
                )
            if len(made.shape) != len(state.shape):
                raise GraphError(f"{name}: {made} is handed on as {state}; make these shapes one")
        if not self.carried:
            raise GraphError(f"{name}: it hands nothing on; say which input takes what it computes")
        if still := [y for y in self.wiring.outputs if y not in computed or not y.moves]:
            raise GraphError(f"{name}: the output {still[0].name} depends on no input that moves")
        if foreign := [x for x in self.shared if x not in self.wiring.inputs]:
            raise GraphError(f"{name}: {foreign[0].name} is shared, and no input")
        if self.wiring.values:
            raise GraphError(
                f"{name}: assumes {self.wiring.values[0]}, which is not known of turns"
            )
        if systems := [n for n in self.wiring.nodes if n.op.is_system]:
            raise GraphError(f"{systems[0]}: a system of equations is no part of a turn")

    @cached_property
    def fusion(self) -> Fusion:
        return Fusion(self.wiring, (self.turns,), self.shared)

    def place(self, var: Var) -> tuple[Sym, tuple[Sym, ...]]:
        """A turn, and a cell of a variable."""
        turn, *cell = self.fusion.place(Array(var.name, (self.turns, *var.shape)))
        return turn, tuple(cell)

    def of(self, var: Var, role: Role, turn: Any, cell: Terms) -> Term:
        return role(self.fusion.of(var))[(*self.fusion.turn(var, (turn,)), *cell)]

    def first(self, state: Var) -> Array:
        return Array(f"{state.name}_first", state.shape)

    def output(self, var: Var) -> Array:
        if self.each:
            return Array(f"{var.name}_each", (self.turns, *var.shape))
        return Array(f"{var.name}_last", var.shape)

    def handed(self, role: Role) -> Iterator[Term]:
        """What a turn takes is what came in, or what the turn before made."""
        for state, made in self.carried.items():
            turn, cell = self.place(state)
            before = self.of(made, role, t.plus(turn, -1), cell)
            said = t.If(t.Eq(turn, 0), role(self.first(state))[cell], before)
            yield t.Eq(self.of(state, role, turn, cell), said)

    def ended(self, role: Role) -> Iterator[Term]:
        for var in self.wiring.outputs:
            turn, cell = self.place(var)
            if self.each:
                made = role(self.output(var))[(turn, *cell)]
                yield t.Eq(made, self.of(var, role, turn, cell))
            else:
                last = self.of(var, role, t.plus(self.turns, -1), cell)
                yield t.Eq(role(self.output(var))[cell], last)

    def let(self) -> Iterator[Term]:
        yield from self.handed(primal)
        yield from self.fusion.forwards()

    def pushed(self) -> Iterator[Term]:
        """The tangents, turn after turn."""
        yield from self.handed(tangent)
        for node in self.moving:
            turn, cell = self.place(self.result(node))
            value = self.fusion.value(node, node.at.jvps[0], (turn, *cell))
            yield t.Eq(self.of(self.result(node), tangent, turn, cell), self.still(value))
        yield from self.ended(tangent)

    def pulled(self) -> Iterator[Term]:
        """The cotangents, from the last turn to the first: uses of one add up."""
        for var in (*(self.result(n) for n in reversed(self.moving)), *self.wiring.moving):
            turn, cell = self.place(var)
            value = t.plus(*self.uses(var, turn, cell), *self.from_above(var, turn, cell))
            if var in self.shared:
                value = t.Sum(value, (turn, 0, t.plus(self.turns, -1)))
            yield t.Eq(self.of(var, cotangent, turn, cell), value)
        for state in self.carried:
            _, cell = self.place(state)
            first = cotangent(self.first(state))[cell]
            yield t.Eq(first, self.of(state, cotangent, 0, cell))

    def uses(self, var: Var, turn: Sym, cell: Terms) -> Iterator[Term]:
        for node in self.moving:
            for a, rule in rules_of(node.at).items():
                if node.operands[a.name] is var:
                    yield self.fusion.value(node, rule, (turn, *cell))

    def from_above(self, var: Var, turn: Sym, cell: Terms) -> Iterator[Term]:
        """The cotangent of what a turn computes: what is given of outputs, and the next turn's."""
        is_last = t.Eq(turn, t.plus(self.turns, -1))
        if var in self.wiring.outputs:
            given = cotangent(self.output(var))
            yield given[(turn, *cell)] if self.each else t.If(is_last, given[cell], 0)
        for state, made in self.carried.items():
            if made is var:
                above = self.of(state, cotangent, t.plus(turn, 1), cell)
                yield t.If(is_last, 0, above)

    @cached_property
    def moving(self) -> tuple[Node, ...]:
        return tuple(n for n in self.wiring.nodes if n.moves)

    def result(self, node: Node) -> Var:
        return next(iter(node.results.values()))

    def still(self, value: Term) -> Term:
        """With 0 for the tangents of what does not move."""
        moving = {tangent(self.fusion.of(v)) for v in self.wiring.moving}
        moving |= {tangent(self.fusion.of(self.result(n))) for n in self.moving}

        def find(read: Read) -> Callable[..., Any] | None:
            is_still = read.array.role == "tangent" and read.array not in moving
            return (lambda *index: 0) if is_still else None

        return replace_reads(value, find, self.fusion.fresh)

    @property
    def sizes(self) -> Theorem:
        """That what is handed on has the shape of the state."""
        pairs = (
            (a, b) for s, y in self.carried.items() for a, b in zip(s.shape, y.shape, strict=True)
        )
        equal = tuple(t.Eq(a, b) for a, b in pairs if a != b)
        return demand(f"what {self.name} hands on", self.wiring.given, equal)

    @cached_property
    def op(self) -> Op:
        given = [t.relation(t.Ge, self.turns, 1), *self.wiring.given]
        return Op(
            self.name,
            requires=tuple(dict.fromkeys(given)),
            constants=tuple(self.fusion.of(x) for x in self.wiring.inputs if not x.moves),
            let=tuple(self.let()),
            forward=tuple(self.ended(primal)),
            jvp=tuple(self.pushed()),
            vjp=tuple(self.pulled()),
        )


Role = Callable[[Array], Array]


def primal(array: Array) -> Array:
    return array
