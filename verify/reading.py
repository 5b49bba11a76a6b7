"""Which cells of an array a term reads, at given sizes. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import sympy
from sympy.core.symbol import Str

from verify import terms as t
from verify.evaluate import Evaluator, within
from verify.numbers import RATIONALS, Undecided, Undefined
from verify.replay import Env

Cell = tuple[int, ...]
LARGEST = t.Maximum | t.Winner | t.Unique


def window(term: Any, array: t.Array, env: Env) -> set[Cell]:
    """The cells that a term reads, and the padding: what only its bounds keep it from reading."""
    ev = Evaluator(RATIONALS, {})
    shape = ev.shape(array, env)
    found = set()
    for read, place, failing in reads(ev, term, array.name, env):
        cell = tuple(ev.value(e, place) for e in read.index)
        if within(cell, shape):
            is_shown = not failing
        else:
            is_shown = all(any(side in read.index for side in part.args) for part in failing)
        if is_shown:
            found.add(cell)
    return found


def reads(
    ev: Evaluator, term: Any, name: str, env: Env, failing: tuple[Any, ...] = ()
) -> Iterator[tuple[t.Read, Env, tuple[Any, ...]]]:
    """Each read of an array and its place, with the conditions on the way there that fail."""
    if isinstance(term, t.Sym | Str | sympy.Rational | t.Array):
        return
    if isinstance(term, t.Read) and term.array.name == name:
        yield term, env, failing
    failing += false_of(ev, t.guards_of(term), env)
    if isinstance(term, t.Binder):
        heads = term.args[: term.parts]
        where = heads[1:2] if isinstance(term, LARGEST) else ()
        for place in map(dict, ev.places(term.ranges, env)):
            for head in heads:
                yield from reads(ev, head, name, place, failing + false_of(ev, where, place))
    elif isinstance(term, t.If):
        condition, *branches = term.args
        for taken, branch in zip((condition, t.Not(condition)), branches, strict=True):
            yield from reads(ev, branch, name, env, failing + false_of(ev, (taken,), env))
    else:
        for arg in term.args:
            yield from reads(ev, arg, name, env, failing)


def false_of(ev: Evaluator, conditions: Iterable[Any], env: Env) -> tuple[Any, ...]:
    parts = (part for condition in conditions for part in t.conjuncts(condition))
    return tuple(part for part in parts if not holds(ev, part, env))


def holds(ev: Evaluator, condition: Any, env: Env) -> bool:
    """Whether a condition may hold; one that reads tensors may."""
    if t.arrays(condition):
        return True
    try:
        return bool(ev.value(condition, env))
    except (Undefined, Undecided, KeyError):
        return True
