"""Theorems of the kind ties: what rules do where cells tie, and where branches meet. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import sympy

from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, replace_reads, tangent, target_of, value_at
from gradproof.language.substitution import Fresh, free
from gradproof.language.terms import Array, Term, cells
from gradproof.theorems.composition import branches
from gradproof.theorems.equations import Triples, index_names, inlined, is_plain, recurrent
from gradproof.theorems.meeting import Entry, between
from gradproof.theorems.sequents import Sequent, Theorem


def at_meetings(op: Op) -> Iterator[Theorem]:
    """Where several cells win, and where branches meet, output by output."""
    if is_plain(op):
        yield from (*ties_of(op), *meetings_of(op))
    elif branches(op) and not recurrent(op):
        for y in op.outputs:
            alone = with_one_output(op, y)
            for theorem in (*ties_of(alone), *meetings_of(alone)):
                of = f", {y}" if len(op.outputs) > 1 else ""
                yield replace(theorem, name=f"{theorem.name}{of}")


def with_one_output(op: Op, y: Array) -> Op:
    """The op of one output, with equations from inputs alone; cotangents of others are 0."""
    fresh = Fresh(*op.equations.values())
    zero = {cotangent(other) for other in op.outputs if other != y}
    made = {target_of(e).array: e for e in op.equations.values()}

    def find(read: t.Read) -> Callable[..., Term] | None:
        if read.array in zero:
            return lambda *index: sympy.Integer(0)
        rule = made.get(read.array)
        return None if rule is None else lambda *index: put(value_at(rule, index, fresh))

    def put(term: Term) -> Term:
        return replace_reads(term, find, fresh)

    def plain(equation: Term) -> Term:
        target = equation.target
        place = t.Read(target.array, *map(put, target.index))
        return t.rebuild(equation, (place, *map(put, equation.args[1:])))

    forward = plain(made[y])
    read = {a.name for a in t.arrays(forward.right)}
    return replace(
        op,
        forward=forward,
        let=(),
        jvp=tuple(map(plain, (e for e in op.jvps if target_of(e).array == tangent(y)))),
        vjp=tuple(map(plain, (e for e in op.vjp if target_of(e).array.of in read))),
        constants=tuple(a for a in op.constants if a.name in read),
        claims=(),
        windows=(),
    )


def ties_of(op: Op) -> Iterator[Theorem]:
    """What each VJP through a maximum is where several cells win: a subgradient, or not."""
    largest = op.forward.right
    if not isinstance(largest, t.Maximum) or not isinstance(largest.body, t.Read):
        return
    x = largest.body.array
    for rule in (r for r in op.vjp if target_of(r).array.of == x.name):
        made = target_of(rule).array
        fresh = Fresh(op.forward, rule)
        o = tuple(fresh(i) for i in target_of(op.forward).index)
        i = index_names(op, x, fresh)
        value = inlined(op, value_at(rule, i, fresh), (op.output,), fresh)
        weight = t.Slope(value, cotangent(op.output)[o])
        window = value_at(op.forward, o, fresh)
        some = t.Exists(window.where, *window.ranges)
        yield mass(op, made, weight, cells(op.output[o]), cells(x[i]), some)
        yield on_winners(op, made, weight, (*cells(op.output[o]), *cells(x[i])), x[i], window)


def mass(
    op: Op, made: Array, weight: Term, outputs: Triples, inputs: Triples, some: Term
) -> Theorem:
    total = Sequent(outputs, t.conjuncts(some), t.Eq(t.Sum(weight, *inputs), 1))
    shown = f"the weights of {made} sum to 1 over a window with a valid cell"
    name = f"{made} at ties: weights sum to 1"
    return at_ties(op, made, name, shown, (total,))


def on_winners(
    op: Op, made: Array, weight: Term, over: Triples, cell: t.Read, window: t.Maximum
) -> Theorem:
    nonnegative = Sequent(over, (), t.relation(t.Ge, weight, 0))
    losing = t.Mul(t.Bracket(t.Ne(cell, window)), weight)
    same = map(t.Eq, window.body.index, cell.index)
    read = t.Exists(t.And(window.where, *same), *window.ranges)
    said = (t.Eq(losing, 0), t.Eq(weight, t.Mul(t.Bracket(read), weight)))
    nowhere_else = (Sequent(over, (), e) for e in said)
    shown = f"the weights of {made} are at least 0, and 0 but where {cell} is the window's maximum"
    name = f"{made} at ties: weights on winners only"
    parts = (nonnegative, *nowhere_else)
    return at_ties(op, made, name, shown, parts)


def at_ties(op: Op, made: Array, name: str, shown: str, sequents: tuple[Sequent, ...]) -> Theorem:
    waived, about = op.ties == "any", f"vjp {made}"
    return Theorem(name, "ties", shown, op.requires, sequents, equation=about, waived=waived)


def meetings_of(op: Op) -> Iterator[Theorem]:
    """What the JVP, and the VJPs of all inputs together, are where branches meet."""
    if op.jvps:
        yield from meeting(op, {x.name: op.jvp for x in op.inputs}, "jvp")
    rules = {x.name: [r for r in op.vjp if target_of(r).array.of == x.name] for x in op.inputs}
    for number in range(max(map(len, rules.values()), default=0) if all(rules.values()) else 0):
        chosen = {name: own[min(number, len(own) - 1)] for name, own in rules.items()}
        yield from meeting(op, chosen, f"vjp {number + 1}" if number else "vjp")


def meeting(op: Op, rules: dict[str, Term], name: str) -> Iterator[Theorem]:
    fresh = Fresh(op.forward, *rules.values())
    o = tuple(fresh(i) for i in target_of(op.forward).index)
    value = value_at(op.forward, o, fresh)
    entries = tuple(
        Entry(x[i], tangent(x)[i], said_at(op, rules[x.name], o, x[i], fresh))
        for x in op.inputs
        for i in (index_names(op, x, fresh) for _ in range(cells_read(value, x)))
    )
    then = between(value, entries)
    if then is None:
        return
    over = (*cells(op.output[o]), *(r for entry in entries for r in cells(entry.cell)))
    made = " and ".join(dict.fromkeys(target_of(rule).array.name for rule in rules.values()))
    shown = f"where branches of {op.output} meet, {made} goes with one, or lies between"
    first = "jvp" if name == "jvp" else f"vjp {target_of(rules[op.inputs[0].name]).array}"
    sequents = (Sequent(over, (), then),)
    found = Theorem(f"{name} where branches meet", "ties", shown, op.requires, sequents)
    yield replace(found, equation=first, waived=op.ties == "any")


def said_at(op: Op, rule: Term, o: tuple[Term, ...], cell: t.Read, fresh: Fresh) -> Term:
    """The entry of a rule for one cell of the output and one of an input."""
    is_jvp = rule is op.jvp
    by = tangent(cell.array)[cell.index] if is_jvp else cotangent(op.output)[o]
    made = value_at(rule, o if is_jvp else cell.index, fresh)
    return t.Slope(inlined(op, made, (op.output,), fresh), by)


def cells_read(value: Term, x: Array) -> int:
    """How many cells of an array have to do with each other in one cell of the output, up to 2."""
    found = {u for u in t.walk(value) if isinstance(u, t.Read) and u.array == x}
    return 1 if len(found) == 1 and free(*found) <= free(value) else 2
