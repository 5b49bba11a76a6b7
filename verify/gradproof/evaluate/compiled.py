"""Terms as Python functions, for the many trials of the second route. Untrusted.

A node and its parts become the text of one Python expression, see `writing`; a sum, a maximum or a
loop in it, see `looping`, or a derivative is a function that this text calls. It says the same as
`judge`, faster: derivatives by all cells of an array are computed at once, and what takes long is
remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from operator import itemgetter

import sympy

from gradproof.evaluate.judge import Whole
from gradproof.evaluate.looping import BODIES, alike, contest, contest_of, looping
from gradproof.evaluate.moving import Moving, moving
from gradproof.evaluate.numbers import RATIONALS, Jet, Number, Numbers, Undecided, Undefined, jets
from gradproof.evaluate.standing import standing
from gradproof.evaluate.writing import Direct, Run, Writer, defined, function, needed, written
from gradproof.language import terms as t
from gradproof.language.functions import value_of
from gradproof.language.substitution import free
from gradproof.language.systems import made_by
from gradproof.language.terms import Array, Sym, Term, Triple, remembered

Tensor = Callable[[tuple[int, ...]], Number]
Env = Mapping[Sym, Number]


class Evaluator:
    """Evaluates terms without bundles; `tensors` maps the name of an array to its cells.

    Arrays that equations of `where` define have the cells that these say, at the `sizes`.
    """

    def __init__(
        self, numbers: Numbers, tensors: Mapping[str, Tensor], where: tuple[Term, ...] = ()
    ) -> None:
        self.numbers = numbers
        self.given, self.where = tensors, where
        self.sizes: Env = {}
        self.tensors = tensors
        if where:
            self.tensors = {**tensors, **{made_by(e).name: Computed(self, e) for e in where}}
        self.lift, self.zero, self.one = numbers.lift, numbers.zero, numbers.one
        self.divide, self.exp, self.log = numbers.divide, numbers.exp, numbers.log
        self.compare = order if numbers is RATIONALS else self.sign_of_difference
        self.known: dict[tuple[object, ...], Number] = {}
        self.seeded: dict[tuple[str, tuple[int, ...]], Evaluator] = {}
        self.moved: dict[str, Evaluator] = {}
        self.doubled: dict[frozenset[str], Evaluator] = {}

    def sign_of_difference(self, a: Number, b: Number) -> int:
        return self.numbers.sign(a + self.lift(-1) * b)

    def value(self, term: Term, env: Env) -> Number:
        """An int, a bool or a number, by the sort of the term."""
        return compiled(term)(self, env)

    def real(self, term: Term, env: Env) -> Number:
        """The value as a number, also where the term is an integer."""
        return as_real(term)(self, env)

    def shape(self, array: Array, env: Env) -> tuple[int, ...]:
        found: tuple[int, ...] = shape_of(array)(self, env)
        return found

    def slope(self, body: Term, env: Env, name: str, point: tuple[int, ...]) -> Number:
        """The derivative by one cell: one of those by all cells, unless a branch is that close."""
        found = as_moved(body)(self, env, name)
        if found is None:
            return self.slope_by(body, env, name, point)
        return found.by.get(point, self.zero) if type(found) is Moving else self.zero

    def slope_by(self, body: Term, env: Env, name: str, point: tuple[int, ...]) -> Number:
        """The derivative by one cell, from jets."""
        if (name, point) not in self.seeded:
            self.seeded[name, point] = self.seed(name, point)
        parameters = {s: v if s.sort == t.INT else Jet(v) for s, v in env.items()}
        found = self.seeded[name, point].real(body, parameters)
        return found.rest[0] if found.rest else self.zero

    def moved_by(self, name: str) -> Evaluator:
        """An evaluator whose numbers carry their derivatives by the cells of an array."""
        if name not in self.moved:
            cells, one = self.given[name], self.one

            def moves(i: tuple[int, ...]) -> Moving:
                return Moving(cells(i), {i: one})

            tensors = {**self.given, name: moves}
            self.moved[name] = Evaluator(moving(self.numbers), tensors, self.where)
            self.moved[name].sizes = self.sizes
        return self.moved[name]

    def doubled_by(self, names: frozenset[str]) -> Evaluator:
        """An evaluator in which the cells of these arrays are twice what they are."""
        if names not in self.doubled:
            two = self.lift(2)
            cells = {n: twice(c, two) if n in names else c for n, c in self.given.items()}
            self.doubled[names] = Evaluator(self.numbers, cells, self.where)
        self.doubled[names].sizes = self.sizes
        return self.doubled[names]

    def seed(self, name: str, point: tuple[int, ...]) -> Evaluator:
        """An evaluator whose numbers carry their derivative by one cell."""
        moves = (self.one,)

        def seeded(array: str, cells: Tensor) -> Tensor:
            def cell(i: tuple[int, ...]) -> Jet:
                return Jet(cells(i), moves if (array, i) == (name, point) else ())

            return cell

        tensors = {
            a: cells if isinstance(cells, Whole) else seeded(a, cells)
            for a, cells in self.given.items()
        }
        found = Evaluator(jets(self.numbers), tensors, self.where)
        found.sizes = {s: v if s.sort == t.INT else Jet(v) for s, v in self.sizes.items()}
        return found


class Computed:
    """The cells of an array that an equation defines, each computed once."""

    def __init__(self, ev: Evaluator, equation: Term) -> None:
        self.ev, self.equation = ev, equation
        self.known: dict[tuple[int, ...], Number] = {}
        self.begun: set[tuple[int, ...]] = set()

    def __call__(self, index: tuple[int, ...]) -> Number:
        if index in self.begun:
            raise Undefined(f"{made_by(self.equation)}{list(index)} is computed from itself")
        if index not in self.known:
            self.begun.add(index)
            try:
                self.known[index] = self.compute(index)
            except RecursionError:
                raise Undecided("computed from too many cells") from None
            finally:
                self.begun.remove(index)
        return self.known[index]

    def compute(self, index: tuple[int, ...]) -> Number:
        ev, equation = self.ev, self.equation
        if isinstance(equation, t.Eq):
            names = zip(equation.target.index, index, strict=True)
            return as_real(equation.right)(ev, {**ev.sizes, **dict(names)})
        total = ev.zero
        where, target = compiled(equation.where), [*map(compiled, equation.target.index)]
        value = as_real(equation.value)
        for place in loops(equation.ranges)(ev, ev.sizes):
            if where(ev, place) and tuple(e(ev, place) for e in target) == index:
                total = total + value(ev, place)
        return total


def order(a: Number, b: Number) -> int:
    return (a > b) - (a < b)


class Text(Writer):
    """Of the functions here."""

    def direct(self, term: Term) -> Direct:
        return directly(term)

    def by_values(self, term: Term) -> Run | None:
        return compiled(term) if type(term) in CALLS else None

    def contest(self, term: Term) -> str:
        alike = contest_of(term)
        return self.call_of(contested(alike), alike)

    def visits(self, ranges: tuple[Triple, ...]) -> Run:
        return loops(ranges)


@remembered
def shape_of(array: Array) -> Run:
    return written(Text(), array.dims)


@remembered
def compiled(term: Term) -> Run:
    if type(term) in CALLS:
        return CALLS[type(term)](term)
    if isinstance(term, t.Sym):
        return lambda ev, env: env[term]
    if isinstance(term, sympy.Integer):
        number = int(term)
        return lambda ev, env: number
    writer = Text()
    return function(writer, writer.text(term))


@remembered
def as_real(term: Term) -> Run:
    writer = Text()
    return function(writer, writer.real(term))


@remembered
def directly(term: Term) -> Direct:
    writer = Text(needed(term))
    if type(term) in BODIES:
        return looping(writer, term, BODIES[type(term)])
    return defined(writer, (f"return {writer.text(term)}",))


@remembered
def contested(term: Term) -> Direct:
    return looping(Text(needed(term)), term, contest)


# What takes long is computed once.


def values_of(symbols: tuple[Sym, ...]) -> Callable[[Env], object]:
    return itemgetter(*symbols) if symbols else lambda env: ()


def once(run: Run, term: Term) -> Run:
    """Remembers values by what the term depends on, for as long as the evaluator lives."""
    values_in = values_of(needed(term))

    def lookup(ev: Evaluator, env: Env) -> Number:
        key = (term, values_in(env))
        found = ev.known.get(key)
        if found is None:
            found = ev.known[key] = run(ev, env)
        return found

    return lookup


@remembered
def as_kept(term: Term) -> Run:
    common = alike(term)
    return once(as_real(common), common)


@remembered
def as_moved(term: Term) -> Callable[[Evaluator, Env, str], Number]:
    """The value with its derivatives by an array's cells; None where that is undecided."""
    common = alike(term)
    run, values_in = as_real(common), values_of(needed(common))

    def lookup(ev: Evaluator, env: Env, name: str) -> Number:
        key = (name, common, values_in(env))
        try:
            return ev.known[key]
        except KeyError:
            pass
        try:
            found = run(ev.moved_by(name), env)
        except Undecided:
            found = None
        ev.known[key] = found
        return found

    return lookup


