"""Loops whose turns read the turn before: states as arrays of a cell per turn. Untrusted.

A loop of T turns has T + 1 states: the one it starts with, and one after each turn. A definition
has all of them as an array, or those that turns leave (`Kind`). People carry backwards the
cotangent of what enters a turn, as reverse accumulation does, or of what it leaves, with what comes
from outside: one is a cotangent of the first array, the other of the second. A loop over the cells
of an array may start with the first of what another leaves, and has a turn less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import islice, permutations

import sympy

from gradproof.language import terms as t
from gradproof.language.ops import cotangent, replace_reads, target_of, value_at
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.systems import made_by
from gradproof.language.terms import Array, Eq, Read, Sym, Term
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.axes import Place
from gradproof.tracing.tensors import Tensor, Unreadable

FEW = 6  # ways to pair cotangents with states that are tried
NO_COTANGENT = (
    "the forward carries {} through loops, and the backward {}: carry the cotangent of each state "
    "backwards through a loop of as many turns"
)


@dataclass(frozen=True, eq=False)
class State:
    """What a loop carries: an array of what enters each turn, and one of what each leaves.

    `first` is what it starts with, `made` what a turn leaves, of what enters it.
    """

    entered: Array
    left: Array
    turn: Sym
    place: tuple[Sym, ...]
    first: Tensor
    made: Tensor
    backwards: bool = False
    mirrored: bool = False  # its arrays are read from the end, as of a loop over what was turned

    @property
    def turns(self) -> Term:
        return self.left.dims[0]

    @property
    def start(self) -> Term:
        return self.first.cell(self.place)

    @property
    def after(self) -> Term:
        return self.made.cell(self.place)

    def entering(self, turn: object) -> Term:
        """Where what enters a turn stands among all states."""
        return n.add(turn, 1) if self.backwards else n.simple(turn)

    @cached_property
    def turned(self) -> State:
        """The same loop, counted from the end."""
        from_end = n.minus(n.minus(self.turns, 1), self.turn)

        def cell(place: Place) -> Term:
            after = self.made.cell(place)
            fresh = Fresh(after)
            return replace_reads(substitute(after, {self.turn: from_end}, fresh), simplified, fresh)

        made = Tensor(self.made.axes, cell)
        return replace(self, made=made, backwards=not self.backwards, mirrored=True)

    @property
    def last(self) -> Term:
        """Where the last state stands."""
        return n.ZERO if self.backwards else self.turns

    @property
    def origin(self) -> Term:
        return self.turns if self.backwards else n.ZERO

    def is_left(self, index: Term) -> Term:
        """That a state was left by a turn."""
        if self.backwards:
            return t.relation(t.Lt, index, self.turns)
        return t.relation(t.Ge, index, 1)

    def maker(self, index: Term) -> Term:
        """The turn that left a state."""
        return index if self.backwards else n.minus(index, 1)


def simplified(read: Read) -> Callable[..., Term]:
    """A read at the same place, written as simply as it can be."""
    return lambda *_: read.func(read.array, *map(n.simple, read.index))


Index = tuple[Term, ...]
Loop = tuple[State, ...]  # those that are carried through one loop


def is_of_neighbour(index: Term, state: State) -> bool:
    """Whether a turn is written as the one before another."""
    step = 1 if state.backwards else -1
    return isinstance(index, t.Add) and len(index.args) == 2 and step in index.args


class Kind(Enum):
    """Which array a state is written in."""

    LEFT = "what turns leave"
    ENTERED = "all states, where what a turn leaves is as it computes it"
    ALL = "all states"


@dataclass(frozen=True)
class Form:
    """Terms of what enters turns and what they leave, written in one array for each state."""

    states: tuple[State, ...]
    arrays: Mapping[Array, Array]  # that of a state, by the array of what enters its turns
    kinds: Mapping[Array, Kind]  # by the same
    fresh: Fresh
    opened: frozenset[Array] = frozenset()  # states that are written as a turn computes them

    def put(self, term: Term) -> Term:
        if not self.states:
            return term
        self.fresh.count = max(self.fresh.count, Fresh(term).count)
        found = replace_reads(term, self.find, self.fresh)
        return self.folded(found)

    def find(self, read: Read) -> Callable[..., Term] | None:
        for state in self.states:
            if read.array in (state.entered, state.left):
                is_left = read.array == state.left
                end = n.minus(state.turns, 1) if is_left else state.turns
                first = n.minus(end, read.index[0]) if state.mirrored else n.simple(read.index[0])
                at = self.left if is_left else self.entered
                return lambda *_: at(state, (first, *read.index[1:]))
        return None

    def entered(self, state: State, index: Index) -> Term:
        array = self.arrays[state.entered]
        if self.kinds[state.entered] is not Kind.LEFT:
            return array[index]
        at, place = index[0], index[1:]
        if at == state.origin:
            return self.start(state, place)
        before = array[(state.maker(at), *place)]
        if at == state.last:
            return before
        return reals.choice(state.is_left(at), before, self.start(state, place))

    def left(self, state: State, index: Index) -> Term:
        array, kind = self.arrays[state.entered], self.kinds[state.entered]
        is_near = is_of_neighbour(index[0], state)
        is_opened = state.left in self.opened
        if kind is Kind.LEFT and is_opened and not is_near:
            return replace(self, opened=frozenset()).after(state, index)
        if kind is Kind.LEFT:
            return array[index]
        if kind is Kind.ENTERED and not (is_opened and is_near):
            return self.after(state, index)
        at = index[0] if state.backwards else n.add(index[0], 1)
        return array[(at, *index[1:])]

    def equation(self, state: State) -> Term:
        index = (state.turn, *state.place)
        target = self.arrays[state.entered][index]
        if self.kinds[state.entered] is Kind.LEFT:
            return Eq(target, self.after(state, index))
        after = self.after(state, (state.maker(state.turn), *state.place))
        value = reals.choice(state.is_left(state.turn), after, self.start(state, state.place))
        return Eq(target, value)

    def after(self, state: State, index: Index) -> Term:
        """What a turn leaves, as it computes it."""
        rule = Eq(state.left[(state.turn, *state.place)], state.after)
        return self.put(value_at(rule, index, self.fresh))

    def start(self, state: State, place: Index) -> Term:
        return self.put(state.first.cell(place))

    def folded(self, term: Term) -> Term:
        """A choice between the first state and others, as one state."""
        term = t.over_parts(term, self.folded)
        if isinstance(term, t.If):
            for value, other in ((term.then, term.otherwise), (term.otherwise, term.then)):
                holds = term.condition if value is term.then else t.Not(term.condition)
                if isinstance(value, Read) and self.is_same(value, other, holds):
                    return value
        if isinstance(term, t.Mul) and len(term.args) == 2 and isinstance(term.args[0], t.Bracket):
            value = term.args[1]
            if isinstance(value, Read) and self.is_same(value, n.ZERO, term.args[0].condition):
                return value
        return term

    def is_same(self, value: Read, other: Term, holds: Term) -> bool:
        """Whether another value, where a condition fails, is that with which a loop starts."""
        state = next((s for s in self.states if self.arrays[s.entered] == value.array), None)
        if state is None or self.kinds[state.entered] is Kind.LEFT:
            return False
        at = value.index[0]
        first = self.start(state, value.index[1:])
        if where_equal(other, at, state.origin) != where_equal(first, at, state.origin):
            return False
        within = t.domain([sympy.Tuple(at, 0, state.turns)])
        apart = t.Ne(at, state.origin)
        same = ask((*within, holds), apart), ask((*within, apart), holds)
        return all(found.status == "proved" for found in same)


def where_equal(term: Term, a: Term, b: Term) -> Term:
    """A term where two integers are equal, without a symbol that is then a sum of others."""
    between = n.minus(a, b)
    for symbol in sorted(free(between), key=str):
        rests = n.minus(symbol, between), n.add(symbol, between)
        for rest in rests:
            if symbol not in free(rest):
                return chosen(substitute(term, {symbol: rest}, Fresh(term, rest)))
    return chosen(term)


def chosen(term: Term) -> Term:
    """A choice whose condition holds as the first of its values."""
    is_plain = isinstance(term, t.If) and not t.arrays(term.condition)
    if is_plain and ask((), term.condition).status == "proved":
        return chosen(term.then)
    return replace_reads(term, simplified, Fresh(term))


# Which loop of a backward is of which state.


@dataclass(frozen=True)
class System:
    """States with their cotangents, and how terms of the forward and of the rules are written.

    Equations are of tensors as these are named when they are asked for.
    """

    states: tuple[State, ...]
    moved: tuple[State, ...]
    forward: Form
    backward: Form

    @property
    def let(self) -> tuple[Term, ...]:
        return tuple(map(self.forward.equation, self.states))

    @property
    def rules(self) -> tuple[Term, ...]:
        return tuple(map(self.backward.equation, self.moved))

    @property
    def arrays(self) -> frozenset[Array]:
        """Those of states and of cotangents."""
        return frozenset(self.forward.arrays.values())

    @property
    def pairs(self) -> Iterator[tuple[Array, Array]]:
        """The array of each state, and that of its cotangent."""
        for state in self.states:
            array = self.forward.arrays[state.entered]
            yield array, cotangent(array)

    @property
    def turns(self) -> Mapping[Sym, Term]:
        """The indices of turns, and how many there are."""
        return {s.turn: s.turns for s in self.forward.states if not s.mirrored}


PLAIN = Form((), {}, {}, Fresh())
NO_LOOPS = System((), (), PLAIN, PLAIN)


def systems(
    forwards: Sequence[Loop], backwards: Sequence[Loop], names: Iterator[str], output: Term
) -> Iterator[System]:
    """The ways to read the loops that an output needs as recurrences, the likelier first."""
    known = {key(loop, {}): loop for loop in forwards}
    same: dict[Array, Array] = {}
    again: list[tuple[State, State]] = []
    moved: list[State] = []
    for loop in backwards:
        original = known.get(key(loop, same))
        if original is None:
            moved += loop
            continue
        for copy, state in zip(loop, original, strict=True):
            same |= {copy.entered: state.entered, copy.left: state.left}
            again.append((copy, state))
    needed = needed_by(output, [s for loop in forwards for s in loop])
    states = [s for loop in forwards for s in loop if s in needed]
    if len(states) != len(moved):
        raise Unreadable(NO_COTANGENT.format(counted(states), counted(moved)))
    called = dict(zip((s.entered for s in states), names, strict=False))
    kinds = [Kind.ENTERED, Kind.LEFT, Kind.ALL]
    if any(map(adds_outside, moved)):
        kinds = [Kind.LEFT, Kind.ENTERED, Kind.ALL]
    if states and all(m.backwards == states[0].backwards for m in moved):
        moved = [m.turned for m in moved]
    found = list(islice(pairings(states, moved), FEW))
    if not found:
        raise Unreadable(NO_COTANGENT.format(counted(states), "no such states"))
    for pairs in found:
        for kind in kinds if all(map(are_alike, pairs)) else (Kind.ALL,):
            yield system(kind, pairs, moved, again, called)


def system(
    kind: Kind,
    pairs: Sequence[tuple[State, State]],
    back: Sequence[State],
    again: Sequence[tuple[State, State]],
    called: Mapping[Array, str],
) -> System:
    arrays, kinds = dict[Array, Array](), dict[Array, Kind]()
    for state, moved in pairs:
        own, other = kinds_of(kind, state, moved)
        shape = state.left if own is Kind.LEFT else state.entered
        arrays[state.entered] = Array(called[state.entered], shape.dims)
        arrays[moved.entered] = cotangent(arrays[state.entered])
        kinds |= {state.entered: own, moved.entered: other}
    again = [(copy, state) for copy, state in again if state.entered in arrays]
    arrays |= {copy.entered: arrays[state.entered] for copy, state in again}
    kinds |= {copy.entered: kinds[state.entered] for copy, state in again}
    primal = [s for s, _ in pairs]
    known = (*primal, *(copy for copy, _ in again))
    every = (*known, *(m for _, m in pairs))
    forward = Form(every, arrays, kinds, Fresh(*(e for s in every for e in (s.start, s.after))))
    backward = replace(forward, opened=frozenset(s.left for s in known))
    return System(tuple(primal), tuple(back), forward, backward)


def needed_by(output: Term, states: Sequence[State]) -> list[State]:
    """The states that an output is computed from."""
    read, found = set(t.arrays(output)), list[State]()
    while new := [s for s in states if s not in found and read & {s.entered, s.left}]:
        found += new
        read.update(*(t.arrays(e) for s in new for e in (s.start, s.after)))
    return found


def in_order(*equations: Term) -> tuple[Term, ...]:
    """Equations before those that read, at a place of the first axis, what they make there."""
    there = {e: made_there(e) for e in equations}
    waiting, found = list(equations), list[Term]()
    while waiting:
        ready = (e for e in waiting if there[e].isdisjoint(map(made_by, waiting)))
        found.append(next(ready, waiting[0]))
        waiting.remove(found[-1])
    return tuple(found)


def made_there(equation: Term) -> set[Array]:
    """What is read of other arrays at the place that is made."""
    target = target_of(equation)
    reads = (u for u in t.walk(equation.right) if isinstance(u, t.Read))
    there = {u.array for u in reads if u.index[:1] == target.index[:1]}
    return there - {target.array}


def counted(states: Sequence[State]) -> str:
    return {0: "none", 1: "one state"}.get(len(states), f"{len(states)} states")


def pairings(
    states: Sequence[State], moved: Sequence[State]
) -> Iterator[tuple[tuple[State, State], ...]]:
    """States with loops of their shape, in the order in which they are carried first."""
    for order in permutations(moved):
        pairs = tuple(zip(states, order, strict=True))
        if all(is_pair(*pair) for pair in pairs):
            yield pairs


def is_pair(a: State, b: State) -> bool:
    """Whether one loop is the other in reverse; of two, one may start with what another leaves."""
    more = n.minus(a.turns, b.turns)
    return a.left.dims[1:] == b.left.dims[1:] and more in (-1, 0, 1) and a.backwards != b.backwards


def are_alike(pair: tuple[State, State]) -> bool:
    a, b = pair
    return a.left.dims == b.left.dims


def kinds_of(kind: Kind, state: State, moved: State) -> tuple[Kind, Kind]:
    """How a state and its cotangent are written, so that they are of one shape."""
    more = n.minus(state.turns, moved.turns)
    if more == 0:
        return kind, kind
    return (Kind.LEFT, Kind.ALL) if more == 1 else (Kind.ALL, Kind.LEFT)


def adds_outside(state: State) -> bool:
    """Whether a cotangent that comes from outside is added as it is to what is carried."""
    parts = state.after.args if isinstance(state.after, t.Add) else ()
    return any(t.arrays(p) and all(map(is_outside, t.arrays(p))) for p in parts)


def is_outside(array: Array) -> bool:
    return array.role == "cotangent" or array.name.startswith("cotangent")


def key(loop: Loop, same: Mapping[Array, Array]) -> tuple[object, ...]:
    """What a loop computes, whatever its arrays and indices are called."""
    named = dict(same)
    for number, state in enumerate(loop):
        named[state.entered] = Array(f"entered{number}", state.entered.dims)
        named[state.left] = Array(f"left{number}", state.left.dims)
    fresh = Numbered()

    def find(read: Read) -> Callable[..., Term] | None:
        array = named.get(read.array)
        return None if array is None else lambda *index: array[index]

    def said(state: State, term: Term) -> Term:
        values = {p: Sym(f"place{k}") for k, p in enumerate((state.turn, *state.place))}
        return replace_reads(substitute(term, values, fresh), find, fresh)

    parts = (said(s, term) for s in loop for term in (s.start, s.after))
    return (loop[0].turns, loop[0].backwards, *parts)


class Numbered(Fresh):
    """Names by their order alone."""

    def __call__(self, like: Sym) -> Sym:
        return super().__call__(Sym("bound", like.sort, like.is_bundle))
