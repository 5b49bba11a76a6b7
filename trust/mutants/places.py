"""One place of a term changed at a time. Untrusted.

A change is a function from a node to the nodes that may stand in its place. A loop is written once,
however many results are taken from it, so a change in a loop is made in all folds that run it, and
wherever the same expression stands in its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sympy

from gradproof.language import terms as t

Change = Callable[[Any], Iterator[Any]]


def everywhere(term: Any, change: Change) -> Iterator[Any]:
    """The term with the change made at each of its places in turn."""
    yield from outside_loops(term, change)
    loops = dict.fromkeys(u.args[1:] for u in t.walk(term) if isinstance(u, t.Fold))
    for loop in loops:
        for changed in changed_loops(loop, change):
            yield with_loop(term, loop, changed)


def outside_loops(term: Any, change: Change) -> Iterator[Any]:
    if not isinstance(term, t.Fold):
        yield from change(term)
    if isinstance(term, t.LEAVES):
        return
    args = term.args[:1] if isinstance(term, t.Fold) else term.args
    for position, arg in enumerate(args):
        for changed in outside_loops(arg, change):
            yield rebuilt(term, with_part(term.args, position, changed))


def changed_loops(loop: tuple[Any, ...], change: Change) -> Iterator[tuple[Any, ...]]:
    """The states and ranges of a loop, changed."""
    states, *ranges = loop
    for fold in change(t.Fold(0, *loop)):
        if isinstance(fold, t.Fold):
            yield fold.args[1:]
    for position, triple in enumerate(ranges, 1):
        for changed in outside_loops(triple, change):
            yield with_part(loop, position, changed)
    names = {state for state, _, _ in states}
    for part in dict.fromkeys(u for _, *values in states for v in values for u in t.walk(v)):
        for changed in change(part) if part not in names else ():
            triples = (
                sympy.Tuple(name, *(exchanged(v, {part: changed}) for v in values))
                for name, *values in states
            )
            yield (sympy.Tuple(*triples), *ranges)


def with_loop(term: Any, loop: tuple[Any, ...], changed: tuple[Any, ...]) -> Any:
    if isinstance(term, t.Fold) and term.args[1:] == loop:
        return t.rebuild(term, (with_loop(term.body, loop, changed), *changed))
    if isinstance(term, t.Sym | t.Array) or not term.args:
        return term
    return t.rebuild(term, tuple(with_loop(a, loop, changed) for a in term.args))


def with_part(parts: tuple[Any, ...], position: int, part: Any) -> tuple[Any, ...]:
    return (*parts[:position], part, *parts[position + 1 :])


def rebuilt(term: Any, args: tuple[Any, ...]) -> Any:
    """The node with other parts; a condition that is left with no bundle speaks of no axis."""
    if isinstance(term, t.AllAxes) and not t.is_bundle(args[0]):
        return args[0]
    return t.rebuild(term, args)


def exchanged(term: Any, parts: Mapping[Any, Any]) -> Any:
    """The term with parts exchanged, all at once; shapes of arrays stay."""
    if term in parts:
        return parts[term]
    if isinstance(term, t.LEAVES) or not term.args:
        return term
    return rebuilt(term, tuple(exchanged(a, parts) for a in term.args))


def reshaped(term: Any, parts: Mapping[Any, Any]) -> Any:
    """The term with parts exchanged, shapes of arrays included."""
    if term in parts:
        return parts[term]
    if isinstance(term, t.Array):
        return t.Array(term.name, [reshaped(d, parts) for d in term.dims], term.role, term.of)
    if isinstance(term, t.Sym) or not term.args:
        return term
    return rebuilt(term, tuple(reshaped(a, parts) for a in term.args))
