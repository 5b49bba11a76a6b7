"""The names in a term: free ones, bound ones, fresh ones, and substitution. Trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy
from sympy.core.symbol import Str

from gradproof.language.terms import (
    Array,
    Binder,
    Fold,
    Function,
    Node,
    PaddedRead,
    Scatter,
    Sym,
    Term,
    over_parts,
    rebuild,
    remembered,
    walk,
)

BINDERS = (Binder, Scatter)
CONSTANTS = (Array, Function, Str, sympy.Rational)
NAMES = (Sym, Array, Function)


@remembered
def free(term: Node) -> frozenset[Sym]:
    """The symbols a term depends on, shapes of zero-padded arrays included."""
    if isinstance(term, Sym):
        return frozenset((term,))
    if isinstance(term, CONSTANTS):
        return frozenset()
    if isinstance(term, PaddedRead):
        return union(free(a) for a in (*term.index, *term.array.dims))
    if isinstance(term, BINDERS):
        return free_of_binder(term)
    return union(map(free, term.args))


def union(sets: Iterable[frozenset[Sym]]) -> frozenset[Sym]:
    return frozenset().union(*sets)


def free_of_binder(term: Node) -> frozenset[Sym]:
    head = term.args[: len(term.args) - len(term.ranges)]
    if isinstance(term, Fold):
        states = {state for state, _, _ in term.states}
        outer = union(free(start) for _, start, _ in term.states) | (free(term.body) - states)
        inner = union(free(step) for _, _, step in term.states) - states
    else:
        outer = union(free(part) for n, part in enumerate(head) if n in term.outside)
        inner = union(free(part) for n, part in enumerate(head) if n not in term.outside)
    for symbol, first, last in reversed(term.ranges):
        inner = (inner - {symbol}) | free(first) | free(last)
    return inner | outer


def bound_by(term: Node) -> frozenset[Sym]:
    """The symbols that a node binds, states included."""
    if not isinstance(term, BINDERS):
        return frozenset()
    states = term.states if isinstance(term, Fold) else ()
    return frozenset(triple[0] for triple in (*term.ranges, *states))


class Fresh:
    """Names that nothing in the given terms bears; the same ones in every run."""

    def __init__(self, *avoid: Node) -> None:
        self.count = max(map(highest, avoid), default=0)

    def __call__(self, like: Sym) -> Sym:
        self.count += 1
        return Sym(f"{base_of(like)}'{self.count}", like.sort, like.is_bundle)


@remembered
def highest(term: Node) -> int:
    """The highest number that Fresh gave a symbol of the term."""
    if isinstance(term, NAMES):
        return number_of(term)
    return max(map(highest, term.args), default=0)


def base_of(symbol: Sym) -> str:
    return symbol.name.split("'")[0].split(".")[0]


def number_of(term: Node) -> int:
    """The number that Fresh gave a symbol: 3 of `j'3` and of its copy `j'3.2`."""
    name = term.name if isinstance(term, Sym) else ""
    return int(name.split("'")[1].split(".")[0]) if "'" in name else 0


def substitute(term: Term, values: Mapping[Term, Term], fresh: Fresh) -> Term:
    """Replaces free symbols; every binder on the way gets a fresh name, so nothing is captured."""
    if isinstance(term, Sym):
        return values.get(term, term)
    if isinstance(term, Array):
        parts = ([substitute(d, values, fresh) for d in part] for part in (term.dims, term.span))
        return term.with_shape(*parts)
    if isinstance(term, CONSTANTS):
        return term
    if not binds(term) and values.keys().isdisjoint(mentioned(term)):
        return term
    if not isinstance(term, BINDERS):
        return rebuild(term, [substitute(a, values, fresh) for a in term.args])
    outer, inner, ranges = dict(values), dict(values), []
    for symbol, first, last in term.ranges:
        bound = fresh(symbol)
        ranges.append((bound, substitute(first, inner, fresh), substitute(last, inner, fresh)))
        inner[symbol] = bound
    head = list(term.args[: len(term.args) - len(ranges)])
    if isinstance(term, Fold):
        states = {state: fresh(state) for state, _, _ in head[1]}
        head[1] = sympy.Tuple(
            *(
                sympy.Tuple(
                    states[state],
                    substitute(start, outer, fresh),
                    substitute(step, inner | states, fresh),
                )
                for state, start, step in head[1]
            )
        )
        head[0] = substitute(head[0], outer | states, fresh)
        return Fold(*head, *ranges)
    scopes = (outer if n in term.outside else inner for n in range(len(head)))
    head = [substitute(h, scope, fresh) for h, scope in zip(head, scopes, strict=True)]
    return rebuild(term, [*head, *(sympy.Tuple(*r) for r in ranges)])


@remembered
def binds(term: Node) -> bool:
    """Whether a symbol is bound anywhere in the term."""
    if isinstance(term, NAMES):
        return False
    return isinstance(term, BINDERS) or any(map(binds, term.args))


@remembered
def mentioned(term: Node) -> frozenset[Sym]:
    """The symbols anywhere in the term, shapes of its arrays included."""
    if isinstance(term, Sym):
        return frozenset((term,))
    if isinstance(term, Function):
        return frozenset()
    parts = (*term.dims, *term.span) if isinstance(term, Array) else term.args
    return union(map(mentioned, parts))


def substituted(term: Term, values: Mapping[Term, Term]) -> Term:
    """Values in place of symbols and terms, all at once; names that they mention are bound by none.

    What the term binds keeps its name, but where one of them is among these.
    """
    both = (*values.keys(), *values.values())
    taken = union(map(mentioned, both))
    clash = any(bound_by(u) & taken for u in walk(term))
    renamed = substitute(term, {}, Fresh(term, *both)) if clash else term
    found = put(renamed, values)
    return term if found is renamed else found


def put(term: Term, values: Mapping[Term, Term]) -> Term:
    """Values in place of terms, in a term that binds no name that they mention."""
    if term in values:
        return values[term]
    if isinstance(term, Array):
        return term.with_shape(*([put(d, values) for d in part] for part in (term.dims, term.span)))
    return over_parts(term, lambda u: put(u, values))


def replaced(term: Term, old: Term, new: Term) -> Term:
    """The term with one thing for another, but where a name of either has another meaning."""
    if term is old:
        return new
    if bound_by(term) & (free(old) | free(new)):
        return term
    return over_parts(term, lambda u: replaced(u, old, new))
