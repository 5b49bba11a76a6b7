"""A graph as one op: the equations of its nodes, with variables for their arrays. Trusted.

So a rule for the whole is settled against what its nodes compute, entry by entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from gradproof.graphs.nodes import GraphError, Node, Var, Wiring
from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, replace_reads, tangent, target_of, value_at
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Array, Read, Sym, Term, Terms

ROLES = {"primal": lambda a: a, "tangent": tangent, "cotangent": cotangent}


@dataclass(frozen=True)
class Fusion:
    """The equations of nodes in the arrays of a graph; these may have an axis for turns first.

    What turns share has none.
    """

    wiring: Wiring
    turns: Terms = ()
    shared: frozenset[Var] = frozenset()
    fresh: Fresh = field(default_factory=Fresh)

    def of(self, var: Var) -> Array:
        return Array(var.name, (*self.turn(var, self.turns), *var.shape), span=var.span)

    def turn(self, var: Var | None, terms: Terms) -> Terms:
        """What a variable has first in its shape, or in its index."""
        return () if var in self.shared else terms

    def array(self, node: Node, name: str) -> Array:
        """For the array of a node's op, by its name there."""
        var = {**node.operands, **node.results}.get(name)
        if var is not None:
            return self.of(var)
        own = next(a for a in node.at.computed if a.name == name)
        dims = (substitute(d, node.sizes, self.fresh) for d in own.dims)
        return Array(f"{node.name}_{name}", (*self.turns, *dims))

    def place(self, array: Array) -> tuple[Sym, ...]:
        """Names for its index, which no size has; the turn is first."""
        sizes = {*self.wiring.symbols}.union(*map(free, self.turns))
        taken = {s.name for s in sizes}
        names = (n for n in map("i{}".format, count()) if n not in taken)
        return tuple(Sym(next(names)) for _ in array.dims)

    def value(self, node: Node, equation: Term, place: Terms) -> Term:
        """What an equation of a node's op says at a place."""
        depth = len(self.turns)
        turn, own = place[:depth], place[depth:]
        vars = {**node.operands, **node.results}
        said = value_at(equation, own, self.fresh, node.sizes)

        def find(read: Read) -> Callable[..., Term]:
            name = read.array.of or read.array.name
            array = ROLES[read.array.role](self.array(node, name))
            first = self.turn(vars.get(name), turn)
            return lambda *index: array[(*first, *index)]

        return replace_reads(said, find, self.fresh)

    def forwards(self) -> Iterator[Term]:
        """What each array is that a node computes."""
        for node in self.wiring.nodes:
            for equation in node.at.system:
                made = self.array(node, target_of(equation).array.name)
                place = self.place(made)
                yield t.Eq(made[place], self.value(node, equation, place))


def as_op(wiring: Wiring, jvp: Any = (), vjp: Any = ()) -> Op:
    """The graph as an op of its inputs and outputs, with rules for the whole."""
    copied = [v for v in wiring.outputs if v in wiring.inputs]
    if copied:
        raise GraphError(f"{wiring.name}: the output {copied[0].name} is an input, which no op has")
    fused = Fusion(wiring)
    equations = {target_of(e).array: e for e in fused.forwards()}
    outputs = [v.array for v in wiring.outputs]
    return Op(
        wiring.name,
        requires=(*wiring.given, *wiring.values),
        constants=tuple(x.array for x in wiring.inputs if not x.moves and not x.span),
        let=tuple(e for a, e in equations.items() if a not in outputs),
        forward=tuple(equations[a] for a in outputs),
        jvp=jvp,
        vjp=vjp,
    )
