"""From a definition to its theorems. Trusted.

Everything is generated from the unevaluated tree. A theorem comes after those that it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

import sympy

from gradproof.language import terms as t
from gradproof.language.accumulators import summed
from gradproof.language.functions import (
    derivative_of,
    domain_of,
    facts_of,
    functions_in,
    value_of,
)
from gradproof.language.ops import (
    Claim,
    Op,
    Windows,
    cotangent,
    replace_reads,
    tangent,
    target_of,
    value_at,
)
from gradproof.language.requirements import about_values, spans_of
from gradproof.language.substitution import (
    Fresh,
    base_of,
    free,
    mentioned,
    number_of,
    substitute,
    union,
)
from gradproof.language.systems import ending, needed_by, read_by, recurrences
from gradproof.language.terms import Array, DefinitionError, Sym, Term, Triple, cells, reads
from gradproof.theorems.composition import Local, branches, ordered
from gradproof.theorems.definedness import Need, needs, needs_of_ranges
from gradproof.theorems.differentiability import differentiable
from gradproof.theorems.meeting import Entry, between
from gradproof.theorems.sequents import Sequent, Theorem

Triples = tuple[Triple, ...]


def obligations(op: Op, kinds: Collection[str] | None = None) -> tuple[Theorem, ...]:
    """The theorems of an op, in a fixed order; those of some kinds alone, if these are named."""
    defined, orders, linear = (
        tuple(definedness_of(op)),
        tuple(orders_of(op)),
        tuple(linearity_of(op)),
    )
    basis = (*defined, *orders, *linear)

    def asked(*of: str) -> bool:
        return kinds is None or not set(of).isdisjoint(kinds)

    derivatives = derivatives_of(op) if asked("jvp", "vjp") else ()
    meetings = at_meetings(op) if asked("ties") else ()
    theorems = (*orders, *sizes_of(op), *linear, *derivatives, *meetings)
    claims = tuple(claimed(op, claim) for claim in op.claims) if asked("claim") else ()
    resting_on = (resting(op, th, basis) for th in (*theorems, *claims) if asked(th.kind))
    found = (*(th for th in defined if asked(th.kind)), *resting_on)
    found = tuple(with_shapes(op, theorem) for theorem in found)
    for name in (claim.name for claim in op.claims if claims):
        if sum(th.name == name for th in found) > 1 or name.startswith("requires "):
            raise DefinitionError(f"op {op.name}: claim {name!r} has the name of another theorem")
    return found


def with_shapes(op: Op, theorem: Theorem) -> Theorem:
    """The theorem with what it assumes of arrays: that no size of an operand is below 0.

    Left out are sizes that have nothing to do with it; those of the output are the op's to show.
    """
    theorem = with_requirements(op, theorem)
    sizes = dict.fromkeys(d for a in op.operands for d in a.dims)
    computed = [d for d in sizes if not isinstance(d, Sym)]
    spoken = theorem.symbols | union(map(mentioned, computed))
    clauses = [c for g in theorem.given for c in t.conjuncts(g)]
    open_yet = (d for d in sizes if not any(is_bound(c, d) for c in clauses))
    bounds = (at_least_0(d) for d in open_yet if free(d) <= spoken)
    return replace(theorem, given=(*theorem.given, *bounds))


def with_requirements(op: Op, theorem: Theorem) -> Theorem:
    """The theorem with what is required of values as hypotheses of the sequents that read them.

    What that needs itself, to have a value, is asked under what stands before it.
    """
    values = (*spans_of(op.operands), *(op.closed(c) for c in theorem.given if about_values(c)))
    if not values:
        return theorem
    given = tuple(c for c in theorem.given if not about_values(c))
    sequents, local = theorem.sequents, theorem.local
    if theorem.equation != "sizes":
        sequents = tuple(under(s, values, theorem.kind == "satisfiable") for s in sequents)
        local = tuple(under(s, values, False) for s in local)
    return replace(theorem, given=given, sequents=sequents, local=local)


def under(sequent: Sequent, values: tuple[Term, ...], all_of_them: bool) -> Sequent:
    """A sequent under clauses about arrays that it reads."""
    said = t.And(*sequent.when, sequent.then, *(e for _, *ends in sequent.over for e in ends))
    read = t.arrays(said).union(*map(t.arrays, sequent.where)) | {
        a for u in t.walk(said) if isinstance(u, t.Linear) for a in u.by
    }
    chosen = (v for v in values if all_of_them or t.arrays(v) & read)
    return replace(sequent, when=tuple(dict.fromkeys((*chosen, *sequent.when))))


def at_least_0(size: Term) -> Term:
    """That a size is not below 0, where it has a value."""
    has_none = [t.Not(said) for said in valued(size)]
    bound = t.relation(t.Ge, size, 0)
    return t.Or(*has_none, bound) if has_none else bound


def valued(size: Term) -> Iterator[Term]:
    """That a size, which binds nothing, has a value."""
    for _, _, when, then in needs(size, (), ()):
        yield t.Or(t.Not(t.And(*when)), then) if when else then


def is_bound(clause: Term, size: Term) -> bool:
    """Whether it says that a size is at least 0, or more."""
    least = clause.condition if isinstance(clause, t.AllAxes) else clause
    if not isinstance(least, t.Ge) or least.left != size:
        return False
    return isinstance(least.right, sympy.Integer) and bool(least.right >= 0)


def resting(op: Op, theorem: Theorem, basis: tuple[Theorem, ...]) -> Theorem:
    """The theorem with what it rests on: that its equations have values, and entries say all."""
    parts = {"sizes", *involved(op, theorem)}
    kinds = ["defined", "in bounds", "order"]
    kinds += ["linear"] if theorem.kind in ("jvp", "vjp") else []
    found = (th.name for th in basis if th.kind in kinds and th.equation in parts)
    return replace(theorem, rests_on=tuple(found))


def involved(op: Op, theorem: Theorem) -> set[str]:
    """The equations that a theorem speaks of; what reads the output speaks of the forward too."""
    found = {theorem.equation}
    if theorem.kind == "ties" and theorem.equation != "jvp":
        return {name for name in op.equations if name != "jvp"}
    if theorem.kind == "claim":
        said = next(c.statement for c in op.claims if c.name == theorem.name)
        names = {a.name for a in t.arrays(said)}
        found = {name for name, e in op.equations.items() if target_of(e).array.name in names}
    if theorem.kind == "order":
        return set()
    parts = [e for name, e in op.equations.items() if name in found or is_of(name, theorem)]
    read = needed_by(parts, op.equations.values())
    beside = {name for name, e in op.equations.items() if e in read or e in parts}
    derived = theorem.kind in ("jvp", "vjp", "ties")
    return found | beside | (set(op.formulas) if derived or beside & set(op.formulas) else set())


def is_of(equation: str, theorem: Theorem) -> bool:
    """Whether an equation is one of several JVPs that a theorem is about."""
    return theorem.equation == "jvp" and equation.startswith("jvp ")


# Definedness.


def definedness_of(op: Op) -> Iterator[Theorem]:
    titles = {"defined": "divisors and logarithms", "in bounds": "reads and writes"}
    parts = {"sizes": list(needs_of_sizes(op))}
    parts |= {name: list(needs_of_equation(e)) for name, e in op.equations.items()}
    grounds: list[str] = []  # that what is computed has values
    yield from declarations_of(op)
    for part, wanted in parts.items():
        uses = part != "sizes" and not read_by(op.equations[part]).isdisjoint(op.computed)
        for kind, title in titles.items():
            asked = [renamed(over, when, then) for k, over, when, then in wanted if k == kind]
            if asked:
                shown = "; ".join(dict.fromkeys(str(said(op, s).then) for s in asked))
                name = f"{part}: {title}"
                found = stated(
                    op, Theorem(name, kind, shown, op.requires, (), equation=part), asked
                )
                yield replace(found, rests_on=tuple(grounds)) if uses else found
                grounds += [found.name] if part in ("sizes", *op.formulas) else []


def stated(op: Op, theorem: Theorem, sequents: Iterable[Sequent]) -> Theorem:
    """A theorem that says so of what the op computes.

    Of one equation that is said without its name; of several, each may stay as it is.
    """
    asked = tuple(dict.fromkeys(sequents))
    if is_plain(op):
        return replace(theorem, sequents=tuple(dict.fromkeys(said(op, s) for s in asked)))
    where = tuple(replace(s, where=needed_by(s.terms, op.equations.values())) for s in asked)
    return replace(
        theorem, sequents=where, local=tuple(replace(s, where=values_in(op, s)) for s in asked)
    )


def values_in(op: Op, sequent: Sequent) -> tuple[Term, ...]:
    """The equations of what the op computes, by which values may be replaced, to an end."""
    return needed_by(sequent.terms, ending(op.system))


def is_plain(op: Op) -> bool:
    """Whether every rule speaks of inputs and of one output alone."""
    pulled = {target_of(rule).array.of for rule in op.vjp}
    alone = len(op.system) == 1 and len(op.jvps) < 2 and not op.is_recurrent
    return alone and op.output.name not in pulled


def said(op: Op, sequent: Sequent) -> Sequent:
    return written_out(op, sequent, op.computed) if is_plain(op) else sequent


def declarations_of(op: Op) -> Iterator[Theorem]:
    """Of each function that the op applies: its derivative has a value, and what is stated holds.

    Of one with a value that is shown of the value; else it is assumed, and must hold of something.
    """
    said = (*op.equations.values(), *op.requires, *(c.statement for c in op.claims))
    for function in functions_in(said):
        if not function.built_in:
            u = Array(f"{function.name}_argument", ())[()]
            where = t.conjuncts(domain_of(function(u)))
            yield from declared(function, u, where)


def declared(function: t.Function, u: t.Read, where: tuple[Term, ...]) -> Iterator[Theorem]:
    applied = function(u)
    own = (derivative_of(applied), value_of(applied))
    parts = [part for part in own if part is not None]
    asked = [need for part in (*parts, *facts_of(applied)) for need in needs(part, (), where)]
    asked = [*needs(t.And(*where), (), ()), *asked]
    held = (renamed(*need[1:]) for need in asked if need[0] == "defined")
    sequents = tuple(dict.fromkeys(held))
    if sequents:
        shown = "; ".join(dict.fromkeys(str(s.then) for s in sequents))
        name = f"{function}: divisors and logarithms"
        yield Theorem(name, "defined", shown, (), sequents, equation="sizes")
    stated = [*facts_of(applied)]
    known = value_of(applied)
    if known is not None:
        stated = [with_values(function, fact) for fact in stated]
        slope = with_values(function, derivative_of(applied))
        stated.append(t.Eq(t.Slope(known, u), slope))
    if stated:
        shown = "; ".join(map(str, stated))
        sequents = tuple(Sequent((), where, fact) for fact in stated)
        yield Theorem(f"{function}: as declared", "defined", shown, (), sequents, equation="sizes")


def with_values(function: t.Function, term: Term) -> Term:
    """With the value of the function wherever it is applied: nothing stated of it is assumed."""
    term = t.over_parts(term, lambda u: with_values(function, u))
    is_own = isinstance(term, t.Apply) and term.function == function
    known = value_of(term) if is_own else None
    return term if known is None else known


def written_out(op: Op, sequent: Sequent, own: tuple[Array, ...]) -> Sequent:
    """The sequent with what their equations say in place of the op's own arrays."""
    said = (*(end for _, *ends in sequent.over for end in ends), *sequent.when, sequent.then)
    if all(t.arrays(term).isdisjoint(own) for term in said):
        return sequent
    fresh = Fresh(*op.equations.values(), *sequent.hypotheses, sequent.then)
    return sequent.mapped(lambda term: inlined(op, term, own, fresh))


