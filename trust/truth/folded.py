"""A drawn definition with its sums written as loops that add up. Untrusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gradproof.language import fold, reals
from gradproof.language import terms as t
from trust.truth.draw import Draw, accepted


def folded(draw: Draw) -> Draw:
    op = draw.op
    changed = {
        "forward": in_loops(op.forward),
        "jvp": in_loops(op.jvp),
        "vjp": tuple(map(in_loops, op.vjp)),
    }
    return replace(draw, family="loop", op=accepted(lambda: replace(op, **changed)))


def in_loops(term: Any, depth: int = 0) -> Any:
    """Each sum as a loop; what a bracket guards is added where it holds."""
    inner = t.over_parts(term, lambda u: in_loops(u, depth + isinstance(term, t.Sum)))
    if not isinstance(inner, t.Sum):
        return inner
    total = reals(f"total{depth}")
    guards = [f for f in inner.body.args if isinstance(f, t.Bracket)]
    step = total + inner.body
    if isinstance(inner.body, t.Mul) and guards:
        rest = t.Mul(*(f for f in inner.body.args if f not in guards))
        step = t.If(t.And(*(g.args[0] for g in guards)), total + rest, total)
    return fold(total, *inner.ranges, total=(total, 0, step))


def has_sums(draw: Draw) -> bool:
    rules = (draw.op.forward, draw.op.jvp, *draw.op.vjp)
    return any(isinstance(u, t.Sum) for rule in rules for u in t.walk(rule))
