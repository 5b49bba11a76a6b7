"""What values at hand say of arguments: which axes are free, and which belong together. Untrusted.

The code is run at other sizes: each axis alone, then those of equal sizes, then multiples; upwards,
and downwards as far as it runs. Then all at once, where two may not go together: a kernel that must
fit, or axes of size 1 that are broadcast. What is found is a claim that the user reads.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count, islice
from typing import Any

import numpy as np

from gradproof.tracing.declared import Input, given, integer
from gradproof.tracing.expressions import Undeclared
from gradproof.tracing.written import Found, multiple, plus

Values = Mapping[str, Any]
Attempt = Callable[[dict[str, Any], Values, bool], object]  # with the backward, or without
Sizes = tuple[int, ...]  # of all axes of all arrays, in their order
SMALL = 6  # sizes from which on a smaller one is tried in its place
STEPS = (1, 2)  # upwards
HIGHER = 6  # by which what is free is moved before the rest is tried again
TRIES = 200  # sets of axes of one size
PARTS = (2, 3, 4)  # an axis that is halved, say, where no other axis tells its unit
NAMES = "NCHWDKLMPQRSTUVABGJ"
LABELS = "say its shapes, as in x=('N', 'C'), {0}=gp.integer('N', below='C')"


@dataclass(frozen=True)
class Group:
    """Axes that go together: each is so many times one size, which is at least `least`."""

    parts: Mapping[int, int]
    least: int = 1

    @property
    def first(self) -> int:
        return min(self.parts)


@dataclass(frozen=True)
class Law:
    """The size of one group is at least `times` that of another and `more`, by their first axes."""

    of: int
    by: int
    times: int
    more: int


def like(attempt: Attempt, values: Values) -> Found:
    """What is said of arguments that have these values, by attempts that raise where code fails."""
    axes = Axes(attempt, values)
    axes.start()
    groups, laws = axes.together()
    names = dict(zip((g.first for g in groups), names_for(values), strict=False))
    dims: list[Any] = list(axes.own)
    for group in groups:
        for a, times in group.parts.items():
            dims[a] = multiple(times, names[group.first])
    bounded = {law.of for law in laws}
    least = [g for g in groups if g.least > 1 and g.first not in bounded]
    clauses = [f"{names[g.first]} >= {g.least}" for g in least]
    clauses += [f"{names[w.of]} >= {multiple(w.times, names[w.by])}{plus(w.more)}" for w in laws]
    return Found(axes.inputs(dims), tuple(clauses))


class Axes:
    """The axes of the arrays among values, and at which sizes the code runs."""

    def __init__(self, attempt: Attempt, values: Values) -> None:
        self.attempt = attempt
        self.backward = True
        self.values = {k: plain(v) for k, v in values.items()}
        self.needs = any(getattr(v, "requires_grad", False) for v in values.values())
        self.kinds = {k: self.kind(k, values[k]) for k in values}
        self.arrays = [k for k in values if self.kinds[k] != "given"]
        self.owners = [k for k in self.arrays for _ in self.values[k].shape]
        self.base: Sizes = tuple(n for k in self.arrays for n in self.values[k].shape)
        self.own = self.base
        self.bounds: dict[str, int] = {}  # of integers, the axis that they are below
        self.known: dict[Sizes, str] = {}

    def kind(self, name: str, value: Any) -> str:
        array = self.values[name]
        if not isinstance(array, np.ndarray):
            return "given"
        if array.dtype.kind == "c":
            raise Undeclared(f"{name} has complex numbers, and only real ones are read")
        if array.dtype.kind != "f":
            return "boolean" if array.dtype.kind == "b" else "integer"
        return "constant" if self.needs and not value.requires_grad else "real"

    def start(self) -> None:
        """At the sizes at hand, then at smaller ones, of which as many are equal, or multiples."""
        if self.failure(self.base):
            self.backward = False  # which may be what is wrong
            self.known.clear()
        if failure := self.failure(self.base):
            raise Undeclared(f"the code fails at the values given: {failure}")
        for name in self.arrays:
            if self.kinds[name] == "integer":
                self.bounds[name] = self.bound(name)
        self.known.clear()
        for unit in sorted({n for n in self.base if n > SMALL}):
            apart = all(m in (1, unit) or unit % m for m in self.base)
            others = {n for n in self.base if n % unit}
            for smaller in (5, 4, 6, 3) if apart else ():
                scaled = {n: n // unit * smaller for n in self.base if not n % unit}
                sizes = tuple(scaled.get(n, n) for n in self.base)
                if others.isdisjoint(scaled.values()) and self.runs(sizes):
                    self.base = sizes
                    break

    def runs_at_hand(self, backward: bool) -> bool:
        self.backward = backward
        return self.runs(self.base)

    def bound(self, name: str) -> int:
        """The axis of which integers are places: it takes the last one, and none after it."""
        highest = int(self.values[name].max(initial=0))
        own = self.values[name]
        if int(own.min(initial=0)) < 0:
            raise Undeclared(f"{name} has integers below 0; {LABELS.format(name)}")
        able = [a for a, n in enumerate(self.base) if n > highest and self.owners[a] != name]
        able = list({self.base[a]: a for a in reversed(able)}.values())
        for a in able:
            ends = []
            for last in (self.base[a] - 1, self.base[a]):
                self.values[name] = np.full_like(own, last)
                self.known.clear()
                ends.append(self.runs(self.base))
            found = self.bounding(name, a) if ends == [True, False] else None
            self.values[name] = own
            if found is not None:
                return found
        others = [a for a in able if self.base[a] not in own.shape] or able
        if len({self.base[a] for a in others}) == 1:
            return others[0]
        raise Undeclared(f"which integers {name} may have is not found; {LABELS.format(name)}")

    def bounding(self, name: str, a: int) -> int:
        """Of the axes of one size the one that, longer by one, takes one place more."""
        size = self.base[a]
        for b in (b for b, n in enumerate(self.base) if n == size and self.owners[b] != name):
            longer = tuple(n + (k == b) for k, n in enumerate(self.base))
            self.values[name] = np.full_like(self.values[name], size)
            if self.runs(longer):
                return b
        return a

    # Runs.

    def runs(self, sizes: Iterable[int]) -> bool:
        return not self.failure(tuple(sizes))

    def failure(self, sizes: Sizes) -> str:
        if min(sizes, default=1) < 1:
            return "no size is below 1"
        if sizes not in self.known:
            self.known[sizes] = self.tried(sizes)
        return self.known[sizes]

    def tried(self, sizes: Sizes) -> str:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.attempt(self.inputs(sizes), self.at(sizes), self.backward)
            except Exception as failure:
                return str(failure).strip().partition("\n")[0] or type(failure).__name__
        return ""

    def at(self, sizes: Sizes) -> dict[str, Any]:
        """The values, repeated or cut along each axis."""
        found = dict(self.values)
        for a, size in enumerate(sizes):
            name = self.owners[a]
            along = a - self.owners.index(name)
            places = np.arange(size) % self.values[name].shape[along]
            found[name] = np.take(found[name], places, along)
        for name, axis in self.bounds.items():
            found[name] = found[name] % sizes[axis]
        return found

    def inputs(self, dims: Sequence[Any]) -> dict[str, Any]:
        """What is said of all arguments, at sizes that are numbers, names or multiples of these."""
        found: dict[str, Any] = {}
        for name, value in self.values.items():
            kind = self.kinds[name]
            shape = tuple(d for d, owner in zip(dims, self.owners, strict=True) if owner == name)
            if kind == "given":
                found[name] = given(value)
            elif kind == "integer":
                least = int(value.max(initial=0)) + 1
                below = dims[self.bounds[name]] if name in self.bounds else least
                found[name] = integer(*shape, below=below)
            else:
                found[name] = shape if kind == "real" else Input(kind, shape)
        return found

    # Groups.

    def together(self) -> tuple[list[Group], list[Law]]:
        """The groups of axes that are free, each from its least size on, and what joins them."""
        groups, rest = self.grouped(range(len(self.base)))
        higher = self.moved((g, HIGHER) for g in groups)
        if rest and self.runs(higher):
            self.base = higher
            more, _ = self.grouped(rest)
            groups += more
        groups = [Group(g.parts, self.least(g)) for g in groups]
        return self.joined(sorted(groups, key=lambda g: g.first))

    def size(self, group: Group) -> int:
        return self.base[group.first] // group.parts[group.first]

    def moved(self, steps: Iterable[tuple[Group, int]]) -> Sizes:
        sizes = list(self.base)
        for group, step in steps:
            for a, times in group.parts.items():
                sizes[a] += times * step
        return tuple(sizes)

    def moves(self, parts: Mapping[int, int]) -> bool:
        return all(self.runs(self.moved([(Group(parts), step)])) for step in STEPS)

    def grouped(self, axes: Iterable[int]) -> tuple[list[Group], list[int]]:
        """Free axes, alone or with others, and those that are not."""
        rest = list(axes)
        found = [{a: 1} for a in rest if self.moves({a: 1})]
        rest = [a for a in rest if {a: 1} not in found]
        for a in list(rest):
            if a in rest and (parts := next(self.with_others(a, rest), None)):
                found.append(parts)
                rest = [b for b in rest if b not in parts]
        return list(map(Group, found)), rest

    def with_others(self, a: int, rest: Sequence[int]) -> Iterator[dict[int, int]]:
        """Sets of axes with this one that go together, by units of which they are multiples."""
        size = self.base[a]
        others = {self.base[b] for b in rest if 1 < self.base[b] < size and not size % self.base[b]}
        units = [size, *sorted(others, reverse=True), *(size // q for q in PARTS if not size % q)]
        for unit in dict.fromkeys(units):
            whole = {b: self.base[b] // unit for b in rest if not self.base[b] % unit}
            near = [b for b in whole if b != a]
            some = (c for n in range(len(near)) for c in combinations(near, n))
            for few in islice(some, TRIES):
                parts = {b: q for b, q in whole.items() if b == a or b in few}
                if self.moves(parts):
                    yield parts
            if self.moves(whole):
                yield self.reduced(whole, a)

    def reduced(self, parts: dict[int, int], a: int) -> dict[int, int]:
        """As few of them as still go together."""
        for b in [b for b in parts if b != a]:
            fewer = {k: q for k, q in parts.items() if k != b}
            if self.moves(fewer):
                parts = fewer
        return parts

    def least(self, group: Group, *beside: tuple[Group, int]) -> int:
        """The size down to which it runs, where others are moved by some steps."""
        size = self.size(group)
        for lower in range(size + sum(step for _, step in beside) * HIGHER, 0, -1):
            if not self.runs(self.moved([(group, lower - size), *beside])):
                return lower + 1
        return 1

    # All at once.

    def joined(self, groups: list[Group]) -> tuple[list[Group], list[Law]]:
        """Such that all sizes that are allowed go together; what is not so is left as it is."""
        laws: list[Law] = []
        for _ in range(len(groups) ** 2):
            pair = next((p for p in combinations(groups, 2) if not self.agree(*p, laws)), None)
            if pair is None:
                break
            groups, laws = self.settled(groups, laws, *pair)
        while not self.runs(self.moved((g, 2 + k) for k, g in enumerate(groups))):
            laws = [w for w in laws if groups[-1].first not in (w.of, w.by)]
            groups = groups[:-1]
        return groups, laws

    def agree(self, a: Group, b: Group, laws: Iterable[Law]) -> bool:
        """Whether two go their own ways, within what is known of them."""
        for x in (a.least, self.size(a) + 1):
            for y in (b.least, self.size(b) + 2):
                sizes = {a.first: x, b.first: y}
                known = [w for w in laws if {w.of, w.by} == {*sizes}]
                allowed = all(sizes[w.of] >= w.times * sizes[w.by] + w.more for w in known)
                steps = [(a, x - self.size(a)), (b, y - self.size(b))]
                if allowed and not self.runs(self.moved(steps)):
                    return False
        return True

    def settled(
        self, groups: list[Group], laws: list[Law], a: Group, b: Group
    ) -> tuple[list[Group], list[Law]]:
        """Two that disagree: one is as large as the other says, or more than 1; or both are one."""
        for g, h in ((a, b), (b, a)):
            law = self.law(g, h)
            if law is not None and law not in laws:
                return groups, [*laws, law]
        for least in range(b.least + 1, self.size(b) + 1):
            if self.agree(a, Group(b.parts, least), laws):
                return [Group(b.parts, least) if g is b else g for g in groups], laws
        laws = [w for w in laws if b.first not in (w.of, w.by)]
        both = Group({**a.parts, **b.parts}, max(a.least, b.least))
        if self.size(a) == self.size(b) and self.moves(both.parts):
            return [both if g is a else g for g in groups if g is not b], laws
        return [g for g in groups if g is not b], laws

    def law(self, group: Group, other: Group) -> Law | None:
        """By which multiple of another's size, and how much more, it is bounded from below."""
        first, second, third = (self.least(group, (other, step)) for step in (0, *STEPS))
        times = second - first
        if times < 1 or third - second != times:
            return None
        return Law(group.first, other.first, times, first - times * self.size(other))


