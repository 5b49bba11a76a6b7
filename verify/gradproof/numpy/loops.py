"""What all turns of a loop do, from one turn with a name for its index. Untrusted."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import combinations
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.accumulators import added
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import REAL, Sym, Term
from gradproof.numpy import places
from gradproof.numpy.arrays import (
    Array,
    Write,
    apart_if_later,
    closed,
    is_recurrence,
    merged,
    tells_turn,
    turn_of,
)
from gradproof.numpy.carrying import (
    ALONE,
    SHAPE,
    ByName,
    InPlace,
    Recurs,
    last_change,
    some_place,
    stored,
    sum_among,
)
from gradproof.numpy.lists import Filled, Grows
from gradproof.numpy.operators import plain_size
from gradproof.numpy.ranges import Range, Rows, Turns, in_order, recurrent
from gradproof.numpy.state import UNKNOWN, Entering, items
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.carrying import reaching
from gradproof.tracing.tensors import MADE, Tensor, Unreadable


class Left(Exception):
    """A loop was left by `break`."""


def run(reader: Any, loop: ast.For, scope: dict[str, Any]) -> None:
    over = places.rows_of(reader, reader.value(loop.iter, scope))
    turns = None if isinstance(over, Rows) and over.over.turns is None else items(over)
    if turns is not None and (not isinstance(over, Rows) or len(turns) <= reader.turns):
        written_out(reader, loop, scope, turns)
    elif isinstance(loop.target, ast.Name) and over.is_plain:
        symbolic(reader, loop, scope, over.over)
    else:
        symbolic(reader, by_index(loop, scope, over), scope, over.over)


def written_out(reader: Any, loop: ast.For, scope: dict[str, Any], turns: Sequence[Any]) -> None:
    """Turn by turn."""
    outside, reader.breaks = reader.breaks, reader.inside
    try:
        for one in turns:
            reader.assign(loop.target, one, scope)
            reader.block(loop.body, scope)
    except Left:
        pass
    finally:
        reader.breaks = outside


def counting(
    reader: Any, loop: ast.While, scope: dict[str, Any]
) -> tuple[ast.For, str, Any] | None:
    """`while i < n: …; i += 1` as a loop over a range, with the index and what it is after it."""
    *body, step = loop.body
    match loop.test, step:
        case (
            ast.Compare(left=ast.Name(id=index), ops=[op], comparators=[end]),
            ast.AugAssign(target=ast.Name(id=same), op=ast.Add() | ast.Sub() as sign, value=by),
        ) if same == index and body:
            pass
        case _:
            return None
    changed = {name for b in body for u in ast.walk(b) if (name := stored(u))}
    read = {u.id for e in (end, by) for u in ast.walk(e) if isinstance(u, ast.Name)}
    leaves = any(isinstance(u, ast.Break | ast.Continue) for b in body for u in ast.walk(b))
    if (
        leaves
        or not all(map(is_steady, ast.walk(end)))
        or ({index} | read) & changed
        or index in read
    ):
        return None
    first, last, size = reader.value(loop.test.left, scope), reader.value(end, scope), None
    size = reader.value(by, scope)
    up = isinstance(sign, ast.Add)
    beyond = {ast.Lt: 0, ast.LtE: 1} if up else {ast.Gt: 0, ast.GtE: -1}
    integers = all(
        isinstance(e, int | t.Term) and t.sort_of(t.as_term(e)) == t.INT for e in (first, last)
    )
    if type(op) not in beyond or not integers or size != 1:
        return None
    if isinstance(first, int) and isinstance(last, int):
        return None
    stop = plain_size(n.add(last, beyond[type(op)]))
    enough = t.relation(t.Le, *((first, stop) if up else (stop, first)))
    if not reader.decided(enough):
        raise Unreadable("a while loop that may have less than no turns; say in requires")
    rows = f"rows {loop.lineno}:{loop.col_offset}"
    scope[rows] = Range(first, stop, 1 if up else -1)
    made = ast.For(ast.Name(index, ast.Store()), ast.Name(rows, ast.Load()), body, [])
    return ast.fix_missing_locations(ast.copy_location(made, loop)), index, stop


def is_steady(node: ast.AST) -> bool:
    """Whether a part of an expression changes with its names alone, by which lists are extended."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    return not isinstance(node, ast.Attribute) or node.attr == "shape"


