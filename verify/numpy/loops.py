"""What all turns of a loop do, from one turn with a name for its index. Untrusted."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.accumulators import added
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import REAL, Sym, Term
from gradproof.numpy.arrays import Array, Write, closed, merged, refuse_recurrence
from gradproof.numpy.state import UNKNOWN, Range, items
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.tensors import Tensor, Unreadable


def run(reader: Any, loop: ast.For, scope: dict[str, Any]) -> None:
    over = reader.value(loop.iter, scope)
    if not isinstance(over, Range):
        for one in items(over):
            reader.assign(loop.target, one, scope)
            reader.block(loop.body, scope)
        return
    if not isinstance(loop.target, ast.Name):
        raise Unreadable("a loop over a range with several indices")
    if over.turns is not None and len(over.turns) <= reader.turns:
        for one in over.turns:
            scope[loop.target.id] = one
            reader.block(loop.body, scope)
        return
    symbolic(reader, loop, scope, over)


def symbolic(reader: Any, loop: Any, scope: dict[str, Any], over: Range) -> None:
    """One turn, at an index that is a name."""
    (start, stop), step = over.ends, over.step
    backward = isinstance(step, int) and step < 0
    length = n.minus(start, stop) if backward else n.minus(stop, start)
    size = -step if backward else step
    count = length if size == 1 else n.floor_div(n.add(length, size, -1), size)
    symbol = reader.names("j")
    is_simple = size == 1 and not backward
    index = symbol if is_simple else n.add(start, n.mul(step, symbol))
    first, last = (n.simple(start), n.minus(stop, 1)) if is_simple else (n.ZERO, n.minus(count, 1))
    turn(reader, loop, scope, symbol, index, (symbol, first, last))


def turn(
    reader: Any, loop: Any, scope: dict[str, Any], symbol: Sym, index: Term, over: Any
) -> None:
    states = state_symbols(reader, loop, scope)
    before = dict(scope)
    scope.update(states)
    scope.update(dict.fromkeys(anew(loop, scope) - set(states), UNKNOWN))
    scope[loop.target.id] = index
    marks = [(a, len(a.writes), a.read_at) for a in reader.arrays]
    held = {id(a): a.writes for a in reader.arrays}
    for array in reader.arrays:
        array.writes, array.read_at = [], []
    path, reader.path = reader.path, []
    known = (t.relation(t.Le, over[1], symbol), t.relation(t.Le, symbol, over[2]))
    reader.known += known
    reader.depth += 1
    try:
        reader.block(loop.body, scope)
    finally:
        reader.depth -= 1
        del reader.known[len(reader.known) - 2 :]
        reader.path = path
    steps = {states[name]: (before[name], scope[name]) for name in states}
    for array in reader.arrays:
        array.writes = [at_each_turn(reader, w, steps, over) for w in array.writes]
    own = {id(a) for a, _, _ in marks}
    for array in reader.arrays:
        if id(array) in own:
            close(reader, array, held[id(array)], marks, symbol, over)
    reader.arrays = [a for a in reader.arrays if id(a) in own]
    finish(reader, loop, scope, before, states, over)


def at_each_turn(reader: Any, write: Write, steps: Any, over: Any) -> Write:
    """A write in which a number that the loop adds to is what the turns before have made of it."""
    places = (
        e for part in write.parts for e in (part.start, part.size, part.step) if e is not None
    )
    if any(free(t.as_term(e)) & steps.keys() for e in (*places, *write.when)):
        raise Unreadable(f"{RECURRENT} and a place or a condition of a write depends on it")
    value = write.value
    some = tuple(t.Sym(f"place{d}") for d in range(len(value.factors)))
    states = free(value.cell(some)) & steps.keys()
    if not states:
        return write
    sums = {state: until(reader, state, steps, over) for state in states}

    def cell(place: Any) -> Term:
        inner = value.cell(place)
        return substitute(inner, sums, Fresh(inner, *sums.values()))

    return replace(write, value=Tensor(value.axes, cell, value.sort))


RECURRENT = "a number that each turn makes of what the one before left is more than a sum,"


def until(reader: Any, state: Sym, steps: Any, over: Any) -> Term:
    """What the turns before have added to a number."""
    start, step = steps[state]
    part = added(t.as_term(reals.of(step)), state, frozenset(steps))
    if part is None:
        raise Unreadable(f"{RECURRENT} and a turn writes it: a recurrence")
    symbol, first, _ = over
    earlier = reader.names("q")
    each = substitute(part, {symbol: earlier}, Fresh(part, earlier))
    total = reals.total(each, [(earlier, first, n.minus(symbol, 1))], frozenset((earlier,)))
    return reals.plus(start, total)


def close(reader: Any, array: Array, held: Any, marks: Any, symbol: Sym, over: Any) -> None:
    """An array after the loop: what the turns wrote, over the range of the index."""
    reads = next(r for a, _, r in marks if a is array)
    if array.writes:
        refuse_recurrence(array, array.writes, symbol)
        if held and reader.depth == 0:
            raise Unreadable("writes that were not settled")
    made = closed(array.writes, over)
    made = [replace(w, when=(*reader.path, *w.when)) for w in made]
    array.writes = merged([*held, *made])
    array.read_at = [*reads, *array.read_at]
    if reader.depth == 0:
        array.settled()
        array.read_at = []


def anew(loop: ast.For, scope: dict[str, Any]) -> set[str]:
    """The names to which a turn assigns, so that the next begins with something else."""
    changed = {u.target for u in ast.walk(loop) if isinstance(u, ast.AugAssign)}
    targets = (u for u in ast.walk(loop) if isinstance(u, ast.Name) and u not in changed)
    return {u.id for u in targets if isinstance(u.ctx, ast.Store) and u.id in scope}


def state_symbols(reader: Any, loop: Any, scope: dict[str, Any]) -> dict[str, Sym]:
    """A name for each number that the loop may carry from turn to turn."""
    assigned = {
        u.id for u in ast.walk(loop) if isinstance(u, ast.Name) and isinstance(u.ctx, ast.Store)
    }
    numbers = {
        name
        for name in assigned
        if name in scope and isinstance(scope[name], int | float | t.Term | sympy.Rational)
    }
    return {name: Sym(f"{name}_{reader.names('s').name}", REAL) for name in sorted(numbers)}


def finish(
    reader: Any, loop: Any, scope: dict[str, Any], before: Any, states: Any, over: Any
) -> None:
    """The names after the loop: sums and maxima; what the last turn left is not asked for."""
    every = frozenset(states.values())
    steps = {name: scope[name] for name in states}
    for name in set(scope) - set(before):
        scope[name] = UNKNOWN
    for name, state in states.items():
        step = steps[name]
        if step is state:
            scope[name] = before[name]
            continue
        if not isinstance(step, t.Term) or state not in free(step):
            scope[name] = UNKNOWN
            continue
        scope[name] = carried(before[name], state, step, every, over, states, steps, before)
    for name, value in before.items():
        if scope.get(name) is not value and name not in states:
            scope[name] = UNKNOWN
    scope[loop.target.id] = UNKNOWN


def carried(
    start: Any, state: Sym, step: Term, every: Any, over: Any, states: Any, steps: Any, before: Any
) -> Any:
    """The value after all turns."""
    part = added(step, state, every)
    if part is not None:
        return reals.plus(start, reals.total(part, [over], frozenset((over[0],))))
    found = kept_largest(step, state)
    if found is not None and not free(t.Maximum(found[0], found[1], 0, over)) & every:
        body, where = found
        ranges: tuple[Any, ...] = (over,)
        if isinstance(body, t.Maximum) and not (where.args or free(where)):
            body, where, ranges = body.body, body.where, (over, *body.ranges)
        whole = t.Maximum(body, where, 0, *ranges)
        if start == -math.inf:
            return whole
        return t.Max(reals.of(start), whole)
    if any(isinstance(v, float) and math.isinf(v) for v in before.values()):
        raise Unreadable("a loop that starts at infinity and is no maximum")
    triples = [
        sympy.Tuple(states[k], reals.of(before[k]), reals.of(steps[k]))
        for k in states
        if isinstance(steps[k], t.Term) and steps[k] is not states[k]
    ]
    return t.Fold(state, sympy.Tuple(*triples), over)


def kept_largest(step: Term, state: Sym) -> tuple[Term, Term] | None:
    """What a step keeps the largest of, and where it does so at all."""
    match step:
        case t.Max() if len(step.args) == 2 and state in step.args:
            other = next(a for a in step.args if a is not state)
            return other, t.And()
        case t.If() if step.otherwise is state:
            condition, then = step.condition, step.then
            if isinstance(condition, t.Gt | t.Ge) and (condition.left, condition.right) == (
                then,
                state,
            ):
                return then, t.And()
            if isinstance(condition, t.Lt | t.Le) and (condition.right, condition.left) == (
                then,
                state,
            ):
                return then, t.And()
            inner = kept_largest(then, state)
            if inner is not None and state not in free(condition):
                return inner[0], t.And(condition, *t.conjuncts(inner[1]))
    return None
