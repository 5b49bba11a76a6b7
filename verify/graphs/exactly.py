"""One node at given cells, by exact evaluation: what its op's equations say there. Trusted."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS, Numbers
from gradproof.graphs.nodes import Node
from gradproof.language.ops import Op, cotangent, tangent, target_of
from gradproof.language.terms import Array, Sym, Term


def rules_of(op: Op) -> dict[Array, Term]:
    """The rule that a graph follows for each input: the first that the definition has."""
    found: dict[Array, Term] = {}
    for rule in op.vjp:
        of = target_of(rule).array.of
        primal = next(a for a in op.inputs if a.name == of)
        found.setdefault(primal, rule)
    return found


def arrays_of(op: Op) -> tuple[Array, ...]:
    """All that its equations may read."""
    tangents = map(tangent, op.inputs)
    return (*op.operands, op.output, *tangents, cotangent(op.output))


def equation_of(op: Op, of: str) -> Term:
    """`forward`, `jvp`, or the rule for the named cotangent."""
    return op.equations[of] if of in op.equations else op.rule(of)


def array_of(
    node: Node,
    of: str,
    arrays: Mapping[str, Any],
    sizes: Mapping[Sym, Any],
    numbers: Numbers = RATIONALS,
) -> Any:
    """The array that an equation of the node's op defines, cell by cell."""
    equation = equation_of(node.at, of)
    tensors = {name: values.__getitem__ for name, values in arrays.items()}
    evaluator = Evaluator(numbers, tensors)
    shape = evaluator.shape(target_of(equation).array, sizes)
    found = np.empty(shape, dtype=object)
    for index in product(*map(range, shape)):
        found[index] = evaluator.equation(equation, index, sizes)
    return found