def by_index(loop: ast.For, scope: dict[str, Any], over: Rows) -> ast.For:
    """A loop over the indices of what a loop runs through, `for k in range(n): row = rows[k]`."""
    rows, index = (f"{name} {loop.lineno}:{loop.col_offset}" for name in ("rows", "index"))
    scope[rows] = over
    at = ast.Subscript(ast.Name(rows, ast.Load()), ast.Name(index, ast.Load()), ast.Load())
    row = ast.Assign([loop.target], at)
    made = ast.For(ast.Name(index, ast.Store()), loop.iter, [row, *loop.body], [])
    return ast.fix_missing_locations(ast.copy_location(made, loop))


def gathered(reader: Any, node: Any, scope: dict[str, Any], over: Rows) -> Any:
    """A list by a comprehension, as a loop that fills it."""
    rows, found = (f"{name} {node.lineno}:{node.col_offset}" for name in ("rows", "found"))
    inner = {**scope, rows: over, found: reader.new_list([])}
    append = ast.Attribute(ast.Name(found, ast.Load()), "append", ast.Load())
    row = ast.Expr(ast.Call(append, [node.elt], []))
    loop = ast.For(node.generators[0].target, ast.Name(rows, ast.Load()), [row], [])
    run(reader, ast.fix_missing_locations(ast.copy_location(loop, node)), inner)
    return reader.current(inner[found])


def symbolic(reader: Any, loop: Any, scope: dict[str, Any], over: Range) -> None:
    """One turn, at an index that is a name: again with arrays for the lists that it fills."""
    filled = list[Filled]()
    turns, kept = in_order(over, reader.names("j")), Kept(reader, scope)
    outside, lists = reader.breaks, reader.own_lists
    reader.breaks = None
    try:
        while True:
            reader.own_lists = []
            try:
                every_turn(reader, loop, scope, over, turns, filled)
                if reader.awaited and not reader.depth:
                    raise Unreadable(UNFILLED)
                break
            except Grows as found:
                reader.own_lists = lists
                if reader.is_outside(found.rows) or len(filled) > MOST:
                    raise
                kept.restore()
                filled.append(found.filled(reader, turns))
                kept = Kept(reader, scope)
    finally:
        reader.breaks, reader.own_lists = outside, lists


MOST = 40  # lists that one loop fills
UNFILLED = "a list that is read at the index of a loop which does not fill it"


def every_turn(
    reader: Any, loop: Any, scope: dict[str, Any], over: Range, turns: Turns, filled: list[Filled]
) -> None:
    """One turn: again as a recurrence, where it has to be one."""
    carried, symbol = list[ByName | InPlace](), turns.symbol
    if reader.depth or reader.path or not reader.recurrences:
        turn(reader, loop, scope, turns, carried, filled)
        return
    reader.recurs, kept = True, Kept(reader, scope)
    while reader.recurs:
        try:
            turn(reader, loop, scope, turns, carried, filled)
            added_up = sum_among(carried)
            if added_up is None:
                reader.recurs = False
            else:
                kept.restore()
                added_up[0].adds_up(reader, added_up[1])
        except Recurs as found:
            kept.restore()
            upwards = recurrent(reader, over, symbol)
            carried.append(found.carried(reader, scope, turns, upwards))
            turns = upwards
    states = tuple(c.state(reader) for c in carried if c.rest is None)
    reader.loops += [states] if states else []


class Kept:
    """What a reader knew before a loop, so that it can read it anew."""

    def __init__(self, reader: Any, scope: dict[str, Any]) -> None:
        self.reader, self.scope, self.before = reader, scope, dict(scope)
        self.arrays = [(a, replace(a)) for a in reader.arrays]
        self.views, self.made = dict(reader.views), len(MADE.get() or ())
        self.awaited, self.filled = reader.awaited, [*reader.filled]

    def restore(self) -> None:
        self.scope.clear()
        self.scope.update(self.before)
        self.reader.views, self.reader.awaited = dict(self.views), self.awaited
        self.reader.arrays, self.reader.filled = [a for a, _ in self.arrays], [*self.filled]
        del (MADE.get() or [])[self.made :]
        for array, was in self.arrays:
            vars(array).update(vars(replace(was, writes=[*was.writes], read_at=[*was.read_at])))


