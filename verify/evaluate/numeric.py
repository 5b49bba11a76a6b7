"""Untrusted: fast evaluation of an op on NumPy float arrays, on which no verdict rests.

A term has one value per entry of the array that its equation defines; sums are axes before those of
the array, other binders loops. A `mask`
says at which entries a value matters: elsewhere it may be anything, and nothing there is an error.
Real division by 0.0 and logarithms of numbers that are not positive give what IEEE 754 says.
"""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial, reduce
from numbers import Integral, Real
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from gradproof.language import ops as language
from gradproof.language import terms as t
from gradproof.language.functions import value_of
from gradproof.language.ops import Op, target_of
from gradproof.language.ranks import at_rank, spread
from gradproof.language.requirements import about_values, spans_of
from gradproof.language.substitution import free
from gradproof.language.systems import Equations, made_by, needed_by, read_by, recurrences
from gradproof.language.terms import Array, Term, sort_of

Floats = NDArray[np.float64]
Sizes = Mapping[str, int | float | Sequence[int]]
Env = Mapping[Any, Any]

BATCH = 2**16  # ranges of a scatter become axes until there are this many places; the rest loop

written_out = lru_cache(maxsize=None)(at_rank)


def forward(op: Op, inputs: Mapping[str, Any], sizes: Sizes) -> Any:
    """The output of the op; of several, what each is, by name.

    A size that is a dimension of an input need not be given.
    """
    ev = Evaluator(op, named(op, "input", op.operands, inputs), sizes)
    ev.compute(op.system)
    return alone({a.name: ev.tensors[a.name] for a in op.outputs})


def jvp(op: Op, inputs: Mapping[str, Any], tangents: Mapping[str, Any], sizes: Sizes) -> Any:
    """The tangent of the output, or of each; `tangents` go by their own names: `x_dot` for `x`."""
    given = named(op, "input", op.operands, inputs)
    given |= named(op, "tangent", map(language.tangent, op.inputs), tangents)
    ev = follow(op, "jvp", op.jvps, given, sizes)
    return alone({a.name: ev.tensors[a.name] for a in map(language.tangent, op.outputs)})


def vjp(op: Op, inputs: Mapping[str, Any], cotangent: Any, sizes: Sizes) -> dict[str, Floats]:
    """What each rule gives, by the name of its target: `x_bar` for the input `x`.

    Of several outputs `cotangent` has those of each by name, `y_bar` for `y`.
    """
    given = named(op, "input", op.operands, inputs)
    wanted = [language.cotangent(y) for y in op.outputs]
    several = {wanted[0].name: cotangent} if len(wanted) == 1 else cotangent
    given |= named(op, "cotangent", wanted, several)
    ev = follow(op, "vjp", op.vjp, given, sizes)
    return {made_by(rule).name: ev.tensors[made_by(rule).name] for rule in op.vjp}


def alone(found: dict[str, Floats]) -> Any:
    return found if len(found) > 1 else next(iter(found.values()))


def follow(op: Op, kind: str, rules: Any, given: dict[Any, Floats], sizes: Sizes) -> Evaluator:
    """With what the rules give; they may read what the op computes."""
    if not rules:
        raise ValueError(f"{op.name}: no {kind} is written")
    ev = Evaluator(op, given, sizes)
    ev.compute((*needed_by(rules, op.system), *rules))
    return ev


def wrong(op: Op, name: Any, found: Any, expected: Any) -> ValueError:
    return ValueError(f"{op.name}: {name}: found {found}, expected {expected}")


def listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names)) or "none"


def named(op: Op, kind: str, wanted: Iterable[Array], found: Mapping[str, Any]) -> dict[Any, Any]:
    arrays = {a.name: a for a in wanted}
    for name in sorted(found.keys() ^ arrays.keys()):
        fault = "missing" if name in arrays else "unknown"
        raise wrong(op, f"{fault} {kind} {name}", listed(found), listed(arrays))
    return {a: as_array(op, a, found[name]) for name, a in arrays.items()}


def as_array(op: Op, array: Array, values: Any) -> Any:
    """Floats, or integers for an array of these."""
    if not array.span:
        return np.asarray(values, dtype=float)
    found = np.asarray(values)
    if not np.issubdtype(found.dtype, np.integer) and np.any(found != np.floor(found)):
        raise wrong(op, f"values of {array}", found.dtype, "integers")
    return found.astype(int)


