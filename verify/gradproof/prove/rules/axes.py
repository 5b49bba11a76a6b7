"""Every rank: what a condition says on one axis, if that decides it. Trusted.

With bundles left in place, a step of the prover is accepted only if it treats all axes alike.
Guards and indices are compared on one axis, factors that no axis owns as they stand. If on one
axis `G ∧ g ⟺ H ∧ h`, then on any number of axes `G ∧ g₁ ∧ g₂ … ⟺ H ∧ h₁ ∧ h₂ …`; equal indices on
each axis make equal reads, equal factors on each axis equal products.
"""

from __future__ import annotations

from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, Term, sort_of
from gradproof.prove.rules.smt import canonical


def one_axis(condition: Term, as_goal: bool) -> Term | None:
    """The condition on a single axis, or None where one axis does not decide it.

    As a goal the result must be at least as strong as the condition, as a hypothesis at most.
    """
    if isinstance(condition, t.And):
        parts = [one_axis(c, as_goal) for c in condition.args]
        if as_goal:
            return None if None in parts else t.And(*parts)
        return t.And(*(c for c in parts if c is not None))
    if isinstance(condition, t.AllAxes):
        return condition.args[0] if is_one_axis(condition.args[0]) else None
    if isinstance(condition, t.Exists | t.ForAll):
        return one_axis_of_quantifier(condition, as_goal)
    return condition if is_one_axis(condition) and not mentions_bundles(condition) else None


@t.remembered
def is_one_axis(term: Term) -> bool:
    """Nothing in the term joins several axes."""
    joins = (t.AllAxes, t.AxisProduct, t.Binder)
    return not any(
        isinstance(u, joins) or (isinstance(u, t.Read) and mentions_bundles(u))
        for u in t.walk(term)
    )


@t.remembered
def mentions_bundles(term: Term) -> bool:
    return any(isinstance(u, t.Sym) and u.is_bundle for u in t.walk(term)) or any(
        t.is_bundle(d) for a in t.arrays(term) for d in a.dims
    )


def opaque(term: Term, table: dict[Any, Term]) -> Term:
    """The term with every part that joins axes replaced by a number, equal parts by the same."""
    joins = isinstance(term, t.Binder | t.AxisProduct) or (
        isinstance(term, t.Read) and mentions_bundles(term)
    )
    if joins and not t.is_bundle(term):  # what a loop over axes leaves may be one number per axis
        key = canonical(term)
        sort = INT if sort_of(term) == BOOL else sort_of(term)
        symbol = table.setdefault(key, t.Sym(f"opaque {len(table)}", sort))
        return t.Eq(symbol, 1) if sort_of(term) == BOOL else symbol
    return t.over_parts(term, lambda u: opaque(u, table))


def one_axis_of_quantifier(condition: Term, as_goal: bool) -> Term | None:
    """∃ over bundles of a condition on every axis is ∃ on every axis; ∀ only as a goal.

    As a hypothesis ∀ may be empty on another axis, and then says nothing of this one.
    """
    inner = one_axis(condition.body, as_goal)
    if not all(is_one_axis(end) for _, *ends in condition.ranges for end in ends):
        inner = None
    if inner is None or not all(symbol.is_bundle for symbol, _, _ in condition.ranges):
        plain = not mentions_bundles(condition)
        return condition if plain else None
    if isinstance(condition, t.ForAll):
        return t.ForAll(inner, *condition.ranges) if as_goal else None
    return t.Exists(inner, *condition.ranges)
