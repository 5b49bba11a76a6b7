"""Exact evaluation at concrete sizes: the judge that replays every counterexample. Trusted.

The numbers are a parameter: rationals, certified intervals where `exp` or `log` occur, polynomials
in the cells of the tensors, or dual numbers over one of these.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import sympy

from verify import terms as t
from verify.terms import Array, remembered, sort_of

Tensor = Callable[[tuple[int, ...]], Any]


class Undefined(Exception):
    """A division by zero, a logarithm of nothing, a read or a write out of bounds."""


class Undecided(Exception):
    """A comparison that these numbers cannot decide."""


@dataclass(frozen=True)
class Numbers:
    """What reals are: how an exact number enters, and what else than + - * they can do."""

    lift: Callable[[Fraction | int], Any]
    zero: Any
    one: Any
    divide: Callable[[Any, Any], Any]
    sign: Callable[[Any], int]
    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]


def divide(a: Any, b: Any) -> Any:
    if b == 0:
        raise Undefined("division by zero")
    return a / b


def sign(a: Any) -> int:
    return (a > 0) - (a < 0)


def cannot(_: Any) -> Any:
    raise Undecided("these numbers have no order, exp or log")


def exact_exp(a: Fraction) -> Fraction:
    return Fraction(1) if a == 0 else cannot(a)


def exact_log(a: Fraction) -> Fraction:
    if a <= 0:
        raise Undefined("logarithm of a number that is not positive")
    return Fraction(0) if a == 1 else cannot(a)


RATIONALS = Numbers(Fraction, Fraction(0), Fraction(1), divide, sign, exact_exp, exact_log)


def interval(value: Fraction | int) -> Any:
    return mpmath.iv.mpf(value.numerator) / value.denominator


def interval_sign(a: Any) -> int:
    if a.a > 0:
        return 1
    if a.b < 0:
        return -1
    if a.a == 0 == a.b:
        return 0
    raise Undecided("an interval around zero")


def interval_divide(a: Any, b: Any) -> Any:
    if interval_sign(b) == 0:
        raise Undefined("division by zero")
    return a / b


def interval_log(a: Any) -> Any:
    if interval_sign(a) <= 0:
        raise Undefined("logarithm of a number that is not positive")
    return mpmath.iv.log(a)


REALS = Numbers(
    interval, interval(0), interval(1), interval_divide, interval_sign, mpmath.iv.exp, interval_log
)


@dataclass(frozen=True)
class Dual:
    """A number and its derivative."""

    value: Any
    slope: Any

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)


def duals(base: Numbers) -> Numbers:
    """Dual numbers: evaluating with them differentiates, sharing no code with `derive`.

    A comparison of equal numbers with different slopes is on the boundary, and undecided.
    """
    minus = base.lift(-1)

    def div(a: Dual, b: Dual) -> Dual:
        q = base.divide(a.value, b.value)
        return Dual(q, base.divide(a.slope + q * b.slope * minus, b.value))

    def dual_sign(a: Dual) -> int:
        found = base.sign(a.value)
        if found == 0 and base.sign(a.slope) != 0:
            raise Undecided("on the boundary between two branches")
        return found

    def exp(a: Dual) -> Dual:
        e = base.exp(a.value)
        return Dual(e, e * a.slope)

    return Numbers(
        lambda q: Dual(base.lift(q), base.zero),
        Dual(base.zero, base.zero),
        Dual(base.one, base.zero),
        div,
        dual_sign,
        exp,
        lambda a: Dual(base.log(a.value), base.divide(a.slope, a.value)),
    )


def numbers_for(*terms: Any) -> Numbers:
    """Rationals, or intervals if an `exp` or `log` occurs."""
    return REALS if any(map(is_transcendental, terms)) else RATIONALS


@remembered
def is_transcendental(term: Any) -> bool:
    return any(isinstance(u, t.Exp | t.Log) for u in t.walk(term))


@lru_cache(maxsize=1000)
def polynomials(count: int) -> tuple[Numbers, tuple[Any, ...]]:
    """Polynomials over the rationals in so many cells, and the cells themselves."""
    ring, *generators = sympy.ring([f"c{i}" for i in range(count)] or ["c"], sympy.QQ)

    def over(a: Any, b: Any) -> Any:
        if b == 0:
            raise Undefined("division by zero")
        if not b.is_ground:
            raise Undecided("a quotient of polynomials")
        return a * (1 / b.LC)

    def lift(q: Fraction | int) -> Any:
        return ring(sympy.QQ(q.numerator, q.denominator))

    numbers = Numbers(lift, ring.zero, ring.one, over, poly_sign, poly_exp, cannot)
    return numbers, tuple(generators[:count])


def poly_sign(a: Any) -> int:
    return sign(a.LC) if a.is_ground else cannot(a)


def poly_exp(a: Any) -> Any:
    return a.ring.one if a == 0 else cannot(a)


Env = Mapping[Any, Any]
Run = Callable[["Evaluator", Any], Any]


class Evaluator:
    """Evaluates terms without bundles; `tensors` maps the name of an array to its cells."""

    def __init__(self, numbers: Numbers, tensors: Mapping[str, Tensor]) -> None:
        self.numbers = numbers
        self.tensors = tensors
        self.known: dict[Any, Any] = {}
        self.seeded: dict[Any, Evaluator] = {}

    def value(self, term: Any, env: Env) -> Any:
        """An int, a bool or a number, by the sort of the term."""
        return compiled(term)(self, env)

    def real(self, term: Any, env: Env) -> Any:
        """The value as a number, also where the term is an integer."""
        return as_real(term)(self, env)

    def shape(self, array: Array, env: Env) -> tuple[int, ...]:
        return tuple(compiled(d)(self, env) for d in array.dims)

    def places(self, ranges: Any, env: Env) -> Iterator[dict[Any, Any]]:
        """The environments that loops over the ranges visit, in their order; one dict, reused."""
        yield from visit(self, ends_of(ranges), dict(env))

    def equation(self, equation: Any, index: tuple[int, ...], env: Env) -> Any:
        """The entry at `index` of the array that an equation or a scatter defines."""
        if isinstance(equation, t.Eq):
            names = equation.args[0].index
            return self.real(equation.args[1], {**env, **dict(zip(names, index, strict=True))})
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

    def slope(self, body: Any, env: Env, name: str, point: tuple[int, ...]) -> Any:
        """The derivative by one cell, from dual numbers."""
        if (name, point) not in self.seeded:
            self.seeded[name, point] = self.seed(name, point)
        zero = self.numbers.zero
        parameters = {s: v if s.sort == t.INT else Dual(v, zero) for s, v in env.items()}
        return self.seeded[name, point].real(body, parameters).slope

    def seed(self, name: str, point: tuple[int, ...]) -> Evaluator:
        """An evaluator whose numbers carry their derivative by one cell."""
        zero, one = self.numbers.zero, self.numbers.one

        def seeded(array: str, cells: Tensor) -> Tensor:
            return lambda i: Dual(cells(i), one if (array, i) == (name, point) else zero)

        tensors = {a: seeded(a, cells) for a, cells in self.tensors.items()}
        return Evaluator(duals(self.numbers), tensors)


class PolynomialEvaluator(Evaluator):
    """Evaluates to polynomials in the cells, which hold for all values of the tensors at once."""

    def slope(self, body: Any, env: Env, name: str, point: tuple[int, ...]) -> Any:
        return once(as_real(body), body)(self, env).diff(self.tensors[name](point))


@remembered
def ordered_free(term: Any) -> tuple[Any, ...]:
    return tuple(sorted(t.free(term), key=str))


def within(index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return all(0 <= e < n for e, n in zip(index, shape, strict=True))


# Each kind of node becomes a function of the evaluator and the environment, made once per node.

RULES: dict[type, Callable[[Any], Run]] = {}


def rule(*kinds: type) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        RULES.update(dict.fromkeys(kinds, function))
        return function

    return register


@remembered
def compiled(term: Any) -> Run:
    if isinstance(term, t.Sym):
        return lambda ev, env: env[term]
    if isinstance(term, sympy.Integer):
        whole = int(term)
        return lambda ev, env: whole
    if isinstance(term, sympy.Rational):
        exact = Fraction(int(term.p), int(term.q))
        return lambda ev, env: ev.numbers.lift(exact)
    run = RULES[type(term)](term)
    return once(run, term) if isinstance(term, t.Fold | t.Maximum | t.Winner) else run


def once(run: Run, term: Any) -> Run:
    """Remembers values by what the term depends on, for as long as the evaluator lives."""
    symbols = ordered_free(term)

    def lookup(ev: Evaluator, env: Env) -> Any:
        key = (term, *(env[s] for s in symbols))
        if key not in ev.known:
            ev.known[key] = run(ev, env)
        return ev.known[key]

    return lookup


@remembered
def as_real(term: Any) -> Run:
    run = compiled(term)
    if sort_of(term) != t.INT:
        return run
    return lambda ev, env: ev.numbers.lift(run(ev, env))


def numbers_of(term: Any) -> list[Run]:
    """The parts of a node, as reals if one of them is."""
    is_real = t.REAL in map(sort_of, term.args)
    return [as_real(a) if is_real else compiled(a) for a in term.args]


def ends_of(ranges: Any) -> tuple[tuple[Any, Run, Run], ...]:
    return tuple((symbol, compiled(first), compiled(last)) for symbol, first, last in ranges)


def visit(ev: Evaluator, ends: tuple[tuple[Any, Run, Run], ...], env: Any) -> Iterator[Any]:
    if not ends:
        yield env
        return
    (symbol, first, last), *rest = ends
    for value in range(first(ev, env), last(ev, env) + 1):
        env[symbol] = value
        yield from visit(ev, tuple(rest), env)


@rule(t.Add)
def add(term: Any) -> Run:
    parts = numbers_of(term)
    if sort_of(term) == t.INT:
        if len(parts) == 2:
            left, right = parts
            return lambda ev, env: left(ev, env) + right(ev, env)
        return lambda ev, env: sum([part(ev, env) for part in parts])

    def run(ev: Evaluator, env: Env) -> Any:
        total = ev.numbers.zero
        for part in parts:
            total = total + part(ev, env)
        return total

    return run


@rule(t.Mul)
def mul(term: Any) -> Run:
    parts = numbers_of(term)
    if sort_of(term) == t.INT:
        if len(parts) == 2:
            left, right = parts
            return lambda ev, env: left(ev, env) * right(ev, env)
        return lambda ev, env: math.prod([part(ev, env) for part in parts])
    guards = guards_of(term)

    def run(ev: Evaluator, env: Env) -> Any:
        if not all(guard(ev, env) for guard in guards):
            return ev.numbers.zero
        total = ev.numbers.one
        for part in parts:
            total = total * part(ev, env)
        return total

    return run


def guards_of(term: Any) -> list[Run]:
    return [compiled(condition) for condition in t.guards_of(term)]


@rule(t.Div)
def div(term: Any) -> Run:
    above, below = map(as_real, term.args)
    guards = guards_of(term)

    def run(ev: Evaluator, env: Env) -> Any:
        if not all(guard(ev, env) for guard in guards):
            return ev.numbers.zero
        return ev.numbers.divide(above(ev, env), below(ev, env))

    return run


def nonzero(divisor: int) -> int:
    if divisor == 0:
        raise Undefined("division by zero")
    return divisor


INTEGER_RULES: dict[type, Callable[[int, int], int]] = {
    t.FloorDiv: lambda a, b: a // nonzero(b),
    t.CeilDiv: lambda a, b: -(-a // nonzero(b)),
    t.Mod: lambda a, b: a % nonzero(b),
    t.TruncDiv: lambda a, b: (abs(a) // abs(nonzero(b))) * sign(a) * sign(b),
    t.TruncMod: lambda a, b: (abs(a) % abs(nonzero(b))) * sign(a),
    t.NatSub: lambda a, b: max(0, a - b),
    t.NatDiv: lambda a, b: a // b if b else 0,
}


@rule(*INTEGER_RULES)
def integer(term: Any) -> Run:
    apply = INTEGER_RULES[type(term)]
    left, right = map(compiled, term.args)
    return lambda ev, env: apply(left(ev, env), right(ev, env))


def compare(ev: Evaluator, a: Any, b: Any) -> int:
    """The sign of `a - b`."""
    return ev.numbers.sign(a + ev.numbers.lift(-1) * b)


@rule(t.Min, t.Max)
def extremum(term: Any) -> Run:
    parts = numbers_of(term)
    wanted = 1 if isinstance(term, t.Max) else -1
    if sort_of(term) == t.INT:
        pick = max if wanted == 1 else min
        return lambda ev, env: pick(part(ev, env) for part in parts)

    def run(ev: Evaluator, env: Env) -> Any:
        best, *rest = (part(ev, env) for part in parts)
        for value in rest:
            if compare(ev, value, best) == wanted:
                best = value
        return best

    return run


@rule(t.Exp)
def exp(term: Any) -> Run:
    inner = as_real(term.args[0])
    return lambda ev, env: ev.numbers.exp(inner(ev, env))


@rule(t.Log)
def log(term: Any) -> Run:
    inner = as_real(term.args[0])
    return lambda ev, env: ev.numbers.log(inner(ev, env))


@rule(t.If)
def choice(term: Any) -> Run:
    condition = compiled(term.args[0])
    lift = as_real if sort_of(term) == t.REAL else compiled
    then, otherwise = map(lift, term.args[1:])
    return lambda ev, env: then(ev, env) if condition(ev, env) else otherwise(ev, env)


@rule(t.Bracket)
def bracket(term: Any) -> Run:
    condition = compiled(term.args[0])
    return lambda ev, env: ev.numbers.one if condition(ev, env) else ev.numbers.zero


@rule(t.Read, t.PaddedRead)
def read(term: Any) -> Run:
    index = [compiled(e) for e in term.index]
    dims = [compiled(d) for d in term.array.dims]
    name, padded = term.array.name, isinstance(term, t.PaddedRead)

    def run(ev: Evaluator, env: Env) -> Any:
        at = tuple(e(ev, env) for e in index)
        if all(0 <= e < d(ev, env) for e, d in zip(at, dims, strict=True)):
            return ev.tensors[name](at)
        if padded:
            return ev.numbers.zero
        raise Undefined(f"reads {name}{list(at)} of shape {ev.shape(term.array, env)}")

    return run


SIGNS: dict[type, Callable[[int], bool]] = {
    t.Le: lambda s: s <= 0,
    t.Lt: lambda s: s < 0,
    t.Ge: lambda s: s >= 0,
    t.Gt: lambda s: s > 0,
    t.Eq: lambda s: s == 0,
    t.Ne: lambda s: s != 0,
}


INTEGER_RELATIONS: dict[type, Callable[[int, int], bool]] = {
    t.Le: operator.le,
    t.Lt: operator.lt,
    t.Ge: operator.ge,
    t.Gt: operator.gt,
    t.Eq: operator.eq,
    t.Ne: operator.ne,
}


@rule(*SIGNS)
def relation(term: Any) -> Run:
    left, right = numbers_of(term)
    holds = SIGNS[type(term)]
    if t.REAL in map(sort_of, term.args):
        return lambda ev, env: holds(compare(ev, left(ev, env), right(ev, env)))
    compare_integers = INTEGER_RELATIONS[type(term)]
    return lambda ev, env: compare_integers(left(ev, env), right(ev, env))


@rule(t.Divides)
def divides(term: Any) -> Run:
    d, a = map(compiled, term.args)
    return lambda ev, env: a(ev, env) % nonzero(d(ev, env)) == 0


@rule(t.And)
def conjunction(term: Any) -> Run:
    parts = [compiled(a) for a in term.args]

    def run(ev: Evaluator, env: Env) -> bool:
        for part in parts:  # noqa: SIM110  # a generator costs more than the parts
            if not part(ev, env):
                return False
        return True

    return run


@rule(t.Or)
def disjunction(term: Any) -> Run:
    parts = [compiled(a) for a in term.args]
    return lambda ev, env: any(part(ev, env) for part in parts)


@rule(t.Not)
def negation(term: Any) -> Run:
    inner = compiled(term.args[0])
    return lambda ev, env: not inner(ev, env)


@rule(t.Slope)
def slope(term: Any) -> Run:
    body, cell = term.args
    index = [compiled(e) for e in cell.index]

    def run(ev: Evaluator, env: Env) -> Any:
        point = tuple(e(ev, env) for e in index)
        if not within(point, ev.shape(cell.array, env)):
            raise Undefined(f"a derivative by {cell.array}{list(point)}, which is no cell")
        return ev.slope(body, env, cell.array.name, point)

    return run


@rule(t.Sum)
def sum_over(term: Any) -> Run:
    body, ends = as_real(term.body), ends_of(term.ranges)

    def run(ev: Evaluator, env: Env) -> Any:
        total = ev.numbers.zero
        for place in visit(ev, ends, dict(env)):
            total = total + body(ev, place)
        return total

    return run


@rule(t.Prod)
def product_over(term: Any) -> Run:
    body, ends = as_real(term.body), ends_of(term.ranges)

    def run(ev: Evaluator, env: Env) -> Any:
        total = ev.numbers.one
        for place in visit(ev, ends, dict(env)):
            total = total * body(ev, place)
        return total

    return run


@rule(t.Exists)
def exists(term: Any) -> Run:
    body, ends = compiled(term.body), ends_of(term.ranges)
    return lambda ev, env: any(body(ev, place) for place in visit(ev, ends, dict(env)))


@rule(t.ForAll)
def for_all(term: Any) -> Run:
    body, ends = compiled(term.body), ends_of(term.ranges)
    return lambda ev, env: all(body(ev, place) for place in visit(ev, ends, dict(env)))


@rule(t.Maximum)
def maximum(term: Any) -> Run:
    body, where, empty = as_real(term.body), compiled(term.args[1]), as_real(term.args[2])
    ends = ends_of(term.ranges)

    def run(ev: Evaluator, env: Env) -> Any:
        best = None
        for place in visit(ev, ends, dict(env)):
            if where(ev, place):
                value = body(ev, place)
                if best is None or compare(ev, value, best) > 0:
                    best = value
        return empty(ev, env) if best is None else best

    return run


@rule(t.Winner)
def winner(term: Any) -> Run:
    winners = winners_of(term)
    tie, at = str(term.args[2]), [compiled(e) for e in term.args[3]]

    def run(ev: Evaluator, env: Env) -> bool:
        found = winners(ev, env)
        chosen = {"first": found[:1], "last": found[-1:], "any": found}[tie]
        return tuple(e(ev, env) for e in at) in chosen

    return run


@rule(t.Unique)
def unique(term: Any) -> Run:
    winners = winners_of(term)
    return lambda ev, env: len(winners(ev, env)) <= 1


def winners_of(term: Any) -> Run:
    """The places of the maximum, in the order of the loops."""
    body, where = as_real(term.body), compiled(term.args[1])
    ends, symbols = ends_of(term.ranges), [symbol for symbol, _, _ in term.ranges]

    def run(ev: Evaluator, env: Env) -> list[Any]:
        best: Any = None
        found: list[Any] = []
        for place in visit(ev, ends, dict(env)):
            if not where(ev, place):
                continue
            value = body(ev, place)
            order = 1 if best is None else compare(ev, value, best)
            if order > 0:
                best, found = value, []
            if order >= 0:
                found.append(tuple(place[symbol] for symbol in symbols))
        return found

    return run


@rule(t.Fold)
def fold(term: Any) -> Run:
    ends, result = ends_of(term.ranges), compiled(term.body)
    lifts = [as_real if state.sort == t.REAL else compiled for state, _, _ in term.args[1]]
    states = [
        (state, lift(start), lift(step))
        for lift, (state, start, step) in zip(lifts, term.args[1], strict=True)
    ]

    def run(ev: Evaluator, env: Env) -> Any:
        now = {state: start(ev, env) for state, start, _ in states}
        for place in visit(ev, ends, dict(env)):
            seen = {**place, **now}
            now = {state: step(ev, seen) for state, _, step in states}
        return result(ev, {**env, **now})

    return run
