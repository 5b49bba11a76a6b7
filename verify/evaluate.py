"""Exact evaluation at concrete sizes: the judge that replays every counterexample. Trusted.

The numbers are a parameter: see `numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import prod
from typing import Any

import sympy

from verify import terms as t
from verify.numbers import INTERVALS, RATIONALS, Jet, Numbers, Undefined, jets, sign
from verify.substitution import free
from verify.terms import Array, remembered, sort_of

Tensor = Callable[[tuple[int, ...]], Any]


def numbers_for(*terms: Any) -> Numbers:
    """Rationals, or intervals if an `exp` or `log` occurs."""
    return INTERVALS if any(map(is_transcendental, terms)) else RATIONALS


@remembered
def is_transcendental(term: Any) -> bool:
    return t.mentions(term, t.Exp | t.Log)


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

        tensors = {a: seeded(a, cells) for a, cells in self.tensors.items()}
        return Evaluator(jets(self.numbers), tensors)


@remembered
def ordered_free(term: Any) -> tuple[Any, ...]:
    return tuple(sorted(free(term), key=str))


def within(index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    for e, n in zip(index, shape, strict=True):  # noqa: SIM110  # a generator costs more
        if not 0 <= e < n:
            return False
    return True


# Each kind of node becomes a function of the evaluator and the environment, made once per node.

RULES: dict[type, Callable[[Any], Run]] = {}


def rule(*kinds: type) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        RULES.update(dict.fromkeys(kinds, function))
        return function

    return register


LONG = (t.Sum, t.Log, t.Fold, t.Maximum, t.Winner)  # what takes long is computed once


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
    return once(run, term) if isinstance(term, LONG) else run


def once(run: Run, term: Any) -> Run:
    """Remembers values by what the term depends on, for as long as the evaluator lives."""
    values_in = written(*ordered_free(term))

    def lookup(ev: Evaluator, env: Env) -> Any:
        key = (term, values_in(ev, env))
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


@remembered
def as_kept(term: Any) -> Run:
    return once(as_real(term), term)


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
    (symbol, first, last), rest = ends[0], ends[1:]
    for value in range(first(ev, env), last(ev, env) + 1):
        env[symbol] = value
        if rest:
            yield from visit(ev, rest, env)
        else:
            yield env


# Integers and conditions become Python text; what they contain of other kinds is called from it.


def nonzero(divisor: int) -> int:
    if divisor == 0:
        raise Undefined("division by zero")
    return divisor


CALLED: dict[str, Callable[[int, int], int]] = {
    "FloorDiv": lambda a, b: a // nonzero(b),
    "CeilDiv": lambda a, b: -(-a // nonzero(b)),
    "Mod": lambda a, b: a % nonzero(b),
    "TruncDiv": lambda a, b: (abs(a) // abs(nonzero(b))) * sign(a) * sign(b),
    "TruncMod": lambda a, b: (abs(a) % abs(nonzero(b))) * sign(a),
    "NatSub": lambda a, b: max(0, a - b),
    "NatDiv": lambda a, b: a // b if b else 0,
    "Divides": lambda d, a: a % nonzero(d) == 0,
}
TEXTS: dict[type, Callable[..., str]] = {
    t.Add: lambda *parts: " + ".join(parts) or "0",
    t.Mul: lambda *parts: " * ".join(parts) or "1",
    t.Min: lambda *parts: f"min([{', '.join(parts)}])",
    t.Max: lambda *parts: f"max([{', '.join(parts)}])",
    t.And: lambda *parts: " and ".join(parts) or "True",
    t.Or: lambda *parts: " or ".join(parts) or "False",
    t.Not: lambda part: f"not {part}",
    t.If: lambda condition, then, otherwise: f"{then} if {condition} else {otherwise}",
    t.Le: lambda a, b: f"{a} <= {b}",
    t.Lt: lambda a, b: f"{a} < {b}",
    t.Ge: lambda a, b: f"{a} >= {b}",
    t.Gt: lambda a, b: f"{a} > {b}",
    t.Eq: lambda a, b: f"{a} == {b}",
    t.Ne: lambda a, b: f"{a} != {b}",
    **{getattr(t, name): f"{name}({{}}, {{}})".format for name in CALLED},
}
DEEPEST = 8  # a part that occurs twice is written twice, so the text doubles with each level


def is_exact(term: Any) -> bool:
    """An integer or a condition, of parts that are."""
    return type(term) in TEXTS and t.REAL not in map(sort_of, term.args)


def text_of(term: Any, names: dict[str, Any], depth: int = 0) -> str:
    """The term as Python; `names` are given to the symbols and functions that it mentions."""
    if isinstance(term, sympy.Integer):
        return f"({int(term)})"
    if is_exact(term) and depth < DEEPEST:
        return f"({TEXTS[type(term)](*(text_of(a, names, depth + 1) for a in term.args))})"
    name = f"_{len(names)}"
    names[name] = term if isinstance(term, t.Sym) else compiled(term)
    return f"env[{name}]" if isinstance(term, t.Sym) else f"{name}(ev, env)"


def whole(term: Any) -> Run:
    names: dict[str, Any] = {}
    return function(text_of(term, names), names)


def written(*terms: Any) -> Run:
    """The tuple of the values."""
    names: dict[str, Any] = {}
    return function("".join(["(", *(f"{text_of(u, names)}, " for u in terms), ")"]), names)


def function(text: str, names: dict[str, Any]) -> Run:
    found: Run = eval(f"lambda ev, env: {text}", {**CALLED, **names})
    return found


rule(t.And, t.Or, t.Not, *(getattr(t, name) for name in CALLED))(whole)


@rule(t.Add)
def add(term: Any) -> Run:
    if is_exact(term):
        return whole(term)
    parts = numbers_of(term)
    return lambda ev, env: sum((part(ev, env) for part in parts), ev.numbers.zero)


@rule(t.Mul)
def mul(term: Any) -> Run:
    if is_exact(term):
        return whole(term)
    parts, guards = numbers_of(term), guards_of(term)

    def run(ev: Evaluator, env: Env) -> Any:
        if not all(guard(ev, env) for guard in guards):
            return ev.numbers.zero
        return prod((part(ev, env) for part in parts), start=ev.numbers.one)

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


def compare(ev: Evaluator, a: Any, b: Any) -> int:
    """The sign of `a - b`."""
    return ev.numbers.sign(a + ev.numbers.lift(-1) * b)


@rule(t.Min, t.Max)
def extremum(term: Any) -> Run:
    if is_exact(term):
        return whole(term)
    parts, wanted = numbers_of(term), 1 if isinstance(term, t.Max) else -1

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
    if is_exact(term):
        return whole(term)
    condition, then, otherwise = compiled(term.args[0]), *map(as_real, term.args[1:])
    return lambda ev, env: then(ev, env) if condition(ev, env) else otherwise(ev, env)


@rule(t.Bracket)
def bracket(term: Any) -> Run:
    condition = compiled(term.args[0])
    return lambda ev, env: ev.numbers.one if condition(ev, env) else ev.numbers.zero


@rule(t.Read, t.PaddedRead)
def read(term: Any) -> Run:
    index, dims = written(*term.index), written(*term.array.dims)
    name, padded = term.array.name, isinstance(term, t.PaddedRead)

    def run(ev: Evaluator, env: Env) -> Any:
        at = index(ev, env)
        if within(at, dims(ev, env)):
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


@rule(*SIGNS)
def relation(term: Any) -> Run:
    if is_exact(term):
        return whole(term)
    left, right = numbers_of(term)
    holds = SIGNS[type(term)]
    return lambda ev, env: holds(compare(ev, left(ev, env), right(ev, env)))


@rule(t.Slope)
def slope(term: Any) -> Run:
    body, cell = term.args
    index = written(*cell.index)

    def run(ev: Evaluator, env: Env) -> Any:
        point = index(ev, env)
        if not within(point, ev.shape(cell.array, env)):
            raise Undefined(f"a derivative by {cell.array}{list(point)}, which is no cell")
        return ev.slope(body, env, cell.array.name, point)

    return run


@rule(t.Sum)
def sum_over(term: Any) -> Run:
    body, ends = as_real(term.body), ends_of(term.ranges)

    def run(ev: Evaluator, env: Env) -> Any:
        places = visit(ev, ends, dict(env))
        return sum((body(ev, place) for place in places), ev.numbers.zero)

    return run


@rule(t.Prod)
def product_over(term: Any) -> Run:
    body, ends = as_real(term.body), ends_of(term.ranges)

    def run(ev: Evaluator, env: Env) -> Any:
        places = visit(ev, ends, dict(env))
        return prod((body(ev, place) for place in places), start=ev.numbers.one)

    return run


@rule(t.Exists, t.ForAll)
def quantified(term: Any) -> Run:
    body, ends = compiled(term.body), ends_of(term.ranges)
    settled = any if isinstance(term, t.Exists) else all
    return lambda ev, env: settled(body(ev, place) for place in visit(ev, ends, dict(env)))


@rule(t.Maximum)
def maximum(term: Any) -> Run:
    largest, empty = contest(term), as_real(term.args[2])

    def run(ev: Evaluator, env: Env) -> Any:
        best, winners = largest(ev, env)
        return best if winners else empty(ev, env)

    return run


@rule(t.Winner)
def winner(term: Any) -> Run:
    largest = contest(term)
    tie, at = str(term.args[2]), written(*term.args[3])

    def run(ev: Evaluator, env: Env) -> bool:
        _, found = largest(ev, env)
        chosen = {"first": found[:1], "last": found[-1:], "any": found}[tie]
        return at(ev, env) in chosen

    return run


@rule(t.Unique)
def unique(term: Any) -> Run:
    largest = contest(term)
    return lambda ev, env: len(largest(ev, env)[1]) <= 1


def contest(term: Any) -> Run:
    """The maximum, and its places in the order of the loops."""
    body, where = as_real(term.body), compiled(term.args[1])
    ends, symbols = ends_of(term.ranges), [symbol for symbol, _, _ in term.ranges]

    def run(ev: Evaluator, env: Env) -> tuple[Any, list[Any]]:
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
        return best, found

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