def turn(
    reader: Any,
    loop: Any,
    scope: dict[str, Any],
    turns: Turns,
    carried: Sequence[Any],
    filled: Sequence[Filled],
) -> None:
    names = {c.name for c in carried if isinstance(c, ByName)}
    states = state_symbols(reader, loop, scope, names)
    before = dict(scope)
    scope.update(states)
    for name in anew(loop, scope) - set(states):
        scope[name] = Entering(name) if reader.recurs and not reader.depth else UNKNOWN
    scope[loop.target.id] = turns.index
    marks = [(a, a.opened(reader.depth)) for a in reader.arrays]
    path, reader.path = reader.path, []
    known = len(reader.known)
    reader.known += (*(c for c in path if not t.arrays(c)), *turns.known)
    reader.depth += 1
    try:
        for one in filled:
            one.enter(reader, turns)
        body(reader, loop.body, scope, carried)
        for one in filled:
            one.leave({array: outside.version for array, outside in marks})
    finally:
        reader.depth -= 1
        del reader.known[known:]
        reader.path = path
    steps = {states[name]: (name, before[name], scope[name]) for name in states}
    refuse_entangled(reader, steps, carried)
    for array in reader.arrays:
        array.writes = [at_each_turn(reader, w, steps, turns) for w in array.writes]
    for c in carried:
        c.made = in_turn(reader, c.made, steps, turns)
    for array, outside in marks:
        close(reader, array, outside, turns)
    reader.arrays = [a for a, _ in marks]
    finish(reader, loop, scope, before, states, turns)
    for c in carried:
        c.close(reader, scope)


def body(
    reader: Any, statements: list[ast.stmt], scope: dict[str, Any], carried: Sequence[Any]
) -> None:
    """A turn, of which what is carried has a name from where it changes no more."""
    for c in carried:
        c.enter(reader, scope)
    ends = [(last_change(c, statements, scope) + 1, c) for c in carried]
    done = 0
    for end, c in sorted(ends, key=lambda pair: pair[0]):
        reader.block(statements[done:end], scope)
        c.leave(reader, scope)
        done = end
    reader.block(statements[done:], scope)


RECURRENT = "a number that each turn makes of what the one before left is more than a sum,"


def refuse_entangled(reader: Any, steps: Any, carried: Sequence[Any]) -> None:
    """Numbers that a turn makes of others, which it makes of them, are no sums."""
    if reader.depth or not reader.recurs:
        return
    made = {c.states: cell_of(c.made) for c in carried}
    made |= {state: cell_of(after) for state, (_, _, after) in steps.items()}
    own = {c.leaving: c.states for c in carried}

    def read(term: Term) -> set[Term]:
        return {own.get(u, u) for u in (*free(term), *t.arrays(term))} & made.keys()

    reached = reaching({key: read(term) - {key} for key, term in made.items()})
    for state, (name, _, _) in steps.items():
        if state in reached[state]:
            raise reader.again(name, 0, RECURRENT)


def cell_of(value: Any) -> Term:
    """Some cell of an array, or a number."""
    found = value.now() if isinstance(value, Array) else value
    if isinstance(found, Tensor):
        return found.cell(some_place(found))
    return found if isinstance(found, t.Term) else n.ZERO


def at_each_turn(reader: Any, write: Write, steps: Any, turns: Turns) -> Write:
    """A write in which a number that the loop adds to is what the turns before have made of it."""
    places = (
        e for part in write.parts for e in (part.start, part.size, part.step) if e is not None
    )
    if any(free(t.as_term(e)) & steps.keys() for e in (*places, *write.when)):
        raise Unreadable(f"{RECURRENT} and a place or a condition of a write depends on it")
    return replace(write, value=in_turn(reader, write.value, steps, turns))


def in_turn(reader: Any, value: Tensor, steps: Any, turns: Turns) -> Tensor:
    """A value in which a number that the loop adds to is what the turns before have made of it."""
    states = free(value.cell(some_place(value))) & steps.keys()
    if not states:
        return value
    sums = {state: until(reader, state, steps, turns) for state in states}

    def cell(place: Any) -> Term:
        inner = value.cell(place)
        return substitute(inner, sums, Fresh(inner, *sums.values()))

    return Tensor(value.axes, cell, value.sort)


def until(reader: Any, state: Sym, steps: Any, turns: Turns) -> Term:
    """What the turns before have added to a number."""
    name, start, step = steps[state]
    said = f"{RECURRENT} and a turn writes it: a recurrence; {ALONE}"
    if isinstance(step, Array):
        raise reader.again(name, 0, said, step.value.axes)
    part = added(t.as_term(reals.of(step)), state, frozenset(steps))
    if part is None:
        raise reader.again(name, 0, said)
    earlier = reader.names("q")
    each = substitute(part, {turns.symbol: earlier}, Fresh(part, earlier))
    total = reals.total(each, [(earlier, *turns.earlier)], frozenset((earlier,)))
    return reals.plus(start, total)