def renamed(over: Triples, when: tuple[Term, ...], then: Term) -> Sequent:
    """With names by position, so that one need met in several places is one sequent."""
    names: dict[Term, Term] = {}
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
    made = (*op.computed, *(target_of(rule).array for rule in op.vjp))
    sizes = [d for a in (*op.operands, *made) for d in a.dims]
    sizes += [e for a in op.operands for e in a.span]
    sizes += [t.as_term(part) for w in op.windows for part in (w.size, w.extent, w.stride)]
    for part in sizes:
        yield from needs(substitute(part, {}, Fresh(part)), (), ())
    values = t.And(*spans_of(op.operands), *(op.closed(c) for c in op.requires if about_values(c)))
    yield from needs(substitute(values, {}, Fresh(values)), (), ())


def needs_of_equation(equation: Term) -> Iterator[Need]:
    equation = substitute(equation, {}, Fresh(equation))
    if isinstance(equation, t.Eq):
        yield from needs(equation.right, cells(equation.left), ())
        return
    over = yield from needs_of_ranges(equation.ranges, (), ())
    yield from needs(equation.where, over, ())
    when = t.conjuncts(equation.where)
    yield from needs(equation.target, over, when)
    yield from needs(equation.value, over, when)


# The order of a recurrence.


def orders_of(op: Op) -> Iterator[Theorem]:
    """That cells of a recurrence read earlier ones; so for the forward and for each rule."""
    for equations in (op.system, op.jvps, op.vjp):
        for group in recurrences(equations):
            known = {need for e in group for need in needs_of_equation(e)}
            wanted = (need for e in ordered(group) for need in needs_of_equation(e))
            asked = (need[1:] for need in wanted if need[0] == "in bounds" and need not in known)
            names = " and ".join(target_of(e).array.name for e in group)
            shown = f"every cell of {names} reads only cells that are computed before it"
            name = next(name for name, e in op.equations.items() if e == group[0])
            theorem = Theorem(f"{name}: order", "order", shown, op.requires, (), equation=name)
            where = needed_by(group, op.equations.values())
            sequents = tuple(dict.fromkeys(replace(renamed(*need), where=where) for need in asked))
            yield replace(
                theorem, sequents=sequents, local=tuple(replace(s, where=()) for s in sequents)
            )


