"""A definition as plain Python: loops, whole numbers, fractions, long decimals. Untrusted.

Terms are only read here. Nothing that evaluates, derives or proves in the kernel has a part in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from math import prod
from types import CodeType
from typing import Any

import sympy
from mpmath import MPContext

from gradproof.language import terms as t

DIGITS = 80
TOO_LARGE = 10**6
REALS: Any = MPContext()
REALS.dps = DIGITS

Tensor = dict[tuple[int, ...], Any]
Names = Mapping[str, Any]


class Undefined(Exception):
    """A division by nothing, or a logarithm of what is not above it."""


class OutOfBounds(Exception):
    """A strict read, or a write, outside of an array."""


def quotient(a: Any, b: Any) -> Any:
    if b == 0:
        raise Undefined
    if isinstance(b, REALS.mpf):
        return REALS.convert(a) / b
    return a / b if isinstance(a, REALS.mpf) else Fraction(a) / b


def logarithm(a: Any) -> Any:
    if a <= 0:
        raise Undefined
    return REALS.log(a)


def power(a: Any, n: int) -> Any:
    whole = prod([a] * abs(n))
    return whole if n >= 0 else quotient(1, whole)


def exponential(a: Any) -> Any:
    return REALS.exp(min(a, TOO_LARGE))  # beyond that nothing is told apart


def floor_div(a: int, b: int) -> int:
    if b < 1:
        raise Undefined
    return a // b


def ceil_div(a: int, b: int) -> int:
    return -floor_div(-a, b)


def mod(a: int, b: int) -> int:
    return a - b * floor_div(a, b)


def trunc_div(a: int, b: int) -> int:
    if b == 0:
        raise Undefined
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def divides(a: int, b: int) -> bool:
    if a == 0:
        raise Undefined
    return b % a == 0


def read(array: Tensor, *index: int) -> Any:
    if index not in array:
        raise OutOfBounds
    return array[index]


def padded(array: Tensor, *index: int) -> Any:
    return array.get(index, 0)


def largest(values: list[Any], empty: Any) -> Any:
    return max(values, default=empty)


def wins(tie: str, place: tuple[int, ...], window: list[tuple[tuple[int, ...], Any]]) -> bool:
    """Whether a place of a window has its largest value, and comes first or last if need be."""
    most = max((value for _, value in window), default=None)
    winners = [at for at, value in window if value == most]
    counted = {"first": winners[:1], "last": winners[-1:], "any": winners}[tie]
    return place in counted


# Functions by name, as they are known elsewhere, whatever is declared of them.
FUNCTIONS: dict[str, Any] = {
    "pi": lambda: +REALS.pi,
    "sin": REALS.sin,
    "cos": REALS.cos,
    "atan": REALS.atan,
    "erf": REALS.erf,
    "normal": REALS.ncdf,
    "bell": lambda u: REALS.sqrt(REALS.pi) / 2 * REALS.erf(u) + 5,
}

CALLS: dict[type, Any] = {
    t.Div: quotient,
    t.Exp: exponential,
    t.Log: logarithm,
    t.Power: power,
    t.FloorDiv: floor_div,
    t.CeilDiv: ceil_div,
    t.Mod: mod,
    t.TruncDiv: trunc_div,
    t.Divides: divides,
    t.Max: max,
    t.Min: min,
}
JOINED = {t.Add: "+", t.And: "and", t.Or: "or"}
COMPARED = {t.Eq: "==", t.Ne: "!=", t.Le: "<=", t.Lt: "<", t.Ge: ">=", t.Gt: ">"}
BINDERS = {t.Sum: "sum", t.Prod: "prod", t.ForAll: "all", t.Exists: "any"}
EMPTY = {t.Add: "0", t.And: "True", t.Or: "False"}
PLAIN = (read, padded, largest, wins, prod, reduce, Fraction, sum, all, any)
GIVEN = {f.__name__: f for f in (*CALLS.values(), *PLAIN)}
GIVEN |= {f"function_{name}": f for name, f in FUNCTIONS.items()}


def name_of(symbol: Any) -> str:
    return f"_{symbol.name.replace(' ', '_')}"


def source(term: Any) -> str:
    """The Python expression for a term."""
    kind = type(term)
    if isinstance(term, sympy.Integer):
        return f"({int(term)})"
    if isinstance(term, sympy.Rational):
        return f"Fraction({term.p}, {term.q})"
    if kind in (t.Sym, t.Array):
        return name_of(term)
    if kind in (t.Mul, t.Div):
        return product(term)
    if kind in JOINED:
        return f"({f' {JOINED[kind]} '.join(map(source, term.args)) or EMPTY[kind]})"
    if kind in COMPARED:
        return f"({source(term.args[0])} {COMPARED[kind]} {source(term.args[1])})"
    if kind is t.Not:
        return f"(not {source(term.args[0])})"
    if kind is t.Bracket:
        return f"(1 if {source(term.args[0])} else 0)"
    if kind is t.If:
        condition, then, otherwise = map(source, term.args)
        return f"({then} if {condition} else {otherwise})"
    if kind is t.NatSub:
        return f"max({source(term.args[0])} - {source(term.args[1])}, 0)"
    if kind in (t.Read, t.PaddedRead):
        return call("read" if kind is t.Read else "padded", term.args)
    if kind is t.Apply:
        return call(f"function_{term.function.name}", term.arguments)
    if kind is t.Fold:
        return loop(term)
    if kind is t.Maximum:
        window = f"[{source(term.body)} {places(term)}]"
        return f"largest({window}, {source(term.args[2])})"
    if kind is t.Winner:
        window = f"[({names_of(term.ranges)}, {source(term.body)}) {places(term)}]"
        return f"wins({str(term.args[2])!r}, {tuple_of(term.args[3])}, {window})"
    if kind in BINDERS:
        return f"{BINDERS[kind]}({source(term.body)} {loops(term.ranges)})"
    return call(CALLS[kind].__name__, term.args)


def loop(term: Any) -> str:
    """A loop: its turns, one after the other, each of which changes all states at once."""
    states, starts, steps = zip(*term.args[1], strict=True)
    names = ", ".join(name_of(symbol) for symbol in (*states, *(r[0] for r in term.ranges)))
    turn = f"lambda state, at: (lambda {names}: {tuple_of(steps)})(*state, *at)"
    turns = f"[{names_of(term.ranges)} {loops(term.ranges)}]"
    after = f"reduce({turn}, {turns}, {tuple_of(starts)})"
    return f"(lambda {', '.join(map(name_of, states))}: {source(term.body)})(*{after})"


def names_of(ranges: Any) -> str:
    return tuple_of(symbol for symbol, _, _ in ranges)


def tuple_of(terms: Any) -> str:
    return f"({''.join(f'{source(e)}, ' for e in terms)})"


def places(window: Any) -> str:
    """The places of a window that take part."""
    return f"{loops(window.ranges)} if {source(window.args[1])}"


def call(function: str, args: Any) -> str:
    return f"{function}({', '.join(map(source, args))})"


def product(term: Any) -> str:
    """Brackets are strong zeros: where one is 0, nothing else is looked at."""
    conditions, rest = factors(term)
    return f"({rest} if {' and '.join(conditions)} else 0)" if conditions else rest


def factors(term: Any) -> tuple[list[str], str]:
    """The conditions of the brackets that multiply a term, and the rest of it."""
    if isinstance(term, t.Bracket):
        return [source(term.args[0])], "1"
    if isinstance(term, t.Mul):
        parts = [factors(a) for a in term.args]
        return [c for cs, _ in parts for c in cs], f"prod(({''.join(f'{r}, ' for _, r in parts)}))"
    if isinstance(term, t.Div):
        conditions, rest = factors(term.args[0])
        return conditions, f"quotient({rest}, {source(term.args[1])})"
    return [], source(term)


def loops(ranges: Any) -> str:
    return " ".join(
        f"for {name_of(symbol)} in range({source(first)}, {source(last)} + 1)"
        for symbol, first, last in ranges
    )


@lru_cache(maxsize=1000)
def compiled(term: Any) -> CodeType:
    return compile(source(term), "drawn", "eval")


def value(term: Any, names: Names) -> Any:
    return eval(compiled(t.as_term(term)), {**GIVEN, **names})


@lru_cache(maxsize=1000)
def compiled_rule(rule: Any) -> CodeType:
    """All that an equation or a scatter writes, as pairs of a place and a value."""
    target, body = rule.args[:2]
    place = tuple_of(target.index)
    if isinstance(rule, t.Scatter):
        text = f"[({place}, {source(body)}) {loops(rule.ranges)} if {source(rule.where)}]"
    else:
        cells = (sympy.Tuple(i, 0, t.plus(n, -1)) for i, n in pairs(target))
        text = f"[({place}, {source(body)}) {loops(cells)}]"
    return compile(text, "drawn", "eval")


def pairs(place: Any) -> Any:
    return zip(place.index, place.array.dims, strict=True)


def written(rule: Any, names: Names) -> Tensor:
    """The array that a rule makes."""
    array = dict.fromkeys(cells(rule.args[0].array, names), Fraction(0))
    for place, amount in eval(compiled_rule(rule), {**GIVEN, **names}):
        if place not in array:
            raise OutOfBounds
        array[place] += amount
    return array


def cells(array: Any, names: Names) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for size in (value(d, names) for d in array.dims):
        found = [(*cell, i) for cell in found for i in range(size)]
    return found
