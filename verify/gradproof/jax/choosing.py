"""JAX's primitives that compare and choose, decided where terms or sizes tell. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from gradproof.jax.reader import Reader, rule
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import BOOL, INT, Term
from gradproof.tracing import choices, reals
from gradproof.tracing.operations import OPS
from gradproof.tracing.tensors import Tensor, Unreadable, bracket, constant, elementwise, truth

COMPARED: dict[str, Any] = {"eq": t.Eq, "ne": t.Ne, "lt": t.Lt, "le": t.Le, "gt": t.Gt, "ge": t.Ge}


def comparison(name: str, kind: Any) -> None:
    def compare(reader: Reader, equation: Any, a: Tensor, b: Tensor) -> Tensor:
        if kind is t.Lt and is_index(a) and is_zero(b):  # an index from the end
            return constant(t.Or(), a.shape, BOOL)
        if a.hit is not None or b.hit is not None:
            return OPS[name](reader, a, b)
        return elementwise(lambda p, q: compared(reader, kind, p, q), a, b, sort=BOOL)

    rule(name)(compare)


def is_index(a: Tensor) -> bool:
    """Whether its cells are at least 0: places, indices that are arguments, and their sums."""
    return a.hit is not None or (a.sort == INT and at_least_zero(a.cell(some_place(a))))


def some_place(a: Tensor) -> tuple[Term, ...]:
    return tuple(t.Sym(f"place{d}") for d in range(len(a.factors)))


def at_least_zero(e: Term) -> bool:
    if isinstance(e, sympy.Integer):
        return bool(e >= 0)
    if isinstance(e, t.Read):
        return bool(e.array.span) and e.array.span[0] == 0
    if isinstance(e, t.Add | t.Mul):
        return all(map(at_least_zero, e.args))
    if isinstance(e, t.FloorDiv | t.Mod):
        return at_least_zero(e.args[0])
    return isinstance(e, t.Sym)


def is_zero(b: Tensor) -> bool:
    return b.cell(some_place(b)) == 0


def compared(reader: Reader, kind: Any, p: Term, q: Term) -> Term:
    """A comparison of cells, decided where terms or sizes tell."""
    if is_endless(p) or is_endless(q):
        return with_endless(kind, p, q)
    if p == q:
        return truth(kind in (t.Eq, t.Le, t.Ge))
    if kind in (t.Ge, t.Lt) and q == 0 and t.sort_of(p) != INT and reals.is_nowhere_negative(p):
        return truth(kind is t.Ge)
    if t.sort_of(p) == t.sort_of(q) == BOOL:
        if kind in choices.ORDERS:
            return choices.compared(kind, bracket(p), bracket(q))
        return alike(p, q) if kind is t.Eq else t.Not(alike(p, q))
    found = choices.compared(kind, p, q)
    if t.sort_of(p) == t.sort_of(q) == INT and not (isinstance(found, t.And | t.Or)):
        known = reader.decided(found) if of_sizes(reader, found) else None
        return found if known is None else truth(known)
    return found


def alike(p: Term, q: Term) -> Term:
    """Whether two conditions are both true or both false."""
    for one, other in ((p, q), (q, p)):
        if one in (t.And(), t.Or()):
            return other if one == t.And() else t.Not(other)
    return t.Or(t.And(p, q), t.And(t.Not(p), t.Not(q)))


def of_sizes(reader: Reader, condition: Term) -> bool:
    return not t.arrays(condition) and free(condition) <= set(reader.sizes.integers.values())


def is_endless(p: Term) -> bool:
    return isinstance(p, t.Div) and p.args[1] == 0 and p.args[0] in (-1, 0, 1)


def with_endless(kind: Any, p: Term, q: Term) -> Term:
    """A comparison with an infinity, of numbers that are none."""
    if p == q:
        return truth(kind in (t.Eq, t.Le, t.Ge) and p.args[0] != 0)
    a, b = (u.args[0] if is_endless(u) else sympy.Integer(0) for u in (p, q))
    if any(is_endless(u) and u.args[0] == 0 for u in (p, q)):
        return truth(kind is t.Ne)
    return truth(bool(choices.NUMBERS[kind](a, b)))


for name_, kind_ in COMPARED.items():
    comparison(name_, kind_)


def extreme(name: str, choose: Callable[[Term, Term], Term], weakest: int) -> None:
    def run(reader: Reader, equation: Any, a: Tensor, b: Tensor) -> Tensor:
        sort = a.sort if a.sort == b.sort else t.REAL
        if sort == BOOL:
            return OPS["logical_or" if weakest < 0 else "logical_and"](reader, a, b)

        def cell(p: Term, q: Term) -> Term:
            for one, other in ((p, q), (q, p)):
                if is_endless(one):
                    return other if one.args[0] == weakest else one
            if t.sort_of(p) == t.sort_of(q) == INT:
                first = t.relation(t.Ge if weakest < 0 else t.Le, p, q)
                known = reader.decided(first) if of_sizes(reader, first) else None
                if known is not None:
                    return p if known else q
            return choose(p, q)

        return elementwise(cell, a, b, sort=sort)

    rule(name)(run)


extreme("max", reals.larger, -1)
extreme("min", reals.smaller, 1)


@rule("clamp")
def clamp(reader: Reader, equation: Any, low: Tensor, x: Tensor, high: Tensor) -> Tensor:
    lower = elementwise(reals.larger, x, low, sort=x.sort)
    return elementwise(reals.smaller, lower, high, sort=x.sort)


@rule("is_finite")
def is_finite(reader: Reader, equation: Any, x: Tensor) -> Tensor:
    return elementwise(lambda u: truth(not is_endless(u)), x, sort=BOOL)


@rule("not")
def negation(reader: Reader, equation: Any, a: Tensor) -> Tensor:
    return OPS["logical_not"](reader, conditions(a)[0])


@rule("and")
def conjunction(reader: Reader, equation: Any, a: Tensor, b: Tensor) -> Tensor:
    return OPS["logical_and"](reader, *conditions(a, b))


@rule("or")
def disjunction(reader: Reader, equation: Any, a: Tensor, b: Tensor) -> Tensor:
    return OPS["logical_or"](reader, *conditions(a, b))


def conditions(*given: Tensor) -> tuple[Tensor, ...]:
    if any(x.sort != BOOL for x in given):
        raise Unreadable("an operation on the bits of integers")
    return given


@rule("select_n")
def select(reader: Reader, equation: Any, which: Tensor, *cases: Tensor) -> Tensor:
    return chosen(reader, which, cases)


def chosen(reader: Reader, which: Tensor, cases: Any) -> Tensor:
    """One of several, by a condition (the second where it holds) or by a number."""
    known = truth_of(which)
    if known is not None and len(cases) == 2:
        return cases[int(known)]
    if which.sort == BOOL:
        return OPS["where"](reader, which, cases[1], cases[0])
    found = cases[-1]
    for number, case in reversed(list(enumerate(cases[:-1]))):
        below = elementwise(lambda e, number=number: at_most(e, number), which, sort=BOOL)
        found = OPS["where"](reader, below, case, found)
    return found


def one_of(condition: Term, then: Term, otherwise: Term) -> Term:
    """A condition where another holds, and one where it fails."""
    always, never = t.And(), t.Or()
    if then in (always, never):
        rest = condition if then == always else t.Not(condition)
        if otherwise in (always, never):
            return rest
        return t.Or(rest, otherwise) if then == always else t.And(rest, otherwise)
    if otherwise in (always, never):
        rest = t.Not(condition) if otherwise == always else condition
        return t.Or(rest, then) if otherwise == always else t.And(rest, then)
    return t.Or(t.And(condition, then), t.And(t.Not(condition), otherwise))


def at_most(e: Term, number: int) -> Term:
    if isinstance(e, sympy.Integer):
        return truth(bool(e <= number))
    if isinstance(e, t.If):
        then, otherwise = at_most(e.then, number), at_most(e.otherwise, number)
        if then == otherwise:
            return then
        return one_of(e.condition, then, otherwise)
    return t.relation(t.Le, e, number)


def truth_of(which: Tensor) -> bool | None:
    """What a condition is at every place, if it is the same by its form."""
    if which.sort != BOOL:
        return None
    found = which.cell(some_place(which))
    return None if found.args else {t.And: True, t.Or: False}.get(type(found))
