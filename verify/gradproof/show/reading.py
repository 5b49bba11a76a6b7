"""Which cells of an array a term reads, at given sizes. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import sympy
from sympy.core.symbol import Str

from gradproof.evaluate.judge import Evaluator, within
from gradproof.evaluate.numbers import RATIONALS, Undecided, Undefined
from gradproof.evaluate.replay import Env
from gradproof.language import terms as t
from gradproof.language.terms import Term, Triple

Cell = tuple[int, ...]
LARGEST = t.Maximum | t.Winner | t.Unique


def window(term: Term, array: t.Array, env: Env) -> set[Cell]:
    """The cells that a term reads, and the padding: what only its bounds keep it from reading."""
    ev = Evaluator(RATIONALS, {})
    shape = ev.shape(array, env)
    found = set()
    for read, place, failing in reads(ev, term, array.name, env):
        try:
            cell = tuple(ev.value(e, place) for e in read.index)
        except Undefined:
            if failing:
                continue
            raise
        if not failing or (not within(cell, shape) and all(is_bound(p, read) for p in failing)):
            found.add(cell)
    return found


def is_bound(condition: Term, read: t.Read) -> bool:
    """Whether a condition is one on an index of a read."""
    return any(s in read.index for s in condition.args if not isinstance(s, sympy.Rational))


def reads(
    ev: Evaluator, term: Term, name: str, env: Env, failing: tuple[Term, ...] = ()
) -> Iterator[tuple[t.Read, Env, tuple[Term, ...]]]:
    """Each read of an array and its place, with the conditions on the way there that fail."""
    if isinstance(term, t.Sym | Str | sympy.Rational | t.Array):
        return
    if isinstance(term, t.Read) and term.array.name == name:
        yield term, env, failing
    failing += false_of(ev, t.guards_of(term), env)
    if isinstance(term, t.Binder):
        heads = term.args[: term.parts]
        where = heads[1:2] if isinstance(term, LARGEST) else ()
        inner = [head for n, head in enumerate(heads) if n not in term.outside]
        for n in term.outside:
            yield from reads(ev, heads[n], name, env, failing)
        for place in places(ev, term.ranges, env, failing):
            for head in inner:
                yield from reads(ev, head, name, place, failing + false_of(ev, where, place))
    elif isinstance(term, t.If):
        condition, *branches = term.args
        yield from reads(ev, condition, name, env, failing)
        for taken, branch in zip((condition, t.Not(condition)), branches, strict=True):
            yield from reads(ev, branch, name, env, failing + false_of(ev, (taken,), env))
    else:
        for arg in term.args:
            yield from reads(ev, arg, name, env, failing)


def places(
    ev: Evaluator, ranges: Sequence[Triple], env: Env, failing: tuple[Term, ...]
) -> list[Env]:
    """Those of a loop; where it is not reached, its ends need no value."""
    try:
        return [dict(place) for place in ev.places(ranges, env)]
    except Undefined:
        if failing:
            return []
        raise


def false_of(ev: Evaluator, conditions: Iterable[Term], env: Env) -> tuple[Term, ...]:
    parts = (part for condition in conditions for part in t.conjuncts(condition))
    return tuple(part for part in parts if not holds(ev, part, env))


def holds(ev: Evaluator, condition: Term, env: Env) -> bool:
    """Whether a condition may hold; one that reads tensors may."""
    if t.arrays(condition):
        return True
    try:
        return bool(ev.value(condition, env))
    except (Undefined, Undecided, KeyError):
        return True