# Sizes.


def sizes_of(op: Op) -> Iterator[Theorem]:
    computed = list(dict.fromkeys(d for a in op.computed for d in a.dims if not isinstance(d, Sym)))
    if computed:
        yield size(op, "output size at least 1", [t.relation(t.Ge, d, 1) for d in computed])
    yield from windows_of(op)
    for rule in op.vjp:
        made = target_of(rule).array
        primal = next(a for a in (*op.inputs, *op.computed) if a.name == made.of)
        if made.dims != primal.dims:
            pairs = zip(made.dims, primal.dims, strict=True)
            yield size(op, f"{made} has the shape of {primal}", [t.Eq(a, b) for a, b in pairs])


def size(op: Op, name: str, conditions: list[Term]) -> Theorem:
    sequents = tuple(Sequent((), (), c) for c in conditions)
    shown = "; ".join(map(str, conditions))
    return Theorem(name, "size", shown, op.requires, sequents, equation="sizes")


def windows_of(op: Op) -> Iterator[Theorem]:
    def end(w: Windows, number: Term) -> Term:
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
    for x in op.inputs if op.jvps else ():
        if is_plain(op):
            yield entry(op, x, op.jvps[0], f"jvp by {x}", "jvp")
        else:
            yield composed(op, x, None)
    for rule in op.vjp:
        made = target_of(rule).array
        primal = next((a for a in op.inputs if a.name == made.of), None)
        if primal is not None and is_plain(op):
            yield entry(op, primal, rule, f"vjp {made}", "vjp")
        elif primal is not None:
            yield composed(op, primal, made)


