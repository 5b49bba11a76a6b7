"""What a loop may select, by how its steps are written. Untrusted: what it proposes is proved.

Of a loop that keeps a maximum, or the place of it, or that stops at a first match, the value that
it compares, the places that count, and what each state is once a place was chosen. Whether it is
so is proved by `selection`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

import sympy

from gradproof.language import terms as t
from gradproof.language.largest import as_largest
from gradproof.language.substitution import free
from gradproof.language.terms import REAL, Sym, Term, sort_of
from gradproof.prove.rules.smt import canonical

MOST = 24  # of one loop


# A value, where it counts, and what each state is once a place was chosen.
Proposed = tuple[Term, Term, dict[Sym, Term]]


def proposals(loop: Term) -> Iterator[Proposed]:
    """What the loop may select, the likeliest first: that of an argmax is plain."""
    if (kept := as_largest(loop)) is not None:
        has, largest, place = (state for state, _, _ in loop.args[1])
        chosen = {has: sympy.Integer(1), largest: kept.body, place: kept.at}
        yield kept.body, kept.where, chosen
    steps = {state: (start, step) for state, start, step in loop.args[1]}
    known = free(loop).union(symbol for symbol, _, _ in loop.ranges) - steps.keys()
    leaves = [
        [u for u in ends(step) if free(u) <= known] or ([start] if step is state else [])
        for state, (start, step) in steps.items()
    ]
    guards = {canonical(c): c for s, (_, u) in steps.items() for c in valid(u, s, known)}
    wheres = dict.fromkeys((t.And(*guards.values()), t.And()))
    sides = (u for _, step in steps.values() for u in rivals(step, known))
    values = dict.fromkeys((*sides, sympy.Integer(0)))
    found = (
        (value, where, dict(zip(steps, chosen, strict=True)))
        for chosen in product(*map(dict.fromkeys, leaves))
        for value in values
        for where in wheres
    )
    yield from islice(found, MOST)


def ends(step: Term) -> Iterator[Term]:
    """What a step may come to."""
    if isinstance(step, t.If):
        yield from ends(step.then)
        yield from ends(step.otherwise)
    elif isinstance(step, t.Max | t.Min):
        for part in step.args:
            yield from ends(part)
    else:
        yield step


def valid(step: Term, state: Sym, known: frozenset[Sym]) -> Iterator[Term]:
    """The conditions, about no state, without which a step leaves its state as it is."""
    if not isinstance(step, t.If):
        return
    if step.otherwise is state:
        yield from (c for c in t.conjuncts(step.condition) if free(c) <= known)
        yield from valid(step.then, state, known)
    elif step.then is state and free(step.condition) <= known:
        yield t.Not(step.condition)
        yield from valid(step.otherwise, state, known)


def rivals(step: Term, known: frozenset[Sym]) -> Iterator[Term]:
    """The reals that are compared with states; of a least one the opposite."""
    for u in t.walk(step):
        if isinstance(u, t.Relation | t.Max | t.Min) and REAL in map(sort_of, u.args):
            sides = [a for a in u.args if free(a) <= known]
            if len(sides) < len(u.args):
                yield from sides
                yield from (t.Mul(-1, a) for a in sides)
