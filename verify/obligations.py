"""From a definition to its theorems. Trusted.

Everything is generated from the unevaluated tree, in the order of `theorems.KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import sympy
from sympy.core.symbol import Str

from verify import terms as t
from verify.accumulators import summed
from verify.language import Claim, Op, cotangent, replace_reads, tangent, target_of, value_at
from verify.substitution import Fresh, base_of, free, number_of, substitute
from verify.terms import Array, DefinitionError, Sym, reads
from verify.theorems import Sequent, Theorem

Need = tuple[str, tuple[Any, ...], tuple[Any, ...], Any]
Own = Callable[[Any], Iterator[tuple[str, Any]]]  # what a node needs, its parts aside


def obligations(op: Op) -> tuple[Theorem, ...]:
    """The theorems of an op, in a fixed order."""
    linear = tuple(linearity_of(op))
    basis = (*needs_of(op), *linear)
    theorems = (*sizes_of(op), *derivatives_of(op), *linear, *ties_of(op))
    claims = tuple(claimed(op, claim) for claim in op.claims)
    found = (*needs_of(op), *(resting(op, th, basis) for th in (*theorems, *claims)))
    for name in (claim.name for claim in op.claims):
        if sum(th.name == name for th in found) > 1 or name.startswith("requires "):
            raise DefinitionError(f"op {op.name}: claim {name!r} has the name of another theorem")
    return found


def resting(op: Op, theorem: Theorem, basis: tuple[Theorem, ...]) -> Theorem:
    """The theorem with what it rests on: that its equations have values, and entries say all."""
    parts = {"sizes", *involved(op, theorem)}
    kinds = ("defined", "in bounds", *(["linear"] if theorem.kind in ("jvp", "vjp") else []))
    found = (th.name for th in basis if th.kind in kinds and th.equation in parts)
    return replace(theorem, rests_on=tuple(found))


def involved(op: Op, theorem: Theorem) -> set[str]:
    """The equations that a theorem speaks of; what reads the output speaks of the forward too."""
    found = {theorem.equation}
    if theorem.kind == "claim":
        said = next(c.statement for c in op.claims if c.name == theorem.name)
        names = {a.name for a in t.arrays(said)}
        found = {name for name, e in equations(op) if target_of(e).array.name in names}
    uses = any(reads(e, op.output) for name, e in equations(op) if name in found)
    derived = theorem.kind in ("jvp", "vjp", "ties")
    return found | {"forward"} if uses or derived else found


def equations(op: Op) -> tuple[tuple[str, Any], ...]:
    rules = [(f"vjp {target_of(rule).array.name}", rule) for rule in op.vjp]
    return (("forward", op.forward), ("jvp", op.jvp), *rules)


# Definedness: what a term needs of its place, collected along with the place.


def needs_of(op: Op) -> Iterator[Theorem]:
    parts = [("sizes", list(needs_of_sizes(op)))]
    parts += [(name, list(needs_of_equation(e))) for name, e in equations(op)]
    titles = {"defined": "divisors and logarithms", "in bounds": "reads and writes"}
    for kind, title in titles.items():
        for name, needs in parts:
            found = [(over, when, then) for k, over, when, then in needs if k == kind]
            sequents = tuple(dict.fromkeys(renamed(*f) for f in found))
            if sequents:
                shown = "; ".join(dict.fromkeys(str(s.then) for s in sequents))
                yield Theorem(f"{name}: {title}", kind, shown, op.requires, sequents, equation=name)


def renamed(over: tuple[Any, ...], when: tuple[Any, ...], then: Any) -> Sequent:
    """With names by position, so that one need met in several places is one sequent."""
    names: dict[Any, Any] = {}
    ranges = []
    fresh = Fresh()
    fresh.count = len(over)
    whole = t.And(*when, then)
    loose = free(t.ForAll(whole, *over) if over else whole)
    for state in sorted((s for s in loose if "'" in s.name), key=number_of):
        names[state] = fresh(state)  # of a loop whose turns have no order
    for number, (symbol, first, last) in enumerate(over):
        ends = (substitute(e, names, fresh) for e in (first, last))
        name = Sym(f"{base_of(symbol)}'{number + 1}", symbol.sort, symbol.is_bundle)
        ranges.append(sympy.Tuple(name, *ends))
        names[symbol] = name
    conditions = dict.fromkeys(substitute(c, names, fresh) for c in when)
    return Sequent(tuple(ranges), tuple(conditions), substitute(then, names, fresh))


def needs_of_sizes(op: Op) -> Iterator[Need]:
    made = (op.output, *(target_of(rule).array for rule in op.vjp))
    sizes = [d for a in (*op.operands, *made) for d in a.dims]
    sizes += [t.as_term(part) for w in op.windows for part in (w.size, w.extent, w.stride)]
    for part in sizes:
        yield from needs(substitute(part, {}, Fresh(part)), (), (), defined)


def needs_of_equation(equation: Any) -> Iterator[Need]:
    equation = substitute(equation, {}, Fresh(equation))
    if isinstance(equation, t.Eq):
        yield from needs(equation.args[1], cells(equation.args[0]), (), defined)
        return
    over = yield from needs_of_ranges(equation.ranges, (), (), defined)
    yield from needs(equation.where, over, (), defined)
    when = t.conjuncts(equation.where)
    yield from needs(equation.target, over, when, defined)
    yield from needs(equation.value, over, when, defined)


def cells(place: Any) -> tuple[Any, ...]:
    """The ranges of the indices of a read, over the whole array."""
    pairs = zip(place.index, place.array.dims, strict=True)
    return tuple(sympy.Tuple(i, sympy.Integer(0), t.Add(n, -1)) for i, n in pairs)


def needs_of_ranges(ranges: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own) -> Any:
    for symbol, first, last in ranges:
        yield from needs(first, over, when, own)
        yield from needs(last, over, when, own)
        over = (*over, sympy.Tuple(symbol, first, last))
    return over


def defined(term: Any) -> Iterator[tuple[str, Any]]:
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
    elif isinstance(term, t.Read) and not isinstance(term, t.PaddedRead):
        yield "in bounds", t.inside(term.index, term.array.dims)


def needs(term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own) -> Iterator[Need]:
    """What the nodes of a term need, each with the places where it is reached."""
    if isinstance(term, t.Sym | Str | sympy.Rational | Array):
        return
    if isinstance(term, t.Mul | t.Div | t.Bracket):
        yield from needs_of_product(term, over, when, own)
    elif isinstance(term, t.And | t.Or):
        for arg in term.args:
            yield from needs(arg, over, when, own)
            when = (*when, *(t.conjuncts(arg) if isinstance(term, t.And) else (t.Not(arg),)))
    elif isinstance(term, t.If):
        condition, then, otherwise = term.args
        yield from needs(condition, over, when, own)
        yield from needs(then, over, (*when, *t.conjuncts(condition)), own)
        yield from needs(otherwise, over, (*when, t.Not(condition)), own)
    else:
        if isinstance(term, t.Binder):
            yield from needs_of_binder(term, over, when, own)
        else:
            for arg in term.args:
                yield from where_it_counts(needs(arg, over, when, own), arg, term)
        yield from ((kind, over, when, then) for kind, then in own(term))


def is_extremum(term: Any) -> bool:
    return isinstance(term, t.Min | t.Max) and t.sort_of(term) == t.REAL


def where_it_counts(found: Iterator[Need], part: Any, whole: Any) -> Iterator[Need]:
    """What a part needs: a value always, a derivative only where the whole may turn on it.

    Which place wins turns where two are equal, and nowhere else.
    """
    for kind, over, when, then in found:
        if kind != "edge":
            yield kind, over, when, then
        elif not isinstance(whole, t.Winner | t.Unique):
            yield kind, over, (*when, *counts(part, whole)), then


def counts(part: Any, whole: Any) -> Iterator[Any]:
    """Where the edges of a part may be those of the whole."""
    if isinstance(whole, t.Maximum) or is_extremum(whole):
        yield (t.Le if isinstance(whole, t.Min) else t.Ge)(part, whole)
    elif isinstance(whole, t.Relation) and t.REAL in map(t.sort_of, whole.args):
        yield t.Eq(*whole.args)
    elif isinstance(whole, t.Exists | t.ForAll):
        other = substitute(whole, {}, Fresh(whole))
        open_yet = other.body if isinstance(whole, t.ForAll) else t.Not(other.body)
        yield t.ForAll(t.Or(t.Not(before(other, whole)), open_yet), *other.ranges)


def needs_of_product(
    term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own
) -> Iterator[Need]:
    """Brackets are strong zeros: what they multiply is only asked where they hold."""
    for condition in t.guards_of(term):
        yield from needs(condition, over, when, own)
        when = (*when, *t.conjuncts(condition))
    yield from needs_of_factors(term, over, when, own)


def needs_of_factors(
    term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own
) -> Iterator[Need]:
    if isinstance(term, t.Mul | t.Div):
        for arg in term.args:
            is_divisor = isinstance(term, t.Div) and arg is term.args[1]
            visit = needs if is_divisor else needs_of_factors
            yield from visit(arg, over, when, own)
        yield from ((kind, over, when, then) for kind, then in own(term))
    elif not isinstance(term, t.Bracket):
        yield from needs(term, over, when, own)


def nonzero(divisor: Any) -> Iterator[Any]:
    """A product is not zero if no factor is."""
    if isinstance(divisor, t.Mul):
        for factor in divisor.args:
            yield from nonzero(factor)
    else:
        yield t.Ne(divisor.args[0] if isinstance(divisor, t.AxisProduct) else divisor, 0)


def needs_of_binder(
    term: Any, over: tuple[Any, ...], when: tuple[Any, ...], own: Own
) -> Iterator[Need]:
    inner = yield from needs_of_ranges(term.ranges, over, when, own)
    if isinstance(term, t.Maximum | t.Winner | t.Unique):
        body, where = term.args[:2]
        yield from needs(where, inner, when, own)
        found = needs(body, inner, (*when, *t.conjuncts(where)), own)
        yield from where_it_counts(found, body, term)
        for part in term.args[2 : term.parts]:
            yield from needs(part, over, when, own)
    elif isinstance(term, t.Fold):
        steps = {state: (start, step) for state, start, step in term.args[1]}
        used = {s for state in free(term.body) if state in steps for s in reaching(state, steps)}
        now = before_turn(term)
        for state, (start, step) in steps.items():
            yield from (n for n in needs(start, over, when, own) if n[0] != "edge" or state in used)
            for kind, places, held, then in needs(step, inner, when, own):
                if kind == "edge" and state not in used:
                    continue
                if now is None and kind != "edge":  # more is asked, which only a proof may do
                    held = tuple(c for c in held if not free(c) & steps.keys())
                yield with_states((kind, places, held, then), now or {})
        if term.body in steps:
            return
        final = {s: t.Fold(s, term.args[1], *term.ranges) for s in steps}
        yield from needs(substitute(term.body, final, Fresh(term)), over, when, own)
    else:
        yield from where_it_counts(needs(term.body, inner, when, own), term.body, term)


def with_states(need: Need, values: dict[Any, Any]) -> Need:
    kind, places, held, then = need
    fresh = Fresh(*(end for place in places for end in place), *held, then, *values.values())

    def put(term: Any) -> Any:
        return substitute(term, values, fresh)

    over = tuple(sympy.Tuple(symbol, *map(put, ends)) for symbol, *ends in places)
    return kind, over, tuple(map(put, held)), put(then)


def before(other: Any, binder: Any) -> Any:
    """That a place of the one comes before a place of the other, in the order of loops.

    Places of axes have no order that can be said for every rank: then, that it is another place.
    """
    pairs = [(own[0], now[0]) for own, now in zip(other.ranges, binder.ranges, strict=True)]
    if any(t.is_bundle(now) for _, now in pairs):
        return t.Not(t.And(*(t.Eq(*p) for p in pairs)))
    sooner = [
        t.And(*(t.Eq(*p) for p in pairs[:n]), t.relation(t.Lt, *pairs[n]))
        for n in range(len(pairs))
    ]
    return sooner[0] if len(sooner) == 1 else t.Or(*sooner)


def before_turn(loop: Any) -> dict[Any, Any] | None:
    """What the states are when the loop comes to a place: what the turns before it made of them.

    The turns of loops over axes have no order that can be said for every rank.
    """
    if any(symbol.is_bundle for symbol, _, _ in loop.ranges):
        return None
    other = substitute(loop, {}, Fresh(loop))
    turn = before(other, loop)
    steps = {state: (start, guarded(turn, step, state)) for state, start, step in other.args[1]}
    found = {}
    for now, own in zip(loop.args[1], other.args[1], strict=True):
        triples = (sympy.Tuple(s, *steps[s]) for s in steps if s in reaching(own[0], steps))
        found[now[0]] = t.Fold(own[0], sympy.Tuple(*triples), *other.ranges)
    return found


def reaching(state: Any, steps: dict[Any, Any]) -> set[Any]:
    """The states that a state is computed from, itself included."""
    found, new = {state}, {state}
    while new:
        new = {s for n in new for s in free(steps[n][1]) if s in steps} - found
        found |= new
    return found


def guarded(condition: Any, step: Any, state: Any) -> Any:
    """The step where the condition holds; else the state stays as it is."""
    if isinstance(step, t.If) and step.args[2] is state:
        return t.If(t.And(condition, step.args[0]), *step.args[1:])
    return t.If(condition, step, state)


# Sizes.


def sizes_of(op: Op) -> Iterator[Theorem]:
    computed = [d for d in op.output.dims if not isinstance(d, Sym)]
    if computed:
        yield size(op, "output size at least 1", [t.relation(t.Ge, d, 1) for d in computed])
    yield from windows_of(op)
    for rule in op.vjp:
        made = target_of(rule).array
        primal = next(a for a in op.inputs if a.name == made.of)
        if made.dims != primal.dims:
            pairs = zip(made.dims, primal.dims, strict=True)
            yield size(op, f"{made} has the shape of {primal}", [t.Eq(a, b) for a, b in pairs])


def size(op: Op, name: str, conditions: list[Any]) -> Theorem:
    sequents = tuple(Sequent((), (), c) for c in conditions)
    shown = "; ".join(map(str, conditions))
    return Theorem(name, "size", shown, op.requires, sequents, equation="sizes")


def windows_of(op: Op) -> Iterator[Theorem]:
    def end(w: Any, number: Any) -> Any:
        """Where the window after so many ends."""
        return t.plus(t.Mul(number, w.stride), w.extent)

    fit = [w for w in op.windows if w.rounding == "floor"]
    cover = [w for w in op.windows if w.rounding == "ceil"]
    if fit:
        fits = [t.relation(t.Le, end(w, w.count - 1), w.size) for w in fit]
        yield size(op, "the last window fits", fits)
        more = [t.relation(t.Gt, end(w, w.count), w.size) for w in fit]
        yield size(op, "one more window does not fit", more)
    if cover:
        covers = [t.relation(t.Ge, end(w, w.count - 1), w.size) for w in cover]
        yield size(op, "the windows cover", covers)
        fewer = [t.Or(t.Le(w.count, 1), t.Lt(end(w, w.count - 2), w.size)) for w in cover]
        yield size(op, "one window fewer does not cover", list(map(t.close, fewer)))


# Derivatives, entry by entry.


def derivatives_of(op: Op) -> Iterator[Theorem]:
    for x in op.inputs:
        yield entry(op, x, op.jvp, f"jvp by {x}", "jvp")
    for rule in op.vjp:
        made = target_of(rule).array
        primal = next(a for a in op.inputs if a.name == made.of)
        yield entry(op, primal, rule, f"vjp {made}", "vjp")


def entry(op: Op, x: Array, rule: Any, name: str, kind: str) -> Theorem:
    """∂y[o]/∂x[i], derived, equals ∂y_dot[o]/∂x_dot[i] or ∂x_bar[i]/∂y_bar[o], as written."""
    fresh = Fresh(op.forward, rule)
    o = tuple(fresh(i) for i in target_of(op.forward).index)
    i = index_names(op, x, fresh)
    value = value_at(op.forward, o, fresh)
    derived = t.Slope(value, x[i])
    if kind == "jvp":
        place, by = o, tangent(x)[i]
    else:
        place, by = i, cotangent(op.output)[o]
    written = t.Slope(inlined(op, value_at(rule, place, fresh), (op.output,), fresh), by)
    over = (*cells(op.output[o]), *cells(x[i]))
    when = tuple(dict.fromkeys(off_boundary(summed(value, fresh), x[i])))
    shown = f"∂{op.output[o]}/∂{x[i]} = ∂{target_of(rule).array[place]}/∂{by}"
    sequent = Sequent(over, when, t.Eq(derived, written))
    about = "jvp" if kind == "jvp" else f"vjp {target_of(rule).array}"
    return Theorem(name, kind, shown, op.requires, (sequent,), equation=about)


def off_boundary(term: Any, cell: t.Read) -> Iterator[Any]:
    """Where a term has a derivative by a cell: maxima have one place, no branch is on its edge.

    What the states of a loop decide is left to the words: it would take the loop to say it.
    """
    for _, over, when, then in needs(term, (), (), lambda node: edges(node, cell)):
        said = t.Or(t.Not(t.And(*when)), then) if when else then
        whole = t.ForAll(said, *over) if over else said
        looping = any(isinstance(u, t.Fold) for u in t.walk(whole))
        if not looping and free(whole) <= free(term) | free(cell):
            yield whole


def edges(term: Any, cell: t.Read) -> Iterator[tuple[str, Any]]:
    """Where a maximum has one place, and a comparison does not turn as the cell moves."""
    if isinstance(term, t.Maximum) and reads(term, cell.array):
        yield "edge", t.Unique(term.body, term.args[1], *term.ranges)
    elif isinstance(term, t.Relation) and t.REAL in map(t.sort_of, term.args):
        yield from apart(*term.args, cell)
    elif is_extremum(term):
        beaten = t.Gt if isinstance(term, t.Max) else t.Lt
        for n in range(1, len(term.args)):
            *before, own = term.args[:n]
            rest = term.args[n] if n + 1 == len(term.args) else term.func(*term.args[n:])
            lost = (beaten(e, term.func(own, rest)) for e in before)
            yield from apart(own, rest, cell, *lost)


def apart(left: Any, right: Any, cell: t.Read, *unless: Any) -> Iterator[tuple[str, Any]]:
    """Two sides differ, or move alike: in the padding, or in one cell, they are always equal."""
    if any(reads(side, cell.array) for side in (left, right)):
        alike = t.Eq(t.Slope(left, cell), t.Slope(right, cell))
        yield "edge", t.Or(*unless, t.Ne(left, right), alike)


def index_names(op: Op, x: Array, fresh: Fresh) -> tuple[Sym, ...]:
    """Names for a cell of x: those of its cotangent's rule where they are symbols."""
    rule = next(r for r in op.vjp if target_of(r).array.of == x.name)
    names = (e.name if isinstance(e, Sym) else "i" for e in target_of(rule).index)
    return tuple(
        fresh(Sym(name, t.INT, t.is_bundle(n))) for name, n in zip(names, x.dims, strict=True)
    )


