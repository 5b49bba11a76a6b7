"""An equation of reals: both sides as sums of products, rewritten until they pair off. Trusted."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term, sort_of
from gradproof.prove.rules.goals import Goal, met
from gradproof.prove.rules.normal import Product, scaled
from gradproof.prove.rules.proofs import SEAL, Forged, Holds, Made, rule
from gradproof.prove.rules.sums import Sums, sum_of


@dataclass(frozen=True)
class Sides(Made):
    """The two sides of a goal that is an equation, each equal to what it was."""

    seal: InitVar[object]
    of: Goal
    left: tuple[Product, ...]
    right: tuple[Product, ...]
    rule: str = ""  # by which they were rewritten last

    @property
    def difference(self) -> list[tuple[Any, Product]]:
        return [*map(scaled, self.left), *(scaled(p, -1) for p in self.right)]

    @property
    def equation(self) -> Term:
        return t.Eq(sum_of(self.left), sum_of(self.right))


def equal(seal: object, sides: Sides, rule: str) -> Holds:
    left, right = sides.of.goal.args
    shown = (("left side", left), ("right side", right), (rule, (sides.left, sides.right)))
    return met(seal, sides.of, rule, shown)


@rule
def sides_of(goal: Goal) -> Sides:
    if not isinstance(goal.goal, t.Eq) or t.REAL not in map(sort_of, goal.goal.args):
        raise Forged(f"the sides of {goal.goal}, which is no equation of reals")
    left, right = (goal.context.reduced(side, goal.extra) for side in goal.goal.args)
    return Sides(SEAL, goal, left, right)


REWRITINGS = {
    "one-point rule": Sums.unit,
    "one-point rule with divisibility": Sums.divided,
    "one-point rule and count of an interval": Sums.counted,
    "one-point rule and sums over cells": Sums.aligned,
    "one-point rule and parts of a total": Sums.totalled,
}


@rule
def rewritten(sides: Sides, rule: str) -> Sides:
    """Every product of both sides by one of the REWRITINGS."""
    step, goal = REWRITINGS[rule], sides.of
    left, right = (
        tuple(step(goal.context, p, goal.extra) for p in side) for side in (sides.left, sides.right)
    )
    return Sides(SEAL, goal, left, right, rule)


@rule
def at_its_points(goal: Goal) -> Goal:
    """A goal without the sums that the one-point rule takes away."""
    if isinstance(goal.goal, t.Eq) and t.REAL in map(sort_of, goal.goal.args):
        said = rewritten(sides_of(goal), "one-point rule").equation
    else:
        said = at_points(goal.goal, goal)
    return Goal(SEAL, goal.given, goal.wanted, goal.context, said, goal.extra)


def at_points(term: Term, goal: Goal) -> Term:
    """A condition without the sums of which the one-point rule leaves none, those within aside."""
    if isinstance(term, t.Sum):
        context, extra = goal.context, goal.extra
        parts = [context.unit(p, extra) for p in context.reduced(term, extra)]
        return term if any(p.binders for p in parts) else sum_of(parts)
    if isinstance(term, t.Binder) or not t.mentions(term, t.Sum):
        return term
    return t.over_parts(term, lambda u: at_points(u, goal))


@rule
def paired(sides: Sides) -> Holds | None:
    """The products of both sides pair off, and what is left over cancels."""
    same = sides.of.context.match(sides.left, sides.right, sides.of.extra)
    return equal(SEAL, sides, sides.rule) if same and sides.rule else None


@rule
def over_a_common_denominator(sides: Sides) -> Holds | None:
    context, extra, difference = sides.of.context, sides.of.extra, sides.difference
    if context.divisor(difference, extra) is None or not context.cleared(difference, extra):
        return None
    return equal(SEAL, sides, "one-point rule and a common denominator")


def has_binders(sides: Sides) -> bool:
    return any(p.binders for p in (*sides.left, *sides.right))


@rule
def added_up(sides: Sides) -> Holds | None:
    """Without binders, by arithmetic."""
    context = sides.of.context
    if context.generic or has_binders(sides):
        return None
    if not context.entails(sides.equation, sides.of.extra):
        return None
    return equal(SEAL, sides, "arithmetic of the guarded entries")
