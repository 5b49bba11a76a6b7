"""What a rule owes at a point: to lie between the derivatives just beside it. Trusted.

A *way* leads straight out of a point, as cells move at given speeds. Just beside the point every
branch of a formula is taken as that way takes it, all of them together: the derivative there is one
that the op really has. A rule owes, along every move of the cells, no less than the least and no
more than the greatest of these: where all ways agree, as off every boundary, their one derivative,
though the formula branches; else a mean of them.

A way *tells* if it decides every comparison that matters. Where none does, nothing can be said;
a part of the statement says that one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, permutations, product
from math import inf

import sympy

from gradproof.language import terms as t
from gradproof.language.functions import (
    derivative_of,
    domain_of,
    turning,
    turns_by_itself,
    value_of,
)
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import INT, REAL, Array, Term, Terms, sort_of
from gradproof.theorems.cones import Row, TooMany, as_row, in_parts
from gradproof.theorems.parting import UNSAID, NoPolynomial, cancelled, monomials, parting
from gradproof.theorems.sequents import Limits

MOST_DERIVATIVES = 6  # by which a comparison of polynomials is decided just beside a point
MOST_SPEEDS = 2  # cells that move at all speeds and signs; more go by few ways
MOST_PARTS = 24  # of all ways, by comparisons that are linear
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
CHOICES = (t.If, t.Bracket, t.Max, t.Min, t.Maximum, t.Winner, t.Unique)


@dataclass(frozen=True)
class Entry:
    """A cell by which the output is differentiated, how far it moves, and what a rule says."""

    cell: t.Read
    move: t.Read
    said: Term


class Unsaid(Exception):
    """What a rule owes cannot be written down; says because of which part."""


@dataclass(frozen=True)
class Owed:
    """What a rule owes, and that there is a way that tells."""

    then: Term
    told: Term
    limits: Limits | None
    by_one: bool  # of only one comparison: then it is said of all cells if of any two


def owed(value: Term, entries: tuple[Entry, ...]) -> Owed | None:
    """What is owed of one cell of the output; none where no branch reads the cells."""
    names = frozenset(entry.cell.array.name for entry in entries)
    met = dict.fromkeys(meetings(value, names, ()))
    if not met:
        return None
    (first, *others) = met
    is_one = not others and isinstance(first, t.Eq) and len(entries) > 1
    found, told = by_one(value, entries, names, first) if is_one else by_ways(value, entries, names)
    along = moved(entries, [entry.said for entry in entries])
    asked = [
        t.Or(*(t.And(*each, kind(along, moved(entries, slopes))) for each, slopes in found))
        for kind in (t.Ge, t.Le)
    ]
    said = [entry.said for entry in entries]
    as_one = (t.And(*each, *map(t.Eq, said, slopes)) for each, slopes in found)
    apart = t.Not(t.Or(*met))
    moves = tuple((entry.cell, entry.move) for entry in entries)
    limits = Limits(value, moves, along) if len(moves) > 1 else None  # one cell has two ways
    return Owed(t.Or(apart, *as_one, t.And(*asked)), t.Or(apart, told), limits, is_one)


def one_limit(value: Term, entries: tuple[Entry, ...]) -> Term:
    """That a rule says by all cells what one way does, on which a cell moves that is read."""
    names = frozenset(entry.cell.array.name for entry in entries)
    known = free(value)
    found = [t.Not(t.Or(*dict.fromkeys(meetings(value, names, ()))))]
    for cell, sign in product(read_anywhere(value, names), (1, -1)):
        side, parts = Beside(names, ((cell, sympy.Integer(sign)),)), []
        for entry in entries:
            told, (slope,) = side.found(value, (entry,))
            own = [r for r in t.cells(entry.cell) if isinstance(r[0], t.Sym) and r[0] not in known]
            then = t.And(*told, t.Eq(entry.said, slope))
            parts.append(t.ForAll(then, *own) if own else then)
        found.append(t.And(*parts))
    return t.Or(*found)


Sides = list[tuple[Terms, list[Term]]]  # conditions, and the derivatives by the entries' cells


def by_ways(value: Term, entries: tuple[Entry, ...], names: frozenset[str]) -> tuple[Sides, Term]:
    within = any(isinstance(m, t.Exists) for m in meetings(value, names, ()))
    alone = len(entries) == 1 and any(u == entries[0].cell for u in t.walk(value))
    sides = (Beside(names, way, alone=alone) for way in ways(value, entries, within, names))
    found = [side.found(value, entries) for side in sides]
    return found, t.Or(*(t.And(*told) for told, _ in found))


def by_one(
    value: Term, entries: tuple[Entry, ...], names: frozenset[str], met: Term
) -> tuple[Sides, Term]:
    """The two sides of the only comparison there is: some cell crosses it, or they are alike."""
    cells = [entry.cell for entry in entries]
    found: Sides = []
    for way in (True, False, None):
        side = OneSide(names, (), is_above=way)
        valued = tuple(dict.fromkeys(side.has_values(value)))
        found.append((valued, [side.slope(value, cell) for cell in cells]))
    still = Beside(names, ())
    crossed = []
    for cell in (*cells, *(r for r in reads_in(met, names) if r not in cells)):
        by_left, by_right = (still.slope(part, cell) for part in met.args)
        within = [] if cell in cells else [t.inside(cell.index, cell.array.dims)]
        if by_left != by_right:
            crossed.append(t.And(*within, t.Ne(by_left, by_right)))
    real = t.Or(*crossed, t.And(*map(t.Eq, found[0][1], found[1][1])))
    same = never_parted(met, {cell.array for cell in cells})
    if same is None:
        return found[:2], t.And(*(c for each, _ in found[:2] for c in each), real)
    two = [((real, *each), slopes) for each, slopes in found[:2]]
    here, slopes = found[2]
    every = [*two, ((same, *here), slopes)]
    return every, t.Or(*(t.And(*each) for each, _ in every))


def reads_in(term: Term, names: frozenset[str]) -> Iterator[t.Read]:
    """The cells that a term reads wherever it is, not those of a sum."""
    found = (u for u in t.walk(term) if isinstance(u, t.Read) and u.array.name in names)
    yield from dict.fromkeys(u.array[u.index] for u in found if free(u) <= free(term))


def never_parted(met: Term, moved: Set[Array]) -> Term | None:
    """That two sides are one polynomial, equal all around a point; none if they are nowhere."""
    left, right = met.args
    may_part = parting(left, right, moved)
    return None if may_part in (UNSAID, t.And()) else t.Not(may_part)


def moved(entries: tuple[Entry, ...], slopes: list[Term]) -> Term:
    """How fast the output changes along a move; of one cell, at speed 1."""
    if len(entries) == 1:
        return slopes[0]
    return t.Add(*(t.Mul(each, e.move) for e, each in zip(entries, slopes, strict=True)))


Way = tuple[tuple[t.Read, Term], ...]  # cells, and how fast each moves


def ways(
    value: Term, entries: tuple[Entry, ...], within_sums: bool, named: frozenset[str]
) -> Iterator[Way]:
    """Along the move and against it; and one for each way in which comparisons may come out."""
    cells = [entry.cell for entry in entries]
    if len(cells) > 1:
        for sign in (1, -1):
            speeds = [entry.move if sign == 1 else t.Mul(-1, entry.move) for entry in entries]
            yield (*zip(cells, speeds, strict=True),)
    if within_sums:
        for read in read_anywhere(value, named):
            yield from (((read, sympy.Integer(sign)),) for sign in (1, -1))
    for numbers in speeds_in_parts(value, cells, named) or speeds_of(len(cells)):
        yield tuple((cell, sympy.Rational(v)) for cell, v in zip(cells, numbers, strict=True) if v)


def read_anywhere(value: Term, names: frozenset[str]) -> Iterator[t.Read]:
    """The cells that a value reads at a place of its own."""
    found = (u for u in t.walk(value) if isinstance(u, t.Read) and u.array.name in names)
    yield from dict.fromkeys(read for read in found if free(read) <= free(value))


def speeds_of(cells: int) -> Iterator[tuple[int, ...]]:
    """Each cell at a speed of its own; few cells at all speeds and signs, of more each alone."""
    counted = tuple(range(1, cells + 1))
    if cells <= MOST_SPEEDS:
        for order, signs in product(permutations(counted), product((1, -1), repeat=cells)):
            yield tuple(a * b for a, b in zip(order, signs, strict=True))
        return
    for sign in (1, -1):
        yield tuple(sign * speed for speed in counted)
        for cell in range(cells):
            yield tuple(sign * int(other == cell) for other in range(cells))


def speeds_in_parts(
    value: Term, cells: list[t.Read], names: frozenset[str]
) -> list[tuple[Fraction, ...]]:
    """Where all that is compared is linear: all there is, as a way for each part. Else nothing."""
    rows = []
    for met in meetings(value, names, ()):
        sides = (met.body if isinstance(met, t.Exists) else met).args
        rows += [rise(left, right, cells, names) for left, right in product(*map(leaves, sides))]
    if None in rows or not rows:
        return []
    try:
        found = [*islice(in_parts(row for row in rows if row), MOST_PARTS + 1)]
    except TooMany:
        return []
    each = [tuple(way.get(cell, Fraction(0)) for cell in cells) for way in found]
    return each if len(each) <= MOST_PARTS else []


def leaves(term: Term) -> tuple[Term, ...]:
    """All that a branch or a maximum may be."""
    if isinstance(term, t.If | t.Max | t.Min):
        return tuple(u for part in term.args[isinstance(term, t.If) :] for u in leaves(part))
    return (term,)


def rise(left: Term, right: Term, cells: list[t.Read], names: frozenset[str]) -> Row | None:
    """How fast a difference rises with each cell; none if that depends on where it is."""
    rises: dict[t.Read, Fraction] = {}
    try:
        for m in cancelled((*monomials(left, 1), *monomials(right, -1))):
            read = [cell for cell in m.cells if cell.array.name in names]
            if read and (m.when or len(m.cells) > 1 or read[0] not in cells):
                return None
            for cell in read:
                number = sympy.Rational(m.number)
                rises[cell] = Fraction(int(number.p), int(number.q))
    except NoPolynomial:
        return None
    return as_row(rises)


# What decides.


def meetings(term: Term, names: frozenset[str], over: Terms) -> Iterator[Term]:
    """That a comparison of reals is an equality, of each that decides a branch by the arrays."""
    if not isinstance(term, t.Term) or not moves(term, names):
        return
    if isinstance(term, t.Maximum | t.Winner | t.Unique) or (
        isinstance(term, t.Fold) and turns(term)
    ):
        raise Unsaid(f"{term}")
    compared = term.args if isinstance(term, t.Relation) else ()
    if isinstance(term, t.Max | t.Min) and sort_of(term) == REAL:
        yield from (at_some_place(t.Eq(a, b), over) for a, b in pairs(term))
    elif any(sort_of(side) == REAL for side in compared):
        yield at_some_place(t.Eq(*compared), over)
    if isinstance(term, t.Apply):
        if turns_by_itself(term):
            raise Unsaid(f"{term}")
        for said in turning(term):
            yield from meetings(said, names, over)
    if isinstance(term, t.Read):
        if any(moves(e, names) for e in term.index):
            raise Unsaid(f"{term}")
        return
    if isinstance(term, t.Binder):
        if any(moves(r, names) for r in term.ranges):
            raise Unsaid(f"{term}")
        yield from meetings(term.body, names, (*over, *term.ranges))
        return
    for part in term.args:
        yield from meetings(part, names, over)


def at_some_place(condition: Term, over: Terms) -> Term:
    return t.Exists(condition, *over) if over else condition


def pairs(extremum: Term) -> Iterator[tuple[Term, Term]]:
    """The largest part so far against the next."""
    first, *rest = extremum.args
    for other in rest:
        yield first, other
        first = extremum.func(first, other)


def moves(term: Term, names: frozenset[str]) -> bool:
    return any(a.name in names for a in t.arrays(term))


@t.remembered
def turns(term: Term) -> bool:
    """Whether it chooses anywhere, functions that it applies included."""
    if isinstance(term, t.Apply) and turning(term):
        return True
    if isinstance(term, t.PaddedRead):
        return any(map(turns, term.index))
    parts = () if isinstance(term, t.LEAVES) else term.args
    return isinstance(term, CHOICES) or any(map(turns, parts))


# Just beside a point.


@dataclass(frozen=True)
class Beside:
    """Values, derivatives and conditions just beside a point, on one way out of it."""

    names: frozenset[str]
    way: Way
    held: frozenset[Term] = frozenset()  # windows, each taken as a variable of its own
    alone: bool = False  # one cell is read, at one place
    values: dict[Term, Term] = field(default_factory=dict, compare=False)
    slopes: dict[tuple[Term, Term], Term] = field(default_factory=dict, compare=False)

    def found(self, value: Term, entries: tuple[Entry, ...]) -> tuple[Terms, list[Term]]:
        """When the way tells, and the derivatives by the cells of the entries."""
        cells = tuple(entry.cell for entry in entries)
        there = (t.inside(u.index, u.array.dims) for u, _ in self.way if type(u) is not t.Read)
        told = dict.fromkeys((*there, *self.has_values(value), *self.told(value, cells)))
        return tuple(told), [self.slope(value, cell) for cell in cells]

    def is_still(self, term: Term) -> bool:
        """Whether nothing in it is chosen by cells that move."""
        return not isinstance(term, t.Term) or not moves(term, self.names) or not turns(term)

    def value(self, term: Term) -> Term:
        """What a term tends to; that of what jumps is not its own."""
        if isinstance(term, t.Condition):
            return self.condition(term)
        if self.is_still(term) or term in self.held:
            return term
        if term not in self.values:
            self.values[term] = self.tends(term)
        return self.values[term]

    def tends(self, term: Term) -> Term:
        if isinstance(term, t.Apply):
            known = value_of(term)
            if known is not None and turns(known):
                return self.value(known)
        if isinstance(term, t.Sum | t.Prod):
            return t.rebuild(term, (self.value(term.body), *term.ranges))
        if isinstance(term, t.Binder):
            raise Unsaid(f"{term}")
        return t.over_parts(term, self.value)

    def condition(self, condition: Term) -> Term:
        """A condition, as it is decided."""
        if not moves(condition, self.names):
            return condition
        if isinstance(condition, t.And | t.Or | t.Not):
            return condition.func(*map(self.condition, condition.args))
        if isinstance(condition, t.Exists | t.ForAll):
            return condition.func(self.condition(condition.body), *condition.ranges)
        if isinstance(condition, t.Relation):
            sides = tuple(map(self.value, condition.args))
            if all(sort_of(side) == INT for side in sides):
                return condition.func(*sides)
            return self.compared(type(condition), sides, condition.args, self.degree(condition))
        raise Unsaid(f"{condition}")

    def compared(self, kind: type[Term], sides: Terms, of: Terms, most: int) -> Term:
        """By the first derivatives along the way that differ."""
        if most == 0:
            return kind(*sides)
        slopes = tuple(map(self.along, of[::-1] if self.is_back else of))
        after = self.compared(kind, slopes, slopes, most - 1)
        parted = t.Or() if kind is t.Eq else STRICT.get(kind, kind)(*sides)
        return t.Or(parted, t.And(t.Eq(*sides), after))

    def degree(self, relation: Term) -> int:
        """How many derivatives decide a comparison; of what are no polynomials, the first."""
        most = max(degree_in(side, self.names) for side in relation.args)
        is_one = self.alone or len(self.way) == 1
        return int(most) if most <= MOST_DERIVATIVES and is_one else 1

    @property
    def is_back(self) -> bool:
        """Whether one cell falls: then what rises more is less, and no sign has to be carried."""
        return len(self.way) == 1 and self.way[0][1] == -1

    def along(self, term: Term) -> Term:
        """The derivative along the way; as a cell rises where it falls."""
        if self.is_back:
            return self.slope(term, self.way[0][0])
        parts = (product_of(speed, self.slope(term, cell)) for cell, speed in self.way)
        return t.plus(*(part for part in parts if part != 0))

    def slope(self, term: Term, cell: t.Read) -> Term:
        """The derivative by a cell."""
        if self.alone:
            return self.partial(term, cell)
        if not isinstance(term, t.Term) or not t.reads(term, cell.array) or term in self.held:
            return ZERO
        if self.is_still(term):
            return t.Slope(term, cell)
        if (term, cell) not in self.slopes:
            parts = self.by_reads(term, cell) if isinstance(term, t.Sum) else None
            self.slopes[term, cell] = (
                self.derived(term, lambda u: self.slope(u, cell)) if parts is None else parts
            )
        return self.slopes[term, cell]

    def by_reads(self, term: t.Sum, cell: t.Read) -> Term | None:
        """Of a sum: at the places that read the cell, by each read; none where these are bound."""
        reads = dict.fromkeys(
            u for u in t.walk(term.body) if isinstance(u, t.Read) and u.array == cell.array
        )
        inner = (u for u in t.walk(term.body) if isinstance(u, t.Binder))
        if any(t.reads(u, cell.array) for u in inner):
            return None
        places = (t.And(*map(t.Eq, read.index, cell.index)) for read in reads)
        slopes = (self.partial(term.body, read) for read in reads)
        by = ((t.Bracket(here), slope) for here, slope in zip(places, slopes, strict=True))
        return t.plus(*(t.Sum(t.Mul(*each), *term.ranges) for each in by if ZERO not in each))

    def partial(self, term: Term, part: Term) -> Term:
        """The derivative by a read or a window in it, as a variable of its own."""
        if term == part:
            return ONE
        if not isinstance(term, t.Term) or not any(u == part for u in t.walk(term)):
            return ZERO
        if isinstance(term, t.Read | t.Maximum):
            return ZERO
        if (term, part) not in self.slopes:
            self.slopes[term, part] = self.derived(term, lambda u: self.partial(u, part))
        return self.slopes[term, part]

    def derived(self, term: Term, d: Callable[[Term], Term]) -> Term:
        """The rule of each kind of node, from derivatives of its parts."""
        if sort_of(term) == INT or isinstance(term, t.Bracket):
            return ZERO
        if isinstance(term, t.If):
            then, otherwise = map(d, term.args[1:])
            chosen = self.condition(term.condition)
            return then if then == otherwise else t.If(chosen, then, otherwise)
        if isinstance(term, t.Max | t.Min):
            return d(as_pairs(term))
        if isinstance(term, t.Add):
            return t.plus(*map(d, term.args))
        if isinstance(term, t.Sum):
            inner = d(term.body)
            return ZERO if inner == 0 else t.Sum(inner, *term.ranges)
        if isinstance(term, t.Mul):
            parts = []
            for n, u in enumerate(term.args):
                if (by := d(u)) != 0:
                    others = map(self.value, (*term.args[:n], *term.args[n + 1 :]))
                    parts.append(product_of(by, *others))
            return t.plus(*parts)
        if isinstance(term, t.Div):
            by_above, by_below = map(d, term.args)
            below = self.value(term.below)
            direct = ZERO if by_above == 0 else t.Div(by_above, below)
            if by_below == 0:
                return direct
            lost = t.Mul(-1, self.value(term.above), by_below)
            return t.plus(direct, t.Div(lost, t.Mul(below, below)))
        if isinstance(term, t.Exp):
            return product_of(d(term.inner), self.value(term))
        if isinstance(term, t.Log):
            return t.Div(d(term.inner), self.value(term.inner))
        if isinstance(term, t.Power) and not moves(term.exponent, self.names):
            rest = t.Power(self.value(term.base), t.plus(term.exponent, -1))
            return product_of(d(term.base), term.exponent, rest)
        if isinstance(term, t.Apply):
            (inner,) = term.arguments
            return product_of(d(inner), self.value(derivative_of(term)))
        if isinstance(term, t.Prod):
            return self.of_product(term, d)
        raise Unsaid(f"{term}")

    def of_product(self, term: Term, d: Callable[[Term], Term]) -> Term:
        """Each factor's derivative in its place."""
        body = self.value(term.body)
        other = substitute(t.Prod(body, *term.ranges), {}, Fresh(term, body))
        both = zip(other.ranges, term.ranges, strict=True)
        here = t.And(*(t.Eq(a[0], b[0]) for a, b in both))
        rest = t.Prod(t.If(here, ONE, other.body), *other.ranges)
        return t.Sum(product_of(d(term.body), rest), *term.ranges)

    # Whether the way tells.

    def told(self, term: Term, cells: tuple[t.Read, ...], valued: bool = False) -> Iterator[Term]:
        """That each choice is decided, or makes no difference, to a value that counts either."""
        if self.is_still(term):
            return
        if isinstance(term, t.Max | t.Min):
            yield from self.told(as_pairs(term), cells, valued)
        elif isinstance(term, t.If):
            yield from self.told_within(term.condition)
            yield from self.of_branches(term, lambda u: self.told(u, cells, valued))
            first, second = term.args[1:]
            alike = [t.Eq(self.slope(first, c), self.slope(second, c)) for c in cells]
            same = t.And(*alike, *([t.Eq(*map(self.value, term.args[1:]))] if valued else ()))
            yield t.Or(t.And(*self.decided(term.condition)), same)
        elif isinstance(term, t.Bracket):
            if valued:
                yield from self.told_within(term.condition)
                yield from self.decided(term.condition)
        elif isinstance(term, t.Binder):
            inner = valued or not isinstance(term, t.Sum)
            for said in self.told(term.body, cells, inner):
                yield t.ForAll(said, *term.ranges)
        else:
            moving = sum(moves(part, self.names) for part in term.args if isinstance(part, t.Term))
            is_alone = isinstance(term, t.Add) or (isinstance(term, t.Mul) and moving == 1)
            inner = valued or not is_alone
            for part in term.args:
                yield from self.told(part, cells, inner)
            if isinstance(term, t.Apply) and turning(term):
                still = t.And(*(t.Eq(self.slope(u, c), 0) for u in term.arguments for c in cells))
                for part in turning(term):
                    for said in self.told(part, cells, True):
                        yield t.Or(still, said)

    def of_branches(self, choice: Term, said: Callable[[Term], Iterator[Term]]) -> Iterator[Term]:
        """What is said of a branch, where that is taken."""
        taken = self.condition(choice.condition)
        for when, part in ((t.Not(taken), choice.then), (taken, choice.otherwise)):
            yield from (t.Or(when, each) for each in said(part))

    def has_values(self, term: Term, guarded: bool = False) -> Iterator[Term]:
        """That what a branch computes has a value, and a derivative, at the point itself."""
        if not isinstance(term, t.Term) or not moves(term, self.names):
            return
        if isinstance(term, t.If):
            yield from self.of_branches(term, lambda u: self.has_values(u, True))
        elif isinstance(term, t.Mul) and t.guards_of(term):
            zero = t.Not(self.condition(t.And(*t.guards_of(term))))
            for part in term.args:
                yield from (t.Or(zero, each) for each in self.has_values(part, True))
        elif isinstance(term, t.Binder):
            for said in self.has_values(term.body, guarded):
                yield t.ForAll(said, *term.ranges)
        else:
            for part in () if isinstance(term, t.Read | t.Condition) else term.args:
                yield from self.has_values(part, guarded)
            yield from self.needs(term) if guarded else ()

    def needs(self, term: Term) -> Iterator[Term]:
        if isinstance(term, t.Div) and moves(term.below, self.names):
            yield t.Ne(self.value(term.below), 0)
        elif isinstance(term, t.Log):
            yield t.Gt(self.value(term.inner), 0)
        elif isinstance(term, t.Power):
            yield t.Or(t.Ne(self.value(term.base), 0), t.Ge(term.exponent, 1))
        elif isinstance(term, t.Apply) and domain_of(term) != t.And():
            yield self.value(domain_of(term))

    def told_within(self, condition: Term) -> Iterator[Term]:
        """Of what a condition compares: its values and how they move along the way."""
        for u in t.walk(condition):
            if isinstance(u, t.Relation):
                for side in u.args:
                    yield from self.told(side, tuple(cell for cell, _ in self.way))
            elif isinstance(u, t.Exists | t.ForAll) and not self.is_still(u.body):
                raise Unsaid(f"{u}")

    def decided(self, condition: Term) -> Iterator[Term]:
        """That each comparison comes out one way, all around what the way comes to."""
        if not moves(condition, self.names):
            return
        if isinstance(condition, t.And | t.Or | t.Not):
            for part in condition.args:
                yield from self.decided(part)
        elif isinstance(condition, t.Exists | t.ForAll):
            for said in self.decided(condition.body):
                yield t.ForAll(said, *condition.ranges)
        elif isinstance(condition, t.Relation):
            sides = tuple(map(self.value, condition.args))
            if any(sort_of(side) == REAL for side in sides):
                parted = self.parting(sides, condition.args, self.degree(condition))
                moving = {a for a in t.arrays(condition) if a.name in self.names}
                same = never_parted(t.Eq(*condition.args), moving)
                yield t.Or(*parted, *([] if same is None else [same]))
        else:
            raise Unsaid(f"{condition}")

    def parting(self, sides: Terms, of: Terms, most: int) -> Iterator[Term]:
        yield t.Ne(*sides)
        if most:
            slopes = tuple(map(self.along, of))
            yield from self.parting(slopes, slopes, most - 1)


