"""That all an op says has a value: theorems of the kinds defined, in bounds and order. Trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import sympy

from gradproof.language import terms as t
from gradproof.language.functions import derivative_of, domain_of, facts_of, functions_in, value_of
from gradproof.language.ops import Op, target_of, value_at
from gradproof.language.requirements import about_values, spans_of
from gradproof.language.substitution import Fresh, base_of, free, number_of, substitute
from gradproof.language.systems import made_by, needed_by, read_by, recurrences
from gradproof.language.terms import Array, Sym, Term, cells
from gradproof.theorems.composition import ordered
from gradproof.theorems.definedness import Need, needs, needs_of_ranges
from gradproof.theorems.directions import POSITIVE, direction, sign_of
from gradproof.theorems.equations import Triples, is_plain, stated_of, values_in
from gradproof.theorems.integers import of_reals, without_integers
from gradproof.theorems.sequents import Sequent, Theorem


def definedness_of(op: Op) -> Iterator[Theorem]:
    titles = {"defined": "divisors and logarithms", "in bounds": "reads and writes"}
    parts = {"sizes": list(needs_of_sizes(op))}
    parts |= {name: list(needs_of_equation(e)) for name, e in op.equations.items()}
    grounds: list[str] = []  # that what is computed has values
    real = without_integers(op)
    yield from declarations_of(op)
    for part, wanted in parts.items():
        uses = part != "sizes" and not read_by(op.equations[part]).isdisjoint(op.computed)
        for kind, title in titles.items():
            named = (renamed(over, when, then) for k, over, when, then in wanted if k == kind)
            asked = [of_reals(op, sequent) for sequent in named]
            if asked:
                shown = "; ".join(dict.fromkeys(str(stated_of(real, s).then) for s in asked))
                name = f"{part}: {title}"
                theorem = Theorem(name, kind, shown, op.requires, (), equation=part)
                found = stated(real, theorem, asked)
                yield replace(found, rests_on=tuple(grounds)) if uses else found
                grounds += [found.name] if part in ("sizes", *op.formulas) else []


def stated(op: Op, theorem: Theorem, sequents: Iterable[Sequent]) -> Theorem:
    """A theorem that says so of what the op computes.

    Of one equation that is said without its name; of several, each may stay as it is.
    """
    asked = tuple(dict.fromkeys(sequents))
    if is_plain(op):
        return replace(theorem, sequents=tuple(dict.fromkeys(stated_of(op, s) for s in asked)))
    where = tuple(replace(s, where=needed_by(s.terms, op.equations.values())) for s in asked)
    steps, known = kept_positive(op, asked)
    local = (*steps, *(replace(s, when=(*known, *s.when)) for s in asked))
    return replace(
        theorem, sequents=where, local=tuple(replace(s, where=values_in(op, s)) for s in local)
    )


def kept_positive(op: Op, asked: Iterable[Sequent]) -> tuple[tuple[Sequent, ...], tuple[Term, ...]]:
    """That recurrences which are asked about stay positive, step by step, and what follows of all.

    Where all cells before a place are above 0, that one is: so all are, by induction along an axis.
    """
    read = {a for s in asked for a in t.arrays(s.then)}
    steps: list[Sequent] = []
    known: list[Term] = []
    for group in recurrences(op.system):
        axis, downwards = direction(group)
        for equation in (e for e in group if isinstance(e, t.Eq) and made_by(e) in read):
            array = made_by(equation)
            if sign_of(equation.right, array) != POSITIVE:
                continue
            fresh = Fresh(*op.system)
            here, there = (
                array[tuple(fresh(i) for i in target_of(equation).index)] for _ in range(2)
            )
            before = t.relation(t.Gt if downwards else t.Lt, there.index[axis], here.index[axis])
            above = t.relation(t.Gt, there, 0)
            earlier = t.ForAll(t.Or(t.Not(before), above), *cells(there))
            value = value_at(equation, here.index, fresh)
            steps.append(Sequent(cells(here), (earlier,), t.relation(t.Gt, value, 0)))
            known.append(t.ForAll(above, *cells(there)))
    return tuple(steps), tuple(known)


def declarations_of(op: Op) -> Iterator[Theorem]:
    """Of each function that the op applies: its derivative has a value, and what is stated holds.

    Of one with a value that is shown of the value; else it is assumed, and must hold of something.
    """
    said = (*op.equations.values(), *op.requires, *(c.statement for c in op.claims))
    for function in functions_in(said):
        yield from declarations(function)


def declarations(function: t.Function) -> Iterator[Theorem]:
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
    sizes += [e for a in (*op.operands, *op.computed) for e in a.span]
    sizes += [t.as_term(part) for w in op.windows for part in w.parts]
    for part in sizes:
        yield from needs(substitute(part, {}, Fresh(part)), (), ())
    values = t.And(*spans_of(op.operands), *(op.closed(c) for c in op.requires if about_values(c)))
    yield from needs(substitute(values, {}, Fresh(values)), (), ())


def needs_of_equation(equation: Term) -> Iterator[Need]:
    equation = substitute(equation, {}, Fresh(equation))
    if isinstance(equation, t.Eq):
        over, made = cells(equation.left), target_of(equation).array
        yield from needs(equation.right, over, ())
        if made.span:
            yield "in bounds", over, (), t.in_range(equation.right, *made.span)
        return
    over = yield from needs_of_ranges(equation.ranges, (), ())
    yield from needs(equation.where, over, ())
    when = t.conjuncts(equation.where)
    yield from needs(equation.target, over, when)
    yield from needs(equation.value, over, when)


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
