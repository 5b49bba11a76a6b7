"""Forward and reverse accumulation: the rules of all nodes, one after another. Trusted.

What a cell is, and how a rule is evaluated, is the caller's: floats on arrays, or exact numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradproof.graphs.nodes import Node, Var, Wiring, rules_of
from gradproof.language.ops import cotangent, tangent, target_of

Arrays = dict[Var, Any]
Named = dict[str, Any]
Step = Callable[[Node, str, Named], Named]  # equations of a node's op, at arrays by name


@dataclass(frozen=True)
class Accumulation:
    """A graph at values of all its variables."""

    wiring: Wiring
    values: Arrays
    step: Step
    zero: Callable[[Var], Any]

    def read(self, node: Node) -> Named:
        """What a node takes and what it computes, by the names that its op gives them."""
        there = {**node.operands, **node.results}
        return {name: self.values[var] for name, var in there.items()}

    def pushed(self, given: Arrays) -> Arrays:
        """The tangents of all that moves, from those of the inputs."""
        dots = {x: given.get(x, self.zero(x)) for x in self.wiring.moving}
        for node in self.wiring.nodes:
            if node.moves:
                arrays = self.read(node)
                for a in node.at.inputs:
                    var = node.operands[a.name]
                    arrays[tangent(a).name] = dots[var] if var.moves else self.zero(var)
                found = self.step(node, "jvp", arrays)
                dots |= {node.results[y.name]: found[tangent(y).name] for y in node.at.outputs}
        return dots

    def pulled(self, given: Arrays) -> Arrays:
        """The cotangents of all that moves, from those of the outputs: uses of one add up."""
        bars = {v: given.get(v, self.zero(v)) for v in self.values if v.moves}
        for node in reversed(self.wiring.nodes):
            if node.moves:
                arrays = self.read(node)
                for y in node.at.outputs:
                    arrays[cotangent(y).name] = bars[node.results[y.name]]
                found = self.step(node, "vjp", arrays)
                for a, rule in rules_of(node.at).items():
                    var = node.operands[a.name]
                    if var.moves:
                        bars[var] = bars[var] + found[target_of(rule).array.name]
        return bars
