"""JAX's loops: turns that are written out, sums, and recurrences. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import sympy
from jax.extend.core import Literal

from gradproof.jax.reader import Reader, literal, rule
from gradproof.jax.refusing import TURNS
from gradproof.language import terms as t
from gradproof.language.ops import replace_reads
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import INT, REAL, Array, Sym, Term
from gradproof.tracing import integers as n
from gradproof.tracing import layout, reals
from gradproof.tracing.axes import Axis, Place, axis_of
from gradproof.tracing.carrying import reaching, without
from gradproof.tracing.recurrences import State
from gradproof.tracing.tensors import Tensor, Unreadable, as_real, with_axes

LONGEST = 16  # turns of a loop that are written out
WHOLE = "integers that are carried through a loop and are no count of its turns; make them real"
WITHIN = (
    "a loop within a loop, each turn of which reads the one before; make the inner one a loop of a "
    "number of turns, or scan over arrays of both axes at once"
)


@rule("scan")
def scan(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    params = equation.params
    first = params["num_consts"]
    last = first + params["num_carry"]
    length = reader.sizes.term(params["length"])
    parts = (inputs[:first], inputs[first:last], inputs[last:])
    turns = Turns(reader, params["jaxpr"], *parts, length, params["reverse"])
    if isinstance(length, sympy.Integer) and length <= LONGEST:
        return turns.written_out()
    return turns.read()


@rule("while")
def counted(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    """A loop that goes on while what it counts is below a number."""
    params = equation.params
    asked, own = params["cond_nconsts"], params["body_nconsts"]
    outside, body, carry = inputs[:asked], inputs[asked : asked + own], inputs[asked + own :]
    turns = Turns(reader, params["body_jaxpr"], body, carry, (), n.ZERO, False)
    condition = params["cond_jaxpr"].jaxpr
    ends = [e for e in condition.eqns if e.primitive.name == "lt"]
    if len(ends) != 1 or len(condition.eqns) > 1 or condition.outvars != ends[0].outvars:
        raise Unreadable(TURNS)
    known = dict(zip(condition.invars, (*outside, *carry), strict=True))
    start, end = (literal(a.val) if isinstance(a, Literal) else known[a] for a in ends[0].invars)
    moving = {asked + k for k, step in turns.counters.items() if step == 1}
    fixed = {*range(asked), *(asked + k for k, step in turns.counters.items() if step == 0)}
    count, bound = (number_of(condition.invars, a) for a in ends[0].invars)
    turns.length = n.minus(end.cell(()), start.cell(()))
    is_counted = count in moving and (bound is None or bound in fixed) and not start.hit
    if not is_counted or not reader.decided(t.relation(t.Ge, turns.length, 0)):
        raise Unreadable(TURNS)
    return turns.read()


def number_of(variables: Sequence[Any], atom: Any) -> int | None:
    return None if isinstance(atom, Literal) else list(variables).index(atom)


class Turns:
    """A loop: what stays, what it starts with, what each turn takes, and what that computes."""

    def __init__(
        self,
        reader: Reader,
        jaxpr: Any,
        consts: Sequence[Tensor],
        start: Sequence[Tensor],
        xs: Sequence[Tensor],
        length: Term,
        backwards: bool,
    ) -> None:
        self.reader, self.jaxpr, self.consts = reader, jaxpr, list(consts)
        self.start, self.xs = list(start), list(xs)
        self.length, self.backwards = length, backwards

    def at(
        self, index: Term, carry: Sequence[Tensor], named: dict[Any, Tensor] | None = None
    ) -> tuple[list[Tensor], list[Tensor]]:
        """What a turn carries on, and what it gives; `named` is as a reader takes it."""
        given = [layout.selected(x, 0, index) for x in self.xs]
        inputs = [*self.consts, *carry, *given]
        found = self.reader.run(self.jaxpr.jaxpr, self.jaxpr.consts, inputs, named)
        return found[: len(carry)], found[len(carry) :]

    def written_out(self) -> list[Tensor]:
        rows: list[list[Tensor]] = []
        carry = self.start
        order = range(int(self.length))
        for index in reversed(order) if self.backwards else order:
            carry, ys = self.at(sympy.Integer(index), carry)
            rows.append(ys)
        if self.backwards:
            rows.reverse()
        stacked = [
            layout.concatenated([layout.unsqueeze(y, 0) for y in column], 0)
            for column in zip(*rows, strict=True)
        ]
        return [*carry, *stacked]

    @cached_property
    def counters(self) -> dict[int, int]:
        """Which of what is carried moves by a number in each turn, and by which."""
        inner = self.jaxpr.jaxpr
        first = len(self.consts)
        added = {e.outvars[0]: e.invars for e in inner.eqns if e.primitive.name == "add"}
        found = {}
        for k, x in enumerate(self.start):
            before, after = inner.invars[first + k], inner.outvars[k]
            a, b = (after, None) if isinstance(after, Literal) else added.get(after, (after, None))
            if a is before and b is None:
                found[k] = 0
            elif a is before and isinstance(b, Literal) and x.sort == INT and not x.axes:
                found[k] = int(b.val)
        return found

    def read(self) -> list[Tensor]:
        """A loop of any number of turns: what is carried as counts, sums and recurrences."""
        reader, index = self.reader, self.reader.names("t")
        carry, unknown = list(self.start), dict[int, Opaque]()
        for k, x in enumerate(self.start):
            if k in self.counters:
                carry[k] = plus_times(x, self.counters[k], self.before(index))
            elif x.sort == REAL:
                unknown[k] = Opaque(reader, x)
                carry[k] = unknown[k].tensor
            else:
                raise Unreadable(WHOLE)
        with reader.where(*t.domain([sympy.Tuple(index, n.ZERO, n.minus(self.length, 1))])):
            for k, x in enumerate(self.at(index, carry)[0]):
                if k in unknown:
                    unknown[k].left_as(x)
            recurrent = recurrent_of(list(unknown.values()))
            for k, o in unknown.items():
                if o in recurrent:
                    o.recurs(self, index)
                    carry[k] = o.inside
            named = {v: unknown[k].left for k, v in self.made if unknown.get(k) in recurrent}
            after, ys = self.at(index, carry, named)
        own = dict(self.made)
        for k, o in unknown.items():
            o.left_as(named[own[k]] if own.get(k) in named else after[k])
        inside = self.solved(index, list(unknown.values()), recurrent)
        steps = self.counters
        ends = [plus_times(x, steps.get(k, 0), self.length) for k, x in enumerate(self.start)]
        for k, o in unknown.items():
            ends[k] = o.end
        axis = axis_of(self.length)
        return [*ends, *(stacked(known(y, inside), index, axis) for y in ys)]

    def before(self, index: Term) -> Term:
        """How many turns there are before one."""
        return n.minus(n.minus(self.length, 1), index) if self.backwards else index

    @property
    def made(self) -> Iterator[tuple[int, Any]]:
        """What is carried on that a turn computes, and the variables of it."""
        inner = self.jaxpr.jaxpr
        computed = {v for e in inner.eqns for v in e.outvars}
        for k, v in enumerate(inner.outvars[: len(self.start)]):
            if not isinstance(v, Literal) and v in computed:
                yield k, v

    def solved(
        self, index: Sym, carried: Sequence[Opaque], recurrent: Sequence[Opaque]
    ) -> dict[Array, Tensor]:
        """What all that is carried is in a turn."""
        inside = dict[Array, Tensor]()
        waiting = [o for o in carried if o not in recurrent]
        while waiting:
            o = next(o for o in waiting if not o.reads(waiting))
            o.adds_up(self, index, inside)
            inside[o.array] = o.inside
            waiting.remove(o)
        if recurrent:
            self.reader.loops.append(tuple(o.state(self, index, inside) for o in recurrent))
        return inside


class Opaque:
    """Something that is carried, by an array that stands for it within a turn."""

    def __init__(self, reader: Reader, start: Tensor) -> None:
        self.reader, self.start = reader, start
        self.array = Array(str(reader.names("carry")), start.factors)
        self.place = tuple(reader.names("c") for _ in start.factors)
        self.tensor = Tensor(start.axes, lambda place: self.array[place])
        self.inside = self.left = self.end = start  # in a turn, after it, and after the last

    def left_as(self, after: Tensor) -> None:
        self.after = with_axes(as_real(after), self.start.axes)

    @property
    def rest(self) -> Term | None:
        """What a turn adds to it, if it does no more."""
        return without(self.after.cell(self.place), self.array[self.place])

    def reads(self, others: Sequence[Opaque]) -> frozenset[Array]:
        """Which of what is carried it depends on, in what it adds if it adds up."""
        whole = self.after.cell(self.place) if self.rest is None else self.rest
        return t.arrays(whole) & {o.array for o in others}

    def adds_up(self, turns: Turns, index: Sym, inside: Mapping[Array, Tensor]) -> None:
        """What it was at first, and all that was added."""
        symbol = self.reader.names()
        last = n.minus(turns.length, 1)
        ends = (n.add(index, 1), last) if turns.backwards else (n.ZERO, n.minus(index, 1))

        def sum_over(*range_: Any) -> Tensor:
            def cell(place: Place) -> Term:
                assert self.rest is not None
                part = put(self.rest, inside)
                values = {index: symbol, **dict(zip(self.place, place, strict=True))}
                body = replaced(part, values)
                added = t.Sum(body, range_) if body != 0 else 0
                return reals.plus(self.start.cell(place), added)

            return Tensor(self.start.axes, cell)

        self.inside, self.end = sum_over(symbol, *ends), sum_over(symbol, 0, last)

    def recurs(self, turns: Turns, index: Sym) -> None:
        dims = self.start.factors
        name = self.array.name
        self.states = Array(f"{name}s", (n.add(turns.length, 1), *dims))
        self.leaving = Array(f"{name}next", (turns.length, *dims))
        at, last = n.add(index, 1) if turns.backwards else index, turns.length
        end = n.ZERO if turns.backwards else last
        self.inside = Tensor(self.start.axes, lambda place: self.states[(at, *place)])
        self.left = Tensor(self.start.axes, lambda place: self.leaving[(index, *place)])
        self.end = Tensor(self.start.axes, lambda place: self.states[(end, *place)])

    def state(self, turns: Turns, index: Sym, inside: Mapping[Array, Tensor]) -> State:
        start, made = as_real(self.start), known(self.after, inside)
        found = State(self.states, self.leaving, index, self.place, start, made, turns.backwards)
        if (free(found.start) | free(found.after)) - {index, *self.place} - turns.reader.known:
            raise Unreadable(WITHIN)
        return found


def recurrent_of(carried: Sequence[Opaque]) -> list[Opaque]:
    """Which of what is carried depends on itself in more than a sum."""
    reached = reaching({o.array: o.reads(carried) for o in carried})
    return [o for o in carried if o.rest is None or o.array in reached[o.array]]


def put(term: Term, inside: Mapping[Array, Tensor]) -> Term:
    """A term in which what is carried into a turn is known."""

    def find(read: t.Read) -> Any:
        tensor = inside.get(read.array)
        return None if tensor is None else lambda *place: tensor.cell(place)

    return replace_reads(term, find, Fresh(term))


def known(y: Tensor, inside: Mapping[Array, Tensor]) -> Tensor:
    return Tensor(y.axes, lambda place: put(y.cell(place), inside), y.sort)


def plus_times(x: Tensor, step: int, count: Term) -> Tensor:
    """A number that a step was added to so many times."""
    if step == 0:
        return x
    return Tensor(x.axes, lambda place: n.add(x.cell(place), n.mul(step, count)), x.sort)


def replaced(term: Term, values: Mapping[Term, Term]) -> Term:
    wanted = {k: v for k, v in values.items() if k in free(term)}
    return substitute(term, wanted, Fresh(term, *wanted.values())) if wanted else term


def stacked(y: Tensor, index: Sym, axis: Axis) -> Tensor:
    def cell(place: Place) -> Term:
        own, rest = (place[0], place[1:]) if axis else (n.ZERO, place)
        return replaced(y.cell(rest), {index: own})

    return Tensor((axis, *y.axes), cell, y.sort)
