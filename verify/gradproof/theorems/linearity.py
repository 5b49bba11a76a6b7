"""Theorems of the kind linear: each rule is linear in what it is given. Trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import sympy

from gradproof.language import terms as t
from gradproof.language.ops import Op, cotangent, tangent, target_of, value_at
from gradproof.language.substitution import Fresh
from gradproof.language.systems import needed_by
from gradproof.language.terms import Array, Sym, Term, cells
from gradproof.theorems.equations import inlined, is_plain, named_place
from gradproof.theorems.sequents import Sequent, Theorem


def linearity_of(op: Op) -> Iterator[Theorem]:
    tangents = sympy.Tuple(*(tangent(x) for x in op.inputs))
    cotangents = sympy.Tuple(*map(cotangent, op.outputs))
    inputs = {x.name for x in op.inputs}
    pulled = tuple(r for r in op.vjp if target_of(r).array.of in inputs)
    if not is_plain(op):
        rules = [r for r in op.jvps if target_of(r).array in map(tangent, op.outputs)]
        if rules:
            yield linear_through(op, rules, op.jvps, tangents, "jvp is linear")
        within = [r for r in op.vjp if r not in pulled]
        for rule in pulled:
            name = f"vjp {target_of(rule).array} is linear"
            yield linear_through(op, [rule], (*within, rule), cotangents, name)
        return
    for rule in op.jvps:
        yield linear_in(op, rule, tangents, "jvp is linear")
    for rule in pulled:
        name = f"vjp {target_of(rule).array} is linear"
        yield linear_in(op, rule, cotangents, name)


def linear_through(
    op: Op, ends: Iterable[Term], rules: Iterable[Term], by: Iterable[Array], name: str
) -> Theorem:
    """What rules compute from one another is linear if each is in all that it may read."""
    made = {target_of(r).array for r in rules}
    moved = sympy.Tuple(*by, *sorted(made.difference(by), key=str))
    sequents, local, shown = [], [], []
    for rule in rules:
        fresh = Fresh(*op.equations.values())
        array = target_of(rule).array
        place = tuple(fresh(Sym("i", t.INT, t.is_bundle(d))) for d in array.dims)
        over = cells(array[place])
        local.append(Sequent(over, (), t.Linear(value_at(rule, place, fresh), moved)))
        if rule in ends:
            where = needed_by((array[place],), op.equations.values())
            sequents.append(Sequent(over, (), t.Linear(array[place], by), where=where))
            shown.append(f"{array[place]} is linear in {', '.join(a.name for a in by)}")
    about = name.removesuffix(" is linear")
    said = "; ".join(shown)
    found = Theorem(name, "linear", said, op.requires, tuple(sequents), equation=about)
    return replace(found, local=tuple(local))


def linear_in(op: Op, rule: Term, by: Iterable[Array], name: str) -> Theorem:
    fresh = Fresh(op.forward, rule)
    made = target_of(rule).array
    place = named_place(rule, fresh)
    value = inlined(op, value_at(rule, place, fresh), op.computed, fresh)
    shown = f"{made[place]} is linear in {', '.join(a.name for a in by)}"
    sequent = Sequent(cells(made[place]), (), t.Linear(value, by))
    about = name.removesuffix(" is linear")
    return Theorem(name, "linear", shown, op.requires, (sequent,), equation=about)
