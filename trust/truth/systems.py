"""Ops of functions, of required values, of several equations, drawn at random with all their rules.

Untrusted. The derivative of each equation is known by construction; a tangent adds what it reads,
a cotangent what reads it, and those that have no name are written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from gradproof.language import Array, Eq, Op, array, cotangent, scatter, tangent
from trust.mutants.places import exchanged
from trust.truth.draw import MADE, WHOLE, Draw, accepted
from trust.truth.functions import FREE, NEEDING
from trust.truth.mistaken import edited, far
from trust.truth.slopes import At, N, Source, V, Value, a, b, label, u
from trust.truth.windows import times

BOX = (("N", range(1, 4)), ("V", range(1, 3)))
x, z, table = array("x", N), array("z", N), array("table", V)
INLINED = ("own", "mirrored")  # reads of what may be written out in a rule
STRICT = ("own", "mirrored", "first", "labelled")  # reads of cells


@dataclass(frozen=True)
class System:
    """Equations of arrays, of which some are outputs; those `named` have tangents and cotangents.

    What is computed is read as it is saved.
    """

    values: dict[Array, Value]
    outputs: tuple[Array, ...]
    named: frozenset[Array]
    scatters: bool = False

    @property
    def inputs(self) -> tuple[Array, ...]:
        read = {source.array for value in self.values.values() for source in value.by}
        return tuple(sorted(read - {*self.values}, key=str))

    def forwards(self) -> Iterator[Any]:
        for made, value in self.values.items():
            yield Eq(made[a], value.at(a))

    def tangent(self, made: Array) -> At:
        value = self.values[made]

        def moved(source: Source, i: Any) -> Any:
            is_named = source.array not in self.values or source.array in self.named
            of = tangent(source.array) if is_named else Written(self.tangent(source.array))
            return source.read(of, i)

        return lambda i: added(times(slope(i), moved(s, i)) for s, slope in value.by.items())

    def jvp(self) -> Iterator[Any]:
        for made in self.values:
            if made in self.named or made in self.outputs:
                yield Eq(tangent(made)[a], self.tangent(made)(a))

    def adjoint(self, made: Array) -> Array:
        """The cotangent by a name: of an output the one that counts all uses."""
        return cotangent(made, "all" if made in self.outputs else "")

    def given_back(self, of: Array, i: Any) -> Any:
        """The sum of what uses of an array give back to a cell, each use written as a formula."""
        parts = [cotangent(of)[i]] if of in self.outputs else []
        for made, value in self.values.items():
            for source, slope in value.by.items():
                if source.array == of:
                    parts.append(exchanged(source.back(self.weighted(slope, made)), {b: i}))
        return added(parts)

    def weighted(self, slope: At, made: Array) -> At:
        if made in self.named:
            return lambda i: times(slope(i), self.adjoint(made)[i])
        return lambda i: times(slope(i), self.given_back(made, i))

    def vjp(self) -> Iterator[Any]:
        """The cotangents, from the last of what is computed to the inputs."""
        for v in (*reversed(self.values), *self.inputs):
            if v in self.named:
                yield Eq(self.adjoint(v)[b], self.given_back(v, b))
            elif v in self.inputs:
                yield self.scattered(v) or Eq(cotangent(v)[b], self.given_back(v, b))

    def scattered(self, of: Array) -> Any:
        """What goes back through labels, as a scatter, if that is all."""
        uses = [
            (source, slope, made)
            for made, value in self.values.items()
            for source, slope in value.by.items()
            if source.array == of
        ]
        if not self.scatters or len(uses) != 1 or uses[0][0].kind != "labelled":
            return None
        ((_, slope, made),) = uses
        given = self.weighted(slope, made)(u)
        return scatter(cotangent(of)[label[u]], given, (u, 0, N - 1))

    def op(self, requires: tuple[Any, ...]) -> Op:
        every = tuple(self.forwards())
        return Op(
            "drawn",
            requires=requires,
            let=tuple(e for e in every if e.target.array not in self.outputs),
            forward=tuple(e for e in every if e.target.array in self.outputs),
            jvp=tuple(self.jvp()),
            vjp=tuple(self.vjp()),
        )


@dataclass(frozen=True)
class Written:
    """What is written out where an array would be read."""

    at: At

    def __getitem__(self, index: Any) -> Any:
        return self.at(index)


def added(terms: Any) -> Any:
    return reduce(lambda one, two: one + two, terms)


# What is drawn.

numbers = st.sampled_from([1, 1, 1, 2, -1])


@dataclass(frozen=True)
class Kind:
    """What a family has: functions, required values, arrays on the way, outputs, kinds of reads."""

    functions: tuple[str, ...]
    lets: int = 0
    outputs: int = 1
    recurrent: bool = False
    labelled: bool = False


FEW = ("square", "exp", "tanh")
KINDS = {
    "functions": Kind((*FREE, "normal", "bell")),
    "required": Kind(tuple(NEEDING)),
    "outputs": Kind(FEW, outputs=2),
    "intermediates": Kind(FEW, lets=2),
    "recurrences": Kind(("square", "tanh"), recurrent=True),
    "labels": Kind(FEW, lets=1, labelled=True),
}


@st.composite
def systems(draw: Any, family: str) -> Draw:
    """An op with all its rules, all of which is asked about."""
    kind, made = KINDS[family], draw(st.sampled_from(MADE))
    drawn = Drawing(draw, kind)
    system = drawn.system()
    requires = (N >= 1, *((V >= 1,) if kind.labelled else ()), *drawn.needs)
    change, beyond = "", ""
    op = accepted(lambda: system.op(requires))
    if made == "edited":
        op, change = draw(edited(op))
    if made == "beyond":
        op, change, beyond = draw(far(op))
    box = tuple((name, sizes) for name, sizes in BOX if name == "N" or kind.labelled)
    return Draw(family, op, WHOLE, made, change, box, beyond)


class Drawing:
    """What is drawn for a system, array by array."""

    def __init__(self, draw: Any, kind: Kind) -> None:
        self.draw, self.kind = draw, kind
        self.needs: dict[Any, None] = {}

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def system(self) -> System:
        kind = self.kind
        lets = [array(f"u{n}", N) for n in range(self.pick(*range(bool(kind.lets), kind.lets + 1)))]
        outputs = [array(name, N) for name in "yw"[: kind.outputs]]
        states: list[Array] = []
        if kind.recurrent:
            states = [array(name, N) for name in self.pick("h", "h", "gh")]
            outputs = [states[-1], *(outputs if self.pick(True, False) else ())]
        before, way = self.pick("before", "before", "next"), self.pick("own", "own", "mirrored")
        values: dict[Array, Value] = {}
        unread, every = {*lets, *states[:-1]}, tuple(dict.fromkeys((*lets, *states, *outputs)))
        for made in every:
            known = [Source(v, "own" if made in states else way) for v in values]
            if made in states:
                known += [Source(v, before) for v in states]
            first = [self.pick(*known)] if known else []
            first += [s for s in known if s.array in unread and made == every[-1]]
            values[made] = self.value(made, tuple(dict.fromkeys(first)), made in states)
            unread -= {s.array for s in values[made].by} - {made}
        summed = {s.array for value in values.values() for s in value.by if s.kind not in INLINED}
        unnamed = [v for v in values if v not in summed and v not in states]
        named = {*values}.difference(v for v in unnamed if self.pick(True, False))
        return System(values, tuple(outputs), frozenset(named), self.pick(True, False))

    def value(self, made: Array, first: tuple[Source, ...], is_state: bool) -> Value:
        """A few terms; the first read what is computed. A state that is all products is 0."""
        sources = [*first, *(self.source() for _ in range(self.pick(1, 1, 2 - len(first) // 2)))]
        saved = made if len(sources) == 1 and self.pick(True, False) else None
        whole, *others = [self.term(source, saved) for source in sources]
        for other in others:
            whole = whole * other if self.pick(True, False) else whole + other
        return whole + self.term(self.source(), None) if is_state else whole

    def source(self) -> Source:
        if self.kind.labelled and self.pick(True, True, False):
            return Source(table, "labelled")
        kinds = ("own", "own", "own", "mirrored", "next", "first", "total")
        return Source(self.pick(x, x, z), self.pick(*kinds))

    def term(self, source: Source, saved: Array | None) -> Value:
        if self.pick(True, False, False):
            return source.times(self.draw(numbers))
        found = (FREE | NEEDING)[self.pick(*self.kind.functions)]
        value = source.times(1 if found.needs else self.draw(numbers))
        if found.needs:
            assume(source.kind in STRICT and source.array in (x, z, table))
            self.needs |= dict.fromkeys(need(source.array[a]) for need in found.needs)
        slope, known = self.pick(*found.slopes), found.by_value
        if saved is not None and known is not None:
            return value.composed(found.at, lambda _, i: known(saved[i]))
        return value.composed(found.at, lambda v, _: slope(v))
