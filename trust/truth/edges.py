"""Whether a rule fails at a point at which branches meet. Untrusted.

A proof leaves out an output beside a cell if a comparison turns there as the cell moves. Where none
does, it is no excuse that two sides happen to be equal.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from types import CodeType
from typing import Any

from gradproof.language import Op
from gradproof.language.terms import Maximum, mentions
from trust.truth import given
from trust.truth.judge import Found, Names, Sizes, branches, shapes, stepped
from trust.truth.loops import GIVEN, Tensor, cells, source

VALUES = (-1, 0, 1, 2)
MOST_CELLS = 3


def first_failure(op: Op, part: str, box: Mapping[str, range]) -> tuple[Sizes, Found] | None:
    """The smallest shape at which a rule is wrong beside a cell by which nothing turns."""
    if part not in op.equations or not branches(op) or mentions(op.forward, Maximum):
        return None
    for sizes in shapes(op, part, box):
        found = (given.failing(op, part, sizes, p, turns_at(op)) for p in points(op, sizes))
        if failing := frozenset().union(*found):
            return sizes, Found(failing)
    return None


def points(op: Op, sizes: Sizes) -> Iterator[given.Point]:
    """Points with a few values, which meet in every way."""
    names = {f"_{name}": size for name, size in sizes.items()}
    places = [(x.name, cell) for x in op.operands for cell in cells(x, names)]
    for values in product(VALUES, repeat=len(places)) if len(places) <= MOST_CELLS else ():
        point: dict[str, Tensor] = {x.name: {} for x in op.operands}
        for (name, cell), value in zip(places, values, strict=True):
            point[name][cell] = value
        yield point


def turns_at(op: Op) -> given.LeavesOut:
    """Whether a comparison that an output is computed by turns as a cell moves."""

    def turns(names: Names, entry: given.Entry) -> bool:
        steps = (0, *given.STEPS)
        here, *around = (Trace(op, stepped(names, *entry.by, s), entry.output) for s in steps)
        if any(trace.signs != here.signs for trace in around):
            return True
        races = zip(here.races, *(trace.races for trace in around), strict=True)
        return any(is_close(*race) for race in races)

    return turns


def is_close(here: tuple[Any, ...], *around: tuple[Any, ...]) -> bool:
    """Whether parts that have the largest value go apart."""
    first = [values for values in zip(here, *around, strict=True) if values[0] == max(here)]
    return len({(ahead[0], behind[0]) for ahead, behind in (given.slopes(*v) for v in first)}) > 1


class Trace:
    """What is compared while an output is computed: signs of differences, parts of extrema."""

    def __init__(self, op: Op, names: Names, output: tuple[int, ...]) -> None:
        self.signs: list[int] = []
        self.races: list[tuple[Any, ...]] = []
        target = op.forward.args[0]
        place = {f"_{i.name}": at for i, at in zip(target.index, output, strict=True)}
        watched = {"difference": self.difference, "max": self.largest, "min": self.smallest}
        eval(compiled(op.forward.args[1]), {**GIVEN, **names, **place, **watched})

    def difference(self, left: Any, right: Any) -> Any:
        self.signs.append((left > right) - (left < right))
        return left - right

    def largest(self, *parts: Any) -> Any:
        self.races.append(parts)
        return max(parts)

    def smallest(self, *parts: Any) -> Any:
        return -self.largest(*(-part for part in parts))


class Watched(ast.NodeTransformer):
    """Comparisons as signs of differences."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        difference = ast.Call(ast.Name("difference", ast.Load()), sides, [])
        return ast.Compare(difference, node.ops, [ast.Constant(0)])


@lru_cache(maxsize=1000)
def compiled(term: Any) -> CodeType:
    watched = Watched().visit(ast.parse(source(term), mode="eval"))
    return compile(ast.fix_missing_locations(watched), "drawn", "eval")
