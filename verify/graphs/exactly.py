"""One node at given cells, by exact evaluation: what its op's equations say there. Untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from gradproof.evaluate.compiled import Evaluator, as_real, compiled
from gradproof.evaluate.judge import Evaluator as Judge
from gradproof.evaluate.judge import within
from gradproof.evaluate.numbers import RATIONALS, Numbers, Undefined
from gradproof.graphs.nodes import Node
from gradproof.language.ops import Op, cotangent, tangent, target_of
from gradproof.language.terms import Array, Scatter, Sym, Term


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
    target = target_of(equation)
    found = np.empty(evaluator.shape(target.array, sizes), dtype=object)
    if isinstance(equation, Scatter):
        found.fill(numbers.zero)
        added(equation, evaluator, sizes, found)
        return found
    value = as_real(equation.right)
    for index in product(*map(range, found.shape)):
        found[index] = value(evaluator, {**sizes, **dict(zip(target.index, index, strict=True))})
    return found


def added(equation: Scatter, evaluator: Evaluator, sizes: Mapping[Sym, Any], total: Any) -> None:
    """What a scatter adds, place by place."""
    where, value = compiled(equation.where), as_real(equation.value)
    index = [compiled(e) for e in equation.target.index]
    for place in Judge(evaluator.numbers, {}).places(equation.ranges, sizes):
        if where(evaluator, place):
            at = tuple(e(evaluator, place) for e in index)
            if not within(at, total.shape):
                raise Undefined(f"writes {equation.target.array}{list(at)}")
            total[at] = total[at] + value(evaluator, place)
