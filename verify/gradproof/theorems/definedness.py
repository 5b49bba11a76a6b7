"""What the parts of a term need where they are reached, to have a value. Trusted."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.functions import domain_of
from gradproof.language.largest import as_largest
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Array, Sym, Term, Terms, Triple

Ranges = tuple[Triple, ...]
Need = tuple[str, Ranges, Terms, Term]


def needs(term: Term, over: Ranges, when: Terms) -> Iterator[Need]:
    """What the nodes of a term need, each with the places where it is reached."""
    if isinstance(term, t.Sym | Str | sympy.Rational | Array | t.Function):
        return
    if isinstance(term, t.Mul | t.Div | t.Bracket):
        yield from needs_of_product(term, over, when)
    elif isinstance(term, t.And | t.Or):
        for arg in term.args:
            yield from needs(arg, over, when)
            when = (*when, *(t.conjuncts(arg) if isinstance(term, t.And) else (t.Not(arg),)))
    elif isinstance(term, t.If):
        condition, then, otherwise = term.args
        yield from needs(condition, over, when)
        yield from needs(then, over, (*when, *t.conjuncts(condition)))
        yield from needs(otherwise, over, (*when, t.Not(condition)))
    else:
        if isinstance(term, t.Binder):
            yield from needs_of_binder(term, over, when)
        else:
            for arg in term.args:
                yield from needs(arg, over, when)
        yield from ((kind, over, when, then) for kind, then in defined(term))


def needs_of_ranges(ranges: Ranges, over: Ranges, when: Terms) -> Generator[Need, None, Ranges]:
    for symbol, first, last in ranges:
        for end in (first, last):
            yield from needs(end, over, when)
        over = (*over, sympy.Tuple(symbol, first, last))
    return over


def needs_of_product(term: Term, over: Ranges, when: Terms) -> Iterator[Need]:
    """Brackets are strong zeros: what they multiply is only asked where they hold."""
    guards = t.And(*t.guards_of(term))
    yield from needs(guards, over, when)
    yield from needs_of_factors(term, over, (*when, *t.conjuncts(guards)))


def needs_of_factors(term: Term, over: Ranges, when: Terms) -> Iterator[Need]:
    if isinstance(term, t.Mul | t.Div):
        for arg in term.args:
            is_divisor = isinstance(term, t.Div) and arg is term.args[1]
            visit = needs if is_divisor else needs_of_factors
            yield from visit(arg, over, when)
        yield from ((kind, over, when, then) for kind, then in defined(term))
    elif not isinstance(term, t.Bracket):
        yield from needs(term, over, when)


def needs_of_binder(term: Term, over: Ranges, when: Terms) -> Iterator[Need]:
    inner = yield from needs_of_ranges(term.ranges, over, when)
    if isinstance(term, t.Maximum | t.Winner | t.Unique):
        body, where = term.args[:2]
        yield from needs(where, inner, when)
        yield from needs(body, inner, (*when, *t.conjuncts(where)))
        if isinstance(term, t.Maximum):
            is_empty = t.Not(t.Exists(where, *term.ranges))
            yield from needs(term.args[2], over, (*when, is_empty))
        for place in term.args[3] if isinstance(term, t.Winner) else ():
            yield from needs(place, over, when)
    elif (kept := as_largest(term)) is not None:
        yield from needs(kept.empty, over, when)
        yield from needs(kept.where, inner, when)
        for part in (kept.body, kept.at):
            yield from needs(part, inner, (*when, *t.conjuncts(kept.where)))
    elif isinstance(term, t.Fold):
        steps = {state: (start, step) for state, start, step in term.args[1]}
        now = before_turn(term)
        for start, step in steps.values():
            yield from needs(start, over, when)
            for kind, places, held, then in needs(step, inner, when):
                if now is None:  # more is asked, which only a proof may do
                    held = tuple(c for c in held if not free(c) & steps.keys())
                yield with_states((kind, places, held, then), now or {})
        if term.body in steps:
            return
        final = {s: t.Fold(s, term.args[1], *term.ranges) for s in steps}
        yield from needs(substitute(term.body, final, Fresh(term)), over, when)
    else:
        yield from needs(term.body, inner, when)


def with_states(need: Need, values: dict[Sym, Term]) -> Need:
    kind, places, held, then = need
    fresh = Fresh(*(end for place in places for end in place), *held, then, *values.values())

    def put(term: Term) -> Term:
        return substitute(term, values, fresh)

    over = tuple(sympy.Tuple(symbol, *map(put, ends)) for symbol, *ends in places)
    return kind, over, tuple(map(put, held)), put(then)


def before_turn(loop: Term) -> dict[Sym, Term] | None:
    """What the states are when the loop comes to a place: what the turns before it made of them.

    The turns of loops over axes have no order that can be said for every rank.
    """
    if any(symbol.is_bundle for symbol, _, _ in loop.ranges):
        return None
    other = substitute(loop, {}, Fresh(loop))
    turn = before(other, loop)
    steps = {
        state: (start, where_it_holds(turn, step, state)) for state, start, step in other.args[1]
    }
    found = {}
    for now, own in zip(loop.args[1], other.args[1], strict=True):
        triples = (sympy.Tuple(s, *steps[s]) for s in steps if s in computed_from(own[0], steps))
        found[now[0]] = t.Fold(own[0], sympy.Tuple(*triples), *other.ranges)
    return found


def before(other: Term, binder: Term) -> Term:
    """That a place of the one comes before a place of the other, in the order of loops."""
    pairs = [(own[0], now[0]) for own, now in zip(other.ranges, binder.ranges, strict=True)]
    sooner = [
        t.And(*(t.Eq(*p) for p in pairs[:n]), t.relation(t.Lt, *pairs[n]))
        for n in range(len(pairs))
    ]
    return sooner[0] if len(sooner) == 1 else t.Or(*sooner)


def computed_from(state: Sym, steps: dict[Sym, tuple[Term, Term]]) -> set[Sym]:
    """The states that a state is computed from, itself included."""
    found, new = {state}, {state}
    while new:
        new = {s for n in new for s in free(steps[n][1]) if s in steps} - found
        found |= new
    return found


def where_it_holds(condition: Term, step: Term, state: Term) -> Term:
    """The step where the condition holds; else the state stays as it is."""
    if isinstance(step, t.If) and step.args[2] is state:
        return t.If(t.And(condition, step.args[0]), *step.args[1:])
    return t.If(condition, step, state)


# To have a value.


def defined(term: Term) -> Iterator[tuple[str, Term]]:
    """What a node needs to have a value."""
    if isinstance(term, t.FloorDiv | t.CeilDiv | t.Mod):
        yield "defined", t.relation(t.Ge, term.args[1], 1)
    elif isinstance(term, t.TruncDiv | t.TruncMod):
        yield "defined", t.Ne(term.args[1], 0)
    elif isinstance(term, t.Divides):
        yield "defined", t.Ne(term.args[0], 0)
    elif isinstance(term, t.Div):
        yield from (("defined", then) for then in nonzero(term.args[1]))
    elif isinstance(term, t.Log):
        yield "defined", t.relation(t.Gt, term.args[0], 0)
    elif isinstance(term, t.Power):
        yield "defined", t.Or(t.relation(t.Ge, term.exponent, 0), t.Ne(term.base, 0))
    elif isinstance(term, t.Apply):
        yield from (("defined", then) for then in t.conjuncts(domain_of(term)))
    elif isinstance(term, t.Read) and not isinstance(term, t.PaddedRead):
        yield "in bounds", t.inside(term.index, term.array.dims)


def nonzero(divisor: Term) -> Iterator[Term]:
    """A product is not zero if no factor is."""
    if isinstance(divisor, t.Mul):
        for factor in divisor.args:
            yield from nonzero(factor)
    else:
        yield t.Ne(divisor.args[0] if isinstance(divisor, t.AxisProduct) else divisor, 0)
