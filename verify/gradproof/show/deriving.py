"""JVP and VJPs derived from a forward equation, to be read, pasted and proved. Untrusted.

What is derived here says nothing by itself: it is proved like a rule that somebody wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import sympy

from gradproof.language import terms as t
from gradproof.language.core import as_choice, at_winner
from gradproof.language.functions import derivative_of
from gradproof.language.ops import Op, cotangent, tangent, target_of, value_at
from gradproof.language.substitution import Fresh, free, mentioned, substitute
from gradproof.language.terms import Array, Sym, Term, Terms
from gradproof.prove.rules.binders import solved_for
from gradproof.prove.rules.monomials import tidy, tidy_reads, tidy_relation
from gradproof.prove.rules.smt import canonical
from gradproof.prove.rules.sums import Sums
from gradproof.prove.tactics.asking import context
from gradproof.show.source import source, with_plain_names
from gradproof.theorems.equations import is_plain
from gradproof.theorems.integers import without_integers

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


class Underivable(Exception):
    """What is not derived here, and why."""


def derived_rules(op: Op) -> tuple[Term, ...]:
    """The JVP, then a VJP for each input, those that are given included."""
    op = without_integers(op)
    if len(op.system) > 1 or op.is_recurrent or not is_plain(op):
        raise Underivable(f"{op.name} is several equations; rules are derived of one alone")
    return (pushed_of(op), *(pulled_of(op, x) for x in op.inputs))


def pushed_of(op: Op) -> Term:
    """`y_dot[o]`, the forward equation differentiated term by term."""
    fresh, y = Fresh(op.forward), target_of(op.forward)
    return t.Eq(tangent(y.array)[y.index], pushed(op.forward.right, op.inputs, fresh))


def pushed(term: Term, inputs: tuple[Array, ...], fresh: Fresh) -> Term:
    def d(u: Term) -> Term:
        return pushed(u, inputs, fresh)

    if isinstance(term, t.Read):
        return term.func(tangent(term.array), *term.index) if term.array in inputs else ZERO
    if not moves(term, inputs):
        return ZERO
    if isinstance(term, t.If):
        return t.If(term.condition, d(term.then), d(term.otherwise))
    if isinstance(term, t.Sum):
        return t.Sum(d(term.body), *term.ranges)
    if isinstance(term, t.Prod):
        return t.Sum(times(others(term, fresh), d(term.body)), *term.ranges)
    return added(times(slope, d(part)) for slope, part in chain(term, inputs, fresh))


def moves(term: Term, inputs: tuple[Array, ...]) -> bool:
    return not t.arrays(term).isdisjoint(inputs)


def chain(term: Term, inputs: tuple[Array, ...], fresh: Fresh) -> Iterator[tuple[Term, Term]]:
    """What a term's derivative multiplies the derivatives of its parts by."""
    if isinstance(term, t.Add):
        yield from ((ONE, part) for part in term.args)
    elif isinstance(term, t.Mul):
        for n, part in enumerate(term.args):
            yield times(*term.args[:n], *term.args[n + 1 :]), part
    elif isinstance(term, t.Div):
        above, below = term.args
        yield t.Div(ONE, below), above
        if moves(below, inputs):
            yield t.Div(times(-ONE, above), t.Mul(below, below)), below
    elif isinstance(term, t.Exp):
        yield term, term.inner
    elif isinstance(term, t.Log):
        yield t.Div(ONE, term.inner), term.inner
    elif isinstance(term, t.Power):
        less = t.Power(term.base, t.plus(term.exponent, -1))
        yield t.Mul(t.Bracket(t.Ne(term.exponent, 0)), term.exponent, less), term.base
    elif isinstance(term, t.Apply):
        yield from ((derivative_of(term), part) for part in term.arguments)
    elif isinstance(term, t.Max | t.Min):
        yield ONE, as_choice(term)
    elif isinstance(term, t.Maximum):
        yield ONE, at_winner(term)
    elif not isinstance(term, t.Bracket):
        raise Underivable(f"a {type(term).__name__} that reads what is differentiated, {term}")


