"""Settles a condition of any kind for all sizes, its derivatives derived. Trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import sort_of
from gradproof.prove.rules.derive import Unsupported, branches_of, differentiate
from gradproof.prove.rules.normal import (
    Product,
    divide_out,
    eliminate,
    expand,
    has_window,
    linear,
    polynomial,
    tidy,
    without_quantifier,
)
from gradproof.prove.rules.selection import without_folds
from gradproof.prove.rules.signs import facts, has_sign, is_sign_question
from gradproof.prove.rules.smt import canonical
from gradproof.prove.rules.winners import as_equality
from gradproof.prove.tactics.symbolic import PROVED, UNKNOWN, Outcome, Prover, as_term
from gradproof.theorems.boundaries import MOST_DERIVATIVES, as_one, degree, staying


def settle(prover: Prover, condition: Any, extra: tuple[Any, ...] = ()) -> Outcome:
    """Proves or refutes a condition under the prover's hypotheses."""
    plain = tuple(h for h in prover.hypotheses if not t.mentions(h, t.Slope, t.Unique))
    others = tuple(h for h in prover.hypotheses if h not in plain)
    prover.hypotheses = plain
    prover.hypotheses += tuple(c for h in others for c in derived(h, prover))
    values = dict(known_values(prover))
    if values:
        found = settle_with(values, prover, condition, extra)
        if found.status == PROVED:
            return found
    return settle_as_it_is(prover, condition, extra)


def derived(hypothesis: Any, prover: Prover) -> tuple[Any, ...]:
    """A hypothesis with its derivatives derived; left out where they cannot be."""
    if not t.mentions(hypothesis, t.Slope):
        return (hypothesis,)
    when, then = t.implication(hypothesis)
    try:
        if isinstance(then, t.Or) and isinstance(next(iter(then.args), None), t.Unique):
            unique, *others = then.args
            alone = is_told_apart(unique, others, prover, when)
            return (t.Or(t.Not(t.And(*when)), unique) if when else unique,) if alone else ()
        return t.conjuncts(summed(resolved(hypothesis, prover), prover))
    except Unsupported:
        return ()


def summed(term: Any, prover: Prover) -> Any:
    """With sums of brackets by the one-point rule: arithmetic takes a sum as it is for unknown."""
    if isinstance(term, t.Sum) and t.mentions(term, t.Bracket) and sort_of(term) == t.REAL:
        products = prover.reduced(term, ())
        return term if any(p.binders for p in products) else as_term(products)
    return t.over_parts(term, lambda u: summed(u, prover))


def is_told_apart(unique: Any, others: Any, prover: Prover, extra: tuple[Any, ...]) -> bool:
    """Whether places that move as one are one: a cell that a place reads tells it from others."""
    here, there = (substitute(unique, {}, prover.fresh) for _ in range(2))
    pairs = list(zip(here.ranges, there.ranges, strict=True))
    same = t.And(*(t.Eq(a[0], b[0]) for a, b in pairs))
    domain = (c for u in (here, there) for c in (*t.domain(u.ranges), *t.conjuncts(u.args[1])))
    known = (*extra, *domain)
    array, most = moved_by(unique, [canonical(other) for other in others])
    for read in dict.fromkeys(u for u in t.walk(here.body) if isinstance(u, t.Read)):
        if read.array != array or not free(read) <= free(here) | {a[0] for a, _ in pairs}:
            continue
        is_cell = t.inside(read.index, array.dims)
        is_sure = prover.entails(is_cell, known)
        left, right = here.body, there.body
        for _ in range(most):
            slopes = (t.Slope(side, array[read.index]) for side in (left, right))
            left, right = (resolved(u, prover) for u in slopes)
            equal = equation(left, right, prover, known)
            equal = equal if is_sure else (t.Or(t.Not(is_cell), t.And(*equal)),)
            if prover.entails(same, (*known, *equal)):
                return True
    return False


def moved_by(unique: Any, said: list[Any]) -> tuple[Any, int]:
    """By which array's cells it is said that places move as one, and how many derivatives."""
    for array in t.arrays(unique):
        if said == [canonical(as_one(unique, array))]:
            return array, 1
        most = degree(unique.body, array)
        if most <= MOST_DERIVATIVES and said == [canonical(staying(unique, array))]:
            return array, int(most)
    return None, 0


