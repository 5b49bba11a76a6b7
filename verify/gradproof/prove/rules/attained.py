"""What is true of maxima: one is at least each value of its window, and equal to one. Trusted.

Of each window in a question a place is named at which its maximum is attained. That there is one,
if any place counts, is all that is said of the name, which nothing else bears. That the maximum is
at least a value is said of the places that are read in the question, and of those that are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from gradproof.language import terms as t
from gradproof.language.substitution import bound_by, free, substitute
from gradproof.language.terms import Sym, Term, Terms
from gradproof.prove.rules.binders import without_quantifier
from gradproof.prove.rules.entailment import Context
from gradproof.prove.rules.monomials import linear, tidy, tidy_reads
from gradproof.prove.rules.smt import canonical

MOST_PLACES = 12  # of one window
Place = Terms


def loose(
    term: Term, kinds: tuple[type, ...], bound: frozenset[Sym] = frozenset()
) -> Iterator[Term]:
    """The nodes of some kinds that depend on nothing that is bound around them."""
    if isinstance(term, kinds) and not free(term) & bound:
        yield term
    if not isinstance(term, t.LEAVES):
        for part in term.args:
            yield from loose(part, kinds, bound | bound_by(term))


def window_of(chosen: Term) -> Term:
    """The maximum that a winner attains, or that is said to have one."""
    return (
        chosen if isinstance(chosen, t.Maximum) else t.Maximum(*chosen.args[:2], 0, *chosen.ranges)
    )


@dataclass
class Maxima:
    """The windows of a question, what is read in it, and what is known so far."""

    context: Context
    extra: Terms
    windows: dict[Term, Term] = field(default_factory=dict)
    reads: dict[Term, Term] = field(default_factory=dict)
    known: dict[Term, None] = field(default_factory=dict)

    def look_at(self, terms: Iterable[Term]) -> None:
        """Takes in the windows and the reads of some terms."""
        for term in terms:
            for read in loose(term, (t.Read,)):
                self.reads.setdefault(tidy_reads(read), read)
            for found in loose(term, (t.Maximum, t.Winner, t.Unique)):
                window = window_of(found)
                self.windows.setdefault(canonical(window), window)

    def learn(self, fact: Term) -> None:
        for part in t.conjuncts(fact):
            self.known.setdefault(part)

    def at(self, window: Term, place: Place) -> tuple[Term, Term]:
        """That a place of a window counts, and the value there."""
        names = dict(zip((symbol for symbol, _, _ in window.ranges), place, strict=True))
        fresh = self.context.fresh
        within = (substitute(c, names, fresh) for c in t.domain(window.ranges))
        valid = t.And(*within, *t.conjuncts(substitute(window.args[1], names, fresh)))
        return valid, self.as_read(tidy_reads(substitute(window.body, names, fresh)))

    def as_read(self, term: Term) -> Term:
        """With its reads as the question has them."""
        if isinstance(term, t.Read) and term in self.reads:
            return self.reads[term]
        return t.over_parts(term, self.as_read)

    def shows(self, condition: Term) -> bool:
        """Whether it follows, part by part: of one axis, or of what joins them."""
        context, known = self.context, (*self.extra, *self.known)
        ways = (
            (context.entails, context.entails_opaquely) if context.generic else (context.entails,)
        )
        return all(any(way(part, known) for way in ways) for part in t.conjuncts(condition))

    def attain(self, window: Term) -> Place:
        """Names a place at which the maximum is attained."""
        fresh = self.context.fresh
        place = tuple(fresh(symbol) for symbol, _, _ in window.ranges)
        valid, value = self.at(window, place)
        some = t.Exists(window.args[1], *window.ranges)
        there = t.And(*t.conjuncts(valid), t.Eq(window, value))
        if self.shows(without_quantifier(some)):
            self.learn(there)
        else:
            self.learn(t.Or(there, t.And(t.Not(some), t.Eq(window, window.args[2]))))
        return place

    def bound(self, window: Term, place: Place) -> None:
        """Says that the maximum is at least the value at a place, if that counts."""
        valid, value = self.at(window, place)
        least = t.relation(t.Le, value, window)
        self.learn(least if self.shows(valid) else t.Or(t.Not(valid), least))

    def known_as(self, chosen: Term) -> Term:
        """The window that a winner attains, as it was met."""
        return self.windows[canonical(window_of(chosen))]

    def places(self, window: Term, named: dict[Term, list[Place]]) -> list[Place]:
        """The places of a window that are read, and those that are named of windows like it."""
        kinds = [symbol.is_bundle for symbol, _, _ in window.ranges]
        places = (p for own in named.values() for p in own if [*map(t.is_bundle, p)] == kinds)
        found = (*places_read(window, self.reads.values()), *places)
        return list(dict.fromkeys(found))[:MOST_PLACES]


def places_read(binder: Term, reads: Iterable[Term]) -> Iterator[Place]:
    """Values for what a binder binds, at which a read in it is one of these."""
    symbols = tuple(symbol for symbol, _, _ in binder.ranges)
    inner = frozenset(s for u in t.walk(binder.body) for s in bound_by(u))
    own = [u for u in t.walk(binder.body) if isinstance(u, t.Read) and free(u) & {*symbols}]
    for read in reads:
        for pattern in dict.fromkeys(own):
            if pattern.array.name == read.array.name:
                values = matched(pattern, read, symbols, inner)
                if values is not None:
                    yield values


def matched(
    pattern: Term, read: Term, symbols: tuple[Sym, ...], inner: frozenset[Sym]
) -> Place | None:
    values: dict[Sym, Term] = {}
    for own, index in zip(pattern.index, read.index, strict=True):
        looked = [s for s in symbols if s in free(own) and s not in values]
        if free(own) & inner:
            continue
        for symbol in looked[:1]:
            value = solution(own, index, symbol)
            if value is None or free(value) & {*symbols}:
                return None
            values[symbol] = value
        if not looked and not free(own) & {*symbols} and tidy(own) != tidy(index):
            return None
    return tuple(values[s] for s in symbols) if values.keys() == {*symbols} else None


def solution(own: Term, index: Term, symbol: Sym) -> Term | None:
    """A value of the symbol at which two indices are equal, if one is seen."""
    found = linear(own, symbol)
    if found is None:
        return None
    a, rest = found
    if a in (1, -1):
        value = tidy(t.Mul(int(a), t.plus(index, t.Mul(-1, rest))))
        return value if t.is_bundle(value) <= symbol.is_bundle else None
    for candidate in sorted(free(index), key=str):
        alike = candidate.sort == symbol.sort and candidate.is_bundle == symbol.is_bundle
        if alike and tidy(t.plus(t.Mul(a, candidate), rest)) == tidy(index):
            return candidate
    return None


def shown_by_maxima(context: Context, goal: Term, extra: Terms) -> tuple[Term, Terms] | None:
    """What is as strong as the goal, and from which facts it follows, if it does."""
    found = Maxima(context, extra)
    goal = without_universals(goal, context)
    for condition in (*extra, *context.hypotheses):
        found.learn(somewhere(condition, context))
    said = (goal, *extra, *found.known)
    found.look_at(said)
    chosen = dict.fromkeys(u for c in said for u in loose(c, (t.Winner, t.Unique)))
    named = {window: [found.attain(window)] for window in found.windows.values()}
    for wins in (u for u in chosen if isinstance(u, t.Winner)):
        named[found.known_as(wins)].append(tuple(wins.at))
    found.look_at(tuple(found.known))
    wanted = at_places(goal, found)
    found.look_at((wanted,))
    for window in found.windows.values():
        for place in found.places(window, named):
            found.bound(window, place)
    for u in chosen:
        tell = of_winner if isinstance(u, t.Winner) else of_unique
        for fact in tell(u, found, found.places(window_of(u), named)):
            found.learn(fact)
    known = tuple(fact for fact in found.known if fact not in (*extra, *context.hypotheses))
    return (wanted, known) if known and follows(found, wanted) else None


def follows(found: Maxima, wanted: Term) -> bool:
    """Whether it does from what is known, as a whole or by one of its parts."""
    whole = found.context.entails_opaquely(wanted, (*found.extra, *found.known))
    if whole or not isinstance(wanted, t.And | t.Or):
        return whole
    ways = any if isinstance(wanted, t.Or) else all
    return ways(found.shows(part) for part in wanted.args)


def somewhere(condition: Term, context: Context) -> Term:
    """What holds at some place holds at one that is named."""
    if not isinstance(condition, t.Exists):
        return condition
    names = {symbol: context.fresh(symbol) for symbol, _, _ in condition.ranges}
    held = (substitute(c, names, context.fresh) for c in t.domain(condition.ranges))
    return t.And(*held, substitute(condition.body, names, context.fresh))


def without_universals(goal: Term, context: Context) -> Term:
    """What holds for all values holds if it does for names that nothing is known of."""
    if isinstance(goal, t.ForAll):
        names = {symbol: context.fresh(symbol) for symbol, _, _ in goal.ranges}
        held = [substitute(c, names, context.fresh) for c in t.domain(goal.ranges)]
        body = without_universals(substitute(goal.body, names, context.fresh), context)
        return t.Or(t.Not(t.And(*held)), body)
    if isinstance(goal, t.And | t.Or):
        return goal.func(*(without_universals(part, context) for part in goal.args))
    return goal


def at_places(goal: Term, found: Maxima) -> Term:
    """What is said of some place holds if it does at one of those that are read or named."""
    if isinstance(goal, t.Exists):
        parts = []
        fresh = found.context.fresh
        read = (*places_read(goal, found.reads.values()), *symbols_for(goal))
        for place in dict.fromkeys(read[:MOST_PLACES]):
            names = dict(zip((symbol for symbol, _, _ in goal.ranges), place, strict=True))
            held = (substitute(c, names, fresh) for c in t.domain(goal.ranges))
            body = found.as_read(tidy_reads(substitute(goal.body, names, fresh)))
            parts.append(t.And(*held, at_places(without_universals(body, found.context), found)))
        return t.Or(*parts) if parts else goal
    if isinstance(goal, t.And | t.Or):
        return goal.func(*(at_places(part, found) for part in goal.args))
    return goal


def symbols_for(some: Term) -> Iterator[Place]:
    """Of one range the names that are known, of the kind of its own."""
    if len(some.ranges) == 1:
        (symbol, _, _), *_ = some.ranges
        kind = symbol.sort, symbol.is_bundle
        yield from ((s,) for s in sorted(free(some), key=str) if (s.sort, s.is_bundle) == kind)


def of_winner(wins: Term, found: Maxima, places: list[Place]) -> Iterator[Term]:
    """A winner counts and has the maximum; the first of them has none as large before it."""
    window, at = window_of(wins), tuple(wins.at)
    valid, value = found.at(window, at)
    facts = [*t.conjuncts(valid), t.Eq(window, value)]
    tie = str(wins.tie)
    for place in places if tie != "any" and not any(map(t.is_bundle, at)) else ():
        counts, other = found.at(window, place)
        pair = (place, at) if tie == "first" else (at, place)
        facts.append(t.Or(t.Not(t.And(counts, earlier(*pair))), t.relation(t.Lt, other, window)))
    sure = found.shows(wins)
    yield from (fact if sure else t.Or(t.Not(wins), fact) for fact in facts)


def earlier(one: Place, other: Place) -> Term:
    """In the order of loops."""
    pairs = list(zip(one, other, strict=True))
    same = [[t.Eq(a, b) for a, b in pairs[:n]] for n in range(len(pairs))]
    return t.Or(*(t.And(*same[n], t.Lt(a, b)) for n, (a, b) in enumerate(pairs)))


def of_unique(unique: Term, found: Maxima, read: list[Place]) -> Iterator[Term]:
    """Places that have a maximum that is attained once are one; if it is not, there are two."""
    window, fresh = window_of(unique), found.context.fresh
    pair = [tuple(fresh(symbol) for symbol, _, _ in window.ranges) for _ in range(2)]
    places = [*read, *pair]
    told = {place: found.at(window, place) for place in places}
    has = {place: t.And(valid, t.Eq(window, value)) for place, (valid, value) in told.items()}
    same = {
        (a, b): t.And(*(t.relation(t.Eq, x, y) for x, y in zip(a, b, strict=True)))
        for a, b in combinations(places, 2)
    }
    for (a, b), equal in same.items():
        if b not in pair:
            yield t.Or(t.Not(unique), t.Not(has[a]), t.Not(has[b]), equal)
    yield t.Or(unique, t.And(has[pair[0]], has[pair[1]], t.Not(same[pair[0], pair[1]])))
