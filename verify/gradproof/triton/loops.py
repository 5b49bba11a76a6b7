"""Loops of kernels over blocks: what names carry from turn to turn, in closed form. Untrusted.

A turn is tried without touching memory: once to see by how much pointers and indices go on, and
again to see what becomes of the other names. What a turn adds is summed; what it takes the larger
of is a maximum over all turns; and `d·exp(m - m') + Σ exp(x - m')`, where m' is the maximum so
far, is `Σ exp(x - m')` over the turns so far, by induction. Other loops are refused.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import free, substituted
from gradproof.language.terms import BOOL, INT, REAL, Sym, Term
from gradproof.tracing import blocks as b
from gradproof.tracing import integers as n
from gradproof.tracing import lanes, reals
from gradproof.tracing.blocks import Pointer, lifted
from gradproof.tracing.lanes import BELOW_ALL, tidy
from gradproof.tracing.tensors import Tensor, Unreadable, as_real, broadcast

MOST_TURNS = 64


@dataclass(frozen=True, eq=False)
class Carried:
    """A name of numbers as a turn begins: cells of an array of its own."""

    start: Tensor
    array: t.Array

    @property
    def block(self) -> Tensor:
        return Tensor(self.start.axes, lambda place: self.array[place])


@dataclass
class Loop:
    """A loop of any number of turns: which turn it is, and their count, if above 0."""

    program: Any
    node: ast.For
    turn: Sym
    count: Term
    first: Term
    step: Term

    @property
    def name(self) -> str:
        """That of its index."""
        assert isinstance(self.node.target, ast.Name)
        return self.node.target.id

    @property
    def index(self) -> Tensor:
        return b.scalar(n.add(self.first, n.mul(self.turn, self.step)))

    def tried(self, env: dict[str, Any], dry: bool) -> dict[str, Any]:
        """The names after a turn that began with these."""
        program, scope = self.program, {**env, self.name: self.index}
        program.dry += dry
        program.turns.append(self.turn)
        try:
            program.block(self.node.body, scope)
        finally:
            program.turns.pop()
            program.dry -= dry
        return scope

    @property
    def runs(self) -> bool:
        """Whether there is a turn, in every program."""
        return bool(self.program.facts.holds(t.relation(t.Ge, self.count, 1), *self.program.path))

    @property
    def turns(self) -> Term:
        """How many there are, which is none where the count is below 0."""
        known = self.program.facts.holds(t.relation(t.Ge, self.count, 0), *self.program.path)
        return self.count if known else t.Max(self.count, 0)

    def last(self, value: Any) -> Any:
        return b.at_turn(value, self.turn, n.minus(self.count, 1))


def run(program: Any, s: ast.For, env: dict[str, Any]) -> None:
    """A loop; one whose turns are known is written out."""
    if not isinstance(s.iter, ast.Call) or not isinstance(s.target, ast.Name) or s.orelse:
        raise Unreadable("a loop over anything but range(…)")
    function = program.value(s.iter.func, env)
    name = "range" if function is range else getattr(function, "name", "")
    if name not in ("range", "static_range"):
        raise Unreadable("a loop over anything but range(…)")
    given = [program.value(a, env) for a in s.iter.args]
    if all(isinstance(v, int) for v in given):
        turns = range(*given)
        if len(turns) <= MOST_TURNS:
            for turn in turns:
                env[s.target.id] = turn
                program.block(s.body, env)
            return
    first, last, step = bounds(given)
    gap = n.minus(last, first)
    facts = program.facts
    if not facts.holds(t.relation(t.Ge, step, 1), *program.path):
        raise Unreadable("a loop that does not go upwards by 1 or more")
    count = gap if step == 1 else n.floor_div(n.add(gap, n.minus(step, 1)), step)
    turn = facts.symbol("turn", n.minus(count, 1))
    closed(Loop(program, s, turn, count, first, step), env)


def bounds(given: list[Any]) -> tuple[Term, Term, Term]:
    terms = []
    for value in given:
        block = lifted(value)
        if block.axes or block.sort != INT:
            raise Unreadable("a loop whose ends are no integers")
        terms.append(block.cell(()))
    if len(terms) == 1:
        return n.ZERO, terms[0], n.ONE
    return terms[0], terms[1], terms[2] if len(terms) == 3 else n.ONE


def closed(loop: Loop, env: dict[str, Any]) -> None:
    names = [k for k in assigned(loop.node) if k in env and k != loop.name]
    for k in [k for k in names if not is_index(env[k]) and not is_real(env[k])]:
        del env[k]  # what a turn decides by it is not known
    names = [k for k in names if k in env]
    moving = steps_of(loop, env, names)
    for k in [k for k in names if k not in moving and isinstance(env[k], Pointer)]:
        del env[k]
    names = [k for k in names if k in env]
    going = {k: b.added_to(env[k], n.mul(loop.turn, step)) for k, step in moving.items()}
    states = states_of(loop, env, going, [k for k in names if k not in moving])
    after = loop.tried({**env, **going, **{k: s.block for k, s in states.items()}}, True)
    ways = Ways(loop, states, after)
    before = {k: ways.so_far(k) for k in states}
    final = loop.tried({**env, **going, **before}, False)
    for name, value in final.items():
        if name not in env and name != loop.name and loop.runs:
            env[name] = loop.last(value)
    for name, step in moving.items():
        env[name] = b.added_to(env[name], n.mul(loop.turns, step))
    for name in states:
        found = ways.whole(name)
        if found is None:
            del env[name]
        else:
            env[name] = found
    env.pop(loop.name, None)


def steps_of(loop: Loop, env: dict[str, Any], names: list[str]) -> dict[str, Term]:
    """By how much pointers and indices go on, each turn and lane by the same."""
    moved = Sym("moved")
    indices = [k for k in names if is_index(env[k])]
    scope = {k: b.added_to(env[k], moved) for k in indices}
    others = {
        k: Carried(real(env[k]), state_array(k, env[k])).block for k in names if is_real(env[k])
    }
    after = loop.tried({**env, **scope, **others}, True)
    found = {}
    for k in indices:
        old, new = offset_of(scope[k]), offset_of(after[k])
        assert old is not None
        if isinstance(after[k], Pointer) != isinstance(env[k], Pointer) or new is None:
            continue
        if isinstance(env[k], Pointer) and after[k].array is not env[k].array:
            continue
        if len(new.axes) < len(old.axes) or new.sort != INT:
            continue
        place = tuple(Sym(f"at{d}") for d in range(len(new.factors)))
        own = b.joint(old, new)
        step = n.minus(own[1].cell(place), own[0].cell(place))
        if not free(step) & {moved, loop.turn, *place} and not t.arrays(step):
            found[k] = step
    if len(found) < len(indices):
        left = [k for k in indices if k not in found]
        if any(moved in free(cell_of(after[k])) for k in left if offset_of(after[k]) is not None):
            raise Unreadable(f"an index, {left[0]}, that goes on in no even steps")
    return found


def cell_of(value: Any) -> Term:
    block = offset_of(value)
    assert block is not None
    return block.cell(tuple(Sym(f"at{d}") for d in range(len(block.factors))))


def offset_of(value: Any) -> Tensor | None:
    if isinstance(value, Pointer):
        return value.offset
    if isinstance(value, Tensor):
        return value
    return lifted(value) if isinstance(value, int) and not isinstance(value, bool) else None


def is_index(value: Any) -> bool:
    block = offset_of(value)
    return block is not None and block.sort == INT


def is_real(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, Tensor) and value.sort == REAL)


def real(value: Any) -> Tensor:
    return as_real(lifted(value))


def state_array(name: str, value: Any) -> t.Array:
    return t.Array(f"{b.CARRIED}{name}", tuple(real(value).factors))


def states_of(
    loop: Loop, env: dict[str, Any], going: dict[str, Any], names: list[str]
) -> dict[str, Carried]:
    """The names of numbers, each with as many lanes as it has after a turn."""
    found: dict[str, Carried] = {}
    for k in names:
        if not isinstance(env[k], int | float | Tensor) or isinstance(env[k], bool):
            continue
        found[k] = Carried(real(env[k]), state_array(k, env[k]))
    after = loop.tried({**env, **going, **{k: s.block for k, s in found.items()}}, True)
    for k, state in found.items():
        new = after[k]
        if isinstance(new, Tensor) and new.sort != BOOL and new.axes != state.start.axes:
            start, _ = b.joint(state.start, new)
            start = broadcast(start, b.joint(start, new)[1].axes)
            found[k] = Carried(start, state_array(k, start))
    return found


@dataclass
class Ways:
    """What becomes of each name that a loop carries."""

    loop: Loop
    states: dict[str, Carried]
    after: dict[str, Any]
    tops: dict[str, Tensor | None] = field(default_factory=dict)

    def new(self, name: str) -> Tensor:
        return real(self.after[name])

    def generic(self, name: str) -> tuple[Any, Term, Term]:
        """A place, what the name is there as a turn begins, and what after it."""
        new = self.new(name)
        place = tuple(Sym(f"at{d}") for d in range(len(new.factors)))
        return place, self.states[name].array[place], tidy(new.cell(place))

    def own_arrays(self) -> set[t.Array]:
        return {s.array for s in self.states.values()}

    def rest(self, name: str, kind: str) -> Tensor | None:
        """What a turn adds to a name, or takes the larger of, if it is that and nothing else."""
        state, new, own = self.states[name], self.new(name), self.own_arrays()
        take = {"sum": added, "maximum": compared}[kind]

        def cell(place: Any) -> Term:
            found = take(tidy(new.cell(place)), state.array[place])
            return found if found is not None else b.UNSET[REAL]

        _, before, after = self.generic(name)
        found = take(after, before)
        if found is None or t.arrays(found) & own:
            return None
        return Tensor(new.axes, cell)

    def so_far(self, name: str) -> Any:
        """What a name is as a turn begins."""
        loop, state = self.loop, self.states[name]
        _, before, after = self.generic(name)
        if after == before:
            return state.start
        rest = self.rest(name, "sum")
        if rest is not None:
            return self.summed(state, rest, n.minus(loop.turn, 1))
        return state.block  # which nothing that is written may speak of

    def whole(self, name: str) -> Any:
        """What a name is after all turns; None of one that is not known."""
        loop, state = self.loop, self.states[name]
        _, before, after = self.generic(name)
        if after == before:
            return state.start
        if not t.arrays(after) & self.own_arrays():
            return loop.last(self.new(name)) if loop.runs else None
        rest = self.rest(name, "sum")
        if rest is not None:
            return self.summed(state, rest, n.minus(loop.count, 1))
        largest = self.largest(name)
        if largest is not None:
            return largest
        scaled = self.rescaled(name)
        if scaled is not None:
            return scaled
        raise Unreadable(f"what turns of this loop make of {name}, {after}")

    def summed(self, state: Carried, rest: Tensor, last: Term) -> Tensor:
        facts, turn = self.loop.program.facts, self.loop.turn
        name = facts.symbol("t", last)

        def cell(place: Any) -> Term:
            body = substituted(rest.cell(place), {turn: name})
            return reals.plus(
                state.start.cell(place), lanes.total(body, (name, n.ZERO, last), facts)
            )

        return Tensor(state.start.axes, cell)

    def largest(self, name: str) -> Tensor | None:
        """A running maximum: that over all turns, always by the same names."""
        if name not in self.tops:
            self.tops[name] = self.over_all(name)
        return self.tops[name]

    def over_all(self, name: str) -> Tensor | None:
        state, loop = self.states[name], self.loop
        rest = self.rest(name, "maximum")
        if rest is None:
            return None
        place = self.generic(name)[0]
        if state.start.cell(place) != BELOW_ALL or not loop.runs:
            return None
        return Tensor(rest.axes, lambda p: self.maximum(rest.cell(p)))

    def maximum(self, body: Term) -> Term:
        """Of what all turns and lanes have, one over all that they cover."""
        loop, facts = self.loop, self.loop.program.facts
        name = facts.symbol("t", n.minus(loop.count, 1))
        body = substituted(body, {loop.turn: name})
        tile = (name, n.ZERO, n.minus(loop.count, 1))
        if isinstance(body, t.Maximum) and body.where == t.And() and len(body.ranges) == 1:
            found = lanes.covered(body.body, tile, tuple(body.ranges[0]), facts)
            if found is not None:
                return self.named(found)
            return t.Maximum(body.body, t.And(), 0, tile, *body.ranges)
        return lanes.largest(body, tile, facts)

    def named(self, found: Any) -> Term:
        body, (lane, first, last) = found
        return t.Maximum(body, t.And(), 0, (lane, first, last))

    def rescaled(self, name: str) -> Tensor | None:
        """`d' = d·exp(m - m') + r(m')`, of a running maximum m: `Σ r(M)` over turns, by the last M.

        For `d = Σ r(m)` so far, where r(m) is a sum of terms times exp(-m), and of m in no other
        way, `d·exp(m - m')` is `Σ r(m')`. It begins with 0.
        """
        place, before, after = self.generic(name)
        state = self.states[name]
        if state.start.cell(place) != 0:
            return None
        for k, top in self.states.items():
            if k == name or top.start.axes != () or top.start.cell(()) != BELOW_ALL:
                continue
            whole = self.largest(k)
            if whole is None:
                continue
            m, larger = top.array[()], tidy(self.new(k).cell(()))
            scaled = rescaling(after, before, m, larger)
            if scaled is None or t.arrays(scaled) & self.own_arrays():
                continue
            return self.of_scaled(state, name, m, larger, whole)
        return None

    def of_scaled(self, state: Carried, name: str, m: Term, larger: Term, whole: Tensor) -> Tensor:
        loop, facts = self.loop, self.loop.program.facts
        final = whole.cell(())
        new, last = self.new(name), n.minus(loop.count, 1)
        turn = facts.symbol("t", last)

        def cell(place: Any) -> Term:
            rest = rescaling(tidy(new.cell(place)), state.array[place], m, larger)
            assert rest is not None
            body = substituted(rest, {loop.turn: turn})
            found = lanes.total(body, (turn, n.ZERO, last), facts)
            return reals.times(found, reals.exp(reals.negative(final)))

        return Tensor(new.axes, cell)


def added(after: Term, before: Term) -> Term | None:
    parts = list(after.args) if isinstance(after, t.Add) else [after]
    if before not in parts:
        return None
    parts.remove(before)
    return reals.plus(*parts)


def compared(after: Term, before: Term) -> Term | None:
    """The other of two, of which the larger is taken."""
    if not isinstance(after, t.If) or before not in (after.then, after.otherwise):
        return None
    other = after.otherwise if after.then == before else after.then
    larger = (reals.larger(before, other), reals.larger(other, before))
    return other if after in larger else None


def rescaling(after: Term, before: Term, m: Term, larger: Term) -> Term | None:
    """Of `d·exp(m - m') + u·exp(-m')` the u, free of m and m'."""
    parts = list(after.args) if isinstance(after, t.Add) else [after]
    own = [p for p in parts if before in reals.factors(p)]
    if len(own) != 1:
        return None
    factor = list(reals.factors(own[0]))
    factor.remove(before)
    if reals.times(*factor) not in (
        reals.exp(reals.minus(m, larger)),
        t.Exp(reals.minus(m, larger)),
    ):
        return None
    others = [p for p in parts if p is not own[0]]
    found = [unscaled(p, larger) for p in others]
    if any(u is None or larger in t.walk(u) or m in t.walk(u) for u in found):
        return None
    return reals.plus(*found)


