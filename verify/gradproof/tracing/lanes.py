"""Terms of lanes, some of which a mask has dead: what a reduction makes of them. Untrusted.

A block is a traced tensor whose axes are lanes. A masked load is a choice; a sum over lanes of
which those outside of a mask add 0 is a sum over the others, and one over the tiles of a loop and
the lanes of each is one over all that the tiles cover. What has no such form stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import bound_by, free, substituted
from gradproof.language.terms import BOOL, INT, REAL, Sym, Term, sort_of
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.facts import Facts
from gradproof.tracing.reals import INFINITE
from gradproof.tracing.tensors import UNWRITTEN, Unreadable

BELOW_ALL = t.Sym(
    "minus_infinity", REAL
)  # what a maximum leaves out; it may stand in no definition
TRUE, FALSE = t.And(), t.Or()
Range = tuple[Sym, Term, Term]
Truth = Callable[[Term], bool | None]
BY_SIGN: dict[
    Any, tuple[bool, bool]
] = {  # of a relation: what it is if left, or right, is below all
    t.Le: (True, False),
    t.Lt: (True, False),
    t.Ge: (False, True),
    t.Gt: (False, True),
    t.Eq: (False, False),
    t.Ne: (True, True),
}
NO_NUMBER = frozenset((BELOW_ALL, INFINITE, UNWRITTEN))


def nothing_known(_: Term) -> None:
    return None


def atoms(term: Term) -> list[Term]:
    """The comparisons by which a term chooses."""
    found: dict[Term, None] = {}
    for part in t.walk(term):
        if isinstance(part, t.If | t.Bracket):
            found |= dict.fromkeys(c for c in t.walk(part.condition) if isinstance(c, t.Relation))
    return list(found)


class Simple:
    """Terms with what is known of conditions put in, and minus infinity followed through."""

    def __init__(
        self,
        truth: Truth = nothing_known,
        lanes: frozenset[Sym] = frozenset(),
        alive: frozenset[Term] = frozenset(),
    ) -> None:
        self.truth, self.lanes, self.alive = truth, lanes, alive
        self.known: dict[Term, Term] = {}

    def __call__(self, term: Term) -> Term:
        if term not in self.known:
            self.known[term] = self.made(term)
        return self.known[term]

    def made(self, term: Term) -> Term:
        if isinstance(term, t.LEAVES) or not isinstance(term, t.Term):
            return t.over_parts(term, self) if isinstance(term, sympy.Tuple) else term
        if isinstance(term, t.If):
            return self.choice(term)
        if isinstance(term, t.Condition) and not isinstance(term, t.Binder):
            return self.condition(term)
        if isinstance(term, t.Bracket):
            inner = self(term.condition)
            return (
                reals.ONE if inner == TRUE else reals.ZERO if inner == FALSE else t.Bracket(inner)
            )
        parts = [self(a) for a in term.args]
        if sort_of(term) == INT and type(term) in INTEGER:
            return INTEGER[type(term)](*parts)
        if type(term) in REALS:
            return REALS[type(term)](self, *parts)
        return t.rebuild(term, parts)

    def choice(self, term: Term) -> Term:
        inner = self(term.condition)
        if inner in (TRUE, FALSE):
            return self(term.then if inner == TRUE else term.otherwise)
        a, b = self(term.then), self(term.otherwise)
        return a if a == b else t.If(inner, a, b)

    def condition(self, term: Term) -> Term:
        told = self.truth(term)
        if told is not None:
            return TRUE if told else FALSE
        if isinstance(term, t.Not):
            inner = self(term.condition)
            return FALSE if inner == TRUE else TRUE if inner == FALSE else t.Not(inner)
        if isinstance(term, t.And | t.Or):
            neutral, deciding = (TRUE, FALSE) if isinstance(term, t.And) else (FALSE, TRUE)
            parts = [p for p in map(self, term.args) if p != neutral]
            if deciding in parts:
                return deciding
            return neutral if not parts else parts[0] if len(parts) == 1 else term.func(*parts)
        parts = [self(a) for a in term.args]
        if isinstance(term, t.Relation):
            return compared(type(term), *parts)
        return t.rebuild(term, parts)

    def total(self, *parts: Term) -> Term:
        others = [p for p in parts if p != BELOW_ALL]
        if len(others) == len(parts):
            return reals.plus(*parts)
        return t.plus(*parts) if any(map(is_no_number, others)) else BELOW_ALL

    def product(self, *parts: Term) -> Term:
        if any(p == 0 for p in parts):
            others = [p for p in parts if p != 0]
            return reals.ZERO if all(map(self.is_number, others)) else t.Mul(0, *others)
        numbers = [p for p in parts if p != BELOW_ALL]
        if len(numbers) == len(parts) - 1 and all(map(is_positive, numbers)):
            return BELOW_ALL
        return reals.times(*parts)

    def quotient(self, above: Term, below: Term) -> Term:
        if above == 0 and below != 0 and self.is_number(below):
            return reals.ZERO
        return reals.over(above, below)

    def is_number(self, term: Term) -> bool:
        """Whether a dead lane's factor is a number wherever it is one for the other lanes.

        What it divides by is above 0 by its form, or stands as it is in what the others have.
        """
        parts = (u for u in t.walk(term) if isinstance(u, PARTIAL))
        return not is_no_number(term) and all(map(self.has_value, parts))

    def has_value(self, part: Term) -> bool:
        asked = part.below if isinstance(part, t.Div) else part.args[0]
        if isinstance(part, t.Div | t.Log) and reals.is_above_zero(asked):
            return True
        if isinstance(asked, sympy.Rational):
            return isinstance(part, t.Div) and bool(asked != 0)
        whole = asked if isinstance(part, t.Div | t.Log) else part
        return whole in self.alive and not free(whole) & self.lanes

    def exponential(self, inner: Term) -> Term:
        return reals.ZERO if inner == BELOW_ALL else reals.exp(inner)

    def sum(self, body: Term, *ranges: Term) -> Term:
        return reals.ZERO if body == 0 else t.Sum(body, *ranges)


PARTIAL = (t.Div, t.Log, t.Power, t.Apply)
REALS: dict[Any, Callable[..., Term]] = {
    t.Add: Simple.total,
    t.Mul: Simple.product,
    t.Div: Simple.quotient,
    t.Exp: Simple.exponential,
    t.Sum: Simple.sum,
}
INTEGER: Any = {t.Add: n.add, t.Mul: n.mul, t.FloorDiv: n.floor_div, t.Mod: n.mod}


def is_no_number(term: Term) -> bool:
    return not NO_NUMBER.isdisjoint(free(term))


def is_positive(term: Term) -> bool:
    """By its form; of a logarithm of a number above 1, too."""
    if isinstance(term, t.Log):
        return isinstance(term.inner, sympy.Rational) and bool(term.inner > 1)
    return reals.is_above_zero(term)


def compared(kind: Any, left: Term, right: Term) -> Term:
    """A comparison, decided where one side is below all numbers, or both are known."""
    if BELOW_ALL in (left, right) and left != right and kind in BY_SIGN:
        other = right if left == BELOW_ALL else left
        if not is_no_number(other):
            return TRUE if BY_SIGN[kind][left != BELOW_ALL] else FALSE
    if isinstance(left, sympy.Rational) and isinstance(right, sympy.Rational):
        return TRUE if PLAIN[kind](left, right) else FALSE
    return t.relation(kind, left, right)


PLAIN: dict[Any, Callable[[Any, Any], Any]] = {
    t.Eq: lambda a, b: a == b,
    t.Ne: lambda a, b: a != b,
    t.Lt: lambda a, b: a < b,
    t.Le: lambda a, b: a <= b,
    t.Gt: lambda a, b: a > b,
    t.Ge: lambda a, b: a >= b,
}
tidy = Simple()


def under(term: Term, facts: Facts, *when: Term) -> Term:
    """A term where conditions hold: choices that they decide are made."""
    known = {c for w in when for c in t.conjuncts(w)}

    def truth(condition: Term) -> bool | None:
        if condition in known:
            return True
        if not isinstance(condition, t.Relation) or sort_of(condition.left) == REAL:
            return None
        return facts.truth(condition, *when)

    return Simple(truth)(term)


def bound_of(atom: Term, lane: Sym) -> tuple[str, Term] | None:
    """`("last", e)` of what says that a lane is at most e, `("first", e)` of at least."""
    kind, left, right = type(atom), atom.left, atom.right
    if sort_of(left) != INT or sort_of(right) != INT or kind not in (t.Lt, t.Le, t.Gt, t.Ge):
        return None
    gap = n.polynomial(n.minus(left, right))
    if any(lane in free(u) for m in gap for u in m if u != lane) or gap.get((lane,)) not in (1, -1):
        return None
    if any(m.count(lane) and m != (lane,) for m in gap):
        return None
    sign = gap[(lane,)]
    rest = n.term_of({m: -f * sign for m, f in gap.items() if m != (lane,)})  # lane against this
    is_upper = (kind in (t.Lt, t.Le)) == (sign == 1)
    strict = kind in (t.Lt, t.Gt)
    if is_upper:
        return "last", n.minus(rest, 1) if strict else rest
    return "first", n.add(rest, 1) if strict else rest


def narrowed(body: Term, range_: Range, facts: Facts, dead: Term) -> tuple[Term, Range, list[Term]]:
    """Of a range the lanes that count: those elsewhere are `dead`; and what else must hold."""
    lane, first, last = range_
    guards: list[Term] = []
    lanes = frozenset((lane,))
    for atom in [c for c in atoms(body) if lane in free(c) and not free(c) & bound_in(body)]:
        alive = frozenset(t.walk(body))
        off = Simple(lambda c, a=atom: False if c == a else None, lanes, alive)(body)  # type: ignore[misc]  # a default binds the loop's value
        if off != dead:
            continue
        body = Simple(lambda c, a=atom: True if c == a else None, lanes)(body)  # type: ignore[misc]  # likewise
        end = bound_of(atom, lane)
        if end is None:
            guards.append(atom)
        elif end[0] == "last":
            last = least(facts, last, end[1])
        else:
            first = greatest(facts, first, end[1])
    facts.ranges[lane] = (first, last)
    return body, (lane, first, last), guards


@t.remembered
def bound_in(term: Term) -> frozenset[Sym]:
    """The symbols that a term binds anywhere."""
    return frozenset().union(*(bound_by(u) for u in t.walk(term)))


def least(facts: Facts, a: Term, b: Term) -> Term:
    if facts.holds(t.relation(t.Le, b, a)):
        return b
    return a if facts.holds(t.relation(t.Le, a, b)) else t.Min(a, b)


def greatest(facts: Facts, a: Term, b: Term) -> Term:
    if facts.holds(t.relation(t.Ge, b, a)):
        return b
    return a if facts.holds(t.relation(t.Ge, a, b)) else t.Max(a, b)


def total(body: Term, range_: Range, facts: Facts) -> Term:
    """A sum over lanes, over those that add anything."""
    body, narrow, guards = narrowed(tidy(body), range_, facts, reals.ZERO)
    if guards:
        body = t.If(guards[0] if len(guards) == 1 else t.And(*guards), body, 0)
    return joined(body, [narrow], facts)


def largest(body: Term, range_: Range, facts: Facts) -> Term:
    """A maximum over lanes, of those that are no minus infinity."""
    body, (lane, first, last), guards = narrowed(tidy(body), range_, facts, BELOW_ALL)
    if not facts.holds(t.relation(t.Le, first, last)):
        raise Unreadable("a maximum over lanes of which none may count")
    return t.Maximum(body, t.And(*guards), 0, (lane, first, last))


def joined(body: Term, ranges: list[Range], facts: Facts) -> Term:
    """A sum; one over tiles and the lanes of each is one over all that they cover."""
    while isinstance(body, t.Sum):
        ranges, body = [*ranges, *(tuple(r) for r in body.ranges)], body.body
    if body == 0:
        return reals.ZERO
    for number, own in enumerate(ranges):
        found, narrow, guards = narrowed(body, own, facts, reals.ZERO)
        speaking = {r[0] for r in ranges if own[0] in free(r[1]) | free(r[2])}
        if guards or speaking & (free(narrow[1]) | free(narrow[2])):
            facts.ranges[own[0]] = own[1:]
            continue
        body, ranges = found, [*ranges[:number], narrow, *ranges[number + 1 :]]
    for tile in ranges:
        for lane in ranges:
            if tile is not lane and lane[0] not in free(tile[2]) | free(tile[1]):
                rest = [r for r in ranges if r is not tile and r is not lane]
                others = {s for r in rest for e in r[1:] for s in free(e)}
                if not others & {tile[0], lane[0]}:
                    merged = covered(body, tile, lane, facts)
                    if merged is not None:
                        return joined(merged[0], [*rest, merged[1]], facts)
    ordered = outer_first(ranges)
    return reals.total(body, ordered, frozenset(r[0] for r in ordered))


def outer_first(ranges: Sequence[Range]) -> list[Range]:
    """Each range after those of which its ends speak."""
    found: list[Range] = []
    rest = list(ranges)
    while rest:
        names = {r[0] for r in rest}
        free_ones = [r for r in rest if not (free(r[1]) | free(r[2])) & (names - {r[0]})] or rest[
            :1
        ]
        found.append(free_ones[0])
        rest.remove(free_ones[0])
    return found


def covered(body: Term, tile: Range, lane: Range, facts: Facts) -> tuple[Term, Range] | None:
    """`Σ_t Σ_l f(t·W + l)` as `Σ_k f(k)`, where t·W + l runs through each k once.

    So it does where t is from 0 to T, and l at least 0, below W, and at most e - t·W for some e.
    """
    (turn, start, turns), (place, first, last) = tile, lane
    if start != 0 or first != 0:
        return None
    ends = spread(last)
    for width in widths(body, turn, place, ends):
        if free(width) & {turn, place} or not facts.holds(t.relation(t.Ge, width, 1)):
            continue
        begin = n.mul(width, turn)
        limits = [n.simple(n.add(e, begin)) for e in ends]
        whole = [e for e in limits if turn not in free(e)]
        within = [e for e, limit in zip(ends, limits, strict=True) if limit not in whole]
        if len(whole) > 1 or any(turn in free(e) for e in within):
            continue
        bounded = any(facts.holds(t.relation(t.Le, e, n.minus(width, 1))) for e in within)
        full = all(facts.holds(t.relation(t.Ge, e, n.minus(width, 1))) for e in within)
        if not full or not (
            bounded or (whole and not within and last_only(whole, begin, width, turns, facts, tile))
        ):
            continue
        name = facts.symbol("k", 0)
        moved = tidy(substituted(body, {place: n.minus(name, begin)}))
        if turn in free(moved):
            continue
        final = n.minus(n.mul(n.add(turns, 1), width), 1)
        end = final if not whole else least(facts, final, whole[0])
        facts.ranges[name] = (n.ZERO, end)
        return moved, (name, n.ZERO, end)
    return None


def last_only(
    whole: Sequence[Term], begin: Term, width: Term, turns: Term, facts: Facts, tile: Range
) -> bool:
    """Whether lanes that end where all end are below the width all the same: in each tile."""
    turn = tile[0]
    facts.ranges[turn] = (tile[1], tile[2])
    return facts.holds(t.relation(t.Le, n.minus(whole[0], begin), n.minus(width, 1)))


def spread(end: Term) -> list[Term]:
    """The terms of which an end is the least: of `min(a, b) + c` they are `a + c` and `b + c`."""
    parts = list(end.args) if isinstance(end, t.Add) else [end]
    chosen = [p for p in parts if isinstance(p, t.Min)]
    if len(chosen) != 1:
        return [end]
    rest = [p for p in parts if p is not chosen[0]]
    return [e for a in chosen[0].args for e in spread(n.add(a, *rest))]


def widths(body: Term, turn: Sym, place: Sym, ends: Sequence[Term]) -> Iterator[Term]:
    """By how much a place goes on from tile to tile, as far as terms speak of both."""
    found: dict[Term, None] = {}
    for part in (u for term in (body, *ends) for u in t.walk(term)):
        if not isinstance(part, t.Term) or sort_of(part) != INT or sort_of(part) == BOOL:
            continue
        if not isinstance(part, t.Add):
            continue
        gap = n.polynomial(part)
        own = gap.get((place,))
        with_turn = {m: f for m, f in gap.items() if turn in m}
        if own in (1, -1) and with_turn and all(m.count(turn) == 1 for m in with_turn):
            rest = {tuple(u for u in m if u != turn): f * own for m, f in with_turn.items()}
            found[n.term_of(rest)] = None
    for end in ends:
        gap = n.polynomial(end)
        with_turn = {m: f for m, f in gap.items() if turn in m}
        if with_turn and all(m.count(turn) == 1 for m in with_turn):
            found[
                n.term_of({tuple(u for u in m if u != turn): -f for m, f in with_turn.items()})
            ] = None
    yield from found
