"""Exact evaluation at concrete sizes: the judge that replays every counterexample. Trusted.

What a term means, node by node, by plain recursion. The numbers are a parameter: see `numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import sympy

from gradproof.evaluate.numbers import (
    INTERVALS,
    RATIONALS,
    Jet,
    Number,
    Numbers,
    Undecided,
    Undefined,
    jets,
    sign,
)
from gradproof.language import terms as t
from gradproof.language.functions import value_of
from gradproof.language.substitution import free
from gradproof.language.terms import Array, Sym, Term, Triple, remembered, sort_of

Value = int | Number  # an int or a bool too, by the sort of the term
Tensor = Callable[[tuple[int, ...]], Number]


def numbers_for(*terms: Term) -> Numbers:
    """Rationals, or intervals if an `exp`, a `log` or another function occurs."""
    return INTERVALS if any(map(is_transcendental, terms)) else RATIONALS


@remembered
def is_transcendental(term: Term) -> bool:
    return t.mentions(term, t.Exp, t.Log, t.Apply)


Env = Mapping[Sym, Value]


@dataclass(frozen=True)
class Whole:
    """The cells of an array of integers."""

    cells: Callable[[tuple[int, ...]], Fraction | int]

    def __call__(self, index: tuple[int, ...]) -> int:
        found = Fraction(self.cells(index))
        if found.denominator != 1:
            raise Undefined(f"{found} is no integer")
        return found.numerator


class Circular(Undefined):
    """What is computed from itself."""


class Evaluator:
    """Evaluates terms without bundles; `tensors` maps the name of an array to its cells.

    Arrays that equations of `where` define have the cells that these say.
    """

    def __init__(
        self, numbers: Numbers, tensors: Mapping[str, Tensor], where: Sequence[Term] = ()
    ) -> None:
        self.numbers = numbers
        self.tensors = tensors
        self.where = {equation.target.array.name: equation for equation in where}
        self.computed: dict[tuple[str, tuple[int, ...]], Number] = {}
        self.begun: set[tuple[str, tuple[int, ...]]] = set()
        self.known: dict[tuple[Term, tuple[Value, ...]], Value] = {}
        self.seeded: dict[tuple[str, tuple[int, ...]], Evaluator] = {}

    def value(self, term: Term, env: Env) -> Value:
        """An int, a bool or a number, by the sort of the term."""
        if isinstance(term, t.Sym):
            return env[term]
        if isinstance(term, sympy.Integer):
            return int(term)
        if isinstance(term, sympy.Rational):
            return self.numbers.lift(Fraction(int(term.p), int(term.q)))
        if not isinstance(term, t.Binder):
            return RULES[type(term)](self, term, env)
        key = (term, tuple(env[s] for s in ordered_free(term)))  # what takes long, once
        if key not in self.known:
            self.known[key] = RULES[type(term)](self, term, env)
        return self.known[key]

    def real(self, term: Term, env: Env) -> Number:
        """The value as a number, also where the term is an integer."""
        found = self.value(term, env)
        return self.numbers.lift(found) if sort_of(term) == t.INT else found

    def shape(self, array: Array, env: Env) -> tuple[int, ...]:
        return tuple(self.value(d, env) for d in array.dims)

    def places(self, ranges: Sequence[Triple], env: Env) -> Iterator[dict[Sym, Value]]:
        """The environments that loops over the ranges visit, in their order."""
        if not ranges:
            yield dict(env)
            return
        (symbol, first, last), *rest = ranges
        for value in range(self.value(first, env), self.value(last, env) + 1):
            yield from self.places(rest, {**env, symbol: value})

    def equation(self, equation: Term, index: tuple[int, ...], env: Env) -> Number:
        """The entry at `index` of the array that an equation or a scatter defines."""
        if isinstance(equation, t.Eq):
            names = equation.left.index
            return self.real(equation.right, {**env, **dict(zip(names, index, strict=True))})
        shape = self.shape(equation.target.array, env)
        total = self.numbers.zero
        for place in self.places(equation.ranges, env):
            if not self.value(equation.where, place):
                continue
            target = tuple(self.value(e, place) for e in equation.target.index)
            if not within(target, shape):
                raise Undefined(f"writes {equation.target.array}{list(target)} of shape {shape}")
            if target == index:
                total = total + self.real(equation.value, place)
        return total

    def cell(self, name: str, index: tuple[int, ...], env: Env) -> Number:
        """A cell of an array; one that is computed from itself has no value."""
        if name not in self.where:
            return self.tensors[name](index)
        if (name, index) in self.begun:
            raise Circular(f"{name}{list(index)} is computed from itself")
        if (name, index) not in self.computed:
            self.begun.add((name, index))
            try:
                self.computed[name, index] = self.equation(self.where[name], index, env)
            except RecursionError:
                raise Undecided(f"{name}{list(index)} is computed from too many cells") from None
            finally:
                self.begun.remove((name, index))
        return self.computed[name, index]

    def slope(self, body: Term, env: Env, name: str, point: tuple[int, ...]) -> Number:
        """The derivative by one cell, from jets."""
        if (name, point) not in self.seeded:
            self.seeded[name, point] = self.seed(name, point)
        parameters = {s: v if s.sort == t.INT else Jet(v) for s, v in env.items()}
        found = self.seeded[name, point].real(body, parameters)
        return found.rest[0] if found.rest else self.numbers.zero

    def seed(self, name: str, point: tuple[int, ...]) -> Evaluator:
        """An evaluator whose numbers carry their derivative by one cell."""
        moves = (self.numbers.one,)

        def seeded(array: str, cells: Tensor) -> Tensor:
            def cell(i: tuple[int, ...]) -> Jet:
                return Jet(cells(i), moves if (array, i) == (name, point) else ())

            return cell

        tensors = {
            a: cells if isinstance(cells, Whole) else seeded(a, cells)
            for a, cells in self.tensors.items()
        }
        return Evaluator(jets(self.numbers), tensors, tuple(self.where.values()))


@remembered
def ordered_free(term: Term) -> tuple[Sym, ...]:
    return tuple(sorted(free(term), key=str))


def within(index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return all(0 <= e < n for e, n in zip(index, shape, strict=True))


# Each kind of node has its rule, which says what the node means in terms of its parts.

Rule = Callable[["Evaluator", Term, Env], Value]
RULES: dict[type, Rule] = {}


def rule(*kinds: type) -> Callable[[Rule], Rule]:
    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(kinds, function))
        return function

    return register


def numbers_of(ev: Evaluator, terms: Iterable[Term], env: Env) -> list[Value]:
    """The values of the terms, as reals if one of them is."""
    value = ev.real if t.REAL in map(sort_of, terms) else ev.value
    return [value(term, env) for term in terms]


def nonzero(divisor: int) -> int:
    if divisor == 0:
        raise Undefined("division by zero")
    return divisor


WHOLE: dict[type, Callable[[int, int], int]] = {
    t.FloorDiv: lambda a, b: a // nonzero(b),
    t.CeilDiv: lambda a, b: -(-a // nonzero(b)),
    t.Mod: lambda a, b: a % nonzero(b),
    t.TruncDiv: lambda a, b: (abs(a) // abs(nonzero(b))) * sign(a) * sign(b),
    t.TruncMod: lambda a, b: (abs(a) % abs(nonzero(b))) * sign(a),
    t.NatSub: lambda a, b: max(0, a - b),
    t.NatDiv: lambda a, b: a // b if b else 0,
    t.Divides: lambda d, a: a % nonzero(d) == 0,
}


@rule(*WHOLE)
def whole(ev: Evaluator, term: Term, env: Env) -> Value:
    a, b = (ev.value(part, env) for part in term.args)
    return WHOLE[type(term)](a, b)


@rule(t.Add)
def add(ev: Evaluator, term: Term, env: Env) -> Value:
    return total(ev, term, numbers_of(ev, term.args, env))


def total(ev: Evaluator, term: Term, parts: Iterable[Value]) -> Value:
    return sum(parts, 0 if sort_of(term) == t.INT else ev.numbers.zero)


@rule(t.Mul)
def mul(ev: Evaluator, term: Term, env: Env) -> Value:
    if not all(ev.value(guard, env) for guard in t.guards_of(term)):
        return ev.numbers.zero
    parts = numbers_of(ev, term.args, env)
    return prod(parts, start=1 if sort_of(term) == t.INT else ev.numbers.one)


@rule(t.Div)
def div(ev: Evaluator, term: Term, env: Env) -> Value:
    if not all(ev.value(guard, env) for guard in t.guards_of(term)):
        return ev.numbers.zero
    return ev.numbers.divide(*(ev.real(part, env) for part in term.args))


def compare(ev: Evaluator, a: Value, b: Value) -> int:
    """The sign of `a - b`, of two ints or two numbers."""
    if isinstance(a, int) and isinstance(b, int):
        return sign(a - b)
    return ev.numbers.sign(a + ev.numbers.lift(-1) * b)


@rule(t.Min, t.Max)
def extremum(ev: Evaluator, term: Term, env: Env) -> Value:
    wanted = 1 if isinstance(term, t.Max) else -1
    best, *rest = numbers_of(ev, term.args, env)
    for value in rest:
        if compare(ev, value, best) == wanted:
            best = value
    return best


@rule(t.Exp)
def exp(ev: Evaluator, term: Term, env: Env) -> Value:
    return ev.numbers.exp(ev.real(term.inner, env))


@rule(t.Log)
def log(ev: Evaluator, term: Term, env: Env) -> Value:
    return ev.numbers.log(ev.real(term.inner, env))


@rule(t.Power)
def power(ev: Evaluator, term: Term, env: Env) -> Value:
    base, exponent = ev.real(term.base, env), ev.value(term.exponent, env)
    whole = prod([base] * abs(exponent), start=ev.numbers.one)
    return whole if exponent >= 0 else ev.numbers.divide(ev.numbers.one, whole)


@rule(t.Apply)
def apply(ev: Evaluator, term: Term, env: Env) -> Value:
    known = value_of(term)
    if known is not None:
        return ev.real(known, env)
    if not term.function.built_in:
        raise Undecided(f"{term.function} has no value")
    return ev.numbers.apply(term.function.name, *(ev.real(u, env) for u in term.arguments))


@rule(t.If)
def choice(ev: Evaluator, term: Term, env: Env) -> Value:
    value = ev.real if sort_of(term) == t.REAL else ev.value
    return value(term.then if ev.value(term.condition, env) else term.otherwise, env)


@rule(t.Bracket)
def bracket(ev: Evaluator, term: Term, env: Env) -> Value:
    return ev.numbers.one if ev.value(term.condition, env) else ev.numbers.zero


@rule(t.Read, t.PaddedRead)
def read(ev: Evaluator, term: Term, env: Env) -> Value:
    index, shape = tuple(ev.value(e, env) for e in term.index), ev.shape(term.array, env)
    if within(index, shape):
        return ev.cell(term.array.name, index, env)
    if isinstance(term, t.PaddedRead):
        return 0 if term.array.span else ev.numbers.zero
    raise Undefined(f"reads {term.array.name}{list(index)} of shape {shape}")


@rule(t.And)
def conjunction(ev: Evaluator, term: Term, env: Env) -> bool:
    return all(ev.value(part, env) for part in term.args)


@rule(t.Or)
def disjunction(ev: Evaluator, term: Term, env: Env) -> bool:
    return any(ev.value(part, env) for part in term.args)


@rule(t.Not)
def negation(ev: Evaluator, term: Term, env: Env) -> bool:
    return not ev.value(term.condition, env)


SIGNS: dict[type, Callable[[int], bool]] = {
    t.Le: lambda s: s <= 0,
    t.Lt: lambda s: s < 0,
    t.Ge: lambda s: s >= 0,
    t.Gt: lambda s: s > 0,
    t.Eq: lambda s: s == 0,
    t.Ne: lambda s: s != 0,
}


@rule(*SIGNS)
def relation(ev: Evaluator, term: Term, env: Env) -> bool:
    return SIGNS[type(term)](compare(ev, *numbers_of(ev, term.args, env)))


@rule(t.Slope)
def slope(ev: Evaluator, term: Term, env: Env) -> Value:
    cell = term.cell
    point = tuple(ev.value(e, env) for e in cell.index)
    if not within(point, ev.shape(cell.array, env)):
        raise Undefined(f"a derivative by {cell.array}{list(point)}, which is no cell")
    return ev.slope(term.body, env, cell.array.name, point)


@rule(t.Sum)
def sum_over(ev: Evaluator, term: Term, env: Env) -> Value:
    return total(ev, term, (ev.real(term.body, place) for place in ev.places(term.ranges, env)))


@rule(t.Prod)
def product_over(ev: Evaluator, term: Term, env: Env) -> Value:
    factors = (ev.real(term.body, place) for place in ev.places(term.ranges, env))
    return prod(factors, start=ev.numbers.one)


@rule(t.Exists)
def exists(ev: Evaluator, term: Term, env: Env) -> bool:
    return any(ev.value(term.body, place) for place in ev.places(term.ranges, env))


@rule(t.ForAll)
def for_all(ev: Evaluator, term: Term, env: Env) -> bool:
    return all(ev.value(term.body, place) for place in ev.places(term.ranges, env))


def contest(ev: Evaluator, term: Term, env: Env) -> tuple[Number, list[tuple[Value, ...]]]:
    """The maximum, and its places in the order of the loops."""
    best: Number | None = None
    found: list[tuple[Value, ...]] = []
    for place in ev.places(term.ranges, env):
        if not ev.value(term.where, place):
            continue
        value = ev.real(term.body, place)
        order = 1 if best is None else compare(ev, value, best)
        if order > 0:
            best, found = value, []
        if order >= 0:
            found.append(tuple(place[symbol] for symbol, _, _ in term.ranges))
    return best, found


@rule(t.Maximum)
def maximum(ev: Evaluator, term: Term, env: Env) -> Value:
    best, winners = contest(ev, term, env)
    return best if winners else ev.real(term.empty, env)


@rule(t.Winner)
def winner(ev: Evaluator, term: Term, env: Env) -> bool:
    _, found = contest(ev, term, env)
    chosen = {"first": found[:1], "last": found[-1:], "any": found}[str(term.tie)]
    return tuple(ev.value(e, env) for e in term.at) in chosen


@rule(t.Unique)
def unique(ev: Evaluator, term: Term, env: Env) -> bool:
    return len(contest(ev, term, env)[1]) <= 1


@rule(t.Fold)
def fold(ev: Evaluator, term: Term, env: Env) -> Value:
    def run(state: Sym, part: Term, seen: Env) -> Value:
        return ev.real(part, seen) if state.sort == t.REAL else ev.value(part, seen)

    now = {state: run(state, start, env) for state, start, _ in term.states}
    for place in ev.places(term.ranges, env):
        seen = {**place, **now}
        now = {state: run(state, step, seen) for state, _, step in term.states}
    return ev.value(term.body, {**env, **now})