def inlined(op: Op, term: Any, defined: tuple[Array, ...], fresh: Fresh) -> Any:
    """The term with reads of the op's own arrays replaced by what their equations say."""

    def find(read: t.Read) -> Any:
        if read.array not in defined:
            return None
        rule = op.rule(read.array.name)
        return lambda *index: inlined(op, value_at(rule, index, fresh), defined, fresh)

    return replace_reads(term, find, fresh)


# Linearity.


def linearity_of(op: Op) -> Iterator[Theorem]:
    tangents = sympy.Tuple(*(tangent(x) for x in op.inputs))
    yield linear(op, op.jvp, tangents, "jvp is linear")
    for rule in op.vjp:
        name = f"vjp {target_of(rule).array} is linear"
        yield linear(op, rule, sympy.Tuple(cotangent(op.output)), name)


def linear(op: Op, rule: Any, by: Any, name: str) -> Theorem:
    fresh = Fresh(op.forward, rule)
    made = target_of(rule).array
    place = tuple(fresh(Sym("i", t.INT, t.is_bundle(d))) for d in made.dims)
    if isinstance(rule, t.Eq):
        place = tuple(fresh(i) for i in target_of(rule).index)
    value = inlined(op, value_at(rule, place, fresh), (op.output,), fresh)
    shown = f"{made[place]} is linear in {', '.join(a.name for a in by)}"
    sequent = Sequent(cells(made[place]), (), t.Linear(value, by))
    about = name.removesuffix(" is linear")
    return Theorem(name, "linear", shown, op.requires, (sequent,), equation=about)


