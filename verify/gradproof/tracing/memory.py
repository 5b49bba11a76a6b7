"""Memory that programs of a launch share: what they read and write, and what cells are after it.

A store is inverted: who writes cell c of the array is the program, turn and lane at which its index
is c. Untrusted; what is owed of the accesses is stated apart, and settled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import free, substituted
from gradproof.language.terms import Sym, Term, Terms
from gradproof.theorems.memory import ADD, STORE, Access, Launch, Result
from gradproof.tracing import integers as n
from gradproof.tracing import lanes, layout, reals
from gradproof.tracing.axes import flat
from gradproof.tracing.buffers import Reference, Window
from gradproof.tracing.facts import Facts
from gradproof.tracing.lanes import TRUE, tidy, under
from gradproof.tracing.tensors import UNWRITTEN, Tensor, Unreadable, as_real


class NoWriter(Exception):
    """Of a cell it cannot be said who writes it."""


@dataclass(eq=False)
class Array:
    """A tensor in memory: what it refers to, its shape, and how far its cells are apart."""

    name: str
    reference: Reference
    shape: Terms
    strides: Terms
    value: Tensor  # as the launch begins

    @property
    def root(self) -> Reference:
        found = self.reference
        while isinstance(found, Window):
            found = found.parent
        return found

    @property
    def is_contiguous(self) -> bool:
        step: Term = n.ONE
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if not n.equal(size, 1):
                if not n.equal(stride, step):
                    return False
                step = n.mul(step, size)
        return True


@dataclass
class Write:
    """An access with the value that it writes, at its lanes."""

    access: Access
    value: Term
    array: Array


@dataclass
class Memory:
    """One launch under way: its programs, and what they touched so far."""

    name: str
    facts: Facts
    programs: tuple[Sym, ...]
    touched: list[tuple[Access, Array]] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    refused: str = ""

    def place(self, array: Array, offset: Term, when: Terms) -> tuple[Terms, Terms]:
        """The index of a cell by its offset, and the dimensions in which it is one."""
        index = divided(array, offset)
        if index is not None and self.facts.holds(t.inside(index, array.shape), *when):
            return index, array.shape
        if array.is_contiguous:
            return (n.simple(offset),), (n.product(array.shape),)
        if index is None:
            raise Unreadable(
                f"the offset {offset} in {array.name}, which its strides do not divide"
            )
        return index, array.shape

    def load(self, array: Array, offset: Term, when: Terms) -> Term:
        """What a cell holds as the launch begins."""
        index, dims = self.place(array, offset, when)
        return cell_at(array.value, index, dims)

    def touch(
        self,
        kind: str,
        array: Array,
        offset: Term,
        over: Sequence[Sym],
        when: Terms,
        turns: Sequence[Sym],
        order: int,
        line: str,
        value: Term | None = None,
        phase: int = 0,
    ) -> None:
        index, dims = self.place(array, offset, when)
        said = (*index, *when, *(() if value is None else (value,)))
        spoken = frozenset().union(*map(free, said))
        turned = {s for s in turns for e in self.facts.ranges[s] for s in free(e)}
        same = tuple(p for p in self.programs if p not in spoken | turned and kind == STORE)
        triple = self.facts.triple
        access = Access(
            kind,
            array.name,
            index,
            dims,
            tuple(map(triple, self.programs)),
            tuple(map(triple, turns)),
            tuple(map(triple, over)),
            tuple(dict.fromkeys(when)),
            order,
            line,
            same,
            phase,
        )
        self.touched.append((access, array))
        if value is not None:
            self.writes.append(Write(access, value, array))

    def finish(self) -> Launch:
        """What all cells are after the launch; and what it did, for what is owed of that."""
        self.flatten()
        self.require_one_view()
        results = []
        for write in self.writes:
            try:
                results += self.apply(write)
            except NoWriter as reason:
                self.refused = self.refused or f"{write.access.line}: {reason}"
        accesses = tuple(access for access, _ in self.touched)
        return Launch(self.name, tuple(self.facts.given), accesses, tuple(by_array(results)))

    def flatten(self) -> None:
        """Where some access to a tensor has only its offset, all have that for an index."""
        flat = {a.reference for access, a in self.touched if len(access.dims) < len(a.shape)}
        made: dict[int, Access] = {}
        for number, (access, array) in enumerate(self.touched):
            if array.reference in flat and len(access.dims) == len(array.shape) > 1:
                index, whole = as_offset(access.index, array), n.product(array.shape)
                other = replace(access, index=(index,), dims=(whole,))
                made[id(access)] = other
                self.touched[number] = (other, array)
        for write in self.writes:
            write.access = made.get(id(write.access), write.access)

    def require_one_view(self) -> None:
        """That what is written is seen in one way, and under one name, in all accesses."""
        for write in self.writes:
            for access, array in self.touched:
                is_same = (
                    array.reference is write.array.reference and access.dims == write.access.dims
                )
                if array.root is write.array.root and not is_same:
                    said = (
                        f"another view, {access.array}, of what is written as {write.access.array}"
                    )
                    raise Unreadable(f"{access.line}: {said}")

    def apply(self, write: Write) -> list[Result]:
        access, facts = write.access, self.facts
        before = write.array.reference.read()
        whole = as_one(before, access.dims)
        cell = tuple(facts.symbol("c", n.minus(d, 1)) for d in access.dims)
        unknown = [s for s, *_ in access.over]
        values, conditions = solved(access.index, cell, unknown, facts, access.kind == ADD)
        left = [s for s in unknown if s not in values and s not in access.alike]
        if left and access.kind != ADD:
            raise NoWriter(f"who writes a cell: by its place alone {left[0]} is any")
        self.require_inverse(access, cell, values)

        def put(term: Term) -> Term:
            return tidy(substituted(term, values))

        first = {s: facts.ranges[s][0] for s in access.alike if s not in values}
        ranges = [c for s in values for c in in_range(s, facts)]
        ranges += [t.relation(t.Le, *facts.ranges[s]) for s in access.alike if s not in values]
        needed = [put(c) for c in (*ranges, *access.when) if not free(c) & {*left}]
        needed = [tidy(substituted(c, first)) for c in (*needed, *conditions)]
        needed = [c for c in needed if not free(c) & {*left}]
        owed = tuple(dict.fromkeys(c for w in needed for c in t.conjuncts(w) if not facts.holds(c)))
        guards = [put(c) for c in (*access.when, *conditions) if free(c) & {*left}]
        value = tidy(substituted(put(write.value), first))
        if access.kind == ADD:
            value = self.added(value, guards, left, values)
        value = under(value, facts, *owed, *in_ranges(cell, facts))
        condition = t.And(*owed)
        old = as_real(whole) if whole.sort != value_sort(write) else whole
        if access.kind == STORE and unwritten(whole, cell):
            old = elsewhere(old, cell, condition, facts)

        def after(place: Terms) -> Term:
            names = dict(zip(cell, place, strict=True))
            here, new = (tidy(substituted(u, names)) for u in (condition, value))
            was = old.at(place)
            if access.kind == ADD:
                return reals.plus(was, new if here == TRUE else t.If(here, new, 0))
            return new if here == TRUE else reals.choice(here, new, was)

        made = Tensor(whole.axes, lambda place: after(by_axes(whole, place)), whole.sort)
        write.array.reference.write(as_was(made, before))
        is_new = access.kind == STORE and unwritten(whole, cell)
        over = tuple(map(facts.triple, cell))
        wanted = t.And(*(c for w in needed for c in t.conjuncts(w)))
        return [Result(access.array, over, wanted, access.line)] if is_new else []

    def added(self, value: Term, guards: list[Term], left: list[Sym], values: Any) -> Term:
        """The sum of what all that is not said by the cell adds."""
        facts = self.facts
        body = t.If(t.And(*guards), value, 0) if guards else value
        for symbol in reversed(left):
            first, last = (tidy(substituted(e, values)) for e in facts.ranges[symbol])
            if first != 0:
                raise NoWriter(f"what is added where {symbol} does not begin at 0")
            body = lanes.total(body, (symbol, first, last), facts)
        return body

    def require_inverse(self, access: Access, cell: Terms, values: Mapping[Term, Term]) -> None:
        """That the writer that a cell has by its place is the one that writes it."""
        back = dict(zip(cell, access.index, strict=True))
        for symbol, value in values.items():
            said = tidy(substituted(value, back))
            if said != symbol and not self.facts.holds(t.Eq(said, symbol), *access.when):
                raise NoWriter("cells that several lanes or turns write")


def elsewhere(old: Tensor, cell: tuple[Sym, ...], condition: Term, facts: Facts) -> Tensor:
    """Cells as they were, where what is written now is not: choices are made by that."""
    other = under(old.at(cell), facts, *t.conjuncts(t.Not(condition)), *in_ranges(cell, facts))

    def was(place: Terms) -> Term:
        at = by_axes(old, place)
        return substituted(other, dict(zip(cell, at, strict=True)))

    return Tensor(old.axes, was, old.sort)


def by_array(results: Sequence[Result]) -> list[Result]:
    """What is owed of each array that several statements write: that one of them does."""
    found: dict[str, Result] = {}
    for one in results:
        first = found.setdefault(one.array, one)
        if first is not one:
            names = {s: own for (s, *_), (own, *_) in zip(one.cell, first.cell, strict=True)}
            either = t.Or(first.written, substituted(one.written, names))
            found[one.array] = replace(first, written=either)
    return [*found.values()]


def divided(array: Array, offset: Term) -> Terms | None:
    """The index at which an offset is, by the strides: of `i·C + j` it is `i, j`."""
    rest: Term = n.simple(offset)
    found: dict[int, Term] = {}
    order = sorted(range(len(array.strides)), key=lambda k: weight(array, k))
    for axis in order:
        stride = array.strides[axis]
        if n.equal(array.shape[axis], 1) or stride == 0:
            found[axis] = n.ZERO
        elif n.equal(stride, 1):
            found[axis], rest = rest, n.ZERO
        else:
            quotient, left = n.split(rest, stride)
            found[axis], rest = n.term_of(quotient), n.term_of(left)
    return tuple(found[k] for k in range(len(array.strides))) if rest == 0 else None


def as_offset(index: Terms, array: Array) -> Term:
    return n.add(*(n.mul(i, stride) for i, stride in zip(index, array.strides, strict=True)))


def weight(array: Array, axis: int) -> tuple[int, int]:
    """Strides of more factors first, so that C does not take what is of C·K; 1 last of all."""
    parts = n.polynomial(array.strides[axis])
    is_one = n.equal(array.strides[axis], 1)
    return (1, 0) if is_one else (0, -max(map(len, parts), default=0))


def as_one(tensor: Tensor, dims: Terms) -> Tensor:
    """The tensor with an axis for each dimension in which it is indexed."""
    return tensor if len(tensor.axes) == len(dims) else layout.reshape(tensor, list(dims))


def as_was(tensor: Tensor, like: Tensor) -> Tensor:
    return tensor if tensor.axes == like.axes else layout.reshape(tensor, list(like.shape))


def cell_at(tensor: Tensor, index: Terms, dims: Terms) -> Term:
    return as_one(tensor, dims).at(index)


def by_axes(tensor: Tensor, place: Terms) -> Terms:
    """One index per axis."""
    groups = zip(tensor.groups(place), tensor.axes, strict=True)
    return tuple(flat(group, axis) for group, axis in groups)


def unwritten(tensor: Tensor, cell: Terms) -> bool:
    return UNWRITTEN in free(tensor.at(cell))


def value_sort(write: Write) -> str:
    return t.sort_of(write.value)


def in_range(symbol: Sym, facts: Facts) -> Terms:
    first, last = facts.ranges[symbol]
    return t.relation(t.Ge, symbol, first), t.relation(t.Le, symbol, last)


def in_ranges(symbols: Sequence[Sym], facts: Facts) -> Terms:
    return tuple(c for s in symbols for c in in_range(s, facts))


def solved(
    index: Terms, cell: Terms, unknown: Sequence[Sym], facts: Facts, several: bool = False
) -> tuple[dict[Term, Term], Terms]:
    """What programs, turns and lanes are where an index is that of a cell; what is left over.

    Where several may touch a cell, what cannot be said of one is left over.
    """
    values: dict[Term, Term] = {}
    conditions: list[Term] = []
    for own, wanted in zip(index, cell, strict=True):
        known = tidy(substituted(own, values))
        inner = [s for s in unknown if s in free(known) and s not in values]
        if not inner:
            conditions.append(t.Eq(known, wanted))
            continue
        try:
            values |= of_one(known, wanted, inner, facts)
        except NoWriter:
            if not several:
                raise
            conditions.append(t.Eq(known, wanted))
    for _ in values:  # of one in terms of another
        values = {s: tidy(substituted(v, values)) for s, v in values.items()}
    return values, tuple(conditions)


def of_one(own: Term, wanted: Term, unknown: Sequence[Sym], facts: Facts) -> dict[Term, Term]:
    """`p·W + l = c` is `p = ⌊c/W⌋` and `l = c - p·W`; so on within p."""
    gap = n.polynomial(own)
    inside = {m: f for m, f in gap.items() if any(s in free(u) for u in m for s in unknown)}
    rest = n.term_of({m: f for m, f in gap.items() if m not in inside})
    goal = n.minus(wanted, rest)
    single = [s for s in reversed(unknown) if inside.get((s,)) == 1]
    single = [s for s in single if not any(s in free(u) for m in inside if m != (s,) for u in m)]
    if not single:
        raise NoWriter(f"who writes a cell, at {own}")
    if len(unknown) == 1:
        return {single[0]: goal}
    for lane in single:
        outer = {m: f for m, f in inside.items() if m != (lane,)}
        for width in candidates(outer, unknown):
            quotient, left = n.split(n.term_of(outer), width)
            if left:
                continue
            turn = n.floor_div(goal, width)
            others = [s for s in unknown if s != lane]
            found = of_one(n.term_of(quotient), turn, others, facts)
            return {lane: n.minus(goal, n.mul(width, turn)), **found}
    raise NoWriter(f"who writes a cell, at {own}")


def candidates(outer: Mapping[Any, int], unknown: Sequence[Sym]) -> list[Term]:
    """What the outer parts may all be multiples of, the smallest first."""
    found: dict[Term, None] = {}
    for monomial, factor in outer.items():
        own = [s for s in unknown if s in monomial]
        if len(own) == 1:
            found[n.term_of({tuple(u for u in monomial if u != own[0]): abs(factor)})] = None
    return sorted(found, key=lambda u: len(str(u)))
