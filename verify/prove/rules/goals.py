"""Goals, and what is enough to show them; a goal that is met is a proof. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.core import as_choice
from gradproof.language.ops import replace_reads, value_at
from gradproof.language.substitution import Fresh, free, replaced, substitute
from gradproof.language.systems import Equations, made_by, recurrences
from gradproof.language.terms import Term, Terms, sort_of
from gradproof.prove.rules.derive import Unsupported, branches_of, differentiate
from gradproof.prove.rules.normal import (
    Product,
    divide_out,
    eliminate,
    expand,
    has_window,
    linear,
    polynomial,
    scaled,
    tidy,
    without_quantifier,
)
from gradproof.prove.rules.proofs import SEAL, Forged, Holds, Made, Seek, Steps, rule
from gradproof.prove.rules.selection import without_folds
from gradproof.prove.rules.signs import facts, has_sign, is_sign_question
from gradproof.prove.rules.smt import canonical
from gradproof.prove.rules.sums import Sums, as_term
from gradproof.prove.rules.winners import as_equality
from gradproof.theorems.differentiability import as_one


@dataclass(frozen=True)
class Goal(Made):
    """Where `given` holds, `wanted` follows if `goal` does in a context, with `extra` assumed."""

    seal: InitVar[object]
    given: Terms
    wanted: Term
    context: Sums
    goal: Term
    extra: Terms = ()


def met(seal: object, goal: Goal, rule: str, steps: Steps) -> Holds:
    return Holds(seal, goal.given, goal.wanted, rule, goal.context.generic, steps)


@rule
def goal_of(given: Terms, wanted: Term, generic: bool, seek: Seek, extra: Terms = ()) -> Goal:
    """What is wanted, with the derivatives in its hypotheses derived."""
    fresh = Fresh(*given, wanted, *extra)
    whole = Sums(given, generic, seek, fresh).hypotheses
    plain = tuple(h for h in whole if not t.mentions(h, t.Slope, t.Unique))
    known = Sums(plain, generic, seek, fresh)
    others = tuple(c for h in whole if h not in plain for c in derived(h, known))
    context = Sums((*plain, *others), generic, seek, fresh)
    return Goal(SEAL, (*given, *extra), wanted, context, wanted, extra)


@rule
def at_known_values(goal: Goal) -> Goal | None:
    """With sizes replaced by what the hypotheses say they are, if they say so of any."""
    context = goal.context
    values = dict(known_values(context))
    if not values:
        return None
    fresh = Fresh(*context.hypotheses, goal.goal, *goal.extra, *values.values())

    def put(term: Term) -> Term:
        for symbol, value in values.items():
            term = substitute(term, {symbol: value}, fresh)
        return term

    hypotheses, wanted, extra = map(put, context.hypotheses), put(goal.goal), map(put, goal.extra)
    other = Sums(hypotheses, context.generic, context.seek, fresh)
    entailed = other.entailed(())
    known = (divide_out(h, entailed) for h in other.hypotheses)
    reached = Sums(known, context.generic, context.seek, fresh)
    rest = tuple(divide_out(e, entailed) for e in extra)
    return Goal(SEAL, goal.given, goal.wanted, reached, divide_out(wanted, entailed), rest)


@rule
def unfolded(goal: Goal) -> Goal:
    """With every derivative derived, every fold and tie settled, and brackets that always hold."""
    said = goal.goal
    if isinstance(said, t.Eq) and t.REAL in map(sort_of, said.args):
        sides = (resolved(side, goal.context) for side in said.args)
        plain = t.Eq(*(without_brackets(side, goal.context, goal.extra) for side in sides))
    else:
        plain = without_brackets(resolved(said, goal.context), goal.context, goal.extra)
    return Goal(SEAL, goal.given, goal.wanted, goal.context, plain, goal.extra)


@rule
def by_values(goal: Goal, equations: Equations) -> Goal:
    """With what equations say in place of the values of the arrays that they define.

    Derivatives come first: to these the arrays are independent.
    """
    if t.mentions(goal.goal, t.Slope, t.Linear) or recurrences(equations):
        raise Forged(f"{goal.goal}, with values in place before it is derived, or without end")
    rules = {made_by(e): e for e in equations}
    fresh = goal.context.fresh

    def find(read: t.Read) -> Callable[..., Term] | None:
        rule = rules.get(read.array)
        return None if rule is None else lambda *index: put(value_at(rule, index, fresh))

    def put(term: Term) -> Term:
        return replace_reads(term, find, fresh)

    holding = tuple(t.ForAll(e, *t.cells(e.target)) for e in equations)
    given = (*goal.given, *holding)
    return Goal(SEAL, given, goal.wanted, goal.context, put(goal.goal), goal.extra)


@rule
def by_arithmetic(goal: Goal) -> Holds | None:
    if not goal.context.entails(goal.goal, goal.extra):
        return None
    return met(SEAL, goal, "arithmetic", (("arithmetic", goal.goal),))


@rule
def by_signs(goal: Goal) -> Holds | None:
    said = goal.goal
    if not is_sign_question(said) or not has_sign(goal.context, said, goal.extra):
        return None
    return met(SEAL, goal, "signs of sums", (("signs of sums", said),))


@rule
def by_bounds(goal: Goal) -> Holds | None:
    """With what is true of the sums in it, and all sums taken as unknown numbers."""
    if not has_window(goal.goal):
        return None
    known = tuple(facts(goal.context, goal.goal, goal.extra))
    if not goal.context.entails_opaquely(goal.goal, (*goal.extra, *known)):
        return None
    rule = "bounds of sums" if known else "arithmetic"
    return met(SEAL, goal, rule, (*(("a bound", fact) for fact in known), (rule, goal.goal)))


@rule
def by_degrees(goal: Goal) -> Holds | str:
    """Linear: each product has one cell of the arrays as a factor, and nothing else reads them.

    Or why that is not shown.
    """
    context, said = goal.context, goal.goal
    names = {a.name for a in said.by}
    for product in expand(resolved(said.body, context), context.fresh):
        cells = [f for f in product.factors if isinstance(f, t.Read) and f.array.name in names]
        others = [f for f in product.factors if f not in cells]
        inner = [e for cell in cells for e in cell.index]
        if any(a.name in names for u in (*product.guards, *others, *inner) for a in t.arrays(u)):
            return "the rule reads in a branch or a factor what it is linear in"
        if len(cells) != 1 and not context.impossible(product, goal.extra):
            return "a term of the rule is not of degree 1"
    return met(SEAL, goal, "one factor of degree 1 in each term", ())


# An equation of reals: both sides as sums of products, rewritten until they pair off.


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
        return t.Eq(as_term(self.left), as_term(self.right))


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


# A goal in two cases, where an exponent or a logarithm has a maximum of two reals in it.


@rule
def in_cases(goal: Goal) -> tuple[Goal, Goal] | None:
    """Where the first part is the larger one, or the smaller of a minimum, and where it is not."""
    inner = (u for e in open_terms(goal.goal) if isinstance(e, t.Exp | t.Log) for u in t.walk(e))
    found = (u for u in inner if isinstance(u, t.Max | t.Min) and sort_of(u) == t.REAL)
    chosen = next((u for u in found if len(u.args) > 1), None)
    if chosen is None or goal.context.generic:
        return None
    condition, then, otherwise = as_choice(chosen).args
    return case(goal, condition, chosen, then), case(goal, t.Not(condition), chosen, otherwise)


def open_terms(term: Term) -> Iterator[Term]:
    """The terms in which nothing is bound, outside of all binders."""
    if not isinstance(term, t.Binder):
        yield term
        for part in () if isinstance(term, t.LEAVES) else term.args:
            yield from open_terms(part)


def case(goal: Goal, condition: Term, chosen: Term, value: Term) -> Goal:
    said = replaced(goal.goal, chosen, value)
    given, extra = ((*known, condition) for known in (goal.given, goal.extra))
    return Goal(SEAL, given, goal.wanted, goal.context, said, extra)


@rule
def by_both(goal: Goal, proofs: tuple[Holds, Holds]) -> Holds | None:
    """What holds where a condition does, and where it does not, holds."""
    parts = in_cases(goal)
    for part, proof in zip(parts or (), proofs, strict=True):
        if type(proof) is not Holds or not proof.shows(part.given, goal.wanted):
            return None
    steps = tuple(step for proof in proofs for step in proof.steps)
    return (
        Holds(SEAL, goal.given, goal.wanted, "cases", goal.context.generic, steps, proofs)
        if parts
        else None
    )


# The terms of a goal.


def resolved(term: Term, context: Sums) -> Term:
    """The term with every derivative derived, every fold and every tie settled."""
    if not t.mentions(term, t.Slope, t.Fold, t.Winner, t.Maximum, t.Exists):
        return term
    if isinstance(term, t.Slope):
        body, cell = term.args
        body = resolved(body, context) if isinstance(body, t.Slope) else body
        if cell.array.role != "primal" and branches_of(body, cell.array):
            raise Unsupported(f"a branch of the rule reads {cell.array}, in which it is linear")
        return resolved(differentiate(body, cell.array, cell.index, context.fresh), context)
    if isinstance(term, t.Bracket | t.Read | t.Fold) and t.sort_of(term) == t.REAL:
        unfolded = without_folds(term, context.fresh, context.seek)
        if unfolded is None:
            raise Unsupported(f"a fold whose invariant is not known: {term}")
        if unfolded is not term:
            return resolved(unfolded, context)
    term = t.over_parts(term, lambda u: resolved(u, context))
    if isinstance(term, t.Winner) and str(term.args[2]) == "any":
        return as_equality(term, context.fresh)
    if isinstance(term, t.Maximum) and has_one_place(term):
        body = term.body
        for symbol, first, _ in reversed(term.ranges):
            body = substitute(body, {symbol: first}, context.fresh)
        return body
    return at_its_point(term, context) if isinstance(term, t.Exists) else term


def has_one_place(term: Term) -> bool:
    """A window without a condition, all of whose ranges end where they begin."""
    ends = ((first, last) for _, first, last in term.ranges)
    return term.args[1] == t.And() and not any(polynomial(b - a) for a, b in ends)


def at_its_point(some: Term, context: Sums) -> Term:
    """∃ without the binders that an equation determines, as in a sum of 1 over its places."""
    some = substitute(some, {}, context.fresh)
    guards = (*t.conjuncts(some.body), *t.domain(some.ranges))
    places = Product(tuple(symbol for symbol, _, _ in some.ranges), guards)
    found = eliminate(places, context.entailed(()), context.fresh, True)
    return without_quantifier(some) if found.binders else t.And(*found.guards)


def without_brackets(term: Term, context: Sums, extra: Terms, opaque: bool = False) -> Term:
    """With brackets and padding left out where they always hold, inside what is opaque."""
    if not opaque and not t.mentions(term, t.Exp, t.Log, t.Apply, t.Maximum, t.Sum, t.Prod):
        return term
    opaque = opaque or isinstance(term, t.Exp | t.Log | t.Apply | t.Maximum)

    def plain(part: Term, known: Terms = extra) -> Term:
        return without_brackets(part, context, known, opaque)

    if opaque and isinstance(term, t.Bracket):
        return sympy.Integer(1) if context.entails(term.args[0], extra) else term
    if opaque and isinstance(term, t.PaddedRead):
        bounds = t.inside(term.index, term.array.dims)
        return t.Read(*term.args) if context.entails(bounds, extra) else term
    if isinstance(term, t.Sum | t.Prod | t.Maximum):
        term = substitute(term, {}, context.fresh)
        inner = (*extra, *t.domain(term.ranges))
        if not isinstance(term, t.Maximum):
            return t.rebuild(term, [plain(term.body, inner), *term.ranges])
        body, where, empty = term.args[:3]
        where = t.And() if context.entails(where, inner) else where
        body = plain(body, (*inner, *t.conjuncts(where)))
        return t.rebuild(term, [body, where, plain(empty), *term.ranges])
    return term if isinstance(term, t.Binder) else t.over_parts(term, plain)


def known_values(context: Sums) -> Iterator[tuple[Term, Term]]:
    """Sizes that the hypotheses give: `s = e`, and `s = d·q` where `d | s`."""
    seen: set[Term] = set()
    for h in context.hypotheses:
        inner = h.args[0] if isinstance(h, t.AllAxes) else h
        if not isinstance(inner, t.Eq | t.Divides) or t.REAL in map(sort_of, inner.args):
            continue
        symbol, value = inner.args
        if isinstance(inner, t.Divides):
            found = multiple(inner, context.fresh)
            if found is None:
                continue
            symbol, value = found
        if isinstance(symbol, t.Sym) and symbol not in free(value) and symbol not in seen:
            seen.add(symbol)
            yield symbol, value


def multiple(divides: Term, fresh: Fresh) -> tuple[Term, Term] | None:
    """`d | e` as `s = d·q - r` for a symbol s with `e = s + r`."""
    divisor, term = divides.args
    for symbol in sorted(free(term), key=str):
        found = linear(term, symbol)
        alike = symbol.is_bundle == t.is_bundle(term) and symbol not in free(divisor)
        alike = alike and t.is_bundle(divisor) <= symbol.is_bundle
        if alike and found is not None and found[0] == 1:
            return symbol, tidy(divisor * fresh(symbol) - found[1])
    return None


def derived(hypothesis: Term, context: Sums) -> Terms:
    """A hypothesis with its derivatives derived; left out where they cannot be."""
    if not t.mentions(hypothesis, t.Slope):
        return (hypothesis,)
    when, then = t.implication(hypothesis)
    try:
        if isinstance(then, t.Or) and isinstance(next(iter(then.args), None), t.Unique):
            unique, *others = then.args
            alone = is_told_apart(unique, others, context, when)
            return (t.Or(t.Not(t.And(*when)), unique) if when else unique,) if alone else ()
        return t.conjuncts(summed(resolved(hypothesis, context), context))
    except Unsupported:
        return ()


def summed(term: Term, context: Sums) -> Term:
    """With sums of brackets by the one-point rule: arithmetic takes a sum as it is for unknown."""
    if isinstance(term, t.Sum) and t.mentions(term, t.Bracket) and sort_of(term) == t.REAL:
        products = context.reduced(term, ())
        return term if any(p.binders for p in products) else as_term(products)
    return t.over_parts(term, lambda u: summed(u, context))


def is_told_apart(unique: Term, others: list[Term], context: Sums, extra: Terms) -> bool:
    """Whether places that move as one are one: a cell that a place reads tells it from others."""
    here, there = (substitute(unique, {}, context.fresh) for _ in range(2))
    pairs = list(zip(here.ranges, there.ranges, strict=True))
    same = t.And(*(t.Eq(a[0], b[0]) for a, b in pairs))
    domain = (c for u in (here, there) for c in (*t.domain(u.ranges), *t.conjuncts(u.args[1])))
    known = (*extra, *domain)
    array = moved_by(unique, [canonical(other) for other in others])
    for read in dict.fromkeys(u for u in t.walk(here.body) if isinstance(u, t.Read)):
        if read.array != array or not free(read) <= free(here) | {a[0] for a, _ in pairs}:
            continue
        is_cell = t.inside(read.index, array.dims)
        is_sure = context.entails(is_cell, known)
        slopes = (t.Slope(u.body, array[read.index]) for u in (here, there))
        left, right = (resolved(u, context) for u in slopes)
        equal = equation(left, right, context, known)
        equal = equal if is_sure else (t.Or(t.Not(is_cell), t.And(*equal)),)
        if context.entails(same, (*known, *equal)):
            return True
    return False


def moved_by(unique: Term, said: list[Term]) -> Any:
    """The array by whose cells it is said that all places which win move as one."""
    of = (array for array in t.arrays(unique) if said == [canonical(as_one(unique, array))])
    return next(of, None)


def equation(left: Term, right: Term, context: Sums, known: Terms) -> Terms:
    """That two derivatives are equal; of a bracket, if the other is 1, that its condition holds."""
    brackets = isinstance(left, t.Bracket) and isinstance(right, t.Bracket)
    if brackets and context.entails(left.args[0], known):
        return t.conjuncts(right.args[0])
    return (t.Eq(left, right),)