def composed(op: Op, x: Array, made: Array | None) -> Theorem:
    """∂y[o]/∂x[i] for every output, as the rules compute it from one another."""
    kind, about = ("jvp", "jvp") if made is None else ("vjp", f"vjp {made}")
    local = Local(op)
    sequents, shown = [], []
    for equation in op.forwards:
        y = target_of(equation).array
        fresh = Fresh(*op.equations.values())
        o = tuple(fresh(i) for i in target_of(equation).index)
        i = index_names(op, x, fresh)
        if made is None:
            place, by = tangent(y)[o], tangent(x)[i]
        else:
            place, by = made[i], cotangent(y)[o]
        then = t.Eq(t.Slope(y[o], x[i]), t.Slope(place, by))
        over = (*cells(y[o]), *cells(x[i]))
        where = needed_by((y[o], place), op.equations.values())
        sequents.append(Sequent(over, turning(op, y[o], x[i]), then, where=where))
        shown.append(f"∂{y[o]}/∂{x[i]} = ∂{place}/∂{by}")
    name = f"jvp by {x}" if made is None else f"vjp {made}"
    found = Theorem(name, kind, "; ".join(shown), op.requires, tuple(sequents), equation=about)
    if branches(op):
        return found
    steps = local.tangents(x) if made is None else local.cotangents(x, made)
    return replace(found, local=tuple(replace(s, where=values_in(op, s)) for s in steps))