def plain(value: Any) -> Any:
    """An array, of any framework, as one of NumPy; what is none as it stands."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = (value.double() if value.is_floating_point() else value).numpy()
    if not (hasattr(value, "shape") and hasattr(value, "dtype")):
        return value
    found = np.asarray(value)
    return found.astype(float) if found.dtype.kind not in "biuc" else found


def names_for(values: Values) -> Iterator[str]:
    """Letters, none of which is an argument."""
    yield from (name for name in NAMES if name not in values)
    yield from (f"N{k}" for k in count(1))


def named(names: Sequence[str], values: Sequence[Any] | Values) -> dict[str, Any]:
    """Values by the names of arguments, in whose order they are given."""
    if isinstance(values, Mapping):
        return dict(values)
    if not isinstance(values, tuple | list):
        values = (values,)
    if len(values) > len(names):
        raise Undeclared(f"like= has {len(values)} values, for {len(names)} arguments")
    return dict(zip(names, values, strict=False))


def numbered(parameters: Iterable[inspect.Parameter], count: int) -> list[str]:
    """Names of arguments that are given by place; those of `*rest` are rest1, rest2."""
    found: list[str] = []
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            found += [f"{p.name}{k + 1}" for k in range(count - len(found))]
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            found.append(p.name)
    return found