def equation(left: Any, right: Any, prover: Prover, known: tuple[Any, ...]) -> tuple[Any, ...]:
    """That two derivatives are equal; of a bracket, if the other is 1, that its condition holds."""
    brackets = isinstance(left, t.Bracket) and isinstance(right, t.Bracket)
    if brackets and prover.entails(left.args[0], known):
        return t.conjuncts(right.args[0])
    return (t.Eq(left, right),)


def settle_with(
    values: dict[Any, Any], prover: Prover, condition: Any, extra: tuple[Any, ...]
) -> Outcome:
    """With sizes replaced by what the hypotheses say they are."""
    fresh = Fresh(*prover.hypotheses, condition, *extra, *values.values())

    def put(term: Any) -> Any:
        for symbol, value in values.items():
            term = substitute(term, {symbol: value}, fresh)
        return term

    hypotheses = tuple(map(put, prover.hypotheses))
    other = Prover(hypotheses, prover.generic, (put(condition), *map(put, extra)), prover.rlimit)
    entailed = other.entailed(())
    other.hypotheses = tuple(divide_out(h, entailed) for h in other.hypotheses)
    goal = divide_out(put(condition), entailed)
    return settle_as_it_is(other, goal, tuple(divide_out(put(e), entailed) for e in extra))


def known_values(prover: Prover) -> Iterator[tuple[Any, Any]]:
    """Sizes that the hypotheses give: `s = e`, and `s = d·q` where `d | s`."""
    seen: set[Any] = set()
    for h in prover.hypotheses:
        inner = h.args[0] if isinstance(h, t.AllAxes) else h
        if not isinstance(inner, t.Eq | t.Divides) or t.REAL in map(sort_of, inner.args):
            continue
        symbol, value = inner.args
        if isinstance(inner, t.Divides):
            found = multiple(inner, prover.fresh)
            if found is None:
                continue
            symbol, value = found
        if isinstance(symbol, t.Sym) and symbol not in free(value) and symbol not in seen:
            seen.add(symbol)
            yield symbol, value


def multiple(divides: Any, fresh: Fresh) -> tuple[Any, Any] | None:
    """`d | e` as `s = d·q - r` for a symbol s with `e = s + r`."""
    divisor, term = divides.args
    for symbol in sorted(free(term), key=str):
        found = linear(term, symbol)
        alike = symbol.is_bundle == t.is_bundle(term) and symbol not in free(divisor)
        alike = alike and t.is_bundle(divisor) <= symbol.is_bundle
        if alike and found is not None and found[0] == 1:
            return symbol, tidy(divisor * fresh(symbol) - found[1])
    return None


def settle_as_it_is(prover: Prover, condition: Any, extra: tuple[Any, ...]) -> Outcome:
    if isinstance(condition, t.Linear):
        return is_linear(prover, condition, extra)
    if isinstance(condition, t.Eq) and t.REAL in map(sort_of, condition.args):
        left, right = (resolved(side, prover) for side in condition.args)
        left, right = (without_brackets(side, prover, extra) for side in (left, right))
        found = prover.equal(left, right, extra)
        return replace(found, steps=(("left side", left), ("right side", right), *found.steps))
    goal = without_brackets(resolved(condition, prover), prover, extra)
    if is_sign_question(goal) and has_sign(prover, goal, extra):
        return Outcome(PROVED, "signs of sums", steps=(("signs of sums", goal),))
    answer = prover.ask(goal, extra)
    if answer.status != PROVED and has_window(goal):
        known = tuple(facts(prover, goal, extra))
        if prover.entails_opaquely(goal, (*extra, *known)):
            method = "bounds of sums" if known else "arithmetic"
            bounds = tuple(("a bound", fact) for fact in known)
            return Outcome(PROVED, method, steps=(*bounds, (method, goal)))
    return Outcome(answer.status, "arithmetic", answer, (("arithmetic", goal),))