def turning(op: Op, output: t.Read, cell: t.Read) -> tuple[Term, ...]:
    """Where no branch turns on the way from a cell to an output, all equations written out."""
    if not branches(op):
        return ()
    fresh = Fresh(*op.equations.values(), output, cell)
    value = inlined(op, output, op.computed, fresh)
    return tuple(dict.fromkeys(differentiable(summed(value, fresh), cell)))


def entry(op: Op, x: Array, rule: Term, name: str, kind: str) -> Theorem:
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
    when = tuple(dict.fromkeys(differentiable(summed(value, fresh), x[i])))
    shown = f"∂{op.output[o]}/∂{x[i]} = ∂{target_of(rule).array[place]}/∂{by}"
    sequent = Sequent(over, when, t.Eq(derived, written))
    about = "jvp" if kind == "jvp" else f"vjp {target_of(rule).array}"
    return Theorem(name, kind, shown, op.requires, (sequent,), equation=about)


def index_names(op: Op, x: Array, fresh: Fresh) -> tuple[Sym, ...]:
    """Names for a cell of x: those of its cotangent's rule."""
    rule = next((r for r in op.vjp if target_of(r).array.of == x.name), None)
    if rule is not None:
        return named_place(rule, fresh)
    return tuple(fresh(Sym("i", t.INT, t.is_bundle(n))) for n in x.dims)


def named_place(rule: Term, fresh: Fresh) -> tuple[Sym, ...]:
    """A place of the array that a rule defines, in the names of its index."""
    place = target_of(rule)
    ranges = () if isinstance(rule, t.Eq) else tuple(symbol for symbol, _, _ in rule.ranges)
    names = (e.name if isinstance(e, Sym) else axis_name(e, ranges) for e in place.index)
    return tuple(
        fresh(Sym(name, t.INT, t.is_bundle(n)))
        for name, n in zip(names, place.array.dims, strict=True)
    )


def outside_loops(term: Term) -> frozenset[Term]:
    if isinstance(term, Sym | t.Fold):
        return frozenset() if isinstance(term, t.Fold) else frozenset((term,))
    return frozenset().union(*map(outside_loops, term.args))


def axis_name(index: Term, ranges: Iterable[Sym]) -> str:
    """`iH` for an index made of `oH` and `jH`."""
    endings = {s.name[1:] for s in ranges if s in outside_loops(index)}
    (ending,) = endings if len(endings) == 1 else ("",)
    return f"i{ending}" if ending[:1].isupper() else "i"


