"""Refuses terms that cannot be read: an unknown name, a part of another sort. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, repeat

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import (
    BOOL,
    INT,
    REAL,
    Array,
    DefinitionError,
    Read,
    Scatter,
    Sym,
    Term,
    Triple,
    is_bundle,
    sort_of,
    walk,
)

NUMBER, ONE = "number", "one number"  # an integer or a real; of ONE there is not one per axis

# The sorts that the parts of a node take, the last one for all that follow. A node that is not here
# is refused; one that takes nothing has a function of its own.
SIGNATURES: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((t.Add, t.Mul, t.Min, t.Max), (NUMBER,)),
    **dict.fromkeys((t.Eq, t.Ne, t.Le, t.Lt, t.Ge, t.Gt), (NUMBER,)),
    **dict.fromkeys((t.Div, t.Exp, t.Log), (ONE,)),
    t.Power: (ONE, INT),
    **dict.fromkeys((t.FloorDiv, t.CeilDiv, t.Mod, t.TruncDiv, t.TruncMod), (INT,)),
    **dict.fromkeys((t.NatSub, t.NatDiv, t.Divides, t.AxisProduct), (INT,)),
    **dict.fromkeys((t.And, t.Or, t.Not, t.AllAxes, t.Bracket), (BOOL,)),
    t.If: (BOOL, NUMBER),
    **dict.fromkeys((t.Sum, t.Prod), (ONE,)),
    **dict.fromkeys((t.Exists, t.ForAll), (BOOL,)),
    t.Maximum: (ONE, BOOL, ONE),
    **dict.fromkeys((t.Winner, t.Unique), (ONE, BOOL)),
    **dict.fromkeys((t.Fold, t.Slope, t.Linear, t.Read, t.PaddedRead, t.Apply), ()),
}

ONE_VALUE = "product({0.inner}): it has one value, not one per axis"
CHOOSES_ONCE = "{0} chooses once for all axes; per axis use Max and Min"

# What a node cannot be, and what is said of it.
FAULTS: tuple[tuple[type[Term], Callable[[Term], bool], str], ...] = (
    (t.AxisProduct, lambda u: not is_bundle(u.inner), ONE_VALUE),
    (t.Slope, lambda u: type(u.cell) is not Read, "{0.cell} is not a cell to differentiate by"),
    (t.Slope, lambda u: sort_of(u.body) == BOOL, "{0.body} is a condition, and has no derivative"),
    (t.If, lambda u: is_bundle(u) and t.mentions(u.condition, t.AllAxes), CHOOSES_ONCE),
    (t.Min, lambda u: not u.args, "Min() of nothing"),
    (t.Max, lambda u: not u.args, "Max() of nothing"),
)


@dataclass(frozen=True)
class Scope:
    """Where a term stands, for messages; the names known there, and the arrays it may read."""

    where: str
    known: frozenset[Sym] = frozenset()
    readable: frozenset[Array] = frozenset()

    def refuse_if(self, fault: bool, said: str, *parts: object) -> None:
        if fault:
            raise DefinitionError(f"{self.where}: {said.format(*parts)}")

    def at(self, part: str, readable: Iterable[Array] = ()) -> Scope:
        return replace(self, where=f"{self.where}, {part}", readable=frozenset(readable))

    def knowing(self, symbols: Iterable[Sym]) -> Scope:
        return replace(self, known=self.known.union(symbols))


def check_binders(term: Term, scope: Scope) -> None:
    """No range or state binds a size, or one symbol twice, or one that an earlier end mentions."""
    for u in walk(term) if isinstance(term, Term) else ():
        ranges = u.ranges if isinstance(u, t.Binder | Scatter) else ()
        states = u.states if isinstance(u, t.Fold) else ()
        bound = [symbol for symbol, _, _ in (*ranges, *states)]
        for number, symbol in enumerate(bound):
            ends = (end for _, *both in ranges[: number + 1] for end in both)
            taken = symbol in scope.known or any(symbol in free(end) for end in ends)
            twice = taken or bound.count(symbol) > 1
            scope.refuse_if(twice, "{} has a meaning already; bind another name", symbol)


def check_value(term: Term, scope: Scope) -> None:
    check_term(term, scope)
    fault = sort_of(term) == BOOL or is_bundle(term)
    scope.refuse_if(fault, "{} is not one real number", term)


def check_condition(term: Term, scope: Scope) -> None:
    fault = not isinstance(term, Term) or sort_of(term) != BOOL
    scope.refuse_if(fault, "{} is not a condition", term)
    check_term(term, scope)


def check_term(term: Term, scope: Scope) -> None:
    """Every name declared, every index of its array's rank, every bundle where a bundle may be."""
    if isinstance(term, Sym):
        said = "it is neither bound here, nor a size of an array, nor mentioned in requires"
        said += "; a range gives it a meaning: Sum(..., (j, 0, N - 1)), scatter(..., (i, 0, N - 1))"
        scope.refuse_if(term not in scope.known, f"unknown symbol {{}}; {said}", term)
    elif isinstance(term, t.Binder):
        check_binder(term, scope)
    elif isinstance(term, Term):
        inner = term.condition if isinstance(term, t.AllAxes) else term
        many = inner is term and isinstance(term, t.Relation | t.Divides) and is_bundle(term)
        scope.refuse_if(many, "{} was written for one number, not one per axis", term)
        for arg in inner.args:
            check_term(arg, scope)
        check_sorts(inner, scope)
        for kind, fault, said in FAULTS:
            scope.refuse_if(isinstance(inner, kind) and fault(inner), said, inner)
        if isinstance(inner, Read):
            check_read(inner, scope)
        if isinstance(inner, t.Apply):
            check_application(inner, scope)