# Loops.

Place = dict[Sym, Number]
Visits = Callable[[Evaluator, Env], Iterator[Place]]
WRITTEN_DOWN = 1_000  # values of a range that a product of ranges may write down first


@lru_cache(maxsize=10_000)
def loops(ranges: tuple[Triple, ...]) -> Visits:
    """The environments of the places of ranges, in the order of loops; one dict, reused."""
    symbols = [symbol for symbol, _, _ in ranges]
    pairs = [(symbol, (compiled(first), compiled(last))) for symbol, first, last in ranges]
    lists = grid(ranges)
    if lists is None:
        return lambda ev, env: visit(ev, pairs, dict(env))

    def several(ev: Evaluator, outer: Env) -> Iterator[Place]:
        env = dict(outer)
        found = lists(ev, env)
        if any(len(values) > WRITTEN_DOWN for values in found):
            yield from visit(ev, pairs, env)
            return
        for values in product(*found):
            env.update(zip(symbols, values))  # noqa: B905  # `strict` takes as long as the rest
            yield env

    def single(ev: Evaluator, outer: Env) -> Iterator[Place]:
        env = dict(outer)
        (values,) = lists(ev, env)
        for value in values:
            env[symbols[0]] = value
            yield env

    return single if len(ranges) == 1 else several


