"""Inputs at which code that is right over the reals gives nan, infinity or few digits. Untrusted.

The code runs in its own precision beside double precision, on inputs of moderate size; where they
part, the exact value says which of them is wrong. Nothing is told that the code, run there, does
not show, nor what rounding its inputs would explain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf, isfinite
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from gradproof.evaluate.numbers import precisely
from gradproof.language.ops import Op
from gradproof.language.terms import Term
from gradproof.tracing import points
from gradproof.tracing.arising import Done, first
from gradproof.tracing.causes import FORMS, cause_of
from gradproof.tracing.comparing import Code
from gradproof.tracing.extremes import Inputs, sizes_of
from gradproof.tracing.floats import TYPES, Exact, Type, placed
from gradproof.tracing.points import Point

BITS = 300  # of what is called exact
CHANGED, CONFIRMED = 60, 24  # inputs changed, and looked at exactly
SIMPLER = 40  # inputs tried in the place of one that was found
ELSEWHERE = (2, 0.2, 0.02)  # how large inputs are where it is seen how large a gradient is
NEAR = 4  # inputs that are as good, after rounding
ROOM = 16  # how much more than rounded inputs explain is lost
SECONDS = 1.0  # of processor time, after the code has run once


@dataclass(frozen=True)
class Lost:
    """An input at which a cell of the output, or of a gradient, is not what it is exactly."""

    kind: Type
    point: Point
    name: str  # of the input whose gradient it is; empty of the output
    place: tuple[int, ...]
    found: float
    exact: float | None  # none at the edge of where there is a derivative
    cause: str = ""
    done: Done | None = None  # the operation that first loses it
    here: str = ""  # what that gives

    @property
    def words(self) -> str:
        is_rule = self.name.endswith("_dot") or "_bar" in self.name
        return self.name if is_rule else f"the gradient of {self.name}"

    @property
    def text(self) -> str:
        at = f"[{', '.join(map(str, self.place))}]" if self.place else ""
        what = f"{self.words}{at}" if self.name else f"the output{at}"
        exact = "where it has none" if self.exact is None else f"exactly {self.exact:.6g}"
        said = f"in {self.kind.name} {what} is {self.found:.6g} at {given(self.point)}, {exact}"
        said += f": {self.cause}" if self.cause else ""
        return f"{said}\n{self.done.told(self.here)}" if self.done else said


def given(point: Point) -> str:
    def listed(value: Any) -> str:
        if not isinstance(value, np.ndarray):
            return str(value)
        numbers = (f"{v:.6g}" if value.dtype == float else str(v) for v in value.ravel())
        shown = np.array(list(numbers), dtype=object).reshape(value.shape).tolist()
        return str(shown).replace("'", "")

    return ", ".join(f"{k} = {listed(v)}" for k, v in point.values.items() if v is not None)


def lost(
    code: Code,
    op: Op,
    dtype: str = "float32",
    within: tuple[Term, ...] = (),
    far: bool = False,
    seconds: float = SECONDS,
    search: type[Search] | None = None,
) -> Lost | None:
    """The first input found at which the code loses its digits, made simple, or none.

    Inputs are moderate, or as `within` says; with `far`, of any size that the type has.
    """
    kind = TYPES[dtype]
    sizes = next(sizes_of(op, code.declared), None)
    if sizes is None:
        return None
    inputs = Inputs(op, code.declared, kind, np.random.default_rng(5), sizes, within)
    with np.errstate(all="ignore"), precisely(BITS):
        looking = (search or Search)(inputs, code, code.precise(dtype), seconds)
        found = looking.found(far)
        return found and looking.located(looking.simplest(found))


Cells = dict[str, Any]  # of the output, by no name, and of gradients by the names of inputs


@dataclass
class Search:
    """For inputs at which the code gives less than half of the digits."""

    inputs: Inputs
    wide: Code  # in double precision
    code: Code  # in the type that is asked about
    seconds: float
    end: float = inf  # in seconds of processor time
    confirmed: int = 0
    few: Lost | None = None  # what was found that has few digits

    @property
    def kind(self) -> Type:
        return self.inputs.kind

    def found(self, far: bool) -> Lost | None:
        """One that is no number, if there is one, else one that has few digits."""
        for found in self.all_found(far):
            if not isfinite(found.found):
                return found
            self.few = self.few or found
        return self.few

    def all_found(self, far: bool) -> Iterator[Lost]:
        best: list[tuple[float, Point]] = []
        for point in self.inputs.far() if far else self.inputs.drawn():
            off, found = self.at(point)
            best = sorted([*best, (off, point)], key=lambda b: -b[0])[:4]
            yield from found
        for turn in range(CHANGED if best and not far else 0):
            before, point = best[turn % len(best)]
            for changed in self.inputs.allowed(self.inputs.changed(point)):
                off, found = self.at(changed)
                if off > before:
                    best[turn % len(best)] = off, changed
                yield from found

    def at(self, point: Point) -> tuple[float, list[Lost]]:
        """How far the two precisions part, and what is lost, if what is exact confirms it."""
        if self.confirmed >= CONFIRMED or process_time() > self.end:
            return 0.0, []
        try:
            y = np.asarray(self.code.run(point.values), dtype=float)
            seed = self.seed(y)
            got = {"": y, **self.code.gradients(point.values, seed)}
            wide = self.cells(point, seed)
        except Exception:  # of which the comparison tells
            return 0.0, []
        if self.end == inf:
            self.end = process_time() + self.seconds  # what is compiled is, by now
        apart = [(o, k, n) for k in got for n, o in enumerate(parted(got[k], wide[k]))]
        far = sorted((a for a in apart if a[0] > self.kind.lost / 2), key=lambda a: -a[0])
        far = self.unexplained(far, point, seed, got, wide) if far else []
        self.confirmed += bool(far)
        for _, name, flat in far[:4]:
            if found := self.confirmation(point, seed, name, flat, got, wide):
                return inf, [found]
        return max((off for off, _, _ in apart if off < inf), default=0.0), []

    def cells(self, point: Point, seed: Any) -> Cells:
        """The output and the gradients, in double precision."""
        return {"": self.wide.run(point.values), **self.wide.gradients(point.values, seed)}

    def unexplained(self, far: list[Any], point: Point, seed: Any, got: Cells, wide: Cells) -> Any:
        """Without what rounded inputs explain, as far as double precision tells."""
        numbers = [a for a in far if np.isfinite(np.ravel(got[a[1]])[a[2]])]
        others = [a for a in far if a not in numbers]
        if self.few or not numbers:
            return others
        near = [self.cells(self.inputs.near(point), seed) for _ in range(NEAR)]
        room = {k: np.max([np.abs(n[k] - wide[k]) for n in near], axis=0) for k in wide}

        def is_open(name: str, flat: int) -> bool:
            own, value, moved = (np.ravel(c[name])[flat] for c in (got, wide, room))
            most = self.kind.lost * abs(value) + ROOM * moved
            return not isfinite(most) or bool(abs(own - value) > most / 2)

        return others + [a for a in numbers if is_open(a[1], a[2])]

    def confirmation(
        self, point: Point, seed: Any, name: str, flat: int, got: Cells, wide: Cells
    ) -> Lost | None:
        """What is lost in one cell, by its exact value."""
        exact = self.exact(point, seed)
        cell = float(np.ravel(got[name])[flat])
        if name and not np.isfinite(got[""]).all():
            return None  # of which the output tells, if it is of moderate size
        least = self.least(point, seed, name, got) if isfinite(cell) else 0.0
        if name and abs(cell - np.ravel(wide[name])[flat]) <= least:
            return None
        value = exact.cell(name, flat)
        seen = Lost(self.kind, point, name, placed(flat, np.shape(got[name])), cell, value)
        if value is None:
            is_told = bool(name) and not isfinite(cell)
        elif not isfinite(cell):
            is_told = self.kind.is_moderate(value)
        else:
            is_told = self.is_lost(seen, seed, flat)
        if not is_told:
            return None
        cause = cause_of(exact, self.kind, name, flat)
        is_form = not name and cause.endswith(FORMS)
        if isfinite(cell) and not is_form and off_by(seen) <= least:
            return None
        return replace(seen, cause=cause)

    def exact(self, point: Point, seed: Any) -> Exact:
        return Exact(self.inputs.op, self.wide.declared, point, seed)

    def is_lost(self, seen: Lost, seed: Any, flat: int) -> bool:
        """Whether half of the digits are lost, and more than rounded inputs explain."""
        value = seen.exact or 0.0
        most = self.kind.lost * abs(value)
        if not self.kind.is_moderate(value) or off_by(seen) <= most:
            return False
        near = (self.exact(self.inputs.near(seen.point), seed) for _ in range(NEAR))
        moved = (exact.cell(seen.name, flat) for exact in near)
        room = max((abs(v - value) for v in moved if v is not None), default=inf)
        return off_by(seen) > most + ROOM * room

    def least(self, point: Point, seed: Any, name: str, got: Cells) -> float:
        """An error that is nothing beside other cells, and beside what they are elsewhere."""
        g = self.inputs.generator

        def size(change: Callable[[Any], Any]) -> float:
            return size_of(self.cells(self.inputs.each(point, change), seed)[name])

        shuffled = size(lambda v: g.permutation(v.ravel()).reshape(v.shape))
        draws = [points.spread(scale) for scale in ELSEWHERE]
        usual = median(size(lambda v, draw=draw: draw(g, v.shape)) for draw in draws)  # type: ignore[misc]  # a default binds the loop's value
        most = max(size_of(got[name]), shuffled, usual)
        return most * (self.kind.lost if name else 64 * self.kind.epsilon)

    def simplest(self, found: Lost) -> Lost:
        """The same loss with fewer digits, and more cells that are 0 or alike."""
        self.confirmed, self.few = -SIMPLER, None
        for name, change in ((n, c) for n in found.point.values for c in CHANGES):
            value = found.point.values[name]
            if not isinstance(value, np.ndarray) or value.dtype != float or not value.size:
                continue
            for other in change(value):
                values = {**found.point.values, name: other}
                for point in self.inputs.allowed(Point(found.point.sizes, values)):
                    _, seen = self.at(point)
                    found = next((other for other in seen if is_alike(found, other)), found)
        return found

    def located(self, found: Lost) -> Lost:
        """With the operation at which it arises, where the code can be run so."""
        values = found.point.values
        try:
            seed = self.seed(np.asarray(self.code.run(values), dtype=float))
            done, wide = (code.done(values, seed) for code in (self.code, self.wide))
        except Exception:  # what is found stands without it
            return found
        at = first(done, wide, self.kind, isfinite(found.found))
        return replace(found, done=at[0], here=at[1]) if at else found

    def seed(self, y: Any) -> Any:
        """The cotangent."""
        return self.kind.rounded(np.linspace(0.5, 1.5, max(1, y.size))).reshape(y.shape)


def off_by(seen: Lost) -> float:
    return abs(seen.found - (seen.exact or 0.0))


def is_alike(one: Lost, other: Lost) -> bool:
    return (one.name, isfinite(one.found)) == (other.name, isfinite(other.found))


def digits(count: int) -> Callable[[Any], Iterator[Any]]:
    """All cells, with so many digits."""

    def change(value: Any) -> Iterator[Any]:
        yield np.array([float(f"{v:.{count}g}") for v in value.ravel()]).reshape(value.shape)

    return change


def alike(value: Any) -> Iterator[Any]:
    largest = value.ravel()[np.argmax(np.abs(value))]
    yield np.zeros(value.shape)
    yield np.full(value.shape, float(f"{largest:.1g}"))


def smaller(value: Any) -> Iterator[Any]:
    yield from (value / 2**n for n in range(1, 8))


CHANGES = (alike, smaller, digits(4), digits(2), digits(1))


def parted(got: Any, wide: Any) -> list[float]:
    """How far each cell is from that in double precision; infinitely, if either is no number."""
    got, wide = np.ravel(np.asarray(got, float)), np.ravel(np.asarray(wide, float))
    off = np.abs(got - wide) / np.maximum(np.abs(wide), 1e-25)
    return [float(v) for v in np.where(np.isfinite(got) & np.isfinite(wide), off, inf)]


def size_of(array: Any) -> float:
    return float(np.max(np.abs(np.nan_to_num(array)), initial=0.0))
