"""What a rule does where branches meet: it goes with one of them, or between them. Trusted.

At a point where comparisons are equalities, each way to decide them is a *side*. If the value is
the same on all sides, the entries of a rule must be those of one side or between them, along
every move of the cells. Where the value jumps, nothing is asked. A side on which no point lies
beside this one does not count: so where a formula branches and the op is smooth, its derivative
is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product

import sympy

from gradproof.language import terms as t
from gradproof.language.core import as_choice
from gradproof.language.terms import Term, Terms
from gradproof.theorems.differentiability import is_whole

MOST_COMPARISONS = 3
ZERO = sympy.Integer(0)
Side = Mapping[Term, bool]  # how each comparison is decided where both of its sides are equal


@dataclass(frozen=True)
class Entry:
    """A cell by which the output is differentiated, how far it moves, and what a rule says."""

    cell: t.Read
    move: t.Read
    said: Term


class Unsaid(Exception):
    """Branches within something whose derivative is not derived here."""


def between(value: Term, entries: tuple[Entry, ...]) -> Term | None:
    """The condition for one cell of the output; none where no branch reads the cells."""
    names = {entry.cell.array.name for entry in entries}
    chosen = as_choices(value, names)
    found = dict(comparisons(chosen, names, ()))
    if not found or len(found) > MOST_COMPARISONS:
        return None
    sides = [
        dict(zip(found, way, strict=True)) for way in product((True, False), repeat=len(found))
    ]
    try:
        slopes = [[side_slope(chosen, e.cell, side, names) for e in entries] for side in sides]
    except Unsaid:
        return None
    first, *others = (decided(chosen, side) for side in sides)
    said = [entry.said for entry in entries]
    apart = t.Not(t.Or(*found.values()))
    jumps = t.Not(t.And(*(t.Eq(first, other) for other in others)))
    along, *ways = (moved(entries, each) for each in (said, *slopes))
    there = [tuple(lies_beside(side, chosen, found, names)) for side in sides]
    each_side = zip((*slopes, halfway(slopes)), (*there, (*there[0], *there[-1])), strict=True)
    return t.Or(
        apart,
        jumps,
        *(t.And(*real, *map(t.Eq, said, each)) for each, real in each_side),
        t.And(*(t.Or(*bounds(kind, along, ways, there)) for kind in (t.Ge, t.Le))),
    )


def bounds(kind: type[Term], along: Term, ways: list[Term], there: list[Terms]) -> Iterator[Term]:
    for way, real in zip(ways, there, strict=True):
        yield t.And(*real, kind(along, way)) if real else kind(along, way)


def lies_beside(side: Side, value: Term, met: Mapping[Term, Term], names: set[str]) -> Terms:
    """Conditions without which a side is nowhere beside the point; where that is not told, none.

    An equality holds nowhere beside a point where its sides differ in a derivative, and two
    comparisons of one cell turn as their derivatives say.
    """
    plain = [c for c in side if met[c] == t.Eq(*c.args) and not is_branched(c, names)]
    if may_be_undefined(value, names):
        return ()
    thin = (c for c in plain if isinstance(c, t.Eq | t.Ne) and side[c] == isinstance(c, t.Eq))
    flat = (t.And(*(t.Eq(gap(c, r), 0) for r in reads_in(c, names))) for c in thin)
    crossing = [c for c in plain if isinstance(c, t.Relation) and not isinstance(c, t.Eq | t.Ne)]
    return (*flat, *(agree(a, b, side, names) for a, b in pairs_of_one_cell(crossing, names)))


def is_branched(comparison: Term, names: set[str]) -> bool:
    return any(True for part in comparison.args for _ in comparisons(part, names, ()))


def may_be_undefined(value: Term, names: set[str]) -> bool:
    """What has no value beside a branch has no derivative to ask for."""
    below = (u.args[isinstance(u, t.Div)] for u in t.walk(value) if isinstance(u, t.Div | t.Power))
    divides = (u for u in below if reads_any(u, names))
    return t.mentions(value, t.Log, t.Apply) or any(True for _ in divides)


def reads_in(comparison: Term, names: set[str]) -> dict[t.Read, None]:
    found = (u for u in t.walk(comparison) if isinstance(u, t.Read) and u.array.name in names)
    return dict.fromkeys(found)


def gap(comparison: Term, cell: t.Read) -> Term:
    """How fast the left side of a comparison leaves the right one, as a cell moves."""
    left, right = (t.Slope(side, cell) for side in comparison.args)
    return t.Add(left, t.Mul(-1, right))


def pairs_of_one_cell(found: list[Term], names: set[str]) -> Iterator[tuple[Term, Term]]:
    alone = [c for c in found if len(reads_in(c, names)) == 1 and not t.mentions(c, t.Binder)]
    for a, b in combinations(alone, 2):
        if reads_in(a, names) == reads_in(b, names):
            yield a, b


def agree(a: Term, b: Term, side: Side, names: set[str]) -> Term:
    """That two comparisons of one cell may be decided so beside the point."""
    (cell,) = reads_in(a, names)
    both = t.Mul(gap(a, cell), gap(b, cell))
    same = (side[a] == isinstance(a, t.Ge | t.Gt)) == (side[b] == isinstance(b, t.Ge | t.Gt))
    return (t.Ge if same else t.Le)(both, 0)


def halfway(slopes: list[list[Term]]) -> list[Term]:
    """Between the first side and the last, in which every comparison is decided otherwise."""
    return [t.Div(t.Add(*pair), 2) for pair in zip(slopes[0], slopes[-1], strict=True)]


def moved(entries: Iterable[Entry], slopes: Iterable[Term]) -> Term:
    """How fast the output changes along a move."""
    parts = [t.Mul(each, entry.move) for entry, each in zip(entries, slopes, strict=True)]
    return parts[0] if len(parts) == 1 else t.Add(*parts)


def as_choices(term: Term, names: set[str]) -> Term:
    """With each Max and Min of the arrays as a choice; at a tie either part will do."""
    term = t.over_parts(term, lambda u: as_choices(u, names))
    is_extremum = isinstance(term, t.Max | t.Min) and reads_any(term, names)
    return as_choice(term) if is_extremum else term


def reads_any(term: Term, names: set[str]) -> bool:
    return any(a.name in names for a in t.arrays(term))


def comparisons(term: Term, names: set[str], over: Terms) -> Iterator[tuple[Term, Term]]:
    """Those of reals that decide a branch by the arrays, each with that it is an equality."""
    if not isinstance(term, t.Term) or not reads_any(term, names):
        return
    if is_whole(term):
        return
    if isinstance(term, t.Relation):
        met = t.Eq(*term.args)
        yield term, t.Exists(met, *over) if over else met
    inner = (*over, *term.ranges) if isinstance(term, t.Binder) else over
    for part in () if isinstance(term, t.Read) else term.args:
        yield from comparisons(part, names, inner)


STRICT = {t.Ge: t.Gt, t.Le: t.Lt, t.Gt: t.Gt, t.Lt: t.Lt, t.Ne: t.Ne}
WEAK = {t.Ge: t.Ge, t.Le: t.Le, t.Gt: t.Ge, t.Lt: t.Le, t.Eq: t.Eq}


def decided(term: Term, side: Side) -> Term:
    """The term with each comparison decided as a side does."""
    plain = t.over_parts(term, lambda u: decided(u, side))
    if term not in side:
        return plain
    kind = (WEAK if side[term] else STRICT).get(type(term))
    if kind is not None:
        return kind(*plain.args)
    return t.And() if side[term] else t.Or()


def side_slope(term: Term, cell: t.Read, side: Side, names: set[str]) -> Term:
    """The derivative by a cell on one side: that of each branch, where the side takes it."""
    if not isinstance(term, t.Term) or not t.reads(term, cell.array):
        return ZERO
    if not any(True for _ in comparisons(term, names, ())):
        return t.Slope(term, cell)

    def d(u: Term) -> Term:
        return side_slope(u, cell, side, names)

    if isinstance(term, t.If):
        return t.If(decided(term.condition, side), d(term.then), d(term.otherwise))
    if isinstance(term, t.Bracket):
        return ZERO
    if isinstance(term, t.Add):
        return t.Add(*map(d, term.args))
    if isinstance(term, t.Sum) and not any(reads_any(r, names) for r in term.ranges):
        return t.Sum(d(term.body), *term.ranges)
    here = [decided(u, side) if isinstance(u, t.Term) else u for u in term.args]
    if isinstance(term, t.Mul):
        parts = ((*here[:n], d(u), *here[n + 1 :]) for n, u in enumerate(term.args))
        moving = [t.Mul(*factors) for factors in parts if ZERO not in factors]
        return t.Add(*moving) if moving else ZERO
    if isinstance(term, t.Div):
        above, below = here
        direct = t.Div(d(term.args[0]), below)
        lost = t.Div(t.Mul(-1, above, d(term.args[1])), t.Mul(below, below))
        return t.Add(direct, lost) if t.reads(term.args[1], cell.array) else direct
    if isinstance(term, t.Exp | t.Log):
        inner = d(term.args[0])
        return t.Mul(t.Exp(*here), inner) if isinstance(term, t.Exp) else t.Div(inner, *here)
    raise Unsaid(str(term))