@lru_cache(maxsize=10_000)
def grid(ranges: tuple[Triple, ...]) -> Callable[[Evaluator, Env], list[range]] | None:
    """The values of each symbol, if no range depends on another."""
    bound = {symbol for symbol, _, _ in ranges}
    if any(free(end) & bound for _, *ends in ranges for end in ends):
        return None
    ends = [(compiled(first), compiled(last)) for _, first, last in ranges]

    def values(ev: Evaluator, env: Env) -> list[range]:
        found: list[range] = []
        for first, last in ends:
            found.append(range(first(ev, env), last(ev, env) + 1))
            if not found[-1]:
                return [range(0)] * len(ends)  # what stands further in is not asked
        return found

    return values


def visit(ev: Evaluator, pairs: list[tuple[Sym, tuple[Run, Run]]], env: Place) -> Iterator[Place]:
    (symbol, (first, last)), *rest = pairs
    for value in range(first(ev, env), last(ev, env) + 1):
        env[symbol] = value
        if rest:
            yield from visit(ev, rest, env)
        else:
            yield env


def slope(term: Term) -> Run:
    body, cell = term.body, term.cell
    index, dims = written(Text(), cell.index), shape_of(cell.array)
    is_number = isinstance(body, sympy.Rational)

    def run(ev: Evaluator, env: Env) -> Number:
        point = index(ev, env)
        for e, n in zip(point, dims(ev, env), strict=True):
            if not 0 <= e < n:
                raise Undefined(f"a derivative by {cell.array}{list(point)}, which is no cell")
        return ev.zero if is_number else ev.slope(body, env, cell.array.name, point)

    return run


def logarithm(term: Term) -> Run:
    inner = as_real(term.inner)
    return lambda ev, env: ev.log(inner(ev, env))


def application(term: Term) -> Run:
    known = value_of(term)
    if known is not None:
        return as_real(known)
    name, declared, inner = term.function.name, term.function, [*map(as_real, term.arguments)]
    if declared.built_in:
        return lambda ev, env: ev.numbers.apply(name, *(run(ev, env) for run in inner))
    return lambda ev, env: standing(ev, declared, *(run(ev, env) for run in inner))


def kept(rule: Callable[[Term], Run]) -> Callable[[Term], Run]:
    return lambda term: once(rule(term), term)


CALLS: dict[type, Callable[[Term], Run]] = {
    t.Log: kept(logarithm),
    t.Apply: kept(application),
    t.Slope: slope,
}


def doubling(term: Term, arrays: Iterable[Array]) -> Run:
    """Whether twice the value is the value at twice the cells of the arrays, where it is known."""
    run, names = as_real(term), frozenset(a.name for a in arrays)

    def holds(ev: Evaluator, env: Env) -> bool:
        once, double = ev.lift(2) * run(ev, env), run(ev.doubled_by(names), env)
        try:
            return ev.compare(once, double) == 0
        except Undecided:
            return True

    return holds


def twice(cells: Tensor, two: Number) -> Tensor:
    return lambda index: two * cells(index)