def check_sorts(term: Term, scope: Scope) -> None:
    """That each part is of the sort which the signature of the node says."""
    scope.refuse_if(type(term) not in SIGNATURES, "{} cannot be a part of a term", term)
    if not (takes := SIGNATURES[type(term)]):
        return
    one = takes[0] == ONE or REAL in map(sort_of, term.args)
    many = "{0} has one value per axis, {1} needs one number; product({0}) is one"
    for arg, wanted in zip(term.args, chain(takes, repeat(takes[-1])), strict=False):
        found = sort_of(arg)
        unfit = (wanted == BOOL) != (found == BOOL)
        scope.refuse_if(unfit, "{} ({}) does not fit in {}", arg, found, term)
        scope.refuse_if(wanted == INT != found, "{} in {} is not an integer", arg, term)
        scope.refuse_if(one and is_bundle(arg), many, arg, term)


def check_read(term: Read, scope: Scope) -> None:
    hidden = term.array not in scope.readable
    scope.refuse_if(hidden, "{0} reads {0.array}, which may not be read here", term)
    index, dims = term.index, term.array.dims
    said = "{0}: {0.array} takes one index for each of its dimensions, ({1}), not {2}"
    fault = len(index) != len(dims)
    scope.refuse_if(fault, said, term, ", ".join(map(str, dims)), len(index))
    for e, n in zip(index, dims, strict=True):
        said = "index {} of {} is not an integer; integer_array(...) and count(...) are"
        scope.refuse_if(sort_of(e) != INT, said, e, term)
        many = is_bundle(e) and not is_bundle(n)
        scope.refuse_if(many, "index {} of {} has one value per axis, {} has not", e, term, n)


def check_application(term: t.Apply, scope: Scope) -> None:
    takes = 0 if term.function.name == "pi" and term.function.built_in else 1
    said = "{0} takes {1}, not {2}"
    given = len(term.arguments)
    scope.refuse_if(given != takes, said, term.function, takes, given)
    for inner in term.arguments:
        unfit = sort_of(inner) == BOOL or is_bundle(inner)
        scope.refuse_if(unfit, "{}: {} is not one real number", term, inner)


# Binders.


def check_ranges(ranges: Iterable[Triple], scope: Scope) -> Scope:
    for symbol, *ends in ranges:
        for end in ends:
            check_term(end, scope)
            said = "{}, an end of the range of {}, is no integer"
            scope.refuse_if(sort_of(end) != INT, said, end, symbol)
            many = is_bundle(end) and not symbol.is_bundle
            scope.refuse_if(many, "{} is one number, {} has one per axis", symbol, end)
        scope = scope.knowing((symbol,))
    return scope


def check_binder(term: t.Binder, scope: Scope) -> None:
    inner = check_ranges(term.ranges, scope)
    scope.refuse_if(not term.ranges, "{} has no range", term)
    for number, wanted in enumerate(SIGNATURES[type(term)]):
        check_part = check_condition if wanted == BOOL else check_value
        check_part(term.args[number], scope if number in term.outside else inner)
    if isinstance(term, t.Fold):
        check_fold(term, scope, inner)
    if isinstance(term, t.Winner):
        check_places(term, scope)


def check_places(term: t.Winner, scope: Scope) -> None:
    for place, (symbol, _, _) in zip(term.at, term.ranges, strict=True):
        check_term(place, scope)
        unfit = sort_of(place) != INT or is_bundle(place) != symbol.is_bundle
        scope.refuse_if(unfit, "place {} does not fit the range of {}", place, symbol)


def check_fold(term: t.Fold, scope: Scope, inner: Scope) -> None:
    states = {state for state, _, _ in term.states}
    moved = any(isinstance(u, t.Slope) and free(u) & states for u in walk(term))
    scope.refuse_if(moved, "{} differentiates a state, which is no cell", term)
    for state, start, step in term.states:
        check_term(start, scope)
        check_step(step, inner.knowing(states))
        for value in (start, step):
            fits = sort_of(value) in (state.sort, INT)
            unfit = not fits or (is_bundle(value) and not state.is_bundle)
            scope.refuse_if(unfit, "state {} cannot hold {}", state, value)
    check_term(term.body, scope.knowing(states))


def check_step(step: Term, scope: Scope) -> None:
    """A loop's branch is one for all axes, also where it assigns a bundle."""
    if isinstance(step, t.If):
        check_condition(step.condition, scope)
        check_step(step.then, scope)
        check_step(step.otherwise, scope)
        return
    check_term(step, scope)
    fault = sort_of(step) == BOOL
    scope.refuse_if(fault, "{} is a condition, and no state can hold it", step)