def others(term: Term, fresh: Fresh) -> Term:
    """Of a product over a range, that of all factors but the one at its own place."""
    copy = substitute(term, {}, fresh)
    pairs = zip(copy.ranges, term.ranges, strict=True)
    here = t.And(*(t.Eq(a[0], b[0]) for a, b in pairs))
    return t.Prod(t.If(here, ONE, copy.body), *copy.ranges)


def times(*factors: Term) -> Term:
    """A product as one fraction, its number first."""
    above, below, number = [], [], ONE
    pending = list(factors)
    while pending:
        factor = pending.pop(0)
        if isinstance(factor, t.Mul):
            pending[:0] = factor.args
        elif isinstance(factor, t.Div):
            pending.insert(0, factor.above)
            below.append(factor.below)
        elif isinstance(factor, sympy.Rational):
            number *= factor
        elif factor != t.Bracket(t.And()):
            above.append(factor)
    if number == 0:
        return ZERO
    parts = [*([number] if number != 1 or not above else []), *above]
    whole = parts[0] if len(parts) == 1 else t.Mul(*parts)
    if not below:
        return whole
    return t.Div(whole, below[0] if len(below) == 1 else t.Mul(*below))


def added(terms: Iterator[Term]) -> Term:
    kept = [u for u in terms if u != ZERO]
    return kept[0] if len(kept) == 1 else t.Add(*kept) if kept else ZERO


@dataclass(frozen=True)
class Pull:
    """What a cell is given: `Σ over ranges, [guards] · factor`, at the cell of an index."""

    index: Terms
    factor: Term
    ranges: tuple[t.Triple, ...]
    guards: Terms


def pulled_of(op: Op, x: Array) -> Term:
    """`x_bar[i]`: what each cell of the output gives, read backwards, with sums made shorter."""
    fresh = Fresh(op.forward)
    y = target_of(op.forward)
    o = tuple(fresh(symbol) for symbol in y.index)
    start = Pull((), cotangent(y.array)[o], (*t.cells(y.array[o]),), ())
    value = value_at(op.forward, o, fresh)
    found = list(pulls(value, x, start, fresh))
    i = tuple(fresh(like) for like in names_of(x, found))
    given = (*op.requires, *t.domain(t.cells(x[i])))
    known = context(given, op.is_rank_generic, (op.forward, value))
    parts = [written(shortened(p, i, known, fresh)) for p in found]
    return t.Eq(cotangent(x)[i], added(alike(parts)))


def alike(terms: list[Term]) -> Iterator[Term]:
    """Each of the terms as often as there are equal ones."""
    groups: dict[Term, list[Term]] = {}
    for term in terms:
        groups.setdefault(canonical(term), []).append(term)
    for term, *others_of_it in groups.values():
        yield times(sympy.Integer(1 + len(others_of_it)), term) if others_of_it else term


def names_of(x: Array, found: list[Pull]) -> Iterator[Sym]:
    """An index that stands alone keeps its name."""
    for n, size in enumerate(x.dims):
        own = next((p.index[n] for p in found if isinstance(p.index[n], Sym)), None)
        yield own if own is not None else Sym("i", t.INT, t.is_bundle(size))


def pulls(term: Term, x: Array, so_far: Pull, fresh: Fresh) -> Iterator[Pull]:
    if not t.reads(term, x):
        return
    if isinstance(term, t.Read):
        yield replace(so_far, index=term.index)
    elif isinstance(term, t.If):
        for guard, part in (
            (term.condition, term.then),
            (t.Not(term.condition), term.otherwise),
        ):
            yield from pulls(part, x, guarded(so_far, guard), fresh)
    elif isinstance(term, t.Sum | t.Prod):
        own = substitute(term, {}, fresh)
        longer = replace(so_far, ranges=(*so_far.ranges, *own.ranges))
        slope = others(own, fresh) if isinstance(term, t.Prod) else ONE
        yield from pulls(own.body, x, scaled(longer, slope), fresh)
    else:
        for slope, part in chain(term, (x,), fresh):
            yield from pulls(part, x, scaled(so_far, slope), fresh)