# At ties.


def ties_of(op: Op) -> Iterator[Theorem]:
    """What each VJP through a maximum is where several cells win: a subgradient, or not."""
    largest = op.forward.args[1]
    if not isinstance(largest, t.Maximum) or not isinstance(largest.body, t.Read):
        return
    x = largest.body.array
    for rule in (r for r in op.vjp if target_of(r).array.of == x.name):
        made = target_of(rule).array
        fresh = Fresh(op.forward, rule)
        o = tuple(fresh(i) for i in target_of(op.forward).index)
        i = index_names(op, x, fresh)
        value = inlined(op, value_at(rule, i, fresh), (op.output,), fresh)
        weight = t.Slope(value, cotangent(op.output)[o])
        window = value_at(op.forward, o, fresh)
        some = t.Exists(window.args[1], *window.ranges)
        yield mass(op, made, weight, cells(op.output[o]), cells(x[i]), some)
        yield on_winners(op, made, weight, (*cells(op.output[o]), *cells(x[i])), x[i], window)


def mass(op: Op, made: Array, weight: Any, outputs: Any, inputs: Any, some: Any) -> Theorem:
    total = Sequent(outputs, t.conjuncts(some), t.Eq(t.Sum(weight, *inputs), 1))
    shown = f"the weights of {made} sum to 1 over a window with a valid cell"
    name = f"{made} at ties: weights sum to 1"
    return Theorem(name, "ties", shown, op.requires, (total,), equation=f"vjp {made}")