def inlined(op: Op, term: Term, defined: tuple[Array, ...], fresh: Fresh) -> Term:
    """The term with reads of the op's own arrays replaced by what their equations say."""
    if t.arrays(term).isdisjoint(defined):
        return term

    def find(read: t.Read) -> Callable[..., Term] | None:
        if read.array not in defined:
            return None
        rule = op.rule(read.array.name)
        return lambda *index: inlined(op, value_at(rule, index, fresh), defined, fresh)

    return replace_reads(term, find, fresh)


# Linearity.


def linearity_of(op: Op) -> Iterator[Theorem]:
    tangents = sympy.Tuple(*(tangent(x) for x in op.inputs))
    cotangents = sympy.Tuple(*map(cotangent, op.outputs))
    inputs = {x.name for x in op.inputs}
    pulled = tuple(r for r in op.vjp if target_of(r).array.of in inputs)
    if not is_plain(op):
        rules = [r for r in op.jvps if target_of(r).array in map(tangent, op.outputs)]
        if rules:
            yield linear_through(op, rules, op.jvps, tangents, "jvp is linear")
        within = [r for r in op.vjp if r not in pulled]
        for rule in pulled:
            name = f"vjp {target_of(rule).array} is linear"
            yield linear_through(op, [rule], (*within, rule), cotangents, name)
        return
    for rule in op.jvps:
        yield linear(op, rule, tangents, "jvp is linear")
    for rule in pulled:
        name = f"vjp {target_of(rule).array} is linear"
        yield linear(op, rule, cotangents, name)


def linear_through(
    op: Op, ends: Iterable[Term], rules: Iterable[Term], by: Iterable[Array], name: str
) -> Theorem:
    """What rules compute from one another is linear if each is in all that it may read."""
    made = {target_of(r).array for r in rules}
    moved = sympy.Tuple(*by, *sorted(made.difference(by), key=str))
    sequents, local, shown = [], [], []
    for rule in rules:
        fresh = Fresh(*op.equations.values())
        array = target_of(rule).array
        place = tuple(fresh(Sym("i", t.INT, t.is_bundle(d))) for d in array.dims)
        over = cells(array[place])
        local.append(Sequent(over, (), t.Linear(value_at(rule, place, fresh), moved)))
        if rule in ends:
            where = needed_by((array[place],), op.equations.values())
            sequents.append(Sequent(over, (), t.Linear(array[place], by), where=where))
            shown.append(f"{array[place]} is linear in {', '.join(a.name for a in by)}")
    about = name.removesuffix(" is linear")
    said = "; ".join(shown)
    found = Theorem(name, "linear", said, op.requires, tuple(sequents), equation=about)
    return replace(found, local=tuple(local))


def linear(op: Op, rule: Term, by: Iterable[Array], name: str) -> Theorem:
    fresh = Fresh(op.forward, rule)
    made = target_of(rule).array
    place = named_place(rule, fresh)
    value = inlined(op, value_at(rule, place, fresh), op.computed, fresh)
    shown = f"{made[place]} is linear in {', '.join(a.name for a in by)}"
    sequent = Sequent(cells(made[place]), (), t.Linear(value, by))
    about = name.removesuffix(" is linear")
    return Theorem(name, "linear", shown, op.requires, (sequent,), equation=about)


# At ties.


def at_meetings(op: Op) -> Iterator[Theorem]:
    """Where several cells win, and where branches meet, output by output."""
    if is_plain(op):
        yield from (*ties_of(op), *meetings_of(op))
    elif branches(op) and not recurrent(op):
        for y in op.outputs:
            alone = flattened(op, y)
            for theorem in (*ties_of(alone), *meetings_of(alone)):
                of = f", {y}" if len(op.outputs) > 1 else ""
                yield replace(theorem, name=f"{theorem.name}{of}")


