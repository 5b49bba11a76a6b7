"""Mistakes in systems: in a rule, in what is required, in what is declared. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from gradproof.language import Array, Eq, Op, cotangent, function, tangent
from gradproof.language import terms as t
from trust.mutants.places import everywhere, exchanged
from trust.truth.draw import FAR, accepted, late, mistakes, one_term_more
from trust.truth.functions import LOOSER, MISSTATED, NORMAL, normal
from trust.truth.slopes import N


def mapped(op: Op, change: Callable[[str, Any], Any]) -> Op:
    """The op with its equations changed."""
    found = {name: change(name, e) for name, e in op.equations.items()}

    def of(kind: str) -> tuple[Any, ...]:
        return tuple(e for name, e in found.items() if name.split()[0] == kind)

    return accepted(
        lambda: replace(op, let=of("let"), forward=of("forward"), jvp=of("jvp"), vjp=of("vjp"))
    )


def with_rule(op: Op, of: str, rule: Any) -> Op:
    return mapped(op, lambda name, e: rule if name == of else e)


@st.composite
def edited(draw: Any, op: Op) -> tuple[Op, str]:
    """The op with one mistake: in an equation, in what is required, in what is declared."""

    def pick(options: Iterable[Any]) -> Any:
        return draw(st.sampled_from(list(options)))

    clauses = [c for c in op.requires if t.arrays(c)]
    parts = [u for e in op.equations.values() for u in t.walk(e)]
    ways = ["term", "term", "array", *["clause"] * 3 * bool(clauses)]
    way = pick([*ways, *["declaration"] * 3 * (normal in parts)])
    if way == "declaration":
        wrong = function("normal", **(NORMAL | pick(MISSTATED)))
        return mapped(op, lambda _, e: exchanged(e, {normal: wrong})), "misstated"
    if way == "clause":
        clause = pick(clauses)
        cell = next(u for u in t.walk(clause) if isinstance(u, t.Read))
        other = pick([None, *(looser(cell) for looser in LOOSER)])
        kept = dict.fromkeys(c for c in (*op.requires, other) if c not in (clause, None))
        return accepted(lambda: replace(op, requires=tuple(kept))), f"{other} for {clause}"
    name = pick(sorted(op.equations))
    rule = op.equations[name]
    if way == "array":
        rule = pick([*others(op, rule)] or [None])
        assume(rule is not None)
        return with_rule(op, name, rule), f"another array in {name}"
    rule, change = draw(mistakes(op, rule))
    return with_rule(op, name, rule), f"{change}, in {name}"


def others(op: Op, rule: Any) -> Iterator[Any]:
    """The rule with one array for another of the same shape."""
    made = [e.target.array for e in op.equations.values()]
    given = [*map(tangent, op.inputs), *map(cotangent, op.outputs)]
    every = dict.fromkeys((*op.operands, *made, *given))

    def another(node: Any) -> Iterator[Any]:
        if isinstance(node, t.Read) and node.array != rule.target.array:
            for v in (v for v in every if v != node.array and is_alike(v, node.array)):
                yield t.rebuild(node, (v, *node.index))

    return everywhere(rule, another)


def is_alike(one: Array, two: Array) -> bool:
    return bool(one.dims == two.dims and one.span == two.span)


@st.composite
def far(draw: Any, op: Op) -> tuple[Op, str, str]:
    """A rule with a term more at large sizes, and the theorem that is false."""
    ends = {f"vjp {cotangent(x)}" for x in op.inputs} | {f"jvp {tangent(y)}" for y in op.outputs}
    whole = [n for n, e in op.equations.items() if n in {*ends, "jvp"} and isinstance(e, Eq)]
    assume(whole)
    name, x = draw(st.sampled_from(whole)), draw(st.sampled_from(op.inputs))
    condition = draw(st.sampled_from(late(N, draw(st.sampled_from(FAR)))))
    is_vjp = name.startswith("vjp")
    by = cotangent(op.output) if is_vjp else tangent(x)
    rule, change = one_term_more(op.equations[name], condition, by[0])
    return with_rule(op, name, rule), change, name if is_vjp else f"jvp by {x}"
