"""Goals, and what is enough to show them; a goal that is met is a proof. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import InitVar, dataclass

import sympy

from gradproof.language import terms as t
from gradproof.language.core import as_choice
from gradproof.language.ops import replace_reads, value_at
from gradproof.language.substitution import Fresh, free, replaced, substitute
from gradproof.language.systems import Equations, made_by, recurrences
from gradproof.language.terms import Array, Term, Terms, sort_of
from gradproof.prove.rules.attained import shown_by_maxima
from gradproof.prove.rules.monomials import linear, tidy
from gradproof.prove.rules.normal import expand, has_window
from gradproof.prove.rules.proofs import SEAL, Forged, Holds, Made, Seek, Steps, rule
from gradproof.prove.rules.rounding import divide_out
from gradproof.prove.rules.signs import facts, has_sign, is_sign_question
from gradproof.prove.rules.sums import Sums
from gradproof.prove.rules.unfolding import counted, derived, resolved, without_brackets


@dataclass(frozen=True)
class Goal(Made):
    """Where `given` holds, `wanted` follows if `goal` does in a context, with `extra` assumed."""

    seal: InitVar[object]
    given: Terms
    wanted: Term
    context: Sums
    goal: Term
    extra: Terms = ()


def met(seal: object, goal: Goal, rule: str, steps: Steps) -> Holds:
    return Holds(seal, goal.given, goal.wanted, rule, goal.context.generic, steps)


@rule
def goal_of(given: Terms, wanted: Term, generic: bool, seek: Seek, extra: Terms = ()) -> Goal:
    """What is wanted, with the derivatives in its hypotheses derived."""
    fresh = Fresh(*given, wanted, *extra)
    whole = Sums(given, generic, seek, fresh).hypotheses
    plain = tuple(h for h in whole if not t.mentions(h, t.Slope, t.Unique))
    known = Sums(plain, generic, seek, fresh)
    others = tuple(c for h in whole if h not in plain for c in derived(h, known))
    context = Sums((*plain, *others), generic, seek, fresh)
    return Goal(SEAL, (*given, *extra), wanted, context, wanted, extra)


@rule
def at_known_values(goal: Goal) -> Goal | None:
    """With sizes replaced by what the hypotheses say they are, if they say so of any."""
    context = goal.context
    values = dict(known_values(context))
    if not values:
        return None
    fresh = Fresh(*context.hypotheses, goal.goal, *goal.extra, *values.values())

    def put(term: Term) -> Term:
        for symbol, value in values.items():
            term = substitute(term, {symbol: value}, fresh)
        return term

    hypotheses, wanted, extra = map(put, context.hypotheses), put(goal.goal), map(put, goal.extra)
    other = Sums(hypotheses, context.generic, context.seek, fresh)
    entailed = other.entailed(())
    known = (divide_out(h, entailed) for h in other.hypotheses)
    reached = Sums(known, context.generic, context.seek, fresh)
    rest = tuple(divide_out(e, entailed) for e in extra)
    return Goal(SEAL, goal.given, goal.wanted, reached, divide_out(wanted, entailed), rest)


@rule
def unfolded(goal: Goal) -> Goal:
    """With every derivative derived, every fold and tie settled, and brackets that always hold."""
    said = goal.goal
    if isinstance(said, t.Eq) and t.REAL in map(sort_of, said.args):
        sides = (resolved(side, goal.context) for side in said.args)
        plain = t.Eq(*(without_brackets(side, goal.context, goal.extra) for side in sides))
    else:
        settled = counted(resolved(said, goal.context), goal.context)
        plain = without_brackets(settled, goal.context, goal.extra)
    return Goal(SEAL, goal.given, goal.wanted, goal.context, plain, goal.extra)


@rule
def by_values(goal: Goal, equations: Equations) -> Goal:
    """With what equations say in place of the values of the arrays that they define.

    Derivatives come first: to these the arrays are independent.
    """
    if t.mentions(goal.goal, t.Slope, t.Linear) or recurrences(equations):
        raise Forged(f"{goal.goal}, with values in place before it is derived, or without end")
    rules = {made_by(e): e for e in equations}
    fresh = goal.context.fresh

    def find(read: t.Read) -> Callable[..., Term] | None:
        rule = rules.get(read.array)
        return None if rule is None else lambda *index: put(value_at(rule, index, fresh))

    def put(term: Term) -> Term:
        return replace_reads(term, find, fresh)

    holding = tuple(t.ForAll(e, *t.cells(e.target)) for e in equations)
    given = (*goal.given, *holding)
    return Goal(SEAL, given, goal.wanted, goal.context, put(goal.goal), goal.extra)


@rule
def by_value_at(goal: Goal, equation: Term) -> tuple[Goal, ...]:
    """With what an equation says of one cell, where the right side reads the array.

    The equation may read the array itself: of other cells nothing is said. The cell is the one by
    whose cotangent an entry is derived, or any that is read as it is written.
    """
    if t.mentions(goal.goal, t.Slope, t.Linear):
        raise Forged(f"{goal.goal}, with a value in place before it is derived")
    return tuple(with_value(goal, equation, place) for place in places_of(goal, made_by(equation)))


def places_of(goal: Goal, array: Array) -> Iterable[Terms]:
    if not isinstance(goal.goal, t.Eq) or not isinstance(goal.wanted, t.Eq):
        return ()
    by = goal.wanted.right
    reads = [u for u in t.walk(goal.goal.right) if isinstance(u, t.Read) and u.array == array]
    if not reads or not isinstance(by, t.Slope):
        return ()
    if by.cell.array.of == array.name and by.cell.array.role == "cotangent":
        return (by.cell.index,)
    return dict.fromkeys(u.index for u in reads if set(u.index) <= free(goal.wanted))


def with_value(goal: Goal, equation: Term, place: Terms) -> Goal:
    fresh, array = goal.context.fresh, made_by(equation)
    value = value_at(equation, place, fresh)

    def find(read: t.Read) -> Callable[..., Term] | None:
        return chosen if read.array == array else None

    def chosen(*index: Term) -> Term:
        return t.If(t.And(*map(t.Eq, index, place)), value, array[index])

    left, right = goal.goal.args
    said = t.Eq(left, replace_reads(right, find, fresh))
    given = (*goal.given, t.ForAll(equation, *t.cells(equation.target)))
    return Goal(SEAL, given, goal.wanted, goal.context, said, goal.extra)


@rule
def with_end_apart(goal: Goal, last: bool) -> Goal | None:
    """With the last place, or the first, of what the right side adds, multiplies or compares apart.

    Of a range that is not empty; None if there is none.
    """
    if not isinstance(goal.goal, t.Eq):
        return None
    left, right = goal.goal.args
    apart = end_apart(right, goal.context, goal.extra, last)
    if apart == right:
        return None
    return Goal(SEAL, goal.given, goal.wanted, goal.context, t.Eq(left, apart), goal.extra)


def end_apart(term: Term, context: Sums, extra: Terms, last: bool) -> Term:
    if not isinstance(term, t.Sum | t.Prod | t.Maximum):
        return t.over_parts(term, lambda u: end_apart(u, context, extra, last))
    if isinstance(term, t.Maximum) and term.where != t.And():
        return term
    (symbol, first, end), *inner = term.ranges
    if inner or symbol.is_bundle or not context.entails(t.relation(t.Le, first, end), extra):
        return term
    place, rest = (end, (first, t.plus(end, -1))) if last else (first, (t.plus(first, 1), end))
    alone = substitute(term.body, {symbol: place}, context.fresh)
    others = t.rebuild(term, [*term.args[: term.parts], sympy.Tuple(symbol, *rest)])
    if isinstance(term, t.Sum):
        return t.Add(others, alone)
    if isinstance(term, t.Prod):
        return t.Mul(others, alone)
    return t.If(t.relation(t.Le, *rest), t.Max(others, alone), alone)


@rule
def by_arithmetic(goal: Goal) -> Holds | None:
    if not goal.context.entails(goal.goal, goal.extra):
        return None
    return met(SEAL, goal, "arithmetic", (("arithmetic", goal.goal),))


@rule
def by_signs(goal: Goal) -> Holds | None:
    said = goal.goal
    if not is_sign_question(said) or not has_sign(goal.context, said, goal.extra):
        return None
    return met(SEAL, goal, "signs of sums", (("signs of sums", said),))


@rule
def by_bounds(goal: Goal) -> Holds | None:
    """With what is true of the sums in it, and all sums taken as unknown numbers."""
    if not has_window(goal.goal):
        return None
    known = tuple(facts(goal.context, goal.goal, goal.extra))
    if not goal.context.entails_opaquely(goal.goal, (*goal.extra, *known)):
        return None
    rule = "bounds of sums" if known else "arithmetic"
    return met(SEAL, goal, rule, (*(("a bound", fact) for fact in known), (rule, goal.goal)))


@rule
def by_maxima(goal: Goal) -> Holds | None:
    """With what is true of the maxima in it, at the places that are read."""
    found = shown_by_maxima(goal.context, goal.goal, goal.extra)
    if found is None:
        return None
    (said, known), rule = found, "maxima are attained"
    told = (fact for fact in known if isinstance(fact, t.Relation) and t.mentions(fact, t.Maximum))
    return met(SEAL, goal, rule, (*(("a maximum", fact) for fact in told), (rule, said)))


@rule
def by_degrees(goal: Goal) -> Holds | str:
    """Linear: each product has one cell of the arrays as a factor, and nothing else reads them.

    Or why that is not shown.
    """
    context, said = goal.context, goal.goal
    names = {a.name for a in said.by}
    for product in expand(resolved(said.body, context), context.fresh):
        cells = [f for f in product.factors if isinstance(f, t.Read) and f.array.name in names]
        others = [f for f in product.factors if f not in cells]
        inner = [e for cell in cells for e in cell.index]
        if any(a.name in names for u in (*product.guards, *others, *inner) for a in t.arrays(u)):
            return "the rule reads in a branch or a factor what it is linear in"
        if len(cells) != 1 and not context.impossible(product, goal.extra):
            return "a term of the rule is not of degree 1"
    return met(SEAL, goal, "one factor of degree 1 in each term", ())


@rule
def in_cases(goal: Goal) -> tuple[Goal, Goal] | None:
    """Where the first part is the larger one, or the smaller of a minimum, and where it is not."""
    inner = (u for e in open_terms(goal.goal) if isinstance(e, t.Exp | t.Log) for u in t.walk(e))
    found = (u for u in inner if isinstance(u, t.Max | t.Min | t.If) and sort_of(u) == t.REAL)
    chosen = next((u for u in found if len(u.args) > 1), None)
    if chosen is None or goal.context.generic:
        return None
    choice = chosen if isinstance(chosen, t.If) else as_choice(chosen)
    condition, then, otherwise = choice.args
    return case(goal, condition, chosen, then), case(goal, t.Not(condition), chosen, otherwise)


def open_terms(term: Term) -> Iterator[Term]:
    """The terms in which nothing is bound, outside of all binders."""
    if not isinstance(term, t.Binder):
        yield term
        for part in () if isinstance(term, t.LEAVES) else term.args:
            yield from open_terms(part)


def case(goal: Goal, condition: Term, chosen: Term, value: Term) -> Goal:
    said = replaced(goal.goal, chosen, value)
    given, extra = ((*known, condition) for known in (goal.given, goal.extra))
    return Goal(SEAL, given, goal.wanted, goal.context, said, extra)


@rule
def by_both(goal: Goal, proofs: tuple[Holds, Holds]) -> Holds | None:
    """What holds where a condition does, and where it does not, holds."""
    parts = in_cases(goal)
    for part, proof in zip(parts or (), proofs, strict=True):
        if type(proof) is not Holds or not proof.shows(part.given, goal.wanted):
            return None
    steps = tuple(step for proof in proofs for step in proof.steps)
    return (
        Holds(SEAL, goal.given, goal.wanted, "cases", goal.context.generic, steps, proofs)
        if parts
        else None
    )


def known_values(context: Sums) -> Iterator[tuple[Term, Term]]:
    """Sizes that the hypotheses give: `s = e`, and `s = d·q` where `d | s`."""
    seen: set[Term] = set()
    for h in context.hypotheses:
        inner = h.args[0] if isinstance(h, t.AllAxes) else h
        if not isinstance(inner, t.Eq | t.Divides) or t.REAL in map(sort_of, inner.args):
            continue
        symbol, value = inner.args
        if isinstance(inner, t.Divides):
            found = as_multiple(inner, context.fresh)
            if found is None:
                continue
            symbol, value = found
        if isinstance(symbol, t.Sym) and symbol not in free(value) and symbol not in seen:
            seen.add(symbol)
            yield symbol, value


def as_multiple(divides: Term, fresh: Fresh) -> tuple[Term, Term] | None:
    """`d | e` as `s = d·q - r` for a symbol s with `e = s + r`."""
    divisor, term = divides.args
    for symbol in sorted(free(term), key=str):
        found = linear(term, symbol)
        alike = symbol.is_bundle == t.is_bundle(term) and symbol not in free(divisor)
        alike = alike and t.is_bundle(divisor) <= symbol.is_bundle
        if alike and found is not None and found[0] == 1:
            return symbol, tidy(divisor * fresh(symbol) - found[1])
    return None