def unscaled(part: Term, larger: Term) -> Term | None:
    """Without `exp(-m')`, which it has once as a factor, also within a sum over lanes."""
    if isinstance(part, t.Sum):
        inner = unscaled(part.body, larger)
        return None if inner is None else t.Sum(inner, *part.ranges)
    if isinstance(part, t.If) and part.otherwise == 0:
        inner = unscaled(part.then, larger)
        return None if inner is None else t.If(part.condition, inner, 0)
    if isinstance(part, t.Exp):
        parts = list(reals.parts_of_sum(part.inner))
        negative = [reals.negative(u) for u in reals.parts_of_sum(larger)]
        if len(negative) == 1 and negative[0] in parts:
            parts.remove(negative[0])
            return reals.exp(reals.plus(*parts))
        return None
    if isinstance(part, t.Mul):
        for number, factor in enumerate(part.args):
            inner = unscaled(factor, larger)
            if inner is not None:
                return reals.times(*part.args[:number], inner, *part.args[number + 1 :])
    return None


def assigned(node: ast.For) -> list[str]:
    """The names that a turn gives a value, in their order."""
    stored = (u for s in node.body for u in ast.walk(s) if isinstance(u, ast.Name))
    return list(dict.fromkeys(u.id for u in stored if isinstance(u.ctx, ast.Store)))
