"""Operations that compare, and that choose by a comparison. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.tracing import gathering, layout, reals, tensors
from gradproof.tracing.cellwise import numeric, sort_among
from gradproof.tracing.registry import op
from gradproof.tracing.tensors import (
    Tensor,
    Unreadable,
    as_condition,
    constant,
    elementwise,
)


def comparison(kind: Any, *names: str) -> None:
    def compare(tracer: Any, a: Any, b: Any) -> Tensor:
        for index, other in ((a, b), (b, a)):
            is_place = isinstance(index, Tensor) and index.hit is not None
            if is_place and kind in (t.Eq, t.Ne) and is_index(other):
                return at_places(index, other, kind is t.Ne)
        return elementwise(lambda p, q: compared(kind, p, q), numeric(a), numeric(b), sort=BOOL)

    op(*names)(compare)


def is_index(value: Any) -> bool:
    """Whether it is a number of an axis, and no other place."""
    other = isinstance(value, Tensor) and value.hit is not None
    return not other and sort_among(value) == INT


def at_places(index: Tensor, other: Any, negated: bool) -> Tensor:
    """Where a place of a maximum is a given index."""
    whole = other if isinstance(other, Tensor) else constant(other, sort=INT)
    ready, values = tensors.aligned(index, whole)
    hit = ready.hit

    def cell(place: Any) -> Term:
        assert hit is not None
        found = hit(place, values.cell(place))
        return t.Not(found) if negated else found

    return Tensor(ready.axes, cell, BOOL)


def compared(kind: Any, a: Term, b: Term) -> Term:
    if b == reals.BELOW:
        is_met = kind in (t.Le, t.Eq, t.Ge)
        return as_asked(a, lambda _: kind in (t.Ne, t.Gt, t.Ge), is_met)
    if reals.is_masked(a) and reals.BELOW not in free(b):
        return as_asked(a, lambda u: compared(kind, u, b), kind in (t.Ne, t.Lt, t.Le))
    if reals.INFINITE in (a, b) and kind in (t.Eq, t.Ne):
        return tensors.truth(kind is t.Ne)
    if isinstance(a, sympy.Rational) and isinstance(b, sympy.Rational):
        return tensors.truth(bool(NUMBERS[kind](a, b)))
    if isinstance(a, t.Bracket) and b in (0, 1) and kind in (t.Eq, t.Ne):
        return a.condition if (b == 1) == (kind is t.Eq) else t.Not(a.condition)
    if kind in ORDERS and isinstance(b, sympy.Rational) and (parts := parts_of_larger(a)):
        fixed, other = parts
        is_above = fixed >= b if kind in (t.Lt, t.Ge) else fixed > b
        if is_above:
            return tensors.truth(kind in (t.Gt, t.Ge))
        if fixed == b and fixed is a.then:
            return a.condition if kind is t.Le else t.Not(a.condition)
        return t.relation(kind, other, b)
    if kind in ORDERS and isinstance(b, sympy.Rational):
        if isinstance(a, t.Exp) and b <= 0:
            return tensors.truth(kind in (t.Gt, t.Ge))
        if isinstance(a, t.If) and isinstance(a.then, sympy.Rational):
            return of_branches(kind, t.Not(a.condition), a.otherwise, a.then, b)
        if isinstance(a, t.If) and isinstance(a.otherwise, sympy.Rational):
            return of_branches(kind, a.condition, a.then, a.otherwise, b)
    return t.relation(kind, a, b)


def as_asked(masked: Term, of_others: Callable[[Term], Any], of_below: bool) -> Term:
    """A condition of a term, by its parts; of what is below all reals it is known."""
    if isinstance(masked, t.If) and reals.is_masked(masked):
        then, otherwise = (
            as_asked(part, of_others, of_below) for part in (masked.then, masked.otherwise)
        )
        return layout.either(masked.condition, then, otherwise, BOOL)
    found = of_below if masked == reals.BELOW else of_others(masked)
    return tensors.truth(found) if isinstance(found, bool) else found


ORDERS = (t.Lt, t.Le, t.Gt, t.Ge)


def of_branches(kind: Any, condition: Term, then: Term, number: Term, b: Term) -> Term:
    """A comparison of what is `then` where the condition holds and a number elsewhere."""
    inner = compared(kind, then, b)
    if NUMBERS[kind](number, b):
        return t.Or(t.Not(condition), inner)
    return condition if inner == t.And() else t.And(condition, *t.conjuncts(inner))


def parts_of_larger(a: Term) -> tuple[Term, Term] | None:
    """Of `max(0, x)` the number and the other."""
    if not isinstance(a, t.If) or a.condition != t.relation(t.Ge, a.then, a.otherwise):
        return None
    found = sorted((a.then, a.otherwise), key=lambda part: not isinstance(part, sympy.Rational))
    return (found[0], found[1]) if isinstance(found[0], sympy.Rational) else None


NUMBERS: dict[Any, Any] = {
    t.Eq: lambda a, b: a == b,
    t.Ne: lambda a, b: a != b,
    t.Lt: lambda a, b: a < b,
    t.Le: lambda a, b: a <= b,
    t.Gt: lambda a, b: a > b,
    t.Ge: lambda a, b: a >= b,
}
for kind_, names_ in (
    (t.Eq, ("eq",)),
    (t.Ne, ("ne", "not_equal")),
    (t.Lt, ("lt", "less")),
    (t.Le, ("le", "less_equal")),
    (t.Gt, ("gt", "greater")),
    (t.Ge, ("ge", "greater_equal")),
):
    comparison(kind_, *names_)


@op("logical_not")
def negation(tracer: Any, a: Tensor) -> Tensor:
    return elementwise(lambda c: t.Not(c), as_condition(a), sort=BOOL)


@op("logical_and")
def conjunction(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(lambda c, d: t.And(c, d), as_condition(a), as_condition(b), sort=BOOL)


@op("logical_or")
def disjunction(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(lambda c, d: t.Or(c, d), as_condition(a), as_condition(b), sort=BOOL)


@op("logical_xor")
def exclusive(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    def either(c: Term, d: Term) -> Term:
        return t.Or(t.And(c, t.Not(d)), t.And(t.Not(c), d))

    return elementwise(either, as_condition(a), as_condition(b), sort=BOOL)


def bitwise(function: Callable[..., Tensor], *names: str) -> None:
    """What is done to each bit of integers, and to conditions, which have one."""

    def run(tracer: Any, *given: Any) -> Tensor:
        if sort_among(*given) != BOOL:
            raise Unreadable("an operation on the bits of integers")
        return function(tracer, *map(condition_of, given))

    op(*names)(run)


def condition_of(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else constant(tensors.truth(bool(value)), sort=BOOL)


bitwise(negation, "bitwise_not")
bitwise(conjunction, "bitwise_and", "__and__")
bitwise(disjunction, "bitwise_or", "__or__")
bitwise(exclusive, "bitwise_xor", "__xor__")


@op("where")
def where(tracer: Any, condition: Tensor, a: Any, b: Any) -> Tensor:
    if any(isinstance(x, Tensor) and x.hit is not None for x in (a, b)):
        return chosen_place(as_condition(condition), a, b)
    sort = sort_among(a, b)
    if sort == BOOL:
        given = (as_condition(condition), condition_of(a), condition_of(b))
        return elementwise(lambda c, p, q: layout.either(c, p, q, BOOL), *given, sort=BOOL)
    return elementwise(reals.choice, as_condition(condition), numeric(a), numeric(b), sort=sort)


def chosen_place(condition: Tensor, a: Any, b: Any) -> Tensor:
    """One of two indices, known by comparison."""
    given = (x if isinstance(x, Tensor) else constant(x, sort=INT) for x in (a, b))
    where, first, second = tensors.aligned(condition, *given)

    def hit(place: Any, value: Term) -> Term:
        then, otherwise = (gathering.is_at(x, place, value) for x in (first, second))
        return t.Or(t.And(where.cell(place), then), t.And(t.Not(where.cell(place)), otherwise))

    def cell(place: Any) -> Term:
        return reals.choice(where.cell(place), first.cell(place), second.cell(place))

    return Tensor(where.axes, cell, REAL, hit)


@op("masked_fill", "masked_fill_")
def masked_fill(tracer: Any, x: Tensor, mask: Tensor, value: Any) -> Tensor:
    return where(tracer, mask, value, x)


@op("clamp", "clip")
def clamp(tracer: Any, x: Tensor, low: Any = None, high: Any = None, **named: Any) -> Tensor:
    low, high = named.get("min", low), named.get("max", high)
    if low is not None:
        x = elementwise(reals.larger, x, low)
    return x if high is None else elementwise(reals.smaller, x, high)


@op("clamp_min")
def clamp_min(tracer: Any, x: Tensor, low: Any) -> Tensor:
    return clamp(tracer, x, low)


@op("clamp_max")
def clamp_max(tracer: Any, x: Tensor, high: Any) -> Tensor:
    return clamp(tracer, x, None, high)


@op("maximum", "fmax")
def maximum(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(reals.larger, numeric(a), numeric(b))


@op("minimum", "fmin")
def minimum(tracer: Any, a: Tensor, b: Tensor) -> Tensor:
    return elementwise(reals.smaller, numeric(a), numeric(b))