def flattened(op: Op, y: Array) -> Op:
    """The op of one output, with equations from inputs alone; cotangents of others are 0."""
    fresh = Fresh(*op.equations.values())
    zero = {cotangent(other) for other in op.outputs if other != y}
    made = {target_of(e).array: e for e in op.equations.values()}

    def find(read: t.Read) -> Callable[..., Term] | None:
        if read.array in zero:
            return lambda *index: sympy.Integer(0)
        rule = made.get(read.array)
        return None if rule is None else lambda *index: put(value_at(rule, index, fresh))

    def put(term: Term) -> Term:
        return replace_reads(term, find, fresh)

    def plain(equation: Term) -> Term:
        return t.rebuild(equation, (equation.target, *map(put, equation.args[1:])))

    forward = plain(made[y])
    read = {a.name for a in t.arrays(forward.right)}
    return replace(
        op,
        forward=forward,
        let=(),
        jvp=tuple(map(plain, (e for e in op.jvps if target_of(e).array == tangent(y)))),
        vjp=tuple(map(plain, (e for e in op.vjp if target_of(e).array.of in read))),
        constants=tuple(a for a in op.constants if a.name in read),
        claims=(),
        windows=(),
    )


def ties_of(op: Op) -> Iterator[Theorem]:
    """What each VJP through a maximum is where several cells win: a subgradient, or not."""
    largest = op.forward.right
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
        some = t.Exists(window.where, *window.ranges)
        yield mass(op, made, weight, cells(op.output[o]), cells(x[i]), some)
        yield on_winners(op, made, weight, (*cells(op.output[o]), *cells(x[i])), x[i], window)


def mass(
    op: Op, made: Array, weight: Term, outputs: Triples, inputs: Triples, some: Term
) -> Theorem:
    total = Sequent(outputs, t.conjuncts(some), t.Eq(t.Sum(weight, *inputs), 1))
    shown = f"the weights of {made} sum to 1 over a window with a valid cell"
    name = f"{made} at ties: weights sum to 1"
    return at_ties(op, made, name, shown, (total,))


def on_winners(
    op: Op, made: Array, weight: Term, over: Triples, cell: t.Read, window: t.Maximum
) -> Theorem:
    nonnegative = Sequent(over, (), t.relation(t.Ge, weight, 0))
    losing = t.Mul(t.Bracket(t.Ne(cell, window)), weight)
    same = map(t.Eq, window.body.index, cell.index)
    read = t.Exists(t.And(window.where, *same), *window.ranges)
    said = (t.Eq(losing, 0), t.Eq(weight, t.Mul(t.Bracket(read), weight)))
    nowhere_else = (Sequent(over, (), e) for e in said)
    shown = f"the weights of {made} are at least 0, and 0 but where {cell} is the window's maximum"
    name = f"{made} at ties: weights on winners only"
    parts = (nonnegative, *nowhere_else)
    return at_ties(op, made, name, shown, parts)


def at_ties(op: Op, made: Array, name: str, shown: str, sequents: tuple[Sequent, ...]) -> Theorem:
    waived, about = op.ties == "any", f"vjp {made}"
    return Theorem(name, "ties", shown, op.requires, sequents, equation=about, waived=waived)


# Where branches meet.


def meetings_of(op: Op) -> Iterator[Theorem]:
    """What the JVP, and the VJPs of all inputs together, are where branches meet."""
    if op.jvps:
        yield from meeting(op, {x.name: op.jvp for x in op.inputs}, "jvp")
    rules = {x.name: [r for r in op.vjp if target_of(r).array.of == x.name] for x in op.inputs}
    for number in range(max(map(len, rules.values()), default=0) if all(rules.values()) else 0):
        chosen = {name: own[min(number, len(own) - 1)] for name, own in rules.items()}
        yield from meeting(op, chosen, f"vjp {number + 1}" if number else "vjp")


