"""The definition read from code beside the code itself, on numbers. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np

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
from gradproof.tracing.definition import Traced

Env = Mapping[Any, Any]
Values = dict[str, Any]  # arrays and numbers, by the names of arguments
LARGEST = 400  # cells of an input at which the code is run
SHAPES = 5
CORNERS = 8
BEYOND = (7, 5, 6)
SCALES = (1, 6, 0.3)  # of random values, so that what happens far out and near 0 is compared too


class Code(Protocol):
    """The user's code, run on numbers."""

    name: str
    declared: Declared

    def run(self, values: Values) -> Any:
        """The output."""

    def gradients(self, values: Values, cotangent: Any) -> dict[str, Any]:
        """What the user's rule gives, by the names of the inputs."""

    def trace(self, hints: Env) -> Traced:
        """What it is, read; branches that depend on sizes go as they do at these."""

    def at(self, sizes: Mapping[str, int]) -> Code:
        """The same code, where these sizes are numbers."""


@dataclass(frozen=True)
class Point:
    """Sizes, and the values of all arguments."""

    sizes: Env
    values: Values


def shapes(op: Op) -> list[Env]:
    """The smallest sizes that are allowed, some larger ones, and each as the only 1, and not 1."""
    theorem = satisfiable(op)
    found = [*islice(ascending(theorem), 1), *islice(box(theorem, 40), 40)]
    step = max(1, len(found) // SHAPES)
    some = [*found[:1], *found[1::step], *found[-1:], *corners(found), *larger(op, found)]
    return list({str(e): e for e in some}.values())


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


def drawn(declared: Declared, sizes: Env, generator: np.random.Generator) -> Point:
    """Random values of all arguments at the given sizes."""
    values: Values = {}
    for a in declared.arguments:
        if a.kind == "number":
            values[a.name] = float(sizes[a.term]) if a.term in sizes else generator.normal()
        elif a.kind == "size":
            assert a.term is not None
            values[a.name] = size_at(a.term, sizes)
        elif a.kind == "given":
            values[a.name] = a.value
        else:
            values[a.name] = draw(a, sizes, generator)
    return Point(sizes, values)


TURNS: tuple[Callable[[Any], Any], ...] = (
    lambda v: v,
    lambda v: np.abs(v) + 0.1,
    lambda v: np.abs(v) % 1,
    lambda v: -np.abs(v) - 0.1,
)


def allowed(
    op: Op, declared: Declared, sizes: Env, generator: np.random.Generator, scale: float = 1
) -> Point:
    """Random values, such that what is required of them holds if that can be had easily."""
    for turn in TURNS:
        point = drawn(declared, sizes, generator)
        values = {
            k: turn(scale * v) if isinstance(v, np.ndarray) and v.dtype == float else v
            for k, v in point.values.items()
        }
        point = Point(sizes, values)
        if not asks_values(declared) or is_allowed(op, declared, point):
            break
    return point


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
        return generator.random(shape) < 0.5
    if a.kind == "integer":
        assert a.below is not None
        assert a.least is not None
        return generator.integers(size_at(a.least, sizes), size_at(a.below, sizes), shape)
    return generator.normal(size=shape)


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


def evaluated(op: Op, declared: Declared, point: Point, cotangent: Any) -> tuple[Any, Values]:
    """What the definition gives: the output, and the gradients."""
    inputs = inputs_of(op, declared, point)
    sizes = named_sizes(op, point.sizes)
    y = numeric.forward(op, inputs, sizes)
    if y.size != np.size(cotangent):
        return y, {}
    found = numeric.vjp(op, inputs, np.asarray(cotangent).reshape(y.shape), sizes)
    return y, {name.removesuffix("_bar"): value for name, value in found.items()}


def differences(op: Op, code: Code, tolerance: float) -> Iterator[str]:
    """Where the definition and the code disagree, on random values at several shapes."""
    generator = np.random.default_rng(0)
    compared = 0
    found = shapes(op)
    for number, sizes in enumerate(found * -(-SHAPES // max(1, len(found)))):
        scale = SCALES[number % len(SCALES)]
        point = allowed(op, code.declared, sizes, generator, scale)
        if overflows(op, code.declared, point):
            point = allowed(op, code.declared, sizes, generator)
        if any(np.size(v) > LARGEST for v in point.values.values() if isinstance(v, np.ndarray)):
            continue
        if asks_values(code.declared) and not is_allowed(op, code.declared, point):
            continue
        try:
            y = np.asarray(code.run(point.values), dtype=float)
            cotangent = generator.normal(size=y.shape)
            gradients = code.gradients(point.values, cotangent)
        except Exception as failure:
            yield f"at {shown(sizes)} the code itself fails: {type(failure).__name__}: {failure}"
            continue
        compared += 1
        try:
            read, rules = evaluated(op, code.declared, point, cotangent)
        except (IndexError, ValueError) as failure:
            yield f"at {shown(sizes)} what was read has no value: {failure}"
            continue
        if not agree(y, read, tolerance):
            yield f"the forward at {shown(sizes)}: {far(y, read)}"
            continue
        for name, value in gradients.items():
            if not agree(value, rules[name], tolerance):
                yield f"the gradient of {name} at {shown(sizes)}: {far(value, rules[name])}"
    if not compared:
        yield "no sizes were found at which to run the code"


def overflows(op: Op, declared: Declared, point: Point) -> bool:
    """Whether what was read is no number there, as where an exponential is too large for one."""
    try:
        y = numeric.forward(op, inputs_of(op, declared, point), named_sizes(op, point.sizes))
    except (IndexError, ValueError):
        return False
    return not np.all(np.isfinite(y))


def agree(a: Any, b: Any, tolerance: float) -> bool:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.size != b.size:
        return False
    b = b.reshape(a.shape)
    both = np.isfinite(a) & np.isfinite(b)
    undefined = ~np.isfinite(a) & ~np.isfinite(b)
    scale = 1 + np.max(np.abs(a[both]), initial=0)
    return bool(np.all(both | undefined) and np.all(np.abs(a - b)[both] <= tolerance * scale))


def far(code: Any, read: Any) -> str:
    a, b = np.asarray(code, dtype=float), np.asarray(read, dtype=float)
    if a.size != b.size:
        return f"the code gives shape {a.shape}, what was read {b.shape}"
    b = b.reshape(a.shape)
    at = np.unravel_index(np.argmax(np.nan_to_num(np.abs(a - b), nan=np.inf)), a.shape)
    place = f"[{', '.join(str(int(i)) for i in at)}]"
    return f"the code gives {float(a[at]):.6g} at {place}, what was read {float(b[at]):.6g}"


def shown(sizes: Env) -> str:
    named = (s for s in sizes if isinstance(s, Sym))
    return ", ".join(f"{s.name} = {sizes[s]}" for s in named) or "all sizes"


def slope(run: Callable[[Any], Any], at: Any, step: float = 1e-4) -> Any:
    """The derivative of a function of one number, by differences of fourth order."""
    near, wide = (run(at + step) - run(at - step)), (run(at + 2 * step) - run(at - 2 * step))
    return (8 * near - wide) / (12 * step)


def confirmed(code: Code, values: Values, cotangent: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Each cell of each input: name, place, finite difference, what the code's rule gives."""
    gradients = code.gradients(values, cotangent)
    for name, rule in gradients.items():
        for place in np.ndindex(np.shape(values[name])):
            expected = difference(code, values, cotangent, name, place)
            yield name, place, expected, float(np.asarray(rule)[place])


def difference(
    code: Code, values: Values, cotangent: Any, name: str, place: Any, step: float = 1e-4
) -> float:
    """What the code's output, by a cotangent, changes by as a cell does."""
    whole = np.array(values[name], dtype=float)

    def moved(value: Any) -> float:
        changed = whole.copy()
        changed[place] = value
        y = np.asarray(code.run({**values, name: changed}), dtype=float)
        return float(np.sum(y * cotangent))

    return float(slope(moved, whole[place], step))


def compared(
    code: Code, values: Values, cotangent: Any, name: str, place: Any
) -> tuple[float, float]:
    """One cell: the finite difference, and what the code's rule gives."""
    rule = code.gradients(values, cotangent)[name]
    return difference(code, values, cotangent, name, place), float(np.asarray(rule)[place])