def resolved(term: Any, prover: Prover) -> Any:
    """The term with every derivative derived, every fold and every tie settled."""
    if not t.mentions(term, t.Slope, t.Fold, t.Winner, t.Maximum, t.Exists):
        return term
    if isinstance(term, t.Slope):
        body, cell = term.args
        body = resolved(body, prover) if isinstance(body, t.Slope) else body
        if cell.array.role != "primal" and branches_of(body, cell.array):
            raise Unsupported(f"a branch of the rule reads {cell.array}, in which it is linear")
        return resolved(differentiate(body, cell.array, cell.index, prover.fresh), prover)
    if isinstance(term, t.Bracket | t.Read | t.Fold) and t.sort_of(term) == t.REAL:
        unfolded = without_folds(term, prover.fresh)
        if unfolded is None:
            raise Unsupported(f"a fold whose invariant is not known: {term}")
        if unfolded is not term:
            return resolved(unfolded, prover)
    term = t.over_parts(term, lambda u: resolved(u, prover))
    if isinstance(term, t.Winner) and str(term.args[2]) == "any":
        return as_equality(term, prover.fresh)
    if isinstance(term, t.Maximum) and has_one_place(term):
        body = term.body
        for symbol, first, _ in reversed(term.ranges):
            body = substitute(body, {symbol: first}, prover.fresh)
        return body
    return at_its_point(term, prover) if isinstance(term, t.Exists) else term


def has_one_place(term: Any) -> bool:
    """A window without a condition, all of whose ranges end where they begin."""
    ends = ((first, last) for _, first, last in term.ranges)
    return term.args[1] == t.And() and not any(polynomial(b - a) for a, b in ends)


def at_its_point(some: Any, prover: Prover) -> Any:
    """∃ without the binders that an equation determines, as in a sum of 1 over its places."""
    some = substitute(some, {}, prover.fresh)
    guards = (*t.conjuncts(some.body), *t.domain(some.ranges))
    places = Product(tuple(symbol for symbol, _, _ in some.ranges), guards)
    found = eliminate(places, prover.entailed(()), prover.fresh, True)
    return without_quantifier(some) if found.binders else t.And(*found.guards)


def without_brackets(
    term: Any, prover: Prover, extra: tuple[Any, ...], opaque: bool = False
) -> Any:
    """With brackets and padding left out where they always hold, inside what is opaque."""
    if not opaque and not t.mentions(term, t.Exp, t.Log, t.Maximum, t.Sum, t.Prod):
        return term
    opaque = opaque or isinstance(term, t.Exp | t.Log | t.Maximum)

    def plain(part: Any, known: tuple[Any, ...] = extra) -> Any:
        return without_brackets(part, prover, known, opaque)

    if opaque and isinstance(term, t.Bracket):
        return sympy.Integer(1) if prover.entails(term.args[0], extra) else term
    if opaque and isinstance(term, t.PaddedRead):
        bounds = t.inside(term.index, term.array.dims)
        return t.Read(*term.args) if prover.entails(bounds, extra) else term
    if isinstance(term, t.Sum | t.Prod | t.Maximum):
        term = substitute(term, {}, prover.fresh)
        inner = (*extra, *t.domain(term.ranges))
        if not isinstance(term, t.Maximum):
            return t.rebuild(term, [plain(term.body, inner), *term.ranges])
        body, where, empty = term.args[:3]
        where = t.And() if prover.entails(where, inner) else where
        body = plain(body, (*inner, *t.conjuncts(where)))
        return t.rebuild(term, [body, where, plain(empty), *term.ranges])
    return term if isinstance(term, t.Binder) else t.over_parts(term, plain)


def is_linear(prover: Prover, condition: Any, extra: tuple[Any, ...]) -> Outcome:
    """Every product has one factor that is a cell of the arrays, and nothing else reads them."""
    term, by = condition.args
    names = {a.name for a in by}
    for product in expand(resolved(term, prover), prover.fresh):
        cells = [f for f in product.factors if isinstance(f, t.Read) and f.array.name in names]
        others = [f for f in product.factors if f not in cells]
        inner = [e for cell in cells for e in cell.index]
        if any(a.name in names for u in (*product.guards, *others, *inner) for a in t.arrays(u)):
            return Outcome(UNKNOWN, "the rule reads in a branch or a factor what it is linear in")
        if len(cells) != 1 and not prover.impossible(product, extra):
            return Outcome(UNKNOWN, "a term of the rule is not of degree 1")
    return Outcome(PROVED, "one factor of degree 1 in each term")