def guarded(found: Pull, guard: Term) -> Pull:
    return replace(found, guards=(*found.guards, *t.conjuncts(guard)))


def scaled(found: Pull, slope: Term) -> Pull:
    guards = t.guards_of(slope)
    parts = slope.args if isinstance(slope, t.Mul) else (slope,)
    rest = times(*(u for u in parts if not isinstance(u, t.Bracket)))
    return guarded(replace(found, factor=times(rest, found.factor)), t.And(*guards))


def shortened(found: Pull, i: Terms, known: Sums, fresh: Fresh) -> Pull:
    """Without the sums that the cell's place decides, and the conditions that always hold."""
    guards: Terms = (*(t.Eq(e, place) for e, place in zip(found.index, i, strict=True)),)
    guards = tuple(c for g in guards for c in t.conjuncts(g))
    found = replace(found, index=(), guards=(*guards, *found.guards))
    while (step := eliminated(found, fresh)) is not None:
        found = step
    kept = list(dict.fromkeys(map(tidy_relation, found.guards)))
    for guard in tuple(kept):
        others = [c for c in kept if c is not guard]
        if known.entails(guard, (*others, *t.domain(found.ranges))):
            kept.remove(guard)
    return replace(found, guards=tuple(kept), factor=tidy_reads(found.factor))


def eliminated(found: Pull, fresh: Fresh) -> Pull | None:
    for guard in found.guards:
        for place in reversed(found.ranges):
            solved = solved_for(guard, place[0], lambda *_: False, False)
            others = tuple(r for r in found.ranges if r is not place)
            if solved is None or any(place[0] in free(end) for r in others for end in r[1:]):
                continue
            put = putting({place[0]: solved[0]}, fresh)
            rest = tuple(c for c in found.guards if c is not guard)
            own = t.in_range(*place).args
            guards = tuple(map(put, (*own, *rest)))
            return Pull((), put(found.factor), others, guards)
    return None


def putting(values: dict[Term, Term], fresh: Fresh) -> Callable[[Term], Term]:
    return lambda term: substitute(term, values, fresh)


def written(found: Pull) -> Term:
    guard = (t.Bracket(t.And(*found.guards)),) if found.guards else ()
    body = times(*guard, found.factor)
    ranges = (sympy.Tuple(symbol, tidy(a), tidy(b)) for symbol, a, b in found.ranges)
    return t.Sum(body, *ranges) if found.ranges else body


# What is printed.


def shown(op: Op) -> str:
    """The rules as mathematics, and as Python to paste into the definition."""
    taken = set(op.sizes).union(*(mentioned(e) for e in op.equations.values()))
    plain: list[Term] = []
    new: dict[Sym, None] = {}
    for rule in derived_rules(op):
        named, made = with_plain_names(rule, (*taken, *new))
        plain.append(named)
        new |= dict.fromkeys(made)
    lines = [f"{op.name}: what follows from its forward equation", "", f"  {op.forward}"]
    lines += [f"  {rule}" for rule in plain]
    lines += ["", "To paste, with symbols and arrays by their names:", ""]
    for kind, declared in (("axes", True), ("integers", False)):
        names = [symbol.name for symbol in new if symbol.is_bundle == declared]
        if names:
            lines.append(f'{", ".join(names)} = {kind}("{" ".join(names)}")')
    jvp, *vjps = map(source, plain)
    lines += [f"    jvp={jvp},", "    vjp=(", *(f"        {rule}," for rule in vjps), "    ),"]
    return "\n".join(lines)