def rank_of(op: Op, given: Mapping[Array, Floats], sizes: Sizes) -> int:
    """The number of spatial axes; 1 if the op has no bundles."""
    for a, values in given.items():
        if bundles := sum(1 for d in a.dims if t.is_bundle(d)):
            rank, rest = divmod(values.ndim - len(a.dims) + bundles, bundles)
            if rank < 1 or rest:
                raise wrong(op, f"dimensions of {a}", values.shape, listed(a.dims))
            return rank
    lengths = {np.size(v) for v in sizes.values() if np.ndim(v) and np.size(v)}
    if op.is_rank_generic and len(lengths) != 1:
        raise wrong(op, "rank", f"sizes {dict(sizes)}", "a bundle size with one value per axis")
    return lengths.pop() if op.is_rank_generic else 1


def given_sizes(op: Op, sizes: Sizes, rank: int) -> Iterator[tuple[Any, Any, str]]:
    symbols: Any = {s.name: s for s in op.sizes}
    for name, value in sizes.items():
        if name not in symbols:
            raise wrong(op, f"unknown size {name}", value, listed(symbols))
        parts = list(spread(symbols[name], rank))
        per_axis = symbols[name].is_bundle and np.ndim(value) == 1
        values: list[Any] = list(np.asarray(value)) if per_axis else [value] * len(parts)
        sort = symbols[name].sort
        kind, cast = (Integral, int) if sort == t.INT else (Real, float)
        if len(values) != len(parts) or not all(isinstance(v, kind) for v in values):
            count = f" or {rank} of them, one per axis" if symbols[name].is_bundle else ""
            raise wrong(op, f"size {name}", value, f"one {sort} number{count}")
        yield from ((s, cast(v), "in sizes") for s, v in zip(parts, values, strict=True))


def shape_sizes(op: Op, given: Mapping[Array, Floats], rank: int) -> Iterator[tuple[Any, Any, str]]:
    for a, values in given.items():
        dims = written_out(a, rank).dims
        if len(dims) != values.ndim:
            raise wrong(op, f"dimensions of {a}", values.shape, listed(dims))
        sizes = zip(dims, values.shape, strict=True)
        yield from ((d, n, f"in the shape of {a}") for d, n in sizes if isinstance(d, t.Sym))


def all_sizes(op: Op, given: Mapping[Array, Floats], sizes: Sizes, rank: int) -> dict[Any, Any]:
    """Every size, as given and from the shapes; these must agree."""
    known: dict[Any, tuple[Any, str]] = {}
    for symbol, value, source in (*given_sizes(op, sizes, rank), *shape_sizes(op, given, rank)):
        expected, first = known.setdefault(symbol, (value, source))
        if value != expected:
            raise wrong(op, f"size {symbol}", f"{value} {source}", f"{expected} as {first}")
    for s in op.sizes:
        if not known.keys() >= set(spread(s, rank)):
            raise wrong(op, f"missing size {s}", listed(known), f"{s} in sizes, as no shape has it")
    return {symbol: value for symbol, (value, _) in known.items()}