def meeting(op: Op, rules: dict[str, Term], name: str) -> Iterator[Theorem]:
    fresh = Fresh(op.forward, *rules.values())
    o = tuple(fresh(i) for i in target_of(op.forward).index)
    value = value_at(op.forward, o, fresh)
    entries = tuple(
        Entry(x[i], tangent(x)[i], said_at(op, rules[x.name], o, x[i], fresh))
        for x in op.inputs
        for i in (index_names(op, x, fresh) for _ in range(cells_read(value, x)))
    )
    then = between(value, entries)
    if then is None:
        return
    over = (*cells(op.output[o]), *(r for entry in entries for r in cells(entry.cell)))
    made = " and ".join(dict.fromkeys(target_of(rule).array.name for rule in rules.values()))
    shown = f"where branches of {op.output} meet, {made} goes with one, or lies between"
    first = "jvp" if name == "jvp" else f"vjp {target_of(rules[op.inputs[0].name]).array}"
    sequents = (Sequent(over, (), then),)
    found = Theorem(f"{name} where branches meet", "ties", shown, op.requires, sequents)
    yield replace(found, equation=first, waived=op.ties == "any")


def said_at(op: Op, rule: Term, o: tuple[Term, ...], cell: t.Read, fresh: Fresh) -> Term:
    """The entry of a rule for one cell of the output and one of an input."""
    is_jvp = rule is op.jvp
    by = tangent(cell.array)[cell.index] if is_jvp else cotangent(op.output)[o]
    made = value_at(rule, o if is_jvp else cell.index, fresh)
    return t.Slope(inlined(op, made, (op.output,), fresh), by)


def cells_read(value: Term, x: Array) -> int:
    """How many cells of an array have to do with each other in one cell of the output, up to 2."""
    found = {u for u in t.walk(value) if isinstance(u, t.Read) and u.array == x}
    return 1 if len(found) == 1 and free(*found) <= free(value) else 2


# The op's own claims.


def claimed(op: Op, claim: Claim) -> Theorem:
    given = (*(r for r in op.requires if r not in claim.without), *claim.given)
    own = tuple(target_of(e).array for e in op.equations.values())
    fresh = Fresh(claim.statement, *given, *op.equations.values())
    statement = substitute(claim.statement, {}, fresh)
    statement = statement if recurrent(op) else inlined(op, statement, own, fresh)
    sequents = tuple(sequents_of(statement, (), ()))
    if claim.refuted is None:
        # Its twin, of the same statement, answers for a claim that is expected to be false.
        said = substitute(claim.statement, {}, fresh)
        wanted = list(needs(said, (), ()))
        wanted += needs_without(op, claim.statement, statement) if claim.without else ()
        meant = [Sequent(*need[1:], aside=True) for need in wanted]
        if not recurrent(op):
            meant = [written_out(op, s, own) for s in meant]
        sequents = tuple(dict.fromkeys((*meant, *sequents)))
    if recurrent(op):
        sequents = tuple(
            replace(s, where=needed_by(s.terms, op.equations.values())) for s in sequents
        )
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


def recurrent(op: Op) -> bool:
    return any(map(recurrences, (op.system, op.jvps, op.vjp)))


def needs_without(op: Op, said: Term, inlined: Term) -> Iterator[Need]:
    """What has a value under `requires`, but perhaps not without all of it.

    Shapes, what is inlined, and what a scatter writes elsewhere.
    """
    yield from needs_of_sizes(op)
    yield from needs(inlined, (), ())
    for equation in op.equations.values():
        if isinstance(equation, t.Scatter) and reads(said, equation.target.array):
            yield from needs_of_equation(equation)


def sequents_of(statement: Term, over: Triples, when: tuple[Term, ...]) -> Iterator[Sequent]:
    """A claim's parts, with what they range over and what they assume."""
    if isinstance(statement, t.And):
        for part in statement.args:
            yield from sequents_of(part, over, when)
    elif isinstance(statement, t.ForAll):
        yield from sequents_of(statement.body, (*over, *statement.ranges), when)
    elif isinstance(statement, t.Or) and isinstance(next(iter(statement.args), None), t.Not):
        negated, *rest = statement.args
        assumed = (*when, *t.conjuncts(negated.condition))
        yield from sequents_of(rest[0] if len(rest) == 1 else t.Or(*rest), over, assumed)
    else:
        yield Sequent(over, when, statement)
