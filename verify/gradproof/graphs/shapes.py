"""What nodes ask of sizes, settled; and how it is told that they cannot have it. Deciding."""

from __future__ import annotations

from functools import lru_cache

from gradproof.graphs.nodes import (
    Demand,
    Node,
    Wiring,
    demand,
    demands,
    is_plainly_true,
    sizes_of,
)
from gradproof.graphs.requiring import DEPTHS, values_of
from gradproof.language.substitution import free
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.settle.conclusions import Finding
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status


@lru_cache(maxsize=5_000)
def found(theorem: Theorem) -> Finding:
    return settled(theorem, RLIMIT)


def of_condition(given: Terms, condition: Term) -> Finding:
    return found(demand("sizes", given, (condition,)))


def unmet(node: Node, given: Terms) -> tuple[Demand, Finding] | None:
    """The first thing that a node asks and does not get under the assumptions."""
    if found(sizes_of(node, given)).status == "proved":
        return None
    for each in demands(node):
        if not is_plainly_true(each.condition):
            finding = of_condition(given, each.condition)
            if finding.status != "proved":
                return each, finding
    return None


def values_shown(wiring: Wiring, node: Node) -> Theorem | None:
    """That a node's values are as required, as far back as it takes; None if nothing is."""
    tried = [values_of(wiring, node, depth) for depth in DEPTHS]
    said = list(dict.fromkeys(theorem for theorem in tried if theorem is not None))
    proved = (theorem for theorem in said if found(theorem).status == "proved")
    return next(proved, said[0]) if said else None


def values_unmet(wiring: Wiring, node: Node) -> str:
    """Why a node cannot have the values that it requires, if it is not known to."""
    theorem = values_shown(wiring, node)
    if theorem is None or found(theorem).status == "proved":
        return ""
    return (
        f"{node.where}: {node.name}: {node.op.name} requires {theorem.statement}, which is not "
        f"known ({found(theorem).status}); assume what gives it of inputs, assume(x[i] > 0)"
    )


def told(node: Node, given: Terms, wanted: Demand, finding: Finding) -> str:
    """Why a node cannot be, with the smallest sizes at which it cannot."""
    said = f"{node.where}: {node.name}: {wanted.reason}: {wanted.condition}"
    example = finding.counterexample
    if finding.status == Status.VACUOUS:
        shown = ", ".join(map(str, given))
        return f"{node.where}: {node.name}: the assumptions {shown} contradict each other"
    if not free(wanted.condition):
        return f"{said} does not hold"
    if example is None:
        return f"{said} is not known for all sizes ({finding.status}); assume it, or what gives it"
    sizes = ", ".join(f"{s} = {v}" for s, v in example.sizes.items())
    least = "the smallest sizes" if example.smallest else "sizes that are perhaps not the smallest"
    return f"{said} fails at {sizes}, {least}; exclude them by assume(…), or change the graph"
