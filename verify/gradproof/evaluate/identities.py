"""Sequents as identities of polynomials in the cells, differentiated plainly. Untrusted."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import chain, count

import sympy

from gradproof.evaluate.compiled import Env as Values
from gradproof.evaluate.compiled import Evaluator, Tensor, as_kept
from gradproof.evaluate.numbers import Number, Undefined
from gradproof.evaluate.points import of_total
from gradproof.evaluate.polynomials import POLYNOMIALS, Polynomial, difference, terms_of
from gradproof.evaluate.polynomials import Cells as PolynomialCells
from gradproof.evaluate.replay import Cells, Env, Failure, Point, arrays_of
from gradproof.evaluate.trials import plan_of
from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.theorems.sequents import Sequent


@t.remembered
def is_polynomial(sequent: Sequent) -> bool:
    """An identity, if of tensors at all; nothing in it branches on them or divides by them."""
    kinds = (t.Exp, t.Log, t.Apply, t.Maximum, t.Winner, t.Unique, t.Fold)
    asked = sequent.then.args if isinstance(sequent.then, t.Eq) else (sequent.then,)
    terms = [u for c in (*sequent.when, *asked, *map(computes, sequent.where)) for u in t.walk(c)]
    branches = [u for u in terms if isinstance(u, t.Relation | t.Min | t.Max)]
    divisors = [u.args[isinstance(u, t.Div)] for u in terms if isinstance(u, t.Div | t.Power)]
    if any(isinstance(u, kinds) or (isinstance(u, t.Read) and u.array.span) for u in terms):
        return False
    return not any(map(t.arrays, (*branches, *divisors)))


def computes(equation: Term) -> Term:
    """What an equation says of its array, and not that it says so."""
    return sympy.Tuple(*equation.args[1:])


class PolynomialEvaluator(Evaluator):
    """Evaluates to polynomials in the cells, which hold for all values of the tensors at once."""

    def slope(self, body: Term, env: Values, name: str, point: tuple[int, ...]) -> Number:
        found = as_kept(body)(self, env)
        return found.slope((name, point)) if type(found) is Polynomial else 0


MOST_KNOWN = 4_000  # polynomials that are kept: theorems of one op have many in common


class Unknowns(dict[str, Tensor]):
    """Arrays by name, whose cells are unknowns."""

    def __missing__(self, name: str) -> Tensor:
        found = self[name] = PolynomialCells(name).__getitem__
        return found


@lru_cache(maxsize=1)
def evaluator() -> PolynomialEvaluator:
    return PolynomialEvaluator(POLYNOMIALS, Unknowns())


def shared() -> PolynomialEvaluator:
    """The evaluator of all sequents: a polynomial is that of a term and the sizes in it alone."""
    if len(evaluator().known) > MOST_KNOWN:
        evaluator.cache_clear()
    return evaluator()


def alone(sequent: Sequent) -> PolynomialEvaluator:
    """The evaluator of a sequent whose arrays equations define: they may mean others elsewhere."""
    cells = {a.name: PolynomialCells(a.name).__getitem__ for a in arrays_of(sequent)}
    return PolynomialEvaluator(POLYNOMIALS, cells, sequent.where)


class Polynomials:
    """A sequent as an identity of polynomials in the cells."""

    def __init__(self, sequent: Sequent) -> None:
        self.sequent, self.plan = sequent, plan_of(sequent)
        self.evaluator = alone(sequent) if sequent.where else shared()

    def fails(self, place: Env) -> Failure | None:
        ev, plan, then = self.evaluator, self.plan, self.sequent.then
        ev.sizes = place
        if not all(condition(ev, place) for condition in plan.tried):
            raise Undefined("the hypotheses do not hold there")
        if isinstance(then, t.Linear):
            return self.not_linear(then, place)
        if not (isinstance(then, t.Eq) and t.REAL in map(t.sort_of, then.args)):
            holds = ev.value(then, place)
            return None if holds else Point(self.sequent, {}).fails(place)
        left, right = (side(ev, place) for side in plan.sides)
        if terms_of(left) == terms_of(right):
            return None
        return Point(self.sequent, least_values(difference(left, right))).fails(place)

    def not_linear(self, then: Term, place: Env) -> Failure | None:
        """Monomials whose degree in the arrays is not 1, at the least values that show it.

        That is where `2·f(t) - f(2·t)` is not 0: a monomial of degree d counts `2 - 2^d` times.
        """
        names = {a.name for a in then.by}
        value = terms_of(self.evaluator.real(then.body, place))
        degrees = {m: sum(name in names for name, _ in m) for m in value}
        wrong = {m: value[m] * (2 - 2**d) for m, d in degrees.items() if d != 1}
        if not wrong:
            return None
        return Point(self.sequent, least_values(Polynomial(wrong))).fails(place)


def least_values(apart: Polynomial) -> Cells:
    """The least whole numbers at which a polynomial that is not 0 is not 0; there always are."""
    used = sorted({cell for monomial in apart.terms for cell in monomial})
    by_total = chain.from_iterable(of_total([None] * len(used), total) for total in count())
    points = (dict(zip(used, values, strict=True)) for values in by_total)
    found = next(point for point in points if apart.at(point) != 0)
    return {cell: Fraction(v) for cell, v in found.items() if v}
