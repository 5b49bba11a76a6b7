"""Whether a recurrence leaves out a boundary alone: two sides it compares must part. Deciding.

Where they were equal all around a point, they would be so as one cell of an input moves alone. One
on which nothing else of the two sides depends, and which is in one product of one side, parts them.
What is left out, the scope of a proof names; this keeps proofs that say too little from counting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property, partial

import sympy

from gradproof.language import terms as t
from gradproof.language.functions import functions_in
from gradproof.language.ops import replace_reads, value_at
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.systems import Equations, made_by, reaching, read_by, recurrences
from gradproof.language.terms import Array, Term, Terms
from gradproof.language.wellformed import is_branch
from gradproof.prove.rules.smt import canonical
from gradproof.prove.tactics.proving import prove_part
from gradproof.theorems.composition import Boundaries, place_of
from gradproof.theorems.directions import direction
from gradproof.theorems.parting import UNSAID, cases_in, factors_of, parting
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.statuses import Status

DEPTHS = 4  # how often the values of states are put in their place
STRICT = (t.Lt, t.Gt, t.Ne)


def leaves_out_more(theorem: Theorem, rlimit: int) -> bool:
    """Whether a step of a recurrence may compare equals at more than single points."""
    return not all(
        any(is_proved(theorem, said(depth), rlimit) for depth in range(DEPTHS))
        for said in comparisons(theorem)
    )


def is_proved(theorem: Theorem, sequents: Iterator[Sequent], rlimit: int) -> bool:
    found = (prove_part(theorem, s, False, rlimit).status for s in sequents)
    return all(status == Status.PROVED for status in found)


def comparisons(theorem: Theorem) -> Iterator[Callable[[int], Iterator[Sequent]]]:
    """What is to be shown, for each array that a system computes, at some depth."""
    for sequent in theorem.sequents:
        system = tuple(e for e in sequent.where if made_by(e).role == "primal")
        moved = {u.cell.array for u in t.walk(sequent.then) if isinstance(u, t.Slope)}
        for x in (x for x in system_inputs(system) & moved if recurrences(system)):
            fixed = held(sequent.when, system, x)
            for equation in system:
                yield partial(parted, system, x, equation, fixed)


def system_inputs(system: Equations) -> frozenset[Array]:
    """What is read, and not computed."""
    return frozenset().union(*map(read_by, system)) - {made_by(e) for e in system}


def held(when: Terms, system: Equations, x: Array) -> frozenset[Array]:
    """The inputs that may not move freely, by what is required of values."""
    left_out = set(map(canonical, Boundaries(system, x).avoided(Fresh(*system))))
    closed = (c for c in when if canonical(c) not in left_out and not is_open(c))
    return frozenset(a for c in closed for a in t.arrays(c))


def is_open(condition: Term, turned: bool = False) -> bool:
    """Whether it holds all around a point where it holds: it compares what moves without jumps."""
    if isinstance(condition, t.Not):
        return is_open(condition.condition, not turned)
    if isinstance(condition, t.Relation):
        is_strict = isinstance(condition, STRICT) != turned
        return not t.arrays(condition) or (is_strict and not may_jump(condition))
    if isinstance(condition, t.And | t.Or):
        return all(is_open(part, turned) for part in condition.args)
    return isinstance(condition, t.ForAll) and is_open(condition.body, turned)


def may_jump(condition: Term) -> bool:
    """Whether a side, or the value of a function in it, chooses; a maximum of parts has no jump."""
    chosen = (u for u in t.walk(condition) if not isinstance(u, t.Max | t.Min))
    values = (value for f in functions_in((condition,)) for value in f.value)
    return any(map(is_branch, chosen)) or any(t.mentions(v, t.If, t.Bracket) for v in values)


def parted(
    system: Equations, x: Array, equation: Term, fixed: Set[Array], depth: int
) -> Iterator[Sequent]:
    sides = Sides(system, fixed, depth)
    boundaries, fresh = Boundaries(system, x, sides.off), Fresh(*system)
    place = place_of(made_by(equation), (), fresh)
    for said in boundaries.avoided_by(equation, place, fresh):
        yield Sequent(t.cells(made_by(equation)[place]), (), sides.of_winners(said))


@dataclass(frozen=True)
class Sides:
    """What two sides of a comparison are computed from."""

    system: Equations
    fixed: Set[Array]
    depth: int

    @cached_property
    def rules(self) -> dict[Array, Term]:
        return {made_by(e): e for e in self.system}

    @cached_property
    def reached(self) -> dict[Array, set[Array]]:
        return reaching(self.system)

    @cached_property
    def free(self) -> frozenset[Array]:
        return frozenset(a for a in system_inputs(self.system) - self.fixed if not a.span)

    def off(self, left: Term, right: Term, moved: Set[Array]) -> Term:
        may_part = parting(left, right, moved)
        return UNSAID if may_part == UNSAID else t.Or(t.Not(may_part), *self.ways(left, right))

    def of_winners(self, said: Term) -> Term:
        """With, in place of that one is largest, that any two of them part."""
        said = t.over_parts(said, self.of_winners)
        if not isinstance(said, t.Unique):
            return said
        fresh = Fresh(*self.system, said)
        names = {symbol: fresh(symbol) for symbol, _, _ in said.ranges}
        body, where = (substitute(u, names, fresh) for u in (said.body, said.where))
        ranges, ends = [*said.ranges], dict[Term, Term]()
        for symbol, *both in said.ranges:
            ranges.append(sympy.Tuple(names[symbol], *(substitute(e, ends, fresh) for e in both)))
            ends[symbol] = names[symbol]
        same = t.And(*(t.Eq(a, b) for a, b in names.items()))
        apart = t.Not(t.And(said.where, where))
        return t.ForAll(t.Or(same, apart, *self.ways(said.body, body)), *ranges)

    def ways(self, left: Term, right: Term) -> Iterator[Term]:
        """That they differ, or where a cell parts them."""
        fresh = Fresh(*self.system, left, right)
        for _ in range(self.depth):
            left, right = (self.with_values(side, fresh) for side in (left, right))
        yield t.Ne(left, right)
        found = added_up((*summands(left), *summands(t.Mul(-1, right))))
        for n, (when, factors) in enumerate(found):
            if all(map(self.is_free, factors)):
                nonzero = (t.Ne(u, 0) for u in factors if not t.arrays(u))
                for cell in (u for u in factors if isinstance(u, t.Read)):
                    others = (self.apart(cell, o, fresh) for o in (*found[:n], *found[n + 1 :]))
                    yield t.And(*when, *nonzero, *(c for each in others for c in each))

    def with_values(self, side: Term, fresh: Fresh) -> Term:
        def find(read: t.Read) -> Callable[..., Term] | None:
            rule = self.rules.get(read.array)
            return None if rule is None else lambda *index: value_at(rule, index, fresh)

        return replace_reads(side, find, fresh)

    def is_free(self, factor: Term) -> bool:
        return not t.arrays(factor) or (
            isinstance(factor, t.Read)
            and factor.array in self.free
            and not any(map(t.arrays, factor.index))
        )

    def apart(self, cell: t.Read, summand: Summand, fresh: Fresh) -> Iterator[Term]:
        """That nothing of a summand depends on a cell."""
        when, factors = summand
        for read, over in (found for u in factors for found in reads_in(u)):
            for then in self.independent(cell, read, fresh):
                whole = t.Or(t.Not(t.And(*when)), then) if when else then
                yield t.ForAll(whole, *over) if over else whole

    def independent(self, cell: t.Read, read: t.Read, fresh: Fresh) -> Iterator[Term]:
        """That what is read does not depend on a cell: all that may come before it is looked at."""
        if read.array == cell.array:
            yield elsewhere(cell, read)
        rule = self.rules.get(read.array)
        if rule is None:
            return
        group = next((g for g in recurrences(self.system) if rule in g), ())
        axis, downwards = direction(group) if group else (0, False)
        for array in self.reached[read.array] | {read.array}:
            place = array[place_of(array, (), fresh)]
            value = value_at(self.rules[array], place.index, fresh)
            ends = (read.index[axis], place.index[axis]) if self.rules[array] in group else (0, 0)
            earlier = t.relation(t.Ge if not downwards else t.Le, *ends)
            for inner, over in reads_in(value):
                if inner.array == cell.array:
                    then = t.Or(t.Not(earlier), elsewhere(cell, inner))
                    anywhere = (*t.cells(place), *over)
                    yield t.ForAll(then, *anywhere) if anywhere else then


Summand = tuple[Terms, Terms]


def added_up(parts: Iterable[Summand]) -> list[Summand]:
    """Without those that cancel; of those that are the same, one."""
    found: dict[Summand, sympy.Rational] = {}
    for when, factors in parts:
        key = when, tuple(sorted((u for u in factors if not u.is_number), key=str))
        found[key] = found.get(key, 0) + math.prod(u for u in factors if u.is_number)
    return [key for key, number in found.items() if number != 0]


def summands(term: Term, when: Terms = ()) -> Iterator[Summand]:
    """The products of which a term is the sum, each where it is chosen."""
    factors = tuple(factors_of(term))
    for n, factor in enumerate(factors):
        parts = parts_of(factor)
        for chosen, part in parts:
            others = t.Mul(*factors[:n], part, *factors[n + 1 :])
            yield from summands(others, (*when, *t.conjuncts(chosen)))
        if parts:
            return
    yield when, factors


def parts_of(factor: Term) -> tuple[tuple[Term, Term], ...]:
    """What a factor is the sum of, and where; nothing if it stays as it is."""
    if isinstance(factor, t.Bracket):
        return ((factor.condition, sympy.Integer(1)),)
    if isinstance(factor, t.PaddedRead):
        inside = t.inside(factor.index, factor.array.dims)
        return ((inside, t.Read(factor.array, *factor.index)),)
    if isinstance(factor, t.Add) and t.arrays(factor):
        return tuple((t.And(), part) for part in factor.args)
    chooses = isinstance(factor, t.If | t.Max | t.Min) and t.arrays(factor)
    return cases_in(factor) if chooses else ()


def reads_in(term: Term, over: Terms = ()) -> Iterator[tuple[t.Read, Terms]]:
    """All that is read, with the ranges of the indices that are bound there."""
    if isinstance(term, t.Read):
        yield term, over
    inner = (*over, *term.ranges) if isinstance(term, t.Binder) else over
    for part in () if isinstance(term, t.LEAVES) else term.args:
        yield from reads_in(part, inner)


def elsewhere(cell: t.Read, read: t.Read) -> Term:
    return t.Or(*(t.Ne(*both) for both in zip(cell.index, read.index, strict=True)))