@dataclass(frozen=True)
class OneSide(Beside):
    """On one side of the only comparison of reals, at a point where its sides are equal."""

    is_above: bool | None = True  # where it is none, conditions are as they are at the point

    def condition(self, condition: Term) -> Term:
        compared = condition.args if isinstance(condition, t.Relation) else ()
        if any(sort_of(side) == REAL for side in compared) and moves(condition, self.names):
            if self.is_above is None:
                return condition
            return (ABOVE if self.is_above else BELOW)[type(condition)](*compared)
        return super().condition(condition)


# A comparison that says at equality what it says on that side, and elsewhere what it says.
NEVER: dict[type, Callable[..., Term]] = {t.Eq: lambda *_: t.Or(), t.Ne: lambda *_: t.And()}
ABOVE = {t.Ge: t.Ge, t.Gt: t.Ge, t.Le: t.Lt, t.Lt: t.Lt, **NEVER}
BELOW = {t.Ge: t.Gt, t.Gt: t.Gt, t.Le: t.Le, t.Lt: t.Le, **NEVER}


def product_of(*factors: Term) -> Term:
    kept = [u for u in factors if u != 1]
    if ZERO in kept:
        return ZERO
    return t.Mul(*kept) if len(kept) > 1 else (kept or [ONE])[0]


