"""Theorems of the kinds jvp and vjp: derivatives, entry by entry. Trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradproof.language import terms as t
from gradproof.language.accumulators import summed
from gradproof.language.ops import Op, cotangent, tangent, target_of, value_at
from gradproof.language.substitution import Fresh
from gradproof.language.systems import needed_by
from gradproof.language.terms import Array, Term, cells
from gradproof.language.wellformed import is_branch
from gradproof.theorems.composition import Boundaries, Local, branches, is_said
from gradproof.theorems.differentiability import differentiable
from gradproof.theorems.equations import index_names, inlined, is_plain, values_in
from gradproof.theorems.sequents import Sequent, Theorem

BY_CONDITIONS = (t.If, t.Bracket, t.Max, t.Min)


def derivatives_of(op: Op) -> Iterator[Theorem]:
    for x in op.inputs if op.jvps else ():
        if is_plain(op):
            yield entry(op, x, op.jvps[0], f"jvp by {x}", "jvp")
        else:
            yield composed(op, x, None)
    for rule in op.vjp:
        made = target_of(rule).array
        primal = next((a for a in op.inputs if a.name == made.of), None)
        if primal is not None and is_plain(op):
            yield entry(op, primal, rule, f"vjp {made}", "vjp")
        elif primal is not None:
            yield composed(op, primal, made)


def composed(op: Op, x: Array, made: Array | None) -> Theorem:
    """∂y[o]/∂x[i] for every output, as the rules compute it from one another."""
    kind, about = ("jvp", "jvp") if made is None else ("vjp", f"vjp {made}")
    local = Local(op, x)
    sequents, shown = [], []
    for equation in op.forwards:
        y = target_of(equation).array
        fresh = Fresh(*op.equations.values())
        o = tuple(fresh(i) for i in target_of(equation).index)
        i = index_names(op, x, fresh)
        if made is None:
            place, by = tangent(y)[o], tangent(x)[i]
        else:
            place, by = made[i], cotangent(y)[o]
        then = t.Eq(t.Slope(y[o], x[i]), t.Slope(place, by))
        over = (*cells(y[o]), *cells(x[i]))
        when = unturning(op, y[o], x[i])
        where = needed_by((y[o], place, *when), op.equations.values())
        sequents.append(Sequent(over, when, then, where=where))
        shown.append(f"∂{y[o]}/∂{x[i]} = ∂{place}/∂{by}")
    name = f"jvp by {x}" if made is None else f"vjp {made}"
    found = Theorem(name, kind, "; ".join(shown), op.requires, tuple(sequents), equation=about)
    if not is_shown_locally(op):
        return found
    steps = [*(local.tangents() if made is None else local.cotangents(made))]
    if not all(map(is_said, (*steps, *sequents))):
        return found
    return replace(found, local=tuple(replace(s, where=values_in(op, s)) for s in steps))


def is_shown_locally(op: Op) -> bool:
    """Whether entries of single equations make up those of all, on boundaries too.

    A choice by a condition has the derivative of the branch that is taken, and that obeys the chain
    rule at every point.
    """
    chosen = (u for e in op.system for u in t.walk(e.right) if is_branch(u))
    return op.is_recurrent or all(isinstance(u, BY_CONDITIONS) for u in chosen)


def unturning(op: Op, output: t.Read, cell: t.Read) -> tuple[Term, ...]:
    """Where no branch turns on the way from a cell to an output.

    With all equations written out; of recurrences, where no cell of any is on a boundary.
    """
    if not branches(op):
        return ()
    fresh = Fresh(*op.equations.values(), output, cell)
    if op.is_recurrent:
        return tuple(Boundaries(op.system, cell.array).avoided(fresh))
    value = inlined(op, output, op.computed, fresh)
    return tuple(dict.fromkeys(differentiable(summed(value, fresh, only_added=True), cell)))


def entry(op: Op, x: Array, rule: Term, name: str, kind: str) -> Theorem:
    """∂y[o]/∂x[i], derived, equals ∂y_dot[o]/∂x_dot[i] or ∂x_bar[i]/∂y_bar[o], as written."""
    fresh = Fresh(op.forward, rule)
    o = tuple(fresh(i) for i in target_of(op.forward).index)
    i = index_names(op, x, fresh)
    value = value_at(op.forward, o, fresh)
    derived = t.Slope(value, x[i])
    if kind == "jvp":
        place, by = o, tangent(x)[i]
    else:
        place, by = i, cotangent(op.output)[o]
    written = t.Slope(inlined(op, value_at(rule, place, fresh), (op.output,), fresh), by)
    over = (*cells(op.output[o]), *cells(x[i]))
    when = tuple(dict.fromkeys(differentiable(summed(value, fresh, only_added=True), x[i])))
    shown = f"∂{op.output[o]}/∂{x[i]} = ∂{target_of(rule).array[place]}/∂{by}"
    sequent = Sequent(over, when, t.Eq(derived, written))
    about = "jvp" if kind == "jvp" else f"vjp {target_of(rule).array}"
    return Theorem(name, kind, shown, op.requires, (sequent,), equation=about)