class Evaluator:
    """Evaluates the equations of an op on the given arrays."""

    @np.errstate(all="ignore")
    def __init__(self, op: Op, given: Mapping[Array, Floats], sizes: Sizes) -> None:
        self.rank = rank_of(op, given, sizes)
        self.sizes = all_sizes(op, given, sizes, self.rank)
        self.tensors = {a.name: values for a, values in given.items()}
        for clause in (c for c in op.requires if not about_values(c)):
            written = written_out(clause, self.rank)
            if not self.value(written, self.sizes, True):
                symbols = sorted(free(written), key=str)
                found = listed(f"{s} = {self.sizes[s]}" for s in symbols)
                raise wrong(op, "requires", found, clause)
        for a, values in given.items():
            shape = self.shape(written_out(a, self.rank))
            if values.shape != shape:
                raise wrong(op, f"shape of {a}", values.shape, f"{shape}: {listed(a.dims)}")
        asked = (op.closed(c) for c in op.requires if about_values(c))
        for clause in (*spans_of(op.operands), *asked):
            if not self.value(written_out(clause, self.rank), self.sizes, True):
                raise wrong(op, "requires", "values for which it is false", clause)

    def shape(self, array: Array) -> tuple[int, ...]:
        return tuple(max(0, int(self.value(d, self.sizes, True))) for d in array.dims)

    def compute(self, equations: Iterable[Term]) -> None:
        """Every array, after those that it reads; those that read themselves step by step."""
        left = tuple(equations)
        groups = {e: group for group in recurrences(left) for e in group}
        while left:
            ready = next(g for g in (groups.get(e, (e,)) for e in left) if is_ready(g, left))
            self.repeat(ready) if ready[0] in groups else self.once(ready)
            left = tuple(e for e in left if e not in ready)

    def once(self, equations: Equations) -> None:
        for equation in equations:
            self.tensors[made_by(equation).name] = self.equation(equation)

    def repeat(self, group: Equations) -> None:
        """Each turn makes more cells known, until none becomes so: at first all are NaN."""
        arrays = [made_by(e) for e in group]
        for a in arrays:
            self.tensors[a.name] = np.full(self.shape(written_out(a, self.rank)), np.nan)
        before: list[Floats] = []
        while not (before and all(map(is_same, before, (self.tensors[a.name] for a in arrays)))):
            before = [self.tensors[a.name] for a in arrays]
            self.once(group)

    def value(self, term: Term, env: Env, mask: Any) -> Any:
        if isinstance(term, t.Sym):
            return env[term]
        if isinstance(term, sympy.Rational):
            return int(term) if term.is_Integer else int(term.p) / int(term.q)
        return RULES[type(term)](self, term, env, mask)

    def places(self, ranges: Any, env: Env, mask: Any) -> Iterator[tuple[Env, Any]]:
        """The environments that loops over the ranges visit, and where they do; each entry starts
        at its own first value, so there are as many turns as the longest range has values."""
        if not ranges:
            yield env, mask
            return
        (symbol, first, last), *rest = ranges
        low, high = self.value(first, env, mask), self.value(last, env, mask)
        length = np.where(mask, high - low + 1, 0)
        for turn in range(int(np.max(length))):
            visited = turn < length
            inner = mask if np.all(visited) else visited
            yield from self.places(rest, {**env, symbol: low + turn}, inner)

    def blocks(
        self, ranges: Any, env: Env, mask: Any, shape: tuple[int, ...]
    ) -> Iterator[tuple[Env, Any]]:
        """As `places`, many at once: each range is an axis before those of `shape`, in blocks."""
        if not ranges:
            yield env, mask
            return
        (symbol, first, last), *rest = ranges
        low, high = self.value(first, env, mask), self.value(last, env, mask)
        length = np.where(mask, high - low + 1, 0)
        most, step = int(np.max(length)), max(1, BATCH // max(1, math.prod(shape)))
        for start in range(0, most, step):
            turns = np.arange(start, min(most, start + step)).reshape(-1, *(1 for _ in shape))
            visited = turns < length
            inner = mask if np.all(visited) else visited
            values = {**env, symbol: low + turns}
            yield from self.blocks(rest, values, inner, (len(turns), *shape))

    @np.errstate(all="ignore")
    def equation(self, equation: Term) -> Floats:
        """The array that an equation or a scatter defines."""
        equation = written_out(equation, self.rank)
        target = target_of(equation)
        total = np.zeros(self.shape(target.array))
        if isinstance(equation, t.Scatter):
            self.scatter(equation, total)
        elif total.size:
            grids = dict(zip(target.index, np.ix_(*map(np.arange, total.shape)), strict=True))
            total[...] = self.value(equation.right, {**self.sizes, **grids}, True)
        return total

    def scatter(self, equation: Term, total: Floats) -> None:
        target = equation.target
        env, grid, ranges = self.grid(equation.ranges)
        for place, mask in self.places(ranges, env, True) if math.prod(grid) else ():
            live = mask & self.value(equation.where, place, mask)
            index = [self.value(e, place, live) for e in target.index]
            require_within(lambda: f"{target} writes {target.array}", index, total.shape, live)
            strides = [math.prod(total.shape[axis + 1 :]) for axis in range(total.ndim)]
            flat = sum(map(operator.mul, index, strides))
            value = self.value(equation.value, place, live)
            at, values, where = (np.broadcast_to(v, grid) for v in (flat, value, live))
            np.add.at(total.reshape(-1), at[where], values[where])

    def grid(self, ranges: Any) -> tuple[Env, tuple[int, ...], Any]:
        """Leading ranges as axes, the last one first; the ranges that are left to loop over."""
        env, grid = dict(self.sizes), tuple[int, ...]()
        for count, (symbol, first, last) in enumerate(ranges):
            ends = [self.value(e, env, True) for e in (first, last)]
            if any(map(np.ndim, ends)) or math.prod(grid) >= BATCH:
                return env, grid, ranges[count:]
            values = np.arange(ends[0], ends[1] + 1)
            env[symbol] = values.reshape(-1, *(1 for _ in grid))
            grid = (len(values), *grid)
            if not len(values):
                break
        return env, grid, ()


def is_ready(group: Equations, left: Equations) -> bool:
    """Whether it reads nothing that other equations have yet to make."""
    return {a for e in group for a in read_by(e)}.isdisjoint(
        made_by(e) for e in left if e not in group
    )


is_same = partial(np.array_equal, equal_nan=True)


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
