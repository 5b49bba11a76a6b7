"""Sizes at which a theorem is tried, and the cells of its arrays there. Untrusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

import sympy

from gradproof.evaluate.compiled import Evaluator, compiled
from gradproof.evaluate.judge import numbers_for
from gradproof.evaluate.numbers import RATIONALS, Undecided, Undefined
from gradproof.evaluate.points import of_total
from gradproof.evaluate.replay import Cell, Env, arrays_of
from gradproof.language import terms as t
from gradproof.language.substitution import base_of, free
from gradproof.language.systems import sizes_in
from gradproof.language.terms import INT, Sym, Term
from gradproof.theorems.sequents import Sequent, Theorem

REAL_VALUES = tuple(Fraction(v) for v in (1, -1, 2, Fraction(1, 2), 0))
MOST_CANDIDATES = 20_000
CANDIDATES = 40  # for each shape of a box
MOST_CELLS, MOST_GENERATORS = 20_000, 150


def symbols_of(theorem: Theorem) -> tuple[Sym, ...]:
    """The sizes and parameters of a theorem without bundles."""
    terms: list[Term] = list(theorem.given)
    for s in theorem.sequents:
        terms.append(t.ForAll(t.And(*s.when, s.then), *s.over))
        terms += [d for a in arrays_of(s) for d in (*a.dims, *a.span)]
        terms += [u for e in s.where for u in sizes_in(e)]
    found = frozenset().union(*map(free, terms))
    named = [u for g in theorem.given for u in t.walk(g) if isinstance(u, Sym)]
    first = {base: order for order, base in reversed([*enumerate(map(base_of, named))])}

    def order(symbol: Sym) -> tuple[object, ...]:
        """By axis, then as the hypotheses name them first, then by name."""
        axis = symbol.name.split(".")[1] if "." in symbol.name else "0"
        return int(axis), first.get(base_of(symbol), len(named)), symbol.name

    return tuple(sorted(found, key=order))


def lowest(symbol: Sym, given: Iterable[Term]) -> int | None:
    """The least value that a clause `symbol ≥ number` allows."""
    for clause in (part for g in given for part in t.conjuncts(g)):
        is_bound = isinstance(clause, t.Ge) and clause.left == symbol
        if is_bound and isinstance(clause.right, sympy.Integer):
            return int(clause.right)
    return None


def box(theorem: Theorem, most: int) -> Iterator[Env]:
    """Up to `most` shapes with three values per size from its least one, each size soon in all.

    Large ones only where there is no small one.
    """
    symbols = symbols_of(theorem)
    integers = [s for s in symbols if s.sort == INT]
    reals = [s for s in symbols if s.sort != INT]
    choices = [values_from(lowest(s, theorem.given)) for s in integers]
    total = 3 ** len(integers)
    found, large, is_admitted = 0, [], admits(theorem.given)
    for number in range(min(total, CANDIDATES * most)):
        code = number * stride(total) % total
        values = [choice[code // 3**i % 3] for i, choice in enumerate(choices)]
        sizes: Env = dict(zip(integers, values, strict=True))
        tried = ({**sizes, **chosen} for chosen in parameters(reals, number))
        env = next(filter(is_admitted, tried), None)
        if env is None:
            continue
        if not is_small(theorem, env):
            large.append(env)
            continue
        yield env
        found += 1
        if found == most:
            return
    yield from large[: 0 if found else most]


def parameters(reals: list[Sym], number: int) -> Iterator[Env]:
    """All of one value; else rising, or falling."""
    yield dict.fromkeys(reals, REAL_VALUES[number % 4])
    rising = [Fraction(2 * n - 1) for n in range(len(reals))]
    for values in (rising, rising[::-1]) if len(reals) > 1 else ():
        yield dict(zip(reals, values, strict=True))


def is_small(theorem: Theorem, env: Env) -> bool:
    """Few cells, so that equalities are identities of polynomials in them."""
    shapes = [shapes_at(s, env) for s in theorem.sequents]
    counts = (None if s is None else sum(map(math.prod, s.values())) for s in shapes)
    return all(c is not None and c <= MOST_GENERATORS for c in counts)


def stride(total: int) -> int:
    """A step by which all numbers below a power of 3 are met, and any few of them far apart."""
    near = round(total * 0.618)
    return near + (near % 3 == 0)


def values_from(low: int | None) -> tuple[int, ...]:
    """Beginning with one that leaves an array of that size a cell, if it may."""
    return (low, low + 1, low + 2) if low else (1, 2, 0)


def ascending(theorem: Theorem) -> Iterator[Env]:
    """Shapes by the total of their sizes, then in the order of the sizes."""
    symbols = symbols_of(theorem)
    integers = [s for s in symbols if s.sort == INT]
    reals = [s for s in symbols if s.sort != INT]
    lows = [lowest(s, theorem.given) for s in integers]

    def levels() -> Iterator[Env]:
        for total in range(sum(max(low or 0, 0) for low in lows), 64):
            for values in of_total(lows, total):
                for chosen in product(REAL_VALUES, repeat=len(reals)):
                    yield dict(zip(integers, values, strict=True)) | dict(
                        zip(reals, chosen, strict=True)
                    )

    candidates = islice(levels(), MOST_CANDIDATES)
    yield from filter(admits(theorem.given), candidates)


def admits(given: tuple[Term, ...]) -> Callable[[Env], bool]:
    """Whether sizes and parameters satisfy hypotheses."""
    conditions = [compiled(g) for g in given]
    numbers = numbers_for(*given)
    ev = Evaluator(numbers, {})

    def holds(env: Env) -> bool:
        lifted = {s: v if s.sort == INT else numbers.lift(v) for s, v in env.items()}
        try:
            return all(condition(ev, lifted) for condition in conditions)
        except (Undefined, Undecided, KeyError):
            return False

    return holds


@dataclass(frozen=True)
class CellsOf:
    """The cells of arrays of these shapes, listed when they are asked for."""

    shapes: dict[str, tuple[int, ...]]

    def __len__(self) -> int:
        return sum(map(math.prod, self.shapes.values()))

    def __iter__(self) -> Iterator[Cell]:
        for name, shape in self.shapes.items():
            yield from ((name, i) for i in product(*map(range, shape)))

    def __contains__(self, cell: object) -> bool:
        return any(cell == each for each in self)


NO_CELLS = CellsOf({})


def cells_at(sequent: Sequent, env: Env) -> CellsOf | None:
    """The cells of all arrays, or None if there are too many or an array has no shape."""
    shapes = shapes_at(sequent, env)
    if shapes is None or any(math.prod(shape) > MOST_CELLS for shape in shapes.values()):
        return None
    return CellsOf(shapes)


SIZES = Evaluator(RATIONALS, {})  # of sizes, which read no array


def shapes_at(sequent: Sequent, env: Env) -> dict[str, tuple[int, ...]] | None:
    try:
        shapes = {a.name: SIZES.shape(a, env) for a in arrays_of(sequent)}
    except (Undefined, Undecided):
        return None
    return None if any(n < 0 for shape in shapes.values() for n in shape) else shapes
