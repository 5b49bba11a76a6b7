"""Sizes and values at which a reading and the code are compared. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import sympy

from gradproof.evaluate import numeric
from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.evaluate.replay import satisfies
from gradproof.evaluate.shapes import ascending, box
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Sym, Term
from gradproof.settle.preconditions import satisfiable
from gradproof.tracing.declared import Argument, Declared

Env = Mapping[Any, Any]
Values = dict[str, Any]  # arrays and numbers, by the names of arguments
SHAPES = 5
CORNERS = 8
BEYOND = (7, 5, 6)


@dataclass(frozen=True)
class Point:
    """Sizes, and the values of all arguments."""

    sizes: Env
    values: Values


def shapes(op: Op) -> list[Env]:
    """The smallest sizes that are allowed, some larger ones, and each as the only 1, and not 1."""
    theorem = satisfiable(op)
    tried = chain(islice(ascending(theorem), 1), islice(box(theorem, 40), 40))
    found: list[Env] = list(tried) or list(named_in(op))
    step = max(1, len(found) // SHAPES)
    some = [*found[:1], *found[1::step], *found[-1:], *corners(found), *larger(op, found)]
    return list({str(e): e for e in some}.values())


def named_in(op: Op) -> Iterator[Env]:
    """The sizes that `requires` names, which may be larger than those that are tried."""
    equal = (c for c in op.requires if isinstance(c, t.Eq) and isinstance(c.right, sympy.Integer))
    fixed = {c.left: int(c.right) for c in equal}
    sizes = {s: fixed.get(s, 1) for s in op.sizes}
    if satisfies((c for c in op.requires if not t.arrays(c)), sizes):
        yield sizes


def larger(op: Op, found: Sequence[Env]) -> Iterator[Env]:
    """Sizes beyond the first: a tree over seven cells is no loop, unless it is of what may be."""
    clauses = tuple(c for c in op.requires if not t.arrays(c))
    sizes = dict(found[-1]) if found else {}
    whole = [s for s in sizes if isinstance(s, Sym) and s.sort == t.INT]
    for turn in range(len(BEYOND)):
        other = {s: BEYOND[(k + turn) % len(BEYOND)] for k, s in enumerate(whole)}
        if whole and satisfies(clauses, sizes | other):
            yield sizes | other
            return


def corners(found: Sequence[Env]) -> Iterator[Env]:
    """For each set of sizes that are 1, as which frameworks broadcast, the first sizes that are."""
    seen: set[Any] = set()
    for sizes in found:
        ones = frozenset(s for s, v in sizes.items() if v == 1)
        if ones not in seen and len(seen) < CORNERS:
            seen.add(ones)
            yield sizes


def size_at(term: Term, sizes: Env) -> int:
    return int(Evaluator(RATIONALS, {}).value(term, sizes))


def shape_at(argument: Argument, sizes: Env) -> tuple[int, ...]:
    return tuple(size_at(d, sizes) for d in argument.shape)


Reals = Callable[[np.random.Generator, tuple[int, ...]], Any]


def spread(scale: float = 1) -> Reals:
    """Random numbers about 0."""
    return lambda generator, shape: scale * generator.normal(size=shape)


def whole(generator: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Small integers: many are equal, or 0, and arithmetic of floats is exact."""
    return generator.integers(-2, 3, shape).astype(float)


def zeros(_: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.zeros(shape)


def about(number: float) -> Reals:
    """Numbers at which a comparison with one turns, among others."""
    near = [number, number + 1, number - 1, number * 1.25, number * 0.75, -number, 0.0, 1.0]
    return lambda generator, shape: generator.choice(near, shape)


def drawn(
    declared: Declared, sizes: Env, generator: np.random.Generator, reals: Reals | None = None
) -> Point:
    """Random values of all arguments at the given sizes."""
    make = reals or spread()
    values: Values = {}
    for a in declared.arguments:
        if a.kind == "number":
            values[a.name] = float(sizes[a.term]) if a.term in sizes else generator.normal()
        elif a.kind == "size":
            assert a.term is not None
            values[a.name] = size_at(a.term, sizes)
        elif a.kind == "given":
            values[a.name] = a.value
        elif a.kind in ("boolean", "integer"):
            values[a.name] = draw(a, sizes, generator)
        else:
            values[a.name] = np.asarray(make(generator, shape_at(a, sizes)))
    return Point(sizes, values)


TURNS: tuple[Callable[[Any], Any], ...] = (
    lambda v: v,
    lambda v: np.abs(v) + 0.125,
    lambda v: np.abs(v) % 1,
    lambda v: -np.abs(v) - 0.125,
    lambda v: (np.abs(v) % 3 + 0.5) / 4,
)


def allowed(
    op: Op,
    declared: Declared,
    sizes: Env,
    generator: np.random.Generator,
    reals: Reals | None = None,
) -> Point:
    """Random values, such that what is required of them holds if that can be had easily."""
    found = drawn(declared, sizes, generator, reals)
    for turn in TURNS if asks_values(declared) else ():
        point = turned(found, turn)
        if is_allowed(op, declared, point):
            return point
    return found


def turned(point: Point, turn: Callable[[Any], Any]) -> Point:
    values = {
        k: turn(v) if isinstance(v, np.ndarray) and v.dtype == float else v
        for k, v in point.values.items()
    }
    return Point(point.sizes, values)


def asks_values(declared: Declared) -> bool:
    """Whether something is required of values of tensors."""
    return len(declared.of_sizes) < len(declared.requires)


def is_allowed(op: Op, declared: Declared, point: Point) -> bool:
    """Whether the evaluator takes the values."""
    try:
        numeric.forward(op, inputs_of(op, declared, point), named_sizes(op, point.sizes))
    except ValueError:
        return False
    return True


def inputs_of(op: Op, declared: Declared, point: Point) -> Values:
    own = {a.name for a in op.operands}
    return {
        a.name: factored(a, point.values[a.name], point.sizes)
        for a in declared.arguments
        if a.name in own
    }


def draw(a: Argument, sizes: Env, generator: np.random.Generator) -> Any:
    shape = shape_at(a, sizes)
    if a.kind == "boolean":
        return np.asarray(generator.random(shape) < 0.5)
    assert a.below is not None
    assert a.least is not None
    return generator.integers(size_at(a.least, sizes), size_at(a.below, sizes), shape)


def factored(a: Argument, value: Any, sizes: Env) -> Any:
    """A value of an argument in the shape of its array in the language."""
    dims = [size_at(d, sizes) for d in a.array.dims]
    kind = int if a.kind == "integer" else float
    return np.asarray(value, dtype=kind).reshape(dims)


def named_sizes(op: Op, sizes: Env) -> dict[str, Any]:
    known: dict[str, Any] = {s.name: sizes.get(s) for s in op.sizes}
    return {
        name: float(value) if s.sort == t.REAL else int(value)
        for s, (name, value) in zip(op.sizes, known.items(), strict=True)
    }


def shown(sizes: Env) -> str:
    named = (s for s in sizes if isinstance(s, Sym))
    return ", ".join(f"{s.name} = {sizes[s]}" for s in named) or "all sizes"
