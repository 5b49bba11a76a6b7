"""A graph, layer after layer, as one op: a recurrence over layers of any number. Untrusted: the op
is settled like any other, its rules against its equations.

Every layer has weights of its own: all inputs but the one that is handed on have an axis more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gradproof.graphs.arithmetic import short
from gradproof.graphs.fusing import Fusion
from gradproof.graphs.nodes import GraphError, Node, Var, Wiring, rules_of
from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, replace_reads, tangent
from gradproof.language.terms import Array, Read, Sym, Term

Rename = Callable[[Array], Array]


@dataclass(frozen=True)
class Stack:
    """A graph of one output, which the next layer takes for one of its inputs."""

    wiring: Wiring
    depth: Term
    state: Var

    def __post_init__(self) -> None:
        name, (handed,) = self.wiring.name, self.wiring.outputs[:1]
        if len(self.wiring.outputs) != 1 or not self.state.moves or handed is self.state:
            raise GraphError(f"{name}: a layer computes one output from {self.state.name}")
        if [*map(short, handed.shape)] != [*map(short, self.state.shape)]:
            raise GraphError(
                f"{name}: {handed} is handed on as {self.state}; make these shapes one"
            )
        if systems := [n for n in self.wiring.nodes if n.op.is_system]:
            raise GraphError(f"{systems[0]}: a system of equations is no part of a layer")

    @cached_property
    def fusion(self) -> Fusion:
        return Fusion(self.wiring, (self.depth,))

    @cached_property
    def made(self) -> Array:
        """What each layer computes."""
        return self.fusion.of(self.wiring.outputs[0])

    @cached_property
    def taken(self) -> Array:
        """What each layer takes."""
        return self.fusion.of(self.state)

    @cached_property
    def first(self) -> Array:
        return Array(f"{self.state.name}_first", self.state.shape)

    @cached_property
    def last(self) -> Array:
        return Array(f"{self.wiring.outputs[0].name}_last", self.state.shape)

    def handed(self, first: Array, taken: Array, made: Array) -> Term:
        """What a layer takes is what came in, or what the layer before made."""
        layer, *cell = self.fusion.place(taken)
        before = made[(t.plus(layer, -1), *cell)]
        said = t.If(t.Eq(layer, 0), first[tuple(cell)], before)
        return t.Eq(taken[(layer, *cell)], said)

    def ended(self, last: Array, made: Array) -> Term:
        _, *cell = self.fusion.place(made)
        return t.Eq(last[tuple(cell)], made[(t.plus(self.depth, -1), *cell)])

    def let(self) -> Iterator[Term]:
        yield self.handed(self.first, self.taken, self.made)
        yield from self.fusion.forwards()

    def pushed(self) -> Iterator[Term]:
        """The tangents, layer after layer."""
        yield self.handed(*map(tangent, (self.first, self.taken, self.made)))
        for node in self.moving:
            made = tangent(self.fusion.of(self.result(node)))
            place = self.fusion.place(made)
            value = self.fusion.value(node, node.at.jvps[0], place)
            yield t.Eq(made[place], self.still(value))
        yield self.ended(*map(tangent, (self.last, self.made)))

    def pulled(self) -> Iterator[Term]:
        """The cotangents, from the last layer to the first: uses of one add up."""
        for var in (*(self.result(n) for n in reversed(self.moving)), *self.wiring.moving):
            made = cotangent(self.fusion.of(var))
            place = self.fusion.place(made)
            parts = [*self.uses(var, place)]
            if var is self.wiring.outputs[0]:
                parts.append(self.from_above(place))
            yield t.Eq(made[place], t.plus(*parts))
        _, *cell = self.fusion.place(self.taken)
        here = (*cell,)
        yield t.Eq(cotangent(self.first)[here], cotangent(self.taken)[(0, *cell)])

    def uses(self, var: Var, place: tuple[Sym, ...]) -> Iterator[Term]:
        for node in self.moving:
            for a, rule in rules_of(node.at).items():
                if node.operands[a.name] is var:
                    yield self.fusion.value(node, rule, place)

    def from_above(self, place: tuple[Sym, ...]) -> Term:
        """The cotangent of what a layer hands on: the next layer's, or what is given."""
        layer, *cell = place
        above = cotangent(self.taken)[(t.plus(layer, 1), *cell)]
        is_last = t.Eq(layer, t.plus(self.depth, -1))
        return t.If(is_last, cotangent(self.last)[tuple(cell)], above)

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

    def __call__(self, name: str) -> Op:
        given = [t.relation(t.Ge, self.depth, 1), *self.wiring.given]
        return Op(
            name,
            requires=tuple(dict.fromkeys(given)),
            constants=tuple(self.fusion.of(x) for x in self.wiring.inputs if not x.moves),
            let=tuple(self.let()),
            forward=self.ended(self.last, self.made),
            jvp=tuple(self.pushed()),
            vjp=tuple(self.pulled()),
        )
