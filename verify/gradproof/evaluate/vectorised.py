"""What each node means on NumPy float arrays: a rule for each kind of term. Untrusted.

A term has one value per entry of the array that its equation defines; other binders are loops. A
`mask` says at which entries a value matters: elsewhere it may be anything, and nothing is an error.
"""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from gradproof.language import terms as t
from gradproof.language.functions import value_of
from gradproof.language.substitution import free
from gradproof.language.terms import Term, sort_of

Env = Mapping[Any, Any]
Evaluator = Any  # of the module above, `numeric`


def within(index: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Where the index is in bounds; True if it is everywhere."""
    checks = [(e >= 0) & (e < n) for e, n in zip(index, shape, strict=True)]
    return reduce(operator.and_, (c for c in checks if not np.all(c)), True)


def require_within(
    action: Callable[[], str], index: Sequence[Any], shape: tuple[int, ...], mask: Any
) -> None:
    bad = mask & np.logical_not(within(index, shape))
    if np.any(bad):
        whole = np.broadcast_shapes(np.shape(bad), *map(np.shape, index))
        first = np.argmax(np.broadcast_to(bad, whole))
        at = [int(np.broadcast_to(e, whole).flat[first]) for e in index]
        raise IndexError(f"{action()}{at} of shape {shape}")


def select(mask: Any, value: Any, otherwise: Any) -> Any:
    return value if mask is True else np.where(mask, value, otherwise)


RULES: dict[type, Callable[[Evaluator, Any, Env, Any], Any]] = {}


def rule(*kinds: type) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        RULES.update(dict.fromkeys(kinds, function))
        return function

    return register


@rule(t.Add)
def add(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    start = 0.0 if sort_of(term) == t.REAL else 0
    return sum((ev.value(a, env, mask) for a in term.args), start)


@rule(t.Mul)
def mul(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    live = guarded(ev, term, env, mask)
    factors = (ev.value(a, env, live) for a in term.args if not isinstance(a, t.Bracket))
    total = reduce(operator.mul, factors, 1.0 if sort_of(term) == t.REAL else 1)
    return total if live is mask else select(live, total, 0.0)


def guarded(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    """Where the mask and the brackets that multiply the term hold."""
    for condition in t.guards_of(term):
        mask = mask & ev.value(condition, env, mask)
    return mask


@rule(t.Div)
def div(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    live = guarded(ev, term, env, mask)
    a, b = (ev.value(arg, env, live) for arg in term.args)
    if sort_of(term.below) == t.INT:
        b = nonzero(b, term, live)
    return np.divide(a, b) if live is mask else select(live, np.divide(a, b), 0.0)


def nonzero(divisor: Any, term: Term, mask: Any) -> Any:
    if np.any(mask & (divisor == 0)):
        raise ZeroDivisionError(f"{term}: division by zero")
    return np.where(divisor == 0, 1, divisor)


DIVISIONS: dict[type, Callable[[Any, Any], Any]] = {
    t.FloorDiv: lambda a, b: a // b,
    t.CeilDiv: lambda a, b: -(-a // b),
    t.Mod: lambda a, b: a % b,
    t.TruncDiv: lambda a, b: abs(a) // abs(b) * np.sign(a) * np.sign(b),
    t.TruncMod: lambda a, b: abs(a) % abs(b) * np.sign(a),
    t.Divides: lambda a, b: a % b == 0,
}


@rule(*DIVISIONS)
def division(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    a, b = term.args[::-1] if isinstance(term, t.Divides) else term.args
    divisor = nonzero(ev.value(b, env, mask), term, mask)
    return DIVISIONS[type(term)](ev.value(a, env, mask), divisor)


FUNCTIONS: dict[type, Callable[..., Any]] = {
    t.NatSub: lambda a, b: np.maximum(0, a - b),
    t.NatDiv: lambda a, b: np.where(b == 0, 0, a // np.where(b == 0, 1, b)),
    t.Min: lambda *args: reduce(np.minimum, args),
    t.Max: lambda *args: reduce(np.maximum, args),
    t.Exp: np.exp,
    t.Log: np.log,
    t.Power: lambda a, n: np.multiply(a, 1.0) ** n,
    t.Bracket: lambda a: np.where(a, 1.0, 0.0),
    t.Not: np.logical_not,
    t.Le: operator.le,
    t.Lt: operator.lt,
    t.Ge: operator.ge,
    t.Gt: operator.gt,
    t.Eq: operator.eq,
    t.Ne: operator.ne,
}


@rule(*FUNCTIONS)
def function(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    return FUNCTIONS[type(term)](*(ev.value(a, env, mask) for a in term.args))


KNOWN: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "atan": np.arctan,
    "erf": lambda a: np.vectorize(math.erf, otypes=[float])(a),
    "pi": lambda: math.pi,
}


@rule(t.Apply)
def apply(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    known = value_of(term)
    if known is not None:
        return ev.value(known, env, mask)
    if not term.function.built_in:
        said = f"{term.function} has no value: function({term.function.name!r}, ..., value=...)"
        raise ValueError(said)
    return KNOWN[term.function.name](*(ev.value(u, env, mask) for u in term.arguments))


@rule(t.If)
def choice(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    condition = ev.value(term.condition, env, mask)
    then = ev.value(term.then, env, mask & condition)
    otherwise = ev.value(term.otherwise, env, mask & np.logical_not(condition))
    return np.where(condition, then, otherwise)


@rule(t.Read, t.PaddedRead)
def read(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    index = [ev.value(e, env, mask) for e in term.index]
    values = ev.tensors[term.array.name]
    found = within(index, values.shape)
    if found is True:
        return values[tuple(index)]
    if not isinstance(term, t.PaddedRead):
        require_within(lambda: f"{term} reads {term.array}", index, values.shape, mask)
    if not values.size:
        return 0 if term.array.span else 0.0
    nearest = tuple(np.clip(e, 0, n - 1) for e, n in zip(index, values.shape, strict=True))
    return np.where(found, values[nearest], 0 if term.array.span else 0.0)


def settle(wanted: bool, cases: Iterable[tuple[Any, Callable[[Any], Any]]]) -> Any:
    """Whether the wanted answer occurs; nothing is asked after the answer that settles it."""
    settled: Any = False
    for mask, ask in cases:
        live = mask & np.logical_not(settled)
        settled = settled | (live & (ask(live) == wanted))
    return settled == wanted


@rule(t.And, t.Or)
def connective(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    cases = ((mask, partial(ev.value, arg, env)) for arg in term.args)
    return settle(isinstance(term, t.Or), cases)


@rule(t.Exists, t.ForAll)
def quantifier(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    return quantified(ev, term, term.ranges, env, mask)


def quantified(ev: Evaluator, term: Term, ranges: Any, env: Env, mask: Any) -> Any:
    if not ranges:
        return ev.value(term.body, env, mask)
    inner = partial(quantified, ev, term, ranges[1:])
    places = ev.places(ranges[:1], env, mask)
    return settle(isinstance(term, t.Exists), ((m, partial(inner, place)) for place, m in places))


@rule(t.Sum, t.Prod)
def accumulation(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    ufunc, total = (np.add, 0.0) if isinstance(term, t.Sum) else (np.multiply, 1.0)
    outer = broadcast((env[s] for s in free(term)), np.shape(mask))
    for place, inner in ev.blocks(term.ranges, env, mask, outer):
        value = select(inner, ev.value(term.body, place, inner), ufunc.identity)
        shape = broadcast((place[symbol] for symbol, _, _ in term.ranges), np.shape(value))
        each = tuple(range(len(shape) - len(outer)))
        total = ufunc(total, ufunc.reduce(np.broadcast_to(value, shape), axis=each))
    return total


def broadcast(values: Iterable[Any], *shapes: tuple[int, ...]) -> tuple[int, ...]:
    return np.broadcast_shapes(*map(np.shape, values), *shapes)


Turn = tuple[Env, Any, Any, Any, Any]


def contest(ev: Evaluator, term: Term, env: Env, mask: Any) -> Iterator[Turn]:
    """Each place; where it beats those before, and where it ties with them; the best, and where."""
    best: Any = 0.0
    found: Any = False
    for place, inner in ev.places(term.ranges, env, mask):
        live = inner & ev.value(term.where, place, inner)
        value = ev.value(term.body, place, live)
        better = live & (np.logical_not(found) | (value > best))
        tied = live & found & (value == best)
        best, found = np.where(better, value, best), found | live
        yield place, better, tied, best, found


@rule(t.Maximum)
def maximum(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    turns = deque(contest(ev, term, env, mask), maxlen=1)
    best, found = turns[0][3:] if turns else (0.0, False)
    return np.where(found, best, ev.value(term.empty, env, mask & np.logical_not(found)))


@rule(t.Winner)
def winner(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    tie, at = str(term.tie), [ev.value(e, env, mask) for e in term.at]
    won: Any = False
    for place, better, tied, _, _ in contest(ev, term, env, mask):
        pairs = zip(at, term.ranges, strict=True)
        here = reduce(operator.and_, (e == place[symbol] for e, (symbol, _, _) in pairs), True)
        won = np.where(better | tied if tie == "last" else better, here, won)
        won = won | (tied & here) if tie == "any" else won
    return won


@rule(t.Unique)
def unique(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    alone: Any = True
    for _, better, tied, _, _ in contest(ev, term, env, mask):
        alone = better | (alone & np.logical_not(tied))
    return alone


@rule(t.Fold)
def fold(ev: Evaluator, term: Term, env: Env, mask: Any) -> Any:
    now = {state: ev.value(start, env, mask) for state, start, _ in term.states}
    for place, inner in ev.places(term.ranges, env, mask):
        seen = {**place, **now}
        steps = {state: ev.value(step, seen, inner) for state, _, step in term.states}
        now = {state: select(inner, step, now[state]) for state, step in steps.items()}
    return ev.value(term.body, {**env, **now}, mask)