STRICT = {t.Le: t.Lt, t.Ge: t.Gt}


@t.remembered
def as_pairs(extremum: Term) -> Term:
    """A maximum or minimum of parts as choices between the best so far and the next."""
    kind = t.Ge if isinstance(extremum, t.Max) else t.Le
    best, *rest = extremum.args
    first = best
    for other in rest:
        first, best = t.If(kind(best, other), first, other), extremum.func(best, other)
    return first


def degree_in(term: Term, names: frozenset[str]) -> float:
    """The degree in the cells of what is a polynomial on every side; of anything else infinite."""
    if not isinstance(term, t.Term) or not moves(term, names):
        return 0
    if isinstance(term, t.Read):
        return inf if any(moves(e, names) for e in term.index) else 1
    if isinstance(term, t.Mul):
        return sum(degree_in(factor, names) for factor in term.args)
    if isinstance(term, t.Bracket) or sort_of(term) == INT:
        return 0
    added, others = ADDED.get(type(term), slice(0)), [*term.args]
    del others[added]
    is_other = not isinstance(term, t.If) and any(
        isinstance(other, t.Term) and moves(other, names) for other in others
    )
    parts = [degree_in(part, names) for part in term.args[added]]
    return inf if is_other else max(parts, default=inf)


ADDED = {
    t.Add: slice(None),
    t.Max: slice(None),
    t.Min: slice(None),
    t.Div: slice(1),
    t.If: slice(1, 3),
    t.Sum: slice(1),
}