def close(reader: Any, array: Array, outside: Array, turns: Turns) -> None:
    """An array after the loop: what the turns wrote, over the range of the index."""
    if array.writes:
        fixed = {*reader.hints}.union(*map(free, reader.known))
        if is_recurrence(array, turns.symbol, fixed):
            raise reader.again(array, 0, f"a loop that reads what it writes: a recurrence; {ALONE}")
        if outside.writes and reader.depth == 0:
            raise Unreadable("writes that were not settled")
        if turns.downwards and any(is_overwritten(w, turns.symbol) for w in array.writes):
            raise Unreadable("a recurrence beside a cell that each turn overwrites; write it after")
        refuse_other_order(reader, array.writes, turns, fixed)
    made = closed(array.writes, turns.over)
    made = [replace(w, when=(*reader.path, *w.when)) for w in made]
    array.writes, array.held = merged([*outside.writes, *made]), outside.held
    array.read_at = [*outside.read_at, *array.read_at]
    if reader.depth == 0:
        array.settled()
        array.read_at = []


def refuse_other_order(reader: Any, writes: Sequence[Write], turns: Turns, fixed: Set[Sym]) -> None:
    """All turns of one write, then all of the next, are what the turns do one after the other."""
    for first, second in combinations(writes, 2):
        if first.adds and second.adds:
            continue
        if first.parts == second.parts and tells_turn(first.parts, turns.symbol, fixed):
            continue
        known, apart = apart_if_later(first, second, turns, reader.names)
        given = (*reader.requires, *reader.known, *known)
        if ask(given, apart).status != "proved":
            raise Unreadable(
                "a loop that writes to cells in several lines, a cell in different turns; "
                "write a loop for each of the lines, or an array for each"
            )


def is_overwritten(write: Write, symbol: Sym) -> bool:
    """Whether a turn writes where another did, in place of what that has written."""
    places = (p.start for p in write.parts if p.size is None)
    return not write.adds and all(turn_of(e, symbol, e) is None for e in places)


def anew(loop: ast.For, scope: dict[str, Any]) -> set[str]:
    """The names to which a turn assigns, so that the next begins with something else."""
    changed = {u.target for u in ast.walk(loop) if isinstance(u, ast.AugAssign)}
    targets = (u for u in ast.walk(loop) if isinstance(u, ast.Name) and u not in changed)
    return {u.id for u in targets if isinstance(u.ctx, ast.Store) and u.id in scope}


def state_symbols(
    reader: Any, loop: Any, scope: dict[str, Any], carried: set[str]
) -> dict[str, Sym]:
    """A name for each number that the loop may carry from turn to turn, in a sum or maximum."""
    assigned = {stored(u) for u in ast.walk(loop) if isinstance(u, ast.Name)} - carried
    numbers = {
        name
        for name in assigned
        if name in scope and isinstance(scope[name], int | float | t.Term | sympy.Rational)
    }
    return {name: Sym(f"{name}_{reader.names('s').name}", REAL) for name in sorted(numbers)}


def finish(
    reader: Any, loop: Any, scope: dict[str, Any], before: Any, states: Any, turns: Turns
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
        if state not in free(cell_of(step)):
            scope[name] = UNKNOWN
            continue
        if isinstance(step, Array):
            raise reader.again(name, 0, SHAPE, step.value.axes)
        found = summed(before[name], state, step, every, turns.over)
        if found is None and reader.recurs and not reader.depth:
            raise Recurs(name)
        scope[name] = folded(state, turns.over, states, steps, before) if found is None else found
    for name, value in before.items():
        if scope.get(name) is not value and name not in states:
            scope[name] = UNKNOWN
    scope[loop.target.id] = UNKNOWN


def summed(start: Any, state: Sym, step: Term, every: frozenset[Sym], over: Any) -> Any:
    """The value after all turns, if they add up to it or keep the largest."""
    part = added(step, state, every)
    if part is not None:
        return reals.plus(start, reals.total(part, [over], frozenset((over[0],))))
    found = kept_largest(step, state)
    if found is None or free(t.Maximum(found[0], found[1], 0, over)) & every:
        return None
    body, where = found
    ranges: tuple[Any, ...] = (over,)
    if isinstance(body, t.Maximum) and not (where.args or free(where)):
        body, where, ranges = body.body, body.where, (over, *body.ranges)
    whole = t.Maximum(body, where, 0, *ranges)
    return whole if start == -math.inf else t.Max(reals.of(start), whole)


def folded(state: Sym, over: Any, states: Any, steps: Any, before: Any) -> Term:
    """The value after all turns of a loop that is no sum or maximum."""
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
