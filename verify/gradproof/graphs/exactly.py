"""One node at given cells, by exact evaluation: what its op's equations say there. Untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from gradproof.evaluate.compiled import Evaluator, as_real, compiled
from gradproof.evaluate.judge import Evaluator as Judge
from gradproof.evaluate.judge import Whole, within
from gradproof.evaluate.numbers import RATIONALS, Numbers, Undefined
from gradproof.graphs.nodes import Node, followed
from gradproof.language.ops import Op, cotangent, tangent, target_of
from gradproof.language.systems import Equations, made_by, needed_by
from gradproof.language.terms import Array, Scatter, Sym, Term


def arrays_of(op: Op) -> tuple[Array, ...]:
    """All that a node may be given: what its op reads, and what is known of what it computes."""
    tangents = map(tangent, op.inputs)
    return (*op.operands, *op.outputs, *tangents, *map(cotangent, op.outputs))


def wanted_by(op: Op, of: str) -> Equations:
    """The equations of `forward`, of `jvp`, or of the rules that are followed, `vjp`."""
    return {"forward": op.system, "jvp": op.jvps, "vjp": followed(op)}[of]


def equations_of(op: Op, of: str, known: Mapping[str, Any]) -> Equations:
    """These, and what they need that is not known."""
    rules = wanted_by(op, of)
    missing = tuple(e for e in op.system if made_by(e).name not in known)
    return (*(e for e in needed_by(rules, missing) if e not in rules), *rules)


def arrays_at(
    node: Node,
    of: str,
    arrays: Mapping[str, Any],
    sizes: Mapping[Sym, Any],
    numbers: Numbers = RATIONALS,
) -> dict[str, Any]:
    """The arrays that equations of the node's op define, cell by cell."""
    op = node.at
    whole = {a.name for a in op.operands if a.span}
    tensors = {
        name: Whole(values.__getitem__) if name in whole else values.__getitem__
        for name, values in arrays.items()
    }
    evaluator = Evaluator(numbers, tensors, equations_of(op, of, arrays))
    evaluator.sizes = sizes
    return {made_by(e).name: array_of(e, evaluator, sizes) for e in wanted_by(op, of)}


def array_of(equation: Term, evaluator: Evaluator, sizes: Mapping[Sym, Any]) -> Any:
    target = target_of(equation)
    found = np.empty(evaluator.shape(target.array, sizes), dtype=object)
    if isinstance(equation, Scatter):
        found.fill(evaluator.zero)
        added(equation, evaluator, sizes, found)
        return found
    cell = evaluator.tensors[target.array.name]
    for index in product(*map(range, found.shape)):
        found[index] = cell(index)
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
