"""What nodes require of values: shown of what is computed, or assumed of inputs. Trusted.

A clause of an op about its arrays speaks here of the variables that the node takes. So many nodes
back, these are what their equations say; all that is further back is any number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gradproof.graphs.nodes import Node, Var, Wiring, put
from gradproof.language import terms as t
from gradproof.language.ops import replace_reads, value_at
from gradproof.language.requirements import about_values, over_cells, spans_of
from gradproof.language.substitution import Fresh
from gradproof.language.terms import Read, Term, Terms, Triple
from gradproof.theorems.sequents import Sequent, Theorem

DEPTHS = range(4)  # how many nodes back


@dataclass(frozen=True)
class Backwards:
    """Entries of variables as what the nodes before them say."""

    made_by: Mapping[Var, Node]
    fresh: Fresh

    def entry(self, var: Var, index: Terms, depth: int) -> Term:
        node = self.made_by.get(var)
        if node is None or not depth or node.op.is_system:
            return var[index]
        value = value_at(node.at.forwards[0], index, self.fresh, node.sizes)
        return self.put(value, node, depth - 1)

    def put(self, term: Term, node: Node, depth: int) -> Term:
        """A term of a node's op, its sizes put in already, with variables for its arrays."""

        def find(read: Read) -> Callable[..., Term]:
            return lambda *index: self.entry(node.operands[read.array.name], index, depth)

        return replace_reads(term, find, self.fresh)


def values_of(wiring: Wiring, node: Node, depth: int) -> Theorem | None:
    """That what a node takes has the values that its op requires; None if it requires none."""
    clauses = [node.at.closed(c) for c in node.at.requires if about_values(c)]
    if not clauses:
        return None
    assumed = assumed_of(wiring)
    made_by = {var: n for n in wiring.nodes for var in n.results.values()}
    back = Backwards(made_by, Fresh(*clauses, *assumed, *wiring.given))
    parts = [back.put(put(c, node.sizes), node, depth) for c in clauses]
    sequents = tuple(sequent(part, assumed) for part in parts)
    stated = "; ".join(map(str, clauses))
    return Theorem(f"values of {node.name}", "defined", stated, wiring.given, sequents)


def sequent(clause: Term, assumed: Terms) -> Sequent:
    over: tuple[Triple, ...] = ()
    if isinstance(clause, t.ForAll):
        over, clause = clause.ranges, clause.body
    read = t.arrays(clause)
    when = (c for c in (*spans_of(sorted(read, key=str)), *assumed) if t.arrays(c) & read)
    return Sequent(over, tuple(when), clause)


def assumed_of(wiring: Wiring) -> Terms:
    """What is assumed of the entries of inputs, of all of them."""
    arrays = {x.name: x.array for x in wiring.inputs}

    def find(read: Read) -> Callable[..., Term]:
        return lambda *index: arrays[read.array.name][index]

    own = (replace_reads(c, find, Fresh(c)) for c in wiring.values)
    return tuple(over_cells(c, wiring.symbols) for c in own)