def on_winners(op: Op, made: Array, weight: Any, over: Any, cell: Any, window: Any) -> Theorem:
    nonnegative = Sequent(over, (), t.relation(t.Ge, weight, 0))
    losing = t.Mul(t.Bracket(t.Ne(cell, window)), weight)
    body, where = window.args[:2]
    read = t.Exists(t.And(where, *map(t.Eq, body.index, cell.index)), *window.ranges)
    said = (t.Eq(losing, 0), t.Eq(weight, t.Mul(t.Bracket(read), weight)))
    nowhere_else = (Sequent(over, (), e) for e in said)
    shown = f"the weights of {made} are at least 0, and 0 but where {cell} is the window's maximum"
    name = f"{made} at ties: weights on winners only"
    parts = (nonnegative, *nowhere_else)
    return Theorem(name, "ties", shown, op.requires, parts, equation=f"vjp {made}")


# The op's own claims.


def claimed(op: Op, claim: Claim) -> Theorem:
    given = (*(r for r in op.requires if r not in claim.without), *claim.given)
    own = (op.output, tangent(op.output), *(target_of(r).array for r in op.vjp))
    fresh = Fresh(claim.statement, *given, *(e for _, e in equations(op)))
    statement = inlined(op, substitute(claim.statement, {}, fresh), own, fresh)
    sequents = tuple(sequents_of(statement, (), ()))
    if claim.refuted is None:
        # Its twin, of the same statement, answers for a claim that is expected to be false.
        said = substitute(claim.statement, {}, fresh)
        wanted = list(needs(said, (), (), defined))
        wanted += needs_without(op, claim.statement, statement) if claim.without else ()
        meant = (Sequent(*need[1:], aside=True) for need in wanted)
        sequents = tuple(dict.fromkeys((*meant, *sequents)))
    return Theorem(
        claim.name,
        "claim",
        str(claim.statement),
        given,
        sequents,
        claim.refuted,
        claim.twin,
        f"claim {claim.name}",
    )


def needs_without(op: Op, said: Any, inlined: Any) -> Iterator[Need]:
    """What has a value under `requires`, but perhaps not without all of it.

    Shapes, what is inlined, and what a scatter writes elsewhere.
    """
    yield from needs_of_sizes(op)
    yield from needs(inlined, (), (), defined)
    for _, equation in equations(op):
        if isinstance(equation, t.Scatter) and reads(said, equation.target.array):
            yield from needs_of_equation(equation)


def sequents_of(statement: Any, over: tuple[Any, ...], when: tuple[Any, ...]) -> Iterator[Sequent]:
    """A claim's parts, with what they range over and what they assume."""
    if isinstance(statement, t.And):
        for part in statement.args:
            yield from sequents_of(part, over, when)
    elif isinstance(statement, t.ForAll):
        yield from sequents_of(statement.body, (*over, *statement.ranges), when)
    elif isinstance(statement, t.Or) and isinstance(next(iter(statement.args), None), t.Not):
        condition, *rest = statement.args
        assumed = (*when, *t.conjuncts(condition.args[0]))
        yield from sequents_of(rest[0] if len(rest) == 1 else t.Or(*rest), over, assumed)
    else:
        yield Sequent(over, when, statement)
